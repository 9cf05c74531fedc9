// Rigid bodies: shapes with their own placements in the frame of the body, which is fixed, follows a prescribed motion or is
// free.
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
    const sp_attr *radius = sp__attr(node, "radius");
    out->type = radius->count == 3 ? SP_ELLIPSOID : SP_SPHERE;
    memcpy(out->size, radius->numbers, (radius->count == 3 ? 3 : 1) * sizeof *out->size);
}

static void box_shape(const sp_scene_node *node, sp_rigid_shape *out) {
    out->type = SP_BOX;
    memcpy(out->size, sp__attr(node, "size")->numbers, sizeof out->size);
}

// cylinders and capsules
static void long_shape(const sp_scene_node *node, sp_rigid_shape *out) {
    out->type = strcmp(node->spec->name, "capsule") == 0 ? SP_CAPSULE : SP_CYLINDER;
    out->size[0] = sp__build_number(node, "radius", 0);
    out->size[1] = sp__build_number(node, "length", 0);
    turn_to(sp__attr(node, "axis")->numbers, out->pose.quat);
}

static void torus_shape(const sp_scene_node *node, sp_rigid_shape *out) {
    out->type = SP_TORUS;
    memcpy(out->size, sp__attr(node, "radius")->numbers, 2 * sizeof *out->size);
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
    } makers[] = {{"plane", plane_shape},   {"sphere", sphere_shape}, {"box", box_shape},
                  {"cylinder", long_shape}, {"capsule", long_shape},  {"torus", torus_shape}};
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

// ------------------------------------------------------------------------------------------------ free bodies

// a material point in the frame of the body: `point` in its own coordinates, or `otherwise`
static sp_status rigid_point(sp_run *run, const sp_run_body *body, const sp_scene_node *node, const char *what,
                             const double otherwise[3], double out[3]) {
    memcpy(out, otherwise, 3 * sizeof *out);
    if (sp__build_given(node, "point")) {
        memcpy(out, sp__attr(node, "point")->numbers, 3 * sizeof *out);
        for (int i = 0; i < body->places.count; i++)
            for (int k = 0; k < 3; k++) out[k] *= body->places.at[i].scale[k];
    } else if (sp__selects(node)) {
        return SP_BUILD_FAIL(run, node, NULL, "a rigid body has no nodes to select: give point, or nothing for its %s", what);
    }
    return SP_OK;
}

static sp_status rigid_load(sp_run *run, const sp_run_body *body, const sp_scene_node *node, const double centre[3],
                            sp_load *out) {
    static const char *const kinds[] = {"force", "torque", "acceleration"};
    static const sp_load_type types[] = {SP_LOAD_FORCE, SP_LOAD_TORQUE, SP_LOAD_ACCELERATION};
    int kind = 0;
    while (kind < 2 && !sp__build_given(node, kinds[kind])) kind++;
    out->type = types[kind];
    for (int k = 0; k < 3; k++) out->value[k] = sp__attr_signal(node, kinds[kind], k);
    return rigid_point(run, body, node, "centre of mass", centre, out->at.offset);
}

static sp_status rigid_pull(sp_run *run, const sp_run_body *body, const sp_scene_node *node, const double centre[3],
                            sp_spring_def *out) {
    out->stiffness = sp__build_number(node, "stiffness", 100);
    out->damping = sp__build_number(node, "damping", 0);
    for (int k = 0; k < 3; k++) out->to[k] = sp__attr_signal(node, "to", k);
    return rigid_point(run, body, node, "centre of mass", centre, out->at.offset);
}

static sp_status rigid_loads(sp_run *run, const sp_run_body *body, const double centre[3], sp_rigid_def *def) {
    const sp_scene_node *node = body->node;
    sp_load *loads;
    sp_spring_def *pulls;
    if (!SP_KEEP(&run->scratch, loads, node->child_count) || !SP_KEEP(&run->scratch, pulls, node->child_count))
        return sp__build_no_memory(run);
    def->loads = loads, def->springs = pulls;
    for (const sp_scene_node *c = NULL; (c = sp__next_child(node, "load", c));)
        SP_BUILD(rigid_load(run, body, c, centre, &loads[def->load_count++]));
    for (const sp_scene_node *c = NULL; (c = sp__next_child(node, "pull", c));)
        SP_BUILD(rigid_pull(run, body, c, centre, &pulls[def->spring_count++]));
    return SP_OK;
}

// `initial` places the body in its own coordinates, before its placement
static sp_status rigid_initial(sp_run *run, const sp_run_body *body, sp_rigid_def *def) {
    const sp_scene_node *node = sp__next_child(body->node, "initial", NULL);
    sp_place place;
    if (!node) return SP_OK;
    const sp_attr *velocity = sp__build_attr(node, "velocity"), *spin = sp__build_attr(node, "spin");
    SP_TRY(sp__build_place(run, node, &place));
    if (place.scale[0] != 1 || place.scale[1] != 1 || place.scale[2] != 1)
        return SP_BUILD_FAIL(run, node, "scale", "a rigid body keeps its size");
    def->pose.constant = sp__pose_mul(&def->pose.constant, &place.pose);
    if (velocity) memcpy(def->velocity, velocity->numbers, sizeof def->velocity);
    if (spin) memcpy(def->spin, spin->numbers, sizeof def->spin);
    return SP_OK;
}

