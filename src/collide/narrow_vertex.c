// Narrow phase of one vertex against the items near it (triangles, segments, points), and against planes.
//
// At a time t between the states, the nearest point of each item is on a face, an edge or a vertex of the other collider. It
// makes a contact if the distance is a local minimum on the other collider: the nearest points of all items around that feature
// are on the feature. The vertex itself need not be a local minimum of its own surface, so that every vertex of a face that rests
// on another face makes a contact; it is refused only if one of its edges leads steeply towards the other collider (a neighbour
// is the contact then), or if it is on the far side of a thin body.
//
// Three times are tried: the committed state; the time when the vertex crosses a face; the free state. A vertex inside a closed
// surface at the committed state has one contact, with the nearest face behind which it is.
//
// Near an edge or a corner of the other collider the direction to it is noise. Within a tolerance the faces there propose their
// normals instead, and the one that suits the surface around the vertex best is taken. So equal boxes stacked on each other touch
// with vertical normals.
#include "collide/collide_internal.h"
#include "mesh/tree.h"

// of a vertex with one collider; times for items without faces; items whose hits are kept for the next loop
enum { CONTACTS_MAX = 12, SAMPLES = 8, HITS_MAX = 64 };

typedef struct vertex_hit {  // the nearest point of an item
    sp_touch foot;
    double r[3], distance;  // from the foot to the vertex
    double normal[3];       // of the face; 0: none, or degenerate
    double height;          // above the plane of the face
    double lateral;         // distance of the foot from the projection of the vertex onto the plane
    double tolerance;
} vertex_hit;

// The first items at one of the two states. Most items near a vertex are too far for a contact: the distance of their boxes
// says so, and their hits are not made.
typedef struct vertex_state {
    uint64_t bounded, made;  // bits: items that have a bound, a hit
    double bound[HITS_MAX];  // the distance is not smaller
    vertex_hit hit[HITS_MAX];
} vertex_state;

typedef struct vertex_contact {
    sp_touch foot;
    double normal[3];              // from the items to the vertex
    double distance, score, time;  // time: of the state where it was found
} vertex_contact;

typedef struct vertex_search {
    const sp_narrow *n;
    const sp_collider *c, *other;  // of the vertex; of the items
    uint32_t vertex;
    bool of_b, solid;                     // solid: the other has an inside
    uint64_t known, skipped;              // bits: first items for which it is known whether candidate_skipped, and the result
    uint64_t far;                         // bits: first items that are out of reach during the whole step
    double radius;                        // of the vertex
    bool has_normal[2], normal_known[2];  // pseudonormals of the vertex at the two states
    double normal[2][3];
    const sp_record *candidates;
    int count;
    vertex_contact *found;
    int found_count;
    vertex_state *at[2];
} vertex_search;

// ---------------------------------------------------------------------------------------------------- nearest points

static uint32_t candidate_item(const vertex_search *s, int i) {
    return (uint32_t)s->candidates[i].features;
}

// parameter of the point of a segment nearest to x, in [0, 1]
static double segment_nearest(const double p[3], const double q[3], const double x[3]) {
    double e[3], d[3];
    sp__sub3(q, p, e), sp__sub3(x, p, d);
    double square = sp__dot3(e, e), t = square > 0 ? sp__dot3(d, e) / square : 0;
    return t < 0 ? 0 : t > 1 ? 1 : t;
}

// nearest point of a triangle that may be degenerate: then of its sides
static void triangle_nearest(double p[3][3], const double x[3], bool flat, double w[3]) {
    double best = INFINITY;
    if (!flat) {
        sp__nearest_on_triangle(p[0], p[1], p[2], x, w);
        return;
    }
    for (int k = 0; k < 3; k++) {
        const double *a = p[k], *b = p[(k + 1) % 3];
        double t = segment_nearest(a, b, x), d[3];
        for (int i = 0; i < 3; i++) d[i] = x[i] - (1 - t) * a[i] - t * b[i];
        if (!(sp__dot3(d, d) < best)) continue;
        best = sp__dot3(d, d);
        w[k] = 1 - t, w[(k + 1) % 3] = t, w[(k + 2) % 3] = 0;
    }
}

static double points_apart(const double a[3], const double b[3]) {
    double d[3];
    sp__sub3(a, b, d);
    return sp__norm3(d);
}

static void foot_vertex(sp_touch *f, uint32_t vertex) {
    *f = (sp_touch){.feature = SP_FEATURE_VERTEX, .index = vertex, .count = 1, .vertex = {vertex}, .weight = {1}};
}

