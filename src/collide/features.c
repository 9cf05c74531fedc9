// Features of colliders: positions, normals and the neighbourhood that decides whether a distance is a local minimum; the contact
// that two of them make.
#include "collide/collide_internal.h"

// ---------------------------------------------------------------------------------------------------- normals

double sp__triangle_normal(const sp_collider *c, double p[3][3], double normal[3]) {
    double u[3], v[3];
    sp__sub3(p[1], p[0], u), sp__sub3(p[2], p[0], v), sp__cross3(u, v, normal);
    double length = sp__norm3(normal), longest = fmax(sp__dot3(u, u), sp__dot3(v, v));
    // thinner than rounding: its normal would be noise
    bool flat = !(length > 1e-12 * longest);
    for (int k = 0; k < 3; k++) normal[k] = flat ? 0 : normal[k] / (c->def.side == SP_SIDE_INSIDE ? -length : length);
    return flat ? 0 : length;
}

bool sp__face_normal(const sp_collider *c, uint32_t item, double t, double normal[3]) {
    const uint32_t *corner = sp__collider_item(c, item);
    double p[3][3];
    for (int i = 0; i < 3; i++) sp__collider_at(c, corner[i], t, p[i]);
    return sp__triangle_normal(c, p, normal) > 0;
}

// angle of a triangle at one of its corners
static double corner_angle(const sp_collider *c, const uint32_t *corner, int k, double t) {
    double p[3][3], u[3], v[3], n[3];
    for (int i = 0; i < 3; i++) sp__collider_at(c, corner[(k + i) % 3], t, p[i]);
    sp__sub3(p[1], p[0], u), sp__sub3(p[2], p[0], v), sp__cross3(u, v, n);
    return atan2(sp__norm3(n), sp__dot3(u, v));
}

static int edge_faces(const sp_collider *c, int edge) {
    return c->edges.first[edge + 1] - c->edges.first[edge];
}

static bool edge_normal(const sp_collider *c, uint32_t edge, double t, double normal[3]) {
    bool any = false;
    double n[3];
    if (edge_faces(c, (int)edge) < 2) return false;
    for (int i = c->edges.first[edge]; i < c->edges.first[edge + 1]; i++) {
        any |= sp__face_normal(c, (uint32_t)c->edges.sides[i] / 3, t, n);
        sp__axpy3(normal, 1, n, normal);
    }
    return any;
}

static bool vertex_normal(const sp_collider *c, uint32_t vertex, double t, double normal[3]) {
    bool any = false;
    double n[3];
    for (int i = c->around.start[vertex]; i < c->around.start[vertex + 1]; i++) {
        int face = c->around.face[i], k = 0;
        const uint32_t *corner = sp__collider_item(c, (uint32_t)face);
        while (k < 2 && corner[k] != vertex) k++;
        if (edge_faces(c, c->edges.of[3 * face + k]) < 2 || edge_faces(c, c->edges.of[3 * face + (k + 2) % 3]) < 2) return false;
        if (!sp__face_normal(c, (uint32_t)face, t, n)) continue;
        sp__axpy3(normal, corner_angle(c, corner, k, t), n, normal);
        any = true;
    }
    return any;
}

bool sp__feature_normal(const sp_collider *c, sp_feature feature, uint32_t index, double t, double normal[3]) {
    normal[0] = normal[1] = normal[2] = 0;
    if (c->corners != 3 || c->def.side == SP_SIDE_BOTH) return false;
    if (feature == SP_FEATURE_FACE) return sp__face_normal(c, index, t, normal);
    return feature == SP_FEATURE_EDGE ? edge_normal(c, index, t, normal) : vertex_normal(c, index, t, normal);
}

// No face around a vertex looks along a direction: then the mean of their normals does not either.
static bool faces_look_away(const sp_collider *c, uint32_t vertex, double t, const double direction[3]) {
    double n[3];
    for (int i = c->around.start[vertex]; i < c->around.start[vertex + 1]; i++)
        if (sp__face_normal(c, (uint32_t)c->around.face[i], t, n) && sp__dot3(n, direction) > 0) return false;
    return true;
}

bool sp__normal_is_behind(const double own[3], const double normal[3]) {
    return sp__dot3(own, normal) > SP_CONE_BACK * sp__norm3(own);
}

bool sp__feature_is_behind(const sp_collider *c, sp_feature feature, uint32_t index, double t, const double normal[3]) {
    double n[3];
    if (feature == SP_FEATURE_VERTEX && c->corners == 3 && faces_look_away(c, index, t, normal)) return false;
    if (!sp__feature_normal(c, feature, index, t, n)) return false;
    return sp__normal_is_behind(n, normal);
}

// ---------------------------------------------------------------------------------------------------- neighbourhood

static double vertex_score(const sp_collider *c, uint32_t vertex, double t, const double direction[3]) {
    double p[3], d[3], least = 1;
    sp__collider_at(c, vertex, t, p);
    for (int i = c->around.start[vertex]; i < c->around.start[vertex + 1]; i++) {
        const uint32_t *corner = sp__collider_item(c, (uint32_t)c->around.face[i]);
        for (int k = 0; k < c->corners; k++) {
            if (corner[k] == vertex) continue;
            sp__collider_at(c, corner[k], t, d);
            sp__sub3(d, p, d);
            double length = sp__norm3(d), sine = length > 0 ? sp__dot3(d, direction) / length : 1;
            least = sine < least ? sine : least;
        }
    }
    return least;
}

