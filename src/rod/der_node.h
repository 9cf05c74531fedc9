// One node of a discrete elastic rod: the strains between the two edges that meet there, and their derivatives along both edges
// and both angles (Bergou et al. 2010; Panetta et al. 2019 for the second ones).
#ifndef SP_DER_NODE_H
#define SP_DER_NODE_H

#include <stdbool.h>

// Derivatives are along e (3), the edge before, f (3), the one after, and their angles (2).
enum { SP_DER_E = 0, SP_DER_F = 3, SP_DER_ANGLE_E = 6, SP_DER_ANGLE_F = 7, SP_DER_LOCAL = 8 };

typedef struct sp_der_node {
    double te[3], m1e[3], m2e[3], e;  // tangent, material axes and length of the edge before
    double tf[3], m1f[3], m2f[3], f;
    double chi, kb[3], tt[3], d1[3], d2[3];
    double strain[3];  // K1, K2, twist
} sp_der_node;

// strains, from tangents and axes, and the twist as it was followed
void sp__der_node_strains(sp_der_node *n, double twist);
// Energy: half the sum of stiffness (strain - natural)^2. g and H += in the order above, nullable; H needs g. Not whole: H
// without what strains themselves add, which is positive semi-definite then.
double sp__der_node_energy(const sp_der_node *n, const double stiffness[3], const double natural[3], bool whole, double *g,
                           double *H);

#endif
