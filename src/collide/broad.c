// Broad phase: pairs of colliders by a sweep along x, then pairs of their items by trees, by a spatial hash or by brute force,
// and at last pairs of features. The last test is the same for all three methods, so they find the same candidates.
#include "collide/collide_internal.h"

// ---------------------------------------------------------------------------------------------------- boxes

static bool boxes_near(const double low_a[3], const double high_a[3], const double low_b[3], const double high_b[3],
                       double margin) {
    for (int k = 0; k < 3; k++)
        if (low_a[k] - high_b[k] > margin || low_b[k] - high_a[k] > margin) return false;
    return true;
}

static bool swept_near(const sp_swept_box *a, const sp_swept_box *b, double margin) {
    return boxes_near(a->low, a->high, b->low, b->high, margin);
}

bool sp__items_near(const sp_collide_pair *p, const sp_swept_box *a, const sp_swept_box *b) {
    return swept_near(a, b, p->margin);
}

static sp_swept_box vertex_box(const sp_collider *c, uint32_t vertex) {
    const double *x0 = c->x[0] + 3 * (size_t)vertex, *x1 = c->x[1] + 3 * (size_t)vertex;
    sp_swept_box box;
    for (int k = 0; k < 3; k++) box.low[k] = x0[k] < x1[k] ? x0[k] : x1[k], box.high[k] = x0[k] < x1[k] ? x1[k] : x0[k];
    return box;
}

static void box_merge(sp_swept_box *a, const sp_swept_box *b) {
    for (int k = 0; k < 3; k++) {
        a->low[k] = b->low[k] < a->low[k] ? b->low[k] : a->low[k];
        a->high[k] = b->high[k] > a->high[k] ? b->high[k] : a->high[k];
    }
}

sp_swept_box sp__item_box(const sp_collider *c, uint32_t item) {
    const uint32_t *corner = sp__collider_item(c, item);
    sp_swept_box box = vertex_box(c, corner[0]);
    for (int i = 1; i < c->corners; i++) {
        sp_swept_box other = vertex_box(c, corner[i]);
        box_merge(&box, &other);
    }
    return box;
}

static double box_plane(const sp_shape_place *plane, const double low[3], const double high[3]) {
    double least = 0;
    for (int k = 0; k < 3; k++) least += plane->b[k] * ((plane->b[k] > 0 ? low[k] : high[k]) - plane->a[k]);
    return least;
}

// a box is near a half-space at either state
static bool box_near_plane(const sp_collider *plane, const double low[3], const double high[3], double margin) {
    return box_plane(&plane->at[0], low, high) <= margin || box_plane(&plane->at[1], low, high) <= margin;
}

// ---------------------------------------------------------------------------------------------------- pairs of colliders

static bool has_outside(const sp_collider *c) {
    return c->corners == 3 && c->def.side == SP_SIDE_OUTSIDE;
}

static sp_status pair_add(sp_collide *set, const sp_collide_options *o, int first, int second) {
    const sp_collider *c = set->colliders;
    bool swap = c[second].def.id < c[first].def.id;
    sp_collide_pair p = {.a = swap ? second : first, .b = swap ? first : second, .self = first == second, .rule = o->rule};
    if (o->pair && !o->pair(o->user, c[p.a].def.id, c[p.b].def.id, &p.rule)) return SP_OK;
    if (p.self) {
        // what is deeper in its own body is not far from its other side
        p.rule.depth *= 0.5;
        SP_TRY(sp__self_update(set, &set->colliders[first], p.rule.alarm));
    }
    p.margin = fmax(p.rule.alarm, p.rule.depth) + c[p.a].radius + c[p.b].radius;
    // edges of two closed surfaces that overlap by more than alarm cut through faces (edges_cut)
    bool closed = has_outside(&c[p.a]) && has_outside(&c[p.b]);
    p.in_field[0] = !p.self && c[p.a].corners > 0 && c[p.b].def.type == SP_COLLIDER_FIELD;
    p.in_field[1] = !p.self && c[p.b].corners > 0 && c[p.a].def.type == SP_COLLIDER_FIELD;
    p.edge_margin = closed ? p.rule.alarm * (1 + 1e-9) + c[p.a].radius + c[p.b].radius : p.margin;
    if (set->pair_count == set->pair_capacity) {
        sp_collide_pair *old = set->pairs;
        int had = set->pair_count;
        set->pairs = NULL;  // kept until it is copied
        sp_status status = sp__collide_grow(set, &set->pairs, sizeof *set->pairs, &set->pair_capacity, had + 8);
        if (status < 0) {
            set->pairs = old;
            return status;
        }
        if (had) memcpy(set->pairs, old, (size_t)had * sizeof *old);
        sp__free(set->ctx, old);
    }
    set->pairs[set->pair_count++] = p;
    return SP_OK;
}

