// From surfaces to sorted lists of the triangles of every tile (layers.h).
#include "collide/layers.h"

// ------------------------------------------------------------------------------------------------ memory

static bool memory_refuse(sp_ldi_memory *m, int why, size_t wanted) {
    atomic_store(&m->wanted, wanted);
    atomic_store(&m->refused, why);
    return false;
}

// The new memory is counted before it is allocated, so that workers together stay below the limit.
static bool array_grow(sp_ldi_memory *m, sp_ldi_array *a, size_t more, size_t size, size_t keep) {
    if (more > SIZE_MAX / 2 / size) return memory_refuse(m, 2, SIZE_MAX);
    size_t had = a->capacity * size, wanted = atomic_fetch_add(&m->bytes, more * size) + more * size;
    void *fresh = wanted - had <= m->most ? sp__alloc_uninitialised(m->ctx, more, size) : NULL;
    if (!fresh) {
        atomic_fetch_sub(&m->bytes, more * size);
        return memory_refuse(m, wanted - had <= m->most ? 1 : 2, wanted - had);
    }
    if (keep) memcpy(fresh, a->data, keep * size);
    sp__free(m->ctx, a->data);
    atomic_fetch_sub(&m->bytes, had);
    atomic_store(&m->grown, true);
    a->data = fresh, a->capacity = more;
    return true;
}

bool sp__ldi_reserve(sp_ldi_memory *m, sp_ldi_array *a, size_t count, size_t size, size_t keep) {
    if (a->capacity >= count) return true;
    return array_grow(m, a, count < SIZE_MAX / 2 ? count + count / 2 + 16 : count, size, keep);
}

bool sp__ldi_match(sp_ldi_memory *m, sp_ldi_array *a, size_t capacity, size_t size) {
    return a->capacity >= capacity || array_grow(m, a, capacity, size, 0);
}

void sp__ldi_release(sp_ldi_memory *m, sp_ldi_array *a, size_t size) {
    sp__free(m->ctx, a->data);
    atomic_fetch_sub(&m->bytes, a->capacity * size);
    *a = (sp_ldi_array){0};
}

sp_status sp__ldi_refused(sp_ldi_memory *m, const char *what) {
    int why = atomic_load(&m->refused);
    if (!why) return SP_OK;
    const double wanted = (double)atomic_load(&m->wanted) / 1048576, most = (double)m->most / 1048576;
    if (why == 1) return SP_FAIL(m->ctx, SP_NO_MEMORY, "no memory for layered depth images of %s: %.1f MiB", what, wanted);
    return SP_FAIL(m->ctx, SP_NO_MEMORY, "layered depth images of %s need at least %.1f MiB, the limit is %.1f MiB", what, wanted,
                   most);
}

void sp__ldi_destroy(sp_ldi *l) {
    sp_ldi_chunk *chunks = l->chunks.data;
    for (size_t i = 0; i < l->chunks.capacity; i++) {
        sp__ldi_release(l->memory, &chunks[i].setups, sizeof(sp_ldi_setup));
        sp__ldi_release(l->memory, &chunks[i].entries, sizeof(uint64_t));
        sp__ldi_release(l->memory, &chunks[i].counts, sizeof(uint32_t));
    }
    sp__ldi_release(l->memory, &l->chunks, sizeof(sp_ldi_chunk));
    sp__ldi_release(l->memory, &l->grid, 4 * sizeof(int32_t));
    sp__ldi_release(l->memory, &l->begin, sizeof(uint32_t));
    sp__ldi_release(l->memory, &l->sorted, sizeof(uint64_t));
}

// ------------------------------------------------------------------------------------------------ vertices

enum { VERTEX_TASK = 4096 };

// Nearest integer by the rounding of the addition; |v| is far below 2^51.
static inline double round_double(double v) {
    const double shift = 6755399441055744.0;  // 1.5 x 2^52
    return (v + shift) - shift;
}

