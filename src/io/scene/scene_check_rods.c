// Rules of rods and of the elements in them: attributes without effect, contradictions, counts.
#include <stdio.h>

#include "io/scene/scene_read.h"

static bool check_rods_is(const sp_scene_node *node, const char *element) {
    return strcmp(node->spec->name, element) == 0;
}

static sp_scene_node *child_of(const sp_scene_node *node, const char *element) {
    for (int i = 0; i < node->child_count; i++)
        if (check_rods_is(node->children[i], element) && sp__is_present(node->children[i])) return node->children[i];
    return NULL;
}

static void not_both(const sp_scene_node *node, const char *attr) {
    const sp_attr *a = sp__attr(node, attr);
    if (sp__attr_varies(a, SP_ATTR_OF_TIME) && sp__attr_varies(a, SP_ATTR_OF_SPACE))
        sp__scene_error(node->scene, node, attr, "%s varies in time and along the rod at once: give it t, or s, not both", attr);
}

// ---------------------------------------------------------------------------------------------- rods

static void check_model(sp_scene_node *node) {
    bool helix = sp__attr_is(node, "model", "helix");
    double degree = sp__attr_number(node, "degree");
    if (sp__attr_is(node, "model", "der") || sp__attr_is(node, "model", "beam")) {
        sp__cannot_act(node, "degree", node, "model", "only elements of clothoids and helices are given by their curvature");
    } else if (sp__attr_given(node, "degree")) {
        if (degree == 0 && sp__attr_given(node, "model") && !helix)
            sp__scene_error(node->scene, node, "degree",
                            "degree = 0, curvature that is constant in an element, is model=\"helix\"");
        if (degree == 1 && helix) sp__cannot_act(node, "degree", node, "model", "the curvature of a helix is constant, degree 0");
        if (degree > 1)
            sp__scene_error(node->scene, node, "degree",
                            "degree = %g, must be 1 (clothoid) or 0 (helix); more is known, not in this build", degree);
    }
    if (!sp__attr_is(node, "model", "der")) sp__cannot_act(node, "clamp", node, "model", "only model=\"der\" has a choice");
    if (sp__attr_is(node, "root", "free")) sp__cannot_act(node, "clamp", node, "root", "nothing is clamped");
}

static void check_section(sp_scene_node *node) {
    const sp_attr *section = sp__attr(node, "section"), *radius = sp__attr(node, "radius");
    bool one = sp__attr_given(node, "radius"), two = sp__attr_given(node, "section");
    double bore = sp__attr_number(node, "bore"), thin = INFINITY;
    if (one == two)
        sp__scene_error(node->scene, node, NULL,
                        one ? "radius and section both say how thick it is; one of them"
                            : "needs radius, or section with two semi-axes: how thick it is");
    for (int i = 0; i < section->count; i++) thin = fmin(thin, section->numbers[i]);
    if (radius->count) thin = fmin(thin, radius->numbers[0]);
    if (bore >= thin) sp__scene_error(node->scene, node, "bore", "bore = %g, must be in [0, %g), inside the section", bore, thin);
}

void sp__check_rod(sp_scene_node *node) {
    const sp_scene_node *path = child_of(node, "path"), *initial = child_of(node, "initial");
    bool length = sp__attr_given(node, "length"), free_root = sp__attr_is(node, "root", "free");
    check_model(node);
    check_section(node);
    not_both(node, "curvature");
    if (sp__attr(node, "curvature")->data)
        sp__scene_error(node->scene, node, "curvature",
                        "a rod comes from no mesh file and has no arrays: give {an expression of s}");
    if (path && length) sp__cannot_act(node, "length", NULL, NULL, "its path says how long it is");
    if (!path && !length) sp__scene_error(node->scene, node, NULL, "needs length, or a path: how long it is");
    if (initial && !free_root && (sp__attr_given(initial, "velocity") || sp__attr_given(initial, "spin")))
        sp__scene_error(node->scene, initial, NULL, "the root is clamped: only a rod with root=\"free\" starts with a velocity");
}

void sp__check_path(sp_scene_node *node) {
    const sp_attr *points = sp__attr(node, "points");
    bool file = sp__attr_given(node, "file"), written = sp__attr_given(node, "points");
    if (file == written)
        sp__scene_error(node->scene, node, NULL,
                        file ? "points and file both give the centreline; one of them" : "needs points or a file");
    if (points->count % 3)
        sp__scene_error(node->scene, node, "points", "points: %d numbers, must be three a point", points->count);
    else if (points->count == 3)
        sp__scene_error(node->scene, node, "points", "points: one point, must be two at least");
    for (int i = 3; i + 2 < points->count; i += 3)
        if (memcmp(points->numbers + i, points->numbers + i - 3, 3 * sizeof(double)) == 0)
            sp__scene_error(node->scene, node, "points", "points: %d and %d are both %g %g %g", i / 3, i / 3 + 1,
                            points->numbers[i], points->numbers[i + 1], points->numbers[i + 2]);
}

void sp__check_grow(sp_scene_node *node) {
    const sp_scene_node *rod = node->parent;
    double length = sp__attr_number(rod, "length"), until = sp__attr_number(node, "until");
    if (sp__attr_is(rod, "model", "der") || sp__attr_is(rod, "model", "beam"))
        sp__scene_error(node->scene, node, NULL, "a %s cannot grow; model=\"clothoid\" and \"helix\" can",
                        sp__attr_is(rod, "model", "der") ? "discrete rod" : "beam");
    if (until < length) sp__scene_error(node->scene, node, "until", "until = %g, must be at least the length, %g", until, length);
    if (sp__attr_is(node, "mode", "scale")) sp__cannot_act(node, "split", node, "mode", "only mode=\"tip\" splits elements");
    if (sp__attr_varies(sp__attr(rod, "curvature"), SP_ATTR_OF_TIME))
        sp__scene_error(node->scene, node, NULL,
                        "the curvature of the rod varies in time: what has grown could not keep its own");
}

