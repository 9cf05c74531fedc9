// Point location in a tetrahedral mesh: the element that contains a point, or the nearest one, and the barycentric weights. A
// bounding volume hierarchy over the elements serves both queries; its input arrays are borrowed and must not change.
#ifndef SP_LOCATE_H
#define SP_LOCATE_H

#include "core/core.h"

typedef struct sp_locator sp_locator;

typedef struct sp_located {
    int element;        // -1: none
    double weights[4];  // of its nodes, sum 1; some negative if the point is outside
    double outside;     // distance to the element [m], 0 inside
} sp_located;

// Positions (nodes x 3) and element nodes (elements x 4). On SP_NO_MEMORY *out is NULL.
sp_status sp__locator_create(sp_context *ctx, const double *x, int elements, const int *corners, sp_locator **out);
void sp__locator_destroy(sp_locator **locator);
// n points (n x 3) on all workers. If several elements contain a point, the lowest number is returned; if several
// are equally near, the one that extrapolates least, then the lowest number.
void sp__locate_all(const sp_locator *locator, int n, const double *points, sp_located *out);

#endif
