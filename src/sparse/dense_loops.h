// Dense kernels of a frontal matrix on register tiles: factorisation of the diagonal block, triangular solve of the rows below,
// packing, update of the remaining matrix, rank updates, triangular solves. Included once per number type.

// ========================================================================================================= tiles

// The register tile of all dense kernels: HIGH vectors of rows by up to 4 columns, summed over k. The including file defines
// `real`, DENSE(name) and the vector width in bytes.
//
// A tile reads its left operand as `a[p lda + i]` and its right one as `b[p bp + c bc]`: one loop serves columns of a panel in
// place, packed strips and transposes. The sum of one entry runs over p = 0, 1, ... k - 1 for any tile size, so that the bits of
// a result do not depend on how a matrix is divided into tiles.
#define vec DENSE(vec)
#define loose DENSE(loose)
typedef real vec __attribute__((vector_size(SP_DENSE_BYTES)));
typedef real loose __attribute__((vector_size(SP_DENSE_BYTES), aligned(sizeof(real)), may_alias));

enum {
    DENSE(LANES) = SP_DENSE_BYTES / sizeof(real),
    DENSE(HIGH) = SP_DENSE_HIGH,
    DENSE(STRIP) = SP_DENSE_HIGH * SP_DENSE_BYTES / sizeof(real),  // rows of a whole tile
};
#define LANES DENSE(LANES)
#define HIGH DENSE(HIGH)
#define STRIP DENSE(STRIP)

SP_INLINE vec DENSE(all)(real a) {
    return a - (vec){0};
}
SP_INLINE vec DENSE(load)(const real *p) {
    return *(const loose *)p;
}
SP_INLINE void DENSE(store)(real *p, vec a) {
    *(loose *)p = a;
}
// at most the first n numbers; memory behind them is neither read nor written
SP_INLINE vec DENSE(load_up_to)(int n, const real *p) {
    vec a = {0};
    if (n >= LANES) return DENSE(load)(p);
    SP_UNROLL
    for (int i = 0; i < LANES; i++)
        if (i < n) a[i] = p[i];
    return a;
}
SP_INLINE void DENSE(store_up_to)(int n, real *p, vec a) {
    if (n >= LANES) {
        DENSE(store)(p, a);
        return;
    }
    SP_UNROLL
    for (int i = 0; i < LANES; i++)
        if (i < n) p[i] = a[i];
}

// acc(i, c) = sum over p of a(i, p) b(c, p), high vectors by wide columns
SP_INLINE void DENSE(tile)(const int high, const int wide, int k, const real *a, ptrdiff_t lda, const real *b, ptrdiff_t bp,
                           ptrdiff_t bc, vec acc[4][SP_DENSE_HIGH]) {
    SP_UNROLL
    for (int c = 0; c < wide; c++) {
        SP_UNROLL
        for (int v = 0; v < high; v++) acc[c][v] = (vec){0};
    }
    for (int p = 0; p < k; p++, a += lda, b += bp) {
        vec left[SP_DENSE_HIGH];
        SP_UNROLL
        for (int v = 0; v < high; v++) left[v] = DENSE(load)(a + v * LANES);
        SP_UNROLL
        for (int c = 0; c < wide; c++) {
            vec right = DENSE(all)(b[c * bc]);
            SP_UNROLL
            for (int v = 0; v < high; v++) acc[c][v] += left[v] * right;
        }
    }
}

// C -= a b^T on one tile; only the first `last` rows of its last vector are used
SP_INLINE void DENSE(subtract_fixed)(const int high, const int wide, int last, int k, const real *a, ptrdiff_t lda, const real *b,
                                     ptrdiff_t bp, ptrdiff_t bc, real *C, ptrdiff_t ldc) {
    vec acc[4][SP_DENSE_HIGH];
    DENSE(tile)(high, wide, k, a, lda, b, bp, bc, acc);
    SP_UNROLL
    for (int c = 0; c < wide; c++) {
        SP_UNROLL
        for (int v = 0; v < high; v++) {
            real *at = C + c * ldc + v * LANES;
            int n = v + 1 < high ? LANES : last;
            DENSE(store_up_to)(n, at, DENSE(load_up_to)(n, at) - acc[c][v]);
        }
    }
}

