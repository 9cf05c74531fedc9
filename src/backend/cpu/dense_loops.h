// Laws with directions, four elements at a time; included by iso_loops.h: fibres of isotropic laws (kernels/fibre.h), and laws in
// the Green-Lagrange strain (kernels/lagrange.h).
#include "kernels/costa.h"
#include "kernels/fibre.h"

// ------------------------------------------------------------------------------------------------ fibres

SP_POINTWISE const sp_lane *fibre_directions(const sp_iso *g, size_t b) {
    return iso_lanes(g->fibre + 12 * (size_t)g->directions * b);
}

SP_POINTWISE sp_lane *fibre_at(const sp_iso *g, size_t q, size_t k) {
    return iso_lanes(g->fibre_state + 4 * SP_FIBRE_STATE * ((size_t)g->families * q + k));
}

// adds the energy of the fibres of structure b; f: forces of nodes 1.., with the state of the fibres; NULL: only the energy
__attribute__((noinline)) static void SP_NAME(fibre_state)(const sp_iso *g, size_t b, const sp_lane *d, sp_lane *f,
                                                           sp_lane *energy) {
    size_t edges = (size_t)g->nodes - 1, families = (size_t)g->families;
    const sp_lane *p = iso_lanes(g->fibre_param + 4 * SP_FIBRE_PARAMS * families * b), *along = fibre_directions(g, b);
    for (size_t q = (size_t)g->points * b; q < (size_t)g->points * (b + 1); q++) {
        const sp_lane *slope = iso_lanes(g->slope + 12 * edges * q), w = lane_load(g->weight + 4 * q);
        sp_lane H[9], v[3];
        iso_gradient(g->nodes, d, slope, H);
        iso_elastic(g, q, H);
        for (size_t k = 0; k < families; k++) {
            fibre_response r;
            fibre_respond(g->definite, p + SP_FIBRE_PARAMS * k, along + 3 * k, H, &r);
            *energy += iso_weighted(w, r.energy);
            if (!f) continue;
            sp_lane *state = fibre_at(g, q, k);
            for (int i = 0; i < 3; i++) state[i] = r.stretched[i], v[i] = -w * r.stress * r.stretched[i];
            state[3] = w * r.first, state[4] = w * r.second;
            fibre_spread(g->nodes, along + 3 * k, slope, v, f);
        }
    }
}

__attribute__((noinline)) static void SP_NAME(fibre_product)(const sp_iso *g, size_t b, const sp_lane *d, sp_lane *f) {
    size_t edges = (size_t)g->nodes - 1;
    const sp_lane *along = fibre_directions(g, b);
    for (size_t q = (size_t)g->points * b; q < (size_t)g->points * (b + 1); q++)
        for (size_t k = 0; k < (size_t)g->families; k++)
            fibre_product(g->nodes, fibre_at(g, q, k), along + 3 * k, iso_lanes(g->slope + 12 * edges * q), d, f);
}

// f . g_a of all nodes of an element, node 0 first, at its points and families, and the states of these with moduli times factor
typedef struct fibre_parts {
    sp_lane along[8 * SP_ISO_FAMILIES_MAX][SP_ISO_NODES_MAX], state[8 * SP_ISO_FAMILIES_MAX][SP_FIBRE_STATE];
} fibre_parts;

__attribute__((noinline)) static void SP_NAME(fibre_gather)(const sp_iso *g, size_t b, double factor, fibre_parts *out) {
    size_t edges = (size_t)g->nodes - 1, families = (size_t)g->families;
    const sp_lane *f = fibre_directions(g, b);
    for (size_t i = 0; i < (size_t)g->points * families; i++) {
        size_t q = (size_t)g->points * b + i / families, k = i % families;
        const sp_lane *slope = iso_lanes(g->slope + 12 * edges * q), *state = fibre_at(g, q, k);
        sp_lane *c = out->along[i];
        c[0] = lane_all(0);
        for (size_t a = 1; a <= edges; a++) c[a] = lane_dot(f + 3 * k, slope + 3 * (a - 1)), c[0] -= c[a];
        for (int j = 0; j < SP_FIBRE_STATE; j++) out->state[i][j] = j < 3 ? state[j] : factor * state[j];
    }
}

