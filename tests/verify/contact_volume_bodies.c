// Claim: overlap volumes act between all kinds of bodies, beside other formulations.
//
// - analytic shapes rest on a plane as deep as their geometry and the slack say; boxes, cylinders, meshes carry their weight
// - a rod on a soft block: the block carries its weight
// - a collision surface that is finer than the mesh that carries it has the same weight and place as the boundary
// - three bodies in one place are separated, and keep their momentum
// - of a stack with one formulation for each pair, every pair carries the weight above it, with the overlap of its formulation
// - a pair with a pixel of its own rests with the slack of that pixel
// - contact.enabled = 0 lets bodies fall through each other
#include "contact/constraints_internal.h"
#include "contact_lab.h"

static const double g = 9.81, rho = 1000;
static const double down[3] = {0, 0, -9.81}, still[3] = {0};

static sp_body_id volume_floor(contact_lab *b) {
    return contact_plane(b, still, (double[3]){0, 0, 1});
}

static void check_weight(contact_lab *b, sp_body_id id, double weight, double tolerance, const char *what) {
    double force[3], torque[3];
    contact_load(b, id, still, force, torque);
    printf("  %s: carried / weight - 1 = %.1e, sideways %.1e\n", what, force[2] / weight - 1, hypot(force[0], force[1]) / weight);
    CHECK_NEAR(force[2], weight, tolerance * fabs(weight));
    CHECK_NEAR(hypot(force[0], force[1]), 0, tolerance * fabs(weight));
}

// ---------------------------------------------------------------------------------------------------- shapes

TEST(shapes_on_a_plane) {
    const double R = 0.03, pixel = 0.003;
    const sp_rigid_shape shapes[] = {
        {.type = SP_SPHERE, .size = {R}, .pose = sp_pose_identity()},
        {.type = SP_CAPSULE, .size = {R, 0.1}, .pose = {{-0.05, 0, 0}, {sqrt(0.5), 0, sqrt(0.5), 0}}},
        contact_box(0.08, 0.06, 2 * R),
        {.type = SP_CYLINDER, .size = {R, 2 * R}, .pose = contact_at(0, 0, -R)},
        {.type = SP_TORUS, .size = {0.05, R}, .pose = sp_pose_identity()},
        {.type = SP_ELLIPSOID, .size = {0.05, 0.04, R}, .pose = sp_pose_identity()}};
    static const char *const names[] = {"sphere", "capsule", "box", "cylinder", "torus", "ellipsoid"};
    enum { COUNT = sizeof shapes / sizeof *shapes };
    contact_lab b;
    sp_contact_def contact = contact_volume(0.3, pixel, 0);
    sp_body_id id[COUNT];
    REQUIRE(contact_open(&b, down, &contact));
    volume_floor(&b);
    for (int i = 0; i < COUNT; i++) {
        sp_pose at = contact_at(0.3 * i, 0, R);
        id[i] = contact_free(&b, &shapes[i], &at, rho);
    }
    CHECK(contact_steps(&b, 0.01, 100));
    for (int i = 0; i < COUNT; i++) {
        double x[3], at[3] = {0.3 * i, 0, R};
        // a single volume does not answer torques: the capsule still rocks
        check_weight(&b, id[i], g * contact_measures(&b, id[i]).mass, i == 1 ? 0.03 : 1e-6, names[i]);
        contact_point(&b, id[i], at, x);
        printf("    %.3f pixels deep\n", (R - x[2]) / pixel);
        // flat: the slack; round: the mean depth of a cap is half of that of its pole, of a cylinder two thirds
        const double expected = (i == 2 || i == 3 ? 0.5 : i == 1 || i == 4 ? 0.75 : 1) * pixel;
        CHECK_NEAR(R - x[2], expected, 0.15 * pixel);
    }
    contact_close(&b);
}

