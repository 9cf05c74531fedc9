// Scenes with surfaces, parts and welds of meshes, rest shapes: the resulting world, and errors with their line.
#include "at.h"
#include "io/run/build.h"
#include "meter.h"
#include "souple/io.h"
#include "test.h"

typedef struct stage {
    sp_context *ctx;
    sp_scene *scene;
    sp_run *run;
    sp_world *w;
    sp_status status;
} stage;

static stage build(const char *text) {
    stage s = {0};
    sp_context_create(NULL, &s.ctx);
    s.status = sp_scene_parse(s.ctx, text, strlen(text), SP_SOURCE_DIR "/tests/data/test.xml", NULL, &s.scene);
    if (s.status >= 0) s.status = sp_run_create(s.scene, NULL, &s.run);
    if (s.run) s.w = sp_run_world(s.run);
    return s;
}

static void show(const stage *s) {
    for (int i = 0; s->scene && i < sp_scene_message_count(s->scene); i++) {
        sp_scene_message m = message_at(s->scene, i);
        printf("    %s:%d: %s\n", m.file, m.line, m.text);
    }
}

static void end(stage *s) {
    sp_run_destroy(&s->run);
    sp_scene_destroy(&s->scene);
    sp_context_destroy(&s->ctx);
}

static stage built(const char *text) {
    stage s = build(text);
    CHECK(s.status == SP_OK);
    if (s.status != SP_OK) show(&s);
    return s;
}

#define SCENE(inside) "<scene gravity='0 0 0'>" inside "<stop steps='1'/></scene>"
#define CUBE(attrs, inside) SCENE("<solid name='b' " attrs "><box size='1 1 1' cells='2 2 2'/>" inside "</solid>")
#define OCTA "file='surface/octa.obj' scale='0.001'"

static sp_surface_info info_of(const stage *s, int index) {
    sp_surface_info info = {0};
    CHECK(sp_world_surface_info(s->w, sp_world_body_named(s->w, "b"), 1 + index, &info) == SP_OK);
    return info;
}

static int count_of(const stage *s) {
    return sp_world_surface_count(s->w, sp_world_body_named(s->w, "b")) - 1;
}

// ------------------------------------------------------------------------------------------------ surfaces

TEST(a_file_is_embedded_in_a_placed_solid) {
    stage s =
        built(SCENE("<look name='red' color='1 0 0' opacity='0.5'/><solid name='b' scale='2' rotate='0 0 90' translate='5 0 0'>"
                    "<box size='1 1 1' cells='2 2 2'/><surface name='skin' role='visual' look='red' " OCTA "/></solid>"));
    REQUIRE(s.w && count_of(&s) == 1);
    sp_surface_info info = info_of(&s, 0);
    CHECK(strcmp(info.name, "skin") == 0 && info.roles == SP_ROLE_VISUAL && info.vertex_count == 6 && info.face_count == 8);
    CHECK_INT(info.outside, 0);
    // 0.8 0.5 0.5 is doubled, rotated about z and shifted: -1 + 5, 1.6, 1
    double x[18];
    const double want[3] = {4, 1.6, 1};
    sp_world_surface_get(s.w, sp_world_body_named(s.w, "b"), 1, x, NULL, NULL);
    for (int k = 0; k < 3; k++) CHECK_NEAR(x[k], want[k], 1e-14);
    // colours and texture coordinates are kept
    CHECK(sp_world_publish(s.w) == SP_OK);
    const sp_snapshot *snapshot = sp_world_snapshot_acquire(s.w);
    const sp_snapshot_surface *f = &snapshot->bodies[0].surfaces[1];
    REQUIRE(f->colors && f->texcoords);
    CHECK(f->colors[0] == 1 && f->colors[4] == 0 && f->colors[5] == 1 && f->texcoords[2] == 1 && f->texcoords[5] == 1);
    sp_world_snapshot_release(s.w, snapshot);
    end(&s);
}

