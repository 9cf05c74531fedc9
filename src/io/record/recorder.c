// The recorder: one thread that passes frames to writers, with a bounded number of frames in the queue. The caller's thread
// allocates, fills and frees the frames. The recorder thread has its own context, so that allocators and error messages are not
// shared. An error of a writer is stored per sink and returned with the next frame of the caller, or at the end.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

#include "io/record/record.h"

typedef struct lane {  // state of one sink
    sp_frame *frames[SP_FRAMES_QUEUED];
    sp_frame *idle[SP_FRAMES_QUEUED];
    int frame_count, idle_count;
    sp_status status;
    sp_error error;
    bool open;
    long frames_written, dropped;
    uint64_t bytes;
} lane;

typedef struct item {
    int sink;
    sp_frame *frame;
} item;

struct sp_recorder {
    sp_context *ctx;  // of the caller
    sp_context *own;  // of the thread
    sp_sink *sinks;
    lane *lanes;
    item *queue;  // ring buffer
    int sink_count, head, count, capacity;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t work, space;
    bool opened, busy, quit, running;
};

// ---------------------------------------------------------------------------------------------------- writer thread

// copies the counts and the first error for the caller; call with the lock held
static void note(sp_recorder *r, int i, sp_status status) {
    lane *l = &r->lanes[i];
    l->frames_written = r->sinks[i].frames, l->bytes = r->sinks[i].bytes;
    if (status >= 0 || l->status < 0) return;
    l->status = status;
    l->error = *sp_context_error(r->own);
}

static void open_all(sp_recorder *r) {
    bool good = true;
    for (int i = 0; i < r->sink_count && good; i++) {
        sp_status status = r->sinks[i].writer->open(&r->sinks[i]);
        good = status >= 0;
        pthread_mutex_lock(&r->mutex);
        r->lanes[i].open = true;
        note(r, i, status);
        pthread_mutex_unlock(&r->mutex);
    }
    pthread_mutex_lock(&r->mutex);
    r->opened = true;
    pthread_cond_broadcast(&r->space);
    pthread_mutex_unlock(&r->mutex);
}

static void close_all(sp_recorder *r) {
    for (int i = 0; i < r->sink_count; i++) {
        if (!r->lanes[i].open) continue;
        sp_status status = r->sinks[i].writer->close(&r->sinks[i]);
        pthread_mutex_lock(&r->mutex);
        note(r, i, status);
        pthread_mutex_unlock(&r->mutex);
    }
}

static void write_frame(sp_recorder *r, item it) {
    // a failed sink takes no more frames: its file stays as it is
    bool good = r->lanes[it.sink].status >= 0;
    pthread_mutex_unlock(&r->mutex);
    sp_status status = good ? r->sinks[it.sink].writer->frame(&r->sinks[it.sink], it.frame) : SP_OK;
    pthread_mutex_lock(&r->mutex);
    note(r, it.sink, status);
    r->lanes[it.sink].idle[r->lanes[it.sink].idle_count++] = it.frame;
}

static void *thread_main(void *arg) {
    sp_recorder *r = arg;
    open_all(r);
    pthread_mutex_lock(&r->mutex);
    for (;;) {
        while (!r->quit && !r->count) pthread_cond_wait(&r->work, &r->mutex);
        if (!r->count) break;
        item it = r->queue[r->head];
        r->head = (r->head + 1) % r->capacity;
        r->count--;
        r->busy = true;
        write_frame(r, it);
        r->busy = false;
        pthread_cond_broadcast(&r->space);
    }
    pthread_mutex_unlock(&r->mutex);
    close_all(r);
    return NULL;
}

// ---------------------------------------------------------------------------------------------------- frames

static void free_frame(sp_recorder *r, sp_frame *f) {
    if (!f) return;
    int probes = r->sinks[0].origin ? r->sinks[0].origin->probe_count : 0;
    for (int i = 0; f->rows && i < probes; i++) {
        sp__buffer_free(r->ctx, &f->rows[i].times), sp__buffer_free(r->ctx, &f->rows[i].values);
        sp__buffer_free(r->ctx, &f->rows[i].interpolated);
    }
    sp__buffer_free(r->ctx, &f->edits), sp__buffer_free(r->ctx, &f->events), sp__buffer_free(r->ctx, &f->text);
    for (int i = 0; i < SP_CONTACT_ARRAY_COUNT; i++) sp__buffer_free(r->ctx, &f->contacts[i]);
    sp__free(r->ctx, f->rows);
    sp__free(r->ctx, f->values);
    sp__free(r->ctx, f);
}

