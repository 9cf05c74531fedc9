// The tables of dense kernels that a build has; sp__dense_d and sp__dense_f choose.
#ifndef SP_DENSE_INTERNAL_H
#define SP_DENSE_INTERNAL_H

#include "sparse/dense.h"

extern const sp_dense_d sp__dense_avx2_d, sp__dense_generic_d;
extern const sp_dense_f sp__dense_avx2_f, sp__dense_generic_f;

#endif