static void foot_edge(const sp_collider *c, sp_touch *f, uint32_t edge, uint32_t from, double t) {
    const uint32_t *ends = sp__collider_edge(c, edge);
    double second = ends[0] == from ? t : 1 - t;
    *f = (sp_touch){
        .feature = SP_FEATURE_EDGE, .index = edge, .count = 2, .vertex = {ends[0], ends[1]}, .weight = {1 - second, second}};
}

// the corner of an item that is nearest to x, if it is within the tolerance; -1: none is
static int corner_within(const sp_collider *c, double p[3][3], const double x[3], double tolerance) {
    double least = INFINITY, square[3] = {0};
    int at = 0;
    for (int i = 0; i < c->corners; i++) {
        double d[3];
        sp__sub3(x, p[i], d);
        square[i] = sp__dot3(d, d), least = square[i] < least ? square[i] : least;
    }
    // without roots for most items
    if (least > tolerance * tolerance * (1 + 1e-9) && c->corners > 1) return -1;
    for (int i = 1; i < c->corners; i++)
        if (sqrt(square[i]) < sqrt(square[at])) at = i;
    return sqrt(square[at]) <= tolerance || c->corners == 1 ? at : -1;
}

// The feature on which a point of an item is: the nearest corner or side within the tolerance, else the item itself. inset: the
// sides are at least as far away.
static void foot_of_item(const sp_collider *c, uint32_t item, double p[3][3], const double w[3], double tolerance, double inset,
                         sp_touch *f) {
    const uint32_t *corner = sp__collider_item(c, item);
    double x[3] = {0}, least = INFINITY, t = 0;
    for (int i = 0; i < c->corners; i++) sp__axpy3(x, w[i], p[i], x);
    int at = corner_within(c, p, x, tolerance);
    if (at >= 0) {
        foot_vertex(f, corner[at]);
        return;
    }
    if (c->corners == 2) {
        foot_edge(c, f, item, corner[0], w[1]);
        return;
    }
    for (int k = 0; k < 3 && inset <= tolerance; k++) {
        const double *a = p[k], *b = p[(k + 1) % 3];
        double s = segment_nearest(a, b, x), y[3];
        for (int i = 0; i < 3; i++) y[i] = (1 - s) * a[i] + s * b[i];
        double apart = points_apart(x, y);
        if (apart < least) least = apart, at = k, t = s;
    }
    if (least <= tolerance) {
        foot_edge(c, f, (uint32_t)c->edges.of[3 * (size_t)item + (size_t)at], corner[at], t);
        return;
    }
    *f = (sp_touch){.feature = SP_FEATURE_FACE, .index = item, .count = 3};
    memcpy(f->vertex, corner, sizeof f->vertex), memcpy(f->weight, w, sizeof f->weight);
}

static double longest_side(double p[3][3], int corners) {
    double most = 0;
    for (int i = 0; i < corners && corners > 1; i++) {
        double d[3];
        sp__sub3(p[i], p[(i + 1) % corners], d);
        most = fmax(most, sp__dot3(d, d));
    }
    return sqrt(most);
}

static void vertex_hit_item(const vertex_search *s, uint32_t item, double t, vertex_hit *h) {
    const sp_collider *c = s->other;
    const uint32_t *corner = sp__collider_item(c, item);
    double x[3], p[3][3], w[3] = {1, 0, 0}, foot[3], d[3], area = 0;
    sp__collider_at(s->c, s->vertex, t, x);
    for (int i = 0; i < c->corners; i++) sp__collider_at(c, corner[i], t, p[i]);
    const double longest = longest_side(p, c->corners);
    h->tolerance = fmin(SP_TOUCH_ALARM * s->n->pair->rule.alarm, SP_TOUCH_EDGE * longest);
    h->normal[0] = h->normal[1] = h->normal[2] = 0;
    if (c->corners == 3) area = sp__triangle_normal(c, p, h->normal), triangle_nearest(p, x, !(area > 0), w);
    if (c->corners == 2) w[1] = segment_nearest(p[0], p[1], x), w[0] = 1 - w[1];
    // heights of the foot over the sides are its weights times those of the triangle
    double inset = area > 0 ? (1 - 1e-6) * fmin(w[0], fmin(w[1], w[2])) * area / longest : 0;
    foot_of_item(c, item, p, w, h->tolerance, inset, &h->foot);
    sp__touch_at(c, &h->foot, t, foot);
    sp__sub3(x, foot, h->r);
    h->distance = sp__norm3(h->r);
    sp__sub3(x, p[0], d);
    h->height = sp__dot3(d, h->normal);
    sp__axpy3(h->r, -h->height, h->normal, d);
    h->lateral = sp__norm3(d);
}

