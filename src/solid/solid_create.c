// Creation and destruction of a solid: checks, copies, renumbers and packs the definition.
#include <stdio.h>

#include "body/tolerances.h"
#include "core/share.h"
#include "kernels/tet_rotation.h"
#include "solid/solid.h"

static void solid_destroy(sp_body *b);

// ------------------------------------------------------------------------------------------------ parameters

// columns as in body/params.c
static const sp_param_spec solid_young = {"young", "Pa", "Young's modulus", "Young's modulus", 0, 1e15, SP_RANGE_HIGH_GUARD, 0,
                                          1e15,    1e6,  SP_PRICE_VALUES};
static const sp_param_spec solid_drag = {
    "drag", "N s/m4",       "damping by the surroundings", "damping by the surroundings", 0, 1e15, SP_RANGE_HIGH_GUARD, 0, 1e15,
    0,      SP_PRICE_VALUES};

static const sp_param_spec *const solid_params[] = {
    [SP_PARAM_RAYLEIGH_MASS] = &sp__param_rayleigh_mass,
    [SP_PARAM_RAYLEIGH_STIFFNESS] = &sp__param_rayleigh_stiffness,
    [SP_PARAM_DRAG] = &solid_drag,
    [SP_PARAM_TOLERANCE] = &sp__param_solver_tolerance,
    [SP_PARAM_ITERATIONS] = &sp__param_solver_iterations,
    [SP_PARAM_YOUNG] = &solid_young,
    [SP_PARAM_POISSON] = &sp__param_poisson,
    [SP_PARAM_DENSITY] = &sp__param_density,
    [SP_PARAM_MASS] = &sp__param_mass,
    NULL,
};

// The table of a solid; type: of the elements that its cells stand for; removes, grows: how elements are removed and appended.
#define SOLID_OPS(type, removes, grows)                                                                                     \
    {                                                                                                                       \
        .kind = "solid", .params = solid_params, .destroy = solid_destroy, .visit = sp__solid_visit,                        \
        .refresh = sp__solid_refresh, .prescribe = sp__solid_prescribe, .evaluate = sp__solid_evaluate,                     \
        .linearise = sp__solid_linearise, .retract = sp__solid_retract, .finish = sp__solid_finish, .mass = sp__solid_mass, \
        .points = sp__solid_points, .jacobian_rows = sp__solid_jacobian_rows, .apply_transpose = sp__solid_apply_transpose, \
        .anchor_node = sp__solid_anchor_node, .anchor_point = sp__solid_anchor_point, .attach = sp__solid_attach,           \
        .face_anchors = sp__solid_face_anchors, .face_point = sp__solid_face_point, .rest_point = sp__solid_rest_point,     \
        .fields = sp__solid_fields, .field_count = SP_SOLID_FIELDS, .state = {SP_FIELD_POSITION, SP_FIELD_VELOCITY},        \
        .element_type = type, .nodes_per_element = 4, .element_nodes = sp__solid_user_cells, .measure = sp__solid_measure,  \
        .energies = sp__solid_energies, .work = sp__solid_work, .hash = sp__solid_hash, .pin = sp__solid_pin,               \
        .set_state = sp__solid_set_state, .removal = removes, .growth = grows, .param_count = sp__body_param_count,         \
        .param_at = sp__body_param_at, .node_of = sp__solid_node_of,                                                        \
    }

const sp_body_ops sp__solid_ops = SOLID_OPS(SP_ELEMENT_TET4, &sp__solid_removal, &sp__solid_growth),
                  sp__membrane_ops = SOLID_OPS(SP_ELEMENT_TRI3, NULL, NULL);

sp_solid_def sp_solid_def_default(void) {
    return (sp_solid_def){
        .model = SP_COROTATIONAL,
        .rotation = SP_ROTATION_SVD,
        .shape = SP_SHAPE_REST,
        .tangent = SP_TANGENT_FROZEN,
        .material = {.density = sp__param_density.initial, .young = solid_young.initial, .poisson = sp__param_poisson.initial},
        .integrator = sp_integrator_def_default(),
        .solver = sp_solver_def_default(),
        .cookie = SP_COOKIE_SOLID,
    };
}

// ------------------------------------------------------------------------------------------------ checks

#define REFUSE(...) return sp__fail(error, SP_BAD_INPUT, __FILE__, __LINE__, __VA_ARGS__)

static sp_status solid_check_material(sp_error *error, const char *where, const sp_material *m) {
    SP_TRY(sp__param_check(error, where, &sp__param_density, m->density));
    SP_TRY(sp__param_check(error, where, &solid_young, m->young));
    return sp__param_check(error, where, &sp__param_poisson, m->poisson);
}

