// Broad phase by trees: pairs of nodes whose boxes are near each other are followed down to pairs of leaves, in tasks that do not
// depend on the number of workers. A leaf is met several times by a task, one time for each leaf of the other tree that is near
// it: the boxes of its items and features are kept for the last ones that were met.
#include <float.h>

#include "collide/collide_internal.h"

// ---------------------------------------------------------------------------------------------------- leaves

enum { LEAVES_KEPT = 8 };  // of each tree in a task; a power of two

typedef struct leaf_entry {
    int leaf, count;  // number of the leaf; items
    unsigned made;    // bits: items whose features are made
    double low[3][SP_BVH_LEAF], high[3][SP_BVH_LEAF];
    sp_item_features item[SP_BVH_LEAF];
} leaf_entry;

typedef struct leaf_cache {
    const sp_collider *c;
    leaf_entry entries[LEAVES_KEPT];
} leaf_cache;

static void cache_open(leaf_cache *cache, const sp_collider *c) {
    cache->c = c;
    for (int i = 0; i < LEAVES_KEPT; i++) cache->entries[i].leaf = -1;
}

static leaf_entry *cache_leaf(leaf_cache *cache, int leaf) {
    const sp_collider *c = cache->c;
    leaf_entry *e = &cache->entries[leaf & (LEAVES_KEPT - 1)];
    if (e->leaf == leaf) return e;
    const int begin = leaf * SP_BVH_LEAF, left = c->def.item_count - begin;
    e->leaf = leaf, e->made = 0, e->count = left < SP_BVH_LEAF ? left : SP_BVH_LEAF;
    for (int i = 0; i < SP_BVH_LEAF; i++) {
        // lanes without an item are near nothing
        sp_swept_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        if (i < e->count) box = sp__item_box(c, (uint32_t)c->tree.order[begin + i]);
        for (int k = 0; k < 3; k++) e->low[k][i] = box.low[k], e->high[k][i] = box.high[k];
    }
    return e;
}

static const sp_item_features *cache_item(const leaf_cache *cache, leaf_entry *e, int i) {
    if (!(e->made >> i & 1)) sp__item_features(cache->c, (uint32_t)cache->c->tree.order[e->leaf * SP_BVH_LEAF + i], &e->item[i]);
    e->made |= 1u << i;
    return &e->item[i];
}

// bits: the items of a leaf that are near item i of another one
static unsigned leaf_near(const leaf_entry *a, int i, const leaf_entry *b, double margin) {
    int apart[SP_BVH_LEAF] = {0};
    unsigned near = 0;
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < SP_BVH_LEAF; j++)
            apart[j] |= (a->low[k][i] - b->high[k][j] > margin) | (b->low[k][j] - a->high[k][i] > margin);
    for (int j = 0; j < SP_BVH_LEAF; j++) near |= (unsigned)!apart[j] << j;
    return near;
}

static void leaves_items(sp_collide *set, int pair, leaf_cache cache[2], int leaf_a, int leaf_b, sp_block *own) {
    leaf_entry *a = cache_leaf(&cache[0], leaf_a), *b = cache_leaf(&cache[1], leaf_b);
    for (int i = 0; i < a->count; i++) {
        const unsigned near = leaf_near(a, i, b, set->pairs[pair].margin);
        for (int j = 0; j < b->count; j++)
            if (near >> j & 1) sp__broad_items(set, pair, cache_item(&cache[0], a, i), cache_item(&cache[1], b, j), own);
    }
}

// ---------------------------------------------------------------------------------------------------- trees

// without branches, which could not be predicted
static bool nodes_near(const sp_bvh_box *a, const sp_bvh_box *b, float margin) {
    int apart = 0;
    for (int k = 0; k < 3; k++) apart |= (a->low[k] - b->high[k] > margin) | (b->low[k] - a->high[k] > margin);
    return !apart;
}

static float pair_margin(const sp_collide_pair *p) {
    return (float)p->margin * (1 + 4 * FLT_EPSILON) + FLT_MIN;
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
    leaf_cache cache[2];
    (void)worker;
    cache_open(&cache[0], &set->colliders[p->a]), cache_open(&cache[1], &set->colliders[p->b]);
    stack[0][0] = job->a, stack[0][1] = job->b;
    top = nodes_near(&a->nodes[job->a], &b->nodes[job->b], margin) && !nodes_turned(p, a, job->a, job->b);
    while (top > 0) {
        const int node_a = stack[top - 1][0], node_b = stack[top - 1][1], side = split_side(a, b, node_a, node_b);
        top--;
        if (side < 0) {
            leaves_items(set, job->pair, cache, node_a - a->leaves + 1, node_b - b->leaves + 1, &own);
            continue;
        }
        for (int child = 2; child >= 1; child--) {
            // overwritten by the next one if the nodes are not near
            const int *next = stack[top];
            stack[top][0] = side ? node_a : 2 * node_a + child, stack[top][1] = side ? 2 * node_b + child : node_b;
            top += nodes_near(&a->nodes[next[0]], &b->nodes[next[1]], margin) && !nodes_turned(p, a, next[0], next[1]);
        }
    }
    sp__block_close(&set->candidates, &own);
}

// Pairs of nodes for the tasks: pairs of roots, split breadth first until there are enough.
sp_status sp__broad_trees_prepare(sp_collide *set) {
    enum { TARGET = 2 * SP_COLLIDE_TASKS, SPLITS = 8 * TARGET };
    SP_TRY(sp__collide_grow(set, &set->jobs, sizeof *set->jobs, &set->job_capacity, (long)set->pair_count + 2 * SPLITS));
    int head = 0, tail = 0;
    for (int i = 0; i < set->pair_count; i++) {
        const sp_collide_pair *p = &set->pairs[i];
        if (!sp__pair_in_field(p) && set->colliders[p->a].corners && set->colliders[p->b].corners)
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

void sp__broad_trees(sp_collide *set) {
    sp__parallel(set->ctx, set->job_count, trees_task, set);
}