// The hit of candidate i at one of the two states.
static void vertex_hit_at(const vertex_search *s, int i, int state, vertex_hit *h) {
    vertex_state *at = s->at[state];
    if (i >= HITS_MAX) {
        vertex_hit_item(s, candidate_item(s, i), state, h);
        return;
    }
    if (!(at->made >> i & 1)) {
        vertex_hit_item(s, candidate_item(s, i), state, &at->hit[i]);
        at->made |= (uint64_t)1 << i;
    }
    *h = at->hit[i];
}

// distance of a vertex from the box of an item, reduced by more than the rounding errors of a hit
static double vertex_box_distance(const vertex_search *s, uint32_t item, int state) {
    const sp_collider *c = s->other;
    const uint32_t *corner = sp__collider_item(c, item);
    const double *x = s->c->x[state] + 3 * (size_t)s->vertex;
    double square = 0, size = 0;
    for (int k = 0; k < 3; k++) {
        double low = c->x[state][3 * (size_t)corner[0] + (size_t)k], high = low;
        for (int i = 1; i < c->corners; i++) {
            double p = c->x[state][3 * (size_t)corner[i] + (size_t)k];
            low = p < low ? p : low, high = p > high ? p : high;
        }
        double d = x[k] < low ? low - x[k] : x[k] > high ? x[k] - high : 0;
        square += d * d, size += fabs(low) + fabs(high);
    }
    return sqrt(square) * (1 - 1e-12) - 1e-12 * size;
}

// Interval of the item along an axis at a state
static void item_interval(const sp_collider *c, const uint32_t *corner, int state, size_t k, double *low, double *high) {
    *low = *high = c->x[state][3 * (size_t)corner[0] + k];
    for (int i = 1; i < c->corners; i++) {
        double p = c->x[state][3 * (size_t)corner[i] + k];
        *low = p < *low ? p : *low, *high = p > *high ? p : *high;
    }
}

// The boxes that the vertex and an item sweep are farther apart than the alarm distance and the radii, and than rounding.
static bool candidate_is_far(const vertex_search *s, uint32_t item) {
    const uint32_t *corner = sp__collider_item(s->other, item);
    const double reach = s->n->pair->rule.alarm + s->radius + s->other->radius;
    for (size_t k = 0; k < 3; k++) {
        double a = s->c->x[0][3 * (size_t)s->vertex + k], b = s->c->x[1][3 * (size_t)s->vertex + k];
        double low[2], high[2], from = a < b ? a : b, to = a < b ? b : a;
        for (int state = 0; state < 2; state++) item_interval(s->other, corner, state, k, &low[state], &high[state]);
        low[0] = low[1] < low[0] ? low[1] : low[0], high[0] = high[1] > high[0] ? high[1] : high[0];
        double most = reach + 1e-6 * (high[0] - low[0] + to - from) + 1e-12 * (fabs(low[0]) + fabs(high[0]));
        if (low[0] - to > most || from - high[0] > most) return true;
    }
    return false;
}

// The vertex is in front of an item at the committed state, by more than rounding.
static bool candidate_is_ahead(const vertex_search *s, uint32_t item) {
    const uint32_t *corner = sp__collider_item(s->other, item);
    const double *x0 = s->other->x[0], *p = x0 + 3 * (size_t)corner[0];
    double u[3], v[3], n[3], d[3];
    sp__sub3(x0 + 3 * (size_t)corner[1], p, u), sp__sub3(x0 + 3 * (size_t)corner[2], p, v);
    sp__cross3(u, v, n);
    sp__sub3(s->c->x[0] + 3 * (size_t)s->vertex, p, d);
    return sp__dot3(d, n) > 1e-6 * s->n->pair->rule.alarm * sp__norm3(n);
}

// Most vertices near a surface come nowhere within reach of it, and only those that are deep inside make a contact. One that is
// in front of all items is not inside: below the nearest feature, it would be behind one of the faces there, because the
// pseudonormal is a sum of their normals. *far: all items are out of reach; returns whether the vertex may be inside.
static bool vertex_far(vertex_search *s, bool *far) {
    bool ahead = !s->solid || (s->other->def.side == SP_SIDE_OUTSIDE && !s->n->pair->self);
    *far = true;
    for (int i = 0; i < s->count; i++) {
        const bool now = candidate_is_far(s, candidate_item(s, i));
        *far = *far && now;
        if (now && i < HITS_MAX) s->far |= (uint64_t)1 << i;
    }
    for (int i = 0; i < s->count && *far && ahead && s->solid; i++) ahead = candidate_is_ahead(s, candidate_item(s, i));
    return !ahead;
}

static double vertex_bound(const vertex_search *s, int i, int state) {
    vertex_state *at = s->at[state];
    if (i >= HITS_MAX) return vertex_box_distance(s, candidate_item(s, i), state);
    if (!(at->bounded >> i & 1)) {
        at->bound[i] = vertex_box_distance(s, candidate_item(s, i), state);
        at->bounded |= (uint64_t)1 << i;
    }
    return at->bound[i];
}

