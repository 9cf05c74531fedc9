// Checkpoint files of runs: a header, then named sections.
//
//   header: magic, version, digest of the scene, dt, step, time, size, checksum
//   each section: length of the name, length of the data, name, data
//
// "world" is the block of sp_world_save; "events" has the state of each event; "probe:PATH" and "csv:FILE:PATH" have samples;
// "record:FILE" has the state of a record on disk. A resumed run looks up sections by name, so that records may be added or
// removed in between.
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "io/file/text_file.h"
#include "io/run/run_record.h"

typedef struct head {
    char magic[8];
    char version[24];  // of the library, for messages
    uint64_t digest;
    double dt, time;
    uint64_t step, size, checksum;  // of the data after the header
} head;

static const char magic[8] = "SPRUN\0\0\1";  // the last byte is the version of the format

static uint64_t checksum(const char *data, size_t size) {
    uint64_t sum = size;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, data + i, size - i < 8 ? size - i : 8);
        sum += sp__mix(word, i);
    }
    return sum;
}

// ------------------------------------------------------------------------------------------------ sections

typedef struct section {
    uint64_t name, size;  // lengths of both
} section;

static bool add_section(sp_context *ctx, sp_buffer *out, const char *name, const sp_buffer *bytes) {
    section s = {strlen(name), bytes->size};
    return sp__buffer_add(ctx, out, &s, sizeof s) && sp__buffer_add(ctx, out, name, s.name) &&
           sp__buffer_add(ctx, out, bytes->data, bytes->size);
}

typedef struct reader {
    const char *at, *end;
    bool no_memory;  // valid data, but an allocation failed
} reader;

// the sections are contiguous
static bool well_formed(const char *data, size_t size) {
    while (size) {
        section s;
        if (size < sizeof s) return false;
        memcpy(&s, data, sizeof s);
        if (s.name > size - sizeof s || s.size > size - sizeof s - s.name) return false;
        size_t whole = sizeof s + (size_t)s.name + (size_t)s.size;
        data += whole, size -= whole;
    }
    return true;
}

static bool find_section(const reader *all, const char *name, reader *out) {
    for (const char *p = all->at; p < all->end;) {
        section s;
        memcpy(&s, p, sizeof s);
        const char *bytes = p + sizeof s + s.name;
        if (s.name == strlen(name) && memcmp(p + sizeof s, name, s.name) == 0) {
            *out = (reader){bytes, bytes + s.size, false};
            return true;
        }
        p = bytes + s.size;
    }
    return false;
}

static bool take(reader *r, void *out, size_t size) {
    if (size > (size_t)(r->end - r->at)) return false;
    if (size) memcpy(out, r->at, size);
    r->at += size;
    return true;
}

// a count that the remaining bytes can hold
static bool take_count(reader *r, size_t size, uint64_t *out) {
    return take(r, out, sizeof *out) && *out <= (uint64_t)(r->end - r->at) / (size ? size : 1) && *out < INT_MAX;
}

static bool take_bytes(sp_context *ctx, reader *r, sp_buffer *out) {
    uint64_t n;
    if (!take_count(r, 1, &n)) return false;
    out->size = 0;
    r->no_memory = !sp__buffer_add(ctx, out, r->at, (size_t)n);
    r->at += n;
    return !r->no_memory;
}

static bool add_bytes(sp_context *ctx, sp_buffer *out, const sp_buffer *b) {
    uint64_t n = b->size;
    return sp__buffer_add(ctx, out, &n, sizeof n) && sp__buffer_add(ctx, out, b->data, b->size);
}

// ------------------------------------------------------------------------------------------------ samples

typedef struct series_head {
    uint64_t count, width;
    int64_t next;
    double before;
} series_head;

static bool write_series(sp_context *ctx, const sp_series *s, sp_buffer *out) {
    size_t n = (size_t)s->count, w = (size_t)s->probe->width;
    series_head h = {n, w, s->sampling.next, s->sampling.before};
    return sp__buffer_add(ctx, out, &h, sizeof h) && sp__buffer_add(ctx, out, s->before, w * sizeof(double)) &&
           sp__buffer_add(ctx, out, s->times, n * sizeof(double)) &&
           sp__buffer_add(ctx, out, s->values, n * w * sizeof(double)) && sp__buffer_add(ctx, out, s->interpolated, n);
}

