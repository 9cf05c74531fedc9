// Isoparametric elements, four at a time; included by tet_loops.h. Loops are compiled for each number of nodes; the
// decomposition and the laws, most of the code and of a state, once.
#include "kernels/bar.h"
#include "kernels/membrane.h"
#include "kernels/relax.h"
#include "kernels/tensor.h"

// values of nodes 1.. less that of node 0
SP_POINTWISE void iso_edges(int nodes, const double *x, const uint16_t *id, sp_lane *d) {
    sp_lane o[3];
    load4(x, id, o);
    for (int a = 0; a < nodes - 1; a++) {
        load4(x, id + 4 * (a + 1), d + 3 * a);
        for (int k = 0; k < 3; k++) d[3 * a + k] -= o[k];
    }
}

// adds forces of nodes 1.. and the balancing force of node 0
SP_POINTWISE void iso_add(int nodes, const sp_lane *f, const uint16_t *id, double *y) {
    sp_lane o[3];
    for (int k = 0; k < 3; k++) o[k] = -f[k];
    for (int k = 3; k < 3 * nodes - 3; k++) o[k % 3] -= f[k];
    add4(y, id, o);
    for (int a = 0; a < nodes - 1; a++) add4(y, id + 4 * (a + 1), f + 3 * a);
}

// an array of lanes in place: each number is used once or twice, and a copy would cost as much as the arithmetic
SP_POINTWISE sp_lane *iso_lanes(double *p) {
    return __builtin_assume_aligned(p, 8 * SP_LANES);
}

// H of the elastic part of the deformation at point q
SP_POINTWISE void iso_elastic(const sp_iso *g, size_t q, sp_lane *H) {
    if (!g->offset) return;
    for (size_t k = 0; k < 9; k++) H[k] += lane_load(g->offset + 4 * (9 * (q / (size_t)g->points) + k));
}

__attribute__((noinline)) static void SP_NAME(iso_at)(int law, bool definite, const sp_lane *p, const sp_lane *H,
                                                      iso_response *out) {
    iso_respond((sp_law)law, definite, p, H, out);
}

__attribute__((noinline)) static void SP_NAME(membrane_at)(int law, bool definite, const sp_lane *p, const sp_lane *slope,
                                                           const sp_lane *H, sp_lane *t, iso_response *out) {
    membrane_respond((sp_law)law, definite, p, slope, H, t, out);
}

__attribute__((noinline)) static void SP_NAME(iso_energy_at)(int law, const sp_lane *p, const sp_lane *H, sp_lane *energy) {
    *energy = iso_energy((sp_law)law, p, H);
}

// energy of a point; 0 in padding, which repeats an element whose energy may be infinite
SP_POINTWISE sp_lane iso_weighted(sp_lane w, sp_lane density) {
    return SP_SELECT(w > 0.0, w * density, lane_all(0));
}

// stress and tangent of point q; f: forces of nodes 1..; NULL: only the energy
SP_POINTWISE sp_lane iso_point(const sp_iso *g, size_t q, const sp_lane *p, const sp_lane *d, sp_lane *f, int nodes) {
    size_t edges = (size_t)nodes - 1;
    const sp_lane *slope = iso_lanes(g->slope + 12 * edges * q);
    sp_lane *turned = iso_lanes(g->turned + 12 * edges * q), H[9], P[9], t[3], w = lane_load(g->weight + 4 * q);
    iso_response r;
    iso_gradient(nodes, d, slope, H);
    iso_elastic(g, q, H);
    if (nodes == MEMBRANE_NODES)
        SP_NAME(membrane_at)(g->law, g->definite, p, slope, H, t, &r);
    else
        SP_NAME(iso_at)(g->law, g->definite, p, H, &r);
    if (!f) return iso_weighted(w, r.law.energy);
    for (size_t a = 0; a < 3 * edges; a += 3) iso_turn(r.V, slope + a, turned + a);
    iso_tangent(&r, w, iso_lanes(g->tangent + 4 * SP_ISO_TANGENT * q));
    iso_stress(&r, -w, P);
    iso_spread(nodes, P, turned, f);
    return iso_weighted(w, r.law.energy);
}

// ------------------------------------------------------------------------------------------------ mean dilatation

__attribute__((noinline)) static void SP_NAME(bar_decompose)(int law, const sp_lane *p, const sp_lane *H, bar_point *out,
                                                             sp_lane *z) {
    *z = bar_decompose((sp_law)law, p, H, out);
}