// A ball falls into the corner between two fixed balls and a capsule, and rests on all three.
TEST(shapes_on_shapes) {
    contact_lab b;
    sp_contact_def contact = contact_volume(0, 0.002, 0);
    REQUIRE(contact_open(&b, down, &contact));
    const sp_rigid_shape ball = contact_ball(0.03),
                         capsule = {.type = SP_CAPSULE, .size = {0.03, 0.2}, .pose = sp_pose_identity()};
    sp_rigid_def def = sp_rigid_def_default();
    def.shapes = &ball, def.shape_count = 1;
    for (int i = 0; i < 2; i++) def.pose.constant = contact_at(i ? 0.04 : -0.04, 0.03, 0), contact_rigid(&b, &def);
    def.shapes = &capsule, def.pose.constant = (sp_pose){{-0.1, -0.04, 0}, {sqrt(0.5), 0, sqrt(0.5), 0}};
    contact_rigid(&b, &def);
    sp_pose at = contact_at(0.003, 0, 0.06);
    sp_body_id id = contact_free(&b, &ball, &at, rho);
    CHECK(contact_steps(&b, 0.01, 200));
    CHECK_INT(sp_world_contact_count(b.world), 3);
    check_weight(&b, id, g * contact_measures(&b, id).mass, 1e-3, "ball");
    contact_close(&b);
}

// ---------------------------------------------------------------------------------------------------- meshes

// The boundary of a mesh, each triangle in 4^times.
static sp_trimesh *boundary_of(sp_context *ctx, const sp_mesh *mesh, int times) {
    sp_trimesh_def def = sp_trimesh_def_default();
    sp_trimesh *coarse = NULL, *out = NULL;
    def.vertex_count = sp_mesh_node_count(mesh), def.positions = sp_mesh_positions(mesh);
    def.face_count = sp_mesh_face_count(mesh), def.faces = sp_mesh_faces(mesh);
    if (sp_trimesh_create(ctx, &def, &coarse) < 0 || sp_trimesh_subdivided(coarse, times, false, 0, &out) < 0)
        SP_TEST_FAILED("%s", sp_context_error(ctx)->message);
    sp_trimesh_destroy(&coarse);
    return out;
}

// A ball of triangles on a soft cube with a fine collision surface, on a floor.
TEST(a_mesh_on_an_embedded_surface) {
    double top[2];
    for (int fine = 0; fine < 2; fine++) {
        contact_lab b;
        sp_contact_def contact = contact_volume(0.3, 0.004, 12);
        sp_solid_def soft = contact_soft(rho, 3e4, 0.4);
        sp_pose low = contact_at(0, 0, 0.05), high = contact_at(0, 0, 0.135);
        sp_mesh *ball = NULL;
        sp_surface_def surface = sp_surface_def_default();
        sp_trimesh *shell = NULL, *faces = NULL;
        double x[3];
        soft.rayleigh_stiffness = 0.02;
        contact.solver.tolerance = 1e-6;
        REQUIRE(contact_open(&b, down, &contact));
        sp_body_id floor = volume_floor(&b);
        sp_body_id cube = contact_block(&b, soft, (double[3]){0.1, 0.1, 0.1}, (int[3]){3, 3, 3}, &low);
        CHECK_INT(sp_mesh_sphere(b.ctx, (double[3]){0.035, 0.035, 0.035}, 3, &ball), SP_OK);
        shell = boundary_of(b.ctx, ball, 0);
        sp_rigid_def def = sp_rigid_def_default();
        def.meshes = (const sp_trimesh *const[]){shell}, def.mesh_count = 1, def.free = true, def.density = rho;
        def.pose.constant = high;
        sp_body_id id = contact_rigid(&b, &def);
        if (fine) {
            sp_mesh *box = NULL, *placed = NULL;
            sp_pose corner = contact_at(-0.05, -0.05, 0);
            CHECK_INT(sp_mesh_box(b.ctx, (double[3]){0.1, 0.1, 0.1}, (int[3]){3, 3, 3}, 5, &box), SP_OK);
            CHECK_INT(sp_mesh_transformed(box, NULL, &corner, &placed), SP_OK);
            faces = boundary_of(b.ctx, placed, 2);
            surface.mesh = faces, surface.roles = SP_ROLE_COLLISION;
            CHECK_INT(sp_world_add_surface(b.world, cube, &surface, NULL), SP_OK);
            sp_mesh_destroy(&box), sp_mesh_destroy(&placed);
        }
        CHECK(contact_steps(&b, 0.01, 100));
        const double weight = g * contact_measures(&b, id).mass, all = weight + g * contact_measures(&b, cube).mass;
        // the cube still swings, and the ball rolls on it
        check_weight(&b, id, weight, 0.02, "ball");
        check_weight(&b, floor, -all, 0.02, "floor");
        contact_point(&b, id, high.translate, x);
        top[fine] = x[2];
        sp_mesh_destroy(&ball), sp_trimesh_destroy(&shell), sp_trimesh_destroy(&faces);
        contact_close(&b);
    }
    printf("  ball at %.6f m, with the finer surface at %.6f m\n", top[0], top[1]);
    // the same surface with more vertices: the embedding is linear in each triangle
    CHECK_NEAR(top[1], top[0], 1e-4);
}

