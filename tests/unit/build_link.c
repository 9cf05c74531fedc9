// Links in scenes: attributes reach the engine, parts are bodies, selections and regions of solids and rods, copies of templates
// move their points, events attach and detach, probes read force and stretch.
#include "at.h"
#include "test.h"

#include "souple/io.h"
#include "world/world_internal.h"

typedef struct stage {
    sp_context *ctx;
    sp_scene *scene;
    sp_run *run;
    sp_world *w;
} stage;

static bool open_stage(stage *s, const char *text) {
    *s = (stage){0};
    sp_scene_options options = sp_scene_options_default();
    sp_status status = sp_context_create(NULL, &s->ctx);
    if (status >= 0)
        status = sp_scene_parse(s->ctx, text, strlen(text), SP_SOURCE_DIR "/tests/data/test.xml", &options, &s->scene);
    if (status >= 0) status = sp_run_create(s->scene, NULL, &s->run);
    for (int i = 0; status < 0 && s->scene && i < sp_scene_message_count(s->scene); i++)
        printf("    %d: %s\n", message_at(s->scene, i).line, message_at(s->scene, i).text);
    if (status >= 0) s->w = sp_run_world(s->run);
    return status >= 0;
}

static void close_stage(stage *s) {
    sp_run_destroy(&s->run);
    sp_scene_destroy(&s->scene);
    sp_context_destroy(&s->ctx);
}

static sp_link_info link_of(stage *s, const char *name) {
    sp_link_info info = {0};
    CHECK_INT(sp_world_link_info(s->w, sp_world_link_named(s->w, name), &info), SP_OK);
    return info;
}

#define HEAD "<scene dt='0.01'><stop time='1'/><rigid name='wall'><box size='1 1 1' translate='-1 0 0'/></rigid>"
#define CUBE                                                                                                   \
    "<solid name='cube'><box size='1 1 1' cells='2 2 2' pattern='6'/><select name='left' box='0 0 0  0 1 1'/>" \
    "<region name='half' box='0 0 0  0.5 1 1' young='2e6'/><fix name='held' near='0 0 0' stiffness='10'/></solid>"

TEST(parts_of_solids) {
    stage s;
    REQUIRE(open_stage(&s,
                       HEAD CUBE "<attach name='all' a='cube' b='wall'/><attach name='part' a='cube.left' b='wall'/>"
                                 "<attach name='one' a='cube.held' b='wall'/>"
                                 "<attach name='region' a='wall' b='cube.half' within='0.6' break='7' active='no'/></scene>"));
    CHECK_INT(link_of(&s, "all").point_count, 9);  // the nodes of the side at the wall
    CHECK_INT(link_of(&s, "part").point_count, 9);
    CHECK_INT(link_of(&s, "one").point_count, 1);
    sp_link_info region = link_of(&s, "region");
    CHECK(region.state == SP_LINK_DETACHED && region.point_count == 0 && region.break_force == 7);
    CHECK_INT(sp_world_set_link(s.w, region.id, true), SP_OK);
    CHECK_INT(link_of(&s, "region").point_count, 18);  // all nodes of its elements
    close_stage(&s);
}

TEST(parts_of_rods) {
    stage s;
    REQUIRE(open_stage(&s,
                       HEAD "<rod name='rope' model='beam' length='1' elements='4' radius='0.01' root='free'>"
                            "<select name='begin' end='root'/><region name='front' s='0 0.5' young='2e6'/></rod>"
                            "<attach name='clamp' a='rope.begin' b='wall'/>"
                            "<attach name='long' type='spring' a='rope.front' b='wall' within='0.6' stiffness='5'/></scene>"));
    CHECK_INT(link_of(&s, "clamp").point_count, 1);
    CHECK_INT(s.w->links.list[0].now.ties[0].type, SP_TIE_FRAME);  // its frame is held too
    CHECK_INT(link_of(&s, "long").point_count, 3);                 // nodes 0, 1 and 2
    close_stage(&s);
}

