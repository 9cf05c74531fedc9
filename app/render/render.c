// `souple render`: a picture, numbered pictures or a video of a scene, a recording or a mesh file.
#include "render/render.h"
#include "common/files.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PNG,
    FRAMES,
    VIDEO,
    FPS,
    FROM,
    UNTIL,
    EVERY,
    TIME,
    STEPS,
    SIZE,
    COLOR_BY,
    RANGE,
    CAMERA,
    AZIMUTH,
    ELEVATION,
    ORBIT,
    TRANSPARENT,
    CLIP,
    INTERFACES,
    CONTACTS,
    LINKS,
    PLAIN,
    THREADS,
    BACKEND,
    SET,
    ALLOW_PATH,
    QUIET
};

static const sp_option options[] = {
    [PNG] = {"--png", "FILE", "one picture"},
    [FRAMES] = {"--frames", "PATTERN", "numbered pictures: DIR/frame-%04d.png, or a folder"},
    [VIDEO] = {"--video", "FILE", "a video (.mp4, .mkv, .mov, .webm, .avi), made by ffmpeg"},
    [FPS] = {"--fps", "N", "pictures per second of a video; default 25"},
    [FROM] = {"--from", "T", "first time of a series [s]"},
    [UNTIL] = {"--until", "T", "last time of a series [s]; default: where it stops"},
    [EVERY] = {"--every", "N", "of a series: every N steps, or frames of a recording; default: real time, or all frames"},
    [TIME] = {"--time", "T", "at T seconds; default: where the scene stops, the last frame"},
    [STEPS] = {"--steps", "N", "after N steps; 0: as it starts"},
    [SIZE] = {"--size", "W H", "pixels; default: the scene's camera, or 1280 720"},
    [COLOR_BY] =
        {"--color-by", "FIELD",
         "none, contact (pressure), or a field that `souple list fields` marks with a colour; of a mesh: an array, or region"},
    [RANGE] = {"--range", "LOW HIGH", "of the colours; default: the scene's, or from what is seen"},
    [CAMERA] = {"--camera", "AT TO", "where the camera stands and what it looks at: \"x y z\" \"x y z\" [m]"},
    [AZIMUTH] = {"--azimuth", "DEG", "fitted camera: about the vertical, 0 in front, 90 to the right"},
    [ELEVATION] = {"--elevation", "DEG", "fitted camera: above the horizon, -90..90"},
    [ORBIT] = {"--orbit", "DEG", "turn the camera by so much from picture to picture"},
    [TRANSPARENT] = {"--transparent", "BODY=A", "opacity of a body, or A alone for all, 0..1; may be repeated"},
    [CLIP] = {"--clip", "POINT NORMAL", "clipping plane: cut off what NORMAL points to: \"x y z\" \"x y z\""},
    [INTERFACES] = {"--interfaces", NULL, "draw the faces between regions of solids, inside transparent surfaces"},
    [CONTACTS] = {"--contacts", NULL, "draw contacts by constraints: points, and arrows for their forces"},
    [LINKS] = {"--links", NULL, "draw links: points, and lines between their two sides"},
    [PLAIN] = {"--plain", NULL, "without title, time and colour bar"},
    [THREADS] = {"--threads", "N", "threads that work in a step, 1..64; default: one per core"},
    [BACKEND] = {"--backend", "NAME", "auto, ref, cpu, ... (`souple list backends`)"},
    [SET] = {"--set", "PATH=VALUE", "write an attribute or a parameter; may be repeated"},
    [ALLOW_PATH] = {"--allow-path", "DIR", "a further folder that files may come from; may be repeated"},
    [QUIET] = {"--quiet", NULL, "no progress"},
};

// ---------------------------------------------------------------------------------------------------- arguments