// Far vertices stop at the end of the range. Their triangles are shorter than the distance to the image, so no ray meets them.
static inline int32_t grid_coordinate(double x, double origin, double scale, double base) {
    const double most = 1.5e9;
    double v = round_double((x - origin) * scale) - base;
    return (int32_t)(v < -most ? -most : v > most ? most : v);
}

static void vertices_of(const sp_ldi *l, const sp_ldi_surface *s, int first, int last) {
    const double unit = (double)(1 << l->bits), scale = unit / l->pixel;
    const double base[3] = {unit * (double)l->base[0], unit * (double)l->base[1], unit * (double)l->base[2]};
    int32_t *out = (int32_t *)l->grid.data + 4 * (s->vertex_first + (size_t)first);
    for (const double *x = s->x + 3 * (size_t)first, *end = s->x + 3 * (size_t)last; x < end; x += 3, out += 4) {
        for (int k = 0; k < 3; k++) out[k] = grid_coordinate(x[k], l->origin[k], scale, base[k]);
        out[3] = 0;
    }
}

static const sp_ldi_surface *surface_of_vertex(const sp_ldi *l, size_t v) {
    int low = 0, high = l->surface_count;
    while (high - low > 1) {
        int mid = (low + high) / 2;
        if (l->surfaces[mid].vertex_first <= v)
            low = mid;
        else
            high = mid;
    }
    return &l->surfaces[low];
}

static void vertex_task(void *arg, int task, int worker) {
    const sp_ldi *l = arg;
    const sp_ldi_surface *last = &l->surfaces[l->surface_count - 1], *s;
    size_t at = (size_t)task * VERTEX_TASK, end = at + VERTEX_TASK, count = last->vertex_first + (size_t)last->vertex_count;
    (void)worker;
    if (end > count) end = count;
    for (s = surface_of_vertex(l, at); at < end; s++) {
        size_t stop = s->vertex_first + (size_t)s->vertex_count;
        if (stop > end) stop = end;
        if (at < stop) vertices_of(l, s, (int)(at - s->vertex_first), (int)(stop - s->vertex_first)), at = stop;
    }
}

// ------------------------------------------------------------------------------------------------ tiles of a triangle

static inline double edge_x(const double *x, const double *y, int a, int b, double at) {
    return x[a] + (x[b] - x[a]) * ((at - y[a]) / (y[b] - y[a]));
}

static inline void interval_add(double range[2], double x) {
    if (x < range[0]) range[0] = x;
    if (x > range[1]) range[1] = x;
}

// Columns of the tiles on one row, by the five tests of section 5.4 (vertices sorted by y): exact, without a division by zero.
static void tile_columns(const double *x, const double *y, int row, int edge, int columns[2]) {
    const double low = (double)row * edge, high = low + edge;
    double range[2] = {INFINITY, -INFINITY};
    interval_add(range, y[0] >= low ? x[0] : edge_x(x, y, 0, 2, low));
    interval_add(range, y[2] < high ? x[2] : edge_x(x, y, 0, 2, high));
    if (y[1] >= low && y[1] < high) interval_add(range, x[1]);
    if (y[0] < low) interval_add(range, low < y[1] ? edge_x(x, y, 0, 1, low) : low > y[1] ? edge_x(x, y, 1, 2, low) : x[1]);
    if (y[2] >= high) interval_add(range, high < y[1] ? edge_x(x, y, 0, 1, high) : high > y[1] ? edge_x(x, y, 1, 2, high) : x[1]);
    columns[0] = (int)floor(range[0] / edge), columns[1] = (int)floor(range[1] / edge);
}

static void sort_by_y(double *x, double *y) {
    static const int order[3][2] = {{0, 1}, {1, 2}, {0, 1}};
    for (int i = 0; i < 3; i++) {
        const int a = order[i][0], b = order[i][1];
        if (y[a] <= y[b]) continue;
        const double sx = x[a], sy = y[a];
        x[a] = x[b], y[a] = y[b], x[b] = sx, y[b] = sy;
    }
}

