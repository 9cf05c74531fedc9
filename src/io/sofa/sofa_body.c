// Bodies: each state of SOFA that follows no other becomes a solid, a rod or a rigid body: mesh, material, mass, time, system.
#include <stdio.h>

#include "io/sofa/sofa.h"

sofa_node *sp__sofa_body_of(sofa_node *node) {
    while (node && !node->body) node = node->parent;
    return node;
}

bool sp__sofa_all_equal(const double *values, int count, int width) {
    for (int i = 1; i < count; i++)
        for (int k = 0; k < width; k++)
            if (values[width * i + k] != values[k]) return false;
    return true;
}

// ---------------------------------------------------------------------------------------------- time and systems

// the old CGImplicit is both
static sofa_object *find_solver(sofa_node *node) {
    sofa_object *o = sp__sofa_find_up(node, SOFA_SOLVER), *both = sp__sofa_find_up(node, SOFA_INTEGRATOR);
    return !o && both && strncmp(both->type, "CG", 2) == 0 ? both : o;
}

static void write_integrator(sp_import *im, sofa_body *b, sofa_object *o) {
    if (!o) return;
    const char *word = o->component->word;
    bool differs = strchr(word, '!') != NULL;  // another scheme, of first order here
    double damping[2] = {sp__sofa_number(im, o, "rayleighMass", 0), sp__sofa_number(im, o, "rayleighStiffness", 0)};
    if (damping[0] > 0 || damping[1] > 0) {
        if (strcmp(b->e->name, "rigid") == 0)
            sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "Rayleigh damping of a rigid body");
        else
            sp__sofa_set_vector(im, b->e, "rayleigh", damping, 2);
    }
    sofa_element *e = sp__sofa_add(im, b->e, "integrator", o);
    sp__sofa_set(im, e, "type", sp__sofa_print(im, "%.*s", (int)strcspn(word, "!"), word));
    sp__sofa_attr(o, "symplectic");
    double newton = sp__sofa_number(im, o, "newton_iterations/maxNbIterationsNewton", 1);
    if (newton > 1) sp__sofa_set_number(im, e, "iterations", fmin(1e6, floor(newton)));
    bool first = sp__sofa_yes(o, "firstOrder", false), trapezoidal = sp__sofa_yes(o, "trapezoidalScheme", false);
    if (first || trapezoidal) sp__sofa_note(im, o, SP_IMPORT_CHANGED, "firstOrder and trapezoidalScheme: plain implicit Euler");
    if (sp__sofa_number(im, o, "vdamping", 0) != 0) sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "vdamping");
    if (differs)
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "%s", o->component->becomes);
    else
        sp__sofa_became(im, o);
}

// How old the factor of a preconditioner may be: the solver, the warp and the factor may say it.
static const char *refresh_of(sp_import *im, sofa_object *solver, sofa_object *warp, sofa_object *factor) {
    double steps = sp__sofa_number(im, solver, "update_step", 1);
    steps = sp__sofa_number(im, warp, "update_step/assemblingRate", steps);
    steps = sp__sofa_number(im, factor, "update_step/assemblingRate", steps);
    if (factor && strcmp(factor->type, "AsyncSparseLDLSolver") == 0) return "async";
    const double whole = fmin(1e9, floor(steps));
    return whole > 1 ? sp__sofa_join(im, &whole, 1) : "step";
}

static void precondition(sp_import *im, sofa_node *node, sofa_element *e, sofa_object *solver) {
    const char *link = sp__sofa_attr(solver, "preconditioner/preconditioners"), *data, *word = "block-jacobi", *refresh = NULL;
    sofa_node *where;
    sofa_object *p = link ? sp__sofa_link(im, solver, link, &where, &data) : sp__sofa_find_up(node, SOFA_PRECONDITIONER);
    const char *kind = p && p->component && p->component->word ? p->component->word : "";
    if (sp__sofa_is(p, SOFA_SOLVER)) {
        word = "cholesky";
        refresh = refresh_of(im, solver, NULL, p);
    } else if (strcmp(kind, "warp") == 0 || strcmp(kind, "never") == 0) {
        const char *inner = sp__sofa_attr(p, "linearSolver");
        sofa_object *factor = inner ? sp__sofa_link(im, p, inner, &where, &data) : NULL;
        word = "cholesky";
        refresh = refresh_of(im, solver, p, factor);
        if (*kind == 'n') refresh = "never";
        if (factor && factor->component) sp__sofa_became(im, factor);
    } else if (*kind) {
        word = kind;
    }
    sp__sofa_set(im, e, "preconditioner", word);
    if (refresh) sp__sofa_set(im, e, "refresh", refresh);
    if (strcmp(kind, "warp") == 0) sp__sofa_set(im, e, "warp", "yes");
    if (p && p->component) sp__sofa_became(im, p);
}

