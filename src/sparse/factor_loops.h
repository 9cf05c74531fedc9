// The front of one supernode: assembly from A and from the contribution blocks of its children, then elimination. Included once
// for each number type; the including file defines `real`, LOOP(name) and DENSE_TABLE(F).
//
// Every loop inside a front is divided in the same way for one worker and for many, so that the bits do not depend on the
// workers.
enum {
    LOOP(STRIP) = 4 * SP_DENSE_ROWS,  // rows of one part of the solve below a diagonal block
    LOOP(TILE) = 4 * SP_DENSE_ROWS,   // rows and columns of one part of an update
    LOOP(WHOLE) = 8 * SP_DENSE_ROWS,  // rows below of a front that is small enough to be updated without packs
    LOOP(COLUMNS) = 32,               // block columns of one part of an assembly
    LOOP(NEAR) = 2048,                // numbers that are assembled together, so that they stay in cache
};
typedef real LOOP(four) __attribute__((vector_size(4 * sizeof(real)), aligned(sizeof(real)), may_alias));

typedef struct LOOP(front) {
    sp_factor_run *run;
    const sp_factor *F;
    sp_factor_set *set;
    int s;
    bool wide;
    int block, own, rows;  // own block columns, all block rows
    int K, N, M;           // scalars: own columns, rows, rows below
    real *P, *C, *d;       // panel, contribution block, D
    real *pack_rows, *pack_cols;
    int from, to;  // current columns
    bool small;    // one panel, and its contribution block is updated in one call
} LOOP(front);
#define front LOOP(front)

static void LOOP(each)(front *f, int parts, sp_task_fn *fn) {
    if (f->wide && parts > 1)
        sp__parallel(f->F->ctx, parts, fn, f);
    else
        for (int p = 0; p < parts; p++) fn(f, p, 0);
}

static real *LOOP(below_of)(const front *f, int s) {
    const sp_factor *F = f->F;
    void *store = F->def.keep ? F->below[sp__side_now(F, s)] : F->inner[s] ? f->set->stack : F->below[0];
    return (real *)store + F->below_at[s];
}

// ------------------------------------------------------------------------------------------------ assembly

static int LOOP(lower_bound)(const int *a, int n, int value) {
    int low = 0;
    while (low < n) {
        int mid = low + (n - low) / 2;
        if (a[mid] < value)
            low = mid + 1;
        else
            n = mid;
    }
    return low;
}

// Address of entry (0, column) of the front, first column of block column q. Rows are offsets from it, from the diagonal on.
static real *LOOP(column)(const front *f, int q) {
    if (q < f->own) return f->P + (size_t)(q * f->block) * (size_t)f->N;
    return f->C + (size_t)((q - f->own) * f->block) * (size_t)f->M - f->K;
}

// to += from, m rows of b columns
SP_INLINE void LOOP(add_rows)(const int b, int m, const real *from, size_t ld_from, real *to, size_t ld_to) {
    int i = 0;
    for (; i + 4 <= m; i += 4)
        for (int c = 0; c < b; c++) {
            LOOP(four) *at = (LOOP(four) *)(to + i + (size_t)c * ld_to);
            *at += *(const LOOP(four) *)(from + i + (size_t)c * ld_from);
        }
    for (; i < m; i++)
        for (int c = 0; c < b; c++) to[i + (size_t)c * ld_to] += from[i + (size_t)c * ld_from];
}

// Adds block column j of a child's block (n block rows), from its diagonal on, to a column of the front; runs of consecutive rows
// are added together.
SP_INLINE void LOOP(add_column)(const int b, int j, int n, const int *up, const int *stretch, const real *from, real *to,
                                size_t ld_to) {
    size_t ld_from = (size_t)(n * b);
    from += (size_t)(j * b) * ld_from;
    for (int c = 0; c < b; c++)  // entries above the diagonal are unused
        for (int r = c; r < b; r++) to[up[j] * b + r + (size_t)c * ld_to] += from[j * b + r + (size_t)c * ld_from];
    for (int i = j + 1; i < n; i += stretch[i]) LOOP(add_rows)(b, stretch[i] * b, from + i * b, ld_from, to + up[i] * b, ld_to);
}