// bulk: g, g', g'' at the mean
__attribute__((noinline)) static void SP_NAME(bar_at)(int law, bool definite, const sp_lane *rest, const sp_lane *bulk,
                                                      const bar_point *at, iso_response *out) {
    bar_respond((sp_law)law, definite, rest, bulk[1], at, out);
}

// points of structure b, and g, g', g'' at the mean of z; returns the volumes, 0 in padding
SP_POINTWISE sp_lane bar_points(const sp_iso *g, size_t b, const sp_lane *p, const sp_lane *d, bar_point *at, sp_lane *bulk) {
    sp_lane H[9], z, sum = lane_all(0), volume = lane_all(0), one = lane_all(1);
    for (size_t i = 0, q = BAR_POINTS * b; i < BAR_POINTS; i++, q++) {
        sp_lane w = lane_load(g->weight + 4 * q);
        iso_gradient(BAR_NODES, d, iso_lanes(g->slope + 4 * BAR_SLOPES * q), H);
        iso_elastic(g, q, H);
        SP_NAME(bar_decompose)(g->law, p, H, &at[i], &z);
        sum += w * z;
        volume += w;
    }
    bar_bulk((sp_law)g->law, p, sum / SP_SELECT(volume > 0.0, volume, one), bulk);
    return volume;
}

// forces of point q, with turned gradients and tangent; its part of the vector q of kernels/bar.h is added to `mean`
SP_POINTWISE void bar_store(const sp_iso *g, size_t q, const sp_lane *p, const bar_point *at, const iso_response *r, sp_lane *f,
                            sp_lane *mean) {
    const sp_lane *slope = iso_lanes(g->slope + 4 * BAR_SLOPES * q);
    sp_lane *turned = iso_lanes(g->turned + 4 * BAR_SLOPES * q), P[9], w = lane_load(g->weight + 4 * q);
    for (int a = 0; a < BAR_SLOPES; a += 3) iso_turn(r->V, slope + a, turned + a);
    iso_tangent(r, w, iso_lanes(g->tangent + 4 * SP_ISO_TANGENT * q));
    iso_stress(r, -w, P);
    iso_spread(BAR_NODES, P, turned, f);
    bar_gradient((sp_law)g->law, p, at, w, P);
    iso_spread(BAR_NODES, P, turned, mean);
}

// adds the energy of structure b; stress and tangent with f: forces of nodes 1..; NULL: only the energy
static void SP_NAME(bar_state)(const sp_iso *g, size_t b, const sp_lane *d, sp_lane *f, sp_lane *energy) {
    bar_point at[BAR_POINTS];
    const sp_lane *p = iso_lanes(g->param + 4 * SP_LAW_PARAMS * b);
    sp_lane rest[SP_LAW_PARAMS], *mean = iso_lanes(g->bar + 4 * BAR_NUMBERS * b), bulk[3], zero = lane_all(0), one = lane_all(1);
    sp_lane volume = bar_points(g, b, p, d, at, bulk);
    *energy += volume * bulk[0];
    bar_rest((sp_law)g->law, p, rest);
    for (int k = 0; f && k < BAR_SLOPES; k++) mean[k] = zero;
    for (size_t i = 0, q = BAR_POINTS * b; i < BAR_POINTS; i++, q++) {
        iso_response r;
        SP_NAME(bar_at)(g->law, g->definite, rest, bulk, &at[i], &r);
        *energy += iso_weighted(lane_load(g->weight + 4 * q), r.law.energy);
        if (f) bar_store(g, q, p, &at[i], &r, f, mean);
    }
    if (f) mean[BAR_SLOPES] = (g->definite ? lane_max(bulk[2], zero) : bulk[2]) / SP_SELECT(volume > 0.0, volume, one);
}

// ------------------------------------------------------------------------------------------------ blocks

// vectors of all nodes, node 0 first, from those of nodes 1..: their sum is zero
SP_POINTWISE void iso_slopes(int nodes, const double *turned, sp_lane *all) {
    load_lanes(turned, 3 * nodes - 3, all + 3);
    for (int k = 0; k < 3; k++) all[k] = -all[3 + k];
    for (int k = 6; k < 3 * nodes; k++) all[k % 3] -= all[k];
}

