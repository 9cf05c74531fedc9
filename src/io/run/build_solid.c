// A solid of the scene: shape, material, boundary conditions, integrator and solver; then one call of the engine.
#include <stdio.h>

#include "io/run/build.h"

#include "math/vec3.h"

// ====================================================================================================== material

// Material of a solid, and the laws of its regions. Uniform values of the body or a region go to sp_material, values that vary
// per element go to arrays. Later regions override earlier ones, attribute by attribute. Density and Poisson's ratio of a region
// go to the arrays, so that an edit of the body's modulus still acts on the region.

typedef struct layers {
    const sp_solid_def *def;
    sp_material *regions;
    sp_solid_law *laws;  // of the regions
    int region_count;
    int *element_region;
    sp_eigenstrain *strains;  // of the regions
    double *element[5];       // density, young, poisson, swell, active; NaN: value of the body or region
    double *fibre;            // 6 per element, likewise; NULL: constant in every region
} layers;

enum { DENSITY, YOUNG, POISSON, SWELL, ACTIVE };
static const char *const names[5] = {"density", "young", "poisson", "swell", "active"};

static sp_status use_array(sp_run *run, const sp_run_body *body, layers *l, int which) {
    int n = sp_mesh_element_count(body->own);
    if (l->element[which]) return SP_OK;
    if (!SP_KEEP(&run->scratch, l->element[which], n)) return sp__build_no_memory(run);
    for (int i = 0; i < n; i++) l->element[which][i] = NAN;
    return SP_OK;
}

static const sp_attr_spec *spec_of(const sp_scene_node *node, const char *name) {
    for (int i = 0; i < node->spec->attr_count; i++)
        if (strcmp(node->spec->attrs[i].name, name) == 0) return &node->spec->attrs[i];
    return NULL;
}

static sp_status check_range(sp_run *run, const sp_run_body *body, const sp_scene_node *node, int which, int element,
                             double value) {
    const sp_attr_spec *spec = spec_of(node, names[which]);
    bool low = spec->flags & SP_ATTR_LOW_OPEN ? value > spec->low : value >= spec->low;
    bool high = spec->flags & SP_ATTR_HIGH_OPEN ? value < spec->high : value <= spec->high;
    if (low && high && isfinite(value)) return SP_OK;
    return SP_BUILD_FAIL(run, node, names[which], "%s = %g in element %lld, must be finite and in %c%g, %g%c", names[which],
                         value, (long long)sp_mesh_element_ids(body->own)[element], spec->flags & SP_ATTR_LOW_OPEN ? '(' : '[',
                         spec->low, spec->high, spec->flags & SP_ATTR_HIGH_OPEN || isinf(spec->high) ? ')' : ']');
}

// values that vary in space: from an expression at element centres, or from an array; NaN in an array: unchanged
static sp_status material_spread(sp_run *run, const sp_run_body *body, const sp_scene_node *node, int which, const int *elements,
                                 int count, layers *l) {
    const sp_attr *attr = sp__build_attr(node, names[which]);
    const double *data = NULL;
    SP_TRY(use_array(run, body, l, which));
    if (attr->data) SP_TRY(sp__build_data(run, body, node, names[which], attr->data, &data));
    for (int i = 0; i < count; i++) {
        int e = elements ? elements[i] : i;
        double x[3], value;
        sp_mesh_element_point(body->own, e, NULL, x);
        value = data ? data[e] : sp__attr_at(node, names[which], 0, x, 0);
        if (data && isnan(value)) continue;
        SP_TRY(check_range(run, body, node, which, e, value));
        l->element[which][e] = value;
    }
    return SP_OK;
}

static bool varies_in_space(const sp_attr *attr) {
    return attr->data || sp__attr_varies(attr, SP_ATTR_OF_SPACE);
}

static sp_status check_varies_once(sp_run *run, const sp_scene_node *m, int which, const sp_attr *attr) {
    if (!varies_in_space(attr) || !sp__attr_varies(attr, SP_ATTR_OF_TIME)) return SP_OK;
    return SP_BUILD_FAIL(run, m, names[which], "%s varies in time and in space at once: give it t, or x y z, not both",
                         names[which]);
}

// swell or active of a body or a region. elements NULL: all
static sp_status take_strain(sp_run *run, const sp_run_body *body, const sp_scene_node *m, int which, const int *elements,
                             int count, layers *l, sp_eigenstrain *out) {
    const sp_attr *attr = sp__build_attr(m, names[which]);
    if (!attr) return SP_OK;
    SP_TRY(check_varies_once(run, m, which, attr));
    if (varies_in_space(attr)) return material_spread(run, body, m, which, elements, count, l);
    for (int i = 0; i < count && l->element[which]; i++) l->element[which][elements ? elements[i] : i] = NAN;
    *(which == SWELL ? &out->swell : &out->active) = sp__attr_signal(m, names[which], 0);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ fibres

// Directions are given in the body's own axes and turn with its placement.
static void place_direction(const sp_run_body *body, double v[3]) {
    const double origin[3] = {0, 0, 0};
    double from[3], to[3];
    sp__places_point(&body->places, origin, from);
    sp__places_point(&body->places, v, to);
    sp__sub3(to, from, v);
}

// a component of the array `name`: the data element "name-x" or the component "name.x" of a vector in the mesh file
static sp_status fibre_component(sp_run *run, const sp_run_body *body, const sp_scene_node *node, const char *name, int k,
                                 const double **out) {
    char full[200];
    for (const sp_scene_node *data = NULL; (data = sp__next_child(body->node, "data", data));) {
        snprintf(full, sizeof full, "%.150s-%c", name, "xyz"[k]);
        if (strcmp(data->name, full) == 0) return sp__build_data(run, body, node, "fibre", full, out);
    }
    snprintf(full, sizeof full, "%.150s.%c", name, "xyz"[k]);
    return sp__build_data(run, body, node, "fibre", full, out);
}

static sp_status fibre_arrays(sp_run *run, const sp_run_body *body, const sp_scene_node *node, const sp_attr *attr,
                              const double *data[6]) {
    const char *const arrays[2] = {attr->data, attr->second};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3 && arrays[i]; k++) SP_TRY(fibre_component(run, body, node, arrays[i], k, &data[3 * i + k]));
    return SP_OK;
}

