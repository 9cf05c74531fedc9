// The rigid kind: poses, points, shapes, creation. Free bodies have more in rigid_free.c.
#include "rigid/rigid.h"

#include "collide/shape.h"

// edge of the square that represents a plane in pictures [m], or relative to the size of the other shapes of the body
static const double plane_extent = 4;

static void rigid_destroy(sp_body *b) {
    sp_rigid *r = b->impl;
    sp_context *ctx = b->ctx;
    if (r) {
        sp__free(ctx, r->shapes), sp__free(ctx, r->loads);
        sp__free(ctx, r);
    }
    sp__body_free(b);
    sp__free(ctx, b);
}

// Fixed and kinematic bodies are stored as in version 0.1, in which pose and velocity were one array and no unknowns existed.
static void visit_prescribed(sp_body *b, sp_tier tier, sp_visitor *v) {
    sp_rigid *r = b->impl;
    double *q = b->q[SP_COMMITTED], *u = b->v[SP_COMMITTED];
    if (tier == SP_STATE) {
        memcpy(r->stored, q, SP_RIGID_NQ * sizeof *q), memcpy(r->stored + SP_RIGID_NQ, u, SP_RIGID_NV * sizeof *u);
        v->array(v, "q", r->stored, sizeof *r->stored, SP_RIGID_NQ + SP_RIGID_NV);
        v->array(v, "v", u, sizeof *u, 0);
        memcpy(q, r->stored, SP_RIGID_NQ * sizeof *q), memcpy(u, r->stored + SP_RIGID_NQ, SP_RIGID_NV * sizeof *u);
    }
    if (tier == SP_PARAMETERS) {
        v->array(v, "fixed", b->fixed, 1, 0);
        memset(r->stored, 0, sizeof r->stored);
        v->array(v, "target", r->stored, sizeof *r->stored, SP_RIGID_NQ + SP_RIGID_NV);
        v->array(v, "posted", r->posted, sizeof *r->posted, 8);
    }
}

static void rigid_visit(sp_body *b, sp_tier tier, sp_visitor *v) {
    sp_rigid *r = b->impl;
    if (r->free)
        sp__body_visit(b, tier, v);
    else
        visit_prescribed(b, tier, v);
    if (tier == SP_TOPOLOGY) v->array(v, "shapes", r->shapes, sizeof *r->shapes, (size_t)r->shape_count);
    if (tier == SP_TOPOLOGY && r->mesh_key) v->array(v, "mesh", &r->mesh_key, sizeof r->mesh_key, 1);
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
    memcpy(q, pose->translate, 3 * sizeof(double));
    for (int i = 0; i < 4; i++) q[SP_RIGID_QUAT + i] = pose->quat[i] / length;
}

// Angular velocity that turns one orientation into another in time h: constant rotation about one axis, the shorter of the two.
static void turn_rate(const double *from, const double *to, double h, double out[3]) {
    const double *a = from + SP_RIGID_QUAT, back[4] = {a[0], -a[1], -a[2], -a[3]};
    double turn[4];
    sp__quat_mul(to + SP_RIGID_QUAT, back, turn);
    double s = sp__norm3(turn + 1), half = atan2(s, fabs(turn[0]));
    double scale = s > 0 ? copysign(2 * half / s, turn[0]) / h : 0;
    for (int k = 0; k < 3; k++) out[k] = scale * turn[1 + k];
}

static void rigid_prescribe(sp_body *b, const sp_step *step) {
    double *q = b->q[SP_TRIAL], *v = b->v[SP_TRIAL];
    memcpy(q, b->q[SP_COMMITTED], SP_RIGID_NQ * sizeof *q);
    memset(v, 0, SP_RIGID_NV * sizeof *v);
    if (!sp__rigid(b)->kinematic) return;
    sp_pose pose = rigid_pose_at(b->impl, step->time);
    put_pose(q, &pose);
    if (!(step->h > 0)) return;
    for (int k = 0; k < 3; k++) v[k] = (q[k] - b->q[SP_COMMITTED][k]) / step->h;
    turn_rate(b->q[SP_COMMITTED], q, step->h, v + SP_RIGID_SPIN);
}

static sp_status rigid_evaluate(sp_body *b, const sp_step *step, unsigned want) {
    (void)step, (void)want;
    b->energy = 0;
    return SP_OK;
}

