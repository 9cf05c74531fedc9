// Nodes and elements that are appended to a body between two steps. The kind makes the grown body beside the present one and
// exchanges the two without a failure (body.h, sp_growth_ops); a restore does the same with the list of a checkpoint.
#include "world/world_internal.h"

sp_addition sp_addition_default(void) {
    return (sp_addition){.cookie = SP_COOKIE_ADDITION};
}

// ---------------------------------------------------------------------------------------------------- checks

static sp_status check_list(sp_world *w, const char *name, int count, bool given) {
    if (count < 0 || (count > 0 && !given))
        return WORLD_FAIL(w, SP_BAD_INPUT, "addition: %s = %d, must be >= 0 and have a list", name, count);
    return SP_OK;
}

static sp_status check_numbers(sp_world *w, const char *name, const double *x, int nodes) {
    for (int i = 0; x && i < 3 * nodes; i++)
        if (!isfinite(x[i])) return WORLD_FAIL(w, SP_NOT_FINITE, "addition: %s of node %d is not finite", name, i / 3);
    return SP_OK;
}

static sp_status check_addition(sp_world *w, const sp_body *b, const sp_addition *a) {
    if (!b->ops->growth)
        return WORLD_FAIL(w, SP_BAD_INPUT, "body '%s' %s: only solids of volume elements can grow", b->name,
                          b->ops->element_type == SP_ELEMENT_TRI3 ? "is a membrane" : "is not a solid");
    if (b->compliance_type == SP_COMPLIANCE_WARPED)
        return WORLD_FAIL(w, SP_BAD_INPUT,
                          "body '%s': compliance=\"warped\" keeps the factor of the first shape: use another one", b->name);
    SP_TRY(check_list(w, "node_count", a->node_count, a->rest || a->at));
    SP_TRY(check_list(w, "element_count", a->element_count, a->like && a->nodes));
    SP_TRY(check_list(w, "removed_count", a->removed_count, a->removed));
    if (a->node_entries < 0 || (a->node_entries > 0 && !a->nodes))
        return WORLD_FAIL(w, SP_BAD_INPUT, "addition: node_entries = %d, must be >= 0 and have a list", a->node_entries);
    // 4 cells or matrix entries of each item are counted by an int
    const int most = INT32_MAX / 64;
    if (a->node_count > most - b->nodes || a->element_count > most - b->elements || a->node_entries > most)
        return WORLD_FAIL(w, SP_BAD_INPUT, "addition: %d nodes and %d elements to '%s', must be at most %d in all", a->node_count,
                          a->element_count, b->name, most);
    for (int i = 0; i < a->removed_count; i++)
        if (a->removed[i] < 0 || a->removed[i] >= b->computed)
            return WORLD_FAIL(w, SP_BAD_INPUT, "addition: removed element %d of '%s', must be in [0, %d]", a->removed[i], b->name,
                              b->computed - 1);
    for (int i = 0; a->at && i < a->node_count; i++)
        if (sp__world_anchored(w, &a->at[i]) != b)
            return WORLD_FAIL(w, SP_BAD_INPUT, "addition: the point of node %d is not on '%s'", i, b->name);
    SP_TRY(check_numbers(w, "rest", a->rest, a->node_count));
    SP_TRY(check_numbers(w, "position", a->position, a->node_count));
    return check_numbers(w, "velocity", a->velocity, a->node_count);
}

// ---------------------------------------------------------------------------------------------------- the grown body

typedef struct append_job {
    sp_additions all;
    double *x, *v;           // of the new nodes
    unsigned char *removed;  // per element of the grown body
} append_job;

static void append_free(sp_world *w, append_job *j) {
    sp__additions_free(w->ctx, &j->all);
    sp__free(w->ctx, j->x), sp__free(w->ctx, j->v), sp__free(w->ctx, j->removed);
}

static void copy3(double *to, const double *from, int count) {
    if (count > 0) memcpy(to, from, 3 * (size_t)count * sizeof *to);
}

// new nodes at rest and now
static void place_nodes(sp_body *b, const sp_addition *a, append_job *j) {
    const int n = a->node_count;
    double *rest = j->all.rest + 3 * (size_t)j->all.nodes;
    if (a->at) b->ops->points(b, SP_COMMITTED, n, a->at, j->x, j->v);
    for (int i = 0; a->at && i < n; i++) b->ops->rest_point(b, &a->at[i], rest + 3 * (size_t)i);
    if (a->rest) copy3(rest, a->rest, n);
    if (a->position || !a->at) copy3(j->x, a->position ? a->position : rest, n);
    if (a->velocity) copy3(j->v, a->velocity, n);
}

static sp_status append_prepare(sp_world *w, sp_body *b, const sp_addition *a, append_job *j) {
    int count;
    const unsigned char *removed = sp__world_removed(b, &count);
    if (sp__additions_copy(w->ctx, b->ops->growth->list(b), a->node_count, a->element_count, a->node_entries, &j->all) < 0 ||
        !SP_NEW(w->ctx, j->x, 3 * (size_t)a->node_count + 1) || !SP_NEW(w->ctx, j->v, 3 * (size_t)a->node_count + 1) ||
        !SP_NEW(w->ctx, j->removed, (size_t)b->computed + (size_t)a->element_count + 1))
        return WORLD_FAIL(w, SP_NO_MEMORY, "no memory to append %d elements to '%s'", a->element_count, b->name);
    place_nodes(b, a, j);
    if (a->element_count) memcpy(j->all.like + j->all.elements, a->like, (size_t)a->element_count * sizeof *a->like);
    if (a->node_entries) memcpy(j->all.node + j->all.element_nodes, a->nodes, (size_t)a->node_entries * sizeof *a->nodes);
    j->all.nodes += a->node_count, j->all.elements += a->element_count, j->all.element_nodes += a->node_entries;
    if (removed) memcpy(j->removed, removed, (size_t)b->computed);
    for (int i = 0; i < a->removed_count; i++) j->removed[a->removed[i]] = 1;
    return SP_OK;
}