static sp_status fibre_spread(sp_run *run, const sp_run_body *body, const sp_scene_node *node, const sp_attr *attr,
                              const int *elements, int count, layers *l) {
    const double *data[6] = {NULL};
    size_t n = 6 * (size_t)sp_mesh_element_count(body->own);
    SP_TRY(fibre_arrays(run, body, node, attr, data));
    if (!l->fibre) {
        if (!SP_KEEP(&run->scratch, l->fibre, n)) return sp__build_no_memory(run);
        for (size_t i = 0; i < n; i++) l->fibre[i] = NAN;
    }
    for (int i = 0; i < count; i++) {
        int e = elements ? elements[i] : i;
        double x[3], *to = l->fibre + 6 * (size_t)e;
        sp_mesh_element_point(body->own, e, NULL, x);
        for (int k = 0; k < 6; k++) {
            to[k] = data[k] ? data[k][e] : k < attr->count ? sp__attr_at(node, "fibre", k, x, 0) : 0;
            if (!isfinite(to[k]))
                return SP_BUILD_FAIL(run, node, "fibre", "fibre = %g in element %lld, must be finite", to[k],
                                     (long long)sp_mesh_element_ids(body->own)[e]);
        }
        place_direction(body, to), place_direction(body, to + 3);
    }
    return SP_OK;
}

// directions of a body or a region: constant ones go to its material, others to the elements. elements NULL: all
static sp_status take_fibre(sp_run *run, const sp_run_body *body, const sp_scene_node *m, const int *elements, int count,
                            layers *l, sp_material *out) {
    const sp_attr *attr = sp__build_attr(m, "fibre");
    out->fibre_young = sp__build_number(m, "fibre-young", out->fibre_young);
    if (!attr) return SP_OK;
    if (varies_in_space(attr)) return fibre_spread(run, body, m, attr, elements, count, l);
    for (int k = 0; k < 6; k++) out->fibre[k] = k < attr->count ? attr->numbers[k] : 0;
    place_direction(body, out->fibre), place_direction(body, out->fibre + 3);
    for (int i = 0; l->fibre && i < count; i++) l->fibre[6 * (size_t)elements[i]] = NAN;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ body

static double mean_given(const double *values, int n, double otherwise) {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < n; i++)
        if (!isnan(values[i])) sum += values[i], count++;
    return count ? sum / count : otherwise;
}

static sp_status body_value(sp_run *run, sp_run_body *body, const sp_scene_node *m, int which, layers *l, double *out,
                            sp_signal *signal) {
    const sp_attr *attr = sp__build_attr(m, names[which]);
    int n = sp_mesh_element_count(body->own);
    if (!attr) return SP_OK;
    bool in_space = varies_in_space(attr), in_time = sp__attr_varies(attr, SP_ATTR_OF_TIME);
    SP_TRY(check_varies_once(run, m, which, attr));
    if (in_time && signal) {
        *signal = sp__attr_signal(m, names[which], 0);
        body->young_varies = true;
        *out = sp_signal_value(signal, 0);
        return SP_OK;
    }
    if (!in_space) {
        *out = attr->numbers[0];
        return SP_OK;
    }
    SP_TRY(material_spread(run, body, m, which, NULL, n, l));
    *out = mean_given(l->element[which], n, *out);
    return SP_OK;
}

// number of the word of an attribute in a list of words; -1: not given
static int word_number(const sp_scene_node *m, const char *name, const char *const *words, int count) {
    const sp_attr *attr = sp__build_attr(m, name);
    for (int i = 0; attr && attr->words && attr->count && i < count; i++)
        if (strcmp(attr->words[0], words[i]) == 0) return i;
    return -1;
}

static void take_model(const sp_scene_node *m, const char *name, sp_material_model *out) {
    static const char *const words[] = {"corotational",     "linear", "stvk",      "neo-hookean", "mooney-rivlin", "arruda-boyce",
                                        "veronda-westmann", "ogden",  "holzapfel", "costa",       "mass-spring",   "tensor-mass"};
    int n = word_number(m, name, words, sizeof words / sizeof *words);
    if (n >= 0) *out = (sp_material_model)n;
}

// what a body, a material or a region says of its law; the rest stays. `model`: the attribute that names the model
static void take_law(const sp_scene_node *m, const char *model, sp_solid_law *law) {
    static const char *const rotations[] = {"polar", "qr", "svd"}, *const shapes[] = {"rest", "deformed"},
                             *const tangents[] = {"frozen", "exact"}, *const forms[] = {"stable", "log", "isochoric"},
                             *const volumes[] = {"log", "quadratic", "mixed"},
                             *const integrations[] = {"b-bar", "full", "vertices"};
    int n;
    take_model(m, model, &law->model);
    if ((n = word_number(m, "rotation", rotations, 3)) >= 0) law->rotation = (sp_rotation)n;
    if ((n = word_number(m, "shape", shapes, 2)) >= 0) law->shape = (sp_shape)n;
    if ((n = word_number(m, "tangent", tangents, 2)) >= 0) law->tangent = (sp_tangent)n;
    if ((n = word_number(m, "form", forms, 3)) >= 0) law->form = (sp_neo_hookean_form)n;
    if ((n = word_number(m, "volumetric", volumes, 3)) >= 0) law->volumetric = (sp_volumetric)n;
    static const sp_integration integrations_of[] = {SP_INTEGRATION_B_BAR, SP_INTEGRATION_FULL, SP_INTEGRATION_VERTICES};
    if ((n = word_number(m, "integration", integrations, 3)) >= 0) law->integration = integrations_of[n];
    static const char *const tensor_laws[] = {"stvk", "hooke"};
    if ((n = word_number(m, "law", tensor_laws, 2)) >= 0) law->tensor_law = (sp_tensor_law)n;
}

// `integration` acts on hexahedra and 4-node tetrahedra, `vertices` on quadratic ones: it is an error where there is none.
// elements NULL: all
static sp_status check_integration(sp_run *run, const sp_run_body *body, const sp_scene_node *m, const int *elements, int count) {
    const int *nodes;
    const sp_attr *attr = sp__build_attr(m, "integration");
    if (!sp__build_given(m, "integration")) return SP_OK;
    const bool vertices = strcmp(attr->words[0], "vertices") == 0;
    for (int i = 0; i < count; i++) {
        sp_element_type type = sp_mesh_element(body->own, elements ? elements[i] : i, &nodes);
        if (vertices ? type == SP_ELEMENT_TET10 : type == SP_ELEMENT_HEX8 || type == SP_ELEMENT_TET4) return SP_OK;
    }
    return SP_BUILD_FAIL(run, m, "integration", "integration%s acts on %s, and \"%s\" has none%s", vertices ? " vertices" : "",
                         vertices ? "tetrahedra with 10 nodes" : "hexahedra with 8 nodes and tetrahedra with 4", body->node->path,
                         elements ? " in this region" : "");
}

