// The problem of one group alone, with all others held: u = w (x' - x) + u(x) for the new multipliers x'.
#include "contact/solve_internal.h"

// ------------------------------------------------------------------------------------------------ projection

// One step of the fixed point used by Duriez (2006): the normal first, then the tangents by one scalar, which keeps the
// projection onto the disc isotropic.
static void local_projection(double mu, const double *w, ptrdiff_t ld, const double *u, double *x) {
    double n = x[0] - u[0] / w[0];
    if (n <= 0) {
        x[0] = x[1] = x[2] = 0;
        return;
    }
    double d = n - x[0], trace = w[ld + 1] + w[2 * ld + 2];
    x[0] = n;
    if (!(trace > 0)) {
        x[1] = x[2] = 0;
        return;
    }
    double k = 2 / trace, t = x[1] - k * (u[1] + w[ld] * d), s = x[2] - k * (u[2] + w[2 * ld] * d);
    double square = t * t + s * s, most = mu * n;
    if (square > most * most) {
        double shrink = most / sqrt(square);
        t *= shrink, s *= shrink;
    }
    x[1] = t, x[2] = s;
}

// ------------------------------------------------------------------------------------------------ exact solution

// w x = -b for up to SP_CONE_ROWS_MAX rows by elimination with pivoting; false: singular
static bool solve_small(int n, const double *w, ptrdiff_t ld, const double *b, double *x) {
    double a[SP_CONE_ROWS_MAX][SP_CONE_ROWS_MAX + 1];
    for (int r = 0; r < n; r++) {
        for (int c = 0; c < n; c++) a[r][c] = w[r * ld + c];
        a[r][n] = -b[r];
    }
    double most = 0;
    for (int r = 0; r < n; r++) most = fmax(most, fabs(a[r][r]));
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int r = k + 1; r < n; r++)
            if (fabs(a[r][k]) > fabs(a[pivot][k])) pivot = r;
        if (!(fabs(a[pivot][k]) > 1e-12 * most)) return false;
        for (int c = k; c <= n; c++) {
            double swap = a[k][c];
            a[k][c] = a[pivot][c], a[pivot][c] = swap;
        }
        for (int r = k + 1; r < n; r++)
            for (int c = n; c >= k; c--) a[r][c] -= a[r][k] / a[k][k] * a[k][c];
    }
    for (int k = n - 1; k >= 0; k--) {
        x[k] = a[k][n];
        for (int c = k + 1; c < n; c++) x[k] -= a[k][c] * x[c];
        x[k] /= a[k][k];
    }
    return true;
}

// Slip in the direction -d, d = (cos a, sin a): x = n (1, mu d), u_N = 0 gives n, and u_T must be parallel to d:
//
//     n = -b_N / (w_NN + mu w_NT d),    g(a) = d' . [b_T (w_NN + mu w_NT d) - b_N (w_TN + mu w_TT d)] = 0,   d' = (-sin a, cos a)
//
// g is a trigonometric polynomial of degree 2, so it has at most four zeros: in tan(a/2) it is the quartic of Bonnefon and
// Daviet (2011).
typedef struct slip {
    double mu, b[3], w[3][3];
} slip;

static double slip_value(const slip *s, double angle, double *derivative) {
    double c = cos(angle), d = sin(angle), m = s->mu;
    double scale = s->w[0][0] + m * (s->w[0][1] * c + s->w[0][2] * d), scale1 = m * (-s->w[0][1] * d + s->w[0][2] * c);
    double v1 = s->b[1] * scale - s->b[0] * (s->w[1][0] + m * (s->w[1][1] * c + s->w[1][2] * d));
    double v2 = s->b[2] * scale - s->b[0] * (s->w[2][0] + m * (s->w[2][1] * c + s->w[2][2] * d));
    double v11 = s->b[1] * scale1 - s->b[0] * m * (-s->w[1][1] * d + s->w[1][2] * c);
    double v21 = s->b[2] * scale1 - s->b[0] * m * (-s->w[2][1] * d + s->w[2][2] * c);
    *derivative = -c * v1 - d * v2 - d * v11 + c * v21;
    return -d * v1 + c * v2;
}

// the multipliers of a slip direction; false: they do not slip backwards, or the contact would pull
static bool slip_multipliers(const slip *s, double angle, double *x) {
    double c = cos(angle), d = sin(angle), scale = s->w[0][0] + s->mu * (s->w[0][1] * c + s->w[0][2] * d);
    double n = scale > 0 ? -s->b[0] / scale : -1;
    if (!(n > 0)) return false;
    x[0] = n, x[1] = s->mu * n * c, x[2] = s->mu * n * d;
    double along = 0;
    for (int r = 1; r < 3; r++) along += (r == 1 ? c : d) * (s->b[r] + s->w[r][0] * x[0] + s->w[r][1] * x[1] + s->w[r][2] * x[2]);
    return along <= 0;
}

