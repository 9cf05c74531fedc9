// Dense kernels for any machine: vectors of 16 bytes, in tiles that leave half of 16 registers for the operands. And the
// choice of the kernels for this machine.
#include "core/core.h"
#include "sparse/dense.h"
#define SP_DENSE_BYTES 16
#define SP_DENSE_HIGH 2
#define SP_DENSE_ISA "generic"
#define SP_DENSE_VARIANT(type) sp__dense_generic_##type
#include "sparse/dense_variants.h"

const sp_dense_d *sp__dense_d(bool plain) {
#ifdef SP_HAVE_AVX2
    if (!plain && sp__has_avx2()) return &sp__dense_avx2_d;
#endif
    (void)plain;
    return &sp__dense_generic_d;
}

const sp_dense_f *sp__dense_f(bool plain) {
#ifdef SP_HAVE_AVX2
    if (!plain && sp__has_avx2()) return &sp__dense_avx2_f;
#endif
    (void)plain;
    return &sp__dense_generic_f;
}
