// Edits of a solid: parameters, pins, state; and the visit of its tiers by checkpoints and memory counts.
#include "solid/solid.h"

// ------------------------------------------------------------------------------------------------ tiers

// Names, sizes and order of the arrays of a solid of one group of linear tetrahedra are those of files of version 0.1.
static void visit_topology(const sp_body *b, sp_visitor *v) {
    sp_solid *s = sp__solid(b);
    v->array(v, "user_node", s->user_node, sizeof(int), (size_t)s->nodes);
    v->array(v, "inner_node", s->inner_node, sizeof(int), (size_t)s->nodes);
    v->array(v, "user_tet", s->user_element, sizeof(int), (size_t)s->slots);
    v->array(v, "slot_of", s->slot_of, sizeof(int), (size_t)s->elements);
    if (s->cells != s->elements) {
        v->array(v, "cell_node", s->cell_node, sizeof(int), 4 * (size_t)s->cells);
        v->array(v, "cell_element", s->cell_element, sizeof(int), (size_t)s->cells);
    }
    v->array(v, "corner_of", s->corner_of, sizeof(uint32_t), (size_t)s->nodes);
    for (int k = 0; k < s->group_count; k++) {
        sp_solid_group *g = &s->group[k];
        size_t n = (size_t)g->slots * (size_t)g->nodes, touched = (size_t)g->chunks.start[g->chunks.count];
        v->array(v, "tet_node", g->node, sizeof(int), n);
        v->array(v, "tet_local", g->local, sizeof(uint16_t), n);
        v->array(v, "chunk_node", g->chunks.node, sizeof(int), touched);
        v->array(v, "chunk_slot", g->chunks.slot, sizeof(int), touched);
        v->array(v, "slot_start", g->chunks.slot_start, sizeof(int), (size_t)s->nodes + 1);
        if (!g->iso.patches) continue;
        v->array(v, "patch_start", g->patches.start, sizeof(int), (size_t)g->patches.count + 1);
        v->array(v, "patch_slot", g->patches.slot, sizeof(int), (size_t)g->elements);
        v->array(v, "patch_node", g->patches.node, sizeof(int), (size_t)g->patches.node_start[g->patches.count]);
    }
    const sp_surface *boundary = s->left ? s->whole_boundary : b->surfaces[0];  // removals do not change what a checkpoint needs
    v->array(v, "faces", boundary->faces, sizeof(uint32_t), 3 * (size_t)boundary->face_count);
}

static void visit_parameters(sp_body *b, sp_visitor *v) {
    sp_solid *s = sp__solid(b);
    size_t n = (size_t)s->slots;
    v->array(v, "region", s->region, sizeof *s->region, (size_t)s->region_count);
    if (s->region_of) v->array(v, "region_of", s->region_of, sizeof *s->region_of, n);
    if (s->density) v->array(v, "density", s->density, sizeof(double), n);
    if (s->young) v->array(v, "young", s->young, sizeof(double), n);
    if (s->poisson) v->array(v, "poisson", s->poisson, sizeof(double), n);
    if (s->strain) v->array(v, "strain", s->strain, sizeof(double), 2 * (size_t)s->region_count);
    if (s->swell) v->array(v, "swell", s->swell, sizeof(double), n);
    if (s->active) v->array(v, "active", s->active, sizeof(double), n);
    sp__body_params_visit(b, v);
    v->array(v, "rest", s->rest, sizeof(double), 3 * (size_t)s->nodes);
    v->array(v, "hold", s->hold, sizeof(double), 3 * (size_t)s->nodes);
    for (int k = 0; k < s->group_count; k++) {
        sp_solid_group *g = &s->group[k];
        size_t points = (size_t)g->slots * (size_t)g->iso.points;
        if (s->consistent)
            v->array(v, "mass_share", g->mass_share, sizeof(double),
                     (size_t)(g->nodes * (g->nodes + 1) / 2) * (g->type == SP_ELEMENT_TET4 ? 1 : (size_t)g->slots));
        if (g->tets.rest) v->array(v, "rest_gradients", g->tets.rest, sizeof(double), 6 * (size_t)g->slots);
        if (!points) continue;
        v->array(v, "slopes", g->rest_slope ? g->rest_slope : g->iso.slope, sizeof(double), points * 3 * (size_t)(g->nodes - 1));
        v->array(v, "weights", g->rest_weight ? g->rest_weight : g->iso.weight, sizeof(double), points);
        if (g->directions) v->array(v, "fibre", g->iso.fibre, sizeof(double), 3 * (size_t)g->directions * (size_t)g->slots);
    }
}

