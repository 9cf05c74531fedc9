// Claim: every contact has the friction, gap and existence that its pair gives it, and the options of the contact solver change
// the time that it takes, not the motion.
//
// - of two boxes on one slope (20 degrees), the one whose pair has mu > tan a stays, the other slides with
//   a = g (sin a - mu cos a); implicit Euler gives x = a t (t + h) / 2 without error
// - bodies of a pair that is not enabled pass through each other in free fall
// - a part of a soft body has its own friction: a block slides without friction (g sin a, whatever its stiffness) on a bottom
// with
//   mu = 0, and stays on the same bottom if a pair overrides it; of two coefficients the smaller holds
// - a cone with n facets is inscribed in the exact one: the friction of a sliding box is between cos(pi/n) mu and mu
// - methods, strategies, broad phases and cold starts agree to the tolerance of the solver
// - the alarm distance that nobody gives is that of the pair: bodies of other sizes beside two solids change none of their bits
#include "math/vec3.h"
#include "test.h"
#include "world/world_internal.h"

static const double g = 9.81, h = 0.01;

typedef struct scene {
    sp_context *ctx;
    sp_world *w;
    sp_body_id floor;
} scene;

static sp_contact_def tight(double friction) {
    sp_contact_def def = sp_contact_def_default();
    def.formulation = SP_CONTACT_PROXIMITY, def.friction = friction;
    def.solver.tolerance = 1e-12, def.solver.sweeps = 1000;
    return def;
}

// The floor is z = 0; on a slope of this angle gravity leans towards the direction `azimuth` in the floor.
static void open_slope(scene *s, double angle, double azimuth, const sp_contact_def *contact) {
    sp_world_def def = sp_world_def_default();
    const double down[3] = {g * sin(angle) * cos(azimuth), g * sin(angle) * sin(azimuth), -g * cos(angle)};
    sp_rigid_shape shape = {.type = SP_PLANE, .size = {0, 0, 1}, .pose = sp_pose_identity()};
    sp_rigid_def floor = sp_rigid_def_default();
    for (int a = 0; a < 3; a++) def.gravity[a] = sp_signal_constant(down[a]);
    def.snapshots = false;
    floor.name = "floor", floor.shapes = &shape, floor.shape_count = 1;
    *s = (scene){0};
    REQUIRE(sp_context_create(NULL, &s->ctx) == SP_OK);
    REQUIRE(sp_world_create(s->ctx, &def, &s->w) == SP_OK);
    REQUIRE(sp_world_set_contact(s->w, contact) == SP_OK);
    REQUIRE(sp_world_add_rigid(s->w, &floor, &s->floor) == SP_OK);
}

static void close_slope(scene *s) {
    sp_world_destroy(&s->w);
    sp_context_destroy(&s->ctx);
}

static void steps(scene *s, int count) {
    for (int i = 0; i < count; i++) {
        sp_status status = sp_world_step(s->w, h);
        if (status == SP_OK) continue;
        SP_TEST_FAILED("step %d: %s: %s", i, sp_status_name(status), sp_world_error(s->w)->message);
        return;
    }
}

// a free box, its centre of mass at the origin of its frame
static sp_body_id add_box(scene *s, const double size[3], double x, double y, double lift) {
    sp_rigid_def def = sp_rigid_def_default();
    sp_rigid_shape shape = {.type = SP_BOX, .size = {size[0], size[1], size[2]}, .pose = sp_pose_identity()};
    sp_body_id id = {0};
    for (int a = 0; a < 3; a++) shape.pose.translate[a] = -0.5 * size[a];
    def.shapes = &shape, def.shape_count = 1, def.free = true;
    def.pose.constant = sp_pose_identity();
    def.pose.constant.translate[0] = x, def.pose.constant.translate[1] = y;
    def.pose.constant.translate[2] = 0.5 * size[2] + lift;
    if (sp_world_add_rigid(s->w, &def, &id) < 0) SP_TEST_FAILED("%s", sp_world_error(s->w)->message);
    return id;
}

