// Binning of triangles into tiles. A row of tiles is a task: it gets the list of the triangles that reach it, sorts them by the
// column of their first tile, and sweeps from left to right with the active ones. Rows are processed in groups, so that their
// lists have bounded memory for any size of triangles.
#include "collide/layers_internal.h"

enum { GROUP_ENTRIES = 1 << 22 };  // entries in the lists of one group of rows, unless a single row needs more

typedef struct sp_layer_rows {
    sp_context *ctx;
    sp_layer_set set;
    int rows, columns;
    int triangles;     // faces and clipped pieces
    uint32_t *counts;  // SP_LAYER_CHUNKS x rows: entries of each chunk; later their target positions
    uint32_t *totals;  // per row
    uint32_t *begin;   // of the lists of a group
    int *entries;
    int first, last;  // rows of the group: first..last-1
    sp_layer_bench **benches;
    atomic_int failed;
} sp_layer_rows;

static int chunk_first(int count, int chunk) {
    return (int)((int64_t)count * chunk / SP_LAYER_CHUNKS);
}

// tiles that a triangle may touch: columns and rows, inclusive; false: none
static bool reach(const sp_layer_rows *r, int t, int column[2], int row[2]) {
    const sp_layers_def *d = r->set.def;
    sp_corner p[3];
    if (t < d->face_count) {
        const uint32_t *v = d->faces + 3 * (size_t)t;
        if (r->set.beyond[v[0]] | r->set.beyond[v[1]] | r->set.beyond[v[2]]) return false;  // invalid, or replaced by pieces
        if (d->kind && d->kind[t] == SP_LAYER_ABSENT) return false;
    }
    uint32_t face = sp__layer_triangle(&r->set, t, p);
    if (d->kind && d->kind[face] == SP_LAYER_ABSENT) return false;
    int x0 = sp__first_sample(sp__least3(p[0].x, p[1].x, p[2].x)), x1 = sp__last_sample(sp__most3(p[0].x, p[1].x, p[2].x));
    int y0 = sp__first_sample(sp__least3(p[0].y, p[1].y, p[2].y)), y1 = sp__last_sample(sp__most3(p[0].y, p[1].y, p[2].y));
    if (x0 < 0) x0 = 0;
    if (y0 < 0) y0 = 0;
    if (x1 >= d->width) x1 = d->width - 1;
    if (y1 >= d->height) y1 = d->height - 1;
    if (x0 > x1 || y0 > y1) return false;
    column[0] = x0 / SP_LAYER_TILE, column[1] = x1 / SP_LAYER_TILE;
    row[0] = y0 / SP_LAYER_TILE, row[1] = y1 / SP_LAYER_TILE;
    return true;
}

static void count_chunk(void *arg, int chunk, int worker) {
    sp_layer_rows *r = arg;
    uint32_t *count = r->counts + (size_t)chunk * (size_t)r->rows;
    int column[2], row[2];
    (void)worker;
    for (int t = chunk_first(r->triangles, chunk); t < chunk_first(r->triangles, chunk + 1); t++)
        if (reach(r, t, column, row))
            for (int y = row[0]; y <= row[1]; y++) count[y]++;
}

static void write_chunk(void *arg, int chunk, int worker) {
    sp_layer_rows *r = arg;
    uint32_t *at = r->counts + (size_t)chunk * (size_t)r->rows;
    int column[2], row[2];
    (void)worker;
    for (int t = chunk_first(r->triangles, chunk); t < chunk_first(r->triangles, chunk + 1); t++) {
        if (!reach(r, t, column, row)) continue;
        int y0 = row[0] > r->first ? row[0] : r->first, y1 = row[1] < r->last ? row[1] : r->last - 1;
        for (int y = y0; y <= y1; y++) r->entries[at[y]++] = t;
    }
}

// sorts the triangles of a row by the column of their first tile: w->list, w->columns
static void sort_columns(const sp_layer_rows *r, sp_layer_bench *w, const int *entries, int count) {
    int column[2], row[2];
    memset(w->columns, 0, ((size_t)r->columns + 2) * sizeof *w->columns);
    for (int i = 0; i < count; i++) {
        reach(r, entries[i], column, row);
        w->columns[column[0] + 2]++;
    }
    for (int c = 0; c < r->columns; c++) w->columns[c + 2] += w->columns[c + 1];
    for (int i = 0; i < count; i++) {
        reach(r, entries[i], column, row);
        w->list[w->columns[column[0] + 1]++] = entries[i];
    }
}

static void fill_row(void *arg, int task, int worker) {
    sp_layer_rows *r = arg;
    sp_layer_bench *w = r->benches[worker];
    int y = r->first + task, active = 0, column[2], row[2];
    const int *entries = r->entries + r->begin[task];
    int count = (int)(r->begin[task + 1] - r->begin[task]);
    sort_columns(r, w, entries, count);
    for (int c = 0; c < r->columns && !atomic_load(&r->failed); c++) {
        int kept = 0;
        for (int i = 0; i < active; i++) {
            reach(r, w->active[i], column, row);
            if (column[1] >= c) w->active[kept++] = w->active[i];
        }
        active = kept;
        for (int i = w->columns[c]; i < w->columns[c + 1]; i++) w->active[active++] = w->list[i];
        if (sp__layer_fill(r->ctx, &r->set, w, w->active, active, c * SP_LAYER_TILE, y * SP_LAYER_TILE, worker) < 0)
            atomic_store(&r->failed, 1);
    }
}

