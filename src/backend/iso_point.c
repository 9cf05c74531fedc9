// Node pairs of elements, the state of one integration point for fields, and the mean dilatation of patches.
#define SP_LANES 1
#include "backend/backend.h"
#include "kernels/bar.h"
#include "kernels/costa.h"
#include "kernels/fibre.h"
#include "kernels/membrane.h"
#include "kernels/relax.h"
#include "math/vec3.h"

void sp__pairs(int nodes, int k, int *a, int *b) {
    *a = *b = k;
    if (k < nodes) return;
    k -= nodes;
    for (*a = 0; k >= nodes - 1 - *a; (*a)++) k -= nodes - 1 - *a;
    *b = *a + 1 + k;
}

// Cauchy stress U diag(psi_i s_i / J) U^T, with psi_i / (s_j s_k) where s_i vanishes
static void point_cauchy(const iso_response *r, const double *t, double *cauchy) {
    double s[3];
    for (int i = 0; i < 3; i++) s[i] = r->law.first[i] / ((1 + t[(i + 1) % 3]) * (1 + t[(i + 2) % 3]));
    for (int k = 0; k < 6; k++) {
        const double *a = r->U + 3 * (k < 3 ? k : sp__axis_a[k - 3]), *b = r->U + 3 * (k < 3 ? k : sp__axis_b[k - 3]);
        cauchy[k] = s[0] * a[0] * b[0] + s[1] * a[1] * b[1] + s[2] * a[2] * b[2];
    }
}

// U S U^T of a stress S, xx yy zz xy yz zx
static void point_turn(const double *U, const double *S, double *out) {
    double P[9];
    lane_mul_sym(U, S, P);
    for (int k = 0; k < 6; k++) {
        const double *a = P + 3 * (k < 3 ? k : sp__axis_a[k - 3]), *b = U + 3 * (k < 3 ? k : sp__axis_b[k - 3]);
        out[k] = lane_dot(a, b);
    }
}

// H of the elastic part of the deformation at a point of the element in a slot; d: displacements of nodes 1.. less that of node 0
static void point_gradient(const sp_iso *g, int slot, int point, const double *d, double *H) {
    size_t lanes = (size_t)g->lanes, block = (size_t)slot / lanes, edges = (size_t)g->nodes - 1;
    const double *from = g->slope + (block * (size_t)g->points + (size_t)point) * 3 * edges * lanes + (size_t)slot % lanes;
    double slope[3 * SP_ISO_NODES_MAX];
    for (size_t i = 0; i < 3 * edges; i++) slope[i] = from[i * lanes];
    iso_gradient(g->nodes, d, slope, H);
    for (size_t k = 0; g->offset && k < 9; k++) H[k] += g->offset[(block * 9 + k) * lanes + (size_t)slot % lanes];
}

// The whole deformation F = Fe Fa from its elastic part: (H - offset) Fa, with offset = Fa^-1 - I. Returns det Fa
static double point_whole(const sp_iso *g, int slot, double *H) {
    size_t lanes = (size_t)g->lanes, block = (size_t)slot / lanes;
    double from[9], inverse[9], Fa[9];
    for (size_t k = 0; k < 9; k++) {
        double offset = g->offset[(block * 9 + k) * lanes + (size_t)slot % lanes];
        from[k] = H[k] - offset, inverse[k] = (k % 4 == 0) + offset;
    }
    sp__inverse3(inverse, Fa);
    sp__mul33(from, Fa, H);
    return sp__det3(Fa);
}

// response of a point of an element with mean dilatation; the energy is that of the point and of the mean
static void point_respond_bar(const sp_iso *g, int slot, int point, const double *d, const double *p, iso_response *r) {
    size_t lanes = (size_t)g->lanes, block = (size_t)slot / lanes, lane = (size_t)slot % lanes;
    double volume = 0, sum = 0, rest[SP_LAW_PARAMS], bulk[3], H[9];
    bar_point at;
    for (int q = 0; q < g->points; q++) {
        double w = g->weight[(block * (size_t)g->points + (size_t)q) * lanes + lane];
        point_gradient(g, slot, q, d, H);
        sum += w * bar_decompose((sp_law)g->law, p, H, &at);
        volume += w;
    }
    bar_bulk((sp_law)g->law, p, sum / volume, bulk);
    bar_rest((sp_law)g->law, p, rest);
    point_gradient(g, slot, point, d, H);
    bar_decompose((sp_law)g->law, p, H, &at);
    bar_respond((sp_law)g->law, 0, rest, bulk[1], &at, r);
    r->law.energy += bulk[0];
}

