// Contact by constraints: same bits for any number of workers, after failed steps and from a checkpoint; no allocation when warm;
// a body can leave or be placed elsewhere while it is in contact.
#include "souple/souple.h"
#include "test.h"
#include "world/world_internal.h"

enum { STEPS = 14, BREAK = 10 };

typedef struct scene {
    sp_context *ctx;
    sp_world *w;
    sp_mesh *mesh[2];
    sp_body_id ball, upper;
} scene;

typedef struct setup {
    sp_compliance_type type;
    sp_solver_type solver;
    sp_contact_formulation formulation;
} setup;

// a borrowed factor, an own one that stays, own ones of each step and of the background thread; volumes; springs
static const setup setups[] = {
    {SP_COMPLIANCE_FACTOR, SP_SOLVER_PCG, SP_CONTACT_PROXIMITY}, {SP_COMPLIANCE_WARPED, SP_SOLVER_CG, SP_CONTACT_PROXIMITY},
    {SP_COMPLIANCE_EXACT, SP_SOLVER_CG, SP_CONTACT_PROXIMITY},   {SP_COMPLIANCE_FACTOR, SP_SOLVER_CG, SP_CONTACT_PROXIMITY},
    {SP_COMPLIANCE_AUTO, SP_SOLVER_PCG, SP_CONTACT_VOLUME},      {SP_COMPLIANCE_EXACT, SP_SOLVER_CG, SP_CONTACT_VOLUME_PENALTY},
    {SP_COMPLIANCE_AUTO, SP_SOLVER_PCG, SP_CONTACT_PENALTY}};
enum { SETUPS = sizeof setups / sizeof *setups };

static sp_status add_soft(scene *s, int index, double z, const setup *with) {
    sp_pose pose = sp_pose_identity();
    sp_mesh *box = NULL;
    sp_solid_def def = sp_solid_def_default();
    pose.translate[0] = 0.03 * index, pose.translate[2] = z;
    sp_status status = sp_mesh_box(s->ctx, (double[3]){0.2, 0.2, 0.1}, (int[3]){3, 3, 2}, 6, &box);
    if (status >= 0) status = sp_mesh_transformed(box, NULL, &pose, &s->mesh[index]);
    sp_mesh_destroy(&box);
    def.mesh = s->mesh[index], def.material.young = 3e4, def.compliance = with->type;
    def.solver.type = with->solver, def.solver.pcg.preconditioner = SP_COMPLETE_CHOLESKY;
    return status < 0 ? status : sp_world_add_solid(s->w, &def, &s->upper);
}

// two strands that cross, above a corner of the slabs
static sp_status add_strands(scene *s) {
    sp_rod_section section = sp_rod_section_default();
    sp_rod_strand strands[2];
    sp_rod_def def = sp_rod_def_default();
    for (int i = 0; i < 2; i++) {
        strands[i] = (sp_rod_strand){.length = 0.08, .elements = 8, .root = sp_pose_identity()};
        strands[i].root.translate[0] = 0.04, strands[i].root.translate[1] = 0.12,
        strands[i].root.translate[2] = 0.2141 + 0.0071 * i;
    }
    const double quarter[4] = {0.70710678118654752, 0, 0, 0.70710678118654752};
    memcpy(strands[1].root.quat, quarter, sizeof quarter);
    strands[1].root.translate[0] = 0.08, strands[1].root.translate[1] = 0.1;
    section.axes[0] = section.axes[1] = 3e-3;
    def.model = SP_ROD_DER, def.strands = strands, def.strand_count = 2, def.sections = &section, def.section_count = 1;
    def.free_root = true;
    return sp_world_add_rod(s->w, &def, NULL);
}

// the ball touches the upper slab at a distance
static sp_status add_pair(scene *s) {
    sp_contact_pair_def def = sp_contact_pair_def_default();
    sp_contact_part parts[2] = {sp_contact_part_body(s->ball), sp_contact_part_body(s->upper)};
    def.a = &parts[0], def.b = &parts[1], def.a_count = def.b_count = 1, def.formulation = SP_CONTACT_PROXIMITY;
    return sp_world_add_contact_pair(s->w, &def, NULL);
}

