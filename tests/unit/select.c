// Selections against a brute-force reference that checks every attribute of every item, on random meshes, groups and attributes.
#include "math/vec3.h"
#include "souple/mesh.h"
#include "test.h"

enum { CELLS = 3, NODES = 4 * 4 * 4, TETS = 27 * 6, GROUPS = 3 };

static sp_context *new_context(void) {
    sp_context_def def = sp_context_def_default();
    def.workers = 1;
    sp_context *ctx = NULL;
    sp_context_create(&def, &ctx);
    return ctx;
}

// A box with shuffled ids, a group of elements, a group of nodes and one of both.
static sp_status make(sp_context *ctx, sp_mesh **out) {
    static int64_t node_ids[NODES], tet_ids[TETS];
    static int elements[20], nodes[10];
    sp_mesh *box;
    sp_status status = sp_mesh_box(ctx, (double[3]){3, 3, 3}, (int[3]){CELLS, CELLS, CELLS}, 6, &box);
    if (status < 0) return status;
    for (int i = 0; i < NODES; i++) node_ids[i] = (i * 29) % NODES * 10 - 100;
    for (int i = 0; i < TETS; i++) tet_ids[i] = (i * 31) % TETS + 5000;
    for (int i = 0; i < 20; i++) elements[i] = (i * 7) % TETS;
    for (int i = 0; i < 10; i++) nodes[i] = (i * 13) % NODES;
    sp_mesh_group groups[GROUPS] = {
        {"e", elements, 20, NULL, 0}, {"n", NULL, 0, nodes, 10}, {"en", elements + 5, 3, nodes + 2, 4}};
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = NODES, def.positions = sp_mesh_positions(box), def.node_ids = node_ids;
    def.element_count = TETS, def.element_nodes = sp_mesh_tets(box), def.element_ids = tet_ids;
    def.groups = groups, def.group_count = GROUPS;
    status = sp_mesh_create(ctx, &def, out);
    sp_mesh_destroy(&box);
    return status;
}

// ------------------------------------------------------------------------------------------------ reference

static void place(const sp_mesh *m, bool element, int i, double x[3]) {
    for (int k = 0; k < 3; k++) {
        x[k] = 0;
        for (int a = 0; a < (element ? 4 : 1); a++)
            x[k] += (element ? 0.25 : 1) * sp_mesh_positions(m)[3 * (element ? sp_mesh_tets(m)[4 * i + a] : i) + k];
    }
}

static double distance2(const sp_mesh *m, bool element, int i, const double *p) {
    double x[3];
    place(m, element, i, x);
    return (x[0] - p[0]) * (x[0] - p[0]) + (x[1] - p[1]) * (x[1] - p[1]) + (x[2] - p[2]) * (x[2] - p[2]);
}

static bool is_nearest(const sp_mesh *m, bool element, int i, const double *p) {
    const int64_t *ids = element ? sp_mesh_element_ids(m) : sp_mesh_node_ids(m);
    for (int j = 0; j < (element ? TETS : NODES); j++) {
        double a = distance2(m, element, i, p), b = distance2(m, element, j, p);
        if (b < a || (b == a && ids[j] < ids[i])) return false;
    }
    return true;
}

static bool has(const int *list, int n, int i) {
    for (int k = 0; k < n; k++)
        if (list[k] == i) return true;
    return false;
}

static bool in_group(const sp_mesh *m, bool element, int i, const char *name) {
    const sp_mesh_group *g = sp_mesh_group_named(m, name);
    if (element) return has(g->elements, g->element_count, i);
    for (int e = 0; e < g->element_count; e++)
        if (has(sp_mesh_tets(m) + 4 * g->elements[e], 4, i)) return true;
    return has(g->nodes, g->node_count, i);
}

static bool on_boundary(const sp_mesh *m, bool element, int i) {
    for (int f = 0; f < sp_mesh_face_count(m); f++) {
        const int *face = sp_mesh_faces(m) + 3 * f;
        if (!element && has(face, 3, i)) return true;
        if (element && has(sp_mesh_tets(m) + 4 * i, 4, face[0]) && has(sp_mesh_tets(m) + 4 * i, 4, face[1]) &&
            has(sp_mesh_tets(m) + 4 * i, 4, face[2]))
            return true;
    }
    return false;
}