static void clear_frame(sp_recorder *r, sp_frame *f) {
    int probes = r->sinks[0].origin ? r->sinks[0].origin->probe_count : 0;
    for (int i = 0; i < probes; i++) f->rows[i].times.size = f->rows[i].values.size = f->rows[i].interpolated.size = 0;
    f->edits.size = f->events.size = f->text.size = 0;
    for (int i = 0; i < SP_CONTACT_ARRAY_COUNT; i++) f->contacts[i].size = 0;
    f->contact_count = 0;
    f->head = (sp_recording_frame){0};
    f->shown = false;
}

static sp_status new_frame(sp_recorder *r, int sink, sp_frame **out) {
    lane *l = &r->lanes[sink];
    int probes = r->sinks[0].origin ? r->sinks[0].origin->probe_count : 0;
    sp_frame *f = sp__alloc(r->ctx, 1, sizeof *f);
    if (f) f->rows = sp__alloc(r->ctx, (size_t)probes + 1, sizeof *f->rows);
    if (!f || !f->rows) {
        free_frame(r, f);
        return SP_FAIL(r->ctx, SP_NO_MEMORY, "%s: no memory for a frame", r->sinks[sink].path);
    }
    l->frames[l->frame_count++] = *out = f;
    return SP_OK;
}

static sp_status fit_frame(sp_recorder *r, int sink, const sp_layout *layout, sp_frame *f) {
    size_t n = layout ? layout->value_count : 0;
    f->layout = layout;
    if (n <= f->value_capacity) return SP_OK;
    sp__free(r->ctx, f->values);
    f->value_capacity = 0;
    if (!SP_NEW(r->ctx, f->values, n))
        return SP_FAIL(r->ctx, SP_NO_MEMORY, "%s: no memory for a frame of %zu numbers", r->sinks[sink].path, n);
    f->value_capacity = n;
    return SP_OK;
}

static sp_status failure_of(sp_recorder *r, int sink) {
    lane *l = &r->lanes[sink];
    if (l->status >= 0) return SP_OK;
    sp_context_keep_error(r->ctx, &l->error);
    return l->status;
}

sp_status sp__recorder_take(sp_recorder *r, int sink, const sp_layout *layout, sp_frame **out) {
    lane *l = &r->lanes[sink];
    sp_frame *f = NULL;
    *out = NULL;
    pthread_mutex_lock(&r->mutex);
    bool full = l->frame_count == SP_FRAMES_QUEUED;
    while (full && !l->idle_count && l->status >= 0 && r->sinks[sink].wait) pthread_cond_wait(&r->space, &r->mutex);
    sp_status status = failure_of(r, sink);
    if (status >= 0 && l->idle_count)
        f = l->idle[--l->idle_count];
    else if (status >= 0 && full)
        l->dropped++;
    pthread_mutex_unlock(&r->mutex);
    if (status < 0 || (full && !f)) return status;
    if (!f) SP_TRY(new_frame(r, sink, &f));
    clear_frame(r, f);
    status = fit_frame(r, sink, layout, f);
    if (status < 0)
        sp__recorder_give_back(r, sink, f);
    else
        *out = f;
    return status;
}

void sp__recorder_give_back(sp_recorder *r, int sink, sp_frame *frame) {
    pthread_mutex_lock(&r->mutex);
    r->lanes[sink].idle[r->lanes[sink].idle_count++] = frame;
    pthread_mutex_unlock(&r->mutex);
}

void sp__recorder_push(sp_recorder *r, int sink, sp_frame *frame) {
    pthread_mutex_lock(&r->mutex);
    r->queue[(r->head + r->count++) % r->capacity] = (item){sink, frame};
    pthread_cond_signal(&r->work);
    pthread_mutex_unlock(&r->mutex);
}

sp_status sp__recorder_drain(sp_recorder *r) {
    sp_status status = SP_OK;
    pthread_mutex_lock(&r->mutex);
    while (r->count || r->busy) pthread_cond_wait(&r->space, &r->mutex);
    for (int i = 0; i < r->sink_count && status >= 0; i++) status = failure_of(r, i);
    pthread_mutex_unlock(&r->mutex);
    return status;
}

