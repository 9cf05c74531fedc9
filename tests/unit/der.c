// Discrete elastic rods: gradient and Hessian against differences, invariance, and the same equilibrium as curvature coordinates.
#include "rod/der.h"

#include <string.h>

#include "linear/banded.h"
#include "math/rotation_vector.h"
#include "test.h"

enum { EDGES = 4, N = 4 * EDGES + 3, ALL = 8 * EDGES + 12, WIDTH = SP_DER_BAND + 1 };

typedef struct rod {
    sp_context *ctx;
    sp_der d;
    bool clamped;
    double q[ALL];
} rod;

// Reference frames of any polyline: the first director of the clamp transported along it. Angles are relative to these frames.
static void frame_along(int edges, const double clamp[9], double *q) {
    double t[3] = {clamp[0], clamp[3], clamp[6]}, a[3] = {clamp[1], clamp[4], clamp[7]}, next[3];
    memcpy(q + sp__der_clamp(edges), clamp, 9 * sizeof *q);
    for (int e = 0; e < edges; e++) {
        double *own = q + sp__der_director(edges, e);
        sp__sub3(q + sp__der_place(e + 1), q + sp__der_place(e), next);
        double length = sp__norm3(next);
        for (int k = 0; k < 3; k++) next[k] /= length;
        sp__transport3(a, t, next, own);
        double along = sp__dot3(own, next), size;
        sp__axpy3(own, -along, next, own), size = sp__norm3(own);
        for (int k = 0; k < 3; k++) own[k] /= size;
        q[sp__der_reference_twist(edges, e)] = 0;
        memcpy(t, next, sizeof t), memcpy(a, own, sizeof a);
    }
}

