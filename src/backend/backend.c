// The backends of this build, the selection of one for this machine, and the passes over chunks and ranges that all of them
// share.
#include "backend/backend.h"

#include "core/share.h"
#include "souple/world.h"

static const sp_backend *best_cpu(void) {
#ifdef SP_HAVE_AVX2
    if (sp__has_avx2()) return &sp__backend_cpu_avx2;
#endif
    return &sp__backend_cpu_generic;
}

const sp_backend *sp__backend_find(const char *name) {
    if (!strcmp(name, "ref")) return &sp__backend_ref;
    if (!strcmp(name, "cpu-generic")) return &sp__backend_cpu_generic;
    if (!strcmp(name, "cpu") || !strcmp(name, "auto")) return best_cpu();
    return NULL;
}

const char *sp_backend_name(int index) {
    static const char *const names[] = {"ref", "cpu", "cpu-generic"};
    return index >= 0 && index < 3 ? names[index] : NULL;
}

const char *sp_backend_detail(const char *name) {
    const sp_backend *be = sp__backend_find(name);
    return be ? be->detail() : NULL;
}

// ------------------------------------------------------------------------------------------------ passes

// The two passes over chunks and the loops over ranges: see backend.h. Results depend bitwise on the chunks and ranges only.

typedef struct pass {
    const sp_backend *be;
    sp_chunks *c;
    sp_chunk_fn *fn;
    const void *data;
    const double *x, *keep;
    bool wants_y;
    double *scratch;
} pass;

static void run_chunk(void *arg, int chunk, int worker) {
    pass *p = arg;
    sp_chunks *c = p->c;
    int first = c->start[chunk], n = c->start[chunk + 1] - first;
    double *x = p->scratch + (size_t)worker * 8 * (size_t)c->touch_max, *y = x + 4 * (size_t)c->touch_max;
    p->be->gather(p->x, p->keep, c->node + first, n, x);
    if (!p->wants_y) {
        c->partial[chunk] = p->fn(p->data, chunk, x, NULL);
        return;
    }
    memset(y, 0, sizeof *y * 4 * (size_t)n);
    c->partial[chunk] = p->fn(p->data, chunk, x, y);
    p->be->scatter(y, n, c->sum + 3 * (size_t)first);
}

void sp__chunks_each(sp_context *ctx, const sp_backend *be, int count, sp_task_fn *fn, void *arg) {
    if (be->parallel) {
        sp__parallel(ctx, count, fn, arg);
        return;
    }
    for (int i = 0; i < count; i++) fn(arg, i, 0);
}

double sp__chunks_run(sp_context *ctx, const sp_backend *be, sp_chunks *c, sp_chunk_fn *fn, const void *data, const double *x,
                      const double *keep, bool wants_y, double *scratch) {
    pass p = {be, c, fn, data, x, keep, wants_y, scratch};
    sp__chunks_each(ctx, be, c->count, run_chunk, &p);
    double total = 0;
    for (int i = 0; i < c->count; i++) total += c->partial[i];
    return total;
}

size_t sp__chunks_scratch(const sp_context *ctx, const sp_chunks *c) {
    return (size_t)sp__workers(ctx) * 8 * (size_t)c->touch_max;
}

typedef struct ranges {
    int n;
    sp_range_fn *fn;
    void *arg;
    double *partial;
} ranges;

static void run_range(void *arg, int task, int worker) {
    (void)worker;
    ranges *r = arg;
    int begin = task * SP_RANGE, end = begin + SP_RANGE < r->n ? begin + SP_RANGE : r->n;
    r->partial[task] = r->fn(r->arg, begin, end);
}

double sp__ranges(sp_context *ctx, int n, sp_range_fn *fn, void *arg, double *partial) {
    ranges r = {n, fn, arg, partial};
    int count = (n + SP_RANGE - 1) / SP_RANGE;
    sp__parallel(ctx, count, run_range, &r);
    double total = 0;
    for (int i = 0; i < count; i++) total += partial[i];
    return total;
}

// ------------------------------------------------------------------------------------------------ chunks

// slots of each node by a counting sort of the nodes of all chunks
static void sort_slots(sp_chunks *c, int total) {
    for (int s = 0; s < total; s++) c->slot_start[c->node[s] + 1]++;
    for (int i = 0; i < c->nodes; i++) c->slot_start[i + 1] += c->slot_start[i];
    for (int s = 0; s < total; s++) c->slot[c->slot_start[c->node[s]]++] = s;
    for (int i = c->nodes; i > 0; i--) c->slot_start[i] = c->slot_start[i - 1];
    c->slot_start[0] = 0;
}

sp_status sp__chunks_build(sp_context *ctx, sp_chunks *c, int nodes, int count, const int *start, const int *node) {
    int total = start[count];
    *c = (sp_chunks){.nodes = nodes, .count = count};
    if (!SP_NEW(ctx, c->start, count + 1) || !SP_NEW(ctx, c->node, total + 1) || !SP_NEW(ctx, c->slot_start, nodes + 1) ||
        !SP_NEW(ctx, c->slot, total + 1) || !SP_NEW(ctx, c->sum, 3 * (size_t)total + 1) || !SP_NEW(ctx, c->partial, count + 1)) {
        sp__chunks_free(ctx, c);
        return SP_NO_MEMORY;
    }
    memcpy(c->start, start, sizeof *start * (size_t)(count + 1));
    memcpy(c->node, node, sizeof *node * (size_t)total);
    for (int i = 0; i < count; i++)
        if (start[i + 1] - start[i] > c->touch_max) c->touch_max = start[i + 1] - start[i];
    sort_slots(c, total);
    SP_SHARE(ctx, c->start), SP_SHARE(ctx, c->node), SP_SHARE(ctx, c->slot_start), SP_SHARE(ctx, c->slot);
    SP_LEND(ctx, c->sum), SP_LEND(ctx, c->partial);
    return SP_OK;
}

void sp__chunks_free(sp_context *ctx, sp_chunks *c) {
    void *all[] = {c->start, c->node, c->slot_start, c->slot, c->sum, c->partial};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(ctx, all[i]);
    *c = (sp_chunks){0};
}
