// Exact geometric predicates with error bounds and expansions after Shewchuk 1997, "Adaptive precision floating-point arithmetic
// and fast robust geometric predicates". An expansion is a sum of non-overlapping doubles, smallest first; its sign is the sign
// of its last term. Zero terms are dropped at once, so that short numbers (surfaces drawn on a grid) give short expansions.
#include "mesh/exact.h"

#include <math.h>

static const double EPSILON = 1.1102230246251565e-16;  // 2^-53

// a + b = *sum + *rest exactly (Knuth)
static void two_sum(double a, double b, double *sum, double *rest) {
    *sum = a + b;
    double bb = *sum - a;
    *rest = (a - (*sum - bb)) + (b - bb);
}

// e (n terms) + b, in place (Shewchuk, figure 6); returns the number of terms
static int grow(double *e, int n, double b) {
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

static gap difference(double a, double b) {
    gap g = {0};
    double sum, rest;
    two_sum(a, -b, &sum, &rest);
    g.n = grow(g.term, g.n, rest);
    g.n = grow(g.term, g.n, sum);
    return g;
}

// out (n terms) + sign e g, term by term; returns the number of terms
static int add_product(double *out, int n, const double *e, int ne, const gap *g, double sign) {
    for (int i = 0; i < ne; i++)
        for (int j = 0; j < g->n; j++) {
            double f = sign * g->term[j], product = e[i] * f;
            n = grow(out, n, fma(e[i], f, -product));
            n = grow(out, n, product);
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
        for (int k = 0; k < 3; k++) m[i][k] = difference(rows[i][k], a[k]);
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
    gap au = difference(a[u], c[u]), av = difference(a[v], c[v]), bu = difference(b[u], c[u]), bv = difference(b[v], c[v]);
    double sum[16];
    int n = add_product(sum, 0, au.term, au.n, &bv, 1);
    n = add_product(sum, n, av.term, av.n, &bu, -1);
    return sign_of(sum, n);
}
