// Overlapping soft bodies that penalty contact does not separate, here because of their substeps: the first step with an overlap
// returns SP_PAIR_IGNORED and one event for each pair; mere touching is not a pair; nothing is reported where no contact is
// defined. Restored worlds report again, failed steps have reported nothing.
#include "meter.h"
#include "test.h"

#include "world/world_internal.h"

static meter held;
static sp_context *ctx;
static sp_mesh *cube;
static sp_world *w;

static void start(bool contact) {
    held = (meter){.allowed = 1000000};
    sp_context_def cd = metered_context(&held);
    sp_world_def wd = sp_world_def_default();
    for (int a = 0; a < 3; a++) wd.gravity[a] = sp_signal_constant(0);
    sp_contact_def def = sp_contact_def_default();
    CHECK(sp_context_create(&cd, &ctx) >= 0 && sp_world_create(ctx, &wd, &w) >= 0);
    CHECK(sp_mesh_box(ctx, (double[]){1, 1, 1}, (int[]){4, 4, 4}, 5, &cube) >= 0);
    if (contact) CHECK_INT(sp_world_set_contact(w, &def), SP_OK);
}

static void finish(void) {
    sp_world_destroy(&w);
    sp_mesh_destroy(&cube);
    sp_context_destroy(&ctx);
    CHECK_INT(held.live, 0);
}

// a unit cube at a position, rotated about z, that moves at `speed` along y
static void add_cube(const char *name, double x, double y, double angle, double speed) {
    sp_pose pose = sp_pose_identity();
    pose.translate[0] = x, pose.translate[1] = y;
    pose.quat[0] = cos(angle / 2), pose.quat[3] = sin(angle / 2);
    sp_mesh *mesh = NULL;
    CHECK_INT(sp_mesh_transformed(cube, NULL, &pose, &mesh), SP_OK);
    double v[3 * 125];
    for (int i = 0; i < 3 * 125; i++) v[i] = i % 3 == 1 ? speed : 0;
    sp_solid_def def = sp_solid_def_default();
    def.name = name, def.mesh = mesh, def.initial_velocity = v;
    def.integrator.substeps = 2;
    CHECK_INT(sp_world_add_solid(w, &def, NULL), SP_OK);
    sp_mesh_destroy(&mesh);
}

static int told_of(const char *a, const char *b) {
    int n = 0;
    sp_event e;
    for (int i = 0; sp_world_event_at(w, i, &e) >= 0; i++) {
        n += e.status == SP_PAIR_IGNORED && strstr(e.text, a) && strstr(e.text, b);
    }
    return n;
}

TEST(the_first_step_of_an_overlap_reports_it) {
    start(true);
    add_cube("low", 0, 0, 0, 0);
    add_cube("high", 0.1, 1.05, 0, -1);
    add_cube("far", 5, 0, 0, 0);
    int first = 0, reservations = 0;
    // 0.05 apart at 1 m/s, 0.01 per step: the faces meet in step 5
    for (int i = 1; i <= 40; i++) {
        sp_status status = sp_world_step(w, 0.01);
        if (status == SP_PAIR_IGNORED && !first) {
            first = i;
            CHECK_INT(told_of("'low'", "'high'"), 1);
            CHECK_INT(told_of("'far'", ""), 0);
        }
        reservations += status == SP_PAIR_IGNORED;
    }
    // deeper than 1/200 of the diagonal: a step or two after they meet
    CHECK(first >= 6 && first <= 8);
    CHECK_INT(reservations, 1);
    finish();
}

TEST(without_contact_nothing_is_reported) {
    start(false);
    add_cube("low", 0, 0, 0, 0);
    add_cube("high", 0.1, 0.5, 0, 0);
    CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    finish();
}

// Bounding boxes overlap, bodies do not; and faces that coincide, aligned and rotated.
TEST(touching_bodies_are_not_a_pair) {
    start(true);
    const double turn = 0.6;
    add_cube("a", 0, 0, 0, 0);
    add_cube("face to face", 0, 1, 0, 0);
    add_cube("edge to edge", 1, 1, 0, 0);
    add_cube("b", 10, 0, turn, 0);
    add_cube("turned, face to face", 10 - sin(turn), cos(turn), turn, 0);
    add_cube("turned, corner to box", 10 + 1.1 * cos(turn), 1.1 * sin(turn), turn, 0);
    for (int i = 0; i < 20; i++) CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    finish();
}

TEST(one_inside_the_other_and_three_pairs) {
    start(true);
    add_cube("a", 0, 0, 0, 0);
    add_cube("b", 0.3, 0.3, 0.4, 0);
    add_cube("c", 0.5, -0.5, 0, 0);
    CHECK_INT(sp_world_step(w, 0.01), SP_PAIR_IGNORED);
    CHECK(told_of("'a'", "'b'") == 1 && told_of("'a'", "'c'") == 1 && told_of("'b'", "'c'") == 1);
    CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    finish();
}

TEST(a_rod_in_a_solid) {
    start(true);
    add_cube("cube", 0, 0, 0, 0);
    sp_rod_section section = sp_rod_section_default();
    section.axes[0] = section.axes[1] = 0.01, section.young = 1e8;
    sp_rod_strand strand = {.length = 1, .elements = 8, .root = sp_pose_identity()};
    sp_rod_def def = sp_rod_def_default();
    def.strands = &strand, def.strand_count = 1, def.sections = &section, def.section_count = 1;
    strand.root.translate[0] = 0.5, strand.root.translate[1] = 0.5, strand.root.translate[2] = 0.5;
    def.name = "needle";
    CHECK_INT(sp_world_add_rod(w, &def, NULL), SP_OK);
    strand.root.translate[2] = 1.5;
    def.name = "beside";
    CHECK_INT(sp_world_add_rod(w, &def, NULL), SP_OK);
    CHECK_INT(sp_world_step(w, 0.01), SP_PAIR_IGNORED);
    CHECK(told_of("'needle'", "'cube'") == 1 && told_of("'beside'", "") == 0);
    finish();
}

TEST(restored_and_failed_steps_report_again) {
    start(true);
    add_cube("a", 0, 0, 0, 0);
    add_cube("b", 0.3, 0.3, 0, 0);
    sp_checkpoint c;
    CHECK_INT(sp_world_save(w, &c), SP_OK);
    CHECK_INT(sp__world_inject_failure(w, SP_STAGE_GUARD), SP_OK);
    CHECK_INT(sp_world_step(w, 0.01), SP_STOPPED);
    CHECK_INT(sp_world_step(w, 0.01), SP_PAIR_IGNORED);
    uint64_t hash = sp_world_hash(w);
    CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    CHECK_INT(sp_world_restore(w, c.data, c.size), SP_OK);
    CHECK_INT(sp_world_step(w, 0.01), SP_PAIR_IGNORED);
    CHECK(sp_world_hash(w) == hash && told_of("'a'", "'b'") == 1);
    sp_checkpoint_free(w, &c);
    finish();
}

TEST(steps_allocate_nothing_after_the_first) {
    start(true);
    add_cube("low", 0, 0, 0, 0);
    add_cube("high", 0.1, 1.05, 0.2, -1);
    for (int i = 0; i < 3; i++) CHECK(sp_world_step(w, 0.01) >= 0);
    held.allowed = 0;
    sp_status worst = SP_OK;
    for (int i = 0; i < 20; i++) worst = sp__worst(worst, sp_world_step(w, 0.01));
    CHECK_INT(worst, SP_PAIR_IGNORED);
    finish();
}
