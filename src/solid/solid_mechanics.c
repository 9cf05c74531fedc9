// Forces, energies and tangent stiffness of the solid, over chunks of elements and ranges of nodes (backend.h).
#include "core/share.h"
#include "solid/solid.h"

#include <stdio.h>

// ------------------------------------------------------------------------------------------------ chunk passes

static double state_chunk(const void *data, int chunk, const double *x, double *y) {
    const sp_solid_group *g = data;
    if (g->springs.pattern) return sp__springs_state(&g->springs, chunk, x, y);
    return g->iso.points ? g->be->iso_state(&g->iso, chunk, x, y) : g->be->tet_state(&g->tets, chunk, x, y);
}

static double product_chunk(const void *data, int chunk, const double *x, double *y) {
    const sp_solid_group *g = data;
    if (g->springs.pattern)
        sp__springs_product(&g->springs, chunk, x, y);
    else if (g->iso.points)
        g->be->iso_product(&g->iso, chunk, x, y);
    else
        g->be->tet_product(&g->tets, chunk, x, y);
    return 0;
}

static double frozen_product_chunk(const void *data, int chunk, const double *x, double *y) {
    const sp_solid_group *g = data;
    if (g->springs.pattern)
        sp__springs_product(&g->frozen_springs, chunk, x, y);
    else if (g->iso.points)
        g->be->iso_product(&g->frozen_iso, chunk, x, y);
    else
        g->be->tet_product(&g->frozen, chunk, x, y);
    return 0;
}

static double group_run(sp_body *b, sp_solid_group *g, sp_chunk_fn *fn, const double *x, const double *keep, bool wants_y) {
    return sp__chunks_run(b->ctx, g->be, &g->chunks, fn, g, x, keep, wants_y, sp__solid(b)->scratch);
}

static void solid_run(sp_body *b, sp_chunk_fn *fn, const double *x, const double *keep) {
    sp_solid *s = sp__solid(b);
    for (int g = 0; g < s->group_count; g++) group_run(b, &s->group[g], fn, x, keep, true);
}

// The slots of a consistent mass matrix hold (stiff K + heavy M) x, those of a lumped one K x.
typedef struct system_pass {
    const sp_solid *s;
    const sp_solid_group *g;
    sp_chunk_fn *stiffness;
    double stiff, heavy;
} system_pass;

static double system_chunk(const void *data, int chunk, const double *x, double *y) {
    const system_pass *p = data;
    const sp_chunks *c = &p->g->chunks;
    if (p->stiff != 0) p->stiffness(p->g, chunk, x, y);
    for (int i = 0; i < 4 * (c->start[chunk + 1] - c->start[chunk]); i++) y[i] *= p->stiff;
    if (p->heavy != 0) sp__mass_product(p->s, p->g, chunk, p->heavy, x, y);
    return 0;
}

// stiff K x + heavy M x without what is on the diagonal of M; returns the factor of the slots
static double system_run(sp_body *b, sp_chunk_fn *stiffness, double stiff, double heavy, const double *x, const double *keep) {
    sp_solid *s = sp__solid(b);
    if (!s->consistent) {
        if (stiff != 0) solid_run(b, stiffness, x, keep);
        return stiff;
    }
    system_pass p = {s, NULL, stiffness, stiff, heavy};
    if (stiff == 0 && heavy == 0) return 0;
    for (int g = 0; g < s->group_count; g++) {
        p.g = &s->group[g];
        sp__chunks_run(b->ctx, s->be, &s->group[g].chunks, system_chunk, &p, x, keep, true, s->scratch);
    }
    return 1;
}

// ------------------------------------------------------------------------------------------------ state to forces

typedef struct node_pass {
    sp_body *b;
    sp_solid *s;
    const sp_solid_group *g;
    const double *x, *v;
    double *y, gravity[3];
    sp_coef c;
    double slots;  // factor of the slots
    bool pinned;
} node_pass;

// the slots of a linear group hold K u, those of others the force
static void group_force(const sp_solid_group *g, int i, double out[3]) {
    sp__chunks_sum(&g->chunks, i, out);
    for (int k = 0; k < 3 && sp__group_is_linear(g); k++) out[k] = -out[k];
}

static void elastic_force(const sp_solid *s, int i, double out[3]) {
    group_force(&s->group[0], i, out);
    for (int g = 1; g < s->group_count; g++) {
        double more[3];
        group_force(&s->group[g], i, more);
        for (int k = 0; k < 3; k++) out[k] += more[k];
    }
}

// f = elastic + gravity - (alpha m + drag) v; returns the potential of gravity, relative to the rest shape to avoid cancellation
static double force_nodes(void *arg, int begin, int end) {
    node_pass *p = arg;
    const sp_solid *s = p->s;
    double potential = 0;
    for (int i = begin; i < end; i++) {
        double e[3], m = s->load_mass[i], drag = s->params.rayleigh_mass * s->diagonal_mass[i] + s->drag_of[i];
        elastic_force(s, i, e);
        for (int k = 0; k < 3; k++) {
            size_t at = 3 * (size_t)i + (size_t)k;
            p->y[at] = e[k] + m * p->gravity[k] - drag * p->v[at];
            potential -= m * p->gravity[k] * (p->x[at] - s->rest[at]);
        }
    }
    return potential;
}

// y -= factor (sum of slots)
static double damp_nodes(void *arg, int begin, int end) {
    node_pass *p = arg;
    for (int i = begin; i < end; i++) {
        double e[3];
        sp__solid_slots(p->s, i, e);
        for (int k = 0; k < 3; k++) p->y[3 * (size_t)i + (size_t)k] -= p->slots * e[k];
    }
    return 0;
}

