// Feed in a world: definitions, the ends of the feed, parameters, failed steps, checkpoints, memory, a frozen body, set states.
#include "rod/rod.h"
#include "rod_world.h"

static const sp_rod_model models[] = {SP_ROD_DER, SP_ROD_BEAM};

// A rod along x of 10 elements, 2.5 of them out at the start, with a curved tip.
typedef struct lab {
    sp_context *ctx;
    sp_world *world;
    sp_body_id rod;
    sp_world_def world_def;
    sp_rod_def def;
    sp_rod_feed feed;
    sp_rod_strand strand;
    sp_rod_section section;
    double natural[33];
} lab;

static void lab_begin(lab *l, sp_rod_model model) {
    *l = (lab){.world_def = sp_world_def_default(), .def = sp_rod_def_default(), .section = sp_rod_section_default()};
    l->section.axes[0] = l->section.axes[1] = 0.002, l->section.young = 1e8;
    l->strand = (sp_rod_strand){.length = 0.2, .elements = 10, .root = sp_pose_identity(), .curvature = l->natural};
    for (int i = 7; i <= 10; i++) l->natural[3 * i + 1] = 8, l->natural[3 * i] = 1;
    l->feed = (sp_rod_feed){.at = {0.15, 0, 0}, .direction = {1, 0, 0}, .speed = sp_signal_constant(0.4)};
    l->feed.spin = sp_signal_constant(2);
    l->def.name = "wire", l->def.model = model, l->def.rayleigh_mass = 2;
}

static sp_status lab_fill(lab *l) {
    l->def.strands = &l->strand, l->def.strand_count = 1, l->def.sections = &l->section, l->def.section_count = 1;
    l->def.feed = &l->feed;
    SP_TRY(sp_world_create(l->ctx, &l->world_def, &l->world));
    return sp_world_add_rod(l->world, &l->def, &l->rod);
}

static bool lab_open(lab *l) {
    return sp_context_create(NULL, &l->ctx) == SP_OK && lab_fill(l) == SP_OK;
}

static bool lab_start(lab *l, sp_rod_model model) {
    lab_begin(l, model);
    return lab_open(l);
}

static void lab_close(lab *l) {
    sp_world_destroy(&l->world);
    sp_context_destroy(&l->ctx);
}

static void steps(lab *l, int n) {
    world_steps(l->world, n);
}

static double fed(const lab *l) {
    const sp_body *b = l->world->bodies[0];
    return sp__rod_feed_state(sp__rod(b))[0];
}

// ------------------------------------------------------------------------------------------------ definitions

static void refused(lab *l, const char *part) {
    REQUIRE(sp_context_create(NULL, &l->ctx) == SP_OK);
    CHECK_INT(lab_fill(l), SP_BAD_INPUT);
    const char *message = sp_world_error(l->world)->message;
    if (!strstr(message, part)) SP_TEST_FAILED("\"%s\" is not in \"%s\"", part, message);
    lab_close(l);
    lab_begin(l, SP_ROD_BEAM);
}

TEST(bad_definitions_are_refused) {
    lab l;
    const int root = 0;
    const sp_move move = {.nodes = &root, .count = 1, .axes = SP_AXES_ALL, .pose = {.constant = sp_pose_identity()}};
    lab_begin(&l, SP_ROD_CLOTHOID), refused(&l, "must be der or beam");
    l.def.model = SP_ROD_HELIX, refused(&l, "must be der or beam");
    l.feed.direction[0] = 0, refused(&l, "not zero");
    l.feed.direction[1] = 0.1, refused(&l, "must start along it");
    l.feed.direction[0] = -1, refused(&l, "must start along it");
    l.feed.direction[2] = NAN, refused(&l, "must be finite");
    l.feed.at[1] = INFINITY, refused(&l, "must be finite");
    l.feed.at[1] = 0.001, refused(&l, "0.001 m beside its axis");
    l.feed.at[0] = 0.019, refused(&l, "at least one element, 0.02 m");
    l.feed.speed = sp_signal_constant(1e7), refused(&l, "speed = 1e+07 m/s, must be in [-1e6, 1e6]");
    l.feed.spin = sp_signal_constant(NAN), refused(&l, "spin = nan rad/s");
    l.feed.name = "", refused(&l, "must have 1 to 47 characters");
    l.strand.elements = 1, refused(&l, "must be at least 2");
    l.def.free_root = true, refused(&l, "must not be free");
    l.def.model = SP_ROD_DER, l.def.edge_clamp = true, refused(&l, "must not be clamped by an edge");
    l.def.moves = &move, l.def.move_count = 1, refused(&l, "the feed moves the rod");
    // a name that is as long as it may be
    l.feed.name = "a23456789012345678901234567890123456789012345678";
    refused(&l, "must have 1 to 47 characters");
    l.feed.name = "a2345678901234567890123456789012345678901234567";
    REQUIRE(lab_open(&l));
    lab_close(&l);
}

