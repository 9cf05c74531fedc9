// From parameters to what the kernels read: sqrt(V mu) and lambda / mu per element, lumped mass and drag per node.
#include "solid/solid.h"

static double pick(const double *override, int slot, double value) {
    return override && !isnan(override[slot]) ? override[slot] : value;
}

sp_material sp__solid_material_of(const sp_solid *s, int slot) {
    sp_material m = s->region[s->region_of ? s->region_of[slot] : 0];
    const sp_material *own = &s->region[0];  // of the body: what a region does not say
    if (isnan(m.density)) m.density = own->density;
    if (isnan(m.young)) m.young = own->young;
    if (isnan(m.poisson)) m.poisson = own->poisson;
    m.density = pick(s->density, slot, m.density);
    m.young = pick(s->young, slot, m.young);
    m.poisson = pick(s->poisson, slot, m.poisson);
    return m;
}

// the linear material's turned gradients are the rest ones, in world axes
static void set_linear_gradients(sp_tets *t) {
    size_t w = (size_t)t->lanes;
    for (size_t b = 0; b < (size_t)t->blocks; b++)
        for (size_t l = 0; l < w; l++) {
            double g[6], e[9], scale = t->scale[b * w + l];
            for (size_t k = 0; k < 6; k++) g[k] = t->rest[(b * 6 + k) * w + l];
            for (size_t k = 0; k < 9; k++) e[k] = t->frame[(b * 9 + k) * w + l];
            for (size_t k = 0; k < 3; k++) {
                t->grad[(b * 9 + k) * w + l] = scale * (e[k] * g[0] + e[3 + k] * g[1] + e[6 + k] * g[2]);
                t->grad[(b * 9 + 3 + k) * w + l] = scale * (e[3 + k] * g[3] + e[6 + k] * g[4]);
                t->grad[(b * 9 + 6 + k) * w + l] = scale * (e[6 + k] * g[5]);
            }
        }
}

// the lightest of the nodes that a collision point leans on; a smaller weight is there by rounding
static double lightest(const sp_solid *s, const sp_anchor *a) {
    double w[4], least = INFINITY;
    int node[4];
    sp__solid_weights(a, w);
    sp__solid_corners(s, a->elem, node);
    for (int c = 0; c < 4; c++)
        if (fabs(w[c]) > 1e-9) least = fmin(least, s->mass[node[c]]);
    return least;
}

void sp__solid_materials(sp_body *b) {
    sp_solid *s = sp__solid(b);
    sp_tets *t = &s->tets;
    if (!s->stale) return;
    memset(s->mass, 0, sizeof *s->mass * (size_t)s->nodes);
    memset(s->drag_of, 0, sizeof *s->drag_of * (size_t)s->nodes);
    s->rigidity = 0;
    for (int slot = 0; slot < t->blocks * t->lanes; slot++) {
        sp_material m = sp__solid_material_of(s, slot);
        double mu = m.young / (2 * (1 + m.poisson)), V = s->volume[slot];
        t->scale[slot] = sqrt(V * mu);
        t->ratio[slot] = 2 * m.poisson / (1 - 2 * m.poisson);
        if (s->user_tet[slot] < 0) continue;
        s->rigidity += V * mu;
        for (int a = 0; a < 4; a++) {
            int i = t->node[(slot / t->lanes * 4 + a) * t->lanes + slot % t->lanes];
            s->mass[i] += m.density * V / 4, s->drag_of[i] += s->drag * V / 4;
        }
    }
    if (t->frame) set_linear_gradients(t);
    for (int k = 0; k < s->dead_count; k++)
        if (s->dead[k].by_mass)
            for (int i = 0; i < s->dead[k].count; i++) s->dead[k].weight[i] = s->mass[s->dead[k].node[i]];
    double mass = 0;
    for (int i = 0; i < s->nodes; i++) mass += s->mass[i];
    b->loads.mean_mass = mass / s->nodes;
    for (int i = 0; i < b->loads.node_count; i++)
        b->loads.nodes[i].mass = b->loads.nodes[i].share * lightest(s, &b->loads.nodes[i].at);
    s->stale = false;
    s->material_revision++;
}
