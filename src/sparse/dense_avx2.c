// Dense kernels for AVX2 with fused multiply-add, compiled with these instructions and chosen at run time (cmake/flags.cmake,
// dense_generic.c). Tiles of 12 x 4 double or 24 x 4 float: 12 accumulators, 3 vectors of the left operand and 1 of the right
// fill the 16 registers.
#ifdef SP_HAVE_AVX2
#include "sparse/dense.h"
#define SP_DENSE_BYTES 32
#define SP_DENSE_HIGH 3
#define SP_DENSE_ISA "AVX2 and FMA"
#define SP_DENSE_VARIANT(type) sp__dense_avx2_##type
#include "sparse/dense_variants.h"
#else
typedef int sp_no_avx2;
#endif