TEST(appearance_of_surfaces_overrides_that_of_bodies) {
    stage s = built(SCENE("<look name='red' color='1 0 0'/><look name='blue' color='0 0 1'/>"
                          "<solid name='b' look='blue'><box size='1 1 1' cells='1 1 1'/>"
                          "<surface role='visual' look='red' " OCTA "/><surface role='visual' " OCTA "/></solid>"
                          "<solid name='c'><box size='1 1 1' cells='1 1 1'/>"
                          "<surface role='visual collision' look='red'/></solid>"));
    REQUIRE(s.run);
    sp_body_id b = sp_world_body_named(s.w, "b");
    uint32_t c = sp_world_body_named(s.w, "c").slot;
    sp_run_look look;
    CHECK(sp_run_look_of(s.run, b, 0, &look) && look.color[2] == 1);
    CHECK(sp_run_look_of(s.run, b, 1, &look) && look.color[0] == 1 && look.color[2] == 0);
    CHECK(sp_run_look_of(s.run, b, 2, &look) && look.color[2] == 1);  // that of the body
    CHECK(sp_run_look_of(s.run, b, 8, &look) && look.color[2] == 1);
    // the boundary in both roles needs no surface of the engine; its appearance is that of the body
    CHECK_INT(sp_world_surface_count(s.w, sp_world_body_named(s.w, "c")), 1);
    CHECK(sp__run_look(s.run, c, &look) && look.color[0] == 1);
    end(&s);
}

// a role that no other surface has belongs to the boundary anyway; otherwise it becomes a surface
TEST(plain_surfaces) {
    static const struct {
        const char *text;
        int count;
    } cases[] = {
        {CUBE("", "<surface role='visual collision'/>"), 0},
        {CUBE("", "<surface role='visual'/><surface role='collision'/>"), 0},
        {CUBE("", "<surface role='visual' " OCTA "/><surface role='collision'/>"), 1},
        {CUBE("", "<surface role='visual' " OCTA "/><surface role='visual'/>"), 2},
        {CUBE("", "<surface role='collision' " OCTA "/>"), 1},
        {CUBE("", "<surface role='visual' enabled='no' " OCTA "/>"), 0},
        {SCENE("<rigid name='b'><box size='1 1 1'/><surface role='visual' " OCTA "/></rigid>"), 1},
        {SCENE("<rigid name='b'><box size='1 1 1'/><surface role='visual collision'/></rigid>"), 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stage s = built(cases[i].text);
        if (s.w) CHECK_INT(count_of(&s), cases[i].count);
        end(&s);
    }
}

TEST(boundary_in_part_and_refined) {
    stage s = built(CUBE("translate='3 0 0'", "<surface name='top' role='visual' plane='0 1 0 0 1 0'/>"
                                              "<surface name='fine' role='visual' subdivide='2'/>"
                                              "<surface name='flat' role='visual' subdivide='2' smooth='no'/>"
                                              "<surface name='both' role='visual' plane='0 1 0 0 1 0' subdivide='1'/>"));
    REQUIRE(s.w && count_of(&s) == 4);
    CHECK_INT(info_of(&s, 0).face_count, 8);
    CHECK_INT(info_of(&s, 1).face_count, 48 * 16);
    CHECK_INT(info_of(&s, 2).face_count, 48 * 16);
    CHECK_INT(info_of(&s, 3).face_count, 32);
    // a cube's edges are sharp: nothing is rounded, and rounded vertices stay inside
    for (int i = 0; i < 4; i++) CHECK_INT(info_of(&s, i).outside, 0);
    double x[3 * 4096];
    sp_world_surface_get(s.w, sp_world_body_named(s.w, "b"), 2, x, NULL, NULL);
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < info_of(&s, 1).vertex_count; i++) low = fmin(low, x[3 * i]), high = fmax(high, x[3 * i]);
    CHECK_NEAR(low, 3, 1e-12);
    CHECK_NEAR(high, 4, 1e-12);
    end(&s);
    // a ball gets rounder: a coarse one of radius 1 has the volume of its flat facets; subdivided and rounded the volume changes
    s = built(SCENE("<solid name='b'><sphere radius='1' cells='2'/><surface role='visual' subdivide='1'/></solid>"));
    REQUIRE(s.w && count_of(&s) == 1);
    CHECK(info_of(&s, 0).vertex_count > 100 && info_of(&s, 0).farthest < 0.1);
    end(&s);
}

