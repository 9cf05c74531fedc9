// Claim: contact by constraints obeys Signorini's and Coulomb's laws to the tolerance of its solver.
//
// - a rigid box on an incline sticks above mu = tan a and slides below, with a = g (sin a - mu cos a). Implicit Euler gives
//   x = a t (t + h) / 2 without error
// - a rigid sphere rolls with 5/7 g sin a; where mu < 2/7 tan a it slides with g (sin a - mu cos a) and spins up with
//   5/2 mu g cos a / r
// - a soft block falls, bounces and rests as another engine computed it; the floor carries its weight
// - towers stand still; momentum is conserved in collisions; plates that press a body get opposite forces
// - the result does not depend on the unit of length
// - constraints hold after the correction for every compliance, because the correction uses the inverse of the solve
#include "math/vec3.h"
#include "test.h"
#include "world/world_internal.h"

static const double g = 9.81;

typedef struct scene {
    sp_context *ctx;
    sp_world *w;
    sp_mesh *mesh;  // of the last block
} scene;

static sp_contact_def constraints(double friction, double gap) {
    sp_contact_def def = sp_contact_def_default();
    def.formulation = SP_CONTACT_PROXIMITY, def.friction = friction, def.gap = gap;
    def.solver.tolerance = 1e-12, def.solver.sweeps = 1000;
    return def;
}

static void open_scene(scene *s, double gravity, const sp_contact_def *contact) {
    sp_world_def def = sp_world_def_default();
    for (int a = 0; a < 3; a++) def.gravity[a] = sp_signal_constant(a == 2 ? gravity : 0);
    def.snapshots = false;
    *s = (scene){0};
    REQUIRE(sp_context_create(NULL, &s->ctx) == SP_OK);
    REQUIRE(sp_world_create(s->ctx, &def, &s->w) == SP_OK);
    REQUIRE(sp_world_set_contact(s->w, contact) == SP_OK);
}

static void close_scene(scene *s) {
    sp_world_destroy(&s->w);
    sp_mesh_destroy(&s->mesh);
    sp_context_destroy(&s->ctx);
}

static void steps(scene *s, double h, int count) {
    for (int i = 0; i < count; i++) {
        sp_status status = sp_world_step(s->w, h);
        if (status != SP_OK) {
            SP_TEST_FAILED("step %llu: %s: %s", (unsigned long long)sp_world_steps(s->w), sp_status_name(status),
                           sp_world_error(s->w)->message);
            return;
        }
    }
}

static void add_plane(scene *s, const double point[3], const double normal[3]) {
    sp_rigid_shape shape = {.type = SP_PLANE, .pose = sp_pose_identity()};
    sp_rigid_def def = sp_rigid_def_default();
    memcpy(shape.size, normal, sizeof shape.size), memcpy(shape.pose.translate, point, sizeof shape.pose.translate);
    def.shapes = &shape, def.shape_count = 1;
    REQUIRE(sp_world_add_rigid(s->w, &def, NULL) == SP_OK);
}

static void add_floor(scene *s) {
    add_plane(s, (double[3]){0}, (double[3]){0, 0, 1});
}

// a free box, its centre of mass at the origin of its frame
static sp_rigid_def free_box(sp_rigid_shape *shape, double x, double y, double z) {
    sp_rigid_def def = sp_rigid_def_default();
    *shape = (sp_rigid_shape){.type = SP_BOX, .size = {x, y, z}, .pose = {{-x / 2, -y / 2, -z / 2}, {1, 0, 0, 0}}};
    def.shapes = shape, def.shape_count = 1, def.free = true;
    return def;
}

static sp_rigid_def free_sphere(sp_rigid_shape *shape, double radius) {
    sp_rigid_def def = sp_rigid_def_default();
    *shape = (sp_rigid_shape){.type = SP_SPHERE, .size = {radius}, .pose = sp_pose_identity()};
    def.shapes = shape, def.shape_count = 1, def.free = true;
    return def;
}

static sp_body_id add_rigid(scene *s, const sp_rigid_def *def) {
    sp_body_id id = {0};
    if (sp_world_add_rigid(s->w, def, &id) < 0) SP_TEST_FAILED("%s", sp_world_error(s->w)->message);
    return id;
}

