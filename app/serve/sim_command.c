// Commands of clients, executed one by one between two steps. Each is answered: done, or refused with a reason.
#include <math.h>
#include <string.h>

#include "serve/sim_internal.h"

static bool command_refuse(char *why, const char *text) {
    snprintf(why, SP_SIM_WHY, "%.390s", text);
    return false;
}

// ---------------------------------------------------------------------------------------------------- time

static bool play(sp_sim *s, bool playing) {
    s->playing = playing, s->steps_left = 0;
    s->due_ms = sp__now_ms();
    s->timings.since_ms = s->stats_ms = s->due_ms;
    if (s->stage.world) s->timings.from_time = sp_world_time(s->stage.world);
    if (s->stage.recording && playing) sp__sim_replay_play(s);
    sp__sim_send_state(s);
    return true;
}

static bool command_step(sp_sim *s, const sp_message *m) {
    play(s, false);
    s->steps_left = (long)m->count;
    return true;
}

static bool set_speed(sp_sim *s, const sp_message *m) {
    s->speed = m->value;
    return play(s, s->playing);
}

static bool set_dt(sp_sim *s, const sp_message *m, char *why) {
    char set[64];
    snprintf(set, sizeof set, "dt=%.17g", m->value);
    return sp__sim_change(s, set, 0, true, why);
}

// ---------------------------------------------------------------------------------------------------- values

// values that a reset may keep, and that new clients receive
static void keep(sp_sim *s, const char *path, double value) {
    int at = 0;
    while (at < s->kept_count && strcmp(s->kept[at].path, path) != 0) at++;
    if (at == SP_KEPT_MAX) return;
    if (at == s->kept_count) s->kept_count++;
    snprintf(s->kept[at].path, sizeof s->kept[at].path, "%s", path);
    s->kept[at].value = value;
}

static bool set_param(sp_sim *s, uint32_t client, const char *path, double value, char *why) {
    sp_param_info p;
    sp_edit e = sp_edit_default(SP_EDIT_PARAM);
    e.source = client, e.value = value;
    snprintf(e.path, sizeof e.path, "%s", path);
    if (sp_world_param(s->stage.world, path, &p) < 0) {
        snprintf(why, SP_SIM_WHY, "there is no parameter \"%s\"", path);
        return false;
    }
    double low = p.spec.edit_low, high = p.spec.edit_high;
    if (!(value >= low && value <= high)) {
        snprintf(why, SP_SIM_WHY, "%s = %g, must be in [%g, %g]", path, value, low, high);
        return false;
    }
    if (sp_world_queue(s->stage.world, &e) < 0) return command_refuse(why, sp_world_error(s->stage.world)->message);
    keep(s, path, value);
    sp__sim_send_param(s, path, value);
    return true;
}

static bool set_gravity(sp_sim *s, uint32_t client, const sp_message *m, char *why) {
    static const char *const paths[] = {"gravity.x", "gravity.y", "gravity.z"};
    for (int i = 0; i < 3; i++)
        if (!set_param(s, client, paths[i], m->vector[i], why)) return false;
    return true;
}

// body names are those of the scene; copies that were merged into one body have one solver
static bool set_solver_of(sp_sim *s, const sp_sim_body *body, const char *solver, bool go_on, char *why) {
    sp_body_info info;
    char set[256];
    if (sp_world_body_info(s->stage.world, body->id, &info) < 0) return command_refuse(why, "the body no longer exists");
    snprintf(set, sizeof set, "%.120s.solver.type=%.100s", info.name, solver);
    return sp__sim_change(s, set, 0, go_on, why);
}

// a state contains data of its solver: if another solver cannot continue from it, the scene restarts
static bool set_solver(sp_sim *s, const sp_message *m, char *why) {
    char first[SP_SIM_WHY];
    int count = s->stage.body_count;
    bool found = false;
    for (int i = 0; i < count; i++) {
        const sp_sim_body *body = &s->stage.bodies[i];
        if (!body->soft || (m->body && m->body != body->id.slot)) continue;
        found = true;
        if (set_solver_of(s, body, m->text, true, first)) continue;
        if (!set_solver_of(s, &s->stage.bodies[i], m->text, false, why)) return false;
        sp__sim_event(s, "info", "the solver %s begins with the start of the scene: %s", m->text, first);
    }
    return found || command_refuse(why, "there is no soft body of that number");
}

static bool set_value(sp_sim *s, const sp_message *m, char *why) {
    char set[2 * SP_TEXT_MAX];
    if (strchr(m->path, '=')) return command_refuse(why, "a path holds no =");
    snprintf(set, sizeof set, "%s=%s", m->path, m->text);
    return sp__sim_change(s, set, 0, false, why);
}

