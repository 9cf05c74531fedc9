// One supernode's part of a solve, forward and backward, for one right-hand side or for several side by side (number c of row i
// at i width + c). Included once for each kind of number, after factor_loops.h.
//
// Forward is multifrontal too: each supernode leaves what its columns take from the rows below in a vector of its own, and the
// parent adds it in the order of its children: no two tasks write one number, and the sums do not depend on the workers.

static real *LOOP(vector)(const sp_factor_pass *pass, void *own, int s) {
    const sp_factor *F = pass->F;
    return (real *)(F->inner[s] ? own : pass->shared) + F->vector_at[s] * (size_t)pass->width;
}

// right-hand sides of the own columns, into the order of elimination
static void LOOP(take)(const sp_factor_pass *pass, int s, real *y) {
    const sp_symbolic *S = pass->F->S;
    size_t n = (size_t)S->n * (size_t)S->block;
    int block = S->block, r = pass->width;
    for (int j = S->first[s]; j < S->first[s + 1]; j++)
        for (int t = 0; t < block; t++, y += r) {
            const double *from = pass->b + (size_t)S->perm[j] * (size_t)block + t;
            for (int c = 0; c < pass->used; c++) y[c] = (real)from[(size_t)c * n];
            for (int c = pass->used; c < r; c++) y[c] = 0;
        }
}

static void LOOP(give)(const sp_factor_pass *pass, int s, const real *y) {
    const sp_symbolic *S = pass->F->S;
    size_t n = (size_t)S->n * (size_t)S->block;
    int block = S->block;
    for (int j = S->first[s]; j < S->first[s + 1]; j++)
        for (int t = 0; t < block; t++, y += pass->width) {
            double *to = pass->x + (size_t)S->perm[j] * (size_t)block + t;
            for (int c = 0; c < pass->used; c++) to[(size_t)c * n] = (double)y[c];
        }
}

// what child c left, into own columns (y) and rows below (v)
static void LOOP(add_vector)(const sp_factor_pass *pass, int own, int c, const real *from, real *y, real *v) {
    const sp_symbolic *S = pass->F->S;
    int size = S->block * pass->width;
    for (int i = S->row_start[c] + sp__front_columns(S, c); i < S->row_start[c + 1];) {
        int q = S->up[i], n = pass->F->stretch[i];
        if (q < own && n > own - q) n = own - q;
        LOOP(add_rows)(1, n * size, from, 0, q < own ? y + q * size : v + (q - own) * size, 0);
        from += n * size, i += n;
    }
}

// ------------------------------------------------------------------------------------------------ large panels
// A large panel goes by a few columns at a time: the small triangle on the spot, the rectangle below it in parts that all workers
// may share. Who does them, and how many they are, changes no bit: small and large are told apart by size alone.

enum {
    LOOP(LARGE) = 1 << 16,  // entries of a large panel
    LOOP(STEP) = 192,       // columns at a time
    LOOP(PART_ROWS) = 192,
    LOOP(PART_COLUMNS) = 48,
};

typedef struct LOOP(large) {
    const sp_factor *F;
    const real *L;
    int N, K, from, to;  // rows, columns; columns under way
    real *y, *v;         // own columns, rows below
} LOOP(large);
#define large LOOP(large)

static void LOOP(parts_do)(const sp_factor_pass *pass, int parts, sp_task_fn *fn, large *g) {
    if (pass->wide && parts > 1)
        sp__parallel(pass->F->ctx, parts, fn, g);
    else
        for (int p = 0; p < parts; p++) fn(g, p, 0);
}

// some of the rows behind the columns under way: own ones, then those below
static void LOOP(rows_part)(void *arg, int part, int worker) {
    const large *g = arg;
    int r0 = g->to + part * LOOP(PART_ROWS), r1 = r0 + LOOP(PART_ROWS), k = g->to - g->from;
    const real *at = g->L + (size_t)g->from * (size_t)g->N;
    (void)worker;
    if (r1 > g->N) r1 = g->N;
    int own = r1 < g->K ? r1 : g->K, below = r0 > g->K ? r0 : g->K;
    if (own > r0) DENSE_TABLE(g->F)->product(own - r0, k, at + r0, g->N, g->y + g->from, g->y + r0);
    if (r1 > below) DENSE_TABLE(g->F)->product(r1 - below, k, at + below, g->N, g->y + g->from, g->v + (below - g->K));
}

static void LOOP(forward_large)(const sp_factor_pass *pass, large *g) {
    for (g->from = 0; g->from < g->K; g->from = g->to) {
        g->to = g->K - g->from < LOOP(STEP) ? g->K : g->from + LOOP(STEP);
        int k = g->to - g->from;
        const real *L = g->L + (size_t)g->from * (size_t)(g->N + 1);
        DENSE_TABLE(g->F)->forward(k, k, L, g->N, g->F->def.kind == SP_LDLT, g->y + g->from, g->y + g->to);
        LOOP(parts_do)(pass, (g->N - g->to + LOOP(PART_ROWS) - 1) / LOOP(PART_ROWS), LOOP(rows_part), g);
    }
}

