// Checks of one table of dense kernels against plain loops in long double; included by dense.c once per number type, which
// defines `real`, CHECKED(name), TABLE and EPS (unit roundoff times 2).
//
// Every bound is componentwise and backward (Higham, Accuracy and Stability of Numerical Algorithms, 2002, theorems 8.5 and
// 10.3): the error of a sum of n products is at most (n + few) eps times the sum of the absolute products, in any order; "few"
// counts the square root, the reciprocal and the last product.

enum { CHECKED(FEW) = 8 };

typedef struct CHECKED(matrix) {
    int rows, cols, ld;
    real *at, *memory;
} CHECKED(matrix);

// Allocates the exact size, so that a sanitizer detects every read past the end. Padding rows are NaN.
static CHECKED(matrix) CHECKED(make)(int rows, int cols, int pad, unsigned long long *seed) {
    CHECKED(matrix) M = {rows, cols, rows + pad, NULL, NULL};
    size_t n = cols ? (size_t)(cols - 1) * (size_t)M.ld + (size_t)rows : 0;
    M.at = M.memory = malloc(n * sizeof(real) + 1);
    for (size_t i = 0; i < n; i++) M.at[i] = (int)(i % (size_t)M.ld) < rows ? (real)sp_test_random(seed) : (real)NAN;
    return M;
}

static CHECKED(matrix) CHECKED(copy)(const CHECKED(matrix) * A) {
    unsigned long long seed = 1;
    CHECKED(matrix) M = CHECKED(make)(A->rows, A->cols, A->ld - A->rows, &seed);
    for (int j = 0; j < A->cols; j++) memcpy(M.at + j * M.ld, A->at + j * A->ld, (size_t)A->rows * sizeof(real));
    return M;
}

#define AT(M, i, j) ((M).at[(i) + (ptrdiff_t)(j) * (M).ld])

// a matrix of k rows with a dominant diagonal; mixed: signs of the pivots alternate
static void CHECKED(dominate)(CHECKED(matrix) * A, bool mixed) {
    for (int j = 0; j < A->cols; j++) AT(*A, j, j) = (real)(A->cols + 1) * (mixed && j % 2 ? -1 : 1);
}

static long double CHECKED(l)(const CHECKED(matrix) * L, int i, int j, bool unit) {
    return i == j && unit ? 1 : AT(*L, i, j);
}

// |A - L D L^T| and |B - X D L^T|
static void CHECKED(factor)(const TABLE *t, int m, int k, int pad, bool ldlt) {
    unsigned long long seed = (unsigned long long)(100 * m + k);
    CHECKED(matrix) A = CHECKED(make)(m, k, pad, &seed);
    CHECKED(dominate)(&A, ldlt);
    CHECKED(matrix) L = CHECKED(copy)(&A);
    real *d = ldlt ? malloc((size_t)k * sizeof(real)) : NULL;
    CHECK_INT(t->diagonal(k, L.at, L.ld, d), k);
    t->below(m - k, k, L.at, L.ld, d, L.at + k, L.ld);
    double worst = 0;
    for (int j = 0; j < k; j++)
        for (int i = j; i < m; i++) {
            long double sum = 0, scale = 0;
            for (int p = 0; p <= j; p++) {
                long double term = CHECKED(l)(&L, i, p, ldlt) * CHECKED(l)(&L, j, p, ldlt) * (ldlt ? d[p] : 1);
                sum += term, scale += fabsl(term);
            }
            worst = fmax(worst, (double)(fabsl(sum - AT(A, i, j)) / (scale * (j + CHECKED(FEW)))));
        }
    CHECK_NEAR(worst, 0, EPS);
    free(d), free(A.memory), free(L.memory);
}

