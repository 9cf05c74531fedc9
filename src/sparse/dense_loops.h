// Dense kernels of a front on tiles (dense_tile.h): factor of the diagonal block, triangular solve of the rows below, packing and
// update of what is left. Included once per number type.
#include "sparse/dense_tile.h"

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

// rows j.. of columns j..j+wide get what columns 0..j-1 give; left operand in place unless its last vector would reach behind A
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

// ------------------------------------------------------------------------------------------------ rows below it

// columns j..j+wide of one strip of rows. With D, y = x D goes on in the strip and x to B (x D L^T = b)
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

// inv: what y is divided by, within the solve (LL^T) or on the way out (unit)
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

// ------------------------------------------------------------------------------------------------ what is left of the front

// 4 rows (fewer at the end) x k, row after row of a column side by side
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

// two strips of rows stay in the nearest cache while the columns pass by
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

// columns of B at most SP_DENSE_PANEL at a time
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