// a block of tetrahedra with its lowest corner at `at`
static sp_body_id add_block(scene *s, sp_solid_def def, double size, int cells, const double at[3]) {
    sp_mesh *box = NULL;
    sp_pose pose = sp_pose_identity();
    sp_body_id id = {0};
    memcpy(pose.translate, at, sizeof pose.translate);
    sp_mesh_destroy(&s->mesh);
    if (sp_mesh_box(s->ctx, (double[3]){size, size, size}, (int[3]){cells, cells, cells}, 6, &box) < 0 ||
        sp_mesh_transformed(box, NULL, &pose, &s->mesh) < 0)
        SP_TEST_FAILED("%s", sp_context_error(s->ctx)->message);
    def.mesh = s->mesh;
    if (sp_world_add_solid(s->w, &def, &id) < 0) SP_TEST_FAILED("%s", sp_world_error(s->w)->message);
    sp_mesh_destroy(&box);
    return id;
}

static sp_solid_def soft(double young) {
    sp_solid_def def = sp_solid_def_default();
    def.material = (sp_material){.density = 1000, .young = young, .poisson = 0.4};
    def.rotation = SP_ROTATION_POLAR, def.solver.type = SP_SOLVER_CHOLESKY, def.compliance = SP_COMPLIANCE_EXACT;
    return def;
}

static sp_body_measures measure(scene *s, sp_body_id id) {
    sp_body_measures m = {0};
    CHECK_INT(sp_world_body_measure(s->w, id, &m), SP_OK);
    return m;
}

// pose of a rigid body: centre and quaternion
static const double *pose_of(scene *s, sp_body_id id) {
    return sp__world_body(s->w, id)->q[SP_COMMITTED];
}

static const double *velocity_of(scene *s, sp_body_id id) {
    return sp__world_body(s->w, id)->v[SP_COMMITTED];
}

// force and torque about the origin that contacts exert on a body
static void contact_load(scene *s, sp_body_id id, double force[3], double torque[3]) {
    memset(force, 0, 3 * sizeof *force), memset(torque, 0, 3 * sizeof *torque);
    for (int i = 0; i < sp_world_contact_count(s->w); i++) {
        sp_contact_point p;
        double moment[3];
        CHECK_INT(sp_world_contact_at(s->w, i, &p), SP_OK);
        sp__cross3(p.point, p.force, moment);
        for (int side = 0; side < 2; side++)
            if (p.bodies[side].slot == id.slot)
                for (int a = 0; a < 3; a++)
                    force[a] += side ? -p.force[a] : p.force[a], torque[a] += side ? -moment[a] : moment[a];
    }
}

// ---------------------------------------------------------------------------------------------------- inclines

// a plane that descends towards x; `frame` gets the rotation of a body that lies on it
static void add_slope(scene *s, double angle, sp_pose *frame) {
    const double normal[3] = {sin(angle), 0, cos(angle)}, y[3] = {0, 1, 0};
    add_plane(s, (double[3]){0}, normal);
    *frame = sp_pose_identity();
    sp__quat_axis(y, angle, frame->quat);
}

static double along(const double x[3], double angle) {
    return cos(angle) * x[0] - sin(angle) * x[2];
}