void sp__edge_scores(const sp_collider *c, uint32_t edge, double t, const double direction[3], double score[2]) {
    double p[3], e[3], d[3];
    const uint32_t *ends = sp__collider_edge(c, edge);
    sp__collider_at(c, ends[0], t, p), sp__collider_at(c, ends[1], t, e);
    sp__sub3(e, p, e);
    double square = sp__dot3(e, e);
    score[0] = score[1] = 1;
    for (int i = c->edges.first[edge]; i < c->edges.first[edge + 1]; i++) {
        int side = c->edges.sides[i];
        sp__collider_at(c, c->def.items[side - side % 3 + (side + 2) % 3], t, d);
        sp__sub3(d, p, d);
        double full = sp__dot3(d, d);
        if (square > 0) sp__axpy3(d, -sp__dot3(d, e) / square, e, d);
        double height = sp__dot3(d, d);
        if (!(height > 1e-24 * full)) continue;
        double sine = sp__dot3(d, direction) / sqrt(height);
        score[0] = sine < score[0] ? sine : score[0], score[1] = -sine < score[1] ? -sine : score[1];
    }
}

static double edge_score(const sp_collider *c, uint32_t edge, double t, const double direction[3]) {
    double score[2];
    sp__edge_scores(c, edge, t, direction, score);
    return score[0];
}

double sp__feature_score(const sp_collider *c, sp_feature feature, uint32_t index, double t, const double direction[3]) {
    if (feature == SP_FEATURE_VERTEX) return vertex_score(c, index, t, direction);
    return feature == SP_FEATURE_EDGE && c->corners == 3 ? edge_score(c, index, t, direction) : 1;
}

// ---------------------------------------------------------------------------------------------------- contacts

void sp__touch_at(const sp_collider *c, const sp_touch *f, double t, double out[3]) {
    double p[3];
    out[0] = out[1] = out[2] = 0;
    for (int i = 0; i < f->count; i++) {
        sp__collider_at(c, f->vertex[i], t, p);
        sp__axpy3(out, f->weight[i], p, out);
    }
}

double sp__touch_radius(const sp_collider *c, const sp_touch *f) {
    double r = c->def.radius;
    if (!c->def.radii) return r;
    r = 0;
    for (int i = 0; i < f->count; i++) r += f->weight[i] * c->def.radii[f->vertex[i]];
    return r;
}

static void side_fill(const sp_collider *c, const sp_touch *f, const double normal[3], double offset, sp_contact_side *out) {
    bool shape = sp__collider_is_shape(c);
    *out =
        (sp_contact_side){.collider = c->def.id, .feature = shape ? SP_FEATURE_SHAPE : f->feature, .count = shape ? 0 : f->count};
    out->index = shape ? 0 : f->index;
    for (int i = 0; i < out->count; i++) out->vertex[i] = f->vertex[i], out->weight[i] = f->weight[i];
    sp__touch_at(c, f, 0, out->point);
    sp__axpy3(out->point, offset, normal, out->point);
}

sp_contact_made *sp__contact_make(const sp_narrow *n, const sp_touch *a, const sp_touch *b, const double normal[3], double time,
                                  int source) {
    double radius_a = sp__touch_radius(n->a, a), radius_b = sp__touch_radius(n->b, b), distance[2], p[3], q[3];
    for (int s = 0; s < 2; s++) {
        sp__touch_at(n->a, a, s, p), sp__touch_at(n->b, b, s, q);
        sp__sub3(p, q, p);
        distance[s] = sp__dot3(normal, p) - radius_a - radius_b;
    }
    if (time > 0 && distance[0] < -SP_CROSS_BACK * n->pair->rule.alarm) return NULL;
    sp_contact_made *m = sp__block_next(&n->set->contacts, n->own);
    if (!m) return NULL;
    sp_contact_found *out = &m->found;
    m->pair = n->pair_number, m->source = source, m->flat = false;
    side_fill(n->a, a, normal, -radius_a, &out->a);
    side_fill(n->b, b, normal, radius_b, &out->b);
    // the feature inside a shape: keys of a capsule differ by what of it is touched
    out->key[0] = sp__contact_key(n->a->def.id, a->feature, a->index);
    out->key[1] = sp__contact_key(n->b->def.id, b->feature, b->index);
    memcpy(out->normal, normal, sizeof out->normal);
    out->time = time, out->distance0 = distance[0], out->distance1 = distance[1];
    return m;
}

double sp__first_time(double (*f)(const void *user, double t), const void *user, int samples) {
    double from = 0, to = INFINITY;
    for (int i = 1; i <= samples; i++) {
        double t = (double)i / samples;
        if (f(user, t) <= 0) {
            to = t;
            break;
        }
        from = t;
    }
    // 40 halvings of a step of 1: 1e-12
    for (int i = 0; i < 40 && to < INFINITY; i++) {
        double middle = 0.5 * (from + to);
        if (f(user, middle) <= 0) {
            to = middle;
        } else {
            from = middle;
        }
    }
    return to;
}
