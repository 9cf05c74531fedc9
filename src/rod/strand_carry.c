// Inertia of material points of a strand over one step (strand_carry.h), by Gauss quadrature along the elements.
#include "rod/strand_carry.h"

#include "math/vec3.h"

enum { POINTS = 4, PANELS = 8 };

// Gauss points and weights on [0, 1]
static const double gauss_at[POINTS] = {0.069431844202973714, 0.33000947820757187, 0.66999052179242813, 0.93056815579702629};
static const double gauss_weight[POINTS] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307, 0.17392742256872693};

sp_status sp__strand_carry_init(sp_context *ctx, const sp_strand *s, int masses, sp_strand_carry *c) {
    size_t elements = (size_t)s->capacity;
    c->mass_capacity = masses;
    if (masses > 0 && (!SP_NEW(ctx, c->masses, masses) || !SP_NEW(ctx, c->mass_speed, 6 * (size_t)masses))) return SP_NO_MEMORY;
    if (!SP_NEW(ctx, c->speed, 3 * PANELS * POINTS * elements) || !SP_NEW(ctx, c->panels, elements) ||
        !SP_NEW(ctx, c->columns, 6 * (size_t)s->unknowns))
        return SP_NO_MEMORY;
    return SP_OK;
}

void sp__strand_carry_free(sp_context *ctx, sp_strand_carry *c) {
    sp__free(ctx, c->speed), sp__free(ctx, c->panels), sp__free(ctx, c->columns);
    sp__free(ctx, c->masses), sp__free(ctx, c->mass_speed);
    *c = (sp_strand_carry){0};
}

// four points integrate two radians to seven digits
static int panels_of(const sp_strand *s, int e, const double *q) {
    double turn = sp__norm3(q + 3 * (size_t)e);
    if (s->affine) turn = fmax(turn, sp__norm3(q + 3 * (size_t)e + 3));
    turn *= 0.5 * s->element[e].length;
    return turn < PANELS - 1 ? 1 + (int)turn : PANELS;
}

static double carry_place_of(const sp_strand *s, const sp_strand_carry *c, int e, int point) {
    return s->element[e].length * (point / POINTS + gauss_at[point % POINTS]) / c->panels[e];
}

void sp__strand_keep(const sp_strand *s, const double *q, const double *v, sp_strand_carry *c) {
    for (int e = 0; e < s->alive; e++) {
        c->panels[e] = panels_of(s, e, q);
        for (int i = 0; i < POINTS * c->panels[e]; i++) {
            double six[6];
            sp__strand_speed(s, e, carry_place_of(s, c, e, i), v, six);
            memcpy(c->speed + 3 * ((size_t)e * PANELS * POINTS + (size_t)i), six, 3 * sizeof(double));
        }
    }
    for (int i = 0; i < c->mass_count; i++)
        sp__strand_speed(s, c->masses[i].element, c->masses[i].at, v, c->mass_speed + 6 * (size_t)i);
}

// distributes an impulse inside an element to its two nodes
static void lump_impulse(const sp_strand *s, int e, double at, const double p[3], double *nodes) {
    double share = at / s->element[e].length;
    sp__axpy3(nodes + 3 * (size_t)e, 1 - share, p, nodes + 3 * (size_t)e);
    sp__axpy3(nodes + 3 * (size_t)e + 3, share, p, nodes + 3 * (size_t)e + 3);
}

static void mass_impulse(const sp_strand *s, const double *v, double scale, sp_strand_carry *c, int mass, double *out,
                         double *nodes) {
    const sp_strand_mass *m = &c->masses[mass];
    const double *before = c->mass_speed + 6 * (size_t)mass;
    double p[6] = {0};
    int n = sp__strand_slopes(s, m->element, m->at, c->columns);
    for (int u = 0; u < n; u++)
        for (int k = 0; k < 6; k++) p[k] += v[u] * c->columns[6 * (size_t)u + (size_t)k];
    for (int k = 0; k < 6; k++) p[k] = scale * (k < 3 ? m->mass : m->inertia) * (p[k] - before[k]);
    for (int u = 0; u < n; u++)
        out[u] += sp__dot3(p, c->columns + 6 * (size_t)u) + sp__dot3(p + 3, c->columns + 6 * (size_t)u + 3);
    if (nodes) lump_impulse(s, m->element, m->at, p, nodes);
}

