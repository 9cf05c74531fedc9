// The reference backend: one element at a time, one worker, no lanes. It is simple on purpose: the cpu loops are tested against
// it.
#define SP_LANES 1
#include "backend/backend.h"
#include "backend/ref/iso_ref.h"
#include "kernels/tet.h"
#include "kernels/warp.h"

static void load_edges(const double *x, const uint16_t *id, double *d) {
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++) d[3 * a + k] = x[4 * id[a + 1] + k] - x[4 * id[0] + k];
}

static void add_corners(double *y, const uint16_t *id, const double *f) {
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++) {
            y[4 * id[a + 1] + k] += f[3 * a + k];
            y[4 * id[0] + k] -= f[3 * a + k];
        }
}

static double tet_state_ref(const sp_tets *t, int chunk, const double *x, double *y) {
    double energy = 0;
    for (size_t e = (size_t)t->block_start[chunk]; e < (size_t)t->block_start[chunk + 1]; e++) {
        double d[9], G[9], f[9], strain[6];
        load_edges(x, t->local + 4 * e, d);
        energy += tet_state(d, t->rest + 6 * e, t->scale[e], t->ratio[e], (tet_rotation)t->rotation, t->deformed, G, f, strain);
        if (!y) continue;
        memcpy(t->grad + 9 * e, G, sizeof G);
        if (t->spin) tet_spin(strain, t->ratio[e], t->spin + 6 * e);
        add_corners(y, t->local + 4 * e, f);
    }
    return energy;
}

static void tet_sums_ref(const sp_tets *t, int chunk, const double *x, double out[3]) {
    out[0] = out[1] = out[2] = 0;
    for (size_t e = (size_t)t->block_start[chunk]; e < (size_t)t->block_start[chunk + 1]; e++) {
        double d[9], F[9], cof[3], scale = t->scale[e] * t->scale[e];
        load_edges(x, t->local + 4 * e, d);
        tet_gradient(d, t->rest + 6 * e, F);
        lane_cross(F + 3, F + 6, cof);
        double det = lane_dot(F, cof);
        out[1] += t->volume[e] * det;
        out[2] += det <= 0 && t->volume[e] > 0;
        if (t->frame)
            out[0] += scale * tet_linear_energy(F, t->frame + 9 * e, t->ratio[e]);
        else if (t->rotation == TET_QR || t->deformed)
            out[0] = NAN;
        else
            out[0] += scale * tet_stretch_energy(F, t->rotation == TET_SVD ? det : fabs(det), t->ratio[e]);
    }
}

static void tet_product_ref(const sp_tets *t, int chunk, const double *x, double *y) {
    for (size_t e = (size_t)t->block_start[chunk]; e < (size_t)t->block_start[chunk + 1]; e++) {
        double d[9], f[9];
        load_edges(x, t->local + 4 * e, d);
        tet_product(d, t->grad + 9 * e, t->ratio[e], f);
        if (t->spin) tet_product_spin(d, t->grad + 9 * e, t->spin + 6 * e, f);
        add_corners(y, t->local + 4 * e, f);
    }
}

static void tet_assemble_ref(const sp_tets *t, const sp_stencil *where, double factor, double *blocks) {
    for (int s = 0; s < where->count; s++) {
        size_t e = (size_t)where->block[s];
        double G[12], K[9];
        memcpy(G + 3, t->grad + 9 * e, 9 * sizeof *G);
        for (int k = 0; k < 3; k++) G[k] = -(G[3 + k] + G[6 + k] + G[9 + k]);
        for (int k = 0; k < 10; k++) {
            int at = where->at[10 * s + k];
            if (at < 0) continue;
            tet_block(G + 3 * sp__pair_a[k], G + 3 * sp__pair_b[k], t->ratio[e], factor, K);
            if (t->spin) tet_block_spin(G + 3 * sp__pair_a[k], G + 3 * sp__pair_b[k], t->spin + 6 * e, factor, K);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    blocks[9 * (size_t)(at >> 1) + (size_t)(at & 1 ? 3 * j + i : 3 * i + j)] += K[3 * i + j];
        }
    }
}

static void rows_store_ref(const int *row_start, const int *order, int rows, int first, const int *group_start,
                           const double *blocks, double *val) {
    for (int i = 0; i < rows; i++) {
        double *v = val + 36 * (size_t)group_start[i / 4] + i % 4;
        for (int k = row_start[order[i]] - first; k < row_start[order[i] + 1] - first; k++, v += 36)
            for (int e = 0; e < 9; e++) v[4 * e] = blocks[9 * (size_t)k + (size_t)e];
    }
}