#define ORGAN(more) \
    SCENE("<solid name='b' rotate='0 0 90' translate='1 0 0'><organ kind='liver' length='0.2' elements='500'/>" more "</solid>")

// The boundary of a finer organ has the place of the coarse one. Its vertices lie within the chord height of the coarse cells,
// which are about 0.02 m wide.
TEST(organs_have_finer_surfaces) {
    stage s = built(ORGAN("<surface role='visual' elements='4000'/><surface role='visual' elements='4000' subdivide='1'/>"));
    REQUIRE(s.w && count_of(&s) == 2);
    sp_surface_info fine = info_of(&s, 0), coarse;
    REQUIRE(sp_world_surface_info(s.w, sp_world_body_named(s.w, "b"), 0, &coarse) >= 0);
    CHECK(fine.face_count > 2 * coarse.face_count && fine.farthest < 0.02);
    CHECK_INT(info_of(&s, 1).face_count, 4 * fine.face_count);
    end(&s);
}

TEST(flip_reverses_normals) {
    double n[2][18];
    for (int flip = 0; flip < 2; flip++) {
        stage s = built(flip ? CUBE("", "<surface role='visual' flip='yes' " OCTA "/>")
                             : CUBE("", "<surface role='visual' " OCTA "/>"));
        REQUIRE(s.w && count_of(&s) == 1);
        sp_world_surface_get(s.w, sp_world_body_named(s.w, "b"), 1, NULL, NULL, n[flip]);
        end(&s);
    }
    CHECK_NEAR(n[0][0], 1, 1e-15);
    CHECK_NEAR(n[1][0], -1, 1e-15);
}

TEST(a_file_is_attached_to_a_rigid_body) {
    stage s = built(SCENE("<rigid name='b' scale='2' translate='1 0 0' motion='kinematic'><box size='1 1 1'/>"
                          "<surface role='visual' " OCTA "/><move translate='0 {3*t} 0'/></rigid>"));
    REQUIRE(s.w && count_of(&s) == 1);
    double x[18];
    CHECK(sp_run_step(s.run) == SP_OK);
    sp_world_surface_get(s.w, sp_world_body_named(s.w, "b"), 1, x, NULL, NULL);
    CHECK_NEAR(x[0], 1 + 1.6, 1e-14);
    CHECK_NEAR(x[1], 1 + 0.03, 1e-14);
    end(&s);
}

static int warnings_of(const stage *s, const char *part) {
    int n = 0;
    for (int i = 0; i < sp_scene_message_count(s->scene); i++) {
        sp_scene_message m = message_at(s->scene, i);
        n += m.severity == SP_SEVERITY_WARNING && strstr(m.text, part) != NULL;
    }
    return n;
}

TEST(vertices_far_outside_cause_a_warning) {
    stage s = built(CUBE("", "<surface role='visual' file='surface/octa.obj'/>"));  // in millimetres, without a scale
    CHECK_INT(warnings_of(&s, "do scale and place agree?"), 1);
    CHECK_INT(warnings_of(&s, "6 of 6 vertices"), 1);
    end(&s);
    s = built(CUBE("", "<surface role='visual' " OCTA "/>"));
    CHECK_INT(warnings_of(&s, "agree"), 0);
    end(&s);
}

// ------------------------------------------------------------------------------------------------ refusals

