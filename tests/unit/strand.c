// Mechanics of a strand: every derivative against differences, every integral against quadrature, and equilibria and motions that
// agree with independent implementations.
#include "rod/strand.h"

#include <string.h>

#include "math/vec3.h"
#include "test.h"
#include "unit/strand_help.h"

enum { MOST = 160 };

typedef struct rod {
    sp_context *ctx;
    sp_strand own, *s;  // copies of a rod evaluate the strand of the first
    sp_strand_state state;
    double q[MOST], v[MOST], p[3];
} rod;

static const sp_curve_frame upright = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static void make(rod *k, int elements, bool affine, const double *lengths, const double stiffness[3]) {
    static sp_strand_element element[MOST];
    for (int i = 0; i < elements; i++) {
        element[i] = (sp_strand_element){.length = lengths ? lengths[i] : 1.0 / elements, .line_density = 1};
        memcpy(element[i].stiffness, stiffness, sizeof element[i].stiffness);
    }
    sp_context_def def = sp_context_def_default();
    *k = (rod){.state.root = upright};
    sp_strand_def strand = {.elements = elements, .affine = affine, .element = element, .tolerance = 1e-16};
    REQUIRE(sp_context_create(&def, &k->ctx) == SP_OK);
    REQUIRE(sp__strand_init(k->ctx, &strand, &k->own) == SP_OK);
    k->state.q = k->q, k->state.v = k->v;
    k->s = &k->own;
}

static void drop(rod *k) {
    sp__strand_free(k->s);
    sp_context_destroy(&k->ctx);
}

static const double round_section[3] = {2.0 / 3, 1, 1};
static const double uneven[3] = {0.3, 0.5, 0.2};

// three unequal elements, rotated root, everything moving
static void make_wild(rod *k, bool affine) {
    make(k, 3, affine, uneven, round_section);
    double tilt[4] = {0.8, 0.36, -0.48, 0};
    sp__quat_matrix(tilt, k->state.root.R);
    memcpy(k->state.root.r, (double[3]){0.3, -0.2, 0.5}, sizeof k->state.root.r);
    for (int i = 0; i < 3 * k->s->controls; i++) k->q[i] = 5 * sin(1.7 * i + 1), k->v[i] = 3 * cos(2.3 * i);
    memcpy(k->state.root_velocity, (double[6]){0.5, -1, 0.7, 2, -1, 1.5}, sizeof k->state.root_velocity);
    memcpy(k->p, (double[3]){1, -9.81, 2}, sizeof k->p);
}

static void evaluate(rod *k) {
    REQUIRE(strand_evaluate(k->s, &k->state, k->p) == SP_OK);
}

// move along all unknowns: root by a velocity and a rotation, controls by a difference
static void moved(const rod *from, const double *d, double h, rod *to) {
    *to = *from;
    double quat[4], turn[9], norm = sp__norm3(d + 3);
    for (int i = 0; i < 3; i++) to->state.root.r[i] += h * d[i];
    if (norm > 0) {
        sp__quat_axis(d + 3, h * norm, quat);
        sp__quat_matrix(quat, turn);
        sp__mul33(turn, from->state.root.R, to->state.root.R);
    }
    for (int i = 0; i < 3 * from->s->controls; i++) to->q[i] += h * d[6 + i];
}

static const struct {
    int element;
    double at;
} places[] = {{0, 0.1}, {0, 0.3}, {1, 0.2}, {1, 0.45}, {2, 0.05}, {2, 0.2}};

static void place_of(const rod *k, int i, double x[3]) {
    rod copy = *k;
    copy.state.q = copy.q, copy.state.v = copy.v;
    REQUIRE(strand_evaluate(copy.s, &copy.state, copy.p) == SP_OK);
    strand_point(copy.s, places[i].element, places[i].at, x, NULL);
}

