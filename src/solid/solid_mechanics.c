// Forces, energies and the system of the solid, over chunks of elements and ranges of nodes (backend.h).
#include "solid/solid.h"

// ------------------------------------------------------------------------------------------------ chunk passes

static double state_chunk(const void *data, int chunk, const double *x, double *y) {
    const sp_solid *s = data;
    return s->be->tet_state(&s->tets, chunk, x, y);
}

static double product_chunk(const void *data, int chunk, const double *x, double *y) {
    const sp_solid *s = data;
    s->be->tet_product(&s->tets, chunk, x, y);
    return 0;
}

static double frozen_product_chunk(const void *data, int chunk, const double *x, double *y) {
    const sp_solid *s = data;
    s->be->tet_product(&s->frozen, chunk, x, y);
    return 0;
}

static double run(sp_body *b, sp_chunk_fn *fn, const double *x, const double *keep, bool wants_y) {
    sp_solid *s = sp__solid(b);
    return sp__chunks_run(b->ctx, s->be, &s->tets.chunks, fn, s, x, keep, wants_y, s->scratch);
}

// ------------------------------------------------------------------------------------------------ state to forces

typedef struct node_pass {
    sp_body *b;
    sp_solid *s;
    const double *x, *v;
    double *y, sign, gravity[3];
    sp_coef c;
    bool pinned;
} node_pass;

// f = elastic + gravity - (alpha m + drag) v; returns the potential of gravity, from the rest shape to mind cancellation
static double force_nodes(void *arg, int begin, int end) {
    node_pass *p = arg;
    const sp_solid *s = p->s;
    double potential = 0;
    for (int i = begin; i < end; i++) {
        double e[3], m = s->mass[i], drag = s->rayleigh_mass * m + s->drag_of[i];
        sp__chunks_sum(&s->tets.chunks, i, e);
        for (int k = 0; k < 3; k++) {
            size_t at = 3 * (size_t)i + (size_t)k;
            p->y[at] = p->sign * e[k] + m * p->gravity[k] - drag * p->v[at];
            potential -= m * p->gravity[k] * (p->x[at] - s->rest[at]);
        }
    }
    return potential;
}

// y -= beta (sum of slots)
static double damp_nodes(void *arg, int begin, int end) {
    node_pass *p = arg;
    for (int i = begin; i < end; i++) {
        double e[3];
        sp__chunks_sum(&p->s->tets.chunks, i, e);
        for (int k = 0; k < 3; k++) p->y[3 * (size_t)i + (size_t)k] -= p->s->rayleigh_stiffness * e[k];
    }
    return 0;
}

static double displacement(void *arg, int begin, int end) {
    node_pass *p = arg;
    for (size_t i = 3 * (size_t)begin; i < 3 * (size_t)end; i++) p->y[i] = p->x[i] - p->s->rest[i];
    return 0;
}

static double half_work(void *arg, int begin, int end) {
    node_pass *p = arg;
    double sum = 0;
    for (int i = begin; i < end; i++) {
        double e[3];
        sp__chunks_sum(&p->s->tets.chunks, i, e);
        sum += 0.5 * sp__dot3(e, p->x + 3 * (size_t)i);
    }
    return sum;
}

// K u in the slots, for the linear material; returns u . K u / 2
static double linear_state(sp_body *b, const double *q) {
    sp_solid *s = sp__solid(b);
    node_pass p = {.b = b, .s = s, .x = q, .y = s->work};
    sp__ranges(b->ctx, s->nodes, displacement, &p, s->partial);
    run(b, product_chunk, s->work, NULL, true);
    p.x = s->work;
    return sp__ranges(b->ctx, s->nodes, half_work, &p, s->partial);
}

double sp__solid_elastic(sp_body *b, const double *q) {
    sp_solid *s = sp__solid(b);
    sp__solid_materials(b);
    if (s->model == SP_LINEAR) return linear_state(b, q);
    if (s->rotation == SP_ROTATION_QR || s->shape == SP_SHAPE_DEFORMED) return NAN;
    return run(b, state_chunk, q, NULL, false);
}

