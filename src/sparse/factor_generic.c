// The loops of factorisation and solves for any machine.
#define SP_FACTOR_VARIANT(name) sp__factor_generic_##name
#include "sparse/factor_variants.h"
