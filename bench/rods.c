// bench rods: curves from their curvature by series, integrators and SUNDIALS; rods by four models; crossing points of their
// speed. The parts are in rods_geometry.c, rods_models.c and rods_many.c.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "plot.h"
#include "rods.h"

enum { CLOTHOID, HELIX, DER, DER_EDGE, BEAM };

// an error that is hardly visible on a rod of one metre; degrees of freedom are compared at this error
#define VISIBLE 6e-3
// published factors at this error: super-helices and discrete rods relative to clothoids
#define PUBLISHED_HELIX 2.7
#define PUBLISHED_DER 40

// ---- crossings

static void add_crossing(sp_row *row, const char *key, const char *title, const sp_diagram *a, const sp_diagram *b) {
    bool bound;
    double error = sp__diagram_crossing(a, b, &bound);
    sp__row_number(row, key, title, bound ? ">= %.1e" : "%.1e", error);
}

static void report_crossings(sp_report *r, const sp_rods_geometry *g, const sp_rods_models *m) {
    static const char *const keys[] = {"series_euler", "series_lie", "series_rk2", "series_rk4"};
    static const char *const titles[] = {"series quicker than Euler below", "than Lie-Euler below", "than RK2 below",
                                         "than RK4 below"};
    sp_row *row = sp__report_object(r, "crossings");
    for (int i = 0; i < 4; i++) add_crossing(row, keys[i], titles[i], &g->series, &g->scheme[i]);
    add_crossing(row, "series_adams", "than SUNDIALS Adams below", &g->series, &g->adams);
    add_crossing(row, "clothoid_helix", "clothoids quicker than helices below", &m->diagram[CLOTHOID], &m->diagram[HELIX]);
    add_crossing(row, "clothoid_der", "than discrete rods below", &m->diagram[CLOTHOID], &m->diagram[DER]);
    add_crossing(row, "clothoid_der_edge", "than those clamped by an edge below", &m->diagram[CLOTHOID], &m->diagram[DER_EDGE]);
    add_crossing(row, "clothoid_beam", "than beams below", &m->diagram[CLOTHOID], &m->diagram[BEAM]);
    add_crossing(row, "helix_der", "helices quicker than discrete rods below", &m->diagram[HELIX], &m->diagram[DER]);
    add_crossing(row, "helix_der_edge", "than those clamped by an edge below", &m->diagram[HELIX], &m->diagram[DER_EDGE]);
    sp__report_object_done(r);
}

// ---- laws

static void report_laws(sp_report *r, const sp_rods_models *m) {
    static const char *const keys[] = {"clothoid", "helix", "der", "der_edge", "beam"};
    sp_row *row = sp__report_object(r, "orders");
    for (int i = 0; i < SP_ROD_VARIANTS; i++) sp__row_number(row, keys[i], NULL, "%.2f", m->order[i]);
    sp__report_object_done(r);
    row = sp__report_object(r, "cost_exponents");
    for (int i = 0; i < SP_ROD_VARIANTS; i++) sp__row_number(row, keys[i], NULL, "%.2f", m->exponent[i]);
    sp__report_object_done(r);
}

static void report_dofs(sp_report *r, const sp_rods_models *m) {
    static const char *const keys[] = {"clothoid", "helix", "der", "der_edge", "beam"};
    static const char *const ratios[] = {NULL, "helix_ratio", "der_ratio", "der_edge_ratio", "beam_ratio"};
    sp_row *row = sp__report_object(r, "dofs_at_equal_error");
    double one = sp__diagram_line(&m->dofs[CLOTHOID], VISIBLE);
    sp__row_number(row, "error", NULL, "%.0e", VISIBLE);
    for (int i = 0; i < SP_ROD_VARIANTS; i++) sp__row_number(row, keys[i], NULL, "%.1f", sp__diagram_line(&m->dofs[i], VISIBLE));
    for (int i = 1; i < SP_ROD_VARIANTS; i++)
        sp__row_number(row, ratios[i], NULL, "%.2f", sp__diagram_line(&m->dofs[i], VISIBLE) / one);
    sp__row_number(row, "published_helix_ratio", NULL, "%.1f", PUBLISHED_HELIX);
    sp__row_number(row, "published_der_ratio", NULL, "%.0f", PUBLISHED_DER);
    sp__report_object_done(r);
}

