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

static void free_bodies(sp_sim_body *bodies, int count) {
    for (int i = 0; i < count; i++) sp_section_destroy(&bodies[i].section);
    free(bodies);
}

void sp__sim_free_stage(sp_sim_stage *g) {
    free_bodies(g->bodies, g->body_count);
    sp_recording_close(&g->recording);
    sp_run_destroy(&g->run);
    sp_scene_destroy(&g->scene);
    sp_context_destroy(&g->context);
    *g = (sp_sim_stage){0};
}

// edges of the box around a body
static void body_box(const sp_snapshot_body *b, double size[3]) {
    for (int k = 0; k < 3; k++) {
        double low = 0, high = 0;
        for (int i = 0; i < b->surfaces[0].vertex_count; i++) {
            double x = b->surfaces[0].positions[3 * (size_t)i + (size_t)k];
            if (i == 0 || x < low) low = x;
            if (i == 0 || x > high) high = x;
        }
        size[k] = high - low;
    }
}

// A spring that moves the whole body by a tenth of its size with about twice its weight, but not stiffer than a part of the body
// of its own size: a strong pull at one point would invert soft elements.
static double suitable_pull(sp_world *w, const sp_snapshot_body *b, double size, double mass) {
    sp_element_view elements;
    char path[128];
    sp_param_info young;
    double pull = size > 0 ? 20 * mass * 9.81 / size : 0;
    snprintf(path, sizeof path, "%s.young", b->name);
    bool volume = sp_world_elements(w, b->id, NULL, &elements) >= 0 && elements.type == SP_ELEMENT_TET4;
    if (volume && sp_world_param(w, path, &young) >= 0 && young.value > 0) pull = fmin(pull, 0.5 * young.value * size);
    return pull > 1e-9 && pull < 1e12 ? pull : 100;
}

static bool fill_body(sp_sim_stage *g, const sp_snapshot_body *b) {
    sp_body_info info;
    sp_body_measures measures;
    bool cap;
    if (sp_world_body_info(g->world, b->id, &info) < 0 || sp_world_body_measure(g->world, b->id, &measures) < 0) return false;
    sp_sim_body *own = &g->bodies[g->body_count++];
    *own = (sp_sim_body){.id = b->id, .soft = info.nodes > 0, .moves = !info.prescribed, .kinematic = info.kinematic};
    own->added = g->last_slot && b->id.slot > g->last_slot;
    double box[3];
    body_box(b, box);
    const double size = fmax(box[0], fmax(box[1], box[2]));
    own->least = size;
    for (int k = 0; k < 3; k++)
        if (box[k] > 1e-6 * size) own->least = fmin(own->least, box[k]);  // a plane has no third edge
    own->pull = suitable_pull(g->world, b, size, measures.mass);
    own->clipped = sp_run_clips(g->run, b->id, &cap) && cap;
    return true;
}

// what is known of a body that stays
static void keep_body(sp_sim_body *now, sp_sim_body *before) {
    if (now->id.slot != before->id.slot || now->id.generation != before->id.generation) return;
    *now = *before;
    before->section = NULL;
}

bool sp__sim_fill_bodies(sp_sim_stage *g) {
    sp_sim_body *before = g->bodies;
    int count = g->body_count;
    if (sp_world_publish(g->world) < 0) return false;
    const sp_snapshot *snapshot = sp_world_snapshot_acquire(g->world);
    g->bodies = calloc(snapshot ? (size_t)snapshot->body_count + 1 : 1, sizeof *g->bodies);
    g->body_count = 0;
    bool good = snapshot && g->bodies;
    for (int i = 0; good && i < snapshot->body_count; i++) good = fill_body(g, &snapshot->bodies[i]);
    sp_world_snapshot_release(g->world, snapshot);
    for (int i = 0; good && i < g->body_count; i++)
        for (int k = 0; k < count; k++) keep_body(&g->bodies[i], &before[k]);
    free_bodies(before, count);
    return good;
}

// The messages of the scene, errors before warnings: the list has a limit.
static void collect_problems(sp_sim *s, const sp_sim_stage *g) {
    sp_scene_message m;
    s->problem_count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; g->scene && sp_scene_message_at(g->scene, i, &m) >= 0; i++) {
            bool error = m.severity == SP_SEVERITY_ERROR;
            if (error != (pass == 0) || s->problem_count == SP_PROBLEMS) continue;
            sp_sim_problem *p = &s->problems[s->problem_count++];
            *p = (sp_sim_problem){.error = error, .line = m.line > 0 ? m.line : 0};
            snprintf(p->file, sizeof p->file, "%s", m.file ? m.file : "");
            snprintf(p->text, sizeof p->text, "%s", m.text);
        }
}

