// Aggregates: small groups of rows that move together (Vanek, Mandel and Brezina 1996, algorithm 5.1). A row all of whose strong
// neighbours are free starts a group with them; who is left joins the group it has most strong links to; the rest make groups of
// their own.
//
// Only level 0 looks at numbers. Above it two aggregates are linked where nodes of theirs are, and strongly where any of those
// links is: the smoothed matrix has twice as many links, and groups made over all of them are too wide for one smoothing step
// (15 iterations instead of 12 on a beam of 98,304 tetrahedra, and growing). Where stiffness differs a hundredfold from slab to
// slab it takes 13 iterations, as everywhere; aggregates that know nothing of strength take 38 (tests/unit/multigrid.c).
#include "linear/multigrid.h"

// As in Vanek, Mandel and Brezina 1996. In a mesh of cubes of one stuff all links are above it but those along the diagonals.
static const double theta = 0.08;

// ------------------------------------------------------------------------------------------------ strength

// of a block; *coupled: any number off the diagonal of the matrix
static double block_norm(const sp_symmetric *A, int k, bool diagonal, bool *coupled) {
    const double *v = sp__symmetric_block(A, k);
    double sum = 0;
    for (int e = 0; e < A->block * A->block; e++) {
        double x = v[(size_t)A->stride * (size_t)e];
        sum += x * x;
        if (x != 0 && !(diagonal && e % (A->block + 1) == 0)) *coupled = true;
    }
    return sqrt(sum);
}

void sp__links_judge(const sp_grid *g, const sp_symmetric *A, unsigned char *strong) {
    for (int i = 0; i < g->n; i++)
        for (int k = g->start[i]; k < g->start[i + 1]; k++) {
            int j = g->col[k];
            bool coupled = false;
            if (!A->val) {
                strong[k] = 1;
                continue;
            }
            double link = block_norm(A, g->from[k] / 2, false, &coupled);
            double di = block_norm(A, g->half_start[i], true, &coupled), dj = block_norm(A, g->half_start[j], true, &coupled);
            // no number at all: one of both is fixed
            strong[k] = link == 0 || !(link <= theta * sqrt(di * dj));
        }
}

// ------------------------------------------------------------------------------------------------ groups

typedef struct grouping {
    const sp_links *links;
    bool weak_too;
    int *aggregate, *votes, count;
} grouping;

static bool is_link(const grouping *q, int k) {
    return q->weak_too || q->links->strong[k];
}

static void start_groups(grouping *q) {
    const sp_links *l = q->links;
    for (int i = 0; i < l->n; i++) {
        bool alone = true;
        for (int k = l->start[i]; k < l->start[i + 1] && q->aggregate[i] < 0 && alone; k++)
            alone = !(is_link(q, k) && q->aggregate[l->col[k]] >= 0);
        if (q->aggregate[i] >= 0 || !alone || l->start[i] == l->start[i + 1]) continue;
        q->aggregate[i] = q->count;
        for (int k = l->start[i]; k < l->start[i + 1]; k++)
            if (is_link(q, k)) q->aggregate[l->col[k]] = q->count;
        q->count++;
    }
}

// the group that row i has most links to, the first of equals; -1: none. `of` is what counts as belonging.
static int best_group(grouping *q, int i, const int *of) {
    const sp_links *l = q->links;
    int best = -1;
    for (int k = l->start[i]; k < l->start[i + 1]; k++) {
        int a = of[l->col[k]];
        if (a < 0 || !is_link(q, k)) continue;
        q->votes[a]++;
        if (best < 0 || q->votes[a] > q->votes[best] || (q->votes[a] == q->votes[best] && a < best)) best = a;
    }
    for (int k = l->start[i]; k < l->start[i + 1]; k++)
        if (of[l->col[k]] >= 0) q->votes[of[l->col[k]]] = 0;
    return best;
}

static void join_groups(grouping *q, int *before) {
    memcpy(before, q->aggregate, sizeof *before * (size_t)q->links->n);
    for (int i = 0; i < q->links->n; i++)
        if (before[i] < 0) q->aggregate[i] = best_group(q, i, before);
}

