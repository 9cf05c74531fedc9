// Contact problems for tests: rigid bodies of random mass with contacts at random points, and a dense W for checks.
#ifndef SP_CONE_HELP_H
#define SP_CONE_HELP_H

#include "contact/solve.h"
#include "test.h"

// How to make a random problem: `bodies` bodies of six unknowns, contacts between a body and the ground or another body.
typedef struct cone_recipe {
    int contacts, bodies;
    double mu;       // negative: random in [0, 1.5]
    double ratio;    // of the largest and the smallest mass
    int unilateral;  // every so many groups one row; 0: none
    int bilateral;   // every so many groups two bilateral rows; 0: none
    int width;       // bodies are a sheet of rows of so many, and touch the next one or the one behind; 0: any other body
    unsigned long long seed;
} cone_recipe;

static inline sp_context *cone_context(int workers) {
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    def.workers = workers;
    return sp_context_create(&def, &ctx) < 0 ? NULL : ctx;
}

typedef struct cone_body_rows {
    int body[2];
    double row[2][3][6];
} cone_body_rows;

// the body that a body touches with a contact
static inline int cone_partner(const cone_recipe *c, int body, unsigned long long *seed) {
    double chance = 0.4999 * (1 + sp_test_random(seed));
    if (c->width) return (body + (chance < 0.25 ? 1 : c->width)) % c->bodies;
    return (body + 1 + (int)(chance * (c->bodies - 1))) % c->bodies;
}

static inline void cone_groups(sp_cone_problem *p, const cone_recipe *c, unsigned long long *seed) {
    for (int i = 0; i < c->contacts; i++) {
        double mu = c->mu >= 0 ? c->mu : 0.75 * (1 + sp_test_random(seed));
        if (c->unilateral && i % c->unilateral == 1)
            sp__cone_add_group(p, SP_CONE_UNILATERAL, 1, 0, NULL);
        else if (c->bilateral && i % c->bilateral == 2)
            sp__cone_add_group(p, SP_CONE_BILATERAL, 2, 0, NULL);
        else
            sp__cone_add_group(p, SP_CONE_COULOMB, 3, mu, NULL);
    }
}

// W = sum over bodies of J M^-1 J^T, q = J v of a common velocity downwards and some noise: always solvable, because v = 0 is
// admissible.
static inline sp_status cone_random(sp_context *ctx, const cone_recipe *c, sp_cone_problem **out) {
    unsigned long long seed = c->seed * 7919 + 3;
    cone_body_rows *rows = calloc((size_t)c->contacts, sizeof *rows);
    double *inverse = calloc(6 * (size_t)c->bodies, sizeof *inverse), *v = calloc(6 * (size_t)c->bodies, sizeof *v);
    int *list = calloc((size_t)c->contacts + 1, sizeof *list);
    sp_status status = sp__cone_create(ctx, out);
    if (status >= 0) cone_groups(*out, c, &seed);
    for (int b = 0; b < c->bodies; b++) {
        double mass = exp(0.5 * log(c->ratio) * sp_test_random(&seed));
        for (int k = 0; k < 6; k++) inverse[6 * b + k] = (k < 3 ? 1 : 6) / mass, v[6 * b + k] = 0.3 * sp_test_random(&seed);
        v[6 * b] -= 1;  // towards the ground, against the normals
    }
    for (int i = 0; i < c->contacts; i++) {
        cone_body_rows *r = &rows[i];
        r->body[0] = i % c->bodies;
        r->body[1] = i % 3 == 0 ? -1 : cone_partner(c, r->body[0], &seed);
        if (r->body[1] == r->body[0]) r->body[1] = -1;
        double arm[3] = {0.5 * sp_test_random(&seed), 0.5 * sp_test_random(&seed), 0.5 * sp_test_random(&seed)};
        for (int side = 0; side < 2; side++)
            for (int d = 0; d < 3; d++) {
                double sign = side ? -1 : 1;
                r->row[side][d][d] = sign;
                r->row[side][d][3 + (d + 1) % 3] = sign * arm[(d + 2) % 3];
                r->row[side][d][3 + (d + 2) % 3] = -sign * arm[(d + 1) % 3];
            }
    }
    for (int b = 0; b < c->bodies && status >= 0; b++) {
        int n = 0;
        for (int i = 0; i < c->contacts; i++)
            if (rows[i].body[0] == b || rows[i].body[1] == b) list[n++] = i;
        status = sp__cone_add_clique(*out, n, list);
    }
    if (status >= 0) status = sp__cone_layout(*out);
    for (int i = 0; i < c->contacts && status >= 0; i++)
        for (int j = 0; j < c->contacts; j++)
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < 2; b++) {
                    int body = rows[i].body[a];
                    if (body < 0 || rows[j].body[b] != body) continue;
                    ptrdiff_t stride;
                    double *block = sp__cone_block(*out, i, j, &stride);
                    for (int r = 0; r < (*out)->group[i].rows; r++)
                        for (int s = 0; s < (*out)->group[j].rows; s++)
                            for (int k = 0; k < 6; k++)
                                block[r * stride + s] += rows[i].row[a][r][k] * inverse[6 * body + k] * rows[j].row[b][s][k];
                }
    for (int i = 0; i < c->contacts && status >= 0; i++)
        for (int a = 0; a < 2; a++)
            for (int r = 0; r < (*out)->group[i].rows && rows[i].body[a] >= 0; r++)
                for (int k = 0; k < 6; k++)
                    (*out)->q[(*out)->group[i].row + r] += rows[i].row[a][r][k] * v[6 * rows[i].body[a] + k];
    free(rows), free(inverse), free(v), free(list);
    return status;
}

// A problem of one contact with this block and q.
static inline sp_cone_problem *cone_single(sp_context *ctx, double mu, const double w[9], const double q[3]) {
    sp_cone_problem *p = NULL;
    ptrdiff_t stride;
    if (sp__cone_create(ctx, &p) < 0 || sp__cone_add_group(p, SP_CONE_COULOMB, 3, mu, NULL) < 0 || sp__cone_layout(p) < 0)
        return p;
    memcpy(sp__cone_block(p, 0, 0, &stride), w, 9 * sizeof *w);
    memcpy(p->q, q, 3 * sizeof *q);
    return p;
}

// Largest deviation from the laws, group by group: Signorini, cone, and slip against friction.
static inline double cone_law_error(const sp_cone_problem *p) {
    double worst = 0;
    for (int i = 0; i < p->group_count; i++) {
        const sp_cone_group *g = &p->group[i];
        const double *x = p->lambda + g->row, *u = p->u + g->row;
        if (g->kind == SP_CONE_BILATERAL) {
            for (int r = 0; r < g->rows; r++) worst = fmax(worst, fabs(u[r]));
            continue;
        }
        worst = fmax(worst, fmax(-u[0], fmax(-x[0], fabs(u[0] * x[0]))));
        if (g->kind != SP_CONE_COULOMB) continue;
        double t = hypot(x[1], x[2]), slip = hypot(u[1], u[2]);
        worst = fmax(worst, t - g->mu * x[0]);
        // power of friction: -mu x_N |u_T| exactly, or no slip
        if (x[0] > 0) worst = fmax(worst, fabs(x[1] * u[1] + x[2] * u[2] + g->mu * x[0] * slip));
    }
    return worst;
}

#endif
