// Assembly of the forces and the linear system of a rod: models, strand by strand on all workers, damping, loads, point terms.
//
// Damping: B = (a + drag / rho S) M + b K, as in (4.3.20) for curvature coordinates; rho S is the mean of the rod. K is the
// stiffness of bending and twist only: stretch is so stiff that its linearised damping would brake every rotation.
#include "linear/banded.h"
#include "math/vec3.h"
#include "rod/rod.h"

// ------------------------------------------------------------------------------------------------ point terms

static void push_force(const sp_rod *r, const sp_rod_place *s, const double f[3], double *g) {
    for (int i = 0; i < s->count; i++) g[r->part[s->part].v + s->unknown[i]] += sp__dot3(s->columns + 3 * (size_t)i, f);
}

void sp__rod_add_term(const sp_rod_place *s, const double k[6], int band, double *K) {
    for (int i = 0; i < s->count; i++) {
        const double *c = s->columns + 3 * (size_t)i;
        double kc[3] = {k[0] * c[0] + k[3] * c[1] + k[5] * c[2], k[3] * c[0] + k[1] * c[1] + k[4] * c[2],
                        k[5] * c[0] + k[4] * c[1] + k[2] * c[2]};
        for (int j = 0; j <= i; j++)
            *sp__banded_at(K, band, s->unknown[i], s->unknown[j]) += sp__dot3(s->columns + 3 * (size_t)j, kc);
    }
}

// stores position and velocity of a term at its evaluation
static void keep_term(const sp_body *b, const sp_rod_place *s, double out[6]) {
    const double *v = b->v[SP_TRIAL] + sp__rod(b)->part[s->part].v;
    memcpy(out, s->x, sizeof s->x);
    out[3] = out[4] = out[5] = 0;
    for (int i = 0; i < s->count; i++) sp__axpy3(out + 3, v[s->unknown[i]], s->columns + 3 * (size_t)i, out + 3);
}

void sp__rod_lump(double *node, int element, double u, const double f[3]) {
    sp__axpy3(node + 3 * (size_t)element, 1 - u, f, node + 3 * (size_t)element);
    sp__axpy3(node + 3 * (size_t)element + 3, u, f, node + 3 * (size_t)element + 3);
}

void sp__rod_lump_masses(const sp_body *b, int part, double *node) {
    sp_rod_mass m;
    for (int i = 0; sp__rod_mass_next(b, part, &i, &m);) {
        double f[3] = {0, 0, 0};
        sp__axpy3(f, m.mass, sp__rod(b)->acceleration, f);
        sp__rod_lump(node, m.element, m.u, f);
    }
}

// memory for all possible terms; grows only after springs or surfaces were added
static sp_status rod_reserve_terms(sp_body *b) {
    sp_rod *r = sp__rod(b);
    if (b->loads.term_capacity <= r->term_capacity) return SP_OK;
    sp__free(b->ctx, r->term_order), sp__free(b->ctx, r->term_place);
    r->term_order = NULL, r->term_place = NULL;
    r->term_capacity = 0;
    if (!SP_NEW(b->ctx, r->term_order, b->loads.term_capacity) ||
        !SP_NEW(b->ctx, r->term_place, 6 * (size_t)b->loads.term_capacity))
        return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for %d springs and contacts of '%s'", b->loads.term_capacity, b->name);
    r->term_capacity = b->loads.term_capacity;
    return SP_OK;
}

// sorts terms by strand, stable: counting sort
static void sort_terms(sp_body *b) {
    sp_rod *r = sp__rod(b);
    memset(r->term_start, 0, ((size_t)r->parts + 1) * sizeof(int));
    for (int i = 0; i < b->loads.term_count; i++) r->term_start[r->part_of[b->loads.terms[i].at.elem] + 1]++;
    for (int p = 0; p < r->parts; p++) r->term_start[p + 1] += r->term_start[p];
    for (int i = 0; i < b->loads.term_count; i++) {
        int p = r->part_of[b->loads.terms[i].at.elem];
        r->term_order[r->term_start[p]++] = i;
    }
    for (int p = r->parts; p > 0; p--) r->term_start[p] = r->term_start[p - 1];
    r->term_start[0] = 0;
}

