// Written by tools/laws.py: change the energy densities there. Energy densities of laws [J/m3 of the rest shape] as
// functions of d1 = I1 - 3 - 2 (J - 1), d2 = I2 - 3 - 4 (J - 1) and j = J - 1, and their derivatives:
//     W = {psi, by d1, d2, j, by d1 d1, d2 d2, j j, d1 d2, d2 j, d1 j}
// or, for isochoric laws, as functions of b1 = Ibar1 - 3 and b2 = Ibar2 - 3:
//     W = {psi, by b1, b2, by b1 b1, b2 b2, b1 b2};   volume: {U, U', U''} by j
// or, for costa (kernels/costa.h), as functions of the quadratic form q of the strain and j:
//     W = {psi, by q, j, by q q, j j, q j}
#ifndef SP_LAWS_H
#define SP_LAWS_H

#include "kernels/functions.h"
#include "kernels/law.h"

// clang-format off

// Saint-Venant and Kirchhoff: mu tr E^2 + lambda/2 (tr E)^2
SP_POINTWISE void law_stvk(const sp_lane *p, sp_lane d1, sp_lane d2, sp_lane j, sp_lane *W) {
    sp_lane mu = p[0];
    sp_lane lambda = p[1];
    sp_lane x0 = (d1 + 2 * j) * (d1 + 2 * j);
    sp_lane x1 = SP_RATIO(1, 8) * lambda;
    sp_lane x2 = 4 * d1;
    sp_lane x3 = SP_RATIO(1, 4) * mu;
    sp_lane x4 = 2 * d1 + 4 * j;
    sp_lane x5 = SP_RATIO(1, 2) * mu;
    sp_lane x6 = 8 * j + x2;
    W[0] = x0 * x1 + x3 * (-2 * d2 + x0 + x2);
    W[1] = x1 * x4 + x3 * (x4 + 4);
    W[2] = -x5;
    W[3] = x1 * x6 + x3 * x6;
    W[4] = SP_RATIO(1, 4) * lambda + x5;
    W[5] = lane_all(0);
    W[6] = lambda + 2 * mu;
    W[7] = lane_all(0);
    W[8] = lane_all(0);
    W[9] = SP_RATIO(1, 2) * lambda + mu;
}

// Smith, De Goes and Kim 2018, eq. 14: m/2 (I1 - 3) - m/2 ln(I1 + 1) + l/2 (J - 1 - 3 m / (4 l))^2 plus a constant, with m = 4/3
// mu and l = lambda + 5/6 mu, which make it Hooke's law at small strains
SP_POINTWISE void law_stable(const sp_lane *p, sp_lane d1, sp_lane d2, sp_lane j, sp_lane *W) {
    sp_lane mu = p[0];
    sp_lane lambda = p[1];
    sp_lane f0 = 1 / (1 + SP_RATIO(1, 4) * d1 + SP_RATIO(1, 2) * j);
    sp_lane f1 = lane_log1p_rest(SP_RATIO(1, 4) * d1 + SP_RATIO(1, 2) * j);
    sp_lane x0 = SP_RATIO(1, 2) * mu;
    sp_lane x1 = SP_RATIO(1, 2) * lambda + SP_RATIO(5, 12) * mu;
    sp_lane x2 = SP_RATIO(1, 4) * d1 + SP_RATIO(1, 2) * j;
    sp_lane x3 = f0 * mu;
    sp_lane x4 = SP_RATIO(1, 6) * x3;
    sp_lane x5 = mu * x2 * f0 * f0;
    W[0] = d1 * x0 + SP_RATIO(2, 3) * f1 * mu + x1 * j * j;
    W[1] = x0 + x2 * x4;
    W[2] = lane_all(0);
    W[3] = 2 * j * x1 + SP_RATIO(1, 3) * x2 * x3;
    W[4] = SP_RATIO(1, 24) * f0 * mu - SP_RATIO(1, 24) * x5;
    W[5] = lane_all(0);
    W[6] = lambda + SP_RATIO(5, 6) * mu + x4 - SP_RATIO(1, 6) * x5;
    W[7] = lane_all(0);
    W[8] = lane_all(0);
    W[9] = SP_RATIO(1, 12) * f0 * mu - SP_RATIO(1, 12) * x5;
    (void)d2;
}

