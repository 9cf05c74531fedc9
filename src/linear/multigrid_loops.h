// Multigrid loops for one instruction set. Included by a file that defines SP_SUFFIX. The build uses double, the cycle float or
// double.
#include "linear/multigrid.h"
#include "math/unroll.h"

#define SP_PASTE3(a, b, c) a##b##c
#define SP_PASTE(a, b, c) SP_PASTE3(a, b, c)

// ------------------------------------------------------------------------------------------------ products of the build

// a row of a prolongator block: six numbers, no padding
typedef double row4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double row2 __attribute__((vector_size(16), aligned(8), may_alias));

// out (6) = x (6) R (6 x 6)
SP_INLINE void times_row(const double *x, const double *R, double *out) {
    row4 s4 = x[0] * *(const row4 *)R;
    row2 s2 = x[0] * *(const row2 *)(R + 4);
    for (size_t m = 1; m < 6; m++) s4 += x[m] * *(const row4 *)(R + 6 * m), s2 += x[m] * *(const row2 *)(R + 6 * m + 4);
    *(row4 *)out = s4, *(row2 *)(out + 4) = s2;
}

static void times(int rows, const double *R, double *T) {
    for (size_t r = 0; r < (size_t)rows; r++) times_row(T + 6 * r, R, T + 6 * r);
}

static void gram(int rows, const double *T, double *G) {
    row4 s4[6];
    row2 s2[6];
    for (size_t m = 0; m < 6; m++) s4[m] = *(row4 *)(G + 6 * m), s2[m] = *(row2 *)(G + 6 * m + 4);
    for (const double *t = T; t < T + 6 * (size_t)rows; t += 6)
        for (size_t m = 0; m < 6; m++) s4[m] += t[m] * *(const row4 *)t, s2[m] += t[m] * *(const row2 *)(t + 4);
    for (size_t m = 0; m < 6; m++) *(row4 *)(G + 6 * m) = s4[m], *(row2 *)(G + 6 * m + 4) = s2[m];
}

// left^T A right of blocks of 3, both upper triangular; SIMD vectors of 4 hold a row and the first number after it
SP_INLINE void scale3(const double *left, const double *right, double *A) {
    row4 M[3], u[3], out[3];
    for (int r = 0; r < 3; r++) M[r] = *(const row4 *)(A + 3 * r), u[r] = *(const row4 *)(right + 3 * r);
    for (int r = 2; r >= 0; r--) {
        M[r] *= left[4 * r];
        for (int k = 0; k < r; k++) M[r] += left[3 * k + r] * M[k];
    }
    for (int r = 0; r < 3; r++) out[r] = M[r][0] * u[0] + M[r][1] * u[1] + M[r][2] * u[2];
    for (int r = 0; r < 3; r++) memcpy(A + 3 * r, &out[r], 3 * sizeof *A);
}

SP_INLINE void scale6(const double *left, const double *right, double *A) {
    double M[36];
    for (int r = 0; r < 6; r++) {
        row4 s4 = left[r] * *(const row4 *)A;
        row2 s2 = left[r] * *(const row2 *)(A + 4);
        for (int k = 1; k <= r; k++)
            s4 += left[6 * k + r] * *(const row4 *)(A + 6 * k), s2 += left[6 * k + r] * *(const row2 *)(A + 6 * k + 4);
        *(row4 *)(M + 6 * r) = s4, *(row2 *)(M + 6 * r + 4) = s2;
    }
    for (int r = 0; r < 6; r++) times_row(M + 6 * r, right, A + 6 * r);
}

static void scale(const sp_grid *g, int begin, int end, const double *root, double *half) {
    for (size_t i = (size_t)begin; i < (size_t)end; i++)
        for (size_t k = (size_t)g->half_start[i] + 1; k < (size_t)g->half_start[i + 1]; k++) {
            if (g->block == 3)
                scale3(root + 9 * i, root + 9 * (size_t)g->half_col[k], half + 9 * k);
            else
                scale6(root + 36 * i, root + 36 * (size_t)g->half_col[k], half + 36 * k);
        }
}

