// Gathers for embedded surfaces: vertex normals, force transfer to the nodes, stiffness shares.
#include "map/carry.h"

#include "math/vec3.h"

enum { CHUNK = 2048 };  // vertices, faces or nodes per task: smaller tasks cost more than they gain
// a smaller barycentric weight is rounding error
static const double NO_WEIGHT = 1e-9;

static int tasks(int n) {
    return n / CHUNK + (n % CHUNK != 0);
}

static int chunk_end(int task, int n) {
    return n - task * CHUNK < CHUNK ? n : task * CHUNK + CHUNK;
}

// ---------------------------------------------------------------------------------------------------- normals

sp_status sp__vertex_faces_create(sp_context *ctx, int vertices, int faces, int sides, const uint32_t *corners,
                                  sp_vertex_faces *out) {
    size_t n = (size_t)sides * (size_t)faces;
    *out = (sp_vertex_faces){0};
    if (!SP_NEW(ctx, out->start, (size_t)vertices + 2) || !SP_NEW(ctx, out->face, n + 1)) {
        sp__vertex_faces_free(ctx, out);
        return SP_NO_MEMORY;
    }
    int *fill = out->start + 1;  // shifted by one entry: filling turns starts into ends, which are the next starts
    for (size_t i = 0; i < n; i++) fill[corners[i] + 1]++;
    for (int i = 0; i < vertices; i++) fill[i + 1] += fill[i];
    for (size_t i = 0; i < n; i++) out->face[fill[corners[i]]++] = (int)(i / (size_t)sides);
    return SP_OK;
}

void sp__vertex_faces_free(sp_context *ctx, sp_vertex_faces *ring) {
    sp__free(ctx, ring->start), sp__free(ctx, ring->face);
    *ring = (sp_vertex_faces){0};
}

typedef struct normals_job {
    int vertices, faces;
    const uint32_t *corners;
    const sp_vertex_faces *ring;
    const double *x;
    double *face_normals, *normals;
    float *float_normals;
} normals_job;

static void face_chunk(void *arg, int task, int worker) {
    (void)worker;
    const normals_job *j = arg;
    for (int f = task * CHUNK; f < chunk_end(task, j->faces); f++) {
        const uint32_t *c = j->corners + 3 * (size_t)f;
        const double *x = j->x + 3 * (size_t)c[0];
        double u[3], v[3];
        sp__sub3(j->x + 3 * (size_t)c[1], x, u), sp__sub3(j->x + 3 * (size_t)c[2], x, v);
        sp__cross3(u, v, j->face_normals + 3 * (size_t)f);
    }
}

static void vertex_chunk(void *arg, int task, int worker) {
    (void)worker;
    const normals_job *j = arg;
    for (int i = task * CHUNK; i < chunk_end(task, j->vertices); i++) {
        double n[3] = {0, 0, 0};
        for (int k = j->ring->start[i]; k < j->ring->start[i + 1]; k++)
            sp__axpy3(n, 1, j->face_normals + 3 * (size_t)j->ring->face[k], n);
        double length = sp__norm3(n), s = length > 0 ? 1 / length : 0;
        for (size_t k = 0; k < 3; k++) {
            if (j->normals) j->normals[3 * (size_t)i + k] = s * n[k];
            if (j->float_normals) j->float_normals[3 * (size_t)i + k] = (float)(s * n[k]);
        }
    }
}

void sp__normals(sp_context *ctx, int vertices, int faces, const uint32_t *corners, const sp_vertex_faces *ring, const double *x,
                 double *face_normals, double *normals, float *float_normals) {
    normals_job j = {vertices, faces, corners, ring, x, face_normals, normals, float_normals};
    sp__parallel(ctx, tasks(faces), face_chunk, &j);
    sp__parallel(ctx, tasks(vertices), vertex_chunk, &j);
}

// ---------------------------------------------------------------------------------------------------- forces

sp_status sp__transpose_create(sp_context *ctx, int points, const sp_anchor *anchors, int nodes, const int *corners,
                               sp_transpose *out) {
    size_t n = 4 * (size_t)points;
    *out = (sp_transpose){.nodes = nodes};
    if (!SP_NEW(ctx, out->start, (size_t)nodes + 2) || !SP_NEW(ctx, out->point, n + 1) || !SP_NEW(ctx, out->weight, n + 1) ||
        !SP_NEW(ctx, out->weight_sum, (size_t)nodes + 1)) {
        sp__transpose_free(ctx, out);
        return SP_NO_MEMORY;
    }
    int *fill = out->start + 1;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < points; i++) {
            const int *c = corners + 4 * (size_t)anchors[i].elem;
            double w[4];
            sp__anchor_weights(&anchors[i], w);
            for (int a = 0; a < 4; a++) {
                if (w[a] == 0) continue;
                if (pass == 0) {
                    fill[c[a] + 1]++;
                    continue;
                }
                int at = fill[c[a]]++;
                out->point[at] = i, out->weight[at] = w[a];
                out->weight_sum[c[a]] += fabs(w[a]);
            }
        }
        if (pass == 0)
            for (int i = 0; i < nodes; i++) fill[i + 1] += fill[i];
    }
    return SP_OK;
}

void sp__transpose_free(sp_context *ctx, sp_transpose *t) {
    sp__free(ctx, t->start), sp__free(ctx, t->point);
    sp__free(ctx, t->weight), sp__free(ctx, t->weight_sum);
    *t = (sp_transpose){0};
}

typedef struct push_job {
    const sp_transpose *t;
    const double *f;
    double *g;
} push_job;

static void push_chunk(void *arg, int task, int worker) {
    (void)worker;
    const push_job *j = arg;
    for (int i = task * CHUNK; i < chunk_end(task, j->t->nodes); i++) {
        double sum[3] = {0, 0, 0};
        for (int k = j->t->start[i]; k < j->t->start[i + 1]; k++)
            sp__axpy3(sum, j->t->weight[k], j->f + 3 * (size_t)j->t->point[k], sum);
        sp__axpy3(j->g + 3 * (size_t)i, 1, sum, j->g + 3 * (size_t)i);
    }
}

void sp__transpose_apply(sp_context *ctx, const sp_transpose *t, const double *f, double *g) {
    push_job j = {t, f, g};
    sp__parallel(ctx, tasks(t->nodes), push_chunk, &j);
}

// ---------------------------------------------------------------------------------------------------- shares

// Let C_a = sum_j |w_ja| be the total weight on node a and s_i = sum_a |w_ia| (1 inside, more if a point extrapolates). If k_i is
// at most m_a / (C_a s_i) for every element node a, the row sums of J^T K J are sum_i |w_ia| k_i s_i <= m_a, and by Gershgorin no
// eigenvalue of M^-1 J^T K J is above 1. A point exactly on a node that no other point uses has share 1.
void sp__transpose_shares(const sp_transpose *t, int points, const sp_anchor *anchors, const int *corners, double *share) {
    for (int i = 0; i < points; i++) {
        const int *c = corners + 4 * (size_t)anchors[i].elem;
        double w[4], most = 0, s = 0;
        sp__anchor_weights(&anchors[i], w);
        for (int a = 0; a < 4; a++) {
            s += fabs(w[a]);
            if (fabs(w[a]) > NO_WEIGHT) most = fmax(most, t->weight_sum[c[a]]);
        }
        share[i] = 1 / (most * s);
    }
}