static void add_pair(contact_lab *b, sp_body_id first, sp_body_id other, int formulation, double pixel) {
    sp_contact_pair_def def = sp_contact_pair_def_default();
    sp_contact_part parts[2] = {sp_contact_part_body(first), sp_contact_part_body(other)};
    def.a = &parts[0], def.b = &parts[1], def.a_count = def.b_count = 1;
    def.formulation = formulation, def.pixel = pixel;
    if (sp_world_add_contact_pair(b->world, &def, NULL) < 0) SP_TEST_FAILED("%s", sp_world_error(b->world)->message);
}

// Where it touches by volumes.
TEST(an_open_mesh_is_refused) {
    contact_lab b;
    sp_contact_def contact = contact_volume(0, 0.004, 0);
    sp_mesh *box = NULL;
    REQUIRE(contact_open(&b, down, &contact));
    CHECK_INT(sp_mesh_box(b.ctx, (double[3]){0.1, 0.1, 0.1}, (int[3]){1, 1, 1}, 5, &box), SP_OK);
    sp_trimesh_def open = sp_trimesh_def_default();
    sp_trimesh *shell = NULL;
    open.vertex_count = sp_mesh_node_count(box), open.positions = sp_mesh_positions(box);
    open.face_count = sp_mesh_face_count(box) - 1, open.faces = sp_mesh_faces(box);
    CHECK_INT(sp_trimesh_create(b.ctx, &open, &shell), SP_OK);
    sp_rigid_def def = sp_rigid_def_default();
    sp_rigid_shape ball = contact_ball(0.02);
    sp_pose at = contact_at(0, 0, 1);
    def.name = "box", def.meshes = (const sp_trimesh *const[]){shell}, def.mesh_count = 1;
    sp_body_id sheet = contact_rigid(&b, &def), moved = contact_free(&b, &ball, &at, rho);
    const uint64_t hash = sp_world_hash(b.world);
    CHECK_INT(sp_world_step(b.world, 0.01), SP_BAD_INPUT);
    printf("  %s\n", sp_world_error(b.world)->message);
    CHECK(strstr(sp_world_error(b.world)->message, "'box' has 3 open edges"));
    CHECK(sp_world_hash(b.world) == hash);
    add_pair(&b, sheet, moved, SP_CONTACT_PROXIMITY, NAN);
    CHECK_INT(sp_world_step(b.world, 0.01), SP_OK);
    sp_mesh_destroy(&box), sp_trimesh_destroy(&shell);
    contact_close(&b);
}

// ---------------------------------------------------------------------------------------------------- rods

TEST(a_rod_on_a_soft_block) {
    contact_lab b;
    sp_contact_def contact = contact_volume(0.4, 0.002, 10);
    const sp_pose middle = contact_at(0.1, 0, 0.02), root = contact_at(0.02, 0, 0.0495);
    sp_rod_section section = sp_rod_section_default();
    sp_rod_strand strand = {.length = 0.16, .elements = 8, .root = root};
    sp_rod_def def = sp_rod_def_default();
    sp_solid_def soft = contact_soft(rho, 1e5, 0.3);
    sp_body_id rod = {0};
    soft.rayleigh_stiffness = 0.02, contact.solver.tolerance = 1e-9;
    section.axes[0] = section.axes[1] = 0.01, section.young = 1e7;
    def.model = SP_ROD_BEAM, def.strands = &strand, def.strand_count = 1, def.sections = &section, def.section_count = 1;
    def.free_root = true;
    REQUIRE(contact_open(&b, down, &contact));
    sp_body_id floor = volume_floor(&b);
    sp_body_id block = contact_block(&b, soft, (double[3]){0.2, 0.06, 0.04}, (int[3]){8, 3, 2}, &middle);
    if (sp_world_add_rod(b.world, &def, &rod) < 0) SP_TEST_FAILED("%s", sp_world_error(b.world)->message);
    CHECK(contact_steps(&b, 0.01, 100));
    const double weight = g * contact_measures(&b, rod).mass, all = weight + g * contact_measures(&b, block).mass;
    check_weight(&b, rod, weight, 1e-3, "rod");
    check_weight(&b, floor, -all, 1e-3, "floor");
    contact_close(&b);
}

