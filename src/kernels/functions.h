// Elementary functions on lanes, by the C library lane by lane or the built-in functions of OpenCL, and combinations of them that
// keep their digits near zero.
#ifndef SP_FUNCTIONS_H
#define SP_FUNCTIONS_H

#include "kernels/lane.h"

#if SP_LANES == 1
#define SP_LANE_FUNCTION(name)                    \
    SP_POINTWISE sp_lane lane_##name(sp_lane x) { \
        return SP_FUNCTION(name)(x);              \
    }
#else
#define SP_LANE_FUNCTION(name)                                             \
    SP_POINTWISE sp_lane lane_##name(sp_lane x) {                          \
        for (int i = 0; i < SP_LANES; i++) x[i] = SP_FUNCTION(name)(x[i]); \
        return x;                                                          \
    }
#endif
SP_LANE_FUNCTION(exp)
SP_LANE_FUNCTION(expm1)
SP_LANE_FUNCTION(log1p)
SP_LANE_FUNCTION(sinh)

// x - ln(1 + x), of the order of x^2: with r = x / (2 + x) it is x r - 2 (r^3 / 3 + r^5 / 5 + ...), as ln(1 + x) = 2 artanh r.
// The series serves |x| < 0.3, |r| < 0.18, where its first omitted term is below rounding
SP_POINTWISE sp_lane lane_log1p_rest(sp_lane x) {
    sp_mask small = lane_abs(x) < SP_REAL(0.3);
    sp_lane near = SP_SELECT(small, x, lane_all(0)), r = near / (2 + near), rr = r * r, sum = lane_all(0);
    for (int k = 23; k > 1; k -= 2) sum = sum * rr + SP_REAL(1.0) / k;
    return SP_SELECT(small, near * r - 2 * rr * r * sum, x - lane_log1p(x));
}

// exp(x) - 1 - x, of the order of x^2: the series serves |x| < 0.5
SP_POINTWISE sp_lane lane_exp_rest(sp_lane x) {
    sp_mask small = lane_abs(x) < SP_REAL(0.5);
    sp_lane near = SP_SELECT(small, x, lane_all(0)), sum = lane_all(1);
    for (int k = 15; k > 2; k--) sum = 1 + sum * near / (sp_real)k;
    return SP_SELECT(small, SP_REAL(0.5) * near * near * sum, lane_expm1(x) - x);
}

// sinh(x) / x
SP_POINTWISE sp_lane lane_sinhc(sp_lane x) {
    sp_mask zero = lane_abs(x) < SP_PRECISION(1e-150, 1e-15);
    sp_lane safe = SP_SELECT(zero, lane_all(1), x);
    return SP_SELECT(zero, lane_all(1), lane_sinh(safe) / safe);
}

#endif
