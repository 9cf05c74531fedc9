// A solid accessed through the body table, without a world: forces, energies and tangents at states that the test chooses. The
// same elements also exist here in plain dense algebra, written from the formulas and independent of the library.
#ifndef SP_VERIFY_ELEMENT_H
#define SP_VERIFY_ELEMENT_H

#include "body/body.h"
#include "souple/souple.h"
#include "test.h"

typedef struct specimen {
    sp_context *ctx;
    sp_mesh *mesh;
    sp_body *body;
    sp_error error;
    int nodes, tets;
    int *user;  // user's number of each node of the body
} specimen;

// Two calls: the context first, then the body once the mesh exists.
static inline bool specimen_context(specimen *s) {
    *s = (specimen){0};
    return sp_context_create(NULL, &s->ctx) == SP_OK;
}

static inline bool specimen_open(specimen *s, sp_solid_def def, const char *backend) {
    sp_context *ctx = s->ctx;
    sp_mesh *mesh = s->mesh;
    s->nodes = sp_mesh_node_count(mesh), s->tets = sp_mesh_element_count(mesh);
    def.mesh = mesh;
    if (sp__solid_create(ctx, &s->error, &def, backend, &s->body) < 0) {
        printf("  %s\n", s->error.message);
        return false;
    }
    s->user = calloc((size_t)s->nodes, sizeof *s->user);
    for (int i = 0; i < s->nodes; i++)
        for (int j = 0; j < s->nodes; j++)
            if (!memcmp(s->body->q[SP_COMMITTED] + 3 * i, sp_mesh_positions(mesh) + 3 * j, 3 * sizeof(double))) s->user[i] = j;
    return true;
}

static inline void specimen_close(specimen *s) {
    free(s->user);
    if (s->body) s->body->ops->destroy(s->body);
    sp_mesh_destroy(&s->mesh);
    sp_context_destroy(&s->ctx);
}

// A single tetrahedron without right angles.
static const double single_rest[12] = {0, 0, 0, 1, 0.1, 0, 0.2, 0.9, 0, 0.3, 0.3, 0.8};

static inline sp_status single_mesh(sp_context *ctx, sp_mesh **out) {
    const int tet[4] = {0, 1, 2, 3};
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = 4, def.positions = single_rest;
    def.element_count = 1, def.element_nodes = tet;
    return sp_mesh_create(ctx, &def, out);
}

// Force (nodes x 3, user's order) and energy at positions x (same layout). Nullable: f.
static inline double specimen_force(specimen *s, const double *x, double *f) {
    sp_body *b = s->body;
    const sp_step step = sp__step_default(0);
    for (int i = 0; i < s->nodes; i++)
        for (int k = 0; k < 3; k++) b->q[SP_TRIAL][3 * i + k] = x[3 * s->user[i] + k], b->v[SP_TRIAL][3 * i + k] = 0;
    unsigned want = SP_WANT_FORCE | (b->caps & SP_CAP_ENERGY ? SP_WANT_ENERGY : 0u);
    CHECK(b->ops->evaluate(b, &step, want) >= 0);
    for (int i = 0; f && i < s->nodes; i++)
        for (int k = 0; k < 3; k++) f[3 * s->user[i] + k] = b->f[3 * i + k];
    return b->energy;
}

// K (3n x 3n, user's order) at positions x, column by column.
static inline void specimen_stiffness(specimen *s, const double *x, double *K) {
    sp_body *b = s->body;
    int n = 3 * s->nodes;
    // products read nodes as four numbers, so vectors need one extra entry
    double *d = calloc((size_t)n + 1, sizeof *d), *y = calloc((size_t)n + 1, sizeof *y);
    sp_system A;
    const sp_step step = sp__step_default(0);
    specimen_force(s, x, NULL);
    CHECK(b->ops->linearise(b, &step, &A) >= 0);
    for (int i = 0; i < s->nodes; i++)
        for (int k = 0; k < 3; k++) {
            memset(d, 0, (size_t)n * sizeof *d);
            d[3 * i + k] = 1;
            A.mul_raw(A.o, (sp_coef){0, 0, 1}, d, y);
            for (int j = 0; j < n; j++) K[(size_t)(3 * s->user[j / 3] + j % 3) * (size_t)n + (size_t)(3 * s->user[i] + k)] = y[j];
        }
    free(d), free(y);
}

// ------------------------------------------------------------------------------------------------ dense algebra

static inline void cross(const double *a, const double *b, double *out) {
    out[0] = a[1] * b[2] - a[2] * b[1], out[1] = a[2] * b[0] - a[0] * b[2], out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline double det3(const double *m) {
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

static inline void inverse3(const double *m, double *out) {
    double d = det3(m);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, e = (i + 2) % 3;
            out[3 * i + j] = (m[3 * a + c] * m[3 * b + e] - m[3 * a + e] * m[3 * b + c]) / d;
        }
}

// Edges x1-x0, x2-x0, x3-x0 as columns.
static inline void edges(const double *x, const int *t, double *D) {
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 3; i++) D[3 * i + c] = x[3 * t[c + 1] + i] - x[3 * t[0] + i];
}

static inline void multiply3(const double *a, const double *b, double *out) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

