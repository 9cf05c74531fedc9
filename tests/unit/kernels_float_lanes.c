// The kernels in float, four elements at a time.
#define SP_REAL_FLOAT
#define SP_LANES 4
#include "kernel_compare.h"