// ------------------------------------------------------------------------------------------------ loads

static sp_anchor load_place(const sp_rod_point_load *l) {
    return (sp_anchor){.elem = (uint32_t)l->element, .at = {l->at, 0, 0}};
}

// adds forces and torques; a torque has no potential
static void rod_add_loads(sp_body *b, const sp_step *step) {
    sp_rod *r = sp__rod(b);
    for (int i = 0; i < r->loads; i++) {
        const sp_rod_point_load *l = &r->load[i];
        if (l->type == SP_LOAD_ACCELERATION) continue;
        sp_rod_place s;
        sp_anchor a = load_place(l);
        double f[3];
        for (int k = 0; k < 3; k++) f[k] = step->load_factor * r->load_now[i][k];
        sp__rod_open_place(b, &a, 0, &s);
        memcpy(r->load_place[i], s.x, sizeof s.x);
        if (l->type == SP_LOAD_FORCE) {
            push_force(r, &s, f, b->f);
            b->energy -= sp__dot3(f, s.x);
            continue;
        }
        for (int c = 0; c < s.count; c++) b->f[r->part[s.part].v + s.unknown[c]] += sp__dot3(s.six + 6 * (size_t)c + 3, f);
    }
}

// ------------------------------------------------------------------------------------------------ matrices

static double *band_of(const sp_rod *r, double *A, int part) {
    return A + r->part[part].at;
}

static size_t band_size(const sp_rod_part *p) {
    return (size_t)p->nv * ((size_t)p->band + 1);
}

double sp__rod_mass_damping(const sp_rod *r) {
    return r->params.rayleigh_mass + (r->params.drag > 0 ? r->params.drag / r->mean_line_density : 0);
}

static bool rod_damped(const sp_rod *r) {
    return sp__rod_mass_damping(r) > 0 || r->params.rayleigh_stiffness > 0;
}

// M, K and the damping part of K
static void fill_part(void *arg, int part, int worker) {
    (void)worker;
    sp_body *b = arg;
    sp_rod *r = sp__rod(b);
    size_t n = band_size(&r->part[part]);
    double *M = band_of(r, r->M, part), *K = band_of(r, r->K, part), *B = band_of(r, r->B, part);
    double a = sp__rod_mass_damping(r), s = r->params.rayleigh_stiffness;
    memset(M, 0, n * sizeof *M), memset(K, 0, n * sizeof *K), memset(B, 0, n * sizeof *B);
    if (s > 0) r->model->damping(b, part, B);
    r->model->matrices(b, part, r->exact, M, K);
    for (size_t i = 0; i < n; i++) B[i] = a * M[i] + s * B[i];
}

static void fill_matrices(sp_body *b) {
    sp_rod *r = sp__rod(b);
    if (r->filled) return;
    sp__parallel(b->ctx, r->parts, fill_part, b);
    r->filled = true;
}

