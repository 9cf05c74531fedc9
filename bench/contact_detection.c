// Sections `detection` and `continuous` of bench contact: two bumpy spheres of equal meshes, side by side, both deforming in each
// step; up to 346,800 triangles each, as many as the scanned armadillo of Table 4.2 in Courtecuisse (2011) has. Refit is the time
// of the trees of both, query that from the boxes of the colliders to the sorted contacts. ns_per_triangle is the sum of both
// over the triangles of both. `continuous` asks the same states again with continuous detection; over_discrete is the ratio of
// the two queries.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collide/collide.h"
#include "contact.h"
#include "math/vec3.h"

enum { SIZES = 5, STEPS = 20, QUICK_STEPS = 3, WARM_UP = 3 };
static const int cells[SIZES] = {20, 40, 80, 120, 170};

// A bumpy sphere: the surface of a cube of n x n x n cells, moved to a sphere with bumps.
typedef struct bumpy {
    int n, nv, nf;
    double *direction;  // of each vertex, unit
    double *x[2];
    uint32_t *faces;
} bumpy;

// Vertex of a point (i, j, k) of the grid on the surface of the cube: layers of k, inside layers only their outline.
static int bumpy_vertex(int n, int i, int j, int k) {
    int layer = (n + 1) * (n + 1), ring = 4 * n;
    if (k == 0) return j * (n + 1) + i;
    if (k == n) return layer + (n - 1) * ring + j * (n + 1) + i;
    int at = j == 0 ? i : i == n ? n + j : j == n ? 3 * n - i : 4 * n - j;
    return layer + (k - 1) * ring + at;
}

static void bumpy_faces(bumpy *b) {
    int n = b->n, f = 0;
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++)
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    uint32_t c[4];
                    for (int q = 0; q < 4; q++) {
                        int p[3];
                        p[axis] = end ? n : 0, p[(axis + 1) % 3] = i + (q == 1 || q == 2), p[(axis + 2) % 3] = j + (q >= 2);
                        int v = bumpy_vertex(n, p[0], p[1], p[2]);
                        double d[3] = {2.0 * p[0] / n - 1, 2.0 * p[1] / n - 1, 2.0 * p[2] / n - 1}, length = sp__norm3(d);
                        for (int k = 0; k < 3; k++) b->direction[3 * (size_t)v + (size_t)k] = d[k] / length;
                        c[q] = (uint32_t)v;
                    }
                    uint32_t corners[6] = {c[0], c[end ? 1 : 2], c[end ? 2 : 1], c[0], c[end ? 2 : 3], c[end ? 3 : 2]};
                    memcpy(b->faces + 6 * (size_t)f++, corners, sizeof corners);
                }
}

static bool bumpy_create(bumpy *b, int n) {
    *b = (bumpy){.n = n, .nv = 6 * n * n + 2, .nf = 12 * n * n};
    size_t size = 3 * (size_t)b->nv * sizeof(double);
    b->direction = malloc(size), b->x[0] = malloc(size), b->x[1] = malloc(size);
    b->faces = malloc(3 * (size_t)b->nf * sizeof *b->faces);
    if (!b->direction || !b->x[0] || !b->x[1] || !b->faces) return false;
    bumpy_faces(b);
    return true;
}

static void bumpy_free(bumpy *b) {
    free(b->direction), free(b->x[0]), free(b->x[1]), free(b->faces);
}

static void bumpy_place(const bumpy *b, double time, double centre, double *x) {
    for (int i = 0; i < b->nv; i++) {
        const double *d = b->direction + 3 * (size_t)i;
        double bump =
            sin(6 * d[0] + time) * sin(7 * d[1] - 1.3 * time) * sin(5 * d[2] + 0.4) + 0.3 * sin(19 * d[0] * d[1] + 23 * d[2]);
        double radius = 1 + 0.05 * bump;
        for (int k = 0; k < 3; k++) x[3 * (size_t)i + (size_t)k] = radius * d[k];
        x[3 * (size_t)i] += centre;
    }
}

