// Placements and prescribed motions. P of the scene language is scale, then rotate or quat, then translate. A motion is P as
// functions of time, or keyframes with linear (or smooth) interpolation of translations and slerp of rotations.
#include "io/run/build.h"
#include "math/vec3.h"

// unit quaternion of `rotate` or `quat` at time t; false: not possible
static bool turn_at(const sp_scene_node *node, double t, double out[4]) {
    const double origin[3] = {0, 0, 0};
    const sp_attr *rotate = sp__build_attr(node, "rotate"), *quat = sp__build_attr(node, "quat");
    const sp_attr *attr = rotate ? rotate : quat;
    double n[4];
    out[0] = 1, out[1] = out[2] = out[3] = 0;
    if (!attr) return true;
    const char *name = rotate ? "rotate" : "quat";
    for (int k = 0; k < attr->count && k < 4; k++) n[k] = sp__attr_at(node, name, k, origin, t);
    if (!rotate) {
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] + n[3] * n[3]);
        if (!(length > 0)) return false;
        for (int k = 0; k < 4; k++) out[k] = n[k] / length;
    } else if (attr->count == 4) {
        if (!(sp__norm3(n) > 0)) return false;
        sp__quat_axis(n, n[3] * SP_PI / 180, out);
    } else {
        // rotations about the fixed axes x, then y, then z
        for (int k = 0; k < 3; k++) {
            double axis[3] = {k == 0, k == 1, k == 2}, q[4], before[4];
            memcpy(before, out, sizeof before);
            sp__quat_axis(axis, n[k] * SP_PI / 180, q);
            sp__quat_mul(q, before, out);
        }
    }
    return true;
}

static void pose_at(const sp_scene_node *node, double t, sp_pose *out) {
    const double origin[3] = {0, 0, 0};
    *out = sp_pose_identity();
    if (sp__build_attr(node, "translate"))
        for (int k = 0; k < 3; k++) out->translate[k] = sp__attr_at(node, "translate", k, origin, t);
    if (!turn_at(node, t, out->quat)) out->quat[0] = 1, out->quat[1] = out->quat[2] = out->quat[3] = 0;
}

static sp_status check_turn(sp_run *run, const sp_scene_node *node) {
    double q[4];
    if (!turn_at(node, 0, q))
        return SP_BUILD_FAIL(run, node, sp__build_attr(node, "rotate") ? "rotate" : "quat",
                             "the axis or quaternion has length 0");
    return SP_OK;
}

sp_status sp__build_place(sp_run *run, const sp_scene_node *node, sp_place *out) {
    *out = (sp_place){{1, 1, 1}, sp_pose_identity()};
    const sp_attr *scale = sp__build_attr(node, "scale");
    for (int k = 0; scale && k < 3; k++) out->scale[k] = scale->numbers[scale->count == 3 ? k : 0];
    SP_TRY(check_turn(run, node));
    pose_at(node, 0, &out->pose);
    return SP_OK;
}

sp_status sp__build_places(sp_run *run, const sp_scene_node *node, sp_places *out) {
    out->count = 0;
    for (const sp_scene_node *n = node; n; n = n->instance) {
        if (out->count == SP_PLACE_DEPTH)
            return SP_BUILD_FAIL(run, node, NULL, "is nested in more than %d instances", SP_PLACE_DEPTH - 1);
        SP_TRY(sp__build_place(run, n, &out->at[out->count]));
        if (!sp__place_is_identity(&out->at[out->count])) out->count++;
        if (!sp__build_attr(n, "scatter")) continue;
        if (out->count == SP_PLACE_DEPTH)
            return SP_BUILD_FAIL(run, node, NULL, "is nested in more than %d instances", SP_PLACE_DEPTH - 1);
        SP_TRY(sp__build_scatter(run, n, &out->at[out->count++]));
    }
    const sp_run_body *under = sp__scattered_over(run, node);
    if (under && under->rigid.kinematic && strcmp(node->spec->name, "rod") != 0)
        return SP_BUILD_FAIL(run, node, NULL,
                             "it is scattered over \"%s\", which moves: only the roots of rods can be carried along",
                             under->node->path);
    return SP_OK;
}

bool sp__place_is_identity(const sp_place *p) {
    const double *t = p->pose.translate, *q = p->pose.quat;
    return p->scale[0] == 1 && p->scale[1] == 1 && p->scale[2] == 1 && t[0] == 0 && t[1] == 0 && t[2] == 0 && q[1] == 0 &&
           q[2] == 0 && q[3] == 0;
}

