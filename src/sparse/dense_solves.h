// Triangular solves with the columns of one supernode: one right-hand side at the speed of memory (four columns in one pass),
// many with lanes over right-hand sides. Included once per number type, after dense_loops.h.

// x -= L s for wide columns
SP_INLINE void DENSE(axpy)(const int wide, int rows, const real *L, ptrdiff_t ld, const real s[4], real *x) {
    vec f[4];
    int i = 0;
    SP_UNROLL
    for (int c = 0; c < wide; c++) f[c] = DENSE(all)(s[c]);
    for (; i + LANES <= rows; i += LANES) {
        vec t = DENSE(load)(x + i);
        SP_UNROLL
        for (int c = 0; c < wide; c++) t -= DENSE(load)(L + i + c * ld) * f[c];
        DENSE(store)(x + i, t);
    }
    for (; i < rows; i++) {
        SP_UNROLL
        for (int c = 0; c < wide; c++) x[i] -= L[i + c * ld] * s[c];
    }
}

// sum(c) += L(:, c) x for wide columns
SP_INLINE void DENSE(dots)(const int wide, int rows, const real *L, ptrdiff_t ld, const real *x, real sum[4]) {
    vec t[4] = {{0}};
    int i = 0;
    for (; i + LANES <= rows; i += LANES) {
        vec f = DENSE(load)(x + i);
        SP_UNROLL
        for (int c = 0; c < wide; c++) t[c] += DENSE(load)(L + i + c * ld) * f;
    }
    SP_UNROLL
    for (int c = 0; c < wide; c++) {
        real s = 0;
        for (int v = 0; v < LANES; v++) s += t[c][v];
        for (int r = i; r < rows; r++) s += L[r + c * ld] * x[r];
        sum[c] += s;
    }
}

SP_INLINE void DENSE(forward_fixed)(const int wide, int j, int m, int k, const real *L, ptrdiff_t ld, bool unit, real *x1,
                                    real *x2) {
    const real *at = L + j + j * ld;
    real s[4];
    SP_UNROLL
    for (int c = 0; c < wide; c++) {
        s[c] = x1[j + c];
        SP_UNROLL
        for (int q = 0; q < c; q++) s[c] -= at[c + q * ld] * s[q];
        if (!unit) s[c] /= at[c + c * ld];
        x1[j + c] = s[c];
    }
    DENSE(axpy)(wide, k - j - wide, at + wide, ld, s, x1 + j + wide);
    DENSE(axpy)(wide, m - k, at + k - j, ld, s, x2);
}

static void DENSE(forward)(int m, int k, const real *L, ptrdiff_t ld, bool unit, real *x1, real *x2) {
    int j = 0;
    for (; j + 4 <= k; j += 4) DENSE(forward_fixed)(4, j, m, k, L, ld, unit, x1, x2);
    switch (k - j) {
    case 3: DENSE(forward_fixed)(3, j, m, k, L, ld, unit, x1, x2); break;
    case 2: DENSE(forward_fixed)(2, j, m, k, L, ld, unit, x1, x2); break;
    case 1: DENSE(forward_fixed)(1, j, m, k, L, ld, unit, x1, x2); break;
    }
}

SP_INLINE void DENSE(backward_fixed)(const int wide, int j, int m, int k, const real *L, ptrdiff_t ld, bool unit, real *x1,
                                     const real *x2) {
    const real *at = L + j + j * ld;
    real s[4] = {0};
    DENSE(dots)(wide, m - k, at + k - j, ld, x2, s);
    DENSE(dots)(wide, k - j - wide, at + wide, ld, x1 + j + wide, s);
    SP_UNROLL
    for (int c = wide - 1; c >= 0; c--) {
        s[c] = x1[j + c] - s[c];
        SP_UNROLL
        for (int q = c + 1; q < wide; q++) s[c] -= at[q + c * ld] * s[q];
        if (!unit) s[c] /= at[c + c * ld];
        x1[j + c] = s[c];
    }
}

static void DENSE(backward)(int m, int k, const real *L, ptrdiff_t ld, bool unit, real *x1, const real *x2) {
    int j = k & ~3;
    switch (k - j) {
    case 3: DENSE(backward_fixed)(3, j, m, k, L, ld, unit, x1, x2); break;
    case 2: DENSE(backward_fixed)(2, j, m, k, L, ld, unit, x1, x2); break;
    case 1: DENSE(backward_fixed)(1, j, m, k, L, ld, unit, x1, x2); break;
    }
    for (j -= 4; j >= 0; j -= 4) DENSE(backward_fixed)(4, j, m, k, L, ld, unit, x1, x2);
}

static void DENSE(product)(int m, int k, const real *L, ptrdiff_t ld, const real *x1, real *x2) {
    int j = 0;
    for (; j + 4 <= k; j += 4) DENSE(axpy)(4, m, L + j * ld, ld, x1 + j, x2);
    switch (k - j) {
    case 3: DENSE(axpy)(3, m, L + j * ld, ld, x1 + j, x2); break;
    case 2: DENSE(axpy)(2, m, L + j * ld, ld, x1 + j, x2); break;
    case 1: DENSE(axpy)(1, m, L + j * ld, ld, x1 + j, x2); break;
    }
}

