// Strands: unequal sections, their frames and derivatives, load stiffness, and growth by inactive elements; against differences
// and quadrature.
#include <string.h>

#include "math/vec3.h"
#include "meter.h"
#include "rod/strand.h"
#include "test.h"
#include "unit/strand_help.h"

enum { MOST = 64, ELEMENTS = 3 };

// three different elements
static const sp_strand_element unequal[ELEMENTS] = {
    {.length = 0.3, .line_density = 1.5, .stiffness = {2, 3, 5}},
    {.length = 0.5, .line_density = 0.7, .stiffness = {0.5, 0.8, 0.4}},
    {.length = 0.2, .line_density = 2.5, .stiffness = {1, 4, 2}},
};
static const double gravity[3] = {1, -9.81, 2};

typedef struct rig {
    sp_context *ctx;
    sp_strand s;
    sp_strand_state state;
    double q[MOST], v[MOST];
} rig;

static void make_room_for(rig *k, int elements, int alive, bool affine) {
    sp_strand_element element[8];
    sp_context_def def = sp_context_def_default();
    for (int i = 0; i < 8; i++) element[i] = unequal[i % ELEMENTS];
    sp_strand_def strand = {.elements = elements, .affine = affine, .element = element, .tolerance = 1e-16};
    *k = (rig){.ctx = NULL};
    REQUIRE(sp_context_create(&def, &k->ctx) == SP_OK);
    REQUIRE(sp__strand_init(k->ctx, &strand, &k->s) == SP_OK);
    sp__strand_set(&k->s, alive, element);
    double tilt[4] = {0.8, 0.36, -0.48, 0};
    sp__quat_matrix(tilt, k->state.root.R);
    memcpy(k->state.root.r, (double[3]){0.3, -0.2, 0.5}, sizeof k->state.root.r);
    memcpy(k->state.root_velocity, (double[6]){0.5, -1, 0.7, 2, -1, 1.5}, sizeof k->state.root_velocity);
    for (int i = 0; i < MOST; i++) k->q[i] = 5 * sin(1.7 * i + 1), k->v[i] = 3 * cos(2.3 * i);
}

static void make(rig *k, bool affine) {
    make_room_for(k, ELEMENTS, ELEMENTS, affine);
}

static void drop(rig *k) {
    sp__strand_free(&k->s);
    sp_context_destroy(&k->ctx);
}

static void evaluate(rig *k) {
    k->state.q = k->q, k->state.v = k->v;
    REQUIRE(strand_evaluate(&k->s, &k->state, gravity) == SP_OK);
}

// evaluates at a distance h along one unknown; the rig itself is restored afterwards, the evaluated cache is not
static void evaluate_beside(rig *k, int unknown, double h) {
    sp_strand_state kept = k->state;
    if (unknown < 3) {
        k->state.root.r[unknown] += h;
        evaluate(k);
    } else if (unknown < 6) {
        double axis[3] = {unknown == 3, unknown == 4, unknown == 5}, quat[4], turn[9];
        sp__quat_axis(axis, h, quat);
        sp__quat_matrix(quat, turn);
        sp__mul33(turn, kept.root.R, k->state.root.R);
        evaluate(k);
    } else {
        double before = k->q[unknown - 6];
        k->q[unknown - 6] += h;
        evaluate(k);
        k->q[unknown - 6] = before;
    }
    k->state = kept;
}

static const struct {
    int element;
    double at;
} places[] = {{0, 0.1}, {0, 0.3}, {1, 0.2}, {1, 0.45}, {2, 0.05}, {2, 0.2}};
enum { PLACES = sizeof places / sizeof places[0] };

// ------------------------------------------------------------------------------------------------ frames

