// Collision detection: exact distances and normals of simple configurations, complete contact sets of faces that rest on each
// other, vertices that start inside, motion between the states.
#include "collide_help.h"

static sp_context *ctx;
static sp_collide *set;
static help_mesh a, b;

static void start(void) {
    ctx = help_context(1);
    set = help_set(ctx);
}

static void finish(void) {
    sp__collide_destroy(&set);
    sp_context_destroy(&ctx);
}

static const double ORIGIN[3] = {0, 0, 0}, UP[3] = {0, 0, 1};

// rounding of coordinates of size 1
static const double EPS = 1e-14;

TEST(every_node_of_a_face_on_a_plane) {
    start();
    help_box(&a, (double[]){0, 0, 0.01}, (double[]){1, 1, 1.01}, 8);
    help_add_mesh(set, 1, &a);
    help_add_shape(set, 2, SP_COLLIDER_PLANE, 0, ORIGIN, UP);
    // the free state is below the plane, and tilted
    for (int i = 0; i < a.nv; i++) a.x1[3 * i + 2] -= 0.02 + 0.01 * a.x0[3 * i];
    sp_found f = help_find(set, SP_BROAD_TREE, 0.02, 0);
    CHECK_INT(f.count, 81);
    for (int i = 0; i < f.count; i++) {
        const sp_contact_found *c = &f.contacts[i];
        double x = a.x0[3 * c->a.vertex[0]];
        CHECK(c->a.feature == SP_FEATURE_VERTEX && c->a.count == 1 && c->a.weight[0] == 1 && c->b.feature == SP_FEATURE_SHAPE);
        CHECK_NEAR(c->distance0, 0.01, EPS);
        CHECK_NEAR(c->distance1, -0.01 - 0.01 * x, EPS);
        CHECK(c->normal[2] == 1 && c->normal[0] == 0 && c->normal[1] == 0);
        CHECK(c->key[0] == sp__contact_key(1, SP_FEATURE_VERTEX, c->a.vertex[0]) && (i == 0 || c[-1].key[0] < c->key[0]));
        CHECK_NEAR(c->b.point[2], 0, EPS);
        CHECK_NEAR(c->a.point[2], 0.01, EPS);
    }
    finish();
}

// number of contacts of vertices at z = height with vertical normals
static int vertical(const sp_found *f, double distance, double tolerance) {
    int n = 0;
    for (int i = 0; i < f->count; i++)
        n += fabs(fabs(f->contacts[i].normal[2]) - 1) < EPS && fabs(f->contacts[i].distance0 - distance) <= tolerance;
    return n;
}

// All 81 nodes of the lower face, over a larger box of another grid: over its faces, edges and vertices.
TEST(every_node_of_a_face_on_a_larger_mesh) {
    for (int cells = 1; cells <= 6; cells++)
        for (int gap = -1; gap <= 1; gap++) {
            start();
            help_box(&a, (double[]){0, 0, 0.001 * gap}, (double[]){1, 1, 1}, 8);
            help_box(&b, (double[]){-1, -0.5, -1}, (double[]){2, 1.5, 0}, cells);
            help_add_mesh(set, 1, &a), help_add_mesh(set, 2, &b);
            sp_found f = help_find(set, SP_BROAD_TREE, 0.01, 0.01);
            bool seen[HELP_VERTICES] = {false};
            int nodes = 0;
            for (int i = 0; i < f.count; i++)
                if (f.contacts[i].a.feature == SP_FEATURE_VERTEX)
                    nodes += !seen[f.contacts[i].a.index], seen[f.contacts[i].a.index] = true;
            CHECK_INT(nodes, 81);
            // each node once; and the nodes of the larger box below
            CHECK_INT(vertical(&f, 0.001 * gap, 1e-12), f.count);
            int below = 0;
            for (int i = 0; i < b.nv; i++) {
                const double *x = b.x0 + 3 * i;
                below += x[2] == 0 && x[0] > -1e-9 && x[0] < 1 + 1e-9 && x[1] > -1e-9 && x[1] < 1 + 1e-9;
            }
            CHECK(f.count >= 81 && f.count <= 81 + below);
            finish();
        }
}

// Equal boxes stacked on each other, with a gap, an overlap or neither, and shifted by less than any tolerance: four corners, all
// normals vertical.
TEST(equal_boxes_stacked) {
    for (int cells = 1; cells <= 4; cells += 3)
        for (int gap = -1; gap <= 1; gap++)
            for (int shift = 0; shift < 4; shift++) {
                start();
                help_box(&a, (double[]){0, 0, 1}, (double[]){1, 1, 2}, cells);
                help_box(&b, (double[]){0, 0, 0}, (double[]){1, 1, 1}, cells);
                help_shift(a.x0, a.nv, 1e-9 * (shift % 2), -2e-9 * (shift / 2), 0.0001 * gap);
                memcpy(a.x1, a.x0, sizeof a.x0);
                help_add_mesh(set, 1, &a), help_add_mesh(set, 2, &b);
                sp_found f = help_find(set, SP_BROAD_TREE, 0.01, 0.01);
                CHECK_INT(vertical(&f, 0.0001 * gap, 1e-12), f.count);
                CHECK_INT(f.count, (cells + 1) * (cells + 1));
                finish();
            }
}

// Box turned on a box: its four corners inside the other face, or eight crossings of edges.
TEST(turned_box_on_a_box) {
    start();
    help_box(&a, (double[]){-1, -1, 0.001}, (double[]){1, 1, 1}, 1);
    help_box(&b, (double[]){-1, -1, -1}, (double[]){1, 1, 0}, 1);
    help_turn(a.x0, a.nv, UP, SP_PI / 4);
    memcpy(a.x1, a.x0, sizeof a.x0);
    help_add_mesh(set, 1, &a), help_add_mesh(set, 2, &b);
    sp_found f = help_find(set, SP_BROAD_TREE, 0.01, 0.01);
    CHECK_INT(f.count, 8);
    CHECK_INT(help_count(&f, SP_FEATURE_EDGE, SP_FEATURE_EDGE), 8);
    CHECK_INT(vertical(&f, 0.001, 1e-12), 8);
    for (int i = 0; i < f.count; i++) {
        // the crossings: |x| = 1 and |y| = sqrt(2) - 1, or the other way round
        const double *p = f.contacts[i].a.point;
        CHECK_NEAR(fmax(fabs(p[0]), fabs(p[1])), 1, EPS);
        CHECK_NEAR(fmin(fabs(p[0]), fabs(p[1])), sqrt(2) - 1, EPS);
    }
    finish();
}

