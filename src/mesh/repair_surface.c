// Repairs of surfaces: the same as for tetrahedra, then consistent orientation.
//
// From the lowest triangle of each part a flood fill crosses the edges with exactly two triangles and flips inconsistent
// neighbours. If it flipped more than half of the part, the other triangles are flipped instead. A closed part that then encloses
// a negative volume is flipped as a whole, unless an odd number of other parts contains it: then it is a cavity.
#include "mesh/edges.h"
#include "mesh/examine.h"
#include "mesh/repair.h"
#include "mesh/weld.h"

typedef struct flood {
    sp_repair *r;
    int count;         // remaining triangles
    int *faces, *own;  // their vertices, and their numbers in the definition
    sp_edges edges;
    int *part;  // per triangle: the lowest triangle of its part
    unsigned char *turn;
    unsigned char *bad;  // per part: open, branching or not orientable
    int *queue, *depth;
    double *volumes;
    unsigned char *ask;
} flood;

static sp_status no_memory(const flood *f) {
    return SP_FAIL(f->r->ctx, SP_NO_MEMORY, "no memory to orient %d triangles", f->r->element_count);
}

static bool allocate(flood *f) {
    sp_context *ctx = f->r->ctx;
    size_t n = (size_t)f->r->element_count;
    return SP_NEW(ctx, f->faces, 3 * n) && SP_NEW(ctx, f->own, n) && SP_NEW(ctx, f->part, n) && SP_NEW(ctx, f->turn, n) &&
           SP_NEW(ctx, f->bad, n) && SP_NEW(ctx, f->queue, n) && SP_NEW(ctx, f->depth, n) && SP_NEW(ctx, f->volumes, n) &&
           SP_NEW(ctx, f->ask, n);
}

static void collect(flood *f) {
    for (int i = 0; i < f->r->element_count; i++) {
        if (!sp__repair_keeps(f->r, i)) continue;
        memcpy(f->faces + 3 * (size_t)f->count, f->r->welded + 3 * (size_t)i, 3 * sizeof *f->faces);
        f->own[f->count++] = i;
    }
}

// whether the two sides of an edge run in the same direction at present
static bool against(const flood *f, int s, int t) {
    bool alike = f->faces[s] == f->faces[t];
    return alike != (f->turn[s / 3] != f->turn[t / 3]);
}

// processes one part from its lowest triangle; returns its size
static int spread(flood *f, int seed) {
    int head = 0, tail = 0, turned = 0;
    f->queue[tail++] = seed;
    f->part[seed] = seed;
    while (head < tail) {
        int face = f->queue[head++];
        for (int s = 3 * face; s < 3 * face + 3; s++) {
            const int *side = f->edges.sides + f->edges.first[f->edges.of[s]];
            int n = f->edges.first[f->edges.of[s] + 1] - f->edges.first[f->edges.of[s]];
            if (n != 2) continue;
            int t = side[0] == s ? side[1] : side[0];
            if (f->part[t / 3] >= 0) continue;
            f->part[t / 3] = seed;
            f->turn[t / 3] = against(f, s, t);
            turned += f->turn[t / 3];
            f->queue[tail++] = t / 3;
        }
    }
    for (int i = 0; i < tail && 2 * turned > tail; i++) f->turn[f->queue[i]] ^= 1;
    return tail;
}

static void judge_parts(flood *f) {
    for (int e = 0; e < f->edges.count; e++) {
        const int *side = f->edges.sides + f->edges.first[e];
        int n = f->edges.first[e + 1] - f->edges.first[e];
        bool clash = n == 2 && against(f, side[0], side[1]);
        f->r->done.unorientable += clash;
        for (int k = 0; k < n && (n != 2 || clash); k++) f->bad[f->part[side[k] / 3]] = 1;
    }
}

static void turn_corners(flood *f) {
    for (int i = 0; i < f->count; i++) {
        if (!f->turn[i]) continue;
        int *c = f->faces + 3 * (size_t)i, swap = c[1];
        c[1] = c[2], c[2] = swap;
    }
}

static sp_status face_outwards(flood *f) {
    bool whole = true;
    int asked = 0;
    turn_corners(f);
    sp__shell_volumes(f->r->x, f->faces, f->count, f->part, f->volumes);
    for (int i = 0; i < f->count; i++)
        if (f->part[i] == i && !f->bad[i] && f->volumes[i] < 0) f->ask[i] = 1, asked++;
    if (!asked) return SP_OK;
    SP_TRY(sp__shell_depths(f->r->ctx, f->r->x, f->faces, f->count, f->part, f->bad, f->ask, f->depth, &whole));
    for (int i = 0; i < f->count; i++)
        if (f->ask[f->part[i]] && f->depth[f->part[i]] % 2 == 0) f->turn[i] ^= 1;
    return SP_OK;
}

