// Creating meshes from arrays: refusals and their messages, copies; the boundary; transforms; locate; memory.
#include "mesh/mesh_internal.h"
#include "test.h"

// hooks that refuse after a number of allocations
typedef struct ledger {
    int blocks, allow;  // allow: allocations left; -1: no limit
} ledger;

static void *ledger_alloc(void *user, size_t size, size_t align) {
    ledger *l = user;
    if (l->allow == 0) return NULL;
    if (l->allow > 0) l->allow--;
    l->blocks++;
    return aligned_alloc(align, size);
}

static void ledger_free(void *user, void *memory, size_t size) {
    (void)size;
    ((ledger *)user)->blocks--;
    free(memory);
}

static sp_context *new_context(ledger *l) {
    sp_context_def def = sp_context_def_default();
    def.workers = 1;
    if (l) def.alloc = ledger_alloc, def.free = ledger_free, def.alloc_user = l;
    sp_context *ctx = NULL;
    sp_context_create(&def, &ctx);
    return ctx;
}

// Two tetrahedra on the face 1 2 3, the second inverted; node 5 belongs to none.
static const double X[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 9, 9, 9};
static const int T[8] = {0, 1, 2, 3, 4, 1, 2, 3};

static sp_mesh_def two_tets(void) {
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = 6, def.positions = X, def.element_count = 2, def.element_nodes = T;
    return def;
}

static sp_status create(sp_context *ctx, const sp_mesh_def *def) {
    sp_mesh *mesh = (sp_mesh *)1;
    sp_status status = sp_mesh_create(ctx, def, &mesh);
    CHECK((status < 0) == (mesh == NULL));
    sp_mesh_destroy(&mesh);
    return status;
}

static bool says(const sp_context *ctx, const char *text) {
    return strstr(sp_context_error(ctx)->message, text) != NULL;
}

