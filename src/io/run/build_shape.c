// Meshes of solids: generated shapes and files. The cells of a shape follow from `cells`, `elements` or a default rule. Counts
// are checked against the memory limit before anything is generated.
#include <limits.h>

#include "io/run/build.h"
#include "math/vec3.h"

// bytes of mesh and body per tetrahedron: at most 320 in the body, the rest in two meshes while building
static const double TET_BYTES = 700;
// tetrahedra of a shape with neither cells nor elements
static const double AUTO_ELEMENTS = 3000;
// limit of tetrahedra for four cells along the shortest edge of a box: a step then takes some tens of milliseconds
static const double AUTO_BOX_MAX = 20000;

bool sp__is_shape(const sp_scene_node *node) {
    static const char *const shapes[] = {"box", "cylinder", "sphere", "torus", "organ", "mesh", "plane"};
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

// ------------------------------------------------------------------------------------------------ generated

static sp_status make_box(sp_run *run, const sp_scene_node *shape, sp_mesh **out) {
    const double *size = sp__attr(shape, "size")->numbers;
    int cells[3], per_cell = sp__build_is(shape, "pattern", "6") ? 6 : 5;
    if (!cells_given(shape, 3, cells)) {
        double shortest = fmin(size[0], fmin(size[1], size[2])) / 4;
        double edge = fmax(shortest, cbrt(size[0] * size[1] * size[2] * per_cell / AUTO_BOX_MAX));
        // even counts make the default pattern symmetric
        for (int k = 0; k < 3; k++) cells[k] = 2 * at_least(1, size[k] / edge / 2);
        sp__scene_note_auto(run->scene, shape, "cells", "%d %d %d: %s", cells[0], cells[1], cells[2],
                            edge > shortest ? "cells of equal edges, about 20000 tetrahedra in all"
                                            : "four along the shortest edge");
    }
    SP_TRY(sp__build_reserve(run, shape, (double)cells[0] * cells[1] * cells[2] * per_cell, TET_BYTES, "tetrahedra"));
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
    SP_TRY(sp__build_reserve(run, shape, 24.0 * cells[0] * cells[0] * cells[1], TET_BYTES, "tetrahedra"));
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
    SP_TRY(sp__build_reserve(run, shape, 24.0 * cells[0] * cells[1] * cells[1], TET_BYTES, "tetrahedra"));
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
    SP_TRY(sp__build_reserve(run, shape, 48.0 * cells * cells * cells, TET_BYTES, "tetrahedra"));
    return sp_mesh_sphere(run->ctx, radius, cells, out);
}

static sp_status make_organ(sp_run *run, const sp_scene_node *shape, sp_mesh **out) {
    double elements = sp__build_number(shape, "elements", 0);
    SP_TRY(sp__build_reserve(run, shape, elements, TET_BYTES, "tetrahedra"));
    return sp_mesh_organ(run->ctx, sp__attr_word(shape, "kind"), sp__build_number(shape, "length", 0), at_least(1, elements),
                         out);
}

// ------------------------------------------------------------------------------------------------ from files

static sp_status make_from_file(sp_run *run, const sp_scene_node *shape, sp_mesh **out) {
    SP_TRY(sp__build_mesh_file(run, shape, out));
    return sp__build_reserve(run, shape, sp_mesh_tet_count(*out), TET_BYTES, "tetrahedra");
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
    } makers[] = {{"box", make_box},     {"cylinder", make_cylinder}, {"sphere", make_sphere},
                  {"torus", make_torus}, {"organ", make_organ},       {"mesh", make_from_file}};
    bool failed = run->failed;
    run->failed = false;
    sp_status status = SP_BAD_INPUT;
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strcmp(shape->spec->name, makers[i].name) == 0) status = makers[i].make(run, shape, out);
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

sp_status sp__build_mesh(sp_run *run, sp_run_body *body) {
    const sp_scene_node *shape = find_shape(body->node);
    sp_place place;
    SP_TRY(make_shape(run, shape, &body->own));
    SP_TRY(sp__build_place(run, shape, &place));
    SP_TRY(move_mesh(run, shape, &place, NULL, &body->own));
    SP_TRY(sp__build_rest(run, body));
    body->placed = body->own;
    for (int i = 0; i < body->places.count; i++)
        SP_TRY(move_mesh(run, body->node, &body->places.at[i], body->own, &body->placed));
    return SP_OK;
}
