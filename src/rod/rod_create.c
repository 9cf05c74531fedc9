// Creation of rods: checks of the definition, the function table, and memory.
#include <stdio.h>

#include "backend/backend.h"
#include "body/tolerances.h"
#include "math/vec3.h"
#include "rod/der.h"
#include "rod/rod.h"

static void rod_destroy(sp_body *b);
static void rod_prescribe(sp_body *b, const sp_step *step);
static sp_status rod_update_kinematics(sp_body *b, const sp_step *step, sp_which which);

// ------------------------------------------------------------------------------------------------ parameters

// columns as in body/params.c
static const sp_param_spec rod_young = {
    "young", "Pa", "Young's modulus", "Young's modulus", 0, 1e15, SP_RANGE_LOW_OPEN | SP_RANGE_HIGH_GUARD, 1e-300,
    1e15,    1e6,  SP_PRICE_VALUES};
static const sp_param_spec rod_drag = {
    "drag", "N s/m2",       "damping by the surroundings", "damping by the surroundings", 0, 1e15, SP_RANGE_HIGH_GUARD, 0, 1e15,
    0,      SP_PRICE_VALUES};
static const sp_param_spec rod_length = {
    "length", "m", "length", "needed without a path", 0, 1e9, SP_RANGE_LOW_OPEN | SP_RANGE_HIGH_GUARD,
    1e-300,   1e9, NAN,      SP_PRICE_NEW_BODY};
static const sp_param_spec rod_radius = {
    "radius", "m", "radius", "of a round section", 0, 1e6, SP_RANGE_LOW_OPEN | SP_RANGE_HIGH_GUARD,
    1e-300,   1e6, NAN,      SP_PRICE_NEW_BODY};

static const sp_param_spec *const rod_params[] = {
    [SP_PARAM_RAYLEIGH_MASS] = &sp__param_rayleigh_mass,
    [SP_PARAM_RAYLEIGH_STIFFNESS] = &sp__param_rayleigh_stiffness,
    [SP_PARAM_DRAG] = &rod_drag,
    [SP_PARAM_TOLERANCE] = &sp__param_solver_tolerance,
    [SP_PARAM_ITERATIONS] = &sp__param_solver_iterations,
    [SP_PARAM_YOUNG] = &rod_young,
    [SP_PARAM_POISSON] = &sp__param_poisson,
    [SP_PARAM_DENSITY] = &sp__param_density,
    [SP_PARAM_MASS] = &sp__param_mass,
    &rod_length,
    &rod_radius,
    &sp__rod_feed_speed,
    &sp__rod_feed_spin,
    NULL,
};

const sp_body_ops sp__rod_ops = {
    .kind = "rod",
    .params = rod_params,
    .destroy = rod_destroy,
    .visit = sp__rod_visit,
    .refresh = sp__rod_refresh,
    .prescribe = rod_prescribe,
    .evaluate = sp__rod_evaluate,
    .linearise = sp__rod_linearise,
    .retract = sp__rod_retract,
    .difference = sp__rod_difference,
    .compose_step = sp__rod_compose_step,
    .interpolate = sp__rod_interpolate,
    .place_fixed = sp__rod_place_fixed,
    .correct = sp__rod_correct,
    .inertia = sp__rod_inertia,
    .step_too_large = sp__rod_step_too_large,
    .mass = sp__rod_mass,
    .undo = sp__rod_undo,
    .update_kinematics = rod_update_kinematics,
    .points = sp__rod_points,
    .bounds = sp__rod_bounds,
    .jacobian_rows = sp__rod_jacobian_rows,
    .apply_transpose = sp__rod_apply_transpose,
    .anchor_node = sp__rod_anchor_node,
    .anchor_point = sp__rod_anchor_point,
    .attach = sp__rod_attach,
    .face_anchors = sp__rod_face_anchors,
    .face_point = sp__rod_face_point,
    .section_point = sp__rod_section_point,
    .fields = sp__rod_fields,
    .field_count = SP_ROD_FIELDS,
    .state = {SP_FIELD_COORDINATES, SP_FIELD_RATES},
    .element_type = SP_ELEMENT_LINE2,
    .nodes_per_element = 2,
    .element_nodes = sp__rod_element_nodes,
    .measure = sp__rod_measure,
    .energies = sp__rod_energies,
    .work = sp__rod_work,
    .hash = sp__rod_hash,
    .pin = sp__rod_pin,
    .set_state = sp__rod_set_state,
    .invert = sp__rod_invert,
    .param_count = sp__rod_param_count,
    .param_at = sp__rod_param_at,
    .node_of = sp__rod_node_of,
};

sp_rod_section sp_rod_section_default(void) {
    return (sp_rod_section){
        .density = sp__param_density.initial, .young = rod_young.initial, .poisson = sp__param_poisson.initial};
}