void sp__rigid_centre(const sp_rigid *r, const double *q, double out[3]) {
    double R[9], arm[3] = {0};
    if (r->free) {
        sp__quat_matrix(q + SP_RIGID_QUAT, R);
        sp__mul3(R, r->mass.centre, arm);
    }
    sp__axpy3(q, 1, arm, out);
}

// to = from (+) s v: the centre moves by s v, the body turns about it by the rotation vector s w. `to` may be `from`
void sp__rigid_move(const sp_rigid *r, const double *from, double s, const double *v, double *to) {
    double t[3], R[9], before[3], after[3], q[4], turn[4];
    for (int k = 0; k < 3; k++) t[k] = s * v[SP_RIGID_SPIN + k];
    double angle = sp__norm3(t);
    memcpy(q, from + SP_RIGID_QUAT, sizeof q);
    for (int k = 0; k < 3; k++) to[k] = from[k] + s * v[k];
    if (angle > 0) {
        sp__quat_matrix(q, R);
        sp__mul3(R, r->mass.centre, before);
        sp__quat_axis(t, angle, turn);
        sp__quat_mul(turn, from + SP_RIGID_QUAT, q);
        double length = sqrt(sp__dot3(q, q) + q[3] * q[3]);
        for (int k = 0; k < 4; k++) q[k] /= length;
        sp__quat_matrix(q, R);
        sp__mul3(R, r->mass.centre, after);
        for (int k = 0; k < 3; k++) to[k] += before[k] - after[k];
    }
    memcpy(to + SP_RIGID_QUAT, q, sizeof q);
}

static void rigid_retract(sp_body *b, const sp_step *step, sp_which from, double s, const double *v) {
    (void)step;
    sp__rigid_move(sp__rigid(b), b->q[from], s, v, b->q[SP_TRIAL]);
}

void sp__rigid_difference(sp_body *b, const double *from, const double *to, double *d) {
    double before[3], after[3];
    sp__rigid_centre(sp__rigid(b), from, before), sp__rigid_centre(sp__rigid(b), to, after);
    sp__sub3(after, before, d);
    turn_rate(from, to, 1, d + SP_RIGID_SPIN);
}

static void rigid_interpolate(sp_body *b, const double *from, const double *to, double share, double *out) {
    double d[SP_RIGID_NV];
    sp__rigid_difference(b, from, to, d);
    sp__rigid_move(sp__rigid(b), from, share, d, out);
}

// all unknowns are fixed, or none
static void rigid_place_fixed(sp_body *b) {
    if (b->fixed[0]) memcpy(b->q[SP_TRIAL], b->target, SP_RIGID_NQ * sizeof(double));
}

// ---------------------------------------------------------------------------------------------------- points

static void velocity_at(const double *centre, const double *velocity, const double *x, double *v) {
    double arm[3];
    sp__sub3(x, centre, arm);
    sp__cross3(velocity + SP_RIGID_SPIN, arm, v);
    sp__axpy3(velocity, 1, v, v);
}

void sp__rigid_points(sp_body *b, sp_which s, int n, const sp_anchor *a, double *x, double *v) {
    const double *q = b->q[s];
    double R[9], centre[3];
    sp__quat_matrix(q + SP_RIGID_QUAT, R);
    sp__rigid_centre(sp__rigid(b), q, centre);
    for (int i = 0; i < n; i++) {
        sp__mul3(R, a[i].offset, x + 3 * i);
        sp__axpy3(q, 1, x + 3 * i, x + 3 * i);
        if (v) velocity_at(centre, b->v[s], x + 3 * i, v + 3 * i);
    }
}

static sp_status rigid_jacobian_rows(sp_body *b, sp_which s, int n, const sp_anchor *a, const double *dir, sp_rows *J) {
    double R[9], arm[3];
    if (J->capacity / SP_RIGID_NV < n)
        return SP_BODY_FAIL(b, SP_BAD_INPUT, "%d rows of '%s' in a capacity of %d numbers", n, b->name, J->capacity);
    sp__quat_matrix(b->q[s] + SP_RIGID_QUAT, R);
    J->n = n, J->start[0] = 0;
    for (int i = 0; i < n; i++) {
        int at = J->start[i];
        for (int k = 0; k < SP_RIGID_NV; k++) J->col[at + k] = k;
        memcpy(J->val + at, dir + 3 * (size_t)i, 3 * sizeof *dir);
        sp__rigid_arm(sp__rigid(b), R, a[i].offset, arm);
        sp__cross3(arm, dir + 3 * (size_t)i, J->val + at + SP_RIGID_SPIN);
        J->start[i + 1] = at + SP_RIGID_NV;
    }
    return SP_OK;
}

