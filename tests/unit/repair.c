// Repairs: known defects are repaired in the documented way and counted; everything else stays bit for bit.
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

static bool did(const sp_mesh_repairs *d, int welded, int nodes, int broken, int flat, int twins, int turned) {
    bool same = d->welded == welded && d->dropped_nodes == nodes && d->dropped_broken == broken && d->dropped_flat == flat &&
                d->dropped_duplicates == twins && d->turned == turned && d->unorientable == 0;
    if (!same)
        printf("  welded %d, nodes %d, broken %d, flat %d, twins %d, turned %d, unorientable %d\n", d->welded, d->dropped_nodes,
               d->dropped_broken, d->dropped_flat, d->dropped_duplicates, d->turned, d->unorientable);
    return same;
}

// ---------------------------------------------------------------------------------------------------- tetrahedra

// nodes: 0..3 a tetrahedron; 4 its mirror below; 5..7 duplicates of 0..2 (7 off by rounding); 8 unreferenced; 9 not finite
static const double sick_x[30] = {0, 0, 0, 1, 0, 0, 0,     1, 0, 0, 0, 1, 0, 0,   -1,
                                  0, 0, 0, 1, 0, 0, 1e-12, 1, 0, 5, 5, 5, 0, NAN, 0};
// 0 good; 1 below, on the duplicates, inverted; 2 a duplicate of 0 by the duplicate nodes; 3 flat; 4 a node twice after welding;
// 5, 6 broken
static const int sick_tets[28] = {0, 1, 2, 3, 5, 6, 7, 4, 3, 5, 7, 6, 0, 1, 2, 5, 0, 5, 1, 3, 0, 1, 2, 9, 0, 1, 2, 10};
static const int64_t sick_node_ids[10] = {11, 12, 13, 14, 15, 16, 17, 18, 19, 20}, sick_tet_ids[7] = {31, 32, 33, 34, 35, 36, 37};

static sp_mesh_def sick_mesh(void) {
    static const int g_elements[4] = {1, 2, 3, 6}, g_nodes[5] = {0, 5, 8, 4, 6}, gone[2] = {8, 9};
    static const sp_mesh_group groups[2] = {{"kept", g_elements, 4, g_nodes, 5}, {"gone", NULL, 0, gone, 2}};
    static const double per_node[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, per_tet[7] = {0, 1, 2, 3, 4, 5, 6};
    static const sp_mesh_array arrays[2] = {{"n", per_node, false}, {"t", per_tet, true}};
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = 10, def.positions = sick_x, def.element_count = 7, def.element_nodes = sick_tets;
    def.node_ids = sick_node_ids, def.element_ids = sick_tet_ids;
    def.groups = groups, def.group_count = 2, def.arrays = arrays, def.array_count = 2;
    return def;
}

TEST(tetrahedra_are_repaired) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    sp_mesh_def def = sick_mesh();
    sp_mesh_repairs done;
    sp_mesh *m;
    REQUIRE(sp_mesh_repaired(ctx, &def, NULL, &m, &done) == SP_OK);
    CHECK(did(&done, 3, 2, 2, 2, 1, 1));
    CHECK(sp_mesh_node_count(m) == 5 && sp_mesh_element_count(m) == 2);
    CHECK_NEAR(sp_mesh_volume(m), 1.0 / 3, 1e-15);
    CHECK_INT(sp_mesh_face_count(m), 6);  // welded: the face between them is inside
    CHECK(sp_mesh_node_ids(m)[4] == 15 && sp_mesh_element_ids(m)[0] == 31 && sp_mesh_element_ids(m)[1] == 32);
    CHECK(!memcmp(sp_mesh_positions(m), sick_x, 15 * sizeof(double)));
    const sp_mesh_group *g = sp_mesh_group_named(m, "kept");
    REQUIRE(g && !sp_mesh_group_named(m, "gone"));
    CHECK(g->element_count == 1 && g->elements[0] == 1);
    CHECK(g->node_count == 3 && g->nodes[0] == 0 && g->nodes[1] == 4 && g->nodes[2] == 1);
    CHECK(sp_mesh_array_named(m, "n")->values[2] == 2 && sp_mesh_array_named(m, "t")->values[1] == 1);
    // a second repair changes nothing
    sp_mesh *again;
    sp_mesh_def second = sp_mesh_def_default();
    second.node_count = 5, second.positions = sp_mesh_positions(m), second.element_count = 2,
    second.element_nodes = sp_mesh_tets(m);
    REQUIRE(sp_mesh_repaired(ctx, &second, NULL, &again, &done) == SP_OK);
    CHECK(did(&done, 0, 0, 0, 0, 0, 0));
    CHECK(!memcmp(sp_mesh_tets(again), sp_mesh_tets(m), 8 * sizeof(int)));
    sp_mesh_destroy(&again);
    sp_mesh_destroy(&m);
    sp_context_destroy(&ctx);
}

