// Triangle surfaces: refusals, copies, boundaries of meshes, transforms, subdivision.
#include "core/core.h"
#include "meter.h"
#include "souple/mesh.h"
#include "test.h"
#include "trimesh_help.h"

static sp_context *new_context(void) {
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    def.workers = 1;
    sp_context_create(&def, &ctx);
    return ctx;
}

static sp_status create(sp_context *ctx, const sp_trimesh_def *def) {
    sp_trimesh *s = (sp_trimesh *)1;
    sp_status status = sp_trimesh_create(ctx, def, &s);
    CHECK((status < 0) == (s == NULL));
    sp_trimesh_destroy(&s);
    return status;
}

static bool says(const sp_context *ctx, const char *text) {
    return strstr(sp_context_error(ctx)->message, text) != NULL;
}

TEST(refuses_bad_numbers) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    sp_trimesh_def d = octahedron();
    d.cookie = 0;
    CHECK_INT(create(ctx, &d), SP_BAD_INPUT);
    d = octahedron(), d.vertex_count = 5;  // faces refer to vertex 5
    CHECK_INT(create(ctx, &d), SP_BAD_INPUT);
    CHECK(says(ctx, "vertex index 5, must be in [0, 4]"));
    d = octahedron(), d.face_count = 0;
    CHECK_INT(create(ctx, &d), SP_BAD_INPUT);
    d = octahedron(), d.faces = NULL;
    CHECK_INT(create(ctx, &d), SP_BAD_INPUT);
    double x[18];
    memcpy(x, octa_x, sizeof x);
    x[7] = NAN;
    d = octahedron(), d.positions = x;
    CHECK_INT(create(ctx, &d), SP_NOT_FINITE);
    CHECK(says(ctx, "vertex 2"));
    double colors[24] = {0};
    colors[9] = 1.5;
    d = octahedron(), d.colors = colors;
    CHECK_INT(create(ctx, &d), SP_BAD_INPUT);
    CHECK(says(ctx, "[0, 1]"));
    double uv[4] = {0};
    d = octahedron(), d.texcoord_count = 2, d.texcoords = uv;  // fewer than vertices, and no indices of corners
    CHECK_INT(create(ctx, &d), SP_BAD_INPUT);
    d.face_texcoords = octa_faces;
    CHECK_INT(create(ctx, &d), SP_BAD_INPUT);
    CHECK(says(ctx, "must be in [-1, 1]"));
    d = octahedron(), d.normal_count = 3;
    CHECK_INT(create(ctx, &d), SP_BAD_INPUT);
    d = octahedron(), d.group_count = 1;
    CHECK_INT(create(ctx, &d), SP_BAD_INPUT);
    sp_context_destroy(&ctx);
}

// all optional attributes of a surface
static const double uv[8] = {0, 0, 1, 0, 1, 1, 0, 1};
static const int uv_corners[24] = {0, 1, 2, 0, 1, 2, -1, -1, -1, 0, 1, 2, 0, 2, 3, 0, 2, 3, 1, 2, 3, 0, -1, 2};
static const int group_faces[2] = {1, 7}, group_nodes[3] = {0, 2, 4};
static const double heights[6] = {0, 0, 0, 0, 1, -1}, numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
static double colors[24];

static sp_trimesh_def laden(void) {
    static const sp_mesh_group groups[1] = {{"patch", group_faces, 2, group_nodes, 3}};
    static const sp_mesh_array arrays[2] = {{"height", heights, false}, {"number", numbers, true}};
    sp_trimesh_def d = octahedron();
    for (int i = 0; i < 24; i++) colors[i] = i % 4 == 3 ? 1 : i / 24.0;
    d.texcoord_count = 4, d.texcoords = uv, d.face_texcoords = uv_corners;
    d.normal_count = 6, d.normals = octa_x;  // of the sphere through the vertices
    d.colors = colors;
    d.groups = groups, d.group_count = 1, d.arrays = arrays, d.array_count = 2;
    return d;
}

