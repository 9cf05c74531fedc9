// The rotations of kernels/rotation.h: orthogonal for every F, nearest where documented, and their results for mirror images.
#define SP_LANES 1
#include "kernels/rotation.h"
#include "test.h"

static void random_matrix(unsigned long long *seed, double *F) {
    for (int i = 0; i < 9; i++) F[i] = sp_test_random(seed);
}

// largest entry of |R^T R - I|
static double skewness(const double *R) {
    double worst = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double s = R[i] * R[j] + R[3 + i] * R[3 + j] + R[6 + i] * R[6 + j];
            worst = fmax(worst, fabs(s - (i == j)));
        }
    return worst;
}

// S = R^T F
static void stretch(const double *R, const double *F, double *S) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) S[3 * i + j] = R[i] * F[j] + R[3 + i] * F[3 + j] + R[6 + i] * F[6 + j];
}

static double asymmetry(const double *S) {
    return fmax(fabs(S[1] - S[3]), fmax(fabs(S[2] - S[6]), fabs(S[5] - S[7])));
}

static double determinant(const double *m) {
    double cof[9];
    return lane_cofactor(m, cof);
}

// orthogonal to a few roundings, for any F: products of two unit vectors and a normalisation
static const double rounding = 1e-14;

TEST(all_are_orthogonal_for_random_flat_and_collapsed_elements) {
    unsigned long long seed = 1;
    for (int t = 0; t < 20000; t++) {
        double F[9], R[9];
        random_matrix(&seed, F);
        if (t % 5 == 1) F[6] = F[7] = F[8] = 0;  // flat
        if (t % 5 == 2)
            for (int i = 3; i < 9; i++) F[i] = 2 * F[i % 3];  // a line
        if (t % 5 == 3)
            for (int i = 0; i < 9; i++) F[i] = 0;  // a point
        if (t % 5 == 4)
            for (int i = 0; i < 9; i++) F[i] *= 1e-9;  // tiny
        rotation_qr(F, R);
        CHECK(skewness(R) < rounding && fabs(determinant(R) - 1) < rounding);
        rotation_svd(F, R);
        CHECK(skewness(R) < rounding && fabs(determinant(R) - 1) < rounding);
        rotation_polar(F, R);
        CHECK(skewness(R) < rounding && fabs(fabs(determinant(R)) - 1) < rounding);
    }
}

TEST(svd_leaves_a_symmetric_stretch_whose_only_negative_value_is_the_least) {
    unsigned long long seed = 2;
    for (int t = 0; t < 20000; t++) {
        double F[9], R[9], S[9];
        random_matrix(&seed, F);
        rotation_svd(F, R);
        stretch(R, F, S);
        CHECK(asymmetry(S) < rounding);
        // pairwise sums of singular values are not negative: (tr S) I - S is positive semi-definite, so its minors are not
        // negative
        double tr = S[0] + S[4] + S[8], a = tr - S[0], b = tr - S[4];
        CHECK(a > -rounding && b > -rounding && a * b - S[1] * S[1] > -rounding);
    }
}

TEST(the_closed_form_agrees_with_jacobi_sweeps) {
    unsigned long long seed = 3;
    double worst = 0;
    for (int t = 0; t < 20000; t++) {
        double F[9], R[9], Q[9];
        random_matrix(&seed, F);
        rotation_svd(F, R);
        rotation_jacobi(F, Q);
        for (int i = 0; i < 9; i++) worst = fmax(worst, fabs(R[i] - Q[i]));
        if (determinant(F) < 0) continue;
        rotation_polar(F, Q);
        for (int i = 0; i < 9; i++) worst = fmax(worst, fabs(R[i] - Q[i]));
    }
    // rounding times the condition number at which the closed form is replaced, 1 / 0.05, times some additions
    CHECK_NEAR(worst, 0, 1e-13);
}

TEST(polar_treats_a_mirror_image_as_undeformed_and_svd_does_not) {
    double F[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1}, R[9], S[9];
    rotation_polar(F, R);
    stretch(R, F, S);
    for (int i = 0; i < 9; i++) CHECK_NEAR(S[i], i % 4 ? 0 : 1, rounding);
    rotation_svd(F, R);
    stretch(R, F, S);
    CHECK_NEAR(S[0] + S[4] + S[8], 1, rounding);  // 1 + 1 - 1
}

TEST(qr_follows_the_first_edge_and_face) {
    unsigned long long seed = 4;
    for (int t = 0; t < 1000; t++) {
        double F[9], R[9], S[9];
        random_matrix(&seed, F);
        rotation_qr(F, R);
        stretch(R, F, S);
        CHECK(S[0] > 0 && S[4] > 0);
        CHECK_NEAR(S[3], 0, rounding);
        CHECK_NEAR(S[6], 0, rounding);
        CHECK_NEAR(S[7], 0, rounding);
    }
}

TEST(rotations_are_frame_indifferent) {
    // R(Q F) = Q R(F): no method may prefer a direction of the world
    unsigned long long seed = 5;
    void (*const ways[])(const double *, double *) = {rotation_qr, rotation_svd, rotation_polar};
    for (int t = 0; t < 3000; t++) {
        double A[9], Q[9], F[9], QF[9], R[9], RQ[9];
        random_matrix(&seed, A);
        rotation_svd(A, Q);
        random_matrix(&seed, F);
        if (fabs(determinant(F)) < 1e-3) continue;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) QF[3 * i + j] = Q[3 * i] * F[j] + Q[3 * i + 1] * F[3 + j] + Q[3 * i + 2] * F[6 + j];
        for (int w = 0; w < 3; w++) {
            if (w == 1 && determinant(F) < 0) continue;  // the sign of the smallest value may move to another where two are close
            ways[w](F, R);
            ways[w](QF, RQ);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    double expected = Q[3 * i] * R[j] + Q[3 * i + 1] * R[3 + j] + Q[3 * i + 2] * R[6 + j];
                    // the condition number of the nearest rotation is 1 / (s2 + s3): these matrices reach 1e-3
                    CHECK_NEAR(RQ[3 * i + j], expected, 1e-10);
                }
        }
    }
}