TEST(tolerance_and_refusals) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    sp_mesh_def def = sick_mesh();
    sp_mesh_repairs done;
    sp_mesh *m;
    sp_examine_options o = sp_examine_options_default();
    o.tolerance = 0;
    REQUIRE(sp_mesh_repaired(ctx, &def, &o, &m, &done) == SP_OK);
    CHECK_INT(done.welded, 2);  // the third is off by rounding
    sp_mesh_destroy(&m);
    def.element_nodes = sick_tets + 20, def.element_count = 2, def.element_ids = NULL, def.array_count = 0;
    CHECK_INT(sp_mesh_repaired(ctx, &def, NULL, &m, &done), SP_BAD_INPUT);
    CHECK(m == NULL && strstr(sp_context_error(ctx)->message, "nothing remains"));
    def.element_count = 0;
    CHECK_INT(sp_mesh_repaired(ctx, &def, NULL, &m, NULL), SP_BAD_INPUT);
    o.tolerance = INFINITY;
    def = sick_mesh();
    CHECK_INT(sp_mesh_repaired(ctx, &def, &o, &m, NULL), SP_BAD_INPUT);
    sp_context_destroy(&ctx);
}

// ---------------------------------------------------------------------------------------------------- surfaces

// no defect except, where allowed, open edges
static void check_sound(const sp_trimesh_def *d, bool open) {
    sp_context *ctx = new_context();
    sp_mesh_report *r = NULL;
    REQUIRE(ctx && sp_trimesh_examine(ctx, d, NULL, &r) == SP_OK);
    for (int k = 0; k < SP_DEFECT_KINDS; k++)
        if (!open || k != SP_DEFECT_OPEN_EDGE) CHECK_INT(sp_mesh_report_count(r, (sp_defect_kind)k, NULL), 0);
    sp_mesh_report_destroy(&r);
    sp_context_destroy(&ctx);
}

TEST(loose_triangles_become_a_surface) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    double x[72], colors[96] = {0};
    int faces[24];
    for (int i = 0; i < 24; i++) {
        memcpy(x + 3 * i, octa_x + 3 * octa_faces[i], 3 * sizeof *x);
        faces[i] = i;
        colors[4 * i] = i / 24.0;
    }
    // three of eight have the wrong orientation
    for (int f = 0; f < 24; f += 9) faces[f] = f + 1, faces[f + 1] = f;
    sp_trimesh_def d = octahedron(), got;
    d.vertex_count = 24, d.positions = x, d.faces = faces, d.colors = colors;
    d.texcoord_count = 24, d.texcoords = x;  // any numbers
    sp_trimesh *s;
    sp_mesh_repairs done;
    REQUIRE(sp_trimesh_repaired(ctx, &d, NULL, &s, &done) == SP_OK);
    CHECK(did(&done, 18, 0, 0, 0, 0, 3));
    sp_trimesh_get(s, &got);
    CHECK(got.vertex_count == 6 && got.face_count == 8);
    check_sound(&got, false);
    CHECK_NEAR(surface_volume(&got), 4.0 / 3, 1e-15);
    // every corner has its texture coordinates: those of its own vertex before the welding
    REQUIRE(got.face_texcoords);
    for (int i = 0; i < 24; i++) CHECK(!memcmp(x + 3 * got.face_texcoords[i], got.positions + 3 * got.faces[i], 3 * sizeof *x));
    CHECK(got.colors[4] == colors[4]);
    sp_trimesh_destroy(&s);
    sp_context_destroy(&ctx);
}

