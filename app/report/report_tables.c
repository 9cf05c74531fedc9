// See report.h: summary.json as facts and tables. Missing entries are omitted from the page.
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

void sp__report_fact(sp_page *p, const char *name, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sp__page_add(p, "<div><span>%s</span><b>", name);
    sp__page_escape(p, text);
    sp__page_add(p, "</b></div>\n");
}

// ---- head

static const char *badge_of(const char *status) {
    static const char *const known[] = {"ok", "missed", "failed", "stopped", "refused", "reservations"};
    for (int i = 0; i < 6; i++)
        if (strcmp(known[i], status) == 0) return known[i];
    return "other";
}

static void show_facts(sp_page *p, const sp_json_value *run) {
    double steps = sp__json_get_number(run, "steps"), wall = 1e-3 * sp__json_get_number(run, "wall_ms");
    double time = sp__json_get_number(run, "time");
    sp__page_add(p, "<div class=\"facts\">\n");
    sp__report_fact(p, "steps", "%.0f of %g s", steps, sp__json_get_number(run, "dt"));
    sp__report_fact(p, "simulated", "%.6g s", time);
    sp__report_fact(p, "wall clock", "%.4g s", wall);
    if (wall > 0) sp__report_fact(p, "speed", "%.3g x real time", time / wall);
    sp__report_fact(p, "step, half within", "%.4g ms", sp__json_get_number(run, "step_ms.p50"));
    sp__report_fact(p, "step, 99 % within", "%.4g ms", sp__json_get_number(run, "step_ms.p99"));
    sp__report_fact(p, "threads", "%.0f", sp__json_get_number(run, "threads"));
    sp__report_fact(p, "state", "%s", sp__json_get_text(run, "hash"));
    sp__page_add(p, "</div>\n");
}

void sp__report_head(sp_page *p, const sp_json_value *run) {
    const char *name = sp__json_get_text(run, "name"), *status = sp__json_get_text(run, "status");
    sp__page_add(p, "<h1>");
    sp__page_escape(p, *name ? name : sp__json_get_text(run, "scene"));
    sp__page_add(p, "<span class=\"badge %s\">", badge_of(status));
    sp__page_escape(p, status);
    sp__page_add(p, "</span></h1>\n");
    const char *detail = sp__json_get_text(run, "backend_detail");
    sp__html_text(p, "p", "lead", "%s, %s. Souple %s, backend %s%s%s%s.", sp__json_get_text(run, "scene"),
                  sp__json_get_text(run, "provenance.started"), sp__json_get_text(run, "version"),
                  sp__json_get_text(run, "backend"), *detail ? " (" : "", detail, *detail ? ")" : "");
    const char *error = sp__json_get_text(run, "error.message");
    if (*error) sp__html_text(p, "p", NULL, "Failed: %s", error);
    const sp_json_value *reservations = sp__json_get(run, "reservations");
    for (const sp_json_value *v = reservations ? reservations->first : NULL; v; v = v->next)
        sp__html_text(p, "p", NULL, "Reservation: %s", sp__json_get_text(v, "text"));
    show_facts(p, run);
}

// ---- tables

static void show_claims(sp_page *p, const sp_json_value *run) {
    static const char *const heads[] = {"claim", "seen", "expected", "tolerance", "", "source"};
    const sp_json_value *claims = sp__json_get(run, "claims");
    if (sp__json_count(claims) == 0) return;
    sp__html_head(p, "Claims");
    sp__html_table_begin(p, heads, 6);
    for (const sp_json_value *c = claims->first; c; c = c->next) {
        const sp_json_value *held = sp__json_get(c, "held"), *relative = sp__json_get(c, "relative");
        const char *component = sp__json_get_text(c, "component");
        bool good = held && held->kind == SP_JSON_TRUE;
        sp__html_row(p);
        sp__html_cell(p, NULL, "%s%s%s", sp__json_get_text(c, "probe"), *component ? "." : "", component);
        sp__html_number(p, sp__json_get_number(c, "seen"), 8), sp__html_number(p, sp__json_get_number(c, "value"), 8);
        sp__html_cell(p, "n", "%.3g%s", sp__json_get_number(c, "tolerance"),
                      relative && relative->kind == SP_JSON_TRUE ? " rel." : "");
        sp__html_cell(p, good ? "good" : "bad", good ? "held" : "missed");
        sp__html_cell(p, "say", "%s", sp__json_get_text(c, "source"));
    }
    sp__html_table_end(p);
}