// inlined: gcc 12 with -O3 drops calls of it
SP_POINTWISE void fibre_blocks(const fibre_parts *parts, int count, int a, int b, sp_lane *K) {
    for (int i = 0; i < count; i++) fibre_block(parts->state[i], parts->along[i][a] * parts->along[i][b], K);
}

// ------------------------------------------------------------------------------------------------ dense tangents

__attribute__((noinline)) static void SP_NAME(costa_at)(bool definite, const sp_lane *p, const sp_lane *fibre, const sp_lane *H,
                                                        const sp_lane *U, costa_response *out) {
    costa_respond(definite, p, fibre, H, U, out);
}

__attribute__((noinline)) static void SP_NAME(costa_energy_at)(const sp_lane *p, const sp_lane *fibre, const sp_lane *H,
                                                               const sp_lane *U, sp_lane *energy) {
    *energy = costa_energy(p, fibre, H, U);
}

// gradients in the axes of the material, tangent and forces of point q; its part of the vector q of kernels/bar.h is added to
// `mean` if it is not NULL
SP_POINTWISE void dense_store(const sp_iso *g, size_t b, size_t q, const costa_response *r, sp_lane *f, sp_lane *mean) {
    size_t edges = (size_t)g->nodes - 1;
    sp_lane axes[9], P[9], w = lane_load(g->weight + 4 * q);
    const sp_lane *slope = iso_lanes(g->slope + 12 * edges * q);
    sp_lane *turned = iso_lanes(g->turned + 12 * edges * q), *T = iso_lanes(g->tangent + 4 * SP_ISO_TANGENT_DENSE * q);
    costa_axes(fibre_directions(g, b), axes);
    for (size_t a = 0; a < 3 * edges; a += 3)
        for (size_t i = 0; i < 3; i++) turned[a + i] = lane_dot(axes + 3 * i, slope + a);
    for (int k = 0; k < 9; k++) T[k] = r->F[k], P[k] = -w * r->P[k];
    lagrange_tangent(r->F, r->S, r->D, w, T + 9);
    iso_spread(g->nodes, P, turned, f);
    for (int k = 0; k < 9; k++) P[k] = w * r->cof[k];
    if (mean) iso_spread(g->nodes, P, turned, mean);
}

// U at the mean of J - 1 of structure b; returns the volumes, 0 in padding
SP_POINTWISE sp_lane dense_mean(const sp_iso *g, size_t b, const sp_lane *p, const sp_lane *d, sp_lane *U) {
    sp_lane H[9], sum = lane_all(0), volume = lane_all(0);
    for (size_t q = BAR_POINTS * b; q < BAR_POINTS * (b + 1); q++) {
        sp_lane w = lane_load(g->weight + 4 * q);
        iso_gradient(BAR_NODES, d, iso_lanes(g->slope + 4 * BAR_SLOPES * q), H);
        iso_elastic(g, q, H);
        sum += w * costa_measure(H), volume += w;
    }
    volume_costa(p[SP_LAW_BULK], sum / SP_SELECT(volume > 0.0, volume, lane_all(1)), U);
    return volume;
}

// adds the energy of structure b; stress and tangent with f: forces of nodes 1..; NULL: only the energy
__attribute__((noinline)) static void SP_NAME(dense_state)(const sp_iso *g, size_t b, const sp_lane *d, sp_lane *f,
                                                           sp_lane *energy) {
    const sp_lane *p = iso_lanes(g->param + 4 * SP_LAW_PARAMS * b), *fibre = fibre_directions(g, b), zero = lane_all(0);
    sp_lane U[3] = {zero, zero, zero}, volume = zero, *mean = g->bar ? iso_lanes(g->bar + 4 * BAR_NUMBERS * b) : NULL;
    if (mean) volume = dense_mean(g, b, p, d, U), *energy += volume * U[0];
    const sp_lane of_mean[3] = {zero, U[1], zero}, *volumetric = mean ? of_mean : NULL;
    for (int k = 0; mean && f && k < BAR_SLOPES; k++) mean[k] = zero;
    for (size_t q = (size_t)g->points * b; q < (size_t)g->points * (b + 1); q++) {
        sp_lane H[9], psi;
        iso_gradient(g->nodes, d, iso_lanes(g->slope + 12 * ((size_t)g->nodes - 1) * q), H);
        iso_elastic(g, q, H);
        if (f) {
            costa_response r;
            SP_NAME(costa_at)(g->definite, p, fibre, H, volumetric, &r);
            dense_store(g, b, q, &r, f, mean);
            psi = r.energy;
        } else {
            SP_NAME(costa_energy_at)(p, fibre, H, volumetric, &psi);
        }
        *energy += iso_weighted(lane_load(g->weight + 4 * q), psi);
    }
    // U'' = k / J is positive
    if (mean && f) mean[BAR_SLOPES] = U[2] / SP_SELECT(volume > 0.0, volume, lane_all(1));
}

