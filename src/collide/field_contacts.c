// Contacts of vertices, edges and faces of a collider with the distance field of another one.
//
// Everything is in the frame of the field, where a vertex moves on the straight line between its places at the two states. The
// gap of a point is the value of the field there (negative inside, or outside where the field is a vessel) minus the radius; the
// normal is the gradient.
//
//   vertex   one contact within alarm at the committed state; else where it first touches; else within alarm at the free state.
//            A vertex that slides along one wall into another has a second one
//   edge     where the field rises above the line between its ends: a local minimum of the gap inside the edge
//   face     the same inside the face (Macklin et al. 2020: local optimisation of a distance field over each element)
//
// Edges and faces with sides below half a cell of the field make none: the field rises above them by less than its own error.
//
// Motion between the states is followed by conservative advancement (Mirtich 1996): no part of a feature moves farther than the
// distance that sp__distance_field_bound leaves free. Edges and faces are halved where the bound of their middle is too coarse
// (a branch and bound search of the first time), so that nothing is passed within the depth of the stack.
#include "collide/collide_internal.h"

enum {
    PIECES = 64,         // of an edge or a face on the stack
    SWEEP_LIMIT = 2000,  // evaluations of a sweep; then the time reached is that of the contact
    SLIDE_LIMIT = 64,    // steps of a vertex along a wall
    SAMPLES = 8,         // along an edge of a face, at most
    EDGE_SAMPLES = 32,   // along an edge, at most
    EDGE_CONTACTS = 4,   // of one edge, at most
    HALVINGS = 12,       // of the search for a minimum
};
#define DIP 0.05     // part of alarm by which the field must rise above the corners of an edge or a face to touch it
#define TOUCH 0.001  // part of alarm: a gap that counts as touching
#define PIECE 0.1    // part of alarm: pieces of an edge or face are not halved below this size
#define FINE 0.5     // of a cell: shorter edges, and faces whose sides are shorter, have no contacts of their own
#define WITHIN 0.02  // weight of a corner below which a minimum of a face is on the edge opposite to it

typedef struct field_search {
    const sp_narrow *n;
    bool of_b;                     // the features are of b
    const sp_collider *c, *other;  // of the features; with the field
    double sign;                   // -1: the solid is where the field is positive
    double alarm, depth;
} field_search;

// A vertex, an edge or a face in the frame of the field.
typedef struct field_part {
    sp_feature feature;
    uint32_t index, vertex[3];
    int count;
    double p[2][3][3];  // corners at the two states
    double radius[3];
    double path;  // the longest way of a corner
} field_part;

// ---------------------------------------------------------------------------------------------------- frames

static void into_frame(const sp_collider_frame *f, const double x[3], double out[3]) {
    double d[3];
    sp__sub3(x, f->at, d);
    sp__mul3t(f->R, d, out);
}

static void out_of_frame(const sp_collider_frame *f, const double x[3], double out[3]) {
    double d[3];
    sp__mul3(f->R, x, d);
    sp__axpy3(f->at, 1, d, out);
}

static double apart(const double a[3], const double b[3]) {
    double d[3];
    sp__sub3(a, b, d);
    return sp__norm3(d);
}

static void part_make(const field_search *s, sp_feature feature, uint32_t index, const uint32_t *vertex, int count,
                      field_part *out) {
    *out = (field_part){.feature = feature, .index = index, .count = count};
    for (int i = 0; i < count; i++) {
        out->vertex[i] = vertex[i], out->radius[i] = sp__collider_radius(s->c, vertex[i]) + s->other->def.radius;
        for (int k = 0; k < 2; k++) into_frame(&s->other->frame[k], s->c->x[k] + 3 * (size_t)vertex[i], out->p[k][i]);
        out->path = fmax(out->path, apart(out->p[0][i], out->p[1][i]));
    }
}

static void part_at(const field_part *p, const double w[3], double t, double x[3]) {
    x[0] = x[1] = x[2] = 0;
    for (int i = 0; i < p->count; i++) {
        sp__axpy3(x, (1 - t) * w[i], p->p[0][i], x);
        sp__axpy3(x, t * w[i], p->p[1][i], x);
    }
}

