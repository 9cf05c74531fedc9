// Corotational beams: balance, linear beam theory, and large bending against Euler's elastica.
#include "rod/beam.h"

#include <string.h>

#include "linear/banded.h"
#include "math/vec3.h"
#include "test.h"

enum { MOST = 64, BAND = 11, WIDTH = BAND + 1 };

static const double pi = 3.14159265358979323846;

typedef struct chain {
    int n;  // elements
    sp_beam_element e[MOST];
    sp_beam_node node[MOST + 1];
} chain;

static void straight(chain *c, int n, double length, double EI, double EA, double GJ) {
    c->n = n;
    for (int i = 0; i <= n; i++) c->node[i] = (sp_beam_node){.x = {length * i / n, 0, 0}, .quat = {1, 0, 0, 0}};
    for (int i = 0; i < n; i++) {
        c->e[i] = (sp_beam_element){.stretch = EA, .twist = GJ, .bend = {EI, EI}};
        sp__beam_rest(&c->e[i], &c->node[i], &c->node[i + 1]);
    }
}

// the full derivative of an element's forces, symmetric part, by differences
static void whole_tangent(const sp_beam_element *e, const sp_beam_node *a, const sp_beam_node *b, double K[144]) {
    for (int j = 0; j < 12; j++) {
        double v[12] = {0}, f[2][12] = {{0}}, h = 1e-5 * e->length;
        for (int side = 0; side < 2; side++) {
            sp_beam_node p, q;
            v[j] = side ? h : -h;
            sp__beam_move(a, 1, v, &p), sp__beam_move(b, 1, v + 6, &q);
            sp__beam_energy(e, &p, &q, f[side], NULL);
        }
        for (int i = 0; i < 12; i++) {
            double half = 0.5 * (f[0][i] - f[1][i]) / (2 * h);
            K[12 * i + j] += half, K[12 * j + i] += half;
        }
    }
}

// Newton's method on a chain clamped at its first node, with force and torque on its last one, in stages; a torque is not a
// gradient, so the full tangent need not be definite under it
static bool settle(chain *c, const double load[6], int stages, bool whole) {
    static double K[6 * (MOST + 1) * WIDTH], f[6 * (MOST + 1)];
    int size = 6 * (c->n + 1);
    double most = 1;
    for (int stage = 1; stage <= stages; stage++)
        for (int it = 0; it < 60 && (it == 0 || most > 1e-9); it++) {
            memset(K, 0, sizeof K), memset(f, 0, sizeof f);
            for (int i = 0; i < c->n; i++) {
                double Ke[144] = {0};
                sp__beam_energy(&c->e[i], &c->node[i], &c->node[i + 1], f + 6 * i, whole ? NULL : Ke);
                if (whole) whole_tangent(&c->e[i], &c->node[i], &c->node[i + 1], Ke);
                for (int r = 0; r < 12; r++)
                    for (int s = 0; s <= r; s++) *sp__banded_at(K, BAND, 6 * i + r, 6 * i + s) += Ke[12 * r + s];
            }
            for (int k = 0; k < 6; k++) f[size - 6 + k] += load[k] * stage / stages, f[k] = 0;
            for (int i = 0; i < 12; i++)
                for (int j = 0; j <= i && j < 6; j++) *sp__banded_at(K, BAND, i, j) = i == j;
            if (sp__banded_factor(K, size, BAND, 0) >= 0) return false;
            sp__banded_solve(K, size, BAND, f, f);
            most = 0;
            for (int i = 0; i < size; i++) most = fmax(most, fabs(f[i]));
            double share = fmin(1, 0.3 / most);
            for (int i = 0; i <= c->n; i++) sp__beam_move(&c->node[i], share, f + 6 * i, &c->node[i]);
        }
    return most <= 1e-9;
}

static sp_beam_node tilted(double x, double y, double z, double a, double b, double c) {
    double v[6] = {x, y, z, a, b, c};
    sp_beam_node n = {.quat = {1, 0, 0, 0}};
    sp__beam_move(&n, 1, v, &n);
    return n;
}

