// From the definition of a link to its ties, at the committed state of the bodies. See links.h.
#include "contact/link_carrier.h"
#include "map/mortar.h"
#include "math/vec3.h"

typedef struct tie_builder {
    sp_context *ctx;
    sp_link *link;
    sp_ties out;
    int tie_capacity, part_capacity;
    double size;     // of the lever arms of frames [m]
    double nearest;  // smallest distance that was too large [m]
} tie_builder;

void sp__ties_free(sp_context *ctx, sp_ties *t) {
    sp__free(ctx, t->ties), sp__free(ctx, t->anchor), sp__free(ctx, t->weight);
    for (int s = 0; s < 2; s++) sp__free(ctx, t->tied[s]), sp__free(ctx, t->corners[s]);
    *t = (sp_ties){0};
}

// ---------------------------------------------------------------------------------------------------- memory

static sp_status ties_no_memory(const tie_builder *t) {
    return SP_FAIL(t->ctx, SP_NO_MEMORY, "no memory for the link '%s'", t->link->name);
}

static bool ties_grow(sp_context *ctx, void **array, int used, int capacity, size_t size) {
    void *more = sp__alloc(ctx, (size_t)capacity, size);
    if (!more) return false;
    if (used) memcpy(more, *array, (size_t)used * size);
    sp__free(ctx, *array);
    *array = more;
    return true;
}

static sp_status tie_add(tie_builder *t, sp_tie_type type, sp_tie **out) {
    sp_ties *all = &t->out;
    if (all->tie_count == t->tie_capacity) {
        int capacity = t->tie_capacity ? 2 * t->tie_capacity : 16;
        if (all->tie_count > INT32_MAX / 4 ||
            !ties_grow(t->ctx, (void **)&all->ties, all->tie_count, capacity, sizeof *all->ties))
            return ties_no_memory(t);
        t->tie_capacity = capacity;
    }
    *out = &all->ties[all->tie_count++];
    **out = (sp_tie){.type = type};
    return SP_OK;
}

