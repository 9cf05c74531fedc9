// A bounding volume hierarchy over tetrahedra, or over triangles as flat cells. Elements are sorted along a space-filling curve
// (Morton 1966) by their centres, and the tree halves that order. Its shape follows from the count alone: a node over m leaves is
// followed by the 2 m/2 - 1 nodes of its left half, then by those of its right half, and only boxes are stored.
//
// Points outside use the nearest element by distance and extrapolate its affine map. This is exact under every affine motion,
// linear in the nodes (so that forces transfer by a constant transpose), and continuous when the body rotates. Rejected: a
// clamped closest point with an offset needs a rotation for the offset, is not linear, and is wrong by the strain. Rejected: the
// largest minimum weight instead of the distance prefers large elements that may be far away. If the closest point is on an edge
// or a vertex, several elements are equally near; the one with the largest minimum weight amplifies the motion of its nodes
// least. A point beside a triangle has the weights of its projection onto the plane.
#include "map/locate.h"

#include "math/vec3.h"

enum {
    LEAF = 4,     // elements per leaf
    CHUNK = 256,  // points per task
    DEPTH = 40    // of the tree: log2 of the 2^29 leaves that an int can count, plus a margin
};
// relative difference below which distances are equal: the rounding of one closest point computed from two elements
static const double SAME = 1e-9;

struct sp_locator {
    sp_context *ctx;
    const double *x;
    const int *corners;
    int count, leaves;
    int *order;        // elements along the curve
    double (*box)[6];  // 2 leaves - 1 nodes: low, high
};

// ---------------------------------------------------------------------------------------------------- building

static const double *locate_corner(const sp_locator *l, int element, int k) {
    return l->x + 3 * (size_t)l->corners[4 * (size_t)element + (size_t)k];
}

static void locate_grow(double box[6], const double *x) {
    for (int k = 0; k < 3; k++) {
        if (x[k] < box[k]) box[k] = x[k];
        if (x[k] > box[3 + k]) box[3 + k] = x[k];
    }
}

static void empty(double box[6]) {
    for (int k = 0; k < 3; k++) box[k] = INFINITY, box[3 + k] = -INFINITY;
}

// 21 bits with two zero bits between each
static uint64_t locate_spread(uint64_t v) {
    v = (v | v << 32) & 0x001F00000000FFFFull;
    v = (v | v << 16) & 0x001F0000FF0000FFull;
    v = (v | v << 8) & 0x100F00F00F00F00Full;
    v = (v | v << 4) & 0x10C30C30C30C30C3ull;
    return (v | v << 2) & 0x1249249249249249ull;
}

static uint64_t curve_key(const sp_locator *l, int element, const double box[6]) {
    uint64_t key = 0;
    for (int k = 0; k < 3; k++) {
        double c = 0, width = box[3 + k] - box[k];
        for (int a = 0; a < 4; a++) c += 0.25 * locate_corner(l, element, a)[k];
        double s = width > 0 ? (c - box[k]) / width : 0;
        key |= locate_spread((uint64_t)(fmin(fmax(s, 0), 1) * 2097151.0)) << k;
    }
    return key;
}

// order = 0..n-1 by ascending key, stable: radix sort with eight passes of a byte
static void sort_by_key(int n, uint64_t *key, uint64_t *key2, int *order, int *order2) {
    for (int i = 0; i < n; i++) order[i] = i;
    for (int pass = 0; pass < 8; pass++) {
        size_t start[257] = {0};
        for (int i = 0; i < n; i++) start[(key[i] >> (8 * pass) & 255) + 1]++;
        for (int i = 0; i < 256; i++) start[i + 1] += start[i];
        for (int i = 0; i < n; i++) {
            size_t to = start[key[i] >> (8 * pass) & 255]++;
            key2[to] = key[i], order2[to] = order[i];
        }
        uint64_t *k = key;
        int *o = order;
        key = key2, key2 = k, order = order2, order2 = o;
    }
}

static sp_status sort_elements(sp_locator *l) {
    size_t n = (size_t)l->count;
    uint64_t *key = NULL, *key2 = NULL;
    int *order2 = NULL;
    sp_status status = SP_NO_MEMORY;
    double box[6];
    if (!SP_NEW(l->ctx, key, n) || !SP_NEW(l->ctx, key2, n) || !SP_NEW(l->ctx, order2, n)) goto done;
    empty(box);
    for (int e = 0; e < l->count; e++)
        for (int a = 0; a < 4; a++) locate_grow(box, locate_corner(l, e, a));
    for (int e = 0; e < l->count; e++) key[e] = curve_key(l, e, box);
    sort_by_key(l->count, key, key2, l->order, order2);
    status = SP_OK;
done:
    sp__free(l->ctx, key), sp__free(l->ctx, key2), sp__free(l->ctx, order2);
    return status;
}

static void fill_leaf(sp_locator *l, int leaf, double box[6]) {
    int end = leaf * LEAF + LEAF < l->count ? leaf * LEAF + LEAF : l->count;
    empty(box);
    for (int i = leaf * LEAF; i < end; i++)
        for (int a = 0; a < 4; a++) locate_grow(box, locate_corner(l, l->order[i], a));
}

