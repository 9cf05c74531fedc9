// The solver that puts a preconditioner in front of conjugate gradients: refresh.c says which one and how old, pcg_loop.c
// iterates. Bodies that cannot be assembled are solved without.
#include "linear/pcg.h"

#include "linear/matrix.h"
#include "linear/refresh.h"

typedef struct pcg {
    sp_matrix m;
    sp_refresh *refresh;
    sp_pcg_room room;
    sp_solver *plain;  // for systems without a matrix
} pcg;

static sp_status create(sp_solver *s) {
    const sp_precond_kind *kind = sp__precond_find(s->def.preconditioner);
    if (!kind) return SP_FAIL(s->ctx, SP_BAD_INPUT, "preconditioner %d is unknown", (int)s->def.preconditioner);
    pcg *g;
    if (!SP_NEW(s->ctx, g, 1)) return SP_FAIL(s->ctx, SP_NO_MEMORY, "no memory for a preconditioned solver");
    s->impl = g;
    return sp__refresh_create(s->ctx, s->be, &s->def, kind, &g->refresh);
}

static void destroy(sp_solver *s) {
    pcg *g = s->impl;
    if (!g) return;
    sp__refresh_destroy(&g->refresh);
    sp__pcg_room_free(&g->room);
    sp__matrix_forget(&g->m);
    sp__solver_destroy(&g->plain);
    sp__free(s->ctx, g);
}

static size_t bytes(const sp_solver *s) {
    const pcg *g = s->impl;
    size_t plain = g->plain ? sp__solver_bytes(g->plain) : 0;
    return sp__matrix_bytes(&g->m) + 4 * sizeof(double) * (size_t)g->room.n + sp__refresh_bytes(g->refresh) + plain;
}

static void apply(void *arg, const double *r, double *z) {
    sp__refresh_apply(arg, r, z);
}

static sp_status solve(sp_solver *s, const sp_system *A, sp_coef c, const double *b, double *x, sp_linear_info *info) {
    pcg *g = s->impl;
    sp_matrix_news news;
    SP_TRY(sp__matrix_follow(&g->m, s->ctx, A, c, &news));
    if (!g->m.A) return sp__solve_without_matrix(s, &g->plain, A, c, b, x, "cg (matrix-free, nothing to precondition)", info);
    SP_TRY(sp__pcg_room(&g->room, s->ctx, A->n));
    SP_TRY(sp__refresh_prepare(g->refresh, A, g->m.A, s->step, s->deterministic, info));
    sp_pcg_problem problem = {.be = s->be,
                              .A = g->m.A,
                              .fixed = A->fixed,
                              .b = b,
                              .tolerance = s->def.tolerance,
                              .iterations = s->def.iterations,
                              .apply = apply,
                              .arg = g->refresh};
    sp__pcg_run(&g->room, &problem, x, info);
    info->solver = sp__refresh_name(g->refresh);
    sp__refresh_learn(g->refresh, info->iterations);
    return SP_OK;
}

static void step(sp_solver *s) {
    sp__refresh_step(((pcg *)s->impl)->refresh, s->step, s->told);
}

static void visit(sp_solver *s, struct sp_visitor *v) {
    sp__refresh_visit(((pcg *)s->impl)->refresh, v);
}

static sp_status restored(sp_solver *s) {
    return sp__refresh_restored(((pcg *)s->impl)->refresh);
}

const sp_solver_kind sp__solver_pcg = {.name = "pcg",
                                       .create = create,
                                       .destroy = destroy,
                                       .solve = solve,
                                       .bytes = bytes,
                                       .visit = visit,
                                       .restored = restored,
                                       .step = step};
