// Projection and coverage for AVX2 with fused multiply-add (layers_loops.h), chosen at run time (layers_list.c).
#ifdef SP_HAVE_AVX2
#define SP_LDI_KERNELS sp__ldi_kernels_avx2
#include "collide/layers_loops.h"
#else
typedef int sp_no_ldi_avx2;
#endif
