// A small world of every kind of body, for tests of batches and of the same world alone: a clamped bar whose factor is built in
// the background, a soft block with a free ball and two strands on a floor, with friction.
#ifndef SP_BATCH_SCENE_H
#define SP_BATCH_SCENE_H

#include "souple/souple.h"
#include "test.h"

#define BATCH_TRY(call)                  \
    do {                                 \
        sp_status status_ = (call);      \
        if (status_ < 0) return status_; \
    } while (0)

typedef struct batch_scene {
    sp_mesh *bar, *block;
} batch_scene;

static inline sp_status batch_scene_open(sp_context *ctx, batch_scene *s) {
    sp_pose pose = sp_pose_identity();
    sp_mesh *box = NULL;
    *s = (batch_scene){0};
    pose.translate[2] = 0.3, pose.translate[1] = 0.5;
    sp_status status = sp_mesh_box(ctx, (double[3]){0.4, 0.1, 0.1}, (int[3]){6, 2, 2}, 6, &box);
    if (status >= 0) status = sp_mesh_transformed(box, NULL, &pose, &s->bar);
    sp_mesh_destroy(&box);
    pose.translate[2] = 0.004, pose.translate[1] = 0;
    if (status >= 0) status = sp_mesh_box(ctx, (double[3]){0.2, 0.2, 0.1}, (int[3]){3, 3, 2}, 6, &box);
    if (status >= 0) status = sp_mesh_transformed(box, NULL, &pose, &s->block);
    sp_mesh_destroy(&box);
    return status;
}

static inline void batch_scene_close(batch_scene *s) {
    sp_mesh_destroy(&s->bar), sp_mesh_destroy(&s->block);
}

static inline sp_status batch_add_bar(const batch_scene *s, sp_world *w) {
    const int held[] = {0, 1, 2, 7, 8, 9, 14, 15, 16};
    sp_fix fix = {held, 9, SP_AXES_ALL, 0};
    sp_solid_def def = sp_solid_def_default();
    def.name = "bar", def.mesh = s->bar, def.fixes = &fix, def.fix_count = 1, def.material.young = 2e4;
    def.solver.type = SP_SOLVER_PCG, def.solver.pcg.preconditioner = SP_COMPLETE_CHOLESKY;
    def.solver.pcg.refresh = SP_REFRESH_ASYNC;
    return sp_world_add_solid(w, &def, NULL);
}

static inline sp_status batch_add_block(const batch_scene *s, sp_world *w) {
    sp_solid_def def = sp_solid_def_default();
    def.name = "block", def.mesh = s->block, def.material.young = 3e4;
    def.solver.type = SP_SOLVER_PCG, def.solver.pcg.preconditioner = SP_COMPLETE_CHOLESKY;
    return sp_world_add_solid(w, &def, NULL);
}

static inline sp_status batch_add_rigids(sp_world *w) {
    sp_rigid_shape plane = {.type = SP_PLANE, .size = {0, 0, 1}, .pose = sp_pose_identity()},
                   sphere = {.type = SP_SPHERE, .size = {0.03}, .pose = sp_pose_identity()};
    sp_rigid_def floor = sp_rigid_def_default(), ball = floor;
    floor.name = "floor", floor.shapes = &plane, floor.shape_count = 1, floor.kinematic = true;
    ball.name = "ball", ball.shapes = &sphere, ball.shape_count = 1, ball.free = true, ball.spin[1] = 4;
    ball.pose.constant.translate[0] = 0.06, ball.pose.constant.translate[1] = 0.08, ball.pose.constant.translate[2] = 0.138;
    BATCH_TRY(sp_world_add_rigid(w, &floor, NULL));
    return sp_world_add_rigid(w, &ball, NULL);
}

static inline sp_status batch_add_strands(sp_world *w) {
    sp_rod_section section = sp_rod_section_default();
    sp_rod_strand strands[2];
    sp_rod_def def = sp_rod_def_default();
    for (int i = 0; i < 2; i++) {
        strands[i] = (sp_rod_strand){.length = 0.08, .elements = 6, .root = sp_pose_identity()};
        strands[i].root.translate[0] = 0.1, strands[i].root.translate[1] = 0.04 + 0.1 * i, strands[i].root.translate[2] = 0.111;
    }
    section.axes[0] = section.axes[1] = 3e-3;
    def.name = "strands", def.model = SP_ROD_DER, def.free_root = true;
    def.strands = strands, def.strand_count = 2, def.sections = &section, def.section_count = 1;
    return sp_world_add_rod(w, &def, NULL);
}

// user: the meshes
static inline sp_status batch_scene_build(void *user, int index, sp_world *w) {
    sp_contact_def contact = sp_contact_def_default();
    (void)index;
    contact.formulation = SP_CONTACT_PROXIMITY, contact.friction = 0.4, contact.gap = 1e-3;
    BATCH_TRY(sp_world_set_contact(w, &contact));
    BATCH_TRY(batch_add_rigids(w));
    BATCH_TRY(batch_add_bar(user, w));
    BATCH_TRY(batch_add_block(user, w));
    return batch_add_strands(w);
}

// gravity along -z and, so that things slide, along x
static inline sp_world_def batch_scene_world(sp_world_def def) {
    def.gravity[0] = sp_signal_constant(2), def.gravity[1] = sp_signal_constant(0), def.gravity[2] = sp_signal_constant(-9.81);
    return def;
}

#endif
