// Eigenstrains: stress-free deformations Fa of the material, by swelling or by contraction along fibres. The deformation is
// F = Fe Fa, and the law acts on the elastic part Fe (Rodriguez, Hoger, McCulloch 1994; active strain: Nardinocchi, Teresi 2007).
// Per rest volume the energy is det Fa psi(F Fa^-1). With H = sum d g^T of the rest gradients g, Fe - I = sum d (Fa^-T g)^T +
// Fa^-1 - I: gradients, volumes and an offset change, and the kernels stay the same. Fa is constant in an element.
#include "solid/solid.h"

enum { SWELL, ACTIVE, STRAINS };
static const char *const strain_name[STRAINS] = {"swell", "active"};
static const double strain_range[STRAINS][2] = {{-0.9, 10}, {0, 0.9}};

static bool in_range(int which, double x) {
    return x >= strain_range[which][0] && x <= strain_range[which][1];
}

// ------------------------------------------------------------------------------------------------ definition

static const sp_signal *signal_of(const sp_eigenstrain *e, int which) {
    return which == SWELL ? &e->swell : &e->active;
}

static bool is_of_body(const sp_signal *signal) {
    return !signal->eval && isnan(signal->constant);
}

// of a region, 0: the body; what a region has not is that of the body
static sp_signal region_signal(const sp_solid_def *def, int region, int which) {
    const sp_signal *body = signal_of(&def->eigenstrains.body, which);
    const sp_signal *own = region && def->eigenstrains.regions ? signal_of(&def->eigenstrains.regions[region - 1], which) : body;
    return is_of_body(own) ? *body : *own;
}

bool sp__solid_has_eigenstrain(const sp_solid_def *def, int region) {
    if (def->eigenstrains.element_swell || def->eigenstrains.element_active) return true;
    for (int k = 0; k < STRAINS; k++) {
        const sp_signal s = region_signal(def, region, k);
        if (s.eval || s.constant != 0) return true;
    }
    return false;
}

bool sp__solid_is_active(const sp_solid_def *def, int region) {
    const sp_signal s = region_signal(def, region, ACTIVE);
    return s.eval || s.constant != 0 || def->eigenstrains.element_active;
}

static sp_status strain_check(sp_error *error, const char *where, int number, int which, double value) {
    if (in_range(which, value)) return SP_OK;
    return sp__fail(error, SP_BAD_INPUT, __FILE__, __LINE__, "%s %d: %s = %g, must be in [%g, %g]", where, number,
                    strain_name[which], value, strain_range[which][0], strain_range[which][1]);
}