static sp_status check_overrides(sp_error *error, const sp_solid_def *def, int elements) {
    for (int e = 0; e < elements; e++) {
        sp_material m = {.density = 1, .young = 1, .poisson = 0};
        char where[48];
        snprintf(where, sizeof where, "element %d: ", e);
        if (def->element_density && !isnan(def->element_density[e])) m.density = def->element_density[e];
        if (def->element_young && !isnan(def->element_young[e])) m.young = def->element_young[e];
        if (def->element_poisson && !isnan(def->element_poisson[e])) m.poisson = def->element_poisson[e];
        SP_TRY(solid_check_material(error, where, &m));
        for (int k = 0; def->element_fibre && k < 6; k++)
            if (!isnan(def->element_fibre[6 * (size_t)e]) && !isfinite(def->element_fibre[6 * (size_t)e + (size_t)k]))
                REFUSE("element %d: fibre[%d] = %g, must be finite", e, k, def->element_fibre[6 * (size_t)e + (size_t)k]);
        if (def->element_region && (def->element_region[e] < 0 || def->element_region[e] > def->region_count))
            REFUSE("element %d: region = %d, must be in [0, %d]", e, def->element_region[e], def->region_count);
    }
    return SP_OK;
}

static sp_status check_factors(sp_error *error, const sp_solver_def *so) {
    if (so->pcg.refresh_every < 1 || so->pcg.lag < 0 || so->pcg.lag > 1000)
        REFUSE("solver: refresh_every = %d, must be >= 1; lag = %d, must be in [0, 1000]", so->pcg.refresh_every, so->pcg.lag);
    if (so->type == SP_SOLVER_BLOCK_TRIDIAGONAL) REFUSE("solver: type block-tridiagonal is for chains, and a solid is none");
    if (so->automatic.aim_ms <= 0) REFUSE("solver: aim_ms = %g, must be > 0 (NaN: auto)", so->automatic.aim_ms);
    if (so->updated.threshold < 0 || so->updated.budget_ms <= 0)
        REFUSE("solver: threshold = %g N s, must be >= 0; budget_ms = %g, must be > 0 (NaN: auto)", so->updated.threshold,
               so->updated.budget_ms);
    if (!(so->automatic.step > 0 && isfinite(so->automatic.step)))
        REFUSE("solver: step = %g s, must be finite and > 0", so->automatic.step);
    if (so->updated.budget_columns <= 0 || so->updated.budget_columns > 1)
        REFUSE("solver: budget_columns = %g, must be in (0, 1] (NaN: auto)", so->updated.budget_columns);
    if (!(so->pcg.drop >= 0 && so->pcg.drop <= 1) || !(so->pcg.omega > 0 && so->pcg.omega < 2))
        REFUSE("solver: drop = %g, must be in [0, 1]; omega = %g, must be in (0, 2)", so->pcg.drop, so->pcg.omega);
    return SP_OK;
}

static sp_body_params solid_params_of(const sp_solid_def *def) {
    return (sp_body_params){.rayleigh_mass = def->rayleigh_mass,
                            .rayleigh_stiffness = def->rayleigh_stiffness,
                            .drag = def->drag,
                            .tolerance = def->solver.tolerance,
                            .iterations = def->solver.iterations};
}

static sp_status check_enums(sp_error *error, const char *where, const sp_solid_law *law) {
    if (sp__solid_law_number(law) == SP_LAWS_ALL && law->model != SP_MASS_SPRING)
        REFUSE("%smodel = %d is unknown", where, (int)law->model);
    if (law->form > SP_FORM_ISOCHORIC) REFUSE("%sform = %d is unknown", where, (int)law->form);
    if (law->volumetric > SP_VOLUMETRIC_MIXED) REFUSE("%svolumetric = %d is unknown", where, (int)law->volumetric);
    if (law->integration > SP_INTEGRATION_VERTICES) REFUSE("%sintegration = %d is unknown", where, (int)law->integration);
    if (law->tensor_law > SP_TENSOR_HOOKE) REFUSE("%stensor_law = %d is unknown", where, (int)law->tensor_law);
    return SP_OK;
}

// whether fibre and sheet differ, if both are given
static bool axes_apart(const double *fibre) {
    double normal[3], f = sp__norm3(fibre), s = sp__norm3(fibre + 3);
    sp__cross3(fibre, fibre + 3, normal);
    return f == 0 || s == 0 || sp__norm3(normal) > 1e-6 * f * s;
}