static bool holds(const sp_mesh *m, const sp_selection *s, bool element, int i) {
    double x[3];
    place(m, element, i, x);
    bool in = true;
    for (int k = 0; k < 3; k++) in = in && (!s->has_box || (x[k] >= s->box[k] && x[k] <= s->box[3 + k]));
    if (s->has_sphere) in = in && distance2(m, element, i, s->sphere) <= s->sphere[3] * s->sphere[3];
    if (s->has_plane) {
        double h = 0, n = 0;
        for (int k = 0; k < 3; k++) h += (x[k] - s->plane[k]) * s->plane[3 + k], n += s->plane[3 + k] * s->plane[3 + k];
        in = in && (s->within > 0 ? fabs(h / sqrt(n)) <= s->within : h / sqrt(n) >= 0);
    }
    if (s->has_near) in = in && is_nearest(m, element, i, s->near);
    if (s->group) in = in && in_group(m, element, i, s->group);
    if (s->ids) {
        bool listed = false;
        for (int k = 0; k < s->id_count; k++)
            listed = listed || s->ids[k] == (element ? sp_mesh_element_ids(m) : sp_mesh_node_ids(m))[i];
        in = in && listed;
    }
    if (s->where) in = in && s->where(s->where_user, x);
    if (s->on_surface) in = in && on_boundary(m, element, i);
    return in;
}

static bool expected(const sp_mesh *m, const sp_selection *s, sp_select_kind kind, int i) {
    bool in = true;
    if (kind == SP_SELECT_FACES)
        for (int k = 0; k < 3; k++) in = in && holds(m, s, false, sp_mesh_faces(m)[3 * i + k]);
    else
        in = holds(m, s, kind == SP_SELECT_ELEMENTS, i);
    return in != s->invert;
}

// ------------------------------------------------------------------------------------------------ random selections

static bool checkers(const void *user, const double x[3]) {
    return (int)floor(x[0] + x[1] + x[2]) % 2 == *(const int *)user;
}

static unsigned long long seed = 17;

static bool coin(double p) {
    return sp_test_random(&seed) < 2 * p - 1;
}

// Halves of integers: many items are exactly on the borders.
static double grid_number(void) {
    return floor(sp_test_random(&seed) * 3 + 3.5) / 2 + (coin(0.3) ? 0.1 : 0);
}

static sp_selection random_selection(bool element, int64_t *ids) {
    static const int parity = 1;
    static const char *names[GROUPS] = {"e", "n", "en"};
    sp_selection s = sp_selection_default();
    s.has_box = coin(0.3), s.has_sphere = coin(0.3), s.has_plane = coin(0.3), s.has_near = coin(0.1);
    s.on_surface = coin(0.2), s.invert = coin(0.3);
    for (int k = 0; k < 3; k++) {
        double a = grid_number(), b = grid_number();
        s.box[k] = fmin(a, b), s.box[3 + k] = fmax(a, b);
        s.sphere[k] = grid_number(), s.plane[k] = grid_number(), s.near[k] = grid_number();
        s.plane[3 + k] = k == 1 ? 1 : floor(2 * sp_test_random(&seed));
    }
    s.sphere[3] = grid_number();
    s.within = coin(0.5) ? 0 : 0.5;
    if (coin(0.2)) s.group = names[(int)((sp_test_random(&seed) + 1) * 1.499)];
    if (coin(0.2)) s.where = checkers, s.where_user = &parity;
    if (coin(0.2)) {
        s.ids = ids, s.id_count = 25;
        for (int k = 0; k < 25; k++) {
            int i = (int)((sp_test_random(&seed) + 1) / 2 * (element ? TETS : NODES));
            ids[k] = element ? i + 5000 : i * 10 - 100;
        }
    }
    return s;
}

TEST(random_selections_against_brute_force) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    sp_mesh *mesh;
    REQUIRE(make(ctx, &mesh) == SP_OK);
    int empty = 0, total[3] = {NODES, TETS, sp_mesh_face_count(mesh)};
    for (int round = 0; round < 600; round++) {
        sp_select_kind kind = (sp_select_kind)(round % 3);
        int64_t ids[25];
        sp_selection s = random_selection(kind == SP_SELECT_ELEMENTS, ids);
        int list[1000], count, count_only, k = 0;
        REQUIRE(sp_mesh_select(mesh, &s, kind, list, 1000, &count) == SP_OK);
        REQUIRE(sp_mesh_select(mesh, &s, kind, NULL, 0, &count_only) == SP_OK);
        CHECK_INT(count, count_only);
        for (int i = 0; i < total[kind]; i++) {
            bool listed = k < count && list[k] == i;
            k += listed;
            if (listed != expected(mesh, &s, kind, i)) SP_TEST_FAILED("round %d, thing %d", round, i);
        }
        CHECK_INT(k, count);  // in ascending order, nothing else
        empty += count == 0;
    }
    CHECK(empty < 300);  // few selections are empty
    size_t before, after;
    sp_context_memory(ctx, &before, NULL);
    sp_mesh_destroy(&mesh);
    sp_context_memory(ctx, &after, NULL);
    CHECK(before > 0 && after == 0);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ single cases

