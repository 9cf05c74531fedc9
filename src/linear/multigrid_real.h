// Loops of the cycle over the rows of a level, for both number types. Included by multigrid_loops.h, which defines `real` and
// GRID(name) and contains the loops that differ.

typedef real GRID(four) __attribute__((vector_size(4 * sizeof(real)), aligned(sizeof(real)), may_alias));
typedef real GRID(two) __attribute__((vector_size(2 * sizeof(real)), aligned(sizeof(real)), may_alias));

static void GRID(load_prolongator)(const sp_grid *g, int begin, int end, const double *P, const double *coarse_root, void *pro,
                                   void *turned) {
    size_t b = (size_t)g->block;
    for (size_t a = (size_t)begin; a < (size_t)end; a++)
        for (size_t k = (size_t)g->q_start[a]; k < (size_t)g->q_start[a + 1]; k++) {
            const double *from = P + 6 * b * (size_t)g->q_at[k];
            real *by_row = (real *)pro + 6 * b * (size_t)g->q_at[k], *by_column = (real *)turned + 6 * b * k;
            for (size_t r = 0; r < b; r++) {
                double out[6];
                times_row(from + 6 * r, coarse_root + 36 * a, out);
                GRID(four) first = __builtin_convertvector(*(const row4 *)out, GRID(four));
                GRID(two) rest = __builtin_convertvector(*(const row2 *)(out + 4), GRID(two));
                *(GRID(four) *)(by_row + 6 * r) = *(GRID(four) *)(by_column + 6 * r) = first;
                *(GRID(two) *)(by_row + 6 * r + 4) = *(GRID(two) *)(by_column + 6 * r + 4) = rest;
            }
        }
}

// ------------------------------------------------------------------------------------------------ vectors

// SIMD vectors of 4 hold a row of the root and the first number after it
static void GRID(enter)(int begin, int end, const double *root, double scale, const double *x, void *out) {
    for (size_t i = (size_t)begin; i < (size_t)end; i++) {
        const double *U = root + 9 * i;
        row4 sum = (scale * x[3 * i]) * *(const row4 *)U;
        sum += (scale * x[3 * i + 1]) * *(const row4 *)(U + 3);
        sum += (scale * x[3 * i + 2]) * *(const row4 *)(U + 6);
        sum = __builtin_shufflevector(sum, (row4){0}, 0, 1, 2, 4);
        *(GRID(four) *)((real *)out + 4 * i) = __builtin_convertvector(sum, GRID(four));
    }
}

static void GRID(leave)(int begin, int end, const double *root, double scale, const void *x, double *out) {
    for (size_t i = (size_t)begin; i < (size_t)end; i++) {
        const double *U = root + 9 * i;
        const real *v = (const real *)x + 4 * i;
        for (size_t c = 0; c < 3; c++) {
            double sum = 0;
            for (size_t r = c; r < 3; r++) sum += U[3 * c + r] * (double)v[r];
            out[3 * i + c] = scale * sum;
        }
    }
}

static void GRID(mix)(int begin, int end, double a, void *v, double b, const void *u, double c, const void *w) {
    const real fa = (real)a, fb = (real)b, fc = (real)c;
    for (int i = begin; i < end; i++)
        ((real *)v)[i] = fa * ((real *)v)[i] + fb * ((const real *)u)[i] + fc * ((const real *)w)[i];
}

static double GRID(dot)(int begin, int end, const void *u, const void *v) {
    double sum[4] = {0};
    for (int i = begin; i < end; i++) sum[i & 3] += (double)((const real *)u)[i] * (double)((const real *)v)[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
