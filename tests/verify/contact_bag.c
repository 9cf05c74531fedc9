// Claim: a shaken box of bodies of all shapes, rigid and soft, loses none of them (scenes/contact/bag.xml with 30 bodies and 1.5
// s; the whole scene has 200 and 20 s).
//
// - no step has a reservation: contacts are solved, no energy appears, nothing is deep in another body
// - the box carries the weight of all bodies, and all of them are in it
// - at rest nothing overlaps by more than the solver leaves: 1e-3 of the largest violation, which is the way of gravity in a
// step,
//   2.5e-4 m; some contacts still slide
#include "scene_run.h"

// the box rests at its place again; positions are floats
static int vertices_outside(sp_world *w) {
    const float low[3] = {-0.2501f, -0.0001f, -0.2501f}, high[3] = {0.2501f, 1.1f, 0.2501f};
    const sp_snapshot *now = sp_world_snapshot_acquire(w);
    int outside = 0;
    if (!now) return -1;
    for (int b = 0; b < now->body_count; b++) {
        const sp_snapshot_surface *surface = &now->bodies[b].surfaces[0];
        for (int i = 0; i < 3 * surface->vertex_count && strcmp(now->bodies[b].name, "box") != 0; i++)
            outside += surface->positions[i] < low[i % 3] || surface->positions[i] > high[i % 3];
    }
    sp_world_snapshot_release(w, now);
    return outside;
}

TEST(a_shaken_box_keeps_its_bodies) {
    scene_run s;
    REQUIRE(scene_open(&s, "contact/bag.xml", "copies=3", NULL));
    sp_world *w = sp_run_world(s.run);
    int reservations = 0;
    double overlap = 0;
    while (!sp_run_done(s.run)) {
        sp_status status = sp_run_step(s.run);
        if (status < 0) SP_TEST_FAILED("%s", sp_world_error(w)->message);
        if (status < 0) break;
        reservations += status != SP_OK;
    }
    CHECK_INT(reservations, 0);
    CHECK(sp_run_finish(s.run) >= 0);
    CHECK_INT(scene_claims_missed(&s), 0);
    CHECK_INT(vertices_outside(w), 0);
    for (int i = 0; i < sp_world_contact_count(w); i++) {
        sp_contact_point p;
        CHECK_INT(sp_world_contact_at(w, i, &p), SP_OK);
        overlap = fmax(overlap, -p.gap);
    }
    printf("  %d bodies, %d contacts, overlap at the end %.2g m\n", sp_world_body_count(w), sp_world_contact_count(w), overlap);
    CHECK(overlap < 1e-5);
    scene_close(&s);
}