// C - B D B^T by tiles, in one piece, and without packing
static void CHECKED(product)(const TABLE *t, int m, int k, int pad, bool ldlt) {
    unsigned long long seed = (unsigned long long)(100 * m + k);
    CHECKED(matrix) B = CHECKED(make)(m, k, pad, &seed), C = CHECKED(make)(m, m, pad, &seed), D = CHECKED(make)(k, 1, 0, &seed);
    CHECKED(matrix) whole = CHECKED(copy)(&C), tiles = CHECKED(copy)(&C), bare = CHECKED(copy)(&C);
    const real *d = ldlt ? D.at : NULL;
    real *rows = malloc(sp__dense_pack_size(m, k) * sizeof(real)), *cols = malloc(sp__dense_pack_size(m, k) * sizeof(real));
    t->pack(m, k, B.at, B.ld, d, rows, cols);
    t->update(0, m, 0, m, k, rows, cols, whole.at, whole.ld);
    for (int j = 0; j < m; j += 2 * SP_DENSE_ROWS)  // uneven tiles, last ones first
        for (int i = (m - 1) / SP_DENSE_ROWS * SP_DENSE_ROWS; i >= j; i -= SP_DENSE_ROWS)
            t->update(i, i + SP_DENSE_ROWS < m ? i + SP_DENSE_ROWS : m, j, j + 2 * SP_DENSE_ROWS < m ? j + 2 * SP_DENSE_ROWS : m,
                      k, rows, cols, tiles.at, tiles.ld);
    t->update_whole(m, k, B.at, B.ld, d, bare.at, bare.ld);
    double worst = 0;
    bool same = true;
    for (int j = 0; j < m; j++)
        for (int i = j; i < m; i++) {
            long double sum = AT(C, i, j), scale = fabsl(sum);
            for (int p = 0; p < k; p++) {
                long double term = (long double)AT(B, i, p) * AT(B, j, p) * (d ? d[p] : 1);
                sum -= term, scale += fabsl(term);
            }
            long double apart = fmaxl(fabsl(sum - AT(whole, i, j)), fabsl(sum - AT(bare, i, j)));
            worst = fmax(worst, (double)(apart / (scale * (k + CHECKED(FEW)))));
            same = same && AT(whole, i, j) == AT(tiles, i, j) && (d || k > SP_DENSE_PANEL || AT(whole, i, j) == AT(bare, i, j));
        }
    CHECK_NEAR(worst, 0, EPS);
    CHECK(same);
    free(rows), free(cols), free(B.memory), free(C.memory), free(D.memory), free(whole.memory), free(tiles.memory),
        free(bare.memory);
}

// Residuals of both solves for r right-hand sides: r = 1 uses the kernels for one.
static void CHECKED(solves)(const TABLE *t, int m, int k, int pad, bool unit, int r) {
    unsigned long long seed = (unsigned long long)(100 * m + k);
    CHECKED(matrix)
    L = CHECKED(make)(m, k, pad, &seed), b1 = CHECKED(make)(r, k, 0, &seed), b2 = CHECKED(make)(r, m - k, 0, &seed);
    // in a unit triangle the entries below the diagonal must be small, or the solution overflows a float
    for (int j = 0; j < k; j++)
        for (int i = j; i < m; i++) AT(L, i, j) = i == j ? (unit ? (real)NAN : (real)(1.5 + 0.3 * AT(L, i, j))) : AT(L, i, j) / 8;
    CHECKED(matrix) f1 = CHECKED(copy)(&b1), f2 = CHECKED(copy)(&b2), g1 = CHECKED(copy)(&b1);
    if (r == 1) {
        t->forward(m, k, L.at, L.ld, unit, f1.at, f2.at);
        t->backward(m, k, L.at, L.ld, unit, g1.at, b2.at);
    } else {
        t->forward_many(m, k, L.at, L.ld, unit, r, f1.at, f2.at);
        t->backward_many(m, k, L.at, L.ld, unit, r, g1.at, b2.at);
    }
    double worst = 0;
    for (int c = 0; c < r; c++) {
        for (int i = 0; i < m; i++) {  // L11 f1 = b1, f2 = b2 - L21 f1
            long double b = i < k ? AT(b1, c, i) : AT(b2, c, i - k);
            long double sum = i < k ? 0 : (long double)AT(f2, c, i - k), scale = fabsl(b);
            for (int p = 0; p < k && p <= i; p++) {
                long double term = CHECKED(l)(&L, i, p, unit) * AT(f1, c, p);
                sum += term, scale += fabsl(term);
            }
            worst = fmax(worst, (double)(fabsl(sum - b) / (scale * (k + CHECKED(FEW)))));
        }
        for (int j = 0; j < k; j++) {  // L11^T g1 = b1 - L21^T b2
            long double sum = 0, scale = fabsl((long double)AT(b1, c, j));
            for (int i = j; i < m; i++) {
                long double term = CHECKED(l)(&L, i, j, unit) * (i < k ? AT(g1, c, i) : AT(b2, c, i - k));
                sum += term, scale += fabsl(term);
            }
            worst = fmax(worst, (double)(fabsl(sum - AT(b1, c, j)) / (scale * (m + CHECKED(FEW)))));
        }
    }
    CHECK_NEAR(worst, 0, EPS);
    free(L.memory), free(b1.memory), free(b2.memory), free(f1.memory), free(f2.memory), free(g1.memory);
}

