// glTF files: the structure that the specification asks for, read by a parser of our own, and the positions of every frame.
#define COMMAND_FOLDER "souple-gltf"
#include "command_folder.h"
#include "failing.h"
#include "souple/io.h"
#include "util/json_read.h"

// a soft bar with a smooth embedded surface, a free rigid body and a fixed one; z is up
static const char *const scene_text =
    "<scene version='1' name='g' dt='0.01' gravity='0 0 -9.81'>\n"
    "  <solid name='bar' young='2e4' look='red'><box size='0.4 0.1 0.1' cells='4 1 1'/><fix box='-0.01 0 0 0.01 1 1'/></solid>\n"
    "  <solid name='round' young='2e4' translate='0 1 0'><box size='0.4 0.1 0.1' cells='4 1 1'/><fix box='-0.01 0 0 0.01 1 1'/>\n"
    "    <surface role='visual' subdivide='1'/></solid>\n"
    "  <rigid name='top' motion='free' rotate='0 30 0' translate='0 0 1'><box size='0.1 0.2 0.3'/><initial spin='3 1 "
    "20'/></rigid>\n"
    "  <rigid name='block'><box size='0.1 0.1 0.1'/></rigid>\n"
    "  <look name='red' color='1 0 0' opacity='0.5' metallic='0.25'/>\n"
    "  <record file='g.xdmf' every='1' precision='double'/>\n"
    "  <event t='0.2' do='remove' of='bar' box='0.3 -1 -1 1 1 1'/>\n"
    "  <stop time='0.05'/>\n"
    "</scene>\n";

// ---------------------------------------------------------------------------------------------- a reader

typedef struct glb {
    unsigned char *data, *binary;
    size_t size, binary_size;
    sp_json_tree json;
} glb;

static size_t get32(const unsigned char *p) {
    return p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16 | (size_t)p[3] << 24;
}

static const sp_json_value *item(const sp_json_value *list, int index) {
    const sp_json_value *v = list ? list->first : NULL;
    while (v && index-- > 0) v = v->next;
    return v;
}

static const sp_json_value *part(const glb *g, const char *list, double index) {
    return index >= 0 ? item(sp__json_get(g->json.root, list), (int)index) : NULL;
}

static bool glb_read(glb *g, const char *path) {
    *g = (glb){0};
    FILE *f = fopen(path, "rb");
    g->data = malloc(TEXT_MAX);
    if (f && g->data) g->size = fread(g->data, 1, TEXT_MAX, f);
    if (f) fclose(f);
    if (g->size < 28) return false;
    size_t json = get32(g->data + 12);
    bool good = memcmp(g->data, "glTF", 4) == 0 && get32(g->data + 4) == 2 && get32(g->data + 8) == g->size &&
                memcmp(g->data + 16, "JSON", 4) == 0 && json % 4 == 0 && 28 + json <= g->size;
    if (!good) return false;
    g->binary = g->data + 28 + json;
    g->binary_size = get32(g->data + 20 + json);
    good = memcmp(g->data + 24 + json, "BIN\0", 4) == 0 && g->binary_size % 4 == 0 && 28 + json + g->binary_size == g->size;
    return good && sp__json_parse(&g->json, (const char *)g->data + 20, json);
}

static void glb_free(glb *g) {
    sp__json_free(&g->json);
    free(g->data);
}

static int width_of(const char *type) {
    return strcmp(type, "SCALAR") == 0 ? 1 : strncmp(type, "VEC", 3) == 0 ? type[3] - '0' : 0;
}

