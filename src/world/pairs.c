// Pairs of soft bodies that overlap and that penalty contact does not separate (docs/penalty-contact.md): one of them is a rod,
// or has explicit integration. The step in which this is first detected has the reservation SP_PAIR_IGNORED.
//
// Bounding boxes of the bodies are compared in every step. If two boxes overlap, a sample of the points of each body is tested
// against the closed surface of the other, through the tree of that surface (src/collide). Each step takes another sample, so
// that a step is cheap and every point is tested in turn. The points of a rod are those of its centreline. Nothing is tested
// against a rod or a membrane, so that two of these are not compared.
#include "body/tolerances.h"
#include "math/vec3.h"
#include "world/world_internal.h"

static bool pair_is_soft(const sp_body *b) {
    return !(b->caps & SP_CAP_KINEMATIC) && !b->ops->distance &&
           (b->ops->bounds || (b->surfaces[0]->face_count > 0 && b->ops->points));
}

static int soft_count(const sp_world *w) {
    int n = 0;
    for (int i = 0; i < w->body_count; i++) n += pair_is_soft(w->bodies[i]);
    return n;
}

// ---------------------------------------------------------------------------------------------------- points and boxes

static sp_status pairs_reserve(sp_world *w, int count) {
    sp_pairs *p = &w->pairs;
    if (count <= p->capacity) return SP_OK;
    sp_pair_body *bodies = sp__alloc(w->ctx, (size_t)count, sizeof *bodies);
    if (!bodies) return WORLD_FAIL(w, SP_NO_MEMORY, "no memory to compare %d bodies", count);
    if (p->capacity) memcpy(bodies, p->bodies, (size_t)p->capacity * sizeof *bodies);
    sp__free(w->ctx, p->bodies);
    p->bodies = bodies, p->capacity = count;
    return SP_OK;
}

static sp_status pair_body_reserve(sp_world *w, sp_pair_body *a, int count) {
    if (count <= a->capacity) return SP_OK;
    sp__free(w->ctx, a->x);
    a->capacity = 0;
    if (!SP_NEW(w->ctx, a->x, 3 * (size_t)count))
        return WORLD_FAIL(w, SP_NO_MEMORY, "no memory to compare body '%s' with others", a->body->name);
    a->capacity = count;
    return SP_OK;
}

static sp_status pair_body_points(sp_world *w, sp_pair_body *a) {
    sp_body *b = a->body;
    a->surface = NULL, a->count = 0;
    if (b->ops->bounds) {
        const sp_bound *bounds = b->ops->bounds(b);
        int elements = b->elements;
        if (!bounds) return SP_OK;
        SP_TRY(pair_body_reserve(w, a, elements));
        for (int i = 0; i < elements; i++) memcpy(a->x + 3 * (size_t)i, bounds[i].middle, sizeof bounds[i].middle);
        a->count = elements;
        return SP_OK;
    }
    a->surface = b->surfaces[0];
    SP_TRY(pair_body_reserve(w, a, a->surface->vertex_count));
    sp__surface_positions(b, a->surface, SP_TRIAL, a->x, NULL, NULL);
    a->count = a->surface->vertex_count;
    if (a->surface->side == SP_SURFACE_BOTH) a->surface = NULL;  // a sheet has no inside
    return SP_OK;
}

static void pair_body_box(sp_pair_body *a) {
    for (int k = 0; k < 3; k++) a->low[k] = INFINITY, a->high[k] = -INFINITY;
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < 3; k++) {
            a->low[k] = fmin(a->low[k], a->x[3 * (size_t)i + (size_t)k]);
            a->high[k] = fmax(a->high[k], a->x[3 * (size_t)i + (size_t)k]);
        }
}