static double part_radius(const field_part *p, const double w[3]) {
    double r = 0;
    for (int i = 0; i < p->count; i++) r += w[i] * p->radius[i];
    return r;
}

static double part_gap(const field_search *s, const field_part *p, const double w[3], double t, double gradient[3]) {
    double x[3];
    part_at(p, w, t, x);
    double value = sp__distance_field_at(s->other->def.field, x, gradient);
    for (int k = 0; k < 3 && gradient; k++) gradient[k] *= s->sign;
    return s->sign * value - part_radius(p, w);
}

// ---------------------------------------------------------------------------------------------------- contacts

typedef struct field_hit {
    double w[3], time, gap;
    double normal[3], foot[3];  // unit; the touched point of the other body: in the frame of the field
} field_hit;

static void hit_at(const field_search *s, const field_part *p, const double w[3], double t, field_hit *h) {
    memcpy(h->w, w, sizeof h->w);
    h->time = t, h->gap = part_gap(s, p, w, t, h->normal);
    double length = sp__norm3(h->normal);
    for (int k = 0; k < 3; k++) h->normal[k] = length > 0 ? h->normal[k] / length : k == 2;
    part_at(p, w, t, h->foot);
    sp__axpy3(h->foot, -(h->gap + part_radius(p, w)), h->normal, h->foot);
}

// The normal at the time of the contact, between the two frames.
static void hit_normal(const field_search *s, const field_hit *h, double out[3]) {
    double n[2][3];
    for (int k = 0; k < 2; k++) sp__mul3(s->other->frame[k].R, h->normal, n[k]);
    for (int k = 0; k < 3; k++) out[k] = (1 - h->time) * n[0][k] + h->time * n[1][k];
    double length = sp__norm3(out);
    for (int k = 0; k < 3; k++) out[k] /= length;
}

static void side_of_part(const field_search *s, const field_part *p, const field_hit *h, const double normal[3],
                         sp_contact_side *out) {
    bool shape = sp__collider_is_shape(s->c);
    double x[3] = {0};
    for (int i = 0; i < p->count; i++) sp__axpy3(x, h->w[i], s->c->x[0] + 3 * (size_t)p->vertex[i], x);
    *out = (sp_contact_side){.collider = s->c->def.id, .feature = shape ? SP_FEATURE_SHAPE : p->feature};
    out->index = shape ? 0 : p->index, out->count = shape ? 0 : p->count;
    for (int i = 0; i < out->count; i++) out->vertex[i] = p->vertex[i], out->weight[i] = h->w[i];
    sp__axpy3(x, -(part_radius(p, h->w) - s->other->def.radius), normal, out->point);
}

static void contact_make(const field_search *s, const field_part *p, const field_hit *h, uint32_t number) {
    const sp_collider *o = s->other;
    const double radius = part_radius(p, h->w);
    double normal[3], x[3], at[3], d[3];
    sp_contact_made *m = sp__block_next(&s->n->set->contacts, s->n->own);
    if (!m) return;
    hit_normal(s, h, normal);
    sp_contact_side own, other = {.collider = o->def.id, .feature = SP_FEATURE_SHAPE};
    side_of_part(s, p, h, normal, &own);
    *m = (sp_contact_made){.pair = s->n->pair_number};
    sp_contact_found *out = &m->found;
    for (int k = 0; k < 2; k++) {
        x[0] = x[1] = x[2] = 0;
        for (int i = 0; i < p->count; i++) sp__axpy3(x, h->w[i], s->c->x[k] + 3 * (size_t)p->vertex[i], x);
        out_of_frame(&o->frame[k], h->foot, at);
        if (k == 0) sp__axpy3(at, o->def.radius, normal, other.point);
        sp__sub3(x, at, d);
        *(k ? &out->distance1 : &out->distance0) = sp__dot3(normal, d) - radius;
    }
    uint64_t keys[2] = {sp__contact_key(s->c->def.id, p->feature, p->index),
                        sp__contact_key(o->def.id, SP_FEATURE_SHAPE, number)};
    out->key[0] = keys[s->of_b], out->key[1] = keys[!s->of_b];
    out->time = h->time, out->a = s->of_b ? other : own, out->b = s->of_b ? own : other;
    for (int k = 0; k < 3; k++) out->normal[k] = s->of_b ? -normal[k] : normal[k];
}