// ---------------------------------------------------------------------------------------------------- three in one place

TEST(three_bodies_in_one_place) {
    contact_lab b;
    sp_contact_def contact = contact_volume(0, 0.004, 4);
    contact.solver.tolerance = 1e-9;
    REQUIRE(contact_open(&b, still, &contact));
    sp_body_id id[3];
    bool pairs[3] = {false};
    double momentum[3] = {0};
    for (int i = 0; i < 3; i++) {
        const double turn = 2 * acos(-1) * i / 3;
        sp_pose at = contact_at(0.035 * cos(turn), 0.035 * sin(turn), 0.002 * i);
        id[i] = contact_block(&b, contact_soft(rho, 2e4, 0.4), (double[3]){0.08, 0.08, 0.08}, (int[3]){3, 3, 3}, &at);
    }
    CHECK(contact_steps(&b, 0.01, 1));
    for (int k = 0; k < sp_world_contact_count(b.world); k++) {
        sp_contact_point p;
        CHECK_INT(sp_world_contact_at(b.world, k, &p), SP_OK);
        for (int i = 0; i < 3; i++) {
            const uint32_t u = id[i].slot, v = id[(i + 1) % 3].slot;
            if ((p.bodies[0].slot == u && p.bodies[1].slot == v) || (p.bodies[0].slot == v && p.bodies[1].slot == u))
                pairs[i] = true;
        }
    }
    CHECK(pairs[0] && pairs[1] && pairs[2]);
    CHECK(contact_steps(&b, 0.01, 59));
    double energy = 0, size = 0;
    for (int i = 0; i < 3; i++) {
        sp_body_measures m = contact_measures(&b, id[i]);
        sp__axpy3(momentum, 1, m.momentum, momentum);
        energy += m.kinetic + m.elastic, size += sp__norm3(m.momentum);
    }
    printf("  %d contacts at the end, momentum %.1e of %.2g kg m/s, energy %.3g J\n", sp_world_contact_count(b.world),
           sp__norm3(momentum), size, energy);
    CHECK_INT(sp_world_contact_count(b.world), 0);
    CHECK_NEAR(sp__norm3(momentum), 0, 1e-12);
    contact_close(&b);
}

// ---------------------------------------------------------------------------------------------------- pairs

// Height of the lowest point of the first body over the plane or body below, both of flat boxes that do not turn.
static double height_of(contact_lab *b, sp_body_id id, double x, double z) {
    double out[3];
    contact_point(b, id, (double[3]){x, 0, z}, out);
    return out[2];
}

