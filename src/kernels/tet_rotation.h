// Methods of element rotation, for kernels and host code.
#ifndef SP_TET_ROTATION_H
#define SP_TET_ROTATION_H

typedef enum tet_rotation { TET_LINEAR = -1, TET_POLAR, TET_QR, TET_SVD } tet_rotation;

#endif
