// Corotational beams as a model of strands: derivatives, positions, moving nodes, gyroscopic terms.
#include "model_help.h"
#include "rod/beam.h"

static void each(void (*check)(model_rig *)) {
    for (int kind = 0; kind < 2; kind++) {
        model_rig k;
        REQUIRE(model_open(&k, SP_ROD_BEAM, kind == 1, false));
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

// second order in the elements
TEST(curvature) {
    double coarse = curvature_error(SP_ROD_BEAM, 16), fine = curvature_error(SP_ROD_BEAM, 32);
    CHECK(fine < 1e-2);
    CHECK(log2(coarse / fine) > 1.8);
}

TEST(a_rotated_node_rotates_the_rod) {
    world_turned(SP_ROD_BEAM, false, 0);
    world_turned(SP_ROD_BEAM, false, 3);
    world_turned(SP_ROD_BEAM, false, 6);
}

TEST(more_than_a_turn_of_twist) {
    world_twisted(SP_ROD_BEAM, false);
}

TEST(falling_at_large_steps) {
    world_fall(SP_ROD_BEAM, SP_IMPLICIT_EULER, 20);
    world_fall(SP_ROD_BEAM, SP_IMPLICIT_EULER, 100);
    world_fall(SP_ROD_BEAM, SP_NEWTON, 20);
}

TEST(free_flight) {
    world_thrown(SP_ROD_BEAM, SP_IMPLICIT_EULER);
    world_thrown(SP_ROD_BEAM, SP_NEWTON);
}

// linear beam theory is exact at the nodes; the square of an angle of 1e-4 is left
TEST(different_sections) {
    CHECK(fabs(stepped_error(SP_ROD_BEAM, 2)) < 1e-7);
    CHECK(fabs(stepped_error(SP_ROD_BEAM, 8)) < 1e-7);
}

TEST(memory) {
    world_memory(SP_ROD_BEAM);
}

// A force at a point between nodes: the full K, with the second derivatives of the point, against differences of the potential.
TEST(force_between_nodes) {
    model_rig k;
    REQUIRE(model_open(&k, SP_ROD_BEAM, false, false));
    sp_body *b = k.b;
    const sp_rod *r = sp__rod(b);
    double f[3] = {20, -30, 10}, w = 3e-4, zero[128] = {0};
    static double K[4096];
    REQUIRE(sp__rod_update_all_kinematics(b, NULL, SP_COMMITTED, false) == SP_OK);
    memset(K, 0, sizeof K);
    r->model->bend_of_force(b, 0, 1, 0.3, f, K);
    sp_anchor a = {.elem = 1, .at = {0.3}};
    for (int i = 6; i < 18; i++) {
        double work[3];
        for (int side = 0; side < 3; side++) {
            double v[128] = {0}, x[3];
            v[i] = (side - 1) * w;
            b->ops->retract(b, &k.step, SP_COMMITTED, 1, v);
            b->ops->points(b, SP_TRIAL, 1, &a, x, NULL);
            work[side] = -sp__dot3(f, x);
        }
        // 1e-15 of a work of some 10 J over w2
        CHECK_NEAR(*sp__banded_at(K, 11, i, i), (work[0] - 2 * work[1] + work[2]) / (w * w), 1e-6);
    }
    b->ops->retract(b, &k.step, SP_COMMITTED, 1, zero);
    model_close(&k);
}

// A stiff ellipse, short and flat, spun about an axis that is not principal: gyroscopic terms rotate it, momenta are conserved.
// One element, at steps of 1/500 of a turn, first order.
TEST(gyroscopic_terms) {
    rod_world k;
    static double rates[12];
    world_begin(&k, SP_ROD_BEAM, 1);
    k.section.axes[0] = 0.1, k.section.axes[1] = 0.03, k.section.young = 1e9;
    k.strand.length = 0.1, k.strand.root.translate[0] = -0.05;
    k.def.free_root = true, k.def.integrator.type = SP_NEWTON, k.def.integrator.tolerance = 1e-10;
    sp_world_def def = sp_world_def_default();
    for (int i = 0; i < 3; i++) def.gravity[i] = sp_signal_constant(0);
    sp_world_destroy(&k.w);
    REQUIRE(sp_world_create(k.ctx, &def, &k.w) == SP_OK);
    REQUIRE(sp_world_add_rod(k.w, &k.def, &k.id) == SP_OK);
    double w[3] = {5, 3, 1};
    for (int n = 0; n < 2; n++) {
        double x[3] = {n ? 0.05 : -0.05, 0, 0};
        sp__cross3(w, x, rates + 6 * n);
        memcpy(rates + 6 * n + 3, w, sizeof w);
    }
    REQUIRE(sp_world_set_state(k.w, k.id, NULL, rates) == SP_OK);
    sp_body_measures first = world_measures(&k), last = first;
    for (int i = 0; i < 200; i++) {
        REQUIRE(sp_world_step(k.w, 0.002) >= 0);
        last = world_measures(&k);
    }
    double change[3], size = sp__norm3(first.angular);
    sp__sub3(last.angular, first.angular, change);
    CHECK(sp__norm3(change) < 0.02 * size);
    CHECK(last.kinetic > 0.95 * first.kinetic && last.kinetic <= first.kinetic);
    world_end(&k);
}

TEST(too_coarse_for_its_curvature) {
    rod_world k;
    double natural[15] = {0, 0, 0, 0, 0, 0, 0, 13, 0};
    world_begin(&k, SP_ROD_BEAM, 4);
    k.strand.curvature = natural;
    CHECK_INT(sp_world_add_rod(k.w, &k.def, &k.id), SP_BAD_INPUT);
    CHECK(strstr(sp_world_error(k.w)->message, "turns by 3.25 rad in an element") != NULL);
    world_end(&k);
}