// transposes the blocks of the lanes that are stored so
SP_POINTWISE void iso_flip(const int *at, sp_lane *K) {
    ints4 odd = -(*(const ints4_unaligned *)at & 1);
    sp_mask flip = __builtin_convertvector(odd, sp_mask);
    for (int k = 0; k < 3; k++) {
        int i = 3 * sp__axis_a[k] + sp__axis_b[k], j = 3 * sp__axis_b[k] + sp__axis_a[k];
        sp_lane upper = K[i];
        K[i] = SP_SELECT(flip, K[j], upper), K[j] = SP_SELECT(flip, upper, K[j]);
    }
}

// adds the blocks of nodes a and b of the stress that a viscous material keeps, at all points from q on
SP_POINTWISE void relax_pair(const sp_iso *g, size_t q, int a, int b, double factor, sp_lane *K) {
    size_t edges = (size_t)g->nodes - 1;
    for (size_t end = q + (size_t)g->points; q < end; q++) {
        sp_lane all[3 * SP_ISO_NODES_MAX];
        iso_slopes(g->nodes, g->slope + 12 * edges * q, all);
        relax_block(iso_lanes(g->kept + 24 * q), factor * lane_load(g->weight + 4 * q), all + 3 * a, all + 3 * b, K);
    }
}

#include "backend/cpu/dense_loops.h"
#include "backend/cpu/tensor_loops.h"

// ------------------------------------------------------------------------------------------------ viscous materials

// the stress that a viscous material keeps in structure b; returns its energy. f: forces of nodes 1..; NULL: only the energy
SP_POINTWISE sp_lane relax_element(const sp_iso *g, size_t b, const sp_lane *d, sp_lane *f, int nodes) {
    sp_lane H[9], P[9], energy = lane_all(0);
    for (size_t q = (size_t)g->points * b; q < (size_t)g->points * (b + 1); q++) {
        const sp_lane *slope = iso_lanes(g->slope + 12 * ((size_t)nodes - 1) * q), *S = iso_lanes(g->kept + 24 * q);
        sp_lane w = lane_load(g->weight + 4 * q);
        iso_gradient(nodes, d, slope, H);
        iso_elastic(g, q, H);
        energy += w * relax_energy((sp_law)g->law, S, H);
        if (!f) continue;
        relax_stress((sp_law)g->law, S, -w, H, P);
        iso_spread(nodes, P, slope, f);
    }
    return energy;
}

// ------------------------------------------------------------------------------------------------ patches

// Three passes over a chunk: measures of the elements, means and pressures of the patches, response of the elements to these.
// Between the passes the tangent of a point holds U and, from this number on, its stretches or strains.
enum { PATCH_STRETCHES = 9 };

// First pass over structure b. Without `keep`, returns the energy of the rest and stores nothing but the measures.
static void SP_NAME(patch_measure)(const sp_iso *g, size_t b, const sp_lane *d, bool keep, sp_lane *energy) {
    const sp_lane *p = iso_lanes(g->param + 4 * SP_LAW_PARAMS * b), *slope = iso_lanes(g->slope + 36 * b);
    sp_lane *turned = iso_lanes(g->turned + 36 * b), *T = iso_lanes(g->tangent + 4 * SP_ISO_TANGENT * b), H[9], z;
    sp_lane rest[SP_LAW_PARAMS], none[3] = {{0}};
    bar_point at;
    iso_gradient(4, d, slope, H);
    SP_NAME(bar_decompose)(g->law, p, H, &at, &z);
    lane_store(g->patches->measure + 4 * b, z);
    if (!keep) {
        iso_response r;
        bar_rest((sp_law)g->law, p, rest);
        SP_NAME(bar_at)(g->law, false, rest, none, &at, &r);
        *energy += iso_weighted(lane_load(g->weight + 4 * b), r.law.energy);
        return;
    }
    for (int a = 0; a < 9; a += 3) iso_turn(at.V, slope + a, turned + a);
    for (int k = 0; k < 9; k++) T[k] = at.U[k];
    for (int k = 0; k < (g->law == SP_LAW_LINEAR ? 6 : 3); k++) T[PATCH_STRETCHES + k] = at.t[k];
}