// forces and torques of one element in any shape sum to zero
TEST(balance) {
    sp_beam_element e = {.stretch = 100, .twist = 3, .bend = {2, 5}};
    sp_beam_node a = tilted(0, 0, 0, 0.1, 0, 0), b = tilted(1, 0, 0, 0, 0.2, -0.1);
    sp__beam_rest(&e, &a, &b);
    sp_beam_node c = tilted(0.2, 0.1, -0.3, 0.7, -0.2, 0.5), d = tilted(0.9, 0.6, 0.1, 0.5, 0.3, 0.9);
    double f[12] = {0}, force[3], torque[3], arm[3], lever[3];
    CHECK(sp__beam_energy(&e, &c, &d, f, NULL) > 0);
    sp__sub3(d.x, c.x, arm);
    sp__cross3(arm, f + 6, lever);
    for (int i = 0; i < 3; i++) {
        force[i] = f[i] + f[6 + i], torque[i] = f[3 + i] + f[9 + i] + lever[i];
        CHECK_NEAR(force[i], 0, 1e-14 * 100);
        CHECK_NEAR(torque[i], 0, 1e-14 * 100);
    }
    // at rest, with a rigid motion: zero
    double whole[6] = {0.3, -0.2, 0.5, 0.6, -1.1, 0.4}, R[9], place[3];
    sp_beam_node turned_a, turned_b, turn = {.quat = {1, 0, 0, 0}};
    sp__beam_move(&turn, 1, whole, &turn);
    sp__quat_matrix(turn.quat, R);
    const sp_beam_node *from[2] = {&a, &b};
    sp_beam_node *to[2] = {&turned_a, &turned_b};
    for (int k = 0; k < 2; k++) {
        sp__mul3(R, from[k]->x, place);
        for (int i = 0; i < 3; i++) to[k]->x[i] = place[i] + whole[i];
        sp__quat_mul(turn.quat, from[k]->quat, to[k]->quat);
    }
    CHECK(sp__beam_energy(&e, &turned_a, &turned_b, NULL, NULL) < 1e-26);
}

// the forces are the gradient of the energy in any shape, and K is their derivative where the strain is zero
TEST(derivatives) {
    sp_beam_element e = {.stretch = 100, .twist = 3, .bend = {2, 5}};
    sp_beam_node a = tilted(0, 0, 0, 0.3, -0.2, 0.1), b = tilted(1, 0.2, 0, 0.2, 0.2, -0.1);
    sp_beam_node c = tilted(0.2, 0.1, -0.3, 0.7, -0.2, 0.5), d = tilted(0.9, 0.6, 0.1, 0.5, 0.3, 0.9);
    sp__beam_rest(&e, &a, &b);
    double K[144] = {0}, g[12] = {0}, h = 1e-6;
    sp__beam_energy(&e, &a, &b, NULL, K);
    sp__beam_energy(&e, &c, &d, g, NULL);
    for (int j = 0; j < 12; j++) {
        double v[12] = {0}, f[2][12] = {{0}}, energy[2];
        for (int side = 0; side < 2; side++) {
            sp_beam_node p, q;
            v[j] = side ? h : -h;
            sp__beam_move(&a, 1, v, &p), sp__beam_move(&b, 1, v + 6, &q);
            sp__beam_energy(&e, &p, &q, f[side], NULL);
            sp__beam_move(&c, 1, v, &p), sp__beam_move(&d, 1, v + 6, &q);
            energy[side] = sp__beam_energy(&e, &p, &q, NULL, NULL);
        }
        CHECK_NEAR(g[j], (energy[0] - energy[1]) / (2 * h), 1e-8);  // rounding of energies near 5 over h
        for (int i = 0; i < 12; i++) {
            CHECK_NEAR(K[12 * i + j], (f[0][i] - f[1][i]) / (2 * h), 1e-7);
            CHECK_NEAR(K[12 * i + j], K[12 * j + i], 1e-13 * 100);
        }
    }
}

