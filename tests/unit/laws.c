// Every law of kernels/laws.h and kernels/spectral.h at one point: derivatives by differences, objectivity, symmetry, Hooke's law
// at small strains.
#include "law_help.h"

static double determinant(const double *H) {
    return iso_jacobian(H);
}

// a displacement gradient with entries up to `size`; upright: det F > 0.2
static void random_gradient(unsigned long long *seed, double size, bool upright, double *H) {
    do
        for (int k = 0; k < 9; k++) H[k] = size * sp_test_random(seed);
    while (upright ? determinant(H) < 0.2 : determinant(H) > -0.02);
}

// fourth-order differences with a step h: truncation h^4 f(5) / 30
static void along(const double *H, const double *D, double s, double *out) {
    for (int k = 0; k < 9; k++) out[k] = H[k] + s * D[k];
}
static double energy_slope(const law_case *c, const double *H, const double *D, double h) {
    double X[9], e[4], at[4] = {-2, -1, 1, 2};
    for (int i = 0; i < 4; i++) along(H, D, h * at[i], X), e[i] = law_energy(c, X);
    return (e[0] - 8 * e[1] + 8 * e[2] - e[3]) / (12 * h);
}
static void stress_slope(const law_case *c, const double *H, const double *D, double h, double *out) {
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    for (int k = 0; k < 9; k++) out[k] = 0;
    for (int i = 0; i < 4; i++) {
        double X[9], P[9];
        along(H, D, h * at[i], X);
        law_stress(c, X, P);
        for (int k = 0; k < 9; k++) out[k] += weight[i] * P[k] / (12 * h);
    }
}

static double inner(const double *A, const double *B) {
    double s = 0;
    for (int k = 0; k < 9; k++) s += A[k] * B[k];
    return s;
}

// errors relative to the sizes of the energy's and the stress' own derivatives
static void check_derivatives(const law_case *c, const double *H, unsigned long long *seed) {
    double D[9], P[9], dP[9], slope[9];
    const double h = 2e-4;
    for (int k = 0; k < 9; k++) D[k] = sp_test_random(seed);
    law_stress(c, H, P);
    law_change(c, 0, H, D, dP);
    stress_slope(c, H, D, h, slope);
    double scale = 1000 + law_size(P, 9) + law_size(dP, 9);
    double e = fabs(energy_slope(c, H, D, h) - inner(P, D)) / scale, t = 0;
    for (int k = 0; k < 9; k++) t = fmax(t, fabs(dP[k] - slope[k]) / scale);
    if (e > 1e-9 || t > 1e-8) printf("  %s: energy %g, stress %g, J %g\n", c->name, e, t, determinant(H));
    CHECK(e < 1e-9 && t < 1e-8);
}

TEST(stress_and_tangent_are_derivatives_of_the_energy) {
    unsigned long long seed = 1;
    for (int n = 0; n < LAW_CASES; n++)
        for (int t = 0; t < 200; t++) {
            double H[9];
            random_gradient(&seed, t % 2 ? 0.1 : 0.5, true, H);
            check_derivatives(&law_cases[n], H, &seed);
        }
}

// Inverted elements: the stretches keep a distance, since the energy has a kink where the two smallest cancel (s2 + s3 = 0)
TEST(derivatives_of_inverted_elements) {
    unsigned long long seed = 2;
    for (int n = 0; n < LAW_CASES; n++) {
        const law_case *c = &law_cases[n];
        int tried = 0;
        while (tried < 100) {
            double H[9], U[9], V[9], t[3];
            random_gradient(&seed, 1.2, false, H);
            if (!law_everywhere(c->law)) {
                CHECK(isinf(law_energy(c, H)) && law_energy(c, H) > 0);
                tried++;
                continue;
            }
            spectral(H, U, V, t);
            if (2 + t[1] + t[2] < 0.2) continue;
            check_derivatives(c, H, &seed);
            tried++;
        }
    }
}

// pure states: F = R diag(s) with equal, nearly equal and extreme stretches
TEST(derivatives_at_equal_and_nearly_equal_stretches) {
    static const double gaps[] = {0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-4, 1e-2};
    unsigned long long seed = 3;
    for (int n = 0; n < LAW_CASES; n++)
        for (int g = 0; g < 7; g++)
            for (int kind = 0; kind < 4; kind++) {
                double s[3] = {kind & 1 ? 1 : 1.4, 0, 0}, A[9], R[9], Q[9], H[9];
                s[1] = s[0] + gaps[g], s[2] = kind & 2 ? s[0] - 0.5 * gaps[g] : 0.7;
                for (int k = 0; k < 9; k++) A[k] = sp_test_random(&seed);
                rotation_svd(A, R);
                for (int k = 0; k < 9; k++) A[k] = sp_test_random(&seed);
                rotation_svd(A, Q);
                for (int k = 0; k < 9; k++) {
                    H[k] = k % 4 ? 0 : -1;
                    for (int i = 0; i < 3; i++) H[k] += R[k - k % 3 + i] * s[i] * Q[k % 3 * 3 + i];
                }
                check_derivatives(&law_cases[n], H, &seed);
            }
}

