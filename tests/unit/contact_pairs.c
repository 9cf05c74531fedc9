// Pairs of contact: what is refused, which of several holds, parameters and checkpoints; options of the contact solver that are
// refused; the budget as an edit; the contact problem of a step.
#include "test.h"
#include "world/world_internal.h"

static const double h = 0.01;

typedef struct stage {
    sp_context *ctx;
    sp_world *w;
    sp_body_id floor, box[3];
} stage;

static sp_contact_def proximity(double friction) {
    sp_contact_def def = sp_contact_def_default();
    def.formulation = SP_CONTACT_PROXIMITY, def.friction = friction;
    return def;
}

static sp_rigid_def free_box(sp_rigid_shape *shape, double x, double z) {
    sp_rigid_def def = sp_rigid_def_default();
    *shape = (sp_rigid_shape){.type = SP_BOX, .size = {0.1, 0.1, 0.1}, .pose = sp_pose_identity()};
    def.shapes = shape, def.shape_count = 1, def.free = true;
    def.pose.constant = sp_pose_identity();
    def.pose.constant.translate[0] = x, def.pose.constant.translate[2] = z;
    return def;
}

// three boxes above a floor that leans towards y: side by side, or on each other
static void open_stage(stage *s, const sp_contact_def *contact, bool deterministic, bool tower) {
    sp_world_def def = sp_world_def_default();
    sp_rigid_shape shape = {.type = SP_PLANE, .size = {0, 0, 1}, .pose = sp_pose_identity()};
    sp_rigid_def floor = sp_rigid_def_default();
    *s = (stage){0};
    def.gravity[1] = sp_signal_constant(3), def.gravity[2] = sp_signal_constant(-9);
    def.snapshots = false, def.deterministic = deterministic;
    floor.shapes = &shape, floor.shape_count = 1;
    REQUIRE(sp_context_create(NULL, &s->ctx) == SP_OK);
    REQUIRE(sp_world_create(s->ctx, &def, &s->w) == SP_OK);
    REQUIRE(sp_world_set_contact(s->w, contact) == SP_OK);
    REQUIRE(sp_world_add_rigid(s->w, &floor, &s->floor) == SP_OK);
    for (int i = 0; i < 3; i++) {
        sp_rigid_def box = free_box(&shape, tower ? 0.02 * i : 0.3 * i, tower ? 0.1 * i : 0);
        REQUIRE(sp_world_add_rigid(s->w, &box, &s->box[i]) == SP_OK);
    }
}

static void close_stage(stage *s) {
    sp_world_destroy(&s->w);
    sp_context_destroy(&s->ctx);
}

static void steps(stage *s, int count) {
    for (int i = 0; i < count; i++)
        if (sp_world_step(s->w, h) < 0) SP_TEST_FAILED("%s", sp_world_error(s->w)->message);
}

// a pair of sets of whole bodies; null ids end a set
static sp_status add_pair(stage *s, const char *name, const sp_body_id a[3], const sp_body_id b[3], double friction) {
    sp_contact_part parts[2][3];
    sp_contact_pair_def def = sp_contact_pair_def_default();
    for (int i = 0; i < 3 && a[i].slot; i++) parts[0][def.a_count++] = sp_contact_part_body(a[i]);
    for (int i = 0; i < 3 && b[i].slot; i++) parts[1][def.b_count++] = sp_contact_part_body(b[i]);
    def.name = name, def.a = parts[0], def.b = parts[1], def.friction = friction;
    return sp_world_add_contact_pair(s->w, &def, NULL);
}

#define SET(...) ((sp_body_id[3]){__VA_ARGS__})

static void refused(stage *s, sp_status status, const char *words) {
    const char *said = sp_world_error(s->w)->message;
    CHECK_INT(status, SP_BAD_INPUT);
    if (!strstr(said, words)) SP_TEST_FAILED("it said: %s; expected: %s", said, words);
}

static double slid(stage *s, int box) {
    double p[7];
    CHECK_INT(sp_world_field(s->w, s->box[box], "pose", p), SP_OK);
    return p[1];
}

// ---------------------------------------------------------------------------------------------------- refusals