// C (b x 6, row stride 8) += A B (b x 6); turned: A^T B. A is row-major. Rows of B are read as eight numbers; the two extra
// numbers only reach the padding of C.
SP_INLINE void multiply(double *C, const double *A, bool turned, const double *B, size_t b) {
    size_t down = turned ? 1 : b, across = turned ? b : 1;
    row4 low[6], high[6];
    for (size_t r = 0; r < b; r++) low[r] = *(row4 *)(C + 8 * r), high[r] = *(row4 *)(C + 8 * r + 4);
    for (size_t c = 0; c < b; c++) {
        row4 b0 = *(const row4 *)(B + 6 * c), b1 = *(const row4 *)(B + 6 * c + 4);
        for (size_t r = 0; r < b; r++) {
            double s = A[down * r + across * c];
            low[r] += s * b0, high[r] += s * b1;
        }
    }
    for (size_t r = 0; r < b; r++) *(row4 *)(C + 8 * r) = low[r], *(row4 *)(C + 8 * r + 4) = high[r];
}

// C (6 x 6) += P^T W, P: b x 6, W: b x 6 with row stride 8
SP_INLINE void multiply_transposed(double *C, const double *P, const double *W, size_t b) {
    for (size_t m = 0; m < 6; m++) {
        row2 c2 = *(row2 *)(C + 6 * m + 4);
        row4 low = *(row4 *)(C + 6 * m), high = {c2[0], c2[1]};
        for (size_t r = 0; r < b; r++) {
            double s = P[6 * r + m];
            low += s * *(const row4 *)(W + 8 * r), high += s * *(const row4 *)(W + 8 * r + 4);
        }
        *(row4 *)(C + 6 * m) = low, *(row2 *)(C + 6 * m + 4) = __builtin_shufflevector(high, high, 0, 1);
    }
}

// W: a row of P with row stride 8
SP_INLINE void prolongator_row(const sp_grid *g, size_t i, const double *half, double w, const double *T, double *W, double *P,
                               size_t b) {
    const int *col = g->p_col + g->p_start[i];
    size_t count = (size_t)(g->p_start[i + 1] - g->p_start[i]), own = 0;
    memset(W, 0, sizeof *W * 8 * b * count);
    for (size_t k = (size_t)g->start[i]; k < (size_t)g->start[i + 1]; k++) {
        size_t j = (size_t)g->col[k], at = 0;
        const double *A = half + b * b * (size_t)(g->from[k] >> 1);
        while (col[at] != g->aggregate[j]) at++;
        if (g->from[k] & 1)
            multiply(W + 8 * b * at, A, true, T + 6 * b * j, b);
        else
            multiply(W + 8 * b * at, A, false, T + 6 * b * j, b);
    }
    while (col[own] != g->aggregate[i]) own++;
    for (size_t r = 0; r < b * count; r++)
        for (size_t c = 0; c < 6; c++) P[6 * r + c] = -w * W[8 * r + c];
    for (size_t e = 0; e < 6 * b; e++) P[6 * b * own + e] += (1 - w) * T[6 * b * i + e];
}

static void prolongator(const sp_grid *g, int begin, int end, const double *half, double w, const double *T, double *W,
                        double *P) {
    for (size_t i = (size_t)begin; i < (size_t)end; i++) {
        if (g->aggregate[i] < 0) continue;
        if (g->block == 3)
            prolongator_row(g, i, half, w, T, W, P + 18 * (size_t)g->p_start[i], 3);
        else
            prolongator_row(g, i, half, w, T, W, P + 36 * (size_t)g->p_start[i], 6);
    }
}

// row i of A P into W: its own blocks of P (unit diagonal), then the blocks of its neighbours
SP_INLINE void product_row(const sp_grid *g, size_t i, const double *half, const double *P, double *W, size_t b) {
    const int *p_start = g->p_start, *col = g->col, *from = g->from;
    const uint16_t *slot = g->slot + g->slot_start[i];
    memset(W, 0, sizeof *W * 8 * b * (size_t)g->ap_count[i]);
    for (size_t p = (size_t)p_start[i]; p < (size_t)p_start[i + 1]; p++, slot++)
        for (size_t r = 0; r < b; r++) memcpy(W + 8 * (b * *slot + r), P + 6 * (b * p + r), 6 * sizeof *W);
    for (size_t k = (size_t)g->start[i], last = (size_t)g->start[i + 1]; k < last; k++) {
        const double *A = half + b * b * (size_t)(from[k] >> 1);
        bool turned = from[k] & 1;
        const double *B = P + 6 * b * (size_t)p_start[col[k]], *end = P + 6 * b * (size_t)p_start[col[k] + 1];
        for (; B < end; B += 6 * b, slot++) {
            if (*slot == SP_GRID_SKIP) continue;
            if (turned)
                multiply(W + 8 * b * *slot, A, true, B, b);
            else
                multiply(W + 8 * b * *slot, A, false, B, b);
        }
    }
}

