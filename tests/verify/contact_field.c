// Claim: contact with the distance field of a rigid body is contact with its triangles, and vessels keep what is in them.
//
// - a soft slab that sags over a rigid ball: the field carries its weight to the tolerance of the solver; slab and forces are
//   those of the triangles. The two surfaces differ by the facets, L^2 / 8 R = 0.4 mm for edges of 18 mm on a radius of 100 mm,
//   and touch in other points: the triangles also by the vertices of the ball
// - a ball in a box whose inside is free (side inside), by field and by triangles: it rests on the floor of the box, is not
//   thrown through its walls at 30 times its radius per step, and keeps its energy or loses some
// - a free body with a field on another one and on a plane: third law, weight
// - bodies whose meshes are finer than the cells of the field: few contacts carry what all of them would, with forces and torques
#include "contact_lab.h"

static const double g = 9.81, radius = 0.1;

// a cube of n x n squares on each face, moved to a sphere if `round`
static sp_trimesh *cube_mesh(sp_context *ctx, int n, double half, bool round) {
    enum { MOST = 16 };
    static double x[18 * (MOST + 1) * (MOST + 1)];
    static int faces[36 * MOST * MOST];
    int nv = 0, nf = 0;
    if (n > MOST) n = MOST;
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++)
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    int c[4];
                    for (int k = 0; k < 4; k++) {
                        double p[3];
                        p[axis] = 2 * end - 1, p[(axis + 1) % 3] = 2.0 * (i + (k == 1 || k == 2)) / n - 1;
                        p[(axis + 2) % 3] = 2.0 * (j + (k >= 2)) / n - 1;
                        double length = round ? sp__norm3(p) : 1;
                        for (int a = 0; a < 3; a++) p[a] *= half / length;
                        for (c[k] = 0; c[k] < nv; c[k]++) {
                            double d[3];
                            sp__sub3(p, x + 3 * c[k], d);
                            if (sp__norm3(d) < 1e-9) break;
                        }
                        if (c[k] == nv) memcpy(x + 3 * nv++, p, sizeof p);
                    }
                    int *f = faces + 3 * nf;
                    f[0] = c[0], f[1] = c[end ? 1 : 2], f[2] = c[end ? 2 : 1];
                    f[3] = c[0], f[4] = c[end ? 2 : 3], f[5] = c[end ? 3 : 2];
                    nf += 2;
                }
    sp_trimesh_def def = sp_trimesh_def_default();
    sp_trimesh *mesh = NULL;
    def.vertex_count = nv, def.positions = x, def.face_count = nf, def.faces = faces;
    if (sp_trimesh_create(ctx, &def, &mesh) < 0) SP_TEST_FAILED("%s", sp_context_error(ctx)->message);
    return mesh;
}

// A rigid body of one mesh; cell 0: touched by its triangles.
static sp_body_id mesh_body(contact_lab *b, const sp_trimesh *mesh, const sp_pose *pose, bool free, sp_surface_side side,
                            double cell) {
    sp_rigid_def def = sp_rigid_def_default();
    sp_surface_contact_def touch = sp_surface_contact_def_default();
    def.meshes = &mesh, def.mesh_count = 1, def.free = free, def.pose.constant = *pose;
    sp_body_id id = contact_rigid(b, &def);
    touch.side = side, touch.field = cell;
    if (sp_world_set_surface_contact(b->world, id, 0, &touch) < 0) SP_TEST_FAILED("%s", sp_world_error(b->world)->message);
    return id;
}

static double total_force(contact_lab *b, sp_body_id id, double out[3]) {
    double torque[3];
    contact_load(b, id, (double[3]){0}, out, torque);
    return sp__norm3(out);
}

// ---------------------------------------------------------------------------------------------------- slab on a ball

typedef struct slab_result {
    double force[3], middle[3], edge[3], spread;  // spread: radius of gyration of the forces about the axis [m]
    int contacts;
    double penetration;
} slab_result;

