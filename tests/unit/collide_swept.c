// Continuous detection: the time of conservative advancement is never later than that of the first touch, which a fine sampling
// finds; small and fast things that the discrete search misses are caught, with a normal from the side where they come from.
#include "collide/collide_internal.h"
#include "collide_help.h"
#include "mesh/tree.h"

static sp_context *ctx;
static sp_collide *set;

static void start(void) {
    ctx = help_context(1);
    set = help_set(ctx);
}

static void finish(void) {
    sp__collide_destroy(&set);
    sp_context_destroy(&ctx);
}

static sp_found find(double alarm, bool continuous) {
    sp_collide_options o = {.rule = {.alarm = alarm, .depth = alarm, .continuous = continuous}};
    sp_found found;
    CHECK(sp__collide_find(set, &o, &found) >= 0);
    return found;
}

// ---------------------------------------------------------------------------------------------------- advancement

static double near_segment(const double p[3], const double a[3], const double b[3]) {
    double e[3], d[3];
    sp__sub3(b, a, e), sp__sub3(p, a, d);
    sp__axpy3(d, -fmin(fmax(sp__dot3(d, e) / fmax(sp__dot3(e, e), 1e-300), 0), 1), e, d);
    return sp__norm3(d);
}

// distance of two segments: that of a point of the first one from the second is a convex function
static double segments_distance(const double x[4][3]) {
    double from = 0, to = 1, p[2][3];
    for (int i = 0; i < 40; i++) {
        double s[2] = {from + (to - from) / 3, to - (to - from) / 3};
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 3; k++) p[j][k] = (1 - s[j]) * x[0][k] + s[j] * x[1][k];
        if (near_segment(p[0], x[2], x[3]) < near_segment(p[1], x[2], x[3]))
            to = s[1];
        else
            from = s[0];
    }
    return near_segment(p[0], x[2], x[3]);
}

static double distance_at(double x[2][4][3], bool edges, double t) {
    double now[4][3], w[3];
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) now[i][k] = (1 - t) * x[0][i][k] + t * x[1][i][k];
    if (edges) return segments_distance((const double(*)[3])now);
    return sqrt(sp__nearest_on_triangle(now[1], now[2], now[3], now[0], w));
}

// Random vertices and triangles, edges and edges, some of which turn and pass in and out again within the step.
TEST(advancement_is_never_late) {
    enum { SAMPLES = 200 };
    const double radius = 0.02, touch = 0.001;
    uint64_t seed = 41;
    int hits = 0, late = 0, early = 0;
    for (int i = 0; i < (SANITIZED ? 100 : 600); i++) {
        const bool edges = i % 2;
        double x[2][4][3];
        for (int s = 0; s < 2; s++)
            for (int k = 0; k < 12; k++) x[s][k / 3][k % 3] = help_uniform(&seed) * (i % 3 ? 1 : 0.2);
        const uint32_t items[] = {0, 1, 2};
        start();
        // the vertex, or the first edge, has a collider of its own
        int first = edges ? 2 : 1;
        help_add(set,
                 (sp_collider_def){.type = edges ? SP_COLLIDER_SEGMENTS : SP_COLLIDER_POINTS,
                                   .id = 1,
                                   .vertex_count = first,
                                   .items = edges ? items : NULL,
                                   .item_count = 1,
                                   .radius = radius},
                 x[0][0], x[1][0]);
        help_add(set,
                 (sp_collider_def){.type = edges ? SP_COLLIDER_SEGMENTS : SP_COLLIDER_TRIANGLES,
                                   .id = 2,
                                   .vertex_count = 4 - first,
                                   .items = items,
                                   .item_count = 1},
                 x[0][first], x[1][first]);
        const sp_collider *a = &set->colliders[0], *b = &set->colliders[1];
        double t = edges ? sp__advance_edges(a, 0, b, 0, touch) : sp__advance_vertex(a, 0, b, 0, touch, 1), oracle = INFINITY;
        for (int k = 0; k <= SAMPLES && oracle == INFINITY; k++)
            if (distance_at(x, edges, (double)k / SAMPLES) < radius) oracle = (double)k / SAMPLES;
        hits += oracle < INFINITY;
        late += oracle < 1 && !(t <= oracle);
        // where it ends, the two are near each other
        early += t < 1 && distance_at(x, edges, t) > radius + touch + 1e-6;
        finish();
    }
    printf("  %d of 600 touch\n", hits);
    CHECK(hits > (SANITIZED ? 15 : 100));
    CHECK_INT(late, 0);
    CHECK(early <= hits / 20);  // paths that graze each other a little farther apart need more steps than there are
}