static void DENSE(product_turned)(int m, int k, const real *L, ptrdiff_t ld, const real *x2, real *x1) {
    for (int j = 0; j < k; j += 4) {
        real sum[4] = {0};
        int wide = k - j < 4 ? k - j : 4;
        switch (wide) {
        case 4: DENSE(dots)(4, m, L + j * ld, ld, x2, sum); break;
        case 3: DENSE(dots)(3, m, L + j * ld, ld, x2, sum); break;
        case 2: DENSE(dots)(2, m, L + j * ld, ld, x2, sum); break;
        case 1: DENSE(dots)(1, m, L + j * ld, ld, x2, sum); break;
        }
        for (int c = 0; c < wide; c++) x1[j + c] -= sum[c];
    }
}

// ------------------------------------------------------------------------------------------------ many right-hand sides
// With r right-hand sides side by side, X is the r x m matrix X^T by columns: forward is `below` of X1^T and a product, all of it
// on the tiles of dense_tile.h.

// how many of the right-hand sides left go into the next tile: two even tiles rather than a whole one and a thin rest
static int DENSE(many_rows)(int left) {
    if (left <= STRIP) return left;
    return left < 2 * STRIP && left % (2 * LANES) == 0 ? left / 2 : STRIP;
}

// X^T (r x rows) -= A^T L^T, with A of k rows; L's rows are X's
static void DENSE(many_below)(int r, int rows, int k, const real *A, const real *L, ptrdiff_t ld, real *X) {
    for (int j = 0; j < rows; j += 4)
        for (int i = 0, n; i < r; i += n) {
            n = DENSE(many_rows)(r - i);
            DENSE(subtract)(n, rows - j < 4 ? rows - j : 4, k, A + i, r, L + j, ld, X + (ptrdiff_t)j * r + i, r);
        }
}

// X^T (r x cols) -= A^T L, with A of k rows; L's columns are X's rows. A few rows at a time, which stay near
static void DENSE(many_above)(int r, int cols, int k, const real *A, const real *L, ptrdiff_t ld, real *X) {
    for (int p = 0; p < k; p += SP_DENSE_PANEL)
        for (int j = 0; j < cols; j += 4)
            for (int i = 0, n; i < r; i += n) {
                n = DENSE(many_rows)(r - i);
                DENSE(subtract_turned)
                (n, cols - j < 4 ? cols - j : 4, k - p < SP_DENSE_PANEL ? k - p : SP_DENSE_PANEL, A + (ptrdiff_t)p * r + i, r,
                 L + p + j * ld, ld, X + (ptrdiff_t)j * r + i, r);
            }
}

static void DENSE(many_inverse)(int k, const real *L, ptrdiff_t ld, bool unit, real *inv) {
    for (int j = 0; j < k; j++) inv[j] = unit ? 1 : 1 / L[j + j * ld];
}

static void DENSE(forward_many)(int m, int k, const real *L, ptrdiff_t ld, bool unit, int r, real *X1, real *X2) {
    real inv[SP_DENSE_PANEL];
    for (int j = 0; j < k; j += SP_DENSE_PANEL) {
        int wide = k - j < SP_DENSE_PANEL ? k - j : SP_DENSE_PANEL, next = j + wide;
        real *A = X1 + (ptrdiff_t)j * r;
        DENSE(many_inverse)(wide, L + j + j * ld, ld, unit, inv);
        DENSE(below_scaled)(r, wide, L + j + j * ld, ld, unit, inv, A, r);
        DENSE(many_below)(r, k - next, wide, A, L + next + j * ld, ld, X1 + (ptrdiff_t)next * r);
        DENSE(many_below)(r, m - k, wide, A, L + k + j * ld, ld, X2);
    }
}

// X (wide rows of r) = L^-T X, in registers
static void DENSE(small_backward)(int wide, const real *L, ptrdiff_t ld, const real *inv, int r, real *X) {
    for (int i = 0; i < r; i += LANES) {
        vec t[4];
        int n = r - i;
        for (int c = wide - 1; c >= 0; c--) {
            real *at = X + (ptrdiff_t)c * r + i;
            t[c] = DENSE(load_up_to)(n, at);
            for (int q = c + 1; q < wide; q++) t[c] -= t[q] * DENSE(all)(L[q + c * ld]);
            t[c] *= DENSE(all)(inv[c]);
            DENSE(store_up_to)(n, at, t[c]);
        }
    }
}

static void DENSE(backward_many)(int m, int k, const real *L, ptrdiff_t ld, bool unit, int r, real *X1, const real *X2) {
    real inv[4];
    for (int end = k; end > 0;) {
        int j = (end - 1) / SP_DENSE_PANEL * SP_DENSE_PANEL;
        DENSE(many_above)(r, end - j, m - k, X2, L + k + j * ld, ld, X1 + (ptrdiff_t)j * r);
        DENSE(many_above)(r, end - j, k - end, X1 + (ptrdiff_t)end * r, L + end + j * ld, ld, X1 + (ptrdiff_t)j * r);
        for (int c = (end - 1 - j) / 4 * 4 + j; c >= j; c -= 4) {
            int wide = end - c < 4 ? end - c : 4, next = c + wide;
            DENSE(many_above)(r, wide, end - next, X1 + (ptrdiff_t)next * r, L + next + c * ld, ld, X1 + (ptrdiff_t)c * r);
            DENSE(many_inverse)(wide, L + c + c * ld, ld, unit, inv);
            DENSE(small_backward)(wide, L + c + c * ld, ld, inv, r, X1 + (ptrdiff_t)c * r);
        }
        end = j;
    }
}
