// Bounding volume trees that are refitted in every step. The tree is complete and has no pointers: items are sorted along a
// Morton curve (Morton 1966; Lauterbach et al. 2009 build trees of it), leaves are blocks of that order, inner nodes halve it. It
// is a little looser than the trees of src/mesh/tree.h, which are built once and queried often, but a refit is a loop over
// arrays, a build is a sort, and neither allocates.
#include <float.h>

#include "collide/collide_internal.h"

// ---------------------------------------------------------------------------------------------------- memory

sp_status sp__bvh_create(sp_collide *set, sp_collider *c) {
    sp_bvh *t = &c->tree;
    sp_context *ctx = set->ctx;
    int items = c->def.item_count;
    t->used = (items + SP_BVH_LEAF - 1) / SP_BVH_LEAF;
    for (t->leaves = 1; t->leaves < t->used;) t->leaves *= 2;
    bool made = SP_NEW(ctx, t->order, items) && SP_NEW(ctx, t->first, (size_t)t->used + 1) &&
                SP_NEW(ctx, t->near, (size_t)items * (size_t)c->corners) && SP_NEW(ctx, t->nodes, 2 * (size_t)t->leaves - 1);
    return made ? SP_OK : SP_NO_MEMORY;
}

void sp__bvh_free(sp_context *ctx, sp_bvh *t) {
    sp__free(ctx, t->order), sp__free(ctx, t->first), sp__free(ctx, t->near), sp__free(ctx, t->nodes);
    *t = (sp_bvh){0};
}

// ---------------------------------------------------------------------------------------------------- build

// the lowest 21 bits of a number, two zeros between each two of them
static uint64_t bvh_spread(uint64_t n) {
    n &= 0x1fffff;
    n = (n | n << 32) & 0x1f00000000ffff;
    n = (n | n << 16) & 0x1f0000ff0000ff;
    n = (n | n << 8) & 0x100f00f00f00f00f;
    n = (n | n << 4) & 0x10c30c30c30c30c3;
    return (n | n << 2) & 0x1249249249249249;
}

static void item_middle(const sp_collider *c, int item, double out[3]) {
    const uint32_t *corner = sp__collider_item(c, (uint32_t)item);
    out[0] = out[1] = out[2] = 0;
    for (int i = 0; i < c->corners; i++) sp__axpy3(out, 1.0 / c->corners, c->x[0] + 3 * (size_t)corner[i], out);
}

// vertices of each leaf: neighbours share most of theirs, which halves the work of a refit
static void bvh_leaf_vertices(sp_collider *c) {
    sp_bvh *t = &c->tree;
    int n = 0;
    for (int leaf = 0; leaf < t->used; leaf++) {
        int begin = leaf * SP_BVH_LEAF, end = begin + SP_BVH_LEAF;
        if (end > c->def.item_count) end = c->def.item_count;
        t->first[leaf] = n;
        for (int i = begin; i < end; i++)
            for (int k = 0; k < c->corners; k++) {
                int v = (int)sp__collider_item(c, (uint32_t)t->order[i])[k], j = t->first[leaf];
                while (j < n && t->near[j] != v) j++;
                if (j == n) t->near[n++] = v;
            }
    }
    t->first[t->used] = n;
}

static sp_status bvh_build(sp_collide *set, sp_collider *c) {
    int n = c->def.item_count;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, p[3], scale = 0;
    SP_TRY(sp__collide_sorting(set, n));
    for (int i = 0; i < n; i++) {
        item_middle(c, i, p);
        for (int k = 0; k < 3; k++) low[k] = fmin(low[k], p[k]), high[k] = fmax(high[k], p[k]);
    }
    for (int k = 0; k < 3; k++) scale = fmax(scale, high[k] - low[k]);
    scale = scale > 0 && isfinite(1 / scale) ? 0x1fffff / scale : 0;
    for (int i = 0; i < n; i++) {
        uint64_t code = 0;
        item_middle(c, i, p);
        for (int k = 0; k < 3; k++) code |= bvh_spread((uint64_t)((p[k] - low[k]) * scale)) << k;
        set->sorted[0][i] = (sp_record){0, code, (uint64_t)i};
    }
    sp__records_sort(set->sorted[0], set->sorted[1], n);
    for (int i = 0; i < n; i++) c->tree.order[i] = (int)set->sorted[0][i].place;
    bvh_leaf_vertices(c);
    c->tree.quality = 0, c->tree.refits = 0;
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- refit

// rounded outwards by more than the error of the conversion
static float bvh_down(double v) {
    float f = (float)v;
    return f - fabsf(f) * FLT_EPSILON - FLT_MIN;
}

static float bvh_up(double v) {
    float f = (float)v;
    return f + fabsf(f) * FLT_EPSILON + FLT_MIN;
}

static void box_with(double low[3], double high[3], const double *x) {
    for (int k = 0; k < 3; k++) {
        low[k] = x[k] < low[k] ? x[k] : low[k];
        high[k] = x[k] > high[k] ? x[k] : high[k];
    }
}

// swept box of a leaf; returns the extent of its box at the committed state
static double leaf_box(const sp_collider *c, int leaf, const double origin[3], sp_bvh_box *out) {
    const sp_bvh *t = &c->tree;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = t->first[leaf]; i < t->first[leaf + 1]; i++) box_with(low, high, c->x[0] + 3 * (size_t)t->near[i]);
    double extent = high[0] - low[0] + high[1] - low[1] + high[2] - low[2];
    for (int i = t->first[leaf]; i < t->first[leaf + 1] && c->x[1] != c->x[0]; i++)
        box_with(low, high, c->x[1] + 3 * (size_t)t->near[i]);
    for (int k = 0; k < 3; k++) out->low[k] = bvh_down(low[k] - origin[k]), out->high[k] = bvh_up(high[k] - origin[k]);
    return extent;
}

