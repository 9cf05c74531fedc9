// bench rods, geometry: time against accuracy of a curve from its curvature. One element of 20 cm whose twist falls from 100 to 0
// while both curvatures rise from 0 to 100 (Casati 2015, section 5.1): the series at four thresholds and several tolerances, the
// integrators of curve_schemes.h, and SUNDIALS as a separate program. Errors are root mean squares over 100 points. Times of the
// series and of SUNDIALS include 50 output points, which the other methods compute anyway. Also the tip of the planar spiral of
// section 5.1.3, kappa = s/2 up to 4, compared with quadrature.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "curve_schemes.h"
#include "math/vec3.h"
#include "rod/curve.h"
#include "rods.h"

enum { PLACES = SP_ROD_SAMPLES, TIMED_PLACES = 50 };

static const double curled[6] = {100, 0, 0, -500, 500, 500}, curled_length = 0.2;
static const double spiral[6] = {0, 0, 0, 0, 0, 0.5}, spiral_length = 4;
static const double spiral_tip[2] = {0.9229229248664327, 1.6095529786875122};
static const sp_curve_frame origin = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

typedef struct geometry_run {
    double reference[PLACES][3];
    double batch_ms;
    int batches;
} geometry_run;

static double rods_geometry_rms(double (*x)[3], double (*reference)[3], int count, int every) {
    double sum = 0, d[3];
    for (int i = 0; i < count; i++) {
        sp__sub3(x[i], reference[i * every], d);
        sum += sp__dot3(d, d);
    }
    return sqrt(sum / count);
}

// ---- the series

typedef struct series_job {
    const double *lambda;
    double length, reach, tolerance;
    int places;
    double (*out)[3];
    int segments, terms;
    double keep;
} series_job;

static void series_run(void *arg) {
    series_job *j = arg;
    sp_curve_pass w = sp__curve_begin(&origin, 1, j->lambda, j->length, j->reach);
    sp_curve_series series;
    sp_curve_frame f = origin;
    int next = 0;
    j->segments = j->terms = 0;
    while (sp__curve_next(&w, j->tolerance, &series)) {
        j->segments++, j->terms += series.terms;
        for (; next < j->places; next++) {
            double s = j->length * next / (j->places - 1);
            if (s > w.at && w.at < j->length) break;
            sp__curve_at(&series, fmin(1, (s - w.from) / series.length), &f);
            if (j->out) memcpy(j->out[next], f.r, sizeof f.r);
        }
    }
    j->keep += w.frame.r[0] + f.r[0];
}

// ---- the integrators

typedef struct scheme_job {
    sp_scheme scheme;
    int steps;
    double keep;
} scheme_job;

static void scheme_run(void *arg) {
    scheme_job *j = arg;
    sp_scheme_state s = {.q = {1}};
    sp__scheme_run(j->scheme, curled, curled_length, j->steps, 1, &s, NULL);
    j->keep += s.r[0];
}

// minimum time of one run [us], over batches that are long enough for the clock
static double time_us(const geometry_run *g, void (*run)(void *), void *arg) {
    double best = INFINITY;
    int times = 1;
    for (int b = 0; b < g->batches;) {
        double start = sp__bench_clock(false);
        for (int i = 0; i < times; i++) run(arg);
        double ms = sp__bench_clock(false) - start;
        if (ms < g->batch_ms && times < 1 << 20) {
            times *= 2;
            continue;
        }
        best = fmin(best, 1e3 * ms / times);
        b++;
    }
    return best;
}

// ---- the report

typedef struct geometry_row {
    char method[24];
    const char *problem;
    double parameter;  // tolerance, or number of steps
    double reach, segments, terms, steps, evaluations, error, us;
} geometry_row;

enum { ROWS = 90 };
typedef struct geometry_rows {
    geometry_row row[ROWS];
    int count;
} geometry_rows;

static geometry_row *new_row(geometry_rows *rows, const char *method, const char *problem) {
    geometry_row *row = &rows->row[rows->count < ROWS ? rows->count++ : ROWS - 1];
    *row = (geometry_row){.problem = problem, .parameter = NAN, .reach = NAN, .segments = NAN, .terms = NAN, .steps = NAN};
    row->evaluations = row->error = row->us = NAN;
    snprintf(row->method, sizeof row->method, "%s", method);
    return row;
}

