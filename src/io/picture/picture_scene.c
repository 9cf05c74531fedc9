// Picture settings of a scene: camera, view, looks, lights.
#include <stdio.h>

#include "io/picture/picture.h"
#include "io/run/build.h"
#include "math/vec3.h"

static const sp_scene_node *element(const sp_run *run, const char *name) {
    return run ? sp__next_child(sp__scene_root(run->scene), name, NULL) : NULL;
}

static bool read_vector(const sp_scene_node *node, const char *name, double *out, int count) {
    const sp_attr *a = sp__attr(node, name);
    if (!a || a->is_auto || a->count != count || a->origin == SP_ORIGIN_ABSENT) return false;
    memcpy(out, a->numbers, (size_t)count * sizeof *out);
    return true;
}

// opposite to gravity, unless the scene defines it
static void scene_up(const sp_run *run, double up[3]) {
    const sp_scene_node *root = sp__scene_root(run->scene);
    double g[3];
    if (read_vector(root, "up", up, 3) && sp__norm3(up) > 0) return;
    up[0] = up[2] = 0, up[1] = 1;
    if (!read_vector(root, "gravity", g, 3) || !(sp__norm3(g) > 0)) return;
    for (int i = 0; i < 3; i++) up[i] = -g[i];
}

sp_picture_def sp_run_picture(const sp_run *run) {
    sp_picture_def def = sp_picture_def_default();
    const sp_scene_node *camera = element(run, "camera"), *view = element(run, "view"), *clip = element(run, "clip");
    if (!run) return def;
    scene_up(run, def.up);
    def.title = sp_scene_name(run->scene);
    if (camera) {
        double size[2];
        def.fitted = !read_vector(camera, "at", def.at, 3);
        if (!read_vector(camera, "to", def.to, 3)) def.to[0] = NAN;
        read_vector(camera, "up", def.up, 3);
        read_vector(camera, "fov", &def.fov, 1);
        if (read_vector(camera, "size", size, 2)) def.width = (int)size[0], def.height = (int)size[1];
    }
    if (clip) {
        def.clip = true;
        read_vector(clip, "normal", def.clip_normal, 3);
        sp_run_picture_set_time(run, sp_world_time(run->world), &def);
    }
    def.interfaces = sp__picture_shows(run, "interfaces");
    def.contacts = sp__picture_shows(run, "contacts");
    def.links = sp__picture_shows(run, "links");
    if (view) {
        const char *by = sp__attr_word(view, "color-by");
        def.color_by = by && strcmp(by, "none") != 0 ? by : NULL;
        // the word of the scene language for the field
        if (by && strcmp(by, "contact") == 0) def.color_by = "contact-pressure";
        read_vector(view, "background", def.background, 3);
    }
    return def;
}

static void set_look(const sp_run_look *look, sp_drawable *drawable) {
    *drawable =
        (sp_drawable){.opacity = look->opacity, .roughness = look->roughness, .metallic = look->metallic, .edges = look->edges};
    for (int i = 0; i < 3; i++) drawable->color[i] = sp__to_linear(look->color[i]);
}

void sp_run_picture_set_time(const sp_run *run, double time, sp_picture_def *def) {
    const sp_scene_node *clip = element(run, "clip");
    double constant[3];
    if (!clip || !read_vector(clip, "point", constant, 3)) return;
    for (int i = 0; i < 3; i++) def->clip_point[i] = sp__attr_at(clip, "point", i, NULL, time);
}

void sp__picture_drawable(const sp_run *run, sp_body_id body, bool ground, sp_drawable *drawable) {
    sp_run_look look = {.color = {0.62, 0.70, 0.80}, .opacity = 1, .roughness = 0.5};
    if (ground) look = (sp_run_look){.color = {0.88, 0.88, 0.88}, .opacity = 1, .roughness = 0.9};
    sp_run_look own;
    if (run && sp__run_look(run, body.slot, &own)) look = own;
    set_look(&look, drawable);
}

void sp__picture_surface_drawable(const sp_run *run, sp_body_id body, int surface, sp_drawable *drawable) {
    sp_run_look look;
    if (!run || !sp_run_look_of(run, body, surface, &look)) return;
    set_look(&look, drawable);
}