// Bonet and Wood 2008, eq. 6.27: mu/2 (I1 - 3) - mu ln J + lambda/2 ln^2 J
SP_POINTWISE void law_log(const sp_lane *p, sp_lane d1, sp_lane d2, sp_lane j, sp_lane *W) {
    sp_lane mu = p[0];
    sp_lane lambda = p[1];
    sp_lane f0 = 1 / (1 + j);
    sp_lane f1 = lane_log1p(j);
    sp_lane f2 = lane_log1p_rest(j);
    sp_lane x0 = SP_RATIO(1, 2) * mu;
    sp_lane x1 = f0 * f0;
    W[0] = d1 * x0 + SP_RATIO(1, 2) * lambda * f1 * f1 + f2 * mu;
    W[1] = x0;
    W[2] = lane_all(0);
    W[3] = f0 * f1 * lambda + f0 * j * mu;
    W[4] = lane_all(0);
    W[5] = lane_all(0);
    W[6] = f0 * mu - f1 * lambda * x1 - j * mu * x1 + lambda * x1;
    W[7] = lane_all(0);
    W[8] = lane_all(0);
    W[9] = lane_all(0);
    (void)d2;
}

// b1 = Ibar1 - 3 with its derivatives by d1, j, d1 j, j j; b2 = Ibar2 - 3 by d2, j, d2 j, j j
SP_POINTWISE void law_bars(sp_lane d1, sp_lane d2, sp_lane j, sp_lane *b) {
    sp_lane f0 = lane_expm1(lane_log1p(j) / 3);
    sp_lane f1 = lane_exp(lane_log1p(j) / -3);
    sp_lane x0 = f1 * f1;
    sp_lane x1 = f0 * f0;
    sp_lane x2 = 2 * f0;
    sp_lane x3 = x2 + 3;
    sp_lane x4 = d1 + x1 * x3;
    sp_lane x5 = f1 * f1 * f1 * f1 * f1;
    sp_lane x6 = SP_RATIO(2, 3) * x5;
    sp_lane x7 = SP_RATIO(2, 3) * x0;
    sp_lane x8 = f0 * x3;
    sp_lane x9 = x1 * x7 + x7 * x8;
    sp_lane x10 = SP_RATIO(4, 3) * x5;
    sp_lane x11 = f1 * f1 * f1 * f1;
    sp_lane x12 = SP_RATIO(4, 9) * x5;
    sp_lane x13 = 8 * f0 + 3 * x1 + 6;
    sp_lane x14 = d2 - x1 * x13;
    sp_lane x15 = f1 * f1 * f1 * f1 * f1 * f1 * f1;
    sp_lane x16 = SP_RATIO(4, 3) * x15;
    sp_lane x17 = x0 * x2 + SP_RATIO(8, 3) * x0;
    sp_lane x18 = -f0 * x13 * x7 - x1 * x17;
    b[0] = x0 * x4;
    b[1] = x0;
    b[2] = x0 * x9 - x4 * x6;
    b[3] = -x6;
    b[4] = SP_RATIO(10, 9) * x4 * f1 * f1 * f1 * f1 * f1 * f1 * f1 * f1 + x0 * (SP_RATIO(8, 9) * f0 * x11 - x1 * x12 + SP_RATIO(2,
        9) * x11 * x3 - x12 * x8) - x10 * x9;
    b[5] = x11 * x14;
    b[6] = x11;
    b[7] = x11 * x18 - x14 * x16;
    b[8] = -x16;
    b[9] = SP_RATIO(28, 9) * x14 * f1 * f1 * f1 * f1 * f1 * f1 * f1 * f1 * f1 * f1 + x11 * (-SP_RATIO(4, 3) * f0 * x0 * x17 +
        SP_RATIO(4, 9) * f0 * x13 * x5 - x1 * (-f0 * x10 + SP_RATIO(2, 3) * x11 - SP_RATIO(16, 9) * x5) - SP_RATIO(2, 9) * x11 *
        x13) - SP_RATIO(8, 3) * x15 * x18;
}

