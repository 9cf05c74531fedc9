// Refinement: volumes and boundaries are kept, there are no hanging nodes, angles stay bounded, groups and arrays are carried
// over.
#include "core/core.h"
#include "math/vec3.h"
#include "meter.h"
#include "souple/mesh.h"
#include "test.h"

static sp_context *new_context(void) {
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    def.workers = 1;
    sp_context_create(&def, &ctx);
    return ctx;
}

// no defect: conforming, nothing inverted, closed where it was closed; returns the statistics
static sp_mesh_stats check_health(const sp_mesh *m) {
    sp_mesh_def def = sp_mesh_def_default();
    sp_mesh_report *r = NULL;
    sp_mesh_stats stats = {0};
    def.node_count = sp_mesh_node_count(m), def.positions = sp_mesh_positions(m);
    def.element_count = sp_mesh_element_count(m), def.element_nodes = sp_mesh_tets(m);
    CHECK(sp_mesh_examine(sp_mesh_context(m), &def, NULL, &r) == SP_OK);
    if (!r) return stats;
    for (int k = 0; k < SP_DEFECT_KINDS; k++) CHECK_INT(sp_mesh_report_count(r, (sp_defect_kind)k, NULL), 0);
    stats = *sp_mesh_report_stats(r);
    sp_mesh_report_destroy(&r);
    return stats;
}

static double signed_volume(const sp_mesh *m, int t) {
    const int *tet = sp_mesh_tets(m) + 4 * t;
    const double *x = sp_mesh_positions(m);
    double e[9];
    for (int k = 0; k < 3; k++) sp__sub3(x + 3 * tet[k + 1], x + 3 * tet[0], e + 3 * k);
    return sp__det3(e) / 6;
}

TEST(each_into_eight_of_the_same_volume) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    static const double shapes[3][12] = {{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1},
                                         {0, 0, 0, 5, 0, 0.1, 1, 1, 0.2, 0.3, 0.1, 0.4},
                                         {0, 0, 0, 1, 0, 0, 0.5, 0.9, 0, 0.5, 0.3, 4}};
    static const int tets[4] = {0, 1, 2, 3};
    for (int s = 0; s < 3; s++) {
        sp_mesh *one, *eight;
        sp_mesh_def def = sp_mesh_def_default();
        def.node_count = 4, def.positions = shapes[s], def.element_count = 1, def.element_nodes = tets;
        REQUIRE(sp_mesh_create(ctx, &def, &one) == SP_OK);
        REQUIRE(sp_mesh_refined(one, 1, &eight) == SP_OK);
        CHECK(sp_mesh_node_count(eight) == 10 && sp_mesh_element_count(eight) == 8);
        // children of every diagonal have positive volume: nothing had to be reoriented
        for (int t = 0; t < 8; t++) CHECK_NEAR(signed_volume(eight, t), sp_mesh_volume(one) / 8, 1e-15);
        CHECK(!memcmp(sp_mesh_positions(eight), shapes[s], sizeof shapes[s]));
        check_health(eight);
        sp_mesh_destroy(&eight);
        sp_mesh_destroy(&one);
    }
    sp_context_destroy(&ctx);
}

// Bey 1995: the children of a tetrahedron have few shapes after any number of refinements; the smallest dihedral angle of the
// path tetrahedra of a box is 45 degrees and stays so, because the correct one of its two shortest diagonals gives path
// tetrahedra again
TEST(regular_refinement_keeps_angles) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    sp_mesh *box, *ball, *fine;
    REQUIRE(sp_mesh_box(ctx, (double[]){1, 1, 1}, (int[]){1, 1, 1}, 6, &box) == SP_OK);
    REQUIRE(sp_mesh_refined(box, 3, &fine) == SP_OK);
    sp_mesh_stats s = check_health(fine);
    CHECK_INT(s.element_count, 6 * 512);
    CHECK_NEAR(s.volume, 1, 1e-13);
    CHECK_NEAR(s.angle_min, 45, 1e-11);  // positions are exact, angles a few roundings
    CHECK_INT(s.face_count, 12 * 64);
    sp_mesh_destroy(&fine);
    REQUIRE(sp_mesh_sphere(ctx, (double[]){1, 1, 1}, 2, &ball) == SP_OK);
    sp_mesh_stats before = check_health(ball);
    REQUIRE(sp_mesh_refined(ball, 2, &fine) == SP_OK);
    s = check_health(fine);
    CHECK(s.angle_min > 0.6 * before.angle_min);
    CHECK_NEAR(s.volume, before.volume, 1e-11);  // a sum of 25000
    sp_mesh_destroy(&fine);
    sp_mesh_destroy(&ball);
    sp_mesh_destroy(&box);
    sp_context_destroy(&ctx);
}

// ---------------------------------------------------------------------------------------------------- groups and arrays

