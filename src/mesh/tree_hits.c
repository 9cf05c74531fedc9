// Queries of the bounding volume hierarchy: rays, boxes, pairs of items.
#include "math/vec3.h"
#include "mesh/tree.h"

// ------------------------------------------------------------------------------------------------ rays

// A prepared ray: sheared so that it runs along its longest axis z (Woop, Benthin, Wald 2013). Both triangles of an edge compute
// the same number for the edge up to the sign, so no ray passes between them.
typedef struct ray {
    const double *origin, *direction;
    double inverse[3], t_max, shear[3];
    int kx, ky, kz;
} ray;

static ray make_ray(const double *origin, const double *direction, double t_max) {
    ray r = {.origin = origin, .direction = direction, .t_max = t_max};
    for (int k = 0; k < 3; k++) {
        r.inverse[k] = 1 / direction[k];
        if (fabs(direction[k]) > fabs(direction[r.kz])) r.kz = k;
    }
    r.kx = (r.kz + 1) % 3, r.ky = (r.kz + 2) % 3;
    r.shear[0] = direction[r.kx] / direction[r.kz], r.shear[1] = direction[r.ky] / direction[r.kz],
    r.shear[2] = 1 / direction[r.kz];
    return r;
}

static bool ray_meets_box(const ray *r, const sp_tree_node *n) {
    double from = 0, to = r->t_max;
    for (int k = 0; k < 3; k++) {
        if (r->direction[k] == 0) {
            if (r->origin[k] < n->low[k] || r->origin[k] > n->high[k]) return false;
            continue;
        }
        double a = (n->low[k] - r->origin[k]) * r->inverse[k], b = (n->high[k] - r->origin[k]) * r->inverse[k];
        // widened for three roundings in each direction: rounding must not miss the box (Ize 2013)
        double near = (a < b ? a : b), far = (a < b ? b : a) * (1 + 1e-15);
        near *= near > 0 ? 1 - 1e-15 : 1 + 1e-15;
        from = near > from ? near : from;
        to = far < to ? far : to;
    }
    return from <= to;
}

static bool ray_meets_item(const ray *r, const sp_tree *t, int item, sp_tree_hit *hit) {
    double x[3], y[3], z[3], e[3];
    for (int i = 0; i < 3; i++) {
        const double *c = t->x + 3 * (size_t)t->items[3 * (size_t)item + (size_t)i];
        double depth = c[r->kz] - r->origin[r->kz];
        x[i] = c[r->kx] - r->origin[r->kx] - r->shear[0] * depth;
        y[i] = c[r->ky] - r->origin[r->ky] - r->shear[1] * depth;
        z[i] = r->shear[2] * depth;
    }
    for (int i = 0; i < 3; i++) {
        int a = (i + 1) % 3, b = (i + 2) % 3;
        e[i] = x[a] * y[b] - y[a] * x[b];
    }
    if ((e[0] < 0 || e[1] < 0 || e[2] < 0) && (e[0] > 0 || e[1] > 0 || e[2] > 0)) return false;
    double det = e[0] + e[1] + e[2];
    if (det == 0) return false;
    *hit = (sp_tree_hit){.item = item, .weights = {e[0] / det, e[1] / det, e[2] / det}};
    for (int i = 0; i < 3; i++) hit->t += hit->weights[i] * z[i];
    // counter-clockwise seen along the ray in (x, y): the normal points along the ray if the axis runs upwards
    hit->outward = (det > 0) == (r->direction[r->kz] > 0);
    return hit->t >= 0 && hit->t <= r->t_max;
}