static double displacement_nodes(void *arg, int begin, int end) {
    node_pass *p = arg;
    for (size_t i = 3 * (size_t)begin; i < 3 * (size_t)end; i++) p->y[i] = p->x[i] - p->s->rest[i];
    return 0;
}

// displacements at positions q, in s->work; NULL: no group needs them
static const double *solid_displacement(sp_body *b, const double *q) {
    sp_solid *s = sp__solid(b);
    node_pass p = {.b = b, .s = s, .x = q, .y = s->work};
    bool needed = false;
    for (int g = 0; g < s->group_count; g++) needed = needed || s->group[g].iso.points || sp__group_is_linear(&s->group[g]);
    if (!needed) return NULL;
    sp__ranges(b->ctx, s->nodes, displacement_nodes, &p, s->partial);
    return s->work;
}

static double half_work(void *arg, int begin, int end) {
    node_pass *p = arg;
    double sum = 0;
    for (int i = begin; i < end; i++) {
        double e[3];
        sp__chunks_sum(&p->g->chunks, i, e);
        sum += 0.5 * sp__dot3(e, p->x + 3 * (size_t)i);
    }
    return sum;
}

// K u in the slots, for the linear material; returns u . K u / 2
static double linear_state(sp_body *b, sp_solid_group *g, const double *u) {
    sp_solid *s = sp__solid(b);
    node_pass p = {.b = b, .s = s, .g = g, .x = u};
    group_run(b, g, product_chunk, u, NULL, true);
    return sp__ranges(b->ctx, s->nodes, half_work, &p, s->partial);
}

// elastic energy of a group at positions q and displacements u; with forces in the slots if they are wanted
static double group_state(sp_body *b, sp_solid_group *g, const double *q, const double *u, bool wants_force) {
    if (sp__group_is_linear(g)) return linear_state(b, g, u);
    return group_run(b, g, state_chunk, g->iso.points ? u : q, NULL, wants_force);
}

double sp__solid_elastic(sp_body *b, const double *q) {
    sp_solid *s = sp__solid(b);
    double energy = 0;
    sp__solid_materials(b);
    const double *u = solid_displacement(b, q);
    for (int g = 0; g < s->group_count; g++) {
        sp_solid_group lasting = s->group[g];
        lasting.iso = sp__group_lasting(&s->group[g]);
        energy += sp__group_has_energy(&lasting) ? group_state(b, &lasting, q, u, false) : NAN;
        for (int c = 0; lasting.relaxes && c < lasting.chunks.count; c++)
            energy += sp__chunk_history_energy(s, &lasting, c, q, false);
    }
    return energy;
}

static bool solid_moving(const sp_body *b) {
    for (int i = 0; i < b->nv; i++)
        if (b->v[SP_TRIAL][i] != 0) return true;
    return false;
}

static void solid_swap_arrays(double **a, double **b) {
    double *c = *a;
    *a = *b, *b = c;
}

// Selects the arrays that the system of the last linearise does not use.
static void spare_system(sp_solid_group *g) {
    if (g->iso.points && g->iso.tangent == g->frozen_iso.tangent) {
        solid_swap_arrays(&g->iso.turned, &g->other_turned);
        solid_swap_arrays(&g->iso.tangent, &g->other_tangent);
        solid_swap_arrays(&g->iso.bar, &g->other_bar);
        solid_swap_arrays(&g->iso.patch_q, &g->other_patch_q);
        solid_swap_arrays(&g->iso.patch_factor, &g->other_patch_factor);
        solid_swap_arrays(&g->iso.kept, &g->other_kept);
        solid_swap_arrays(&g->iso.fibre_state, &g->other_fibre_state);
    }
    if (g->springs.pattern && g->springs.state == g->frozen_springs.state)
        solid_swap_arrays(&g->springs.state, &g->other_springs);
    if (g->springs.pattern || g->iso.points || g->tets.grad != g->frozen.grad) return;
    solid_swap_arrays(&g->tets.grad, &g->other_grad);
    solid_swap_arrays(&g->tets.spin, &g->other_spin);
}

// rest displacements of the nodes of an element to `u`; its smallest ratio of volumes, and whether its energy is finite
static bool element_defined(const sp_solid *s, const sp_solid_group *g, int slot, const double *q, double *ratio) {
    double u[3 * SP_ELEMENT_NODES_MAX];
    bool finite = true;
    *ratio = INFINITY;
    for (int a = 0; a < g->nodes; a++) {
        size_t i = 3 * (size_t)sp__group_node(g, slot, a);
        sp__sub3(q + i, s->rest + i, u + 3 * a);
    }
    for (int p = 0; p < g->iso.points; p++) {
        sp_iso_value v;
        sp__iso_value(&g->iso, slot - g->first, p, u, &v);
        finite = finite && isfinite(v.energy);
        *ratio = fmin(*ratio, v.jacobian);
    }
    return finite;
}

sp_status sp__solid_undefined(sp_body *b, sp_which which, sp_status status) {
    const sp_solid *s = sp__solid(b);
    for (int e = 0; e < s->elements; e++) {
        int slot = s->slot_of[e];
        const sp_solid_group *g = sp__solid_group_of(s, slot);
        double ratio;
        if (!sp__solid_alive(s, slot) || element_defined(s, g, slot, b->q[which], &ratio)) continue;
        status = SP_BODY_FAIL(b, status, "element %d of '%s' has %.3g of its volume: the energy of %s is %s there", e, b->name,
                              ratio, sp__law_name(sp__solid_law_number(&g->law)), ratio > 0 ? "not finite" : "not defined");
        b->error->index = e;
        return status;
    }
    return SP_OK;
}

