// Continuous detection: the first time between the two states when a vertex and an item, or two edges, come within a distance,
// while all vertices move on straight lines. Conservative advancement in its additive form (Mirtich 1996; Li, Kaufman and Jiang
// 2021, "Codimensional incremental potential contact", section 5): from a distance d nothing can touch before both have moved by
// d together, so that much of the motion is made at once, and the distance is computed again. No root of a polynomial is
// searched, and none is missed: rounding of distances is many orders of magnitude below the distance at which the search ends.
#include "collide/collide_internal.h"
#include "mesh/tree.h"

enum { STEPS = 64 };  // then the time reached is that of the contact, which is too early

typedef struct advance_part {
    double x[2][3][3];  // corners at the two states
    int count;
} advance_part;

static void part_take(const sp_collider *c, const uint32_t *vertex, int count, advance_part *p) {
    p->count = count;
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < count; i++) memcpy(p->x[s][i], c->x[s] + 3 * (size_t)vertex[i], sizeof p->x[s][i]);
}

// The motion that both have in common changes no distance: the mean of all corners is taken away. Returns the length that the
// distance can change by: the farthest way of a corner of each, together.
static double parts_approach(advance_part *a, advance_part *b) {
    double mean[3] = {0}, far[2] = {0}, d[3];
    advance_part *part[2] = {a, b};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < part[k]->count; i++) {
            sp__sub3(part[k]->x[1][i], part[k]->x[0][i], d);
            sp__axpy3(mean, 1.0 / (a->count + b->count), d, mean);
        }
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < part[k]->count; i++) {
            sp__axpy3(part[k]->x[1][i], -1, mean, part[k]->x[1][i]);
            sp__sub3(part[k]->x[1][i], part[k]->x[0][i], d);
            far[k] = fmax(far[k], sp__norm3(d));
        }
    return far[0] + far[1];
}

static void part_at(const advance_part *p, double t, double x[3][3]) {
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < 3; k++) x[i][k] = (1 - t) * p->x[0][i][k] + t * p->x[1][i][k];
}

// ---------------------------------------------------------------------------------------------------- distances

static double clamp01(double t) {
    return t < 0 ? 0 : t > 1 ? 1 : t;
}

static double point_segment(const double p[3], const double a[3], const double b[3]) {
    double e[3], d[3];
    sp__sub3(b, a, e), sp__sub3(p, a, d);
    double square = sp__dot3(e, e);
    sp__axpy3(d, square > 0 ? -clamp01(sp__dot3(d, e) / square) : 0, e, d);
    return sp__norm3(d);
}

static double point_item(double p[3][3], double x[3][3], int corners) {
    double w[3], d[3];
    if (corners == 2) return point_segment(p[0], x[0], x[1]);
    if (corners == 3) return sqrt(fmax(sp__nearest_on_triangle(x[0], x[1], x[2], p[0], w), 0));
    sp__sub3(p[0], x[0], d);
    return sp__norm3(d);
}

// Nearest points of two segments (Ericson 2005, 5.1.9); parallel ones have the distance of an end.
static double segments_apart(double p[3][3], double q[3][3]) {
    double u[3], v[3], r[3], d[3], best = INFINITY;
    sp__sub3(p[1], p[0], u), sp__sub3(q[1], q[0], v), sp__sub3(p[0], q[0], r);
    double uu = sp__dot3(u, u), vv = sp__dot3(v, v), uv = sp__dot3(u, v), ur = sp__dot3(u, r), vr = sp__dot3(v, r);
    double det = uu * vv - uv * uv;
    if (det > 1e-14 * uu * vv) {
        double s = (uv * vr - vv * ur) / det, t = (uu * vr - uv * ur) / det;
        if (s >= 0 && s <= 1 && t >= 0 && t <= 1) {
            for (int k = 0; k < 3; k++) d[k] = r[k] + s * u[k] - t * v[k];
            best = sp__norm3(d);
        }
    }
    for (int i = 0; i < 2; i++) best = fmin(best, fmin(point_segment(p[i], q[0], q[1]), point_segment(q[i], p[0], p[1])));
    return best;
}

// ---------------------------------------------------------------------------------------------------- advancement

// touch: distance, beyond the radii, at which the two touch
static double advance(advance_part *a, advance_part *b, double radii, double touch, double before) {
    const double approach = parts_approach(a, b);
    double t = 0, x[3][3], y[3][3];
    for (int step = 0;; step++) {
        part_at(a, t, x), part_at(b, t, y);
        const double free = (a->count == 1 ? point_item(x, y, b->count) : segments_apart(x, y)) - radii;
        if (!(free > touch) || step == STEPS) return t;
        // half of the touching distance is kept, so that each step advances
        t += (free - 0.5 * touch) / approach;
        if (!(t < before)) return INFINITY;
    }
}

static double largest_radius(const sp_collider *c, const uint32_t *vertex, int count) {
    double r = 0;
    for (int i = 0; i < count; i++) r = fmax(r, sp__collider_radius(c, vertex[i]));
    return r;
}

double sp__advance_vertex(const sp_collider *c, uint32_t vertex, const sp_collider *other, uint32_t item, double touch,
                          double before) {
    const uint32_t *corner = sp__collider_item(other, item);
    advance_part p, q;
    part_take(c, &vertex, 1, &p), part_take(other, corner, other->corners, &q);
    const double radii = sp__collider_radius(c, vertex) + largest_radius(other, corner, other->corners);
    return advance(&p, &q, radii, touch, before);
}

double sp__advance_edges(const sp_collider *a, uint32_t edge_a, const sp_collider *b, uint32_t edge_b, double touch) {
    const uint32_t *p_ends = sp__collider_edge(a, edge_a), *q_ends = sp__collider_edge(b, edge_b);
    advance_part p, q;
    part_take(a, p_ends, 2, &p), part_take(b, q_ends, 2, &q);
    return advance(&p, &q, largest_radius(a, p_ends, 2) + largest_radius(b, q_ends, 2), touch, 1);
}