// Dispatch to the tile of the requested size: rows 1..STRIP, cols 1..4; the columns of b are adjacent.
#define TILE_SIZES_2(X) X(1, 1) X(1, 2) X(1, 3) X(1, 4) X(2, 1) X(2, 2) X(2, 3) X(2, 4)
#if SP_DENSE_HIGH == 3
#define TILE_SIZES(X) TILE_SIZES_2(X) X(3, 1) X(3, 2) X(3, 3) X(3, 4)
#else
#define TILE_SIZES(X) TILE_SIZES_2(X)
#endif

static void DENSE(subtract)(int rows, int cols, int k, const real *a, ptrdiff_t lda, const real *b, ptrdiff_t bp, real *C,
                            ptrdiff_t ldc) {
    int high = (rows + LANES - 1) / LANES, last = rows - (high - 1) * LANES;
#define TILE_CASE(h, w) \
    case 8 * h + w: DENSE(subtract_fixed)(h, w, last, k, a, lda, b, bp, 1, C, ldc); break;
    switch (8 * high + cols) { TILE_SIZES(TILE_CASE) }
#undef TILE_CASE
}

// the same with a transposed right operand: its columns are bc apart and its p are adjacent
static void DENSE(subtract_transposed)(int rows, int cols, int k, const real *a, ptrdiff_t lda, const real *b, ptrdiff_t bc,
                                       real *C, ptrdiff_t ldc) {
    int high = (rows + LANES - 1) / LANES, last = rows - (high - 1) * LANES;
#define TILE_CASE(h, w) \
    case 8 * h + w: DENSE(subtract_fixed)(h, w, last, k, a, lda, b, 1, bc, C, ldc); break;
    switch (8 * high + cols) { TILE_SIZES(TILE_CASE) }
#undef TILE_CASE
}

// copies rows (at most STRIP) x k into a packed strip, with zeros after the last row
static void DENSE(copy_strip)(int rows, int k, const real *B, ptrdiff_t ldb, real *strip) {
    int high = rows / LANES, rest = rows % LANES;
    if (rows == STRIP) {
        for (int p = 0; p < k; p++, B += ldb, strip += STRIP) {
            SP_UNROLL
            for (int v = 0; v < HIGH; v++) DENSE(store)(strip + v * LANES, DENSE(load)(B + v * LANES));
        }
        return;
    }
    for (int p = 0; p < k; p++, B += ldb, strip += STRIP) {
        for (int v = 0; v < high; v++) DENSE(store)(strip + v * LANES, DENSE(load)(B + v * LANES));
        DENSE(store)(strip + high * LANES, DENSE(load_up_to)(rest, B + high * LANES));
        for (int v = high + 1; v < HIGH; v++) DENSE(store)(strip + v * LANES, (vec){0});
    }
}

// ======================================================================================================== fronts

// ------------------------------------------------------------------------------------------------ the diagonal block

// the wide x wide triangle at A, column by column, in registers; returns the failing column or wide. inv: 1 / l, or 1 / d with
// unit L
SP_INLINE int DENSE(triangle_fixed)(const int wide, real *A, ptrdiff_t ld, real *d, real inv[4]) {
    real t[4][4];
    SP_UNROLL
    for (int c = 0; c < wide; c++) {
        SP_UNROLL
        for (int i = c; i < wide; i++) t[i][c] = A[i + c * ld];
    }
    SP_UNROLL
    for (int c = 0; c < wide; c++) {
        real pivot = t[c][c];
        bool good = pivot - pivot == 0 && (d ? pivot != 0 : pivot > 0);
        if (!good) {
            A[c + c * ld] = pivot;
            return c;
        }
        real l = d ? 1 : SP_DENSE_SQRT(pivot);
        inv[c] = 1 / (d ? pivot : l);
        A[c + c * ld] = l;
        if (d) d[c] = pivot;
        SP_UNROLL
        for (int i = c + 1; i < wide; i++) {
            real y = t[i][c];
            A[i + c * ld] = t[i][c] = y * inv[c];
            SP_UNROLL
            for (int q = c + 1; q <= i; q++) t[i][q] -= (d ? y : t[i][c]) * t[q][c];
        }
    }
    return wide;
}

