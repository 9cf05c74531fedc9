// Rigid bodies that are fixed or follow a prescribed pose: floors, bones, tools. They have no degrees of freedom. The state is
// the pose of the frame and its velocity, which friction needs: the difference of the last two poses over the step.
#include "body/body.h"
#include "collide/shape.h"
#include "math/vec3.h"

enum { POSE = 0, QUAT = 3, VELOCITY = 7, SPIN = 10, STATE_SIZE = 13 };

// edge of the square that represents a plane in pictures [m], or relative to the size of the other shapes of the body
static const double plane_extent = 4;

typedef struct sp_rigid {
    sp_rigid_shape *shapes;  // topology
    int shape_count;
    bool kinematic;
    sp_pose_signal pose;
    double posted[8];  // parameters: flag and pose set by an edit; it then replaces the signal
} sp_rigid;

static void rigid_destroy(sp_body *b) {
    sp_rigid *r = b->impl;
    sp_context *ctx = b->ctx;
    if (r) {
        sp__free(ctx, r->shapes);
        sp__free(ctx, r);
    }
    sp__body_free(b);
    sp__free(ctx, b);
}

static void rigid_visit(sp_body *b, sp_tier tier, sp_visitor *v) {
    sp_rigid *r = b->impl;
    sp__body_visit(b, tier, v);
    if (tier == SP_TOPOLOGY) v->array(v, "shapes", r->shapes, sizeof *r->shapes, (size_t)r->shape_count);
    if (tier == SP_PARAMETERS) v->array(v, "posted", r->posted, sizeof *r->posted, 8);
}

static void rigid_refresh(sp_body *b) {
    (void)b;  // nothing is derived from the tiers
}

// ---------------------------------------------------------------------------------------------------- motion

static sp_pose rigid_pose_at(const sp_rigid *r, double t) {
    if (r->posted[0] == 0) return sp_pose_signal_value(&r->pose, r->kinematic ? t : 0);
    sp_pose pose;
    memcpy(pose.translate, r->posted + 1, sizeof pose.translate);
    memcpy(pose.quat, r->posted + 4, sizeof pose.quat);
    return pose;
}

static void put_pose(double *q, const sp_pose *pose) {
    double length = sqrt(sp__dot3(pose->quat, pose->quat) + pose->quat[3] * pose->quat[3]);
    memcpy(q + POSE, pose->translate, 3 * sizeof(double));
    for (int i = 0; i < 4; i++) q[QUAT + i] = pose->quat[i] / length;
}

// velocity and angular velocity from one pose to another in time h: constant rotation about one axis
static void rigid_rate(const double *from, double *to, double h) {
    const double back[4] = {from[QUAT], -from[QUAT + 1], -from[QUAT + 2], -from[QUAT + 3]};
    double turn[4];
    sp__quat_mul(to + QUAT, back, turn);
    double s = sp__norm3(turn + 1), half = atan2(s, fabs(turn[0]));
    double scale = s > 0 ? copysign(2 * half / s, turn[0]) / h : 0;
    for (int a = 0; a < 3; a++) {
        to[VELOCITY + a] = (to[a] - from[a]) / h;
        to[SPIN + a] = scale * turn[1 + a];
    }
}

static void rigid_prescribe(sp_body *b, const sp_step *step) {
    double *q = b->q[SP_TRIAL];
    memcpy(q, b->q[SP_COMMITTED], STATE_SIZE * sizeof *q);
    memset(q + VELOCITY, 0, 6 * sizeof *q);
    if (!((sp_rigid *)b->impl)->kinematic) return;
    sp_pose pose = rigid_pose_at(b->impl, step->time);
    put_pose(q, &pose);
    if (step->h > 0) rigid_rate(b->q[SP_COMMITTED], q, step->h);
}

static sp_status rigid_evaluate(sp_body *b, const sp_step *step, unsigned want) {
    (void)step, (void)want;
    b->energy = 0;
    return SP_OK;
}

