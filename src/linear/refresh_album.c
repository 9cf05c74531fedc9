// Pictures of a matrix and the preconditioners made from them, by the caller or in the background.
#include "linear/refresh_internal.h"

// ------------------------------------------------------------------------------------------------ life

// How many pictures a policy has at once. Where one is made in each step and may be refused, the one of the last step stays
// until this step is over: a step that is tried again begins with it.
static int pictures_of(const sp_refresh *r) {
    switch (r->policy) {
    case SP_REFRESH_NEVER: return 1;
    case SP_REFRESH_STEP: return r->keeps ? 3 : 1;
    default: return 2;
    }
}

static sp_status copy_pattern(sp_album *a, const sp_blocks *M) {
    sp_symmetric from;
    sp__blocks_view(M, &from);
    size_t rows = (size_t)from.n + 1, blocks = (size_t)from.row_start[from.n];
    if (!SP_NEW(a->ctx, a->row_start, rows) || !SP_NEW(a->ctx, a->row_col, blocks + 1) || !SP_NEW(a->ctx, a->pos, blocks + 1))
        return SP_NO_MEMORY;
    memcpy(a->row_start, from.row_start, rows * sizeof *a->row_start);
    memcpy(a->row_col, from.row_col, blocks * sizeof *a->row_col);
    memcpy(a->pos, from.pos, blocks * sizeof *a->pos);
    a->view = from;
    a->view.row_start = a->row_start, a->view.row_col = a->row_col, a->view.pos = a->pos;
    a->nodes = from.n;
    a->val_count = 36 * (size_t)M->slots;
    return SP_OK;
}

static sp_status make_picture(sp_refresh *r, sp_album *a, sp_picture *p, const double *points, const sp_precond *like) {
    size_t n = (size_t)a->nodes;
    if (r->keeps) {
        if (!SP_NEW(a->ctx, p->val, a->val_count + 4) || !SP_NEW(a->ctx, p->fixed, 3 * n)) return SP_NO_MEMORY;
        if (r->turns && !SP_NEW(a->ctx, p->turn, 9 * n)) return SP_NO_MEMORY;
    }
    p->values = SP_NO_REVISION;
    return r->kind->create(a->ctx, r->be, &r->def, &a->view, points, like, &p->p);
}

static sp_status keep_origin(sp_album *a, const sp_blocks *M, const double *points) {
    if (!SP_NEW(a->ctx, a->origin, a->val_count + 4)) return SP_NO_MEMORY;
    memcpy(a->origin, M->val, a->val_count * sizeof *a->origin);
    if (!points) return SP_OK;
    if (!SP_NEW(a->ctx, a->points, 3 * (size_t)a->nodes)) return SP_NO_MEMORY;
    memcpy(a->points, points, 3 * (size_t)a->nodes * sizeof *points);
    return SP_OK;
}

static sp_status make_pictures(sp_refresh *r, sp_album *a, const sp_system *A, const sp_blocks *M) {
    double *points = NULL;
    sp_status status = SP_OK;
    if (A->points) {
        if (!SP_NEW(a->ctx, points, 3 * (size_t)a->nodes)) return SP_NO_MEMORY;
        A->points(A->o, points);
    }
    if (r->kind->judges && r->keeps) status = keep_origin(a, M, points);
    for (int i = 0; i < a->count && status >= 0; i++)
        status = make_picture(r, a, &a->picture[i], points, i > 0 ? a->picture[0].p : NULL);
    if (status >= 0 && r->kind != &sp__precond_block_jacobi)
        status = sp__precond_block_jacobi.create(a->ctx, r->be, &r->def, &a->view, points, NULL, &a->cheap);
    sp__free(a->ctx, points);
    return status;
}

static void run_job(void *arg) {
    sp_album *a = arg;
    sp__picture_build(a, a->making, NULL, true);
}