static void report_row(sp_report *r, const geometry_row *row, double vs_series) {
    sp_row *out = sp__report_case(r);
    sp__row_text(out, "problem", "problem", row->problem);
    sp__row_text(out, "method", "method      ", row->method);
    sp__row_number(out, "tolerance", "tolerance", "%.0e", row->parameter);
    sp__row_number(out, "reach", NULL, "%.2f", row->reach);
    sp__row_number(out, "segments", "segments", "%.0f", row->segments);
    sp__row_number(out, "terms", "terms", "%.0f", row->terms);
    sp__row_number(out, "steps", "steps", "%.0f", row->steps);
    sp__row_number(out, "evaluations", NULL, "%.0f", row->evaluations);
    sp__row_number(out, "error", "error", "%.1e", row->error);
    sp__row_number(out, "us", "us", "%.2f", row->us);
    sp__row_number(out, "vs_series", "vs series", "%.2f", vs_series);
    sp__report_case_done(r);
}

// ---- the curled element

static const double reaches[] = {SP_CURVE_REACH, SP_CURVE_REACH_PRODUCT, SP_CURVE_REACH_FINE, 2};

static void run_series(const geometry_run *g, bool quick, geometry_rows *rows, sp_rods_geometry *out) {
    static const double tolerances[] = {1, 1e-1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14, 1e-17};
    double x[PLACES][3];
    int count = (int)(sizeof tolerances / sizeof *tolerances);
    for (int i = 0; i < 4; i++)
        for (int t = 0; t < count; t += quick ? 3 : 1) {
            series_job j = {.lambda = curled, .length = curled_length, .reach = reaches[i], .tolerance = tolerances[t]};
            j.places = PLACES, j.out = x;
            series_run(&j);
            char name[24];
            snprintf(name, sizeof name, "series %.4g", reaches[i]);
            geometry_row *row = new_row(rows, name, "curled");
            row->parameter = tolerances[t], row->reach = reaches[i], row->segments = j.segments, row->terms = j.terms;
            row->error = rods_geometry_rms(x, (double(*)[3])g->reference, PLACES, 1);
            j.places = TIMED_PLACES, j.out = NULL;
            row->us = time_us(g, series_run, &j);
            sp__diagram_add(&out->series, row->error, row->us);
        }
}

static void run_schemes(const geometry_run *g, bool quick, geometry_rows *rows, sp_rods_geometry *out) {
    static const int steps[] = {11, 33, 99, 396, 1584, 6336, 25344};
    double x[PLACES][3];
    for (int scheme = 0; scheme < SP_SCHEME_COUNT; scheme++)
        for (int i = 0; i < (quick ? 4 : 7); i++) {
            scheme_job j = {.scheme = scheme, .steps = steps[i]};
            sp_scheme_state s = {.q = {1}};
            int every = steps[i] < 99 ? 1 : steps[i] / 99, apart = steps[i] < 99 ? 99 / steps[i] : 1;
            sp__scheme_run(scheme, curled, curled_length, steps[i], every, &s, x);
            geometry_row *row = new_row(rows, sp__scheme_name(scheme), "curled");
            row->steps = steps[i];
            row->error = rods_geometry_rms(x, (double(*)[3])g->reference, 99 / apart + 1, apart);
            row->us = time_us(g, scheme_run, &j);
            out->scheme[scheme].name = sp__scheme_name(scheme);
            sp__diagram_add(&out->scheme[scheme], row->error, row->us);
        }
}

// one tolerance of SUNDIALS; nothing is added if the peer is missing
static sp_status run_sundials(const geometry_run *g, const char *method, double tolerance, int repeats, geometry_rows *rows,
                              sp_diagram *d) {
    static char line[16384];
    char number[9][32], times[16];
    snprintf(number[0], sizeof number[0], "%.17g", curled_length);
    for (int i = 0; i < 6; i++) snprintf(number[1 + i], sizeof number[0], "%.17g", curled[i]);
    snprintf(number[7], sizeof number[0], "%g", tolerance);
    snprintf(times, sizeof times, "%d", repeats);
    const char *args[] = {method,    number[0], number[1], number[2], number[3], number[4],
                          number[5], number[6], number[7], times,     NULL};
    sp_status status = sp__peer_run("sundials_curve", args, line, sizeof line);
    if (status == SP_UNAVAILABLE) return SP_OK;
    SP_TRY(status);
    double x[PLACES][3], us, steps, evaluations;
    if (sp__peer_numbers(line, "places", x[0], 3 * PLACES) != 3 * PLACES || sp__peer_numbers(line, "us", &us, 1) != 1)
        return SP_IO;
    sp__peer_numbers(line, "steps", &steps, 1);
    sp__peer_numbers(line, "evaluations", &evaluations, 1);
    char name[24];
    snprintf(name, sizeof name, "sundials %s", method);
    geometry_row *row = new_row(rows, name, "curled");
    row->parameter = tolerance, row->steps = steps, row->evaluations = evaluations, row->us = us;
    row->error = rods_geometry_rms(x, (double(*)[3])g->reference, PLACES, 1);
    sp__diagram_add(d, row->error, row->us);
    return SP_OK;
}

