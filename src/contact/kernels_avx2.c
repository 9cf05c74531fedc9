// Loops of the contact solvers for AVX2 with fused multiply-add (kernels_loops.h), chosen at run time (kernels_generic.c).
#ifdef SP_HAVE_AVX2
#define SP_CONE_TABLE sp__cone_kernels_avx2
#include "contact/kernels_loops.h"
#else
typedef int sp_no_cone_avx2;
#endif