void sp__sim_explain(sp_sim *s, const sp_sim_stage *g, sp_status status, char *why) {
    collect_problems(s, g);
    const sp_sim_problem *p = s->problems;
    if (s->problem_count && p->error) {
        int n = snprintf(why, SP_SIM_WHY, "%.120s: ", p->file);
        if (p->line > 0) n = snprintf(why, SP_SIM_WHY, "%.120s:%d: ", p->file, p->line);
        snprintf(why + n, (size_t)(SP_SIM_WHY - n), "%.250s", p->text);
        return;
    }
    const sp_error *e = g->context ? sp_context_error(g->context) : NULL;
    snprintf(why, SP_SIM_WHY, "%.390s", e && e->status == status && e->message[0] ? e->message : sp_status_text(status));
}

// A scene that a client sent is in the output folder, and the files that it names are in `base`.
static sp_status load_scene(const sp_gallery_scene *from, const sp_sim_upload *upload, const sp_scene_options *o,
                            sp_sim_stage *g) {
    char name[SP_PATH], why[SP_SIM_WHY];
    const char *slash = strrchr(from->path, '/');
    if (!from->base) return sp_scene_load(g->context, from->path, o, &g->scene);
    if (snprintf(name, sizeof name, "%s/%s", from->base, slash ? slash + 1 : from->path) >= (int)sizeof name) return SP_BAD_INPUT;
    if (upload) return sp_scene_parse(g->context, upload->text, upload->size, name, o, &g->scene);
    size_t size;
    char *text = sp__sim_read_file(from->path, &size, why);
    sp_status status = text ? sp_scene_parse(g->context, text, size, name, o, &g->scene) : SP_BAD_INPUT;
    free(text);
    return status;
}

