// Mass-spring networks: each element carries springs between its nodes (docs/springs.md). An edge of several elements has the sum
// of their springs, which are parallel. All backends use these functions.
#ifndef SP_SPRINGS_H
#define SP_SPRINGS_H

#include "backend/backend.h"
#include "mesh/element.h"

enum { SP_SPRINGS_MOST = 28, SP_SPRING_STATE = 5 };
// Poisson's ratio of an isotropic network, in space and in the plane of a membrane
#define SP_SPRINGS_POISSON 0.25
#define SP_SPRINGS_POISSON_PLANE (1. / 3)

// Springs of an element type. Shares of the energy of a stretch: those of a tetrahedron are equal, those of a cube make it
// isotropic. Cells: linear tetrahedra that divide the element, for its volume; 0: a triangle of a membrane.
typedef struct sp_spring_pattern {
    int count, cells;
    unsigned char pair[SP_SPRINGS_MOST][2];
    double share[SP_SPRINGS_MOST];  // their sum is 1
    unsigned char cell[8][4];
} sp_spring_pattern;
const sp_spring_pattern *sp__spring_pattern(sp_element_type type);

// Elements of one type, in chunks like those of the kernels, one element per structure.
typedef struct sp_springs {
    const sp_spring_pattern *pattern;  // NULL: the group has no springs
    int nodes;                         // per element
    bool definite;                     // springs under pressure have no negative stiffness across
    const int *block_start;            // first element of each chunk (chunks + 1)
    const uint16_t *local;             // elements x nodes
    double *length;                    // elements x springs: at rest [m]
    const double *volume;              // elements; 0: removed
    double *stiffness;                 // elements: sum of k l^2 over the springs [J]
    double *state;                     // elements x springs x SP_SPRING_STATE: direction, stiffness along and across
} sp_springs;

// as the functions of sp_tets in the table of a backend; x: positions
double sp__springs_state(const sp_springs *g, int chunk, const double *x, double *y);
void sp__springs_sums(const sp_springs *g, int chunk, const double *x, double out[3]);
void sp__springs_product(const sp_springs *g, int chunk, const double *x, double *y);
void sp__springs_assemble(const sp_springs *g, const sp_stencil *where, double factor, double *blocks);

// F of an element, the linear motion nearest to that of its nodes; of a triangle with the normal, whose length does not change.
// X: at rest, x: now, nodes x 3 each
void sp__springs_gradient(int nodes, const double *X, const double *x, double F[9]);
// sum of force times length times d d^T: volume times Cauchy stress, xx yy zz xy yz zx; returns the energy
double sp__springs_virial(const sp_springs *g, int element, const double *x, double virial[6]);

#endif
