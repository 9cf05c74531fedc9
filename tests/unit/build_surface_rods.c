// Surfaces of rods in scenes: the tube is visible by default and in contact on request; files are embedded by the frames.
#include "at.h"
#include "io/run/build.h"
#include "souple/io.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

typedef struct stage {
    sp_context *ctx;
    sp_scene *scene;
    sp_run *run;
    sp_body_id body;
    sp_status status;
} stage;

static stage build(const char *text) {
    stage s = {0};
    sp_context_create(NULL, &s.ctx);
    s.status = sp_scene_parse(s.ctx, text, strlen(text), SP_SOURCE_DIR "/tests/data/test.xml", NULL, &s.scene);
    if (s.status >= 0) s.status = sp_run_create(s.scene, NULL, &s.run);
    if (s.run) s.body = sp_world_body_named(sp_run_world(s.run), "r");
    for (int i = 0; s.scene && s.status < 0 && i < sp_scene_message_count(s.scene); i++)
        printf("    %s\n", message_at(s.scene, i).text);
    return s;
}

static void end(stage *s) {
    sp_run_destroy(&s->run);
    sp_scene_destroy(&s->scene);
    sp_context_destroy(&s->ctx);
}

// a thick rod that falls by its own thickness onto the ground
#define FALL(model, inside)                                                                                                      \
    "<scene dt='0.005' gravity='0 -9.81 0'><look name='red' color='1 0 0'/><rigid name='ground'><plane normal='0 1 0'/></rigid>" \
    "<rod name='r' model='" model "' length='0.4' elements='4' radius='0.02' young='1e7' root='free' "                           \
    "translate='-0.2 0.04 0' rayleigh='8 0.001'>" inside "</rod><contact formulation='penalty'/><stop steps='100'/></scene>"

static double height_at_rest(stage *s) {
    double x[15] = {0};
    for (int i = 0; i < 100; i++)
        if (sp_run_step(s->run) < 0) return NAN;
    sp_world_field(sp_run_world(s->run), s->body, "position", x);
    return x[7];  // the middle
}

TEST(the_tube_is_visible_by_default) {
    stage s = build(FALL("clothoid", "<surface role='visual' sides='6' look='red'/>"));
    REQUIRE(s.status == SP_OK);
    CHECK_INT(sp_world_surface_count(sp_run_world(s.run), s.body), 1);
    REQUIRE(sp_world_publish(sp_run_world(s.run)) == SP_OK);
    const sp_snapshot *snapshot = sp_world_snapshot_acquire(sp_run_world(s.run));
    REQUIRE(snapshot && snapshot->body_count == 2);
    const sp_snapshot_surface *b = &snapshot->bodies[1].surfaces[0];
    CHECK(b->stripes && b->rings && b->rings[1].vertex == 6);
    sp_world_snapshot_release(sp_run_world(s.run), snapshot);
    sp_run_look look;
    REQUIRE(sp__run_look(s.run, s.body.slot, &look));
    CHECK(look.color[0] == 1 && look.color[1] == 0);
    end(&s);
}

// strands side by side, as one body
#define STRANDS(count, radius, inside)                                                                               \
    "<scene dt='0.005'><template name='t'><rod name='r' length='0.2' elements='2' radius='" radius "' young='1e7' "  \
    "density='1000'>" inside "</rod></template><instance name='r' of='t' count='" count "' translate='0 0 {0.1*i}' " \
    "merge='yes'/><stop steps='1'/></scene>"

