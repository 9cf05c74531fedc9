// Edits of a rod: parameters and state; and the tiers for checkpoints and memory counts.
#include "rod/rod.h"

// ------------------------------------------------------------------------------------------------ tiers

static void visit_topology(const sp_body *b, sp_rod *r, sp_visitor *v) {
    v->array(v, "part_of", r->part_of, sizeof(int), (size_t)r->elements);
    v->array(v, "section_of", r->section_of, sizeof(int), (size_t)r->elements);
    v->array(v, "rest", r->rest, sizeof(double), 3 * (size_t)r->nodes);
    v->array(v, "faces", b->surfaces[0]->faces, sizeof(uint32_t), 3 * (size_t)b->surfaces[0]->face_count);
}

static void visit_parameters(sp_body *b, sp_rod *r, sp_visitor *v) {
    v->array(v, "section", r->section, sizeof *r->section, (size_t)r->sections);
    v->array(v, "natural", r->natural, sizeof(double), 3 * (size_t)r->nodes);
    sp__body_params_visit(b, v);
    v->array(v, "hold", r->hold, sizeof(double), (size_t)b->nq);
}

void sp__rod_visit(sp_body *b, sp_tier tier, sp_visitor *v) {
    sp_rod *r = sp__rod(b);
    sp__body_visit(b, tier, v);
    if (tier == SP_TOPOLOGY) visit_topology(b, r, v);
    if (tier == SP_PARAMETERS) visit_parameters(b, r, v);
    if (tier == SP_STATE) {
        v->array(v, "length", r->length, sizeof(double), (size_t)r->elements);
        v->array(v, "alive", r->alive, sizeof(int), (size_t)r->parts);
    }
    if (tier == SP_CACHE) {
        size_t bands = r->part[r->parts - 1].at + (size_t)r->part[r->parts - 1].nv * ((size_t)r->part[r->parts - 1].band + 1);
        v->array(v, "M", r->system[0], sizeof(double), bands);
        v->array(v, "B", r->system[1], sizeof(double), bands);
        v->array(v, "K", r->system[2], sizeof(double), bands);
    }
    if (r->growth) sp__rod_grow_visit(b, tier, v);
}

// ------------------------------------------------------------------------------------------------ parameters

void sp__rod_refresh(sp_body *b) {
    sp_rod *r = sp__rod(b);
    for (int p = 0; p < r->parts; p++) r->part[p].alive = r->alive[p];
    r->values++;
    sp__rod_changed(b);
    sp__rod_follow(b);  // contacts need masses before the next evaluation
    sp__body_solver_changed(b);
}

double *sp__rod_material_value(sp_body *b, int section, int which) {
    sp_rod_section *s = &sp__rod(b)->section[section];
    return which == SP_PARAM_YOUNG ? &s->young : which == SP_PARAM_POISSON ? &s->poisson : &s->density;
}

// ------------------------------------------------------------------------------------------------ state

// sets the fields "coordinates" and "rates"; held unknowns are held at the new values
sp_status sp__rod_set_state(sp_body *b, const double *x, const double *v) {
    sp_rod *r = sp__rod(b);
    int lengths = r->growth ? r->elements : 0;
    for (int i = 0; x && i < b->nq + lengths; i++)
        if (!isfinite(x[i])) return SP_BODY_FAIL(b, SP_NOT_FINITE, "state of '%s': coordinate %d is not finite", b->name, i);
    for (int i = b->nq; x && i < b->nq + lengths; i++)
        if (x[i] < 0) return SP_BODY_FAIL(b, SP_BAD_INPUT, "state of '%s': an element of %g m, must be >= 0", b->name, x[i]);
    for (int i = 0; v && i < b->nv; i++)
        if (!isfinite(v[i])) return SP_BODY_FAIL(b, SP_NOT_FINITE, "state of '%s': rate %d is not finite", b->name, i);
    if (x) memcpy(b->q[SP_COMMITTED], x, (size_t)b->nq * sizeof *x), memcpy(r->hold, x, (size_t)b->nq * sizeof *x);
    if (v) memcpy(b->v[SP_COMMITTED], v, (size_t)b->nv * sizeof *v);
    if (x && lengths) sp__rod_grow_set(b, x + b->nq);
    return SP_OK;
}
