// Pattern, access and products of the symmetric block matrix, and the assembled matrix of a system (blocks.h).
#include "linear/blocks.h"

#include "core/share.h"

// ------------------------------------------------------------------------------------------------ pattern

// nodes that the rows of a chunk touch: its own rows first, then the columns after them, ascending. Returns their number.
static int list_touched(const sp_blocks *A, int chunk, int *mark, int *out) {
    int first = A->chunk_row[chunk], last = A->chunk_row[chunk + 1], n = 0;
    for (int i = first; i < last; i++) out[n++] = i;
    for (int k = A->row_start[first]; k < A->row_start[last]; k++) {
        int j = A->row_col[k];
        if (j < last || mark[j] == chunk + 1) continue;
        mark[j] = chunk + 1;
        out[n++] = j;
    }
    sp__sort_ints(out + (last - first), n - (last - first));
    return n;
}

static sp_status build_chunks(sp_blocks *A, int chunk_count) {
    sp_context *ctx = A->ctx;
    int *start = NULL, *node = NULL, *mark = NULL;
    sp_status status = SP_NO_MEMORY;
    size_t most = (size_t)A->n + (size_t)A->row_start[A->n];
    if (!SP_NEW(ctx, start, chunk_count + 1) || !SP_NEW(ctx, node, most + 1) || !SP_NEW(ctx, mark, A->n + 1)) goto done;
    for (int c = 0; c < chunk_count; c++) {
        start[c + 1] = start[c] + list_touched(A, c, mark, node + start[c]);
        if (start[c + 1] - start[c] > UINT16_MAX) {
            status = SP_FAIL(ctx, SP_UNAVAILABLE, "%d nodes touched by one chunk of rows, at most %d", start[c + 1] - start[c],
                             UINT16_MAX);
            goto done;
        }
    }
    status = sp__chunks_build(ctx, &A->chunks, A->n, chunk_count, start, node);
done:
    sp__free(ctx, start), sp__free(ctx, node), sp__free(ctx, mark);
    return status;
}

static int row_length(const sp_blocks *A, int i) {
    return A->row_start[i + 1] - A->row_start[i];
}

// sorts the rows of each chunk by descending length; equal lengths keep their order
static sp_status order_rows(sp_blocks *A, int chunk_count) {
    int longest = 0, *start;
    for (int i = 0; i < A->n; i++)
        if (row_length(A, i) > longest) longest = row_length(A, i);
    if (!SP_NEW(A->ctx, A->order, A->n + 1) || !SP_NEW(A->ctx, start, longest + 2)) return SP_NO_MEMORY;
    for (int c = 0; c < chunk_count; c++) {
        int first = A->chunk_row[c], last = A->chunk_row[c + 1], most = 0;
        for (int i = first; i < last; i++) most = row_length(A, i) > most ? row_length(A, i) : most;
        memset(start, 0, sizeof *start * ((size_t)most + 2));
        for (int i = first; i < last; i++) start[most - row_length(A, i) + 1]++;
        for (int l = 0; l < most; l++) start[l + 1] += start[l];
        for (int i = first; i < last; i++) A->order[first + start[most - row_length(A, i)]++] = i;
    }
    sp__free(A->ctx, start);
    return SP_OK;
}

// groups of four rows; the first row of a group is the longest and gives the length
static sp_status build_groups(sp_blocks *A, int chunk_count) {
    int groups = 0, g = 0;
    int64_t slots = 0;
    for (int c = 0; c < chunk_count; c++) groups += (A->chunk_row[c + 1] - A->chunk_row[c] + 3) / 4;
    if (!SP_NEW(A->ctx, A->group_start, groups + 1) || !SP_NEW(A->ctx, A->chunk_group, chunk_count + 1)) return SP_NO_MEMORY;
    for (int c = 0; c < chunk_count; c++) {
        for (int k = A->chunk_row[c]; k < A->chunk_row[c + 1]; k += 4, g++) {
            slots += row_length(A, A->order[k]);
            if (slots > INT32_MAX / 36)
                return SP_FAIL(A->ctx, SP_UNAVAILABLE, "matrix too large: more than %d slots", INT32_MAX / 36);
            A->group_start[g + 1] = (int)slots;
        }
        A->chunk_group[c + 1] = g;
    }
    A->slots = (int)slots;
    return SP_OK;
}

