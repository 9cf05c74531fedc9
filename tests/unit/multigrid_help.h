// Matrices for the tests of multigrid: a cantilever beam in any shape, and small chains.
#ifndef SP_MULTIGRID_HELP_H
#define SP_MULTIGRID_HELP_H

#include "linear/multigrid.h"
#include "linear/pcg.h"
#include "test.h"
#include "world/world_internal.h"

// BEAM-k of the benches, with variations
typedef struct beam_def {
    int k;               // cells across
    double bend, twist;  // angles of the free end [rad]: the beam becomes an arc, and a screw
    double jitter;       // nodes are displaced by up to that share of a cell: slivers
    double contrast;     // Young's modulus of every other slab of k / 2 cells, relative; 0: 1
    bool checkers;       // of every other cube of 3 cells instead
    double tilt;         // of the whole beam [rad], about z
    int workers;
    bool loose;  // no node is fixed
    bool still;  // no mass: statics
} beam_def;

typedef struct beam {
    sp_context *ctx;
    sp_world *world;
    sp_body *body;
    sp_system A;
    sp_blocks *M;
    sp_symmetric view;
    double *points, *node_rotations;
} beam;

static void place(const beam_def *d, const double X[3], double out[3]) {
    double s = X[0], a = d->bend * s / 0.4, t = d->twist * s / 0.4, r = d->bend != 0 ? 0.4 / d->bend : 0;
    double Y = X[1] - 0.05, Z = X[2] - 0.05, y = cos(t) * Y - sin(t) * Z, z = sin(t) * Y + cos(t) * Z;
    double x0 = d->bend != 0 ? r * sin(a) : s, y0 = d->bend != 0 ? r * (1 - cos(a)) : 0;
    double x = x0 - sin(a) * y, v = y0 + cos(a) * y, c = cos(d->tilt), q = sin(d->tilt);
    out[0] = c * x - q * v, out[1] = q * x + c * v, out[2] = z;
}

static void beam_close(beam *b) {
    sp__blocks_destroy(&b->M);
    free(b->points), free(b->node_rotations);
    sp_world_destroy(&b->world);
    sp_context_destroy(&b->ctx);
}

static void stiffness_of(const beam_def *d, const sp_mesh *mesh, double *young) {
    const double *X = sp_mesh_positions(mesh);
    const int *t = sp_mesh_tets(mesh);
    for (int e = 0; e < sp_mesh_element_count(mesh); e++) {
        int cell[3];
        for (int a = 0; a < 3; a++) {
            double c = 0;
            for (int n = 0; n < 4; n++) c += X[3 * t[4 * e + n] + a] / 4;
            cell[a] = (int)floor(c * d->k / 0.1);
        }
        bool other = d->checkers ? (cell[0] / 3 + cell[1] / 3 + cell[2] / 3) % 2 : cell[0] / (d->k / 2 > 0 ? d->k / 2 : 1) % 2;
        young[e] = 3e5 * (other && d->contrast > 0 ? d->contrast : 1);
    }
}

static sp_status shake(sp_context *ctx, double by, sp_mesh **mesh) {
    int nodes = sp_mesh_node_count(*mesh);
    double *X = malloc(sizeof *X * 3 * (size_t)nodes);
    unsigned long long seed = 17;
    sp_mesh_def def = sp_mesh_def_default();
    for (int i = 0; i < 3 * nodes; i++) {
        X[i] = sp_mesh_positions(*mesh)[i];
        // the clamped face does not move
        if (X[i / 3 * 3] > 1e-9) X[i] += by * sp_test_random(&seed);
    }
    def.positions = X, def.node_count = nodes, def.element_nodes = sp_mesh_tets(*mesh),
    def.element_count = sp_mesh_element_count(*mesh);
    sp_mesh *old = *mesh;
    sp_status status = sp_mesh_create(ctx, &def, mesh);
    sp_mesh_destroy(&old);
    free(X);
    return status;
}

static bool add_beam(beam *b, const beam_def *d) {
    const double size[3] = {0.4, 0.1, 0.1};
    const int cells[3] = {4 * d->k, d->k, d->k};
    sp_mesh *mesh = NULL;
    sp_solid_def def = sp_solid_def_default();
    if (sp_mesh_box(b->ctx, size, cells, 6, &mesh) < 0) return false;
    if (d->jitter > 0 && shake(b->ctx, d->jitter * 0.1 / d->k, &mesh) < 0) return false;
    int nodes = sp_mesh_node_count(mesh), count = 0, *held = malloc(sizeof *held * (size_t)nodes);
    double *at = malloc(sizeof *at * 3 * (size_t)nodes), *young = malloc(sizeof *young * (size_t)sp_mesh_element_count(mesh));
    const double *X = sp_mesh_positions(mesh);
    for (int i = 0; i < nodes; i++) {
        if (X[3 * i] < 1e-9) held[count++] = i;
        place(d, X + 3 * i, at + 3 * i);
    }
    stiffness_of(d, mesh, young);
    sp_fix fix = {held, count, SP_AXES_ALL, 0};
    def.mesh = mesh, def.initial = at, def.element_young = young, def.fixes = &fix, def.fix_count = d->loose ? 0 : 1;
    def.material.young = 3e5, def.material.poisson = 0.4, def.material.density = 1000;
    def.solver.type = SP_SOLVER_CG;
    sp_status status = sp_world_add_solid(b->world, &def, NULL);
    free(held), free(at), free(young);
    sp_mesh_destroy(&mesh);
    return status >= 0;
}

