// glTF 2.0 in one binary file (.glb), for game engines, browsers and slides. Each visible surface is a mesh of a node. A rigid
// body is animated by its node; what deforms has a morph target for each frame after the first, and weights that lead from one to
// the next, so that a viewer interpolates positions linearly. What never moves has neither.
//
// Frames are collected as they come, and the file is written at the end, when their number is known.
// Format: Khronos Group, glTF 2.0 Specification.
#include <float.h>
#include <stdio.h>

#include "io/file/text_file.h"
#include "util/buffer.h"

enum { FRAMES_MOST = 10000, ARRAY_TARGET = 34962, INDEX_TARGET = 34963, FLOATS = 5126, INTEGERS = 5125 };

// A visible surface of a body, with its vertices in each frame; of a rigid body the poses instead.
typedef struct track {
    sp_body_id body;
    int body_index, surface;  // in the snapshots
    uint32_t revision;
    int vertex_count, face_count;
    uint32_t *faces;
    float *colors;  // nullable
    bool rigid, smooth;
    sp_buffer positions, normals;  // floats: vertices of a frame after the other; rigid: of the first, in the body's frame
    sp_buffer poses;               // floats: x y z, quaternion x y z w
    bool moves;
    sp_run_look look;
    char *name;
} track;

struct sp_gltf {
    sp_context *ctx;
    sp_keep keep;
    sp_run *run;
    const char *path;
    double first;
    sp_buffer times;  // floats, from 0
    track *tracks;
    int track_count, frame_count, body_count;
    bool normals;
    // while writing
    sp_buffer json, binary, views, accessors;
    int view_count, accessor_count;
};

sp_gltf_options sp_gltf_options_default(void) {
    return (sp_gltf_options){.normals = true, .cookie = SP_COOKIE_GLTF};
}

// ---------------------------------------------------------------------------------------------- collecting

static float *floats_of(const sp_buffer *b) {
    return (float *)(void *)b->data;
}

// out = q^-1 (x - p) for the first frame of a rigid body
static void into_frame(const double pose[7], const float in[3], bool point, float out[3]) {
    double v[3], q[4] = {pose[3], -pose[4], -pose[5], -pose[6]};
    for (int i = 0; i < 3; i++) v[i] = in[i] - (point ? pose[i] : 0);
    double t[3] = {2 * (q[2] * v[2] - q[3] * v[1]), 2 * (q[3] * v[0] - q[1] * v[2]), 2 * (q[1] * v[1] - q[2] * v[0])};
    out[0] = (float)(v[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1]);
    out[1] = (float)(v[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2]);
    out[2] = (float)(v[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0]);
}

static sp_status gltf_no_memory(sp_gltf *g) {
    return SP_FAIL(g->ctx, SP_NO_MEMORY, "%s: no memory for its frames", g->path);
}

static bool is_visible(const sp_snapshot_surface *s) {
    return s->roles & SP_ROLE_VISUAL && s->face_count > 0;
}

static sp_status start_track(sp_gltf *g, const sp_snapshot_body *body, int body_index, int surface, track *t) {
    const sp_snapshot_surface *s = &body->surfaces[surface];
    sp_body_info info;
    SP_TRY(sp_world_body_info(sp_run_world(g->run), body->id, &info));
    *t = (track){.body = body->id, .body_index = body_index, .surface = surface, .revision = s->revision};
    t->vertex_count = s->vertex_count, t->face_count = s->face_count;
    t->rigid = strcmp(info.kind, "rigid") == 0, t->smooth = s->normals != NULL;
    sp_run_look_of(g->run, body->id, surface, &t->look);
    char name[160];
    snprintf(name, sizeof name, "%s%s%s", body->name, surface ? "/" : "", surface ? s->name : "");
    t->name = sp__keep_text(&g->keep, name);
    SP_KEEP(&g->keep, t->faces, 3 * (size_t)t->face_count);
    if (s->colors) SP_KEEP(&g->keep, t->colors, 4 * (size_t)t->vertex_count);
    if (!t->name || !t->faces || (s->colors && !t->colors)) return gltf_no_memory(g);
    memcpy(t->faces, s->faces, 3 * (size_t)t->face_count * sizeof *t->faces);
    if (t->colors) memcpy(t->colors, s->colors, 4 * (size_t)t->vertex_count * sizeof *t->colors);
    return SP_OK;
}

