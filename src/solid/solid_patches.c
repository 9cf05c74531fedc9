// Patches of 4-node tetrahedra with one mean dilatation each (kernels/bar.h): the energy form of F-bar patches (De Souza Neto,
// Pires, Owen 2005, doi:10.1002/nme.1187). docs/incompressible.md compares it with other cures of volumetric locking.
//
// A mesh has five to six tetrahedra for each node, hence about two conditions on the volume for each unknown. Patches of seven
// leave a little less than one condition for three unknowns, the ratio of the continuum. They are grown inside the chunks of the
// group, across faces and within a region, so that they depend neither on the backend nor on the number of workers, and a chunk
// computes its patches alone.
#include "solid/solid.h"
#include "util/sort.h"

enum { PATCH_ELEMENTS = 7, PATCH_LEAST = 4 };

// The elements of a chunk are numbered in the order of their slots.
typedef struct partition {
    const sp_solid_group *g;
    const double *x;     // rest positions, by user node
    const int *user;     // user number of an inner node
    const int *region;   // per user element; NULL: all 0
    const int *element;  // per slot of the group: user number, negative: padding
    int first, count;    // first slot of the chunk, its elements
    int (*beside)[4];    // per element: those across its faces in the same region, -1: none
    int *patch, *size;   // patch of each element, -1: free; number of its elements
    int patches;         // of the chunk
    uint64_t *keys;      // count x 4
} partition;

// ------------------------------------------------------------------------------------------------ growth

static int partition_node(const partition *p, int e, int a) {
    return sp__group_node(p->g, p->g->first + p->first + e, a);
}

static void element_centre(const partition *p, int e, double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = 0;
    for (int a = 0; a < 4; a++)
        for (int k = 0; k < 3; k++) out[k] += 0.25 * p->x[3 * (size_t)p->user[partition_node(p, e, a)] + (size_t)k];
}

static int region_of(const partition *p, int e) {
    return p->region ? p->region[p->element[p->first + e]] : 0;
}

// Elements that share a face, by sorted keys of local nodes: three of 16 bits, and the face in the low ones
static void find_beside(partition *p) {
    _Static_assert(4 * SP_CHUNK_TETS <= 1 << 16, "faces of a chunk have 16 bits");
    const sp_solid_group *g = p->g;
    for (int i = 0; i < 4 * p->count; i++) {
        size_t w = (size_t)g->lanes, slot = (size_t)(p->first + i / 4);
        int n[3], at = 0;
        for (int a = 0; a < 4; a++)
            if (a != i % 4) n[at++] = g->local[(slot / w * 4 + (size_t)a) * w + slot % w];
        sp__sort_ints(n, 3);
        p->keys[i] = (uint64_t)n[0] << 48 | (uint64_t)n[1] << 32 | (uint64_t)n[2] << 16 | (uint64_t)i;
        p->beside[i / 4][i % 4] = -1;
    }
    sp__sort_keys(p->keys, 4 * p->count);
    for (int i = 1; i < 4 * p->count; i++) {
        int a = (int)(p->keys[i - 1] & 0xffff), b = (int)(p->keys[i] & 0xffff);
        if (p->keys[i - 1] >> 16 != p->keys[i] >> 16 || region_of(p, a / 4) != region_of(p, b / 4)) continue;
        p->beside[a / 4][a % 4] = b / 4, p->beside[b / 4][b % 4] = a / 4;
    }
}

static int free_beside(const partition *p, int e) {
    int count = 0;
    for (int f = 0; f < 4; f++) count += p->beside[e][f] >= 0 && p->patch[p->beside[e][f]] < 0;
    return count;
}

// a free element with the fewest free neighbours, so that none is left alone; -1: none is free
static int next_seed(const partition *p) {
    int best = -1, least = 5;
    for (int e = 0; e < p->count && least > 0; e++) {
        int open = p->patch[e] < 0 ? free_beside(p, e) : 5;
        if (open < least) least = open, best = e;
    }
    return best;
}

static bool has_node(const partition *p, const int *member, int count, int node) {
    for (int i = 0; i < 4 * count; i++)
        if (partition_node(p, member[i / 4], i % 4) == node) return true;
    return false;
}

