// Messages of the simulation: reliable notes (answers, events, changes), and the hello for new clients.
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/sim_internal.h"

// ---------------------------------------------------------------------------------------------------- notes

// if too many are unread, the oldest is dropped
static void forget_oldest(sp_sim *s) {
    sp_sim_message *oldest = s->messages;
    s->messages = oldest->next;
    if (!s->messages) s->messages_end = &s->messages;
    s->message_count--;
    free(oldest);
}

static void sim_say(sp_sim *s, uint32_t client, const char *text, size_t size) {
    sp_sim_message *n = malloc(sizeof *n + size);
    if (!n) return;
    *n = (sp_sim_message){.client = client, .size = size};
    memcpy(n->text, text, size);
    pthread_mutex_lock(&s->lock);
    if (s->message_count >= SP_NOTES_MAX) forget_oldest(s);
    *s->messages_end = n;
    s->messages_end = &n->next;
    s->message_count++;
    pthread_mutex_unlock(&s->lock);
}

bool sp__sim_next_message(sp_sim *s, uint32_t *client, sp_buffer *out) {
    pthread_mutex_lock(&s->lock);
    sp_sim_message *n = s->messages;
    if (n) {
        out->size = 0;
        *client = n->client;
        sp__buffer_add(NULL, out, n->text, n->size);
        forget_oldest(s);
    }
    pthread_mutex_unlock(&s->lock);
    return n != NULL;
}

// A JSON text under construction: output to j.file goes to memory.
typedef struct text {
    sp_json j;
    char *data;
    size_t size;
} text;

static bool text_open(text *t) {
    *t = (text){0};
    t->j.file = open_memstream(&t->data, &t->size);
    if (t->j.file) sp__json_open(&t->j, NULL, '{');
    return t->j.file != NULL;
}

static void text_say(text *t, sp_sim *s, uint32_t client) {
    sp__json_close(&t->j, '}');
    if (fclose(t->j.file) == 0) sim_say(s, client, t->data, t->size);
    free(t->data);
}

static void text_id(text *t, const sp_message *m) {
    if (m->given & SP_GIVEN_ID)
        sp__json_integer(&t->j, "id", (long long)m->id);
    else
        sp__json_text(&t->j, "id", NULL);
}

// what the reader has to say about the scene that was built last
static void put_problems(const sp_sim *s, sp_json *j) {
    if (!s->problem_count) return;
    sp__json_open(j, "messages", '[');
    for (int i = 0; i < s->problem_count; i++) {
        const sp_sim_problem *p = &s->problems[i];
        sp__json_open(j, NULL, '{');
        sp__json_text(j, "severity", p->error ? "error" : "warning");
        sp__json_text(j, "file", p->file);
        sp__json_integer(j, "line", p->line);
        sp__json_text(j, "text", p->text);
        sp__json_close(j, '}');
    }
    sp__json_close(j, ']');
}

// a message without an id gets an answer only if it is refused
void sp__sim_answer(sp_sim *s, uint32_t client, const sp_message *m, const char *why) {
    text t;
    if ((!why && !(m->given & SP_GIVEN_ID)) || !text_open(&t)) return;
    sp__json_text(&t.j, "type", why ? "refused" : "ok");
    text_id(&t, m);
    if (why) sp__json_text(&t.j, "why", why);
    put_problems(s, &t.j);
    text_say(&t, s, client);
}

void sp__sim_answer_picked(sp_sim *s, uint32_t client, const sp_message *m, const sp_sim_drag *hand) {
    text t;
    if (!(m->given & SP_GIVEN_ID) || !text_open(&t)) return;
    sp__json_text(&t.j, "type", "ok");
    text_id(&t, m);
    sp__sim_put_picked(s, hand, &t.j);
    text_say(&t, s, client);
}

void sp__sim_answer_file(sp_sim *s, uint32_t client, const sp_message *m, const char *name, const char *command) {
    text t;
    char file[128];
    if (!text_open(&t)) return;
    snprintf(file, sizeof file, "files/%s", name);
    sp__json_text(&t.j, "type", "ok");
    text_id(&t, m);
    sp__json_text(&t.j, "file", file);
    if (command) sp__json_text(&t.j, "command", command);
    text_say(&t, s, client);
}

