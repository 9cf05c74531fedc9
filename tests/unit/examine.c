// Mesh checks: healthy meshes have no defect, every defect is found at its place and nowhere else, statistics are correct.
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

typedef struct expected {
    sp_defect_kind kind;
    int count;
} expected;

// exactly these defects (the list ends with a count of 0) and no other
static void check_counts(const sp_mesh_report *r, const expected *want, const char *file, int line) {
    for (int k = 0; k < SP_DEFECT_KINDS; k++) {
        int count = 0;
        bool whole = false;
        for (const expected *w = want; w->count; w++)
            if ((int)w->kind == k) count = w->count;
        int64_t seen = sp_mesh_report_count(r, (sp_defect_kind)k, &whole);
        if (seen == count && whole) continue;
        SP_TEST_FAILED("from line %d of %s: %s: %lld, should be %d", line, file, sp_defect_name((sp_defect_kind)k),
                       (long long)seen, count);
    }
}
#define CHECK_DEFECTS(report, ...) check_counts((report), (expected[]){__VA_ARGS__{0, 0}}, __FILE__, __LINE__)

// no nodes and no elements: there is none of this kind
static sp_defect first_of(const sp_mesh_report *r, sp_defect_kind kind) {
    sp_defect d;
    for (int i = 0; sp_mesh_report_at(r, i, &d) >= 0; i++)
        if (d.kind == kind) return d;
    return (sp_defect){0};
}

// ---------------------------------------------------------------------------------------------------- tetrahedra

enum { NODES = 64, TETS = 200 };

// a definition that tests modify: a box of 2 x 2 x 2 cells, 27 nodes with ids from 100, 48 tetrahedra with ids from 1000
typedef struct patient {
    sp_context *ctx;
    sp_mesh_def def;
    double x[3 * NODES];
    int tets[4 * TETS];
    int64_t node_ids[NODES], tet_ids[TETS];
    sp_mesh_report *report;
} patient;

static void number_all(patient *p) {
    for (int i = 0; i < NODES; i++) p->node_ids[i] = 100 + i;
    for (int i = 0; i < TETS; i++) p->tet_ids[i] = 1000 + i;
    p->def = sp_mesh_def_default();
    p->def.positions = p->x, p->def.element_nodes = p->tets, p->def.node_ids = p->node_ids, p->def.element_ids = p->tet_ids;
}

static bool take_box(patient *p) {
    sp_mesh *box = NULL;
    *p = (patient){.ctx = new_context()};
    if (!p->ctx || sp_mesh_box(p->ctx, (double[]){2, 2, 2}, (int[]){2, 2, 2}, 6, &box) < 0) return false;
    number_all(p);
    p->def.node_count = sp_mesh_node_count(box), p->def.element_count = sp_mesh_element_count(box);
    memcpy(p->x, sp_mesh_positions(box), (size_t)p->def.node_count * 3 * sizeof *p->x);
    memcpy(p->tets, sp_mesh_tets(box), (size_t)p->def.element_count * 4 * sizeof *p->tets);
    sp_mesh_destroy(&box);
    return true;
}

static bool take_arrays(patient *p, const double *x, int nodes, const int *tets, int count) {
    *p = (patient){.ctx = new_context()};
    number_all(p);
    p->def.node_count = nodes, p->def.element_count = count;
    memcpy(p->x, x, (size_t)nodes * 3 * sizeof *x);
    memcpy(p->tets, tets, (size_t)count * 4 * sizeof *tets);
    return p->ctx != NULL;
}

static void add_tet(patient *p, int a, int b, int c, int d) {
    const int tet[4] = {a, b, c, d};
    memcpy(p->tets + 4 * p->def.element_count++, tet, sizeof tet);
}

static bool examine(patient *p) {
    return sp_mesh_examine(p->ctx, &p->def, NULL, &p->report) == SP_OK;
}

static void done(patient *p) {
    sp_mesh_report_destroy(&p->report);
    sp_context_destroy(&p->ctx);
}