static const struct {
    const char *text, *part;
} refused[] = {
    {CUBE("", "<surface/>"), "role"},
    {CUBE("", "<surface role='felt'/>"), "felt"},
    {CUBE("", "<surface role='visual' file='surface/none.obj'/>"), "none.obj"},
    {CUBE("", "<surface role='visual' file='surface/empty.obj'/>"), "empty.obj"},
    {CUBE("", "<surface role='visual' file='surface/nan.obj'/>"), "nan.obj:2"},
    {CUBE("", "<surface role='visual' scale='2'/>"), "there is no file"},
    {CUBE("", "<surface role='visual' flip='yes'/>"), "there is no file"},
    {CUBE("", "<surface role='visual' smooth='yes'/>"), "nothing is subdivided"},
    {CUBE("", "<surface role='visual' subdivide='1' " OCTA "/>"), "there is a file"},
    {CUBE("", "<surface role='visual' subdivide='5'/>"), "subdivide"},
    {CUBE("", "<surface role='visual' elements='500'/>"), "only an organ"},
    {ORGAN("<surface role='visual' elements='299'/>"), "299"},
    {ORGAN("<surface role='visual' elements='500' " OCTA "/>"), "there is a file"},
    {ORGAN("<surface role='visual' elements='500' tag='dome'/>"), "faces of the mechanical mesh"},
    {CUBE("", "<surface role='visual' box='0 0 0 1 1 1' " OCTA "/>"), "not of a file"},
    {CUBE("", "<surface role='visual' box='5 5 5 6 6 6'/>"), "selects no faces"},
    {CUBE("", "<surface role='visual' point='0 0 0'/>"), "consists of faces"},
    {CUBE("", "<surface role='visual' map='rigid'/>"), "a solid has no frame"},
    {CUBE("", "<surface role='visual' map='tube'/>"), "only a rod has one"},
    {CUBE("", "<surface role='visual' sides='5'/>"), "only the tube around a rod"},
    {CUBE("", "<surface role='collision' friction='0.5'/>"), "the scene has no contact element"},
    {CUBE("", "<surface name='a' role='visual' " OCTA "/><surface name='a' role='visual'/>"), "a"},
    {SCENE("<rigid name='b'><box size='1 1 1'/><surface role='collision' " OCTA "/></rigid>"), "touched by its shapes"},
    {SCENE("<rigid name='b'><box size='1 1 1'/><surface role='visual' map='barycentric'/></rigid>"), "has no elements"},
    {SCENE("<rigid name='b'><box size='1 1 1'/><surface role='visual' box='0 0 0 1 1 1'/></rigid>"), "not of a rigid body"},
    {SCENE("<solid name='b'><mesh file='two.msh' part='uper'/></solid>"), "did you mean \"upper\""},
    {SCENE("<solid name='b'><mesh file='two.msh' part='floor'/></solid>"), "has no volume elements"},
    {SCENE("<solid name='b'><mesh file='two.msh' part='liver'/></solid>"), "no group \"liver\""},
    {SCENE("<solid name='b'><mesh file='two.msh' weld='5'/></solid>"), "would collapse"},
    {SCENE("<solid name='b'><mesh file='two.msh' flip='yes'/></solid>"), "oriented automatically"},
    {SCENE("<solid name='b'><mesh file='two.msh'/><rest/></solid>"), "needs a file"},
    {SCENE("<solid name='b'><mesh file='two.msh'/><rest file='surface/split.msh'/></solid>"), "8 nodes"},
    {SCENE("<solid name='b'><mesh file='two.msh'/><rest file='surface/octa.obj'/></solid>"), "octa.obj"},
    {SCENE("<solid name='b'><mesh file='two.msh'/><rest file='surface/rest.msh' flat='yes'/></solid>"), "not in this build"},
};

TEST(invalid_surfaces_are_refused_with_a_message) {
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        stage s = build(refused[i].text);
        int hits = 0;
        for (int k = 0; s.scene && k < sp_scene_message_count(s.scene); k++)
            hits += strstr(message_at(s.scene, k).text, refused[i].part) != NULL;
        CHECK(s.status == SP_BAD_INPUT);
        if (hits == 0) printf("    \"%s\" of %s not in:\n", refused[i].part, refused[i].text), show(&s);
        CHECK(hits > 0);
        end(&s);
    }
}

// ------------------------------------------------------------------------------------------------ parts, welds, rest