// numbers of an accessor inside the binary chunk; NULL: it is not inside
static const float *numbers(const glb *g, double accessor, int *count, int *width) {
    const sp_json_value *a = part(g, "accessors", accessor), *view = part(g, "bufferViews", sp__json_get_number(a, "bufferView"));
    double offset = sp__json_get_number(view, "byteOffset"), length = sp__json_get_number(view, "byteLength");
    *count = (int)sp__json_get_number(a, "count");
    *width = width_of(sp__json_get_text(a, "type"));
    bool inside = a && view && *count > 0 && *width > 0 && fmod(offset, 4) == 0 && length == 4.0 * *count * *width &&
                  offset + length <= (double)g->binary_size && sp__json_get_number(view, "buffer") == 0;
    return inside ? (const float *)(const void *)(g->binary + (size_t)offset) : NULL;
}

static void check_bounds(const glb *g, double accessor) {
    int count, width;
    const sp_json_value *a = part(g, "accessors", accessor);
    const float *x = numbers(g, accessor, &count, &width);
    REQUIRE(x);
    for (int k = 0; k < width; k++) {
        float low = x[k], high = x[k];
        for (int i = 0; i < count; i++) low = fminf(low, x[width * i + k]), high = fmaxf(high, x[width * i + k]);
        const sp_json_value *least = item(sp__json_get(a, "min"), k), *most = item(sp__json_get(a, "max"), k);
        REQUIRE(least && most);
        CHECK((float)least->number == low && (float)most->number == high);
    }
}

// what a viewer relies on: indices inside, bounds of positions and times, counts that fit each other
static void check_structure(const glb *g) {
    int count, width, n;
    CHECK(strcmp(sp__json_get_text(g->json.root, "asset.version"), "2.0") == 0);
    CHECK(sp__json_get_number(item(sp__json_get(g->json.root, "buffers"), 0), "byteLength") == (double)g->binary_size);
    for (int i = 0; i < sp__json_count(sp__json_get(g->json.root, "accessors")); i++)
        CHECK(numbers(g, i, &count, &width) != NULL);
    for (int i = 0; i < sp__json_count(sp__json_get(g->json.root, "meshes")); i++) {
        const sp_json_value *p = item(sp__json_get(part(g, "meshes", i), "primitives"), 0);
        double positions = sp__json_get_number(p, "attributes.POSITION");
        check_bounds(g, positions);
        REQUIRE(numbers(g, positions, &n, &width) && width == 3);
        const uint32_t *faces = (const uint32_t *)(const void *)numbers(g, sp__json_get_number(p, "indices"), &count, &width);
        REQUIRE(faces && width == 1 && count % 3 == 0);
        for (int k = 0; k < count; k++) CHECK(faces[k] < (uint32_t)n);
        CHECK(part(g, "materials", sp__json_get_number(p, "material")) != NULL);
        const sp_json_value *targets = sp__json_get(p, "targets");
        for (int k = 0; k < sp__json_count(targets); k++) {
            check_bounds(g, sp__json_get_number(item(targets, k), "POSITION"));
            CHECK(numbers(g, sp__json_get_number(item(targets, k), "POSITION"), &count, &width) && count == n);
        }
    }
    const sp_json_value *animation = part(g, "animations", 0);
    for (int i = 0; i < sp__json_count(sp__json_get(animation, "samplers")); i++) {
        const sp_json_value *s = item(sp__json_get(animation, "samplers"), i);
        check_bounds(g, sp__json_get_number(s, "input"));
        const float *t = numbers(g, sp__json_get_number(s, "input"), &n, &width);
        REQUIRE(t && width == 1 && t[0] == 0);
        for (int k = 1; k < n; k++) CHECK(t[k] > t[k - 1]);
        CHECK(numbers(g, sp__json_get_number(s, "output"), &count, &width) && count % n == 0);
    }
}

static int mesh_named(const glb *g, const char *name) {
    for (int i = 0; i < sp__json_count(sp__json_get(g->json.root, "meshes")); i++)
        if (strcmp(sp__json_get_text(part(g, "meshes", i), "name"), name) == 0) return i;
    return -1;
}