// No law has a mixed derivative by Ibar1 and Ibar2; the chain rule of law_chain is there for those that will: b1 b2 + 2 b1^2 + 3
// b2^2
static void chain_at(const double *x, double *W) {
    double b[10], U[3];
    law_bars(x[0], x[1], x[2], b);
    volume_mixed(7, x[2], U);
    const double b1 = b[0], b2 = b[5], V[6] = {b1 * b2 + 2 * b1 * b1 + 3 * b2 * b2, b2 + 4 * b1, b1 + 6 * b2, 4, 6, 1};
    law_chain(b, V, U, W);
}

TEST(the_chain_rule_of_isochoric_laws) {
    static const int first[3] = {1, 2, 3}, second[3][3] = {{4, 7, 9}, {7, 5, 8}, {9, 8, 6}};
    unsigned long long seed = 8;
    const double h = 1e-4;
    for (int t = 0; t < 100; t++)
        for (int k = 0; k < 3; k++) {
            double x[3] = {0.5 + 0.3 * sp_test_random(&seed), 0.8 + 0.3 * sp_test_random(&seed), 0.4 * sp_test_random(&seed)};
            double W[10], at[2][10];
            for (int s = 0; s < 2; s++) {
                double y[3] = {x[0], x[1], x[2]};
                y[k] += s ? h : -h;
                chain_at(y, at[s]);
            }
            chain_at(x, W);
            // second order in h, with third derivatives up to some hundreds at the smallest volume
            CHECK_NEAR((at[1][0] - at[0][0]) / (2 * h), W[first[k]], 1e-5);
            for (int i = 0; i < 3; i++) CHECK_NEAR((at[1][first[i]] - at[0][first[i]]) / (2 * h), W[second[i][k]], 1e-5);
        }
}

// ------------------------------------------------------------------------------------------------ symmetry, objectivity

static void random_rotation(unsigned long long *seed, double *R) {
    double A[9];
    for (int k = 0; k < 9; k++) A[k] = sp_test_random(seed);
    rotation_svd(A, R);
}

static void product(const double *A, const double *B, double *C) {
    for (int k = 0; k < 9; k++)
        C[k] = A[k - k % 3] * B[k % 3] + A[k - k % 3 + 1] * B[3 + k % 3] + A[k - k % 3 + 2] * B[6 + k % 3];
}

// F = I + H
static void add_identity(const double *H, double sign, double *F) {
    for (int k = 0; k < 9; k++) F[k] = H[k] + (k % 4 ? 0 : sign);
}

// psi(Q F) = psi(F Q) = psi(F), P(Q F) = Q P(F), P(F Q) = P(F) Q: all but the linear law do not see a rotation of the world, and
// all of them are isotropic
TEST(laws_are_objective_and_isotropic) {
    unsigned long long seed = 4;
    for (int n = 0; n < LAW_CASES; n++)
        for (int t = 0; t < 100; t++) {
            const law_case *c = &law_cases[n];
            double Q[9], F[9], H[9], P[9], G[9], moved[9], turned[9];
            random_gradient(&seed, 0.4, true, H);
            random_rotation(&seed, Q);
            add_identity(H, 1, F);
            law_stress(c, H, P);
            double scale = 1000 + law_size(P, 9), energy = law_energy(c, H);
            for (int side = 0; side < 2; side++) {
                if (c->law == SP_LAW_LINEAR) {
                    // isotropic in the sense of small strains: Q H Q^T
                    double Qt[9], X[9];
                    for (int k = 0; k < 9; k++) Qt[k] = Q[k % 3 * 3 + k / 3];
                    product(Q, H, X), product(X, Qt, G);
                    product(Q, P, X), product(X, Qt, turned);
                } else {
                    product(side ? F : Q, side ? Q : F, G);
                    add_identity(G, -1, G);
                    product(side ? P : Q, side ? Q : P, turned);
                }
                law_stress(c, G, moved);
                // products of matrices: some dozens of roundings of the moduli, 1e4 at the largest of these strains
                CHECK_NEAR(law_energy(c, G), energy, 1e-13 * (scale + energy));
                for (int k = 0; k < 9; k++) CHECK_NEAR(moved[k], turned[k], 1e-12 * scale);
            }
        }
}