sp_status sp__solid_evaluate(sp_body *b, const sp_step *step, unsigned want) {
    sp_solid *s = sp__solid(b);
    const double *q = b->q[SP_TRIAL], *u;
    node_pass p = {.b = b, .s = s, .x = q, .v = b->v[SP_TRIAL], .y = b->f};
    for (int k = 0; k < 3; k++) p.gravity[k] = step->load_factor * step->gravity[k];
    sp__solid_relax_begin(b, step->h);
    sp__solid_materials(b);
    s->elastic = 0;
    u = solid_displacement(b, q);
    for (int g = 0; g < s->group_count; g++) {
        // the force kernels also compute the energy, and keep what linearise needs
        if (want & SP_WANT_FORCE && !sp__group_is_linear(&s->group[g])) spare_system(&s->group[g]);
        if (s->group[g].relaxes) sp__group_relax(b, &s->group[g]);
        s->elastic += group_state(b, &s->group[g], q, u, want & SP_WANT_FORCE);
    }
    if (want & SP_WANT_DEFINED && isinf(s->elastic)) return sp__solid_undefined(b, SP_TRIAL, SP_NOT_FINITE);
    double potential = sp__ranges(b->ctx, s->nodes, force_nodes, &p, s->partial);
    b->energy = s->elastic + potential + b->loads.energy;
    sp__solid_dead_loads(b, step->load_factor);
    if (!(want & SP_WANT_FORCE)) return SP_OK;
    if ((s->params.rayleigh_stiffness > 0 || (s->consistent && s->params.rayleigh_mass > 0)) && solid_moving(b)) {
        p.slots = system_run(b, product_chunk, s->params.rayleigh_stiffness, s->params.rayleigh_mass, b->v[SP_TRIAL], NULL);
        sp__ranges(b->ctx, s->nodes, damp_nodes, &p, s->partial);
    }
    for (int k = 0; k < b->loads.term_count; k++)
        sp__solid_apply_transpose(b, SP_TRIAL, 1, &b->loads.terms[k].at, b->loads.terms[k].f, b->f);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ the system

// y = (m M + b B + k K) x from the slots; pinned rows are unit rows
static double system_nodes(void *arg, int begin, int end) {
    node_pass *p = arg;
    const sp_solid *s = p->s;
    double heavy = p->c.m + p->c.b * s->params.rayleigh_mass, dot = 0;
    for (int i = begin; i < end; i++) {
        double e[3] = {0, 0, 0}, m = heavy * s->diagonal_mass[i] + p->c.b * s->drag_of[i];
        if (p->slots != 0) sp__solid_slots(s, i, e);
        for (int k = 0; k < 3; k++) {
            size_t at = 3 * (size_t)i + (size_t)k;
            p->y[at] = p->pinned && p->b->fixed[at] ? p->x[at] : m * p->x[at] + p->slots * e[k];
            dot += p->x[at] * p->y[at];
        }
    }
    return dot;
}

// y += J^T (b B + k K) J x of the point terms; returns their contribution to x . y
static double add_terms(const sp_body *b, sp_coef c, const double *x, const double *keep, double *y) {
    const sp_solid *s = sp__solid(b);
    double dot = 0;
    for (int t = 0; t < s->term_count; t++) {
        const sp_solid_term *term = &s->terms[t];
        const int *node = term->node;
        const double *w = term->w;
        double at[3] = {0, 0, 0}, m[6], f[3];
        for (int a = 0; a < 4; a++)
            for (int k = 0; k < 3; k++) {
                size_t i = 3 * (size_t)node[a] + (size_t)k;
                at[k] += w[a] * x[i] * (keep ? keep[i] : 1);
            }
        for (int k = 0; k < 6; k++) m[k] = c.k * term->k[k] + c.b * term->b[k];
        f[0] = m[0] * at[0] + m[3] * at[1] + m[5] * at[2];
        f[1] = m[3] * at[0] + m[1] * at[1] + m[4] * at[2];
        f[2] = m[5] * at[0] + m[4] * at[1] + m[2] * at[2];
        dot += sp__dot3(at, f);
        for (int a = 0; a < 4; a++)
            for (int k = 0; k < 3; k++) {
                size_t i = 3 * (size_t)node[a] + (size_t)k;
                y[i] += w[a] * f[k] * (keep ? keep[i] : 1);
            }
    }
    return dot;
}

static double solid_multiply(sp_body *b, sp_coef c, const double *x, double *y, bool pinned) {
    sp_solid *s = sp__solid(b);
    node_pass p = {.b = b, .s = s, .x = x, .y = y, .c = c, .pinned = pinned};
    const double *keep = pinned ? s->keep : NULL;
    p.slots = system_run(b, frozen_product_chunk, c.k + c.b * s->params.rayleigh_stiffness, c.m + c.b * s->params.rayleigh_mass,
                         x, keep);
    double dot = sp__ranges(b->ctx, s->nodes, system_nodes, &p, s->partial);
    return dot + add_terms(b, c, x, keep, y);
}

static double solid_mul(void *o, sp_coef c, const double *x, double *y) {
    return solid_multiply(o, c, x, y, true);
}

static void solid_mul_raw(void *o, sp_coef c, const double *x, double *y) {
    solid_multiply(o, c, x, y, false);
}

// memory for the largest number of terms, which changes only when springs or surfaces are added
static sp_status solid_reserve_terms(sp_body *b) {
    sp_solid *s = sp__solid(b);
    if (b->loads.term_capacity <= s->term_capacity) return SP_OK;
    sp__free(b->ctx, s->terms);
    s->term_count = s->term_capacity = 0;
    if (!SP_NEW(b->ctx, s->terms, b->loads.term_capacity))
        return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for %d springs and contacts of '%s'", b->loads.term_capacity, b->name);
    SP_LEND(b->ctx, s->terms);
    s->term_capacity = b->loads.term_capacity;
    return SP_OK;
}

static void copy_terms(sp_body *b) {
    sp_solid *s = sp__solid(b);
    s->term_count = b->loads.term_count;
    for (int t = 0; t < s->term_count; t++) {
        const sp_point_term *from = &b->loads.terms[t];
        sp_solid_term *to = &s->terms[t];
        memcpy(to->node, sp__solid_cell(s, from->at.elem), sizeof to->node);
        sp__solid_weights(&from->at, to->w);
        memcpy(to->k, from->k, sizeof to->k);
        memcpy(to->b, from->b, sizeof to->b);
    }
}

static void group_freeze(sp_solid_group *g) {
    g->frozen = g->tets, g->frozen_iso = g->iso, g->frozen_springs = g->springs;
}

sp_status sp__solid_linearise(sp_body *b, const sp_step *step, sp_system *out) {
    (void)step;
    sp_solid *s = sp__solid(b);
    const sp_elements *elements;
    SP_TRY(sp__solid_elements(b, &elements));
    SP_TRY(solid_reserve_terms(b));
    copy_terms(b);
    for (int g = 0; g < s->group_count; g++) group_freeze(&s->group[g]);
    for (int i = 0; i < b->nv; i++) s->keep[i] = b->fixed[i] ? 0.0 : 1.0;
    *out = (sp_system){.n = b->nv,
                       .block = 3,
                       .pattern = s->pattern,
                       .values = ++s->values,
                       .fixed = b->fixed,
                       .mul = solid_mul,
                       .mul_raw = solid_mul_raw,
                       .assemble = sp__solid_assemble,
                       .make_pattern = sp__solid_make_pattern,
                       .node_rotations = sp__solid_node_rotations,
                       .points = sp__solid_rest_points,
                       .elements = elements,
                       .ctx = b->ctx,
                       .o = b};
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ retract, prescribe

void sp__solid_retract(sp_body *b, const sp_step *step, sp_which from, double s, const double *v) {
    (void)step;
    const double *q = b->q[from];
    double *trial = b->q[SP_TRIAL];
    for (int i = 0; i < b->nv; i++) trial[i] = q[i] + s * v[i];
}

void sp__solid_prescribe(sp_body *b, const sp_step *step) {
    sp_solid *s = sp__solid(b);
    double t = step->time;
    if (b->material_note[0]) b->notice = step->number == 1 ? b->material_note : NULL;
    if (s->young_of_time.eval) {
        double young = sp_signal_value(&s->young_of_time, t);
        // a signal outside its range keeps the last valid value
        if (isfinite(young) && young >= 0 && young != s->region[0].young)
            s->region[0].young = young, s->stale = b->retune = b->energy_stale = true;
    }
    sp__solid_prescribe_eigenstrain(b, t);
    if (sp__masses_prescribe(b, t)) s->stale = b->retune = b->energy_stale = true;
    for (int i = 0; i < b->nv; i++)
        if (b->fixed[i]) b->target[i] = s->hold[i];
    for (int m = 0; m < s->moved_count; m++) {
        const sp_moved *mv = &s->moved[m];
        sp_pose pose = sp_pose_signal_value(&mv->pose, t);
        double R[9];
        sp__quat_matrix(pose.quat, R);
        for (int i = 0; i < mv->count; i++) {
            double r[3], x[3];
            sp__sub3(mv->start + 3 * (size_t)i, mv->about, r);
            sp__mul3(R, r, x);
            for (int k = 0; k < 3; k++) {
                size_t at = 3 * (size_t)mv->node[i] + (size_t)k;
                if ((mv->axes >> k & 1) && b->fixed[at] == SP_MOVED) b->target[at] = x[k] + mv->about[k] + pose.translate[k];
            }
        }
    }
    for (int k = 0; k < s->dead_count; k++)
        for (int a = 0; a < 3; a++) s->dead[k].now[a] = sp_signal_value(&s->dead[k].value[a], t);
    for (int k = 0; k < s->pressure_count; k++) s->pressure[k].now = sp_signal_value(&s->pressure[k].value, t);
}

// ------------------------------------------------------------------------------------------------ materials

// From parameters to the input of the kernels: sqrt(V mu) and lambda / mu per element, lumped mass and drag per node.

static double solid_pick(const double *override, int slot, double value) {
    return override && !isnan(override[slot]) ? override[slot] : value;
}

sp_material sp__material_over(const sp_material *region, const sp_material *body) {
    sp_material m = *region;
    if (isnan(m.density)) m.density = body->density;
    if (isnan(m.young)) m.young = body->young;
    if (isnan(m.poisson)) m.poisson = body->poisson;
    if (isnan(m.fibre_young)) m.fibre_young = body->fibre_young;
    if (isnan(m.fibre[0])) memcpy(m.fibre, body->fibre, sizeof m.fibre);
    return m;
}

static sp_material solid_region(const sp_solid *s, int region) {
    sp_material m = s->own[region];
    m.density = s->region[region].density, m.young = s->region[region].young, m.poisson = s->region[region].poisson;
    return m;
}

sp_material sp__solid_material_of(const sp_solid *s, int slot) {
    const int region = s->region_of ? s->region_of[slot] : 0;
    sp_material m = solid_region(s, region), body = solid_region(s, 0);
    m = sp__material_over(&m, &body);
    m.density = solid_pick(s->density, slot, m.density);
    m.young = solid_pick(s->young, slot, m.young);
    m.poisson = solid_pick(s->poisson, slot, m.poisson);
    return m;
}

// the linear material has no rotation: its gradients are those at rest, in world axes
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

// the lightest of the nodes that carry a collision point; weights below 1e-9 come from rounding
static double solid_lightest(const sp_solid *s, const sp_anchor *a) {
    const int *node = sp__solid_cell(s, a->elem);
    double w[4], least = INFINITY;
    sp__solid_weights(a, w);
    for (int c = 0; c < 4; c++)
        if (fabs(w[c]) > 1e-9) least = fmin(least, s->mass[node[c]]);
    return least;
}

// no node of a collision point has an element
static bool solid_carried_by_none(const sp_solid *s, const sp_anchor *a) {
    const int *node = sp__solid_cell(s, a->elem);
    double w[4];
    bool none = true;
    sp__solid_weights(a, w);
    for (int c = 0; c < 4; c++) none = none && (fabs(w[c]) <= 1e-9 || sp__solid_bare(s, node[c]));
    return none;
}

// point masses, lumped to the nodes of their elements
static void add_point_masses(const sp_body *b) {
    sp_solid *s = sp__solid(b);
    for (int i = 0; i < b->loads.mass_count; i++)
        for (int k = 0; k < b->loads.masses[i].count; k++) {
            const sp_anchor *at = &b->loads.masses[i].at[k];
            const int *node = sp__solid_cell(s, at->elem);
            double w[4], m = sp__mass_each(&b->loads.masses[i]);
            sp__solid_weights(at, w);
            for (int a = 0; a < 4; a++) sp__solid_point_mass(s, node[a], w[a] * m);
        }
}

int sp__solid_law_number(const sp_solid_law *law) {
    static const int forms[] = {SP_LAW_NEO_HOOKEAN_STABLE, SP_LAW_NEO_HOOKEAN_LOG, SP_LAW_NEO_HOOKEAN_ISOCHORIC};
    switch (law->model) {
    case SP_COROTATIONAL: return SP_LAW_COROTATIONAL;
    case SP_LINEAR: return SP_LAW_LINEAR;
    case SP_STVK: return SP_LAW_STVK;
    case SP_NEO_HOOKEAN: return forms[law->form];
    case SP_MOONEY_RIVLIN: return SP_LAW_MOONEY_RIVLIN;
    case SP_ARRUDA_BOYCE: return SP_LAW_ARRUDA_BOYCE;
    case SP_VERONDA_WESTMANN: return SP_LAW_VERONDA_WESTMANN;
    case SP_OGDEN: return SP_LAW_OGDEN;
    case SP_HOLZAPFEL: return SP_LAW_HOLZAPFEL;
    case SP_COSTA: return SP_LAW_COSTA;
    case SP_TENSOR_MASS: return sp__law_is_linear(law) ? SP_LAW_LINEAR : SP_LAW_STVK;
    case SP_MASS_SPRING: break;  // no law of a continuum
    }
    return SP_LAWS_ALL;
}

const char *sp__solid_law_params(const sp_solid_law *law, const sp_material *m, double param[SP_LAW_PARAMS], char *text,
                                 size_t size) {
    sp_law_numbers numbers = {.young = m->young,
                              .poisson = m->poisson,
                              .bulk = m->bulk > 0 ? m->bulk : NAN,
                              .penalty = m->incompressibility,
                              .coefficient_count = m->coefficient_count};
    memcpy(numbers.coefficients, m->coefficients, sizeof numbers.coefficients);
    if (law->model == SP_MASS_SPRING) {
        memset(param, 0, SP_LAW_PARAMS * sizeof *param);
        return NULL;
    }
    const char *wrong = sp__law_params(sp__solid_law_number(law), (int)law->volumetric, &numbers, param, text, size);
    if (!wrong && law->model == SP_COROTATIONAL) param[SP_LAW_EXACT] = law->tangent == SP_TANGENT_EXACT;
    return wrong;
}

bool sp_material_moduli(const sp_solid_law *law, const sp_material *material, sp_moduli *out, char *wrong, size_t size) {
    double param[SP_LAW_PARAMS];
    char text[200];
    *out = (sp_moduli){NAN, NAN, NAN, NAN};
    const char *refused = sp__solid_law_params(law, material, param, text, sizeof text);
    if (wrong && size) snprintf(wrong, size, "%s", refused ? refused : "");
    if (refused) return false;
    int number = sp__solid_law_number(law);
    if (law->model == SP_MASS_SPRING) {  // Poisson's ratio 1/4
        *out = (sp_moduli){.young = material->young, .poisson = 0.25, .shear = 0.4 * material->young};
        out->bulk = 2. / 3 * material->young;
        return true;
    }
    double shear = sp__law_shear(number, param), bulk = sp__law_bulk(number, param), sum = 3 * bulk + shear;
    *out = (sp_moduli){.shear = shear, .bulk = bulk};
    out->young = sum > 0 ? 9 * bulk * shear / sum : 0;
    out->poisson = sum > 0 ? (3 * bulk - 2 * shear) / (2 * sum) : 0;
    return true;
}

static void tet_material(sp_solid *s, sp_solid_group *g, int slot, const sp_material *m) {
    double mu = m->young / (2 * (1 + m->poisson)), V = s->volume[slot];
    g->tets.scale[slot - g->first] = sqrt(V * mu);
    g->tets.ratio[slot - g->first] = 2 * m->poisson / (1 - 2 * m->poisson);
    // the penalty is a part of lambda; an element without stiffness has none
    if (m->incompressibility > 0 && mu > 0) g->tets.ratio[slot - g->first] += m->incompressibility / mu;
    if (sp__solid_alive(s, slot)) s->rigidity += V * mu;
}

double sp__solid_fibre_params(const sp_solid_law *law, const sp_material *m, const double *param, double out[SP_FIBRE_PARAMS]) {
    bool own = law->model == SP_HOLZAPFEL;
    out[0] = own ? param[1] : m->fibre_young / 4;
    out[1] = own ? param[2] : 0;
    out[2] = own;
    return 4 * out[0];
}

// numbers of the fibres of the element at `at` of a group, the same for every family
static void fibre_material(sp_solid_group *g, size_t at, const sp_material *m, const double *param) {
    size_t w = (size_t)g->lanes, per = SP_FIBRE_PARAMS * (size_t)g->iso.families;
    double fibre[SP_FIBRE_PARAMS];
    sp__solid_fibre_params(&g->law, m, param, fibre);
    for (size_t k = 0; k < per; k++) g->iso.fibre_param[(at / w * per + k) * w + at % w] = fibre[k % SP_FIBRE_PARAMS];
}

static void iso_material(sp_solid *s, sp_solid_group *g, int slot, const sp_material *m) {
    double param[SP_LAW_PARAMS];
    char text[200];
    size_t w = (size_t)g->lanes, at = (size_t)(slot - g->first);
    if (sp__solid_law_params(&g->law, m, param, text, sizeof text)) return;  // an edit out of range: the last values stay
    int law = sp__solid_law_number(&g->law);
    for (size_t k = 0; k < SP_LAW_PARAMS; k++) g->iso.param[(at / w * SP_LAW_PARAMS + k) * w + at % w] = param[k];
    fibre_material(g, at, m, param);
    if (g->relaxes) sp__solid_relax_params(s, g, slot, m, param);
    if (sp__solid_alive(s, slot)) s->rigidity += s->volume[slot] * sp__law_shear(law, param);
}

// Shares of the nodes of an element in its mass and in a body load. Four nodes have equal shares. Others are lumped in proportion
// to the diagonal of the consistent mass matrix (Hinton, Rock, Zienkiewicz 1976), because sums of its rows, the consistent shares
// of a load, are negative at corners of ten-node tetrahedra.
static void element_shares(const sp_solid *s, const sp_solid_group *g, int slot, double *lumped, double *load) {
    const sp_iso *iso = &g->iso;
    size_t w = (size_t)g->lanes, at = (size_t)(slot - g->first);
    double sum = 0;
    for (int a = 0; a < g->nodes; a++) lumped[a] = load[a] = g->type == SP_ELEMENT_TET4 ? 1.0 / g->nodes : 0;
    if (g->type == SP_ELEMENT_TET4) return;
    if (g->springs.pattern) {
        sp__springs_shares(s, g, slot, lumped), sp__springs_shares(s, g, slot, load);
        return;
    }
    for (int p = 0; p < iso->points; p++) {
        double natural[3], weight, shape[SP_ELEMENT_NODES_MAX];
        sp__group_point(g, p, natural, &weight);
        sp__element_weights(g->type, natural, shape);
        weight = sp__group_weights(g)[(at / w * (size_t)iso->points + (size_t)p) * w + at % w] / s->volume[slot];
        for (int a = 0; a < g->nodes; a++) lumped[a] += weight * shape[a] * shape[a], load[a] += weight * shape[a];
    }
    for (int a = 0; a < g->nodes; a++) sum += lumped[a];
    for (int a = 0; a < g->nodes; a++) lumped[a] /= sum;
}

static void group_materials(sp_solid *s, sp_solid_group *g) {
    for (int slot = g->first; slot < g->first + g->slots; slot++) {
        sp_material m = sp__solid_material_of(s, slot);
        double V = s->volume[slot], lumped[SP_ELEMENT_NODES_MAX], load[SP_ELEMENT_NODES_MAX];
        (g->springs.pattern ? sp__springs_material : g->iso.points ? iso_material : tet_material)(s, g, slot, &m);
        if (!sp__solid_alive(s, slot)) continue;
        element_shares(s, g, slot, lumped, load);
        if (s->consistent) s->element_mass[slot] = m.density * V, sp__mass_rows(g, slot, load);
        for (int a = 0; a < g->nodes; a++) {
            int i = sp__group_node(g, slot, a);
            s->mass[i] += m.density * V * lumped[a], s->drag_of[i] += s->params.drag * V * lumped[a];
            if (s->load_mass != s->mass) s->load_mass[i] += m.density * V * load[a];
        }
    }
    if (g->tets.frame) set_linear_gradients(&g->tets);
}

void sp__solid_materials(sp_body *b) {
    sp_solid *s = sp__solid(b);
    sp__solid_update_eigenstrain(b);
    if (!s->stale) return;
    memset(s->mass, 0, sizeof *s->mass * (size_t)s->nodes);
    memset(s->drag_of, 0, sizeof *s->drag_of * (size_t)s->nodes);
    if (s->load_mass != s->mass) memset(s->load_mass, 0, sizeof *s->mass * (size_t)s->nodes);
    if (s->diagonal_mass != s->mass) memset(s->diagonal_mass, 0, sizeof *s->mass * (size_t)s->nodes);
    s->rigidity = 0;
    for (int g = 0; g < s->group_count; g++) group_materials(s, &s->group[g]);
    double mass = 0;
    for (int i = 0; i < s->nodes; i++) mass += s->mass[i];
    b->loads.mean_mass = mass / (s->nodes - (s->left ? s->left->bare_count
                                                     : 0));  // without point masses: a weight makes only its own contacts stiffer
    add_point_masses(b);
    for (int k = 0; k < s->dead_count; k++)
        if (s->dead[k].by_mass)
            for (int i = 0; i < s->dead[k].count; i++) s->dead[k].weight[i] = s->load_mass[s->dead[k].node[i]];
    for (int i = 0; i < b->loads.node_count; i++) {
        sp_contact_node *node = &b->loads.nodes[i];
        node->mass = node->share * solid_lightest(s, &node->at);
        node->off = s->left && solid_carried_by_none(s, &node->at);
    }
    s->stale = false;
    s->material_revision++;
}

// ------------------------------------------------------------------------------------------------ energies

// Input of the energy balance: energies, volume and inverted elements at a state, and the work of the loads of the solid.

enum { ELASTIC, VOLUME, INVERTED, KINETIC, MOMENT, SUMS = 8 };

typedef struct sum_job {
    const sp_body *b;
    sp_which which;
    const double *u;  // displacements at the state, if a group needs them
    size_t touch;     // most nodes of a chunk of any group: workers are in different groups at the same time
} sum_job;

// Moments are relative to the rest shape, so that small motions far from the origin keep their precision.
static void sum_nodes(const sum_job *j, int begin, int end, double *sum) {
    const sp_solid *s = sp__solid(j->b);
    const double *q = j->b->q[j->which], *v = j->b->v[j->which], *moment = s->consistent ? s->load_mass : s->mass;
    for (int i = begin; i < end; i++) {
        size_t at = 3 * (size_t)i;
        double m = moment[i];
        sum[KINETIC] += 0.5 * s->diagonal_mass[i] * sp__dot3(v + at, v + at);
        for (size_t k = 0; k < 3; k++) sum[MOMENT + k] += m * (q[at + k] - s->rest[at + k]);
    }
}

// det(dx/dnatural) of a quadratic tetrahedron is not positive at a vertex; x: 10 x 3
static bool vertex_inverted(const double *x) {
    static const int others[4][3] = {{1, 2, 3}, {0, 3, 2}, {3, 0, 1}, {2, 1, 0}},
                     middle[4][3] = {{4, 6, 7}, {4, 8, 5}, {9, 6, 5}, {9, 8, 7}};
    for (int a = 0; a < 4; a++) {
        double along[3][3], n[3];
        for (int e = 0; e < 3; e++)
            for (int k = 0; k < 3; k++)
                along[e][k] = 4 * (x[3 * middle[a][e] + k] - x[3 * a + k]) - (x[3 * others[a][e] + k] - x[3 * a + k]);
        sp__cross3(along[0], along[1], n);
        if (!(sp__dot3(n, along[2]) > 0)) return true;
    }
    return false;
}

// Quadratic tetrahedra that are folded at a vertex although the volumes at their four points are positive: iso_sums counts those
// with a negative one.
static double folded_elements(const sp_solid *s, const sp_solid_group *g, int task, const double *q) {
    int count = 0;
    if (g->type != SP_ELEMENT_TET10 || g->springs.pattern || g->law.integration == SP_INTEGRATION_VERTICES) return 0;
    for (int slot = g->first + g->lanes * g->block_start[task]; slot < g->first + g->lanes * g->block_start[task + 1]; slot++) {
        double x[3 * SP_ELEMENT_NODES_MAX], natural[3], weight;
        for (int a = 0; a < g->nodes; a++) memcpy(x + 3 * a, q + 3 * (size_t)sp__group_node(g, slot, a), 3 * sizeof *x);
        if (!sp__solid_alive(s, slot) || !vertex_inverted(x)) continue;
        bool seen = false;
        for (int p = 0; p < sp__element_points(g->type); p++) {
            sp__element_point(g->type, p, natural, &weight);
            seen = seen || !(sp__element_det(g->type, x, natural) > 0);
        }
        count += !seen;
    }
    return count;
}

// a chunk of elements of each group, and a range of nodes
static void sum_task(void *arg, int task, int worker) {
    const sum_job *j = arg;
    const sp_solid *s = sp__solid(j->b);
    double *sum = s->task_sums + SUMS * (size_t)task;
    memset(sum, 0, SUMS * sizeof *sum);
    for (int g = 0; g < s->group_count; g++) {
        const sp_solid_group *group = &s->group[g];
        const sp_chunks *c = &group->chunks;
        double *x = s->scratch + (size_t)worker * 8 * j->touch, more[3];
        if (task >= c->count) continue;
        s->be->gather(group->iso.points ? j->u : j->b->q[j->which], NULL, c->node + c->start[task],
                      c->start[task + 1] - c->start[task], x);
        const sp_iso lasting = sp__group_lasting(group);
        if (group->springs.pattern)
            sp__springs_sums(&group->springs, task, x, more);
        else if (group->iso.points)
            s->be->iso_sums(&lasting, task, x, more);
        else
            s->be->tet_sums(&group->tets, task, x, more);
        // the energy of the committed state is asked for where edits have changed it
        if (group->relaxes)
            more[ELASTIC] += sp__chunk_history_energy(s, group, task, j->b->q[j->which], j->which == SP_COMMITTED);
        for (int k = 0; k < 3; k++) sum[k] += more[k];
        sum[INVERTED] += folded_elements(s, group, task, j->b->q[j->which]);
        if (!s->consistent) continue;
        s->be->gather(j->b->v[j->which], NULL, c->node + c->start[task], c->start[task + 1] - c->start[task], x);
        sum[KINETIC] += sp__mass_energy(s, group, task, x);
    }
    if (task < s->leaf_count) sum_nodes(j, s->leaf_start[task], s->leaf_start[task + 1], sum);
}

static int sum_tasks(const sp_solid *s) {
    int most = s->leaf_count;
    for (int g = 0; g < s->group_count; g++)
        if (s->group[g].chunks.count > most) most = s->group[g].chunks.count;
    return most;
}

sp_status sp__solid_make_sums(sp_body *b) {
    sp_solid *s = sp__solid(b);
    for (int slot = 0; slot < s->slots; slot++) s->rest_volume += s->volume[slot];
    return SP_NEW(b->ctx, s->task_sums, SUMS * (size_t)sum_tasks(s)) ? SP_OK : SP_NO_MEMORY;
}

// edge of a regular tetrahedron or triangle of the mean size
static double solid_element_size(const sp_solid *s) {
    double mean = s->rest_volume / sp__solid_living(s);
    return sp__solid_is_membrane(s) ? sqrt(4 / sqrt(3) * mean / s->thickness) : cbrt(6 * sqrt(2) * mean);
}

void sp__solid_energies(sp_body *b, sp_which which, sp_energies *out) {
    sp_solid *s = sp__solid(b);
    double sum[SUMS] = {0};
    int tasks = sum_tasks(s);
    sp__solid_materials(b);
    sum_job j = {b, which, solid_displacement(b, b->q[which]), 0};
    for (int g = 0; g < s->group_count; g++)
        if ((size_t)s->group[g].chunks.touch_max > j.touch) j.touch = (size_t)s->group[g].chunks.touch_max;
    sp__chunks_each(b->ctx, s->be, tasks, sum_task, &j);
    for (int t = 0; t < tasks; t++)
        for (int k = 0; k < SUMS; k++) sum[k] += s->task_sums[SUMS * (size_t)t + (size_t)k];
    *out = (sp_energies){.kinetic = sum[KINETIC],
                         .elastic = sum[ELASTIC],
                         .moment = {sum[MOMENT], sum[MOMENT + 1], sum[MOMENT + 2]},
                         .volume = sum[VOLUME],
                         .rest_volume = s->rest_volume,
                         .inverted = sum[INVERTED],
                         .rigidity = s->rigidity,
                         .size = solid_element_size(s)};
}

// ------------------------------------------------------------------------------------------------ work

// area vectors at a fraction of the path times the displacement
static double patch_work(const sp_face_patch *p, const double *from, const double *to, double fraction) {
    double x[3 * SP_ELEMENT_NODES_MAX], area[3 * SP_ELEMENT_NODES_MAX], work = 0;
    sp_face_patch own = *p;
    for (int a = 0; a < p->nodes; a++) {
        size_t at = 3 * (size_t)p->node[a];
        for (size_t k = 0; k < 3; k++) x[3 * a + (int)k] = from[at + k] + fraction * (to[at + k] - from[at + k]);
        own.node[a] = a;
    }
    sp__face_patch_areas(&own, x, area, NULL);
    for (int a = 0; a < p->nodes; a++)
        for (size_t k = 0; k < 3; k++) {
            size_t at = 3 * (size_t)p->node[a] + k;
            work += area[3 * a + (int)k] * (to[at] - from[at]);
        }
    return work;
}

// Along a straight path the force of a pressure is quadratic, so Simpson's rule is exact.
static double pressure_work(const sp_body *b, const sp_pressure_load *p) {
    const sp_solid *s = sp__solid(b);
    static const double at[3] = {0, 0.5, 1}, weight[3] = {1, 4, 1};
    const double *from = b->q[SP_COMMITTED], *to = b->q[SP_TRIAL];
    double work = 0;
    for (int i = 0; i < p->count; i++) {
        double x[3][3], displacement[3] = {0}, u[3], v[3], n[3];
        if (sp__solid_gone(s, p->element[i])) continue;
        for (int k = 0; k < 3; k++) {
            size_t node = 3 * (size_t)p->face[i][k];
            for (size_t a = 0; a < 3; a++) displacement[a] += to[node + a] - from[node + a];
        }
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++)
                for (int a = 0; a < 3; a++) {
                    size_t e = 3 * (size_t)p->face[i][k] + (size_t)a;
                    x[k][a] = from[e] + at[j] * (to[e] - from[e]);
                }
            sp__sub3(x[1], x[0], u), sp__sub3(x[2], x[0], v);
            sp__cross3(u, v, n);
            work -= weight[j] / 6 * p->now / 6 * sp__dot3(n, displacement);
        }
    }
    for (int i = 0; i < p->patch_count; i++)
        for (int j = 0; j < 3 && !sp__solid_gone(s, p->patch[i].element); j++)
            work -= weight[j] / 6 * p->now * patch_work(&p->patch[i], from, to, at[j]);
    return work;
}

double sp__solid_work(sp_body *b, double push[3]) {
    const sp_solid *s = sp__solid(b);
    double work = 0;
    (void)push;
    for (int k = 0; k < s->dead_count; k++)
        for (int i = 0; i < s->dead[k].count; i++)
            for (size_t a = 0; a < 3; a++) {
                size_t at = 3 * (size_t)s->dead[k].node[i] + a;
                work += s->dead[k].now[a] * sp__solid_share(s, &s->dead[k], i) * (b->q[SP_TRIAL][at] - b->q[SP_COMMITTED][at]);
            }
    for (int k = 0; k < s->pressure_count; k++) work += pressure_work(b, &s->pressure[k]);
    return work;
}
