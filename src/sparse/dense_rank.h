// A panel of L and the rows of W that belong to it, so that L D L^T becomes L D L^T +- W W^T: method C1 of Gill, Golub, Murray
// and Saunders (1974), several ranks at once (Davis and Hager, Multiple-rank modifications of a sparse Cholesky factorization,
// 2001). For column j, rank after rank, with t = w_j / d_j:
//
//     alpha' = alpha +- w_j t,   d_j' = d_j alpha' / alpha,   g = +- t / alpha',
//     w_i -= w_j l_ij,           l_ij += g w_i                for the rows below.
//
// L L^T goes the same way on l_ij = u_ij l_jj: the factors are w_j / l_jj and g l_jj, and the column is scaled to its new
// diagonal when all ranks have passed.
//
// Four columns of a strip of rows stay in registers while all ranks pass: L is read and written once, whatever the rank, and a
// number of L waits for the rank before it only, not for all of them. Included once per number type, after dense_loops.h.

enum {
    DENSE(COLUMNS) = 24,  // columns whose factors are kept together
    DENSE(QUADS) = 6,
};
#define COLUMNS DENSE(COLUMNS)

// What four columns do to the rows below them.
#define rank_quad DENSE(rank_quad)
typedef struct rank_quad {
    real w[SP_DENSE_RANK][4], g[SP_DENSE_RANK][4];
    real scale[4];
} rank_quad;

// `last` rows of the last vector count; W has room for all of it
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

// one strip of rows by cols columns; rows that fill no vector of W go through a copy
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

// A triangle of a few columns, rank after rank; returns the lowest column that fails, where its pivot then stands, or wide. After
// a failure the columns before it go on: one of them may fail for a later rank.
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