static int DENSE(triangle)(int wide, real *A, ptrdiff_t ld, real *d, real inv[4]) {
    switch (wide) {
    case 4: return d ? DENSE(triangle_fixed)(4, A, ld, d, inv) : DENSE(triangle_fixed)(4, A, ld, NULL, inv);
    case 3: return DENSE(triangle_fixed)(3, A, ld, d, inv);
    case 2: return DENSE(triangle_fixed)(2, A, ld, d, inv);
    default: return DENSE(triangle_fixed)(1, A, ld, d, inv);
    }
}

// wide columns of rows below a factored triangle: B = B L^-T (D^-1), in registers
SP_INLINE void DENSE(solve_fixed)(const int wide, bool unit, const real *L, ptrdiff_t ldl, const real *inv, vec t[4]) {
    SP_UNROLL
    for (int c = 0; c < wide; c++) {
        SP_UNROLL
        for (int q = 0; q < c; q++) t[c] -= t[q] * DENSE(all)(L[c + q * ldl]);
        if (!unit) t[c] *= DENSE(all)(inv[c]);
    }
}

SP_INLINE void DENSE(solve_rows)(const int wide, int rows, bool unit, const real *L, ptrdiff_t ld, const real inv[4], real *B) {
    for (int i = 0; i < rows; i += LANES) {
        vec t[4];
        int n = rows - i;
        SP_UNROLL
        for (int c = 0; c < wide; c++) t[c] = DENSE(load_up_to)(n, B + i + c * ld);
        DENSE(solve_fixed)(wide, unit, L, ld, inv, t);
        SP_UNROLL
        for (int c = 0; c < wide; c++) {
            if (unit) t[c] *= DENSE(all)(inv[c]);
            DENSE(store_up_to)(n, B + i + c * ld, t[c]);
        }
    }
}

// updates rows j.. of columns j..j+wide by columns 0..j-1; reads the left operand in place unless its last vector would end
// behind A
static void DENSE(left_update)(int j, int wide, int k, real *A, ptrdiff_t ld, const real *d) {
    real right[4 * SP_DENSE_PANEL], strip[STRIP * SP_DENSE_PANEL];
    for (int p = 0; p < j; p++)
        for (int c = 0; c < 4; c++) right[4 * p + c] = c < wide ? A[j + c + p * ld] * (d ? d[p] : 1) : 0;
    for (int i = j; i < k; i += STRIP) {
        int rows = k - i < STRIP ? k - i : STRIP;
        bool whole = rows % LANES == 0 || (j - 1) * ld + i + STRIP <= (k - 1) * ld + k;
        if (!whole) DENSE(copy_strip)(rows, j, A + i, ld, strip);
        DENSE(subtract)(rows, wide, j, whole ? A + i : strip, whole ? ld : STRIP, right, 4, A + i + j * ld, ld);
    }
}

static int DENSE(diagonal)(int k, real *A, ptrdiff_t ld, real *d) {
    for (int j = 0; j < k; j += 4) {
        int wide = k - j < 4 ? k - j : 4;
        real inv[4], *at = A + j + j * ld;
        if (j > 0) DENSE(left_update)(j, wide, k, A, ld, d);
        int done = DENSE(triangle)(wide, at, ld, d ? d + j : NULL, inv);
        if (done < wide) return j + done;
        if (wide == 4) DENSE(solve_rows)(4, k - j - 4, d != NULL, at, ld, inv, at + 4);
    }
    return k;
}

// ------------------------------------------------------------------------------------------------ rows below the diagonal block

