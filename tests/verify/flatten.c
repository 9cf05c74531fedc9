// Claim: a body without stiffness falls flat on a rigid floor, all of its elements in one plane, and recovers its shape when the
// stiffness returns (Nesme, Faure, Chabanas 2004, HAL inria-00537453, figure 5).
//
// Tolerances: flat to g h^2/30 = 3.3e-5 m, the depth at which penalty contact supports nodes above the mean mass; lighter nodes
// penetrate less. Recovery to 1e-6 of the body's size: the damped motion decays below that long before the end.
#include "element.h"
#include "scene_run.h"

// Largest change of a distance between any two nodes relative to the body's size, and the smallest and largest volume of an
// element relative to its rest volume.
static void shape_change(const sp_mesh *rest, const double *x, double *change, double *low, double *high) {
    const double *X = sp_mesh_positions(rest);
    double a[3], b[3], size = 0;
    sp_mesh_bounds(rest, a, b);
    for (int k = 0; k < 3; k++) size += (b[k] - a[k]) * (b[k] - a[k]);
    *change = 0, *low = INFINITY, *high = -INFINITY;
    for (int i = 0; i < sp_mesh_node_count(rest); i++)
        for (int j = 0; j < i; j++) {
            double l = 0, r = 0;
            for (int k = 0; k < 3; k++) l += pow(x[3 * i + k] - x[3 * j + k], 2), r += pow(X[3 * i + k] - X[3 * j + k], 2);
            *change = fmax(*change, fabs(sqrt(l) - sqrt(r)) / sqrt(size));
        }
    for (int e = 0; e < sp_mesh_element_count(rest); e++) {
        double F[9];
        deformation(X, x, sp_mesh_tets(rest) + 4 * e, F);
        *low = fmin(*low, det3(F)), *high = fmax(*high, det3(F));
    }
}

// Runs the scene and builds its mesh a second time for comparison. Distances between all nodes fix the shape up to a rigid motion
// and a reflection; positive volumes exclude the reflection.
static void flatten(const char *set) {
    scene_run s;
    sp_mesh *rest = NULL;
    REQUIRE(scene_open(&s, "robust/flatten.xml", set, NULL));
    CHECK(sp_mesh_box(s.ctx, (double[3]){0.9, 0.6, 0.3}, (int[3]){9, 6, 3}, 6, &rest) == SP_OK);
    sp_world *world = sp_run_world(s.run);
    sp_body_id id = sp_world_body_named(world, "slab");
    int n = sp_mesh_node_count(rest);
    sp_field_info info = {0};
    CHECK(sp_world_field_info(world, id, "position", &info) >= 0);
    CHECK_INT(info.count, n);
    double *x = calloc(3 * (size_t)n, sizeof *x), change, low, high, bottom = INFINITY, top = -INFINITY;
    CHECK(scene_go(&s, 2.9));
    CHECK(sp_world_field(world, id, "position", x) >= 0);
    for (int i = 0; i < n; i++) bottom = fmin(bottom, x[3 * i + 1]), top = fmax(top, x[3 * i + 1]);
    shape_change(rest, x, &change, &low, &high);
    printf("  %s: flat to %.1e m, volumes within %.1e of zero", set, top - bottom, fmax(-low, high));
    CHECK_NEAR(top - bottom, 0, 9.81 * 0.01 * 0.01 / 30);
    CHECK(change > 0.1);
    CHECK(scene_go(&s, 0));
    CHECK(sp_world_field(world, id, "position", x) >= 0);
    shape_change(rest, x, &change, &low, &high);
    printf("; back to %.1e of the size\n", change);
    CHECK_NEAR(change, 0, 1e-6);
    CHECK(low > 0.999 && high < 1.001);
    CHECK(sp_run_finish(s.run) >= 0);
    CHECK_INT(scene_claims_missed(&s), 0);
    free(x);
    sp_mesh_destroy(&rest);
    scene_close(&s);
}

TEST(flat_and_back_qr) {
    flatten("how=qr");
}

TEST(flat_and_back_svd) {
    flatten("how=svd");
}