TEST(box_on_a_slope) {
    const double angle = 0.4, h = 0.01, gap = 1e-3;
    const double share[] = {1.001, 0.999, 0.5, 0};
    const int n = 100;
    for (int k = 0; k < 4; k++) {
        scene s;
        sp_rigid_shape shape;
        sp_rigid_def box = free_box(&shape, 0.2, 0.2, 0.1);
        double mu = share[k] * tan(angle), lift = 0.05 + gap;
        sp_contact_def contact = constraints(mu, gap);
        open_scene(&s, -g, &contact);
        add_slope(&s, angle, &box.pose.constant);
        box.pose.constant.translate[0] = lift * sin(angle), box.pose.constant.translate[2] = lift * cos(angle);
        sp_body_id id = add_rigid(&s, &box);
        double start[3], moved[3];
        memcpy(start, pose_of(&s, id), sizeof start);
        steps(&s, h, n);
        sp__sub3(pose_of(&s, id), start, moved);
        double a = share[k] > 1 ? 0 : g * (sin(angle) - mu * cos(angle)), t = n * h, expected = a * t * (t + h) / 2;
        printf("  mu = %.4f tan: moved %.12g, expected %.12g; off the plane by %.3g, turned by %.3g\n", share[k],
               along(moved, angle), expected, moved[0] * sin(angle) + moved[2] * cos(angle),
               fabs(pose_of(&s, id)[4] - box.pose.constant.quat[1]));
        // each step solves the contacts to 1e-12 of the motion of a free step, g h2; the errors of velocity add up over n steps
        double tolerance = 1e-12 * g * h * h * n * n;
        CHECK_NEAR(along(moved, angle), expected, tolerance);
        CHECK_NEAR(moved[0] * sin(angle) + moved[2] * cos(angle), 0, tolerance);
        CHECK_NEAR(moved[1], 0, tolerance);
        for (int i = 0; i < 4; i++) CHECK_NEAR(pose_of(&s, id)[3 + i], box.pose.constant.quat[i], tolerance / 0.05);
        close_scene(&s);
    }
}

TEST(sphere_on_a_slope) {
    const double angle = 0.4, h = 0.01, radius = 0.05, gap = 1e-3;
    const double share[] = {2, 1.001, 0.999, 0.5};  // of 2/7 tan a, where rolling ends
    const int n = 100;
    for (int k = 0; k < 4; k++) {
        scene s;
        sp_rigid_shape shape;
        sp_rigid_def ball = free_sphere(&shape, radius);
        double mu = share[k] * 2 / 7 * tan(angle), lift = radius + gap, t = n * h;
        sp_contact_def contact = constraints(mu, gap);
        open_scene(&s, -g, &contact);
        add_slope(&s, angle, &ball.pose.constant);
        ball.pose.constant.translate[0] = lift * sin(angle), ball.pose.constant.translate[2] = lift * cos(angle);
        sp_body_id id = add_rigid(&s, &ball);
        double start[3], moved[3];
        memcpy(start, pose_of(&s, id), sizeof start);
        steps(&s, h, n);
        sp__sub3(pose_of(&s, id), start, moved);
        bool rolls = share[k] > 1;
        double a = rolls ? 5.0 / 7 * g * sin(angle) : g * (sin(angle) - mu * cos(angle));
        double spin = rolls ? a * t / radius : 2.5 * mu * g * cos(angle) * t / radius;
        printf("  mu = %.4f of 2/7 tan: moved %.12g, expected %.12g; spin %.12g, expected %.12g\n", share[k], along(moved, angle),
               a * t * (t + h) / 2, velocity_of(&s, id)[4], spin);
        // as for the box: 1e-12 of g h2 in each step, added up over n steps; lengths of 1 m and turns of 27 rad leave 1e-9
        CHECK_NEAR(along(moved, angle), a * t * (t + h) / 2, 1e-9);
        CHECK_NEAR(velocity_of(&s, id)[4], spin, 1e-9 * spin);
        CHECK_NEAR(moved[0] * sin(angle) + moved[2] * cos(angle), 0, 1e-9);
        close_scene(&s);
    }
}

// ---------------------------------------------------------------------------------------------------- soft block

// of the last block: a quarter of the mass of an element is at each of its nodes
static void centre_of_mass(scene *s, sp_body_id id, double out[3]) {
    int nodes = sp_mesh_node_count(s->mesh);
    double *x = calloc(3 * (size_t)nodes + 1, sizeof *x), sum = 0;
    const double *X = sp_mesh_positions(s->mesh);
    const int *tets = sp_mesh_tets(s->mesh);
    memset(out, 0, 3 * sizeof *out);
    CHECK_INT(sp_world_field(s->w, id, "position", x), SP_OK);
    for (int e = 0; e < sp_mesh_element_count(s->mesh); e++) {
        double d[3][3], n[3], volume;
        for (int k = 0; k < 3; k++) sp__sub3(X + 3 * (size_t)tets[4 * e + k + 1], X + 3 * (size_t)tets[4 * e], d[k]);
        sp__cross3(d[0], d[1], n);
        volume = sp__dot3(n, d[2]), sum += volume;
        for (int k = 0; k < 4; k++) sp__axpy3(out, volume / 4, x + 3 * (size_t)tets[4 * e + k], out);
    }
    for (int a = 0; a < 3; a++) out[a] /= sum;
    free(x);
}