// x2 -= L x1 and x1 -= L^T x2
static void CHECKED(products_with_one)(const TABLE *t, int m, int k, int pad) {
    unsigned long long seed = (unsigned long long)(100 * m + k);
    CHECKED(matrix) L = CHECKED(make)(m, k, pad, &seed), x1 = CHECKED(make)(k, 1, 0, &seed), x2 = CHECKED(make)(m, 1, 0, &seed);
    CHECKED(matrix) y1 = CHECKED(copy)(&x1), y2 = CHECKED(copy)(&x2);
    t->product(m, k, L.at, L.ld, x1.at, y2.at);
    t->product_transposed(m, k, L.at, L.ld, x2.at, y1.at);
    double worst = 0;
    for (int way = 0; way < 2; way++)
        for (int i = 0; i < (way ? k : m); i++) {
            long double sum = way ? x1.at[i] : x2.at[i], scale = fabsl(sum);
            for (int p = 0; p < (way ? m : k); p++) {
                long double term = way ? (long double)AT(L, p, i) * x2.at[p] : (long double)AT(L, i, p) * x1.at[p];
                sum -= term, scale += fabsl(term);
            }
            worst = fmax(worst, (double)(fabsl(sum - (way ? y1.at[i] : y2.at[i])) / (scale * ((way ? m : k) + CHECKED(FEW)))));
        }
    CHECK_NEAR(worst, 0, EPS);
    free(L.memory), free(x1.memory), free(x2.memory), free(y1.memory), free(y2.memory);
}

// An invalid pivot in column `bad` of k is found there, not before and not after, and is left in place.
static void CHECKED(refusal)(const TABLE *t, int k, int bad, bool ldlt, double spoil) {
    unsigned long long seed = (unsigned long long)(100 * k + bad);
    CHECKED(matrix) A = CHECKED(make)(k, k, 2, &seed);
    CHECKED(dominate)(&A, ldlt);
    if (ldlt && spoil == 0)  // an exact zero needs a column from which nothing is subtracted
        for (int p = 0; p < bad; p++) AT(A, bad, p) = 0;
    AT(A, bad, bad) = (real)spoil;
    real *d = malloc((size_t)k * sizeof(real));
    CHECK_INT(t->diagonal(k, A.at, A.ld, ldlt ? d : NULL), bad);
    CHECK(ldlt ? AT(A, bad, bad) == 0 || isnan(AT(A, bad, bad)) || isinf(AT(A, bad, bad))
               : !(AT(A, bad, bad) > 0) || isinf(AT(A, bad, bad)));
    free(d), free(A.memory);
}

static void CHECKED(factors)(const TABLE *t) {
    for (size_t a = 0; a < sizeof sizes / sizeof *sizes; a++)
        for (size_t b = 0; b < sizeof extra / sizeof *extra; b++)
            for (int ldlt = 0; ldlt < 2; ldlt++) CHECKED(factor)(t, sizes[a] + extra[b], sizes[a], (int)b % 3, ldlt);
}

static void CHECKED(products)(const TABLE *t) {
    for (size_t a = 0; a < sizeof sizes / sizeof *sizes; a++)
        for (size_t b = 0; b < sizeof extra / sizeof *extra; b++)
            for (int ldlt = 0; ldlt < 2; ldlt++) CHECKED(product)(t, extra[b], sizes[a], (int)a % 3, ldlt);
    CHECKED(product)(t, 30, 100, 0, false);  // more columns than one pass handles
}

static void CHECKED(all_solves)(const TABLE *t) {
    static const int many[] = {1, 8, 16, 24, 32, 64};
    for (size_t a = 0; a < sizeof sizes / sizeof *sizes; a++)
        for (size_t b = 0; b < sizeof extra / sizeof *extra; b++) {
            CHECKED(products_with_one)(t, extra[b], sizes[a], (int)b % 3);
            for (int unit = 0; unit < 2; unit++)
                CHECKED(solves)(t, sizes[a] + extra[b], sizes[a], (int)b % 3, unit, (a + b) % 2 ? 1 : many[(a + b) / 2 % 6]);
        }
    for (int c = 0; c < 6; c++) CHECKED(solves)(t, 250, 110, 1, c % 2, many[c]);  // wider than one panel
}

static void CHECKED(refusals)(const TABLE *t) {
    for (int k = 1; k <= 40; k += 3)
        for (int bad = 0; bad < k; bad++) {
            CHECKED(refusal)(t, k, bad, false, -1e-3);
            CHECKED(refusal)(t, k, bad, false, NAN);
            CHECKED(refusal)(t, k, bad, false, INFINITY);
            CHECKED(refusal)(t, k, bad, true, 0);
            CHECKED(refusal)(t, k, bad, true, NAN);
        }
}
// entry (i, j) of L D L^T over the k columns of a panel, plus sign times the sum over ranks of w w^T / alpha
static long double CHECKED(with_rank)(const CHECKED(matrix) * L, const real *d, const CHECKED(matrix) * W, const real *alpha,
                                      double sign, int i, int j) {
    long double sum = 0;
    for (int p = 0; p < L->cols && p <= i && p <= j; p++)
        sum += CHECKED(l)(L, i, p, d != NULL) * CHECKED(l)(L, j, p, d != NULL) * (d ? d[p] : 1);
    for (int c = 0; c < W->cols; c++) sum += sign * (long double)AT(*W, i, c) * AT(*W, j, c) / (alpha ? alpha[c] : 1);
    return sum;
}