static void rows_product_ref(const sp_rows4 *a, int chunk, const double *x, double *y) {
    for (int g = a->chunk_group[chunk]; g < a->chunk_group[chunk + 1]; g++)
        for (size_t slot = (size_t)a->group_start[g]; slot < (size_t)a->group_start[g + 1]; slot++)
            for (int l = 0; l < 4; l++) {
                int i = a->col[4 * (size_t)a->group_start[g] + (size_t)l], j = a->col[4 * slot + (size_t)l];
                const double *v = a->val + 36 * slot + l;
                for (int r = 0; r < 3; r++)
                    for (int c = 0; c < 3; c++) {
                        y[4 * i + r] += v[4 * (3 * r + c)] * x[4 * j + c];
                        if (slot > (size_t)a->group_start[g]) y[4 * j + c] += v[4 * (3 * r + c)] * x[4 * i + r];
                    }
            }
}

static void warp_errors_ref(const sp_warped *w, int begin, int end, const double *R, double *error) {
    for (int e = begin; e < end; e++, R += 9) {
        double node[4 * SP_WARP_NODE];
        const double *G = w->grad + 10 * (size_t)e;
        for (int a = 0; a < 4; a++)
            memcpy(node + SP_WARP_NODE * a, w->record + SP_WARP_NODE * (size_t)w->node[4 * e + a], SP_WARP_NODE * sizeof *node);
        error[e] = warp_error(G, G[9], w->kept + 36 * (size_t)e, R, node);
    }
}

static void gather_ref(const double *x, const double *keep, const int *node, int n, double *local) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            local[4 * i + k] = x[3 * (size_t)node[i] + (size_t)k] * (keep ? keep[3 * (size_t)node[i] + (size_t)k] : 1);
}

static void scatter_ref(const double *local, int n, double *sum) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) sum[3 * i + k] = local[4 * i + k];
}

static double sum_slots_ref(const sp_chunks *c, int begin, int end, const double *x, double *y) {
    double dot = 0;
    for (int i = begin; i < end; i++) {
        sp__chunks_sum(c, i, y + 3 * (size_t)i);
        for (int k = 0; k < 3; k++) dot += x[3 * (size_t)i + (size_t)k] * y[3 * (size_t)i + (size_t)k];
    }
    return dot;
}

static double cg_advance_ref(int n, double alpha, const double *p, const double *q, double *x, double *r) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        x[i] += alpha * p[i], r[i] -= alpha * q[i];
        sum += r[i] * r[i];
    }
    return sum;
}

static void cg_direction_ref(int n, double beta, const double *r, double *p) {
    for (int i = 0; i < n; i++) p[i] = r[i] + beta * p[i];
}

static void tet_rotations_ref(const sp_tets *t, int block, const double *grad, const double *rest, double *R) {
    const int *node = t->node + 4 * (size_t)block;
    const double *c = grad + 9 * (size_t)block, scale = t->scale[block] > 0 ? 1 / t->scale[block] : 0;
    double e[9];
    for (size_t i = 0; i < 9; i++) e[i] = scale * (rest[3 * (size_t)node[i / 3 + 1] + i % 3] - rest[3 * (size_t)node[0] + i % 3]);
    for (size_t k = 0; k < 9; k++) R[k] = c[k / 3] * e[k % 3] + c[3 + k / 3] * e[3 + k % 3] + c[6 + k / 3] * e[6 + k % 3];
}

static void nearest_rotations_ref(int n, double *R) {
    for (int i = 0; i < n; i++, R += 9) {
        double M[9];
        memcpy(M, R, sizeof M);
        rotation_nearest(M, R);
    }
}

static const char *detail_ref(void) {
    return "plain loops, one worker";
}

const sp_backend sp__backend_ref = {
    .name = "ref",
    .lanes = 1,
    .parallel = false,
    .free_is_faster = true,
    .detail = detail_ref,
    .tet_state = tet_state_ref,
    .tet_sums = tet_sums_ref,
    .tet_product = tet_product_ref,
    .tet_assemble = tet_assemble_ref,
    .iso_state = sp__iso_state_ref,
    .iso_sums = sp__iso_sums_ref,
    .iso_product = sp__iso_product_ref,
    .iso_assemble = sp__iso_assemble_ref,
    .iso_rotations = sp__iso_rotations_ref,
    .rows_store = rows_store_ref,
    .rows_product = rows_product_ref,
    .warp_errors = warp_errors_ref,
    .tet_rotations = tet_rotations_ref,
    .nearest_rotations = nearest_rotations_ref,
    .gather = gather_ref,
    .scatter = scatter_ref,
    .sum_slots = sum_slots_ref,
    .cg_advance = cg_advance_ref,
    .cg_direction = cg_direction_ref,
};