// P L^3 / 3 E I and M L^2 / 2 E I, exact with one element
TEST(small_bending) {
    chain c;
    straight(&c, 1, 2, 3, 1e6, 1);
    REQUIRE(settle(&c, (double[6]){0, 1e-4, 0, 0, 0, 0}, 1, false));
    CHECK_NEAR(c.node[1].x[1], 1e-4 * 8 / 9, 1e-9 * 1e-4 * 8);  // the square of an angle of 7e-5
    straight(&c, 1, 2, 3, 1e6, 1);
    REQUIRE(settle(&c, (double[6]){0, 0, 0, 0, 1e-4, 0}, 1, false));
    CHECK_NEAR(c.node[1].x[2], -1e-4 * 4 / 6, 1e-9 * 1e-4 * 8);
    straight(&c, 4, 2, 3, 1e6, 1);
    REQUIRE(settle(&c, (double[6]){0, 0, 0, 0.5, 0, 0}, 1, false));
    double R[9];
    sp__quat_matrix(c.node[4].quat, R);
    CHECK_NEAR(atan2(R[7], R[4]), 0.5 * 2 / 1, 1e-9);  // torque times length over G J
}

// a moment of 2 pi E I / L rolls a straight beam into a closed circle
TEST(roll_up) {
    chain c;
    straight(&c, 32, 1, 1, 1e5, 1);
    REQUIRE(settle(&c, (double[6]){0, 0, 0, 0, 0, 2 * pi}, 20, false));
    // each end rotates by pi/32 against its chord; the polygon through the nodes closes for any number of elements
    CHECK_NEAR(c.node[32].x[0], 0, 1e-3);
    CHECK_NEAR(c.node[32].x[1], 0, 1e-3);
    CHECK_NEAR(c.node[16].x[1], 1 / pi, 2e-3);  // the chord of an arc is 4e-4 shorter than the arc, which the beam does not model
}

// a tip load of 10 E I / L^2 (Mattiasson 1981): 0.81061 across and 0.55500 back, with second order in the elements
TEST(elastica) {
    double error[2];
    for (int fine = 0; fine < 2; fine++) {
        chain c;
        straight(&c, fine ? 32 : 16, 1, 1, 1e6, 1);
        REQUIRE(settle(&c, (double[6]){0, 10, 0, 0, 0, 0}, 10, true));
        const double *tip = c.node[c.n].x;
        error[fine] = hypot(tip[1] - 0.81061, tip[0] - (1 - 0.55500));
    }
    CHECK(error[1] < 1e-3);
    CHECK(log2(error[0] / error[1]) > 1.8);
}

// a point between the nodes: equal to the nodes at the ends, and its derivatives against differences
TEST(points_between_nodes) {
    sp_beam_element e = {.stretch = 1, .twist = 1, .bend = {1, 1}};
    sp_beam_node a = tilted(0, 0, 0, 0.3, -0.2, 0.1), b = tilted(1, 0.2, 0, 0.2, 0.2, -0.1);
    double x[3], J[36], h = 1e-6;
    sp__beam_rest(&e, &a, &b);
    sp__beam_point(&e, &a, &b, 0, x, NULL);
    for (int i = 0; i < 3; i++) CHECK(x[i] == a.x[i]);
    sp__beam_point(&e, &a, &b, 0.3, x, J);
    for (int j = 0; j < 12; j++) {
        double v[12] = {0}, y[2][3];
        for (int side = 0; side < 2; side++) {
            sp_beam_node p, q;
            v[j] = side ? h : -h;
            sp__beam_move(&a, 1, v, &p), sp__beam_move(&b, 1, v + 6, &q);
            sp__beam_point(&e, &p, &q, 0.3, y[side], NULL);
        }
        for (int i = 0; i < 3; i++) CHECK_NEAR(J[12 * i + j], (y[1][i] - y[0][i]) / (2 * h), 1e-9);
    }
}

// with the stress term the derivative of the forces is complete: its symmetric part against differences, at small and large
// rotations
TEST(stress) {
    sp_beam_element e = {.stretch = 100, .twist = 3, .bend = {2, 5}};
    sp_beam_node a = tilted(0, 0, 0, 0.3, -0.2, 0.1), b = tilted(1, 0.2, 0, 0.2, 0.2, -0.1);
    sp__beam_rest(&e, &a, &b);
    for (int k = 0; k < 4; k++) {
        double s = (double[]){1e-3, 0.1, 1, 1.6}[k], K[144] = {0}, D[144] = {0};
        sp_beam_node c = tilted(0.2 * s, 0.1 * s, -0.3 * s, 0.7 * s, -0.2 * s, 0.5 * s);
        sp_beam_node d = tilted(0.9, 0.6 * s, 0.1 * s, 0.5 * s, 0.3 * s, -0.6 * s);
        sp__beam_energy(&e, &c, &d, NULL, K);
        sp__beam_stress(&e, &c, &d, true, K);
        whole_tangent(&e, &c, &d, D);
        // h2/6 of a third derivative of the forces of some thousands, h = 1e-5
        for (int i = 0; i < 144; i++) CHECK_NEAR(K[i], D[i], 1e-7);
    }
}

