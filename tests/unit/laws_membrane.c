// Plane stress at one point of a membrane (kernels/membrane.h): every law in the plane of a triangle that is anywhere in space.
#include "law_textbook.h"
// after the number of lanes
#include "kernels/membrane.h"

// A triangle: its slopes, and its rest plane with the normal as columns of N
typedef struct spot {
    double slope[6], N[9];
} spot;

static void random_rotation(unsigned long long *seed, double *R) {
    double A[9];
    for (int k = 0; k < 9; k++) A[k] = sp_test_random(seed);
    rotation_svd(A, R);
}

static void random_spot(unsigned long long *seed, spot *s) {
    double edge[2][3], gram[3], det;
    do {
        for (int i = 0; i < 6; i++) edge[i / 3][i % 3] = sp_test_random(seed);
        gram[0] = lane_dot(edge[0], edge[0]), gram[1] = lane_dot(edge[1], edge[1]), gram[2] = lane_dot(edge[0], edge[1]);
        det = gram[0] * gram[1] - gram[2] * gram[2];
    } while (det < 0.1 * gram[0] * gram[1]);
    // the dual basis of the edges in their plane
    for (int i = 0; i < 3; i++) {
        s->slope[i] = (gram[1] * edge[0][i] - gram[2] * edge[1][i]) / det;
        s->slope[3 + i] = (gram[0] * edge[1][i] - gram[2] * edge[0][i]) / det;
    }
    membrane_frame(s->slope, s->N);
}

// H = (A - I) e1 e1^T + ...: what maps e1, e2 to the columns of A (3 x 2)
static void plane_gradient(const spot *s, const double *A, double *H) {
    for (int k = 0; k < 9; k++) {
        int i = k / 3, j = k % 3;
        H[k] = (A[2 * i] - s->N[3 * i]) * s->N[3 * j] + (A[2 * i + 1] - s->N[3 * i + 1]) * s->N[3 * j + 1];
    }
}

// a random change of H that leaves the normal out
static void random_change(const spot *s, unsigned long long *seed, double size, double *H) {
    double A[6];
    for (int k = 0; k < 6; k++) A[k] = s->N[3 * (k / 2) + k % 2] + size * sp_test_random(seed);
    plane_gradient(s, A, H);
}

static double spot_energy(const law_case *c, const spot *s, const double *H) {
    iso_response r;
    double t[3];
    membrane_respond(c->law, 0, c->p, s->slope, H, t, &r);
    return r.law.energy;
}

static void spot_stress(const law_case *c, const spot *s, const double *H, double *P) {
    iso_response r;
    double US[9], t[3];
    membrane_respond(c->law, 0, c->p, s->slope, H, t, &r);
    iso_stress(&r, 1, US);
    for (int k = 0; k < 9; k++) P[k] = lane_dot(US + k - k % 3, r.V + k % 3 * 3);
}

// Changes of the stress act on gradients in the plane: what they do to the normal is left out.
static void spot_change(const law_case *c, int definite, const spot *s, const double *H, const double *D, double *dP) {
    iso_response r;
    double T[21], Q[9], X[9], t[3], n[3] = {s->N[2], s->N[5], s->N[8]};
    membrane_respond(c->law, definite, c->p, s->slope, H, t, &r);
    iso_tangent(&r, 1, T);
    for (int i = 0; i < 9; i++) X[i] = lane_dot(D + i - i % 3, (double[]){r.V[i % 3], r.V[3 + i % 3], r.V[6 + i % 3]});
    for (int i = 0; i < 9; i++) Q[i] = r.U[i / 3] * X[i % 3] + r.U[3 + i / 3] * X[3 + i % 3] + r.U[6 + i / 3] * X[6 + i % 3];
    iso_change(T, Q);
    for (int i = 0; i < 9; i++) X[i] = lane_dot(Q + i - i % 3, r.V + i % 3 * 3);
    for (int i = 0; i < 9; i++) Q[i] = lane_dot(r.U + i - i % 3, (double[]){X[i % 3], X[3 + i % 3], X[6 + i % 3]});
    for (int i = 0; i < 9; i++) dP[i] = Q[i] - lane_dot(Q + i - i % 3, n) * n[i % 3];
}

static double inner(const double *A, const double *B) {
    double s = 0;
    for (int k = 0; k < 9; k++) s += A[k] * B[k];
    return s;
}

// ------------------------------------------------------------------------------------------------ curves