static void write_solver(sp_import *im, sofa_body *b, sofa_object *o) {
    if (!o || strcmp(b->e->name, "rigid") == 0) {
        if (o && !o->used) sp__sofa_note(im, o, SP_IMPORT_NOT_NEEDED, "a rigid body has six unknowns");
        if (o && sp__sofa_is(o, SOFA_INTEGRATOR)) sp__sofa_attr(o, "iterations/tolerance/tol");
        return;
    }
    // a preconditioner stands beside its iterative solver: that one is meant
    for (int i = 0; i < o->node->object_count; i++) {
        sofa_object *other = &o->node->objects[i];
        if (sp__sofa_is(other, SOFA_SOLVER) && strcmp(other->component->word, "pcg") == 0) o = other;
    }
    const char *word = sp__sofa_is(o, SOFA_SOLVER) ? o->component->word : "cg";
    if (b->node->rod) word = strcmp(word, "cg") == 0 || strcmp(word, "pcg") == 0 ? "auto" : "block-tridiagonal";
    if (!b->node->rod && strcmp(word, "block-tridiagonal") == 0) word = "cholesky";
    sofa_element *e = sp__sofa_add(im, b->e, "solver", o);
    sp__sofa_set(im, e, "type", word);
    if (strcmp(word, "pcg") == 0) precondition(im, o->node, e, o);
    double iterations = sp__sofa_number(im, o, "iterations/maxIter", 25),
           tolerance = sp__sofa_number(im, o, "tolerance/tol", 1e-5);
    if (strcmp(word, "cg") == 0 || strcmp(word, "pcg") == 0) {
        sp__sofa_set_number(im, e, "iterations", fmax(1, fmin(1e9, floor(iterations))));
        sp__sofa_set_number(im, e, "tolerance", tolerance >= 0 && tolerance < 1 ? tolerance : 1e-5);
    }
    sp__sofa_became(im, o);
}

static void note_correction(sp_import *im, sofa_node *node) {
    sofa_object *o = sp__sofa_find_part(node, SOFA_CORRECTION);
    if (!o) return;
    sp__sofa_attr(o, "compliance/useOdeSolverIntegrationFactors/defaultCompliance/fileCompliance/recompute/solverName/ODESolver");
    sp__sofa_became(im, o);
}

// ---------------------------------------------------------------------------------------------- mass

static void write_mass(sp_import *im, sofa_body *b, double volume, int nodes) {
    sofa_object *o = sp__sofa_find_part(b->node, SOFA_MASS);
    if (!o) {
        sp__sofa_note(im, b->node->state, SP_IMPORT_CHANGED, "no mass: density 1000");
        sp__sofa_set_number(im, b->e, "density", 1000);
        return;
    }
    const double *values;
    double total = 1, density = 0;
    int n = sp__sofa_numbers(im, o, "vertexMass/mass", &values), m = sp__sofa_numbers(im, o, "massDensity/property", &values);
    if (m) density = values[0];
    if (sp__sofa_attr(o, "totalMass/totalmass")) {
        total = sp__sofa_number(im, o, "totalMass/totalmass", 1), density = 0;
    } else if (n && !m) {
        sp__sofa_numbers(im, o, "vertexMass/mass", &values);
        total = n == nodes ? 0 : values[0] * nodes;
        for (int i = 0; n == nodes && i < n; i++) total += values[i];
    }
    if (!(density > 0)) density = volume > 0 ? total / volume : 0;
    if (!(density > 0)) {
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "a mass that is not positive: density 1000");
        density = 1000;
    }
    sp__sofa_set_result(im, b->e, "density", density);
    bool consistent = strcmp(o->type, "MeshMatrixMass") == 0 && !sp__sofa_yes(o, "lumping", false);
    if (consistent && !b->node->rod && !b->mesh->triangles) sp__sofa_set(im, b->e, "mass-matrix", "consistent");
    if (m > 1) sp__sofa_note(im, o, SP_IMPORT_CHANGED, "all elements have the first density");
    sp__sofa_note(im, o, strcmp(o->type, "UniformMass") == 0 ? SP_IMPORT_CHANGED : SP_IMPORT_BECAME, "%s", o->component->becomes);
}

// ---------------------------------------------------------------------------------------------- materials

// Values of IndexValueMapper: those of its inputs, with its own value where its indices are, which a box selects.
static int mapped_values(sp_import *im, sofa_body *b, sofa_object *o, int hops, double *values) {
    const char *indices = sp__sofa_attr(o, "indices"), *input = sp__sofa_attr(o, "inputValues"), *data;
    const sp_mesh *mesh = b->mesh->made;
    const double *boxes;
    sofa_node *node;
    sofa_object *before = input && hops < 16 ? sp__sofa_link(im, o, input, &node, &data) : NULL;
    if (sp__sofa_is(before, SOFA_VALUES) && !mapped_values(im, b, before, hops + 1, values)) return 0;
    sofa_object *roi = indices ? sp__sofa_link(im, o, indices, &node, &data) : NULL;
    int count = sp__sofa_is(roi, SOFA_ROI_BOX) ? sp__sofa_numbers(im, roi, "box", &boxes) / 6 : 0;
    if (!count || !mesh) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "indices of it must be elements in a BoxROI, on a grid or lists");
        return 0;
    }
    double value = sp__sofa_number(im, o, "value", 0);
    for (int e = 0; e < sp_mesh_element_count(mesh); e++) {
        const int *nodes;
        int n = sp_element_nodes(sp_mesh_element(mesh, e, &nodes)), inside = 0;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < count; k++)
                if (sp__sofa_inside(b->mesh->at_rest + 3 * (size_t)nodes[i], boxes + 6 * k, false)) {
                    inside++;
                    break;
                }
        if (inside == n) values[e] = value;
    }
    sp__sofa_became(im, o);
    sp__sofa_became(im, roi);
    return sp_mesh_element_count(mesh);
}

