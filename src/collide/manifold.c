// Contacts of two rigid bodies with the same normal are a face manifold. Most of its points carry nothing that the corners of
// their convex hull do not carry too: the distances between two rigid bodies, and between a rigid body and one face or edge of a
// soft one, are linear in the place. Without the reduction a fine rigid mesh has more contacts on a coarse soft face than this
// has degrees of freedom, and the problem has many solutions that are hard to find.
//
// Kept are the corners, so that the supporting polygon stays, and the deepest point. Surfaces are curved: a second hull is that
// of the points that are about as near as the deepest one. The result depends on the contacts and their order by key alone.
//
// Contacts of rigid bodies with a distance field are reduced where they are denser than its cells: the field knows no more.
#include "collide/collide_internal.h"

enum {
    HULL_MAX = 256,  // points of a cluster that are looked at together; more are treated in parts
    SOFT_MOST = 4,   // corners on a face of a soft surface, whose three nodes it has to hold
};
#define SAME_FACE 0.996  // cosine of 5 degrees
#define TOUCHING 0.125   // of the alarm distance

typedef struct flat_point {
    double x, y, depth;
    int place;  // in the list
} flat_point;

static const sp_contact_found *contact_of(const sp_collide *set, int record) {
    return &((const sp_contact_made *)set->contacts.data + (uint32_t)set->sorted[0][record].place)->found;
}

static bool flat_before(const flat_point *a, const flat_point *b) {
    return a->x != b->x ? a->x < b->x : a->y != b->y ? a->y < b->y : a->place < b->place;
}

static void flat_sort(flat_point *p, int n) {
    for (int i = 1; i < n; i++) {
        flat_point now = p[i];
        int j = i;
        for (; j > 0 && flat_before(&now, &p[j - 1]); j--) p[j] = p[j - 1];
        p[j] = now;
    }
}