// the stretch of the thickness by bisection; false: none in the bracket
static bool free_thickness(const law_case *c, double *s) {
    double low = 0.02, high = 8;
    for (int n = 0; n < 200; n++) {
        s[2] = 0.5 * (low + high);
        if (nominal(c, s, 2) > 0)
            high = s[2];
        else
            low = s[2];
    }
    return low > 0.0201 && high < 7.99;
}

// Stretches s of the axes of the plane, then a rotation R in space: the stress is R N diag(nominal) N^T, the closed form.
// Tolerance: some hundred roundings of the largest stress, with that of the root, which the bisection finds to rounding.
static void check_plane(const law_case *c, const double *s, unsigned long long *seed) {
    spot at;
    iso_response r;
    double R[9], A[6], H[9], P[9], t[3], expected[2], scale = 1000;
    random_spot(seed, &at);
    random_rotation(seed, R);
    for (int i = 0; i < 3; i++)
        for (int a = 0; a < 2; a++)
            A[2 * i + a] = s[a] * (R[3 * i] * at.N[a] + R[3 * i + 1] * at.N[3 + a] + R[3 * i + 2] * at.N[6 + a]);
    plane_gradient(&at, A, H);
    spot_stress(c, &at, H, P);
    for (int a = 0; a < 2; a++) expected[a] = nominal(c, s, a), scale = fmax(scale, fabs(expected[a]));
    for (int k = 0; k < 9; k++) {
        double sum = 0;
        for (int a = 0; a < 2; a++) sum += expected[a] * A[2 * (k / 3) + a] / s[a] * at.N[3 * (k % 3) + a];
        CHECK_NEAR(P[k], sum, 5e-12 * scale);
    }
    membrane_respond(c->law, 0, c->p, at.slope, H, t, &r);
    CHECK_NEAR(membrane_jacobian(t), s[0] * s[1] * s[2], 1e-12 * s[0] * s[1] * s[2]);
}

TEST(stresses_of_stretched_membranes) {
    static const double stretch[] = {0.6, 0.85, 0.999, 1.001, 1.15, 1.6, 2.2};
    unsigned long long seed = 1;
    int checked = 0;
    for (int n = 1; n < LAW_CASES; n++)
        for (int i = 0; i < 49; i++) {
            double s[3] = {stretch[i / 7], stretch[i % 7], 1};
            if (!free_thickness(&law_cases[n], s)) continue;  // corotational and stvk: nothing is left of the thickness
            check_plane(&law_cases[n], s, &seed);
            checked++;
        }
    CHECK(checked > 0.9 * 49 * (LAW_CASES - 1));
}

// Closed forms. Nearly incompressible neo-Hookean sheet: P = mu (s - s^-2) in tension, mu (s - s^-5) in equal tension of both
// axes, mu (s - s^-3) in pure shear (Treloar 1975, ch. 5), apart by the change
// of volume, at most 32 kPa / bulk = 3e-5. Corotational: Hooke's plane stress of s
// - 1.
TEST(rubber_and_hooke) {
    const law_case rubber = {"rubber", SP_LAW_NEO_HOOKEAN_ISOCHORIC, {1000, [8] = 1e9, SP_LAW_VOLUME_LOG}};
    const law_case hooke = {"hooke", SP_LAW_COROTATIONAL, {1000, 1500, 1}};
    for (double x = 0.5; x < 3; x += 0.25)
        for (int power = 2; power <= 5; power += power == 2 ? 1 : 2) {
            const double other = power == 2 ? 1 / sqrt(x) : power == 5 ? x : 1;
            const double slope[6] = {1, 0, 0, 0, 1, 0}, H[9] = {x - 1, 0, 0, 0, other - 1, 0, 0, 0, 0};
            spot at;
            double P[9];
            memcpy(at.slope, slope, sizeof slope);
            membrane_frame(at.slope, at.N);
            spot_stress(&rubber, &at, H, P);
            CHECK_NEAR(P[0], 1000 * (x - pow(x, -power)), 5e-5 * 1000 * (x + pow(x, -power)));
            spot_stress(&hooke, &at, H, P);
            double E = 1000 * (3 * 1500 + 2 * 1000) / 2500., nu = 1500 / 5000.;
            CHECK_NEAR(P[0], E / (1 - nu * nu) * (x - 1 + nu * (other - 1)), 1e-11);
            CHECK_NEAR(P[4], E / (1 - nu * nu) * (other - 1 + nu * (x - 1)), 1e-11);
        }
}

