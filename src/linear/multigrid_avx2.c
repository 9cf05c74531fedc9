// Multigrid loops for AVX2 with fused multiply-add: compiled with these flags, chosen at run time (cmake/flags.cmake).
#ifdef SP_HAVE_AVX2
#define SP_SUFFIX _avx2
#include "linear/multigrid_loops.h"
#else
typedef int sp_no_avx2;
#endif
