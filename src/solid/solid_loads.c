// Boundary conditions and loads of a solid: pins, prescribed displacements, dead loads, pressure, springs.
#include "solid/solid.h"

static sp_status bad_item(sp_body *b, const char *what, int item, int count) {
    return SP_BODY_FAIL(b, SP_BAD_INPUT, "%s of '%s': number %d, must be in [0, %d]", what, b->name, item, count - 1);
}

static sp_status check_items(sp_body *b, const char *what, const int *items, int n, int count) {
    if (n < 0 || (n > 0 && !items))
        return SP_BODY_FAIL(b, SP_BAD_INPUT, "%s of '%s': count = %d, must be >= 0 and have a list", what, b->name, n);
    for (int i = 0; i < n; i++)
        if (items[i] < 0 || items[i] >= count) return bad_item(b, what, items[i], count);
    return SP_OK;
}

static sp_status check_anchor(sp_body *b, const char *what, const sp_anchor *at) {
    const sp_solid *s = sp__solid(b);
    if (at->elem >= (uint32_t)s->cells) return bad_item(b, what, (int)at->elem, s->cells);
    for (int k = 0; k < 3; k++)
        if (!isfinite(at->at[k]))
            return SP_BODY_FAIL(b, SP_BAD_INPUT, "%s of '%s': natural coordinate %g, must be finite", what, b->name, at->at[k]);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ boundary conditions

static sp_status solid_add_fix(sp_body *b, const sp_fix *fix) {
    sp_solid *s = sp__solid(b);
    for (int i = 0; i < fix->count; i++) {
        int node = s->inner_node[fix->nodes[i]];
        const double *x = b->q[SP_COMMITTED] + 3 * (size_t)node;
        if (fix->stiffness > 0) {
            sp_spring spring = {.stiffness = fix->stiffness, .axes = fix->axes, .slot = -1, .active = true, .pin = true};
            SP_TRY(sp__solid_anchor_node(b, fix->nodes[i], &spring.at));
            for (int k = 0; k < 3; k++) spring.to[k] = sp_signal_constant(x[k]), spring.target[k] = x[k];
            SP_TRY(sp__loads_add_spring(b, &spring));
        } else {
            for (int k = 0; k < 3; k++)
                if (fix->axes >> k & 1) b->fixed[3 * (size_t)node + (size_t)k] = SP_HELD;
        }
    }
    return SP_OK;
}

static sp_status solid_add_move(sp_body *b, const sp_move *move, sp_moved *out) {
    sp_solid *s = sp__solid(b);
    *out = (sp_moved){.pose = move->pose, .axes = move->axes, .count = move->count};
    memcpy(out->about, move->about, sizeof out->about);
    if (!SP_NEW(b->ctx, out->node, move->count + 1) || !SP_NEW(b->ctx, out->start, 3 * (size_t)move->count + 1))
        return SP_NO_MEMORY;
    for (int i = 0; i < move->count; i++) {
        size_t node = (size_t)s->inner_node[move->nodes[i]];
        out->node[i] = (int)node;
        memcpy(out->start + 3 * (size_t)i, b->q[SP_COMMITTED] + 3 * node, 3 * sizeof(double));
        for (size_t k = 0; k < 3; k++)
            if (move->axes >> k & 1) b->fixed[3 * node + k] = SP_MOVED;
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ loads

static sp_status add_nodal(sp_body *b, const sp_load *load, sp_nodal_load *out) {
    sp_solid *s = sp__solid(b);
    SP_TRY(check_items(b, "load", load->items, load->count, s->nodes));
    *out = (sp_nodal_load){.value = {load->value[0], load->value[1], load->value[2]}, .count = load->count};
    out->by_mass = load->type == SP_LOAD_ACCELERATION;
    if (!SP_NEW(b->ctx, out->node, load->count + 1) || !SP_NEW(b->ctx, out->weight, load->count + 1)) return SP_NO_MEMORY;
    for (int i = 0; i < load->count; i++) {
        out->node[i] = s->inner_node[load->items[i]];
        out->weight[i] = load->type == SP_LOAD_FORCE ? 1.0 / load->count : 1.0;
    }
    return SP_OK;
}

// a force at a material point: its shares at the nodes of the element
static sp_status add_point_force(sp_body *b, const sp_load *load, sp_nodal_load *out) {
    sp_solid *s = sp__solid(b);
    double w[4];
    SP_TRY(check_anchor(b, "load", &load->at));
    *out = (sp_nodal_load){.value = {load->value[0], load->value[1], load->value[2]}, .count = 4};
    if (!SP_NEW(b->ctx, out->node, 4) || !SP_NEW(b->ctx, out->weight, 4)) return SP_NO_MEMORY;
    sp__solid_weights(&load->at, w);
    for (int k = 0; k < 4; k++) out->weight[k] = w[k], out->node[k] = sp__solid_cell(s, load->at.elem)[k];
    return SP_OK;
}

static bool face_is_simple(const sp_mesh *mesh, int face) {
    sp_element_type type = sp_mesh_element(mesh, sp_mesh_face_element(mesh, face), NULL);
    return type == SP_ELEMENT_TET4 || type == SP_ELEMENT_TRI3;
}

static void add_share(sp_nodal_load *out, int node, double weight, int element) {
    out->node[out->count] = node, out->element[out->count] = element, out->weight[out->count++] = weight;
}

// 4-node tetrahedra and triangles: each node of the face gets a third of its area; others: solid_faces.c
static void traction_shares(const sp_body *b, const sp_mesh *mesh, int face, sp_nodal_load *out) {
    sp_solid *s = sp__solid(b);
    const int *f = sp_mesh_faces(mesh) + 3 * (size_t)face, element = sp_mesh_face_element(mesh, face);
    const double *x = sp_mesh_positions(mesh);
    double u[3], v[3], n[3], area[3 * SP_ELEMENT_NODES_MAX], size[SP_ELEMENT_NODES_MAX];
    sp__sub3(x + 3 * (size_t)f[1], x + 3 * (size_t)f[0], u);
    sp__sub3(x + 3 * (size_t)f[2], x + 3 * (size_t)f[0], v);
    sp__cross3(u, v, n);
    if (face_is_simple(mesh, face)) {
        for (int k = 0; k < 3; k++) add_share(out, s->inner_node[f[k]], sp__norm3(n) / 6, element);
        return;
    }
    sp_face_patch patch;
    sp__face_patch_make(s, mesh, face, &patch);
    sp__face_patch_areas(&patch, s->rest, area, size);
    for (int a = 0; a < patch.nodes; a++)
        if (fabs(size[a]) > 1e-12 * sp__norm3(n)) add_share(out, patch.node[a], size[a], element);  // others are off the face
}

// a constant traction on rest faces
static sp_status add_traction(sp_body *b, const sp_load *load, const sp_mesh *mesh, sp_nodal_load *out) {
    SP_TRY(check_items(b, "traction", load->items, load->count, sp_mesh_face_count(mesh)));
    size_t room = 0;
    for (int i = 0; i < load->count; i++) room += face_is_simple(mesh, load->items[i]) ? 3 : SP_ELEMENT_NODES_MAX;
    *out = (sp_nodal_load){.value = {load->value[0], load->value[1], load->value[2]}};
    if (!SP_NEW(b->ctx, out->node, room + 1) || !SP_NEW(b->ctx, out->weight, room + 1) || !SP_NEW(b->ctx, out->element, room + 1))
        return SP_NO_MEMORY;
    for (int i = 0; i < load->count; i++) traction_shares(b, mesh, load->items[i], out);
    return SP_OK;
}

static sp_status add_pressure(sp_body *b, const sp_load *load, const sp_mesh *mesh, sp_pressure_load *out) {
    const sp_solid *s = sp__solid(b);
    SP_TRY(check_items(b, "pressure", load->items, load->count, sp_mesh_face_count(mesh)));
    int simple = 0;
    for (int i = 0; i < load->count; i++) simple += face_is_simple(mesh, load->items[i]);
    *out = (sp_pressure_load){.value = load->value[0]};
    if (!SP_NEW(b->ctx, out->face, simple + 1) || !SP_NEW(b->ctx, out->element, simple + 1)) return SP_NO_MEMORY;
    if (simple < load->count && !SP_NEW(b->ctx, out->patch, load->count - simple)) return SP_NO_MEMORY;
    for (int i = 0; i < load->count; i++) {
        const int *f = sp_mesh_faces(mesh) + 3 * (size_t)load->items[i];
        if (face_is_simple(mesh, load->items[i])) {
            for (int k = 0; k < 3; k++) out->face[out->count][k] = s->inner_node[f[k]];
            out->element[out->count++] = sp_mesh_face_element(mesh, load->items[i]);
        } else {
            sp__face_patch_make(s, mesh, load->items[i], &out->patch[out->patch_count++]);
        }
    }
    return SP_OK;
}

static sp_status solid_add_load(sp_body *b, const sp_load *load, const sp_mesh *mesh) {
    sp_solid *s = sp__solid(b);
    if (load->type == SP_LOAD_FORCE && !load->items && load->count == 0)
        return add_point_force(b, load, &s->dead[s->dead_count++]);
    switch (load->type) {
    case SP_LOAD_PRESSURE: return add_pressure(b, load, mesh, &s->pressure[s->pressure_count++]);
    case SP_LOAD_TRACTION: return add_traction(b, load, mesh, &s->dead[s->dead_count++]);
    case SP_LOAD_FORCE:
    case SP_LOAD_EACH:
    case SP_LOAD_ACCELERATION: return add_nodal(b, load, &s->dead[s->dead_count++]);
    case SP_LOAD_TORQUE: return SP_BODY_FAIL(b, SP_BAD_INPUT, "load of '%s': a torque acts on rods only", b->name);
    }
    return SP_BODY_FAIL(b, SP_BAD_INPUT, "load of '%s': type = %d is unknown", b->name, (int)load->type);
}

static sp_status solid_add_spring(sp_body *b, const sp_spring_def *def) {
    SP_TRY(check_anchor(b, "spring", &def->at));
    sp_spring spring = sp__spring_of(def, def->at);
    spring.at.body = b->id;
    return sp__loads_add_spring(b, &spring);
}

// Node masses must not be negative: a point has to be inside its element. Rounding below zero is removed.
static sp_status solid_add_masses(sp_body *b, const sp_solid_def *def) {
    static const double rounding = 1e-6;
    SP_TRY(sp__masses_create(b, def->masses, def->mass_count));
    for (int i = 0; i < b->loads.mass_count; i++)
        for (int k = 0; k < b->loads.masses[i].count; k++) {
            sp_anchor *at = &b->loads.masses[i].at[k];
            double w[4], sum = 0;
            SP_TRY(check_anchor(b, "mass", at));
            sp__solid_weights(at, w);
            for (int a = 0; a < 4; a++) {
                if (w[a] < -rounding)
                    return SP_BODY_FAIL(b, SP_BAD_INPUT,
                                        "mass of '%s': weight %g of a node of element %u, must be >= 0: the point is outside",
                                        b->name, w[a], (unsigned)at->elem);
                w[a] = fmax(w[a], 0), sum += w[a];
            }
            for (int a = 0; a < 3; a++) at->at[a] = w[a + 1] / sum;
        }
    return SP_OK;
}

sp_status sp__solid_add_conditions(sp_body *b, const sp_solid_def *def) {
    sp_solid *s = sp__solid(b);
    if (!SP_NEW(b->ctx, s->dead, def->load_count + 1) || !SP_NEW(b->ctx, s->pressure, def->load_count + 1) ||
        !SP_NEW(b->ctx, s->moved, def->move_count + 1))
        return SP_NO_MEMORY;
    for (int i = 0; i < def->fix_count; i++) SP_TRY(solid_add_fix(b, &def->fixes[i]));
    for (int i = 0; i < def->move_count; i++) SP_TRY(solid_add_move(b, &def->moves[i], &s->moved[s->moved_count++]));
    for (int i = 0; i < def->load_count; i++) SP_TRY(solid_add_load(b, &def->loads[i], def->mesh));
    for (int i = 0; i < def->spring_count; i++) SP_TRY(solid_add_spring(b, &def->springs[i]));
    SP_TRY(solid_add_masses(b, def));
    // a node without elements has no mass and no force: it is held
    for (int i = 0; i < s->nodes; i++)
        if (s->corner_of[i] == UINT32_MAX) memset(b->fixed + 3 * (size_t)i, SP_HELD, 3);
    // pressure is a follower load: it has no potential
    if (s->pressure_count) b->caps &= ~(unsigned)SP_CAP_ENERGY;
    // values before the first step, for queries
    for (int k = 0; k < s->dead_count; k++)
        for (int a = 0; a < 3; a++) s->dead[k].now[a] = sp_signal_value(&s->dead[k].value[a], 0);
    for (int k = 0; k < s->pressure_count; k++) s->pressure[k].now = sp_signal_value(&s->pressure[k].value, 0);
    return SP_OK;
}

void sp__solid_free_loads(sp_context *ctx, sp_solid *s) {
    for (int i = 0; i < s->dead_count; i++)
        sp__free(ctx, s->dead[i].node), sp__free(ctx, s->dead[i].weight), sp__free(ctx, s->dead[i].element);
    for (int i = 0; i < s->pressure_count; i++)
        sp__free(ctx, s->pressure[i].face), sp__free(ctx, s->pressure[i].element), sp__free(ctx, s->pressure[i].patch);
    for (int i = 0; i < s->moved_count; i++) sp__free(ctx, s->moved[i].node), sp__free(ctx, s->moved[i].start);
    sp__free(ctx, s->dead), sp__free(ctx, s->pressure), sp__free(ctx, s->moved);
}

// ------------------------------------------------------------------------------------------------ forces

static void push_pressure(sp_body *b, const sp_pressure_load *p, double load_factor) {
    const sp_solid *s = sp__solid(b);
    const double *q = b->q[SP_TRIAL];
    for (int i = 0; i < p->count; i++) {
        const int *f = p->face[i];
        double u[3], v[3], n[3];
        if (sp__solid_gone(s, p->element[i])) continue;
        sp__sub3(q + 3 * (size_t)f[1], q + 3 * (size_t)f[0], u);
        sp__sub3(q + 3 * (size_t)f[2], q + 3 * (size_t)f[0], v);
        sp__cross3(u, v, n);
        for (int a = 0; a < 3; a++) sp__axpy3(b->f + 3 * (size_t)f[a], -load_factor * p->now / 6, n, b->f + 3 * (size_t)f[a]);
    }
    for (int i = 0; i < p->patch_count; i++) {
        double area[3 * SP_ELEMENT_NODES_MAX];
        if (sp__solid_gone(s, p->patch[i].element)) continue;
        sp__face_patch_areas(&p->patch[i], q, area, NULL);
        for (int a = 0; a < p->patch[i].nodes; a++) {
            double *f = b->f + 3 * (size_t)p->patch[i].node[a];
            sp__axpy3(f, -load_factor * p->now, area + 3 * a, f);
        }
    }
}

void sp__solid_dead_loads(sp_body *b, double load_factor) {
    sp_solid *s = sp__solid(b);
    for (int k = 0; k < s->dead_count; k++) {
        const sp_nodal_load *d = &s->dead[k];
        for (int i = 0; i < d->count; i++)
            for (size_t a = 0; a < 3; a++) {
                size_t at = 3 * (size_t)d->node[i] + a;
                double f = load_factor * d->now[a] * sp__solid_share(s, d, i);
                b->f[at] += f;
                b->energy -= f * (b->q[SP_TRIAL][at] - s->rest[at]);
            }
    }
    for (int k = 0; k < s->pressure_count; k++) push_pressure(b, &s->pressure[k], load_factor);
}