static void check_slopes(bool affine) {
    rod k;
    make_wild(&k, affine);
    int n = k.s->unknowns;
    double J[3 * MOST], h = 1e-5;
    for (int i = 0; i < 6; i++) {
        double x[3];
        evaluate(&k);
        strand_point(k.s, places[i].element, places[i].at, x, J);
        for (int d = 0; d < n; d++) {
            double along[MOST] = {0}, a[3], b[3];
            rod plus, minus;
            along[d] = 1;
            moved(&k, along, h, &plus), moved(&k, along, -h, &minus);
            place_of(&plus, i, a), place_of(&minus, i, b);
            // h2/6 of a third derivative near 1 and rounding over h
            for (int c = 0; c < 3; c++) CHECK_NEAR(J[n * c + d], (a[c] - b[c]) / (2 * h), 2e-10);
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

// ------------------------------------------------------------------------------------------------ integrals

// Gauss-Legendre with 5 points on 8 equal parts of each element: degree 9 on parts that turn by at most 2 rad
static const double gauss_x[5] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831, 0.9061798459386640};
static const double gauss_w[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                                  0.2369268850561891};

// J at (element, at), and the acceleration of that point: d/dt of J v along the motion, by differences
static void acceleration_at(const rod *k, const double *all, int element, double at, double out[3]) {
    double h = 1e-4, J[3 * MOST], x[3], velocity[2][3];
    for (int side = 0; side < 2; side++) {
        rod there;
        moved(k, all, side ? h : -h, &there);
        there.state.q = there.q, there.state.v = there.v;
        REQUIRE(strand_evaluate(there.s, &there.state, there.p) == SP_OK);
        strand_point(there.s, element, at, x, J);
        for (int c = 0; c < 3; c++) {
            velocity[side][c] = 0;
            for (int d = 0; d < there.s->unknowns; d++) velocity[side][c] += J[there.s->unknowns * c + d] * all[d];
        }
    }
    for (int c = 0; c < 3; c++) out[c] = (velocity[1][c] - velocity[0][c]) / (2 * h);
}

static void check_integrals(bool affine) {
    rod k;
    make_wild(&k, affine);
    int n = k.s->unknowns;
    double M[MOST * 24] = {0}, G[MOST] = {0}, A[MOST] = {0}, all[MOST], J[3 * MOST], x[3], energy = 0;
    memcpy(all, k.state.root_velocity, sizeof k.state.root_velocity);
    memcpy(all + 6, k.v, 3 * (size_t)k.s->controls * sizeof *all);
    for (int e = 0; e < 3; e++)
        for (int part = 0; part < 8; part++)
            for (int g = 0; g < 5; g++) {
                double l = uneven[e] / 8, at = (part + 0.5 + 0.5 * gauss_x[g]) * l, w = 0.5 * l * gauss_w[g], a[3];
                acceleration_at(&k, all, e, at, a);
                evaluate(&k);
                strand_point(k.s, e, at, x, J);
                energy -= w * sp__dot3(x, k.p);
                for (int i = 0; i < n; i++)
                    for (int c = 0; c < 3; c++) {
                        G[i] += w * J[n * c + i] * k.p[c], A[i] += w * J[n * c + i] * a[c];
                        for (int j = 0; j < n; j++) M[n * i + j] += w * J[n * c + i] * J[n * c + j];
                    }
            }
    evaluate(&k);
    CHECK_NEAR(k.s->load_energy, energy, 1e-13 * 10);
    for (int i = 0; i < n; i++) {
        CHECK_NEAR(k.s->G[i], G[i], 1e-12);
        // differences of velocities: h2/6 of their third derivative, which is some hundreds
        CHECK_NEAR(k.s->A[i], A[i], 2e-6);
        for (int j = 0; j < n; j++) CHECK_NEAR(k.s->M[n * i + j], M[n * i + j], 1e-13);
    }
    drop(&k);
}

TEST(integrals_of_clothoids) {
    check_integrals(true);
}

TEST(integrals_of_helices) {
    check_integrals(false);
}

// curvature that needs several segments in each element does not change the results
TEST(elements_of_several_segments) {
    rod k;
    make(&k, 2, true, NULL, round_section);
    for (int i = 0; i < 9; i++) k.q[i] = 60 * cos(i), k.v[i] = sin(3 * i);
    memcpy(k.p, (double[3]){0, -1, 0}, sizeof k.p);
    evaluate(&k);
    CHECK(k.s->segment_count > 6);
    double G[9], h = 1e-6;
    memcpy(G, k.s->G + 6, sizeof G);
    for (int i = 0; i < 9; i++) {
        double before = k.q[i], energy[2];
        for (int side = 0; side < 2; side++) {
            k.q[i] = before + (side ? h : -h);
            evaluate(&k);
            energy[side] = k.s->load_energy;
        }
        k.q[i] = before;
        CHECK_NEAR(G[i], -(energy[1] - energy[0]) / (2 * h), 1e-8);  // energies are accurate to 1e-14 at this threshold
    }
    sp_curve_frame tip = upright;
    double lambda[2][6];
    for (int e = 0; e < 2; e++)
        for (int i = 0; i < 3; i++) lambda[e][i] = k.q[3 * e + i], lambda[e][3 + i] = (k.q[3 * e + 3 + i] - k.q[3 * e + i]) / 0.5;
    for (int e = 0; e < 2; e++) sp__curve_cross(&tip, 1, lambda[e], 0.5, SP_CURVE_REACH_FINE, 1e-17);
    evaluate(&k);
    for (int i = 0; i < 3; i++) CHECK_NEAR(k.s->frame[2].r[i], tip.r[i], 1e-12);  // the looser threshold of the two
    drop(&k);
}

TEST(invalid_curvature_is_reported) {
    rod k;
    make(&k, 2, true, NULL, round_section);
    k.q[4] = NAN;
    CHECK(strand_evaluate(k.s, &k.state, k.p) == SP_NOT_FINITE);
    k.q[4] = 1;
    CHECK(strand_evaluate(k.s, &k.state, k.p) == SP_OK);
    drop(&k);
}

// ------------------------------------------------------------------------------------------------ elasticity

TEST(stiffness_agrees_with_its_shape_functions) {
    rod k;
    make(&k, 3, true, uneven, (double[3]){2, 3, 5});
    double x[12], y[12], A[144] = {0}, back[12];
    for (int i = 0; i < 12; i++) x[i] = sin(i + 1);
    sp__strand_stiffness(k.s, x, y);
    // half of x Kbar x is the integral of half of K kappa^2 with kappa piecewise affine: Simpson's rule is exact
    double energy = 0, sum = 0;
    for (int e = 0; e < 3; e++)
        for (int c = 0; c < 3; c++) {
            double a = x[3 * e + c], b = x[3 * e + 3 + c], m = 0.5 * (a + b);
            energy += (double[3]){2, 3, 5}[c] * uneven[e] / 6 * (a * a + 4 * m * m + b * b);
        }
    for (int i = 0; i < 12; i++) sum += x[i] * y[i];
    CHECK_NEAR(sum, energy, 1e-14 * 10);
    strand_add_stiffness(k.s, 1, A, 12);
    for (int i = 0; i < 12; i++) {
        double row = 0;
        for (int j = 0; j < 12; j++) row += A[12 * i + j] * x[j];
        CHECK_NEAR(row, y[i], 1e-14);
    }
    REQUIRE(sp__strand_stiffness_solve(k.s, y, back) == SP_OK);
    for (int i = 0; i < 12; i++) CHECK_NEAR(back[i], x[i], 1e-13);
    drop(&k);
}

// ------------------------------------------------------------------------------------------------ equilibria and motion

// dense solve with pivoting, for the tests only
static void solve(int n, double *A, double *b) {
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[n * i + k]) > fabs(A[n * best + k])) best = i;
        for (int j = 0; j < n; j++) {
            double t = A[n * k + j];
            A[n * k + j] = A[n * best + j], A[n * best + j] = t;
        }
        double t = b[k];
        b[k] = b[best], b[best] = t;
        for (int i = k + 1; i < n; i++) {
            double f = A[n * i + k] / A[n * k + k];
            for (int j = k; j < n; j++) A[n * i + j] -= f * A[n * k + j];
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) b[k] -= A[n * k + j] * b[j];
        b[k] /= A[n * k + k];
    }
}

