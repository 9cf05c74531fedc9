// Room for block triangles and sweeps through them: see lower.h.
#include "linear/lower.h"

typedef struct sweep {
    const sp_lower *L;
    const double *r;
    double *z;
} sweep;

#define REAL float
#define NAME(name) name##_f
#include "linear/lower_real.h"
#define REAL double
#define NAME(name) name##_d
#include "linear/lower_real.h"

static size_t dividers(const sp_columns *c) {
    return (size_t)(c->n - c->part_start[c->parts]);
}

sp_status sp__lower_create(sp_context *ctx, const sp_columns *columns, size_t blocks, bool single, sp_lower *out) {
    size_t real = single ? sizeof(float) : sizeof(double), n = (size_t)columns->n;
    *out = (sp_lower){.ctx = ctx, .columns = columns, .single = single, .room = blocks};
    out->start = sp__alloc(ctx, n + 1, sizeof *out->start);
    out->end = sp__alloc(ctx, n + 1, sizeof *out->end);
    out->row = sp__alloc(ctx, blocks + 1, sizeof *out->row);
    out->val = sp__alloc(ctx, blocks + 1, 12 * real);
    out->inverse = sp__alloc(ctx, n + 1, 12 * real);
    out->work = sp__alloc(ctx, n + 1, 4 * real);
    out->shared = sp__alloc(ctx, (size_t)columns->parts * dividers(columns) + 1, 4 * real);
    if (out->start && out->end && out->row && out->val && out->inverse && out->work && out->shared) return SP_OK;
    sp__lower_free(out);
    return SP_NO_MEMORY;
}

void sp__lower_free(sp_lower *L) {
    void *all[] = {L->start, L->end, L->row, L->val, L->inverse, L->work, L->shared};
    if (!L->ctx) return;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(L->ctx, all[i]);
    *L = (sp_lower){0};
}

size_t sp__lower_bytes(const sp_lower *L) {
    size_t real = L->single ? sizeof(float) : sizeof(double), n = (size_t)L->columns->n;
    return L->room * (12 * real + sizeof(int)) + n * (16 * real + 2 * sizeof(size_t)) +
           (size_t)L->columns->parts * dividers(L->columns) * 4 * real;
}

void sp__lower_set(sp_lower *L, size_t at, const double B[9]) {
    if (L->single)
        set_f(L->val, at, B);
    else
        set_d(L->val, at, B);
}

void sp__lower_set_inverse(sp_lower *L, int k, const double B[9]) {
    if (L->single)
        set_f(L->inverse, (size_t)k, B);
    else
        set_d(L->inverse, (size_t)k, B);
}

void sp__lower_solve(sp_lower *L, const double *r, double *z) {
    sweep s = {L, r, z};
    int parts = L->columns->parts;
    sp__parallel(L->ctx, parts, L->single ? part_forward_f : part_forward_d, &s);
    if (L->single)
        middle_f(&s);
    else
        middle_d(&s);
    sp__parallel(L->ctx, parts, L->single ? part_backward_f : part_backward_d, &s);
}
