// Queries of a world: measures, fields, anchors; and setting the state directly.
#include "math/vec3.h"
#include "world/world_internal.h"

void sp_world_step_info(const sp_world *w, sp_step_info *out) {
    *out = w->info;
}

double sp_world_time(const sp_world *w) {
    return w->time;
}

uint64_t sp_world_steps(const sp_world *w) {
    return w->steps;
}

uint64_t sp_world_hash(const sp_world *w) {
    return w->hash;
}

sp_status sp_world_event_at(const sp_world *w, int index, sp_event *out) {
    if (index < 0 || index >= w->events->count) return SP_BAD_INPUT;
    *out = w->events->list[index];
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- bodies

static void count_bytes(sp_visitor *v, const char *name, void *data, size_t size, size_t count) {
    (void)name, (void)data;
    *(size_t *)v->user += size * count;
}

static size_t bytes_of(sp_body *b) {
    size_t bytes = 0;
    sp_visitor v = {.array = count_bytes, .user = &bytes, .scratch = true};
    for (int tier = SP_TOPOLOGY; tier <= SP_CACHE; tier++) b->ops->visit(b, (sp_tier)tier, &v);
    // plus the trial copy of the state and the springs
    bytes += (size_t)(b->nq + b->nv) * sizeof(double) + (size_t)b->loads.spring_capacity * sizeof *b->loads.springs;
    return bytes + (b->solver ? sp__solver_bytes(b->solver) : 0);
}

static const char *state_field(const sp_body *b, int index) {
    sp_field_info field;
    return sp_field_at(b->ops->state[index], &field) >= 0 ? field.name : NULL;
}

sp_status sp_world_body_info(sp_world *w, sp_body_id id, sp_body_info *out) {
    SP_TRY(sp__world_enter(w));
    const sp_body *b = sp__world_body(w, id);
    int removed = 0;
    if (b) sp__world_removed(b, &removed);
    if (b)
        *out = (sp_body_info){.id = b->id,
                              .name = b->name,
                              .kind = b->ops->kind,
                              .nodes = b->nodes,
                              .elements = b->computed ? b->computed : b->elements,
                              .removed = removed,
                              .appended = b->ops->growth ? b->ops->growth->list(b)->elements : 0,
                              .cells = b->elements,
                              .state = {state_field(b, 0), state_field(b, 1)},
                              .frozen = b->frozen,
                              .prescribed = (b->caps & SP_CAP_KINEMATIC) != 0,
                              .kinematic = (b->caps & SP_CAP_POSED) != 0,
                              .solve = b->solve,
                              .solver = b->solver_def,
                              .solver_why = b->solver_why,
                              .material_note = b->material_note,
                              .compliance_why = sp__compliance_why(b->compliance_type, &b->solver_def)};
    return sp__world_leave(w, b ? SP_OK : sp__world_stale(w, id));
}

static void fill_measures(sp_body *b, sp_body_measures *out) {
    sp_measure m;
    b->ops->measure(b, &m);
    *out = (sp_body_measures){.mass = m.mass,
                              .rest_volume = m.rest_volume,
                              .volume = m.volume,
                              .kinetic = m.kinetic,
                              .elastic = m.elastic,
                              .displacement_max = m.displacement_max,
                              .bytes = bytes_of(b)};
    const sp_balance *n = &b->balance[SP_COMMITTED];
    out->potential = sp__balance_potential(n), out->contact = n->contact;
    out->work = (sp_work){n->work[0], n->work[1], n->work[2], n->work[3], n->work[4]};
    out->appeared = isnan(m.elastic) ? NAN : n->appeared;
    out->energy_max = n->largest;
    out->inverted = m.inverted;
    out->volume_lost = m.rest_volume > 0 ? 1 - m.volume / m.rest_volume : 0;
    out->penetration = n->penetration, out->element_size = m.size;
    memcpy(out->momentum, m.momentum, sizeof m.momentum);
    memcpy(out->angular, m.angular, sizeof m.angular);
}

sp_status sp_world_body_measure(sp_world *w, sp_body_id id, sp_body_measures *out) {
    SP_TRY(sp__world_enter(w));
    sp_body *b = sp__world_body(w, id);
    if (b) fill_measures(b, out);
    return sp__world_leave(w, b ? SP_OK : sp__world_stale(w, id));
}

static sp_status ask_field(sp_world *w, sp_body_id id, const char *field, sp_field_info *info, double *out) {
    SP_TRY(sp__world_enter(w));
    sp_body *b = sp__world_body(w, id);
    sp_status status = b ? SP_OK : sp__world_stale(w, id);
    if (b) {
        const sp_step step = sp__body_step(b, &w->step);
        status = sp__body_field_get(b, &step, field, info, out);
    }
    if (b && status < 0) sp__world_body_failed(w, b, status);
    return sp__world_leave(w, status);
}

sp_status sp_world_field_info(sp_world *w, sp_body_id id, const char *field, sp_field_info *out) {
    return ask_field(w, id, field, out, NULL);
}

sp_status sp_world_field(sp_world *w, sp_body_id id, const char *field, double *out) {
    sp_field_info info;
    if (!out) return WORLD_FAIL(w, SP_BAD_INPUT, "no output array for field '%s'", field);
    return ask_field(w, id, field, &info, out);
}

// ---- enumeration

// true if one of the bodies has the field
static bool world_has_field(const sp_world *w, sp_field_id id) {
    for (int i = 0; i < w->body_count; i++)
        for (int k = 0; k < w->bodies[i]->ops->field_count; k++)
            if (w->bodies[i]->ops->fields[k].id == id) return true;
    return false;
}

// the index-th of the fields of all bodies; *count: their number
static sp_status world_field_at(const sp_world *w, int index, int *count, sp_field_info *out) {
    *count = 0;
    for (int id = 0; id < SP_FIELD_COUNT; id++) {
        if (!world_has_field(w, (sp_field_id)id)) continue;
        if ((*count)++ == index) sp_field_at(id, out);
    }
    return SP_OK;
}

static sp_status field_at(sp_world *w, sp_body_id id, int index, int *count, sp_field_info *out) {
    SP_TRY(sp__world_enter(w));
    const sp_body *b = sp__world_body(w, id);
    sp_status status = SP_OK;
    *count = 0;
    if (!b && id.slot == 0) {
        status = world_field_at(w, index, count, out);
    } else if (b) {
        *count = b->ops->field_count;
        if (index >= 0 && index < *count) sp__body_field_info(b, &b->ops->fields[index], out);
    } else {
        status = sp__world_stale(w, id);
    }
    return sp__world_leave(w, status);
}

int sp_world_field_count(sp_world *w, sp_body_id id) {
    int count;
    SP_TRY(field_at(w, id, -1, &count, NULL));
    return count;
}

sp_status sp_world_field_at(sp_world *w, sp_body_id id, int index, sp_field_info *out) {
    int count;
    SP_TRY(field_at(w, id, index, &count, out));
    if (index < 0 || index >= count) return WORLD_FAIL(w, SP_BAD_INPUT, "field %d, must be in [0, %d)", index, count);
    return SP_OK;
}

int sp_world_mass_count(sp_world *w, sp_body_id id) {
    SP_TRY(sp__world_enter(w));
    sp_body *b = sp__world_body(w, id);
    int count = b ? b->loads.mass_count : 0;
    SP_TRY(sp__world_leave(w, b ? SP_OK : sp__world_stale(w, id)));
    return count;
}

sp_status sp_world_mass_at(sp_world *w, sp_body_id id, int index, sp_mass_info *out) {
    SP_TRY(sp__world_enter(w));
    sp_body *b = sp__world_body(w, id);
    sp_status status = b ? SP_OK : sp__world_stale(w, id);
    if (b && (index < 0 || index >= b->loads.mass_count))
        status = WORLD_FAIL(w, SP_BAD_INPUT, "mass %d of '%s', must be in [0, %d)", index, b->name, b->loads.mass_count);
    if (status >= 0) {
        const sp_point_mass *m = &b->loads.masses[index];
        *out = (sp_mass_info){.name = m->name,
                              .value = m->now,
                              .inertia = m->inertia,
                              .radius = cbrt(3 * sp__mass_each(m) / (4 * SP_PI * 7850)),
                              .count = m->count,
                              .at = m->at};
    }
    return sp__world_leave(w, status);
}

// triangles without the last node of their cells
static sp_status triangle_nodes(sp_world *w, sp_body *b, int *nodes) {
    int *cells;
    if (!SP_NEW(w->ctx, cells, 4 * (size_t)b->elements + 1))
        return WORLD_FAIL(w, SP_NO_MEMORY, "no memory for the elements of '%s'", b->name);
    b->ops->element_nodes(b, cells);
    for (size_t e = 0; e < (size_t)b->elements; e++) memcpy(nodes + 3 * e, cells + 4 * e, 3 * sizeof *nodes);
    sp__free(w->ctx, cells);
    return SP_OK;
}

sp_status sp_world_elements(sp_world *w, sp_body_id id, int *nodes, sp_element_view *out) {
    SP_TRY(sp__world_enter(w));
    sp_body *b = sp__world_body(w, id);
    sp_status status = b ? SP_OK : sp__world_stale(w, id);
    if (b && !b->ops->element_nodes) status = WORLD_FAIL(w, SP_BAD_INPUT, "body '%s' has no elements", b->name);
    if (status >= 0 && nodes && b->ops->element_type == SP_ELEMENT_TRI3)
        status = triangle_nodes(w, b, nodes);
    else if (status >= 0 && nodes)
        b->ops->element_nodes(b, nodes);
    if (status >= 0) *out = (sp_element_view){b->ops->element_type, sp_element_nodes(b->ops->element_type), b->elements, nodes};
    return sp__world_leave(w, status);
}

// ---------------------------------------------------------------------------------------------------- anchors, state

static sp_status anchored(sp_world *w, sp_body *b, sp_body_id id, sp_status status, sp_anchor *out) {
    if (!b) return sp__world_stale(w, id);
    if (status < 0) return sp__world_body_failed(w, b, status);
    out->body = id;
    return SP_OK;
}

sp_status sp_world_anchor_node(sp_world *w, sp_body_id id, int node, sp_anchor *out) {
    SP_TRY(sp__world_enter(w));
    sp_body *b = sp__world_body(w, id);
    sp_status status = anchored(w, b, id, b ? b->ops->anchor_node(b, node, out) : SP_BAD_ID, out);
    return sp__world_leave(w, status);
}

sp_status sp_world_anchor_point(sp_world *w, sp_body_id id, const double point[3], sp_anchor *out) {
    SP_TRY(sp__world_enter(w));
    sp_body *b = sp__world_body(w, id);
    sp_status status = anchored(w, b, id, b ? b->ops->anchor_point(b, point, out) : SP_BAD_ID, out);
    return sp__world_leave(w, status);
}

static sp_status face_point(sp_world *w, sp_body *b, int surface, int face, const double weights[3], sp_anchor *out) {
    sp_anchor corner[3];
    if (surface < 0 || surface >= b->surface_count)
        return WORLD_FAIL(w, SP_BAD_INPUT, "surface %d of '%s', which has %d", surface, b->name, b->surface_count);
    const sp_surface *s = b->surfaces[surface];
    if (face < 0 || face >= s->face_count)
        return WORLD_FAIL(w, SP_BAD_INPUT, "face = %d of surface %d of '%s', must be in [0, %d)", face, surface, b->name,
                          s->face_count);
    for (int k = 0; k < 3; k++)
        if (!isfinite(weights[k])) return WORLD_FAIL(w, SP_BAD_INPUT, "weight %d of a face is not finite", k);
    for (size_t k = 0; k < 3; k++) corner[k] = s->anchors[s->faces[3 * (size_t)face + k]];
    *out = sp__anchor_mean(corner, weights);
    sp_status status = b->ops->face_point ? b->ops->face_point(b, surface, face, weights, out) : SP_OK;
    return status < 0 ? sp__world_body_failed(w, b, status) : SP_OK;
}

sp_status sp_world_anchor_face(sp_world *w, sp_body_id id, int surface, int face, const double weights[3], sp_anchor *out) {
    SP_TRY(sp__world_enter(w));
    sp_body *b = sp__world_body(w, id);
    sp_status status = b ? face_point(w, b, surface, face, weights, out) : sp__world_stale(w, id);
    if (status >= 0) out->body = id;
    return sp__world_leave(w, status);
}

static sp_status anchor_lost(sp_world *w, const sp_anchor *anchor) {
    return WORLD_FAIL(w, SP_BAD_ID, "anchor on element %u of body slot %u is attached to nothing", (unsigned)anchor->elem,
                      (unsigned)anchor->body.slot);
}

sp_status sp_world_anchor_rest(sp_world *w, const sp_anchor *anchor, double x[3]) {
    SP_TRY(sp__world_enter(w));
    sp_body *b = sp__world_anchored(w, anchor);
    sp_status status = b ? SP_OK : anchor_lost(w, anchor);
    if (b && b->ops->rest_point)
        b->ops->rest_point(b, anchor, x);
    else if (b)
        status =
            WORLD_FAIL(w, SP_BAD_INPUT, "body '%s' is a %s, which keeps no rest positions of its points", b->name, b->ops->kind);
    return sp__world_leave(w, status);
}

sp_status sp_world_anchor_get(sp_world *w, const sp_anchor *anchor, double x[3], double v[3]) {
    SP_TRY(sp__world_enter(w));
    sp_body *b = sp__world_anchored(w, anchor);
    if (b) b->ops->points(b, SP_COMMITTED, 1, anchor, x, v);
    return sp__world_leave(w, b ? SP_OK : anchor_lost(w, anchor));
}

static sp_status set_state(sp_world *w, sp_body *b, const double *x, const double *v) {
    sp_status status = b->ops->set_state(b, x, v);
    if (status >= 0 && x) sp__loads_forget(b);
    if (status < 0) return sp__world_body_failed(w, b, status);
    b->frozen = false;
    b->retune = true;
    if (x) sp__world_contacts_forget(w, 0);
    // a rigid body that was placed elsewhere can change the contacts of other bodies
    for (int i = 0; i < w->body_count; i++)
        w->bodies[i]->energy_stale = w->bodies[i]->energy_stale || w->bodies[i] == b || (b->caps & SP_CAP_KINEMATIC);
    w->hash = sp__world_compute_hash(w);
    return SP_OK;
}

sp_status sp_world_set_state(sp_world *w, sp_body_id id, const double *positions, const double *velocities) {
    SP_TRY(sp__world_enter(w));
    sp_body *b = sp__world_body(w, id);
    sp_status status = b ? set_state(w, b, positions, velocities) : sp__world_stale(w, id);
    return sp__world_leave(w, status);
}

// with the loads at the end of the last step
sp_status sp_world_rod_invert(sp_world *w, sp_body_id id, double *natural) {
    SP_TRY(sp__world_enter(w));
    sp_body *b = sp__world_body(w, id);
    sp_status status = b ? SP_OK : sp__world_stale(w, id);
    if (b && !b->ops->invert)
        status = WORLD_FAIL(w, SP_BAD_INPUT, "body '%s' is a %s: only rods can be inverted", b->name, b->ops->kind);
    if (status >= 0) {
        sp__prescribe_now(w);
        const sp_step step = sp__body_step(b, &w->step);
        status = b->ops->invert(b, &step, natural);
        if (status < 0) sp__world_body_failed(w, b, status);
    }
    return sp__world_leave(w, status);
}