// adds the parts of the elements of structure b in q of their patches; slope: of nodes 1..3
SP_POINTWISE void patch_collect(const sp_iso *g, size_t b, const sp_lane *slope) {
    for (size_t l = 0; l < SP_LANES; l++) {
        const int *at = g->patches->at + 4 * (4 * b + l);
        for (size_t a = 1; a < 4; a++)
            for (size_t k = 0; k < 3; k++) {
                double add = slope[3 * (a - 1) + k][l];
                g->patch_q[3 * (size_t)at[a] + k] += add;
                g->patch_q[3 * (size_t)at[0] + k] -= add;
            }
    }
}

// last pass over structure b: f, forces of nodes 1..3
static void SP_NAME(patch_respond)(const sp_iso *g, size_t b, sp_lane *f, sp_lane *energy) {
    const sp_lane *p = iso_lanes(g->param + 4 * SP_LAW_PARAMS * b), *turned = iso_lanes(g->turned + 36 * b);
    sp_lane *T = iso_lanes(g->tangent + 4 * SP_ISO_TANGENT * b), w = lane_load(g->weight + 4 * b), P[9];
    sp_lane rest[SP_LAW_PARAMS], bulk[3] = {{0}, lane_load(g->patches->measure + 4 * b), {0}}, slope[9];
    iso_response r;
    bar_point at = {0};
    for (int k = 0; k < 9; k++) at.U[k] = T[k], f[k] = slope[k] = lane_all(0);
    for (int k = 0; k < (g->law == SP_LAW_LINEAR ? 6 : 3); k++) at.t[k] = T[PATCH_STRETCHES + k];
    bar_rest((sp_law)g->law, p, rest);
    SP_NAME(bar_at)(g->law, g->definite, rest, bulk, &at, &r);
    *energy += iso_weighted(w, r.law.energy);
    iso_tangent(&r, w, T);
    iso_stress(&r, -w, P);
    iso_spread(4, P, turned, f);
    bar_gradient((sp_law)g->law, p, &at, w, P);
    iso_spread(4, P, turned, slope);
    patch_collect(g, b, slope);
}

// y NULL: only the energy
static double SP_NAME(patch_state)(const sp_iso *g, int chunk, const double *u, double *y) {
    sp_lane energy = lane_all(0), d[9], f[9];
    size_t begin = (size_t)g->block_start[chunk], end = (size_t)g->block_start[chunk + 1];
    for (size_t b = begin; b < end; b++) {
        iso_edges(4, u, g->local + 16 * b, d);
        SP_NAME(patch_measure)(g, b, d, y != NULL, &energy);
    }
    double bulk = sp__patches_means(g, chunk, y != NULL);
    for (size_t b = begin; (y || g->kept || g->families) && b < end; b++) {
        if (y) SP_NAME(patch_respond)(g, b, f, &energy);
        iso_edges(4, u, g->local + 16 * b, d);
        if (g->families) SP_NAME(fibre_state)(g, b, d, y ? f : NULL, &energy);
        if (g->kept) energy += relax_element(g, b, d, y ? f : NULL, 4);
        if (y) iso_add(4, f, g->local + 16 * b, y);
    }
    return lane_sum(energy) + bulk;
}

// ------------------------------------------------------------------------------------------------ states and sums

// bar: 8-node hexahedra with mean dilatation
SP_POINTWISE double iso_state_loop(const sp_iso *g, int chunk, const double *u, double *y, int nodes, bool bar) {
    sp_lane energy = lane_all(0);
    for (size_t b = (size_t)g->block_start[chunk]; b < (size_t)g->block_start[chunk + 1]; b++) {
        const uint16_t *id = g->local + 4 * (size_t)nodes * b;
        sp_lane d[3 * SP_ISO_NODES_MAX], f[3 * SP_ISO_NODES_MAX];
        const sp_lane *p = iso_lanes(g->param + 4 * SP_LAW_PARAMS * b);
        iso_edges(nodes, u, id, d);
        for (int k = 0; k < 3 * nodes - 3; k++) f[k] = lane_all(0);
        if (bar) SP_NAME(bar_state)(g, b, d, y ? f : NULL, &energy);
        if (g->families) SP_NAME(fibre_state)(g, b, d, y ? f : NULL, &energy);
        for (size_t q = (size_t)g->points * b; !bar && q < (size_t)g->points * (b + 1); q++)
            energy += iso_point(g, q, p, d, y ? f : NULL, nodes);
        if (g->kept) energy += relax_element(g, b, d, y ? f : NULL, nodes);
        if (y) iso_add(nodes, f, id, y);
    }
    return lane_sum(energy);
}