TEST(generators_make_healthy_meshes) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    sp_mesh *m[5] = {0};
    sp_mesh_box(ctx, (double[]){1, 2, 3}, (int[]){3, 4, 5}, 6, &m[0]);
    sp_mesh_box(ctx, (double[]){1, 2, 3}, (int[]){3, 4, 5}, 5, &m[1]);
    sp_mesh_cylinder(ctx, 1, 3, (double[]){1, 2, 3}, (int[]){3, 5}, &m[2]);
    sp_mesh_sphere(ctx, (double[]){1, 2, 3}, 4, &m[3]);
    sp_mesh_torus(ctx, 2, 0.5, (double[]){0, 1, 1}, (int[]){16, 2}, &m[4]);
    for (int i = 0; i < 5; i++) {
        REQUIRE(m[i]);
        sp_mesh_def def = sp_mesh_def_default();
        def.node_count = sp_mesh_node_count(m[i]), def.positions = sp_mesh_positions(m[i]);
        def.element_count = sp_mesh_element_count(m[i]), def.element_nodes = sp_mesh_tets(m[i]);
        sp_mesh_report *r;
        REQUIRE(sp_mesh_examine(ctx, &def, NULL, &r) == SP_OK);
        CHECK_DEFECTS(r, );
        sp_defect d;
        CHECK(sp_mesh_report_at(r, 0, &d) < 0 && sp_mesh_report_at(r, -1, &d) < 0);
        const sp_mesh_stats *s = sp_mesh_report_stats(r);
        CHECK(s->tetrahedra && s->component_count == 1 && s->shell_count == 1 && s->closed_count == 1);
        CHECK_INT(s->face_count, sp_mesh_face_count(m[i]));
        CHECK_INT(2 * s->edge_count, 3 * s->face_count);
        CHECK_INT(s->vertex_count - s->edge_count + s->face_count, i == 4 ? 0 : 2);  // Euler characteristic: a torus has a hole
        CHECK_NEAR(s->volume, sp_mesh_volume(m[i]), 1e-13 * s->volume);
        int64_t angles = 0, ratios = 0;
        for (int k = 0; k < 18; k++) angles += s->angles[k];
        for (int k = 0; k < 10; k++) ratios += s->ratios[k];
        CHECK(angles == 6LL * s->element_count && ratios == s->element_count);
        sp_mesh_report_destroy(&r);
        CHECK(r == NULL);
        sp_mesh_destroy(&m[i]);
    }
    sp_mesh_report_destroy(NULL);
    sp_context_destroy(&ctx);
}