static bool hit_is_face(const vertex_hit *h) {
    return sp__dot3(h->normal, h->normal) > 0;
}

// distance of the surfaces: without the radii
static double hit_gap(const vertex_search *s, const vertex_hit *h) {
    return h->distance - s->radius - sp__touch_radius(s->other, &h->foot);
}

static bool foot_before(const sp_touch *a, const sp_touch *b) {
    return a->feature != b->feature ? a->feature < b->feature : a->index < b->index;
}

static void foot_vertex(sp_touch *f, uint32_t vertex);

// A collider that touches itself: the vertex is behind an item because the body is thin there (self.c).
static bool candidate_is_own_back(const vertex_search *s, int i) {
    vertex_hit h;
    sp_touch own;
    double n[3];
    vertex_hit_at(s, i, 0, &h);
    // clearly in front of it
    if (s->other->corners < 3 || !sp__feature_normal(s->other, h.foot.feature, h.foot.index, 0, n) ||
        sp__dot3(h.r, n) > SP_SELF_FRONT * h.distance * sp__norm3(n))
        return false;
    foot_vertex(&own, s->vertex);
    return !sp__self_was_apart(s->c, &own, &h.foot, h.distance, s->n->pair->rule.alarm);
}

static bool candidate_skipped(vertex_search *s, int i) {
    if (!s->n->pair->self) return false;
    if (i >= HITS_MAX) return candidate_is_own_back(s, i);
    const uint64_t bit = (uint64_t)1 << i;
    if (!(s->known & bit) && candidate_is_own_back(s, i)) s->skipped |= bit;
    s->known |= bit;
    return s->skipped & bit;
}

// the nearest of all items at a state; false: there is none, which only happens to a collider that touches itself
static bool vertex_nearest(vertex_search *s, int state, vertex_hit *nearest) {
    vertex_hit h;
    int first = 0;
    bool any = false;
    double limit = INFINITY;
    for (int i = 1; i < s->count; i++)
        if (vertex_bound(s, i, state) < vertex_bound(s, first, state)) first = i;
    if (!candidate_skipped(s, first)) {
        vertex_hit_at(s, first, state, &h);
        limit = h.distance;
    }
    for (int i = 0; i < s->count; i++) {
        if (vertex_bound(s, i, state) > limit || candidate_skipped(s, i)) continue;
        vertex_hit_at(s, i, state, &h);
        if (any && !(h.distance < nearest->distance) &&
            !(h.distance == nearest->distance && foot_before(&h.foot, &nearest->foot)))
            continue;
        *nearest = h, any = true;
        limit = h.distance < limit ? h.distance : limit;
    }
    return any;
}

// Farther inside than the alarm distance, the sign of the nearest feature is not trusted at the committed state: where elements
// have inverted, the surface is folded, and its normals lead inwards.
static bool nearest_is_inside(const vertex_search *s, const vertex_hit *nearest, int state) {
    double n[3];
    if (!s->solid || !sp__feature_normal(s->other, nearest->foot.feature, nearest->foot.index, state, n)) return false;
    if (sp__dot3(nearest->r, n) >= 0) return false;
    if (state > 0 || !s->other->closed || s->other->def.side != SP_SIDE_OUTSIDE) return true;
    if (nearest->distance <= s->n->pair->rule.alarm) return true;
    return sp__collider_contains(s->n->set, (int)(s->other - s->n->set->colliders), s->c->x[0] + 3 * (size_t)s->vertex);
}

// ---------------------------------------------------------------------------------------------------- contacts of the vertex

static bool contact_better(const vertex_contact *a, const vertex_contact *b) {
    bool good_a = a->score >= SP_CONE_VERTEX, good_b = b->score >= SP_CONE_VERTEX;
    if (good_a != good_b) return good_a;
    if (a->distance != b->distance) return a->distance < b->distance;
    if (a->foot.feature == b->foot.feature && a->foot.index == b->foot.index) return a->score > b->score;
    return foot_before(&a->foot, &b->foot);
}

// A contact of a later state that sp__contact_make refuses: it must not replace one of the committed state.
static bool contact_was_behind(const vertex_search *s, const vertex_contact *c) {
    double x[3], foot[3];
    if (!(c->time > 0)) return false;
    sp__collider_at(s->c, s->vertex, 0, x), sp__touch_at(s->other, &c->foot, 0, foot);
    sp__sub3(x, foot, x);
    return sp__dot3(c->normal, x) - s->radius - sp__touch_radius(s->other, &c->foot) < -SP_CROSS_BACK * s->n->pair->rule.alarm;
}

