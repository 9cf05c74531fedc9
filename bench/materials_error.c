// Error against time of the elements, part of `bench materials`: the equilibrium of the peers' beam, 0.4 x 0.1 x 0.1 m, nu = 0.4,
// clamped at one end and bent by its weight, by 4-node and 10-node tetrahedra and hexahedra with full integration and with mean
// dilatation, all with the stable neo-Hookean law. The tip sinks by a third of the length.
//
// `ms` is the time of a static solve from the straight beam, with the analysis: Newton's method with exact tangents and Cholesky
// factors, one thread, least of the repeats. `error` is that of the tip, relative to `reference_tip`.
#include "core/core.h"
#include "materials.h"
#include "plot.h"

enum { METHODS = 4, SIZES = 6, QUICK_SIZES = 2, REPEATS = 3, LONG_MS = 1000 };

// Stresses are singular at the edges of the clamped end. Quadratic tetrahedra in cells that become smaller towards them give
// -0.12159 with 4,225 nodes, -0.12169 with 9,537, -0.12173 with 14,553 and -0.12175 with 25,625: the limit is known to 3e-5.
static const double reference_tip = -0.12178;

typedef struct error_method {
    const char *name, *element, *integration;
    sp_element_type type;
    sp_integration points;
    int cells[SIZES];  // across, even: a node is in the middle of the end; 0: none
} error_method;

static const error_method methods[METHODS] = {
    {"tet4", "tet4", "full", SP_ELEMENT_TET4, SP_INTEGRATION_FULL, {2, 4, 6, 8, 12, 16}},
    {"tet10", "tet10", "full", SP_ELEMENT_TET10, SP_INTEGRATION_FULL, {2, 4, 6, 8}},
    {"hex8 full", "hex8", "full", SP_ELEMENT_HEX8, SP_INTEGRATION_FULL, {2, 4, 6, 8, 12, 16}},
    {"hex8 b-bar", "hex8", "b-bar", SP_ELEMENT_HEX8, SP_INTEGRATION_B_BAR, {2, 4, 6, 8, 12, 16}},
};

typedef struct error_result {
    int nodes, elements, iterations;
    double ms, tip, error;
} error_result;

// ---------------------------------------------------------------------------------------------------- a solve

static void solve_at_once(void *user, const sp_mesh *mesh, sp_solid_def *solid) {
    (void)user, (void)mesh;
    solid->integrator.type = SP_STATIC;
    solid->integrator.iterations = 100;
}

static sp_status read_beam(sp_beam *beam, error_result *out) {
    sp_body_info info;
    SP_TRY(sp__beam_tip(beam, &out->tip));
    SP_TRY(sp_world_body_info(beam->world, beam->body, &info));
    out->nodes = sp_mesh_node_count(beam->mesh), out->elements = sp_mesh_element_count(beam->mesh);
    out->iterations = info.solve.newton_iterations;
    out->error = fabs(out->tip / reference_tip - 1);
    return SP_OK;
}

static sp_status solve_beam(const error_method *m, int across, error_result *out) {
    const sp_solid_law law = {.model = SP_NEO_HOOKEAN, .tangent = SP_TANGENT_EXACT, .integration = m->points};
    sp_solver_def solver = sp_solver_def_default();
    solver.type = SP_SOLVER_CHOLESKY;
    const sp_beam_def def = {.cells = {4 * across, across, across},
                             .law = &law,
                             .element = m->type,
                             .solver = &solver,
                             .backend = "cpu",
                             .workers = 1,
                             .set_conditions = solve_at_once};
    sp_beam beam;
    double ms;
    SP_TRY(sp__beam_open(&def, &beam));
    sp_status status = sp__beam_step(&beam, &ms);
    if (status >= 0) out->ms = fmin(out->ms, ms), status = read_beam(&beam, out);
    sp__beam_close(&beam);
    return status;
}

// ---------------------------------------------------------------------------------------------------- report

static void report_solve(sp_report *report, const error_method *m, int across, const error_result *e) {
    sp_row *row = sp__report_case(report);
    sp__row_text(row, "element", "element", m->element);
    sp__row_text(row, "integration", "integration", m->integration);
    sp__row_number(row, "across", "across", "%.0f", across);
    sp__row_number(row, "nodes", "nodes", "%.0f", e->nodes);
    sp__row_number(row, "elements", "elements", "%.0f", e->elements);
    sp__row_number(row, "newton_iterations", "Newton", "%.0f", e->iterations);
    sp__row_number(row, "ms", "ms", "%.3f", e->ms);
    sp__row_number(row, "tip", "tip m", "%.6f", e->tip);
    sp__row_number(row, "error", "error", "%.2e", e->error);
    sp__report_case_done(report);
}

static sp_status draw_errors(const sp_bench_options *o, const sp_points *points) {
    sp_plot_series series[METHODS];
    for (int i = 0; i < METHODS; i++)
        series[i] = (sp_plot_series){
            .name = methods[i].name, .x = points[i].x, .y = points[i].y, .count = points[i].count, .marks = true};
    const sp_plot plot = {.title = "A beam bent by its weight: error of the tip against time",
                          .x_label = "ms of a static solve",
                          .y_label = "relative error",
                          .log_x = true,
                          .log_y = true,
                          .series = series,
                          .series_count = METHODS};
    return sp__bench_plot(&plot, o->dump, "materials-error");
}

sp_status sp__bench_materials_error(const sp_bench_options *o, sp_report *r) {
    static sp_points points[METHODS];
    sp__report_array(r, "error_against_time");
    for (int i = 0; i < METHODS; i++) {
        points[i].count = 0;
        for (int k = 0; k < (o->quick ? QUICK_SIZES : SIZES) && methods[i].cells[k]; k++) {
            error_result e = {.ms = INFINITY};
            for (int repeat = 0; repeat == 0 || (repeat < REPEATS && !o->quick && e.ms < LONG_MS); repeat++)
                SP_TRY(solve_beam(&methods[i], methods[i].cells[k], &e));
            report_solve(r, &methods[i], methods[i].cells[k], &e);
            points[i].x[points[i].count] = e.ms, points[i].y[points[i].count++] = e.error;
        }
    }
    return o->dump ? draw_errors(o, points) : SP_OK;
}