// what a viewer shows of a vertex at a key: the first frame and the target of the key with its weight
static double shown(const glb *g, int mesh, int frame, int number) {
    int count, width;
    const sp_json_value *p = item(sp__json_get(part(g, "meshes", mesh), "primitives"), 0);
    const float *x = numbers(g, sp__json_get_number(p, "attributes.POSITION"), &count, &width);
    const sp_json_value *target = frame ? item(sp__json_get(p, "targets"), frame - 1) : NULL;
    const float *d = target ? numbers(g, sp__json_get_number(target, "POSITION"), &count, &width) : NULL;
    return x ? (double)x[number] + (d ? (double)d[number] : 0) : NAN;
}

// keys of the animation of a node: width numbers each; NULL: it has none
static const float *keys_of(const glb *g, int node, const char *path, int *count, int *width) {
    const sp_json_value *animation = part(g, "animations", 0), *channels = sp__json_get(animation, "channels");
    for (int i = 0; i < sp__json_count(channels); i++) {
        const sp_json_value *c = item(channels, i);
        if (sp__json_get_number(c, "target.node") != node || strcmp(sp__json_get_text(c, "target.path"), path)) continue;
        const sp_json_value *s = item(sp__json_get(animation, "samplers"), (int)sp__json_get_number(c, "sampler"));
        return numbers(g, sp__json_get_number(s, "output"), count, width);
    }
    return NULL;
}

// ---------------------------------------------------------------------------------------------- runs

typedef struct opened {
    sp_context *context;
    sp_scene *scene;
    sp_run *run;
} opened;

static opened open_run(void) {
    opened o = {0};
    sp_context_def def = sp_context_def_default();
    sp_run_options options = sp_run_options_default();
    def.workers = 1, options.endless = true;
    bool good = sp_context_create(&def, &o.context) >= 0 &&
                sp_scene_parse(o.context, scene_text, strlen(scene_text), "g.xml", NULL, &o.scene) >= 0 &&
                sp_run_create(o.scene, &options, &o.run) >= 0;
    CHECK(good);
    if (!good) printf("  %s\n", sp_context_error(o.context)->message);
    return o;
}

static void close_run(opened *o) {
    sp_run_destroy(&o->run);
    sp_scene_destroy(&o->scene);
    sp_context_destroy(&o->context);
}

enum { FRAMES = 6, VERTICES = 2000 };

