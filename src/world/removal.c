// Elements that are removed: by edits of a step, by a restore, or at once. The kind makes what is left of the body (body.h,
// sp_removal_ops) before anything changes; here it is used, kept for the rollback of the step, and reported.
#include <stdio.h>

#include "world/world_internal.h"

const unsigned char *sp__world_removed(const sp_body *b, int *count) {
    *count = 0;
    return b->ops->removal ? b->ops->removal->removed(b, count) : NULL;
}

// The inverse that contacts use would be that of a stiffer body, and what contacts do with it is wrong or grows without bounds.
static const char keeps_first[] = "compliance=\"warped\" keeps the factor of the whole body: use another one";

// ---------------------------------------------------------------------------------------------------- edits of a step

// The list of a body: what is removed already, at the first edit since it was applied.
static sp_status removal_list(sp_world *w, const sp_body *b, sp_slot *slot) {
    int count;
    const unsigned char *removed = sp__world_removed(b, &count);
    const size_t n = (size_t)b->computed;
    if (!slot->removing && !SP_NEW(w->ctx, slot->removing, n))
        return WORLD_FAIL(w, SP_NO_MEMORY, "no memory for the %d elements of '%s'", b->computed, b->name);
    if (slot->removing_count) return SP_OK;
    memset(slot->removing, 0, n);
    if (removed) memcpy(slot->removing, removed, n);
    slot->removing_left = b->computed - count;
    return SP_OK;
}

static sp_status refuse_element(const char **refused, const char *why) {
    *refused = why;
    return SP_EDIT_REFUSED;
}

sp_status sp__world_edit_remove_element(sp_world *w, const sp_edit *e, const char **refused) {
    const sp_body *b = sp__world_body(w, e->body);
    if (!b) return refuse_element(refused, "the body's id is null or stale");
    if (!b->ops->removal)
        return refuse_element(refused, b->ops->element_type == SP_ELEMENT_TRI3 ? "triangles of a membrane cannot be removed"
                                                                               : "only elements of solids can be removed");
    if (b->compliance_type == SP_COMPLIANCE_WARPED) return refuse_element(refused, keeps_first);
    if (e->node >= b->computed) return refuse_element(refused, "the body has no element of that number");
    sp_slot *slot = sp__world_slot(w, b);
    SP_TRY(removal_list(w, b, slot));
    if (slot->removing[e->node]) return SP_OK;  // as a pin of a node that is pinned: selections of events may overlap
    if (slot->removing_left == 1) return refuse_element(refused, "it is the last element of the body");
    slot->removing[e->node] = 1;
    slot->removing_count++, slot->removing_left--;
    w->removing = true;
    return SP_OK;
}

static void report_removal(sp_world *w, const sp_body *b, const sp_slot *slot) {
    const int bare = b->ops->removal->bare(b);
    char nodes[64] = "", surfaces[96] = "";
    if (bare) snprintf(nodes, sizeof nodes, ", %d nodes without elements are held", bare);
    if (b->surface_count > 1) snprintf(surfaces, sizeof surfaces, "; its embedded surfaces stay whole");
    sp__event(w, SP_OK, "body '%s': %d elements are removed, %d are left%s%s", b->name, slot->removing_count, slot->removing_left,
              nodes, surfaces);
}

static sp_status apply_removal(sp_world *w, sp_body *b, sp_slot *slot) {
    sp_remains *next;
    sp_status status = b->ops->removal->make(b, slot->removing, &next);
    if (status < 0) return sp__world_body_failed(w, b, status);
    status = sp__journal_body(w, b);
    if (status < 0) {
        b->ops->removal->free(b, &next);
        return status;
    }
    sp__journal_remains(w, b, b->ops->removal->use(b, next));
    report_removal(w, b, slot);
    slot->removing_count = 0;
    return SP_OK;
}

sp_status sp__world_removals_apply(sp_world *w) {
    if (!w->removing) return SP_OK;
    for (int i = 0; i < w->body_count; i++) {
        sp_slot *slot = sp__world_slot(w, w->bodies[i]);
        if (slot->removing_count) SP_TRY(apply_removal(w, w->bodies[i], slot));
    }
    w->removing = false;
    return w->def.snapshots ? sp__snapshots_reserve(w) : SP_OK;
}

void sp__world_removals_drop(sp_world *w) {
    for (int i = 0; i < w->body_count; i++) sp__world_slot(w, w->bodies[i])->removing_count = 0;
    w->removing = false;
}

// ---------------------------------------------------------------------------------------------------- restores

void sp__world_remains_drop(sp_world *w, sp_body *b) {
    sp_slot *slot = sp__world_slot(w, b);
    if (slot->has_incoming) b->ops->removal->free(b, &slot->incoming);
    slot->incoming = NULL, slot->has_incoming = false;
}

// Nothing is exchanged where the same elements are removed.
sp_status sp__world_remains_reserve(sp_world *w, sp_body *b, const unsigned char *removed) {
    int count;
    const unsigned char *now = sp__world_removed(b, &count);
    sp_slot *slot = sp__world_slot(w, b);
    sp__world_remains_drop(w, b);
    if (!now && !removed) return SP_OK;
    if (now && removed && memcmp(now, removed, (size_t)b->computed) == 0) return SP_OK;
    SP_TRY(b->ops->removal->make(b, removed, &slot->incoming));
    slot->has_incoming = true;
    return SP_OK;
}

void sp__world_remains_take(sp_world *w, sp_body *b) {
    sp_slot *slot = sp__world_slot(w, b);
    if (!slot->has_incoming) return;
    sp_remains *before = b->ops->removal->use(b, slot->incoming);
    b->ops->removal->free(b, &before);
    slot->incoming = NULL, slot->has_incoming = false;
}

// ---------------------------------------------------------------------------------------------------- at once

static sp_status set_removed(sp_world *w, sp_body *b, const unsigned char *removed) {
    unsigned char *gone = NULL;
    bool some = false;
    if (!b->ops->removal)
        return WORLD_FAIL(w, SP_BAD_INPUT, "body '%s' is a %s: only elements of solids can be removed", b->name, b->ops->kind);
    if (b->compliance_type == SP_COMPLIANCE_WARPED) return WORLD_FAIL(w, SP_BAD_INPUT, "body '%s': %s", b->name, keeps_first);
    if (removed && !SP_NEW(w->ctx, gone, b->computed))
        return WORLD_FAIL(w, SP_NO_MEMORY, "no memory for the %d elements of '%s'", b->computed, b->name);
    for (int c = 0; removed && c < b->elements; c++)
        if (removed[c]) gone[b->ops->removal->element_of(b, c)] = 1, some = true;
    sp_status status = sp__world_remains_reserve(w, b, some ? gone : NULL);
    sp__free(w->ctx, gone);
    if (status < 0) return sp__world_body_failed(w, b, status);
    sp__world_contacts_forget(w, 0);  // they name faces of the old boundary
    sp__world_remains_take(w, b);
    w->hash = sp__world_compute_hash(w);
    return SP_OK;
}

sp_status sp_world_set_removed(sp_world *w, sp_body_id id, const unsigned char *removed) {
    SP_TRY(sp__world_enter(w));
    sp_body *b = sp__world_body(w, id);
    sp_status status = b ? set_removed(w, b, removed) : sp__world_stale(w, id);
    return sp__world_leave(w, status);
}