// columns j..j+wide of one strip of rows. With D, the strip keeps y = x D for the next columns and B gets x (x D L^T = b)
SP_INLINE void DENSE(below_fixed)(const int high, const int wide, int last, int j, bool unit, const real *L, ptrdiff_t ldl,
                                  const real *inv, real *B, ptrdiff_t ldb, real *strip) {
    vec acc[4][SP_DENSE_HIGH];
    DENSE(tile)(high, wide, j, strip, STRIP, L + j, ldl, 1, acc);
    SP_UNROLL
    for (int v = 0; v < high; v++) {
        vec t[4];
        int n = v + 1 < high ? LANES : last;
        SP_UNROLL
        for (int c = 0; c < wide; c++) {
            real *at = B + (j + c) * ldb + v * LANES;
            t[c] = DENSE(load_up_to)(n, at) - acc[c][v];
        }
        DENSE(solve_fixed)(wide, unit, L + j + j * ldl, ldl, inv + j, t);
        SP_UNROLL
        for (int c = 0; c < wide; c++) {
            real *at = B + (j + c) * ldb + v * LANES;
            vec x = unit ? t[c] * DENSE(all)(inv[j + c]) : t[c];
            DENSE(store)(strip + (j + c) * STRIP + v * LANES, t[c]);
            DENSE(store_up_to)(n, at, x);
        }
    }
}

// inv: reciprocal pivots, applied within the solve (LL^T) or when the result is stored (unit)
static void DENSE(below_scaled)(int m, int k, const real *L, ptrdiff_t ldl, bool unit, const real *inv, real *B, ptrdiff_t ldb) {
    real strip[STRIP * SP_DENSE_PANEL];
    for (int i = 0; i < m; i += STRIP) {
        int rows = m - i < STRIP ? m - i : STRIP, high = (rows + LANES - 1) / LANES, last = rows - (high - 1) * LANES;
        for (int j = 0; j < k; j += 4) {
            int wide = k - j < 4 ? k - j : 4;
#define TILE_CASE(h, w) \
    case 8 * h + w: DENSE(below_fixed)(h, w, last, j, unit, L, ldl, inv, B + i, ldb, strip); break;
            switch (8 * high + wide) { TILE_SIZES(TILE_CASE) }
#undef TILE_CASE
        }
    }
}

static void DENSE(below)(int m, int k, const real *L, ptrdiff_t ldl, const real *d, real *B, ptrdiff_t ldb) {
    real inv[SP_DENSE_PANEL];
    for (int j = 0; j < k; j++) inv[j] = 1 / (d ? d[j] : L[j + j * ldl]);
    DENSE(below_scaled)(m, k, L, ldl, d != NULL, inv, B, ldb);
}

// ------------------------------------------------------------------------------------------------ update of the remaining matrix

// packs 4 rows (fewer at the end) x k; the rows of one column are adjacent
SP_INLINE void DENSE(copy_columns)(const int wide, int k, const real *B, ptrdiff_t ldb, const real *d, real *to) {
    for (int p = 0; p < k; p++, B += ldb, to += 4) {
        real scale = d ? d[p] : 1;
        SP_UNROLL
        for (int c = 0; c < 4; c++) to[c] = c < wide ? B[c] * scale : 0;
    }
}

static void DENSE(pack)(int m, int k, const real *B, ptrdiff_t ldb, const real *d, real *rows, real *cols) {
    for (int i = 0; i < m; i += STRIP) DENSE(copy_strip)(m - i < STRIP ? m - i : STRIP, k, B + i, ldb, rows + (ptrdiff_t)i * k);
    for (int j = 0; j < m; j += 4) {
        real *to = cols + (ptrdiff_t)j * k;
        switch (m - j) {
        case 1: DENSE(copy_columns)(1, k, B + j, ldb, d, to); break;
        case 2: DENSE(copy_columns)(2, k, B + j, ldb, d, to); break;
        case 3: DENSE(copy_columns)(3, k, B + j, ldb, d, to); break;
        default: DENSE(copy_columns)(4, k, B + j, ldb, d, to);
        }
    }
}

