// The tools of the page, without the server: balls that are thrown, a probe, kinematic bodies that are moved, links. What they do
// is in the log, which replays to the same hash.
#define COMMAND_FOLDER "serve-tools"
#include "serve_rig.h"

#define THROW(x, y, z, more) "{\"type\":\"throw\",\"at\":[" #x "," #y "," #z "],\"velocity\":[0,0,-2],\"radius\":0.05" more "}"
#define POKE(y) "{\"type\":\"probe\",\"from\":[0.1,1,0.1],\"at\":[0.1," #y ",0.1],\"radius\":0.02}"

static bool replays(sp_sim *s) {
    uint64_t hash = 0;
    return ask(s, "{\"type\":\"log\"}") && replay(&hash) && hash == state_of(s).hash;
}

// A query of the world; its own thread may still make the last frame.
#define QUERY(status, call)                                                            \
    do {                                                                               \
        for (int i_ = 0; i_ < PATIENCE && ((status) = (call)) == SP_BUSY; i_++) nap(); \
    } while (0)

static double height_of(sp_sim *s, const char *name) {
    sp_anchor at = {.body = sp_world_body_named(s->stage.world, name)};
    double x[3] = {NAN, NAN, NAN};
    sp_status status;
    QUERY(status, sp_world_anchor_get(s->stage.world, &at, x, NULL));
    return status < 0 ? NAN : x[1];
}

static bool link_is(sp_sim *s, int link, sp_link_state state) {
    sp_link_info info;
    sp_status status;
    QUERY(status, sp_world_link_at(s->stage.world, link, &info));
    return status >= 0 && info.state == state;
}

TEST(a_ball_is_thrown_and_removed) {
    sp_sim *s = start(PLAY, false);
    REQUIRE(s);
    CHECK(hello_gains(s, "\"contact\": \"proximity\""));
    CHECK(!ask(s, THROW(0.1, 0.05, 0.1, "")) && strstr(answer, "inside 'block'"));
    CHECK(!ask(s, THROW(1, 0.04, 1, "")) && strstr(answer, "inside 'ground'"));
    CHECK(ask(s, THROW(0.1, 0.3, 1, ",\"density\":300")) && strstr(answer, "\"name\": \"ball-1\""));
    CHECK(run_to(s, 1));
    CHECK(message_has(s, "\"bodies\"") && hello_gains(s, "\"name\": \"ball-1\"") && hello_gains(s, "\"added\": true"));
    CHECK(run_to(s, 80));
    CHECK_NEAR(height_of(s, "ball-1"), 0.05, 1e-3);  // it rolls on the ground, or rests at the block
    CHECK(replays(s));
    // a time step and a number of threads keep it; the log then begins with a checkpoint that has it
    CHECK(ask(s, "{\"type\":\"threads\",\"value\":2}") && hello_gains(s, "\"name\": \"ball-1\"") && run_to(s, 2));
    CHECK(ask(s, "{\"type\":\"dt\",\"value\":0.005}") && hello_gains(s, "\"added\": true") && run_to(s, 2));
    CHECK(ask(s, THROW(0.1, 0.5, 1, "")) && run_to(s, 2) && replays(s));
    CHECK(!ask(s, "{\"type\":\"remove\",\"body\":2}") && !ask(s, "{\"type\":\"remove\",\"body\":99}"));
    CHECK(ask(s, "{\"type\":\"remove\",\"body\":5}") && run_to(s, 1) && hello_loses(s, "ball-1") && hello_gains(s, "ball-2"));
    CHECK(ask(s, "{\"type\":\"reset\"}") && ask(s, THROW(0.1, 0.3, 1, "")) && run_to(s, 1) && hello_gains(s, "ball-1"));
    CHECK(ask(s, "{\"type\":\"reset\"}") && hello_loses(s, "ball-1") && run_to(s, 1));
    sp__sim_stop(&s);
    s = start(NUT, false);
    REQUIRE(s);
    CHECK(hello_gains(s, "\"contact\": null"));
    CHECK(!ask(s, THROW(5, 5, 5, "")) && strstr(answer, "no contact"));
    CHECK(!ask(s, POKE(0.2)) && strstr(answer, "no contact"));
    sp__sim_stop(&s);
}