// fibres of a region: what has them, and their directions
static sp_status check_fibres(sp_error *error, const char *where, const sp_solid_def *def, const sp_solid_law *law,
                              const sp_material *m, bool active) {
    bool adds = m->fibre_young > 0, own = law->model == SP_HOLZAPFEL || law->model == SP_COSTA;
    if (!(m->fibre_young >= 0 && isfinite(m->fibre_young)))
        REFUSE("%sfibre_young = %g Pa, must be finite and >= 0", where, m->fibre_young);
    for (int k = 0; k < 6; k++)
        if (!isfinite(m->fibre[k])) REFUSE("%sfibre[%d] = %g, must be finite", where, k, m->fibre[k]);
    if (law->model == SP_COSTA && !axes_apart(m->fibre)) REFUSE("%sfibre: the sheet is along the fibre", where);
    if (adds && own) REFUSE("%sfibre_young acts with isotropic laws: the coefficients of this law describe its fibres", where);
    if (adds && sp__law_is_linear(law))
        REFUSE("%sfibre_young: a linear law has no fibres, as they would not turn with the body; choose corotational", where);
    if (active && !def->element_fibre && sp__dot3(m->fibre, m->fibre) == 0)
        REFUSE("%sactive needs the direction of the fibres in `fibre`", where);
    if ((adds || law->model == SP_HOLZAPFEL) && !def->element_fibre && sp__dot3(m->fibre, m->fibre) == 0)
        REFUSE("%s%s needs the direction of its fibres in `fibre`", where, adds ? "fibre_young" : "holzapfel");
    return SP_OK;
}

// the law of a region; 0: of the body
static sp_status solid_check_law(sp_error *error, const sp_solid_def *def, int region) {
    const sp_solid_law law = sp__solid_law_of(def, region);
    const sp_material m = region ? sp__material_over(&def->regions[region - 1], &def->material) : def->material;
    double param[SP_LAW_PARAMS];
    char where[32] = "", text[200];
    const char *wrong;
    if (region) snprintf(where, sizeof where, "region %d: ", region);
    SP_TRY(check_enums(error, where, &law));
    SP_TRY(check_fibres(error, where, def, &law, &m, sp__solid_is_active(def, region)));
    if (law.model == SP_COROTATIONAL && law.tangent == SP_TANGENT_EXACT &&
        (law.rotation == SP_ROTATION_QR || law.shape == SP_SHAPE_DEFORMED))
        REFUSE("%sthe exact tangent needs rotation polar or svd and shape rest", where);
    if (!(m.bulk >= 0 && isfinite(m.bulk))) REFUSE("%sbulk = %g Pa, must be finite and >= 0", where, m.bulk);
    if ((wrong = sp__relaxation_wrong(&m, text, sizeof text))) REFUSE("%s%s", where, wrong);
    if (law.model == SP_MASS_SPRING && m.relaxation_count) REFUSE("%ssprings have no relaxation", where);
    if (m.coefficient_count < 0 || m.coefficient_count > 9)
        REFUSE("%scoefficient_count = %d, must be in [0, 9]", where, m.coefficient_count);
    if ((wrong = sp__solid_law_params(&law, &m, param, text, sizeof text))) REFUSE("%s%s", where, wrong);
    return SP_OK;
}

static sp_status check_thickness(sp_error *error, const sp_solid_def *def) {
    bool triangles = sp_mesh_element(def->mesh, 0, NULL) == SP_ELEMENT_TRI3;
    if (triangles && !(def->thickness > 0 && isfinite(def->thickness)))
        REFUSE("thickness = %g m of a mesh of triangles, must be finite and > 0", def->thickness);
    if (!triangles && def->thickness != 0)
        REFUSE("thickness = %g m, but the mesh has volume elements: only a mesh of triangles has a thickness", def->thickness);
    return SP_OK;
}

// The points in the middle of the faces have a volume; vertices are checked with the mesh.
static sp_status check_faces(sp_error *error, const sp_mesh *mesh, int element, const int *nodes) {
    double x[3 * SP_ELEMENT_NODES_MAX], natural[3], weight;
    for (int a = 0; a < 10; a++) memcpy(x + 3 * a, sp_mesh_positions(mesh) + 3 * (size_t)nodes[a], 3 * sizeof *x);
    for (int p = 4; p < SP_ELEMENT_VERTEX_POINTS; p++) {
        sp__element_vertex_point(p, natural, &weight);
        double det = sp__element_det(SP_ELEMENT_TET10, x, natural);
        if (!(det > sp__element_flat_below(SP_ELEMENT_TET10, x)))
            REFUSE("element %d: the Jacobian determinant in the middle of face %d is %g, must be > 0 with integration vertices",
                   element, p - 4, det);
    }
    return SP_OK;
}

