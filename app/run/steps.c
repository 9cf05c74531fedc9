// See steps.h.
#include "run/steps.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/csv.h"
#include "common/plots.h"

enum { STEP, TIME, STEP_MS, STAGES };  // followed by one column per stage, the totals, and the columns of bodies
enum { ITERATIONS = STAGES + SP_STAGE_COUNT, RESIDUAL, KINETIC, ELASTIC, FIRST_BODY = KINETIC + 6, OF_BODY = 8 };

static void find_bodies(sp_steps *s, const sp_session *session) {
    for (int i = 0; i < sp_world_body_count(session->world) && s->body_count < 16; i++) {
        sp_body_info info;
        if (sp_world_body_info(session->world, sp_world_body_id(session->world, i), &info) >= 0 && info.elements > 0)
            s->bodies[s->body_count++] = i;
    }
    if (s->body_count == 1) s->body_count = 0;  // the totals are those of the body
}

static void name_columns(sp_steps *s, const sp_session *session) {
    static const char *const heads[] = {"step", "time [s]", "step [ms]"};
    static const char *const sums[] = {"iterations",    "residual",    "kinetic [J]", "elastic [J]",
                                       "potential [J]", "contact [J]", "work [J]",    "appeared [J]"};
    char(*names)[SP_TRACE_NAME] = s->trace.names;
    for (int i = 0; i < STAGES; i++) snprintf(names[i], SP_TRACE_NAME, "%s", heads[i]);
    for (int i = 0; i < SP_STAGE_COUNT; i++)
        snprintf(names[STAGES + i], SP_TRACE_NAME, "stage %s [ms]", sp_stage_name((sp_stage)i));
    for (int i = 0; i < OF_BODY; i++) snprintf(names[ITERATIONS + i], SP_TRACE_NAME, "%s", sums[i]);
    for (int b = 0; b < s->body_count; b++) {
        sp_body_info info;
        if (sp_world_body_info(session->world, sp_world_body_id(session->world, s->bodies[b]), &info) < 0) continue;
        for (int i = 0; i < OF_BODY; i++)
            snprintf(names[FIRST_BODY + OF_BODY * b + i], SP_TRACE_NAME, "%.120s: %s", info.name, sums[i]);
    }
}

static void write_head(const sp_steps *s) {
    for (int i = 0; i < s->trace.columns; i++) sp__csv_field(s->file, s->trace.names[i], i == 0);
    fputc('\n', s->file);
}

bool sp__steps_start(sp_steps *s, const sp_session *session, const char *path) {
    *s = (sp_steps){.flush_ms = sp__now_ms()};
    find_bodies(s, session);
    int columns = FIRST_BODY + OF_BODY * s->body_count;
    s->row = calloc((size_t)columns, sizeof *s->row);
    if (!s->row || !sp__trace_start(&s->trace, columns)) return errno = ENOMEM, false;
    name_columns(s, session);
    if (!path) return true;
    s->file = fopen(path, "w");
    if (s->file) write_head(s);
    return s->file != NULL;
}

// adds the results of a body to the totals and to its own columns
static void add_body(sp_steps *s, const sp_body_summary *b, int place) {
    const sp_body_info *info = &b->info;
    const sp_body_measures *n = &b->now;
    const sp_work *w = &n->work;
    const double values[OF_BODY] = {info->solve.linear_iterations,
                                    info->solve.residual,
                                    n->kinetic,
                                    n->elastic,
                                    n->potential,
                                    n->contact,
                                    w->loads + w->pins + w->drags + w->contact + w->edits,
                                    n->appeared};
    double *sums = s->row + ITERATIONS;
    sums[0] += values[0];
    sums[1] = fmax(sums[1], values[1]);
    // a body of elements without an energy makes the total undefined
    for (int i = 2; i < OF_BODY; i++)
        if (info->elements > 0 || isfinite(values[i])) sums[i] += values[i];
    if (place >= 0) memcpy(s->row + FIRST_BODY + OF_BODY * place, values, sizeof values);
}