static bool pair_possible(const sp_collider *a, const sp_collider *b) {
    return a->def.group != b->def.group && !(a->def.flags & b->def.flags & SP_COLLIDER_STATIC);
}

static void sweep_down(const sp_collide *set, int *heap, int count, int at) {
    const sp_collider *c = set->colliders;
    for (int child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && c[heap[child + 1]].low[0] > c[heap[child]].low[0]) child++;
        if (c[heap[child]].low[0] <= c[heap[at]].low[0]) return;
        int swap = heap[at];
        heap[at] = heap[child], heap[child] = swap;
    }
}

// slots with a box, by its lower end (heap sort)
static int sweep_order(sp_collide *set) {
    int n = 0;
    for (int i = 0; i < set->count; i++)
        if (set->colliders[i].used && set->colliders[i].placed && set->colliders[i].corners > 0) set->sweep[n++] = i;
    for (int i = n / 2 - 1; i >= 0; i--) sweep_down(set, set->sweep, n, i);
    for (int i = n - 1; i > 0; i--) {
        int swap = set->sweep[0];
        set->sweep[0] = set->sweep[i], set->sweep[i] = swap;
        sweep_down(set, set->sweep, i, 0);
    }
    return n;
}

static sp_status broad_planes(sp_collide *set, const sp_collide_options *o, int boxes) {
    for (int i = 0; i < set->count; i++) {
        const sp_collider *plane = &set->colliders[i];
        if (!plane->used || !plane->placed || plane->corners > 0) continue;
        for (int j = 0; j < boxes; j++) {
            const sp_collider *c = &set->colliders[set->sweep[j]];
            if (pair_possible(plane, c) && box_near_plane(plane, c->low, c->high, o->rule.alarm + c->radius + plane->radius))
                SP_TRY(pair_add(set, o, i, set->sweep[j]));
        }
    }
    return SP_OK;
}

sp_status sp__broad_pairs(sp_collide *set, const sp_collide_options *o) {
    double reach = fmax(o->rule.alarm, o->rule.depth), largest = 0;
    set->pair_count = 0;
    SP_TRY(sp__collide_grow(set, &set->sweep, sizeof *set->sweep, &set->sweep_capacity, set->count));
    int n = sweep_order(set);
    for (int i = 0; i < n; i++) largest = fmax(largest, set->colliders[set->sweep[i]].radius);
    for (int i = 0; i < n; i++) {
        const sp_collider *a = &set->colliders[set->sweep[i]];
        if (a->rest) SP_TRY(pair_add(set, o, set->sweep[i], set->sweep[i]));
        for (int j = i + 1; j < n; j++) {
            const sp_collider *b = &set->colliders[set->sweep[j]];
            if (b->low[0] - a->high[0] > reach + a->radius + largest) break;
            if (pair_possible(a, b) && boxes_near(a->low, a->high, b->low, b->high, reach + a->radius + b->radius))
                SP_TRY(pair_add(set, o, set->sweep[i], set->sweep[j]));
        }
    }
    return broad_planes(set, o, n);
}

// ---------------------------------------------------------------------------------------------------- features of items

static void candidate_add(sp_collide *set, int pair, sp_candidate_type type, uint32_t first, uint32_t second, sp_block *own) {
    sp_record *r = sp__block_next(&set->candidates, own);
    if (r) *r = (sp_record){(uint64_t)pair << SP_CANDIDATE_BITS | type, (uint64_t)first << 32 | second, 0};
}