TEST(numbers_of_known_elements) {
    patient p;
    // a regular tetrahedron of edge sqrt(8), and a corner of the unit cube scaled by 3, disjoint
    static const double x[24] = {1, 1, 1, -1, -1, 1, -1, 1, -1, 1, -1, -1, 10, 0, 0, 13, 0, 0, 10, 3, 0, 10, 0, 3};
    static const int tets[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    REQUIRE(take_arrays(&p, x, 4, tets, 1));
    REQUIRE(examine(&p));
    const sp_mesh_stats *s = sp_mesh_report_stats(p.report);
    CHECK_DEFECTS(p.report, );
    CHECK_NEAR(s->volume, 8.0 / 3, 1e-14);
    CHECK_NEAR(s->area, 4 * sqrt(3) / 4 * 8, 1e-14);
    CHECK_NEAR(s->angle_min, acos(1.0 / 3) * 180 / acos(-1), 1e-13);  // 70.5288 degrees, a few roundings
    CHECK_NEAR(s->angle_max, s->angle_min, 1e-13);
    CHECK_INT(s->angles[7], 6);
    CHECK_NEAR(s->ratio_min, 1, 1e-15);
    CHECK_NEAR(s->aspect_max, 1, 1e-15);
    CHECK_NEAR(s->edge_mean, sqrt(8), 1e-15);
    done(&p);
    REQUIRE(take_arrays(&p, x, 8, tets, 2));
    REQUIRE(examine(&p));
    s = sp_mesh_report_stats(p.report);
    CHECK_DEFECTS(p.report, );
    CHECK_INT(s->component_count, 2);
    CHECK_INT(s->shell_count, 2);
    CHECK(s->low[0] == -1 && s->high[0] == 13);
    // corner of a cube: dihedral angles 90 and acos(1/sqrt 3); r = 3/(3 + sqrt 3), R = 3 sqrt(3)/2
    CHECK_NEAR(s->angle_max, 90, 1e-13);
    CHECK_NEAR(s->angle_min, acos(1 / sqrt(3)) * 180 / acos(-1), 1e-13);
    CHECK_NEAR(s->ratio_min, 3 / (3 + sqrt(3)) * 3 / (1.5 * sqrt(3)), 1e-15);
    CHECK_INT(s->worst, 1001);
    CHECK_NEAR(s->edge_max, 3 * sqrt(2), 1e-15);
    done(&p);
}

TEST(node_with_non_finite_position) {
    patient p;
    REQUIRE(take_box(&p));
    p.x[3 * 26 + 1] = NAN;
    REQUIRE(examine(&p));
    CHECK_DEFECTS(p.report, {SP_DEFECT_NOT_FINITE, 1}, );
    CHECK_INT(first_of(p.report, SP_DEFECT_NOT_FINITE).nodes[0], 126);
    CHECK(sp_mesh_report_stats(p.report)->high[0] == 2);
    done(&p);
}

TEST(index_out_of_range) {
    patient p;
    REQUIRE(take_box(&p));
    add_tet(&p, 0, 1, 2, 27);
    REQUIRE(examine(&p));
    CHECK_DEFECTS(p.report, {SP_DEFECT_INDEX, 1}, );
    CHECK_INT(first_of(p.report, SP_DEFECT_INDEX).elements[0], 1048);
    done(&p);
    REQUIRE(take_box(&p));
    add_tet(&p, -1, INT32_MAX, INT32_MIN, 0);
    REQUIRE(examine(&p));
    CHECK_DEFECTS(p.report, {SP_DEFECT_INDEX, 1}, );
    done(&p);
}

TEST(inverted_tetrahedron) {
    patient p;
    REQUIRE(take_box(&p));
    int swap = p.tets[4 * 7];
    p.tets[4 * 7] = p.tets[4 * 7 + 1], p.tets[4 * 7 + 1] = swap;
    REQUIRE(examine(&p));
    CHECK_DEFECTS(p.report, {SP_DEFECT_INVERTED, 1}, );
    CHECK_INT(first_of(p.report, SP_DEFECT_INVERTED).elements[0], 1007);
    CHECK_NEAR(first_of(p.report, SP_DEFECT_INVERTED).value, -1.0 / 6, 1e-16);
    CHECK_NEAR(sp_mesh_report_stats(p.report)->volume, 8, 1e-14);
    done(&p);
}

TEST(flat_tetrahedra) {
    patient p;
    // on the face x = 0: nodes 0, 1, 3, 4 are the corners of a square with the diagonal 0 4
    REQUIRE(take_box(&p));
    add_tet(&p, 0, 1, 4, 3);
    REQUIRE(examine(&p));
    CHECK_DEFECTS(p.report, {SP_DEFECT_FLAT, 1}, );
    CHECK_INT(first_of(p.report, SP_DEFECT_FLAT).elements[0], 1048);
    CHECK(sp_mesh_report_stats(p.report)->ratio_min == 0 && sp_mesh_report_stats(p.report)->worst == 1048);
    done(&p);
    // a node used twice
    REQUIRE(take_box(&p));
    add_tet(&p, 0, 1, 4, 4);
    REQUIRE(examine(&p));
    CHECK_DEFECTS(p.report, {SP_DEFECT_FLAT, 1}, );
    done(&p);
}

TEST(duplicate_tetrahedron) {
    patient p;
    REQUIRE(take_box(&p));
    add_tet(&p, p.tets[23], p.tets[21], p.tets[20], p.tets[22]);  // an even permutation of the same nodes
    REQUIRE(examine(&p));
    CHECK_DEFECTS(p.report, {SP_DEFECT_DUPLICATE, 1}, );
    sp_defect d = first_of(p.report, SP_DEFECT_DUPLICATE);
    CHECK(d.element_count == 2 && d.elements[0] == 1005 && d.elements[1] == 1048);
    done(&p);
}

TEST(unreferenced_and_coincident_nodes) {
    patient p;
    REQUIRE(take_box(&p));
    p.def.node_count++;  // at the origin like node 0, but unreferenced
    REQUIRE(examine(&p));
    CHECK_DEFECTS(p.report, {SP_DEFECT_UNREFERENCED, 1}, );
    CHECK_INT(first_of(p.report, SP_DEFECT_UNREFERENCED).nodes[0], 127);
    done(&p);
    // a separate tetrahedron that touches the far corner up to rounding
    REQUIRE(take_box(&p));
    static const double more[12] = {2 + 1e-10, 2, 2, 3, 2, 2, 2, 3, 2, 2, 2, 3};
    memcpy(p.x + 81, more, sizeof more);
    p.def.node_count += 4;
    add_tet(&p, 27, 28, 29, 30);
    REQUIRE(examine(&p));
    CHECK_DEFECTS(p.report, {SP_DEFECT_COINCIDENT, 1}, );
    sp_defect d = first_of(p.report, SP_DEFECT_COINCIDENT);
    CHECK(d.node_count == 2 && d.nodes[0] == 126 && d.nodes[1] == 127);
    CHECK_NEAR(d.value, 1e-10, 1e-15);
    CHECK_INT(sp_mesh_report_stats(p.report)->component_count, 2);
    sp_mesh_report_destroy(&p.report);
    // with a smaller tolerance they are two nodes that do not touch
    sp_examine_options o = sp_examine_options_default();
    o.tolerance = 1e-11;
    REQUIRE(sp_mesh_examine(p.ctx, &p.def, &o, &p.report) == SP_OK);
    CHECK_DEFECTS(p.report, );
    CHECK(sp_mesh_report_stats(p.report)->tolerance == 1e-11);
    done(&p);
}

// two tetrahedra on the face 0 1 2: one below it, one above
static const double fan_x[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, 1, 0.2, 0.2, -1, 0.3, 0.3, 0.5};

TEST(faces_of_too_many_tetrahedra) {
    patient p;
    static const int folded[8] = {0, 1, 2, 3, 0, 1, 2, 5}, crowded[12] = {0, 1, 2, 3, 0, 2, 1, 4, 0, 1, 2, 5};
    double x[15];
    memcpy(x, fan_x, sizeof x);
    memcpy(x + 12, fan_x + 15, 3 * sizeof *x);
    int own[8];
    memcpy(own, folded, sizeof own);
    own[7] = 4;
    REQUIRE(take_arrays(&p, x, 5, own, 2));
    REQUIRE(examine(&p));
    CHECK_INT(sp_mesh_report_count(p.report, SP_DEFECT_FOLDED, NULL), 1);
    sp_defect d = first_of(p.report, SP_DEFECT_FOLDED);
    CHECK(d.element_count && d.elements[0] == 1000 && d.elements[1] == 1001);
    done(&p);
    REQUIRE(take_arrays(&p, fan_x, 6, crowded, 3));
    REQUIRE(examine(&p));
    CHECK_INT(sp_mesh_report_count(p.report, SP_DEFECT_SHARED_FACE, NULL), 1);
    CHECK_INT(sp_mesh_report_count(p.report, SP_DEFECT_FOLDED, NULL), 0);
    CHECK_INT(sp_mesh_report_count(p.report, SP_DEFECT_EDGE, NULL), 3);
    done(&p);
}

TEST(tetrahedra_that_meet_in_an_edge_or_a_node) {
    static const double x[21] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, -1, 0, 0, 0, -1, -1, 0, 0};
    static const int edge[8] = {0, 1, 2, 3, 0, 1, 4, 5}, node[8] = {0, 1, 2, 3, 0, 6, 4, 5};
    patient p;
    REQUIRE(take_arrays(&p, x, 6, edge, 2));
    REQUIRE(examine(&p));
    CHECK_DEFECTS(p.report, {SP_DEFECT_EDGE, 1}, );
    sp_defect d = first_of(p.report, SP_DEFECT_EDGE);
    CHECK(d.node_count == 2 && d.nodes[0] == 100 && d.nodes[1] == 101);
    CHECK_INT(sp_mesh_report_stats(p.report)->component_count, 1);
    done(&p);
    REQUIRE(take_arrays(&p, x, 7, node, 2));
    p.def.fix_orientation = false;
    REQUIRE(examine(&p));
    CHECK_INT(sp_mesh_report_count(p.report, SP_DEFECT_INVERTED, NULL), 1);  // the mirror image
    int swap = p.tets[6];
    p.tets[6] = p.tets[7], p.tets[7] = swap;
    sp_mesh_report_destroy(&p.report);
    REQUIRE(examine(&p));
    CHECK_DEFECTS(p.report, {SP_DEFECT_VERTEX, 1}, );
    CHECK_INT(first_of(p.report, SP_DEFECT_VERTEX).nodes[0], 100);
    CHECK_INT(sp_mesh_report_stats(p.report)->shell_count, 2);
    done(&p);
}