// Newton from `angle`, kept inside the bracket [low, high] if there is one
static double slip_refine(const slip *s, double angle, double low, double high, double value_low) {
    for (int i = 0; i < 60; i++) {
        double slope, value = slip_value(s, angle, &slope);
        if (high > low) {
            if ((value > 0) == (value_low > 0))
                low = angle;
            else
                high = angle;
        }
        double next = angle - value / slope;
        if (!isfinite(next)) next = angle;
        if (high > low && !(next > low && next < high)) next = 0.5 * (low + high);
        if (fabs(next - angle) <= 1e-15 * (1 + fabs(angle))) return next;
        angle = next;
    }
    return angle;
}

// All brackets of a grid; of several valid directions the one with the least natural residual.
static bool slip_solve(const slip *s, double weight, const double *guess, double *x) {
    enum { GRID = 48 };
    const double step = 2 * 3.14159265358979323846 / GRID;
    double try[3], slope, best = INFINITY;
    if (guess[1] != 0 || guess[2] != 0) {
        double angle = slip_refine(s, atan2(guess[2], guess[1]), 0, 0, 0), value = slip_value(s, angle, &slope);
        double scale = fabs(s->b[0]) * (fabs(s->w[1][1]) + fabs(s->w[2][2])) + s->w[0][0] * (fabs(s->b[1]) + fabs(s->b[2]));
        if (fabs(value) <= 1e-13 * scale && slip_multipliers(s, angle, x)) return true;
    }
    for (int k = 0; k < GRID; k++) {
        double low = k * step, a = slip_value(s, low, &slope), slope1, b = slip_value(s, low + step, &slope1);
        // a double zero has no change of sign: its neighbourhood has a change of slope towards zero
        bool close = a * slope < 0 && b * slope1 > 0;
        if (a * b > 0 && !close) continue;
        double angle =
            a * b > 0 ? slip_refine(s, low + 0.5 * step, 0, 0, 0) : slip_refine(s, low + 0.5 * step, low, low + step, a);
        if (!slip_multipliers(s, angle, try)) continue;
        double u[3], e[3];
        for (int r = 0; r < 3; r++) u[r] = s->b[r] + s->w[r][0] * try[0] + s->w[r][1] * try[1] + s->w[r][2] * try[2];
        sp__cone_natural(SP_CONE_COULOMB, 3, s->mu, weight, try, u, e);
        double error = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
        if (error < best) best = error, memcpy(x, try, sizeof try);
    }
    return best < INFINITY;
}

static void local_newton(double mu, double weight, const double *w, ptrdiff_t ld, const double *u, double *x) {
    slip s = {.mu = mu};
    double stick[3];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) s.w[r][c] = w[r * ld + c];
        s.b[r] = u[r] - (s.w[r][0] * x[0] + s.w[r][1] * x[1] + s.w[r][2] * x[2]);
    }
    if (s.b[0] >= 0) {
        x[0] = x[1] = x[2] = 0;
        return;
    }
    if (mu == 0) {
        x[0] = -s.b[0] / s.w[0][0], x[1] = x[2] = 0;
        return;
    }
    if (solve_small(3, w, ld, s.b, stick) && stick[0] >= 0 && hypot(stick[1], stick[2]) <= mu * stick[0]) {
        memcpy(x, stick, sizeof stick);
        return;
    }
    double guess[3] = {x[0], x[1], x[2]};
    if (slip_solve(&s, weight, guess, x)) return;
    local_projection(mu, w, ld, u, x);  // a block that is not positive definite may have no solution
}

// ------------------------------------------------------------------------------------------------ all groups

static void local_rows(int rows, const double *w, ptrdiff_t ld, const double *u, double *x) {
    double left[SP_CONE_ROWS_MAX];
    memcpy(left, u, (size_t)rows * sizeof *left);
    for (int r = 0; r < rows; r++) {
        double diagonal = w[r * (ld + 1)], d = diagonal > 0 ? -left[r] / diagonal : 0;
        x[r] += d;
        for (int k = r + 1; k < rows; k++) left[k] += w[k * ld + r] * d;
    }
}

static void local_bilateral(int rows, const double *w, ptrdiff_t ld, const double *u, double *x) {
    double d[SP_CONE_ROWS_MAX];
    if (rows == 1 || !solve_small(rows, w, ld, u, d)) {
        local_rows(rows, w, ld, u, x);
        return;
    }
    for (int r = 0; r < rows; r++) x[r] += d[r];
}

void sp__cone_local(const sp_cone_group *g, sp_cone_local local, double weight, const double *w, ptrdiff_t ld, const double *u,
                    double *x) {
    if (g->kind == SP_CONE_UNILATERAL)
        x[0] = fmax(0, x[0] - u[0] / w[0]);
    else if (g->kind == SP_CONE_BILATERAL)
        local_bilateral(g->rows, w, ld, u, x);
    else if (local == SP_CONE_LOCAL_NEWTON)
        local_newton(g->mu, weight, w, ld, u, x);
    else
        local_projection(g->mu, w, ld, u, x);
}
