// Section `baselines` of bench contact: other methods of detection on the figures of `detection` (figure.h).
//
//   tree, hash, brute   the three broad phases, which find the same contacts: hash with cells of several sizes
//   stochastic          random pairs of vertices, by budget: the share of the contacts that it finds, in the first and in the
//   last
//                       of 20 steps
//   field               two rigid figures: triangles against triangles, then against the distance field of the second
//
// A row has the parameter that varies and its value, contacts, hit_rate (the share of the contacts of the trees that are found)
// and the least time of a step in ms, refit included; over_tree is the ratio of this time to that of the trees. Stochastic
// detection and brute force use one thread, and so do all in this section.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collide/collide.h"
#include "contact.h"
#include "figure.h"
#include "math/vec3.h"
#include "mesh/tree.h"

enum { TINY = 10, SMALL = 20, MEDIUM = 40, RIGID = 50, STEPS = 20, QUICK_STEPS = 2 };

typedef struct baseline_row {
    const char *method, *parameter;
    double value;
    int triangles, contacts;
    double first, hits, ms, tree_ms;
    int grid[3];
} baseline_row;

static void report_baseline(sp_report *r, const baseline_row *b) {
    sp_row *row = sp__report_case(r);
    sp__row_text(row, "method", "method", b->method);
    sp__row_text(row, "parameter", "parameter", b->parameter);
    sp__row_number(row, "value", "value", "%.3g", b->value);
    sp__row_number(row, "triangles", "triangles each", "%.0f", b->triangles);
    sp__row_number(row, "contacts", "contacts", "%.0f", b->contacts);
    sp__row_number(row, "hit_rate_first", "first step", "%.3f", b->first);
    sp__row_number(row, "hit_rate", "hit rate", "%.3f", b->hits);
    sp__row_number(row, "ms", "ms", "%.3g", b->ms);
    sp__row_number(row, "over_tree", "over tree", "%.2f", b->ms / b->tree_ms);
    if (b->grid[0] > 0) sp__row_list(row, "grid", NULL, NULL, (double[]){b->grid[0], b->grid[1], b->grid[2]}, 3);
    sp__report_case_done(r);
}

// ---------------------------------------------------------------------------------------------------- broad phases

typedef struct figures_search {
    sp_figures f;
    sp_collide *set;
    int index[2];
    sp_distance_field *field;  // of the second; NULL: triangles
    sp_collide_options options;
    sp_found found;
} figures_search;

static sp_status search_open(figures_search *s, int n, double alarm) {
    *s = (figures_search){.options.rule = {.alarm = alarm, .depth = alarm}};
    SP_TRY(sp__figures_create(n, 1, &s->f));
    SP_TRY(sp__collide_create(s->f.context, &s->set));
    for (uint32_t i = 0; i < 2; i++) {
        sp_collider_def def = sp__figure_collider(&s->f.figure[i], i);
        SP_TRY(sp__collider_add(s->set, &def, &s->index[i]));
    }
    return SP_OK;
}

static void search_close(figures_search *s) {
    sp__collide_destroy(&s->set);
    sp__distance_field_release(&s->field);
    sp__figures_destroy(&s->f);
}

static sp_status search_step(figures_search *s, int step, double *ms) {
    sp__figures_move(&s->f, step);
    for (int i = 0; i < 2; i++) sp__collider_move(s->set, s->index[i], s->f.x[i][0], s->f.x[i][1]);
    SP_TRY(sp__collide_find(s->set, &s->options, &s->found));
    *ms = s->found.refit_ms + s->found.broad_ms + s->found.narrow_ms;
    return SP_OK;
}

// least time of the steps, without the first, which allocates
static sp_status search_time(figures_search *s, int steps, double *least) {
    double ms;
    *least = INFINITY;
    for (int step = 0; step <= steps; step++) {
        SP_TRY(search_step(s, step, &ms));
        if (step > 0) *least = fmin(*least, ms);
    }
    return SP_OK;
}

static sp_status broad_rows(const sp_bench_options *o, sp_report *r, figures_search *s) {
    static const double cells[] = {0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64};
    baseline_row row = {.method = "tree", .parameter = "", .value = NAN, .triangles = s->f.figure[0].face_count, .hits = 1};
    SP_TRY(search_time(s, o->quick ? QUICK_STEPS : STEPS, &row.tree_ms));
    const int contacts = s->found.count;
    row.contacts = contacts, row.ms = row.tree_ms, row.first = NAN;
    report_baseline(r, &row);
    s->options.broad = SP_BROAD_HASH, row.method = "hash", row.parameter = "cell [m]";
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        row.value = s->options.cell = cells[i];
        SP_TRY(search_time(s, o->quick ? QUICK_STEPS : STEPS, &row.ms));
        row.contacts = s->found.count, row.hits = (double)row.contacts / contacts;
        report_baseline(r, &row);
    }
    s->options.broad = SP_BROAD_BRUTE, row.method = "brute", row.parameter = "", row.value = NAN;
    SP_TRY(search_time(s, o->quick ? 1 : 2, &row.ms));
    report_baseline(r, &row);
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- random pairs

