// Nested dissection by position (George 1973 on meshes): a plane divides the rows in two, the smallest separator between the
// halves is ordered last, and the halves are divided in the same way. Planes are tried across the axes and across the longest
// direction of the piece (Simon 1991), each at the median; separators then move to where the piece is thinner. Small pieces are
// ordered by minimum degree. This needs no library, and for boxes, rings and similar bodies it is about as good as a dissection
// of the graph.
#include "sparse/ordering_internal.h"

#include <float.h>

// ==================================================================================================== separators

// The separator of a bisection: a minimum vertex cover of the cut edges, from a maximum matching of their two ends (Konig 1931;
// used for separators by Pothen, Simon and Liou 1990). Searches grow alternating paths from free ends. A search that fails once
// always fails, and the vertices that it visited determine the cover.

enum { NEVER = -1, DEAD = -2 };

// searches an alternating path from a free row u of side a to a free row of side b, and flips it
static bool cover_augment(sp_cover *c, int u, int b, int search) {
    const sp_graph *G = c->G;
    int head = 0, tail = 0;
    c->queue[tail++] = u;
    while (head < tail) {
        int i = c->queue[head++];
        for (int e = G->start[i]; e < G->start[i + 1]; e++) {
            int j = G->near[e];
            if (c->side[j] != b || c->seen[j] == search || c->seen[j] == DEAD) continue;
            c->seen[j] = search;
            c->from[j] = i;
            if (c->mate[j] >= 0) {
                c->queue[tail++] = c->mate[j];
                continue;
            }
            while (j >= 0) {  // a free end: flip the path
                int k = c->from[j], next = c->mate[k];
                c->mate[j] = k;
                c->mate[k] = j;
                j = next;
            }
            return true;
        }
    }
    // failed: the rows of a in the queue and all rows they reach stay out of later searches
    for (int k = 0; k < tail; k++) {
        int i = c->queue[k];
        c->seen[i] = DEAD;
        for (int e = G->start[i]; e < G->start[i + 1]; e++)
            if (c->side[G->near[e]] == b) c->seen[G->near[e]] = DEAD;
    }
    return false;
}

// initial matching: the first free neighbour gives most pairs
static void match_greedily(sp_cover *c, const int *item, int count, int a, int b) {
    const sp_graph *G = c->G;
    for (int k = 0; k < count; k++) {
        int i = item[k];
        if (c->side[i] != a) continue;
        for (int e = G->start[i]; e < G->start[i + 1] && c->mate[i] < 0; e++) {
            int j = G->near[e];
            if (c->side[j] == b && c->mate[j] < 0) c->mate[i] = j, c->mate[j] = i;
        }
    }
}

int sp__cover_cut(sp_cover *c, const int *item, int count, int a, int b) {
    int cut = 0;
    match_greedily(c, item, count, a, b);
    for (int k = 0; k < count; k++)
        if (c->side[item[k]] == a && c->mate[item[k]] < 0) cover_augment(c, item[k], b, item[k]);
    // matched rows of a that no search visited, and rows of b that one visited
    for (int k = 0; k < count; k++) {
        int i = item[k];
        bool in = c->side[i] == a ? c->mate[i] >= 0 && c->seen[i] != DEAD : c->seen[i] == DEAD;
        if (in) c->side[i] = SP_SIDE_CUT, cut++;
    }
    for (int k = 0; k < count; k++) c->mate[item[k]] = c->seen[item[k]] = NEVER;
    return cut;
}

// ======================================================================================================== leaves

// Exact minimum degree on a few rows, with bit sets: the base case of nested dissection. Rows outside count for the degree but
// are never eliminated; if there are too many of them, some share a bit, which makes degrees slightly too small.

enum { BITS = 320, WORDS = BITS / 64 };

typedef struct row_set {
    uint64_t word[WORDS];
} row_set;

static void leaf_add(row_set *s, int i) {
    s->word[i / 64] |= UINT64_C(1) << (i % 64);
}

static bool leaf_has(const row_set *s, int i) {
    return s->word[i / 64] >> (i % 64) & 1;
}

static int count_bits(uint64_t v) {
    v -= v >> 1 & UINT64_C(0x5555555555555555);
    v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
    v = (v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int)(v * UINT64_C(0x0101010101010101) >> 56);
}

static int size_of(const row_set *s) {
    int n = 0;
    for (int w = 0; w < WORDS; w++) n += count_bits(s->word[w]);
    return n;
}

