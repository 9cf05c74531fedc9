// Factors that only contacts use: what a compliance computes in the background and keeps between steps changes no bit that a
// replay cannot repeat.
// - a run that does not wait lists the swaps of such factors among its edits
#include "core/background.h"
#include "souple/souple.h"
#include "test.h"
#include "world/world_internal.h"

enum { STEPS = 24, ROOM = 512 };

typedef struct scene {
    sp_context *ctx;
    sp_world *w;
    sp_mesh *mesh[2];
} scene;

// Two soft slabs fall on each other and on a floor. Their solvers have no factor, so that the contacts make one.
static void start(scene *s, int workers, bool deterministic) {
    sp_context_def cd = sp_context_def_default();
    sp_world_def wd = sp_world_def_default();
    sp_contact_def contact = sp_contact_def_default();
    sp_rigid_shape plane = {.type = SP_PLANE, .size = {0, 0, 1}, .pose = sp_pose_identity()};
    sp_rigid_def floor = sp_rigid_def_default();
    *s = (scene){0};
    cd.workers = workers;
    wd.gravity[1] = sp_signal_constant(0), wd.gravity[2] = sp_signal_constant(-9.81), wd.gravity[0] = sp_signal_constant(2);
    wd.deterministic = deterministic;
    contact.formulation = SP_CONTACT_PROXIMITY, contact.friction = 0.3;
    floor.shapes = &plane, floor.shape_count = 1;
    REQUIRE(sp_context_create(&cd, &s->ctx) == SP_OK && sp_world_create(s->ctx, &wd, &s->w) == SP_OK);
    REQUIRE(sp_world_set_contact(s->w, &contact) == SP_OK && sp_world_add_rigid(s->w, &floor, NULL) == SP_OK);
    for (int i = 0; i < 2; i++) {
        sp_pose pose = sp_pose_identity();
        sp_mesh *box = NULL;
        sp_solid_def def = sp_solid_def_default();
        pose.translate[0] = 0.02 * i, pose.translate[2] = 0.002 + 0.055 * i;
        REQUIRE(sp_mesh_box(s->ctx, (double[3]){0.15, 0.15, 0.05}, (int[3]){3, 3, 1}, 6, &box) == SP_OK);
        REQUIRE(sp_mesh_transformed(box, NULL, &pose, &s->mesh[i]) == SP_OK);
        sp_mesh_destroy(&box);
        def.mesh = s->mesh[i], def.material.young = 3e4, def.solver.type = SP_SOLVER_CG, def.compliance = SP_COMPLIANCE_FACTOR;
        REQUIRE(sp_world_add_solid(s->w, &def, NULL) >= 0);
    }
}

static void finish(scene *s) {
    sp_world_destroy(&s->w);
    for (int i = 0; i < 2; i++) sp_mesh_destroy(&s->mesh[i]);
    sp_context_destroy(&s->ctx);
}

static void idle(void *arg, int index, int worker) {
    (void)arg, (void)index, (void)worker;
}

TEST(swaps_of_a_compliance_can_be_replayed) {
    static sp_edit edits[ROOM];
    int count[STEPS] = {0}, total = 0, swaps = 0, n;
    uint64_t played[STEPS], waited[STEPS];
    scene s;
    start(&s, 2, false);
    for (int k = 0; k < STEPS; k++) {
        sp__background_hold(s.ctx, k % 6 < 3);  // results are late in half of the steps
        CHECK(sp_world_step(s.w, 0.01) >= 0);
        played[k] = sp_world_hash(s.w);
        const sp_edit *taken = sp_world_edits_taken(s.w, &n);
        for (int i = 0; i < n && total < ROOM; i++) {
            edits[total++] = taken[i], count[k]++;
            swaps += taken[i].type == SP_EDIT_SWAP_COMPLIANCE;
        }
        for (int i = 0; i < 200 && k % 6 >= 3; i++) sp__parallel(s.ctx, 64, idle, NULL);  // time for the thread
    }
    sp__background_hold(s.ctx, false);
    finish(&s);
    CHECK(swaps >= 4 && total < ROOM);  // the first of both bodies and more
    for (int i = 0; i < 3; i++) {
        start(&s, 1 + i, i == 1);
        for (int k = 0, at = 0; k < STEPS; k++) {
            for (int e = 0; e < count[k]; e++, at++) CHECK(sp_world_queue(s.w, &edits[at]) == SP_OK);
            CHECK(sp_world_step(s.w, 0.01) >= 0);
            CHECK(sp_world_hash(s.w) == played[k]);
            sp_world_edits_taken(s.w, &n);
            CHECK_INT(n, count[k]);
        }
        finish(&s);
    }
    // the same run without the edits: that swaps matter is what makes the claim above one
    start(&s, 2, true);
    int differ = 0;
    for (int k = 0; k < STEPS; k++) {
        CHECK(sp_world_step(s.w, 0.01) >= 0);
        waited[k] = sp_world_hash(s.w), differ += waited[k] != played[k];
    }
    CHECK(differ > 0);
    finish(&s);
    printf("  %d swaps\n", swaps);
}
