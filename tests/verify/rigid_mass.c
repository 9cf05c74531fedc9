// Claim: volume, centre of mass and inertia of rigid bodies are exact. Shapes: the closed forms of tables of moments of inertia,
// to rounding. Closed triangle surfaces: the integrals over the polyhedron, to rounding. The triangles that are drawn for a
// curved shape enclose almost the same body. Parts add up, turned and shifted parts too.
#include "collide/shape.h"
#include "math/vec3.h"
#include "souple/souple.h"
#include "test.h"

static sp_context *ctx;

static sp_rigid_mass mass_of(const sp_rigid_shape *shapes, int n, const sp_trimesh *mesh, double density) {
    sp_rigid_def def = sp_rigid_def_default();
    sp_rigid_mass out = {0};
    def.shapes = shapes, def.shape_count = n, def.density = density, def.free = true;
    if (mesh) def.meshes = &mesh, def.mesh_count = 1;
    CHECK_INT(sp_rigid_def_mass(ctx, &def, &out), SP_OK);
    return out;
}

static void check_same(const sp_rigid_mass *a, const sp_rigid_mass *b, double tolerance) {
    double length = cbrt(b->volume);
    CHECK_NEAR(a->volume, b->volume, tolerance * b->volume);
    CHECK_NEAR(a->mass, b->mass, tolerance * b->mass);
    for (int k = 0; k < 3; k++) CHECK_NEAR(a->centre[k], b->centre[k], tolerance * length);
    for (int k = 0; k < 9; k++)
        CHECK_NEAR(a->inertia[k], b->inertia[k], tolerance * (b->inertia[0] + b->inertia[4] + b->inertia[8]));
}

static sp_trimesh *triangles_of(const sp_rigid_shape *shape) {
    sp_trimesh_def def = sp_trimesh_def_default();
    sp_trimesh *out = NULL;
    double *x;
    int *faces;
    CHECK_INT(sp__shape_triangles(ctx, shape, 1, &def.vertex_count, &x, &def.face_count, &faces), SP_OK);
    def.positions = x, def.faces = faces;
    CHECK_INT(sp_trimesh_create(ctx, &def, &out), SP_OK);
    sp__free(ctx, x), sp__free(ctx, faces);
    return out;
}

typedef struct entry {
    sp_rigid_shape shape;
    double volume, height, moments[3];  // height of the centre on z; moments of inertia for mass 1
} entry;

