// Lanes: one variable holds the value of SP_LANES elements. The including file sets SP_LANES to 1 (a plain double) or 4 (a vector
// type of the compiler, mapped to the registers of the target). Pointwise kernels are written once on lanes, without branches:
// SP_SELECT selects per lane; lane_any is only used to leave a loop when every lane has converged.
#ifndef SP_LANE_H
#define SP_LANE_H

#include <math.h>
#include <stdint.h>

#define SP_POINTWISE static inline __attribute__((always_inline))

#if SP_LANES == 1

typedef double sp_lane;
typedef int sp_mask;
#define SP_SELECT(mask, a, b) ((mask) ? (a) : (b))

SP_POINTWISE sp_lane lane_all(double a) {
    return a;
}
SP_POINTWISE sp_lane lane_sqrt(sp_lane a) {
    return sqrt(a);
}
SP_POINTWISE sp_lane lane_abs(sp_lane a) {
    return fabs(a);
}
SP_POINTWISE double lane_sum(sp_lane a) {
    return a;
}
SP_POINTWISE int lane_any(sp_mask m) {
    return m;
}
SP_POINTWISE sp_lane lane_load(const double *p) {
    return *p;
}
SP_POINTWISE void lane_store(double *p, sp_lane a) {
    *p = a;
}

#else

typedef double sp_lane __attribute__((vector_size(8 * SP_LANES)));
typedef int64_t sp_mask __attribute__((vector_size(8 * SP_LANES)));
#define SP_SELECT(mask, a, b) lane_select((mask), (a), (b))

SP_POINTWISE sp_lane lane_all(double a) {
    return a - (sp_lane){0};
}
SP_POINTWISE sp_lane lane_select(sp_mask m, sp_lane a, sp_lane b) {
    return (sp_lane)(((sp_mask)a & m) | ((sp_mask)b & ~m));
}
SP_POINTWISE sp_lane lane_sqrt(sp_lane a) {
    for (int i = 0; i < SP_LANES; i++) a[i] = sqrt(a[i]);
    return a;
}
SP_POINTWISE sp_lane lane_abs(sp_lane a) {
    return (sp_lane)((sp_mask)a & INT64_MAX);
}
SP_POINTWISE double lane_sum(sp_lane a) {
    double s = 0;
    for (int i = 0; i < SP_LANES; i++) s += a[i];
    return s;
}
SP_POINTWISE int lane_any(sp_mask m) {
    int64_t any = 0;
    for (int i = 0; i < SP_LANES; i++) any |= m[i];
    return any != 0;
}
SP_POINTWISE sp_lane lane_load(const double *p) {
    return *(const sp_lane *)__builtin_assume_aligned(p, 8 * SP_LANES);
}
SP_POINTWISE void lane_store(double *p, sp_lane a) {
    *(sp_lane *)__builtin_assume_aligned(p, 8 * SP_LANES) = a;
}

#endif

SP_POINTWISE sp_lane lane_max(sp_lane a, sp_lane b) {
    return SP_SELECT(a > b, a, b);
}

// 3-vectors and row-major 3x3 matrices of lanes
SP_POINTWISE sp_lane lane_dot(const sp_lane *a, const sp_lane *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
SP_POINTWISE void lane_cross(const sp_lane *a, const sp_lane *b, sp_lane *out) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}
// cofactor matrix, so that m^-1 = cof^T / det; returns det
SP_POINTWISE sp_lane lane_cofactor(const sp_lane *m, sp_lane *cof) {
    lane_cross(m + 3, m + 6, cof);
    lane_cross(m + 6, m, cof + 3);
    lane_cross(m, m + 3, cof + 6);
    return lane_dot(m, cof);
}

#endif