// mu/2 (Ibar1 - 3)
SP_POINTWISE void law_isochoric(const sp_lane *p, sp_lane b1, sp_lane b2, sp_lane *W) {
    sp_lane mu = p[0];
    sp_lane x0 = SP_RATIO(1, 2) * mu;
    W[0] = b1 * x0;
    W[1] = x0;
    W[2] = lane_all(0);
    W[3] = lane_all(0);
    W[4] = lane_all(0);
    W[5] = lane_all(0);
    (void)b2;
}

// Mooney 1940, Rivlin 1948: c10 (Ibar1 - 3) + c01 (Ibar2 - 3)
SP_POINTWISE void law_mooney_rivlin(const sp_lane *p, sp_lane b1, sp_lane b2, sp_lane *W) {
    sp_lane c10 = p[0];
    sp_lane c01 = p[1];
    W[0] = b1 * c10 + b2 * c01;
    W[1] = c10;
    W[2] = c01;
    W[3] = lane_all(0);
    W[4] = lane_all(0);
    W[5] = lane_all(0);
}

// Arruda and Boyce 1993: mu sum C_i / N^(i - 1) (Ibar1^i - 3^i), five terms
SP_POINTWISE void law_arruda_boyce(const sp_lane *p, sp_lane b1, sp_lane b2, sp_lane *W) {
    sp_lane mu = p[0];
    sp_lane r = p[1];
    sp_lane x0 = r * r;
    sp_lane x1 = r * r * r;
    sp_lane x2 = r * r * r * r;
    sp_lane x3 = b1 * x2;
    sp_lane x4 = SP_RATIO(19, 7000) * x1 + SP_RATIO(1557, 134750) * x2;
    sp_lane x5 = b1 * (SP_RATIO(519, 673750) * x3 + x4);
    sp_lane x6 = SP_RATIO(11, 1050) * x0 + SP_RATIO(57, 1750) * x1 + SP_RATIO(4671, 67375) * x2 + x5;
    sp_lane x7 = b1 * x6 + SP_RATIO(1, 20) * r + SP_RATIO(33, 350) * x0 + SP_RATIO(513, 3500) * x1 + SP_RATIO(14013, 67375) * x2;
    sp_lane x8 = mu * (b1 * x7 + SP_RATIO(3, 10) * r + SP_RATIO(99, 350) * x0 + SP_RATIO(513, 1750) * x1 + SP_RATIO(42039, 134750)
        * x2 + SP_RATIO(1, 2));
    sp_lane x9 = b1 * (SP_RATIO(519, 336875) * x3 + x4);
    sp_lane x10 = mu * (b1 * (x6 + x9) + x7);
    W[0] = b1 * x8;
    W[1] = b1 * x10 + x8;
    W[2] = lane_all(0);
    W[3] = b1 * mu * (b1 * (SP_RATIO(19, 3500) * x1 + SP_RATIO(1557, 67375) * x2 + SP_RATIO(1557, 336875) * x3) + SP_RATIO(11,
        525) * x0 + SP_RATIO(57, 875) * x1 + SP_RATIO(9342, 67375) * x2 + 2 * x5 + 2 * x9) + 2 * x10;
    W[4] = lane_all(0);
    W[5] = lane_all(0);
    (void)b2;
}

