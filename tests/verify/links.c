// Claim: links between bodies obey their laws.
//
// - a weight on a spring link stretches it by m g / k, and the force of the link is m g
// - a body on a hinge has the period of the physical pendulum, 4 sqrt(I / (m g d)) K(sin(amplitude / 2)), at 60 degrees, with the
//   second order of SHAKE (Ryckaert, Ciccotti and Berendsen 1977)
// - a bead on an inclined line accelerates by g (sin - mu cos), and stays where mu is larger than the slope; on a rod that is a
//   quarter of a circle it has the speed of its fall, sqrt(2 g R), when it slides off
// - two welded bodies keep linear and angular momentum, and their relative pose; the force of the link is the change of momentum
//   of each of them, with opposite signs
// - two blocks of different meshes that are glued face to face pass the patch test of uniform stress to rounding; nodes tied to
//   faces do not (Puso 2004, A 3D mortar method for solid mechanics, section 5)
// - a rod whose free root is welded to a wall hangs as a clamped one
// - a link breaks at the stated load, not below it (tests/unit/world_links.c)
#include "contact_lab.h"

static const double down[3] = {0, 0, -9.81}, nowhere[3] = {0, 0, 0};

static bool link_open(contact_lab *b, const double gravity[3]) {
    sp_world_def def = sp_world_def_default();
    for (int a = 0; a < 3; a++) def.gravity[a] = sp_signal_constant(gravity[a]);
    def.snapshots = false;
    *b = (contact_lab){0};
    bool open = sp_context_create(NULL, &b->ctx) == SP_OK && sp_world_create(b->ctx, &def, &b->world) == SP_OK;
    if (!open) SP_TEST_FAILED("no world");
    return open;
}

static sp_link_def link_between(sp_link_type type, sp_body_id a, sp_body_id b) {
    sp_link_def def = sp_link_def_default();
    def.type = type, def.a.body = a, def.b.body = b;
    return def;
}

static sp_link_id link_add(contact_lab *b, const sp_link_def *def) {
    sp_link_id id = {0};
    if (sp_world_add_link(b->world, def, &id) < 0) SP_TEST_FAILED("%s", sp_world_error(b->world)->message);
    return id;
}

static sp_link_info link_get(contact_lab *b, sp_link_id id) {
    sp_link_info info = {0};
    CHECK_INT(sp_world_link_info(b->world, id, &info), SP_OK);
    return info;
}

static void put3(double to[3], double x, double y, double z) {
    to[0] = x, to[1] = y, to[2] = z;
}

// A fixed box about the origin.
static sp_body_id link_wall(contact_lab *b) {
    sp_rigid_shape box = contact_box(0.1, 0.1, 0.1);
    sp_rigid_def def = sp_rigid_def_default();
    def.name = "wall", def.shapes = &box, def.shape_count = 1;
    return contact_rigid(b, &def);
}

// ---------------------------------------------------------------------------------------------------- springs

static void weight_on_a_spring(sp_integrator_type type) {
    contact_lab b;
    if (!link_open(&b, down)) return;
    const double stiffness = 200;
    sp_rigid_shape ball = contact_ball(0.05);
    sp_rigid_def free_ball = sp_rigid_def_default();
    free_ball.shapes = &ball, free_ball.shape_count = 1, free_ball.free = true, free_ball.integrator.type = type;
    free_ball.pose.constant.translate[2] = -0.2;
    sp_body_id wall = link_wall(&b), weight = contact_rigid(&b, &free_ball);
    sp_link_def def = link_between(SP_LINK_SPRING, weight, wall);
    def.has_point = true, def.stiffness = stiffness, def.damping = 20;
    put3(def.point, 0, 0, -0.1);
    sp_link_id spring = link_add(&b, &def);
    const double m = contact_measures(&b, weight).mass;
    if (contact_steps(&b, 0.01, type == SP_STATIC ? 1 : 400)) {
        sp_link_info info = link_get(&b, spring);
        CHECK_NEAR(info.stretch, m * 9.81 / stiffness, 1e-8 * info.stretch);
        CHECK_NEAR(info.force[2], m * 9.81, 1e-8 * m * 9.81);
        CHECK_NEAR(fabs(info.force[0]) + fabs(info.force[1]), 0, 1e-9 * m * 9.81);
    }
    CHECK_INT(b.worst, SP_OK);
    contact_close(&b);
}

