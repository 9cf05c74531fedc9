// Claim: the scenes of updated-cholesky, on coarser rings, run to their end and meet their claims; the ring without refreshes
// breaks apart.
#include "scene_run.h"

static double probe_end(scene_run *s, const char *name) {
    sp_run_probe p;
    if (!scene_probe(s, name, &p) || p.sample_count < 1) return NAN;
    return p.values[(size_t)(p.sample_count - 1) * (size_t)p.width];
}

TEST(rings_keep_their_claims) {
    const char *paths[] = {"updated/torus-fall.xml", "updated/torus-clamped.xml", "updated/torus-pull.xml", "updated/tori.xml"};
    for (int i = 0; i < 4; i++) {
        scene_run s;
        REQUIRE(scene_open(&s, paths[i], "along=16", i == 3 ? "across=1" : "across=2"));
        CHECK(scene_go(&s, 0));
        CHECK(sp_run_finish(s.run) >= 0);
        CHECK_INT(scene_claims_missed(&s), 0);
        scene_close(&s);
    }
}

// the pull itself leaves less than 1 J in the motion
TEST(without_refreshes_the_ring_breaks_apart) {
    scene_run s;
    REQUIRE(scene_open(&s, "updated/torus-loose.xml", "along=28", "across=2"));
    bool whole = scene_go(&s, 0);
    CHECK(!whole || !(probe_end(&s, "bulk") < 1000));
    scene_close(&s);
}