// positions of the soft bodies; the buffer of entry i is reused in the next step
static sp_status pairs_place(sp_world *w, int count) {
    sp_pairs *p = &w->pairs;
    SP_TRY(pairs_reserve(w, count));
    int n = 0;
    for (int i = 0; i < w->body_count; i++) {
        if (!pair_is_soft(w->bodies[i])) continue;
        sp_pair_body *a = &p->bodies[n++];
        a->body = w->bodies[i];
        SP_TRY(pair_body_points(w, a));
        pair_body_box(a);
    }
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- closed surfaces

static bool pair_body_known(const sp_pair_body *a) {
    return a->collides && a->made_of.slot == a->body->id.slot && a->made_of.generation == a->body->id.generation &&
           a->revision == a->surface->revision;
}

// the surface as a collider of the set; made again for another body or revision
static sp_status pair_body_collider(sp_world *w, sp_pair_body *a, bool *made) {
    sp_pairs *p = &w->pairs;
    if (a->collides && (!a->surface || !pair_body_known(a))) sp__collider_remove(p->set, a->collider), a->collides = false;
    if (!a->surface) return SP_OK;
    if (!a->collides) {
        uint32_t entry = (uint32_t)(a - p->bodies);
        sp_collider_def def = {.id = entry, .group = entry, .vertex_count = a->count, .items = a->surface->faces};
        def.item_count = a->surface->face_count;
        SP_TRY(sp__collider_add(p->set, &def, &a->collider));
        a->collides = *made = true, a->made_of = a->body->id, a->revision = a->surface->revision;
    }
    sp__collider_move(p->set, a->collider, a->x, a->x);
    return SP_OK;
}

static bool no_contacts(void *user, uint32_t a, uint32_t b, sp_pair_rule *rule) {
    (void)user, (void)a, (void)b, (void)rule;
    return false;
}

// Trees of the surfaces, for sp__collider_contains: refitted if boxes overlap, and at first, so that later steps allocate
// nothing.
static sp_status pairs_refit(sp_world *w, int count, bool near) {
    sp_pairs *p = &w->pairs;
    sp_collide_options options = {.pair = no_contacts};
    sp_found found;
    if (!p->set) SP_TRY(sp__collide_create(w->ctx, &p->set));
    for (int i = 0; i < count; i++) SP_TRY(pair_body_collider(w, &p->bodies[i], &near));
    return near ? sp__collide_find(p->set, &options, &found) : SP_OK;
}

// ---------------------------------------------------------------------------------------------------- pairs

static double pair_diagonal(const sp_pair_body *a) {
    double d[3];
    sp__sub3(a->high, a->low, d);
    return sp__norm3(d);
}

static bool pair_in_box(const double *x, const double low[3], const double high[3]) {
    for (int k = 0; k < 3; k++)
        if (!(x[k] >= low[k] && x[k] <= high[k])) return false;
    return true;
}

// tests the point and six neighbours at this distance: a point on the surface has neighbours outside
static bool surface_holds_deep(const sp_collide *set, const sp_pair_body *b, const double x[3], double depth) {
    double p[3] = {x[0], x[1], x[2]};
    bool inside = sp__collider_contains(set, b->collider, p);
    for (int i = 0; i < 6 && inside; i++) {
        p[i / 2] = x[i / 2] + (i % 2 ? depth : -depth);
        inside = sp__collider_contains(set, b->collider, p);
        p[i / 2] = x[i / 2];
    }
    return inside;
}

// true if one of the sampled points of `a` in the box is inside `b`
static bool pair_enters(const sp_world *w, const sp_pair_body *a, const sp_pair_body *b, const double low[3],
                        const double high[3], double depth) {
    int candidates = 0, seen = 0;
    if (!b->surface) return false;
    for (int i = 0; i < a->count; i++) candidates += pair_in_box(a->x + 3 * (size_t)i, low, high);
    int stride = 1 + candidates / SP_PAIR_SAMPLES, first = (int)(w->trial.step % (uint64_t)stride);
    for (int i = 0; i < a->count && candidates; i++) {
        const double *x = a->x + 3 * (size_t)i;
        if (pair_in_box(x, low, high) && seen++ % stride == first && surface_holds_deep(w->pairs.set, b, x, depth)) return true;
    }
    return false;
}

static bool boxes_overlap(const sp_pair_body *a, const sp_pair_body *b, double low[3], double high[3]) {
    for (int k = 0; k < 3; k++) {
        low[k] = fmax(a->low[k], b->low[k]), high[k] = fmin(a->high[k], b->high[k]);
        // not >: the box of a straight centreline is flat
        if (!(high[k] >= low[k])) return false;
    }
    return a->surface || b->surface;
}

static bool pair_overlaps(const sp_world *w, const sp_pair_body *a, const sp_pair_body *b, const double low[3],
                          const double high[3]) {
    double depth = SP_PAIR_DEPTH * fmin(a->surface ? pair_diagonal(a) : INFINITY, b->surface ? pair_diagonal(b) : INFINITY);
    return pair_enters(w, a, b, low, high, depth) || pair_enters(w, b, a, low, high, depth);
}

static bool pair_known(const sp_pairs *p, uint32_t a, uint32_t b) {
    for (int i = 0; i < p->found; i++)
        if (p->slots[i][0] == a && p->slots[i][1] == b) return true;
    return false;
}

// the boxes overlap, and no event has reported the pair
static bool pair_is_near(const sp_pairs *p, const sp_pair_body *a, const sp_pair_body *b, double low[3], double high[3]) {
    if (sp__body_takes_rows(a->body, true) && sp__body_takes_rows(b->body, true)) return false;
    return boxes_overlap(a, b, low, high) && !pair_known(p, a->body->id.slot, b->body->id.slot);
}

static bool any_pair_is_near(const sp_pairs *p, int count) {
    double low[3], high[3];
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            if (pair_is_near(p, &p->bodies[i], &p->bodies[j], low, high)) return true;
    return false;
}

static bool check_pair(sp_world *w, const sp_pair_body *a, const sp_pair_body *b) {
    sp_pairs *p = &w->pairs;
    double low[3], high[3];
    uint32_t slots[2] = {a->body->id.slot, b->body->id.slot};
    if (p->found == SP_PAIR_MAX || !pair_is_near(p, a, b, low, high) || !pair_overlaps(w, a, b, low, high)) return false;
    memcpy(p->slots[p->found++], slots, sizeof slots);
    sp__event(
        w, SP_PAIR_IGNORED,
        "bodies '%s' and '%s' overlap and do not touch each other: penalty contact of rods and of explicit integration acts with "
        "rigid bodies only%s",
        a->body->name, b->body->name, p->found == SP_PAIR_MAX ? "; further pairs are not searched" : "");
    return true;
}

sp_status sp__pairs_check(sp_world *w) {
    sp_pairs *p = &w->pairs;
    int n = w->has_contact && w->contact.formulation == SP_CONTACT_PENALTY ? soft_count(w) : 0;
    sp_status status = SP_OK;
    if (n < 2 || p->found == SP_PAIR_MAX) return SP_OK;
    SP_TRY(pairs_place(w, n));
    SP_TRY(pairs_refit(w, n, any_pair_is_near(p, n)));
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (check_pair(w, &p->bodies[i], &p->bodies[j])) status = SP_PAIR_IGNORED;
    return status;
}

void sp__pairs_forget(sp_world *w) {
    w->pairs.found = w->pairs.reported = 0;
}

void sp__pairs_free(sp_world *w) {
    for (int i = 0; i < w->pairs.capacity; i++) sp__free(w->ctx, w->pairs.bodies[i].x);
    sp__free(w->ctx, w->pairs.bodies);
    sp__collide_destroy(&w->pairs.set);
}