// Tolerance: the damper leaves e^-20 of the first stretch after two seconds, of which there are four; statics have that of their
// forces, 1e-8.
TEST(weight_on_a_spring) {
    weight_on_a_spring(SP_IMPLICIT_EULER);
    weight_on_a_spring(SP_NEWTON);
    weight_on_a_spring(SP_STATIC);
}

// ---------------------------------------------------------------------------------------------------- hinges

// Complete elliptic integral of the first kind by the arithmetic-geometric mean.
static double elliptic_K(double k) {
    double a = 1, g = sqrt(1 - k * k);
    for (int i = 0; i < 40; i++) {
        double next = 0.5 * (a + g);
        g = sqrt(a * g), a = next;
    }
    return SP_PI / (2 * a);
}

static double pendulum(double h, double *amplitude) {
    const double length = 0.4, side = 0.04, angle = SP_PI / 3, pivot = 0.15;
    contact_lab b;
    double period = NAN, first = NAN, last = NAN, before = 0;
    int crossings = 0;
    if (!link_open(&b, down)) return NAN;
    sp_rigid_shape box = contact_box(side, side, length);
    // the pivot is at the origin, on the axis of the box
    sp_pose at = {{pivot * sin(angle), 0, -pivot * cos(angle)}, {cos(angle / 2), 0, -sin(angle / 2), 0}};
    sp_body_id wall = link_wall(&b), bar = contact_free(&b, &box, &at, 1000);
    sp_link_def def = link_between(SP_LINK_HINGE, bar, wall);
    def.has_point = true;
    put3(def.axis, 0, 1, 0);
    sp_link_id hinge = link_add(&b, &def);
    sp_anchor centre = {.body = bar};
    *amplitude = 0;
    double apart = 0;
    const int steps = (int)(4 / h);
    for (int i = 1; i <= steps && b.worst >= 0; i++) {
        double x[3];
        contact_steps(&b, h, 1);
        CHECK_INT(sp_world_anchor_get(b.world, &centre, x, NULL), SP_OK);
        apart = fmax(apart, link_get(&b, hinge).stretch);
        double now = atan2(x[0], -x[2]);
        if (i > steps / 2) *amplitude = fmax(*amplitude, fabs(now));
        if (before > 0 && now <= 0) {
            last = h * (i - 1 + before / (before - now));
            if (crossings++ == 0) first = last;
        }
        before = now;
    }
    period = (last - first) / (crossings - 1);
    const double m = contact_measures(&b, bar).mass, I = m * (length * length + side * side) / 12 + m * pivot * pivot;
    const double exact = 4 * sqrt(I / (m * 9.81 * pivot)) * elliptic_K(sin(angle / 2));
    printf("  h = %g: period %.8f s, exact %.8f, relative %.2g, amplitude %.6f of %.6f, apart %.2g m\n", h, period, exact,
           period / exact - 1, *amplitude, angle, apart);
    CHECK_INT(b.worst, SP_OK);
    contact_close(&b);
    return period / exact - 1;
}

// Tolerance: a second-order error with the frequency of the motion is (omega h)^2 / 24, 6e-6 at 2 ms.
TEST(physical_pendulum) {
    double amplitude[2], error[2];
    for (int i = 0; i < 2; i++) error[i] = pendulum(i ? 0.002 : 0.004, &amplitude[i]);
    CHECK_NEAR(error[1], 0, 2e-5);
    CHECK_NEAR(error[0] / error[1], 4, 0.2);
    CHECK_NEAR(amplitude[1], SP_PI / 3, 1e-4);
}

// ---------------------------------------------------------------------------------------------------- slides

// Mean acceleration along the line.
static double bead(double angle, double friction) {
    contact_lab b;
    double x[3], moved = NAN;
    const double h = 0.005, time = 0.5;
    if (!link_open(&b, down)) return NAN;
    sp_rigid_shape ball = contact_ball(0.02);
    sp_pose at = contact_at(0, 0, 0.1);
    sp_body_id wall = link_wall(&b), small = contact_free(&b, &ball, &at, 1000);
    sp_link_def def = link_between(SP_LINK_SLIDE, small, wall);
    def.has_point = true, def.friction = friction;
    put3(def.point, 0, 0, 0.1), put3(def.axis, cos(angle), 0, -sin(angle));
    link_add(&b, &def);
    sp_anchor centre = {.body = small};
    if (contact_steps(&b, h, (int)lround(time / h)) && sp_world_anchor_get(b.world, &centre, x, NULL) == SP_OK) {
        moved = x[0] * cos(angle) - (x[2] - 0.1) * sin(angle);
        // first-order steps: s = a t (t + h) / 2
        moved = 2 * moved / (time * (time + h));
        CHECK_NEAR(x[0] * sin(angle) + (x[2] - 0.1) * cos(angle), 0, 1e-9);
    }
    CHECK_INT(b.worst, SP_OK);
    contact_close(&b);
    return moved;
}

