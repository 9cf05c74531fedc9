// Repairs that need no guess. The definition stays unchanged: a repair is a set of tables (merged nodes, kept elements, flipped
// elements), and the new mesh is built from them.
#include "mesh/edges.h"
#include "mesh/examine.h"
#include "mesh/trimesh.h"
#include "mesh/weld.h"

// State of a repair: remaining nodes and elements, their new numbers, and their attributes.
typedef struct sp_repair {
    sp_context *ctx;
    const double *x;
    const int *elements;
    int node_count, element_count, corners;
    double tolerance;
    sp_mesh_repairs done;
    unsigned char *state;   // SP_ELEMENT_ bits; an element without BROKEN, FLAT and LOOSE is kept
    unsigned char *turned;  // per element: its last two nodes are swapped
    int *same;              // per node: itself, or the node it is welded to
    int *welded;            // nodes of all elements after welding
    int *node_new;          // per node: its new number, -1: removed. Welded nodes share a number
    int *element_new;       // per element: its new number, -1: removed
    int nodes_left, elements_left;
    double *x_left;
    int *elements_left_corners;
    sp_attributes with;
} sp_repair;

// ================================================================================================= volume meshes

static sp_status repair_no_memory(const sp_repair *r) {
    return SP_FAIL(r->ctx, SP_NO_MEMORY, "no memory to repair %d elements", r->element_count);
}

static bool repair_keeps(const sp_repair *r, int element) {
    return !(r->state[element] & (SP_ELEMENT_BROKEN | SP_ELEMENT_FLAT | SP_ELEMENT_LOOSE));
}

// ------------------------------------------------------------------------------------------------ kept nodes and elements

static sp_status repair_weld(sp_repair *r) {
    unsigned char *skip;
    size_t corners = (size_t)r->corners;
    if (!SP_NEW(r->ctx, skip, r->node_count)) return repair_no_memory(r);
    // nodes that no valid element uses are dropped, not welded
    memset(skip, 1, (size_t)r->node_count);
    for (size_t i = 0; i < (size_t)r->element_count * corners; i++)
        if (!(r->state[i / corners] & SP_ELEMENT_BROKEN)) skip[r->elements[i]] = 0;
    sp_status status = sp__weld_find(r->ctx, r->x, r->node_count, skip, r->tolerance, r->same);
    sp__free(r->ctx, skip);
    SP_TRY(status);
    for (int i = 0; i < r->node_count; i++) r->done.welded += r->same[i] != i;
    for (size_t i = 0; i < (size_t)r->element_count * corners; i++)
        r->welded[i] = r->state[i / corners] & SP_ELEMENT_BROKEN ? -1 : r->same[r->elements[i]];
    return SP_OK;
}

static void count_duplicate(void *user, int element, int earlier) {
    (void)element, (void)earlier;
    ++*(int *)user;
}

static bool repair_allocate(sp_repair *r) {
    size_t elements = (size_t)r->element_count, nodes = (size_t)r->node_count;
    return SP_NEW(r->ctx, r->state, elements) && SP_NEW(r->ctx, r->turned, elements) && SP_NEW(r->ctx, r->same, nodes) &&
           SP_NEW(r->ctx, r->welded, elements * (size_t)r->corners) && SP_NEW(r->ctx, r->node_new, nodes) &&
           SP_NEW(r->ctx, r->element_new, elements);
}

