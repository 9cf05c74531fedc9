// Narrow phase of two edges. They make a contact where they cross: the nearest points of their lines are inside both, and the
// distance is a local minimum on both colliders. Parallel edges have no crossing; there the vertices are contacts. Edges inside
// flat faces are left out between two surfaces: the vertices hold these apart, but for soft faces on sharp edges of rigid bodies,
// and for flat edges of two soft surfaces that overlap nevertheless.
//
// Pressed edges of soft surfaces are at the limits of these rules: forces make them flat, or push the end of one onto the other.
// There a contact would come and go from step to step, and the surfaces with it. A contact that carried a force in the last step
// therefore stays one at the limit.
//
// The normal is perpendicular to both edges, which is defined at zero distance too; its sign follows from the surfaces, and where
// they leave it open (segments, boundaries) from the committed state.
#include "collide/collide_internal.h"

enum { EDGE_SAMPLES = 8 };

typedef struct edge_lines {
    double p[3], q[3];  // first ends of a and b
    double u[3], v[3];  // from the first end to the second
    double r[3], w[3];  // p - q; u x v
} edge_lines;

typedef struct edge_pair {
    const sp_narrow *n;
    uint32_t edge[2];
    double limit;         // of edge_gap
    edge_lines state[2];  // at the committed and at the free state
    bool pressed;         // one of them is soft, and their contact carried a force in the last step
} edge_pair;

typedef struct edge_hit {
    double at[2];      // parameters along the edges
    double normal[3];  // unit, perpendicular to both, of either sign
    double distance;   // of a from b along the normal
    bool flat;         // a contact because the edges overlap
} edge_hit;

static const sp_collider *edge_collider(const edge_pair *e, int side) {
    return side ? e->n->b : e->n->a;
}

static void edge_ends(const edge_pair *e, int side, double t, double p[3], double d[3]) {
    const sp_collider *c = edge_collider(e, side);
    const uint32_t *ends = sp__collider_edge(c, e->edge[side]);
    sp__collider_at(c, ends[0], t, p), sp__collider_at(c, ends[1], t, d);
    sp__sub3(d, p, d);
}

static void lines_finish(edge_lines *l) {
    sp__sub3(l->p, l->q, l->r), sp__cross3(l->u, l->v, l->w);
}

static void edges_lines(const edge_pair *e, double t, edge_lines *l) {
    edge_ends(e, 0, t, l->p, l->u), edge_ends(e, 1, t, l->q, l->v);
    lines_finish(l);
}

// the same at a state
static void edges_state(edge_pair *e, int state) {
    edge_lines *l = &e->state[state];
    const uint32_t *a = sp__collider_edge(e->n->a, e->edge[0]), *b = sp__collider_edge(e->n->b, e->edge[1]);
    const double *xa = e->n->a->x[state], *xb = e->n->b->x[state];
    const double *p = xa + 3 * (size_t)a[0], *q = xb + 3 * (size_t)b[0];
    memcpy(l->p, p, sizeof l->p), memcpy(l->q, q, sizeof l->q);
    sp__sub3(xa + 3 * (size_t)a[1], p, l->u), sp__sub3(xb + 3 * (size_t)b[1], q, l->v);
    lines_finish(l);
}

// the lines at a time; those of the two states are kept
static const edge_lines *edges_lines_at(const edge_pair *e, double t, edge_lines *between) {
    if (t == 0 || t == 1) return &e->state[t == 1];
    edges_lines(e, t, between);
    return between;
}

// Nearest points of the two lines. False: parallel, of length 0, or beyond an end of an edge.
static bool edges_meet(const edge_pair *e, double t, edge_hit *h) {
    edge_lines between;
    const edge_lines *l = edges_lines_at(e, t, &between);
    double uu = sp__dot3(l->u, l->u), vv = sp__dot3(l->v, l->v), ww = sp__dot3(l->w, l->w);
    if (!(ww > SP_PARALLEL * SP_PARALLEL * uu * vv)) return false;
    double uv = sp__dot3(l->u, l->v), ur = sp__dot3(l->u, l->r), vr = sp__dot3(l->v, l->r);
    double touch = SP_TOUCH_ALARM * e->n->pair->rule.alarm, along[2] = {uv * vr - vv * ur, uu * vr - uv * ur};
    // most pairs end here, without a division
    const double beyond = e->pressed ? SP_TOUCH_EDGE * ww : 0;
    if (!(along[0] > -beyond && along[0] < ww + beyond && along[1] > -beyond && along[1] < ww + beyond)) return false;
    for (int i = 0; i < 2; i++) {
        const double near = fmin(touch / sqrt(i ? vv : uu), SP_TOUCH_EDGE), end = e->pressed ? -near : near;
        h->at[i] = along[i] / ww;
        if (!(h->at[i] > end && h->at[i] < 1 - end)) return false;
        h->at[i] = fmax(0, fmin(h->at[i], 1));
    }
    for (int k = 0; k < 3; k++) h->normal[k] = l->w[k] / sqrt(ww);
    h->distance = sp__dot3(h->normal, l->r);
    return true;
}

