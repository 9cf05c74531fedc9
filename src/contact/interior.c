// The second method: a primal-dual interior point method for the cones, and a semismooth Newton method on the natural map.
//
// Scaled unknowns: with s = 1 / sqrt(w) per group, w the weight of its diagonal block, r = lambda / (s c), v = u s / c and c the
// largest scaled |q|. The cone of a group is unchanged by a scalar, and the diagonal of the scaled W is of order one.
//
// Interior point. In Lorentz coordinates x = (mu r_N, r_T), y = (u~_N / mu, u_T) both cones are {|x_T| <= x_N}. Newton on
//
//     y = W r + q + |u_T| e_N,    x o y = sigma m e     (Jordan product; m = mean of x . y)
//
// with Nesterov-Todd scaling Theta x = y and Mehrotra's corrector gives (G W + Theta) dr = rhs with G = I + mu e_N t^T. The
// non-associated term |u_T| is in the Newton matrix, by t = u_T / sqrt(|u_T|^2 + m^2): smooth while m is large. A fixed point
// on |u_T| outside (Cadoux 2009, Acary et al. 2011) needs several such solves and stops to contract where mu is large. W may be
// rank deficient, since Theta is positive definite.
//
// Semismooth Newton. F(r) = r - P(r - u~), with an element of its generalised Jacobian (I - J) + J G (W + shift): quadratic near
// a solution, and the shift handles multipliers that are not unique. Far from a solution the line search fails, which ends it.
//
// From the multipliers of sweeps, the function of Alart and Curnier (1991) has the larger domain of convergence: the normal part
// is that without friction, the tangential part is projected onto the disc that the normal part gives. Steps are not shortened:
// when contacts change between stick and slip the norm grows for a step, and line searches end there.
#include "contact/solve_internal.h"

enum { BLOCK = SP_CONE_ROWS_MAX * SP_CONE_ROWS_MAX, NEWTON_TRIES = 8, NEWTON_IDLE = 5 };

// The problem is not monotone, so no choice of parameters always works: the first is the fastest where it works, the others take
// over where steps become short. On 216 random hyperstatic problems with mu up to 1 the first solves 159, each of the next two
// about 190, one of the four all but a few.
typedef struct attempt {
    double smooth;  // |u_T| is smoothed by this times the root of the mean of x . y
    bool linear;    // ... or times the mean itself
    bool coupled;   // complementarity is not driven far ahead of the equation of y
    double back;    // part of the step to the boundary
} attempt;

static const attempt attempts[] = {
    {0.03, false, false, 0.995}, {3, true, true, 0.995}, {3, true, true, 0.8}, {1, false, true, 0.9}};

// Close to a solution the shift should be small. Far from it, from the multipliers of sweeps, a shift of the order of the
// residual keeps steps along multipliers that are not unique short.
static const double POLISH_SHIFT = 1e-4, START_SHIFT = 3;  // shift of W over the relative norm of the function
static const double POLISH_PROGRESS = 0.5;                 // a norm above this part of the last one ends it
static const double GROWTH = 1e4;                          // from sweeps: a step that multiplies the norm by more is not taken
static const double HARDER = 10;                           // ... and the next one has a shift larger by this factor
static const double CHORD = 0.5;                           // a factor is used again while the norm falls below this part

typedef enum law { LAW_FREE, LAW_HALF, LAW_CONE, LAW_SMOOTH, LAW_PINNED } law;  // SMOOTH: a cone without friction

struct sp_cone_interior {
    sp_context *ctx;
    sp_cone_factor *factor;
    sp_cone_span island;
    int groups, rows, cones;
    double scale;  // c
    bool split;    // Newton on the function of Alart and Curnier
    const struct attempt *attempt;
    double smooth;  // |u_T| is sqrt(|u_T|^2 + smooth^2) - smooth
    law *law;
    double *s, *P, *D;                // per group
    double *q, *r, *v;                // per row
    double *F, *step, *trial;         // per row
    double *x, *y, *dx, *dy, *theta;  // per row; theta: 9 per group: square root of Theta
    int group_capacity, row_capacity;
};