TEST(crossing_edges_and_corner_on_a_face) {
    start();
    // a box on its edge along x, above the edge along y of another
    help_box(&a, (double[]){-1, -1, -1}, (double[]){1, 1, 1}, 1);
    help_turn(a.x0, a.nv, (double[]){1, 0, 0}, SP_PI / 4);
    help_shift(a.x0, a.nv, 0, 0, sqrt(2) + 0.03);
    memcpy(a.x1, a.x0, sizeof a.x0);
    help_box(&b, (double[]){-1, -1, -1}, (double[]){1, 1, 1}, 1);
    help_turn(b.x0, b.nv, (double[]){0, 1, 0}, SP_PI / 4);
    help_shift(b.x0, b.nv, 0, 0, -sqrt(2));
    memcpy(b.x1, b.x0, sizeof b.x0);
    help_add_mesh(set, 1, &a);
    int lower = help_add_mesh(set, 2, &b);
    sp_found f = help_find(set, SP_BROAD_TREE, 0.05, 0.05);
    CHECK_INT(f.count, 1);
    CHECK(f.count == 1 && f.contacts[0].a.feature == SP_FEATURE_EDGE && f.contacts[0].b.feature == SP_FEATURE_EDGE);
    if (f.count) CHECK_NEAR(f.contacts[0].distance0, 0.03, EPS);
    if (f.count) CHECK_NEAR(f.contacts[0].normal[2], 1, EPS);
    // 0.01 deep into each other: the same contact with the same normal
    help_shift(b.x0, b.nv, 0, 0, 0.04);
    memcpy(b.x1, b.x0, sizeof b.x0);
    sp__collider_move(set, lower, b.x0, b.x1);
    f = help_find(set, SP_BROAD_TREE, 0.05, 0.05);
    CHECK_INT(f.count, 1);
    if (f.count) CHECK_NEAR(f.contacts[0].distance0, -0.01, EPS);
    if (f.count) CHECK_NEAR(f.contacts[0].normal[2], 1, EPS);
    sp__collider_remove(set, lower);
    // a corner over a face
    help_box(&b, (double[]){-3, -3, -1}, (double[]){3, 3, -0.02}, 3);
    help_turn(a.x0, a.nv, (double[]){0, 1, 0}, 0.3);
    double least = INFINITY;
    for (int i = 0; i < a.nv; i++) least = fmin(least, a.x0[3 * i + 2]);
    help_shift(a.x0, a.nv, 0.1, 0.2, -least);
    memcpy(a.x1, a.x0, sizeof a.x0);
    sp__collider_move(set, 0, a.x0, a.x1);
    help_add_mesh(set, 3, &b);
    f = help_find(set, SP_BROAD_TREE, 0.05, 0.05);
    CHECK_INT(f.count, 1);
    CHECK_INT(help_count(&f, SP_FEATURE_VERTEX, SP_FEATURE_FACE), 1);
    if (f.count) CHECK_NEAR(f.contacts[0].distance0, 0.02, EPS);
    finish();
}

// Crossing edges that are deep in each other, without a vertex inside: found up to `depth`, by all methods.
TEST(crossing_edges_deep_in_each_other) {
    for (int method = SP_BROAD_TREE; method <= SP_BROAD_BRUTE; method++) {
        start();
        help_box(&a, (double[]){-1, -1, -1}, (double[]){1, 1, 1}, 1);
        help_turn(a.x0, a.nv, (double[]){1, 0, 0}, SP_PI / 4);
        help_shift(a.x0, a.nv, 0, 0, sqrt(2) - 0.3);
        memcpy(a.x1, a.x0, sizeof a.x0);
        help_box(&b, (double[]){-1, -1, -1}, (double[]){1, 1, 1}, 1);
        help_turn(b.x0, b.nv, (double[]){0, 1, 0}, SP_PI / 4);
        help_shift(b.x0, b.nv, 0, 0, -sqrt(2));
        memcpy(b.x1, b.x0, sizeof b.x0);
        help_add_mesh(set, 1, &a), help_add_mesh(set, 2, &b);
        sp_found f = help_find(set, (sp_broad)method, 0.05, 0.4);
        CHECK_INT(f.count, 1);
        if (f.count) CHECK_NEAR(f.contacts[0].distance0, -0.3, EPS);
        if (f.count) CHECK_NEAR(f.contacts[0].normal[2], 1, EPS);
        f = help_find(set, (sp_broad)method, 0.05, 0.2);
        CHECK_INT(f.count, 0);
        finish();
    }
}

static bool edges_are_pressed(void *user, const uint64_t key[2]) {
    const uint64_t *pressed = user;
    return pressed[0] == key[0] && pressed[1] == key[1];
}

// pressed: the key of a contact that carried a force; NULL: there was none
static sp_found find_pressed(bool flat, uint64_t *pressed) {
    sp_collide_options o = {.rule = {.alarm = 0.02, .depth = 0.02, .flat = flat}, .user = pressed};
    sp_found found;
    if (pressed) o.pressed = edges_are_pressed;
    CHECK(sp__collide_find(set, &o, &found) >= 0);
    return found;
}

static int help_add_soft(uint32_t id, const help_mesh *m, bool soft) {
    return help_add(
        set,
        (sp_collider_def){
            .id = id, .vertex_count = m->nv, .items = m->faces, .item_count = m->nf, .flags = soft ? SP_COLLIDER_SOFT : 0},
        m->x0, m->x1);
}