static bool read_place(const sp_arguments *a, const char *option, const char *text, double out[3]) {
    const char *at = text;
    for (int i = 0; i < 3; i++) {
        char *end;
        out[i] = strtod(at, &end);
        if (end == at || !isfinite(out[i]))
            return sp__complain(a, "%s \"%s\": must be three numbers, \"x y z\"", option, text), false;
        at = end + strspn(end, " ,");
    }
    return !*at || (sp__complain(a, "%s \"%s\": must be three numbers, \"x y z\"", option, text), false);
}

static bool take_opacity(sp_render_args *r, const sp_arguments *a, const char *text) {
    const char *equals = strrchr(text, '=');
    int n = r->opacity_count;
    if (n == SP_OPACITIES_MAX) return sp__complain(a, "--transparent: at most %d times", SP_OPACITIES_MAX), false;
    sp_picture_opacity *o = &r->opacities[n];
    if (!sp__read_number(a, "--transparent", equals ? equals + 1 : text, 0, 1, &o->opacity)) return false;
    if (equals && (size_t)(equals - text) >= sizeof r->names[n])
        return sp__complain(a, "--transparent: the name is too long"), false;
    if (equals) snprintf(r->names[n], sizeof r->names[n], "%.*s", (int)(equals - text), text), o->body = r->names[n];
    r->opacity_count++;
    return true;
}

static bool take_view(sp_render_args *r, const sp_arguments *a, int option, char **values) {
    switch (option) {
    case COLOR_BY: r->color_by = strcmp(values[0], "contact") == 0 ? "contact-pressure" : values[0]; return true;
    case RANGE:
        if (!sp__read_number(a, "--range", values[0], -1e300, 1e300, &r->range[0]) ||
            !sp__read_number(a, "--range", values[1], -1e300, 1e300, &r->range[1]))
            return false;
        return r->range[1] > r->range[0] || (sp__complain(a, "--range %s %s: must increase", values[0], values[1]), false);
    case CAMERA:
        return r->has_camera = read_place(a, "--camera", values[0], r->at) && read_place(a, "--camera", values[1], r->to);
    case CLIP:
        return r->clip = read_place(a, "--clip", values[0], r->clip_point) && read_place(a, "--clip", values[1], r->clip_normal);
    case AZIMUTH: return sp__read_number(a, "--azimuth", values[0], -36000, 36000, &r->azimuth);
    case ELEVATION: return sp__read_number(a, "--elevation", values[0], -90, 90, &r->elevation);
    case ORBIT: return sp__read_number(a, "--orbit", values[0], -360, 360, &r->orbit);
    default: return take_opacity(r, a, values[0]);
    }
}

static bool render_take(sp_arguments *a, int option, char **values) {
    sp_render_args *r = a->user;
    bool bad;
    switch (option) {
    case PNG: r->png = values[0]; return true;
    case FRAMES: r->frames = values[0]; return true;
    case VIDEO: r->video = values[0]; return true;
    case FPS: return sp__read_number(a, "--fps", values[0], 0.1, 1000, &r->fps);
    case FROM: return sp__read_number(a, "--from", values[0], 0, 1e300, &r->from);
    case UNTIL: return sp__read_number(a, "--until", values[0], 0, 1e300, &r->until);
    case EVERY: return sp__read_integer(a, "--every", values[0], 1, LONG_MAX, &r->every);
    case TIME: return sp__read_number(a, "--time", values[0], 0, 1e300, &r->time);
    case STEPS: return sp__read_integer(a, "--steps", values[0], 0, LONG_MAX, &r->steps);
    case SIZE:
        return sp__read_integer(a, "--size", values[0], 16, 16384, &r->width) &&
               sp__read_integer(a, "--size", values[1], 16, 16384, &r->height);
    case COLOR_BY:
    case RANGE:
    case CAMERA:
    case AZIMUTH:
    case ELEVATION:
    case ORBIT:
    case CLIP:
    case TRANSPARENT: return take_view(r, a, option, values);
    case INTERFACES: return r->interfaces = true;
    case CONTACTS: return r->contacts = true;
    case LINKS: return r->links = true;
    case PLAIN: return r->plain = true;
    case QUIET: return r->quiet = true;
    default: return sp__take_scene_option(&r->scene, a, options[option].name, values, &bad) && !bad;
    }
}