// what is behind the entry point is straight at the start, whatever the natural curvature is
TEST(what_has_not_entered_starts_straight) {
    for (int m = 0; m < 2; m++) {
        lab l;
        double x[33];
        lab_begin(&l, models[m]);
        for (int i = 0; i <= 10; i++) l.natural[3 * i + 2] = 20;
        REQUIRE(lab_open(&l));
        CHECK_INT(sp_world_field(l.world, l.rod, "position", x), SP_OK);
        for (int i = 0; i <= 7; i++) {
            // node 7 slides, and is at the entry point
            CHECK_NEAR(x[3 * i], i < 7 ? 0.02 * i : 0.15, 1e-15);
            CHECK_NEAR(x[3 * i + 1], 0, 1e-15);
        }
        // 50 mm with the curvature 20 / m, which begins within the first 10 mm
        CHECK_NEAR(x[31], 0.5 * 20 * 0.045 * 0.045, 0.2 * 0.02);
        lab_close(&l);
    }
}

// ------------------------------------------------------------------------------------------------ ends

static bool said(const lab *l, const char *part) {
    sp_event e;
    for (int i = 0; sp_world_event_at(l->world, i, &e) == SP_OK; i++)
        if (strstr(e.text, part)) return true;
    return false;
}

static double to_and_fro(const void *user, double t) {
    (void)user;
    return t < 0.5 ? 1 : -1;
}

// the feed stops at both ends, says so once, and comes back from there
TEST(the_feed_stops_at_the_ends_of_the_rod) {
    for (int m = 0; m < 2; m++) {
        lab l;
        int end = 0, start = 0;
        lab_begin(&l, models[m]);
        l.feed.speed = (sp_signal){.eval = to_and_fro};
        REQUIRE(lab_open(&l));
        for (int i = 0; i < 100; i++) {
            steps(&l, 1);
            CHECK(fed(&l) < 0.13 + 1e-15 && fed(&l) > -0.05 - 1e-15);
            if (i == 40) CHECK_NEAR(fed(&l), 0.13, 1e-15);
            end += said(&l, "body 'wire': the feed stops: one element of the rod is left");
            start += said(&l, "body 'wire': the feed stops: the rod is back at its start");
        }
        CHECK_NEAR(fed(&l), -0.05, 1e-15);
        CHECK(end == 1 && start == 1);
        lab_close(&l);
    }
}

// ------------------------------------------------------------------------------------------------ parameters

static sp_status lab_set(lab *l, const char *path, double value) {
    sp_edit edit = sp_edit_default(SP_EDIT_PARAM);
    snprintf(edit.path, sizeof edit.path, "%s", path);
    edit.value = value;
    return sp_world_queue(l->world, &edit);
}

TEST(speed_and_spin_are_parameters) {
    lab l;
    lab_begin(&l, SP_ROD_BEAM);
    l.feed.name = "guide";
    REQUIRE(lab_open(&l));
    steps(&l, 5);
    CHECK_NEAR(fed(&l), 0.02, 1e-15);
    CHECK_INT(lab_set(&l, "wire.guide.speed", -0.2), SP_OK);
    CHECK_INT(lab_set(&l, "wire.guide.spin", 0), SP_OK);
    steps(&l, 5);
    CHECK_NEAR(fed(&l), 0.01, 1e-15);
    CHECK_NEAR(sp__rod_feed_state(sp__rod(l.world->bodies[0]))[1], 0.1, 1e-15);
    lab_close(&l);
}

// ------------------------------------------------------------------------------------------------ steps that fail

