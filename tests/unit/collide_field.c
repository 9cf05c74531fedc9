// Distance fields: values and gradients against exact distances and their order of convergence, the sign of open surfaces,
// bounds, memory, sharing; contacts of vertices, edges and faces with a field, and motion between the states.
#include "collide/field.h"
#include "collide_help.h"
#include "meter.h"
#include "skin_help.h"

static double ball(const void *user, const double x[3]) {
    (void)user;
    return sp__norm3(x) - 1;
}

// A vessel tree: three capsules that meet in one point. The least of their distances is the distance of a point outside.
static const double tree_ends[3][3] = {{0, 0, -1}, {0.7, 0.1, 0.6}, {-0.6, 0.2, 0.7}}, tree_radii[3] = {0.3, 0.22, 0.2};

static double tree_part(int i, const double x[3]) {
    double t = sp__dot3(x, tree_ends[i]) / sp__dot3(tree_ends[i], tree_ends[i]), d[3];
    sp__axpy3(x, -fmin(fmax(t, 0), 1), tree_ends[i], d);
    return sp__norm3(d) - tree_radii[i];
}

static double tree(const void *user, const double x[3]) {
    (void)user;
    return fmin(tree_part(0, x), fmin(tree_part(1, x), tree_part(2, x)));
}

static sp_distance_field *field_of(sp_context *ctx, const double *x, int nv, const uint32_t *faces, int nf, double cell) {
    sp_distance_field *f = NULL;
    sp_distance_field_def def = {nv, x, nf, faces, cell};
    if (sp__distance_field_acquire(ctx, &def, &f) < 0) SP_TEST_FAILED("%s", sp_context_error(ctx)->message);
    return f;
}

// ---------------------------------------------------------------------------------------------------- values

typedef struct field_errors {
    double value, gradient;
    int points;
} field_errors;

enum { FACETS = 600 };

// A cylinder of radius 1 along z, whose facets are pi^2 / 2 n^2 = 1.4e-5 deep, closed by flat ends.
static void cylinder(help_mesh *m, double half) {
    m->nv = 0, m->nf = 0;
    for (int i = 0; i < FACETS; i++)
        for (int end = 0; end < 2; end++) {
            double angle = 2 * SP_PI * i / FACETS, *p = m->x0 + 3 * m->nv++;
            p[0] = cos(angle), p[1] = sin(angle), p[2] = end ? half : -half;
        }
    for (int end = 0; end < 2; end++) m->x0[3 * (m->nv + end) + 2] = end ? half : -half;
    for (int i = 0; i < FACETS; i++) {
        int a = 2 * i, b = 2 * ((i + 1) % FACETS);
        help_face(m, a, b, b + 1), help_face(m, a, b + 1, a + 1);
        help_face(m, b, a, m->nv), help_face(m, a + 1, b + 1, m->nv + 1);
    }
    m->nv += 2;
}

// largest errors near the middle of the cylinder
static field_errors cylinder_errors(const sp_distance_field *f) {
    field_errors e = {0};
    uint64_t seed = 5;
    for (int i = 0; i < 20000; i++) {
        double x[3] = {1.1 * help_uniform(&seed), 1.1 * help_uniform(&seed), 0.2 * help_uniform(&seed)}, g[3], d[3];
        double r = hypot(x[0], x[1]), out[3] = {x[0] / r, x[1] / r, 0};
        if (fabs(r - 1) > 0.1) continue;
        e.value = fmax(e.value, fabs(sp__distance_field_at(f, x, g) - (r - 1)));
        sp__sub3(g, out, d);
        e.gradient = fmax(e.gradient, sp__norm3(d)), e.points++;
    }
    return e;
}

// Quadratic splines of a smooth function: the value converges with the third order, the gradient with the second.
TEST(smooth_surfaces_converge) {
    sp_context *ctx = help_context(2);
    static help_mesh m;
    cylinder(&m, 1);
    field_errors e[2];
    for (int i = 0; i < 2; i++) {
        sp_distance_field *f = field_of(ctx, m.x0, m.nv, m.faces, m.nf, i ? 0.1 : 0.2);
        REQUIRE(f != NULL);
        e[i] = cylinder_errors(f);
        sp__distance_field_release(&f);
    }
    double order = log2(e[0].value / e[1].value), slope = log2(e[0].gradient / e[1].gradient);
    printf("  value %.2g, %.2g: order %.2f; gradient %.2g, %.2g: order %.2f\n", e[0].value, e[1].value, order, e[0].gradient,
           e[1].gradient, slope);
    CHECK(e[0].points > 1000);
    CHECK(order > 2.7 && slope > 1.7);
    CHECK(e[1].value < 2e-4 && e[1].gradient < 4e-3);  // of a radius of ten cells
    sp_context_destroy(&ctx);
}