// the frame is that of the curve (curve.h), which is independent of strands
static void check_frames(bool affine) {
    rig k;
    make(&k, affine);
    evaluate(&k);
    for (int i = 0; i < PLACES; i++) {
        sp_curve_frame want = k.state.root, found;
        for (int e = 0; e <= places[i].element; e++) {
            double lambda[6] = {0}, l = unequal[e].length;
            for (int c = 0; c < 3; c++) {
                lambda[c] = k.q[3 * e + c];
                if (affine) lambda[3 + c] = (k.q[3 * e + 3 + c] - k.q[3 * e + c]) / l;
            }
            sp__curve_cross(&want, 1, lambda, e == places[i].element ? places[i].at : l, SP_CURVE_REACH_FINE, 1e-17);
        }
        sp__strand_frame(&k.s, places[i].element, places[i].at, &found);
        // terms up to 1e4 at the threshold of strands, here about 10
        for (int c = 0; c < 3; c++) CHECK_NEAR(found.r[c], want.r[c], 1e-14);
        for (int c = 0; c < 9; c++) CHECK_NEAR(found.R[c], want.R[c], 1e-14);
    }
    drop(&k);
}

TEST(frames_of_clothoids) {
    check_frames(true);
}

TEST(frames_of_helices) {
    check_frames(false);
}

// velocity and angular velocity along every unknown, against differences of frames
static void check_slopes(bool affine) {
    rig k;
    make(&k, affine);
    double columns[6 * MOST], h = 1e-5;
    for (int i = 0; i < PLACES; i++) {
        evaluate(&k);
        int n = sp__strand_slopes(&k.s, places[i].element, places[i].at, columns);
        CHECK_INT(n, 6 + 3 * (places[i].element + 1 + affine));
        sp_curve_frame here, side[2];
        sp__strand_frame(&k.s, places[i].element, places[i].at, &here);
        for (int d = 0; d < k.s.unknowns; d++) {
            double T[9];
            for (int e = 0; e < 2; e++) {
                evaluate_beside(&k, d, e ? h : -h);
                sp__strand_frame(&k.s, places[i].element, places[i].at, &side[e]);
            }
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++) {
                    double D[3];
                    for (int c = 0; c < 3; c++) D[c] = (side[1].R[3 * a + c] - side[0].R[3 * a + c]) / (2 * h);
                    T[3 * a + b] = sp__dot3(D, here.R + 3 * b);
                }
            double turn[3] = {T[7], T[2], T[3]};
            for (int c = 0; c < 3; c++) {
                // h2/6 of a third derivative near 1 and rounding over h
                CHECK_NEAR(d < n ? columns[6 * d + c] : 0, (side[1].r[c] - side[0].r[c]) / (2 * h), 2e-10);
                CHECK_NEAR(d < n ? columns[6 * d + 3 + c] : 0, turn[c], 2e-10);
            }
        }
    }
    drop(&k);
}

TEST(slopes_of_clothoids) {
    check_slopes(true);
}

TEST(slopes_of_helices) {
    check_slopes(false);
}

TEST(speed_is_slopes_times_velocities) {
    for (int affine = 0; affine < 2; affine++) {
        rig k;
        double columns[6 * MOST], speed[6];
        make(&k, affine);
        evaluate(&k);
        for (int i = 0; i < PLACES; i++) {
            int n = sp__strand_slopes(&k.s, places[i].element, places[i].at, columns);
            sp__strand_speed(&k.s, places[i].element, places[i].at, k.v, speed);
            for (int c = 0; c < 6; c++) {
                double sum = 0;
                for (int d = 0; d < n; d++) sum += columns[6 * d + c] * k.v[d];
                CHECK_NEAR(speed[c], sum, 1e-13);  // other order of sums near 10
            }
        }
        drop(&k);
    }
}

// ------------------------------------------------------------------------------------------------ sections

static const double gauss_x[5] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831, 0.9061798459386640};
static const double gauss_w[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                                  0.2369268850561891};

// five points on 8 parts of each element: degree 9 where it turns by at most 1 rad
TEST(mass_of_unequal_sections) {
    for (int affine = 0; affine < 2; affine++) {
        rig k;
        make(&k, affine);
        evaluate(&k);
        int n = k.s.unknowns;
        double M[MOST * MOST] = {0}, G[MOST] = {0}, columns[6 * MOST];
        for (int e = 0; e < ELEMENTS; e++)
            for (int p = 0; p < 40; p++) {
                double l = unequal[e].length / 8, at = (p / 5 + 0.5 + 0.5 * gauss_x[p % 5]) * l;
                double w = 0.5 * l * gauss_w[p % 5] * unequal[e].line_density;
                int m = sp__strand_slopes(&k.s, e, at, columns);
                for (int i = 0; i < m; i++) {
                    G[i] += w * sp__dot3(columns + 6 * i, gravity);
                    for (int j = 0; j < m; j++) M[n * i + j] += w * sp__dot3(columns + 6 * i, columns + 6 * j);
                }
            }
        for (int i = 0; i < n; i++) CHECK_NEAR(k.s.G[i], G[i], 1e-12);
        for (int i = 0; i < n * n; i++) CHECK_NEAR(k.s.M[i], M[i], 1e-13);
        drop(&k);
    }
}