TEST(pairs_that_are_refused) {
    stage s;
    sp_contact_def contact = proximity(0.5);
    open_stage(&s, &contact, true, false);
    sp_contact_pair_def def = sp_contact_pair_def_default();
    sp_contact_part box = sp_contact_part_body(s.box[0]), floor = sp_contact_part_body(s.floor), other = box;
    int nodes[] = {0, 1};
    refused(&s, sp_world_add_contact_pair(s.w, &def, NULL), "0 and 0 parts");
    def.a = &box, def.b = &floor, def.a_count = def.b_count = 1;
    def.friction = -0.1, refused(&s, sp_world_add_contact_pair(s.w, &def, NULL), "friction = -0.1");
    def.friction = INFINITY, refused(&s, sp_world_add_contact_pair(s.w, &def, NULL), "friction = inf");
    def.friction = 0.1, def.gap = -1, refused(&s, sp_world_add_contact_pair(s.w, &def, NULL), "gap = -1 m");
    def.gap = NAN, def.alarm = 0, refused(&s, sp_world_add_contact_pair(s.w, &def, NULL), "alarm = 0 m");
    def.alarm = NAN, def.cookie = 0, refused(&s, sp_world_add_contact_pair(s.w, &def, NULL), "sp_contact_pair_def_default");
    def.cookie = sp_contact_pair_def_default().cookie;
    other.nodes = nodes, other.node_count = 2, def.a = &other;
    refused(&s, sp_world_add_contact_pair(s.w, &def, NULL), "has no nodes");
    other = box, other.surface = 7, refused(&s, sp_world_add_contact_pair(s.w, &def, NULL), "surface 7");
    def.a = def.b = &box, refused(&s, sp_world_add_contact_pair(s.w, &def, NULL), "a pair is of two bodies");
    other = sp_contact_part_body((sp_body_id){0}), def.a = &other;
    refused(&s, sp_world_add_contact_pair(s.w, &def, NULL), "null or stale");
    other = sp_contact_part_body(s.box[2]), def.b = &floor;
    CHECK_INT(sp_world_remove(s.w, s.box[2]), SP_OK);
    refused(&s, sp_world_add_contact_pair(s.w, &def, NULL), "null or stale");
    refused(&s, sp_world_add_friction(s.w, &other, 0.1, NULL), "null or stale");
    refused(&s, sp_world_add_friction(s.w, &box, -1, NULL), "friction = -1");
    // nothing of them was added
    int count = sp_world_param_count(s.w);
    CHECK_INT(add_pair(&s, "grip", SET(s.box[0]), SET(s.floor), 0.2), SP_OK);
    CHECK_INT(sp_world_param_count(s.w), count + 1);
    refused(&s, add_pair(&s, "grip", SET(s.box[1]), SET(s.floor), 0.2), "already a contact pair of the name 'grip'");
    steps(&s, 2);
    close_stage(&s);
}

TEST(pairs_that_overlap) {
    stage s;
    sp_contact_def contact = proximity(0.5);
    open_stage(&s, &contact, true, false);
    CHECK_INT(add_pair(&s, "wide", SET(s.box[0], s.box[1]), SET(s.floor), 0.2), SP_OK);
    refused(&s, add_pair(&s, "same", SET(s.floor), SET(s.box[1], s.box[0]), 0.1), "'wide' and 'same' hold for the same contacts");
    CHECK_INT(sp_world_error(s.w)->index, 0);
    refused(&s, add_pair(&s, "crossing", SET(s.box[1], s.box[2]), SET(s.floor), 0.1), "neither is narrower");
    CHECK_INT(add_pair(&s, "narrow", SET(s.floor), SET(s.box[1]), 0.1), SP_OK);
    CHECK_INT(add_pair(&s, "widest", SET(s.floor), SET(s.box[0], s.box[1], s.box[2]), 0.3), SP_OK);
    CHECK_INT(add_pair(&s, "apart", SET(s.box[0]), SET(s.box[1]), 0.1), SP_OK);
    close_stage(&s);
}