// residual Kbar (q - rest) - G of the controls
static void residual(rod *k, const double *rest, double *f) {
    double x[MOST];
    evaluate(k);
    for (int i = 0; i < 3 * k->s->controls; i++) x[i] = k->q[i] - rest[i];
    sp__strand_stiffness(k->s, x, f);
    for (int i = 0; i < 3 * k->s->controls; i++) f[i] -= k->s->G[6 + i];
}

// Newton's method with differences for the derivative of G, the load in five stages
static void settle(rod *k, const double *rest, const double load[3]) {
    static double K[MOST * MOST];
    int n = 3 * k->s->controls;
    double f[MOST], g[MOST];
    for (int stage = 1; stage <= 5; stage++)
        for (int it = 0; it < (stage < 5 ? 3 : 6); it++) {
            for (int i = 0; i < 3; i++) k->p[i] = load[i] * stage / 5;
            residual(k, rest, f);
            for (int j = 0; j < n; j++) {
                double before = k->q[j], h = 1e-6;
                k->q[j] += h;
                residual(k, rest, g);
                k->q[j] = before;
                for (int i = 0; i < n; i++) K[n * i + j] = (g[i] - f[i]) / h;
            }
            solve(n, K, f);
            for (int i = 0; i < n; i++) k->q[i] -= f[i];
        }
    evaluate(k);
}

