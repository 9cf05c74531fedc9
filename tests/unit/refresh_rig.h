// A bar, its system, and a preconditioner kind controlled by the test: a dense factor that waits at a gate, fails on request and
// records the order of builds.
#ifndef SP_REFRESH_RIG_H
#define SP_REFRESH_RIG_H

#include <pthread.h>
#include <sched.h>

#include "linear/refresh.h"
#include "math/vec3.h"
#include "solid/solid.h"
#include "test.h"

// ---------------------------------------------------------------------------------------------------- the kind

static struct {
    atomic_int gate;   // 1: builds on the thread wait until it is 0 or they are asked to stop
    atomic_int fail;   // number of next builds that fail
    atomic_int begun;  // builds on the thread
    atomic_int built, stopped;
    int sizes[64];  // unknowns of each build, in order
} thumb;

typedef struct dense {
    sp_precond base;
    double *L;
} dense;

static void dense_destroy(sp_precond *p) {
    dense *d = (dense *)p;
    sp__free(p->ctx, d->L), sp__free(p->ctx, d);
}

static sp_status dense_create(sp_context *ctx, const sp_backend *be, const sp_solver_def *def, const sp_symmetric *pattern,
                              const double *points, const sp_precond *like, sp_precond **out) {
    dense *d;
    (void)points, (void)like;
    *out = NULL;
    if (!SP_NEW(ctx, d, 1)) return SP_NO_MEMORY;
    extern const sp_precond_kind dense_kind, dense_cheap;
    d->base.kind = def->pcg.omega == 1 ? &dense_kind : &dense_cheap;
    d->base.ctx = ctx, d->base.be = be, d->base.def = *def, d->base.n = 3 * pattern->n;
    atomic_init(&d->base.stop, false);
    if (!SP_NEW(ctx, d->L, (size_t)d->base.n * (size_t)d->base.n)) {
        dense_destroy(&d->base);
        return SP_NO_MEMORY;
    }
    *out = &d->base;
    return SP_OK;
}

static void spread(const sp_symmetric *A, double *L, int n) {
    memset(L, 0, (size_t)n * (size_t)n * sizeof *L);
    for (int i = 0; i < A->n; i++)
        for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++)
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) {
                    double value = sp__symmetric_block(A, k)[A->stride * (3 * r + c)];
                    L[(3 * i + r) * n + 3 * A->row_col[k] + c] = L[(3 * A->row_col[k] + c) * n + 3 * i + r] = value;
                }
}

static sp_status dense_build(sp_precond *p, const sp_symmetric *A, bool alone, sp_factor_info *info) {
    double *L = ((dense *)p)->L;
    int n = p->n;
    (void)info;
    if (alone) {
        atomic_fetch_add(&thumb.begun, 1);
        while (atomic_load(&thumb.gate) && !atomic_load(&p->stop)) sched_yield();
        if (atomic_load(&p->stop)) {
            atomic_fetch_add(&thumb.stopped, 1);
            return SP_STOPPED;
        }
    }
    int built = atomic_fetch_add(&thumb.built, 1);
    if (built < 64) thumb.sizes[built] = n;
    if (atomic_load(&thumb.fail) > 0) {
        atomic_fetch_sub(&thumb.fail, 1);
        return SP_NOT_SPD;
    }
    spread(A, L, n);
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double sum = L[i * n + j];
            for (int k = 0; k < j; k++) sum -= L[i * n + k] * L[j * n + k];
            if (i == j && !(sum > 0)) return SP_NOT_SPD;
            L[i * n + j] = i == j ? sqrt(sum) : sum / L[j * n + j];
        }
    return SP_OK;
}

