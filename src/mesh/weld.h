// Nodes that lie in one place.
#ifndef SP_WELD_H
#define SP_WELD_H

#include "core/core.h"

// same[i] = the lowest node within `tolerance` of node i that is not itself the same as an earlier one; i where there is none.
// Nodes with skip[i] are left alone (nullable). Linear for any input but one made to hurt: those kept lie further apart than the
// tolerance, so few of them fit in a cell.
sp_status sp__weld_find(sp_context *ctx, const double *x, int n, const unsigned char *skip, double tolerance, int *same);
// The tolerance asked for, or 1e-9 of the diagonal of the finite positions.
double sp__weld_tolerance(const double *x, int n, double asked);

#endif