TEST(all_attributes_are_kept) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    sp_trimesh_def d = laden(), got;
    sp_trimesh *s;
    REQUIRE(sp_trimesh_create(ctx, &d, &s) == SP_OK);
    CHECK(sp_trimesh_context(s) == ctx);
    sp_trimesh_get(s, &got);
    CHECK(got.cookie == d.cookie && got.positions != d.positions && got.face_normals == NULL);
    CHECK(!memcmp(got.positions, octa_x, sizeof octa_x) && !memcmp(got.faces, octa_faces, sizeof octa_faces));
    CHECK(!memcmp(got.texcoords, uv, sizeof uv) && !memcmp(got.face_texcoords, uv_corners, sizeof uv_corners));
    CHECK(!memcmp(got.normals, octa_x, sizeof octa_x) && !memcmp(got.colors, colors, sizeof colors));
    REQUIRE(got.group_count == 1 && got.array_count == 2);
    CHECK(!strcmp(got.groups[0].name, "patch") && got.groups[0].elements[1] == 7 && got.groups[0].nodes[2] == 4);
    CHECK(!strcmp(got.arrays[1].name, "number") && got.arrays[1].on_elements && got.arrays[1].values[7] == 7);
    sp_trimesh_destroy(&s);
    CHECK(s == NULL);
    sp_trimesh_destroy(&s);
    sp_trimesh_destroy(NULL);
    sp_context_destroy(&ctx);
}

TEST(boundary_of_a_mesh) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    sp_mesh *box = NULL, *mesh = NULL;
    REQUIRE(sp_mesh_box(ctx, (double[]){1, 2, 3}, (int[]){3, 3, 3}, 6, &box) == SP_OK);
    // the same with groups and arrays; the first element of the middle cell has no boundary face
    const int inner[1] = {6 * (9 + 3 + 1)}, corner[2] = {0, 21}, all_nodes[2] = {0, 63};
    double per_node[64], per_tet[162];
    for (int i = 0; i < 64; i++) per_node[i] = i;
    for (int i = 0; i < 162; i++) per_tet[i] = i;
    const sp_mesh_group groups[2] = {{"inner", inner, 1, NULL, 0}, {"ends", corner, 1, all_nodes, 2}};
    const sp_mesh_array arrays[2] = {{"n", per_node, false}, {"t", per_tet, true}};
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = 64, def.positions = sp_mesh_positions(box), def.element_count = 162, def.element_nodes = sp_mesh_tets(box);
    def.groups = groups, def.group_count = 2, def.arrays = arrays, def.array_count = 2;
    REQUIRE(sp_mesh_create(ctx, &def, &mesh) == SP_OK);
    CHECK(sp_mesh_context(mesh) == ctx);
    sp_trimesh *s = NULL;
    sp_trimesh_def d;
    REQUIRE(sp_mesh_boundary(mesh, &s) == SP_OK);
    sp_trimesh_get(s, &d);
    CHECK_INT(d.vertex_count, 64 - 8);
    CHECK_INT(d.face_count, 6 * 9 * 2);
    CHECK(surface_closed(&d));
    CHECK_NEAR(surface_volume(&d), 6, 1e-14);  // 108 roundings of terms of at most 1
    REQUIRE(d.group_count == 1 && d.array_count == 3);
    CHECK(!strcmp(d.groups[0].name, "ends") && d.groups[0].node_count == 2 && d.groups[0].element_count > 0);
    CHECK(!strcmp(d.arrays[0].name, "node"));
    for (int v = 0; v < d.vertex_count; v++) {
        int node = (int)d.arrays[0].values[v];
        CHECK(!memcmp(d.positions + 3 * v, sp_mesh_positions(mesh) + 3 * node, 3 * sizeof(double)));
        CHECK(d.arrays[1].values[v] == node);
    }
    for (int i = 0; i < d.groups[0].element_count; i++) CHECK(d.arrays[2].values[d.groups[0].elements[i]] == 0);
    sp_trimesh_destroy(&s);
    sp_mesh_destroy(&mesh);
    sp_mesh_destroy(&box);
    sp_context_destroy(&ctx);
}

TEST(transforms_keep_the_orientation) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    sp_trimesh_def d = laden(), got;
    sp_trimesh *s, *t;
    sp_pose pose = {{1, 2, 3}, {0.6, 0.8, 0, 0}};
    REQUIRE(sp_trimesh_create(ctx, &d, &s) == SP_OK);
    REQUIRE(sp_trimesh_transformed(s, (double[]){-2, 1, 3}, &pose, &t) == SP_OK);
    sp_trimesh_get(t, &got);
    // a mirror image has a positive volume again: 4/3 times 6
    CHECK_NEAR(surface_volume(&got), 8, 1e-13);
    CHECK(surface_closed(&got));
    for (int i = 0; i < 6; i++) {
        double out[3];
        sp__sub3(got.positions + 3 * i, pose.translate, out);
        CHECK(sp__dot3(out, got.normals + 3 * i) > 0);
        CHECK_NEAR(sp__norm3(got.normals + 3 * i), 1, 1e-15);
    }
    // corners are permuted with their texture coordinates
    CHECK(got.faces[1] == octa_faces[2] && got.face_texcoords[1] == uv_corners[2]);
    sp_trimesh_destroy(&t);
    CHECK_INT(sp_trimesh_transformed(s, (double[]){0, 1, 1}, NULL, &t), SP_BAD_INPUT);
    REQUIRE(sp_trimesh_transformed(s, NULL, NULL, &t) == SP_OK);
    sp_trimesh_get(t, &got);
    CHECK(!memcmp(got.positions, octa_x, sizeof octa_x));
    sp_trimesh_destroy(&t);
    sp_trimesh_destroy(&s);
    sp_context_destroy(&ctx);
}

