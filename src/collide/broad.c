// Broad phase: pairs of colliders by a sweep along x, then pairs of their items by trees, by a spatial hash or by brute force,
// and at last pairs of features. The last test is the same for all three methods, so they find the same candidates.
#include <float.h>

#include "collide/collide_internal.h"

// ---------------------------------------------------------------------------------------------------- boxes

static bool boxes_near(const double low_a[3], const double high_a[3], const double low_b[3], const double high_b[3],
                       double margin) {
    for (int k = 0; k < 3; k++)
        if (low_a[k] - high_b[k] > margin || low_b[k] - high_a[k] > margin) return false;
    return true;
}

// swept box of some vertices
static void vertices_box(const sp_collider *c, const uint32_t *vertex, int count, double low[3], double high[3]) {
    for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
    for (int i = 0; i < count; i++)
        for (int s = 0; s < 2; s++) {
            const double *x = c->x[s] + 3 * (size_t)vertex[i];
            for (int k = 0; k < 3; k++) {
                low[k] = x[k] < low[k] ? x[k] : low[k];
                high[k] = x[k] > high[k] ? x[k] : high[k];
            }
        }
}

void sp__item_box(const sp_collider *c, uint32_t item, double low[3], double high[3]) {
    vertices_box(c, sp__collider_item(c, item), c->corners, low, high);
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
    // edges of two closed surfaces do not overlap by more than alarm (sp__narrow_edges)
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

static bool pair_in_field(const sp_collide_pair *p) {
    return p->in_field[0] || p->in_field[1];
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

typedef struct item_box {
    double low[3], high[3];
} item_box;

static void candidate_add(sp_collide *set, int pair, sp_candidate_type type, uint32_t first, uint32_t second, sp_block *own) {
    sp_record *r = sp__block_next(&set->candidates, own);
    if (r) *r = (sp_record){(uint64_t)pair << SP_CANDIDATE_BITS | type, (uint64_t)first << 32 | second, 0};
}

// vertices that an item of c owns against an item of the other collider, whose box is given
static void item_vertices(sp_collide *set, int pair, bool of_b, uint32_t own_item, uint32_t item, const double low[3],
                          const double high[3], sp_block *own) {
    const sp_collide_pair *p = &set->pairs[pair];
    const sp_collider *c = &set->colliders[of_b ? p->b : p->a];
    double low_v[3], high_v[3];
    for (int k = 0; k < c->corners; k++) {
        if (!(c->owned[own_item] >> k & 1)) continue;
        const uint32_t *v = sp__collider_item(c, own_item) + k;
        vertices_box(c, v, 1, low_v, high_v);
        if (boxes_near(low, high, low_v, high_v, p->margin) &&
            !(p->self && sp__self_neighbours(c, v, 1, sp__collider_item(c, item), c->corners)))
            candidate_add(set, pair, of_b ? SP_CANDIDATE_B : SP_CANDIDATE_A, *v, item, own);
    }
}

static uint32_t item_edge(const sp_collider *c, uint32_t item, int k) {
    return c->corners == 3 ? (uint32_t)c->edges.of[3 * (size_t)item + (size_t)k] : item;
}

// two edges of one collider have the lower number first
static void edges_candidate(sp_collide *set, int pair, uint32_t edge_a, uint32_t edge_b, sp_block *own) {
    const sp_collide_pair *p = &set->pairs[pair];
    const sp_collider *a = &set->colliders[p->a], *b = &set->colliders[p->b];
    if (p->self && sp__self_neighbours(a, sp__collider_edge(a, edge_a), 2, sp__collider_edge(b, edge_b), 2)) return;
    const bool swap = p->self && edge_b < edge_a;
    candidate_add(set, pair, SP_CANDIDATE_EDGES, swap ? edge_b : edge_a, swap ? edge_a : edge_b, own);
}

static void item_edges(sp_collide *set, int pair, uint32_t item_a, uint32_t item_b, sp_block *own) {
    const sp_collide_pair *p = &set->pairs[pair];
    const sp_collider *a = &set->colliders[p->a], *b = &set->colliders[p->b];
    double low[3][3], high[3][3], low_a[3], high_a[3];
    unsigned edges_a = a->owned[item_a] >> 3, edges_b = b->owned[item_b] >> 3;
    if (!edges_a || !edges_b) return;
    for (int j = 0; j < 3; j++)
        if (edges_b >> j & 1) vertices_box(b, sp__collider_edge(b, item_edge(b, item_b, j)), 2, low[j], high[j]);
    for (int i = 0; i < 3; i++) {
        if (!(edges_a >> i & 1)) continue;
        uint32_t edge = item_edge(a, item_a, i);
        vertices_box(a, sp__collider_edge(a, edge), 2, low_a, high_a);
        for (int j = 0; j < 3; j++)
            if ((edges_b >> j & 1) && boxes_near(low_a, high_a, low[j], high[j], p->edge_margin))
                edges_candidate(set, pair, edge, item_edge(b, item_b, j), own);
    }
}

// the candidates of two items whose boxes are near
static void items_near(sp_collide *set, int pair, uint32_t item_a, uint32_t item_b, const item_box *a, const item_box *b,
                       sp_block *own) {
    const sp_collide_pair *p = &set->pairs[pair];
    item_vertices(set, pair, false, item_a, item_b, b->low, b->high, own);
    // of two points, one order is enough
    if (set->colliders[p->a].corners > 1 || set->colliders[p->b].corners > 1)
        item_vertices(set, pair, !p->self, item_b, item_a, a->low, a->high, own);
    if (boxes_near(a->low, a->high, b->low, b->high, p->edge_margin)) item_edges(set, pair, item_a, item_b, own);
}

void sp__broad_items(sp_collide *set, int pair, uint32_t item_a, uint32_t item_b, sp_block *own) {
    const sp_collide_pair *p = &set->pairs[pair];
    item_box a, b;
    sp__item_box(&set->colliders[p->a], item_a, a.low, a.high);
    sp__item_box(&set->colliders[p->b], item_b, b.low, b.high);
    items_near(set, pair, item_a, item_b, &a, &b, own);
}

static void plane_item(sp_collide *set, int pair, const sp_collider *plane, const sp_collider *c, uint32_t item, sp_block *own) {
    const sp_collide_pair *p = &set->pairs[pair];
    for (int k = 0; k < c->corners; k++) {
        const uint32_t *v = sp__collider_item(c, item) + k;
        double low[3], high[3];
        if (!(c->owned[item] >> k & 1)) continue;
        vertices_box(c, v, 1, low, high);
        if (box_near_plane(plane, low, high, p->rule.alarm + c->radius + plane->radius))
            candidate_add(set, pair, SP_CANDIDATE_PLANE, *v, 0, own);
    }
}

// ---------------------------------------------------------------------------------------------------- trees

static bool nodes_near(const sp_bvh_box *a, const sp_bvh_box *b, float margin) {
    for (int k = 0; k < 3; k++)
        if (a->low[k] - b->high[k] > margin || b->low[k] - a->high[k] > margin) return false;
    return true;
}

static float pair_margin(const sp_collide_pair *p) {
    return (float)p->margin * (1 + 4 * FLT_EPSILON) + FLT_MIN;
}

static int leaf_end(const sp_collider *c, int leaf) {
    int end = (leaf + 1) * SP_BVH_LEAF;
    return end < c->def.item_count ? end : c->def.item_count;
}

static void leaves_items(sp_collide *set, int pair, int leaf_a, int leaf_b, sp_block *own) {
    const sp_collide_pair *p = &set->pairs[pair];
    const sp_collider *a = &set->colliders[p->a], *b = &set->colliders[p->b];
    item_box box_a, box_b[SP_BVH_LEAF];
    int begin = leaf_b * SP_BVH_LEAF, end = leaf_end(b, leaf_b);
    for (int j = begin; j < end; j++) sp__item_box(b, (uint32_t)b->tree.order[j], box_b[j - begin].low, box_b[j - begin].high);
    for (int i = leaf_a * SP_BVH_LEAF; i < leaf_end(a, leaf_a); i++) {
        sp__item_box(a, (uint32_t)a->tree.order[i], box_a.low, box_a.high);
        for (int j = begin; j < end; j++)
            if (boxes_near(box_a.low, box_a.high, box_b[j - begin].low, box_b[j - begin].high, p->margin))
                items_near(set, pair, (uint32_t)a->tree.order[i], (uint32_t)b->tree.order[j], &box_a, &box_b[j - begin], own);
    }
}

// Which node of a pair is split: the inner one, or of two the one nearer to its root. -1: both are leaves.
static int split_side(const sp_bvh *a, const sp_bvh *b, int node_a, int node_b) {
    bool inner_a = node_a < a->leaves - 1, inner_b = node_b < b->leaves - 1;
    if (!inner_a && !inner_b) return -1;
    if (inner_a != inner_b) return inner_b;
    return node_b < node_a;
}

// leaves below a node: first and last
static void node_leaves(const sp_bvh *t, int node, int leaf[2]) {
    int level = 0;
    while ((node + 1) >> (level + 1)) level++;
    const int width = t->leaves >> level;
    leaf[0] = (node + 1 - (1 << level)) * width, leaf[1] = leaf[0] + width - 1;
}

// Of two nodes of one tree, only the order in which the first comes first is followed.
static bool nodes_turned(const sp_collide_pair *p, const sp_bvh *t, int node_a, int node_b) {
    int a[2], b[2];
    if (!p->self) return false;
    node_leaves(t, node_a, a), node_leaves(t, node_b, b);
    return a[0] > b[1];
}

static void trees_task(void *user, int task, int worker) {
    sp_collide *set = user;
    const sp_node_pair *job = &set->jobs[task];
    const sp_collide_pair *p = &set->pairs[job->pair];
    const sp_bvh *a = &set->colliders[p->a].tree, *b = &set->colliders[p->b].tree;
    float margin = pair_margin(p);
    int stack[2 * SP_BVH_LEVELS + 4][2], top = 0;
    sp_block own = {0};
    (void)worker;
    stack[top][0] = job->a, stack[top++][1] = job->b;
    while (top > 0) {
        int node[2] = {stack[top - 1][0], stack[top - 1][1]}, side;
        top--;
        if (!nodes_near(&a->nodes[node[0]], &b->nodes[node[1]], margin) || nodes_turned(p, a, node[0], node[1])) continue;
        if ((side = split_side(a, b, node[0], node[1])) < 0) {
            leaves_items(set, job->pair, node[0] - a->leaves + 1, node[1] - b->leaves + 1, &own);
            continue;
        }
        for (int child = 2; child >= 1; child--, top++) {
            stack[top][side] = 2 * node[side] + child;
            stack[top][!side] = node[!side];
        }
    }
    sp__block_close(&set->candidates, &own);
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

// Pairs of nodes for the tasks: pairs of roots, split breadth first until there are enough.
static sp_status trees_jobs(sp_collide *set) {
    enum { TARGET = 2 * SP_COLLIDE_TASKS, SPLITS = 8 * TARGET };
    SP_TRY(sp__collide_grow(set, &set->jobs, sizeof *set->jobs, &set->job_capacity, (long)set->pair_count + 2 * SPLITS));
    int head = 0, tail = 0;
    for (int i = 0; i < set->pair_count; i++) {
        const sp_collide_pair *p = &set->pairs[i];
        if (!pair_in_field(p) && set->colliders[p->a].corners && set->colliders[p->b].corners)
            set->jobs[tail++] = (sp_node_pair){i, 0, 0};
    }
    for (int splits = 0; splits < SPLITS && tail - head < TARGET && tail > head; splits++) {
        sp_node_pair now = set->jobs[head++];
        const sp_collide_pair *p = &set->pairs[now.pair];
        const sp_bvh *a = &set->colliders[p->a].tree, *b = &set->colliders[p->b].tree;
        if (!nodes_near(&a->nodes[now.a], &b->nodes[now.b], pair_margin(p))) continue;
        int side = split_side(a, b, now.a, now.b);
        if (side < 0) set->jobs[tail++] = now;
        for (int child = 1; child <= 2 && side >= 0; child++)
            set->jobs[tail++] = (sp_node_pair){now.pair, side ? now.a : 2 * now.a + child, side ? 2 * now.b + child : now.b};
    }
    set->job_count = tail - head;
    memmove(set->jobs, set->jobs + head, (size_t)set->job_count * sizeof *set->jobs);
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- brute force

static void brute_pair(sp_collide *set, int pair) {
    const sp_collide_pair *p = &set->pairs[pair];
    const sp_collider *a = &set->colliders[p->a], *b = &set->colliders[p->b];
    double low_a[3], high_a[3], low_b[3], high_b[3];
    sp_block own = {0};
    for (uint32_t i = 0; i < (uint32_t)a->def.item_count; i++) {
        sp__item_box(a, i, low_a, high_a);
        for (uint32_t j = 0; j < (uint32_t)b->def.item_count; j++) {
            sp__item_box(b, j, low_b, high_b);
            if (boxes_near(low_a, high_a, low_b, high_b, p->margin)) sp__broad_items(set, pair, i, j, &own);
        }
    }
    sp__block_close(&set->candidates, &own);
}

// ---------------------------------------------------------------------------------------------------- one pass

static sp_status broad_pass(sp_collide *set, sp_broad method) {
    atomic_store(&set->candidates.taken, 0);
    for (int i = 0; i < set->pair_count; i++) {
        const sp_collide_pair *p = &set->pairs[i];
        if (!set->colliders[p->a].corners || !set->colliders[p->b].corners) {
            plane_task(set, i);
        } else if (pair_in_field(p)) {
            sp__broad_field(set, i, method != SP_BROAD_BRUTE);
        } else if (method == SP_BROAD_HASH) {
            SP_TRY(sp__broad_hash(set, i));
        } else if (method == SP_BROAD_BRUTE) {
            brute_pair(set, i);
        }
    }
    if (method == SP_BROAD_TREE) sp__parallel(set->ctx, set->job_count, trees_task, set);
    return SP_OK;
}

sp_status sp__broad_candidates(sp_collide *set, sp_broad method) {
    sp_blocks *b = &set->candidates;
    if (method == SP_BROAD_TREE) SP_TRY(trees_jobs(set));
    SP_TRY(broad_pass(set, method));
    int need = atomic_load(&b->taken);
    if (need <= b->capacity) return SP_OK;
    SP_TRY(sp__collide_grow(set, &b->data, b->size, &b->capacity, need));
    return broad_pass(set, method);
}