// one number for each element, by a list or by IndexValueMapper; fewer: for all
static int young_values(sp_import *im, sofa_object *o, sofa_body *b, const double **out) {
    const char *text = sp__sofa_attr(o, "youngModulus/young"), *data;
    sofa_node *node;
    sofa_object *from = text && *text == '@' ? sp__sofa_link(im, o, text, &node, &data) : NULL;
    if (!sp__sofa_is(from, SOFA_VALUES)) return sp__sofa_numbers(im, o, "youngModulus/young", out);
    int elements = b->mesh->made ? sp_mesh_element_count(b->mesh->made) : 0;
    double *values = sp__scene_alloc(im->scene, (size_t)elements + 1, sizeof *values);
    *out = values;
    return values ? mapped_values(im, b, from, 0, values) : 0;
}

// a number for each element, in a file
static bool write_values(sp_import *im, sofa_body *b, sofa_object *o, const double *values, int count) {
    sofa_file *file = sp__sofa_file(im, sp__sofa_print(im, "%s-young", b->node->body), ".csv");
    const char *list = sp__sofa_join(im, values, count);
    char *text = sp__scene_copy(im->scene, list, strlen(list));
    if (!file || !text) return false;
    for (char *c = text; *c; c++)
        if (*c == ' ') *c = '\n';
    file->text = text;
    sofa_element *data = sp__sofa_add(im, b->e, "data", o);
    sp__sofa_set(im, data, "name", "young");
    sp__sofa_set(im, data, "file", file->name);
    sp__sofa_set(im, b->e, "young", "@young");
    return true;
}

static void moduli(sp_import *im, sofa_object *o, sofa_body *b, double young, double poisson) {
    const double *values;
    int n = young_values(im, o, b, &values);
    if (n) young = values[0];
    poisson = sp__sofa_number(im, o, "poissonRatio/poisson", poisson);
    if (!(young >= 0 && young < 1e15)) {
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "youngModulus %g: 5000", young);
        young = 5000;
    }
    if (!(poisson > -1 && poisson < 0.4999)) {
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "poissonRatio %g: 0.4999", poisson);
        poisson = 0.4999;
    }
    bool varies = n > 1 && !sp__sofa_all_equal(values, n, 1);
    int elements = b->mesh->made ? sp_mesh_element_count(b->mesh->made) : b->mesh->kind == SOFA_MESH_FILE ? n : 0;
    if (!varies || n != elements || !write_values(im, b, o, values, n)) {
        sp__sofa_set_number(im, b->e, "young", young);
        if (varies)
            sp__sofa_note(im, o, SP_IMPORT_CHANGED, "%d values of youngModulus: all elements have the first, %g", n, young);
    }
    sp__sofa_set_number(im, b->e, "poisson", poisson);
}

static void elastic(sp_import *im, sofa_body *b, sofa_object *o) {
    const char *method = sp__sofa_attr(o, "method/rotationMethod"), *rotation = "qr";
    bool hexahedra = b->mesh->hexahedra;
    if (!method) method = strcmp(o->type, "LinearSmallStrainFEMForceField") == 0 ? "small" : "large";
    if (sp__list_has("small/linear/none/None", '/', method)) {
        sp__sofa_set(im, b->e, "material", "linear");
        rotation = NULL;
    } else {
        sp__sofa_set(im, b->e, "material", "corotational");
        if (strncmp(method, "polar", 5) == 0) rotation = "polar";
        if (strcmp(method, "svd") == 0) rotation = "svd";
        if (!hexahedra) sp__sofa_set(im, b->e, "rotation", rotation);
    }
    moduli(im, o, b, 5000, 0.45);
    sp__sofa_became(im, o);
    if (hexahedra && rotation)
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "a rotation at each integration point, not one for each hexahedron");
    if (sp__sofa_number(im, o, "plasticMaxThreshold", 0) > 0) sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "plasticity");
}

// SOFA's moduli of triangles are those of plane stress per length: thickness 1
static void membrane(sp_import *im, sofa_body *b, sofa_object *o) {
    const char *method = sp__sofa_attr(o, "method");
    bool small = method && sp__list_has("small/linear/none/None", '/', method);
    sp__sofa_set_number(im, b->e, "thickness", 1);
    sp__sofa_set(im, b->e, "material", small ? "linear" : "corotational");
    moduli(im, o, b, 1000, 0.3);
    sp__sofa_became(im, o);
}

static void tensor_mass(sp_import *im, sofa_body *b, sofa_object *o) {
    sp__sofa_set(im, b->e, "material", "tensor-mass");
    sp__sofa_set(im, b->e, "law", "hooke");
    moduli(im, o, b, 1000, 0.3);
    sp__sofa_became(im, o);
}

// Young's modulus and Poisson's ratio of Lame's constants
static void write_lame(sp_import *im, sofa_body *b, sofa_object *o, double mu, double lambda) {
    double sum = lambda + mu;
    if (!(mu > 0 && lambda >= 0)) {
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "mu %g and lambda %g must be positive: young 5000, poisson 0.45", mu, lambda);
        sp__sofa_set_number(im, b->e, "young", 5000);
        sp__sofa_set_number(im, b->e, "poisson", 0.45);
        return;
    }
    sp__sofa_set_result(im, b->e, "young", mu * (3 * lambda + 2 * mu) / sum);
    sp__sofa_set_result(im, b->e, "poisson", fmin(lambda / (2 * sum), 0.4999));
}

