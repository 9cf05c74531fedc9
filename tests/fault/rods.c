// Rods with a counting allocator: memory may run out at any point of their creation, stepping and growth, and nothing leaks.
#include "meter.h"
#include "souple/souple.h"
#include "test.h"

typedef struct setup {
    sp_rod_model model;
    bool grows;
} setup;

static const setup setups[] = {
    {SP_ROD_CLOTHOID, false}, {SP_ROD_CLOTHOID, true}, {SP_ROD_HELIX, false}, {SP_ROD_DER, false}, {SP_ROD_BEAM, false}};

static sp_status add_rod(sp_world *w, const setup *s) {
    sp_rod_section section = sp_rod_section_default();
    sp_rod_strand strands[2];
    sp_rod_grow grow = {.mode = SP_GROW_TIP, .rate = sp_signal_constant(5), .until = 0.8};
    sp_spring_def pull = {.at = {.elem = 1, .at = {0.5}}, .stiffness = 3};
    sp_rod_def def = sp_rod_def_default();
    const double curvature[9] = {0, 1, 2, 0, 2, 1, 1, 0, 0};
    section.axes[0] = section.axes[1] = 0.01;
    for (int i = 0; i < 2; i++) {
        strands[i] = (sp_rod_strand){.length = 0.5, .elements = 2, .root = sp_pose_identity(), .curvature = curvature};
        strands[i].root.translate[2] = 0.1 * i;
    }
    def.name = "rod", def.model = s->model, def.strands = strands, def.strand_count = 2;
    def.sections = &section, def.section_count = 1, def.springs = &pull, def.spring_count = 1;
    def.grow = s->grows ? &grow : NULL, def.sides = 4, def.rings = 2;
    return sp_world_add_rod(w, &def, NULL);
}

static sp_status live(sp_context *ctx, const setup *s) {
    sp_world *w = NULL;
    sp_checkpoint c = {0};
    sp_contact_def contact = sp_contact_def_default();
    sp_rigid_def floor = sp_rigid_def_default();
    sp_rigid_shape plane = {.type = SP_PLANE, .size = {0, 1, 0}, .pose = sp_pose_identity()};
    plane.pose.translate[1] = -0.02;
    floor.shapes = &plane, floor.shape_count = 1;
    sp_status status = sp_world_create(ctx, NULL, &w);
    if (status >= 0) status = add_rod(w, s);
    if (status >= 0) status = sp_world_add_rigid(w, &floor, NULL);
    if (status >= 0) status = sp_world_set_contact(w, &contact);
    for (int i = 0; i < 4 && status >= 0; i++) status = sp_world_step(w, 0.01);
    if (status >= 0) status = sp_world_save(w, &c);
    if (status >= 0) status = sp_world_restore(w, c.data, c.size);
    if (w) sp_checkpoint_free(w, &c);
    sp_world_destroy(&w);
    return status;
}

TEST(every_allocation_of_a_rod_may_fail) {
    for (size_t k = 0; k < sizeof setups / sizeof *setups; k++) {
        bool done = false;
        for (long allowed = 0; !done && allowed < 2000; allowed++) {
            meter m = {.allowed = allowed};
            sp_context_def def = metered_context(&m);
            sp_context *ctx = NULL;
            sp_status status = sp_context_create(&def, &ctx);
            if (status >= 0) status = live(ctx, &setups[k]);
            sp_context_destroy(&ctx);
            CHECK(status >= 0 || status == SP_NO_MEMORY);
            CHECK_INT(m.live, 0);
            done = status >= 0;
        }
        CHECK(done);
        if (sp_test_failures) printf("  ... for setup %zu\n", k);
    }
}