// a box in a box in a box, and one next to them, all oriented at random: outwards, as given inside, outwards again
TEST(insides_and_outsides) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    static const double low[4] = {0, 0.1, 0.2, 5}, size[4] = {1, 0.8, 0.6, 1};
    double x[96];
    int faces[144];
    for (int b = 0; b < 4; b++)
        for (int i = 0; i < 36; i++) {
            if (i < 24) x[24 * b + i] = low[b] + size[b] * cube_x[i];
            faces[36 * b + i] = 8 * b + cube_faces[i];
        }
    unsigned long long seed = 1;
    for (int f = 0; f < 48; f++) {
        // whole boxes 0 and 3 inverted, box 1 a correct cavity, 2 and some others at random
        bool turn = f < 24 || f >= 36 || sp_test_random(&seed) > 0.4;
        int swap = faces[3 * f];
        if (turn) faces[3 * f] = faces[3 * f + 1], faces[3 * f + 1] = swap;
    }
    sp_trimesh_def d = sp_trimesh_def_default(), got;
    d.vertex_count = 32, d.positions = x, d.face_count = 48, d.faces = faces;
    sp_trimesh *s;
    sp_mesh_repairs done;
    REQUIRE(sp_trimesh_repaired(ctx, &d, NULL, &s, &done) == SP_OK);
    sp_trimesh_get(s, &got);
    check_sound(&got, false);
    for (int b = 0; b < 4; b++) {
        sp_trimesh_def part = got;
        part.faces = got.faces + 36 * b, part.face_count = 12;
        double v = size[b] * size[b] * size[b];
        CHECK_NEAR(surface_volume(&part), b == 1 ? -v : v, 1e-12);  // products of numbers up to 6
    }
    CHECK(done.turned >= 24 && done.turned < 48);
    sp_trimesh_destroy(&s);
    sp_context_destroy(&ctx);
}

TEST(strips) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    double x[36];
    int faces[36];
    // a band of six squares; joined with a half turn it has only one side
    for (int moebius = 0; moebius < 2; moebius++) {
        for (int i = 0; i < 6; i++) {
            double a = acos(-1.0) / 3 * i, b = moebius ? 0.5 * a : 0;
            for (int s = 0; s < 2; s++) {
                double h = s ? 0.3 : -0.3, r = 1 + h * sin(b);
                x[6 * i + 3 * s] = r * cos(a), x[6 * i + 3 * s + 1] = r * sin(a), x[6 * i + 3 * s + 2] = h * cos(b);
            }
            int p = 2 * i, q = 2 * i + 1, u = 2 * ((i + 1) % 6), v = u + 1;
            if (i == 5 && moebius) u = 1, v = 0;
            const int two[6] = {p, u, v, p, v, q};
            memcpy(faces + 6 * i, two, sizeof two);
        }
        faces[7] = moebius ? faces[7] : faces[8], faces[8] = moebius ? faces[8] : 4;  // one triangle reversed
        sp_trimesh_def d = sp_trimesh_def_default();
        d.vertex_count = 12, d.positions = x, d.face_count = 12, d.faces = faces;
        sp_trimesh *s;
        sp_mesh_repairs done;
        REQUIRE(sp_trimesh_repaired(ctx, &d, NULL, &s, &done) == SP_OK);
        CHECK_INT(done.unorientable, moebius);
        if (!moebius) CHECK(done.turned > 0);
        sp_trimesh_destroy(&s);
    }
    sp_context_destroy(&ctx);
}

TEST(every_allocation_may_fail) {
    static const int turned[36] = {2, 0, 3, 3, 0, 1, 5, 4, 7, 7, 4, 6, 1, 0, 5, 5, 0, 4,
                                   6, 2, 7, 7, 2, 3, 4, 0, 6, 6, 0, 2, 3, 1, 7, 7, 1, 5};
    for (long n = 1;; n++) {
        meter m = {.allowed = n};
        sp_context_def def = metered_context(&m);
        sp_context *ctx = NULL;
        if (sp_context_create(&def, &ctx) < 0) continue;
        sp_mesh_def sick = sick_mesh();
        sp_trimesh_def d = cube();
        d.faces = turned;
        sp_mesh *mesh = NULL;
        sp_trimesh *s = NULL;
        sp_status status = sp_mesh_repaired(ctx, &sick, NULL, &mesh, NULL);
        if (status == SP_OK) status = sp_trimesh_repaired(ctx, &d, NULL, &s, NULL);
        if (status < 0) CHECK(status == SP_NO_MEMORY && sp_context_error(ctx)->status == SP_NO_MEMORY);
        sp_mesh_destroy(&mesh), sp_trimesh_destroy(&s);
        sp_context_destroy(&ctx);
        CHECK_INT(m.live, 0);
        if (status == SP_OK) break;
        REQUIRE(n < 1000);
    }
}