// ---------------------------------------------------------------------------------------------------- subdivision

static sp_trimesh *divided(sp_context *ctx, const sp_trimesh_def *d, int times, bool smooth, double crease, sp_trimesh_def *got) {
    sp_trimesh *s = NULL, *t = NULL;
    if (sp_trimesh_create(ctx, d, &s) == SP_OK && sp_trimesh_subdivided(s, times, smooth, crease, &t) == SP_OK)
        sp_trimesh_get(t, got);
    sp_trimesh_destroy(&s);
    return t;
}

TEST(plain_subdivision_changes_only_the_counts) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    sp_trimesh_def d = laden(), got;
    sp_trimesh *s = divided(ctx, &d, 2, false, 0, &got);
    REQUIRE(s);
    CHECK_INT(got.face_count, 8 * 16);
    CHECK_INT(got.vertex_count, 66);  // Euler: V = 2 + F / 2
    CHECK(surface_closed(&got));
    CHECK_NEAR(surface_volume(&got), 4.0 / 3, 1e-15);
    CHECK_NEAR(surface_area(&got), surface_area(&d), 1e-13);  // 128 roundings
    CHECK(!memcmp(got.positions, octa_x, sizeof octa_x));
    REQUIRE(got.group_count == 1 && got.array_count == 2);
    CHECK_INT(got.groups[0].element_count, 32);
    for (int i = 0; i < 32; i++) {
        double number = got.arrays[1].values[got.groups[0].elements[i]];
        CHECK(number == 1 || number == 7);
    }
    // the group's three nodes are the corners of one face: after two levels the 15 nodes of that face
    CHECK_INT(got.groups[0].node_count, 15);
    for (int i = 0; i < got.vertex_count; i++) CHECK_NEAR(got.arrays[0].values[i], got.positions[3 * i + 2], 1e-15);
    CHECK(got.texcoords && got.face_texcoords && got.colors && got.normals && !got.face_normals);
    for (int i = 0; i < got.normal_count; i++) CHECK_NEAR(sp__norm3(got.normals + 3 * i), 1, 1e-15);
    // corners without texture coordinates: all of face 2, and those next to corner 1 of face 7
    int none = 0;
    for (int i = 0; i < 3 * got.face_count; i++) none += got.face_texcoords[i] < 0;
    CHECK(none > 48 && none < 96);
    for (int i = 0; i < got.texcoord_count; i++) CHECK(got.texcoords[2 * i] >= 0 && got.texcoords[2 * i] <= 1);
    sp_trimesh_destroy(&s);
    sp_context_destroy(&ctx);
}

// Loop 1987: an old vertex of valence n gets 1 - n beta of itself, beta = (5/8 - (3/8 + cos(2 pi/n)/4)^2) / n, an edge 3/8 of its
// ends and 1/8 of the opposite vertices. Valence 4: beta = 31/256. The limit is (3/(8 beta) v + sum) / (3/(8 beta) + n).
TEST(loop_masks) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    sp_trimesh_def d = octahedron(), got;
    sp_trimesh *s = divided(ctx, &d, 1, true, 180, &got);
    REQUIRE(s);
    CHECK_INT(got.vertex_count, 18);
    CHECK_NEAR(got.positions[0], 1 - 4 * 31.0 / 256, 1e-15);
    int found = 0;
    for (int i = 6; i < 18; i++) {
        const double *x = got.positions + 3 * i;
        found += fabs(x[0] - 0.375) < 1e-15 && fabs(x[1] - 0.375) < 1e-15 && x[2] == 0;
    }
    CHECK_INT(found, 1);
    sp_trimesh_destroy(&s);
    s = divided(ctx, &d, 5, true, 180, &got);
    REQUIRE(s);
    // the distance to the limit shrinks by 5/8 - 4 beta = 0.141 per level: 0.56 of it at first, 3.1e-5 after five
    CHECK_NEAR(got.positions[0], 96.0 / 220, 4e-5);
    CHECK_INT(got.vertex_count, 2 + got.face_count / 2);
    sp_trimesh_destroy(&s);
    // valence 3: beta = 3/16
    static const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    d.vertex_count = 4, d.positions = x, d.face_count = 4, d.faces = faces;
    s = divided(ctx, &d, 1, true, 180, &got);
    REQUIRE(s);
    for (int k = 0; k < 3; k++) CHECK_NEAR(got.positions[k], 3.0 / 16, 1e-15);
    CHECK(surface_closed(&got));
    sp_trimesh_destroy(&s);
    sp_context_destroy(&ctx);
}