static double SP_NAME(dense_states)(const sp_iso *g, int chunk, const double *u, double *y) {
    sp_lane energy = lane_all(0);
    for (size_t b = (size_t)g->block_start[chunk]; b < (size_t)g->block_start[chunk + 1]; b++) {
        const uint16_t *id = g->local + 4 * (size_t)g->nodes * b;
        sp_lane d[3 * SP_ISO_NODES_MAX], f[3 * SP_ISO_NODES_MAX];
        iso_edges(g->nodes, u, id, d);
        for (int k = 0; k < 3 * g->nodes - 3; k++) f[k] = lane_all(0);
        SP_NAME(dense_state)(g, b, d, y ? f : NULL, &energy);
        if (g->kept) energy += relax_element(g, b, d, y ? f : NULL, g->nodes);
        if (y) iso_add(g->nodes, f, id, y);
    }
    return lane_sum(energy);
}

static double SP_NAME(iso_state)(const sp_iso *g, int chunk, const double *u, double *y) {
    if (g->patches) return SP_NAME(patch_state)(g, chunk, u, y);
    if (g->dense) return SP_NAME(dense_states)(g, chunk, u, y);
    if (g->tensor) return SP_NAME(tensor_states)(g, chunk, u, y);
    if (g->nodes == MEMBRANE_NODES) return iso_state_loop(g, chunk, u, y, MEMBRANE_NODES, false);
    if (g->nodes == 4) return iso_state_loop(g, chunk, u, y, 4, false);
    if (g->nodes == 10) return iso_state_loop(g, chunk, u, y, 10, false);
    return g->bar ? iso_state_loop(g, chunk, u, y, 8, true) : iso_state_loop(g, chunk, u, y, 8, false);
}

// energy and volume of a membrane, which is never inverted
static void SP_NAME(membrane_sums)(const sp_iso *g, int chunk, const double *u, double out[3]) {
    enum { SLOPES = 3 * (MEMBRANE_NODES - 1) };
    sp_lane energy = lane_all(0), volume = lane_all(0);
    for (size_t b = (size_t)g->block_start[chunk]; b < (size_t)g->block_start[chunk + 1]; b++) {
        const sp_lane *slope = iso_lanes(g->slope + 4 * SLOPES * b), *p = iso_lanes(g->param + 4 * SP_LAW_PARAMS * b);
        sp_lane d[SLOPES], H[9], t[3], w = lane_load(g->weight + 4 * b);
        iso_response r;
        iso_edges(MEMBRANE_NODES, u, g->local + 4 * MEMBRANE_NODES * b, d);
        iso_gradient(MEMBRANE_NODES, d, slope, H);
        SP_NAME(membrane_at)(g->law, false, p, slope, H, t, &r);
        energy += iso_weighted(w, r.law.energy), volume += w * membrane_jacobian(t);
    }
    out[0] = lane_sum(energy), out[1] = lane_sum(volume), out[2] = 0;
}

static void SP_NAME(iso_sums)(const sp_iso *g, int chunk, const double *u, double out[3]) {
    if (g->nodes == MEMBRANE_NODES) {
        SP_NAME(membrane_sums)(g, chunk, u, out);
        return;
    }
    sp_lane energy = lane_all(0), volume = lane_all(0), inverted = lane_all(0), one = lane_all(1), zero = lane_all(0);
    for (size_t b = (size_t)g->block_start[chunk]; b < (size_t)g->block_start[chunk + 1]; b++) {
        sp_lane d[3 * SP_ISO_NODES_MAX], slope[3 * SP_ISO_NODES_MAX], p[SP_LAW_PARAMS], H[9], bad = zero;
        size_t edges = (size_t)g->nodes - 1;
        iso_edges(g->nodes, u, g->local + 4 * (size_t)g->nodes * b, d);
        load_lanes(g->param + 4 * SP_LAW_PARAMS * b, SP_LAW_PARAMS, p);
        if (g->dense)
            SP_NAME(dense_state)(g, b, d, NULL, &energy);
        else if (g->bar)
            SP_NAME(bar_state)(g, b, d, NULL, &energy);
        if (g->families) SP_NAME(fibre_state)(g, b, d, NULL, &energy);
        for (size_t q = (size_t)g->points * b; q < (size_t)g->points * (b + 1); q++) {
            sp_lane w = lane_load(g->weight + 4 * q), psi;
            load_lanes(g->slope + 12 * edges * q, 3 * (int)edges, slope);
            iso_gradient(g->nodes, d, slope, H);
            iso_elastic(g, q, H);
            if (!g->bar && !g->dense && !g->patches) {
                SP_NAME(iso_energy_at)(g->law, p, H, &psi);
                energy += iso_weighted(w, psi);
            }
            sp_lane J = iso_jacobian(H);
            volume += w * J;
            bad = SP_SELECT((J <= 0.0) & (w > 0.0), one, bad);
        }
        inverted += bad;
    }
    out[0] = lane_sum(energy), out[1] = lane_sum(volume), out[2] = lane_sum(inverted);
    if (g->patches) out[0] = SP_NAME(patch_state)(g, chunk, u, NULL);
}