// Adds what child c contributes to columns [q0, q1) of the front. `up` is ascending, so these columns are adjacent in the child
// too.
SP_INLINE void LOOP(add_child)(const front *f, const int b, int c, int q0, int q1) {
    const sp_symbolic *S = f->F->S;
    int first = S->row_start[c] + sp__front_columns(S, c), n = S->row_start[c + 1] - first;
    const int *up = S->up + first, *stretch = f->F->stretch + first;
    const real *from = LOOP(below_of)(f, c);
    for (int j = LOOP(lower_bound)(up, n, q0); j < n && up[j] < q1; j++) {
        bool own = up[j] < f->own;
        LOOP(add_column)(b, j, n, up, stretch, from, LOOP(column)(f, up[j]), (size_t)(own ? f->N : f->M));
    }
}

static void LOOP(gather_columns)(front *f, int q0, int q1) {
    const sp_symbolic *S = f->F->S;
    for (int q = q0; q < q1; q++) {
        real *at = LOOP(column)(f, q);
        for (int t = 0, row = q * f->block; t < f->block; t++, row++, at += q < f->own ? f->N : f->M)
            memset(at + row, 0, (size_t)(f->N - row) * sizeof(real));
    }
    for (int k = S->child_start[f->s]; k < S->child_start[f->s + 1]; k++) switch (f->block) {
        case 1: LOOP(add_child)(f, 1, S->child[k], q0, q1); break;
        case 3: LOOP(add_child)(f, 3, S->child[k], q0, q1); break;
        default: LOOP(add_child)(f, f->block, S->child[k], q0, q1); break;
        }
}

// Takes a few columns at a time, which stay in the L1 cache from the first zero to the last child.
static void LOOP(gather_range)(front *f, int q0, int q1) {
    int step = LOOP(NEAR) / (f->N * f->block) + 1;
    for (int q = q0; q < q1; q += step) LOOP(gather_columns)(f, q, q + step < q1 ? q + step : q1);
}

static void LOOP(gather_part)(void *arg, int part, int worker) {
    front *f = arg;
    int q0 = part * LOOP(COLUMNS), q1 = q0 + LOOP(COLUMNS);
    (void)worker;
    LOOP(gather_range)(f, q0, q1 < f->rows ? q1 : f->rows);
}

// adds one block of A; `to` is its entry (0, 0)
SP_INLINE void LOOP(add_block)(const int b, const double *a, int stride, bool turned, real *to, size_t ld) {
    for (int c = 0; c < b; c++)
        for (int r = 0; r < b; r++) to[(size_t)c * ld + (size_t)r] += (real)a[stride * (turned ? b * c + r : b * r + c)];
}

SP_INLINE void LOOP(add_blocks)(const front *f, const int b) {
    const sp_symbolic *S = f->F->S;
    const sp_symmetric *A = f->run->A;
    for (int k = S->entry_start[f->s]; k < S->entry_start[f->s + 1]; k++) {
        int col = S->entry_col[k] & ~SP_ENTRY_TRANSPOSED;
        real *to = f->P + (size_t)(col * b) * (size_t)f->N + (size_t)(S->entry_at[k] * b);
        LOOP(add_block)
        (b, sp__symmetric_block(A, S->entry[k]), A->stride, (S->entry_col[k] & SP_ENTRY_TRANSPOSED) != 0, to, (size_t)f->N);
    }
}

static void LOOP(add_matrix)(const front *f) {
    switch (f->block) {
    case 1: LOOP(add_blocks)(f, 1); break;
    case 3: LOOP(add_blocks)(f, 3); break;
    default: LOOP(add_blocks)(f, f->block); break;
    }
    if (f->run->shift != 0)
        for (int j = 0; j < f->K; j++) f->P[(size_t)j * (size_t)(f->N + 1)] += (real)f->run->shift;
}

static void LOOP(assemble)(front *f) {
    if (f->wide)
        LOOP(each)(f, (f->rows + LOOP(COLUMNS) - 1) / LOOP(COLUMNS), LOOP(gather_part));
    else
        LOOP(gather_range)(f, 0, f->rows);
    LOOP(add_matrix)(f);
}

// ------------------------------------------------------------------------------------------------ elimination