// The top of the lower box is a ridge along its diagonal, 0.8 degrees on each side, and the bottom of the upper one another ridge
// across it. The corners of the upper one touch, and the ridges overlap by 5 mm.
TEST(flat_edges_of_soft_surfaces) {
    const double ridge = 0.01;
    for (int soft = 0; soft < 2; soft++) {
        start();
        help_box(&a, (double[]){0, 0, -1}, (double[]){1, 1, 0}, 1);
        for (int i = 0; i < a.nv; i++)
            if (a.x0[3 * i + 2] == 0 && a.x0[3 * i] == a.x0[3 * i + 1]) a.x0[3 * i + 2] = ridge;
        memcpy(a.x1, a.x0, sizeof a.x0);
        help_box(&b, (double[]){-0.25, -0.25, 0}, (double[]){0.25, 0.25, 0.5}, 1);
        help_turn(b.x0, b.nv, UP, SP_PI / 2);
        help_shift(b.x0, b.nv, 0.5, 0.5, 0);
        for (int i = 0; i < b.nv; i++)
            if (b.x0[3 * i + 2] == 0) b.x0[3 * i + 2] = fabs(b.x0[3 * i] - b.x0[3 * i + 1]) < 0.1 ? ridge : ridge / 2;
        memcpy(b.x1, b.x0, sizeof b.x0);
        help_add_soft(1, &a, soft), help_add_soft(2, &b, soft);
        uint64_t key[2] = {0};
        for (int mode = 0; mode < 3; mode++) {
            sp_found f = find_pressed(mode == 1, mode == 2 ? key : NULL);
            const int edges = help_count(&f, SP_FEATURE_EDGE, SP_FEATURE_EDGE);
            CHECK_INT(f.count - edges, 4);
            CHECK_INT(edges, soft && mode > 0);
            for (int i = 0; i < f.count && edges; i++) {
                const sp_contact_found *c = &f.contacts[i];
                if (c->a.feature != SP_FEATURE_EDGE || c->b.feature != SP_FEATURE_EDGE) continue;
                CHECK_NEAR(c->distance0, -ridge / 2, EPS);
                CHECK_NEAR(c->normal[2], -1, EPS);
                CHECK_NEAR(c->a.weight[0], 0.5, 1e-12);
                CHECK_NEAR(c->b.weight[0], 0.5, 1e-12);
                memcpy(key, c->key, sizeof key);
            }
        }
        finish();
    }
}

// The end of an edge on another one: no contact of edges, unless they have been one. The tolerance is 2e-4, 1 % of alarm.
TEST(pressed_edges_that_meet_at_an_end) {
    uint64_t key[2] = {0};
    for (int place = -3; place <= 3; place++) {
        start();
        const double beyond = 0.9e-4 * place;
        help_box(&a, (double[]){-1, -1, -1}, (double[]){1, 1, 1}, 1);
        help_turn(a.x0, a.nv, (double[]){1, 0, 0}, SP_PI / 4);
        help_shift(a.x0, a.nv, -1 - beyond, 0, sqrt(2));
        memcpy(a.x1, a.x0, sizeof a.x0);
        help_box(&b, (double[]){-1, -1, -1}, (double[]){1, 1, 1}, 1);
        help_turn(b.x0, b.nv, (double[]){0, 1, 0}, SP_PI / 4);
        help_shift(b.x0, b.nv, 0, 0, -sqrt(2));
        memcpy(b.x1, b.x0, sizeof b.x0);
        help_add_soft(1, &a, true), help_add_soft(2, &b, false);
        sp_found f = find_pressed(false, NULL);
        CHECK_INT(help_count(&f, SP_FEATURE_EDGE, SP_FEATURE_EDGE), place < -2);
        if (place == -3 && f.count) memcpy(key, f.contacts[0].key, sizeof key);
        f = find_pressed(false, key);
        CHECK_INT(help_count(&f, SP_FEATURE_EDGE, SP_FEATURE_EDGE), place < 3);
        finish();
    }
}

TEST(spheres_and_capsules) {
    start();
    const double p[3] = {0, 0, 0}, q[3] = {0, 3, 4};
    help_add_shape(set, 1, SP_COLLIDER_SPHERE, 2, p, p);
    help_add_shape(set, 2, SP_COLLIDER_SPHERE, 2.5, q, q);
    help_add_shape(set, 3, SP_COLLIDER_CAPSULE, 0.5, (double[]){-2, 0, 3}, (double[]){2, 0, 3});
    help_add_shape(set, 4, SP_COLLIDER_PLANE, 0, (double[]){0, 0, -2.25}, UP);
    sp_found f = help_find(set, SP_BROAD_TREE, 0.6, 0);
    REQUIRE(f.count == 4);
    // in the order of keys. Centres are 5, 3, 2.25 and sqrt(10) apart
    const sp_contact_found *c = f.contacts;
    CHECK_NEAR(c[0].distance0, 5 - 4.5, EPS);
    CHECK_NEAR(c[0].normal[1], -0.6, EPS);
    CHECK_NEAR(c[0].normal[2], -0.8, EPS);
    CHECK_NEAR(c[0].a.point[2], 2 * 0.8, EPS);
    CHECK_NEAR(c[0].b.point[2], 4 - 2.5 * 0.8, EPS);
    CHECK_NEAR(c[1].distance0, 3 - 2.5, EPS);
    CHECK_NEAR(c[2].distance0, 2.25 - 2, EPS);
    CHECK_NEAR(c[3].distance0, sqrt(10) - 3, EPS);
    CHECK(c[3].a.collider == 2 && c[3].b.collider == 3 && c[3].a.count == 0 && c[3].b.count == 0);
    finish();
}

// ---------------------------------------------------------------------------------------------------- rods

