// Point masses: a mass, and for rods a moment of inertia, at material points. The kinds add them where they build their mass
// matrix, so that gravity, kinetic energy, momentum, damping by mass and explicit steps include them without a second path. Kinds
// with a lumped mass matrix lump a point inside an element to the nodes of the element: total mass, first moment and momentum
// stay exact and the matrix stays diagonal. The error is a moment of inertia of the mass times the squared size of the element.
#include <stdio.h>

#include "body/body.h"

#define REFUSE(...) return sp__fail(error, SP_BAD_INPUT, __FILE__, __LINE__, __VA_ARGS__)

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

sp_param sp__mass_param(sp_body *b, int mass, void (*changed)(sp_body *b)) {
    sp_point_mass *m = &b->loads.masses[mass];
    return (sp_param){.spec = &sp__param_mass, .name = m->path, .value = &m->now, .changed = changed};
}

void sp__masses_visit(sp_body *b, sp_visitor *v) {
    for (int i = 0; i < b->loads.mass_count; i++) v->array(v, "mass", &b->loads.masses[i].now, sizeof(double), 1);
}

void sp__masses_free(sp_body *b) {
    sp_loads *l = &b->loads;
    for (int i = 0; i < l->mass_count; i++) sp__free(b->ctx, l->masses[i].at), sp__free(b->ctx, l->masses[i].before);
    sp__free(b->ctx, l->masses);
    l->masses = NULL, l->mass_count = l->mass_points = 0;
}