// Solves the rows below the current columns, and packs them for the update.
static void LOOP(below_part)(void *arg, int part, int worker) {
    front *f = arg;
    int k = f->to - f->from, row = f->to + part * LOOP(STRIP), n = f->N - row < LOOP(STRIP) ? f->N - row : LOOP(STRIP);
    real *at = f->P + (size_t)f->from * (size_t)f->N;
    const real *d = f->d ? f->d + f->from : NULL;
    size_t pack = (size_t)(row - f->to) * (size_t)k;
    (void)worker;
    DENSE_TABLE(f->F)->below(n, k, at + f->from, f->N, d, at + row, f->N);
    if (!f->small) DENSE_TABLE(f->F)->pack(n, k, at + row, f->N, d, f->pack_rows + pack, f->pack_cols + pack);
}

static int LOOP(parts)(int n, int size) {
    return (n + size - 1) / size;
}

// Tile number `part` of a lower trapezoid; tiles are numbered along columns of tiles.
static void LOOP(tile)(front *f, int part, int columns, int rows, size_t pack, real *C, int ld) {
    int high = LOOP(parts)(rows, LOOP(TILE)), J = 0;
    for (; part >= high - J; J++) part -= high - J;
    int i0 = (J + part) * LOOP(TILE), j0 = J * LOOP(TILE), i1 = i0 + LOOP(TILE), j1 = j0 + LOOP(TILE);
    DENSE_TABLE(f->F)->update(i0, i1 < rows ? i1 : rows, j0, j1 < columns ? j1 : columns, f->to - f->from, f->pack_rows + pack,
                              f->pack_cols + pack, C, ld);
}

static int LOOP(tiles)(int columns, int rows) {
    int wide = LOOP(parts)(columns, LOOP(TILE)), high = LOOP(parts)(rows, LOOP(TILE));
    return wide * high - wide * (wide - 1) / 2;
}

// First the remaining own columns, then the contribution block.
static void LOOP(update_part)(void *arg, int part, int worker) {
    front *f = arg;
    int left = f->K - f->to, tiles = LOOP(tiles)(left, f->N - f->to);
    (void)worker;
    if (part < tiles)
        LOOP(tile)(f, part, left, f->N - f->to, 0, f->P + (size_t)f->to * (size_t)(f->N + 1), f->N);
    else
        LOOP(tile)(f, part - tiles, f->M, f->M, (size_t)left * (size_t)(f->to - f->from), f->C, f->M);
}

// End of the next columns. The remainder is a whole number of strips, so that packs of the rows below start at a strip.
static int LOOP(cut)(int from, int K) {
    int left = K - from, panels = LOOP(parts)(left, SP_DENSE_PANEL);
    if (panels == 1) return K;
    int after = left * (panels - 1) / panels / SP_DENSE_ROWS * SP_DENSE_ROWS;
    if (left - after > SP_DENSE_PANEL) after = LOOP(parts)(left - SP_DENSE_PANEL, SP_DENSE_ROWS) * SP_DENSE_ROWS;
    return K - after;
}

// Blocked elimination of the own columns; returns K, or the column that failed.
static int LOOP(eliminate)(front *f) {
    for (f->from = 0; f->from < f->K; f->from = f->to) {
        f->to = LOOP(cut)(f->from, f->K);
        int k = f->to - f->from;
        int done =
            DENSE_TABLE(f->F)->diagonal(k, f->P + (size_t)f->from * (size_t)(f->N + 1), f->N, f->d ? f->d + f->from : NULL);
        if (done < k) return f->from + done;
        if (f->to == f->N) break;
        LOOP(each)(f, LOOP(parts)(f->N - f->to, LOOP(STRIP)), LOOP(below_part));
        if (f->small)
            DENSE_TABLE(f->F)->update_whole(f->M, k, f->P + f->K, f->N, f->d, f->C, f->M);
        else
            LOOP(each)(f, LOOP(tiles)(f->K - f->to, f->N - f->to) + LOOP(tiles)(f->M, f->M), LOOP(update_part));
    }
    return f->K;
}

static bool LOOP(make_front)(sp_factor_run *run, int s, sp_factor_set *set, bool wide) {
    sp_factor *F = run->F;
    int side = sp__side_now(F, s);
    front f = {.run = run, .F = F, .set = set, .s = s, .wide = wide, .block = F->S->block};
    f.own = sp__front_columns(F->S, s), f.rows = sp__front_rows(F->S, s);
    f.K = f.own * f.block, f.N = f.rows * f.block, f.M = f.N - f.K;
    f.P = sp__panel(F, s, side), f.d = F->def.kind == SP_LDLT ? sp__pivot(F, s, side) : NULL, f.C = LOOP(below_of)(&f, s);
    f.pack_rows = set->rows, f.pack_cols = set->cols, f.small = f.K <= SP_DENSE_PANEL && f.M <= LOOP(WHOLE);
    LOOP(assemble)(&f);
    int column = LOOP(eliminate)(&f);
    if (column == f.K) return true;
    if (s > set->failed) return false;
    set->failed = s, set->column = F->S->first[s] * f.block + column;
    set->pivot = (double)f.P[(size_t)column * (size_t)(f.N + 1)];
    return false;
}
#undef front