void sp__sim_answer_name(sp_sim *s, uint32_t client, const sp_message *m, const char *name) {
    text t;
    if (!(m->given & SP_GIVEN_ID) || !text_open(&t)) return;
    sp__json_text(&t.j, "type", "ok");
    text_id(&t, m);
    sp__json_text(&t.j, "name", name);
    text_say(&t, s, client);
}

static void say_event(sp_sim *s, const char *severity, const char *words, bool problems) {
    text t;
    if (!text_open(&t)) return;
    sp__json_text(&t.j, "type", "event");
    sp__json_integer(&t.j, "step", s->stage.world ? (long long)sp_world_steps(s->stage.world) : 0);
    sp__json_number(&t.j, "time", s->stage.world ? sp_world_time(s->stage.world) : 0);
    sp__json_text(&t.j, "severity", severity);
    sp__json_text(&t.j, "text", words);
    if (problems) put_problems(s, &t.j);
    text_say(&t, s, 0);
}

void sp__sim_event(sp_sim *s, const char *severity, const char *format, ...) {
    char words[SP_SIM_WHY + 100];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    say_event(s, severity, words, false);
}

void sp__sim_event_problems(sp_sim *s, const char *words) {
    say_event(s, "error", words, true);
}

void sp__sim_send_param(sp_sim *s, const char *path, double value) {
    text t;
    if (!text_open(&t)) return;
    sp__json_text(&t.j, "type", "params");
    sp__json_open(&t.j, "params", '[');
    sp__json_open(&t.j, NULL, '{');
    sp__json_text(&t.j, "path", path);
    sp__json_number(&t.j, "value", value);
    sp__json_close(&t.j, '}');
    sp__json_close(&t.j, ']');
    text_say(&t, s, 0);
    s->hello_old = true;
}

static void put_state(const sp_sim *s, sp_json *j) {
    const sp_sim_stage *g = &s->stage;
    int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    sp__json_yes(j, "playing", s->playing);
    sp__json_number(j, "speed", s->speed);
    sp__json_number(j, "dt", g->run ? sp_run_dt(g->run) : NAN);
    sp__json_integer(j, "threads", s->threads > 0 ? s->threads : cores);
    sp__json_integer(j, "threads_max", cores);
    uint64_t step = g->recording ? g->at.step : g->world ? sp_world_steps(g->world) : 0;
    sp__json_integer(j, "step", (long long)step);
    sp__json_number(j, "time", g->recording ? g->at.time : g->world ? sp_world_time(g->world) : 0);
    sp__json_yes(j, "recording", s->recorder != NULL);
    sp__json_text(j, "failed", s->failed[0] ? s->failed : NULL);
}

void sp__sim_send_state(sp_sim *s) {
    text t;
    pthread_mutex_lock(&s->lock);
    s->shown.playing = s->playing, s->shown.failed = s->failed[0] != 0;
    pthread_mutex_unlock(&s->lock);
    if (!text_open(&t)) return;
    sp__json_text(&t.j, "type", "state");
    put_state(s, &t.j);
    text_say(&t, s, 0);
    s->hello_old = true;
}

// ---------------------------------------------------------------------------------------------------- hello

// version 0: not sent
static void put_scene(sp_json *j, const char *key, int number, const char *group, const char *path, const char *title,
                      int version) {
    sp__json_open(j, key, '{');
    sp__json_integer(j, "number", number);
    sp__json_text(j, "group", group);
    sp__json_text(j, "path", path);
    sp__json_text(j, "title", title);
    if (version) sp__json_integer(j, "version", version);
    sp__json_close(j, '}');
}

static void put_listed(const sp_gallery *g, int number, int version, sp_json *j, const char *key) {
    put_scene(j, key, number, g->scenes[number].group, g->scenes[number].path, g->scenes[number].title, version);
}