// what the tensor-mass model has not
static sp_status check_tensor(sp_error *error, const sp_solid_def *def, int element) {
    const int region = def->element_region ? def->element_region[element] : 0;
    const sp_element_type type = sp_mesh_element(def->mesh, element, NULL);
    if (type != SP_ELEMENT_TET4 && type != SP_ELEMENT_TRI3)
        REFUSE("element %d: tensor-mass needs tetrahedra with 4 nodes or triangles with 3", element);
    if (type == SP_ELEMENT_TET4 && sp__solid_law_of(def, region).integration == SP_INTEGRATION_B_BAR)
        REFUSE("element %d: tensor-mass needs integration full", element);
    return SP_OK;
}

// What only four-node tetrahedra with the corotational or the linear law have.
static sp_status check_elements(sp_error *error, const sp_solid_def *def) {
    for (int e = 0; e < sp_mesh_element_count(def->mesh); e++) {
        const int *nodes;
        int region = def->element_region ? def->element_region[e] : 0;
        const sp_solid_law law = sp__solid_law_of(def, region);
        bool fibres = sp__solid_directions(def, region, false) > 0, strained = sp__solid_has_eigenstrain(def, region);
        bool four = sp_mesh_element(def->mesh, e, &nodes) == SP_ELEMENT_TET4, rotates = law.model == SP_COROTATIONAL;
        bool penalty = (region ? def->regions[region - 1] : def->material).incompressibility > 0;
        bool more = fibres || penalty || sp__solid_relaxes(def, region) || sp__solid_has_eigenstrain(def, region);
        if (law.model == SP_TENSOR_MASS) SP_TRY(check_tensor(error, def, e));
        bool anisotropic = law.model == SP_HOLZAPFEL || law.model == SP_COSTA;
        if (sp_mesh_element(def->mesh, e, &nodes) == SP_ELEMENT_TRI3 && (anisotropic || more))
            REFUSE("element %d is a triangle: membranes have isotropic elastic laws, without fibres, relaxation, "
                   "incompressibility, swell and active",
                   e);
        if (sp__solid_has_eigenstrain(def, region) &&
            (law.model == SP_MASS_SPRING || (four && law.integration == SP_INTEGRATION_B_BAR)))
            REFUSE("element %d: swell and active act neither on springs nor on 4-node tetrahedra with integration b-bar", e);
        bool special = rotates && (law.rotation == SP_ROTATION_QR || law.shape == SP_SHAPE_DEFORMED);
        if (!four && special) REFUSE("element %d: rotation qr and shape deformed need tetrahedra with 4 nodes", e);
        if (special && sp__solid_relaxes(def, region)) REFUSE("element %d: rotation qr and shape deformed have no relaxation", e);
        if (special && strained) REFUSE("element %d: rotation qr and shape deformed have no swelling and no contraction", e);
        if (special && fibres) REFUSE("element %d: rotation qr and shape deformed have no fibres", e);
        bool patches = four && law.integration == SP_INTEGRATION_B_BAR;
        if (special && patches) REFUSE("element %d: rotation qr and shape deformed need integration full", e);
        if (patches && law.model == SP_COSTA) REFUSE("element %d: costa needs tetrahedra with integration full", e);
        if (patches && def->solver.type == SP_SOLVER_UPDATED_CHOLESKY)
            REFUSE("element %d: solver updated-cholesky needs tetrahedra with integration full", e);
        if (def->solver.type == SP_SOLVER_UPDATED_CHOLESKY && law.tangent == SP_TANGENT_EXACT && !(four && rotates && !more))
            REFUSE("element %d: solver updated-cholesky needs tangents without negative eigenvalues: tangent frozen", e);
        if (law.integration == SP_INTEGRATION_VERTICES && sp_mesh_element(def->mesh, e, NULL) == SP_ELEMENT_TET10)
            SP_TRY(check_faces(error, def->mesh, e, nodes));
    }
    return SP_OK;
}

static sp_status check_mass_matrix(sp_error *error, const sp_solid_def *def) {
    if (def->mass_matrix > SP_MASS_CONSISTENT) REFUSE("mass_matrix = %d is unknown", (int)def->mass_matrix);
    if (def->mass_matrix == SP_MASS_LUMPED) return SP_OK;
    if (def->integrator.type == SP_EXPLICIT)
        REFUSE("mass_matrix consistent needs an implicit integrator: explicit divides by the mass of each node");
    if (def->solver.type == SP_SOLVER_UPDATED_CHOLESKY)
        REFUSE("mass_matrix consistent: solver updated-cholesky needs lumped masses");
    if (sp_mesh_element_count(def->mesh) > 0 && sp_mesh_element(def->mesh, 0, NULL) == SP_ELEMENT_TRI3)
        REFUSE("mass_matrix consistent is for volume elements, and the mesh is of triangles");
    return SP_OK;
}

