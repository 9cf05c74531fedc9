// What the parts of a strand's mechanics share: the walk along it, and the rows of its pool.
#ifndef SP_STRAND_INTERNAL_H
#define SP_STRAND_INTERNAL_H

#include "rod/strand.h"

enum {
    SP_STRAND_COLUMNS = 6,
    SP_STRAND_TERMS = SP_CURVE_TERMS,
    SP_STRAND_SEGMENTS = 2000,  // of a strand: some 1800 turns
    // where a row of the pool has what
    SP_STRAND_FRAME = 0,
    SP_STRAND_X = 9,  // polynomials to be multiplied and integrated, from here on
    SP_STRAND_PLACE = 0,
    SP_STRAND_ACCELERATION = 3,
    SP_STRAND_SLOPE = 6
};

// columns that derivatives of a place have in a row: an even number; nobody looks at the fourth of a helix
static inline int sp__strand_wide(const sp_strand *s) {
    return s->affine ? 6 : 4;
}

// the last number of a row is the square of its share, see sp__strand_integrate
static inline size_t sp__strand_row(const sp_strand *s) {
    return SP_STRAND_X + SP_STRAND_SLOPE + 3 * (size_t)sp__strand_wide(s) + 1;
}

// Two numbers at a time, wherever they stand: what every machine has.
typedef double sp_pair __attribute__((vector_size(16), aligned(8), may_alias));

static inline sp_pair sp__pair(double x) {
    return (sp_pair){x, x};
}

// What an element is to the controls behind it, all about the world's origin.
typedef struct sp_strand_ahead {
    double inertia[36];
    double inertial[6];  // force and torque of its mass times acceleration
} sp_strand_ahead;

// Lanes of a term: the frame, its derivatives along the controls of the element, along the motion, and twice along the motion.
enum { SP_STRAND_LANES = 10 };
typedef double sp_strand_term[9][SP_STRAND_LANES];

typedef struct sp_strand_walk {
    sp_strand *s;
    int element;
    int lanes;                  // in use, even
    double at;                  // in the element
    double lambda[6], rate[6];  // curvature about `at` and its rate, two coefficients each
    double weight[2][2];        // of control j: value and slope of its weight about `at`
    sp_strand_term now;         // frame and what moves it
    double turn[2][9];          // by the controls of the element
    double r[3], Dr[3][SP_STRAND_COLUMNS], acceleration[3];
} sp_strand_walk;

static inline int sp__strand_lane_of_motion(const sp_strand *s) {
    return 1 + s->own;
}

// Rows of the segment of this length at the walk's place, at the end of the pool, and the walk at its end. Returns how many there
// are, 0: the series has no end, -1: no memory.
int sp__strand_expand(sp_strand_walk *w, double length);
// Adds what a segment gives to M, A, momenta and `ahead` of its element. Products of rows whose shares (how large their terms are
// beside the largest) are far below the tolerance are left out.
void sp__strand_integrate(sp_strand *s, const sp_strand_segment *g);

// The segment of a place and the share of it; what is not alive lies at the tip.
const sp_strand_segment *sp__strand_open(const sp_strand *s, int element, double at, double *u);
// At that share: the frame, and how its own controls turn it.
void sp__strand_see(const sp_strand *s, const sp_strand_segment *g, double u, double R[9], double r[3]);
void sp__strand_see_turns(const sp_strand *s, const sp_strand_segment *g, double u, double out[2][9]);

#endif
