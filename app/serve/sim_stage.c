// Replacement of the run: another scene, the same scene from its start, or the same state with another time step, solver or
// number of threads. The new run is built before the old one is destroyed, so that a scene that cannot be built changes nothing.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "serve/sim_internal.h"

const sp_sim_body *sp__sim_body(const sp_sim *s, int64_t slot) {
    for (int i = 0; i < s->stage.body_count; i++)
        if (s->stage.bodies[i].id.slot == slot) return &s->stage.bodies[i];
    return NULL;
}

// ---------------------------------------------------------------------------------------------------- building

static void free_stage(sp_sim_stage *g) {
    free(g->bodies);
    sp_run_destroy(&g->run);
    sp_scene_destroy(&g->scene);
    sp_context_destroy(&g->context);
    *g = (sp_sim_stage){0};
}

// A spring that moves the whole body by a tenth of its size with about twice its weight, but not stiffer than a part of the body
// of its own size: a strong pull at one point would invert soft elements.
static double suitable_pull(sp_world *w, const sp_snapshot_body *b, double mass) {
    double size = 0;
    sp_element_view elements;
    char path[128];
    sp_param_info young;
    for (int k = 0; k < 3; k++) {
        double low = 0, high = 0;
        for (int i = 0; i < b->surfaces[0].vertex_count; i++) {
            double x = b->surfaces[0].positions[3 * (size_t)i + (size_t)k];
            if (i == 0 || x < low) low = x;
            if (i == 0 || x > high) high = x;
        }
        if (high - low > size) size = high - low;
    }
    double pull = size > 0 ? 20 * mass * 9.81 / size : 0;
    snprintf(path, sizeof path, "%s.young", b->name);
    bool volume = sp_world_elements(w, b->id, NULL, &elements) >= 0 && elements.type == SP_ELEMENT_TET4;
    if (volume && sp_world_param(w, path, &young) >= 0 && young.value > 0) pull = fmin(pull, 0.5 * young.value * size);
    return pull > 1e-9 && pull < 1e12 ? pull : 100;
}

static bool fill_body(sp_sim_stage *g, const sp_snapshot_body *b) {
    sp_body_info info;
    sp_body_measures measures;
    if (sp_world_body_info(g->world, b->id, &info) < 0 || sp_world_body_measure(g->world, b->id, &measures) < 0) return false;
    sp_sim_body *own = &g->bodies[g->body_count++];
    *own = (sp_sim_body){.id = b->id, .soft = info.nodes > 0};
    own->pull = suitable_pull(g->world, b, measures.mass);
    return true;
}

static bool fill_bodies(sp_sim_stage *g) {
    if (sp_world_publish(g->world) < 0) return false;
    const sp_snapshot *snapshot = sp_world_snapshot_acquire(g->world);
    g->bodies = calloc(snapshot ? (size_t)snapshot->body_count + 1 : 1, sizeof *g->bodies);
    bool good = snapshot && g->bodies;
    for (int i = 0; good && i < snapshot->body_count; i++) good = fill_body(g, &snapshot->bodies[i]);
    sp_world_snapshot_release(g->world, snapshot);
    return good;
}

// the first error of the scene, or the error of the context
static void explain_failure(const sp_sim_stage *g, sp_status status, char *why) {
    for (int i = 0; g->scene && i < sp_scene_message_count(g->scene); i++) {
        sp_scene_message m;
        if (sp_scene_message_at(g->scene, i, &m) < 0 || m.severity != SP_SEVERITY_ERROR) continue;
        int n = snprintf(why, SP_SIM_WHY, "%.120s: ", m.file ? m.file : "");
        if (m.line > 0) n = snprintf(why, SP_SIM_WHY, "%.120s:%d: ", m.file ? m.file : "", m.line);
        snprintf(why + n, (size_t)(SP_SIM_WHY - n), "%.250s", m.text);
        return;
    }
    const sp_error *e = g->context ? sp_context_error(g->context) : NULL;
    snprintf(why, SP_SIM_WHY, "%.390s", e && e->status == status && e->message[0] ? e->message : sp_status_text(status));
}