static void hyperelastic(sp_import *im, sofa_body *b, sofa_object *o) {
    static const struct {
        const char *names, *law;
        int numbers;
    } laws[] = {{"StVenantKirchhoff/STVenantKirchhoff", "stvk", 2},
                {"NeoHookean", "neo-hookean", 2},
                {"StableNeoHookean", "neo-hookean", 2},
                {"ArrudaBoyce/BoyceAndArruda", "arruda-boyce", 2},
                {"MooneyRivlin", "mooney-rivlin", 3},
                {"VerondaWestman/VerondaWestmann", "veronda-westmann", 3},
                {"Ogden", "ogden", 3}};
    const char *name = sp__sofa_attr(o, "materialName");
    const double *p;
    int n = sp__sofa_numbers(im, o, "ParameterSet", &p), law = -1;
    if (!name) name = "ArrudaBoyce";
    for (int i = 0; i < (int)(sizeof laws / sizeof laws[0]); i++)
        if (sp__list_has(laws[i].names, '/', name)) law = i;
    if (law < 0 || n < laws[law].numbers) {
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "material %.40s with %d numbers: neo-hookean with young 5000, poisson 0.45", name,
                      n);
        sp__sofa_set(im, b->e, "material", "neo-hookean");
        write_lame(im, b, o, 5000 / 2.9, 5000 * 0.45 / (1.45 * 0.1));
        return;
    }
    sp__sofa_set(im, b->e, "material", laws[law].law);
    sp__sofa_became(im, o);
    if (law <= 2) {
        write_lame(im, b, o, p[0], p[1]);
        if (law == 1) sp__sofa_set(im, b->e, "form", "log");
        if (law == 2) sp__sofa_note(im, o, SP_IMPORT_CHANGED, "with the barrier term of its publication, which SOFA leaves out");
        return;
    }
    double numbers[2] = {p[0], p[1]}, bulk = p[n >= 3 && law != 3 ? 2 : 1];
    if (law == 3) numbers[1] = 8;
    if (law == 6) numbers[0] = p[0] / 2;  // our sum has a factor 2
    sp__sofa_set_vector(im, b->e, "coefficients", numbers, 2);
    sp__sofa_set_number(im, b->e, "bulk", bulk);
    sp__sofa_set(im, b->e, "volumetric", "log");
}

static void springs(sp_import *im, sofa_body *b, sofa_object *o) {
    bool hexahedra = b->mesh->hexahedra;
    double all = sp__sofa_number(im, o, "stiffness", 0),
           k = sp__sofa_number(im, o, hexahedra ? "cubesStiffness" : "tetrasStiffness", all);
    double s = cbrt(b->mesh->placing.scale[0] * b->mesh->placing.scale[1] * b->mesh->placing.scale[2]);
    sp__sofa_attr(o, "linesStiffness/trianglesStiffness/quadsStiffness");
    double young = b->mesh->volume > 0 ? k * b->mesh->edge_sum * s * s / (6 * b->mesh->volume) : 0;
    if (!(young > 0)) {
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "no springs in the elements: young 5000");
        young = 5000;
    }
    sp__sofa_set(im, b->e, "material", "mass-spring");
    sp__sofa_set_result(im, b->e, "young", young);
    sp__sofa_note(im, o, SP_IMPORT_CHANGED, "springs of the same mean stiffness; each element has its own, not %g N/m each", k);
    if (sp__sofa_number(im, o, "damping/tetrasDamping/cubesDamping", 0) > 0)
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "damping of springs; use rayleigh");
}

// ---------------------------------------------------------------------------------------------- the kinds of bodies

// the same velocity of all nodes; of a frame also its spin
static void write_velocity(sp_import *im, sofa_body *b, int nodes) {
    bool frame = strcmp(b->e->name, "solid") != 0;
    const double *v;
    int width = frame ? 6 : 3, count = sp__sofa_numbers(im, b->node->state, "velocity", &v) / width;
    bool moves = false;
    for (int i = 0; i < count * width; i++) moves = moves || v[i] != 0;
    if (!moves) return;
    if (count != nodes || !sp__sofa_all_equal(v, count, width)) {
        sp__sofa_note(im, b->node->state, SP_IMPORT_LEFT_OUT, "velocity: not the same of all nodes");
        return;
    }
    sofa_element *e = sp__sofa_add(im, b->e, "initial", b->node->state);
    sp__sofa_set_vector(im, e, "velocity", v, 3);
    if (frame && (v[3] != 0 || v[4] != 0 || v[5] != 0)) sp__sofa_set_vector(im, e, "spin", v + 3, 3);
}

static void start_body(sp_import *im, sofa_body *b, const char *kind, const char *name) {
    b->e = sp__sofa_add(im, im->top, kind, b->node->state);
    b->node->body = name, b->node->element = b->e;
    sp__sofa_set(im, b->e, "name", name);
    sp__sofa_attr(b->node->state, "position/src/rest_position/size/velocity");
    sp__sofa_became(im, b->node->state);
}

