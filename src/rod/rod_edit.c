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
    if (r->guide) sp__rod_feed_visit(b, tier, v);
}

// ------------------------------------------------------------------------------------------------ undo

sp_status sp__rod_kept_create(sp_body *b, sp_rod_kept *k) {
    const sp_rod *r = sp__rod(b);
    SP_NEW(b->ctx, k->q, b->nq), SP_NEW(b->ctx, k->v, b->nv), SP_NEW(b->ctx, k->fixed, b->nv);
    SP_NEW(b->ctx, k->length, r->elements), SP_NEW(b->ctx, k->natural, 3 * (size_t)r->nodes);
    return k->q && k->v && k->fixed && k->length && k->natural ? SP_OK : SP_NO_MEMORY;
}

void sp__rod_kept_free(sp_body *b, sp_rod_kept *k) {
    sp__free(b->ctx, k->q), sp__free(b->ctx, k->v), sp__free(b->ctx, k->fixed);
    sp__free(b->ctx, k->length), sp__free(b->ctx, k->natural);
}

void sp__rod_keep(sp_body *b, sp_rod_kept *k) {
    const sp_rod *r = sp__rod(b);
    k->of = b->q[SP_COMMITTED];
    memcpy(k->q, b->q[SP_COMMITTED], (size_t)b->nq * sizeof *k->q);
    memcpy(k->v, b->v[SP_COMMITTED], (size_t)b->nv * sizeof *k->v);
    memcpy(k->fixed, b->fixed, (size_t)b->nv);
    memcpy(k->length, r->length, (size_t)r->elements * sizeof *k->length);
    memcpy(k->natural, r->natural, 3 * (size_t)r->nodes * sizeof *k->natural);
}

bool sp__rod_keep_undo(sp_body *b, sp_rod_kept *k) {
    sp_rod *r = sp__rod(b);
    // the committed array has been swapped since: that step succeeded, and the present step failed before it changed anything
    if (k->of != b->q[SP_COMMITTED]) return false;
    k->of = NULL;
    memcpy(b->q[SP_COMMITTED], k->q, (size_t)b->nq * sizeof *k->q);
    memcpy(b->v[SP_COMMITTED], k->v, (size_t)b->nv * sizeof *k->v);
    memcpy(b->fixed, k->fixed, (size_t)b->nv);
    memcpy(r->length, k->length, (size_t)r->elements * sizeof *k->length);
    memcpy(r->natural, k->natural, 3 * (size_t)r->nodes * sizeof *k->natural);
    sp__rod_changed(b);
    return true;
}

void sp__rod_undo(sp_body *b) {
    sp__rod_grow_undo(b);
    sp__rod_feed_undo(b);
}

// ------------------------------------------------------------------------------------------------ parameters

void sp__rod_refresh(sp_body *b) {
    sp_rod *r = sp__rod(b);
    for (int p = 0; p < r->parts; p++) r->part[p].alive = r->alive[p];
    r->values++;
    if (r->guide) sp__rod_feed_set(b);
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
    int lengths = r->growth ? r->elements : 0, fed = r->guide ? 2 : 0;
    for (int i = 0; x && i < b->nq + lengths + fed; i++)
        if (!isfinite(x[i])) return SP_BODY_FAIL(b, SP_NOT_FINITE, "state of '%s': coordinate %d is not finite", b->name, i);
    for (int i = b->nq; x && i < b->nq + lengths; i++)
        if (x[i] < 0) return SP_BODY_FAIL(b, SP_BAD_INPUT, "state of '%s': an element of %g m, must be >= 0", b->name, x[i]);
    for (int i = 0; v && i < b->nv; i++)
        if (!isfinite(v[i])) return SP_BODY_FAIL(b, SP_NOT_FINITE, "state of '%s': rate %d is not finite", b->name, i);
    if (x) memcpy(b->q[SP_COMMITTED], x, (size_t)b->nq * sizeof *x), memcpy(r->hold, x, (size_t)b->nq * sizeof *x);
    if (v) memcpy(b->v[SP_COMMITTED], v, (size_t)b->nv * sizeof *v);
    if (x && lengths) sp__rod_grow_set(b, x + b->nq);
    if (x && fed) {
        memcpy(sp__rod_feed_state(r), x + b->nq, 2 * sizeof *x);
        sp__rod_feed_set(b);
    }
    return SP_OK;
}
