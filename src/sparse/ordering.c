// Which ordering, and what is left of the choice in a build without METIS or AMD.
#include "sparse/graph.h"

const char *sp__ordering_name(sp_ordering kind) {
    static const char *const names[] = {"auto", "natural", "amd", "metis", "geometric"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

// On beams, rings and balls below this many rows minimum degree takes up to a third fewer flops than dissections; above it
// dissections win, and METIS and positions are within a tenth of each other.
enum { SMALL = 1000 };

sp_ordering sp__order_auto(const sp_symmetric *A, const double *points) {
    if (A->n < SMALL && sp__has_amd()) return SP_ORDER_AMD;
    if (sp__has_metis()) return SP_ORDER_METIS;
    if (points) return SP_ORDER_GEOMETRIC;
    return sp__has_amd() ? SP_ORDER_AMD : SP_ORDER_NATURAL;
}

sp_status sp__order_graph(sp_context *ctx, sp_ordering kind, const sp_graph *G, const double *points, int *perm) {
    switch (kind) {
    case SP_ORDER_NATURAL:
        for (int i = 0; i < G->n; i++) perm[i] = i;
        return SP_OK;
    case SP_ORDER_AMD: return sp__order_amd(ctx, G, perm);
    case SP_ORDER_METIS: return sp__order_metis(ctx, G, perm);
    case SP_ORDER_GEOMETRIC:
        if (!points) return SP_FAIL(ctx, SP_UNAVAILABLE, "ordering geometric needs the positions of the rows, none were given");
        return sp__order_geometric(ctx, G, points, perm);
    default: return SP_FAIL(ctx, SP_BAD_INPUT, "ordering %d, must be in [%d, %d]", (int)kind, SP_ORDER_AUTO, SP_ORDER_GEOMETRIC);
    }
}

sp_status sp__order(sp_context *ctx, sp_ordering kind, const sp_symmetric *A, const double *points, int *perm) {
    sp_graph G;
    if (kind == SP_ORDER_AUTO) kind = sp__order_auto(A, points);
    SP_TRY(sp__graph_create(ctx, A, &G));
    sp_status status = sp__order_graph(ctx, kind, &G, points, perm);
    sp__graph_free(ctx, &G);
    return status;
}
