// Projection and coverage for any machine (layers_loops.h).
#define SP_LDI_KERNELS sp__ldi_kernels_generic
#include "collide/layers_loops.h"