// numbers of the lane of a slot in an array of `per` numbers per element
static void point_lane(const sp_iso *g, int slot, const double *from, size_t per, double *out) {
    size_t lanes = (size_t)g->lanes, block = (size_t)slot / lanes, lane = (size_t)slot % lanes;
    for (size_t i = 0; i < per; i++) out[i] = from[(block * per + i) * lanes + lane];
}

// a matrix in the axes of fibre, sheet and normal, in world axes, or back
static void turn_axes(const sp_iso *g, int slot, bool back, const double in[6], double out[6]) {
    double fibre[6], axes[9], A[9];
    point_lane(g, slot, g->fibre, 6, fibre);
    costa_axes(fibre, axes);
    for (int i = 0; i < 9; i++) A[i] = back ? axes[i] : axes[3 * (i % 3) + i / 3];
    point_turn(A, in, out);
}

// of costa all but k (J ln J - J + 1); in a flat element as at rest
static void dense_rest_stress(const sp_iso *g, int slot, int point, const double *d, const double *p, double S[6]) {
    static const double no_volume[3] = {0};
    double fibre[6], H[9];
    costa_response r;
    point_lane(g, slot, g->fibre, 6, fibre);
    point_gradient(g, slot, point, d, H);
    costa_respond(0, p, fibre, H, no_volume, &r);
    turn_axes(g, slot, false, r.S, S);
}

double sp__iso_dense_compliance(const sp_iso *g, int slot, const double Q[6], const double param[SP_LAW_PARAMS]) {
    double own[6], sum = 0;
    turn_axes(g, slot, true, Q, own);
    for (int k = 0; k < 6; k++) {
        double modulus = param[0] * param[sp__costa_b[k]];
        if (modulus > 0) sum += (k < 3 ? 0.5 : 1) * own[k] * own[k] / modulus;
    }
    return sum;
}

void sp__iso_rest_stress(const sp_iso *g, int slot, int point, const double *u, double S[6]) {
    size_t lanes = (size_t)g->lanes, block = (size_t)slot / lanes, lane = (size_t)slot % lanes;
    double d[3 * SP_ISO_NODES_MAX], p[SP_LAW_PARAMS], rest[SP_LAW_PARAMS], H[9], t[3], U[9], V[9];
    iso_response r;
    for (int i = 0; i < 3 * g->nodes - 3; i++) d[i] = u[3 + i] - u[i % 3];
    for (size_t i = 0; i < SP_LAW_PARAMS; i++) p[i] = g->param[(block * SP_LAW_PARAMS + i) * lanes + lane];
    if (g->dense) {
        dense_rest_stress(g, slot, point, d, p, S);
        return;
    }
    bar_rest((sp_law)g->law, p, rest);
    point_gradient(g, slot, point, d, H);
    if (g->law == SP_LAW_LINEAR) {
        iso_linear(rest, H, &r);
        memcpy(S, r.stress, 6 * sizeof *S);
        return;
    }
    spectral(H, U, V, t);
    law_evaluate((sp_law)g->law, rest, t, &r.law);
    for (int i = 0; i < 3; i++) {
        // a flat element: the stretch does not fall below a tenth
        double s = 1 + t[i];
        r.law.first[i] /= fabs(s) < 0.1 ? copysign(0.1, s) : s;
    }
    for (int k = 0; k < 6; k++) {
        const double *a = V + 3 * (k < 3 ? k : sp__axis_a[k - 3]), *b = V + 3 * (k < 3 ? k : sp__axis_b[k - 3]);
        S[k] = r.law.first[0] * a[0] * b[0] + r.law.first[1] * a[1] * b[1] + r.law.first[2] * a[2] * b[2];
    }
}

