// Approximate minimum degree by AMD of SuiteSparse (Amestoy, Davis and Duff 1996).
#include "sparse/graph.h"

#ifdef SP_HAVE_AMD

#include <amd.h>

bool sp__has_amd(void) {
    return true;
}

sp_status sp__order_amd(sp_context *ctx, const sp_graph *G, int *perm) {
    if (G->n == 0) return SP_OK;
    int answer = amd_order(G->n, G->start, G->near, perm, NULL, NULL);
    if (answer >= AMD_OK) return SP_OK;
    return SP_FAIL(ctx, answer == AMD_OUT_OF_MEMORY ? SP_NO_MEMORY : SP_BAD_INPUT, "AMD refused a graph of %d rows: %d", G->n,
                   answer);
}

#else

bool sp__has_amd(void) {
    return false;
}

sp_status sp__order_amd(sp_context *ctx, const sp_graph *G, int *perm) {
    (void)G, (void)perm;
    return SP_FAIL(ctx, SP_UNAVAILABLE, "ordering amd: built without AMD of SuiteSparse (SP_AMD)");
}

#endif