// neighbours of each row as bits: rows of the leaf first, then outside rows in the order of their discovery
static void leaf_gather(const sp_graph *G, const int *item, int count, int *local, row_set *near) {
    int outside = 0;
    for (int k = 0; k < count; k++) local[item[k]] = k;
    for (int k = 0; k < count; k++)
        for (int e = G->start[item[k]]; e < G->start[item[k] + 1]; e++) {
            int j = G->near[e];
            if (local[j] < 0) local[j] = count + outside++ % (BITS - count);
            leaf_add(&near[k], local[j]);
        }
    for (int k = 0; k < count; k++) {
        local[item[k]] = -1;
        for (int e = G->start[item[k]]; e < G->start[item[k] + 1]; e++) local[G->near[e]] = -1;
    }
}

// eliminates row v: its neighbours become neighbours of each other
static void leaf_eliminate(row_set *near, int *degree, int count, int v) {
    for (int i = 0; i < count; i++) {
        if (degree[i] < 0 || i == v || !leaf_has(&near[i], v)) continue;
        for (int w = 0; w < WORDS; w++) near[i].word[w] |= near[v].word[w];
        near[i].word[v / 64] &= ~(UINT64_C(1) << (v % 64));
        near[i].word[i / 64] &= ~(UINT64_C(1) << (i % 64));
        degree[i] = size_of(&near[i]);
    }
    degree[v] = -1;
}

void sp__leaf_order(const sp_graph *G, int *item, int count, int *local) {
    row_set near[SP_LEAF_MOST] = {0};
    int degree[SP_LEAF_MOST], order[SP_LEAF_MOST];
    leaf_gather(G, item, count, local, near);
    for (int i = 0; i < count; i++) degree[i] = size_of(&near[i]);
    for (int k = 0; k < count; k++) {
        int best = -1;
        for (int i = 0; i < count; i++)
            if (degree[i] >= 0 && (best < 0 || degree[i] < degree[best])) best = i;
        order[k] = item[best];
        leaf_eliminate(near, degree, count, best);
    }
    memcpy(item, order, sizeof *order * (size_t)count);
}

// ==================================================================================================== dissection

enum { STACK = 256, LEAF = 64, DIRECTIONS = 4, WALKS = 8 };

static const double SHORT =
    0.7;  // directions in which the extent of a piece is below this share of its longest extent are not tried

typedef struct dissection {
    const sp_graph *G;
    const double *points;
    sp_cover cover;
    double *along;        // coordinate of each row along the current direction
    unsigned char *best;  // sides of the best separator so far
    int *local;           // of sp__leaf_order
    int *spare;           // n
} dissection;

// ------------------------------------------------------------------------------------------------ directions

// second moments of the positions about their mean
static void geometric_moments(const dissection *d, const int *item, int count, double M[3][3]) {
    double mean[3] = {0};
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) mean[k] += d->points[3 * (size_t)item[i] + (size_t)k] / count;
    for (int i = 0; i < count; i++) {
        double x[3];
        for (int k = 0; k < 3; k++) x[k] = d->points[3 * (size_t)item[i] + (size_t)k] - mean[k];
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++) M[k][l] += x[k] * x[l];
    }
}

// The axes, and the direction of the largest moment: powers of the matrix by squaring, which is precise enough for a cut. Returns
// the number of directions.
static int choose_directions(const dissection *d, const int *item, int count, double out[DIRECTIONS][3]) {
    double M[3][3] = {{0}}, P[3][3];
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) out[k][l] = k == l;
    geometric_moments(d, item, count, M);
    for (int squared = 0; squared < 6; squared++) {
        double trace = M[0][0] + M[1][1] + M[2][2];
        if (!(trace > DBL_MIN && trace < DBL_MAX)) return 3;
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++) P[k][l] = (M[k][0] * M[0][l] + M[k][1] * M[1][l] + M[k][2] * M[2][l]) / (trace * trace);
        memcpy(M, P, sizeof P);
    }
    int longest = 0;  // the column of the power that is furthest from zero
    for (int k = 1; k < 3; k++)
        if (M[k][k] > M[longest][longest]) longest = k;
    double length = sqrt(M[0][longest] * M[0][longest] + M[1][longest] * M[1][longest] + M[2][longest] * M[2][longest]);
    for (int k = 0; k < 3; k++) out[3][k] = M[k][longest] / length;
    return length > 0 ? DIRECTIONS : 3;
}