// The block of the comparison with other engines: cube of 0.1 m, 3072 tetrahedra, dropped from 1 cm above the gap. The heights of
// the top are those that another engine published for the same mesh, step and method.
TEST(block_falls_and_rests) {
    static const double when[] = {0.04, 0.06, 0.08, 0.10, 0.20, 0.60};
    static const double height[] = {0.101190, 0.096550, 0.098415, 0.100202, 0.099462, 0.099415};
    const double h = 0.01;
    scene s;
    sp_contact_def contact = constraints(0.4, 1e-3);
    sp_anchor top;
    double x[3], force[3], torque[3], centre[3] = {0};
    contact.solver.tolerance = 1e-9;
    open_scene(&s, -g, &contact);
    add_floor(&s);
    sp_body_id id = add_block(&s, soft(3e4), 0.1, 8, (double[3]){0, 0, 0.011});
    CHECK_INT(sp_world_anchor_point(s.w, id, (double[3]){0.05, 0.05, 0.111}, &top), SP_OK);
    for (int k = 0, done = 0; k < 6; k++) {
        int until = (int)lround(when[k] / h);
        steps(&s, h, until - done), done = until;
        CHECK_INT(sp_world_anchor_get(s.w, &top, x, NULL), SP_OK);
        printf("  t = %.2f: top at %.6f, published %.6f\n", when[k], x[2], height[k]);
        CHECK_NEAR(x[2], height[k], 1e-4);
    }
    steps(&s, h, 140);
    contact_load(&s, id, force, torque);
    double weight = measure(&s, id).mass * g;
    printf("  %d contacts, force / weight - 1 = %.3g\n", sp_world_contact_count(s.w), force[2] / weight - 1);
    // what still moves after 2 s
    CHECK_NEAR(force[2], weight, 1e-6 * weight);
    CHECK_NEAR(force[0], 0, 1e-6 * weight);
    CHECK_NEAR(force[1], 0, 1e-6 * weight);
    // the moment of the weight, about the origin
    centre_of_mass(&s, id, centre);
    CHECK_NEAR(torque[0], weight * centre[1], 1e-6 * weight * 0.1);
    CHECK_NEAR(torque[1], -weight * centre[0], 1e-6 * weight * 0.1);
    CHECK_NEAR(torque[2], 0, 1e-6 * weight * 0.1);
    close_scene(&s);
}

// ---------------------------------------------------------------------------------------------------- towers

static void tower(double h, int count, double young) {
    enum { MOST = 10 };
    const double size = 0.1, gap = 1e-3;
    scene s;
    sp_rigid_shape shape;
    sp_contact_def contact = constraints(0.5, gap);
    sp_body_id id[MOST];
    double before[MOST][3];
    contact.solver.tolerance = 1e-9;
    open_scene(&s, -g, &contact);
    add_floor(&s);
    for (int i = 0; i < count; i++) {
        sp_rigid_def box = free_box(&shape, size, size, size);
        box.pose.constant.translate[2] = (size + gap) * i + size / 2 + gap;
        id[i] = young > 0 ? add_block(&s, soft(young), size, 2, (double[3]){-size / 2, -size / 2, (size + gap) * i + gap})
                          : add_rigid(&s, &box);
    }
    for (int round = 0; round < 2; round++) {
        steps(&s, h, (int)lround((round ? 2 : 1) / h));
        for (int i = 0; i < count; i++) {
            sp_anchor corner;
            double x[3], place[3] = {size / 2, size / 2, size / 2};
            if (young > 0) place[2] = (size + gap) * i + gap + size;
            CHECK_INT(sp_world_anchor_point(s.w, id[i], place, &corner), SP_OK);
            CHECK_INT(sp_world_anchor_get(s.w, &corner, x, NULL), SP_OK);
            for (int a = 0; round && a < 3; a++) CHECK_NEAR(x[a], before[i][a], 1e-4 * size);
            if (round && i == count - 1)
                printf("  %d of young %g: the top moved by %.3g %.3g %.3g m\n", count, young, x[0] - before[i][0],
                       x[1] - before[i][1], x[2] - before[i][2]);
            memcpy(before[i], x, sizeof x);
        }
    }
    close_scene(&s);
}