// the depth is log2 of the count: recursion is shallow
static void fill_boxes(sp_locator *l, size_t node, int leaf, int leaves) {
    if (leaves == 1) {
        fill_leaf(l, leaf, l->box[node]);
        return;
    }
    int left = (leaves + 1) / 2;
    size_t right = node + 2 * (size_t)left;
    fill_boxes(l, node + 1, leaf, left);
    fill_boxes(l, right, leaf + left, leaves - left);
    memcpy(l->box[node], l->box[node + 1], sizeof *l->box);
    locate_grow(l->box[node], l->box[right]), locate_grow(l->box[node], l->box[right] + 3);
}

sp_status sp__locator_create(sp_context *ctx, const double *x, int elements, const int *corners, sp_locator **out) {
    sp_locator *l = *out = sp__alloc(ctx, 1, sizeof *l);
    if (!l) return SP_NO_MEMORY;
    *l = (sp_locator){
        .ctx = ctx, .x = x, .corners = corners, .count = elements, .leaves = (int)(((int64_t)elements + LEAF - 1) / LEAF)};
    if (elements == 0) return SP_OK;
    if (!SP_NEW(ctx, l->order, elements) || !SP_NEW(ctx, l->box, 2 * (size_t)l->leaves) || sort_elements(l) < 0) {
        sp__locator_destroy(out);
        return SP_NO_MEMORY;
    }
    fill_boxes(l, 0, 0, l->leaves);
    return SP_OK;
}

void sp__locator_destroy(sp_locator **locator) {
    sp_locator *l = *locator;
    if (!l) return;
    sp_context *ctx = l->ctx;
    sp__free(ctx, l->order), sp__free(ctx, l->box);
    sp__free(ctx, l);
    *locator = NULL;
}

// ---------------------------------------------------------------------------------------------------- one element

static bool is_triangle(const sp_locator *l, int element) {
    return l->corners[4 * (size_t)element + 2] == l->corners[4 * (size_t)element + 3];
}

// weights by Cramer's rule; returns the smallest, -infinity for an element without volume or area
static double weights_in(const sp_locator *l, int element, const double *p, double w[4]) {
    const double *x[4];
    for (int k = 0; k < 4; k++) x[k] = locate_corner(l, element, k);
    if (is_triangle(l, element))
        return sp__triangle_weights(x[0], x[1], x[2], p, w) == 0 ? -INFINITY : fmin(w[0], fmin(w[1], w[2]));
    if (sp__tet_weights(x, p, w) == 0) return -INFINITY;
    return fmin(fmin(w[0], w[1]), fmin(w[2], w[3]));
}

static double segment_distance2(const double *p, const double *a, const double *b) {
    double ab[3], ap[3], d[3];
    sp__sub3(b, a, ab), sp__sub3(p, a, ap);
    double length2 = sp__dot3(ab, ab), t = length2 > 0 ? sp__dot3(ap, ab) / length2 : 0;
    sp__axpy3(ap, -fmin(fmax(t, 0), 1), ab, d);
    return sp__dot3(d, d);
}

// distance to the plane if the projection is inside all three edges, otherwise to the nearest edge
static double triangle_distance2(const double *p, const double *a, const double *b, const double *c) {
    const double *v[3] = {a, b, c};
    double ab[3], ac[3], n[3], ap[3], edge[3], out[3];
    sp__sub3(b, a, ab), sp__sub3(c, a, ac), sp__sub3(p, a, ap);
    sp__cross3(ab, ac, n);
    double n2 = sp__dot3(n, n), h = sp__dot3(ap, n), best = INFINITY;
    bool over = n2 > 0;
    for (int k = 0; k < 3 && over; k++) {
        double from[3];
        sp__sub3(v[(k + 1) % 3], v[k], edge), sp__sub3(p, v[k], from);
        sp__cross3(edge, from, out);
        over = sp__dot3(out, n) >= 0;
    }
    if (over) return h * h / n2;
    for (int k = 0; k < 3; k++) best = fmin(best, segment_distance2(p, v[k], v[(k + 1) % 3]));
    return best;
}

// Squared distance of a point outside with known weights: only a face with the point on its outer side (the weight of the
// opposite node is negative) can be the nearest.
static double element_distance2(const sp_locator *l, int element, const double *p, const double w[4]) {
    double best = INFINITY;
    if (is_triangle(l, element))
        return triangle_distance2(p, locate_corner(l, element, 0), locate_corner(l, element, 1), locate_corner(l, element, 2));
    for (int a = 0; a < 4; a++)
        if (w[a] < 0)
            best = fmin(best, triangle_distance2(p, locate_corner(l, element, (a + 1) % 4),
                                                 locate_corner(l, element, (a + 2) % 4), locate_corner(l, element, (a + 3) % 4)));
    return best;
}

