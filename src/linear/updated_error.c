// Into the frames of the nodes and back, and what every stale element costs at a given solution.
//
// The vector of the estimate is x, the solution with the stale matrix, not a velocity: what is wrong with x is b - A x, the sum
// over the elements of (stale - fresh) x. So the errors of the elements are exactly the parts that the residual is made of, an
// impulse each; nothing is refreshed for a motion that the right-hand side has taken care of already, and a blow is seen in the
// very solve in which it lands. One solve more is paid for that, in steps that refresh something.
#include "kernels/warp_record.h"
#include "linear/updated.h"
#include "math/vec3.h"

enum { TASK = 64 };  // structures of elements of a task

typedef struct pass {
    sp_updated *u;
    const sp_system *A;
    const double *x;
    double *y;
    const unsigned char *fixed;
} pass;

static double turn_nodes(void *arg, int begin, int end) {
    const pass *p = arg;
    for (int i = begin; i < end; i++) sp__mul3t(p->u->turn + 9 * (size_t)i, p->x + 3 * (size_t)i, p->u->right + 3 * (size_t)i);
    return 0;
}

void sp__updated_turn(sp_updated *u, const double *b) {
    pass p = {.u = u, .x = b};
    sp__ranges(u->ctx, u->nodes, turn_nodes, &p, u->rest);
}

static double turn_nodes_back(void *arg, int begin, int end) {
    const pass *p = arg;
    for (int i = begin; i < end; i++) {
        sp__mul3(p->u->turn + 9 * (size_t)i, p->u->answer + 3 * (size_t)i, p->y + 3 * (size_t)i);
        // to the bit, not to rounding
        for (size_t k = 3 * (size_t)i; k < 3 * (size_t)i + 3; k++)
            if (p->fixed[k]) p->y[k] = p->x[k];
    }
    return 0;
}

void sp__updated_turn_back(sp_updated *u, const double *b, const unsigned char *fixed, double *x) {
    pass p = {.u = u, .x = b, .y = x, .fixed = fixed};
    sp__ranges(u->ctx, u->nodes, turn_nodes_back, &p, u->rest);
}

// pinned unknowns do not act on others: their x does not count
static double fill_records(void *arg, int begin, int end) {
    const pass *p = arg;
    for (int i = begin; i < end; i++) {
        double *r = p->u->record + SP_WARP_NODE * (size_t)i;
        memcpy(r, p->u->turn + 9 * (size_t)i, 9 * sizeof *r);
        for (size_t k = 0; k < 3; k++) {
            size_t at = 3 * (size_t)i + k;
            r[9 + k] = p->A->fixed[at] ? 0.0 : p->x[at];
        }
        sp__mul3t(r, r + 9, r + 12);
    }
    return 0;
}

static void measure(void *arg, int task, int worker) {
    (void)worker;
    const pass *p = arg;
    const sp_updated *u = p->u;
    double R[9 * 4 * TASK];
    int begin = task * TASK, end = begin + TASK, last = u->count / u->lanes;
    sp_warped w = {u->lane_node, u->grad, u->kept, u->record};
    if (end > last) end = last;
    p->A->elements->rotations(p->A->o, begin * u->lanes, end * u->lanes, R);
    u->be->warp_errors(&w, begin, end, R, u->error);
}

void sp__updated_errors(sp_updated *u, const sp_system *A, const double *x) {
    pass p = {.u = u, .A = A, .x = x};
    sp__ranges(u->ctx, u->nodes, fill_records, &p, u->rest);
    sp__parallel(u->ctx, (u->count / u->lanes + TASK - 1) / TASK, measure, &p);
}
