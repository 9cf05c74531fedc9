// A clamped elastic beam as a linear system: a system at a bent and twisted state, its assembled matrix, a right-hand side.
#ifndef SP_BEAM_SYSTEM_H
#define SP_BEAM_SYSTEM_H

#include "linear/blocks.h"
#include "linear/solver.h"
#include "solid/solid.h"
#include "test.h"

typedef struct beam_def {
    int cells[3];     // unit cubes, 6 tetrahedra each; clamped at x = 0
    double young[3];  // alternating over the cells; density 1, Poisson's ratio 0.3
    double h;         // step [s]
    double bend;      // rotation per length, about z, and half as much about x
    int workers;
    const char *backend;
    bool loose;  // nothing clamped
} beam_def;

typedef struct beam {
    sp_context *ctx;
    sp_mesh *mesh;
    sp_error error;
    sp_body *body;
    sp_step step;
    sp_system A;
    sp_coef c;
    sp_blocks *M;
    sp_symmetric view;
    int n;
    double *b, *x, *y;  // n + 1 each
} beam;

static inline void beam_bend(beam *k, const beam_def *def) {
    const double *X = sp_mesh_positions(k->mesh);
    double *q = calloc((size_t)k->n, sizeof *q), *v = calloc((size_t)k->n, sizeof *v);
    for (int i = 0; i < k->n / 3; i++) {
        const double *p = X + 3 * i;
        double a = def->bend * p[0], t = 0.5 * a, y = cos(t) * p[1] - sin(t) * p[2], z = sin(t) * p[1] + cos(t) * p[2];
        double at = def->bend != 0 ? sin(a) / def->bend : p[0], up = def->bend != 0 ? (1 - cos(a)) / def->bend : 0;
        q[3 * i] = at - sin(a) * y, q[3 * i + 1] = up + cos(a) * y, q[3 * i + 2] = z;
    }
    k->body->ops->set_state(k->body, q, v);
    memcpy(k->body->q[SP_TRIAL], k->body->q[SP_COMMITTED], sizeof *q * (size_t)k->n);
    memcpy(k->body->v[SP_TRIAL], k->body->v[SP_COMMITTED], sizeof *v * (size_t)k->n);
    free(q), free(v);
}

static inline bool beam_make(beam *k, const beam_def *def) {
    double size[3] = {def->cells[0], def->cells[1], def->cells[2]};
    int tets = 6 * def->cells[0] * def->cells[1] * def->cells[2], held[512], count = 0;
    sp_context_def cd = sp_context_def_default();
    *k = (beam){0};
    cd.workers = def->workers ? def->workers : 1;
    if (sp_context_create(&cd, &k->ctx) < 0 || sp_mesh_box(k->ctx, size, def->cells, 6, &k->mesh) < 0) return false;
    double *young = calloc((size_t)tets, sizeof *young);
    for (int e = 0; e < tets; e++) young[e] = def->young[e / 6 % 3];
    for (int i = 0; i < sp_mesh_node_count(k->mesh) && count < 512 && !def->loose; i++)
        if (sp_mesh_positions(k->mesh)[3 * i] == 0) held[count++] = i;
    sp_fix fix = {held, count, SP_AXES_ALL, 0};
    sp_solid_def sd = sp_solid_def_default();
    sd.name = "beam", sd.mesh = k->mesh, sd.material = (sp_material){.density = 1, .young = def->young[0], .poisson = 0.3},
    sd.element_young = young;
    sd.fixes = &fix, sd.fix_count = def->loose ? 0 : 1;
    bool made = sp__solid_create(k->ctx, &k->error, &sd, def->backend ? def->backend : "auto", &k->body) >= 0;
    free(young);
    if (!made) return false;
    k->n = k->body->nv, k->c = (sp_coef){1, def->h, def->h * def->h};
    k->b = calloc((size_t)k->n + 1, sizeof *k->b), k->x = calloc((size_t)k->n + 1, sizeof *k->x);
    k->y = calloc((size_t)k->n + 1, sizeof *k->y);
    k->step = sp__step_default(0);
    k->step.gravity[1] = -10;
    beam_bend(k, def);
    if (k->body->ops->evaluate(k->body, &k->step, SP_WANT_FORCE) < 0 || k->body->ops->linearise(k->body, &k->step, &k->A) < 0)
        return false;
    for (int i = 0; i < k->n; i++) k->b[i] = k->body->fixed[i] ? 0 : def->h * k->body->f[i];
    if (k->A.make_pattern(k->A.o, k->ctx, &k->M) < 0 || k->A.assemble(k->A.o, k->c, k->M) < 0) return false;
    sp__blocks_view(k->M, &k->view);
    return true;
}

static inline void beam_drop(beam *k) {
    sp__blocks_destroy(&k->M);
    if (k->body) k->body->ops->destroy(k->body);
    free(k->b), free(k->x), free(k->y);
    sp_mesh_destroy(&k->mesh);
    sp_context_destroy(&k->ctx);
}

#endif
