// Layout of a node record for the kernels of kernels/warp.h: node rotation Rn (9), x (3), Rn^T x (3), one number of padding.
#ifndef SP_WARP_RECORD_H
#define SP_WARP_RECORD_H

#define SP_WARP_NODE 16

#endif