// Tolerance: that of the contact solver, 1e-9 of the free fall of a step, adds up over 100 steps.
TEST(bead_on_an_inclined_line) {
    const double angle = 0.5;
    for (double mu = 0; mu < 0.5; mu += 0.2) CHECK_NEAR(bead(angle, mu), 9.81 * (sin(angle) - mu * cos(angle)), 1e-6 * 9.81);
    CHECK_NEAR(bead(angle, 0.6), 0, 1e-9);
}

// ---------------------------------------------------------------------------------------------------- welds of free bodies

TEST(welded_rigid_bodies_keep_momentum) {
    contact_lab b;
    if (!link_open(&b, nowhere)) return;
    sp_rigid_shape box[2] = {contact_box(0.1, 0.2, 0.3), contact_box(0.2, 0.1, 0.1)};
    sp_body_id id[2];
    for (int i = 0; i < 2; i++) {
        sp_rigid_def def = sp_rigid_def_default();
        def.shapes = &box[i], def.shape_count = 1, def.free = true, def.density = i ? 3000 : 1000;
        def.pose.constant = contact_at(0.15 * i, 0.05 * i, 0);
        if (i == 0) put3(def.velocity, 0.3, 0, 0.1), put3(def.spin, 1, 2, 3);
        id[i] = contact_rigid(&b, &def);
    }
    sp_link_def def = link_between(SP_LINK_WELD, id[0], id[1]);
    sp_link_id weld = link_add(&b, &def);
    double p0[3] = {0}, L0[3] = {0}, size = 0;
    for (int i = 0; i < 2; i++) {
        sp_body_measures m = contact_measures(&b, id[i]);
        for (int a = 0; a < 3; a++) p0[a] += m.momentum[a], L0[a] += m.angular[a];
    }
    size = sp__norm3(L0);
    double apart = 0;
    for (int k = 0; k < 200; k++) {
        contact_steps(&b, 0.01, 1);
        apart = fmax(apart, link_get(&b, weld).stretch);
    }
    double p[3] = {0}, L[3] = {0};
    for (int i = 0; i < 2; i++) {
        sp_body_measures m = contact_measures(&b, id[i]);
        for (int a = 0; a < 3; a++) p[a] += m.momentum[a], L[a] += m.angular[a];
    }
    printf("  apart %.2g m, momentum %.2g, angular %.2g of %.3g\n", apart, fabs(p[0] - p0[0]), fabs(L[0] - L0[0]), size);
    for (int a = 0; a < 3; a++) {
        CHECK_NEAR(p[a], p0[a], 1e-10 * sp__norm3(p0));
        CHECK_NEAR(L[a], L0[a], 1e-6 * size);
    }
    CHECK_INT(b.worst, SP_OK);
    contact_close(&b);
}

// ---------------------------------------------------------------------------------------------------- glued faces

typedef struct glued {
    int cells[2][3];
    double jitter;
    bool collocated;  // the nodes of the upper block are tied to the faces of the lower one
    sp_integrator_type type;
    bool touching;  // contact by constraints acts too
} glued;

// A block of a column: inner nodes and those of the sides are moved along the sides at random, so that triangles do not match.
static sp_mesh *column_mesh(sp_context *ctx, const int cells[3], double low, double jitter, unsigned long long seed) {
    const double size[3] = {1, 1, 1};
    sp_mesh *box = NULL, *out = NULL;
    if (sp_mesh_box(ctx, size, cells, 6, &box) < 0) return NULL;
    int n = sp_mesh_node_count(box);
    double *x = malloc(3 * (size_t)n * sizeof *x);
    memcpy(x, sp_mesh_positions(box), 3 * (size_t)n * sizeof *x);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            double r = sp_test_random(&seed), *p = &x[3 * i + k];
            if (*p > 1e-9 && *p < 1 - 1e-9) *p += jitter * r / cells[k];
        }
    for (int i = 0; i < n; i++) x[3 * i + 2] += low;
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = n, def.positions = x, def.element_count = sp_mesh_element_count(box), def.element_nodes = sp_mesh_tets(box);
    if (sp_mesh_create(ctx, &def, &out) < 0) SP_TEST_FAILED("%s", sp_context_error(ctx)->message);
    free(x);
    sp_mesh_destroy(&box);
    return out;
}