// two strips of rows stay in the L1 cache while the loop runs over the columns
static void DENSE(update)(int i0, int i1, int j0, int j1, int k, const real *rows, const real *cols, real *C, ptrdiff_t ldc) {
    for (int i = i0; i < i1; i += 2 * STRIP) {
        int end = i1 - i < 2 * STRIP ? i1 : i + 2 * STRIP;
        for (int j = j0; j < j1 && j < end; j += 4)
            for (int s = i; s < end; s += STRIP)
                if (s + STRIP > j) DENSE(subtract)
        (end - s < STRIP ? end - s : STRIP, j1 - j < 4 ? j1 - j : 4, k, rows + (ptrdiff_t)s * k, STRIP, cols + (ptrdiff_t)j * k,
         4, C + s + j * ldc, ldc);
    }
}

// takes at most SP_DENSE_PANEL columns of B at a time
static void DENSE(update_strip)(int i, int m, int k, const real *B, ptrdiff_t ldb, const real *d, real *C, ptrdiff_t ldc) {
    real strip[STRIP * SP_DENSE_PANEL];
    int rows = m - i < STRIP ? m - i : STRIP;
    bool place = rows == STRIP && !d;
    if (!place) DENSE(copy_strip)(rows, k, B + i, ldb, strip);
    if (d)
        for (int p = 0; p < k; p++)
            for (int v = 0; v < HIGH; v++)
                DENSE(store)(strip + p * STRIP + v * LANES, DENSE(load)(strip + p * STRIP + v * LANES) * DENSE(all)(d[p]));
    for (int j = 0; j < i + rows; j += 4) DENSE(subtract)
    (rows, m - j < 4 ? m - j : 4, k, place ? B + i : strip, place ? ldb : STRIP, B + j, ldb, C + i + j * ldc, ldc);
}

static void DENSE(update_whole)(int m, int k, const real *B, ptrdiff_t ldb, const real *d, real *C, ptrdiff_t ldc) {
    for (int p = 0; p < k; p += SP_DENSE_PANEL) {
        int wide = k - p < SP_DENSE_PANEL ? k - p : SP_DENSE_PANEL;
        for (int i = 0; i < m; i += STRIP) DENSE(update_strip)(i, m, wide, B + p * ldb, ldb, d ? d + p : NULL, C, ldc);
    }
}

// ================================================================================================== rank updates

// Update of a panel of L with its rows of W, so that L D L^T becomes L D L^T +- W W^T: method C1 of Gill, Golub, Murray and
// Saunders (1974), several ranks at once (Davis and Hager, Multiple-rank modifications of a sparse Cholesky factorization, 2001).
// For column j, rank after rank, with t = w_j / d_j:
//
//     alpha' = alpha +- w_j t,   d_j' = d_j alpha' / alpha,   g = +- t / alpha',
//     w_i -= w_j l_ij,           l_ij += g w_i                for the rows below.
//
// L L^T uses the same recurrence on l_ij = u_ij l_jj: the factors are w_j / l_jj and g l_jj, and the column is scaled to its new
// diagonal after all ranks.
//
// Four columns of a strip of rows stay in registers for all ranks: L is read and written once for any rank, and the dependency
// chain of an entry of L has one operation per rank.

enum {
    DENSE(COLUMNS) = 24,  // columns whose coefficients are stored together
    DENSE(QUADS) = 6,
};
#define COLUMNS DENSE(COLUMNS)

// The coefficients by which four columns act on the rows below them.
#define rank_quad DENSE(rank_quad)
typedef struct rank_quad {
    real w[SP_DENSE_RANK][4], g[SP_DENSE_RANK][4];
    real scale[4];
} rank_quad;

