// Textbook assembly of the stiffness matrix: strain matrix B of the linear tetrahedron, Hooke's D, K = V B^T D B = W W^T with W =
// sqrt(V) B^T D^(1/2).
#include "rest_matrix.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/core.h"

static sp_status rest_matrix_say(const sp_rest_matrix *m, sp_status status, const char *what) {
    const char *message = m->ctx ? sp_context_error(m->ctx)->message : "";
    fprintf(stderr, "bench: %s: %s\n", what, message[0] ? message : sp_status_text(status));
    return status;
}

// ---- elements

// gradients of the four shape functions; returns the volume
static double gradients(double x[4][3], double g[4][3]) {
    double e[3][3], c[3][3];
    for (int i = 0; i < 3; i++)
        for (int a = 0; a < 3; a++) e[i][a] = x[i + 1][a] - x[0][a];
    for (int i = 0; i < 3; i++) {
        const double *u = e[(i + 1) % 3], *v = e[(i + 2) % 3];
        for (int a = 0; a < 3; a++) c[i][a] = u[(a + 1) % 3] * v[(a + 2) % 3] - u[(a + 2) % 3] * v[(a + 1) % 3];
    }
    double det = e[0][0] * c[0][0] + e[0][1] * c[0][1] + e[0][2] * c[0][2];
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < 3; i++) g[i + 1][a] = c[i][a] / det;
        g[0][a] = -(g[1][a] + g[2][a] + g[3][a]);
    }
    return det / 6;
}

static double element_gradients(const sp_rest_matrix *m, int element, double g[4][3]) {
    const int *t = sp_mesh_tets(m->mesh) + 4 * (size_t)element;
    const double *p = sp_mesh_positions(m->mesh);
    double x[4][3];
    for (int i = 0; i < 4; i++) memcpy(x[i], p + 3 * (size_t)t[i], sizeof x[i]);
    return gradients(x, g);
}

// W with W W^T = h^2 K of an element; rows 3 node + axis, 6 columns.
static void rest_root(const sp_rest_matrix *m, int element, double W[72]) {
    double g[4][3], nu = m->material.poisson;
    double mu = m->material.young / (2 * (1 + nu)), lambda = 2 * mu * nu / (1 - 2 * nu);
    double scale = m->h * sqrt(element_gradients(m, element, g));
    // square root of lambda 1 1^T + 2 mu I, and of mu for the three shears
    double own = sqrt(2 * mu), shared = (sqrt(2 * mu + 3 * lambda) - own) / 3, shear = sqrt(mu);
    for (int i = 0; i < 4; i++)
        for (int a = 0; a < 3; a++) {
            double *w = W + 6 * (3 * i + a);
            for (int s = 0; s < 3; s++) w[s] = scale * g[i][a] * (shared + (s == a ? own : 0));
            // shears xy, yz, zx: axis a appears in two of them
            for (int s = 0; s < 3; s++) {
                int first = s, second = (s + 1) % 3;
                w[3 + s] = a == first ? scale * shear * g[i][second] : a == second ? scale * shear * g[i][first] : 0;
            }
        }
}

static void add_block(const sp_rest_matrix *m, int ri, int rj, const double *Wi, const double *Wj, double factor, double *val) {
    if (ri > rj) {
        int r = ri;
        const double *w = Wi;
        ri = rj, rj = r, Wi = Wj, Wj = w;
    }
    double *B = val + 9 * (size_t)sp__symmetric_find(&m->A.view, ri, rj);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            double sum = 0;
            for (int s = 0; s < 6; s++) sum += Wi[6 * a + s] * Wj[6 * b + s];
            B[3 * a + b] += factor * sum;
        }
}

void sp__rest_fill(const sp_rest_matrix *m, const double *factor, double *val) {
    const int *t = sp_mesh_tets(m->mesh);
    memset(val, 0, 9 * sizeof *val * (size_t)m->A.view.row_start[m->A.view.n]);
    for (int e = 0; e < m->tets; e++, t += 4) {
        double W[72], g[4][3], mass = m->material.density * element_gradients(m, e, g) / 4;
        rest_root(m, e, W);
        for (int i = 0; i < 4; i++) {
            int ri = m->row[t[i]];
            if (ri < 0) continue;
            double *D = val + 9 * (size_t)m->A.view.row_start[ri];
            D[0] += mass, D[4] += mass, D[8] += mass;
            for (int j = i; j < 4; j++) {
                int rj = m->row[t[j]];
                if (rj >= 0) add_block(m, ri, rj, W + 18 * i, W + 18 * j, factor ? factor[e] : 1, val);
            }
        }
    }
}

sp_symmetric sp__rest_with(const sp_rest_matrix *m, const double *val) {
    sp_symmetric A = m->A.view;
    A.val = val;
    return A;
}

double sp__rest_nonzeros(const sp_rest_matrix *m) {
    const sp_symmetric *A = &m->A.view;
    return 9.0 * (2.0 * A->row_start[A->n] - A->n);
}