TEST(tetrahedra_that_run_into_each_other) {
    // the tip of the second is inside the first: its three faces intersect one face of the other
    static const double x[24] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 4, 0.5, 0.5, 0.5, 0.2, 0.2, -3, 0.5, 0.2, -3, 0.2, 0.5, -3};
    static const int tets[8] = {0, 1, 2, 3, 4, 5, 7, 6};
    patient p;
    REQUIRE(take_arrays(&p, x, 8, tets, 2));
    REQUIRE(examine(&p));
    CHECK_DEFECTS(p.report, {SP_DEFECT_INTERSECTION, 3}, );
    sp_defect d = first_of(p.report, SP_DEFECT_INTERSECTION);
    CHECK(d.element_count == 2 && d.elements[0] == 1000 && d.elements[1] == 1001);
    sp_mesh_report_destroy(&p.report);
    sp_examine_options o = sp_examine_options_default();
    o.intersections = false;
    REQUIRE(sp_mesh_examine(p.ctx, &p.def, &o, &p.report) == SP_OK);
    CHECK_DEFECTS(p.report, );
    done(&p);
}

TEST(lists_end_at_the_requested_length) {
    patient p;
    REQUIRE(take_box(&p));
    p.def.node_count = 27 + 30;
    sp_examine_options o = sp_examine_options_default();
    o.limit = 11;
    REQUIRE(sp_mesh_examine(p.ctx, &p.def, &o, &p.report) == SP_OK);
    CHECK_INT(sp_mesh_report_count(p.report, SP_DEFECT_UNREFERENCED, NULL), 30);
    sp_defect d;
    CHECK(sp_mesh_report_at(p.report, 10, &d) == SP_OK && sp_mesh_report_at(p.report, 11, &d) < 0);
    CHECK_INT(d.nodes[0], 137);
    done(&p);
}