// Checks, welds, drops: everything before the orientation of surfaces; fills `turned` of tetrahedra. Release with repair_free
// after success and after failure.
static sp_status repair_begin(sp_repair *r) {
    if (!repair_allocate(r)) return repair_no_memory(r);
    sp__elements_classify(r->x, r->node_count, r->elements, r->element_count, r->corners, r->state);
    SP_TRY(repair_weld(r));
    sp__elements_classify(r->x, r->node_count, r->welded, r->element_count, r->corners, r->state);
    for (int i = 0; i < r->element_count; i++) {
        if (r->state[i] & SP_ELEMENT_BROKEN) {
            r->done.dropped_broken++;
        } else if (r->state[i] & SP_ELEMENT_FLAT) {
            r->done.dropped_flat++;
            r->state[i] |= SP_ELEMENT_LOOSE;
        }
    }
    SP_TRY(sp__elements_duplicates(r->ctx, r->welded, r->element_count, r->corners, r->node_count, r->state, count_duplicate,
                                   &r->done.dropped_duplicates));
    for (int i = 0; i < r->element_count; i++) r->turned[i] = repair_keeps(r, i) && r->state[i] & SP_ELEMENT_INVERTED;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ new numbers

static void number_all(sp_repair *r) {
    size_t corners = (size_t)r->corners;
    for (int i = 0; i < r->node_count; i++) r->node_new[i] = -1;
    for (int i = 0; i < r->element_count; i++) {
        r->element_new[i] = repair_keeps(r, i) ? r->elements_left++ : -1;
        for (size_t k = 0; k < corners && r->element_new[i] >= 0; k++) r->node_new[r->welded[(size_t)i * corners + k]] = 0;
        r->done.turned += r->turned[i];
    }
    for (int i = 0; i < r->node_count; i++) {
        if (r->same[i] != i) {
            r->node_new[i] = r->node_new[r->same[i]];  // a lower node, which already has its number
        } else if (r->node_new[i] == 0) {
            r->node_new[i] = r->nodes_left++;
        } else {
            r->done.dropped_nodes++;
        }
    }
}

static void read_off(sp_repair *r) {
    size_t corners = (size_t)r->corners;
    for (size_t i = 0; i < (size_t)r->node_count; i++)
        if (r->node_new[i] >= 0 && r->same[i] == (int)i)
            memcpy(r->x_left + 3 * (size_t)r->node_new[i], r->x + 3 * i, 3 * sizeof *r->x);
    for (size_t i = 0; i < (size_t)r->element_count; i++) {
        if (r->element_new[i] < 0) continue;
        int *to = r->elements_left_corners + (size_t)r->element_new[i] * corners;
        for (size_t k = 0; k < corners; k++) to[k] = r->node_new[r->welded[i * corners + k]];
        if (!r->turned[i]) continue;
        int swap = to[corners - 1];
        to[corners - 1] = to[corners - 2], to[corners - 2] = swap;
    }
}

// ------------------------------------------------------------------------------------------------ groups and arrays

// remaining indices of a group, each once; indices out of range in the definition are dropped
static sp_status take_items(sp_repair *r, const int *from, int count, const int *new, int limit, int left, const int **out,
                            int *n) {
    unsigned char *seen;
    int *items = NULL;
    if (!SP_NEW(r->ctx, seen, left) || !SP_NEW(r->ctx, items, count)) {
        sp__free(r->ctx, seen);
        return repair_no_memory(r);
    }
    for (int i = 0; i < count; i++) {
        int to = from[i] >= 0 && from[i] < limit ? new[from[i]] : -1;
        if (to < 0 || seen[to]) continue;
        seen[to] = 1;
        items[(*n)++] = to;
    }
    sp__free(r->ctx, seen);
    *out = items;
    return SP_OK;
}

// Fills new numbers, positions, element nodes, groups and arrays. Names stay borrowed; repair_free does not free them.
static sp_status take_group(sp_repair *r, const sp_mesh_group *from) {
    sp_mesh_group *to = &r->with.groups[r->with.group_count++];
    to->name = from->name;
    SP_TRY(take_items(r, from->elements, from->element_count, r->element_new, r->element_count, r->elements_left, &to->elements,
                      &to->element_count));
    SP_TRY(take_items(r, from->nodes, from->node_count, r->node_new, r->node_count, r->nodes_left, &to->nodes, &to->node_count));
    if (to->element_count + to->node_count > 0) return SP_OK;
    sp__free(r->ctx, (void *)to->elements);
    sp__free(r->ctx, (void *)to->nodes);
    r->with.groups[--r->with.group_count] = (sp_mesh_group){0};
    return SP_OK;
}

static sp_status take_array(sp_repair *r, const sp_mesh_array *from) {
    int count = from->on_elements ? r->element_count : r->node_count;
    const int *new = from->on_elements ? r->element_new : r->node_new;
    double *values;
    if (!from->values) return SP_FAIL(r->ctx, SP_BAD_INPUT, "array '%s' has no values", from->name ? from->name : "");
    if (!SP_NEW(r->ctx, values, from->on_elements ? r->elements_left : r->nodes_left)) return repair_no_memory(r);
    // of welded nodes the value of the lowest stays: this order writes it last
    for (int i = count - 1; i >= 0; i--)
        if (new[i] >= 0) values[new[i]] = from->values[i];
    r->with.arrays[r->with.array_count++] = (sp_mesh_array){from->name, values, from->on_elements};
    return SP_OK;
}

static sp_status repair_finish(sp_repair *r, const sp_attributes *given) {
    number_all(r);
    if (r->elements_left == 0)
        return SP_FAIL(r->ctx, SP_BAD_INPUT, "nothing remains: %d elements name missing nodes, %d are degenerate",
                       r->done.dropped_broken, r->done.dropped_flat);
    if (!SP_NEW(r->ctx, r->x_left, 3 * (size_t)r->nodes_left) ||
        !SP_NEW(r->ctx, r->elements_left_corners, (size_t)r->elements_left * (size_t)r->corners) ||
        !SP_NEW(r->ctx, r->with.groups, given->group_count) || !SP_NEW(r->ctx, r->with.arrays, given->array_count))
        return repair_no_memory(r);
    read_off(r);
    for (int g = 0; g < given->group_count; g++) SP_TRY(take_group(r, &given->groups[g]));
    for (int a = 0; a < given->array_count; a++) SP_TRY(take_array(r, &given->arrays[a]));
    return SP_OK;
}

static void repair_free(sp_repair *r) {
    void *owned[] = {r->state, r->turned, r->same, r->welded, r->node_new, r->element_new, r->x_left, r->elements_left_corners};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sp__free(r->ctx, owned[i]);
    for (int i = 0; i < r->with.group_count; i++) r->with.groups[i].name = NULL;
    for (int i = 0; i < r->with.array_count; i++) r->with.arrays[i].name = NULL;
    sp__attributes_free(r->ctx, &r->with);
}

// ------------------------------------------------------------------------------------------------ tetrahedra

static void follow_ids(const int64_t *from, const int *new, int count, int64_t *to) {
    // of welded nodes the value of the lowest stays
    for (int i = count - 1; i >= 0; i--)
        if (new[i] >= 0) to[new[i]] = from ? from[i] : i;
}

static sp_status make_mesh(sp_repair *r, const sp_mesh_def *def, sp_mesh **out) {
    sp_mesh_def d = sp_mesh_def_default();
    int64_t *node_ids = NULL, *tet_ids = NULL;
    sp_status status;
    if (SP_NEW(r->ctx, node_ids, r->nodes_left) && SP_NEW(r->ctx, tet_ids, r->elements_left)) {
        follow_ids(def->node_ids, r->node_new, r->node_count, node_ids);
        follow_ids(def->element_ids, r->element_new, r->element_count, tet_ids);
        d.node_count = r->nodes_left, d.positions = r->x_left, d.node_ids = node_ids;
        d.element_count = r->elements_left, d.element_nodes = r->elements_left_corners, d.element_ids = tet_ids;
        d.groups = r->with.groups, d.group_count = r->with.group_count;
        d.arrays = r->with.arrays, d.array_count = r->with.array_count;
        status = sp_mesh_create(r->ctx, &d, out);
    } else {
        status = repair_no_memory(r);
    }
    sp__free(r->ctx, node_ids);
    sp__free(r->ctx, tet_ids);
    return status;
}

// Checks that counts and pointers allow an examination, even if the rest is wrong.
static sp_status repair_check(sp_context *ctx, const sp_mesh_def *def, const sp_examine_options *o) {
    if (def->cookie != SP_COOKIE_MESH || o->cookie != SP_COOKIE_EXAMINE)
        return SP_FAIL(ctx, SP_BAD_INPUT, "definition and options must start from their default functions");
    if (isnan(o->tolerance) || o->tolerance == INFINITY) return SP_FAIL(ctx, SP_BAD_INPUT, "tolerance = %g m", o->tolerance);
    if (def->node_count < 1 || def->node_count > SP_NODES_MAX || def->element_count < 1 || def->element_count > SP_TETS_MAX ||
        !def->positions || !def->element_nodes)
        return SP_FAIL(ctx, SP_BAD_INPUT, "%d nodes and %d elements, must be in [1, %d] and [1, %d]", def->node_count,
                       def->element_count, SP_NODES_MAX, SP_TETS_MAX);
    for (int e = 0; e < def->element_count && def->element_types; e++)
        if (def->element_types[e] != SP_ELEMENT_TET4)
            return SP_FAIL(ctx, SP_BAD_INPUT, "element %lld is a %s, must be a linear tetrahedron to be repaired",
                           (long long)(def->element_ids ? def->element_ids[e] : e), sp_element_name(def->element_types[e]));
    return SP_OK;
}

sp_status sp_mesh_repaired(sp_context *context, const sp_mesh_def *def, const sp_examine_options *options, sp_mesh **out,
                           sp_mesh_repairs *done) {
    sp_examine_options o = options ? *options : sp_examine_options_default();
    *out = NULL;
    SP_TRY(repair_check(context, def, &o));
    sp_repair r = {.ctx = context,
                   .x = def->positions,
                   .elements = def->element_nodes,
                   .node_count = def->node_count,
                   .element_count = def->element_count,
                   .corners = 4,
                   .tolerance = sp__weld_tolerance(def->positions, def->node_count, o.tolerance)};
    const sp_attributes given = {(sp_mesh_group *)def->groups, (sp_mesh_array *)def->arrays, def->group_count, def->array_count};
    sp_status status = repair_begin(&r);
    if (status == SP_OK) status = repair_finish(&r, &given);
    if (status == SP_OK) status = make_mesh(&r, def, out);
    if (done) *done = r.done;
    repair_free(&r);
    return status;
}

// ====================================================================================================== surfaces

// Repairs of surfaces: the same as for tetrahedra, then consistent orientation.
//
// From the lowest triangle of each part a flood fill crosses the edges with exactly two triangles and flips inconsistent
// neighbours. If it flipped more than half of the part, the other triangles are flipped instead. A closed part that then encloses
// a negative volume is flipped as a whole, unless an odd number of other parts contains it: then it is a cavity.

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

static sp_status surface_no_memory(const flood *f) {
    return SP_FAIL(f->r->ctx, SP_NO_MEMORY, "no memory to orient %d triangles", f->r->element_count);
}

static bool surface_allocate(flood *f) {
    sp_context *ctx = f->r->ctx;
    size_t n = (size_t)f->r->element_count;
    return SP_NEW(ctx, f->faces, 3 * n) && SP_NEW(ctx, f->own, n) && SP_NEW(ctx, f->part, n) && SP_NEW(ctx, f->turn, n) &&
           SP_NEW(ctx, f->bad, n) && SP_NEW(ctx, f->queue, n) && SP_NEW(ctx, f->depth, n) && SP_NEW(ctx, f->volumes, n) &&
           SP_NEW(ctx, f->ask, n);
}

static void surface_collect(flood *f) {
    for (int i = 0; i < f->r->element_count; i++) {
        if (!repair_keeps(f->r, i)) continue;
        memcpy(f->faces + 3 * (size_t)f->count, f->r->welded + 3 * (size_t)i, 3 * sizeof *f->faces);
        f->own[f->count++] = i;
    }
}

// whether the two sides of an edge run in the same direction at present
static bool surface_against(const flood *f, int s, int t) {
    bool alike = f->faces[s] == f->faces[t];
    return alike != (f->turn[s / 3] != f->turn[t / 3]);
}

// processes one part from its lowest triangle; returns its size
static int surface_spread(flood *f, int seed) {
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
            f->turn[t / 3] = surface_against(f, s, t);
            turned += f->turn[t / 3];
            f->queue[tail++] = t / 3;
        }
    }
    for (int i = 0; i < tail && 2 * turned > tail; i++) f->turn[f->queue[i]] ^= 1;
    return tail;
}

