// Isoparametric elements of the reference backend: one element and one point at a time.
#define SP_LANES 1
#include "backend/ref/iso_ref.h"

#include "kernels/bar.h"
#include "kernels/costa.h"
#include "kernels/fibre.h"

#include "kernels/membrane.h"
#include "kernels/relax.h"
#include "kernels/tensor.h"

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
    const double *slope = g->slope + 3 * ((size_t)g->nodes - 1) * q, *p = g->param + SP_LAW_PARAMS * e;
    double H[9], t[3];
    iso_response r;
    point_gradient(g, q, d, H);
    if (g->nodes == MEMBRANE_NODES)
        membrane_respond((sp_law)g->law, g->definite, p, slope, H, t, &r);
    else
        iso_respond((sp_law)g->law, g->definite, p, H, &r);
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
        sum += g->weight[q] * bar_decompose((sp_law)g->law, g->param + SP_LAW_PARAMS * e, H, &at[i]);
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
        bar_gradient((sp_law)g->law, g->param + SP_LAW_PARAMS * e, &at[i], g->weight[q], M);
        iso_spread(g->nodes, M, g->turned + 3 * edges * q, mean);
    }
    if (f) mean[BAR_SLOPES] = volume > 0 ? (g->definite ? lane_max(bulk[2], 0) : bulk[2]) / volume : 0;
    return energy;
}

// ------------------------------------------------------------------------------------------------ viscous materials

static double relax_element(const sp_iso *g, size_t e, const double *d, double *f) {
    double H[9], P[9], energy = 0;
    for (size_t q = (size_t)g->points * e; q < (size_t)g->points * (e + 1); q++) {
        const double *slope = g->slope + 3 * ((size_t)g->nodes - 1) * q, *S = g->kept + 6 * q;
        iso_gradient(g->nodes, d, slope, H);
        energy += g->weight[q] * relax_energy((sp_law)g->law, S, H);
        if (!f) continue;
        relax_stress((sp_law)g->law, S, -g->weight[q], H, P);
        iso_spread(g->nodes, P, slope, f);
    }
    return energy;
}

// ------------------------------------------------------------------------------------------------ laws with directions

static const double *element_directions(const sp_iso *g, size_t e) {
    return g->fibre + 3 * (size_t)g->directions * e;
}

// forces of point q, with gradients in the axes of the material and tangent
static void dense_store(const sp_iso *g, size_t e, size_t q, const costa_response *r, double *f) {
    size_t edges = (size_t)g->nodes - 1;
    double axes[9], *turned = g->turned + 3 * edges * q, *T = g->tangent + SP_ISO_TANGENT_DENSE * q, P[9];
    costa_axes(element_directions(g, e), axes);
    for (size_t a = 0; a < edges; a++)
        for (int i = 0; i < 3; i++) turned[3 * a + i] = lane_dot(axes + 3 * i, g->slope + 3 * edges * q + 3 * a);
    for (int k = 0; k < 9; k++) T[k] = r->F[k], P[k] = -g->weight[q] * r->P[k];
    lagrange_tangent(r->F, r->S, r->D, g->weight[q], T + 9);
    iso_spread(g->nodes, P, turned, f);
}

// U at the mean of J - 1; returns the volume
static double dense_mean(const sp_iso *g, size_t e, const double *d, double *U) {
    double volume = 0, sum = 0, H[9];
    for (size_t q = (size_t)g->points * e; q < (size_t)g->points * (e + 1); q++) {
        point_gradient(g, q, d, H);
        sum += g->weight[q] * costa_measure(H), volume += g->weight[q];
    }
    volume_costa(g->param[SP_LAW_PARAMS * e + SP_LAW_BULK], volume > 0 ? sum / volume : 0, U);
    return volume;
}

// f: forces of nodes 1..; NULL: only the energy
static double dense_state(const sp_iso *g, size_t e, const double *d, double *f) {
    const double *p = g->param + SP_LAW_PARAMS * e, *fibre = element_directions(g, e);
    size_t edges = (size_t)g->nodes - 1;
    double energy = 0, volume = 0, U[3] = {0}, *mean = g->bar ? g->bar + BAR_NUMBERS * e : NULL;
    if (mean) volume = dense_mean(g, e, d, U), energy = volume * U[0];
    for (int k = 0; mean && f && k < BAR_SLOPES; k++) mean[k] = 0;
    for (size_t q = (size_t)g->points * e; q < (size_t)g->points * (e + 1); q++) {
        const double of_mean[3] = {0, U[1], 0};
        double H[9], M[9];
        point_gradient(g, q, d, H);
        if (!f) {
            energy += g->weight[q] * costa_energy(p, fibre, H, mean ? of_mean : NULL);
            continue;
        }
        costa_response r;
        costa_respond(g->definite, p, fibre, H, mean ? of_mean : NULL, &r);
        energy += g->weight[q] * r.energy;
        dense_store(g, e, q, &r, f);
        for (int k = 0; k < 9; k++) M[k] = g->weight[q] * r.cof[k];
        if (mean) iso_spread(g->nodes, M, g->turned + 3 * edges * q, mean);
    }
    if (mean && f) mean[BAR_SLOPES] = volume > 0 ? U[2] / volume : 0;  // U'' = k / J > 0
    return energy;
}