// `rotation` is that of tetrahedra with kernels of their own; all others have the rotations of `svd`. qr and shape deformed are
// refused there by the engine. elements NULL: all
static sp_status check_rotation(sp_run *run, const sp_run_body *body, const sp_scene_node *m, const int *elements, int count) {
    static const char *const general[] = {"fibre-young", "prony", "swell", "active", "incompressibility"};
    const int *nodes;
    if (!sp__build_given(m, "rotation") || !sp__build_is(m, "rotation", "polar")) return SP_OK;
    for (size_t i = 0; i < sizeof general / sizeof *general; i++)
        if (sp__build_given(m, general[i]))
            return SP_BUILD_FAIL(run, m, "rotation", "rotation polar has no effect with %s: the rotation is that of svd",
                                 general[i]);
    const bool full = !sp__build_given(m, "integration") || !sp__build_is(m, "integration", "b-bar");
    for (int i = 0; i < count && full; i++)
        if (sp_mesh_element(body->own, elements ? elements[i] : i, &nodes) == SP_ELEMENT_TET4) return SP_OK;
    return SP_BUILD_FAIL(run, m, "rotation",
                         "rotation polar acts on tetrahedra with 4 nodes and integration full, and \"%s\" has none%s: that of "
                         "other elements is svd",
                         body->node->path, elements ? " in this region" : "");
}

static void take_coefficients(const sp_scene_node *m, sp_material *out) {
    const sp_attr *attr = sp__build_attr(m, "coefficients");
    if (attr) {
        out->coefficient_count = attr->count;
        for (int i = 0; i < attr->count && i < 8; i++) out->coefficients[i] = attr->numbers[i];
    }
    out->bulk = sp__build_number(m, "bulk", out->bulk);
    out->incompressibility = sp__build_number(m, "incompressibility", out->incompressibility);
}

static void take_relaxation(const sp_scene_node *m, sp_material *out) {
    const sp_attr *attr = sp__build_attr(m, "prony");
    if (!attr) return;
    out->relaxation_count = attr->count / 2;
    for (int i = 0; i < attr->count && i < 2 * SP_RELAXATION_TERMS; i++) out->relaxation[i] = attr->numbers[i];
}

static void body_law(const sp_run_body *body, const sp_scene_node *m, sp_solid_def *def) {
    sp_solid_law law = {.rotation = SP_ROTATION_SVD};
    take_law(m, m == body->node ? "material" : "model", &law);
    def->model = law.model, def->rotation = law.rotation, def->shape = law.shape, def->tangent = law.tangent;
    def->form = law.form, def->volumetric = law.volumetric, def->integration = law.integration, def->tensor_law = law.tensor_law;
    take_coefficients(m, &def->material);
    take_relaxation(m, &def->material);
    if (sp__build_is(body->node, "mass-matrix", "consistent")) def->mass_matrix = SP_MASS_CONSISTENT;
}

// ------------------------------------------------------------------------------------------------ regions

// whether a region has a modulus or a law of its own: then it becomes a region of the engine
static bool region_is_own(const sp_scene_node *region) {
    static const char *const of_law[] = {"material",    "rotation",     "shape",  "tangent", "form",        "volumetric",
                                         "integration", "coefficients", "bulk",   "fibre",   "fibre-young", "incompressibility",
                                         "prony",       "swell",        "active", "law"};
    for (size_t i = 0; i < sizeof of_law / sizeof *of_law; i++)
        if (sp__build_given(region, of_law[i])) return true;
    return sp__build_attr(sp__scene_material(region), "young") != NULL;
}

static sp_solid_law law_of_body(const sp_solid_def *def) {
    return (sp_solid_law){def->model, def->rotation,   def->shape,       def->tangent,
                          def->form,  def->volumetric, def->integration, def->tensor_law};
}

static void region_law(const sp_scene_node *region, const sp_scene_node *m, const sp_solid_def *def, sp_solid_law *law,
                       sp_material *material) {
    const sp_scene_node *of_body = sp__scene_material(region->parent);
    *law = law_of_body(def);
    *material = (sp_material){.density = NAN, .young = NAN, .poisson = NAN, .bulk = def->material.bulk};
    take_law(m, m == region ? "material" : "model", law);
    // coefficients belong to a model: those of the body hold in its own
    if (law->model == def->model && m == region && !sp__build_attr(region, "young")) take_coefficients(of_body, material);
    memcpy(material->fibre, def->material.fibre, sizeof material->fibre);
    if (law->model == def->model && m == region) material->fibre_young = def->material.fibre_young;
    if (law->model == def->model && m == region) material->incompressibility = def->material.incompressibility;
    take_coefficients(m, material);
    if (m == region) take_relaxation(of_body, material);
    take_relaxation(m, material);
    if (sp__build_attr(m, "poisson") && !sp__build_attr(m, "bulk")) material->bulk = 0;
}

// pictures show such a region, and an edit of the body's modulus skips it
static sp_status region_young(sp_run *run, const sp_run_body *body, const sp_scene_node *region, const sp_scene_node *m,
                              const int *elements, int count, layers *l) {
    const sp_attr *attr = sp__build_attr(m, "young");
    if (!region_is_own(region)) return SP_OK;
    if (attr && sp__attr_varies(attr, SP_ATTR_OF_TIME))
        return SP_BUILD_FAIL(run, m, "young", "young of a region cannot vary in time, only that of the whole body");
    sp_material *material = &l->regions[l->region_count];
    sp_eigenstrain *strain = &l->strains[l->region_count];
    *strain = (sp_eigenstrain){sp_signal_constant(NAN), sp_signal_constant(NAN)};
    SP_TRY(take_strain(run, body, m, SWELL, elements, count, l, strain));
    SP_TRY(take_strain(run, body, m, ACTIVE, elements, count, l, strain));
    region_law(region, m, l->def, &l->laws[l->region_count++], material);
    SP_TRY(take_fibre(run, body, m, elements, count, l, material));
    for (int i = 0; i < count; i++) {
        l->element_region[elements[i]] = l->region_count;
        if (attr && l->element[YOUNG]) l->element[YOUNG][elements[i]] = NAN;
    }
    if (!attr) return SP_OK;
    if (varies_in_space(attr)) return material_spread(run, body, m, YOUNG, elements, count, l);
    material->young = attr->numbers[0];
    return SP_OK;
}