// traverses until visit returns false; visit may shorten the ray
static void walk_ray(const sp_tree *t, ray *r, bool (*visit)(void *user, const sp_tree_hit *hit), void *user) {
    int stack[SP_TREE_DEPTH + 2], top = 0;
    sp_tree_hit hit;
    if (r->direction[r->kz] == 0) return;
    stack[top++] = 0;
    while (top > 0) {
        int at = stack[--top];
        const sp_tree_node *n = &t->nodes[at];
        if (!ray_meets_box(r, n)) continue;
        if (n->right) {
            stack[top++] = n->right;
            stack[top++] = at + 1;
            continue;
        }
        for (int i = n->first; i < n->first + n->count; i++)
            if (ray_meets_item(r, t, t->order[i], &hit) && !visit(user, &hit)) return;
    }
}

void sp__tree_hits(const sp_tree *t, const double origin[3], const double direction[3], double t_max,
                   bool (*visit)(void *user, const sp_tree_hit *hit), void *user) {
    SP_ASSERT(t->corners == 3);
    ray r = make_ray(origin, direction, t_max);
    walk_ray(t, &r, visit, user);
}

typedef struct first {
    ray ray;
    sp_tree_hit *hit;
} first;

static bool keep_first(void *user, const sp_tree_hit *hit) {
    first *f = user;
    if (f->hit->item < 0 || hit->t < f->hit->t || (hit->t == f->hit->t && hit->item < f->hit->item)) *f->hit = *hit;
    f->ray.t_max = f->hit->t;
    return true;
}

bool sp__tree_first_hit(const sp_tree *t, const double origin[3], const double direction[3], double t_max, sp_tree_hit *out) {
    SP_ASSERT(t->corners == 3);
    first f = {.ray = make_ray(origin, direction, t_max), .hit = out};
    out->item = -1;
    walk_ray(t, &f.ray, keep_first, &f);
    return out->item >= 0;
}

// ------------------------------------------------------------------------------------------------ boxes and pairs

static bool apart(const double *low_a, const double *high_a, const double *low_b, const double *high_b) {
    for (int k = 0; k < 3; k++)
        if (low_a[k] > high_b[k] || low_b[k] > high_a[k]) return true;
    return false;
}

typedef struct window {
    double low[3], high[3];
    int after;  // only items after this index in leaf order
} window;

// false: visit stopped the search
static bool walk_box(const sp_tree *t, const window *w, bool (*visit)(void *user, int item), void *user) {
    int stack[SP_TREE_DEPTH + 2], top = 0;
    double low[3], high[3];
    stack[top++] = 0;
    while (top > 0) {
        int at = stack[--top];
        const sp_tree_node *n = &t->nodes[at];
        if (n->first + n->count - 1 <= w->after || apart(w->low, w->high, n->low, n->high)) continue;
        if (n->right) {
            stack[top++] = n->right;
            stack[top++] = at + 1;
            continue;
        }
        for (int i = n->first > w->after ? n->first : w->after + 1; i < n->first + n->count; i++) {
            sp__tree_item_box(t, t->order[i], low, high);
            if (!apart(w->low, w->high, low, high) && !visit(user, t->order[i])) return false;
        }
    }
    return true;
}

void sp__tree_in_box(const sp_tree *t, const double low[3], const double high[3], bool (*visit)(void *user, int item),
                     void *user) {
    window w = {.after = -1};
    memcpy(w.low, low, sizeof w.low);
    memcpy(w.high, high, sizeof w.high);
    walk_box(t, &w, visit, user);
}

typedef struct pairing {
    bool (*visit)(void *user, int a, int b);
    void *user;
    int item;
} pairing;

static bool pair_up(void *user, int other) {
    const pairing *p = user;
    return p->item < other ? p->visit(p->user, p->item, other) : p->visit(p->user, other, p->item);
}

void sp__tree_pairs(const sp_tree *t, bool (*visit)(void *user, int a, int b), void *user) {
    pairing p = {.visit = visit, .user = user};
    for (int i = 0; i < t->count; i++) {
        window w = {.after = i};
        p.item = t->order[i];
        sp__tree_item_box(t, p.item, w.low, w.high);
        if (!walk_box(t, &w, pair_up, &p)) return;
    }
}
