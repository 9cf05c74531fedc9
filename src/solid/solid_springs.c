// Mass-spring networks (backend/springs.h): rest lengths, stiffness, mass, and the elastic material that they replace.
#include <stdio.h>

#include "solid/solid.h"

enum { TOLD = 200 };

sp_status sp__springs_make(sp_context *ctx, sp_solid *s, sp_solid_group *g) {
    const sp_spring_pattern *pattern = sp__spring_pattern(g->type);
    size_t n = (size_t)g->slots + 1, springs = n * (size_t)pattern->count;
    g->springs = (sp_springs){.pattern = pattern,
                              .nodes = g->nodes,
                              .definite = g->law.tangent == SP_TANGENT_FROZEN,
                              .block_start = g->block_start,
                              .local = g->local,
                              .volume = s->volume + g->first};
    return SP_NEW(ctx, g->springs.length, springs) && SP_NEW(ctx, g->springs.stiffness, n) &&
                   SP_NEW(ctx, g->springs.state, springs * SP_SPRING_STATE) &&
                   SP_NEW(ctx, g->other_springs, springs * SP_SPRING_STATE)
               ? SP_OK
               : SP_NO_MEMORY;
}

static double corner_volume(const double *const x[4]) {
    double e[3][3], n[3];
    for (int a = 0; a < 3; a++) sp__sub3(x[a + 1], x[0], e[a]);
    sp__cross3(e[0], e[1], n);
    return sp__dot3(n, e[2]) / 6;
}

void sp__springs_rest(sp_solid *s, sp_solid_group *g, const double *x, const int *node, size_t slot) {
    const sp_spring_pattern *p = g->springs.pattern;
    double volume = 0;
    for (int i = 0; i < p->count; i++) {
        double d[3];
        sp__sub3(x + 3 * (size_t)node[p->pair[i][1]], x + 3 * (size_t)node[p->pair[i][0]], d);
        g->springs.length[slot * (size_t)p->count + (size_t)i] = sp__norm3(d);
    }
    if (p->cells == 0) {
        double u[3], v[3], n[3];
        sp__sub3(x + 3 * (size_t)node[1], x + 3 * (size_t)node[0], u),
            sp__sub3(x + 3 * (size_t)node[2], x + 3 * (size_t)node[0], v);
        sp__cross3(u, v, n);
        volume = 0.5 * sp__norm3(n) * s->thickness;
    }
    for (int c = 0; c < p->cells; c++) {
        const double *corner[4];
        for (int a = 0; a < 4; a++) corner[a] = x + 3 * (size_t)node[p->cell[c][a]];
        volume += corner_volume(corner);
    }
    s->volume[(size_t)g->first + slot] = volume;
}

static double springs_poisson(const sp_spring_pattern *p) {
    return p->cells ? SP_SPRINGS_POISSON : SP_SPRINGS_POISSON_PLANE;
}

// Springs whose directions are distributed evenly are an isotropic material with Young's modulus sum k l^2 / (6 V) and Poisson's
// ratio 1/4; in a plane, the means of d_i d_j d_k d_l are an eighth instead of a fifteenth of the isotropic tensor, and they are
// sum k l^2 / (3 V) and 1/3 (tetrahedra and triangles: Van Gelder 1998).
void sp__springs_material(sp_solid *s, sp_solid_group *g, int slot, const sp_material *m) {
    const double factor = g->springs.pattern->cells ? 6 : 3;
    g->springs.stiffness[slot - g->first] = factor * m->young * s->volume[slot];
    if (sp__solid_alive(s, slot)) s->rigidity += s->volume[slot] * m->young / (2 * (1 + springs_poisson(g->springs.pattern)));
}

// The mass is that of the tetrahedra which divide the element, a quarter at each of their corners; a third of a triangle.
void sp__springs_shares(const sp_solid *s, const sp_solid_group *g, int slot, double *share) {
    const sp_spring_pattern *p = g->springs.pattern;
    for (int a = 0; a < g->nodes; a++) share[a] = p->cells ? 0 : 1. / 3;
    for (int c = 0; c < p->cells; c++) {
        const double *x[4];
        for (int a = 0; a < 4; a++) x[a] = s->rest + 3 * (size_t)sp__group_node(g, slot, p->cell[c][a]);
        for (int a = 0; a < 4; a++) share[p->cell[c][a]] += corner_volume(x) / (4 * s->volume[slot]);
    }
}

// Sums over the springs of an element: k l^2 (d_x^4, d_y^4, d_z^4), and k l^2.
static void add_directions(const sp_solid *s, const sp_solid_group *g, int slot, double sum[4]) {
    const sp_spring_pattern *p = g->springs.pattern;
    for (int i = 0; i < p->count; i++) {
        double d[3], energy = g->springs.stiffness[slot - g->first] * p->share[i];
        sp__sub3(s->rest + 3 * (size_t)sp__group_node(g, slot, p->pair[i][1]),
                 s->rest + 3 * (size_t)sp__group_node(g, slot, p->pair[i][0]), d);
        double square = sp__dot3(d, d);
        for (int k = 0; k < 3; k++) sum[k] += energy * (d[k] * d[k] / square) * (d[k] * d[k] / square);
        sum[3] += energy;
    }
}

const char *sp__springs_tell(sp_solid *s) {
    double sum[4] = {0};
    for (int slot = 0; slot < s->slots; slot++) {
        const sp_solid_group *g = sp__solid_group_of(s, slot);
        if (g->springs.pattern && sp__solid_alive(s, slot)) add_directions(s, g, slot, sum);
    }
    if (sp__solid_is_membrane(s)) {
        snprintf(s->springs_told, TOLD, "springs, equivalent to Young's modulus `young` and Poisson's ratio %.4g in the plane",
                 SP_SPRINGS_POISSON_PLANE);
        return s->springs_told;
    }
    // of an isotropic network, a fifth of the sum is along each axis
    snprintf(
        s->springs_told, TOLD,
        "springs, equivalent to Young's modulus `young` and Poisson's ratio %g; resistance to a stretch along x, y, z: %.3g, "
        "%.3g, %.3g of it",
        SP_SPRINGS_POISSON, 5 * sum[0] / sum[3], 5 * sum[1] / sum[3], 5 * sum[2] / sum[3]);
    return s->springs_told;
}

sp_status sp__springs_open(sp_context *ctx, sp_solid *s) {
    for (int g = 0; g < s->group_count; g++)
        if (s->group[g].springs.pattern && !s->springs_told && !SP_NEW(ctx, s->springs_told, TOLD)) return SP_NO_MEMORY;
    return SP_OK;
}
