// The matrix that benches factor is the elasticity matrix of a mesh at rest.
#include "../../bench/rest_matrix.c"

#include "test.h"

static const int cells[3] = {4, 2, 2}, ring[2] = {8, 1};

// v . A v for a rigid velocity: along an axis, or rotating about it
static double quotient(const sp_rest_matrix *m, int axis, bool turn) {
    int rows = m->A.view.n;
    double *v = calloc((size_t)rows, 3 * sizeof *v), *y = calloc((size_t)rows, 3 * sizeof *y), vAv = 0;
    for (int i = 0; i < rows && v; i++) {
        const double *x = m->points + 3 * i;
        if (turn) {
            v[3 * i + (axis + 1) % 3] = -x[(axis + 2) % 3];
            v[3 * i + (axis + 2) % 3] = x[(axis + 1) % 3];
        } else
            v[3 * i + axis] = 1;
    }
    sp__symmetric_mul(&m->A.view, v, y);
    for (int i = 0; i < 3 * rows; i++) vAv += v[i] * y[i];
    free(v), free(y);
    return vAv;
}

TEST(rigid_motion_sees_only_the_mass) {
    sp_rest_matrix m;
    double total = 0;
    REQUIRE(sp__rest_torus(1, ring, &m) == SP_OK);
    CHECK_INT(m.tets, 8 * 4 * 6);
    double moved = quotient(&m, 0, false);
    for (int i = 0; i < m.A.view.n; i++) total += sp__symmetric_block(&m.A.view, m.A.view.row_start[i])[0];
    CHECK_NEAR(moved, 20 * sp_mesh_volume(m.mesh), 1e-12);  // kg of about 1; rounding of the sums
    CHECK(total > moved);                                   // the diagonal contains stiffness too
    // rotation: the inertia of the lumped masses, and nothing of K
    double turned = quotient(&m, 1, true), inertia = 0;
    const int *t = sp_mesh_tets(m.mesh);
    for (int e = 0; e < m.tets; e++, t += 4) {
        double g[4][3], mass = 5 * element_gradients(&m, e, g);
        for (int c = 0; c < 4; c++) {
            const double *x = m.points + 3 * m.row[t[c]];
            inertia += mass * (x[0] * x[0] + x[2] * x[2]);
        }
    }
    CHECK_NEAR(turned, inertia, 1e-12 * inertia + 1e-14);  // rounding; h^2 K is about as large as M here
    sp__rest_close(&m);
}

TEST(a_stretched_bar_stores_its_energy) {
    sp_rest_matrix m;
    REQUIRE(sp__rest_torus(1, ring, &m) == SP_OK);
    // u = x in x only: energy V (lambda + 2 mu) / 2 for any mesh, because the strain is uniform
    int rows = m.A.view.n;
    double *u = calloc((size_t)rows, 3 * sizeof *u), *y = calloc((size_t)rows, 3 * sizeof *y), uAu = 0, uMu = 0;
    for (int i = 0; i < rows; i++) u[3 * i] = m.points[3 * i];
    sp__symmetric_mul(&m.A.view, u, y);
    for (int i = 0; i < 3 * rows; i++) uAu += u[i] * y[i];
    const int *t = sp_mesh_tets(m.mesh);
    for (int e = 0; e < m.tets; e++, t += 4) {
        double g[4][3], mass = 5 * element_gradients(&m, e, g);
        for (int c = 0; c < 4; c++) uMu += mass * u[3 * m.row[t[c]]] * u[3 * m.row[t[c]]];
    }
    double mu = 50 / (2 * 1.45), lambda = 50 * 0.45 / (1.45 * 0.1);
    double wanted = m.h * m.h * (lambda + 2 * mu) * sp_mesh_volume(m.mesh);
    CHECK_NEAR(uAu - uMu, wanted, 1e-11 * (uAu + wanted));  // difference of two sums of hundreds
    free(u), free(y);
    sp__rest_close(&m);
}

TEST(removed_part_equals_the_product_of_its_roots) {
    sp_rest_matrix m;
    REQUIRE(sp__rest_beam(1, cells, &m) == SP_OK);
    CHECK_INT(m.A.view.n, 4 * 9);  // the clamped face is excluded
    int order[96], rows[64], count = 4;
    double factor[96], most = 0, *W = calloc(3 * 16 * 24, sizeof *W);
    REQUIRE(m.tets == 96 && W && sp__rest_patch(&m, 22, order) == SP_OK);
    for (int e = 0; e < 96; e++) factor[e] = 1;
    for (int e = 0; e < count; e++) factor[order[e]] = 0;
    sp__rest_fill(&m, factor, m.other);
    int row_count = sp__rest_rows(&m, count, order, rows);
    REQUIRE(row_count <= 16);
    sp__rest_roots(&m, count, order, row_count, rows, W);
    sp_symmetric less = sp__rest_with(&m, m.other);
    for (int i = 0; i < row_count; i++)
        for (int j = i; j < row_count; j++) {
            int k = sp__symmetric_find(&m.A.view, rows[i], rows[j]);
            for (int e = 0; e < 9; e++) {
                double sum = 0;
                for (int c = 0; c < 24; c++) sum += W[(3 * i + e / 3) * 24 + c] * W[(3 * j + e % 3) * 24 + c];
                double gone = k < 0 ? 0 : sp__symmetric_block(&m.A.view, k)[e] - sp__symmetric_block(&less, k)[e];
                most = fmax(most, fabs(sum));
                CHECK_NEAR(gone, sum, 1e-13);  // entries of A are below 1; rounding of their sums
            }
        }
    CHECK(most > 1e-3);
    free(W);
    sp__rest_close(&m);
}

TEST(a_patch_grows_from_its_node_to_the_whole_mesh) {
    sp_rest_matrix m;
    int order[96], seen[96] = {0};
    REQUIRE(sp__rest_beam(1, cells, &m) == SP_OK && sp__rest_patch(&m, 0, order) == SP_OK);
    const int *t = sp_mesh_tets(m.mesh) + 4 * order[0];
    CHECK(t[0] == 0 || t[1] == 0 || t[2] == 0 || t[3] == 0);
    for (int i = 0; i < 96; i++) seen[order[i]]++;
    for (int i = 0; i < 96; i++) CHECK_INT(seen[i], 1);
    sp__rest_close(&m);
}

TEST(backward_error_of_a_wrong_answer) {
    sp_rest_matrix m;
    REQUIRE(sp__rest_beam(1, cells, &m) == SP_OK);
    int n = 3 * m.A.view.n;
    double *x = calloc((size_t)(3 * n), sizeof *x), *b = x + n, *scratch = b + n;
    for (int i = 0; i < n; i++) x[i] = 1 + i % 3;
    sp__symmetric_mul(&m.A.view, x, b);
    CHECK_NEAR(sp__backward_error(&m.A.view, x, b, scratch), 0, 0);
    b[5] += 1;
    double error = sp__backward_error(&m.A.view, x, b, scratch);
    CHECK(error > 1e-3 && error < 1);
    free(x);
    sp__rest_close(&m);
}
