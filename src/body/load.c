// Springs and contacts as point terms: a force, its derivatives and its potential at a material point. And point masses.
#include "body/load.h"

#include <stdio.h>

#include "body/body.h"
#include "core/share.h"
#include "math/vec3.h"

void sp__loads_prescribe(sp_body *b, const sp_step *step) {
    for (int i = 0; i < b->loads.spring_count; i++) {
        sp_spring *s = &b->loads.springs[i];
        if (s->slot >= 0) continue;  // edits set the target of a drag
        for (int a = 0; a < 3; a++) s->target[a] = sp_signal_value(&s->to[a], step->time);
    }
}

static void spring_term(sp_body *b, const sp_spring *s, sp_point_term *out) {
    double x[3], v[3];
    *out = (sp_point_term){.at = s->at};
    b->ops->points(b, SP_TRIAL, 1, &s->at, x, v);
    for (int a = 0; a < 3; a++) {
        if (!(s->axes & (1u << a))) continue;
        double u = x[a] - s->target[a];
        out->f[a] = -s->stiffness * u - s->damping * v[a];
        out->k[a] = s->stiffness;
        out->b[a] = s->damping;
        out->energy += 0.5 * s->stiffness * u * u;
    }
}

static void spring_terms(sp_body *b, const sp_step *step) {
    sp_loads *l = &b->loads;
    for (int i = 0; i < l->spring_count; i++) {
        if (!l->springs[i].active) continue;
        sp_point_term *term = &l->terms[l->term_count++];
        spring_term(b, &l->springs[i], term);
        l->energy += term->energy;
        if (step->h > 0 && l->springs[i].damping > 0) l->dissipates = true;
    }
}

// The drag of the medium does not act on point masses: subtracts what the kind applies to all of its mass matrix.
static void mass_terms(sp_body *b, const sp_step *step) {
    sp_loads *l = &b->loads;
    double x[3], v[3];
    if (!(l->mass_drag > 0) || !(step->h > 0)) return;
    for (int i = 0; i < l->mass_count; i++)
        for (int k = 0; k < l->masses[i].count; k++) {
            double c = l->mass_drag * sp__mass_each(&l->masses[i]);
            sp_point_term *term = &l->terms[l->term_count++];
            *term = (sp_point_term){.at = l->masses[i].at[k], .b = {-c, -c, -c}};
            b->ops->points(b, SP_TRIAL, 1, &term->at, x, v);
            for (int a = 0; a < 3; a++) term->f[a] = c * v[a];
        }
    l->dissipates = l->dissipates || l->mass_count > 0;
}

// ---------------------------------------------------------------------------------------------------- contact

bool sp__loads_contact_possible(const sp_body *b) {
    const sp_loads *l = &b->loads;
    return l->contact && l->obstacles && l->obstacles->count > 0 && l->node_count > 0;
}

static void collect_terms(sp_body *b, const sp_step *step) {
    sp_loads *l = &b->loads;
    l->term_count = 0;
    l->energy = 0;
    l->dissipates = false;
    spring_terms(b, step);
    mass_terms(b, step);
    if (sp__loads_contact_possible(b)) b->loads.response->terms(b, step);
}

// if the kinematic update fails there are no points; `evaluate` then reports the reason
static bool has_points(sp_body *b, const sp_step *step) {
    if (!b->ops->update_kinematics || b->ops->update_kinematics(b, step, SP_TRIAL) >= 0) return true;
    b->loads.term_count = 0, b->loads.energy = 0, b->loads.dissipates = false;
    return false;
}

void sp__loads_evaluate(sp_body *b, const sp_step *step, sp_contact_at at) {
    if (!has_points(b, step)) return;
    if (sp__loads_contact_possible(b)) b->loads.response->evaluate(b, step, at);
    collect_terms(b, step);
}

void sp__loads_again(sp_body *b, const sp_step *step) {
    if (has_points(b, step)) collect_terms(b, step);
}

static size_t memory_count(const sp_loads *l) {
    return (size_t)SP_MEMORY_SLOTS * (size_t)l->node_count;
}

