// The cycle's hot loops in float, on vectors of eight. Blocks of 6 stand without padding, and a vector reads a little beyond a
// column: what it finds there goes into lanes that are cleared before anything is stored. Arrays of blocks have room for 8
// numbers behind their last.
typedef float floats4 __attribute__((vector_size(4 * sizeof(float)), aligned(sizeof(float)), may_alias));
typedef float floats8 __attribute__((vector_size(8 * sizeof(float)), aligned(sizeof(float)), may_alias));

// no functions: a vector wider than the registers must not be handed over
#define load4(p) (*(const floats4 *)(p))
#define load8(p) (*(const floats8 *)(p))
#define clear8(a) __builtin_shufflevector((a), (floats8){0}, 0, 1, 2, 3, 4, 5, 8, 9)

// ------------------------------------------------------------------------------------------------ the matrix

// x, y and z of eight rows of a vector
#define load_lanes(in, at, x, y, z)                                                                             \
    floats8 a_ = __builtin_shufflevector(load4((in) + (at)[0]), load4((in) + (at)[4]), 0, 1, 2, 3, 4, 5, 6, 7), \
            b_ = __builtin_shufflevector(load4((in) + (at)[1]), load4((in) + (at)[5]), 0, 1, 2, 3, 4, 5, 6, 7), \
            c_ = __builtin_shufflevector(load4((in) + (at)[2]), load4((in) + (at)[6]), 0, 1, 2, 3, 4, 5, 6, 7), \
            d_ = __builtin_shufflevector(load4((in) + (at)[3]), load4((in) + (at)[7]), 0, 1, 2, 3, 4, 5, 6, 7); \
    floats8 ab_ = __builtin_shufflevector(a_, b_, 0, 8, 1, 9, 4, 12, 5, 13),                                    \
            cd_ = __builtin_shufflevector(c_, d_, 0, 8, 1, 9, 4, 12, 5, 13),                                    \
            abz_ = __builtin_shufflevector(a_, b_, 2, 10, 3, 11, 6, 14, 7, 15),                                 \
            cdz_ = __builtin_shufflevector(c_, d_, 2, 10, 3, 11, 6, 14, 7, 15);                                 \
    floats8 x = __builtin_shufflevector(ab_, cd_, 0, 1, 8, 9, 4, 5, 12, 13),                                    \
            y = __builtin_shufflevector(ab_, cd_, 2, 3, 10, 11, 6, 7, 14, 15),                                  \
            z = __builtin_shufflevector(abz_, cdz_, 0, 1, 8, 9, 4, 5, 12, 13)

static void rows3_f(const sp_grid *g, int begin, int end, const float *off, float a, float b, const float *base, const float *in,
                    float *out) {
    for (size_t group = (size_t)begin / 8; group < ((size_t)end + 7) / 8; group++) {
        floats8 s[3] = {{0}};
        for (size_t k = (size_t)g->lane_start[group]; k < (size_t)g->lane_start[group + 1]; k++) {
            const float *A = off + 72 * k;
            load_lanes(in, g->lane_col + 8 * k, x, y, z);
            for (int r = 0; r < 3; r++) {
                s[r] += load8(A + 24 * r) * x;
                s[r] += load8(A + 24 * r + 8) * y;
                s[r] += load8(A + 24 * r + 16) * z;
            }
        }
        // back to rows: lanes 0 and 4, 1 and 5, ... side by side
        floats8 zero = {0}, xy = __builtin_shufflevector(s[0], s[1], 0, 8, 1, 9, 4, 12, 5, 13),
                xy2 = __builtin_shufflevector(s[0], s[1], 2, 10, 3, 11, 6, 14, 7, 15),
                z0 = __builtin_shufflevector(s[2], zero, 0, 8, 1, 9, 4, 12, 5, 13),
                z2 = __builtin_shufflevector(s[2], zero, 2, 10, 3, 11, 6, 14, 7, 15);
        floats8 rows[4] = {__builtin_shufflevector(xy, z0, 0, 1, 8, 9, 4, 5, 12, 13),
                           __builtin_shufflevector(xy, z0, 2, 3, 10, 11, 6, 7, 14, 15),
                           __builtin_shufflevector(xy2, z2, 0, 1, 8, 9, 4, 5, 12, 13),
                           __builtin_shufflevector(xy2, z2, 2, 3, 10, 11, 6, 7, 14, 15)};
        for (int l = 0; l < 4; l++)
            for (int h = 0; h < 2; h++) {
                size_t i = 4 * (size_t)g->lane_row[8 * group + (size_t)(l + 4 * h)];
                floats4 sum = h ? __builtin_shufflevector(rows[l], rows[l], 4, 5, 6, 7)
                                : __builtin_shufflevector(rows[l], rows[l], 0, 1, 2, 3);
                floats4 y = sum * b + load4(in + i) * a;
                if (base) y += load4(base + i);
                *(floats4 *)(out + i) = y;
            }
    }
}

static void rows6_f(const sp_grid *g, int begin, int end, const float *off, float a, float b, const float *base, const float *in,
                    float *out) {
    for (size_t i = (size_t)begin; i < (size_t)end; i++) {
        floats8 s0 = {0}, s1 = {0};
        for (size_t k = (size_t)g->start[i]; k < (size_t)g->start[i + 1]; k++) {
            const float *A = off + 36 * k, *x = in + 8 * (size_t)g->col[k];
            for (int c = 0; c < 6; c += 2) {
                s0 += load8(A + 6 * c) * x[c];
                s1 += load8(A + 6 * c + 6) * x[c + 1];
            }
        }
        floats8 y = clear8((s0 + s1) * b) + load8(in + 8 * i) * a;
        if (base) y += load8(base + 8 * i);
        *(floats8 *)(out + 8 * i) = y;
    }
}