static sp_status read_series(sp_run *run, reader r, sp_series *s, bool *good) {
    series_head h;
    size_t w = (size_t)s->probe->width;
    *good = take(&r, &h, sizeof h) && h.width == w && h.count < INT_MAX / 4 &&
            (uint64_t)(r.end - r.at) == w * sizeof(double) + h.count * ((w + 1) * sizeof(double) + 1);
    if (!*good) return SP_OK;
    if ((int)h.count > s->capacity) SP_TRY(sp__series_reserve(run, s, (int)h.count));
    take(&r, s->before, w * sizeof(double));
    take(&r, s->times, h.count * sizeof(double));
    take(&r, s->values, h.count * w * sizeof(double));
    take(&r, s->interpolated, h.count);
    s->count = (int)h.count;
    s->sampling.next = (long)h.next;
    s->sampling.before = h.before;
    return SP_OK;
}

// calls fn(run, name, series, user) for every series of samples
typedef sp_status series_fn(sp_run *run, const char *name, sp_series *s, void *user);

static sp_status visit_series(sp_run *run, series_fn *fn, void *user) {
    char name[512];
    for (int i = 0; i < run->probe_count; i++) {
        snprintf(name, sizeof name, "probe:%s", run->probes[i].node->path);
        SP_TRY(fn(run, name, &run->probes[i].series, user));
    }
    for (int i = 0; i < run->record_count; i++) {
        const sp_record *r = &run->records[i];
        for (int k = 0; k < r->series_count && run->options.out; k++) {
            const sp_probe *p = r->series[k]->probe;
            if (r->series[k] == &p->series) continue;
            snprintf(name, sizeof name, "csv:%s:%s", r->file, p->node->path);
            SP_TRY(fn(run, name, r->series[k], user));
        }
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ records, events

typedef struct record_head {
    int64_t next, pictures;
    double before;
    uint64_t edits_sent, events_sent, picture_bytes;
} record_head;

static bool write_record(sp_context *ctx, const sp_record *r, sp_buffer *out) {
    record_head h = {r->sampling.next, r->pictures, r->sampling.before, r->edits_sent, r->events_sent, r->picture_bytes};
    return sp__buffer_add(ctx, out, &h, sizeof h) && add_bytes(ctx, out, &r->times) && add_bytes(ctx, out, &r->edits) &&
           add_bytes(ctx, out, &r->events);
}

static sp_status read_record(sp_run *run, reader in, sp_record *r, bool *good) {
    record_head h;
    *good = take(&in, &h, sizeof h) && take_bytes(run->ctx, &in, &r->times) && take_bytes(run->ctx, &in, &r->edits) &&
            take_bytes(run->ctx, &in, &r->events) && in.at == in.end && r->times.size % sizeof(double) == 0;
    if (in.no_memory) return SP_FAIL(run->ctx, SP_NO_MEMORY, "out of memory while resuming from %s", r->file);
    if (!*good) return SP_OK;
    r->sampling.next = (long)h.next, r->sampling.before = h.before;
    r->edits_sent = h.edits_sent, r->events_sent = h.events_sent;
    r->pictures = (long)h.pictures, r->picture_bytes = h.picture_bytes;
    return SP_OK;
}

typedef struct event_state {
    double started, from;
    int64_t state;
} event_state;

static bool write_events(sp_run *run, sp_buffer *out) {
    bool good = true;
    for (int i = 0; i < run->event_count && good; i++) {
        const sp_run_event *e = &run->events[i];
        event_state s = {e->started, e->from, (int64_t)e->state};
        good = sp__buffer_add(run->ctx, out, &s, sizeof s);
    }
    return good;
}

static bool read_events(sp_run *run, reader in) {
    event_state s;
    if ((size_t)(in.end - in.at) != (size_t)run->event_count * sizeof s) return false;
    for (int i = 0; i < run->event_count; i++) {
        sp_run_event *e = &run->events[i];
        take(&in, &s, sizeof s);
        if (s.state < SP_EVENT_WAITS || s.state > SP_EVENT_DONE) return false;
        e->started = s.started, e->from = s.from;
        e->state = s.state == SP_EVENT_DONE ? SP_EVENT_DONE : s.state == SP_EVENT_RAMPS ? SP_EVENT_RAMPS : SP_EVENT_WAITS;
    }
    return true;
}

// ------------------------------------------------------------------------------------------------ saving

typedef struct saving {
    sp_buffer out, part;
} saving;

static sp_status no_memory(sp_run *run) {
    return SP_FAIL(run->ctx, SP_NO_MEMORY, "no memory for a checkpoint");
}

static sp_status save_series(sp_run *run, const char *name, sp_series *s, void *user) {
    saving *k = user;
    k->part.size = 0;
    bool good = write_series(run->ctx, s, &k->part) && add_section(run->ctx, &k->out, name, &k->part);
    return good ? SP_OK : no_memory(run);
}

static sp_status save_world(sp_run *run, saving *k) {
    sp_checkpoint block;
    sp_status status = sp_world_save(run->world, &block);
    SP_TRY(status);
    sp_buffer bytes = {.data = block.data, .size = block.size};
    bool good = add_section(run->ctx, &k->out, "world", &bytes);
    sp_checkpoint_free(run->world, &block);
    return good ? SP_OK : no_memory(run);
}

static sp_status save_parts(sp_run *run, saving *k) {
    head capacity = {0};
    if (!sp__buffer_add(run->ctx, &k->out, &capacity, sizeof capacity)) return no_memory(run);
    SP_TRY(save_world(run, k));
    if (run->additions.size && !add_section(run->ctx, &k->out, "additions", &run->additions)) return no_memory(run);
    if (!write_events(run, &k->part) || !add_section(run->ctx, &k->out, "events", &k->part)) return no_memory(run);
    SP_TRY(visit_series(run, save_series, k));
    for (int i = 0; i < run->record_count; i++) {
        char name[512];
        k->part.size = 0;
        snprintf(name, sizeof name, "record:%s", run->records[i].file);
        if (!write_record(run->ctx, &run->records[i], &k->part) || !add_section(run->ctx, &k->out, name, &k->part))
            return no_memory(run);
    }
    return SP_OK;
}

static sp_status write_file(sp_run *run, const char *path, sp_buffer *out) {
    sp_new_file file;
    head h = {.version = SP_VERSION_TEXT, .digest = sp__scene_digest(run->scene), .dt = run->dt};
    memcpy(h.magic, magic, sizeof magic);
    h.step = sp_world_steps(run->world), h.time = sp_world_time(run->world);
    h.size = out->size - sizeof h;
    h.checksum = checksum(out->data + sizeof h, (size_t)h.size);
    memcpy(out->data, &h, sizeof h);
    SP_TRY(sp__new_file_open(run->ctx, path, &file));
    bool good = fwrite(out->data, 1, out->size, file.stream) == out->size;
    sp_status status = sp__new_file_close(&file, good);
    return status < 0 || good ? status : SP_FAIL(run->ctx, SP_IO, "%s: cannot be written", path);
}

sp_status sp_run_save(sp_run *run, const char *path) {
    saving k = {0};
    // the record state in the checkpoint must match the files on disk
    sp_status status = run->recorder ? sp__recorder_drain(run->recorder) : SP_OK;
    if (status >= 0) status = save_parts(run, &k);
    if (status >= 0) status = write_file(run, path, &k.out);
    sp__buffer_free(run->ctx, &k.out);
    sp__buffer_free(run->ctx, &k.part);
    return status;
}

// ------------------------------------------------------------------------------------------------ resuming

typedef struct resuming {
    const char *path;
    reader all;
} resuming;

static sp_status damaged(sp_run *run, const char *path, const char *what) {
    return SP_FAIL(run->ctx, SP_BAD_INPUT, "%s: damaged: %s", path, what);
}

static sp_status check_head(sp_run *run, const char *path, const char *text, size_t size, head *h) {
    if (size < sizeof *h || memcmp(text, magic, 7) != 0)
        return SP_FAIL(run->ctx, SP_BAD_INPUT, "%s: not a checkpoint of a run", path);
    memcpy(h, text, sizeof *h);
    if (h->magic[7] != magic[7])
        return SP_FAIL(run->ctx, SP_BAD_INPUT, "%s: a checkpoint of version %d, this build reads %d", path, h->magic[7],
                       magic[7]);
    if (h->size != size - sizeof *h)
        return SP_FAIL(run->ctx, SP_BAD_INPUT, "%s: damaged: it has %zu bytes after its head, must have %" PRIu64, path,
                       size - sizeof *h, h->size);
    if (checksum(text + sizeof *h, (size_t)h->size) != h->checksum) return damaged(run, path, "its checksum does not fit");
    if (!well_formed(text + sizeof *h, (size_t)h->size)) return damaged(run, path, "its sections do not follow each other");
    if (h->dt != run->dt)
        return SP_FAIL(run->ctx, SP_BAD_INPUT, "%s: saved with dt = %g s, the scene has %g s", path, h->dt, run->dt);
    if (h->digest != sp__scene_digest(run->scene))
        return SP_FAIL(run->ctx, SP_BAD_INPUT,
                       "%s: saved from another scene, or with other values of --set (step %" PRIu64 ", t = %g s)", path, h->step,
                       h->time);
    return SP_OK;
}

static sp_status resume_series(sp_run *run, const char *name, sp_series *s, void *user) {
    const resuming *k = user;
    reader part;
    bool good = true;
    if (!find_section(&k->all, name, &part)) {
        sp__log(run->ctx, SP_LOG_WARNING, "%s holds no samples of %s: they begin here", k->path, name);
        return SP_OK;
    }
    SP_TRY(read_series(run, part, s, &good));
    return good ? SP_OK : damaged(run, k->path, "samples of another probe");
}

static sp_status resume_records(sp_run *run, const resuming *k) {
    for (int i = 0; i < run->record_count; i++) {
        sp_record *r = &run->records[i];
        char name[512];
        reader part;
        bool good;
        snprintf(name, sizeof name, "record:%s", r->file);
        if (!find_section(&k->all, name, &part)) continue;
        SP_TRY(read_record(run, part, r, &good));
        if (!good) return damaged(run, k->path, "the state of a record");
        // the state for interpolation between two steps is that of the checkpoint
        if (!r->path || !r->writer || !r->layout || isnan(r->sampling.before)) continue;
        SP_TRY(sp__record_update(run, r));
        SP_TRY(sp__record_values(run, r, r->before));
    }
    return SP_OK;
}

static sp_status resume_parts(sp_run *run, const resuming *k) {
    reader part;
    if (find_section(&k->all, "additions", &part))
        SP_TRY(sp__run_repeat_additions(run, (const char *)part.at, (size_t)(part.end - part.at)));
    if (!find_section(&k->all, "world", &part)) return damaged(run, k->path, "it holds no world");
    sp_status status = sp_world_restore(run->world, part.at, (size_t)(part.end - part.at));
    if (status < 0) return SP_FAIL(run->ctx, status, "%s: %s", k->path, sp_world_error(run->world)->message);
    run->body_changes++;  // elements may be removed in it
    if (!find_section(&k->all, "events", &part) || !read_events(run, part)) return damaged(run, k->path, "its events differ");
    SP_TRY(visit_series(run, resume_series, (void *)(uintptr_t)k));
    return resume_records(run, k);
}

sp_status sp__run_restore(sp_run *run) {
    const char *path = run->options.resume;
    char *text;
    size_t size;
    head h;
    SP_TRY(sp__text_read(run->ctx, path, 0, &text, &size));
    sp_status status = check_head(run, path, text, size, &h);
    if (status >= 0) {
        resuming k = {path, {text + sizeof h, text + size, false}};
        status = resume_parts(run, &k);
    }
    sp__free(run->ctx, text);
    return status;
}

sp_status sp_run_adopt(sp_run *run, sp_run *from) {
    saving k = {0};
    sp_status status = save_parts(from, &k);
    if (status >= 0) {
        resuming r = {"the run before", {k.out.data + sizeof(head), k.out.data + k.out.size, false}};
        status = resume_parts(run, &r);
    }
    sp__buffer_free(from->ctx, &k.out);
    sp__buffer_free(from->ctx, &k.part);
    return status;
}