static sp_status build_free(sp_run *run, const sp_run_body *body, sp_rigid_def *def) {
    const sp_scene_node *node = body->node, *own = sp__next_child(node, "integrator", NULL);
    const sp_attr *inertia = sp__build_attr(node, "inertia");
    sp_rigid_mass mass;
    def->free = true;
    def->mass = sp__build_number(node, "mass", 0);
    def->density = sp__build_number(node, "density", def->density);
    if (inertia) memcpy(def->inertia, inertia->numbers, (size_t)inertia->count * sizeof *def->inertia);
    sp__build_integrator(own ? node : sp__scene_root(run->scene), &def->integrator);
    sp_status status = sp_rigid_def_mass(run->ctx, def, &mass);
    if (status < 0) return sp__build_refused(run, node, status, sp_context_error(run->ctx));
    const double *I = mass.inertia, *c = mass.centre;
    sp__scene_note_auto(run->scene, node, "mass",
                        "%.6g kg; centre of mass %.6g %.6g %.6g m; inertia %.6g %.6g %.6g %.6g %.6g %.6g kg m2", mass.mass, c[0],
                        c[1], c[2], I[0], I[4], I[8], I[1], I[5], I[2]);
    SP_BUILD(rigid_initial(run, body, def));
    return rigid_loads(run, body, mass.centre, def);
}

static sp_status build_meshes(sp_run *run, const sp_run_body *body, sp_trimesh **meshes, sp_rigid_def *def) {
    for (const sp_scene_node *c = NULL; (c = sp__next_child(body->node, "mesh", c));) {
        sp_trimesh **to = &meshes[def->mesh_count];
        sp_status status = sp__build_read_surface(run, body, c, true, to);
        if (status < 0) return run->failed ? status : sp__build_refused(run, c, status, sp_context_error(run->ctx));
        def->mesh_count++;
    }
    return SP_OK;
}

static sp_status rigid_def(sp_run *run, sp_run_body *body, sp_trimesh **meshes, sp_rigid_def *def) {
    const sp_scene_node *node = body->node;
    sp_rigid_shape *shapes;
    if (!SP_KEEP(&run->keep, shapes, node->child_count)) return sp__build_no_memory(run);
    for (int i = 0; i < node->child_count; i++) {
        const sp_scene_node *child = node->children[i];
        if (child->enabled && sp__is_shape(child) && strcmp(child->spec->name, "mesh") != 0)
            SP_BUILD(build_shape(run, body, child, &shapes[def->shape_count++]));
    }
    def->name = node->path;
    def->shapes = shapes;
    def->kinematic = sp__build_is(node, "motion", "kinematic");
    SP_BUILD(build_meshes(run, body, meshes, def));
    def->meshes = (const sp_trimesh *const *)meshes;
    SP_BUILD(build_rigid_motion(run, body, def));
    if (run->failed) return SP_BAD_INPUT;
    if (sp__build_is(node, "motion", "free")) SP_BUILD(build_free(run, body, def));
    if (run->failed) return SP_BAD_INPUT;
    sp_status status = sp_world_add_rigid(run->world, def, &body->id);
    return status < 0 ? sp__build_refused(run, node, status, sp_world_error(run->world)) : SP_OK;
}

static sp_status build_rigid(sp_run *run, const sp_scene_node *node) {
    sp_run_body *body = &run->bodies[run->body_count++];
    sp_rigid_def def = sp_rigid_def_default();
    sp_trimesh **meshes;
    *body = (sp_run_body){.node = node, .builder = &sp__rigid_builder};
    if (strlen(node->path) >= 64)
        return SP_BUILD_FAIL(run, node, "name", "its path \"%s\" has %zu characters, at most 63 can be used", node->path,
                             strlen(node->path));
    SP_TRY(sp__build_places(run, node, &body->places));
    if (!SP_KEEP(&run->scratch, meshes, node->child_count)) return sp__build_no_memory(run);
    sp_status status = rigid_def(run, body, meshes, &def);
    for (int i = 0; i < node->child_count; i++) sp_trimesh_destroy(&meshes[i]);
    def.meshes = NULL, def.mesh_count = 0, def.loads = NULL, def.load_count = 0, def.springs = NULL, def.spring_count = 0;
    body->rigid = def;
    return status;
}

// ------------------------------------------------------------------------------------------------ probes

static sp_status rigid_probe(sp_run *run, const sp_probe *p, sp_probe_target *t) {
    sp_anchor *anchor;
    if (!SP_KEEP(&run->keep, anchor, 1)) return sp__build_no_memory(run);
    anchor->body = t->body->id;
    SP_TRY(rigid_point(run, t->body, p->node, "own origin", (const double[3]){0, 0, 0}, anchor->offset));
    t->anchors = anchor;
    t->node_count = 1;
    return SP_OK;
}

const sp_builder sp__rigid_builder = {.element = "rigid", .build = build_rigid, .probe = rigid_probe};
