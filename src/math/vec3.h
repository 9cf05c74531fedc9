// Vectors of 3, matrices of 3x3 (row-major, m[3*i+j]) and unit quaternions (w x y z) on plain arrays. Outputs come last and may
// be an input only where said.
#ifndef SP_VEC3_H
#define SP_VEC3_H

#include <math.h>

// The one pi of the tree: C17 has none.
#define SP_PI 3.14159265358979323846

// With the checks of UndefinedBehaviorSanitizer these few operations would not be inlined. They have nothing to check: numbers of
// a fixed count, whose addresses AddressSanitizer checks.
#if defined(__clang__)
#define SP_VEC3 static inline __attribute__((no_sanitize("undefined")))
#else
#define SP_VEC3 static inline
#endif

SP_VEC3 double sp__dot3(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

SP_VEC3 double sp__norm3(const double *a) {
    return sqrt(sp__dot3(a, a));
}

SP_VEC3 void sp__cross3(const double *a, const double *b, double *out) {
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    out[0] = x, out[1] = y, out[2] = z;
}

SP_VEC3 void sp__sub3(const double *a, const double *b, double *out) {
    for (int i = 0; i < 3; i++) out[i] = a[i] - b[i];
}

// out = a + s b; out may be a or b
SP_VEC3 void sp__axpy3(const double *a, double s, const double *b, double *out) {
    for (int i = 0; i < 3; i++) out[i] = a[i] + s * b[i];
}

static inline double sp__det3(const double *m) {
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

// out = m^-1, returns the determinant; out is unspecified where that is 0
static inline double sp__inverse3(const double *m, double *out) {
    double det = sp__det3(m), s = 1.0 / det;
    double c[9] = {m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
                   m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
                   m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
    for (int i = 0; i < 9; i++) out[i] = c[i] * s;
    return det;
}

// Barycentric weights of p with respect to a tetrahedron, by Cramer's rule: p = sum of w[i] x[i]. Returns its determinant (six
// times the signed volume); the weights are not finite where that is 0.
static inline double sp__tet_weights(const double *const x[4], const double *p, double w[4]) {
    double e[9], d[3], c[3];
    for (int k = 0; k < 3; k++) sp__sub3(x[k + 1], x[0], e + 3 * k);
    sp__sub3(p, x[0], d);
    double det = sp__det3(e);
    for (int k = 0; k < 3; k++) {
        sp__cross3(e + 3 * ((k + 1) % 3), e + 3 * ((k + 2) % 3), c);
        w[k + 1] = sp__dot3(d, c) / det;
    }
    w[0] = 1 - w[1] - w[2] - w[3];
    return det;
}

// The same of the projection of p onto the plane of a triangle, with w[3] = 0: of a flat cell. Returns the square of twice its
// area; the weights are not finite where that is 0.
static inline double sp__triangle_weights(const double *a, const double *b, const double *c, const double *p, double w[4]) {
    double u[3], v[3], d[3], n[3], m[3];
    sp__sub3(b, a, u), sp__sub3(c, a, v), sp__sub3(p, a, d);
    sp__cross3(u, v, n);
    double square = sp__dot3(n, n);
    sp__cross3(d, v, m), w[1] = sp__dot3(m, n) / square;
    sp__cross3(u, d, m), w[2] = sp__dot3(m, n) / square;
    w[3] = 0, w[0] = 1 - w[1] - w[2];
    return square;
}

// out = a b
static inline void sp__mul33(const double *a, const double *b, double *out) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

// out = m x
static inline void sp__mul3(const double *m, const double *x, double *out) {
    for (int i = 0; i < 3; i++) out[i] = sp__dot3(m + 3 * i, x);
}

// out = m^T x
static inline void sp__mul3t(const double *m, const double *x, double *out) {
    for (int j = 0; j < 3; j++) out[j] = m[j] * x[0] + m[3 + j] * x[1] + m[6 + j] * x[2];
}

// rotation matrix of a unit quaternion
static inline void sp__quat_matrix(const double *q, double *m) {
    double w = q[0], x = q[1], y = q[2], z = q[3];
    m[0] = 1 - 2 * (y * y + z * z), m[1] = 2 * (x * y - w * z), m[2] = 2 * (x * z + w * y);
    m[3] = 2 * (x * y + w * z), m[4] = 1 - 2 * (x * x + z * z), m[5] = 2 * (y * z - w * x);
    m[6] = 2 * (x * z - w * y), m[7] = 2 * (y * z + w * x), m[8] = 1 - 2 * (x * x + y * y);
}

// unit quaternion of a rotation matrix, from the largest of its four squares (Shepperd 1978)
static inline void sp__quat_of_matrix(const double R[9], double q[4]) {
    double trace = R[0] + R[4] + R[8], square[4] = {trace, R[0], R[4], R[8]}, side[3] = {R[7] - R[5], R[2] - R[6], R[3] - R[1]};
    int most = 0;
    for (int i = 1; i < 4; i++)
        if (square[i] > square[most]) most = i;
    for (int i = 0; i < 3 && most == 0; i++) q[1 + i] = side[i];
    for (int i = 0; i < 3 && most > 0; i++) q[1 + i] = R[3 * (most - 1) + i] + R[3 * i + most - 1];
    q[0] = most ? side[most - 1] : 1 + trace;
    if (most) q[most] = 1 + 2 * square[most] - trace;
    double length = sqrt(q[0] * q[0] + sp__dot3(q + 1, q + 1));
    for (int i = 0; i < 4; i++) q[i] /= length;
}

// out = a b (first b, then a); out may be neither
static inline void sp__quat_mul(const double *a, const double *b, double *out) {
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

// turn by `angle` [rad] about `axis` (any length but 0)
static inline void sp__quat_axis(const double *axis, double angle, double *out) {
    double s = sin(0.5 * angle) / sp__norm3(axis);
    out[0] = cos(0.5 * angle), out[1] = s * axis[0], out[2] = s * axis[1], out[3] = s * axis[2];
}

#endif