TEST(rods_as_capsules) {
    start();
    // along x at z = 0.1, radius growing from 0.01 to 0.03; along y at z = 0; a face below at z = -0.05
    const double x[] = {-1, 0.2, 0.1, 1, 0.2, 0.1}, y[] = {0, -1, 0, 0, 1, 0}, radii[] = {0.01, 0.03};
    const uint32_t segment[] = {0, 1};
    help_add(set,
             (sp_collider_def){
                 .type = SP_COLLIDER_SEGMENTS, .id = 1, .vertex_count = 2, .items = segment, .item_count = 1, .radii = radii},
             x, x);
    help_add(set,
             (sp_collider_def){
                 .type = SP_COLLIDER_SEGMENTS, .id = 2, .vertex_count = 2, .items = segment, .item_count = 1, .radius = 0.04},
             y, y);
    help_box(&b, (double[]){-0.5, -0.5, -1}, (double[]){0.5, 0.5, -0.05}, 1);
    help_add_mesh(set, 3, &b);
    sp_found f = help_find(set, SP_BROAD_TREE, 0.05, 0.05);
    REQUIRE(f.count >= 1);
    const sp_contact_found *c = &f.contacts[0];
    CHECK(c->a.feature == SP_FEATURE_EDGE && c->b.feature == SP_FEATURE_EDGE && c->a.collider == 1 && c->b.collider == 2);
    CHECK_NEAR(c->distance0, 0.1 - 0.02 - 0.04, EPS);
    CHECK_NEAR(c->a.weight[1], 0.5, EPS);
    CHECK_NEAR(c->b.weight[1], 0.6, EPS);
    CHECK_NEAR(c->a.point[2], 0.1 - 0.02, EPS);
    CHECK_NEAR(c->b.point[2], 0.04, EPS);
    // the second rod crosses two sides of the box and the diagonal of its upper face
    int sides = 0;
    for (int i = 1; i < f.count; i++) {
        CHECK(f.contacts[i].a.collider == 2 && f.contacts[i].b.collider == 3);
        CHECK_NEAR(f.contacts[i].distance0, 0.01, EPS);
        CHECK_NEAR(f.contacts[i].normal[2], 1, EPS);
        sides += fabs(fabs(f.contacts[i].b.point[1]) - 0.5) < EPS;
    }
    CHECK_INT(sides, 2);
    finish();
}

// Parallel capsules touch at the ends of their common part.
TEST(parallel_capsules) {
    start();
    help_add_shape(set, 1, SP_COLLIDER_CAPSULE, 0.1, (double[]){-1, 0, 0}, (double[]){1, 0, 0});
    help_add_shape(set, 2, SP_COLLIDER_CAPSULE, 0.1, (double[]){-2, 0, 0.25}, (double[]){0.5, 0, 0.25});
    sp_found f = help_find(set, SP_BROAD_TREE, 0.1, 0);
    CHECK_INT(f.count, 2);
    for (int i = 0; i < f.count; i++) CHECK_NEAR(f.contacts[i].distance0, 0.05, EPS);
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < f.count; i++) least = fmin(least, f.contacts[i].a.point[0]), most = fmax(most, f.contacts[i].a.point[0]);
    CHECK_NEAR(least, -1, EPS);
    CHECK_NEAR(most, 0.5, EPS);
    finish();
}

TEST(sphere_on_a_mesh) {
    start();
    help_box(&b, (double[]){-1, -1, -1}, (double[]){1, 1, 0}, 4);
    help_add_mesh(set, 2, &b);
    // over a face; over a node, where the vertex of the mesh and the centre make one contact; beside the box
    const double at[3][3] = {{0.2, 0.1, 0.101}, {0.5, 0, 0.101}, {1.08, 0.1, 0.06}};
    for (int i = 0; i < 3; i++) {
        int ball = help_add_shape(set, 1, SP_COLLIDER_SPHERE, 0.1, at[i], at[i]);
        sp_found f = help_find(set, SP_BROAD_TREE, 0.004, 0.004);
        CHECK_INT(f.count, 1);
        if (f.count) CHECK_NEAR(f.contacts[0].distance0, i < 2 ? 0.001 : 0, EPS);
        if (f.count) CHECK_NEAR(f.contacts[0].normal[2], i < 2 ? 1 : 0.6, 1e-13);
        sp__collider_remove(set, ball);
    }
    // pressed into a fine mesh: every node inside is found
    sp__collider_remove(set, 0);
    help_box(&b, (double[]){-1, -1, -1}, (double[]){1, 1, 0}, 20);
    help_add_mesh(set, 2, &b);
    help_add_shape(set, 1, SP_COLLIDER_SPHERE, 1, (double[]){0.03, 0.04, 0.9}, ORIGIN);
    sp_found f = help_find(set, SP_BROAD_TREE, 0.01, 0.2);
    int inside = 0, found = 0;
    for (int i = 0; i < b.nv; i++) inside += hypot(hypot(b.x0[3 * i] - 0.03, b.x0[3 * i + 1] - 0.04), b.x0[3 * i + 2] - 0.9) < 1;
    for (int i = 0; i < f.count; i++) found += f.contacts[i].b.feature == SP_FEATURE_VERTEX && f.contacts[i].distance0 < 0;
    CHECK(inside > 20);
    CHECK_INT(found, inside);
    finish();
}

// ---------------------------------------------------------------------------------------------------- motion, sides, rules

// A small box that passes through a thin plate in one step, and a vertex far beyond it: caught by the swept boxes, with the side
// of the committed state.
TEST(fast_motion_is_caught) {
    for (int grid = 1; grid <= 9; grid += 4)
        for (int both = 0; both < 2; both++) {
            start();
            help_box(&a, (double[]){-0.01, -0.013, 0.4}, (double[]){0.012, 0.011, 0.42}, 1);
            help_shift(a.x1, a.nv, 0.1, 0.05, -0.9);
            help_box(&b, (double[]){-1, -1, -0.002}, (double[]){1, 1, 0.002}, grid);
            help_add_mesh(set, 1, &a);
            help_add(set,
                     (sp_collider_def){.id = 2,
                                       .vertex_count = b.nv,
                                       .items = b.faces,
                                       .item_count = b.nf,
                                       .side = both ? SP_SIDE_BOTH : SP_SIDE_OUTSIDE},
                     b.x0, b.x1);
            sp_found f = help_find(set, SP_BROAD_TREE, 0.001, 0.001);
            bool hit[8] = {false};
            for (int i = 0; i < f.count; i++) {
                const sp_contact_found *c = &f.contacts[i];
                CHECK_NEAR(c->normal[2], 1, EPS);
                CHECK(c->distance0 > 0.39 && c->distance1 < -0.4);
                if (c->a.feature == SP_FEATURE_VERTEX) hit[c->a.index] = true;
            }
            for (int i = 0; i < 8; i++) CHECK(hit[i]);
            finish();
        }
}