// A fixed number of random pairs of vertices in each step, of which the second is moved downhill along the edges of its surface,
// and the pairs that were found before, which are moved on. Contacts that stay for some steps are found sooner or later.
typedef struct stochastic {
    const sp_figure *side[2];
    const double *x[2];
    sp_vertex_faces around;  // of the second
    double alarm;
    uint64_t random;
    int *active;  // per vertex of the first: the vertex of the second where its search ended; -1: it is not near
} stochastic;

static int random_below(stochastic *s, int n) {
    s->random = s->random * 6364136223846793005ull + 1442695040888963407ull;
    return (int)((s->random >> 33) % (uint64_t)n);
}

static double apart2(const double *a, const double *b) {
    double d[3];
    sp__sub3(a, b, d);
    return sp__dot3(d, d);
}

// the vertex of the second from which no edge leads nearer to x
static int descend(const stochastic *s, const double x[3], int at) {
    double least = apart2(x, s->x[1] + 3 * (size_t)at);
    for (int from = -1; from != at;) {
        from = at;
        for (int i = s->around.start[from]; i < s->around.start[from + 1]; i++)
            for (int k = 0; k < 3; k++) {
                const uint32_t v = s->side[1]->faces[3 * (size_t)s->around.face[i] + (size_t)k];
                const double square = apart2(x, s->x[1] + 3 * (size_t)v);
                if (square < least) least = square, at = (int)v;
            }
    }
    return at;
}

static bool is_near(const stochastic *s, const double x[3], int at) {
    for (int i = s->around.start[at]; i < s->around.start[at + 1]; i++) {
        const uint32_t *c = s->side[1]->faces + 3 * (size_t)s->around.face[i];
        const double *p[3] = {s->x[1] + 3 * (size_t)c[0], s->x[1] + 3 * (size_t)c[1], s->x[1] + 3 * (size_t)c[2]};
        double w[3], y[3];
        sp__nearest_on_triangle(p[0], p[1], p[2], x, w);
        for (int k = 0; k < 3; k++) y[k] = w[0] * p[0][k] + w[1] * p[1][k] + w[2] * p[2][k];
        if (apart2(x, y) <= s->alarm * s->alarm) return true;
    }
    return false;
}

static void stochastic_pair(stochastic *s, int vertex, int start) {
    const double *x = s->x[0] + 3 * (size_t)vertex;
    const int at = descend(s, x, start);
    s->active[vertex] = is_near(s, x, at) ? at : -1;
}

static void stochastic_step(stochastic *s, int budget) {
    for (int v = 0; v < s->side[0]->vertex_count; v++)
        if (s->active[v] >= 0) stochastic_pair(s, v, s->active[v]);
    for (int i = 0; i < budget; i++) {
        const int v = random_below(s, s->side[0]->vertex_count), start = random_below(s, s->side[1]->vertex_count);
        if (s->active[v] < 0) stochastic_pair(s, v, start);
    }
}

// share of the vertices of the first that have contacts and are active
static double stochastic_hits(const stochastic *s, const sp_found *found, int *count) {
    int all = 0, hits = 0;
    for (int i = 0; i < found->count; i++) {
        const sp_contact_found *c = &found->contacts[i];
        if (c->a.feature != SP_FEATURE_VERTEX || c->distance0 < 0 || c->distance0 > s->alarm) continue;
        all++, hits += s->active[c->a.index] >= 0;
    }
    *count = all;
    return all ? (double)hits / all : 0;
}

static sp_status stochastic_run(figures_search *s, stochastic *m, int budget, int steps, baseline_row *row) {
    double tree_ms;
    row->value = budget, row->ms = row->tree_ms = INFINITY;
    m->random = 1;
    for (int i = 0; i < m->side[0]->vertex_count; i++) m->active[i] = -1;
    for (int step = 0; step < steps; step++) {
        SP_TRY(search_step(s, step, &tree_ms));
        for (int i = 0; i < 2; i++) m->x[i] = s->f.x[i][0];
        const double start = sp__now_ms();
        stochastic_step(m, budget);
        row->ms = fmin(row->ms, sp__now_ms() - start), row->tree_ms = fmin(row->tree_ms, tree_ms);
        row->hits = stochastic_hits(m, &s->found, &row->contacts);
        if (step == 0) row->first = row->hits;
    }
    return SP_OK;
}

