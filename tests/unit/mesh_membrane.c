// Meshes of triangles: numbering, areas and orientation of the generators, meshes of surfaces, location, mirror images, cells,
// refusals, and writing.
#include "math/vec3.h"
#include "mesh/mesh_internal.h"
#include "souple/io.h"
#include "test.h"

static sp_context *new_context(void) {
    sp_context *ctx = NULL;
    sp_context_create(NULL, &ctx);
    return ctx;
}

// the area vector of an element
static void area_of(const sp_mesh *mesh, int element, double n[3]) {
    const int *c;
    double u[3], v[3];
    sp_mesh_element(mesh, element, &c);
    const double *x = sp_mesh_positions(mesh);
    for (int k = 0; k < 3; k++) u[k] = x[3 * c[1] + k] - x[3 * c[0] + k], v[k] = x[3 * c[2] + k] - x[3 * c[0] + k];
    for (int k = 0; k < 3; k++) n[k] = 0.5 * (u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3]);
}

// all triangles face along +y; returns the sum of their areas
static double upward_area(const sp_mesh *mesh) {
    double sum = 0, n[3];
    for (int e = 0; e < sp_mesh_element_count(mesh); e++) {
        area_of(mesh, e, n);
        CHECK(n[1] > 0 && n[0] == 0 && n[2] == 0);
        sum += n[1];
    }
    return sum;
}

TEST(sheets_and_discs) {
    sp_context *ctx = new_context();
    sp_mesh *mesh;
    for (int crossed = 0; crossed < 2; crossed++) {
        REQUIRE(sp_mesh_sheet(ctx, (double[]){0.6, 0.4}, (int[]){3, 2}, crossed, &mesh) == SP_OK);
        CHECK_INT(sp_mesh_node_count(mesh), 12 + 6 * crossed);
        CHECK_INT(sp_mesh_element_count(mesh), 12 + 12 * crossed);
        CHECK_NEAR(upward_area(mesh), 0.24, 1e-15);
        CHECK_NEAR(sp_mesh_volume(mesh), 0.24, 1e-15);
        // node i (nz + 1) + l; the far corner lies exactly at the size
        CHECK(sp_mesh_positions(mesh)[3 * 11] == 0.6 && sp_mesh_positions(mesh)[3 * 11 + 2] == 0.4);
        CHECK_NEAR(sp_mesh_positions(mesh)[3 * 4 + 2], 0.2, 1e-15);
        CHECK_INT(sp_mesh_face_count(mesh), sp_mesh_element_count(mesh));
        sp_mesh_destroy(&mesh);
    }
    for (int rings = 1; rings < 5; rings++) {
        REQUIRE(sp_mesh_disc(ctx, 0.5, rings, &mesh) == SP_OK);
        CHECK_INT(sp_mesh_node_count(mesh), 1 + 3 * rings * (rings + 1));
        CHECK_INT(sp_mesh_element_count(mesh), 6 * rings * rings);
        // a regular polygon of 6 n corners
        CHECK_NEAR(upward_area(mesh), 0.125 * 6 * rings * sin(SP_PI / (3 * rings)), 1e-14);
        sp_mesh_destroy(&mesh);
    }
    static const double nan_size[2] = {1, NAN};
    CHECK(sp_mesh_sheet(ctx, nan_size, (int[]){1, 1}, true, &mesh) == SP_BAD_INPUT && !mesh);
    CHECK(sp_mesh_sheet(ctx, (double[]){1, 1}, (int[]){0, 1}, true, &mesh) == SP_BAD_INPUT && !mesh);
    CHECK(sp_mesh_sheet(ctx, (double[]){1, 1}, (int[]){100000, 100000}, true, &mesh) == SP_BAD_INPUT && !mesh);
    CHECK(sp_mesh_disc(ctx, -1, 2, &mesh) == SP_BAD_INPUT && !mesh);
    CHECK(sp_mesh_disc(ctx, 1, 0, &mesh) == SP_BAD_INPUT && !mesh);
    sp_context_destroy(&ctx);
}

