// Renumbering for locality, and the element structures of the kernels.
//
// Nodes are split by recursive coordinate bisection into leaves of at most SP_CHUNK_NODES. Leaves form the chunks of matrix rows,
// and an element belongs to the leaf of its lowest node. Unlike in a bandwidth ordering, the fraction of nodes of other chunks
// that a chunk uses does not grow with the mesh.
#include "solid/solid.h"

// ------------------------------------------------------------------------------------------------ bisection

typedef struct bisection {
    const double *x;
    int *order;  // permuted in place
    int *leaf_start;
    int leaf_count;
} bisection;

static bool layout_before(const bisection *b, int axis, int i, int j) {
    double a = b->x[3 * (size_t)i + (size_t)axis], c = b->x[3 * (size_t)j + (size_t)axis];
    return a < c || (a == c && i < j);
}

// moves the first k of order[low..high] along the axis to the front (quickselect with median of three: deterministic)
static void select_first(const bisection *b, int axis, int low, int high, int k) {
    int *o = b->order;
    while (low < high) {
        int middle = low + (high - low) / 2, p = o[middle];
        int lo = o[low], hi = o[high];
        // the pivot is the median
        if (layout_before(b, axis, p, lo) == layout_before(b, axis, lo, hi))
            p = lo;
        else if (layout_before(b, axis, p, hi) != layout_before(b, axis, lo, hi))
            p = hi;
        int i = low, j = high;
        while (i <= j) {
            while (layout_before(b, axis, o[i], p)) i++;
            while (layout_before(b, axis, p, o[j])) j--;
            if (i > j) break;
            int swap = o[i];
            o[i++] = o[j], o[j--] = swap;
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            return;
    }
}

static int longest_axis(const bisection *b, int low, int high) {
    double least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = low; i < high; i++)
        for (int k = 0; k < 3; k++) {
            double c = b->x[3 * (size_t)b->order[i] + (size_t)k];
            if (c < least[k]) least[k] = c;
            if (c > most[k]) most[k] = c;
        }
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (most[k] - least[k] > (most[axis] - least[axis]) * (1 + 1e-9)) axis = k;
    return axis;
}

static void layout_bisect(bisection *b, int low, int high, int leaves) {
    if (leaves <= 1) {
        b->leaf_start[b->leaf_count++] = low;
        return;
    }
    int left = leaves / 2, cut = low + (int)((int64_t)(high - low) * left / leaves);
    select_first(b, longest_axis(b, low, high), low, high - 1, cut);
    layout_bisect(b, low, cut, left);
    layout_bisect(b, cut, high, leaves - left);
}

