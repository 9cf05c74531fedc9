// Loops of the contact solvers for any machine (kernels_loops.h), and the choice.
#define SP_CONE_TABLE sp__cone_kernels_generic
#include "contact/kernels_loops.h"

const sp_cone_kernels *sp__cone_kernels(void) {
#ifdef SP_HAVE_AVX2
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &sp__cone_kernels_avx2;
#endif
    return &sp__cone_kernels_generic;
}
