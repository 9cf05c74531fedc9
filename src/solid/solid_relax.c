// Viscous materials: the law of an element, but for its bulk part, relaxes in terms of a Prony series (Simo 1987; Simo and Hughes
// 1998, chapter 10; docs/viscosity.md). With the second Piola-Kirchhoff stress S of the law without its bulk part
// (kernels/bar.h), shares g_i and times tau_i, and 1 = g_lasting + sum g_i,
//     dQ_i/dt + Q_i / tau_i = g_i dS/dt,    stress: bulk part + g_lasting S + sum Q_i.
// Where S changes at a constant rate within a step of length h, with e_i = exp(-h/tau_i) and r_i = (1 - e_i) tau_i / h,
//     Q_i' = e_i Q_i + g_i r_i (S' - S),
// and the stress at the end of the step is that of the law with moduli times c = g_lasting + sum g_i r_i, and a stress that is
// constant within the step, sum e_i Q_i - g_i r_i S (sp_iso.kept).
//
// S and Q_i of each integration point are the last numbers of q, behind the positions, element by element in users' numbers. They
// are part of the state: drivers copy them from the committed to the trial state when they begin a step, and sp__solid_finish
// replaces them by those at its end. Statics have no time: all terms have relaxed.
#include <stdio.h>

#include "solid/solid.h"

enum { SYM = 6 };

// per point: S, then Q of each term
static int history_numbers(const sp_material *m) {
    return SYM * (1 + m->relaxation_count);
}

static const sp_material *relax_material(const sp_solid *s, int slot) {
    return &s->own[s->region_of ? s->region_of[slot] : 0];
}

static double lasting_share(const sp_material *m) {
    double share = 1;
    for (int i = 0; i < m->relaxation_count; i++) share -= m->relaxation[2 * i];
    return share;
}

// e and r of a term for steps of length h; 0: infinitely long
static void relax_factors(double h, double time, double *e, double *r) {
    *e = h > 0 ? exp(-h / time) : 0;
    *r = h > 0 ? -expm1(-h / time) * time / h : 0;
}

bool sp__solid_relaxes(const sp_solid_def *def, int region) {
    return (region ? def->regions[region - 1] : def->material).relaxation_count > 0;
}

const char *sp__relaxation_wrong(const sp_material *m, char *text, size_t size) {
    double sum = 0;
    if (m->relaxation_count < 0 || m->relaxation_count > SP_RELAXATION_TERMS) {
        snprintf(text, size, "%d terms of relaxation, must be in [0, %d]", m->relaxation_count, SP_RELAXATION_TERMS);
        return text;
    }
    for (int i = 0; i < m->relaxation_count; i++) {
        const double *term = m->relaxation + 2 * i;
        sum += term[0];
        if (term[0] > 0 && term[1] > 0 && isfinite(term[1]) && sum < 1) continue;
        snprintf(text, size, "relaxation term %d: share = %g, time = %g s, sum of shares = %g; must be > 0, > 0 and < 1", i + 1,
                 term[0], term[1], sum);
        return text;
    }
    return NULL;
}

// ------------------------------------------------------------------------------------------------ creation

static sp_status make_group_kept(sp_context *ctx, sp_solid_group *g) {
    size_t n = (size_t)g->slots + 1, points = n * (size_t)g->iso.points;
    return SP_NEW(ctx, g->lasting, n * SP_LAW_PARAMS) && SP_NEW(ctx, g->iso.kept, points * SYM) &&
                   SP_NEW(ctx, g->other_kept, points * SYM)
               ? SP_OK
               : SP_NO_MEMORY;
}

sp_status sp__solid_reserve_histories(sp_context *ctx, sp_solid *s) {
    bool any = false;
    for (int g = 0; g < s->group_count; g++) {
        if (!s->group[g].relaxes) continue;
        any = true;
        SP_TRY(make_group_kept(ctx, &s->group[g]));
    }
    return !any || SP_NEW(ctx, s->history_at, s->elements + 1) ? SP_OK : SP_NO_MEMORY;
}