// some of the columns under way, against all rows behind them
static void LOOP(columns_part)(void *arg, int part, int worker) {
    const large *g = arg;
    int c0 = g->from + part * LOOP(PART_COLUMNS), n = g->to - c0 < LOOP(PART_COLUMNS) ? g->to - c0 : LOOP(PART_COLUMNS);
    const real *at = g->L + (size_t)c0 * (size_t)g->N;
    (void)worker;
    DENSE_TABLE(g->F)->product_turned(g->N - g->K, n, at + g->K, g->N, g->v, g->y + c0);
    DENSE_TABLE(g->F)->product_turned(g->K - g->to, n, at + g->to, g->N, g->y + g->to, g->y + c0);
}

static void LOOP(backward_large)(const sp_factor_pass *pass, large *g) {
    for (g->to = g->K; g->to > 0; g->to = g->from) {
        g->from = (g->to - 1) / LOOP(STEP) * LOOP(STEP);
        int k = g->to - g->from;
        const real *L = g->L + (size_t)g->from * (size_t)(g->N + 1);
        LOOP(parts_do)(pass, (k + LOOP(PART_COLUMNS) - 1) / LOOP(PART_COLUMNS), LOOP(columns_part), g);
        DENSE_TABLE(g->F)->backward(k, k, L, g->N, g->F->def.kind == SP_LDLT, g->y + g->from, g->y + g->to);
    }
}

// ------------------------------------------------------------------------------------------------ one supernode

static void LOOP(forward)(const sp_factor_pass *pass, void *stack, int s) {
    const sp_factor *F = pass->F;
    const sp_symbolic *S = F->S;
    int r = pass->width, N = sp__panel_rows(F, s), K = sp__panel_columns(F, s);
    bool unit = F->def.kind == SP_LDLT;
    real *y = (real *)pass->y + (size_t)S->first[s] * (size_t)(S->block * r), *v = LOOP(vector)(pass, stack, s);
    const real *L = sp__panel(F, s, F->side[s]);
    if (pass->b) LOOP(take)(pass, s, y);
    memset(v, 0, (size_t)(N - K) * (size_t)r * sizeof(real));
    for (int k = S->child_start[s]; k < S->child_start[s + 1]; k++) {
        int c = S->child[k];
        if (!pass->mark || pass->mark[c] == pass->stamp)
            LOOP(add_vector)(pass, sp__front_columns(S, s), c, LOOP(vector)(pass, stack, c), y, v);
    }
    if (r > 1)
        DENSE_TABLE(F)->forward_many(N, K, L, N, unit, r, y, v);
    else if ((int64_t)N * K < LOOP(LARGE))
        DENSE_TABLE(F)->forward(N, K, L, N, unit, y, v);
    else
        LOOP(forward_large)(pass, &(large){.F = F, .L = L, .N = N, .K = K, .y = y, .v = v});
}

// rows below, as they stand in y
static void LOOP(take_below)(const sp_factor_pass *pass, int s, real *v) {
    const sp_symbolic *S = pass->F->S;
    size_t size = (size_t)S->block * (size_t)pass->width;
    const real *y = pass->y;
    for (int i = S->row_start[s] + sp__front_columns(S, s); i < S->row_start[s + 1]; i++, v += size)
        memcpy(v, y + (size_t)S->row[i] * size, size * sizeof(real));
}

static void LOOP(divide)(const sp_factor *F, int s, int r, real *y) {
    const real *d = sp__pivot(F, s, F->side[s]);
    for (int j = 0; j < sp__panel_columns(F, s); j++)
        for (int c = 0; c < r; c++) y[j * r + c] /= d[j];
}

static void LOOP(backward)(const sp_factor_pass *pass, void *stack, int s) {
    const sp_factor *F = pass->F;
    int r = pass->width, N = sp__panel_rows(F, s), K = sp__panel_columns(F, s);
    bool unit = F->def.kind == SP_LDLT;
    real *y = (real *)pass->y + (size_t)F->S->first[s] * (size_t)(F->S->block * r), *v = LOOP(vector)(pass, stack, s);
    const real *L = sp__panel(F, s, F->side[s]);
    LOOP(take_below)(pass, s, v);
    if (unit) LOOP(divide)(F, s, r, y);
    if (r > 1)
        DENSE_TABLE(F)->backward_many(N, K, L, N, unit, r, y, v);
    else if ((int64_t)N * K < LOOP(LARGE))
        DENSE_TABLE(F)->backward(N, K, L, N, unit, y, v);
    else
        LOOP(backward_large)(pass, &(large){.F = F, .L = L, .N = N, .K = K, .y = y, .v = v});
    if (pass->x) LOOP(give)(pass, s, y);
}
#undef large

static void LOOP(put)(void *array, size_t i, double value) {
    ((real *)array)[i] = (real)value;
}

static double LOOP(get)(const void *array, size_t i) {
    return (double)((const real *)array)[i];
}