// A contact at a gap is none if the surface of the feature itself leads towards the other body, or looks away from it.
static bool hit_is_refused(const field_search *s, const field_part *p, const field_hit *h) {
    double normal[3];
    if (!(h->gap > 0)) return false;
    hit_normal(s, h, normal);
    return (p->feature == SP_FEATURE_VERTEX && sp__feature_score(s->c, p->feature, p->index, h->time, normal) < SP_CONE_VERTEX) ||
           sp__feature_is_behind(s->c, p->feature, p->index, h->time, normal);
}

static bool hit_is_near(const field_search *s, const field_part *p, const field_hit *h) {
    return h->gap <= s->alarm && h->gap + part_radius(p, h->w) >= -s->depth && !hit_is_refused(s, p, h);
}

// ---------------------------------------------------------------------------------------------------- sweeps

typedef struct field_piece {
    double w[3][3];  // its corners, in weights of the part
    double t;
} field_piece;

static void piece_middle(const field_part *p, const field_piece *piece, double w[3]) {
    w[0] = w[1] = w[2] = 0;
    for (int i = 0; i < p->count; i++) sp__axpy3(w, 1.0 / p->count, piece->w[i], w);
}

// distance of the farthest corner from the middle at a time
static double piece_size(const field_part *p, const field_piece *piece, const double middle[3], double t) {
    double x[3], y[3], most = 0;
    part_at(p, middle, t, x);
    for (int i = 0; i < p->count; i++) {
        part_at(p, piece->w[i], t, y);
        most = fmax(most, apart(x, y));
    }
    return most;
}

// two halves of a piece, across its longest side
static void piece_halve(const field_part *p, const field_piece *piece, field_piece half[2]) {
    int a = 0, b = 1;
    double most = -1, x[3][3];
    for (int i = 0; i < p->count; i++) part_at(p, piece->w[i], piece->t, x[i]);
    for (int i = 0; i < p->count; i++)
        for (int j = i + 1; j < p->count; j++)
            if (apart(x[i], x[j]) > most) most = apart(x[i], x[j]), a = i, b = j;
    for (int k = 0; k < 3; k++) {
        double middle = 0.5 * (piece->w[a][k] + piece->w[b][k]);
        half[0].w[b][k] = half[1].w[a][k] = middle;
    }
}

// Moves a piece on in time as far as nothing of it can touch. True: it ends there, before 1; *size: of the piece.
static bool piece_advance(const field_search *s, const field_part *p, field_piece *piece, double *size, int *spent) {
    double middle[3], x[3];
    piece_middle(p, piece, middle);
    const double radius = part_radius(p, middle), last = p->count > 1 ? piece_size(p, piece, middle, 1) : 0;
    for (;;) {
        // corners move on straight lines: their distance from the middle is largest at an end of the time
        *size = p->count > 1 ? fmax(piece_size(p, piece, middle, piece->t), last) : 0;
        part_at(p, middle, piece->t, x);
        const double free = sp__distance_field_bound(s->other->def.field, x, s->sign, radius) - *size;
        if (!(free > TOUCH * s->alarm) || ++*spent > SWEEP_LIMIT) return true;
        piece->t += free / p->path;
        if (!(piece->t < 1)) return false;
    }
}