TEST(sphere) {
    sp_context *ctx = help_context(2);
    skin s;
    skin_make(&s, ball, NULL, (double[]){-1.23, -1.21, -1.27}, 2.5, 30);
    sp_distance_field *f = field_of(ctx, s.x, s.nv, s.faces, s.nf, 0.12);
    REQUIRE(f != NULL);
    uint64_t seed = 5;
    double value = 0, gradient = 0;
    for (int i = 0; i < 10000; i++) {
        double x[3] = {1.3 * help_uniform(&seed), 1.3 * help_uniform(&seed), 1.3 * help_uniform(&seed)}, g[3], d[3];
        double r = sp__norm3(x);
        if (fabs(r - 1) > 0.2) continue;
        value = fmax(value, fabs(sp__distance_field_at(f, x, g) - (r - 1)));
        sp__axpy3(g, -1 / r, x, d);
        gradient = fmax(gradient, sp__norm3(d));
    }
    printf("  %d triangles: value %.2g, gradient %.2g\n", s.nf, value, gradient);
    // the longest edges, 0.14, are L^2 / 8 = 2.6e-3 below the sphere in their middle, and facets are inclined by half an edge
    CHECK(value < 2.6e-3 && gradient < 0.07);
    sp__distance_field_release(&f);
    skin_free(&s);
    sp_context_destroy(&ctx);
}

static double box_distance(const double half[3], const double x[3]) {
    double out[3], most = -INFINITY;
    for (int k = 0; k < 3; k++) {
        double d = fabs(x[k]) - half[k];
        out[k] = fmax(d, 0), most = fmax(most, d);
    }
    return most > 0 ? sp__norm3(out) : most;
}

// Over the faces the distance is linear, which splines reproduce; edges and corners are rounded.
TEST(box_is_exact_over_its_faces) {
    sp_context *ctx = help_context(1);
    static help_mesh m;
    const double half[3] = {1, 0.8, 0.6}, cell = 0.1;
    help_box(&m, (double[]){-1, -0.8, -0.6}, (double[]){1, 0.8, 0.6}, 1);
    sp_distance_field *f = field_of(ctx, m.x0, m.nv, m.faces, m.nf, cell);
    REQUIRE(f != NULL);
    uint64_t seed = 3;
    double flat = 0, edge = 0;
    int points = 0;
    for (int i = 0; i < 20000; i++) {
        double x[3] = {1.2 * help_uniform(&seed), help_uniform(&seed), 0.8 * help_uniform(&seed)};
        double d = box_distance(half, x), e = fabs(sp__distance_field_at(f, x, NULL) - d);
        if (fabs(d) > 0.3) continue;
        // 2.5 cells from the planes through the edges at 45 degrees: the splines reach over 1.5 cells, second differences over 1
        double sorted[3] = {fabs(x[0]) - 1, fabs(x[1]) - 0.8, fabs(x[2]) - 0.6};
        for (int k = 0; k < 2; k++)
            if (sorted[k] > sorted[k + 1]) {
                double swap = sorted[k];
                sorted[k] = sorted[k + 1], sorted[k + 1] = swap;
            }
        double second = fmax(sorted[0], sorted[1]), beside = sorted[2] > 0 ? -second : sorted[2] - second;
        *(beside > 2.5 * sqrt(3) * cell ? &flat : &edge) = fmax(beside > 2.5 * sqrt(3) * cell ? flat : edge, e), points++;
    }
    printf("  %d points: %.2g over faces, %.2g cells elsewhere\n", points, flat, edge / cell);
    CHECK_NEAR(flat, 0, 2e-7);  // floats
    CHECK(edge < 0.36 * cell);  // the corner, which is rounded off
    sp__distance_field_release(&f);
    sp_context_destroy(&ctx);
}

