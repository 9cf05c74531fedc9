// The simulation thread: mailbox, clock, steps. See sim.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "serve/sim_internal.h"

enum { FRAME_MS = 16, STATS_MS = 50, MARKS_MS = 250, HELLO_MS = 200 };  // at most 60 frames, 20 stats, 4 marks per second
enum { FRAME_DELAY_MAX_MS = 80 };  // at least ten frames and two stats per second, whatever their cost

// ---------------------------------------------------------------------------------------------------- one step

static void fail_step(sp_sim *s, sp_status status) {
    const sp_error *e = sp_context_error(s->stage.context);
    const char *why = e->status == status && e->message[0] ? e->message : sp_status_text(status);
    snprintf(s->failed, sizeof s->failed, "%s%s%.300s", e->body, e->body[0] ? ": " : "", why);
    s->playing = false, s->steps_left = 0;
    // the pending edits may have caused the failure: drop them, so that the run can continue
    sp_world_drop_edits(s->stage.world);
    sp__sim_tools_failed(s);
    sp__sim_event(s, "error", "step %llu failed, the state before it is kept: %s",
                  (unsigned long long)sp_world_steps(s->stage.world) + 1, s->failed);
    sp__sim_send_state(s);
}

static void add_step_times(sp_sim *s) {
    sp_step_info info;
    sp_world_step_info(s->stage.world, &info);
    s->timings.steps++;
    s->timings.step_ms += info.step_ms;
    for (int i = 0; i < SP_STAGE_COUNT; i++) s->timings.stage_ms[i] += info.stage_ms[i];
    pthread_mutex_lock(&s->lock);
    s->shown.step = info.step, s->shown.hash = info.hash, s->shown.time = info.time;
    s->shown.steps_made++;
    pthread_mutex_unlock(&s->lock);
}

static void one_step(sp_sim *s) {
    bool was_failed = s->failed[0] != 0;
    s->failed[0] = 0;
    sp__sim_tools_before(s);
    sp_status status = sp_run_step(s->stage.run);
    if (status < 0) {
        fail_step(s, status);
        return;
    }
    add_step_times(s);
    sp__sim_world_events(s);
    sp__sim_log_step(s);
    sp__sim_tools_after(s);
    sp__sim_record_step(s);
    s->hello_old = true;  // hello contains the step
    if (s->steps_left > 0 && --s->steps_left == 0) s->playing = false, sp__sim_send_state(s);
    if (was_failed) sp__sim_send_state(s);
}

static double frame_due_ms(const sp_sim *s) {
    return s->frame_ms + FRAME_MS + fmin(4 * s->frame_cost_ms, FRAME_DELAY_MAX_MS);
}

// Publishes the state at a limited rate and with a limited share of the time.
static void publish(sp_sim *s, bool now) {
    double t = sp__now_ms();
    bool changed = false;
    if (!s->stage.world) return;
    if (now || t >= frame_due_ms(s)) {
        s->frame_ms = t;
        sp__sim_make_frame(s);
        s->frame_cost_ms = sp__now_ms() - t;
        changed = true;
    }
    t = sp__now_ms();
    if (s->timings.steps && (now || t - s->stats_ms >= STATS_MS + fmin(49 * s->stats_cost_ms, 5 * FRAME_DELAY_MAX_MS))) {
        s->stats_ms = t;
        sp__sim_make_stats(s);
        sp__sim_take_samples(s);
        s->stats_cost_ms = sp__now_ms() - t;
        changed = true;
    }
    if (now || t - s->marks_ms >= MARKS_MS) {
        pthread_mutex_lock(&s->lock);
        bool wanted = s->want.marks;
        pthread_mutex_unlock(&s->lock);
        s->marks_ms = t;
        if (wanted) sp__sim_make_marks(s), changed = true;
    }
    // notes wait for the next frame, which comes soon
    if (changed && s->def.wake) s->def.wake(s->def.user);
}

void sp__sim_show(sp_sim *s) {
    publish(s, true);
}

// ---------------------------------------------------------------------------------------------------- the loop

static bool steps_wanted(const sp_sim *s) {
    return s->stage.run && (s->playing || s->steps_left > 0);
}

// steps requested one by one are not synchronised with the clock
static bool is_paced(const sp_sim *s) {
    return s->playing && s->speed > 0 && s->steps_left == 0;
}

static void wait_until(sp_sim *s, double ms) {
    struct timespec t = {.tv_sec = (time_t)(ms / 1e3)};
    t.tv_nsec = (long)(1e6 * (ms - 1e3 * (double)t.tv_sec));
    if (t.tv_nsec > 999999999) t.tv_nsec = 999999999;
    pthread_cond_timedwait(&s->called, &s->lock, &t);
}