sp_status sp__repair_orient(sp_repair *r) {
    flood f = {.r = r};
    sp_status status = allocate(&f) ? SP_OK : no_memory(&f);
    if (status == SP_OK) {
        collect(&f);
        status = sp__edges_find(r->ctx, f.faces, f.count, r->node_count, &f.edges);
    }
    if (status == SP_OK) {
        for (int i = 0; i < f.count; i++) f.part[i] = -1;
        for (int i = 0; i < f.count; i++)
            if (f.part[i] < 0) spread(&f, i);
        judge_parts(&f);
        status = face_outwards(&f);
    }
    for (int i = 0; i < f.count && status == SP_OK; i++) r->turned[f.own[i]] = f.turn[i];
    sp__edges_free(r->ctx, &f.edges);
    void *owned[] = {f.faces, f.own, f.part, f.turn, f.bad, f.queue, f.depth, f.volumes, f.ask};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sp__free(r->ctx, owned[i]);
    return status;
}

// ------------------------------------------------------------------------------------------------ the surface

typedef struct carried {
    int *face_texcoords, *face_normals;
    double *colors;
} carried;

// Corner indices of the remaining triangles. Without such indices, the vertex numbers from before welding are used, so that a
// seam stays.
static void follow_corners(const sp_repair *r, const int *from, int *to) {
    for (size_t i = 0; i < (size_t)r->element_count; i++) {
        if (r->element_new[i] < 0) continue;
        int *c = to + 3 * (size_t)r->element_new[i];
        for (size_t k = 0; k < 3; k++) c[k] = from ? from[3 * i + k] : r->elements[3 * i + k];
        int swap = c[2];
        if (r->turned[i]) c[2] = c[1], c[1] = swap;
    }
}

static sp_status make_surface(sp_repair *r, const sp_trimesh_def *def, sp_trimesh **out) {
    sp_trimesh_def d = *def;
    carried c = {0};
    size_t corners = 3 * (size_t)r->elements_left;
    sp_status status;
    if (SP_NEW(r->ctx, c.face_texcoords, corners) && SP_NEW(r->ctx, c.face_normals, corners) &&
        SP_NEW(r->ctx, c.colors, 4 * (size_t)r->nodes_left)) {
        d.vertex_count = r->nodes_left, d.positions = r->x_left;
        d.face_count = r->elements_left, d.faces = r->elements_left_corners;
        follow_corners(r, def->face_texcoords, c.face_texcoords);
        follow_corners(r, def->face_normals, c.face_normals);
        d.face_texcoords = def->texcoords ? c.face_texcoords : NULL;
        d.face_normals = def->normals ? c.face_normals : NULL;
        for (int i = r->node_count - 1; i >= 0 && def->colors; i--)
            if (r->node_new[i] >= 0)
                memcpy(c.colors + 4 * (size_t)r->node_new[i], def->colors + 4 * (size_t)i, 4 * sizeof *c.colors);
        d.colors = def->colors ? c.colors : NULL;
        d.groups = r->with.groups, d.group_count = r->with.group_count;
        d.arrays = r->with.arrays, d.array_count = r->with.array_count;
        status = sp_trimesh_create(r->ctx, &d, out);
    } else {
        status = SP_FAIL(r->ctx, SP_NO_MEMORY, "no memory for a repaired surface");
    }
    void *owned[] = {c.face_texcoords, c.face_normals, c.colors};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sp__free(r->ctx, owned[i]);
    return status;
}

static sp_status check(sp_context *ctx, const sp_trimesh_def *def, const sp_examine_options *o) {
    if (def->cookie != SP_COOKIE_TRIMESH || o->cookie != SP_COOKIE_EXAMINE)
        return SP_FAIL(ctx, SP_BAD_INPUT, "definition and options must start from their default functions");
    if (isnan(o->tolerance) || o->tolerance == INFINITY) return SP_FAIL(ctx, SP_BAD_INPUT, "tolerance = %g m", o->tolerance);
    if (def->vertex_count < 1 || def->vertex_count > SP_NODES_MAX || def->face_count < 1 || def->face_count > SP_TETS_MAX ||
        !def->positions || !def->faces)
        return SP_FAIL(ctx, SP_BAD_INPUT, "%d vertices and %d triangles, must be in [1, %d] and [1, %d]", def->vertex_count,
                       def->face_count, SP_NODES_MAX, SP_TETS_MAX);
    return SP_OK;
}

sp_status sp_trimesh_repaired(sp_context *context, const sp_trimesh_def *def, const sp_examine_options *options, sp_trimesh **out,
                              sp_mesh_repairs *done) {
    sp_examine_options o = options ? *options : sp_examine_options_default();
    *out = NULL;
    SP_TRY(check(context, def, &o));
    sp_repair r = {.ctx = context,
                   .x = def->positions,
                   .elements = def->faces,
                   .node_count = def->vertex_count,
                   .element_count = def->face_count,
                   .corners = 3,
                   .tolerance = sp__weld_tolerance(def->positions, def->vertex_count, o.tolerance)};
    const sp_attributes given = {(sp_mesh_group *)def->groups, (sp_mesh_array *)def->arrays, def->group_count, def->array_count};
    sp_status status = sp__repair_begin(&r);
    if (status == SP_OK) status = sp__repair_orient(&r);
    if (status == SP_OK) status = sp__repair_finish(&r, &given);
    if (status == SP_OK) status = make_surface(&r, def, out);
    if (done) *done = r.done;
    sp__repair_free(&r);
    return status;
}