void sp__iso_add_stress(const sp_iso *g, int slot, int point, const double *u, const double S[6], double cauchy[6]) {
    double d[3 * SP_ISO_NODES_MAX], H[9], P[9], F[9];
    for (int i = 0; i < 3 * g->nodes - 3; i++) d[i] = u[3 + i] - u[i % 3];
    point_gradient(g, slot, point, d, H);
    relax_stress((sp_law)g->law, S, 1, H, P);
    for (int k = 0; k < 9; k++) F[k] = (g->law == SP_LAW_LINEAR ? 0 : H[k]) + (k % 4 ? 0 : 1);
    double J = g->law == SP_LAW_LINEAR ? 1 : iso_jacobian(H);
    for (int k = 0; k < 6; k++)
        cauchy[k] += lane_dot(P + 3 * (k < 3 ? k : sp__axis_a[k - 3]), F + 3 * (k < 3 ? k : sp__axis_b[k - 3])) / J;
}

// U at the mean of J - 1 of an element
static void point_dense_mean(const sp_iso *g, int slot, const double *d, const double *p, double *U) {
    size_t lanes = (size_t)g->lanes, block = (size_t)slot / lanes, lane = (size_t)slot % lanes;
    double volume = 0, sum = 0, H[9];
    for (int q = 0; q < g->points; q++) {
        double w = g->weight[(block * (size_t)g->points + (size_t)q) * lanes + lane];
        point_gradient(g, slot, q, d, H);
        sum += w * costa_measure(H), volume += w;
    }
    volume_costa(p[SP_LAW_BULK], sum / volume, U);
}

// energy and Cauchy stress F S F^T / J
static void point_dense(const sp_iso *g, int slot, const double *d, const double *p, const double *H, sp_iso_value *out) {
    double fibre[6], U[3] = {0}, J = 1 + costa_measure(H);
    costa_response r;
    point_lane(g, slot, g->fibre, 6, fibre);
    if (g->bar) point_dense_mean(g, slot, d, p, U);
    costa_respond(0, p, fibre, H, g->bar ? (const double[3]){0, U[1], 0} : NULL, &r);
    out->energy = r.energy + U[0];
    for (int k = 0; k < 6; k++) {
        int a = 3 * (k < 3 ? k : sp__axis_a[k - 3]), b = 3 * (k < 3 ? k : sp__axis_b[k - 3]);
        out->cauchy[k] = lane_dot(r.P + a, r.F + b) / J;
    }
}

// adds the energy of the fibres and their Cauchy stress, 2 psi' (F f) (F f)^T / J
static void point_fibres(const sp_iso *g, int slot, const double *H, sp_iso_value *out) {
    double fibre[3 * SP_ISO_FAMILIES_MAX], param[SP_FIBRE_PARAMS * SP_ISO_FAMILIES_MAX];
    if (!g->families) return;
    point_lane(g, slot, g->fibre, 3 * (size_t)g->directions, fibre);
    point_lane(g, slot, g->fibre_param, SP_FIBRE_PARAMS * (size_t)g->families, param);
    for (int m = 0; m < g->families; m++) {
        fibre_response r;
        fibre_respond(0, param + SP_FIBRE_PARAMS * m, fibre + 3 * m, H, &r);
        out->energy += r.energy;
        for (int k = 0; k < 6; k++) {
            int a = k < 3 ? k : sp__axis_a[k - 3], b = k < 3 ? k : sp__axis_b[k - 3];
            out->cauchy[k] += r.stress * r.stretched[a] * r.stretched[b] / out->jacobian;
        }
    }
}

// stretch of the first direction
static double point_stretch(const sp_iso *g, int slot, const double *H) {
    double fibre[3 * SP_ISO_FAMILIES_MAX], y[3];
    if (!g->directions) return 1;
    point_lane(g, slot, g->fibre, 3 * (size_t)g->directions, fibre);
    for (int i = 0; i < 3; i++) y[i] = fibre[i] + lane_dot(H + 3 * i, fibre);
    return lane_dot(fibre, fibre) > 0 ? sqrt(lane_dot(y, y)) : 1;
}

// energy and Cauchy stress of a point with gradient H from its response
static void point_stress(const sp_iso *g, const double *H, iso_response *r, sp_iso_value *out) {
    double t[3];
    out->energy = r->law.energy;
    if (g->law == SP_LAW_LINEAR) {
        memcpy(out->cauchy, r->stress, sizeof out->cauchy);
        return;
    }
    spectral(H, r->U, r->V, t);
    point_cauchy(r, t, out->cauchy);
}

