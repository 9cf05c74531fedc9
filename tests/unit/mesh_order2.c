// Quadratic tetrahedra from linear ones: numbers, middles of edges, groups and arrays, and curved boundaries. A ball whose
// boundary nodes lie on the sphere: its volume converges with the fourth power of the cell size, that of flat faces with the
// second.
#include "math/vec3.h"
#include "mesh/mesh_internal.h"
#include "mesh_help.h"
#include "meter.h"

static const int edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

TEST(a_node_in_the_middle_of_each_edge) {
    sp_context *ctx = mesh_context();
    sp_mesh *mesh = rich_box(ctx, (const int[]){2, 1, 1}, false), *quadratic = NULL;
    REQUIRE(mesh);
    REQUIRE(sp_mesh_order2(mesh, NULL, NULL, &quadratic) == SP_OK);
    int nodes = sp_mesh_node_count(mesh), elements = sp_mesh_element_count(mesh);
    // Euler: a ball has nodes - edges + faces - elements = 1, and 4 elements = 2 faces - boundary faces
    int faces = (4 * elements + sp_mesh_face_count(mesh)) / 2;
    CHECK_INT(sp_mesh_node_count(quadratic), nodes + nodes + faces - elements - 1);
    CHECK_INT(sp_mesh_element_count(quadratic), elements);
    CHECK_INT(sp_mesh_face_count(quadratic), 4 * sp_mesh_face_count(mesh));
    CHECK(same_bits(sp_mesh_positions(mesh), sp_mesh_positions(quadratic), 3 * (size_t)nodes * sizeof(double)));
    CHECK(same_bits(sp_mesh_node_ids(mesh), sp_mesh_node_ids(quadratic), (size_t)nodes * sizeof(int64_t)));
    CHECK(same_bits(sp_mesh_element_ids(mesh), sp_mesh_element_ids(quadratic), (size_t)elements * sizeof(int64_t)));
    const double *x = sp_mesh_positions(quadratic);
    const int *n;
    for (int e = 0; e < elements; e++) {
        CHECK(sp_mesh_element(quadratic, e, &n) == SP_ELEMENT_TET10);
        CHECK(memcmp(n, sp_mesh_tets(mesh) + 4 * e, 4 * sizeof *n) == 0);
        for (int i = 0; i < 18; i++)
            CHECK(x[3 * n[4 + i / 3] + i % 3] ==
                  0.5 * x[3 * n[edges[i / 3][0]] + i % 3] + 0.5 * x[3 * n[edges[i / 3][1]] + i % 3]);
    }
    CHECK_NEAR(sp_mesh_volume(quadratic), sp_mesh_volume(mesh), 1e-15);  // 12 elements of a tenth
    sp_mesh_destroy(&mesh), sp_mesh_destroy(&quadratic);
    sp_context_destroy(&ctx);
}

