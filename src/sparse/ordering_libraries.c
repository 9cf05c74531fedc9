// Orderings by other libraries, if the build has them.
#define _XOPEN_SOURCE 700  // initstate
#include "sparse/ordering.h"

// =========================================================================================================== AMD

// Approximate minimum degree by AMD of SuiteSparse (Amestoy, Davis and Duff 1996).

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

// ========================================================================================================= METIS

// Nested dissection of the graph by METIS (Karypis and Kumar 1998). METIS uses the random generator of the C library, which is
// global to the process: calls are serialised and use their own generator state, so that the order depends on the graph alone and
// the host's random numbers are not disturbed.

#ifdef SP_HAVE_METIS

#include <metis.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static int metis_dissect(idx_t n, idx_t *start, idx_t *near, idx_t *perm, idx_t *place) {
    char state[128];
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_NUMBERING] = 0;
    options[METIS_OPTION_SEED] = 1;
    pthread_mutex_lock(&one_at_a_time);
    char *before = initstate(1, state, sizeof state);
    int answer = METIS_NodeND(&n, start, near, NULL, options, perm, place);
    if (before) setstate(before);
    pthread_mutex_unlock(&one_at_a_time);
    return answer;
}

bool sp__has_metis(void) {
    return true;
}

sp_status sp__order_metis(sp_context *ctx, const sp_graph *G, int *perm) {
    size_t n = (size_t)G->n, edges = (size_t)G->start[G->n];
    for (int i = 0; i < G->n; i++) perm[i] = i;
    if (n < 3 || edges == 0) return SP_OK;  // METIS does not accept empty graphs
    // copies, because METIS needs writable arrays of its own integer type
    idx_t *start = NULL, *near = NULL, *order = NULL, *place = NULL;
    sp_status status = SP_OK;
    if (!SP_NEW(ctx, start, n + 1) || !SP_NEW(ctx, near, edges) || !SP_NEW(ctx, order, n) || !SP_NEW(ctx, place, n)) {
        status = SP_FAIL(ctx, SP_NO_MEMORY, "no memory to order %d rows", G->n);
        goto done;
    }
    for (size_t i = 0; i <= n; i++) start[i] = G->start[i];
    for (size_t k = 0; k < edges; k++) near[k] = G->near[k];
    int answer = metis_dissect((idx_t)n, start, near, order, place);
    if (answer == METIS_OK)
        for (size_t i = 0; i < n; i++) perm[i] = (int)order[i];
    else
        status = SP_FAIL(ctx, answer == METIS_ERROR_MEMORY ? SP_NO_MEMORY : SP_BAD_INPUT, "METIS refused a graph of %d rows: %d",
                         G->n, answer);
done:
    sp__free(ctx, start);
    sp__free(ctx, near);
    sp__free(ctx, order);
    sp__free(ctx, place);
    return status;
}

#else

bool sp__has_metis(void) {
    return false;
}

sp_status sp__order_metis(sp_context *ctx, const sp_graph *G, int *perm) {
    (void)G, (void)perm;
    return SP_FAIL(ctx, SP_UNAVAILABLE, "ordering metis: built without METIS (SP_METIS)");
}

#endif