// A corner of each box creeps less than 1e-4 of the edge between 1 s and 3 s.
TEST(towers_stand) {
    tower(0.02, 10, 0);
    tower(0.02, 4, 1e7);
}

// ---------------------------------------------------------------------------------------------------- collisions

static void totals(scene *s, const sp_body_id *id, int count, double momentum[3], double angular[3], double *kinetic) {
    memset(momentum, 0, 3 * sizeof *momentum), memset(angular, 0, 3 * sizeof *angular), *kinetic = 0;
    for (int i = 0; i < count; i++) {
        sp_body_measures m = measure(s, id[i]);
        for (int a = 0; a < 3; a++) momentum[a] += m.momentum[a], angular[a] += m.angular[a];
        *kinetic += m.kinetic;
    }
}

// Two free bodies meet eccentrically, with spin and without gravity. A contact force acts on two points that are apart by the
// distance d at the start of the step. Balls: d is along the normal, only friction has a moment, mu d F. Edges that cross during
// the step have the normal of the crossing: up to d F.
TEST(momentum_in_collisions) {
    for (int balls = 0; balls < 2; balls++)
        for (int rough = 0; rough < 2; rough++) {
            const double h = 0.005, size = 0.1;
            scene s;
            sp_rigid_shape shape[2];
            sp_contact_def contact = constraints(0.6 * rough, 0);
            sp_body_id id[2];
            double P[3], L[3], E, P0[3], L0[3], E0, first, slack = 0;
            int touched = 0;
            contact.alarm = 0.03;
            open_scene(&s, 0, &contact);
            for (int i = 0; i < 2; i++) {
                sp_rigid_def def =
                    balls ? free_sphere(&shape[i], size / 2) : free_box(&shape[i], size, 1.3 * size, (1 + i) * size);
                def.velocity[0] = i ? -1 : 2, def.velocity[2] = 0.1, def.spin[1] = i ? 3 : -2, def.spin[2] = 1;
                def.pose.constant.translate[0] = i ? 1.3 * size : -0.3 * size, def.pose.constant.translate[1] = 0.3 * size * i;
                id[i] = add_rigid(&s, &def);
            }
            totals(&s, id, 2, P0, L0, &E0);
            first = E0;
            for (int n = 0; n < 60; n++) {
                double force = 0;
                steps(&s, h, 1);
                for (int i = 0; i < sp_world_contact_count(s.w); i++) {
                    sp_contact_point p;
                    CHECK_INT(sp_world_contact_at(s.w, i, &p), SP_OK);
                    force += sp__norm3(p.force);
                    slack += h * fabs(p.gap) * (balls ? contact.friction : 1) * sp__norm3(p.force);
                }
                touched += force > 0;
                totals(&s, id, 2, P, L, &E);
                // momentum is about 2 kg m/s: rounding
                for (int a = 0; a < 3; a++) CHECK_NEAR(P[a], P0[a], 1e-14 * (n + 1) * 10);
                for (int a = 0; a < 3; a++) CHECK_NEAR(L[a], L0[a], 1e-13 + slack);
                // tumbling oscillates within O(h2), see rigid.c; boxes turn by 0.05 rad in the step of the impact, which is
                // linear in the contacts, and the next step removes the overlap of 0.2 mm
                CHECK(E <= E0 * (1 + (balls ? 1e-4 : 1e-2)));
                E0 = E;
            }
            printf("  %s, mu %.1f: %d steps with force, energy %.4f to %.4f, L changed by %.3g %.3g %.3g of allowed %.3g\n",
                   balls ? "balls" : "boxes", contact.friction, touched, first, E, L[0] - L0[0], L[1] - L0[1], L[2] - L0[2],
                   slack);
            CHECK(touched > 0 && E < 0.9 * first);
            close_scene(&s);
        }
}

