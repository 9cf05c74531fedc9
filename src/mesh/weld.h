// Search for coincident nodes.
#ifndef SP_WELD_H
#define SP_WELD_H

#include "core/core.h"

// same[i] = the lowest kept node within `tolerance` of node i, or i if there is none. Nodes with skip[i] are ignored (nullable).
// Linear time except for contrived input: kept nodes lie further apart than the tolerance, so few fit in a cell.
sp_status sp__weld_find(sp_context *ctx, const double *x, int n, const unsigned char *skip, double tolerance, int *same);
// The given tolerance, or 1e-9 of the diagonal of the finite positions.
double sp__weld_tolerance(const double *x, int n, double asked);

#endif