TEST(invalid_arguments_are_refused) {
    patient p;
    REQUIRE(take_box(&p));
    sp_examine_options o = sp_examine_options_default();
    o.cookie = 0;
    CHECK_INT(sp_mesh_examine(p.ctx, &p.def, &o, &p.report), SP_BAD_INPUT);
    o = sp_examine_options_default(), o.limit = -1;
    CHECK_INT(sp_mesh_examine(p.ctx, &p.def, &o, &p.report), SP_BAD_INPUT);
    o = sp_examine_options_default(), o.tolerance = NAN;
    CHECK_INT(sp_mesh_examine(p.ctx, &p.def, &o, &p.report), SP_BAD_INPUT);
    p.def.positions = NULL;
    CHECK_INT(sp_mesh_examine(p.ctx, &p.def, NULL, &p.report), SP_BAD_INPUT);
    p.def.positions = p.x, p.def.element_count = -1;
    CHECK_INT(sp_mesh_examine(p.ctx, &p.def, NULL, &p.report), SP_BAD_INPUT);
    p.def.element_count = 0, p.def.node_count = 0;  // an empty mesh is healthy
    REQUIRE(examine(&p));
    CHECK_DEFECTS(p.report, );
    CHECK(isnan(sp_mesh_report_stats(p.report)->angle_min) && sp_mesh_report_stats(p.report)->worst == -1);
    CHECK(!sp_defect_name(SP_DEFECT_KINDS) && !sp_defect_text((sp_defect_kind)-1) && sp_defect_text(SP_DEFECT_FLAT));
    done(&p);
}

// ---------------------------------------------------------------------------------------------------- surfaces

typedef struct skin {
    sp_context *ctx;
    sp_trimesh_def def;
    double x[3 * NODES];
    int faces[3 * TETS];
    sp_mesh_report *report;
} skin;

static bool take_surface(skin *s, sp_trimesh_def from) {
    *s = (skin){.ctx = new_context(), .def = from};
    s->def.positions = s->x, s->def.faces = s->faces;
    memcpy(s->x, from.positions, (size_t)from.vertex_count * 3 * sizeof *s->x);
    memcpy(s->faces, from.faces, (size_t)from.face_count * 3 * sizeof *s->faces);
    return s->ctx != NULL;
}