// a soft cube of 0.1 m; *bottom gets its nodes at z = 0
static sp_body_id add_cube(scene *s, double young, double y, int *bottom, int *count) {
    sp_solid_def def = sp_solid_def_default();
    sp_selection low = sp_selection_default();
    sp_mesh *box = NULL, *mesh = NULL;
    sp_pose pose = sp_pose_identity();
    sp_body_id id = {0};
    pose.translate[1] = y;
    CHECK_INT(sp_mesh_box(s->ctx, (double[3]){0.1, 0.1, 0.1}, (int[3]){2, 2, 2}, 6, &box), SP_OK);
    CHECK_INT(sp_mesh_transformed(box, NULL, &pose, &mesh), SP_OK);
    low.has_box = true;
    memcpy(low.box, (double[6]){-1, -1, -1, 1, 1, 1e-6}, sizeof low.box);
    CHECK_INT(sp_mesh_select(mesh, &low, SP_SELECT_NODES, bottom, 9, count), SP_OK);
    CHECK_INT(*count, 9);
    def.mesh = mesh, def.material = (sp_material){.density = 1000, .young = young, .poisson = 0.3},
    def.solver.type = SP_SOLVER_CHOLESKY;
    def.compliance = SP_COMPLIANCE_EXACT;
    if (sp_world_add_solid(s->w, &def, &id) < 0) SP_TEST_FAILED("%s", sp_world_error(s->w)->message);
    sp_mesh_destroy(&box), sp_mesh_destroy(&mesh);
    return id;
}

static void add_pair(scene *s, sp_body_id a, sp_body_id b, double friction, double gap, bool enabled) {
    sp_contact_pair_def def = sp_contact_pair_def_default();
    sp_contact_part parts[2] = {sp_contact_part_body(a), sp_contact_part_body(b)};
    def.a = &parts[0], def.b = &parts[1], def.a_count = def.b_count = 1;
    def.friction = friction, def.gap = gap, def.enabled = enabled;
    if (sp_world_add_contact_pair(s->w, &def, NULL) < 0) SP_TEST_FAILED("%s", sp_world_error(s->w)->message);
}

// centre of a rigid body, or the mean of the nodes of a solid
static void centre_of(scene *s, sp_body_id id, double x[3]) {
    const sp_body *b = sp__world_body(s->w, id);
    int n = b->nodes ? b->nodes : 1;
    memset(x, 0, 3 * sizeof *x);
    for (int i = 0; i < n; i++) sp__axpy3(x, 1.0 / n, b->q[SP_COMMITTED] + 3 * (size_t)i, x);
}

TEST(boxes_of_two_pairs) {
    const double angle = 20 * 3.14159265358979323846 / 180, size[3] = {0.1, 0.1, 0.05}, mu = 0.2;
    const int n = 50;
    scene s;
    sp_contact_def contact = tight(0.5);
    open_slope(&s, angle, 0, &contact);
    sp_body_id rough = add_box(&s, size, 0, 0, 0), slick = add_box(&s, size, 0, 0.5, 0), common = add_box(&s, size, 0, 1, 0);
    add_pair(&s, rough, s.floor, 1.01 * tan(angle), NAN, true);
    add_pair(&s, s.floor, slick, mu, NAN, true);
    steps(&s, n);
    double x[3], t = n * h, expected = g * (sin(angle) - mu * cos(angle)) * t * (t + h) / 2;
    // each step solves to 1e-12 of the motion of a free step, g h2; errors of velocity add up over n steps
    const double tolerance = 1e-12 * g * h * h * n * n;
    centre_of(&s, rough, x);
    CHECK_NEAR(x[0], 0, tolerance);
    centre_of(&s, slick, x);
    printf("  slid %.12g m, expected %.12g m\n", x[0], expected);
    CHECK_NEAR(x[0], expected, tolerance);
    centre_of(&s, common, x);  // 0.5 > tan 20 degrees
    CHECK_NEAR(x[0], 0, tolerance);
    close_slope(&s);
}

