// The cycle's hot loops in double, plain: for those who ask for it.

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

// blocks of 3: entry (r, c) of eight blocks side by side; blocks of 6: columns first
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
