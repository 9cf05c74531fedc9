// The direct reference: the cone with flat facets makes a linear complementarity problem, solved by Lemke's algorithm.
//
// A contact with m facets d_1 .. d_m has the unknowns n, b_1 .. b_m and the slack g (Stewart and Trinkle 1996, Anitescu and Potra
// 1997):
//
//     0 <= u_N          orthogonal to n >= 0
//     0 <= d_k u_T + g  orthogonal to b_k >= 0        lambda_T = sum of b_k d_k
//     0 <= mu n - sum b orthogonal to g >= 0
//
// Bilateral rows are eliminated first, by the dense KKT system. Everything is dense and allocated per call: for small problems.
#include "contact/solve_internal.h"

typedef struct lemke {
    sp_context *ctx;
    int rows;       // of the island
    double *W, *q;  // dense and scaled; after elimination of the bilateral rows
    double *x;
    int n;       // size of the complementarity problem
    int *base;   // first unknown of a group
    int *basic;  // variable of a row of the tableau: w_i = i, z_i = n + i, z_0 = 2 n
    double *T;   // n x (2 n + 2): w, z, z_0, right-hand side
} lemke;

static void facet_direction(int facets, int k, double d[2]) {
    double angle = 2 * 3.14159265358979323846 * k / facets;
    d[0] = cos(angle), d[1] = sin(angle);
}

static int group_unknowns(const sp_cone_run_state *s, int i, int facets) {
    const sp_cone_group *g = sp__cone_at(s->p, i);
    if (s->weight[i] == 0 || g->kind == SP_CONE_BILATERAL) return 0;
    return g->kind == SP_CONE_UNILATERAL || g->mu == 0 ? 1 : facets + 2;
}

// dense W and q of the island, scaled by the weights
static void lemke_gather(lemke *m, const sp_cone_run_state *s, const sp_cone_span *island) {
    for (int i = island->begin; i < island->end; i++)
        for (int j = island->begin; j < island->end; j++) {
            const double *block = sp__cone_block_at(s->p, i, j);
            if (!block || s->weight[i] == 0 || s->weight[j] == 0) continue;
            double scale = 1 / sqrt(s->weight[i] * s->weight[j]);
            for (int r = s->p->first[i]; r < s->p->first[i + 1]; r++)
                for (int c = s->p->first[j]; c < s->p->first[j + 1]; c++)
                    m->W[(r - island->row) * m->rows + c - island->row] =
                        scale * block[(ptrdiff_t)(r - s->p->first[i]) * s->p->width[i] + c - s->p->first[j]];
        }
    for (int i = island->begin; i < island->end; i++)
        for (int r = s->p->first[i]; r < s->p->first[i + 1]; r++)
            m->q[r - island->row] = s->weight[i] > 0 ? s->q[r] / sqrt(s->weight[i]) : 0;
}

// Gauss-Jordan step on the bilateral row k: its equation gives x_k, which leaves all other rows. The row then holds x_k.
static void eliminate_row(lemke *m, int k) {
    double pivot = m->W[k * m->rows + k];
    if (!(fabs(pivot) > 1e-12)) {  // a repeated row: its multiplier stays zero
        for (int c = 0; c < m->rows; c++) m->W[k * m->rows + c] = m->W[c * m->rows + k] = 0;
        m->q[k] = 0;
        return;
    }
    for (int c = 0; c < m->rows; c++)
        if (c != k) m->W[k * m->rows + c] /= -pivot;
    m->q[k] /= -pivot;
    m->W[k * m->rows + k] = 0;
    for (int r = 0; r < m->rows; r++) {
        double f = m->W[r * m->rows + k];
        if (r == k || f == 0) continue;
        for (int c = 0; c < m->rows; c++) m->W[r * m->rows + c] += f * m->W[k * m->rows + c];
        m->q[r] += f * m->q[k];
        m->W[r * m->rows + k] = 0;
    }
}

// Force on the rows of group j by its unknown b: column of the map from unknowns to multipliers.
static void unknown_force(int facets, int b, double f[3]) {
    f[0] = b == 0, f[1] = f[2] = 0;
    if (b >= 1 && b <= facets) facet_direction(facets, b - 1, f + 1);
}