// adds a copy, scaled and moved, inverted if requested
static void add_copy(skin *s, double scale, double shift, bool turn) {
    int v = s->def.vertex_count, f = s->def.face_count;
    for (int i = 0; i < 3 * v; i++) s->x[3 * v + i] = s->x[i] * scale + shift;
    for (int i = 0; i < 3 * f; i++) s->faces[3 * f + i] = s->faces[i] + v;
    for (int i = f; i < 2 * f && turn; i++) {
        int swap = s->faces[3 * i];
        s->faces[3 * i] = s->faces[3 * i + 1], s->faces[3 * i + 1] = swap;
    }
    s->def.vertex_count *= 2, s->def.face_count *= 2;
}

static bool look(skin *s) {
    sp_mesh_report_destroy(&s->report);
    return sp_trimesh_examine(s->ctx, &s->def, NULL, &s->report) == SP_OK;
}

static void end(skin *s) {
    sp_mesh_report_destroy(&s->report);
    sp_context_destroy(&s->ctx);
}

TEST(closed_surfaces) {
    skin s;
    REQUIRE(take_surface(&s, octahedron()));
    REQUIRE(look(&s));
    CHECK_DEFECTS(s.report, );
    const sp_mesh_stats *n = sp_mesh_report_stats(s.report);
    CHECK(!n->tetrahedra && n->closed_count == 1);
    CHECK_NEAR(n->volume, 4.0 / 3, 1e-15);
    CHECK_NEAR(n->area, 4 * sqrt(3), 1e-14);
    CHECK_NEAR(n->angle_min, 60, 1e-13);
    CHECK_NEAR(n->ratio_min, 1, 1e-15);
    CHECK_NEAR(n->aspect_max, 1, 1e-15);
    end(&s);
    // a cavity; a body inside a body; two next to each other
    static const struct {
        double scale, shift;
        bool turn;
        int wrong;
        double volume;
    } copies[] = {{0.5, 0.25, true, 0, 0.875}, {0.5, 0.25, false, 0, 1.125}, {1, 3, false, 0, 2}, {1, 3, true, 1, 0}};
    for (int i = 0; i < 4; i++) {
        REQUIRE(take_surface(&s, cube()));
        add_copy(&s, copies[i].scale, copies[i].shift, copies[i].turn);
        REQUIRE(look(&s));
        CHECK_DEFECTS(s.report, {SP_DEFECT_INSIDE_OUT, copies[i].wrong}, );
        CHECK_NEAR(sp_mesh_report_stats(s.report)->volume, copies[i].volume, 1e-13);  // products of numbers up to 4
        CHECK_INT(sp_mesh_report_stats(s.report)->shell_count, 2);
        end(&s);
    }
}

TEST(open_and_badly_oriented_surfaces) {
    skin s;
    REQUIRE(take_surface(&s, cube()));
    s.def.face_count--;  // without 1 7 5
    REQUIRE(look(&s));
    CHECK_DEFECTS(s.report, {SP_DEFECT_OPEN_EDGE, 3}, );
    sp_defect d = first_of(s.report, SP_DEFECT_OPEN_EDGE);
    CHECK(d.node_count == 2 && d.nodes[0] == 1 && d.nodes[1] == 5 && d.element_count == 1);
    CHECK(isnan(sp_mesh_report_stats(s.report)->volume) && sp_mesh_report_stats(s.report)->closed_count == 0);
    end(&s);
    static const int64_t node_ids[6] = {7, 8, 9, 10, 11, 12}, ids[8] = {50, 51, 52, 53, 54, 55, 56, 57};
    sp_examine_options o = sp_examine_options_default();
    o.node_ids = node_ids, o.element_ids = ids;
    REQUIRE(take_surface(&s, octahedron()));
    s.faces[0] = 2, s.faces[1] = 0;
    REQUIRE(sp_trimesh_examine(s.ctx, &s.def, &o, &s.report) == SP_OK);
    CHECK_DEFECTS(s.report, {SP_DEFECT_ORIENTATION, 3}, );
    d = first_of(s.report, SP_DEFECT_ORIENTATION);
    CHECK(d.elements[0] == 50 && d.elements[1] == 54 && d.nodes[0] == 7 && d.nodes[1] == 9);
    end(&s);
    REQUIRE(take_surface(&s, octahedron()));
    for (int f = 0; f < 8; f++) {
        int swap = s.faces[3 * f];
        s.faces[3 * f] = s.faces[3 * f + 1], s.faces[3 * f + 1] = swap;
    }
    REQUIRE(look(&s));
    CHECK_DEFECTS(s.report, {SP_DEFECT_INSIDE_OUT, 1}, );
    CHECK_NEAR(first_of(s.report, SP_DEFECT_INSIDE_OUT).value, -4.0 / 3, 1e-15);
    end(&s);
}

