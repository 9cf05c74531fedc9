// Mass-spring networks (backend/springs.h): rest lengths, stiffness, mass, and the elastic material that they replace.
#include <stdio.h>

#include "solid/solid.h"

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

// Adds k l^2 (d d) (d d)^T of the springs of an element, with d d in Mandel's components xx yy zz xy yz zx: the moduli of the
// network times the volume, if the strain is the same everywhere.
static void add_moduli(const sp_solid *s, const sp_solid_group *g, int slot, double C[6][6]) {
    const sp_spring_pattern *p = g->springs.pattern;
    for (int i = 0; i < p->count; i++) {
        double d[3], e[6], energy = g->springs.stiffness[slot - g->first] * p->share[i];
        sp__sub3(s->rest + 3 * (size_t)sp__group_node(g, slot, p->pair[i][1]),
                 s->rest + 3 * (size_t)sp__group_node(g, slot, p->pair[i][0]), d);
        double square = sp__dot3(d, d);
        for (int k = 0; k < 3; k++) e[k] = d[k] * d[k] / square, e[3 + k] = sqrt(2) * d[k] * d[(k + 1) % 3] / square;
        for (int a = 0; a < 6; a++)
            for (int b = 0; b < 6; b++) C[a][b] += energy * e[a] * e[b];
    }
}

// Young's moduli along x, y, z and the mean of Poisson's ratios between them, from moduli C, which is overwritten; false: a
// deformation has no resistance
static bool equivalent_material(double C[6][6], double volume, double young[3], double *poisson) {
    double S[6][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, scale = C[0][0] + C[1][1] + C[2][2];
    for (int p = 0; p < 6; p++) {
        if (!(C[p][p] > 1e-9 * scale)) return false;
        for (int r = 0; r < 6; r++) {
            double factor = C[r][p] / C[p][p];
            for (int k = 0; k < 6 && r != p; k++) C[r][k] -= factor * C[p][k];
            for (int k = 0; k < 3 && r != p; k++) S[r][k] -= factor * S[p][k];
        }
    }
    *poisson = 0;
    for (int k = 0; k < 3; k++) young[k] = C[k][k] / (S[k][k] * volume);
    for (int k = 0; k < 3; k++)
        for (int i = 1; i < 3; i++) *poisson -= S[(k + i) % 3][k] / C[(k + i) % 3][(k + i) % 3] * young[k] * volume / 6;
    return true;
}

void sp__springs_tell(sp_body *b) {
    const sp_solid *s = sp__solid(b);
    const bool plane = sp__solid_is_membrane(s);
    double C[6][6] = {{0}}, volume = 0, energy = 0, young[3], poisson;
    for (int slot = 0; slot < s->slots; slot++) {
        const sp_solid_group *g = sp__solid_group_of(s, slot);
        if (!g->springs.pattern || !sp__solid_alive(s, slot)) continue;
        volume += s->volume[slot], energy += g->springs.stiffness[slot - g->first];
        if (!plane) add_moduli(s, g, slot, C);
    }
    if (!(volume > 0)) return;
    const double even = energy / ((plane ? 3 : 6) * volume);  // Young's modulus of springs in all directions alike
    const size_t size = sizeof b->material_note;
    if (plane)
        snprintf(b->material_note, size,
                 "springs, about equivalent to Young's modulus %.4g Pa and Poisson's ratio %.3g in the plane", even,
                 SP_SPRINGS_POISSON_PLANE);
    else if (equivalent_material(C, volume, young, &poisson))
        snprintf(
            b->material_note, size,
            "springs, about equivalent to Young's modulus %.4g, %.4g, %.4g Pa along x, y, z and Poisson's ratio %.3g; in all "
            "directions alike they would have %.4g Pa and %.3g",
            young[0], young[1], young[2], poisson, even, SP_SPRINGS_POISSON);
}