TEST(two_tetrahedra) {
    sp_context *ctx = new_context(NULL);
    REQUIRE(ctx);
    sp_mesh_def def = two_tets();
    sp_mesh *mesh;
    REQUIRE(sp_mesh_create(ctx, &def, &mesh) == SP_OK);
    CHECK_INT(sp_mesh_node_count(mesh), 6);
    CHECK_INT(sp_mesh_element_count(mesh), 2);
    CHECK_INT(sp_mesh_face_count(mesh), 6);
    // 1/6 under the face 1 2 3 and 2/6 above it; exact except for the last bit
    CHECK_NEAR(sp_mesh_volume(mesh), 0.5, 1e-15);
    CHECK(sp__mesh_det(mesh, 0) > 0 && sp__mesh_det(mesh, 1) > 0);
    // the given numbers are kept, also for the first two nodes of a reoriented element
    CHECK(sp_mesh_tets(mesh)[4] == 4 && sp_mesh_tets(mesh)[5] == 1);
    CHECK(sp_mesh_node_ids(mesh)[5] == 5 && sp_mesh_element_ids(mesh)[1] == 1);
    double low[3], high[3];
    sp_mesh_bounds(mesh, low, high);
    for (int k = 0; k < 3; k++) CHECK(low[k] == 0 && high[k] == 9);
    sp_mesh_destroy(&mesh);
    CHECK(mesh == NULL);
    sp_mesh_destroy(&mesh);
    sp_mesh_destroy(NULL);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ refusals

TEST(refuses_bad_counts) {
    sp_context *ctx = new_context(NULL);
    REQUIRE(ctx);
    sp_mesh_def def = two_tets();
    def.cookie = 0;
    CHECK_INT(create(ctx, &def), SP_BAD_INPUT);
    def = two_tets(), def.node_count = 3;
    CHECK_INT(create(ctx, &def), SP_BAD_INPUT);
    def = two_tets(), def.node_count = -1;
    CHECK_INT(create(ctx, &def), SP_BAD_INPUT);
    def = two_tets(), def.element_count = 0;
    CHECK_INT(create(ctx, &def), SP_BAD_INPUT);
    def = two_tets(), def.element_count = SP_TETS_MAX + 1;
    CHECK_INT(create(ctx, &def), SP_BAD_INPUT);
    CHECK(says(ctx, "134217728"));
    def = two_tets(), def.element_nodes = NULL;
    CHECK_INT(create(ctx, &def), SP_BAD_INPUT);
    def = two_tets(), def.group_count = 1;
    CHECK_INT(create(ctx, &def), SP_BAD_INPUT);
    def = two_tets(), def.array_count = -2;
    CHECK_INT(create(ctx, &def), SP_BAD_INPUT);
    sp_context_destroy(&ctx);
}

TEST(refuses_bad_numbers_and_names_them) {
    sp_context *ctx = new_context(NULL);
    REQUIRE(ctx);
    static const int64_t node_ids[6] = {10, 20, 30, 40, 50, 60}, tet_ids[2] = {7, 8};
    sp_mesh_def def = two_tets();
    def.node_ids = node_ids, def.element_ids = tet_ids;

    double x[18];
    memcpy(x, X, sizeof x);
    x[3 * 4 + 2] = NAN;
    def.positions = x;
    CHECK_INT(create(ctx, &def), SP_NOT_FINITE);
    CHECK(says(ctx, "node 50"));
    CHECK_INT(sp_context_error(ctx)->index, 50);
    x[3 * 4 + 2] = INFINITY;
    CHECK_INT(create(ctx, &def), SP_NOT_FINITE);

    int t[8];
    memcpy(t, T, sizeof t);
    def.positions = X, def.element_nodes = t;
    t[6] = 6;
    CHECK_INT(create(ctx, &def), SP_BAD_INPUT);
    CHECK(says(ctx, "tetrahedron 8"));
    CHECK_INT(sp_context_error(ctx)->index, 8);
    t[6] = -1;
    CHECK_INT(create(ctx, &def), SP_BAD_INPUT);
    // a node used twice makes a flat element
    t[6] = 1;
    CHECK_INT(create(ctx, &def), SP_BAD_INPUT);
    CHECK(says(ctx, "flat"));

    def.element_nodes = T, def.fix_orientation = false;
    CHECK_INT(create(ctx, &def), SP_BAD_INPUT);
    CHECK(says(ctx, "inverted") && says(ctx, "tetrahedron 8"));
    sp_context_destroy(&ctx);
}

TEST(refuses_flat_elements_at_any_scale) {
    sp_context *ctx = new_context(NULL);
    REQUIRE(ctx);
    static const double scales[] = {1e-9, 1, 1e9};
    for (int s = 0; s < 3; s++)
        for (int far = 0; far < 2; far++) {
            // four points of a slanted plane: coordinates that do not cancel exactly
            double x[12];
            for (int i = 0; i < 4; i++) {
                double u = scales[s] * ((i & 1) * 0.7 + (i == 3) * 0.2113), v = scales[s] * (i >> 1) * 1.3;
                x[3 * i] = u + v / 3 + far * 1e8 * scales[s], x[3 * i + 1] = v - u / 7,
                      x[3 * i + 2] = 0.1 * x[3 * i] + x[3 * i + 1] / 9;
            }
            sp_mesh_def def = sp_mesh_def_default();
            static const int one[4] = {0, 1, 2, 3};
            def.node_count = 4, def.positions = x, def.element_count = 1, def.element_nodes = one;
            CHECK_INT(create(ctx, &def), SP_BAD_INPUT);
            // a thousandth of an edge off the plane: thin, but valid
            x[11] += 1e-3 * scales[s];
            CHECK_INT(create(ctx, &def), SP_OK);
        }
    sp_context_destroy(&ctx);
}

TEST(refuses_duplicate_ids) {
    sp_context *ctx = new_context(NULL);
    REQUIRE(ctx);
    static const int64_t twice[6] = {5, -3, 900000000000, 4, -3, 5}, once[6] = {5, -3, 900000000000, 4, INT64_MIN, INT64_MAX};
    sp_mesh_def def = two_tets();
    def.node_ids = twice;
    CHECK_INT(create(ctx, &def), SP_BAD_INPUT);
    // the first repetition in the given order
    CHECK_INT(sp_context_error(ctx)->index, -3);
    def.node_ids = once;
    CHECK_INT(create(ctx, &def), SP_OK);
    static const int64_t tets[2] = {1, 1};
    def.element_ids = tets;
    CHECK_INT(create(ctx, &def), SP_BAD_INPUT);
    CHECK(says(ctx, "two elements"));
    sp_context_destroy(&ctx);
}

TEST(ids_are_found) {
    sp_context *ctx = new_context(NULL);
    REQUIRE(ctx);
    enum { N = 3000 };
    static int64_t ids[N];
    unsigned long long seed = 3;
    for (int i = 0; i < N; i++) ids[i] = (int64_t)(sp_test_random(&seed) * (i % 2 ? 3e15 : 1e3)) * N + i;
    int *by_id, twice;
    REQUIRE(sp__ids_index(ctx, ids, N, &by_id, &twice) == SP_OK);
    CHECK(by_id != NULL);
    CHECK_INT(twice, -1);
    for (int i = 0; i < N; i++) CHECK_INT(sp__ids_find(ids, by_id, N, ids[i]), i);
    CHECK_INT(sp__ids_find(ids, by_id, N, INT64_MIN), -1);
    sp__free(ctx, by_id);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ groups and arrays

TEST(groups_and_arrays_are_copied) {
    sp_context *ctx = new_context(NULL);
    REQUIRE(ctx);
    char name[] = "wall";
    int elements[1] = {1}, nodes[3] = {4, 1, 2};
    double values[2] = {3, NAN};
    sp_mesh_group groups[2] = {{name, elements, 1, nodes, 3}, {"2", NULL, 0, nodes, 1}};
    sp_mesh_array arrays[1] = {{name, values, true}};
    sp_mesh_def def = two_tets();
    def.groups = groups, def.group_count = 2, def.arrays = arrays, def.array_count = 1;
    sp_mesh *mesh;
    REQUIRE(sp_mesh_create(ctx, &def, &mesh) == SP_OK);
    memset(name, 'x', 4), nodes[0] = 0, elements[0] = 0, values[0] = 0;
    CHECK_INT(sp_mesh_group_count(mesh), 2);
    const sp_mesh_group *g = sp_mesh_group_named(mesh, "wall");
    sp_mesh_group first;
    REQUIRE(g && sp_mesh_group_at(mesh, 0, &first) == SP_OK && first.name == g->name && first.nodes == g->nodes);
    CHECK(g->element_count == 1 && g->elements[0] == 1 && g->node_count == 3 && g->nodes[0] == 4);
    CHECK(sp_mesh_group_named(mesh, "xxxx") == NULL && sp_mesh_group_at(mesh, 2, &first) < 0 &&
          sp_mesh_group_at(mesh, -1, &first) < 0);
    CHECK_INT(sp_mesh_array_count(mesh), 1);
    const sp_mesh_array *a = sp_mesh_array_named(mesh, "wall");
    sp_mesh_array only;
    REQUIRE(a && sp_mesh_array_at(mesh, 0, &only) == SP_OK && only.name == a->name && only.values == a->values);
    CHECK(a->on_elements && a->values[0] == 3 && isnan(a->values[1]));
    CHECK(sp_mesh_array_named(mesh, "none") == NULL && sp_mesh_array_at(mesh, 1, &only) < 0);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

TEST(refuses_bad_groups_and_arrays) {
    sp_context *ctx = new_context(NULL);
    REQUIRE(ctx);
    int bad_element[1] = {2}, bad_node[2] = {0, -1};
    double values[2] = {0, 0};
    sp_mesh_group groups[] = {
        {NULL, NULL, 0, bad_node, 1}, {"empty", NULL, 0, NULL, 0}, {"e", bad_element, 1, NULL, 0},
        {"n", NULL, 0, bad_node, 2},  {"c", NULL, 3, NULL, 0},     {"m", NULL, 0, NULL, -1},
    };
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        sp_mesh_def def = two_tets();
        def.groups = &groups[i], def.group_count = 1;
        CHECK_INT(create(ctx, &def), SP_BAD_INPUT);
    }
    sp_mesh_array arrays[] = {{NULL, values, true}, {"a", NULL, true}};
    for (size_t i = 0; i < 2; i++) {
        sp_mesh_def def = two_tets();
        def.arrays = &arrays[i], def.array_count = 1;
        CHECK_INT(create(ctx, &def), SP_BAD_INPUT);
    }
    size_t bytes;
    sp_context_memory(ctx, &bytes, NULL);
    CHECK_INT(bytes, 0);
    sp_context_destroy(&ctx);
}

TEST(each_refused_allocation_leaks_nothing) {
    static const int64_t ids[6] = {6, 5, 4, 3, 2, 1};
    int nodes[1] = {0}, n = 1;
    double values[6] = {0};
    sp_mesh_group groups[2] = {{"a", NULL, 0, nodes, 1}, {"b", nodes, 1, NULL, 0}};
    sp_mesh_array arrays[2] = {{"a", values, true}, {"b", values, false}};
    for (sp_status status = SP_NO_MEMORY; status != SP_OK; n++) {
        ledger l = {.allow = n};
        sp_context *ctx = new_context(&l);
        REQUIRE(ctx);
        sp_mesh_def def = two_tets();
        def.node_ids = ids, def.groups = groups, def.group_count = 2, def.arrays = arrays, def.array_count = 2;
        sp_mesh *mesh;
        status = sp_mesh_create(ctx, &def, &mesh);
        CHECK(status == SP_OK || (status == SP_NO_MEMORY && !mesh && sp_context_error(ctx)->status == SP_NO_MEMORY));
        sp_mesh_destroy(&mesh);
        CHECK_INT(l.blocks, 1);  // the context only
        // the same call succeeds once there is memory
        l.allow = -1;
        CHECK_INT(create(ctx, &def), SP_OK);
        sp_context_destroy(&ctx);
        CHECK_INT(l.blocks, 0);
        REQUIRE(n < 100);
    }
    CHECK(n > 20);
}

// Generates, transforms and selects; the call whose allocation is refused reports it.
static sp_status use_all(sp_context *ctx) {
    sp_mesh *box = NULL, *moved = NULL;
    int count;
    sp_selection s = sp_selection_default();
    s.on_surface = true;
    sp_status status = sp_mesh_box(ctx, (double[3]){1, 1, 1}, (int[3]){2, 2, 2}, 6, &box);
    if (status == SP_OK) status = sp_mesh_transformed(box, (double[3]){2, 1, 1}, NULL, &moved);
    if (status == SP_OK) status = sp_mesh_select(moved, &s, SP_SELECT_NODES, NULL, 0, &count);
    if (status == SP_OK && count != 26) status = SP_DIVERGED;
    sp_mesh_destroy(&moved);
    sp_mesh_destroy(&box);
    return status;
}

TEST(each_refused_allocation_of_other_functions) {
    int n = 1;
    for (sp_status status = SP_NO_MEMORY; status != SP_OK; n++) {
        ledger l = {.allow = n};
        sp_context *ctx = new_context(&l);
        REQUIRE(ctx);
        status = use_all(ctx);
        CHECK(status == SP_OK || status == SP_NO_MEMORY);
        CHECK_INT(l.blocks, 1);
        l.allow = -1;
        CHECK_INT(use_all(ctx), SP_OK);
        sp_context_destroy(&ctx);
        REQUIRE(n < 200);
    }
    CHECK(n > 30);
}

// ------------------------------------------------------------------------------------------------ transforms

TEST(transformed_keeps_numbers_and_reorients_mirror_images) {
    sp_context *ctx = new_context(NULL);
    REQUIRE(ctx);
    sp_mesh_def def = two_tets();
    static const int64_t ids[6] = {6, 5, 4, 3, 2, 1};
    int nodes[1] = {2};
    sp_mesh_group group = {"g", NULL, 0, nodes, 1};
    def.node_ids = ids, def.groups = &group, def.group_count = 1;
    sp_mesh *mesh, *moved, *same;
    REQUIRE(sp_mesh_create(ctx, &def, &mesh) == SP_OK);
    // a quarter turn about z, then up
    sp_pose pose = {{0, 0, 5}, {sqrt(0.5), 0, 0, sqrt(0.5)}};
    const double scale[3] = {-2, 3, 1};
    REQUIRE(sp_mesh_transformed(mesh, scale, &pose, &moved) == SP_OK);
    CHECK_NEAR(sp_mesh_volume(moved), 6 * sp_mesh_volume(mesh), 1e-14);  // a few roundings of numbers of size 3
    const double *x = sp_mesh_positions(moved) + 3 * 1;                  // (1 0 0) -> (-2 0 0) -> (0 -2 5)
    CHECK_NEAR(x[0], 0, 1e-15);
    CHECK_NEAR(x[1], -2, 1e-15);
    CHECK_NEAR(x[2], 5, 1e-15);
    CHECK(sp_mesh_node_ids(moved)[0] == 6 && sp_mesh_group_named(moved, "g")->nodes[0] == 2);
    REQUIRE(sp_mesh_transformed(mesh, NULL, NULL, &same) == SP_OK);
    CHECK(memcmp(sp_mesh_positions(same), X, sizeof X) == 0);
    sp_mesh_destroy(&same);

    sp_mesh *none;
    CHECK_INT(sp_mesh_transformed(mesh, (double[3]){1, 0, 1}, NULL, &none), SP_BAD_INPUT);
    CHECK(none == NULL);
    CHECK_INT(sp_mesh_transformed(mesh, (double[3]){1, NAN, 1}, NULL, &none), SP_BAD_INPUT);
    pose.quat[0] = 2;
    CHECK_INT(sp_mesh_transformed(mesh, NULL, &pose, &none), SP_BAD_INPUT);
    sp_mesh_destroy(&mesh);
    sp_mesh_destroy(&moved);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ locate

static void point_of(const sp_mesh *mesh, int element, const double w[4], double p[3]) {
    const int *tet = sp_mesh_tets(mesh) + 4 * element;
    for (int k = 0; k < 3; k++) {
        p[k] = 0;
        for (int a = 0; a < 4; a++) p[k] += w[a] * sp_mesh_positions(mesh)[3 * tet[a] + k];
    }
}

TEST(locate_inside) {
    sp_context *ctx = new_context(NULL);
    REQUIRE(ctx);
    sp_mesh *mesh;
    REQUIRE(sp_mesh_sphere(ctx, (double[3]){1, 2, 0.5}, 4, &mesh) == SP_OK);
    unsigned long long seed = 11;
    for (int i = 0; i < 500; i++) {
        int e = (int)((sp_test_random(&seed) + 1) / 2 * sp_mesh_element_count(mesh)), found;
        double w[4], p[3], v[4], back[3], sum = 0;
        for (int a = 0; a < 4; a++) sum += w[a] = 0.05 + fabs(sp_test_random(&seed));
        for (int a = 0; a < 4; a++) w[a] /= sum;
        point_of(mesh, e, w, p);
        double least = sp_mesh_locate(mesh, p, &found, v + 1);
        v[0] = 1 - v[1] - v[2] - v[3];
        CHECK_INT(found, e);
        CHECK(least > 0);
        // weights of well shaped elements: rounding of positions of size 1 over edges of a tenth
        for (int a = 0; a < 4; a++) CHECK_NEAR(v[a], w[a], 1e-13);
        point_of(mesh, found, v, back);
        for (int k = 0; k < 3; k++) CHECK_NEAR(back[k], p[k], 1e-14);
    }
    // a node is located in one of its elements, with weight 1
    for (int n = 0; n < sp_mesh_node_count(mesh); n += 17) {
        int found;
        double v[4];
        const double *x = sp_mesh_positions(mesh) + 3 * n;
        CHECK_NEAR(sp_mesh_locate(mesh, x, &found, v + 1), 0, 1e-13);
        v[0] = 1 - v[1] - v[2] - v[3];
        for (int a = 0; a < 4; a++) CHECK_NEAR(v[a], sp_mesh_tets(mesh)[4 * found + a] == n, 1e-13);
    }
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

TEST(locate_outside) {
    sp_context *ctx = new_context(NULL);
    REQUIRE(ctx);
    sp_mesh *mesh;
    REQUIRE(sp_mesh_box(ctx, (double[3]){1, 1, 1}, (int[3]){2, 2, 2}, 6, &mesh) == SP_OK);
    int found;
    double v[4];
    const double p[3] = {0.2, 0.3, 1.1};
    double least = sp_mesh_locate(mesh, p, &found, v + 1);
    CHECK(least < 0);
    v[0] = 1 - v[1] - v[2] - v[3];
    CHECK_NEAR(least, fmin(fmin(v[0], v[1]), fmin(v[2], v[3])), 1e-15);
    double back[3];
    point_of(mesh, found, v, back);
    for (int k = 0; k < 3; k++) CHECK_NEAR(back[k], p[k], 1e-14);
    // cells of edge 1/2 are 0.2 edges away, and one face of the element is on the boundary
    CHECK_NEAR(least, -0.2, 1e-14);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}