// Outside the distance is the least of those of the capsules, inside at least the largest of their depths, and equal to it where
// only one capsule is near.
TEST(vessel_tree) {
    sp_context *ctx = help_context(2);
    skin s;
    const double cell = 0.04;
    skin_make(&s, tree, NULL, (double[]){-1.41, -1.37, -1.45}, 2.9, 60);
    sp_distance_field *f = field_of(ctx, s.x, s.nv, s.faces, s.nf, cell);
    REQUIRE(f != NULL);
    sp_distance_field_info info;
    sp__distance_field_info(f, &info);
    printf("  %d triangles, %d x %d x %d cells, %d of %.0f blocks, %.1f MB, deviation %.2g\n", s.nf, info.cells[0], info.cells[1],
           info.cells[2], info.blocks_near, info.blocks, info.bytes * 1e-6, info.deviation);
    CHECK_INT(info.open_edges, 0);
    uint64_t seed = 11;
    double outside = 0, inside = 0, shallow = 0, crease = 0;
    int counts[3] = {0};
    for (int i = 0; i < 30000; i++) {
        double x[3] = {help_uniform(&seed), 0.6 * help_uniform(&seed), 1.1 * help_uniform(&seed)}, part[3];
        for (int k = 0; k < 3; k++) part[k] = tree_part(k, x);
        double d = tree(NULL, x), e = sp__distance_field_at(f, x, NULL) - d, second = INFINITY;
        for (int k = 0; k < 3; k++)
            if (part[k] > d) second = fmin(second, part[k]);
        if (fabs(d) > 0.12) continue;
        // the crease is a concave edge: within its neighbourhood the error is a part of the cell
        if (d > 0 && second - d < 5 * cell)
            crease = fmax(crease, fabs(e)), counts[2]++;
        else if (d > 0)
            outside = fmax(outside, fabs(e)), counts[0]++;
        else if (second > 3 * cell)
            inside = fmax(inside, fabs(e)), counts[1]++;
        else
            shallow = fmax(shallow, e);
    }
    printf("  errors %.2g outside, %.2g inside, %.2g at creases; not deep enough by %.2g\n", outside, inside, crease, shallow);
    CHECK(counts[0] > 1000 && counts[1] > 1000 && counts[2] > 100);
    // edges are as long as diagonals of the cells of 0.05, and their middles L^2 / 8 R = 4.5e-3 below a radius of 0.2
    CHECK(outside < 4.5e-3 && inside < 4.5e-3 && crease < 0.3 * cell && shallow < 4.5e-3);
    sp__distance_field_release(&f);
    skin_free(&s);
    sp_context_destroy(&ctx);
}

// Memory grows with the area of the surface, not with the volume of its box.
TEST(memory_follows_the_area) {
    sp_context *ctx = help_context(2);
    static help_mesh m;
    help_sphere(&m, (double[]){0, 0, 0}, 1, 8);
    sp_distance_field_info info[2];
    size_t before, bytes;
    sp_context_memory(ctx, &before, NULL);
    for (int i = 0; i < 2; i++) {
        sp_distance_field *f = field_of(ctx, m.x0, m.nv, m.faces, m.nf, i ? 0.025 : 0.05);
        REQUIRE(f != NULL);
        sp__distance_field_info(f, &info[i]);
        sp_context_memory(ctx, &bytes, NULL);
        // headers and sizes rounded to cache lines
        CHECK(info[i].bytes <= bytes - before && bytes - before < info[i].bytes + 4096);
        sp__distance_field_release(&f);
    }
    double growth = (double)info[1].blocks_near / info[0].blocks_near;
    printf("  %d and %d blocks: %.2f times\n", info[0].blocks_near, info[1].blocks_near, growth);
    CHECK(growth < 5);  // 4 for a surface, 8 for a volume
    // refused before anything large is allocated
    sp_distance_field *f = NULL;
    const double cells[] = {1e-5, 1e-300, 3, 0, -1, NAN, INFINITY};
    for (int i = 0; i < 7; i++) {
        sp_distance_field_def def = {m.nv, m.x0, m.nf, m.faces, cells[i]};
        CHECK_INT(sp__distance_field_acquire(ctx, &def, &f), SP_BAD_INPUT);
        CHECK(f == NULL && strstr(sp_context_error(ctx)->message, "field = ") != NULL);
    }
    sp_context_destroy(&ctx);
}