// ---------------------------------------------------------------------------------------------- elements of a rod

void sp__check_rod_region(sp_scene_node *node) {
    static const char *const numbers[] = {"density", "young", "poisson", "curvature"};
    for (int i = 0; i < 4; i++)
        if (sp__attr(node, numbers[i])->data)
            sp__scene_error(node->scene, node, numbers[i],
                            "a rod comes from no mesh file and has no arrays: give {an expression of s}");
    if (sp__attr_given(node, "radius") && sp__attr_given(node, "section"))
        sp__scene_error(node->scene, node, "section", "radius and section both say how thick it is; one of them");
    sp__cannot_act(node, "material", NULL, NULL, "a rod has no material element: write young, poisson and density");
    if (sp__attr_given(node, "curvature") && sp__attr_varies(sp__attr(node->parent, "curvature"), SP_ATTR_OF_TIME))
        sp__cannot_act(node, "curvature", NULL, NULL, "the curvature of the whole rod varies in time");
}

void sp__check_rod_load(sp_scene_node *node) {
    static const char *const of_faces[] = {"traction", "pressure"};
    for (int i = 0; i < 2; i++) sp__cannot_act(node, of_faces[i], NULL, NULL, "a rod has no faces: give force, each or torque");
    if (!sp__attr_given(node, "acceleration") || !sp__selects_something(node)) return;
    const sp_attr *all = sp__attr(node, "on");
    if (all->origin <= SP_ORIGIN_BUILTIN)
        sp__scene_error(node->scene, node, "acceleration", "an acceleration acts on the whole rod: nothing can be selected");
}

void sp__check_rod_solver(sp_scene_node *node) {
    const char *type = sp__attr_word(node, "type");
    if (type && !sp__list_has("auto/block-tridiagonal/cg", '/', type))
        sp__cannot_act(node, "type", NULL, NULL, "a rod is solved by block-tridiagonal or cg");
    if (sp__attr_is(node, "operator", "matrix-free"))
        sp__cannot_act(node, "operator", NULL, NULL, "the matrices of rods are bands, which are assembled");
}

void sp__check_rod_surface(sp_scene_node *node) {
    bool rod = check_rods_is(node->parent, "rod"), file = sp__attr_given(node, "file");
    const char *map = sp__attr_word(node, "map");
    bool around = map && (strcmp(map, "tube") == 0 || strcmp(map, "ribbon") == 0);
    if (!rod) {
        sp__cannot_act(node, "sides", NULL, NULL, "only the tube around a rod has them");
        if (around) sp__scene_error(node->scene, node, "map", "map=\"%s\": only a rod has one", map);
        return;
    }
    if (file && around)
        sp__scene_error(node->scene, node, "map", "map=\"%s\" is the surface of the rod itself, and there is a file", map);
    if (file) sp__cannot_act(node, "sides", NULL, NULL, "there is a file");
    if (map && (strcmp(map, "barycentric") == 0 || strcmp(map, "rigid") == 0))
        sp__scene_error(node->scene, node, "map", "map=\"%s\": a surface follows the frames of a rod; leave it to auto", map);
    sp__cannot_act(node, "subdivide", NULL, NULL, "the surface of a rod is as fine as its sides");
}

// ---------------------------------------------------------------------------------------------- instances and inverse problems

void sp__check_instance(sp_scene_node *node) {
    const char *path = sp__attr_word(node, "scatter");
    const sp_scene_node *target = path ? sp__path_get(node->scene, path, "", "") : NULL;
    if (!target) return;
    if (!check_rods_is(target, "rigid") && !(target->parent && check_rods_is(target->parent, "rigid")))
        sp__scene_error(node->scene, node, "scatter",
                        "scatter=\"%s\" is of a %s; over anything but a rigid body is known, not in this build", path,
                        target->parent ? target->parent->spec->name : target->spec->name);
    if (sp__attr_given(node, "grid"))
        sp__scene_error(node->scene, node, "grid", "grid and scatter both say where copies are; one of them");
}

void sp__check_inverse(sp_scene_node *node) {
    static const char *const others[] = {"target",  "method",    "start",  "penalty",    "shrink",   "stages",
                                         "contact", "optimiser", "memory", "iterations", "tolerance"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        sp__cannot_act(node, others[i], NULL, NULL,
                       "the curvature of a rod is found by one linear solve from the shape it starts with");
    const char *path = sp__attr_word(node, "unknown"), *dot = path ? strrchr(path, '.') : NULL;
    char holder[300];
    if (!path) return;
    snprintf(holder, sizeof holder, "%.*s", dot ? (int)(dot - path) : 0, path);
    const sp_scene_node *rod = holder[0] ? sp__scene_find(node, holder) : NULL;
    if (!dot || strcmp(dot, ".curvature") != 0)
        sp__scene_error(node->scene, node, "unknown",
                        "unknown=\"%.100s\": anything but the curvature of a rod is known, not in this build", path);
    else if (!rod || !check_rods_is(rod, "rod"))
        sp__scene_error(node->scene, node, "unknown", "unknown=\"%.100s\": no rod \"%.100s\" is in the scene", path, holder);
}
