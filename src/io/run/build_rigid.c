// Rigid bodies: shapes with their own placements in the frame of the body, which is fixed or follows a prescribed motion.
#include "io/run/build.h"
#include "math/vec3.h"

// rotation that takes z to `axis`
static void turn_to(const double axis[3], double out[4]) {
    const double z[3] = {0, 0, 1}, x[3] = {1, 0, 0};
    double length = sp__norm3(axis), across[3], c = axis[2] / length;
    sp__cross3(z, axis, across);
    double s = sp__norm3(across) / length;
    out[0] = 1, out[1] = out[2] = out[3] = 0;
    if (s > 0)
        sp__quat_axis(across, atan2(s, c), out);
    else if (c < 0)
        sp__quat_axis(x, SP_PI, out);
}

// the common scale factor; NaN: the factors differ
static double rigid_uniform(const double scale[3]) {
    return scale[0] == scale[1] && scale[1] == scale[2] ? scale[0] : NAN;
}

static void plane_shape(const sp_scene_node *node, sp_rigid_shape *out) {
    const double *normal = sp__attr(node, "normal")->numbers;
    double length = sp__norm3(normal);
    out->type = SP_PLANE;
    for (int k = 0; k < 3; k++) out->size[k] = normal[k] / length;
    memcpy(out->pose.translate, sp__attr(node, "point")->numbers, sizeof out->pose.translate);
}

static void sphere_shape(const sp_scene_node *node, sp_rigid_shape *out) {
    out->type = SP_SPHERE;
    out->size[0] = sp__build_number(node, "radius", 0);
}

static void box_shape(const sp_scene_node *node, sp_rigid_shape *out) {
    out->type = SP_BOX;
    memcpy(out->size, sp__attr(node, "size")->numbers, sizeof out->size);
}

static void cylinder_shape(const sp_scene_node *node, sp_rigid_shape *out) {
    out->type = SP_CYLINDER;
    out->size[0] = sp__build_number(node, "radius", 0);
    out->size[1] = sp__build_number(node, "length", 0);
    turn_to(sp__attr(node, "axis")->numbers, out->pose.quat);
}

// size and pose of a shape under a placement; only a box that is not rotated allows nonuniform scaling
static sp_status place_shape(sp_run *run, const sp_scene_node *node, const sp_place *place, sp_rigid_shape *shape) {
    double s = rigid_uniform(place->scale);
    bool turned = shape->pose.quat[1] != 0 || shape->pose.quat[2] != 0 || shape->pose.quat[3] != 0;
    if (isnan(s) && (shape->type != SP_BOX || turned))
        return SP_BUILD_FAIL(run, node, "scale",
                             "a rigid shape can be scaled by one factor only, unless it is a box that is not turned");
    for (int k = 0; k < 3; k++) {
        if (shape->type != SP_PLANE) shape->size[k] *= isnan(s) ? place->scale[k] : s;
        shape->pose.translate[k] *= place->scale[k];
    }
    shape->pose = sp__pose_mul(&place->pose, &shape->pose);
    return SP_OK;
}

static sp_status build_shape(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_rigid_shape *out) {
    static const struct {
        const char *name;
        void (*make)(const sp_scene_node *node, sp_rigid_shape *out);
    } makers[] = {{"plane", plane_shape}, {"sphere", sphere_shape}, {"box", box_shape}, {"cylinder", cylinder_shape}};
    sp_place own;
    *out = (sp_rigid_shape){.pose = sp_pose_identity()};
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        if (strcmp(node->spec->name, makers[i].name) != 0) continue;
        makers[i].make(node, out);
        SP_TRY(sp__build_place(run, node, &own));
        SP_TRY(place_shape(run, node, &own, out));
        // the shapes get the scale of the body's placements, the pose of the body gets the rest
        for (int k = 0; k < body->places.count; k++) {
            sp_place scale = {{body->places.at[k].scale[0], body->places.at[k].scale[1], body->places.at[k].scale[2]},
                              sp_pose_identity()};
            if (k > 0 && isnan(rigid_uniform(scale.scale)))
                return SP_BUILD_FAIL(run, body->node, "scale", "a rigid body in an instance can be scaled by one factor only");
            SP_TRY(place_shape(run, body->node, &scale, out));
        }
        return SP_OK;
    }
    return SP_OK;
}