// A sphere without a few of its faces, and one whose faces share no vertices: inside is inside.
TEST(open_surfaces_have_an_inside) {
    sp_context *ctx = help_context(2);
    static help_mesh m, soup;
    help_sphere(&m, (double[]){0, 0, 0}, 1, 10);  // three vertices of each face must fit
    soup.nv = soup.nf = 0;
    for (int i = 0; i < 3 * m.nf; i++)
        memcpy(soup.x0 + 3 * i, m.x0 + 3 * m.faces[i], 3 * sizeof *m.x0), soup.faces[i] = (uint32_t)i;
    soup.nv = 3 * m.nf, soup.nf = m.nf;
    for (int i = 0; i < 3; i++) {
        const help_mesh *use = i == 2 ? &soup : &m;
        sp_distance_field *f = field_of(ctx, use->x0, use->nv, use->faces, i == 1 ? use->nf - 4 : use->nf, 0.08);
        REQUIRE(f != NULL);
        sp_distance_field_info info;
        sp__distance_field_info(f, &info);
        CHECK((info.open_edges > 0) == (i > 0));
        uint64_t seed = 2;
        int wrong = 0;
        for (int k = 0; k < 5000; k++) {
            double x[3] = {1.2 * help_uniform(&seed), 1.2 * help_uniform(&seed), 1.2 * help_uniform(&seed)}, r = sp__norm3(x);
            if (fabs(r - 1) > 0.08) wrong += (sp__distance_field_at(f, x, NULL) < 0) != (r < 1);
        }
        CHECK_INT(wrong, 0);
        sp__distance_field_release(&f);
    }
    // inside out: the solid is around the room
    for (int i = 0; i < m.nf; i++) {
        uint32_t swap = m.faces[3 * i];
        m.faces[3 * i] = m.faces[3 * i + 1], m.faces[3 * i + 1] = swap;
    }
    sp_distance_field *f = field_of(ctx, m.x0, m.nv, m.faces, m.nf, 0.08);
    REQUIRE(f != NULL);
    CHECK(sp__distance_field_at(f, (double[]){0, 0.1, 0.2}, NULL) > 0.7);
    CHECK(sp__distance_field_at(f, (double[]){0, 0, 1.3}, NULL) < -0.25 &&
          sp__distance_field_at(f, (double[]){9, 9, 9}, NULL) < -10);
    sp__distance_field_release(&f);
    sp_context_destroy(&ctx);
}

// From a point the value has the same sign up to the bound, in all directions; and the bound is of use.
TEST(bounds_hold) {
    sp_context *ctx = help_context(2);
    static help_mesh m;
    help_box(&m, (double[]){-1, -0.8, -0.05}, (double[]){1, 0.8, 0.05}, 2);
    help_turn(m.x0, m.nv, (double[]){1, 2, 3}, 0.7);
    sp_distance_field *f = field_of(ctx, m.x0, m.nv, m.faces, m.nf, 0.04);
    REQUIRE(f != NULL);
    uint64_t seed = 8;
    int wrong = 0, useful = 0;
    for (int i = 0; i < 3000; i++) {
        double x[3] = {1.5 * help_uniform(&seed), 1.5 * help_uniform(&seed), 1.5 * help_uniform(&seed)};
        const double value = sp__distance_field_at(f, x, NULL), sign = value < 0 ? -1 : 1;
        const double bound = sp__distance_field_bound(f, x, sign, 0);
        CHECK(bound <= fabs(value) + sp__distance_field_error(f));
        useful += bound > 0.3 * fabs(value);
        for (int k = 0; k < 8; k++) {
            double d[3] = {help_uniform(&seed), help_uniform(&seed), help_uniform(&seed)}, y[3], length = sp__norm3(d);
            for (int q = 1; q <= 4; q++) {
                sp__axpy3(x, 0.25 * q * bound / length, d, y);
                wrong += sign * sp__distance_field_at(f, y, NULL) < -1e-9;
            }
        }
    }
    CHECK_INT(wrong, 0);
    CHECK(useful > 2000);
    sp__distance_field_release(&f);
    sp_context_destroy(&ctx);
}

// Equal triangles with equal cells share a field; any number of workers builds the same bits.
TEST(fields_are_shared_and_the_same_for_any_number_of_workers) {
    static help_mesh m;
    double reference[200] = {0};
    help_sphere(&m, (double[]){0.1, 0.2, 0.3}, 0.7, 9);
    for (int workers = 1; workers <= 3; workers++) {
        sp_context *ctx = help_context(workers);
        size_t before, bytes;
        sp_context_memory(ctx, &before, NULL);
        sp_distance_field *f = field_of(ctx, m.x0, m.nv, m.faces, m.nf, 0.06),
                          *g = field_of(ctx, m.x0, m.nv, m.faces, m.nf, 0.06);
        sp_distance_field *other = field_of(ctx, m.x0, m.nv, m.faces, m.nf, 0.07);
        CHECK(f && f == g && other && other != f);
        sp__distance_field_release(&f);
        uint64_t seed = 4;
        for (int i = 0; i < 200 && g; i += 4) {
            double x[3] = {help_uniform(&seed), help_uniform(&seed), help_uniform(&seed)}, now[4];
            now[0] = sp__distance_field_at(g, x, now + 1);
            if (workers == 1) memcpy(reference + i, now, sizeof now);
            CHECK(memcmp(reference + i, now, sizeof now) == 0);
        }
        sp__distance_field_release(&g), sp__distance_field_release(&other);
        sp_context_memory(ctx, &bytes, NULL);
        CHECK_INT(bytes, before);
        sp_context_destroy(&ctx);
    }
}