// the tangent is symmetric, B : dP(A) = A : dP(B), and P F^T too: a law exerts no torque
TEST(tangents_are_symmetric_and_stresses_without_torque) {
    unsigned long long seed = 5;
    for (int n = 0; n < LAW_CASES; n++)
        for (int t = 0; t < 100; t++) {
            const law_case *c = &law_cases[n];
            double H[9], F[9], P[9], S[9], A[9], B[9], dA[9], dB[9];
            random_gradient(&seed, 0.4, true, H);
            for (int k = 0; k < 9; k++) A[k] = sp_test_random(&seed), B[k] = sp_test_random(&seed);
            law_stress(c, H, P);
            law_change(c, t % 2, H, A, dA), law_change(c, t % 2, H, B, dB);
            double scale = law_size(dA, 9) + law_size(dB, 9) + law_size(P, 9);
            CHECK_NEAR(inner(A, dB), inner(B, dA), 1e-13 * 9 * scale);  // nine products
            memset(F, 0, sizeof F);
            add_identity(c->law == SP_LAW_LINEAR ? F : H, 1, F);
            for (int k = 0; k < 9; k++) S[k] = lane_dot(P + k - k % 3, F + k % 3 * 3);
            CHECK_NEAR(fabs(S[1] - S[3]) + fabs(S[2] - S[6]) + fabs(S[5] - S[7]), 0, 1e-13 * scale);
        }
}

// ------------------------------------------------------------------------------------------------ definite tangents

// eigenvalues of the 9x9 tangent, cyclic Jacobi sweeps, ascending order not needed
static void tangent_matrix(const law_case *c, int definite, const double *H, double *K) {
    for (int j = 0; j < 9; j++) {
        double D[9] = {0}, dP[9];
        D[j] = 1;
        law_change(c, definite, H, D, dP);
        for (int i = 0; i < 9; i++) K[9 * i + j] = dP[i];
    }
}
static void eigenvalues(double *K, double *value) {
    for (int sweep = 0; sweep < 30; sweep++)
        for (int p = 0; p < 9; p++)
            for (int q = p + 1; q < 9; q++) {
                double angle = 0.5 * atan2(2 * K[9 * p + q], K[10 * p] - K[10 * q]), c = cos(angle), s = sin(angle);
                for (int i = 0; i < 9; i++) {
                    double a = K[9 * i + p], b = K[9 * i + q];
                    K[9 * i + p] = c * a + s * b, K[9 * i + q] = c * b - s * a;
                }
                for (int i = 0; i < 9; i++) {
                    double a = K[9 * p + i], b = K[9 * q + i];
                    K[9 * p + i] = c * a + s * b, K[9 * q + i] = c * b - s * a;
                }
            }
    for (int i = 0; i < 9; i++) value[i] = K[10 * i];
}
static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The projected tangent has the eigenvalues max(0, .) of the exact one, so it is the exact one where that is definite.
TEST(definite_tangents_have_the_positive_eigenvalues_of_the_exact_ones) {
    unsigned long long seed = 6;
    int indefinite = 0, definite = 0;
    for (int n = 0; n < LAW_CASES; n++)
        for (int t = 0; t < 60; t++) {
            const law_case *c = &law_cases[n];
            double H[9], K[81], L[81], exact[9], clamped[9], apart = 0;
            random_gradient(&seed, t % 2 ? 0.05 : 0.6, t % 4 || !law_everywhere(c->law), H);
            tangent_matrix(c, 0, H, K), tangent_matrix(c, 1, H, L);
            for (int k = 0; k < 81; k++) apart = fmax(apart, fabs(K[k] - L[k]));
            eigenvalues(K, exact), eigenvalues(L, clamped);
            qsort(exact, 9, sizeof *exact, ascending), qsort(clamped, 9, sizeof *clamped, ascending);
            double scale = fabs(exact[0]) + fabs(exact[8]), rounding = 1e-13 * scale;  // some hundred roundings in sweeps
            for (int i = 0; i < 9; i++) CHECK_NEAR(clamped[i], fmax(exact[i], 0), rounding);
            if (exact[0] > rounding) CHECK_NEAR(apart, 0, 0), definite++;
            if (exact[0] < -rounding) indefinite++;
        }
    CHECK(definite > 100 && indefinite > 100);
}