// only the first `last` rows of the last vector are used in L; W must have the whole vector
SP_INLINE void DENSE(rank_fixed)(const int high, const int wide, int last, int r, const rank_quad *f, real *L, ptrdiff_t ld,
                                 real *W, ptrdiff_t ldw) {
    vec l[4][SP_DENSE_HIGH];
    SP_UNROLL
    for (int c = 0; c < wide; c++) {
        SP_UNROLL
        for (int v = 0; v < high; v++) l[c][v] = DENSE(load_up_to)(v + 1 < high ? LANES : last, L + c * ld + v * LANES);
    }
    for (int k = 0; k < r; k++, W += ldw) {
        vec w[SP_DENSE_HIGH];
        SP_UNROLL
        for (int v = 0; v < high; v++) w[v] = DENSE(load)(W + v * LANES);
        SP_UNROLL
        for (int c = 0; c < wide; c++) {
            vec factor = DENSE(all)(f->w[k][c]);
            SP_UNROLL
            for (int v = 0; v < high; v++) w[v] -= factor * l[c][v];
            factor = DENSE(all)(f->g[k][c]);
            SP_UNROLL
            for (int v = 0; v < high; v++) l[c][v] += factor * w[v];
        }
        SP_UNROLL
        for (int v = 0; v < high; v++) DENSE(store)(W + v * LANES, w[v]);
    }
    SP_UNROLL
    for (int c = 0; c < wide; c++) {
        vec scale = DENSE(all)(f->scale[c]);
        SP_UNROLL
        for (int v = 0; v < high; v++) DENSE(store_up_to)(v + 1 < high ? LANES : last, L + c * ld + v * LANES, l[c][v] * scale);
    }
}

// one strip of rows by cols columns; rows that do not fill the last vector of W go through a copy
static void DENSE(rank_strip)(int rows, int cols, int r, const rank_quad *f, real *L, ptrdiff_t ld, real *W, ptrdiff_t ldw) {
    real copy[STRIP * SP_DENSE_RANK], *V = W;
    int high = (rows + LANES - 1) / LANES, last = rows - (high - 1) * LANES;
    ptrdiff_t ldv = ldw;
    if (last < LANES) {
        DENSE(copy_strip)(rows, r, W, ldw, copy);
        V = copy, ldv = STRIP;
    }
    for (int j = 0; j < cols; j += 4, f++) {
#define TILE_CASE(h, w) \
    case 8 * h + w: DENSE(rank_fixed)(h, w, last, r, f, L + j * ld, ld, V, ldv); break;
        switch (8 * high + (cols - j < 4 ? cols - j : 4)) { TILE_SIZES(TILE_CASE) }
#undef TILE_CASE
    }
    for (int k = 0; k < r && V == copy; k++)
        for (int i = 0; i < rows; i++) W[i + k * ldw] = copy[i + k * STRIP];
}

static void DENSE(rank_rows)(int m, int cols, int r, const rank_quad *f, real *L, ptrdiff_t ld, real *W, ptrdiff_t ldw) {
    for (int i = 0; i < m; i += STRIP) DENSE(rank_strip)(m - i < STRIP ? m - i : STRIP, cols, r, f, L + i, ld, W + i, ldw);
}

// A triangle of a few columns, rank after rank. Returns wide, or the lowest column that fails, with its pivot stored there. After
// a failure the columns before it continue, because one of them may fail for a later rank.
SP_INLINE int DENSE(rank_triangle)(const int wide, int r, real sign, real *L, ptrdiff_t ld, real *d, real *W, ptrdiff_t ldw,
                                   real *alpha, rank_quad *f) {
    real root[4], pivot[4], inverse[4], l[4][4] = {{0}};
    int limit = wide;
    SP_UNROLL
    for (int c = 0; c < wide; c++) {
        root[c] = d ? 1 : L[c + c * ld];
        pivot[c] = d ? d[c] : root[c] * root[c];
        inverse[c] = 1 / pivot[c];
        SP_UNROLL
        for (int i = c + 1; i < wide; i++) l[i][c] = L[i + c * ld] / root[c];
    }
    for (int k = 0; k < r; k++, W += ldw) {
        real w[4], a = alpha[k], b = 1 / a;
        SP_UNROLL
        for (int c = 0; c < wide; c++) w[c] = W[c];
        SP_UNROLL
        for (int c = 0; c < wide; c++) {
            if (c >= limit) break;
            real t = w[c] * inverse[c], next = a + sign * w[c] * t, over = 1 / next, p = pivot[c] * next * b;
            bool good = p - p == 0 && over - over == 0 && (d ? p != 0 : p > 0 && next > 0);
            pivot[c] = p;
            if (!good) {
                limit = c;
                break;
            }
            real g = sign * t * over;
            inverse[c] *= a * over;
            a = next, b = over;
            f->w[k][c] = w[c] / root[c];
            f->g[k][c] = g * root[c];
            SP_UNROLL
            for (int i = c + 1; i < wide; i++) {
                w[i] -= w[c] * l[i][c];
                l[i][c] += g * w[i];
            }
        }
        alpha[k] = a;
    }
    SP_UNROLL
    for (int c = 0; c < wide; c++) {
        if (c > limit) break;
        real diagonal = d || c == limit ? pivot[c] : SP_DENSE_SQRT(pivot[c]);
        *(d ? d + c : L + c + c * ld) = diagonal;
        f->scale[c] = d ? 1 : diagonal / root[c];
        SP_UNROLL
        for (int i = c + 1; i < wide; i++) L[i + c * ld] = l[i][c] * (d ? 1 : diagonal);
    }
    return limit;
}

