// Node pairs of elements, and the state of one integration point for fields.
#define SP_LANES 1
#include "backend/backend.h"
#include "kernels/bar.h"
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
    if (!g->offset) return 1;
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
        sum += w * bar_decompose((sp_law)g->law, H, &at);
        volume += w;
    }
    bar_bulk((sp_law)g->law, p, sum / volume, bulk);
    bar_rest((sp_law)g->law, p, rest);
    point_gradient(g, slot, point, d, H);
    bar_decompose((sp_law)g->law, H, &at);
    bar_respond((sp_law)g->law, 0, rest, bulk[1], &at, r);
    r->law.energy += bulk[0];
}

void sp__iso_value(const sp_iso *g, int slot, int point, const double *u, sp_iso_value *out) {
    size_t lanes = (size_t)g->lanes, block = (size_t)slot / lanes, lane = (size_t)slot % lanes;
    double d[3 * SP_ISO_NODES_MAX], p[SP_LAW_PARAMS], H[9], t[3], whole[9];
    iso_response r;
    for (int i = 0; i < 3 * g->nodes - 3; i++) d[i] = u[3 + i] - u[i % 3];
    for (size_t i = 0; i < SP_LAW_PARAMS; i++) p[i] = g->param[(block * SP_LAW_PARAMS + i) * lanes + lane];
    point_gradient(g, slot, point, d, H);
    memcpy(whole, H, sizeof whole);
    double swollen = point_whole(g, slot, whole);
    green_strain(whole, out->strain);
    out->jacobian = iso_jacobian(whole);
    if (g->bar)
        point_respond_bar(g, slot, point, d, p, &r);
    else
        iso_respond((sp_law)g->law, 0, p, H, &r);
    out->energy = swollen * r.law.energy;
    if (g->law == SP_LAW_LINEAR) {
        memcpy(out->cauchy, r.stress, sizeof out->cauchy);
        return;
    }
    spectral(H, r.U, r.V, t);
    point_cauchy(&r, t, out->cauchy);
}
