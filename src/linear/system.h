// The interface between a body and the linear solvers. Sign convention: K and B are positive semi-definite.
#ifndef SP_SYSTEM_H
#define SP_SYSTEM_H

#include "core/core.h"
#include "souple/solve.h"

typedef struct sp_blocks sp_blocks;

// A = m M + b B + k K: implicit Euler {1, h, h2}, explicit {1, 0, 0}, static {0, 0, 1}.
typedef struct sp_coef {
    double m, b, k;
} sp_coef;

// The elements of a body, for solvers that keep their own element matrices (incremental.c). Node numbers are block rows. Some
// elements only pad SIMD groups: their volume is 0. Of 4-node tetrahedra whose matrix is that of rest, rotated, there are
// `rotations` and `rest`; of all others there are `blocks` and `materials`.
typedef struct sp_elements {
    int count, width;      // elements; nodes of each, at most 10
    const int *node;       // count x width; -1 after those of an element with fewer nodes
    const double *volume;  // count: rest volumes
    const int *user;       // count: user's element number; -1: padding
    uint64_t revision;     // increases when `rest` or `materials` may have changed (materials, damping)
    // rotations of elements [begin, end) from rest to now, 9 numbers each, row-major
    void (*rotations)(void *o, int begin, int end, double *R);
    // b B + k K of elements [begin, end) at rest, 10 numbers each: G_1 G_2 G_3 and r, so that the block of element nodes a and b
    // is r Ga Gb^T + Gb Ga^T + (Ga . Gb) I with G_0 = -(G_1 + G_2 + G_3) (kernels/tet.h)
    void (*rest)(void *o, sp_coef c, int begin, int end, double *G);
    // b B + k K of elements [begin, end) now, in world axes: 9 numbers for each pair of nodes a <= b, in the order of sp__pairs
    // (backend/backend.h) of `width` nodes; pairs of nodes that an element has not are 0. Without negative eigenvalues
    void (*blocks)(void *o, sp_coef c, int begin, int end, double *K);
    // a number of each element [begin, end) that changes with its material
    void (*materials)(void *o, int begin, int end, double *out);
    // terms that do not rotate with elements: lumped masses, drag (m M + b B of nodes); n / 3 numbers, the same on all axes
    void (*diagonal)(void *o, sp_coef c, double *d);
    // blocks of point terms (springs, drags, contacts) in world axes: calls fn for each pair of nodes i <= j
    void (*terms)(void *o, sp_coef c, void (*fn)(void *arg, int i, int j, const double B[9]), void *arg);
} sp_elements;

// A matrix of uncoupled parts (strands), each with its own band; a dense part has a band of all its unknowns.
typedef struct sp_parts {
    int count;
    const int *start;  // count + 1: part k has the unknowns start[k] .. start[k + 1] - 1
    const int *band;   // see banded.h
    // lower band of part k, without unit rows; called from several threads at once for different parts
    void (*fill)(void *o, sp_coef c, int part, double *A);
} sp_parts;

// Jacobian rows of constraints with respect to the unknowns of one body, in compressed sparse rows.
typedef struct sp_rows {
    int n, capacity;  // rows, capacity in entries
    int *start, *col;
    double *val;
} sp_rows;

typedef struct sp_system {
    int n, block;                // unknowns; unknowns per block (3 for solids)
    uint64_t pattern, values;    // revisions: pattern of the topology; values of state, parameters, pins, loads, coef
    const unsigned char *fixed;  // n flags: pinned unknowns have unit rows and columns in mul and assemble
    // vectors have space for one more number at the end: kernels read four at a time
    double (*mul)(void *o, sp_coef c, const double *x, double *y);  // y = A x, matrix-free; returns x . y
    // y = A x without the unit rows and columns: for the contribution of prescribed motions to the right-hand side, and K v
    void (*mul_raw)(void *o, sp_coef c, const double *x, double *y);
    sp_status (*assemble)(void *o, sp_coef c, sp_blocks *A);             // into the fixed pattern; NULL: not supported
    sp_status (*make_pattern)(void *o, sp_context *ctx, sp_blocks **A);  // empty matrix with the body's pattern
    // optional, for some solvers; NULL: not available
    // n / 3 rotations of the nodes from rest to now, row-major: means over the adjacent elements. Fails only if out of memory.
    sp_status (*node_rotations)(void *o, double *R);
    void (*points)(void *o, double *x);  // n / 3 rest positions
    const sp_elements *elements;
    const sp_parts *parts;
    sp_context *ctx;
    void *o;
} sp_system;

#endif