// ------------------------------------------------------------------------------------------------ derivatives

// Fourth-order differences with a step h, as in laws.c. Out of the plane the tangent has the factor psi_i / s_i: states keep a
// distance from s = 0. Where `stvk` has no thickness left its energy has a kink in the second derivative.
TEST(stress_and_tangent_of_membranes_are_derivatives_of_the_energy) {
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    const double h = 2e-4;
    unsigned long long seed = 3;
    for (int n = 0; n < LAW_CASES; n++)
        for (int k = 0; k < 200; k++) {
            const law_case *c = &law_cases[n];
            spot s;
            double H[9], D[9], P[9], dP[9], X[9], slope = 0, change[9] = {0}, U[9], V[9], t[3];
            random_spot(&seed, &s);
            random_change(&s, &seed, k % 2 ? 0.1 : 0.35, H);
            random_change(&s, &seed, 1, D);
            double HN[9], small[3], green[3];
            membrane_columns(s.N, H, HN), membrane_strain(s.N, HN, small, green);
            membrane_decompose(s.N, HN, green, U, V, t);
            if (t[1] < -0.6) continue;
            spot_stress(c, &s, H, P), spot_change(c, 0, &s, H, D, dP);
            for (int i = 0; i < 4; i++) {
                double Q[9];
                for (int j = 0; j < 9; j++) X[j] = H[j] + h * at[i] * D[j];
                slope += weight[i] * spot_energy(c, &s, X) / (12 * h);
                spot_stress(c, &s, X, Q);
                for (int j = 0; j < 9; j++) change[j] += weight[i] * Q[j] / (12 * h);
            }
            double scale = 1000 + law_size(P, 9) + law_size(dP, 9);
            CHECK_NEAR(slope, inner(P, D), 1e-8 * scale);
            for (int j = 0; j < 9; j++) CHECK_NEAR(change[j], dP[j], 1e-7 * scale);
        }
}

// D : dP(D) >= 0 in any state, also crushed; where the exact tangent has no negative value for any of many changes, the two agree
TEST(definite_tangents_of_membranes) {
    unsigned long long seed = 5;
    for (int n = 1; n < LAW_CASES; n++)
        for (int k = 0; k < 100; k++) {
            const law_case *c = &law_cases[n];
            spot s;
            double H[9], D[9], dP[9], least = INFINITY, scale = 0;
            random_spot(&seed, &s);
            random_change(&s, &seed, 1.2, H);
            for (int i = 0; i < 30; i++) {
                random_change(&s, &seed, 1, D);
                spot_change(c, 1, &s, H, D, dP);
                least = fmin(least, inner(D, dP)), scale = fmax(scale, law_size(dP, 9));
            }
            CHECK(least >= -1e-12 * (1000 + scale));  // roundings of the moduli
        }
    // stretched along both axes: nothing to leave out
    for (int n = 2; n < LAW_CASES; n++) {
        spot s;
        double A[6], H[9], D[9], exact[9], definite[9];
        random_spot(&seed, &s);
        for (int i = 0; i < 6; i++) A[i] = (i % 2 ? 1.15 : 1.1) * s.N[3 * (i / 2) + i % 2];
        plane_gradient(&s, A, H);
        random_change(&s, &seed, 1, D);
        spot_change(&law_cases[n], 0, &s, H, D, exact), spot_change(&law_cases[n], 1, &s, H, D, definite);
        for (int k = 0; k < 9; k++) CHECK_NEAR(definite[k], exact[k], 1e-12 * law_size(exact, 9));
    }
}

// A compressed membrane buckles: across its plane it has no stiffness where the tangent is definite, a negative one where exact.
TEST(compression_has_no_stiffness_across) {
    const double slope[6] = {1, 0, 0, 0, 1, 0}, H[9] = {-0.1, 0, 0, 0, -0.05, 0, 0, 0, 0},
                 across[9] = {0, 0, 0, 0, 0, 0, 1, 0.5, 0};
    for (int n = 1; n < LAW_CASES; n++) {
        spot s;
        double dP[9];
        memcpy(s.slope, slope, sizeof slope);
        membrane_frame(s.slope, s.N);
        spot_change(&law_cases[n], 0, &s, H, across, dP);
        CHECK(inner(across, dP) < -10);
        spot_change(&law_cases[n], 1, &s, H, across, dP);
        CHECK(inner(across, dP) == 0);
    }
}

// ------------------------------------------------------------------------------------------------ limits