sp_status sp__solid_make_histories(sp_context *ctx, sp_solid *s, const sp_solid_def *def) {
    SP_TRY(sp__solid_reserve_histories(ctx, s));
    if (!s->history_at) return SP_OK;
    for (int e = 0; e < s->elements; e++) {
        const int r = def->element_region ? def->element_region[e] : 0;
        const sp_material *m = r ? &def->regions[r - 1] : &def->material;
        int points = sp__solid_group_of(s, s->slot_of[e])->iso.points;
        s->history_at[e + 1] = s->history_at[e] + (m->relaxation_count ? points * history_numbers(m) : 0);
    }
    return SP_OK;
}

int sp__solid_histories(const sp_solid *s) {
    return s->history_at ? s->history_at[s->elements] : 0;
}

// ------------------------------------------------------------------------------------------------ numbers of the law

// scales what is not the bulk part
static void scale_law(int law, double factor, double param[SP_LAW_PARAMS]) {
    double bulk = param[1] + 2. / 3 * param[0];  // without a penalty apart from it
    param[0] *= factor;
    if (law == SP_LAW_COSTA) return;  // its energy is a function of Q and J times this number
    if (law == SP_LAW_MOONEY_RIVLIN) param[1] *= factor;
    for (int k = 2; law == SP_LAW_OGDEN && k < 8; k += 2) param[k] *= factor;
    if (law == SP_LAW_STVK && param[SP_LAW_VOLUME] > 0)
        param[1] *= factor;  // all of the law but the penalty
    else if (!sp__law_isochoric(law))
        param[1] = bulk - 2. / 3 * param[0];
}

static void put_params(const sp_solid_group *g, int slot, double factor, const double param[SP_LAW_PARAMS], double *out) {
    double own[SP_LAW_PARAMS];
    size_t w = (size_t)g->lanes, at = (size_t)(slot - g->first);
    memcpy(own, param, sizeof own);
    scale_law(g->iso.law, factor, own);
    for (size_t k = 0; k < SP_LAW_PARAMS; k++) out[(at / w * SP_LAW_PARAMS + k) * w + at % w] = own[k];
}

void sp__solid_relax_params(sp_solid *s, sp_solid_group *g, int slot, const sp_material *m, const double param[SP_LAW_PARAMS]) {
    double lasting = lasting_share(m), factor = lasting, e, r;
    for (int i = 0; i < m->relaxation_count; i++) {
        relax_factors(s->relax_step, m->relaxation[2 * i + 1], &e, &r);
        factor += m->relaxation[2 * i] * r;
    }
    put_params(g, slot, factor, param, g->iso.param);
    put_params(g, slot, lasting, param, g->lasting);
}

sp_iso sp__group_lasting(const sp_solid_group *g) {
    sp_iso iso = g->iso;
    if (g->relaxes) iso.param = g->lasting, iso.kept = NULL;
    return iso;
}

// ------------------------------------------------------------------------------------------------ a step

void sp__solid_relax_begin(sp_body *b, double h) {
    sp_solid *s = sp__solid(b);
    if (!s->history_at || s->relax_step == h) return;
    s->relax_step = h, s->stale = true;
}

static double *point_history(const sp_solid *s, double *q, int slot, int point) {
    return q + 3 * (size_t)s->nodes + s->history_at[s->user_element[slot]] + point * history_numbers(relax_material(s, slot));
}

// e and r of the terms of a material, which most elements of a chunk have in common
typedef struct relax_rates {
    const sp_material *of;
    double e[SP_RELAXATION_TERMS], r[SP_RELAXATION_TERMS];
} relax_rates;

