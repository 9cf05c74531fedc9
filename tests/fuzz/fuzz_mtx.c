// Any bytes as a Matrix Market file. Checked: a matrix in the layout that symmetric.h requires, or a message; the matrix can be
// combined into blocks; nothing leaks.
#include <math.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "matrix_market.h"

static void check_matrix(const sp_symmetric *A) {
    FUZZ_PROMISE(A->n >= 1 && A->block >= 1 && A->row_start[0] == 0);
    int values = A->block * A->block;
    for (int i = 0; i < A->n; i++) {
        FUZZ_PROMISE(A->row_start[i + 1] > A->row_start[i] && A->row_col[A->row_start[i]] == i);
        for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++) {
            FUZZ_PROMISE(A->row_col[k] < A->n && (k == A->row_start[i] || A->row_col[k] > A->row_col[k - 1]));
            for (int e = 0; e < values; e++) FUZZ_PROMISE(isfinite(sp__symmetric_block(A, k)[e]));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    text[size] = 0;
    sp_context *context = fuzz_context();
    sp_symmetric_own A, B;
    sp_status status = sp__mtx_parse(context, "fuzz", text, size, &A);
    FUZZ_PROMISE(status >= 0 ? A.val != NULL : !A.val && sp_context_error(context)->message[0]);
    if (status >= 0) {
        check_matrix(&A.view);
        status = sp__mtx_group(context, &A.view, 3, &B);
        FUZZ_PROMISE((status >= 0) == (A.view.n % 3 == 0));
        if (status >= 0) check_matrix(&B.view);
        sp__symmetric_free(&B);
    }
    sp__symmetric_free(&A);
    fuzz_context_done(context);
    free(text);
    return 0;
}