// nodes at a height; the caller frees
static int *nodes_at(const sp_mesh *mesh, double z, int *count) {
    int n = sp_mesh_node_count(mesh), *out = malloc((size_t)n * sizeof *out);
    *count = 0;
    for (int i = 0; i < n; i++)
        if (fabs(sp_mesh_positions(mesh)[3 * i + 2] - z) < 1e-9) out[(*count)++] = i;
    return out;
}

static int node_near(const sp_mesh *mesh, double x, double y, double z) {
    int best = 0;
    double least = INFINITY;
    for (int i = 0; i < sp_mesh_node_count(mesh); i++) {
        const double *p = sp_mesh_positions(mesh) + 3 * i, d = hypot(hypot(p[0] - x, p[1] - y), p[2] - z);
        if (d < least) least = d, best = i;
    }
    return best;
}

// A column of two blocks under a traction: the largest error of the stress, relative to it.
static double column(const glued *g) {
    const double traction = 1000, young = 1e5;
    contact_lab b;
    sp_body_id id[2];
    sp_mesh *mesh[2];
    double worst = 0;
    if (!link_open(&b, nowhere)) return NAN;
    for (int i = 0; i < 2; i++) mesh[i] = column_mesh(b.ctx, g->cells[i], i, g->jitter, 5 + (unsigned)i);
    for (int i = 0; i < 2; i++) {
        sp_solid_def def = contact_soft(1000, young, 0.3);
        int count[2], *nodes[2] = {nodes_at(mesh[i], 0, &count[0]), NULL}, faces[4096], face_count = 0;
        int corner = node_near(mesh[0], 0, 0, 0), other = node_near(mesh[0], 1, 0, 0);
        sp_fix fixes[3] = {{nodes[0], count[0], SP_AXIS_Z, 0}, {&corner, 1, SP_AXIS_X | SP_AXIS_Y, 0}, {&other, 1, SP_AXIS_Y, 0}};
        sp_load load = {.type = SP_LOAD_TRACTION,
                        .items = faces,
                        .value = {sp_signal_constant(0), sp_signal_constant(0), sp_signal_constant(traction)}};
        for (int f = 0; f < sp_mesh_face_count(mesh[i]); f++) {
            const int *v = sp_mesh_faces(mesh[i]) + 3 * f;
            bool top = true;
            for (int k = 0; k < 3; k++) top = top && fabs(sp_mesh_positions(mesh[i])[3 * v[k] + 2] - 2) < 1e-9;
            if (top) faces[face_count++] = f;
        }
        load.count = face_count;
        def.mesh = mesh[i], def.model = SP_LINEAR;
        if (i == 0) def.fixes = fixes, def.fix_count = 3;
        if (i == 1) def.loads = &load, def.load_count = 1;
        def.integrator.type = g->type, def.integrator.tolerance = 1e-11, def.integrator.iterations = 200;
        if (sp_world_add_solid(b.world, &def, &id[i]) < 0) SP_TEST_FAILED("%s", sp_world_error(b.world)->message);
        free(nodes[0]);
    }
    sp_contact_def contact = contact_exact(0, 0);
    if (g->type == SP_STATIC) contact.solver.tolerance = 1e-9;
    if (!g->touching) contact.formulation = SP_CONTACT_PENALTY;  // no contact: the options of its solver count for links
    CHECK_INT(sp_world_set_contact(b.world, &contact), SP_OK);
    sp_link_def def = link_between(SP_LINK_WELD, id[1], id[0]);
    int count, *nodes = nodes_at(mesh[1], 1, &count);
    sp_anchor points[4096];
    for (int i = 0; i < count; i++) CHECK_INT(sp_world_anchor_node(b.world, id[1], nodes[i], &points[i]), SP_OK);
    if (g->collocated) def.a.points = points, def.a.point_count = count;
    sp_link_id glue = link_add(&b, &def);
    sp_link_info info = link_get(&b, glue);
    if (contact_steps(&b, 1, g->type == SP_STATIC ? 1 : 40))
        for (int i = 0; i < 2; i++) {
            double *stress = malloc(6 * (size_t)sp_mesh_element_count(mesh[i]) * sizeof *stress);
            CHECK_INT(sp_world_field(b.world, id[i], "stress", stress), SP_OK);
            for (int e = 0; e < sp_mesh_element_count(mesh[i]); e++)
                for (int k = 0; k < 6; k++) worst = fmax(worst, fabs(stress[6 * e + k] - (k == 2 ? traction : 0)) / traction);
            free(stress);
        }
    info = link_get(&b, glue);
    printf("  %d and %d cells%s: %d ties, stress within %.2g, force %.9g of %g, apart %.2g\n", g->cells[0][0], g->cells[1][0],
           g->collocated ? ", collocated" : "", info.point_count, worst, info.force[2], -traction, info.stretch);
    CHECK_NEAR(info.force[2], -traction, 1e-7 * traction);
    CHECK_INT(b.worst, SP_OK);
    for (int i = 0; i < 2; i++) sp_mesh_destroy(&mesh[i]);
    free(nodes);
    contact_close(&b);
    return worst;
}

