// Scaled and posed copies of a mesh or a surface; numbers, groups and arrays stay.
#include "math/vec3.h"
#include "mesh/trimesh.h"

typedef struct motion {
    double scale[3], R[9], translate[3];
} motion;

static sp_status check_scale(sp_context *ctx, const double scale[3]) {
    for (int k = 0; k < 3; k++)
        if (scale[k] == 0 || !isfinite(scale[k]))
            return SP_FAIL(ctx, SP_BAD_INPUT, "scale = %g %g %g, must be finite and not zero", scale[0], scale[1], scale[2]);
    return SP_OK;
}

static sp_status make_motion(sp_context *ctx, const double *scale, const sp_pose *pose, motion *m) {
    sp_pose p = pose ? *pose : sp_pose_identity();
    double *q = p.quat, n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    // files often have only six digits
    if (!(fabs(n - 1) < 1e-5)) return SP_FAIL(ctx, SP_BAD_INPUT, "a quaternion has length %g, must be 1", n);
    for (int k = 0; k < 3; k++) m->scale[k] = scale ? scale[k] : 1;
    SP_TRY(check_scale(ctx, m->scale));
    for (int k = 0; k < 4; k++) q[k] /= n;
    sp__quat_matrix(q, m->R);
    memcpy(m->translate, p.translate, sizeof m->translate);
    return SP_OK;
}

static void move_points(const motion *m, const double *from, int n, double *to) {
    for (size_t i = 0; i < 3 * (size_t)n; i += 3) {
        double own[3] = {from[i] * m->scale[0], from[i + 1] * m->scale[1], from[i + 2] * m->scale[2]};
        sp__mul3(m->R, own, to + i);
        for (size_t k = 0; k < 3; k++) to[i + k] += m->translate[k];
    }
}

// a mirror image reverses the orientation of its triangles
static void flip_faces(const int *from, int n, int *to) {
    for (size_t i = 0; i < 3 * (size_t)n; i += 3) to[i] = from[i], to[i + 1] = from[i + 2], to[i + 2] = from[i + 1];
}

// nodes of the triangles of a mirror image; NULL: the nodes of the mesh
static sp_status mirrored_triangles(const sp_mesh *mesh, const motion *m, int **out) {
    *out = NULL;
    if (sp__mesh_type(mesh, 0) != SP_ELEMENT_TRI3 || m->scale[0] * m->scale[1] * m->scale[2] > 0) return SP_OK;
    if (!SP_NEW(mesh->ctx, *out, 3 * (size_t)mesh->element_count)) return SP_NO_MEMORY;
    flip_faces(mesh->nodes, mesh->element_count, *out);
    return SP_OK;
}

sp_status sp_mesh_transformed(const sp_mesh *mesh, const double scale[3], const sp_pose *pose, sp_mesh **out) {
    sp_context *ctx = mesh->ctx;
    motion m;
    double *x;
    int *turned;
    *out = NULL;
    SP_TRY(make_motion(ctx, scale, pose, &m));
    if (!SP_NEW(ctx, x, 3 * (size_t)mesh->node_count)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a transformed mesh");
    if (mirrored_triangles(mesh, &m, &turned) < 0) {
        sp__free(ctx, x);
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a transformed mesh");
    }
    move_points(&m, mesh->x, mesh->node_count, x);

    sp_mesh_def def = sp_mesh_def_default();  // repairs the orientation of mirror images
    def.node_count = mesh->node_count, def.positions = x, def.node_ids = mesh->node_ids;
    def.element_count = mesh->element_count, def.element_types = mesh->types;
    def.element_nodes = turned ? turned : mesh->nodes, def.element_ids = mesh->element_ids;
    def.groups = mesh->with.groups, def.group_count = mesh->with.group_count;
    def.arrays = mesh->with.arrays, def.array_count = mesh->with.array_count;
    sp_status status = sp_mesh_create(ctx, &def, out);
    sp__free(ctx, x), sp__free(ctx, turned);
    return status;
}

// ====================================================================================================== surfaces

// normals transform by the inverse of the scale: n' = S^-1 n is normal to the scaled surface, and n'.S n = n.n > 0 keeps it
// outward, also for mirror images
static void move_normals(const motion *m, const double *from, int n, double *to) {
    for (size_t i = 0; i < 3 * (size_t)n; i += 3) {
        double length = sp__norm3(from + i), own[3], turned[3];
        for (size_t k = 0; k < 3; k++) own[k] = from[i + k] / m->scale[k];
        sp__mul3(m->R, own, turned);
        double now = sp__norm3(turned);
        for (size_t k = 0; k < 3; k++) to[i + k] = now > 0 ? turned[k] * (length / now) : 0;
    }
}

typedef struct moved {
    double *x, *normals;
    int *faces, *face_texcoords, *face_normals;
} moved;

static bool allocate(const sp_trimesh *s, moved *to) {
    size_t corners = 3 * (size_t)s->def.face_count;
    return SP_NEW(s->ctx, to->x, 3 * (size_t)s->def.vertex_count) &&
           SP_NEW(s->ctx, to->normals, 3 * (size_t)s->def.normal_count) && SP_NEW(s->ctx, to->faces, corners) &&
           SP_NEW(s->ctx, to->face_texcoords, corners) && SP_NEW(s->ctx, to->face_normals, corners);
}

static sp_status move_surface(const sp_trimesh *s, const motion *m, const moved *to, sp_trimesh **out) {
    sp_trimesh_def def = s->def;
    move_points(m, def.positions, def.vertex_count, to->x);
    def.positions = to->x;
    if (def.normals) {
        move_normals(m, def.normals, def.normal_count, to->normals);
        def.normals = to->normals;
    }
    if (m->scale[0] * m->scale[1] * m->scale[2] < 0) {
        flip_faces(def.faces, def.face_count, to->faces);
        def.faces = to->faces;
        if (def.face_texcoords) flip_faces(def.face_texcoords, def.face_count, to->face_texcoords);
        if (def.face_texcoords) def.face_texcoords = to->face_texcoords;
        if (def.face_normals) flip_faces(def.face_normals, def.face_count, to->face_normals);
        if (def.face_normals) def.face_normals = to->face_normals;
    }
    return sp_trimesh_create(s->ctx, &def, out);
}

sp_status sp_trimesh_transformed(const sp_trimesh *surface, const double scale[3], const sp_pose *pose, sp_trimesh **out) {
    sp_context *ctx = surface->ctx;
    motion m;
    moved to = {0};
    *out = NULL;
    SP_TRY(make_motion(ctx, scale, pose, &m));
    sp_status status = allocate(surface, &to) ? move_surface(surface, &m, &to, out)
                                              : SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a transformed surface");
    void *owned[] = {to.x, to.normals, to.faces, to.face_texcoords, to.face_normals};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sp__free(ctx, owned[i]);
    return status;
}