static sp_status start_tracks(sp_gltf *g, const sp_snapshot *s) {
    int count = 0;
    for (int b = 0; b < s->body_count; b++)
        for (int k = 0; k < s->bodies[b].surface_count; k++) count += is_visible(&s->bodies[b].surfaces[k]);
    if (!count) return SP_FAIL(g->ctx, SP_BAD_INPUT, "%s: the scene has no surface that is seen", g->path);
    if (!SP_KEEP(&g->keep, g->tracks, count)) return gltf_no_memory(g);
    g->body_count = s->body_count;
    for (int b = 0; b < s->body_count; b++)
        for (int k = 0; k < s->bodies[b].surface_count; k++)
            if (is_visible(&s->bodies[b].surfaces[k])) {
                SP_TRY(start_track(g, &s->bodies[b], b, k, &g->tracks[g->track_count]));
                g->track_count++;
            }
    return SP_OK;
}

static sp_status add_pose(sp_gltf *g, track *t, const sp_snapshot_surface *s) {
    double pose[7];
    SP_TRY(sp_world_field(sp_run_world(g->run), t->body, "pose", pose));
    const float row[7] = {(float)pose[0], (float)pose[1], (float)pose[2], (float)pose[4],
                          (float)pose[5], (float)pose[6], (float)pose[3]};
    const float *last = t->poses.size ? floats_of(&t->poses) + t->poses.size / sizeof *row - 7 : row;
    t->moves = t->moves || memcmp(last, row, sizeof row) != 0;
    sp__buffer_add(g->ctx, &t->poses, row, sizeof row);
    for (int i = 0; !g->frame_count && i < s->vertex_count; i++) {
        float x[3];
        into_frame(pose, s->positions + 3 * (size_t)i, true, x);
        sp__buffer_add(g->ctx, &t->positions, x, sizeof x);
        if (s->normals) into_frame(pose, s->normals + 3 * (size_t)i, false, x);
        if (s->normals) sp__buffer_add(g->ctx, &t->normals, x, sizeof x);
    }
    return t->poses.broken || t->positions.broken || t->normals.broken ? gltf_no_memory(g) : SP_OK;
}

static sp_status add_vertices(sp_gltf *g, track *t, const sp_snapshot_surface *s) {
    size_t size = 3 * (size_t)t->vertex_count * sizeof(float);
    t->moves = t->moves || (g->frame_count && memcmp(t->positions.data, s->positions, size) != 0);
    sp__buffer_add(g->ctx, &t->positions, s->positions, size);
    if (t->smooth) sp__buffer_add(g->ctx, &t->normals, s->normals, size);
    return t->positions.broken || t->normals.broken ? gltf_no_memory(g) : SP_OK;
}

static sp_status add_frame(sp_gltf *g, const sp_snapshot *s) {
    for (int i = 0; i < g->track_count; i++) {
        track *t = &g->tracks[i];
        const sp_snapshot_body *body = s->body_count == g->body_count ? &s->bodies[t->body_index] : NULL;
        const sp_snapshot_surface *surface = body && t->surface < body->surface_count ? &body->surfaces[t->surface] : NULL;
        if (!surface || surface->revision != t->revision || surface->vertex_count != t->vertex_count)
            return SP_FAIL(g->ctx, SP_BAD_INPUT,
                           "%s: \"%s\" has another surface from t = %g s on, which an animation cannot follow; end before it "
                           "(--until)",
                           g->path, t->name, s->time);
        SP_TRY(t->rigid ? add_pose(g, t, surface) : add_vertices(g, t, surface));
    }
    return SP_OK;
}

sp_status sp_gltf_create(sp_run *run, const char *path, const sp_gltf_options *options, sp_gltf **out) {
    sp_context *ctx = sp_world_context(sp_run_world(run));
    sp_gltf_options fallback = sp_gltf_options_default();
    if (!options) options = &fallback;
    *out = NULL;
    if (options->cookie != SP_COOKIE_GLTF)
        return SP_FAIL(ctx, SP_BAD_INPUT, "sp_gltf_options: start from sp_gltf_options_default()");
    sp_gltf *g = sp__alloc(ctx, 1, sizeof *g);
    if (!g) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for %s", path);
    *g = (sp_gltf){.ctx = ctx, .keep.ctx = ctx, .run = run, .normals = options->normals};
    g->path = sp__keep_text(&g->keep, path);
    if (!g->path) {
        sp_gltf_destroy(&g);
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for %s", path);
    }
    *out = g;
    return SP_OK;
}

