// Numbers of a node's record for the kernels of kernels/warp.h: its rotation Rn (9), x (3), Rn^T x (3), one to fill up.
#ifndef SP_WARP_RECORD_H
#define SP_WARP_RECORD_H

#define SP_WARP_NODE 16

#endif
