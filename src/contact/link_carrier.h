// Where the points of one side of a link are on the body of the other side, at the committed state. A material point is found for
// every place: inside of an element, or beside the nearest one, whose map is then extrapolated, so that both sides of a link are
// at the same place. How far the place is from the body is reported.
#ifndef SP_LINK_CARRIER_H
#define SP_LINK_CARRIER_H

#include "contact/links.h"

// What a body can carry, from its table.
static inline bool sp__carries_nodes(const sp_body *b) {  // its points are means of nodes: it has no frames
    return (b->caps & SP_CAP_NODAL) != 0;
}
static inline bool sp__carries_frame(const sp_body *b) {  // one frame carries every point
    return b->ops->locate != NULL;
}
static inline bool sp__carries_line(const sp_body *b) {  // frames along a centreline
    return !sp__carries_nodes(b) && b->ops->element_nodes && b->ops->nodes_per_element == 2;
}

// Positions of the nodes of a body in user numbering; nodes that no element uses are NaN. *anchor (nullable): the nodes.
sp_status sp__link_nodes(sp_context *ctx, sp_body *b, double **x, sp_anchor **anchor);
// Which nodes a side has: one mark for each node of the body.
sp_status sp__link_marks(sp_context *ctx, const sp_link_side *side, unsigned char **mark);
// Length of an edge of the boundary faces of a side, or of an element of a rod [m]; infinite: neither.
sp_status sp__link_edge(sp_context *ctx, const sp_link_side *side, double *edge);

typedef struct sp_carrier sp_carrier;

sp_status sp__carrier_create(sp_context *ctx, const sp_link_side *side, sp_carrier **out);
void sp__carrier_destroy(sp_carrier **carrier);  // accepts NULL
// The material point at x, and the distance of x from the body or the selected part of it [m]: 0 inside; of rods: from the
// centreline.
void sp__carrier_find(const sp_carrier *carrier, const double x[3], sp_anchor *out, double *distance);
// The strand of an element of a rod: its first and last element.
void sp__carrier_strand(const sp_carrier *carrier, int element, int strand[2]);

#endif