// ---------------------------------------------------------------------------------------------------- small and fast

// Two small balls that fly through each other, and a ball through a thin wire: each at several offsets of its path.
TEST(balls_and_wires) {
    int missed = 0;
    for (int i = 0; i < 12; i++)
        for (int continuous = 0; continuous < 2; continuous++) {
            start();
            double offset = 0.0015 * (i % 6), from = 0.5 + 0.013 * i;
            int ball = help_add_shape(set, 1, SP_COLLIDER_SPHERE, 0.005, (double[]){0, 0, 0}, (double[]){0, 0, 0});
            if (i < 6)
                help_add_shape(set, 2, SP_COLLIDER_SPHERE, 0.005, (double[]){0, 0, 0}, (double[]){0, 0, 0});
            else
                help_add_shape(set, 2, SP_COLLIDER_CAPSULE, 0.002, (double[]){-0.1, 0, 0}, (double[]){0.1, 0, 0});
            sp_shape_place at0 = {{0.01, offset * (i < 6 ? 1 : 0.8), from}, {0}},
                           at1 = {{0.01, offset * (i < 6 ? 1 : 0.8), from - 1}, {0}};
            if (i < 6) at0.a[0] = at1.a[0] = 0;
            sp__collider_move_shape(set, ball, &at0, &at1);
            sp_found f = find(0.0005, continuous);
            if (continuous) {
                CHECK_INT(f.count, 1);
                if (f.count)
                    CHECK(f.contacts[0].normal[2] > 0.2 && f.contacts[0].distance0 > 0.05 && f.contacts[0].distance1 < 0);
            } else {
                missed += f.count == 0;
            }
            finish();
        }
    CHECK(missed > 0);
}

static help_mesh strip, box;

// A ball beside the middle of a thin closed strip, which is narrower than the ball: the centre passes no face.
TEST(ball_on_the_rim_of_a_strip) {
    for (int continuous = 0; continuous < 2; continuous++) {
        start();
        help_box(&strip, (double[]){-0.5, -0.01, -0.001}, (double[]){0.5, 0.01, 0.001}, 1);
        help_add_mesh(set, 2, &strip);
        int ball = help_add_shape(set, 1, SP_COLLIDER_SPHERE, 0.03, (double[]){0, 0, 0}, (double[]){0, 0, 0});
        sp_shape_place at0 = {{0.2, 0.025, 0.3}, {0}}, at1 = {{0.23, 0.025, -0.3}, {0}};
        sp__collider_move_shape(set, ball, &at0, &at1);
        sp_found f = find(0.002, continuous);
        CHECK((f.count > 0) == (continuous == 1));
        for (int i = 0; i < f.count; i++) CHECK(f.contacts[i].normal[2] > 0.5 && f.contacts[i].distance1 < 0);
        finish();
    }
}

// number of paths, of eight, on which a search of one of the steps finds the ball beside the strip
static int paths_caught(double step, bool continuous) {
    int caught = 0;
    for (int phase = 0; phase < 8; phase++) {
        start();
        help_box(&strip, (double[]){-0.5, -0.01, -0.001}, (double[]){0.5, 0.01, 0.001}, 1);
        help_add_mesh(set, 2, &strip);
        int ball = help_add_shape(set, 1, SP_COLLIDER_SPHERE, 0.03, (double[]){0, 0, 0}, (double[]){0, 0, 0}), contacts = 0;
        for (double z = 0.3 + step * (phase + 0.5) / 8; z > -0.3; z -= step) {
            sp_shape_place at0 = {{0.2, 0.025, z}, {0}}, at1 = {{0.2, 0.025, z - step}, {0}};
            sp__collider_move_shape(set, ball, &at0, &at1);
            contacts += find(0.002, continuous).count;
        }
        caught += contacts > 0;
        finish();
    }
    return caught;
}

// The limit of discrete detection: the ball is within alarm of the strip on 57 mm of its path, 2 sqrt((30 + 2)^2 - 15^2) with the
// rim 15 mm beside the path. Shorter steps end there, whatever the phase; longer ones pass it at some phases, or at most.
TEST(long_steps_miss_what_short_ones_find) {
    CHECK_INT(paths_caught(0.05, false), 8);
    const int longer = paths_caught(0.12, false), longest = paths_caught(0.6, false);
    CHECK(longer > 0 && longer < 8);
    CHECK(longest <= 1);
    CHECK_INT(paths_caught(0.6, true), 8);
}