TEST(solvers_that_are_refused) {
    stage s;
    sp_contact_def contact = proximity(0.5), def;
    open_stage(&s, &contact, true, false);
    def = contact, def.solver.facets = 3, refused(&s, sp_world_set_contact(s.w, &def), "facets = 3, must be in [4, 32]");
    def = contact, def.solver.facets = 33, refused(&s, sp_world_set_contact(s.w, &def), "facets = 33");
    def = contact, def.solver.budget_ms = -1, refused(&s, sp_world_set_contact(s.w, &def), "budget = -1 ms");
    def = contact, def.solver.tolerance = 0, refused(&s, sp_world_set_contact(s.w, &def), "tolerance = 0");
    def = contact, def.solver.method = (sp_contact_method)9, refused(&s, sp_world_set_contact(s.w, &def), "method 9");
    def = contact, def.reserve = -1, refused(&s, sp_world_set_contact(s.w, &def), "reserve = -1");
    def = contact, def.solver.cone = SP_CONTACT_FACETS, def.solver.method = SP_CONTACT_INTERIOR_POINT;
    refused(&s, sp_world_set_contact(s.w, &def), "a cone with facets needs");
    close_stage(&s);
}

// 15 boxes in a row have 60 contacts with the floor and more with each other: too many for the direct method
TEST(too_many_contacts_for_facets) {
    stage s;
    sp_contact_def contact = proximity(0.5);
    contact.solver.cone = SP_CONTACT_FACETS;
    open_stage(&s, &contact, true, false);
    for (int i = 0; i < 15; i++) {
        sp_rigid_shape shape;
        sp_rigid_def box = free_box(&shape, 2 + 0.1 * i, 0);
        CHECK_INT(sp_world_add_rigid(s.w, &box, NULL), SP_OK);
    }
    uint64_t before = sp_world_hash(s.w);
    refused(&s, sp_world_step(s.w, h), "coupled contacts, must be at most 50");
    CHECK(sp_world_hash(s.w) == before);
    contact.solver.cone = SP_CONTACT_EXACT;
    CHECK_INT(sp_world_set_contact(s.w, &contact), SP_OK);
    CHECK(sp_world_step(s.w, h) >= 0);
    close_stage(&s);
}

// ---------------------------------------------------------------------------------------------------- which one holds

// tan of the slope is 1/3: a box slides where its friction is 0, and stays where it is 1
TEST(the_narrower_pair_holds) {
    for (int order = 0; order < 2; order++) {
        stage s;
        sp_contact_def contact = proximity(0);
        open_stage(&s, &contact, true, false);
        for (int k = 0; k < 2; k++) {
            if (k == order)
                CHECK_INT(add_pair(&s, "wide", SET(s.box[0], s.box[1], s.box[2]), SET(s.floor), 1), SP_OK);
            else
                CHECK_INT(add_pair(&s, "narrow", SET(s.box[1]), SET(s.floor), 0), SP_OK);
        }
        steps(&s, 20);
        CHECK_NEAR(slid(&s, 0), 0, 1e-6);
        CHECK(slid(&s, 1) > 0.05);
        CHECK_NEAR(slid(&s, 2), 0, 1e-6);
        close_stage(&s);
    }
}

TEST(values_come_from_the_next_wider_pair) {
    stage s;
    sp_contact_def contact = proximity(0);
    contact.stabilisation = SP_STABILISATION_POSITION;  // out of the gap in one step
    open_stage(&s, &contact, true, false);
    CHECK_INT(add_pair(&s, "wide", SET(s.box[0], s.box[1]), SET(s.floor), 1), SP_OK);
    sp_contact_part box = sp_contact_part_body(s.box[1]), floor = sp_contact_part_body(s.floor);
    sp_contact_pair_def def = sp_contact_pair_def_default();
    def.a = &floor, def.b = &box, def.a_count = def.b_count = 1, def.gap = 0.003;
    CHECK_INT(sp_world_add_contact_pair(s.w, &def, NULL), SP_OK);
    steps(&s, 20);
    double p[7];
    CHECK_INT(sp_world_field(s.w, s.box[1], "pose", p), SP_OK);
    CHECK_NEAR(p[2], 0.003, 1e-6);  // its own gap
    // The push out of the gap in the first step gives it a velocity; it falls back after less than 0.1 s and sticks.
    double after = slid(&s, 1);
    steps(&s, 5);
    CHECK_NEAR(slid(&s, 1), after, 1e-6);  // friction of the wider one
    CHECK(slid(&s, 2) > 0.05);
    close_stage(&s);
}