// How far an element is from the members of a patch: first the nodes that it adds, then the distance of the centres
static void candidate_cost(const partition *p, const int *member, int count, int e, double cost[2]) {
    double mean[3] = {0}, x[3];
    for (int i = 0; i < count; i++) {
        element_centre(p, member[i], x);
        for (int k = 0; k < 3; k++) mean[k] += x[k] / count;
    }
    element_centre(p, e, x);
    sp__sub3(x, mean, x);
    cost[0] = 0, cost[1] = sp__dot3(x, x);
    for (int a = 0; a < 4; a++) cost[0] += !has_node(p, member, count, partition_node(p, e, a));
}

// the best free neighbour of a patch; -1: none
static int next_member(const partition *p, const int *member, int count) {
    int best = -1;
    double least[2] = {INFINITY, INFINITY};
    for (int i = 0; i < 4 * count; i++) {
        int e = p->beside[member[i / 4]][i % 4];
        double cost[2];
        if (e < 0 || p->patch[e] >= 0) continue;
        candidate_cost(p, member, count, e, cost);
        // equal distances within rounding: the lower number
        bool nearer = cost[1] < least[1] * (1 - 1e-9), equal = cost[1] <= least[1] * (1 + 1e-9);
        if (cost[0] > least[0] || (cost[0] == least[0] && !nearer && (!equal || e > best))) continue;
        best = e, least[0] = cost[0], least[1] = cost[1];
    }
    return best;
}

static void grow_patch(partition *p, int seed) {
    int member[PATCH_ELEMENTS], count = 0;
    for (int e = seed; e >= 0 && count < PATCH_ELEMENTS; e = count < PATCH_ELEMENTS ? next_member(p, member, count) : -1) {
        p->patch[e] = p->patches;
        member[count++] = e;
    }
    p->size[p->patches++] = count;
}

// the smallest patch beside a patch; -1: none
static int smallest_beside(const partition *p, int patch) {
    int best = -1;
    for (int e = 0; e < p->count; e++)
        for (int f = 0; f < 4 && p->patch[e] == patch; f++) {
            int other = p->beside[e][f] < 0 ? -1 : p->patch[p->beside[e][f]];
            if (other < 0 || other == patch) continue;
            if (best < 0 || p->size[other] < p->size[best] || (p->size[other] == p->size[best] && other < best)) best = other;
        }
    return best;
}

// What growth leaves over joins its neighbours; then patches are numbered in the order of their first elements.
static void join_small(partition *p) {
    for (int patch = 0; patch < p->patches; patch++) {
        int other = p->size[patch] < PATCH_LEAST ? smallest_beside(p, patch) : -1;
        if (other < 0) continue;
        for (int e = 0; e < p->count; e++)
            if (p->patch[e] == patch) p->patch[e] = other;
        p->size[other] += p->size[patch], p->size[patch] = 0;
    }
    for (int patch = 0; patch < p->patches; patch++) p->size[patch] = -1;  // new numbers
    p->patches = 0;
    for (int e = 0; e < p->count; e++) {
        if (p->size[p->patch[e]] < 0) p->size[p->patch[e]] = p->patches++;
        p->patch[e] = p->size[p->patch[e]];
    }
}

static void make_partition(partition *p) {
    find_beside(p);
    for (int e = 0; e < p->count; e++) p->patch[e] = -1;
    p->patches = 0;
    for (int seed; (seed = next_seed(p)) >= 0;) grow_patch(p, seed);
    join_small(p);
}

// ------------------------------------------------------------------------------------------------ lists

// elements of the patches of a chunk from `next` on; returns the number of patches so far
static int list_elements(const partition *p, sp_patches *out, int chunk) {
    int first = out->chunk_start[chunk], at = out->start[first];
    for (int patch = 0; patch < p->patches; patch++) {
        for (int e = 0; e < p->count; e++)
            if (p->patch[e] == patch) out->slot[at++] = p->first + e;
        out->start[first + patch + 1] = at;
    }
    return out->chunk_start[chunk + 1] = first + p->patches;
}

static int local_node(const sp_solid_group *g, int slot, int a) {
    return g->local[(slot / g->lanes * 4 + a) * g->lanes + slot % g->lanes];
}