// ---------------------------------------------------------------------------------------------------- fast rods

enum { ROD_SHEET, ROD_OPEN_SHEET, ROD_STRIP, ROD_ROD, ROD_CHAIN, ROD_PARALLEL, ROD_SPHERE, ROD_CAPSULE, ROD_TARGETS };
static const char *const rod_targets[] = {"sheet", "open sheet", "strip", "rod", "chain", "parallel rod", "sphere", "capsule"};
enum { ROD_VERTICES = 5 };
static const double rod_radius = 0.002, sphere_radius = 0.008;

// A rod of 0.2 m along y that flies downwards through z = 0 by a metre, and turns a little. Through: its middle meets the target,
// between two vertices. Else only its end touches what is at y < 0, or its side what is parallel, with a part of the radii.
static void fly_rod(int target, int path, bool through, double x[2][3 * ROD_VERTICES]) {
    uint64_t seed = 77 + (uint64_t)path;
    const bool round = target == ROD_ROD || target == ROD_CHAIN || target == ROD_CAPSULE || target == ROD_PARALLEL;
    const double radii = rod_radius + (round ? rod_radius : target == ROD_SPHERE ? sphere_radius : 0);
    const double beside = radii * (0.5 + 0.3 * help_uniform(&seed)), across = 0.02 * help_uniform(&seed);
    const bool parallel = target == ROD_PARALLEL;
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < ROD_VERTICES; i++) x[s][3 * i] = x[s][3 * i + 2] = 0, x[s][3 * i + 1] = 0.05 * i;
        // the end stays where it is, and turns the middle by 20 mm
        double axis[3] = {help_uniform(&seed), 0, help_uniform(&seed)};
        if (target == ROD_SPHERE) axis[2] = 0;  // it would pass beside the sphere
        if (!parallel) help_turn(x[s], ROD_VERTICES, axis, 0.2);
        help_shift(x[s], ROD_VERTICES,
                   parallel               ? beside
                   : target == ROD_SPHERE ? 0
                                          : across,
                   parallel  ? 0.011
                   : through ? -0.075
                             : beside,
                   (s ? -0.5 : 0.5) + 0.1 * help_uniform(&seed));
    }
}

static void add_target(int target) {
    static const double across[] = {-0.1, 0, 0, -0.033, 0, 0, 0.033, 0, 0, 0.1, 0, 0}, along[] = {0, 0, 0, 0, 0.2, 0};
    static const uint32_t chain[] = {0, 1, 1, 2, 2, 3}, sheet[] = {0, 1, 2, 0, 2, 3};
    static const double corners[] = {-0.3, -0.3, 0, 0.3, -0.3, 0, 0.3, 0, 0, -0.3, 0, 0};
    static const double ends[] = {-0.1, 0, 0, 0.1, 0, 0};
    help_box(&strip, (double[]){-0.3, target == ROD_STRIP ? -0.01 : -0.3, -0.001}, (double[]){0.3, 0, 0.001}, 1);
    sp_collider_def def = {.type = SP_COLLIDER_SEGMENTS, .id = 2, .items = chain, .radius = rod_radius};
    def.item_count = target == ROD_CHAIN ? 3 : 1, def.vertex_count = def.item_count + 1;
    const double *line = target == ROD_CHAIN ? across : target == ROD_PARALLEL ? along : ends;
    switch (target) {
    case ROD_SHEET:
    case ROD_STRIP: help_add_mesh(set, 2, &strip); break;
    case ROD_OPEN_SHEET:
        help_add(set, (sp_collider_def){.side = SP_SIDE_BOTH, .id = 2, .vertex_count = 4, .items = sheet, .item_count = 2},
                 corners, corners);
        break;
    case ROD_SPHERE: help_add_shape(set, 2, SP_COLLIDER_SPHERE, sphere_radius, (double[]){0, 0, 0}, (double[]){0, 0, 0}); break;
    case ROD_CAPSULE: help_add_shape(set, 2, SP_COLLIDER_CAPSULE, rod_radius, ends, ends + 3); break;
    default: help_add(set, def, line, line);
    }
}