// The cell of a triangle has its last node twice; every face has a cell.
TEST(cells_of_triangles) {
    sp_context *ctx = new_context();
    sp_mesh *mesh;
    double integrals[3];
    REQUIRE(sp_mesh_disc(ctx, 1, 2, &mesh) == SP_OK);
    CHECK_INT(sp_mesh_cell_count(mesh), sp_mesh_element_count(mesh));
    CHECK(!sp_mesh_tets(mesh));
    for (int e = 0; e < sp_mesh_element_count(mesh); e++) {
        const int *nodes, *cell = sp_mesh_cells(mesh) + 4 * e;
        CHECK_INT(sp_mesh_element(mesh, e, &nodes), SP_ELEMENT_TRI3);
        CHECK(cell[0] == nodes[0] && cell[1] == nodes[1] && cell[2] == nodes[2] && cell[3] == nodes[2]);
        CHECK_INT(sp__mesh_face_cell(mesh, e), e);
        sp_mesh_element_integrals(mesh, e, integrals);
        double n[3];
        area_of(mesh, e, n);
        for (int a = 0; a < 3; a++) CHECK_NEAR(integrals[a], n[1] / 3, 1e-15);
    }
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

// The nearest triangle; how far a point is away counts in sizes of the triangle.
TEST(points_on_and_beside_a_sheet) {
    sp_context *ctx = new_context();
    sp_mesh *mesh;
    int element, cell;
    double at[3], x[3];
    REQUIRE(sp_mesh_sheet(ctx, (double[]){1, 1}, (int[]){4, 4}, false, &mesh) == SP_OK);
    const double on[3] = {0.3, 0, 0.4}, above[3] = {0.3, 0.05, 0.4}, beside[3] = {1.2, 0, 0.4};
    CHECK(sp_mesh_locate(mesh, on, &element, at) >= 0);
    sp_mesh_element_point(mesh, element, at, x);
    for (int k = 0; k < 3; k++) CHECK_NEAR(x[k], on[k], 1e-15);
    // the leg of a triangle is 1/4
    CHECK_NEAR(sp_mesh_locate_cell(mesh, above, &cell, at), -0.05 / 0.25, 1e-12);
    CHECK_INT(cell, element);
    sp_mesh_element_point(mesh, cell, at, x);
    CHECK_NEAR(x[1], 0, 1e-15);
    CHECK_NEAR(sp_mesh_locate(mesh, beside, &element, at), -0.2 / 0.25, 1e-12);
    sp_mesh_element_point(mesh, element, at, x);
    CHECK_NEAR(x[0], 1, 1e-15);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

// A mirror image keeps its front: the image of the upper side is the upper side.
TEST(mirror_images_keep_their_front) {
    sp_context *ctx = new_context();
    sp_mesh *mesh, *image;
    REQUIRE(sp_mesh_sheet(ctx, (double[]){1, 1}, (int[]){2, 2}, false, &mesh) == SP_OK);
    REQUIRE(sp_mesh_transformed(mesh, (double[]){-1, 1, 1}, NULL, &image) == SP_OK);
    CHECK_NEAR(upward_area(image), 1, 1e-15);
    sp_mesh_destroy(&mesh), sp_mesh_destroy(&image);
    sp_context_destroy(&ctx);
}

TEST(meshes_of_surfaces) {
    sp_context *ctx = new_context();
    sp_mesh *ball, *mesh;
    sp_trimesh *skin;
    REQUIRE(sp_mesh_sphere(ctx, (double[]){1, 1, 1}, 2, &ball) == SP_OK);
    REQUIRE(sp_mesh_boundary(ball, &skin) == SP_OK);
    REQUIRE(sp_mesh_of_triangles(skin, &mesh) == SP_OK);
    sp_trimesh_def def;
    sp_trimesh_get(skin, &def);
    CHECK_INT(sp_mesh_node_count(mesh), def.vertex_count);
    CHECK_INT(sp_mesh_element_count(mesh), def.face_count);
    CHECK_INT(sp_mesh_face_count(mesh), def.face_count);
    CHECK(memcmp(sp_mesh_faces(mesh), def.faces, 3 * (size_t)def.face_count * sizeof(int)) == 0);
    CHECK(sp_mesh_array_named(mesh, "node"));
    sp_trimesh_destroy(&skin), sp_mesh_destroy(&mesh), sp_mesh_destroy(&ball);
    // a vertex without a triangle
    const double x[12] = {0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 2, 2};
    const int face[3] = {0, 1, 2};
    def = sp_trimesh_def_default();
    def.vertex_count = 4, def.positions = x, def.face_count = 1, def.faces = face;
    REQUIRE(sp_trimesh_create(ctx, &def, &skin) == SP_OK);
    CHECK(sp_mesh_of_triangles(skin, &mesh) == SP_BAD_INPUT && !mesh);
    CHECK(strstr(sp_context_error(ctx)->message, "vertex 3"));
    sp_trimesh_destroy(&skin);
    sp_context_destroy(&ctx);
}

TEST(refused_triangles) {
    sp_context *ctx = new_context();
    sp_mesh *mesh;
    const double x[15] = {0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 0, 0, 0, 1, 0};
    const int one[3] = {0, 1, 2}, flat[3] = {0, 1, 3}, twice[3] = {0, 1, 1}, two[7] = {0, 1, 2, 0, 1, 2, 4};
    const sp_element_type types[2] = {SP_ELEMENT_TRI3, SP_ELEMENT_TET4};
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = 3, def.positions = x, def.element_count = 1, def.element_types = types, def.element_nodes = one;
    CHECK(sp_mesh_create(ctx, &def, &mesh) == SP_OK);
    sp_mesh *finer;
    CHECK(sp_mesh_refined(mesh, 1, &finer) == SP_BAD_INPUT && !finer);
    CHECK(strstr(sp_context_error(ctx)->message, "is a triangle, must be a linear tetrahedron"));
    CHECK(sp_mesh_order2(mesh, NULL, NULL, &finer) == SP_BAD_INPUT && !finer);
    sp_mesh_destroy(&mesh);
    def.node_count = 5, def.element_nodes = flat;
    CHECK(sp_mesh_create(ctx, &def, &mesh) == SP_BAD_INPUT && strstr(sp_context_error(ctx)->message, "has no area"));
    def.element_nodes = twice;
    CHECK(sp_mesh_create(ctx, &def, &mesh) == SP_BAD_INPUT && strstr(sp_context_error(ctx)->message, "names node 1 twice"));
    def.element_nodes = two, def.element_count = 2;
    CHECK(sp_mesh_create(ctx, &def, &mesh) == SP_BAD_INPUT && strstr(sp_context_error(ctx)->message, "cannot be in one mesh"));
    sp_context_destroy(&ctx);
}