static void rigid_retract(sp_body *b, const sp_step *step, sp_which from, double s, const double *v) {
    (void)step, (void)s, (void)v;
    if (from == SP_COMMITTED) memcpy(b->q[SP_TRIAL], b->q[SP_COMMITTED], STATE_SIZE * sizeof(double));
}

// ---------------------------------------------------------------------------------------------------- points

static void velocity_at(const double *q, const double *x, double *v) {
    double arm[3];
    sp__sub3(x, q + POSE, arm);
    sp__cross3(q + SPIN, arm, v);
    sp__axpy3(q + VELOCITY, 1, v, v);
}

static void rigid_points(sp_body *b, sp_which s, int n, const sp_anchor *a, double *x, double *v) {
    const double *q = b->q[s];
    double R[9];
    sp__quat_matrix(q + QUAT, R);
    for (int i = 0; i < n; i++) {
        sp__mul3(R, a[i].offset, x + 3 * i);
        sp__axpy3(q + POSE, 1, x + 3 * i, x + 3 * i);
        if (v) velocity_at(q, x + 3 * i, v + 3 * i);
    }
}

static sp_status rigid_jacobian_rows(sp_body *b, int n, const sp_anchor *a, const double *dir, sp_rows *J) {
    (void)b, (void)a, (void)dir;
    for (int i = 0; i <= n; i++) J->start[i] = 0;
    J->n = n;
    return SP_OK;
}

// transpose of v = V + W x arm: generalised force on the frame
static void rigid_apply_transpose(sp_body *b, sp_which s, int n, const sp_anchor *a, const double *f, double *g) {
    double R[9], arm[3], torque[3];
    sp__quat_matrix(b->q[s] + QUAT, R);
    for (int i = 0; i < n; i++) {
        sp__mul3(R, a[i].offset, arm);
        sp__cross3(arm, f + 3 * (size_t)i, torque);
        sp__axpy3(g, 1, f + 3 * (size_t)i, g);
        sp__axpy3(g + 3, 1, torque, g + 3);
    }
}

static sp_status anchor_node(sp_body *b, int node, sp_anchor *out) {
    (void)out;
    return SP_BODY_FAIL(b, SP_BAD_INPUT, "node %d of '%s': a rigid body has no nodes", node, b->name);
}

// the point of the frame at x, if the frame has the pose q
static void locate_in(const sp_body *b, const double *q, const double *x, sp_anchor *out) {
    double R[9], arm[3];
    sp__quat_matrix(q + QUAT, R);
    sp__sub3(x, q + POSE, arm);
    *out = (sp_anchor){.body = b->id};
    sp__mul3t(R, arm, out->offset);
}

static void rigid_locate(sp_body *b, sp_which s, const double x[3], sp_anchor *out) {
    locate_in(b, b->q[s], x, out);
}

// the rest position of a rigid body is its position at time 0
static sp_status anchor_point(sp_body *b, const double rest[3], sp_anchor *out) {
    double q[STATE_SIZE];
    sp_pose pose = sp_pose_signal_value(&((sp_rigid *)b->impl)->pose, 0);
    put_pose(q, &pose);
    locate_in(b, q, rest, out);
    return SP_OK;
}

static sp_status rigid_attach(sp_body *b, int n, const double *places, sp_anchor *out, double *outside) {
    for (int i = 0; i < n; i++) {
        out[i] = (sp_anchor){.body = b->id};
        memcpy(out[i].offset, places + 3 * (size_t)i, sizeof out[i].offset);
        outside[i] = 0;
    }
    return SP_OK;
}