static void edge_touch(const edge_pair *e, int side, double at, sp_touch *f) {
    const uint32_t *ends = sp__collider_edge(edge_collider(e, side), e->edge[side]);
    *f = (sp_touch){
        .feature = SP_FEATURE_EDGE, .index = e->edge[side], .count = 2, .vertex = {ends[0], ends[1]}, .weight = {1 - at, at}};
}

static double edges_radius(const edge_pair *e, const edge_hit *h) {
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        sp_touch f;
        edge_touch(e, side, h->at[side], &f);
        sum += sp__touch_radius(edge_collider(e, side), &f);
    }
    return sum;
}

// The surface around an edge lies on one side of it along a direction, and is not flat there; or it is soft and the other is not:
// it will bend over a sharp edge of the other.
typedef struct edge_fit {
    bool least, sharp;
} edge_fit;

static bool edge_bends(const edge_pair *e, int side) {
    return (edge_collider(e, side)->def.flags & SP_COLLIDER_SOFT) && !(edge_collider(e, 1 - side)->def.flags & SP_COLLIDER_SOFT);
}

static bool edge_is_open(const sp_collider *c) {
    return c->corners < 3 || c->def.side == SP_SIDE_BOTH;
}

static bool edge_is_soft(const sp_collider *c) {
    return c->corners == 3 && (c->def.flags & SP_COLLIDER_SOFT);
}

static bool edges_are_soft(const edge_pair *e) {
    return edge_is_soft(e->n->a) && edge_is_soft(e->n->b);
}

// Flat edges of two soft surfaces make a contact where the vertices leave an overlap, and as long as it carries a force.
static bool edges_hold(const edge_pair *e, double t, double distance) {
    if (t > 0 || !edges_are_soft(e)) return false;
    const sp_pair_rule *rule = &e->n->pair->rule;
    return e->pressed || (rule->flat && distance < -SP_EDGE_ROUNDING * rule->alarm);
}

// Not flat on either side, or on a soft one that bends over a sharp edge.
static bool edges_are_sharp(const edge_pair *e, const edge_fit *a, const edge_fit *b) {
    if (e->n->a->corners < 3 || e->n->b->corners < 3) return true;
    return (a->sharp && b->sharp) || (a->sharp && edge_bends(e, 1)) || (edge_bends(e, 0) && b->sharp);
}

// How an edge fits along a direction ([0]) and against it. False: it makes no contact either way.
static bool edge_fits(const edge_pair *e, int side, double t, const double direction[3], edge_fit fit[2]) {
    const sp_collider *c = edge_collider(e, side);
    fit[0] = fit[1] = (edge_fit){true, true};
    if (c->corners < 3) return true;
    const bool bends = edge_bends(e, side), line = edge_collider(e, 1 - side)->corners < 3;
    const double tolerance = bends || (e->pressed && edge_is_soft(c)) ? SP_CONE_SOFT : SP_CONE_EDGE;
    int edge = (int)e->edge[side];
    bool boundary = c->edges.first[edge + 1] - c->edges.first[edge] < 2, any = false;
    double score[2], out[3];
    sp__edge_scores(c, e->edge[side], t, direction, score);
    for (int k = 0; k < 2; k++) {
        // the highest of all faces: their score against the opposite direction
        fit[k] = (edge_fit){score[k] >= -tolerance, boundary || -score[1 - k] > SP_CONE_EDGE};
        any |= fit[k].least && (fit[k].sharp || bends || line || edges_are_soft(e));
    }
    // flat surfaces fit on both sides within the tolerance: the other body is in front of their faces
    if (!any || !sp__feature_normal(c, SP_FEATURE_EDGE, e->edge[side], t, out)) return any;
    double front = sp__dot3(out, direction);
    fit[0].least &= !(front > 0), fit[1].least &= !(-front > 0);
    return fit[0].least || fit[1].least;
}

