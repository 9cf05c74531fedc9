// Contact by constraints in scenes: attributes reach the engine, pairs name bodies, copies, regions and selections, a budget is
// kept in edit logs.
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

#define HEAD "<scene gravity='3 -9 0'><stop time='1'/><rigid name='floor'><plane/></rigid>"
#define CUBE                                                                                                        \
    "<solid name='cube' young='1e6'><box size='0.1 0.1 0.1' cells='2 2 2'/><select name='low' plane='0 0 0 0 1 0' " \
    "within='1e-6'/>"

TEST(attributes_of_the_solver) {
    stage s;
    REQUIRE(open_stage(
        &s,
        HEAD "<contact formulation='proximity' friction='0.3' reserve='200' broad='hash'>"
             "<contact-solver method='interior-point' local='newton' sweeps='7' tolerance='1e-4' warm-start='no' budget='2.5' "
             "strategy='block'/></contact></scene>"));
    const sp_contact_def *d = &s.w->contact;
    CHECK(d->reserve == 200 && d->broad == SP_CONTACT_HASH);
    CHECK(d->solver.method == SP_CONTACT_INTERIOR_POINT && d->solver.local == SP_CONTACT_NEWTON);
    CHECK(d->solver.cone == SP_CONTACT_EXACT && d->solver.strategy == SP_CONTACT_BLOCK);
    CHECK(d->solver.sweeps == 7 && d->solver.tolerance == 1e-4 && !d->solver.warm_start && d->solver.budget_ms == 2.5);
    close_stage(&s);
    REQUIRE(open_stage(&s, HEAD "<contact formulation='proximity'><contact-solver cone='facets' facets='8'/></contact></scene>"));
    d = &s.w->contact;
    CHECK(d->solver.cone == SP_CONTACT_FACETS && d->solver.facets == 8 && d->solver.method == SP_CONTACT_METHOD_AUTO);
    close_stage(&s);
    // without the element: the defaults of the engine
    REQUIRE(open_stage(&s, HEAD "<contact formulation='proximity'/></scene>"));
    const sp_contact_solver_def def = sp_contact_def_default().solver;
    CHECK(memcmp(&s.w->contact.solver, &def, sizeof def) == 0);
    close_stage(&s);
}

TEST(layers_of_volumes) {
    stage s;
    REQUIRE(open_stage(&s, HEAD CUBE "</solid><contact formulation='volume' pixel='0.01' layers='150'/></scene>"));
    CHECK_INT(s.w->contact.layers, 150);
    close_stage(&s);
    REQUIRE(open_stage(&s, HEAD CUBE "</solid><contact formulation='volume' pixel='0.01'/></scene>"));
    CHECK_INT(s.w->contact.layers, 0);
    close_stage(&s);
}

// displacement of the cube along the slope, whose tangent is 1/3, in 0.2 s: 0.063 m without friction
static double cube_slides(const char *parts, const char *contact) {
    static char text[2000];
    stage s;
    snprintf(text, sizeof text, HEAD CUBE "%s</solid>%s</scene>", parts, contact);
    if (!open_stage(&s, text)) {
        SP_TEST_FAILED("%s", text);
        close_stage(&s);
        return NAN;
    }
    double x[3 * 27], sum = 0;
    for (int i = 0; i < 20; i++) CHECK(sp_run_step(s.run) >= 0);
    CHECK_INT(sp_world_field(s.w, sp_world_body_named(s.w, "cube"), "position", x), SP_OK);
    for (int i = 0; i < 27; i++) sum += x[3 * i];
    close_stage(&s);
    return sum / 27 - 0.05;
}

TEST(friction_by_pairs_regions_and_surfaces) {
    const double moved = 3 * 0.2 * 0.21 / 2;
    static const struct {
        const char *parts, *contact;
        bool slides;
    } cases[] = {
        {"", "<contact formulation='proximity' friction='0.8'/>", false},
        {"", "<contact formulation='proximity' friction='0.8'><pair a='cube' b='floor' friction='0'/></contact>", true},
        {"", "<contact formulation='proximity' friction='0.8'><pair a='cube.low' b='floor' friction='0'/></contact>", true},
        {"<region name='r' where='{y lt 0.05}' friction='0'/>", "<contact formulation='proximity' friction='0.8'/>", true},
        {"<region name='r' where='{y gt 0.05}' friction='0'/>", "<contact formulation='proximity' friction='0.8'/>", false},
        {"<region where='{y lt 0.05}' friction='0'/><region where='{y lt 0.05}' friction='0.9'/>",
         "<contact formulation='proximity' friction='0'/>", false},
        {"<region name='r' where='{y lt 0.05}' friction='0'/>",
         "<contact formulation='proximity'><pair a='floor' b='cube.r' friction='0.8'/></contact>", false},
        {"<surface role='visual collision' friction='0'/>", "<contact formulation='proximity' friction='0.8'/>", true},
        {"<surface role='collision' subdivide='1' smooth='no' friction='0'/>",
         "<contact formulation='proximity' friction='0.8'/>", true},
        {"<surface role='collision' subdivide='1' smooth='no'/>",
         "<contact formulation='proximity' friction='0.8'><pair a='cube.low' b='floor' friction='0'/></contact>", true},
        {"<surface role='visual collision' friction='0'/><region where='{y lt 0.05}' friction='0.8'/>",
         "<contact formulation='proximity'/>", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double x = cube_slides(cases[i].parts, cases[i].contact);
        printf("  case %zu: moved %.3e m\n", i, x);
        // the shear of a cube that sticks moves its centre by about rho g L2 / (2 G) = 4e-5 m
        CHECK_NEAR(x, cases[i].slides ? moved : 0, 1e-4);
    }
}

TEST(pairs_of_copies) {
    stage s;
    sp_param_info info;
    REQUIRE(open_stage(&s, HEAD "<template name='t'><rigid name='box' motion='free'><box size='0.1 0.1 0.1'/></rigid></template>"
                                "<instance name='row' of='t' grid='3 1 1' spacing='0.3'/>"
                                "<contact formulation='proximity' friction='1'><pair a='row[*].box' b='floor' friction='0'/>"
                                "<pair name='one' a='row[1].box' b='floor' friction='0.5'/></contact>"
                                "<event t='0.1' set='contact.one.friction' value='0'/></scene>"));
    CHECK_INT(sp_world_param(s.w, "contact.pair.friction", &info), SP_OK);
    CHECK(info.value == 0);
    for (int i = 0; i < 20; i++) CHECK(sp_run_step(s.run) >= 0);
    double x[3];
    for (int i = 0; i < 3; i++) {
        char name[32];
        double p[7];
        snprintf(name, sizeof name, "row[%d].box", i);
        CHECK_INT(sp_world_field(s.w, sp_world_body_named(s.w, name), "pose", p), SP_OK);
        x[i] = p[0] - 0.3 * i;
    }
    CHECK_NEAR(x[0], 3 * 0.2 * 0.21 / 2, 1e-6);
    CHECK_NEAR(x[2], x[0], 1e-9);
    // the event frees the second one after half of the time
    CHECK_NEAR(x[1], 3 * 0.1 * 0.11 / 2, 1e-6);
    close_stage(&s);
}

TEST(a_budget_in_a_log) {
    sp_edit e = sp_edit_default(SP_EDIT_CONTACT_BUDGET);
    char line[SP_EDIT_LINE];
    e.sequence = 5, e.value = 12;
    CHECK(sp_edit_log_line(&e, 3, line, sizeof line));
    CHECK(strcmp(line, "3 0 5 contact-budget 12\n") == 0);
}