// floor, two soft slabs, a free ball and a free box on them; strands, which penalty contact does not let touch free bodies
static void start(scene *s, int workers, const setup *with) {
    sp_context_def cd = sp_context_def_default();
    sp_world_def wd = sp_world_def_default();
    sp_contact_def contact = sp_contact_def_default();
    sp_rigid_shape plane = {.type = SP_PLANE, .size = {0, 0, 1}, .pose = sp_pose_identity()},
                   sphere = {.type = SP_SPHERE, .size = {0.03}, .pose = sp_pose_identity()},
                   brick = {.type = SP_BOX, .size = {0.05, 0.06, 0.04}, .pose = sp_pose_identity()};
    sp_rigid_def floor = sp_rigid_def_default(), ball = floor, box = floor;
    *s = (scene){0};
    cd.workers = workers;
    wd.gravity[1] = sp_signal_constant(0), wd.gravity[2] = sp_signal_constant(-9.81), wd.gravity[0] = sp_signal_constant(1);
    const bool strands = with->formulation != SP_CONTACT_PENALTY;
    contact.formulation = with->formulation, contact.friction = 0.4, contact.gap = 1e-3, contact.self = strands;
    contact.pixel = 4e-3, contact.cell = with->formulation == SP_CONTACT_VOLUME ? 16 : 0;
    floor.shapes = &plane, floor.shape_count = 1;
    ball.shapes = &sphere, ball.shape_count = 1, ball.free = true, ball.spin[1] = 4;
    ball.pose.constant.translate[0] = 0.06, ball.pose.constant.translate[1] = 0.08, ball.pose.constant.translate[2] = 0.25;
    box.shapes = &brick, box.shape_count = 1, box.free = true;
    box.pose.constant.translate[0] = 0.13, box.pose.constant.translate[1] = 0.11, box.pose.constant.translate[2] = 0.22;
    REQUIRE(sp_context_create(&cd, &s->ctx) == SP_OK && sp_world_create(s->ctx, &wd, &s->w) == SP_OK);
    REQUIRE(sp_world_set_contact(s->w, &contact) == SP_OK && sp_world_add_rigid(s->w, &floor, NULL) == SP_OK);
    REQUIRE(add_soft(s, 0, 0.004, with) >= 0 && add_soft(s, 1, 0.11, with) >= 0);
    REQUIRE(sp_world_add_rigid(s->w, &ball, &s->ball) == SP_OK && sp_world_add_rigid(s->w, &box, NULL) == SP_OK);
    if (strands) REQUIRE(add_strands(s) >= 0);
    if (with->formulation == SP_CONTACT_VOLUME) REQUIRE(add_pair(s) >= 0);
}

static void finish(scene *s) {
    sp_world_destroy(&s->w);
    for (int i = 0; i < 2; i++) sp_mesh_destroy(&s->mesh[i]);
    sp_context_destroy(&s->ctx);
}

static void run(scene *s, uint64_t *hash) {
    for (uint64_t k = sp_world_steps(s->w); k < STEPS; k++) {
        CHECK(sp_world_step(s->w, 0.01) >= 0);
        hash[k] = sp_world_hash(s->w);
    }
}

static int differ(const uint64_t *a, const uint64_t *b) {
    for (int k = 0; k < STEPS; k++)
        if (a[k] != b[k]) return k + 1;
    return 0;
}

TEST(same_bits_for_any_number_of_workers) {
    static const int some[] = {0, 4, SETUPS - 1}, workers[] = {1, 2, 3, 7};
    uint64_t first[STEPS], hash[STEPS];
    for (int k = 0; k < 3; k++)
        for (int n = 0; n < 4; n++) {
            scene s;
            start(&s, workers[n], &setups[some[k]]);
            run(&s, n == 0 ? first : hash);
            CHECK(sp_world_contact_count(s.w) > 25);  // slabs, ball and box rest on each other
            if (n > 0) CHECK_INT(differ(first, hash), 0);
            finish(&s);
        }
}

TEST(same_bits_from_a_checkpoint) {
    for (int k = 0; k < SETUPS; k++) {
        scene s, fresh;
        uint64_t plain[STEPS], again[STEPS];
        sp_checkpoint c;
        start(&s, 2, &setups[k]);
        for (int n = 0; n < BREAK; n++) {
            CHECK(sp_world_step(s.w, 0.01) >= 0);
            again[n] = plain[n] = sp_world_hash(s.w);
        }
        REQUIRE(sp_world_save(s.w, &c) == SP_OK);
        run(&s, plain);
        // in the same world
        CHECK_INT(sp_world_restore(s.w, c.data, c.size), SP_OK);
        CHECK(sp_world_hash(s.w) == plain[BREAK - 1]);
        run(&s, again);
        CHECK_INT(differ(plain, again), 0);
        // in a new world, which has made no contact yet
        start(&fresh, 1, &setups[k]);
        sp_status status = sp_world_restore(fresh.w, c.data, c.size);
        if (status < 0) SP_TEST_FAILED("%s", sp_world_error(fresh.w)->message);
        CHECK(sp_world_hash(fresh.w) == plain[BREAK - 1]);
        run(&fresh, again);
        CHECK_INT(differ(plain, again), 0);
        if (sp_test_failures) printf("  ... for setup %d\n", k);
        finish(&fresh);
        sp_checkpoint_free(s.w, &c);
        finish(&s);
    }
}