static void check_parts(flood *f) {
    for (int e = 0; e < f->edges.count; e++) {
        const int *side = f->edges.sides + f->edges.first[e];
        int n = f->edges.first[e + 1] - f->edges.first[e];
        bool clash = n == 2 && surface_against(f, side[0], side[1]);
        f->r->done.unorientable += clash;
        for (int k = 0; k < n && (n != 2 || clash); k++) f->bad[f->part[side[k] / 3]] = 1;
    }
}

static void flip_corners(flood *f) {
    for (int i = 0; i < f->count; i++) {
        if (!f->turn[i]) continue;
        int *c = f->faces + 3 * (size_t)i, swap = c[1];
        c[1] = c[2], c[2] = swap;
    }
}

static sp_status face_outwards(flood *f) {
    bool whole = true;
    int asked = 0;
    flip_corners(f);
    sp__shell_volumes(f->r->x, f->faces, f->count, f->part, f->volumes);
    for (int i = 0; i < f->count; i++)
        if (f->part[i] == i && !f->bad[i] && f->volumes[i] < 0) f->ask[i] = 1, asked++;
    if (!asked) return SP_OK;
    SP_TRY(sp__shell_depths(f->r->ctx, f->r->x, f->faces, f->count, f->part, f->bad, f->ask, f->depth, &whole));
    for (int i = 0; i < f->count; i++)
        if (f->ask[f->part[i]] && f->depth[f->part[i]] % 2 == 0) f->turn[i] ^= 1;
    return SP_OK;
}

