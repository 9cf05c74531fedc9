// Selection of the dense kernels for this machine.
#include "sparse/dense.h"

#include "sparse/dense.h"

#ifdef SP_HAVE_AVX2
static bool has_avx2(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

const sp_dense_d *sp__dense_d(bool plain) {
#ifdef SP_HAVE_AVX2
    if (!plain && has_avx2()) return &sp__dense_avx2_d;
#endif
    (void)plain;
    return &sp__dense_generic_d;
}

const sp_dense_f *sp__dense_f(bool plain) {
#ifdef SP_HAVE_AVX2
    if (!plain && has_avx2()) return &sp__dense_avx2_f;
#endif
    (void)plain;
    return &sp__dense_generic_f;
}
