// The kernels in float, one element at a time: as on a device without double.
#define SP_REAL_FLOAT
#define SP_LANES 1
#include "kernel_compare.h"
