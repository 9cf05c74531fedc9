// Colliders that touch themselves: bent bars, plates and rods have no contacts with their own neighbourhood, whatever their
// thickness; their ends touch, overlap and are caught when they pass each other.
#include "collide_help.h"

static sp_context *ctx;
static sp_collide *set;
static help_mesh bar;
static double rest[3 * HELP_VERTICES];

static void start(int workers) {
    ctx = help_context(workers);
    set = help_set(ctx);
}

static void finish(void) {
    sp__collide_destroy(&set);
    sp_context_destroy(&ctx);
}

// A bar along x, of length 1, bent about y to an arc of the given angle; its ends face each other near 2 pi.
static void bend(const double *from, int nv, double angle, double *x) {
    const double radius = 1 / angle;
    for (int i = 0; i < nv; i++) {
        const double *p = from + 3 * i;
        double a = angle * p[0], r = radius - p[2];
        x[3 * i] = r * sin(a), x[3 * i + 1] = p[1], x[3 * i + 2] = radius - r * cos(a);
    }
}

static void make_bar(double thick, int n) {
    help_box(&bar, (double[]){0, -0.05, -0.5 * thick}, (double[]){1, 0.05, 0.5 * thick}, n);
    memcpy(rest, bar.x0, sizeof rest);
}

static int add_self(uint32_t id) {
    return help_add(set,
                    (sp_collider_def){.id = id,
                                      .vertex_count = bar.nv,
                                      .items = bar.faces,
                                      .item_count = bar.nf,
                                      .flags = SP_COLLIDER_SELF | SP_COLLIDER_SOFT,
                                      .rest = rest},
                    bar.x0, bar.x1);
}

// Thick and thin, coarse and fine, straight to nearly closed; the alarm distance is smaller and larger than the bar is thick.
TEST(a_bent_bar_does_not_touch_its_neighbourhood) {
    const double thick[] = {0.1, 0.02, 0.004};
    for (int i = 0; i < 3; i++)
        for (int n = 4; n <= 8; n += 4)
            for (int k = 0; k < 8; k += 2 + i % 2) {
                start(1);
                make_bar(thick[i], n);
                bend(rest, bar.nv, 0.001 + 0.7 * k, bar.x0);
                bend(rest, bar.nv, 0.05 + 0.7 * k, bar.x1);
                add_self(1);
                for (int wide = 0; wide < 2; wide++) {
                    double alarm = (wide ? 0.25 : 0.125) / n;
                    sp_found f = help_find(set, SP_BROAD_TREE, alarm, 8 * alarm);
                    if (f.count) printf("  thick %g, %d cells, angle %g, alarm %g\n", thick[i], n, 0.7 * k, alarm);
                    CHECK_INT(f.count, 0);
                }
                finish();
            }
}

// The ends come to each other: apart, touching, overlapping. Normals are across the gap, and each vertex of an end has a contact.
TEST(ends_of_a_ring_touch) {
    const double gap[] = {0.01, 0.001, -0.002, -0.01};
    for (int i = 0; i < 4; i++) {
        start(2);
        make_bar(0.06, 8);
        const double angle = 2 * SP_PI * (1 - gap[i]);
        bend(rest, bar.nv, angle, bar.x0);
        memcpy(bar.x1, bar.x0, sizeof bar.x0);
        add_self(7);
        sp_found f = help_find(set, SP_BROAD_TREE, 0.015, 0.06);

        CHECK(f.count >= 70 && f.count < 400);
        bool seen[HELP_VERTICES] = {false};
        int vertices = 0;
        for (int k = 0; k < f.count; k++) {
            const sp_contact_found *c = &f.contacts[k];
            CHECK(c->a.collider == 7 && c->b.collider == 7 && c->key[0] < c->key[1]);
            CHECK(fabs(fabs(c->normal[0]) - 1) < 0.01);
            // across the gap, which is wedge-shaped: between 0.8 and 1.2 of the gap in the middle
            CHECK_NEAR(c->distance0, gap[i], 0.25 * fabs(gap[i]));
            // on both ends
            for (int s = 0; s < 2; s++) {
                const sp_contact_side *side = s ? &c->b : &c->a;
                for (int q = 0; q < side->count; q++) {
                    double x = rest[3 * side->vertex[q]];
                    CHECK(x < 0.2 || x > 0.8);
                    if (side->feature == SP_FEATURE_VERTEX) vertices += !seen[side->index], seen[side->index] = true;
                }
            }
        }
        CHECK(vertices >= 81);
        finish();
    }
}