static sp_status stochastic_rows(const sp_bench_options *o, sp_report *r, figures_search *s) {
    static const int budgets[] = {30, 100, 300, 1000, 3000};
    const sp_figure *second = &s->f.figure[1];
    stochastic m = {.side = {&s->f.figure[0], second}, .alarm = s->options.rule.alarm};
    baseline_row row = {.method = "stochastic", .parameter = "pairs a step", .triangles = second->face_count};
    sp_status status = SP_NO_MEMORY;
    m.active = malloc((size_t)m.side[0]->vertex_count * sizeof *m.active);
    if (m.active)
        status = sp__vertex_faces_create(s->f.context, second->vertex_count, second->face_count, 3, second->faces, &m.around);
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets && status >= 0; i++) {
        status = stochastic_run(s, &m, budgets[i], o->quick ? QUICK_STEPS : STEPS, &row);
        if (status >= 0) report_baseline(r, &row);
    }
    sp__vertex_faces_free(s->f.context, &m.around);
    free(m.active);
    return status;
}

// ---------------------------------------------------------------------------------------------------- distance field

// Two rigid figures that approach by a millimetre in a step.
static sp_status rigid_time(figures_search *s, int steps, double *least) {
    *least = INFINITY;
    for (int step = 0; step <= steps; step++) {
        sp_collider_frame frame[2];
        for (int state = 0; state < 2; state++) {
            const double shift = -1e-3 * (step % 4 + state);
            frame[state] = (sp_collider_frame){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .at = {shift, 0, 0}};
            for (int i = 0; i < 2; i++) {
                double *x = s->f.x[i][state];
                memcpy(x, s->f.figure[i].rest, 3 * (size_t)s->f.figure[i].vertex_count * sizeof *x);
                for (int v = 0; i == 1 && v < s->f.figure[i].vertex_count; v++) x[3 * (size_t)v] += shift;
            }
        }
        for (int i = 0; i < 2; i++) sp__collider_move(s->set, s->index[i], s->f.x[i][0], s->f.x[i][1]);
        if (s->field) sp__collider_place_field(s->set, s->index[1], &frame[0], &frame[1]);
        SP_TRY(sp__collide_find(s->set, &s->options, &s->found));
        if (step > 0) *least = fmin(*least, s->found.refit_ms + s->found.broad_ms + s->found.narrow_ms);
    }
    return SP_OK;
}

// replaces the triangles of the second figure by its distance field, 128 cells long
static sp_status rigid_field(figures_search *s, baseline_row *row) {
    const sp_figure *g = &s->f.figure[1];
    sp_distance_field_info info;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, longest = 0;
    for (size_t i = 0; i < 3 * (size_t)g->vertex_count; i++)
        low[i % 3] = fmin(low[i % 3], g->rest[i]), high[i % 3] = fmax(high[i % 3], g->rest[i]);
    for (int k = 0; k < 3; k++) longest = fmax(longest, high[k] - low[k]);
    sp_distance_field_def def = {g->vertex_count, g->rest, g->face_count, g->faces, longest / 128};
    SP_TRY(sp__distance_field_acquire(s->f.context, &def, &s->field));
    sp__distance_field_info(s->field, &info);
    memcpy(row->grid, info.cells, sizeof row->grid);
    row->value = info.cell;
    sp__collider_remove(s->set, s->index[1]);
    sp_collider_def collider = sp__figure_collider(g, 1);
    collider.type = SP_COLLIDER_FIELD, collider.field = s->field;
    return sp__collider_add(s->set, &collider, &s->index[1]);
}

static sp_status field_rows(const sp_bench_options *o, sp_report *r, figures_search *s) {
    const int steps = o->quick ? QUICK_STEPS : STEPS;
    baseline_row row = {
        .method = "rigid tree", .parameter = "", .value = NAN, .triangles = s->f.figure[0].face_count, .hits = 1, .first = NAN};
    SP_TRY(rigid_time(s, steps, &row.tree_ms));
    row.contacts = s->found.count, row.ms = row.tree_ms;
    report_baseline(r, &row);
    row.method = "rigid field", row.parameter = "cell [m]", row.hits = NAN;
    SP_TRY(rigid_field(s, &row));
    SP_TRY(rigid_time(s, steps, &row.ms));
    row.contacts = s->found.count;
    report_baseline(r, &row);
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- the section

sp_status sp__contact_baselines(const sp_bench_options *o, sp_report *r) {
    static const struct {
        int n;
        double alarm;
        sp_status (*rows)(const sp_bench_options *o, sp_report *r, figures_search *s);
    } part[] = {{SMALL, 0.01, broad_rows}, {MEDIUM, 0.01, stochastic_rows}, {RIGID, 0.003, field_rows}};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        figures_search s;
        sp_status status = search_open(&s, o->quick ? TINY : part[i].n, part[i].alarm);
        if (status >= 0) status = part[i].rows(o, r, &s);
        search_close(&s);
        if (status < 0) return status;
    }
    return SP_OK;
}