// lists of edits have one entry for each element
static void exchange_body(sp_world *w, sp_body *b, sp_growth *growth) {
    sp_slot *slot = sp__world_slot(w, b);
    sp__free(w->ctx, slot->removing);
    slot->removing = NULL;
    b->ops->growth->exchange(b, growth);
}

static sp_status append_exchange(sp_world *w, sp_body *b, const append_job *j) {
    sp_growth *growth;
    SP_TRY(b->ops->growth->make(b, &j->all, j->x, j->v, j->removed, &growth));
    exchange_body(w, b, growth);
    const sp_status status = b->ops->growth->check(b);
    if (status < 0)
        exchange_body(w, b, growth);
    else
        sp__world_contacts_forget(w, 0);  // they name faces of the old boundary
    b->ops->growth->free(b, &growth);
    return status;
}

// elements that leave without others in their place
static sp_status remove_only(sp_world *w, sp_body *b, const append_job *j) {
    SP_TRY(sp__world_remains_reserve(w, b, j->removed));
    sp__world_contacts_forget(w, 0);
    sp__world_remains_take(w, b);
    return SP_OK;
}

static sp_status append_body(sp_world *w, sp_body *b, const sp_addition *a) {
    append_job j = {0};
    if (!a || a->cookie != SP_COOKIE_ADDITION)
        return WORLD_FAIL(w, SP_BAD_INPUT, "the addition does not start from sp_addition_default()");
    SP_TRY(check_addition(w, b, a));
    sp_status status = append_prepare(w, b, a, &j);
    if (status >= 0 && (a->node_count || a->element_count))
        status = append_exchange(w, b, &j);
    else if (status >= 0 && a->removed_count)
        status = remove_only(w, b, &j);
    append_free(w, &j);
    if (status < 0) return sp__world_body_failed(w, b, status);
    w->hash = sp__world_compute_hash(w);
    return status;
}

sp_status sp_world_append(sp_world *w, sp_body_id id, const sp_addition *addition) {
    SP_TRY(sp__world_enter(w));
    sp_body *b = sp__world_body(w, id);
    sp_status status = b ? append_body(w, b, addition) : sp__world_stale(w, id);
    return sp__world_leave(w, status);
}

// ---------------------------------------------------------------------------------------------------- restores

static bool same_bytes(const void *a, const void *b, size_t size) {
    return size == 0 || memcmp(a, b, size) == 0;
}

static bool same_additions(const sp_additions *a, const sp_additions *b) {
    return a->nodes == b->nodes && a->elements == b->elements && a->element_nodes == b->element_nodes &&
           same_bytes(a->rest, b->rest, 3 * (size_t)a->nodes * sizeof *a->rest) &&
           same_bytes(a->like, b->like, (size_t)a->elements * sizeof *a->like) &&
           same_bytes(a->node, b->node, (size_t)a->element_nodes * sizeof *a->node);
}

// The state of the nodes follows; until then new ones are at rest.
static sp_status make_growth(sp_world *w, sp_body *b, const sp_additions *all, const unsigned char *removed, sp_growth **out) {
    const int known = b->ops->growth->list(b)->nodes, fresh = all->nodes > known ? all->nodes - known : 0;
    double *none;
    if (!SP_NEW(w->ctx, none, 3 * (size_t)fresh + 1))
        return WORLD_FAIL(w, SP_NO_MEMORY, "no memory for %d new nodes of '%s'", fresh, b->name);
    sp_status status = b->ops->growth->make(b, all, all->rest + 3 * (size_t)(all->nodes - fresh), none, removed, out);
    sp__free(w->ctx, none);
    return status;
}

sp_status sp__world_growth_try(sp_world *w, sp_body *b, const sp_additions *additions, const unsigned char *removed) {
    sp_slot *slot = sp__world_slot(w, b);
    sp_additions all;
    if (same_additions(b->ops->growth->list(b), additions)) return SP_OK;
    // a block of memory may be at any address
    if (sp__additions_copy(w->ctx, additions, 0, 0, 0, &all) < 0)
        return WORLD_FAIL(w, SP_NO_MEMORY, "no memory for the %d elements that were appended to '%s'", additions->elements,
                          b->name);
    sp_status status = make_growth(w, b, &all, removed, &slot->growth);
    sp__additions_free(w->ctx, &all);
    if (status >= 0) exchange_body(w, b, slot->growth);
    return status;
}

void sp__world_growth_end(sp_world *w, sp_body *b, bool keep) {
    sp_slot *slot = sp__world_slot(w, b);
    if (!slot->growth) return;
    if (!keep) exchange_body(w, b, slot->growth);
    b->ops->growth->free(b, &slot->growth);
}
