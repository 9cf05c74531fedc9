// What products of rows (inverse_columns.c) and cached columns (inverse_cache.c) share: groups of right-hand sides that go
// through the elimination tree together, and sums of products over the supernodes that two groups have in common.
//
// A column has the same bits in any group: kernels treat all lanes alike, sums run in the order of the supernodes, and what other
// columns of the group visit adds zeros.
#ifndef SP_INVERSE_INTERNAL_H
#define SP_INVERSE_INTERNAL_H

#include "sparse/factor_internal.h"

enum { SP_COLUMNS = 48 };  // most columns of a group: a multiple of the register tiles, and a group of rows stays in the L1 cache

// Memory of passes and products for each lane.
typedef struct sp_columns_scratch {
    int lanes;
    char *memory;
    size_t capacity, lane_bytes;
    int *mark;  // lanes x supernodes; zero after a reserve
    size_t mark_capacity;
} sp_columns_scratch;

sp_status sp__columns_scratch_reserve(sp_context *ctx, const sp_factor *F, int lanes, sp_columns_scratch *s);
void sp__columns_scratch_free(sp_context *ctx, sp_columns_scratch *s);
static inline size_t sp__columns_scratch_bytes(const sp_columns_scratch *s) {
    return s->capacity + s->mark_capacity * sizeof(int);
}

// One group of columns on one lane.
typedef struct sp_columns_pass {
    sp_factor_pass pass;
    void *vector;
    const int *supers;  // ascending, closed towards the root
    int super_count;
} sp_columns_pass;

// Zero right-hand sides for `used` columns; the caller then adds to p->pass.y (unknowns in elimination order x width). `stamp`
// differs between the groups since the last reserve of the scratch.
sp_columns_pass sp__columns_begin(sp_factor *F, const sp_columns_scratch *s, int lane, const int *supers, int super_count,
                                  int width, int used, int stamp);
// Forward substitution; `to` gets the own rows of the supernodes, width numbers each. L D L^T: divided by the root of D.
void sp__columns_forward(const sp_columns_pass *p, char *to);

// A group in memory, as sp__columns_forward wrote it.
typedef struct sp_columns_group {
    const int *supers;
    int super_count, width;
    const char *values;
} sp_columns_group;

// The products of the columns of a and b, summed over common supernodes in ascending order: entry (p of a, q of b) is at
// [q a.width + p] of the result, which is on the lane.
const double *sp__columns_multiply(const sp_factor *F, const sp_columns_scratch *s, int lane, const sp_columns_group *a,
                                   const sp_columns_group *b);

#endif