static sp_status region_other(sp_run *run, const sp_run_body *body, const sp_scene_node *m, int which, const int *elements,
                              int count, layers *l) {
    const sp_attr *attr = sp__build_attr(m, names[which]);
    if (!attr) return SP_OK;
    if (varies_in_space(attr)) return material_spread(run, body, m, which, elements, count, l);
    SP_TRY(use_array(run, body, l, which));
    for (int i = 0; i < count; i++) l->element[which][elements[i]] = attr->numbers[0];
    return SP_OK;
}

// the material of a region with what it has of the body
static sp_material full_material(const sp_solid_def *def, const sp_material *region) {
    sp_material m = *region;
    if (isnan(m.young)) m.young = def->material.young;
    if (isnan(m.poisson)) m.poisson = def->material.poisson;
    return m;
}

static sp_status check_numbers(sp_run *run, const sp_scene_node *m, const sp_solid_law *law, const sp_material *material) {
    char wrong[200];
    sp_moduli moduli;
    if (!sp_material_moduli(law, material, &moduli, wrong, sizeof wrong))
        return SP_BUILD_FAIL(run, m, material->coefficient_count ? "coefficients" : "young", "%s", wrong);
    if (sp__build_given(m, "coefficients"))
        sp__scene_note_auto(run->scene, m, "coefficients",
                            "at small strains Young's modulus %.4g Pa, Poisson's ratio %.5g, shear modulus %.4g Pa, bulk modulus "
                            "%.4g Pa",
                            moduli.young, moduli.poisson, moduli.shear, moduli.bulk);
    return SP_OK;
}

static sp_status build_region(sp_run *run, const sp_run_body *body, const sp_scene_node *region, layers *l) {
    int *elements, count, own = l->region_count;
    const sp_scene_node *m = sp__scene_material(region);
    SP_TRY(sp__build_select(run, body, region, SP_SELECT_ELEMENTS, &elements, &count));
    SP_TRY(check_integration(run, body, m, elements, count));
    SP_TRY(check_rotation(run, body, m, elements, count));
    SP_TRY(region_young(run, body, region, m, elements, count, l));
    if (l->region_count > own) {
        sp_material material = full_material(l->def, &l->regions[own]);
        const sp_attr *poisson = sp__build_attr(m, "poisson");
        if (poisson && !varies_in_space(poisson)) material.poisson = poisson->numbers[0];  // kept per element
        SP_TRY(check_numbers(run, m, &l->laws[own], &material));
    }
    SP_TRY(region_other(run, body, m, DENSITY, elements, count, l));
    return region_other(run, body, m, POISSON, elements, count, l);
}

int sp__build_region_number(const sp_scene_node *region) {
    int n = 0;
    for (const sp_scene_node *r = NULL; (r = sp__next_child(region->parent, "region", r));) {
        bool own = region_is_own(r);
        if (r == region) return own ? n : -1;
        n += own;
    }
    return -1;
}

const char *sp_run_region_name(const sp_run *run, sp_body_id body, int region) {
    const sp_run_body *b = NULL;
    for (int i = 0; i < run->body_count && !b; i++)
        if (run->bodies[i].id.slot == body.slot) b = &run->bodies[i];
    if (b && b->rod) return region >= 0 && region < b->rod->sections ? b->rod->section_name[region] : NULL;
    for (const sp_scene_node *r = NULL; b && region > 0 && (r = sp__next_child(b->node, "region", r));)
        if (sp__build_region_number(r) == region - 1) return r->name ? r->name : "";
    return b && region == 0 ? "" : NULL;
}

// ------------------------------------------------------------------------------------------------ volumetric locking

// the element that sets the Poisson's ratio of nearly incompressible elements: the body, or the last region that does
static const sp_scene_node *locking_source(const sp_run_body *body, double own, double limit) {
    const sp_scene_node *source = sp__scene_material(body->node);
    for (const sp_scene_node *r = NULL; !(own > limit) && (r = sp__next_child(body->node, "region", r));)
        if (sp__build_attr(sp__scene_material(r), "poisson")) source = sp__scene_material(r);
    return source;
}

// 4-node tetrahedra and hexahedra without mean dilatation
static bool element_locks(const sp_run_body *body, const sp_solid_def *def, int element) {
    const int *nodes;
    sp_element_type type = sp_mesh_element(body->own, element, &nodes);
    int region = def->element_region ? def->element_region[element] : 0;
    sp_integration integration = region ? def->region_laws[region - 1].integration : def->integration;
    return type == SP_ELEMENT_TET4 ? integration != SP_INTEGRATION_B_BAR
                                   : type == SP_ELEMENT_HEX8 && integration == SP_INTEGRATION_FULL;
}

// Poisson's ratio at small strains
static double element_poisson(const sp_solid_def *def, int element, bool *given) {
    *given = def->element_poisson && !isnan(def->element_poisson[element]);
    int region = def->element_region ? def->element_region[element] : 0;
    sp_solid_law law = region ? def->region_laws[region - 1] : law_of_body(def);
    sp_material m = region ? full_material(def, &def->regions[region - 1]) : def->material;
    sp_moduli moduli;
    if (def->element_young && !isnan(def->element_young[element])) m.young = def->element_young[element];
    if (*given) m.poisson = def->element_poisson[element];
    return sp_material_moduli(&law, &m, &moduli, NULL, 0) ? moduli.poisson : m.poisson;
}

// They lock above this ratio (docs/incompressible.md); one warning per body
static void warn_of_locking(sp_run *run, const sp_run_body *body, const sp_solid_def *def) {
    const double limit = 0.45;
    int n = sp_mesh_element_count(body->own), count = 0;
    double own = NAN, most = 0;
    for (int e = 0; e < n; e++) {
        bool given;
        double poisson = element_poisson(def, e, &given);
        if (!(poisson > limit + 1e-12) || !element_locks(body, def, e)) continue;
        count++;
        most = fmax(most, poisson);
        if (!given) own = poisson;
    }
    if (count == 0) return;
    sp__scene_warning(run->scene, locking_source(body, own, limit), "poisson",
                      "volumetric locking: %d of %d %s of \"%s\" have a Poisson's ratio above %g (up to %g) and are too "
                      "stiff, the more so the coarser the mesh; integration=\"b-bar\" does not lock (docs/incompressible.md)",
                      count, n, sp_mesh_tets(body->own) ? "tetrahedra" : "elements", body->node->path, limit, most);
}

