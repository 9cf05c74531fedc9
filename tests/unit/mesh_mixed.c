// Meshes of hexahedra and quadratic tetrahedra beside linear ones: refusals and their messages, orientation, boundary, volume,
// integrals, search of points, selection, transformation, examination. Positions are known, so are volumes and faces.
#include "math/vec3.h"
#include "mesh/mesh_internal.h"
#include "meter.h"
#include "mixed_help.h"

static bool says(const sp_context *ctx, const char *text) {
    bool found = strstr(sp_context_error(ctx)->message, text) != NULL;
    if (!found) printf("  message: %s\n", sp_context_error(ctx)->message);
    return found;
}

// ------------------------------------------------------------------------------------------------ creation

TEST(elements_keep_their_order_and_types) {
    sp_context *ctx = mesh_context();
    mixed m;
    sp_mesh *mesh = create_mixed(ctx, &m);
    REQUIRE(mesh);
    CHECK_INT(sp_mesh_element_count(mesh), ELEMENTS);
    CHECK(sp_mesh_tets(mesh) == NULL);
    const int *nodes, *from = m.nodes;
    for (int e = 0; e < ELEMENTS; e++) {
        CHECK(sp_mesh_element(mesh, e, &nodes) == m.types[e] && sp_mesh_element_ids(mesh)[e] == 100 + 3 * e);
        CHECK(memcmp(nodes, from, (size_t)sp_element_nodes(m.types[e]) * sizeof *nodes) == 0);
        from += sp_element_nodes(m.types[e]);
    }
    // two unit cubes, one of five tetrahedra, a sixth: exact but for the points of the rules
    CHECK_NEAR(sp_mesh_volume(mesh), 3 + 1.0 / 6, 1e-14);
    sp_mesh_destroy(&mesh);
    // types that say what the default is
    for (int e = 0; e < ELEMENTS; e++) m.types[e] = SP_ELEMENT_TET4;
    m.def.element_count = 1, m.def.element_nodes = from - 4;
    REQUIRE(sp_mesh_create(ctx, &m.def, &mesh) == SP_OK);
    CHECK(sp_mesh_tets(mesh) && sp_mesh_tets(mesh)[0] == from[-4]);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

static sp_status create(sp_context *ctx, const mixed *m) {
    sp_mesh *mesh = NULL;
    sp_status status = sp_mesh_create(ctx, &m->def, &mesh);
    CHECK((status < 0) == (mesh == NULL));
    sp_mesh_destroy(&mesh);
    return status;
}

TEST(refusals_name_the_element) {
    sp_context *ctx = mesh_context();
    mixed m;
    make_mixed(&m);
    m.types[4] = SP_ELEMENT_LINE2;
    CHECK_INT(create(ctx, &m), SP_BAD_INPUT);
    CHECK(says(ctx, "element 112 has type 1 (line)") && sp_context_error(ctx)->index == 112);
    m.types[4] = (sp_element_type)17;
    CHECK_INT(create(ctx, &m), SP_BAD_INPUT);
    CHECK(says(ctx, "type 17"));

    make_mixed(&m);
    m.nodes[8 + 7] = m.node_count;
    CHECK_INT(create(ctx, &m), SP_BAD_INPUT);
    CHECK(says(ctx, "hexahedron 103 names node index") && sp_context_error(ctx)->index == 103);
    m.nodes[8 + 7] = m.nodes[8 + 6];
    CHECK_INT(create(ctx, &m), SP_BAD_INPUT);
    CHECK(says(ctx, "hexahedron 103 names node") && says(ctx, "twice"));

    make_mixed(&m);
    m.nodes[16 + 9] = -1;
    CHECK_INT(create(ctx, &m), SP_BAD_INPUT);
    CHECK(says(ctx, "quadratic tetrahedron 106 names node index -1"));
    sp_context_destroy(&ctx);
}

// A corner of a cube moved along the diagonal: the determinant there vanishes where the corner meets the plane of its three
// neighbours, at 2/3 of the diagonal.
TEST(the_determinant_must_be_positive_at_corners) {
    sp_context *ctx = mesh_context();
    for (int i = 0; i < 2; i++) {
        mixed m;
        make_mixed(&m);
        double t = i ? 0.66 : 0.67;
        int corner = m.nodes[8 + 6];  // of the second cube alone
        m.x[3 * corner] = 1 + t, m.x[3 * corner + 1] = m.x[3 * corner + 2] = t;
        CHECK_INT(create(ctx, &m), i ? SP_BAD_INPUT : SP_OK);
        if (i)
            CHECK(says(ctx, "hexahedron 103 is inverted or too distorted: Jacobian determinant -") && says(ctx, "must be above"));
    }
    // a node on an edge of length L may move along it by less than L/4: beyond, the edge turns back at its end
    for (int i = 0; i < 2; i++) {
        mixed m;
        make_mixed(&m);
        double s = i ? 0.26 : 0.24;
        int a = m.nodes[16], b = m.nodes[17], mid = m.nodes[20];
        for (int k = 0; k < 3; k++) m.x[3 * mid + k] += s * (m.x[3 * b + k] - m.x[3 * a + k]);
        CHECK_INT(create(ctx, &m), i ? SP_BAD_INPUT : SP_OK);
        if (i) CHECK(says(ctx, "quadratic tetrahedron 106 is inverted or too distorted"));
    }
    sp_context_destroy(&ctx);
}

// mirror images of all elements: with fix_orientation the same mesh but for the order of nodes, without it an error
TEST(inverted_elements_are_turned) {
    sp_context *ctx = mesh_context();
    mixed m;
    sp_mesh *mesh = NULL;
    make_mixed(&m);
    for (int i = 0; i < m.node_count; i++) m.x[3 * i + 1] *= -1;
    m.def.fix_orientation = false;
    CHECK_INT(create(ctx, &m), SP_BAD_INPUT);
    CHECK(says(ctx, "hexahedron 100 is inverted"));
    m.def.fix_orientation = true;
    REQUIRE(sp_mesh_create(ctx, &m.def, &mesh) == SP_OK);
    CHECK_NEAR(sp_mesh_volume(mesh), 3 + 1.0 / 6, 1e-14);
    // a node on an edge is still between the same ends
    static const int edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    const double *x = sp_mesh_positions(mesh);
    const int *n;
    for (int e = HEXES; e < HEXES + QUADRATIC; e++) {
        sp_mesh_element(mesh, e, &n);
        for (int i = 0; i < 18; i++)
            CHECK(x[3 * n[4 + i / 3] + i % 3] == (x[3 * n[edges[i / 3][0]] + i % 3] + x[3 * n[edges[i / 3][1]] + i % 3]) / 2);
    }
    // the same outline, outward again
    CHECK_INT(sp_mesh_face_count(mesh), 20 + 48 + 4);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ boundary

// a cube has 6 squares of 2 triangles, or of 2 x 4 with mid nodes; outward: the divergence theorem gives the volume
TEST(boundary_triangles) {
    sp_context *ctx = mesh_context();
    mixed m;
    sp_mesh *mesh = create_mixed(ctx, &m);
    REQUIRE(mesh);
    CHECK_INT(sp_mesh_face_count(mesh), 20 + 48 + 4);
    const double *x = sp_mesh_positions(mesh);
    double volume[ELEMENTS] = {0}, sum = 0;
    for (int f = 0; f < sp_mesh_face_count(mesh); f++) {
        const int *c = sp_mesh_faces(mesh) + 3 * f;
        double n[3];
        sp__cross3(x + 3 * c[1], x + 3 * c[2], n);
        volume[sp_mesh_face_element(mesh, f)] += sp__dot3(x + 3 * c[0], n) / 6;
    }
    for (int e = 0; e < ELEMENTS; e++) sum += volume[e];
    CHECK_NEAR(sum, sp_mesh_volume(mesh), 1e-13);  // 72 terms of up to 6
    CHECK(volume[HEXES] == 0);                     // the tetrahedron in the middle has no boundary
    sp_trimesh *skin = NULL;
    sp_trimesh_def def;
    REQUIRE(sp_mesh_boundary(mesh, &skin) == SP_OK);
    sp_trimesh_get(skin, &def);
    CHECK_INT(def.face_count, 72);
    // 12 nodes of the bricks, 8 corners and 18 middles of edges of the cube, 4
    CHECK_INT(def.vertex_count, 12 + 26 + 4);
    sp_trimesh_destroy(&skin);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

// two hexahedra with any numbering of their nodes cut their common face alike, and a hexahedron fits a cut neighbour
TEST(neighbours_cut_their_common_face_alike) {
    sp_context *ctx = mesh_context();
    unsigned long long state = 5;
    for (int trial = 0; trial < 50; trial++) {
        mixed m;
        make_mixed(&m);
        int number[12], nodes[16];
        double x[36];
        sp_mesh *mesh = NULL;
        for (int i = 0; i < 12; i++) number[i] = i;
        for (int i = 11; i > 0; i--) {
            int j = (int)((sp_test_random(&state) + 1) / 2 * (i + 1)), swap = number[i];
            number[i] = number[j], number[j] = swap;
        }
        for (int i = 0; i < 12; i++) memcpy(x + 3 * number[i], m.x + 3 * i, 3 * sizeof *x);
        for (int i = 0; i < 16; i++) nodes[i] = number[m.nodes[i]];
        m.def.node_count = 12, m.def.positions = x, m.def.element_count = 2, m.def.element_nodes = nodes;
        REQUIRE(sp_mesh_create(ctx, &m.def, &mesh) == SP_OK);
        CHECK_INT(sp_mesh_face_count(mesh), 20);
        sp_mesh_destroy(&mesh);
    }
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ integrals, points

TEST(integrals_of_the_shape_functions) {
    sp_context *ctx = mesh_context();
    mixed m;
    sp_mesh *mesh = create_mixed(ctx, &m);
    REQUIRE(mesh);
    double w[SP_ELEMENT_NODES_MAX];
    for (int e = 0; e < ELEMENTS; e++) {
        sp_mesh_element_integrals(mesh, e, w);
        double volume = e < HEXES ? 1 : e == HEXES ? 1.0 / 3 : 1.0 / 6;
        // Hughes 2000, appendix 3.I: corners of straight quadratic tetrahedra -V/20, nodes on edges V/5
        for (int a = 0; a < sp_element_nodes(m.types[e]); a++)
            CHECK_NEAR(w[a],
                       e < HEXES               ? volume / 8
                       : e < HEXES + QUADRATIC ? (a < 4 ? -volume / 20 : volume / 5)
                                               : volume / 4,
                       1e-15);
    }
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

TEST(points_are_found_where_they_are) {
    sp_context *ctx = mesh_context();
    mixed m;
    sp_mesh *mesh = NULL;
    make_mixed(&m);
    bend(&m, 0.04);
    REQUIRE(sp_mesh_create(ctx, &m.def, &mesh) == SP_OK);
    unsigned long long state = 19;
    for (int i = 0; i < 400; i++) {
        double natural[3], x[3], found[3];
        int e = i % ELEMENTS, element;
        for (int k = 0; k < 3; k++)
            natural[k] =
                m.types[e] == SP_ELEMENT_HEX8 ? 0.5 + 0.49 * sp_test_random(&state) : 0.165 + 0.16 * sp_test_random(&state);
        sp_mesh_element_point(mesh, e, natural, x);
        double inside = sp_mesh_locate(mesh, x, &element, found);
        CHECK_INT(element, e);
        CHECK_NEAR(inside, sp__element_inside(m.types[e], natural), 1e-13);
        // positions up to 6 in elements of size 1
        for (int k = 0; k < 3; k++) CHECK_NEAR(found[k], natural[k], 1e-13);
    }
    // outside: far away, and just beside an element
    int element;
    double natural[3];
    CHECK(sp_mesh_locate(mesh, (double[]){-40, 30, 1000}, &element, natural) < 0);
    CHECK(sp_mesh_locate(mesh, (double[]){2.2, 0.5, 0.5}, &element, natural) < 0);
    CHECK_INT(element, 1);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

// an edge that bulges beyond the box of the nodes is found
TEST(points_in_a_bulge_are_found) {
    sp_context *ctx = mesh_context();
    mixed m;
    make_mixed(&m);
    sp_mesh *mesh = NULL;
    m.def.element_count = 1, m.def.element_types = m.types + HEXES, m.def.element_nodes = m.nodes + 16;
    int a = m.nodes[16], b = m.nodes[17], mid = m.nodes[20];
    m.x[3 * mid + 1] -= 0.1;
    REQUIRE(sp_mesh_create(ctx, &m.def, &mesh) == SP_OK);
    // a quarter along the edge: 3/8 a + 3/4 mid - 1/8 b
    double x[3], natural[3];
    int element;
    for (int k = 0; k < 3; k++) x[k] = 0.375 * m.x[3 * a + k] + 0.75 * m.x[3 * mid + k] - 0.125 * m.x[3 * b + k];
    CHECK_NEAR(sp_mesh_locate(mesh, x, &element, natural), 0, 1e-14);
    CHECK_NEAR(natural[0], 0.25, 1e-14);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ selection, transformation

TEST(elements_are_selected_by_their_centres) {
    sp_context *ctx = mesh_context();
    mixed m;
    int out[ELEMENTS], count;
    sp_mesh *mesh = create_mixed(ctx, &m);
    REQUIRE(mesh);
    sp_selection s = sp_selection_default();
    s.has_box = true;
    memcpy(s.box, (double[]){1.4, 0.4, 0.4, 3.6, 0.6, 0.6}, sizeof s.box);
    // the centres of the second hexahedron and of the tetrahedron in the middle of the cube
    REQUIRE(sp_mesh_select(mesh, &s, SP_SELECT_ELEMENTS, out, ELEMENTS, &count) == SP_OK);
    CHECK(count == 2 && out[0] == 1 && out[1] == HEXES);
    s = sp_selection_default();
    s.on_surface = true, s.invert = true;
    REQUIRE(sp_mesh_select(mesh, &s, SP_SELECT_ELEMENTS, out, ELEMENTS, &count) == SP_OK);
    CHECK(count == 1 && out[0] == HEXES);
    sp_mesh_destroy(&mesh);

    int elements[] = {1, HEXES};
    sp_mesh_group group = {.name = "two", .elements = elements, .element_count = 2};
    m.def.groups = &group, m.def.group_count = 1;
    REQUIRE(sp_mesh_create(ctx, &m.def, &mesh) == SP_OK);
    s = sp_selection_default();
    s.group = "two";
    REQUIRE(sp_mesh_select(mesh, &s, SP_SELECT_NODES, NULL, 0, &count) == SP_OK);
    CHECK_INT(count, 18);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

TEST(mirrored_and_turned) {
    sp_context *ctx = mesh_context();
    mixed m;
    sp_mesh *mesh = create_mixed(ctx, &m), *moved = NULL;
    REQUIRE(mesh);
    sp_pose pose = sp_pose_identity();
    pose.translate[0] = 7;
    REQUIRE(sp_mesh_transformed(mesh, (double[]){-2, 1, 3}, &pose, &moved) == SP_OK);
    CHECK_NEAR(sp_mesh_volume(moved), 6 * (3 + 1.0 / 6), 1e-13);
    for (int e = 0; e < ELEMENTS; e++) CHECK(sp_mesh_element(moved, e, NULL) == m.types[e]);
    sp_mesh_destroy(&mesh), sp_mesh_destroy(&moved);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ examination, repair

static sp_mesh_report *examine(sp_context *ctx, const sp_mesh_def *def) {
    sp_mesh_report *report = NULL;
    if (sp_mesh_examine(ctx, def, NULL, &report) < 0) SP_TEST_FAILED("%s", sp_context_error(ctx)->message);
    return report;
}

static int64_t defects(const sp_mesh_report *report) {
    int64_t sum = 0;
    for (int k = 0; k < SP_DEFECT_KINDS; k++) sum += sp_mesh_report_count(report, (sp_defect_kind)k, NULL);
    return sum;
}

TEST(a_healthy_mesh_has_no_defects) {
    sp_context *ctx = mesh_context();
    mixed m;
    make_mixed(&m);
    sp_mesh_report *report = examine(ctx, &m.def);
    REQUIRE(report);
    CHECK_INT(defects(report), 0);
    const sp_mesh_stats *s = sp_mesh_report_stats(report);
    CHECK(s->type_counts[SP_ELEMENT_HEX8] == 2 && s->type_counts[SP_ELEMENT_TET10] == 5 && s->type_counts[SP_ELEMENT_TET4] == 1);
    CHECK_INT(s->type_counts[SP_ELEMENT_LINE2], 0);
    CHECK_NEAR(s->volume, 3 + 1.0 / 6, 1e-14);
    CHECK_NEAR(s->area, 10 + 6 + 1.5 + sqrt(3) / 2, 1e-13);
    CHECK(s->component_count == 3 && s->face_count == 72 && s->closed_count == 3);
    // straight elements: the determinant is the same everywhere, but for rounding
    CHECK_NEAR(s->jacobian_min, 1, 1e-14);
    CHECK_NEAR(s->jacobian_mean, 1, 1e-14);
    CHECK(s->edge_min == 1 && s->edge_max == sqrt(2.0));
    // of the corners of tetrahedra: the regular one in the cube, right angles beside it
    CHECK_NEAR(s->angle_max, 90, 1e-12);
    CHECK_NEAR(s->angle_min, 57.29577951308232 * acos(1 / sqrt(3.0)), 1e-12);
    sp_mesh_report_destroy(&report);
    sp_context_destroy(&ctx);
}

// the corner at (2, 1, 1) moved to t (1, 1, 1) of its cube: determinant 1 at the opposite corner, 3 t - 2 here
TEST(jacobian_ratio_and_defects_of_elements) {
    sp_context *ctx = mesh_context();
    mixed m;
    for (int i = 0; i < 2; i++) {
        make_mixed(&m);
        double t = i ? 0.6 : 0.8;
        int corner = m.nodes[8 + 6];
        m.x[3 * corner] = 1 + t, m.x[3 * corner + 1] = m.x[3 * corner + 2] = t;
        sp_mesh_report *report = examine(ctx, &m.def);
        REQUIRE(report);
        const sp_mesh_stats *s = sp_mesh_report_stats(report);
        CHECK_NEAR(s->jacobian_min, 3 * t - 2, 1e-14);
        CHECK(s->jacobian_worst == 103);
        CHECK_INT(sp_mesh_report_count(report, SP_DEFECT_DISTORTED, NULL), i);
        CHECK_INT(defects(report), i);
        sp_defect d;
        if (i) CHECK(sp_mesh_report_at(report, 0, &d) == SP_OK && d.elements[0] == 103 && fabs(d.value + 0.2) < 1e-14);
        sp_mesh_report_destroy(&report);
    }
    // inside out, flat, repeated nodes, twice, a missing node
    make_mixed(&m);
    sp__element_turn(SP_ELEMENT_HEX8, m.nodes);
    sp__element_turn(SP_ELEMENT_TET10, m.nodes + 16);
    m.nodes[16 + 10 + 9] = 999;
    sp_mesh_report *report = examine(ctx, &m.def);
    REQUIRE(report);
    CHECK_INT(sp_mesh_report_count(report, SP_DEFECT_INVERTED, NULL), 2);
    CHECK_INT(sp_mesh_report_count(report, SP_DEFECT_INDEX, NULL), 1);
    CHECK_INT(sp_mesh_report_count(report, SP_DEFECT_FOLDED, NULL), 0);
    sp_mesh_report_destroy(&report);
    make_mixed(&m);
    memcpy(m.nodes + 8, m.nodes, 8 * sizeof *m.nodes);
    m.nodes[16 + 3] = m.nodes[16 + 2];
    REQUIRE((report = examine(ctx, &m.def)));
    CHECK_INT(sp_mesh_report_count(report, SP_DEFECT_DUPLICATE, NULL), 1);
    CHECK_INT(sp_mesh_report_count(report, SP_DEFECT_FLAT, NULL), 1);
    sp_mesh_report_destroy(&report);
    m.types[0] = SP_ELEMENT_LINE2;
    CHECK(sp_mesh_examine(ctx, &m.def, NULL, &report) == SP_BAD_INPUT && says(ctx, "element 0 has type 1"));
    sp_context_destroy(&ctx);
}

TEST(what_works_on_linear_tetrahedra_only_says_so) {
    sp_context *ctx = mesh_context();
    mixed m;
    sp_mesh *mesh = create_mixed(ctx, &m), *out = (sp_mesh *)1;
    REQUIRE(mesh);
    sp_selection all = sp_selection_default();
    CHECK(sp_mesh_refined(mesh, 1, &out) == SP_BAD_INPUT && !out);
    CHECK(says(ctx, "element 100 is a hexahedron, must be a linear tetrahedron to be refined"));
    CHECK(sp_mesh_refined_where(mesh, &all, 0, 1, &out) == SP_BAD_INPUT && !out);
    CHECK(sp_mesh_repaired(ctx, &m.def, NULL, &out, NULL) == SP_BAD_INPUT && !out);
    CHECK(says(ctx, "element 100 is a hexahedron, must be a linear tetrahedron to be repaired"));
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

TEST(every_allocation_may_fail) {
    meter counts = {1000000, 0};
    sp_context_def def = metered_context(&counts);
    sp_context *ctx;
    mixed m;
    make_mixed(&m);
    REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
    long before = counts.live;
    sp_status status[2] = {SP_NO_MEMORY, SP_NO_MEMORY};
    for (int n = 0; n < 1000 && (status[0] == SP_NO_MEMORY || status[1] == SP_NO_MEMORY); n++) {
        sp_mesh *mesh;
        sp_mesh_report *report;
        counts.allowed = n;
        status[0] = sp_mesh_create(ctx, &m.def, &mesh);
        CHECK((status[0] == SP_OK) == (mesh != NULL));
        counts.allowed = n;
        status[1] = sp_mesh_examine(ctx, &m.def, NULL, &report);
        CHECK((status[1] == SP_OK) == (report != NULL));
        sp_mesh_destroy(&mesh);
        sp_mesh_report_destroy(&report);
        CHECK_INT(counts.live, before);
    }
    CHECK(status[0] == SP_OK && status[1] == SP_OK);
    sp_context_destroy(&ctx);
}