static sp_status build(sp_sim *s, int scene, int threads, sp_sim_stage *g) {
    const char *sets[SP_SETS_MAX + 256];
    sp_context_def def = sp_context_def_default();
    sp_scene_options o = sp_scene_options_default();
    sp_run_options r = sp_run_options_default();
    int n = 0;
    def.workers = threads;
    // values of the command line belong to the initial scene
    for (int i = 0; scene == s->def.scene && i < s->def.set_count && i < 256; i++) sets[n++] = s->def.sets[i];
    for (int i = 0; i < s->set_count; i++) sets[n++] = s->sets[i];
    o.sets = sets, o.set_count = n;
    o.allow_paths = s->def.allow, o.allow_count = s->def.allow_count;
    r.endless = true, r.backend = s->def.backend;
    sp_status status = sp_context_create(&def, &g->context);
    if (status >= 0) status = sp_scene_load(g->context, s->def.gallery->scenes[scene].path, &o, &g->scene);
    if (status >= 0) status = sp_run_create(g->scene, &r, &g->run);
    if (status < 0) return status;
    g->world = sp_run_world(g->run);
    return fill_bodies(g) ? SP_OK : SP_NO_MEMORY;
}

// ---------------------------------------------------------------------------------------------------- replacing

static void forget_drags(sp_sim *s) {
    memset(s->drags, 0, sizeof s->drags);
    s->has_watched = false;
}

static void stage_install(sp_sim *s, sp_sim_stage *g, int scene, bool go_on) {
    char name[64], why[SP_SIM_WHY];
    if (s->recording && sp__sim_record_stop(s, name, why)) sp__sim_event(s, "info", "recording ended: files/%s", name);
    sp__sim_retire_frames(s);
    free_stage(&s->stage);
    s->stage = *g;
    s->scene = scene;
    s->generation++;
    s->failed[0] = 0;
    s->steps_left = 0;
    if (!go_on) forget_drags(s), s->pin_count = 0;
    double time = sp_world_time(g->world);
    s->timings = (sp_sim_timings){.since_ms = sp__now_ms(), .from_time = time};
    s->due_ms = s->stats_ms = sp__now_ms();
    pthread_mutex_lock(&s->lock);
    s->shown.generation = s->generation, s->shown.failed = false;
    s->shown.step = sp_world_steps(g->world), s->shown.hash = sp_world_hash(g->world), s->shown.time = time;
    pthread_mutex_unlock(&s->lock);
    sp__sim_make_hello(s);
    sp__sim_make_frame(s);
    if (s->def.wake) s->def.wake(s->def.user);
}

static sp_sim_version version_of(const sp_sim *s, int scene) {
    struct stat at;
    if (scene < 0 || stat(s->def.gallery->scenes[scene].path, &at) != 0) return (sp_sim_version){-1, -1, -1};
    return (sp_sim_version){at.st_mtim.tv_sec, at.st_mtim.tv_nsec, at.st_size};
}

static bool same_version(sp_sim_version a, sp_sim_version b) {
    return a.seconds == b.seconds && a.nanoseconds == b.nanoseconds && a.size == b.size;
}

// builds, transfers the old state if requested, replaces
static bool stage_replace(sp_sim *s, int scene, int threads, bool go_on, char *why) {
    sp_sim_stage g = {0};
    sp_sim_version version = version_of(s, scene);
    sp_status status = build(s, scene, threads, &g);
    if (status >= 0 && go_on) {
        status = sp_run_adopt(g.run, s->stage.run);
        if (status >= 0) status = sp_world_publish(g.world);
    }
    if (status < 0) {
        explain_failure(&g, status, why);
        free_stage(&g);
        return false;
    }
    s->threads = threads;
    s->built = s->seen = version;
    stage_install(s, &g, scene, go_on);
    return true;
}

static void forget_sets(sp_sim *s, int from) {
    for (int i = from; i < s->set_count; i++) free(s->sets[i]);
    if (s->set_count > from) s->set_count = from;
}

bool sp__sim_open(sp_sim *s, int scene, char *why) {
    char *old[SP_SETS_MAX];
    int old_count = s->set_count;
    memcpy(old, s->sets, sizeof old);
    s->set_count = 0;
    if (!stage_replace(s, scene, s->threads, false, why)) {
        memcpy(s->sets, old, sizeof old);
        s->set_count = old_count;
        return false;
    }
    for (int i = 0; i < old_count; i++) free(old[i]);
    s->kept_count = 0;
    sp__sim_log_restart(s, false);
    sp__sim_make_hello(s);
    return true;
}