static void close_groups(grouping *q) {
    const sp_links *l = q->links;
    for (int i = 0; i < l->n; i++) {
        if (q->aggregate[i] >= 0 || l->start[i] == l->start[i + 1]) continue;
        q->aggregate[i] = q->count;
        for (int k = l->start[i]; k < l->start[i + 1]; k++)
            if (is_link(q, k) && q->aggregate[l->col[k]] < 0) q->aggregate[l->col[k]] = q->count;
        q->count++;
    }
}

static void group(grouping *q, int *before) {
    q->count = 0;
    for (int i = 0; i < q->links->n; i++) q->aggregate[i] = -1;
    start_groups(q);
    join_groups(q, before);
    join_groups(q, before);
    close_groups(q);
}

sp_status sp__aggregate(sp_context *ctx, const sp_links *links, int *aggregate, int *count) {
    grouping q = {.links = links, .aggregate = aggregate};
    int *before = NULL;
    sp_status status = SP_NO_MEMORY;
    if (!SP_NEW(ctx, q.votes, links->n + 1) || !SP_NEW(ctx, before, links->n + 1)) goto done;
    group(&q, before);
    // islands of one stuff have no strong links between them: when nothing else is left, weak ones must do
    if (q.count > links->n / 4) {
        q.weak_too = true;
        group(&q, before);
    }
    *count = q.count > links->n - links->n / 4 ? 0 : q.count;
    status = SP_OK;
done:
    sp__free(ctx, q.votes), sp__free(ctx, before);
    return status;
}

// ------------------------------------------------------------------------------------------------ the graph above

void sp__links_free(sp_context *ctx, sp_links *links) {
    sp__free(ctx, links->start), sp__free(ctx, links->col), sp__free(ctx, links->strong);
    *links = (sp_links){0};
}

// neighbours of aggregate a among its members' neighbours; at[b]: place of b in the list of the aggregate under way, by `out`
static void list_row(const sp_links *fine, const int *aggregate, const int *members, int count, int a, int *at, sp_links *out) {
    int first = out->start[a], next = first;
    for (int m = 0; m < count; m++)
        for (int k = fine->start[members[m]]; k < fine->start[members[m] + 1]; k++) {
            int b = aggregate[fine->col[k]];
            if (b < 0 || b == a) continue;
            if (at[b] < first || at[b] >= next || out->col[at[b]] != b) {
                at[b] = next;
                out->col[next] = b, out->strong[next++] = 0;
            }
            out->strong[at[b]] |= fine->strong[k];
        }
    out->start[a + 1] = next;
}

sp_status sp__links_quotient(sp_context *ctx, const sp_links *fine, const int *aggregate, int count, sp_links *out) {
    int *start = NULL, *member = NULL, *at = NULL, links = fine->start[fine->n];
    sp_status status = SP_NO_MEMORY;
    *out = (sp_links){.n = count};
    if (!SP_NEW(ctx, start, count + 1) || !SP_NEW(ctx, member, fine->n + 1) || !SP_NEW(ctx, at, count + 1) ||
        !SP_NEW(ctx, out->start, count + 1) || !SP_NEW(ctx, out->col, links + 1) || !SP_NEW(ctx, out->strong, links + 1))
        goto done;
    for (int i = 0; i < fine->n; i++)
        if (aggregate[i] >= 0) start[aggregate[i] + 1]++;
    for (int a = 0; a < count; a++) start[a + 1] += start[a];
    for (int i = 0; i < fine->n; i++)
        if (aggregate[i] >= 0) member[start[aggregate[i]]++] = i;
    for (int a = count; a > 0; a--) start[a] = start[a - 1];
    start[0] = 0;
    for (int a = 0; a < count; a++) list_row(fine, aggregate, member + start[a], start[a + 1] - start[a], a, at, out);
    status = SP_OK;
done:
    if (status < 0) sp__links_free(ctx, out);
    sp__free(ctx, start), sp__free(ctx, member), sp__free(ctx, at);
    return status;
}