TEST(a_gap_of_a_pair) {
    const double size[3] = {0.1, 0.1, 0.05}, gap = 0.004;
    scene s;
    sp_contact_def contact = tight(0.5);
    contact.alarm = 1e-3;
    open_slope(&s, 0, 0, &contact);
    sp_body_id near = add_box(&s, size, 0, 0, 0.005), apart = add_box(&s, size, 0, 0.5, 0.005);
    add_pair(&s, apart, s.floor, NAN, gap, true);
    steps(&s, 20);
    double x[3];
    centre_of(&s, near, x);
    CHECK_NEAR(x[2], 0.025, 1e-12);
    centre_of(&s, apart, x);
    CHECK_NEAR(x[2], 0.025 + gap, 1e-12);
    close_slope(&s);
}

TEST(a_pair_that_is_not_enabled) {
    const double size[3] = {0.1, 0.1, 0.05};
    const int n = 20;
    scene s;
    sp_contact_def contact = tight(0.5);
    open_slope(&s, 0, 0, &contact);
    sp_body_id ghost = add_box(&s, size, 0, 0, 0), solid = add_box(&s, size, 0, 0.5, 0);
    add_pair(&s, ghost, s.floor, NAN, NAN, false);
    steps(&s, n);
    double x[3], t = n * h;
    centre_of(&s, ghost, x);
    CHECK_NEAR(x[2], 0.025 - g * t * (t + h) / 2, 1e-12);
    centre_of(&s, solid, x);
    CHECK_NEAR(x[2], 0.025, 1e-12);
    close_slope(&s);
}

// How far a soft cube slides. bottom: friction of its bottom; of_floor: of the floor; pair: of both. NaN: none.
static double cube_slides(double common, double bottom, double of_floor, double pair, double angle, int n) {
    scene s;
    sp_contact_def contact = tight(common);
    int nodes[9], count;
    double from[3], to[3];
    open_slope(&s, angle, 0, &contact);
    sp_body_id cube = add_cube(&s, 1e6, 0, nodes, &count);
    sp_contact_part part = {.body = cube, .surface = -1, .nodes = nodes, .node_count = count},
                    floor = sp_contact_part_body(s.floor);
    if (!isnan(bottom)) CHECK_INT(sp_world_add_friction(s.w, &part, bottom, "cube.bottom.friction"), SP_OK);
    if (!isnan(of_floor)) CHECK_INT(sp_world_add_friction(s.w, &floor, of_floor, NULL), SP_OK);
    if (!isnan(pair)) add_pair(&s, cube, s.floor, pair, NAN, true);
    centre_of(&s, cube, from);
    steps(&s, n);
    centre_of(&s, cube, to);
    close_slope(&s);
    return to[0] - from[0];
}

TEST(friction_of_a_part) {
    const double angle = 0.3, t = 30 * h, free = g * sin(angle) * t * (t + h) / 2;
    // A cube of 0.1 m that sticks shears: the mean of its nodes moves by about rho g sin a L2 / (2 G) = 3.8e-5 m.
    CHECK_NEAR(cube_slides(0.8, NAN, NAN, NAN, angle, 30), 0, 6e-5);
    CHECK_NEAR(cube_slides(0.8, 0, NAN, NAN, angle, 30), free, 6e-5);
    CHECK_NEAR(cube_slides(0.8, 0.7, 0, NAN, angle, 30), free, 6e-5);  // the smaller one
    CHECK_NEAR(cube_slides(0.8, 0, 0.7, NAN, angle, 30), free, 6e-5);
    CHECK_NEAR(cube_slides(0, 0.8, NAN, NAN, angle, 30), 0, 6e-5);
    CHECK_NEAR(cube_slides(0, 0, NAN, 0.8, angle, 30), 0, 6e-5);  // a pair overrides it
}