static void write_row(const sp_steps *s) {
    for (int i = 0; i < s->trace.columns; i++) {
        if (i) fputc(',', s->file);
        if (isfinite(s->row[i])) fprintf(s->file, i == STEP ? "%.0f" : "%.9g", s->row[i]);
    }
    fputc('\n', s->file);
}

void sp__steps_add(sp_steps *s, const sp_session *session, const sp_summary *summary) {
    sp_step_info step;
    sp_world_step_info(session->world, &step);
    memset(s->row, 0, (size_t)s->trace.columns * sizeof *s->row);
    s->row[STEP] = (double)step.step, s->row[TIME] = step.time, s->row[STEP_MS] = step.step_ms;
    for (int i = 0; i < SP_STAGE_COUNT; i++) s->row[STAGES + i] = step.stage_ms[i];
    for (int i = 0, place = 0; i < summary->body_count; i++) {
        bool own = place < s->body_count && s->bodies[place] == i;
        add_body(s, &summary->bodies[i], own ? place : -1);
        place += own;
    }
    sp__trace_add(&s->trace, s->row);
    if (!s->file) return;
    write_row(s);
    if (sp__now_ms() < s->flush_ms + 1000) return;
    fflush(s->file);
    s->flush_ms = sp__now_ms();
}

bool sp__steps_finish(sp_steps *s) {
    if (!s->file) return true;
    bool good = !ferror(s->file);
    good = fclose(s->file) == 0 && good;
    s->file = NULL;
    return good;
}

void sp__steps_free(sp_steps *s) {
    sp__steps_finish(s);
    sp__trace_free(&s->trace);
    free(s->row);
    *s = (sp_steps){0};
}

// ---- plots

enum { PROBE_COLUMNS = 64 };  // more than any panel shows

// samples of a probe: time, then its values. False: no memory
static bool probe_trace(const sp_run *run, int probe, sp_trace *out) {
    sp_run_probe p;
    double row[PROBE_COLUMNS + 1];
    sp_run_probe_at(run, probe, &p);
    int width = p.width < PROBE_COLUMNS ? p.width : PROBE_COLUMNS;
    if (!sp__trace_start(out, width + 1)) return false;
    snprintf(out->names[0], SP_TRACE_NAME, "time [s]");
    for (int i = 0; i < width; i++) {
        sp_run_column column;
        sp_run_column_at(run, probe, i, &column);
        snprintf(out->names[i + 1], SP_TRACE_NAME, "%.119s [%s]", column.name, column.unit);
    }
    for (int s = 0; s < p.sample_count; s++) {
        row[0] = p.times[s];
        memcpy(row + 1, p.values + (size_t)s * (size_t)p.width, (size_t)width * sizeof *row);
        sp__trace_add(out, row);
    }
    return true;
}

static void plot_probes(sp_plot_set *set, const sp_run *run) {
    for (int i = 0; i < sp_run_probe_count(run); i++) {
        sp_run_probe p;
        sp_trace trace = {0};
        sp_run_probe_at(run, i, &p);
        if (probe_trace(run, i, &trace))
            sp__plots_of_probe(set, p.name, &trace);
        else
            set->broken = true;
        sp__trace_free(&trace);
    }
}

bool sp__steps_plot(const sp_steps *steps, const sp_session *session, const char *path, char *why, size_t size) {
    sp_plot_set set = {.count = 0};
    sp__plots_of_steps(&set, &steps->trace);
    plot_probes(&set, session->run);
    sp_status status = set.broken ? SP_NO_MEMORY : SP_OK;
    if (status >= 0) status = sp_plot_write(session->context, set.plots, set.count, path);
    if (status < 0)
        snprintf(why, size, "%s", set.broken ? "no memory for the plots" : sp_context_error(session->context)->message);
    if (set.left_out) fprintf(stderr, "warning: %s holds %d panels; %d of probes did not fit\n", path, set.count, set.left_out);
    sp__plots_free(&set);
    return status >= 0;
}