static void visit_group_cache(sp_solid *s, sp_solid_group *g, sp_visitor *v) {
    sp_tets *t = &g->tets;
    // evaluate writes these arrays at each state; only groups with a linear law keep them
    const bool state = v->scratch || sp__group_is_linear(g);
    size_t n = (size_t)g->slots, points = n * (size_t)g->iso.points;
    if (points) {
        v->array(v, "law", g->iso.param, sizeof(double), n * SP_LAW_PARAMS);
        v->array(v, "volume", s->volume + g->first, sizeof(double), n);
        if (state) {
            v->array(v, "turned", g->iso.turned, sizeof(double), points * 3 * (size_t)(g->nodes - 1));
            v->array(v, "tangent", g->iso.tangent, sizeof(double), points * sp__iso_tangent(&g->iso));
        }
        if (g->strained) {
            v->array(v, "offset", g->iso.offset, sizeof(double), 9 * n);
            v->array(v, "strained_slopes", g->iso.slope, sizeof(double), points * 3 * (size_t)(g->nodes - 1));
            v->array(v, "strained_weights", g->iso.weight, sizeof(double), points);
        }
        if (g->iso.bar && state) v->array(v, "bar", g->iso.bar, sizeof(double), n * (size_t)(3 * g->nodes - 2));
        if (g->iso.kept) v->array(v, "kept", g->iso.kept, sizeof(double), 6 * points);
        if (g->lasting) v->array(v, "lasting", g->lasting, sizeof(double), n * SP_LAW_PARAMS);
        if (g->iso.patches && state) {
            v->array(v, "patch_q", g->iso.patch_q, sizeof(double), 3 * (size_t)g->patches.node_start[g->patches.count]);
            v->array(v, "patch_factor", g->iso.patch_factor, sizeof(double), (size_t)g->patches.count);
        }
        if (!g->iso.families) return;
        v->array(v, "fibre_law", g->iso.fibre_param, sizeof(double), n * (size_t)g->iso.families * SP_FIBRE_PARAMS);
        if (state)
            v->array(v, "fibre_state", g->iso.fibre_state, sizeof(double), points * (size_t)g->iso.families * SP_FIBRE_STATE);
        return;
    }
    if (g->springs.pattern) {
        size_t springs = n * (size_t)g->springs.pattern->count;
        v->array(v, "spring_length", g->springs.length, sizeof(double), springs);
        v->array(v, "spring_stiffness", g->springs.stiffness, sizeof(double), n);
        v->array(v, "volume", s->volume + g->first, sizeof(double), n);
        if (state) v->array(v, "spring_state", g->springs.state, sizeof(double), springs * SP_SPRING_STATE);
        return;
    }
    v->array(v, "scale", t->scale, sizeof(double), n);
    v->array(v, "ratio", t->ratio, sizeof(double), n);
    v->array(v, "volume", s->volume + g->first, sizeof(double), n);
    if (state) v->array(v, "gradients", t->grad, sizeof(double), 9 * n);
    if (t->spin && state) v->array(v, "spin", t->spin, sizeof(double), 6 * n);
    if (t->frame) v->array(v, "frame", t->frame, sizeof(double), 9 * n);
}

