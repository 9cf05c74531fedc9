// All that a linear solver sees of a body: DESIGN section 4. One sign convention: K and B positive semi-definite.
#ifndef SP_SYSTEM_H
#define SP_SYSTEM_H

#include "core/core.h"
#include "souple/solve.h"

typedef struct sp_blocks sp_blocks;

// A = m M + b B + k K: implicit Euler {1, h, h2}, explicit {1, 0, 0}, static {0, 0, 1}.
typedef struct sp_coef {
    double m, b, k;
} sp_coef;

typedef struct sp_system {
    int n, block;                // unknowns; unknowns per block (3 for solids)
    uint64_t pattern, values;    // revisions: pattern follows topology; values follow state, parameters, pins, loads, coef
    const unsigned char *fixed;  // n flags: pinned unknowns are unit rows and columns in mul and assemble
    // vectors have room for one number behind their last: kernels read four at a time
    double (*mul)(void *o, sp_coef c, const double *x, double *y);  // y = A x, matrix-free; returns x . y
    // y = A x without the unit rows and columns: what prescribed motions push into the right-hand side, and K v
    void (*mul_raw)(void *o, sp_coef c, const double *x, double *y);
    sp_status (*assemble)(void *o, sp_coef c, sp_blocks *A);             // into the fixed pattern; NULL: cannot
    sp_status (*make_pattern)(void *o, sp_context *ctx, sp_blocks **A);  // empty matrix with the body's pattern
    sp_context *ctx;
    void *o;
} sp_system;

#endif
