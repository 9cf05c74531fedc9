// Banded factors against the matrix that was factored.
#include "linear/banded.h"

#include <math.h>
#include <string.h>

#include "test.h"

enum { N = 57, MOST = 12 };

// diagonally dominant, so well conditioned
static void fill(double *A, int band) {
    for (int i = 0; i < N; i++)
        for (int j = i > band ? i - band : 0; j <= i; j++)
            *sp__banded_at(A, band, i, j) = i == j ? 2.0 * band + 2 : sin(i * 7 + j * 3);
}

TEST(solve_inverts_the_product) {
    for (int band = 0; band <= MOST; band += 3) {
        double A[N * (MOST + 1)] = {0}, B[N * (MOST + 1)], x[N], b[N], y[N];
        fill(A, band);
        memcpy(B, A, sizeof A);
        for (int i = 0; i < N; i++) x[i] = cos(i);
        sp__banded_mul(A, N, band, x, b);
        REQUIRE(sp__banded_factor(A, N, band, 0) == -1);
        sp__banded_solve(A, N, band, b, y);
        for (int i = 0; i < N; i++) CHECK_NEAR(y[i], x[i], 1e-14);  // a condition number of about 3 and sums of 25 numbers
        sp__banded_solve(A, N, band, b, b);                         // in place
        CHECK(memcmp(b, y, sizeof b) == 0);
    }
}

// four at a time have the bits of single ones, from the first unknown that is not zero on
TEST(four_solves_are_single_ones) {
    enum { FIRST = 21 };
    for (int band = 0; band <= MOST; band += 3) {
        double A[N * (MOST + 1)] = {0}, x[N][SP_BANDED_LANES] = {{0}}, b[SP_BANDED_LANES][N] = {{0}};
        fill(A, band);
        REQUIRE(sp__banded_factor(A, N, band, 0) == -1);
        for (int i = FIRST; i < N; i++)
            for (int l = 0; l < SP_BANDED_LANES; l++) x[i][l] = b[l][i] = cos(i * (l + 1));
        sp__banded_solve_four(A, N, band, FIRST, x);
        for (int l = 0; l < SP_BANDED_LANES; l++) {
            sp__banded_solve(A, N, band, b[l], b[l]);
            for (int i = FIRST; i < N; i++) CHECK(x[i][l] == b[l][i]);
        }
    }
}

TEST(failed_pivots_are_reported) {
    double A[N * 2] = {0};
    fill(A, 1);
    *sp__banded_at(A, 1, 20, 20) = -1;
    CHECK(sp__banded_factor(A, N, 1, 0) == 20);
    fill(A, 1);
    *sp__banded_at(A, 1, 30, 30) = NAN;
    CHECK(sp__banded_factor(A, N, 1, 0) == 30);
    fill(A, 1);
    CHECK(sp__banded_factor(A, N, 1, 100) == 0);
}
