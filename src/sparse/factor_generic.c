// The loops of factorisation and solves for any machine.
#define SP_FACTOR_TWIN(name) sp__factor_generic_##name
#include "sparse/factor_twins.h"