TEST(rods_that_pass_each_other_are_caught) {
    start();
    const double x[] = {-1, 0, 0.3, 1, 0, 0.3}, x1[] = {-1, 0, -0.4, 1, 0, -0.4}, y[] = {0.1, -1, 0, 0.1, 1, 0};
    const uint32_t segment[] = {0, 1};
    sp_collider_def d = {
        .type = SP_COLLIDER_SEGMENTS, .id = 1, .vertex_count = 2, .items = segment, .item_count = 1, .radius = 0.001};
    help_add(set, d, x, x1);
    d.id = 2;
    help_add(set, d, y, y);
    sp_found f = help_find(set, SP_BROAD_TREE, 0.001, 0);
    CHECK_INT(f.count, 1);
    if (f.count) CHECK_NEAR(f.contacts[0].normal[2], 1, EPS);
    if (f.count) CHECK_NEAR(f.contacts[0].distance1, -0.4 - 0.002, EPS);
    finish();
}

// A small box passes through a slab of half its size, and its upper side ends just beyond it. Only the side where it enters holds
// it: a contact with the far side, behind which the box was, would pull it through.
TEST(the_far_side_does_not_pull_through) {
    for (int turn = 0; turn < 4; turn++) {
        start();
        help_box(&a, (double[]){-0.1, -0.1, 0.1}, (double[]){0.1, 0.1, 0.3}, 2);
        help_box(&b, (double[]){-1, -1, -0.05}, (double[]){1, 1, 0.05}, 5);
        help_turn(a.x0, a.nv, (double[]){1, 0.3, 0}, 0.1 * turn);
        memcpy(a.x1, a.x0, 3 * (size_t)a.nv * sizeof *a.x0);
        help_shift(a.x1, a.nv, 0.02 * turn, 0, -0.365);
        help_add_mesh(set, 1, &a), help_add_mesh(set, 2, &b);
        sp_found f = help_find(set, SP_BROAD_TREE, 0.02, 0.16);
        CHECK(f.count >= 4);
        for (int k = 0; k < f.count; k++) {
            CHECK(f.contacts[k].normal[2] > 0);
            CHECK(f.contacts[k].distance0 > -0.02 / 4);
        }
        finish();
    }
}

// A soft block that sags over a ball, a little too deep, and is lifted: its edges leave those of the ball upwards. They are not
// held back from below.
TEST(edges_that_separate_are_not_held_back) {
    uint64_t seed = 6;
    int edges = 0, down = 0;
    for (int i = 0; i < 40; i++) {
        start();
        help_box(&a, (double[]){-0.5, -0.5, 0}, (double[]){0.5, 0.5, 0.2}, 3 + i % 5);
        help_sphere(&b, (double[]){0, 0, -1}, 1, 12);
        double x = 0.1 * help_uniform(&seed), y = 0.1 * help_uniform(&seed), sag = 0.25 * (1 + help_uniform(&seed));
        double deep = pow(10, -3 + 1.5 * help_uniform(&seed)), up = pow(10, -2 + help_uniform(&seed));
        double alarm = pow(10, -1.7 + 0.5 * help_uniform(&seed));
        for (int v = 0; v < a.nv; v++) {
            double *p = a.x0 + 3 * v;
            p[0] += x, p[1] += y, p[2] -= sag * (p[0] * p[0] + p[1] * p[1]) + deep;
            for (int k = 0; k < 3; k++) a.x1[3 * v + k] = p[k] + (k == 2 ? up : 0) + 0.2 * up * help_uniform(&seed);
        }
        sp_collider_def soft = {.id = 1, .vertex_count = a.nv, .items = a.faces, .item_count = a.nf, .flags = SP_COLLIDER_SOFT};
        help_add(set, soft, a.x0, a.x1);
        help_add_mesh(set, 2, &b);
        sp_found f = help_find(set, SP_BROAD_TREE, alarm, 8 * alarm);
        edges += help_count(&f, SP_FEATURE_EDGE, SP_FEATURE_EDGE);
        for (int k = 0; k < f.count; k++) down += f.contacts[k].normal[2] < 0;
        finish();
    }
    CHECK(edges > 1000);
    CHECK_INT(down, 0);
}