// energy of the fibres; f: forces of nodes 1.., with the state of the fibres; NULL: only the energy
static double fibre_state(const sp_iso *g, size_t e, const double *d, double *f) {
    size_t edges = (size_t)g->nodes - 1, families = (size_t)g->families;
    double energy = 0, H[9], v[3];
    for (size_t q = (size_t)g->points * e; q < (size_t)g->points * (e + 1); q++) {
        const double *slope = g->slope + 3 * edges * q, w = g->weight[q];
        point_gradient(g, q, d, H);
        for (size_t k = 0; k < families; k++) {
            const double *along = element_directions(g, e) + 3 * k;
            fibre_response r;
            fibre_respond(g->definite, g->fibre_param + SP_FIBRE_PARAMS * (families * e + k), along, H, &r);
            energy += w * r.energy;
            if (!f) continue;
            double *state = g->fibre_state + SP_FIBRE_STATE * (families * q + k);
            for (int i = 0; i < 3; i++) state[i] = r.stretched[i], v[i] = -w * r.stress * r.stretched[i];
            state[3] = w * r.first, state[4] = w * r.second;
            fibre_spread(g->nodes, along, slope, v, f);
        }
    }
    return energy;
}

static void fibre_products(const sp_iso *g, size_t e, const double *d, double *f) {
    size_t edges = (size_t)g->nodes - 1, families = (size_t)g->families;
    for (size_t q = (size_t)g->points * e; q < (size_t)g->points * (e + 1); q++)
        for (size_t k = 0; k < families; k++)
            fibre_product(g->nodes, g->fibre_state + SP_FIBRE_STATE * (families * q + k), element_directions(g, e) + 3 * k,
                          g->slope + 3 * edges * q, d, f);
}

// ------------------------------------------------------------------------------------------------ patches

// decomposition and measure of the point of a tetrahedron
static double patch_point(const sp_iso *g, size_t e, const double *u, bar_point *at) {
    double d[9], H[9];
    element_edges(g, e, u, d);
    point_gradient(g, e, d, H);
    return bar_decompose((sp_law)g->law, g->param + SP_LAW_PARAMS * e, H, at);
}

// adds the part of an element in q of its patch; slope: of nodes 1..3
static void patch_collect(const sp_iso *g, size_t e, const double *slope) {
    const int *at = g->patches->at + 4 * e;
    for (int i = 0; i < 9; i++) {
        g->patch_q[3 * at[1 + i / 3] + i % 3] += slope[i];
        g->patch_q[3 * at[0] + i % 3] -= slope[i];
    }
}

// response to rest and the pressure of the patch; y NULL: only the energy of rest
static double patch_respond(const sp_iso *g, size_t e, const double *u, double *y) {
    double rest[SP_LAW_PARAMS], d[9], M[9], f[9] = {0}, slope[9] = {0};
    const double *p = g->param + SP_LAW_PARAMS * e;
    bar_point at;
    iso_response r;
    patch_point(g, e, u, &at);
    bar_rest((sp_law)g->law, p, rest);
    bar_respond((sp_law)g->law, g->definite, rest, g->patches->measure[e], &at, &r);
    double energy = g->weight[e] * r.law.energy;
    element_edges(g, e, u, d);
    if (g->families) energy += fibre_state(g, e, d, y ? f : NULL);
    if (g->kept) energy += relax_element(g, e, d, y ? f : NULL);
    if (y) {
        point_store(g, e, &r, f);
        element_add(g, e, f, y);
        bar_gradient((sp_law)g->law, p, &at, g->weight[e], M);
        iso_spread(4, M, g->turned + 9 * e, slope);
        patch_collect(g, e, slope);
    }
    return energy;
}

static double patch_state(const sp_iso *g, int chunk, const double *u, double *y) {
    size_t begin = (size_t)g->block_start[chunk], end = (size_t)g->block_start[chunk + 1];
    bar_point at;
    for (size_t e = begin; e < end; e++) g->patches->measure[e] = patch_point(g, e, u, &at);
    double energy = sp__patches_means(g, chunk, y != NULL);
    for (size_t e = begin; e < end; e++) energy += patch_respond(g, e, u, y);
    return energy;
}