static sp_status check_options(sp_error *error, const sp_solid_def *def) {
    for (int r = 0; r <= def->region_count; r++) SP_TRY(solid_check_law(error, def, r));
    SP_TRY(check_elements(error, def));
    SP_TRY(check_mass_matrix(error, def));
    SP_TRY(sp__solid_check_eigenstrain(error, def));
    const sp_body_params params = solid_params_of(def);
    SP_TRY(sp__body_params_check(error, solid_params, &params));
    SP_TRY(sp__body_check_systems(error, &def->integrator, &def->solver));
    return check_factors(error, &def->solver);
}

static sp_status solid_check(sp_error *error, const sp_solid_def *def, const char *backend) {
    if (def->cookie != SP_COOKIE_SOLID) REFUSE("the definition does not start from sp_solid_def_default()");
    if (!def->mesh) REFUSE("a solid needs a mesh");
    int nodes = sp_mesh_node_count(def->mesh), elements = sp_mesh_element_count(def->mesh);
    SP_TRY(check_thickness(error, def));
    if (def->region_count < 0 || def->region_count > UINT16_MAX - 1)
        REFUSE("region_count = %d, must be in [0, %d]", def->region_count, UINT16_MAX - 1);
    SP_TRY(solid_check_material(error, "", &def->material));
    for (int r = 0; r < def->region_count; r++) {
        const sp_material m = sp__material_over(&def->regions[r], &def->material);
        SP_TRY(solid_check_material(error, "region: ", &m));
    }
    SP_TRY(check_overrides(error, def, elements));
    for (int i = 0; i < 3 * nodes; i++)
        if ((def->initial && !isfinite(def->initial[i])) || (def->initial_velocity && !isfinite(def->initial_velocity[i])))
            REFUSE("initial state of node %d is not finite", i / 3);
    SP_TRY(sp__fixes_check(error, def->fixes, def->fix_count, nodes));
    SP_TRY(sp__moves_check(error, def->moves, def->move_count, nodes));
    SP_TRY(sp__springs_check(error, def->springs, def->spring_count));
    SP_TRY(sp__masses_check(error, def->masses, def->mass_count, false));
    SP_TRY(check_options(error, def));
    if (!sp__backend_find(backend))
        return sp__fail(error, SP_UNAVAILABLE, __FILE__, __LINE__, "backend '%s' is not in this build", backend);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ copies

static sp_status copy_override(sp_context *ctx, const sp_solid *s, const double *user, double **out) {
    int n = s->slots;
    if (!user) return SP_OK;
    if (!SP_NEW(ctx, *out, n)) return SP_NO_MEMORY;
    for (int slot = 0; slot < n; slot++) (*out)[slot] = s->user_element[slot] >= 0 ? user[s->user_element[slot]] : NAN;
    return SP_OK;
}

static sp_status copy_materials(sp_body *b, const sp_solid_def *def) {
    sp_context *ctx = b->ctx;
    sp_solid *s = sp__solid(b);
    int n = s->slots;
    s->region_count = def->region_count + 1;
    if (!SP_NEW(ctx, s->region, s->region_count) || !SP_NEW(ctx, s->own, s->region_count)) return SP_NO_MEMORY;
    for (int r = 0; r < s->region_count; r++) {
        s->own[r] = r ? def->regions[r - 1] : def->material;
        s->region[r] = (sp_solid_constants){s->own[r].density, s->own[r].young, s->own[r].poisson};
    }
    const sp_materials materials = {
        .count = s->region_count, .value = sp__solid_material_value, .changed = sp__solid_material_changed};
    SP_TRY(sp__materials_create(b, &materials));
    if (def->element_region && def->region_count) {
        if (!SP_NEW(ctx, s->region_of, n)) return SP_NO_MEMORY;
        for (int slot = 0; slot < n; slot++)
            s->region_of[slot] = s->user_element[slot] >= 0 ? (uint16_t)def->element_region[s->user_element[slot]] : 0;
    }
    SP_TRY(sp__solid_copy_eigenstrain(b, def));
    SP_TRY(copy_override(ctx, s, def->element_density, &s->density));
    SP_TRY(copy_override(ctx, s, def->element_young, &s->young));
    return copy_override(ctx, s, def->element_poisson, &s->poisson);
}

static sp_status copy_state(sp_body *b, const sp_solid_def *def) {
    sp_solid *s = sp__solid(b);
    const double *x = sp_mesh_positions(def->mesh);
    if (!SP_NEW(b->ctx, s->rest, 3 * (size_t)s->nodes) || !SP_NEW(b->ctx, s->hold, 3 * (size_t)s->nodes)) return SP_NO_MEMORY;
    for (int i = 0; i < s->nodes; i++)
        for (size_t k = 0; k < 3; k++) {
            size_t at = 3 * (size_t)i + k, user = 3 * (size_t)s->user_node[i] + k;
            s->rest[at] = x[user];
            b->q[SP_COMMITTED][at] = b->q[SP_TRIAL][at] = s->hold[at] = def->initial ? def->initial[user] : x[user];
            b->v[SP_COMMITTED][at] = b->v[SP_TRIAL][at] = def->initial_velocity ? def->initial_velocity[user] : 0;
        }
    return SP_OK;
}

static size_t solid_scratch(const sp_body *b) {
    const sp_solid *s = sp__solid(b);
    size_t most = 0;
    for (int g = 0; g < s->group_count; g++) {
        size_t size = sp__chunks_scratch(b->ctx, &s->group[g].chunks);
        if (size > most) most = size;
    }
    return most;
}

sp_status sp__solid_make_caches(sp_body *b) {
    sp_solid *s = sp__solid(b);
    size_t n = (size_t)s->nodes;
    SP_TRY(sp__solid_make_mass(b));
    if (!SP_NEW(b->ctx, s->drag_of, n) || !SP_NEW(b->ctx, s->keep, 3 * n + 1) || !SP_NEW(b->ctx, s->work, 3 * n + 1) ||
        !SP_NEW(b->ctx, s->partial, n / SP_RANGE + 1) || !SP_NEW(b->ctx, s->scratch, solid_scratch(b)))
        return SP_NO_MEMORY;
    s->pattern = 1, s->stale = true;
    return sp__solid_make_sums(b);
}

// Moduli of an element at small strains [Pa], also of a law with its own coefficients, and along fibres
typedef struct small_strain {
    double young;
    double wave;  // Young's modulus of a material of Poisson's ratio 0.3 with the same speed of pressure waves, if above `young`
} small_strain;

static small_strain small_strain_moduli(const sp_solid *s, int slot) {
    const double wave_share = 1.346;  // (1 - nu) / ((1 + nu) (1 - 2 nu)) of nu = 0.3
    const sp_solid_group *g = sp__solid_group_of(s, slot);
    sp_material m = sp__solid_material_of(s, slot);
    double param[SP_LAW_PARAMS], fibre[SP_FIBRE_PARAMS], along = 0;
    char text[200];
    sp_moduli moduli;
    if (!sp_material_moduli(&g->law, &m, &moduli, NULL, 0)) return (small_strain){m.young, m.young};
    if (g->iso.families && !sp__solid_law_params(&g->law, &m, param, text, sizeof text))
        along = sp__solid_fibre_params(&g->law, &m, param, fibre);
    small_strain out = {.young = (m.coefficient_count ? moduli.young : m.young) + along};
    double wave = sp__solid_is_membrane(s) ? 0 : (moduli.bulk + 4 * moduli.shear / 3) / wave_share;
    out.wave = fmax(out.young, wave + along);
    return out;
}

// reference stiffness, mass and length of contact
static void set_contact_scales(sp_body *b, const sp_mesh *mesh) {
    sp_solid *s = sp__solid(b);
    double low[3], high[3], d[3], young = 0;
    sp_mesh_bounds(mesh, low, high);
    sp__sub3(high, low, d);
    for (int slot = 0; slot < s->slots; slot++) young = fmax(young, small_strain_moduli(s, slot).young);
    b->loads.size = sp__norm3(d);
    b->loads.inertia_stiffness = SP_CONTACT_INERTIA_SOLID;
    b->loads.force_tolerance = SP_CONTACT_FORCE_TOLERANCE_SOLID;
    double length = sp__solid_is_membrane(s) ? s->thickness : cbrt(sp_mesh_volume(mesh) / s->elements);
    b->loads.static_stiffness = b->loads.element_stiffness = young * length;
}

static void choose_solver(sp_body *b, const sp_solver_def *def) {
    const sp_solid *s = sp__solid(b);
    double low = INFINITY, high = 0, stiffness_number = 0;
    bool surface = sp__solid_is_membrane(s);
    for (int g = 0; g < s->group_count; g++) surface = surface && s->group[g].law.tangent == SP_TANGENT_FROZEN;
    for (int slot = 0; slot < s->slots; slot++) {
        if (s->user_element[slot] < 0) continue;
        sp_material m = sp__solid_material_of(s, slot);
        small_strain moduli = small_strain_moduli(s, slot);
        double size = s->volume[slot], young = moduli.young;
        double length = sp__solid_is_membrane(s) ? sqrt(2 * size / s->thickness) : cbrt(6 * size);
        if (young > 0) low = fmin(low, young), high = fmax(high, young);
        stiffness_number = fmax(stiffness_number, moduli.wave / (m.density * length * length));
    }
    sp_problem_stats load = {.nodes = s->nodes,
                             .elements = s->elements,
                             .contrast = high > 0 ? high / low : 1,
                             .stiffness_number = stiffness_number,
                             .statics = b->integrator.type == SP_STATIC,
                             .surface = surface};
    b->solver_def = sp__solver_choose(def, &load, b->solver_why, sizeof b->solver_why);
}

// ------------------------------------------------------------------------------------------------ creation

static uint32_t solid_capabilities(const sp_solid *s) {
    bool energy = true, exact = true;
    for (int g = 0; g < s->group_count; g++) {
        const sp_solid_law *law = &s->group[g].law;
        energy = energy && sp__group_has_energy(&s->group[g]);
        exact = exact && (sp__law_is_linear(law) || law->tangent == SP_TANGENT_EXACT);
    }
    return SP_CAP_NODAL | (energy ? SP_CAP_ENERGY : 0u) | (exact ? SP_CAP_EXACT_TANGENT : 0u) |
           (s->consistent ? SP_CAP_MASSLESS : 0u);
}

// Arrays that nothing writes from now on: worlds of a batch share them. Who changes the mesh of a solid replaces them.
static void share_group(sp_context *ctx, sp_solid_group *g) {
    SP_SHARE(ctx, g->block_start), SP_SHARE(ctx, g->node), SP_SHARE(ctx, g->local);
    SP_SHARE(ctx, g->mass_share), SP_SHARE(ctx, g->rest_slope), SP_SHARE(ctx, g->rest_weight);
    SP_SHARE(ctx, g->tets.rest), SP_SHARE(ctx, g->iso.fibre);
    if (!g->rest_slope) SP_SHARE(ctx, g->iso.slope), SP_SHARE(ctx, g->iso.weight);
    g->tets.block_start = g->iso.block_start = g->block_start;
    g->tets.node = g->iso.node = g->node, g->tets.local = g->iso.local = g->local;
    g->springs.block_start = g->block_start, g->springs.local = g->local;
}

// What evaluate writes at each state, before linearise copies it or a query reads it. Those of a linear law are constants.
static void lend_group(sp_context *ctx, sp_solid_group *g) {
    if (sp__group_is_linear(g)) return;
    SP_LEND(ctx, g->tets.grad), SP_LEND(ctx, g->other_grad), SP_LEND(ctx, g->tets.spin), SP_LEND(ctx, g->other_spin);
    SP_LEND(ctx, g->iso.turned), SP_LEND(ctx, g->other_turned), SP_LEND(ctx, g->iso.tangent), SP_LEND(ctx, g->other_tangent);
    SP_LEND(ctx, g->iso.bar), SP_LEND(ctx, g->other_bar), SP_LEND(ctx, g->iso.fibre_state), SP_LEND(ctx, g->other_fibre_state);
    SP_LEND(ctx, g->springs.state), SP_LEND(ctx, g->other_springs);
}

static void solid_share(sp_body *b) {
    sp_context *ctx = b->ctx;
    sp_solid *s = sp__solid(b);
    SP_SHARE(ctx, s->user_node), SP_SHARE(ctx, s->inner_node), SP_SHARE(ctx, s->user_element), SP_SHARE(ctx, s->slot_of);
    SP_SHARE(ctx, s->cell_node), SP_SHARE(ctx, s->cell_element), SP_SHARE(ctx, s->corner_of), SP_SHARE(ctx, s->leaf_start);
    SP_SHARE(ctx, s->region_of), SP_SHARE(ctx, s->rest), SP_SHARE(ctx, s->surface_cells), SP_SHARE(ctx, s->history_at);
    for (int g = 0; g < s->group_count; g++) share_group(ctx, &s->group[g]), lend_group(ctx, &s->group[g]);
    SP_LEND(ctx, s->work), SP_LEND(ctx, s->partial), SP_LEND(ctx, s->scratch), SP_LEND(ctx, s->task_sums);
}

static sp_status solid_fill(sp_body *b, const sp_solid_def *def, const char *backend) {
    sp_solid *s = sp__solid(b);
    s->be = sp__backend_find(backend);
    s->nodes = b->nodes = sp_mesh_node_count(def->mesh), s->elements = sp_mesh_element_count(def->mesh);
    s->params = solid_params_of(def), b->params = &s->params;
    s->young_of_time = def->young_of_time, s->thickness = def->thickness;
    s->consistent = def->mass_matrix == SP_MASS_CONSISTENT;
    SP_TRY(sp__solid_order(b->ctx, s, def->mesh));
    SP_TRY(sp__solid_pack(b->ctx, s, def));
    b->elements = s->cells, b->computed = s->elements;
    b->integrator = def->integrator;
    b->caps = solid_capabilities(s);
    SP_TRY(sp__solid_make_histories(b->ctx, s, def));
    b->histories = sp__solid_histories(s);
    SP_TRY(sp__body_init(b, 3 * s->nodes + b->histories, 3 * s->nodes));
    SP_TRY(copy_materials(b, def));
    SP_TRY(copy_state(b, def));
    SP_TRY(sp__solid_make_caches(b));
    SP_TRY(sp__solid_make_surface(b, def->mesh));
    set_contact_scales(b, def->mesh);
    choose_solver(b, &def->solver);
    b->compliance_type = def->compliance;
    SP_TRY(sp__loads_reserve(b, 8));
    SP_TRY(sp__solid_add_conditions(b, def));
    SP_TRY(sp__solver_create(b->ctx, &b->solver_def, s->be, &b->solver));
    sp__solid_materials(b);
    sp__springs_tell(b);
    solid_share(b);
    return def->initial ? sp__solid_undefined(b, SP_COMMITTED, SP_BAD_INPUT) : SP_OK;
}

sp_status sp__solid_create(sp_context *ctx, sp_error *error, const sp_solid_def *def, const char *backend, sp_body **out) {
    *out = NULL;
    SP_TRY(solid_check(error, def, backend));
    sp_body *b;
    const sp_body_ops *ops = def->thickness > 0 ? &sp__membrane_ops : &sp__solid_ops;
    SP_TRY(sp__body_new(ctx, error, ops, sizeof(sp_solid), def->name, &b));
    sp_status status = solid_fill(b, def, backend);
    if (status < 0) {
        if (status == SP_NO_MEMORY)
            sp__fail(error, status, __FILE__, __LINE__, "no memory for a solid of %d elements", sp__solid(b)->elements);
        solid_destroy(b);
        return status;
    }
    *out = b;
    return SP_OK;
}

static void group_free(sp_context *ctx, sp_solid_group *g) {
    sp_tets *t = &g->tets;
    sp_iso *iso = &g->iso;
    void *all[] = {g->block_start,
                   g->node,
                   g->local,
                   g->stencil_start,
                   g->stencil_block,
                   g->stencil_at,
                   t->rest,
                   t->frame,
                   t->scale,
                   t->ratio,
                   t->grad,
                   t->spin,
                   g->other_grad,
                   g->other_spin,
                   g->other_turned,
                   g->other_tangent,
                   iso->slope,
                   iso->weight,
                   iso->param,
                   iso->turned,
                   iso->tangent,
                   iso->bar,
                   g->other_bar,
                   iso->fibre,
                   iso->fibre_param,
                   iso->fibre_state,
                   g->other_fibre_state,
                   iso->kept,
                   g->other_kept,
                   g->lasting,
                   g->springs.length,
                   g->springs.stiffness,
                   g->springs.state,
                   g->other_springs,
                   g->mass_share,
                   iso->offset,
                   g->rest_slope,
                   g->rest_weight};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(ctx, all[i]);
    sp__solid_free_patches(ctx, g);
    sp__chunks_free(ctx, &g->chunks);
}

static void solid_destroy(sp_body *b) {
    if (!b) return;
    sp_context *ctx = b->ctx;
    sp_solid *s = sp__solid(b);
    sp__solid_free_remains(b);
    void *all[] = {s->user_node,     s->inner_node,   s->user_element, s->slot_of,       s->cell_node, s->cell_element,
                   s->leaf_start,    s->volume,       s->corner_of,    s->region,        s->own,       s->region_of,
                   s->density,       s->young,        s->poisson,      s->rest,          s->hold,      s->mass,
                   s->drag_of,       s->keep,         s->work,         s->partial,       s->scratch,   s->stencil_sum,
                   s->surface_cells, s->around_start, s->around,       s->slot_rotation, s->slot_node, s->terms,
                   s->task_sums,     s->history_at,   s->element_mass, s->eigenstrain,   s->strain,    s->swell,
                   s->active,        s->whole_volume};
    if (s->load_mass != s->mass) sp__free(ctx, s->load_mass);
    if (s->diagonal_mass != s->mass) sp__free(ctx, s->diagonal_mass);
    for (int g = 0; g < s->group_count; g++) group_free(ctx, &s->group[g]);
    sp__free(ctx, s->group);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(ctx, all[i]);
    sp__additions_free(ctx, &s->added);
    sp__solid_free_loads(ctx, s);
    sp__body_free(b);
    sp__free(ctx, s);
    sp__free(ctx, b);
}