// A ball in a room: faces that look outwards, solid on their outer side.
TEST(inside_of_a_room_and_both_sides_of_a_sheet) {
    start();
    help_box(&b, (double[]){0, 0, 0}, (double[]){1, 1, 1}, 2);
    help_add(set, (sp_collider_def){.id = 2, .vertex_count = b.nv, .items = b.faces, .item_count = b.nf, .side = SP_SIDE_INSIDE},
             b.x0, b.x1);
    int ball = help_add_shape(set, 1, SP_COLLIDER_SPHERE, 0.1, (double[]){0.3, 0.4, 0.12}, ORIGIN);
    sp_found f = help_find(set, SP_BROAD_TREE, 0.05, 0.05);
    CHECK_INT(f.count, 1);
    if (f.count) CHECK_NEAR(f.contacts[0].distance0, 0.02, EPS);
    if (f.count) CHECK_NEAR(f.contacts[0].normal[2], 1, EPS);
    // its centre is in the wall: pushed back into the room
    sp_shape_place out = {{0.3, 0.4, -0.03}, {0}};
    sp__collider_move_shape(set, ball, &out, &out);
    f = help_find(set, SP_BROAD_TREE, 0.05, 0.05);
    CHECK_INT(f.count, 1);
    if (f.count) CHECK_NEAR(f.contacts[0].distance0, -0.13, EPS);
    sp__collider_remove(set, 0);
    // a sheet keeps a point on the side where it was
    const double sheet[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    const uint32_t faces[] = {0, 1, 2, 0, 2, 3};
    help_add(set,
             (sp_collider_def){.id = 3, .vertex_count = 4, .items = faces, .item_count = 2, .side = SP_SIDE_BOTH, .radius = 0.01},
             sheet, sheet);
    for (int side = -1; side <= 1; side += 2) {
        sp_shape_place from = {{0.3, 0.4, 0.13 * side}, {0}}, to = {{0.3, 0.4, -0.1 * side}, {0}};
        sp__collider_move_shape(set, ball, &from, &to);
        f = help_find(set, SP_BROAD_TREE, 0.05, 0.05);
        CHECK_INT(f.count, 1);
        if (f.count) CHECK_NEAR(f.contacts[0].normal[2], side, EPS);
        if (f.count) CHECK_NEAR(f.contacts[0].distance0, 0.02, EPS);
        if (f.count) CHECK_NEAR(f.contacts[0].distance1, -0.21, EPS);
    }
    finish();
}

// A floor of two triangles: a node below it is not lost, up to `depth`.
TEST(below_a_one_sided_floor) {
    const double floor[] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
    const uint32_t faces[] = {0, 1, 2, 0, 2, 3};
    start();
    help_add(set, (sp_collider_def){.id = 2, .vertex_count = 4, .items = faces, .item_count = 2}, floor, floor);
    int ball = help_add_shape(set, 1, SP_COLLIDER_SPHERE, 0, ORIGIN, ORIGIN);
    for (int i = 0; i < 8; i++) {
        // over a face, and over the diagonal
        sp_shape_place at = {{0.3, i % 2 ? 0.3 : 0.1, -0.02 * (i / 2) - 0.001}, {0}};
        sp__collider_move_shape(set, ball, &at, &at);
        sp_found f = help_find(set, SP_BROAD_TREE, 0.01, 0.05);
        CHECK_INT(f.count, i / 2 < 3);
        if (f.count) CHECK_NEAR(f.contacts[0].normal[2], 1, EPS);
        if (f.count) CHECK_NEAR(f.contacts[0].distance0, at.a[2], EPS);
    }
    finish();
}

// A thin plate: the vertices of its far side make no contacts while the near side is apart.
TEST(far_side_of_a_thin_plate) {
    start();
    help_box(&a, (double[]){0, 0, 0.001}, (double[]){1, 1, 0.003}, 4);
    help_add_mesh(set, 1, &a);
    help_add_shape(set, 2, SP_COLLIDER_PLANE, 0, ORIGIN, UP);
    CHECK_INT(help_find(set, SP_BROAD_TREE, 0.02, 0).count, 25);
    help_box(&b, (double[]){-1, -1, -1}, (double[]){2, 2, 0}, 1);
    help_add_mesh(set, 3, &b);
    sp__collider_remove(set, 1);
    CHECK_INT(help_find(set, SP_BROAD_TREE, 0.02, 0).count, 25);
    finish();
}

static bool only_13(void *user, uint32_t p, uint32_t q, sp_pair_rule *rule) {
    ++*(int *)user;
    rule->alarm = 0.02;
    return p == 1 && q == 3;
}

TEST(groups_static_colliders_and_rules) {
    start();
    int calls = 0;
    for (uint32_t i = 0; i < 4; i++)
        help_add(set,
                 (sp_collider_def){.type = SP_COLLIDER_SPHERE,
                                   .id = i + 1,
                                   .group = i == 1 ? 1 : i + 1,
                                   .radius = 1,
                                   .flags = i >= 2 ? SP_COLLIDER_STATIC : 0},
                 NULL, NULL);
    for (int i = 0; i < 4; i++) {
        sp_shape_place at = {{0.01 * i, 0, 0}, {0}};
        sp__collider_move_shape(set, i, &at, &at);
    }
    // 1 and 2 are of one group, 3 and 4 are static
    sp_found f = help_find(set, SP_BROAD_TREE, 0.05, 0);
    CHECK_INT(f.count, 4);
    sp_collide_options o = {.rule = {.alarm = 0.05, .depth = 0, .manifold = 0}, .pair = only_13, .user = &calls};
    CHECK_INT(sp__collide_find(set, &o, &f), SP_OK);
    CHECK(f.count == 1 && f.contacts[0].a.collider == 1 && f.contacts[0].b.collider == 3);
    CHECK_INT(calls, 4);
    o.rule.alarm = -1;
    CHECK_INT(sp__collide_find(set, &o, &f), SP_BAD_INPUT);
    // bad definitions leave the set as it is
    int index;
    const uint32_t wrong[] = {0, 1, 5};
    CHECK_INT(sp__collider_add(set, &(sp_collider_def){.id = 9, .vertex_count = 5, .items = wrong, .item_count = 1}, &index),
              SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(ctx)->message, "vertex 5") != NULL);
    CHECK_INT(sp__collider_add(set, &(sp_collider_def){.type = SP_COLLIDER_SPHERE, .id = 4}, &index), SP_BAD_INPUT);
    CHECK_INT(sp__collider_add(set, &(sp_collider_def){.type = SP_COLLIDER_SPHERE, .id = 9, .radius = -1}, &index), SP_BAD_INPUT);
    CHECK_INT(sp__collider_add(set, &(sp_collider_def){.type = SP_COLLIDER_POINTS, .id = 9}, &index), SP_BAD_INPUT);
    o.rule.alarm = 0.05, o.cell = -1;
    CHECK_INT(sp__collide_find(set, &o, &f), SP_BAD_INPUT);
    o.cell = 0, o.pair = NULL;
    CHECK(sp__collide_find(set, &o, &f) >= 0 && f.count == 4);
    finish();
}