static void dense_apply(sp_precond *p, const double *r, double *z) {
    const double *L = ((dense *)p)->L;
    int n = p->n;
    for (int i = 0; i < n; i++) {
        double sum = r[i];
        for (int k = 0; k < i; k++) sum -= L[i * n + k] * z[k];
        z[i] = sum / L[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        double sum = z[i];
        for (int k = i + 1; k < n; k++) sum -= L[k * n + i] * z[k];
        z[i] = sum / L[i * n + i];
    }
}

static size_t dense_bytes(const sp_precond *p) {
    return (size_t)p->n * (size_t)p->n * sizeof(double);
}

extern const sp_precond_kind dense_kind, dense_cheap;
const sp_precond_kind dense_kind = {.name = "dense",
                                    .costly = true,
                                    .create = dense_create,
                                    .destroy = dense_destroy,
                                    .build = dense_build,
                                    .apply = dense_apply,
                                    .bytes = dense_bytes};
// the same, declared cheap; distinguished by omega
const sp_precond_kind dense_cheap = {.name = "dense",
                                     .costly = false,
                                     .create = dense_create,
                                     .destroy = dense_destroy,
                                     .build = dense_build,
                                     .apply = dense_apply,
                                     .bytes = dense_bytes};

// ---------------------------------------------------------------------------------------------------- the bar

typedef struct rig {
    sp_context *ctx;
    sp_error error;
    sp_body *body;
    sp_system A;
    sp_blocks *M;
    sp_refresh *r;
    sp_linear_info info;
    double *b, *x, *res, *p, *q, *z;
    bool deterministic;
    sp_swap swap;
} rig;

static const sp_coef rig_coef = {1, 0.02, 4e-4};

static sp_context *rig_context(void) {
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    def.workers = 2;
    sp_context_create(&def, &ctx);
    return ctx;
}

static sp_solver_def rig_def(sp_refresh_policy policy) {
    sp_solver_def def = sp_solver_def_default();
    def.pcg.refresh = policy;
    return def;
}

// the system at the trial state
static void look(rig *k) {
    const sp_step step = sp__step_default(0);
    CHECK(k->body->ops->evaluate(k->body, &step, SP_WANT_FORCE) == SP_OK);
    CHECK(k->body->ops->linearise(k->body, &step, &k->A) == SP_OK);
    if (!k->M) CHECK(k->A.make_pattern(k->A.o, k->ctx, &k->M) == SP_OK);
    CHECK(k->A.assemble(k->A.o, rig_coef, k->M) == SP_OK);
}

static bool set_up(rig *k, sp_context *ctx, const sp_solver_def *def, int length) {
    const double size[3] = {0.1 * length, 0.1, 0.1};
    const int count[3] = {length, 1, 1}, held[4] = {0, length + 1, 2 * length + 2, 3 * length + 3};
    sp_fix fix = {held, 4, SP_AXES_ALL, 0};
    sp_solid_def solid = sp_solid_def_default();
    sp_mesh *mesh = NULL;
    *k = (rig){.ctx = ctx, .deterministic = true};
    if (!ctx || sp_mesh_box(ctx, size, count, 6, &mesh) < 0) return false;
    solid.mesh = mesh, solid.material.young = 1e6;
    solid.fixes = &fix, solid.fix_count = 1;
    sp_status status = sp__solid_create(ctx, &k->error, &solid, "ref", &k->body);
    sp_mesh_destroy(&mesh);
    if (status < 0) return false;
    size_t n = (size_t)k->body->nv + 1;
    double **all[] = {&k->b, &k->x, &k->res, &k->p, &k->q, &k->z};
    for (int i = 0; i < 6; i++) *all[i] = calloc(n, sizeof(double));
    unsigned long long seed = 7;
    for (int i = 0; i < k->body->nv; i++) k->b[i] = k->body->fixed[i] ? 0 : sp_test_random(&seed);
    look(k);
    bool cheap = def->pcg.omega != 1;
    return sp__refresh_create(ctx, sp__backend_find("ref"), def, cheap ? &dense_cheap : &dense_kind, &k->r) == SP_OK;
}

static void drop(rig *k) {
    sp__refresh_destroy(&k->r);
    sp__blocks_destroy(&k->M);
    if (k->body) k->body->ops->destroy(k->body);
    free(k->b), free(k->x), free(k->res), free(k->p), free(k->q), free(k->z);
}

// moves every node to M(X) X
static void place(rig *k, void (*matrix)(double share, const double *X, double *M), double share) {
    const double *X = sp__solid(k->body)->rest;
    for (int i = 0; i < k->body->nv; i += 3) {
        double M[9];
        matrix(share, X + i, M);
        sp__mul3(M, X + i, k->body->q[SP_TRIAL] + i);
    }
    look(k);
}

static void about(int axis, double angle, double *M) {
    double q[4] = {cos(angle / 2)};
    q[axis + 1] = sin(angle / 2);
    sp__quat_matrix(q, M);
}

// bent upwards, increasing with the distance from the fixed end
static void bend(double share, const double *X, double *M) {
    about(2, share * X[0], M);
}

static double dot(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// Textbook preconditioned conjugate gradients; the residual is computed from x.
static int iterate(rig *k, void (*apply)(rig *k, const double *r, double *z)) {
    int n = k->body->nv, count = 0;
    double goal = 1e-9 * sqrt(dot(k->b, k->b, n)), rho, before = 0;
    memset(k->x, 0, (size_t)n * sizeof *k->x);
    memcpy(k->res, k->b, (size_t)n * sizeof *k->res);
    for (; sqrt(dot(k->res, k->res, n)) > goal && count < 500; count++) {
        apply(k, k->res, k->z);
        rho = dot(k->res, k->z, n);
        for (int i = 0; i < n; i++) k->p[i] = k->z[i] + (count ? rho / before * k->p[i] : 0);
        sp__blocks_mul(k->M, k->p, k->q);
        double alpha = rho / dot(k->p, k->q, n);
        for (int i = 0; i < n; i++) k->x[i] += alpha * k->p[i], k->res[i] -= alpha * k->q[i];
        before = rho;
    }
    sp__blocks_mul(k->M, k->x, k->q);
    double apart = 0;
    for (int i = 0; i < n; i++) apart += (k->b[i] - k->q[i]) * (k->b[i] - k->q[i]);
    CHECK(sqrt(apart) <= 2 * goal);  // the recurrence drifts by rounding only
    return count;
}

static void by_refresh(rig *k, const double *r, double *z) {
    sp__refresh_apply(k->r, r, z);
}

// One step with the current system: iterations.
static int step(rig *k, uint64_t number) {
    sp__refresh_step(k->r, number, k->swap);
    CHECK(sp__refresh_prepare(k->r, &k->A, k->M, number, k->deterministic, &k->info) == SP_OK);
    int iterations = iterate(k, by_refresh);
    sp__refresh_report_iterations(k->r, iterations);
    return iterations;
}

static void reset_thumb(void) {
    atomic_store(&thumb.gate, 0), atomic_store(&thumb.fail, 0), atomic_store(&thumb.begun, 0);
    atomic_store(&thumb.built, 0), atomic_store(&thumb.stopped, 0);
}

static void until_begun(int builds) {
    while (atomic_load(&thumb.begun) < builds) sched_yield();
}

static void until_made(const rig *k) {
    while (!sp__job_done(&k->r->cache->job)) sched_yield();
}

#endif