// Node forces of loads, weight and point terms. Returns whether a transverse wave under the tension they may cause crosses an
// element within a step: then a step that is explicit in tension is unstable.
static bool node_forces(const sp_body *b, const sp_step *step, int part, double *node) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    double P[3] = {0, 0, 0};
    memset(node, 0, 3 * ((size_t)p->elements + 1) * sizeof *node);
    for (int e = 0; e < p->alive; e++) {
        double weight = 0.5 * sp__rod_stiffness(r, p->element + e)->line_density * r->length[p->element + e];
        double both[3] = {2 * weight * r->acceleration[0], 2 * weight * r->acceleration[1], 2 * weight * r->acceleration[2]};
        sp__rod_lump(node, e, 0.5, both);
    }
    sp__rod_lump_masses(b, part, node);
    for (int i = 0; i < r->loads; i++)
        if (r->load[i].type == SP_LOAD_FORCE && r->part_of[r->load[i].element] == part)
            sp__rod_lump(node, r->load[i].element - p->element, r->load[i].at, r->load_now[i]);
    for (int i = r->term_start[part]; i < r->term_start[part + 1]; i++) {
        const sp_point_term *t = &b->loads.terms[r->term_order[i]];
        sp__rod_lump(node, (int)t->at.elem - p->element, t->at.at[0], t->f);
    }
    for (int e = p->alive - 1; e >= 0; e--) {
        double l = r->length[p->element + e], rho = sp__rod_stiffness(r, p->element + e)->line_density;
        sp__axpy3(P, 1, node + 3 * (size_t)e + 3, P);
        if (step->h * step->h * sp__norm3(P) > rho * l * l) return true;
    }
    return false;
}

typedef struct linearise_job {
    sp_body *b;
    const sp_step *step;
} linearise_job;

// adds the point terms of one strand and, if K is exact, the geometric stiffness of point forces
static void finish_part(void *arg, int part, int worker) {
    sp_body *b = ((const linearise_job *)arg)->b;
    const sp_step *step = ((const linearise_job *)arg)->step;
    sp_rod *r = sp__rod(b);
    sp_rod_place s;
    double *K = band_of(r, r->K, part), *B = band_of(r, r->B, part);
    for (int i = r->term_start[part]; i < r->term_start[part + 1]; i++) {
        const sp_point_term *t = &b->loads.terms[r->term_order[i]];
        sp__rod_open_place(b, &t->at, worker, &s);
        sp__rod_add_term(&s, t->k, r->part[part].band, K);
        sp__rod_add_term(&s, t->b, r->part[part].band, B);
        if (r->exact && r->model->bend_of_force)
            r->model->bend_of_force(b, part, (int)t->at.elem - r->part[part].element, t->at.at[0], t->f, K);
    }
    double *node = r->node_scratch + 3 * (size_t)r->part[part].node;
    if (sp__rod_corrects(b) && r->model->bend_of_nodes && node_forces(b, step, part, node))
        r->model->bend_of_nodes(b, part, node, false, K);
    for (int i = 0; r->exact && r->model->bend_of_force && i < r->loads; i++) {
        const sp_rod_point_load *l = &r->load[i];
        if (l->type != SP_LOAD_FORCE || r->part_of[l->element] != part) continue;
        double f[3];
        for (int k = 0; k < 3; k++) f[k] = step->load_factor * r->load_now[i][k];
        r->model->bend_of_force(b, part, l->element - r->part[part].element, l->at, f, K);
    }
}

// ------------------------------------------------------------------------------------------------ evaluate

static void force_part(void *arg, int part, int worker) {
    (void)worker;
    sp_body *b = arg;
    sp_rod *r = sp__rod(b);
    r->part_energy[part] = r->model->force(b, part, b->f + r->part[part].v);
    if (!sp__rod_corrects(b)) return;
    const double *v = b->v[SP_TRIAL] + r->part[part].v;
    double *p = r->product + r->part[part].v, twice = 0;
    r->model->mass(b, part, v, p, false);
    for (int i = 0; i < r->part[part].nv; i++) twice += v[i] * p[i];
    r->part_kinetic[part] = 0.5 * twice;
}

static void rod_damp(sp_body *b) {
    sp_rod *r = sp__rod(b);
    fill_matrices(b);
    for (int p = 0; p < r->parts; p++) {
        const sp_rod_part *part = &r->part[p];
        double *y = r->product + part->v;
        sp__banded_mul(band_of(r, r->B, p), part->nv, part->band, b->v[SP_TRIAL] + part->v, y);
        for (int i = 0; i < part->nv; i++) b->f[part->v + i] -= y[i];
    }
}

