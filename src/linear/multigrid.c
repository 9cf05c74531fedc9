// Multigrid by smoothed aggregation as a preconditioner: iterations that do not grow with the body. See multigrid.h.
//
// All memory is taken by create, which also settles the aggregates: by the numbers of the matrix where it has some, so that stiff
// and soft parts do not share one. A build goes up level by level; an apply is one V-cycle.
#include "linear/multigrid.h"

#include "linear/matrix.h"
#include "linear/shift.h"

// ------------------------------------------------------------------------------------------------ life

static void destroy(sp_precond *p) {
    sp_multigrid *m = (sp_multigrid *)p;
    sp_context *ctx = p->ctx;
    for (int l = 0; l < SP_GRIDS_MAX; l++) {
        sp_grid_level *v = &m->level[l];
        void *all[] = {v->half, v->root, v->modes, v->frame, v->T, v->P, v->off, v->pro, v->turned, v->b, v->x, v->r};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(ctx, all[i]);
    }
    sp__free(ctx, m->W), sp__free(ctx, m->partial), sp__free(ctx, m->last);
    if (m->F) sp__factor_destroy(&m->F);
    if (m->grids) sp__grids_release(&m->grids);
    sp__free(ctx, m);
}

static void pick_loops(sp_multigrid *m) {
    bool single = sp__precond_single(&m->base);
    m->loops = single ? &sp__grid_float_generic : &sp__grid_double_generic;
    m->products = &sp__grid_products_generic;
#ifdef SP_HAVE_AVX2
    if (sp__backend_plain(m->base.be)) return;
    m->loops = single ? &sp__grid_float_avx2 : &sp__grid_double_avx2;
    m->products = &sp__grid_products_avx2;
#endif
}

// numbers of arrays that the loops read in whole vectors have room for 8 behind their last
static sp_status make_level(sp_multigrid *m, int l) {
    enum { ROOM = 8 };
    sp_context *ctx = m->base.ctx;
    sp_grid_level *v = &m->level[l];
    const sp_grid *g = v->g = &m->grids->grid[l];
    size_t n = (size_t)g->n, b = (size_t)g->block, size = m->loops->size, numbers = (size_t)sp__grid_stride(g) * n + ROOM;
    if (!SP_NEW(ctx, v->half, b * b * (size_t)g->half_start[n] + ROOM) || !SP_NEW(ctx, v->root, b * b * n + ROOM) ||
        !SP_NEW(ctx, v->frame, 9 * n + 1))
        return SP_NO_MEMORY;
    if (!(v->b = sp__alloc(ctx, numbers, size)) || !(v->x = sp__alloc(ctx, numbers, size))) return SP_NO_MEMORY;
    if (!g->coarse) return SP_NEW(ctx, m->last, b * n + ROOM) ? SP_OK : SP_NO_MEMORY;
    size_t blocks = (size_t)g->p_start[n];
    if (!(v->r = sp__alloc(ctx, numbers, size)) || !(v->off = sp__alloc(ctx, sp__grid_off_size(g) + ROOM, size)) ||
        !(v->pro = sp__alloc(ctx, 6 * b * blocks + ROOM, size)) || !(v->turned = sp__alloc(ctx, 6 * b * blocks + ROOM, size)) ||
        !SP_NEW(ctx, v->modes, 6 * b * n + ROOM) || !SP_NEW(ctx, v->T, 6 * b * n + ROOM) ||
        !SP_NEW(ctx, v->P, 6 * b * blocks + ROOM))
        return SP_NO_MEMORY;
    if (8 * b * (size_t)g->ap_most > m->W_size) m->W_size = 8 * b * (size_t)g->ap_most;
    return SP_OK;
}

static sp_status make_numbers(sp_multigrid *m) {
    sp_context *ctx = m->base.ctx;
    int tasks = 0;
    for (int l = 0; l < m->grids->count; l++) {
        SP_TRY(make_level(m, l));
        if (m->grids->grid[l].tasks > tasks) tasks = m->grids->grid[l].tasks;
    }
    if (!SP_NEW(ctx, m->W, m->W_size * (size_t)sp__workers(ctx) + 1) || !SP_NEW(ctx, m->partial, tasks + 1)) return SP_NO_MEMORY;
    sp_factor_def def = {.kind = SP_LLT, .plain = sp__backend_plain(m->base.be)};
    return sp__factor_create(ctx, &def, m->grids->S, &m->F);
}