void sp__loads_begin(sp_body *b, const sp_step *step) {
    sp_loads *l = &b->loads;
    if (l->node_count == 0) return;
    if (l->remembers[SP_COMMITTED] || l->remembers[SP_TRIAL])
        memcpy(l->memory[SP_TRIAL], l->memory[SP_COMMITTED], memory_count(l) * sizeof *l->memory[0]);
    l->remembers[SP_TRIAL] = l->remembers[SP_COMMITTED];
    for (int i = 0; i < l->node_count; i++) l->contact_state[i].active = false;
    if (step->h > 0 || !sp__loads_contact_possible(b) ||
        (b->ops->update_kinematics && b->ops->update_kinematics(b, step, SP_COMMITTED) < 0))
        return;
    for (int i = 0; i < l->node_count; i++) b->ops->points(b, SP_COMMITTED, 1, &l->nodes[i].at, l->from + 3 * (size_t)i, NULL);
}

void sp__loads_finish(sp_body *b) {
    static const sp_contact_memory none[SP_MEMORY_SLOTS];
    sp_loads *l = &b->loads;
    if (!sp__loads_contact_possible(b)) return;
    l->remembers[SP_TRIAL] = false;
    for (int i = 0; i < l->node_count; i++) {
        const sp_contact_state *t = &l->contact_state[i];
        sp_contact_memory *m = l->memory[SP_TRIAL] + (size_t)SP_MEMORY_SLOTS * (size_t)i;
        memcpy(m, t->active ? t->next : none, sizeof none);
        l->remembers[SP_TRIAL] = l->remembers[SP_TRIAL] || t->active;
    }
}

void sp__loads_commit(sp_body *b) {
    sp_loads *l = &b->loads;
    sp_contact_memory *committed = l->memory[SP_COMMITTED];
    const bool remembers = l->remembers[SP_COMMITTED];
    l->memory[SP_COMMITTED] = l->memory[SP_TRIAL], l->remembers[SP_COMMITTED] = l->remembers[SP_TRIAL];
    l->memory[SP_TRIAL] = committed, l->remembers[SP_TRIAL] = remembers;
}

void sp__loads_forget(sp_body *b) {
    sp_loads *l = &b->loads;
    if (l->node_count) memset(l->memory[SP_COMMITTED], 0, memory_count(l) * sizeof *l->memory[0]);
    l->remembers[SP_COMMITTED] = false;
}

