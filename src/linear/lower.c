// Block triangular factors: memory, triangular solves and the row ordering (lower.h).
#include "linear/lower.h"

typedef struct sweep {
    const sp_lower *L;
    const double *r;
    double *z;
} sweep;

#define REAL float
#define NAME(name) name##_f
#include "linear/lower_real.h"
#define REAL double
#define NAME(name) name##_d
#include "linear/lower_real.h"

static size_t lower_dividers(const sp_columns *c) {
    return (size_t)(c->n - c->part_start[c->parts]);
}

sp_status sp__lower_create(sp_context *ctx, const sp_columns *columns, size_t blocks, bool single, sp_lower *out) {
    size_t real = single ? sizeof(float) : sizeof(double), n = (size_t)columns->n;
    *out = (sp_lower){.ctx = ctx, .columns = columns, .single = single, .capacity = blocks};
    out->start = sp__alloc(ctx, n + 1, sizeof *out->start);
    out->end = sp__alloc(ctx, n + 1, sizeof *out->end);
    out->row = sp__alloc(ctx, blocks + 1, sizeof *out->row);
    out->val = sp__alloc(ctx, blocks + 1, 12 * real);
    out->inverse = sp__alloc(ctx, n + 1, 12 * real);
    out->work = sp__alloc(ctx, n + 1, 4 * real);
    out->shared = sp__alloc(ctx, (size_t)columns->parts * lower_dividers(columns) + 1, 4 * real);
    if (out->start && out->end && out->row && out->val && out->inverse && out->work && out->shared) return SP_OK;
    sp__lower_free(out);
    return SP_NO_MEMORY;
}

void sp__lower_free(sp_lower *L) {
    void *all[] = {L->start, L->end, L->row, L->val, L->inverse, L->work, L->shared};
    if (!L->ctx) return;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(L->ctx, all[i]);
    *L = (sp_lower){0};
}

size_t sp__lower_bytes(const sp_lower *L) {
    size_t real = L->single ? sizeof(float) : sizeof(double), n = (size_t)L->columns->n;
    return L->capacity * (12 * real + sizeof(int)) + n * (16 * real + 2 * sizeof(size_t)) +
           (size_t)L->columns->parts * lower_dividers(L->columns) * 4 * real;
}

void sp__lower_set(sp_lower *L, size_t at, const double B[9]) {
    if (L->single)
        set_f(L->val, at, B);
    else
        set_d(L->val, at, B);
}

void sp__lower_set_inverse(sp_lower *L, int k, const double B[9]) {
    if (L->single)
        set_f(L->inverse, (size_t)k, B);
    else
        set_d(L->inverse, (size_t)k, B);
}

void sp__lower_solve(sp_lower *L, const double *r, double *z) {
    sweep s = {L, r, z};
    int parts = L->columns->parts;
    sp__parallel(L->ctx, parts, L->single ? part_forward_f : part_forward_d, &s);
    if (L->single)
        middle_f(&s);
    else
        middle_d(&s);
    sp__parallel(L->ctx, parts, L->single ? part_backward_f : part_backward_d, &s);
}

// ================================================================================================== row ordering

// Ordering of the lower triangle, in parts: breadth-first search from a peripheral row (Cuthill and McKee 1969), which a few
// searches to the farthest row find (George and Liu 1979). The order is then reversed (George 1971), or the rows are numbered
// from both ends.

// smallest number of rows per part; separators may have at most 1 / DIVIDER_SHARE of all rows
enum { PART_ROWS = 1024, DIVIDER_SHARE = 8 };

// both triangles without the diagonal: neighbours of each row and their blocks
typedef struct graph {
    int n;
    int *start, *next, *block;  // block: 2 k if the row is the row of the stored block, 2 k + 1 if it is its column
} graph;

static void free_graph(sp_context *ctx, graph *g) {
    sp__free(ctx, g->start), sp__free(ctx, g->next), sp__free(ctx, g->block);
}

