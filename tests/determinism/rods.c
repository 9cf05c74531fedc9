// Rods of every model: same bits for any number of workers, and no allocation once warm. A strand allocates when it curls more
// than ever before, so repeating the same motion allocates nothing.
#include <stdatomic.h>

#include "souple/souple.h"
#include "test.h"

enum { STRANDS = 5, STEPS = 20 };

typedef struct count {
    atomic_long calls;  // strands curl on all workers
} count;

static void *counted_alloc(void *user, size_t size, size_t align) {
    void *memory = NULL;
    ((count *)user)->calls++;
    return posix_memalign(&memory, align < sizeof(void *) ? sizeof(void *) : align, size ? size : 1) == 0 ? memory : NULL;
}

static void counted_free(void *user, void *memory, size_t size) {
    (void)user, (void)size;
    free(memory);
}

static void swing(const void *user, double t, sp_pose *out) {
    (void)user;
    *out = sp_pose_identity();
    out->translate[0] = 0.05 * sin(9 * t);
    out->quat[0] = cos(0.3 * t), out->quat[2] = sin(0.3 * t);
}

static sp_status add_hair(sp_world *w, sp_rod_model model, sp_integrator_type type) {
    sp_rod_section section = sp_rod_section_default();
    sp_rod_strand strands[STRANDS];
    double curvature[6][3];
    int roots[STRANDS];
    sp_rod_def def = sp_rod_def_default();
    section.axes[0] = 0.004, section.axes[1] = 0.002;
    section.young = type == SP_IMPLICIT_EULER ? 1e6 : 1e7;  // soft: strands iterate and divide their steps
    for (int i = 0; i < 6; i++) curvature[i][0] = i, curvature[i][1] = 8, curvature[i][2] = 3 - i;
    for (int i = 0; i < STRANDS; i++) {
        strands[i] = (sp_rod_strand){.length = 0.3 + 0.05 * i, .elements = 3 + i % 3, .root = sp_pose_identity()};
        strands[i].root.translate[2] = 0.05 * i, strands[i].curvature = curvature[0];
        roots[i] = i ? roots[i - 1] + strands[i - 1].elements + 1 : 0;
    }
    sp_move move = {.nodes = roots, .count = STRANDS, .axes = SP_AXES_ALL, .pose = {.eval = swing}};
    def.model = model, def.strands = strands, def.strand_count = STRANDS, def.sections = &section, def.section_count = 1;
    def.moves = &move, def.move_count = 1, def.integrator.type = type, def.rayleigh_stiffness = 0.005;
    return sp_world_add_rod(w, &def, NULL);
}

static uint64_t run(sp_rod_model model, sp_integrator_type type, int workers, long *late) {
    sp_context_def def = sp_context_def_default();
    sp_contact_def contact = sp_contact_def_default();
    sp_rigid_shape ball = {.type = SP_SPHERE, .size = {0.25}, .pose = sp_pose_identity()};
    sp_rigid_def rigid = sp_rigid_def_default();
    sp_context *ctx = NULL;
    sp_world *w = NULL;
    count c = {0};
    def.workers = workers, def.alloc = counted_alloc, def.free = counted_free, def.alloc_user = &c;
    ball.pose.translate[0] = 0.2, ball.pose.translate[1] = -0.3, ball.pose.translate[2] = 0.2;
    rigid.shapes = &ball, rigid.shape_count = 1, contact.friction = 0.2;
    CHECK(sp_context_create(&def, &ctx) == SP_OK && sp_world_create(ctx, NULL, &w) == SP_OK);
    CHECK_INT(add_hair(w, model, type), SP_OK);
    CHECK(sp_world_add_rigid(w, &rigid, NULL) == SP_OK && sp_world_set_contact(w, &contact) == SP_OK);
    sp_checkpoint start;
    uint64_t hash = 0;
    CHECK_INT(sp_world_save(w, &start), SP_OK);
    for (int lap = 0; lap < 2; lap++) {
        if (lap) CHECK_INT(sp_world_restore(w, start.data, start.size), SP_OK);
        *late = c.calls;
        for (int i = 0; i < STEPS; i++) CHECK(sp_world_step(w, 0.01) >= 0);
        *late = c.calls - *late;
        if (lap) CHECK(sp_world_hash(w) == hash);
        hash = sp_world_hash(w);
    }
    sp_checkpoint_free(w, &start);
    sp_world_destroy(&w);
    sp_context_destroy(&ctx);
    return hash;
}

TEST(same_bits_for_any_number_of_workers_and_no_allocation_when_warm) {
    for (int model = SP_ROD_CLOTHOID; model <= SP_ROD_BEAM; model++)
        for (int newton = 0; newton < 2; newton++) {
            long late;
            sp_integrator_type type = newton ? SP_NEWTON : SP_IMPLICIT_EULER;
            uint64_t first = run((sp_rod_model)model, type, 1, &late);
            CHECK_INT(late, 0);
            for (int workers = 2; workers <= 5; workers += 3) {
                CHECK(run((sp_rod_model)model, type, workers, &late) == first);
                CHECK_INT(late, 0);
            }
            if (sp_test_failures) printf("  ... for model %d, newton %d\n", model, newton);
        }
}