static void finish_body(sp_import *im, sofa_body *b) {
    write_velocity(im, b, b->mesh ? b->mesh->node_count : b->node->points);
    for (sofa_node *n = b->node; n; n = sp__sofa_next_of_body(n, b->node))
        for (int i = 0; i < n->object_count; i++) sp__sofa_act(im, b, &n->objects[i]);
    sp__sofa_surfaces(im, b);
    if (strcmp(b->e->name, "rigid") != 0) sp__sofa_complete_surfaces(im, b);
    note_correction(im, b->node);
    write_integrator(im, b, sp__sofa_find_up(b->node, SOFA_INTEGRATOR));
    write_solver(im, b, find_solver(b->node));
}

// the node whose points a component acts on follows another state by more than the identity
static bool is_embedded(const sofa_object *o) {
    const sofa_node *n = o->node;
    while (n->parent && !n->state) n = n->parent;
    const sofa_object *mapping = sp__sofa_find(n, SOFA_MAPPING);
    return n->mapped && !(mapping && strcmp(mapping->type, "IdentityMapping") == 0);
}

// The force field of the elements of a body; NULL: none.
static sofa_object *find_law(sp_import *im, const sofa_node *node) {
    static const sofa_role roles[] = {SOFA_ELASTIC, SOFA_HYPERELASTIC, SOFA_TENSOR_MASS, SOFA_SPRINGS, SOFA_MEMBRANE};
    sofa_object *law = NULL;
    for (size_t r = 0; r < sizeof roles / sizeof roles[0]; r++)
        for (const sofa_node *n = node; n; n = sp__sofa_next_of_body(n, node))
            for (int i = 0; i < n->object_count; i++) {
                sofa_object *o = &n->objects[i];
                if (!sp__sofa_is(o, roles[r])) continue;
                if (is_embedded(o))
                    sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "it acts on points that follow another state by a mapping");
                else if (law)
                    sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "a body has one force field of its elements: %s", law->type);
                else
                    law = o;
            }
    return law;
}

static bool on_hexahedra(sofa_object *law) {
    const char *word = law->component->word, *template = sp__sofa_attr(law, "template");
    if (law->component->role == SOFA_SPRINGS) return !sp__sofa_find(law->node, SOFA_SPLIT);
    if (word && strcmp(word, "template") == 0) return template && strstr(template, "Hexa");
    return word && strcmp(word, "hexahedra") == 0;
}

static void write_solid(sp_import *im, sofa_body *b, sofa_object *law, const char *name) {
    sofa_role role = law->component->role;
    b->node->body = name;
    b->mesh = sp__sofa_mesh(im, b->node, law, on_hexahedra(law));
    if (!b->mesh || b->mesh->kind == SOFA_MESH_NONE) {
        b->node->body = NULL;
        if (!law->noted) sp__sofa_note(im, law, SP_IMPORT_LEFT_OUT, "without its mesh there is no body");
        sp__sofa_note(im, b->node->state, SP_IMPORT_LEFT_OUT, "without its mesh there is no body");
        return;
    }
    start_body(im, b, "solid", name);
    b->node->mesh = b->mesh;
    if (role == SOFA_ELASTIC) elastic(im, b, law);
    if (role == SOFA_HYPERELASTIC) hyperelastic(im, b, law);
    if (role == SOFA_SPRINGS) springs(im, b, law);
    if (role == SOFA_TENSOR_MASS) tensor_mass(im, b, law);
    if (role == SOFA_MEMBRANE) membrane(im, b, law);
    write_mass(im, b, b->mesh->volume, b->mesh->node_count);
    sp__sofa_write_mesh(im, b->mesh, b->e, name);
    b->placing = b->mesh->placing;
    b->source = b->mesh->object;
    finish_body(im, b);
}

// ---- rods

// the frames of the nodes: seven numbers each; or a grid of one line. Points in the world
static int rod_points(sp_import *im, sofa_body *b, const double **out) {
    const double *frames;
    sofa_node *n = b->node;
    int count = sp__sofa_numbers(im, n->state, "position", &frames) / 7;
    sofa_object *grid = count ? NULL : sp__sofa_find_up(n, SOFA_GRID);
    double low[3] = {0, 0, 0}, high[3] = {1, 0, 0}, counts[3] = {0, 0, 0};
    if (grid) {
        sp__sofa_vector(im, grid, "n", 3, counts);
        counts[0] = sp__sofa_number(im, grid, "nx", counts[0]);
        sp__sofa_vector(im, grid, "min", 3, low);
        sp__sofa_vector(im, grid, "max", 3, high);
        low[0] = sp__sofa_number(im, grid, "xmin", low[0]), high[0] = sp__sofa_number(im, grid, "xmax", high[0]);
        sp__sofa_attr(grid, "ny/nz/ymin/ymax/zmin/zmax");
        count = counts[0] >= 2 && counts[0] <= 100000 ? (int)counts[0] : 0;
        if (count) sp__sofa_became(im, grid);
    }
    double *x = sp__scene_alloc(im->scene, (size_t)count, 3 * sizeof *x);
    sofa_placing p = sp__sofa_placing(im, n->state);
    for (int i = 0; x && i < count; i++) {
        double at[3];
        for (int k = 0; k < 3; k++) at[k] = grid ? low[k] + (k ? 0 : (high[0] - low[0]) * i / (count - 1)) : frames[7 * i + k];
        sp__sofa_place(&p, at, x + 3 * i);
    }
    *out = x;
    return x ? count : 0;
}