// A step that fails in any of the stages of contact has no effect, also where a compliance made its first factor in it.
TEST(same_bits_when_steps_fail_and_are_repeated) {
    static const sp_stage stages[] = {SP_STAGE_FIND_CONTACTS, SP_STAGE_BUILD_DELASSUS, SP_STAGE_SOLVE_CONTACTS,
                                      SP_STAGE_CORRECT_MOTION, SP_STAGE_BALANCE};
    for (int k = 0; k < SETUPS; k++) {
        scene s;
        uint64_t plain[STEPS], failing[STEPS];
        start(&s, 2, &setups[k]);
        run(&s, plain);
        finish(&s);
        start(&s, 2, &setups[k]);
        for (int n = 0; n < STEPS; n++) {
            uint64_t before = sp_world_hash(s.w);
            int contacts = sp_world_contact_count(s.w);
            CHECK_INT(sp__world_inject_failure(s.w, stages[n % 5]), SP_OK);
            CHECK_INT(sp_world_step(s.w, 0.007), SP_STOPPED);
            CHECK(sp_world_hash(s.w) == before);
            CHECK_INT(sp_world_contact_count(s.w), contacts);
            CHECK(sp_world_step(s.w, 0.01) >= 0);
            failing[n] = sp_world_hash(s.w);
        }
        CHECK_INT(differ(plain, failing), 0);
        if (sp_test_failures) printf("  ... for setup %d\n", k);
        finish(&s);
    }
}

TEST(no_allocation_after_warm_up) {
    NOT_SANITIZED();
    for (int k = 0; k < SETUPS; k++) {
        scene s;
        uint64_t hash[STEPS], before, after;
        size_t bytes;
        sp_checkpoint c;
        start(&s, 2, &setups[k]);
        for (int n = 0; n < 3; n++) CHECK(sp_world_step(s.w, 0.01) >= 0);
        REQUIRE(sp_world_save(s.w, &c) == SP_OK);
        run(&s, hash);
        CHECK_INT(sp_world_restore(s.w, c.data, c.size), SP_OK);
        run(&s, hash);
        CHECK_INT(sp_world_restore(s.w, c.data, c.size), SP_OK);
        for (int n = 0; n < 4; n++) CHECK(sp_world_step(s.w, 0.01) >= 0);
        sp_context_memory(s.ctx, &bytes, &before);
        run(&s, hash);
        sp_context_memory(s.ctx, &bytes, &after);
        CHECK_INT(after, before);
        if (sp_test_failures) printf("  ... for setup %d\n", k);
        sp_checkpoint_free(s.w, &c);
        finish(&s);
    }
}

TEST(bodies_leave_and_move_during_contact) {
    scene s;
    sp_contact_point point;
    uint64_t hash[STEPS];
    start(&s, 2, &setups[3]);
    run(&s, hash);
    CHECK(sp_world_contact_count(s.w) > 25);
    CHECK_INT(sp_world_remove(s.w, s.upper), SP_OK);
    // contacts of the removed body are not listed any more
    for (int i = 0; i < sp_world_contact_count(s.w); i++) {
        CHECK_INT(sp_world_contact_at(s.w, i, &point), SP_OK);
        CHECK(point.bodies[0].slot != s.upper.slot && point.bodies[1].slot != s.upper.slot);
    }
    CHECK(sp_world_step(s.w, 0.01) >= 0);
    // another body may get its memory, with another surface
    sp_rigid_shape brick = {.type = SP_BOX, .size = {0.3, 0.3, 0.02}, .pose = sp_pose_identity()};
    sp_rigid_def def = sp_rigid_def_default();
    sp_body_id id;
    def.shapes = &brick, def.shape_count = 1, def.free = true, def.pose.constant.translate[2] = 0.5;
    CHECK_INT(sp_world_add_rigid(s.w, &def, &id), SP_OK);
    for (int n = 0; n < 10; n++) CHECK(sp_world_step(s.w, 0.01) >= 0);
    // the ball is lifted: its multipliers are forgotten
    double pose[7] = {0, 0, 1, 1, 0, 0, 0}, x[3];
    CHECK_INT(sp_world_set_state(s.w, s.ball, pose, NULL), SP_OK);
    CHECK_INT(sp_world_contact_count(s.w), 0);
    for (int n = 0; n < 3; n++) CHECK(sp_world_step(s.w, 0.01) >= 0);
    sp_anchor centre = {.body = s.ball};
    CHECK_INT(sp_world_anchor_get(s.w, &centre, x, NULL), SP_OK);
    CHECK(x[2] > 0.9);
    CHECK_INT(sp_world_set_contact(s.w, NULL), SP_OK);
    CHECK_INT(sp_world_contact_count(s.w), 0);
    CHECK(sp_world_step(s.w, 0.01) >= 0);
    finish(&s);
}