TEST(groups_and_arrays_follow) {
    sp_context *ctx = mesh_context();
    sp_mesh *mesh = rich_box(ctx, (const int[]){2, 2, 2}, false), *quadratic = NULL;
    REQUIRE(mesh && sp_mesh_order2(mesh, NULL, NULL, &quadratic) == SP_OK);
    const sp_mesh_group *before = sp_mesh_group_named(mesh, "left side"), *after = sp_mesh_group_named(quadratic, "left side");
    REQUIRE(before && after);
    CHECK_INT(after->element_count, before->element_count);
    // all nodes of its elements
    unsigned char *in = calloc((size_t)sp_mesh_node_count(quadratic), 1);
    for (int i = 0; i < after->node_count; i++) in[after->nodes[i]] = 1;
    for (int i = 0; i < after->element_count; i++) {
        const int *n;
        sp_mesh_element(quadratic, after->elements[i], &n);
        for (int k = 0; k < 10; k++) CHECK(in[n[k]]);
    }
    free(in);
    const sp_mesh_array *values = sp_mesh_array_named(quadratic, "v.x"), *own = sp_mesh_array_named(quadratic, "E");
    REQUIRE(values && own && own->on_elements);
    const int *n;
    sp_mesh_element(quadratic, 5, &n);
    for (int e = 0; e < 6; e++)
        CHECK(values->values[n[4 + e]] == 0.5 * values->values[n[edges[e][0]]] + 0.5 * values->values[n[edges[e][1]]]);
    CHECK(own->values[5] == sp_mesh_array_named(mesh, "E")->values[5]);
    sp_mesh_destroy(&mesh), sp_mesh_destroy(&quadratic);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ curved boundaries

static void on_unit_sphere(const void *user, const double a[3], const double b[3], double x[3]) {
    (void)user, (void)a, (void)b;
    double length = sp__norm3(x);
    for (int k = 0; k < 3; k++) x[k] /= length;
}

TEST(the_volume_of_a_curved_ball_converges_with_the_fourth_power) {
    sp_context *ctx = mesh_context();
    double error[2][2];  // flat, curved; coarse, fine
    for (int fine = 0; fine < 2; fine++) {
        sp_mesh *ball = NULL, *curved = NULL;
        REQUIRE(sp_mesh_sphere(ctx, (const double[]){1, 1, 1}, fine ? 8 : 4, &ball) == SP_OK);
        REQUIRE(sp_mesh_order2(ball, on_unit_sphere, NULL, &curved) == SP_OK);
        error[0][fine] = fabs(sp_mesh_volume(ball) - 4 * SP_PI / 3);
        error[1][fine] = fabs(sp_mesh_volume(curved) - 4 * SP_PI / 3);
        for (size_t i = 0; i < 3 * (size_t)sp_mesh_face_count(curved); i++)
            CHECK_NEAR(sp__norm3(sp_mesh_positions(curved) + 3 * sp_mesh_faces(curved)[i]), 1, 1e-15);
        sp_mesh_destroy(&ball), sp_mesh_destroy(&curved);
    }
    // measured 1.991 and 3.995: the rest are terms of the next order, smaller by the square of the cell size
    CHECK_NEAR(log2(error[0][0] / error[0][1]), 2, 0.02);
    CHECK_NEAR(log2(error[1][0] / error[1][1]), 4, 0.02);
    CHECK(error[1][1] < 1e-2 * error[0][1]);
    sp_context_destroy(&ctx);
}

static void far_away(const void *user, const double a[3], const double b[3], double x[3]) {
    (void)a, (void)b;
    // one edge only, of two elements: the one along x through the origin
    if (x[1] == 0 && x[2] == 0 && x[0] < 1) x[2] = *(const double *)user;
}

// a node that would turn an element inside out stays in the middle, and so do the other nodes of the element
TEST(edges_stay_straight_where_elements_would_be_inverted) {
    sp_context *ctx = mesh_context();
    sp_mesh *box = NULL, *out = NULL;
    REQUIRE(sp_mesh_box(ctx, (const double[]){2, 1, 1}, (const int[]){2, 1, 1}, 6, &box) == SP_OK);
    for (int i = 0; i < 2; i++) {
        double to = i ? 0.7 : -0.1;
        int bulged = 0;
        REQUIRE(sp_mesh_order2(box, far_away, &to, &out) == SP_OK);
        for (int n = 0; n < sp_mesh_node_count(out); n++) {
            const double *x = sp_mesh_positions(out) + 3 * n;
            bulged += x[0] == 0.5 && x[1] == 0 && x[2] == to;
        }
        CHECK_INT(bulged, !i);
        sp_mesh_destroy(&out);
    }
    sp_mesh_destroy(&box);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ refusals, memory

TEST(only_linear_tetrahedra) {
    sp_context *ctx = mesh_context();
    sp_mesh *box = NULL, *once = NULL, *twice = NULL;
    REQUIRE(sp_mesh_box(ctx, (const double[]){1, 1, 1}, (const int[]){1, 1, 1}, 5, &box) == SP_OK);
    REQUIRE(sp_mesh_order2(box, NULL, NULL, &once) == SP_OK);
    CHECK(sp_mesh_order2(once, NULL, NULL, &twice) == SP_BAD_INPUT && !twice);
    CHECK(strstr(sp_context_error(ctx)->message, "element 0 is a quadratic tetrahedron, must be a linear tetrahedron to become"));
    sp_mesh_destroy(&box), sp_mesh_destroy(&once);
    sp_context_destroy(&ctx);
}

TEST(every_allocation_may_fail) {
    meter counts = {1000000, 0};
    sp_context_def def = metered_context(&counts);
    sp_context *ctx;
    REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
    sp_mesh *mesh = rich_box(ctx, (const int[]){1, 1, 1}, false), *out;
    REQUIRE(mesh);
    long before = counts.live;
    sp_status status = SP_NO_MEMORY;
    int n = 0;
    for (; n < 1000 && status == SP_NO_MEMORY; n++) {
        counts.allowed = n;
        status = sp_mesh_order2(mesh, NULL, NULL, &out);
        CHECK((status == SP_OK) == (out != NULL));
        sp_mesh_destroy(&out);
        CHECK_INT(counts.live, before);
    }
    CHECK(status == SP_OK && n > 20);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}