// Keeps one contact for each feature and each direction.
static void vertex_keep(vertex_search *s, const vertex_contact *now) {
    int worst = 0;
    if (contact_was_behind(s, now)) return;
    for (int i = 0; i < s->found_count; i++) {
        vertex_contact *old = &s->found[i];
        bool same = old->foot.feature == now->foot.feature && old->foot.index == now->foot.index;
        if (same || sp__dot3(old->normal, now->normal) > SP_SAME_NORMAL) {
            // of normals for the same feature, the one that suits the surface of the vertex
            bool better = same ? now->score > old->score : contact_better(now, old);
            if (better) *old = *now;
            return;
        }
        if (contact_better(&s->found[worst], old)) worst = i;
    }
    if (s->found_count < CONTACTS_MAX) {
        s->found[s->found_count++] = *now;
    } else if (contact_better(now, &s->found[worst])) {
        s->found[worst] = *now;
    }
}

static double vertex_suits(const vertex_search *s, const sp_touch *foot, double t, const double normal[3]) {
    double back[3] = {-normal[0], -normal[1], -normal[2]};
    double own = sp__feature_score(s->c, SP_FEATURE_VERTEX, s->vertex, t, normal);
    return fmin(own, foot->feature == SP_FEATURE_FACE ? 1 : sp__feature_score(s->other, foot->feature, foot->index, t, back));
}

// direction from two coincident points of things without faces
static void direction_fallback(const vertex_search *s, const vertex_hit *h, double normal[3]) {
    double p[3], q[3], d[2][3];
    for (int k = 0; k < 2; k++) {
        sp__collider_at(s->c, s->vertex, k, p), sp__touch_at(s->other, &h->foot, k, q);
        sp__sub3(p, q, d[k]);
    }
    double length = sp__norm3(d[0]);
    memcpy(normal, d[0], sizeof d[0]);
    if (!(length > 0)) {
        sp__sub3(d[0], d[1], normal);
        length = sp__norm3(normal);
    }
    for (int k = 0; k < 3; k++) normal[k] = length > 0 ? normal[k] / length : k == 2;
}

// the normals that an item proposes for its foot: of its face, or the direction to the vertex; returns how many
static int hit_normals(const vertex_search *s, const vertex_hit *h, double normals[2][3]) {
    bool on = h->distance <= h->tolerance;
    if (hit_is_face(h) && (h->foot.feature == SP_FEATURE_FACE || h->lateral <= 2 * h->tolerance)) {
        if (s->solid && !on && h->height < 0) return 0;
        double sign = s->solid || h->height >= 0 ? 1 : -1;
        for (int k = 0; k < 3; k++) normals[0][k] = sign * h->normal[k], normals[1][k] = -normals[0][k];
        return s->solid || !on ? 1 : 2;
    }
    if (on && s->other->corners == 3) return 0;
    if (h->distance > 0) {
        for (int k = 0; k < 3; k++) normals[0][k] = h->r[k] / h->distance;
    } else {
        direction_fallback(s, h, normals[0]);
    }
    return 1;
}

// the nearest points of all items around the feature are on it
static bool hit_is_least(const vertex_search *s, const vertex_hit *h, double t) {
    double back[3];
    if (h->foot.feature == SP_FEATURE_FACE || h->distance <= h->tolerance) return true;
    for (int k = 0; k < 3; k++) back[k] = -h->r[k] / h->distance;
    return sp__feature_score(s->other, h->foot.feature, h->foot.index, t, back) >= -1e-6 - 2 * h->tolerance / h->distance;
}

// the vertex is on the far side of its own body, as sp__feature_is_behind
static bool vertex_is_behind(vertex_search *s, int state, const double normal[3]) {
    double *own = s->normal[state];
    if (!s->normal_known[state]) s->has_normal[state] = sp__feature_normal(s->c, SP_FEATURE_VERTEX, s->vertex, state, own);
    s->normal_known[state] = true;
    return s->has_normal[state] && sp__normal_is_behind(own, normal);
}

// contacts of a vertex outside, or on the surface, at a state
static void vertex_front(vertex_search *s, int t) {
    vertex_hit h;
    double normals[2][3], reach = s->n->pair->rule.alarm + s->radius + s->other->radius;
    for (int i = 0; i < s->count; i++) {
        if (vertex_bound(s, i, t) > reach || candidate_skipped(s, i)) continue;
        vertex_hit_at(s, i, t, &h);
        double gap = hit_gap(s, &h);
        if (gap > s->n->pair->rule.alarm || !hit_is_least(s, &h, t)) continue;
        int proposals = hit_normals(s, &h, normals);
        for (int k = 0; k < proposals; k++) {
            vertex_contact now = {.foot = h.foot, .distance = h.distance, .time = t};
            now.score = vertex_suits(s, &h.foot, t, normals[k]);
            memcpy(now.normal, normals[k], sizeof now.normal);
            if (now.score < SP_CONE_VERTEX || (gap > 0 && vertex_is_behind(s, t, now.normal))) continue;
            vertex_keep(s, &now);
        }
    }
}