sp_status sp__album_create(sp_refresh *r, const sp_system *A, const sp_blocks *M, sp_album **out) {
    sp_album *a;
    *out = NULL;
    if (!SP_NEW(r->ctx, a, 1)) return SP_FAIL(r->ctx, SP_NO_MEMORY, "no memory for a preconditioner");
    a->ctx = r->ctx;
    a->count = pictures_of(r);
    a->job.run = run_job, a->job.arg = a;
    atomic_init(&a->job.state, SP_JOB_IDLE);
    sp_status status = copy_pattern(a, M);
    if (status >= 0) status = make_pictures(r, a, A, M);  // kinds may look at M's numbers, which are not ours to keep
    a->view.val = NULL;
    if (status >= 0) {
        *out = a;
        return status;
    }
    sp__album_destroy(a);
    if (status == SP_NO_MEMORY) SP_FAIL(r->ctx, status, "no memory for a preconditioner of %d unknowns", A->n);
    return status;
}

void sp__album_destroy(sp_album *a) {
    if (!a) return;
    for (int i = 0; i < a->count; i++) {
        sp_picture *p = &a->picture[i];
        if (p->p) p->p->kind->destroy(p->p);
        sp__free(a->ctx, p->val), sp__free(a->ctx, p->turn), sp__free(a->ctx, p->fixed);
    }
    if (a->cheap) a->cheap->kind->destroy(a->cheap);
    sp__free(a->ctx, a->origin), sp__free(a->ctx, a->points);
    sp__free(a->ctx, a->row_start), sp__free(a->ctx, a->row_col), sp__free(a->ctx, a->pos);
    sp__free(a->ctx, a);
}

sp_status sp__album_analyse(sp_refresh *r) {
    sp_album *a = r->album;
    sp_precond *made[SP_PICTURES_MAX] = {NULL};
    sp_status status = SP_OK;
    sp_symmetric view = a->view;
    view.val = a->origin;
    for (int i = 0; i < a->count && status >= 0; i++)
        status = r->kind->create(a->ctx, r->be, &r->def, &view, a->points, i > 0 ? made[0] : NULL, &made[i]);
    for (int i = 0; i < a->count; i++) {
        sp_precond *old = status >= 0 ? a->picture[i].p : made[i];
        if (status >= 0) a->picture[i].p = made[i];
        if (old) r->kind->destroy(old);
    }
    return status;
}

static void ask_to_stop(sp_album *a) {
    atomic_store(&a->picture[a->making].p->stop, true);
}

static void release(void *arg) {
    sp__album_destroy(arg);
}

void sp__album_let_go(sp_album *a) {
    if (!a) return;
    ask_to_stop(a);
    sp__job_abandon(a->ctx, &a->job, release);
}

void sp__album_quiet(sp_album *a) {
    ask_to_stop(a);
    sp__job_cancel(a->ctx, &a->job);
}

size_t sp__album_bytes(const sp_album *a) {
    if (!a) return 0;
    size_t n = (size_t)a->nodes, bytes = (size_t)a->row_start[n] * 8 + n * 4;
    for (int i = 0; i < a->count; i++) {
        const sp_picture *p = &a->picture[i];
        bytes += p->p->kind->bytes(p->p) + (p->val ? a->val_count * 8 + 3 * n : 0) + (p->turn ? 72 * n : 0);
    }
    if (a->origin) bytes += a->val_count * 8 + (a->points ? 24 * n : 0);
    return bytes + (a->cheap ? a->cheap->kind->bytes(a->cheap) : 0);
}

// ------------------------------------------------------------------------------------------------ pictures

sp_status sp__picture_take(sp_refresh *r, sp_picture *p, const sp_system *A, const sp_blocks *M, uint64_t step) {
    size_t n = (size_t)r->album->nodes;
    if (p->turn) SP_TRY(A->turns(A->o, p->turn));
    p->step = step, p->values = A->values;
    if (p->val) memcpy(p->val, M->val, r->album->val_count * sizeof *p->val);
    if (p->fixed) memcpy(p->fixed, A->fixed, 3 * n);
    return SP_OK;
}

sp_status sp__picture_build(sp_album *a, int which, const sp_blocks *M, bool alone) {
    sp_picture *p = &a->picture[which];
    sp_symmetric view = a->view;
    view.val = p->val ? p->val : M->val;
    p->p->turns = p->turn;
    p->info = (sp_factor_info){.unknown = -1};
    p->status = p->p->kind->build(p->p, &view, alone, &p->info);
    return p->status;
}