void sp__item_features(const sp_collider *c, uint32_t item, sp_item_features *f) {
    const uint32_t *corner = sp__collider_item(c, item);
    const unsigned owned = c->owned[item];
    sp_swept_box at[3] = {0};
    f->item = item, f->vertices = f->edges = 0;
    for (int k = 0; k < c->corners; k++) {
        at[k] = vertex_box(c, corner[k]);
        if (owned >> k & 1) f->vertex[f->vertices] = corner[k], f->vertex_box[f->vertices++] = at[k];
    }
    f->box = at[0];
    for (int k = 1; k < c->corners; k++) box_merge(&f->box, &at[k]);
    for (int k = 0; k < c->corners; k++) {
        if (!(owned >> (3 + k) & 1)) continue;
        f->edge[f->edges] = c->corners == 3 ? (uint32_t)c->edges.of[3 * (size_t)item + (size_t)k] : item;
        f->edge_box[f->edges] = at[k];
        box_merge(&f->edge_box[f->edges++], &at[(k + 1) % c->corners]);
    }
}

// the vertices of an item of c against an item of the other collider
static void items_vertices(sp_collide *set, int pair, bool of_b, const sp_item_features *f, const sp_item_features *other,
                           sp_block *own) {
    const sp_collide_pair *p = &set->pairs[pair];
    const sp_collider *c = &set->colliders[of_b ? p->b : p->a];
    for (int i = 0; i < f->vertices; i++)
        if (swept_near(&other->box, &f->vertex_box[i], p->margin) &&
            !(p->self && sp__self_neighbours(c, &f->vertex[i], 1, sp__collider_item(c, other->item), c->corners)))
            candidate_add(set, pair, of_b ? SP_CANDIDATE_B : SP_CANDIDATE_A, f->vertex[i], other->item, own);
}

// two edges of one collider have the lower number first
static void edges_candidate(sp_collide *set, int pair, uint32_t edge_a, uint32_t edge_b, sp_block *own) {
    const sp_collide_pair *p = &set->pairs[pair];
    const sp_collider *a = &set->colliders[p->a], *b = &set->colliders[p->b];
    if (p->self && sp__self_neighbours(a, sp__collider_edge(a, edge_a), 2, sp__collider_edge(b, edge_b), 2)) return;
    if (!p->rule.continuous && !(a->radius + b->radius > 0) && sp__edges_never_meet(a, edge_a, b, edge_b)) return;
    const bool swap = p->self && edge_b < edge_a;
    candidate_add(set, pair, SP_CANDIDATE_EDGES, swap ? edge_b : edge_a, swap ? edge_a : edge_b, own);
}

// Of two edges that are deep in each other, each cuts through the faces beside the other one.
static bool edges_cut(const sp_item_features *a, int i, const sp_item_features *b, int j) {
    return swept_near(&a->edge_box[i], &b->box, 0) && swept_near(&a->box, &b->edge_box[j], 0);
}

void sp__broad_items(sp_collide *set, int pair, const sp_item_features *a, const sp_item_features *b, sp_block *own) {
    const sp_collide_pair *p = &set->pairs[pair];
    items_vertices(set, pair, false, a, b, own);
    // of two points, one order is enough
    if (set->colliders[p->a].corners > 1 || set->colliders[p->b].corners > 1) items_vertices(set, pair, !p->self, b, a, own);
    if (!swept_near(&a->box, &b->box, p->edge_margin)) return;
    const bool cut = !p->self && swept_near(&a->box, &b->box, 0);
    for (int i = 0; i < a->edges; i++)
        for (int j = 0; j < b->edges; j++)
            if (swept_near(&a->edge_box[i], &b->edge_box[j], p->edge_margin) || (cut && edges_cut(a, i, b, j)))
                edges_candidate(set, pair, a->edge[i], b->edge[j], own);
}

static void plane_item(sp_collide *set, int pair, const sp_collider *plane, const sp_collider *c, uint32_t item, sp_block *own) {
    const sp_collide_pair *p = &set->pairs[pair];
    for (int k = 0; k < c->corners; k++) {
        const uint32_t v = sp__collider_item(c, item)[k];
        if (!(c->owned[item] >> k & 1)) continue;
        sp_swept_box box = vertex_box(c, v);
        if (box_near_plane(plane, box.low, box.high, p->rule.alarm + c->radius + plane->radius))
            candidate_add(set, pair, SP_CANDIDATE_PLANE, v, 0, own);
    }
}