static void put_scenes(const sp_sim *s, sp_json *j) {
    const sp_gallery *g = s->def.gallery;
    if (s->stage.recording) {
        // the scene in the recording, which the gallery need not have
        sp_scene_info from;
        sp_scene_get(s->stage.scene, &from);
        put_scene(j, "scene", -1, "", from.file, sp_scene_name(s->stage.scene), 0);
    } else if (s->scene >= 0) {
        put_listed(g, s->scene, s->scene_version, j, "scene");
    } else {
        sp__json_text(j, "scene", NULL);
    }
    sp__json_open(j, "scenes", '[');
    for (int i = 0; i < g->count; i++) put_listed(g, i, 0, j, NULL);
    sp__json_close(j, ']');
}

static void put_replay(const sp_sim *s, sp_json *j) {
    const sp_sim_stage *g = &s->stage;
    sp_recording_frame first = {0}, last = {0};
    if (!g->recording) {
        sp__json_text(j, "replay", NULL);
        return;
    }
    sp_recording_frame_at(g->recording, 0, &first), sp_recording_frame_at(g->recording, g->frame_count - 1, &last);
    sp__json_open(j, "replay", '{');
    sp__json_text(j, "file", s->replay_name);
    sp__json_integer(j, "frames", g->frame_count);
    sp__json_number(j, "from", first.time);
    sp__json_number(j, "until", last.time);
    sp__json_close(j, '}');
}

// bodies that clients add have no look in the scene
static void put_look(const sp_run *run, sp_body_id body, int surface, bool added, sp_json *j) {
    sp_run_look look;
    sp_run_look_of(run, body, surface, &look);
    if (added) look.color[0] = 0.93, look.color[1] = 0.66, look.color[2] = 0.2;
    sp__json_open(j, "look", '{');
    sp__json_vector(j, "color", look.color, 3);
    sp__json_number(j, "opacity", look.opacity);
    sp__json_number(j, "roughness", look.roughness);
    sp__json_number(j, "metallic", look.metallic);
    sp__json_yes(j, "edges", look.edges);
    sp__json_close(j, '}');
}

static void put_surface(const sp_sim *s, const sp_snapshot_body *b, int surface, bool added, sp_json *j) {
    static const char *const words[] = {"visual", "collision", "mechanical", "interfaces"};
    const sp_snapshot_surface *v = &b->surfaces[surface];
    sp__json_open(j, NULL, '{');
    sp__json_integer(j, "surface", surface);
    sp__json_text(j, "name", v->name);
    sp__json_open(j, "roles", '[');
    for (int i = 0; i < 4; i++)
        if (v->roles & 1u << i) sp__json_text(j, NULL, words[i]);
    sp__json_close(j, ']');
    sp__json_integer(j, "vertices", v->vertex_count);
    sp__json_integer(j, "faces", v->face_count);
    sp__json_integer(j, "revision", v->revision);
    put_look(s->stage.run, b->id, surface, added, j);
    sp__json_close(j, '}');
}

static const char *solver_word(sp_solver_type type) {
    static const char *const words[] = {"auto", "cg", "pcg", "cholesky", "updated-cholesky", "dense", "block-tridiagonal"};
    return (unsigned)type < sizeof words / sizeof *words ? words[type] : "auto";
}