sp_status sp_gltf_frame(sp_gltf *g, double time) {
    if (g->frame_count == FRAMES_MOST) return SP_FAIL(g->ctx, SP_BAD_INPUT, "%s: more than %d frames", g->path, FRAMES_MOST);
    if (!g->frame_count) g->first = time;
    float t = (float)(time - g->first);
    const float *times = floats_of(&g->times);
    if (!isfinite(time) || (g->frame_count && t <= times[g->frame_count - 1]))
        return SP_FAIL(g->ctx, SP_BAD_INPUT, "%s: a frame at %g s, which is not after the last one", g->path, time);
    SP_TRY(sp_world_publish(sp_run_world(g->run)));
    const sp_snapshot *s = sp_world_snapshot_acquire(sp_run_world(g->run));
    if (!s) return SP_FAIL(g->ctx, SP_BAD_INPUT, "%s: the world has published no snapshot", g->path);
    sp_status status = g->frame_count ? SP_OK : start_tracks(g, s);
    if (status >= 0) status = add_frame(g, s);
    sp_world_snapshot_release(sp_run_world(g->run), s);
    if (status >= 0 && !sp__buffer_add(g->ctx, &g->times, &t, sizeof t)) status = gltf_no_memory(g);
    if (status >= 0) g->frame_count++;
    return status;
}

// ---------------------------------------------------------------------------------------------- parts of the file

// numbers of a JSON text have a point in every locale
static void add_number(sp_gltf *g, sp_buffer *b, float value) {
    char text[40];
    snprintf(text, sizeof text, "%.9g", (double)value);
    for (char *c = text; *c; c++)
        if (*c == ',') *c = '.';
    sp__buffer_print(g->ctx, b, "%s", text);
}

static void add_numbers(sp_gltf *g, sp_buffer *b, const char *key, const float *values, int count) {
    sp__buffer_print(g->ctx, b, ",\"%s\":[", key);
    for (int i = 0; i < count; i++) {
        if (i) sp__buffer_print(g->ctx, b, ",");
        add_number(g, b, values[i]);
    }
    sp__buffer_print(g->ctx, b, "]");
}

static void add_text(sp_gltf *g, sp_buffer *b, const char *text) {
    sp__buffer_print(g->ctx, b, "\"");
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            sp__buffer_print(g->ctx, b, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            sp__buffer_print(g->ctx, b, "\\u%04x", (unsigned)*c);
        else
            sp__buffer_add(g->ctx, b, c, 1);
    }
    sp__buffer_print(g->ctx, b, "\"");
}

static const char *separator(int count) {
    return count ? "," : "";
}

// bytes of the binary chunk as a view; all of our components have 4 bytes, so that every view is aligned
static int add_view(sp_gltf *g, const void *data, size_t size, int target) {
    char of[40] = "";
    if (target) snprintf(of, sizeof of, ",\"target\":%d", target);
    sp__buffer_print(g->ctx, &g->views, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu%s}", separator(g->view_count),
                     g->binary.size, size, of);
    sp__buffer_add(g->ctx, &g->binary, data, size);
    return g->view_count++;
}

static int add_accessor(sp_gltf *g, const void *data, size_t count, int width, int component, int target, bool bounds) {
    static const char *const types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    int view = add_view(g, data, count * (size_t)width * 4, target);
    sp__buffer_print(g->ctx, &g->accessors, "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"",
                     separator(g->accessor_count), view, component, count, types[width]);
    if (bounds) {
        const float *x = data;
        float low[4], high[4];
        for (int k = 0; k < width; k++) low[k] = FLT_MAX, high[k] = -FLT_MAX;
        for (size_t i = 0; i < count * (size_t)width; i++) {
            low[i % (size_t)width] = fminf(low[i % (size_t)width], x[i]);
            high[i % (size_t)width] = fmaxf(high[i % (size_t)width], x[i]);
        }
        add_numbers(g, &g->accessors, "min", low, width);
        add_numbers(g, &g->accessors, "max", high, width);
    }
    sp__buffer_print(g->ctx, &g->accessors, "}");
    return g->accessor_count++;
}

// ---------------------------------------------------------------------------------------------- meshes