static bool is_straight(const double *x, int count, double length) {
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            double even = x[k] + (x[3 * (count - 1) + k] - x[k]) * i / (count - 1);
            if (fabs(x[3 * i + k] - even) > 1e-6 * length) return false;
        }
    return true;
}

// the shortest rotation of the x axis to the direction of the rod
static void place_rod(sp_import *im, sofa_body *b, const double *x, int count, double length) {
    const double *end = x + 3 * (count - 1);
    double d[3], q[4];
    for (int k = 0; k < 3; k++) d[k] = (end[k] - x[k]) / length;
    q[0] = 1 + d[0], q[1] = 0, q[2] = -d[2], q[3] = d[1];
    double norm = sqrt(q[0] * q[0] + q[2] * q[2] + q[3] * q[3]);
    if (norm < 1e-9) q[0] = 0, q[2] = 0, q[3] = 1, norm = 1;
    for (int k = 0; k < 4; k++) q[k] /= norm;
    sp__sofa_set_result(im, b->e, "length", length);
    sp__sofa_set_number(im, b->e, "elements", count - 1);
    sofa_placing p = {.scale = {1, 1, 1}};
    memcpy(p.quat, q, sizeof q);
    memcpy(p.translate, x, sizeof p.translate);
    sp__sofa_set_placing(im, b->e, &p);
}

// The first node makes the root clamped, with its frame; further ones are held in place.
static void clamp_root(sp_import *im, sofa_body *b) {
    bool clamped = false;
    for (sofa_node *n = b->node; n; n = sp__sofa_next_of_body(n, b->node))
        for (int i = 0; i < n->object_count; i++) {
            sofa_object *o = &n->objects[i];
            if (!sp__sofa_is(o, SOFA_FIX) || n->mapped) continue;
            sofa_element *held = sp__sofa_add(im, NULL, "fix", o);
            bool all = sp__sofa_yes(o, "fixAll", false);
            if (!sp__sofa_select(im, b->node, o, all ? "" : "indices", all, held)) continue;
            const char *nodes = held->attrs ? held->attrs->value : "0";
            bool first = all || (nodes[0] == '0' && (!nodes[1] || nodes[1] == ' ' || nodes[1] == '-'));
            clamped = clamped || first;
            sp__sofa_became(im, o);
            if (first && strcmp(nodes, "0") == 0) continue;
            *b->e->end = held;
            b->e->end = &held->next;
            sp__sofa_note(im, o, SP_IMPORT_CHANGED,
                          "only the root of a rod is held with its frame; other nodes are held in place");
        }
    sp__sofa_set(im, b->e, "root", clamped ? "clamped" : "free");
}

static void write_rod(sp_import *im, sofa_body *b, sofa_object *beam, const char *name) {
    sofa_object *shape = sp__sofa_find_part(b->node, SOFA_BEAM_SHAPE), *from = shape ? shape : beam;
    const double *x;
    int count = rod_points(im, b, &x);
    double length = 0, radius = sp__sofa_number(im, from, "radius", shape ? 1 : 0.1),
           bore = sp__sofa_number(im, from, "radiusInner/innerRadius", 0);
    for (int i = 1; i < count; i++) length += sp__sofa_distance(x + 3 * i, x + 3 * (i - 1));
    if (count < 2 || !(length > 0) || !(radius > 0) || !(bore >= 0 && bore < radius)) {
        sp__sofa_note(im, beam, SP_IMPORT_LEFT_OUT, "a beam needs two frames of seven numbers and a radius above the inner one");
        return;
    }
    start_body(im, b, "rod", name);
    b->node->rod = true, b->node->points = count, b->node->point_list = x;
    sp__sofa_set(im, b->e, "model", "beam");
    if (is_straight(x, count, length)) {
        place_rod(im, b, x, count, length);
    } else {
        sofa_element *path = sp__sofa_add(im, b->e, "path", b->node->state);
        sp__sofa_set_vector(im, path, "points", x, 3 * count);
        sp__sofa_set_number(im, b->e, "elements", count - 1);
    }
    sp__sofa_set_number(im, b->e, "radius", radius);
    if (bore > 0) sp__sofa_set_number(im, b->e, "bore", bore);
    sp__sofa_set_number(im, b->e, "young", fmax(1e-300, sp__sofa_number(im, from, "youngModulus/defaultYoungModulus", 5000)));
    double poisson = sp__sofa_number(im, from, "poissonRatio/defaultPoissonRatio", 0.49);
    sp__sofa_set_number(im, b->e, "poisson", poisson > -1 && poisson < 0.5 ? poisson : 0.49);
    double area = acos(-1) * (radius * radius - bore * bore), density = sp__sofa_number(im, beam, "massDensity", 0);
    if (density > 0)
        sp__sofa_set_number(im, b->e, "density", density);
    else
        write_mass(im, b, area * length, 1);
    sofa_object *mass = sp__sofa_find_part(b->node, SOFA_MASS);
    const double *numbers;
    if (mass && !(density > 0) && !sp__sofa_attr(mass, "totalMass/totalmass") &&
        sp__sofa_numbers(im, mass, "vertexMass/mass", &numbers))
        sp__sofa_set_result(im, b->e, "density", fmax(1e-300, numbers[0] * count / (area * length)));
    clamp_root(im, b);
    sp__sofa_became(im, beam);
    if (shape) sp__sofa_became(im, shape);
    for (int i = 0; i < b->node->object_count; i++)
        if (sp__sofa_is(&b->node->objects[i], SOFA_CONTAINER)) {
            sp__sofa_attr(&b->node->objects[i], "lines/edges/position");
            sp__sofa_became(im, &b->node->objects[i]);
        }
    finish_body(im, b);
}

