// The register tile that every dense kernel is made of: HIGH vectors of rows by up to 4 columns, summed over k. Included by
// dense_loops.h once per number type, which says `real`, DENSE(name) and the vector's width in bytes.
//
// A tile reads its left operand as `a[p lda + i]` and its right one as `b[p bp + c bc]`: columns of a panel in place, packed
// strips and transposes are the same loop. The sum of one entry runs over p = 0, 1, ... k - 1 whatever the tile's size, so that
// the bits of a result do not depend on how a matrix was cut into tiles.

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
// the first n numbers at most; what stands behind them is neither read nor written
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

// C -= a b^T on one tile; `last` rows of its last vector count
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

// The tile of the size asked for: rows 1..STRIP, cols 1..4; the columns of b stand side by side.
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

// the same with a right operand whose columns are bc apart and whose p are neighbours
static void DENSE(subtract_turned)(int rows, int cols, int k, const real *a, ptrdiff_t lda, const real *b, ptrdiff_t bc, real *C,
                                   ptrdiff_t ldc) {
    int high = (rows + LANES - 1) / LANES, last = rows - (high - 1) * LANES;
#define TILE_CASE(h, w) \
    case 8 * h + w: DENSE(subtract_fixed)(h, w, last, k, a, lda, b, 1, bc, C, ldc); break;
    switch (8 * high + cols) { TILE_SIZES(TILE_CASE) }
#undef TILE_CASE
}

// rows (at most STRIP) x k into a strip of its own, zeros behind the last row
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