void sp__recorder_counts(sp_recorder *r, int sink, long *frames, long *dropped, uint64_t *bytes) {
    pthread_mutex_lock(&r->mutex);
    *frames = r->lanes[sink].frames_written, *dropped = r->lanes[sink].dropped, *bytes = r->lanes[sink].bytes;
    pthread_mutex_unlock(&r->mutex);
}

// ---------------------------------------------------------------------------------------------------- creation and destruction

// the thread blocks all signals, which belong to the host
static bool start_thread(sp_recorder *r) {
    sigset_t all, outer;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &outer) != 0) return false;
    r->running = pthread_create(&r->thread, NULL, thread_main, r) == 0;
    pthread_sigmask(SIG_SETMASK, &outer, NULL);
    return r->running;
}

static bool make_locks(sp_recorder *r) {
    if (pthread_mutex_init(&r->mutex, NULL) != 0) return false;
    if (pthread_cond_init(&r->work, NULL) != 0) goto no_work;
    if (pthread_cond_init(&r->space, NULL) != 0) goto no_room;
    return true;
no_room:
    pthread_cond_destroy(&r->work);
no_work:
    pthread_mutex_destroy(&r->mutex);
    return false;
}

static void free_recorder(sp_recorder *r) {
    for (int i = 0; r->lanes && i < r->sink_count; i++)
        for (int k = 0; k < r->lanes[i].frame_count; k++) free_frame(r, r->lanes[i].frames[k]);
    sp_context_destroy(&r->own);
    sp__free(r->ctx, r->lanes);
    sp__free(r->ctx, r->queue);
    sp__free(r->ctx, r);
}

static sp_status wait_opened(sp_recorder *r, int *failed) {
    sp_status status = SP_OK;
    pthread_mutex_lock(&r->mutex);
    while (!r->opened) pthread_cond_wait(&r->space, &r->mutex);
    for (int i = 0; i < r->sink_count && status >= 0; i++)
        if ((status = failure_of(r, i)) < 0) *failed = i;
    pthread_mutex_unlock(&r->mutex);
    return status;
}

sp_status sp__recorder_create(sp_context *ctx, sp_sink *sinks, int count, sp_recorder **out, int *failed) {
    sp_context_def def = sp_context_def_default();
    def.workers = 1;
    *out = NULL;
    *failed = 0;
    sp_recorder *r = sp__alloc(ctx, 1, sizeof *r);
    if (!r) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a recorder");
    *r = (sp_recorder){.ctx = ctx, .sinks = sinks, .sink_count = count, .capacity = count * SP_FRAMES_QUEUED + 1};
    bool good = sp_context_create(&def, &r->own) >= 0 && SP_NEW(ctx, r->lanes, count) && SP_NEW(ctx, r->queue, r->capacity);
    for (int i = 0; i < count && good; i++) sinks[i].ctx = r->own;
    if (!good || !make_locks(r)) {
        free_recorder(r);
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a recorder");
    }
    if (!start_thread(r)) {
        sp__recorder_destroy(&r);
        return SP_FAIL(ctx, SP_UNAVAILABLE, "the thread that writes records cannot be started");
    }
    *out = r;
    return wait_opened(r, failed);
}

sp_status sp__recorder_finish(sp_recorder *r) {
    sp_status status = SP_OK;
    pthread_mutex_lock(&r->mutex);
    r->quit = true;
    pthread_cond_signal(&r->work);
    pthread_mutex_unlock(&r->mutex);
    if (r->running) pthread_join(r->thread, NULL);
    r->running = false;
    for (int i = 0; i < r->sink_count && status >= 0; i++) status = failure_of(r, i);
    return status;
}

void sp__recorder_destroy(sp_recorder **recorder) {
    sp_recorder *r = *recorder;
    if (!r) return;
    *recorder = NULL;
    sp_error before = *sp_context_error(r->ctx);
    sp__recorder_finish(r);
    sp_context_keep_error(r->ctx, &before);
    pthread_cond_destroy(&r->space), pthread_cond_destroy(&r->work);
    pthread_mutex_destroy(&r->mutex);
    free_recorder(r);
}
