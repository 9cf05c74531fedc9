// What all kinds of bodies share: allocation, arrays and their visit by checkpoints.
#include "body/body.h"

#include <stdio.h>

#include "body/drive.h"
#include "core/share.h"

static double *new_vector(sp_context *ctx, int n) {
    return sp__alloc(ctx, (size_t)n + 1, sizeof(double));  // kernels may read one number past the end
}

sp_status sp__body_new(sp_context *ctx, sp_error *error, const sp_body_ops *ops, size_t impl_size, const char *name,
                       sp_body **out) {
    *out = NULL;
    sp_body *b;
    void *impl = NULL;
    if (!SP_NEW(ctx, b, 1) || !(impl = sp__alloc(ctx, 1, impl_size))) {
        sp__free(ctx, b);
        return sp__fail(error, SP_NO_MEMORY, __FILE__, __LINE__, "no memory for a %s", ops->kind);
    }
    *b = (sp_body){.ops = ops, .ctx = ctx, .error = error, .impl = impl};
    snprintf(b->name, sizeof b->name, "%s", name ? name : "");
    *out = b;
    return SP_OK;
}

sp_status sp__body_init(sp_body *b, int nq, int nv) {
    b->nq = nq, b->nv = nv;
    b->retune = true;
    bool ok = true;
    for (int s = 0; s < 2; s++) {
        b->q[s] = new_vector(b->ctx, nq);
        b->v[s] = new_vector(b->ctx, nv);
        ok = ok && b->q[s] && b->v[s];
    }
    for (int i = 0; i < 6; i++) {
        b->work[i] = sp__lend(b->ctx, new_vector(b->ctx, nv));
        ok = ok && b->work[i];
    }
    b->f = new_vector(b->ctx, nv);
    b->target = new_vector(b->ctx, nq);
    b->fixed = sp__alloc(b->ctx, nv > 0 ? (size_t)nv : 1, 1);
    sp_surface *boundary = sp__surface_create(b->ctx, "boundary", SP_ROLE_MECHANICAL | SP_ROLE_VISUAL | SP_ROLE_COLLISION);
    if (boundary && sp__surfaces_reserve(b) >= 0)
        sp__surfaces_add(b, boundary);
    else
        sp__surface_release(b->ctx, &boundary), ok = false;
    if (ok && b->f && b->target && b->fixed) return SP_OK;
    sp__body_free(b);
    return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for the %d unknowns of a body", nv);
}

void sp__body_free(sp_body *b) {
    for (int s = 0; s < 2; s++) {
        sp__free(b->ctx, b->q[s]), b->q[s] = NULL;
        sp__free(b->ctx, b->v[s]), b->v[s] = NULL;
    }
    for (int i = 0; i < 6; i++) sp__free(b->ctx, b->work[i]), b->work[i] = NULL;
    sp__free(b->ctx, b->f), b->f = NULL;
    sp__free(b->ctx, b->history), b->history = NULL;
    sp__free(b->ctx, b->parts), b->parts = NULL;
    sp__free(b->ctx, b->free_velocity), b->free_velocity = NULL;
    sp__free(b->ctx, b->contact_impulse), b->contact_impulse = NULL;
    sp__free(b->ctx, b->divided), b->divided = NULL;
    sp__free(b->ctx, b->mode), b->mode = NULL;
    sp__free(b->ctx, b->pass_start), b->pass_start = NULL;
    sp__free(b->ctx, b->target), b->target = NULL;
    sp__free(b->ctx, b->fixed), b->fixed = NULL;
    sp__free(b->ctx, b->materials.names), b->materials.names = NULL;
    sp__surfaces_free(b);
    sp__loads_free(b);
    sp__solver_destroy(&b->solver);
    sp__solver_destroy(&b->next_solver);
    sp__compliance_destroy(&b->compliance);
    sp__compliance_destroy(&b->next_compliance);
}

void sp__body_visit(sp_body *b, sp_tier tier, sp_visitor *v) {
    if (tier == SP_TOPOLOGY && b->loads.by_surface) v->array(v, "touching", &b->loads.surface_key, sizeof(uint64_t), 1);
    if (tier == SP_STATE) {
        v->array(v, "q", b->q[SP_COMMITTED], sizeof(double), (size_t)b->nq);
        v->array(v, "v", b->v[SP_COMMITTED], sizeof(double), (size_t)b->nv);
        if (b->loads.node_count) {
            v->array(v, "contacts", b->loads.memory[SP_COMMITTED], sizeof(sp_contact_memory),
                     (size_t)SP_MEMORY_SLOTS * (size_t)b->loads.node_count);
            b->loads.remembers[SP_COMMITTED] = b->loads.remembers[SP_COMMITTED] || v->writes;
        }
        if (!(b->caps & SP_CAP_KINEMATIC)) v->array(v, "balance", &b->balance[SP_COMMITTED], sizeof(double), SP_BALANCE_SIZE);
    }
    if (tier == SP_PARAMETERS) {
        v->array(v, "fixed", b->fixed, 1, (size_t)b->nv);
        v->array(v, "target", b->target, sizeof(double), (size_t)b->nq);
        sp__masses_visit(b, v);
    }
}

sp_status sp__additions_copy(sp_context *ctx, const sp_additions *from, int nodes, int elements, int element_nodes,
                             sp_additions *out) {
    *out = (sp_additions){from->nodes, from->elements, from->element_nodes, NULL, NULL, NULL};
    if (!SP_NEW(ctx, out->rest, 3 * ((size_t)from->nodes + (size_t)nodes) + 1) ||
        !SP_NEW(ctx, out->like, (size_t)from->elements + (size_t)elements + 1) ||
        !SP_NEW(ctx, out->node, (size_t)from->element_nodes + (size_t)element_nodes + 1)) {
        sp__additions_free(ctx, out);
        return SP_NO_MEMORY;
    }
    if (from->nodes) memcpy(out->rest, from->rest, 3 * (size_t)from->nodes * sizeof *out->rest);
    if (from->elements) memcpy(out->like, from->like, (size_t)from->elements * sizeof *out->like);
    if (from->element_nodes) memcpy(out->node, from->node, (size_t)from->element_nodes * sizeof *out->node);
    return SP_OK;
}

void sp__additions_free(sp_context *ctx, sp_additions *additions) {
    sp__free(ctx, additions->rest), sp__free(ctx, additions->like), sp__free(ctx, additions->node);
    *additions = (sp_additions){0};
}

uint64_t sp__body_hash_numbers(const double *x, int n, uint64_t first) {
    uint64_t sum = 0;
    for (int i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        sum += sp__mix(bits, first + (uint64_t)i);
    }
    return sum;
}

int64_t sp__body_node_of(sp_body *b, int unknown) {
    return b->ops->node_of ? b->ops->node_of(b, unknown) : unknown / 3;
}