// The first time when some point of a part touches the field; false: none does until 1. The time is early, by TOUCH alarm of its
// motion at most for a vertex, and about PIECE alarm for what is halved. Of all pieces the earliest is looked at first.
static bool part_sweep(const field_search *s, const field_part *p, double *time, double w[3]) {
    field_piece stack[PIECES] = {{.w = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    double sizes[PIECES];
    int count = 0, spent = 0;
    if (piece_advance(s, p, &stack[0], &sizes[0], &spent)) count = 1;
    while (count > 0) {
        int first = 0;
        for (int i = 1; i < count; i++)
            if (stack[i].t < stack[first].t) first = i;
        const field_piece now = stack[first];
        const double size = sizes[first];
        if (!(size > PIECE * s->alarm) || count == PIECES || spent > SWEEP_LIMIT) {
            *time = now.t;
            piece_middle(p, &now, w);
            return true;
        }
        stack[first] = stack[--count], sizes[first] = sizes[count];
        field_piece half[2] = {now, now};
        piece_halve(p, &now, half);
        for (int i = 0; i < 2; i++)
            if (piece_advance(s, p, &half[i], &sizes[count], &spent)) stack[count++] = half[i];
    }
    return false;
}

// whether a part can touch the field at all: nothing of it comes nearer than alarm
static bool part_is_far(const field_search *s, const field_part *p) {
    const double middle[3] = {1.0 / p->count, p->count > 1 ? 1.0 / p->count : 0, p->count > 2 ? 1.0 / p->count : 0};
    double x[3], size = 0, radius = 0;
    part_at(p, middle, 0, x);
    for (int i = 0; i < p->count; i++) size = fmax(size, apart(x, p->p[0][i])), radius = fmax(radius, p->radius[i]);
    return sp__distance_field_bound(s->other->def.field, x, s->sign, radius) > size + p->path + s->alarm;
}

// ---------------------------------------------------------------------------------------------------- vertices

// distance of a point above the plane of a contact
static double plane_gap(const field_part *p, const field_hit *plane, const double x[3]) {
    double d[3];
    sp__sub3(x, plane->foot, d);
    return sp__dot3(plane->normal, d) - p->radius[0];
}

// The way that contacts leave to a vertex: its own, moved out of their half-spaces one after the other.
static void vertex_way(const field_part *p, const field_hit *planes, int count, double to[3]) {
    memcpy(to, p->p[1][0], 3 * sizeof *to);
    for (int round = 0; round < 2 * count; round++)
        for (int i = 0; i < count; i++) {
            double gap = plane_gap(p, &planes[i], to), least = fmin(plane_gap(p, &planes[i], p->p[0][0]), 0);
            if (gap < least) sp__axpy3(to, least - gap, planes[i].normal, to);
        }
}

// A vertex that touches one wall may slide into another one: along the way that its contacts leave it, the gap becomes smaller
// than these know.
static bool vertex_slides(const field_search *s, const field_part *p, const field_hit *planes, int count, field_hit *h) {
    const double w[3] = {1, 0, 0}, start = part_gap(s, p, w, 0, NULL), limit = fmin(start, 0) - DIP * s->alarm;
    field_part slide = *p;
    vertex_way(p, planes, count, slide.p[1][0]);
    const double length = apart(slide.p[0][0], slide.p[1][0]), step = fmax(0.25 * s->alarm, length / SLIDE_LIMIT);
    for (double gone = 0; length > 0; gone = fmin(gone, length)) {
        double x[3], known = INFINITY;
        hit_at(s, &slide, w, gone / length, h);
        part_at(&slide, w, gone / length, x);
        for (int i = 0; i < count; i++) known = fmin(known, plane_gap(p, &planes[i], x));
        if (h->gap < limit && known > h->gap + DIP * s->alarm) return true;
        if (gone >= length) break;
        gone += fmax(sp__distance_field_bound(s->other->def.field, x, s->sign, p->radius[0]), step);
    }
    return false;
}

// Number of a contact of a vertex: the direction of its normal, one of 54 parts of a cube around it. So the walls of a corner
// have keys of their own, also if they are found in different searches.
static uint32_t normal_number(const double n[3]) {
    int most = fabs(n[0]) >= fabs(n[1]) && fabs(n[0]) >= fabs(n[2]) ? 0 : fabs(n[1]) >= fabs(n[2]) ? 1 : 2, part[2];
    for (int k = 0; k < 2; k++) {
        double at = n[(most + 1 + k) % 3] / fabs(n[most]);
        part[k] = at < -1.0 / 3 ? 0 : at < 1.0 / 3 ? 1 : 2;
    }
    return (uint32_t)(9 * (2 * most + (n[most] < 0)) + 3 * part[0] + part[1]);
}

// Inside, farther from the surface than `depth`: the bound says so where the distance would have to be searched in the triangles.
static bool vertex_is_deep(const field_search *s, const field_part *p) {
    const double bound = sp__distance_field_bound(s->other->def.field, p->p[0][0], -s->sign, 0);
    return bound > s->depth + sp__distance_field_error(s->other->def.field);
}

static void field_vertex(const field_search *s, uint32_t vertex) {
    enum { WALLS = 4, NORMALS = 54 };
    const double w[3] = {1, 0, 0};
    field_part p;
    field_hit h[WALLS];
    uint32_t number[WALLS];
    double t, at[3];
    int count = 1;
    part_make(s, SP_FEATURE_VERTEX, vertex, &vertex, 1, &p);
    if (part_is_far(s, &p) || vertex_is_deep(s, &p)) return;
    hit_at(s, &p, w, 0, &h[0]);
    if (h[0].gap + p.radius[0] < -s->depth) return;
    bool near = h[0].gap <= s->alarm, used = near && hit_is_near(s, &p, &h[0]);
    if (!near && s->n->moves && (near = part_sweep(s, &p, &t, at))) hit_at(s, &p, w, t, &h[0]), used = true;
    if (!near && s->n->moves) hit_at(s, &p, w, 1, &h[0]), used = hit_is_near(s, &p, &h[0]);
    while (near && s->n->moves && count < WALLS && vertex_slides(s, &p, h, count, &h[count])) count++;
    for (int i = 0; i < count; i++) {
        number[i] = normal_number(h[i].normal);
        for (int j = 0; j < i; j++)
            if (number[j] == number[i]) number[i] += NORMALS, j = -1;
        if (i > 0 || used) contact_make(s, &p, &h[i], number[i]);
    }
}

// ---------------------------------------------------------------------------------------------------- edges and faces

// Moves weights to a local minimum of the gap: exchanges weight between corners while that is less, then by half as much.
static double part_descend(const field_search *s, const field_part *p, double t, double step, double w[3]) {
    double least = part_gap(s, p, w, t, NULL);
    for (int round = 0; round < HALVINGS; round++, step *= 0.5)
        for (bool moved = true; moved;) {
            moved = false;
            for (int i = 0; i < p->count && !moved; i++)
                for (int j = 0; j < p->count && !moved; j++) {
                    double to[3] = {w[0], w[1], w[2]}, part = fmin(step, w[j]);
                    if (i == j || !(part > 0)) continue;
                    to[i] += part, to[j] -= part;
                    double gap = part_gap(s, p, to, t, NULL);
                    if (!(gap < least)) continue;
                    least = gap, moved = true;
                    memcpy(w, to, sizeof to);
                }
        }
    return least;
}

// how far the field rises above the plane through the corners
static double part_rise(const field_search *s, const field_part *p, const double w[3], double t, double gap) {
    static const double corner[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double chord = 0;
    for (int i = 0; i < p->count; i++)
        if (w[i] > 0) chord += w[i] * part_gap(s, p, corner[i], t, NULL);
    return chord - gap;
}

// The local minimum next to w is a contact of the part itself, not of its corners or edges.
static bool part_touches(const field_search *s, const field_part *p, double t, double step, double w[3], field_hit *h) {
    part_descend(s, p, t, step, w);
    for (int i = 0; i < p->count; i++)
        if (w[i] < WITHIN) return false;
    hit_at(s, p, w, t, h);
    return hit_is_near(s, p, h) && part_rise(s, p, w, t, h->gap) > DIP * s->alarm;
}

static int sample_count(const field_search *s, double length, int most) {
    double wanted = ceil(length / sp__distance_field_cell(s->other->def.field));
    return wanted < 2 ? 2 : wanted < most ? (int)wanted : most;
}

// contacts of an edge at a state; returns their number
static int edge_at(const field_search *s, const field_part *p, double t) {
    const int n = sample_count(s, apart(p->p[0][0], p->p[0][1]), EDGE_SAMPLES);
    double gap[EDGE_SAMPLES + 1];
    int made = 0;
    for (int i = 0; i <= n; i++) gap[i] = part_gap(s, p, (double[3]){1 - (double)i / n, (double)i / n, 0}, t, NULL);
    for (int i = 1; i < n && made < EDGE_CONTACTS; i++) {
        field_hit h;
        double w[3] = {1 - (double)i / n, (double)i / n, 0};
        if (!(gap[i] <= gap[i - 1] && gap[i] < gap[i + 1]) && !(n == 2)) continue;
        if (part_touches(s, p, t, 0.5 / n, w, &h)) contact_make(s, p, &h, (uint32_t)made++);
    }
    return made;
}

static int face_at(const field_search *s, const field_part *p, double t) {
    const int n = 1 + sample_count(s, fmax(apart(p->p[0][0], p->p[0][1]), apart(p->p[0][0], p->p[0][2])), SAMPLES);
    double best[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3}, least = part_gap(s, p, best, t, NULL);
    for (int i = 1; i < n; i++)
        for (int j = 1; i + j < n; j++) {
            double w[3] = {(double)(n - i - j) / n, (double)i / n, (double)j / n}, gap = part_gap(s, p, w, t, NULL);
            if (gap < least) least = gap, memcpy(best, w, sizeof w);
        }
    field_hit h;
    if (!part_touches(s, p, t, 0.5 / n, best, &h)) return 0;
    contact_make(s, p, &h, 0);
    return 1;
}

// The slope of the field changes by about 2 over a cell at most, where its surface is a knife. With sides of the length L it
// rises above an edge by L^2 / 4 cell and above a face by L^2 / 3 cell at most: a sixteenth and a twelfth of a cell, which is
// less than it differs from the triangles there.
static bool part_is_fine(const field_search *s, const field_part *p) {
    const double most = FINE * sp__distance_field_cell(s->other->def.field);
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < 2; k++)
            if (apart(p->p[k][i], p->p[k][(i + 1) % p->count]) > most) return false;
    return true;
}

// An edge or a face: at the committed state; where it first touches; at the free state.
static void field_part_contacts(const field_search *s, const field_part *p,
                                int (*at)(const field_search *, const field_part *, double)) {
    double t, w[3];
    field_hit h;
    if (part_is_fine(s, p) || part_is_far(s, p) || at(s, p, 0) > 0 || !s->n->moves) return;
    // within alarm the two states are enough
    if (p->path > s->alarm && part_sweep(s, p, &t, w) && part_touches(s, p, t, PIECE, w, &h)) {
        contact_make(s, p, &h, 0);
        return;
    }
    at(s, p, 1);
}

static void field_edge(const field_search *s, uint32_t edge) {
    field_part p;
    part_make(s, SP_FEATURE_EDGE, edge, sp__collider_edge(s->c, edge), 2, &p);
    field_part_contacts(s, &p, edge_at);
}

static void field_face(const field_search *s, uint32_t item) {
    field_part p;
    part_make(s, SP_FEATURE_FACE, item, sp__collider_item(s->c, item), 3, &p);
    field_part_contacts(s, &p, face_at);
}

static field_search search_of(const sp_collide *set, const sp_collide_pair *p, bool of_b) {
    const sp_collider *c = &set->colliders[of_b ? p->b : p->a], *other = &set->colliders[of_b ? p->a : p->b];
    return (field_search){.of_b = of_b,
                          .c = c,
                          .other = other,
                          .sign = other->def.side == SP_SIDE_INSIDE ? -1 : 1,
                          .alarm = p->rule.alarm,
                          .depth = p->rule.depth};
}

void sp__narrow_field(const sp_narrow *n, bool of_b, uint32_t item) {
    field_search s = search_of(n->set, n->pair, of_b);
    const unsigned owned = s.c->owned[item];
    s.n = n;
    for (int k = 0; k < s.c->corners; k++)
        if (owned >> k & 1) field_vertex(&s, sp__collider_item(s.c, item)[k]);
    // of two fields, edges and faces of one of the bodies are enough
    if (s.c->corners < 2 || (of_b && n->pair->in_field[0])) return;
    for (int k = 0; k < 3; k++)
        if (owned >> (3 + k) & 1)
            field_edge(&s, s.c->corners == 3 ? (uint32_t)s.c->edges.of[3 * (size_t)item + (size_t)k] : item);
    if (s.c->corners == 3) field_face(&s, item);
}

// ---------------------------------------------------------------------------------------------------- candidates

// How far a point at x, and within `size` of it, is moved in the frame of the field by the motion of the field alone.
static double frame_motion(const sp_collider *other, const double x[3], double size) {
    const sp_collider_frame *f = other->frame;
    double p[2][3], turn = 0;
    for (int k = 0; k < 2; k++) into_frame(&f[k], x, p[k]);
    for (int i = 0; i < 9; i++) turn += (f[1].R[i] - f[0].R[i]) * (f[1].R[i] - f[0].R[i]);
    return apart(p[0], p[1]) + sqrt(turn) * size;
}

// Nothing in a ball comes near the surface of the field between the states.
static bool ball_is_far(const field_search *s, const double x[3], double size, double radius) {
    double p[3], reach = fmax(s->alarm, s->depth) + radius + s->other->def.radius;
    into_frame(&s->other->frame[0], x, p);
    size += frame_motion(s->other, x, size);
    // of the distance to the surface, from either side
    double bound = sp__distance_field_bound(s->other->def.field, p, 1, 0);
    if (!(bound > 0)) bound = sp__distance_field_bound(s->other->def.field, p, -1, 0);
    return bound > size + reach + sp__distance_field_error(s->other->def.field);
}

static void ball_of_box(const double low[3], const double high[3], double x[3], double *size) {
    for (int k = 0; k < 3; k++) x[k] = 0.5 * (low[k] + high[k]);
    *size = 0.5 * apart(low, high) * (1 + 1e-6);
}

static void item_candidate(sp_collide *set, const field_search *s, int pair, uint32_t item, sp_block *own) {
    double x[3], size;
    const sp_swept_box box = sp__item_box(s->c, item);
    ball_of_box(box.low, box.high, x, &size);
    if (ball_is_far(s, x, size, s->c->radius)) return;
    sp_record *r = sp__block_next(&set->candidates, own);
    if (r)
        *r = (sp_record){(uint64_t)pair << SP_CANDIDATE_BITS | (s->of_b ? SP_CANDIDATE_FIELD_B : SP_CANDIDATE_FIELD_A),
                         (uint64_t)item << 32, 0};
}

static void side_candidates(sp_collide *set, const field_search *s, int pair, sp_block *own) {
    const sp_bvh *t = &s->c->tree;
    int stack[SP_BVH_LEVELS + 4], top = 0;
    stack[top++] = 0;
    while (top > 0) {
        int node = stack[--top];
        double low[3], high[3], x[3], size;
        for (int k = 0; k < 3; k++) {
            low[k] = set->origin[k] + (double)t->nodes[node].low[k];
            high[k] = set->origin[k] + (double)t->nodes[node].high[k];
        }
        if (low[0] > high[0]) continue;  // an empty leaf
        ball_of_box(low, high, x, &size);
        if (ball_is_far(s, x, size, s->c->radius)) continue;
        if (node < t->leaves - 1) {
            stack[top++] = 2 * node + 2, stack[top++] = 2 * node + 1;
            continue;
        }
        int first = (node - t->leaves + 1) * SP_BVH_LEAF;
        for (int i = first; i < first + SP_BVH_LEAF && i < s->c->def.item_count; i++)
            item_candidate(set, s, pair, (uint32_t)t->order[i], own);
    }
}

void sp__broad_field(sp_collide *set, int pair, bool tree) {
    sp_block own = {0};
    for (int side = 0; side < 2; side++) {
        if (!set->pairs[pair].in_field[side]) continue;
        const field_search s = search_of(set, &set->pairs[pair], side == 1);
        if (tree) side_candidates(set, &s, pair, &own);
        for (uint32_t i = 0; !tree && i < (uint32_t)s.c->def.item_count; i++) item_candidate(set, &s, pair, i, &own);
    }
    sp__block_close(&set->candidates, &own);
}