// ---------------------------------------------------------------------------------------------------- groups of rows

// chooses rows first..last-1 whose lists fit, the start of each list, and the write position of every chunk
static void plan_group(sp_layer_rows *r, int first) {
    uint64_t entries = 0;
    r->first = r->last = first;
    while (r->last < r->rows && (r->last == first || entries + r->totals[r->last] <= GROUP_ENTRIES))
        entries += r->totals[r->last++];
    uint32_t at = 0;
    for (int y = r->first; y < r->last; y++) {
        r->begin[y - r->first] = at;
        for (int chunk = 0; chunk < SP_LAYER_CHUNKS; chunk++) {
            uint32_t *c = r->counts + (size_t)chunk * (size_t)r->rows + y, n = *c;
            *c = at, at += n;
        }
    }
    r->begin[r->last - r->first] = at;
}

// allocates for the longest group and, per worker, for the longest row
static sp_status make_room(sp_layer_rows *r) {
    size_t longest = 0, most = 0, group = 0;
    for (int y = 0; y < r->rows; y++) {
        size_t n = r->totals[y];
        longest = n > longest ? n : longest;
        group = group + n > GROUP_ENTRIES ? n : group + n;
        most = group > most ? group : most;
    }
    if (!SP_NEW(r->ctx, r->entries, most + 1)) return SP_NO_MEMORY;
    for (int i = 0; i < sp__workers(r->ctx); i++) {
        sp_layer_bench *w;
        if (!SP_NEW(r->ctx, r->benches[i], 1)) return SP_NO_MEMORY;
        w = r->benches[i];
        if (!SP_NEW(r->ctx, w->list, longest + 1) || !SP_NEW(r->ctx, w->active, longest + 1) ||
            !SP_NEW(r->ctx, w->columns, (size_t)r->columns + 2))
            return SP_NO_MEMORY;
    }
    return SP_OK;
}

static void free_rows(sp_layer_rows *r) {
    for (int i = 0; r->benches && i < sp__workers(r->ctx); i++) {
        sp_layer_bench *w = r->benches[i];
        if (w) sp__free(r->ctx, w->fragments), sp__free(r->ctx, w->layers), sp__free(r->ctx, w->list);
        if (w) sp__free(r->ctx, w->active), sp__free(r->ctx, w->columns);
        sp__free(r->ctx, w);
    }
    sp__free(r->ctx, r->benches), sp__free(r->ctx, r->counts), sp__free(r->ctx, r->totals);
    sp__free(r->ctx, r->begin), sp__free(r->ctx, r->entries);
    sp__layer_set_free(r->ctx, &r->set);
}

static sp_status draw_rows(sp_layer_rows *r) {
    size_t rows = (size_t)r->rows;
    if (!SP_NEW(r->ctx, r->counts, SP_LAYER_CHUNKS * rows) || !SP_NEW(r->ctx, r->totals, rows) ||
        !SP_NEW(r->ctx, r->begin, rows + 1) || !SP_NEW(r->ctx, r->benches, sp__workers(r->ctx)))
        return SP_NO_MEMORY;
    sp__parallel(r->ctx, SP_LAYER_CHUNKS, count_chunk, r);
    for (size_t chunk = 0; chunk < SP_LAYER_CHUNKS; chunk++)
        for (size_t y = 0; y < rows; y++) r->totals[y] += r->counts[chunk * rows + y];
    SP_TRY(make_room(r));
    for (int first = 0; first < r->rows && !atomic_load(&r->failed); first = r->last) {
        plan_group(r, first);
        sp__parallel(r->ctx, SP_LAYER_CHUNKS, write_chunk, r);
        sp__parallel(r->ctx, r->last - r->first, fill_row, r);
    }
    return atomic_load(&r->failed) ? SP_NO_MEMORY : SP_OK;
}

sp_status sp__layers(sp_context *ctx, const sp_layers_def *def) {
    if (def->width < 1 || def->height < 1 || def->width > SP_LAYER_SIDE_MOST || def->height > SP_LAYER_SIDE_MOST)
        return SP_FAIL(ctx, SP_BAD_INPUT, "canvas of %d x %d samples, each must be in [1, %d]", def->width, def->height,
                       SP_LAYER_SIDE_MOST);
    if (def->face_count < 0 || def->face_count >= INT32_MAX / 2 || def->vertex_count < 0)
        return SP_FAIL(ctx, SP_BAD_INPUT, "%d triangles, must be in [0, %d]", def->face_count, INT32_MAX / 2 - 1);
    if (!def->eye->parallel && !(def->eye->nearest > 0))
        return SP_FAIL(ctx, SP_BAD_INPUT, "nearest = %g m, must be > 0 in perspective", def->eye->nearest);
    sp_layer_rows r = {.ctx = ctx};
    r.rows = (def->height + SP_LAYER_TILE - 1) / SP_LAYER_TILE, r.columns = (def->width + SP_LAYER_TILE - 1) / SP_LAYER_TILE;
    sp_status status = sp__layer_corners(ctx, def, &r.set);
    if (status >= 0) status = sp__layer_pieces(ctx, &r.set);
    r.triangles = def->face_count + r.set.piece_count;
    if (status >= 0) status = draw_rows(&r);
    free_rows(&r);
    if (status == SP_NO_MEMORY) return SP_FAIL(ctx, status, "no memory for the layers of %d triangles", def->face_count);
    return status;
}
