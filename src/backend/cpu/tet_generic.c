// cpu loops for any machine: the portable equivalent of the vector builds, with the same lanes and the same order of sums.
#define SP_SUFFIX _generic
#define SP_BACKEND "cpu-generic"
#define SP_DETAIL "no instruction set assumed, 4 lanes of double"
#include "backend/cpu/tet_loops.h"
