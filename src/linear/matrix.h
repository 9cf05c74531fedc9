// The assembled matrix of a system, kept between solves: its pattern follows that of the system, its numbers follow values and
// coefficients.
#ifndef SP_MATRIX_H
#define SP_MATRIX_H

#include "linear/blocks.h"

typedef enum sp_matrix_news { SP_MATRIX_SAME, SP_MATRIX_VALUES, SP_MATRIX_PATTERN } sp_matrix_news;

typedef struct sp_matrix {
    sp_blocks *A;              // NULL: nothing assembled
    uint64_t pattern, values;  // what A was made and filled from
    sp_coef coef;
    bool filled;
    bool refused;         // this pattern has no matrix: a node of tens of thousands of neighbours
    sp_matrix_news news;  // that no call has told yet, because it failed
} sp_matrix;

// Afterwards m->A holds the numbers of A, or is NULL where A cannot be assembled. news: what changed since the last call that did
// not fail.
sp_status sp__matrix_follow(sp_matrix *m, sp_context *ctx, const sp_system *A, sp_coef c, sp_matrix_news *news);
void sp__matrix_forget(sp_matrix *m);  // frees it
size_t sp__matrix_bytes(const sp_matrix *m);

// Do these backends ask for kernels that any machine has?
static inline bool sp__backend_plain(const sp_backend *be) {
    return be == &sp__backend_ref || be == &sp__backend_cpu_generic;
}

#endif