static void lemke_tableau(lemke *m, const sp_cone_run_state *s, const sp_cone_span *island, int facets) {
    int width = 2 * m->n + 2;
    for (int i = island->begin; i < island->end; i++) {
        const sp_cone_group *gi = sp__cone_at(s->p, i);
        int ri = s->p->first[i] - island->row, ui = group_unknowns(s, i, facets);
        for (int a = 0; a < ui; a++) {
            int row = m->base[i - island->begin] + a;
            double *T = m->T + (ptrdiff_t)row * width, fa[3];
            unknown_force(facets, a, fa);
            T[row] = 1;
            // an irregular covering vector avoids ties
            T[2 * m->n] = -(1 + 1e-3 * (row * 7919 % 1009));
            bool slack = ui > 1 && a == facets + 1;
            for (int r = 0; r < gi->rows && !slack; r++)
                if (fa[r] != 0) T[width - 1] += fa[r] * m->q[ri + r];
            for (int j = island->begin; j < island->end; j++) {
                int rj = s->p->first[j] - island->row, uj = group_unknowns(s, j, facets);
                for (int b = 0; b < uj; b++) {
                    double fb[3], sum = 0;
                    unknown_force(facets, b, fb);
                    for (int r = 0; r < gi->rows && !slack; r++)
                        for (int c = 0; c < sp__cone_at(s->p, j)->rows; c++)
                            if (fa[r] != 0 && fb[c] != 0) sum += fa[r] * m->W[(ri + r) * m->rows + rj + c] * fb[c];
                    if (i == j && slack) sum = b == 0 ? gi->mu : b <= facets ? -1 : 0;
                    if (i == j && !slack && a > 0 && b == facets + 1) sum = 1;
                    T[m->n + m->base[j - island->begin] + b] = -sum;
                }
            }
        }
    }
}

static void lemke_pivot(lemke *m, int row, int column) {
    int width = 2 * m->n + 2;
    double *P = m->T + (ptrdiff_t)row * width, f = 1 / P[column];
    for (int c = 0; c < width; c++) P[c] *= f;
    for (int r = 0; r < m->n; r++) {
        double *R = m->T + (ptrdiff_t)r * width, g = R[column];
        if (r == row || g == 0) continue;
        for (int c = 0; c < width; c++) R[c] -= g * P[c];
        R[column] = 0;
    }
    m->basic[row] = column;
}

// Row that leaves the basis; -1: none, the algorithm ends on a ray. Of equal ratios z_0 leaves, else the largest pivot.
static int lemke_leaves(const lemke *m, int column) {
    int width = 2 * m->n + 2, best = -1;
    double least = INFINITY;
    for (int r = 0; r < m->n; r++) {
        const double *R = m->T + (ptrdiff_t)r * width;
        if (!(R[column] > 1e-11)) continue;
        double ratio = fmax(0, R[width - 1]) / R[column], slack = 1e-12 * (1 + fabs(least < INFINITY ? least : ratio));
        bool tie = best >= 0 && fabs(ratio - least) <= slack;
        bool better = best < 0 || ratio < least - slack ||
                      (tie && m->basic[best] != 2 * m->n &&
                       (m->basic[r] == 2 * m->n || R[column] > m->T[(ptrdiff_t)best * width + column]));
        if (better) best = r, least = fmin(least, ratio);
    }
    return best;
}

static sp_status lemke_run(lemke *m, int *pivots) {
    int width = 2 * m->n + 2, row = 0, most = 40 * m->n + 100;
    for (int i = 0; i < m->n; i++) m->basic[i] = i;
    double least = 0;
    for (int i = 0; i < m->n; i++) {
        double ratio = m->T[(ptrdiff_t)i * width + width - 1] / -m->T[(ptrdiff_t)i * width + 2 * m->n];
        if (ratio < least) least = ratio, row = i;
    }
    if (least >= 0) return SP_OK;  // z = 0
    int entering = m->n + row;     // complement of what leaves
    lemke_pivot(m, row, 2 * m->n);
    for (int k = 0; k < most; k++, ++*pivots) {
        row = lemke_leaves(m, entering);
        if (row < 0) return SP_NOT_CONVERGED;
        int left = m->basic[row];
        lemke_pivot(m, row, entering);
        if (left == 2 * m->n) return SP_OK;
        entering = left < m->n ? left + m->n : left - m->n;
    }
    return SP_NOT_CONVERGED;
}