// initial frame of the body
static sp_pose start_pose(const sp_places *places) {
    sp_pose pose = sp_pose_identity();
    for (int i = 0; i < places->count; i++) {
        double s = rigid_uniform(places->at[i].scale);
        for (int k = 0; k < 3; k++) pose.translate[k] *= isnan(s) ? 1 : s;
        pose = sp__pose_mul(&places->at[i].pose, &pose);
    }
    return pose;
}

// x(t) = about + translate(t) + R(t) (x_start - about)
typedef struct motion {
    sp_pose_signal move;
    sp_pose start;
    double about[3];
} motion;

static void eval_motion(const void *user, double t, sp_pose *out) {
    const motion *m = user;
    sp_pose move = sp_pose_signal_value(&m->move, t), start = m->start;
    for (int k = 0; k < 3; k++) {
        start.translate[k] -= m->about[k];
        move.translate[k] += m->about[k];
    }
    *out = sp__pose_mul(&move, &start);
}

static sp_status build_rigid_motion(sp_run *run, const sp_run_body *body, sp_rigid_def *def) {
    const sp_scene_node *move = sp__next_child(body->node, "move", NULL);
    motion *m;
    def->pose = sp_pose_signal_constant(start_pose(&body->places));
    if (!move) return SP_OK;
    const sp_scene_node *second = sp__next_child(body->node, "move", move);
    if (second) return SP_BUILD_FAIL(run, second, NULL, "a second move: a rigid body has one");
    if (sp__selects(move)) return SP_BUILD_FAIL(run, move, NULL, "a rigid body moves as a whole: nothing can be selected");
    if (sp__build_given(move, "axes"))
        return SP_BUILD_FAIL(run, move, "axes", "a rigid body moves as a whole: axes have no effect");
    if (!SP_KEEP(&run->keep, m, 1)) return sp__build_no_memory(run);
    SP_TRY(sp__build_motion(run, move, &m->move));
    m->start = def->pose.constant;
    const sp_attr *about = sp__build_attr(move, "about");
    const double origin[3] = {0, 0, 0};
    sp__places_point(&body->places, about ? about->numbers : origin, m->about);
    def->pose.eval = eval_motion;
    def->pose.user = m;
    return SP_OK;
}

static sp_status build_rigid(sp_run *run, const sp_scene_node *node) {
    sp_run_body *body = &run->bodies[run->body_count++];
    sp_rigid_def def = sp_rigid_def_default();
    sp_rigid_shape *shapes;
    *body = (sp_run_body){.node = node, .builder = &sp__rigid_builder};
    if (strlen(node->path) >= 64)
        return SP_BUILD_FAIL(run, node, "name", "its path \"%s\" has %zu characters, at most 63 can be used", node->path,
                             strlen(node->path));
    SP_TRY(sp__build_places(run, node, &body->places));
    if (!SP_KEEP(&run->keep, shapes, node->child_count)) return sp__build_no_memory(run);
    for (int i = 0; i < node->child_count; i++)
        if (node->children[i]->enabled && sp__is_shape(node->children[i]))
            SP_BUILD(build_shape(run, body, node->children[i], &shapes[def.shape_count++]));
    def.name = node->path;
    def.shapes = shapes;
    def.kinematic = sp__build_is(node, "motion", "kinematic");
    SP_BUILD(build_rigid_motion(run, body, &def));
    if (run->failed) return SP_BAD_INPUT;
    body->rigid = def;
    sp_status status = sp_world_add_rigid(run->world, &def, &body->id);
    return status < 0 ? sp__build_refused(run, node, status, sp_world_error(run->world)) : SP_OK;
}

// ------------------------------------------------------------------------------------------------ probes

static sp_status rigid_probe(sp_run *run, const sp_probe *p, sp_probe_target *t) {
    sp_anchor *anchor;
    if (!SP_KEEP(&run->keep, anchor, 1)) return sp__build_no_memory(run);
    anchor->body = t->body->id;
    if (sp__build_given(p->node, "point")) {
        memcpy(anchor->offset, sp__attr(p->node, "point")->numbers, sizeof anchor->offset);
        for (int i = 0; i < t->body->places.count; i++)
            for (int k = 0; k < 3; k++) anchor->offset[k] *= t->body->places.at[i].scale[k];
    } else if (sp__selects(p->node)) {
        return SP_BUILD_FAIL(run, p->node, NULL,
                             "a rigid body has no nodes to select: give point, or nothing for its own origin");
    }
    t->anchors = anchor;
    t->node_count = 1;
    return SP_OK;
}

const sp_builder sp__rigid_builder = {.element = "rigid", .build = build_rigid, .probe = rigid_probe};
