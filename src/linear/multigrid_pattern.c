// Structure of the multigrid levels, without values: aggregates, the patterns of prolongators and Galerkin products P^T A P,
// and the destination of every block product, so that a build needs no search. Computed once per pattern.
#include "linear/multigrid.h"

// A graph whose links are marked strong or weak.
typedef struct sp_links {
    int n, *start, *col;
    unsigned char *strong;
} sp_links;

// ==================================================================================================== aggregates

// Aggregation (Vanek, Mandel and Brezina 1996, algorithm 5.1). A row whose strong neighbours are all free starts an aggregate
// with them. The remaining rows join the aggregate to which they have most strong links; the rest form new aggregates.
//
// Only level 0 uses matrix values. On coarse levels two aggregates are linked if any of their nodes are linked, and strongly if
// any of those links is strong. The smoothed matrix has twice as many links, and aggregates over all of them are too wide for one
// smoothing step (15 iterations instead of 12 on a beam of 98,304 tetrahedra, and growing). If the stiffness differs a
// hundredfold between slabs, it takes 13 iterations; aggregates that ignore strength take 38 (tests/unit/multigrid.c).

// As in Vanek, Mandel and Brezina 1996. In a homogeneous mesh of cubes only the links along the diagonals are below it.
static const double theta = 0.08;

// ------------------------------------------------------------------------------------------------ strong links

// norm of a block; *coupled: a number off the diagonal of the matrix is not zero
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

// Marks the strong links of level 0: |A_ij| > theta sqrt(|A_ii| |A_jj|). Links of fixed unknowns are strong, because they may be
// released later.
static void links_find_strong(const sp_grid *g, const sp_symmetric *A, unsigned char *strong) {
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
            // a zero block: one of the two nodes is fixed
            strong[k] = link == 0 || !(link <= theta * sqrt(di * dj));
        }
}

// ------------------------------------------------------------------------------------------------ aggregation

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

// the aggregate to which row i has most links, the lowest of equal ones; -1: none. `of` maps rows to aggregates.
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

static void aggregate_group(grouping *q, int *before) {
    q->count = 0;
    for (int i = 0; i < q->links->n; i++) q->aggregate[i] = -1;
    start_groups(q);
    join_groups(q, before);
    join_groups(q, before);
    close_groups(q);
}

// Aggregates over strong links, or over all links if the strong ones leave too many pieces; *count 0: aggregation does not reduce
// the number of rows enough.
static sp_status links_aggregate(sp_context *ctx, const sp_links *links, int *aggregate, int *count) {
    grouping q = {.links = links, .aggregate = aggregate};
    int *before = NULL;
    sp_status status = SP_NO_MEMORY;
    if (!SP_NEW(ctx, q.votes, links->n + 1) || !SP_NEW(ctx, before, links->n + 1)) goto done;
    aggregate_group(&q, before);
    // regions of different material may have no strong links between them: then weak links count, too
    if (q.count > links->n / 4) {
        q.weak_too = true;
        aggregate_group(&q, before);
    }
    *count = q.count > links->n - links->n / 4 ? 0 : q.count;
    status = SP_OK;
done:
    sp__free(ctx, q.votes), sp__free(ctx, before);
    return status;
}

// ------------------------------------------------------------------------------------------------ graph of the next level

static void links_free(sp_context *ctx, sp_links *links) {
    sp__free(ctx, links->start), sp__free(ctx, links->col), sp__free(ctx, links->strong);
    *links = (sp_links){0};
}

// neighbours of aggregate a, from the neighbours of its members; at[b]: index of b in the list of the current aggregate in `out`
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

// The graph of the aggregates. A link is strong if any link between the two aggregates is strong.
static sp_status links_quotient(sp_context *ctx, const sp_links *fine, const int *aggregate, int count, sp_links *out) {
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
    if (status < 0) links_free(ctx, out);
    sp__free(ctx, start), sp__free(ctx, member), sp__free(ctx, at);
    return status;
}

// ===================================================================================== levels and their patterns