TEST(bad_triangles) {
    skin s;
    REQUIRE(take_surface(&s, octahedron()));
    static const int more[9] = {4, 2, 0, 0, 0, 3, 1, 2, 6};  // a duplicate, a degenerate one, a missing vertex
    memcpy(s.faces + 24, more, sizeof more);
    s.def.face_count += 3;
    REQUIRE(look(&s));
    CHECK_DEFECTS(s.report, {SP_DEFECT_DUPLICATE, 1}, {SP_DEFECT_FLAT, 1}, {SP_DEFECT_INDEX, 1}, );
    CHECK(first_of(s.report, SP_DEFECT_DUPLICATE).elements[0] == 0 && first_of(s.report, SP_DEFECT_DUPLICATE).elements[1] == 8);
    end(&s);
}

TEST(surfaces_that_intersect_themselves) {
    skin s;
    sp_trimesh_def d = sp_trimesh_def_default();
    static const double x[18] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 1, 1, -1, 1, 1, 1, 9, 9, 0};
    static const int faces[6] = {0, 1, 2, 3, 4, 5};
    d.vertex_count = 6, d.positions = x, d.face_count = 2, d.faces = faces;
    REQUIRE(take_surface(&s, d));
    REQUIRE(look(&s));
    CHECK_DEFECTS(s.report, {SP_DEFECT_INTERSECTION, 1}, {SP_DEFECT_OPEN_EDGE, 6}, );
    end(&s);
    // triangles with their own vertices, as in STL files: not an intersection, but open and with coincident nodes
    REQUIRE(take_surface(&s, octahedron()));
    for (int i = 0; i < 24; i++) {
        memcpy(s.x + 3 * i, octa_x + 3 * octa_faces[i], 3 * sizeof *s.x);
        s.faces[i] = i;
    }
    s.def.vertex_count = 24;
    REQUIRE(look(&s));
    CHECK_DEFECTS(s.report, {SP_DEFECT_COINCIDENT, 18}, {SP_DEFECT_OPEN_EDGE, 24}, );
    end(&s);
    // two overlapping cubes: intersecting faces of both
    REQUIRE(take_surface(&s, cube()));
    add_copy(&s, 1, 0.5, false);
    REQUIRE(look(&s));
    CHECK(sp_mesh_report_count(s.report, SP_DEFECT_INTERSECTION, NULL) >= 6);
    CHECK_INT(sp_mesh_report_count(s.report, SP_DEFECT_OPEN_EDGE, NULL), 0);
    end(&s);
}

static sp_status examine_all(sp_context *ctx) {
    sp_trimesh_def d = cube();
    static const int turned[36] = {2, 0, 3, 3, 0, 1, 5, 4, 7, 7, 4, 6, 1, 0, 5, 5, 0, 4,
                                   6, 2, 7, 7, 2, 3, 4, 0, 6, 6, 0, 2, 3, 1, 7, 7, 1, 5};
    static const double x[24] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 4, 0.5, 0.5, 0.5, 0.2, 0.2, -3, 0.5, 0.2, -3, 0.2, 0.5, -3};
    static const int tets[12] = {0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7};
    sp_mesh_def m = sp_mesh_def_default();
    m.node_count = 8, m.positions = x, m.element_count = 3, m.element_nodes = tets;
    d.faces = turned;
    sp_mesh_report *r = NULL;
    sp_status status = sp_trimesh_examine(ctx, &d, NULL, &r);
    sp_mesh_report_destroy(&r);
    if (status == SP_OK) status = sp_mesh_examine(ctx, &m, NULL, &r);
    sp_mesh_report_destroy(&r);
    return status;
}

TEST(every_allocation_may_fail) {
    for (long n = 1;; n++) {
        meter m = {.allowed = n};
        sp_context_def def = metered_context(&m);
        sp_context *ctx = NULL;
        if (sp_context_create(&def, &ctx) < 0) continue;
        sp_status status = examine_all(ctx);
        if (status < 0) CHECK(status == SP_NO_MEMORY && sp_context_error(ctx)->status == SP_NO_MEMORY);
        sp_context_destroy(&ctx);
        CHECK_INT(m.live, 0);
        if (status == SP_OK) break;
        REQUIRE(n < 1000);
    }
}
