// Intersection of two triangles. Every case reduces to a segment and a triangle, decided by signs of determinants (exact.h);
// coplanar cases use the same test one dimension lower. Touching counts as intersection.
#include "mesh/intersect.h"

#include <math.h>
#include <stddef.h>

#include "mesh/exact.h"

// =================================================================================================== exact signs

// Exact geometric predicates with error bounds and expansions after Shewchuk 1997, "Adaptive precision floating-point arithmetic
// and fast robust geometric predicates". An expansion is a sum of non-overlapping doubles, smallest first; its sign is the sign
// of its last term. Zero terms are dropped at once, so that short numbers (surfaces drawn on a grid) give short expansions.

static const double EPSILON = 1.1102230246251565e-16;  // 2^-53

// a + b = *sum + *rest exactly (Knuth)
static void two_sum(double a, double b, double *sum, double *rest) {
    *sum = a + b;
    double bb = *sum - a;
    *rest = (a - (*sum - bb)) + (b - bb);
}

// e (n terms) + b, in place (Shewchuk, figure 6); returns the number of terms
static int exact_grow(double *e, int n, double b) {
    int count = 0;
    double q = b, rest;
    for (int i = 0; i < n; i++) {
        two_sum(q, e[i], &q, &rest);
        if (rest != 0) e[count++] = rest;
    }
    if (q != 0) e[count++] = q;
    return count;
}

// a - b as at most two terms
typedef struct gap {
    int n;
    double term[2];
} gap;

static gap exact_difference(double a, double b) {
    gap g = {0};
    double sum, rest;
    two_sum(a, -b, &sum, &rest);
    g.n = exact_grow(g.term, g.n, rest);
    g.n = exact_grow(g.term, g.n, sum);
    return g;
}

// out (n terms) + sign e g, term by term; returns the number of terms
static int add_product(double *out, int n, const double *e, int ne, const gap *g, double sign) {
    for (int i = 0; i < ne; i++)
        for (int j = 0; j < g->n; j++) {
            double f = sign * g->term[j], product = e[i] * f;
            n = exact_grow(out, n, fma(e[i], f, -product));
            n = exact_grow(out, n, product);
        }
    return n;
}

static int sign_of(const double *e, int n) {
    return n == 0 ? 0 : e[n - 1] > 0 ? 1 : -1;
}

// maximum number of terms: minors 2 x 2 x 2 x 2, determinant 3 x 16 x 2 x 2
static int sign_exact3(const double *a, const double *const rows[3]) {
    double minor[16], det[192];
    int n = 0;
    gap m[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) m[i][k] = exact_difference(rows[i][k], a[k]);
    for (int k = 0; k < 3; k++) {
        const gap *u = &m[1][(k + 1) % 3], *v = &m[1][(k + 2) % 3];
        int terms = add_product(minor, 0, u->term, u->n, &m[2][(k + 2) % 3], 1);
        terms = add_product(minor, terms, v->term, v->n, &m[2][(k + 1) % 3], -1);
        n = add_product(det, n, minor, terms, &m[0][k], 1);
    }
    return sign_of(det, n);
}

int sp__orient3(const double *a, const double *b, const double *c, const double *d) {
    double p[3], q[3], r[3];
    for (int k = 0; k < 3; k++) p[k] = b[k] - a[k], q[k] = c[k] - a[k], r[k] = d[k] - a[k];
    double yz = q[1] * r[2], zy = q[2] * r[1], zx = q[2] * r[0], xz = q[0] * r[2], xy = q[0] * r[1], yx = q[1] * r[0];
    double det = p[0] * (yz - zy) + p[1] * (zx - xz) + p[2] * (xy - yx);
    double most = fabs(p[0]) * (fabs(yz) + fabs(zy)) + fabs(p[1]) * (fabs(zx) + fabs(xz)) + fabs(p[2]) * (fabs(xy) + fabs(yx));
    double bound = (7 + 56 * EPSILON) * EPSILON * most;  // Shewchuk: o3derrboundA
    if (det > bound) return 1;
    if (-det > bound) return -1;
    if (most == 0) return 0;
    const double *const rows[3] = {b, c, d};
    return sign_exact3(a, rows);
}

int sp__orient2(const double *a, const double *b, const double *c, int u, int v) {
    double left = (a[u] - c[u]) * (b[v] - c[v]), right = (a[v] - c[v]) * (b[u] - c[u]);
    double det = left - right, most = fabs(left) + fabs(right),
           bound = (3 + 16 * EPSILON) * EPSILON * most;  // Shewchuk: ccwerrboundA
    if (det > bound) return 1;
    if (-det > bound) return -1;
    if (most == 0) return 0;
    gap au = exact_difference(a[u], c[u]), av = exact_difference(a[v], c[v]), bu = exact_difference(b[u], c[u]),
        bv = exact_difference(b[v], c[v]);
    double sum[16];
    int n = add_product(sum, 0, au.term, au.n, &bv, 1);
    n = add_product(sum, n, av.term, av.n, &bu, -1);
    return sign_of(sum, n);
}

// ======================================================================================== triangles and segments

typedef struct plane {
    int u, v;  // the two coordinates of the projection
    int turn;  // orientation of the projected triangle: 1 counter-clockwise, -1 clockwise; 0: the triangle has no area
} plane;

static plane intersect_project(const double *a, const double *b, const double *c) {
    plane p = {0};
    for (int k = 0; k < 3 && p.turn == 0; k++) {
        p.u = k, p.v = (k + 1) % 3;
        p.turn = sp__orient2(a, b, c, p.u, p.v);
    }
    return p;
}

