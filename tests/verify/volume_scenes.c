// Claim: contact by volumes behaves in whole scenes as contact at distances does, with fewer rows (scenes/volume).
//
// - forceps pull a block with a force that stays in the cone of friction while they hold it, and on its border when they slip
// - a snake that spins is stopped by friction where its patch has several cells, as by contacts at distances; one volume, which
//   carries no moment, lets it spin; the error falls with the number of cells
// - toys with sharp edges stay in their box, and none is deeper than two pixels in another at the end; no impact creates energy
// - a pile of tori rests on its slack
// - a hand lifts a soft ball as it does with contacts at distances, with at most a quarter of the contacts
#include "scene_run.h"

static double sample(const sp_run_probe *p, int at, int column) {
    return p->values[(size_t)at * (size_t)p->width + (size_t)column];
}

static double last(scene_run *s, const char *name, int column) {
    sp_run_probe p;
    return scene_probe(s, name, &p) ? sample(&p, p.sample_count - 1, column) : NAN;
}

// Contacts are a mean over the steps after `from` [s].
static double mean(scene_run *s, const char *name, int column, double from) {
    sp_run_probe p;
    double sum = 0;
    int count = 0;
    if (!scene_probe(s, name, &p)) return NAN;
    for (int i = 0; i < p.sample_count; i++)
        if (p.times[i] > from) sum += sample(&p, i, column), count++;
    return sum / count;
}

// The upper jaw: x along the pull, y along the pressure. From 0.3 s on the jaws move with 1/30 m/s, from about 0.8 s on they
// slip.
TEST(forceps_hold_and_slip) {
    const double friction = 0.4;
    scene_run s;
    sp_run_probe grip;
    REQUIRE(scene_open(&s, "volume/forceps.xml", NULL, NULL));
    CHECK(scene_go(&s, 0));
    REQUIRE(scene_probe(&s, "grip", &grip));
    double held = 0;
    for (int i = 0; i < grip.sample_count; i++) {
        const double t = grip.times[i], pull = -sample(&grip, i, 0), press = sample(&grip, i, 1);
        if (t < 0.35) continue;
        CHECK(pull <= 1.01 * friction * press);
        if (t < 0.65) held = fmax(held, pull / press);
        if (t > 1) CHECK_NEAR(pull / press, friction, 0.01 * friction);
    }
    CHECK(held > 0.1 && held < 0.8 * friction);
    scene_close(&s);
}

// at: x and z of head, middle and tail at the end.
static bool snake_run(const char *set, const char *set_too, double at[6], double *kinetic) {
    static const char *const parts[] = {"head", "middle", "tail"};
    scene_run s;
    if (!scene_open(&s, "volume/snake.xml", set, set_too)) return false;
    CHECK(scene_go(&s, 0));
    for (int i = 0; i < 6; i++) at[i] = last(&s, parts[i / 2], i % 2 ? 2 : 0);
    *kinetic = last(&s, "bulk", 0);
    scene_close(&s);
    return true;
}

// Root mean square of the distances of the three points on the plane.
static double apart(const double at[6], const double reference[6]) {
    double sum = 0;
    for (int i = 0; i < 6; i++) sum += (at[i] - reference[i]) * (at[i] - reference[i]);
    return sqrt(sum / 3);
}

// The head starts 0.32 m from the middle and turns by 32 degrees: it moves by 0.18 m. Cells with 5, 18 and 41 contacts bring the
// snake nearer and nearer to the reference, with pixels of 2 mm: with 4 mm the rays themselves cost more than a millimetre.
TEST(snake_is_stopped_by_cells) {
    static const char *const cells[] = {"cell=120", "cell=32", "cell=18"};
    double reference[6], at[6], kinetic, before = 0.005;
    REQUIRE(snake_run("volumes.enabled=no", "distances.enabled=yes", reference, &kinetic));
    CHECK(kinetic < 1e-6);
    for (int i = 0; i < 3; i++) {
        REQUIRE(snake_run(cells[i], "pixel=0.002", at, &kinetic));
        const double error = apart(at, reference);
        printf("  %s: %.2f mm from contacts at distances\n", cells[i], 1e3 * error);
        CHECK(kinetic < (i == 0 ? 1e-3 : 1e-6));  // of 0.3 J. On cells that are longer than its bends the snake rocks for a while
        CHECK(error < before);
        before = 0.8 * error;  // of the next one: less by a fifth, and not by chance
    }
    REQUIRE(snake_run("cell=16", NULL, at, &kinetic));
    CHECK(kinetic < 1e-6);
    CHECK(apart(at, reference) < 0.005);
    REQUIRE(snake_run("cell=0", NULL, at, &kinetic));
    CHECK(kinetic > 0.1);  // of 0.3 J
}