TEST(failed_allocations_leave_nothing) {
    static help_mesh m;
    help_sphere(&m, (double[]){0, 0, 0}, 1, 2);
    sp_status status = SP_NO_MEMORY;
    int refused = 0;
    for (long allowed = 1; status == SP_NO_MEMORY && allowed < 100; allowed++) {
        meter held = {.allowed = allowed};
        sp_context_def def = metered_context(&held);
        sp_context *ctx = NULL;
        sp_distance_field *f = NULL;
        sp_distance_field_def field = {m.nv, m.x0, m.nf, m.faces, 0.5};
        REQUIRE(sp_context_create(&def, &ctx) >= 0);
        status = sp__distance_field_acquire(ctx, &field, &f);
        refused += status == SP_NO_MEMORY;
        CHECK((status >= 0) == (f != NULL));
        sp__distance_field_release(&f);
        sp_context_destroy(&ctx);
        CHECK_INT(held.live, 0);
    }
    CHECK(status == SP_OK && refused > 10);
}

// ---------------------------------------------------------------------------------------------------- contacts

static sp_context *ctx;
static sp_collide *set;
static help_mesh a, b;
static const sp_collider_frame AT_REST = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};

static void start(int workers) {
    ctx = help_context(workers);
    set = help_set(ctx);
}

static void finish(sp_distance_field **f) {
    sp__collide_destroy(&set);
    sp__distance_field_release(f);
    sp_context_destroy(&ctx);
}

static int add_field(uint32_t id, const help_mesh *m, const sp_distance_field *f, sp_collider_side side) {
    sp_collider_def def = {.type = SP_COLLIDER_FIELD,
                           .id = id,
                           .vertex_count = m->nv,
                           .items = m->faces,
                           .item_count = m->nf,
                           .field = f,
                           .side = side};
    int index = help_add(set, def, m->x0, m->x1);
    if (index >= 0) sp__collider_place_field(set, index, &AT_REST, &AT_REST);
    return index;
}

// A block on a box: every node of its lower face, with the distances and normals that triangles give.
TEST(block_on_a_field_as_on_triangles) {
    for (int gap = -1; gap <= 1; gap++) {
        start(1);
        help_box(&a, (double[]){0, 0, 0.001 * gap}, (double[]){1, 1, 1}, 8);
        help_box(&b, (double[]){-1, -0.5, -1}, (double[]){2, 1.5, 0}, 3);
        sp_distance_field *f = field_of(ctx, b.x0, b.nv, b.faces, b.nf, 0.1);
        help_add_mesh(set, 1, &a), add_field(2, &b, f, SP_SIDE_OUTSIDE);
        sp_found found = help_find(set, SP_BROAD_TREE, 0.01, 0.01);
        CHECK_INT(found.count, 81);
        for (int i = 0; i < found.count; i++) {
            const sp_contact_found *c = &found.contacts[i];
            CHECK(c->a.feature == SP_FEATURE_VERTEX && c->b.feature == SP_FEATURE_SHAPE && c->b.count == 0);
            CHECK_NEAR(c->normal[2], 1, 1e-9);
            CHECK_NEAR(c->distance0, 0.001 * gap, 1e-7);  // floats
            CHECK_NEAR(c->b.point[2], 0, 1e-7);
            CHECK_NEAR(c->a.point[2], 0.001 * gap, 0);
        }
        finish(&f);
    }
}