TEST(a_recording_has_the_bodies_that_are_added) {
    if (!with_hdf5()) return;
    sp_sim *s = start(PLAY, false);
    REQUIRE(s);
    // the log then begins with a checkpoint that has the ball
    CHECK(ask(s, THROW(0.1, 0.3, 1, "")) && run_to(s, 3) && ask(s, "{\"type\":\"dt\",\"value\":0.02}"));
    CHECK(ask(s, "{\"type\":\"record\",\"action\":\"start\"}") && run_to(s, 3));
    const double first = height_of(s, "ball-1");
    CHECK(ask(s, "{\"type\":\"remove\",\"body\":5}") && ask(s, THROW(0.1, 0.5, 1, "")) && run_to(s, 2));
    const double last = height_of(s, "ball-2");
    CHECK(ask(s, "{\"type\":\"record\",\"action\":\"stop\"}") && ask_open(s, answered_file()) && hello_gains(s, "ball-1"));
    CHECK(hello_loses(s, "ball-2") && hello_gains(s, "\"added\": true"));
    // a float has 24 bits
    CHECK(ask(s, "{\"type\":\"seek\",\"time\":9}") && hello_gains(s, "ball-2") && hello_loses(s, "ball-1"));
    CHECK_NEAR(height_of(s, "ball-2"), last, 1e-7);
    CHECK(ask(s, "{\"type\":\"seek\",\"time\":0.09}") && hello_gains(s, "ball-1"));
    CHECK_NEAR(height_of(s, "ball-1"), first, 1e-7);
    CHECK(ask(s, "{\"type\":\"play\"}") && message_has(s, "\"bodies\"") && hello_gains(s, "ball-2"));
    CHECK(ask(s, "{\"type\":\"close\"}") && hello_gains(s, "ball-2") && run_to(s, 1));
    sp__sim_stop(&s);
}

TEST(a_probe_comes_from_outside_and_leaves) {
    sp_sim *s = start(PLAY, false);
    sp_contact_sum sum;
    REQUIRE(s);
    CHECK(run_to(s, 5));
    CHECK(ask(s, POKE(0.09)) && run_to(s, 1));
    CHECK(height_of(s, "probe-1") > 0.115);  // a radius above the block, not in it
    CHECK(run_to(s, 20));
    CHECK_NEAR(height_of(s, "probe-1"), 0.09, 1e-12);
    // the block may rebound: which steps have a force depends on when the background thread delivers a factor
    bool pressed = false;
    for (int i = 0; i < 20 && !pressed; i++) {
        sp_status status;
        QUERY(status, sp_world_contact_sum(s->stage.world, sp_world_body_named(s->stage.world, "probe-1"), &sum));
        CHECK(status >= 0);
        pressed = sum.force[1] > 0;
        if (!pressed) CHECK(run_to(s, 1));
    }
    CHECK(pressed);
    CHECK(ask(s, POKE(-9)));
    const double before = height_of(s, "probe-1");
    CHECK(run_to(s, 1));
    CHECK_NEAR(before - height_of(s, "probe-1"), 0.02, 1e-12);  // a radius in a step
    CHECK(ask(s, "{\"type\":\"unprobe\"}") && run_to(s, 1) && isnan(height_of(s, "probe-1")));
    // one that no step has seen yet
    CHECK(ask(s, POKE(0.2)) && ask(s, "{\"type\":\"unprobe\"}") && run_to(s, 2) && isnan(height_of(s, "probe-2")));
    CHECK(!ask(s, "{\"type\":\"probe\",\"from\":[0.1,0.05,0.1],\"at\":[0.1,0,0.1],\"radius\":0.02}"));
    CHECK(strstr(answer, "inside a body"));
    CHECK(!ask(s, "{\"type\":\"probe\",\"from\":[0,1,0],\"at\":[0,1,0],\"radius\":0.02}"));
    CHECK(replays(s));
    // a client that leaves takes it away
    CHECK(ask(s, POKE(0.2)) && run_to(s, 1) && !isnan(height_of(s, "probe-3")));
    sp__sim_leave(s, 5);
    CHECK(run_to(s, 2) && isnan(height_of(s, "probe-3")));
    sp__sim_stop(&s);
}