static sp_status build(sp_sim *s, int scene, const sp_sim_upload *upload, int threads, sp_sim_stage *g) {
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
    if (s->scene < 0 && scene == s->def.scene) r.resume = s->def.resume;
    sp_status status = sp_context_create(&def, &g->context);
    if (status >= 0) status = load_scene(&s->def.gallery->scenes[scene], upload, &o, g);
    if (status >= 0) status = sp_run_create(g->scene, &r, &g->run);
    if (status < 0) return status;
    g->world = sp_run_world(g->run);
    if (!sp__sim_fill_bodies(g)) return SP_NO_MEMORY;
    for (int i = 0; i < g->body_count; i++)
        if (g->bodies[i].id.slot > g->last_slot) g->last_slot = g->bodies[i].id.slot;
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- replacing

static void forget_drags(sp_sim *s) {
    memset(s->drags, 0, sizeof s->drags);
    s->has_watched = false;
}

void sp__sim_leave_stage(sp_sim *s) {
    char name[64], why[SP_SIM_WHY];
    if (s->recorder && sp__sim_record_stop(s, name, why)) sp__sim_event(s, "info", "recording ended: files/%s", name);
    sp__sim_retire_frames(s);
}

void sp__sim_install(sp_sim *s, const sp_sim_stage *g, bool go_on) {
    s->stage = *g;
    s->generation++;
    s->failed[0] = 0;
    s->steps_left = 0;
    if (!go_on) forget_drags(s), s->pin_count = 0;
    double time = g->recording ? g->at.time : g->world ? sp_world_time(g->world) : 0;
    s->timings = (sp_sim_timings){.since_ms = sp__now_ms(), .from_time = time};
    s->due_ms = s->stats_ms = sp__now_ms();
    pthread_mutex_lock(&s->lock);
    s->shown.generation = s->generation, s->shown.failed = false;
    s->shown.step = g->recording ? g->at.step : g->world ? sp_world_steps(g->world) : 0;
    s->shown.hash = g->recording ? g->at.hash : g->world ? sp_world_hash(g->world) : 0;
    s->shown.time = time;
    pthread_mutex_unlock(&s->lock);
    sp__sim_forget_samples(s);
    sp__sim_take_samples(s);
    sp__sim_make_hello(s);
    if (g->world) sp__sim_make_frame(s);
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

// builds, transfers the old state if requested, saves the text that a client sent (nullable), replaces
static bool stage_replace(sp_sim *s, int scene, const sp_sim_upload *upload, int threads, bool go_on, char *why) {
    sp_sim_stage g = {0};
    sp_sim_version version = version_of(s, scene);
    sp_status status = build(s, scene, upload, threads, &g);
    if (status >= 0 && go_on) {
        status = sp_run_adopt(g.run, s->stage.run);
        if (status >= 0 && !sp__sim_fill_bodies(&g)) status = SP_NO_MEMORY;
    }
    if (status < 0)
        sp__sim_explain(s, &g, status, why);
    else
        collect_problems(s, &g);  // warnings
    if (status < 0 || (upload && !sp__sim_write_file(s->def.gallery->scenes[scene].path, upload->text, upload->size, why))) {
        sp__sim_free_stage(&g);
        return false;
    }
    if (upload) version = version_of(s, scene);
    s->threads = threads;
    s->built = s->seen = version;
    if (!go_on) sp__sim_tools_forget(s);
    sp__sim_leave_stage(s);
    sp__sim_free_stage(&s->stage);
    sp__sim_free_stage(&s->live);  // of a recording that was shown
    s->scene = scene;
    sp__gallery_title(s->def.gallery, scene, sp_scene_name(g.scene));
    sp__sim_install(s, &g, go_on);
    return true;
}

static void forget_sets(sp_sim *s, int from) {
    for (int i = from; i < s->set_count; i++) free(s->sets[i]);
    if (s->set_count > from) s->set_count = from;
}

static bool stage_open(sp_sim *s, int scene, const sp_sim_upload *upload, int version, char *why) {
    char *old[SP_SETS_MAX];
    int old_count = s->set_count, old_kept = s->kept_count;
    memcpy(old, s->sets, sizeof old);
    s->set_count = s->kept_count = 0;  // before the first message of the new stage, which contains the kept values
    int old_version = s->scene_version;
    s->scene_version = version;
    if (!stage_replace(s, scene, upload, s->threads, false, why)) {
        s->scene_version = old_version;
        s->kept_count = old_kept;
        memcpy(s->sets, old, sizeof old);
        s->set_count = old_count;
        return false;
    }
    for (int i = 0; i < old_count; i++) free(old[i]);
    sp__sim_log_restart(s, false);
    sp__sim_make_hello(s);
    return true;
}

bool sp__sim_open(sp_sim *s, int scene, char *why) {
    return stage_open(s, scene, NULL, 1, why);
}

// the folder of the scene that the server was started with, or that of all scenes
static bool upload_base(const sp_sim *s, char out[SP_PATH]) {
    const sp_gallery *g = s->def.gallery;
    const char *path = s->def.scene >= 0 ? g->scenes[s->def.scene].path : g->folder;
    const char *slash = path && s->def.scene >= 0 ? strrchr(path, '/') : NULL;
    if (!path || (s->def.scene >= 0 && !slash)) return snprintf(out, SP_PATH, "."), true;
    return snprintf(out, SP_PATH, "%.*s", slash ? (int)(slash - path) : (int)strlen(path), path) < SP_PATH;
}

bool sp__sim_open_upload(sp_sim *s, const sp_sim_upload *upload, char *why) {
    char path[SP_PATH], base[SP_PATH];
    sp_gallery *g = s->def.gallery;
    int count = g->count;
    if (!sp__sim_upload_path(s, upload->name, path, why)) return false;
    if (!upload_base(s, base)) return snprintf(why, SP_SIM_WHY, "a long path"), false;
    int scene = sp__gallery_own(g, path, base);
    if (scene < 0) return snprintf(why, SP_SIM_WHY, "out of memory, or more than %d scenes", SP_GALLERY_MAX), false;
    bool same = scene == s->scene;
    if (!stage_open(s, scene, upload, same ? s->scene_version + 1 : 1, why)) {
        if (g->count > count) sp__gallery_remove_last(g);
        return false;
    }
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
    int old_kept = s->kept_count;
    if (!keep) s->kept_count = 0;
    if (!stage_replace(s, s->scene, NULL, s->threads, false, why)) return s->kept_count = old_kept, false;
    queue_kept(s);
    sp__sim_log_restart(s, false);
    sp__sim_make_hello(s);
    return true;
}

// A file that is the same at two looks is no longer being written. One that cannot be built is reported, and the simulation goes
// on. Files that the scene includes are not watched.
void sp__sim_watch(sp_sim *s) {
    char why[SP_SIM_WHY];
    if (!s->stage.run || s->stage.recording || sp__now_ms() - s->watch_ms < SP_WATCH_MS) return;
    s->watch_ms = sp__now_ms();
    sp_sim_version now = version_of(s, s->scene), before = s->seen;
    s->seen = now;
    if (now.size < 0 || !same_version(now, before) || same_version(now, s->built)) return;
    s->built = now;
    const char *path = s->def.gallery->scenes[s->scene].path;
    if (stage_open(s, s->scene, NULL, s->scene_version + 1, why)) {
        sp__sim_event(s, "info", "%s has changed: it starts again", path);
    } else {
        char text[SP_SIM_WHY + 100];
        snprintf(text, sizeof text, "%.200s has changed, the old version is kept: %.250s", path, why);
        sp__sim_event_problems(s, text);
    }
    // no frame that would carry it follows while the simulation is paused
    if (s->def.wake) s->def.wake(s->def.user);
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
    if (good) good = stage_replace(s, s->scene, NULL, threads > 0 ? threads : s->threads, go_on, why);
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
    if (s->recorder) sp__sim_record_stop(s, name, why);
    sp__sim_log_restart(s, false);
    sp__sim_retire_frames(s);
    sp__sim_free_stage(&s->stage);
    sp__sim_free_stage(&s->live);
}