// transpose of v = V + W x arm: force and torque about the reference point
static void rigid_apply_transpose(sp_body *b, sp_which s, int n, const sp_anchor *a, const double *f, double *g) {
    double R[9], arm[3], torque[3];
    sp__quat_matrix(b->q[s] + SP_RIGID_QUAT, R);
    for (int i = 0; i < n; i++) {
        sp__rigid_arm(sp__rigid(b), R, a[i].offset, arm);
        sp__cross3(arm, f + 3 * (size_t)i, torque);
        sp__axpy3(g, 1, f + 3 * (size_t)i, g);
        sp__axpy3(g + SP_RIGID_SPIN, 1, torque, g + SP_RIGID_SPIN);
    }
}

static sp_status anchor_node(sp_body *b, int node, sp_anchor *out) {
    (void)out;
    return SP_BODY_FAIL(b, SP_BAD_INPUT, "node %d of '%s': a rigid body has no nodes", node, b->name);
}

// the point of the frame at x, if the frame has the pose q
static void locate_in(const sp_body *b, const double *q, const double *x, sp_anchor *out) {
    double R[9], arm[3];
    sp__quat_matrix(q + SP_RIGID_QUAT, R);
    sp__sub3(x, q, arm);
    *out = (sp_anchor){.body = b->id};
    sp__mul3t(R, arm, out->offset);
}

static void rigid_locate(sp_body *b, sp_which s, const double x[3], sp_anchor *out) {
    locate_in(b, b->q[s], x, out);
}

