// The octree of the lattice. Cells are split from the top: cells near the border down to the boundary size, and further where the
// border is curved; interior cells down to the largest size allowed there; outside cells not at all. Then cells are split until
// neighbours across faces, edges and corners are at most one level apart, as the lattice requires (Labelle and Shewchuk 2007,
// section 4).
//
// Around every cut edge, all cells within the reach of the tetrahedra of a moved vertex have equal size: there the stencils keep
// the angle bounds of the uniform lattice.
#include "mesh/fill.h"
#include "mesh/fill_near.h"

enum { CHUNK = 64 };

typedef struct sp_level {
    const sp_fill_near *near;
    const sp_octree *tree;
    int (*cells)[3];
    unsigned char *split;
    int count, capacity, level;
} sp_level;

// ------------------------------------------------------------------------------------------------ splitting

static void decide(void *arg, int task, int worker) {
    sp_level *v = arg;
    (void)worker;
    int end = task * CHUNK + CHUNK < v->count ? task * CHUNK + CHUNK : v->count;
    for (int i = task * CHUNK; i < end; i++) v->split[i] = sp__near_split(v->near, v->tree, v->cells[i], v->level);
}

static bool add_cell(sp_context *ctx, sp_level *v, const int p[3]) {
    if (!SP_FILL_ROOM(ctx, v->cells, v->count, v->capacity)) return false;
    memcpy(v->cells[v->count++], p, 3 * sizeof(int));
    return true;
}

static bool add_leaf(sp_context *ctx, sp_octree *o, const int p[3]) {
    if (o->count == o->capacity) {
        int capacity = o->capacity;
        int(*centre)[3] = (void *)o->centre;
        bool grown = SP_FILL_ROOM(ctx, centre, o->count, o->capacity);
        o->centre = (int *)(void *)centre;
        if (!grown || !SP_FILL_ROOM(ctx, o->gone, o->count, capacity)) return false;
    }
    memcpy(o->centre + 3 * (size_t)o->count, p, 3 * sizeof(int));
    o->gone[o->count] = false;
    return sp__hash_put(ctx, &o->leaf, sp__place_key(p), o->count++);
}

static void child(const int p[3], int level, int which, int out[3]) {
    int step = 1 << (level - 1);
    for (int k = 0; k < 3; k++) out[k] = p[k] + (which >> k & 1 ? step : -step);
}

static sp_status split_level(sp_context *ctx, sp_octree *o, sp_level *now, sp_level *next) {
    sp__free(ctx, now->split);
    if (!SP_NEW(ctx, now->split, now->count + 1)) return sp__fill_no_memory(ctx);
    if (now->level > 0) sp__parallel(ctx, (now->count + CHUNK - 1) / CHUNK, decide, now);
    for (int i = 0; i < now->count; i++) {
        if (!now->split[i] && !add_leaf(ctx, o, now->cells[i])) return sp__fill_no_memory(ctx);
        for (int c = 0; now->split[i] && c < 8; c++) {
            int p[3];
            child(now->cells[i], now->level, c, p);
            if (!add_cell(ctx, next, p)) return sp__fill_no_memory(ctx);
        }
    }
    return SP_OK;
}

static sp_status split_down(sp_context *ctx, const sp_fill_near *near, sp_octree *o) {
    sp_level a = {.near = near, .tree = o, .level = o->top}, b = a;
    sp_status status = SP_OK;
    for (int z = 0; z < o->roots[2]; z++)
        for (int y = 0; y < o->roots[1]; y++)
            for (int x = 0; x < o->roots[0] && status == SP_OK; x++) {
                const int half = 1 << o->top, p[3] = {(2 * x + 1) * half, (2 * y + 1) * half, (2 * z + 1) * half};
                if (!add_cell(ctx, &a, p)) status = sp__fill_no_memory(ctx);
            }
    while (status == SP_OK && a.count > 0) {
        b.count = 0, b.level = a.level - 1;
        status = split_level(ctx, o, &a, &b);
        sp_level swap = a;
        a = b, b = swap;
    }
    sp__free(ctx, a.cells), sp__free(ctx, a.split);
    sp__free(ctx, b.cells), sp__free(ctx, b.split);
    return status;
}