static slab_result slab_on_ball(double cell) {
    slab_result r = {0};
    contact_lab b;
    sp_contact_def contact = contact_exact(0, 0);
    sp_solid_def def = contact_soft(1000, 2e4, 0.3);
    sp_pose at = contact_at(0, 0, radius + 0.0155), here = contact_at(0, 0, 0);
    def.rayleigh_stiffness = 0.03, def.rayleigh_mass = 10;
    contact.solver.tolerance = 1e-8;
    if (!contact_open(&b, (double[3]){0, 0, -g}, &contact)) return r;
    sp_trimesh *mesh = cube_mesh(b.ctx, 12, radius, true);
    contact_block(&b, def, (double[3]){0.12, 0.12, 0.03}, (int[3]){6, 6, 2}, &at);
    sp_body_id ball = mesh_body(&b, mesh, &here, false, SP_SURFACE_OUTSIDE, cell), slab = {1, 1};
    CHECK(contact_steps(&b, 0.01, 60));
    total_force(&b, ball, r.force);
    contact_point(&b, slab, (double[3]){0, 0, radius + 0.0155}, r.middle);
    contact_point(&b, slab, (double[3]){0.06, 0, radius + 0.0155}, r.edge);
    for (int i = 0; i < sp_world_contact_count(b.world); i++) {
        sp_contact_point p;
        CHECK_INT(sp_world_contact_at(b.world, i, &p), SP_OK);
        r.spread += fabs(p.force[2]) * (p.point[0] * p.point[0] + p.point[1] * p.point[1]);
    }
    r.spread = sqrt(r.spread / fmax(fabs(r.force[2]), 1e-9));
    r.contacts = sp_world_contact_count(b.world), r.penetration = b.penetration;
    sp_trimesh_destroy(&mesh);
    contact_close(&b);
    return r;
}

TEST(slab_on_a_field_as_on_triangles) {
    const double weight = 1000 * g * 0.12 * 0.12 * 0.03;
    slab_result field = slab_on_ball(0.01), faces = slab_on_ball(0);
    printf("  force %.8g and %.8g of the weight, spread %.4g and %.4g m; middle %.6g and %.6g m, edge %.6g and %.6g m; %d and %d "
           "contacts\n",
           -field.force[2] / weight, -faces.force[2] / weight, field.spread, faces.spread, field.middle[2], faces.middle[2],
           field.edge[2], faces.edge[2], field.contacts, faces.contacts);
    // what is left of the motion after 0.6 s
    CHECK_NEAR(-field.force[2], weight, 1e-3 * weight);
    CHECK_NEAR(-faces.force[2], weight, 1e-3 * weight);
    CHECK_NEAR(field.force[0], 0, 1e-3 * weight);
    // facets, which the field rounds
    CHECK_NEAR(field.middle[2], faces.middle[2], 4e-4);
    CHECK_NEAR(field.edge[2], faces.edge[2], 4e-4);
    // nodes of the slab are 20 mm apart, and edges of the ball 18 mm: the forces are in other points
    CHECK_NEAR(field.spread, faces.spread, 0.2 * faces.spread);
    CHECK(field.contacts > 8 && field.penetration < 1e-3);
}

// ---------------------------------------------------------------------------------------------------- in a vessel

// A ball in a box of edge 1, which is a field or triangles; returns where it is.
static void ball_in_a_box(double cell, const double velocity[3], int steps, double x[3], double force[3]) {
    contact_lab b;
    sp_contact_def contact = contact_exact(0.3, 0);
    sp_rigid_def def = sp_rigid_def_default();
    sp_rigid_shape shape = contact_ball(0.02);
    sp_pose here = contact_at(0, 0, 0);
    if (!contact_open(&b, (double[3]){0, 0, -g}, &contact)) return;
    sp_trimesh *mesh = cube_mesh(b.ctx, 4, 0.5, false);
    sp_body_id box = mesh_body(&b, mesh, &here, false, SP_SURFACE_INSIDE, cell);
    def.shapes = &shape, def.shape_count = 1, def.free = true, def.pose.constant = contact_at(0.1, 0.05, -0.3);
    memcpy(def.velocity, velocity, sizeof def.velocity);
    sp_body_id ball = contact_rigid(&b, &def);
    CHECK(contact_steps(&b, 0.01, steps));
    // in the edges of the box, which the field rounds, the normals of a ball smaller than a cell change within a step
    CHECK(b.penetration < (cell > 0 ? 0.3 * cell : 1e-9));
    contact_point(&b, ball, (double[3]){0.1, 0.05, -0.3}, x);
    total_force(&b, box, force);
    sp_trimesh_destroy(&mesh);
    contact_close(&b);
}