// nodes of a patch, ascending, and where those of its elements are; `node` has room for four of each element
static void list_nodes(const sp_solid_group *g, sp_patches *out, int patch) {
    int first = out->node_start[patch], end = first;
    for (int i = out->start[patch]; i < out->start[patch + 1]; i++)
        for (int a = 0; a < 4; a++) out->node[end++] = sp__group_node(g, g->first + out->slot[i], a);
    sp__sort_ints(out->node + first, end - first);
    int kept = first;
    for (int i = first; i < end; i++)
        if (kept == first || out->node[kept - 1] != out->node[i]) out->node[kept++] = out->node[i];
    out->node_start[patch + 1] = kept;
    for (int i = out->start[patch]; i < out->start[patch + 1]; i++)
        for (int a = 0; a < 4; a++) {
            int slot = out->slot[i], node = sp__group_node(g, g->first + slot, a), at = first;
            out->of[slot] = patch;
            while (out->node[at] != node) at++;
            out->at[4 * slot + a] = at;
            out->local[at] = (uint16_t)local_node(g, slot, a);
        }
}

static sp_status patches_reserve(sp_context *ctx, const sp_solid_group *g, sp_patches *out) {
    size_t n = (size_t)g->elements;
    return SP_NEW(ctx, out->chunk_start, g->chunks.count + 1) && SP_NEW(ctx, out->start, n + 1) && SP_NEW(ctx, out->slot, n) &&
                   SP_NEW(ctx, out->node_start, n + 1) && SP_NEW(ctx, out->node, 4 * n) && SP_NEW(ctx, out->local, 4 * n) &&
                   SP_NEW(ctx, out->at, 4 * (size_t)g->slots) && SP_NEW(ctx, out->measure, g->slots) &&
                   SP_NEW(ctx, out->of, g->slots)
               ? SP_OK
               : SP_NO_MEMORY;
}

// padding of a structure has the nodes of the element that it repeats, the one before it
static void pad_patches(const sp_solid_group *g, const int *element, sp_patches *out) {
    for (int slot = 1; slot < g->slots; slot++)
        if (element[slot] < 0) memcpy(out->at + 4 * slot, out->at + 4 * slot - 4, 4 * sizeof *out->at);
}

static sp_status partition_chunks(sp_context *ctx, partition *p, sp_patches *out) {
    const sp_solid_group *g = p->g;
    if (!SP_NEW(ctx, p->beside, SP_CHUNK_TETS) || !SP_NEW(ctx, p->patch, SP_CHUNK_TETS) || !SP_NEW(ctx, p->size, SP_CHUNK_TETS) ||
        !SP_NEW(ctx, p->keys, 4 * SP_CHUNK_TETS))
        return SP_NO_MEMORY;
    for (int chunk = 0; chunk < g->chunks.count; chunk++) {
        p->first = g->block_start[chunk] * g->lanes;
        p->count = g->block_start[chunk + 1] * g->lanes - p->first;
        while (p->element[p->first + p->count - 1] < 0) p->count--;
        make_partition(p);
        out->count = list_elements(p, out, chunk);
    }
    for (int patch = 0; patch < out->count; patch++) list_nodes(g, out, patch);
    pad_patches(g, p->element, out);
    return SP_OK;
}

sp_status sp__solid_make_patches(sp_context *ctx, const sp_solid *s, sp_solid_group *g, const sp_solid_def *def,
                                 const int *element) {
    partition p = {.g = g, .user = s->user_node, .region = def->element_region, .element = element};
    p.x = sp_mesh_positions(def->mesh);
    sp_patches *out = &g->patches;
    sp_status status = patches_reserve(ctx, g, out);
    if (status >= 0) status = partition_chunks(ctx, &p, out);
    sp__free(ctx, p.beside), sp__free(ctx, p.patch), sp__free(ctx, p.size), sp__free(ctx, p.keys);
    if (status < 0) return status;
    size_t nodes = 3 * (size_t)out->node_start[out->count];
    if (!SP_NEW(ctx, g->iso.patch_q, nodes) || !SP_NEW(ctx, g->other_patch_q, nodes) ||
        !SP_NEW(ctx, g->iso.patch_factor, out->count) || !SP_NEW(ctx, g->other_patch_factor, out->count))
        return SP_NO_MEMORY;
    g->iso.patches = out;
    return SP_OK;
}

void sp__solid_free_patches(sp_context *ctx, sp_solid_group *g) {
    sp_patches *p = &g->patches;
    void *all[] = {p->chunk_start,
                   p->start,
                   p->slot,
                   p->of,
                   p->node_start,
                   p->node,
                   p->local,
                   p->at,
                   p->measure,
                   g->iso.patch_q,
                   g->iso.patch_factor,
                   g->other_patch_q,
                   g->other_patch_factor};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(ctx, all[i]);
    sp__patches_list_free(ctx, &g->patch_list);
}

// ------------------------------------------------------------------------------------------------ the system