// Failures at every stage before each step, against a world without failures; the feed goes out and back, so that nodes pass
// the entry point both ways.
TEST(failed_steps_do_not_feed) {
    for (int m = 0; m < 2; m++) {
        lab plain, tried;
        REQUIRE(lab_start(&plain, models[m]) && lab_start(&tried, models[m]));
        for (int i = 0; i < 30; i++) {
            if (i == 12)
                CHECK(lab_set(&plain, "wire.feed.speed", -0.5) == SP_OK && lab_set(&tried, "wire.feed.speed", -0.5) == SP_OK);
            check_failures(tried.world);
            steps(&plain, 1), steps(&tried, 1);
            CHECK(sp_world_hash(plain.world) == sp_world_hash(tried.world));
        }
        lab_close(&plain), lab_close(&tried);
    }
}

static double breaks_at(const void *user, double t) {
    (void)user;
    return t < 0.1 ? 0.4 : NAN;
}

TEST(a_speed_that_is_not_a_number_freezes_the_rod_where_it_is) {
    lab l;
    lab_begin(&l, SP_ROD_BEAM);
    l.world_def.on_failure = SP_FAILURE_FREEZE;
    l.feed.speed = (sp_signal){.eval = breaks_at};
    REQUIRE(lab_open(&l));
    steps(&l, 9);
    double before = fed(&l);
    CHECK_NEAR(before, 0.036, 1e-15);
    CHECK_INT(sp_world_step(l.world, 0.01), SP_FROZEN);
    steps(&l, 3);
    CHECK(fed(&l) == before);
    lab_close(&l);
}

// ------------------------------------------------------------------------------------------------ state and memory

TEST(checkpoints_of_a_feed_continue_with_the_same_hashes) {
    for (int m = 0; m < 2; m++) {
        lab l, other;
        REQUIRE(lab_start(&l, models[m]) && lab_start(&other, models[m]));
        steps(&l, 8), steps(&other, 2);
        check_checkpoint(l.world, other.world, 20);
        CHECK(fed(&l) == fed(&other));
        lab_close(&l), lab_close(&other);
    }
}

// the fields "coordinates" and "rates" are the whole state
TEST(a_state_can_be_set) {
    for (int m = 0; m < 2; m++) {
        lab l, other;
        REQUIRE(lab_start(&l, models[m]) && lab_start(&other, models[m]));
        steps(&l, 14);
        sp_field_info x, v;
        REQUIRE(sp_world_field_info(l.world, l.rod, "coordinates", &x) >= 0 &&
                sp_world_field_info(l.world, l.rod, "rates", &v) >= 0);
        double *q = calloc(2 * (size_t)x.count, sizeof *q), *rates = calloc((size_t)v.count, sizeof *rates);
        CHECK(sp_world_field(l.world, l.rod, "coordinates", q) >= 0 && sp_world_field(l.world, l.rod, "rates", rates) >= 0);
        CHECK_INT(sp_world_set_state(other.world, other.rod, q, rates), SP_OK);
        steps(&l, 10), steps(&other, 10);
        CHECK(sp_world_field(l.world, l.rod, "coordinates", q) >= 0);
        CHECK(sp_world_field(other.world, other.rod, "coordinates", q + x.count) >= 0);
        CHECK(memcmp(q, q + x.count, (size_t)x.count * sizeof *q) == 0);
        free(q), free(rates);
        lab_close(&l), lab_close(&other);
    }
}

TEST(nothing_is_allocated_while_it_is_fed) {
    for (int m = 0; m < 2; m++) {
        lab l;
        REQUIRE(lab_start(&l, models[m]));
        check_no_allocation(l.ctx, l.world, 25);
        lab_close(&l);
    }
}

static sp_status fill_world(sp_context *ctx, sp_world **out) {
    lab l;
    lab_begin(&l, SP_ROD_DER);
    l.ctx = ctx;
    sp_status status = lab_fill(&l);
    *out = l.world;
    return status;
}

TEST(every_allocation_may_fail) {
    check_allocations(fill_world, 5);
}

// the same bits for any number of workers: the rod is one strand, its surface and loads are shared out
TEST(the_number_of_workers_does_not_matter) {
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        lab l;
        sp_context_def def = sp_context_def_default();
        def.workers = 1 + 2 * k;
        lab_begin(&l, SP_ROD_BEAM);
        REQUIRE(sp_context_create(&def, &l.ctx) == SP_OK && lab_fill(&l) == SP_OK);
        steps(&l, 25);
        hash[k] = sp_world_hash(l.world);
        lab_close(&l);
    }
    CHECK(hash[0] == hash[1]);
}