SP_INLINE void galerkin_rows(const sp_grid *g, int begin, int end, const double *half, const double *P, double *W, double *coarse,
                             size_t b) {
    for (size_t i = (size_t)begin; i < (size_t)end; i++) {
        const uint16_t *slot = g->slot + g->slot_start[i];
        const int *to = g->to + g->to_start[i];
        size_t first = (size_t)g->p_start[i], last = (size_t)g->p_start[i + 1], count = (size_t)g->ap_count[i];
        if (first == last) continue;
        product_row(g, i, half, P, W, b);
        for (size_t p = first; p < last; p++)
            for (size_t s = slot[p - first]; s < count; s++)
                multiply_transposed(coarse + 36 * (size_t)*to++, P + 6 * b * p, W + 8 * b * s, b);
    }
}

static void galerkin(const sp_grid *g, int begin, int end, const double *half, const double *P, double *W, double *coarse) {
    if (g->block == 3)
        galerkin_rows(g, begin, end, half, P, W, coarse, 3);
    else
        galerkin_rows(g, begin, end, half, P, W, coarse, 6);
}

const sp_grid_products SP_PASTE(sp__grid_products, SP_SUFFIX, ) = {scale, gram, times, prolongator, galerkin};

// ------------------------------------------------------------------------------------------------ loops of the cycle

// Hot loops of the cycle in float, on SIMD vectors of eight. Blocks of 6 have no padding, so a vector reads a few numbers after
// the end of a column. They only reach lanes that are cleared before a store. Arrays of blocks have 8 extra numbers at the end.
typedef float floats4 __attribute__((vector_size(4 * sizeof(float)), aligned(sizeof(float)), may_alias));
typedef float floats8 __attribute__((vector_size(8 * sizeof(float)), aligned(sizeof(float)), may_alias));

// macros, not functions: a vector wider than the registers must not be a function argument
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
        // transposes back to rows: lanes 0 and 4, 1 and 5, ... are neighbours
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

// blocks of 3: entry (r, c) of eight blocks is contiguous; blocks of 6: column-major
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