static void put_body(const sp_sim *s, const sp_snapshot_body *b, sp_json *j) {
    const sp_sim_body *own = sp__sim_body(s, b->id.slot);
    sp_body_info info;
    sp_body_measures now;
    if (!own || sp_world_body_info(s->stage.world, b->id, &info) < 0) return;
    if (sp_world_body_measure(s->stage.world, b->id, &now) < 0) return;
    bool cap;
    sp__json_open(j, NULL, '{');
    sp__json_integer(j, "body", b->id.slot);
    sp__json_text(j, "name", info.name);
    sp__json_text(j, "kind", info.kind);
    sp__json_integer(j, "nodes", info.nodes);
    sp__json_integer(j, "elements", info.elements);
    sp__json_number(j, "mass", now.mass);
    sp__json_number(j, "pull", own->moves ? own->pull : own->kinematic ? 0 : NAN);
    sp__json_yes(j, "added", own->added);
    sp__json_yes(j, "clipped", sp_run_clips(s->stage.run, b->id, &cap));
    sp__json_text(j, "solver", own->soft ? solver_word(info.solver.type) : NULL);
    sp__json_text(j, "solver_in_use", own->soft ? info.solve.solver : NULL);
    sp__json_text(j, "solver_why", own->soft && info.solver_why && info.solver_why[0] ? info.solver_why : NULL);
    const char *region;
    sp__json_open(j, "regions", '[');
    for (int i = 1; (region = sp_run_region_name(s->stage.run, b->id, i)); i++) sp__json_text(j, NULL, region);
    sp__json_close(j, ']');
    sp__json_open(j, "surfaces", '[');
    for (int i = 0; i < b->surface_count; i++) put_surface(s, b, i, own->added, j);
    sp__json_close(j, ']');
    sp__json_close(j, '}');
}

static void put_bodies(const sp_sim *s, sp_json *j) {
    sp_world *w = s->stage.world;
    const sp_snapshot *snapshot = w ? sp_world_snapshot_acquire(w) : NULL;
    sp__json_open(j, "bodies", '[');
    for (int i = 0; snapshot && i < snapshot->body_count; i++) put_body(s, &snapshot->bodies[i], j);
    sp__json_close(j, ']');
    sp_world_snapshot_release(w, snapshot);
}

void sp__sim_send_bodies(sp_sim *s) {
    text t;
    s->hello_old = true;
    if (!text_open(&t)) return;
    sp__json_text(&t.j, "type", "bodies");
    sp__json_integer(&t.j, "generation", s->generation);
    put_bodies(s, &t.j);
    text_say(&t, s, 0);
}

// how bodies touch each other; null: they do not
static void put_contact(const sp_sim *s, sp_json *j) {
    sp_contact_def def;
    bool any = s->stage.world && sp_world_get_contact(s->stage.world, &def);
    sp__json_text(j, "contact",
                  !any                                      ? NULL
                  : def.formulation == SP_CONTACT_PENALTY   ? "penalty"
                  : def.formulation == SP_CONTACT_PROXIMITY ? "proximity"
                                                            : "volume");
}

static void put_params(const sp_sim *s, sp_json *j) {
    sp_world *w = s->stage.world;
    sp__json_open(j, "params", '[');
    for (int i = 0; w && i < sp_world_param_count(w); i++) {
        sp_param_info p;
        if (sp_world_param_at(w, i, &p) < 0) continue;
        double value = p.value;
        // a value set while paused takes effect in the next step
        for (int k = 0; k < s->kept_count; k++)
            if (strcmp(s->kept[k].path, p.path) == 0) value = s->kept[k].value;
        sp__json_open(j, NULL, '{');
        sp__json_text(j, "path", p.path);
        sp__json_text(j, "unit", p.spec.unit);
        sp__json_number(j, "value", value);
        sp__json_number(j, "low", p.spec.edit_low);
        sp__json_number(j, "high", p.spec.edit_high);
        sp__json_text(j, "meaning", p.spec.label);
        sp__json_close(j, '}');
    }
    sp__json_close(j, ']');
}

// the solvers of this build, with their names in scenes
static void put_solvers(sp_json *j) {
    sp_scene_choice choice;
    sp__json_open(j, "solvers", '[');
    for (int i = 0; sp_scene_choice_at("solver", "type", i, &choice) >= 0; i++)
        if (choice.built) sp__json_text(j, NULL, choice.name);
    sp__json_close(j, ']');
}

