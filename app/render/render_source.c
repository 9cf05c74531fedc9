// Source of the states of pictures: a scene that is simulated as far as needed, a recording, a mesh file.
//
// All pictures of a series share the bounding box of the camera and the range of the colours. A recording is read once in advance
// to find them; a scene extends them during the simulation, because the future is unknown.
#include "render/render.h"

#include <math.h>
#include <string.h>

#include "common/files.h"

sp_source_kind sp__source_kind(const char *path) {
    static const char *const meshes[] = {".msh", ".vtk", ".vtu", ".node", ".ele", ".face", ".obj", ".stl", ".ply", NULL};
    return sp__is_recording(path) ? SP_SOURCE_RECORDING : sp__ends_in(path, meshes) ? SP_SOURCE_MESH : SP_SOURCE_SCENE;
}

static int source_refused(const sp_source *s, sp_status status) {
    const sp_error *e = s->session.context ? sp_context_error(s->session.context) : NULL;
    const char *why = e && e->status == status && e->message[0] ? e->message : sp_status_text(status);
    // errors of file readers start with the name of the file and the line
    bool named = strncmp(why, s->args->scene.path, strlen(s->args->scene.path)) == 0;
    fprintf(stderr, "%s%s%s\n", named ? "" : s->args->scene.path, named ? "" : ": ", why);
    return status == SP_NO_MEMORY ? SP_EXIT_FAILED : SP_EXIT_USAGE;
}

static sp_status new_context(sp_source *s) {
    sp_context_def def = sp_context_def_default();
    def.workers = s->args->scene.threads;
    s->session = (sp_session){.error.index = -1};
    return sp_context_create(&def, &s->session.context);
}

// ---------------------------------------------------------------------------------------------------- a mesh file

static int open_mesh(sp_source *s) {
    sp_status status = new_context(s);
    if (status >= 0) status = sp_trimesh_read(s->session.context, s->args->scene.path, &s->surface);
    if (status < 0) return source_refused(s, status);
    s->still = true;
    return SP_EXIT_DONE;
}

// ---------------------------------------------------------------------------------------------------- a recording

static void say_messages(const sp_scene *scene) {
    sp_scene_message m;
    for (int i = 0; sp_scene_message_at(scene, i, &m) >= 0; i++) {
        fprintf(stderr, "%s:%d: %s%s\n", m.file ? m.file : "", m.line, m.severity == SP_SEVERITY_WARNING ? "warning: " : "",
                m.text);
    }
}

// the recorded scene, then the settings of the command line
static sp_status build_recorded(sp_source *s) {
    sp_scene_options o = sp_scene_options_default();
    sp_run_options r = sp_run_options_default();
    o.sets = s->args->scene.sets, o.set_count = s->args->scene.set_count;
    o.allow_paths = s->args->scene.allow, o.allow_count = s->args->scene.allow_count;
    r.endless = true, r.backend = s->args->scene.backend;
    sp_status status = sp_recording_scene(s->recording, &o, &s->session.scene);
    if (status >= 0) status = sp_run_create(s->session.scene, &r, &s->session.run);
    if (s->session.scene) say_messages(s->session.scene);
    if (status >= 0) s->session.world = sp_run_world(s->session.run);
    return status;
}

static double frame_time(const sp_source *s, int frame) {
    sp_recording_frame f = {0};
    sp_recording_frame_at(s->recording, frame, &f);
    return f.time;
}

// frames first..last of the requested range
static void choose_frames(sp_source *s, int count) {
    const sp_render_args *a = s->args;
    s->stride = a->every > 0 ? (int)(a->every < count ? a->every : count) : 1;
    s->frame = 0, s->last = count - 1;
    if (!s->series) {
        int at = a->time >= 0 ? sp_recording_nearest(s->recording, a->time) : count - 1;
        for (int f = 0; a->steps >= 0 && f < count; f++) {
            sp_recording_frame info = {0};
            sp_recording_frame_at(s->recording, f, &info);
            if ((long)info.step <= a->steps) at = f;
        }
        s->frame = s->last = at;
        return;
    }
    double slack = 1e-9 * (fabs(frame_time(s, count - 1)) + 1e-300);
    while (s->frame < count && !isnan(a->from) && frame_time(s, s->frame) < a->from - slack) s->frame++;
    while (s->last >= s->frame && !isnan(a->until) && frame_time(s, s->last) > a->until + slack) s->last--;
}