// multipliers of the unilateral and Coulomb rows from the basis, then those of the bilateral rows
static void lemke_result(lemke *m, const sp_cone_run_state *s, const sp_cone_span *island, int facets) {
    int width = 2 * m->n + 2;
    memset(m->x, 0, (size_t)m->rows * sizeof *m->x);
    for (int i = island->begin; i < island->end; i++) {
        int row = s->p->first[i] - island->row, unknowns = group_unknowns(s, i, facets);
        for (int k = 0; k < m->n; k++) {
            int a = m->basic[k] - m->n - m->base[i - island->begin];
            if (a < 0 || a >= unknowns || a > facets) continue;
            double f[3], z = fmax(0, m->T[(ptrdiff_t)k * width + width - 1]);
            unknown_force(facets, a, f);
            for (int r = 0; r < (unknowns == 1 ? 1 : 3); r++) m->x[row + r] += z * f[r];
        }
    }
    for (int i = island->begin; i < island->end; i++) {
        if (sp__cone_at(s->p, i)->kind != SP_CONE_BILATERAL) continue;
        for (int r = s->p->first[i] - island->row; r < s->p->first[i + 1] - island->row; r++) {
            double sum = m->q[r];
            for (int c = 0; c < m->rows; c++) sum += m->W[r * m->rows + c] * m->x[c];
            m->T[r] = sum;  // kept apart: the rows of x that are summed must stay zero
        }
    }
    for (int i = island->begin; i < island->end; i++) {
        bool bilateral = sp__cone_at(s->p, i)->kind == SP_CONE_BILATERAL;
        for (int r = s->p->first[i]; r < s->p->first[i + 1]; r++) {
            double value = bilateral ? m->T[r - island->row] : m->x[r - island->row];
            s->x[r] = s->weight[i] > 0 ? value / sqrt(s->weight[i]) : 0;
        }
    }
}

sp_status sp__cone_facets(const sp_cone_run_state *s, const sp_cone_span *island, int facets, int *pivots) {
    int rows = island->row_end - island->row, groups = island->end - island->begin;
    lemke m = {.ctx = s->ctx, .rows = rows};
    for (int i = island->begin; i < island->end; i++) m.n += group_unknowns(s, i, facets);
    size_t n = (size_t)m.n, tableau = n * (2 * n + 2);
    sp_status status = SP_NO_MEMORY;
    if (SP_NEW(s->ctx, m.W, (size_t)rows * (size_t)rows) && SP_NEW(s->ctx, m.q, rows) && SP_NEW(s->ctx, m.x, rows) &&
        SP_NEW(s->ctx, m.base, groups) && SP_NEW(s->ctx, m.basic, n + 1) &&
        SP_NEW(s->ctx, m.T, tableau > (size_t)rows ? tableau : (size_t)rows)) {
        for (int i = 0, next = 0; i < groups; i++) m.base[i] = next, next += group_unknowns(s, island->begin + i, facets);
        lemke_gather(&m, s, island);
        for (int i = island->begin; i < island->end; i++)
            for (int r = s->p->first[i]; r < s->p->first[i + 1]; r++)
                if (sp__cone_at(s->p, i)->kind == SP_CONE_BILATERAL && s->weight[i] > 0) eliminate_row(&m, r - island->row);
        lemke_tableau(&m, s, island, facets);
        status = m.n ? lemke_run(&m, pivots) : SP_OK;
        lemke_result(&m, s, island, facets);
    } else {
        SP_FAIL(s->ctx, SP_NO_MEMORY, "no memory for the direct contact solver");
    }
    sp__free(s->ctx, m.W), sp__free(s->ctx, m.q), sp__free(s->ctx, m.x);
    sp__free(s->ctx, m.base), sp__free(s->ctx, m.basic), sp__free(s->ctx, m.T);
    return status;
}