// The material points of one point of a tie are added one after the other.
static sp_status part_add(tie_builder *t, sp_tie *tie, int point, int side, const sp_anchor *anchor, double weight) {
    sp_ties *all = &t->out;
    if (all->part_count == t->part_capacity) {
        int capacity = t->part_capacity ? 2 * t->part_capacity : 64;
        if (all->part_count > INT32_MAX / 4 ||
            !ties_grow(t->ctx, (void **)&all->anchor, all->part_count, capacity, sizeof *all->anchor) ||
            !ties_grow(t->ctx, (void **)&all->weight, all->part_count, capacity, sizeof *all->weight))
            return ties_no_memory(t);
        t->part_capacity = capacity;
    }
    if (tie->count[point][side]++ == 0) tie->first[point][side] = all->part_count;
    all->anchor[all->part_count] = *anchor;
    all->weight[all->part_count++] = weight;
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- sizes

// A length of a body that can move: of the lever arms of its rotations. edge: of its faces or elements.
static double body_size(sp_body *b, double edge) {
    sp_measure m = {0};
    if (b->caps & SP_CAP_KINEMATIC) return INFINITY;
    if (!sp__carries_frame(b)) return edge;
    b->ops->measure(b, &m);
    return m.size > 0 ? m.size : INFINITY;
}

static sp_status find_sizes(tie_builder *t) {
    sp_link *l = t->link;
    double edge[2];
    for (int s = 0; s < 2; s++) SP_TRY(sp__link_edge(t->ctx, &l->side[s], &edge[s]));
    l->within = l->def.within > 0 ? l->def.within : 0.25 * fmin(edge[0], edge[1]);
    t->size = fmin(body_size(l->side[0].body, edge[0]), body_size(l->side[1].body, edge[1]));
    return SP_OK;
}

static sp_status nothing_near(const tie_builder *t) {
    const sp_link *l = t->link;
    const char *a = l->side[0].body->name, *b = l->side[1].body->name;
    if (isfinite(t->nearest))
        return SP_FAIL(t->ctx, SP_BAD_INPUT, "link '%s': nothing of '%s' is within %g m of '%s'; the nearest point is %g m away",
                       l->name, a, l->within, b, t->nearest);
    return SP_FAIL(t->ctx, SP_BAD_INPUT, "link '%s': '%s' and '%s' have no points that can be tied", l->name, a, b);
}

// ---------------------------------------------------------------------------------------------------- points of a side

typedef struct side_points {
    int count;
    sp_anchor *anchor;
    double *x;
} side_points;

static void points_free(sp_context *ctx, side_points *p) {
    sp__free(ctx, p->anchor), sp__free(ctx, p->x);
    *p = (side_points){0};
}

static sp_status points_given(tie_builder *t, const sp_link_side *side, side_points *out) {
    const size_t n = (size_t)side->point_count;
    if (!SP_NEW(t->ctx, out->anchor, n) || !SP_NEW(t->ctx, out->x, 3 * n)) return ties_no_memory(t);
    memcpy(out->anchor, side->points, n * sizeof *side->points);
    side->body->ops->points(side->body, SP_COMMITTED, side->point_count, out->anchor, out->x, NULL);
    out->count = side->point_count;
    return SP_OK;
}

// The nodes of a selection; of a whole body those of its boundary, or of its centreline.
static sp_status points_of_nodes(tie_builder *t, const sp_link_side *side, side_points *out) {
    sp_body *b = side->body;
    unsigned char *mark = NULL;
    SP_TRY(sp__link_nodes(t->ctx, b, &out->x, &out->anchor));
    SP_TRY(sp__link_marks(t->ctx, side, &mark));
    const sp_surface *s = b->surfaces[0];
    if (!side->nodes && s->nodes && sp__carries_nodes(b)) {
        memset(mark, 0, (size_t)b->nodes);
        for (int i = 0; i < s->vertex_count; i++) mark[s->nodes[i]] = 1;
    }
    for (int i = 0; i < b->nodes; i++) {
        if (!mark[i] || isnan(out->x[3 * (size_t)i])) continue;
        memmove(out->x + 3 * (size_t)out->count, out->x + 3 * (size_t)i, 3 * sizeof *out->x);
        out->anchor[out->count++] = out->anchor[i];
    }
    sp__free(t->ctx, mark);
    return SP_OK;
}

static sp_status points_of(tie_builder *t, int side, side_points *out) {
    const sp_link_side *s = &t->link->side[side];
    *out = (side_points){0};
    sp_status status = s->points ? points_given(t, s, out) : s->body->nodes > 0 ? points_of_nodes(t, s, out) : SP_OK;
    if (status < 0) points_free(t->ctx, out);
    return status;
}

// The side whose points are tied to the body of the other: a selection, else the body with the more slender parts.
static int point_side(const sp_link *l) {
    const sp_link_side *s = l->side;
    bool given[2], points[2];
    for (int i = 0; i < 2; i++) given[i] = s[i].nodes || s[i].points, points[i] = given[i] || s[i].body->nodes > 0;
    if (given[0] != given[1]) return given[0] ? 0 : 1;
    if (points[0] != points[1]) return points[0] ? 0 : 1;
    return !given[0] && sp__carries_nodes(s[0].body) && sp__carries_line(s[1].body) ? 1 : 0;
}

// ---------------------------------------------------------------------------------------------------- frames

// Three points with the lever arm `size` along two directions, on both sides. given (nullable): the material points of `side`.
static sp_status add_frame(tie_builder *t, const sp_carrier *const carrier[2], const double origin[3], const double axes[2][3],
                           double size, int side, const sp_anchor given[3]) {
    sp_tie *tie;
    SP_TRY(tie_add(t, SP_TIE_FRAME, &tie));
    tie->share = 1;
    for (int p = 0; p < 3; p++) {
        double x[3], distance;
        memcpy(x, origin, sizeof x);
        if (p > 0) sp__axpy3(x, size, axes[p - 1], x);
        for (int s = 0; s < 2; s++) {
            sp_anchor at;
            if (given && s == side)
                at = given[p];
            else
                sp__carrier_find(carrier[s], x, &at, &distance);
            SP_TRY(part_add(t, tie, p, s, &at, 1));
        }
    }
    return SP_OK;
}

// A node of a rod, with its frame.
static sp_status add_rod_frame(tie_builder *t, const sp_carrier *const carrier[2], int side, const sp_anchor *at,
                               const double x[3]) {
    sp_body *b = t->link->side[side].body;
    double frame[9];
    const double size = t->size;
    sp_anchor given[3] = {*at, *at, *at};
    sp__anchor_frame(b, at, SP_COMMITTED, frame);
    for (int k = 1; k < 3; k++) given[k].offset[k] += size;
    const double axes[2][3] = {{frame[3], frame[4], frame[5]}, {frame[6], frame[7], frame[8]}};
    return add_frame(t, carrier, x, axes, size, side, given);
}

// ---------------------------------------------------------------------------------------------------- points to a body

static sp_status tie_points(tie_builder *t, int side, const side_points *from, const sp_carrier *const carrier[2]) {
    const sp_link *l = t->link;
    const bool framed = l->def.type == SP_LINK_WELD && !sp__carries_nodes(l->side[0].body) && !sp__carries_nodes(l->side[1].body);
    for (int i = 0; i < from->count; i++) {
        double distance;
        sp_anchor at;
        sp_tie *tie;
        sp__carrier_find(carrier[1 - side], from->x + 3 * (size_t)i, &at, &distance);
        if (!(distance <= l->within)) {
            t->nearest = fmin(t->nearest, distance);
            continue;
        }
        // the frame of one node of a rod holds those of its neighbours
        if (framed && t->out.tie_count == 0 && sp__carries_line(l->side[side].body)) {
            SP_TRY(add_rod_frame(t, carrier, side, &from->anchor[i], from->x + 3 * (size_t)i));
            continue;
        }
        SP_TRY(tie_add(t, SP_TIE_POINT, &tie));
        tie->share = 1;
        SP_TRY(part_add(t, tie, 0, side, &from->anchor[i], 1));
        SP_TRY(part_add(t, tie, 0, 1 - side, &at, 1));
    }
    return SP_OK;
}

static sp_status weld_points(tie_builder *t) {
    const int side = point_side(t->link);
    sp_carrier *carrier[2] = {NULL, NULL};
    side_points from;
    SP_TRY(points_of(t, side, &from));
    sp_status status = SP_OK;
    for (int s = 0; s < 2 && status >= 0; s++) status = sp__carrier_create(t->ctx, &t->link->side[s], &carrier[s]);
    if (status >= 0) status = tie_points(t, side, &from, (const sp_carrier *const *)carrier);
    for (int s = 0; s < 2; s++) sp__carrier_destroy(&carrier[s]);
    points_free(t->ctx, &from);
    return status;
}

// Springs between material points of both sides: each pulls two points together, wherever they are.
static bool has_point_pairs(const sp_link *l) {
    const sp_link_side *s = l->side;
    return l->def.type == SP_LINK_SPRING && s[0].points && s[1].points && s[0].point_count == s[1].point_count;
}

static sp_status tie_point_pairs(tie_builder *t) {
    const sp_link_side *s = t->link->side;
    for (int i = 0; i < s[0].point_count; i++) {
        sp_tie *tie;
        SP_TRY(tie_add(t, SP_TIE_POINT, &tie));
        tie->share = 1;
        for (int k = 0; k < 2; k++) SP_TRY(part_add(t, tie, 0, k, &s[k].points[i], 1));
    }
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- faces to faces

typedef struct link_faces {
    sp_mortar_surface s;
    int *faces, *number;  // number of a face in the boundary
    double *x, edge;
} link_faces;

static void faces_free(sp_context *ctx, link_faces *f) {
    sp__free(ctx, f->faces), sp__free(ctx, f->number), sp__free(ctx, f->x);
    *f = (link_faces){0};
}

// Boundary faces with all their nodes in the selection.
static sp_status faces_of(tie_builder *t, int side, link_faces *out) {
    const sp_link_side *from = &t->link->side[side];
    const sp_surface *s = from->body->surfaces[0];
    unsigned char *mark = NULL;
    *out = (link_faces){0};
    SP_TRY(sp__link_marks(t->ctx, from, &mark));
    if (!SP_NEW(t->ctx, out->faces, 3 * (size_t)s->face_count + 1) || !SP_NEW(t->ctx, out->number, (size_t)s->face_count + 1) ||
        !SP_NEW(t->ctx, out->x, 3 * (size_t)s->vertex_count + 1)) {
        sp__free(t->ctx, mark);
        return ties_no_memory(t);
    }
    sp__surface_positions(from->body, s, SP_COMMITTED, out->x, NULL, NULL);
    int count = 0;
    for (int f = 0; f < s->face_count; f++) {
        const uint32_t *v = s->faces + 3 * (size_t)f;
        if (!mark[s->nodes[v[0]]] || !mark[s->nodes[v[1]]] || !mark[s->nodes[v[2]]]) continue;
        for (int k = 0; k < 3; k++) out->faces[3 * count + k] = (int)v[k];
        out->number[count++] = f;
    }
    sp__free(t->ctx, mark);
    out->s = (sp_mortar_surface){out->x, s->vertex_count, out->faces, count};
    return sp__link_edge(t->ctx, from, &out->edge);
}

// Weights of the nodes of the element behind a face at a place, which may be beside the element.
static void weights_behind(sp_body *b, int face, const double x[3], uint32_t *element, double w[4]) {
    sp_anchor corner[3], at[4];
    double p[12], D[9], inverse[9], d[3];
    b->ops->face_anchors(b, face, corner);
    *element = corner[0].elem;
    for (int k = 0; k < 4; k++) {
        at[k] = (sp_anchor){.body = b->id, .elem = *element};
        if (k > 0) at[k].at[k - 1] = 1;
    }
    b->ops->points(b, SP_COMMITTED, 4, at, p, NULL);
    if (b->ops->element_type == SP_ELEMENT_TRI3) {
        sp__triangle_weights(p, p + 3, p + 6, x, w);
        return;
    }
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 3; a++) D[3 * k + a] = p[3 * (a + 1) + k] - p[k];
    sp__inverse3(D, inverse);
    sp__sub3(x, p, d);
    sp__mul3(inverse, d, w + 1);
    w[0] = 1 - w[1] - w[2] - w[3];
}

typedef struct node_weights {  // nodes of a row with the sums of their weights
    int count, *node;
    double *weight;
} node_weights;

static void node_weights_add(node_weights *n, int node, double weight) {
    int i = 0;
    while (i < n->count && n->node[i] != node) i++;
    if (i == n->count) n->node[i] = node, n->weight[n->count++] = 0;
    n->weight[i] += weight;
}

static sp_status add_node_weights(tie_builder *t, sp_tie *tie, int side, const node_weights *n) {
    sp_body *b = t->link->side[side].body;
    for (int i = 0; i < n->count; i++) {
        sp_anchor at;
        // nodes opposite to a face that the other side touches: rounding
        if (fabs(n->weight[i]) < 1e-13) continue;
        SP_TRY(b->ops->anchor_node(b, n->node[i], &at));
        SP_TRY(part_add(t, tie, 0, side, &at, n->weight[i]));
    }
    return SP_OK;
}

static sp_status mortar_row(tie_builder *t, const sp_mortar *m, int row, int first, const link_faces *second, const int *corners,
                            double total, node_weights *n) {
    sp_body *b[2] = {t->link->side[first].body, t->link->side[1 - first].body};
    sp_tie *tie;
    SP_TRY(tie_add(t, SP_TIE_POINT, &tie));
    tie->share = m->area[row] / total;
    n->count = 0;
    for (int i = m->first_start[row]; i < m->first_start[row + 1]; i++)
        node_weights_add(n, b[0]->surfaces[0]->nodes[m->vertex[i]], m->first_weight[i]);
    SP_TRY(add_node_weights(t, tie, first, n));
    n->count = 0;
    for (int i = m->second_start[row]; i < m->second_start[row + 1]; i++) {
        uint32_t element;
        double w[4];
        weights_behind(b[1], second->number[m->face[i]], m->point + 3 * (size_t)i, &element, w);
        for (int k = 0; k < 4; k++) node_weights_add(n, corners[4 * (size_t)element + (size_t)k], m->second_weight[i] * w[k]);
    }
    return add_node_weights(t, tie, 1 - first, n);
}

static sp_status mortar_ties(tie_builder *t, const sp_mortar *m, int first, const link_faces *second) {
    const double least_share = 1e-9;  // of the largest area of a row: smaller ones are rounding
    sp_body *b = t->link->side[1 - first].body;
    node_weights n = {0};
    int *corners = NULL, most = 0;
    double largest = 0, total = 0;
    for (int r = 0; r < m->row_count; r++) {
        const int vertices = m->first_start[r + 1] - m->first_start[r], faces = m->second_start[r + 1] - m->second_start[r];
        largest = fmax(largest, m->area[r]);
        most = 4 * faces > most ? 4 * faces : most, most = vertices > most ? vertices : most;
    }
    for (int r = 0; r < m->row_count; r++) total += m->area[r] > least_share * largest ? m->area[r] : 0;
    sp_status status = SP_OK;
    if (SP_NEW(t->ctx, corners, 4 * (size_t)b->elements) && SP_NEW(t->ctx, n.node, (size_t)most + 1) &&
        SP_NEW(t->ctx, n.weight, (size_t)most + 1)) {
        b->ops->element_nodes(b, corners);
        for (int r = 0; r < m->row_count && status >= 0; r++)
            if (m->area[r] > least_share * largest) status = mortar_row(t, m, r, first, second, corners, total, &n);
    } else {
        status = ties_no_memory(t);
    }
    sp__free(t->ctx, corners), sp__free(t->ctx, n.node), sp__free(t->ctx, n.weight);
    return status;
}

// The multipliers belong to the finer side: the coarser one would leave nodes of the finer one free.
static sp_status weld_faces(tie_builder *t) {
    link_faces faces[2] = {{{0}, NULL, NULL, NULL, 0}};
    sp_mortar *m = NULL;
    sp_status status = SP_OK;
    for (int s = 0; s < 2; s++) {
        const sp_link_side *side = &t->link->side[s];
        if (side->points || !sp__carries_nodes(side->body) || !side->body->ops->face_anchors || !side->body->surfaces[0]->nodes)
            return SP_OK;
    }
    for (int s = 0; s < 2 && status >= 0; s++) status = faces_of(t, s, &faces[s]);
    if (status >= 0) {
        const int first = faces[1].edge < faces[0].edge ? 1 : 0;
        status = sp__mortar_create(t->ctx, &faces[first].s, &faces[1 - first].s, t->link->within, &m);
        if (status >= 0 && m->total > 0) status = mortar_ties(t, m, first, &faces[1 - first]);
    }
    sp__mortar_destroy(t->ctx, &m);
    for (int s = 0; s < 2; s++) faces_free(t->ctx, &faces[s]);
    return status;
}

// ---------------------------------------------------------------------------------------------------- joints of bodies

static bool is_whole_rigid(const sp_link_side *s) {
    return sp__carries_frame(s->body) && !s->points;
}

static sp_status joint_carriers(tie_builder *t, sp_carrier *carrier[2]) {
    carrier[0] = carrier[1] = NULL;
    for (int s = 0; s < 2; s++) SP_TRY(sp__carrier_create(t->ctx, &t->link->side[s], &carrier[s]));
    return SP_OK;
}

static void joint_done(sp_carrier *carrier[2]) {
    for (int s = 0; s < 2; s++) sp__carrier_destroy(&carrier[s]);
}

// Where two rigid bodies are welded makes no difference to their motion: by default at the centre of one that can move.
static void default_point(const tie_builder *t, double x[3]) {
    const sp_link *l = t->link;
    const int side = l->side[0].body->caps & SP_CAP_KINEMATIC ? 1 : 0;
    sp_body *b = l->side[side].body;
    sp_measure m = {0};
    b->ops->measure(b, &m);
    for (int k = 0; k < 3; k++) x[k] = m.mass > 0 ? m.moment[k] / m.mass : 0;
}

static sp_status weld_rigid(tie_builder *t) {
    static const double axes[2][3] = {{1, 0, 0}, {0, 1, 0}};
    const sp_link *l = t->link;
    sp_carrier *carrier[2];
    double x[3], distance;
    sp_tie *tie;
    if (l->def.type == SP_LINK_SPRING && !l->def.has_point)
        return SP_FAIL(t->ctx, SP_BAD_INPUT, "link '%s': a spring between two rigid bodies needs a point", l->name);
    if (l->def.has_point)
        memcpy(x, l->def.point, sizeof x);
    else
        default_point(t, x);
    sp_status status = joint_carriers(t, carrier);
    if (status >= 0 && l->def.type == SP_LINK_WELD)
        status = add_frame(t, (const sp_carrier *const *)carrier, x, axes, t->size, 0, NULL);
    else if (status >= 0)
        status = tie_add(t, SP_TIE_POINT, &tie);
    for (int s = 0; s < 2 && status >= 0 && l->def.type == SP_LINK_SPRING; s++) {
        sp_anchor at;
        tie->share = 1;
        sp__carrier_find(carrier[s], x, &at, &distance);
        status = part_add(t, tie, 0, s, &at, 1);
    }
    joint_done(carrier);
    return status;
}

// Distance between a place and the material point that a body has for it: a rod ends.
static double missed(sp_body *b, const sp_anchor *at, const double x[3]) {
    double p[3], d[3];
    b->ops->points(b, SP_COMMITTED, 1, at, p, NULL);
    sp__sub3(p, x, d);
    return sp__norm3(d);
}

// Whether both bodies carry a point there; *outside: how far it is from the one that does not.
static bool carried(const tie_builder *t, sp_carrier *const carrier[2], const double x[3], double *outside) {
    for (int s = 0; s < 2; s++) {
        sp_body *b = t->link->side[s].body;
        sp_anchor at;
        sp__carrier_find(carrier[s], x, &at, outside);
        // every point belongs to the frame of a rigid body
        if (sp__carries_frame(b)) continue;
        if (sp__carries_line(b)) *outside = missed(b, &at, x);
        if (*outside > (sp__carries_line(b) ? 1e-9 * t->link->within : t->link->within)) return false;
    }
    return true;
}

// The second point of the axis is as far away as the bodies carry it.
static sp_status hinge_points(tie_builder *t, sp_carrier *const carrier[2], double p[3], double q[3]) {
    enum { HALVINGS = 12 };
    const sp_link *l = t->link;
    double outside, size = t->size, length = sp__norm3(l->def.axis);
    memcpy(p, l->def.point, 3 * sizeof *p);
    if (!carried(t, carrier, p, &outside))
        return SP_FAIL(t->ctx, SP_BAD_INPUT, "link '%s': the point of the hinge is %g m outside of a body, must be within %g m",
                       l->name, outside, l->within);
    for (int k = 0; k < 2 * HALVINGS; k++) {
        sp__axpy3(p, (k % 2 ? -size : size) / length, l->def.axis, q);
        if (carried(t, carrier, q, &outside)) return SP_OK;
        if (k % 2) size *= 0.5;
    }
    return SP_FAIL(t->ctx, SP_BAD_INPUT, "link '%s': the axis of the hinge leaves a body at its point", l->name);
}

static sp_status make_hinge(tie_builder *t) {
    sp_carrier *carrier[2];
    double x[2][3], distance;
    sp_tie *tie = NULL;
    sp_status status = joint_carriers(t, carrier);
    if (status >= 0) status = hinge_points(t, carrier, x[0], x[1]);
    if (status >= 0) status = tie_add(t, SP_TIE_HINGE, &tie);
    for (int p = 0; p < 2; p++)
        for (int s = 0; s < 2 && status >= 0; s++) {
            sp_anchor at;
            sp__carrier_find(carrier[s], x[p], &at, &distance);
            status = part_add(t, tie, p, s, &at, 1);
        }
    if (tie) tie->share = 1;
    joint_done(carrier);
    return status;
}

// ---------------------------------------------------------------------------------------------------- slides

// The points of the first side; of a whole rigid body the given point.
static sp_status slide_points(tie_builder *t, side_points *out) {
    const sp_link *l = t->link;
    sp_body *a = l->side[0].body;
    if (!is_whole_rigid(&l->side[0])) return points_of(t, 0, out);
    *out = (side_points){0};
    if (!l->def.has_point)
        return SP_FAIL(t->ctx, SP_BAD_INPUT, "link '%s': a rigid body that slides needs the point of it that does", l->name);
    if (!SP_NEW(t->ctx, out->anchor, 1) || !SP_NEW(t->ctx, out->x, 3)) return ties_no_memory(t);
    memcpy(out->x, l->def.point, sizeof l->def.point);
    a->ops->locate(a, SP_COMMITTED, out->x, out->anchor);
    out->count = 1;
    return SP_OK;
}

// Distance of a point from the given line or plane; 0 where none is given.
static double guide_distance(const sp_link *l, const double x[3]) {
    double d[3], e[3];
    if (!l->def.has_point) return 0;
    const double length = sp__norm3(l->def.axis);
    for (int k = 0; k < 3; k++) d[k] = x[k] - l->def.point[k], e[k] = l->def.axis[k] / length;
    const double along = sp__dot3(d, e);
    if (l->def.guide == SP_GUIDE_PLANE) return fabs(along);
    sp__axpy3(d, -along, e, d);
    return sp__norm3(d);
}

static void slide_base(tie_builder *t, const double x[3]) {
    const sp_link *l = t->link;
    sp_body *b = l->side[1].body;
    double e[3], across[3], p[3];
    const double length = sp__norm3(l->def.axis), size = t->size;
    for (int k = 0; k < 3; k++) e[k] = l->def.axis[k] / length;
    const int least = fabs(e[0]) <= fabs(e[1]) && fabs(e[0]) <= fabs(e[2]) ? 0 : fabs(e[1]) <= fabs(e[2]) ? 1 : 2;
    for (int k = 0; k < 3; k++) across[k] = (k == least) - e[least] * e[k];
    b->ops->locate(b, SP_COMMITTED, x, &t->out.base[0]);
    sp__axpy3(x, size, e, p);
    b->ops->locate(b, SP_COMMITTED, p, &t->out.base[1]);
    sp__axpy3(x, size, across, p);
    b->ops->locate(b, SP_COMMITTED, p, &t->out.base[2]);
}

static sp_status slide_straight(tie_builder *t, const side_points *from) {
    const sp_link *l = t->link;
    sp_body *b = l->side[1].body;
    if (!sp__carries_frame(b))
        return SP_FAIL(t->ctx, SP_BAD_INPUT, "link '%s': '%s' has no straight lines and planes, must be a rigid body%s", l->name,
                       b->name, sp__carries_line(b) ? "; points slide on the centreline of a rod" : "");
    if (from->count) slide_base(t, from->x);
    for (int i = 0; i < from->count; i++) {
        const double *x = from->x + 3 * (size_t)i, distance = guide_distance(l, x);
        sp_anchor at;
        sp_tie *tie;
        if (distance > l->within) {
            t->nearest = fmin(t->nearest, distance);
            continue;
        }
        SP_TRY(tie_add(t, l->def.guide == SP_GUIDE_PLANE ? SP_TIE_PLANE : SP_TIE_LINE, &tie));
        b->ops->locate(b, SP_COMMITTED, x, &at);
        SP_TRY(part_add(t, tie, 0, 0, &from->anchor[i], 1));
        SP_TRY(part_add(t, tie, 0, 1, &at, 1));
        tie->guide = at;
    }
    return SP_OK;
}

static sp_status slide_curved(tie_builder *t, const side_points *from, const sp_carrier *carrier) {
    const sp_link *l = t->link;
    for (int i = 0; i < from->count; i++) {
        double distance;
        sp_anchor at;
        sp_tie *tie;
        sp__carrier_find(carrier, from->x + 3 * (size_t)i, &at, &distance);
        if (!(distance <= l->within)) {
            t->nearest = fmin(t->nearest, distance);
            continue;
        }
        SP_TRY(tie_add(t, SP_TIE_CURVE, &tie));
        SP_TRY(part_add(t, tie, 0, 0, &from->anchor[i], 1));
        SP_TRY(part_add(t, tie, 0, 1, &at, 1));
        memset(at.offset, 0, sizeof at.offset);
        tie->guide = at;
        sp__carrier_strand(carrier, (int)at.elem, tie->strand);
    }
    return SP_OK;
}

static sp_status make_slide(tie_builder *t) {
    const sp_link *l = t->link;
    sp_carrier *carrier = NULL;
    side_points from;
    sp_status status = slide_points(t, &from);
    if (status < 0) {
        points_free(t->ctx, &from);
        return status;
    }
    if (l->def.guide != SP_GUIDE_CENTRELINE) {
        status = slide_straight(t, &from);
    } else if (!sp__carries_line(l->side[1].body)) {
        status = SP_FAIL(t->ctx, SP_BAD_INPUT, "link '%s': '%s' has no centreline to slide on, must be a rod", l->name,
                         l->side[1].body->name);
    } else {
        status = sp__carrier_create(t->ctx, &l->side[1], &carrier);
        if (status >= 0) status = slide_curved(t, &from, carrier);
    }
    sp__carrier_destroy(&carrier);
    points_free(t->ctx, &from);
    return status;
}

// ---------------------------------------------------------------------------------------------------- all

static sp_status make_weld(tie_builder *t) {
    if (has_point_pairs(t->link)) return tie_point_pairs(t);
    if (is_whole_rigid(&t->link->side[0]) && is_whole_rigid(&t->link->side[1])) return weld_rigid(t);
    SP_TRY(weld_faces(t));
    return t->out.tie_count ? SP_OK : weld_points(t);
}

static void finish_ties(tie_builder *t) {
    sp_link *l = t->link;
    const sp_ties kept = l->now;
    double sum = 0;
    l->now = t->out;
    for (int i = 0; i < l->now.tie_count; i++) {
        sp_tie *k = &l->now.ties[i];
        double frame[9], rest[SP_CONE_ROWS_MAX];
        sum += k->share;
        if (k->type != SP_TIE_FRAME && k->type != SP_TIE_HINGE) continue;
        sp__tie_frame(l, k, SP_COMMITTED, frame);
        sp__tie_violation(l, k, &k->guide, frame, SP_COMMITTED, rest);
        memcpy(k->rest, rest, sizeof rest);
    }
    for (int i = 0; i < l->now.tie_count && sum > 0; i++) l->now.ties[i].share /= sum;
    l->now = kept;
}

// Marks the nodes of the element of a point that carry it.
static void mark_part(const sp_body *b, const sp_anchor *a, const int *corners, unsigned char *tied) {
    const int each = b->ops->nodes_per_element;
    double w[4] = {1 - a->at[0], a->at[0]};
    if (each == 4) sp__anchor_weights(a, w);
    for (int k = 0; k < each; k++)
        if (w[k] != 0) tied[corners[a->elem * (uint32_t)each + (uint32_t)k]] = 1;
}

sp_status sp__ties_mark(sp_context *ctx, const sp_link *l, sp_ties *ties) {
    for (int s = 0; s < 2; s++) {
        sp_body *b = l->side[s].body;
        int *corners = NULL;
        if (sp__carries_frame(b)) continue;
        if (!SP_NEW(ctx, ties->tied[s], (size_t)b->nodes + 1) ||
            !SP_NEW(ctx, corners, (size_t)b->elements * (size_t)b->ops->nodes_per_element + 1))
            return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for the link '%s'", l->name);
        b->ops->element_nodes(b, corners);
        ties->marked[s][0] = b->nodes, ties->marked[s][1] = b->elements;
        for (int i = 0; i < ties->tie_count; i++)
            for (int p = 0; p < SP_TIE_POINTS; p++)
                for (int k = 0; k < ties->ties[i].count[p][s]; k++)
                    mark_part(b, &ties->anchor[ties->ties[i].first[p][s] + k], corners, ties->tied[s]);
        if (b->surface_count > 1 || sp__carries_line(b))
            ties->corners[s] = corners;
        else
            sp__free(ctx, corners);
    }
    return SP_OK;
}

sp_status sp__ties_make(sp_context *ctx, sp_link *link, sp_ties *out) {
    tie_builder t = {.ctx = ctx, .link = link, .nearest = INFINITY};
    *out = (sp_ties){0};
    sp_status status = find_sizes(&t);
    if (status >= 0)
        status = link->def.type == SP_LINK_HINGE   ? make_hinge(&t)
                 : link->def.type == SP_LINK_SLIDE ? make_slide(&t)
                                                   : make_weld(&t);
    if (status >= 0 && t.out.tie_count == 0) status = nothing_near(&t);
    if (status >= 0) status = sp__ties_mark(ctx, link, &t.out);
    if (status < 0) {
        sp__ties_free(ctx, &t.out);
        return status;
    }
    finish_ties(&t);
    *out = t.out;
    return SP_OK;
}