static void show_bodies(sp_page *p, const sp_json_value *run) {
    static const char *const heads[] = {"body", "kind",     "nodes",       "elements",    "mass [kg]",    "rest [m3]", "end [m3]",
                                        "lost", "inverted", "kinetic [J]", "elastic [J]", "appeared [J]", "moved [m]", "bytes"};
    static const char *const fields[] = {
        "nodes",    "elements",       "mass",           "volume.rest",     "volume.end",       "volume.lost",
        "inverted", "energy.kinetic", "energy.elastic", "energy.appeared", "displacement_max", "bytes"};
    const sp_json_value *bodies = sp__json_get(run, "bodies");
    if (sp__json_count(bodies) == 0) return;
    sp__html_head(p, "Bodies");
    sp__html_table_begin(p, heads, 14);
    for (const sp_json_value *b = bodies->first; b; b = b->next) {
        sp__html_row(p);
        sp__html_cell(p, NULL, "%s", sp__json_get_text(b, "name")), sp__html_cell(p, NULL, "%s", sp__json_get_text(b, "kind"));
        for (int i = 0; i < 12; i++) sp__html_number(p, sp__json_get_number(b, fields[i]), i == 11 ? 12 : 6);
    }
    sp__html_table_end(p);
}

static void show_solvers(sp_page *p, const sp_json_value *run) {
    static const char *const heads[] = {"body",         "solver",        "iterations, mean", "most", "residual, worst",
                                        "factors made", "oldest [steps]"};
    static const char *const fields[] = {"iterations_mean", "iterations_max", "residual_max", "factor.refreshes",
                                         "factor.age_max"};
    bool any = false;
    const sp_json_value *bodies = sp__json_get(run, "bodies");
    for (const sp_json_value *b = bodies ? bodies->first : NULL; b; b = b->next) {
        const sp_json_value *s = sp__json_get(b, "solver");
        if (!s || s->kind != SP_JSON_OBJECT) continue;
        if (!any) sp__html_head(p, "Solver"), sp__html_table_begin(p, heads, 7);
        any = true;
        sp__html_row(p);
        sp__html_cell(p, NULL, "%s", sp__json_get_text(b, "name")), sp__html_cell(p, NULL, "%s", sp__json_get_text(s, "name"));
        for (int i = 0; i < 5; i++) sp__html_number(p, sp__json_get_number(s, fields[i]), 4);
    }
    if (any) sp__html_table_end(p);
}

static void show_times(sp_page *p, const sp_json_value *run) {
    static const char *const heads[] = {"stage", "ms a step", "share"};
    const sp_json_value *stages = sp__json_get(run, "stages");
    double step = sp__json_get_number(run, "step_ms.mean");
    if (sp__json_count(stages) == 0) return;
    sp__html_head(p, "Time");
    sp__html_table_begin(p, heads, 3);
    for (const sp_json_value *s = stages->first; s; s = s->next) {
        double ms = s->kind == SP_JSON_NUMBER ? s->number : NAN;
        sp__html_row(p);
        sp__html_cell(p, NULL, "%s", s->key ? s->key : ""), sp__html_number(p, ms, 4);
        sp__html_cell(p, "n", "%.1f %%", step > 0 && isfinite(ms) ? 100 * ms / step : 0.0);
    }
    sp__html_row(p);
    sp__html_cell(p, NULL, "step"), sp__html_number(p, step, 4);
    sp__html_table_end(p);
    sp__html_text(p, "p", NULL, "Half of the steps within %.4g ms, 95 %% within %.4g, 99 %% within %.4g, the longest %.4g.",
                  sp__json_get_number(run, "step_ms.p50"), sp__json_get_number(run, "step_ms.p95"),
                  sp__json_get_number(run, "step_ms.p99"), sp__json_get_number(run, "step_ms.max"));
}

static void show_notes(sp_page *p, const sp_json_value *list, const char *head, const char *first) {
    enum { SHOWN = 200 };
    int n = sp__json_count(list), row = 0;
    const char *const heads[] = {first, ""};
    if (n == 0) return;
    sp__html_head(p, head);
    sp__html_table_begin(p, heads, 2);
    for (const sp_json_value *e = list->first; e && row < SHOWN; e = e->next, row++) {
        const char *file = sp__json_get_text(e, "file");
        sp__html_row(p);
        if (*file)
            sp__html_cell(p, NULL, "%s:%.0f", file, sp__json_get_number(e, "line"));
        else
            sp__html_number(p, sp__json_get_number(e, "time"), 6);
        sp__html_cell(p, "say", "%s", sp__json_get_text(e, "text"));
    }
    sp__html_table_end(p);
    if (n > SHOWN) sp__html_text(p, "p", NULL, "and %d more in summary.json", n - SHOWN);
}