// Sleeps until there is work; returns the next command, if any. Call it with the lock held.
static bool next_command(sp_sim *s, sp_sim_command *out) {
    while (!s->quit && s->mail_count == 0 && !s->want_changed) {
        double now = sp__now_ms(), frame = s->cuts_changed ? frame_due_ms(s) : INFINITY;
        if (!s->stage.run)
            pthread_cond_wait(&s->called, &s->lock);
        else if (frame <= now)
            return false;
        else if (!steps_wanted(s)) {
            wait_until(s, fmin(now + SP_WATCH_MS, frame));
            return false;  // to look at the scene's file
        } else if (is_paced(s) && s->due_ms > now)
            wait_until(s, fmin(s->due_ms, frame));
        else
            return false;
    }
    if (s->quit || s->mail_count == 0) return false;
    *out = s->mailbox[s->mail_first];
    s->mail_first = (s->mail_first + 1) % SP_MAILBOX;
    s->mail_count--;
    return true;
}

// the clock of the steps; it restarts if it is far behind, so that a scene that becomes faster does not catch up at full speed
static void advance_clock(sp_sim *s) {
    double now = sp__now_ms(), step = s->speed > 0 ? 1e3 * sp_run_dt(s->stage.run) / s->speed : 0;
    if (s->due_ms < now - SP_LATE_MS || s->due_ms > now + step + 1) s->due_ms = now;
    s->due_ms += step;
}

// The newest frame is older than the world: there are fewer frames than steps. After a pause the last step must be shown.
static bool frame_is_behind(sp_sim *s) {
    if (!s->stage.world) return false;
    pthread_mutex_lock(&s->lock);
    const sp_snapshot *snapshot = s->newest >= 0 ? s->slots[s->newest].frame.snapshot : NULL;
    bool behind = snapshot && snapshot->step != sp_world_steps(s->stage.world);
    pthread_mutex_unlock(&s->lock);
    return behind;
}