// the same vertices as the snapshots of the frames, those of the rigid body by its node. Tolerance: two roundings of float at 1 m
TEST(positions_are_those_of_the_run) {
    static float bar[FRAMES][3 * VERTICES], round_[FRAMES][3 * VERTICES], top[FRAMES][3 * VERTICES];
    opened o = open_run();
    sp_gltf *gltf = NULL;
    int counts[3] = {0};
    REQUIRE(o.run && sp_gltf_create(o.run, path_of("g.glb"), NULL, &gltf) >= 0);
    for (int f = 0; f < FRAMES; f++) {
        const sp_snapshot *s = sp_world_snapshot_acquire(sp_run_world(o.run));
        REQUIRE(s);
        const sp_snapshot_surface *from[3] = {&s->bodies[0].surfaces[0], &s->bodies[1].surfaces[1], &s->bodies[2].surfaces[0]};
        float *const to[3] = {bar[f], round_[f], top[f]};
        for (int k = 0; k < 3; k++) {
            counts[k] = from[k]->vertex_count;
            REQUIRE(counts[k] <= VERTICES);
            memcpy(to[k], from[k]->positions, (size_t)counts[k] * 3 * sizeof(float));
        }
        sp_world_snapshot_release(sp_run_world(o.run), s);
        CHECK(sp_gltf_frame(gltf, sp_world_time(sp_run_world(o.run))) >= 0);
        CHECK(sp_run_step(o.run) >= 0);
    }
    CHECK(sp_gltf_write(gltf) >= 0);
    sp_gltf_destroy(&gltf);
    glb g;
    REQUIRE(glb_read(&g, path_of("g.glb")));
    check_structure(&g);
    CHECK_INT(sp__json_count(sp__json_get(g.json.root, "meshes")), 4);
    int meshes[2] = {mesh_named(&g, "bar"), 1}, n, width;
    for (int f = 0; f < FRAMES; f++)
        for (int i = 0; i < 3 * counts[0]; i++) CHECK_NEAR(shown(&g, meshes[0], f, i), bar[f][i], 2e-7);
    for (int f = 0; f < FRAMES; f++)
        for (int i = 0; i < 3 * counts[1]; i++) CHECK_NEAR(shown(&g, meshes[1], f, i), round_[f][i], 2e-7);
    const float *weights = keys_of(&g, 1, "weights", &n, &width);
    REQUIRE(weights && n == FRAMES * (FRAMES - 1));
    for (int i = 0; i < n; i++) CHECK(weights[i] == (float)(i / (FRAMES - 1) == i % (FRAMES - 1) + 1));
    // the rigid body: q x + t of each key
    const float *moves = keys_of(&g, 3, "translation", &n, &width), *turns = keys_of(&g, 3, "rotation", &n, &width);
    REQUIRE(moves && turns && n == FRAMES && width == 4);
    for (int f = 0; f < FRAMES; f++)
        for (int i = 0; i < counts[2]; i++) {
            const float *q = turns + 4 * f;
            double x[3], t[3];
            for (int k = 0; k < 3; k++) x[k] = shown(&g, 2, 0, 3 * i + k);
            for (int k = 0; k < 3; k++) t[k] = 2 * (q[(k + 1) % 3] * x[(k + 2) % 3] - q[(k + 2) % 3] * x[(k + 1) % 3]);
            for (int k = 0; k < 3; k++) {
                double turned = x[k] + q[3] * t[k] + q[(k + 1) % 3] * t[(k + 2) % 3] - q[(k + 2) % 3] * t[(k + 1) % 3];
                CHECK_NEAR(turned + moves[3 * f + k], top[f][3 * i + k], 5e-7);
            }
        }
    // what does not move is not animated
    CHECK(!keys_of(&g, 4, "translation", &n, &width) && !keys_of(&g, 4, "weights", &n, &width));
    glb_free(&g);
    close_run(&o);
}

TEST(looks_and_the_upward_direction) {
    opened o = open_run();
    sp_gltf *gltf = NULL;
    REQUIRE(o.run && sp_gltf_create(o.run, path_of("g.glb"), NULL, &gltf) >= 0);
    CHECK(sp_gltf_frame(gltf, 0) >= 0 && sp_gltf_write(gltf) >= 0);
    sp_gltf_destroy(&gltf);
    glb g;
    REQUIRE(glb_read(&g, path_of("g.glb")));
    check_structure(&g);
    CHECK(sp__json_get(g.json.root, "animations") == NULL);
    const sp_json_value *m = part(&g, "materials", 0), *color = sp__json_get(m, "pbrMetallicRoughness.baseColorFactor");
    CHECK(item(color, 0)->number == 1 && item(color, 1)->number == 0 && item(color, 3)->number == 0.5);
    CHECK(strcmp(sp__json_get_text(m, "alphaMode"), "BLEND") == 0);
    CHECK(sp__json_get_number(m, "pbrMetallicRoughness.metallicFactor") == 0.25);
    // z is up: the root turns it to y, by -90 degrees about x
    const sp_json_value *q = sp__json_get(part(&g, "nodes", 0), "rotation");
    CHECK_NEAR(item(q, 0)->number, -sqrt(0.5), 1e-7);
    CHECK_NEAR(item(q, 3)->number, sqrt(0.5), 1e-7);
    glb_free(&g);
    close_run(&o);
}