sp_rod_def sp_rod_def_default(void) {
    return (sp_rod_def){
        .samples = 10, .integrator = sp_integrator_def_default(), .solver = sp_solver_def_default(), .cookie = SP_COOKIE_ROD};
}

static void rod_prescribe(sp_body *b, const sp_step *step) {
    sp_rod *r = sp__rod(b);
    double t = step->time;
    r->h = step->h;
    if (r->growth) sp__rod_grow(b, step);
    if (r->guide) sp__rod_feed(b, step);
    if (sp__masses_prescribe(b, t)) sp__rod_changed(b);
    if (r->natural_in_time) {
        for (int i = 0; i < 3 * r->nodes; i++) r->natural[i] = sp_signal_value(&r->natural_signal[i % 3], t);
        sp__rod_changed(b);
    }
    memset(r->pushed, 0, sizeof r->pushed);
    for (int i = 0; i < r->loads; i++)
        for (int a = 0; a < 3; a++) {
            r->load_now[i][a] = sp_signal_value(&r->load[i].value[a], t);
            if (r->load[i].type == SP_LOAD_ACCELERATION) r->pushed[a] += r->load_now[i][a];
        }
    sp__rod_set_targets(b, t);
    sp__rod_follow(b);
}

static sp_status rod_update_kinematics(sp_body *b, const sp_step *step, sp_which which) {
    return sp__rod_update_all_kinematics(b, step, which, false);
}

// ------------------------------------------------------------------------------------------------ checks

#define REFUSE(...) return sp__fail(error, SP_BAD_INPUT, __FILE__, __LINE__, __VA_ARGS__)

// above this total rotation of a strand [rad], series need thousands of segments and megabytes
static const double most_turned = 1e4;

static sp_status rod_check_section(sp_error *error, int index, const sp_rod_section *s) {
    char where[32];
    snprintf(where, sizeof where, "section %d: ", index);
    for (int k = 0; k < 2; k++)
        if (!(s->axes[k] > rod_radius.low && s->axes[k] <= rod_radius.high))
            REFUSE("section %d: semi-axis %g m, must be in (0, 1e6]", index, s->axes[k]);
    if (!(s->bore >= 0 && s->bore < fmin(s->axes[0], s->axes[1])))
        REFUSE("section %d: bore = %g m, must be >= 0 and less than the semi-axes %g and %g", index, s->bore, s->axes[0],
               s->axes[1]);
    SP_TRY(sp__param_check(error, where, &sp__param_density, s->density));
    SP_TRY(sp__param_check(error, where, &rod_young, s->young));
    return sp__param_check(error, where, &sp__param_poisson, s->poisson);
}

static sp_status rod_check_curvature(sp_error *error, int strand, const sp_rod_strand *s, const double *k) {
    for (int i = 0; k && i < 3 * (s->elements + 1); i++) {
        if (!isfinite(k[i])) REFUSE("strand %d: curvature %g rad/m at node %d, must be finite", strand, k[i], i / 3);
        if (fabs(k[i]) * s->length > most_turned)
            REFUSE("strand %d: curvature %g rad/m at node %d, must be at most %g on a strand of %g m: more than %g rad in all "
                   "cannot "
                   "be followed",
                   strand, k[i], i / 3, most_turned / s->length, s->length, most_turned);
    }
    return SP_OK;
}

static sp_status check_strand(sp_error *error, const sp_rod_def *def, int index) {
    const sp_rod_strand *s = &def->strands[index];
    char where[32];
    snprintf(where, sizeof where, "strand %d: ", index);
    SP_TRY(sp__param_check(error, where, &rod_length, s->length));
    if (s->elements < 1 || s->elements > 1000000) REFUSE("strand %d: elements = %d, must be in [1, 1000000]", index, s->elements);
    double norm2 = sp__dot3(s->root.quat, s->root.quat) + s->root.quat[3] * s->root.quat[3];
    if (!(fabs(norm2 - 1) < 1e-6)) REFUSE("strand %d: the length of its root's quaternion is %g, must be 1", index, sqrt(norm2));
    for (int a = 0; a < 3; a++)
        if (!isfinite(s->root.translate[a])) REFUSE("strand %d: its root is at %g, must be finite", index, s->root.translate[a]);
    for (int e = 0; s->section && e < s->elements; e++)
        if (s->section[e] < 0 || s->section[e] >= def->section_count)
            REFUSE("strand %d: section %d of element %d, must be in [0, %d]", index, s->section[e], e, def->section_count - 1);
    SP_TRY(rod_check_curvature(error, index, s, s->curvature));
    return rod_check_curvature(error, index, s, s->start);
}

static sp_body_params rod_params_of(const sp_rod_def *def) {
    return (sp_body_params){.rayleigh_mass = def->rayleigh_mass,
                            .rayleigh_stiffness = def->rayleigh_stiffness,
                            .drag = def->drag,
                            .tolerance = def->solver.tolerance,
                            .iterations = def->solver.iterations};
}

