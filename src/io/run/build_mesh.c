// The mesh of a solid: generated shapes, files with the options of a scene, arrays of values per element.
#include "io/run/build.h"

#include <limits.h>
#include <sys/stat.h>

#include "math/vec3.h"

// ==================================================================================================== mesh files

// Mesh files with the options of a scene: a part of the mesh, welded nodes, another rest shape. Part and weld are both a remap of
// nodes and elements: some are removed, the others are renumbered, and groups, arrays and ids follow.

typedef struct remap {
    const sp_mesh *from;
    sp_keep keep;         // memory of the remap
    int *node, *element;  // new indices; -1: removed
    int nodes, elements;  // remaining nodes and elements
    sp_mesh_def def;
} remap;

static bool start_remap(sp_run *run, const sp_mesh *mesh, remap *r) {
    *r = (remap){.from = mesh, .keep = {.ctx = run->ctx}, .def = sp_mesh_def_default()};
    return SP_KEEP(&r->keep, r->node, sp_mesh_node_count(mesh)) && SP_KEEP(&r->keep, r->element, sp_mesh_element_count(mesh));
}

// ------------------------------------------------------------------------------------------------ renumbering

static bool take_nodes(remap *r) {
    const sp_mesh *m = r->from;
    double *x;
    int64_t *ids;
    if (!SP_KEEP(&r->keep, x, 3 * (size_t)r->nodes) || !SP_KEEP(&r->keep, ids, r->nodes)) return false;
    // backwards, so that the first of several merged nodes is kept
    for (int i = sp_mesh_node_count(m) - 1; i >= 0; i--) {
        if (r->node[i] < 0) continue;
        memcpy(x + 3 * (size_t)r->node[i], sp_mesh_positions(m) + 3 * (size_t)i, 3 * sizeof *x);
        ids[r->node[i]] = sp_mesh_node_ids(m)[i];
    }
    r->def.node_count = r->nodes, r->def.positions = x, r->def.node_ids = ids;
    return true;
}

static bool take_elements(remap *r) {
    const sp_mesh *m = r->from;
    const int *from;
    sp_element_type *types;
    int *nodes;
    int64_t *ids;
    size_t total = 0;
    for (int e = 0; e < sp_mesh_element_count(m); e++) total += (size_t)sp_element_nodes(sp_mesh_element(m, e, NULL));
    if (!SP_KEEP(&r->keep, types, r->elements) || !SP_KEEP(&r->keep, nodes, total) || !SP_KEEP(&r->keep, ids, r->elements))
        return false;
    r->def.element_count = r->elements, r->def.element_types = types, r->def.element_nodes = nodes, r->def.element_ids = ids;
    // a remap keeps the order of elements
    for (int e = 0; e < sp_mesh_element_count(m); e++) {
        if (r->element[e] < 0) continue;
        types[r->element[e]] = sp_mesh_element(m, e, &from);
        ids[r->element[e]] = sp_mesh_element_ids(m)[e];
        for (int k = 0; k < sp_element_nodes(types[r->element[e]]); k++) *nodes++ = r->node[from[k]];
    }
    return true;
}

// new indices of a list, unique and ascending; *out is large enough for all
static int renumber(const int *list, int count, const int *map, unsigned char *mark, int limit, int *out) {
    int n = 0;
    for (int i = 0; i < count; i++)
        if (map[list[i]] >= 0) mark[map[list[i]]] = 1;
    for (int i = 0; i < limit; i++) {
        if (!mark[i]) continue;
        out[n++] = i;
        mark[i] = 0;
    }
    return n;
}

static bool take_groups(remap *r) {
    sp_mesh_group *groups;
    unsigned char *mark;
    int most = r->nodes > r->elements ? r->nodes : r->elements, n = sp_mesh_group_count(r->from);
    if (!SP_KEEP(&r->keep, groups, n + 1) || !SP_KEEP(&r->keep, mark, most + 1)) return false;
    for (int g = 0; g < n; g++) {
        sp_mesh_group from;
        int *nodes, *elements;
        sp_mesh_group_at(r->from, g, &from);
        if (!SP_KEEP(&r->keep, nodes, from.node_count + 1) || !SP_KEEP(&r->keep, elements, from.element_count + 1)) return false;
        sp_mesh_group to = {.name = from.name, .nodes = nodes, .elements = elements};
        to.node_count = renumber(from.nodes, from.node_count, r->node, mark, r->nodes, nodes);
        to.element_count = renumber(from.elements, from.element_count, r->element, mark, r->elements, elements);
        if (to.node_count + to.element_count > 0) groups[r->def.group_count++] = to;
    }
    r->def.groups = groups;
    return true;
}