// ------------------------------------------------------------------------------------------------ tensor-mass

static tensor_kind kind_of(const sp_iso *g) {
    return (tensor_kind){g->nodes, g->law == SP_LAW_LINEAR, g->penalty};
}

// f: forces of nodes 1.., with gradients and tangent; NULL: only the energy
static double tensor_element(const sp_iso *g, size_t e, const double *d, double *f) {
    const size_t slopes = 3 * ((size_t)g->nodes - 1);
    double axes[9], T[TENSOR_NUMBERS], force[9];
    double energy = tensor_state(kind_of(g), g->definite, g->param + SP_LAW_PARAMS * e, g->slope + slopes * e, g->weight[e], d,
                                 axes, T, force);
    if (f) {
        memcpy(f, force, slopes * sizeof *f);
        memcpy(g->turned + slopes * e, axes, slopes * sizeof *axes);
        memcpy(g->tangent + sp__iso_tangent(g) * e, T, sp__iso_tangent(g) * sizeof *T);
    }
    return g->weight[e] * energy;
}

// ------------------------------------------------------------------------------------------------ states

static double law_state(const sp_iso *g, size_t e, const double *d, double *f) {
    double energy = 0;
    if (g->dense) return dense_state(g, e, d, f);
    if (g->tensor) return tensor_element(g, e, d, f);
    if (g->bar) return bar_state(g, e, d, f);
    for (size_t q = (size_t)g->points * e; q < (size_t)g->points * (e + 1); q++) energy += point_state(g, e, q, d, f);
    return energy;
}

static double element_state(const sp_iso *g, size_t e, const double *d, double *f) {
    double energy = law_state(g, e, d, f);
    return g->families ? energy + fibre_state(g, e, d, f) : energy;
}

double sp__iso_state_ref(const sp_iso *g, int chunk, const double *u, double *y) {
    if (g->patches) return patch_state(g, chunk, u, y);
    double energy = 0, d[3 * SP_ISO_NODES_MAX];
    for (size_t e = (size_t)g->block_start[chunk]; e < (size_t)g->block_start[chunk + 1]; e++) {
        double f[3 * SP_ISO_NODES_MAX] = {0};
        element_edges(g, e, u, d);
        energy += element_state(g, e, d, y ? f : NULL);
        if (g->kept) energy += relax_element(g, e, d, y ? f : NULL);
        if (y) element_add(g, e, f, y);
    }
    return energy;
}

// det F of point q, and of a membrane with the stretch of its thickness
static double point_jacobian(const sp_iso *g, size_t e, size_t q, const double *d) {
    const double *slope = g->slope + 3 * ((size_t)g->nodes - 1) * q;
    double H[9], t[3];
    iso_response r;
    iso_gradient(g->nodes, d, slope, H);
    if (g->nodes != MEMBRANE_NODES) return iso_jacobian(H);
    membrane_respond((sp_law)g->law, 0, g->param + SP_LAW_PARAMS * e, slope, H, t, &r);
    return membrane_jacobian(t);
}

void sp__iso_sums_ref(const sp_iso *g, int chunk, const double *u, double out[3]) {
    double d[3 * SP_ISO_NODES_MAX];
    out[0] = g->patches ? patch_state(g, chunk, u, NULL) : 0;
    out[1] = out[2] = 0;
    for (size_t e = (size_t)g->block_start[chunk]; e < (size_t)g->block_start[chunk + 1]; e++) {
        bool inverted = false;
        element_edges(g, e, u, d);
        if (!g->patches) out[0] += element_state(g, e, d, NULL);
        for (size_t q = (size_t)g->points * e; q < (size_t)g->points * (e + 1); q++) {
            double J = point_jacobian(g, e, q, d);
            out[1] += g->weight[q] * J;
            inverted |= g->nodes != MEMBRANE_NODES && J <= 0 && g->weight[q] > 0;
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
            if (g->dense)
                lagrange_product(g->nodes, g->tangent + SP_ISO_TANGENT_DENSE * q + 9, turned, d, f);
            else if (g->tensor)
                tensor_product(kind_of(g), g->tangent + sp__iso_tangent(g) * q, turned, d, f);
            else
                iso_product(g->nodes, g->tangent + SP_ISO_TANGENT * q, turned, d, f);
            if (sp__iso_kept_tangent(g)) relax_product(g->nodes, g->kept + 6 * q, g->weight[q], g->slope + 3 * edges * q, d, f);
        }
        if (g->families) fibre_products(g, e, d, f);
        if (g->bar) bar_product(g->bar + BAR_NUMBERS * e, d, f);
        element_add(g, e, f, y);
    }
    if (g->patches) sp__patches_product(g, chunk, x, y);
}