static bool open_scene(sp_sim *s, const sp_message *m, char *why) {
    if (m->number < s->def.gallery->count) return sp__sim_open(s, (int)m->number, why);
    snprintf(why, SP_SIM_WHY, "scene = %lld, must be in [0, %d)", (long long)m->number, s->def.gallery->count);
    return false;
}

// ---------------------------------------------------------------------------------------------------- drags

// Picking: from a point on a face, as a client saw it, to a material point (anchor) of a body. It happens once at the start of a
// drag, which then keeps the anchor.

static const sp_snapshot_body *find_body(const sp_snapshot *snapshot, int64_t slot) {
    for (int i = 0; i < snapshot->body_count; i++)
        if (snapshot->bodies[i].id.slot == slot) return &snapshot->bodies[i];
    return NULL;
}

// revision: of the surface that the client saw, -1: unknown
static bool find_anchor(sp_world *w, const sp_snapshot *snapshot, const sp_face_point *p, int64_t revision, sp_anchor *out,
                        char *why) {
    const sp_snapshot_body *b = find_body(snapshot, p->body);
    if (!b || p->surface >= b->surface_count)
        return snprintf(why, SP_SIM_WHY, "body %lld has no surface %lld", (long long)p->body, (long long)p->surface), false;
    const sp_snapshot_surface *v = &b->surfaces[p->surface];
    if (revision >= 0 && revision != v->revision)
        return snprintf(why, SP_SIM_WHY, "revision %lld is not the one shown now, %u", (long long)revision, v->revision), false;
    if (p->face >= v->face_count)
        return snprintf(why, SP_SIM_WHY, "face = %lld, must be in [0, %d)", (long long)p->face, v->face_count), false;
    return sp_world_anchor_face(w, b->id, (int)p->surface, (int)p->face, p->weights, out) >= 0 ||
           (snprintf(why, SP_SIM_WHY, "no element is behind that face"), false);
}

static bool pick_shown(sp_sim *s, const sp_face_point *p, int64_t revision, sp_anchor *out, char *why) {
    const sp_snapshot *snapshot = sp_world_snapshot_acquire(s->stage.world);
    bool good = snapshot && find_anchor(s->stage.world, snapshot, p, revision, out, why);
    sp_world_snapshot_release(s->stage.world, snapshot);
    return good;
}

bool sp__sim_pick(sp_sim *s, const sp_face_point *point, sp_anchor *out, char *why) {
    return pick_shown(s, point, -1, out, why);
}

// whether the drag holds the point of the message
static bool drag_holds(const sp_sim_drag *h, uint32_t client, const sp_message *m) {
    if (!h->held || h->client != client) return false;
    return !(m->given & SP_GIVEN_POINT) || memcmp(&h->point, &m->point, sizeof h->point) == 0;
}

static bool drag_pick(sp_sim *s, const sp_message *m, sp_sim_drag *out, char *why) {
    const sp_sim_body *body = sp__sim_body(s, m->point.body);
    if (!body) return snprintf(why, SP_SIM_WHY, "there is no body %lld", (long long)m->point.body), false;
    if (!body->moves && !body->kinematic) return snprintf(why, SP_SIM_WHY, "a body that is fixed cannot be dragged"), false;
    *out = (sp_sim_drag){.body = body->id, .point = m->point};
    bool good = pick_shown(s, &m->point, m->given & SP_GIVEN_REVISION ? m->revision : -1, &out->anchor, why);
    // a body without rest positions counts displacements from the current one
    if (good && sp_world_anchor_rest(s->stage.world, &out->anchor, out->rest) < 0)
        sp_world_anchor_get(s->stage.world, &out->anchor, out->rest, NULL);
    return good;
}

static bool command_drag(sp_sim *s, uint32_t client, const sp_message *m, char *why) {
    sp_sim_drag *h = &s->drags[m->slot], picked;
    if (drag_holds(h, client, m)) {
        picked = *h;
    } else if (m->given & SP_GIVEN_POINT) {
        if (!drag_pick(s, m, &picked, why)) return false;
    } else {
        return command_refuse(why, "this slot has no drag: body, face and weights are needed");
    }
    const sp_sim_body *body = sp__sim_body(s, picked.body.slot);
    if (!body) return command_refuse(why, "the body no longer exists");
    if (m->stiffness > 0 || !picked.held) picked.stiffness = m->stiffness > 0 ? m->stiffness : body->pull;
    picked.held = true, picked.client = client;
    memcpy(picked.target, m->vector, sizeof picked.target);
    sp_edit e = sp_edit_default(SP_EDIT_DRAG);
    e.source = client, e.slot = (int)m->slot, e.anchor = picked.anchor, e.stiffness = picked.stiffness;
    memcpy(e.target, picked.target, sizeof e.target);
    // poses move a kinematic body before each step
    if (!body->kinematic && sp_world_queue(s->stage.world, &e) < 0)
        return command_refuse(why, sp_world_error(s->stage.world)->message);
    *h = picked;
    s->watched = picked, s->watched.held = false, s->has_watched = true;
    return true;
}

