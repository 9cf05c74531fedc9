// Records of kind .csv (RFC 4180): a row per time, a column per number of the probes, units in the head. Without T of its own a
// record holds the probes' own samples, with empty fields where a probe has none at that time; with T every probe is read then.
#include <errno.h>
#include <stdio.h>

#include "io/run/build.h"

static bool chosen(const sp_scene_node *record, const sp_probe *p) {
    const sp_attr *of = sp__build_given(record, "of") ? sp__attr(record, "of") : NULL;
    if (!of) return true;
    for (int i = 0; i < of->count; i++) {
        const sp_scene_node *body = sp__scene_find(record, of->words[i]);
        for (int t = 0; t < p->target_count; t++)
            if (p->targets[t].body->node == body) return true;
    }
    return false;
}

// samples at the record's own times; none where nothing will be written
static sp_status own_series(sp_run *run, const sp_scene_node *node, const sp_probe *probe, sp_series **out) {
    if (!SP_KEEP(&run->keep, *out, 1)) return sp__build_no_memory(run);
    SP_TRY(sp__build_sampling(run, node, &(*out)->sampling));
    if (!run->options.out) return SP_OK;
    run->series[run->series_count++] = *out;
    return sp__series_init(run, *out, probe);
}

static sp_status build_record(sp_run *run, const sp_scene_node *node, sp_record *out) {
    bool timed = sp__build_given(node, "every") || sp__build_given(node, "period") || sp__build_given(node, "times") ||
                 sp__build_given(node, "from") || sp__build_given(node, "until");
    out->node = node;
    if (!SP_KEEP(&run->keep, out->series, run->probe_count) || !SP_KEEP(&run->keep, out->written, run->probe_count))
        return sp__build_no_memory(run);
    for (int i = 0; i < run->probe_count; i++) {
        if (!chosen(node, &run->probes[i])) continue;
        sp_series *s = &run->probes[i].series;
        if (timed) SP_TRY(own_series(run, node, &run->probes[i], &s));
        out->series[out->series_count++] = s;
    }
    if (!out->series_count) return SP_BUILD_FAIL(run, node, NULL, "a .csv record holds probes, and there are none");
    return SP_OK;
}

sp_status sp__build_records(sp_run *run) {
    const sp_scene_node *root = sp__scene_root(run->scene);
    int n = 0;
    for (const sp_scene_node *c = NULL; (c = sp__next_child(root, "record", c));) n++;
    if (!SP_KEEP(&run->keep, run->records, n) || !SP_KEEP(&run->keep, run->series, (size_t)run->probe_count * ((size_t)n + 1)))
        return sp__build_no_memory(run);
    for (int i = 0; i < run->probe_count; i++) run->series[run->series_count++] = &run->probes[i].series;
    for (const sp_scene_node *c = NULL; (c = sp__next_child(root, "record", c));)
        SP_BUILD(build_record(run, c, &run->records[run->record_count++]));
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ writing

static sp_status record_failed(sp_run *run, const sp_record *r, const char *why) {
    return SP_FAIL(run->ctx, SP_IO, "%s: %s", sp__attr_word(r->node, "file"), why);
}

// names hold no quotes, but bodies and units may hold commas one day
static void write_field(FILE *file, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"') fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

static void write_head(FILE *file, const sp_record *r) {
    fputs("time [s],interpolated", file);
    for (int i = 0; i < r->series_count; i++) {
        const sp_probe *p = r->series[i]->probe;
        for (int c = 0; c < p->width; c++) {
            char name[192], field[320];
            const char *unit;
            sp__probe_column_name(p, c, name, sizeof name, &unit);
            snprintf(field, sizeof field, "%.90s.%s [%s]", p->name, name, unit);
            fputc(',', file);
            write_field(file, field);
        }
    }
    fputs("\r\n", file);
}

static sp_status open_record(sp_run *run, sp_record *r) {
    const char *name = sp__attr_word(r->node, "file");
    size_t size = strlen(run->options.out) + strlen(name) + 2;
    char *path = sp__keep_alloc(&run->scratch, size, 1);
    if (!path) return sp__build_no_memory(run);
    snprintf(path, size, "%s/%s", run->options.out, name);
    FILE *file = fopen(path, "wb");
    if (!file) return SP_BUILD_FAIL(run, r->node, "file", "%s: %s", path, strerror(errno));
    r->file = file;
    write_head(file, r);
    return SP_OK;
}

sp_status sp__records_open(sp_run *run) {
    for (int i = 0; run->options.out && i < run->record_count; i++) SP_TRY(open_record(run, &run->records[i]));
    return SP_OK;
}

// the earliest time that is not written yet; infinite: none
static double earliest(const sp_record *r) {
    double t = INFINITY;
    for (int i = 0; i < r->series_count; i++) {
        const sp_series *s = r->series[i];
        if (r->written[i] < s->count && s->times[r->written[i]] < t) t = s->times[r->written[i]];
    }
    return t;
}

static void write_row(FILE *file, sp_record *r, double t) {
    char text[32];
    bool between = false;
    for (int i = 0; i < r->series_count; i++) {
        const sp_series *s = r->series[i];
        if (r->written[i] < s->count && s->times[r->written[i]] == t) between = between || s->interpolated[r->written[i]];
    }
    sp__print_double(text, t);
    fprintf(file, "%s,%s", text, between ? "yes" : "no");
    for (int i = 0; i < r->series_count; i++) {
        const sp_series *s = r->series[i];
        bool here = r->written[i] < s->count && s->times[r->written[i]] == t;
        for (int c = 0; c < s->probe->width; c++) {
            fputc(',', file);
            if (!here) continue;
            sp__print_double(text, s->values[(size_t)r->written[i] * (size_t)s->probe->width + (size_t)c]);
            fputs(text, file);
        }
        r->written[i] += here;
    }
    fputs("\r\n", file);
}

sp_status sp__records_write(sp_run *run) {
    for (int i = 0; i < run->record_count; i++) {
        sp_record *r = &run->records[i];
        if (!r->file) continue;
        for (double t; (t = earliest(r)) < INFINITY;) write_row(r->file, r, t);
        if (ferror((FILE *)r->file)) return record_failed(run, r, strerror(errno));
    }
    return SP_OK;
}

sp_status sp__records_close(sp_run *run) {
    sp_status status = SP_OK;
    for (int i = 0; i < run->record_count; i++) {
        FILE *file = run->records[i].file;
        run->records[i].file = NULL;
        if (file && fclose(file) != 0) status = record_failed(run, &run->records[i], strerror(errno));
    }
    return status;
}