// ------------------------------------------------------------------------------------------------ small strains

// shear modulus and lambda of a case at small strains, from its coefficients by hand
static void small_moduli(const law_case *c, double *mu, double *lambda) {
    const double *p = c->p;
    *mu = p[0], *lambda = p[1] + (c->law == SP_LAW_STVK || c->law == SP_LAW_NEO_HOOKEAN_LOG ? p[SP_LAW_BULK] : 0);
    if (c->law < SP_LAW_NEO_HOOKEAN_ISOCHORIC) return;
    if (c->law == SP_LAW_MOONEY_RIVLIN) *mu = 2 * (p[0] + p[1]);
    // Arruda and Boyce: mu (1 + 3/5 r + 99/175 r^2 + 513/875 r^3 + 42039/67375 r^4)
    if (c->law == SP_LAW_ARRUDA_BOYCE)
        *mu = p[0] * (1 + p[1] * (0.6 + p[1] * (99. / 175 + p[1] * (513. / 875 + p[1] * 42039. / 67375))));
    if (c->law == SP_LAW_VERONDA_WESTMANN) *mu = p[0] * p[1];
    if (c->law == SP_LAW_OGDEN) *mu = p[0] + p[2] + p[4] + p[6];
    *lambda = p[SP_LAW_BULK] - 2. / 3 * *mu;
}

// Hooke's law: the stress at strain e is 2 mu e + lambda tr e and its energy is half of stress times strain; both keep their
// digits at a strain of 1e-9, where the next term is of the relative order 1e-9 times a constant of the law
TEST(small_strains_follow_hooke_and_keep_their_digits) {
    unsigned long long seed = 7;
    for (int n = 0; n < LAW_CASES; n++)
        for (int t = 0; t < 60; t++) {
            const law_case *c = &law_cases[n];
            double e[9], H[9], P[9], Q[9], X[9], expected[9], mu, lambda, size = t % 2 ? 1e-9 : 1e-7, energy = 0;
            small_moduli(c, &mu, &lambda);
            for (int i = 0; i < 3; i++)
                for (int j = i; j < 3; j++) e[3 * i + j] = e[3 * j + i] = size * sp_test_random(&seed);
            for (int k = 0; k < 9; k++) {
                expected[k] = 2 * mu * e[k] + (k % 4 ? 0 : lambda * (e[0] + e[4] + e[8]));
                energy += 0.5 * expected[k] * e[k];
                H[k] = e[k];
            }
            // a rotation of the same order changes neither
            double w[3] = {size * sp_test_random(&seed), size * sp_test_random(&seed), size * sp_test_random(&seed)};
            H[1] -= w[2], H[3] += w[2], H[2] += w[1], H[6] -= w[1], H[5] -= w[0], H[7] += w[0];
            law_stress(c, H, P);
            double most = law_size(expected, 9);
            for (int k = 0; k < 9; k++) CHECK_NEAR(P[k], expected[k], 20 * size * most + 1e-12 * most);
            CHECK_NEAR(law_energy(c, H), energy, (20 * size + 1e-12) * (mu + lambda) * size * size);
            // and a large one turns the stress: the gradient then has the rounding of its entries only, 1e-16 / 1e-9
            if (c->law == SP_LAW_LINEAR) continue;
            random_rotation(&seed, Q);
            add_identity(e, 1, X), product(Q, X, H), add_identity(H, -1, H);
            law_stress(c, H, P), product(Q, expected, X);
            for (int k = 0; k < 9; k++) CHECK_NEAR(P[k], X[k], 20 * size * most + 1e-14 * (mu + lambda));
        }
}

// ------------------------------------------------------------------------------------------------ the generated file

static char *file_text(const char *path) {
    FILE *f = fopen(path, "rb");
    char *text = calloc(1 << 20, 1);
    if (!f || !text) return text;
    text[fread(text, 1, (1 << 20) - 1, f)] = 0;
    fclose(f);
    return text;
}

TEST(the_committed_file_is_what_the_script_writes) {
    NOT_SANITIZED();
    // the system's Python, where tools/install.sh laws puts SymPy
    CHECK_INT(system("/usr/bin/python3 " SP_SOURCE_DIR "/tools/laws.py --output " SP_BINARY_DIR "/laws.h"), 0);
    char *written = file_text(SP_BINARY_DIR "/laws.h"), *committed = file_text(SP_SOURCE_DIR "/src/kernels/laws.h");
    REQUIRE(written && committed);
    CHECK(strlen(committed) > 1000 && strcmp(written, committed) == 0);
    free(written), free(committed);
}
