// Parameters that several kinds share: their list, the checks of definitions, and their values in a body.
#include "body/params.h"
#include "body/tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "body/body.h"
#include "util/text.h"

// Columns: name, unit, label, meaning, range of a definition, its ends, range of an edit, default, price.
// The range of an edit keeps a distance from an open end, where moduli become infinite.
const sp_param_spec sp__param_density = {
    "density", "kg/m3", "density", "mass per rest volume", 0, 1e9, SP_RANGE_LOW_OPEN | SP_RANGE_HIGH_GUARD,
    1e-300,    1e9,     1000,      SP_PRICE_MASS};
const sp_param_spec sp__param_poisson = {
    "poisson", "",  "Poisson's ratio", "Poisson's ratio", -1, 0.5, SP_RANGE_LOW_OPEN | SP_RANGE_HIGH_OPEN, -0.999,
    0.4999,    0.3, SP_PRICE_VALUES};
const sp_param_spec sp__param_rayleigh_mass = {
    "rayleigh-mass", "1/s", "damping by mass", "damping by mass", 0, 1e9, SP_RANGE_HIGH_GUARD, 0, 1e9, 0, SP_PRICE_VALUES};
const sp_param_spec sp__param_rayleigh_stiffness = {
    "rayleigh-stiffness", "s", "damping by stiffness", "damping by stiffness", 0, 1e9, SP_RANGE_HIGH_GUARD, 0, 1e9, 0,
    SP_PRICE_VALUES};
const sp_param_spec sp__param_solver_tolerance = {"solver.tolerance",
                                                  "",
                                                  "residual relative to the right-hand side",
                                                  "residual relative to the right-hand side; 0: exactly `iterations`",
                                                  0,
                                                  1,
                                                  SP_RANGE_HIGH_OPEN,
                                                  0,
                                                  0.999,
                                                  1e-6,
                                                  SP_PRICE_NOTHING};
const sp_param_spec sp__param_solver_iterations = {
    "solver.iterations", "", "iterations at most", "at most, or exactly", 1, 1e9, SP_RANGE_INTEGER, 1, 1e9, 1000,
    SP_PRICE_NOTHING};
const sp_param_spec sp__param_mass = {
    "mass.value", "kg", "point mass", "mass of all its points together", 0, 1e9, SP_RANGE_LOW_OPEN | SP_RANGE_HIGH_GUARD, 1e-300,
    1e9,          NAN,  SP_PRICE_MASS};

// ------------------------------------------------------------------------------------------------ checks

static bool in_range(const sp_param_spec *spec, double x) {
    bool above = spec->ends & SP_RANGE_LOW_OPEN ? x > spec->low : x >= spec->low;
    bool below = spec->ends & SP_RANGE_HIGH_OPEN ? x < spec->high : x <= spec->high;
    return above && below;
}

sp_status sp__param_check(sp_error *error, const char *where, const sp_param_spec *spec, double value) {
    if (in_range(spec, value)) return SP_OK;
    char name[32], low[24], high[24];
    const char *dot = strrchr(spec->name, '.');
    snprintf(name, sizeof name, "%s", dot ? dot + 1 : spec->name);
    for (char *c = name; *c; c++)
        if (*c == '-') *c = '_';  // spelling of the field in the definition
    sp__short_number(spec->low, low, sizeof low), sp__short_number(spec->high, high, sizeof high);
    bool unit = spec->unit[0] && strcmp(spec->unit, "1") != 0;
    return sp__fail(error, SP_BAD_INPUT, __FILE__, __LINE__, "%s%s = %g%s%s, must be in %c%s, %s%c", where, name, value,
                    unit ? " " : "", unit ? spec->unit : "", spec->ends & SP_RANGE_LOW_OPEN ? '(' : '[', low, high,
                    spec->ends & SP_RANGE_HIGH_OPEN ? ')' : ']');
}

bool sp__param_editable(const sp_param_spec *spec, double value) {
    return value >= spec->edit_low && value <= spec->edit_high;
}

#define REFUSE(...) return sp__fail(error, SP_BAD_INPUT, __FILE__, __LINE__, __VA_ARGS__)