TEST(attributes_of_links) {
    stage s;
    REQUIRE(open_stage(&s, HEAD "<rigid name='ball' motion='free' translate='2 0 0'><sphere radius='0.1'/></rigid>"
                                "<attach name='spring' type='spring' a='ball' b='wall' point='1 0 0' stiffness='3' damping='4'/>"
                                "<attach name='rail' type='slide' a='ball' b='wall' point='2 0 0' axis='0 2 0' friction='0.5'/>"
                                "<attach name='table' type='slide' a='ball' b='wall' point='2 0 0' normal='0 0 3'/>"
                                "<attach name='door' type='hinge' a='ball' b='wall' point='2 0 0' axis='0 0 1'/></scene>"));
    const sp_link *l = s.w->links.list;
    CHECK(l[0].def.type == SP_LINK_SPRING && l[0].def.stiffness == 3 && l[0].def.damping == 4);
    CHECK(l[1].def.type == SP_LINK_SLIDE && l[1].def.guide == SP_GUIDE_LINE && l[1].def.friction == 0.5);
    CHECK(l[2].def.guide == SP_GUIDE_PLANE && l[2].def.axis[2] == 3);
    CHECK(l[3].def.type == SP_LINK_HINGE && l[3].def.point[0] == 2);
    close_stage(&s);
}

// A template of two boxes with a hinge, turned by 90 degrees and moved.
TEST(copies_of_a_template) {
    stage s;
    REQUIRE(open_stage(&s, "<scene><stop time='1'/><template name='door'><rigid name='post'><box size='0.1 1 0.1'/></rigid>"
                           "<rigid name='leaf' motion='free' translate='0.1 0 0'><box size='0.5 1 0.05'/></rigid>"
                           "<attach name='hinge' type='hinge' a='leaf' b='post' point='0.1 0 0' axis='0 1 0'/></template>"
                           "<instance name='row' of='door' count='2' translate='{3*i} 0 0' rotate='0 90 0'/></scene>"));
    CHECK_INT(sp_world_link_count(s.w), 2);
    sp_link_info info = link_of(&s, "row[1].hinge");
    sp_link_point p;
    CHECK_INT(sp_world_link_point(s.w, info.id, 0, &p), SP_OK);
    CHECK_NEAR(p.a[0], 3, 1e-12);
    CHECK_NEAR(p.a[2], -0.1, 1e-12);
    close_stage(&s);
}

TEST(events_and_probes) {
    stage s;
    REQUIRE(open_stage(&s, HEAD "<rigid name='ball' motion='free' density='1000'><sphere radius='0.1'/></rigid>"
                                "<attach name='hook' a='ball' b='wall' active='no'/>"
                                "<event t='0.05' do='attach' of='hook'/><event t='0.1' do='detach' of='hook'/>"
                                "<probe name='p' of='hook' quantity='force stretch' every='1'/></scene>"));
    for (int i = 0; i < 15; i++) {
        CHECK(sp_run_step(s.run) >= 0);
        sp_link_info info = link_of(&s, "hook");
        CHECK_INT(info.state, i >= 5 && i < 10 ? SP_LINK_ATTACHED : SP_LINK_DETACHED);
        // the weight, after the step that stops the fall
        if (i >= 6 && i < 10) CHECK_NEAR(info.force[1], 4.0 / 3 * 3.14159265358979 * 9.81, 1e-6);
    }
    sp_run_probe p;
    CHECK_INT(sp_run_probe_at(s.run, 0, &p), SP_OK);
    CHECK_INT(p.width, 4);
    CHECK_NEAR(p.values[4 * 8 + 1], 4.0 / 3 * 3.14159265358979 * 9.81, 1e-6);
    CHECK_NEAR(p.values[4 * 12 + 1], 0, 0);
    sp_run_column c;
    CHECK_INT(sp_run_column_at(s.run, 0, 1, &c), SP_OK);
    CHECK(!strcmp(c.name, "force.y") && !strcmp(c.unit, "N"));
    close_stage(&s);
}