// Corners of a ring and rings of an element by the number of strands, unless the scene gives them or the tube is in contact.
TEST(many_strands_have_fewer_faces) {
    static const struct {
        const char *text;
        int sides, rings;
        bool stripes;
    } list[] = {
        {STRANDS("10", "0.001", ""), 12, 8, true},
        {STRANDS("11", "0.001", ""), 8, 8, true},
        {STRANDS("101", "0.001", ""), 3, 4, false},
        // 25 times as long as thick
        {STRANDS("101", "0.004", ""), 6, 4, true},
        {STRANDS("101", "0.001", "<surface role='visual' sides='5'/>"), 5, 8, true},
        {STRANDS("101", "0.001", "<surface role='visual' sides='auto'/>"), 3, 4, false},
        {STRANDS("101", "0.001", "<surface role='visual collision'/>"), 6, 8, true},
        {STRANDS("11", "0.001", "<surface role='collision'/>"), 12, 8, true},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        stage s = build(list[i].text);
        REQUIRE(s.status == SP_OK && sp_world_publish(sp_run_world(s.run)) == SP_OK);
        const sp_snapshot *snapshot = sp_world_snapshot_acquire(sp_run_world(s.run));
        REQUIRE(snapshot && snapshot->body_count == 1);
        const sp_snapshot_surface *b = &snapshot->bodies[0].surfaces[0];
        CHECK_INT(b->rings[1].vertex, list[i].sides);
        CHECK(b->rings[1].at == 1.0 / list[i].rings);
        CHECK((b->stripes != NULL) == list[i].stripes);
        // the first ring is in the plane x = 0; the mean width of a convex polygon is its perimeter / pi
        double around = 0, n = list[i].sides;
        for (int k = 0; k < list[i].sides; k++) {
            const float *p = b->positions + 3 * k, *q = b->positions + 3 * ((k + 1) % list[i].sides);
            around += hypot(p[1] - q[1], p[2] - q[2]);
        }
        double radius = strstr(list[i].text, "0.004") ? 0.004 : 0.001;
        // positions are floats of up to 10 m, rounded by up to 5e-7 m; those of the first strand are small
        CHECK_NEAR(around / PI, list[i].stripes ? 2 * radius * n / PI * sin(PI / n) : 2 * radius, 1e-8);
        sp_world_snapshot_release(sp_run_world(s.run), snapshot);
        end(&s);
    }
}

TEST(contact_uses_the_centreline_or_the_tube) {
    static const struct {
        const char *text;
        int surfaces;
        double height;
    } list[] = {
        {FALL("der", ""), 0, 0.02},
        {FALL("der", "<surface role='visual'/>"), 0, 0.02},
        // a polygon rests on a side: radius x cos(pi / sides)
        {FALL("der", "<surface role='collision'/>"), 1, 0.02 * 0.9659258},
        {FALL("der", "<surface role='visual collision' sides='6'/>"), 1, 0.02 * 0.8660254},
        {FALL("clothoid", "<surface role='collision' sides='6'/>"), 1, 0.02 * 0.8660254},
        {FALL("beam", "<surface role='collision' sides='6'/>"), 1, 0.02 * 0.8660254},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        stage s = build(list[i].text);
        REQUIRE(s.status == SP_OK);
        CHECK_INT(sp_world_surface_count(sp_run_world(s.run), s.body), 1 + list[i].surfaces);
        sp_surface_info info;
        if (list[i].surfaces) {
            REQUIRE(sp_world_surface_info(sp_run_world(s.run), s.body, 1, &info) == SP_OK);
            CHECK_INT(info.roles, SP_ROLE_COLLISION);  // the boundary is seen already
        }
        // the penalty spring deflects by 0.1 mm
        CHECK_NEAR(height_at_rest(&s), list[i].height, 3e-4);
        end(&s);
    }
}

TEST(a_file_is_embedded_in_a_placed_rod) {
    stage s =
        build("<scene gravity='0 0 0'><rod name='r' length='1' elements='3' radius='0.1' translate='0.1 0.2 0.3' "
              "rotate='0 0 90'><surface role='visual' file='surface/octa.obj' scale='0.0001'/></rod><stop steps='1'/></scene>");
    REQUIRE(s.status == SP_OK);
    sp_surface_info info;
    REQUIRE(sp_world_surface_info(sp_run_world(s.run), s.body, 1, &info) == SP_OK);
    CHECK_INT(info.roles, SP_ROLE_VISUAL);
    sp_trimesh *file = NULL;
    sp_trimesh_def t;
    REQUIRE(sp_trimesh_read(s.ctx, SP_SOURCE_DIR "/tests/data/surface/octa.obj", &file) == SP_OK);
    sp_trimesh_get(file, &t);
    REQUIRE(t.vertex_count == info.vertex_count && t.vertex_count <= 64);
    double x[192], root[3] = {0.1, 0.2, 0.3};
    REQUIRE(sp_world_surface_get(sp_run_world(s.run), s.body, 1, x, NULL, NULL) == SP_OK);
    for (int v = 0; v < t.vertex_count; v++) {
        const double *p = t.positions + 3 * v;
        double at[3] = {root[0] - 1e-4 * p[1], root[1] + 1e-4 * p[0], root[2] + 1e-4 * p[2]};
        // vertices before the root are attached to it, and keep only their offset across
        if (p[0] < 0) at[1] = root[1];
        for (int k = 0; k < 3; k++) CHECK_NEAR(x[3 * v + k], at[k], 1e-9);  // the nearest point is found to 1e-9 of the length
    }
    sp_trimesh_destroy(&file);
    end(&s);
}