TEST(stiffness_of_unequal_sections) {
    for (int affine = 0; affine < 2; affine++) {
        rig k;
        double x[MOST], zero[MOST] = {0}, y[MOST], back[MOST], A[MOST * MOST] = {0}, L[MOST * MOST] = {0};
        make(&k, affine);
        int n = 3 * k.s.controls;
        double energy = 0, own = 0, twice = 0;
        for (int i = 0; i < n; i++) x[i] = sin(i + 1);
        sp__strand_stiffness(&k.s, x, y);
        for (int i = 0; i < n; i++) twice += x[i] * y[i];
        // Simpson's rule is exact for squares of affine functions
        for (int e = 0; e < ELEMENTS; e++) {
            own += sp__strand_energy(&k.s, e, x, zero);
            for (int c = 0; c < 3; c++) {
                double a = x[3 * e + c], b = affine ? x[3 * e + 3 + c] : a, m = 0.5 * (a + b);
                energy += 0.5 * unequal[e].stiffness[c] * unequal[e].length / 6 * (a * a + 4 * m * m + b * b);
            }
        }
        CHECK_NEAR(own, energy, 1e-15 * 10);
        CHECK_NEAR(0.5 * twice, energy, 1e-15 * 10);
        strand_add_stiffness(&k.s, 2, A, n);
        sp__strand_add_lower_stiffness(&k.s, 2, L, n);
        for (int i = 0; i < n; i++) {
            double row = 0;
            for (int j = 0; j < n; j++) row += A[n * i + j] * x[j];
            CHECK_NEAR(row, 2 * y[i], 1e-14);
            for (int j = 0; j < n; j++) CHECK(j <= i || L[n * i + j] == 0);
        }
        REQUIRE(sp__strand_stiffness_solve(&k.s, y, back) == SP_OK);
        for (int i = 0; i < n; i++) CHECK_NEAR(back[i], x[i], 1e-13);
        drop(&k);
    }
}

// ------------------------------------------------------------------------------------------------ stiffness by loads

// generalised force of f at a point
static void force_at(const rig *k, int i, const double f[3], double *out) {
    double columns[6 * MOST];
    int n = sp__strand_slopes(&k->s, places[i].element, places[i].at, columns);
    for (int d = 0; d < k->s.unknowns; d++) out[d] = d < n ? sp__dot3(columns + 6 * d, f) : 0;
}

// place < 0: weight. Differences of generalised forces have an antisymmetric part for rotations of the root: half of their torque
static void check_bend(bool affine, int place, const double f[3]) {
    rig k;
    make(&k, affine);
    evaluate(&k);
    int n = k.s.unknowns;
    double H[MOST * MOST] = {0}, D[MOST * MOST], side[2][MOST], h = 1e-5;
    if (place < 0)
        sp__strand_bend_of_weight(&k.s, f, 1, H, n);
    else
        sp__strand_bend_of_force(&k.s, places[place].element, places[place].at, f, 1, H, n);
    for (int d = 0; d < n; d++) {
        for (int e = 0; e < 2; e++) {
            evaluate_beside(&k, d, e ? h : -h);
            if (place < 0)
                memcpy(side[e], k.s.G, (size_t)n * sizeof(double));
            else
                force_at(&k, place, f, side[e]);
        }
        for (int c = 0; c < n; c++) D[n * c + d] = (side[1][c] - side[0][c]) / (2 * h);
    }
    for (int c = 0; c < n; c++)
        for (int d = 0; d <= c; d++) {
            bool root = c < 6 && d >= 3;
            // forces near 10 are known to 1e-15 of that, over h; and h2/6 of a third derivative
            CHECK_NEAR(H[n * c + d], root ? 0.5 * (D[n * c + d] + D[n * d + c]) : D[n * c + d], 5e-10);
            if (!root) CHECK_NEAR(H[n * c + d], D[n * d + c], 5e-10);
        }
    drop(&k);
}

