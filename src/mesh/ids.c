// Map from user ids to internal indices. Most files have ascending ids, which are searched directly. Other ids get an index from
// a radix sort: linear time, and no comparison function that would need a global.
#include "mesh/mesh_internal.h"

static bool rise(const int64_t *ids, int n) {
    for (int i = 1; i < n; i++)
        if (ids[i] <= ids[i - 1]) return false;
    return true;
}

static unsigned byte_of(int64_t id, int byte) {
    // flipping the sign bit sorts negative numbers first
    return (unsigned)((((uint64_t)id ^ (UINT64_C(1) << 63)) >> (8 * byte)) & 255);
}

// One stable pass; false if all ids share that byte and nothing moved.
static bool radix_pass(const int64_t *ids, int n, int byte, const int *from, int *to) {
    size_t start[257] = {0};
    for (int i = 0; i < n; i++) start[byte_of(ids[i], byte) + 1]++;
    for (int b = 0; b < 256; b++) {
        if (start[b + 1] == (size_t)n) return false;
        start[b + 1] += start[b];
    }
    for (int i = 0; i < n; i++) to[start[byte_of(ids[from[i]], byte)]++] = from[i];
    return true;
}

sp_status sp__ids_index(sp_context *ctx, const int64_t *ids, int n, int **by_id, int *twice) {
    *by_id = NULL;
    *twice = -1;
    if (rise(ids, n)) return SP_OK;
    int *a = NULL, *b = NULL;
    if (!SP_NEW(ctx, a, n) || !SP_NEW(ctx, b, n)) {
        sp__free(ctx, a);
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for an index of %d ids", n);
    }
    for (int i = 0; i < n; i++) a[i] = i;
    for (int byte = 0; byte < 8; byte++) {
        if (!radix_pass(ids, n, byte, a, b)) continue;
        int *swap = a;
        a = b, b = swap;
    }
    // the sort is stable: of equal ids the later one comes second
    for (int i = 1; i < n; i++)
        if (ids[a[i]] == ids[a[i - 1]] && (*twice < 0 || a[i] < *twice)) *twice = a[i];
    sp__free(ctx, b);
    *by_id = a;
    return SP_OK;
}

int sp__ids_find(const int64_t *ids, const int *by_id, int n, int64_t id) {
    int low = 0, high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        int at = by_id ? by_id[middle] : middle;
        if (ids[at] == id) return at;
        if (ids[at] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}