static double box_distance2(const double box[6], const double *p) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double d = p[k] < box[k] ? box[k] - p[k] : p[k] > box[3 + k] ? p[k] - box[3 + k] : 0;
        sum += d * d;
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------------- traversal

typedef struct place {
    size_t node;
    int leaf, leaves;
} place;

static void halves(const place *at, place *left, place *right) {
    int n = (at->leaves + 1) / 2;
    *left = (place){at->node + 1, at->leaf, n};
    *right = (place){at->node + 2 * (size_t)n, at->leaf + n, at->leaves - n};
}

static int leaf_end(const sp_locator *l, int leaf) {
    return leaf * LEAF + LEAF < l->count ? leaf * LEAF + LEAF : l->count;
}

// the lowest number among the elements that contain p; -1: none
static int holder(const sp_locator *l, const double *p, double w[4]) {
    place stack[DEPTH] = {{0, 0, l->leaves}};
    int depth = 1, best = -1;
    double trial[4];
    while (depth > 0) {
        place at = stack[--depth], left, right;
        if (box_distance2(l->box[at.node], p) > 0) continue;
        if (at.leaves > 1) {
            halves(&at, &left, &right);
            stack[depth++] = right, stack[depth++] = left;
            continue;
        }
        for (int i = at.leaf * LEAF; i < leaf_end(l, at.leaf); i++) {
            int e = l->order[i];
            if ((best >= 0 && e > best) || is_triangle(l, e) || !(weights_in(l, e, p, trial) >= 0)) continue;
            best = e;
            memcpy(w, trial, sizeof trial);
        }
    }
    return best;
}

typedef struct nearest {
    int element;
    double d2, least, w[4];
} nearest;

// nearer, or equally near with less extrapolation, or equal in both with a lower number
static void try_element(const sp_locator *l, int e, const double *p, nearest *best) {
    double box[6], w[4];
    empty(box);
    for (int a = 0; a < 4; a++) locate_grow(box, locate_corner(l, e, a));
    if (!(box_distance2(box, p) <= best->d2 * (1 + SAME))) return;
    double least = weights_in(l, e, p, w);
    if (least == -INFINITY) return;
    double d2 = element_distance2(l, e, p, w);
    if (!(d2 <= best->d2 * (1 + SAME))) return;
    bool nearer = d2<best->d2 *(1 - SAME), better = least> best->least || (least == best->least && e < best->element);
    if (best->element >= 0 && !nearer && !better) return;
    *best = (nearest){e, nearer || best->element < 0 ? d2 : fmin(d2, best->d2), least, {w[0], w[1], w[2], w[3]}};
}

// `hint`: an element that may be near, -1: none. It limits the search and does not change the result.
static nearest find_nearest(const sp_locator *l, const double *p, int hint) {
    place stack[DEPTH] = {{0, 0, l->leaves}};
    nearest best = {.element = -1, .d2 = INFINITY, .least = -INFINITY};
    int depth = 1;
    double w[4];
    if (hint >= 0 && (weights_in(l, hint, p, w) < 0 || is_triangle(l, hint)))
        best.d2 = element_distance2(l, hint, p, w) * (1 + 2 * SAME);
    while (depth > 0) {
        place at = stack[--depth], left, right;
        if (!(box_distance2(l->box[at.node], p) <= best.d2 * (1 + SAME))) continue;
        if (at.leaves > 1) {
            halves(&at, &left, &right);
            bool left_first = box_distance2(l->box[left.node], p) <= box_distance2(l->box[right.node], p);
            stack[depth++] = left_first ? right : left, stack[depth++] = left_first ? left : right;
            continue;
        }
        for (int i = at.leaf * LEAF; i < leaf_end(l, at.leaf); i++) try_element(l, l->order[i], p, &best);
    }
    return best;
}

static void locate(const sp_locator *l, const double point[3], int hint, sp_located *out) {
    *out = (sp_located){.element = -1};
    if (l->count == 0 || !isfinite(point[0] + point[1] + point[2])) return;
    out->element = holder(l, point, out->weights);
    if (out->element >= 0) return;
    nearest best = find_nearest(l, point, hint);
    out->element = best.element;
    memcpy(out->weights, best.w, sizeof out->weights);
    out->outside = best.element < 0 ? 0 : sqrt(best.d2);
}

typedef struct batch {
    const sp_locator *locator;
    int n;
    const double *points;
    sp_located *out;
} batch;

static void locate_chunk(void *arg, int task, int worker) {
    (void)worker;
    const batch *b = arg;
    int end = b->n - task * CHUNK < CHUNK ? b->n : task * CHUNK + CHUNK;
    // consecutive vertices of a surface are usually close: the last element is a good hint
    for (int i = task * CHUNK, hint = -1; i < end; i++) {
        locate(b->locator, b->points + 3 * (size_t)i, hint, &b->out[i]);
        hint = b->out[i].element;
    }
}

void sp__locate_all(const sp_locator *l, int n, const double *points, sp_located *out) {
    batch b = {l, n, points, out};
    sp__parallel(l->ctx, n / CHUNK + (n % CHUNK != 0), locate_chunk, &b);
}