static int open_recording(sp_source *s) {
    sp_recording_info info;
    sp_status status = new_context(s);
    if (status >= 0) status = sp_recording_open(s->session.context, s->args->scene.path, &s->recording);
    if (status < 0) return source_refused(s, status);
    sp_recording_get(s->recording, &info);
    status = build_recorded(s);
    if (status < 0) return source_refused(s, status);
    if (info.frame_count == 0) return fprintf(stderr, "%s: there is no frame in it\n", s->args->scene.path), SP_EXIT_USAGE;
    choose_frames(s, info.frame_count);
    if (s->frame <= s->last) return SP_EXIT_DONE;
    fprintf(stderr, "%s: no frame between --from and --until; it reaches from %g to %g s\n", s->args->scene.path,
            frame_time(s, 0), frame_time(s, info.frame_count - 1));
    return SP_EXIT_USAGE;
}

// the clipping plane of the scene may move; that of the command line does not
static void set_time(const sp_source *s, double time, sp_picture_def *def) {
    if (!s->args->clip && s->session.run) sp_run_picture_set_time(s->session.run, time, def);
}

static sp_status show_frame(sp_source *s, int frame, sp_picture_def *def) {
    sp_recording_frame f;
    sp_status status = sp_recording_frame_at(s->recording, frame, &f);
    if (status >= 0) status = sp_recording_show(s->recording, frame, s->session.run);
    if (status >= 0) status = sp_world_publish(s->session.world);
    s->time = f.time;
    snprintf(s->note, sizeof s->note, "t = %.6g s, step %llu", f.time, (unsigned long long)f.step);
    set_time(s, f.time, def);
    return status;
}

static sp_status measure_all(sp_source *s, sp_picture_def *def) {
    sp_status status = SP_OK;
    for (int f = s->frame; f <= s->last && status >= 0; f += s->stride) {
        status = show_frame(s, f, def);
        if (status >= 0) status = sp_picture_measure(s->session.world, s->session.run, def, &s->extent);
    }
    return status;
}

static int next_frame(sp_source *s, sp_picture_def *def) {
    sp_status status = SP_OK;
    if (!s->started && s->series) status = measure_all(s, def);
    s->started = true;
    if (status < 0) return status;
    if (s->frame > s->last) return 0;
    status = show_frame(s, s->frame, def);
    s->frame += s->stride;
    return status < 0 ? (int)status : 1;
}

// ---------------------------------------------------------------------------------------------------- a scene

static int open_scene(sp_source *s) {
    const sp_render_args *a = s->args;
    sp_run_options o = sp_run_options_default();
    o.endless = a->time >= 0 || a->steps >= 0 || !isnan(a->until);
    int code = sp__session_open(&s->session, &a->scene, &o);
    if (code != SP_EXIT_DONE) return code;
    s->still = s->series && (a->time >= 0 || a->steps >= 0);
    double dt = sp_run_dt(s->session.run), each = 1 / (a->fps * dt);
    s->every = a->every > 0 ? a->every : each < 1.5 ? 1 : each > 1e9 ? 1000000000 : (long)(each + 0.5);
    return SP_EXIT_DONE;
}

// a time between two steps selects the step before it
static bool reached(const sp_source *s, double time, long steps) {
    const sp_session *e = &s->session;
    if (steps >= 0) return (long)sp_world_steps(e->world) >= steps;
    if (time >= 0) return sp_world_time(e->world) + sp_run_dt(e->run) > time * (1 + 1e-12) + 1e-300;
    return sp_run_done(e->run);
}

static sp_status source_step(sp_source *s) {
    sp_status status = sp_run_step(s->session.run);
    if (status >= 0 && !s->series)
        sp__progress_step(&s->progress, (long)sp_world_steps(s->session.world), sp_world_time(s->session.world),
                          sp_run_dt(s->session.run));
    return status;
}