// ------------------------------------------------------------------------------------------------ the system

// more: terms of relaxation and fibres, whose functions keep d and f in memory
SP_POINTWISE void iso_product_loop(const sp_iso *g, int chunk, const double *x, double *y, int nodes, int points, bool bar,
                                   bool more) {
    size_t edges = (size_t)nodes - 1;
    for (size_t b = (size_t)g->block_start[chunk]; b < (size_t)g->block_start[chunk + 1]; b++) {
        const uint16_t *id = g->local + 4 * (size_t)nodes * b;
        sp_lane d[3 * SP_ISO_NODES_MAX], f[3 * SP_ISO_NODES_MAX];
        iso_edges(nodes, x, id, d);
        for (int k = 0; k < 3 * nodes - 3; k++) f[k] = lane_all(0);
        for (size_t q = (size_t)points * b; q < (size_t)points * (b + 1); q++) {
            const sp_lane *turned = iso_lanes(g->turned + 12 * edges * q), *T = iso_lanes(g->tangent + 4 * SP_ISO_TANGENT * q);
            if (nodes == 4)
                iso_product4(T, turned, d, f);
            else
                iso_product(nodes, T, turned, d, f);
        }
        if (bar) bar_product(iso_lanes(g->bar + 4 * BAR_NUMBERS * b), d, f);
        for (size_t q = (size_t)points * b; more && sp__iso_kept_tangent(g) && q < (size_t)points * (b + 1); q++)
            relax_product(nodes, iso_lanes(g->kept + 24 * q), lane_load(g->weight + 4 * q), iso_lanes(g->slope + 12 * edges * q),
                          d, f);
        if (more && g->families) SP_NAME(fibre_product)(g, b, d, f);
        iso_add(nodes, f, id, y);
    }
}

static void SP_NAME(iso_product)(const sp_iso *g, int chunk, const double *x, double *y) {
    const bool more = sp__iso_kept_tangent(g) || g->families;
    if (g->dense)
        SP_NAME(dense_product)(g, chunk, x, y);
    else if (g->tensor)
        SP_NAME(tensor_products)(g, chunk, x, y);
    else if (g->nodes == 4 && !more)
        iso_product_loop(g, chunk, x, y, 4, 1, false, false);
    else if (g->nodes == 4)
        iso_product_loop(g, chunk, x, y, 4, 1, false, true);
    else if (g->nodes == MEMBRANE_NODES && !more)
        iso_product_loop(g, chunk, x, y, MEMBRANE_NODES, 1, false, false);
    else if (g->nodes == MEMBRANE_NODES)
        iso_product_loop(g, chunk, x, y, MEMBRANE_NODES, 1, false, true);
    else if (g->nodes == 10)
        iso_product_loop(g, chunk, x, y, 10, g->points, false, true);
    else if (!g->bar)
        iso_product_loop(g, chunk, x, y, 8, 8, false, true);
    else
        iso_product_loop(g, chunk, x, y, 8, 8, true, true);
    if (g->patches) sp__patches_product(g, chunk, x, y);
}