uint64_t sp__loads_hash(const sp_body *b) {
    const sp_loads *l = &b->loads;
    uint64_t sum = 0, word[sizeof(sp_contact_memory) / sizeof(uint64_t)];
    for (size_t i = 0; l->remembers[SP_COMMITTED] && i < memory_count(l); i++) {
        const sp_contact_memory *m = &l->memory[SP_COMMITTED][i];
        if (!m->with) continue;
        memcpy(word, m, sizeof *m);
        for (size_t k = 0; k < sizeof word / sizeof *word; k++) sum += sp__mix(word[k], i * (sizeof word / sizeof *word) + k);
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------------- work

// potential with the targets at the end of the step, and dissipation of dampers in a step of length h
static void add_spring_work(sp_body *b, sp_which s, double sign, double h, sp_loads_work *out) {
    for (int i = 0; i < b->loads.spring_count; i++) {
        const sp_spring *p = &b->loads.springs[i];
        double x[3], v[3], sum = 0;
        if (!p->active) continue;
        b->ops->points(b, s, 1, &p->at, x, v);
        for (int a = 0; a < 3; a++) {
            if (!(p->axes & (1u << a))) continue;
            double u = x[a] - p->target[a];
            sum += sign * 0.5 * p->stiffness * u * u - h * p->damping * v[a] * v[a];
        }
        *(p->pin ? &out->pins : &out->drags) += sum;
    }
}

void sp__loads_work(sp_body *b, const sp_step *step, double h, bool before, sp_loads_work *out) {
    *out = (sp_loads_work){0};
    bool contact_state = sp__loads_contact_possible(b);
    // the committed state first: the kinematic data of the trial state are used by the next step
    add_spring_work(b, SP_COMMITTED, 1, 0, out);
    if (before && contact_state) b->loads.response->work_before(b, step, out);
    add_spring_work(b, SP_TRIAL, -1, h, out);
    if (contact_state) b->loads.response->work(b, step, h, out);
}

// ---------------------------------------------------------------------------------------------------- memory

static sp_status springs_no_memory(sp_body *b) {
    return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for the springs and contacts of body '%s'", b->name);
}

static sp_status reserve_springs(sp_body *b, int capacity) {
    sp_loads *l = &b->loads;
    if (capacity <= l->spring_capacity) return SP_OK;
    sp_spring *springs = sp__alloc(b->ctx, (size_t)capacity, sizeof *springs);
    if (!springs) return springs_no_memory(b);
    if (l->spring_count) memcpy(springs, l->springs, (size_t)l->spring_count * sizeof *springs);
    sp__free(b->ctx, l->springs);
    l->springs = springs;
    l->spring_capacity = capacity;
    return SP_OK;
}

// arrays of n collision points; unchanged on failure
static sp_status reserve_points(sp_body *b, int n) {
    sp_loads *l = &b->loads;
    size_t slots = (size_t)SP_MEMORY_SLOTS * (size_t)n;
    sp_contact_memory *committed = NULL, *trial = NULL;
    sp_contact_state *contact_state = NULL;
    double *from = NULL;
    if (!SP_NEW(b->ctx, committed, slots) || !SP_NEW(b->ctx, trial, slots) || !SP_NEW(b->ctx, contact_state, n) ||
        !SP_NEW(b->ctx, from, 3 * (size_t)n)) {
        sp__free(b->ctx, committed), sp__free(b->ctx, trial), sp__free(b->ctx, contact_state), sp__free(b->ctx, from);
        return springs_no_memory(b);
    }
    sp__free(b->ctx, l->memory[SP_COMMITTED]), sp__free(b->ctx, l->memory[SP_TRIAL]);
    sp__free(b->ctx, l->contact_state), sp__free(b->ctx, l->from);
    l->memory[SP_COMMITTED] = committed, l->memory[SP_TRIAL] = trial;
    l->remembers[SP_COMMITTED] = l->remembers[SP_TRIAL] = false;
    l->contact_state = sp__lend(b->ctx, contact_state), l->from = sp__lend(b->ctx, from);
    return SP_OK;
}

sp_status sp__loads_reserve(sp_body *b, int extra_springs) {
    sp_loads *l = &b->loads;
    if (extra_springs < 0 || l->spring_count > INT32_MAX - extra_springs ||
        l->spring_count + extra_springs > INT32_MAX - l->node_count - l->mass_points)
        return springs_no_memory(b);
    SP_TRY(reserve_springs(b, l->spring_count + extra_springs));
    int capacity = l->spring_capacity + l->mass_points + l->node_count;
    if (capacity > l->term_capacity) {
        sp_point_term *terms = sp__alloc(b->ctx, (size_t)capacity, sizeof *terms);
        if (!terms) return springs_no_memory(b);
        if (l->term_count) memcpy(terms, l->terms, (size_t)l->term_count * sizeof *terms);
        sp__free(b->ctx, l->terms);
        l->terms = sp__lend(b->ctx, terms);
        l->term_capacity = capacity;
    }
    return l->node_count > 0 && !l->contact_state ? reserve_points(b, l->node_count) : SP_OK;
}

sp_status sp__loads_add_spring(sp_body *b, const sp_spring *spring) {
    sp_loads *l = &b->loads;
    if (l->spring_count == l->spring_capacity) SP_TRY(sp__loads_reserve(b, 16 + l->spring_capacity));
    l->springs[l->spring_count++] = *spring;
    return SP_OK;
}

static uint64_t key_of(int n, const sp_contact_node *nodes) {
    uint64_t key = (uint64_t)n;
    for (int i = 0; i < n; i++) {
        uint64_t at[3];
        memcpy(at, nodes[i].at.at, sizeof at);
        key = sp__mix(key ^ at[0], at[1]) + sp__mix(at[2], nodes[i].at.elem);
    }
    return key;
}

sp_status sp__loads_take_points(sp_body *b, int n, sp_contact_node *nodes) {
    sp_loads *l = &b->loads;
    if (l->spring_capacity > INT32_MAX - l->mass_points - n) return springs_no_memory(b);
    int capacity = l->spring_capacity + l->mass_points + n;
    sp_point_term *terms = sp__alloc(b->ctx, (size_t)capacity, sizeof *terms);
    sp_status status = terms ? reserve_points(b, n) : springs_no_memory(b);
    if (status < 0) {
        sp__free(b->ctx, terms);
        return status;
    }
    sp__free(b->ctx, l->nodes), sp__free(b->ctx, l->terms);
    l->nodes = nodes, l->terms = sp__lend(b->ctx, terms);
    l->node_count = n, l->term_capacity = capacity, l->term_count = 0;
    l->by_surface = true;
    l->surface_key = key_of(n, nodes);
    return SP_OK;
}

static void masses_free(sp_body *b) {
    sp_loads *l = &b->loads;
    for (int i = 0; i < l->mass_count; i++) sp__free(b->ctx, l->masses[i].at), sp__free(b->ctx, l->masses[i].before);
    sp__free(b->ctx, l->masses);
    l->masses = NULL, l->mass_count = l->mass_points = 0;
}

void sp__loads_free(sp_body *b) {
    sp_loads *l = &b->loads;
    sp__free(b->ctx, l->springs), sp__free(b->ctx, l->nodes), sp__free(b->ctx, l->terms);
    sp__free(b->ctx, l->memory[SP_COMMITTED]), sp__free(b->ctx, l->memory[SP_TRIAL]);
    sp__free(b->ctx, l->contact_state), sp__free(b->ctx, l->from);
    masses_free(b);
    *l = (sp_loads){0};
}

// ---------------------------------------------------------------------------------------------------- definitions

#define REFUSE(...) return sp__fail(error, SP_BAD_INPUT, __FILE__, __LINE__, __VA_ARGS__)

sp_status sp__springs_check(sp_error *error, const sp_spring_def *springs, int count) {
    for (int i = 0; i < count; i++) {
        double k = springs[i].stiffness, c = springs[i].damping;
        if (!(k > 0 && isfinite(k)) || !(c >= 0 && isfinite(c)))
            REFUSE("spring %d: stiffness = %g N/m, must be > 0; damping = %g N s/m, must be >= 0", i, k, c);
    }
    return SP_OK;
}

sp_status sp__point_loads_check(sp_error *error, const char *kind, const sp_load *loads, int count) {
    for (int i = 0; i < count; i++) {
        const sp_load *l = &loads[i];
        if (l->type != SP_LOAD_FORCE && l->type != SP_LOAD_TORQUE && l->type != SP_LOAD_ACCELERATION)
            REFUSE("load %d of a %s: type %d, must be force, torque or acceleration", i, kind, (int)l->type);
        if (l->items || l->count) REFUSE("load %d of a %s: %d items, must be at a material point", i, kind, l->count);
    }
    return SP_OK;
}

static sp_status nodes_check(sp_error *error, const char *what, int index, const int *list, int count, int64_t nodes,
                             unsigned axes) {
    if (count < 0 || (count > 0 && !list)) REFUSE("%s %d: count = %d, must be >= 0 and have a list", what, index, count);
    if (axes < 1 || axes > SP_AXES_ALL) REFUSE("%s %d: axes = %u, must be in [1, 7]", what, index, axes);
    for (int i = 0; i < count; i++)
        if (list[i] < 0 || list[i] >= nodes)
            REFUSE("%s %d: node %d, must be in [0, %lld]", what, index, list[i], (long long)nodes - 1);
    return SP_OK;
}

sp_status sp__fixes_check(sp_error *error, const sp_fix *fixes, int count, int64_t nodes) {
    for (int i = 0; i < count; i++) {
        SP_TRY(nodes_check(error, "fix", i, fixes[i].nodes, fixes[i].count, nodes, fixes[i].axes));
        if (!(fixes[i].stiffness >= 0 && isfinite(fixes[i].stiffness)))
            REFUSE("fix %d: stiffness = %g N/m, must be >= 0", i, fixes[i].stiffness);
    }
    return SP_OK;
}

sp_status sp__moves_check(sp_error *error, const sp_move *moves, int count, int64_t nodes) {
    for (int i = 0; i < count; i++) SP_TRY(nodes_check(error, "move", i, moves[i].nodes, moves[i].count, nodes, moves[i].axes));
    return SP_OK;
}

sp_spring sp__spring_of(const sp_spring_def *def, sp_anchor at) {
    sp_spring s = {
        .at = at, .stiffness = def->stiffness, .damping = def->damping, .axes = SP_AXES_ALL, .slot = -1, .active = true};
    for (int a = 0; a < 3; a++) s.to[a] = def->to[a], s.target[a] = sp_signal_value(&def->to[a], 0);
    return s;
}

// ---------------------------------------------------------------------------------------------------- point masses

// Point masses: a mass, and for rods a moment of inertia, at material points. The kinds add them where they build their mass
// matrix, so that gravity, kinetic energy, momentum, damping by mass and explicit steps include them without a second path. Kinds
// with a lumped mass matrix lump a point inside an element to the nodes of the element: total mass, first moment and momentum
// stay exact and the matrix stays diagonal. The error is a moment of inertia of the mass times the squared size of the element.

sp_status sp__masses_check(sp_error *error, const sp_mass_def *masses, int count, bool turns) {
    if (count < 0 || (count > 0 && !masses)) REFUSE("mass_count = %d, must be >= 0 and have a list", count);
    for (int i = 0; i < count; i++) {
        const sp_mass_def *m = &masses[i];
        char where[32];
        snprintf(where, sizeof where, "mass %d: ", i);
        if (m->name && (!m->name[0] || strlen(m->name) >= sizeof((sp_point_mass *)0)->name))
            REFUSE("%sname '%.60s', must have 1 to %zu characters", where, m->name, sizeof((sp_point_mass *)0)->name - 1);
        if (m->count < 1 || !m->at) REFUSE("%scount = %d, must be >= 1 and have a list", where, m->count);
        // a function of time is evaluated at each step, and may be 0
        if (!m->value.eval) SP_TRY(sp__param_check(error, where, &sp__param_mass, m->value.constant));
        if (!(m->inertia >= 0 && m->inertia <= sp__param_mass.high))
            REFUSE("%sinertia = %g kg m2, must be in [0, %g]", where, m->inertia, sp__param_mass.high);
        if (m->inertia > 0 && !turns)
            REFUSE("%sinertia = %g kg m2, must be 0: the nodes of a solid do not rotate", where, m->inertia);
        for (int k = 0; k < m->count; k++)
            for (int a = 0; a < 3; a++)
                if (m->at[k].offset[a] != 0) REFUSE("%soffset %g m of point %d, must be 0", where, m->at[k].offset[a], k);
    }
    return SP_OK;
}

// NaN: not a mass
static double mass_value(const sp_signal *value, double time) {
    double m = sp_signal_value(value, time);
    return m >= 0 && m <= sp__param_mass.high ? m : NAN;
}

sp_status sp__masses_create(sp_body *b, const sp_mass_def *masses, int count) {
    sp_loads *l = &b->loads;
    if (count == 0) return SP_OK;
    if (!SP_NEW(b->ctx, l->masses, count)) return SP_NO_MEMORY;
    for (int i = 0; i < count; i++) {
        sp_point_mass *m = &l->masses[l->mass_count++];
        if (masses[i].count > INT32_MAX - l->mass_points) return SP_NO_MEMORY;
        *m = (sp_point_mass){.value = masses[i].value, .inertia = masses[i].inertia, .count = masses[i].count};
        if (!SP_NEW(b->ctx, m->at, m->count) || !SP_NEW(b->ctx, m->before, m->count)) return SP_NO_MEMORY;
        memcpy(m->at, masses[i].at, (size_t)m->count * sizeof *m->at);
        l->mass_points += m->count;
        if (masses[i].name)
            snprintf(m->name, sizeof m->name, "%s", masses[i].name);
        else
            snprintf(m->name, sizeof m->name, "mass[%d]", i);
        snprintf(m->path, sizeof m->path, "%s.value", m->name);
        m->now = mass_value(&m->value, 0);
        if (isnan(m->now))
            return SP_BODY_FAIL(b, SP_BAD_INPUT, "mass %d of '%s': value = %g kg at time 0, must be in [0, %g]", i, b->name,
                                sp_signal_value(&m->value, 0), sp__param_mass.high);
    }
    return SP_OK;
}

bool sp__masses_prescribe(sp_body *b, double time) {
    bool changed = false;
    for (int i = 0; i < b->loads.mass_count; i++) {
        sp_point_mass *m = &b->loads.masses[i];
        double now = m->value.eval ? mass_value(&m->value, time) : NAN;
        // a signal outside its range keeps the last valid value
        if (isnan(now) || now == m->now) continue;
        m->now = now;
        changed = true;
    }
    return changed;
}

void sp__masses_visit(sp_body *b, sp_visitor *v) {
    for (int i = 0; i < b->loads.mass_count; i++) v->array(v, "mass", &b->loads.masses[i].now, sizeof(double), 1);
}
