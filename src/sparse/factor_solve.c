// Solves with a factor: up the elimination tree with L, down the tree with L^T, with subtrees in parallel if the factor is large.
// A dense right-hand side reads each panel once up and once down and is limited by memory bandwidth. Many right-hand sides go
// through the tree together. Sparse ones are in inverse_columns.c.
#include "sparse/factor_internal.h"

// ------------------------------------------------------------------------------------------------ one right-hand side

static void forward_run(const sp_factor_pass *pass, void *own, int first, int last) {
    for (int s = first; s <= last; s++) pass->F->loops->forward(pass, own, s);
}

static void backward_run(const sp_factor_pass *pass, void *own, int first, int last) {
    for (int s = last; s >= first; s--) pass->F->loops->backward(pass, own, s);
}

static void forward_task(void *arg, int task, int worker) {
    const sp_factor_pass *pass = arg;
    const sp_symbolic *S = pass->F->S;
    forward_run(pass, pass->F->set[worker].vector, S->task_first[task], S->task_last[task]);
}

static void backward_task(void *arg, int task, int worker) {
    const sp_factor_pass *pass = arg;
    const sp_symbolic *S = pass->F->S;
    backward_run(pass, pass->F->set[worker].vector, S->task_first[task], S->task_last[task]);
}

static void solve_wide(sp_factor_pass *pass) {
    sp_factor *F = pass->F;
    const sp_symbolic *S = F->S;
    sp__parallel(F->ctx, S->task_count, forward_task, pass);
    pass->wide = true;
    for (int k = 0; k < S->top_count; k++) F->loops->forward(pass, NULL, S->top[k]);
    for (int k = S->top_count - 1; k >= 0; k--) F->loops->backward(pass, NULL, S->top[k]);
    pass->wide = false;
    sp__parallel(F->ctx, S->task_count, backward_task, pass);
}

static void solve_here(const sp_factor_pass *pass, void *own) {
    const sp_symbolic *S = pass->F->S;
    for (int t = 0; t < S->task_count; t++) forward_run(pass, own, S->task_first[t], S->task_last[t]);
    for (int k = 0; k < S->top_count; k++) pass->F->loops->forward(pass, NULL, S->top[k]);
    for (int k = S->top_count - 1; k >= 0; k--) pass->F->loops->backward(pass, NULL, S->top[k]);
    for (int t = S->task_count - 1; t >= 0; t--) backward_run(pass, own, S->task_first[t], S->task_last[t]);
}

void sp__factor_solve(sp_factor *F, const double *b, double *x, bool alone) {
    SP_ASSERT(F->good);
    sp_factor_pass pass = {.F = F, .width = 1, .used = 1, .b = b, .x = x, .y = F->y, .shared = F->shared};
    if (!alone && F->set_count > 1 && F->S->entries > SP_SOLVE_WIDE)
        solve_wide(&pass);
    else
        solve_here(&pass, F->set[0].vector);
}

// ------------------------------------------------------------------------------------------------ many right-hand sides

// Panels of right-hand sides, distributed over lanes: one worker takes a panel through the whole tree.
typedef struct many {
    sp_factor *F;
    int count, width, lanes;
    const double *B;
    double *X;
} many;

static size_t lane_capacity(const sp_factor *F, int width) {
    return ((size_t)F->S->n * (size_t)F->S->block + F->shared_capacity + F->vector_capacity) * (size_t)width;
}

static void solve_lane(void *arg, int lane, int worker) {
    const many *m = arg;
    sp_factor *F = m->F;
    size_t n = (size_t)F->S->n * (size_t)F->S->block, width = (size_t)m->width;
    char *scratch = (char *)F->many + (size_t)lane * lane_capacity(F, m->width) * F->size;
    (void)worker;
    for (int first = lane * m->width; first < m->count; first += m->lanes * m->width) {
        sp_factor_pass pass = {
            .F = F, .width = m->width, .b = m->B + (size_t)first * n, .x = m->X + (size_t)first * n, .y = scratch};
        pass.used = m->count - first < m->width ? m->count - first : m->width;
        pass.shared = scratch + n * width * F->size;
        solve_here(&pass, scratch + (n + F->shared_capacity) * width * F->size);
    }
}

static sp_status many_capacity(sp_factor *F, size_t scratch) {
    if (F->many_capacity >= scratch) return SP_OK;
    void *memory = sp__alloc(F->ctx, scratch, F->size);
    if (!memory) return SP_FAIL(F->ctx, SP_NO_MEMORY, "no memory for right-hand sides: %zu numbers", scratch);
    sp__free(F->ctx, F->many);
    F->many = memory, F->many_capacity = scratch;
    return SP_OK;
}

// Every worker gets a panel if there are enough right-hand sides; a wider panel reads L less often. The solution of one
// right-hand side does not depend on the others in its panel.
static int panel_width(int count, int workers) {
    int each = (count + workers - 1) / workers, rounds = (each + SP_FACTOR_MANY - 1) / SP_FACTOR_MANY;
    return ((each + rounds - 1) / rounds + 7) / 8 * 8;
}

sp_status sp__factor_solve_many(sp_factor *F, int count, const double *B, double *X) {
    SP_ASSERT(F->good);
    if (count <= 0) return SP_OK;
    many m = {.F = F, .count = count, .B = B, .X = X};
    m.width = panel_width(count, F->set_count);
    int panels = (count + m.width - 1) / m.width;
    m.lanes = panels < F->set_count ? panels : F->set_count;
    SP_TRY(many_capacity(F, lane_capacity(F, m.width) * (size_t)m.lanes));
    sp__parallel(F->ctx, m.lanes, solve_lane, &m);
    return SP_OK;
}
