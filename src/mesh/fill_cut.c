// Cut points, where the material changes along lattice edges, and warping. A cut close to a vertex would create slivers. The
// vertex then moves to the cut and belongs to both materials, and its edges towards these materials are no longer cut (Labelle
// and Shewchuk 2007, section 3: "warping", with their safe parameters).
#include "math/vec3.h"
#include "mesh/fill.h"

enum { CHUNK = 32, ROOT_STEPS = 60 };

// warping distance relative to the edge length: edges along the axes, and edges from corner to centre
static const double ALPHA_LONG = 0.24999, ALPHA_SHORT = 0.41189;

// ------------------------------------------------------------------------------------------------ cuts

static uint64_t pair_key(int a, int b) {
    return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

int sp__fill_cut_between(const sp_fill *f, int a, int b) {
    if (sp__set_common(f->vertices[a].set, f->vertices[b].set)) return -1;
    return sp__hash_get(&f->cut_at, pair_key(a, b));
}

static bool add_cut(sp_fill *f, int a, int b) {
    if (f->vertices[a].own == f->vertices[b].own) return true;
    uint64_t key = pair_key(a, b);
    if (sp__hash_get(&f->cut_at, key) >= 0) return true;
    if (!SP_FILL_ROOM(f->ctx, f->cuts, f->cut_count, f->cut_capacity)) return false;
    f->cuts[f->cut_count] = (sp_fill_cut){.vertex = {a, b}, .material = {f->vertices[a].own, f->vertices[b].own}, .gone = false};
    return sp__hash_put(f->ctx, &f->cut_at, key, f->cut_count++);
}

// Root by false position (Illinois variant), with bisection if progress is slow: the function may jump.
static void find_root(const sp_fill *f, sp_fill_cut *cut) {
    const sp_fill_source *s = f->source;
    const double *a = f->vertices[cut->vertex[0]].x, *b = f->vertices[cut->vertex[1]].x;
    int ma = cut->material[0] - 1, mb = cut->material[1] - 1;
    double low = 0, high = 1, at_low = s->between(s->user, ma, mb, a), at_high = s->between(s->user, ma, mb, b), t = 0.5;
    at_low = at_low > 0 ? at_low : 0, at_high = at_high < 0 ? at_high : 0;
    for (int i = 0; i < ROOT_STEPS && high - low > 1e-9; i++) {
        bool halve = i % 3 == 2 || !(at_low > at_high);
        t = halve ? 0.5 * (low + high) : low + (high - low) * at_low / (at_low - at_high);
        for (int k = 0; k < 3; k++) cut->x[k] = a[k] + t * (b[k] - a[k]);
        double value = s->between(s->user, ma, mb, cut->x);
        if (value == 0) return;
        if (value > 0) {
            if (t - low < 1e-9 && low > 0) break;
            low = t, at_low = value, at_high *= halve ? 1 : 0.5;
        } else {
            if (high - t < 1e-9 && high < 1) break;
            high = t, at_high = value, at_low *= halve ? 1 : 0.5;
        }
    }
}

static void find_roots(void *arg, int task, int worker) {
    sp_fill *f = arg;
    (void)worker;
    int end = task * CHUNK + CHUNK < f->cut_count ? task * CHUNK + CHUNK : f->cut_count;
    for (int i = task * CHUNK; i < end; i++) find_root(f, &f->cuts[i]);
}

// ------------------------------------------------------------------------------------------------ moving vertices

static bool set_add(uint16_t *set, uint16_t m) {
    for (int i = 0; i < SP_FILL_SET; i++) {
        if (set[i] == m) return true;
        if (!set[i]) {
            set[i] = m;
            return true;
        }
    }
    return false;
}

// Warping distance of vertex v on this edge. It uses the smallest cell at v, so that no vertex moves further than its shortest
// edges allow.
static double too_near(const sp_fill *f, int v, int other) {
    const int *p = f->vertices[v].place, *q = f->vertices[other].place;
    double cell = f->tree.unit * (2 << f->vertices[v].level);
    int along = (p[0] != q[0]) + (p[1] != q[1]) + (p[2] != q[2]);
    return along == 1 ? ALPHA_LONG * cell : ALPHA_SHORT * 0.5 * sqrt(3) * cell;
}

// Takes the nearest cut to each other material that is within the warping distance and moves v to their mean. A cut on the outer
// surface has priority, so that an internal border does not dent the surface.
static bool move_vertex(sp_fill *f, int v, const int *list, int count) {
    sp_fill_vertex *vertex = &f->vertices[v];
    if (vertex->held) return false;
    struct {
        uint16_t material;
        double distance;
        const double *x;
    } best[SP_FILL_SET] = {{0}};
    int found = 0;
    for (int i = 0; i < count; i++) {
        const sp_fill_cut *cut = &f->cuts[list[i]];
        if (cut->gone) continue;
        int end = cut->vertex[0] == v;
        double d[3];
        sp__sub3(cut->x, vertex->x, d);
        double distance = sp__norm3(d);
        if (distance >= too_near(f, v, cut->vertex[end])) continue;
        int k = 0;
        while (k < found && best[k].material != cut->material[end]) k++;
        if (k == SP_FILL_SET - 1 || (k < found && distance >= best[k].distance)) continue;
        best[k].material = cut->material[end], best[k].distance = distance, best[k].x = cut->x;
        found += k == found;
    }
    if (!found) return false;
    double goal[3] = {0};
    for (int k = 0; k < found; k++) sp__axpy3(goal, 1.0 / found, best[k].x, goal);
    for (int k = 0; k < found; k++) {
        if (best[k].material == 1) memcpy(goal, best[k].x, sizeof goal);
        set_add(vertex->set, best[k].material);
    }
    memcpy(vertex->x, goal, sizeof goal);
    return true;
}

static void move_all(sp_fill *f, const int *start, const int *lists) {
    for (int v = 0; v < f->vertex_count; v++) {
        const int *list = lists + start[v];
        int count = start[v + 1] - start[v];
        if (!count || !move_vertex(f, v, list, count)) continue;
        for (int i = 0; i < count; i++) {
            sp_fill_cut *cut = &f->cuts[list[i]];
            if (sp__set_common(f->vertices[cut->vertex[0]].set, f->vertices[cut->vertex[1]].set)) cut->gone = true;
        }
    }
}

// sorts the cuts by vertex, then processes the vertices in order
static sp_status move_vertices(sp_fill *f) {
    int *start = NULL, *lists = NULL;
    sp_status status = SP_OK;
    if (!SP_NEW(f->ctx, start, (size_t)f->vertex_count + 2) || !SP_NEW(f->ctx, lists, 2 * (size_t)f->cut_count + 1)) {
        status = sp__fill_no_memory(f->ctx);
        goto done;
    }
    for (int i = 0; i < f->cut_count; i++)
        for (int e = 0; e < 2; e++) start[f->cuts[i].vertex[e] + 2]++;
    for (int v = 0; v < f->vertex_count; v++) start[v + 2] += start[v + 1];
    for (int i = 0; i < f->cut_count; i++)
        for (int e = 0; e < 2; e++) lists[start[f->cuts[i].vertex[e] + 1]++] = i;
    move_all(f, start, lists);
done:
    sp__free(f->ctx, start);
    sp__free(f->ctx, lists);
    return status;
}

// Keeps a cut away from a held vertex, to avoid flat elements.
static void keep_off(sp_fill *f, sp_fill_cut *cut) {
    static const double capacity = 0.05;
    for (int e = 0; e < 2; e++) {
        const sp_fill_vertex *v = &f->vertices[cut->vertex[e]];
        double edge[3], d[3];
        sp__sub3(f->vertices[cut->vertex[!e]].x, v->x, edge);
        sp__sub3(cut->x, v->x, d);
        if (v->held && sp__norm3(d) < capacity * sp__norm3(edge)) sp__axpy3(v->x, capacity, edge, cut->x);
    }
}

static void reset(sp_fill *f) {
    for (int i = 0; i < f->vertex_count; i++) {
        sp_fill_vertex *v = &f->vertices[i];
        memset(v->set, 0, sizeof v->set);
        v->set[0] = v->own;
        sp__octree_point(&f->tree, v->place, v->x);
    }
    f->cut_count = f->extra_count = f->tet_count = 0;
    sp__hash_free(f->ctx, &f->cut_at);
    sp__hash_free(f->ctx, &f->face_at);
}

sp_status sp__fill_cuts(sp_fill *f) {
    reset(f);
    for (int i = 0; i < f->cell_count; i++)
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < a; b++)
                if (!add_cut(f, f->cells[i][a], f->cells[i][b])) return sp__fill_no_memory(f->ctx);
    sp__parallel(f->ctx, (f->cut_count + CHUNK - 1) / CHUNK, find_roots, f);
    for (int i = 0; i < f->cut_count; i++) keep_off(f, &f->cuts[i]);
    return move_vertices(f);
}