TEST(a_part_of_a_mesh) {
    stage s = built(SCENE("<solid name='b' density='@rho'><mesh file='two.msh' part='upper'/>"
                          "<probe name='p' nodes='20' quantity='position' every='1'/><fix tag='floor' empty='yes'/></solid>"));
    REQUIRE(s.w);
    sp_body_info info;
    sp_body_measures measures;
    CHECK(sp_world_body_info(s.w, sp_world_body_named(s.w, "b"), &info) == SP_OK);
    CHECK(sp_world_body_measure(s.w, info.id, &measures) == SP_OK);
    CHECK(info.nodes == 4 && info.elements == 1);
    CHECK_NEAR(measures.mass, 1200.0 / 6, 1e-12);  // the array is kept
    CHECK(sp_run_step(s.run) == SP_OK);
    sp_run_probe p;
    sp_run_probe_at(s.run, 0, &p);
    CHECK(p.sample_count > 0 && p.values[0] == -1);  // node 20 of the file
    end(&s);
}

TEST(welding_merges_near_nodes) {
    for (int weld = 0; weld < 2; weld++) {
        stage s = built(weld ? SCENE("<solid name='b'><mesh file='surface/split.msh' scale='0.001' weld='1e-9'/></solid>")
                             : SCENE("<solid name='b'><mesh file='surface/split.msh' scale='0.001'/></solid>"));
        REQUIRE(s.w);
        sp_body_info info;
        sp_body_measures measures;
        sp_world_body_info(s.w, sp_world_body_named(s.w, "b"), &info);
        sp_world_body_measure(s.w, info.id, &measures);
        CHECK(info.elements == 2 && info.nodes == (weld ? 5 : 8));
        CHECK_NEAR(measures.rest_volume, 2e-9 / 6, 1e-15);
        end(&s);
    }
}

// the shape gives the initial positions, the rest file the rest shape: at half of its rest size the body presses outwards
TEST(another_rest_shape) {
    stage s = built(SCENE("<solid name='b' translate='1 0 0'><mesh file='two.msh'/><rest file='surface/rest.msh' scale='0.001'/>"
                          "<probe name='p' near='2 0 0' quantity='position' every='1'/></solid>"));
    REQUIRE(s.w);
    sp_body_measures info;
    double x[18];
    sp_body_id b = sp_world_body_named(s.w, "b");
    sp_world_body_measure(s.w, b, &info);
    CHECK_NEAR(info.rest_volume, 8.0 / 3, 1e-13);
    CHECK_NEAR(info.volume, 1.0 / 3, 1e-13);
    CHECK(info.elastic > 1);
    sp_world_field(s.w, b, "position", x);
    CHECK(x[3] == 2 && x[4] == 0);  // at its placed position; selections use the rest shape
    CHECK(sp_run_step(s.run) == SP_OK);
    sp_world_body_measure(s.w, b, &info);
    CHECK(info.volume > 1.0 / 3);
    end(&s);
}

// the n-th allocation fails, for every n: the scene is refused or built, nothing leaks
TEST(failed_allocations_while_building) {
    static const char text[] = SCENE(
        "<solid name='a'><mesh file='surface/split.msh' part='lower' weld='1e-6'/><surface role='visual' flip='yes' " OCTA "/>"
        "<surface role='collision' subdivide='1' plane='0 0 0 0 -1 0'/></solid>"
        "<solid name='c'><mesh file='two.msh'/><rest file='surface/rest.msh'/></solid>");
    long n = 0;
    for (sp_status status = SP_NO_MEMORY; status != SP_OK && n < 5000; n++) {
        meter m = {n, 0};
        sp_context_def def = metered_context(&m);
        stage s = {0};
        status = sp_context_create(&def, &s.ctx);
        if (status >= 0) status = sp_scene_parse(s.ctx, text, strlen(text), SP_SOURCE_DIR "/tests/data/test.xml", NULL, &s.scene);
        if (status >= 0) status = sp_run_create(s.scene, NULL, &s.run);
        if (status != SP_OK && status != SP_NO_MEMORY)
            SP_TEST_FAILED("allocation %ld refused: %s", n, sp_status_name(status)), show(&s);
        end(&s);
        CHECK_INT(m.live, 0);
    }
    CHECK(n > 100 && n < 5000);
}