// A step of 1/60 s; bumps of 5 cm that change within seconds. The surfaces intersect along a curve, which moves.
static void bumpy_step(bumpy b[2], int step) {
    for (int i = 0; i < 2; i++)
        for (int s = 0; s < 2; s++) {
            double t = (step + s) / 60.0;
            bumpy_place(&b[i], t + 2 * i, i ? 1.96 + 0.01 * cos(2 * t) : 0, b[i].x[s]);
        }
}

typedef struct detection {
    double refit[STEPS], query[STEPS], continuous[STEPS];
    int contacts, candidates;  // most of all steps
} detection;

static sp_status detection_run(sp_collide *set, bumpy b[2], int steps, bool continuous, detection *out) {
    int index[2];
    sp_found found;
    sp_collide_options o = {.rule = {.alarm = 0.005, .depth = 0.005}};
    *out = (detection){0};
    for (uint32_t i = 0; i < 2; i++) {
        sp_collider_def def = {.id = i, .group = i, .vertex_count = b[i].nv, .items = b[i].faces, .item_count = b[i].nf};
        SP_TRY(sp__collider_add(set, &def, &index[i]));
    }
    for (int step = 0; step < WARM_UP + steps; step++) {
        bumpy_step(b, step);
        for (int i = 0; i < 2; i++) sp__collider_move(set, index[i], b[i].x[0], b[i].x[1]);
        SP_TRY(sp__collide_find(set, &o, &found));
        if (step < WARM_UP) continue;
        out->refit[step - WARM_UP] = found.refit_ms, out->query[step - WARM_UP] = found.broad_ms + found.narrow_ms;
        if (found.count > out->contacts) out->contacts = found.count;
        if (found.candidates > out->candidates) out->candidates = found.candidates;
        if (!continuous) continue;
        sp_collide_options swept = o;
        swept.rule.continuous = true;
        SP_TRY(sp__collide_find(set, &swept, &found));
        out->continuous[step - WARM_UP] = found.broad_ms + found.narrow_ms;
        if (found.count > out->contacts) out->contacts = found.count;
    }
    return SP_OK;
}

static void report_detection(const sp_bench_options *o, sp_report *r, detection *d, int triangles, int steps, double *ms) {
    sp_times refit = sp__times_of(d->refit, steps), query = sp__times_of(d->query, steps);
    *ms = refit.least + query.least;
    sp_row *row = sp__report_case(r);
    sp__row_number(row, "triangles", "triangles each", "%.0f", triangles);
    sp__row_number(row, "threads", "threads", "%.0f", o->threads);
    sp__row_number(row, "contacts_max", "contacts", "%.0f", d->contacts);
    sp__row_number(row, "candidates_max", "candidates", "%.0f", d->candidates);
    sp__row_number(row, "refit_ms", "refit ms", "%.2f", refit.least);
    sp__row_number(row, "query_ms", "query ms", "%.2f", query.least);
    sp__row_number(row, "query_p99_ms", "p99", "%.2f", query.p99);
    sp__row_number(row, "ns_per_triangle", "ns/triangle", "%.1f", 1e6 * *ms / (2.0 * triangles));
    sp__report_case_done(r);
}

static void report_continuous(const sp_bench_options *o, sp_report *r, detection *d, int triangles, int steps, double *ms) {
    const double discrete = sp__times_of(d->query, steps).least;
    *ms = sp__times_of(d->continuous, steps).least;
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
    int steps = o->quick ? QUICK_STEPS : STEPS;
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    sp_collide *set = NULL;
    bumpy b[2] = {{0}};
    detection d;
    def.workers = o->threads;
    SP_TRY(sp_context_create(&def, &ctx));
    sp_status status = bumpy_create(&b[0], n) && bumpy_create(&b[1], n) ? sp__collide_create(ctx, &set) : SP_NO_MEMORY;
    if (status >= 0) status = detection_run(set, b, steps, continuous, &d);
    if (status >= 0) (continuous ? report_continuous : report_detection)(o, r, &d, b[0].nf, steps, ms);
    sp__collide_destroy(&set);
    bumpy_free(&b[0]), bumpy_free(&b[1]);
    sp_context_destroy(&ctx);
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