TEST(creases_and_boundaries) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    sp_trimesh_def d = cube(), got;
    // a cube's edges bend by 90 degrees: kept below, rounded above
    sp_trimesh *s = divided(ctx, &d, 3, true, 60, &got);
    REQUIRE(s);
    CHECK(surface_closed(&got));
    CHECK_NEAR(surface_volume(&got), 1, 1e-14);
    CHECK_NEAR(surface_area(&got), 6, 1e-13);
    CHECK(!got.normals);
    sp_trimesh_destroy(&s);
    s = divided(ctx, &d, 2, true, 120, &got);
    REQUIRE(s);
    CHECK(surface_closed(&got));
    CHECK(surface_volume(&got) < 0.7);
    sp_trimesh_destroy(&s);
    // an open square: the corner moves by the cubic spline, 3/4 of itself and 1/8 of each neighbour along the border
    static const double x[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    static const int faces[6] = {0, 1, 2, 0, 2, 3};
    d.vertex_count = 4, d.positions = x, d.face_count = 2, d.faces = faces;
    s = divided(ctx, &d, 1, true, 60, &got);
    REQUIRE(s);
    CHECK(got.positions[0] == 0.125 && got.positions[1] == 0.125);
    CHECK(got.positions[3] == 0.875 && got.positions[4] == 0.125);
    sp_trimesh_destroy(&s);
    sp_context_destroy(&ctx);
}

TEST(subdivision_limits) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    sp_trimesh_def d = octahedron(), got;
    sp_trimesh *s, *t;
    REQUIRE(sp_trimesh_create(ctx, &d, &s) == SP_OK);
    CHECK_INT(sp_trimesh_subdivided(s, 7, false, 0, &t), SP_BAD_INPUT);
    CHECK(t == NULL && says(ctx, "[0, 6]"));
    CHECK_INT(sp_trimesh_subdivided(s, -1, false, 0, &t), SP_BAD_INPUT);
    CHECK_INT(sp_trimesh_subdivided(s, 1, true, 181, &t), SP_BAD_INPUT);
    CHECK_INT(sp_trimesh_subdivided(s, 0, true, 30, &t), SP_OK);
    sp_trimesh_get(t, &got);
    CHECK(got.face_count == 8 && !memcmp(got.positions, octa_x, sizeof octa_x));
    sp_trimesh_destroy(&t);
    sp_trimesh_destroy(&s);
    sp_context_destroy(&ctx);
}

static sp_status make_all(sp_context *ctx) {
    sp_trimesh_def d = laden();
    sp_trimesh *s = NULL, *t = NULL, *u = NULL, *b = NULL;
    sp_mesh *mesh = NULL;
    sp_status status = sp_trimesh_create(ctx, &d, &s);
    if (status == SP_OK) status = sp_trimesh_subdivided(s, 2, true, 30, &t);
    if (status == SP_OK) status = sp_trimesh_transformed(s, (double[]){-1, 1, 1}, NULL, &u);
    if (status == SP_OK) status = sp_mesh_box(ctx, (double[]){1, 1, 1}, (int[]){1, 1, 1}, 5, &mesh);
    if (status == SP_OK) status = sp_mesh_boundary(mesh, &b);
    sp_trimesh_destroy(&s), sp_trimesh_destroy(&t), sp_trimesh_destroy(&u), sp_trimesh_destroy(&b);
    sp_mesh_destroy(&mesh);
    return status;
}

TEST(every_allocation_may_fail) {
    for (long n = 1;; n++) {
        meter m = {.allowed = n};
        sp_context_def def = metered_context(&m);
        sp_context *ctx = NULL;
        if (sp_context_create(&def, &ctx) < 0) continue;
        sp_status status = make_all(ctx);
        if (status < 0) CHECK(status == SP_NO_MEMORY && sp_context_error(ctx)->status == SP_NO_MEMORY);
        sp_context_destroy(&ctx);
        CHECK_INT(m.live, 0);
        if (status == SP_OK) break;
        REQUIRE(n < 1000);
    }
}