static double rigid_distance(sp_body *b, sp_which s, const double x[3], double normal[3], double surface_velocity[3]) {
    const sp_rigid *r = b->impl;
    const double *q = b->q[s];
    double R[9], arm[3], local[3], best = INFINITY, n[3], nearest[3] = {0};
    sp__quat_matrix(q + QUAT, R);
    sp__sub3(x, q + POSE, arm);
    sp__mul3t(R, arm, local);
    for (int i = 0; i < r->shape_count; i++) {
        double d = sp__shape_distance_posed(&r->shapes[i], local, n);
        if (!(d < best)) continue;
        best = d;
        memcpy(nearest, n, sizeof n);
    }
    sp__mul3(R, nearest, normal);
    velocity_at(q, x, surface_velocity);
    return best;
}

// ---------------------------------------------------------------------------------------------------- queries, edits

static int pose_count(const sp_body *b) {
    (void)b;
    return 1;
}

static sp_status pose_field(sp_body *b, const sp_step *step, sp_field_id id, double *out) {
    (void)step, (void)id;
    memcpy(out, b->q[SP_COMMITTED], 7 * sizeof *out);
    return SP_OK;
}

static const sp_field rigid_fields[] = {{SP_FIELD_POSE, pose_count, pose_field}};

static void rigid_measure(sp_body *b, sp_measure *out) {
    (void)b;
    *out = (sp_measure){.elastic = NAN};
}

static uint64_t rigid_hash(sp_body *b) {
    uint64_t sum = 0;
    for (int i = 0; i < STATE_SIZE; i++) {
        uint64_t bits;
        memcpy(&bits, &b->q[SP_COMMITTED][i], sizeof bits);
        sum += sp__mix(bits, (uint64_t)i);
    }
    return sum;
}

static sp_status rigid_pin(sp_body *b, int node, unsigned axes, bool hold) {
    (void)axes, (void)hold;
    return SP_BODY_FAIL(b, SP_BAD_INPUT, "node %d of '%s': a rigid body has no nodes to pin", node, b->name);
}

static sp_status post_pose(sp_body *b, const sp_pose *pose) {
    sp_rigid *r = b->impl;
    if (!r->kinematic) return SP_BODY_FAIL(b, SP_BAD_INPUT, "pose of '%s': it is fixed, not kinematic", b->name);
    r->posted[0] = 1;
    memcpy(r->posted + 1, pose->translate, sizeof pose->translate);
    memcpy(r->posted + 4, pose->quat, sizeof pose->quat);
    return SP_OK;
}

// x: 7 numbers, translation and quaternion; v: 6 numbers, velocity and angular velocity
static sp_status rigid_set_state(sp_body *b, const double *x, const double *v) {
    double *q = b->q[SP_COMMITTED], length2 = 0;
    for (int i = 0; i < 7 && x; i++)
        if (!isfinite(x[i]))
            return SP_BODY_FAIL(b, SP_NOT_FINITE, "state of '%s': number %d of its pose is not finite", b->name, i);
    for (int i = 0; i < 6 && v; i++)
        if (!isfinite(v[i]))
            return SP_BODY_FAIL(b, SP_NOT_FINITE, "state of '%s': number %d of its velocity is not finite", b->name, i);
    for (int i = 0; i < 4 && x; i++) length2 += x[QUAT + i] * x[QUAT + i];
    // recordings store quaternions as floats
    if (x && !(fabs(length2 - 1) < 1e-5))
        return SP_BODY_FAIL(b, SP_BAD_INPUT, "state of '%s': the quaternion's length is %g, must be 1", b->name, sqrt(length2));
    if (x) {
        sp_pose pose;
        memcpy(pose.translate, x, sizeof pose.translate);
        memcpy(pose.quat, x + QUAT, sizeof pose.quat);
        put_pose(q, &pose);
    }
    if (v) memcpy(q + VELOCITY, v, 6 * sizeof *q);
    return SP_OK;
}

static int param_count(sp_body *b) {
    (void)b;
    return 0;
}

static sp_param rigid_param_at(sp_body *b, int index) {
    (void)b, (void)index;
    return (sp_param){0};
}

static const sp_param_spec *const rigid_params[] = {NULL};