// L D L^T + sign W W^T before is L' D' L'^T + sign W' / alpha W'^T after, where W' has rows below the panel only. The recurrences
// are stable, mixed forward and backward (Bojanczyk, Brent, Van Dooren and de Hoog 1987), with errors of a few eps for each of k
// columns and r ranks; the scale is the largest entry, which is near k + 1.
static void CHECKED(rank)(const TABLE *t, int m, int k, int r, int pad, bool ldlt, double sign) {
    unsigned long long seed = (unsigned long long)(100 * m + k);
    CHECKED(matrix) L = CHECKED(make)(m, k, pad, &seed), W = CHECKED(make)(m, r, pad, &seed);
    CHECKED(dominate)(&L, ldlt);
    real *d = ldlt ? malloc((size_t)k * sizeof(real)) : NULL, alpha[SP_DENSE_RANK];
    for (int c = 0; c < r; c++) alpha[c] = 1;
    // a downdate must leave at least half of the diagonal
    for (int c = 0; c < r; c++)
        for (int i = 0; i < m; i++) AT(W, i, c) *= (real)sqrt(0.5 / (double)r);
    CHECK_INT(t->diagonal(k, L.at, L.ld, d), k);
    t->below(m - k, k, L.at, L.ld, d, L.at + k, L.ld);
    CHECKED(matrix) M = CHECKED(copy)(&L), V = CHECKED(copy)(&W);
    real *e = ldlt ? malloc((size_t)k * sizeof(real)) : NULL;
    if (ldlt) memcpy(e, d, (size_t)k * sizeof(real));
    CHECK_INT(t->rank_update(m, k, r, (real)sign, M.at, M.ld, e, V.at, V.ld, alpha), k);
    for (int c = 0; c < r; c++)
        for (int i = 0; i < k; i++) AT(V, i, c) = 0;
    double worst = 0;
    for (int j = 0; j < m; j++)
        for (int i = j; i < m; i++) {
            long double apart =
                CHECKED(with_rank)(&L, d, &W, NULL, sign, i, j) - CHECKED(with_rank)(&M, e, &V, alpha, sign, i, j);
            worst = fmax(worst, (double)fabsl(apart));
        }
    CHECK_NEAR(worst / (k + 1), 0, EPS * (k + r + CHECKED(FEW)));
    free(d), free(e), free(L.memory), free(W.memory), free(M.memory), free(V.memory);
}

// a downdate that subtracts more than the diagonal, in one place
static void CHECKED(rank_refusal)(const TABLE *t, int k, int r, int bad, bool ldlt) {
    unsigned long long seed = 5;
    CHECKED(matrix) L = CHECKED(make)(k, k, 1, &seed), W = CHECKED(make)(k, r, 1, &seed);
    real alpha[SP_DENSE_RANK], *d = ldlt ? malloc((size_t)k * sizeof(real)) : NULL;
    for (int j = 0; j < k; j++) {
        for (int i = j; i < k; i++) AT(L, i, j) = i == j ? 4 : 0;
        if (d) d[j] = 4, AT(L, j, j) = 1;
    }
    for (int c = 0; c < r; c++) {
        alpha[c] = 1;
        for (int i = 0; i < k; i++) AT(W, i, c) = (real)(c == r - 1 && i == bad ? (d ? 2 : 5) : 0);  // 4 - 2 2 = 0, 16 - 5 5 < 0
    }
    CHECK_INT(t->rank_update(k, k, r, -1, L.at, L.ld, d, W.at, W.ld, alpha), bad);
    CHECK_NEAR(d ? d[bad] : AT(L, bad, bad), d ? 0 : -9, 60 * EPS);  // a few roundings of numbers up to 25
    free(d), free(L.memory), free(W.memory);
}

static void CHECKED(ranks)(const TABLE *t) {
    for (size_t a = 0; a < sizeof sizes / sizeof *sizes; a++)
        for (size_t b = a % 3; b < sizeof extra / sizeof *extra; b += 3)
            for (int way = 0; way < 4; way++) CHECKED(rank)
    (t, sizes[a] + extra[b], sizes[a], 1 + (int)(5 * a + b) % SP_DENSE_RANK, (int)b % 3, way & 1, way & 2 ? 1 : -1);
    for (int k = 1; k < 40; k += 6)
        for (int r = 1; r < 20; r += 4)
            for (int way = 0; way < 2; way++) CHECKED(rank_refusal)(t, k, r, k * 2 / 3, way);
}
#undef AT
