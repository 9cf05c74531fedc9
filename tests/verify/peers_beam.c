// Claim: the corotational beam moves as two independent engines compute it. BEAM-k is a beam of 0.4 x 0.1 x 0.1 m clamped at x =
// 0, in
// 4k x k x k cells of six tetrahedra, E = 3e5 Pa, nu = 0.4, 1000 kg/m3, gravity 9.81 m/s2, linearised implicit Euler with h = 10
// ms. SOFA 26.06 (fast corotational tetrahedra, polar) and VegaFEM 4.0 (corotational linear tetrahedra) agree to six digits on
// the displacement in y of node (4k, k/2, k/2) at t = 0.25, 0.5, 0.75 and 1 s.
//
// Tolerance: 1e-5 of the beam's length, 4e-6 m. Their printed digits allow 1e-6 m and their solvers stop at 1e-6.
#include "scene_run.h"

static const double length = 0.4;

static void beam(const char *path, const double expected[4]) {
    scene_run s;
    sp_run_probe tip;
    REQUIRE(scene_open(&s, path, NULL, NULL));
    CHECK(scene_go(&s, 0));
    CHECK(sp_run_finish(s.run) >= 0);
    if (scene_probe(&s, "tip", &tip) && tip.sample_count == 4) {
        for (int i = 0; i < 4; i++) {
            CHECK_NEAR(tip.times[i], 0.25 * (i + 1), 1e-12);
            CHECK_NEAR(tip.values[tip.width * i + 1] - 0.05, expected[i], 1e-5 * length);
        }
    } else {
        CHECK(!"four samples of the tip");
    }
    CHECK_INT(sp_run_claim_count(s.run), 4);
    CHECK_INT(scene_claims_missed(&s), 0);
    scene_close(&s);
}

TEST(beam_4) {
    const double expected[4] = {-0.160089, -0.030826, -0.134400, -0.054925};
    beam("peers/beam-4.xml", expected);
}

TEST(beam_8) {
    const double expected[4] = {-0.193766, -0.040311, -0.155969, -0.080929};
    beam("peers/beam-8.xml", expected);
}