TEST(patch_of_glued_blocks) {
    const glued cases[] = {{{{3, 3, 2}, {3, 3, 2}}, 0, false, SP_IMPLICIT_EULER, false},
                           {{{3, 3, 2}, {4, 4, 3}}, 0.25, false, SP_IMPLICIT_EULER, false},
                           {{{4, 4, 3}, {3, 3, 2}}, 0.25, false, SP_IMPLICIT_EULER, false},
                           {{{2, 2, 2}, {5, 5, 3}}, 0.25, false, SP_IMPLICIT_EULER, false},
                           {{{3, 3, 2}, {4, 4, 3}}, 0.25, false, SP_IMPLICIT_EULER, true}};
    for (int i = 0; i < 5; i++) CHECK_NEAR(column(&cases[i]), 0, 1e-8);
    const glued rest = {{{3, 3, 2}, {4, 4, 3}}, 0.25, false, SP_STATIC, false};
    CHECK_NEAR(column(&rest), 0, 1e-6);
    const glued loose = {{{3, 3, 2}, {4, 4, 3}}, 0.25, true, SP_IMPLICIT_EULER, false};
    CHECK(column(&loose) > 0.01);
}

// ---------------------------------------------------------------------------------------------------- welded soft bodies

// Two blocks of different meshes, glued and thrown with a spin. Tolerance: linear momentum has the rounding of equal and opposite
// forces. Implicit Euler itself changes the angular momentum of a soft body, by the square of the angle of a step.
TEST(welded_solids_keep_momentum) {
    contact_lab b;
    sp_body_id id[2];
    double p[2][3], L[2][3], before[2][3], unmatched = 0;
    if (!link_open(&b, nowhere)) return;
    for (int i = 0; i < 2; i++) {
        sp_mesh *mesh = column_mesh(b.ctx, (int[3]){2 + i, 2 + i, 2}, i, 0.2, 5);
        int n = sp_mesh_node_count(mesh);
        double *v = calloc(3 * (size_t)n, sizeof *v);
        sp_solid_def def = contact_soft(1000, 1e6, 0.3);
        for (int k = 0; k < n; k++) {
            const double *x = sp_mesh_positions(mesh) + 3 * k;
            v[3 * k] = 0.3 - 0.5 * x[1] + (i ? 1 : 0), v[3 * k + 1] = 0.5 * x[0], v[3 * k + 2] = 0.1;
        }
        def.mesh = mesh, def.initial_velocity = v;
        if (sp_world_add_solid(b.world, &def, &id[i]) < 0) SP_TEST_FAILED("%s", sp_world_error(b.world)->message);
        free(v);
        sp_mesh_destroy(&mesh);
    }
    sp_link_def def = link_between(SP_LINK_WELD, id[0], id[1]);
    sp_link_id weld = link_add(&b, &def);
    memset(p, 0, sizeof p), memset(L, 0, sizeof L);
    for (int k = 0; k <= 20; k++) {
        double sum[3] = {0}, turn[3] = {0};
        if (k) contact_steps(&b, 0.01, 1);
        for (int i = 0; i < 2; i++) {
            sp_body_measures m = contact_measures(&b, id[i]);
            double d[3];
            for (int a = 0; a < 3; a++) {
                sum[a] += m.momentum[a], turn[a] += m.angular[a];
                d[a] = (m.momentum[a] - before[i][a]) - (i ? -0.01 : 0.01) * link_get(&b, weld).force[a];
            }
            if (k) unmatched = fmax(unmatched, sp__norm3(d));
            memcpy(before[i], m.momentum, sizeof m.momentum);
        }
        memcpy(p[k ? 1 : 0], sum, sizeof sum), memcpy(L[k ? 1 : 0], turn, sizeof turn);
    }
    printf("  momentum changes by %.2g of %.3g, angular by %.2g of %.3g; forces are the changes to %.2g\n",
           fabs(p[1][0] - p[0][0]), p[0][0], fabs(L[1][2] - L[0][2]), L[0][2], unmatched);
    for (int a = 0; a < 3; a++) {
        CHECK_NEAR(p[1][a], p[0][a], 1e-10 * sp__norm3(p[0]));
        CHECK_NEAR(L[1][a], L[0][a], 2e-4 * sp__norm3(L[0]));
    }
    CHECK_NEAR(unmatched, 0, 1e-9 * sp__norm3(p[0]));
    CHECK_INT(b.worst, SP_OK);
    contact_close(&b);
}

