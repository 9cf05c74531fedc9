// Frictional contact problems of the bench: from FCLIB files and generated.
#ifndef SP_BENCH_FRICTION_H
#define SP_BENCH_FRICTION_H

#include "contact/solve.h"
#include "souple/io.h"

// The problem of a file in the form of the solver. A global one is condensed to W = H^T M^-1 H, q = w + H^T M^-1 f. Contact i is
// group i; a contact of two dimensions gets a third row without load. Equality constraints are bilateral groups behind them.
sp_status sp__friction_load(sp_context *ctx, const sp_fclib_problem *file, sp_cone_problem **out);
// u, r, l (nullable) in the rows of the file; v (nullable) = M^-1 (H r + G l + f)
sp_status sp__friction_solution(sp_context *ctx, const sp_fclib_problem *file, const sp_cone_problem *p, double *u, double *r,
                                double *l, double *v);

// Rigid bodies in contact: W and q of one time step from masses, inertias and contact points.
typedef struct sp_friction_scene {
    const char *name;
    int contacts;
    sp_cone_problem *problem;
    // v = M^-1 J^T lambda for the operator form; arrays per contact: two bodies (-1: fixed) and 3 x 6 rows for each
    int bodies;
    int *body;
    double *rows, *inverse;  // inverse masses: 6 x 6 per body
} sp_friction_scene;

enum { SP_FRICTION_SCENES = 6 };
// Number `kind` of the generated scenes; quick: smaller ones.
sp_status sp__friction_make(sp_context *ctx, int kind, bool quick, sp_friction_scene *out);
void sp__friction_free(sp_context *ctx, sp_friction_scene *scene);
// y = W x by the bodies, user is the scene: the operator form
void sp__friction_multiply(void *user, const double *x, double *y);

#endif