// ------------------------------------------------------------------------------------------------ coplanar

// p lies on the closed segment a b; the three points are collinear
static bool intersect_within(const double *a, const double *b, const double *p, const plane *s) {
    const int axis[2] = {s->u, s->v};
    for (int i = 0; i < 2; i++) {
        int k = axis[i];
        if ((p[k] < a[k] && p[k] < b[k]) || (p[k] > a[k] && p[k] > b[k])) return false;
    }
    return true;
}

static bool segments_intersect(const double *a, const double *b, const double *c, const double *d, const plane *s) {
    int abc = sp__orient2(a, b, c, s->u, s->v), abd = sp__orient2(a, b, d, s->u, s->v);
    int cda = sp__orient2(c, d, a, s->u, s->v), cdb = sp__orient2(c, d, b, s->u, s->v);
    if (abc * abd < 0 && cda * cdb < 0) return true;
    return (abc == 0 && intersect_within(a, b, c, s)) || (abd == 0 && intersect_within(a, b, d, s)) ||
           (cda == 0 && intersect_within(c, d, a, s)) || (cdb == 0 && intersect_within(c, d, b, s));
}

static bool intersect_holds(const double *const t[3], const double *p, const plane *s) {
    for (int k = 0; k < 3; k++)
        if (sp__orient2(t[k], t[(k + 1) % 3], p, s->u, s->v) * s->turn < 0) return false;
    return true;
}

static bool flat_segment_intersects(const double *const t[3], const double *p, const double *q, const plane *s) {
    if (intersect_holds(t, p, s) || intersect_holds(t, q, s)) return true;
    for (int k = 0; k < 3; k++)
        if (segments_intersect(t[k], t[(k + 1) % 3], p, q, s)) return true;
    return false;
}

// ------------------------------------------------------------------------------------------------ general position

static bool segment_intersects(const double *const t[3], const double *p, const double *q, const plane *s) {
    int above = sp__orient3(t[0], t[1], t[2], p), below = sp__orient3(t[0], t[1], t[2], q);
    if (above * below > 0) return false;
    if (above == 0 && below == 0) return flat_segment_intersects(t, p, q, s);
    int sides[3];
    for (int k = 0; k < 3; k++) sides[k] = sp__orient3(p, q, t[k], t[(k + 1) % 3]);
    bool left = sides[0] >= 0 && sides[1] >= 0 && sides[2] >= 0, right = sides[0] <= 0 && sides[1] <= 0 && sides[2] <= 0;
    return left || right;
}

static bool intersect_disjoint(const double *const a[3], const double *const b[3], const plane *pa, const plane *pb) {
    for (int k = 0; k < 3; k++)
        if (segment_intersects(a, b[k], b[(k + 1) % 3], pa) || segment_intersects(b, a[k], a[(k + 1) % 3], pb)) return true;
    return false;
}

// a[0] == b[0], coplanar: an edge of one triangle at the common vertex lies between the edges of the other, or along one of them.
static bool wedge_holds(const double *const t[3], const double *p, const plane *s) {
    int first = sp__orient2(t[0], t[1], p, s->u, s->v) * s->turn, last = sp__orient2(t[2], t[0], p, s->u, s->v) * s->turn;
    return first >= 0 && last >= 0;
}

static bool at_vertex(const double *const a[3], const double *const b[3], const plane *pa, const plane *pb) {
    int first = sp__orient3(a[0], a[1], a[2], b[1]), second = sp__orient3(a[0], a[1], a[2], b[2]);
    if (first == 0 && second == 0)
        return wedge_holds(a, b[1], pa) || wedge_holds(a, b[2], pa) || wedge_holds(b, a[1], pb) || wedge_holds(b, a[2], pb);
    // otherwise the planes meet in a line through the common vertex, and the shorter of the two pieces on it ends on an opposite
    // edge
    return segment_intersects(a, b[1], b[2], pa) || segment_intersects(b, a[1], a[2], pb);
}

// a[0] == b[0], a[1] == b[1]: the triangles overlap if they are coplanar and on the same side of the edge
static bool at_edge(const double *const a[3], const double *const b[3], const plane *pa) {
    if (sp__orient3(a[0], a[1], a[2], b[2]) != 0) return false;
    return sp__orient2(a[0], a[1], b[2], pa->u, pa->v) == pa->turn;
}

// moves common nodes to the front of both, the rest in any order; returns the number of common nodes
static int line_up(int a[3], int b[3]) {
    int n = 0;
    for (int i = 0; i < 3; i++)
        for (int j = n; j < 3; j++) {
            if (a[i] != b[j]) continue;
            int swap = a[n];
            a[n] = a[i], a[i] = swap;
            swap = b[n];
            b[n] = b[j], b[j] = swap;
            n++;
            break;
        }
    return n;
}

bool sp__triangles_intersect(const double *x, const int a[3], const int b[3]) {
    int c[3] = {a[0], a[1], a[2]}, d[3] = {b[0], b[1], b[2]}, common = line_up(c, d);
    const double *p[3], *q[3];
    if (common == 3) return false;
    for (int k = 0; k < 3; k++) p[k] = x + 3 * (size_t)c[k], q[k] = x + 3 * (size_t)d[k];
    plane pp = intersect_project(p[0], p[1], p[2]), pq = intersect_project(q[0], q[1], q[2]);
    if (pp.turn == 0 || pq.turn == 0) return false;
    if (common == 0) return intersect_disjoint(p, q, &pp, &pq);
    return common == 1 ? at_vertex(p, q, &pp, &pq) : at_edge(p, q, &pp);
}