// rejects contradicting options; -1: no error
static int check_arguments(const sp_arguments *a, const sp_render_args *r) {
    const char *fields[SP_FIELD_COUNT + 1] = {"none"};
    int field_count = 1;
    sp_field_info field;
    for (int i = 0; sp_field_at(i, &field) >= 0; i++)
        if (field.color) fields[field_count++] = field.name;
    bool mesh = sp__source_kind(a->words[0]) == SP_SOURCE_MESH, series = r->frames || r->video;
    if (!!r->png + !!r->frames + !!r->video != 1)
        return sp__complain(a, "one of --png FILE, --frames PATTERN, --video FILE is needed");
    if (r->time >= 0 && r->steps >= 0) return sp__complain(a, "--time and --steps: one of them");
    if (r->color_by && !mesh && !sp__check_word(a, "field", r->color_by, fields, field_count)) return SP_EXIT_USAGE;
    if (!series && (r->every || !isnan(r->from) || !isnan(r->until)))
        return sp__complain(a, "--from, --until and --every are for --frames and --video; one picture takes --time or --steps");
    if (r->until < r->from) return sp__complain(a, "--from %g --until %g: must increase", r->from, r->until);
    if (series && (r->time >= 0 || r->steps >= 0 || mesh) && r->orbit == 0)
        return sp__complain(a, "several pictures of one state need --orbit DEG");
    char why[420];
    if (r->png && !sp__output_possible(r->png, NULL, why, sizeof why)) return sp__complain(a, "--png %s", why);
    return -1;
}

// ---------------------------------------------------------------------------------------------------- drawing

static sp_picture_def picture_of(const sp_source *s, const sp_render_args *r) {
    sp_picture_def def = sp__source_picture(s);
    if (r->width) def.width = (int)r->width, def.height = (int)r->height;
    if (r->color_by) def.color_by = strcmp(r->color_by, "none") == 0 ? NULL : r->color_by;
    if (!isnan(r->range[0])) memcpy(def.range, r->range, sizeof def.range);
    if (r->has_camera) memcpy(def.at, r->at, sizeof def.at), memcpy(def.to, r->to, sizeof def.to);
    def.fitted = !r->has_camera && (def.fitted || !isnan(r->azimuth) || !isnan(r->elevation));
    def.azimuth = r->azimuth, def.elevation = r->elevation, def.plain = r->plain;
    def.interfaces = def.interfaces || r->interfaces, def.contacts = def.contacts || r->contacts;
    def.links = def.links || r->links;
    if (r->clip) {
        def.clip = true;
        memcpy(def.clip_point, r->clip_point, sizeof def.clip_point),
            memcpy(def.clip_normal, r->clip_normal, sizeof def.clip_normal);
    }
    def.opacities = r->opacities, def.opacity_count = r->opacity_count;
    if (!s->session.run) {
        const char *slash = strrchr(r->scene.path, '/');
        def.title = slash ? slash + 1 : r->scene.path;
    }
    return def;
}

static int render_fail(const sp_source *s, const sp_render_args *r, sp_status status) {
    const sp_session *e = &s->session;
    const sp_error *error = sp_context_error(e->context);
    const char *why = error->status == status ? error->message : sp_status_text(status);
    if (s->kind == SP_SOURCE_SCENE)
        fprintf(stderr, "%s: step %llu, t = %g s: %s\n", r->scene.path, (unsigned long long)sp_world_steps(e->world),
                sp_world_time(e->world), why);
    else
        fprintf(stderr, "%s: %s\n", r->scene.path, why);
    return status == SP_BAD_INPUT ? SP_EXIT_USAGE : SP_EXIT_FAILED;
}

