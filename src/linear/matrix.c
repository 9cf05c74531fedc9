// When the assembled matrix is made and filled: see matrix.h.
#include "linear/matrix.h"

static sp_status follow_pattern(sp_matrix *m, sp_context *ctx, const sp_system *A) {
    sp__matrix_forget(m);
    sp_status status = A->make_pattern(A->o, ctx, &m->A);
    if (status < 0 && status != SP_UNAVAILABLE) return status;
    m->refused = status == SP_UNAVAILABLE;
    m->pattern = A->pattern, m->news = SP_MATRIX_PATTERN;
    return SP_OK;
}

static sp_status follow_values(sp_matrix *m, const sp_system *A, sp_coef c) {
    if (m->filled && m->values == A->values && memcmp(&m->coef, &c, sizeof c) == 0) return SP_OK;
    m->filled = false;
    SP_TRY(A->assemble(A->o, c, m->A));
    m->values = A->values, m->coef = c, m->filled = true;
    if (m->news == SP_MATRIX_SAME) m->news = SP_MATRIX_VALUES;
    return SP_OK;
}

sp_status sp__matrix_follow(sp_matrix *m, sp_context *ctx, const sp_system *A, sp_coef c, sp_matrix_news *news) {
    *news = SP_MATRIX_SAME;
    if (!A->assemble || A->block != 3) {
        sp__matrix_forget(m);
        return SP_OK;
    }
    if ((!m->A && !m->refused) || m->pattern != A->pattern) SP_TRY(follow_pattern(m, ctx, A));
    if (!m->refused) SP_TRY(follow_values(m, A, c));
    *news = m->news, m->news = SP_MATRIX_SAME;
    return SP_OK;
}

void sp__matrix_forget(sp_matrix *m) {
    sp__blocks_destroy(&m->A);
    *m = (sp_matrix){0};
}

size_t sp__matrix_bytes(const sp_matrix *m) {
    return m->A ? sp__blocks_bytes(m->A) : 0;
}
