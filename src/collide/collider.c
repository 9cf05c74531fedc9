// Colliders of a set: topology, positions, and the arrays that a search reuses.
#include "collide/collide_internal.h"
#include "core/share.h"

// ---------------------------------------------------------------------------------------------------- the set

sp_status sp__collide_create(sp_context *ctx, sp_collide **out) {
    sp_collide *set;
    *out = NULL;
    if (!SP_NEW(ctx, set, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for collision detection");
    *set = (sp_collide){.ctx = ctx};
    set->candidates.size = sizeof(sp_record), set->contacts.size = sizeof(sp_contact_made);
    *out = set;
    return SP_OK;
}

static void collider_free(sp_context *ctx, sp_collider *c) {
    sp__free(ctx, (void *)c->def.items), sp__free(ctx, (void *)c->def.radii), sp__free(ctx, c->owned);
    sp__free(ctx, c->rest), sp__free(ctx, c->near_start), sp__free(ctx, c->near);
    sp__edges_free(ctx, &c->edges);
    sp__vertex_faces_free(ctx, &c->around);
    sp__bvh_free(ctx, &c->tree);
    *c = (sp_collider){0};
}

void sp__collide_destroy(sp_collide **handle) {
    if (!handle || !*handle) return;
    sp_collide *set = *handle;
    *handle = NULL;
    for (int i = 0; i < set->count; i++) collider_free(set->ctx, &set->colliders[i]);
    void *arrays[] = {set->colliders,     set->sweep,     set->pairs,     set->jobs,   set->refits, set->candidates.data,
                      set->contacts.data, set->sorted[0], set->sorted[1], set->groups, set->out,    set->lists};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) sp__free(set->ctx, arrays[i]);
    sp__free(set->ctx, set);
}

sp_status sp__collide_grow(sp_collide *set, void *array, size_t size, int *capacity, long need) {
    if (need <= *capacity) return SP_OK;
    long wanted = need + need / 2;
    if (wanted > INT32_MAX) return SP_FAIL(set->ctx, SP_NO_MEMORY, "%ld entries in collision detection are too many", need);
    void *fresh = sp__alloc(set->ctx, (size_t)wanted, size), *old;
    if (!fresh) return SP_FAIL(set->ctx, SP_NO_MEMORY, "no memory for %ld entries in collision detection", wanted);
    memcpy(&old, array, sizeof old);
    sp__free(set->ctx, old);
    fresh = sp__lend(set->ctx, fresh);
    memcpy(array, &fresh, sizeof fresh);
    *capacity = (int)wanted, set->grown = true;
    return SP_OK;
}

sp_status sp__collide_sorting(sp_collide *set, long need) {
    int capacity = set->sorted_capacity;
    SP_TRY(sp__collide_grow(set, &set->sorted[0], sizeof *set->sorted[0], &capacity, need));
    return sp__collide_grow(set, &set->sorted[1], sizeof *set->sorted[1], &set->sorted_capacity, need);
}

// ---------------------------------------------------------------------------------------------------- topology

static const int corners_of[] = {
    [SP_COLLIDER_TRIANGLES] = 3, [SP_COLLIDER_SEGMENTS] = 2, [SP_COLLIDER_POINTS] = 1, [SP_COLLIDER_FIELD] = 3,
    [SP_COLLIDER_PLANE] = 0,     [SP_COLLIDER_SPHERE] = 1,   [SP_COLLIDER_CAPSULE] = 2};
enum { FEATURES_MAX = 1 << 30 };

static sp_status collider_check(const sp_collide *set, const sp_collider_def *d, int corners) {
    bool shape = d->type >= SP_COLLIDER_PLANE, items = !shape && corners > 1;
    if (d->type > SP_COLLIDER_CAPSULE) return SP_FAIL(set->ctx, SP_BAD_INPUT, "collider type %d is unknown", (int)d->type);
    for (int i = 0; i < set->count; i++)
        if (set->colliders[i].used && set->colliders[i].def.id == d->id)
            return SP_FAIL(set->ctx, SP_BAD_INPUT, "collider id %u is in use", d->id);
    if (!(d->radius >= 0 && d->radius < INFINITY))
        return SP_FAIL(set->ctx, SP_BAD_INPUT, "collider radius = %g, must be >= 0 and finite", d->radius);
    if (!shape && (d->vertex_count < 1 || d->vertex_count >= FEATURES_MAX))
        return SP_FAIL(set->ctx, SP_BAD_INPUT, "a collider with %d vertices, must be in [1, 2^30)", d->vertex_count);
    if ((d->type == SP_COLLIDER_FIELD) != (d->field != NULL) || (d->field && d->side == SP_SIDE_BOTH))
        return SP_FAIL(set->ctx, SP_BAD_INPUT, "a collider of type %d and side %d %s a distance field", (int)d->type,
                       (int)d->side, d->field ? "with" : "without");
    if ((d->flags & SP_COLLIDER_SELF) && (!items || d->field || !d->rest))
        return SP_FAIL(set->ctx, SP_BAD_INPUT, "a collider of type %d %s positions at rest cannot touch itself", (int)d->type,
                       d->rest ? "with" : "without");
    if (items && (d->item_count < 1 || d->item_count >= FEATURES_MAX / 3 || !d->items))
        return SP_FAIL(set->ctx, SP_BAD_INPUT, "a collider with %d items, must be in [1, 2^30 / 3)", d->item_count);
    for (size_t i = 0; items && i < (size_t)d->item_count * (size_t)corners; i++)
        if (d->items[i] >= (uint32_t)d->vertex_count)
            return SP_FAIL(set->ctx, SP_BAD_INPUT, "vertex %u of a collider, must be in [0, %d]", d->items[i],
                           d->vertex_count - 1);
    for (int i = 0; d->radii && !shape && i < d->vertex_count; i++)
        if (!(d->radii[i] >= 0 && d->radii[i] < INFINITY))
            return SP_FAIL(set->ctx, SP_BAD_INPUT, "radius %g of vertex %d, must be >= 0 and finite", d->radii[i], i);
    return SP_OK;
}

// copies of the arrays; points and shapes get items of their own
static sp_status collider_copy(sp_context *ctx, sp_collider *c, const sp_collider_def *d) {
    uint32_t *items;
    double *radii = NULL;
    bool shape = sp__collider_is_shape(c);
    c->def.items = NULL, c->def.radii = NULL, c->def.rest = NULL;
    if (shape) c->def.vertex_count = c->corners, c->def.item_count = 1;
    if (c->def.type == SP_COLLIDER_POINTS) c->def.item_count = d->vertex_count;
    size_t n = (size_t)c->def.item_count * (size_t)c->corners;
    if (!SP_NEW(ctx, items, n)) return SP_NO_MEMORY;
    c->def.items = items;
    bool own = shape || c->def.type == SP_COLLIDER_POINTS;
    for (size_t i = 0; i < n; i++) items[i] = own ? (uint32_t)i : d->items[i];
    c->radius = d->radius;
    if (!d->radii || shape) return SP_OK;
    if (!SP_NEW(ctx, radii, d->vertex_count)) return SP_NO_MEMORY;
    c->def.radii = radii, c->radius = 0;
    for (int i = 0; i < d->vertex_count; i++) radii[i] = d->radii[i], c->radius = fmax(c->radius, radii[i]);
    return SP_OK;
}

// Each vertex and each edge belongs to the first item that has it, so that pairs of items find each pair of features once
// (Curtis, Tamstorf, Manocha 2008, "Fast collision detection for deformable models using representative-triangles").
static void collider_own(sp_collider *c) {
    for (int i = 0; i < c->def.item_count; i++)
        for (int k = 0; k < c->corners; k++) {
            uint32_t v = c->def.items[(size_t)i * (size_t)c->corners + (size_t)k];
            const uint32_t *item = sp__collider_item(c, (uint32_t)i);
            bool twice = false;  // a degenerate item names a vertex twice
            for (int j = 0; j < k; j++) twice |= item[j] == v;
            if (c->around.face[c->around.start[v]] == i && !twice) c->owned[i] |= (unsigned char)(1 << k);
            if (c->corners == 2 && k == 0) c->owned[i] |= 1 << 3;
            if (c->corners != 3) continue;
            int side = 3 * i + k, edge = c->edges.of[side];
            if (c->edges.sides[c->edges.first[edge]] == side) c->owned[i] |= (unsigned char)(1 << (3 + k));
        }
}

static sp_status collider_analyse(sp_collide *set, sp_collider *c, const sp_collider_def *d) {
    sp_context *ctx = set->ctx;
    if (c->corners == 0) return SP_OK;
    SP_TRY(collider_copy(ctx, c, d));
    SP_TRY(sp__self_create(set, c, d));
    SP_TRY(sp__vertex_faces_create(ctx, c->def.vertex_count, c->def.item_count, c->corners, c->def.items, &c->around));
    if (c->corners == 3)
        SP_TRY(sp__edges_find(ctx, (const int *)c->def.items, c->def.item_count, c->def.vertex_count, &c->edges));
    c->closed = c->corners == 3;
    for (int e = 0; e < c->edges.count && c->closed; e++) c->closed = c->edges.first[e + 1] - c->edges.first[e] == 2;
    c->edge_count = c->corners == 3 ? c->edges.count : c->corners == 2 ? c->def.item_count : 0;
    if (!SP_NEW(ctx, c->owned, c->def.item_count)) return SP_NO_MEMORY;
    collider_own(c);
    return sp__bvh_create(set, c);
}

static sp_status colliders_reserve(sp_collide *set) {
    if (set->count < set->capacity) return SP_OK;
    int capacity = set->capacity ? 2 * set->capacity : 8;
    sp_collider *more;
    if (!SP_NEW(set->ctx, more, capacity)) return SP_NO_MEMORY;
    for (int i = 0; i < set->count; i++) {
        more[i] = set->colliders[i];
        for (int s = 0; s < 2; s++)
            if (sp__collider_is_shape(&more[i]) && more[i].x[s]) more[i].x[s] = (const double *)&more[i].at[s];
    }
    sp__free(set->ctx, set->colliders);
    set->colliders = more, set->capacity = capacity;
    return SP_OK;
}

sp_status sp__collider_add(sp_collide *set, const sp_collider_def *def, int *index) {
    int corners = (unsigned)def->type <= SP_COLLIDER_CAPSULE ? corners_of[def->type] : 0, slot = 0;
    SP_TRY(collider_check(set, def, corners));
    sp_collider c = {.used = true, .def = *def, .corners = corners};
    sp_status status = collider_analyse(set, &c, def);
    while (slot < set->count && set->colliders[slot].used) slot++;
    if (status >= 0 && slot == set->count) status = colliders_reserve(set);
    if (status < 0) {
        collider_free(set->ctx, &c);
        return SP_FAIL(set->ctx, status, "no memory for a collider with %d vertices and %d items", def->vertex_count,
                       def->item_count);
    }
    set->colliders[slot] = c;
    if (slot == set->count) set->count++;
    *index = slot;
    return SP_OK;
}

void sp__collider_remove(sp_collide *set, int index) {
    SP_ASSERT(index >= 0 && index < set->count && set->colliders[index].used);
    collider_free(set->ctx, &set->colliders[index]);
}

// ---------------------------------------------------------------------------------------------------- positions

// boxes are relative to the first point that the set gets
static void collider_placed(sp_collide *set, sp_collider *c) {
    c->placed = c->fresh = true;
    if (!set->origin_set) memcpy(set->origin, c->x[0], sizeof set->origin);
    set->origin_set = true;
}

void sp__collider_move(sp_collide *set, int index, const double *x0, const double *x1) {
    sp_collider *c = &set->colliders[index];
    SP_ASSERT(c->used && !sp__collider_is_shape(c));
    c->x[0] = x0, c->x[1] = x1;
    collider_placed(set, c);
}

void sp__collider_place_field(sp_collide *set, int index, const sp_collider_frame *at0, const sp_collider_frame *at1) {
    sp_collider *c = &set->colliders[index];
    SP_ASSERT(c->used && c->def.field);
    c->frame[0] = *at0, c->frame[1] = *at1;
}

void sp__collider_move_shape(sp_collide *set, int index, const sp_shape_place *at0, const sp_shape_place *at1) {
    sp_collider *c = &set->colliders[index];
    SP_ASSERT(c->used && sp__collider_is_shape(c));
    c->at[0] = *at0, c->at[1] = *at1;
    c->x[0] = (const double *)&c->at[0], c->x[1] = (const double *)&c->at[1];
    collider_placed(set, c);
}

bool sp__collider_box(const sp_collide *set, int index, double low[3], double high[3]) {
    const sp_collider *c = &set->colliders[index];
    if (!c->used || !c->placed || c->corners == 0) return false;
    for (int k = 0; k < 3; k++) low[k] = c->low[k] - c->radius, high[k] = c->high[k] + c->radius;
    return true;
}