void sp__ldi_columns(const double x[3], const double y[3], int row, int edge, int columns[2]) {
    double sx[3] = {x[0], x[1], x[2]}, sy[3] = {y[0], y[1], y[2]};
    sort_by_y(sx, sy);
    tile_columns(sx, sy, row, edge, columns);
}

// ------------------------------------------------------------------------------------------------ a chunk of triangles

bool sp__ldi_list_grow(sp_ldi_lister *w, size_t tiles) {
    sp_ldi_chunk *c = w->chunk;
    sp_ldi_memory *m = w->list->memory;
    w->ok = sp__ldi_reserve(m, &c->setups, c->setup_count + 1, sizeof(sp_ldi_setup), c->setup_count) &&
            sp__ldi_reserve(m, &c->entries, c->entry_count + tiles, sizeof(uint64_t), c->entry_count);
    return w->ok;
}

void sp__ldi_list_tiles(sp_ldi_lister *w, int axis, const sp_ldi_setup *t, uint64_t code) {
    const int shift = w->list->tile_shift, c0 = t->box[0] >> shift, c1 = t->box[1] >> shift;
    double x[3], y[3];
    for (int k = 0; k < 3; k++) x[k] = t->x[k] / w->unit, y[k] = t->y[k] / w->unit;
    sort_by_y(x, y);
    for (int row = t->box[2] >> shift; row <= t->box[3] >> shift; row++) {
        int c[2];
        tile_columns(x, y, row, 1 << shift, c);
        if (c[0] < c0) c[0] = c0;
        if (c[1] > c1) c[1] = c1;
        for (int column = c[0]; column <= c[1]; column++) sp__ldi_list_tile(w, axis, column, row, code);
    }
}

static int64_t chunk_first(const sp_ldi *l, int chunk) {
    const sp_ldi_surface *s = &l->surfaces[l->surface_count - 1];
    return (s->triangle_first + s->triangle_count) * chunk / l->chunk_count;
}

static void list_chunk(void *arg, int chunk, int worker) {
    sp_ldi *l = arg;
    sp_ldi_lister w = {.list = l, .chunk = (sp_ldi_chunk *)l->chunks.data + chunk, .unit = (double)(1 << l->bits), .ok = true};
    (void)worker;
    w.chunk->setup_count = w.chunk->entry_count = 0;
    if (!sp__ldi_reserve(l->memory, &w.chunk->counts, (size_t)l->tile_count + 1, sizeof(uint32_t), 0)) return;
    w.counts = w.chunk->counts.data;
    memset(w.counts, 0, ((size_t)l->tile_count + 1) * sizeof *w.counts);
    for (int k = 0; k < 3; k++) {
        const double range = l->depth_high[k] - l->depth_low[k];
        w.depth_scale[k] = range > 0 ? 255 / range : 0;
    }
    const int64_t first = chunk_first(l, chunk), last = chunk_first(l, chunk + 1);
    for (w.surface = l->surfaces; w.surface < l->surfaces + l->surface_count; w.surface++) {
        int64_t from = first - w.surface->triangle_first, to = last - w.surface->triangle_first;
        if (from < 0) from = 0;
        if (to > w.surface->triangle_count) to = w.surface->triangle_count;
        if (from < to) l->kernels->list(&w, (int)from, (int)to);
    }
}

// ------------------------------------------------------------------------------------------------ all triangles

// The order of the lists, and so every result, does not depend on the number of chunks.
static bool plan_chunks(sp_ldi *l) {
    const sp_ldi_surface *s = &l->surfaces[l->surface_count - 1];
    const int64_t triangles = s->triangle_first + s->triangle_count, wanted = 4 * (int64_t)sp__workers(l->ctx);
    int64_t count = (triangles + 255) / 256;
    if (count > wanted) count = wanted;
    if (count < (triangles + SP_LDI_CHUNK_TRIANGLES - 1) / SP_LDI_CHUNK_TRIANGLES)
        count = (triangles + SP_LDI_CHUNK_TRIANGLES - 1) / SP_LDI_CHUNK_TRIANGLES;
    l->chunk_count = (int)(count < 1 ? 1 : count);
    const size_t had = l->chunks.capacity;
    if (!sp__ldi_reserve(l->memory, &l->chunks, (size_t)l->chunk_count, sizeof(sp_ldi_chunk), had)) return false;
    if (l->chunks.capacity > had)
        memset((sp_ldi_chunk *)l->chunks.data + had, 0, (l->chunks.capacity - had) * sizeof(sp_ldi_chunk));
    return true;
}