// For surfaces: fills `turned`.
static sp_status repair_orient(sp_repair *r) {
    flood f = {.r = r};
    sp_status status = surface_allocate(&f) ? SP_OK : surface_no_memory(&f);
    if (status == SP_OK) {
        surface_collect(&f);
        status = sp__edges_find(r->ctx, f.faces, f.count, r->node_count, &f.edges);
    }
    if (status == SP_OK) {
        for (int i = 0; i < f.count; i++) f.part[i] = -1;
        for (int i = 0; i < f.count; i++)
            if (f.part[i] < 0) surface_spread(&f, i);
        check_parts(&f);
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

static sp_status surface_check(sp_context *ctx, const sp_trimesh_def *def, const sp_examine_options *o) {
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
    SP_TRY(surface_check(context, def, &o));
    sp_repair r = {.ctx = context,
                   .x = def->positions,
                   .elements = def->faces,
                   .node_count = def->vertex_count,
                   .element_count = def->face_count,
                   .corners = 3,
                   .tolerance = sp__weld_tolerance(def->positions, def->vertex_count, o.tolerance)};
    const sp_attributes given = {(sp_mesh_group *)def->groups, (sp_mesh_array *)def->arrays, def->group_count, def->array_count};
    sp_status status = repair_begin(&r);
    if (status == SP_OK) status = repair_orient(&r);
    if (status == SP_OK) status = repair_finish(&r, &given);
    if (status == SP_OK) status = make_surface(&r, def, out);
    if (done) *done = r.done;
    repair_free(&r);
    return status;
}