// energy and Cauchy stress of an isotropic law
static void point_isotropic(const sp_iso *g, int slot, int point, const double *d, const double *p, const double *H,
                            sp_iso_value *out) {
    iso_response r;
    if (g->bar)
        point_respond_bar(g, slot, point, d, p, &r);
    else
        iso_respond((sp_law)g->law, 0, p, H, &r);
    point_stress(g, H, &r, out);
}

// A membrane: H and the strain have a normal part by the stretch of the thickness; the linear law has its stress in the axes of
// U.
static void membrane_value(const sp_iso *g, int slot, const double *d, const double *p, sp_iso_value *out) {
    size_t lanes = (size_t)g->lanes;
    double slope[3 * (MEMBRANE_NODES - 1)], N[9], H[9], HN[9], small[3], green[3], t[3];
    iso_response r;
    for (size_t i = 0; i < 6; i++) slope[i] = g->slope[((size_t)slot / lanes * 6 + i) * lanes + (size_t)slot % lanes];
    iso_gradient(MEMBRANE_NODES, d, slope, H);
    membrane_respond((sp_law)g->law, 0, p, slope, H, t, &r);
    out->energy = r.law.energy, out->jacobian = membrane_jacobian(t), out->fibre = 1;
    if (g->law == SP_LAW_LINEAR) {
        point_turn(r.U, r.stress, out->cauchy);
        membrane_frame(slope, N), membrane_columns(N, H, HN);
        membrane_strain(N, HN, small, green), membrane_decompose(N, HN, green, r.U, r.V, t);
    } else {
        point_cauchy(&r, t, out->cauchy);
    }
    for (int i = 0; i < 9; i++)
        out->gradient[i] = H[i] + ((1 + t[2]) * r.U[i - i % 3 + 2] - r.V[i - i % 3 + 2]) * r.V[i % 3 * 3 + 2];
    green_strain(out->gradient, out->strain);
}

void sp__iso_value(const sp_iso *g, int slot, int point, const double *u, sp_iso_value *out) {
    double d[3 * SP_ISO_NODES_MAX], p[SP_LAW_PARAMS], H[9];
    for (int i = 0; i < 3 * g->nodes - 3; i++) d[i] = u[3 + i] - u[i % 3];
    point_lane(g, slot, g->param, SP_LAW_PARAMS, p);
    if (g->nodes == MEMBRANE_NODES) {
        membrane_value(g, slot, d, p, out);
        return;
    }
    point_gradient(g, slot, point, d, H);
    out->jacobian = iso_jacobian(H);
    if (g->dense)
        point_dense(g, slot, d, p, H, out);
    else
        point_isotropic(g, slot, point, d, p, H, out);
    point_fibres(g, slot, H, out);
    // stress and energy are those of the elastic part; the rest is that of the whole deformation
    if (g->offset) out->energy *= point_whole(g, slot, H);
    memcpy(out->gradient, H, sizeof H);
    green_strain(H, out->strain);
    out->jacobian = iso_jacobian(H);
    out->fibre = point_stretch(g, slot, H);
}

// ------------------------------------------------------------------------------------------------ patches

double sp__iso_measure(const sp_iso *g, int slot, const double *u) {
    double d[3 * SP_ISO_NODES_MAX], p[SP_LAW_PARAMS], H[9];
    for (int i = 0; i < 3 * g->nodes - 3; i++) d[i] = u[3 + i] - u[i % 3];
    point_lane(g, slot, g->param, SP_LAW_PARAMS, p);
    point_gradient(g, slot, 0, d, H);
    return bar_measure_of((sp_law)g->law, p, H);
}

