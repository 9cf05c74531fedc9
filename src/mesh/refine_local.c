// Local refinement by longest edges (Rivara 1984; Rivara and Levin 1992). Selected elements mark their longest edge. An element
// with any marked edge also marks its longest one, until nothing changes. Then every element is bisected at its marked edges,
// longest first. All edges have one global order (length, then number), so two neighbours split their common face in the same way
// and there are no hanging nodes. Bisecting the longest edge first keeps the angles bounded.
#include "math/vec3.h"
#include "mesh/refine.h"

typedef struct pass {
    const sp_mesh *mesh;
    const unsigned char *selected;
    double edge;  // elements with a longer edge are refined; <= 0: all selected elements
    sp_tet_edges edges;
    double *length2;
    int *middle;  // per edge: 1 + the number of its new node, 0: not marked; while marking: 1
    int *queue;
    int marked;
    int *ends;
    unsigned char *on_surface;
    int *tets, *parent, tet_count;
} pass;

static sp_status no_memory(const pass *p) {
    return SP_FAIL(p->mesh->ctx, SP_NO_MEMORY, "no memory to refine %d tetrahedra", p->mesh->tet_count);
}

static void measure(pass *p) {
    for (size_t i = 0; i < (size_t)p->edges.count; i++) {
        double e[3];
        sp__sub3(p->mesh->x + 3 * (size_t)p->edges.ends[2 * i], p->mesh->x + 3 * (size_t)p->edges.ends[2 * i + 1], e);
        p->length2[i] = sp__dot3(e, e);
    }
}

static bool longer(const pass *p, int a, int b) {
    return p->length2[a] > p->length2[b] || (p->length2[a] == p->length2[b] && a > b);
}

static int longest(const pass *p, int tet) {
    const int *of = p->edges.of + 6 * (size_t)tet;
    int best = of[0];
    for (int k = 1; k < 6; k++)
        if (longer(p, of[k], best)) best = of[k];
    return best;
}

static void mark(pass *p, int edge) {
    if (p->middle[edge]) return;
    p->middle[edge] = 1;
    p->queue[p->marked++] = edge;
}

static void mark_all(pass *p) {
    for (int t = 0; t < p->mesh->tet_count; t++) {
        if (!p->selected[t]) continue;
        int edge = longest(p, t);
        if (!(p->edge > 0) || p->length2[edge] > p->edge * p->edge) mark(p, edge);
    }
    for (int i = 0; i < p->marked; i++)
        for (int k = p->edges.first[p->queue[i]]; k < p->edges.first[p->queue[i] + 1]; k++)
            mark(p, longest(p, p->edges.places[k] / 6));
}

// numbers new nodes in the order of edges, independent of the order of marking
static void number_middles(pass *p) {
    int n = 0;
    for (int e = 0; e < p->edges.count; e++) {
        if (!p->middle[e]) continue;
        p->ends[2 * n] = p->edges.ends[2 * (size_t)e], p->ends[2 * n + 1] = p->edges.ends[2 * (size_t)e + 1];
        p->middle[e] = ++n;
    }
    for (int f = 0; f < p->mesh->face_count; f++) {
        const int *c = p->mesh->faces + 3 * (size_t)f;
        for (int k = 0; k < 3; k++) {
            int m = p->middle[sp__tet_edges_at(&p->edges, c[k], c[(k + 1) % 3])];
            if (m) p->on_surface[m - 1] = 1;
        }
    }
}

// ------------------------------------------------------------------------------------------------ bisection

// nodes 0..3 are those of the parent; other entries hold their node number
typedef struct part {
    int corner[4];
    int node[4];
} part;

// the longest marked edge between two nodes of the parent, or -1
static int next_cut(const pass *p, int tet, const part *now, int *i, int *j) {
    int best = -1;
    for (int k = 0; k < 6; k++) {
        int a = sp__tet_edge[k][0], b = sp__tet_edge[k][1];
        if (now->corner[a] > 3 || now->corner[b] > 3) continue;
        int least = now->corner[a] < now->corner[b] ? now->corner[a] : now->corner[b],
            most = now->corner[a] + now->corner[b] - least;
        int local = least == 0 ? most - 1 : least + most;  // 01 02 03 12 13 23
        int edge = p->edges.of[6 * (size_t)tet + (size_t)local];
        if (p->middle[edge] && (best < 0 || longer(p, edge, best))) best = edge, *i = a, *j = b;
    }
    return best;
}

// splits a parent into at most 8 children; returns their number. tets == NULL: only counts
static int cut(const pass *p, int tet, int *tets) {
    part stack[8] = {0};
    int top = 0, count = 0, i = 0, j = 0;
    for (int k = 0; k < 4; k++) stack[0].corner[k] = k, stack[0].node[k] = p->mesh->tets[4 * (size_t)tet + (size_t)k];
    top = 1;
    while (top > 0) {
        part now = stack[--top], other = now;
        int edge = next_cut(p, tet, &now, &i, &j);
        if (edge < 0) {
            if (tets) memcpy(tets + 4 * (size_t)count, now.node, sizeof now.node);
            count++;
            continue;
        }
        now.corner[i] = other.corner[j] = 4;
        now.node[i] = other.node[j] = p->mesh->node_count + p->middle[edge] - 1;
        stack[top++] = now;
        stack[top++] = other;
    }
    return count;
}

