// Isoparametric elements of the reference backend: one element and one point at a time.
#define SP_LANES 1
#include "backend/ref/iso_ref.h"

#include "kernels/bar.h"

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

// H of the elastic part of the deformation at point q
static void point_gradient(const sp_iso *g, size_t q, const double *d, double *H) {
    iso_gradient(g->nodes, d, g->slope + 3 * ((size_t)g->nodes - 1) * q, H);
    for (size_t k = 0; g->offset && k < 9; k++) H[k] += g->offset[9 * (q / (size_t)g->points) + k];
}

// forces of point q, with turned gradients and tangent
static void point_store(const sp_iso *g, size_t q, const iso_response *r, double *f) {
    size_t edges = (size_t)g->nodes - 1;
    const double *slope = g->slope + 3 * edges * q;
    double *turned = g->turned + 3 * edges * q, P[9];
    for (size_t a = 0; a < edges; a++) iso_turn(r->V, slope + 3 * a, turned + 3 * a);
    iso_tangent(r, g->weight[q], g->tangent + SP_ISO_TANGENT * q);
    iso_stress(r, -g->weight[q], P);
    iso_spread(g->nodes, P, turned, f);
}

// stress and tangent of point q; f: forces of nodes 1..
static double point_state(const sp_iso *g, size_t e, size_t q, const double *d, double *f) {
    double H[9];
    iso_response r;
    point_gradient(g, q, d, H);
    iso_respond((sp_law)g->law, g->definite, g->param + SP_LAW_PARAMS * e, H, &r);
    if (f) point_store(g, q, &r, f);
    return g->weight[q] * r.law.energy;
}

// ------------------------------------------------------------------------------------------------ mean dilatation

// points of element e, and g, g', g'' at the mean of z; returns the volume
static double bar_points(const sp_iso *g, size_t e, const double *d, bar_point *at, double *bulk) {
    size_t points = (size_t)g->points;
    double volume = 0, sum = 0, H[9];
    for (size_t i = 0, q = points * e; i < points; i++, q++) {
        point_gradient(g, q, d, H);
        sum += g->weight[q] * bar_decompose((sp_law)g->law, H, &at[i]);
        volume += g->weight[q];
    }
    bar_bulk((sp_law)g->law, g->param + SP_LAW_PARAMS * e, volume > 0 ? sum / volume : 0, bulk);
    return volume;
}

// stress and tangent of an element; f: forces of nodes 1..; NULL: only the energy
static double bar_state(const sp_iso *g, size_t e, const double *d, double *f) {
    size_t edges = (size_t)g->nodes - 1, q = (size_t)g->points * e;
    bar_point at[BAR_POINTS];
    double rest[SP_LAW_PARAMS], bulk[3], M[9], volume = bar_points(g, e, d, at, bulk), energy = volume * bulk[0];
    double *mean = g->bar + BAR_NUMBERS * e;
    bar_rest((sp_law)g->law, g->param + SP_LAW_PARAMS * e, rest);
    for (size_t k = 0; f && k < BAR_SLOPES; k++) mean[k] = 0;
    for (int i = 0; i < g->points; i++, q++) {
        iso_response r;
        bar_respond((sp_law)g->law, g->definite, rest, bulk[1], &at[i], &r);
        energy += g->weight[q] * r.law.energy;
        if (!f) continue;
        point_store(g, q, &r, f);
        bar_gradient((sp_law)g->law, &at[i], g->weight[q], M);
        iso_spread(g->nodes, M, g->turned + 3 * edges * q, mean);
    }
    if (f) mean[BAR_SLOPES] = volume > 0 ? (g->definite ? lane_max(bulk[2], 0) : bulk[2]) / volume : 0;
    return energy;
}

// ------------------------------------------------------------------------------------------------ states

static double element_state(const sp_iso *g, size_t e, const double *d, double *f) {
    double energy = 0;
    if (g->bar) return bar_state(g, e, d, f);
    for (size_t q = (size_t)g->points * e; q < (size_t)g->points * (e + 1); q++) energy += point_state(g, e, q, d, f);
    return energy;
}

double sp__iso_state_ref(const sp_iso *g, int chunk, const double *u, double *y) {
    double energy = 0, d[3 * SP_ISO_NODES_MAX];
    for (size_t e = (size_t)g->block_start[chunk]; e < (size_t)g->block_start[chunk + 1]; e++) {
        double f[3 * SP_ISO_NODES_MAX] = {0};
        element_edges(g, e, u, d);
        energy += element_state(g, e, d, y ? f : NULL);
        if (y) element_add(g, e, f, y);
    }
    return energy;
}

void sp__iso_sums_ref(const sp_iso *g, int chunk, const double *u, double out[3]) {
    double d[3 * SP_ISO_NODES_MAX], H[9];
    out[0] = out[1] = out[2] = 0;
    for (size_t e = (size_t)g->block_start[chunk]; e < (size_t)g->block_start[chunk + 1]; e++) {
        bool inverted = false;
        element_edges(g, e, u, d);
        out[0] += element_state(g, e, d, NULL);
        for (size_t q = (size_t)g->points * e; q < (size_t)g->points * (e + 1); q++) {
            point_gradient(g, q, d, H);
            double J = iso_jacobian(H);
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
        if (g->bar) bar_product(g->bar + BAR_NUMBERS * e, d, f);
        element_add(g, e, f, y);
    }
}

// vectors of all nodes whose sum is zero, from those of nodes 1..
static void all_nodes(int nodes, const double *from, double *all) {
    for (int k = 0; k < 3; k++) all[k] = 0;
    for (int k = 0; k < 3 * nodes - 3; k++) all[3 + k] = from[k], all[k % 3] -= from[k];
}

// adds blocks of the pairs of an element. factor NULL: those of a point with tangent T; else *factor y z^T
static void pairs_add(const sp_iso *g, const int *at, const double *T, const double *factor, const double *all, double scale,
                      double *blocks) {
    int pairs = g->nodes * (g->nodes + 1) / 2, a, b;
    for (int k = 0; k < pairs; k++) {
        if (at[k] < 0) continue;
        double K[9] = {0}, *to = blocks + 9 * (size_t)(at[k] >> 1);
        sp__pairs(g->nodes, k, &a, &b);
        if (factor)
            bar_block(*factor, all + 3 * a, all + 3 * b, K);
        else
            iso_block(T, all + 3 * a, all + 3 * b, K);
        for (int i = 0; i < 9; i++) to[i] += scale * (at[k] & 1 ? K[i % 3 * 3 + i / 3] : K[i]);
    }
}

void sp__iso_assemble_ref(const sp_iso *g, const sp_stencil *where, double factor, double *blocks) {
    size_t pairs = (size_t)(g->nodes * (g->nodes + 1) / 2), edges = (size_t)g->nodes - 1;
    double all[3 * SP_ISO_NODES_MAX];
    for (int s = 0; s < where->count; s++) {
        size_t e = (size_t)where->block[s];
        const int *at = where->at + pairs * (size_t)s;
        for (size_t q = (size_t)g->points * e; q < (size_t)g->points * (e + 1); q++) {
            all_nodes(g->nodes, g->turned + 3 * edges * q, all);
            pairs_add(g, at, g->tangent + SP_ISO_TANGENT * q, NULL, all, factor, blocks);
        }
        if (!g->bar) continue;
        const double *bar = g->bar + BAR_NUMBERS * e;
        all_nodes(g->nodes, bar, all);
        pairs_add(g, at, NULL, bar + BAR_SLOPES, all, factor, blocks);
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
