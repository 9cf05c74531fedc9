// Discrete elastic rods as a model of strands: derivatives, positions, moving clamps, frames that count turns.
#include "model_help.h"
#include "rod/der.h"

static void each(void (*check)(model_rig *)) {
    // clamped by half a cell, by an edge, not clamped
    for (int kind = 0; kind < 3; kind++) {
        model_rig k;
        REQUIRE(model_open(&k, SP_ROD_DER, kind == 2, kind == 1));
        check(&k);
        model_close(&k);
    }
}

TEST(derivatives) {
    each(model_derivatives);
}

TEST(matrices) {
    each(model_matrices);
}

TEST(points) {
    each(model_points);
}

TEST(moves) {
    each(model_moves);
}

TEST(steps_compose) {
    each(model_further);
}

TEST(measures) {
    each(model_measures);
}

TEST(at_rest_with_natural_curvature) {
    each(model_rest);
}

// second order in the edges
TEST(curvature) {
    double coarse = curvature_error(SP_ROD_DER, 16), fine = curvature_error(SP_ROD_DER, 32);
    CHECK(fine < 1e-2);
    CHECK(log2(coarse / fine) > 1.8);
}

TEST(a_rotated_node_rotates_the_rod) {
    world_turned(SP_ROD_DER, false, 0);
    world_turned(SP_ROD_DER, true, 0);
    world_turned(SP_ROD_DER, false, 3);
    world_turned(SP_ROD_DER, false, 6);
}

TEST(more_than_a_turn_of_twist) {
    world_twisted(SP_ROD_DER, false);
    world_twisted(SP_ROD_DER, true);
}

TEST(falling_at_large_steps) {
    world_fall(SP_ROD_DER, SP_IMPLICIT_EULER, 20);
    world_fall(SP_ROD_DER, SP_IMPLICIT_EULER, 100);
    world_fall(SP_ROD_DER, SP_NEWTON, 20);
}

TEST(free_flight) {
    world_thrown(SP_ROD_DER, SP_IMPLICIT_EULER);
    world_thrown(SP_ROD_DER, SP_NEWTON);
}

// the node between two sections has half a cell of each: still second order
TEST(different_sections) {
    double coarse = stepped_error(SP_ROD_DER, 8), fine = stepped_error(SP_ROD_DER, 16);
    CHECK(fabs(fine) < 5e-3);
    CHECK(log2(coarse / fine) > 1.9);
}

TEST(memory) {
    world_memory(SP_ROD_DER);
}

// A released root moves its clamp, so that fixing it again fixes it at its current position.
TEST(a_root_released_and_fixed_again) {
    rod_world k;
    double before[3 * 9], after[3 * 9], most = 0;
    world_begin(&k, SP_ROD_DER, 8);
    REQUIRE(sp_world_add_rod(k.w, &k.def, &k.id) == SP_OK);
    sp_edit edit = sp_edit_default(SP_EDIT_RELEASE);
    edit.body = k.id, edit.node = 0, edit.axes = SP_AXES_ALL;
    for (int i = 0; i < 10; i++) REQUIRE(sp_world_step(k.w, 0.01) == SP_OK);
    REQUIRE(sp_world_queue(k.w, &edit) == SP_OK);
    for (int i = 0; i < 30; i++) REQUIRE(sp_world_step(k.w, 0.01) == SP_OK);
    // it falls, and without a moment on its root its first edges become straight
    REQUIRE(sp_world_field(k.w, k.id, "position", before) == SP_OK);
    CHECK(before[1] < -0.2);
    edit.type = SP_EDIT_PIN;
    REQUIRE(sp_world_queue(k.w, &edit) == SP_OK);
    REQUIRE(sp_world_step(k.w, 1e-6) == SP_OK);
    REQUIRE(sp_world_field(k.w, k.id, "position", after) == SP_OK);
    // a step of 1 us at some m/s: the rod did not snap back
    for (int i = 0; i < 27; i++) most = fmax(most, fabs(after[i] - before[i]));
    CHECK(most < 2e-5);
    CHECK(after[0] == before[0] && after[1] == before[1] && after[2] == before[2]);
    world_end(&k);
}

TEST(too_coarse_for_its_curvature) {
    rod_world k;
    double natural[15] = {0, 0, 0, 0, 0, 0, 0, 13, 0};
    world_begin(&k, SP_ROD_DER, 4);
    k.strand.curvature = natural;
    CHECK_INT(sp_world_add_rod(k.w, &k.def, &k.id), SP_BAD_INPUT);
    CHECK(strstr(sp_world_error(k.w)->message, "turns by 3.25 rad in an element") != NULL);
    natural[7] = 12;
    CHECK_INT(sp_world_add_rod(k.w, &k.def, &k.id), SP_OK);
    world_end(&k);
}