void sp__strand_impulse(const sp_strand *s, const double *v, double scale, sp_strand_carry *c, double *out, double *nodes) {
    for (int e = 0; e < s->alive; e++)
        for (int i = 0; i < POINTS * c->panels[e]; i++) {
            const double *before = c->speed + 3 * ((size_t)e * PANELS * POINTS + (size_t)i);
            double at = carry_place_of(s, c, e, i), now[3] = {0, 0, 0};
            int n = sp__strand_slopes(s, e, at, c->columns);
            for (int u = 0; u < n; u++) sp__axpy3(now, v[u], c->columns + 6 * (size_t)u, now);
            double w = scale * s->element[e].line_density * s->element[e].length * gauss_weight[i % POINTS] / c->panels[e];
            for (int k = 0; k < 3; k++) now[k] = w * (now[k] - before[k]);
            for (int u = 0; u < n; u++) out[u] += sp__dot3(now, c->columns + 6 * (size_t)u);
            if (nodes) lump_impulse(s, e, at, now, nodes);
        }
    for (int i = 0; i < c->mass_count; i++) mass_impulse(s, v, scale, c, i, out, nodes);
}

void sp__strand_take(sp_strand *s, const double *v, double h, double share, sp_strand_carry *c) {
    for (int u = 0; u < s->unknowns; u++) s->A[u] *= 1 - share;
    sp__strand_impulse(s, v, share / h, c, s->A, NULL);
}

// A mass is isotropic: its angular momentum is the inertia times the angular velocity.
void sp__strand_add_masses(sp_strand *s, const double *v, sp_strand_carry *c) {
    for (int i = 0; i < c->mass_count; i++) {
        const sp_strand_mass *m = &c->masses[i];
        int n = sp__strand_slopes(s, m->element, m->at, c->columns);
        double six[6];
        sp_curve_frame f;
        sp__strand_acceleration(s, m->element, m->at, v, m->inertia > 0, six);
        sp__strand_frame(s, m->element, m->at, &f);
        for (int a = 0; a < n; a++) {
            const double *x = c->columns + 6 * (size_t)a;
            s->A[a] += m->mass * sp__dot3(x, six) + m->inertia * sp__dot3(x + 3, six + 3);
            for (int b = 0; b < n; b++) {
                const double *y = c->columns + 6 * (size_t)b;
                s->M[(size_t)a * (size_t)s->unknowns + (size_t)b] +=
                    m->mass * sp__dot3(x, y) + m->inertia * sp__dot3(x + 3, y + 3);
            }
        }
        s->mass += m->mass;
        sp__axpy3(s->moment, m->mass, f.r, s->moment);
    }
}

// angular velocity of the section about the tangent at a Gauss point with respect to each unknown, in the first numbers of
// c->columns; returns the weight of the point times its inertia
static double spin_point(const sp_strand *s, const double *spin, int e, int i, sp_strand_carry *c, int *n) {
    sp_curve_frame f;
    double at = s->element[e].length * gauss_at[i], t[3];
    *n = sp__strand_slopes(s, e, at, c->columns);
    sp__strand_frame(s, e, at, &f);
    for (int k = 0; k < 3; k++) t[k] = f.R[3 * k];
    for (int u = 0; u < *n; u++) c->columns[u] = sp__dot3(c->columns + 6 * (size_t)u + 3, t);
    return spin[e] * s->element[e].length * gauss_weight[i];
}

void sp__strand_add_spin(sp_strand *s, const double *spin, sp_strand_carry *c) {
    for (int e = 0; e < s->alive; e++)
        for (int i = 0; i < POINTS; i++) {
            int n;
            double w = spin_point(s, spin, e, i, c, &n);
            for (int a = 0; a < n; a++)
                for (int b = 0; b < n; b++)
                    s->M[(size_t)a * (size_t)s->unknowns + (size_t)b] += w * c->columns[a] * c->columns[b];
        }
}

void sp__strand_spin_impulse(const sp_strand *s, const double *spin, const double *u, sp_strand_carry *c, double *out) {
    for (int e = 0; e < s->alive; e++)
        for (int i = 0; i < POINTS; i++) {
            int n;
            double w = spin_point(s, spin, e, i, c, &n), rate = 0;
            for (int a = 0; a < n; a++) rate += c->columns[a] * u[a];
            for (int a = 0; a < n; a++) out[a] += w * rate * c->columns[a];
        }
}