static void rates_of(const sp_material *m, double h, relax_rates *rates) {
    if (rates->of == m) return;
    rates->of = m;
    for (int i = 0; i < m->relaxation_count; i++) relax_factors(h, m->relaxation[2 * i + 1], &rates->e[i], &rates->r[i]);
}

// the stress that is constant within the step
static void kept_stress(const relax_rates *rates, const double *history, double S[SYM]) {
    for (int k = 0; k < SYM; k++) S[k] = 0;
    for (int i = 0; i < rates->of->relaxation_count; i++) {
        const double share = rates->of->relaxation[2 * i], *Q = history + SYM * (1 + i);
        for (int k = 0; k < SYM; k++) S[k] += rates->e[i] * Q[k] - share * rates->r[i] * history[k];
    }
}

typedef struct relax_job {
    const sp_solid *s;
    const sp_solid_group *g;
    double *q;
} relax_job;

static void relax_chunk(void *arg, int chunk, int worker) {
    const relax_job *j = arg;
    const sp_solid_group *g = j->g;
    const int w = g->lanes, points = g->iso.points;
    relax_rates rates = {.of = NULL};
    (void)worker;
    for (int at = g->block_start[chunk] * w; at < g->block_start[chunk + 1] * w; at++) {
        const int slot = g->first + at;
        if (j->s->user_element[slot] < 0) continue;
        rates_of(relax_material(j->s, slot), j->s->relax_step, &rates);
        for (int p = 0; p < points; p++) {
            double S[SYM];
            kept_stress(&rates, point_history(j->s, j->q, slot, p), S);
            for (int k = 0; k < SYM; k++) g->iso.kept[((at / w * points + p) * SYM + k) * w + at % w] = S[k];
        }
    }
}

void sp__group_relax(sp_body *b, sp_solid_group *g) {
    relax_job j = {sp__solid(b), g, b->q[SP_TRIAL]};
    sp__chunks_each(b->ctx, g->be, g->chunks.count, relax_chunk, &j);
}

// ------------------------------------------------------------------------------------------------ the end of a step

static void element_displacements(const sp_solid *s, const sp_solid_group *g, int slot, const double *q, double *u) {
    for (int a = 0; a < g->nodes; a++) {
        size_t i = 3 * (size_t)sp__group_node(g, slot, a);
        sp__sub3(q + i, s->rest + i, u + 3 * a);
    }
}

// history: at the start of the step, then at its end, where the stress is S
static void finish_point(const relax_rates *rates, const double S[SYM], double *history) {
    for (int i = 0; i < rates->of->relaxation_count; i++) {
        double share = rates->of->relaxation[2 * i], *Q = history + SYM * (1 + i);
        for (int k = 0; k < SYM; k++) Q[k] = rates->e[i] * Q[k] + share * rates->r[i] * (S[k] - history[k]);
    }
    memcpy(history, S, SYM * sizeof *S);
}

static void finish_chunk(void *arg, int chunk, int worker) {
    const relax_job *j = arg;
    const sp_solid_group *g = j->g;
    const sp_iso lasting = sp__group_lasting(g);
    relax_rates rates = {.of = NULL};
    (void)worker;
    for (int slot = g->first + g->block_start[chunk] * g->lanes; slot < g->first + g->block_start[chunk + 1] * g->lanes; slot++) {
        double u[3 * SP_ELEMENT_NODES_MAX], S[SYM];
        if (j->s->user_element[slot] < 0) continue;
        const sp_material *m = relax_material(j->s, slot);
        element_displacements(j->s, g, slot, j->q, u);
        rates_of(m, j->s->relax_step, &rates);
        for (int p = 0; p < g->iso.points; p++) {
            sp__iso_rest_stress(&lasting, slot - g->first, p, u, S);
            for (int k = 0; k < SYM; k++) S[k] /= lasting_share(m);
            finish_point(&rates, S, point_history(j->s, j->q, slot, p));
        }
    }
}

