// The multigrid's loops for one instruction set. Included by a file that defines SP_SUFFIX; the numbers of the build are double,
// those of the cycle float or double.
#include "linear/multigrid.h"

#define SP_GRID_INLINE static inline __attribute__((always_inline))
#define SP_PASTE3(a, b, c) a##b##c
#define SP_PASTE(a, b, c) SP_PASTE3(a, b, c)

// ------------------------------------------------------------------------------------------------ products of the build

// a row of a prolongator block: six numbers, no padding
typedef double row4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double row2 __attribute__((vector_size(16), aligned(8), may_alias));

// out (6) = x (6) R (6 x 6)
SP_GRID_INLINE void times_row(const double *x, const double *R, double *out) {
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

// left^T A right of blocks of 3, both upper: vectors of 4 that hold a row and the first number behind it
SP_GRID_INLINE void scale3(const double *left, const double *right, double *A) {
    row4 M[3], u[3], out[3];
    for (int r = 0; r < 3; r++) M[r] = *(const row4 *)(A + 3 * r), u[r] = *(const row4 *)(right + 3 * r);
    for (int r = 2; r >= 0; r--) {
        M[r] *= left[4 * r];
        for (int k = 0; k < r; k++) M[r] += left[3 * k + r] * M[k];
    }
    for (int r = 0; r < 3; r++) out[r] = M[r][0] * u[0] + M[r][1] * u[1] + M[r][2] * u[2];
    for (int r = 0; r < 3; r++) memcpy(A + 3 * r, &out[r], 3 * sizeof *A);
}

SP_GRID_INLINE void scale6(const double *left, const double *right, double *A) {
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

// C (b x 6, rows 8 apart) += A B (b x 6); turned: A^T B. A is row-major. Rows of B are read as eight numbers: what stands behind
// them ends up behind the rows of C.
SP_GRID_INLINE void multiply(double *C, const double *A, bool turned, const double *B, size_t b) {
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

// C (6 x 6) += P^T W, P: b x 6, W: b x 6 with rows 8 apart
SP_GRID_INLINE void multiply_turned(double *C, const double *P, const double *W, size_t b) {
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

// W: a row of P with rows 8 apart
SP_GRID_INLINE void prolongator_row(const sp_grid *g, size_t i, const double *half, double w, const double *T, double *W,
                                    double *P, size_t b) {
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

// row i of A P into W: its own blocks of P times the identity, then those of its neighbours
SP_GRID_INLINE void product_row(const sp_grid *g, size_t i, const double *half, const double *P, double *W, size_t b) {
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

SP_GRID_INLINE void galerkin_rows(const sp_grid *g, int begin, int end, const double *half, const double *P, double *W,
                                  double *coarse, size_t b) {
    for (size_t i = (size_t)begin; i < (size_t)end; i++) {
        const uint16_t *slot = g->slot + g->slot_start[i];
        const int *to = g->to + g->to_start[i];
        size_t first = (size_t)g->p_start[i], last = (size_t)g->p_start[i + 1], count = (size_t)g->ap_count[i];
        if (first == last) continue;
        product_row(g, i, half, P, W, b);
        for (size_t p = first; p < last; p++)
            for (size_t s = slot[p - first]; s < count; s++)
                multiply_turned(coarse + 36 * (size_t)*to++, P + 6 * b * p, W + 8 * b * s, b);
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

#define real float
#define GRID(name) name##_f
#include "linear/multigrid_float.h"
#include "linear/multigrid_real.h"
#undef real
#undef GRID

#define real double
#define GRID(name) name##_d
#include "linear/multigrid_double.h"
#include "linear/multigrid_real.h"

const sp_grid_loops SP_PASTE(sp__grid_float, SP_SUFFIX, ) = {
    sizeof(float), rows_f, restrict_rows_f, prolong_rows_f, load_matrix_f, load_prolongator_f, enter_f, leave_f, mix_f, dot_f};
const sp_grid_loops SP_PASTE(sp__grid_double, SP_SUFFIX, ) = {
    sizeof(double), rows_d, restrict_rows_d, prolong_rows_d, load_matrix_d, load_prolongator_d, enter_d, leave_d, mix_d, dot_d};
