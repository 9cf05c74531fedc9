// Rules of single elements: attributes without effect, contradictions, counts.
#include "io/scene/scene_read.h"

#include <stdio.h>

static bool is_element(const sp_scene_node *node, const char *element) {
    return strcmp(node->spec->name, element) == 0;
}

// ========================================================================================================== rods

// Rules of rods and of the elements in them.

static sp_scene_node *present_child(const sp_scene_node *node, const char *element) {
    for (int i = 0; i < node->child_count; i++)
        if (is_element(node->children[i], element) && sp__is_present(node->children[i])) return node->children[i];
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
                        one ? "radius and section both give the cross section; use one of them"
                            : "needs radius, or section with two semi-axes");
    for (int i = 0; i < section->count; i++) thin = fmin(thin, section->numbers[i]);
    if (radius->count) thin = fmin(thin, radius->numbers[0]);
    if (bore >= thin) sp__scene_error(node->scene, node, "bore", "bore = %g, must be in [0, %g), inside the section", bore, thin);
}

static void check_rod(sp_scene_node *node) {
    const sp_scene_node *path = present_child(node, "path"), *initial = present_child(node, "initial");
    bool length = sp__attr_given(node, "length"), free_root = sp__attr_is(node, "root", "free");
    check_model(node);
    check_section(node);
    not_both(node, "curvature");
    if (sp__attr(node, "curvature")->data)
        sp__scene_error(node->scene, node, "curvature",
                        "a rod comes from no mesh file and has no arrays: give {an expression of s}");
    if (path && length) sp__cannot_act(node, "length", NULL, NULL, "its path gives the length");
    if (!path && !length) sp__scene_error(node->scene, node, NULL, "needs length or a path");
    if (initial && !free_root && (sp__attr_given(initial, "velocity") || sp__attr_given(initial, "spin")))
        sp__scene_error(node->scene, initial, NULL, "the root is clamped: only a rod with root=\"free\" starts with a velocity");
}

static void check_path(sp_scene_node *node) {
    const sp_attr *points = sp__attr(node, "points");
    bool file = sp__attr_given(node, "file"), written = sp__attr_given(node, "points");
    if (file == written)
        sp__scene_error(node->scene, node, NULL,
                        file ? "points and file both give the centreline; use one of them" : "needs points or a file");
    if (points->count % 3)
        sp__scene_error(node->scene, node, "points", "points: %d numbers, must be three a point", points->count);
    else if (points->count == 3)
        sp__scene_error(node->scene, node, "points", "points: one point, must be two at least");
    for (int i = 3; i + 2 < points->count; i += 3)
        if (memcmp(points->numbers + i, points->numbers + i - 3, 3 * sizeof(double)) == 0)
            sp__scene_error(node->scene, node, "points", "points: %d and %d are both %g %g %g", i / 3, i / 3 + 1,
                            points->numbers[i], points->numbers[i + 1], points->numbers[i + 2]);
}