static sp_status check_numbers(sp_error *error, const sp_rod_def *def) {
    const sp_body_params params = rod_params_of(def);
    SP_TRY(sp__body_params_check(error, rod_params, &params));
    for (int a = 0; a < 3; a++) {
        double v = def->velocity[a], w = def->spin[a];
        if (!isfinite(v) || !isfinite(w)) REFUSE("velocity = %g m/s and spin = %g rad/s, must be finite", v, w);
        if (!def->free_root && (v != 0 || w != 0))
            REFUSE("velocity = %g m/s and spin = %g rad/s, must be 0 if the root is held", v, w);
    }
    if (def->samples < 0 || def->samples > 64) REFUSE("samples = %d, must be in [0, 64]", def->samples);
    if (def->sides != 0 && (def->sides < 3 || def->sides > 64)) REFUSE("sides = %d, must be in [3, 64], or 0", def->sides);
    if (def->rings < 0 || def->rings > 64) REFUSE("rings = %d, must be in [0, 64]", def->rings);
    return SP_OK;
}

static sp_status check_systems(sp_error *error, const sp_rod_def *def) {
    const sp_solver_def *so = &def->solver;
    SP_TRY(sp__body_check_systems(error, &def->integrator, so));
    if (so->type != SP_SOLVER_AUTO && so->type != SP_SOLVER_BLOCK_TRIDIAGONAL && so->type != SP_SOLVER_CG)
        REFUSE("solver of a rod: its strands are chains, must be auto, block-tridiagonal or cg");
    bool reduced = def->model == SP_ROD_CLOTHOID || def->model == SP_ROD_HELIX;
    if (def->integrator.type == SP_EXPLICIT && reduced)
        REFUSE("explicit steps of clothoids or helices: a straight one has no inertia against twist; must be implicit-euler, "
               "newton or static");
    if (def->compliance != SP_COMPLIANCE_AUTO && def->compliance != SP_COMPLIANCE_DIAGONAL &&
        def->compliance != SP_COMPLIANCE_EXACT && def->compliance != SP_COMPLIANCE_BLOCK_TRIDIAGONAL)
        REFUSE("compliance of a rod = %d, must be auto, diagonal, exact or block-tridiagonal", (int)def->compliance);
    if (def->grow && !reduced) REFUSE("grow: only clothoids and helices do");
    return def->feed ? sp__rod_feed_check(error, def) : SP_OK;
}

static sp_status check_place(sp_error *error, const char *what, int index, const sp_anchor *a, int elements) {
    if (a->elem >= (uint32_t)elements || !(a->at[0] >= 0 && a->at[0] <= 1))
        REFUSE("%s %d: at %g of element %d, must be in [0, 1] of one in [0, %d]", what, index, a->at[0], (int)a->elem,
               elements - 1);
    return SP_OK;
}

static sp_status check_loads(sp_error *error, const sp_rod_def *def, int elements) {
    SP_TRY(sp__fixes_check(error, def->fixes, def->fix_count, (int64_t)elements + def->strand_count));
    SP_TRY(sp__moves_check(error, def->moves, def->move_count, (int64_t)elements + def->strand_count));
    SP_TRY(sp__point_loads_check(error, "rod", def->loads, def->load_count));
    for (int i = 0; i < def->load_count; i++)
        if (def->loads[i].type != SP_LOAD_ACCELERATION) SP_TRY(check_place(error, "load", i, &def->loads[i].at, elements));
    SP_TRY(sp__springs_check(error, def->springs, def->spring_count));
    for (int i = 0; i < def->spring_count; i++) SP_TRY(check_place(error, "spring", i, &def->springs[i].at, elements));
    SP_TRY(sp__masses_check(error, def->masses, def->mass_count, true));
    for (int i = 0; i < def->mass_count; i++)
        for (int k = 0; k < def->masses[i].count; k++) SP_TRY(check_place(error, "mass", i, &def->masses[i].at[k], elements));
    return SP_OK;
}

static sp_status rod_check(sp_error *error, const sp_rod_def *def) {
    if (def->cookie != SP_COOKIE_ROD) REFUSE("the definition does not start from sp_rod_def_default()");
    if ((int)def->model < 0 || def->model > SP_ROD_BEAM) REFUSE("model = %d, must be in [0, %d]", (int)def->model, SP_ROD_BEAM);
    if (def->strand_count < 1 || !def->strands) REFUSE("strand_count = %d, must be >= 1 with strands given", def->strand_count);
    if (def->section_count < 1 || !def->sections || def->section_count > 10000)
        REFUSE("section_count = %d, must be in [1, 10000] with sections given", def->section_count);
    for (int i = 0; i < def->section_count; i++) SP_TRY(rod_check_section(error, i, &def->sections[i]));
    int64_t elements = 0;
    for (int i = 0; i < def->strand_count; i++) {
        SP_TRY(check_strand(error, def, i));
        elements += def->strands[i].elements;
    }
    if (elements > 10000000) REFUSE("a rod of %lld elements, must have at most 10000000", (long long)elements);
    SP_TRY(check_numbers(error, def));
    SP_TRY(check_systems(error, def));
    return check_loads(error, def, (int)elements);
}