// Contact of a vertex inside: with the nearest face of those that suit the surface around the vertex, at most `depth` below it.
static void vertex_behind(vertex_search *s, int t, const vertex_hit *nearest) {
    // a face that suits the vertex better may be farther than the nearest one, but not on another side of the body
    double reach = fmin(s->n->pair->rule.depth, fmax(s->n->pair->rule.alarm, 2 * nearest->distance));
    double tolerance = SP_TOUCH_ALARM * s->n->pair->rule.alarm;  // the largest
    vertex_hit h;
    vertex_contact best = {.distance = INFINITY, .score = -INFINITY};
    for (int i = 0; i < s->count; i++) {
        if (vertex_bound(s, i, t) > reach + 3 * tolerance || candidate_skipped(s, i)) continue;
        vertex_hit_at(s, i, t, &h);
        bool over = h.foot.feature == SP_FEATURE_FACE || h.lateral <= 2 * h.tolerance;
        if (!hit_is_face(&h) || !over || h.height > h.tolerance || -h.height > reach) continue;
        vertex_contact now = {.foot = h.foot, .distance = fabs(h.height), .time = t};
        now.score = vertex_suits(s, &h.foot, t, h.normal);
        memcpy(now.normal, h.normal, sizeof now.normal);
        if (contact_better(&now, &best)) best = now;
    }
    // below a concave edge or corner no face is straight above
    if (nearest->foot.feature != SP_FEATURE_FACE && nearest->distance > nearest->tolerance && nearest->distance <= reach) {
        vertex_contact now = {.foot = nearest->foot, .distance = nearest->distance, .time = t};
        for (int k = 0; k < 3; k++) now.normal[k] = -nearest->r[k] / nearest->distance;
        now.score = sp__feature_score(s->c, SP_FEATURE_VERTEX, s->vertex, t, now.normal);
        if (contact_better(&now, &best)) best = now;
    }
    if (best.distance < INFINITY) vertex_keep(s, &best);
}

// ---------------------------------------------------------------------------------------------------- motion

typedef struct crossing {
    const vertex_search *s;
    uint32_t item;
    double sign, limit;
} crossing;

// height above the plane of a face, minus the radii
static double crossing_height(const void *user, double t) {
    const crossing *c = user;
    double x[3], p[3], normal[3];
    sp__face_normal(c->s->other, c->item, t, normal);
    sp__collider_at(c->s->c, c->s->vertex, t, x);
    sp__collider_at(c->s->other, sp__collider_item(c->s->other, c->item)[0], t, p);
    sp__sub3(x, p, x);
    return c->sign * sp__dot3(x, normal) - c->limit;
}

// distance from an item without faces, minus alarm and radii
static double crossing_gap(const void *user, double t) {
    const crossing *c = user;
    vertex_hit h;
    vertex_hit_item(c->s, c->item, t, &h);
    return hit_gap(c->s, &h) - c->limit;
}

// Whether the vertex comes near an item between the states: not if their boxes are apart.
static bool vertex_passes(const vertex_search *s, int i) {
    const uint32_t *corner = sp__collider_item(s->other, candidate_item(s, i));
    if (i < HITS_MAX && (s->far >> i & 1)) return false;
    const double radii = s->radius + s->other->radius;
    const double touch = (s->n->pair->rule.continuous ? 2 * SP_TOUCH_SWEPT : 3 * SP_TOUCH_ALARM) * s->n->pair->rule.alarm;
    for (size_t k = 0; k < 3; k++) {
        double a = s->c->x[0][3 * (size_t)s->vertex + k], b = s->c->x[1][3 * (size_t)s->vertex + k];
        double low = INFINITY, high = -INFINITY, from = a < b ? a : b, to = a < b ? b : a;
        for (int j = 0; j < s->other->corners; j++)
            for (int state = 0; state < 2; state++) {
                double p = s->other->x[state][3 * (size_t)corner[j] + k];
                low = p < low ? p : low, high = p > high ? p : high;
            }
        double most = radii + touch + 1e-6 * (high - low + to - from) + 1e-12 * (fabs(low) + fabs(high));
        if (low - to > most || from - high > most) return false;
    }
    return true;
}