TEST(a_ball_stays_in_a_vessel) {
    const double cell = 0.03, weight = 1000 * g * 4 * SP_PI / 3 * 8e-6,
                 fast[4][3] = {{0, 0, 0}, {60, 10, 0}, {40, -50, 30}, {-3, 2, -70}};
    for (int i = 0; i < 8; i++) {
        double x[3] = {9, 9, 9}, force[3];
        ball_in_a_box(i % 2 ? cell : 0, fast[i / 2], i < 2 ? 80 : 25, x, force);
        for (int k = 0; k < 3; k++) CHECK(fabs(x[k]) < 0.48 + (i % 2 ? 0.25 * cell : 1e-6));
        if (i >= 2) continue;
        CHECK_NEAR(x[2], -0.48, 1e-6);
        CHECK_NEAR(-force[2], weight, 1e-6 * weight);
    }
}

// ---------------------------------------------------------------------------------------------------- free bodies

// Two boxes with fields, one on the other, on a plane: third law, weight, no motion.
TEST(free_bodies_with_fields) {
    contact_lab b;
    sp_contact_def contact = contact_exact(0.5, 0);
    REQUIRE(contact_open(&b, (double[3]){0, 0, -g}, &contact));
    sp_trimesh *block = cube_mesh(b.ctx, 2, radius, false), *small = cube_mesh(b.ctx, 2, 0.5 * radius, false);
    sp_pose low = contact_at(0, 0, radius + 1e-4), high = contact_at(0.01, -0.02, 2.5 * radius + 2e-4);
    sp_body_id floor = contact_plane(&b, (double[3]){0}, (double[3]){0, 0, 1});
    sp_body_id lower = mesh_body(&b, block, &low, true, SP_SURFACE_OUTSIDE, 0.01);
    sp_body_id upper = mesh_body(&b, small, &high, true, SP_SURFACE_OUTSIDE, 0.01);
    double force[3], torque[3], x[3], weight = 1000 * g * 8 * radius * radius * radius;
    CHECK(contact_steps(&b, 0.01, 40));
    contact_load(&b, floor, (double[3]){0}, force, torque);
    CHECK_NEAR(-force[2], 1.125 * weight, 1e-6 * weight);
    contact_load(&b, upper, (double[3]){0}, force, torque);
    CHECK_NEAR(force[2], 0.125 * weight, 1e-6 * weight);
    contact_load(&b, lower, (double[3]){0}, force, torque);
    CHECK_NEAR(force[2], weight, 1e-6 * weight);
    // it stands where it was put, but for the gaps
    contact_point(&b, upper, (double[3]){0.01, -0.02, 2.5 * radius + 2e-4}, x);
    CHECK_NEAR(x[0], 0.01, 1e-6);
    CHECK_NEAR(x[1], -0.02, 1e-6);
    // the field rises above a flat face beside its edges by 0.05 cells at most
    CHECK_NEAR(x[2], 2.5 * radius, 5e-4);
    sp_distance_field_info info;
    CHECK_INT(sp_world_distance_field_info(b.world, lower, 0, &info), SP_OK);
    CHECK(info.cell == 0.01 && info.open_edges == 0 && info.bytes > 0);
    // and refused definitions change nothing
    sp_surface_contact_def touch = sp_surface_contact_def_default();
    touch.field = 0.02;
    CHECK_INT(sp_world_set_surface_contact(b.world, floor, 0, &touch), SP_BAD_INPUT);
    touch.side = SP_SURFACE_BOTH;
    CHECK_INT(sp_world_set_surface_contact(b.world, lower, 0, &touch), SP_BAD_INPUT);
    CHECK_INT(sp_world_distance_field_info(b.world, floor, 0, &info), SP_BAD_INPUT);
    CHECK(contact_steps(&b, 0.01, 1));
    sp_trimesh_destroy(&block), sp_trimesh_destroy(&small);
    contact_close(&b);
}

// ---------------------------------------------------------------------------------------------------- fine meshes