// ------------------------------------------------------------------------------------------------ balance

int sp__octree_find(const sp_octree *o, const int p[3], int level) {
    int centre[3];
    for (int k = 0; k < 3; k++) {
        if (p[k] < 0 || p[k] >= o->roots[k] * (2 << o->top)) return -1;
        centre[k] = (p[k] >> (level + 1) << (level + 1)) + (1 << level);
    }
    int i = sp__hash_get(&o->leaf, sp__place_key(centre));
    return i >= 0 && !o->gone[i] ? i : -1;
}

static int find_larger(const sp_octree *o, const int p[3], int least) {
    for (int l = least; l <= o->top; l++) {
        int i = sp__octree_find(o, p, l);
        if (i >= 0) return i;
    }
    return -1;
}

static bool split_leaf(sp_context *ctx, sp_octree *o, int leaf) {
    int p[3], c[3];
    memcpy(p, o->centre + 3 * (size_t)leaf, sizeof p);
    o->gone[leaf] = true;
    for (int i = 0; i < 8; i++) {
        child(p, sp__cell_level(p), i, c);
        if (!add_leaf(ctx, o, c)) return false;
    }
    return true;
}

// children are appended to the list, so that one pass processes them too
static sp_status balance(sp_context *ctx, sp_octree *o) {
    for (int i = 0; i < o->count; i++) {
        if (o->gone[i]) continue;
        int p[3], q[3];
        memcpy(p, o->centre + 3 * (size_t)i, sizeof p);
        int l = sp__cell_level(p);
        for (int d = 0; d < 27; d++) {
            const int step[3] = {d % 3 - 1, d / 3 % 3 - 1, d / 9 - 1};
            for (int k = 0; k < 3; k++) q[k] = p[k] + step[k] * (2 << l);
            for (int other; (other = find_larger(o, q, l + 2)) >= 0;)
                if (!split_leaf(ctx, o, other)) return sp__fill_no_memory(ctx);
        }
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ construction

static sp_status place_tree(sp_context *ctx, const sp_fill_source *source, const sp_fill_sizes *sizes, sp_octree *o) {
    int least = sizes->fine + sizes->coarse;
    o->top = least > sizes->fine + 3 ? least : sizes->fine + 3;
    o->unit = 0.5 * ldexp(sizes->size, -sizes->fine);
    double cell = o->unit * (2 << o->top), pad = source->tight ? 1.6 : 2.6;
    for (int k = 0; k < 3; k++) {
        double wide = source->high[k] - source->low[k] + pad * sizes->size, n = ceil(wide / cell);
        if (!(n * (2 << o->top) < SP_FILL_PLACES))
            return SP_FAIL(ctx, SP_BAD_INPUT, "size = %g m: %g cells along %g m, at most %d", sizes->size, wide / (2 * o->unit),
                           wide, SP_FILL_PLACES / 2);
        o->roots[k] = (int)n;
        // shifted by a fraction of a cell: a shape that is symmetric in its box meets the lattice in general position
        o->origin[k] = 0.5 * (source->low[k] + source->high[k]) - 0.5 * n * cell + 0.11 * (k + 1) * o->unit;
    }
    double roots = (double)o->roots[0] * o->roots[1] * o->roots[2];
    if (roots > SP_TETS_MAX / 64)
        return SP_FAIL(ctx, SP_BAD_INPUT, "size = %g m: more than %d cells in the box", sizes->size, SP_TETS_MAX / 64);
    return SP_OK;
}

sp_status sp__octree_build(sp_context *ctx, const sp_fill_source *source, const sp_fill_sizes *sizes, sp_octree *o) {
    *o = (sp_octree){0};
    SP_TRY(place_tree(ctx, source, sizes, o));
    sp_fill_near near;
    sp_status status = sp__near_begin(ctx, source, sizes, o, &near);
    if (status == SP_OK) status = split_down(ctx, &near, o);
    if (status == SP_OK) status = balance(ctx, o);
    sp__near_end(ctx, &near);
    return status;
}

void sp__octree_free(sp_context *ctx, sp_octree *o) {
    sp__free(ctx, o->centre);
    sp__free(ctx, o->gone);
    sp__hash_free(ctx, &o->leaf);
    *o = (sp_octree){0};
}