// Two parts of one body: the lips of a slit are glued. The block is a U whose arms move towards each other and apart; glued at
// their ends, they stay together there, and momentum is kept.
TEST(two_parts_of_one_body) {
    contact_lab b;
    sp_mesh *box = NULL, *mesh = NULL;
    sp_body_id id = {0};
    enum { CELLS = 6 };
    if (!link_open(&b, nowhere)) return;
    // the cells of the slit are left out: x in the middle third, z above a third
    if (sp_mesh_box(b.ctx, (double[3]){0.3, 0.1, 0.3}, (int[3]){CELLS, 2, CELLS}, 6, &box) < 0) return;
    const double *X = sp_mesh_positions(box);
    int *tets = malloc(4 * (size_t)sp_mesh_element_count(box) * sizeof *tets), count = 0;
    for (int e = 0; e < sp_mesh_element_count(box); e++) {
        const int *n = sp_mesh_tets(box) + 4 * e;
        double x = 0, z = 0;
        for (int k = 0; k < 4; k++) x += X[3 * n[k]] / 4, z += X[3 * n[k] + 2] / 4;
        if (x > 0.1 && x < 0.2 && z > 0.1) continue;
        memcpy(tets + 4 * count++, n, 4 * sizeof *n);
    }
    sp_mesh_def md = sp_mesh_def_default();
    md.node_count = sp_mesh_node_count(box), md.positions = X, md.element_count = count, md.element_nodes = tets;
    if (sp_mesh_create(b.ctx, &md, &mesh) < 0) SP_TEST_FAILED("%s", sp_context_error(b.ctx)->message);
    double *v = calloc(3 * (size_t)md.node_count, sizeof *v);
    int left[100], right[100], lefts = 0, rights = 0;
    for (int i = 0; i < md.node_count; i++) {
        const double *x = X + 3 * i;
        v[3 * i] = 0.2 + (x[0] - 0.15) * x[2] * 20;
        if (fabs(x[0] - 0.1) < 1e-9 && x[2] > 0.29) left[lefts++] = i;
        if (fabs(x[0] - 0.2) < 1e-9 && x[2] > 0.19) right[rights++] = i;
    }
    sp_solid_def soft = contact_soft(1000, 1e5, 0.3);
    soft.mesh = mesh, soft.initial_velocity = v;
    if (sp_world_add_solid(b.world, &soft, &id) < 0) SP_TEST_FAILED("%s", sp_world_error(b.world)->message);
    sp_link_def def = link_between(SP_LINK_WELD, id, id);
    def.a.nodes = left, def.a.node_count = lefts, def.b.nodes = right, def.b.node_count = rights, def.within = 0.11;
    sp_link_id glue = link_add(&b, &def);
    const double before = contact_measures(&b, id).momentum[0];
    double apart = 0, force = 0;
    for (int k = 0; k < 20; k++) {
        contact_steps(&b, 0.005, 1);
        apart = fmax(apart, link_get(&b, glue).stretch), force = fmax(force, fabs(link_get(&b, glue).force[0]));
    }
    CHECK(force > 0.1);  // the link acts
    CHECK_NEAR(apart, 0, 1e-9);
    CHECK_NEAR(contact_measures(&b, id).momentum[0], before, 1e-10 * before);
    CHECK_INT(b.worst, SP_OK);
    free(v), free(tets);
    sp_mesh_destroy(&box), sp_mesh_destroy(&mesh);
    contact_close(&b);
}

