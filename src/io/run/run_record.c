// Records: their list, when they are due, and what has been sent to the recorder. Pictures are drawn between two steps, since
// they need the world; everything else is copied and written by the recorder thread.
#include "io/run/run_record.h"

#include <stdio.h>
#include <sys/stat.h>

// ========================================================================================== rows of .csv records

// Rows of .csv records: one row per time, one column per probe value, units in the header. A record without its own T has the
// samples of the probes, with empty fields where a probe has none at that time. With T, every probe is sampled at those times.

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

static sp_status record_series(sp_run *run, sp_record *r) {
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

static sp_status record_head(sp_run *run, const sp_record *r, sp_buffer *out) {
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

static bool record_has_rows(const sp_record *r) {
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

static sp_status record_rows(sp_run *run, sp_record *r, sp_buffer *out) {
    for (double t; (t = earliest(r)) < INFINITY;)
        if (!add_row(run, r, t, out)) return SP_FAIL(run->ctx, SP_NO_MEMORY, "%s: no memory for its rows", r->file);
    return SP_OK;
}

// ==================================================================================================== provenance

// Provenance in a recording: scene, options, probes and their column names.

static sp_status describe_probe(sp_run *run, const sp_probe *p, sp_origin_probe *out) {
    const char **columns;
    *out = (sp_origin_probe){.name = p->node->path, .body = p->body, .width = p->width};
    if (!SP_KEEP(&run->keep, columns, p->width)) return sp__build_no_memory(run);
    out->columns = columns;
    for (int i = 0; i < p->width; i++) {
        char name[192], text[256];
        const char *unit;
        sp__probe_column_name(p, i, name, sizeof name, &unit);
        snprintf(text, sizeof text, "%s [%s]", name, unit);
        if (!(columns[i] = sp__keep_text(&run->keep, text))) return sp__build_no_memory(run);
    }
    return SP_OK;
}

sp_status sp__record_origin(sp_run *run) {
    sp_scene_info from;
    if (run->origin) return SP_OK;
    sp_scene_get(run->scene, &from);
    sp_provenance *o;
    sp_origin_probe *probes;
    const char **sets;
    if (!SP_KEEP(&run->keep, o, 1) || !SP_KEEP(&run->keep, probes, run->probe_count) ||
        !SP_KEEP(&run->keep, sets, from.set_count))
        return sp__build_no_memory(run);
    for (int i = 0; i < from.set_count; i++) sets[i] = sp_scene_set_text(run->scene, i) + strlen("--set ");
    for (int i = 0; i < run->probe_count; i++) SP_TRY(describe_probe(run, &run->probes[i], &probes[i]));
    *o = (sp_provenance){.scene = from.text,
                         .scene_path = from.file,
                         .backend = sp_world_backend(run->world),
                         .scene_size = from.size,
                         .sets = sets,
                         .set_count = from.set_count,
                         .dt = run->dt,
                         .seed = from.seed,
                         .probes = probes,
                         .probe_count = run->probe_count};
    run->origin = o;
    return SP_OK;
}

// ======================================================================================================= records

// ------------------------------------------------------------------------------------------------ building

static const char *path_of(sp_run *run, const char *file) {
    size_t size = strlen(run->options.out) + strlen(file) + 2;
    char *path = sp__keep_alloc(&run->keep, size, 1);
    if (path) snprintf(path, size, "%s/%s", run->options.out, file);
    return path;
}

static sp_status build_record(sp_run *run, const sp_scene_node *node, sp_record *r) {
    r->node = node;
    r->file = sp__attr_word(node, "file");
    r->writer = sp__writer_of(r->file);
    r->sink = -1;
    r->keep = &run->keep;
    if (run->options.out && !(r->path = path_of(run, r->file))) return sp__build_no_memory(run);
    if (!SP_KEEP(&run->keep, r->rows_sent, run->probe_count)) return sp__build_no_memory(run);
    if (r->writer == &sp__writer_csv) return record_series(run, r);
    SP_TRY(sp__build_sampling(run, node, &r->sampling));
    return r->writer ? sp__record_layout(run, r) : SP_OK;
}

// two records must not write the same file
static sp_status check_files(sp_run *run) {
    for (int i = 0; i < run->record_count; i++)
        for (int k = 0; k < i; k++)
            if (strcmp(run->records[i].file, run->records[k].file) == 0)
                return SP_BUILD_FAIL(run, run->records[i].node, "file", "file=\"%s\" is written by another record too",
                                     run->records[i].file);
    return SP_OK;
}

sp_status sp__build_records(sp_run *run) {
    const sp_scene_node *root = sp__scene_root(run->scene);
    int n = 0;
    for (const sp_scene_node *c = NULL; (c = sp__next_child(root, "record", c));) n++;
    if (!SP_KEEP(&run->keep, run->records, n) || !SP_KEEP(&run->keep, run->sinks, n) ||
        !SP_KEEP(&run->keep, run->series, (size_t)run->probe_count * ((size_t)n + 1)))
        return sp__build_no_memory(run);
    for (int i = 0; i < run->probe_count; i++) run->series[run->series_count++] = &run->probes[i].series;
    for (const sp_scene_node *c = NULL; (c = sp__next_child(root, "record", c));)
        SP_BUILD(build_record(run, c, &run->records[run->record_count++]));
    return check_files(run);
}

// ------------------------------------------------------------------------------------------------ opening

static sp_status fill_sink(sp_run *run, sp_record *r) {
    sp_sink *s = &run->sinks[r->sink = run->sink_count++];
    *s = (sp_sink){.writer = r->writer,
                   .path = r->path,
                   .in_double = sp__build_is(r->node, "precision", "double"),
                   .compress = sp__build_is(r->node, "compress", "yes"),
                   .visual = sp__build_is(r->node, "part", "visual"),
                   .wait = !sp__build_is(r->node, "on-slow", "drop"),
                   .layout = r->layout,
                   .origin = run->origin,
                   .resumed = (long)(r->times.size / sizeof(double)),
                   .resumed_at = (const double *)(const void *)r->times.data,
                   .resumed_edits = r->edits_sent,
                   .resumed_events = r->events_sent};
    if (r->writer != &sp__writer_csv) return SP_OK;
    sp_buffer head = {0};
    sp_status status = record_head(run, r, &head);
    if (status >= 0 && !(s->head = sp__keep_text(&run->keep, head.data))) status = sp__build_no_memory(run);
    sp__buffer_free(run->ctx, &head);
    return status;
}

static const sp_scene_node *node_of(const sp_run *run, int sink) {
    for (int i = 0; i < run->record_count; i++)
        if (run->records[i].sink == sink) return run->records[i].node;
    return NULL;
}

// resets the counts of files that could not be continued
static void copy_counts(sp_run *run) {
    for (int i = 0; i < run->record_count; i++) {
        sp_record *r = &run->records[i];
        long frames = 0, dropped;
        uint64_t bytes;
        if (r->sink < 0 || !r->times.size) continue;
        sp__recorder_counts(run->recorder, r->sink, &frames, &dropped, &bytes);
        if (frames * (long)sizeof(double) == (long)r->times.size) continue;
        sp__log(run->ctx, SP_LOG_WARNING, "%s does not hold the %ld frames before the checkpoint: it starts again from here",
                r->path, (long)(r->times.size / sizeof(double)));
        r->times.size = 0;
        r->edits_sent = r->events_sent = 0;
    }
}

sp_status sp__records_open(sp_run *run) {
    int failed;
    if (!run->options.out) return SP_OK;
    SP_TRY(sp__record_origin(run));
    for (int i = 0; i < run->record_count; i++) {
        if (!run->records[i].writer) continue;
        SP_TRY(sp__record_update(run, &run->records[i]));
        SP_TRY(fill_sink(run, &run->records[i]));
    }
    if (!run->sink_count) return SP_OK;
    sp_status status = sp__recorder_create(run->ctx, run->sinks, run->sink_count, &run->recorder, &failed);
    if (status < 0 && status != SP_NO_MEMORY)
        return sp__build_refused(run, node_of(run, failed), status, sp_context_error(run->ctx));
    SP_TRY(status);
    for (int i = 0; i < run->record_count; i++)
        if (run->records[i].sink >= 0) run->records[i].recorder = run->recorder;
    copy_counts(run);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ event log

sp_status sp__record_note(sp_run *run, sp_record *r) {
    int count;
    const sp_edit *taken = sp_world_edits_taken(run->world, &count);
    uint64_t steps = sp_world_steps(run->world);
    bool good = true;
    for (int i = 0; i < count && steps && good; i++) {
        char line[SP_EDIT_LINE];
        if (!sp_edit_log_line(&taken[i], steps - 1, line, sizeof line)) continue;
        good = sp__buffer_add(run->ctx, &r->edits, line, strlen(line));
    }
    sp_event e;
    for (int i = 0; good && sp_world_event_at(run->world, i, &e) >= 0; i++)
        good = sp__buffer_add(run->ctx, &r->events, &e, sizeof e);
    return good ? SP_OK : SP_FAIL(run->ctx, SP_NO_MEMORY, "%s: no memory for the events", r->file);
}

sp_status sp__records_note(sp_run *run) {
    for (int i = 0; i < run->record_count; i++)
        if (run->records[i].sink >= 0 && run->records[i].writer == &sp__writer_xdmf)
            SP_TRY(sp__record_note(run, &run->records[i]));
    return SP_OK;
}

static bool copy_probe(sp_run *run, const sp_series *s, int from, sp_frame_rows *out) {
    size_t n = (size_t)(s->count - from), w = (size_t)s->probe->width;
    return sp__buffer_add(run->ctx, &out->times, s->times + from, n * sizeof(double)) &&
           sp__buffer_add(run->ctx, &out->values, s->values + (size_t)from * w, n * w * sizeof(double)) &&
           sp__buffer_add(run->ctx, &out->interpolated, s->interpolated + from, n);
}

// edits, events and samples since the last frame
static sp_status copy_events(sp_run *run, sp_record *r, sp_frame *f) {
    bool good = sp__buffer_add(run->ctx, &f->edits, r->edits.data, r->edits.size) &&
                sp__buffer_add(run->ctx, &f->events, r->events.data, r->events.size);
    for (int i = 0; i < run->probe_count && good; i++)
        good = copy_probe(run, &run->probes[i].series, r->rows_sent[i], &f->rows[i]);
    return good ? SP_OK : SP_FAIL(run->ctx, SP_NO_MEMORY, "%s: no memory for a frame", r->file);
}

static void sent(sp_run *run, sp_record *r) {
    r->edits_sent += r->edits.size, r->events_sent += r->events.size / sizeof(sp_event);
    r->edits.size = r->events.size = 0;
    for (int i = 0; i < run->probe_count; i++) r->rows_sent[i] = run->probes[i].series.count;
}

// ------------------------------------------------------------------------------------------------ frames

static void say_dropped(sp_run *run, sp_record *r, double t) {
    if (!r->drop_reported)
        sp__log(run->ctx, SP_LOG_WARNING, "%s: the frame at t = %g s is dropped, the disk is slow; further ones are counted",
                r->path, t);
    r->drop_reported = true;
}

static sp_status fill_frame(sp_run *run, sp_record *r, sp_frame *f, double t, double now, bool between) {
    f->shown = true;
    f->head = (sp_recording_frame){t, sp_world_steps(run->world), between ? 0 : sp_world_hash(run->world), between};
    SP_TRY(sp__record_values(run, r, f->values));
    if (between) sp__record_blend(r, (t - r->sampling.before) / (now - r->sampling.before), f->values);
    if (r->writer == &sp__writer_xdmf) SP_TRY(copy_events(run, r, f));
    if (r->layout->contacts) SP_TRY(sp__record_contacts(run, r, f));
    return sp__buffer_add(run->ctx, &r->times, &t, sizeof t) ? SP_OK : SP_FAIL(run->ctx, SP_NO_MEMORY, "%s: no memory", r->file);
}

sp_status sp__record_send(sp_run *run, void *record, double t, double now, bool between) {
    sp_record *r = record;
    sp_frame *f;
    SP_TRY(sp__record_update(run, r));
    SP_TRY(sp__recorder_take(r->recorder, r->sink, r->layout, &f));
    if (!f) {
        say_dropped(run, r, t);
        return SP_OK;
    }
    sp_status status = fill_frame(run, r, f, t, now, between);
    if (status < 0) {
        sp__recorder_give_back(r->recorder, r->sink, f);
        return status;
    }
    if (r->writer == &sp__writer_xdmf) sent(run, r);
    sp__recorder_push(r->recorder, r->sink, f);
    return SP_OK;
}

static sp_status record_remember(sp_run *run, void *user) {
    sp_record *r = user;
    if (!r->writer) return SP_OK;
    SP_TRY(sp__record_update(run, r));
    return sp__record_values(run, r, r->before);
}

static sp_status send_rows(sp_run *run, sp_record *r) {
    sp_frame *f;
    if (!record_has_rows(r)) return SP_OK;
    SP_TRY(sp__recorder_take(r->recorder, r->sink, NULL, &f));
    if (!f) return SP_OK;  // sent with the next frame
    sp_status status = record_rows(run, r, &f->text);
    if (status < 0)
        sp__recorder_give_back(r->recorder, r->sink, f);
    else
        sp__recorder_push(r->recorder, r->sink, f);
    return status;
}

// ------------------------------------------------------------------------------------------------ pictures

static sp_picture_def camera_of(const sp_run *run, const sp_record *r) {
    sp_picture_def def = sp_run_picture(run);
    if (!sp__build_given(r->node, "camera")) return def;
    const sp_scene_node *c = sp__scene_find(r->node, sp__attr_word(r->node, "camera"));
    const sp_attr *at = c ? sp__build_attr(c, "at") : NULL, *to = c ? sp__build_attr(c, "to") : NULL;
    const sp_attr *up = c ? sp__build_attr(c, "up") : NULL, *size = c ? sp__build_attr(c, "size") : NULL;
    if (!c) return def;
    def.fitted = !at || at->count != 3;
    def.to[0] = NAN;
    if (!def.fitted) memcpy(def.at, at->numbers, sizeof def.at);
    if (to && to->count == 3) memcpy(def.to, to->numbers, sizeof def.to);
    if (up && up->count == 3) memcpy(def.up, up->numbers, sizeof def.up);
    if (size && size->count == 2) def.width = (int)size->numbers[0], def.height = (int)size->numbers[1];
    def.fov = sp__build_number(c, "fov", def.fov);
    return def;
}

// draws the state of the first step at or after the time: pictures are not interpolated
static sp_status record_draw(sp_run *run, void *user, double t, double now, bool between) {
    sp_record *r = user;
    size_t stem = strlen(r->path) - strlen(".png"), size = stem + 40;
    struct stat info;
    (void)t, (void)now, (void)between;
    char *path = sp__alloc(run->ctx, size, 1);
    if (!path) return SP_FAIL(run->ctx, SP_NO_MEMORY, "%s: no memory for a picture", r->file);
    snprintf(path, size, "%.*s-%06ld.png", (int)stem, r->path, r->pictures);
    sp_picture_def def = camera_of(run, r);
    sp_status status = sp_picture_write(run->world, run, &def, path);
    if (status >= 0 && stat(path, &info) == 0) r->picture_bytes += (uint64_t)info.st_size;
    sp__free(run->ctx, path);
    if (status >= 0) r->pictures++;
    return status;
}

// ------------------------------------------------------------------------------------------------ recording a run

sp_status sp__records_write(sp_run *run) {
    for (int i = 0; i < run->record_count; i++) {
        sp_record *r = &run->records[i];
        if (!r->path) continue;
        if (r->writer == &sp__writer_csv)
            SP_TRY(send_rows(run, r));
        else
            SP_TRY(sp__sample(run, &r->sampling, r->writer ? sp__record_send : record_draw, record_remember, r));
    }
    return SP_OK;
}

// edits, events and samples after the last frame
sp_status sp__record_send_rest(sp_run *run, sp_record *r, sp_sink *sink) {
    sp_frame *f;
    bool kept = sink->wait;
    sink->wait = true;  // the last step is done: waiting delays nothing
    sp_status status = r->writer == &sp__writer_csv ? send_rows(run, r) : SP_OK;
    if (status >= 0 && r->writer == &sp__writer_xdmf) {
        status = sp__recorder_take(r->recorder, r->sink, r->layout, &f);
        if (status >= 0) status = copy_events(run, r, f);
        if (status >= 0) sent(run, r);
        if (f) sp__recorder_push(r->recorder, r->sink, f);
    }
    sink->wait = kept;
    return status;
}

sp_status sp__records_finish(sp_run *run) {
    sp_status status = SP_OK;
    for (int i = 0; run->recorder && i < run->record_count; i++) {
        sp_record *r = &run->records[i];
        sp_status rest = r->sink >= 0 ? sp__record_send_rest(run, r, &run->sinks[r->sink]) : SP_OK;
        if (status >= 0) status = rest;
    }
    sp_error first = *sp_context_error(run->ctx);
    sp_status closed = run->recorder ? sp__recorder_finish(run->recorder) : SP_OK;
    if (status < 0) sp_context_keep_error(run->ctx, &first);
    return status < 0 ? status : closed;
}

void sp__records_free(sp_run *run) {
    sp__recorder_destroy(&run->recorder);
    for (int i = 0; i < run->record_count; i++) sp__record_free(run, &run->records[i]);
}

int sp_run_record_count(const sp_run *run) {
    return run->record_count;
}

sp_status sp_run_record_at(const sp_run *run, int index, sp_run_record *out) {
    if (index < 0 || index >= run->record_count) return SP_BAD_INPUT;
    const sp_record *r = &run->records[index];
    *out = (sp_run_record){.file = r->file, .path = r->path, .kind = r->writer ? r->writer->kind : "png"};
    out->frames = r->pictures, out->bytes = r->picture_bytes;
    if (r->sink >= 0 && run->recorder) sp__recorder_counts(run->recorder, r->sink, &out->frames, &out->dropped, &out->bytes);
    return SP_OK;
}