SP_INLINE void restrict_one_f(const sp_grid *g, int begin, int end, const float *pro, const float *fine, float *coarse, size_t b,
                              size_t stride) {
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

SP_INLINE void prolong_one_f(const sp_grid *g, int begin, int end, const float *pro, const float *coarse, float *fine, size_t b,
                             size_t stride) {
    for (size_t i = (size_t)begin; i < (size_t)end; i++) {
        floats8 s[6] = {{0}};
        for (size_t k = (size_t)g->p_start[i]; k < (size_t)g->p_start[i + 1]; k++) {
            const float *P = pro + 6 * b * k;
            floats8 e = load8(coarse + 8 * (size_t)g->p_col[k]);
            for (size_t r = 0; r < b; r++) s[r] += load8(P + 6 * r) * e;
        }
        for (size_t r = 0; r < b; r += 3) {
            // three dot products at once; lanes 6 and 7 are zero because those of e are
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

// Hot loops of the cycle in double, without explicit SIMD: used only on request.
static void rows3_d(const sp_grid *g, int begin, int end, const double *off, double a, double b, const double *base,
                    const double *in, double *out) {
    for (size_t group = (size_t)begin / 8; group < ((size_t)end + 7) / 8; group++) {
        double s[3][8] = {{0}};
        for (size_t k = (size_t)g->lane_start[group]; k < (size_t)g->lane_start[group + 1]; k++) {
            const int *at = g->lane_col + 8 * k;
            double x[3][8];
            for (int l = 0; l < 8; l++)
                for (int c = 0; c < 3; c++) x[c][l] = in[at[l] + c];
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    for (int l = 0; l < 8; l++) s[r][l] += off[72 * k + (size_t)(8 * (3 * r + c) + l)] * x[c][l];
        }
        for (int l = 0; l < 8; l++) {
            size_t i = 4 * (size_t)g->lane_row[8 * group + (size_t)l];
            for (int r = 0; r < 3; r++)
                out[i + (size_t)r] = (base ? base[i + (size_t)r] : 0) + a * in[i + (size_t)r] + b * s[r][l];
        }
    }
}

static void rows6_d(const sp_grid *g, int begin, int end, const double *off, double a, double b, const double *base,
                    const double *in, double *out) {
    for (size_t i = (size_t)begin; i < (size_t)end; i++) {
        double s[6] = {0};
        for (size_t k = (size_t)g->start[i]; k < (size_t)g->start[i + 1]; k++)
            for (size_t c = 0; c < 6; c++)
                for (size_t r = 0; r < 6; r++) s[r] += off[36 * k + 6 * c + r] * in[8 * (size_t)g->col[k] + c];
        for (size_t r = 0; r < 6; r++) out[8 * i + r] = (base ? base[8 * i + r] : 0) + a * in[8 * i + r] + b * s[r];
    }
}

static void rows_d(const sp_grid *g, int begin, int end, const void *off, double a, double b, const void *base, const void *in,
                   void *out) {
    if (g->block == 3)
        rows3_d(g, begin, end, off, a, b, base, in, out);
    else
        rows6_d(g, begin, end, off, a, b, base, in, out);
}

// blocks of 3: entry (r, c) of eight blocks is contiguous; blocks of 6: column-major
static void load3_d(const sp_grid *g, int begin, int end, const double *half, double *off) {
    for (size_t i = (size_t)begin; i < (size_t)end; i++)
        for (size_t k = (size_t)g->half_start[i] + 1; k < (size_t)g->half_start[i + 1]; k++) {
            const double *A = half + 9 * k;
            double *up = off + g->lane_up[k], *down = off + g->lane_down[k];
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) up[8 * (3 * r + c)] = down[8 * (3 * c + r)] = A[3 * r + c];
        }
}

static void load6_d(const sp_grid *g, int begin, int end, const double *half, double *off) {
    for (size_t k = (size_t)g->start[begin]; k < (size_t)g->start[end]; k++) {
        const double *A = half + 36 * (size_t)(g->from[k] >> 1);
        double *out = off + 36 * k;
        if (g->from[k] & 1)
            for (size_t e = 0; e < 36; e++) out[e] = A[e];
        else
            for (size_t c = 0; c < 6; c++)
                for (size_t r = 0; r < 6; r++) out[6 * c + r] = A[6 * r + c];
    }
}

static void load_matrix_d(const sp_grid *g, int begin, int end, const double *half, void *off) {
    if (g->block == 3)
        load3_d(g, begin, end, half, off);
    else
        load6_d(g, begin, end, half, off);
}

static void restrict_rows_d(const sp_grid *g, int begin, int end, const void *turned, const void *fine, void *coarse) {
    size_t b = (size_t)g->block, stride = (size_t)sp__grid_stride(g);
    for (size_t a = (size_t)begin; a < (size_t)end; a++) {
        double s[6] = {0};
        for (size_t k = (size_t)g->q_start[a]; k < (size_t)g->q_start[a + 1]; k++) {
            const double *P = (const double *)turned + 6 * b * k, *x = (const double *)fine + stride * (size_t)g->q_row[k];
            for (size_t r = 0; r < b; r++)
                for (size_t j = 0; j < 6; j++) s[j] += P[6 * r + j] * x[r];
        }
        memcpy((double *)coarse + 8 * a, s, sizeof s);
    }
}

static void prolong_rows_d(const sp_grid *g, int begin, int end, const void *pro, const void *coarse, void *fine) {
    size_t b = (size_t)g->block, stride = (size_t)sp__grid_stride(g);
    for (size_t i = (size_t)begin; i < (size_t)end; i++)
        for (size_t k = (size_t)g->p_start[i]; k < (size_t)g->p_start[i + 1]; k++) {
            const double *P = (const double *)pro + 6 * b * k, *e = (const double *)coarse + 8 * (size_t)g->p_col[k];
            for (size_t r = 0; r < b; r++) {
                double sum = 0;
                for (size_t j = 0; j < 6; j++) sum += P[6 * r + j] * e[j];
                ((double *)fine)[stride * i + r] += sum;
            }
        }
}

#define real float
#define GRID(name) name##_f
#include "linear/multigrid_real.h"
#undef real
#undef GRID

#define real double
#define GRID(name) name##_d
#include "linear/multigrid_real.h"

const sp_grid_loops SP_PASTE(sp__grid_float, SP_SUFFIX, ) = {
    sizeof(float), rows_f, restrict_rows_f, prolong_rows_f, load_matrix_f, load_prolongator_f, enter_f, leave_f, mix_f, dot_f};
const sp_grid_loops SP_PASTE(sp__grid_double, SP_SUFFIX, ) = {
    sizeof(double), rows_d, restrict_rows_d, prolong_rows_d, load_matrix_d, load_prolongator_d, enter_d, leave_d, mix_d, dot_d};