// How far a flat box slides on a slope whose direction is not one of the tangents of the contacts.
static double box_slides(int facets, double angle, double azimuth, double mu, int n) {
    const double size[3] = {0.1, 0.1, 0.01};
    scene s;
    sp_contact_def contact = tight(mu);
    if (facets) contact.solver.cone = SP_CONTACT_FACETS, contact.solver.facets = facets;
    open_slope(&s, angle, azimuth, &contact);
    sp_body_id box = add_box(&s, size, 0, 0, 0);
    double x[3];
    steps(&s, n);
    centre_of(&s, box, x);
    close_slope(&s);
    return x[0] * cos(azimuth) + x[1] * sin(azimuth);
}

TEST(facets_are_inside_the_cone) {
    const double angle = 0.5, mu = 0.3, t = 30 * h, scale = t * (t + h) / 2;
    for (int k = 0; k < 3; k++) {
        const double azimuth = 0.1 + 0.3 * k, exact = box_slides(0, angle, azimuth, mu, 30);
        CHECK_NEAR(exact, g * (sin(angle) - mu * cos(angle)) * scale, 1e-9);
        for (int n = 4; n <= 32; n *= 2) {
            double with = box_slides(n, angle, azimuth, mu, 30);
            double bound = g * mu * cos(angle) * (1 - cos(3.14159265358979323846 / n)) * scale;
            printf("  azimuth %.1f, %2d facets: slides %.3e m more, bound %.3e m\n", azimuth, n, with - exact, bound);
            // 1e-9: rounding of 30 direct solutions
            CHECK(with >= exact - 1e-9 && with <= exact + bound + 1e-9);
        }
    }
}

// ---------------------------------------------------------------------------------------------------- options of the solver

enum { NUMBERS = 9 };

// a soft cube and two rigid boxes fall on a slope
static void motion_with(const sp_contact_def *contact, double out[NUMBERS]) {
    const double size[3] = {0.1, 0.1, 0.05};
    int nodes[9], count;
    scene s;
    open_slope(&s, 0.3, 0.4, contact);
    sp_body_id bodies[3] = {add_box(&s, size, 0.4, 0, 0.001), add_box(&s, size, 0.8, 0.01, 0.003),
                            add_cube(&s, 1e5, 0.5, nodes, &count)};
    steps(&s, 15);
    for (int i = 0; i < 3; i++) centre_of(&s, bodies[i], out + 3 * i);
    close_slope(&s);
}

TEST(options_do_not_change_the_motion) {
    static const sp_contact_solver_def solvers[] = {
        {.method = SP_CONTACT_GAUSS_SEIDEL},
        {.method = SP_CONTACT_GAUSS_SEIDEL, .local = SP_CONTACT_NEWTON},
        {.method = SP_CONTACT_INTERIOR_POINT},
        {.method = SP_CONTACT_DIRECT},
        {.method = SP_CONTACT_GAUSS_SEIDEL, .strategy = SP_CONTACT_SEQUENTIAL},
        {.method = SP_CONTACT_GAUSS_SEIDEL, .strategy = SP_CONTACT_BLOCK},
        {.method = SP_CONTACT_GAUSS_SEIDEL, .strategy = SP_CONTACT_GRAPH},
        {.method = SP_CONTACT_METHOD_AUTO},
    };
    enum { COUNT = sizeof solvers / sizeof *solvers };
    double first[NUMBERS], other[NUMBERS];
    sp_contact_def contact = tight(0.25);
    contact.solver.tolerance = 1e-10, contact.solver.sweeps = 20000;
    motion_with(&contact, first);
    for (int i = 0; i < COUNT + 4; i++) {
        sp_contact_def def = contact;
        if (i < COUNT) {
            def.solver.method = solvers[i].method, def.solver.local = solvers[i].local, def.solver.strategy = solvers[i].strategy;
        } else if (i < COUNT + 3) {
            def.broad = (sp_contact_broad)(SP_CONTACT_BVH + i - COUNT), def.reserve = 100;
        } else {
            def.solver.warm_start = false;
        }
        motion_with(&def, other);
        double most = 0;
        for (int k = 0; k < NUMBERS; k++) most = fmax(most, fabs(other[k] - first[k]));
        printf("  option %d: moves %.2e m away\n", i, most);
        // 1e-10 of the largest violation (a free step, 1e-3 m) per step; a chain of 15 steps amplifies it by less than 1e3
        CHECK_NEAR(most, 0, 1e-10);
        // the broad phases give the same contacts in the same order
        if (i >= COUNT && i < COUNT + 3) CHECK(most == 0);
    }
}

