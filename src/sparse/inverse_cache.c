// Cached columns of an inverse (inverse_cache.h): groups of block rows through the elimination tree, products of groups, and
// products of sparse columns from their blocks.
#include "sparse/inverse_cache.h"

#include "sparse/inverse_internal.h"

enum { GROUP_ROWS = SP_COLUMNS / 3, LANES = 4 };  // LANES: columns of B that one pass over the blocks serves

typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

// Block rows that were added together and are close in the elimination tree.
typedef struct group {
    int first, count, width;  // slots
    int super_first, super_count;
    size_t at;  // offset of its columns in the store, in numbers
    bool filled, needed;
} group;

typedef struct pair {
    int a, b;  // groups, a >= b
} pair;

struct sp_inverse_cache {
    sp_context *ctx;
    sp_symbolic *S;        // shared; NULL: none yet
    int limit_rows, room;  // room: block rows for which memory was reserved
    size_t limit_bytes;
    // of the pattern
    int *slot;  // of a block row, -1: none (n)
    int *seen, stamp;
    int *path;  // scalar rows between a supernode and the root
    int path_most, depth_most;
    int *mark, mark_stamp;
    size_t slot_capacity, seen_capacity, path_capacity, mark_capacity;
    // of the plan
    int *planned, planned_count;
    uint64_t *fresh;  // planned rows that are new, in elimination order
    size_t planned_capacity, fresh_capacity;
    // cached: slots in the order in which they came
    int slot_count, group_count, super_count;
    int *group_of, *row_of, *supers;
    group *groups;
    char *store;
    size_t store_used;      // numbers
    unsigned char *paired;  // products of groups a >= b are in `blocks`: at a (a + 1) / 2 + b
    double *blocks;         // of slots i >= j: 9 numbers at i (i + 1) / 2 + j, block of A^-1 by rows
    size_t group_of_capacity, row_of_capacity, super_capacity, group_capacity, store_capacity, paired_capacity, block_capacity;
    // of a fill
    int *todo, todo_count;
    pair *pairs;
    int pair_count;
    size_t todo_capacity, pair_capacity;
    sp_columns_scratch lone, *scratch;
    sp_factor *F;
    int64_t computed;  // blocks
    // of a product
    const sp_sparse_columns *B;
    int *lane_start, lane_count;  // first column of each set of columns with the same block rows
    bool single;                  // each set has three columns in one block row
    size_t lane_capacity;
    double *G;
    int ld;
};