TEST(what_cannot_be_a_frame_is_refused) {
    opened o = open_run();
    sp_gltf *gltf = NULL;
    REQUIRE(o.run && sp_gltf_create(o.run, path_of("g.glb"), NULL, &gltf) >= 0);
    CHECK(sp_gltf_write(gltf) == SP_BAD_INPUT);  // no frame
    CHECK(sp_gltf_frame(gltf, 0) >= 0);
    CHECK(sp_gltf_frame(gltf, 0) == SP_BAD_INPUT);  // not later
    for (int i = 0; i < 22; i++) CHECK(sp_run_step(o.run) >= 0);
    CHECK(sp_gltf_frame(gltf, 0.22) == SP_BAD_INPUT);  // elements of the bar are gone
    CHECK(strstr(sp_context_error(o.context)->message, "\"bar\" has another surface from t = 0.22 s on"));
    sp_gltf_destroy(&gltf);
    close_run(&o);
}

// a recording gives the file of the scene. Tolerance: 1e-6 m, roundings of float
TEST(a_recording_gives_the_same_file) {
    put("g.xml", scene_text);
    if (souple("run g.xml --out rec --quiet") != 0 && strstr(err, "HDF5")) return;
    CHECK_INT(souple("export rec/g.xdmf r.glb"), 0);
    CHECK(strstr(out, "r.glb: 6 frames, 0.0") && strstr(out, " MB\n"));
    CHECK_INT(souple("export g.xml s.glb --every 1"), 0);
    glb r, s;
    REQUIRE(glb_read(&r, path_of("r.glb")) && glb_read(&s, path_of("s.glb")));
    check_structure(&r);
    int n, width;
    const sp_json_value *p = item(sp__json_get(part(&s, "meshes", 0), "primitives"), 0);
    REQUIRE(numbers(&s, sp__json_get_number(p, "attributes.POSITION"), &n, &width));
    for (int f = 0; f < FRAMES; f++)
        for (int i = 0; i < 3 * n; i++) CHECK_NEAR(shown(&r, 0, f, i), shown(&s, 0, f, i), 1e-6);
    glb_free(&r);
    glb_free(&s);
    CHECK_INT(souple("export rec/g.xdmf one.glb --time 0.03"), 0);
    CHECK(strstr(out, "1 frame, 0.0"));
    CHECK_INT(souple("export g.xml"), 2);
    CHECK_INT(souple("export g.xml g.gltf"), 2);
    CHECK(strstr(err, "must end in .glb"));
}

TEST(every_allocation_may_fail) {
    opened o = {0};
    static failing paths;
    counter c = {.fail_at = 0};
    sp_context_def def = sp_context_def_default();
    sp_run_options options = sp_run_options_default();
    def.alloc = count_alloc, def.free = count_free, def.alloc_user = &c, def.workers = 1, options.endless = true;
    REQUIRE(sp_context_create(&def, &o.context) >= 0);
    REQUIRE(sp_scene_parse(o.context, scene_text, strlen(scene_text), "g.xml", NULL, &o.scene) >= 0);
    REQUIRE(sp_run_create(o.scene, &options, &o.run) >= 0);
    size_t live = c.live;
    c.paths = &paths;
    for (long n = 0; n == 0 || n <= paths.count; n++) {
        if (n && !paths.fails[n - 1]) continue;
        sp_gltf *gltf = NULL;
        c.calls = 0, c.fail_at = n, c.refused = 0;
        sp_status status = sp_gltf_create(o.run, path_of("f.glb"), NULL, &gltf);
        for (int f = 0; f < 3 && status >= 0; f++) status = sp_gltf_frame(gltf, f);
        if (status >= 0) status = sp_gltf_write(gltf);
        sp_gltf_destroy(&gltf);
        CHECK(c.refused ? status == SP_NO_MEMORY : status >= 0);
        CHECK_INT((long)c.live, (long)live);
        if (!n) failing_choose(&paths), c.paths = NULL;
    }
    c.fail_at = 0;
    failing_free(&paths);
    close_run(&o);
}
