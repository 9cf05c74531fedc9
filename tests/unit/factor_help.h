// Factors for tests: elastic bodies, backward errors, factors compared bit by bit.
#ifndef SP_FACTOR_HELP_H
#define SP_FACTOR_HELP_H

#include "sparse/factor_internal.h"
#include "sparse_help.h"

static inline sp_context *help_context(int workers) {
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    def.workers = workers;
    sp_context_create(&def, &ctx);
    return ctx;
}

// gradients of the four shape functions of a tetrahedron; returns its volume
static inline double help_gradients(const double *x, const int *tet, double g[4][3]) {
    double D[3][3], det = 0;
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++) D[a][c] = x[3 * tet[a + 1] + c] - x[3 * tet[0] + c];
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++) {
            const double *u = D[(a + 1) % 3], *v = D[(a + 2) % 3];
            g[a + 1][c] = u[(c + 1) % 3] * v[(c + 2) % 3] - u[(c + 2) % 3] * v[(c + 1) % 3];
        }
    for (int c = 0; c < 3; c++) det += D[0][c] * g[1][c];
    for (int c = 0; c < 3; c++) {
        for (int a = 1; a < 4; a++) g[a][c] /= det;
        g[0][c] = -(g[1][c] + g[2][c] + g[3][c]);
    }
    return fabs(det) / 6;
}

// A += scale K of one element: linear elasticity, lambda = mu = 1
static inline void help_add_element(sp_symmetric_own *A, const double *x, const int *tet, double scale) {
    double g[4][3], V = scale * help_gradients(x, tet, g);
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            if (tet[a] > tet[b]) continue;
            double *B = A->val + 9 * (size_t)sp__symmetric_find(&A->view, tet[a], tet[b]);
            double dot = g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2];
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) B[3 * r + c] += V * (g[a][r] * g[b][c] + g[a][c] * g[b][r] + (r == c ? dot : 0));
        }
}

// M + K of a body with mass and stiffness of the same size: positive definite without pins
static inline sp_symmetric_own help_elastic(sp_context *ctx, const sp_mesh *mesh) {
    sp_symmetric_own A = help_mesh(ctx, mesh, 3);
    memset(A.val, 0, (size_t)A.row_start[A.view.n] * 9 * sizeof *A.val);
    for (int t = 0; t < sp_mesh_element_count(mesh); t++)
        help_add_element(&A, sp_mesh_positions(mesh), sp_mesh_tets(mesh) + 4 * t, 1);
    for (int i = 0; i < A.view.n; i++)
        for (int r = 0; r < 3; r++) A.val[9 * (size_t)A.row_start[i] + 4 * (size_t)r] += 0.01;
    return A;
}

static inline sp_mesh *help_beam(sp_context *ctx, int along, int across) {
    sp_mesh *mesh = NULL;
    sp_mesh_box(ctx, (double[3]){along, across, across}, (int[3]){along, across, across}, 6, &mesh);
    return mesh;
}

static inline double *help_vector(int n, unsigned long long seed) {
    double *v = calloc((size_t)n + 1, sizeof *v);
    for (int i = 0; i < n; i++) v[i] = sp_test_random(&seed);
    return v;
}

// |b - A x| / (|A| |x| + |b|) in the maximum norm
static inline double help_backward_error(const sp_symmetric *A, const double *b, const double *x) {
    int n = A->n * A->block, m = A->block;
    double *Ax = calloc((size_t)n + 1, sizeof *Ax), *sum = calloc((size_t)n + 1, sizeof *sum), r = 0, nA = 0, nx = 0, nb = 0;
    sp__symmetric_mul(A, x, Ax);
    for (int i = 0; i < A->n; i++)
        for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++)
            for (int e = 0; e < m * m; e++) {
                double a = fabs(sp__symmetric_block(A, k)[A->stride * e]);
                sum[i * m + e / m] += a;
                if (A->row_col[k] != i) sum[A->row_col[k] * m + e % m] += a;
            }
    bool finite = true;
    for (int i = 0; i < n; i++) {
        finite = finite && isfinite(x[i]);
        r = fmax(r, fabs(b[i] - Ax[i])), nA = fmax(nA, sum[i]), nx = fmax(nx, fabs(x[i])), nb = fmax(nb, fabs(b[i]));
    }
    free(Ax), free(sum);
    return finite ? r / (nA * nx + nb + 1e-300) : INFINITY;
}

static inline bool help_same_columns(const sp_factor *F, const char *a, const char *b, int rows, int columns) {
    for (int j = 0; j < columns; j++) {
        size_t at = ((size_t)j * (size_t)rows + (size_t)j) * F->size;
        if (memcmp(a + at, b + at, (size_t)(rows - j) * F->size) != 0) return false;
    }
    return true;
}

// Panels, pivots and kept contribution blocks, lower triangles only.
static inline bool help_same_factor(const sp_factor *F, const sp_factor *G) {
    for (int s = 0; s < F->S->count; s++) {
        int N = sp__panel_rows(F, s), K = sp__panel_columns(F, s), f = F->side[s], g = G->side[s];
        if (!help_same_columns(F, sp__panel(F, s, f), sp__panel(G, s, g), N, K)) return false;
        if (F->def.kind == SP_LDLT && memcmp(sp__pivot(F, s, f), sp__pivot(G, s, g), (size_t)K * F->size) != 0) return false;
        if (F->def.keep && G->def.keep &&
            !help_same_columns(F, (char *)F->below[f] + F->below_at[s] * F->size, (char *)G->below[g] + G->below_at[s] * F->size,
                               N - K, N - K))
            return false;
    }
    return true;
}

// entry (row, column) of L, permuted scalar numbers; 0 where the front of the column has no such row
static inline double help_entry(const sp_factor *F, int row, int column) {
    const sp_symbolic *S = F->S;
    int block = S->block, s = S->super_of[column / block], N = sp__panel_rows(F, s);
    for (int k = S->row_start[s]; k < S->row_start[s + 1]; k++)
        if (S->row[k] == row / block) {
            int i = (k - S->row_start[s]) * block + row % block, j = column - S->first[s] * block;
            return F->loops->get(sp__panel(F, s, F->side[s]), (size_t)j * (size_t)N + (size_t)i);
        }
    return 0;
}

#endif