// ------------------------------------------------------------------------------------------------ layout of the strands

static const sp_rod_model_ops *const models[] = {[SP_ROD_CLOTHOID] = &sp__rod_clothoid,
                                                 [SP_ROD_HELIX] = &sp__rod_helix,
                                                 [SP_ROD_DER] = &sp__rod_der,
                                                 [SP_ROD_BEAM] = &sp__rod_beam};

// offsets of nodes, elements, unknowns and matrices of each strand
static sp_status number_unknowns(sp_body *b, const sp_rod_def *def, int64_t *nq, int64_t *nv, size_t *bands) {
    sp_rod *r = sp__rod(b);
    int64_t nodes = 0, elements = 0;
    *nq = *nv = 0, *bands = 0;
    for (int i = 0; i < def->strand_count; i++) {
        const sp_rod_strand *s = &def->strands[i];
        sp_rod_part *p = &r->part[i];
        int capacity = def->grow ? sp__rod_grow_reserve(def->grow, s->length, s->elements) : s->elements;
        *p = (sp_rod_part){.q = (int)*nq, .v = (int)*nv, .node = (int)nodes, .element = (int)elements};
        p->elements = capacity, p->alive = s->elements;
        p->nq = r->model->coordinates(capacity), p->nv = r->model->unknowns(capacity);
        p->band = r->model->band ? r->model->band : p->nv - 1;
        p->at = *bands;
        memcpy(p->root.r, s->root.translate, sizeof p->root.r);
        sp__quat_matrix(s->root.quat, p->root.R);
        *nq += p->nq, *nv += p->nv, nodes += capacity + 1, elements += capacity;
        *bands += (size_t)p->nv * ((size_t)p->band + 1);
        if (*nq > INT32_MAX / 4 || elements > 10000000 || *bands > SIZE_MAX / 64)
            return SP_BODY_FAIL(b, SP_BAD_INPUT, "a rod of more than %lld elements is too large", (long long)elements);
        if (p->nv > r->most_unknowns) r->most_unknowns = p->nv;
    }
    r->nodes = b->nodes = (int)nodes, r->elements = b->elements = (int)elements;
    return SP_OK;
}

static sp_status make_arrays(sp_body *b, int64_t nq, int64_t nv, size_t bands) {
    sp_rod *r = sp__rod(b);
    sp_context *ctx = b->ctx;
    size_t parts = (size_t)r->parts, elements = (size_t)r->elements, nodes = (size_t)r->nodes, q = (size_t)nq, v = (size_t)nv;
    r->scratch_size = 10 * (size_t)r->most_unknowns;
    if (!SP_NEW(ctx, r->part_of, elements) || !SP_NEW(ctx, r->section_of, elements) || !SP_NEW(ctx, r->length, elements) ||
        !SP_NEW(ctx, r->natural, 3 * nodes) || !SP_NEW(ctx, r->node_scratch, 3 * nodes) || !SP_NEW(ctx, r->rest, 3 * nodes) ||
        !SP_NEW(ctx, r->alive, parts) || !SP_NEW(ctx, r->hold, q) || !SP_NEW(ctx, r->start, q) ||
        !SP_NEW(ctx, r->kinematics_q, q) || !SP_NEW(ctx, r->kinematics_v, v) || !SP_NEW(ctx, r->kinematics_acceleration, parts) ||
        !SP_NEW(ctx, r->kinematics_of, parts) || !SP_NEW(ctx, r->kinematics_status, parts) || !SP_NEW(ctx, r->bounds, elements) ||
        !SP_NEW(ctx, r->part_measure, parts) || !SP_NEW(ctx, r->part_energy, parts) || !SP_NEW(ctx, r->part_kinetic, parts) ||
        !SP_NEW(ctx, r->product, v + 1) || !SP_NEW(ctx, r->kept, v + 1) || !SP_NEW(ctx, r->M, bands + 1) ||
        !SP_NEW(ctx, r->B, bands + 1) || !SP_NEW(ctx, r->K, bands + 1) || !SP_NEW(ctx, r->system[0], bands + 1) ||
        !SP_NEW(ctx, r->system[1], bands + 1) || !SP_NEW(ctx, r->system[2], bands + 1) ||
        !SP_NEW(ctx, r->chain_start, parts + 1) || !SP_NEW(ctx, r->chain_band, parts) || !SP_NEW(ctx, r->term_start, parts + 1) ||
        !SP_NEW(ctx, r->scratch, r->scratch_size * (size_t)sp__workers(ctx)))
        return SP_NO_MEMORY;
    for (int p = 0; p < r->parts; p++) {
        r->chain_start[p + 1] = r->part[p].v + r->part[p].nv, r->chain_band[p] = r->part[p].band;
        r->alive[p] = r->part[p].alive;
        for (int e = 0; e < r->part[p].elements; e++) r->part_of[r->part[p].element + e] = p;
    }
    return SP_OK;
}