size_t sp__patches_pairs(const sp_patches *p, void (*fn)(int *at, int *col, int low, int high), int *at, int *col) {
    size_t count = 0;
    for (int patch = 0; patch < p->count; patch++)
        for (int a = p->node_start[patch]; a < p->node_start[patch + 1]; a++)
            for (int b = a + 1; b < p->node_start[patch + 1]; b++, count++)
                if (fn) fn(at, col, p->node[a], p->node[b]);
    return count;
}

static int patch_width(const sp_patches *p, int patch) {
    int n = p->node_start[patch + 1] - p->node_start[patch];
    return n * (n + 1) / 2;
}

// whether node a of a patch is its first one in a leaf: nodes ascend, and so do their leaves
static bool first_in_leaf(const sp_patches *p, const int *leaf_of, int patch, int a) {
    return a == p->node_start[patch] || leaf_of[p->node[a]] != leaf_of[p->node[a - 1]];
}

static void fill_pairs(const sp_solid *s, const sp_patches *p, const sp_blocks *A, const int *leaf_of, int patch, int leaf,
                       int *at) {
    for (int a = p->node_start[patch]; a < p->node_start[patch + 1]; a++)
        for (int b = a; b < p->node_start[patch + 1]; b++, at++) {
            bool here = leaf_of[p->node[a]] == leaf;
            *at = here ? sp__blocks_number(A, p->node[a], p->node[b]) - A->row_start[s->leaf_start[leaf]] : -1;
        }
}

sp_status sp__patches_list(sp_context *ctx, const sp_solid *s, const sp_patches *p, const sp_blocks *A, const int *leaf_of,
                           sp_patch_list *out) {
    int leaves = s->leaf_count;
    if (p->count == 0) return SP_OK;
    if (!SP_NEW(ctx, out->start, leaves + 1) || !SP_NEW(ctx, out->at_start, leaves + 1)) return SP_NO_MEMORY;
    for (int patch = 0; patch < p->count; patch++)
        for (int a = p->node_start[patch]; a < p->node_start[patch + 1]; a++) {
            int leaf = leaf_of[p->node[a]];
            if (!first_in_leaf(p, leaf_of, patch, a)) continue;
            out->start[leaf + 1]++, out->at_start[leaf + 1] += patch_width(p, patch);
        }
    for (int l = 0; l < leaves; l++) out->start[l + 1] += out->start[l], out->at_start[l + 1] += out->at_start[l];
    if (!SP_NEW(ctx, out->patch, out->start[leaves] + 1) || !SP_NEW(ctx, out->at, out->at_start[leaves] + 1)) return SP_NO_MEMORY;
    for (int patch = 0; patch < p->count; patch++)
        for (int a = p->node_start[patch]; a < p->node_start[patch + 1]; a++) {
            int leaf = leaf_of[p->node[a]];
            if (!first_in_leaf(p, leaf_of, patch, a)) continue;
            out->patch[out->start[leaf]++] = patch;
            fill_pairs(s, p, A, leaf_of, patch, leaf, out->at + out->at_start[leaf]);
            out->at_start[leaf] += patch_width(p, patch);
        }
    // the starts have become the ends
    for (int l = leaves; l > 0; l--) out->start[l] = out->start[l - 1], out->at_start[l] = out->at_start[l - 1];
    out->start[0] = out->at_start[0] = 0;
    return SP_OK;
}

void sp__patches_list_free(sp_context *ctx, sp_patch_list *list) {
    sp__free(ctx, list->start), sp__free(ctx, list->patch), sp__free(ctx, list->at_start), sp__free(ctx, list->at);
    *list = (sp_patch_list){0};
}

// ------------------------------------------------------------------------------------------------ fields

double sp__patches_mean(const sp_solid *s, const sp_solid_group *g, int patch, const double *q) {
    const sp_patches *p = &g->patches;
    double sum = 0, volume = 0;
    for (int i = p->start[patch]; i < p->start[patch + 1]; i++) {
        double u[12], V = g->iso.volume[p->slot[i]];
        for (int a = 0; a < 4; a++) {
            size_t node = 3 * (size_t)sp__group_node(g, g->first + p->slot[i], a);
            sp__sub3(q + node, s->rest + node, u + 3 * a);
        }
        sum += V * sp__iso_measure(&g->iso, p->slot[i], u);
        volume += V;
    }
    return volume > 0 ? sum / volume : 0;  // all elements were removed
}