static inline void deformation(const double *X, const double *x, const int *t, double *F) {
    double D[9], I[9], d[9];
    edges(X, t, D);
    inverse3(D, I);
    edges(x, t, d);
    multiply3(d, I, F);
}

// Gradients of the four shape functions of a tetrahedron (4 x 3); returns its signed volume.
static inline double gradients(const double *x, const int *t, double *g) {
    double D[9], I[9];
    edges(x, t, D);
    inverse3(D, I);
    for (int i = 0; i < 3; i++) {
        g[i] = -(I[i] + I[3 + i] + I[6 + i]);
        for (int c = 0; c < 3; c++) g[3 * (c + 1) + i] = I[3 * c + i];
    }
    return det3(D) / 6;
}

// V B^T D B with engineering shear strains, order xx yy zz xy yz zx (12 x 12).
static inline void element_stiffness(const double *g, double volume, double young, double nu, double *K) {
    double B[6][12] = {{0}}, D[6][6] = {{0}}, s = young * (1 - nu) / ((1 + nu) * (1 - 2 * nu));
    for (int a = 0; a < 4; a++) {
        double x = g[3 * a], y = g[3 * a + 1], z = g[3 * a + 2];
        const double rows[6][3] = {{x, 0, 0}, {0, y, 0}, {0, 0, z}, {y, x, 0}, {0, z, y}, {z, 0, x}};
        for (int r = 0; r < 6; r++)
            for (int k = 0; k < 3; k++) B[r][3 * a + k] = rows[r][k];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) D[i][j] = i == j ? s : s * nu / (1 - nu);
    for (int i = 3; i < 6; i++) D[i][i] = s * (1 - 2 * nu) / (2 * (1 - nu));
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) {
            double sum = 0;
            for (int r = 0; r < 6; r++)
                for (int q = 0; q < 6; q++) sum += B[r][i] * D[r][q] * B[q][j];
            K[12 * i + j] = volume * sum;
        }
}

// Orthogonal polar factor by Newton's iteration Q <- (Q + Q^-T)/2 (Higham 1986, doi:10.1137/0907079); det Q = sign det F.
static inline void polar_factor(const double *F, double *Q) {
    memcpy(Q, F, 9 * sizeof *Q);
    for (int it = 0; it < 100; it++) {
        double I[9];
        inverse3(Q, I);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j <= i; j++) {
                double a = 0.5 * (Q[3 * i + j] + I[3 * j + i]), b = 0.5 * (Q[3 * j + i] + I[3 * i + j]);
                Q[3 * i + j] = a, Q[3 * j + i] = b;
            }
    }
}

// Where det F < 0 the nearest rotation mirrors the direction of least stretch: R = Q (I - 2 v v^T), v by inverse iteration on S =
// Q^T F.
static inline void nearest_rotation(const double *F, double *R) {
    double Q[9], S[9], T[9], I[9], v[3] = {0.3, 0.5, 0.8};
    polar_factor(F, Q);
    memcpy(R, Q, sizeof Q);
    if (det3(F) > 0) return;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) T[3 * i + j] = Q[3 * j + i];
    multiply3(T, F, S);
    inverse3(S, I);
    for (int it = 0; it < 2000; it++) {
        double w[3], n = 0;
        for (int i = 0; i < 3; i++) w[i] = I[3 * i] * v[0] + I[3 * i + 1] * v[1] + I[3 * i + 2] * v[2], n += w[i] * w[i];
        for (int i = 0; i < 3; i++) v[i] = w[i] / sqrt(n);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) T[3 * i + j] = (i == j) - 2 * v[i] * v[j];
    multiply3(Q, T, R);
}

// Columns e1 along ab, e2, e3 along ab x ac (Nesme et al. 2004).
static inline void vertex_frame(const double *x, const int *t, double *E) {
    double D[9];
    edges(x, t, D);
    double e1[3] = {D[0], D[3], D[6]}, ac[3] = {D[1], D[4], D[7]}, e2[3], e3[3], n1, n3;
    cross(e1, ac, e3);
    n1 = sqrt(e1[0] * e1[0] + e1[1] * e1[1] + e1[2] * e1[2]), n3 = sqrt(e3[0] * e3[0] + e3[1] * e3[1] + e3[2] * e3[2]);
    for (int i = 0; i < 3; i++) e1[i] /= n1, e3[i] /= n3;
    cross(e3, e1, e2);
    for (int i = 0; i < 3; i++) E[3 * i] = e1[i], E[3 * i + 1] = e2[i], E[3 * i + 2] = e3[i];
}

static inline void element_rotation(sp_rotation how, const double *X, const double *x, const int *t, double *R) {
    double F[9], a[9], b[9];
    deformation(X, x, t, F);
    if (how == SP_ROTATION_POLAR) polar_factor(F, R);
    if (how == SP_ROTATION_SVD) nearest_rotation(F, R);
    if (how != SP_ROTATION_QR) return;
    vertex_frame(x, t, a);
    vertex_frame(X, t, b);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R[3 * i + j] = a[3 * i] * b[3 * j] + a[3 * i + 1] * b[3 * j + 1] + a[3 * i + 2] * b[3 * j + 2];
}

#endif