// the rest position of a rigid body is its position at time 0
static sp_status anchor_point(sp_body *b, const double rest[3], sp_anchor *out) {
    double q[SP_RIGID_NQ];
    sp_pose pose = sp_pose_signal_value(&sp__rigid(b)->pose, 0);
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

static bool has_only_round_shapes(const sp_rigid *r) {
    for (int i = 0; i < r->shape_count; i++)
        if (r->shapes[i].type != SP_PLANE && r->shapes[i].type != SP_SPHERE && r->shapes[i].type != SP_CAPSULE) return false;
    return !r->mesh_key;
}

// The triangles of a plane end somewhere: next to shapes that collide by their triangles it would be a square.
static bool mixes_planes(const sp_rigid *r) {
    for (int i = 0; i < r->shape_count; i++)
        if (r->shapes[i].type == SP_PLANE) return !has_only_round_shapes(r);
    return false;
}

static bool rigid_shape(sp_body *b, sp_which s, int index, sp_body_shape *out) {
    const sp_rigid *r = sp__rigid(b);
    if (index >= r->shape_count || !has_only_round_shapes(r)) return false;
    const sp_rigid_shape *shape = &r->shapes[index];
    const double *q = b->q[s], zero[3] = {0}, end[3] = {0, 0, shape->type == SP_CAPSULE ? shape->size[1] : 0};
    double R[9], S[9], own[3], length = sp__norm3(shape->size);
    sp__quat_matrix(q + SP_RIGID_QUAT, R), sp__quat_matrix(shape->pose.quat, S);
    *out = (sp_body_shape){.type = shape->type, .radius = shape->type == SP_PLANE ? 0 : shape->size[0]};
    for (int which = 0; which < 2; which++) {
        double *to = which ? out->b : out->a;
        bool normal = which && shape->type == SP_PLANE;
        sp__mul3(S, normal ? shape->size : which ? end : zero, own);
        if (!normal) sp__axpy3(own, 1, shape->pose.translate, own);
        sp__mul3(R, own, to);
        if (!normal) sp__axpy3(to, 1, q, to);
        for (int k = 0; normal && k < 3; k++) to[k] /= length;
    }
    return true;
}

static double rigid_distance(sp_body *b, sp_which s, const double x[3], double normal[3], double surface_velocity[3]) {
    const sp_rigid *r = b->impl;
    const double *q = b->q[s];
    double R[9], arm[3], local[3], best = INFINITY, n[3], nearest[3] = {0};
    sp__quat_matrix(q + SP_RIGID_QUAT, R);
    sp__sub3(x, q, arm);
    sp__mul3t(R, arm, local);
    for (int i = 0; i < r->shape_count; i++) {
        double d = sp__shape_distance_posed(&r->shapes[i], local, n);
        if (!(d < best)) continue;
        best = d;
        memcpy(nearest, n, sizeof n);
    }
    sp__mul3(R, nearest, normal);
    velocity_at(q, b->v[s], x, surface_velocity);
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
    return sp__body_hash_numbers(b->q[SP_COMMITTED], SP_RIGID_NQ, 0) +
           sp__body_hash_numbers(b->v[SP_COMMITTED], SP_RIGID_NV, SP_RIGID_NQ);
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
    for (int i = 0; i < 4 && x; i++) length2 += x[SP_RIGID_QUAT + i] * x[SP_RIGID_QUAT + i];
    // recordings store quaternions as floats
    if (x && !(fabs(length2 - 1) < 1e-5))
        return SP_BODY_FAIL(b, SP_BAD_INPUT, "state of '%s': the quaternion's length is %g, must be 1", b->name, sqrt(length2));
    if (x) {
        sp_pose pose;
        memcpy(pose.translate, x, sizeof pose.translate);
        memcpy(pose.quat, x + SP_RIGID_QUAT, sizeof pose.quat);
        put_pose(q, &pose);
    }
    if (v) memcpy(b->v[SP_COMMITTED], v, SP_RIGID_NV * sizeof *v);
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

#define COMMON                                                                                                                  \
    .kind = "rigid", .params = rigid_params, .destroy = rigid_destroy, .visit = rigid_visit, .refresh = rigid_refresh,          \
    .retract = rigid_retract, .difference = sp__rigid_difference, .interpolate = rigid_interpolate,                             \
    .place_fixed = rigid_place_fixed, .points = sp__rigid_points, .jacobian_rows = rigid_jacobian_rows,                         \
    .apply_transpose = rigid_apply_transpose, .anchor_node = anchor_node, .anchor_point = anchor_point, .attach = rigid_attach, \
    .fields = rigid_fields, .field_count = 1, .state = {SP_FIELD_POSE, SP_FIELD_COUNT}, .hash = rigid_hash, .pin = rigid_pin,   \
    .set_state = rigid_set_state, .param_count = param_count, .param_at = rigid_param_at, .locate = rigid_locate,               \
    .shape = rigid_shape

// fixed and kinematic bodies, on which penalty contact can act
const sp_body_ops sp__rigid_ops = {
    COMMON,
    .prescribe = rigid_prescribe,
    .evaluate = rigid_evaluate,
    .measure = rigid_measure,
    .pose = post_pose,
    .distance = rigid_distance,
};

// the same from meshes, without a signed distance
static const sp_body_ops rigid_mesh_ops = {
    COMMON, .prescribe = rigid_prescribe, .evaluate = rigid_evaluate, .measure = rigid_measure, .pose = post_pose,
};

static const sp_body_ops rigid_free_ops = {
    COMMON,
    .prescribe = sp__rigid_free_prescribe,
    .evaluate = sp__rigid_free_evaluate,
    .linearise = sp__rigid_free_linearise,
    .compose_step = sp__rigid_free_compose,
    .correct = sp__rigid_free_correct,
    .finish = sp__rigid_free_finish,
    .mass = sp__rigid_free_mass,
    .measure = sp__rigid_free_measure,
    .energies = sp__rigid_free_energies,
    .work = sp__rigid_free_work,
};

// ---------------------------------------------------------------------------------------------------- creation

sp_rigid_def sp_rigid_def_default(void) {
    return (sp_rigid_def){.pose = sp_pose_signal_constant(sp_pose_identity()),
                          .density = 1000,
                          .integrator = sp_integrator_def_default(),
                          .cookie = SP_COOKIE_RIGID};
}

#define REFUSE(...) return sp__fail(error, SP_BAD_INPUT, __FILE__, __LINE__, __VA_ARGS__)

static sp_status rigid_check_pose(sp_error *error, const char *what, int index, const sp_pose *pose) {
    double length2 = sp__dot3(pose->quat, pose->quat) + pose->quat[3] * pose->quat[3];
    // also false for NaN
    if (!(fabs(length2 - 1) < 1e-6)) REFUSE("%s %d: the quaternion's length is %g, must be 1", what, index, sqrt(length2));
    for (int a = 0; a < 3; a++)
        if (!isfinite(pose->translate[a])) REFUSE("%s %d: translate is %g, must be finite", what, index, pose->translate[a]);
    return SP_OK;
}

static sp_status rigid_check_shape(sp_error *error, int index, const sp_rigid_shape *s) {
    static const int sizes[] = {
        [SP_PLANE] = 3, [SP_SPHERE] = 1, [SP_BOX] = 3, [SP_CYLINDER] = 2, [SP_CAPSULE] = 2, [SP_TORUS] = 2, [SP_ELLIPSOID] = 3};
    if ((int)s->type < 0 || s->type > SP_ELLIPSOID) REFUSE("shape %d: type %d is unknown", index, (int)s->type);
    for (int a = 0; a < sizes[s->type]; a++)
        if (!isfinite(s->size[a]) || (s->type != SP_PLANE && !(s->size[a] > 0)))
            REFUSE("shape %d: size %g, must be finite and > 0", index, s->size[a]);
    if (s->type == SP_PLANE && !(sp__norm3(s->size) > 0)) REFUSE("shape %d: the plane's normal is 0", index);
    if (s->type == SP_TORUS && !(s->size[1] < s->size[0]))
        REFUSE("shape %d: the tube, %g m, must be thinner than the ring, %g m", index, s->size[1], s->size[0]);
    return rigid_check_pose(error, "shape", index, &s->pose);
}

static bool finite3(const double x[3]) {
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

static sp_status check_free(sp_error *error, const sp_rigid_def *def) {
    const sp_solver_def solver = sp_solver_def_default();
    if (def->kinematic) REFUSE("a rigid body is kinematic or free, not both");
    SP_TRY(sp__body_check_systems(error, &def->integrator, &solver));
    if (!finite3(def->velocity) || !finite3(def->spin)) REFUSE("velocity and spin of a rigid body must be finite");
    SP_TRY(sp__point_loads_check(error, "rigid body", def->loads, def->load_count));
    for (int i = 0; i < def->load_count; i++)
        if (!finite3(def->loads[i].at.offset)) REFUSE("load %d of a rigid body: its point must be finite", i);
    for (int i = 0; i < def->spring_count; i++)
        if (!finite3(def->springs[i].at.offset)) REFUSE("spring %d of a rigid body: its point must be finite", i);
    return sp__springs_check(error, def->springs, def->spring_count);
}

static sp_status check_prescribed(sp_error *error, const sp_rigid_def *def) {
    if (def->load_count || def->spring_count)
        REFUSE("%d loads and %d springs on a rigid body that is not free: they cannot move it", def->load_count,
               def->spring_count);
    for (int k = 0; k < 3; k++)
        if (def->velocity[k] != 0 || def->spin[k] != 0)
            REFUSE("velocity = %g m/s and spin = %g rad/s, must be 0 if a rigid body is not free", def->velocity[k],
                   def->spin[k]);
    return SP_OK;
}

static sp_status rigid_check(sp_error *error, const sp_rigid_def *def) {
    if (def->cookie != SP_COOKIE_RIGID) REFUSE("sp_rigid_def did not start from sp_rigid_def_default()");
    if (def->shape_count < 0 || def->shape_count > 100000 || (def->shape_count > 0 && !def->shapes))
        REFUSE("shape_count = %d, must be in [0, 100000] with shapes given", def->shape_count);
    for (int i = 0; i < def->shape_count; i++) SP_TRY(rigid_check_shape(error, i, &def->shapes[i]));
    if (def->mesh_count < 0 || def->mesh_count > 100000 || (def->mesh_count > 0 && !def->meshes))
        REFUSE("mesh_count = %d, must be in [0, 100000] with meshes given", def->mesh_count);
    if (def->load_count < 0 || def->spring_count < 0 || (def->load_count > 0 && !def->loads) ||
        (def->spring_count > 0 && !def->springs))
        REFUSE("load_count = %d, spring_count = %d, must be >= 0 with loads and springs given", def->load_count,
               def->spring_count);
    SP_TRY(def->free ? check_free(error, def) : check_prescribed(error, def));
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

// Appends triangles to the boundary.
static sp_status append_triangles(sp_body *b, int nv, const double *x, int nf, const int *f) {
    sp_surface *s = b->surfaces[0];
    sp_context *ctx = b->ctx;
    sp_anchor *anchors = NULL;
    uint32_t *faces = NULL;
    size_t old_v = (size_t)s->vertex_count, old_f = (size_t)s->face_count;
    if (nv > INT32_MAX - s->vertex_count || nf > INT32_MAX - s->face_count || !SP_NEW(ctx, anchors, old_v + (size_t)nv) ||
        !SP_NEW(ctx, faces, 3 * (old_f + (size_t)nf))) {
        sp__free(ctx, anchors);
        return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for the surface of a rigid body");
    }
    if (old_v) memcpy(anchors, s->anchors, old_v * sizeof *anchors);
    if (old_f) memcpy(faces, s->faces, 3 * old_f * sizeof *faces);
    for (size_t i = 0; i < (size_t)nv; i++) memcpy(anchors[old_v + i].offset, x + 3 * i, 3 * sizeof *x);
    for (size_t i = 0; i < 3 * (size_t)nf; i++) faces[3 * old_f + i] = (uint32_t)(old_v + (size_t)f[i]);
    sp__free(ctx, s->anchors), sp__free(ctx, s->faces);
    s->anchors = anchors, s->faces = faces;
    s->vertex_count = (int)old_v + nv, s->face_count = (int)old_f + nf;
    return SP_OK;
}

static sp_status append_shape(sp_body *b, const sp_rigid_shape *shape) {
    int nv = 0, nf = 0, *f = NULL;
    double *x = NULL;
    sp_status status = sp__shape_triangles(b->ctx, shape, picture_extent(b->impl), &nv, &x, &nf, &f);
    status =
        status < 0 ? SP_BODY_FAIL(b, status, "no memory for the surface of a rigid body") : append_triangles(b, nv, x, nf, f);
    sp__free(b->ctx, x), sp__free(b->ctx, f);
    return status;
}

static sp_status append_mesh(sp_body *b, const sp_trimesh *mesh) {
    sp_rigid *r = sp__rigid(b);
    sp_trimesh_def t;
    sp_trimesh_get(mesh, &t);
    for (size_t i = 0; i < 3 * (size_t)t.vertex_count; i++) {
        uint64_t bits;
        memcpy(&bits, &t.positions[i], sizeof bits);
        r->mesh_key = sp__mix(r->mesh_key ^ bits, i);
    }
    for (size_t i = 0; i < 3 * (size_t)t.face_count; i++) r->mesh_key = sp__mix(r->mesh_key ^ (uint64_t)t.faces[i], i);
    return append_triangles(b, t.vertex_count, t.positions, t.face_count, t.faces);
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
    r->kinematic = def->kinematic, r->free = def->free;
    r->pose = def->pose;
    SP_TRY(sp__body_init(b, SP_RIGID_NQ, SP_RIGID_NV));
    b->caps = SP_CAP_KINEMATIC | (def->mesh_count ? SP_CAP_NO_PENALTY : 0u) | (def->kinematic ? SP_CAP_POSED : 0u);
    memset(b->fixed, r->kinematic ? SP_MOVED : SP_HELD, SP_RIGID_NV);
    sp_pose start = rigid_pose_at(r, 0);
    for (int s = 0; s < 2; s++) put_pose(b->q[s], &start);
    for (int i = 0; i < r->shape_count; i++) SP_TRY(append_shape(b, &r->shapes[i]));
    for (int i = 0; i < def->mesh_count; i++) SP_TRY(append_mesh(b, def->meshes[i]));
    if (mixes_planes(r)) b->caps |= SP_CAP_NO_CONSTRAINTS;
    return def->free ? sp__rigid_free_create(b, def) : SP_OK;
}

sp_status sp__rigid_create(sp_context *ctx, sp_error *error, const sp_rigid_def *def, sp_body **out) {
    *out = NULL;
    SP_TRY(rigid_check(error, def));
    sp_body *b;
    const sp_body_ops *ops = def->free ? &rigid_free_ops : def->mesh_count ? &rigid_mesh_ops : &sp__rigid_ops;
    SP_TRY(sp__body_new(ctx, error, ops, sizeof(sp_rigid), def->name, &b));
    sp_status status = rigid_fill(b, def);
    if (status < 0) {
        rigid_destroy(b);
        return status;
    }
    *out = b;
    return SP_OK;
}
