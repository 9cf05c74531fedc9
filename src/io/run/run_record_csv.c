// Rows of .csv records: one row per time, one column per probe value, units in the header. A record without its own T has the
// samples of the probes, with empty fields where a probe has none at that time. With T, every probe is sampled at those times.
#include <stdio.h>

#include "io/run/run_record.h"

// ------------------------------------------------------------------------------------------------ columns

static bool record_csv_chosen(const sp_scene_node *record, const sp_probe *p) {
    const sp_attr *of = sp__build_given(record, "of") ? sp__attr(record, "of") : NULL;
    if (!of) return true;
    for (int i = 0; i < of->count; i++) {
        const sp_scene_node *body = sp__scene_find(record, of->words[i]);
        for (int t = 0; t < p->target_count; t++)
            if (p->targets[t].body->node == body) return true;
    }
    return false;
}

// samples at the times of the record; none if nothing is written
static sp_status own_series(sp_run *run, const sp_scene_node *node, const sp_probe *probe, sp_series **out) {
    if (!SP_KEEP(&run->keep, *out, 1)) return sp__build_no_memory(run);
    SP_TRY(sp__build_sampling(run, node, &(*out)->sampling));
    if (!run->options.out) return SP_OK;
    run->series[run->series_count++] = *out;
    return sp__series_init(run, *out, probe);
}

sp_status sp__record_series(sp_run *run, sp_record *r) {
    static const char *const when[] = {"every", "period", "times", "from", "until"};
    bool timed = false;
    for (int i = 0; i < 5; i++) timed = timed || sp__build_given(r->node, when[i]);
    if (!SP_KEEP(&run->keep, r->series, run->probe_count) || !SP_KEEP(&run->keep, r->written, run->probe_count))
        return sp__build_no_memory(run);
    for (int i = 0; i < run->probe_count; i++) {
        if (!record_csv_chosen(r->node, &run->probes[i])) continue;
        sp_series *s = &run->probes[i].series;
        if (timed) SP_TRY(own_series(run, r->node, &run->probes[i], &s));
        r->series[r->series_count++] = s;
    }
    if (!r->series_count) return SP_BUILD_FAIL(run, r->node, NULL, "a .csv record holds probes, and there are none");
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ text

// quoting for bodies and units with commas
static bool add_field(sp_context *ctx, sp_buffer *out, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) return sp__buffer_add(ctx, out, text, strlen(text));
    bool good = sp__buffer_add(ctx, out, "\"", 1);
    for (; *text && good; text++) good = sp__buffer_print(ctx, out, *text == '"' ? "\"%c" : "%c", *text);
    return good && sp__buffer_add(ctx, out, "\"", 1);
}

sp_status sp__record_head(sp_run *run, const sp_record *r, sp_buffer *out) {
    bool good = sp__buffer_print(run->ctx, out, "time [s],interpolated");
    for (int i = 0; i < r->series_count; i++) {
        const sp_probe *p = r->series[i]->probe;
        for (int c = 0; c < p->width && good; c++) {
            char name[192], field[320];
            const char *unit;
            sp__probe_column_name(p, c, name, sizeof name, &unit);
            snprintf(field, sizeof field, "%.90s.%s [%s]", p->name, name, unit);
            good = sp__buffer_add(run->ctx, out, ",", 1) && add_field(run->ctx, out, field);
        }
    }
    good = good && sp__buffer_add(run->ctx, out, "\r\n", 3);  // including the terminating zero
    return good ? SP_OK : sp__build_no_memory(run);
}

// the earliest time that is not sent yet; infinite: none
static double earliest(const sp_record *r) {
    double t = INFINITY;
    for (int i = 0; i < r->series_count; i++) {
        const sp_series *s = r->series[i];
        if (r->written[i] < s->count && s->times[r->written[i]] < t) t = s->times[r->written[i]];
    }
    return t;
}

bool sp__record_has_rows(const sp_record *r) {
    return earliest(r) < INFINITY;
}

static bool add_values(sp_run *run, sp_record *r, double t, sp_buffer *out) {
    char text[32];
    bool good = true;
    for (int i = 0; i < r->series_count; i++) {
        const sp_series *s = r->series[i];
        bool here = r->written[i] < s->count && s->times[r->written[i]] == t;
        for (int c = 0; c < s->probe->width && good; c++) {
            good = sp__buffer_add(run->ctx, out, ",", 1);
            if (!here) continue;
            sp__print_double(text, s->values[(size_t)r->written[i] * (size_t)s->probe->width + (size_t)c]);
            good = good && sp__buffer_add(run->ctx, out, text, strlen(text));
        }
        r->written[i] += here;
    }
    return good;
}

static bool add_row(sp_run *run, sp_record *r, double t, sp_buffer *out) {
    char text[32];
    bool between = false;
    for (int i = 0; i < r->series_count; i++) {
        const sp_series *s = r->series[i];
        if (r->written[i] < s->count && s->times[r->written[i]] == t) between = between || s->interpolated[r->written[i]];
    }
    sp__print_double(text, t);
    return sp__buffer_print(run->ctx, out, "%s,%s", text, between ? "yes" : "no") && add_values(run, r, t, out) &&
           sp__buffer_add(run->ctx, out, "\r\n", 2);
}

sp_status sp__record_rows(sp_run *run, sp_record *r, sp_buffer *out) {
    for (double t; (t = earliest(r)) < INFINITY;)
        if (!add_row(run, r, t, out)) return SP_FAIL(run->ctx, SP_NO_MEMORY, "%s: no memory for its rows", r->file);
    return SP_OK;
}