// a triangle of up to COLUMNS columns, four at a time
static int DENSE(rank_block)(int cols, int r, real sign, real *L, ptrdiff_t ld, real *d, real *W, ptrdiff_t ldw, real *alpha,
                             rank_quad *f) {
    for (int j = 0; j < cols; j += 4, f++) {
        int wide = cols - j < 4 ? cols - j : 4, done = 0;
        real *at = L + j + j * ld, *e = d ? d + j : NULL;
        switch (wide) {
        case 4: done = DENSE(rank_triangle)(4, r, sign, at, ld, e, W + j, ldw, alpha, f); break;
        case 3: done = DENSE(rank_triangle)(3, r, sign, at, ld, e, W + j, ldw, alpha, f); break;
        case 2: done = DENSE(rank_triangle)(2, r, sign, at, ld, e, W + j, ldw, alpha, f); break;
        case 1: done = DENSE(rank_triangle)(1, r, sign, at, ld, e, W + j, ldw, alpha, f); break;
        }
        if (done < wide) return j + done;
        DENSE(rank_rows)(cols - j - wide, wide, r, f, at + wide, ld, W + j + wide, ldw);
    }
    return cols;
}

static int DENSE(rank_update)(int m, int k, int r, real sign, real *L, ptrdiff_t ld, real *d, real *W, ptrdiff_t ldw,
                              real *alpha) {
    rank_quad f[DENSE(QUADS)];
    for (int j = 0; j < k; j += COLUMNS) {
        int cols = k - j < COLUMNS ? k - j : COLUMNS, next = j + cols;
        int done = DENSE(rank_block)(cols, r, sign, L + j + j * ld, ld, d ? d + j : NULL, W + j, ldw, alpha, f);
        if (done < cols) return j + done;
        DENSE(rank_rows)(m - next, cols, r, f, L + next + j * ld, ld, W + next, ldw);
    }
    return k;
}

// ============================================================================================= triangular solves

// Triangular solves with the columns of one supernode. A single right-hand side is limited by memory bandwidth (four columns per
// pass); many right-hand sides are distributed over the vector lanes.

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

// A vector whose last n lanes are one and the others zero starts at LANES - n before the ones.
static const real DENSE(ones)[16] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};

// t(c) += lanes of L(:, c) x for wide columns, sum(c) += what is less than a vector. The last vector overlaps the one before.
SP_INLINE void DENSE(dots)(const int wide, int rows, const real *L, ptrdiff_t ld, const real *x, vec t[4], real sum[4]) {
    int i = 0;
    for (; i + LANES <= rows; i += LANES) {
        vec f = DENSE(load)(x + i);
        SP_UNROLL
        for (int c = 0; c < wide; c++) t[c] += DENSE(load)(L + i + c * ld) * f;
    }
    if (i > 0 && i < rows) {
        vec f = DENSE(load)(x + rows - LANES) * DENSE(load)(DENSE(ones) + 8 - LANES + rows - i);
        SP_UNROLL
        for (int c = 0; c < wide; c++) t[c] += DENSE(load)(L + rows - LANES + c * ld) * f;
        return;
    }
    for (; i < rows; i++) {
        SP_UNROLL
        for (int c = 0; c < wide; c++) sum[c] += L[i + c * ld] * x[i];
    }
}