// A soft bar on a hinge through its end falls about the axis: the end stays, and nothing resists the rotation, so that the axis
// exerts no moment about itself: angular momentum about it is the impulse of the weight.
TEST(soft_bar_on_a_hinge) {
    contact_lab b;
    if (!link_open(&b, down)) return;
    sp_solid_def soft = contact_soft(1000, 1e6, 0.3);
    sp_pose at = contact_at(0, 0, 0);
    sp_body_id wall = link_wall(&b), bar = contact_block(&b, soft, (double[3]){0.6, 0.1, 0.1}, (int[3]){6, 2, 2}, &at);
    sp_link_def def = link_between(SP_LINK_HINGE, bar, wall);
    def.has_point = true;
    put3(def.point, -0.25, 0, 0), put3(def.axis, 0, 1, 0);
    sp_link_id hinge = link_add(&b, &def);
    const double mass = contact_measures(&b, bar).mass, h = 0.005;
    double impulse = 0;
    for (int k = 0; k < 40; k++) {
        contact_steps(&b, h, 1);
        sp_body_measures m = contact_measures(&b, bar);
        double x[3];
        // about the point of the hinge: weight at the centre of mass, at the end of a step of implicit Euler
        sp_anchor centre;
        CHECK_INT(sp_world_anchor_point(b.world, bar, (double[3]){0, 0, 0}, &centre), SP_OK);
        CHECK_INT(sp_world_anchor_get(b.world, &centre, x, NULL), SP_OK);
        impulse += h * mass * 9.81 * (x[0] + 0.25);
        const double angular = m.angular[1] + 0.25 * -m.momentum[2];
        if (k == 39) CHECK_NEAR(angular, impulse, 0.02 * impulse);
    }
    CHECK(link_get(&b, hinge).stretch < 1e-9);
    CHECK_INT(b.worst, SP_OK);
    contact_close(&b);
}

// ---------------------------------------------------------------------------------------------------- rods

// A horizontal rod of one metre, E I = 1 N m2, under its own weight: where its tip is after it has come to rest. welded: its root
// is free and welded to a wall; otherwise it is clamped.
static void cantilever(sp_rod_model model, sp_integrator_type type, bool welded, double tip[3], double force[3]) {
    contact_lab b;
    sp_rod_section section = sp_rod_section_default();
    sp_rod_strand strand = {.length = 1, .elements = 8, .root = sp_pose_identity()};
    sp_rod_def def = sp_rod_def_default();
    sp_body_id rod = {0};
    sp_link_id link = {0};
    const double radius = 0.01;
    memset(force, 0, 3 * sizeof *force);
    if (!link_open(&b, (double[3]){0, 0, -1})) return;
    section.axes[0] = section.axes[1] = radius;
    section.young = 4 / (SP_PI * radius * radius * radius * radius), section.density = 1 / (SP_PI * radius * radius);
    def.model = model, def.strands = &strand, def.strand_count = 1, def.sections = &section, def.section_count = 1;
    def.free_root = welded, def.edge_clamp = true, def.integrator.type = type, def.rayleigh_mass = type == SP_STATIC ? 0 : 5;
    def.integrator.iterations = type == SP_STATIC ? 200 : 20;
    if (sp_world_add_rod(b.world, &def, &rod) < 0) SP_TEST_FAILED("%s", sp_world_error(b.world)->message);
    sp_body_id wall = link_wall(&b);
    if (welded) {
        sp_link_def weld = link_between(SP_LINK_WELD, rod, wall);
        int root = 0;
        weld.a.nodes = &root, weld.a.node_count = 1;
        link = link_add(&b, &weld);
    }
    contact_steps(&b, type == SP_STATIC ? 1 : 0.02, type == SP_STATIC ? 1 : 250);
    sp_anchor end = {.body = rod, .elem = 7, .at = {1}};
    CHECK_INT(sp_world_anchor_get(b.world, &end, tip, NULL), SP_OK);
    if (welded) memcpy(force, link_get(&b, link).force, 3 * sizeof *force);
    CHECK_INT(b.worst, SP_OK);
    contact_close(&b);
}