// local number of column j in chunk c: a difference for rows of the chunk, binary search in the list for others
static uint16_t local_number(const sp_blocks *A, int c, int j) {
    int first = A->chunk_row[c], own = A->chunk_row[c + 1] - first;
    if (j - first < own) return (uint16_t)(j - first);
    const int *node = A->chunks.node + A->chunks.start[c];
    int low = own, high = A->chunks.start[c + 1] - A->chunks.start[c] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (node[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint16_t)low;
}

static void place_blocks(sp_blocks *A) {
    for (int c = 0; c < A->chunks.count; c++)
        for (int k = A->chunk_row[c]; k < A->chunk_row[c + 1]; k++) {
            int i = A->order[k], place = k - A->chunk_row[c], g = A->chunk_group[c] + place / 4, lane = place % 4;
            int slot = A->group_start[g], length = row_length(A, i);
            for (int b = 0; b < length; b++) {
                A->row_pos[A->row_start[i] + b] = 36 * (slot + b) + lane;
                A->col[4 * (slot + b) + lane] = local_number(A, c, A->row_col[A->row_start[i] + b]);
            }
            // padding points to the row itself
            for (int s = slot + length; s < A->group_start[g + 1]; s++) A->col[4 * s + lane] = (uint16_t)(i - A->chunk_row[c]);
        }
}

sp_status sp__blocks_create(sp_context *ctx, const sp_backend *be, int n, int chunk_count, const int *chunk_row,
                            const int *row_start, const int *row_col, sp_blocks **out) {
    *out = NULL;
    sp_blocks *A;
    if (!SP_NEW(ctx, A, 1)) return SP_NO_MEMORY;
    *A = (sp_blocks){.ctx = ctx, .be = be, .n = n};
    sp_status status = SP_NO_MEMORY;
    size_t nb = (size_t)row_start[n];
    if (!SP_NEW(ctx, A->row_start, n + 1) || !SP_NEW(ctx, A->row_col, nb + 1) || !SP_NEW(ctx, A->row_pos, nb + 1) ||
        !SP_NEW(ctx, A->chunk_row, chunk_count + 1))
        goto fail;
    memcpy(A->row_start, row_start, sizeof *row_start * ((size_t)n + 1));
    memcpy(A->row_col, row_col, sizeof *row_col * nb);
    memcpy(A->chunk_row, chunk_row, sizeof *chunk_row * ((size_t)chunk_count + 1));
    if ((status = build_chunks(A, chunk_count)) < 0 || (status = order_rows(A, chunk_count)) < 0 ||
        (status = build_groups(A, chunk_count)) < 0)
        goto fail;
    status = SP_NO_MEMORY;
    if (!SP_NEW(ctx, A->col, 4 * (size_t)A->slots + 4) || !SP_NEW(ctx, A->val, 36 * (size_t)A->slots + 4) ||
        !SP_NEW(ctx, A->scratch, sp__chunks_scratch(ctx, &A->chunks)) || !SP_NEW(ctx, A->partial, n / SP_RANGE + 1))
        goto fail;
    place_blocks(A);
    SP_SHARE(ctx, A->row_start), SP_SHARE(ctx, A->row_col), SP_SHARE(ctx, A->row_pos), SP_SHARE(ctx, A->chunk_row);
    SP_SHARE(ctx, A->order), SP_SHARE(ctx, A->group_start), SP_SHARE(ctx, A->chunk_group), SP_SHARE(ctx, A->col);
    SP_LEND(ctx, A->scratch), SP_LEND(ctx, A->partial), SP_LEND(ctx, A->val);
    *out = A;
    return SP_OK;
fail:
    sp__blocks_destroy(&A);
    return status;
}

void sp__blocks_destroy(sp_blocks **pA) {
    sp_blocks *A = *pA;
    if (!A) return;
    sp_context *ctx = A->ctx;
    void *all[] = {A->row_start,   A->row_col, A->row_pos, A->chunk_row, A->order,  A->group_start,
                   A->chunk_group, A->col,     A->val,     A->scratch,   A->partial};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(ctx, all[i]);
    sp__chunks_free(ctx, &A->chunks);
    sp__free(ctx, A);
    *pA = NULL;
}

static size_t blocks_bytes(const sp_blocks *A) {
    size_t touched = (size_t)A->chunks.start[A->chunks.count];
    return (size_t)A->slots * (36 * 8 + 4 * 2) + (size_t)A->row_start[A->n] * 8 + (size_t)A->n * 8 + touched * (8 + 24);
}

void sp__blocks_view(const sp_blocks *A, sp_symmetric *out) {
    *out = (sp_symmetric){
        .n = A->n, .block = 3, .row_start = A->row_start, .row_col = A->row_col, .pos = A->row_pos, .stride = 4, .val = A->val};
}

// ------------------------------------------------------------------------------------------------ access

int sp__blocks_number(const sp_blocks *A, int i, int j) {
    int low = A->row_start[i], high = A->row_start[i + 1] - 1;
    while (low <= high) {
        int middle = (low + high) / 2, c = A->row_col[middle];
        if (c == j) return middle;
        if (c < j)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}

// Position of block (i, j), i <= j; -1: not in the pattern.
static int blocks_find(const sp_blocks *A, int i, int j) {
    int k = sp__blocks_number(A, i, j);
    return k < 0 ? -1 : A->row_pos[k];
}

int sp__blocks_chunk_blocks(const sp_blocks *A, int chunk) {
    return A->row_start[A->chunk_row[chunk + 1]] - A->row_start[A->chunk_row[chunk]];
}

void sp__blocks_store(sp_blocks *A, int chunk, const double *blocks) {
    int first = A->chunk_row[chunk];
    A->be->rows_store(A->row_start, A->order + first, A->chunk_row[chunk + 1] - first, A->row_start[first],
                      A->group_start + A->chunk_group[chunk], blocks, A->val);
}

void sp__blocks_add(sp_blocks *A, int i, int j, const double B[9]) {
    int pos = i <= j ? blocks_find(A, i, j) : blocks_find(A, j, i);
    SP_ASSERT(pos >= 0);
    double *v = A->val + pos;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) v[4 * (3 * r + c)] += i <= j ? B[3 * r + c] : B[3 * c + r];
}

static void pin_rows(void *arg, int chunk, int worker) {
    (void)worker;
    const struct {
        sp_blocks *A;
        const unsigned char *fixed;
    } *p = arg;
    sp_blocks *A = p->A;
    for (int i = A->chunk_row[chunk]; i < A->chunk_row[chunk + 1]; i++)
        for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++) {
            const unsigned char *fi = p->fixed + 3 * (size_t)i, *fj = p->fixed + 3 * (size_t)A->row_col[k];
            if (!(fi[0] | fi[1] | fi[2] | fj[0] | fj[1] | fj[2])) continue;
            double *v = A->val + A->row_pos[k];
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    if (fi[r] || fj[c]) v[4 * (3 * r + c)] = A->row_col[k] == i && r == c ? 1.0 : 0.0;
        }
}