// a slab one cell thick: the group of both faces contains both ends of the edges across it, but not their midpoints
static sp_mesh *laden_slab(sp_context *ctx) {
    sp_mesh *box = NULL, *mesh = NULL;
    static double x_values[64], tet_values[200];
    static int left[100], both[64], inner[1];
    if (sp_mesh_box(ctx, (double[]){2, 1, 2}, (int[]){2, 1, 2}, 6, &box) < 0) return NULL;
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = sp_mesh_node_count(box), def.positions = sp_mesh_positions(box);
    def.element_count = sp_mesh_element_count(box), def.element_nodes = sp_mesh_tets(box);
    sp_mesh_group groups[3] = {{"left", left, 0, both, 0}, {"skin", NULL, 0, both, 0}, {"one", inner, 1, NULL, 0}};
    int64_t ids[64];
    for (int i = 0; i < def.node_count; i++) x_values[i] = def.positions[3 * i], both[i] = i, ids[i] = 5 * i;
    for (int t = 0; t < def.element_count; t++) {
        double centre = 0;
        for (int k = 0; k < 4; k++) centre += def.positions[3 * def.element_nodes[4 * t + k]] / 4;
        tet_values[t] = t;
        if (centre < 1) left[groups[0].element_count++] = t;
    }
    int left_nodes[64], n = 0;
    for (int i = 0; i < def.node_count; i++)
        if (def.positions[3 * i] <= 1) left_nodes[n++] = i;
    groups[0].nodes = left_nodes, groups[0].node_count = n;
    groups[1].node_count = def.node_count;
    sp_mesh_array arrays[2] = {{"x", x_values, false}, {"t", tet_values, true}};
    def.groups = groups, def.group_count = 3, def.arrays = arrays, def.array_count = 2, def.node_ids = ids;
    sp_mesh_create(ctx, &def, &mesh);
    sp_mesh_destroy(&box);
    return mesh;
}

static void check_carried(const sp_mesh *fine, int tets_of_left) {
    const sp_mesh_group *left = sp_mesh_group_named(fine, "left"), *skin = sp_mesh_group_named(fine, "skin");
    const sp_mesh_array *x = sp_mesh_array_named(fine, "x"), *t = sp_mesh_array_named(fine, "t");
    REQUIRE(left && skin && x && t);
    const double *p = sp_mesh_positions(fine);
    for (int i = 0; i < sp_mesh_node_count(fine); i++) CHECK(x->values[i] == p[3 * i]);
    if (tets_of_left) CHECK_INT(left->element_count, tets_of_left);
    double volume = 0;
    for (int i = 0; i < left->element_count; i++) volume += signed_volume(fine, left->elements[i]);
    CHECK_NEAR(volume, 2, 1e-13);
    // nodes of the left half: those of its elements and no other
    unsigned char *of = calloc((size_t)sp_mesh_node_count(fine), 1), *surface = calloc((size_t)sp_mesh_node_count(fine), 1);
    for (int i = 0; i < left->element_count; i++)
        for (int k = 0; k < 4; k++) of[sp_mesh_tets(fine)[4 * left->elements[i] + k]] = 1;
    for (int i = 0; i < left->node_count; i++) CHECK(of[left->nodes[i]]++ == 1);
    for (int i = 0; i < sp_mesh_node_count(fine); i++) CHECK(of[i] != 1);
    // the group "skin" is on the surface
    for (int i = 0; i < 3 * sp_mesh_face_count(fine); i++) surface[sp_mesh_faces(fine)[i]] = 1;
    int on = 0;
    for (int i = 0; i < sp_mesh_node_count(fine); i++) on += surface[i];
    for (int i = 0; i < skin->node_count; i++) CHECK(surface[skin->nodes[i]]);
    CHECK_INT(skin->node_count, on);
    // numbers: old ones are kept, new ones are larger
    CHECK_INT(sp_mesh_node_ids(fine)[17], 85);
    CHECK_INT(sp_mesh_node_ids(fine)[18], 86);
    free(of), free(surface);
}

TEST(groups_and_arrays_are_carried_over) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    sp_mesh *slab = laden_slab(ctx), *fine = NULL;
    REQUIRE(slab);
    REQUIRE(sp_mesh_refined(slab, 1, &fine) == SP_OK);
    check_carried(fine, 12 * 8);
    CHECK_INT(sp_mesh_group_named(fine, "one")->element_count, 8);
    CHECK_INT(sp_mesh_group_named(fine, "one")->node_count, 0);
    for (int i = 0; i < 8; i++) CHECK(sp_mesh_array_named(fine, "t")->values[sp_mesh_group_named(fine, "one")->elements[i]] == 0);
    sp_mesh_destroy(&fine);
    sp_selection all = sp_selection_default();
    REQUIRE(sp_mesh_refined_where(slab, &all, 0.6, 0, &fine) == SP_OK);
    check_carried(fine, 0);
    sp_mesh_destroy(&fine);
    sp_mesh_destroy(&slab);
    sp_context_destroy(&ctx);
}

// ---------------------------------------------------------------------------------------------------- local