// a rod of weight w = rho S g L^3 / EI = 30 that hangs from a horizontal clamp: tip and curvature at the clamp, to the six given
// digits
TEST(heavy_rod) {
    rod k;
    double rest[MOST] = {0};
    make(&k, 12, true, NULL, round_section);
    settle(&k, rest, (double[3]){0, -30, 0});
    const double *tip = k.s->frame[12].r;
    CHECK_NEAR(tip[0], 0.342764, 1.5e-5);  // 12 elements leave an error of 5.7e-6, RMS along the rod
    CHECK_NEAR(tip[1], -0.873092, 1.5e-5);
    CHECK_NEAR(tip[2], 0, 1e-12);
    CHECK_NEAR(k.q[2], -7.23653, 0.05);  // curvature converges two orders slower than position: 0.035 is left
    drop(&k);
}

// a ring of one turn, its plane normal to gravity
TEST(heavy_ring) {
    rod k;
    double rest[MOST] = {0};
    make(&k, 12, true, NULL, round_section);
    for (int j = 0; j <= 12; j++) k.q[3 * j + 2] = rest[3 * j + 2] = 2 * 3.14159265358979323846;
    settle(&k, rest, (double[3]){0, 0, -30});
    const double *tip = k.s->frame[12].r;
    CHECK_NEAR(tip[0], -0.003299, 3e-5);
    CHECK_NEAR(tip[1], -0.085578, 3e-5);
    CHECK_NEAR(tip[2], -0.377413, 3e-5);
    drop(&k);
}

// errors fall with the fourth power of the number of elements (clothoids) and the second (helices), RMS of 100 points, published
// values within a fifth: their reference is another run of 50 elements
TEST(orders_of_convergence) {
    static const struct {
        bool affine;
        int elements;
        double error;
    } rows[] = {{true, 4, 6.59e-4}, {true, 8, 3.03e-5}, {false, 4, 1.98e-2}, {false, 8, 4.89e-3}};
    double fine[300], rest[MOST] = {0}, found[4];
    rod k;
    make(&k, 24, true, NULL, round_section);
    settle(&k, rest, (double[3]){0, -30, 0});
    for (int i = 0; i < 100; i++) {
        double s = (i + 1) / 100.0 * 24;
        int e = s >= 24 ? 23 : (int)s;
        strand_point(k.s, e, (s - e) / 24, fine + 3 * i, NULL);
    }
    drop(&k);
    for (int r = 0; r < 4; r++) {
        double sum = 0;
        int n = rows[r].elements;
        make(&k, n, rows[r].affine, NULL, round_section);
        settle(&k, rest, (double[3]){0, -30, 0});
        for (int i = 0; i < 100; i++) {
            double s = (i + 1) / 100.0 * n, x[3], d[3];
            int e = s >= n ? n - 1 : (int)s;
            strand_point(k.s, e, (s - e) / n, x, NULL);
            sp__sub3(x, fine + 3 * i, d);
            sum += sp__dot3(d, d);
        }
        found[r] = sqrt(sum / 100);
        CHECK_NEAR(found[r], rows[r].error, 0.2 * rows[r].error);
        drop(&k);
    }
    CHECK(log2(found[0] / found[1]) > 3.8 && log2(found[2] / found[3]) > 1.9);
}

