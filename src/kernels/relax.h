// Viscous materials on lanes: a second Piola-Kirchhoff stress S (xx yy zz xy yz zx) that is constant within a step acts at a
// point beside its law (solid/solid_relax.c). P = F S, the energy is S : E, and the tangent is geometric: dP = dF S. The linear
// law has small strains: P = S, the energy is S : e, and there is no tangent.
#ifndef SP_RELAX_H
#define SP_RELAX_H

#include "kernels/iso.h"

SP_POINTWISE sp_lane relax_energy(sp_law law, const sp_lane *S, const sp_lane *H) {
    sp_lane E[6];
    if (law == SP_LAW_LINEAR)
        iso_strain(H, E);
    else
        green_strain(H, E);
    return lane_dot(S, E) + 2 * lane_dot(S + 3, E + 3);
}

// P = w F S; with the rest gradients of the shape functions, iso_spread makes forces of it
SP_POINTWISE void relax_stress(sp_law law, const sp_lane *S, sp_lane w, const sp_lane *H, sp_lane *P) {
    sp_lane F[9];
    for (int k = 0; k < 9; k++) F[k] = (law == SP_LAW_LINEAR ? lane_all(0) : H[k]) + (k % 4 ? SP_REAL(0.0) : SP_REAL(1.0));
    lane_mul_sym(F, S, P);
    for (int k = 0; k < 9; k++) P[k] *= w;
}

// f += K d at a point with rest gradients g, nodes 1..
SP_POINTWISE void relax_product(int nodes, const sp_lane *S, sp_lane w, const sp_lane *g, const sp_lane *d, sp_lane *f) {
    sp_lane D[9], P[9];
    iso_gradient(nodes, d, g, D);
    lane_mul_sym(D, S, P);
    for (int k = 0; k < 9; k++) P[k] *= w;
    iso_spread(nodes, P, g, f);
}

// K += w (y . S z) I
SP_POINTWISE void relax_block(const sp_lane *S, sp_lane w, const sp_lane *y, const sp_lane *z, sp_lane *K) {
    sp_lane t[3] = {S[0] * z[0] + S[3] * z[1] + S[5] * z[2], S[3] * z[0] + S[1] * z[1] + S[4] * z[2],
                    S[5] * z[0] + S[4] * z[1] + S[2] * z[2]};
    sp_lane k = w * lane_dot(y, t);
    for (int i = 0; i < 9; i += 4) K[i] += k;
}

#endif