TEST(bend_of_weight) {
    check_bend(true, -1, gravity);
    check_bend(false, -1, gravity);
}

TEST(bend_of_forces) {
    static const double f[3] = {-3, 5, 7};
    for (int i = 0; i < PLACES; i++) check_bend(true, i, f), check_bend(false, i, f);
}

// Forces at nodes, all at once and one by one. Four points integrate a few radians to seven digits.
TEST(bend_of_nodes) {
    for (int affine = 0; affine < 2; affine++) {
        rig k;
        make(&k, affine);
        evaluate(&k);
        int n = k.s.unknowns;
        double all[MOST * MOST] = {0}, one[MOST * MOST] = {0}, force[3 * (ELEMENTS + 1)], size = 0;
        for (int i = 0; i < 3 * (ELEMENTS + 1); i++) force[i] = 5 * sin(2.0 * i + 1);
        sp__strand_bend_of_nodes(&k.s, force, -2, all, n);
        for (int e = 0; e < ELEMENTS; e++)
            sp__strand_bend_of_force(&k.s, e, k.s.element[e].length, force + 3 * (size_t)(e + 1), -2, one, n);
        for (int i = 0; i < n * n; i++) size = fmax(size, fabs(one[i]));
        CHECK(size > 0.1);
        for (int i = 0; i < n * n; i++) CHECK_NEAR(all[i], one[i], 1e-6 * size);
        drop(&k);
    }
}

// The tension term is positive semi-definite for any forces, and it is the only term where a straight strand is pulled along its
// axis.
TEST(bend_of_tension) {
    for (int affine = 0; affine < 2; affine++)
        for (int straight = 0; straight < 2; straight++) {
            rig k;
            make(&k, affine);
            for (int i = 0; straight && i < 3 * (ELEMENTS + 1); i++) k.q[i] = 0;
            evaluate(&k);
            int n = k.s.unknowns;
            double tension[MOST * MOST] = {0}, all[MOST * MOST] = {0}, force[3 * (ELEMENTS + 1)] = {0};
            for (int i = 0; i < 3 * (ELEMENTS + 1) && !straight; i++) force[i] = 5 * sin(2.0 * i + 1);
            const double *R = k.s.frame[ELEMENTS].R;
            for (int i = 0; i < 3 && straight; i++) force[3 * ELEMENTS + i] = 4 * R[3 * i];
            sp__strand_tension_of_nodes(&k.s, force, -1, tension, n);
            sp__strand_bend_of_nodes(&k.s, force, -1, all, n);
            for (int i = 0; straight && i < n * n; i++) CHECK_NEAR(tension[i], all[i], 1e-12);
            double most = 0;
            for (int trial = 0; trial < 20; trial++) {
                double sum = 0;
                for (int c = 0; c < n; c++)
                    for (int d = 0; d <= c; d++)
                        sum += (c == d ? 1 : 2) * tension[n * c + d] * sin(3.0 * c + trial) * sin(3.0 * d + trial);
                CHECK(sum >= 0);
                most = fmax(most, sum);
            }
            CHECK(most > 0.1);
            drop(&k);
        }
}

// several segments in an element
TEST(bend_of_a_curled_strand) {
    rig k;
    make(&k, true);
    for (int i = 0; i < 12; i++) k.q[i] *= 8;
    evaluate(&k);
    int n = k.s.unknowns;
    CHECK(k.s.segment_count > 2 * ELEMENTS);
    double H[MOST * MOST] = {0}, side[2][MOST], h = 1e-5;
    sp__strand_bend_of_weight(&k.s, gravity, 1, H, n);
    for (int d = 6; d < n; d++) {
        for (int e = 0; e < 2; e++) {
            evaluate_beside(&k, d, e ? h : -h);
            memcpy(side[e], k.s.G, (size_t)n * sizeof(double));
        }
        for (int c = d; c < n; c++) CHECK_NEAR(H[n * c + d], (side[1][c] - side[0][c]) / (2 * h), 1e-8);  // forces good to 1e-13
    }
    drop(&k);
}