// ------------------------------------------------------------------------------------------------ the cut

// a total order, so that rows at the same position are divided too
static bool geometric_before(const dissection *d, int i, int j) {
    return d->along[i] != d->along[j] ? d->along[i] < d->along[j] : i < j;
}

// partitions items so that those before `middle` come first in the order (quickselect, Hoare 1961)
static void select_middle(const dissection *d, int *item, int count, int middle) {
    int low = 0, high = count - 1;
    uint32_t state = 1;
    while (low < high) {
        state = state * 1664525u + 1013904223u;
        int pivot = item[low + (int)((state >> 8) % (uint32_t)(high - low + 1))], i = low, j = high;
        while (i <= j) {
            while (geometric_before(d, item[i], pivot)) i++;
            while (geometric_before(d, pivot, item[j])) j--;
            if (i <= j) {
                int t = item[i];
                item[i++] = item[j];
                item[j--] = t;
            }
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

// coordinates of the rows along u; returns their extent
static double geometric_project(const dissection *d, const double u[3], const int *item, int count) {
    double low = DBL_MAX, high = -DBL_MAX;
    for (int i = 0; i < count; i++) {
        const double *x = d->points + 3 * (size_t)item[i];
        double t = u[0] * x[0] + u[1] * x[1] + u[2] * x[2];
        d->along[item[i]] = t;
        low = t < low ? t : low;
        high = t > high ? t : high;
    }
    return high - low;
}

// Divides the rows in two by their coordinates, which cover `extent`. On most meshes rows are in layers: a layer is not divided
// if one of its sides is near enough to the middle.
static void geometric_part(const dissection *d, double extent, int *item, int count) {
    int middle = count / 2, below = 0, up_to = 0, least = count / 3;
    select_middle(d, item, count, middle);
    double x = d->along[item[middle]], same = 1e-6 * extent, cut = NAN;
    for (int i = 0; i < count; i++) {
        below += d->along[item[i]] < x - same;
        up_to += d->along[item[i]] <= x + same;
    }
    if (middle - below <= up_to - middle && below >= least) cut = x - same;
    if (middle - below > up_to - middle && count - up_to >= least) cut = x + same;
    for (int i = 0; i < count; i++) {
        bool in_a = isnan(cut) ? i < middle : d->along[item[i]] < cut;
        d->cover.side[item[i]] = in_a ? SP_SIDE_A : SP_SIDE_B;
    }
}

static void count_sides(const dissection *d, const int *item, int count, int n[4]) {
    memset(n, 0, 4 * sizeof *n);
    for (int i = 0; i < count; i++) n[d->cover.side[item[i]]]++;
}

// cost of a separator: its rows over the number of row pairs that it separates; less is better
static double separator_cost(const int n[4]) {
    return n[SP_SIDE_A] && n[SP_SIDE_B] ? (n[SP_SIDE_CUT] + 0.1) / ((double)n[SP_SIDE_A] * n[SP_SIDE_B]) : DBL_MAX;
}

// keeps the current separator if it costs less than the best so far
static bool keep_if_better(dissection *d, const int *item, int count, double *least) {
    int n[4];
    count_sides(d, item, count, n);
    double now = separator_cost(n);
    if (now >= *least) return false;
    *least = now;
    for (int i = 0; i < count; i++) d->best[item[i]] = d->cover.side[item[i]];
    return true;
}

// A separator and its two sides define another bisection: if the separator counts to one side, the vertex cover that takes most
// rows from the other side moves the separator there and never enlarges it (Ashcraft and Liu 1998).
static bool step_into(dissection *d, const int *item, int count, int side, double *least) {
    int other = SP_SIDE_A + SP_SIDE_B - side;
    for (int i = 0; i < count; i++) {
        int now = d->best[item[i]];
        d->cover.side[item[i]] = (unsigned char)(now == SP_SIDE_CUT ? other : now);
    }
    sp__cover_cut(&d->cover, item, count, side, other);
    return keep_if_better(d, item, count, least);
}

// moves into the larger side, or else into the other, as long as the cost decreases
static void improve_separator(dissection *d, const int *item, int count, double *least) {
    for (int step = 0; step < WALKS; step++) {
        int n[4] = {0};
        for (int i = 0; i < count; i++) n[d->best[item[i]]]++;
        if (!n[SP_SIDE_CUT]) return;
        int large = n[SP_SIDE_A] > n[SP_SIDE_B] ? SP_SIDE_A : SP_SIDE_B;
        if (!step_into(d, item, count, large, least) && !step_into(d, item, count, SP_SIDE_A + SP_SIDE_B - large, least)) return;
    }
}

// ------------------------------------------------------------------------------------------------ pieces

// sorts items to [side A, side B, separator], each in its previous order; writes the sizes
static void geometric_arrange(dissection *d, int *item, int count, int sizes[3]) {
    int at = 0;
    memcpy(d->spare, item, sizeof *item * (size_t)count);
    for (int s = SP_SIDE_A; s <= SP_SIDE_CUT; s++) {
        int begin = at;
        for (int i = 0; i < count; i++)
            if (d->best[d->spare[i]] == s) item[at++] = d->spare[i];
        sizes[s - SP_SIDE_A] = at - begin;
    }
    for (int i = 0; i < count; i++) d->cover.side[item[i]] = SP_SIDE_NONE;
}

// false: no separator is worth its size, and the piece is not divided
static bool geometric_split(dissection *d, int *item, int count, int sizes[3]) {
    double directions[DIRECTIONS][3], extent[DIRECTIONS], widest = 0, least = INFINITY;
    int tried = choose_directions(d, item, count, directions);
    for (int k = 0; k < tried; k++) {
        extent[k] = geometric_project(d, directions[k], item, count);
        widest = extent[k] > widest ? extent[k] : widest;
    }
    for (int k = 0; k < tried; k++) {
        if (extent[k] < SHORT * widest) continue;
        geometric_project(d, directions[k], item, count);
        geometric_part(d, extent[k], item, count);
        sp__cover_cut(&d->cover, item, count, SP_SIDE_A, SP_SIDE_B);
        keep_if_better(d, item, count, &least);
    }
    improve_separator(d, item, count, &least);
    geometric_arrange(d, item, count, sizes);
    return 3 * sizes[2] < count && sizes[0] && sizes[1];
}

static void geometric_dissect(dissection *d, int *item, int count) {
    struct {
        int begin, count;
    } stack[STACK];
    int top = 0, sizes[3];
    stack[top].begin = 0, stack[top++].count = count;
    while (top) {
        int begin = stack[--top].begin, n = stack[top].count;
        if (n > LEAF && top + 2 < STACK && geometric_split(d, item + begin, n, sizes)) {
            stack[top].begin = begin, stack[top++].count = sizes[0];
            stack[top].begin = begin + sizes[0], stack[top++].count = sizes[1];
        } else if (n <= SP_LEAF_MOST) {
            sp__leaf_order(d->G, item + begin, n, d->local);
        }
    }
}

sp_status sp__order_geometric(sp_context *ctx, const sp_graph *G, const double *points, int *perm) {
    size_t n = (size_t)G->n;
    dissection d = {.G = G, .points = points, .cover = {.G = G}};
    sp_status status = SP_OK;
    for (size_t i = 0; i < 3 * n; i++)
        if (!isfinite(points[i]))
            return SP_FAIL(ctx, SP_NOT_FINITE, "position of row %zu: coordinate %zu is not finite", i / 3, i % 3);
    if (!SP_NEW(ctx, d.cover.side, n) || !SP_NEW(ctx, d.cover.mate, n) || !SP_NEW(ctx, d.cover.seen, n) ||
        !SP_NEW(ctx, d.cover.queue, n) || !SP_NEW(ctx, d.cover.from, n) || !SP_NEW(ctx, d.local, n) || !SP_NEW(ctx, d.spare, n) ||
        !SP_NEW(ctx, d.along, n) || !SP_NEW(ctx, d.best, n)) {
        status = SP_FAIL(ctx, SP_NO_MEMORY, "no memory to order %d rows", G->n);
        goto done;
    }
    for (int i = 0; i < G->n; i++) perm[i] = i, d.local[i] = d.cover.mate[i] = d.cover.seen[i] = -1;
    geometric_dissect(&d, perm, G->n);
done:;
    void *arrays[] = {d.cover.side, d.cover.mate, d.cover.seen, d.cover.queue, d.cover.from, d.local, d.spare, d.along, d.best};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) sp__free(ctx, arrays[i]);
    return status;
}