// the first face that the vertex crosses from the front
static void vertex_cross(vertex_search *s) {
    vertex_hit h0, h1, h, best = {0};
    double first = INFINITY, side = 1;
    for (int i = 0; i < s->count; i++) {
        uint32_t item = candidate_item(s, i);
        if (!vertex_passes(s, i) || candidate_skipped(s, i)) continue;
        vertex_hit_at(s, i, 0, &h0);
        if (!hit_is_face(&h0)) continue;
        vertex_hit_at(s, i, 1, &h1);
        if (!hit_is_face(&h1)) continue;
        crossing c = {s, item, s->solid || h0.height > 0 ? 1 : -1, s->radius + sp__touch_radius(s->other, &h0.foot)};
        if (!(c.sign * h0.height > c.limit && c.sign * h1.height < c.limit)) continue;
        double t = sp__first_time(crossing_height, &c, 1);
        vertex_hit_item(s, item, t, &h);
        // rounding of the time of crossing is far below this
        if (h.lateral > fmax(2 * h.tolerance, 1e-9 * points_apart(h0.r, h1.r)) || !(t < first)) continue;
        first = t, best = h, side = c.sign;
    }
    if (first == INFINITY) return;
    vertex_contact now = {.foot = best.foot, .distance = best.distance, .time = first};
    for (int k = 0; k < 3; k++) now.normal[k] = side * best.normal[k];
    now.score = vertex_suits(s, &best.foot, first, now.normal);
    vertex_keep(s, &now);
}

// The vertex comes from behind a surface that has an inside.
static bool hit_from_behind(const vertex_search *s, const vertex_hit *h, double t) {
    double n[3];
    return s->solid && sp__feature_normal(s->other, h->foot.feature, h->foot.index, t, n) && sp__dot3(h->r, n) < 0;
}

// Continuous: the item that the vertex touches first, of those that are not near it at the committed state.
static void vertex_sweep(vertex_search *s) {
    const double touch = SP_TOUCH_SWEPT * s->n->pair->rule.alarm;
    const double least = s->n->pair->rule.alarm + s->radius + s->other->radius;
    double first = INFINITY, normals[2][3];
    vertex_hit h, best = {0};
    for (int i = 0; i < s->count; i++) {
        uint32_t item = candidate_item(s, i);
        // within alarm at the committed state: it is a contact, or not the nearest point of the surface
        if (!vertex_passes(s, i) || candidate_skipped(s, i)) continue;
        if (vertex_bound(s, i, 0) <= least) {
            vertex_hit_at(s, i, 0, &h);
            if (hit_gap(s, &h) <= s->n->pair->rule.alarm) continue;
        }
        double t = sp__advance_vertex(s->c, s->vertex, s->other, item, touch, fmin(first, 1));
        if (!(t < first)) continue;
        vertex_hit_item(s, item, t, &h);
        if (hit_from_behind(s, &h, t)) continue;
        first = t, best = h;
    }
    if (first == INFINITY) return;
    vertex_contact now = {.foot = best.foot, .distance = best.distance, .time = first};
    bool face = best.foot.feature == SP_FEATURE_FACE && hit_is_face(&best);
    double side = face && best.height < 0 ? -1 : 1;
    if (!face && !hit_normals(s, &best, normals)) return;
    for (int k = 0; k < 3; k++) now.normal[k] = face ? side * best.normal[k] : normals[0][k];
    now.score = vertex_suits(s, &best.foot, first, now.normal);
    vertex_keep(s, &now);
}

// items without faces: the direction at the time when the vertex comes within alarm
static void vertex_approach(vertex_search *s) {
    vertex_hit h;
    double normals[2][3];
    for (int i = 0; i < s->count; i++) {
        crossing c = {s, candidate_item(s, i), 1, s->n->pair->rule.alarm};
        if (!(crossing_gap(&c, 0) > 0)) continue;
        double t = sp__first_time(crossing_gap, &c, SAMPLES);
        if (t > 1) continue;
        vertex_hit_item(s, c.item, t, &h);
        if (!hit_is_least(s, &h, t) || !hit_normals(s, &h, normals)) continue;
        vertex_contact now = {.foot = h.foot, .distance = h.distance, .time = t};
        now.score = vertex_suits(s, &h.foot, t, normals[0]);
        memcpy(now.normal, normals[0], sizeof now.normal);
        if (now.score >= SP_CONE_VERTEX) vertex_keep(s, &now);
    }
}

static void vertex_moved(vertex_search *s) {
    vertex_hit nearest;
    if (s->n->pair->rule.continuous) vertex_sweep(s);
    if (s->other->corners < 3) {
        vertex_approach(s);
        return;
    }
    vertex_cross(s);
    if (!vertex_nearest(s, 1, &nearest)) return;
    if (!nearest_is_inside(s, &nearest, 1)) {
        vertex_front(s, 1);
    } else if (s->found_count == 0) {
        vertex_behind(s, 1, &nearest);
    }
}

// ---------------------------------------------------------------------------------------------------- the vertex