const sp_body_ops sp__rigid_ops = {
    .kind = "rigid",
    .params = rigid_params,
    .destroy = rigid_destroy,
    .visit = rigid_visit,
    .refresh = rigid_refresh,
    .prescribe = rigid_prescribe,
    .evaluate = rigid_evaluate,
    .retract = rigid_retract,
    .points = rigid_points,
    .jacobian_rows = rigid_jacobian_rows,
    .apply_transpose = rigid_apply_transpose,
    .anchor_node = anchor_node,
    .anchor_point = anchor_point,
    .attach = rigid_attach,
    .fields = rigid_fields,
    .field_count = 1,
    .state = {SP_FIELD_POSE, SP_FIELD_COUNT},
    .measure = rigid_measure,
    .hash = rigid_hash,
    .pin = rigid_pin,
    .pose = post_pose,
    .set_state = rigid_set_state,
    .param_count = param_count,
    .param_at = rigid_param_at,
    .distance = rigid_distance,
    .locate = rigid_locate,
};

// ---------------------------------------------------------------------------------------------------- creation

sp_rigid_def sp_rigid_def_default(void) {
    return (sp_rigid_def){.pose = sp_pose_signal_constant(sp_pose_identity()), .cookie = SP_COOKIE_RIGID};
}

static sp_status rigid_check_pose(sp_error *error, const char *what, int index, const sp_pose *pose) {
    double length2 = sp__dot3(pose->quat, pose->quat) + pose->quat[3] * pose->quat[3];
    // also false for NaN
    if (!(fabs(length2 - 1) < 1e-6))
        return sp__fail(error, SP_BAD_INPUT, __FILE__, __LINE__, "%s %d: the quaternion's length is %g, must be 1", what, index,
                        sqrt(length2));
    for (int a = 0; a < 3; a++)
        if (!isfinite(pose->translate[a]))
            return sp__fail(error, SP_BAD_INPUT, __FILE__, __LINE__, "%s %d: translate is %g, must be finite", what, index,
                            pose->translate[a]);
    return SP_OK;
}

static sp_status rigid_check_shape(sp_error *error, int index, const sp_rigid_shape *s) {
    static const int sizes[] = {[SP_PLANE] = 3, [SP_SPHERE] = 1, [SP_BOX] = 3, [SP_CYLINDER] = 2};
    if ((int)s->type < 0 || s->type > SP_CYLINDER)
        return sp__fail(error, SP_BAD_INPUT, __FILE__, __LINE__, "shape %d: type %d is unknown", index, (int)s->type);
    for (int a = 0; a < sizes[s->type]; a++)
        if (!isfinite(s->size[a]) || (s->type != SP_PLANE && !(s->size[a] > 0)))
            return sp__fail(error, SP_BAD_INPUT, __FILE__, __LINE__, "shape %d: size %g, must be finite and > 0", index,
                            s->size[a]);
    if (s->type == SP_PLANE && !(sp__norm3(s->size) > 0))
        return sp__fail(error, SP_BAD_INPUT, __FILE__, __LINE__, "shape %d: the plane's normal is 0", index);
    return rigid_check_pose(error, "shape", index, &s->pose);
}

static sp_status rigid_check(sp_error *error, const sp_rigid_def *def) {
    if (def->cookie != SP_COOKIE_RIGID)
        return sp__fail(error, SP_BAD_INPUT, __FILE__, __LINE__, "sp_rigid_def did not start from sp_rigid_def_default()");
    if (def->shape_count < 0 || def->shape_count > 100000 || (def->shape_count > 0 && !def->shapes))
        return sp__fail(error, SP_BAD_INPUT, __FILE__, __LINE__, "shape_count = %d, must be in [0, 100000] with shapes given",
                        def->shape_count);
    for (int i = 0; i < def->shape_count; i++) SP_TRY(rigid_check_shape(error, i, &def->shapes[i]));
    sp_pose start = sp_pose_signal_value(&def->pose, 0);
    return rigid_check_pose(error, "pose of the body at time", 0, &start);
}