// A ball overlaps an edge of a box by 1 to 5 % of its radius while the box turns about it: the contact of the committed state
// stays, also where the direction at the free state suits the edge better.
TEST(what_overlaps_keeps_its_contact_while_it_turns) {
    uint64_t seed = 7;
    int lost = 0;
    for (int i = 0; i < 500; i++) {
        // in the quarter outside of the edge (1, 1, z)
        const double angle = SP_PI / 4 * (1 + 0.9 * help_uniform(&seed)), apart = 0.97 + 0.02 * help_uniform(&seed);
        const double at[3] = {1 + apart * cos(angle), 1 + apart * sin(angle), 0.8 * help_uniform(&seed)};
        start();
        help_box(&a, (double[]){-1, -1, -1}, (double[]){1, 1, 1}, 1);
        memcpy(a.x1, a.x0, sizeof a.x0);
        help_turn(a.x1, a.nv, UP, 0.2 * help_uniform(&seed));
        help_add_mesh(set, 1, &a);
        int ball = help_add_shape(set, 2, SP_COLLIDER_SPHERE, 1, at, ORIGIN);
        sp_shape_place place = {.a = {at[0], at[1], at[2]}};
        sp__collider_move_shape(set, ball, &place, &place);
        sp_found f = help_find(set, SP_BROAD_TREE, 0.01, 0.1);
        double deepest = 0;
        for (int k = 0; k < f.count; k++) deepest = fmin(deepest, f.contacts[k].distance0);
        lost += !(fabs(deepest - (apart - 1)) < 1e-12);
        finish();
    }
    CHECK_INT(lost, 0);
}

// ---------------------------------------------------------------------------------------------------- manifolds

// Area of the convex hull of the contact points in the plane z = 0, by its support function in 720 directions.
static double support_sum(const sp_found *f) {
    double sum = 0;
    for (int k = 0; k < 720; k++) {
        double angle = SP_PI * k / 360, most = -INFINITY;
        for (int i = 0; i < f->count; i++)
            most = fmax(most, cos(angle) * f->contacts[i].a.point[0] + sin(angle) * f->contacts[i].a.point[1]);
        sum += most / 720;
    }
    return sum;
}

TEST(manifold_keeps_the_supporting_polygon) {
    for (int turned = 0; turned < 2; turned++) {
        start();
        help_box(&a, (double[]){-1, -1, 0.001}, (double[]){1, 1, 1}, 10);
        help_box(&b, (double[]){-1.5, -1.1, -1}, (double[]){1.5, 1.1, 0}, 7);
        if (turned) help_turn(a.x0, a.nv, UP, 0.6);
        memcpy(a.x1, a.x0, sizeof a.x0);
        // one corner goes deepest, and a node in the middle deeper still
        for (int i = 0; i < a.nv; i++)
            a.x1[3 * i + 2] -= 0.001 * (2 + a.x0[3 * i]) + (hypot(a.x0[3 * i], a.x0[3 * i + 1]) < 0.1 ? 0.004 : 0);
        help_add_mesh(set, 1, &a), help_add_mesh(set, 2, &b);
        sp_found f = help_find(set, SP_BROAD_TREE, 0.01, 0.01);
        double all = support_sum(&f), deepest = INFINITY;
        int count = f.count;
        for (int i = 0; i < f.count; i++) deepest = fmin(deepest, f.contacts[i].distance1);
        sp_collide_options o = {.rule = {.alarm = 0.01, .depth = 0.01, .manifold = 8}};
        CHECK(sp__collide_find(set, &o, &f) >= 0);
        CHECK(count > 100 && f.count >= 4 && f.count <= 9);
        CHECK_NEAR(support_sum(&f), all, turned ? 1e-5 : 1e-12);  // corners within a millionth of a side are left out
        double kept = INFINITY;
        for (int i = 0; i < f.count; i++) kept = fmin(kept, f.contacts[i].distance1);
        CHECK(kept == deepest);
        finish();
    }
}

// A fine rigid ring of points on one coarse face: all of them on a rigid body, the corners of each face on a soft one. Two soft
// bodies keep all.
TEST(manifold_of_a_fine_body_on_a_coarse_face) {
    int count[3];
    for (int soft = 0; soft < 3; soft++) {
        start();
        help_sphere(&a, (double[]){0, 0, 0.9}, 1, 16);
        help_box(&b, (double[]){-1, -1, -1}, (double[]){1, 1, 0}, 1);
        for (int i = 0; i < a.nv; i++) a.x0[3 * i + 2] = fmax(a.x0[3 * i + 2], 1e-4);  // a flat foot with a curved rim
        memcpy(a.x1, a.x0, sizeof a.x0);
        sp_collider_def fine = {.id = 1, .group = 1, .vertex_count = a.nv, .items = a.faces, .item_count = a.nf},
                        coarse = {.id = 2, .group = 2, .vertex_count = b.nv, .items = b.faces, .item_count = b.nf};
        fine.flags = soft == 2 ? SP_COLLIDER_SOFT : 0, coarse.flags = soft ? SP_COLLIDER_SOFT : 0;
        help_add(set, fine, a.x0, a.x1), help_add(set, coarse, b.x0, b.x1);
        sp_found f = help_find(set, SP_BROAD_TREE, 0.01, 0.01);
        const int all = f.count;
        sp_collide_options o = {.rule = {.alarm = 0.01, .depth = 0.01, .manifold = 8}};
        CHECK(sp__collide_find(set, &o, &f) >= 0);
        CHECK(all > 30);
        count[soft] = f.count;
        if (soft == 2) CHECK_INT(f.count, all);
        finish();
    }
    printf("  %d on a rigid, %d on a soft face\n", count[0], count[1]);
    CHECK(count[0] > 8 && count[0] <= 2 * 8 + 1);         // foot and rim
    CHECK(count[1] >= 6 && count[1] <= 2 * (4 + 1) + 4);  // two faces, and their common edge
}