sp_status sp__solid_check_eigenstrain(sp_error *error, const sp_solid_def *def) {
    for (int r = 0; r <= def->region_count; r++)
        for (int k = 0; k < STRAINS; k++) {
            const sp_signal s = region_signal(def, r, k);
            SP_TRY(strain_check(error, "region", r, k, sp_signal_value(&s, 0)));
        }
    for (int k = 0; k < STRAINS; k++) {
        const double *values = k == SWELL ? def->eigenstrains.element_swell : def->eigenstrains.element_active;
        for (int e = 0; values && e < sp_mesh_element_count(def->mesh); e++)
            if (!isnan(values[e])) SP_TRY(strain_check(error, "element", e, k, values[e]));
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ creation

sp_status sp__group_make_eigenstrain(sp_context *ctx, sp_solid_group *g) {
    const size_t slots = (size_t)g->slots + 1, points = slots * (size_t)g->iso.points;
    return SP_NEW(ctx, g->iso.offset, 9 * slots) && SP_NEW(ctx, g->rest_slope, points * 3 * ((size_t)g->nodes - 1)) &&
                   SP_NEW(ctx, g->rest_weight, points)
               ? SP_OK
               : SP_NO_MEMORY;
}

static sp_status strain_of_elements(sp_context *ctx, const sp_solid *s, const double *user, double **out) {
    if (!user) return SP_OK;
    if (!SP_NEW(ctx, *out, s->slots + 1)) return SP_NO_MEMORY;
    for (int slot = 0; slot < s->slots; slot++) (*out)[slot] = s->user_element[slot] >= 0 ? user[s->user_element[slot]] : NAN;
    return SP_OK;
}

void sp__group_keep_rest(sp_solid *s, sp_solid_group *g, int slot) {
    const size_t w = (size_t)g->lanes, at = (size_t)(slot - g->first), slopes = 3 * ((size_t)g->nodes - 1);
    if (!g->iso.offset) return;
    for (size_t p = at / w * (size_t)g->iso.points; p < (at / w + 1) * (size_t)g->iso.points; p++) {
        g->rest_weight[p * w + at % w] = g->iso.weight[p * w + at % w];
        for (size_t k = 0; k < slopes; k++)
            g->rest_slope[(p * slopes + k) * w + at % w] = g->iso.slope[(p * slopes + k) * w + at % w];
    }
    s->strain_stale = true;
}

// the arrays of the groups hold the rest shape
sp_status sp__solid_copy_eigenstrain(sp_body *b, const sp_solid_def *def) {
    sp_solid *s = sp__solid(b);
    bool any = false;
    for (int k = 0; k < s->group_count; k++) {
        sp_solid_group *g = &s->group[k];
        const size_t points = (size_t)g->slots * (size_t)g->iso.points;
        if (!g->iso.offset) continue;
        memcpy(g->rest_slope, g->iso.slope, points * 3 * ((size_t)g->nodes - 1) * sizeof *g->rest_slope);
        memcpy(g->rest_weight, g->iso.weight, points * sizeof *g->rest_weight);
        any = true;
    }
    if (!any) return SP_OK;
    if (!SP_NEW(b->ctx, s->eigenstrain, s->region_count) || !SP_NEW(b->ctx, s->strain, STRAINS * (size_t)s->region_count))
        return SP_NO_MEMORY;
    for (int r = 0; r < s->region_count; r++) {
        s->eigenstrain[r] = (sp_eigenstrain){region_signal(def, r, SWELL), region_signal(def, r, ACTIVE)};
        for (int k = 0; k < STRAINS; k++) s->strain[STRAINS * r + k] = sp_signal_value(signal_of(&s->eigenstrain[r], k), 0);
    }
    s->strain_stale = true;
    SP_TRY(strain_of_elements(b->ctx, s, def->eigenstrains.element_swell, &s->swell));
    return strain_of_elements(b->ctx, s, def->eigenstrains.element_active, &s->active);
}

// ------------------------------------------------------------------------------------------------ values of a step

void sp__solid_prescribe_eigenstrain(sp_body *b, double t) {
    sp_solid *s = sp__solid(b);
    for (int r = 0; s->eigenstrain && r < s->region_count; r++)
        for (int k = 0; k < STRAINS; k++) {
            const sp_signal *signal = signal_of(&s->eigenstrain[r], k);
            double value = signal->eval ? sp_signal_value(signal, t) : s->strain[STRAINS * r + k];
            if (!in_range(k, value) || value == s->strain[STRAINS * r + k]) continue;
            s->strain[STRAINS * r + k] = value;
            s->strain_stale = b->retune = b->energy_stale = true;
        }
}

static double slot_strain(const sp_solid *s, int slot, int which) {
    const double *own = which == SWELL ? s->swell : s->active;
    if (own && !isnan(own[slot])) return own[slot];
    return s->strain[STRAINS * (s->region_of ? s->region_of[slot] : 0) + which];
}

// Fa^-1 - I = along f f^T + across (I - f f^T), without differences of large numbers; no contraction where there are no fibres
static void slot_offset(const sp_solid *s, const sp_solid_group *g, int slot, double offset[9]) {
    const size_t w = (size_t)g->lanes, at = (size_t)(slot - g->first), per = 3 * (size_t)g->directions;
    double f[3] = {0, 0, 0};
    for (size_t k = 0; k < 3 && per; k++) f[k] = g->iso.fibre[(at / w * per + k) * w + at % w];
    const double swell = slot_strain(s, slot, SWELL), active = sp__dot3(f, f) > 0 ? slot_strain(s, slot, ACTIVE) : 0;
    const double along = (active - swell + swell * active) / ((1 + swell) * (1 - active));
    const double across = (-active / (1 + sqrt(1 - active)) - swell) / (1 + swell);
    for (int k = 0; k < 9; k++) offset[k] = (along - across) * f[k / 3] * f[k % 3] + (k % 4 ? 0 : across);
}

static void slot_update(const sp_solid *s, sp_solid_group *g, int slot) {
    const size_t w = (size_t)g->lanes, at = (size_t)(slot - g->first), slopes = 3 * ((size_t)g->nodes - 1);
    double offset[9], size = 1 + slot_strain(s, slot, SWELL);
    slot_offset(s, g, slot, offset);
    for (size_t k = 0; k < 9; k++) g->iso.offset[(at / w * 9 + k) * w + at % w] = offset[k];
    for (size_t p = at / w * (size_t)g->iso.points; p < (at / w + 1) * (size_t)g->iso.points; p++) {
        const double *from = g->rest_slope + p * slopes * w + at % w;
        double *to = g->iso.slope + p * slopes * w + at % w;
        g->iso.weight[p * w + at % w] = size * size * size * g->rest_weight[p * w + at % w];
        for (size_t a = 0; a < slopes; a += 3) {
            const double y[3] = {from[a * w], from[(a + 1) * w], from[(a + 2) * w]};
            for (size_t k = 0; k < 3; k++)
                to[(a + k) * w] = y[k] + offset[k] * y[0] + offset[3 + k] * y[1] + offset[6 + k] * y[2];
        }
    }
}

static double update_slots(void *arg, int begin, int end) {
    sp_solid *s = arg;
    for (int slot = begin; slot < end; slot++) {
        sp_solid_group *g = sp__solid_group_of(s, slot);
        if (g->iso.offset) slot_update(s, g, slot);
    }
    return 0;
}

void sp__solid_update_eigenstrain(sp_body *b) {
    sp_solid *s = sp__solid(b);
    if (!s->strain_stale) return;
    sp__ranges(b->ctx, s->slots, update_slots, s, s->work);  // the sums are not used
    s->strain_stale = false;
    s->material_revision++;
}