static void check_grow(sp_scene_node *node) {
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

static void check_feed(sp_scene_node *node) {
    const sp_scene_node *rod = node->parent, *move = present_child(rod, "move");
    if (!sp__attr_is(rod, "model", "der") && !sp__attr_is(rod, "model", "beam"))
        sp__scene_error(node->scene, node, NULL,
                        "a %s cannot be fed: its unknowns move everything beyond them, no node can be held; model=\"beam\" and "
                        "\"der\" can",
                        sp__attr_word(rod, "model"));
    if (sp__attr_is(rod, "root", "free"))
        sp__scene_error(node->scene, rod, "root", "the root of a rod that is fed is held: it cannot be free");
    if (sp__attr_is(rod, "clamp", "edge"))
        sp__scene_error(node->scene, rod, "clamp", "a rod that is fed is clamped at its entry point by half a cell");
    if (move) sp__scene_error(node->scene, move, NULL, "the feed moves the rod: nothing else can");
    const sp_attr *direction = sp__attr(node, "direction");
    if (direction->count == 3 && direction->numbers[0] == 0 && direction->numbers[1] == 0 && direction->numbers[2] == 0)
        sp__scene_error(node->scene, node, "direction", "direction = 0 0 0, must not be zero");
    if (sp__attr_number(rod, "elements") < 2)
        sp__scene_error(node->scene, rod, "elements", "a rod that is fed has at least 2 elements: one stays behind the entry");
}

// ---------------------------------------------------------------------------------------------- elements of a rod

static void check_rod_region(sp_scene_node *node) {
    static const char *const numbers[] = {"density", "young", "poisson", "curvature"};
    for (int i = 0; i < 4; i++)
        if (sp__attr(node, numbers[i])->data)
            sp__scene_error(node->scene, node, numbers[i],
                            "a rod comes from no mesh file and has no arrays: give {an expression of s}");
    if (sp__attr_given(node, "radius") && sp__attr_given(node, "section"))
        sp__scene_error(node->scene, node, "section", "radius and section both give the cross section; use one of them");
    sp__cannot_act(node, "material", NULL, NULL, "a rod has no material element: write young, poisson and density");
    if (sp__attr_given(node, "curvature") && sp__attr_varies(sp__attr(node->parent, "curvature"), SP_ATTR_OF_TIME))
        sp__cannot_act(node, "curvature", NULL, NULL, "the curvature of the whole rod varies in time");
}

static void check_rod_load(sp_scene_node *node) {
    static const char *const of_faces[] = {"traction", "pressure"};
    for (int i = 0; i < 2; i++) sp__cannot_act(node, of_faces[i], NULL, NULL, "a rod has no faces: give force, each or torque");
    if (!sp__attr_given(node, "acceleration") || !sp__selects_something(node)) return;
    const sp_attr *all = sp__attr(node, "on");
    if (all->origin <= SP_ORIGIN_BUILTIN)
        sp__scene_error(node->scene, node, "acceleration", "an acceleration acts on the whole rod: nothing can be selected");
}

static void check_rod_solver(sp_scene_node *node) {
    const char *type = sp__attr_word(node, "type");
    if (type && !sp__list_has("auto/block-tridiagonal/cg", '/', type))
        sp__cannot_act(node, "type", NULL, NULL, "a rod is solved by block-tridiagonal or cg");
    if (sp__attr_is(node, "operator", "matrix-free"))
        sp__cannot_act(node, "operator", NULL, NULL, "the matrices of rods are bands, which are assembled");
}

static void check_rod_surface(sp_scene_node *node) {
    bool rod = is_element(node->parent, "rod"), file = sp__attr_given(node, "file");
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

static void check_instance(sp_scene_node *node) {
    const char *path = sp__attr_word(node, "scatter");
    const sp_scene_node *target = path ? sp__path_get(node->scene, path, "", "") : NULL;
    if (!target) return;
    if (!is_element(target, "rigid") && !(target->parent && is_element(target->parent, "rigid")))
        sp__scene_error(node->scene, node, "scatter",
                        "scatter=\"%s\" is of a %s; over anything but a rigid body is known, not in this build", path,
                        target->parent ? target->parent->spec->name : target->spec->name);
    if (sp__attr_given(node, "grid"))
        sp__scene_error(node->scene, node, "grid", "grid and scatter both place the copies; use one of them");
}

static void check_inverse(sp_scene_node *node) {
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
    else if (!rod || !is_element(rod, "rod"))
        sp__scene_error(node->scene, node, "unknown", "unknown=\"%.100s\": no rod \"%.100s\" is in the scene", path, holder);
}

// ================================================================================================== all elements

static bool is_shape(const sp_scene_node *node) {
    return sp__list_has("box/cylinder/sphere/torus/capsule/plane/organ/mesh/fill/image/sheet/disc", '/', node->spec->name);
}

// number of given attributes among `names`
static int check_parts_given(const sp_scene_node *node, const char *const *names, int n) {
    int count = 0;
    for (int i = 0; i < n; i++) count += sp__attr_given(node, names[i]);
    return count;
}

// ---------------------------------------------------------------------------------------------- materials

static const char *const material_values[] = {"density", "young",  "poisson",     "rotation",          "shape",
                                              "tangent", "form",   "volumetric",  "integration",       "coefficients",
                                              "bulk",    "fibre",  "fibre-young", "incompressibility", "prony",
                                              "swell",   "active", "law"};
enum { MATERIAL_VALUES = sizeof material_values / sizeof *material_values };
// those that an array may give
static const char *const element_values[] = {"density", "young", "poisson", "swell", "active"};
enum { ELEMENT_VALUES = sizeof element_values / sizeof *element_values };

static void acts_in(sp_scene_node *node, const char *attr, const char *model, const char *models, const char *why) {
    if (!sp__list_has(models, '/', model)) sp__cannot_act(node, attr, NULL, NULL, why);
}

static void check_prony(sp_scene_node *node, const char *model) {
    const sp_attr *attr = sp__attr(node, "prony");
    double sum = 0;
    if (!sp__attr_given(node, "prony")) return;
    if (attr->count % 2)
        sp__scene_error(node->scene, node, "prony", "%d numbers, must be pairs of a share and a time", attr->count);
    for (int i = 0; i < attr->count; i += 2) sum += attr->numbers[i];
    if (!(sum < 1))
        sp__scene_error(node->scene, node, "prony", "sum of the shares = %g, must be < 1: the rest is the stiffness that lasts",
                        sum);
    if (strcmp(model, "corotational") != 0) return;
    if (sp__attr_is(node, "rotation", "qr"))
        sp__cannot_act(node, "prony", node, "rotation", "relaxation needs rotation=\"polar\" or \"svd\"");
    if (sp__attr_is(node, "shape", "deformed")) sp__cannot_act(node, "prony", node, "shape", "relaxation needs shape=\"rest\"");
}

static void check_tensor_mass(sp_scene_node *node) {
    sp__cannot_act(node, "integration", NULL, NULL, "tensor-mass has one integration point");
    if (sp__attr_is(node, "law", "hooke")) sp__cannot_act(node, "tangent", node, "law", "the tangent of Hooke's law is constant");
}

// Attributes of a law that this model has not. `isochoric`: the law has a bulk modulus.
static void check_law(sp_scene_node *node, const char *model, bool isochoric) {
    static const char own[] = "neo-hookean/mooney-rivlin/arruda-boyce/veronda-westmann/ogden/holzapfel/costa";
    if (strcmp(model, "linear") == 0) {
        sp__cannot_act(node, "rotation", NULL, NULL, "a linear material has no rotations");
        sp__cannot_act(node, "shape", NULL, NULL, "a linear material has no rotations");
        sp__cannot_act(node, "tangent", NULL, NULL, "a linear material has no rotations");
    }
    acts_in(node, "rotation", model, "corotational/linear", "only a corotational material has rotations");
    acts_in(node, "shape", model, "corotational/linear", "only a corotational material has rotations");
    if (strcmp(model, "tensor-mass") == 0) check_tensor_mass(node);
    acts_in(node, "law", model, "tensor-mass", "only material=\"tensor-mass\" has a choice of laws");
    acts_in(node, "form", model, "neo-hookean", "only material=\"neo-hookean\" has forms");
    acts_in(node, "coefficients", model, own, "this law has no coefficients: young and poisson describe it");
    if (!isochoric) {
        static const char why[] = "this law has no separate energy of the volume (docs/materials.md)";
        sp__cannot_act(node, "volumetric", NULL, NULL,
                       strcmp(model, "costa") == 0 ? "costa has an energy of the volume of its own (docs/fibres.md)" : why);
        if (strcmp(model, "costa") != 0) sp__cannot_act(node, "bulk", NULL, NULL, why);
        if (strcmp(model, "neo-hookean") == 0)
            sp__cannot_act(node, "coefficients", NULL, NULL, "only form=\"isochoric\" has coefficients: mu");
    }
    if (isochoric || strcmp(model, "costa") == 0)
        sp__cannot_act(node, "incompressibility", NULL, NULL, "this law has a bulk modulus of its own: use bulk");
    if (sp__attr_given(node, "coefficients") && sp__attr_given(node, "young"))
        sp__scene_error(node->scene, node, "coefficients", "young and coefficients both give the stiffness; use one of them");
    if (sp__attr_given(node, "coefficients")) sp__attr_unused(node, sp__attr_index(node->spec, "young"));
    if (sp__attr_given(node, "bulk")) sp__attr_unused(node, sp__attr_index(node->spec, "poisson"));
    if (sp__attr_given(node, "bulk") && sp__attr_given(node, "poisson"))
        sp__scene_error(node->scene, node, "bulk",
                        "poisson and bulk both give the resistance to a change of volume; use one of them");
    check_prony(node, model);
    if (strcmp(model, "mass-spring") == 0) {
        sp__cannot_act(node, "poisson", NULL, NULL, "an isotropic network of springs has Poisson's ratio 1/4, in a membrane 1/3");
        sp__cannot_act(node, "prony", NULL, NULL, "springs have no relaxation");
        sp__cannot_act(node, "integration", NULL, NULL, "springs have no integration points");
        sp__cannot_act(node, "incompressibility", NULL, NULL, "springs have no change of volume");
    }
    if (!sp__attr_is(node, "tangent", "exact") || strcmp(model, "corotational") != 0) return;
    if (sp__attr_is(node, "rotation", "qr"))
        sp__cannot_act(node, "tangent", node, "rotation", "the exact tangent needs rotation=\"polar\" or \"svd\"");
    if (sp__attr_is(node, "shape", "deformed"))
        sp__cannot_act(node, "tangent", node, "shape", "the exact tangent needs shape=\"rest\"");
}

static bool law_isochoric(const sp_scene_node *node, const char *model) {
    return sp__list_has("mooney-rivlin/arruda-boyce/veronda-westmann/ogden/holzapfel", '/', model) ||
           (strcmp(model, "neo-hookean") == 0 && sp__attr_is(node, "form", "isochoric"));
}

static bool fibre_given(const sp_scene_node *node, const sp_scene_node *body, const char *attr) {
    return sp__attr_given(node, attr) || (body && sp__attr_given(body, attr));
}

// Fibres: what has them, and their directions. `body`: the element whose values a region takes over; NULL: not a region
static void check_fibre(sp_scene_node *node, const sp_scene_node *body, const char *model) {
    bool own = sp__list_has("holzapfel/costa", '/', model), needs = strcmp(model, "holzapfel") == 0;
    const sp_attr *young = sp__attr(node, "fibre-young"), *fibre = sp__attr(node, "fibre");
    bool adds = sp__attr_given(node, "fibre-young") && young->count && young->numbers[0] > 0;
    if (own) sp__cannot_act(node, "fibre-young", NULL, NULL, "the coefficients of this law describe its fibres (docs/fibres.md)");
    if (strcmp(model, "linear") == 0 || (strcmp(model, "tensor-mass") == 0 && sp__attr_is(node, "law", "hooke")))
        sp__cannot_act(node, "fibre-young", NULL, NULL, "fibres of a linear material would not turn with the body");
    if (!own && !fibre_given(node, body, "fibre-young") && !fibre_given(node, body, "active"))
        sp__cannot_act(node, "fibre", NULL, NULL,
                       "fibres are those of fibre-young, active, holzapfel or costa, and none is given");
    if (sp__attr_given(node, "active") && !fibre_given(node, body, "fibre"))
        sp__scene_error(node->scene, node, "active", "active needs fibre, the direction in which it contracts");
    if ((needs || (adds && !own)) && !fibre_given(node, body, "fibre"))
        sp__scene_error(node->scene, node, adds ? "fibre-young" : NULL, "%s needs fibre, the direction of its fibres",
                        needs ? "holzapfel" : "fibre-young");
    bool constant = fibre->count >= 3 && !sp__attr_varies(fibre, SP_ATTR_OF_SPACE);
    if (constant && fibre->numbers[0] == 0 && fibre->numbers[1] == 0 && fibre->numbers[2] == 0)
        sp__scene_error(node->scene, node, "fibre", "fibre has no length");
}

// model of the material of a body or a region
static const char *model_of(const sp_scene_node *node) {
    const sp_scene_node *material = sp__scene_material(node);
    const char *word = sp__attr_word(material, material == node ? "material" : "model");
    return word ? word : "corotational";
}

static void check_data(sp_scene_node *node) {
    for (int i = 0; i < ELEMENT_VALUES; i++) {
        const sp_attr *attr = sp__attr(node, element_values[i]);
        if (!attr->data) continue;
        const sp_scene_node *body = is_element(node, "region") ? node->parent : node;
        bool found = is_element(node, "material");  // checked for each body that uses it when the body is built
        for (int c = 0; c < body->child_count && !found; c++) {
            const sp_scene_node *child = body->children[c];
            found = is_element(child, "mesh");
            if (!is_element(child, "data") || strcmp(child->name, attr->data) != 0) continue;
            child->source->used = found = true;
        }
        if (!found) sp__scene_error(node->scene, node, element_values[i], "there is no data \"%s\" in this body", attr->data);
    }
}

// the three components of an array of `fibre`: data elements E-x, E-y, E-z, or a vector of a mesh file, which is checked later
static void use_data_of_fibre(const sp_scene_node *body, const char *name, bool *found) {
    static const char *const component[3] = {"-x", "-y", "-z"};
    size_t length = strlen(name);
    for (int c = 0; c < body->child_count; c++) {
        const sp_scene_node *child = body->children[c];
        *found = *found || is_element(child, "mesh");
        if (!is_element(child, "data") || strncmp(child->name, name, length) != 0) continue;
        for (int k = 0; k < 3; k++)
            if (strcmp(child->name + length, component[k]) == 0) child->source->used = *found = true;
    }
}

// `values`: a body, a region or a material that is used in the body
static void check_fibre_data(const sp_scene_node *body, sp_scene_node *values) {
    const sp_attr *fibre = sp__attr(values, "fibre");
    const char *const names[2] = {fibre->data, fibre->second};
    for (int i = 0; i < 2 && names[i]; i++) {
        bool found = false;
        use_data_of_fibre(body, names[i], &found);
        if (!found)
            sp__scene_error(values->scene, values, "fibre", "there is no data \"%s-x\", \"%s-y\", \"%s-z\" in this body",
                            names[i], names[i], names[i]);
    }
}

static void use_data_of_material(const sp_scene_node *body, const sp_scene_node *material) {
    for (int i = 0; i < ELEMENT_VALUES; i++) {
        const sp_attr *attr = sp__attr(material, element_values[i]);
        for (int c = 0; attr->data && c < body->child_count; c++)
            if (is_element(body->children[c], "data") && strcmp(body->children[c]->name, attr->data) == 0)
                body->children[c]->source->used = true;
    }
}

// A sheet and a disc have triangles only, and a membrane has no elements of other orders.
static void check_thickness(sp_scene_node *node, sp_scene_node *shape) {
    static const char *const of_volumes[] = {"order", "tetrahedra"};
    bool triangles = is_element(shape, "sheet") || is_element(shape, "disc"), membrane = sp__attr_given(node, "thickness");
    if (triangles && !membrane)
        sp__scene_error(node->scene, shape, NULL,
                        "a %s consists of triangles: the solid needs a thickness, which makes it a membrane", shape->spec->name);
    for (int i = 0; membrane && i < 2; i++)
        if (sp__attr_index(shape->spec, of_volumes[i]) >= 0)
            sp__cannot_act(shape, of_volumes[i], node, "thickness", "the elements of a membrane are triangles with 3 nodes");
}

static void check_solid(sp_scene_node *node) {
    const sp_scene_node *material = sp__scene_material(node);
    sp_scene_node *first = NULL;
    if (material != node) {
        char why[200];
        snprintf(why, sizeof why, "the material \"%.100s\" has the values; write them there or here", material->name);
        for (int i = 0; i < MATERIAL_VALUES; i++) sp__cannot_act(node, material_values[i], node, "material", why);
        use_data_of_material(node, material);
    } else {
        check_law(node, model_of(node), law_isochoric(node, model_of(node)));
        check_fibre(node, NULL, model_of(node));
    }
    check_data(node);
    check_fibre_data(node, (sp_scene_node *)material);
    for (int i = 0; i < node->child_count; i++) {
        sp_scene_node *child = node->children[i];
        if (!is_shape(child) || !sp__is_present(child)) continue;
        if (first)
            sp__scene_error(node->scene, child, NULL, "a solid has one shape, and there is a %s at line %d", first->spec->name,
                            first->line);
        else
            first = child;
    }
    if (!first)
        sp__scene_error(node->scene, node, NULL,
                        "has no shape: it needs a box, cylinder, sphere, torus, organ, mesh, sheet or disc");
    else
        check_thickness(node, first);
}

static void check_material(sp_scene_node *node) {
    const char *model = sp__attr_word(node, "model");
    if (!model) return;  // an unknown word, which is reported already
    check_law(node, model, law_isochoric(node, model));
    check_fibre(node, NULL, model);
    check_data(node);
}

// friction of a region or a surface
static void check_friction(sp_scene_node *node) {
    const sp_scene_node *contact = present_child(sp__scene_root(node->scene), "contact");
    if (!contact || sp__attr_is(contact, "formulation", "penalty"))
        sp__cannot_act(node, "friction", contact, "formulation",
                       contact ? "penalty contact has one coefficient; formulation=\"proximity\" has more"
                               : "the scene has no contact element");
    if (is_element(node->parent, "rod"))
        sp__cannot_act(node, "friction", NULL, NULL, "contact by constraints does not act on rods yet");
}

static void check_region(sp_scene_node *node) {
    static const char *const of_rods[] = {"radius", "section", "bore", "curvature"};
    const sp_scene_node *body = node->parent, *own = sp__scene_material(node);
    if (is_element(body, "rod")) check_rod_region(node);
    if (!is_element(body, "solid")) return;
    for (int i = 0; i < 4; i++) sp__cannot_act(node, of_rods[i], NULL, NULL, "it applies to rods only");
    if (own != node) {
        for (int i = 0; i < MATERIAL_VALUES; i++)
            sp__cannot_act(node, material_values[i], node, "material",
                           "the material named has the values; write them there or here");
    } else {
        const char *word = sp__attr_word(node, "material"), *model = word ? word : model_of(body);
        const sp_scene_node *form = sp__attr_given(node, "form") ? node : sp__scene_material(body);
        check_law(node, model, law_isochoric(form, model));
        check_fibre(node, sp__scene_material(body), model);
    }
    check_fibre_data(body, (sp_scene_node *)own);
    check_friction(node);
    check_data(node);
    if (own != node) use_data_of_material(body, own);
}

// ---------------------------------------------------------------------------------------------- shapes and rigid bodies

static void check_hexahedra(sp_scene_node *node) {
    const char *pattern = sp__attr_word(node, "pattern");
    const sp_attr *order = sp__attr(node, "order");
    if (pattern && strcmp(pattern, "hex") == 0 && order->count == 1 && order->numbers[0] == 2)
        sp__scene_error(node->scene, node, "order", "hexahedra have order 1 only; pattern=\"5\" and \"6\" have order 2");
}

static void check_shape(sp_scene_node *node) {
    static const char *const placing[] = {"scale", "rotate", "quat", "translate"};
    static const char *const meshing[] = {"cells", "elements", "pattern", "order", "tetrahedra"};
    bool rigid = is_element(node->parent, "rigid"), file = is_element(node, "mesh");
    for (int i = 0; i < 4; i++)
        if (!rigid && !file && sp__attr_index(node->spec, placing[i]) >= 0)
            sp__cannot_act(
                node, placing[i], NULL, NULL,
                "the placement belongs to the body around it, <solid translate=\"...\">; only the shapes of a rigid have "
                "one of their own");
    for (int i = 0; i < 5; i++) {
        if (sp__attr_index(node->spec, meshing[i]) < 0) continue;
        if (rigid) sp__cannot_act(node, meshing[i], NULL, NULL, "a rigid shape has no cells");
    }
    if (is_element(node, "box")) check_hexahedra(node);
    bool either = sp__attr_index(node->spec, "elements") >= 0 && sp__attr_index(node->spec, "cells") >= 0;
    if (either && sp__attr_given(node, "elements") && sp__attr_given(node, "cells"))
        sp__scene_error(node->scene, node, "elements", "cells and elements both give the resolution; use one of them");
    if (is_element(node, "torus")) {
        const sp_attr *r = sp__attr(node, "radius");
        if (r->count == 2 && r->numbers[1] >= r->numbers[0])
            sp__scene_error(node->scene, node, "radius", "the tube, %g, must be thinner than the ring, %g", r->numbers[1],
                            r->numbers[0]);
    }
    static const char *const directions[] = {"axis", "normal"};
    for (int i = 0; i < 2; i++) {
        const sp_attr *d = sp__attr_index(node->spec, directions[i]) < 0 ? NULL : sp__attr(node, directions[i]);
        if (d && d->count == 3 && d->numbers[0] == 0 && d->numbers[1] == 0 && d->numbers[2] == 0)
            sp__scene_error(node->scene, node, directions[i], "%s has no length", directions[i]);
    }
    static const char *const of_tetrahedra[] = {"part", "weld"};
    for (int i = 0; rigid && file && i < 2; i++)
        sp__cannot_act(node, of_tetrahedra[i], NULL, NULL, "a rigid body takes the whole surface of the file");
}

static void check_free_rigid(sp_scene_node *node) {
    if (sp__attr_given(node, "mass")) sp__cannot_act(node, "density", node, "mass", "mass gives the mass");
    for (int i = 0; i < node->child_count; i++)
        if (is_element(node->children[i], "plane") && sp__is_present(node->children[i]))
            sp__scene_error(node->scene, node->children[i], NULL,
                            "a plane has no mass: a rigid with motion=\"free\" cannot have one");
}

static void check_rigid(sp_scene_node *node) {
    static const char *const of_free[] = {"mass", "density", "inertia"};
    bool shape = false, moves = sp__attr_is(node, "motion", "kinematic"), is_free = sp__attr_is(node, "motion", "free");
    for (int i = 0; i < node->child_count; i++) {
        const sp_scene_node *child = node->children[i];
        shape = shape || is_shape(child);
        if (!sp__is_present(child)) continue;
        if (is_element(child, "move") && !moves)
            sp__scene_error(node->scene, child, NULL,
                            is_free ? "the rigid is free: forces move it; motion=\"kinematic\" follows a move"
                                    : "the rigid is fixed; motion=\"kinematic\" lets it move");
        if (is_element(child, "initial") && !is_free)
            sp__scene_error(node->scene, child, NULL, "a rigid that is fixed or kinematic starts where it is placed");
        if ((is_element(child, "load") || is_element(child, "pull") || is_element(child, "integrator")) && !is_free)
            sp__scene_error(node->scene, child, NULL,
                            "the rigid is %s: forces have no effect on it; motion=\"free\" lets them move it",
                            moves ? "kinematic" : "fixed");
    }
    if (is_free)
        check_free_rigid(node);
    else
        for (int i = 0; i < 3; i++) sp__cannot_act(node, of_free[i], node, "motion", "only motion=\"free\" has a mass");
    if (!shape)
        sp__scene_error(node->scene, node, NULL, "has no shape: it needs a plane, sphere, box, cylinder, capsule, torus or mesh");
}

// ---------------------------------------------------------------------------------------------- conditions

static void check_load(sp_scene_node *node) {
    static const char *const kinds[] = {"force", "each", "traction", "pressure", "torque", "acceleration"};
    int n = check_parts_given(node, kinds, 6);
    bool rod = is_element(node->parent, "rod"), rigid = is_element(node->parent, "rigid");
    if (n != 1)
        sp__scene_error(node->scene, node, NULL, "needs one of force, %s and acceleration, has %s",
                        rigid ? "torque"
                        : rod ? "each, torque"
                              : "each, traction, pressure",
                        n ? "several" : "none");
    if (rod)
        check_rod_load(node);
    else if (rigid)
        for (int i = 1; i < 4; i++)
            sp__cannot_act(node, kinds[i], NULL, NULL,
                           "a rigid body has neither nodes nor faces of its own: give force or torque");
    else
        sp__cannot_act(node, "torque", NULL, NULL, "only the cross sections of a rod take a torque");
}

static void check_mass(sp_scene_node *node) {
    if (!is_element(node->parent, "rod"))
        sp__cannot_act(node, "inertia", NULL, NULL, "the nodes of a solid do not rotate: only a rod takes a moment of inertia");
}

static void check_move(sp_scene_node *node) {
    static const char *const placing[] = {"rotate", "quat", "translate"};
    bool keyed = false;
    double last = -INFINITY;
    for (int i = 0; i < node->child_count; i++) {
        const sp_scene_node *key = node->children[i];
        if (!is_element(key, "key") || !sp__is_present(key)) continue;
        double t = sp__attr_number(key, "t");
        if (t <= last) sp__scene_error(node->scene, key, "t", "key times must increase: %g after %g", t, last);
        last = t;
        keyed = true;
    }
    int n = check_parts_given(node, placing, 3) + sp__attr_given(node, "scale");
    if (!keyed) sp__cannot_act(node, "interpolate", NULL, NULL, "there are no keys");
    if (keyed && n) sp__scene_error(node->scene, node, NULL, "keys and a placement both give the motion; use one of them");
    if (!keyed && !n) sp__scene_error(node->scene, node, NULL, "has no motion: it needs keys or a placement that varies in time");
}

static void check_key(sp_scene_node *node) {
    if (!is_element(node->parent, "camera")) return;
    sp__scene_error(node->scene, node, NULL, "a moving camera is known, not in this build");
}

// ---------------------------------------------------------------------------------------------- systems

static sp_scene_node *any_child(const sp_scene_node *body, const char *element) {
    for (int i = 0; i < body->child_count; i++)
        if (is_element(body->children[i], element)) return body->children[i];
    return NULL;
}

static void check_integrator(sp_scene_node *node) {
    static const char *const newton[] = {"iterations", "tolerance", "line-search"};
    if (!node->parent->parent) return;  // a default for bodies, checked there
    const char *type = sp__attr_word(node, "type");
    if (!type) return;
    bool solves = strcmp(type, "newton") == 0 || strcmp(type, "static") == 0;
    bool corrects = is_element(node->parent, "rod") && strcmp(type, "implicit-euler") == 0;  // false for iterations="1"
    for (int i = 0; i < 3; i++)
        if (!solves && !(corrects && i == 0))
            sp__cannot_act(node, newton[i], node, "type", "only type=\"newton\" and \"static\" iterate");
    if (strcmp(type, "static") != 0) sp__cannot_act(node, "load-steps", node, "type", "only type=\"static\" grows its loads");
    if (strcmp(type, "static") == 0) sp__cannot_act(node, "substeps", node, "type", "an equilibrium has no time to divide");
}

// solver attributes that act only with one solver type
static const struct {
    const char *attr, *decides, *words, *why;
} solver_rules[] = {
    {"operator", "type", "auto/cg", "only type=\"cg\" can do without an assembled matrix"},
    {"preconditioner", "type", "pcg", "only type=\"pcg\" has a preconditioner"},
    {"refresh", "type", "auto/pcg", "only the preconditioner of type=\"pcg\" is refreshed"},
    {"warp", "type", "auto/pcg", "only the preconditioner of type=\"pcg\" is rotated"},
    {"lag", "type", "auto/pcg", "only the preconditioner of type=\"pcg\" is built asynchronously"},
    {"threshold", "type", "updated-cholesky", "only type=\"updated-cholesky\" has one"},
    {"budget", "type", "updated-cholesky", "only type=\"updated-cholesky\" has one"},
    {"ordering", "type", "auto/pcg/cholesky/updated-cholesky", "only factors have an order"},
    {"factor", "type", "auto/pcg/cholesky/updated-cholesky/dense", "only factors have a kind"},
    {"drop", "preconditioner", "ic", "only preconditioner=\"ic\" drops entries"},
    {"omega", "preconditioner", "ssor", "only preconditioner=\"ssor\" has one"},
};

static void check_solver(sp_scene_node *node) {
    static const char *const all[] = {"type", "operator", "tolerance", "iterations"};
    if (!node->parent->parent) return;  // a default for bodies, checked there
    if (is_element(node->parent, "rod")) check_rod_solver(node);
    if (is_element(node->parent, "solid") && sp__attr_is(node, "type", "block-tridiagonal"))
        sp__cannot_act(node, "type", NULL, NULL, "block-tridiagonal is for chains: only rods are");
    const sp_scene_node *integrator = any_child(node->parent, "integrator");
    if (integrator && sp__attr_is(integrator, "type", "explicit"))
        for (int i = 0; i < 4; i++) sp__cannot_act(node, all[i], integrator, "type", "an explicit integrator solves no systems");
    for (size_t i = 0; i < sizeof solver_rules / sizeof *solver_rules; i++) {
        const char *word = sp__attr_word(node, solver_rules[i].decides);
        if (word && !sp__list_has(solver_rules[i].words, '/', word))
            sp__cannot_act(node, solver_rules[i].attr, node, solver_rules[i].decides, solver_rules[i].why);
    }
}

// ---------------------------------------------------------------------------------------------- events, probes, records

// the target is a path that ends in an attribute, or a parameter
static void check_target(sp_scene_node *node) {
    sp_scene *scene = node->scene;
    const char *path = sp__attr_word(node, "set"), *dot = path ? strrchr(path, '.') : NULL;
    char holder[300], hint[120];
    if (!path) return;
    const char *attr = dot ? dot + 1 : path;
    snprintf(holder, sizeof holder, "%.*s", dot ? (int)(dot - path) : 0, path);
    const sp_scene_node *target = holder[0] ? sp__scene_find(node, holder) : scene->root;
    // the last word may be a component of an attribute, as in gravity.y
    if (!target && dot) {
        char *last = strrchr(holder, '.');
        target = last ? NULL : scene->root;
        if (last) {
            *last = 0;
            target = sp__scene_find(node, holder);
        }
        attr = last ? last + 1 : holder;
        if (!last && sp__attr_index(scene->root->spec, holder) < 0) target = NULL;
    }
    if (!target) {
        sp__scene_error(scene, node, "set", "set=\"%.100s\" matches nothing", path);
    } else if (sp__attr_index(target->spec, attr) < 0) {
        const char *known[64];
        int n = 0;
        for (int i = 0; i < target->spec->attr_count && n < 64; i++) known[n++] = target->spec->attrs[i].name;
        sp__scene_error(scene, node, "set", "set=\"%.100s\": %s has no attribute \"%.60s\"%s", path, target->spec->name, attr,
                        sp__did_you_mean(attr, known, n, hint));
    }
}

// the element that an attribute names; NULL: none, which is reported
static const sp_scene_node *named_by(const sp_scene_node *node, const char *attr) {
    const char *path = sp__attr_word(node, attr);
    return path ? sp__scene_find(node, path) : NULL;
}

static void check_event(sp_scene_node *node) {
    sp_scene *scene = node->scene;
    const bool links = sp__attr_is(node, "do", "attach") || sp__attr_is(node, "do", "detach");
    if (sp__attr_given(node, "t") == sp__attr_given(node, "when"))
        sp__scene_error(scene, node, NULL, "needs either t or when, the time of the event");
    if (sp__attr_is(node, "do", "set")) {
        if (!sp__attr_given(node, "set") || !sp__attr_given(node, "value"))
            sp__scene_error(scene, node, NULL, "needs set, the path, and value");
        check_target(node);
        sp__cannot_act(node, "of", node, "do", "do=\"set\" has its path in set");
        if (sp__selects_something(node)) sp__scene_error(scene, node, NULL, "do=\"set\" takes no selection");
        return;
    }
    sp__cannot_act(node, "set", node, "do", "it belongs to do=\"set\"");
    sp__cannot_act(node, "value", node, "do", "it belongs to do=\"set\"");
    sp__cannot_act(node, "ramp", node, "do", "it belongs to do=\"set\"");
    const sp_scene_node *of = named_by(node, "of");
    if (!sp__attr_given(node, "of")) sp__scene_error(scene, node, NULL, "needs of, the %s", links ? "attach element" : "body");
    if (of && is_element(of, "attach") != links)
        sp__scene_error(scene, node, "of", "of=\"%s\" is a %s; do=\"%s\" is about %s", sp__attr_word(node, "of"), of->spec->name,
                        sp__attr_word(node, "do"), links ? "an attach element" : "a body");
    if (links && sp__selects_something(node))
        sp__scene_error(scene, node, NULL, "do=\"%s\" takes no selection: the attach element has its own",
                        sp__attr_word(node, "do"));
    if (!links && !sp__selects_something(node))
        sp__scene_error(scene, node, NULL, "needs a selection: what is %s",
                        sp__attr_is(node, "do", "remove") ? "removed" : "pinned or released");
}

// ---------------------------------------------------------------------------------------------- links

static void check_direction(sp_scene_node *node, const char *attr) {
    const sp_attr *d = sp__attr(node, attr);
    if (d->count == 3 && d->numbers[0] == 0 && d->numbers[1] == 0 && d->numbers[2] == 0)
        sp__scene_error(node->scene, node, attr, "%s = 0 0 0, must not be 0", attr);
}

static void check_slide(sp_scene_node *node) {
    const sp_scene_node *b = named_by(node, "b");
    const bool line = sp__attr_given(node, "axis"), plane = sp__attr_given(node, "normal");
    if (line && plane) sp__scene_error(node->scene, node, "normal", "axis and normal: a point slides on a line or on a plane");
    if (line || plane || !b) return;
    while (b->parent && !sp__is_body(b)) b = b->parent;
    if (!is_element(b, "rod"))
        sp__scene_error(node->scene, node, NULL,
                        "needs axis, the direction of a line, or normal, that of a plane: only a rod has a centreline");
    sp__cannot_act(node, "point", NULL, NULL, "the centreline of the rod says where");
}

static void check_attach(sp_scene_node *node) {
    static const char *const of_springs[] = {"stiffness", "damping"};
    const bool spring = sp__attr_is(node, "type", "spring"), slide = sp__attr_is(node, "type", "slide");
    const bool hinge = sp__attr_is(node, "type", "hinge");
    for (int i = 0; i < 2 && !spring; i++) sp__cannot_act(node, of_springs[i], node, "type", "only type=\"spring\" has one");
    if (!slide) {
        sp__cannot_act(node, "friction", node, "type", "only type=\"slide\" slides");
        sp__cannot_act(node, "normal", node, "type", "only type=\"slide\" has a plane");
    }
    if (!slide && !hinge) sp__cannot_act(node, "axis", node, "type", "only a hinge and a slide have an axis");
    if (spring && !sp__attr_given(node, "stiffness")) sp__scene_error(node->scene, node, NULL, "a spring needs stiffness");
    if (hinge && (!sp__attr_given(node, "point") || !sp__attr_given(node, "axis")))
        sp__scene_error(node->scene, node, NULL, "a hinge needs point and axis");
    check_direction(node, "axis"), check_direction(node, "normal");
    if (slide) check_slide(node);
}

// Penalty contact is a load inside each body: it has no list of contacts.
static void check_probe_of_contact(sp_scene_node *node) {
    const sp_attr *quantity = sp__attr(node, "quantity");
    const sp_scene_node *contact = sp__next_child(sp__scene_root(node->scene), "contact", NULL);
    if (!contact || !sp__attr_is(contact, "formulation", "penalty")) return;
    for (int i = 0; i < quantity->count; i++)
        if (sp__list_has("contact-force/contact-count/gap", '/', quantity->words[i]))
            sp__scene_error(node->scene, node, "quantity",
                            "%s is a number of contact by constraints, and the contact of this scene has "
                            "formulation=\"penalty\"; formulation=\"proximity\" has it",
                            quantity->words[i]);
}

// A probe of links has their force and stretch, one of bodies all but the stretch.
static void check_probe_of_links(sp_scene_node *node) {
    const sp_attr *of = sp__attr(node, "of"), *quantity = sp__attr(node, "quantity");
    int links = 0, bodies = 0;
    for (int i = 0; sp__attr_given(node, "of") && i < of->count; i++) {
        const sp_scene_node *target = sp__scene_find(node, of->words[i]);
        if (!target) continue;
        links += is_element(target, "attach"), bodies += !is_element(target, "attach");
    }
    if (links && bodies) sp__scene_error(node->scene, node, "of", "a probe is about bodies or about attach elements, not both");
    for (int i = 0; i < quantity->count && !(links && bodies); i++) {
        if (links && !sp__list_has("force/stretch", '/', quantity->words[i]))
            sp__scene_error(node->scene, node, "quantity", "an attach element has force and stretch, not %s", quantity->words[i]);
        if (!links && strcmp(quantity->words[i], "stretch") == 0)
            sp__scene_error(node->scene, node, "quantity", "only an attach element has a stretch");
    }
}

static void check_probe(sp_scene_node *node) {
    bool in_body = sp__is_body(node->parent);
    check_probe_of_contact(node);
    check_probe_of_links(node);
    if (in_body)
        sp__cannot_act(node, "of", NULL, NULL, "a probe in a body is about that body");
    else if (!sp__attr_given(node, "of"))
        sp__scene_error(node->scene, node, NULL, "needs of, the body; or put it into the body itself");
    if (!in_body && sp__selects_something(node))
        sp__scene_error(node->scene, node, NULL, "a selection belongs to a body: put the probe into it");
}

static void check_record(sp_scene_node *node) {
    // attributes of some kinds only: the kinds and the message for the others
    static const struct {
        const char *attr, *kinds, *why;
    } rules[] = {
        {"quantity", ".xdmf/.vtu/.obj/.ply", "it is about bodies: a .csv record holds probes, a .png shows what view gives"},
        {"part", ".xdmf/.vtu/.obj/.ply",
         "it is about the shape of bodies: a .csv record holds probes, a .png shows what view gives"},
        {"of", ".xdmf/.vtu/.obj/.ply/.csv", "a picture shows what view gives"},
        {"camera", ".png", "only a .png record is seen through a camera"},
        {"precision", ".xdmf", "only .xdmf records have a choice"},
        {"compress", ".xdmf/.vtu", "only .xdmf and .vtu records can be"},
        {"on-slow", ".xdmf/.vtu/.obj/.ply/.csv", "pictures are drawn between two steps"},
    };
    const char *file = sp__attr_word(node, "file"), *dot = file ? strrchr(file, '.') : NULL;
    if (!file) return;
    if (!dot || dot == file || !sp__list_has(".xdmf/.vtu/.obj/.ply/.png/.csv", '/', dot)) {
        sp__scene_error(node->scene, node, "file",
                        "file=\"%s\": the suffix gives the format and must be .xdmf, .vtu, .obj, .ply, .png or .csv", file);
        return;
    }
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!sp__list_has(rules[i].kinds, '/', dot)) sp__cannot_act(node, rules[i].attr, node, "file", rules[i].why);
}

static void check_initial(sp_scene_node *node) {
    static const char *const moves[] = {"scale", "rotate", "quat", "translate", "velocity", "spin"};
    if (!sp__attr_given(node, "file")) {
        sp__cannot_act(node, "time", NULL, NULL, "it is a time in a recording, and file names none");
        return;
    }
    if (is_element(node->parent, "rod"))
        sp__scene_error(node->scene, node, "file", "a rod that starts from a recording is known, not in this build");
    else if (!is_element(node->parent, "solid"))
        sp__scene_error(node->scene, node, "file", "a rigid body that starts from a recording is known, not in this build");
    for (int i = 0; i < 6; i++) sp__cannot_act(node, moves[i], node, "file", "the recording gives all positions");
}

static void check_stop(sp_scene_node *node) {
    static const char *const all[] = {"time", "steps", "wall", "when"};
    if (!check_parts_given(node, all, 4)) sp__scene_error(node->scene, node, NULL, "needs time, steps, wall or when");
}

static void check_expect(sp_scene_node *node) {
    if (sp__attr_given(node, "at") == sp__attr_given(node, "over"))
        sp__scene_error(node->scene, node, NULL, "needs either at or over, the sample that is compared");
}

static bool has_role(const sp_scene_node *surface, const char *word) {
    const sp_attr *role = sp__attr(surface, "role");
    for (int i = 0; i < role->count; i++)
        if (strcmp(role->words[i], word) == 0) return true;
    return false;
}

// what only contact by constraints uses of a surface
static void check_surface_contact(sp_scene_node *node) {
    static const char *const words[] = {"side", "field", "self"};
    const sp_scene_node *contact = present_child(sp__scene_root(node->scene), "contact");
    const bool constraints = contact && !sp__attr_is(contact, "formulation", "penalty");
    for (int i = 0; i < 3; i++) {
        if (!has_role(node, "collision")) sp__cannot_act(node, words[i], node, "role", "nothing touches it: its role is visual");
        if (!constraints)
            sp__cannot_act(node, words[i], contact, "formulation",
                           contact ? "penalty contact acts on shapes; formulation=\"proximity\" acts on surfaces"
                                   : "the scene has no contact element");
        if (is_element(node->parent, "rod")) sp__cannot_act(node, words[i], NULL, NULL, "a rod is touched as a thick line");
    }
    if (!is_element(node->parent, "rigid"))
        sp__cannot_act(node, "field", NULL, NULL, "a soft body changes its shape: a distance field is of a rigid one");
    if (is_element(node->parent, "rigid")) sp__cannot_act(node, "self", NULL, NULL, "a rigid body cannot touch itself");
    if (sp__attr_given(node, "field") && sp__attr_is(node, "side", "both"))
        sp__scene_error(
            node->scene, node, "field",
            "side=\"both\" is a sheet without an inside, and a field tells inside from outside: leave one of them out");
}

static void check_surface(sp_scene_node *node) {
    static const char *const of_file[] = {"scale", "flip"}, *const of_boundary[] = {"subdivide", "smooth", "elements"};
    bool rigid = is_element(node->parent, "rigid"), file = sp__attr_given(node, "file");
    check_rod_surface(node);
    check_friction(node);
    check_surface_contact(node);
    if (!has_role(node, "collision")) sp__cannot_act(node, "friction", node, "role", "nothing touches it: its role is visual");
    for (int i = 0; i < 2 && !file; i++) sp__cannot_act(node, of_file[i], NULL, NULL, "there is no file");
    for (int i = 0; i < 3 && file; i++)
        sp__cannot_act(node, of_boundary[i], NULL, NULL, "it is for the body's own boundary, and there is a file");
    if (!sp__next_child(node->parent, "organ", NULL))
        sp__cannot_act(node, "elements", NULL, NULL, "only an organ is generated at any resolution");
    if (sp__selects_something(node))
        sp__cannot_act(node, "elements", NULL, NULL, "the selection is of the faces of the mechanical mesh");
    if (sp__attr_number(node, "subdivide") == 0) sp__cannot_act(node, "smooth", NULL, NULL, "nothing is subdivided");
    if (sp__selects_something(node) && (file || !is_element(node->parent, "solid")))
        sp__scene_error(node->scene, node, NULL, "a selection is of the faces of a solid's own boundary, not of %s",
                        file    ? "a file"
                        : rigid ? "a rigid body"
                                : "a rod");
    if (sp__attr_given(node, "point")) sp__cannot_act(node, "point", NULL, NULL, "a surface consists of faces");
    if (rigid && sp__attr_is(node, "map", "barycentric"))
        sp__scene_error(node->scene, node, "map", "a rigid body has no elements: its surfaces follow its frame, map=\"rigid\"");
    if (is_element(node->parent, "solid") && sp__attr_is(node, "map", "rigid"))
        sp__scene_error(node->scene, node, "map", "a solid has no frame: its surfaces follow its elements, map=\"barycentric\"");
    const sp_attr *role = sp__attr(node, "role");
    for (int i = 0; rigid && file && i < role->count; i++)
        if (strcmp(role->words[i], "collision") == 0)
            sp__scene_error(node->scene, node, "role",
                            "a rigid body is touched by its shapes; a collision surface of its own is known, not in this build");
}

static void check_mesh(sp_scene_node *node) {
    bool membrane = is_element(node->parent, "solid") && sp__attr_given(node->parent, "thickness");
    if (sp__attr_yes(node, "flip") && !membrane && !is_element(node->parent, "rigid"))
        sp__cannot_act(node, "flip", NULL, NULL, "tetrahedra are oriented automatically; flip is for surfaces");
}

static void check_camera(sp_scene_node *node) {
    if (sp__attr_given(node, "to") && !sp__attr_given(node, "at"))
        sp__cannot_act(node, "to", NULL, NULL, "without at the camera is fitted");
}

static void check_clip(sp_scene_node *node) {
    const sp_attr *normal = sp__attr(node, "normal");
    const double *n = normal->numbers;
    if (normal->count < 3) return;  // it could not be read
    if (n[0] == 0 && n[1] == 0 && n[2] == 0) sp__scene_error(node->scene, node, "normal", "normal = 0 0 0, must not be 0");
}

static void check_view(sp_scene_node *node) {
    const sp_attr *range = sp__attr(node, "range");
    if (range->count == 2 && !(range->numbers[0] < range->numbers[1]))
        sp__scene_error(node->scene, node, "range", "range: %g to %g is empty", range->numbers[0], range->numbers[1]);
    if (sp__attr_is(node, "color-by", "none"))
        sp__cannot_act(node, "range", node, "color-by", "color-by=\"none\" has no colours");
}

static bool is_volume(const sp_scene_node *node) {
    return sp__attr_is(node, "formulation", "volume") || sp__attr_is(node, "formulation", "volume-penalty");
}

static bool has_pair(const sp_scene_node *contact, bool volume) {
    for (int i = 0; i < contact->child_count; i++) {
        const sp_scene_node *pair = contact->children[i];
        if (is_element(pair, "pair") && sp__attr_given(pair, "formulation") && is_volume(pair) == volume) return true;
    }
    return false;
}

// An attribute acts if the formulation, or that of a pair, has it.
static void check_contact(sp_scene_node *node) {
    static const char *const springs[] = {"stiffness", "damping"}, *const rows[] = {"stabilisation", "passes", "self", "reserve"},
                             *const distances[] = {"alarm", "gap", "broad", "continuous"},
                             *const volumes[] = {"pixel", "cell", "layers", "slack", "law", "viscosity"};
    const bool penalty = sp__attr_is(node, "formulation", "penalty"), volume = is_volume(node);
    const bool soft = penalty || sp__attr_is(node, "formulation", "volume-penalty");
    const bool any_volume = volume || has_pair(node, true), any_distance = !volume || has_pair(node, false);
    for (int i = 0; i < 2 && !soft; i++)
        sp__cannot_act(node, springs[i], node, "formulation", "contact by constraints has no springs");
    for (int i = 0; i < 4 && penalty; i++)
        sp__cannot_act(node, rows[i], node, "formulation", "penalty contact acts where surfaces overlap");
    for (int i = 0; i < 4 && (penalty || !any_distance); i++)
        sp__cannot_act(node, distances[i], node, "formulation",
                       penalty ? "penalty contact acts where surfaces overlap" : "volumes are made where surfaces overlap");
    for (int i = 0; i < 6 && !any_volume; i++)
        sp__cannot_act(node, volumes[i], node, "formulation", "it measures distances; formulation=\"volume\" measures volumes");
    if (any_volume && !sp__attr_is(node, "law", "viscous"))
        sp__cannot_act(node, "viscosity", node, "law", "law=\"viscous\" has it");
    if (volume && !sp__attr_given(node, "pixel"))
        sp__scene_error(node->scene, node, "formulation",
                        "formulation=\"%s\" needs pixel: the distance of the rays that measure overlaps; a tenth of the smallest "
                        "detail that must touch is usual",
                        sp__attr_word(node, "formulation"));
}

// what acts in contact by constraints only
static bool is_penalty(sp_scene_node *node, const char *what) {
    if (!sp__attr_is(node->parent, "formulation", "penalty")) return false;
    sp__scene_error(node->scene, node, NULL, "has no effect here: penalty contact has no %s; formulation=\"proximity\" has",
                    what);
    return true;
}

static void check_pair(sp_scene_node *node) {
    static const char *const values[] = {"friction", "alarm", "gap", "continuous", "formulation", "pixel"};
    enum { VALUES = sizeof values / sizeof *values };
    int given = 0;
    if (is_penalty(node, "pairs")) return;
    bool ignore = sp__attr_is(node, "enabled", "no");
    for (int i = 0; i < VALUES; i++) {
        given += sp__attr_given(node, values[i]);
        if (ignore) sp__cannot_act(node, values[i], node, "enabled", "the two ignore each other");
    }
    if (!given && !ignore)
        sp__scene_error(node->scene, node, NULL,
                        "has no effect: give friction, alarm, gap, continuous, formulation or pixel, or enabled=\"no\"");
    if (is_volume(node) && !sp__attr_given(node, "pixel") && !sp__attr_given(node->parent, "pixel"))
        sp__scene_error(node->scene, node, "formulation", "formulation=\"%s\" needs pixel, here or in contact",
                        sp__attr_word(node, "formulation"));
}

static void check_contact_solver(sp_scene_node *node) {
    static const char *const sweeping[] = {"local", "strategy", "sweeps"};
    bool facets = sp__attr_is(node, "cone", "facets"), direct = sp__attr_is(node, "method", "direct");
    const char *method = sp__attr_word(node, "method");
    // links have such a problem too
    if (!present_child(sp__scene_root(node->scene), "attach") && is_penalty(node, "complementarity problem")) return;
    if (!facets) sp__cannot_act(node, "facets", node, "cone", "the exact cone has none; cone=\"facets\" has");
    if (facets && method && !direct && strcmp(method, "auto") != 0)
        sp__scene_error(node->scene, node, "method", "method=\"%s\" solves the exact cone; cone=\"facets\" needs auto or direct",
                        method);
    for (int i = 0; i < 3 && (facets || direct); i++)
        sp__cannot_act(node, sweeping[i], node, direct ? "method" : "cone", "the direct method does not sweep");
    if (sp__attr_yes(sp__scene_root(node->scene), "deterministic") && sp__attr_given(node, "budget"))
        sp__scene_note_auto(node->scene, node, "budget", "it does not end solves here: the scene is deterministic");
}

void sp__check_element(sp_scene_node *node) {
    static const struct {
        const char *element;
        void (*check)(sp_scene_node *node);
    } rules[] = {
        {"solid", check_solid},       {"material", check_material},
        {"region", check_region},     {"rigid", check_rigid},
        {"load", check_load},         {"move", check_move},
        {"key", check_key},           {"integrator", check_integrator},
        {"solver", check_solver},     {"event", check_event},
        {"probe", check_probe},       {"record", check_record},
        {"stop", check_stop},         {"expect", check_expect},
        {"surface", check_surface},   {"camera", check_camera},
        {"view", check_view},         {"clip", check_clip},
        {"mesh", check_mesh},         {"initial", check_initial},
        {"rod", check_rod},           {"path", check_path},
        {"grow", check_grow},         {"feed", check_feed},
        {"instance", check_instance}, {"inverse", check_inverse},
        {"mass", check_mass},         {"contact", check_contact},
        {"pair", check_pair},         {"contact-solver", check_contact_solver},
        {"attach", check_attach},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (is_element(node, rules[i].element)) rules[i].check(node);
    if (is_shape(node) && node->parent && sp__is_body(node->parent)) check_shape(node);
}