void sp__blocks_pin(sp_blocks *A, const unsigned char *fixed) {
    struct {
        sp_blocks *A;
        const unsigned char *fixed;
    } p = {A, fixed};
    sp__chunks_each(A->ctx, A->be, A->chunks.count, pin_rows, &p);
}

// ------------------------------------------------------------------------------------------------ product

typedef struct product {
    const sp_blocks *A;
    const double *x;
    double *y;
} product;

static double rows_chunk(const void *data, int chunk, const double *x, double *y) {
    const sp_blocks *A = data;
    sp_rows4 rows = {A->group_start, A->chunk_group, A->col, A->val};
    A->be->rows_product(&rows, chunk, x, y);
    return 0;
}

static double sum_rows(void *arg, int begin, int end) {
    product *p = arg;
    return p->A->be->sum_slots(&p->A->chunks, begin, end, p->x, p->y);
}

double sp__blocks_mul(const sp_blocks *A, const double *x, double *y) {
    product p = {A, x, y};
    sp_chunks chunks = A->chunks;
    sp__chunks_run(A->ctx, A->be, &chunks, rows_chunk, A, x, NULL, true, A->scratch);
    return sp__ranges(A->ctx, A->n, sum_rows, &p, A->partial);
}

// ================================================================================== assembled matrix of a system

static sp_status matrix_make_pattern(sp_matrix *m, sp_context *ctx, const sp_system *A) {
    sp__matrix_forget(m);
    sp_status status = A->make_pattern(A->o, ctx, &m->A);
    if (status < 0 && status != SP_UNAVAILABLE) return status;
    m->refused = status == SP_UNAVAILABLE;
    m->pattern = A->pattern, m->change = SP_MATRIX_PATTERN;
    return SP_OK;
}

bool sp__matrix_is_filled(const sp_matrix *m, const sp_system *A, sp_coef c) {
    return m->filled && m->values == A->values && memcmp(&m->coef, &c, sizeof c) == 0;
}

static sp_status matrix_follow_values(sp_matrix *m, const sp_system *A, sp_coef c) {
    if (sp__matrix_is_filled(m, A, c)) return SP_OK;
    m->filled = false;
    SP_TRY(A->assemble(A->o, c, m->A));
    m->values = A->values, m->coef = c, m->filled = true;
    if (m->change == SP_MATRIX_SAME) m->change = SP_MATRIX_VALUES;
    return SP_OK;
}

sp_status sp__matrix_follow_pattern(sp_matrix *m, sp_context *ctx, const sp_system *A) {
    if (!A->assemble || A->block != 3)
        sp__matrix_forget(m);
    else if ((!m->A && !m->refused) || m->pattern != A->pattern)
        return matrix_make_pattern(m, ctx, A);
    return SP_OK;
}

sp_status sp__matrix_follow(sp_matrix *m, sp_context *ctx, const sp_system *A, sp_coef c, sp_matrix_change *change) {
    *change = SP_MATRIX_SAME;
    SP_TRY(sp__matrix_follow_pattern(m, ctx, A));
    if (m->A) SP_TRY(matrix_follow_values(m, A, c));
    *change = m->change, m->change = SP_MATRIX_SAME;
    return SP_OK;
}

void sp__matrix_forget(sp_matrix *m) {
    sp__blocks_destroy(&m->A);
    *m = (sp_matrix){0};
}

size_t sp__matrix_bytes(const sp_matrix *m) {
    return m->A ? blocks_bytes(m->A) : 0;
}