static int table(entry *out) {
    const double r = 0.3, l = 0.7, R = 0.5, a = 0.2, b = 0.3, c = 0.45;
    double shaft = r * r * l, caps = 4.0 / 3 * r * r * r, share = shaft / (shaft + caps);
    // half balls: 83/320 m r2 about an axis through their centre of mass, which is 3/8 r from the flat side
    double cap = 83.0 / 320 * r * r + (l / 2 + 3 * r / 8) * (l / 2 + 3 * r / 8);
    const entry all[] = {
        {{SP_SPHERE, {r}, sp_pose_identity()}, 4 * SP_PI / 3 * r * r * r, 0, {0.4 * r * r, 0.4 * r * r, 0.4 * r * r}},
        {{SP_BOX, {a, b, c}, sp_pose_identity()},
         a * b * c,
         c / 2,
         {(b * b + c * c) / 12, (a * a + c * c) / 12, (a * a + b * b) / 12}},
        {{SP_CYLINDER, {r, l}, sp_pose_identity()},
         SP_PI * r * r * l,
         l / 2,
         {(3 * r * r + l * l) / 12, (3 * r * r + l * l) / 12, r * r / 2}},
        {{SP_CAPSULE, {r, l}, sp_pose_identity()},
         SP_PI * (shaft + caps),
         l / 2,
         {share * (3 * r * r + l * l) / 12 + (1 - share) * cap, share * (3 * r * r + l * l) / 12 + (1 - share) * cap,
          share * r * r / 2 + (1 - share) * 0.4 * r * r}},
        {{SP_TORUS, {R, a}, sp_pose_identity()},
         2 * SP_PI * SP_PI * R * a * a,
         0,
         {(4 * R * R + 5 * a * a) / 8, (4 * R * R + 5 * a * a) / 8, (4 * R * R + 3 * a * a) / 4}},
        {{SP_ELLIPSOID, {a, b, c}, sp_pose_identity()},
         4 * SP_PI / 3 * a * b * c,
         0,
         {(b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5}},
    };
    memcpy(out, all, sizeof all);
    return (int)(sizeof all / sizeof *all);
}

TEST(shapes_against_tables) {
    sp_context_create(NULL, &ctx);
    entry all[8];
    int n = table(all);
    for (int i = 0; i < n; i++) {
        sp_rigid_mass m = mass_of(&all[i].shape, 1, NULL, 7), exact = {.mass = 7 * all[i].volume, .volume = all[i].volume};
        exact.centre[2] = all[i].height;
        if (all[i].shape.type == SP_BOX)
            for (int k = 0; k < 3; k++) exact.centre[k] = all[i].shape.size[k] / 2;
        for (int k = 0; k < 3; k++) exact.inertia[4 * k] = exact.mass * all[i].moments[k];
        check_same(&m, &exact, 1e-14);
        sp_trimesh *mesh = triangles_of(&all[i].shape);
        sp_rigid_mass of_mesh = mass_of(NULL, 0, mesh, 7);
        // inscribed polygons of 48 and 24 sides: (2 pi / 48)2 / 6 and four times that, of area; twice that of second moments. The
        // triangles of a box are the box
        check_same(&of_mesh, &exact, all[i].shape.type == SP_BOX ? 1e-14 : 0.03);
        sp_trimesh_destroy(&mesh);
    }
    sp_context_destroy(&ctx);
}

// a tetrahedron far from the origin, turned: the inertia of the corner 0, e1, e2, e3 is m/80 (6 - 2 on the diagonal ...)
TEST(polyhedra) {
    sp_context_create(NULL, &ctx);
    const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    sp_trimesh_def def = sp_trimesh_def_default();
    sp_trimesh *corner, *moved;
    def.positions = x, def.vertex_count = 4, def.faces = faces, def.face_count = 4;
    CHECK_INT(sp_trimesh_create(ctx, &def, &corner), SP_OK);
    sp_rigid_mass m = mass_of(NULL, 0, corner, 6), exact = {.mass = 1, .volume = 1.0 / 6, .centre = {0.25, 0.25, 0.25}};
    // second moments about the centre: 3/80 on the diagonal, -1/80 beside it
    for (int i = 0; i < 9; i++) exact.inertia[i] = i % 4 == 0 ? 6.0 / 80 : 1.0 / 80;
    check_same(&m, &exact, 1e-15);
    // moved by 1000 of its size: positions lose three digits
    sp_pose pose = {{1000, -500, 300}, {0.5, 0.5, 0.5, 0.5}};
    CHECK_INT(sp_trimesh_transformed(corner, (const double[3]){1, 1, 1}, &pose, &moved), SP_OK);
    m = mass_of(NULL, 0, moved, 6);
    // this rotation exchanges the axes: the inertia is the same
    for (int k = 0; k < 3; k++) exact.centre[k] += pose.translate[k];
    check_same(&m, &exact, 1e-11);
    sp_trimesh_destroy(&corner), sp_trimesh_destroy(&moved);
    sp_context_destroy(&ctx);
}

// two halves of a box that are placed and turned as parts are the box; mass and inertia can be given
TEST(parts_and_overrides) {
    sp_context_create(NULL, &ctx);
    const double half = sqrt(0.5);
    sp_rigid_shape whole = {SP_BOX, {0.4, 0.2, 0.6}, sp_pose_identity()};
    // the second half is turned by a quarter about y: its x is -z of the body, its z is x
    sp_rigid_shape parts[2] = {{SP_BOX, {0.4, 0.2, 0.3}, sp_pose_identity()},
                               {SP_BOX, {0.3, 0.2, 0.4}, {{0, 0, 0.6}, {half, 0, half, 0}}}};
    sp_rigid_mass one = mass_of(&whole, 1, NULL, 500), two = mass_of(parts, 2, NULL, 500);
    check_same(&two, &one, 1e-14);
    sp_rigid_def def = sp_rigid_def_default();
    def.shapes = parts, def.shape_count = 2, def.mass = 3;
    CHECK_INT(sp_rigid_def_mass(ctx, &def, &two), SP_OK);
    CHECK_NEAR(two.inertia[0], one.inertia[0] * 3 / one.mass, 1e-14);
    const double given[6] = {1, 2, 2.5, 0.1, 0.2, 0.3}, full[9] = {1, 0.1, 0.3, 0.1, 2, 0.2, 0.3, 0.2, 2.5};
    memcpy(def.inertia, given, sizeof given);
    CHECK_INT(sp_rigid_def_mass(ctx, &def, &two), SP_OK);
    CHECK(two.mass == 3 && memcmp(two.inertia, full, sizeof full) == 0);
    CHECK_NEAR(two.centre[2], 0.3, 1e-15);
    sp_context_destroy(&ctx);
}
