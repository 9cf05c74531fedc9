// How far a ball can move along a line before it touches a body: sphere tracing (Hart 1996) on the distance to the bodies at the
// committed state. Tools use it to place new bodies where nothing is.
#include "math/vec3.h"
#include "mesh/winding.h"
#include "world/world_internal.h"

// A collision surface of a body, for queries of one call; a body with a signed distance has none.
typedef struct sweep_part {
    sp_body *body;
    bool solid;  // its inside is that of the body
    double *x;
    sp_tree *tree;
} sweep_part;

typedef struct sweep {
    sp_world *w;
    sweep_part *parts;
    int count, capacity;
} sweep;

static void sweep_free(sweep *s) {
    for (int i = 0; i < s->count; i++) {
        sp__tree_destroy(&s->parts[i].tree);
        sp__free(s->w->ctx, s->parts[i].x);
    }
    sp__free(s->w->ctx, s->parts);
}

static bool sweep_meets(const sp_body *b, int surface) {
    const unsigned roles = surface == 0 ? sp__boundary_roles(b) : b->surfaces[surface]->roles;
    return (roles & SP_ROLE_COLLISION) != 0 && b->surfaces[surface]->face_count > 0;
}

static sp_status sweep_add(sweep *s, sp_body *b, const sp_surface *surface) {
    sweep_part *p = &s->parts[s->count++];
    *p = (sweep_part){.body = b};
    if (!surface) return SP_OK;
    p->solid = surface->side == SP_SURFACE_OUTSIDE;
    if (!SP_NEW(s->w->ctx, p->x, 3 * (size_t)surface->vertex_count))
        return WORLD_FAIL(s->w, SP_NO_MEMORY, "no memory for a sweep");
    sp__surface_positions(b, surface, SP_COMMITTED, p->x, NULL, NULL);
    return sp__tree_create(s->w->ctx, p->x, (const int *)surface->faces, surface->face_count, 3, &p->tree);
}

static sp_status sweep_fill(sweep *s) {
    const sp_world *w = s->w;
    for (int i = 0; i < w->body_count; i++) s->capacity += 1 + w->bodies[i]->surface_count;
    if (!SP_NEW(w->ctx, s->parts, s->capacity + 1)) return WORLD_FAIL(s->w, SP_NO_MEMORY, "no memory for a sweep");
    for (int i = 0; i < w->body_count; i++) {
        sp_body *b = w->bodies[i];
        if (b->ops->distance) SP_TRY(sweep_add(s, b, NULL));
        for (int k = 0; !b->ops->distance && k < b->surface_count; k++)
            if (sweep_meets(b, k)) SP_TRY(sweep_add(s, b, b->surfaces[k]));
    }
    return SP_OK;
}

// Distance of a point from a part; negative inside, where it is known.
static double part_distance(const sweep_part *p, const double x[3]) {
    sp_tree_near near;
    double normal[3], velocity[3];
    if (!p->tree) return p->body->ops->distance(p->body, SP_COMMITTED, x, normal, velocity);
    return sp__tree_nearest(p->tree, x, INFINITY, &near) ? sqrt(near.distance2) : INFINITY;
}

static double sweep_distance(const sweep *s, const double x[3], sp_body **nearest) {
    double least = INFINITY;
    for (int i = 0; i < s->count; i++) {
        const double d = part_distance(&s->parts[i], x);
        if (d < least) least = d, *nearest = s->parts[i].body;
    }
    return least;
}

// Whether the line starts inside of a closed surface. Shapes have a signed distance.
static sp_status sweep_inside(const sweep *s, const double x[3], sp_body **in) {
    *in = NULL;
    for (int i = 0; i < s->count && !*in; i++) {
        sp_winding winding = {0};
        if (!s->parts[i].solid) continue;
        SP_TRY(sp__winding_create(s->parts[i].tree, &winding));
        if (sp__winding_at(&winding, x) > 0.5) *in = s->parts[i].body;
        sp__winding_free(&winding);
    }
    return SP_OK;
}

// Steps as long as the free distance, until what is left is a thousandth of the radius. A line that passes closely along a body
// needs many of them: it ends there.
static double sweep_trace(const sweep *s, const double from[3], const double along[3], double length, double radius,
                          sp_body **nearest) {
    enum { MOST = 1000 };
    double t = 0, x[3];
    for (int i = 0; i < MOST; i++) {
        sp__axpy3(from, t, along, x);
        const double free = sweep_distance(s, x, nearest) - radius;
        if (free < 1e-3 * radius) return t;
        if (t + free >= length) break;
        t += free;
        if (i == MOST - 1) return t;
    }
    *nearest = NULL;
    return length;
}

static sp_status world_sweep(sweep *s, const double from[3], const double to[3], double radius, double *fraction, sp_body **hit) {
    double along[3];
    sp__sub3(to, from, along);
    const double length = sp__norm3(along);
    SP_TRY(sweep_fill(s));
    SP_TRY(sweep_inside(s, from, hit));
    *fraction = 0;
    if (*hit) return SP_OK;
    for (int k = 0; k < 3 && length > 0; k++) along[k] /= length;
    const double t = sweep_trace(s, from, along, length, radius, hit);
    *fraction = *hit && length > 0 ? t / length : *hit ? 0 : 1;
    return SP_OK;
}

sp_status sp_world_sweep(sp_world *w, const double from[3], const double to[3], double radius, double *fraction,
                         sp_body_id *body) {
    sweep s = {.w = w};
    sp_body *hit = NULL;
    double sum = radius;
    for (int k = 0; k < 3; k++) sum += from[k] + to[k];
    if (!isfinite(sum) || !(radius > 0))
        return WORLD_FAIL(w, SP_BAD_INPUT, "sweep with the radius %g m, must be > 0, and all numbers finite", radius);
    SP_TRY(sp__world_enter(w));
    sp_status status = world_sweep(&s, from, to, radius, fraction, &hit);
    sweep_free(&s);
    if (body) *body = status >= 0 && hit ? hit->id : (sp_body_id){0, 0};
    return sp__world_leave(w, status);
}