sp_status sp__body_check_systems(sp_error *error, const sp_integrator_def *in, const sp_solver_def *so) {
    if (in->cookie != SP_COOKIE_INTEGRATOR) REFUSE("integrator does not start from sp_integrator_def_default()");
    if (in->iterations < 0 || in->load_steps < 1 || in->substeps < 0 || !(in->tolerance > 0 && in->tolerance < 1))
        REFUSE("integrator: iterations = %d, must be >= 0; load_steps = %d, must be >= 1; substeps = %d, must be >= 0; "
               "tolerance = %g, must be in (0, 1)",
               in->iterations, in->load_steps, in->substeps, in->tolerance);
    if (so->cookie != SP_COOKIE_SOLVER) REFUSE("solver does not start from sp_solver_def_default()");
    SP_TRY(sp__param_check(error, "solver: ", &sp__param_solver_iterations, so->iterations));
    return sp__param_check(error, "solver: ", &sp__param_solver_tolerance, so->tolerance);
}

int sp__body_iterations(const sp_body *b) {
    if (b->integrator.iterations != SP_ITERATIONS_AUTO) return b->integrator.iterations;
    return b->integrator.type == SP_STATIC ? SP_STATIC_ITERATIONS : SP_NEWTON_ITERATIONS;
}

// ------------------------------------------------------------------------------------------------ deformable kinds

sp_status sp__body_params_check(sp_error *error, const sp_param_spec *const *list, const sp_body_params *params) {
    SP_TRY(sp__param_check(error, "", list[SP_PARAM_RAYLEIGH_MASS], params->rayleigh_mass));
    SP_TRY(sp__param_check(error, "", list[SP_PARAM_RAYLEIGH_STIFFNESS], params->rayleigh_stiffness));
    return sp__param_check(error, "", list[SP_PARAM_DRAG], params->drag);
}

sp_status sp__materials_create(sp_body *b, const sp_materials *materials) {
    b->materials = *materials;
    if (!SP_NEW(b->ctx, b->materials.names, materials->count)) return SP_NO_MEMORY;
    for (int i = 1; i < materials->count; i++)
        for (int k = 0; k < SP_MATERIAL_PARAMS; k++)
            snprintf(b->materials.names[i][k], SP_MATERIAL_NAME, "region[%d].%s", i - 1,
                     b->ops->params[SP_PARAM_YOUNG + k]->name);
    return SP_OK;
}

int sp__body_param_count(sp_body *b) {
    return SP_PARAM_YOUNG + SP_MATERIAL_PARAMS * b->materials.count + b->loads.mass_count;
}

static sp_param mass_param(sp_body *b, int mass) {
    sp_point_mass *m = &b->loads.masses[mass];
    return (sp_param){.spec = &sp__param_mass, .name = m->path, .value = &m->now, .changed = b->materials.changed};
}

sp_param sp__body_param_at(sp_body *b, int index) {
    sp_body_params *p = b->params;
    double *const values[] = {&p->rayleigh_mass, &p->rayleigh_stiffness, &p->drag, &p->tolerance, &p->iterations};
    int mass = index - (SP_PARAM_YOUNG + SP_MATERIAL_PARAMS * b->materials.count);
    if (mass >= 0) return mass_param(b, mass);
    int material = index < SP_PARAM_YOUNG ? 0 : (index - SP_PARAM_YOUNG) / SP_MATERIAL_PARAMS;
    int which = index - SP_MATERIAL_PARAMS * material;
    const sp_param_spec *spec = b->ops->params[which];
    bool solver = which == SP_PARAM_TOLERANCE || which == SP_PARAM_ITERATIONS;
    return (sp_param){.spec = spec,
                      .name = material ? b->materials.names[material][which - SP_PARAM_YOUNG] : spec->name,
                      .value = which < SP_PARAM_YOUNG ? values[which] : b->materials.value(b, material, which),
                      .changed = solver ? sp__body_solver_changed : b->materials.changed};
}

void sp__body_params_visit(sp_body *b, sp_visitor *v) {
    sp_body_params *p = b->params;
    v->array(v, "rayleigh_mass", &p->rayleigh_mass, sizeof(double), 1);
    v->array(v, "rayleigh_stiffness", &p->rayleigh_stiffness, sizeof(double), 1);
    v->array(v, "drag", &p->drag, sizeof(double), 1);
    v->array(v, "tolerance", &p->tolerance, sizeof(double), 1);
    v->array(v, "iterations", &p->iterations, sizeof(double), 1);
}

void sp__body_solver_changed(sp_body *b) {
    b->solver_def.tolerance = b->params->tolerance, b->solver_def.iterations = (int)b->params->iterations;
    sp__solver_set(b->solver, b->params->tolerance, (int)b->params->iterations);
}
