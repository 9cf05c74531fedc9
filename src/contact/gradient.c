// Accelerated projected gradient for problems in operator form (Mazhar, Heyn, Negrut and Tasora 2015), in multipliers scaled by
// the weights of the diagonal blocks. One product with W per trial step: the point y = x + b (x - x') of the extrapolation has W
// y = W x + b (W x - W x'). The non-associated term mu |u_T| is taken at y and held during a step.
//
// Its work per iteration is one product, its convergence that of a gradient method: for moderate accuracy. Problems whose W
// can be stored are better served by Gauss-Seidel and the interior point method.
#include "contact/solve_internal.h"

// It ends where so many products have not reduced the least error to this part.
enum { LOOK = 500 };
static const double PROGRESS = 0.9;

typedef struct gradient {
    const sp_cone_operator *op;
    const sp_cone_options *o;
    double *s;                    // per row: 1 / sqrt(weight); 0: dropped
    double *x, *Wx, *old, *Wold;  // last two points, scaled; W scaled
    double *y, *Wy, *g;           // extrapolated point, gradient u~ there
    double *next, *Wnext, *best;  // trial point
    double *full;                 // argument of the product
    double best_error, limit;
} gradient;

// W in the scaled multipliers
static void gradient_multiply(const gradient *c, const double *x, double *out) {
    int n = c->op->row_count;
    for (int i = 0; i < n; i++) c->full[i] = c->s[i] * x[i];
    c->op->multiply(c->op->user, c->full, out);
    for (int i = 0; i < n; i++) out[i] *= c->s[i];
}

static void project_group(const sp_cone_group *g, double *x) {
    double p[3];
    if (g->kind == SP_CONE_UNILATERAL) x[0] = fmax(0, x[0]);
    if (g->kind != SP_CONE_COULOMB) return;
    sp__cone_project(g->mu, x, p);
    memcpy(x, p, sizeof p);
}

// error in the norm of the options at x, and the best point
static double gradient_judge(gradient *c, const double *x, const double *Wx) {
    bool plain = c->o->norm == SP_CONE_NORM_PLAIN;
    double sum = 0, most = 0;
    for (int k = 0; k < c->op->group_count; k++) {
        const sp_cone_group *g = &c->op->group[k];
        double e[SP_CONE_ROWS_MAX], r[SP_CONE_ROWS_MAX], u[SP_CONE_ROWS_MAX], w = c->op->diagonal[k], square = 0;
        if (!(w > 0)) continue;
        for (int i = 0; i < g->rows; i++)
            r[i] = c->s[g->row + i] * x[g->row + i], u[i] = Wx[g->row + i] / c->s[g->row + i] + c->op->q[g->row + i];
        sp__cone_natural(g->kind, g->rows, g->mu, plain ? 1 : w, r, u, e);
        for (int i = 0; i < g->rows; i++) square += e[i] * e[i];
        sum += square, most = fmax(most, w * sqrt(square));
    }
    double error = plain ? sqrt(sum) : most;
    if (error < c->best_error) {
        c->best_error = error;
        memcpy(c->best, x, (size_t)c->op->row_count * sizeof *x);
    }
    return error;
}

// g = u~ at y, scaled
static void gradient_at(const gradient *c) {
    for (int k = 0; k < c->op->group_count; k++) {
        const sp_cone_group *g = &c->op->group[k];
        for (int i = g->row; i < g->row + g->rows; i++) c->g[i] = c->Wy[i] + c->s[i] * c->op->q[i];
        if (g->kind == SP_CONE_COULOMB) c->g[g->row] += g->mu * hypot(c->g[g->row + 1], c->g[g->row + 2]);
    }
}

// next = P(y - g / L); returns the largest ratio of the curvature along the step, which must not exceed L
static double gradient_try(const gradient *c, double L) {
    int n = c->op->row_count;
    for (int i = 0; i < n; i++) c->next[i] = c->y[i] - c->g[i] / L;
    for (int k = 0; k < c->op->group_count; k++) project_group(&c->op->group[k], c->next + c->op->group[k].row);
    gradient_multiply(c, c->next, c->Wnext);
    double curve = 0, square = 0;
    for (int i = 0; i < n; i++) {
        double d = c->next[i] - c->y[i];
        curve += d * (c->Wnext[i] - c->Wy[i]), square += d * d;
    }
    return square > 0 ? curve / square : 0;
}

static void gradient_swap(double **a, double **b) {
    double *keep = *a;
    *a = *b, *b = keep;
}