SP_POINTWISE void iso_assemble_loop(const sp_iso *g, const sp_stencil *where, double factor, double *blocks, int nodes,
                                    int points, bool bar) {
    size_t pairs = (size_t)nodes * ((size_t)nodes + 1) / 2, edges = (size_t)nodes - 1;
    for (int s = 0; s < where->count; s++) {
        const int *at = where->at + 4 * pairs * (size_t)s;
        size_t first = (size_t)points * (size_t)where->block[s];
        sp_lane all[8][3 * SP_ISO_NODES_MAX], T[8][SP_ISO_TANGENT], mean[3 * SP_ISO_NODES_MAX], stiff = lane_all(0);
        for (int q = 0; q < points; q++) {
            iso_slopes(nodes, g->turned + 12 * edges * (first + (size_t)q), all[q]);
            load_lanes(g->tangent + 4 * SP_ISO_TANGENT * (first + (size_t)q), SP_ISO_TANGENT, T[q]);
            for (int k = 9; k < SP_ISO_TANGENT; k++) T[q][k] *= factor;
        }
        if (bar) {
            const double *from = g->bar + 4 * BAR_NUMBERS * (size_t)where->block[s];
            iso_slopes(nodes, from, mean);
            stiff = factor * lane_load(from + 4 * BAR_SLOPES);
        }
        fibre_parts fibres;
        if (g->families) SP_NAME(fibre_gather)(g, (size_t)where->block[s], factor, &fibres);
        for (int k = 0, a = 0, b = 0; k < (int)pairs; k++, at += 4) {
            sp_lane K[9] = {{0}};
            for (int q = 0; q < points; q++) iso_block(T[q], all[q] + 3 * a, all[q] + 3 * b, K);
            if (bar) bar_block(stiff, mean + 3 * a, mean + 3 * b, K);
            if (sp__iso_kept_tangent(g)) relax_pair(g, first, a, b, factor, K);
            if (g->families) fibre_blocks(&fibres, points * g->families, a, b, K);
            iso_flip(at, K);
            add_block(K, at, blocks, false);
            // the next pair in the order of sp__pairs
            if (k < nodes - 1)
                a = b = k + 1;
            else if (k == nodes - 1)
                a = 0, b = 1;
            else if (++b == nodes)
                a++, b = a + 1;
        }
    }
}

static void SP_NAME(iso_assemble)(const sp_iso *g, const sp_stencil *where, double factor, double *blocks) {
    if (g->dense)
        SP_NAME(dense_assemble)(g, where, factor, blocks);
    else if (g->tensor)
        SP_NAME(tensor_assemble)(g, where, factor, blocks);
    else if (g->nodes == 4)
        iso_assemble_loop(g, where, factor, blocks, 4, 1, false);
    else if (g->nodes == MEMBRANE_NODES)
        iso_assemble_loop(g, where, factor, blocks, MEMBRANE_NODES, 1, false);
    else if (g->nodes == 10)
        iso_assemble_loop(g, where, factor, blocks, 10, g->points, false);
    else if (!g->bar)
        iso_assemble_loop(g, where, factor, blocks, 8, 8, false);
    else
        iso_assemble_loop(g, where, factor, blocks, 8, 8, true);
}

static void SP_NAME(iso_rotations)(const sp_iso *g, int block, const double *rest, double *R) {
    size_t nodes = (size_t)g->nodes, edges = nodes - 1, first = (size_t)g->points * (size_t)block;
    const int *node = g->node + 4 * nodes * (size_t)block;
    sp_lane X[3 * SP_ISO_NODES_MAX], turned[3 * SP_ISO_NODES_MAX], Vt[9], U[9], mean[9], total = lane_all(0), one = lane_all(1);
    for (size_t i = 0; i < 3 * edges; i++)
        X[i] = load_coordinate(rest, node + 4 * (i / 3 + 1), i % 3) - load_coordinate(rest, node, i % 3);
    for (int k = 0; k < 9; k++) mean[k] = lane_all(0);
    for (size_t q = first; q < first + (size_t)g->points; q++) total += lane_load(g->weight + 4 * q);
    total = SP_SELECT(total > 0.0, total, one);
    for (size_t q = first; q < first + (size_t)g->points; q++) {
        load_lanes(g->turned + 12 * edges * q, 3 * (int)edges, turned);
        load_lanes(g->tangent + 4 * sp__iso_tangent(g) * q, 9, U);
        if (g->dense || g->tensor) rotation_nearest(U, U);
        iso_gradient(g->nodes, turned, X, Vt);
        sp_lane w = lane_load(g->weight + 4 * q) / total;
        for (int k = 0; k < 9; k++)
            mean[k] += w * (U[k - k % 3] * Vt[k % 3] + U[k - k % 3 + 1] * Vt[3 + k % 3] + U[k - k % 3 + 2] * Vt[6 + k % 3]);
    }
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < SP_LANES; l++) R[9 * l + k] = mean[k][l];
}
