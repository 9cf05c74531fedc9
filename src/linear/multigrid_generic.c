// Multigrid loops for any machine (multigrid_loops.h).
#define SP_SUFFIX _generic
#include "linear/multigrid_loops.h"
