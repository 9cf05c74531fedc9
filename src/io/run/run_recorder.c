// Recordings that start and stop while a run goes on, as the page of `souple view` does. They use the frames, the recorder thread
// and the writer of the records of a scene. The run does not depend on them: a full disk ends the recording, not the run.
#include "io/run/run_record.h"

struct sp_run_recorder {
    sp_run *run;
    sp_keep keep;  // memory of the record: it can end before the run
    sp_record record;
    sp_sink sink;
    double period, last;  // [s]
};

sp_run_recorder_def sp_run_recorder_def_default(void) {
    return (sp_run_recorder_def){.cookie = SP_COOKIE_RUN_RECORDER};
}

static sp_status recorder_check(sp_run *run, const sp_run_recorder_def *def) {
    sp_field_info field;
    if (def->cookie != SP_COOKIE_RUN_RECORDER)
        return SP_FAIL(run->ctx, SP_BAD_INPUT, "sp_run_recorder_def did not start from sp_run_recorder_def_default()");
    if (!def->path || sp__writer_of(def->path) != &sp__writer_xdmf)
        return SP_FAIL(run->ctx, SP_BAD_INPUT, "recording to %s, must end in .xdmf", def->path ? def->path : "no file");
    if (!(def->period >= 0)) return SP_FAIL(run->ctx, SP_BAD_INPUT, "period = %g s, must be >= 0", def->period);
    for (int i = 0; i < def->quantity_count; i++)
        if (sp_field_named(def->quantities[i], &field) < 0)
            return SP_FAIL(run->ctx, SP_BAD_INPUT, "quantity \"%.60s\" is not a field", def->quantities[i]);
    return SP_OK;
}

static sp_status copy_names(sp_run_recorder *r, const sp_run_recorder_def *def) {
    const char **names;
    if (!SP_KEEP(&r->keep, names, def->quantity_count + 1)) return SP_NO_MEMORY;
    for (int i = 0; i < def->quantity_count; i++)
        if (!(names[i] = sp__keep_text(&r->keep, def->quantities[i]))) return SP_NO_MEMORY;
    r->record.quantities = names, r->record.quantity_count = def->quantity_count;
    r->record.file = r->record.path = sp__keep_text(&r->keep, def->path);
    return r->record.file && SP_KEEP(&r->keep, r->record.rows_sent, r->run->probe_count + 1) ? SP_OK : SP_NO_MEMORY;
}

// The builder accounts for memory and collects errors in the run: both belong to the recorder.
static sp_status build_layout(sp_run_recorder *r) {
    sp_run *run = r->run;
    double memory = run->memory;
    r->record.keep = &r->keep;
    sp_status status = sp__record_layout(run, &r->record);
    run->memory = memory;
    if (status == SP_BAD_INPUT && run->failed)
        status = SP_FAIL(run->ctx, SP_BAD_INPUT, "%s: there are no bodies, or no memory for a frame of them", r->record.path);
    run->failed = false;
    return status < 0 ? status : sp__record_update(run, &r->record);
}

static sp_status recorder_open(sp_run_recorder *r, const sp_run_recorder_def *def) {
    sp_run *run = r->run;
    int failed;
    SP_TRY(sp__record_origin(run));
    // the root has none of the attributes of a record: all bodies, their elements
    r->record.node = sp__scene_root(run->scene);
    r->record.writer = &sp__writer_xdmf;
    SP_TRY(copy_names(r, def));
    SP_TRY(build_layout(r));
    for (int i = 0; i < run->probe_count; i++) r->record.rows_sent[i] = run->probes[i].series.count;
    if (def->edits && !sp__buffer_add(run->ctx, &r->record.edits, def->edits, strlen(def->edits))) return SP_NO_MEMORY;
    r->sink = (sp_sink){.writer = &sp__writer_xdmf,
                        .path = r->record.path,
                        .in_double = def->in_double,
                        .compress = def->compress,
                        .wait = def->wait,
                        .layout = r->record.layout,
                        .origin = run->origin};
    return sp__recorder_create(run->ctx, &r->sink, 1, &r->record.recorder, &failed);
}

static sp_status send_state(sp_run_recorder *r) {
    double now = sp_world_time(r->run->world);
    r->last = now;
    return sp__record_send(r->run, &r->record, now, now, false);
}

static void recorder_free(sp_run_recorder **recorder) {
    sp_run_recorder *r = *recorder;
    sp_context *ctx = r->run->ctx;
    *recorder = NULL;
    sp__recorder_destroy(&r->record.recorder);
    sp__record_free(r->run, &r->record);
    sp__keep_free(&r->keep);
    sp__free(ctx, r);
}

sp_status sp_run_recorder_start(sp_run *run, const sp_run_recorder_def *def, sp_run_recorder **out) {
    *out = NULL;
    SP_TRY(recorder_check(run, def));
    sp_run_recorder *r = sp__alloc(run->ctx, 1, sizeof *r);
    if (!r) return SP_FAIL(run->ctx, SP_NO_MEMORY, "%s: no memory for a recording", def->path);
    *r = (sp_run_recorder){.run = run, .keep = {run->ctx, NULL}, .period = def->period};
    sp_status status = recorder_open(r, def);
    if (status >= 0) status = send_state(r);
    if (status == SP_NO_MEMORY) SP_FAIL(run->ctx, SP_NO_MEMORY, "%s: no memory for a recording", def->path);
    if (status < 0)
        recorder_free(&r);
    else
        *out = r;
    return status;
}

sp_status sp_run_recorder_step(sp_run_recorder *r) {
    SP_TRY(sp__record_note(r->run, &r->record));
    bool due = sp_world_time(r->run->world) - r->last >= r->period - 0.5 * r->run->dt;
    return due ? send_state(r) : SP_OK;
}

void sp_run_recorder_get(const sp_run_recorder *r, sp_run_record *out) {
    *out = (sp_run_record){.file = r->record.file, .path = r->record.path, .kind = r->sink.writer->kind};
    sp__recorder_counts(r->record.recorder, 0, &out->frames, &out->dropped, &out->bytes);
}

sp_status sp_run_recorder_stop(sp_run_recorder **recorder) {
    sp_run_recorder *r = *recorder;
    if (!r) return SP_OK;
    sp_status status = sp__record_send_rest(r->run, &r->record, &r->sink);
    sp_error first = *sp_context_error(r->run->ctx);
    sp_status closed = sp__recorder_finish(r->record.recorder);
    if (status < 0) sp_context_keep_error(r->run->ctx, &first);
    recorder_free(recorder);
    return status < 0 ? status : closed;
}