// The field moves and turns with its body: contacts are those of the same scene at rest, turned.
TEST(moved_field) {
    for (int swap = 0; swap < 2; swap++) {
        start(1);
        help_box(&a, (double[]){-0.2, -0.2, 0.005}, (double[]){0.2, 0.2, 0.3}, 2);
        help_box(&b, (double[]){-1, -1, -1}, (double[]){1, 1, 0}, 1);
        sp_distance_field *f = field_of(ctx, b.x0, b.nv, b.faces, b.nf, 0.1);
        const double axis[3] = {0.3, 1, -0.4}, shift[3] = {5, -3, 2};
        sp_collider_frame at;
        double q[4];
        sp__quat_axis(axis, 0.8, q), sp__quat_matrix(q, at.R), memcpy(at.at, shift, sizeof shift);
        help_mesh *both[2] = {&a, &b};
        for (int i = 0; i < 2; i++) {
            help_turn(both[i]->x0, both[i]->nv, axis, 0.8), help_shift(both[i]->x0, both[i]->nv, 5, -3, 2);
            memcpy(both[i]->x1, both[i]->x0, sizeof a.x0);
        }
        help_add_mesh(set, swap ? 9 : 1, &a);
        int index = add_field(2, &b, f, SP_SIDE_OUTSIDE);
        sp__collider_place_field(set, index, &at, &at);
        sp_found found = help_find(set, SP_BROAD_TREE, 0.01, 0.01);
        CHECK_INT(found.count, 9);
        for (int i = 0; i < found.count; i++) {
            const sp_contact_found *c = &found.contacts[i];
            for (int k = 0; k < 3; k++) CHECK_NEAR(c->normal[k], (swap ? -1 : 1) * at.R[3 * k + 2], 1e-9);
            CHECK_NEAR(c->distance0, 0.005, 1e-7);
            CHECK((swap ? c->b.collider : c->a.collider) == (swap ? 9u : 1u));
        }
        finish(&f);
    }
}

// A large face on a small ball: the vertices are far away, an edge or the face itself touches.
TEST(faces_and_edges_touch) {
    for (int edge = 0; edge < 2; edge++) {
        start(1);
        const double plate[] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0, 0, 0, 1};
        const uint32_t faces[] = {0, 2, 1, 0, 3, 2, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};
        help_sphere(&b, (double[]){edge ? 0 : 0.2, edge ? 0 : -0.3, -0.205}, 0.2, 18);
        sp_distance_field *f = field_of(ctx, b.x0, b.nv, b.faces, b.nf, 0.02);
        help_add(set, (sp_collider_def){.id = 1, .vertex_count = 5, .items = faces, .item_count = 6}, plate, plate);
        add_field(2, &b, f, SP_SIDE_OUTSIDE);
        sp_found found = help_find(set, SP_BROAD_TREE, 0.01, 0.01);
        CHECK_INT(found.count, 1);
        if (found.count) {
            const sp_contact_found *c = &found.contacts[0];
            CHECK(c->a.feature == (edge ? SP_FEATURE_EDGE : SP_FEATURE_FACE));
            CHECK_NEAR(c->normal[2], 1, 1e-3);
            // edges of 0.025 are up to L^2 / 8 R = 4e-4 below a radius of 0.2, and splines round the corners of the facets
            CHECK_NEAR(c->distance0, 0.005, 1e-3);
        }
        finish(&f);
    }
}

// A plate above a ball, with edges of less than half a cell: vertices are enough, and what they miss is below a sixteenth of a
// cell. The nearest ones are 14 mm from the pole, 0.5 mm below it.
TEST(fine_meshes_touch_by_their_vertices) {
    const double cell = 0.06;
    start(1);
    help_box(&a, (double[]){-0.11, -0.11, 0}, (double[]){0.11, 0.11, 0.22}, 11);  // edges of 20 mm, diagonals of 28 mm
    help_sphere(&b, (double[]){0, 0, -0.205}, 0.2, 18);
    sp_distance_field *f = field_of(ctx, b.x0, b.nv, b.faces, b.nf, cell);
    help_add_mesh(set, 1, &a), add_field(2, &b, f, SP_SIDE_OUTSIDE);
    sp_found found = help_find(set, SP_BROAD_TREE, 0.01, 0.01);
    double least = INFINITY;
    for (int i = 0; i < found.count; i++) {
        CHECK(found.contacts[i].a.feature == SP_FEATURE_VERTEX);
        least = fmin(least, found.contacts[i].distance0);
    }
    const double gap = sp__distance_field_at(f, (double[]){0, 0, 0}, NULL);
    printf("  %d contacts, the nearest at %.5f m, the plate at %.5f m\n", found.count, least, gap);
    CHECK(found.count >= 4 && least > gap && least < gap + cell / 16);
    finish(&f);
}