// vectors of all nodes whose sum is zero, from those of nodes 1..
static void all_nodes(int nodes, const double *from, double *all) {
    for (int k = 0; k < 3; k++) all[k] = 0;
    for (int k = 0; k < 3 * nodes - 3; k++) all[3 + k] = from[k], all[k % 3] -= from[k];
}

static void tensor_pair(const sp_iso *g, const double *T, const double *y, const double *z, double *K) {
    double B[9];
    tensor_left(g->nodes, T, B);
    tensor_block(kind_of(g), T, B, y, z, K);
}

// what adds blocks to the pairs of an element: T, the tangent of a point; factor y z^T; or the state of a family of fibres
typedef struct pair_source {
    const double *T, *factor, *fibre, *direction;
} pair_source;

static void pair_block(const sp_iso *g, const pair_source *from, const double *y, const double *z, double *K) {
    if (from->fibre)
        fibre_block(from->fibre, lane_dot(from->direction, y) * lane_dot(from->direction, z), K);
    else if (from->factor)
        bar_block(*from->factor, y, z, K);
    else if (g->dense)
        lagrange_block(from->T + 9, y, z, K);
    else if (g->tensor)
        tensor_pair(g, from->T, y, z, K);
    else
        iso_block(from->T, y, z, K);
}

static void pairs_add(const sp_iso *g, const int *at, const pair_source *from, const double *all, double scale, double *blocks) {
    int pairs = g->nodes * (g->nodes + 1) / 2, a, b;
    for (int k = 0; k < pairs; k++) {
        if (at[k] < 0) continue;
        double K[9] = {0}, *to = blocks + 9 * (size_t)(at[k] >> 1);
        sp__pairs(g->nodes, k, &a, &b);
        pair_block(g, from, all + 3 * a, all + 3 * b, K);
        for (int i = 0; i < 9; i++) to[i] += scale * (at[k] & 1 ? K[i % 3 * 3 + i / 3] : K[i]);
    }
}

// the same of the stress that a viscous material keeps at point q
static void relax_pairs_add(const sp_iso *g, size_t q, const int *at, double scale, double *blocks) {
    int pairs = g->nodes * (g->nodes + 1) / 2, a, b;
    double all[3 * SP_ISO_NODES_MAX];
    all_nodes(g->nodes, g->slope + 3 * ((size_t)g->nodes - 1) * q, all);
    for (int k = 0; k < pairs; k++) {
        double K[9] = {0};
        if (at[k] < 0) continue;
        sp__pairs(g->nodes, k, &a, &b);
        relax_block(g->kept + 6 * q, scale * g->weight[q], all + 3 * a, all + 3 * b, K);
        for (int i = 0; i < 9; i += 4) blocks[9 * (size_t)(at[k] >> 1) + (size_t)i] += K[i];
    }
}

static void fibre_pairs(const sp_iso *g, size_t e, const int *at, double factor, double *blocks) {
    size_t edges = (size_t)g->nodes - 1, families = (size_t)g->families;
    double all[3 * SP_ISO_NODES_MAX];
    for (size_t q = (size_t)g->points * e; families && q < (size_t)g->points * (e + 1); q++) {
        all_nodes(g->nodes, g->slope + 3 * edges * q, all);
        for (size_t k = 0; k < families; k++) {
            const pair_source from = {.fibre = g->fibre_state + SP_FIBRE_STATE * (families * q + k),
                                      .direction = element_directions(g, e) + 3 * k};
            pairs_add(g, at, &from, all, factor, blocks);
        }
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
            pairs_add(g, at, &(pair_source){.T = g->tangent + sp__iso_tangent(g) * q}, all, factor, blocks);
            if (sp__iso_kept_tangent(g)) relax_pairs_add(g, q, at, factor, blocks);
        }
        fibre_pairs(g, e, at, factor, blocks);
        if (!g->bar) continue;
        const double *bar = g->bar + BAR_NUMBERS * e;
        all_nodes(g->nodes, bar, all);
        pairs_add(g, at, &(pair_source){.factor = bar + BAR_SLOPES}, all, factor, blocks);
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
        double U[9];
        if (g->dense || g->tensor)
            rotation_nearest(g->tangent + sp__iso_tangent(g) * q, U);
        else
            memcpy(U, g->tangent + SP_ISO_TANGENT * q, sizeof U);
        for (int k = 0; k < 9; k++)
            R[k] += g->weight[q] / total *
                    (U[k - k % 3] * Vt[k % 3] + U[k - k % 3 + 1] * Vt[3 + k % 3] + U[k - k % 3 + 2] * Vt[6 + k % 3]);
    }
}