// Tolerance: what damping leaves after 5 s. The tangent of clothoids and helices with free roots is indefinite under weight, so
// that their statics converge slowly: only the others are solved so.
TEST(welded_rods_hang_as_clamped_ones) {
    const sp_integrator_type types[] = {SP_IMPLICIT_EULER, SP_NEWTON, SP_STATIC};
    for (int m = SP_ROD_CLOTHOID; m <= SP_ROD_BEAM; m++)
        for (int t = 0; t < (m >= SP_ROD_DER ? 3 : 2); t++) {
            double clamped[3], tip[3], force[3], none[3];
            cantilever((sp_rod_model)m, types[t], false, clamped, none);
            cantilever((sp_rod_model)m, types[t], true, tip, force);
            for (int a = 0; a < 3; a++) CHECK_NEAR(tip[a], clamped[a], 2e-6);
            CHECK_NEAR(force[2], 1, 1e-5);
        }
}

// A bead slides down a stiff rod that is a quarter of a circle in a vertical plane, from rest at its clamped top, and off its
// end. Tolerance: first-order steps, and the rod gives way by 1e-4 of its length.
TEST(bead_on_a_curved_rod) {
    enum { ELEMENTS = 16 };
    const double radius = 0.5, h = 0.0005;
    contact_lab b;
    double curvature[3 * (ELEMENTS + 1)] = {0}, v[3] = {0}, x[3], speed = 0;
    if (!link_open(&b, down)) return;
    for (int i = 0; i <= ELEMENTS; i++) curvature[3 * i + 1] = 1 / radius;
    sp_rod_section section = sp_rod_section_default();
    sp_rod_strand strand = {.length = SP_PI / 2 * radius, .elements = ELEMENTS, .root = sp_pose_identity()};
    sp_rod_def rod = sp_rod_def_default();
    sp_body_id wire = {0};
    // from the origin along -z, then towards +x: n1 is along y, and the curvature about it turns the tangent
    const double s = sqrt(0.5);
    memcpy(strand.root.quat, (double[4]){s, 0, s, 0}, sizeof strand.root.quat);
    for (int i = 0; i <= ELEMENTS; i++) curvature[3 * i + 1] = -1 / radius;
    strand.curvature = curvature;
    section.axes[0] = section.axes[1] = 0.02, section.young = 1e11;
    rod.model = SP_ROD_CLOTHOID, rod.strands = &strand, rod.strand_count = 1, rod.sections = &section, rod.section_count = 1;
    if (sp_world_add_rod(b.world, &rod, &wire) < 0) SP_TEST_FAILED("%s", sp_world_error(b.world)->message);
    sp_rigid_shape ball = contact_ball(0.01);
    sp_pose at = contact_at(0, 0, 0);
    sp_body_id small = contact_free(&b, &ball, &at, 1000);
    sp_link_def def = link_between(SP_LINK_SLIDE, small, wire);
    def.has_point = true, def.guide = SP_GUIDE_CENTRELINE;
    sp_link_id link = link_add(&b, &def);
    sp_anchor centre = {.body = small};
    bool reported = false;
    double apart = 0;
    for (int k = 0; k < 2000 && link_get(&b, link).state == SP_LINK_ATTACHED; k++) {
        CHECK_INT(sp_world_anchor_get(b.world, &centre, x, v), SP_OK);
        speed = sp__norm3(v);
        apart = fmax(apart, link_get(&b, link).stretch);
        contact_steps(&b, h, 1);
        sp_event e;
        for (int i = 0; sp_world_event_at(b.world, i, &e) >= 0; i++) reported = reported || strstr(e.text, "it has slid off");
    }
    printf("  speed %.6f at %.4f %.4f %.4f, free fall %.6f; at most %.2g m from the rod\n", speed, x[0], x[1], x[2],
           sqrt(2 * 9.81 * radius), apart);
    CHECK(reported);
    CHECK_NEAR(speed, sqrt(2 * 9.81 * radius), 5e-3 * speed);
    CHECK_NEAR(x[0], radius, 0.01), CHECK_NEAR(x[2], -radius, 0.01);
    CHECK(apart < 1e-6);
    CHECK_INT(b.worst, SP_OK);
    contact_close(&b);
}