// Sign of the normal for which both colliders have a local minimum: 1, -1; 0: none.
static int edges_sign(const edge_pair *e, double t, edge_hit *h) {
    int good = 0;
    edge_fit fit_a[2], fit_b[2];
    const bool open = edge_is_open(e->n->a) && edge_is_open(e->n->b);
    if (!edge_fits(e, 0, t, h->normal, fit_a) || !edge_fits(e, 1, t, h->normal, fit_b)) return 0;
    for (int k = 0; k < 2; k++) {
        const int sign = k ? -1 : 1;
        const edge_fit a = fit_a[k], b = fit_b[1 - k];
        const bool sharp = edges_are_sharp(e, &a, &b);
        if (!a.least || !b.least || !(sharp || edges_hold(e, t, sign * h->distance))) continue;
        // no inside on either: only the side where they are
        if (open && sign * h->distance < 0) continue;
        if (good == 0 || sign * h->distance > 0) good = sign, h->flat = !sharp && !e->pressed;
    }
    return good;
}

static void edges_make(const edge_pair *e, const edge_hit *h, double t, int sign) {
    sp_touch a, b;
    double normal[3];
    for (int k = 0; k < 3; k++) normal[k] = sign * h->normal[k];
    edge_touch(e, 0, h->at[0], &a), edge_touch(e, 1, h->at[1], &b);
    sp_contact_made *made = sp__contact_make(e->n, &a, &b, normal, t, 0);
    if (made) made->flat = h->flat;
}

// Depth below the faces of an edge that the other edge reaches inside the wedge of these faces: the motion along one of their
// normals that frees the other edge, the least over the faces.
static double wedge_depth(const edge_pair *e, int side, double t) {
    const sp_collider *c = edge_collider(e, side);
    const int edge = (int)e->edge[side], first = c->edges.first[edge], end = c->edges.first[edge + 1];
    double root[3], along[3], p[3], d[3], normal[3], from = 0, to = 1, least = INFINITY;
    edge_ends(e, side, t, root, along), edge_ends(e, 1 - side, t, p, d);
    sp__sub3(p, root, p);
    // heights above each face along the other edge: h + s slope, s in [from, to] inside the wedge
    for (int i = first; i < end; i++) {
        if (!sp__face_normal(c, (uint32_t)c->edges.sides[i] / 3, t, normal)) continue;
        double h = sp__dot3(p, normal), slope = sp__dot3(d, normal);
        if (slope > 0) to = fmin(to, -h / slope);
        if (slope < 0) from = fmax(from, -h / slope);
    }
    if (from > to) return 0;
    for (int i = first; i < end; i++) {
        if (!sp__face_normal(c, (uint32_t)c->edges.sides[i] / 3, t, normal)) continue;
        double h = sp__dot3(p, normal), slope = sp__dot3(d, normal);
        least = fmin(least, -fmin(h + from * slope, h + to * slope));
    }
    return fmax(least, 0);
}

// Two bodies that overlap a little may have edges that are far apart and whose points are inside the other body. As with
// separating axes, the least of the motions that free the bodies counts: that along a normal of the faces, or of the edges.
static double edges_depth(const edge_pair *e, double t) {
    return fmin(wedge_depth(e, 0, t), wedge_depth(e, 1, t));
}

// Edges on the far sides of two bodies, back to back, look like those of a deep overlap. They overlap only if the point between
// them is inside both bodies. Overlaps within rounding are not tested; nor are surfaces without an inside.
static bool edges_overlap(const edge_pair *e, double t, const edge_hit *h, double distance) {
    const sp_collider *c[2] = {e->n->a, e->n->b};
    double p[2][3];
    if (e->n->pair->self) {
        sp_touch touch[2];
        for (int side = 0; side < 2; side++) edge_touch(e, side, h->at[side], &touch[side]);
        if (!sp__self_was_apart(c[0], &touch[0], &touch[1], distance, e->n->pair->rule.alarm)) return false;
    }
    for (int side = 0; side < 2; side++)
        if (c[side]->corners < 3 || c[side]->def.side != SP_SIDE_OUTSIDE) return true;
    if (-distance <= SP_EDGE_ROUNDING * e->n->pair->rule.alarm) return true;
    // more than alarm: only where no other motion is shorter
    const bool deep = -distance > e->n->pair->rule.alarm;
    if (!(-distance <= (deep ? 1 : SP_EDGE_OVERLAP) * edges_depth(e, t)) || (deep && e->n->pair->self)) return false;
    if (t > 0) return false;  // edges that begin to overlap cross between the states
    // the points of a body that touches itself are on its surface
    if (e->n->pair->self) return true;
    for (int side = 0; side < 2; side++) {
        sp_touch touch;
        edge_touch(e, side, h->at[side], &touch);
        sp__touch_at(c[side], &touch, t, p[side]);
    }
    for (int side = 0; side < 2; side++) {
        // the point is near the border of the body where a face is parallel to the normal: it is moved inwards
        double out[3], middle[3];
        if (!sp__feature_normal(c[side], SP_FEATURE_EDGE, e->edge[side], t, out)) return true;
        const double inwards = -fmin(-0.1 * distance, 0.02 * e->n->pair->rule.alarm);
        for (int k = 0; k < 3; k++) middle[k] = 0.5 * (p[0][k] + p[1][k]);
        sp__axpy3(middle, inwards / sp__norm3(out), out, middle);
        if (!sp__collider_contains(e->n->set, (int)(c[side] - e->n->set->colliders), middle)) return false;
    }
    return true;
}