static const sp_ldi_kernels *choose_kernels(void) {
#ifdef SP_HAVE_AVX2
    if (sp__has_avx2()) return &sp__ldi_kernels_avx2;
#endif
    return &sp__ldi_kernels_generic;
}

bool sp__ldi_list(sp_ldi *l) {
    l->kernels = choose_kernels();
    const sp_ldi_surface *s = &l->surfaces[l->surface_count - 1];
    const size_t vertices = s->vertex_first + (size_t)s->vertex_count;
    l->tile_count = 0;
    for (int axis = 0; axis < 3; axis++) {
        const int edge = 1 << l->tile_shift;
        l->columns[axis] = (l->size[(axis + 1) % 3] + edge - 1) / edge;
        l->rows[axis] = (l->size[(axis + 2) % 3] + edge - 1) / edge;
        l->tile_first[axis] = l->tile_count;
        l->tile_count += l->columns[axis] * l->rows[axis];
    }
    l->tile_first[3] = l->tile_count;
    if (!plan_chunks(l) || !sp__ldi_reserve(l->memory, &l->grid, vertices, 4 * sizeof(int32_t), 0)) return false;
    sp__parallel(l->ctx, (int)((vertices + VERTEX_TASK - 1) / VERTEX_TASK), vertex_task, l);
    sp__parallel(l->ctx, l->chunk_count, list_chunk, l);
    return !atomic_load(&l->memory->refused) && !atomic_load(&l->bad_triangle);
}

// ------------------------------------------------------------------------------------------------ sorting by tile

static void scatter_chunk(void *arg, int chunk, int worker) {
    const sp_ldi *l = arg;
    const sp_ldi_chunk *c = (const sp_ldi_chunk *)l->chunks.data + chunk;
    const uint64_t *entries = c->entries.data, code = (uint64_t)chunk << 32;
    uint64_t *sorted = l->sorted.data;
    uint32_t *at = c->counts.data;
    (void)worker;
    for (size_t i = 0; i < c->entry_count; i++) sorted[at[entries[i] >> 32]++] = code | (uint32_t)entries[i];
}

// Stable: the entries of a tile stay in the order of the surfaces and their triangles.
bool sp__ldi_sort(sp_ldi *l) {
    sp_ldi_chunk *chunks = l->chunks.data;
    l->entry_count = l->setup_count = l->longest = 0;
    for (int c = 0; c < l->chunk_count; c++) l->entry_count += chunks[c].entry_count, l->setup_count += chunks[c].setup_count;
    if (l->entry_count > UINT32_MAX) return sp__ldi_reserve(l->memory, &l->sorted, SIZE_MAX, 1, 0);
    if (!sp__ldi_reserve(l->memory, &l->begin, (size_t)l->tile_count + 1, sizeof(uint32_t), 0) ||
        !sp__ldi_reserve(l->memory, &l->sorted, l->entry_count + 1, sizeof(uint64_t), 0))
        return false;
    uint32_t *begin = l->begin.data, at = 0;
    for (int tile = 0; tile < l->tile_count; tile++) {
        begin[tile] = at;
        for (int c = 0; c < l->chunk_count; c++) {
            uint32_t *count = (uint32_t *)chunks[c].counts.data + tile, n = *count;
            *count = at, at += n;
        }
        if (at - begin[tile] > l->longest) l->longest = at - begin[tile];
    }
    begin[l->tile_count] = at;
    sp__parallel(l->ctx, l->chunk_count, scatter_chunk, l);
    return true;
}