// (4.3.31), undamped, 11 ms, from rest: the tip in two other implementations after 0.495, 0.792 and 0.99 s
TEST(falling_rod) {
    rod k;
    enum { P = 10 };
    double EI = 9.81 / 30, h = 0.011, A[MOST * 3 * P], b[MOST], x[MOST], f[MOST];
    make(&k, P, true, NULL, (double[3]){EI * 2 / 3, EI, EI});
    memcpy(k.p, (double[3]){0, -9.81, 0}, sizeof k.p);
    int n = 3 * k.s->controls, all = k.s->unknowns;
    for (int step = 1; step <= 90; step++) {
        evaluate(&k);
        for (int i = 0; i < n; i++) {
            x[i] = k.q[i] + h * k.v[i];
            for (int j = 0; j < n; j++) A[n * i + j] = k.s->M[all * (6 + i) + 6 + j];
        }
        strand_add_stiffness(k.s, h * h, A, n);
        sp__strand_stiffness(k.s, x, f);
        for (int i = 0; i < n; i++) b[i] = h * (k.s->G[6 + i] - k.s->A[6 + i] - f[i]);
        solve(n, A, b);
        for (int i = 0; i < n; i++) k.v[i] += b[i], k.q[i] += h * k.v[i];
        evaluate(&k);
        const double *tip = k.s->frame[P].r;
        // four digits are given
        if (step == 45) CHECK_NEAR(tip[0], 0.0448, 1e-4), CHECK_NEAR(tip[1], -0.9243, 1e-4);
        if (step == 72) CHECK_NEAR(tip[0], -0.5021, 1e-4), CHECK_NEAR(tip[1], -0.4622, 1e-4);
        if (step == 90) CHECK_NEAR(tip[0], -0.1997, 1e-4), CHECK_NEAR(tip[1], -0.7673, 1e-4);
    }
    drop(&k);
}

// the rest curvature that makes a given shape an equilibrium is linear in the shape, to rounding
TEST(inverse_statics) {
    rod k;
    double rest[MOST], f[MOST];
    make(&k, 6, true, NULL, round_section);
    for (int i = 0; i < 21; i++) k.q[i] = 4 * sin(i);
    memcpy(k.p, (double[3]){3, -30, 5}, sizeof k.p);
    evaluate(&k);
    REQUIRE(sp__strand_stiffness_solve(k.s, k.s->G + 6, rest) == SP_OK);
    for (int i = 0; i < 21; i++) rest[i] = k.q[i] - rest[i];
    residual(&k, rest, f);
    for (int i = 0; i < 21; i++) CHECK_NEAR(f[i], 0, 1e-13);
    drop(&k);
}

// no constraint: linear and angular momentum of a free strand follow from its root columns
TEST(momentum_of_a_free_strand) {
    rod k;
    make_wild(&k, true);
    evaluate(&k);
    int n = k.s->unknowns;
    double all[MOST], p[3] = {0}, x[3], J[3 * MOST];
    memcpy(all, k.state.root_velocity, sizeof k.state.root_velocity);
    memcpy(all + 6, k.v, 3 * (size_t)k.s->controls * sizeof *all);
    for (int e = 0; e < 3; e++)
        for (int part = 0; part < 8; part++)
            for (int g = 0; g < 5; g++) {
                double l = uneven[e] / 8;
                strand_point(k.s, e, (part + 0.5 + 0.5 * gauss_x[g]) * l, x, J);
                for (int c = 0; c < 3; c++)
                    for (int d = 0; d < n; d++) p[c] += 0.5 * l * gauss_w[g] * J[n * c + d] * all[d];
            }
    for (int c = 0; c < 3; c++) {
        double row = 0;
        for (int d = 0; d < n; d++) row += k.s->M[n * c + d] * all[d];
        CHECK_NEAR(row, p[c], 1e-13);
    }
    drop(&k);
}
