// cpu loops for AVX2 with fused multiply-add, selected at run time (cmake/flags.cmake, backend.c).
#ifdef SP_HAVE_AVX2
#define SP_SUFFIX _avx2
#define SP_BACKEND "cpu"
#define SP_DETAIL "AVX2 and FMA, 4 lanes of double"
#include "backend/cpu/tet_loops.h"
#else
typedef int sp_no_avx2;
#endif
