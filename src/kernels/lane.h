// Lanes: one variable holds the value of SP_LANES elements. The including file sets SP_LANES to 1 (a plain number) or 4 (a vector
// type of the compiler, mapped to the registers of the target). Pointwise kernels are written once on lanes, without branches:
// SP_SELECT selects per lane; lane_any is only used to leave a loop when every lane has converged.
//
// The same source is C and OpenCL C 1.2 (SP_LANES 1), in double or, where SP_REAL_FLOAT is defined, in float. What keeps it so:
//   - no header, storage or function of the host: what a kernel needs of the language is here and in functions.h;
//   - no literal of type double, which would make an expression of floats one of doubles: whole numbers are written as integers,
//     others SP_REAL(0.2), quotients SP_RATIO(2, 3);
//   - a threshold that depends on the precision is SP_PRECISION(of double, of float);
//   - tables are SP_TABLE; pointers point to private memory.
// tests/unit/kernels_*.c compile and compare all variants.
#ifndef SP_LANE_H
#define SP_LANE_H

#if defined __OPENCL_C_VERSION__ || defined __OPENCL_VERSION__
#define SP_OPENCL_C
#endif

#ifdef SP_OPENCL_C
#ifndef SP_REAL_FLOAT
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define SP_TABLE __constant
#else
#include <math.h>
#include <stdint.h>
#define SP_TABLE static const
#endif

#define SP_POINTWISE static inline __attribute__((always_inline))

#ifdef SP_REAL_FLOAT
typedef float sp_real;
#define SP_REAL(x) x##f
#define SP_PRECISION(of_double, of_float) of_float##f
#else
typedef double sp_real;
#define SP_REAL(x) x
#define SP_PRECISION(of_double, of_float) of_double
#endif
#define SP_RATIO(a, b) (SP_REAL(a##.0) / SP_REAL(b##.0))

// an elementary function of one number: OpenCL has one name for all types
#if defined SP_REAL_FLOAT && !defined SP_OPENCL_C
#define SP_FUNCTION(name) name##f
#else
#define SP_FUNCTION(name) name
#endif

#if SP_LANES == 1

typedef sp_real sp_lane;
typedef int sp_mask;
#define SP_SELECT(mask, a, b) ((mask) ? (a) : (b))

SP_POINTWISE sp_lane lane_all(sp_real a) {
    return a;
}
SP_POINTWISE sp_lane lane_sqrt(sp_lane a) {
    return SP_FUNCTION(sqrt)(a);
}
SP_POINTWISE sp_lane lane_abs(sp_lane a) {
    return SP_FUNCTION(fabs)(a);
}
SP_POINTWISE sp_real lane_sum(sp_lane a) {
    return a;
}
SP_POINTWISE int lane_any(sp_mask m) {
    return m;
}
SP_POINTWISE sp_lane lane_load(const sp_real *p) {
    return *p;
}
SP_POINTWISE void lane_store(sp_real *p, sp_lane a) {
    *p = a;
}

#else

#ifdef SP_REAL_FLOAT
typedef int32_t sp_mask_bits;
#define SP_MASK_MAX INT32_MAX
#else
typedef int64_t sp_mask_bits;
#define SP_MASK_MAX INT64_MAX
#endif
typedef sp_real sp_lane __attribute__((vector_size(sizeof(sp_real) * SP_LANES)));
typedef sp_mask_bits sp_mask __attribute__((vector_size(sizeof(sp_real) * SP_LANES)));
#define SP_SELECT(mask, a, b) lane_select((mask), (a), (b))

SP_POINTWISE sp_lane lane_all(sp_real a) {
    return a - (sp_lane){0};
}
SP_POINTWISE sp_lane lane_select(sp_mask m, sp_lane a, sp_lane b) {
    return (sp_lane)(((sp_mask)a & m) | ((sp_mask)b & ~m));
}
SP_POINTWISE sp_lane lane_sqrt(sp_lane a) {
    for (int i = 0; i < SP_LANES; i++) a[i] = SP_FUNCTION(sqrt)(a[i]);
    return a;
}
SP_POINTWISE sp_lane lane_abs(sp_lane a) {
    return (sp_lane)((sp_mask)a & SP_MASK_MAX);
}
SP_POINTWISE sp_real lane_sum(sp_lane a) {
    sp_real s = 0;
    for (int i = 0; i < SP_LANES; i++) s += a[i];
    return s;
}
SP_POINTWISE int lane_any(sp_mask m) {
    sp_mask_bits any = 0;
    for (int i = 0; i < SP_LANES; i++) any |= m[i];
    return any != 0;
}
SP_POINTWISE sp_lane lane_load(const sp_real *p) {
    return *(const sp_lane *)__builtin_assume_aligned(p, sizeof(sp_lane));
}
SP_POINTWISE void lane_store(sp_real *p, sp_lane a) {
    *(sp_lane *)__builtin_assume_aligned(p, sizeof(sp_lane)) = a;
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