static void drop_drag(sp_sim *s, int slot) {
    sp_sim_drag *h = &s->drags[slot];
    if (!h->held) return;
    sp_edit e = sp_edit_default(SP_EDIT_DROP);
    const sp_sim_body *body = sp__sim_body(s, h->body.slot);
    e.source = h->client, e.slot = slot;
    if (body && !body->kinematic) sp_world_queue(s->stage.world, &e);
    h->held = false;
}

static bool drop(sp_sim *s, uint32_t client, const sp_message *m) {
    for (int i = 0; i < SP_DRAG_SLOTS; i++)
        if (s->drags[i].client == client && (!(m->given & SP_GIVEN_SLOT) || m->slot == i)) drop_drag(s, i);
    return true;
}

static void note_pin(sp_sim *s, sp_body_id body, int node, bool hold) {
    int at = 0;
    while (at < s->pin_count && (s->pins[at].body.slot != body.slot || s->pins[at].node != node)) at++;
    if (hold && at == s->pin_count && at < SP_PINS_MAX) s->pins[s->pin_count++] = (sp_sim_pin){body, node};
    if (!hold && at < s->pin_count) s->pins[at] = s->pins[--s->pin_count];
}

static bool pin(sp_sim *s, uint32_t client, const sp_message *m, char *why) {
    const sp_sim_body *body = sp__sim_body(s, m->body);
    bool hold = m->type == SP_MESSAGE_PIN;
    sp_field_info nodes;
    if (!body || !body->soft) return command_refuse(why, "there is no soft body of that number");
    if (sp_world_field_info(s->stage.world, body->id, "position", &nodes) < 0 || m->node >= nodes.count) {
        snprintf(why, SP_SIM_WHY, "node = %lld, must be in [0, %d)", (long long)m->node, nodes.count);
        return false;
    }
    sp_edit e = sp_edit_default(hold ? SP_EDIT_PIN : SP_EDIT_RELEASE);
    e.source = client, e.body = body->id, e.node = (int)m->node;
    if (sp_world_queue(s->stage.world, &e) < 0) return command_refuse(why, sp_world_error(s->stage.world)->message);
    note_pin(s, body->id, (int)m->node, hold);
    return true;
}

// ---------------------------------------------------------------------------------------------------- recordings

// a recording in the folder of files: clients cannot name other places
static bool open_recording(sp_sim *s, const sp_message *m, char *why) {
    char path[SP_PATH];
    if (strchr(m->path, '/') || m->path[0] == '.') return command_refuse(why, "file: a plain name without a folder");
    if (s->recorder && strcmp(m->path, s->recording_name) == 0)
        return command_refuse(why, "this file is being recorded: stop the recording first");
    if (snprintf(path, sizeof path, "%s/%s", s->def.out, m->path) >= (int)sizeof path) return command_refuse(why, "a long path");
    for (int i = 0; i < SP_DRAG_SLOTS; i++) drop_drag(s, i);
    sp__sim_unprobe(s);
    return sp__sim_replay_open(s, path, m->text[0] ? m->text : m->path, why);
}

// what a recording can do; anything else would change the simulation, which is not shown
static bool do_replay(sp_sim *s, const sp_message *m, char *why) {
    switch (m->type) {
    case SP_MESSAGE_PLAY: return play(s, true);
    case SP_MESSAGE_PAUSE: return play(s, false);
    case SP_MESSAGE_STEP: return command_step(s, m);
    case SP_MESSAGE_SPEED: return set_speed(s, m);
    case SP_MESSAGE_RESET: return sp__sim_replay_seek(s, -INFINITY, why);
    case SP_MESSAGE_DROP:
    case SP_MESSAGE_UNPROBE: return true;
    case SP_MESSAGE_SCENE: return open_scene(s, m, why);
    default: return command_refuse(why, "a recording is shown, which cannot be changed: close it first");
    }
}

// ---------------------------------------------------------------------------------------------------- dispatch