sp_status sp__cone_interior_create(sp_context *ctx, sp_cone_interior **out) {
    if (!SP_NEW(ctx, *out, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for the interior point method");
    (*out)->ctx = ctx;
    sp_status status = sp__cone_factor_create(ctx, &(*out)->factor);
    if (status < 0) sp__cone_interior_destroy(out);
    return status;
}

static void interior_free(sp_cone_interior *w) {
    void *arrays[] = {w->law, w->s, w->P, w->D, w->q, w->r, w->v, w->F, w->step, w->trial, w->x, w->y, w->dx, w->dy, w->theta};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) sp__free(w->ctx, arrays[i]);
    w->law = NULL;
    w->s = w->P = w->D = w->q = w->r = w->v = w->F = w->step = w->trial = w->x = w->y = w->dx = w->dy = w->theta = NULL;
    w->group_capacity = w->row_capacity = 0;
}

void sp__cone_interior_destroy(sp_cone_interior **interior) {
    sp_cone_interior *w = *interior;
    if (!w) return;
    interior_free(w);
    sp__cone_factor_destroy(&w->factor);
    sp__free(w->ctx, w);
    *interior = NULL;
}

static sp_status interior_reserve(sp_cone_interior *w, int groups, int rows) {
    if (groups <= w->group_capacity && rows <= w->row_capacity) return SP_OK;
    sp_context *c = w->ctx;
    interior_free(w);
    size_t g = (size_t)groups, n = (size_t)rows;
    if (!SP_NEW(c, w->law, g) || !SP_NEW(c, w->s, g) || !SP_NEW(c, w->P, g * BLOCK) || !SP_NEW(c, w->D, g * BLOCK) ||
        !SP_NEW(c, w->q, n) || !SP_NEW(c, w->r, n) || !SP_NEW(c, w->v, n) || !SP_NEW(c, w->F, n) || !SP_NEW(c, w->step, n) ||
        !SP_NEW(c, w->trial, n) || !SP_NEW(c, w->x, n) || !SP_NEW(c, w->y, n) || !SP_NEW(c, w->dx, n) || !SP_NEW(c, w->dy, n) ||
        !SP_NEW(c, w->theta, 9 * g)) {
        interior_free(w);
        return SP_FAIL(c, SP_NO_MEMORY, "no memory for the interior point method on %d rows", rows);
    }
    w->group_capacity = groups, w->row_capacity = rows;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ the scaled island

static int row_of(const sp_cone_interior *w, const sp_cone_run_state *s, int g) {
    return s->p->first[w->island.begin + g] - w->island.row;
}

static int rows_of(const sp_cone_interior *w, const sp_cone_run_state *s, int g) {
    return s->p->first[w->island.begin + g + 1] - s->p->first[w->island.begin + g];
}

static double mu_of(const sp_cone_interior *w, const sp_cone_run_state *s, int g) {
    return sp__cone_at(s->p, w->island.begin + g)->mu;
}

sp_status sp__cone_interior_prepare(sp_cone_interior *w, const sp_cone_run_state *s, const sp_cone_span *island,
                                    double most_flops) {
    w->island = *island;
    w->groups = island->end - island->begin, w->rows = island->row_end - island->row;
    SP_TRY(sp__cone_factor_analyse(w->factor, s->p, island->begin, island->end));
    if (sp__cone_factor_flops(w->factor) > most_flops) return SP_LIMIT;
    SP_TRY(sp__cone_factor_reserve(w->factor));
    SP_TRY(interior_reserve(w, w->groups, w->rows));
    w->scale = 0, w->cones = 0;
    for (int g = 0; g < w->groups; g++) {
        const sp_cone_group *group = sp__cone_at(s->p, island->begin + g);
        double weight = s->weight[island->begin + g];
        w->law[g] = weight == 0                         ? LAW_PINNED
                    : group->kind == SP_CONE_BILATERAL  ? LAW_FREE
                    : group->kind == SP_CONE_UNILATERAL ? LAW_HALF
                    : group->mu == 0                    ? LAW_SMOOTH
                                                        : LAW_CONE;
        w->cones += w->law[g] == LAW_HALF || w->law[g] == LAW_CONE || w->law[g] == LAW_SMOOTH;
        w->s[g] = weight > 0 ? 1 / sqrt(weight) : 1;
        for (int k = row_of(w, s, g); k < row_of(w, s, g) + rows_of(w, s, g); k++) {
            w->q[k] = w->s[g] * s->q[island->row + k];
            if (weight > 0) w->scale = fmax(w->scale, fabs(w->q[k]));
        }
    }
    if (!(w->scale > 0)) w->scale = 1;
    for (int k = 0; k < w->rows; k++) w->q[k] /= w->scale;
    return SP_OK;
}

// v = W r + q, scaled
static void scaled_violation(const sp_cone_interior *w, const sp_cone_run_state *s, const double *r, double *v) {
    int base = w->island.row;
    for (int g = 0; g < w->groups; g++)
        for (int k = row_of(w, s, g); k < row_of(w, s, g) + rows_of(w, s, g); k++) s->t[base + k] = w->s[g] * r[k];
    for (int g = 0; g < w->groups; g++) {
        double sum[SP_CONE_ROWS_MAX] = {0};
        int row = row_of(w, s, g);
        sp__cone_panel_multiply(s, w->island.begin + g, base, w->island.row_end, s->t, sum);
        for (int k = 0; k < rows_of(w, s, g); k++) v[row + k] = w->s[g] * sum[k] + w->q[row + k];
    }
}

// Error of r, whose violation is v, in the units of the caller; keeps the best multipliers.
static double judge(const sp_cone_interior *w, const sp_cone_run_state *s, const double *r, const double *v, double *best) {
    double error = 0;
    for (int g = 0; g < w->groups; g++) {
        double x[SP_CONE_ROWS_MAX], u[SP_CONE_ROWS_MAX];
        int row = row_of(w, s, g);
        for (int k = 0; k < rows_of(w, s, g); k++) x[k] = w->s[g] * w->scale * r[row + k], u[k] = v[row + k] * w->scale / w->s[g];
        error = sp__cone_group_error(s, w->island.begin + g, x, u, error);
    }
    error = sqrt(error);
    if (!(error < *best)) return isfinite(error) ? error : INFINITY;
    *best = error;
    for (int g = 0; g < w->groups; g++)
        for (int k = row_of(w, s, g); k < row_of(w, s, g) + rows_of(w, s, g); k++)
            s->best[w->island.row + k] = w->law[g] == LAW_PINNED ? 0 : w->s[g] * w->scale * r[k];
    return error;
}

// ------------------------------------------------------------------------------------------------ semismooth Newton

// P_K and an element of its generalised Jacobian
static void project_with_jacobian(double mu, const double z[3], double p[3], double J[9]) {
    double t = hypot(z[1], z[2]);
    memset(J, 0, 9 * sizeof *J);
    sp__cone_project(mu, z, p);
    if (t <= mu * z[0]) {
        J[0] = J[4] = J[8] = 1;
    } else if (mu * t > -z[0]) {
        double d[2] = {z[1] / t, z[2] / t}, k = 1 / (1 + mu * mu), round = mu * p[0] / t;
        J[0] = k;
        for (int a = 0; a < 2; a++) {
            J[1 + a] = J[3 * (a + 1)] = mu * k * d[a];
            for (int b = 0; b < 2; b++) J[3 * (a + 1) + b + 1] = round * ((a == b) - d[a] * d[b]) + mu * mu * k * d[a] * d[b];
        }
    }
}

// natural map of a half line in the row k of a group; *P and *D: its derivatives
static double natural_half(double r, double v, double *P, double *D) {
    bool closed = r - v > 0;
    *P = closed, *D = !closed;
    return closed ? v : r;
}

static void natural_cone(double mu, const double *r, const double *v, double *F, double *P, double *D) {
    double t = hypot(v[1], v[2]), z[3] = {r[0] - v[0] - mu * t, r[1] - v[1], r[2] - v[2]}, p[3], J[9];
    double G[2] = {t > 0 ? mu * v[1] / t : 0, t > 0 ? mu * v[2] / t : 0};
    project_with_jacobian(mu, z, p, J);
    for (int a = 0; a < 3; a++) {
        F[a] = r[a] - p[a];
        if (!P) continue;
        for (int b = 0; b < 3; b++) {
            P[3 * a + b] = J[3 * a + b] + (b > 0 ? J[3 * a] * G[b - 1] : 0);
            D[3 * a + b] = (a == b) - J[3 * a + b];
        }
    }
}

// The function of Alart and Curnier. The disc has the radius mu (r_N - v_N): at a solution v_N = 0 where r_N > 0.
static void split_cone(double mu, const double *r, const double *v, double *F, double *P, double *D) {
    double z[3] = {r[0] - v[0], r[1] - v[1], r[2] - v[2]}, t = sqrt(z[1] * z[1] + z[2] * z[2]), radius = mu * z[0];
    bool open = z[0] <= 0, stick = !open && t <= radius;
    if (P) {
        memset(P, 0, 9 * sizeof *P), memset(D, 0, 9 * sizeof *D);
        *(open ? D : P) = 1;
    }
    F[0] = open ? r[0] : v[0];
    for (int a = 0; a < 2; a++) {
        double d = open || stick ? 0 : z[1 + a] / t;
        F[1 + a] = open ? r[1 + a] : stick ? v[1 + a] : r[1 + a] - radius * d;
        if (!P) continue;
        P[3 * (a + 1)] = mu * d, D[3 * (a + 1)] = -mu * d;
        for (int b = 0; b < 2; b++) {
            double part = open ? 0 : stick ? a == b : radius / t * ((a == b) - d * z[1 + b] / t);
            P[3 * (a + 1) + b + 1] = part, D[3 * (a + 1) + b + 1] = (a == b) - part;
        }
    }
}

// The natural map, or the function of Alart and Curnier, of all groups, returns its norm; with derivatives if P is not NULL.
static double natural_map(const sp_cone_interior *w, const sp_cone_run_state *s, const double *r, const double *v, double *F,
                          double *P, double *D) {
    double sum = 0;
    for (int g = 0; g < w->groups; g++) {
        int row = row_of(w, s, g), rows = rows_of(w, s, g);
        double *Pg = P ? P + (size_t)g * BLOCK : NULL, *Dg = P ? D + (size_t)g * BLOCK : NULL, one, other;
        if (w->law[g] == LAW_CONE) {
            (w->split ? split_cone : natural_cone)(mu_of(w, s, g), r + row, v + row, F + row, Pg, Dg);
        } else {
            if (Pg) memset(Pg, 0, BLOCK * sizeof *Pg), memset(Dg, 0, BLOCK * sizeof *Dg);
            for (int k = 0; k < rows; k++) {
                double *at = F + row + k;
                bool half = w->law[g] == LAW_HALF || (w->law[g] == LAW_SMOOTH && k == 0);
                if (half)
                    *at = natural_half(r[row + k], v[row + k], &one, &other);
                else
                    one = w->law[g] == LAW_FREE, other = !one, *at = one > 0 ? v[row + k] : r[row + k];
                if (Pg) Pg[k * (rows + 1)] = one, Dg[k * (rows + 1)] = other;
            }
        }
        for (int k = 0; k < rows; k++) sum += F[row + k] * F[row + k];
    }
    return sqrt(sum);
}

// The step from r with v, by a new factor. damping: the shift of W over the relative norm.
static void newton_direction(sp_cone_interior *w, const sp_cone_run_state *s, double damping, double *norm) {
    *norm = natural_map(w, s, w->r, w->v, w->F, w->P, w->D);
    for (int g = 0; g < w->groups; g++)
        for (int k = 0; k < rows_of(w, s, g); k++) w->D[(size_t)g * BLOCK + (size_t)(k * (rows_of(w, s, g) + 1))] += 1e-12;
    double relative = *norm / (1 + sqrt((double)w->rows));
    sp_cone_matrix A = {.P = w->P, .D = w->D, .s = w->s, .shift = fmax(1e-9, damping * fmin(1, relative))};
    *s->spent += sp__cone_factor_flops(w->factor);
    sp__cone_factor_make(w->factor, s->p, &A);
    for (int k = 0; k < w->rows; k++) w->step[k] = -w->F[k];
    sp__cone_factor_solve(w->factor, w->step, w->step);
}

// Goes along the step; F and v are then those of r. False: the norm would be above `most`.
static bool newton_advance(sp_cone_interior *w, const sp_cone_run_state *s, double length, double most, double *norm) {
    for (int k = 0; k < w->rows; k++) w->trial[k] = w->r[k] + length * w->step[k];
    scaled_violation(w, s, w->trial, w->v);
    double next = natural_map(w, s, w->trial, w->v, w->F, NULL, NULL);
    if (!(next <= most)) return false;
    memcpy(w->r, w->trial, (size_t)w->rows * sizeof *w->r);
    *norm = next;
    return true;
}

// One Newton step with line search. False: none reduces the norm.
static bool newton_step(sp_cone_interior *w, const sp_cone_run_state *s, double *norm) {
    newton_direction(w, s, POLISH_SHIFT, norm);
    for (double length = 1; length > 1e-3; length /= 2)
        if (newton_advance(w, s, length, (1 - 1e-4 * length) * *norm, norm)) return true;
    scaled_violation(w, s, w->r, w->v);
    return false;
}

// Newton on the natural map from w->r until the limit, a failed line search or slow progress.
static bool newton_polish(sp_cone_interior *w, const sp_cone_run_state *s, int iterations, double *best, int *done) {
    w->split = false;
    scaled_violation(w, s, w->r, w->v);
    double norm = 0, last = natural_map(w, s, w->r, w->v, w->F, NULL, NULL);
    if (judge(w, s, w->r, w->v, best) <= s->limit) return true;
    for (int i = 0; i < iterations && !sp__cone_spent(s); i++) {
        bool moved = newton_step(w, s, &norm);
        ++*done;
        if (judge(w, s, w->r, w->v, best) <= s->limit) return true;
        if (!moved || (i >= 2 && norm > POLISH_PROGRESS * last)) return false;
        if (i > 0) last = norm;
    }
    return false;
}

// Steps with the factor of the last step, while they reduce the norm by far: each costs about as much as three sweeps.
static bool newton_chords(sp_cone_interior *w, const sp_cone_run_state *s, double *norm, double *best) {
    for (;;) {
        for (int k = 0; k < w->rows; k++) w->step[k] = -w->F[k];
        sp__cone_factor_solve(w->factor, w->step, w->step);
        if (!newton_advance(w, s, 1, CHORD * *norm, norm)) break;
        if (judge(w, s, w->r, w->v, best) <= s->limit) return true;
    }
    scaled_violation(w, s, w->r, w->v);
    return false;
}

static void newton_start(sp_cone_interior *w, const sp_cone_run_state *s) {
    for (int g = 0; g < w->groups; g++)
        for (int k = row_of(w, s, g); k < row_of(w, s, g) + rows_of(w, s, g); k++)
            w->r[k] = s->x[w->island.row + k] / (w->s[g] * w->scale);
}

bool sp__cone_newton_solve(sp_cone_interior *w, const sp_cone_run_state *s, int iterations, double *best, int *done) {
    newton_start(w, s);
    return newton_polish(w, s, iterations, best, done);
}

bool sp__cone_newton_full(sp_cone_interior *w, const sp_cone_run_state *s, int iterations, double *best, int *done) {
    double norm = 0, least = INFINITY, damping = START_SHIFT;
    newton_start(w, s);
    w->split = true;
    scaled_violation(w, s, w->r, w->v);
    for (int i = 0, last = 0; i < iterations && i - last < NEWTON_IDLE && !sp__cone_spent(s); i++) {
        newton_direction(w, s, damping, &norm);
        const double before = norm;
        ++*done;
        if (!newton_advance(w, s, 1, GROWTH * before, &norm)) {
            damping *= HARDER;
            scaled_violation(w, s, w->r, w->v);
            continue;
        }
        if (judge(w, s, w->r, w->v, best) <= s->limit) return true;
        if (norm < before && newton_chords(w, s, &norm, best)) return true;
        if (norm < least) least = norm, last = i;
    }
    return false;
}

// ------------------------------------------------------------------------------------------------ Lorentz cones

static double lorentz_det(const double a[3]) {
    double t = hypot(a[1], a[2]);
    return (a[0] - t) * (a[0] + t);
}

// largest t <= 1e30 with a + t d in the cone
static double lorentz_step(const double a[3], const double d[3]) {
    double A = d[0] * d[0] - d[1] * d[1] - d[2] * d[2], B = a[0] * d[0] - a[1] * d[1] - a[2] * d[2], C = lorentz_det(a);
    double t = d[0] < 0 ? -a[0] / d[0] : 1e30, root = B * B - A * C;
    if (root < 0 || (A >= 0 && B >= 0)) return t;
    // the two roots of A t^2 + 2 B t + C, without cancellation
    double z = -(B + (B >= 0 ? sqrt(root) : -sqrt(root)));
    double roots[2] = {A != 0 ? z / A : -1, z != 0 ? C / z : -1};
    for (int i = 0; i < 2; i++)
        if (roots[i] > 0 && roots[i] < t) t = roots[i];
    return t;
}

// The matrix k (2 h h^T - J), J = diag(1, -1, -1); inverse: of its inverse
static void lorentz_apply(const double h[3], double k, bool inverse, const double a[3], double out[3]) {
    double sign = inverse ? -1 : 1, dot = 2 * (h[0] * a[0] + sign * (h[1] * a[1] + h[2] * a[2]));
    double f = inverse ? 1 / k : k;
    out[0] = f * (dot * h[0] - a[0]);
    out[1] = f * (sign * dot * h[1] + a[1]), out[2] = f * (sign * dot * h[2] + a[2]);
}

// Nesterov-Todd: Theta^(1/2) = k (2 h h^T - J) with Theta x = y
static void nesterov_todd(const double x[3], const double y[3], double h[3], double *k) {
    double dx = sqrt(lorentz_det(x)), dy = sqrt(lorentz_det(y)), p[3];
    double dot = (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]) / (dx * dy), g = sqrt(0.5 * (1 + dot));
    // the inverse of the scaling point, of determinant one
    for (int i = 0; i < 3; i++) p[i] = (y[i] / dy + (i ? -1 : 1) * x[i] / dx) / (2 * g);
    double f = 1 / sqrt(2 * (p[0] + 1));
    h[0] = f * (p[0] + 1), h[1] = f * p[1], h[2] = f * p[2];
    *k = sqrt(dy / dx);
}

// z with l o z = a
static void lorentz_divide(const double l[3], const double a[3], double z[3]) {
    double det = lorentz_det(l), dot = l[1] * a[1] + l[2] * a[2];
    z[0] = (l[0] * a[0] - dot) / det;
    for (int i = 1; i < 3; i++) z[i] = (a[i] - z[0] * l[i]) / l[0];
}

// ------------------------------------------------------------------------------------------------ interior point

static double smooth_length(const sp_cone_interior *w, const double v[3]) {
    return sqrt(v[1] * v[1] + v[2] * v[2] + w->smooth * w->smooth) - w->smooth;
}

// cones have three rows, half lines the first one
static bool is_inside(const sp_cone_interior *w, int g) {
    return w->law[g] == LAW_CONE || w->law[g] == LAW_HALF || w->law[g] == LAW_SMOOTH;
}

static double interior_mean(const sp_cone_interior *w, const sp_cone_run_state *s, double length) {
    double sum = 0;
    for (int g = 0; g < w->groups; g++) {
        int row = row_of(w, s, g), rows = w->law[g] == LAW_CONE ? 3 : is_inside(w, g) ? 1 : 0;
        for (int k = row; k < row + rows; k++) sum += (w->x[k] + length * w->dx[k]) * (w->y[k] + length * w->dy[k]);
    }
    return sum / w->cones;
}

static double interior_longest(const sp_cone_interior *w, const sp_cone_run_state *s) {
    double t = 1e30;
    for (int g = 0; g < w->groups; g++) {
        int row = row_of(w, s, g);
        const double *x = w->x + row, *y = w->y + row, *dx = w->dx + row, *dy = w->dy + row;
        if (w->law[g] == LAW_CONE) {
            t = fmin(t, fmin(lorentz_step(x, dx), lorentz_step(y, dy)));
        } else if (is_inside(w, g)) {
            if (dx[0] < 0) t = fmin(t, -x[0] / dx[0]);
            if (dy[0] < 0) t = fmin(t, -y[0] / dy[0]);
        }
    }
    return t;
}

static void interior_start(sp_cone_interior *w, const sp_cone_run_state *s) {
    for (int g = 0; g < w->groups; g++) {
        int row = row_of(w, s, g);
        for (int k = row; k < row + rows_of(w, s, g); k++) w->r[k] = w->x[k] = w->y[k] = 0;
        if (!is_inside(w, g)) continue;
        w->x[row] = w->y[row] = 1;
        w->r[row] = w->law[g] == LAW_CONE ? 1 / mu_of(w, s, g) : 1;
    }
}

// G and Theta of every group at the current point; frozen: |u_T| is held, G = I
static void interior_matrix(sp_cone_interior *w, const sp_cone_run_state *s, bool frozen) {
    double smooth = w->smooth;
    memset(w->P, 0, (size_t)w->groups * BLOCK * sizeof *w->P);
    memset(w->D, 0, (size_t)w->groups * BLOCK * sizeof *w->D);
    for (int g = 0; g < w->groups; g++) {
        int row = row_of(w, s, g), rows = rows_of(w, s, g);
        double *P = w->P + (size_t)g * BLOCK, *D = w->D + (size_t)g * BLOCK, *h = w->theta + 9 * (size_t)g;
        if (w->law[g] != LAW_CONE) {
            for (int k = 0; k < rows; k++) {
                bool inside = is_inside(w, g) && k == 0, acts = inside || w->law[g] == LAW_FREE;
                P[k * (rows + 1)] = acts;
                D[k * (rows + 1)] = inside ? w->y[row] / w->x[row] : acts ? 1e-13 : 1;
            }
            continue;
        }
        double mu = mu_of(w, s, g), t = 1 / sqrt(w->v[row + 1] * w->v[row + 1] + w->v[row + 2] * w->v[row + 2] + smooth * smooth);
        P[0] = P[4] = P[8] = 1;
        if (!frozen) P[1] = mu * t * w->v[row + 1], P[2] = mu * t * w->v[row + 2];
        nesterov_todd(w->x + row, w->y + row, h, &h[3]);
        for (int c = 0; c < 3; c++) {
            double unit[3] = {0}, half[3], whole[3];
            unit[c] = c == 0 ? mu : 1;
            lorentz_apply(h, h[3], false, unit, half);
            lorentz_apply(h, h[3], false, half, whole);
            D[c] = mu * whole[0], D[3 + c] = whole[1], D[6 + c] = whole[2];
        }
    }
}

// The part of the right-hand side that comes from complementarity: sigma m x^-1 and, `second`, the products of the predictor. It
// is added to dy; the caller's part is in F.
static void interior_target(sp_cone_interior *w, const sp_cone_run_state *s, double center, bool second) {
    for (int g = 0; g < w->groups; g++) {
        int row = row_of(w, s, g);
        double *dx = w->dx + row, *dy = w->dy + row, *x = w->x + row;
        const double *h = w->theta + 9 * (size_t)g;
        if (w->law[g] == LAW_CONE) {
            double l[3], a[3] = {center, 0, 0}, z[3];
            lorentz_apply(h, h[3], false, x, l);
            if (second) {
                double b[3], c[3];
                lorentz_apply(h, h[3], false, dx, b);
                lorentz_apply(h, h[3], true, dy, c);
                a[0] -= b[0] * c[0] + b[1] * c[1] + b[2] * c[2];
                a[1] -= b[0] * c[1] + c[0] * b[1], a[2] -= b[0] * c[2] + c[0] * b[2];
            }
            lorentz_divide(l, a, z);
            lorentz_apply(h, h[3], false, z, dy);  // holds the target until the step is solved
        } else if (is_inside(w, g)) {
            dy[0] = (center - (second ? dx[0] * dy[0] : 0)) / x[0];
        }
    }
}

// Solves for dr with the targets in dy, then dx and dy.
static void interior_direction(sp_cone_interior *w, const sp_cone_run_state *s) {
    for (int g = 0; g < w->groups; g++) {
        int row = row_of(w, s, g), rows = rows_of(w, s, g);
        double mu = mu_of(w, s, g);
        const double *v = w->v + row;
        for (int k = 0; k < rows; k++) {
            bool inside = is_inside(w, g) && (k == 0 || w->law[g] == LAW_CONE), acts = inside || w->law[g] == LAW_FREE;
            double target = inside ? (w->law[g] == LAW_CONE && k == 0 ? mu : 1) * w->dy[row + k] : 0;
            w->step[row + k] = acts ? target - v[k] : -w->r[row + k];
        }
        if (w->law[g] == LAW_CONE) w->step[row] -= mu * smooth_length(w, v);
    }
    sp__cone_factor_solve(w->factor, w->step, w->step);
    for (int g = 0; g < w->groups; g++) {
        int row = row_of(w, s, g);
        double *dx = w->dx + row, *dy = w->dy + row, *y = w->y + row;
        if (w->law[g] == LAW_CONE) {
            const double *h = w->theta + 9 * (size_t)g;
            double half[3], whole[3];
            dx[0] = mu_of(w, s, g) * w->step[row], dx[1] = w->step[row + 1], dx[2] = w->step[row + 2];
            lorentz_apply(h, h[3], false, dx, half);
            lorentz_apply(h, h[3], false, half, whole);
            for (int k = 0; k < 3; k++) dy[k] -= y[k] + whole[k];
        } else if (is_inside(w, g)) {
            dx[0] = w->step[row];
            dy[0] -= y[0] + y[0] / w->x[row] * dx[0];
        }
    }
}

// Root mean square of y - (u~ in Lorentz coordinates): how far the point is from the equation of y.
static double interior_gap(const sp_cone_interior *w, const sp_cone_run_state *s) {
    double sum = 0;
    for (int g = 0; g < w->groups; g++) {
        int row = row_of(w, s, g);
        const double *v = w->v + row, *y = w->y + row;
        if (w->law[g] == LAW_CONE) {
            double n = y[0] - v[0] / mu_of(w, s, g) - smooth_length(w, v);
            sum += n * n + (y[1] - v[1]) * (y[1] - v[1]) + (y[2] - v[2]) * (y[2] - v[2]);
        } else if (is_inside(w, g)) {
            sum += (y[0] - v[0]) * (y[0] - v[0]);
        }
    }
    return sqrt(sum / w->cones);
}

// Predictor and corrector with the matrix of interior_matrix; returns the step length.
static double interior_try(sp_cone_interior *w, const sp_cone_run_state *s, double mean, bool frozen) {
    interior_matrix(w, s, frozen);
    sp_cone_matrix A = {.P = w->P, .D = w->D, .s = w->s, .shift = 1e-13};
    *s->spent += sp__cone_factor_flops(w->factor);
    sp__cone_factor_make(w->factor, s->p, &A);
    memset(w->dy, 0, (size_t)w->rows * sizeof *w->dy);
    interior_direction(w, s);
    double length = fmin(1, interior_longest(w, s)), ratio = interior_mean(w, s, length) / mean;
    double sigma = fmin(1, fmax(1e-6, ratio * ratio * ratio));
    double center = w->attempt->coupled ? fmax(sigma * mean, fmin(0.5 * mean, interior_gap(w, s))) : sigma * mean;
    interior_target(w, s, center, true);
    interior_direction(w, s);
    length = fmin(1, w->attempt->back * interior_longest(w, s));
    if (length >= 0.1) return length;
    // the second-order term misleads: towards the centre without it
    interior_target(w, s, 0.5 * mean, false);
    interior_direction(w, s);
    return fmin(1, w->attempt->back * interior_longest(w, s));
}

// One iteration; returns the step length. With the derivative of |u_T| the problem is not monotone, and steps may become short
// close to the boundary; then |u_T| is held for this iteration.
static double interior_step(sp_cone_interior *w, const sp_cone_run_state *s, double mean, int *done) {
    w->smooth = w->attempt->linear ? w->attempt->smooth * mean : w->attempt->smooth * sqrt(mean);
    double length = interior_try(w, s, mean, false);
    ++*done;
    if (length < 0.3) length = interior_try(w, s, mean, true), ++*done;
    for (int k = 0; k < w->rows; k++) {
        w->r[k] += length * w->step[k];
        w->x[k] += length * w->dx[k], w->y[k] += length * w->dy[k];
    }
    // x stays on the ray of r: rounding must not separate them
    for (int g = 0; g < w->groups; g++) {
        int row = row_of(w, s, g);
        if (w->law[g] == LAW_CONE)
            w->r[row] = w->x[row] / mu_of(w, s, g), w->r[row + 1] = w->x[row + 1], w->r[row + 2] = w->x[row + 2];
    }
    return length;
}

static bool interior_valid(const sp_cone_interior *w, const sp_cone_run_state *s) {
    for (int g = 0; g < w->groups; g++) {
        int row = row_of(w, s, g);
        if (w->law[g] == LAW_CONE &&
            !(lorentz_det(w->x + row) > 0 && lorentz_det(w->y + row) > 0 && w->x[row] > 0 && w->y[row] > 0))
            return false;
        if (is_inside(w, g) && !(w->x[row] > 0 && w->y[row] > 0)) return false;
    }
    return true;
}

// Newton from the current point; the point is restored
static bool interior_polish(sp_cone_interior *w, const sp_cone_run_state *s, double *best, int *done) {
    double *keep = w->dx;
    memcpy(keep, w->r, (size_t)w->rows * sizeof *keep);
    bool good = newton_polish(w, s, NEWTON_TRIES, best, done);
    memcpy(w->r, keep, (size_t)w->rows * sizeof *keep);
    return good;
}

static bool interior_run(sp_cone_interior *w, const sp_cone_run_state *s, int iterations, double *best, int *done) {
    double tried = 1e-2;  // a first try of Newton at a mean of 1e-4, the next ones at a hundredth of the last
    int short_steps = 0;
    interior_start(w, s);
    for (int i = 0; !sp__cone_spent(s); i++) {
        scaled_violation(w, s, w->r, w->v);
        if (judge(w, s, w->r, w->v, best) <= s->limit) return true;
        double mean = interior_mean(w, s, 0);
        bool last = short_steps >= 3 || !(mean > 1e-16) || i == iterations;
        if (last || mean < 1e-2 * tried) {
            tried = mean;
            if (interior_polish(w, s, best, done)) return true;
            if (last) return false;
            scaled_violation(w, s, w->r, w->v);
        }
        double length = interior_step(w, s, mean, done);
        if (!interior_valid(w, s)) return false;
        short_steps = length < 1e-4 ? short_steps + 1 : 0;
    }
    return false;
}

bool sp__cone_interior_solve(sp_cone_interior *w, const sp_cone_run_state *s, int iterations, double *best, int *done) {
    if (!w->cones) {
        memset(w->r, 0, (size_t)w->rows * sizeof *w->r);
        return newton_polish(w, s, NEWTON_TRIES, best, done);
    }
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
        w->attempt = &attempts[i];
        if (interior_run(w, s, i == 0 ? iterations / 2 : iterations, best, done)) return true;
        if (sp__cone_spent(s)) return false;
    }
    return false;
}