static void make(rod *k, bool half_cell) {
    static const double lengths[EDGES] = {0.3, 0.2, 0.25, 0.35};
    static const double curvature[3 * (EDGES + 1)] = {0.5, 1, -0.5, 0.2, 0.7, 0.3, -0.4, 0.2, 1, 0.1, -0.6, 0.4, 0, 0, 0};
    static const double clamp[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    sp_context_def def = sp_context_def_default();
    sp_der_edge edge[EDGES];
    *k = (rod){.clamped = half_cell};
    REQUIRE(sp_context_create(&def, &k->ctx) == SP_OK);
    REQUIRE(sp__der_init(k->ctx, EDGES, &k->d) == SP_OK);
    // different sections
    for (int e = 0; e < EDGES; e++)
        edge[e] = (sp_der_edge){.length = lengths[e], .stretch = 7 + e, .bend = {2, 3 - 0.5 * e}, .twist = 1.3 + 0.2 * e};
    sp__der_rest(&k->d, edge, curvature);
    double x = 0;
    for (int i = 0; i <= EDGES; i++) {
        k->q[4 * i] = x + 0.02 * sin(3 * i), k->q[4 * i + 1] = 0.15 * sin(2.1 * i), k->q[4 * i + 2] = 0.1 * cos(1.3 * i) - 0.1;
        if (i < EDGES) k->q[4 * i + 3] = 0.4 * sin(5 * i + 1), x += lengths[i];
    }
    frame_along(EDGES, clamp, k->q);
    REQUIRE(sp__der_update_kinematics(&k->d, k->q));
}

static void drop(rod *k) {
    sp__der_free(&k->d);
    sp_context_destroy(&k->ctx);
}

static double energy_at(rod *k, const double *q) {
    CHECK(sp__der_update_kinematics(&k->d, q));
    return sp__der_energy(&k->d, k->clamped, true, NULL, NULL);
}

static double energy_near(rod *k, int i, double a, int j, double b) {
    double q[ALL], v[N] = {0};
    v[i] += a, v[j] += b;
    sp__der_move(EDGES, k->q, 1, v, q);
    return energy_at(k, q);
}

// Differences of the energy, not of the gradient: the gradient of a neighbouring state uses frames transported from there, and on
// a sphere the result depends on the path.
static void check_derivatives(bool half_cell) {
    rod k;
    make(&k, half_cell);
    double g[N] = {0}, H[WIDTH * N] = {0}, h = 1e-5, w = 1e-4;
    sp__der_energy(&k.d, half_cell, true, g, H);
    for (int i = 0; i < N; i++) {
        // h2/6 of a third derivative of some thousands (1/edge^3), and rounding over h
        CHECK_NEAR(g[i], (energy_near(&k, i, h, i, 0) - energy_near(&k, i, -h, i, 0)) / (2 * h), 2e-7);
        for (int j = 0; j <= i; j++) {
            double have = i - j <= SP_DER_BAND ? H[WIDTH * i + j - i + SP_DER_BAND] : 0;
            double second = energy_near(&k, i, w, j, w) - energy_near(&k, i, w, j, -w) - energy_near(&k, i, -w, j, w) +
                            energy_near(&k, i, -w, j, -w);
            // w2/6 of a fourth derivative of some ten thousands, and 1e-15 of an energy near 10 over w2
            CHECK_NEAR(have, second / (4 * w * w), 2e-3);
        }
    }
    drop(&k);
}

TEST(derivatives) {
    check_derivatives(false);
}

TEST(derivatives_with_half_a_cell) {
    check_derivatives(true);
}

// a rigid motion of the rod with its frames: the same energy
TEST(rigid_motion) {
    rod k;
    make(&k, false);
    double turn[4] = {0.7, 0.1, -0.5, 0.5}, R[9], q[ALL], before = energy_at(&k, k.q), norm = 0;
    for (int i = 0; i < 4; i++) norm += turn[i] * turn[i];
    for (int i = 0; i < 4; i++) turn[i] /= sqrt(norm);
    sp__quat_matrix(turn, R);
    memcpy(q, k.q, sizeof q);
    for (int i = 0; i <= EDGES; i++) {
        sp__mul3(R, k.q + 4 * i, q + 4 * i);
        q[4 * i + 1] += 3;
    }
    for (int e = 0; e < EDGES; e++) {
        int at = sp__der_director(EDGES, e);
        sp__mul3(R, k.q + at, q + at);
    }
    CHECK_NEAR(energy_at(&k, q), before, 1e-13 * before * 10);
    drop(&k);
}

// after transport there and back, frames are unchanged; a rotation of the whole polyline in small steps adds no twist
TEST(frames_are_transported_without_twist) {
    rod k;
    make(&k, false);
    double q[ALL], v[N] = {0};
    v[9] = 0.03;
    sp__der_move(EDGES, k.q, 1, v, q);
    CHECK(fabs(q[sp__der_director(EDGES, 1)] - k.q[sp__der_director(EDGES, 1)]) > 1e-3);
    sp__der_move(EDGES, q, -1, v, q);
    for (int i = 0; i < ALL; i++) CHECK_NEAR(q[i], k.q[i], 1e-14);
    // without a step no bit changes
    sp__der_move(EDGES, k.q, 0, v, q);
    CHECK(memcmp(q, k.q, sizeof q) == 0);
    for (int e = 0; e < EDGES; e++) {
        double R[9];
        sp__der_material(&k.d, e, R);
        CHECK_NEAR(sp__det3(R), 1, 1e-14);
    }
    drop(&k);
}

// at the rest shape the energy is zero: a planar arc whose natural curvature is that of the polyline (K1 = 2 tan of half the
// angle)
TEST(at_rest) {
    rod k;
    make(&k, false);
    double x[2] = {0, 0}, angle = 0;
    for (int i = 0; i <= EDGES; i++) {
        memset(k.q + 4 * i, 0, (i < EDGES ? 4 : 3) * sizeof *k.q);
        k.q[4 * i] = x[0], k.q[4 * i + 1] = x[1];
        if (i == EDGES) break;
        if (i > 0) angle += 0.3;
        // along the angle, from this node on
        x[0] += k.d.chord[i] * cos(angle), x[1] += k.d.chord[i] * sin(angle);
        k.d.natural[3 * i] = i > 0 ? 2 * tan(0.15) : 0, k.d.natural[3 * i + 1] = k.d.natural[3 * i + 2] = 0;
    }
    frame_along(EDGES, (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, k.q);
    double g[N] = {0};
    CHECK(energy_at(&k, k.q) < 1e-28);
    sp__der_energy(&k.d, false, true, g, NULL);
    for (int i = 0; i < N; i++) CHECK_NEAR(g[i], 0, 1e-13);
    drop(&k);
}

// a natural curve, twisted by more than a turn in each edge: the polyline along it has no strain, for any position of its root,
// and all of the turns are counted
TEST(along_its_natural_curve) {
    rod k;
    make(&k, true);
    static const double curvature[3 * (EDGES + 1)] = {30, 1, 2, 25, 0.5, 2, 20, 0, 1, 25, 1, 1, 30, 1, 0};
    const sp_curve_frame root = {{1, 2, 3}, {0, -1, 0, 1, 0, 0, 0, 0, 1}};
    sp_der_edge edge[EDGES];
    for (int e = 0; e < EDGES; e++) edge[e] = (sp_der_edge){.length = 0.25, .stretch = 7, .bend = {2, 3}, .twist = 1.3};
    sp__der_rest(&k.d, edge, curvature);
    sp__der_bend(&k.d, edge, &root, curvature, k.q);
    CHECK(energy_at(&k, k.q) < 1e-26);  // 1e-14 of a twist near 7 rad, squared
    double g[N] = {0}, turns = 0;
    sp__der_energy(&k.d, true, true, g, NULL);
    for (int i = 0; i < N; i++) CHECK_NEAR(g[i], 0, 1e-11);
    for (int e = 0; e < EDGES; e++) turns += k.d.node[e].strain[2];
    // the integral of the twist up to the middle of the last edge; frames aligned with chords differ slightly
    CHECK_NEAR(turns, 0.25 * (27.5 + 22.5 + 22.5) + 0.125 * 26.25, 0.1);
    // the clamp rotated by a quarter turn about its tangent: the twist behind it decreases by the same amount
    static const double quarter[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    double before = k.d.node[0].strain[2];
    sp__der_rotate_clamp(EDGES, quarter, k.q);
    REQUIRE(sp__der_update_kinematics(&k.d, k.q));
    CHECK_NEAR(k.d.node[0].strain[2], before - acos(-1) / 2, 0.2);
    drop(&k);
}

// ------------------------------------------------------------------------------------------------ statics

// a rod of weight 30 EI/L^2 hanging from a horizontal clamp, in units of L and EI; returns the equilibrium position of its tip
static void hang(int edges, bool half_cell, double tip[3]) {
    enum { MOST = 8 * 128 + 12 };
    static double q[MOST], g[MOST], H[WIDTH * MOST], none[3 * 129];
    static sp_der_edge edge[128];
    sp_context *ctx;
    sp_der d;
    sp_context_def def = sp_context_def_default();
    // axial stiffness of a radius of 0.7% of the length: stretch takes 1e-3 of the work of the weight at most
    for (int i = 0; i < edges; i++)
        edge[i] = (sp_der_edge){.length = 1.0 / edges, .stretch = 1e5, .bend = {1, 1}, .twist = 2.0 / 3};
    static const double clamp[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
    REQUIRE(sp__der_init(ctx, edges, &d) == SP_OK);
    sp__der_rest(&d, edge, none);
    memset(q, 0, sizeof q);
    for (int i = 0; i <= edges; i++) q[4 * i] = (double)i / edges;
    frame_along(edges, clamp, q);
    int n = sp__der_unknowns(edges), held = half_cell ? 3 : 8;
    for (int it = 0; it < 200; it++) {
        double weight = 30 * fmin(1, (it + 1) / 40.0), most = 0;
        memset(g, 0, sizeof g), memset(H, 0, sizeof H);
        REQUIRE(sp__der_update_kinematics(&d, q));
        sp__der_energy(&d, half_cell, true, g, H);
        for (int i = 0; i <= edges; i++) g[4 * i + 1] += weight / edges * (i == 0 || i == edges ? 0.5 : 1);
        // fixed unknowns become unit rows: position of the root, and with a clamped edge also the next position and the angle
        // between
        for (int i = 0; i < n; i++)
            for (int j = i > SP_DER_BAND ? i - SP_DER_BAND : 0; j <= i; j++)
                if (j < held || i < held) *sp__banded_at(H, SP_DER_BAND, i, j) = i == j;
        for (int i = 0; i < held; i++) g[i] = 0;
        // a pivot below zero: the load is too large for a tangent that is not convex, a shift of the diagonal helps
        for (int i = held; i < n; i++) *sp__banded_at(H, SP_DER_BAND, i, i) += it < 60 ? 1 : 0;
        REQUIRE(sp__banded_factor(H, n, SP_DER_BAND, 0) == -1);
        sp__banded_solve(H, n, SP_DER_BAND, g, g);
        for (int i = 0; i < n; i++) most = fmax(most, fabs(g[i]));
        double share = fmin(1, 0.1 / (most + 1e-300));  // at most a tenth of the rod at once
        sp__der_move(edges, q, -share, g, q);
        if (it > 60 && most < 1e-12) break;
    }
    memcpy(tip, q + 4 * edges, 3 * sizeof *tip);
    sp__der_free(&d);
    sp_context_destroy(&ctx);
}

// first order where an edge is clamped, second with half a cell; compared with the tip of curvature coordinates
TEST(hanging_rod) {
    static const double tip[3] = {0.342764, -0.873092, 0};
    double error[2][2];
    for (int half = 0; half < 2; half++)
        for (int fine = 0; fine < 2; fine++) {
            double x[3], d[3];
            hang(fine ? 64 : 32, half, x);
            sp__sub3(x, tip, d);
            error[half][fine] = sp__norm3(d);
        }
    CHECK(error[0][1] < 0.04 && fabs(log2(error[0][0] / error[0][1]) - 1) < 0.15);
    // the stretch of the upper part, 30/1e5 = 3e-4, disturbs a clean second order
    CHECK(error[1][1] < 1e-3 && log2(error[1][0] / error[1][1]) > 1.4);
}
