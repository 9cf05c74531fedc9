// Bounding volume hierarchy: construction, and queries for nearest items, containing tetrahedra, rays, boxes and pairs.
#include "mesh/tree.h"

#include <float.h>

#include "math/vec3.h"

// ================================================================================================== construction

// Items are split by the cheapest of 15 planes across the longest extent of their centres (surface area heuristic), on
// single-precision boxes relative to the whole; exact boxes follow from the leaves up. If no plane separates the items (equal
// centres, or a depth that only contrived input reaches), the list is halved, so that the depth stays bounded.

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

static float tree_centre(const piece *p, int axis) {
    return p->low[axis] + p->high[axis];  // twice the centre: the same order as the centre
}

static void tree_grow(bin *b, const float low[3], const float high[3]) {
    for (int k = 0; k < 3; k++) {
        b->low[k] = low[k] < b->low[k] ? low[k] : b->low[k];
        b->high[k] = high[k] > b->high[k] ? high[k] : b->high[k];
    }
}

static void tree_clear(bin *b) {
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
    int b = (int)((tree_centre(p, s->axis) - s->from) * s->scale);
    return b < 0 ? 0 : b < BINS ? b : BINS - 1;
}

// the longest extent of the centres; false: all centres coincide
static bool choose_axis(const piece *p, int n, plane *s) {
    float low[3] = {FLT_MAX, FLT_MAX, FLT_MAX}, high[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            float c = tree_centre(p + i, k);
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
    tree_clear(&sum);
    for (int i = BINS - 1; i > 0; i--) {
        tree_grow(&sum, bins[i].low, bins[i].high);
        sum.count += bins[i].count;
        right[i] = sum.count ? half_area(&sum) * (float)sum.count : FLT_MAX;
    }
    tree_clear(&sum);
    for (int i = 0; i < BINS - 1; i++) {
        tree_grow(&sum, bins[i].low, bins[i].high);
        sum.count += bins[i].count;
        float cost = sum.count && right[i + 1] < FLT_MAX ? half_area(&sum) * (float)sum.count + right[i + 1] : FLT_MAX;
        if (cost < best) best = cost, at = i;
    }
    return at;
}

// partitions pieces; returns the number on the left, in [1, n - 1]
static int tree_part(piece *p, int n, int depth) {
    plane s;
    bin bins[BINS];
    if (depth >= DEPTH_BY_PLANES || !choose_axis(p, n, &s)) return n / 2;
    for (int i = 0; i < BINS; i++) tree_clear(&bins[i]);
    for (int i = 0; i < n; i++) {
        bin *b = &bins[bin_of(&s, p + i)];
        tree_grow(b, p[i].low, p[i].high);
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

// ------------------------------------------------------------------------------------------------ nodes

static void tree_build(sp_tree *t, piece *pieces) {
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
        int middle = now.begin + tree_part(pieces + now.begin, n, now.depth);
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
    tree_build(t, pieces);
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

// ========================================================================== nearest item, containing tetrahedron

// Ericson, Real-Time Collision Detection (2005), section 5.1.5: the Voronoi region that contains the projection of p.
double sp__nearest_on_triangle(const double *a, const double *b, const double *c, const double *p, double w[3]) {
    double ab[3], ac[3], ap[3], bp[3], cp[3], d[3];
    sp__sub3(b, a, ab), sp__sub3(c, a, ac), sp__sub3(p, a, ap), sp__sub3(p, b, bp), sp__sub3(p, c, cp);
    double d1 = sp__dot3(ab, ap), d2 = sp__dot3(ac, ap), d3 = sp__dot3(ab, bp), d4 = sp__dot3(ac, bp);
    double d5 = sp__dot3(ab, cp), d6 = sp__dot3(ac, cp);
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2, v = 0, u = 0;
    if (d1 <= 0 && d2 <= 0) {
        // corner a
    } else if (d3 >= 0 && d4 <= d3) {
        v = 1;
    } else if (d6 >= 0 && d5 <= d6) {
        u = 1;
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        v = d1 / (d1 - d3);
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        u = d2 / (d2 - d6);
    } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        u = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        v = 1 - u;
    } else {
        double s = 1 / (va + vb + vc);
        v = vb * s, u = vc * s;
    }
    w[0] = fmax(0, 1 - v - u), w[1] = v, w[2] = u;
    for (int k = 0; k < 3; k++) d[k] = ap[k] - v * ab[k] - u * ac[k];
    return sp__dot3(d, d);
}

// weights of the nodes of a tetrahedron at p; returns the smallest, NaN if the tetrahedron is flat
static double tet_weights(const sp_tree *t, int item, const double *p, double w[4]) {
    const int *c = t->items + 4 * (size_t)item;
    const double *x[4];
    for (int k = 0; k < 4; k++) x[k] = t->x + 3 * (size_t)c[k];
    sp__tet_weights(x, p, w);
    return fmin(fmin(w[0], w[1]), fmin(w[2], w[3]));
}

static double item_near(const sp_tree *t, int item, const double *p, double w[4]) {
    const int *c = t->items + (size_t)item * (size_t)t->corners;
    const double *x[4];
    for (int i = 0; i < t->corners; i++) x[i] = t->x + 3 * (size_t)c[i];
    if (t->corners == 3) {
        w[3] = 0;
        return sp__nearest_on_triangle(x[0], x[1], x[2], p, w);
    }
    if (tet_weights(t, item, p, w) >= 0) return 0;
    static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    double best = INFINITY, own[3];
    for (int f = 0; f < 4; f++) {
        double d2 = sp__nearest_on_triangle(x[face[f][0]], x[face[f][1]], x[face[f][2]], p, own);
        if (!(d2 < best)) continue;
        best = d2;
        w[0] = w[1] = w[2] = w[3] = 0;
        for (int k = 0; k < 3; k++) w[face[f][k]] = own[k];
    }
    return best;
}

static double box_distance2(const sp_tree_node *n, const double *p) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double d = p[k] < n->low[k] ? n->low[k] - p[k] : p[k] > n->high[k] ? p[k] - n->high[k] : 0;
        sum += d * d;
    }
    return sum;
}

static void leaf_near(const sp_tree *t, const sp_tree_node *n, const double *p, sp_tree_near *best) {
    double w[4];
    for (int i = n->first; i < n->first + n->count; i++) {
        double d2 = item_near(t, t->order[i], p, w);
        if (!(d2 < best->distance2 || (d2 == best->distance2 && (best->item < 0 || t->order[i] < best->item)))) continue;
        best->item = t->order[i], best->distance2 = d2;
        memcpy(best->weights, w, sizeof w);
    }
}

bool sp__tree_nearest(const sp_tree *t, const double p[3], double within, sp_tree_near *out) {
    struct {
        int node;
        double distance2;
    } stack[SP_TREE_DEPTH + 2];
    int top = 0;
    *out = (sp_tree_near){.item = -1, .distance2 = within * within};
    stack[top].node = 0, stack[top++].distance2 = box_distance2(t->nodes, p);
    while (top > 0) {
        top--;
        if (stack[top].distance2 > out->distance2) continue;
        const sp_tree_node *n = &t->nodes[stack[top].node];
        if (!n->right) {
            leaf_near(t, n, p, out);
            continue;
        }
        int a = stack[top].node + 1, b = n->right;
        double da = box_distance2(&t->nodes[a], p), db = box_distance2(&t->nodes[b], p);
        bool a_first = da <= db;
        stack[top].node = a_first ? b : a, stack[top++].distance2 = a_first ? db : da;
        stack[top].node = a_first ? a : b, stack[top++].distance2 = a_first ? da : db;
    }
    if (out->item < 0) return false;
    const int *c = t->items + (size_t)out->item * (size_t)t->corners;
    for (int i = 0; i < t->corners; i++) sp__axpy3(out->point, out->weights[i], t->x + 3 * (size_t)c[i], out->point);
    return true;
}

// ============================================================================================ rays, boxes, pairs

// ------------------------------------------------------------------------------------------------ rays

// A prepared ray: sheared so that it runs along its longest axis z (Woop, Benthin, Wald 2013). Both triangles of an edge compute
// the same number for the edge up to the sign, so no ray passes between them.
typedef struct ray {
    const double *origin, *direction;
    double inverse[3], t_max, shear[3];
    int kx, ky, kz;
} ray;

static ray make_ray(const double *origin, const double *direction, double t_max) {
    ray r = {.origin = origin, .direction = direction, .t_max = t_max};
    for (int k = 0; k < 3; k++) {
        r.inverse[k] = 1 / direction[k];
        if (fabs(direction[k]) > fabs(direction[r.kz])) r.kz = k;
    }
    r.kx = (r.kz + 1) % 3, r.ky = (r.kz + 2) % 3;
    r.shear[0] = direction[r.kx] / direction[r.kz], r.shear[1] = direction[r.ky] / direction[r.kz],
    r.shear[2] = 1 / direction[r.kz];
    return r;
}

static bool ray_hits_box(const ray *r, const sp_tree_node *n) {
    double from = 0, to = r->t_max;
    for (int k = 0; k < 3; k++) {
        if (r->direction[k] == 0) {
            if (r->origin[k] < n->low[k] || r->origin[k] > n->high[k]) return false;
            continue;
        }
        double a = (n->low[k] - r->origin[k]) * r->inverse[k], b = (n->high[k] - r->origin[k]) * r->inverse[k];
        // widened for three roundings in each direction: rounding must not miss the box (Ize 2013)
        double near = (a < b ? a : b), far = (a < b ? b : a) * (1 + 1e-15);
        near *= near > 0 ? 1 - 1e-15 : 1 + 1e-15;
        from = near > from ? near : from;
        to = far < to ? far : to;
    }
    return from <= to;
}

static bool ray_hits_item(const ray *r, const sp_tree *t, int item, sp_tree_hit *hit) {
    double x[3], y[3], z[3], e[3];
    for (int i = 0; i < 3; i++) {
        const double *c = t->x + 3 * (size_t)t->items[3 * (size_t)item + (size_t)i];
        double depth = c[r->kz] - r->origin[r->kz];
        x[i] = c[r->kx] - r->origin[r->kx] - r->shear[0] * depth;
        y[i] = c[r->ky] - r->origin[r->ky] - r->shear[1] * depth;
        z[i] = r->shear[2] * depth;
    }
    for (int i = 0; i < 3; i++) {
        int a = (i + 1) % 3, b = (i + 2) % 3;
        e[i] = x[a] * y[b] - y[a] * x[b];
    }
    if ((e[0] < 0 || e[1] < 0 || e[2] < 0) && (e[0] > 0 || e[1] > 0 || e[2] > 0)) return false;
    double det = e[0] + e[1] + e[2];
    if (det == 0) return false;
    *hit = (sp_tree_hit){.item = item, .weights = {e[0] / det, e[1] / det, e[2] / det}};
    for (int i = 0; i < 3; i++) hit->t += hit->weights[i] * z[i];
    // counter-clockwise seen along the ray in (x, y): the normal points along the ray if the axis runs upwards
    hit->outward = (det > 0) == (r->direction[r->kz] > 0);
    return hit->t >= 0 && hit->t <= r->t_max;
}

void sp__tree_hits(const sp_tree *t, const double origin[3], const double direction[3], double t_max,
                   bool (*visit)(void *user, const sp_tree_hit *hit), void *user) {
    SP_ASSERT(t->corners == 3);
    ray r = make_ray(origin, direction, t_max);
    int stack[SP_TREE_DEPTH + 2], top = 0;
    sp_tree_hit hit;
    if (r.direction[r.kz] == 0) return;
    stack[top++] = 0;
    while (top > 0) {
        int at = stack[--top];
        const sp_tree_node *n = &t->nodes[at];
        if (!ray_hits_box(&r, n)) continue;
        if (n->right) {
            stack[top++] = n->right;
            stack[top++] = at + 1;
            continue;
        }
        for (int i = n->first; i < n->first + n->count; i++)
            if (ray_hits_item(&r, t, t->order[i], &hit) && !visit(user, &hit)) return;
    }
}

// ------------------------------------------------------------------------------------------------ boxes and pairs

static bool hits_apart(const double *low_a, const double *high_a, const double *low_b, const double *high_b) {
    for (int k = 0; k < 3; k++)
        if (low_a[k] > high_b[k] || low_b[k] > high_a[k]) return true;
    return false;
}

typedef struct window {
    double low[3], high[3];
    int after;  // only items after this index in leaf order
} window;

// false: visit stopped the search
static bool walk_box(const sp_tree *t, const window *w, bool (*visit)(void *user, int item), void *user) {
    int stack[SP_TREE_DEPTH + 2], top = 0;
    double low[3], high[3];
    stack[top++] = 0;
    while (top > 0) {
        int at = stack[--top];
        const sp_tree_node *n = &t->nodes[at];
        if (n->first + n->count - 1 <= w->after || hits_apart(w->low, w->high, n->low, n->high)) continue;
        if (n->right) {
            stack[top++] = n->right;
            stack[top++] = at + 1;
            continue;
        }
        for (int i = n->first > w->after ? n->first : w->after + 1; i < n->first + n->count; i++) {
            sp__tree_item_box(t, t->order[i], low, high);
            if (!hits_apart(w->low, w->high, low, high) && !visit(user, t->order[i])) return false;
        }
    }
    return true;
}

void sp__tree_in_box(const sp_tree *t, const double low[3], const double high[3], bool (*visit)(void *user, int item),
                     void *user) {
    window w = {.after = -1};
    memcpy(w.low, low, sizeof w.low);
    memcpy(w.high, high, sizeof w.high);
    walk_box(t, &w, visit, user);
}

typedef struct pairing {
    bool (*visit)(void *user, int a, int b);
    void *user;
    int item;
} pairing;

static bool pair_up(void *user, int other) {
    const pairing *p = user;
    return p->item < other ? p->visit(p->user, p->item, other) : p->visit(p->user, other, p->item);
}

void sp__tree_pairs(const sp_tree *t, bool (*visit)(void *user, int a, int b), void *user) {
    pairing p = {.visit = visit, .user = user};
    for (int i = 0; i < t->count; i++) {
        window w = {.after = i};
        p.item = t->order[i];
        sp__tree_item_box(t, p.item, w.low, w.high);
        if (!walk_box(t, &w, pair_up, &p)) return;
    }
}