void sp__report_tables(sp_page *p, const sp_json_value *run) {
    show_claims(p, run);
    show_bodies(p, run);
    show_solvers(p, run);
    show_times(p, run);
    show_notes(p, sp__json_get(run, "events"), "Events", "time [s]");
    show_notes(p, sp__json_get(run, "messages"), "Messages", "where");
}

void sp__report_provenance(sp_page *p, const sp_json_value *run) {
    static const char *const heads[] = {"", ""};
    static const char *const rows[][2] = {{"scene", "scene"},
                                          {"hash of the scene's text", "provenance.scene_hash"},
                                          {"state at the end", "hash"},
                                          {"started", "provenance.started"},
                                          {"version", "version"},
                                          {"backend", "backend"},
                                          {"system", "provenance.system"},
                                          {"compiler", "provenance.compiler"}};
    sp__html_head(p, "Where it comes from");
    sp__html_table_begin(p, heads, 2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sp__html_row(p);
        sp__html_cell(p, NULL, "%s", rows[i][0]), sp__html_cell(p, "say", "%s", sp__json_get_text(run, rows[i][1]));
    }
    const sp_json_value *sets = sp__json_get(run, "provenance.sets");
    for (const sp_json_value *s = sets ? sets->first : NULL; s; s = s->next) {
        sp__html_row(p);
        sp__html_cell(p, NULL, "--set"), sp__html_cell(p, "say", "%s", s->kind == SP_JSON_TEXT ? s->text : "");
    }
    sp__html_table_end(p);
}

// ---- probes

// the numbers of a value, vectors concatenated; returns how many were written
static int flatten(const sp_json_value *v, double *out, int capacity) {
    int n = 0;
    if (v->kind != SP_JSON_LIST) return capacity > 0 ? (out[0] = v->kind == SP_JSON_NUMBER ? v->number : NAN, 1) : 0;
    for (const sp_json_value *item = v->first; item && n < capacity; item = item->next) n += flatten(item, out + n, capacity - n);
    return n;
}

enum { COLUMNS = 64, QUANTITIES = 32 };

// the samples of a probe: one list per quantity, read in parallel
static void read_samples(sp_trace *t, const sp_json_value *probe) {
    const sp_json_value *at[QUANTITIES], *time = sp__json_get(probe, "time");
    double row[COLUMNS + 1];
    int n = 0;
    for (const sp_json_value *q = probe->first; q && n < QUANTITIES; q = q->next)
        if (q->kind == SP_JSON_LIST && strcmp(q->key, "time") != 0 && strcmp(q->key, "columns") != 0) at[n++] = q->first;
    for (time = time ? time->first : NULL; time; time = time->next) {
        int filled = 1;
        row[0] = time->kind == SP_JSON_NUMBER ? time->number : NAN;
        for (int i = 0; i < n; i++) {
            if (!at[i]) return;
            filled += flatten(at[i], row + filled, t->columns - filled);
            at[i] = at[i]->next;
        }
        while (filled < t->columns) row[filled++] = NAN;
        sp__trace_add(t, row);
    }
}

static void add_probe(sp_plot_set *set, const sp_json_value *probe) {
    const sp_json_value *columns = sp__json_get(probe, "columns");
    int count = sp__json_count(columns), i = 0;
    sp_trace t;
    count = count < COLUMNS ? count : COLUMNS;
    if (count == 0) return;
    if (sp__trace_start(&t, count + 1)) {
        snprintf(t.names[0], SP_TRACE_NAME, "time [s]");
        for (const sp_json_value *c = columns->first; i < count; c = c->next)
            snprintf(t.names[++i], SP_TRACE_NAME, "%s", c->kind == SP_JSON_TEXT ? c->text : "");
        read_samples(&t, probe);
        sp__plots_of_probe(set, sp__json_get_text(probe, "name"), &t);
    } else {
        set->broken = true;
    }
    sp__trace_free(&t);
}

void sp__report_probes(sp_plot_set *set, const sp_json_value *run) {
    const sp_json_value *probes = sp__json_get(run, "probes");
    for (const sp_json_value *p = probes ? probes->first : NULL; p; p = p->next)
        if (p->kind == SP_JSON_OBJECT) add_probe(set, p);
}
