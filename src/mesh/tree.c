// Construction of the bounding volume hierarchy. Items are split by the cheapest of 15 planes across the longest extent of their
// centres, on single-precision boxes relative to the whole; exact boxes follow from the leaves up. Where no plane separates
// (equal centres, or a depth that only contrived input reaches), the list is halved, so that the depth stays bounded.
#include "mesh/tree.h"

#include <float.h>

enum { BINS = 16, DEPTH_BY_PLANES = 44 };  // 44 + log2(2^27 / 4) < SP_TREE_DEPTH

typedef struct piece {
    float low[3], high[3];
    int item;
} piece;

typedef struct bin {
    float low[3], high[3];
    int count;
} bin;

typedef struct task {
    int begin, end, depth, parent;  // parent: the node whose right child this is, -1: a left child or the root
} task;

void sp__tree_item_box(const sp_tree *t, int item, double low[3], double high[3]) {
    const int *c = t->items + (size_t)item * (size_t)t->corners;
    for (int k = 0; k < 3; k++) {
        low[k] = high[k] = t->x[3 * (size_t)c[0] + (size_t)k];
        for (int i = 1; i < t->corners; i++) {
            double v = t->x[3 * (size_t)c[i] + (size_t)k];
            low[k] = v < low[k] ? v : low[k];
            high[k] = v > high[k] ? v : high[k];
        }
    }
}

// ------------------------------------------------------------------------------------------------ pieces

static void make_pieces(const sp_tree *t, piece *pieces) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, a[3], b[3], extent = 0;
    for (int i = 0; i < t->count; i++) {
        sp__tree_item_box(t, i, a, b);
        for (int k = 0; k < 3; k++) low[k] = fmin(low[k], a[k]), high[k] = fmax(high[k], b[k]);
    }
    for (int k = 0; k < 3; k++) extent = fmax(extent, high[k] - low[k]);
    double scale = extent > 0 && isfinite(1 / extent) ? 1 / extent : 0;  // 0: all at one point, or the extent overflows
    for (int i = 0; i < t->count; i++) {
        sp__tree_item_box(t, i, a, b);
        pieces[i].item = i;
        for (int k = 0; k < 3 && scale > 0; k++) {
            pieces[i].low[k] = (float)((a[k] - low[k]) * scale);
            pieces[i].high[k] = (float)((b[k] - low[k]) * scale);
        }
    }
}

static float centre(const piece *p, int axis) {
    return p->low[axis] + p->high[axis];  // twice the centre: the same order as the centre
}

static void grow(bin *b, const float low[3], const float high[3]) {
    for (int k = 0; k < 3; k++) {
        b->low[k] = low[k] < b->low[k] ? low[k] : b->low[k];
        b->high[k] = high[k] > b->high[k] ? high[k] : b->high[k];
    }
}

static void clear(bin *b) {
    for (int k = 0; k < 3; k++) b->low[k] = FLT_MAX, b->high[k] = -FLT_MAX;
    b->count = 0;
}

static float half_area(const bin *b) {
    float x = b->high[0] - b->low[0], y = b->high[1] - b->low[1], z = b->high[2] - b->low[2];
    return x * y + y * z + z * x;
}

// ------------------------------------------------------------------------------------------------ planes

typedef struct plane {
    int axis;
    float from, scale;  // bin of a centre c: (c - from) scale
} plane;

static int bin_of(const plane *s, const piece *p) {
    int b = (int)((centre(p, s->axis) - s->from) * s->scale);
    return b < 0 ? 0 : b < BINS ? b : BINS - 1;
}

// the longest extent of the centres; false: all centres coincide
static bool choose_axis(const piece *p, int n, plane *s) {
    float low[3] = {FLT_MAX, FLT_MAX, FLT_MAX}, high[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            float c = centre(p + i, k);
            low[k] = c < low[k] ? c : low[k];
            high[k] = c > high[k] ? c : high[k];
        }
    s->axis = 0;
    for (int k = 1; k < 3; k++)
        if (high[k] - low[k] > high[s->axis] - low[s->axis]) s->axis = k;
    s->from = low[s->axis];
    s->scale = (float)BINS * (1 - FLT_EPSILON) / (high[s->axis] - low[s->axis]);
    return high[s->axis] > low[s->axis] && s->scale < FLT_MAX;
}