// sum of the lanes, in pairs
SP_INLINE real DENSE(lane_sum)(vec t) {
    real a[LANES];
    memcpy(a, &t, sizeof a);
    for (int n = LANES / 2; n > 0; n /= 2) {
        SP_UNROLL
        for (int i = 0; i < n; i++) a[i] += a[i + n];
    }
    return a[0];
}

// Inverses of the next diagonal numbers: computed together, before the numbers that depend on each other need them.
SP_INLINE void DENSE(inverses)(const int wide, const real *at, ptrdiff_t ld, bool unit, real inv[4]) {
    SP_UNROLL
    for (int c = 0; c < wide; c++) inv[c] = unit ? 1 : 1 / at[c + c * ld];
}

SP_INLINE void DENSE(forward_fixed)(const int wide, int j, int m, int k, const real *L, ptrdiff_t ld, bool unit, real *x1,
                                    real *x2) {
    const real *at = L + j + j * ld;
    real s[4], inv[4];
    DENSE(inverses)(wide, at, ld, unit, inv);
    SP_UNROLL
    for (int c = 0; c < wide; c++) {
        s[c] = x1[j + c];
        SP_UNROLL
        for (int q = 0; q < c; q++) s[c] -= at[c + q * ld] * s[q];
        x1[j + c] = s[c] *= inv[c];
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
    real s[4] = {0}, inv[4];
    DENSE(inverses)(wide, at, ld, unit, inv);
    vec t[4] = {{0}};
    DENSE(dots)(wide, m - k, at + k - j, ld, x2, t, s);
    DENSE(dots)(wide, k - j - wide, at + wide, ld, x1 + j + wide, t, s);
    SP_UNROLL
    for (int c = wide - 1; c >= 0; c--) {
        s[c] = x1[j + c] - (s[c] + DENSE(lane_sum)(t[c]));
        SP_UNROLL
        for (int q = c + 1; q < wide; q++) s[c] -= at[q + c * ld] * s[q];
        x1[j + c] = s[c] *= inv[c];
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

static void DENSE(product_transposed)(int m, int k, const real *L, ptrdiff_t ld, const real *x2, real *x1) {
    for (int j = 0; j < k; j += 4) {
        real sum[4] = {0};
        vec t[4] = {{0}};
        int wide = k - j < 4 ? k - j : 4;
        switch (wide) {
        case 4: DENSE(dots)(4, m, L + j * ld, ld, x2, t, sum); break;
        case 3: DENSE(dots)(3, m, L + j * ld, ld, x2, t, sum); break;
        case 2: DENSE(dots)(2, m, L + j * ld, ld, x2, t, sum); break;
        case 1: DENSE(dots)(1, m, L + j * ld, ld, x2, t, sum); break;
        }
        for (int c = 0; c < wide; c++) x1[j + c] -= sum[c] + DENSE(lane_sum)(t[c]);
    }
}

// ------------------------------------------------------------------------------------------------ many right-hand sides
// With r interleaved right-hand sides, X is the r x m matrix X^T by columns: forward is `below` of X1^T and a product, both on
// the register tiles.

// number of right-hand sides in the next tile: two equal tiles are faster than a full tile and a thin remainder
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

// X^T (r x cols) -= A^T L, with A of k rows; L's columns are X's rows. Takes a few rows at a time, which stay in cache
static void DENSE(many_above)(int r, int cols, int k, const real *A, const real *L, ptrdiff_t ld, real *X) {
    for (int p = 0; p < k; p += SP_DENSE_PANEL)
        for (int j = 0; j < cols; j += 4)
            for (int i = 0, n; i < r; i += n) {
                n = DENSE(many_rows)(r - i);
                DENSE(subtract_transposed)
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
