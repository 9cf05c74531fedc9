// Claim: the results match the table of the method. Nesme, Faure and Chabanas 2004 (HAL inria-00537453), figure 2: a clamped beam
// under gravity, sum of element volumes 360 at rest. Without rotation handling it swells to 1022 (mean of the run 794); with it,
// 362 (mean 361).
//
// The beam of the paper (320 nodes, 1,800 tetrahedra, 360) corresponds to 15 x 3 x 4 unit cells filled twice; its material and
// damping are not stated and were chosen to match the swelling (see the scenes), so the linear numbers test the choice (2%) and
// the corotational ones the method: within 1% of 360 at all times, for the paper's own method (qr on the deformed shape) and for
// each rotation on the rest shape.
#include "scene_run.h"

static bool volumes(const char *path, const char *how, const char *shape, double *end, double *mean, double *low, double *high) {
    scene_run s;
    sp_run_probe p;
    if (!scene_open(&s, path, how, shape)) return false;
    sp_world *world = sp_run_world(s.run);
    sp_body_info info = {0};
    sp_body_measures measures = {0};
    CHECK(sp_world_body_info(world, sp_world_body_named(world, "beam"), &info) >= 0);
    CHECK(sp_world_body_measure(world, info.id, &measures) >= 0);
    CHECK_INT(info.nodes, 320);
    CHECK_INT(info.elements, 1800);
    CHECK_NEAR(measures.rest_volume, 360, 1e-9);
    bool good = scene_go(&s, 0) && sp_run_finish(s.run) >= 0 && scene_probe(&s, "bulk", &p) && p.sample_count > 1;
    if (good) {
        *mean = 0, *low = INFINITY, *high = 0;
        for (int i = 0; i < p.sample_count; i++) {
            double v = p.values[i * p.width];
            *mean += v / p.sample_count, *low = fmin(*low, v), *high = fmax(*high, v);
        }
        *end = p.values[(p.sample_count - 1) * p.width];
        printf("  %s %s %s: end %.1f, mean %.1f, between %.1f and %.1f\n", path, how ? how : "", shape ? shape : "", *end, *mean,
               *low, *high);
        CHECK_INT(scene_claims_missed(&s), 0);
    }
    scene_close(&s);
    return good;
}

TEST(linear_swells) {
    double end, mean, low, high;
    REQUIRE(volumes("robust/beam-linear.xml", NULL, NULL, &end, &mean, &low, &high));
    CHECK_NEAR(end, 1022, 0.02 * 1022);
    CHECK_NEAR(mean, 794, 0.02 * 794);
}

// The paper's own method, then every rotation on the rest shape.
TEST(corotational_keeps) {
    const char *const sets[4][2] = {{"how=qr", "beam.shape=deformed"},
                                    {"how=qr", "beam.shape=rest"},
                                    {"how=polar", "beam.shape=rest"},
                                    {"how=svd", "beam.shape=rest"}};
    for (int i = 0; i < 4; i++) {
        double end, mean, low, high;
        REQUIRE(volumes("robust/beam-corotational.xml", sets[i][0], sets[i][1], &end, &mean, &low, &high));
        CHECK_NEAR(low, 360, 3.6);
        CHECK_NEAR(high, 360, 3.6);
    }
}