// Rigid boxes on each other: floor, penalty, volume, proximity from below.
TEST(a_stack_with_a_formulation_for_each_pair) {
    const double pixel = 0.004, edge[3] = {0.1, 0.09, 0.08};
    contact_lab b;
    sp_contact_def contact = contact_volume(0.3, pixel, 0);
    sp_body_id id[4];
    double z = 0, above[4] = {0};
    REQUIRE(contact_open(&b, down, &contact));
    id[0] = volume_floor(&b);
    for (int i = 1; i < 4; i++) {
        const double e = edge[i - 1];
        sp_rigid_shape box = contact_box(e, e, 0.05);
        sp_pose at = contact_at(0, 0, z + 0.025);
        id[i] = contact_free(&b, &box, &at, rho), z += 0.05;
    }
    add_pair(&b, id[0], id[1], SP_CONTACT_PENALTY, NAN);
    add_pair(&b, id[2], id[3], SP_CONTACT_PROXIMITY, NAN);
    CHECK(contact_steps(&b, 0.01, 200));
    for (int i = 3; i > 0; i--) above[i - 1] = above[i] + g * contact_measures(&b, id[i]).mass;
    const double gap[3] = {height_of(&b, id[1], 0, 0), height_of(&b, id[2], 0, 0.05) - height_of(&b, id[1], 0, 0.05),
                           height_of(&b, id[3], 0, 0.1) - height_of(&b, id[2], 0, 0.1)};
    int features[3] = {0};
    double carried[3] = {0};
    for (int k = 0; k < sp_world_contact_count(b.world); k++) {
        sp_contact_point p;
        CHECK_INT(sp_world_contact_at(b.world, k, &p), SP_OK);
        for (int i = 0; i < 3; i++)
            if ((p.bodies[0].slot == id[i].slot && p.bodies[1].slot == id[i + 1].slot) ||
                (p.bodies[1].slot == id[i].slot && p.bodies[0].slot == id[i + 1].slot))
                features[i] += p.features[0] == SP_CONTACT_PATCH, carried[i] += fabs(p.force[2]);
    }
    for (int i = 0; i < 3; i++) {
        printf("  pair %d: overlap %.3e m, carried / weight - 1 = %.1e, %d patches\n", i, -gap[i], carried[i] / above[i] - 1,
               features[i]);
        CHECK_NEAR(carried[i], above[i], 1e-6 * above[i]);
        CHECK_INT(features[i] > 0, i == 1);
    }
    // springs: 30 times the stiffness with which the bodies answer, so that the overlap is about g h2 / 30 and more where
    // several bodies are above; volumes: the slack; proximity: rounding
    CHECK(-gap[0] > 0.2 * g * 1e-4 / 30 && -gap[0] < 20 * g * 1e-4 / 30);
    CHECK_NEAR(-gap[1], 0.5 * pixel, 0.05 * pixel);
    CHECK_NEAR(-gap[2], 0, 1e-9);
    contact_close(&b);
}

TEST(a_pair_has_its_own_pixel) {
    const double coarse = 0.008, fine = 0.002;
    contact_lab b;
    sp_contact_def contact = contact_volume(0.3, coarse, 0);
    sp_rigid_shape box = contact_box(0.1, 0.1, 0.05);
    sp_pose at[2] = {contact_at(0, 0, 0.025), contact_at(0.3, 0, 0.025)};
    REQUIRE(contact_open(&b, down, &contact));
    sp_body_id floor = volume_floor(&b), first = contact_free(&b, &box, &at[0], rho), other = contact_free(&b, &box, &at[1], rho);
    add_pair(&b, other, floor, -1, fine);
    CHECK(contact_steps(&b, 0.01, 60));
    const double gap[2] = {height_of(&b, first, 0, 0), height_of(&b, other, 0.3, 0)};
    printf("  overlaps %.4f mm and %.4f mm\n", -1e3 * gap[0], -1e3 * gap[1]);
    CHECK_NEAR(-gap[0], 0.5 * coarse, 0.05 * coarse);
    CHECK_NEAR(-gap[1], 0.5 * fine, 0.05 * fine);
    contact_close(&b);
}

TEST(contact_is_switched_off_and_on) {
    contact_lab b;
    sp_contact_def contact = contact_volume(0.3, 0.004, 0);
    sp_rigid_shape box = contact_box(0.1, 0.1, 0.05);
    sp_pose at = contact_at(0.002, 0.002, 0.025);  // symmetrical to the rays
    REQUIRE(contact_open(&b, down, &contact));
    volume_floor(&b);
    sp_body_id id = contact_free(&b, &box, &at, rho);
    CHECK(contact_steps(&b, 0.01, 60));
    double rest = height_of(&b, id, 0, 0);
    CHECK_INT(sp_world_set_param(b.world, "contact.enabled", 0), SP_OK);
    CHECK(contact_steps(&b, 0.01, 3));
    CHECK_INT(sp_world_contact_count(b.world), 0);
    CHECK_NEAR(height_of(&b, id, 0, 0), rest - g * 1e-4 * 6, 1e-9);  // 1 + 2 + 3
    CHECK_INT(sp_world_set_param(b.world, "contact.enabled", 1), SP_OK);
    CHECK(contact_steps(&b, 0.01, 100));
    CHECK_NEAR(height_of(&b, id, 0, 0), -0.002, 0.05 * 0.004);
    contact_close(&b);
}