static sp_status make_graph(sp_context *ctx, const sp_symmetric *A, graph *g) {
    size_t edges = (size_t)(A->row_start[A->n] - A->n);
    *g = (graph){.n = A->n};
    if (edges > INT32_MAX / 2) return SP_NO_MEMORY;
    if (!SP_NEW(ctx, g->start, A->n + 2) || !SP_NEW(ctx, g->next, 2 * edges + 1) || !SP_NEW(ctx, g->block, 2 * edges + 1)) {
        free_graph(ctx, g);
        return SP_NO_MEMORY;
    }
    int *at = g->start + 1;  // next free entry of each row; equals the start of the next row at the end
    for (int i = 0; i < A->n; i++)
        for (int k = A->row_start[i] + 1; k < A->row_start[i + 1]; k++) at[i + 1]++, at[A->row_col[k] + 1]++;
    for (int i = 0; i < A->n; i++) at[i + 1] += at[i];
    for (int i = 0; i < A->n; i++)
        for (int k = A->row_start[i] + 1; k < A->row_start[i + 1]; k++) {
            int j = A->row_col[k];
            g->next[at[i]] = j, g->block[at[i]++] = 2 * k;
            g->next[at[j]] = i, g->block[at[j]++] = 2 * k + 1;
        }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ levels

// Rows in breadth-first order, one component after another; level[l]: index of the first row of level l in the queue.
typedef struct levels {
    int *mark, *queue, *level;
    int number;       // of the current search
    int done, count;  // rows and levels of the finished components
} levels;

// Searches the component of `from` and appends it to the finished ones. Returns its number of rows; *depth: its number of levels.
static int lower_search(const graph *g, levels *s, int from, int *depth) {
    int *queue = s->queue + s->done, head = 0, tail = 0;
    queue[tail++] = from, s->mark[from] = ++s->number;
    for (*depth = 0; head < tail; ++*depth) {
        s->level[s->count + *depth] = s->done + head;
        for (int end = tail; head < end; head++)
            for (int k = g->start[queue[head]]; k < g->start[queue[head] + 1]; k++) {
                int j = g->next[k];
                if (s->mark[j] == s->number) continue;
                s->mark[j] = s->number, queue[tail++] = j;
            }
    }
    return tail;
}

static void find_levels(const graph *g, levels *s) {
    for (int i = 0; i < g->n; i++) {
        int from = i, depth = 0, before = 0, rows = 0;
        if (s->mark[i]) continue;
        for (int turn = 0; turn < 4; turn++) {
            rows = lower_search(g, s, from, &depth);
            if (depth <= before) break;
            before = depth, from = s->queue[s->done + rows - 1];
        }
        s->done += rows, s->count += depth;
    }
    s->level[s->count] = g->n;
}

// Numbers the rows from both ends towards the middle level, which comes last. The triangular solves then propagate through the
// whole body, as without parts (van der Vorst 1987). With more parts, the additional iterations cost more than the parallelism
// gains.
static void number_rows(sp_columns *c, const levels *s) {
    int l = 0, n = c->n, k = 0;
    while (l + 1 < s->count && s->level[l + 1] <= n / 2) l++;
    int low = n > 0 ? s->level[l] : 0, high = n > 0 ? s->level[l + 1] : 0;
    bool worthwhile = n >= SP_PARTS_MOST * PART_ROWS && high - low <= n / DIVIDER_SHARE;
    c->parts = worthwhile ? 2 : 1;
    for (int i = n - 1; i >= (worthwhile ? high : 0); i--) c->perm[k++] = s->queue[i];
    c->part_start[1] = k;
    for (int i = 0; i < low && worthwhile; i++) c->perm[k++] = s->queue[i];
    c->part_start[c->parts] = k;
    for (int i = low; i < high && worthwhile; i++) c->perm[k++] = s->queue[i];
}

static sp_status order_parts(sp_context *ctx, const graph *g, sp_columns *c) {
    levels s = {0};
    sp_status status = SP_NO_MEMORY;
    if (SP_NEW(ctx, s.mark, g->n + 1) && SP_NEW(ctx, s.queue, g->n + 1) && SP_NEW(ctx, s.level, g->n + 2)) {
        find_levels(g, &s);
        number_rows(c, &s);
        for (int k = 0; k < g->n; k++) c->place[c->perm[k]] = k;
        status = SP_OK;
    }
    sp__free(ctx, s.mark), sp__free(ctx, s.queue), sp__free(ctx, s.level);
    return status;
}

// ------------------------------------------------------------------------------------------------ columns

// Rows in ascending order add their blocks to the columns before them, so that the columns are sorted.
static void lower_fill(sp_columns *c, const graph *g) {
    int n = c->n, *at = c->start + 1;
    for (int r = 0; r < n; r++)
        for (int k = g->start[c->perm[r]]; k < g->start[c->perm[r] + 1]; k++) {
            int col = c->place[g->next[k]];
            if (col < r) at[col + 1]++;
        }
    for (int k = 0; k < n; k++) at[k + 1] += at[k];
    for (int r = 0; r < n; r++)
        for (int k = g->start[c->perm[r]]; k < g->start[c->perm[r] + 1]; k++) {
            int col = c->place[g->next[k]];
            if (col < r) c->row[at[col]] = r, c->block[at[col]++] = g->block[k];
        }
}

sp_status sp__columns_create(sp_context *ctx, const sp_symmetric *A, sp_columns *out) {
    graph g;
    int n = A->n, edges = A->row_start[n] - n;
    *out = (sp_columns){.n = n};
    if (make_graph(ctx, A, &g) < 0) return SP_NO_MEMORY;
    sp_status status = SP_NO_MEMORY;
    if (SP_NEW(ctx, out->perm, n + 1) && SP_NEW(ctx, out->place, n + 1) && SP_NEW(ctx, out->start, n + 2) &&
        SP_NEW(ctx, out->row, edges + 1) && SP_NEW(ctx, out->block, edges + 1))
        status = order_parts(ctx, &g, out);
    if (status == SP_OK)
        lower_fill(out, &g);
    else
        sp__columns_free(ctx, out);
    free_graph(ctx, &g);
    return status;
}

void sp__columns_free(sp_context *ctx, sp_columns *c) {
    void *all[] = {c->perm, c->place, c->start, c->row, c->block};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(ctx, all[i]);
    *c = (sp_columns){0};
}

size_t sp__columns_bytes(const sp_columns *c) {
    return sizeof(int) * (3 * (size_t)c->n + 2 * (size_t)c->start[c->n]);
}