// lengths, sections and natural curvature; elements not grown yet copy the last one
static void fill_strand(sp_rod *r, const sp_rod_strand *s, int index) {
    const sp_rod_part *p = &r->part[index];
    for (int e = 0; e < p->elements; e++) {
        int own = e < s->elements ? e : s->elements - 1;
        r->length[p->element + e] = e < s->elements ? s->length / s->elements : 0;
        r->section_of[p->element + e] = s->section ? s->section[own] : 0;
    }
    for (int i = 0; i <= p->elements && s->curvature; i++) {
        int own = i <= s->elements ? i : s->elements;
        memcpy(r->natural + 3 * (size_t)(p->node + i), s->curvature + 3 * (size_t)own, 3 * sizeof(double));
    }
}

static sp_status make_sections(sp_body *b, const sp_rod_def *def) {
    sp_rod *r = sp__rod(b);
    r->sections = def->section_count;
    if (!SP_NEW(b->ctx, r->section, r->sections) || !SP_NEW(b->ctx, r->stiffness, r->sections)) return SP_NO_MEMORY;
    memcpy(r->section, def->sections, (size_t)r->sections * sizeof *r->section);
    const sp_materials materials = {.count = r->sections, .value = sp__rod_material_value, .changed = sp__rod_changed};
    return sp__materials_create(b, &materials);
}

// ------------------------------------------------------------------------------------------------ initial shape

// initial curvature; node_scratch holds the curvature of all strands
static void start_curvature(sp_rod *r, const sp_rod_def *def) {
    memcpy(r->node_scratch, r->natural, 3 * (size_t)r->nodes * sizeof(double));
    for (int i = 0; i < r->parts; i++) {
        const sp_rod_strand *s = &def->strands[i];
        for (int k = 0; k <= r->part[i].elements && s->start; k++) {
            int own = k <= s->elements ? k : s->elements;
            memcpy(r->node_scratch + 3 * (size_t)(r->part[i].node + k), s->start + 3 * (size_t)own, 3 * sizeof(double));
        }
        if (r->guide) memset(r->node_scratch, 0, 3 * ((size_t)r->part[i].entry + 1) * sizeof(double));  // behind the entry point
    }
}

static sp_status make_start(sp_body *b, const sp_rod_def *def) {
    sp_rod *r = sp__rod(b);
    size_t n = (size_t)b->nq * sizeof(double);
    start_curvature(r, def);
    for (int i = 0; i < r->parts; i++)
        r->model->bend(b, i, &r->part[i].root, r->node_scratch + 3 * (size_t)r->part[i].node, b->q[SP_COMMITTED] + r->part[i].q);
    if (r->guide) sp__rod_feed_start(b);
    for (int i = 0; i < b->nq; i++)
        if (!isfinite(b->q[SP_COMMITTED][i])) return SP_BODY_FAIL(b, SP_NOT_FINITE, "the start of a rod is not finite");
    memcpy(b->q[SP_TRIAL], b->q[SP_COMMITTED], n), memcpy(r->hold, b->q[SP_COMMITTED], n);
    memcpy(r->start, b->q[SP_COMMITTED], n), memcpy(b->target, b->q[SP_COMMITTED], n);
    sp_field_info info;
    const sp_step now = sp__step_default(0);
    return sp__body_field_get(b, &now, "position", &info, r->rest);
}

// ------------------------------------------------------------------------------------------------ initial motion

// Initial rigid motion of a rod: every point x has the velocity v + w x x and every frame the angular velocity w. Beams: rates of
// each node. Clothoids and helices: six unknowns of the root, the other rates are zero. Discrete elastic rods: velocities of the
// nodes and spins of the edges about their tangents.

typedef struct motion {
    double v[3], w[3];  // velocity at the world's origin, angular velocity
} motion;

static void motion_at(const motion *m, const double x[3], double out[6]) {
    sp__cross3(m->w, x, out);
    for (int k = 0; k < 3; k++) out[k] += m->v[k], out[3 + k] = m->w[k];
}

// solves A x = b by Gaussian elimination with row pivoting; false: singular
static bool rod_solve6(double A[6][6], double b[6]) {
    for (int i = 0; i < 6; i++) {
        int p = i;
        for (int k = i + 1; k < 6; k++)
            if (fabs(A[k][i]) > fabs(A[p][i])) p = k;
        if (!(fabs(A[p][i]) > 0)) return false;
        for (int k = 0; k < 6; k++) {
            double t = A[i][k];
            A[i][k] = A[p][k], A[p][k] = t;
        }
        double t = b[i];
        b[i] = b[p], b[p] = t;
        for (int k = i + 1; k < 6; k++) {
            double f = A[k][i] / A[i][i];
            for (int j = i; j < 6; j++) A[k][j] -= f * A[i][j];
            b[k] -= f * b[i];
        }
    }
    for (int i = 5; i >= 0; i--) {
        for (int k = i + 1; k < 6; k++) b[i] -= A[i][k] * b[k];
        b[i] /= A[i][i];
    }
    return true;
}