// A small box that passes a thin plate in one step: caught, with the side of the committed state.
TEST(fast_motion_through_a_thin_plate) {
    for (int grid = 1; grid <= 5; grid += 4) {
        start(1);
        help_box(&a, (double[]){-0.01, -0.013, 0.4}, (double[]){0.012, 0.011, 0.42}, 1);
        help_shift(a.x1, a.nv, 0.1, 0.05, -0.9);
        help_box(&b, (double[]){-0.2, -0.2, -0.004}, (double[]){0.2, 0.2, 0.004}, grid);
        sp_distance_field *f = field_of(ctx, b.x0, b.nv, b.faces, b.nf, 0.004);
        help_add_mesh(set, 1, &a), add_field(2, &b, f, SP_SIDE_OUTSIDE);
        sp_found found = help_find(set, SP_BROAD_TREE, 0.001, 0.001);
        bool hit[8] = {false};
        for (int i = 0; i < found.count; i++) {
            const sp_contact_found *c = &found.contacts[i];
            CHECK_NEAR(c->normal[2], 1, 1e-3);
            CHECK(c->distance0 > 0.38 && c->distance1 < -0.4 && c->time > 0.4 && c->time < 0.5);
            if (c->a.feature == SP_FEATURE_VERTEX) hit[c->a.index] = true;
        }
        for (int i = 0; i < 8; i++) CHECK(hit[i]);
        finish(&f);
    }
}

// A rod falls across the edge of a wedge: none of its vertices comes near, its middle is caught. With a radius it touches
// earlier.
TEST(fast_rod_across_an_edge) {
    for (int thick = 0; thick < 2; thick++) {
        start(1);
        const double x0[] = {-1, 0.01, 0.7, 1, 0.01, 0.7}, x1[] = {-1, 0.01, -0.5, 1, 0.01, -0.5};
        const uint32_t segment[] = {0, 1};
        help_box(&b, (double[]){-0.1, -0.1, -0.1}, (double[]){0.1, 0.1, 0.1}, 1);
        help_turn(b.x0, b.nv, (double[]){0, 1, 0}, SP_PI / 4);
        memcpy(b.x1, b.x0, sizeof b.x0);
        sp_distance_field *f = field_of(ctx, b.x0, b.nv, b.faces, b.nf, 0.005);
        sp_collider_def rod = {.type = SP_COLLIDER_SEGMENTS, .id = 1, .vertex_count = 2, .items = segment, .item_count = 1};
        rod.radius = thick ? 0.05 : 0;
        help_add(set, rod, x0, x1);
        add_field(2, &b, f, SP_SIDE_OUTSIDE);
        sp_found found = help_find(set, SP_BROAD_TREE, 0.005, 0.005);
        CHECK_INT(found.count, 1);
        if (found.count) {
            const sp_contact_found *c = &found.contacts[0];
            double touch = (0.7 - 0.1 * sqrt(2) - rod.radius) / 1.2;
            CHECK(c->a.feature == SP_FEATURE_EDGE && fabs(c->a.weight[0] - 0.5) < 0.01);
            CHECK(c->normal[2] > 0.99);
            // early by the size of a piece, and the edge is rounded by a part of a cell
            CHECK(c->time <= touch + 0.005 && c->time > touch - 0.005);
            CHECK_NEAR(c->distance1, -0.5 - 0.1 * sqrt(2) - rod.radius, 0.005);
        }
        finish(&f);
    }
}

// A vessel: the space inside is free. A ball near the wall, one in the wall, and one that is thrown through the wall.
TEST(inside_of_a_vessel) {
    start(1);
    help_box(&b, (double[]){0, 0, 0}, (double[]){1, 1, 1}, 2);
    sp_distance_field *f = field_of(ctx, b.x0, b.nv, b.faces, b.nf, 0.05);
    add_field(2, &b, f, SP_SIDE_INSIDE);
    int ball_index = help_add_shape(set, 1, SP_COLLIDER_SPHERE, 0.1, (double[]){0.3, 0.4, 0.12}, (double[]){0, 0, 0});
    const struct {
        double from, to, distance0, distance1;
    } cases[] = {{0.12, 0.12, 0.02, 0.02}, {-0.03, -0.03, -0.13, -0.13}, {0.5, -0.6, 0.4, -0.7}};
    for (int i = 0; i < 3; i++) {
        sp_shape_place from = {{0.3, 0.4, cases[i].from}, {0}}, to = {{0.3, 0.4, cases[i].to}, {0}};
        sp__collider_move_shape(set, ball_index, &from, &to);
        sp_found found = help_find(set, SP_BROAD_TREE, 0.05, 0.05);
        CHECK_INT(found.count, 1);
        if (!found.count) continue;
        CHECK_NEAR(found.contacts[0].normal[2], 1, 1e-6);
        CHECK_NEAR(found.contacts[0].distance0, cases[i].distance0, 1e-6);
        CHECK_NEAR(found.contacts[0].distance1, cases[i].distance1, 1e-6);
        CHECK(found.contacts[0].a.count == 0 && found.contacts[0].b.count == 0);
    }
    // a ball on one wall slides into the corner with the next one, where the gradient is between the two normals
    sp_shape_place from = {{0.5, 0.4, 0.1}, {0}}, to = {{1.5, 0.4, 0.1}, {0}};
    sp__collider_move_shape(set, ball_index, &from, &to);
    sp_found found = help_find(set, SP_BROAD_TREE, 0.05, 0.05);
    double least = 1;
    for (int i = 0; i < found.count; i++) least = fmin(least, found.contacts[i].normal[0]);
    CHECK(found.count >= 2 && least < -0.7);
    finish(&f);
}

