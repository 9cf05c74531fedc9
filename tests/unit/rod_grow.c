// Growth alone: a rod body that has only the arrays that grow, without mechanics. Properties of every growing rod: material keeps
// its curvature, subdivision changes nothing, the result does not depend on the step, a failed step leaves no trace.
#include "meter.h"
#include "rod/rod.h"
#include "test.h"

enum { ROOT = 7, FIRST = 3, FINE = 200 };

static int coordinates_of(int elements) {
    return ROOT + 3 * elements;
}

static const sp_rod_model_ops growing = {.name = "clothoid", .coordinates = coordinates_of, .grows = true};
static const sp_rod_model_ops still = {.name = "der"};

// a strand and, for clothoids, a second one that already has its maximum length
typedef struct rig {
    sp_context *ctx;
    sp_error error;
    sp_body b;
    sp_rod rod;
    sp_rod_part part[2];
    sp_rod_point_load load[2];
    sp_spring springs[4];
} rig;

static void part_init(rig *r, int p, double length, const sp_rod_grow *grow) {
    sp_rod_part *part = &r->part[p];
    const sp_rod_part *before = p ? &r->part[p - 1] : NULL;
    *part = (sp_rod_part){.alive = FIRST, .elements = sp__rod_grow_reserve(grow, length, FIRST)};
    if (before) {
        part->q = before->q + before->nq, part->v = before->v + before->nv;
        part->node = before->node + before->elements + 1, part->element = before->element + before->elements;
    }
    int controls = part->elements + (r->rod.which == SP_ROD_CLOTHOID);
    part->nq = ROOT + 3 * controls, part->nv = ROOT - 1 + 3 * controls;
}

static void arrays_init(rig *r, const double *length) {
    unsigned long long seed = 7;
    for (int p = 0; p < 2; p++) {
        const sp_rod_part *part = &r->part[p];
        int controls = FIRST + (r->rod.which == SP_ROD_CLOTHOID);
        r->rod.alive[p] = FIRST;
        for (int e = 0; e < part->elements; e++) r->rod.part_of[part->element + e] = p;
        for (int e = 0; e < FIRST; e++) r->rod.length[part->element + e] = length[p] / FIRST;
        for (int i = 0; i < ROOT; i++) r->b.q[0][part->q + i] = sp_test_random(&seed);
        for (int i = 0; i < 3 * controls; i++) {
            r->b.q[0][part->q + ROOT + i] = 2 * sp_test_random(&seed);
            r->b.v[0][part->v + ROOT - 1 + i] = sp_test_random(&seed);
        }
        for (int i = 0; i < 3 * (FIRST + 1); i++) r->rod.natural[3 * part->node + i] = sp_test_random(&seed);
    }
}

// springs and loads on its last element and one in the middle; on the node at the tip, and on the future last one
static void holds_init(rig *r) {
    r->b.loads.springs = r->springs, r->b.loads.spring_count = 4;
    bool capacity = r->part[0].elements > FIRST;
    r->springs[2].at = (sp_anchor){.elem = capacity ? FIRST : FIRST - 1, .at = {capacity ? 0 : 1}};
    r->springs[3].at = (sp_anchor){.elem = (uint32_t)r->part[0].elements - 1, .at = {1}};
    r->rod.load = r->load, r->rod.loads = 2;
    for (int i = 0; i < 2; i++) {
        r->springs[i].at = (sp_anchor){.elem = i ? FIRST - 1 : 1, .at = {0.7}};
        r->load[i] = (sp_rod_point_load){.type = SP_LOAD_FORCE, .element = i ? FIRST - 1 : 1, .at = 0.3};
    }
}