void sp__place_point(const sp_place *place, const double x[3], double out[3]) {
    double R[9], y[3] = {place->scale[0] * x[0], place->scale[1] * x[1], place->scale[2] * x[2]}, z[3];
    sp__quat_matrix(place->pose.quat, R);
    sp__mul3(R, y, z);
    for (int k = 0; k < 3; k++) out[k] = place->pose.translate[k] + z[k];
}

void sp__places_point(const sp_places *places, const double x[3], double out[3]) {
    double y[3] = {x[0], x[1], x[2]};
    for (int i = 0; i < places->count; i++) {
        sp__place_point(&places->at[i], y, out);
        memcpy(y, out, sizeof y);
    }
    memcpy(out, y, sizeof y);
}

sp_pose sp__pose_mul(const sp_pose *a, const sp_pose *b) {
    sp_pose out;
    double R[9];
    sp__quat_matrix(a->quat, R);
    sp__mul3(R, b->translate, out.translate);
    for (int k = 0; k < 3; k++) out.translate[k] += a->translate[k];
    sp__quat_mul(a->quat, b->quat, out.quat);
    return out;
}

// ------------------------------------------------------------------------------------------------ motions

typedef struct keys {
    int count;
    enum { LINEAR, SMOOTH, STEP } interpolate;
    double *times;
    sp_pose *poses;
} keys;

static void eval_formula(const void *user, double t, sp_pose *out) {
    pose_at(user, t, out);
}

static void slerp(const double *a, const double *b, double s, double out[4]) {
    double d = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3], sign = d < 0 ? -1 : 1, u = 1 - s, v = s;
    d = fabs(d);
    // nearly equal rotations: linear interpolation is exact to rounding, and sin(angle) is too small to divide by
    if (d < 1 - 1e-12) {
        double angle = acos(d);
        u = sin((1 - s) * angle) / sin(angle), v = sin(s * angle) / sin(angle);
    }
    double length = 0;
    for (int k = 0; k < 4; k++) out[k] = u * a[k] + sign * v * b[k], length += out[k] * out[k];
    for (int k = 0; k < 4; k++) out[k] /= sqrt(length);
}

static void eval_keys(const void *user, double t, sp_pose *out) {
    const keys *k = user;
    int i = 0;
    while (i + 1 < k->count && t >= k->times[i + 1]) i++;
    *out = k->poses[i];
    if (i + 1 == k->count || t <= k->times[i] || k->interpolate == STEP) return;
    double s = (t - k->times[i]) / (k->times[i + 1] - k->times[i]);
    if (k->interpolate == SMOOTH) s = s * s * (3 - 2 * s);
    const sp_pose *a = &k->poses[i], *b = &k->poses[i + 1];
    for (int c = 0; c < 3; c++) out->translate[c] = a->translate[c] + s * (b->translate[c] - a->translate[c]);
    slerp(a->quat, b->quat, s, out->quat);
}

static sp_status build_keys(sp_run *run, const sp_scene_node *move, int count, sp_pose_signal *out) {
    keys *k;
    if (!SP_KEEP(&run->keep, k, 1) || !SP_KEEP(&run->keep, k->times, count) || !SP_KEEP(&run->keep, k->poses, count))
        return sp__build_no_memory(run);
    k->interpolate = sp__build_is(move, "interpolate", "smooth") ? SMOOTH
                     : sp__build_is(move, "interpolate", "step") ? STEP
                                                                 : LINEAR;
    for (const sp_scene_node *key = NULL; (key = sp__next_child(move, "key", key));) {
        sp_place place;
        SP_TRY(sp__build_place(run, key, &place));
        if (place.scale[0] != 1 || place.scale[1] != 1 || place.scale[2] != 1)
            return SP_BUILD_FAIL(run, key, "scale", "a motion is rigid: scale has no effect here");
        k->times[k->count] = sp__build_number(key, "t", 0);
        k->poses[k->count++] = place.pose;
    }
    *out = (sp_pose_signal){eval_keys, k, k->poses[0]};
    return SP_OK;
}

sp_status sp__build_motion(sp_run *run, const sp_scene_node *move, sp_pose_signal *out) {
    int count = 0;
    for (const sp_scene_node *key = NULL; (key = sp__next_child(move, "key", key));) count++;
    if (sp__build_given(move, "scale")) return SP_BUILD_FAIL(run, move, "scale", "a motion is rigid: scale has no effect here");
    if (count) return build_keys(run, move, count, out);
    SP_TRY(check_turn(run, move));
    *out = (sp_pose_signal){eval_formula, move, sp_pose_identity()};
    pose_at(move, 0, &out->constant);
    return SP_OK;
}