void sp__solid_finish(sp_body *b) {
    sp_solid *s = sp__solid(b);
    if (!s->history_at) return;
    sp__solid_materials(b);
    for (int g = 0; g < s->group_count; g++) {
        relax_job j = {s, &s->group[g], b->q[SP_TRIAL]};
        if (s->group[g].relaxes) sp__chunks_each(b->ctx, s->be, s->group[g].chunks.count, finish_chunk, &j);
    }
}

// ------------------------------------------------------------------------------------------------ queries

void sp__solid_history_stress(const sp_solid *s, int slot, int point, const double *q, double S[6]) {
    const sp_material *m = relax_material(s, slot);
    const double *history = point_history(s, (double *)q, slot, point);
    for (int k = 0; k < SYM; k++) S[k] = 0;
    for (int i = 0; i < m->relaxation_count; i++)
        for (int k = 0; k < SYM; k++) S[k] += history[SYM * (1 + i) + k];
}

// Q : Q / (4 mu), exact for small strains, where Q has no trace; of costa with the moduli of its axes. param: lasting
static double term_energy(const sp_solid_group *g, int slot, const double *Q, const double param[SP_LAW_PARAMS]) {
    if (g->iso.dense) return sp__iso_dense_compliance(&g->iso, slot, Q, param);
    double shear = sp__law_shear(g->iso.law, param);
    return shear > 0 ? (sp__dot3(Q, Q) + 2 * sp__dot3(Q + 3, Q + 3)) / (4 * shear) : 0;
}

// The stress of the law has changed at a fixed state, since a parameter did: the terms take their shares of the change.
static void jump_terms(const sp_solid *s, const sp_solid_group *g, const sp_iso *lasting, int slot, int point, const double *q,
                       const double *history, double Q[SP_RELAXATION_TERMS][SYM]) {
    double u[3 * SP_ELEMENT_NODES_MAX], S[SYM];
    const sp_material *m = relax_material(s, slot);
    element_displacements(s, g, slot, q, u);
    sp__iso_rest_stress(lasting, slot - g->first, point, u, S);
    for (int i = 0; i < m->relaxation_count; i++)
        for (int k = 0; k < SYM; k++) Q[i][k] += m->relaxation[2 * i] * (S[k] / lasting_share(m) - history[k]);
}

static double point_energy(const sp_solid *s, const sp_solid_group *g, const sp_iso *lasting, int slot, int point,
                           const double *q, bool edited) {
    const sp_material *m = relax_material(s, slot);
    const double *history = point_history(s, (double *)q, slot, point);
    const size_t w = (size_t)g->lanes, at = (size_t)(slot - g->first);
    double param[SP_LAW_PARAMS], Q[SP_RELAXATION_TERMS][SYM], sum = 0;
    for (size_t k = 0; k < SP_LAW_PARAMS; k++) param[k] = g->lasting[(at / w * SP_LAW_PARAMS + k) * w + at % w];
    memcpy(Q, history + SYM, (size_t)m->relaxation_count * sizeof *Q);
    if (edited) jump_terms(s, g, lasting, slot, point, q, history, Q);
    for (int i = 0; i < m->relaxation_count; i++)
        sum += term_energy(g, (int)at, Q[i], param) * lasting_share(m) / m->relaxation[2 * i];
    return sum;
}

double sp__chunk_history_energy(const sp_solid *s, const sp_solid_group *g, int chunk, const double *q, bool edited) {
    const int w = g->lanes, points = g->iso.points;
    const sp_iso lasting = sp__group_lasting(g);
    double sum = 0;
    for (int at = g->block_start[chunk] * w; g->relaxes && at < g->block_start[chunk + 1] * w; at++)
        for (int p = 0; p < points && s->user_element[g->first + at] >= 0; p++)
            sum += g->iso.weight[(at / w * points + p) * w + at % w] * point_energy(s, g, &lasting, g->first + at, p, q, edited);
    return sum;
}
