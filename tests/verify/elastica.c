// Claim: a slender corotational cantilever under a dead end load follows the elastica far beyond small deflections.
//
// Published: Bisshopp and Drucker (1945), "Large deflection of cantilever beams", doi:10.1090/qam/13360; tabulated to five digits
// by Mattiasson (1981), doi:10.1002/nme.1620170113: deflection w/L and shortening u/L of the end for P L^2 / (E I). The table is
// recomputed here by shooting (theta'' = -alpha cos theta), so that a typing error would show.
//
// The bar is 20 times longer than deep, nu = 0, constrained to a plane. Linear tetrahedra are too stiff in bending by a share
// that falls with the square of the cell size, so the values of two meshes are extrapolated (Richardson).
// Tolerance 0.5% of L: the elastica has neither shear nor stretch, which add 0.15% here (0.6 (h/L)^2); extrapolation leaves the
// next power of the cell size, a few tenths of a percent between 4 and 8 cells over the depth.
#include "verify.h"

typedef struct entry {
    double alpha, w, u;
} entry;

static const entry table[] = {{1, 0.30172, 0.05643}, {2, 0.49346, 0.16064}, {5, 0.71379, 0.38763}};
enum { ENTRIES = sizeof table / sizeof *table };

static const double length = 1, depth = 0.05, young = 1e7;

// ------------------------------------------------------------------------------------------------ the elastica by shooting

static void slope(double alpha, const double s[4], double out[4]) {  // theta, kappa, x, y
    out[0] = s[1];
    out[1] = -alpha * cos(s[0]);
    out[2] = cos(s[0]);
    out[3] = sin(s[0]);
}

static void shoot(double alpha, double kappa, double s[4]) {
    const int n = 500;
    const double h = 1.0 / n;
    s[0] = s[2] = s[3] = 0, s[1] = kappa;
    for (int i = 0; i < n; i++) {
        double k[4][4], t[4];
        slope(alpha, s, k[0]);
        for (int stage = 1; stage < 4; stage++) {
            for (int j = 0; j < 4; j++) t[j] = s[j] + (stage == 3 ? h : h / 2) * k[stage - 1][j];
            slope(alpha, t, k[stage]);
        }
        for (int j = 0; j < 4; j++) s[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
    }
}

// The published values have five digits: 1e-5 is one unit in the last place.
TEST(published_table) {
    for (int e = 0; e < ENTRIES; e++) {
        double low = 0, high = 10, s[4];
        for (int i = 0; i < 60; i++) {
            double middle = 0.5 * (low + high);
            shoot(table[e].alpha, middle, s);
            *(s[1] > 0 ? &high : &low) = middle;
        }
        CHECK_NEAR(s[3], table[e].w, 1e-5);
        CHECK_NEAR(1 - s[2], table[e].u, 1e-5);
    }
}

// ------------------------------------------------------------------------------------------------ the solid

// End positions of the bar with k cells over the depth, for every load of the table.
static bool bend(int k, double w[ENTRIES], double u[ENTRIES]) {
    lab b;
    const double size[3] = {length, depth, depth / k}, inertia = size[2] * depth * depth * depth / 12;
    const int cells[3] = {20 * k, k, 1};
    bool good = lab_context(&b) && sp_mesh_box(b.ctx, size, cells, 6, &b.mesh) == SP_OK;
    if (!good) return false;
    int n = sp_mesh_node_count(b.mesh), *all = malloc((size_t)n * sizeof *all);
    for (int i = 0; i < n; i++) all[i] = i;
    for (int e = 0; e < ENTRIES && good; e++) {
        sp_fix fix[2] = {{.axes = SP_AXES_ALL}, {all, n, SP_AXIS_Z, 0}};
        sp_load end = {.type = SP_LOAD_TRACTION};
        end.value[1] = sp_signal_constant(-table[e].alpha * young * inertia / (length * length * size[1] * size[2]));
        int *root = plane_nodes(b.mesh, 0, 0, &fix[0].count), *faces = plane_faces(b.mesh, 0, length, &end.count);
        fix[0].nodes = root, end.items = faces;
        sp_solid_def def = lab_solid(&b);
        def.material = (sp_material){.density = 1000, .young = young, .poisson = 0};
        def.tangent = SP_TANGENT_EXACT;
        def.fixes = fix, def.fix_count = 2;
        def.loads = &end, def.load_count = 1;
        def.integrator.type = SP_STATIC;
        def.integrator.iterations = 200;
        def.integrator.tolerance = 1e-5;
        def.solver.tolerance = 1e-4;
        def.solver.iterations = 20000;
        good = lab_world(&b, &def, 0) && lab_step(&b, 1) == SP_OK;
        sp_anchor anchor;
        double x[3] = {0};
        const double end_point[3] = {length, depth / 2, size[2] / 2};
        good = good && sp_world_anchor_point(b.world, b.body, end_point, &anchor) == SP_OK &&
               sp_world_anchor_get(b.world, &anchor, x, NULL) == SP_OK;
        w[e] = (depth / 2 - x[1]) / length, u[e] = 1 - x[0] / length;
        sp_body_info info = lab_info(&b);
        printf("  k = %d, alpha = %g: w %.4f u %.4f (%d newton, %d cg)\n", k, table[e].alpha, w[e], u[e],
               info.solve.newton_iterations, info.solve.linear_iterations);
        free(root), free(faces);
        sp_world_destroy(&b.world);
    }
    free(all);
    lab_close(&b);
    return good;
}

TEST(large_deflection) {
    double w[2][ENTRIES], u[2][ENTRIES];
    REQUIRE(bend(4, w[0], u[0]) && bend(8, w[1], u[1]));
    for (int e = 0; e < ENTRIES; e++) {
        double w_limit = w[1][e] + (w[1][e] - w[0][e]) / 3, u_limit = u[1][e] + (u[1][e] - u[0][e]) / 3;
        printf("  alpha = %g: w %.4f (published %.4f), u %.4f (published %.4f)\n", table[e].alpha, w_limit, table[e].w, u_limit,
               table[e].u);
        CHECK_NEAR(w_limit, table[e].w, 0.005);
        CHECK_NEAR(u_limit, table[e].u, 0.005);
        CHECK(fabs(table[e].alpha / 3 - table[e].w) > 0.03);  // small-deflection theory is distinguishable
    }
}
