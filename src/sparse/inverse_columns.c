// Chunks of columns through the elimination tree, then products of chunks (inverse_columns.h).
#include "sparse/inverse_columns.h"

#include "core/share.h"
#include "sparse/inverse_internal.h"

enum { CHUNK = SP_COLUMNS };

// ---------------------------------------------------------------------------------------------------- groups of columns

static size_t pass_numbers(const sp_factor *F) {
    return ((size_t)F->S->n * (size_t)F->S->block + F->shared_capacity + F->vector_capacity) * CHUNK;
}

sp_status sp__columns_scratch_reserve(sp_context *ctx, const sp_factor *F, int lanes, sp_columns_scratch *s) {
    size_t pass = pass_numbers(F) * F->size, tile = CHUNK * CHUNK * (sizeof(double) + F->size);
    size_t marks = (size_t)lanes * (size_t)F->S->count;
    s->lanes = lanes, s->lane_bytes = ((pass > tile ? pass : tile) + 63) / 64 * 64;
    SP_TRY(
        sp__scratch_reserve(ctx, "columns of an inverse", (void **)&s->memory, &s->capacity, (size_t)lanes * s->lane_bytes, 1));
    SP_LEND(ctx, s->memory);
    SP_TRY(sp__scratch_reserve(ctx, "columns of an inverse", (void **)&s->mark, &s->mark_capacity, marks, sizeof *s->mark));
    memset(s->mark, 0, marks * sizeof *s->mark);
    return SP_OK;
}

void sp__columns_scratch_free(sp_context *ctx, sp_columns_scratch *s) {
    sp__free(ctx, s->memory), sp__free(ctx, s->mark);
    *s = (sp_columns_scratch){0};
}

sp_columns_pass sp__columns_begin(sp_factor *F, const sp_columns_scratch *s, int lane, const int *supers, int super_count,
                                  int width, int used, int stamp) {
    size_t n = (size_t)F->S->n * (size_t)F->S->block * (size_t)width, size = (size_t)F->S->block * (size_t)width * F->size;
    char *y = s->memory + (size_t)lane * s->lane_bytes, *shared = y + n * F->size;
    int *mark = s->mark + (size_t)lane * (size_t)F->S->count;
    for (int k = 0; k < super_count; k++) {
        mark[supers[k]] = stamp;
        memset(y + (size_t)F->S->first[supers[k]] * size, 0, (size_t)sp__front_columns(F->S, supers[k]) * size);
    }
    return (sp_columns_pass){
        .pass = {.F = F, .width = width, .used = used, .y = y, .shared = shared, .mark = mark, .stamp = stamp},
        .vector = shared + F->shared_capacity * (size_t)width * F->size,
        .supers = supers,
        .super_count = super_count};
}

void sp__columns_forward(const sp_columns_pass *p, char *to) {
    const sp_factor *F = p->pass.F;
    size_t size = (size_t)F->S->block * (size_t)p->pass.width * F->size;
    for (int n = 0; n < p->super_count; n++) {
        int s = p->supers[n];
        size_t bytes = (size_t)sp__front_columns(F->S, s) * size;
        F->loops->forward(&p->pass, p->vector, s);
        memcpy(to, (const char *)p->pass.y + (size_t)F->S->first[s] * size, bytes);
        if (F->def.kind == SP_LDLT) F->loops->scale(F, s, p->pass.width, to);
        to += bytes;
    }
}