static sp_status rig_open(rig *r, const sp_context_def *context, sp_rod_model which, const double length[2],
                          const sp_rod_grow *grow) {
    *r = (rig){.rod = {.which = which, .model = &growing, .parts = 2}};
    if (sp_context_create(context, &r->ctx) < 0) return SP_NO_MEMORY;
    r->b = (sp_body){.ctx = r->ctx, .error = &r->error, .impl = &r->rod, .name = "stem"};
    r->rod.part = r->part;
    for (int p = 0; p < 2; p++) part_init(r, p, length[p], grow);
    r->rod.elements = r->part[1].element + r->part[1].elements, r->rod.nodes = r->rod.elements + 2;
    r->b.nq = r->part[1].q + r->part[1].nq, r->b.nv = r->part[1].v + r->part[1].nv;
    SP_NEW(r->ctx, r->b.q[0], r->b.nq), SP_NEW(r->ctx, r->b.v[0], r->b.nv), SP_NEW(r->ctx, r->b.fixed, r->b.nv);
    SP_NEW(r->ctx, r->rod.length, r->rod.elements), SP_NEW(r->ctx, r->rod.natural, 3 * r->rod.nodes);
    SP_NEW(r->ctx, r->rod.part_of, r->rod.elements), SP_NEW(r->ctx, r->rod.section_of, r->rod.elements);
    SP_NEW(r->ctx, r->rod.alive, 2);
    if (!r->b.q[0] || !r->b.v[0] || !r->b.fixed || !r->rod.length || !r->rod.natural || !r->rod.part_of || !r->rod.section_of ||
        !r->rod.alive)
        return SP_NO_MEMORY;
    arrays_init(r, length);
    holds_init(r);
    return sp__rod_grow_create(&r->b, grow);
}

static void rig_close(rig *r) {
    if (!r->ctx) return;
    sp__rod_grow_free(&r->b);
    sp__free(r->ctx, r->b.q[0]), sp__free(r->ctx, r->b.v[0]), sp__free(r->ctx, r->b.fixed);
    sp__free(r->ctx, r->rod.length), sp__free(r->ctx, r->rod.natural), sp__free(r->ctx, r->rod.alive);
    sp__free(r->ctx, r->rod.part_of), sp__free(r->ctx, r->rod.section_of);
    sp_context_destroy(&r->ctx);
}

static sp_rod_grow growth(sp_grow_mode mode, double rate) {
    sp_rod_grow g = {.mode = mode, .rate = sp_signal_constant(rate), .until = 4};
    for (int a = 0; a < 3; a++) g.curvature[a] = sp_signal_constant(a - 0.5);
    return g;
}

static const double lengths[2] = {1.2, 4};
static const sp_rod_model kinds[] = {SP_ROD_CLOTHOID, SP_ROD_HELIX};
static const sp_grow_mode modes[] = {SP_GROW_TIP, SP_GROW_SCALE};

// ------------------------------------------------------------------------------------------------ queries

static double length_of(const rig *r, int p) {
    double sum = 0;
    for (int e = 0; e < r->part[p].alive; e++) sum += r->rod.length[r->part[p].element + e];
    return sum;
}

// x: 3 x controls of the first strand. At s from the root
static void value_at(const rig *r, const double *x, double s, double out[3]) {
    int e = 0;
    const double *length = r->rod.length;
    for (; e + 1 < r->part[0].alive && s > length[e]; e++) s -= length[e];
    bool affine = r->rod.which == SP_ROD_CLOTHOID;
    for (int a = 0; a < 3; a++) {
        const double *c = x + 3 * e + a;
        out[a] = c[0] + (affine ? (c[3] - c[0]) * s / length[e] : 0);
    }
}