// a contact at a state; false: none
static bool edges_at(const edge_pair *e, double t) {
    edge_hit h;
    if (!edges_meet(e, t, &h)) return false;
    double radius = edges_radius(e, &h);
    if (fabs(h.distance) - radius > fmax(e->n->pair->rule.alarm, e->n->pair->rule.depth)) return false;
    int sign = edges_sign(e, t, &h);
    double distance = sign * h.distance;
    if (sign == 0 || distance - radius > e->n->pair->rule.alarm || -distance > e->n->pair->rule.depth) return false;
    if (distance < 0 && !edges_overlap(e, t, &h, distance)) return false;
    edges_make(e, &h, t, sign);
    return true;
}

// ---------------------------------------------------------------------------------------------------- motion

static double edges_volume(const void *user, double t) {
    const edge_pair *e = user;
    edge_lines between;
    const edge_lines *l = edges_lines_at(e, t, &between);
    return sp__dot3(l->r, l->w) * e->limit;  // the sign makes it positive at the committed state
}

// distance of the lines at a crossing, minus alarm and radii; positive where they do not meet
static double edges_gap(const void *user, double t) {
    const edge_pair *e = user;
    edge_hit h;
    return edges_meet(e, t, &h) ? fabs(h.distance) - edges_radius(e, &h) - e->limit : 1;
}

// False: the swept boxes of the edges are apart, so that they do not touch between the states.
static bool edges_pass(const edge_pair *e) {
    for (int k = 0; k < 3; k++) {
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int s = 0; s < 2; s++) {
            const edge_lines *l = &e->state[s];
            const double end[2][2] = {{l->p[k], l->p[k] + l->u[k]}, {l->q[k], l->q[k] + l->v[k]}};
            for (int side = 0; side < 2; side++)
                for (int i = 0; i < 2; i++) {
                    low[side] = end[side][i] < low[side] ? end[side][i] : low[side];
                    high[side] = end[side][i] > high[side] ? end[side][i] : high[side];
                }
        }
        // more than the rounding errors of the time when they meet
        double most = 1e-6 * (high[0] - low[0] + high[1] - low[1]) + 1e-12 * (fabs(low[0]) + fabs(high[0]));
        if (low[0] - high[1] > most || low[1] - high[0] > most) return false;
    }
    return true;
}

// The edges pass through each other, or come near, between the states.
static bool edges_cross(edge_pair *e) {
    edge_hit h;
    e->limit = 1;
    double volume = edges_volume(e, 0), t = INFINITY, p[3], q[3];
    e->limit = volume > 0 ? 1 : -1;
    if (edges_volume(e, 1) < 0 && edges_pass(e)) t = sp__first_time(edges_volume, e, 1);
    e->limit = e->n->pair->rule.alarm;
    if (t > 1 && e->n->a->radius + e->n->b->radius > 0 && edges_gap(e, 0) > 0) t = sp__first_time(edges_gap, e, EDGE_SAMPLES);
    if (t > 1 || !edges_meet(e, t, &h)) return false;
    // the side where they were at the committed state
    sp_touch a, b;
    edge_touch(e, 0, h.at[0], &a), edge_touch(e, 1, h.at[1], &b);
    sp__touch_at(e->n->a, &a, 0, p), sp__touch_at(e->n->b, &b, 0, q);
    sp__sub3(p, q, p);
    h.distance = sp__dot3(p, h.normal);
    int sign = edges_sign(e, t, &h);
    if (sign == 0 || sign * h.distance < 0) return false;
    edges_make(e, &h, t, sign);
    return true;
}

