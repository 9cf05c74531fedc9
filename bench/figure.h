// Two figures pressed against each other, for measurements of collision detection: bumpy bodies with limbs, as non-convex as a
// scanned statue and with as many triangles, embedded in coarse tetrahedra that deform in every step.
#ifndef SP_BENCH_FIGURE_H
#define SP_BENCH_FIGURE_H

#include "body/body.h"
#include "collide/collide.h"
#include "souple/souple.h"

typedef struct sp_figure {
    int vertex_count, face_count;
    double *rest;
    uint32_t *faces;  // outward
} sp_figure;

typedef struct sp_figures {
    sp_context *context;
    sp_world *world;
    sp_figure figure[2];
    sp_body *body[2];
    const sp_surface *surface[2];
    double *x[2][2];  // of the surfaces at the committed and at the free state
} sp_figures;

// Figures of 12 n^2 triangles in worlds with this number of threads. Reports what fails.
sp_status sp__figures_create(int n, int threads, sp_figures *out);
void sp__figures_destroy(sp_figures *f);
// Moves the nodes of the tetrahedra to the states before and after a step, then the surfaces. Returns the time of the latter.
double sp__figures_move(sp_figures *f, int step);

// A collider of the triangles, in a group of its own.
sp_collider_def sp__figure_collider(const sp_figure *f, uint32_t id);

#endif
