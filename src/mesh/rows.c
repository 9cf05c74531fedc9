// Radix sort of rows: counting passes from the last key to the first. Whole rows are moved, so that each pass reads memory in
// order.
#include "mesh/rows.h"

static void pass(const int *from, int n, int stride, int key, int limit, int *start, int *to) {
    memset(start, 0, ((size_t)limit + 1) * sizeof *start);
    for (size_t i = 0; i < (size_t)n; i++) start[from[i * (size_t)stride + (size_t)key] + 1]++;
    for (int i = 0; i < limit; i++) start[i + 1] += start[i];
    for (size_t i = 0; i < (size_t)n; i++) {
        const int *row = from + i * (size_t)stride;
        int *place = to + (size_t)start[row[key]]++ * (size_t)stride;
        for (int k = 0; k < stride; k++) place[k] = row[k];
    }
}

sp_status sp__rows_sort(sp_context *ctx, int *rows, int n, int width, int limit) {
    int stride = width + 1, *other = NULL, *start = NULL, *from = rows, *to;
    if (!SP_NEW(ctx, other, (size_t)n * (size_t)stride) || !SP_NEW(ctx, start, (size_t)limit + 1)) {
        sp__free(ctx, other);
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory to sort %d elements", n);
    }
    to = other;
    for (int key = width - 1; key >= 0; key--) {
        pass(from, n, stride, key, limit, start, to);
        int *swap = from;
        from = to, to = swap;
    }
    if (from != rows && n > 0) memcpy(rows, from, (size_t)n * (size_t)stride * sizeof *rows);
    sp__free(ctx, other);
    sp__free(ctx, start);
    return SP_OK;
}