TEST(all_none_and_short_lists) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    sp_mesh *mesh;
    REQUIRE(make(ctx, &mesh) == SP_OK);
    sp_selection s = sp_selection_default();
    int list[5] = {-1, -1, -1, -1, -1}, count;
    CHECK_INT(sp_mesh_select(mesh, &s, SP_SELECT_NODES, list, 3, &count), SP_OK);
    CHECK_INT(count, NODES);
    CHECK(list[0] == 0 && list[2] == 2 && list[3] == -1);
    s.invert = true;
    CHECK_INT(sp_mesh_select(mesh, &s, SP_SELECT_FACES, list, 3, &count), SP_OK);
    CHECK_INT(count, 0);
    // an empty list of ids selects nothing
    int64_t none[1];
    s = sp_selection_default(), s.ids = none, s.id_count = 0;
    CHECK_INT(sp_mesh_select(mesh, &s, SP_SELECT_NODES, NULL, 0, &count), SP_OK);
    CHECK_INT(count, 0);
    // half way between two nodes the lower id wins: nodes 0 and 16 have -100 and 60
    s = sp_selection_default(), s.has_near = true, s.near[0] = 0.5;
    CHECK_INT(sp_mesh_select(mesh, &s, SP_SELECT_NODES, list, 5, &count), SP_OK);
    CHECK(count == 1 && list[0] == (sp_mesh_node_ids(mesh)[0] < sp_mesh_node_ids(mesh)[16] ? 0 : 16));
    // a face of the box is 9 squares of two triangles
    s = sp_selection_default(), s.has_plane = true, s.plane[0] = 3, s.plane[3] = 2, s.within = 1e-9;
    CHECK_INT(sp_mesh_select(mesh, &s, SP_SELECT_FACES, NULL, 0, &count), SP_OK);
    CHECK_INT(count, 18);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

TEST(refusals) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    sp_mesh *mesh;
    REQUIRE(make(ctx, &mesh) == SP_OK);
    int count;
    sp_selection s = {0};
    CHECK_INT(sp_mesh_select(mesh, &s, SP_SELECT_NODES, NULL, 0, &count), SP_BAD_INPUT);
    s = sp_selection_default(), s.group = "wall";
    CHECK_INT(sp_mesh_select(mesh, &s, SP_SELECT_NODES, NULL, 0, &count), SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(ctx)->message, "'wall'") != NULL);
    int64_t ids[2] = {-100, 7};
    s = sp_selection_default(), s.ids = ids, s.id_count = 2;
    CHECK_INT(sp_mesh_select(mesh, &s, SP_SELECT_NODES, NULL, 0, &count), SP_BAD_INPUT);
    CHECK_INT(sp_context_error(ctx)->index, 7);
    ids[0] = 5000, ids[1] = 4999;
    CHECK_INT(sp_mesh_select(mesh, &s, SP_SELECT_ELEMENTS, NULL, 0, &count), SP_BAD_INPUT);
    CHECK_INT(sp_context_error(ctx)->index, 4999);
    s = sp_selection_default(), s.has_box = true, s.box[0] = 1;
    CHECK_INT(sp_mesh_select(mesh, &s, SP_SELECT_NODES, NULL, 0, &count), SP_BAD_INPUT);
    s = sp_selection_default(), s.has_sphere = true, s.sphere[3] = -1;
    CHECK_INT(sp_mesh_select(mesh, &s, SP_SELECT_NODES, NULL, 0, &count), SP_BAD_INPUT);
    s = sp_selection_default(), s.has_plane = true;
    CHECK_INT(sp_mesh_select(mesh, &s, SP_SELECT_NODES, NULL, 0, &count), SP_BAD_INPUT);
    s = sp_selection_default(), s.has_near = true, s.near[1] = NAN;
    CHECK_INT(sp_mesh_select(mesh, &s, SP_SELECT_NODES, NULL, 0, &count), SP_BAD_INPUT);
    s = sp_selection_default(), s.id_count = 2;
    CHECK_INT(sp_mesh_select(mesh, &s, SP_SELECT_NODES, NULL, 0, &count), SP_BAD_INPUT);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}