static void advance(const void *user, double t, sp_pose *out) {
    const double *p = user;  // start and speed along z
    *out = sp_pose_identity();
    out->translate[2] = p[0] + p[1] * t;
}

// A kinematic plate moves at 0.5 m/s against a free box at rest, and takes it along without a bounce.
TEST(kinematic_body_pushes_a_free_one) {
    const double motion[2] = {0, 0.5}, h = 0.01;
    scene s;
    sp_rigid_shape shape, plate_shape = {.type = SP_BOX, .size = {1, 1, 0.1}, .pose = {{-0.5, -0.5, -0.1}, {1, 0, 0, 0}}};
    sp_rigid_def box = free_box(&shape, 0.1, 0.1, 0.1), plate = sp_rigid_def_default();
    sp_contact_def contact = constraints(0.3, 1e-3);
    open_scene(&s, 0, &contact);
    plate.shapes = &plate_shape, plate.shape_count = 1, plate.kinematic = true, plate.pose.eval = advance;
    plate.pose.user = motion;
    add_rigid(&s, &plate);
    box.pose.constant.translate[2] = 0.05 + 0.0333;
    sp_body_id id = add_rigid(&s, &box);
    steps(&s, h, 5);
    CHECK_NEAR(velocity_of(&s, id)[2], 0, 1e-15);  // not reached yet
    steps(&s, h, 45);
    // rounding of the place of the plate over h
    CHECK_NEAR(velocity_of(&s, id)[2], 0.5, 1e-11);
    CHECK_NEAR(pose_of(&s, id)[2], 0.5 * 0.5 + 0.05 + 1e-3, 1e-12);
    for (int a = 3; a < 6; a++) CHECK_NEAR(velocity_of(&s, id)[a], 0, 1e-10);
    close_scene(&s);
}

// Two plates press a soft block: at rest their forces are equal and opposite, and in every step the sum of the contact forces is
// the change of the momentum.
TEST(plates_press_a_soft_block) {
    const double closing[2] = {0.105, -0.05}, h = 0.02;
    scene s;
    sp_contact_def contact = constraints(0.5, 1e-3);
    sp_body_id plate[2];
    double force[2][3], torque[2][3], block[3], moment[3], before[3] = {0};
    open_scene(&s, 0, &contact);
    for (int i = 0; i < 2; i++) {
        sp_rigid_shape shape = {.type = SP_BOX, .size = {1, 1, 0.1}, .pose = {{-0.5, -0.5, i ? 0 : -0.1}, {1, 0, 0, 0}}};
        sp_rigid_def def = sp_rigid_def_default();
        def.shapes = &shape, def.shape_count = 1, def.kinematic = i == 1;
        if (i) def.pose.eval = advance, def.pose.user = closing;
        plate[i] = add_rigid(&s, &def);
    }
    sp_solid_def def = soft(3e4);
    def.rayleigh_mass = 5, def.rayleigh_stiffness = 0.01;
    sp_body_id id = add_block(&s, def, 0.1, 3, (double[3]){-0.05, -0.05, 0.0021});
    for (int n = 0; n < 10; n++) {
        steps(&s, h, 1);
        contact_load(&s, id, block, moment);
        sp_body_measures m = measure(&s, id);
        // rayleigh_mass takes 5/s of the momentum at the end of the step; rounding of forces up to 100 N
        for (int a = 0; a < 3; a++) CHECK_NEAR(m.momentum[a] * (1 + 5 * h) - before[a], h * block[a], 1e-12);
        memcpy(before, m.momentum, sizeof before);
    }
    sp_edit stop = sp_edit_default(SP_EDIT_POSE);
    stop.body = plate[1], stop.pose = sp_pose_identity(), stop.pose.translate[2] = 0.095;
    CHECK_INT(sp_world_queue(s.w, &stop), SP_OK);
    steps(&s, h, 150);
    for (int i = 0; i < 2; i++) contact_load(&s, plate[i], force[i], torque[i]);
    printf("  plates: %.9g and %.9g N\n", force[0][2], force[1][2]);
    CHECK(force[1][2] > 5);
    for (int a = 0; a < 3; a++) CHECK_NEAR(force[0][a], -force[1][a], 1e-6 * force[1][2]);
    // the points of contact are half a gap off the block: friction has this arm
    double shear = contact.gap * hypot(force[0][0], force[0][1]);
    for (int a = 0; a < 3; a++) CHECK_NEAR(torque[0][a], -torque[1][a], 1e-6 * force[1][2] * 0.1 + shear);
    close_scene(&s);
}

