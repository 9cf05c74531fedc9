// Chains: the rod models whose unknowns belong to the nodes of a polyline (model_der.c, model_beam.c). They share what depends
// only on the positions of the nodes: lumped masses, weight, and the limit of the natural curvature.
//
// Masses are lumped: each node has half of the mass of its elements. The rotational inertia differs in each model.
#ifndef SP_MODEL_CHAIN_H
#define SP_MODEL_CHAIN_H

#include "rod/rod.h"

// First member of the data of a strand. The position of a node is the first of its coordinates and of its unknowns.
typedef struct sp_chain {
    int q, v;      // coordinates and unknowns from a node to the next
    double *mass;  // nodes [kg]
} sp_chain;

static inline sp_chain *sp__chain(const sp_body *b, int part) {
    return sp__rod(b)->part[part].model;
}

// Checks the natural curvature and allocates the masses. twist: the angle by which an element turns includes twist and is less
// than pi, since a rotation of its ends is unique only below. Otherwise it is the angle of bending, up to pi, at which the strain
// of a node is singular. `what` is the name of the model in messages.
sp_status sp__chain_create(sp_body *b, int part, int q, int v, bool twist, const char *what);
void sp__chain_destroy(sp_body *b, int part);
// Computes the masses of the nodes: those of the elements, then the point masses.
void sp__chain_lump_masses(sp_body *b, int part);
// f += weight at the current kinematics; returns the potential plus that of the weight.
double sp__chain_add_weight(const sp_body *b, int part, double potential, double *f);
// Adds the masses of the nodes to the lower band M.
void sp__chain_add_masses(const sp_body *b, int part, double *M);
// The element that contains the arc length `at`, of nodes at the ascending arc lengths s, and the share of its length up to there
// in [0, 1]. The search starts at the element `near`.
int sp__chain_find(int elements, const double *s, double at, int near, double *share);

#endif