SP_POINTWISE void dense_product_loop(const sp_iso *g, int chunk, const double *x, double *y, int nodes, int points, bool bar) {
    for (size_t b = (size_t)g->block_start[chunk]; b < (size_t)g->block_start[chunk + 1]; b++) {
        const uint16_t *id = g->local + 4 * (size_t)nodes * b;
        sp_lane d[3 * SP_ISO_NODES_MAX], f[3 * SP_ISO_NODES_MAX];
        iso_edges(nodes, x, id, d);
        for (int k = 0; k < 3 * nodes - 3; k++) f[k] = lane_all(0);
        for (size_t q = (size_t)points * b; q < (size_t)points * (b + 1); q++)
            lagrange_product(nodes, iso_lanes(g->tangent + 4 * (SP_ISO_TANGENT_DENSE * q + 9)),
                             iso_lanes(g->turned + 12 * ((size_t)nodes - 1) * q), d, f);
        if (bar) bar_product(iso_lanes(g->bar + 4 * BAR_NUMBERS * b), d, f);
        for (size_t q = (size_t)points * b; sp__iso_kept_tangent(g) && q < (size_t)points * (b + 1); q++)
            relax_product(nodes, iso_lanes(g->kept + 24 * q), lane_load(g->weight + 4 * q),
                          iso_lanes(g->slope + 12 * ((size_t)nodes - 1) * q), d, f);
        iso_add(nodes, f, id, y);
    }
}

static void SP_NAME(dense_product)(const sp_iso *g, int chunk, const double *x, double *y) {
    if (g->nodes == 4)
        dense_product_loop(g, chunk, x, y, 4, 1, false);
    else if (g->nodes == 10)
        dense_product_loop(g, chunk, x, y, 10, g->points, false);
    else if (!g->bar)
        dense_product_loop(g, chunk, x, y, 8, 8, false);
    else
        dense_product_loop(g, chunk, x, y, 8, 8, true);
}

static void SP_NAME(dense_assemble)(const sp_iso *g, const sp_stencil *where, double factor, double *blocks) {
    int nodes = g->nodes, pairs = nodes * (nodes + 1) / 2;
    size_t edges = (size_t)nodes - 1, points = (size_t)g->points;
    for (int s = 0; s < where->count; s++) {
        const int *at = where->at + 4 * (size_t)pairs * (size_t)s;
        size_t first = points * (size_t)where->block[s];
        sp_lane all[8][3 * SP_ISO_NODES_MAX], mean[3 * SP_ISO_NODES_MAX], stiff = lane_all(0);
        for (size_t q = 0; q < points; q++) iso_slopes(nodes, g->turned + 12 * edges * (first + q), all[q]);
        if (g->bar) {
            const double *from = g->bar + 4 * BAR_NUMBERS * (size_t)where->block[s];
            iso_slopes(nodes, from, mean);
            stiff = lane_load(from + 4 * BAR_SLOPES);
        }
        for (int k = 0; k < pairs; k++, at += 4) {
            sp_lane K[9] = {{0}};
            int a, b;
            sp__pairs(nodes, k, &a, &b);
            for (size_t q = 0; q < points; q++)
                lagrange_block(iso_lanes(g->tangent + 4 * (SP_ISO_TANGENT_DENSE * (first + q) + 9)), all[q] + 3 * a,
                               all[q] + 3 * b, K);
            if (g->bar) bar_block(stiff, mean + 3 * a, mean + 3 * b, K);
            if (sp__iso_kept_tangent(g)) relax_pair(g, first, a, b, 1, K);
            for (int i = 0; i < 9; i++) K[i] *= factor;
            iso_flip(at, K);
            add_block(K, at, blocks, false);
        }
    }
}
