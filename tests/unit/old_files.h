// A small world that edit logs and checkpoints were written from by version 0.1 (tests/data/v0.1): a beam, dragged and pinned.
#ifndef SP_OLD_FILES_H
#define SP_OLD_FILES_H

#include <stdio.h>

#include "souple/souple.h"

enum { OLD_STEPS = 6 };

static bool old_world(sp_context *ctx, sp_world **world, sp_body_id *beam) {
    const double size[3] = {0.4, 0.1, 0.1};
    const int cells[3] = {2, 1, 1}, held[] = {0, 1};
    const sp_fix fix = {.nodes = held, .count = 2, .axes = SP_AXES_ALL};
    sp_mesh *mesh = NULL;
    sp_world_def def = sp_world_def_default();
    sp_solid_def solid = sp_solid_def_default();
    if (sp_mesh_box(ctx, size, cells, 6, &mesh) < 0) return false;
    def.backend = "ref", def.snapshots = false;
    solid.name = "beam", solid.mesh = mesh, solid.fixes = &fix, solid.fix_count = 1, solid.material.young = 2e4;
    solid.solver.type = SP_SOLVER_CG;
    bool good = sp_world_create(ctx, &def, world) >= 0 && sp_world_add_solid(*world, &solid, beam) >= 0;
    sp_mesh_destroy(&mesh);
    return good;
}

// what happens before a step: two drags, of which 0.1 let one leave out the body's id, a pin and a value
static bool old_edits(sp_world *world, sp_body_id beam, int step) {
    sp_edit e = sp_edit_default(SP_EDIT_DRAG);
    if (step < 4) {
        e.slot = 1, e.stiffness = 20, e.damping = 0.25, e.target[0] = 0.5, e.target[1] = 0.05 * step;
        if (sp_world_anchor_node(world, beam, 5, &e.anchor) < 0 || sp_world_queue(world, &e) < 0) return false;
        e.slot = 2, e.body = beam, e.target[2] = -0.1;
        if (sp_world_anchor_point(world, beam, (double[]){0.35, 0.02, 0.05}, &e.anchor) < 0) return false;
        if (sp_world_queue(world, &e) < 0) return false;
    }
    if (step == 2) {
        e = sp_edit_default(SP_EDIT_PIN);
        e.body = beam, e.node = 3, e.axes = SP_AXIS_Y;
        if (sp_world_queue(world, &e) < 0) return false;
        e = sp_edit_default(SP_EDIT_PARAM);
        snprintf(e.path, sizeof e.path, "beam.young"), e.value = 1e4;
        if (sp_world_queue(world, &e) < 0) return false;
    }
    return true;
}

#endif