static long steps_to(const sp_source *s, double time) {
    return (long)(time / sp_run_dt(s->session.run) + 1e-9);
}

static sp_status go_to(sp_source *s, double time, long steps) {
    sp_status status = SP_OK;
    if (!s->series)
        sp__progress_start(&s->progress, s->args->quiet,
                           steps >= 0  ? steps
                           : time >= 0 ? steps_to(s, time)
                                       : sp_run_steps_planned(s->session.run));
    while (status >= 0 && !reached(s, time, steps)) status = source_step(s);
    if (!s->series) sp__progress_clear(&s->progress);
    return status;
}

static bool series_over(const sp_source *s) {
    return isnan(s->args->until) ? sp_run_done(s->session.run) : reached(s, s->args->until, -1);
}

// the first picture of a series is at --from, each further one `every` steps later
static int next_state(sp_source *s, sp_picture_def *def) {
    const sp_render_args *a = s->args;
    sp_status status = SP_OK;
    if (s->over) return 0;
    if (!s->started) {
        bool single = !s->series || s->still;
        status = single ? go_to(s, a->time, a->steps) : isnan(a->from) ? SP_OK : go_to(s, a->from, -1);
        s->over = single;
    } else {
        for (long k = 0; k < s->every && status >= 0; k++) {
            if (series_over(s)) return 0;
            status = source_step(s);
        }
    }
    s->started = true;
    s->time = sp_world_time(s->session.world);
    set_time(s, s->time, def);
    if (status >= 0 && s->series) status = sp_picture_measure(s->session.world, s->session.run, def, &s->extent);
    return status < 0 ? (int)status : 1;
}

// ---------------------------------------------------------------------------------------------------- source

int sp__source_open(sp_source *s, const sp_render_args *args) {
    *s = (sp_source){.args = args, .kind = sp__source_kind(args->scene.path), .series = args->frames || args->video};
    s->extent = sp_picture_extent_default();
    int code = s->kind == SP_SOURCE_MESH ? open_mesh(s) : s->kind == SP_SOURCE_RECORDING ? open_recording(s) : open_scene(s);
    if (s->series && s->kind == SP_SOURCE_RECORDING && (args->time >= 0 || args->steps >= 0)) s->still = true;
    s->turns = s->series && args->orbit != 0 ? (long)fmin(ceil(360 / fabs(args->orbit) - 1e-9), 1e6) : 1;
    return code;
}

void sp__source_close(sp_source *s) {
    sp_recording_close(&s->recording);
    sp_trimesh_destroy(&s->surface);
    sp__session_close(&s->session);
}

sp_picture_def sp__source_picture(const sp_source *s) {
    return s->session.run ? sp_run_picture(s->session.run) : sp_picture_def_default();
}

long sp__source_planned(const sp_source *s) {
    if (s->still || !s->series) return s->turns;
    if (s->kind == SP_SOURCE_RECORDING) return (s->last - s->frame) / s->stride + 1;
    double from = isnan(s->args->from) ? 0 : s->args->from;
    long last = isnan(s->args->until) ? sp_run_steps_planned(s->session.run) : steps_to(s, s->args->until);
    return last > 0 ? (last - steps_to(s, from)) / s->every + 1 : 0;
}

// a state that does not change is loaded once
int sp__source_next(sp_source *s, sp_picture_def *def) {
    if (s->still && s->started) return ++s->turn < s->turns;
    if (s->kind == SP_SOURCE_SCENE) return next_state(s, def);
    if (s->kind == SP_SOURCE_RECORDING) return next_frame(s, def);
    s->started = true;
    return 1;
}

sp_status sp__source_draw(sp_source *s, const sp_picture_def *def, unsigned char *rgb) {
    sp_picture_def own = *def;
    if (s->series && !s->surface) own.extent = &s->extent;
    if (s->note[0]) own.note = s->note;
    if (s->surface) return sp_picture_surface(s->session.context, s->surface, NULL, &own, rgb);
    return sp_picture_draw(s->session.world, s->session.run, &own, rgb);
}