typedef struct grasp {
    double before, after, contacts;  // height of the ball before and after the hand rises [m]
} grasp;

static bool grasp_run(const char *set, const char *set_too, grasp *out) {
    scene_run s;
    if (!scene_open(&s, "volume/grasp.xml", set, set_too)) return false;
    CHECK(scene_go(&s, 0.5));
    out->before = last(&s, "centre", 1);
    CHECK(scene_go(&s, 0));
    out->after = last(&s, "centre", 1), out->contacts = mean(&s, "bulk", 3, 0.5);
    scene_close(&s);
    return true;
}

// At rest on the floor the ball is half a pixel, 1.5 mm, deeper. It is lifted by the same way to half a millimetre.
TEST(hand_lifts_a_ball_with_few_contacts) {
    grasp volumes, distances;
    REQUIRE(grasp_run(NULL, NULL, &volumes));
    REQUIRE(grasp_run("volumes.enabled=no", "distances.enabled=yes", &distances));
    CHECK(volumes.contacts > 4 && volumes.contacts <= 0.25 * distances.contacts);
    CHECK_NEAR(volumes.before, distances.before, 0.002);
    CHECK_NEAR(volumes.after - volumes.before, distances.after - distances.before, 0.0005);
}

static int vertices_outside(sp_world *w) {
    const float low[3] = {-0.17f, -0.01f, -0.17f}, high[3] = {0.17f, 0.4f, 0.17f};  // two pixels beyond the walls
    const sp_snapshot *now = sp_world_snapshot_acquire(w);
    int outside = 0;
    if (!now) return -1;
    for (int b = 0; b < now->body_count; b++) {
        const sp_snapshot_surface *surface = &now->bodies[b].surfaces[0];
        for (int i = 0; i < 3 * surface->vertex_count && strcmp(now->bodies[b].name, "crate") != 0; i++)
            outside += surface->positions[i] < low[i % 3] || surface->positions[i] > high[i % 3];
    }
    sp_world_snapshot_release(w, now);
    return outside;
}

// Impacts turn soft toys so far in a step that one linearisation of implicit Euler created 2.6 % of their energy. What a step may
// gain without a further pass is 1 % of the energy in that step, which is less than that of the whole run.
static void check_energy(sp_world *w) {
    double worst = 0;
    const sp_snapshot *now = sp_world_snapshot_acquire(w);
    REQUIRE(now);
    for (int b = 0; b < now->body_count; b++) {
        sp_body_measures m = {0};
        CHECK_INT(sp_world_body_measure(w, now->bodies[b].id, &m), SP_OK);
        if (m.energy_max > 0) worst = fmax(worst, m.appeared / m.energy_max);
    }
    sp_world_snapshot_release(w, now);
    printf("  energy from nowhere: %.2e of the largest\n", worst);
    CHECK(worst < 1e-3);
}

// The depth of a contact is the mean over its patch: a corner may be deeper. A gap is measured from the slack of half a pixel:
// two pixels deep is a gap of -1.5 pixels.
TEST(toys_stay_in_their_box) {
    const double pixel = 0.005;
    scene_run s;
    sp_contact_sum sum;
    REQUIRE(scene_open(&s, "volume/toys.xml", NULL, NULL));
    CHECK(scene_go(&s, 0));
    CHECK_INT(vertices_outside(sp_run_world(s.run)), 0);
    check_energy(sp_run_world(s.run));
    REQUIRE(sp_world_contact_sum(sp_run_world(s.run), (sp_body_id){0}, &sum) >= 0);
    CHECK(sum.count > 30 && sum.gap > -1.5 * pixel);
    scene_close(&s);
}

// A gap of 0 is the slack. A step may leave 0.05 pixels beyond what it found, and leaves as much alone.
TEST(a_pile_rests_on_its_slack) {
    const double pixel = 0.006;
    scene_run s;
    sp_contact_sum sum;
    REQUIRE(scene_open(&s, "volume/tori.xml", "count=5", NULL));
    CHECK(scene_go(&s, 0));
    REQUIRE(sp_world_contact_sum(sp_run_world(s.run), (sp_body_id){0}, &sum) >= 0);
    printf("  %d contacts, %.3f pixels beyond the slack, kinetic energy %.1e J\n", sum.count, -sum.gap / pixel,
           last(&s, "pile", 0));
    CHECK(sum.count > 20 && sum.gap > -0.1 * pixel);
    CHECK(last(&s, "pile", 0) < 1e-4);
    scene_close(&s);
}
