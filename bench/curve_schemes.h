// Standard integrators of a curve from its curvature, as references of time and accuracy for the series: Euler, Lie-Euler,
// midpoint rule and classical Runge-Kutta (Hairer, Norsett and Wanner; Hairer, Lubich and Wanner for Lie), on a unit quaternion
// for the frame and a point. The curvature is affine in arc length.
#ifndef SP_CURVE_SCHEMES_H
#define SP_CURVE_SCHEMES_H

typedef enum sp_scheme { SP_SCHEME_EULER, SP_SCHEME_LIE, SP_SCHEME_RK2, SP_SCHEME_RK4, SP_SCHEME_COUNT } sp_scheme;

const char *sp__scheme_name(sp_scheme scheme);

// w x y z of the frame (its x axis is the tangent), then the point
typedef struct sp_scheme_state {
    double q[4], r[3];
} sp_scheme_state;

// kappa = lambda[0..2] + s lambda[3..5] from s = 0 to `length` in `steps` equal steps; every `every` steps the point is stored in
// `out`, starting with the first point. Nullable: out. Euler and the Runge-Kutta schemes normalise the quaternion after each
// step.
void sp__scheme_run(sp_scheme scheme, const double lambda[6], double length, int steps, int every, sp_scheme_state *state,
                    double (*out)[3]);

#endif