// ---- pattern

static int unique(int *a, int n) {
    int kept = 0;
    sp__sort_ints(a, n);
    for (int i = 0; i < n; i++)
        if (i == 0 || a[i] != a[kept - 1]) a[kept++] = a[i];
    return kept;
}

// columns of each row with repeats, the diagonal first; returns the number of distinct blocks
static int gather_pairs(const sp_rest_matrix *m, int rows, int *start, int *col) {
    const int *t = sp_mesh_tets(m->mesh);
    for (int e = 0; e < 4 * m->tets; e += 4)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                int ri = m->row[t[e + i]], rj = m->row[t[e + j]];
                if (ri < 0 || rj < ri) continue;
                if (col)
                    col[start[ri]++] = rj;
                else
                    start[ri + 1]++;
            }
    int total = 0;
    for (int i = 0; !col && i < rows; i++) start[i + 1] += start[i];
    if (!col) return start[rows];
    for (int i = rows; i > 0; i--) start[i] = start[i - 1];  // back to the starts
    start[0] = 0;
    for (int i = 0; i < rows; i++) total += unique(col + start[i], start[i + 1] - start[i]);
    return total;
}

static sp_status make_pattern(sp_rest_matrix *m, int rows) {
    sp_context *ctx = m->ctx;
    int *start, *col = NULL;
    sp_status status = SP_NO_MEMORY;
    if (!SP_NEW(ctx, start, rows + 2)) return status;
    if (SP_NEW(ctx, col, gather_pairs(m, rows, start, NULL))) {
        int total = gather_pairs(m, rows, start, col);
        status = sp__symmetric_create(ctx, rows, 3, total, &m->A);
        for (int i = 0, used = 0; i < rows && status >= 0; i++) {
            m->A.row_start[i] = used;
            for (int k = start[i]; k < start[i + 1] && (k == start[i] || col[k] > col[k - 1]); k++) m->A.row_col[used++] = col[k];
            m->A.row_start[i + 1] = used;
        }
    }
    sp__free(ctx, col);
    sp__free(ctx, start);
    return status;
}

// ---- opening

static sp_status number_rows(sp_rest_matrix *m, double clamp) {
    int nodes = sp_mesh_node_count(m->mesh), rows = 0;
    const double *x = sp_mesh_positions(m->mesh);
    if (!SP_NEW(m->ctx, m->row, nodes) || !SP_NEW(m->ctx, m->points, 3 * nodes)) return SP_NO_MEMORY;
    for (int i = 0; i < nodes; i++) {
        bool held = x[3 * i] <= clamp;
        m->row[i] = held ? -1 : rows;
        if (!held) memcpy(m->points + 3 * rows++, x + 3 * i, 3 * sizeof *x);
    }
    SP_TRY(make_pattern(m, rows));
    return SP_NEW(m->ctx, m->other, 9 * (size_t)m->A.row_start[rows]) ? SP_OK : SP_NO_MEMORY;
}

static sp_status rest_matrix_finish(sp_rest_matrix *m, sp_status status, double clamp) {
    if (status >= 0) {
        m->tets = sp_mesh_element_count(m->mesh);
        status = number_rows(m, clamp);
    }
    if (status >= 0)
        sp__rest_fill(m, NULL, m->A.val);
    else {
        rest_matrix_say(m, status, "matrix");
        sp__rest_close(m);
    }
    return status;
}

static sp_status open_context(int workers, sp_rest_matrix *m) {
    sp_context_def def = sp_context_def_default();
    def.workers = workers;
    return sp_context_create(&def, &m->ctx);
}

sp_status sp__rest_beam(int workers, const int cells[3], sp_rest_matrix *out) {
    double edge = 0.1 / cells[1], size[3] = {edge * cells[0], edge * cells[1], edge * cells[2]};
    *out = (sp_rest_matrix){.material = {.density = 1000, .young = 3e5, .poisson = 0.4}, .h = 0.01};
    sp_status status = open_context(workers, out);
    if (status >= 0) status = sp_mesh_box(out->ctx, size, cells, 6, &out->mesh);
    return rest_matrix_finish(out, status, 1e-6 * edge);
}

sp_status sp__rest_torus(int workers, const int cells[2], sp_rest_matrix *out) {
    static const double axis[3] = {0, 0, 1};
    *out = (sp_rest_matrix){.material = {.density = 20, .young = 50, .poisson = 0.45}, .h = 0.01};
    sp_status status = open_context(workers, out);
    if (status >= 0) status = sp_mesh_torus(out->ctx, 0.3, 0.1, axis, cells, &out->mesh);
    return rest_matrix_finish(out, status, -INFINITY);
}

