// Do two triangles meet where they should not? Exact: the answer does not depend on rounding.
#ifndef SP_INTERSECT_H
#define SP_INTERSECT_H

#include <stdbool.h>

// a and b: three nodes each. Nodes that both have are where they may meet: neighbours across an edge intersect only where they
// lie on each other, neighbours at a vertex where they have more than it in common. Two triangles with the same three nodes are
// not compared, nor are those without any area.
bool sp__triangles_intersect(const double *x, const int a[3], const int b[3]);

#endif