// Continuous: the edges come near each other between the states, on the side where they are then.
static bool edges_sweep(const edge_pair *e) {
    edge_hit h;
    const double t = sp__advance_edges(e->n->a, e->edge[0], e->n->b, e->edge[1], SP_TOUCH_SWEPT * e->n->pair->rule.alarm);
    if (!(t < 1) || !edges_meet(e, t, &h)) return false;
    int sign = edges_sign(e, t, &h);
    if (sign == 0 || sign * h.distance < 0) return false;
    edges_make(e, &h, t, sign);
    return true;
}

static bool edges_were_pressed(const edge_pair *e) {
    const sp_collide_options *o = e->n->options;
    const sp_collider *a = e->n->a, *b = e->n->b;
    const uint64_t key[2] = {sp__contact_key(a->def.id, SP_FEATURE_EDGE, e->edge[0]),
                             sp__contact_key(b->def.id, SP_FEATURE_EDGE, e->edge[1])};
    return o->pressed && a->corners == 3 && b->corners == 3 && (edge_is_soft(a) || edge_is_soft(b)) && o->pressed(o->user, key);
}

void sp__narrow_edges(const sp_narrow *n, uint32_t edge_a, uint32_t edge_b) {
    edge_pair e;
    e.n = n, e.edge[0] = edge_a, e.edge[1] = edge_b;
    e.pressed = edges_were_pressed(&e);
    for (int state = 0; state < (n->moves ? 2 : 1); state++) edges_state(&e, state);
    if (edges_at(&e, 0) || !n->moves) return;
    if ((n->pair->rule.continuous && edges_sweep(&e)) || edges_cross(&e)) return;
    edges_at(&e, 1);
}

// ---------------------------------------------------------------------------------------------------- candidates

typedef double edge_vec[3][2];  // coordinates; the lanes are the two states

static void lanes_dot(edge_vec a, edge_vec b, double out[2]) {
    for (int s = 0; s < 2; s++) out[s] = a[0][s] * b[0][s] + a[1][s] * b[1][s] + a[2][s] * b[2][s];
}

static void lanes_cross(edge_vec a, edge_vec b, edge_vec out) {
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        for (int s = 0; s < 2; s++) out[k][s] = a[i][s] * b[j][s] - a[j][s] * b[i][s];
    }
}

bool sp__edges_never_meet(const sp_collider *a, uint32_t edge_a, const sp_collider *b, uint32_t edge_b) {
    const uint32_t *end_a = sp__collider_edge(a, edge_a), *end_b = sp__collider_edge(b, edge_b);
    // pressed edges may meet a little beyond an end
    const double beyond = (a->def.flags | b->def.flags) & SP_COLLIDER_SOFT ? SP_TOUCH_EDGE : 0;
    edge_vec u, v, r, w;
    double uu[2], vv[2], ww[2], uv[2], ur[2], vr[2], volume[2];
    bool inside = false;
    for (int s = 0; s < 2; s++) {
        const double *xa = a->x[s], *xb = b->x[s], *p = xa + 3 * (size_t)end_a[0], *q = xb + 3 * (size_t)end_b[0];
        const double *to_p = xa + 3 * (size_t)end_a[1], *to_q = xb + 3 * (size_t)end_b[1];
        for (int k = 0; k < 3; k++) u[k][s] = to_p[k] - p[k], v[k][s] = to_q[k] - q[k], r[k][s] = p[k] - q[k];
    }
    lanes_cross(u, v, w);
    lanes_dot(u, u, uu), lanes_dot(v, v, vv), lanes_dot(w, w, ww), lanes_dot(r, w, volume);
    lanes_dot(u, v, uv), lanes_dot(u, r, ur), lanes_dot(v, r, vr);
    for (int s = 0; s < 2; s++) {
        const double along[2] = {uv[s] * vr[s] - vv[s] * ur[s], uu[s] * vr[s] - uv[s] * ur[s]};  // as in edges_meet
        const double low = -beyond * ww[s], high = (1 + beyond) * ww[s];
        inside |= (along[0] > low) & (along[0] < high) & (along[1] > low) & (along[1] < high);
    }
    return !inside && (volume[0] > 0 ? volume[1] >= 0 : volume[1] <= 0);
}
