// The loops of factorisation and solves with 256-bit vectors.
#ifdef SP_HAVE_AVX2
#define SP_FACTOR_VARIANT(name) sp__factor_avx2_##name
#include "sparse/factor_variants.h"
#else
typedef int sp_factor_avx2_is_not_built;
#endif