// the matrix of a step of 10 ms, linearised at the beam's shape
static bool beam_open(beam *b, beam_def d) {
    *b = (beam){0};
    sp_context_def context = sp_context_def_default();
    sp_world_def world = sp_world_def_default();
    context.workers = d.workers ? d.workers : 1;
    if (sp_context_create(&context, &b->ctx) < 0 || sp_world_create(b->ctx, &world, &b->world) < 0 || !add_beam(b, &d))
        return false;
    b->body = b->world->bodies[0];
    memcpy(b->body->q[SP_TRIAL], b->body->q[SP_COMMITTED], sizeof(double) * (size_t)b->body->nq);
    const sp_step step = sp__step_default(0);
    if (b->body->ops->evaluate(b->body, &step, SP_WANT_FORCE) < 0 || b->body->ops->linearise(b->body, &step, &b->A) < 0)
        return false;
    if (b->A.make_pattern(b->A.o, b->ctx, &b->M) < 0 || b->A.assemble(b->A.o, (sp_coef){d.still ? 0 : 1, 0.01, 1e-4}, b->M) < 0)
        return false;
    sp__blocks_view(b->M, &b->view);
    b->points = calloc((size_t)b->A.n + 1, sizeof *b->points),
    b->node_rotations = calloc(3 * (size_t)b->A.n + 1, sizeof *b->node_rotations);
    b->A.points(b->A.o, b->points);
    return b->A.node_rotations(b->A.o, b->node_rotations) >= 0;
}

static sp_solver_def precision(bool single) {
    sp_solver_def def = sp_solver_def_default();
    def.cholesky.precision = single ? SP_FACTOR_FLOAT : SP_FACTOR_DOUBLE;
    return def;
}

static sp_precond *make(sp_context *ctx, const sp_symmetric *A, const double *points, bool single) {
    sp_solver_def def = precision(single);
    sp_precond *p = NULL;
    CHECK_INT(sp__precond_multigrid.create(ctx, sp__backend_find("auto"), &def, A, points, NULL, &p), SP_OK);
    return p;
}

static sp_status build(sp_precond *p, const sp_symmetric *A, bool alone) {
    sp_factor_info info;
    sp_status status = p->kind->build(p, A, alone, &info);
    CHECK(status == info.status);
    return status;
}

// built for this beam, with its node rotations
static sp_precond *make_for(const beam *b, bool single) {
    sp_precond *p = make(b->ctx, &b->view, b->points, single);
    if (!p) return NULL;
    p->node_rotations = b->node_rotations;
    CHECK_INT(build(p, &b->view, false), SP_OK);
    return p;
}

static void apply(void *arg, const double *r, double *z) {
    sp_precond *p = arg;
    p->kind->apply(p, r, z);
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// gravity on free unknowns
static void gravity(const beam *b, double *f) {
    for (int i = 0; i < b->A.n; i++) f[i] = b->A.fixed[i] || i % 3 != 1 ? 0 : -1;
}

static int iterations(const beam *b, sp_precond *p, double tolerance) {
    size_t n = (size_t)b->A.n + 1;
    double *f = calloc(n, sizeof *f), *x = calloc(n, sizeof *x);
    sp_pcg_workspace workspace = {0};
    sp_linear_info info = {0};
    gravity(b, f);
    CHECK_INT(sp__pcg_workspace_create(&workspace, b->ctx, b->A.n), SP_OK);
    sp_pcg_problem problem = {.be = sp__backend_find("auto"),
                              .A = b->M,
                              .fixed = b->A.fixed,
                              .b = f,
                              .tolerance = tolerance,
                              .iterations = 300,
                              .apply = apply,
                              .arg = p};
    sp__pcg_run(&workspace, &problem, x, &info);
    CHECK_INT(info.status, SP_OK);
    // the reported residual is computed from x; the recurrence that stopped the loop may differ from it by rounding
    CHECK(info.residual <= 1.01 * tolerance);
    sp__pcg_workspace_free(&workspace);
    free(f), free(x);
    return info.iterations;
}

#endif
