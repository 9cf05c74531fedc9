// The bounding volume tree against linear scans: nearest, hits, boxes, pairs, containing tetrahedra; degenerate trees.
#include "math/vec3.h"
#include "mesh/tree.h"
#include "meter.h"
#include "souple/mesh.h"
#include "test.h"

enum { TRIANGLES = 600 };

typedef struct soup {
    sp_context *ctx;
    double x[9 * TRIANGLES];
    int items[3 * TRIANGLES];
    sp_tree *tree;
} soup;

// triangles of all sizes, everywhere
static soup *make_soup(unsigned long long seed) {
    soup *s = calloc(1, sizeof *s);
    sp_context_def def = sp_context_def_default();
    def.workers = 1;
    if (!s || sp_context_create(&def, &s->ctx) < 0) return NULL;
    for (int i = 0; i < TRIANGLES; i++) {
        double size = pow(10, -1 + sp_test_random(&seed)), at[3];
        for (int k = 0; k < 3; k++) at[k] = sp_test_random(&seed);
        for (int k = 0; k < 9; k++) s->x[9 * i + k] = at[k % 3] + size * sp_test_random(&seed);
        for (int k = 0; k < 3; k++) s->items[3 * i + k] = 3 * i + k;
    }
    sp__tree_create(s->ctx, s->x, s->items, TRIANGLES, 3, &s->tree);
    return s;
}

static void free_soup(soup *s) {
    sp__tree_destroy(&s->tree);
    sp_context_destroy(&s->ctx);
    free(s);
}

// every item once, boxes contain the boxes below them, depth within its limit
static void check_shape(const sp_tree *t) {
    unsigned char *seen = calloc((size_t)t->count, 1);
    int *depth = calloc((size_t)t->node_count, sizeof *depth), deepest = 0;
    for (int i = 0; i < t->count; i++) seen[t->order[i]]++;
    for (int i = 0; i < t->count; i++) CHECK(seen[i] == 1);
    for (int i = 0; i < t->node_count; i++) {
        const sp_tree_node *n = &t->nodes[i];
        deepest = depth[i] > deepest ? depth[i] : deepest;
        if (!n->right) continue;
        depth[i + 1] = depth[n->right] = depth[i] + 1;
        CHECK(t->nodes[i + 1].count + t->nodes[n->right].count == n->count);
        for (int k = 0; k < 3; k++) CHECK(n->low[k] <= t->nodes[n->right].low[k] && n->high[k] >= t->nodes[i + 1].high[k]);
    }
    CHECK(deepest < SP_TREE_DEPTH);
    free(depth), free(seen);
}

TEST(nearest_agrees_with_a_scan) {
    soup *s = make_soup(1);
    REQUIRE(s && s->tree);
    check_shape(s->tree);
    unsigned long long seed = 7;
    for (int q = 0; q < 300; q++) {
        double p[3], w[3], best = INFINITY, scale = q % 10 == 0 ? 100 : 1.3;
        int item = -1;
        for (int k = 0; k < 3; k++) p[k] = scale * sp_test_random(&seed);
        for (int i = 0; i < TRIANGLES; i++) {
            double d2 = sp__nearest_on_triangle(s->x + 9 * i, s->x + 9 * i + 3, s->x + 9 * i + 6, p, w);
            if (d2 < best) best = d2, item = i;
        }
        sp_tree_near near;
        REQUIRE(sp__tree_nearest(s->tree, p, INFINITY, &near));
        CHECK_INT(near.item, item);
        CHECK(near.distance2 == best);
        double d[3];
        sp__sub3(p, near.point, d);
        CHECK_NEAR(sp__dot3(d, d), best, 1e-13 * (1 + scale * scale));  // the point has one more rounding
        CHECK(!sp__tree_nearest(s->tree, p, 0.999 * sqrt(best), &near));
        CHECK(sp__tree_nearest(s->tree, p, 1.001 * sqrt(best), &near));
    }
    free_soup(s);
}

