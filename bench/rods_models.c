// bench rods, models: a straight rod of one metre, clamped at one end and bent by its weight (w = rho S g L^3 / EI = 30, mu J =
// 2/3 EI; Casati 2015, section 5.2), by clothoids, helices, discrete rods with either clamp, and beams. Statics: root mean square
// over 100 points of the distance to 50 clothoids. Dynamics: one second from rest, undamped, steps of 11 ms, one thread, mean
// time per step; `tip_error` is the distance of the final tip from that of ten clothoids with steps of 0.1 ms. Discrete rods and
// beams are stiff in stretch and solve each step by Newton's method to 1e-6, as in the publication. `default_ms` and
// `default_tip_error` are results of the default, which iterates only as far as the motion needs.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "math/vec3.h"
#include "rods.h"

const char *const sp__rod_variant[SP_ROD_VARIANTS] = {"clothoid", "helix", "der", "der-edge", "beam"};

typedef struct variant {
    sp_rod_model model;
    bool edge_clamp;
    int elements[14];  // ended by 0
    int quick[3];
} variant;

static const variant variants[SP_ROD_VARIANTS] = {
    {SP_ROD_CLOTHOID, false, {1, 2, 3, 4, 6, 8, 10, 16, 24, 40}, {4, 10}},
    {SP_ROD_HELIX, false, {1, 2, 3, 4, 6, 8, 10, 16, 24, 40}, {4, 10}},
    {SP_ROD_DER, false, {4, 8, 16, 40, 64, 128, 256}, {4, 16}},
    {SP_ROD_DER, true, {4, 8, 16, 40, 64, 128, 256}, {4, 16}},
    {SP_ROD_BEAM, false, {4, 8, 16, 40, 64, 128, 256}, {4, 16}},
};

enum { REFERENCE = 50, STEPS = 90 };
#define STEP 0.011
// The section is thin enough that stretch, with stiffness 4 / radius^2, does not affect the error: 1.5e-7 of the length under the
// weight.
#define RADIUS 2e-4
// rho S = 1, EI = `bend`; a round section with Poisson's ratio just below 1/2 has mu J = 2/3 EI
static sp_bench_rod_def rod_of(sp_rod_model model, bool edge_clamp, int elements, double bend, double gravity) {
    double area = SP_PI * RADIUS * RADIUS, inertia = 0.25 * area * RADIUS * RADIUS;
    return (sp_bench_rod_def){.model = model,
                              .edge_clamp = edge_clamp,
                              .elements = elements,
                              .length = 1,
                              .radius = RADIUS,
                              .density = 1 / area,
                              .young = bend / inertia,
                              .poisson = 0.4999999,
                              .gravity = gravity};
}

static sp_status rods_models_settle(sp_rod_model model, bool edge_clamp, int elements, double (*x)[3]) {
    sp_bench_rod_def def = rod_of(model, edge_clamp, elements, 1, 30);
    sp_bench_rod rod;
    def.statics = true;
    SP_TRY(sp__bench_rod_open(&def, &rod));
    sp_status status = sp__bench_rod_step(&rod, 1);
    if (status > 0) fprintf(stderr, "bench: statics of %d elements: %s\n", elements, sp_status_text(status));
    for (int i = 0; i < SP_ROD_SAMPLES && status >= 0; i++) status = sp__bench_rod_place(&rod, i / (SP_ROD_SAMPLES - 1.0), x[i]);
    sp__bench_rod_close(&rod);
    return status;
}

static double rods_models_rms(double (*a)[3], double (*b)[3]) {
    double sum = 0, d[3];
    for (int i = 0; i < SP_ROD_SAMPLES; i++) {
        sp__sub3(a[i], b[i], d);
        sum += sp__dot3(d, d);
    }
    return sqrt(sum / SP_ROD_SAMPLES);
}

typedef struct motion {
    double ms, first_ms, most_ms, tip[3];
} motion;

// mean time of all steps but the first, which includes analysis and allocation; the minimum of several runs
static sp_status rods_models_swing(const variant *v, int elements, bool newton, int runs, motion *out) {
    sp_bench_rod_def def = rod_of(v->model, v->edge_clamp, elements, 9.81 / 30, 9.81);
    def.newton = newton;
    out->ms = INFINITY;
    for (int i = 0; i < runs; i++) {
        sp_bench_rod rod;
        double ms[STEPS];
        SP_TRY(sp__bench_rod_open(&def, &rod));
        sp_status status = SP_OK;
        for (int s = 0; s < STEPS && status >= 0; s++) {
            double start = sp__bench_clock(false);
            status = sp__bench_rod_step(&rod, STEP);
            ms[s] = sp__bench_clock(false) - start;
        }
        if (status >= 0) status = sp__bench_rod_place(&rod, 1, out->tip);
        sp__bench_rod_close(&rod);
        SP_TRY(status);
        out->first_ms = ms[0];
        sp_times t = sp__times_of(ms + 1, STEPS - 1);
        if (t.mean < out->ms) out->ms = t.mean, out->most_ms = t.most;
    }
    return SP_OK;
}