static bool moving(const sp_body *b) {
    for (int i = 0; i < b->nv; i++)
        if (b->v[SP_TRIAL][i] != 0) return true;
    return false;
}

static void swap_arrays(double **a, double **b) {
    double *c = *a;
    *a = *b, *b = c;
}

// New gradients go where the system of the last linearise does not read.
static void spare_system(sp_solid *s) {
    if (s->tets.grad != s->frozen.grad) return;
    swap_arrays(&s->tets.grad, &s->other_grad);
    swap_arrays(&s->tets.spin, &s->other_spin);
}

sp_status sp__solid_evaluate(sp_body *b, const sp_step *step, unsigned want) {
    sp_solid *s = sp__solid(b);
    const double *q = b->q[SP_TRIAL];
    node_pass p = {.b = b, .s = s, .x = q, .v = b->v[SP_TRIAL], .y = b->f};
    for (int k = 0; k < 3; k++) p.gravity[k] = step->load_factor * step->gravity[k];
    sp__solid_materials(b);
    if (s->model == SP_LINEAR) {
        s->elastic = linear_state(b, q);
        p.sign = -1;
    } else {
        // with a force wanted, energy comes along; rotations and gradients stay for linearise
        if (want & SP_WANT_FORCE) spare_system(s);
        s->elastic = want & SP_WANT_FORCE ? run(b, state_chunk, q, NULL, true) : run(b, state_chunk, q, NULL, false);
        p.sign = 1;
    }
    double potential = sp__ranges(b->ctx, s->nodes, force_nodes, &p, s->partial);
    b->energy = s->elastic + potential + b->loads.energy;
    sp__solid_dead_loads(b, step->load_factor);
    if (!(want & SP_WANT_FORCE)) return SP_OK;
    if (s->rayleigh_stiffness > 0 && moving(b)) {
        run(b, product_chunk, b->v[SP_TRIAL], NULL, true);
        sp__ranges(b->ctx, s->nodes, damp_nodes, &p, s->partial);
    }
    for (int k = 0; k < b->loads.term_count; k++)
        sp__solid_push(b, SP_TRIAL, 1, &b->loads.terms[k].at, b->loads.terms[k].f, b->f);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ the system

// y = (m M + b B + k K) x from the slots; pinned rows are unit rows
static double system_nodes(void *arg, int begin, int end) {
    node_pass *p = arg;
    const sp_solid *s = p->s;
    double stiff = p->c.k + p->c.b * s->rayleigh_stiffness, heavy = p->c.m + p->c.b * s->rayleigh_mass, dot = 0;
    for (int i = begin; i < end; i++) {
        double e[3] = {0, 0, 0}, m = heavy * s->mass[i] + p->c.b * s->drag_of[i];
        if (stiff != 0) sp__chunks_sum(&s->tets.chunks, i, e);
        for (int k = 0; k < 3; k++) {
            size_t at = 3 * (size_t)i + (size_t)k;
            p->y[at] = p->pinned && p->b->fixed[at] ? p->x[at] : m * p->x[at] + stiff * e[k];
            dot += p->x[at] * p->y[at];
        }
    }
    return dot;
}

// y += J^T (b B + k K) J x of the point terms; returns what that adds to x . y
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

static double multiply(sp_body *b, sp_coef c, const double *x, double *y, bool pinned) {
    sp_solid *s = sp__solid(b);
    node_pass p = {.b = b, .s = s, .x = x, .y = y, .c = c, .pinned = pinned};
    const double *keep = pinned ? s->keep : NULL;
    if (c.k + c.b * s->rayleigh_stiffness != 0) run(b, frozen_product_chunk, x, keep, true);
    double dot = sp__ranges(b->ctx, s->nodes, system_nodes, &p, s->partial);
    return dot + add_terms(b, c, x, keep, y);
}

static double mul(void *o, sp_coef c, const double *x, double *y) {
    return multiply(o, c, x, y, true);
}

static void mul_raw(void *o, sp_coef c, const double *x, double *y) {
    multiply(o, c, x, y, false);
}

// room for as many as there can be: more only after springs or surfaces were added
static sp_status reserve_terms(sp_body *b) {
    sp_solid *s = sp__solid(b);
    if (b->loads.term_capacity <= s->term_room) return SP_OK;
    sp__free(b->ctx, s->terms);
    s->term_count = s->term_room = 0;
    if (!SP_NEW(b->ctx, s->terms, b->loads.term_capacity))
        return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for %d springs and contacts of '%s'", b->loads.term_capacity, b->name);
    s->term_room = b->loads.term_capacity;
    return SP_OK;
}

static void copy_terms(sp_body *b) {
    sp_solid *s = sp__solid(b);
    s->term_count = b->loads.term_count;
    for (int t = 0; t < s->term_count; t++) {
        const sp_point_term *from = &b->loads.terms[t];
        sp_solid_term *to = &s->terms[t];
        sp__solid_corners(s, from->at.elem, to->node);
        sp__solid_weights(&from->at, to->w);
        memcpy(to->k, from->k, sizeof to->k);
        memcpy(to->b, from->b, sizeof to->b);
    }
}

sp_status sp__solid_linearise(sp_body *b, const sp_step *step, sp_system *out) {
    (void)step;
    sp_solid *s = sp__solid(b);
    const sp_elements *elements;
    SP_TRY(sp__solid_elements(b, &elements));
    SP_TRY(reserve_terms(b));
    copy_terms(b);
    s->frozen = s->tets;
    for (int i = 0; i < b->nv; i++) s->keep[i] = b->fixed[i] ? 0.0 : 1.0;
    *out = (sp_system){.n = b->nv,
                       .block = 3,
                       .pattern = s->pattern,
                       .values = ++s->values,
                       .fixed = b->fixed,
                       .mul = mul,
                       .mul_raw = mul_raw,
                       .assemble = sp__solid_assemble,
                       .make_pattern = sp__solid_make_pattern,
                       .turns = sp__solid_turns,
                       .points = sp__solid_rest_points,
                       .elements = elements,
                       .ctx = b->ctx,
                       .o = b};
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ small ones

void sp__solid_retract(sp_body *b, const sp_step *step, sp_which from, double s, const double *v) {
    (void)step;
    const double *q = b->q[from];
    double *trial = b->q[SP_TRIAL];
    for (int i = 0; i < b->nv; i++) trial[i] = q[i] + s * v[i];
}

void sp__solid_mass(sp_body *b, const double *x, double *y, bool inverse) {
    sp_solid *s = sp__solid(b);
    sp__solid_materials(b);
    for (int i = 0; i < s->nodes; i++) {
        double m = s->mass[i], f = inverse ? (m > 0 ? 1 / m : 0) : m;
        for (int k = 0; k < 3; k++) y[3 * (size_t)i + (size_t)k] = f * x[3 * (size_t)i + (size_t)k];
    }
}

void sp__solid_prescribe(sp_body *b, const sp_step *step) {
    sp_solid *s = sp__solid(b);
    double t = step->time;
    if (s->young_of_time.eval) {
        double young = sp_signal_at(&s->young_of_time, t);
        // a signal out of its range holds the last good value
        if (isfinite(young) && young >= 0 && young != s->region[0].young)
            s->region[0].young = young, s->stale = b->retune = b->revalue = true;
    }
    for (int i = 0; i < b->nv; i++)
        if (b->fixed[i]) b->target[i] = s->hold[i];
    for (int m = 0; m < s->moved_count; m++) {
        const sp_moved *mv = &s->moved[m];
        sp_pose pose = sp_pose_signal_at(&mv->pose, t);
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
        for (int a = 0; a < 3; a++) s->dead[k].now[a] = sp_signal_at(&s->dead[k].value[a], t);
    for (int k = 0; k < s->pressure_count; k++) s->pressure[k].now = sp_signal_at(&s->pressure[k].value, t);
}
