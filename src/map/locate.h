// Where points lie in a tetrahedral mesh: the element that holds each, or the nearest one, and the weights of its corners. A tree
// of boxes over the elements answers both questions; what it is built on is borrowed and must not move meanwhile.
#ifndef SP_LOCATE_H
#define SP_LOCATE_H

#include "core/core.h"

typedef struct sp_locator sp_locator;

typedef struct sp_located {
    int element;        // -1: there is none
    double weights[4];  // of its corners, adding up to 1; some negative where the point is outside
    double outside;     // distance to the element [m], 0 inside
} sp_located;

// Positions (nodes x 3) and corners (elements x 4). *out NULL and SP_NO_MEMORY: refused.
sp_status sp__locator_create(sp_context *ctx, const double *x, int elements, const int *corners, sp_locator **out);
void sp__locator_destroy(sp_locator **locator);
// One point, or n of them (n x 3) on all workers. Where several elements hold a point the lowest number is taken; where several
// are equally near, the one that extrapolates least, then the lowest number.
void sp__locate(const sp_locator *locator, const double point[3], sp_located *out);
void sp__locate_all(const sp_locator *locator, int n, const double *points, sp_located *out);

#endif