static int leaf_end(const sp_collider *c, int leaf) {
    int end = (leaf + 1) * SP_BVH_LEAF;
    return end < c->def.item_count ? end : c->def.item_count;
}

static void plane_task(sp_collide *set, int pair) {
    const sp_collide_pair *p = &set->pairs[pair];
    const sp_collider *a = &set->colliders[p->a], *b = &set->colliders[p->b], *plane = a->corners ? b : a,
                      *c = a->corners ? a : b;
    const sp_bvh *t = &c->tree;
    double margin = p->rule.alarm + c->radius + plane->radius;
    int stack[SP_BVH_LEVELS + 4], top = 0;
    sp_block own = {0};
    stack[top++] = 0;
    while (top > 0) {
        int node = stack[--top];
        double low[3], high[3];
        for (int k = 0; k < 3; k++) {
            low[k] = set->origin[k] + (double)t->nodes[node].low[k];
            high[k] = set->origin[k] + (double)t->nodes[node].high[k];
        }
        // the box of an empty leaf is inverted
        if (low[0] > high[0] || !box_near_plane(plane, low, high, margin)) continue;
        if (node < t->leaves - 1) {
            stack[top++] = 2 * node + 2, stack[top++] = 2 * node + 1;
            continue;
        }
        int leaf = node - t->leaves + 1;
        for (int i = leaf * SP_BVH_LEAF; i < leaf_end(c, leaf); i++) plane_item(set, pair, plane, c, (uint32_t)t->order[i], &own);
    }
    sp__block_close(&set->candidates, &own);
}

// ---------------------------------------------------------------------------------------------------- brute force

static void brute_pair(sp_collide *set, int pair) {
    const sp_collide_pair *p = &set->pairs[pair];
    const sp_collider *a = &set->colliders[p->a], *b = &set->colliders[p->b];
    sp_item_features features_a, features_b;
    sp_block own = {0};
    for (uint32_t i = 0; i < (uint32_t)a->def.item_count; i++) {
        sp__item_features(a, i, &features_a);
        for (uint32_t j = 0; j < (uint32_t)b->def.item_count; j++) {
            sp_swept_box box = sp__item_box(b, j);
            if (!sp__items_near(p, &features_a.box, &box)) continue;
            sp__item_features(b, j, &features_b);
            sp__broad_items(set, pair, &features_a, &features_b, &own);
        }
    }
    sp__block_close(&set->candidates, &own);
}

// ---------------------------------------------------------------------------------------------------- one pass

static sp_status broad_pass(sp_collide *set, const sp_collide_options *o) {
    atomic_store(&set->candidates.taken, 0);
    for (int i = 0; i < set->pair_count; i++) {
        const sp_collide_pair *p = &set->pairs[i];
        if (!set->colliders[p->a].corners || !set->colliders[p->b].corners) {
            plane_task(set, i);
        } else if (sp__pair_in_field(p)) {
            sp__broad_field(set, i, o->broad != SP_BROAD_BRUTE);
        } else if (o->broad == SP_BROAD_HASH) {
            SP_TRY(sp__broad_hash(set, i, o->cell));
        } else if (o->broad == SP_BROAD_BRUTE) {
            brute_pair(set, i);
        }
    }
    if (o->broad == SP_BROAD_TREE) sp__broad_trees(set);
    return SP_OK;
}

sp_status sp__broad_candidates(sp_collide *set, const sp_collide_options *o) {
    sp_blocks *b = &set->candidates;
    if (o->broad == SP_BROAD_TREE) SP_TRY(sp__broad_trees_prepare(set));
    SP_TRY(broad_pass(set, o));
    int need = atomic_load(&b->taken);
    if (need <= b->capacity) return SP_OK;
    SP_TRY(sp__collide_grow(set, &b->data, b->size, &b->capacity, need));
    return broad_pass(set, o);
}