static int render_say(const sp_sink *k) {
    fprintf(stderr, "souple render: %s\n", k->message);
    return k->code;
}

// finds errors in the picture definition before anything is simulated
static sp_status try_picture(const sp_source *s, const sp_picture_def *def) {
    sp_picture_extent extent = sp_picture_extent_default();
    return s->session.world ? sp_picture_measure(s->session.world, s->session.run, def, &extent) : SP_OK;
}

static int render_all(sp_source *s, sp_sink *k, const sp_render_args *r) {
    sp_picture_def def = picture_of(s, r);
    sp_progress progress;
    int more, code = SP_EXIT_DONE;
    sp_status tried = try_picture(s, &def);
    if (tried < 0) return render_fail(s, r, tried);
    if (!sp__sink_size(k, s->session.context, def.width, def.height)) return render_say(k);
    sp__progress_start(&progress, r->quiet || !s->series, sp__source_planned(s));
    progress.each = "picture";
    while ((more = sp__source_next(s, &def)) > 0 && code == SP_EXIT_DONE) {
        def.orbit = s->series ? (double)k->count * r->orbit : r->orbit;
        sp_status status = sp__source_draw(s, &def, k->rgb);
        if (status < 0)
            more = status, code = -1;
        else if (!sp__sink_put(k))
            code = render_say(k);
        sp__progress_step(&progress, k->count, s->session.world ? sp_world_time(s->session.world) : 0, 0);
        if (code < 0) break;
    }
    sp__progress_clear(&progress);
    return more < 0 ? render_fail(s, r, (sp_status)more) : code;
}

static int render_main(const sp_command *command, int argc, char **argv) {
    sp_render_args args = {.steps = -1, .time = -1, .fps = 25, .from = NAN, .until = NAN, .range = {NAN, NAN}};
    args.azimuth = args.elevation = NAN;
    sp_arguments a = {.command = command, .take = render_take, .user = &args, .word_limit = 1};
    sp_source source;
    sp_sink sink;
    int code = sp__read_arguments(&a, argc, argv);
    if (code >= 0) return code;
    if (a.word_count < 1) return sp__complain(&a, "which scene?");
    if ((code = check_arguments(&a, &args)) >= 0) return code;
    args.scene.path = a.words[0];
    if (!sp__sink_open(&sink, &args)) return render_say(&sink);
    code = sp__source_open(&source, &args);
    if (code == SP_EXIT_DONE) code = render_all(&source, &sink, &args);
    bool quiet = sink.message[0];
    if (!sp__sink_close(&sink, code == SP_EXIT_DONE) && !quiet && code == SP_EXIT_DONE) code = render_say(&sink);
    if (code == SP_EXIT_DONE && !args.png && !args.quiet)
        fprintf(stderr, "%ld pictures: %s\n", sink.count, args.video ? args.video : args.frames);
    sp__source_close(&source);
    return code;
}

const sp_command sp__command_render = {
    .name = "render",
    .arguments = "SCENE|RECORDING|MESH --png FILE | --frames PATTERN | --video FILE",
    .summary = "Take pictures of a scene, a recording or a mesh",
    .text = "A recording ends in .xdmf or .h5, a mesh in .msh .vtk .vtu .node .ele .obj .stl .ply; all else is a scene.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = "  souple render scenes/peers/beam-4.xml --png beam.png --color-by von-mises\n"
                "  souple render scenes/peers/beam-4.xml --png start.png --steps 0 --size 640 480\n"
                "  souple render scenes/torus-drop.xml --video drop.mp4 --until 1 --orbit 0.5\n"
                "  souple render out/beam.xdmf --frames pictures/frame-%04d.png --every 2\n"
                "  souple render liver.msh --png liver.png --azimuth 30 --elevation 20\n",
    .main = render_main,
};