static void node_merge(sp_bvh_box *nodes, int node) {
    const sp_bvh_box *a = &nodes[2 * (size_t)node + 1], *b = a + 1;
    for (int k = 0; k < 3; k++) {
        nodes[node].low[k] = a->low[k] < b->low[k] ? a->low[k] : b->low[k];
        nodes[node].high[k] = a->high[k] > b->high[k] ? a->high[k] : b->high[k];
    }
}

static void refit_task(void *user, int task, int worker) {
    sp_collide *set = user;
    sp_refit_job *job = &set->refits[task];
    const sp_collider *c = &set->colliders[job->collider];
    const sp_bvh *t = &c->tree;
    (void)worker;
    int width = t->leaves >> job->level, begin = job->index * width;
    job->quality = 0;
    for (int leaf = begin; leaf < begin + width; leaf++) {
        sp_bvh_box *box = &t->nodes[t->leaves - 1 + leaf];
        if (leaf < t->used) {
            job->quality += leaf_box(c, leaf, set->origin, box);
        } else {
            *box = (sp_bvh_box){{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
        }
    }
    for (int size = t->leaves / 2; size >= 1 << job->level; size /= 2) {
        int part = size >> job->level, first = size - 1 + job->index * part;
        for (int i = first; i < first + part; i++) node_merge(t->nodes, i);
    }
}

// one job per subtree of about 256 leaves, at most SP_COLLIDE_TASKS of a collider
static sp_status refit_jobs(sp_collide *set) {
    long need = 0;
    for (int i = 0; i < set->count; i++) need += set->colliders[i].used ? SP_COLLIDE_TASKS : 0;
    SP_TRY(sp__collide_grow(set, &set->refits, sizeof *set->refits, &set->refit_capacity, need));
    set->refit_count = 0;
    for (int i = 0; i < set->count; i++) {
        const sp_collider *c = &set->colliders[i];
        if (!c->used || !c->fresh || c->corners == 0) continue;
        int level = 0;
        while (1 << (level + 1) <= SP_COLLIDE_TASKS && c->tree.leaves >> level > 256) level++;
        for (int k = 0; k < 1 << level; k++) set->refits[set->refit_count++] = (sp_refit_job){i, level, k, 0};
    }
    return SP_OK;
}

// the nodes above the subtrees, the box of the collider, and whether the tree has degraded; returns the next job
static int refit_finish(sp_collide *set, int job) {
    sp_collider *c = &set->colliders[set->refits[job].collider];
    sp_bvh *t = &c->tree;
    int level = set->refits[job].level;
    double quality = 0;
    for (int k = 0; k < 1 << level; k++) quality += set->refits[job + k].quality;
    for (int i = (1 << level) - 2; i >= 0; i--) node_merge(t->nodes, i);
    for (int k = 0; k < 3; k++) {
        c->low[k] = set->origin[k] + (double)t->nodes[0].low[k];
        c->high[k] = set->origin[k] + (double)t->nodes[0].high[k];
    }
    if (t->refits++ == 0) t->quality = quality;
    c->fresh = t->refits % SP_BVH_CHECK == 0 && quality > SP_BVH_DEGRADED * t->quality;
    return job + (1 << level);
}

sp_status sp__bvh_update(sp_collide *set, int *rebuilt) {
    *rebuilt = 0;
    // a second pass refits the trees that the first one found degraded and that were built again
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < set->count; i++) {
            sp_collider *c = &set->colliders[i];
            if (!c->used || !c->fresh || c->corners == 0 || (pass == 0 && c->tree.refits > 0)) continue;
            SP_TRY(bvh_build(set, c));
            *rebuilt += pass;
        }
        SP_TRY(refit_jobs(set));
        if (set->refit_count == 0) break;
        sp__parallel(set->ctx, set->refit_count, refit_task, set);
        for (int job = 0; job < set->refit_count;) job = refit_finish(set, job);
    }
    return SP_OK;
}