void sp__iso_value_mean(const sp_iso *g, int slot, double mean, const double *u, sp_iso_value *out) {
    double d[3 * SP_ISO_NODES_MAX], p[SP_LAW_PARAMS], rest[SP_LAW_PARAMS], bulk[3], H[9];
    iso_response r;
    bar_point at;
    for (int i = 0; i < 3 * g->nodes - 3; i++) d[i] = u[3 + i] - u[i % 3];
    point_lane(g, slot, g->param, SP_LAW_PARAMS, p);
    point_gradient(g, slot, 0, d, H);
    bar_bulk((sp_law)g->law, p, mean, bulk);
    bar_rest((sp_law)g->law, p, rest);
    bar_decompose((sp_law)g->law, p, H, &at);
    bar_respond((sp_law)g->law, 0, rest, bulk[1], &at, &r);
    r.law.energy += bulk[0];
    memcpy(out->gradient, H, sizeof H);
    green_strain(H, out->strain);
    out->jacobian = iso_jacobian(H);
    point_stress(g, H, &r, out);
    point_fibres(g, slot, H, out);
    out->fibre = point_stretch(g, slot, H);
}

// Numbers of the law for g of a patch, the means of those of its elements: g is linear in them, so that sum V g is kept where
// they differ. Returns the volume, and the mean of z.
static double patch_params(const sp_iso *g, int patch, double *p, double *z) {
    static const int linear[3] = {0, 1, SP_LAW_BULK};
    const sp_patches *c = g->patches;
    double own[SP_LAW_PARAMS] = {0}, volume = 0;
    for (int k = 0; k < SP_LAW_PARAMS; k++) p[k] = 0;
    *z = 0;
    for (int i = c->start[patch]; i < c->start[patch + 1]; i++) {
        double V = g->volume[c->slot[i]];
        if (!(V > 0)) continue;  // removed
        point_lane(g, c->slot[i], g->param, SP_LAW_PARAMS, own);
        for (int k = 0; k < 3; k++) p[linear[k]] += V * own[linear[k]];
        *z += V * c->measure[c->slot[i]];
        volume += V;
    }
    p[SP_LAW_VOLUME] = own[SP_LAW_VOLUME];
    for (int k = 0; volume > 0 && k < 3; k++) p[linear[k]] /= volume;
    if (volume > 0) *z /= volume;
    return volume;
}

double sp__patches_means(const sp_iso *g, int chunk, bool keep) {
    const sp_patches *c = g->patches;
    double energy = 0;
    for (int patch = c->chunk_start[chunk]; patch < c->chunk_start[chunk + 1]; patch++) {
        double p[SP_LAW_PARAMS], z, bulk[3], volume = patch_params(g, patch, p, &z);
        bar_bulk((sp_law)g->law, p, z, bulk);
        energy += volume * bulk[0];
        for (int i = c->start[patch]; i < c->start[patch + 1]; i++) c->measure[c->slot[i]] = bulk[1];
        if (!keep) continue;
        g->patch_factor[patch] = volume > 0 ? (g->definite ? lane_max(bulk[2], 0) : bulk[2]) / volume : 0;
        for (int i = 3 * c->node_start[patch]; i < 3 * c->node_start[patch + 1]; i++) g->patch_q[i] = 0;
    }
    return energy;
}

void sp__patches_product(const sp_iso *g, int chunk, const double *x, double *y) {
    const sp_patches *c = g->patches;
    for (int patch = c->chunk_start[chunk]; patch < c->chunk_start[chunk + 1]; patch++) {
        double sum = 0;
        for (int i = c->node_start[patch]; i < c->node_start[patch + 1]; i++)
            sum += lane_dot(g->patch_q + 3 * (size_t)i, x + 4 * (size_t)c->local[i]);
        sum *= g->patch_factor[patch];
        for (int i = c->node_start[patch]; i < c->node_start[patch + 1]; i++)
            for (size_t k = 0; k < 3; k++) y[4 * (size_t)c->local[i] + k] += sum * g->patch_q[3 * (size_t)i + k];
    }
}

void sp__patches_assemble(const sp_iso *g, const sp_patch_stencil *where, double factor, double *blocks) {
    const int *at = where->at;
    for (int s = 0; s < where->count; s++) {
        int patch = where->patch[s], end = g->patches->node_start[patch + 1];
        for (int a = g->patches->node_start[patch]; a < end; a++)
            for (int b = a; b < end; b++, at++)
                if (*at >= 0)
                    bar_block(factor * g->patch_factor[patch], g->patch_q + 3 * (size_t)a, g->patch_q + 3 * (size_t)b,
                              blocks + 9 * (size_t)*at);
    }
}