// the six unknowns of a node with its own frame; unknown: nv numbers, columns: 6 nv
static bool rod_move_node(sp_body *b, int part, int node, const motion *m, int *unknown, double *columns) {
    const sp_rod *r = sp__rod(b);
    int last = r->part[part].elements, element = node < last ? node : last - 1, own[12];
    double A[6][6] = {{0}}, x[6], u = node == last;
    sp_curve_frame at;
    if (r->model->held(b, part, node, SP_AXES_ALL, own) != 6) return false;
    int n = r->model->slopes(b, part, element, u, unknown, columns);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 6; j++)
            for (int k = 0; k < 6 && unknown[i] == own[j]; k++) A[k][j] = columns[6 * i + k];
    r->model->place(b, part, element, u, &at);
    motion_at(m, at.r, x);
    if (!rod_solve6(A, x)) return false;
    for (int k = 0; k < 6; k++) b->v[SP_COMMITTED][r->part[part].v + own[k]] = x[k];
    return true;
}

static void move_der(sp_body *b, int part, const motion *m) {
    const sp_rod_part *p = &sp__rod(b)->part[part];
    double *v = b->v[SP_COMMITTED] + p->v, x[6];
    const double *q = b->q[SP_COMMITTED] + p->q;
    for (int i = 0; i <= p->elements; i++) {
        motion_at(m, q + sp__der_place(i), x);
        memcpy(v + sp__der_place(i), x, 3 * sizeof *x);
    }
    for (int e = 0; e < p->elements; e++) {
        double t[3];
        sp__sub3(q + sp__der_place(e + 1), q + sp__der_place(e), t);
        v[sp__der_angle(e)] = sp__dot3(m->w, t) / sp__norm3(t);
    }
}

static sp_status rod_move_all(sp_body *b, const motion *m, int *unknown, double *columns) {
    sp_rod *r = sp__rod(b);
    bool good = true;
    SP_TRY(sp__rod_update_all_kinematics(b, NULL, SP_COMMITTED, false));
    for (int i = 0; i < r->parts && good; i++) {
        int last = r->which == SP_ROD_BEAM ? r->part[i].elements : 0;
        if (r->which == SP_ROD_DER) move_der(b, i, m);
        for (int n = 0; r->which != SP_ROD_DER && n <= last && good; n++) good = rod_move_node(b, i, n, m, unknown, columns);
    }
    return good ? SP_OK : SP_BODY_FAIL(b, SP_BAD_INPUT, "'%s' cannot start with a velocity", b->name);
}

// A rotation about the origin gives the momentum mass times w x centre; the linear velocity is corrected by it.
static sp_status rod_start_motion(sp_body *b, const double velocity[3], const double spin[3]) {
    sp_rod *r = sp__rod(b);
    motion m = {{0, 0, 0}, {spin[0], spin[1], spin[2]}};
    int *unknown = NULL, most = 1;
    double *columns = NULL;
    sp_measure about;
    for (int i = 0; i < r->parts; i++) most = r->part[i].nv > most ? r->part[i].nv : most;
    sp_status status = SP_NEW(b->ctx, unknown, most) && SP_NEW(b->ctx, columns, 6 * (size_t)most) ? SP_OK : SP_NO_MEMORY;
    if (status >= 0) status = rod_move_all(b, &m, unknown, columns);
    if (status >= 0) {
        sp__rod_measure(b, &about);
        for (int k = 0; k < 3; k++) m.v[k] = velocity[k] - about.momentum[k] / about.mass;
        status = rod_move_all(b, &m, unknown, columns);
    }
    sp__free(b->ctx, unknown);
    sp__free(b->ctx, columns);
    memcpy(b->v[SP_TRIAL], b->v[SP_COMMITTED], (size_t)b->nv * sizeof(double));
    return status;
}

// ------------------------------------------------------------------------------------------------ loads and contact

int sp__rod_number(const sp_rod *r, const sp_rod_def *def, int number, bool node) {
    int strand = 0;
    for (; strand < r->parts - 1 && number >= def->strands[strand].elements + node; strand++)
        number -= def->strands[strand].elements + node;
    return number + (node ? r->part[strand].node : r->part[strand].element);
}