static void queue_kept(sp_sim *s) {
    for (int i = 0; i < s->kept_count; i++) {
        sp_edit e = sp_edit_default(SP_EDIT_PARAM);
        memcpy(e.path, s->kept[i].path, sizeof e.path);
        e.value = s->kept[i].value;
        sp_world_queue(s->stage.world, &e);
    }
}

bool sp__sim_restart(sp_sim *s, bool keep, char *why) {
    if (!s->stage.run) return snprintf(why, SP_SIM_WHY, "no scene is open"), false;
    if (!stage_replace(s, s->scene, s->threads, false, why)) return false;
    if (!keep) s->kept_count = 0;
    queue_kept(s);
    sp__sim_log_restart(s, false);
    sp__sim_make_hello(s);
    return true;
}

// A file that is the same at two looks is no longer being written. One that cannot be built is reported, and the simulation goes
// on. Files that the scene includes are not watched.
void sp__sim_watch(sp_sim *s) {
    char why[SP_SIM_WHY];
    if (!s->stage.run || sp__now_ms() - s->watch_ms < SP_WATCH_MS) return;
    s->watch_ms = sp__now_ms();
    sp_sim_version now = version_of(s, s->scene), before = s->seen;
    s->seen = now;
    if (now.size < 0 || !same_version(now, before) || same_version(now, s->built)) return;
    s->built = now;
    const char *path = s->def.gallery->scenes[s->scene].path;
    if (sp__sim_restart(s, false, why))
        sp__sim_event(s, "info", "%s has changed: it starts again", path);
    else
        sp__sim_event(s, "error", "%s has changed, the old version is kept: %s", path, why);
}

// ---------------------------------------------------------------------------------------------------- changing

// Keeps one value per path, the last one.
static bool add_set(sp_sim *s, const char *set, char *why) {
    size_t head = strcspn(set, "=") + 1;
    for (int i = 0; i < s->set_count; i++) {
        if (strncmp(s->sets[i], set, head) != 0) continue;
        free(s->sets[i]);
        memmove(s->sets + i, s->sets + i + 1, (size_t)(s->set_count - i - 1) * sizeof *s->sets);
        s->set_count--;
        break;
    }
    if (s->set_count == SP_SETS_MAX) return snprintf(why, SP_SIM_WHY, "more than %d values are set", SP_SETS_MAX), false;
    s->sets[s->set_count] = strdup(set);
    if (!s->sets[s->set_count]) return snprintf(why, SP_SIM_WHY, "out of memory"), false;
    s->set_count++;
    return true;
}

static bool copy_sets(const sp_sim *s, char **out) {
    for (int i = 0; i < s->set_count; i++) {
        if ((out[i] = strdup(s->sets[i]))) continue;
        while (i > 0) free(out[--i]);
        return false;
    }
    return true;
}

bool sp__sim_change(sp_sim *s, const char *set, int threads, bool go_on, char *why) {
    char *old[SP_SETS_MAX];
    int old_count = s->set_count;
    if (!s->stage.run) return snprintf(why, SP_SIM_WHY, "no scene is open"), false;
    if (!copy_sets(s, old)) return snprintf(why, SP_SIM_WHY, "out of memory"), false;
    bool good = !set || add_set(s, set, why);
    if (good) good = stage_replace(s, s->scene, threads > 0 ? threads : s->threads, go_on, why);
    if (!good) {
        // restores the previous values
        forget_sets(s, 0);
        memcpy(s->sets, old, sizeof old);
        s->set_count = old_count;
        return false;
    }
    for (int i = 0; i < old_count; i++) free(old[i]);
    if (!go_on) queue_kept(s);
    // a change of threads alone does not change the results: the log continues
    if (set) sp__sim_log_restart(s, go_on);
    sp__sim_make_hello(s);
    return true;
}

void sp__sim_close(sp_sim *s) {
    char name[64], why[SP_SIM_WHY];
    if (s->recording) sp__sim_record_stop(s, name, why);
    sp__sim_log_restart(s, false);
    sp__sim_retire_frames(s);
    free_stage(&s->stage);
    sp__client_view_free(&s->recorded_view);
}
