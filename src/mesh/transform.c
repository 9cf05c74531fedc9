// A copy of a mesh, scaled and posed; numbers, groups and arrays stay.
#include "math/vec3.h"
#include "mesh/mesh_internal.h"

static sp_status check_scale(sp_context *ctx, const double scale[3]) {
    for (int k = 0; k < 3; k++)
        if (scale[k] == 0 || !isfinite(scale[k]))
            return SP_FAIL(ctx, SP_BAD_INPUT, "scale = %g %g %g, must be finite and not zero", scale[0], scale[1], scale[2]);
    return SP_OK;
}

static sp_status check_pose(sp_context *ctx, const sp_pose *pose) {
    const double *q = pose->quat;
    double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    // files carry six digits
    if (!(fabs(n - 1) < 1e-5)) return SP_FAIL(ctx, SP_BAD_INPUT, "a quaternion has length %g, must be 1", n);
    return SP_OK;
}

static void move(const double *from, const double scale[3], const sp_pose *pose, const double R[9], double *to) {
    double own[3] = {from[0] * scale[0], from[1] * scale[1], from[2] * scale[2]};
    sp__mul3(R, own, to);
    for (int k = 0; k < 3; k++) to[k] += pose->translate[k];
}

sp_status sp_mesh_transformed(const sp_mesh *mesh, const double scale[3], const sp_pose *pose, sp_mesh **out) {
    static const double same[3] = {1, 1, 1};
    sp_context *ctx = mesh->ctx;
    sp_pose p = pose ? *pose : sp_pose_identity();
    *out = NULL;
    SP_TRY(check_pose(ctx, &p));
    SP_TRY(check_scale(ctx, scale ? scale : same));
    double *x, R[9], n = 0;
    for (int k = 0; k < 4; k++) n += p.quat[k] * p.quat[k];
    for (int k = 0; k < 4; k++) p.quat[k] /= sqrt(n);
    sp__quat_matrix(p.quat, R);
    if (!SP_NEW(ctx, x, 3 * (size_t)mesh->node_count)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a transformed mesh");
    for (size_t i = 0; i < (size_t)mesh->node_count; i++) move(mesh->x + 3 * i, scale ? scale : same, &p, R, x + 3 * i);

    sp_mesh_def def = sp_mesh_def_default();  // mirror images get their orientation back
    def.node_count = mesh->node_count, def.positions = x, def.node_ids = mesh->node_ids;
    def.tet_count = mesh->tet_count, def.tets = mesh->tets, def.tet_ids = mesh->tet_ids;
    def.groups = mesh->groups, def.group_count = mesh->group_count;
    def.arrays = mesh->arrays, def.array_count = mesh->array_count;
    sp_status status = sp_mesh_create(ctx, &def, out);
    sp__free(ctx, x);
    return status;
}