// ---------------------------------------------------------------------------------------------------- parameters

TEST(frictions_are_parameters) {
    stage s;
    sp_contact_def contact = proximity(0);
    sp_param_info info;
    sp_checkpoint saved;
    open_stage(&s, &contact, true, false);
    CHECK_INT(add_pair(&s, "grip", SET(s.box[0]), SET(s.floor), 1), SP_OK);
    CHECK_INT(add_pair(&s, NULL, SET(s.box[1]), SET(s.floor), 1), SP_OK);
    sp_contact_part part = sp_contact_part_body(s.box[2]);
    CHECK_INT(sp_world_add_friction(s.w, &part, 1, "box.skin.friction"), SP_OK);
    CHECK_INT(sp_world_param(s.w, "contact.grip.friction", &info), SP_OK);
    CHECK(info.value == 1 && strcmp(info.path, "contact.grip.friction") == 0);
    CHECK_INT(sp_world_param(s.w, "contact.pair[1].friction", &info), SP_OK);
    CHECK_INT(sp_world_param(s.w, "box.skin.friction", &info), SP_OK);
    steps(&s, 5);
    CHECK_INT(sp_world_save(s.w, &saved), SP_OK);
    sp_edit e = sp_edit_default(SP_EDIT_PARAM);
    snprintf(e.path, sizeof e.path, "contact.pair[1].friction");
    CHECK_INT(sp_world_queue(s.w, &e), SP_OK);
    snprintf(e.path, sizeof e.path, "contact.grip.friction"), e.value = -1;  // refused with an event
    CHECK_INT(sp_world_queue(s.w, &e), SP_OK);
    CHECK_INT(sp_world_step(s.w, h), SP_EDIT_REFUSED);
    steps(&s, 15);
    CHECK_NEAR(slid(&s, 0), 0, 1e-6);
    CHECK(slid(&s, 1) > 0.02);
    CHECK_NEAR(slid(&s, 2), 0, 1e-6);
    CHECK_INT(sp_world_restore(s.w, saved.data, saved.size), SP_OK);
    CHECK_INT(sp_world_param(s.w, "contact.pair[1].friction", &info), SP_OK);
    CHECK(info.value == 1);
    steps(&s, 15);
    CHECK_NEAR(slid(&s, 1), 0, 1e-6);
    // a world with other pairs
    CHECK_INT(add_pair(&s, "new", SET(s.box[0]), SET(s.box[1]), 1), SP_OK);
    refused(&s, sp_world_restore(s.w, saved.data, saved.size), "pairs and parts");
    sp_checkpoint_free(s.w, &saved);
    close_stage(&s);
}

// ---------------------------------------------------------------------------------------------------- budget

enum { STEPS = 30 };

// Steps of a tower with a budget. edits: those that the run lists, with the number of their step; NULL: none are kept. The listed
// ones are queued where `replay`.
static void run_budget(double budget_ms, bool deterministic, bool replay, sp_edit edits[STEPS], uint64_t hash[STEPS],
                       int *listed) {
    stage s;
    sp_contact_def contact = proximity(0.5);
    contact.solver.budget_ms = budget_ms, contact.solver.tolerance = 1e-12, contact.solver.method = SP_CONTACT_GAUSS_SEIDEL;
    open_stage(&s, &contact, deterministic, true);
    *listed = 0;
    for (int i = 0; i < STEPS; i++) {
        int count;
        if (replay && edits[i].type == SP_EDIT_CONTACT_BUDGET) CHECK_INT(sp_world_queue(s.w, &edits[i]), SP_OK);
        CHECK(sp_world_step(s.w, h) >= 0);
        hash[i] = sp_world_hash(s.w);
        const sp_edit *taken = sp_world_edits_taken(s.w, &count);
        *listed += count;
        if (!replay) edits[i] = count ? taken[0] : sp_edit_default(SP_EDIT_PIN);
    }
    close_stage(&s);
}