// Veronda and Westmann 1970: c1 (exp(c2 (Ibar1 - 3)) - 1) - c1 c2 / 2 (Ibar2 - 3)
SP_POINTWISE void law_veronda_westmann(const sp_lane *p, sp_lane b1, sp_lane b2, sp_lane *W) {
    sp_lane c1 = p[0];
    sp_lane c2 = p[1];
    sp_lane f0 = lane_exp(b1 * c2);
    sp_lane f1 = lane_expm1(b1 * c2);
    sp_lane x0 = c1 * c2;
    sp_lane x1 = SP_RATIO(1, 2) * x0;
    W[0] = -b2 * x1 + c1 * f1;
    W[1] = f0 * x0;
    W[2] = -x1;
    W[3] = c1 * f0 * c2 * c2;
    W[4] = lane_all(0);
    W[5] = lane_all(0);
}

// k/2 ln^2 J
SP_POINTWISE void volume_log(sp_lane bulk, sp_lane j, sp_lane *W) {
    sp_lane f0 = 1 / (1 + j);
    sp_lane f1 = lane_log1p(j);
    sp_lane x0 = f0 * f0;
    W[0] = SP_RATIO(1, 2) * bulk * f1 * f1;
    W[1] = bulk * f0 * f1;
    W[2] = -bulk * f1 * x0 + bulk * x0;
}

// k/2 (J - 1)^2
SP_POINTWISE void volume_quadratic(sp_lane bulk, sp_lane j, sp_lane *W) {
    W[0] = SP_RATIO(1, 2) * bulk * j * j;
    W[1] = bulk * j;
    W[2] = bulk;
}

// k/2 ((J^2 - 1) / 2 - ln J)
SP_POINTWISE void volume_mixed(sp_lane bulk, sp_lane j, sp_lane *W) {
    sp_lane f0 = 1 / (1 + j);
    sp_lane f1 = lane_log1p_rest(j);
    sp_lane x0 = SP_RATIO(1, 2) * bulk;
    W[0] = x0 * (f1 + SP_RATIO(1, 2) * j * j);
    W[1] = x0 * (f0 * j + j);
    W[2] = x0 * (-j * f0 * f0 + f0 + 1);
}

// the energy of a change of volume that p asks for
SP_POINTWISE void law_volume(const sp_lane *p, sp_lane j, sp_lane *U) {
    sp_lane kind = p[SP_LAW_VOLUME], log[3], quadratic[3], mixed[3];
    volume_log(p[SP_LAW_BULK], j, log);
    volume_quadratic(p[SP_LAW_BULK], j, quadratic);
    volume_mixed(p[SP_LAW_BULK], j, mixed);
    for (int i = 0; i < 3; i++) {
        U[i] = mixed[i];
        U[i] = SP_SELECT(kind == (sp_real)SP_LAW_VOLUME_LOG, log[i], U[i]);
        U[i] = SP_SELECT(kind == (sp_real)SP_LAW_VOLUME_QUADRATIC, quadratic[i], U[i]);
    }
}

// adds the penalty k/2 (J - 1)^2 that p asks for to an energy and its first and second derivative by j
SP_POINTWISE void law_penalty(const sp_lane *p, sp_lane j, sp_lane *energy, sp_lane *first, sp_lane *second) {
    sp_lane U[3];
    if (!lane_any(p[SP_LAW_BULK] > 0)) return;
    volume_quadratic(p[SP_LAW_BULK], j, U);
    *energy += U[0], *first += U[1], *second += U[2];
}

// W of an isochoric law and a change of volume by d1, d2, j from their derivatives by b1, b2 and by j
SP_POINTWISE void law_chain(const sp_lane *b, const sp_lane *V, const sp_lane *U, sp_lane *W) {
    W[0] = V[0] + U[0];
    W[1] = V[1] * b[1];
    W[2] = V[2] * b[6];
    W[3] = V[1] * b[2] + V[2] * b[7] + U[1];
    W[4] = V[3] * b[1] * b[1];
    W[5] = V[4] * b[6] * b[6];
    W[6] = V[3] * b[2] * b[2] + 2 * V[5] * b[2] * b[7] + V[4] * b[7] * b[7] + V[1] * b[4] + V[2] * b[9] + U[2];
    W[7] = V[5] * b[1] * b[6];
    W[8] = b[6] * (V[4] * b[7] + V[5] * b[2]) + V[2] * b[8];
    W[9] = b[1] * (V[3] * b[2] + V[5] * b[7]) + V[1] * b[3];
}