// colours of scenes are sRGB, those of glTF linear
static float linear_of(double c) {
    return (float)(c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
}

static void add_material(sp_gltf *g, sp_buffer *b, const track *t) {
    float color[4] = {linear_of(t->look.color[0]), linear_of(t->look.color[1]), linear_of(t->look.color[2]),
                      (float)t->look.opacity};
    for (int i = 0; t->colors && i < 3; i++) color[i] = 1;  // the vertices have their own
    sp__buffer_print(g->ctx, b, "{\"pbrMetallicRoughness\":{\"metallicFactor\":");
    add_number(g, b, (float)t->look.metallic);
    sp__buffer_print(g->ctx, b, ",\"roughnessFactor\":");
    add_number(g, b, (float)t->look.roughness);
    add_numbers(g, b, "baseColorFactor", color, 4);
    sp__buffer_print(g->ctx, b, "},\"doubleSided\":true%s}", t->look.opacity < 1 ? ",\"alphaMode\":\"BLEND\"" : "");
}

static bool morphs(const track *t) {
    return t->moves && !t->rigid;
}

// the difference of a frame to the first
static int add_target(sp_gltf *g, const sp_buffer *frames, int frame, int vertex_count, bool bounds, float *scratch) {
    size_t n = 3 * (size_t)vertex_count;
    const float *first = floats_of(frames), *x = first + n * (size_t)frame;
    for (size_t i = 0; i < n; i++) scratch[i] = x[i] - first[i];
    return add_accessor(g, scratch, (size_t)vertex_count, 3, FLOATS, ARRAY_TARGET, bounds);
}

static sp_status add_targets(sp_gltf *g, sp_buffer *b, const track *t) {
    float *scratch = sp__alloc(g->ctx, 3 * (size_t)t->vertex_count, sizeof *scratch);
    if (!scratch) return gltf_no_memory(g);
    sp__buffer_print(g->ctx, b, ",\"targets\":[");
    for (int f = 1; f < g->frame_count; f++) {
        sp__buffer_print(g->ctx, b, "%s{\"POSITION\":%d", separator(f - 1),
                         add_target(g, &t->positions, f, t->vertex_count, true, scratch));
        if (t->smooth && g->normals)
            sp__buffer_print(g->ctx, b, ",\"NORMAL\":%d", add_target(g, &t->normals, f, t->vertex_count, false, scratch));
        sp__buffer_print(g->ctx, b, "}");
    }
    sp__buffer_print(g->ctx, b, "]");
    sp__free(g->ctx, scratch);
    return SP_OK;
}

static sp_status add_mesh(sp_gltf *g, sp_buffer *b, const track *t, int index) {
    size_t n = (size_t)t->vertex_count;
    int indices = add_accessor(g, t->faces, 3 * (size_t)t->face_count, 1, INTEGERS, INDEX_TARGET, false);
    int positions = add_accessor(g, t->positions.data, n, 3, FLOATS, ARRAY_TARGET, true);
    sp__buffer_print(g->ctx, b, "%s{\"name\":", separator(index));
    add_text(g, b, t->name);
    sp__buffer_print(g->ctx, b, ",\"primitives\":[{\"indices\":%d,\"material\":%d,\"attributes\":{\"POSITION\":%d", indices,
                     index, positions);
    if (t->smooth && g->normals)
        sp__buffer_print(g->ctx, b, ",\"NORMAL\":%d", add_accessor(g, t->normals.data, n, 3, FLOATS, ARRAY_TARGET, false));
    if (t->colors) {
        for (size_t i = 0; i < 4 * n; i++)
            if (i % 4 < 3) t->colors[i] = linear_of(t->colors[i]);
        sp__buffer_print(g->ctx, b, ",\"COLOR_0\":%d", add_accessor(g, t->colors, n, 4, FLOATS, ARRAY_TARGET, false));
    }
    sp__buffer_print(g->ctx, b, "}");
    if (morphs(t)) SP_TRY(add_targets(g, b, t));
    sp__buffer_print(g->ctx, b, "}]}");
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------- nodes and animation

static void add_node(sp_gltf *g, const track *t, int index) {
    sp_buffer *b = &g->json;
    sp__buffer_print(g->ctx, b, ",{\"mesh\":%d,\"name\":", index);
    add_text(g, b, t->name);
    if (t->rigid) {
        add_numbers(g, b, "translation", floats_of(&t->poses), 3);
        add_numbers(g, b, "rotation", floats_of(&t->poses) + 3, 4);
    }
    sp__buffer_print(g->ctx, b, "}");
}

// The root turns the scene's upward direction to y, which is up in glTF.
static void add_nodes(sp_gltf *g) {
    sp_picture_def picture = sp_run_picture(g->run);
    double x = picture.up[0], y = picture.up[1], z = picture.up[2], norm = sqrt(x * x + y * y + z * z);
    float turn[4] = {0, 0, 0, 1};
    if (norm > 0) {
        double w = 1 + y / norm, qx = -z / norm, qz = x / norm, length = sqrt(w * w + qx * qx + qz * qz);
        if (length < 1e-9) w = 0, qx = 1, qz = 0, length = 1;
        turn[0] = (float)(qx / length), turn[2] = (float)(qz / length), turn[3] = (float)(w / length);
    }
    sp__buffer_print(g->ctx, &g->json, "\"nodes\":[{\"name\":\"world\"");
    add_numbers(g, &g->json, "rotation", turn, 4);
    sp__buffer_print(g->ctx, &g->json, ",\"children\":[");
    for (int i = 0; i < g->track_count; i++) sp__buffer_print(g->ctx, &g->json, "%s%d", separator(i), i + 1);
    sp__buffer_print(g->ctx, &g->json, "]}");
    for (int i = 0; i < g->track_count; i++) add_node(g, &g->tracks[i], i);
    sp__buffer_print(g->ctx, &g->json, "]");
}

// weights of the targets in each frame: none in the first, then one after the other; the same for all meshes
static int add_weights(sp_gltf *g) {
    size_t targets = (size_t)g->frame_count - 1, count = targets * (size_t)g->frame_count;
    float *weights = sp__alloc(g->ctx, count, sizeof *weights);
    if (!weights) return -1;
    for (size_t f = 1; f <= targets; f++) weights[f * targets + f - 1] = 1;
    int accessor = add_accessor(g, weights, count, 1, FLOATS, 0, false);
    sp__free(g->ctx, weights);
    return accessor;
}

// columns of the poses: translation, or rotation with the sign that is nearer to the last
static int add_column(sp_gltf *g, const track *t, int from, int width) {
    float *values = sp__alloc(g->ctx, (size_t)g->frame_count * (size_t)width, sizeof *values);
    if (!values) return -1;
    for (int f = 0; f < g->frame_count; f++) {
        const float *row = floats_of(&t->poses) + 7 * (size_t)f + from;
        float *out = values + (size_t)f * (size_t)width, along = 0;
        for (int k = 0; width == 4 && f && k < 4; k++) along += row[k] * out[k - 4];
        for (int k = 0; k < width; k++) out[k] = along < 0 ? -row[k] : row[k];
    }
    int accessor = add_accessor(g, values, (size_t)g->frame_count, width, FLOATS, 0, false);
    sp__free(g->ctx, values);
    return accessor;
}

typedef struct animation {
    sp_buffer channels, samplers;
    int count, times;
} animation;

static void add_channel(sp_gltf *g, animation *a, int node, const char *path, int output) {
    sp__buffer_print(g->ctx, &a->samplers, "%s{\"input\":%d,\"output\":%d,\"interpolation\":\"LINEAR\"}", separator(a->count),
                     a->times, output);
    sp__buffer_print(g->ctx, &a->channels, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}", separator(a->count),
                     a->count, node, path);
    a->count++;
}

static sp_status add_animation(sp_gltf *g) {
    animation a = {.times = -1};
    int weights = -1;
    bool good = true;
    for (int i = 0; i < g->track_count && g->frame_count > 1 && good; i++) {
        const track *t = &g->tracks[i];
        if (!t->moves) continue;
        if (a.times < 0) a.times = add_accessor(g, g->times.data, (size_t)g->frame_count, 1, FLOATS, 0, true);
        if (t->rigid) {
            int moves = add_column(g, t, 0, 3), turns = add_column(g, t, 3, 4);
            good = moves >= 0 && turns >= 0;
            add_channel(g, &a, i + 1, "translation", moves);
            add_channel(g, &a, i + 1, "rotation", turns);
        } else {
            if (weights < 0) weights = add_weights(g);
            good = weights >= 0;
            add_channel(g, &a, i + 1, "weights", weights);
        }
    }
    if (a.count)
        sp__buffer_print(g->ctx, &g->json, ",\"animations\":[{\"name\":\"motion\",\"channels\":[%s],\"samplers\":[%s]}]",
                         a.channels.data ? a.channels.data : "", a.samplers.data ? a.samplers.data : "");
    good = good && !a.channels.broken && !a.samplers.broken;
    sp__buffer_free(g->ctx, &a.channels);
    sp__buffer_free(g->ctx, &a.samplers);
    return good ? SP_OK : gltf_no_memory(g);
}

// ---------------------------------------------------------------------------------------------- the file

static sp_status write_json(sp_gltf *g) {
    sp_buffer meshes = {0}, materials = {0};
    sp_status status = SP_OK;
    for (int i = 0; i < g->track_count && status >= 0; i++) {
        status = add_mesh(g, &meshes, &g->tracks[i], i);
        sp__buffer_print(g->ctx, &materials, "%s", separator(i));
        add_material(g, &materials, &g->tracks[i]);
    }
    sp__buffer_print(g->ctx, &g->json,
                     "{\"asset\":{\"version\":\"2.0\",\"generator\":\"souple %s\",\"extras\":{\"start\":", SP_VERSION_TEXT);
    add_number(g, &g->json, (float)g->first);
    sp__buffer_print(g->ctx, &g->json, "}},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],");
    add_nodes(g);
    sp__buffer_print(g->ctx, &g->json, ",\"meshes\":[%s],\"materials\":[%s]", meshes.data ? meshes.data : "",
                     materials.data ? materials.data : "");
    if (status >= 0) status = add_animation(g);
    sp__buffer_print(g->ctx, &g->json, ",\"buffers\":[{\"byteLength\":%zu}],\"bufferViews\":[%s],\"accessors\":[%s]}",
                     g->binary.size, g->views.data ? g->views.data : "", g->accessors.data ? g->accessors.data : "");
    while (g->json.size % 4 && !g->json.broken) sp__buffer_add(g->ctx, &g->json, " ", 1);
    bool broken =
        meshes.broken || materials.broken || g->json.broken || g->binary.broken || g->views.broken || g->accessors.broken;
    sp__buffer_free(g->ctx, &meshes);
    sp__buffer_free(g->ctx, &materials);
    return status < 0 ? status : broken ? gltf_no_memory(g) : SP_OK;
}

static void put32(unsigned char *out, size_t value) {
    for (int i = 0; i < 4; i++) out[i] = (unsigned char)(value >> 8 * i);
}

// header, then two chunks with their length and type
static sp_status write_chunks(sp_gltf *g) {
    size_t total = 12 + 8 + g->json.size + 8 + g->binary.size;
    unsigned char head[20] = "glTF", between[8] = {0};
    sp_new_file out;
    if (total > UINT32_MAX)
        return SP_FAIL(g->ctx, SP_BAD_INPUT, "%s: %.1f GB; a .glb file has less than 4.3: take fewer frames", g->path,
                       1e-9 * (double)total);
    put32(head + 4, 2), put32(head + 8, total), put32(head + 12, g->json.size), memcpy(head + 16, "JSON", 4);
    put32(between, g->binary.size), memcpy(between + 4, "BIN", 4);
    SP_TRY(sp__new_file_open(g->ctx, g->path, &out));
    bool good = fwrite(head, 1, sizeof head, out.stream) == sizeof head;
    good = good && fwrite(g->json.data, 1, g->json.size, out.stream) == g->json.size;
    good = good && fwrite(between, 1, sizeof between, out.stream) == sizeof between;
    good = good && fwrite(g->binary.data, 1, g->binary.size, out.stream) == g->binary.size;
    return sp__new_file_close(&out, good);
}

sp_status sp_gltf_write(sp_gltf *g) {
    if (!g->frame_count) return SP_FAIL(g->ctx, SP_BAD_INPUT, "%s: there is no frame", g->path);
    SP_TRY(write_json(g));
    return write_chunks(g);
}

void sp_gltf_destroy(sp_gltf **handle) {
    if (!handle || !*handle) return;
    sp_gltf *g = *handle;
    for (int i = 0; i < g->track_count; i++) {
        sp__buffer_free(g->ctx, &g->tracks[i].positions);
        sp__buffer_free(g->ctx, &g->tracks[i].normals);
        sp__buffer_free(g->ctx, &g->tracks[i].poses);
    }
    sp_buffer *const own[] = {&g->times, &g->json, &g->binary, &g->views, &g->accessors};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) sp__buffer_free(g->ctx, own[i]);
    sp__keep_free(&g->keep);
    sp__free(g->ctx, g);
    *handle = NULL;
}