TEST(boxes_touch_by_four_points_or_more) {
    const double shift[4][2] = {{0, 0}, {0.3, 0}, {0.3, -0.4}, {1.2, 0}};
    for (int i = 0; i < 4; i++) {
        start();
        help_box(&a, (double[]){0, 0, 1}, (double[]){1, 1, 2}, 1);
        help_box(&b, (double[]){0, 0, 0}, (double[]){2, 1, 1}, 1);
        help_shift(a.x0, a.nv, shift[i][0], shift[i][1], 1e-6);
        memcpy(a.x1, a.x0, sizeof a.x0);
        help_add_mesh(set, 1, &a), help_add_mesh(set, 2, &b);
        sp_collide_options o = {.rule = {.alarm = 0.01, .depth = 0.01, .manifold = 4}};
        sp_found f;
        CHECK(sp__collide_find(set, &o, &f) >= 0);
        CHECK(f.count >= 4 && f.count <= 5);
        CHECK_INT(vertical(&f, 1e-6, 1e-12), f.count);
        // the corners of the common rectangle
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int j = 0; j < f.count; j++)
            for (int k = 0; k < 2; k++)
                low[k] = fmin(low[k], f.contacts[j].a.point[k]), high[k] = fmax(high[k], f.contacts[j].a.point[k]);
        CHECK_NEAR(low[0], shift[i][0], EPS);
        CHECK_NEAR(high[0], fmin(2, 1 + shift[i][0]), EPS);
        CHECK_NEAR(low[1], fmax(0, shift[i][1]), EPS);
        CHECK_NEAR(high[1], fmin(1, 1 + shift[i][1]), EPS);
        finish();
    }
}

// Thin plates apart, with a depth larger than both: edges of their far sides are not an overlap. Plates that do overlap are
// found.
TEST(far_sides_of_thin_plates_do_not_overlap) {
    for (int overlap = 0; overlap < 2; overlap++) {
        start();
        help_box(&a, (double[]){-1, -1, 0}, (double[]){1, 1, 0.1}, 1);
        help_box(&b, (double[]){-1, -1, -0.1}, (double[]){1, 1, 0}, 1);
        help_turn(a.x0, a.nv, UP, 0.4);
        help_shift(a.x0, a.nv, 0.1, 0.2, overlap ? -0.03 : 0.05);
        memcpy(a.x1, a.x0, sizeof a.x0);
        help_add_mesh(set, 1, &a), help_add_mesh(set, 2, &b);
        sp_found f = help_find(set, SP_BROAD_TREE, 0.1, 0.5);
        CHECK(f.count >= 8);  // corners of the octagon that the plates have in common
        for (int k = 0; k < f.count; k++) {
            CHECK_NEAR(f.contacts[k].normal[2], 1, EPS);
            CHECK_NEAR(f.contacts[k].distance0, overlap ? -0.03 : 0.05, EPS);
        }
        finish();
    }
}

// A box hangs over the edge of another, on which only one of its corners lies, 4 mm deep. Its vertical edge and the edge of the
// other pass each other at 5 cm inside both bodies, within the alarm distance: no overlap of 5 cm, one of 4 mm.
TEST(edges_beside_each_other_do_not_overlap) {
    for (int turn = 0; turn < 4; turn++) {
        start();
        help_box(&a, (double[]){-1, -1, 0}, (double[]){1, 1, 2}, 1);
        help_box(&b, (double[]){-4, -4, -4}, (double[]){4, 4, 0}, 1);
        help_turn(a.x0, a.nv, UP, SP_PI / 4 + 0.05 * turn);
        double corner = sqrt(2) * cos(0.05 * turn);
        help_shift(a.x0, a.nv, 0, 3.95 + corner, -0.004);
        memcpy(a.x1, a.x0, sizeof a.x0);
        help_add_mesh(set, 1, &a), help_add_mesh(set, 2, &b);
        sp_found f = help_find(set, SP_BROAD_TREE, 0.1, 0.1);
        CHECK(f.count >= 3);  // the corner, two crossings of the lower edges
        CHECK_INT(vertical(&f, -0.004, 1e-12), f.count);
        finish();
    }
}

// Boxes nearly aligned: turned, tilted and shifted by every small amount, apart or overlapping. The points of vertical contacts
// always span the common square up to twice the alarm distance, and no normal is horizontal.
TEST(nearly_aligned_boxes_keep_their_support) {
    uint64_t seed = 3;
    for (int i = 0; i < 150; i++) {
        double size = pow(10, -1 - 7 * i / 150.0), z = 0.004 * help_uniform(&seed), grid = 1 + i % 2;
        start();
        help_box(&a, (double[]){-1, -1, 0}, (double[]){1, 1, 1}, (int)grid);
        help_box(&b, (double[]){-1, -1, -1}, (double[]){1, 1, 0}, 1 + i / 2 % 2);
        help_turn(a.x0, a.nv, UP, size * help_uniform(&seed));
        help_turn(a.x0, a.nv, (double[]){1, 0, 0}, 0.02 * size * help_uniform(&seed));
        help_turn(a.x0, a.nv, (double[]){0, 1, 0}, 0.02 * size * help_uniform(&seed));
        help_shift(a.x0, a.nv, 0.3 * size * help_uniform(&seed), 0.3 * size * help_uniform(&seed), z);
        memcpy(a.x1, a.x0, sizeof a.x0);
        help_add_mesh(set, 1, &a), help_add_mesh(set, 2, &b);
        sp_found f = help_find(set, SP_BROAD_TREE, 0.01, 0.01);
        bool corner[4] = {false};
        int bad = 0;
        for (int k = 0; k < f.count; k++) {
            const sp_contact_found *c = &f.contacts[k];
            // the octagon that two turned squares have in common is cut by less than the size of the turn
            for (int q = 0; q < 4; q++)
                corner[q] |= fabs(c->a.point[0] - (q % 2 ? 1 : -1)) < 0.02 + 1.5 * size &&
                             fabs(c->a.point[1] - (q / 2 ? 1 : -1)) < 0.02 + 1.5 * size && c->normal[2] > 0.99;
            bad += fabs(c->normal[2]) < 0.5 && c->distance0 < 0;
        }
        CHECK(corner[0] && corner[1] && corner[2] && corner[3] && bad == 0);
        finish();
    }
}
