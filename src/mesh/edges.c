// Edges of triangles. Sides are sorted by their larger end, then by their smaller end, in two counting passes: linear time for
// any surface. Equal sides become neighbours, and the order of the edges depends only on the vertex numbers.
#include "mesh/edges.h"

typedef struct sorter {
    const int *corners;
    int nodes;
    int *start;
} sorter;

static int end_of(const int *corners, int side, bool larger) {
    int a = sp__side_from(corners, side), b = sp__side_to(corners, side);
    return (a < b) == larger ? b : a;
}

static void sort_pass(const sorter *s, bool larger, const int *from, int n, int *to) {
    memset(s->start, 0, ((size_t)s->nodes + 1) * sizeof *s->start);
    for (int i = 0; i < n; i++) s->start[end_of(s->corners, from[i], larger) + 1]++;
    for (int i = 0; i < s->nodes; i++) s->start[i + 1] += s->start[i];
    for (int i = 0; i < n; i++) to[s->start[end_of(s->corners, from[i], larger)]++] = from[i];
}

// collects the sides with two valid (not negative) ends
static int edges_collect(const int *corners, int faces, int *of, int *sides) {
    int n = 0;
    for (int s = 0; s < 3 * faces; s++) {
        of[s] = -1;
        if (sp__side_from(corners, s) >= 0 && sp__side_to(corners, s) >= 0) sides[n++] = s;
    }
    return n;
}

// equal neighbours in `sides` form one edge
static void name(const int *corners, int n, sp_edges *e) {
    for (int i = 0; i < n; i++) {
        int side = e->sides[i], low = end_of(corners, side, false), high = end_of(corners, side, true);
        bool new = i == 0 || low != e->ends[2 * (size_t)e->count - 2] || high != e->ends[2 * (size_t)e->count - 1];
        if (new) {
            e->first[e->count] = i;
            e->ends[2 * (size_t)e->count] = low, e->ends[2 * (size_t)e->count + 1] = high;
            e->count++;
        }
        e->of[side] = e->count - 1;
    }
    e->first[e->count] = n;
}

sp_status sp__edges_find(sp_context *ctx, const int *corners, int faces, int nodes, sp_edges *out) {
    size_t sides = 3 * (size_t)faces;
    int *other = NULL, *start = NULL;
    sp_status status = SP_OK;
    *out = (sp_edges){0};
    if (!SP_NEW(ctx, out->ends, 2 * sides) || !SP_NEW(ctx, out->of, sides) || !SP_NEW(ctx, out->first, sides + 1) ||
        !SP_NEW(ctx, out->sides, sides) || !SP_NEW(ctx, other, sides) || !SP_NEW(ctx, start, (size_t)nodes + 1)) {
        status = SP_FAIL(ctx, SP_NO_MEMORY, "no memory for the edges of %d triangles", faces);
        goto done;
    }
    sorter s = {corners, nodes, start};
    int n = edges_collect(corners, faces, out->of, out->sides);
    sort_pass(&s, true, out->sides, n, other);
    sort_pass(&s, false, other, n, out->sides);
    name(corners, n, out);

done:
    sp__free(ctx, other);
    sp__free(ctx, start);
    return status;
}

void sp__edges_free(sp_context *ctx, sp_edges *e) {
    void *owned[] = {e->ends, e->of, e->first, e->sides};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sp__free(ctx, owned[i]);
    *e = (sp_edges){0};
}