static void vertex_emit(const vertex_search *s) {
    sp_touch own;
    foot_vertex(&own, s->vertex);
    for (int i = 0; i < s->found_count; i++) {
        const vertex_contact *f = &s->found[i];
        double sign = s->of_b ? -1 : 1, normal[3] = {sign * f->normal[0], sign * f->normal[1], sign * f->normal[2]};
        // two vertices may be found from both sides: the better normal wins
        int source = 2 * (int)(1e6 * (1 - f->score)) + s->of_b;
        // two vertices of one collider: the lower number first
        if (s->n->pair->self && f->foot.feature == SP_FEATURE_VERTEX && f->foot.index < s->vertex) {
            for (int k = 0; k < 3; k++) normal[k] = -normal[k];
            sp__contact_make(s->n, &f->foot, &own, normal, f->time, source + 1);
            continue;
        }
        sp__contact_make(s->n, s->of_b ? &f->foot : &own, s->of_b ? &own : &f->foot, normal, f->time, source);
    }
}

void sp__narrow_vertex(const sp_narrow *n, bool of_b, const sp_record *candidates, int count) {
    vertex_search s = {.n = n, .c = of_b ? n->b : n->a, .other = of_b ? n->a : n->b, .of_b = of_b, .count = count};
    vertex_hit nearest;
    vertex_contact contacts[CONTACTS_MAX];
    vertex_state states[2];
    s.found = contacts;
    for (int k = 0; k < 2; k++) states[k].bounded = states[k].made = 0, s.at[k] = &states[k];
    s.candidates = candidates, s.vertex = (uint32_t)(candidates[0].features >> 32);
    s.solid = s.other->corners == 3 && s.other->def.side != SP_SIDE_BOTH;
    s.radius = sp__collider_radius(s.c, s.vertex);
    bool far;
    if (!vertex_far(&s, &far) && far) return;
    if (!vertex_nearest(&s, 0, &nearest)) return;
    bool inside = nearest_is_inside(&s, &nearest, 0), on = nearest.distance <= nearest.tolerance;
    if (!inside || on) vertex_front(&s, 0);
    if (inside || on) {
        if (s.found_count == 0) vertex_behind(&s, 0, &nearest);
    }
    if (n->moves && !far && (!inside || on) && !(inside && s.found_count)) vertex_moved(&s);
    vertex_emit(&s);
}

// A plane keeps every vertex near it: the distance to a half-space needs no search. Depth has no limit.
void sp__narrow_plane(const sp_narrow *n, uint32_t vertex) {
    bool plane_is_b = n->b->corners == 0;
    const sp_collider *c = plane_is_b ? n->a : n->b, *plane = plane_is_b ? n->b : n->a;
    double radius = sp__collider_radius(c, vertex) + plane->def.radius, gap[2], d[3];
    for (int k = 0; k < 2; k++) {
        sp__sub3(c->x[k] + 3 * (size_t)vertex, plane->at[k].a, d);
        gap[k] = sp__dot3(d, plane->at[k].b) - radius;
    }
    if (fmin(gap[0], gap[1]) > n->pair->rule.alarm) return;
    const double *up = plane->at[0].b;
    // a neighbour below it, or the near side of a thin body, is the contact
    if (fmin(gap[0], gap[1]) > 0 && (sp__feature_score(c, SP_FEATURE_VERTEX, vertex, 0, up) < SP_CONE_VERTEX ||
                                     sp__feature_is_behind(c, SP_FEATURE_VERTEX, vertex, 0, up)))
        return;
    sp_contact_made *m = sp__block_next(&n->set->contacts, n->own);
    if (!m) return;
    double sign = plane_is_b ? 1 : -1;
    bool shape = sp__collider_is_shape(c);
    sp_contact_side own = {.collider = c->def.id, .feature = shape ? SP_FEATURE_SHAPE : SP_FEATURE_VERTEX},
                    other = {.collider = plane->def.id, .feature = SP_FEATURE_SHAPE};
    if (!shape) own.index = own.vertex[0] = vertex, own.count = 1, own.weight[0] = 1;
    sp__axpy3(c->x[0] + 3 * (size_t)vertex, -sp__collider_radius(c, vertex), up, own.point);
    sp__axpy3(own.point, -gap[0], up, other.point);
    uint64_t keys[2] = {sp__contact_key(c->def.id, SP_FEATURE_VERTEX, vertex),
                        sp__contact_key(plane->def.id, SP_FEATURE_SHAPE, 0)};
    *m = (sp_contact_made){.pair = n->pair_number};
    m->found = (sp_contact_found){.key = {keys[!plane_is_b], keys[plane_is_b]}, .distance0 = gap[0], .distance1 = gap[1]};
    m->found.a = plane_is_b ? own : other, m->found.b = plane_is_b ? other : own;
    for (int k = 0; k < 3; k++) m->found.normal[k] = sign * up[k];
}