static double picture_extent(const sp_rigid *r) {
    double largest = 1;
    for (int i = 0; i < r->shape_count; i++)
        if (r->shapes[i].type != SP_PLANE)
            largest = fmax(largest, fmax(r->shapes[i].size[0], fmax(r->shapes[i].size[1], r->shapes[i].size[2])));
    return plane_extent * largest;
}

// Appends the triangles of one shape.
static sp_status append_triangles(sp_body *b, const sp_rigid_shape *shape) {
    sp_surface *s = b->surfaces[0];
    sp_context *ctx = b->ctx;
    int nv = 0, nf = 0, *f = NULL;
    double *x = NULL;
    sp_anchor *anchors = NULL;
    uint32_t *faces = NULL;
    sp_status status = sp__shape_triangles(ctx, shape, picture_extent(b->impl), &nv, &x, &nf, &f);
    if (status < 0) goto done;
    size_t old_v = (size_t)s->vertex_count, old_f = (size_t)s->face_count;
    status = SP_NO_MEMORY;
    if (!SP_NEW(ctx, anchors, old_v + (size_t)nv) || !SP_NEW(ctx, faces, 3 * (old_f + (size_t)nf))) goto done;
    if (old_v) memcpy(anchors, s->anchors, old_v * sizeof *anchors);
    if (old_f) memcpy(faces, s->faces, 3 * old_f * sizeof *faces);
    for (int i = 0; i < nv; i++) memcpy(anchors[old_v + (size_t)i].offset, x + 3 * i, 3 * sizeof *x);
    for (int i = 0; i < 3 * nf; i++) faces[3 * old_f + (size_t)i] = (uint32_t)(old_v + (size_t)f[i]);
    sp__free(ctx, s->anchors), sp__free(ctx, s->faces);
    s->anchors = anchors, s->faces = faces;
    anchors = NULL, faces = NULL;
    s->vertex_count = (int)old_v + nv, s->face_count = (int)old_f + nf;
    status = SP_OK;
done:
    sp__free(ctx, x), sp__free(ctx, f), sp__free(ctx, anchors), sp__free(ctx, faces);
    return status < 0 ? SP_BODY_FAIL(b, status, "no memory for the surface of a rigid body") : SP_OK;
}

static sp_status rigid_fill(sp_body *b, const sp_rigid_def *def) {
    sp_rigid *r = b->impl;
    if (!SP_NEW(b->ctx, r->shapes, def->shape_count > 0 ? def->shape_count : 1))
        return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for a rigid body");
    // copies members one by one: padding stays zero, so equal shapes have equal bytes in a checkpoint
    for (int i = 0; i < def->shape_count; i++) {
        r->shapes[i].type = def->shapes[i].type;
        memcpy(r->shapes[i].size, def->shapes[i].size, sizeof r->shapes[i].size);
        r->shapes[i].pose = def->shapes[i].pose;
    }
    r->shape_count = def->shape_count;
    r->kinematic = def->kinematic;
    r->pose = def->pose;
    SP_TRY(sp__body_init(b, STATE_SIZE, 0));
    sp_pose start = rigid_pose_at(r, 0);
    for (int s = 0; s < 2; s++) put_pose(b->q[s], &start);
    for (int i = 0; i < r->shape_count; i++) SP_TRY(append_triangles(b, &r->shapes[i]));
    return SP_OK;
}

sp_status sp__rigid_create(sp_context *ctx, sp_error *error, const sp_rigid_def *def, sp_body **out) {
    *out = NULL;
    SP_TRY(rigid_check(error, def));
    sp_body *b;
    SP_TRY(sp__body_new(ctx, error, &sp__rigid_ops, sizeof(sp_rigid), def->name, &b));
    b->caps = SP_CAP_KINEMATIC;
    sp_status status = rigid_fill(b, def);
    if (status < 0) {
        rigid_destroy(b);
        return status;
    }
    *out = b;
    return SP_OK;
}
