// Contacts of two rigid bodies with the same normal are a face manifold. Most of its points carry nothing that the corners of
// their convex hull do not carry too. Kept are these corners, so that the supporting polygon stays, and the deepest point. The
// result depends on the contacts and their order by key alone.
#include "collide/collide_internal.h"

enum { HULL_MAX = 256 };  // points of a cluster that are looked at together; more are treated in parts
#define SAME_FACE 0.996   // cosine of 5 degrees

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

static void cluster_keep(const flat_point *p, int n, int most, bool *keep) {
    int hull[2 * HULL_MAX + 2], deepest = 0;
    int corners = flat_hull(p, n, hull);
    for (int i = 1; i < n; i++)
        if (p[i].depth < p[deepest].depth) deepest = i;
    memset(keep, 0, (size_t)n * sizeof *keep);
    keep[deepest] = true;
    if (corners > most) {
        hull_extremes(p, hull, corners, most, keep);
    } else {
        for (int i = 0; i < corners; i++) keep[hull[i]] = true;
    }
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

void sp__manifold_reduce(sp_collide *set, int *list, int count, int most) {
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
            if (sp__dot3(c->normal, first->normal) < SAME_FACE) continue;
            double d[3];
            sp__sub3(c->a.point, first->a.point, d);
            p[n++] = (flat_point){sp__dot3(d, u), sp__dot3(d, v), c->distance1, list[i]};
            int swap = list[i];
            memmove(list + end + 1, list + end, (size_t)(i - end) * sizeof *list);
            list[end++] = swap;
        }
        flat_sort(p, n);
        cluster_keep(p, n, most, keep);
        for (int i = 0; i < n; i++)
            if (!keep[i]) set->sorted[0][p[i].place].group = UINT64_MAX;
        begin = end;
    }
}