// Strains of 1e-9 against Hooke's law of plane stress: six digits, the terms left out are of the order of the strain.
TEST(small_strains_of_membranes) {
    unsigned long long seed = 7;
    for (int n = 0; n < LAW_CASES; n++)
        for (int k = 0; k < 20; k++) {
            const law_case *c = &law_cases[n];
            double first[3] = {1, 1, 1 + 1e-7}, d = 1e-7, H[9], P[9], e[3] = {0}, mu, lambda;
            spot s;
            // Lame's constants from the textbook: mu and lambda + 2 mu
            lambda = (nominal(c, first, 0) - nominal(c, (double[]){1, 1, 1 - 1e-7}, 0)) / (2 * d);
            mu = 0.5 * ((nominal(c, first, 2) - nominal(c, (double[]){1, 1, 1 - 1e-7}, 2)) / (2 * d) - lambda);
            random_spot(&seed, &s);
            random_change(&s, &seed, 1e-9, H);
            spot_stress(c, &s, H, P);
            for (int i = 0; i < 9; i++) {
                double x = H[i], *N = s.N;
                int a = 3 * (i / 3), b = 3 * (i % 3);
                e[0] += N[a] * x * N[b], e[1] += N[a + 1] * x * N[b + 1], e[2] += 0.5 * x * (N[a] * N[b + 1] + N[a + 1] * N[b]);
            }
            double plane = 2 * mu * lambda / (lambda + 2 * mu), sum = e[0] + e[1];
            double S[4] = {2 * mu * e[0] + plane * sum, 2 * mu * e[2], 2 * mu * e[2], 2 * mu * e[1] + plane * sum};
            for (int i = 0; i < 9; i++) {
                double expected = 0;
                for (int a = 0; a < 4; a++) expected += s.N[3 * (i / 3) + a / 2] * S[a] * s.N[3 * (i % 3) + a % 2];
                // 1e-9 of the moduli are 1e-6; the differences above give the moduli to 1e-8
                CHECK_NEAR(P[i], expected, 1e-6 * (2 * mu + plane) * 1e-9);
            }
            double energy = mu * (e[0] * e[0] + e[1] * e[1] + 2 * e[2] * e[2]) + 0.5 * plane * sum * sum;
            CHECK_NEAR(spot_energy(c, &s, H), energy, 1e-6 * energy);
        }
}

// The energy does not see a rotation in space, and the mirror image of a membrane in its plane is such a rotation: it has no
// energy and no stress. All states have finite numbers, also folded on a line or a point, or an infinite energy.
TEST(rotated_mirrored_and_flat_membranes) {
    unsigned long long seed = 9;
    for (int n = 1; n < LAW_CASES; n++) {
        const law_case *c = &law_cases[n];
        spot s;
        double A[6], B[6], R[9], H[9], P[9], energy;
        random_spot(&seed, &s);
        random_rotation(&seed, R);
        for (int i = 0; i < 6; i++) A[i] = s.N[3 * (i / 2) + i % 2] + 0.2 * sp_test_random(&seed);
        for (int i = 0; i < 6; i++)
            B[i] = R[3 * (i / 2)] * A[i % 2] + R[3 * (i / 2) + 1] * A[2 + i % 2] + R[3 * (i / 2) + 2] * A[4 + i % 2];
        plane_gradient(&s, A, H), energy = spot_energy(c, &s, H);
        plane_gradient(&s, B, H);
        CHECK_NEAR(spot_energy(c, &s, H), energy, 1e-12 * (energy + 1000));  // roundings of moduli of some kPa
        for (int i = 0; i < 6; i++) A[i] = (i % 2 ? -1 : 1) * s.N[3 * (i / 2) + i % 2];
        plane_gradient(&s, A, H), spot_stress(c, &s, H, P);
        CHECK_NEAR(spot_energy(c, &s, H), 0, 1e-20);  // squares of roundings
        CHECK_NEAR(law_size(P, 9), 0, 1e-11);
        for (int fold = 0; fold < 2; fold++) {
            for (int i = 0; i < 6; i++) A[i] = fold ? 0 : s.N[3 * (i / 2)];
            plane_gradient(&s, A, H), spot_stress(c, &s, H, P);
            energy = spot_energy(c, &s, H);
            CHECK(energy > 100 && (isfinite(energy) || !law_everywhere(c->law)));
            CHECK(isfinite(law_size(P, 9)));
        }
    }
}
