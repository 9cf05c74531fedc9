// Pairs of soft bodies that overlap. Penalty contact acts between soft and rigid bodies only (docs/penalty-contact.md): two soft
// bodies pass through each other. The step in which this is first detected has the reservation SP_PAIR_IGNORED.
//
// Bounding boxes of the bodies are compared in every step. If two boxes overlap, a sample of the points of each body is tested
// against the closed surface of the other. Each step takes another sample, so that a step is cheap and every point is tested in
// turn. The points of a rod are those of its centreline. Nothing is tested against a rod, so two rods are not compared.
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

// ---------------------------------------------------------------------------------------------------- inside a closed surface

// True if an edge crosses the ray from p along +x, in the xy plane. The ends are ordered first, so that both faces at an edge get
// bitwise the same result and no point falls between two neighbours.
static bool edge_crosses(const double *a, const double *b, const double p[3]) {
    if ((a[1] > p[1]) == (b[1] > p[1])) return false;
    const double *low = a[1] > b[1] ? b : a, *high = a[1] > b[1] ? a : b;
    return p[0] < low[0] + (p[1] - low[1]) * (high[0] - low[0]) / (high[1] - low[1]);
}

// true if the ray from p along +z meets the face
static bool face_above(const double *a, const double *b, const double *c, const double p[3]) {
    if (a[2] <= p[2] && b[2] <= p[2] && c[2] <= p[2]) return false;
    if ((edge_crosses(a, b, p) != edge_crosses(b, c, p)) == edge_crosses(c, a, p)) return false;
    double u[3], v[3], n[3];
    sp__sub3(b, a, u), sp__sub3(c, a, v), sp__cross3(u, v, n);
    return n[2] != 0 && a[2] - (n[0] * (p[0] - a[0]) + n[1] * (p[1] - a[1])) / n[2] > p[2];
}

// point in polyhedron: an odd number of faces above (Jordan)
static bool surface_holds(const sp_pair_body *b, const double p[3]) {
    const uint32_t *face = b->surface->faces;
    bool inside = false;
    for (int i = 0; i < b->surface->face_count; i++, face += 3)
        inside ^= face_above(b->x + 3 * (size_t)face[0], b->x + 3 * (size_t)face[1], b->x + 3 * (size_t)face[2], p);
    return inside;
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
static bool surface_holds_deep(const sp_pair_body *b, const double x[3], double depth) {
    double p[3] = {x[0], x[1], x[2]};
    bool inside = surface_holds(b, p);
    for (int i = 0; i < 6 && inside; i++) {
        p[i / 2] = x[i / 2] + (i % 2 ? depth : -depth);
        inside = surface_holds(b, p);
        p[i / 2] = x[i / 2];
    }
    return inside;
}

// true if one of the sampled points of `a` in the box is inside `b`
static bool pair_enters(const sp_pair_body *a, const sp_pair_body *b, const double low[3], const double high[3], double depth,
                        uint64_t step) {
    int candidates = 0, seen = 0;
    if (!b->surface) return false;
    for (int i = 0; i < a->count; i++) candidates += pair_in_box(a->x + 3 * (size_t)i, low, high);
    int stride = 1 + candidates / SP_PAIR_SAMPLES, first = (int)(step % (uint64_t)stride);
    for (int i = 0; i < a->count && candidates; i++) {
        const double *x = a->x + 3 * (size_t)i;
        if (pair_in_box(x, low, high) && seen++ % stride == first && surface_holds_deep(b, x, depth)) return true;
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

static bool pair_overlaps(const sp_pair_body *a, const sp_pair_body *b, const double low[3], const double high[3],
                          uint64_t step) {
    double depth = SP_PAIR_DEPTH * fmin(a->surface ? pair_diagonal(a) : INFINITY, b->surface ? pair_diagonal(b) : INFINITY);
    return pair_enters(a, b, low, high, depth, step) || pair_enters(b, a, low, high, depth, step);
}

static bool pair_known(const sp_pairs *p, uint32_t a, uint32_t b) {
    for (int i = 0; i < p->found; i++)
        if (p->slots[i][0] == a && p->slots[i][1] == b) return true;
    return false;
}

static bool check_pair(sp_world *w, const sp_pair_body *a, const sp_pair_body *b) {
    sp_pairs *p = &w->pairs;
    double low[3], high[3];
    uint32_t slots[2] = {a->body->id.slot, b->body->id.slot};
    if (!boxes_overlap(a, b, low, high) || p->found == SP_PAIR_MAX || pair_known(p, slots[0], slots[1]) ||
        !pair_overlaps(a, b, low, high, w->trial.step))
        return false;
    memcpy(p->slots[p->found++], slots, sizeof slots);
    sp__event(w, SP_PAIR_IGNORED,
              "bodies '%s' and '%s' overlap and do not touch each other: contact acts between soft and rigid bodies only%s",
              a->body->name, b->body->name, p->found == SP_PAIR_MAX ? "; further pairs are not searched" : "");
    return true;
}

sp_status sp__pairs_check(sp_world *w) {
    sp_pairs *p = &w->pairs;
    int n = w->has_contact ? soft_count(w) : 0;
    sp_status status = SP_OK;
    if (n < 2 || p->found == SP_PAIR_MAX) return SP_OK;
    SP_TRY(pairs_place(w, n));
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
}