sp_status sp__inverse_cache_create(sp_context *ctx, sp_inverse_cache **out) {
    sp_inverse_cache *K = NULL;
    *out = NULL;
    if (!SP_NEW(ctx, K, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for cached columns of an inverse");
    K->ctx = ctx, K->limit_rows = SP_CACHE_ROWS, K->limit_bytes = SP_CACHE_BYTES;
    *out = K;
    return SP_OK;
}

void sp__inverse_cache_destroy(sp_inverse_cache **cache) {
    sp_inverse_cache *K = *cache;
    if (!K) return;
    sp_context *ctx = K->ctx;
    void *all[] = {K->slot,   K->seen,   K->path,  K->mark,   K->planned, K->fresh, K->group_of, K->row_of,
                   K->supers, K->groups, K->store, K->paired, K->blocks,  K->todo,  K->pairs,    K->lane_start};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(ctx, all[i]);
    sp__columns_scratch_free(ctx, &K->lone);
    if (K->S) sp__symbolic_release(&K->S);
    sp__free(ctx, K);
    *cache = NULL;
}

size_t sp__inverse_cache_bytes(const sp_inverse_cache *K) {
    size_t ints = K->slot_capacity + K->seen_capacity + K->path_capacity + K->mark_capacity + K->planned_capacity +
                  K->group_of_capacity + K->row_of_capacity + K->super_capacity + K->todo_capacity + K->lane_capacity;
    return sizeof *K + ints * sizeof(int) + (K->fresh_capacity + K->block_capacity) * 8 + K->group_capacity * sizeof(group) +
           K->pair_capacity * sizeof(pair) + K->store_capacity + K->paired_capacity + sp__columns_scratch_bytes(&K->lone);
}

void sp__inverse_cache_limit(sp_inverse_cache *K, int rows, size_t bytes) {
    K->limit_rows = rows, K->limit_bytes = bytes;
}

void sp__inverse_cache_counts(const sp_inverse_cache *K, int *rows, int64_t *blocks) {
    *rows = 0, *blocks = K->computed;
    for (int g = 0; g < K->group_count; g++) *rows += K->groups[g].filled ? K->groups[g].count : 0;
}

const int *sp__inverse_cache_planned(const sp_inverse_cache *K, int *count) {
    *count = K->planned_count;
    return K->planned;
}

static void cache_drop_columns(sp_inverse_cache *K) {
    for (int i = 0; K->S && i < K->S->n; i++) K->slot[i] = -1;
    K->slot_count = K->group_count = K->super_count = 0;
    K->store_used = 0;
}

void sp__inverse_cache_clear(sp_inverse_cache *K) {
    cache_drop_columns(K);
    K->planned_count = 0, K->computed = 0;
}

// ---------------------------------------------------------------------------------------------------- memory

static sp_status cache_room(sp_inverse_cache *K, void **memory, size_t *capacity, size_t count, size_t size) {
    return sp__scratch_reserve(K->ctx, "cached columns of an inverse", memory, capacity, count, size);
}

// The same, but keeps the first `used` items, and reserves half more only where there was memory before.
static sp_status cache_grow(sp_inverse_cache *K, void **memory, size_t *capacity, size_t used, size_t count, size_t size) {
    if (*capacity >= count) return SP_OK;
    size_t half_more = *capacity + *capacity / 2, more = count > half_more ? count : half_more;
    void *fresh = sp__alloc_uninitialised(K->ctx, more, size);
    if (!fresh) return SP_FAIL(K->ctx, SP_NO_MEMORY, "no memory for cached columns of an inverse: %zu x %zu bytes", more, size);
    if (used) memcpy(fresh, *memory, used * size);
    sp__free(K->ctx, *memory);
    *memory = fresh, *capacity = more;
    return SP_OK;
}

static sp_status cache_follow_pattern(sp_inverse_cache *K, const sp_factor *F) {
    sp_symbolic *S = F->S;
    if (K->S == S) return SP_OK;
    if (K->S) sp__symbolic_release(&K->S);
    cache_drop_columns(K);
    SP_TRY(cache_room(K, (void **)&K->slot, &K->slot_capacity, (size_t)S->n, sizeof *K->slot));
    SP_TRY(cache_room(K, (void **)&K->seen, &K->seen_capacity, (size_t)S->n, sizeof *K->seen));
    SP_TRY(cache_room(K, (void **)&K->path, &K->path_capacity, (size_t)S->count, sizeof *K->path));
    SP_TRY(cache_room(K, (void **)&K->mark, &K->mark_capacity, (size_t)S->count, sizeof *K->mark));
    memset(K->seen, 0, (size_t)S->n * sizeof *K->seen);
    K->stamp = K->mark_stamp = K->room = K->path_most = K->depth_most = 0;
    for (int s = S->count - 1; s >= 0; s--) {  // parents have larger numbers; mark: depth
        int up = S->super_parent[s];
        K->path[s] = sp__panel_columns(F, s) + (up < 0 ? 0 : K->path[up]), K->mark[s] = 1 + (up < 0 ? 0 : K->mark[up]);
        if (K->path[s] > K->path_most) K->path_most = K->path[s];
        if (K->mark[s] > K->depth_most) K->depth_most = K->mark[s];
    }
    memset(K->mark, 0, (size_t)S->count * sizeof *K->mark);
    K->S = sp__symbolic_share(S);
    cache_drop_columns(K);
    return SP_OK;
}

// Contacts come and go: memory for twice the block rows so far, at least 64, so that most steps allocate nothing. Groups that
// are small for their supernodes may need more; arrays then grow on their own.
static sp_status cache_reserve(sp_inverse_cache *K, const sp_factor *F, int rows) {
    if (rows <= K->room) return SP_OK;
    int most = K->S->n < K->limit_rows ? K->S->n : K->limit_rows, more = 2 * rows > 64 ? 2 * rows : 64;
    size_t n = (size_t)(more < most ? more : most), used = (size_t)K->slot_count, groups = (size_t)K->group_count;
    size_t bytes = 4 * n * (size_t)K->path_most * F->size;
    if (bytes > K->limit_bytes) bytes = K->limit_bytes;
    SP_TRY(cache_grow(K, (void **)&K->groups, &K->group_capacity, groups, n, sizeof *K->groups));
    SP_TRY(cache_grow(K, (void **)&K->group_of, &K->group_of_capacity, used, n, sizeof *K->group_of));
    SP_TRY(cache_grow(K, (void **)&K->row_of, &K->row_of_capacity, used, n, sizeof *K->row_of));
    SP_TRY(cache_grow(K, (void **)&K->supers, &K->super_capacity, (size_t)K->super_count, n * (size_t)K->depth_most,
                      sizeof *K->supers));
    SP_TRY(cache_grow(K, (void **)&K->store, &K->store_capacity, K->store_used * F->size, bytes, 1));
    SP_TRY(cache_grow(K, (void **)&K->blocks, &K->block_capacity, 9 * used * (used + 1) / 2, 9 * n * (n + 1) / 2,
                      sizeof *K->blocks));
    SP_TRY(cache_grow(K, (void **)&K->paired, &K->paired_capacity, groups * (groups + 1) / 2, n * (n + 1) / 2, 1));
    SP_TRY(cache_room(K, (void **)&K->pairs, &K->pair_capacity, n * (n + 1) / 2, sizeof *K->pairs));
    SP_TRY(cache_room(K, (void **)&K->todo, &K->todo_capacity, n, sizeof *K->todo));
    SP_TRY(cache_room(K, (void **)&K->fresh, &K->fresh_capacity, n + 1, sizeof *K->fresh));
    SP_TRY(cache_room(K, (void **)&K->lane_start, &K->lane_capacity, 6 * n, sizeof *K->lane_start));
    K->room = (int)n;
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- plan

// a stamp that no item has
static int next_stamp(int *stamp, int *items, int count) {
    if (*stamp == INT32_MAX) memset(items, 0, (size_t)count * sizeof *items), *stamp = 0;
    return ++*stamp;
}

static int row_super(const sp_inverse_cache *K, int row) {
    return K->S->super_of[K->S->place[row]];
}

// Lists the rows without repeats, ascending.
static sp_status plan_rows(sp_inverse_cache *K, int count, const int *rows) {
    int stamp = next_stamp(&K->stamp, K->seen, K->S->n), n = 0;
    SP_TRY(cache_room(K, (void **)&K->planned, &K->planned_capacity, (size_t)count + 64 * 12, sizeof *K->planned));
    for (int i = 0; i < count; i++) {
        if (K->seen[rows[i]] == stamp) continue;
        K->seen[rows[i]] = stamp, K->planned[n++] = rows[i];
    }
    sp__sort_ints(K->planned, n);
    K->planned_count = n;
    return SP_OK;
}

// Groups waste at most the other three quarters of the limit: a width is at most 8/3 of its columns, and new_groups limits the
// rows of a group to 3/2 of those of its columns.
static bool plan_fits(const sp_inverse_cache *K, const sp_factor *F) {
    size_t bytes = 0;
    for (int i = 0; i < K->planned_count; i++) bytes += 3 * (size_t)K->path[row_super(K, K->planned[i])] * F->size;
    return K->planned_count <= K->limit_rows && bytes <= K->limit_bytes / 4;
}

// Adds the supernodes above a row that `stamp` has not marked; returns their scalar rows. list: NULL only counts.
static int group_climb(sp_inverse_cache *K, const sp_factor *F, int row, int stamp, int *list, int *count) {
    int added = 0;
    for (int s = row_super(K, row); s >= 0 && K->mark[s] != stamp; s = K->S->super_parent[s]) {
        K->mark[s] = stamp, added += sp__panel_columns(F, s);
        if (list) list[*count] = s;
        ++*count;
    }
    return added;
}

// Number of the rows from `first` of `fresh` that form the next group, and its supernodes and scalar rows.
static int group_size(sp_inverse_cache *K, const sp_factor *F, int first, int count, int *supers, int *rows) {
    int stamp = next_stamp(&K->mark_stamp, K->mark, K->S->count), n = 0;
    double alone = 0;
    *supers = *rows = 0;
    for (; first + n < count && n < GROUP_ROWS; n++) {
        int row = (int)(K->fresh[first + n] & UINT32_MAX), more = 0;
        double path = K->path[row_super(K, row)];
        int added = 0;
        for (int s = row_super(K, row); s >= 0 && K->mark[s] != stamp; s = K->S->super_parent[s])
            added += sp__panel_columns(F, s);
        if (n > 0 && (*rows + added) * (n + 1.0) > 1.5 * (alone + path)) break;
        alone += path, *rows += group_climb(K, F, row, stamp, NULL, &more), *supers += more;
    }
    return n;
}

// Groups the new rows of the plan. False: they do not fit beside what is cached.
static sp_status plan_groups(sp_inverse_cache *K, const sp_factor *F, bool *fit) {
    int count = 0;
    for (int i = 0; i < K->planned_count; i++) count += K->slot[K->planned[i]] < 0;
    *fit = K->slot_count + count <= K->limit_rows;
    if (!*fit) return SP_OK;
    SP_TRY(cache_reserve(K, F, K->slot_count + count));
    count = 0;
    for (int i = 0; i < K->planned_count; i++)
        if (K->slot[K->planned[i]] < 0) K->fresh[count++] = (uint64_t)K->S->place[K->planned[i]] << 32 | (uint32_t)K->planned[i];
    sp__sort_keys(K->fresh, count);
    for (int first = 0, n; first < count && *fit; first += n) {
        int supers, rows, at = 0;
        n = group_size(K, F, first, count, &supers, &rows);
        group g = {.first = K->slot_count, .count = n, .super_first = K->super_count, .super_count = supers, .at = K->store_used};
        g.width = (3 * n + 7) / 8 * 8;
        size_t slots = (size_t)g.first + (size_t)n, numbers = g.at + (size_t)rows * (size_t)g.width,
               groups = (size_t)K->group_count + 1;
        *fit = numbers * F->size <= K->limit_bytes;
        if (!*fit) break;
        SP_TRY(cache_grow(K, (void **)&K->groups, &K->group_capacity, groups - 1, groups, sizeof g));
        SP_TRY(cache_grow(K, (void **)&K->group_of, &K->group_of_capacity, slots - (size_t)n, slots, sizeof *K->group_of));
        SP_TRY(cache_grow(K, (void **)&K->row_of, &K->row_of_capacity, slots - (size_t)n, slots, sizeof *K->row_of));
        SP_TRY(cache_grow(K, (void **)&K->supers, &K->super_capacity, (size_t)g.super_first,
                          (size_t)g.super_first + (size_t)supers, sizeof *K->supers));
        SP_TRY(cache_grow(K, (void **)&K->store, &K->store_capacity, g.at * F->size, numbers * F->size, 1));
        int stamp = next_stamp(&K->mark_stamp, K->mark, K->S->count);
        for (int i = 0; i < n; i++) {
            int row = (int)(K->fresh[first + i] & UINT32_MAX);
            K->slot[row] = g.first + i, K->row_of[g.first + i] = row, K->group_of[g.first + i] = K->group_count;
            group_climb(K, F, row, stamp, K->supers + g.super_first, &at);
        }
        sp__sort_ints(K->supers + g.super_first, supers);
        K->groups[K->group_count++] = g;
        K->slot_count += n, K->super_count += supers, K->store_used = numbers;
    }
    return SP_OK;
}

// Places of the products, and the list of what a fill computes.
static sp_status plan_products(sp_inverse_cache *K, size_t slots_before, size_t groups_before) {
    size_t slots = (size_t)K->slot_count, groups = (size_t)K->group_count, pairs = groups * (groups + 1) / 2, count = 0;
    size_t pairs_before = groups_before * (groups_before + 1) / 2;
    SP_TRY(cache_grow(K, (void **)&K->blocks, &K->block_capacity, 9 * slots_before * (slots_before + 1) / 2,
                      9 * slots * (slots + 1) / 2, sizeof *K->blocks));
    SP_TRY(cache_grow(K, (void **)&K->paired, &K->paired_capacity, pairs_before, pairs, 1));
    if (pairs > pairs_before) memset(K->paired + pairs_before, 0, pairs - pairs_before);
    SP_TRY(cache_room(K, (void **)&K->todo, &K->todo_capacity, groups, sizeof *K->todo));
    for (int g = 0; g < K->group_count; g++) K->groups[g].needed = false;
    for (int i = 0; i < K->planned_count; i++) K->groups[K->group_of[K->slot[K->planned[i]]]].needed = true;
    for (int pass = 0; pass < 2; pass++) {  // counts, then lists
        if (pass) SP_TRY(cache_room(K, (void **)&K->pairs, &K->pair_capacity, count, sizeof *K->pairs));
        count = 0;
        for (int a = 0; a < K->group_count; a++)
            for (int b = 0; b <= a && K->groups[a].needed; b++) {
                if (!K->groups[b].needed || K->paired[(size_t)a * ((size_t)a + 1) / 2 + (size_t)b]) continue;
                if (pass) K->pairs[count] = (pair){a, b};
                count++;
            }
    }
    K->pair_count = (int)count, K->todo_count = 0;
    for (int g = 0; g < K->group_count; g++)
        if (K->groups[g].needed && !K->groups[g].filled) K->todo[K->todo_count++] = g;
    return SP_OK;
}

static sp_status plan_cached(sp_inverse_cache *K, sp_factor *F, int count, const int *rows, bool *fits) {
    SP_TRY(cache_follow_pattern(K, F));
    SP_TRY(plan_rows(K, count, rows));
    *fits = plan_fits(K, F);
    if (!*fits) return SP_OK;
    for (int attempt = 0; attempt < 2; attempt++) {
        size_t slots = (size_t)K->slot_count, groups = (size_t)K->group_count;
        bool fit;
        SP_TRY(plan_groups(K, F, &fit));
        if (fit) return plan_products(K, slots, groups);
        cache_drop_columns(K);
    }
    *fits = false;
    return SP_OK;
}

sp_status sp__inverse_cache_plan(sp_inverse_cache *K, sp_factor *F, int count, const int *rows, bool lone, bool *fits) {
    SP_ASSERT(F->S->block == 3);
    *fits = false, K->todo_count = K->pair_count = 0;
    sp_status status = plan_cached(K, F, count, rows, fits);
    if (status >= 0 && lone && *fits) status = sp__columns_scratch_reserve(K->ctx, F, 1, &K->lone);
    if (status < 0 || !*fits) {  // nothing half planned stays behind
        sp__inverse_cache_clear(K);
        K->todo_count = K->pair_count = 0;
    }
    return status;
}

// ---------------------------------------------------------------------------------------------------- fill

static void group_forward(void *arg, int index, int worker) {
    sp_inverse_cache *K = arg;
    group *g = &K->groups[K->todo[index]];
    sp_columns_pass p = sp__columns_begin(K->F, K->scratch, worker, K->supers + g->super_first, g->super_count, g->width,
                                          3 * g->count, 1 + index);
    for (int c = 0; c < 3 * g->count; c++) {
        size_t unknown = 3 * (size_t)K->S->place[K->row_of[g->first + c / 3]] + (size_t)(c % 3);
        K->F->loops->put(p.pass.y, unknown * (size_t)g->width + (size_t)c, 1);
    }
    sp__columns_forward(&p, K->store + g->at * K->F->size);
    g->filled = true;
}

static sp_columns_group group_of(const sp_inverse_cache *K, const group *g) {
    return (sp_columns_group){K->supers + g->super_first, g->super_count, g->width, K->store + g->at * K->F->size};
}

static double *block_at(const sp_inverse_cache *K, int i, int j) {
    return K->blocks + 9 * ((size_t)i * ((size_t)i + 1) / 2 + (size_t)j);
}

static void group_product(void *arg, int index, int worker) {
    sp_inverse_cache *K = arg;
    pair at = K->pairs[index];
    const group *a = &K->groups[at.a], *b = &K->groups[at.b];
    sp_columns_group left = group_of(K, a), right = group_of(K, b);
    const double *sum = sp__columns_multiply(K->F, K->scratch, worker, &left, &right);
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count && b->first + j <= a->first + i; j++) {
            double *B = block_at(K, a->first + i, b->first + j);
            for (int p = 0; p < 3; p++)
                for (int q = 0; q < 3; q++) B[3 * p + q] = sum[(3 * j + q) * a->width + 3 * i + p];
        }
    K->paired[(size_t)at.a * ((size_t)at.a + 1) / 2 + (size_t)at.b] = 1;
}

void sp__inverse_cache_fill(sp_inverse_cache *K, sp_factor *F, sp_columns_scratch *scratch, atomic_bool *stop) {
    K->F = F, K->scratch = scratch ? scratch : &K->lone;
    if (scratch) {
        sp__parallel(K->ctx, K->todo_count, group_forward, K);
        sp__parallel(K->ctx, K->pair_count, group_product, K);
    } else {
        for (int i = 0; i < K->todo_count + K->pair_count; i++) {
            if (stop && atomic_load_explicit(stop, memory_order_relaxed)) return;
            if (i < K->todo_count)
                group_forward(K, i, 0);
            else
                group_product(K, i - K->todo_count, 0);
        }
    }
    for (int i = 0; i < K->pair_count; i++)
        K->computed += (int64_t)K->groups[K->pairs[i].a].count * K->groups[K->pairs[i].b].count;
    K->todo_count = K->pair_count = 0;
}

// ---------------------------------------------------------------------------------------------------- products

static bool same_rows(const sp_sparse_columns *B, int c, int d) {
    int n = B->start[c + 1] - B->start[c];
    return B->start[d + 1] - B->start[d] == n &&
           memcmp(B->row + B->start[c], B->row + B->start[d], (size_t)n * sizeof *B->row) == 0;
}

// Columns of one contact have the same block rows: they share the pass over the blocks.
static sp_status product_lanes(sp_inverse_cache *K, const sp_sparse_columns *B) {
    SP_TRY(cache_room(K, (void **)&K->lane_start, &K->lane_capacity, (size_t)B->count + 1, sizeof *K->lane_start));
    K->lane_count = 0, K->single = true;
    for (int c = 0; c < B->count; c++) {
        K->single = K->single && B->start[c + 1] == B->start[c] + 1;
        int first = K->lane_count ? K->lane_start[K->lane_count - 1] : 0;
        if (K->lane_count && c - first < LANES && same_rows(B, first, c)) continue;
        K->lane_start[K->lane_count++] = c;
    }
    K->lane_start[K->lane_count] = B->count;
    K->single = K->single && 3 * K->lane_count == B->count;
    for (int i = 0; i < K->lane_count; i++) K->single = K->single && K->lane_start[i] == 3 * i;
    return SP_OK;
}

// T (planned block rows x 3) += A^-1 V at the slot b
static void product_blocks(const sp_inverse_cache *K, int b, const lanes V[3], lanes *T) {
    for (int i = 0; i < K->planned_count; i++, T += 3) {
        int a = K->slot[K->planned[i]];
        if (a >= b) {
            const double *M = block_at(K, a, b);
            for (int p = 0; p < 3; p++) T[p] += M[3 * p] * V[0] + M[3 * p + 1] * V[1] + M[3 * p + 2] * V[2];
        } else {
            const double *M = block_at(K, b, a);
            for (int p = 0; p < 3; p++) T[p] += M[p] * V[0] + M[3 + p] * V[1] + M[6 + p] * V[2];
        }
    }
}

// Contacts at nodes, three columns each: two of them share one block of the inverse.
static void product_single(void *arg, int index, int worker) {
    const sp_inverse_cache *K = arg;
    const sp_sparse_columns *B = K->B;
    const size_t ld = (size_t)K->ld, first = 3 * (size_t)index;
    const int *place = B->row + B->start[0];
    const double *value = B->value + 3 * (size_t)B->start[0], *V = value + 3 * first;
    const int b = K->slot[place[first]];
    (void)worker;
    for (size_t from = 0; from <= first; from += 3) {
        const int a = K->slot[place[from]];
        const double *M = a >= b ? block_at(K, a, b) : block_at(K, b, a), *v = value + 3 * from;
        double T[9], *row = K->G + from * ld + first, *column = K->G + first * ld + from;
        for (int l = 0; l < 3; l++)
            for (int p = 0; p < 3; p++)
                T[3 * l + p] = a >= b ? M[3 * p] * V[3 * l] + M[3 * p + 1] * V[3 * l + 1] + M[3 * p + 2] * V[3 * l + 2]
                                      : M[p] * V[3 * l] + M[3 + p] * V[3 * l + 1] + M[6 + p] * V[3 * l + 2];
        for (size_t r = 0; r < 3; r++)
            for (size_t l = 0; l < 3; l++)
                row[r * ld + l] = column[l * ld + r] =
                    v[3 * r] * T[3 * l] + v[3 * r + 1] * T[3 * l + 1] + v[3 * r + 2] * T[3 * l + 2];
    }
}

// One set of columns: A^-1 of them at all planned rows, then products with the columns up to them.
static void product_part(void *arg, int index, int worker) {
    sp_inverse_cache *K = arg;
    const sp_sparse_columns *B = K->B;
    lanes *T = (lanes *)(void *)(K->scratch->memory + (size_t)worker * K->scratch->lane_bytes);
    int first = K->lane_start[index], count = K->lane_start[index + 1] - first;
    memset(T, 0, (size_t)K->planned_count * 3 * sizeof *T);
    for (int e = 0; e < B->start[first + 1] - B->start[first]; e++) {
        lanes V[3] = {{0}};
        for (int l = 0; l < count; l++)
            for (int q = 0; q < 3; q++) V[q][l] = B->value[3 * (size_t)(B->start[first + l] + e) + (size_t)q];
        product_blocks(K, K->slot[B->row[B->start[first] + e]], V, T);
    }
    for (int r = 0; r < first + count; r++) {
        lanes sum = {0};
        for (int e = B->start[r]; e < B->start[r + 1]; e++) {
            const double *v = B->value + 3 * (size_t)e;
            const lanes *t = T + 3 * (size_t)K->seen[B->row[e]];
            sum += v[0] * t[0] + v[1] * t[1] + v[2] * t[2];
        }
        for (int l = r < first ? 0 : r - first; l < count; l++)
            K->G[(size_t)r * (size_t)K->ld + (size_t)(first + l)] = K->G[(size_t)(first + l) * (size_t)K->ld + (size_t)r] =
                sum[l];
    }
}

sp_status sp__inverse_cache_product(sp_inverse_cache *K, sp_factor *F, sp_columns_scratch *scratch, const sp_sparse_columns *B,
                                    double *G, int ld) {
    SP_TRY(product_lanes(K, B));
    K->F = F, K->scratch = scratch, K->B = B, K->G = G, K->ld = ld;
    // `seen` is free between plans: the place of a row in the plan
    for (int i = 0; i < K->planned_count; i++) K->seen[K->planned[i]] = i;
    sp__parallel(K->ctx, K->lane_count, K->single ? product_single : product_part, K);
    for (int i = 0; i < K->planned_count; i++) K->seen[K->planned[i]] = 0;
    return SP_OK;
}