// last bin of the left side that minimises the sum over both sides of count times area
static int choose_bin(const bin bins[BINS]) {
    float right[BINS], best = FLT_MAX;
    bin sum;
    int at = -1;
    clear(&sum);
    for (int i = BINS - 1; i > 0; i--) {
        grow(&sum, bins[i].low, bins[i].high);
        sum.count += bins[i].count;
        right[i] = sum.count ? half_area(&sum) * (float)sum.count : FLT_MAX;
    }
    clear(&sum);
    for (int i = 0; i < BINS - 1; i++) {
        grow(&sum, bins[i].low, bins[i].high);
        sum.count += bins[i].count;
        float cost = sum.count && right[i + 1] < FLT_MAX ? half_area(&sum) * (float)sum.count + right[i + 1] : FLT_MAX;
        if (cost < best) best = cost, at = i;
    }
    return at;
}

// partitions pieces; returns the number on the left, in [1, n - 1]
static int part(piece *p, int n, int depth) {
    plane s;
    bin bins[BINS];
    if (depth >= DEPTH_BY_PLANES || !choose_axis(p, n, &s)) return n / 2;
    for (int i = 0; i < BINS; i++) clear(&bins[i]);
    for (int i = 0; i < n; i++) {
        bin *b = &bins[bin_of(&s, p + i)];
        grow(b, p[i].low, p[i].high);
        b->count++;
    }
    int last = choose_bin(bins), left = 0, right = n;
    if (last < 0) return n / 2;
    while (left < right) {
        if (bin_of(&s, p + left) <= last) {
            left++;
        } else {
            piece swap = p[left];
            p[left] = p[--right];
            p[right] = swap;
        }
    }
    return left > 0 && left < n ? left : n / 2;
}

// ------------------------------------------------------------------------------------------------ building

static void build(sp_tree *t, piece *pieces) {
    task stack[SP_TREE_DEPTH + 2];
    int top = 0;
    stack[top++] = (task){0, t->count, 0, -1};
    while (top > 0) {
        task now = stack[--top];
        int own = t->node_count++, n = now.end - now.begin;
        sp_tree_node *node = &t->nodes[own];
        node->first = now.begin, node->count = n;
        if (now.parent >= 0) t->nodes[now.parent].right = own;
        if (n <= SP_TREE_LEAF) continue;
        int middle = now.begin + part(pieces + now.begin, n, now.depth);
        // the left child is processed next: it is stored right after its parent
        stack[top++] = (task){middle, now.end, now.depth + 1, own};
        stack[top++] = (task){now.begin, middle, now.depth + 1, -1};
    }
    for (int i = 0; i < t->count; i++) t->order[i] = pieces[i].item;
}

static void leaf_box(const sp_tree *t, sp_tree_node *node) {
    sp__tree_item_box(t, t->order[node->first], node->low, node->high);
    for (int i = 1; i < node->count; i++) {
        double low[3], high[3];
        sp__tree_item_box(t, t->order[node->first + i], low, high);
        for (int k = 0; k < 3; k++) {
            node->low[k] = fmin(node->low[k], low[k]);
            node->high[k] = fmax(node->high[k], high[k]);
        }
    }
}

void sp__tree_refit(sp_tree *t, const double *x) {
    t->x = x;
    for (int i = t->node_count - 1; i >= 0; i--) {
        sp_tree_node *node = &t->nodes[i];
        if (!node->right) {
            leaf_box(t, node);
            continue;
        }
        const sp_tree_node *a = node + 1, *b = &t->nodes[node->right];
        for (int k = 0; k < 3; k++) node->low[k] = fmin(a->low[k], b->low[k]), node->high[k] = fmax(a->high[k], b->high[k]);
    }
}

sp_status sp__tree_create(sp_context *ctx, const double *x, const int *items, int count, int corners, sp_tree **out) {
    *out = NULL;
    SP_ASSERT(count >= 1 && (corners == 3 || corners == 4));
    sp_tree *t;
    piece *pieces = NULL;
    if (!SP_NEW(ctx, t, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a tree");
    *t = (sp_tree){.ctx = ctx, .x = x, .items = items, .count = count, .corners = corners};
    if (!SP_NEW(ctx, t->nodes, 2 * (size_t)count - 1) || !SP_NEW(ctx, t->order, count) || !SP_NEW(ctx, pieces, count)) {
        sp__tree_destroy(&t);
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a tree over %d elements", count);
    }
    make_pieces(t, pieces);
    build(t, pieces);
    sp__free(ctx, pieces);
    sp__tree_refit(t, x);
    *out = t;
    return SP_OK;
}

void sp__tree_destroy(sp_tree **handle) {
    if (!handle || !*handle) return;
    sp_tree *t = *handle;
    *handle = NULL;
    sp__free(t->ctx, t->nodes);
    sp__free(t->ctx, t->order);
    sp__free(t->ctx, t);
}
