// A recording instead of the simulation: its scene is built once more, and its frames are put into that world. Surfaces, looks,
// colours by fields and views are then those of a simulation, for every client. The simulation is kept and waits.
#include <math.h>
#include <string.h>

#include "serve/sim_internal.h"

static double replay_time(const sp_sim_stage *g, int frame) {
    sp_recording_frame f = {0};
    sp_recording_frame_at(g->recording, frame, &f);
    return f.time;
}

static sp_status show_frame(sp_sim_stage *g, int frame) {
    sp_recording_frame at;
    sp_status status = sp_recording_frame_at(g->recording, frame, &at);
    if (status >= 0) status = sp_recording_show(g->recording, frame, g->run);
    if (status >= 0) g->frame = frame, g->at = at;
    return status;
}

static sp_status build(const sp_sim *s, const char *path, sp_sim_stage *g) {
    sp_context_def def = sp_context_def_default();
    sp_scene_options o = sp_scene_options_default();
    sp_run_options r = sp_run_options_default();
    sp_recording_info info = {0};
    def.workers = s->threads;
    o.allow_paths = s->def.allow, o.allow_count = s->def.allow_count;
    r.endless = true, r.backend = s->def.backend;
    sp_status status = sp_context_create(&def, &g->context);
    if (status >= 0) status = sp_recording_open(g->context, path, &g->recording);
    if (status >= 0) sp_recording_get(g->recording, &info);
    g->frame_count = info.frame_count;
    if (status >= 0) status = sp_recording_scene(g->recording, &o, &g->scene);
    if (status >= 0) status = sp_run_create(g->scene, &r, &g->run);
    if (status < 0) return status;
    g->world = sp_run_world(g->run);
    for (int i = 0; i < sp_world_body_count(g->world); i++)
        if (sp_world_body_id(g->world, i).slot > g->last_slot) g->last_slot = sp_world_body_id(g->world, i).slot;
    if (g->frame_count > 0) status = show_frame(g, 0);
    if (status >= 0 && !sp__sim_fill_bodies(g)) status = SP_NO_MEMORY;
    return status;
}

bool sp__sim_replay_open(sp_sim *s, const char *path, const char *name, char *why) {
    sp_sim_stage g = {0};
    sp_status status = build(s, path, &g);
    if (status < 0 || !g.frame_count) {
        if (status < 0)
            sp__sim_explain(s, &g, status, why);
        else
            snprintf(why, SP_SIM_WHY, "%.300s: there is no frame in it", path);
        sp__sim_free_stage(&g);
        return false;
    }
    sp__sim_leave_stage(s);
    if (s->stage.recording)
        sp__sim_free_stage(&s->stage);
    else
        s->live = s->stage, s->live_pins = s->pin_count, s->live_kept = s->kept_count;
    s->pin_count = s->kept_count = 0;
    s->playing = false;
    snprintf(s->replay_name, sizeof s->replay_name, "%s", name);
    sp__sim_install(s, &g, false);
    return true;
}

bool sp__sim_replay_close(sp_sim *s, char *why) {
    if (!s->stage.recording) return snprintf(why, SP_SIM_WHY, "no recording is shown"), false;
    sp_sim_stage live = s->live;
    sp__sim_leave_stage(s);
    sp__sim_free_stage(&s->stage);
    s->live = (sp_sim_stage){0};
    s->playing = false;
    s->pin_count = s->live_pins, s->kept_count = s->live_kept;
    sp__sim_install(s, &live, true);
    return true;
}

// a frame has bodies that the one before does not have, or the other way round
static bool bodies_differ(const sp_sim_stage *g) {
    if (sp_world_body_count(g->world) != g->body_count) return true;
    for (int i = 0; i < g->body_count; i++)
        if (sp_world_body_id(g->world, i).slot != g->bodies[i].id.slot) return true;
    return false;
}

// a frame that cannot be read stops the replay; what is shown stays
static bool go_to(sp_sim *s, int frame, char *why) {
    sp_status status = show_frame(&s->stage, frame);
    s->hello_old = true;
    if (bodies_differ(&s->stage) && sp__sim_fill_bodies(&s->stage)) sp__sim_send_bodies(s);
    if (status < 0) sp__sim_explain(s, &s->stage, status, why);
    pthread_mutex_lock(&s->lock);
    s->shown.step = s->stage.at.step, s->shown.hash = s->stage.at.hash, s->shown.time = s->stage.at.time;
    pthread_mutex_unlock(&s->lock);
    return status >= 0;
}

bool sp__sim_replay_seek(sp_sim *s, double time, char *why) {
    if (!s->stage.recording) return snprintf(why, SP_SIM_WHY, "no recording is shown"), false;
    int frame = sp_recording_nearest(s->stage.recording, time);
    s->due_ms = sp__now_ms();
    if (frame != s->stage.frame && !go_to(s, frame, why)) return false;
    sp__sim_show(s);
    return true;
}

void sp__sim_replay_play(sp_sim *s) {
    char why[SP_SIM_WHY];
    if (s->stage.frame < s->stage.frame_count - 1) return;
    if (go_to(s, 0, why)) sp__sim_show(s);
}

void sp__sim_replay_next(sp_sim *s) {
    sp_sim_stage *g = &s->stage;
    char why[SP_SIM_WHY];
    double now = sp__now_ms();
    int frame = g->frame, last = g->frame_count - 1;
    bool by_clock = s->playing && s->speed > 0 && s->steps_left == 0;
    if (s->due_ms < now - SP_LATE_MS) s->due_ms = now;
    do {
        if (frame < last) frame++;
        if (by_clock && frame < last) s->due_ms += 1e3 * (replay_time(g, frame + 1) - replay_time(g, frame)) / s->speed;
    } while (by_clock && frame < last && s->due_ms <= now);
    bool good = go_to(s, frame, why);
    if (!good) sp__sim_event(s, "error", "frame %d of the recording: %s", frame, why);
    bool stepped = s->steps_left > 0 && --s->steps_left == 0, ended = !good || frame == last;
    if (ended) s->playing = false, s->steps_left = 0;
    if (stepped || ended) sp__sim_send_state(s);
}