static void rows_f(const sp_grid *g, int begin, int end, const void *off, double a, double b, const void *base, const void *in,
                   void *out) {
    if (g->block == 3)
        rows3_f(g, begin, end, off, (float)a, (float)b, base, in, out);
    else
        rows6_f(g, begin, end, off, (float)a, (float)b, base, in, out);
}

// blocks of 3: entry (r, c) of eight blocks side by side; blocks of 6: columns first
static void load3_f(const sp_grid *g, int begin, int end, const double *half, float *off) {
    for (size_t i = (size_t)begin; i < (size_t)end; i++)
        for (size_t k = (size_t)g->half_start[i] + 1; k < (size_t)g->half_start[i + 1]; k++) {
            const double *A = half + 9 * k;
            float *up = off + g->lane_up[k], *down = off + g->lane_down[k];
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) up[8 * (3 * r + c)] = down[8 * (3 * c + r)] = (float)A[3 * r + c];
        }
}

static void load6_f(const sp_grid *g, int begin, int end, const double *half, float *off) {
    for (size_t k = (size_t)g->start[begin]; k < (size_t)g->start[end]; k++) {
        const double *A = half + 36 * (size_t)(g->from[k] >> 1);
        float *out = off + 36 * k;
        if (g->from[k] & 1)
            for (size_t e = 0; e < 36; e++) out[e] = (float)A[e];
        else
            for (size_t c = 0; c < 6; c++)
                for (size_t r = 0; r < 6; r++) out[6 * c + r] = (float)A[6 * r + c];
    }
}

static void load_matrix_f(const sp_grid *g, int begin, int end, const double *half, void *off) {
    if (g->block == 3)
        load3_f(g, begin, end, half, off);
    else
        load6_f(g, begin, end, half, off);
}

// ------------------------------------------------------------------------------------------------ the prolongator

SP_GRID_INLINE void restrict_one_f(const sp_grid *g, int begin, int end, const float *pro, const float *fine, float *coarse,
                                   size_t b, size_t stride) {
    for (size_t a = (size_t)begin; a < (size_t)end; a++) {
        floats8 s0 = {0}, s1 = {0};
        for (int k = g->q_start[a]; k < g->q_start[a + 1]; k++) {
            const float *P = pro + 6 * b * (size_t)k, *x = fine + stride * (size_t)g->q_row[k];
            for (size_t r = 0; r < b; r++) {
                if (r % 2)
                    s1 += load8(P + 6 * r) * x[r];
                else
                    s0 += load8(P + 6 * r) * x[r];
            }
        }
        *(floats8 *)(coarse + 8 * a) = clear8(s0 + s1);
    }
}

static void restrict_rows_f(const sp_grid *g, int begin, int end, const void *pro, const void *fine, void *coarse) {
    if (g->block == 3)
        restrict_one_f(g, begin, end, pro, fine, coarse, 3, 4);
    else
        restrict_one_f(g, begin, end, pro, fine, coarse, 6, 8);
}

SP_GRID_INLINE void prolong_one_f(const sp_grid *g, int begin, int end, const float *pro, const float *coarse, float *fine,
                                  size_t b, size_t stride) {
    for (size_t i = (size_t)begin; i < (size_t)end; i++) {
        floats8 s[6] = {{0}};
        for (size_t k = (size_t)g->p_start[i]; k < (size_t)g->p_start[i + 1]; k++) {
            const float *P = pro + 6 * b * k;
            floats8 e = load8(coarse + 8 * (size_t)g->p_col[k]);
            for (size_t r = 0; r < b; r++) s[r] += load8(P + 6 * r) * e;
        }
        for (size_t r = 0; r < b; r += 3) {
            // sums of three vectors at once; lanes 6 and 7 are zero, as those of e are
            floats4 t[3], zero = {0};
            for (size_t c = 0; c < 3; c++)
                t[c] = __builtin_shufflevector(s[r + c], s[r + c], 0, 1, 2, 3) +
                       __builtin_shufflevector(s[r + c], s[r + c], 4, 5, 6, 7);
            floats4 xy = __builtin_shufflevector(t[0], t[1], 0, 4, 1, 5) + __builtin_shufflevector(t[0], t[1], 2, 6, 3, 7);
            floats4 z = __builtin_shufflevector(t[2], zero, 0, 4, 1, 5) + __builtin_shufflevector(t[2], zero, 2, 6, 3, 7);
            floats4 sum = __builtin_shufflevector(xy, z, 0, 1, 4, 5) + __builtin_shufflevector(xy, z, 2, 3, 6, 7);
            *(floats4 *)(fine + stride * i + r) = load4(fine + stride * i + r) + sum;
        }
    }
}

static void prolong_rows_f(const sp_grid *g, int begin, int end, const void *pro, const void *coarse, void *fine) {
    if (g->block == 3)
        prolong_one_f(g, begin, end, pro, coarse, fine, 3, 4);
    else
        prolong_one_f(g, begin, end, pro, coarse, fine, 6, 8);
}