static void put_fields(sp_json *j) {
    sp__json_open(j, "fields", '[');
    for (int i = 1; i < SP_FIELD_CODES; i++) {
        sp_field_info f;
        if (!sp__wire_field(i, &f)) continue;
        sp__json_open(j, NULL, '{');
        sp__json_text(j, "name", f.name);
        sp__json_integer(j, "code", i);
        sp__json_text(j, "label", f.label);
        sp__json_text(j, "unit", f.shown_unit);
        sp__json_number(j, "scale", f.shown_scale);
        sp__json_yes(j, "discrete", f.values != SP_VALUES_CONTINUOUS);
        sp__json_close(j, '}');
    }
    sp__json_close(j, ']');
}

// the clipping plane of the scene
static void put_clip(const sp_picture_def *d, sp_json *j) {
    if (!d->clip) {
        sp__json_text(j, "clip", NULL);
        return;
    }
    sp__json_open(j, "clip", '{');
    if (isnan(d->clip_point[0]))
        sp__json_text(j, "point", NULL);
    else
        sp__json_vector(j, "point", d->clip_point, 3);
    sp__json_vector(j, "normal", d->clip_normal, 3);
    sp__json_close(j, '}');
}

static void put_view(const sp_sim *s, sp_json *j) {
    sp_picture_def d = s->stage.run ? sp_run_picture(s->stage.run) : sp_picture_def_default();
    if (s->stage.recording) sp_run_picture_set_time(s->stage.run, s->stage.at.time, &d);
    sp__json_open(j, "view", '{');
    sp__json_text(j, "colour", d.color_by && sp__wire_field_code(d.color_by) > 0 ? d.color_by : NULL);
    sp__json_vector(j, "background", d.background, 3);
    sp__json_vector(j, "range", d.range, 2);
    put_clip(&d, j);
    sp__json_yes(j, "interfaces", d.interfaces);
    sp__json_yes(j, "contacts", d.contacts);
    if (d.fitted) {
        sp__json_text(j, "camera", NULL);
    } else {
        sp__json_open(j, "camera", '{');
        sp__json_vector(j, "at", d.at, 3);
        sp__json_vector(j, "to", d.to, 3);
        sp__json_vector(j, "up", d.up, 3);
        sp__json_number(j, "fov", d.fov);
        sp__json_close(j, '}');
    }
    sp__json_close(j, '}');
}

void sp__sim_make_hello(sp_sim *s) {
    text t;
    s->hello_old = false;
    s->hello_ms = sp__now_ms();
    if (!text_open(&t)) return;
    sp__json_text(&t.j, "version", SP_VERSION_TEXT);
    sp__json_integer(&t.j, "generation", s->generation);
    put_scenes(s, &t.j);
    put_replay(s, &t.j);
    sp__json_open(&t.j, "state", '{');
    put_state(s, &t.j);
    sp__json_close(&t.j, '}');
    put_bodies(s, &t.j);
    put_contact(s, &t.j);
    put_params(s, &t.j);
    sp__sim_put_probes(s, &t.j);
    put_solvers(&t.j);
    put_fields(&t.j);
    sp__json_open(&t.j, "stages", '[');
    for (int i = 0; i < SP_STAGE_COUNT; i++) sp__json_text(&t.j, NULL, sp_stage_name((sp_stage)i));
    sp__json_close(&t.j, ']');
    put_view(s, &t.j);
    sp__json_close(&t.j, '}');
    if (fclose(t.j.file) == 0) {
        pthread_mutex_lock(&s->lock);
        s->hello.text.size = 0;
        // the server writes the opening bracket and adds the rest
        sp__buffer_add(NULL, &s->hello.text, t.data + 1, t.size - 1);
        s->hello_generation = s->generation;
        pthread_mutex_unlock(&s->lock);
    }
    free(t.data);
}

uint32_t sp__sim_hello(sp_sim *s, sp_buffer *out) {
    pthread_mutex_lock(&s->lock);
    sp__buffer_add(NULL, out, s->hello.text.data, s->hello.text.size);
    uint32_t generation = s->hello_generation;
    pthread_mutex_unlock(&s->lock);
    return generation;
}

uint32_t sp__sim_generation(sp_sim *s) {
    pthread_mutex_lock(&s->lock);
    uint32_t generation = s->hello_generation;
    pthread_mutex_unlock(&s->lock);
    return generation;
}