// ---- rigid bodies

// The shape of a rigid body from a component with a surface; false: it has none.
static bool rigid_shape(sp_import *im, sofa_body *b, sofa_object *o) {
    bool own = o->node == b->node && !sp__sofa_is(o, SOFA_VISUAL);
    sofa_object *source = sp__sofa_surface_source(im, o);
    sofa_placing moved;
    if (!source || !sp__sofa_surface_placing(im, b, o->node,
                                             own                           ? NULL
                                             : sp__sofa_is(o, SOFA_VISUAL) ? o
                                                                           : o->node->state,
                                             &moved))
        return false;
    if (own) moved = (sofa_placing){.scale = {1, 1, 1}, .quat = {1, 0, 0, 0}};
    const char *file = sp__sofa_surface(im, source, &moved, b->node->body);
    if (!file) return false;
    sp__sofa_set(im, sp__sofa_add(im, b->e, "mesh", o), "file", file);
    if (!source->noted) sp__sofa_became(im, source);
    sp__sofa_became(im, o);
    if (sp__sofa_is(o, SOFA_COLLISION_EDGES))
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "the whole surface is touched, not only its lines and points");
    b->source = source;
    return true;
}

static void rigid_shapes(sp_import *im, sofa_body *b) {
    static const sofa_role order[] = {SOFA_COLLISION, SOFA_COLLISION_EDGES, SOFA_VISUAL};
    for (int pass = 0; pass < 3; pass++)
        for (sofa_node *n = b->node; n; n = sp__sofa_next_of_body(n, b->node))
            for (int i = 0; i < n->object_count; i++)
                if (sp__sofa_is(&n->objects[i], order[pass]) && rigid_shape(im, b, &n->objects[i])) return;
    sofa_object *ball = sp__sofa_find_part(b->node, SOFA_COLLISION_BALLS);
    const double *radii;
    bool sized = ball && sp__sofa_numbers(im, ball, "listRadius/radius", &radii) > 0 && radii[0] > 0;
    sofa_element *e = sp__sofa_add(im, b->e, "sphere", ball);
    sp__sofa_set_number(im, e, "radius", sized ? radii[0] : 1);
    if (ball) sp__sofa_became(im, ball);
    if (!sized) sp__sofa_note(im, b->node->state, SP_IMPORT_CHANGED, "it has no surface: a sphere of radius 1 stands for it");
}

static void rigid_mass(sp_import *im, sofa_body *b) {
    sofa_object *o = sp__sofa_find_part(b->node, SOFA_MASS);
    const double *v;
    double mass = 1, inertia[3] = {1, 1, 1};
    int n = o ? sp__sofa_numbers(im, o, "vertexMass/mass", &v) : 0;
    if (n) mass = v[0];
    if (n >= 11) inertia[0] = v[2], inertia[1] = v[6], inertia[2] = v[10];
    if (o && sp__sofa_attr(o, "totalMass/totalmass")) mass = sp__sofa_number(im, o, "totalMass/totalmass", 1);
    for (int k = 0; k < 3; k++) inertia[k] *= mass;  // SOFA's inertia is that of 1 kg
    bool good = mass > 0 && inertia[0] > 0 && inertia[1] > 0 && inertia[2] > 0;
    if (!good) mass = inertia[0] = inertia[1] = inertia[2] = 1;
    sp__sofa_set_number(im, b->e, "mass", mass);
    sp__sofa_set_vector(im, b->e, "inertia", inertia, 3);
    if (o)
        sp__sofa_note(im, o, SP_IMPORT_CHANGED,
                      "mass and inertia; the centre of mass is that of the shape, in SOFA the origin of the frame");
}

// Where the body is; false: there are several.
static bool rigid_frame(sp_import *im, sofa_body *b) {
    const double *x;
    sofa_object *state = b->node->state;
    sofa_placing own = sp__sofa_placing(im, state), at = {.scale = {1, 1, 1}, .quat = {1, 0, 0, 0}};
    b->placing = own;
    if (!b->frame) return true;
    const char *text = sp__sofa_attr(state, "position");
    int count = text ? sp__sofa_numbers(im, state, "position", &x) / 7 : 0;
    if (count > 1 || (text && *text == '@')) {
        sp__sofa_note(im, state, SP_IMPORT_LEFT_OUT, "several frames in one state: write a rigid body for each");
        return false;
    }
    double norm = count ? sqrt(x[3] * x[3] + x[4] * x[4] + x[5] * x[5] + x[6] * x[6]) : 0, place[3] = {0, 0, 0};
    if (norm > 0) at.quat[0] = x[6] / norm, at.quat[1] = x[3] / norm, at.quat[2] = x[4] / norm, at.quat[3] = x[5] / norm;
    if (count) memcpy(place, x, sizeof place);
    // the scale of a state moves its frames; the points of its mappings stay as they are
    sp__sofa_place(&own, place, place);
    own.scale[0] = own.scale[1] = own.scale[2] = 1;
    sp__sofa_placing_after(&at, &own, &b->placing);
    memcpy(b->placing.translate, place, sizeof place);
    return true;
}