static double flat_turn(const flat_point *a, const flat_point *b, const flat_point *c) {
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

// Corners of the convex hull (Andrew 1979), without points on its sides up to a millionth of the extent.
static int flat_hull(const flat_point *p, int n, int *hull) {
    int count = 0;
    double extent = 0;
    for (int i = 0; i < n; i++) extent = fmax(extent, hypot(p[i].x - p[0].x, p[i].y - p[0].y));
    double thin = 1e-6 * extent * extent;
    for (int way = 0; way < 2; way++) {
        int base = count + (way == 0);
        for (int k = 0; k < n; k++) {
            int i = way ? n - 1 - k : k;
            while (count > base && flat_turn(&p[hull[count - 2]], &p[hull[count - 1]], &p[i]) <= thin) count--;
            if (count == 0 || hull[count - 1] != i) hull[count++] = i;
        }
        if (way == 0 && n == 1) return 1;
    }
    return count > 1 && hull[count - 1] == hull[0] ? count - 1 : count;
}

// the corners that are farthest in `most` directions around
static int hull_extremes(const flat_point *p, const int *hull, int corners, int most, bool *keep) {
    int kept = 0;
    for (int k = 0; k < most; k++) {
        double angle = 2 * SP_PI * k / most, c = cos(angle), s = sin(angle);
        int best = 0;
        for (int i = 1; i < corners; i++)
            if (c * p[hull[i]].x + s * p[hull[i]].y > c * p[hull[best]].x + s * p[hull[best]].y) best = i;
        kept += !keep[hull[best]];
        keep[hull[best]] = true;
    }
    return kept;
}

// marks the corners of the hull of the points that are not farther than `limit`; p is sorted
static void hull_keep(const flat_point *p, int n, double limit, int most, bool *keep) {
    flat_point near[HULL_MAX];
    bool corner[HULL_MAX] = {0};
    int hull[2 * HULL_MAX + 2], place[HULL_MAX], count = 0;
    for (int i = 0; i < n; i++)
        if (p[i].depth <= limit) place[count] = i, near[count++] = p[i];
    const int corners = flat_hull(near, count, hull);
    if (corners > most) {
        hull_extremes(near, hull, corners, most, corner);
    } else {
        for (int i = 0; i < corners; i++) corner[hull[i]] = true;
    }
    for (int i = 0; i < count; i++) keep[place[i]] = keep[place[i]] || corner[i];
}

// touching: points that are farther than the deepest one by this are not part of the inner hull; outer: whether there is another
static void cluster_keep(const flat_point *p, int n, int most, double touching, bool outer, bool *keep) {
    int deepest = 0;
    for (int i = 1; i < n; i++)
        if (p[i].depth < p[deepest].depth) deepest = i;
    for (int i = 0; i < n; i++) keep[i] = n <= most || i == deepest;
    if (n <= most) return;
    if (outer) hull_keep(p, n, INFINITY, most, keep);
    hull_keep(p, n, p[deepest].depth + touching, most, keep);
}

// Edge of the cells of the field of a pair, of the coarser one of two; 0: it has none.
static double field_cell(const sp_collide *set, const sp_collide_pair *pair) {
    const sp_collider *other[2] = {&set->colliders[pair->b], &set->colliders[pair->a]};
    double cell = 0;
    for (int i = 0; i < 2; i++)
        if (pair->in_field[i]) cell = fmax(cell, sp__distance_field_cell(other[i]->def.field));
    return cell;
}

// Whether a field has less than half as many cells below the points of a cluster. Coarser points are what the body has: at edges
// of the field their distances are not linear in the place, so that none of them can be left out.
static bool cluster_is_fine(const flat_point *p, int n, double cell) {
    int used[HULL_MAX][2], count = 0;
    for (int i = 0; i < n && 2 * count < n; i++) {
        const int at[2] = {(int)floor((p[i].x - p[0].x) / cell), (int)floor((p[i].y - p[0].y) / cell)};
        int k = 0;
        while (k < count && (used[k][0] != at[0] || used[k][1] != at[1])) k++;
        if (k == count) used[count][0] = at[0], used[count++][1] = at[1];
    }
    return 2 * count < n;
}

// coordinates in the plane across a normal
static void flat_axes(const double n[3], double u[3], double v[3]) {
    int least = fabs(n[0]) <= fabs(n[1]) && fabs(n[0]) <= fabs(n[2]) ? 0 : fabs(n[1]) <= fabs(n[2]) ? 1 : 2;
    double e[3] = {least == 0, least == 1, least == 2};
    sp__cross3(n, e, u);
    double length = sp__norm3(u);
    for (int k = 0; k < 3; k++) u[k] /= length;
    sp__cross3(n, u, v);
}

// The part of a soft side that a contact touches; all parts of a rigid one move together.
static uint64_t soft_part(const sp_contact_found *c, int soft) {
    return soft < 0 ? 0 : c->key[soft];
}

void sp__manifold_reduce(sp_collide *set, const sp_collide_pair *pair, int *list, int count) {
    const bool soft_a = set->colliders[pair->a].def.flags & SP_COLLIDER_SOFT,
               soft_b = set->colliders[pair->b].def.flags & SP_COLLIDER_SOFT;
    const int soft = soft_a ? 0 : soft_b ? 1 : -1, most = soft < 0 ? pair->rule.manifold : SOFT_MOST;
    const double cell = field_cell(set, pair);
    // the face of a soft side that touches a field is not known from its vertices, and segments are lines: there is no plane
    if ((soft_a && soft_b) || (cell > 0 && soft >= 0)) return;
    if (set->colliders[pair->a].corners == 2 || set->colliders[pair->b].corners == 2) return;
    flat_point p[HULL_MAX];
    bool keep[HULL_MAX];
    double u[3], v[3];
    for (int begin = 0; begin < count;) {
        // the contacts with the normal of the first one are moved to the front
        const sp_contact_found *first = contact_of(set, list[begin]);
        int end = begin, n = 0;
        flat_axes(first->normal, u, v);
        for (int i = begin; i < count && n < HULL_MAX; i++) {
            const sp_contact_found *c = contact_of(set, list[i]);
            if (sp__dot3(c->normal, first->normal) < SAME_FACE || soft_part(c, soft) != soft_part(first, soft)) continue;
            double d[3];
            sp__sub3(c->a.point, first->a.point, d);
            p[n++] = (flat_point){sp__dot3(d, u), sp__dot3(d, v), c->distance1, list[i]};
            int swap = list[i];
            memmove(list + end + 1, list + end, (size_t)(i - end) * sizeof *list);
            list[end++] = swap;
        }
        begin = end;
        flat_sort(p, n);
        if (cell > 0 && !cluster_is_fine(p, n, cell)) continue;
        cluster_keep(p, n, most, TOUCHING * pair->rule.alarm, soft < 0, keep);
        for (int i = 0; i < n; i++)
            if (!keep[i]) set->sorted[0][p[i].place].group = UINT64_MAX;
    }
}