static sp_status run_peers(const geometry_run *g, bool quick, geometry_rows *rows, sp_rods_geometry *out) {
    static const double tolerances[] = {1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14, 1e-15};
    int repeats = quick ? 5 : 200;
    for (int i = 0; i < 8; i += quick ? 7 : 1) {
        SP_TRY(run_sundials(g, "adams", tolerances[i], repeats, rows, &out->adams));
        if (i % 2) SP_TRY(run_sundials(g, "erk", tolerances[i], repeats, rows, &out->erk));
    }
    return SP_OK;
}

// ---- the planar spiral

static double tip_error(double x, double y) {
    return hypot(x - spiral_tip[0], y - spiral_tip[1]);
}

static sp_status run_spiral(const geometry_run *g, bool quick, geometry_rows *rows, sp_rods_geometry *out) {
    char line[256];
    const char *args[] = {"4", "0.5", "1e-10", quick ? "20" : "2000", NULL};
    double x[2][3], tip[2];
    series_job j = {
        .lambda = spiral, .length = spiral_length, .reach = SP_CURVE_REACH, .tolerance = 1e-17, .places = 2, .out = x};
    series_run(&j);
    geometry_row *row = new_row(rows, "series 20.44", "spiral");
    row->reach = SP_CURVE_REACH, row->parameter = 1e-17, row->segments = j.segments, row->terms = j.terms;
    row->error = tip_error(x[1][0], x[1][1]);
    j.places = 0, j.out = NULL;
    out->spiral_us = row->us = time_us(g, series_run, &j);
    out->gsl_us = NAN;
    sp_status status = sp__peer_run("gsl_spiral", args, line, sizeof line);
    if (status == SP_UNAVAILABLE) return SP_OK;
    SP_TRY(status);
    if (sp__peer_numbers(line, "us", &out->gsl_us, 1) != 1 || sp__peer_numbers(line, "tip", tip, 2) != 2) return SP_IO;
    row = new_row(rows, "gsl qag", "spiral");
    row->parameter = 1e-10, row->us = out->gsl_us, row->error = tip_error(tip[0], tip[1]);
    return SP_OK;
}

// ---- conclusions

static void compare_methods(sp_rods_geometry *out) {
    out->machine_error = out->adams_error = INFINITY;
    for (int i = 0; i < out->series.count; i++) out->machine_error = fmin(out->machine_error, out->series.error[i]);
    out->machine_us = sp__diagram_time(&out->series, DBL_EPSILON);
    for (int i = 0; i < out->adams.count; i++) out->adams_error = fmin(out->adams_error, out->adams.error[i]);
    if (out->adams.count == 0) out->adams_error = NAN;
    out->adams_us = sp__diagram_time(&out->adams, out->adams_error);
    out->adams_ratio = out->adams_us / sp__diagram_time(&out->series, out->adams_error);
}

sp_status sp__rods_geometry(const sp_bench_options *o, sp_report *r, sp_rods_geometry *out) {
    geometry_run g = {.batch_ms = o->quick ? 0.2 : 5, .batches = o->quick ? 2 : 7};
    static geometry_rows rows;
    series_job best = {
        .lambda = curled, .length = curled_length, .reach = 1, .tolerance = 1e-20, .places = PLACES, .out = g.reference};
    series_run(&best);
    rows.count = 0;
    *out = (sp_rods_geometry){.series.name = "series", .adams.name = "sundials adams", .erk.name = "sundials erk"};
    run_series(&g, o->quick, &rows, out);
    run_schemes(&g, o->quick, &rows, out);
    SP_TRY(run_peers(&g, o->quick, &rows, out));
    SP_TRY(run_spiral(&g, o->quick, &rows, out));
    compare_methods(out);
    sp__report_array(r, "geometry");
    for (int i = 0; i < rows.count; i++) {
        const geometry_row *row = &rows.row[i];
        bool curve = strcmp(row->problem, "curled") == 0;
        report_row(r, row, row->us / (curve ? sp__diagram_time(&out->series, row->error) : out->spiral_us));
    }
    if (out->adams.count == 0) sp__report_note(r, "SUNDIALS was not found when this was built: its rows are missing");
    return SP_OK;
}
