// Rotation vectors: t represents the rotation by |t| [rad] about t. Matrices and vectors are in the axes that t is written in.
#ifndef SP_ROTATION_VECTOR_H
#define SP_ROTATION_VECTOR_H

#include "math/vec3.h"

// the cross product with t as a matrix, [t]x
static inline void sp__hat3(const double t[3], double X[9]) {
    X[0] = X[4] = X[8] = 0;
    X[1] = -t[2], X[2] = t[1], X[3] = t[2], X[5] = -t[0], X[6] = -t[1], X[7] = t[0];
}

// a 1 + b [t]x + c t t^T
static inline void sp__rotvec_combine(const double t[3], double a, double b, double c, double out[9]) {
    double X[9];
    sp__hat3(t, X);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[3 * i + j] = a * (i == j) + b * X[3 * i + j] + c * t[i] * t[j];
}

// rotation vector of a rotation matrix; the angle must be less than pi
static inline void sp__rotvec_of_matrix(const double *Q, double out[3]) {
    double w[3] = {0.5 * (Q[7] - Q[5]), 0.5 * (Q[2] - Q[6]), 0.5 * (Q[3] - Q[1])};
    double sine = sp__norm3(w), cosine = 0.5 * (Q[0] + Q[4] + Q[8] - 1), angle = atan2(sine, cosine);
    double s = sine > 1e-8 ? angle / sine : 1;
    for (int i = 0; i < 3; i++) out[i] = s * w[i];
}

// rotation vector of a unit quaternion; the angle is at most pi
static inline void sp__rotvec_of_quat(const double *q, double out[3]) {
    double sine = sp__norm3(q + 1), half = atan2(q[0] < 0 ? -sine : sine, fabs(q[0]));
    double s = sine > 1e-12 ? 2 * half / sine : q[0] < 0 ? -2 : 2;
    for (int i = 0; i < 3; i++) out[i] = s * q[1 + i];
}

// rotation vector from the orientation `from` to the orientation `to`; the angle is at most pi
static inline void sp__rotvec_between(const double *from, const double *to, double out[3]) {
    double back[4] = {from[0], -from[1], -from[2], -from[3]}, turn[4];
    sp__quat_mul(to, back, turn);
    sp__rotvec_of_quat(turn, out);
}

// rotation matrix of a rotation vector (Rodrigues)
static inline void sp__rotvec_matrix(const double t[3], double out[9]) {
    double a2 = sp__dot3(t, t), a = sqrt(a2), small = a2 < 1e-8;
    double sine = small ? 1 - a2 / 6 : sin(a) / a, half = small ? 1 : sin(0.5 * a) / (0.5 * a);
    sp__rotvec_combine(t, cos(a), sine, 0.5 * half * half, out);
}

// left Jacobian of the exponential map of SO(3): w = out dt/ds is the angular velocity where the vector changes by dt/ds
static inline void sp__rotvec_jacobian(const double t[3], double out[9]) {
    double a2 = sp__dot3(t, t), a = sqrt(a2), half = a2 < 1e-8 ? 1 : sin(0.5 * a) / (0.5 * a);
    double sine = a2 < 1e-4 ? 1 - a2 / 6 + a2 * a2 / 120 : sin(a) / a;
    double third = a2 < 1e-4 ? 1.0 / 6 - a2 / 120 : (1 - sine) / a2;
    sp__rotvec_combine(t, sine, 0.5 * half * half, third, out);
}

// its inverse, dt = out w: 1 - [t]x / 2 + (1 - t/2 cot t/2) / t2 [t]x^2
static inline void sp__rotvec_jacobian_inverse(const double t[3], double out[9]) {
    double a2 = sp__dot3(t, t), a = sqrt(a2), s = a > 1e-4 ? (1 - 0.5 * a / tan(0.5 * a)) / a2 : 1.0 / 12 + a2 / 720;
    sp__rotvec_combine(t, 1 - s * a2, -0.5, s, out);
}

// parallel transport: u rotated by the smallest rotation from unit vector a to unit vector b; out may be u
static inline void sp__transport3(const double u[3], const double a[3], const double b[3], double out[3]) {
    double axis[3], turned[3], c = sp__dot3(a, b);
    sp__cross3(a, b, axis);
    sp__cross3(axis, u, turned);
    double along = sp__dot3(axis, u) / (1 + c);
    for (int i = 0; i < 3; i++) out[i] = c * u[i] + turned[i] + axis[i] * along;
}

#endif