// of the chord only: zero under compression, and no work in a rigid motion
TEST(tension) {
    sp_beam_element e = {.stretch = 100, .twist = 3, .bend = {2, 5}};
    sp_beam_node a = tilted(0, 0, 0, 0, 0, 0), b = tilted(1, 0, 0, 0, 0, 0);
    sp__beam_rest(&e, &a, &b);
    double K[144] = {0};
    b.x[0] = 0.9;
    sp__beam_stress(&e, &a, &b, false, K);
    for (int i = 0; i < 144; i++) CHECK(K[i] == 0);
    b.x[0] = 1.1;
    sp__beam_stress(&e, &a, &b, false, K);
    CHECK_NEAR(K[12 * 1 + 1], 10 / 1.1, 1e-12);
    CHECK_NEAR(K[12 * 7 + 1], -10 / 1.1, 1e-12);
    CHECK(K[0] == 0);
}

// the orientation between two nodes, and the term of a force at a point between them
TEST(frames) {
    sp_beam_element e = {.stretch = 1, .twist = 1, .bend = {1, 1}};
    sp_beam_node a = tilted(0, 0, 0, 0.3, -0.2, 0.1), b = tilted(1, 0.2, 0, 0.9, 1.2, -0.7);
    double R[9], J[36], K[144] = {0}, h = 1e-6, f[3] = {0.3, -2, 1.1}, Jx[36], x[3];
    sp__beam_rest(&e, &a, &b);
    sp__beam_frame(&a, &b, 0.3, R, J);
    CHECK_NEAR(sp__det3(R), 1, 1e-14);
    sp__beam_point(&e, &a, &b, 0.3, x, Jx);
    sp__beam_point_stress(&e, &a, &b, 0.3, f, K);
    for (int j = 0; j < 12; j++) {
        double v[12] = {0}, S[2][9], g[2][36], spin[9] = {0};
        for (int side = 0; side < 2; side++) {
            sp_beam_node p, q;
            v[j] = side ? h : -h;
            sp__beam_move(&a, 1, v, &p), sp__beam_move(&b, 1, v + 6, &q);
            sp__beam_frame(&p, &q, 0.3, S[side], NULL);
            sp__beam_point(&e, &p, &q, 0.3, x, g[side]);
        }
        // dR R^T = [w]x
        for (int i = 0; i < 9; i++)
            spin[i] = sp__dot3(S[1] + 3 * (i / 3), R + 3 * (i % 3)) - sp__dot3(S[0] + 3 * (i / 3), R + 3 * (i % 3));
        double w[3] = {spin[7] / (2 * h), spin[2] / (2 * h), spin[3] / (2 * h)};
        for (int i = 0; i < 3; i++) CHECK_NEAR(J[12 * i + j], w[i], 1e-9);
        for (int i = 0; i < 12; i++) {
            // minus f . d2x, and with the arguments exchanged: the derivative along rotations has a part that is not symmetric
            double pushed[2][3] = {{0}}, have = 0;
            for (int side = 0; side < 2; side++)
                for (int k = 0; k < 3; k++) pushed[side][k] = f[k] * g[side][12 * k + i];
            for (int k = 0; k < 3; k++) have -= (pushed[1][k] - pushed[0][k]) / (2 * h);
            if (i == j) CHECK_NEAR(K[12 * i + j], have, 1e-8);
            CHECK_NEAR(K[12 * i + j], K[12 * j + i], 1e-15);
        }
    }
    sp__beam_frame(&a, &b, 1, R, NULL);
    double Rb[9];
    sp__quat_matrix(b.quat, Rb);
    for (int i = 0; i < 9; i++) CHECK_NEAR(R[i], Rb[i], 1e-14);
}