// W of any law on invariants
SP_POINTWISE void law_invariants(sp_law law, const sp_lane *p, sp_lane d1, sp_lane d2, sp_lane j, sp_lane *W) {
    if (law == SP_LAW_STVK) {
        law_stvk(p, d1, d2, j, W);
        law_penalty(p, j, W, W + 3, W + 6);
        return;
    }
    if (law == SP_LAW_NEO_HOOKEAN_STABLE) {
        law_stable(p, d1, d2, j, W);
        return;
    }
    if (law == SP_LAW_NEO_HOOKEAN_LOG) {
        law_log(p, d1, d2, j, W);
        law_penalty(p, j, W, W + 3, W + 6);
        return;
    }
    sp_lane b[10], V[6], U[3];
    law_bars(d1, d2, j, b);
    law_volume(p, j, U);
    if (law == SP_LAW_NEO_HOOKEAN_ISOCHORIC)
        law_isochoric(p, b[0], b[5], V);
    else if (law == SP_LAW_MOONEY_RIVLIN)
        law_mooney_rivlin(p, b[0], b[5], V);
    else if (law == SP_LAW_ARRUDA_BOYCE)
        law_arruda_boyce(p, b[0], b[5], V);
    else
        law_veronda_westmann(p, b[0], b[5], V);
    law_chain(b, V, U, W);
}

// Costa et al. 2001: a/2 (exp(J^(-4/3) q) - 1)
SP_POINTWISE void law_costa(const sp_lane *p, sp_lane q, sp_lane j, sp_lane *W) {
    sp_lane a = p[0];
    sp_lane f0 = lane_exp(lane_log1p(j) / -3);
    sp_lane f1 = lane_exp(q * f0 * f0 * f0 * f0);
    sp_lane f2 = lane_expm1(q * f0 * f0 * f0 * f0);
    sp_lane x0 = SP_RATIO(1, 2) * a;
    sp_lane x1 = f1 * x0;
    sp_lane x2 = a * f1;
    sp_lane x3 = SP_RATIO(2, 3) * x2;
    sp_lane x4 = x3 * f0 * f0 * f0 * f0 * f0 * f0 * f0;
    W[0] = f2 * x0;
    W[1] = x1 * f0 * f0 * f0 * f0;
    W[2] = -q * x4;
    W[3] = x1 * f0 * f0 * f0 * f0 * f0 * f0 * f0 * f0;
    W[4] = SP_RATIO(8, 9) * x2 * f0 * f0 * f0 * f0 * f0 * f0 * f0 * f0 * f0 * f0 * f0 * f0 * f0 * f0 * q * q + SP_RATIO(14, 9) * q
        * x2 * f0 * f0 * f0 * f0 * f0 * f0 * f0 * f0 * f0 * f0;
    W[5] = -q * x3 * f0 * f0 * f0 * f0 * f0 * f0 * f0 * f0 * f0 * f0 * f0 - x4;
}

// k (J ln J - J + 1)
SP_POINTWISE void volume_costa(sp_lane bulk, sp_lane j, sp_lane *W) {
    sp_lane f0 = 1 / (1 + j);
    sp_lane f1 = lane_log1p_rest(j);
    sp_lane x0 = j + 1;
    sp_lane x1 = f0 * x0;
    W[0] = bulk * (-f1 * x0 + j * j);
    W[1] = bulk * (-f1 - j * x1 + 2 * j);
    W[2] = bulk * (j * x0 * f0 * f0 - 2 * f0 * j - x1 + 2);
}

// clang-format on

#endif