// Misses of 20 paths; *wrong: contacts that do not come from above, or that do not end in an overlap.
static int rods_missed(int target, bool through, bool continuous, int *wrong) {
    static const uint32_t chain[] = {0, 1, 1, 2, 2, 3, 3, 4};
    sp_collider_def def = {.type = SP_COLLIDER_SEGMENTS, .id = 1, .vertex_count = ROD_VERTICES, .items = chain};
    int missed = 0;
    def.item_count = ROD_VERTICES - 1, def.radius = rod_radius;
    for (int path = 0; path < 20; path++) {
        double x[2][3 * ROD_VERTICES];
        fly_rod(target, path, through, x);
        start();
        help_add(set, def, x[0], x[1]);
        add_target(target);
        sp_found f = find(rod_radius / 8, continuous);
        missed += f.count == 0;
        for (int i = 0; i < f.count; i++) {
            const sp_contact_found *c = &f.contacts[i];
            *wrong += !(c->normal[2] > 0.05 && c->distance0 > 0 && c->distance1 < 0);
        }
        finish();
    }
    return missed;
}

// A thin rod that flies through something thin in one step is found whatever its path, from the side where it comes from. Without
// continuous detection those are found whose axis crosses the other, and most of those are missed that touch it with the radius.
TEST(rods_do_not_fly_through) {
    for (int target = 0; target < ROD_TARGETS; target++) {
        int wrong = 0, passed = 0, discrete = rods_missed(target, false, false, &passed);
        int beside = rods_missed(target, false, true, &wrong), through = rods_missed(target, true, true, &wrong);
        printf("  %s: %d of 20 missed, with continuous detection %d and %d; %d contacts from behind\n", rod_targets[target],
               discrete, beside, through, wrong);
        CHECK(discrete > 10);
        CHECK(beside == 0 && through == 0 && wrong == 0);
    }
}

// A thin plate that turns by half a turn about its edge, over a point that is on the same side of it at both ends.
TEST(in_and_out_within_a_step) {
    int found[2];
    for (int continuous = 0; continuous < 2; continuous++) {
        start();
        help_box(&box, (double[]){0.05, -0.2, -0.001}, (double[]){0.5, 0.2, 0.001}, 2);
        memcpy(box.x1, box.x0, sizeof box.x0);
        // corners go on straight lines from +x to -x, and the plate collapses in between: its normal turns
        help_turn(box.x1, box.nv, (double[]){0, 1, 0}, -0.999 * SP_PI);
        help_shift(box.x1, box.nv, 0, 0, 0.3);
        help_shift(box.x0, box.nv, 0, 0, -0.1);
        help_add_mesh(set, 2, &box);
        int point = help_add_shape(set, 1, SP_COLLIDER_SPHERE, 0.001, (double[]){0, 0, 0}, (double[]){0, 0, 0});
        sp_shape_place at = {{0.02, 0.03, 0.05}, {0}};
        sp__collider_move_shape(set, point, &at, &at);
        found[continuous] = find(0.0005, continuous).count;
        finish();
    }
    CHECK(found[1] > 0);
}

// Whatever is found by the discrete search is found by the continuous one.
TEST(continuous_finds_more) {
    uint64_t seed = 12;
    int more = 0;
    static sp_contact_found kept[2000];
    for (int i = 0; i < 10; i++) {
        start();
        help_box(&box, (double[]){-0.1, -0.1, -0.1}, (double[]){0.1, 0.1, 0.1}, 2);
        help_sphere(&strip, (double[]){0, 0, 0}, 0.3, 4);
        help_turn(box.x0, box.nv, (double[]){help_uniform(&seed), help_uniform(&seed), 1}, 2);
        help_shift(box.x0, box.nv, 0, 0, 0.5);
        memcpy(box.x1, box.x0, sizeof box.x0);
        help_turn(box.x1, box.nv, (double[]){help_uniform(&seed), 1, help_uniform(&seed)}, 0.5);
        help_shift(box.x1, box.nv, 0.2 * help_uniform(&seed), 0.2 * help_uniform(&seed), -0.2 - 0.6 * (i % 2));
        help_add_mesh(set, 1, &box), help_add_mesh(set, 2, &strip);
        sp_found f = find(0.01, false);
        int count = f.count < 2000 ? f.count : 2000, lost = 0;
        if (count) memcpy(kept, f.contacts, (size_t)count * sizeof *kept);
        f = find(0.01, true);
        more += f.count - count;
        // of each vertex that has a contact
        for (int k = 0; k < count; k++) {
            bool found = false;
            for (int j = 0; j < f.count; j++)
                found |= f.contacts[j].key[0] == kept[k].key[0] || f.contacts[j].key[1] == kept[k].key[1];
            lost += !found;
        }
        CHECK_INT(lost, 0);
        finish();
    }
    printf("  %d contacts more\n", more);
}
