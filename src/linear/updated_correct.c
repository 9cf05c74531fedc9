// What had to wait, made good: conjugate gradients with the corotational matrix as it is now and the stale factor in front,
//     z = Rn A~^-1 Rn^T r.
//
// Elements above the threshold that the budget leaves stale are the ones that can make a step unstable: the right-hand side has
// the forces of the body as it stands, and a matrix that is too soft by a third in some direction lets that direction grow. A few
// iterations bring the residual down to what elements just below the threshold would leave anyway; where nothing waits, there
// are none.
#include "linear/updated.h"

enum { MOST = 12 };  // each costs a solve

static double dot(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

double sp__updated_residual(sp_updated *u, const sp_system *A, sp_coef c, const double *b, const double *x) {
    A->mul(A->o, c, x, u->q);
    for (int i = 0; i < A->n; i++) u->r[i] = A->fixed[i] ? 0.0 : b[i] - u->q[i];
    return sqrt(dot(u->r, u->r, A->n));
}

static void precondition(sp_updated *u, const sp_system *A, double *z) {
    sp__updated_turn(u, u->r);
    sp__factor_solve(u->F, u->right, u->answer, false);
    sp__updated_turn_back(u, u->r, A->fixed, z);
}

double sp__updated_correct(sp_updated *u, const sp_system *A, sp_coef c, double size, double goal, double *x,
                           sp_linear_info *info) {
    int n = A->n;
    double rz = 0;
    for (int k = 0; k < MOST && size > goal; k++) {
        precondition(u, A, u->z);
        double before = rz;
        rz = dot(u->r, u->z, n);
        for (int i = 0; i < n; i++) u->p[i] = u->z[i] + (k ? rz / before : 0) * u->p[i];
        double pq = A->mul(A->o, c, u->p, u->q), step = rz / pq;
        if (!(pq > 0) || !isfinite(step)) break;
        for (int i = 0; i < n; i++) x[i] += step * u->p[i], u->r[i] -= step * u->q[i];
        size = sqrt(dot(u->r, u->r, n));
        info->iterations++;
    }
    return size;
}
