// The n-th allocation fails, for every kind of n (failing.h) and every solver: in the first solve, when background results
// arrive, on save and on restore, in the world that was saved and in a new one. A refused call succeeds when repeated, the end
// state is the same to the bit, nothing leaks.
#include "failing.h"
#include "souple/souple.h"
#include "test.h"

typedef struct plan {
    sp_solver_type type;
    sp_preconditioner preconditioner;
    sp_refresh_policy refresh;
} plan;

static const plan plans[] = {
    {SP_SOLVER_CG, SP_JACOBI, SP_REFRESH_AUTO},
    {SP_SOLVER_PCG, SP_JACOBI, SP_REFRESH_ASYNC},
    {SP_SOLVER_PCG, SP_BLOCK_JACOBI, SP_REFRESH_AUTO},
    {SP_SOLVER_PCG, SP_SSOR, SP_REFRESH_EVERY},
    {SP_SOLVER_PCG, SP_IC, SP_REFRESH_ASYNC},
    {SP_SOLVER_PCG, SP_COMPLETE_CHOLESKY, SP_REFRESH_ASYNC},
    {SP_SOLVER_PCG, SP_COMPLETE_CHOLESKY, SP_REFRESH_STEP},
    {SP_SOLVER_PCG, SP_COMPLETE_CHOLESKY, SP_REFRESH_NEVER},
    {SP_SOLVER_PCG, SP_INVERSE_FACTOR, SP_REFRESH_AUTO},
    {SP_SOLVER_PCG, SP_MULTIGRID, SP_REFRESH_ASYNC},
    {SP_SOLVER_CHOLESKY, SP_JACOBI, SP_REFRESH_AUTO},
    {SP_SOLVER_UPDATED_CHOLESKY, SP_JACOBI, SP_REFRESH_AUTO},
    {SP_SOLVER_DENSE, SP_JACOBI, SP_REFRESH_AUTO},
};
enum { PLANS = sizeof plans / sizeof *plans };

typedef struct story {
    counter c;
    const plan *plan;
    sp_context *ctx;
    sp_mesh *mesh;
} story;

// Makes a call; where memory ran out, repeats it: only one allocation fails, so the second call must succeed.
#define AGAIN(call)                                                                   \
    do {                                                                              \
        sp_status first_ = (call);                                                    \
        if (first_ == SP_NO_MEMORY) first_ = (call);                                  \
        if (first_ < 0) SP_TEST_FAILED("%s gives %s", #call, sp_status_name(first_)); \
    } while (0)

static sp_status make_context(story *s) {
    sp_context_def def = sp_context_def_default();
    def.alloc = count_alloc, def.free = count_free, def.alloc_user = &s->c;
    def.workers = 1;
    return sp_context_create(&def, &s->ctx);
}

static sp_status make_mesh(story *s) {
    const double size[3] = {0.4, 0.2, 0.2};
    const int cells[3] = {2, 1, 1};
    return sp_mesh_box(s->ctx, size, cells, 6, &s->mesh);
}

static sp_status add_solid(story *s, sp_world *w) {
    const int held[] = {0, 3, 6, 9};
    sp_fix fix = {held, 4, SP_AXES_ALL, 0};
    sp_solid_def def = sp_solid_def_default();
    def.mesh = s->mesh, def.fixes = &fix, def.fix_count = 1, def.material.young = 2e4;
    def.solver.type = s->plan->type, def.solver.pcg.preconditioner = s->plan->preconditioner;
    def.solver.pcg.refresh = s->plan->refresh, def.solver.pcg.lag = 1;
    return sp_world_add_solid(w, &def, NULL);
}

static sp_world *make_world(story *s) {
    sp_world *w = NULL;
    sp_world_def def = sp_world_def_default();
    def.snapshots = false;
    AGAIN(sp_world_create(s->ctx, &def, &w));
    if (w) AGAIN(add_solid(s, w));
    return w;
}

static uint64_t play(story *s) {
    sp_checkpoint c = {0};
    AGAIN(make_context(s));
    AGAIN(make_mesh(s));
    sp_world *worlds[2];
    for (int k = 0; k < 2; k++) worlds[k] = make_world(s);
    sp_world *w = worlds[0], *other = worlds[1];
    for (int k = 0; k < 3; k++) AGAIN(sp_world_step(w, 0.01));
    AGAIN(sp_world_save(w, &c));
    for (int k = 0; k < 2; k++) AGAIN(sp_world_step(w, 0.01));
    uint64_t hash = sp_world_hash(w);
    AGAIN(sp_world_restore(other, c.data, c.size));  // restoring creates the solvers whose state was saved
    AGAIN(sp_world_restore(w, c.data, c.size));
    for (int k = 0; k < 2; k++) {
        AGAIN(sp_world_step(w, 0.01));
        AGAIN(sp_world_step(other, 0.01));
    }
    CHECK(sp_world_hash(w) == hash && sp_world_hash(other) == hash);
    sp_checkpoint_free(w, &c);
    sp_world_destroy(&w), sp_world_destroy(&other);
    sp_mesh_destroy(&s->mesh);
    sp_context_destroy(&s->ctx);
    return hash;
}

TEST(every_allocation_of_every_solver_may_fail) {
    static failing paths;
    for (int p = 0; p < PLANS; p++) {
        failing_next(&paths);
        story all = {.c = {.paths = &paths}, .plan = &plans[p]};
        uint64_t hash = play(&all);
        failing_choose(&paths);
        CHECK_INT(all.c.live, 0);
        CHECK(all.c.calls > 100);
        for (long n = 1; n <= all.c.calls && !sp_test_failures; n++) {
            if (!paths.fails[n - 1]) continue;
            story s = {.c = {.fail_at = n}, .plan = &plans[p]};
            CHECK(play(&s) == hash);
            CHECK_INT(s.c.refused, 1);
            CHECK_INT(s.c.live, 0);
            if (sp_test_failures) printf("  ... with allocation %ld of %ld, plan %d\n", n, all.c.calls, p);
        }
    }
    failing_free(&paths);
}