static bool do_change(sp_sim *s, uint32_t client, const sp_message *m, char *why) {
    if (m->type == SP_MESSAGE_OPEN) return open_recording(s, m, why);
    if (m->type == SP_MESSAGE_SEEK) return sp__sim_replay_seek(s, m->value, why);
    if (m->type == SP_MESSAGE_CLOSE) return sp__sim_replay_close(s, why);
    if (s->stage.recording) return do_replay(s, m, why);
    if (!s->stage.run && m->type != SP_MESSAGE_SCENE && m->type != SP_MESSAGE_SPEED)
        return command_refuse(why, "no scene is open");
    switch (m->type) {
    case SP_MESSAGE_PLAY: return play(s, true);
    case SP_MESSAGE_PAUSE: return play(s, false);
    case SP_MESSAGE_STEP: return command_step(s, m);
    case SP_MESSAGE_RESET: return sp__sim_restart(s, m->keep, why);
    case SP_MESSAGE_SPEED: return set_speed(s, m);
    case SP_MESSAGE_DT: return set_dt(s, m, why);
    case SP_MESSAGE_GRAVITY: return set_gravity(s, client, m, why);
    case SP_MESSAGE_PARAM: return set_param(s, client, m->path, m->value, why);
    case SP_MESSAGE_SOLVER: return set_solver(s, m, why);
    case SP_MESSAGE_THREADS: return sp__sim_change(s, NULL, (int)m->threads, true, why);
    case SP_MESSAGE_SCENE: return open_scene(s, m, why);
    case SP_MESSAGE_SET: return set_value(s, m, why);
    case SP_MESSAGE_DRAG: return command_drag(s, client, m, why);
    case SP_MESSAGE_DROP: return drop(s, client, m);
    case SP_MESSAGE_PIN:
    case SP_MESSAGE_UNPIN: return pin(s, client, m, why);
    case SP_MESSAGE_THROW: return sp__sim_throw(s, client, m, why);
    case SP_MESSAGE_PROBE: return sp__sim_probe(s, client, m, why);
    case SP_MESSAGE_UNPROBE: return sp__sim_unprobe(s), true;
    case SP_MESSAGE_REMOVE: return sp__sim_remove(s, client, m, why);
    case SP_MESSAGE_ATTACH: return sp__sim_attach(s, client, m, why);
    case SP_MESSAGE_DETACH: return sp__sim_detach(s, client, m, why);
    default: return command_refuse(why, "not for the simulation");
    }
}

// commands that write a file
static void do_file(sp_sim *s, uint32_t client, const sp_message *m) {
    char why[SP_SIM_WHY] = "no scene is open", name[64] = "";
    sp_buffer command = {0};
    bool good = false, live = s->stage.run && !s->stage.recording;
    if (s->stage.recording) snprintf(why, sizeof why, "a recording is shown: close it first");
    if (m->type == SP_MESSAGE_RECORD && m->action == SP_ACTION_START && live) {
        good = sp__sim_record_start(s, why);
        sp__sim_answer(s, client, m, good ? NULL : why);
        sp__sim_send_state(s);
        return;
    }
    if (live && m->type == SP_MESSAGE_RECORD) good = sp__sim_record_stop(s, name, why), sp__sim_send_state(s);
    if (live && m->type == SP_MESSAGE_LOG) good = sp__sim_log_save(s, name, &command, why);
    if (live && m->type == SP_MESSAGE_DOWNLOAD) good = sp__sim_scene_save(s, name, why);
    if (command.size) sp__buffer_add(NULL, &command, "", 1);
    if (good)
        sp__sim_answer_file(s, client, m, name, command.size && !command.broken ? (const char *)command.data : NULL);
    else
        sp__sim_answer(s, client, m, why);
    sp__buffer_free(NULL, &command);
}

void sp__sim_command(sp_sim *s, const sp_sim_command *c) {
    char why[SP_SIM_WHY] = "";
    const sp_message *m = &c->message;
    if (c->leave) {
        for (int i = 0; i < SP_DRAG_SLOTS; i++)
            if (s->drags[i].client == c->client) drop_drag(s, i);
        if (s->probe.client == c->client) sp__sim_unprobe(s);
        return;
    }
    if (m->type == SP_MESSAGE_RECORD || m->type == SP_MESSAGE_LOG || m->type == SP_MESSAGE_DOWNLOAD) {
        do_file(s, c->client, m);
        return;
    }
    uint32_t generation = s->generation;
    s->problem_count = 0;
    bool good = c->upload ? sp__sim_open_upload(s, c->upload, why) : do_change(s, c->client, m, why);
    if (s->generation != generation) sp__sim_send_state(s);
    if (good && m->type == SP_MESSAGE_DRAG)
        sp__sim_answer_picked(s, c->client, m, &s->drags[m->slot]);
    else if (good && (m->type == SP_MESSAGE_THROW || (m->type == SP_MESSAGE_ATTACH && !(m->given & SP_GIVEN_NAME))))
        sp__sim_answer_name(s, c->client, m, s->tool_name);
    else
        sp__sim_answer(s, c->client, m, good ? NULL : why);
}