TEST(a_kinematic_body_is_moved_with_a_limited_speed) {
    sp_sim *s = start(PLAY, false);
    REQUIRE(s);
    CHECK(hello_gains(s, "\"pull\": 0,"));
    CHECK(!ask(s, "{\"type\":\"drag\",\"body\":1,\"face\":0,\"weights\":[1,0,0],\"target\":[0,9,0]}"));  // fixed
    CHECK(ask(s, "{\"type\":\"drag\",\"body\":4,\"face\":0,\"weights\":[1,0,0],\"target\":[-0.5,9,0]}"));
    const double before = height_of(s, "paddle");
    CHECK(run_to(s, 10));
    CHECK_NEAR(height_of(s, "paddle") - before, 10 * 0.25 * 0.1, 1e-2 * 0.25);  // towards a point beside: not quite upwards
    CHECK(ask(s, "{\"type\":\"drop\"}"));
    const double left = height_of(s, "paddle");
    CHECK(run_to(s, 5) && height_of(s, "paddle") == left);
    CHECK(replays(s));
    sp__sim_stop(&s);
}

#define FACE(body) "{\"body\":" #body ",\"face\":0,\"weights\":[1,0,0]}"

TEST(bodies_are_attached_and_detached) {
    sp_sim *s = start(PLAY, false);
    REQUIRE(s);
    CHECK(run_to(s, 2));
    CHECK(ask(s, "{\"type\":\"attach\",\"a\":" FACE(2) ",\"b\":" FACE(3) ",\"stiffness\":50}"));
    CHECK(strstr(answer, "\"name\": \"tie-1\""));
    CHECK(ask(s, "{\"type\":\"attach\",\"a\":" FACE(3) ",\"to\":[0.5,0.4,0]}") && strstr(answer, "\"tie-2\""));
    CHECK(run_to(s, 2));  // the place comes first, then the link to it
    CHECK_INT(sp_world_link_count(s->stage.world), 2);
    CHECK(link_is(s, 1, SP_LINK_ATTACHED));
    const double hangs = height_of(s, "stone");
    CHECK(run_to(s, 10));
    CHECK_NEAR(height_of(s, "stone"), hangs, 0.01);  // welded to a fixed place
    CHECK(ask(s, "{\"type\":\"detach\",\"name\":\"tie-1\"}") && run_to(s, 1));
    CHECK(link_is(s, 0, SP_LINK_DETACHED));
    CHECK(ask(s, "{\"type\":\"attach\",\"name\":\"tie-1\"}") && run_to(s, 1));
    CHECK(link_is(s, 0, SP_LINK_ATTACHED));
    CHECK(hello_gains(s, "peg-2"));
    CHECK(ask(s, "{\"type\":\"detach\",\"name\":\"tie-2\"}") && run_to(s, 1) && hello_loses(s, "peg-2"));
    CHECK_INT(sp_world_link_count(s->stage.world), 1);
    CHECK(!ask(s, "{\"type\":\"detach\",\"name\":\"glue\"}") && strstr(answer, "no link of that name"));
    CHECK(!ask(s, "{\"type\":\"attach\",\"a\":" FACE(1) ",\"b\":" FACE(4) "}") && strstr(answer, "can move"));
    CHECK(!ask(s, "{\"type\":\"attach\",\"a\":" FACE(1) ",\"to\":[0,0,0]}") && strstr(answer, "can move"));
    CHECK(!ask(s, "{\"type\":\"attach\",\"a\":" FACE(2) ",\"b\":" FACE(2) "}") && strstr(answer, "two bodies"));
    CHECK(!ask(s, "{\"type\":\"attach\",\"a\":" FACE(2) ",\"b\":" FACE(99) "}"));
    CHECK(!ask(s, "{\"type\":\"attach\",\"a\":" FACE(99) ",\"b\":" FACE(2) "}"));
    CHECK(replays(s));
    CHECK(ask(s, "{\"type\":\"threads\",\"value\":2}") && run_to(s, 2));
    CHECK_INT(sp_world_link_count(s->stage.world), 1);
    sp__sim_stop(&s);
}
TEST(nothing_leaks) {
    char command[128];
    make_folder();
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_INT(system(command), 0);
}
