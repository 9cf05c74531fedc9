// The multigrid's loops for any machine: see multigrid_loops.h.
#define SP_SUFFIX _generic
#include "linear/multigrid_loops.h"