static bool same_found(const sp_contact_found *p, int count, const sp_found *f) {
    bool same = count == f->count;
    for (int i = 0; i < count && same; i++)
        same = memcmp(p[i].key, f->contacts[i].key, sizeof p->key) == 0 && p[i].distance0 == f->contacts[i].distance0 &&
               p[i].distance1 == f->contacts[i].distance1 && memcmp(p[i].normal, f->contacts[i].normal, sizeof p->normal) == 0;
    return same;
}

// Tree and brute force, and any number of workers: the same contacts. Two fields against each other, lines and points as well.
TEST(methods_and_workers_agree) {
    static sp_contact_found kept[4096];
    int count = 0;
    for (int workers = 1; workers <= 3; workers++) {
        start(workers);
        uint64_t seed = 17;
        help_sphere(&a, (double[]){0, 0, 0.95}, 0.5, 6);
        help_sphere(&b, (double[]){0.1, 0, 0}, 0.5, 7);
        help_shift(a.x1, a.nv, 0.02, 0.01, -0.1);
        sp_distance_field *f = field_of(ctx, b.x0, b.nv, b.faces, b.nf, 0.05);
        double line[30], line1[30];
        uint32_t segments[18];
        for (int i = 0; i < 30; i++) line[i] = 0.6 * help_uniform(&seed), line1[i] = line[i] + 0.1 * help_uniform(&seed);
        for (int i = 0; i < 18; i++) segments[i] = (uint32_t)((i + 1) / 2);
        help_add_mesh(set, 1, &a), add_field(2, &b, f, SP_SIDE_OUTSIDE);
        sp_collider_def d = {
            .type = SP_COLLIDER_SEGMENTS, .id = 3, .vertex_count = 10, .items = segments, .item_count = 9, .radius = 0.02};
        help_add(set, d, line, line1);
        d = (sp_collider_def){.type = SP_COLLIDER_POINTS, .id = 4, .vertex_count = 10};
        help_add(set, d, line1, line);
        // the same triangles and field once more, above: its frame is shifted
        static help_mesh c;
        c = b;
        help_shift(c.x0, c.nv, 0.3, 0.2, -0.92), help_shift(c.x1, c.nv, 0.3, 0.2, -0.9);
        sp_collider_frame at0 = AT_REST, at1 = AT_REST;
        at0.at[0] = at1.at[0] = 0.3, at0.at[1] = at1.at[1] = 0.2, at0.at[2] = -0.92, at1.at[2] = -0.9;
        int index = add_field(5, &c, f, SP_SIDE_OUTSIDE);
        sp__collider_place_field(set, index, &at0, &at1);
        for (int method = SP_BROAD_TREE; method <= SP_BROAD_BRUTE; method++) {
            sp_found found = help_find(set, (sp_broad)method, 0.03, 0.1);
            if (workers == 1 && method == 0) count = found.count, memcpy(kept, found.contacts, (size_t)count * sizeof *kept);
            CHECK(found.count > 20 && found.count < 4096);
            CHECK(same_found(kept, count, &found));
        }
        int pairs[6] = {0};
        for (int i = 0; i < count; i++) pairs[kept[i].a.collider == 2 && kept[i].b.collider == 5 ? 5 : kept[i].a.collider]++;
        CHECK(pairs[1] > 0 && pairs[2] > 0 && pairs[5] > 0);
        finish(&f);
    }
}