static sp_status create(sp_context *ctx, const sp_backend *be, const sp_solver_def *def, const sp_symmetric *pattern,
                        const double *points, const sp_precond *like, sp_precond **out) {
    sp_multigrid *m;
    *out = NULL;
    if (!SP_NEW(ctx, m, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a preconditioner");
    sp_status status = sp__precond_init(&m->base, &sp__precond_multigrid, ctx, be, def, pattern);
    if (status >= 0) {
        pick_loops(m);
        if (like)
            m->grids = sp__grids_share(((const sp_multigrid *)like)->grids);
        else
            status = sp__grids_create(ctx, pattern, points, &m->grids);
    }
    if (status >= 0) status = make_numbers(m);
    if (status < 0) {
        destroy(&m->base);
        if (status == SP_NO_MEMORY) SP_FAIL(ctx, status, "no memory for a multigrid of %d unknowns", pattern->n * pattern->block);
        return status;
    }
    *out = &m->base;
    return SP_OK;
}

static size_t bytes(const sp_precond *p) {
    const sp_multigrid *m = (const sp_multigrid *)p;
    size_t sum = sizeof *m + sp__grids_bytes(m->grids) + sp__factor_bytes(m->F), size = m->loops->size;
    for (int l = 0; l < m->grids->count; l++) {
        const sp_grid *g = m->level[l].g;
        size_t n = (size_t)g->n, b = (size_t)g->block;
        sum += 8 * b * b * ((size_t)g->half_start[n] + n) + 3 * size * (size_t)sp__grid_stride(g) * n;
        if (g->coarse) sum += size * sp__grid_off_size(g) + (8 + 2 * size) * 6 * b * (size_t)g->p_start[n] + 8 * n * (12 * b + 9);
    }
    return sum;
}

// ------------------------------------------------------------------------------------------------ build and apply

// The factor of the last level. Its diagonal is the identity, so that shifts are relative to 1.
static sp_status factor_last(sp_multigrid *m, bool alone, sp_factor_info *info) {
    const sp_grid_level *v = &m->level[m->grids->count - 1];
    sp_symmetric A = {.n = v->g->n,
                      .block = v->g->block,
                      .row_start = v->g->half_start,
                      .row_col = v->g->half_col,
                      .stride = 1,
                      .val = v->half};
    double shift = 0;
    for (int k = 0; k < SP_SHIFTS; k++) {
        if (sp__factor_make(m->F, &A, shift, alone, info) != SP_NOT_SPD) break;
        shift = sp__shift_next(shift, 1);
    }
    info->unknown = -1;
    return info->status;
}

static sp_status fail_at(sp_multigrid *m, int l, int row, sp_factor_info *info) {
    int b = m->level[l].g->block;
    double trace = 0;
    for (int r = 0; r < b; r++)
        trace += m->level[l].half[(size_t)(b * b) * (size_t)m->level[l].g->half_start[row] + (size_t)((b + 1) * r)];
    info->unknown = l == 0 ? b * row : -1;
    info->pivot = trace;
    return info->status = isfinite(trace) ? SP_NOT_SPD : SP_NOT_FINITE;
}

static sp_status build(sp_precond *p, const sp_symmetric *A, bool alone, sp_factor_info *info) {
    sp_multigrid *m = (sp_multigrid *)p;
    double flops = 0;
    *info = (sp_factor_info){.unknown = -1};
    m->good = false;
    sp__grid_first(m, A, alone);
    for (int l = 0; l < m->grids->count; l++) {
        int row = sp__grid_scale(m, l, alone);
        if (row >= 0) return fail_at(m, l, row, info);
        if (l > 0) sp__grid_finish(m, l - 1, alone);
        if (sp__precond_stopped(p)) return info->status = SP_STOPPED;
        if (m->level[l].g->coarse) sp__grid_coarsen(m, l, alone);
        if (sp__precond_stopped(p)) return info->status = SP_STOPPED;
        flops += m->level[l].g->flops;
    }
    factor_last(m, alone, info);
    info->columns = m->level[0].g->n;
    info->flops += flops;
    m->good = info->status == SP_OK;
    return info->status;
}

// not built: nothing in front
static void apply(sp_precond *p, const double *r, double *z) {
    sp_multigrid *m = (sp_multigrid *)p;
    if (m->good)
        sp__grid_cycle(m, r, z);
    else if (z != r)
        memcpy(z, r, sizeof *z * (size_t)p->n);
}

const sp_precond_kind sp__precond_multigrid = {.name = "multigrid",
                                               .costly = true,
                                               .judges = true,
                                               .create = create,
                                               .destroy = destroy,
                                               .build = build,
                                               .apply = apply,
                                               .bytes = bytes};