// ------------------------------------------------------------------------------------------------ growth

// two active elements of six are a strand of two, in every bit; elements active before leave no trace
TEST(inactive_elements) {
    for (int affine = 0; affine < 2; affine++) {
        rig a, b;
        make_room_for(&a, 2, 2, affine);
        make_room_for(&b, 6, 5, affine);
        evaluate(&a), evaluate(&b);
        sp__strand_set(&b.s, 2, unequal);
        evaluate(&b);
        int n = a.s.unknowns, m = b.s.unknowns;
        for (int i = 0; i < m; i++) {
            CHECK(b.s.G[i] == (i < n ? a.s.G[i] : 0) && b.s.A[i] == (i < n ? a.s.A[i] : 0));
            for (int j = 0; j < m; j++) CHECK(b.s.M[m * i + j] == (i < n && j < n ? a.s.M[n * i + j] : 0));
        }
        CHECK(a.s.load_energy == b.s.load_energy && a.s.mass == b.s.mass);
        double ca[6 * MOST], cb[6 * MOST], sa[6], sb[6], tip = unequal[1].length, x[MOST], y[MOST];
        sp_curve_frame fa, fb;
        for (int e = 1; e < 6; e++) {  // inactive elements are at the tip
            CHECK_INT(sp__strand_slopes(&a.s, 1, tip, ca), sp__strand_slopes(&b.s, e, e == 1 ? tip : 0.1, cb));
            sp__strand_speed(&a.s, 1, tip, a.v, sa), sp__strand_speed(&b.s, e, tip, b.v, sb);
            sp__strand_frame(&a.s, 1, tip, &fa), sp__strand_frame(&b.s, e, tip, &fb);
            CHECK(!memcmp(ca, cb, 6 * (size_t)n * sizeof *ca) && !memcmp(sa, sb, sizeof sa) && !memcmp(&fa, &fb, sizeof fa));
        }
        for (int i = 0; i < MOST; i++) x[i] = i;
        sp__strand_stiffness(&b.s, x, y);
        REQUIRE(sp__strand_stiffness_solve(&b.s, y, y) == SP_OK);
        for (int i = 0; i < m - 6; i++) CHECK_NEAR(y[i], i < n - 6 ? x[i] : 0, 1e-13 * 10);
        drop(&a), drop(&b);
    }
}

TEST(extreme_curvature_is_refused) {
    rig k;
    make(&k, true);
    k.state.q = k.q, k.state.v = k.v;
    for (int i = 0; i < 12; i++) k.q[i] = 1e6;  // 160,000 turns: refused, not integrated for minutes
    CHECK(strand_evaluate(&k.s, &k.state, gravity) == SP_NOT_FINITE);
    for (int i = 0; i < 12; i++) k.v[i] = 1e200, k.q[i] = 1;
    CHECK(strand_evaluate(&k.s, &k.state, gravity) == SP_NOT_FINITE);
    drop(&k);
}

// more segments than allocated, and every allocation refused once
TEST(memory_of_a_strand) {
    for (long allowed = 1;; allowed++) {
        meter m = {.allowed = allowed};
        sp_context_def def = metered_context(&m);
        sp_context *ctx;
        if (sp_context_create(&def, &ctx) < 0) continue;
        sp_strand s;
        sp_strand_def strand = {.elements = ELEMENTS, .affine = true, .element = unequal, .tolerance = 1e-16};
        double q[12], v[12] = {0};
        for (int i = 0; i < 12; i++) q[i] = 60 * cos(i);
        sp_strand_state state = {.root.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .q = q, .v = v};
        sp_status status = sp__strand_init(ctx, &strand, &s);
        if (status >= 0) status = strand_evaluate(&s, &state, gravity);
        if (status >= 0) status = sp__strand_stiffness_solve(&s, q, v);
        CHECK(status == SP_OK || status == SP_NO_MEMORY);
        sp__strand_free(&s);
        sp_context_destroy(&ctx);
        CHECK_INT(m.live, 0);
        if (status == SP_OK) break;
    }
}