// ------------------------------------------------------------------------------------------------ one level

// both triangles from the upper pattern: rows ascend, so the lower columns of a row come before its upper ones, all ascending
static sp_status fill_rows(sp_context *ctx, sp_grid *g) {
    int *next = NULL, n = g->n, links = 2 * (g->half_start[n] - n);
    if (!SP_NEW(ctx, g->start, n + 1) || !SP_NEW(ctx, g->col, links + 1) || !SP_NEW(ctx, g->from, links + 1) ||
        !SP_NEW(ctx, next, n + 1))
        return SP_NO_MEMORY;
    for (int i = 0; i < n; i++)
        for (int k = g->half_start[i] + 1; k < g->half_start[i + 1]; k++) g->start[i + 1]++, g->start[g->half_col[k] + 1]++;
    for (int i = 0; i < n; i++) next[i + 1] = g->start[i + 1] += g->start[i];
    for (int i = 0; i < n; i++)
        for (int k = g->half_start[i] + 1; k < g->half_start[i + 1]; k++) {
            int j = g->half_col[k];
            g->col[next[i]] = j, g->from[next[i]++] = 2 * k;
            g->col[next[j]] = i, g->from[next[j]++] = 2 * k + 1;
        }
    sp__free(ctx, next);
    g->tasks = (n + sp__grid_task_rows(g) - 1) / sp__grid_task_rows(g);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ SIMD layout of rows

static int row_length(const sp_grid *g, int i) {
    return g->start[i + 1] - g->start[i];
}

// sorts the rows of a task by descending length, stable; the last group is padded with n
static void order_task(const sp_grid *g, int task, int *out) {
    int first = task * SP_GRID_ROWS, last = first + SP_GRID_ROWS < g->n ? first + SP_GRID_ROWS : g->n, count = 0;
    for (int i = first; i < last; i++, count++) {
        int at = count;
        for (; at > 0 && row_length(g, out[at - 1]) < row_length(g, i); at--) out[at] = out[at - 1];
        out[at] = i;
    }
    while (count % SP_GRID_LANES) out[count++] = g->n;
}

// records where block k of both triangles is stored in the SIMD layout
static void place_block(sp_grid *g, int k, int at) {
    (g->from[k] & 1 ? g->lane_down : g->lane_up)[g->from[k] >> 1] = at;
}

static sp_status fill_lanes(sp_context *ctx, sp_grid *g) {
    enum { L = SP_GRID_LANES };
    int groups = (g->n + L - 1) / L, blocks = g->half_start[g->n];
    int64_t slots = 0;
    if (!SP_NEW(ctx, g->lane_row, L * (size_t)groups + 1) || !SP_NEW(ctx, g->lane_start, groups + 1) ||
        !SP_NEW(ctx, g->lane_up, blocks + 1) || !SP_NEW(ctx, g->lane_down, blocks + 1))
        return SP_NO_MEMORY;
    for (int t = 0; t < g->tasks; t++) order_task(g, t, g->lane_row + (size_t)t * SP_GRID_ROWS);
    for (int q = 0; q < groups; q++) {
        slots += row_length(g, g->lane_row[(size_t)q * L]);
        if (slots > INT32_MAX / (9 * L)) return SP_FAIL(ctx, SP_UNAVAILABLE, "multigrid: more than %d blocks", INT32_MAX / 9);
        g->lane_start[q + 1] = (int)slots;
    }
    if (!SP_NEW(ctx, g->lane_col, L * (size_t)slots + 1)) return SP_NO_MEMORY;
    for (int i = 0; i < g->n; i++) g->lane_up[g->half_start[i]] = g->lane_down[g->half_start[i]] = -1;
    for (int q = 0; q < groups; q++)
        for (int s = g->lane_start[q]; s < g->lane_start[q + 1]; s++)
            for (int l = 0; l < L; l++) {
                int i = g->lane_row[(size_t)q * L + (size_t)l], e = s - g->lane_start[q];
                bool has = i < g->n && e < row_length(g, i);
                g->lane_col[(size_t)s * L + (size_t)l] = 4 * (has ? g->col[g->start[i] + e] : i);
                if (has) place_block(g, g->start[i] + e, 9 * L * s + l);
            }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ members of aggregates

static sp_status list_members(sp_context *ctx, sp_grid *g) {
    int c = g->coarse;
    if (!SP_NEW(ctx, g->member_start, c + 2) || !SP_NEW(ctx, g->member, g->n + 1)) return SP_NO_MEMORY;
    for (int i = 0; i < g->n; i++) g->member_start[g->aggregate[i] + 2] += g->aggregate[i] >= 0;
    for (int a = 0; a < c; a++) g->member_start[a + 2] += g->member_start[a + 1];
    for (int i = 0; i < g->n; i++)
        if (g->aggregate[i] >= 0) g->member[g->member_start[g->aggregate[i] + 1]++] = i;
    return SP_OK;
}

// mean of the members' points
static void mean_points(const sp_grid *g, double *point) {
    for (int a = 0; a < g->coarse; a++) {
        double sum[3] = {0};
        int count = g->member_start[a + 1] - g->member_start[a];
        for (int k = g->member_start[a]; k < g->member_start[a + 1]; k++)
            for (int c = 0; c < 3; c++) sum[c] += g->point[3 * (size_t)g->member[k] + (size_t)c];
        for (int c = 0; c < 3; c++) point[3 * (size_t)a + (size_t)c] = sum[c] / count;
    }
}

// ------------------------------------------------------------------------------------------------ the prolongator

// aggregates of a row and of its neighbours, ascending; mark: stamp per aggregate
static int list_prolongator(const sp_grid *g, int i, int *mark, int *out) {
    int n = 0, a = g->aggregate[i];
    if (a < 0) return 0;
    mark[a] = i + 1, out[n++] = a;
    for (int k = g->start[i]; k < g->start[i + 1]; k++) {
        a = g->aggregate[g->col[k]];
        if (mark[a] == i + 1) continue;
        mark[a] = i + 1, out[n++] = a;
    }
    sp__sort_ints(out, n);
    return n;
}

static sp_status fill_columns(sp_context *ctx, sp_grid *g) {
    int c = g->coarse, blocks = g->p_start[g->n];
    if (!SP_NEW(ctx, g->q_start, c + 2) || !SP_NEW(ctx, g->q_row, blocks + 1) || !SP_NEW(ctx, g->q_at, blocks + 1))
        return SP_NO_MEMORY;
    for (int k = 0; k < blocks; k++) g->q_start[g->p_col[k] + 2]++;
    for (int a = 0; a < c; a++) g->q_start[a + 2] += g->q_start[a + 1];
    for (int i = 0; i < g->n; i++)
        for (int k = g->p_start[i]; k < g->p_start[i + 1]; k++) {
            int at = g->q_start[g->p_col[k] + 1]++;
            g->q_row[at] = i, g->q_at[at] = k;
        }
    return SP_OK;
}

static sp_status fill_prolongator(sp_context *ctx, sp_grid *g, int *mark) {
    int most = g->n + g->start[g->n], *col = NULL;
    sp_status status = SP_NO_MEMORY;
    if (!SP_NEW(ctx, g->p_start, g->n + 1) || !SP_NEW(ctx, col, most + 1)) goto done;
    for (int i = 0; i < g->n; i++) g->p_start[i + 1] = g->p_start[i] + list_prolongator(g, i, mark, col + g->p_start[i]);
    if (!SP_NEW(ctx, g->p_col, g->p_start[g->n] + 1)) goto done;
    memcpy(g->p_col, col, sizeof *col * (size_t)g->p_start[g->n]);
    status = fill_columns(ctx, g);
done:
    sp__free(ctx, col);
    return status;
}

// ------------------------------------------------------------------------------------------------ the product

// rows of A P while the maps are built
typedef struct product {
    size_t *start;  // n + 1
    int *col;
} product;

// aggregates in row i of A P, from the first of row i of P on: the ones before belong to the lower triangle
static int list_product(const sp_grid *g, int i, int *mark, int *out) {
    int n = 0, first = g->p_start[i], last = g->p_start[i + 1];
    if (first == last) return 0;
    for (int k = first; k < last; k++) mark[g->p_col[k]] = i + 1, out[n++] = g->p_col[k];
    for (int k = g->start[i]; k < g->start[i + 1]; k++)
        for (int q = g->p_start[g->col[k]]; q < g->p_start[g->col[k] + 1]; q++) {
            int a = g->p_col[q];
            if (a < g->p_col[first] || mark[a] == i + 1) continue;
            mark[a] = i + 1, out[n++] = a;
        }
    sp__sort_ints(out, n);
    return n;
}

// number of blocks of P that row i of A multiplies: its own and those of its neighbours
static size_t count_met(const sp_grid *g, int i) {
    size_t met = (size_t)(g->p_start[i + 1] - g->p_start[i]);
    if (!met) return 0;
    for (int k = g->start[i]; k < g->start[i + 1]; k++) met += (size_t)(g->p_start[g->col[k] + 1] - g->p_start[g->col[k]]);
    return met;
}

static sp_status fill_product(sp_context *ctx, sp_grid *g, int *mark, product *ap) {
    size_t total = 0;
    int *list = NULL;
    sp_status status = SP_NO_MEMORY;
    memset(mark, 0, sizeof *mark * (size_t)g->coarse);
    if (!SP_NEW(ctx, g->ap_count, g->n + 1) || !SP_NEW(ctx, g->slot_start, g->n + 1) || !SP_NEW(ctx, ap->start, g->n + 1) ||
        !SP_NEW(ctx, list, g->coarse + 1))
        goto done;
    // two passes: count, then store
    for (int i = 0; i < g->n; i++) {
        g->ap_count[i] = list_product(g, i, mark, list);
        ap->start[i + 1] = total += (size_t)g->ap_count[i];
        g->slot_start[i + 1] = g->slot_start[i] + count_met(g, i);
        if (g->ap_count[i] > g->ap_most) g->ap_most = g->ap_count[i];
    }
    if (g->ap_most >= SP_GRID_SKIP) {
        status = SP_FAIL(ctx, SP_UNAVAILABLE, "multigrid: a row meets %d aggregates, must be below %d", g->ap_most, SP_GRID_SKIP);
        goto done;
    }
    memset(mark, 0, sizeof *mark * (size_t)g->coarse);
    if (!SP_NEW(ctx, ap->col, total + 1)) goto done;
    for (int i = 0; i < g->n; i++) list_product(g, i, mark, ap->col + ap->start[i]);
    status = SP_OK;
done:
    sp__free(ctx, list);
    return status;
}

// place: per aggregate, its index in the current row of A P
static sp_status fill_slots(sp_context *ctx, sp_grid *g, const product *ap, int *place) {
    if (!SP_NEW(ctx, g->slot, g->slot_start[g->n] + 1)) return SP_NO_MEMORY;
    for (int a = 0; a < g->coarse; a++) place[a] = SP_GRID_SKIP;
    for (int i = 0; i < g->n; i++) {
        const int *col = ap->col + ap->start[i];
        uint16_t *slot = g->slot + g->slot_start[i];
        if (g->p_start[i] == g->p_start[i + 1]) continue;
        for (int s = 0; s < g->ap_count[i]; s++) place[col[s]] = s;
        for (int p = g->p_start[i]; p < g->p_start[i + 1]; p++) *slot++ = (uint16_t)place[g->p_col[p]];
        for (int k = g->start[i]; k < g->start[i + 1]; k++)
            for (int q = g->p_start[g->col[k]]; q < g->p_start[g->col[k] + 1]; q++) *slot++ = (uint16_t)place[g->p_col[q]];
        for (int s = 0; s < g->ap_count[i]; s++) place[col[s]] = SP_GRID_SKIP;
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ the next level's matrix

// columns b >= a of the rows with a block in column a, ascending, a first
static int list_coarse(const sp_grid *g, const product *ap, int a, int *mark, int *out) {
    int n = 0;
    mark[a] = a + 1, out[n++] = a;
    for (int k = g->q_start[a]; k < g->q_start[a + 1]; k++)
        for (size_t s = ap->start[g->q_row[k]]; s < ap->start[g->q_row[k] + 1]; s++) {
            int b = ap->col[s];
            if (b < a || mark[b] == a + 1) continue;
            mark[b] = a + 1, out[n++] = b;
        }
    sp__sort_ints(out, n);
    return n;
}

static sp_status fill_coarse(sp_context *ctx, const sp_grid *g, const product *ap, int *mark, sp_grid *next) {
    int *list = NULL;
    int64_t total = 0;
    sp_status status = SP_NO_MEMORY;
    *next = (sp_grid){.n = g->coarse, .block = SP_GRID_MODES};
    memset(mark, 0, sizeof *mark * (size_t)g->coarse);
    if (!SP_NEW(ctx, next->half_start, g->coarse + 1) || !SP_NEW(ctx, next->point, 3 * (size_t)g->coarse) ||
        !SP_NEW(ctx, list, g->coarse + 1))
        goto done;
    for (int a = 0; a < g->coarse; a++) {
        total += list_coarse(g, ap, a, mark, list);
        if (total > INT32_MAX / 2) {
            status = SP_FAIL(ctx, SP_UNAVAILABLE, "multigrid: more than %d blocks in a level", INT32_MAX / 2);
            goto done;
        }
        next->half_start[a + 1] = (int)total;
    }
    memset(mark, 0, sizeof *mark * (size_t)g->coarse);
    if (!SP_NEW(ctx, next->half_col, total + 1)) goto done;
    for (int a = 0; a < g->coarse; a++) list_coarse(g, ap, a, mark, next->half_col + next->half_start[a]);
    mean_points(g, next->point);
    status = SP_OK;
done:
    sp__free(ctx, list);
    return status;
}

// destination (a, b) in the next level, for each block of P times each block of A P from the same column on. The loop runs over
// aggregates a, so that the indices of one row are computed once.
static sp_status fill_targets(sp_context *ctx, sp_grid *g, const product *ap, const sp_grid *next, int *place) {
    if (!SP_NEW(ctx, g->to_start, g->n + 1)) return SP_NO_MEMORY;
    for (int i = 0; i < g->n; i++) {
        const uint16_t *slot = g->slot + g->slot_start[i];
        size_t count = 0;
        for (int p = 0; p < g->p_start[i + 1] - g->p_start[i]; p++) count += (size_t)(g->ap_count[i] - slot[p]);
        g->to_start[i + 1] = g->to_start[i] + count;
    }
    if (!SP_NEW(ctx, g->to, g->to_start[g->n] + 1)) return SP_NO_MEMORY;
    for (int a = 0; a < g->coarse; a++) {
        for (int k = next->half_start[a]; k < next->half_start[a + 1]; k++) place[next->half_col[k]] = k;
        for (int k = g->q_start[a]; k < g->q_start[a + 1]; k++) {
            int i = g->q_row[k], p = g->q_at[k] - g->p_start[i];
            const uint16_t *slot = g->slot + g->slot_start[i];
            size_t at = g->to_start[i];
            for (int e = 0; e < p; e++) at += (size_t)(g->ap_count[i] - slot[e]);
            for (int s = slot[p]; s < g->ap_count[i]; s++) g->to[at++] = place[ap->col[ap->start[i] + (size_t)s]];
        }
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ colouring of tasks

// true if the task writes to a row of the next level that this colour already has. With `take` the colour gets these rows.
static bool grid_meets(const sp_grid *g, int task, int colour, int *owner, bool take) {
    int rows = sp__grid_task_rows(g), last = (task + 1) * rows < g->n ? (task + 1) * rows : g->n;
    for (int k = g->p_start[task * rows]; k < g->p_start[last]; k++) {
        if (take)
            owner[g->p_col[k]] = colour;
        else if (owner[g->p_col[k]] == colour)
            return true;
    }
    return false;
}

static sp_status colour_tasks(sp_context *ctx, sp_grid *g, int *owner) {
    int *left = NULL, count = g->tasks, done = 0;
    if (!SP_NEW(ctx, g->colour_start, g->tasks + 1) || !SP_NEW(ctx, g->colour_task, g->tasks) || !SP_NEW(ctx, left, g->tasks))
        return SP_NO_MEMORY;
    for (int a = 0; a < g->coarse; a++) owner[a] = -1;
    for (int t = 0; t < count; t++) left[t] = t;
    while (count > 0) {
        int kept = 0;
        for (int t = 0; t < count; t++) {
            if (grid_meets(g, left[t], g->colours, owner, false)) {
                left[kept++] = left[t];
                continue;
            }
            grid_meets(g, left[t], g->colours, owner, true);
            g->colour_task[done++] = left[t];
        }
        g->colour_start[++g->colours] = done;
        count = kept;
    }
    sp__free(ctx, left);
    return SP_OK;
}

static void count_flops(sp_grid *g) {
    double b = g->block, m = SP_GRID_MODES;
    g->flops = 2 * (double)g->slot_start[g->n] * b * b * m + 2 * (double)g->to_start[g->n] * b * m * m +
               2 * (double)g->start[g->n] * b * b * (m + 2 * b);
}

// ------------------------------------------------------------------------------------------------ all levels

// aggregates of level g and the transfer to `next`
static sp_status make_next(sp_context *ctx, sp_grid *g, sp_grid *next) {
    product ap = {NULL, NULL};
    int *mark = NULL;
    sp_status status = SP_NO_MEMORY;
    if (!SP_NEW(ctx, mark, g->coarse + 1)) goto done;
    if ((status = list_members(ctx, g)) < 0 || (status = fill_prolongator(ctx, g, mark)) < 0 ||
        (status = fill_product(ctx, g, mark, &ap)) < 0 || (status = fill_coarse(ctx, g, &ap, mark, next)) < 0 ||
        (status = fill_slots(ctx, g, &ap, mark)) < 0 || (status = fill_targets(ctx, g, &ap, next, mark)) < 0 ||
        (status = colour_tasks(ctx, g, mark)) < 0)
        goto done;
    count_flops(g);
done:
    sp__free(ctx, mark), sp__free(ctx, ap.start), sp__free(ctx, ap.col);
    return status;
}

static sp_status first_level(sp_context *ctx, sp_grid *g, const sp_symmetric *A, const double *points) {
    size_t n = (size_t)A->n, blocks = (size_t)A->row_start[n];
    *g = (sp_grid){.n = A->n, .block = A->block};
    if (!SP_NEW(ctx, g->half_start, n + 1) || !SP_NEW(ctx, g->half_col, blocks + 1) || !SP_NEW(ctx, g->point, 3 * n + 1))
        return SP_NO_MEMORY;
    memcpy(g->half_start, A->row_start, sizeof *A->row_start * (n + 1));
    memcpy(g->half_col, A->row_col, sizeof *A->row_col * blocks);
    if (points) memcpy(g->point, points, sizeof *points * 3 * n);
    SP_TRY(fill_rows(ctx, g));
    return fill_lanes(ctx, g);
}

static sp_status first_links(sp_context *ctx, const sp_grid *g, const sp_symmetric *A, sp_links *out) {
    int links = g->start[g->n];
    *out = (sp_links){.n = g->n};
    if (!SP_NEW(ctx, out->start, g->n + 1) || !SP_NEW(ctx, out->col, links + 1) || !SP_NEW(ctx, out->strong, links + 1))
        return SP_NO_MEMORY;
    memcpy(out->start, g->start, sizeof *g->start * ((size_t)g->n + 1));
    memcpy(out->col, g->col, sizeof *g->col * (size_t)links);
    links_find_strong(g, A, out->strong);
    return SP_OK;
}

// Adds one level; *more false: the current last level stays the last.
static sp_status add_level(sp_grids *s, sp_links *links, bool *more) {
    sp_context *ctx = s->ctx;
    sp_grid *g = &s->grid[s->count - 1];
    sp_links above = {0};
    *more = false;
    if (!SP_NEW(ctx, g->aggregate, g->n + 1)) return SP_NO_MEMORY;
    SP_TRY(links_aggregate(ctx, links, g->aggregate, &g->coarse));
    if (!g->coarse) return SP_OK;
    s->count++;
    SP_TRY(make_next(ctx, g, g + 1));
    SP_TRY(fill_rows(ctx, g + 1));
    SP_TRY(links_quotient(ctx, links, g->aggregate, g->coarse, &above));
    links_free(ctx, links);
    *links = above;
    *more = true;
    return SP_OK;
}

sp_status sp__grids_create(sp_context *ctx, const sp_symmetric *A, const double *points, sp_grids **out) {
    sp_grids *s;
    sp_links links = {0};
    bool more = true;
    *out = NULL;
    if (!SP_NEW(ctx, s, 1)) return SP_NO_MEMORY;
    s->ctx = ctx, s->count = 1;
    atomic_init(&s->users, 1);
    sp_status status = first_level(ctx, &s->grid[0], A, points);
    if (status >= 0) status = first_links(ctx, &s->grid[0], A, &links);
    while (status >= 0 && more && s->count < SP_GRIDS_MAX && s->grid[s->count - 1].n > SP_GRID_COARSEST)
        status = add_level(s, &links, &more);
    if (status >= 0) {
        const sp_grid *last = &s->grid[s->count - 1];
        sp_symmetric view = {
            .n = last->n, .block = last->block, .row_start = last->half_start, .row_col = last->half_col, .stride = 1};
        status = sp__symbolic_create(ctx, SP_ORDER_AUTO, &view, points ? last->point : NULL, &s->S);
    }
    links_free(ctx, &links);
    if (status < 0)
        sp__grids_release(&s);
    else
        *out = s;
    return status;
}

sp_grids *sp__grids_share(sp_grids *s) {
    atomic_fetch_add(&s->users, 1);
    return s;
}

void sp__grids_release(sp_grids **ps) {
    sp_grids *s = *ps;
    *ps = NULL;
    if (!s || atomic_fetch_sub(&s->users, 1) > 1) return;
    for (int l = 0; l < s->count; l++) {
        sp_grid *g = &s->grid[l];
        void *all[] = {g->half_start,   g->half_col,   g->start,    g->col,      g->from,     g->point,        g->aggregate,
                       g->member_start, g->member,     g->p_start,  g->p_col,    g->q_start,  g->q_row,        g->q_at,
                       g->ap_count,     g->slot_start, g->slot,     g->to_start, g->to,       g->colour_start, g->colour_task,
                       g->lane_row,     g->lane_start, g->lane_col, g->lane_up,  g->lane_down};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(s->ctx, all[i]);
    }
    if (s->S) sp__symbolic_release(&s->S);
    sp__free(s->ctx, s);
}

size_t sp__grids_bytes(const sp_grids *s) {
    size_t bytes = sizeof *s + sp__symbolic_bytes(s->S);
    for (int l = 0; l < s->count; l++) {
        const sp_grid *g = &s->grid[l];
        size_t n = (size_t)g->n;
        bytes += (size_t)g->half_start[n] * 4 + (size_t)g->start[n] * 8 + n * (2 * 4 + 24);
        if (g->lane_col) bytes += (size_t)g->half_start[n] * 8 + sp__grid_off_size(g) / 9 * 4 + n * 4;
        if (g->coarse) bytes += (size_t)g->p_start[n] * 12 + g->slot_start[n] * 2 + g->to_start[n] * 4 + n * (5 * 4 + 16);
    }
    return bytes;
}
