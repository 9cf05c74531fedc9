// Isoparametric elements of the reference backend: one element and one point at a time.
#define SP_LANES 1
#include "backend/ref/iso_ref.h"

#include "kernels/iso.h"

// differences of the values of nodes 1.. from that of node 0
static void element_edges(const sp_iso *g, size_t e, const double *x, double *d) {
    const uint16_t *id = g->local + (size_t)g->nodes * e;
    for (int a = 1; a < g->nodes; a++)
        for (int k = 0; k < 3; k++) d[3 * a - 3 + k] = x[4 * id[a] + k] - x[4 * id[0] + k];
}

static void element_add(const sp_iso *g, size_t e, const double *f, double *y) {
    const uint16_t *id = g->local + (size_t)g->nodes * e;
    for (int a = 1; a < g->nodes; a++)
        for (int k = 0; k < 3; k++) {
            y[4 * id[a] + k] += f[3 * a - 3 + k];
            y[4 * id[0] + k] -= f[3 * a - 3 + k];
        }
}

// stress and tangent of point q; f: forces of nodes 1..
static double point_state(const sp_iso *g, size_t e, size_t q, const double *d, double *f) {
    size_t edges = (size_t)g->nodes - 1;
    const double *slope = g->slope + 3 * edges * q;
    double H[9], P[9];
    iso_response r;
    iso_gradient(g->nodes, d, slope, H);
    iso_respond((sp_law)g->law, g->definite, g->param + SP_LAW_PARAMS * e, H, &r);
    if (f) {
        double *turned = g->turned + 3 * edges * q;
        for (size_t a = 0; a < edges; a++) iso_turn(r.V, slope + 3 * a, turned + 3 * a);
        iso_tangent(&r, g->weight[q], g->tangent + SP_ISO_TANGENT * q);
        iso_stress(&r, -g->weight[q], P);
        iso_spread(g->nodes, P, turned, f);
    }
    return g->weight[q] * r.law.energy;
}

double sp__iso_state_ref(const sp_iso *g, int chunk, const double *u, double *y) {
    double energy = 0, d[3 * SP_ISO_NODES_MAX];
    for (size_t e = (size_t)g->block_start[chunk]; e < (size_t)g->block_start[chunk + 1]; e++) {
        double f[3 * SP_ISO_NODES_MAX] = {0};
        element_edges(g, e, u, d);
        for (size_t q = (size_t)g->points * e; q < (size_t)g->points * (e + 1); q++)
            energy += point_state(g, e, q, d, y ? f : NULL);
        if (y) element_add(g, e, f, y);
    }
    return energy;
}

void sp__iso_sums_ref(const sp_iso *g, int chunk, const double *u, double out[3]) {
    size_t edges = (size_t)g->nodes - 1;
    double d[3 * SP_ISO_NODES_MAX], H[9];
    out[0] = out[1] = out[2] = 0;
    for (size_t e = (size_t)g->block_start[chunk]; e < (size_t)g->block_start[chunk + 1]; e++) {
        bool inverted = false;
        element_edges(g, e, u, d);
        for (size_t q = (size_t)g->points * e; q < (size_t)g->points * (e + 1); q++) {
            iso_gradient(g->nodes, d, g->slope + 3 * edges * q, H);
            double J = iso_jacobian(H);
            out[0] += g->weight[q] * iso_energy((sp_law)g->law, g->param + SP_LAW_PARAMS * e, H);
            out[1] += g->weight[q] * J;
            inverted |= J <= 0 && g->weight[q] > 0;
        }
        out[2] += inverted;
    }
}

void sp__iso_product_ref(const sp_iso *g, int chunk, const double *x, double *y) {
    size_t edges = (size_t)g->nodes - 1;
    double d[3 * SP_ISO_NODES_MAX];
    for (size_t e = (size_t)g->block_start[chunk]; e < (size_t)g->block_start[chunk + 1]; e++) {
        double f[3 * SP_ISO_NODES_MAX] = {0};
        element_edges(g, e, x, d);
        for (size_t q = (size_t)g->points * e; q < (size_t)g->points * (e + 1); q++) {
            const double *turned = g->turned + 3 * edges * q;
            iso_product(g->nodes, g->tangent + SP_ISO_TANGENT * q, turned, d, f);
        }
        element_add(g, e, f, y);
    }
}

// turned gradients of all nodes of a point
static void point_slopes(const sp_iso *g, size_t q, double *all) {
    const double *turned = g->turned + 3 * ((size_t)g->nodes - 1) * q;
    for (int k = 0; k < 3; k++) all[k] = 0;
    for (int k = 0; k < 3 * g->nodes - 3; k++) all[3 + k] = turned[k], all[k % 3] -= turned[k];
}

void sp__iso_assemble_ref(const sp_iso *g, const sp_stencil *where, double factor, double *blocks) {
    int pairs = g->nodes * (g->nodes + 1) / 2, a, b;
    double all[3 * SP_ISO_NODES_MAX];
    for (int s = 0; s < where->count; s++) {
        size_t e = (size_t)where->block[s];
        const int *at = where->at + (size_t)pairs * (size_t)s;
        for (size_t q = (size_t)g->points * e; q < (size_t)g->points * (e + 1); q++) {
            point_slopes(g, q, all);
            for (int k = 0; k < pairs; k++) {
                if (at[k] < 0) continue;
                double K[9] = {0}, *to = blocks + 9 * (size_t)(at[k] >> 1);
                sp__pairs(g->nodes, k, &a, &b);
                iso_block(g->tangent + SP_ISO_TANGENT * q, all + 3 * a, all + 3 * b, K);
                for (int i = 0; i < 9; i++) to[i] += factor * (at[k] & 1 ? K[i % 3 * 3 + i / 3] : K[i]);
            }
        }
    }
}

void sp__iso_rotations_ref(const sp_iso *g, int block, const double *rest, double *R) {
    size_t edges = (size_t)g->nodes - 1, first = (size_t)g->points * (size_t)block;
    const int *node = g->node + (size_t)g->nodes * (size_t)block;
    double X[3 * SP_ISO_NODES_MAX], Vt[9], total = 0;
    for (size_t i = 0; i < 3 * edges; i++) X[i] = rest[3 * (size_t)node[i / 3 + 1] + i % 3] - rest[3 * (size_t)node[0] + i % 3];
    for (int k = 0; k < 9; k++) R[k] = 0;
    for (size_t q = first; q < first + (size_t)g->points; q++) total += g->weight[q];
    for (size_t q = first; total > 0 && q < first + (size_t)g->points; q++) {
        iso_gradient(g->nodes, g->turned + 3 * edges * q, X, Vt);
        const double *U = g->tangent + SP_ISO_TANGENT * q;
        for (int k = 0; k < 9; k++)
            R[k] += g->weight[q] / total *
                    (U[k - k % 3] * Vt[k % 3] + U[k - k % 3 + 1] * Vt[3 + k % 3] + U[k - k % 3 + 2] * Vt[6 + k % 3]);
    }
}