// the closest point is correct in all seven regions of the plane
TEST(regions_of_a_triangle) {
    static const double a[3] = {0, 0, 0}, b[3] = {1, 0, 0}, c[3] = {0, 1, 0};
    static const struct {
        double p[3], w[3];
    } cases[] = {{{-1, -1, 2}, {1, 0, 0}},           {{2, -0.5, 1}, {0, 1, 0}},     {{-0.5, 2, 1}, {0, 0, 1}},
                 {{0.25, -3, 1}, {0.75, 0.25, 0}},   {{-3, 0.5, 1}, {0.5, 0, 0.5}}, {{1, 1, -1}, {0, 0.5, 0.5}},
                 {{0.25, 0.5, 7}, {0.25, 0.25, 0.5}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double w[3];
        sp__nearest_on_triangle(a, b, c, cases[i].p, w);
        for (int k = 0; k < 3; k++) CHECK_NEAR(w[k], cases[i].w[k], 1e-15);
    }
}

typedef struct tally {
    int count;
    unsigned char met[TRIANGLES];
    double first;  // least t
} tally;

static bool count_hit(void *user, const sp_tree_hit *hit) {
    tally *t = user;
    t->count++;
    t->met[hit->item]++;
    t->first = fmin(t->first, hit->t);
    return true;
}

static bool slow_hit(const double *x, const double *o, const double *d, double t_max, double *t) {
    double n[3], u[3], v[3], s[3], q[3];
    sp__sub3(x + 3, x, u), sp__sub3(x + 6, x, v), sp__sub3(o, x, s);
    sp__cross3(d, v, n);
    double det = sp__dot3(u, n), a = sp__dot3(s, n) / det;
    sp__cross3(s, u, q);
    double b = sp__dot3(d, q) / det;
    *t = sp__dot3(v, q) / det;
    return a >= 0 && b >= 0 && a + b <= 1 && *t >= 0 && *t <= t_max;
}

TEST(hits_agree_with_a_scan) {
    soup *s = make_soup(2);
    REQUIRE(s && s->tree);
    unsigned long long seed = 3;
    int total = 0;
    for (int q = 0; q < 300; q++) {
        double o[3], d[3], t, t_max = q % 2 ? INFINITY : 1;
        tally slow = {.first = INFINITY}, fast = {.first = INFINITY};
        for (int k = 0; k < 3; k++) o[k] = 1.5 * sp_test_random(&seed), d[k] = sp_test_random(&seed);
        if (q % 5 == 0) d[q % 3] = 0;
        if (q % 50 == 0) d[(q + 1) % 3] = 0;
        for (int i = 0; i < TRIANGLES; i++)
            if (slow_hit(s->x + 9 * i, o, d, t_max, &t)) slow.count++, slow.met[i]++, slow.first = fmin(slow.first, t);
        sp__tree_hits(s->tree, o, d, t_max, count_hit, &fast);
        CHECK(slow.count == fast.count && !memcmp(slow.met, fast.met, sizeof slow.met));
        if (slow.count) CHECK_NEAR(fast.first, slow.first, 1e-12 * (1 + slow.first));  // small triangles seen at a grazing angle
        total += slow.count;
    }
    CHECK(total > 100);
    free_soup(s);
}

static bool keep_hit(void *user, const sp_tree_hit *hit) {
    *(sp_tree_hit *)user = *hit;
    return false;
}

static bool count_crossing(void *user, const sp_tree_hit *hit) {
    *(int *)user += hit->outward ? 1 : -1;
    return true;
}

// rays from inside a closed surface leave it once more than they enter, also through its edges and vertices: never through a gap
TEST(rays_hit_edges_and_vertices) {
    sp_context *ctx = NULL;
    sp_mesh *ball = NULL;
    sp_tree *tree = NULL;
    unsigned long long seed = 11;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    REQUIRE(sp_mesh_sphere(ctx, (double[]){1, 1, 1}, 4, &ball) == SP_OK);
    REQUIRE(sp__tree_create(ctx, sp_mesh_positions(ball), sp_mesh_faces(ball), sp_mesh_face_count(ball), 3, &tree) == SP_OK);
    const double origin[3] = {0, 0, 0};
    const double *x = sp_mesh_positions(ball);
    for (int f = 0; f < sp_mesh_face_count(ball); f++) {
        const int *c = sp_mesh_faces(ball) + 3 * f;
        double middle[3];
        sp_tree_hit hit = {.item = -1};
        sp__tree_hits(tree, origin, x + 3 * c[0], INFINITY, keep_hit, &hit);
        CHECK(hit.item >= 0 && hit.outward);
        for (int k = 0; k < 3; k++) middle[k] = x[3 * c[0] + k] + x[3 * c[1] + k];
        hit = (sp_tree_hit){.item = -1};
        sp__tree_hits(tree, origin, middle, INFINITY, keep_hit, &hit);
        CHECK(hit.item >= 0 && hit.outward);
    }
    for (int q = 0; q < 200; q++) {
        double o[3], d[3];
        int sum = 0;
        for (int k = 0; k < 3; k++) o[k] = 1.2 * sp_test_random(&seed), d[k] = sp_test_random(&seed);
        double r = sp__norm3(o);
        if (r > 0.95 && r < 1.05) continue;  // the surface is flat between its vertices
        sp__tree_hits(tree, o, d, INFINITY, count_crossing, &sum);
        CHECK_INT(sum, r < 1);
    }
    sp__tree_destroy(&tree);
    sp_mesh_destroy(&ball);
    sp_context_destroy(&ctx);
}

typedef struct pair_tally {
    unsigned char (*met)[TRIANGLES];
    int count;
} pair_tally;

static bool count_pair(void *user, int a, int b) {
    pair_tally *t = user;
    CHECK(a < b && !t->met[a][b]);
    t->met[a][b] = 1;
    t->count++;
    return true;
}

static bool count_item(void *user, int item) {
    (void)item;
    return ++*(int *)user < 5;
}

TEST(pairs_and_boxes) {
    soup *s = make_soup(4);
    pair_tally fast = {.met = calloc(TRIANGLES, sizeof *fast.met)};
    REQUIRE(s && s->tree && fast.met);
    sp__tree_pairs(s->tree, count_pair, &fast);
    int slow = 0;
    for (int a = 0; a < TRIANGLES; a++)
        for (int b = a + 1; b < TRIANGLES; b++) {
            double la[3], ha[3], lb[3], hb[3];
            bool apart = false;
            sp__tree_item_box(s->tree, a, la, ha), sp__tree_item_box(s->tree, b, lb, hb);
            for (int k = 0; k < 3; k++) apart = apart || la[k] > hb[k] || lb[k] > ha[k];
            slow += !apart;
            CHECK(fast.met[a][b] == !apart);
        }
    CHECK(slow > 100 && slow == fast.count);
    int count = 0;
    sp__tree_in_box(s->tree, (double[]){-9, -9, -9}, (double[]){9, 9, 9}, count_item, &count);
    CHECK_INT(count, 5);  // the visitor stopped the search
    // moved by one: the old boxes would miss them
    double *moved = malloc(sizeof s->x);
    REQUIRE(moved);
    for (int i = 0; i < 9 * TRIANGLES; i++) moved[i] = s->x[i] + 20;
    sp__tree_refit(s->tree, moved);
    count = 0;
    sp__tree_in_box(s->tree, (double[]){-9, -9, -9}, (double[]){9, 9, 9}, count_item, &count);
    CHECK_INT(count, 0);
    check_shape(s->tree);
    free(moved), free(fast.met);
    free_soup(s);
}

TEST(tetrahedra_that_contain_points) {
    sp_context *ctx = NULL;
    sp_mesh *mesh = NULL;
    sp_tree *tree = NULL;
    unsigned long long seed = 5;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    REQUIRE(sp_mesh_torus(ctx, 1, 0.4, (double[]){0, 0, 1}, (int[]){16, 2}, &mesh) == SP_OK);
    REQUIRE(sp__tree_create(ctx, sp_mesh_positions(mesh), sp_mesh_tets(mesh), sp_mesh_element_count(mesh), 4, &tree) == SP_OK);
    check_shape(tree);
    int inside = 0;
    for (int q = 0; q < 400; q++) {
        double p[3] = {1.4 * sp_test_random(&seed), 1.4 * sp_test_random(&seed), 0.4 * sp_test_random(&seed)}, v[3];
        int element;
        double least = sp_mesh_locate(mesh, p, &element, v);
        sp_tree_near near;
        REQUIRE(sp__tree_nearest(tree, p, INFINITY, &near));
        CHECK((near.distance2 == 0) == (least >= 0));
        double sum = 0;
        for (int k = 0; k < 4; k++) sum += near.weights[k], CHECK(near.weights[k] >= 0);
        CHECK_NEAR(sum, 1, 1e-14);
        if (least < 0) continue;
        inside++;
        const int *tet = sp_mesh_tets(mesh) + 4 * near.item;
        double back[3] = {0};
        for (int k = 0; k < 4; k++) sp__axpy3(back, near.weights[k], sp_mesh_positions(mesh) + 3 * tet[k], back);
        for (int k = 0; k < 3; k++) CHECK_NEAR(back[k], p[k], 1e-13);
    }
    CHECK(inside > 50);
    sp__tree_destroy(&tree);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

// all at one point; a geometric series of points, which planes separate one by one; a single item
TEST(inputs_that_make_trees_degenerate) {
    soup *s = make_soup(6);
    REQUIRE(s);
    for (int kind = 0; kind < 4; kind++) {
        sp_tree *tree = NULL;
        for (int i = 0; i < TRIANGLES; i++)
            for (int k = 0; k < 9; k++) {
                double corner = k == 3 || k == 7;
                s->x[9 * i + k] = kind == 0   ? corner
                                  : kind == 1 ? ldexp(1 + corner, -i)
                                  : kind == 2 ? 1e60 * (k - 4)
                                              : 1e-310 * corner * i;
            }
        REQUIRE(sp__tree_create(s->ctx, s->x, s->items, TRIANGLES, 3, &tree) == SP_OK);
        check_shape(tree);
        sp_tree_near near;
        CHECK(sp__tree_nearest(tree, (double[]){0, 0, 0}, INFINITY, &near));
        sp__tree_destroy(&tree);
    }
    sp_tree *one = NULL;
    REQUIRE(sp__tree_create(s->ctx, s->x, s->items, 1, 3, &one) == SP_OK);
    check_shape(one);
    sp__tree_destroy(&one);
    sp__tree_destroy(NULL);
    free_soup(s);
}

TEST(every_allocation_may_fail) {
    soup *s = make_soup(8);
    REQUIRE(s);
    for (long n = 1;; n++) {
        meter m = {.allowed = n};
        sp_context_def def = metered_context(&m);
        sp_context *ctx = NULL;
        if (sp_context_create(&def, &ctx) < 0) continue;
        sp_tree *tree = NULL;
        sp_status status = sp__tree_create(ctx, s->x, s->items, TRIANGLES, 3, &tree);
        CHECK((status == SP_OK) == (tree != NULL));
        sp__tree_destroy(&tree);
        sp_context_destroy(&ctx);
        CHECK_INT(m.live, 0);
        if (status == SP_OK) break;
        REQUIRE(n < 100);
    }
    free_soup(s);
}