void sp__rest_close(sp_rest_matrix *m) {
    if (!m->ctx) return;
    sp__symmetric_free(&m->A);
    sp__free(m->ctx, m->row);
    sp__free(m->ctx, m->points);
    sp__free(m->ctx, m->other);
    if (m->mesh) sp_mesh_destroy(&m->mesh);
    sp_context_destroy(&m->ctx);
}

// ---- patches

// breadth-first search over elements that share a node
sp_status sp__rest_patch(const sp_rest_matrix *m, int node, int *order) {
    sp_context *ctx = m->ctx;
    int nodes = sp_mesh_node_count(m->mesh), used = 0, *start, *list = NULL;
    const int *t = sp_mesh_tets(m->mesh);
    unsigned char *seen = NULL, *seen_node = NULL;
    sp_status status = SP_NO_MEMORY;
    if (SP_NEW(ctx, start, nodes + 2) && SP_NEW(ctx, list, 4 * m->tets) && SP_NEW(ctx, seen, m->tets) &&
        SP_NEW(ctx, seen_node, nodes)) {
        for (int i = 0; i < 4 * m->tets; i++) start[t[i] + 2]++;
        for (int i = 0; i < nodes; i++) start[i + 2] += start[i + 1];
        for (int i = 0; i < 4 * m->tets; i++) list[start[t[i] + 1]++] = i / 4;
        for (int next = -1; next < used; next++) {
            int at[4] = {node, node, node, node};
            if (next >= 0) memcpy(at, t + 4 * order[next], sizeof at);
            for (int c = 0; c < 4; c++) {
                if (seen_node[at[c]]) continue;
                seen_node[at[c]] = 1;
                for (int k = start[at[c]]; k < start[at[c] + 1]; k++)
                    if (!seen[list[k]]) seen[list[k]] = 1, order[used++] = list[k];
            }
        }
        status = SP_OK;
    }
    sp__free(ctx, start), sp__free(ctx, list), sp__free(ctx, seen), sp__free(ctx, seen_node);
    return status;
}

int sp__rest_rows(const sp_rest_matrix *m, int count, const int *elements, int *rows) {
    const int *t = sp_mesh_tets(m->mesh);
    int used = 0;
    for (int e = 0; e < count; e++)
        for (int c = 0; c < 4; c++) {
            int r = m->row[t[4 * elements[e] + c]];
            if (r >= 0) rows[used++] = r;
        }
    return unique(rows, used);
}

void sp__rest_roots(const sp_rest_matrix *m, int count, const int *elements, int row_count, const int *rows, double *W) {
    const int *t = sp_mesh_tets(m->mesh);
    int rank = 6 * count;
    memset(W, 0, 3 * sizeof *W * (size_t)row_count * (size_t)rank);
    for (int e = 0; e < count; e++) {
        double root[72];
        rest_root(m, elements[e], root);
        for (int i = 0; i < row_count; i++)
            for (int c = 0; c < 4; c++)
                if (m->row[t[4 * elements[e] + c]] == rows[i])
                    for (int a = 0; a < 3; a++)
                        memcpy(W + (size_t)(3 * i + a) * (size_t)rank + 6 * e, root + 6 * (3 * c + a), 6 * sizeof *W);
    }
}

// ---- errors

void sp__right_side(int n, double *b) {
    for (int i = 0; i < n; i++) b[i] = 1 + 0.5 * sin(1.0 + 7.0 * i);
}

// maximum row sum of absolute values
static double norm_of(const sp_symmetric *A, double *sums) {
    int b = A->block;
    double norm = 0;
    memset(sums, 0, sizeof *sums * (size_t)(A->n * b));
    for (int i = 0; i < A->n; i++)
        for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++) {
            const double *B = sp__symmetric_block(A, k);
            int j = A->row_col[k];
            for (int e = 0; e < b * b; e++) {
                double v = fabs(B[A->stride * e]);
                sums[i * b + e / b] += v;
                if (j != i) sums[j * b + e % b] += v;
            }
        }
    for (int i = 0; i < A->n * b; i++) norm = fmax(norm, sums[i]);
    return norm;
}

double sp__backward_error(const sp_symmetric *A, const double *x, const double *b, double *scratch) {
    double norm = norm_of(A, scratch), r = 0, xs = 0, bs = 0;
    sp__symmetric_mul(A, x, scratch);
    for (int i = 0; i < A->n * A->block; i++) {
        r = fmax(r, fabs(scratch[i] - b[i]));
        xs = fmax(xs, fabs(x[i]));
        bs = fmax(bs, fabs(b[i]));
    }
    return r / (norm * xs + bs);
}

sp_status sp__rest_factor(const sp_rest_matrix *m, sp_symbolic *S, bool keep, sp_factor **F) {
    sp_factor_def def = {.kind = SP_LLT, .keep = keep};
    sp_status status = sp__factor_create(m->ctx, &def, S, F);
    if (status < 0) fprintf(stderr, "bench: factor: %s\n", sp_context_error(m->ctx)->message);
    return status;
}