static void visit_cache(sp_solid *s, sp_visitor *v) {
    for (int g = 0; g < s->group_count; g++) visit_group_cache(s, &s->group[g], v);
    v->array(v, "mass", s->mass, sizeof(double), (size_t)s->nodes);
    v->array(v, "drag_of", s->drag_of, sizeof(double), (size_t)s->nodes);
    if (s->consistent) v->array(v, "diagonal_mass", s->diagonal_mass, sizeof(double), (size_t)s->nodes);
    if (s->consistent) v->array(v, "element_mass", s->element_mass, sizeof(double), (size_t)s->slots);
    v->array(v, "keep", s->keep, sizeof(double), 3 * (size_t)s->nodes);
}

void sp__solid_visit(sp_body *b, sp_tier tier, sp_visitor *v) {
    sp__body_visit(b, tier, v);
    if (tier == SP_TOPOLOGY) visit_topology(b, v);
    if (tier == SP_PARAMETERS) visit_parameters(b, v);
    if (tier == SP_CACHE) visit_cache(sp__solid(b), v);
}

// ------------------------------------------------------------------------------------------------ parameters

void sp__solid_material_changed(sp_body *b) {
    sp__solid(b)->stale = true;
    b->retune = b->energy_stale = true;
    sp__solid_materials(b);  // contacts need masses before the next evaluation
}

void sp__solid_refresh(sp_body *b) {
    sp__solid(b)->values++;
    sp__solid(b)->strain_stale = sp__solid(b)->strain != NULL;
    sp__solid_material_changed(b);
    sp__body_solver_changed(b);
}

double *sp__solid_material_value(sp_body *b, int material, int which) {
    sp_solid_constants *m = &sp__solid(b)->region[material];
    return which == SP_PARAM_YOUNG ? &m->young : which == SP_PARAM_POISSON ? &m->poisson : &m->density;
}

// ------------------------------------------------------------------------------------------------ pins and state

sp_status sp__solid_pin(sp_body *b, int node, unsigned axes, bool hold) {
    sp_solid *s = sp__solid(b);
    if (node < 0 || node >= s->nodes)
        return SP_BODY_FAIL(b, SP_BAD_INPUT, "node %d of '%s', must be in [0, %d]", node, b->name, s->nodes - 1);
    int i = s->inner_node[node];
    if (s->corner_of[i] == UINT32_MAX)
        return SP_BODY_FAIL(b, SP_BAD_INPUT, "node %d of '%s' belongs to no element", node, b->name);
    if (sp__solid_bare(s, i))
        return SP_BODY_FAIL(b, SP_BAD_INPUT, "node %d of '%s': all its elements were removed", node, b->name);
    for (size_t k = 0; k < 3; k++) {
        size_t at = 3 * (size_t)i + k;
        if (!(axes >> k & 1)) continue;
        b->fixed[at] = hold ? SP_HELD : SP_FREE;
        if (hold) s->hold[at] = b->q[SP_COMMITTED][at];
    }
    b->retune = true;
    return SP_OK;
}

static void take_state(const sp_solid *s, const double *user, double *inner) {
    for (int i = 0; user && i < s->nodes; i++)
        memcpy(inner + 3 * (size_t)i, user + 3 * (size_t)s->user_node[i], 3 * sizeof(double));
}

sp_status sp__solid_set_state(sp_body *b, const double *x, const double *v) {
    sp_solid *s = sp__solid(b);
    for (int i = 0; i < b->nv; i++)
        if ((x && !isfinite(x[i])) || (v && !isfinite(v[i])))
            return SP_BODY_FAIL(b, SP_NOT_FINITE, "state of '%s': node %d is not finite", b->name, i / 3);
    take_state(s, x, b->q[SP_COMMITTED]);
    take_state(s, v, b->v[SP_COMMITTED]);
    // held unknowns stay at the new positions
    for (int i = 0; i < b->nv && x; i++)
        if (b->fixed[i] == SP_HELD) s->hold[i] = b->q[SP_COMMITTED][i];
    return SP_OK;
}