static sp_status build_material(sp_run *run, sp_run_body *body, sp_solid_def *def) {
    layers l = {.def = def};
    int n = sp_mesh_element_count(body->own), regions = 0;
    const sp_scene_node *m = sp__scene_material(body->node);
    for (const sp_scene_node *r = NULL; (r = sp__next_child(body->node, "region", r));) regions++;
    if (regions && (!SP_KEEP(&run->scratch, l.regions, regions) || !SP_KEEP(&run->scratch, l.laws, regions) ||
                    !SP_KEEP(&run->scratch, l.strains, regions) || !SP_KEEP(&run->scratch, l.element_region, n)))
        return sp__build_no_memory(run);
    body_law(body, m, def);
    SP_BUILD(check_integration(run, body, m, NULL, sp_mesh_element_count(body->own)));
    SP_BUILD(check_rotation(run, body, m, NULL, sp_mesh_element_count(body->own)));
    SP_BUILD(take_fibre(run, body, m, NULL, n, &l, &def->material));
    SP_BUILD(body_value(run, body, m, DENSITY, &l, &def->material.density, NULL));
    SP_BUILD(body_value(run, body, m, YOUNG, &l, &def->material.young, &def->young_of_time));
    SP_BUILD(body_value(run, body, m, POISSON, &l, &def->material.poisson, NULL));
    sp_solid_law law = law_of_body(def);
    SP_BUILD(check_numbers(run, m, &law, &def->material));
    SP_BUILD(take_strain(run, body, m, SWELL, NULL, n, &l, &def->eigenstrains.body));
    SP_BUILD(take_strain(run, body, m, ACTIVE, NULL, n, &l, &def->eigenstrains.body));
    for (const sp_scene_node *r = NULL; (r = sp__next_child(body->node, "region", r));) SP_BUILD(build_region(run, body, r, &l));
    def->regions = l.regions, def->region_laws = l.laws;
    def->region_count = l.region_count;
    def->element_region = l.region_count ? l.element_region : NULL;
    def->element_density = l.element[DENSITY];
    def->element_young = l.element[YOUNG];
    def->element_poisson = l.element[POISSON];
    def->eigenstrains.regions = l.strains;
    def->eigenstrains.element_swell = l.element[SWELL], def->eigenstrains.element_active = l.element[ACTIVE];
    def->element_fibre = l.fibre;
    warn_of_locking(run, body, def);
    return SP_OK;
}

// ================================================================================= boundary conditions and loads

// Boundary conditions and loads of a solid: fix, move, load and pull of the scene as the lists of a sp_solid_def. Directions are
// in world coordinates. Positions are in the body's own coordinates before placement, except the target of a spring.

static int count_children(const sp_scene_node *node, const char *name) {
    int n = 0;
    for (const sp_scene_node *c = NULL; (c = sp__next_child(node, name, c));) n++;
    return n;
}

// ------------------------------------------------------------------------------------------------ fixed and prescribed nodes

static sp_status build_fix(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_fix *out) {
    int *nodes;
    SP_TRY(sp__build_select(run, body, node, SP_SELECT_NODES, &nodes, &out->count));
    out->nodes = nodes;
    out->stiffness = sp__build_number(node, "stiffness", 0);
    out->axes = sp__build_axes(node);
    return SP_OK;
}

static sp_status build_move(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_move *out) {
    int *nodes;
    const double origin[3] = {0, 0, 0};
    const sp_attr *about = sp__build_attr(node, "about");
    SP_TRY(sp__build_select(run, body, node, SP_SELECT_NODES, &nodes, &out->count));
    out->nodes = nodes;
    out->axes = sp__build_axes(node);
    if (sp__build_is(node, "frame", "world"))
        memcpy(out->about, about ? about->numbers : origin, sizeof out->about);
    else
        sp__places_point(&body->places, about ? about->numbers : origin, out->about);
    return sp__build_motion(run, node, &out->pose);
}

// ------------------------------------------------------------------------------------------------ loads

static const struct {
    const char *name;
    sp_load_type type;
    sp_select_kind kind;
    int components;
} load_kinds[] = {
    {"force", SP_LOAD_FORCE, SP_SELECT_NODES, 3},
    {"each", SP_LOAD_EACH, SP_SELECT_NODES, 3},
    {"traction", SP_LOAD_TRACTION, SP_SELECT_FACES, 3},
    {"pressure", SP_LOAD_PRESSURE, SP_SELECT_FACES, 1},
    {"acceleration", SP_LOAD_ACCELERATION, SP_SELECT_NODES, 3},
};
enum { LOAD_KINDS = sizeof load_kinds / sizeof *load_kinds };

// the reader guarantees that one of them is given
static int load_kind(const sp_scene_node *node) {
    int i = 0;
    while (i + 1 < LOAD_KINDS && !sp__build_given(node, load_kinds[i].name)) i++;
    return i;
}