sp_status sp__rod_evaluate(sp_body *b, const sp_step *step, unsigned want) {
    (void)want;
    sp_rod *r = sp__rod(b);
    for (int a = 0; a < 3; a++) r->acceleration[a] = step->load_factor * (step->gravity[a] + r->pushed[a]);
    SP_TRY(sp__rod_update_all_kinematics(b, step, SP_TRIAL, true));
    memset(b->f, 0, (size_t)b->nv * sizeof(double));
    b->energy = b->loads.energy;
    sp__parallel(b->ctx, r->parts, force_part, b);
    for (int p = 0; p < r->parts; p++) b->energy += r->part_energy[p];
    r->filled = false;
    r->values++;
    if (step->h > 0 && rod_damped(r)) rod_damp(b);
    rod_add_loads(b, step);
    SP_TRY(rod_reserve_terms(b));
    for (int i = 0; i < b->loads.term_count; i++) {
        sp_rod_place s;
        sp__rod_open_place(b, &b->loads.terms[i].at, 0, &s);
        push_force(r, &s, b->loads.terms[i].f, b->f);
        keep_term(b, &s, r->term_place + 6 * (size_t)i);
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ linear system

typedef struct product {
    sp_body *b;
    sp_coef c;
    const double *x;
    double *y;
} product;

static void add_band_product(const sp_rod *r, double *A, double s, int part, const double *x, double *y) {
    const sp_rod_part *p = &r->part[part];
    double *own = r->product + p->v;
    if (s == 0) return;
    sp__banded_mul(band_of(r, A, part), p->nv, p->band, x + p->v, own);
    for (int i = 0; i < p->nv; i++) y[p->v + i] += s * own[i];
}

static void mul_part(void *arg, int part, int worker) {
    (void)worker;
    const product *w = arg;
    const sp_rod *r = sp__rod(w->b);
    const sp_rod_part *p = &r->part[part];
    memset(w->y + p->v, 0, (size_t)p->nv * sizeof(double));
    add_band_product(r, r->system[0], w->c.m, part, w->x, w->y);
    add_band_product(r, r->system[1], w->c.b, part, w->x, w->y);
    add_band_product(r, r->system[2], w->c.k, part, w->x, w->y);
}

static void rod_mul_raw(void *o, sp_coef c, const double *x, double *y) {
    sp_body *b = o;
    product w = {b, c, x, y};
    sp__parallel(b->ctx, sp__rod(b)->parts, mul_part, &w);
}

static double rod_mul(void *o, sp_coef c, const double *x, double *y) {
    sp_body *b = o;
    double *kept = sp__rod(b)->kept, dot = 0;
    for (int i = 0; i < b->nv; i++) kept[i] = b->fixed[i] ? 0 : x[i];
    rod_mul_raw(o, c, kept, y);
    for (int i = 0; i < b->nv; i++) {
        if (b->fixed[i]) y[i] = x[i];
        dot += x[i] * y[i];
    }
    return dot;
}

static void fill_band(void *o, sp_coef c, int part, double *A) {
    const sp_rod *r = sp__rod(o);
    const double *M = band_of(r, r->system[0], part), *B = band_of(r, r->system[1], part), *K = band_of(r, r->system[2], part);
    for (size_t i = 0, n = band_size(&r->part[part]); i < n; i++) A[i] = c.m * M[i] + c.b * B[i] + c.k * K[i];
}

static void rod_swap_arrays(double **a, double **b) {
    double *c = *a;
    *a = *b, *b = c;
}

sp_status sp__rod_linearise(sp_body *b, const sp_step *step, sp_system *out) {
    sp_rod *r = sp__rod(b);
    linearise_job job = {b, step};
    SP_TRY(rod_reserve_terms(b));
    SP_TRY(sp__rod_update_all_kinematics(b, step, SP_TRIAL, true));
    fill_matrices(b);
    if (step->exact) sp__rod_exact_tangent(b, step->h);
    sort_terms(b);
    sp__parallel(b->ctx, r->parts, finish_part, &job);
    rod_swap_arrays(&r->M, &r->system[0]), rod_swap_arrays(&r->B, &r->system[1]), rod_swap_arrays(&r->K, &r->system[2]);
    r->filled = false;
    r->chain = (sp_parts){.count = r->parts, .start = r->chain_start, .band = r->chain_band, .fill = fill_band};
    *out = (sp_system){.n = b->nv,
                       .block = 1,
                       .pattern = r->pattern,
                       .values = ++r->values,
                       .fixed = b->fixed,
                       .mul = rod_mul,
                       .mul_raw = rod_mul_raw,
                       .parts = &r->chain,
                       .ctx = b->ctx,
                       .o = b};
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ motion

void sp__rod_retract(sp_body *b, const sp_step *step, sp_which from, double s, const double *v) {
    const sp_rod *r = sp__rod(b);
    for (int p = 0; p < r->parts; p++) {
        const sp_rod_part *part = &r->part[p];
        r->model->move(b, p, step->load_factor, b->q[from] + part->q, s, v + part->v, b->q[SP_TRIAL] + part->q);
    }
}

void sp__rod_difference(sp_body *b, const double *from, const double *to, double *d) {
    const sp_rod *r = sp__rod(b);
    for (int p = 0; p < r->parts; p++) {
        const sp_rod_part *part = &r->part[p];
        r->model->difference(b, p, from + part->q, to + part->q, d + part->v);
    }
}

void sp__rod_interpolate_part(sp_body *b, int part, const double *from, const double *to, double share, double *out) {
    const sp_rod *r = sp__rod(b);
    double *d = r->product + r->part[part].v;
    if (r->model->interpolate) {
        r->model->interpolate(b, part, from, to, share, out);
        return;
    }
    r->model->difference(b, part, from, to, d);
    r->model->move(b, part, 1, from, share, d, out);
}

void sp__rod_interpolate(sp_body *b, const double *from, const double *to, double share, double *out) {
    const sp_rod *r = sp__rod(b);
    for (int p = 0; p < r->parts; p++)
        sp__rod_interpolate_part(b, p, from + r->part[p].q, to + r->part[p].q, share, out + r->part[p].q);
}

void sp__rod_compose_step(sp_body *b, double s, const double *x, double a, const double *d, double *out) {
    const sp_rod *r = sp__rod(b);
    for (int p = 0; p < r->parts; p++) {
        int v = r->part[p].v;
        if (r->model->compose_step) {
            r->model->compose_step(b, p, s, x + v, a, d + v, out + v);
            continue;
        }
        for (int i = v; i < v + r->part[p].nv; i++) out[i] = x[i] + a * d[i];
    }
}

void sp__rod_place_fixed(sp_body *b) {
    sp_rod *r = sp__rod(b);
    for (int p = 0; p < r->parts; p++) {
        const sp_rod_part *part = &r->part[p];
        double *d = r->product + part->v, *q = b->q[SP_TRIAL] + part->q;
        bool any = false;
        r->model->difference(b, p, q, b->target + part->q, d);
        for (int i = 0; i < part->nv; i++) {
            if (!b->fixed[part->v + i]) d[i] = 0;
            any = any || d[i] != 0;
        }
        if (any) r->model->move(b, p, 1, q, 1, d, q);
    }
}

void sp__rod_mass(sp_body *b, const double *x, double *y, bool inverse) {
    const sp_rod *r = sp__rod(b);
    if (sp__rod_update_all_kinematics(b, NULL, SP_TRIAL, false) < 0) {
        for (int i = 0; i < b->nv; i++) y[i] = NAN;
        return;
    }
    for (int p = 0; p < r->parts; p++) r->model->mass(b, p, x + r->part[p].v, y + r->part[p].v, inverse);
}