TEST(local_refinement_of_a_selection) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    sp_mesh *ball, *fine;
    REQUIRE(sp_mesh_sphere(ctx, (double[]){1, 1, 1}, 4, &ball) == SP_OK);
    sp_mesh_stats before = check_health(ball);
    sp_selection corner = sp_selection_default();
    corner.has_sphere = true, corner.sphere[0] = 1, corner.sphere[3] = 0.4;
    REQUIRE(sp_mesh_refined_where(ball, &corner, 0.1, 0, &fine) == SP_OK);
    sp_mesh_stats s = check_health(fine);
    CHECK_NEAR(s.volume, before.volume, 1e-12);
    CHECK(s.element_count > 2 * before.element_count && s.element_count < 20 * before.element_count);
    // the selection is as fine as requested, elements far away are unchanged
    int close = 0, count;
    REQUIRE(sp_mesh_select(fine, &corner, SP_SELECT_ELEMENTS, NULL, 0, &count) == SP_OK);
    sp_selection far = sp_selection_default();
    far.has_plane = true, far.plane[0] = -0.3, far.plane[3] = -1;
    int far_before, far_after;
    REQUIRE(sp_mesh_select(ball, &far, SP_SELECT_ELEMENTS, NULL, 0, &far_before) == SP_OK);
    REQUIRE(sp_mesh_select(fine, &far, SP_SELECT_ELEMENTS, NULL, 0, &far_after) == SP_OK);
    CHECK(far_before > 100 && far_after < 1.2 * far_before);
    for (int t = 0; t < sp_mesh_element_count(fine); t++) {
        double centre[3] = {-1, 0, 0}, longest = 0, d[3];
        const int *tet = sp_mesh_tets(fine) + 4 * t;
        for (int i = 0; i < 4; i++) {
            sp__axpy3(centre, 0.25, sp_mesh_positions(fine) + 3 * tet[i], centre);
            for (int j = 0; j < i; j++) {
                sp__sub3(sp_mesh_positions(fine) + 3 * tet[i], sp_mesh_positions(fine) + 3 * tet[j], d);
                longest = fmax(longest, sp__norm3(d));
            }
        }
        if (sp__norm3(centre) > 0.2) continue;  // children of selected elements extend at least this far
        close++;
        CHECK(longest <= 0.1 * (1 + 1e-12));
    }
    CHECK(close > 50);
    // bisection of longest edges keeps angles: a third of the smallest is the worst case seen by Rivara and Levin
    CHECK(s.angle_min > before.angle_min / 3);
    sp_mesh_destroy(&fine);
    REQUIRE(sp_mesh_refined_where(ball, &corner, 0, 2, &fine) == SP_OK);
    CHECK(sp_mesh_element_count(fine) > before.element_count);
    check_health(fine);
    sp_mesh_destroy(&fine);
    REQUIRE(sp_mesh_refined_where(ball, &corner, 9, 0, &fine) == SP_OK);  // no edge is that long
    CHECK_INT(sp_mesh_element_count(fine), before.element_count);
    sp_mesh_destroy(&fine);
    sp_mesh_destroy(&ball);
    sp_context_destroy(&ctx);
}

TEST(refusals) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    sp_mesh *box, *out;
    sp_selection all = sp_selection_default();
    REQUIRE(sp_mesh_box(ctx, (double[]){1, 1, 1}, (int[]){10, 10, 10}, 6, &box) == SP_OK);
    CHECK_INT(sp_mesh_refined(box, 9, &out), SP_BAD_INPUT);
    CHECK_INT(sp_mesh_refined(box, -1, &out), SP_BAD_INPUT);
    CHECK_INT(sp_mesh_refined(box, 5, &out), SP_BAD_INPUT);
    CHECK(out == NULL && strstr(sp_context_error(ctx)->message, "134217728"));
    CHECK_INT(sp_mesh_refined_where(box, &all, NAN, 1, &out), SP_BAD_INPUT);
    CHECK_INT(sp_mesh_refined_where(box, &all, 0, -1, &out), SP_BAD_INPUT);
    all.group = "none";
    CHECK_INT(sp_mesh_refined_where(box, &all, 0, 1, &out), SP_BAD_INPUT);
    REQUIRE(sp_mesh_refined(box, 0, &out) == SP_OK);
    CHECK_INT(sp_mesh_element_count(out), 6000);
    sp_mesh_destroy(&out);
    sp_mesh_destroy(&box);
    sp_context_destroy(&ctx);
}

TEST(every_allocation_may_fail) {
    for (long n = 1;; n++) {
        meter m = {.allowed = n};
        sp_context_def def = metered_context(&m);
        sp_context *ctx = NULL;
        if (sp_context_create(&def, &ctx) < 0) continue;
        sp_mesh *slab = laden_slab(ctx), *a = NULL, *b = NULL;
        sp_selection all = sp_selection_default();
        sp_status status = slab ? SP_OK : SP_NO_MEMORY;
        if (status == SP_OK) status = sp_mesh_refined(slab, 2, &a);
        if (status == SP_OK) status = sp_mesh_refined_where(slab, &all, 0, 2, &b);
        if (status < 0) CHECK(status == SP_NO_MEMORY && sp_context_error(ctx)->status == SP_NO_MEMORY);
        sp_mesh_destroy(&a), sp_mesh_destroy(&b), sp_mesh_destroy(&slab);
        sp_context_destroy(&ctx);
        CHECK_INT(m.live, 0);
        if (status == SP_OK) break;
        REQUIRE(n < 2000);
    }
}