static void report_machine_precision(sp_report *r, const sp_rods_geometry *g, const sp_rods_models *m) {
    sp_row *row = sp__report_object(r, "summary");
    sp__row_number(row, "series_error", "best error of the series", "%.1e", g->machine_error);
    sp__row_number(row, "series_us", "us of it at 2.2e-16", "%.2f", g->machine_us);
    sp__row_number(row, "adams_error", "best error of SUNDIALS Adams", "%.1e", g->adams_error);
    sp__row_number(row, "adams_us", "us at that", "%.1f", g->adams_us);
    sp__row_number(row, "adams_vs_series", "times the series at that error", "%.1f", g->adams_ratio);
    sp__row_number(row, "adams_vs_series_at_rounding", "times the series at 2.2e-16", "%.1f", g->adams_us / g->machine_us);
    sp__row_number(row, "published_lsodar_vs_series", NULL, "%.0f", 100);
    sp__row_number(row, "spiral_gsl_vs_series", "plane spiral, GSL times the series", "%.2f", g->gsl_us / g->spiral_us);
    sp__row_number(row, "published_quadpack_vs_series", NULL, "%.1f", 7.5);
    sp__row_number(row, "clothoid_10_ms", "ms a step of 10 clothoids", "%.3f", m->ten_ms);
    sp__report_object_done(r);
}

// ---- plots

static sp_plot_series curve_of(const sp_diagram *d, bool dashed) {
    return (sp_plot_series){.name = d->name, .x = d->error, .y = d->time, .count = d->count, .marks = true, .dashed = dashed};
}

// the Pareto front, from the largest error down
static void keep_best(sp_diagram *d) {
    sp_diagram out = {.name = d->name};
    for (double last = INFINITY;;) {
        int best = -1;
        for (int i = 0; i < d->count; i++)
            if (d->error[i] < last && (best < 0 || d->error[i] > d->error[best])) best = i;
        if (best < 0) break;
        last = d->error[best];
        bool dominated = false;
        for (int i = 0; i < d->count; i++) dominated |= d->error[i] <= last && d->time[i] < d->time[best];
        if (!dominated) sp__diagram_add(&out, last, d->time[best]);
    }
    *d = out;
}

static sp_status rods_draw(const sp_bench_options *o, sp_rods_geometry *g, sp_rods_models *m) {
    sp_plot_series series[8];
    int count = 0;
    keep_best(&g->series), keep_best(&g->adams), keep_best(&g->erk);
    series[count++] = curve_of(&g->series, false);
    for (int i = 0; i < 4; i++) series[count++] = curve_of(&g->scheme[i], false);
    if (g->adams.count) series[count++] = curve_of(&g->adams, true);
    if (g->erk.count) series[count++] = curve_of(&g->erk, true);
    const sp_plot geometry = {.title = "A curled element of 20 cm: time against precision",
                              .x_label = "error [m]",
                              .y_label = "us",
                              .log_x = true,
                              .log_y = true,
                              .series = series,
                              .series_count = count};
    SP_TRY(sp__bench_plot(&geometry, o->dump, "rods-geometry"));
    for (count = 0; count < SP_ROD_VARIANTS; count++) series[count] = curve_of(&m->diagram[count], count == DER_EDGE);
    const sp_plot models = {.title = "Rods: a step of 11 ms against static error",
                            .x_label = "static error [m]",
                            .y_label = "ms a step",
                            .log_x = true,
                            .log_y = true,
                            .series = series,
                            .series_count = count};
    return sp__bench_plot(&models, o->dump, "rods-models");
}

sp_status sp__bench_rods(const sp_bench_options *o, sp_report *r) {
    static sp_rods_geometry geometry;
    static sp_rods_models models;
    SP_TRY(sp__bench_open(o, r));
    SP_TRY(sp__rods_geometry(o, r, &geometry));
    SP_TRY(sp__rods_models(o, r, &models));
    report_crossings(r, &geometry, &models);
    report_laws(r, &models);
    report_dofs(r, &models);
    report_machine_precision(r, &geometry, &models);
    SP_TRY(sp__rods_many(o, r));
    return o->dump ? rods_draw(o, &geometry, &models) : SP_OK;
}
