// Columns of an inverse that are kept while a factor is in use: X_n = L^-1 P e_n of touched block rows n, and the blocks
// X_m^T X_n of A^-1. Contacts touch nearly the same nodes in each step, and rotations of the nodes act on the contact rows only:
// while the factor stays, a product B^T A^-1 B is a sum of small products with these blocks.
//
// A block has the same bits whether it was computed alone or with others, early or late: what the cache contains changes the time
// of a product, never its result. So a cache is no part of the state, and starts empty after a restore.
//
// Memory: block rows are limited to SP_CACHE_ROWS (40 MB of blocks), the columns to SP_CACHE_BYTES. Where new columns do not
// fit beside the old ones, all are dropped; a request that does not fit alone is refused (sp__inverse_cache_plan).
#ifndef SP_INVERSE_CACHE_H
#define SP_INVERSE_CACHE_H

#include "sparse/inverse_columns.h"

enum {
    SP_CACHE_ROWS = 1024,
    SP_CACHE_BYTES = 256 << 20,
};

typedef struct sp_inverse_cache sp_inverse_cache;
struct sp_columns_scratch;

sp_status sp__inverse_cache_create(sp_context *ctx, sp_inverse_cache **out);
void sp__inverse_cache_destroy(sp_inverse_cache **K);  // accepts NULL
size_t sp__inverse_cache_bytes(const sp_inverse_cache *K);
void sp__inverse_cache_limit(sp_inverse_cache *K, int rows, size_t bytes);  // smaller limits, for tests

// The factor changes: nothing is valid any more. Memory is kept.
void sp__inverse_cache_clear(sp_inverse_cache *K);
// Reserves memory for the columns of these block rows of F (old numbers, in any order, repeats allowed) and their products.
// *fits: false where they exceed the limits; this depends on F's pattern and the rows alone, not on what is cached. F need not be
// factored yet. `lone`: also the scratch for a fill without workers.
sp_status sp__inverse_cache_plan(sp_inverse_cache *K, sp_factor *F, int count, const int *rows, bool lone, bool *fits);
// Computes what the last plan asked for and is not there yet. Allocates nothing. scratch: reserved for F with all workers, or
// NULL: on this thread alone, with the scratch of the plan; ends early where *stop becomes true (nullable).
void sp__inverse_cache_fill(sp_inverse_cache *K, sp_factor *F, struct sp_columns_scratch *scratch, atomic_bool *stop);
// The rows of the last plan.
const int *sp__inverse_cache_planned(const sp_inverse_cache *K, int *count);
// G = B^T A^-1 B as sp__inverse_columns_product, after plan and fill for all rows of B. Blocks must have three unknowns.
// SP_NO_MEMORY: G is not written.
sp_status sp__inverse_cache_product(sp_inverse_cache *K, sp_factor *F, struct sp_columns_scratch *scratch,
                                    const sp_sparse_columns *B, double *G, int ld);

// Since the last clear: block rows whose columns were computed, blocks of the inverse that were computed.
void sp__inverse_cache_counts(const sp_inverse_cache *K, int *rows, int64_t *blocks);

#endif