// before the models, which add them to their mass matrices
static sp_status copy_masses(sp_body *b, const sp_rod_def *def) {
    SP_TRY(sp__masses_create(b, def->masses, def->mass_count));
    for (int i = 0; i < b->loads.mass_count; i++)
        for (int k = 0; k < b->loads.masses[i].count; k++) {
            sp_anchor *at = &b->loads.masses[i].at[k];
            at->elem = (uint32_t)sp__rod_number(sp__rod(b), def, (int)at->elem, false);
            at->at[1] = at->at[2] = 0;
        }
    return SP_OK;
}

static sp_status copy_loads(sp_body *b, const sp_rod_def *def) {
    sp_rod *r = sp__rod(b);
    r->loads = def->load_count;
    if (!SP_NEW(b->ctx, r->load, def->load_count + 1) || !SP_NEW(b->ctx, r->load_now, def->load_count + 1) ||
        !SP_NEW(b->ctx, r->load_place, def->load_count + 1))
        return SP_NO_MEMORY;
    for (int i = 0; i < def->load_count; i++) {
        const sp_load *l = &def->loads[i];
        r->load[i] = (sp_rod_point_load){
            l->type, sp__rod_number(r, def, (int)l->at.elem, false), l->at.at[0], {l->value[0], l->value[1], l->value[2]}};
    }
    for (int i = 0; i < def->load_count; i++)
        if (r->load[i].type == SP_LOAD_TORQUE) b->caps &= ~(unsigned)SP_CAP_ENERGY;  // a torque has no potential
    for (int i = 0; i < def->spring_count; i++) {
        const sp_spring_def *p = &def->springs[i];
        sp_anchor at = {.elem = (uint32_t)sp__rod_number(r, def, (int)p->at.elem, false), .at = {p->at.at[0], 0, 0}};
        sp_spring s = sp__spring_of(p, at);
        SP_TRY(sp__loads_add_spring(b, &s));
    }
    return SP_OK;
}

// Contact spheres per section: one on the centreline of a round section, three side by side for a flat one.
static int balls_of(const sp_rod_section *s) {
    return fmax(s->axes[0], s->axes[1]) > 2 * fmin(s->axes[0], s->axes[1]) ? 3 : 1;
}