// ---------------------------------------------------------------------------------------------------- units and compliances

// a soft block and a ball on it, 30 steps; lengths times `scale`, times its square root, stiffness times it
static void scaled_run(double scale, double out[6]) {
    scene s;
    sp_rigid_shape shape;
    sp_rigid_def ball = free_sphere(&shape, 0.03 * scale);
    sp_contact_def contact = constraints(0.4, 1e-3 * scale);
    sp_anchor top;
    open_scene(&s, -g, &contact);
    add_floor(&s);
    sp_body_id id = add_block(&s, soft(3e4 * scale), 0.1 * scale, 3, (double[3]){0, 0, 0.004 * scale});
    ball.pose.constant.translate[0] = 0.04 * scale, ball.pose.constant.translate[1] = 0.055 * scale;
    ball.pose.constant.translate[2] = 0.145 * scale;
    sp_body_id other = add_rigid(&s, &ball);
    CHECK_INT(sp_world_anchor_point(s.w, id, (double[3]){0.1 * scale, 0.1 * scale, 0.104 * scale}, &top), SP_OK);
    steps(&s, 0.01 * sqrt(scale), 30);
    CHECK_INT(sp_world_anchor_get(s.w, &top, out, NULL), SP_OK);
    memcpy(out + 3, pose_of(&s, other), 3 * sizeof *out);
    for (int a = 0; a < 6; a++) out[a] /= scale;
    close_scene(&s);
}

TEST(units_have_no_effect) {
    double one[6], small[6];
    scaled_run(1, one);
    scaled_run(1e-3, small);
    for (int a = 0; a < 6; a++) CHECK_NEAR(small[a], one[a], 1e-9 * 0.1);
}

// Planes and nodes make linear constraints: where a contact has a force, the distance that the next step detects is the gap.
TEST(constraints_hold_for_every_compliance) {
    static const sp_compliance_type types[] = {SP_COMPLIANCE_EXACT, SP_COMPLIANCE_FACTOR, SP_COMPLIANCE_WARPED,
                                               SP_COMPLIANCE_DIAGONAL};
    for (int k = 0; k < 4; k++) {
        scene s;
        sp_contact_def contact = constraints(0.4, 1e-3);
        sp_solid_def def = soft(3e4);
        // a factor that the background thread makes is in single precision: 6e-8 of motions of some mm
        double worst = 0, tolerance = types[k] == SP_COMPLIANCE_WARPED ? 1e-8 : 1e-13;
        int held = 0;
        def.compliance = types[k];
        open_scene(&s, -g, &contact);
        add_floor(&s);
        sp_body_id id = add_block(&s, def, 0.1, 4, (double[3]){0, 0, 0.003});
        bool pressed[1024] = {false};
        for (int n = 0; n < 60; n++) {
            CHECK(sp_world_step(s.w, 0.01) >= 0);  // the diagonal is a wrong inverse and gains energy
            for (int i = 0; i < sp_world_contact_count(s.w); i++) {
                sp_contact_point p;
                CHECK_INT(sp_world_contact_at(s.w, i, &p), SP_OK);
                worst = fmax(worst, -p.gap);
                // a force of the step before holds the distance that is found now
                const bool same = sp_world_contact_count(s.w) == 25;
                if (same && pressed[i]) CHECK_NEAR(p.gap, 0, tolerance), held++;
                pressed[i] = same && sp__norm3(p.force) > 1e-6;
            }
        }
        printf("  compliance %d: overlap %.3g, %d held\n", (int)types[k], worst, held);
        CHECK(held > 100);
        CHECK_NEAR(worst, 0, tolerance);
        CHECK(measure(&s, id).penetration < tolerance);
        close_scene(&s);
    }
}