static sp_status build_load(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_load *out, int *count) {
    int kind = load_kind(node), *items, n;
    SP_TRY(sp__build_select(run, body, node, load_kinds[kind].kind, &items, &n));
    if (n == 0) return SP_OK;
    sp_load *load = &out[(*count)++];
    *load = (sp_load){.type = load_kinds[kind].type, .items = items, .count = n};
    for (int k = 0; k < 3; k++)
        load->value[k] =
            k < load_kinds[kind].components ? sp__attr_signal(node, load_kinds[kind].name, k) : sp_signal_constant(0);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ springs

// a cell per node, for an anchor with all weight on the node; NULL: no memory
static int *cells_of_nodes(sp_run *run, const sp_mesh *mesh) {
    int *first;
    if (!SP_KEEP(&run->scratch, first, sp_mesh_node_count(mesh))) return NULL;
    for (int c = sp_mesh_cell_count(mesh) - 1; c >= 0; c--)
        for (int k = 0; k < 4; k++) first[sp_mesh_cells(mesh)[4 * (size_t)c + (size_t)k]] = c;
    return first;
}

// the shares of nodes 1, 2, 3 of the cell
static sp_anchor anchor_at_node(const sp_mesh *mesh, int node, int cell) {
    sp_anchor a = {.elem = (uint32_t)cell};
    for (size_t k = 0; k < 3; k++) {
        if (sp_mesh_cells(mesh)[4 * (size_t)cell + k + 1] != node) continue;
        a.at[k] = 1;
        break;  // the flat cell of a triangle has its last node twice
    }
    return a;
}

// the material points that an element selects: a point, or nodes
static sp_status selected_anchors(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_anchor **out, int *count) {
    int *nodes = NULL, n = 1;
    bool point = sp__build_given(node, "point");
    if (!point) SP_TRY(sp__build_select(run, body, node, SP_SELECT_NODES, &nodes, &n));
    if (!SP_KEEP(&run->scratch, *out, n)) return sp__build_no_memory(run);
    int *cells = point ? NULL : cells_of_nodes(run, body->placed);
    if (!point && !cells) return sp__build_no_memory(run);
    if (point) SP_TRY(sp__build_point(run, body, node, *out));
    for (int i = 0; i < n && !point; i++) (*out)[i] = anchor_at_node(body->placed, nodes[i], cells[nodes[i]]);
    *count = n;
    return SP_OK;
}

static sp_status build_pull(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_spring_def **out, int *count) {
    sp_anchor *at;
    int n;
    SP_TRY(selected_anchors(run, body, node, &at, &n));
    if (!SP_KEEP(&run->scratch, *out, n)) return sp__build_no_memory(run);
    for (int i = 0; i < n; i++) {
        sp_spring_def *pull = &(*out)[i];
        pull->at = at[i];
        for (int k = 0; k < 3; k++) pull->to[k] = sp__attr_signal(node, "to", k);
        pull->stiffness = sp__build_number(node, "stiffness", 100);
        pull->damping = sp__build_number(node, "damping", 0);
    }
    *count = n;
    return SP_OK;
}

static sp_status build_pulls(sp_run *run, const sp_run_body *body, sp_solid_def *def) {
    sp_spring_def *all = NULL;
    int total = 0;
    for (const sp_scene_node *c = NULL; (c = sp__next_child(body->node, "pull", c));) {
        sp_spring_def *some, *memory;
        int n = 0;
        SP_BUILD(build_pull(run, body, c, &some, &n));
        if (!n) continue;
        if (!SP_KEEP(&run->scratch, memory, (size_t)total + (size_t)n)) return sp__build_no_memory(run);
        if (total) memcpy(memory, all, (size_t)total * sizeof *memory);
        memcpy(memory + total, some, (size_t)n * sizeof *memory);
        all = memory;
        total += n;
    }
    def->springs = all;
    def->spring_count = total;
    return SP_OK;
}

static sp_status build_masses(sp_run *run, const sp_run_body *body, sp_solid_def *def) {
    sp_mass_def *masses;
    if (!SP_KEEP(&run->scratch, masses, count_children(body->node, "mass"))) return sp__build_no_memory(run);
    for (const sp_scene_node *c = NULL; (c = sp__next_child(body->node, "mass", c));) {
        sp_mass_def *m = &masses[def->mass_count];
        sp_anchor *at;
        SP_BUILD(selected_anchors(run, body, c, &at, &m->count));
        m->name = c->path + strlen(body->node->path) + 1;
        m->at = at, m->value = sp__attr_signal(c, "value", 0);
        if (m->count) def->mass_count++;
    }
    def->masses = masses;
    return SP_OK;
}

static sp_status build_loads(sp_run *run, sp_run_body *body, sp_solid_def *def) {
    sp_fix *fixes;
    sp_move *moves;
    sp_load *loads;
    if (!SP_KEEP(&run->scratch, fixes, count_children(body->node, "fix")) ||
        !SP_KEEP(&run->scratch, moves, count_children(body->node, "move")) ||
        !SP_KEEP(&run->scratch, loads, count_children(body->node, "load")))
        return sp__build_no_memory(run);
    for (const sp_scene_node *c = NULL; (c = sp__next_child(body->node, "fix", c));) {
        SP_BUILD(build_fix(run, body, c, &fixes[def->fix_count]));
        if (fixes[def->fix_count].count) def->fix_count++;
    }
    for (const sp_scene_node *c = NULL; (c = sp__next_child(body->node, "move", c));) {
        SP_BUILD(build_move(run, body, c, &moves[def->move_count]));
        if (moves[def->move_count].count) def->move_count++;
    }
    for (const sp_scene_node *c = NULL; (c = sp__next_child(body->node, "load", c));)
        SP_BUILD(build_load(run, body, c, loads, &def->load_count));
    def->fixes = fixes;
    def->moves = moves;
    def->loads = loads;
    SP_TRY(build_masses(run, body, def));
    return build_pulls(run, body, def);
}

// =================================================================================== supports of static problems

// Static problems need supports that prevent every rigid body motion, else the solution is not unique. A fixed direction a at the
// position r allows only rigid velocities (v, w) with a . (v + w x r) = 0, which is the row (a, r x a). The supports suffice if
// the rows have rank six. Contact may act as a support too, but is not known in advance.

typedef struct hold {
    double centre[3], size;
    double gram[6][6];  // sum of rows^T rows, lengths scaled by the size of the body
} hold;

static void hold_point(hold *h, const double x[3], unsigned axes) {
    double r[3];
    for (int k = 0; k < 3; k++) r[k] = (x[k] - h->centre[k]) / h->size;
    for (int axis = 0; axis < 3; axis++) {
        if (!(axes & (1u << axis))) continue;
        double row[6] = {0}, a[3] = {axis == 0, axis == 1, axis == 2};
        memcpy(row, a, sizeof a);
        sp__cross3(r, a, row + 3);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) h->gram[i][j] += row[i] * row[j];
    }
}

// rank by elimination with full pivoting on the diagonal (the matrix is positive semi-definite)
static int rank_of(double g[6][6]) {
    double first = 0;
    for (int step = 0; step < 6; step++) {
        int p = step;
        for (int i = step; i < 6; i++)
            if (g[i][i] > g[p][p]) p = i;
        if (step == 0) first = g[p][p];
        // the rows are exact up to rounding: 1e-12 of the largest pivot is far above rounding and far below any real support
        if (!(g[p][p] > 1e-12 * first)) return step;
        for (int j = 0; j < 6; j++) {
            double t = g[step][j];
            g[step][j] = g[p][j], g[p][j] = t;
        }
        for (int i = 0; i < 6; i++) {
            double t = g[i][step];
            g[i][step] = g[i][p], g[i][p] = t;
        }
        for (int i = step + 1; i < 6; i++) {
            double f = g[i][step] / g[step][step];
            for (int j = step; j < 6; j++) g[i][j] -= f * g[step][j];
        }
    }
    return 6;
}

static void hold_nodes(hold *h, const sp_mesh *mesh, const int *nodes, int count, unsigned axes) {
    for (int i = 0; i < count; i++) hold_point(h, sp_mesh_positions(mesh) + 3 * (size_t)nodes[i], axes);
}

static bool may_touch(const sp_run *run) {
    const sp_scene_node *root = sp__scene_root(run->scene);
    return sp__next_child(root, "contact", NULL) && sp__next_child(root, "rigid", NULL);
}

