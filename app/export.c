// `souple export`: the motion of a scene or a recording as glTF, for game engines, browsers and slides.
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "common/files.h"
#include "render/render.h"

enum { FPS, FROM, UNTIL, EVERY, TIME, FLAT, THREADS, BACKEND, SET, ALLOW_PATH, QUIET };

static const sp_option options[] = {
    [FPS] = {"--fps", "N", "frames per second of a scene; default 25"},
    [FROM] = {"--from", "T", "first time [s]"},
    [UNTIL] = {"--until", "T", "last time [s]; default: where it stops"},
    [EVERY] = {"--every", "N", "every N steps of a scene, or frames of a recording; default: --fps, or all frames"},
    [TIME] = {"--time", "T", "one frame, at T seconds"},
    [FLAT] = {"--flat", NULL, "without normals: facets, and a file of half the size"},
    [THREADS] = {"--threads", "N", "threads that work in a step, 1..64; default: one per core"},
    [BACKEND] = {"--backend", "NAME", "auto, ref, cpu, ... (`souple list backends`)"},
    [SET] = {"--set", "PATH=VALUE", "write an attribute or a parameter; may be repeated"},
    [ALLOW_PATH] = {"--allow-path", "DIR", "a further folder that files may come from; may be repeated"},
    [QUIET] = {"--quiet", NULL, "no progress"},
};

typedef struct export_args {
    sp_render_args render;
    bool flat;
} export_args;

static bool export_take(sp_arguments *a, int option, char **values) {
    export_args *e = a->user;
    sp_render_args *r = &e->render;
    bool bad;
    switch (option) {
    case FPS: return sp__read_number(a, "--fps", values[0], 1e-3, 1e6, &r->fps);
    case FROM: return sp__read_number(a, "--from", values[0], 0, 1e12, &r->from);
    case UNTIL: return sp__read_number(a, "--until", values[0], 0, 1e12, &r->until);
    case EVERY: return sp__read_integer(a, "--every", values[0], 1, 1000000000, &r->every);
    case TIME: return sp__read_number(a, "--time", values[0], 0, 1e12, &r->time);
    case FLAT: return e->flat = true;
    case QUIET: return r->quiet = true;
    default: return sp__take_scene_option(&r->scene, a, options[option].name, values, &bad) && !bad;
    }
}

static int export_failed(const sp_source *s, const char *path, sp_status status) {
    const sp_error *e = sp_context_error(s->session.context);
    const char *why = e->status == status && e->message[0] ? e->message : sp_status_text(status);
    bool named = strncmp(why, path, strlen(path)) == 0;
    fprintf(stderr, "%s%s%s\n", named ? "" : path, named ? "" : ": ", why);
    return status == SP_BAD_INPUT ? SP_EXIT_USAGE : SP_EXIT_FAILED;
}

static sp_status add_frames(sp_source *s, sp_gltf *gltf, int *count) {
    sp_picture_def picture = sp__source_picture(s);
    int found;
    sp__progress_start(&s->progress, s->args->quiet, sp__source_planned(s));
    s->progress.each = "frame";
    while ((found = sp__source_next(s, &picture)) > 0) {
        sp_status status = sp_gltf_frame(gltf, s->time);
        if (status < 0) return status;
        sp__progress_step(&s->progress, ++*count, s->time, 0);
    }
    return (sp_status)found;
}

static int write_gltf(sp_source *s, const export_args *e, const char *path) {
    sp_gltf_options o = sp_gltf_options_default();
    sp_gltf *gltf;
    int count = 0;
    o.normals = !e->flat;
    sp_status status = sp_gltf_create(s->session.run, path, &o, &gltf);
    if (status >= 0) status = add_frames(s, gltf, &count);
    sp__progress_clear(&s->progress);
    if (status >= 0) status = sp_gltf_write(gltf);
    sp_gltf_destroy(&gltf);
    if (status < 0) return export_failed(s, path, status);
    struct stat file;
    double size = stat(path, &file) == 0 ? (double)file.st_size : 0;
    printf("%s: %d frame%s, %.3g MB\n", path, count, count == 1 ? "" : "s", 1e-6 * size);
    return SP_EXIT_DONE;
}

static int export_main(const sp_command *command, int argc, char **argv) {
    static const char *const endings[] = {".glb", NULL};
    export_args e = {.render = {.time = -1, .steps = -1, .from = NAN, .until = NAN, .fps = 25, .azimuth = NAN, .elevation = NAN}};
    sp_arguments a = {.command = command, .take = export_take, .user = &e, .word_limit = 2};
    char why[300];
    int code = sp__read_arguments(&a, argc, argv);
    if (code >= 0) return code;
    if (a.word_count < 2) return sp__complain(&a, a.word_count ? "into which .glb file?" : "which scene or recording?");
    const char *path = a.words[1];
    if (!sp__ends_in(path, endings)) return sp__complain(&a, "%s: must end in .glb", path);
    if (!sp__output_possible(path, NULL, why, sizeof why)) return sp__complain(&a, "%s: %s", path, why);
    if (sp__source_kind(a.words[0]) == SP_SOURCE_MESH)
        return sp__complain(&a, "%s: a mesh does not move; `souple mesh convert` writes it in other formats", a.words[0]);
    e.render.scene.path = a.words[0];
    if (e.render.time < 0) e.render.frames = path;  // a series
    sp_source source;
    code = sp__source_open(&source, &e.render);
    if (code == SP_EXIT_DONE) code = write_gltf(&source, &e, path);
    sp__source_close(&source);
    return code;
}

const sp_command sp__command_export = {
    .name = "export",
    .arguments = "SCENE|RECORDING OUT.glb",
    .summary = "Write the motion of a scene or a recording as glTF, for game engines and slides",
    .text = "Rigid bodies move by their nodes, solids and rods by morph targets, one a frame. A scene is simulated.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = "  souple export scenes/torus-drop.xml torus.glb --until 2\n"
                "  souple export out/beam/beam.xdmf beam.glb --every 2\n"
                "  souple export scenes/beam.xml beam.glb --time 0.5\n",
    .main = export_main,
};
