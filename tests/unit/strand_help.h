// Strands as tests ask for them: all quantities of a state at once, a place with its derivatives, a whole stiffness matrix.
#ifndef SP_STRAND_HELP_H
#define SP_STRAND_HELP_H

#include <stdlib.h>
#include <string.h>

#include "rod/strand.h"

// frames, M, A and G of a state under an acceleration g [m/s2]
static inline sp_status strand_evaluate(sp_strand *s, const sp_strand_state *state, const double g[3]) {
    SP_TRY(sp__strand_place(s, state, true));
    sp__strand_gather(s);
    sp__strand_weigh(s, g);
    return SP_OK;
}

// the place, and the derivatives of its velocity along all unknowns, 3 x unknowns row by row (nullable)
static inline void strand_point(const sp_strand *s, int element, double at, double x[3], double *J) {
    sp_curve_frame frame;
    sp__strand_frame(s, element, at, &frame);
    memcpy(x, frame.r, sizeof frame.r);
    if (!J) return;
    size_t n = (size_t)s->unknowns;
    double *columns = calloc(6 * n, sizeof *columns);
    int count = sp__strand_slopes(s, element, at, columns);
    memset(J, 0, 3 * n * sizeof *J);
    for (size_t d = 0; d < (size_t)count; d++)
        for (size_t i = 0; i < 3; i++) J[n * i + d] = columns[6 * d + i];
    free(columns);
}

// A += c Kbar, both triangles
static inline void strand_add_stiffness(const sp_strand *s, double c, double *A, int n) {
    double *L = calloc((size_t)n * (size_t)n, sizeof *L);
    sp__strand_add_lower_stiffness(s, c, L, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) A[n * i + j] += j <= i ? L[n * i + j] : L[n * j + i];
    free(L);
}

#endif