// the frame at s
static void curve_at(const rig *r, double s, sp_curve_frame *f) {
    *f = (sp_curve_frame){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    bool affine = r->rod.which == SP_ROD_CLOTHOID;
    for (int e = 0; e < r->part[0].alive && s > 0; s -= r->rod.length[e++]) {
        const double *c = r->b.q[0] + ROOT + 3 * e;
        double lambda[6] = {c[0], c[1], c[2]};
        for (int a = 0; affine && a < 3; a++) lambda[3 + a] = (c[3 + a] - c[a]) / r->rod.length[e];
        sp__curve_cross(f, 1, lambda, fmin(s, r->rod.length[e]), SP_CURVE_REACH_FINE, 1e-17);
    }
}

static void grow_steps(rig *r, int steps, double h) {
    for (int i = 0; i < steps; i++) {
        sp_step step = sp__step_default(h);
        step.time = h * (i + 1);
        sp__rod_grow(&r->b, &step);
    }
}

// ------------------------------------------------------------------------------------------------ material

// Curvature and rate at existing points, and the curve up to the old tip. 1e-12: 200 steps, each of which rounds numbers of order
// ten.
TEST(tip_growth_keeps_existing_material) {
    for (int kind = 0; kind < 2; kind++) {
        rig r;
        sp_rod_grow g = growth(SP_GROW_TIP, 1);
        REQUIRE(rig_open(&r, NULL, kinds[kind], lengths, &g) == SP_OK);
        double before[FINE + 1][2][3], after[2][3];
        sp_curve_frame old[FINE + 1], now;
        const double *q = r.b.q[0] + ROOT, *v = r.b.v[0] + ROOT - 1;
        for (int i = 0; i <= FINE; i++) {
            double s = lengths[0] * (i + 0.5) / (FINE + 1);
            value_at(&r, q, s, before[i][0]), value_at(&r, v, s, before[i][1]);
            curve_at(&r, s, &old[i]);
        }
        grow_steps(&r, 200, 0.01);
        CHECK(r.part[0].alive > FIRST + 3);
        CHECK_INT(r.rod.alive[0], r.part[0].alive);
        CHECK_NEAR(length_of(&r, 0), 3.2, 1e-12);
        for (int i = 0; i <= FINE; i++) {
            double s = lengths[0] * (i + 0.5) / (FINE + 1);
            value_at(&r, q, s, after[0]), value_at(&r, v, s, after[1]);
            curve_at(&r, s, &now);
            for (int a = 0; a < 6; a++) CHECK_NEAR(after[a / 3][a % 3], before[i][a / 3][a % 3], 1e-12);
            for (int a = 0; a < 3; a++) CHECK_NEAR(now.r[a], old[i].r[a], 1e-12);
            for (int a = 0; a < 9; a++) CHECK_NEAR(now.R[a], old[i].R[a], 1e-12);
        }
        rig_close(&r);
    }
}

// The whole curve, new part included: one element longer than `split` against its halves.
TEST(halving_keeps_the_curve) {
    for (int kind = 0; kind < 2; kind++) {
        rig whole, halved;
        sp_rod_grow g = growth(SP_GROW_TIP, 1);
        g.split = 10;
        REQUIRE(rig_open(&whole, NULL, kinds[kind], lengths, &g) == SP_OK);
        g.split = 0.5;
        REQUIRE(rig_open(&halved, NULL, kinds[kind], lengths, &g) == SP_OK);
        grow_steps(&whole, 1, 1), grow_steps(&halved, 1, 1);
        CHECK_INT(whole.part[0].alive, FIRST);
        CHECK_INT(halved.part[0].alive, FIRST + 4);
        for (int i = 0; i <= FINE; i++) {
            sp_curve_frame a, b;
            curve_at(&whole, 2.2 * i / FINE, &a), curve_at(&halved, 2.2 * i / FINE, &b);
            for (int k = 0; k < 3; k++) CHECK_NEAR(a.r[k], b.r[k], 1e-13);
            for (int k = 0; k < 9; k++) CHECK_NEAR(a.R[k], b.R[k], 1e-13);
        }
        rig_close(&whole), rig_close(&halved);
    }
}

// A straight rod stays straight and a circle a circle, to the bit.
TEST(uniform_curvature_stays_uniform) {
    for (int kind = 0; kind < 2; kind++)
        for (int mode = 0; mode < 2; mode++)
            for (int curved = 0; curved < 2; curved++) {
                rig r;
                sp_rod_grow g = growth(modes[mode], 1);
                for (int a = 0; a < 3; a++) g.curvature[a] = sp_signal_constant(curved * (0.7 + a));
                REQUIRE(rig_open(&r, NULL, kinds[kind], lengths, &g) == SP_OK);
                int controls = FIRST + (kinds[kind] == SP_ROD_CLOTHOID);
                double *q = r.b.q[0] + ROOT, *v = r.b.v[0] + ROOT - 1;
                for (int i = 0; i < 3 * controls; i++) q[i] = v[i] = curved * (0.7 + i % 3);
                for (int i = 0; i < 3 * (FIRST + 1); i++) r.rod.natural[i] = curved * (0.7 + i % 3);
                grow_steps(&r, 150, 0.01);
                controls += r.part[0].alive - FIRST;
                for (int i = 0; i < 3 * controls; i++) {
                    double expect = curved * (0.7 + i % 3);
                    CHECK(q[i] == expect && v[i] == expect);
                }
                for (int i = 0; i < 3 * (r.part[0].alive + 1); i++) CHECK(r.rod.natural[i] == curved * (0.7 + i % 3));
                for (int i = 0; i < 3 * controls; i++) CHECK(!r.b.fixed[ROOT - 1 + i]);
                for (int i = 3 * controls; i < r.part[0].nv - (ROOT - 1); i++) CHECK(r.b.fixed[ROOT - 1 + i] && q[i] == 0);
                rig_close(&r);
            }
}

// ------------------------------------------------------------------------------------------------ scale

// A curvature that is affine over the whole rod is found at every new node position, also beyond the old tip.
TEST(scaling_moves_nodes_along_the_rod) {
    rig r;
    sp_rod_grow g = growth(SP_GROW_SCALE, 1);
    REQUIRE(rig_open(&r, NULL, SP_ROD_CLOTHOID, lengths, &g) == SP_OK);
    double *q = r.b.q[0] + ROOT, *v = r.b.v[0] + ROOT - 1;
    for (int n = 0; n <= FIRST; n++)
        for (int a = 0; a < 3; a++) q[3 * n + a] = a + 2 * 0.4 * n, v[3 * n + a] = 1 - 0.4 * n;
    grow_steps(&r, 100, 0.01);
    CHECK_INT(r.part[0].alive, FIRST);
    CHECK_NEAR(length_of(&r, 0), 2.2, 1e-13);
    for (int n = 0; n <= FIRST; n++)
        for (int a = 0; a < 3; a++) {
            CHECK_NEAR(q[3 * n + a], a + 2 * 2.2 / 3 * n, 1e-13);
            CHECK_NEAR(v[3 * n + a], 1 - 2.2 / 3 * n, 1e-13);
        }
    rig_close(&r);
}

// A helix keeps the integral of curvature over length, to which new material adds the value of the last element.
TEST(scaling_keeps_the_turns_of_a_helix) {
    rig r;
    sp_rod_grow g = growth(SP_GROW_SCALE, 1);
    REQUIRE(rig_open(&r, NULL, SP_ROD_HELIX, lengths, &g) == SP_OK);
    const double *q = r.b.q[0] + ROOT;
    double turn[3] = {0}, last[3], after[3] = {0};
    for (int i = 0; i < 3 * FIRST; i++) turn[i % 3] += 0.4 * q[i];
    memcpy(last, q + 3 * (FIRST - 1), sizeof last);
    grow_steps(&r, 1, 0.7);
    for (int i = 0; i < 3 * FIRST; i++) after[i % 3] += 1.9 / 3 * q[i];
    for (int a = 0; a < 3; a++) CHECK_NEAR(after[a], turn[a] + 0.7 * last[a], 1e-14);
    rig_close(&r);
}

// ------------------------------------------------------------------------------------------------ natural curvature

// mean square distance of the last element's natural curvature, with its tip changed by d, from the old one and the new material
static double apart(const rig *r, const double *was, double l, double d) {
    int e = r->part[0].alive - 1;
    double longer = r->rod.length[e], start = r->rod.natural[3 * e], end = r->rod.natural[3 * e + 3] + d, sum = 0;
    const int n = 3000;
    for (int i = 0; i < n; i++) {
        double s = longer * (i + 0.5) / n, now = start + (end - start) * s / longer;
        double then = s < l ? was[0] + (was[3] - was[0]) * s / l : -0.5;
        sum += (now - then) * (now - then) / n;
    }
    return sum;
}

// No other end value is closer: a parabola in d has its minimum where both sides are equal. 1e-6: the midpoint rule on a jump.
TEST(natural_curvature_is_the_least_squares_fit) {
    rig r;
    sp_rod_grow g = growth(SP_GROW_TIP, 1);
    g.split = 10;
    REQUIRE(rig_open(&r, NULL, SP_ROD_CLOTHOID, lengths, &g) == SP_OK);
    double was[6];
    memcpy(was, r.rod.natural + 3 * (FIRST - 1), sizeof was);
    grow_steps(&r, 1, 0.2);
    CHECK_NEAR(apart(&r, was, 0.4, 0.01), apart(&r, was, 0.4, -0.01), 1e-6);
    CHECK(apart(&r, was, 0.4, 0.01) > apart(&r, was, 0.4, 0));
    grow_steps(&r, 1, 100);
    CHECK_NEAR(length_of(&r, 0), 4, 1e-14);
    rig_close(&r);
}

// Many short steps and a long one give the same rod. Rates are constant.
TEST(growth_does_not_depend_on_the_step) {
    for (int kind = 0; kind < 2; kind++) {
        rig one, many;
        sp_rod_grow g = growth(SP_GROW_TIP, 1);
        REQUIRE(rig_open(&one, NULL, kinds[kind], lengths, &g) == SP_OK);
        REQUIRE(rig_open(&many, NULL, kinds[kind], lengths, &g) == SP_OK);
        grow_steps(&one, 1, 1.7), grow_steps(&many, 1000, 0.0017);
        CHECK_INT(one.part[0].alive, many.part[0].alive);
        for (int e = 0; e < one.part[0].alive; e++) CHECK_NEAR(one.rod.length[e], many.rod.length[e], 1e-12);
        for (int i = 0; i < 3 * one.part[0].alive; i++) {
            CHECK_NEAR(one.rod.natural[i], many.rod.natural[i], 1e-11);
            CHECK_NEAR(one.b.q[0][ROOT + i], many.b.q[0][ROOT + i], 1e-11);
        }
        rig_close(&one), rig_close(&many);
    }
}

// ------------------------------------------------------------------------------------------------ ends

static double slow_down(const void *user, double t) {
    (void)user;
    return 2 - t;
}

// An affine rate is integrated exactly, by its midpoint.
TEST(rates_may_vary) {
    rig r;
    sp_rod_grow g = growth(SP_GROW_TIP, 1);
    g.rate = (sp_signal){.eval = slow_down};
    REQUIRE(rig_open(&r, NULL, SP_ROD_CLOTHOID, lengths, &g) == SP_OK);
    grow_steps(&r, 10, 0.1);
    CHECK_NEAR(length_of(&r, 0), 1.2 + 1.5, 1e-14);
    rig_close(&r);
}

TEST(growth_stops_at_its_end_time) {
    for (int kind = 0; kind < 2; kind++)
        for (int mode = 0; mode < 2; mode++) {
            rig r;
            sp_rod_grow g = growth(modes[mode], 1);
            REQUIRE(rig_open(&r, NULL, kinds[kind], lengths, &g) == SP_OK);
            grow_steps(&r, 40, 0.09);
            CHECK_NEAR(length_of(&r, 0), 4, 1e-14);
            CHECK_NEAR(length_of(&r, 1), 4, 0);  // already had its final length
            CHECK(r.part[0].alive <= r.part[0].elements);
            double tip = r.rod.length[r.part[0].alive - 1];
            r.rod.stale = false;
            grow_steps(&r, 3, 0.09);
            CHECK(!r.rod.stale && r.rod.length[r.part[0].alive - 1] == tip);
            rig_close(&r);
        }
}

// Nothing grows without a step, without a rate, or while the body is frozen.
TEST(nothing_grows_without_a_cause) {
    rig r;
    sp_rod_grow g = growth(SP_GROW_TIP, 0);
    REQUIRE(rig_open(&r, NULL, SP_ROD_CLOTHOID, lengths, &g) == SP_OK);
    grow_steps(&r, 1, 0.1);
    CHECK(!r.rod.stale);
    rig_close(&r);
    g = growth(SP_GROW_TIP, 1);
    REQUIRE(rig_open(&r, NULL, SP_ROD_CLOTHOID, lengths, &g) == SP_OK);
    double length = length_of(&r, 0);
    grow_steps(&r, 1, 0);
    r.b.frozen = true;
    grow_steps(&r, 1, 0.1);
    CHECK(!r.rod.stale && length_of(&r, 0) == length);
    rig_close(&r);
}

// Memory is allocated for the growth, or one element more for rounding.
TEST(reserved_elements_are_sufficient_and_few) {
    static const double splits[] = {0, 0.05, 0.2, 0.39999, 0.4, 0.41, 1, 5};
    for (int i = 0; i < 8; i++) {
        rig r;
        sp_rod_grow g = growth(SP_GROW_TIP, 1);
        g.split = splits[i];
        REQUIRE(rig_open(&r, NULL, SP_ROD_CLOTHOID, lengths, &g) == SP_OK);
        grow_steps(&r, 400, 0.01);
        CHECK_NEAR(length_of(&r, 0), 4, 1e-12);
        CHECK(r.part[0].alive >= r.part[0].elements - 1);
        double split = splits[i] > 0 ? splits[i] : 0.6;
        CHECK(r.rod.length[r.part[0].alive - 1] <= split * (1 + 1e-9));
        rig_close(&r);
    }
}

// ------------------------------------------------------------------------------------------------ springs, loads, undo

static double place_of(const rig *r, int element, double at) {
    double s = at * r->rod.length[element];
    for (int e = 0; e < element; e++) s += r->rod.length[e];
    return s;
}

TEST(springs_and_loads_keep_their_material_point) {
    for (int mode = 0; mode < 2; mode++) {
        rig r;
        sp_rod_grow g = growth(modes[mode], 1);
        REQUIRE(rig_open(&r, NULL, SP_ROD_CLOTHOID, lengths, &g) == SP_OK);
        grow_steps(&r, 250, 0.01);
        CHECK_NEAR(place_of(&r, (int)r.springs[0].at.elem, r.springs[0].at.at[0]), 0.4 + 0.28, 1e-13);
        CHECK_NEAR(place_of(&r, (int)r.springs[1].at.elem, r.springs[1].at.at[0]), 0.8 + 0.28, 1e-13);
        CHECK_NEAR(place_of(&r, (int)r.springs[2].at.elem, r.springs[2].at.at[0]), 1.2, 1e-13);
        // one on an element that is not active yet follows the tip
        CHECK_NEAR(place_of(&r, (int)r.springs[3].at.elem, r.springs[3].at.at[0]), mode == 0 ? 3.7 : 1.2, 1e-12);
        CHECK_NEAR(place_of(&r, r.load[0].element, r.load[0].at), 0.4 + 0.12, 1e-13);
        CHECK_NEAR(place_of(&r, r.load[1].element, r.load[1].at), 0.8 + 0.12, 1e-13);
        rig_close(&r);
    }
}

typedef struct trace {
    double q[1000], v[1000], length[300], natural[1000];
    unsigned char fixed[1000];
    int alive[4];
    sp_anchor at[4];
    sp_rod_point_load load[2];
} trace;

static void trace_of(const rig *r, trace *t) {
    memset(t, 0, sizeof *t);
    memcpy(t->q, r->b.q[0], (size_t)r->b.nq * sizeof(double)), memcpy(t->v, r->b.v[0], (size_t)r->b.nv * sizeof(double));
    memcpy(t->fixed, r->b.fixed, (size_t)r->b.nv);
    memcpy(t->length, r->rod.length, (size_t)r->rod.elements * sizeof(double));
    memcpy(t->natural, r->rod.natural, 3 * (size_t)r->rod.nodes * sizeof(double));
    memcpy(t->alive, r->rod.alive, 2 * sizeof(int));
    t->alive[2] = r->part[0].alive, t->alive[3] = r->part[1].alive;
    for (int i = 0; i < 4; i++) t->at[i] = r->springs[i].at;
    memcpy(t->load, r->load, sizeof t->load);
}

TEST(undo_is_exact) {
    static trace before, after;
    for (int kind = 0; kind < 2; kind++)
        for (int mode = 0; mode < 2; mode++) {
            rig r;
            sp_rod_grow g = growth(modes[mode], 1);
            REQUIRE(rig_open(&r, NULL, kinds[kind], lengths, &g) == SP_OK);
            REQUIRE(r.b.nq < 1000);
            grow_steps(&r, 3, 0.0333);
            trace_of(&r, &before);
            grow_steps(&r, 1, 0.7);
            trace_of(&r, &after);
            CHECK(memcmp(&before, &after, sizeof before) != 0);
            sp__rod_grow_undo(&r.b);
            trace_of(&r, &after);
            CHECK(memcmp(&before, &after, sizeof before) == 0);
            sp__rod_grow_undo(&r.b);  // nothing is left to undo
            trace_of(&r, &after);
            CHECK(memcmp(&before, &after, sizeof before) == 0);
            rig_close(&r);
        }
}

// A step that fails before growth must not undo the committed growth of the previous step.
TEST(committed_growth_stays) {
    static trace before, after;
    rig r;
    sp_rod_grow g = growth(SP_GROW_TIP, 1);
    REQUIRE(rig_open(&r, NULL, SP_ROD_CLOTHOID, lengths, &g) == SP_OK);
    grow_steps(&r, 1, 0.3);
    double *other = sp__alloc(r.ctx, (size_t)r.b.nq, sizeof *other), *committed = r.b.q[0];
    REQUIRE(other);
    memcpy(other, committed, (size_t)r.b.nq * sizeof *other);
    r.b.q[0] = other;  // as in commit
    trace_of(&r, &before);
    sp__rod_grow_undo(&r.b);
    trace_of(&r, &after);
    CHECK(memcmp(&before, &after, sizeof before) == 0);
    r.b.q[0] = committed;
    sp__free(r.ctx, other);
    rig_close(&r);
}

static double broken(const void *user, double t) {
    (void)user, (void)t;
    return NAN;
}

// the next step fails because of it, and is undone
TEST(an_invalid_signal_is_reported) {
    rig r;
    sp_rod_grow g = growth(SP_GROW_TIP, 1);
    g.rate = (sp_signal){.eval = broken};
    REQUIRE(rig_open(&r, NULL, SP_ROD_CLOTHOID, lengths, &g) == SP_OK);
    double natural = r.rod.natural[0], length = length_of(&r, 0);
    grow_steps(&r, 1, 0.1);
    CHECK(isnan(r.rod.natural[0]) && length_of(&r, 0) == length);
    sp__rod_grow_undo(&r.b);
    CHECK(r.rod.natural[0] == natural);
    rig_close(&r);
}

// ------------------------------------------------------------------------------------------------ refusals

static void refused(sp_rod_grow g, const char *why) {
    rig r;
    CHECK_INT(rig_open(&r, NULL, SP_ROD_CLOTHOID, lengths, &g), SP_BAD_INPUT);
    if (!strstr(r.error.message, why)) SP_TEST_FAILED("'%s' does not say '%s'", r.error.message, why);
    rig_close(&r);
}

TEST(invalid_growth_is_refused) {
    sp_rod_grow g = growth(SP_GROW_TIP, -1);
    refused(g, "rate = -1");
    g = growth(SP_GROW_TIP, NAN), refused(g, "rate = ");
    g = growth(SP_GROW_TIP, 1), g.until = 3, refused(g, "until = 3, must be at least the length 4 of strand 1");
    g = growth(SP_GROW_TIP, 1), g.until = INFINITY, refused(g, "until = inf");
    g = growth(SP_GROW_TIP, 1), g.split = -0.1, refused(g, "split = -0.1");
    g = growth(SP_GROW_TIP, 1), g.split = NAN, refused(g, "split = ");
    g = growth(SP_GROW_TIP, 1), g.split = 1e-9, refused(g, "split = 1e-09 makes");
    g = growth(SP_GROW_TIP, 1), g.curvature[2].constant = INFINITY, refused(g, "curvature = inf");
    g = growth(SP_GROW_TIP, 1), g.mode = 7, refused(g, "mode 7");
    rig r;
    g = growth(SP_GROW_TIP, 1);
    REQUIRE(rig_open(&r, NULL, SP_ROD_CLOTHOID, lengths, &g) == SP_OK);
    sp__rod_grow_free(&r.b);
    r.rod.model = &still;
    CHECK_INT(sp__rod_grow_create(&r.b, &g), SP_BAD_INPUT);
    CHECK(strstr(r.error.message, "model der does not grow"));
    rig_close(&r);
}

TEST(every_allocation_may_fail) {
    sp_rod_grow g = growth(SP_GROW_TIP, 1);
    bool done = false;
    for (long allowed = 0; !done && allowed < 200; allowed++) {
        meter m = {.allowed = allowed};
        sp_context_def def = metered_context(&m);
        rig r;
        sp_status status = rig_open(&r, &def, SP_ROD_CLOTHOID, lengths, &g);
        done = status == SP_OK;
        if (!done) CHECK_INT(status, SP_NO_MEMORY);
        rig_close(&r);
        CHECK_INT(m.live, 0);
    }
    CHECK(done);
}