// ============================================================================================= triangular solves

// One supernode's part of a solve, forward and backward, for one right-hand side or for several interleaved ones (number c of row
// i at i width + c).
//
// The forward solve is multifrontal too: each supernode stores the contributions of its columns to the rows below in its own
// vector, and the parent adds these in the order of its children. No two tasks write the same number, and the sums do not depend
// on the workers.

static real *LOOP(vector)(const sp_factor_pass *pass, void *own, int s) {
    const sp_factor *F = pass->F;
    return (real *)(F->inner[s] ? own : pass->shared) + F->vector_at[s] * (size_t)pass->width;
}

// copies the right-hand sides of the own columns in elimination order
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

// adds the vector of child c to own columns (y) and rows below (v)
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
// A large panel is processed a few columns at a time: the small triangle by the caller, the rectangle below it in parts that all
// workers may share. The division depends on the size alone, so that the bits do not depend on the workers.

enum {
    LOOP(LARGE) = 1 << 16,  // entries of a large panel
    LOOP(STEP) = 192,       // columns at a time
    LOOP(PART_ROWS) = 192,
    LOOP(PART_COLUMNS) = 48,
};

typedef struct LOOP(large) {
    const sp_factor *F;
    const real *L;
    int N, K, from, to;  // rows, columns; current columns
    real *y, *v;         // own columns, rows below
} LOOP(large);
#define large LOOP(large)

static void LOOP(parts_do)(const sp_factor_pass *pass, int parts, sp_task_fn *fn, large *g) {
    if (pass->wide && parts > 1)
        sp__parallel(pass->F->ctx, parts, fn, g);
    else
        for (int p = 0; p < parts; p++) fn(g, p, 0);
}

// some of the rows after the current columns: own rows, then rows below
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

// some of the current columns, with all rows after them
static void LOOP(columns_part)(void *arg, int part, int worker) {
    const large *g = arg;
    int c0 = g->from + part * LOOP(PART_COLUMNS), n = g->to - c0 < LOOP(PART_COLUMNS) ? g->to - c0 : LOOP(PART_COLUMNS);
    const real *at = g->L + (size_t)c0 * (size_t)g->N;
    (void)worker;
    DENSE_TABLE(g->F)->product_transposed(g->N - g->K, n, at + g->K, g->N, g->v, g->y + c0);
    DENSE_TABLE(g->F)->product_transposed(g->K - g->to, n, at + g->to, g->N, g->y + g->to, g->y + c0);
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

// copies the rows below from y
static void LOOP(subtract_below)(const sp_factor_pass *pass, int s, real *v) {
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
    LOOP(subtract_below)(pass, s, v);
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

// ------------------------------------------------------------------------------------------------ columns of the inverse

static void LOOP(scale)(const sp_factor *F, int s, int r, void *y) {
    const real *d = sp__pivot(F, s, F->side[s]);
    real *at = y;
    for (int j = 0; j < sp__panel_columns(F, s); j++) {
        real factor = (real)(1 / sqrt((double)d[j]));
        for (int c = 0; c < r; c++) at[j * r + c] *= factor;
    }
}

// Sums of a supernode are made in real, sums over supernodes in double.
static void LOOP(product)(const sp_factor *F, int k, int ra, const void *A, int rb, const void *B, void *tile, double *sum) {
    real *t = tile;
    memset(t, 0, (size_t)(ra * rb) * sizeof *t);
    DENSE_TABLE(F)->product_many(ra, rb, k, A, B, rb, t);
    for (int i = 0; i < ra * rb; i++) sum[i] -= (double)t[i];
}

static void LOOP(put)(void *array, size_t i, double value) {
    ((real *)array)[i] = (real)value;
}

static double LOOP(get)(const void *array, size_t i) {
    return (double)((const real *)array)[i];
}
