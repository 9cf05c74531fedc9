// An old preconditioner in a body that turned: z = keep R P^-1 R^T keep r with R_i = Rnow_i Rthen_i^T for each node (Courtecuisse
// 2011, equations 3.22 and 3.23, in the order that holds for rotations that act on columns: A_now = R A_then R^T where the body
// only turned). keep drops what is fixed now, whatever was fixed in the picture. R is orthogonal and keep a projection, so that
// the whole stays symmetric, and positive definite on what is free.
#include "linear/refresh_internal.h"

static const double still = 1e-9;  // a turn of this many radians changes nothing that an iteration could show

// ------------------------------------------------------------------------------------------------ room

sp_status sp__warp_reserve(sp_refresh *r, const sp_system *A) {
    size_t n = (size_t)A->n;
    bool turns = r->keeps && A->turns && A->block == 3, warps = turns && r->def.warp;
    sp__warp_free(r);
    if (!SP_NEW(r->ctx, r->fixed, n) || !SP_NEW(r->ctx, r->held, n) || !SP_NEW(r->ctx, r->w, n + 1) ||
        !SP_NEW(r->ctx, r->y, n + 1) || !SP_NEW(r->ctx, r->partial, n / SP_RANGE + 1))
        return SP_FAIL(r->ctx, SP_NO_MEMORY, "no memory to apply a preconditioner of %d unknowns", A->n);
    if (warps && (!SP_NEW(r->ctx, r->turn, 3 * n) || !SP_NEW(r->ctx, r->R, 3 * n)))
        return SP_FAIL(r->ctx, SP_NO_MEMORY, "no memory for the rotations of %d unknowns", A->n);
    r->turns = turns, r->warps = warps;
    return SP_OK;
}

void sp__warp_free(sp_refresh *r) {
    void *all[] = {r->fixed, r->held, r->w, r->y, r->partial, r->turn, r->R};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(r->ctx, all[i]);
    r->fixed = NULL, r->held = NULL, r->w = r->y = r->partial = r->turn = r->R = NULL;
    r->turns = r->warps = false;
}

// ------------------------------------------------------------------------------------------------ before a solve

void sp__warp_pins(sp_refresh *r, const sp_system *A) {
    r->held_count = 0;
    memcpy(r->fixed, A->fixed, (size_t)A->n);
    for (int i = 0; i < A->n; i++)
        if (r->fixed[i]) r->held[r->held_count++] = i;
}

typedef struct turning {
    const sp_refresh *r;
    const double *then, *x;
    double *z;
} turning;

// R = Rnow Rthen^T; returns how many of them are not the identity
static double relative_turns(void *arg, int begin, int end) {
    const turning *t = arg;
    double moved = 0;
    for (int i = begin; i < end; i++) {
        const double *now = t->r->turn + 9 * (size_t)i, *then = t->then + 9 * (size_t)i;
        double *R = t->r->R + 9 * (size_t)i, apart = 0;
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) {
                double sum = 0;
                for (int k = 0; k < 3; k++) sum += now[3 * a + k] * then[3 * b + k];
                R[3 * a + b] = sum;
                apart = fmax(apart, fabs(sum - (a == b)));
            }
        moved += apart > still;
    }
    return moved;
}

sp_status sp__warp_turns(sp_refresh *r, const sp_system *A) {
    r->turned = false;
    if (!r->warps || r->now.use < 0) return SP_OK;
    const sp_picture *p = &r->album->picture[r->now.use];
    if (p->values == A->values) return SP_OK;
    turning t = {.r = r, .then = p->turn};
    SP_TRY(A->turns(A->o, r->turn));
    r->turned = sp__ranges(r->ctx, A->n / 3, relative_turns, &t, r->partial) > 0;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ in the solve

// z = R^T x
static double turn_back(void *arg, int begin, int end) {
    const turning *t = arg;
    for (size_t i = (size_t)begin; i < (size_t)end; i++) {
        const double *R = t->r->R + 9 * i, *x = t->x + 3 * i;
        double *z = t->z + 3 * i;
        for (int a = 0; a < 3; a++) z[a] = R[a] * x[0] + R[3 + a] * x[1] + R[6 + a] * x[2];
    }
    return 0;
}

// z = R x
static double turn_ahead(void *arg, int begin, int end) {
    const turning *t = arg;
    for (size_t i = (size_t)begin; i < (size_t)end; i++) {
        const double *R = t->r->R + 9 * i, *x = t->x + 3 * i;
        double *z = t->z + 3 * i;
        for (int a = 0; a < 3; a++) z[a] = R[3 * a] * x[0] + R[3 * a + 1] * x[1] + R[3 * a + 2] * x[2];
    }
    return 0;
}

// A residual is zero at fixed unknowns in every solver of ours; what comes from elsewhere is copied without them.
static const double *free_part(sp_refresh *r, const double *residual, int n) {
    bool clean = true;
    for (int k = 0; k < r->held_count && clean; k++) clean = residual[r->held[k]] == 0;
    if (clean) return residual;
    memcpy(r->y, residual, (size_t)n * sizeof *r->y);
    for (int k = 0; k < r->held_count; k++) r->y[r->held[k]] = 0;
    return r->y;
}

void sp__refresh_apply(sp_refresh *r, const double *residual, double *z) {
    int nodes = r->album->nodes, n = 3 * nodes;
    sp_precond *p = r->cheap ? r->album->cheap : r->now.use >= 0 ? r->album->picture[r->now.use].p : NULL;
    const double *x = free_part(r, residual, n);
    if (!p) {
        memcpy(z, x, (size_t)n * sizeof *z);
    } else if (!r->cheap && r->turned) {
        turning back = {.r = r, .x = x, .z = r->w}, ahead = {.r = r, .x = r->y, .z = z};
        sp__ranges(r->ctx, nodes, turn_back, &back, r->partial);
        p->kind->apply(p, r->w, r->y);
        sp__ranges(r->ctx, nodes, turn_ahead, &ahead, r->partial);
    } else {
        p->kind->apply(p, x, z);
    }
    for (int k = 0; k < r->held_count; k++) z[r->held[k]] = 0;
}
