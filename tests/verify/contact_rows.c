// Contact by constraints where W is not built, and rows that nothing can answer.
// - a block that rests on a floor, with W stored and with W applied through the compliances: the same motion to the tolerance of
//   the solver, the floor carries the weight
// - both are reported once
#include "souple/souple.h"
#include "test.h"
#include "world/world_internal.h"

typedef struct scene {
    sp_context *ctx;
    sp_world *w;
    sp_mesh *mesh;
    sp_body_id block;
} scene;

static const double density = 1000, edge = 0.1, g = 9.81;

// A soft block just above the floor. held: the nodes of its lower face are fixed, and the floor reaches into them.
static void start(scene *s, bool held) {
    sp_world_def wd = sp_world_def_default();
    sp_contact_def contact = sp_contact_def_default();
    sp_rigid_shape plane = {.type = SP_PLANE, .size = {0, 0, 1}, .pose = sp_pose_identity()};
    sp_rigid_def floor = sp_rigid_def_default();
    sp_solid_def def = sp_solid_def_default();
    int low[25], count = 0;
    *s = (scene){0};
    wd.gravity[0] = wd.gravity[1] = sp_signal_constant(0), wd.gravity[2] = sp_signal_constant(-g);
    contact.formulation = SP_CONTACT_PROXIMITY, contact.friction = 0.5, contact.solver.tolerance = 1e-5;
    floor.shapes = &plane, floor.shape_count = 1;
    floor.pose.constant.translate[2] = held ? 0 : -1e-4;
    REQUIRE(sp_context_create(NULL, &s->ctx) == SP_OK && sp_world_create(s->ctx, &wd, &s->w) == SP_OK);
    REQUIRE(sp_world_set_contact(s->w, &contact) == SP_OK && sp_world_add_rigid(s->w, &floor, NULL) == SP_OK);
    REQUIRE(sp_mesh_box(s->ctx, (double[3]){edge, edge, edge}, (int[3]){4, 4, 4}, 6, &s->mesh) == SP_OK);
    for (int i = 0; i < sp_mesh_node_count(s->mesh); i++)
        if (sp_mesh_positions(s->mesh)[3 * i + 2] == 0) low[count++] = i;
    sp_fix fix = {low, count, SP_AXES_ALL, 0};
    def.mesh = s->mesh, def.material.young = 1e5, def.material.density = density, def.rayleigh_stiffness = 0.01;
    if (held) def.fixes = &fix, def.fix_count = 1;
    REQUIRE(sp_world_add_solid(s->w, &def, &s->block) >= 0);
}

static void finish(scene *s) {
    sp_world_destroy(&s->w);
    sp_mesh_destroy(&s->mesh);
    sp_context_destroy(&s->ctx);
}

static int events_with(const sp_world *w, const char *part) {
    sp_event e;
    int n = 0;
    for (int i = 0; sp_world_event_at(w, i, &e) == SP_OK; i++) n += strstr(e.text, part) != NULL;
    return n;
}

static double carried(const sp_world *w) {
    double sum = 0;
    sp_contact_point p;
    for (int i = 0; i < sp_world_contact_count(w); i++)
        if (sp_world_contact_at(w, i, &p) == SP_OK) sum += fabs(p.force[2]);
    return sum;
}

TEST(a_block_rests_with_w_applied_as_with_w_stored) {
    enum { STEPS = 60 };
    double top[2][3], weight = density * edge * edge * edge * g;
    for (int applied = 0; applied < 2; applied++) {
        scene s;
        sp_anchor a;
        int reported = 0;
        start(&s, false);
        CHECK(sp_world_step(s.w, 0.01) >= 0);
        REQUIRE(s.w->constraints != NULL);
        if (applied) sp__constraints_limit(s.w->constraints, 20 * 20);
        for (int k = 1; k < STEPS; k++) {
            CHECK(sp_world_step(s.w, 0.01) >= 0);
            reported += events_with(s.w, "it is not stored");
        }
        const sp_constraints_info *info = sp__constraints_info(s.w->constraints);
        CHECK(info->unbuilt == (applied == 1) && info->contacts == 25);
        CHECK_INT(reported, applied);
        printf("  %s: residual %.2g, %d %s\n", applied ? "applied" : "stored", info->solve.residual, info->solve.sweeps,
               applied ? "products" : "sweeps");
        CHECK(info->solve.residual <= 1e-5);
        // what remains of the motion after 60 damped steps, and the residual of the solve
        CHECK_NEAR(carried(s.w), weight, 1e-3 * weight);
        REQUIRE(sp_world_anchor_node(s.w, s.block, 124, &a) == SP_OK);
        CHECK_INT(sp_world_anchor_get(s.w, &a, top[applied], NULL), SP_OK);
        finish(&s);
    }
    // rho g L^2 / 2 E = 5e-4 m is the compression; both solves stop at 1e-5 of the largest violation
    for (int k = 0; k < 3; k++) CHECK_NEAR(top[0][k], top[1][k], 1e-6);
}

// All nodes that touch are fixed: the rows are dropped, and the block above them sags as if there was no floor.
TEST(rows_on_fixed_nodes_are_dropped_and_reported_once) {
    scene s;
    int reported = 0;
    start(&s, true);
    for (int k = 0; k < 5; k++) {
        CHECK(sp_world_step(s.w, 0.01) >= 0);
        reported += events_with(s.w, "they are dropped");
    }
    CHECK_INT(reported, 1);
    CHECK_INT(sp__constraints_info(s.w->constraints)->solve.dropped, 3 * 25);
    CHECK_NEAR(carried(s.w), 0, 0);
    finish(&s);
}