static bool no_stiffness(const sp_run_body *body, const sp_solid_def *def) {
    if (def->young_of_time.eval) return false;
    if (!def->element_young && !def->region_count) return def->material.young == 0;
    for (int e = 0; e < sp_mesh_element_count(body->own); e++) {
        int region = def->element_region ? def->element_region[e] : 0;
        double young = region ? def->regions[region - 1].young : def->material.young;
        if (def->element_young && !isnan(def->element_young[e])) young = def->element_young[e];
        if (young == 0) return true;
    }
    return false;
}

static void anchor_position(const sp_mesh *mesh, const sp_anchor *a, double x[3]) {
    const double w[4] = {1 - a->at[0] - a->at[1] - a->at[2], a->at[0], a->at[1], a->at[2]};
    const int *cell = sp_mesh_cells(mesh) + 4 * (size_t)a->elem;
    for (int k = 0; k < 3; k++) {
        x[k] = 0;
        for (int c = 0; c < 4; c++) x[k] += w[c] * sp_mesh_positions(mesh)[3 * (size_t)cell[c] + (size_t)k];
    }
}

// Reports static problems without sufficient supports
static sp_status build_check_static(sp_run *run, const sp_run_body *body, const sp_solid_def *def) {
    hold h = {0};
    double low[3], high[3];
    if (def->integrator.type != SP_STATIC) return SP_OK;
    if (no_stiffness(body, def))
        return SP_BUILD_FAIL(run, body->node, "young", "young = 0 and a static integrator: there is no unique equilibrium");
    if (may_touch(run)) return SP_OK;
    sp_mesh_bounds(body->placed, low, high);
    for (int k = 0; k < 3; k++) h.centre[k] = 0.5 * (low[k] + high[k]), h.size = fmax(h.size, high[k] - low[k]);
    for (int i = 0; i < def->fix_count; i++)
        hold_nodes(&h, body->placed, def->fixes[i].nodes, def->fixes[i].count, def->fixes[i].axes);
    for (int i = 0; i < def->move_count; i++)
        hold_nodes(&h, body->placed, def->moves[i].nodes, def->moves[i].count, def->moves[i].axes);
    for (int i = 0; i < def->spring_count; i++) {
        const sp_anchor *a = &def->springs[i].at;
        double x[3];
        anchor_position(body->placed, a, x);
        hold_point(&h, x, SP_AXES_ALL);
    }
    int rank = rank_of(h.gram);
    if (rank == 6) return SP_OK;
    return SP_BUILD_FAIL(run, body->node, NULL,
                         "a static integrator, but %s: %d of its 6 rigid motions are free, so there is no unique equilibrium",
                         rank ? "the body is not held enough" : "nothing holds the body", 6 - rank);
}

// ================================================================================ initial state from a recording

// `initial file`: a solid starts from a recording, at the frame nearest to `time` or at the last frame.

static int find_body(const sp_recording *r, const char *name, sp_recording_body *out) {
    sp_recording_info info;
    sp_recording_get(r, &info);
    for (int i = 0; i < info.body_count; i++)
        if (sp_recording_body_at(r, i, out) >= 0 && strcmp(out->name, name) == 0) return i;
    return -1;
}

static sp_status recorded_refused(sp_run *run, const sp_scene_node *node, sp_status status) {
    return status < 0 ? sp__build_refused(run, node, status, sp_context_error(run->ctx)) : SP_OK;
}

static sp_status read_array(sp_run *run, const sp_scene_node *node, sp_recording *r, int frame, int body, const char *field,
                            int nodes, double **out) {
    sp_field_info info;
    SP_TRY(recorded_refused(run, node, sp_recording_field_info(r, frame, body, field, &info)));
    if (info.count != nodes || info.components != 3)
        return SP_BUILD_FAIL(run, node, "file", "%s of %d nodes in the recording, the solid has %d", field, info.count, nodes);
    if (!SP_KEEP(&run->scratch, *out, 3 * (size_t)nodes)) return sp__build_no_memory(run);
    return recorded_refused(run, node, sp_recording_field(r, frame, body, field, *out));
}

// cells of the recording: tetrahedra, or the triangles of a membrane
static bool same_cells(const sp_mesh *mesh, const sp_recording_topology *t) {
    const int corners = sp_mesh_element(mesh, 0, NULL) == SP_ELEMENT_TRI3 ? 3 : 4;
    bool same = t->cell_count == sp_mesh_cell_count(mesh) && t->corners == corners;
    for (int c = 0; same && c < t->cell_count; c++)
        same = memcmp(t->cells + corners * (size_t)c, sp_mesh_cells(mesh) + 4 * (size_t)c, (size_t)corners * sizeof(int)) == 0;
    return same;
}

static sp_status take_state(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_recording *r, sp_solid_def *def) {
    sp_recording_info info;
    sp_recording_body found;
    sp_recording_topology t;
    double *x, *v;
    int index = find_body(r, body->node->path, &found), nodes = sp_mesh_node_count(body->placed);
    sp_recording_get(r, &info);
    int frame = sp__build_given(node, "time") ? sp_recording_nearest(r, sp__build_number(node, "time", 0)) : info.frame_count - 1;
    if (frame < 0) return SP_BUILD_FAIL(run, node, "file", "the recording holds no frame");
    const char *kind = body->node->spec->name;
    if (index < 0 || info.visual || strcmp(found.kind, kind) != 0)
        return SP_BUILD_FAIL(run, node, "file", "the recording holds no mechanical state of a %s \"%s\"", kind, body->node->path);
    SP_TRY(recorded_refused(run, node, sp_recording_topology_at(r, frame, index, &t)));
    if (!same_cells(body->placed, &t))
        return SP_BUILD_FAIL(run, node, "file", "\"%s\" has other elements in the recording", body->node->path);
    SP_TRY(read_array(run, node, r, frame, index, "position", nodes, &x));
    SP_TRY(read_array(run, node, r, frame, index, "velocity", nodes, &v));
    def->initial = x;
    def->initial_velocity = v;
    return SP_OK;
}

// Takes the initial state from the solid of the same name in a recording
static sp_status solid_from_recording(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_solid_def *def) {
    sp_recording *r;
    SP_TRY(recorded_refused(run, node, sp_recording_open(run->ctx, sp__attr_word(node, "file"), &r)));
    sp_status status = take_state(run, body, node, r, def);
    sp_recording_close(&r);
    return status;
}

// ================================================================================================= initial state

// ------------------------------------------------------------------------------------------------ initial state