static sp_status make_contacts(sp_body *b) {
    sp_rod *r = sp__rod(b);
    int64_t count = 0;
    for (int e = 0; e < r->elements; e++) count += (int64_t)r->samples * balls_of(&r->section[r->section_of[e]]);
    if (count > INT32_MAX / 8 || !SP_NEW(b->ctx, b->loads.nodes, count + 1)) return SP_NO_MEMORY;
    for (int e = 0; e < r->elements; e++) {
        const sp_rod_section *s = &r->section[r->section_of[e]];
        int balls = balls_of(s), wide = s->axes[0] >= s->axes[1] ? 0 : 1;
        for (int i = 0; i < r->samples * balls; i++) {
            sp_contact_node *n = &b->loads.nodes[b->loads.node_count++];
            *n = (sp_contact_node){.share = 1, .radius = s->axes[1 - wide]};
            n->at = (sp_anchor){.elem = (uint32_t)e, .at = {(i / balls + 0.5) / r->samples, 0, 0}};
            if (balls == 3) n->at.offset[1 + wide] = (i % balls - 1) * (s->axes[wide] - s->axes[1 - wide]);
        }
        // statics: stiffness of a layer of the rod's material as thick as itself
        b->loads.static_stiffness = fmax(b->loads.static_stiffness, s->young * r->length[e] / (r->samples * balls + 1));
        b->loads.size += r->length[e] / r->parts;
    }
    b->loads.inertia_stiffness = SP_CONTACT_INERTIA_ROD, b->loads.force_tolerance = SP_CONTACT_FORCE_TOLERANCE_ROD;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ creation and destruction

static void rod_take_numbers(sp_body *b, const sp_rod_def *def) {
    sp_rod *r = sp__rod(b);
    r->which = def->model, r->model = models[def->model];
    r->free_root = def->free_root, r->edge_clamp = def->edge_clamp;
    r->exact = def->integrator.type == SP_STATIC;
    r->params = rod_params_of(def), b->params = &r->params;
    r->natural_in_time = def->natural_in_time;
    memcpy(r->natural_signal, def->natural, sizeof r->natural_signal);
    r->samples = def->samples, r->sides = def->sides, r->rings = def->rings;
    r->parts = def->strand_count;
    r->pattern = 1, r->stale = true;
    b->integrator = def->integrator;
    b->accepted_gap = sp__rod_corrects(b) ? SP_ROD_PASS_GAP : 0;
    b->solver_def = def->solver;
    b->compliance_type = def->compliance;
    if (def->solver.type == SP_SOLVER_AUTO) {
        b->solver_def.type = SP_SOLVER_BLOCK_TRIDIAGONAL;
        snprintf(b->solver_why, sizeof b->solver_why, "block-tridiagonal: strands are chains, factored in one pass");
    }
}

// no energy is minimised in dynamics if the mass matrix depends on the shape
static uint32_t rod_capabilities(const sp_rod_def *def) {
    bool moving = def->integrator.type == SP_NEWTON && def->model != SP_ROD_DER;
    return (moving ? 0u : SP_CAP_ENERGY) | (def->integrator.type == SP_STATIC ? SP_CAP_EXACT_TANGENT : 0u) |
           (models[def->model]->massless ? SP_CAP_MASSLESS : 0u);
}

static sp_status rod_fill(sp_body *b, const sp_rod_def *def) {
    sp_rod *r = sp__rod(b);
    int64_t nq, nv;
    size_t bands;
    rod_take_numbers(b, def);
    if (!SP_NEW(b->ctx, r->part, r->parts)) return SP_NO_MEMORY;
    SP_TRY(number_unknowns(b, def, &nq, &nv, &bands));
    SP_TRY(sp__body_init(b, (int)nq, (int)nv));
    SP_TRY(make_sections(b, def));
    SP_TRY(make_arrays(b, nq, nv, bands));
    for (int i = 0; i < r->parts; i++) fill_strand(r, &def->strands[i], i);
    for (int i = 0; i < 3 * r->nodes && r->natural_in_time; i++) r->natural[i] = sp_signal_value(&r->natural_signal[i % 3], 0);
    for (int i = 0; i < r->sections; i++) r->stiffness[i] = sp__rod_section_stiffness(&r->section[i]);
    SP_TRY(copy_masses(b, def));
    for (int i = 0; i < r->parts; i++) {
        if (!(r->part[i].model = sp__alloc(b->ctx, 1, r->model->size))) return SP_NO_MEMORY;
        SP_TRY(r->model->create(b, i));
    }
    SP_TRY(make_contacts(b));
    if (def->feed) SP_TRY(sp__rod_feed_create(b, def));
    sp__rod_follow(b);
    SP_TRY(make_start(b, def));
    if (sp__norm3(def->velocity) > 0 || sp__norm3(def->spin) > 0) SP_TRY(rod_start_motion(b, def->velocity, def->spin));
    SP_TRY(sp__loads_reserve(b, 8 + def->spring_count));
    SP_TRY(copy_loads(b, def));
    SP_TRY(sp__rod_hold_create(b, def));
    if (def->grow) SP_TRY(sp__rod_grow_create(b, def->grow));
    SP_TRY(sp__rod_surface_create(b));
    SP_TRY(sp__rod_line_create(b));
    SP_TRY(sp__rod_correct_create(b));
    return sp__solver_create(b->ctx, &b->solver_def, sp__backend_find("auto"), &b->solver);
}

sp_status sp__rod_create(sp_context *ctx, sp_error *error, const sp_rod_def *def, sp_body **out) {
    *out = NULL;
    SP_TRY(rod_check(error, def));
    sp_body *b;
    SP_TRY(sp__body_new(ctx, error, &sp__rod_ops, sizeof(sp_rod), def->name ? def->name : "rod", &b));
    b->caps = rod_capabilities(def) | SP_CAP_POINT_PENALTY;
    sp_status status = rod_fill(b, def);
    if (status < 0) {
        if (status == SP_NO_MEMORY)
            sp__fail(error, status, __FILE__, __LINE__, "no memory for a rod of %d strands", def->strand_count);
        rod_destroy(b);
        return status;
    }
    *out = b;
    return SP_OK;
}

static void rod_destroy(sp_body *b) {
    if (!b) return;
    sp_context *ctx = b->ctx;
    sp_rod *r = sp__rod(b);
    for (int i = 0; i < r->parts && r->part; i++) {
        if (r->part[i].model) r->model->destroy(b, i);
        sp__free(ctx, r->part[i].model);
    }
    sp__rod_grow_free(b);
    sp__rod_feed_free(b);
    sp__rod_hold_free(b);
    void *all[] = {r->part,
                   r->part_of,
                   r->section_of,
                   r->section,
                   r->natural,
                   r->hold,
                   r->start,
                   r->rest,
                   r->length,
                   r->alive,
                   r->load,
                   r->load_now,
                   r->stiffness,
                   r->kinematics_q,
                   r->kinematics_v,
                   r->kinematics_acceleration,
                   r->kinematics_of,
                   r->kinematics_status,
                   r->bounds,
                   r->part_measure,
                   r->part_energy,
                   r->part_kinetic,
                   r->load_place,
                   r->product,
                   r->kept,
                   r->node_scratch,
                   r->M,
                   r->B,
                   r->K,
                   r->system[0],
                   r->system[1],
                   r->system[2],
                   r->chain_start,
                   r->chain_band,
                   r->term_start,
                   r->term_order,
                   r->term_place,
                   r->correction,
                   r->correct_scratch,
                   r->scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(ctx, all[i]);
    sp__body_free(b);
    sp__free(ctx, r);
    sp__free(ctx, b);
}