const double *sp__columns_multiply(const sp_factor *F, const sp_columns_scratch *s, int lane, const sp_columns_group *a,
                                   const sp_columns_group *b) {
    double *sum = (double *)(void *)(s->memory + (size_t)lane * s->lane_bytes);
    const char *from_a = a->values, *from_b = b->values;
    memset(sum, 0, CHUNK * CHUNK * sizeof *sum);
    for (int m = 0, n = 0; m < a->super_count && n < b->super_count;) {
        int i = a->supers[m], j = b->supers[n], rows = sp__panel_columns(F, i <= j ? i : j);
        if (i == j) F->loops->product(F, rows, a->width, from_a, b->width, from_b, sum + CHUNK * CHUNK, sum);
        if (i <= j) from_a += (size_t)rows * (size_t)a->width * F->size, m++;
        if (j <= i) from_b += (size_t)rows * (size_t)b->width * F->size, n++;
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------------- the columns of a product

typedef struct chunk {
    int first, count, width;  // of the sorted columns; width: a multiple of 8
    int super_first, super_count;
    size_t at;  // offset of its Y in the store, in numbers: own columns x width for each of its supernodes
    size_t rows;
} chunk;

struct sp_inverse_columns {
    sp_context *ctx;
    // sorted columns and their chunks
    uint64_t *order;  // where a column enters the tree, and its number in the low half
    size_t order_capacity;
    chunk *chunks;
    int chunk_count;
    size_t chunk_capacity;
    int *supers;  // supernodes of each chunk, ascending
    size_t super_capacity;
    char *store;  // Y
    size_t store_capacity;
    sp_columns_scratch scratch;
    double reach;
    // the running product
    sp_factor *F;
    const sp_sparse_columns *B;
    double *G;
    int ld;
};

sp_status sp__inverse_columns_create(sp_context *ctx, sp_inverse_columns **out) {
    sp_inverse_columns *C = NULL;
    *out = NULL;
    if (!SP_NEW(ctx, C, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for columns of an inverse");
    C->ctx = ctx;
    *out = C;
    return SP_OK;
}

void sp__inverse_columns_destroy(sp_inverse_columns **columns) {
    sp_inverse_columns *C = *columns;
    if (!C) return;
    sp_context *ctx = C->ctx;
    sp__free(ctx, C->order), sp__free(ctx, C->chunks), sp__free(ctx, C->supers);
    sp__free(ctx, C->store);
    sp__columns_scratch_free(ctx, &C->scratch);
    sp__free(ctx, C);
    *columns = NULL;
}

size_t sp__inverse_columns_bytes(const sp_inverse_columns *C) {
    return sizeof *C + C->order_capacity * sizeof *C->order + C->chunk_capacity * sizeof(chunk) +
           C->super_capacity * sizeof(int) + C->store_capacity + sp__columns_scratch_bytes(&C->scratch);
}

sp_status sp__inverse_columns_scratch(sp_inverse_columns *C, const sp_factor *F, sp_columns_scratch **out) {
    *out = &C->scratch;
    return sp__columns_scratch_reserve(C->ctx, F, sp__workers(C->ctx), &C->scratch);
}

double sp__inverse_columns_reach(const sp_inverse_columns *C) {
    return C->reach;
}

static sp_status columns_room(sp_inverse_columns *C, void **memory, size_t *capacity, size_t count, size_t size) {
    return sp__scratch_reserve(C->ctx, "columns of an inverse", memory, capacity, count, size);
}

// ---------------------------------------------------------------------------------------------------- order and chunks

// the first block column, in elimination order, where a column is not zero
static int column_enter(const sp_symbolic *S, const sp_sparse_columns *B, int c) {
    int enter = S->n;
    for (int k = B->start[c]; k < B->start[c + 1]; k++)
        if (S->place[B->row[k]] < enter) enter = S->place[B->row[k]];
    return enter;
}

static int column_at(const sp_inverse_columns *C, int sorted) {
    return (int)(C->order[sorted] & UINT32_MAX);
}

static sp_status columns_sort(sp_inverse_columns *C) {
    const sp_sparse_columns *B = C->B;
    SP_TRY(columns_room(C, (void **)&C->order, &C->order_capacity, (size_t)B->count, sizeof *C->order));
    for (int c = 0; c < B->count; c++) C->order[c] = (uint64_t)column_enter(C->F->S, B, c) << 32 | (uint32_t)c;
    sp__sort_keys(C->order, B->count);
    return SP_OK;
}

// Marks the supernodes of a chunk with `stamp`; list: unsorted, NULL: only counts them.
static int chunk_closure(const sp_inverse_columns *C, const chunk *k, int *mark, int stamp, int *list) {
    const sp_symbolic *S = C->F->S;
    int n = 0;
    for (int c = k->first; c < k->first + k->count; c++) {
        int column = column_at(C, c);
        for (int e = C->B->start[column]; e < C->B->start[column + 1]; e++)
            for (int s = S->super_of[S->place[C->B->row[e]]]; s >= 0 && mark[s] != stamp; s = S->super_parent[s]) {
                mark[s] = stamp;
                if (list) list[n] = s;
                n++;
            }
    }
    return n;
}

// Divides the sorted columns evenly into chunks, and finds the supernodes of each and the size of its Y.
static sp_status columns_divide(sp_inverse_columns *C) {
    const sp_symbolic *S = C->F->S;
    int count = C->B->count, chunks = (count + CHUNK - 1) / CHUNK, each = (count + chunks - 1) / chunks;
    SP_TRY(columns_room(C, (void **)&C->chunks, &C->chunk_capacity, (size_t)chunks, sizeof *C->chunks));
    size_t supers = 0, numbers = 0;
    C->chunk_count = 0, C->reach = 0;
    for (int first = 0; first < count; first += each) {
        chunk *k = &C->chunks[C->chunk_count++];
        *k = (chunk){.first = first, .count = count - first < each ? count - first : each};
        k->width = (k->count + 7) / 8 * 8;
        k->super_count = chunk_closure(C, k, C->scratch.mark, C->chunk_count, NULL);
        supers += (size_t)k->super_count;
    }
    SP_TRY(columns_room(C, (void **)&C->supers, &C->super_capacity, supers, sizeof *C->supers));
    supers = 0;
    for (int i = 0; i < C->chunk_count; i++) {
        chunk *k = &C->chunks[i];
        k->super_first = (int)supers, k->at = numbers;
        chunk_closure(C, k, C->scratch.mark, C->chunk_count + 1 + i, C->supers + supers);
        sp__sort_ints(C->supers + supers, k->super_count);
        for (int n = 0; n < k->super_count; n++) k->rows += (size_t)sp__panel_columns(C->F, C->supers[supers + (size_t)n]);
        supers += (size_t)k->super_count, numbers += k->rows * (size_t)k->width;
        C->reach += (double)k->rows * k->count / ((double)S->n * S->block * count);
    }
    return columns_room(C, (void **)&C->store, &C->store_capacity, numbers * C->F->size, 1);
}

// ---------------------------------------------------------------------------------------------------- Y = L^-1 P B

static sp_columns_group chunk_group(const sp_inverse_columns *C, const chunk *k) {
    return (sp_columns_group){C->supers + k->super_first, k->super_count, k->width, C->store + k->at * C->F->size};
}

static void chunk_put(const sp_inverse_columns *C, const chunk *k, void *y) {
    const sp_symbolic *S = C->F->S;
    const sp_factor_loops *loops = C->F->loops;
    for (int c = 0; c < k->count; c++) {
        int column = column_at(C, k->first + c);
        for (int e = C->B->start[column]; e < C->B->start[column + 1]; e++)
            for (int t = 0; t < S->block; t++) {
                size_t at = ((size_t)S->place[C->B->row[e]] * (size_t)S->block + (size_t)t) * (size_t)k->width + (size_t)c;
                loops->put(y, at, loops->get(y, at) + C->B->value[(size_t)e * (size_t)S->block + (size_t)t]);
            }
    }
}

static void chunk_forward(void *arg, int index, int worker) {
    sp_inverse_columns *C = arg;
    const chunk *k = &C->chunks[index];
    sp_columns_pass p = sp__columns_begin(C->F, &C->scratch, worker, C->supers + k->super_first, k->super_count, k->width,
                                          k->count, 2 * C->chunk_count + 1 + index);
    chunk_put(C, k, p.pass.y);
    sp__columns_forward(&p, C->store + k->at * C->F->size);
}

// ---------------------------------------------------------------------------------------------------- G = Y^T Y

// The product of chunks i >= j.
static void chunk_product(void *arg, int part, int worker) {
    sp_inverse_columns *C = arg;
    int i = 0;
    for (; part > i; i++) part -= i + 1;
    const chunk *a = &C->chunks[i], *b = &C->chunks[part];
    sp_columns_group left = chunk_group(C, a), right = chunk_group(C, b);
    const double *sum = sp__columns_multiply(C->F, &C->scratch, worker, &left, &right);
    for (int q = 0; q < b->count; q++)
        for (int p = 0; p < a->count; p++) {
            int row = column_at(C, a->first + p), column = column_at(C, b->first + q);
            C->G[(size_t)row * (size_t)C->ld + (size_t)column] = C->G[(size_t)column * (size_t)C->ld + (size_t)row] =
                sum[q * a->width + p];
        }
}

sp_status sp__inverse_columns_product(sp_inverse_columns *C, sp_factor *F, const sp_sparse_columns *B, double *G, int ld) {
    SP_ASSERT(sp__factor_definite(F));
    if (B->count <= 0) return SP_OK;
    C->F = F, C->B = B, C->G = G, C->ld = ld;
    SP_TRY(sp__columns_scratch_reserve(C->ctx, F, sp__workers(C->ctx), &C->scratch));
    SP_TRY(columns_sort(C));
    SP_TRY(columns_divide(C));
    sp__parallel(C->ctx, C->chunk_count, chunk_forward, C);
    sp__parallel(C->ctx, C->chunk_count * (C->chunk_count + 1) / 2, chunk_product, C);
    return SP_OK;
}
