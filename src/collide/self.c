// A collider that touches itself: which of its features are neighbours, and which are the two sides of one thin part.
//
// Features that share a vertex, or that are nearer at rest along the surface than the alarm distance, are neighbours and make no
// contacts. Farther ones can touch, but a vertex is always behind the faces on the other side of its own body. This is no
// overlap, if the two were near each other at rest and neither was in front of the other there. An overlap is of features that
// were far apart at rest, or that looked at each other across a gap.
#include "collide/collide_internal.h"
#include "mesh/intersect.h"
#include "mesh/tree.h"

enum { RING = 64 };       // vertices of a neighbourhood that is searched
#define NEAR_AT_REST 4.0  // times the distance now: a thin part is not compressed more

sp_status sp__self_create(sp_collide *set, sp_collider *c, const sp_collider_def *d) {
    size_t n = 3 * (size_t)d->vertex_count;
    if (!(d->flags & SP_COLLIDER_SELF)) return SP_OK;
    if (!SP_NEW(set->ctx, c->rest, n)) return SP_NO_MEMORY;
    memcpy(c->rest, d->rest, n * sizeof *c->rest);
    return SP_OK;
}

static const double *rest_at(const sp_collider *c, uint32_t vertex) {
    return c->rest + 3 * (size_t)vertex;
}

static double rest_apart(const sp_collider *c, uint32_t a, uint32_t b) {
    double d[3];
    sp__sub3(rest_at(c, a), rest_at(c, b), d);
    return sp__norm3(d);
}

static bool has_vertex(const uint32_t *list, int count, uint32_t vertex) {
    for (int i = 0; i < count; i++)
        if (list[i] == vertex) return true;
    return false;
}

// ---------------------------------------------------------------------------------------------------- neighbours

// Vertices within `reach` of a vertex at rest along the edges of the surface, itself first. In meshes that are much finer than
// the distance the farther ones are left out.
static int rest_ring(const sp_collider *c, uint32_t from, double reach, uint32_t vertex[RING]) {
    double length[RING] = {0};
    int n = 1;
    vertex[0] = from;
    for (int i = 0; i < n; i++)
        for (int k = c->around.start[vertex[i]]; k < c->around.start[vertex[i] + 1]; k++) {
            const uint32_t *item = sp__collider_item(c, (uint32_t)c->around.face[k]);
            for (int j = 0; j < c->corners; j++) {
                double far = length[i] + rest_apart(c, vertex[i], item[j]);
                if (far > reach || n == RING || has_vertex(vertex, n, item[j])) continue;
                vertex[n] = item[j], length[n++] = far;
            }
        }
    return n;
}

sp_status sp__self_update(sp_collide *set, sp_collider *c, double alarm) {
    const double reach = alarm + 2 * c->radius;
    const int n = c->def.vertex_count;
    uint32_t ring[RING], *near = NULL;
    size_t total = 0;
    if (c->near_start && c->near_reach == reach) return SP_OK;
    int *start = c->near_start;
    if (!start && !SP_NEW(set->ctx, start, (size_t)n + 1)) return SP_FAIL(set->ctx, SP_NO_MEMORY, "no memory for neighbours");
    for (int i = 0; i < n; i++) total += (size_t)rest_ring(c, (uint32_t)i, reach, ring);
    if (total > INT32_MAX || !SP_NEW(set->ctx, near, total)) {
        if (!c->near_start) sp__free(set->ctx, start);
        return SP_FAIL(set->ctx, SP_NO_MEMORY, "no memory for %zu neighbours at rest", total);
    }
    for (int i = 0; i < n; i++) {
        int count = rest_ring(c, (uint32_t)i, reach, ring);
        memcpy(near + start[i], ring, (size_t)count * sizeof *ring);
        start[i + 1] = start[i] + count;
    }
    sp__free(set->ctx, c->near);
    c->near_start = start, c->near = near, c->near_reach = reach, set->grown = true;
    return SP_OK;
}

bool sp__self_neighbours(const sp_collider *c, const uint32_t *a, int na, const uint32_t *b, int nb) {
    for (int i = 0; i < na; i++) {
        const uint32_t *near = c->near + c->near_start[a[i]];
        const int count = c->near_start[a[i] + 1] - c->near_start[a[i]];
        for (int j = 0; j < nb; j++)
            if (has_vertex(near, count, b[j])) return true;
    }
    return false;
}

// ---------------------------------------------------------------------------------------------------- thin parts

static void rest_point(const sp_collider *c, const sp_touch *f, double out[3]) {
    out[0] = out[1] = out[2] = 0;
    for (int i = 0; i < f->count; i++) sp__axpy3(out, f->weight[i], rest_at(c, f->vertex[i]), out);
}

// sum of the unit normals of the faces of a feature at rest
static void rest_normal(const sp_collider *c, const sp_touch *f, double out[3]) {
    out[0] = out[1] = out[2] = 0;
    for (int k = c->around.start[f->vertex[0]]; k < c->around.start[f->vertex[0] + 1]; k++) {
        const uint32_t *item = sp__collider_item(c, (uint32_t)c->around.face[k]);
        double u[3], v[3], n[3];
        bool all = true;
        for (int i = 1; i < f->count; i++) all = all && has_vertex(item, 3, f->vertex[i]);
        if (!all) continue;
        sp__sub3(rest_at(c, item[1]), rest_at(c, item[0]), u), sp__sub3(rest_at(c, item[2]), rest_at(c, item[0]), v);
        sp__cross3(u, v, n);
        double length = sp__norm3(n);
        if (length > 0) sp__axpy3(out, 1 / length, n, out);
    }
}

bool sp__self_was_apart(const sp_collider *c, const sp_touch *a, const sp_touch *b, double distance, double alarm) {
    double p[3], q[3], n[3];
    if (c->corners < 3) return true;
    rest_point(c, a, p), rest_point(c, b, q);
    sp__sub3(p, q, p);
    const double far = sp__norm3(p);
    if (far > NEAR_AT_REST * fmax(fabs(distance), 2 * alarm)) return true;
    rest_normal(c, b, n);
    return sp__dot3(p, n) > SP_SELF_FRONT * far * sp__norm3(n);
}

// ---------------------------------------------------------------------------------------------------- folded starts

typedef struct self_count {
    const sp_tree *tree;
    int found, most;
} self_count;

static bool count_intersection(void *user, int a, int b) {
    self_count *s = user;
    s->found += sp__triangles_intersect(s->tree->x, s->tree->items + 3 * (size_t)a, s->tree->items + 3 * (size_t)b);
    return s->found < s->most;
}

sp_status sp__collider_intersections(const sp_collide *set, int index, int most, int *count) {
    const sp_collider *c = &set->colliders[index];
    sp_tree *tree;
    *count = 0;
    if (!c->placed || c->corners != 3) return SP_OK;
    SP_TRY(sp__tree_create(set->ctx, c->x[0], (const int *)c->def.items, c->def.item_count, 3, &tree));
    self_count s = {tree, 0, most};
    sp__tree_pairs(tree, count_intersection, &s);
    sp__tree_destroy(&tree);
    *count = s.found;
    return SP_OK;
}