// A fine block with 289 lowest vertices stands off the middle of a field: its weight acts below its centre.
TEST(a_fine_block_on_a_field) {
    contact_lab b;
    sp_contact_def contact = contact_exact(0.5, 0);
    REQUIRE(contact_open(&b, (double[3]){0, 0, -g}, &contact));
    sp_trimesh *block = cube_mesh(b.ctx, 4, radius, false), *small = cube_mesh(b.ctx, 16, 0.5 * radius, false);
    const double cell = 0.013;  // edges of the small block: 6.25 mm; two cells beside the edges of the field it is flat
    sp_pose low = contact_at(0, 0, 0), high = contact_at(0.01, -0.02, 1.5 * radius + 1e-4);
    double force[3], torque[3], x[3], weight = 1000 * g * radius * radius * radius;
    mesh_body(&b, block, &low, false, SP_SURFACE_OUTSIDE, cell);
    sp_body_id upper = mesh_body(&b, small, &high, true, SP_SURFACE_OUTSIDE, 0);
    CHECK(contact_steps(&b, 0.01, 40));
    contact_point(&b, upper, high.translate, x);
    contact_load(&b, upper, x, force, torque);
    const double moved = hypot(x[0] - high.translate[0], x[1] - high.translate[1]);
    printf("  %d contacts, weight %.9f, torque %.1e of weight times half a side, moved %.1e m\n", sp_world_contact_count(b.world),
           force[2] / weight, sp__norm3(torque) / (weight * 0.5 * radius), moved);
    CHECK_NEAR(force[2], weight, 1e-6 * weight);
    // all 289 vertices together give the same to 1e-8; the points of contact are to the tolerance of floats, 1e-7 m, in the field
    CHECK_NEAR(sp__norm3(torque), 0, 1e-5 * weight * 0.5 * radius);
    // it falls through the gap of 0.1 mm and sticks where its first corner lands
    CHECK(moved < 1e-4);
    // the field rises by up to 0.05 cells beside its edges; the block ends 2.3 cells from them
    CHECK_NEAR(x[2], 1.5 * radius, 0.005 * cell);
    // two hulls of 8 corners and the deepest point
    CHECK(sp_world_contact_count(b.world) <= 17);
    sp_trimesh_destroy(&block), sp_trimesh_destroy(&small);
    contact_close(&b);
}

// Balls of 10 cm, one of which flies into the other at rest, past its middle by a side of a third of the distance of both when
// they touch; frictionless, plastic. The momentum of the second: m v cos / 2 along the line of the centres.
static double ball_meets_ball(double cell, double out[3], int *contacts) {
    contact_lab b;
    sp_contact_def contact = contact_exact(0, 0);
    const double aside = 2 * radius / 3;
    contact.solver.tolerance = 1e-8;
    *contacts = 0;
    if (!contact_open(&b, (double[3]){0}, &contact)) return 0;
    sp_trimesh *mesh = cube_mesh(b.ctx, 16, radius, true);
    sp_pose here = contact_at(0, 0, 0), there = contact_at(2 * radius, aside, 0.003);
    sp_body_id second = mesh_body(&b, mesh, &there, true, SP_SURFACE_OUTSIDE, cell);
    sp_rigid_def def = sp_rigid_def_default();
    sp_surface_contact_def touch = sp_surface_contact_def_default();
    def.meshes = (const sp_trimesh *const[]){mesh}, def.mesh_count = 1, def.free = true, def.pose.constant = here;
    def.velocity[0] = 1, touch.field = cell;
    sp_body_id first = contact_rigid(&b, &def);
    if (sp_world_set_surface_contact(b.world, first, 0, &touch) < 0) SP_TEST_FAILED("%s", sp_world_error(b.world)->message);
    for (int i = 0; i < 40; i++) {
        CHECK(contact_steps(&b, 0.002, 1));
        const int count = sp_world_contact_count(b.world);
        *contacts = count > *contacts ? count : *contacts;
    }
    sp_body_measures m = contact_measures(&b, second);
    memcpy(out, m.momentum, sizeof m.momentum);
    sp_trimesh_destroy(&mesh);
    contact_close(&b);
    return m.mass;
}

TEST(fine_balls_meet) {
    const double cosine = sqrt(8.0) / 3;
    for (int field = 1; field >= 0; field--) {
        double p[3];
        int contacts;
        const double mass = ball_meets_ball(field ? 0.03 : 0, p, &contacts), expected = 0.5 * mass * cosine;
        printf("  %s: momentum %.4f of the smooth balls, direction %.4f and %.4f, smooth %.4f and %.4f; %d contacts\n",
               field ? "field" : "triangles", sp__norm3(p) / expected, p[0] / sp__norm3(p), p[1] / sp__norm3(p), cosine, 1.0 / 3,
               contacts);
        CHECK_NEAR(sp__norm3(p), expected, 0.01 * expected);
        // half an edge of 12 mm over the radius is the angle between a facet and the ball
        CHECK_NEAR(p[0] / sp__norm3(p), cosine, 0.06);
        CHECK_NEAR(p[1] / sp__norm3(p), 1.0 / 3, 0.06);
        CHECK(contacts > 0 && contacts <= 32);
    }
}