// ---------------------------------------------------------------------------------------------------- sizes

typedef struct overlap {
    int count;
    double gap, force[3], x[2][3];  // of all contacts; centres at the end
} overlap;

enum { ALONE, NEEDLE, THREAD };

// 1 mm thick, far away and in free fall
static void add_thin(scene *s, int what) {
    const sp_pose at = {{5, 0, 1}, {1, 0, 0, 0}};
    sp_rigid_shape capsule = {.type = SP_CAPSULE, .size = {1e-3, 0.1}, .pose = sp_pose_identity()};
    sp_rigid_def needle = sp_rigid_def_default();
    sp_rod_section section = sp_rod_section_default();
    sp_rod_strand strand = {.length = 0.1, .elements = 10, .root = at};
    sp_rod_def thread = sp_rod_def_default();
    needle.shapes = &capsule, needle.shape_count = 1, needle.free = true, needle.pose.constant = at;
    section.axes[0] = section.axes[1] = 1e-3;
    thread.sections = &section, thread.section_count = 1, thread.strands = &strand, thread.strand_count = 1;
    thread.free_root = true;
    sp_status status = what == NEEDLE   ? sp_world_add_rigid(s->w, &needle, NULL)
                       : what == THREAD ? sp_world_add_rod(s->w, &thread, NULL)
                                        : SP_OK;
    if (status < 0) SP_TEST_FAILED("%s", sp_world_error(s->w)->message);
}

// Two soft cubes that begin 8 mm deep in each other.
static overlap separate_beside(int what, int count) {
    scene s;
    overlap o = {0};
    sp_contact_def contact = tight(0.3);
    int bottom[9], nodes;
    open_slope(&s, 0, 0, &contact);
    sp_body_id cube[2] = {add_cube(&s, 1e5, 0, bottom, &nodes), add_cube(&s, 1e5, 0.092, bottom, &nodes)};
    add_thin(&s, what);
    for (int k = 0; k < count; k++) {
        sp_contact_point p;
        if (sp_world_step(s.w, h) < 0) SP_TEST_FAILED("step %d: %s", k, sp_world_error(s.w)->message);
        o.count += sp_world_contact_count(s.w);
        for (int i = 0; sp_world_contact_at(s.w, i, &p) == SP_OK; i++) {
            o.gap = fmin(o.gap, p.gap);
            for (int a = 0; a < 3; a++) o.force[a] += fabs(p.force[a]);
        }
    }
    for (int i = 0; i < 2; i++) centre_of(&s, cube[i], o.x[i]);
    close_slope(&s);
    return o;
}

TEST(thin_bodies_beside_solids_do_not_change_their_contacts) {
    // a rod makes the passes of its own Newton method, in which the contacts of all bodies are found again: with it, one step
    static const int steps[] = {[NEEDLE] = 10, [THREAD] = 1};
    for (int what = NEEDLE; what <= THREAD; what++) {
        const overlap alone = separate_beside(ALONE, steps[what]), beside = separate_beside(what, steps[what]);
        printf("  %d contacts, %.3g m deep, centres %.4g m apart; beside it %d, %.3g, %.4g\n", alone.count, alone.gap,
               alone.x[1][1] - alone.x[0][1], beside.count, beside.gap, beside.x[1][1] - beside.x[0][1]);
        CHECK(alone.gap < -0.007);  // else the scene shows nothing
        CHECK(memcmp(&alone, &beside, sizeof alone) == 0);
    }
}