sp_status sp__solid_order(sp_context *ctx, sp_solid *s, const sp_mesh *mesh) {
    int n = s->nodes, leaves = (n + SP_CHUNK_NODES - 1) / SP_CHUNK_NODES;
    if (!SP_NEW(ctx, s->user_node, n) || !SP_NEW(ctx, s->inner_node, n) || !SP_NEW(ctx, s->leaf_start, leaves + 1))
        return SP_NO_MEMORY;
    for (int i = 0; i < n; i++) s->user_node[i] = i;
    bisection b = {sp_mesh_positions(mesh), s->user_node, s->leaf_start, 0};
    layout_bisect(&b, 0, n, leaves);
    s->leaf_count = b.leaf_count;
    s->leaf_start[s->leaf_count] = n;
    for (int i = 0; i < n; i++) s->inner_node[s->user_node[i]] = i;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ elements

static int lowest_node(const sp_solid *s, const int *tet) {
    int low = s->inner_node[tet[0]];
    for (int a = 1; a < 4; a++)
        if (s->inner_node[tet[a]] < low) low = s->inner_node[tet[a]];
    return low;
}

// user elements sorted by their lowest inner node
static sp_status layout_sort_elements(sp_context *ctx, const sp_solid *s, const int *tets, int *order) {
    int *start;
    if (!SP_NEW(ctx, start, s->nodes + 1)) return SP_NO_MEMORY;
    for (int e = 0; e < s->elements; e++) start[lowest_node(s, tets + 4 * (size_t)e) + 1]++;
    for (int i = 0; i < s->nodes; i++) start[i + 1] += start[i];
    for (int e = 0; e < s->elements; e++) order[start[lowest_node(s, tets + 4 * (size_t)e)]++] = e;
    sp__free(ctx, start);
    return SP_OK;
}

// splits the order into chunks: a new one for each leaf and after SP_CHUNK_TETS elements. Returns their number. Nullable: start
static int cut_chunks(const sp_solid *s, const int *tets, const int *order, int *start) {
    int count = 0, leaf = -1, size = 0;
    for (int k = 0; k < s->elements; k++) {
        int node = lowest_node(s, tets + 4 * (size_t)order[k]), before_leaf = leaf;
        while (leaf < 0 || node >= s->leaf_start[leaf + 1]) leaf++;
        if (leaf != before_leaf || size == SP_CHUNK_TETS) {
            if (start) start[count] = k;
            count++, size = 0;
        }
        size++;
    }
    if (start) start[count] = s->elements;
    return count;
}

// shape function gradients at rest in the element frame (first edge along x, first face in xy); returns the rest volume.
// Nullable: frame (rows: axes in world coordinates)
static double rest_gradients(const double *x0, const double *x1, const double *x2, const double *x3, double g[6],
                             double frame[9]) {
    double b[3], c[3], d[3], e1[3], e2[3], e3[3];
    sp__sub3(x1, x0, b), sp__sub3(x2, x0, c), sp__sub3(x3, x0, d);
    double lb = sp__norm3(b);
    for (int k = 0; k < 3; k++) e1[k] = b[k] / lb;
    sp__cross3(b, c, e3);
    double ln = sp__norm3(e3);
    for (int k = 0; k < 3; k++) e3[k] /= ln;
    sp__cross3(e3, e1, e2);
    double bx = lb, cx = sp__dot3(e1, c), cy = sp__dot3(e2, c), dx = sp__dot3(e1, d), dy = sp__dot3(e2, d), dz = sp__dot3(e3, d);
    // rows of the inverse of [b c d], upper triangular
    g[0] = 1 / bx, g[1] = -cx / (bx * cy), g[2] = (cx * dy - cy * dx) / (bx * cy * dz);
    g[3] = 1 / cy, g[4] = -dy / (cy * dz);
    g[5] = 1 / dz;
    for (int k = 0; k < 3; k++) frame[k] = e1[k], frame[3 + k] = e2[k], frame[6 + k] = e3[k];
    return bx * cy * dz / 6;
}

static void set_rest(sp_solid *s, const double *x, size_t slot, const int *node) {
    sp_tets *t = &s->tets;
    size_t w = (size_t)t->lanes, b = slot / w, l = slot % w;
    double g[6], frame[9];
    s->volume[slot] = rest_gradients(x + 3 * (size_t)node[0], x + 3 * (size_t)node[1], x + 3 * (size_t)node[2],
                                     x + 3 * (size_t)node[3], g, frame);
    for (size_t k = 0; k < 6; k++) t->rest[(b * 6 + k) * w + l] = g[k];
    if (!t->frame) return;
    for (size_t k = 0; k < 9; k++) t->frame[(b * 9 + k) * w + l] = frame[k];
}

static sp_status allocate_tets(sp_context *ctx, sp_solid *s) {
    sp_tets *t = &s->tets;
    size_t n = (size_t)t->blocks * (size_t)t->lanes + 1;
    if (!SP_NEW(ctx, t->node, 4 * n) || !SP_NEW(ctx, t->local, 4 * n) || !SP_NEW(ctx, t->rest, 6 * n) ||
        !SP_NEW(ctx, t->scale, n) || !SP_NEW(ctx, t->ratio, n) || !SP_NEW(ctx, t->grad, 9 * n) || !SP_NEW(ctx, s->user_tet, n) ||
        !SP_NEW(ctx, s->slot_of, s->elements) || !SP_NEW(ctx, s->volume, n) || !SP_NEW(ctx, s->corner_of, s->nodes))
        return SP_NO_MEMORY;
    if (s->model == SP_LINEAR) return SP_NEW(ctx, t->frame, 9 * n) ? SP_OK : SP_NO_MEMORY;
    if (!SP_NEW(ctx, s->other_grad, 9 * n)) return SP_NO_MEMORY;
    if (s->tangent == SP_TANGENT_EXACT && (!SP_NEW(ctx, t->spin, 6 * n) || !SP_NEW(ctx, s->other_spin, 6 * n)))
        return SP_NO_MEMORY;
    return SP_OK;
}

// fills the structures of one chunk and returns its number of nodes. `touched`: the nodes in the order of their local numbers.
// `mark`: scratch of nodes + 1 numbers, 1 + local number of the nodes whose `owner` is this chunk
static int layout_fill_chunk(sp_solid *s, const sp_mesh *mesh, const int *elements, int count, int chunk, int *mark, int *owner,
                             int *touched) {
    sp_tets *t = &s->tets;
    const int *tets = sp_mesh_tets(mesh);
    size_t w = (size_t)t->lanes, slot = (size_t)t->block_start[chunk] * w, end = (size_t)t->block_start[chunk + 1] * w;
    int n = 0;
    for (int k = 0; slot < end; k++, slot++) {
        // padding repeats the last element of the chunk with zero weight
        int e = elements[k < count ? k : count - 1], node[4];
        s->user_tet[slot] = k < count ? e : -1;
        for (size_t a = 0; a < 4; a++) {
            int user = tets[4 * (size_t)e + a], i = s->inner_node[user];
            node[a] = user;
            if (owner[i] != chunk) owner[i] = chunk, mark[i] = n, touched[n++] = i;
            size_t at = (slot / w * 4 + a) * w + slot % w;
            t->node[at] = i, t->local[at] = (uint16_t)mark[i];
            if (k < count && s->corner_of[i] == UINT32_MAX) s->corner_of[i] = (uint32_t)(4 * slot + a);
        }
        if (k < count) s->slot_of[e] = (int)slot;
        set_rest(s, sp_mesh_positions(mesh), slot, node);
        if (k >= count) s->volume[slot] = 0;
    }
    return n;
}

static sp_status build_tets(sp_context *ctx, sp_solid *s, const sp_mesh *mesh, const int *order, const int *start, int count) {
    sp_tets *t = &s->tets;
    int *mark = NULL, *owner = NULL, *touched = NULL, *list = NULL;
    sp_status status = SP_NO_MEMORY;
    t->lanes = s->be->lanes;
    if (!SP_NEW(ctx, t->block_start, count + 1)) return SP_NO_MEMORY;
    for (int c = 0; c < count; c++)
        t->block_start[c + 1] = t->block_start[c] + (start[c + 1] - start[c] + t->lanes - 1) / t->lanes;
    t->blocks = t->block_start[count];
    SP_TRY(allocate_tets(ctx, s));
    for (int i = 0; i < s->nodes; i++) s->corner_of[i] = UINT32_MAX;
    if (!SP_NEW(ctx, mark, s->nodes) || !SP_NEW(ctx, owner, s->nodes) || !SP_NEW(ctx, touched, 4 * (size_t)s->elements + 1) ||
        !SP_NEW(ctx, list, count + 1))
        goto done;
    for (int i = 0; i < s->nodes; i++) owner[i] = -1;
    for (int c = 0; c < count; c++)
        list[c + 1] =
            list[c] + layout_fill_chunk(s, mesh, order + start[c], start[c + 1] - start[c], c, mark, owner, touched + list[c]);
    status = sp__chunks_build(ctx, &t->chunks, s->nodes, count, list, touched);
done:
    sp__free(ctx, mark), sp__free(ctx, owner), sp__free(ctx, touched), sp__free(ctx, list);
    return status;
}

sp_status sp__solid_pack(sp_context *ctx, sp_solid *s, const sp_mesh *mesh) {
    int *order = NULL, *start = NULL;
    sp_status status = SP_NO_MEMORY;
    if (!SP_NEW(ctx, order, s->elements)) return status;
    if ((status = layout_sort_elements(ctx, s, sp_mesh_tets(mesh), order)) < 0) goto done;
    int count = cut_chunks(s, sp_mesh_tets(mesh), order, NULL);
    status = SP_NO_MEMORY;
    if (!SP_NEW(ctx, start, count + 1)) goto done;
    cut_chunks(s, sp_mesh_tets(mesh), order, start);
    status = build_tets(ctx, s, mesh, order, start, count);
done:
    sp__free(ctx, order), sp__free(ctx, start);
    return status;
}