static int gradient_run(gradient *c, double end_ms) {
    int n = c->op->row_count, products = 1;
    double L = 1, theta = 1, before = INFINITY;
    int look = LOOK;
    gradient_multiply(c, c->x, c->Wx);
    memcpy(c->y, c->x, (size_t)n * sizeof *c->y), memcpy(c->Wy, c->Wx, (size_t)n * sizeof *c->Wy);
    while (products < c->o->sweeps) {
        if (gradient_judge(c, c->x, c->Wx) <= c->limit && c->o->tolerance > 0) break;
        if (end_ms > 0 && sp__now_ms() > end_ms) break;
        if (products >= look && c->o->tolerance > 0) {
            if (c->best_error > PROGRESS * before) break;
            before = c->best_error, look = products + LOOK;
        }
        gradient_at(c);
        for (double curve; curve = gradient_try(c, L), products++, curve > L * (1 + 1e-12) && products < c->o->sweeps;)
            L = fmax(1.5 * L, curve);
        double uphill = 0;
        for (int i = 0; i < n; i++) uphill += c->g[i] * (c->next[i] - c->x[i]);
        double next = 0.5 * (-theta * theta + theta * sqrt(theta * theta + 4)), b = theta * (1 - theta) / (theta * theta + next);
        if (uphill > 0) next = 1, b = 0;  // restart: the momentum points uphill
        theta = next;
        gradient_swap(&c->old, &c->x), gradient_swap(&c->Wold, &c->Wx);
        gradient_swap(&c->x, &c->next), gradient_swap(&c->Wx, &c->Wnext);
        for (int i = 0; i < n; i++)
            c->y[i] = c->x[i] + b * (c->x[i] - c->old[i]), c->Wy[i] = c->Wx[i] + b * (c->Wx[i] - c->Wold[i]);
        L *= 0.95;
    }
    return products;
}

static sp_status gradient_allocate(sp_context *ctx, gradient *c, double **all) {
    size_t n = (size_t)c->op->row_count;
    if (!SP_NEW(ctx, *all, 12 * n)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a contact problem of %zu rows", n);
    double **parts[] = {&c->s, &c->x, &c->Wx, &c->old, &c->Wold, &c->y, &c->Wy, &c->g, &c->next, &c->Wnext, &c->best, &c->full};
    for (size_t i = 0; i < 12; i++) *parts[i] = *all + i * n;
    return SP_OK;
}

sp_status sp__cone_solve_operator(sp_context *ctx, const sp_cone_operator *op, const sp_cone_options *o, sp_cone_info *info) {
    gradient c = {.op = op, .o = o, .best_error = INFINITY};
    double *all, square = 0, most = 0;
    bool plain = o->norm == SP_CONE_NORM_PLAIN;
    *info = (sp_cone_info){.method = SP_CONE_PROJECTED_GRADIENT, .rows = op->row_count, .islands = 1};
    if (op->row_count == 0) return SP_OK;
    SP_TRY(gradient_allocate(ctx, &c, &all));
    for (int k = 0; k < op->group_count; k++) {
        bool drop = !(op->diagonal[k] > 0);
        if (drop) info->dropped += op->group[k].rows;
        for (int i = op->group[k].row; i < op->group[k].row + op->group[k].rows; i++) {
            c.s[i] = drop ? 0 : 1 / sqrt(op->diagonal[k]);
            c.x[i] = drop ? 0 : op->lambda[i] / c.s[i];
            square += op->q[i] * op->q[i], most = fmax(most, fabs(op->q[i]));
        }
    }
    double scale = plain ? 1 + sqrt(square) : most > 0 ? most : 1;
    c.limit = o->tolerance * scale;
    double end_ms = o->budget_ms > 0 ? sp__now_ms() + o->budget_ms : 0;
    info->sweeps = gradient_run(&c, end_ms);
    gradient_judge(&c, c.x, c.Wx);
    for (int i = 0; i < op->row_count; i++) op->lambda[i] = c.s[i] * c.best[i];
    op->multiply(op->user, op->lambda, op->u);
    for (int i = 0; i < op->row_count; i++) op->u[i] += op->q[i];
    info->residual = c.best_error / scale;
    info->largest = plain ? NAN : info->residual;
    info->expired = end_ms > 0 && sp__now_ms() > end_ms;
    info->status = isfinite(info->residual) && (o->tolerance == 0 || info->residual <= o->tolerance) ? SP_OK : SP_NOT_CONVERGED;
    sp__free(ctx, all);
    return SP_OK;
}