static bool has_word(const sp_attr *a, const char *word) {
    for (int i = 0; a && i < a->count; i++)
        if (a->words && a->words[i] && strcmp(a->words[i], word) == 0) return true;
    return false;
}

bool sp__picture_shows(const sp_run *run, const char *what) {
    const sp_scene_node *view = element(run, "view");
    return view && has_word(sp__attr(view, "show"), what);
}

// a path of the scene; [*] matches any number in brackets
static bool path_fits(const char *path, const char *name) {
    for (; *path; path++, name++) {
        if (strncmp(path, "[*]", 3) == 0 && *name == '[') {
            path += 2, name += strcspn(name, "]");
            if (!*name) return false;
        } else if (*path != *name) {
            return false;
        }
    }
    return *name == 0;
}

// an element (nullable) names the body in `of`, or no body
static bool is_of_body(const sp_scene_node *node, const char *body) {
    const sp_attr *of = node ? sp__attr(node, "of") : NULL;
    bool all = !of || of->count == 0;
    for (int i = 0; !all && i < of->count; i++)
        if (path_fits(of->words[i], body)) return true;
    return all;
}

bool sp__picture_clips_body(const sp_run *run, const char *body) {
    return is_of_body(element(run, "clip"), body);
}

bool sp__picture_caps(const sp_run *run) {
    const sp_scene_node *clip = element(run, "clip");
    return !clip || sp__build_is(clip, "cap", "yes");
}

bool sp_run_clips(const sp_run *run, sp_body_id body, bool *cap) {
    sp_body_info info;
    *cap = sp__picture_caps(run);
    return sp_world_body_info(run->world, body, &info) >= 0 && sp__picture_clips_body(run, info.name);
}

bool sp__picture_shows_body(const sp_run *run, const char *body) {
    return is_of_body(element(run, "view"), body);
}

bool sp__picture_range(const sp_run *run, const char *field, double range[2]) {
    const sp_scene_node *view = element(run, "view");
    const char *word = strcmp(field, "contact-pressure") == 0 ? "contact" : field;
    return view && sp__attr_is(view, "color-by", word) && read_vector(view, "range", range, 2) && range[1] > range[0];
}

bool sp__picture_walls(const sp_run *run) {
    const sp_scene_node *view = element(run, "view");
    return view && sp__attr_is(view, "transparency", "layers");
}

static sp_light_type light_type(const sp_scene_node *node) {
    static const char *const names[] = {"sun", "point", "spot", "ambient"};
    for (int i = 1; i < 4; i++)
        if (sp__attr_is(node, "type", names[i])) return (sp_light_type)i;
    return SP_LIGHT_SUN;
}

static void read_light(const sp_scene_node *node, const sp_drawing *d, sp_light *l) {
    *l = (sp_light){.type = light_type(node), .gloss = 1, .softness = 0.012, .shadow = sp__attr_yes(node, "shadow")};
    double color[3] = {1, 1, 1}, at[3], to[3], intensity = sp__attr_number(node, "intensity");
    read_vector(node, "color", color, 3);
    for (int i = 0; i < 3; i++) l->color[i] = sp__to_linear(color[i]) * intensity;
    if (!read_vector(node, "at", at, 3)) sp__axpy3(d->centre, 2 * d->size, d->up, at);
    if (!read_vector(node, "to", to, 3)) memcpy(to, d->centre, sizeof to);
    sp__sub3(to, at, l->aim);
    double n = sp__norm3(l->aim);
    for (int i = 0; i < 3; i++) {
        l->aim[i] = n > 0 ? l->aim[i] / n : -d->up[i];
        l->at[i] = l->type == SP_LIGHT_SUN ? -l->aim[i] : at[i];
    }
    if (l->type == SP_LIGHT_AMBIENT) l->shadow = false;
}

int sp__picture_lights(const sp_run *run, const sp_drawing *d, sp_light *lights, int capacity) {
    int n = 0;
    if (!run) return 0;
    for (const sp_scene_node *l = element(run, "light"); l && n < capacity; l = sp__next_child(l->parent, "light", l))
        read_light(l, d, &lights[n++]);
    return n;
}
