// Shared by the strand*.c files: the pass along a strand, and the layout of the rows in its pool.
#ifndef SP_STRAND_INTERNAL_H
#define SP_STRAND_INTERNAL_H

#include "rod/strand.h"

enum {
    SP_STRAND_COLUMNS = 6,
    SP_STRAND_TERMS = SP_CURVE_TERMS,
    SP_STRAND_SEGMENTS = 2000,  // maximum per strand: about 1800 full turns
    // offsets in a row of the pool
    SP_STRAND_FRAME = 0,
    SP_STRAND_X = 9,  // from here on: polynomials that are multiplied and integrated
    SP_STRAND_PLACE = 0,
    SP_STRAND_ACCELERATION = 3,
    SP_STRAND_SLOPE = 6
};

// columns of the position derivatives in a row: an even number; the fourth column of a helix is unused
static inline int sp__strand_wide(const sp_strand *s) {
    return s->affine ? 6 : 4;
}

// the last number of a row is the square of its relative size, see sp__strand_integrate
static inline size_t sp__strand_row(const sp_strand *s) {
    return SP_STRAND_X + SP_STRAND_SLOPE + 3 * (size_t)sp__strand_wide(s) + 1;
}

// Two doubles per operation, unaligned: SIMD available on every target.
typedef double sp_pair __attribute__((vector_size(16), aligned(8), may_alias));

static inline sp_pair sp__pair(double x) {
    return (sp_pair){x, x};
}

// Inertia of an element as seen by the controls closer to the root, about the world's origin.
typedef struct sp_strand_ahead {
    double inertia[36];
    double inertial[6];  // force and torque: mass times acceleration
} sp_strand_ahead;

// Lanes of a term: the frame, its derivatives with respect to the controls of the element, and its first and second time
// derivatives.
enum { SP_STRAND_LANES = 10 };
typedef double sp_strand_term[9][SP_STRAND_LANES];

typedef struct sp_strand_pass {
    sp_strand *s;
    int element;
    int lanes;                  // lanes in use, even
    double at;                  // position in the element
    double lambda[6], rate[6];  // curvature about `at` and its rate, two coefficients each
    double weight[2][2];        // of control j: value and slope of its weight about `at`
    sp_strand_term now;         // frame and its derivatives
    double turn[2][9];          // rotation by the controls of the element
    double r[3], Dr[3][SP_STRAND_COLUMNS], acceleration[3];
} sp_strand_pass;

static inline int sp__strand_lane_of_motion(const sp_strand *s) {
    return 1 + s->own;
}

// Appends the rows of the next segment, of this length, to the pool and moves the pass to its end. Returns the number of rows; 0:
// the series does not end, -1: no memory.
int sp__strand_expand(sp_strand_pass *w, double length);
// Adds the contribution of a segment to M, A, momenta and `ahead` of its element. Products of rows are skipped where their sizes,
// relative to the largest terms, are far below the tolerance.
void sp__strand_integrate(sp_strand *s, const sp_strand_segment *g);

// Segment of a point, and the relative position u in it; elements not in use lie at the tip.
const sp_strand_segment *sp__strand_open(const sp_strand *s, int element, double at, double *u);
// Frame at u, and its rotation by the controls of the element.
void sp__strand_frame_at(const sp_strand *s, const sp_strand_segment *g, double u, double R[9], double r[3]);
void sp__strand_rotation_derivatives(const sp_strand *s, const sp_strand_segment *g, double u, double out[2][9]);

#endif