static void *sim_simulate(void *user) {
    sp_sim *s = user;
    sp_sim_command *c = malloc(sizeof *c);
    pthread_mutex_lock(&s->lock);
    while (c && !s->quit) {
        bool command = next_command(s, c), repaint = s->want_changed, cut = s->cuts_changed;
        s->want_changed = false;
        pthread_mutex_unlock(&s->lock);
        if (command) sp__sim_command(s, c), free(c->upload);
        sp__sim_watch(s);
        bool due = steps_wanted(s) && (!is_paced(s) || s->due_ms <= sp__now_ms());
        if (due && !command && s->stage.recording) {
            sp__sim_replay_next(s);
        } else if (due && !command) {
            advance_clock(s);
            one_step(s);
        }
        bool moved = due && !command;
        bool last = !steps_wanted(s) && (moved || frame_is_behind(s));
        if (moved || repaint || last || cut) publish(s, repaint || last);
        // a moving slider makes many small changes: hello is rebuilt at a limited rate
        if (s->hello_old && (!steps_wanted(s) || sp__now_ms() - s->hello_ms > HELLO_MS)) sp__sim_make_hello(s);
        if (command && s->def.wake) s->def.wake(s->def.user);
        pthread_mutex_lock(&s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    free(c);
    return NULL;
}

// ---------------------------------------------------------------------------------------------------- called by other threads

static bool make_locks(sp_sim *s) {
    pthread_condattr_t attr;
    if (pthread_mutex_init(&s->lock, NULL) != 0) return false;
    if (pthread_condattr_init(&attr) != 0) return false;
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    bool good = pthread_cond_init(&s->called, &attr) == 0 && pthread_cond_init(&s->released, &attr) == 0;
    pthread_condattr_destroy(&attr);
    return good;
}

static void free_sim(sp_sim *s) {
    sp__sim_close(s);
    while (s->messages) {
        sp_sim_message *next = s->messages->next;
        free(s->messages);
        s->messages = next;
    }
    for (int i = 0; i < SP_FRAMES; i++) {
        for (int k = 0; k < SP_FIELD_CODES; k++) free(s->slots[i].values[k]), free(s->slots[i].ranges[k]);
        sp__sim_free_sections(&s->slots[i]);
    }
    for (int i = 0; i < SP_SIM_TEXTS; i++) sp__buffer_free(NULL, &s->texts[i].text);
    for (int i = 0; i < s->set_count; i++) free(s->sets[i]);
    sp__buffer_free(NULL, &s->hello.text), sp__buffer_free(NULL, &s->scratch), sp__buffer_free(NULL, &s->log);
    sp__buffer_free(NULL, &s->samples.text);
    for (int i = 0; s->mailbox && i < s->mail_count; i++) free(s->mailbox[(s->mail_first + i) % SP_MAILBOX].upload);
    free(s->mailbox), free(s->pins), free(s->numbers);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->called), pthread_cond_destroy(&s->released);
    free(s);
}

static const char *recording_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

sp_sim *sp__sim_start(const sp_sim_def *def, char *why) {
    sp_sim *s = calloc(1, sizeof *s);
    snprintf(why, SP_SIM_WHY, "out of memory");
    if (!s) return NULL;
    s->def = *def;
    s->scene = -1, s->newest = -1, s->speed = 1, s->threads = def->threads;
    s->messages_end = &s->messages;
    s->mailbox = calloc(SP_MAILBOX, sizeof *s->mailbox);
    s->pins = calloc(SP_PINS_MAX, sizeof *s->pins);
    bool good = make_locks(s) && s->mailbox && s->pins;
    if (good && def->recording)
        good = sp__sim_replay_open(s, def->recording, recording_name(def->recording), why);
    else if (good && def->scene >= 0)
        good = sp__sim_open(s, def->scene, why);
    if (good && def->resume) snprintf(s->base, sizeof s->base, "%s", def->resume), s->base_used = true;
    if (good) s->playing = def->playing, s->shown.playing = s->playing, sp__sim_make_hello(s);
    if (!good || pthread_create(&s->thread, NULL, sim_simulate, s) != 0) {
        free_sim(s);
        return NULL;
    }
    why[0] = 0;
    return s;
}

void sp__sim_stop(sp_sim **sim) {
    sp_sim *s = *sim;
    if (!s) return;
    *sim = NULL;
    pthread_mutex_lock(&s->lock);
    s->quit = true;
    pthread_cond_signal(&s->called);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    free_sim(s);
}

static bool post(sp_sim *s, const sp_sim_command *c, int capacity) {
    pthread_mutex_lock(&s->lock);
    bool good = s->mail_count < capacity;
    if (good) s->mailbox[(s->mail_first + s->mail_count++) % SP_MAILBOX] = *c;
    pthread_cond_signal(&s->called);
    pthread_mutex_unlock(&s->lock);
    return good;
}

// the last entries are reserved for leave commands, of which there are never more than clients
bool sp__sim_post(sp_sim *s, uint32_t client, const sp_message *message) {
    sp_sim_command c = {.client = client, .message = *message};
    return post(s, &c, SP_MAILBOX - 256);
}

bool sp__sim_post_scene(sp_sim *s, uint32_t client, const char *name, const char *text, size_t size) {
    sp_sim_command c = {.client = client, .message = {.type = SP_MESSAGE_SCENE, .given = SP_GIVEN_ID, .id = client}};
    c.upload = malloc(sizeof *c.upload + size + 1);
    if (!c.upload) return false;
    snprintf(c.upload->name, sizeof c.upload->name, "%s", name);
    c.upload->size = size;
    memcpy(c.upload->text, text, size);
    c.upload->text[size] = 0;
    bool good = post(s, &c, SP_MAILBOX - 256);
    if (!good) free(c.upload);
    return good;
}

void sp__sim_leave(sp_sim *s, uint32_t client) {
    sp_sim_command c = {.client = client, .leave = true};
    post(s, &c, SP_MAILBOX);
}

bool sp__cuts_equal(const sp_sim_cut *a, const sp_sim_cut *b) {
    return a->colour == b->colour && memcmp(&a->plane, &b->plane, sizeof a->plane) == 0;
}

static bool has_new_cut(const sp_sim_want *now, const sp_sim_want *before) {
    for (int i = 0; i < now->cut_count; i++) {
        int k = 0;
        while (k < before->cut_count &&
               !(before->cuts[k].client == now->cuts[i].client && sp__cuts_equal(&before->cuts[k], &now->cuts[i])))
            k++;
        if (k == before->cut_count) return true;
    }
    return false;
}

void sp__sim_want(sp_sim *s, const sp_sim_want *want) {
    pthread_mutex_lock(&s->lock);
    bool more = (want->fields & ~s->want.fields) != 0 || (want->marks && !s->want.marks);
    s->cuts_changed = s->cuts_changed || has_new_cut(want, &s->want);
    s->want_changed = s->want_changed || more;
    s->want = *want;
    if (more || s->cuts_changed) pthread_cond_signal(&s->called);
    pthread_mutex_unlock(&s->lock);
}

void sp__sim_state(sp_sim *s, sp_sim_state *out) {
    pthread_mutex_lock(&s->lock);
    *out = s->shown;
    pthread_mutex_unlock(&s->lock);
}
