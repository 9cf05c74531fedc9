// Exact intersection test of two triangles: the result does not depend on rounding.
#ifndef SP_INTERSECT_H
#define SP_INTERSECT_H

#include <stdbool.h>

// a and b: three nodes each. Contact at common nodes is allowed: neighbours across an edge intersect only if they overlap,
// neighbours at a vertex only if they share more than the vertex. Two triangles with the same three nodes are not compared, nor
// are triangles without area.
bool sp__triangles_intersect(const double *x, const int a[3], const int b[3]);

#endif
