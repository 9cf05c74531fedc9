// Material of a solid. Uniform values of the body or a region go to sp_material, values that vary per element go to arrays. Later
// regions override earlier ones, attribute by attribute. Density and Poisson's ratio of a region go to the arrays, so that an
// edit of the body's modulus still acts on the region.
#include "io/run/build.h"

typedef struct layers {
    sp_material *regions;
    int region_count;
    int *element_region;
    double *element[3];  // density, young, poisson; NaN: value of the body or region
} layers;

enum { DENSITY, YOUNG, POISSON };
static const char *const names[3] = {"density", "young", "poisson"};

static sp_status use_array(sp_run *run, const sp_run_body *body, layers *l, int which) {
    int n = sp_mesh_tet_count(body->own);
    if (l->element[which]) return SP_OK;
    if (!SP_KEEP(&run->scratch, l->element[which], n)) return sp__build_no_memory(run);
    for (int i = 0; i < n; i++) l->element[which][i] = NAN;
    return SP_OK;
}

static void element_centre(const sp_mesh *mesh, int element, double x[3]) {
    const int *tet = sp_mesh_tets(mesh) + 4 * (size_t)element;
    for (int k = 0; k < 3; k++) {
        x[k] = 0;
        for (int i = 0; i < 4; i++) x[k] += 0.25 * sp_mesh_positions(mesh)[3 * (size_t)tet[i] + (size_t)k];
    }
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
                         value, (long long)sp_mesh_tet_ids(body->own)[element], spec->flags & SP_ATTR_LOW_OPEN ? '(' : '[',
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
        element_centre(body->own, e, x);
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
    int n = sp_mesh_tet_count(body->own);
    if (!attr) return SP_OK;
    bool in_space = varies_in_space(attr), in_time = sp__attr_varies(attr, SP_ATTR_OF_TIME);
    if (in_space && in_time)
        return SP_BUILD_FAIL(run, m, names[which], "%s varies in time and in space at once: give it t, or x y z, not both",
                             names[which]);
    if (in_time && signal) {
        *signal = sp__attr_signal(m, names[which], 0);
        body->young_varies = true;
        *out = sp_signal_at(signal, 0);
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

static void body_law(const sp_run_body *body, const sp_scene_node *m, sp_solid_def *def) {
    const sp_attr *model = sp__build_attr(m, m == body->node ? "material" : "model");
    const char *word = model && model->words && model->count ? model->words[0] : "corotational";
    def->model = strcmp(word, "linear") == 0 ? SP_LINEAR : SP_COROTATIONAL;
    def->rotation = sp__build_is(m, "rotation", "qr")      ? SP_ROTATION_QR
                    : sp__build_is(m, "rotation", "polar") ? SP_ROTATION_POLAR
                                                           : SP_ROTATION_SVD;
    def->shape = sp__build_is(m, "shape", "deformed") ? SP_SHAPE_DEFORMED : SP_SHAPE_REST;
    def->tangent = sp__build_is(m, "tangent", "exact") ? SP_TANGENT_EXACT : SP_TANGENT_FROZEN;
}

// ------------------------------------------------------------------------------------------------ regions

// a region with its own modulus becomes a region of the engine: pictures show it, and an edit of the body's modulus skips it
static sp_status region_young(sp_run *run, const sp_run_body *body, const sp_scene_node *m, const int *elements, int count,
                              layers *l) {
    const sp_attr *attr = sp__build_attr(m, "young");
    if (!attr) return SP_OK;
    if (sp__attr_varies(attr, SP_ATTR_OF_TIME))
        return SP_BUILD_FAIL(run, m, "young", "young of a region cannot vary in time, only that of the whole body");
    sp_material *region = &l->regions[l->region_count++];
    *region = (sp_material){NAN, NAN, NAN};
    for (int i = 0; i < count; i++) {
        l->element_region[elements[i]] = l->region_count;
        if (l->element[YOUNG]) l->element[YOUNG][elements[i]] = NAN;
    }
    if (varies_in_space(attr)) return material_spread(run, body, m, YOUNG, elements, count, l);
    region->young = attr->numbers[0];
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

static sp_status build_region(sp_run *run, const sp_run_body *body, const sp_scene_node *region, layers *l) {
    int *elements, count;
    const sp_scene_node *m = sp__scene_material(region);
    SP_TRY(sp__build_select(run, body, region, SP_SELECT_ELEMENTS, &elements, &count));
    SP_TRY(region_young(run, body, m, elements, count, l));
    SP_TRY(region_other(run, body, m, DENSITY, elements, count, l));
    return region_other(run, body, m, POISSON, elements, count, l);
}

int sp__build_region_number(const sp_scene_node *region) {
    int n = 0;
    for (const sp_scene_node *r = NULL; (r = sp__next_child(region->parent, "region", r));) {
        bool own = sp__build_attr(sp__scene_material(r), "young") != NULL;
        if (r == region) return own ? n : -1;
        n += own;
    }
    return -1;
}

// ------------------------------------------------------------------------------------------------ volumetric locking

// the element that sets the Poisson's ratio of nearly incompressible elements: the body, or the last region that does
static const sp_scene_node *locking_source(const sp_run_body *body, double own, double limit) {
    const sp_scene_node *source = sp__scene_material(body->node);
    for (const sp_scene_node *r = NULL; !(own > limit) && (r = sp__next_child(body->node, "region", r));)
        if (sp__build_attr(sp__scene_material(r), "poisson")) source = sp__scene_material(r);
    return source;
}

// 4-node tetrahedra lock above this ratio (docs/corotational.md, volumetric locking); one warning per body
static void warn_of_locking(sp_run *run, const sp_run_body *body, const sp_solid_def *def) {
    const double limit = 0.45;
    int n = sp_mesh_tet_count(body->own), count = 0;
    double own = NAN, most = 0;
    for (int e = 0; e < n; e++) {
        bool given = def->element_poisson && !isnan(def->element_poisson[e]);
        double poisson = given ? def->element_poisson[e] : def->material.poisson;
        if (!(poisson > limit)) continue;
        count++;
        most = fmax(most, poisson);
        if (!given) own = poisson;
    }
    if (count == 0) return;
    sp__scene_warning(run->scene, locking_source(body, own, limit), "poisson",
                      "volumetric locking: %d of %d tetrahedra of \"%s\" have a Poisson's ratio above %g (up to %g) and are too "
                      "stiff, the more so the coarser the mesh; docs/corotational.md has the numbers",
                      count, n, body->node->path, limit, most);
}

sp_status sp__build_material(sp_run *run, sp_run_body *body, sp_solid_def *def) {
    layers l = {0};
    int n = sp_mesh_tet_count(body->own), regions = 0;
    const sp_scene_node *m = sp__scene_material(body->node);
    for (const sp_scene_node *r = NULL; (r = sp__next_child(body->node, "region", r));) regions++;
    if (regions && (!SP_KEEP(&run->scratch, l.regions, regions) || !SP_KEEP(&run->scratch, l.element_region, n)))
        return sp__build_no_memory(run);
    body_law(body, m, def);
    SP_BUILD(body_value(run, body, m, DENSITY, &l, &def->material.density, NULL));
    SP_BUILD(body_value(run, body, m, YOUNG, &l, &def->material.young, &def->young_of_time));
    SP_BUILD(body_value(run, body, m, POISSON, &l, &def->material.poisson, NULL));
    for (const sp_scene_node *r = NULL; (r = sp__next_child(body->node, "region", r));) SP_BUILD(build_region(run, body, r, &l));
    def->regions = l.regions;
    def->region_count = l.region_count;
    def->element_region = l.region_count ? l.element_region : NULL;
    def->element_density = l.element[DENSITY];
    def->element_young = l.element[YOUNG];
    def->element_poisson = l.element[POISSON];
    warn_of_locking(run, body, def);
    return SP_OK;
}