// final position of the tip, with small steps
static sp_status converged_tip(bool quick, double tip[3]) {
    sp_bench_rod_def def = rod_of(SP_ROD_CLOTHOID, false, quick ? 4 : 10, 9.81 / 30, 9.81);
    int steps = quick ? 300 : 9900;
    sp_bench_rod rod;
    SP_TRY(sp__bench_rod_open(&def, &rod));
    sp_status status = SP_OK;
    for (int s = 0; s < steps && status >= 0; s++) status = sp__bench_rod_step(&rod, STEPS * STEP / steps);
    if (status >= 0) status = sp__bench_rod_place(&rod, 1, tip);
    sp__bench_rod_close(&rod);
    return status;
}

static double rods_models_apart(const double *a, const double *b) {
    double d[3];
    sp__sub3(a, b, d);
    return sp__norm3(d);
}

static void report_case(sp_report *r, int which, int elements, double error, const double *tip, const motion *m,
                        const motion *one) {
    sp_row *row = sp__report_case(r);
    sp__row_text(row, "model", "model   ", sp__rod_variant[which]);
    sp__row_number(row, "elements", "elements", "%.0f", elements);
    sp__row_number(row, "dofs", "dofs", "%.0f", sp__bench_rod_dofs(variants[which].model, elements));
    sp__row_number(row, "static_error", "static error", "%.2e", error);
    sp__row_number(row, "ms_per_step", "ms/step", "%.4f", m->ms);
    sp__row_number(row, "max_ms", NULL, "%.4f", m->most_ms);
    sp__row_number(row, "first_ms", NULL, "%.4f", m->first_ms);
    sp__row_flag(row, "realtime_at_11ms", "real time", m->ms <= 1e3 * STEP);
    sp__row_list(row, "tip", NULL, "%.4f", m->tip, 3);
    sp__row_number(row, "tip_error", "tip error", "%.3f", rods_models_apart(m->tip, tip));
    sp__row_number(row, "default_ms", "default", "%.4f", one->ms);
    sp__row_number(row, "default_tip_error", "tip error", "%.3f", one->ms > 0 ? rods_models_apart(one->tip, tip) : NAN);
    sp__report_case_done(r);
}

// order of the error and exponent of the time, over the sizes from 4 elements on; errors below ten times that of the reference
// are ignored
static void fit_laws(int which, const double *n, const double *error, const double *ms, int count, sp_rods_models *out) {
    double x[14], y[14], log_n[14], log_ms[14];
    int used = 0, timed = 0;
    for (int i = 0; i < count; i++) {
        if (n[i] < 4) continue;
        log_n[timed] = log(n[i]), log_ms[timed++] = log(ms[i]);
        if (error[i] < 1e-6) continue;
        x[used] = log(n[i]), y[used++] = log(error[i]);
    }
    out->order[which] = -sp__slope(x, y, used);
    // der and beam are measured further: the publications end at 40
    int until = 0;
    while (until < timed && log_n[until] < log(41)) until++;
    out->exponent[which] = sp__slope(log_n, log_ms, until);
}

static sp_status run_variant(int which, const sp_bench_options *o, double (*reference)[3], const double *tip, sp_report *r,
                             sp_rods_models *out) {
    const variant *v = &variants[which];
    const int *sizes = o->quick ? v->quick : v->elements;
    double n[14], errors[14], ms[14];
    int count = 0;
    out->diagram[which].name = out->dofs[which].name = sp__rod_variant[which];
    for (; sizes[count]; count++) {
        double x[SP_ROD_SAMPLES][3];
        bool stiff = v->model == SP_ROD_DER || v->model == SP_ROD_BEAM;
        motion m, one = {.ms = NAN};
        SP_TRY(rods_models_settle(v->model, v->edge_clamp, sizes[count], x));
        SP_TRY(rods_models_swing(v, sizes[count], stiff, o->quick ? 1 : 3, &m));
        if (stiff) SP_TRY(rods_models_swing(v, sizes[count], false, o->quick ? 1 : 3, &one));
        n[count] = sizes[count], errors[count] = rods_models_rms(x, reference), ms[count] = m.ms;
        sp__diagram_add(&out->diagram[which], errors[count], m.ms);
        sp__diagram_add(&out->dofs[which], errors[count], sp__bench_rod_dofs(v->model, sizes[count]));
        if (v->model == SP_ROD_CLOTHOID && sizes[count] == 10) out->ten_ms = m.ms;
        report_case(r, which, sizes[count], errors[count], tip, &m, &one);
    }
    fit_laws(which, n, errors, ms, count, out);
    return SP_OK;
}

sp_status sp__rods_models(const sp_bench_options *o, sp_report *r, sp_rods_models *out) {
    double reference[SP_ROD_SAMPLES][3], tip[3];
    *out = (sp_rods_models){.ten_ms = NAN};
    SP_TRY(rods_models_settle(SP_ROD_CLOTHOID, false, o->quick ? 24 : REFERENCE, reference));
    SP_TRY(converged_tip(o->quick, tip));
    sp__report_array(r, "models");
    for (int i = 0; i < SP_ROD_VARIANTS; i++) SP_TRY(run_variant(i, o, reference, tip, r, out));
    return SP_OK;
}