static sp_status cut_all(pass *p) {
    sp_context *ctx = p->mesh->ctx;
    double total = 0;
    for (int t = 0; t < p->mesh->tet_count; t++) total += cut(p, t, NULL);
    if (total > SP_TETS_MAX)
        return SP_FAIL(ctx, SP_BAD_INPUT, "refining makes %g tetrahedra, must be at most %d", total, SP_TETS_MAX);
    if (!SP_NEW(ctx, p->tets, 4 * (size_t)total) || !SP_NEW(ctx, p->parent, (size_t)total)) return no_memory(p);
    for (int t = 0; t < p->mesh->tet_count; t++) {
        int n = cut(p, t, p->tets + 4 * (size_t)p->tet_count);
        for (int i = 0; i < n; i++) p->parent[p->tet_count++] = t;
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ passes

static sp_status run_pass(pass *p, sp_mesh **out) {
    sp_context *ctx = p->mesh->ctx;
    SP_TRY(sp__tet_edges_find(p->mesh, &p->edges));
    size_t n = (size_t)p->edges.count;
    if (!SP_NEW(ctx, p->length2, n) || !SP_NEW(ctx, p->middle, n) || !SP_NEW(ctx, p->queue, n)) return no_memory(p);
    measure(p);
    mark_all(p);
    if (p->marked == 0) return SP_OK;
    if (!SP_NEW(ctx, p->ends, 2 * (size_t)p->marked) || !SP_NEW(ctx, p->on_surface, p->marked)) return no_memory(p);
    number_middles(p);
    SP_TRY(cut_all(p));
    sp_refinement r = {p->mesh, p->marked, p->ends, p->on_surface, p->tet_count, p->tets, p->parent};
    return sp__refinement_mesh(&r, out);
}

static void free_pass(pass *p) {
    sp_context *ctx = p->mesh->ctx;
    sp__tet_edges_free(ctx, &p->edges);
    void *owned[] = {p->length2, p->middle, p->queue, p->ends, p->on_surface, p->tets, p->parent};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sp__free(ctx, owned[i]);
}

// One pass from *now to the refined mesh. Children of selected elements are selected. *done: nothing was left to refine.
static sp_status advance(sp_mesh **now, unsigned char **selected, double edge, bool *done) {
    sp_context *ctx = (*now)->ctx;
    pass p = {.mesh = *now, .selected = *selected, .edge = edge};
    sp_mesh *next = NULL;
    unsigned char *children = NULL;
    sp_status status = run_pass(&p, &next);
    *done = p.marked == 0;
    if (next && !SP_NEW(ctx, children, p.tet_count)) status = no_memory(&p);
    if (status == SP_OK && next) {
        for (int i = 0; i < p.tet_count; i++) children[i] = (*selected)[p.parent[i]];
        unsigned char *swap = *selected;
        *selected = children, children = swap;
    }
    free_pass(&p);
    sp__free(ctx, children);
    if (status < 0) {
        sp_mesh_destroy(&next);
    } else if (next) {
        sp_mesh_destroy(now);
        *now = next;
    }
    return status;
}

static sp_status select_elements(const sp_mesh *mesh, const sp_selection *selection, unsigned char **selected) {
    sp_context *ctx = mesh->ctx;
    int count = 0, *items = NULL;
    if (!SP_NEW(ctx, items, mesh->tet_count) || !SP_NEW(ctx, *selected, mesh->tet_count)) {
        sp__free(ctx, items);
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a selection among %d elements", mesh->tet_count);
    }
    sp_status status = sp_mesh_select(mesh, selection, SP_SELECT_ELEMENTS, items, mesh->tet_count, &count);
    for (int i = 0; i < count && status == SP_OK; i++) (*selected)[items[i]] = 1;
    sp__free(ctx, items);
    return status;
}

sp_status sp_mesh_refined_where(const sp_mesh *mesh, const sp_selection *selection, double edge, int times, sp_mesh **out) {
    enum { PASSES = 400 };  // three passes halve all edges: more passes than doubles can resolve
    sp_context *ctx = mesh->ctx;
    unsigned char *selected = NULL;
    sp_mesh *now = NULL;
    bool done = false;
    *out = NULL;
    if (isnan(edge) || edge == INFINITY) return SP_FAIL(ctx, SP_BAD_INPUT, "edge = %g m, must be finite", edge);
    if (!(edge > 0) && (times < 0 || times > 100))
        return SP_FAIL(ctx, SP_BAD_INPUT, "halved %d times, must be in [0, 100]", times);
    sp_status status = select_elements(mesh, selection, &selected);
    if (status == SP_OK) status = sp_mesh_transformed(mesh, NULL, NULL, &now);
    for (int i = 0; status == SP_OK && !done && i < (edge > 0 ? PASSES : times); i++)
        status = advance(&now, &selected, edge, &done);
    sp__free(ctx, selected);
    if (status < 0) sp_mesh_destroy(&now);
    *out = now;
    return status;
}