TEST(a_budget_is_replayed) {
    static sp_edit edits[STEPS], none[STEPS];
    static uint64_t live[STEPS], again[STEPS], whole[STEPS];
    int listed, other;
    run_budget(0, false, false, none, whole, &listed);
    CHECK_INT(listed, 0);
    run_budget(1e-6, false, false, edits, live, &listed);
    CHECK_INT(listed, STEPS);  // one query of the clock takes longer than a nanosecond
    CHECK(live[STEPS - 1] != whole[STEPS - 1]);
    run_budget(1e9, false, true, edits, again, &other);
    CHECK_INT(other, listed);
    CHECK(memcmp(live, again, sizeof live) == 0);
    run_budget(1e-6, false, true, edits, again, &other);  // the time of the replay does not count
    CHECK(memcmp(live, again, sizeof live) == 0);
    // one edit where it does not expire: the replay knows from then on
    run_budget(1e9, false, false, edits, live, &listed);
    CHECK_INT(listed, 1);
    CHECK(edits[0].value == 0 && memcmp(live, whole, sizeof live) == 0);
    run_budget(1e-6, false, true, edits, again, &other);
    CHECK(memcmp(again, whole, sizeof whole) == 0);
    // a deterministic world does not use the time
    run_budget(1e-6, true, false, edits, again, &other);
    CHECK_INT(other, 0);
    CHECK(memcmp(again, whole, sizeof whole) == 0);
}

TEST(a_budget_edit_is_checked) {
    stage s;
    sp_contact_def contact = proximity(0.5);
    open_stage(&s, &contact, false, false);
    sp_edit e = sp_edit_default(SP_EDIT_CONTACT_BUDGET);
    e.value = -1, refused(&s, sp_world_queue(s.w, &e), "query -1");
    e.value = 1.5, refused(&s, sp_world_queue(s.w, &e), "query 1.5");
    close_stage(&s);
}

// ---------------------------------------------------------------------------------------------------- the problem

TEST(the_problem_of_a_step) {
    stage s;
    sp_contact_def contact = proximity(0.5);
    sp_contact_problem p;
    open_stage(&s, &contact, true, true);
    refused(&s, sp_world_contact_problem(s.w, &p), "no contacts");
    CHECK_INT(add_pair(&s, "grip", SET(s.box[0]), SET(s.floor), 0.7), SP_OK);
    steps(&s, 2);
    CHECK_INT(sp_world_contact_problem(s.w, &p), SP_OK);
    CHECK_INT(p.contacts, sp_world_contact_count(s.w));
    CHECK(p.converged);
    double off = 0, asymmetry = 0, most = 0;
    for (int i = 0; i < 3 * p.contacts; i++) {
        double u = p.q[i];
        for (int k = p.start[i]; k < p.start[i + 1]; k++) {
            int j = p.column[k];
            u += p.value[k] * p.lambda[j];
            most = fmax(most, fabs(p.value[k]));
            for (int l = p.start[j]; l < p.start[j + 1]; l++)
                if (p.column[l] == i) asymmetry = fmax(asymmetry, fabs(p.value[l] - p.value[k]));
        }
        off = fmax(off, fabs(u - p.u[i]));
    }
    // sums of some ten terms, in another order
    CHECK_NEAR(off, 0, 1e-14);
    CHECK_NEAR(asymmetry, 0, 1e-12 * most);
    int grip = 0;
    for (int i = 0; i < p.contacts; i++) {
        sp_contact_point at;
        CHECK_INT(sp_world_contact_at(s.w, i, &at), SP_OK);
        double normal = (at.force[0] * at.normal[0] + at.force[1] * at.normal[1] + at.force[2] * at.normal[2]) * h;
        CHECK_NEAR(p.lambda[3 * i], normal, 1e-12);
        bool floor = at.bodies[0].slot == s.floor.slot || at.bodies[1].slot == s.floor.slot;
        CHECK(p.mu[i] == (floor ? 0.7 : 0.5));
        grip += floor;
    }
    CHECK_INT(grip, 4);
    close_stage(&s);
}