static double element_density(const sp_solid_def *def, int e) {
    if (def->element_density && !isnan(def->element_density[e])) return def->element_density[e];
    int region = def->element_region ? def->element_region[e] : 0;
    return region ? def->regions[region - 1].density : def->material.density;
}

// The mass of an element, and the share of each node: density times the integral of its shape function.
static double element_shares(const sp_mesh *mesh, int e, double density, double *shares) {
    const int *nodes;
    sp_element_type type = sp_mesh_element(mesh, e, &nodes);
    double mass = 0, D[9];
    if (type == SP_ELEMENT_TET4) {
        const double *X = sp_mesh_positions(mesh);
        for (int i = 0; i < 3; i++) sp__sub3(X + 3 * (size_t)nodes[i + 1], X + 3 * (size_t)nodes[0], D + 3 * i);
        mass = density * sp__det3(D) / 6;
        for (int i = 0; i < 4; i++) shares[i] = 0.25 * mass;
        return mass;
    }
    sp_mesh_element_integrals(mesh, e, shares);
    for (int i = 0; i < sp_element_nodes(type); i++) mass += shares[i] *= density;
    return mass;
}

// centre of mass of an initial shape
static void centre_of_mass(const sp_mesh *rest, const sp_solid_def *def, const double *x, double out[3]) {
    double mass = 0, shares[SP_ELEMENT_NODES_MAX];
    out[0] = out[1] = out[2] = 0;
    for (int e = 0; e < sp_mesh_element_count(rest); e++) {
        const int *nodes;
        int n = sp_element_nodes(sp_mesh_element(rest, e, &nodes));
        mass += element_shares(rest, e, element_density(def, e), shares);
        for (int i = 0; i < n; i++) sp__axpy3(out, shares[i], x + 3 * (size_t)nodes[i], out);
    }
    for (int k = 0; k < 3; k++) out[k] /= mass;
}

static sp_status start_velocity(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_solid_def *def) {
    const sp_attr *velocity = sp__build_attr(node, "velocity"), *spin = sp__build_attr(node, "spin");
    const double *x = def->initial ? def->initial : sp_mesh_positions(body->placed);
    int n = sp_mesh_node_count(body->placed);
    double *v, centre[3] = {0};
    if (!velocity && !spin) return SP_OK;
    if (!SP_KEEP(&run->scratch, v, 3 * (size_t)n)) return sp__build_no_memory(run);
    if (spin) centre_of_mass(body->placed, def, x, centre);
    for (size_t i = 0; i < (size_t)n; i++) {
        if (velocity) memcpy(v + 3 * i, velocity->numbers, 3 * sizeof *v);
        if (!spin) continue;
        double r[3], turn[3];
        sp__sub3(x + 3 * i, centre, r);
        sp__cross3(spin->numbers, r, turn);
        sp__axpy3(v + 3 * i, 1, turn, v + 3 * i);
    }
    def->initial_velocity = v;
    return SP_OK;
}

// `initial` acts in the body's own coordinates, before placement
static sp_status build_initial(sp_run *run, const sp_run_body *body, sp_solid_def *def) {
    const sp_scene_node *node = sp__next_child(body->node, "initial", NULL);
    const double *from = body->start ? body->start : sp_mesh_positions(body->own);
    sp_place place = {{1, 1, 1}, sp_pose_identity()};
    double *x;
    if (node && sp__build_given(node, "file")) return solid_from_recording(run, body, node, def);
    if (node) SP_TRY(sp__build_place(run, node, &place));
    if (body->start || !sp__place_is_identity(&place)) {
        int n = sp_mesh_node_count(body->own);
        if (!SP_KEEP(&run->scratch, x, 3 * (size_t)n)) return sp__build_no_memory(run);
        for (size_t i = 0; i < (size_t)n; i++) {
            sp__place_point(&place, from + 3 * i, x + 3 * i);
            sp__places_point(&body->places, x + 3 * i, x + 3 * i);
        }
        def->initial = x;
    }
    return node ? start_velocity(run, body, node, def) : SP_OK;
}

static sp_status fill_def(sp_run *run, sp_run_body *body, sp_solid_def *def) {
    const sp_attr *rayleigh = sp__build_attr(body->node, "rayleigh");
    def->name = body->node->path;
    def->mesh = body->placed;
    def->thickness = sp__build_number(body->node, "thickness", 0);
    if (rayleigh) def->rayleigh_mass = rayleigh->numbers[0], def->rayleigh_stiffness = rayleigh->numbers[1];
    def->drag = sp__build_number(body->node, "drag", 0);
    sp__build_integrator(body->node, &def->integrator);
    sp__build_solver(body->node, &def->solver);
    def->compliance = sp__build_compliance(body->node);
    SP_BUILD(build_material(run, body, def));
    SP_BUILD(build_loads(run, body, def));
    SP_BUILD(build_initial(run, body, def));
    // skipped after an error, which could be reported twice
    if (!run->failed) SP_BUILD(build_check_static(run, body, def));
    return SP_OK;
}

static sp_status build_solid(sp_run *run, const sp_scene_node *node) {
    sp_run_body *body = &run->bodies[run->body_count++];
    sp_solid_def def = sp_solid_def_default();
    *body = (sp_run_body){.node = node, .builder = &sp__solid_builder};
    if (strlen(node->path) >= 64)
        return SP_BUILD_FAIL(run, node, "name", "its path \"%s\" has %zu characters, at most 63 can be used", node->path,
                             strlen(node->path));
    SP_TRY(sp__build_places(run, node, &body->places));
    SP_TRY(sp__build_mesh(run, body));
    SP_TRY(fill_def(run, body, &def));
    if (run->failed) return SP_BAD_INPUT;
    sp_status status = sp_world_add_solid(run->world, &def, &body->id);
    if (status < 0) return sp__build_refused(run, node, status, sp_world_error(run->world));
    return sp__build_say_solver(run, body);
}

static int solid_item_count(const sp_run_body *body, sp_select_kind kind) {
    return kind == SP_SELECT_NODES ? sp_mesh_node_count(body->own) : sp_mesh_element_count(body->own);
}

static int64_t solid_item_number(const sp_run_body *body, const sp_scene_node *node, sp_select_kind kind, int item) {
    (void)node;
    return kind == SP_SELECT_NODES ? sp_mesh_node_ids(body->own)[item] : sp_mesh_element_ids(body->own)[item];
}

const sp_builder sp__solid_builder = {.element = "solid",
                                      .build = build_solid,
                                      .probe = sp__solid_probe,
                                      .select = sp__solid_select,
                                      .item_count = solid_item_count,
                                      .item_number = solid_item_number,
                                      .loose = true};