static void rigid_parts(sp_import *im, sofa_body *b) {
    for (sofa_node *n = b->node; n; n = sp__sofa_next_of_body(n, b->node)) {
        for (int i = 0; i < n->object_count; i++) {
            sofa_object *o = &n->objects[i];
            sp__sofa_act(im, b, o);
            if (sp__sofa_is(o, SOFA_VISUAL) && !o->noted) sp__sofa_add_surface(im, b, o, "visual"), b->drawn = true;
            if (sp__sofa_is(o, SOFA_CONTAINER) && !o->noted) sp__sofa_became(im, o);
            if (!sp__sofa_is(o, SOFA_COLLISION) && !sp__sofa_is(o, SOFA_COLLISION_EDGES) && !sp__sofa_is(o, SOFA_COLLISION_BALLS))
                continue;
            sp__sofa_note_group(im, b, o);
            b->touched = true;
            if (!o->noted) sp__sofa_became(im, o);
        }
        sp__sofa_note_followers(im, n);
    }
    b->node->touched = b->touched;
    if (b->drawn && b->touched) sp__sofa_set(im, sp__sofa_add(im, b->e, "surface", NULL), "role", "collision");
    if (im->touching && !b->touched && !b->drawn) sp__sofa_set(im, sp__sofa_add(im, b->e, "surface", NULL), "role", "visual");
}

static void write_rigid(sp_import *im, sofa_body *b, bool frame, const char *name) {
    bool held = sp__sofa_find_part(b->node, SOFA_FIX) != NULL, moved = sp__sofa_find_part(b->node, SOFA_MOVE) != NULL;
    bool free = frame && !held && !moved && sp__sofa_find_up(b->node, SOFA_INTEGRATOR) && sp__sofa_find_part(b->node, SOFA_MASS);
    b->frame = frame;
    if (!rigid_frame(im, b)) return;
    start_body(im, b, "rigid", name);
    sp__sofa_set(im, b->e, "motion", moved ? "kinematic" : free ? "free" : "fixed");
    sp__sofa_set_placing(im, b->e, &b->placing);
    memcpy(b->node->origin, b->placing.translate, sizeof b->node->origin);
    if (free) rigid_mass(im, b);
    rigid_shapes(im, b);
    if (free) write_velocity(im, b, 1);
    rigid_parts(im, b);
    note_correction(im, b->node);
    sofa_object *integrator = sp__sofa_find_up(b->node, SOFA_INTEGRATOR);
    if (free)
        write_integrator(im, b, integrator);
    else if (integrator && !integrator->used)
        sp__sofa_note(im, integrator, SP_IMPORT_NOT_NEEDED, "the body does not move freely");
    write_solver(im, b, find_solver(b->node));
}

// ---------------------------------------------------------------------------------------------- all bodies

static bool of_frames(sofa_object *state) {
    const char *template = sp__sofa_attr(state, "template");
    return template && strncmp(template, "Rigid", 5) == 0;
}

static void write_body(sp_import *im, sofa_node *node) {
    sofa_body b = {.node = node, .placing = {.scale = {1, 1, 1}, .quat = {1, 0, 0, 0}}};
    sofa_object *law = find_law(im, node), *beam = sp__sofa_find_part(node, SOFA_BEAM);
    bool surface = sp__sofa_find_part(node, SOFA_COLLISION) || sp__sofa_find_part(node, SOFA_COLLISION_EDGES);
    // an obstacle has no mass; points that fall must not become one
    bool moves = sp__sofa_find_up(node, SOFA_INTEGRATOR) && sp__sofa_find_part(node, SOFA_MASS);
    const char *name = sp__sofa_unique(im, *node->name && node->parent ? node->name : im->stem);
    if (beam)
        write_rod(im, &b, beam, name);
    else if (of_frames(node->state))
        write_rigid(im, &b, true, name);
    else if (law)
        write_solid(im, &b, law, name);
    else if (surface && !moves)
        write_rigid(im, &b, false, name);
    else
        sp__sofa_note(im, node->state, SP_IMPORT_LEFT_OUT, "%s",
                      moves ? "points that move without a force field of their elements"
                            : "points without elements, force field of a mesh or collision model");
}

// also by a mapping that is left out: such a state is no body of its own
static bool is_mapped(const sofa_node *n) {
    for (int i = 0; i < n->object_count; i++) {
        const sofa_object *o = &n->objects[i];
        size_t length = strlen(o->type), end = strlen("Mapping");
        bool named = length > end && strcmp(o->type + length - end, "Mapping") == 0 && !strstr(o->type, "Topological");
        if (sp__sofa_is(o, SOFA_MAPPING) || (named && !sp__sofa_is(o, SOFA_NOT_NEEDED))) return true;
    }
    return false;
}

void sp__sofa_bodies(sp_import *im) {
    for (sofa_node *n = im->root; n; n = sp__sofa_next_node(n, im->root)) {
        n->state = sp__sofa_find(n, SOFA_STATE);
        n->mapped = n->state && is_mapped(n);
    }
    for (sofa_node *n = im->root; n && !im->scene->no_memory; n = sp__sofa_next_node(n, im->root))
        if (n->state && !n->mapped) write_body(im, n);
}