static bool take_arrays(remap *r) {
    sp_mesh_array *arrays;
    int n = sp_mesh_array_count(r->from);
    if (!SP_KEEP(&r->keep, arrays, n + 1)) return false;
    for (int a = 0; a < n; a++) {
        sp_mesh_array from;
        sp_mesh_array_at(r->from, a, &from);
        const int *map = from.on_elements ? r->element : r->node;
        int count = from.on_elements ? sp_mesh_element_count(r->from) : sp_mesh_node_count(r->from);
        double *values;
        if (!SP_KEEP(&r->keep, values, from.on_elements ? r->elements : r->nodes)) return false;
        for (int i = count - 1; i >= 0; i--)
            if (map[i] >= 0) values[map[i]] = from.values[i];
        arrays[r->def.array_count++] = (sp_mesh_array){from.name, values, from.on_elements};
    }
    r->def.arrays = arrays;
    return true;
}

// replaces *mesh by the remapped mesh
static sp_status apply_remap(sp_run *run, remap *r, sp_mesh **mesh) {
    sp_mesh *next;
    if (!take_nodes(r) || !take_elements(r) || !take_groups(r) || !take_arrays(r)) return sp__build_no_memory(run);
    SP_TRY(sp_mesh_create(run->ctx, &r->def, &next));
    sp_mesh_destroy(mesh);
    *mesh = next;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ part

static sp_status unknown_part(sp_run *run, const sp_scene_node *shape, const sp_mesh *mesh, const char *name) {
    const char *known[64];
    int n = 0;
    sp_mesh_group group;
    for (int i = 0; sp_mesh_group_at(mesh, i, &group) >= 0 && n < 64; i++)
        if (group.element_count > 0) known[n++] = group.name;
    const char *nearest = sp__nearest(name, known, n);
    if (sp_mesh_group_named(mesh, name))
        return SP_BUILD_FAIL(run, shape, "part", "the group \"%s\" of the file has no volume elements", name);
    if (nearest) return SP_BUILD_FAIL(run, shape, "part", "the file has no group \"%s\"; did you mean \"%s\"?", name, nearest);
    return SP_BUILD_FAIL(run, shape, "part", "the file has no group \"%s\" (it has %d of volume elements%s%s)", name, n,
                         n ? ": " : "", n ? known[0] : "");
}

static void keep_part(remap *r, const sp_mesh_group *part) {
    const int *nodes;
    for (int i = 0; i < sp_mesh_node_count(r->from); i++) r->node[i] = -1;
    for (int e = 0; e < sp_mesh_element_count(r->from); e++) r->element[e] = -1;
    for (int i = 0; i < part->element_count; i++) r->element[part->elements[i]] = 0;
    for (int e = 0; e < sp_mesh_element_count(r->from); e++) {
        if (r->element[e] < 0) continue;
        r->element[e] = r->elements++;
        for (int k = sp_element_nodes(sp_mesh_element(r->from, e, &nodes)) - 1; k >= 0; k--) r->node[nodes[k]] = 0;
    }
    for (int i = 0; i < sp_mesh_node_count(r->from); i++)
        if (r->node[i] == 0) r->node[i] = r->nodes++;
}

static sp_status take_part(sp_run *run, const sp_scene_node *shape, sp_mesh **mesh) {
    remap r;
    if (!sp__build_given(shape, "part")) return SP_OK;
    const char *name = sp__attr_word(shape, "part");
    const sp_mesh_group *part = sp_mesh_group_named(*mesh, name);
    if (!part || part->element_count == 0) return unknown_part(run, shape, *mesh, name);
    bool capacity = start_remap(run, *mesh, &r);
    if (capacity) keep_part(&r, part);
    sp_status status = capacity ? apply_remap(run, &r, mesh) : sp__build_no_memory(run);
    sp__keep_free(&r.keep);
    return status;
}

// ------------------------------------------------------------------------------------------------ weld

// Spatial hash of the kept nodes with cells of the welding distance. Kept nodes are farther apart than that, so a cell has few.
typedef struct weld_cells {
    const double *x;
    double size;
    size_t mask;
    int *first, *next;  // per bucket, per node; -1: none
} weld_cells;

static size_t bucket(const weld_cells *c, const int64_t at[3]) {
    uint64_t h = sp__mix((uint64_t)at[0], 0) ^ sp__mix((uint64_t)at[1], 1) ^ sp__mix((uint64_t)at[2], 2);
    return (size_t)h & c->mask;
}

static void cell_of(const weld_cells *c, const double *x, int64_t at[3]) {
    for (int k = 0; k < 3; k++) at[k] = (int64_t)fmin(fmax(floor(x[k] / c->size), -9e17), 9e17);
}

// the nearest kept node within the distance; -1: none
static int near_node(const weld_cells *c, const double *x) {
    int64_t at[3], by[3];
    int best = -1;
    double least = c->size;
    cell_of(c, x, at);
    for (int i = 0; i < 27; i++) {
        by[0] = at[0] + i % 3 - 1, by[1] = at[1] + i / 3 % 3 - 1, by[2] = at[2] + i / 9 - 1;
        for (int n = c->first[bucket(c, by)]; n >= 0; n = c->next[n]) {
            double d[3];
            sp__sub3(x, c->x + 3 * (size_t)n, d);
            double length = sp__norm3(d);
            if (length < least || (length == least && best >= 0 && n < best)) least = length, best = n;
        }
    }
    return best;
}

static bool weld_nodes(remap *r, double distance) {
    int n = sp_mesh_node_count(r->from);
    weld_cells c = {.x = sp_mesh_positions(r->from), .size = distance};
    while (c.mask < (size_t)n) c.mask = 2 * c.mask + 1;
    if (!SP_KEEP(&r->keep, c.first, c.mask + 1) || !SP_KEEP(&r->keep, c.next, n)) return false;
    for (size_t i = 0; i <= c.mask; i++) c.first[i] = -1;
    for (int i = 0; i < n; i++) {
        int64_t at[3];
        int other = near_node(&c, c.x + 3 * (size_t)i);
        r->node[i] = other >= 0 ? r->node[other] : r->nodes++;
        if (other >= 0) continue;
        cell_of(&c, c.x + 3 * (size_t)i, at);
        size_t b = bucket(&c, at);
        c.next[i] = c.first[b], c.first[b] = i;
    }
    return true;
}

// the first element with a repeated node; -1: none
static int collapsed(const remap *r) {
    const int *nodes;
    for (int e = 0; e < sp_mesh_element_count(r->from); e++)
        for (int a = sp_element_nodes(sp_mesh_element(r->from, e, &nodes)) - 1; a > 0; a--)
            for (int b = 0; b < a; b++)
                if (r->node[nodes[a]] == r->node[nodes[b]]) return e;
    return -1;
}

// the distance is in metres, the coordinates of the file are before `scale`
static sp_status weld(sp_run *run, const sp_scene_node *shape, sp_mesh **mesh) {
    double distance = sp__build_number(shape, "weld", 0), scale = sp__build_number(shape, "scale", 1);
    sp_status status = SP_NO_MEMORY;
    remap r;
    if (!(distance > 0)) return SP_OK;
    int before = sp_mesh_node_count(*mesh);
    if (!start_remap(run, *mesh, &r) || !weld_nodes(&r, distance / scale)) {
        status = sp__build_no_memory(run);
        goto done;
    }
    int bad = collapsed(&r);
    if (bad >= 0) {
        status = SP_BUILD_FAIL(run, shape, "weld", "weld=\"%g\" m is longer than an edge of element %lld, which would collapse",
                               distance, (long long)sp_mesh_element_ids(*mesh)[bad]);
        goto done;
    }
    for (int e = 0; e < sp_mesh_element_count(*mesh); e++) r.element[e] = r.elements++;
    status = apply_remap(run, &r, mesh);
    if (status >= 0)
        sp__scene_note_auto(run->scene, shape, "weld", "%d of %d nodes were merged with another", before - r.nodes, before);
done:
    sp__keep_free(&r.keep);
    return status;
}

// ------------------------------------------------------------------------------------------------ files

static sp_status read_mesh(sp_run *run, const sp_scene_node *node, bool tetrahedra, sp_mesh **out) {
    const char *path = sp__attr_word(node, "file");
    struct stat info;
    // the reader needs the text and arrays of about the same size
    if (stat(path, &info) == 0) SP_TRY(sp__build_reserve(run, node, (double)info.st_size, 3, "bytes of mesh file"));
    return (tetrahedra ? sp_mesh_read_tets : sp_mesh_read)(run->ctx, path, out);
}

// the triangles of a file as a membrane, or the boundary of its volume elements
static sp_status read_triangles(sp_run *run, const sp_scene_node *node, sp_mesh **out) {
    sp_trimesh *surface;
    const char *path = sp__attr_word(node, "file");
    struct stat info;
    if (stat(path, &info) == 0) SP_TRY(sp__build_reserve(run, node, (double)info.st_size, 3, "bytes of mesh file"));
    SP_TRY(sp_trimesh_read(run->ctx, path, &surface));
    sp_status status = sp__build_is(node, "flip", "yes") ? sp__build_flip(run, &surface) : SP_OK;
    if (status >= 0) status = sp_mesh_of_triangles(surface, out);
    sp_trimesh_destroy(&surface);
    return status;
}

static bool is_membrane(const sp_scene_node *solid) {
    return sp__build_given(solid, "thickness");
}

static sp_status build_mesh_file(sp_run *run, const sp_scene_node *shape, sp_mesh **out) {
    bool tetrahedra = sp__build_is(shape, "tetrahedra", "yes");
    SP_TRY(is_membrane(shape->parent) ? read_triangles(run, shape, out) : read_mesh(run, shape, tetrahedra, out));
    SP_TRY(take_part(run, shape, out));
    return weld(run, shape, out);
}

// ======================================================================================================== shapes

// Meshes of solids: generated shapes and files. The cells of a shape follow from `cells`, `elements` or a default rule. Counts
// are checked against the memory limit before anything is generated.

// bytes of mesh and body per element: of linear tetrahedra at most 320 in the body, the rest in two meshes while building; of
// others rest gradients, turned gradients and moduli at each integration point
static const double TET_BYTES = 700, TET10_BYTES = 3500, HEX_BYTES = 5000, TRIANGLE_BYTES = 900;
// tetrahedra of a shape with neither cells nor elements
static const double AUTO_ELEMENTS = 3000;
// limit of tetrahedra for four cells along the shortest edge of a box: a step then takes some tens of milliseconds
static const double AUTO_BOX_MAX = 20000;

bool sp__is_shape(const sp_scene_node *node) {
    static const char *const shapes[] = {"box",   "cylinder", "sphere", "torus", "capsule",
                                         "organ", "mesh",     "plane",  "sheet", "disc"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (strcmp(node->spec->name, shapes[i]) == 0) return true;
    return false;
}

static int at_least(int low, double value) {
    return value < low ? low : value > INT_MAX / 4 ? INT_MAX / 4 : (int)floor(value + 0.5);
}

// `cells` of the element; false: not given. Limited to INT_MAX / 4, which the generators reject.
static bool cells_given(const sp_scene_node *shape, int count, int *cells) {
    const sp_attr *attr = sp__build_attr(shape, "cells");
    if (!attr || attr->is_auto || attr->count == 0) return false;
    for (int k = 0; k < count; k++) cells[k] = at_least(0, attr->numbers[attr->count == count ? k : 0]);
    return true;
}

// target number of tetrahedra, from `elements` or the default
static double shape_wanted(const sp_scene_node *shape) {
    return sp__build_number(shape, "elements", AUTO_ELEMENTS);
}

static bool is_quadratic(const sp_scene_node *shape) {
    return sp__build_number(shape, "order", 1) == 2;
}

static sp_status reserve_tets(sp_run *run, const sp_scene_node *shape, double count) {
    return sp__build_reserve(run, shape, count, is_quadratic(shape) ? TET10_BYTES : TET_BYTES, "tetrahedra");
}

// ------------------------------------------------------------------------------------------------ generated

static sp_status make_box(sp_run *run, const sp_scene_node *shape, sp_mesh **out) {
    const double *size = sp__attr(shape, "size")->numbers;
    bool hexahedra = sp__build_is(shape, "pattern", "hex");
    int cells[3], per_cell = hexahedra ? 1 : sp__build_is(shape, "pattern", "6") ? 6 : 5;
    if (!cells_given(shape, 3, cells)) {
        double shortest = fmin(size[0], fmin(size[1], size[2])) / 4;
        double edge = fmax(shortest, cbrt(size[0] * size[1] * size[2] * (hexahedra ? 6 : per_cell) / AUTO_BOX_MAX));
        // even counts make the default pattern symmetric
        for (int k = 0; k < 3; k++) cells[k] = 2 * at_least(1, size[k] / edge / 2);
        sp__scene_note_auto(run->scene, shape, "cells", "%d %d %d: %s", cells[0], cells[1], cells[2],
                            edge <= shortest ? "four along the shortest edge"
                            : hexahedra      ? "cells of equal edges, about 3300 in all"
                                             : "cells of equal edges, about 20000 tetrahedra in all");
    }
    double count = (double)cells[0] * cells[1] * cells[2] * per_cell;
    SP_TRY(hexahedra ? sp__build_reserve(run, shape, count, HEX_BYTES, "hexahedra") : reserve_tets(run, shape, count));
    return sp_mesh_box(run->ctx, size, cells, per_cell, out);
}

// A swept disc has 24 tetrahedra per cell along the sweep and per squared number of cells across the radius. Cells as long as
// they are wide give along = length / radius x across.
static void sweep_cells(const sp_scene_node *shape, double length, double radius, int least, int *across, int *along) {
    double n = shape_wanted(shape);
    *across = at_least(1, cbrt(n * radius / (24 * length)));
    *along = at_least(least, n / (24.0 * *across * *across));
}

static sp_status make_cylinder(sp_run *run, const sp_scene_node *shape, sp_mesh **out) {
    double radius = sp__build_number(shape, "radius", 0), length = sp__build_number(shape, "length", 0);
    const sp_attr *axis = sp__build_attr(shape, "axis");
    const double z[3] = {0, 0, 1};
    int cells[2];
    if (!cells_given(shape, 2, cells)) {
        sweep_cells(shape, length, radius, 1, &cells[0], &cells[1]);
        sp__scene_note_auto(run->scene, shape, "cells", "%d %d: cells about as long as wide, %.0f tetrahedra wanted", cells[0],
                            cells[1], shape_wanted(shape));
    }
    SP_TRY(reserve_tets(run, shape, 24.0 * cells[0] * cells[0] * cells[1]));
    return sp_mesh_cylinder(run->ctx, radius, length, axis ? axis->numbers : z, cells, out);
}

static sp_status make_torus(sp_run *run, const sp_scene_node *shape, sp_mesh **out) {
    const double *radius = sp__attr(shape, "radius")->numbers;
    const sp_attr *axis = sp__build_attr(shape, "axis");
    const double y[3] = {0, 1, 0};
    int cells[2];
    if (!cells_given(shape, 2, cells)) {
        sweep_cells(shape, 2 * SP_PI * radius[0], radius[1], 3, &cells[1], &cells[0]);
        sp__scene_note_auto(run->scene, shape, "cells", "%d %d: cells about as long as wide, %.0f tetrahedra wanted", cells[0],
                            cells[1], shape_wanted(shape));
    }
    SP_TRY(reserve_tets(run, shape, 24.0 * cells[0] * cells[1] * cells[1]));
    return sp_mesh_torus(run->ctx, radius[0], radius[1], axis ? axis->numbers : y, cells, out);
}

static sp_status make_sphere(sp_run *run, const sp_scene_node *shape, sp_mesh **out) {
    const sp_attr *attr = sp__attr(shape, "radius");
    double radius[3];
    int cells;
    for (int k = 0; k < 3; k++) radius[k] = attr->numbers[attr->count == 3 ? k : 0];
    if (!cells_given(shape, 1, &cells)) {
        cells = at_least(1, cbrt(shape_wanted(shape) / 48));
        sp__scene_note_auto(run->scene, shape, "cells", "%d: %.0f tetrahedra wanted", cells, shape_wanted(shape));
    }
    SP_TRY(reserve_tets(run, shape, 48.0 * cells * cells * cells));
    return sp_mesh_sphere(run->ctx, radius, cells, out);
}

// `from` has the attribute `elements`: the shape, or a surface that is finer than it
static sp_status fill_organ(sp_run *run, const sp_scene_node *shape, const sp_scene_node *from, sp_mesh **out) {
    double elements = sp__build_number(from, "elements", 0);
    SP_TRY(sp__build_reserve(run, from, elements, TET_BYTES, "tetrahedra"));
    return sp_mesh_organ(run->ctx, sp__attr_word(shape, "kind"), sp__build_number(shape, "length", 0), at_least(1, elements),
                         out);
}

static sp_status make_organ(sp_run *run, const sp_scene_node *shape, sp_mesh **out) {
    if (is_quadratic(shape)) SP_TRY(reserve_tets(run, shape, sp__build_number(shape, "elements", 0)));
    return fill_organ(run, shape, shape, out);
}

static sp_status make_sheet(sp_run *run, const sp_scene_node *shape, sp_mesh **out) {
    bool crossed = sp__build_is(shape, "pattern", "cross");
    int cells[2];
    cells_given(shape, 2, cells);
    SP_TRY(sp__build_reserve(run, shape, (crossed ? 4.0 : 2.0) * cells[0] * cells[1], TRIANGLE_BYTES, "triangles"));
    return sp_mesh_sheet(run->ctx, sp__attr(shape, "size")->numbers, cells, crossed, out);
}

static sp_status make_disc(sp_run *run, const sp_scene_node *shape, sp_mesh **out) {
    double rings = sp__build_number(shape, "rings", 0);
    SP_TRY(sp__build_reserve(run, shape, 6 * rings * rings, TRIANGLE_BYTES, "triangles"));
    return sp_mesh_disc(run->ctx, sp__build_number(shape, "radius", 0), at_least(0, rings), out);
}

// ------------------------------------------------------------------------------------------------ from files

static sp_status make_from_file(sp_run *run, const sp_scene_node *shape, sp_mesh **out) {
    SP_TRY(build_mesh_file(run, shape, out));
    if (sp_mesh_tets(*out)) return reserve_tets(run, shape, sp_mesh_element_count(*out));
    double hexahedra = 0;
    for (int e = 0; e < sp_mesh_element_count(*out); e++) hexahedra += sp_mesh_element(*out, e, NULL) == SP_ELEMENT_HEX8;
    return sp__build_reserve(run, shape, sp_mesh_element_count(*out), hexahedra > 0 ? HEX_BYTES : TET10_BYTES, "elements");
}

// ------------------------------------------------------------------------------------------------ quadratic tetrahedra

// The surface of a generated shape, onto which the nodes of boundary edges move.
typedef struct curved {
    double radius[3];  // semi-axes of an ellipsoid; of a cylinder; of ring and tube
    double axis[3];    // of length 1
} curved;

static void curve_sphere(const void *user, const double a[3], const double b[3], double x[3]) {
    const curved *c = user;
    double u[3];
    (void)a, (void)b;
    for (int k = 0; k < 3; k++) u[k] = x[k] / c->radius[k];
    double length = sp__norm3(u);
    for (int k = 0; k < 3; k++) x[k] = c->radius[k] * u[k] / length;
}

// splits x into its part along the axis and the rest; returns the length of the rest
static double split_axis(const curved *c, const double x[3], double along[3], double away[3]) {
    double height = sp__dot3(x, c->axis);
    for (int k = 0; k < 3; k++) along[k] = height * c->axis[k];
    sp__sub3(x, along, away);
    return sp__norm3(away);
}

// edges whose ends are both on the lateral surface; those within an end stay
static void curve_cylinder(const void *user, const double a[3], const double b[3], double x[3]) {
    const curved *c = user;
    double along[3], away[3], near = c->radius[0] * (1 - 1e-9);
    if (split_axis(c, a, along, away) < near || split_axis(c, b, along, away) < near) return;
    double length = split_axis(c, x, along, away);
    sp__axpy3(along, c->radius[0] / length, away, x);
}

static void curve_torus(const void *user, const double a[3], const double b[3], double x[3]) {
    const curved *c = user;
    double along[3], away[3], centre[3], tube[3];
    (void)a, (void)b;
    double length = split_axis(c, x, along, away);
    for (int k = 0; k < 3; k++) centre[k] = c->radius[0] / length * away[k];
    sp__sub3(x, centre, tube);
    length = sp__norm3(tube);
    sp__axpy3(centre, c->radius[1] / length, tube, x);
}

static void curve_axis(const sp_scene_node *shape, const double otherwise[3], curved *c) {
    const sp_attr *attr = sp__build_attr(shape, "axis");
    const double *axis = attr ? attr->numbers : otherwise;
    double length = sp__norm3(axis);
    for (int k = 0; k < 3; k++) c->axis[k] = axis[k] / length;
}

// NULL: the shape is flat, or not known
static sp_curve_fn *curve_of(const sp_scene_node *shape, curved *c) {
    const char *name = shape->spec->name;
    bool sphere = strcmp(name, "sphere") == 0, cylinder = strcmp(name, "cylinder") == 0, torus = strcmp(name, "torus") == 0;
    if (!sphere && !cylinder && !torus) return NULL;
    const sp_attr *radius = sp__attr(shape, "radius");
    for (int k = 0; k < 3; k++) c->radius[k] = radius->numbers[k < radius->count ? k : 0];
    if (cylinder) curve_axis(shape, (const double[]){0, 0, 1}, c);
    if (torus) curve_axis(shape, (const double[]){0, 1, 0}, c);
    return sphere ? curve_sphere : cylinder ? curve_cylinder : curve_torus;
}

// with order="2" quadratic tetrahedra, unless the file has them
static sp_status make_quadratic(const sp_scene_node *shape, sp_mesh **mesh) {
    curved c;
    sp_mesh *out;
    int e = 0;
    if (!is_quadratic(shape)) return SP_OK;
    while (e < sp_mesh_element_count(*mesh) && sp_mesh_element(*mesh, e, NULL) == SP_ELEMENT_TET10) e++;
    if (e == sp_mesh_element_count(*mesh)) return SP_OK;
    sp_curve_fn *curve = curve_of(shape, &c);
    SP_TRY(sp_mesh_order2(*mesh, curve, &c, &out));
    sp_mesh_destroy(mesh);
    *mesh = out;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ membranes

// the boundary of volume elements becomes the elements
static sp_status make_skin(const sp_scene_node *shape, sp_mesh **mesh) {
    sp_trimesh *surface;
    sp_mesh *skin = NULL;
    if (!is_membrane(shape->parent) || sp_mesh_element(*mesh, 0, NULL) == SP_ELEMENT_TRI3) return SP_OK;
    SP_TRY(sp_mesh_boundary(*mesh, &surface));
    sp_status status = sp_mesh_of_triangles(surface, &skin);
    sp_trimesh_destroy(&surface);
    if (status < 0) return status;
    sp_mesh_destroy(mesh);
    *mesh = skin;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ shape of a solid

// the reader guarantees that there is one
static const sp_scene_node *find_shape(const sp_scene_node *solid) {
    int i = 0;
    while (i + 1 < solid->child_count && !(solid->children[i]->enabled && sp__is_shape(solid->children[i]))) i++;
    return solid->children[i];
}

static sp_status make_shape(sp_run *run, const sp_scene_node *shape, sp_mesh **out) {
    static const struct {
        const char *name;
        sp_status (*make)(sp_run *run, const sp_scene_node *shape, sp_mesh **out);
    } makers[] = {{"box", make_box},     {"cylinder", make_cylinder}, {"sphere", make_sphere}, {"torus", make_torus},
                  {"organ", make_organ}, {"mesh", make_from_file},    {"sheet", make_sheet},   {"disc", make_disc}};
    bool failed = run->failed;
    run->failed = false;
    sp_status status = SP_BAD_INPUT;
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strcmp(shape->spec->name, makers[i].name) == 0) status = makers[i].make(run, shape, out);
    if (status >= 0) status = make_quadratic(shape, out);
    if (status >= 0) status = make_skin(shape, out);
    bool failed_before = run->failed;
    run->failed = failed_before || failed;
    if (status < 0 && !failed_before) return sp__build_refused(run, shape, status, sp_context_error(run->ctx));
    return status;
}

// replaces *mesh by the placed mesh and frees the old one unless it is `keep`
static sp_status move_mesh(sp_run *run, const sp_scene_node *node, const sp_place *place, const sp_mesh *keep, sp_mesh **mesh) {
    sp_mesh *moved;
    if (sp__place_is_identity(place)) return SP_OK;
    sp_status status = sp_mesh_transformed(*mesh, place->scale, &place->pose, &moved);
    if (status < 0) return sp__build_refused(run, node, status, sp_context_error(run->ctx));
    if (*mesh != keep) sp_mesh_destroy(mesh);
    *mesh = moved;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ rest

static bool same_nodes(const int *a, const int *b, int n) {
    int both = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) both += a[i] == b[k];
    return both == n;
}

// elements may have the opposite orientation if the initial shape is inside out
static sp_status check_rest(sp_run *run, const sp_scene_node *node, const sp_mesh *shape, const sp_mesh *rest) {
    int nodes = sp_mesh_node_count(shape), elements = sp_mesh_element_count(shape);
    if (sp_mesh_node_count(rest) != nodes || sp_mesh_element_count(rest) != elements)
        return SP_BUILD_FAIL(run, node, "file", "the rest shape has %d nodes and %d elements, the shape %d and %d",
                             sp_mesh_node_count(rest), sp_mesh_element_count(rest), nodes, elements);
    for (int e = 0; e < elements; e++) {
        const int *a, *b;
        sp_element_type type = sp_mesh_element(shape, e, &a);
        if (sp_mesh_element(rest, e, &b) != type || !same_nodes(a, b, sp_element_nodes(type)))
            return SP_BUILD_FAIL(run, node, "file", "element %d of the rest shape has other nodes than that of the shape", e);
    }
    return SP_OK;
}

// the shape element is the initial shape: body->own becomes the rest shape, body->start the initial node positions
static sp_status build_rest(sp_run *run, sp_run_body *body) {
    const sp_scene_node *node = sp__next_child(body->node, "rest", NULL);
    sp_mesh *rest = NULL, *scaled = NULL;
    if (!node) return SP_OK;
    if (!sp__build_given(node, "file")) return SP_BUILD_FAIL(run, node, NULL, "needs a file with the rest shape");
    double s = sp__build_number(node, "scale", 1);
    size_t n = 3 * (size_t)sp_mesh_node_count(body->own);
    bool failed_before = run->failed;
    run->failed = false;
    sp_status status =
        body->membrane ? read_triangles(run, node, &rest) : read_mesh(run, node, sp_mesh_tets(body->own) != NULL, &rest);
    if (status >= 0) status = make_quadratic(find_shape(body->node), &rest);
    if (status >= 0) status = sp_mesh_transformed(rest, (double[3]){s, s, s}, NULL, &scaled);
    if (status < 0 && !run->failed) status = sp__build_refused(run, node, status, sp_context_error(run->ctx));
    if (status >= 0) status = check_rest(run, node, body->own, scaled);
    run->failed = run->failed || failed_before;
    sp_mesh_destroy(&rest);
    if (status >= 0 && !SP_KEEP(&run->scratch, body->start, n)) status = sp__build_no_memory(run);
    if (status < 0) {
        sp_mesh_destroy(&scaled);
        return status;
    }
    memcpy(body->start, sp_mesh_positions(body->own), n * sizeof *body->start);
    sp_mesh_destroy(&body->own);
    body->own = scaled;
    return SP_OK;
}

sp_status sp__build_organ_surface(sp_run *run, const sp_run_body *body, const sp_scene_node *surface, sp_trimesh **out) {
    sp_mesh *fine = NULL;
    sp_status status = fill_organ(run, find_shape(body->node), surface, &fine);
    if (status >= 0) status = sp_mesh_boundary(fine, out);
    sp_mesh_destroy(&fine);
    return status;
}

sp_status sp__build_mesh(sp_run *run, sp_run_body *body) {
    const sp_scene_node *shape = find_shape(body->node);
    sp_place place;
    body->membrane = is_membrane(body->node);
    SP_TRY(make_shape(run, shape, &body->own));
    SP_TRY(sp__build_place(run, shape, &place));
    SP_TRY(move_mesh(run, shape, &place, NULL, &body->own));
    SP_TRY(build_rest(run, body));
    body->placed = body->own;
    for (int i = 0; i < body->places.count; i++)
        SP_TRY(move_mesh(run, body->node, &body->places.at[i], body->own, &body->placed));
    return SP_OK;
}

// ======================================================================================================== arrays

// Arrays for "@name": from the mesh file, or from a `data` element that reads a column of a text file, with one row per element
// or node in the order of the mesh file. An array over nodes is averaged to elements.

typedef struct column_reader {
    sp_run *run;
    const sp_scene_node *node;
    const char *path, *at;
    int line, column;
} column_reader;

static sp_status values_on_elements(sp_run *run, const sp_run_body *body, const double *nodes, const double **out) {
    double *values;
    if (!SP_KEEP(&run->scratch, values, sp_mesh_element_count(body->own))) return sp__build_no_memory(run);
    for (int i = 0; i < sp_mesh_element_count(body->own); i++) {
        const int *own;
        int n = sp_element_nodes(sp_mesh_element(body->own, i, &own));
        double sum = 0;
        for (int k = 0; k < n; k++) sum += nodes[own[k]];
        values[i] = sum / n;
    }
    *out = values;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ column of a file

static const char *data_blanks(const char *p) {
    while (*p == ' ' || *p == '\t') p++;
    return p;
}

static const char *next_line(const char *p) {
    p += strcspn(p, "\n");
    return *p ? p + 1 : p;
}

// the next field on the same line; NULL: none
static const char *next_field(const char *p) {
    p = data_blanks(p + strcspn(p, ",; \t\r\n"));
    if (*p == ',' || *p == ';') p = data_blanks(p + 1);
    return *p && *p != '\r' && *p != '\n' ? p : NULL;
}

static bool same_word(const char *p, const char *word) {
    size_t n = strlen(word);
    if (*p == '"') p++;
    return strncmp(p, word, n) == 0 && strchr("\",; \t\r\n", p[n]);
}

// finds the column by its name in the header, or by number from 1; default: the last one
static sp_status find_column(column_reader *r) {
    const char *wanted = sp__build_given(r->node, "column") ? sp__attr_word(r->node, "column") : NULL;
    double number;
    bool head = !sp__scan_double(data_blanks(r->at), &number);
    int64_t index;
    if (wanted && sp__scan_int64(wanted, &index) && index >= 1 && index <= 1000000) {
        r->column = (int)index - 1;
    } else if (wanted) {
        const char *p = head ? data_blanks(r->at) : NULL;
        for (r->column = 0; p && !same_word(p, wanted); r->column++) p = next_field(p);
        if (!p) return SP_BUILD_FAIL(r->run, r->node, "column", "%s has no column \"%s\"", r->path, wanted);
    } else {
        for (const char *p = data_blanks(r->at); (p = next_field(p));) r->column++;
    }
    if (head) r->at = next_line(r->at), r->line++;
    return SP_OK;
}

static sp_status read_column(column_reader *r, int count, double *values) {
    int rows = 0;
    SP_TRY(find_column(r));
    for (; *r->at; r->at = next_line(r->at), r->line++) {
        const char *p = data_blanks(r->at);
        if (*p == '#' || *p == '\r' || *p == '\n' || *p == 0) continue;
        for (int i = 0; p && i < r->column; i++) p = next_field(p);
        if (rows == count)
            return SP_BUILD_FAIL(r->run, r->node, "file", "%s:%d: more than the %d values needed", r->path, r->line, count);
        if (!p || !sp__scan_double(p, &values[rows++]))
            return SP_BUILD_FAIL(r->run, r->node, "file", "%s:%d: no finite number in column %d", r->path, r->line,
                                 r->column + 1);
    }
    if (rows < count) return SP_BUILD_FAIL(r->run, r->node, "file", "%s: %d values, %d are needed", r->path, rows, count);
    return SP_OK;
}

static sp_status read_data(sp_run *run, const sp_run_body *body, const sp_scene_node *data, const double **out) {
    const char *path = sp__attr_word(data, "file");
    bool on_nodes = sp__build_is(data, "on", "nodes");
    int count = on_nodes ? sp_mesh_node_count(body->own) : sp_mesh_element_count(body->own);
    double *values;
    char *text;
    size_t size;
    if (!SP_KEEP(&run->scratch, values, count)) return sp__build_no_memory(run);
    sp_status status = sp__text_read(run->ctx, path, sp__scene_memory_limit(run->scene), &text, &size);
    if (status < 0) return sp__build_refused(run, data, status, sp_context_error(run->ctx));
    column_reader r = {run, data, path, text, 1, 0};
    status = read_column(&r, count, values);
    sp__free(run->ctx, text);
    if (status < 0) return status;
    *out = values;
    return on_nodes ? values_on_elements(run, body, values, out) : SP_OK;
}

// ------------------------------------------------------------------------------------------------ by name

sp_status sp__build_data(sp_run *run, const sp_run_body *body, const sp_scene_node *node, const char *attr, const char *name,
                         const double **out) {
    for (const sp_scene_node *data = NULL; (data = sp__next_child(body->node, "data", data));)
        if (strcmp(data->name, name) == 0) return read_data(run, body, data, out);
    const sp_mesh_array *array = sp_mesh_array_named(body->own, name);
    if (!array) return SP_BUILD_FAIL(run, node, attr, "@%s: neither the mesh nor a data element has an array of that name", name);
    if (!array->on_elements) return values_on_elements(run, body, array->values, out);
    *out = array->values;
    return SP_OK;
}
