// Sections `detection` and `continuous` of bench contact: two figures that are pressed against each other and deform in each
// step (figure.h), up to 346,800 triangles each, as many as the scanned armadillo of Table 4.2 in Courtecuisse (2011) has.
// mapping_ms is the time in which the surfaces of both follow their tetrahedra, at both states; refit_ms that of the trees of
// both; query_ms that from the boxes of the colliders to the sorted contacts. ns_per_triangle is the sum of the last two over the
// triangles of both. refit_floor_ms is the time in which the memory delivers what a refit has to read and write: positions of
// both states, vertices of the leaves, boxes. `continuous` asks the same states again with continuous detection; over_discrete
// is the ratio of the two queries.
#include <math.h>

#include "contact.h"
#include "figure.h"

enum { SIZES = 5, STEPS = 40, QUICK_STEPS = 3, WARM_UP = 3 };
static const int cells[SIZES] = {20, 40, 80, 120, 170};

typedef struct detection {
    double mapping[STEPS], refit[STEPS], query[STEPS], continuous[STEPS];
    int contacts, candidates;  // most of all steps
} detection;

static int detection_steps(const sp_bench_options *o) {
    return o->quick ? QUICK_STEPS : STEPS;
}

static sp_status detection_run(sp_collide *set, sp_figures *f, int steps, bool continuous, detection *out) {
    int index[2];
    sp_found found;
    sp_collide_options o = {.rule = {.alarm = 0.002, .depth = 0.002}};
    *out = (detection){0};
    for (uint32_t i = 0; i < 2; i++) {
        sp_collider_def def = sp__figure_collider(&f->figure[i], i);
        SP_TRY(sp__collider_add(set, &def, &index[i]));
    }
    for (int step = 0; step < WARM_UP + steps; step++) {
        const int at = step < WARM_UP ? 0 : step - WARM_UP;
        out->mapping[at] = sp__figures_move(f, step);
        for (int i = 0; i < 2; i++) sp__collider_move(set, index[i], f->x[i][0], f->x[i][1]);
        SP_TRY(sp__collide_find(set, &o, &found));
        out->refit[at] = found.refit_ms, out->query[at] = found.broad_ms + found.narrow_ms;
        if (found.count > out->contacts) out->contacts = found.count;
        if (found.candidates > out->candidates) out->candidates = found.candidates;
        if (!continuous) continue;
        sp_collide_options swept = o;
        swept.rule.continuous = true;
        SP_TRY(sp__collide_find(set, &swept, &found));
        out->continuous[at] = found.broad_ms + found.narrow_ms;
        if (found.count > out->contacts) out->contacts = found.count;
    }
    return SP_OK;
}

// Time in which memory delivers what a refit has to move: positions of both states, vertices of the leaves (six of four
// triangles), boxes.
static double refit_floor_ms(const sp_bench_options *o, int vertices, int triangles) {
    double leaves = 1;
    while (leaves < triangles / 4.0) leaves *= 2;
    const double bytes = 2 * (48.0 * vertices + 4 * 1.5 * triangles + 24 * (2 * leaves - 1));
    return bytes / sp__stream_gb(o->threads, bytes / o->threads, o->quick ? 2 : 10) / 1e6;
}

static void report_detection(const sp_bench_options *o, sp_report *r, detection *d, int triangles, double *ms) {
    const int steps = detection_steps(o);
    sp_times mapping = sp__times_of(d->mapping, steps), refit = sp__times_of(d->refit, steps),
             query = sp__times_of(d->query, steps);
    *ms = refit.least + query.least;
    sp_row *row = sp__report_case(r);
    sp__row_number(row, "triangles", "triangles each", "%.0f", triangles);
    sp__row_number(row, "threads", "threads", "%.0f", o->threads);
    sp__row_number(row, "contacts_max", "contacts", "%.0f", d->contacts);
    sp__row_number(row, "candidates_max", "candidates", "%.0f", d->candidates);
    sp__row_number(row, "mapping_ms", "mapping ms", "%.2f", mapping.least);
    sp__row_number(row, "refit_ms", "refit ms", "%.2f", refit.least);
    sp__row_number(row, "refit_median_ms", "median", "%.2f", refit.median);
    sp__row_number(row, "refit_floor_ms", "floor", "%.2f", refit_floor_ms(o, triangles / 2 + 2, triangles));
    sp__row_number(row, "query_ms", "query ms", "%.2f", query.least);
    sp__row_number(row, "query_median_ms", "median", "%.2f", query.median);
    sp__row_number(row, "query_p99_ms", "p99", "%.2f", query.p99);
    sp__row_number(row, "ns_per_triangle", "ns/triangle", "%.1f", 1e6 * *ms / (2.0 * triangles));
    sp__report_case_done(r);
}

static void report_continuous(const sp_bench_options *o, sp_report *r, detection *d, int triangles, double *ms) {
    const double discrete = sp__times_of(d->query, detection_steps(o)).least;
    *ms = sp__times_of(d->continuous, detection_steps(o)).least;
    sp_row *row = sp__report_case(r);
    sp__row_text(row, "surfaces", "surfaces", "two spheres");
    sp__row_number(row, "triangles", "triangles each", "%.0f", triangles);
    sp__row_number(row, "threads", "threads", "%.0f", o->threads);
    sp__row_number(row, "contacts_max", "contacts", "%.0f", d->contacts);
    sp__row_number(row, "ms", "query ms", "%.2f", *ms);
    sp__row_number(row, "over_discrete", "over the discrete query", "%.2f", *ms / discrete);
    sp__report_case_done(r);
}

static sp_status detection_case(const sp_bench_options *o, sp_report *r, int n, bool continuous, double *ms) {
    sp_figures f;
    sp_collide *set = NULL;
    detection d;
    SP_TRY(sp__figures_create(n, o->threads, &f));
    sp_status status = sp__collide_create(f.context, &set);
    if (status >= 0) status = detection_run(set, &f, detection_steps(o), continuous, &d);
    if (status >= 0) (continuous ? report_continuous : report_detection)(o, r, &d, f.figure[0].face_count, ms);
    sp__collide_destroy(&set);
    sp__figures_destroy(&f);
    return status;
}

sp_status sp__contact_detection(const sp_bench_options *o, sp_report *r) {
    int sizes = o->quick ? 2 : SIZES;
    double x[SIZES], y[SIZES], ms = 0;
    for (int i = 0; i < sizes; i++) {
        SP_TRY(detection_case(o, r, cells[i], false, &ms));
        x[i] = log(12.0 * cells[i] * cells[i]), y[i] = log(ms);
    }
    sp_row *row = sp__report_object(r, "detection_growth");
    sp__row_number(row, "exponent", "growth with the number of triangles", "%.2f", sp__slope(x, y, sizes));
    sp__report_object_done(r);
    return SP_OK;
}

sp_status sp__contact_continuous(const sp_bench_options *o, sp_report *r) {
    int sizes = o->quick ? 2 : SIZES;
    double ms;
    for (int i = 0; i < sizes; i++) SP_TRY(detection_case(o, r, cells[i], true, &ms));
    return sp__contact_bag(o, r);
}