// A step from a gap to a deep overlap: every vertex of an end that is inside is caught.
TEST(ends_that_pass_each_other_are_caught) {
    start(1);
    make_bar(0.06, 6);
    bend(rest, bar.nv, 2 * SP_PI * 0.9, bar.x0);
    bend(rest, bar.nv, 2 * SP_PI * 1.05, bar.x1);
    add_self(1);
    sp_found f = help_find(set, SP_BROAD_TREE, 0.01, 0.01);
    int violated = 0;
    for (int k = 0; k < f.count; k++) {
        CHECK(f.contacts[k].distance0 > 0);
        violated += f.contacts[k].distance1 < 0;
    }
    CHECK(violated >= 49);
    finish();
}

static sp_contact_found kept[4096];

TEST(methods_and_workers_agree) {
    int count = 0;
    for (int workers = 1; workers <= 3; workers++) {
        start(workers);
        make_bar(0.06, 7);
        bend(rest, bar.nv, 2 * SP_PI * 0.99, bar.x0);
        bend(rest, bar.nv, 2 * SP_PI * 1.01, bar.x1);
        add_self(3);
        for (int method = SP_BROAD_TREE; method <= SP_BROAD_BRUTE; method++) {
            sp_found f = help_find(set, (sp_broad)method, 0.02, 0.05);
            CHECK(f.count > 40 && f.count < 4096);
            if (workers == 1 && method == 0) count = f.count, memcpy(kept, f.contacts, (size_t)count * sizeof *kept);
            CHECK_INT(f.count, count);
            for (int i = 0; i < f.count && f.count == count; i++)
                CHECK(memcmp(kept[i].key, f.contacts[i].key, sizeof kept[i].key) == 0 &&
                      kept[i].distance1 == f.contacts[i].distance1 &&
                      memcmp(kept[i].normal, f.contacts[i].normal, sizeof kept[i].normal) == 0);
        }
        finish();
    }
}

// A rod with a radius of two of its segments: straight, or wound to a helix whose turns are apart, it has no contacts. Turns that
// touch have one for each segment or so, across the axis.
TEST(a_rod_touches_its_turns) {
    enum { N = 120 };
    static double x[3 * N], x0[3 * N];
    static uint32_t segments[2 * (N - 1)];
    const double radius = 0.04, length = 0.02, ring = 0.2;
    for (int i = 0; i < N - 1; i++) segments[2 * i] = (uint32_t)i, segments[2 * i + 1] = (uint32_t)i + 1;
    for (int i = 0; i < N; i++) x0[3 * i] = length * i, x0[3 * i + 1] = x0[3 * i + 2] = 0;
    for (int turns = 0; turns < 3; turns++) {
        start(1);
        const double pitch = turns == 1 ? 0.12 : 0.084;  // per turn; the rod is 0.08 thick
        for (int i = 0; i < N; i++) {
            double a = length * i / ring;
            x[3 * i] = ring * cos(a), x[3 * i + 1] = ring * sin(a), x[3 * i + 2] = pitch * a / (2 * SP_PI);
        }
        sp_collider_def d = {.type = SP_COLLIDER_SEGMENTS,
                             .id = 1,
                             .vertex_count = N,
                             .items = segments,
                             .item_count = N - 1,
                             .radius = radius,
                             .flags = SP_COLLIDER_SELF,
                             .rest = x0};
        help_add(set, d, turns ? x : x0, turns ? x : x0);
        sp_found f = help_find(set, SP_BROAD_TREE, 0.01, 0.01);
        if (turns < 2) CHECK_INT(f.count, 0);
        // all but the last turn have a neighbour above: 57 of 120 vertices
        if (turns == 2) CHECK(f.count >= 50);
        for (int i = 0; i < f.count; i++) {
            // the ends of the rod touch the turn beside them a little obliquely
            CHECK(f.contacts[i].distance0 > 0.0036 && f.contacts[i].distance0 < 0.01);
            CHECK(fabs(f.contacts[i].normal[2]) > 0.9);
        }
        finish();
    }
}

TEST(intersections_are_counted) {
    start(1);
    make_bar(0.06, 6);
    int index = add_self(1), count = -1;
    memcpy(bar.x1, bar.x0, sizeof bar.x0);
    CHECK_INT(sp__collider_intersections(set, index, 100, &count), SP_OK);
    CHECK_INT(count, 0);
    bend(rest, bar.nv, 2 * SP_PI * 1.02, bar.x0);
    sp__collider_move(set, index, bar.x0, bar.x0);
    CHECK_INT(sp__collider_intersections(set, index, 1000, &count), SP_OK);
    CHECK(count > 10 && count < 1000);
    CHECK_INT(sp__collider_intersections(set, index, 5, &count), SP_OK);
    CHECK_INT(count, 5);
    int wrong;
    sp_collider_def d = {.id = 9, .vertex_count = bar.nv, .items = bar.faces, .item_count = bar.nf, .flags = SP_COLLIDER_SELF};
    CHECK_INT(sp__collider_add(set, &d, &wrong), SP_BAD_INPUT);
    finish();
}
