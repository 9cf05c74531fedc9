// From the surfaces of the bodies to contacts: colliders that follow them, rules of pairs, frames, material points, violations.
#include "contact/constraints_internal.h"
#include "util/sort.h"

// ---------------------------------------------------------------------------------------------------- colliders

static uint32_t collider_id(const sp_body *b, int part) {
    return b->id.slot << 8 | (uint32_t)part;
}

static sp_constraint_collider *collider_find(sp_constraints *c, const sp_body *b, int shape, const sp_surface *surface) {
    for (int i = 0; i < c->collider_count; i++) {
        sp_constraint_collider *k = &c->colliders[i];
        if (k->body == b && k->surface == surface && k->shape == shape && (!surface || k->revision == surface->revision))
            return k;
    }
    return NULL;
}

// mean edge of the faces of a surface
static double surface_edge(const sp_surface *s, const double *x) {
    double sum = 0, d[3];
    for (int f = 0; f < s->face_count; f++)
        for (int i = 0; i < 3; i++) {
            sp__sub3(x + 3 * (size_t)s->faces[3 * f + i], x + 3 * (size_t)s->faces[3 * f + (i + 1) % 3], d);
            sum += sp__norm3(d);
        }
    return s->face_count ? sum / (3.0 * s->face_count) : INFINITY;
}

// What a centreline resolves: its smallest radius, or its segments where they are shorter.
static double line_size(const sp_surface *s) {
    double least = INFINITY, sum = 0;
    for (int i = 0; i < s->vertex_count; i++) least = fmin(least, s->radii[i]);
    for (int i = 0; i < s->segment_count; i++) sum += s->arc[s->segments[2 * i + 1]] - s->arc[s->segments[2 * i]];
    return fmin(least, sum / s->segment_count);
}

// An eighth of an edge is finer than what a surface resolves.
static const double alarm_share = 0.125;
// Sizes of copies of a body differ by rounding: within this share they are one, the smallest of them.
static const double same_size = 1e-6;

static double size_at(const sp_constraints *c, int i) {
    double size;
    memcpy(&size, &c->sizes[i], sizeof size);
    return size;
}

// The sizes of colliders that can move, each of them once, ascending.
static sp_status find_sizes(sp_constraints *c, int *count) {
    int n = 0;
    SP_TRY(ROOM(c, c->sizes, c->size_capacity, c->collider_count));
    for (int i = 0; i < c->collider_count; i++) {
        const sp_constraint_collider *k = &c->colliders[i];
        if (!sp__constraints_is_static(k->body) && isfinite(k->size)) memcpy(&c->sizes[n++], &k->size, sizeof *c->sizes);
    }
    sp__sort_keys(c->sizes, n);  // positive numbers have the order of their bits
    *count = 0;
    for (int i = 0; i < n; i++)
        if (!*count || size_at(c, i) > (1 + same_size) * size_at(c, *count - 1)) c->sizes[(*count)++] = c->sizes[i];
    return SP_OK;
}

static sp_status find_alarms(sp_constraints *c) {
    int count;
    SP_TRY(find_sizes(c, &count));
    c->alarm[0] = c->alarm[1] = 0;
    for (int i = 0; i < c->collider_count; i++) {
        sp_constraint_collider *k = &c->colliders[i];
        k->alarm = INFINITY;
        if (sp__constraints_is_static(k->body) || !isfinite(k->size)) continue;
        int at = count - 1;
        while (size_at(c, at) > k->size) at--;
        k->alarm = alarm_share * size_at(c, at);
    }
    if (count > 0) c->alarm[0] = alarm_share * size_at(c, 0), c->alarm[1] = alarm_share * size_at(c, count - 1);
    return SP_OK;
}

// The alarm distance of a pair that nobody gives: a share of the smaller size of those of the two that can move. One of a rod
// with a solid is that of the rod, and two solids do not depend on rods beside them.
static double auto_alarm(const sp_constraint_collider *a, const sp_constraint_collider *b) {
    const double least = fmin(a->alarm, b->alarm);
    return isfinite(least) ? least : 0;
}

// Drops the collider of an older revision of a surface, which has the same number. Returns the place of the new one: colliders
// stay in the order of the bodies, as they are in a world that has seen this revision only.
static int collider_drop_old(sp_constraints *c, uint32_t id, bool distance) {
    int i = 0;
    while (i < c->collider_count && (c->colliders[i].id != id || (c->colliders[i].index >= 0) != distance)) i++;
    if (i == c->collider_count) return i;
    sp__constraints_free_collider(c, &c->colliders[i]);
    c->collider_count--;
    memmove(&c->colliders[i], &c->colliders[i + 1], (size_t)(c->collider_count - i) * sizeof *c->colliders);
    return i;
}

static sp_status collider_add(sp_constraints *c, sp_body *b, int part, const sp_surface *surface, int shape, sp_collider_def def,
                              bool distance) {
    SP_TRY(ROOM(c, c->colliders, c->collider_capacity, c->collider_count + 1));
    sp_constraint_collider k = {
        .body = b, .surface = surface, .revision = surface ? surface->revision : 0, .shape = shape, .seen = true};
    size_t n = 3 * (size_t)def.vertex_count;
    def.id = k.id = collider_id(b, part), def.group = b->id.slot,
    def.flags = sp__constraints_is_static(b) ? SP_COLLIDER_STATIC : 0;
    if (!b->ops->shape) def.flags |= SP_COLLIDER_SOFT;
    if (def.rest) def.flags |= SP_COLLIDER_SELF;
    k.index = -1;
    const int place = collider_drop_old(c, k.id, distance);
    if (n && (!SP_NEW(c->ctx, k.x0, n) || !SP_NEW(c->ctx, k.x1, n))) {
        sp__free(c->ctx, k.x0);
        return SP_FAIL(c->ctx, SP_NO_MEMORY, "no memory for the collision surface of '%s'", b->name);
    }
    sp_status status = distance ? sp__collider_add(c->set, &def, &k.index) : SP_OK;
    if (status < 0) {
        sp__free(c->ctx, k.x0), sp__free(c->ctx, k.x1);
        return status;
    }
    c->info.grown = true;
    memmove(&c->colliders[place + 1], &c->colliders[place], (size_t)(c->collider_count++ - place) * sizeof *c->colliders);
    c->colliders[place] = k;
    return SP_OK;
}

static sp_status follow_shapes(sp_constraints *c, sp_body *b) {
    sp_body_shape at[2];
    for (int i = 0; b->ops->shape(b, SP_COMMITTED, i, &at[0]); i++) {
        sp_constraint_collider *k = collider_find(c, b, i, NULL);
        if (!k) {
            static const sp_collider_type types[] = {
                [SP_PLANE] = SP_COLLIDER_PLANE, [SP_SPHERE] = SP_COLLIDER_SPHERE, [SP_CAPSULE] = SP_COLLIDER_CAPSULE};
            SP_TRY(collider_add(c, b, i, NULL, i, (sp_collider_def){.type = types[at[0].type], .radius = at[0].radius},
                                c->has_distances));
            k = collider_find(c, b, i, NULL);
            k->size = at[0].radius > 0 ? at[0].radius : INFINITY;
        }
        b->ops->shape(b, SP_TRIAL, i, &at[1]);
        sp_shape_place place[2];
        for (int s = 0; s < 2; s++)
            memcpy(place[s].a, at[s].a, sizeof place[s].a), memcpy(place[s].b, at[s].b, sizeof place[s].b);
        if (k->index >= 0) sp__collider_move_shape(c->set, k->index, &place[0], &place[1]);
        memcpy(k->place, at, sizeof k->place);
        if (c->has_volumes) SP_TRY(sp__volumes_follow_shape(c, k, c->pixel));
        k->seen = true;
    }
    return SP_OK;
}

// Positions at rest, so that the mean edge does not depend on the state in which the surface was first seen. Kinds without a rest
// shape: the committed positions.
static const double *rest_positions(const sp_constraint_collider *k) {
    const sp_surface *s = k->surface;
    const bool rigid = k->body->ops->shape != NULL;
    if (!k->body->ops->rest_point && !rigid) return k->x0;
    for (int i = 0; i < s->vertex_count; i++) {
        double *x = k->x1 + 3 * (size_t)i;
        if (rigid)
            memcpy(x, s->anchors[i].offset, 3 * sizeof *x);
        else
            k->body->ops->rest_point(k->body, &s->anchors[i], x);
    }
    return k->x1;
}

// The frame of a rigid body: its origin, and where its axes lead.
static sp_collider_frame body_frame(sp_body *b, sp_which which) {
    sp_anchor at[4] = {{.body = b->id}, {.body = b->id}, {.body = b->id}, {.body = b->id}};
    sp_collider_frame f;
    double x[12];
    for (int k = 0; k < 3; k++) at[k + 1].offset[k] = 1;
    b->ops->points(b, which, 4, at, x, NULL);
    memcpy(f.at, x, sizeof f.at);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) f.R[3 * i + k] = x[3 * (k + 1) + i] - x[i];
    return f;
}

// Places the field of a surface; false: it has none, or it has moved since the last search.
static bool field_rests(sp_constraints *c, sp_body *b, sp_constraint_collider *k) {
    if (!k->surface->field) return false;
    const sp_collider_frame now[2] = {body_frame(b, SP_COMMITTED), body_frame(b, SP_TRIAL)};
    const bool rests = memcmp(now, k->frame, sizeof now) == 0;
    memcpy(k->frame, now, sizeof now);
    sp__collider_place_field(c->set, k->index, &k->frame[0], &k->frame[1]);
    return rests;
}

// A soft body that touches itself needs its positions at rest. Those of a centreline say how far apart its vertices are along
// the strand, which is all that matters there (collide/self.c).
static sp_status self_positions(sp_constraints *c, sp_body *b, const sp_surface *s, double **rest) {
    *rest = NULL;
    if (!(c->self || s->self) || b->ops->shape || !(b->ops->rest_point || s->segments)) return SP_OK;
    if (!SP_NEW(c->ctx, *rest, 3 * (size_t)s->vertex_count))
        return SP_FAIL(c->ctx, SP_NO_MEMORY, "no memory for the collision surface of '%s'", b->name);
    for (int i = 0; i < s->vertex_count; i++)
        if (s->segments)
            (*rest)[3 * (size_t)i] = s->arc[i];
        else
            b->ops->rest_point(b, &s->anchors[i], *rest + 3 * (size_t)i);
    return SP_OK;
}

// A body that touches itself and intersects itself where its contacts begin.
static sp_status check_folded(sp_constraints *c, const sp_constraint_collider *k) {
    enum { MOST = 1000 };
    int count;
    SP_TRY(sp__collider_intersections(c->set, k->index, MOST, &count));
    if (count > c->info.folded) c->info.folded = count, c->info.folded_body = k->body;
    return SP_OK;
}

// distance: contacts at a distance may touch it, otherwise volumes only
static sp_status follow_surface(sp_constraints *c, sp_body *b, int index, sp_surface *s, bool distance) {
    static const sp_collider_side sides[] = {
        [SP_SURFACE_OUTSIDE] = SP_SIDE_OUTSIDE, [SP_SURFACE_INSIDE] = SP_SIDE_INSIDE, [SP_SURFACE_BOTH] = SP_SIDE_BOTH};
    sp_constraint_collider *k = collider_find(c, b, -1, s);
    double *rest = NULL;
    if (!k) {
        int open = 0;
        if (s->faces) SP_TRY(sp__surface_prepare(c->ctx, s));  // the faces around a vertex
        if (c->has_volumes && s->faces) SP_TRY(sp__surface_open_edges(c->ctx, b, s, &open));
        if (distance) SP_TRY(self_positions(c, b, s, &rest));
        sp_collider_def def = {.type = s->field      ? SP_COLLIDER_FIELD
                                       : s->segments ? SP_COLLIDER_SEGMENTS
                                                     : SP_COLLIDER_TRIANGLES,
                               .side = sides[s->side],
                               .vertex_count = s->vertex_count,
                               .items = s->segments ? s->segments : s->faces,
                               .item_count = s->segments ? s->segment_count : s->face_count,
                               .radii = s->radii,
                               .field = s->field,
                               .rest = rest};
        sp_status status = collider_add(c, b, index, s, -1, def, distance);
        sp__free(c->ctx, rest);
        SP_TRY(status);
        k = collider_find(c, b, -1, s);
        k->volume = c->has_volumes && s->faces && open == 0, k->open = open;
    }
    k->seen = true;
    if (distance && field_rests(c, b, k)) return SP_OK;
    if (k->size == 0) {
        sp__surface_positions(b, s, SP_COMMITTED, k->x0, NULL, NULL);
        k->size = s->segments ? line_size(s) : surface_edge(s, rest_positions(k));
    }
    if (c->again && k->placed)
        sp__surface_positions(b, s, SP_TRIAL, k->x1, NULL, NULL);
    else
        sp__surface_motion(b, s, k->x0, k->x1);
    k->placed = true;
    if (distance) sp__collider_move(c->set, k->index, k->x0, k->x1);
    return rest ? check_folded(c, k) : SP_OK;
}

// Boundary 0 of a rod is its centreline for distances, and its triangles for volumes.
static sp_status follow_surfaces(sp_constraints *c, sp_body *b, int i) {
    sp_surface *s = b->surfaces[i], *line = i == 0 ? b->centreline : NULL;
    if (line && c->has_distances) SP_TRY(follow_surface(c, b, i, line, true));
    if (s->face_count == 0 || (line && !c->has_volumes)) return SP_OK;
    return follow_surface(c, b, i, s, c->has_distances && !line);
}

static sp_status follow_body(sp_constraints *c, sp_body *b, bool penalty) {
    sp_body_shape shape;
    if (!sp__body_takes_rows(b, penalty)) return SP_OK;
    if (b->ops->shape && b->ops->shape(b, SP_COMMITTED, 0, &shape)) return follow_shapes(c, b);
    for (int i = 0; i < b->surface_count; i++) {
        unsigned roles = i == 0 ? sp__boundary_roles(b) : b->surfaces[i]->roles;
        if (roles & SP_ROLE_COLLISION) SP_TRY(follow_surfaces(c, b, i));
    }
    return SP_OK;
}

static sp_status follow_bodies(sp_constraints *c, sp_body *const *bodies, int count, bool penalty) {
    for (int i = 0; i < c->collider_count; i++) c->colliders[i].seen = false;
    for (int i = 0; i < count; i++) SP_TRY(follow_body(c, bodies[i], penalty));
    int kept = 0;
    for (int i = 0; i < c->collider_count; i++) {
        if (c->colliders[i].seen)
            c->colliders[kept++] = c->colliders[i];
        else
            sp__constraints_free_collider(c, &c->colliders[i]);
    }
    c->collider_count = kept;
    return SP_OK;
}

static const sp_constraint_collider *collider_of(const sp_constraints *c, uint32_t id) {
    for (int i = 0; i < c->collider_count; i++)
        if (c->colliders[i].id == id) return &c->colliders[i];
    return NULL;
}

void sp__constraints_free_collider(sp_constraints *c, sp_constraint_collider *k) {
    if (k->index >= 0) sp__collider_remove(c->set, k->index);
    sp__free(c->ctx, k->x0), sp__free(c->ctx, k->x1), sp__free(c->ctx, k->triangles);
}

// ---------------------------------------------------------------------------------------------------- open surfaces

typedef struct open_search {
    sp_body *const *bodies;
    int count;
    const sp_pair_rules *rules;
    sp_contact_rule base;
} open_search;

// A collision surface of a body as a side of rules, also the tube of a rod; index -1: its analytic shapes. False: it has none.
static bool volume_side(const sp_body *b, int index, sp_rule_side *out) {
    sp_body_shape shape;
    const bool shapes = b->ops->shape && b->ops->shape((sp_body *)b, SP_COMMITTED, 0, &shape);
    *out = (sp_rule_side){.slot = b->id.slot, .surface = index};
    if (index < 0) return shapes;
    out->at = b->surfaces[index];
    const unsigned roles = index == 0 ? sp__boundary_roles(b) : b->surfaces[index]->roles;
    return !shapes && out->at->face_count > 0 && (roles & SP_ROLE_COLLISION);
}

static bool may_touch_volume(const open_search *s, const sp_rule_side *side, const sp_body *other) {
    for (int i = -1; i < other->surface_count; i++) {
        sp_rule_side sides[2] = {*side};
        if (!volume_side(other, i, &sides[1])) continue;
        const sp_contact_rule rule = s->rules ? sp__pair_rules_of(s->rules, &s->base, sides) : s->base;
        if (rule.enabled && sp__contact_is_volume(rule.formulation) && rule.pixel > 0) return true;
    }
    return false;
}

static bool needs_closed(const open_search *s, const sp_body *b, const sp_rule_side *side) {
    for (int i = 0; i < s->count; i++) {
        const sp_body *other = s->bodies[i];
        if (other == b || !sp__body_takes_rows(other, false)) continue;
        if (sp__constraints_is_static(b) && sp__constraints_is_static(other)) continue;
        if (may_touch_volume(s, side, other)) return true;
    }
    return false;
}

sp_status sp__constraints_open_surface(sp_context *ctx, const sp_pair_rules *rules, sp_body *const *bodies, int count,
                                       const sp_contact_def *def, sp_open_surface *out) {
    const open_search s = {bodies, count, rules, {.enabled = true, .formulation = def->formulation, .pixel = def->pixel}};
    *out = (sp_open_surface){0};
    for (int i = 0; i < count; i++) {
        if (!sp__body_takes_rows(bodies[i], false)) continue;
        for (int k = 0; k < bodies[i]->surface_count; k++) {
            sp_rule_side side;
            int edges = 0;
            if (!volume_side(bodies[i], k, &side) || !needs_closed(&s, bodies[i], &side)) continue;
            SP_TRY(sp__surface_open_edges(ctx, bodies[i], bodies[i]->surfaces[k], &edges));
            if (edges == 0) continue;
            *out = (sp_open_surface){.body = bodies[i]->id, .surface = k, .edges = edges};
            return SP_OK;
        }
    }
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- contacts

// The face of a surface that contains two vertices.
static int face_of_edge(const sp_surface *s, uint32_t a, uint32_t b) {
    for (int k = s->vertex_faces.start[a]; k < s->vertex_faces.start[a + 1]; k++) {
        const uint32_t *f = s->faces + 3 * (size_t)s->vertex_faces.face[k];
        if (f[0] == b || f[1] == b || f[2] == b) return (int)s->vertex_faces.face[k];
    }
    return -1;
}

// The point of the surface of a rod that touches: in the cross section at the point of the centreline.
static void line_anchor(const sp_constraint_collider *k, const sp_contact_side *side, sp_anchor *out) {
    const sp_surface *s = k->surface;
    const int first = side->count == 2 && side->vertex[1] < side->vertex[0] ? 1 : 0;
    sp_anchor centre = s->anchors[side->vertex[first]];
    if (side->count == 2) {
        const sp_anchor *next = &s->anchors[side->vertex[1 - first]];
        centre.at[0] += side->weight[1 - first] * ((next->elem == centre.elem ? next->at[0] : 1) - centre.at[0]);
    }
    k->body->ops->section_point(k->body, SP_COMMITTED, &centre, side->point, out);
}

// One material point where the vertices of a feature are in one element: a vertex, or a point of a boundary face. Otherwise the
// weighted mean of the vertices.
static void side_anchors(const sp_constraint_collider *k, const sp_contact_side *side, sp_anchor *anchor, double *weight,
                         int *count) {
    sp_body *b = k->body;
    if (side->count == 0) {
        b->ops->locate(b, SP_COMMITTED, side->point, &anchor[0]);
        weight[0] = 1, *count = 1;
        return;
    }
    if (k->surface->segments) {
        line_anchor(k, side, anchor);
        weight[0] = 1, *count = 1;
        return;
    }
    int face = side->feature == SP_FEATURE_FACE ? (int)side->index : -1;
    if (side->feature == SP_FEATURE_EDGE) face = face_of_edge(k->surface, side->vertex[0], side->vertex[1]);
    if (side->count > 1 && face >= 0 && k->surface == b->surfaces[0] && (b->ops->face_anchors || (b->caps & SP_CAP_KINEMATIC))) {
        const uint32_t *f = k->surface->faces + 3 * (size_t)face;
        sp_anchor corner[3];
        double w[3] = {0};
        for (int j = 0; j < side->count; j++)
            for (int i = 0; i < 3; i++)
                if (f[i] == side->vertex[j]) w[i] = side->weight[j];
        if (b->ops->face_anchors)
            b->ops->face_anchors(b, face, corner);
        else
            for (int i = 0; i < 3; i++) corner[i] = k->surface->anchors[f[i]];
        anchor[0] = sp__anchor_mean(corner, w), weight[0] = 1, *count = 1;
        return;
    }
    *count = side->count;
    for (int j = 0; j < side->count; j++) anchor[j] = k->surface->anchors[side->vertex[j]], weight[j] = side->weight[j];
}

void sp__constraints_frame(const double n[3], double frame[9]) {
    int least = fabs(n[0]) <= fabs(n[1]) && fabs(n[0]) <= fabs(n[2]) ? 0 : fabs(n[1]) <= fabs(n[2]) ? 1 : 2;
    double axis[3] = {0};
    axis[least] = 1;
    memcpy(frame, n, 3 * sizeof *frame);
    sp__cross3(n, axis, frame + 3);
    double length = sp__norm3(frame + 3);
    for (int k = 0; k < 3; k++) frame[3 + k] /= length;
    sp__cross3(frame, frame + 3, frame + 6);
}

static void side_point(sp_body *b, sp_which s, int count, const sp_anchor *anchor, const double *weight, double x[3]) {
    double at[3 * ANCHORS];
    b->ops->points(b, s, count, anchor, at, NULL);
    memset(x, 0, 3 * sizeof *x);
    for (int j = 0; j < count; j++) sp__axpy3(x, weight[j], at + 3 * j, x);
}

// h times the velocity at the end of the step of the point of a round shape that touches: the point that was at `from` moves with
// the centre of the shape.
static void shape_motion(const sp_constraint_collider *k, const double from[3], double h, double out[3]) {
    sp_body *b = k->body;
    sp_body_shape at[2];
    sp_anchor free;
    double x[3];
    for (int i = 0; i < 2; i++) b->ops->shape(b, i == 0 ? SP_COMMITTED : SP_TRIAL, k->shape, &at[i]);
    sp__sub3(at[1].a, at[0].a, x);
    sp__axpy3(from, 1, x, x);
    b->ops->locate(b, SP_TRIAL, x, &free);
    b->ops->points(b, SP_TRIAL, 1, &free, x, out);
    for (int a = 0; a < 3; a++) out[a] *= h;
}

// The same for the surface of a rod: the displacement of the centreline, and h times the velocity relative to it. at[1]: the
// material point that touches at the trial state.
static void line_motion(const sp_constraint_collider *k, const sp_constraint_contact *c, int s, double h, sp_anchor at[2],
                        double out[3]) {
    const sp_constraint_side *p = &c->patch[s];
    sp_body *b = k->body;
    double x0[3] = {0}, x1[6] = {0}, v[6], arm[3];
    for (int i = 0; i < p->count; i++) {
        sp__axpy3(x0, p->weight[i], k->x0 + 3 * (size_t)p->vertex[i], x0);
        sp__axpy3(x1, p->weight[i], k->x1 + 3 * (size_t)p->vertex[i], x1);
    }
    sp__sub3(x1, x0, out);
    sp__sub3(c->point[s], x0, arm);
    sp__axpy3(x1, 1, arm, x1 + 3);
    at[0] = c->anchor[s][0];
    memset(at[0].offset, 0, sizeof at[0].offset);
    b->ops->section_point(b, SP_TRIAL, &at[0], x1 + 3, &at[1]);
    b->ops->points(b, SP_TRIAL, 2, at, x1, v);
    for (int a = 0; a < 3; a++) out[a] += h * (v[3 + a] - v[a]);
}

// Displacement of one side in the step. A contact moves over the surface of a rolling body: there it is that of the point of
// contact, not the chord of the material point.
static void side_motion(const sp_constraints *all, sp_constraint_contact *c, int s, double h, double out[3]) {
    const sp_constraint_collider *k = collider_of(all, (uint32_t)(c->key[s] >> 32));
    sp_body *b = k->body;
    sp_anchor at[2];
    double x0[3], x1[3];
    if (!k->surface && !sp__constraints_is_static(b)) {
        shape_motion(k, c->point[s], h, out);
        return;
    }
    if (k->surface && k->surface->segments) {
        line_motion(k, c, s, h, at, out);
        if (sp__constraints_row_state(all, b) == SP_TRIAL) c->anchor[s][0] = at[1];
        return;
    }
    side_point(b, SP_COMMITTED, c->anchor_count[s], c->anchor[s], c->weight[s], x0);
    side_point(b, SP_TRIAL, c->anchor_count[s], c->anchor[s], c->weight[s], x1);
    sp__sub3(x1, x0, out);
}

// The multiplier of the same contact in the last step. A contact that slid to another feature starts from the multiplier that the
// first of the two features had.
static const sp_constraint_multiplier *multiplier_of(const sp_constraints *c, const uint64_t key[2]) {
    const int count = c->multiplier_count;
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (sp__constraints_compare(c->multipliers[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < count && c->multipliers[low].key[0] == key[0]) return &c->multipliers[low];
    if (low > 0 && c->multipliers[low - 1].key[0] == key[0]) return &c->multipliers[low - 1];
    return NULL;
}

void sp__constraints_warm_start(const sp_constraints *c, const sp_contact_def *def, sp_constraint_contact *out) {
    const sp_constraint_multiplier *m = def->solver.warm_start ? multiplier_of(c, out->key) : NULL;
    for (int d = 0; d < 3; d++) out->lambda[d] = m ? sp__dot3(out->frame + 3 * d, m->impulse) : 0;
    if (out->lambda[0] < 0) memset(out->lambda, 0, sizeof out->lambda);
}

// Where a side of a contact is; side NULL: the whole collider.
static sp_rule_side rule_side(const sp_constraints *c, uint32_t id, const sp_contact_side *side) {
    const sp_surface *surface = c->rules ? collider_of(c, id)->surface : NULL;
    return (sp_rule_side){.slot = id >> 8, .surface = surface ? (int)(id & 255) : -1, .at = surface, .on = side};
}

// The automatic alarm distance of two colliders.
static double pair_alarm(const sp_constraints *c, uint32_t a, uint32_t b) {
    return c->alarm[0] == c->alarm[1] ? c->alarm[0] : auto_alarm(collider_of(c, a), collider_of(c, b));
}

// The values of the definition for two colliders.
static sp_contact_rule pair_base(const sp_constraints *c, uint32_t a, uint32_t b) {
    sp_contact_rule base = c->base;
    if (c->automatic) base.alarm = pair_alarm(c, a, b);
    return base;
}

// Friction, gap and alarm distance of a contact.
static sp_contact_rule pair_rule_of(const sp_constraints *c, const sp_contact_found *found) {
    const sp_rule_side side[2] = {rule_side(c, found->a.collider, &found->a), rule_side(c, found->b.collider, &found->b)};
    const sp_contact_rule base = pair_base(c, found->a.collider, found->b.collider);
    return c->rules ? sp__pair_rules_of(c->rules, &base, side) : base;
}

sp_contact_rule sp__constraints_pair_rule(const sp_constraints *c, const sp_constraint_collider *a,
                                          const sp_constraint_collider *b) {
    const sp_constraint_collider *k[2] = {a, b};
    sp_rule_side side[2];
    for (int s = 0; s < 2; s++)
        side[s] = (sp_rule_side){
            .slot = k[s]->body->id.slot, .surface = k[s]->surface ? (int)(k[s]->id & 255) : -1, .at = k[s]->surface};
    return c->rules ? sp__pair_rules_of(c->rules, &c->base, side) : c->base;
}

static bool search_pair(void *user, uint32_t a, uint32_t b, sp_pair_rule *rule) {
    const sp_constraints *c = user;
    const sp_rule_side side[2] = {rule_side(c, a, NULL), rule_side(c, b, NULL)};
    const sp_contact_rule base = pair_base(c, a, b);
    bool enabled = true;
    rule->alarm = base.alarm + base.gap;
    if (c->rules) enabled = sp__pair_rules_search(c->rules, &base, side, &rule->alarm, &rule->continuous);
    rule->depth = 8 * rule->alarm;
    rule->flat = (c->rules ? sp__pair_rules_of(c->rules, &base, side) : base).formulation != SP_CONTACT_PENALTY;
    return enabled;
}

// A contact that carried a normal force at the end of the last step.
static bool was_pressed(void *user, const uint64_t key[2]) {
    const sp_constraints *c = user;
    const sp_constraint_multiplier *m = multiplier_of(c, key);
    return m && sp__constraints_compare(m->key, key) == 0 && sp__norm3(m->impulse) > 0;
}

static sp_broad broad_of(sp_contact_broad broad) {
    return broad == SP_CONTACT_HASH ? SP_BROAD_HASH : broad == SP_CONTACT_BRUTE ? SP_BROAD_BRUTE : SP_BROAD_TREE;
}

// A contact that the search found for another rule of the two bodies.
static bool is_ignored(const sp_contact_rule *rule, const sp_contact_found *found) {
    double distance = rule->alarm + rule->gap;
    return !rule->enabled || (found->distance0 > distance && found->distance1 > distance);
}

// What may remain at the end of a step of an overlap at its start, both <= 0. `auto` removes a fifth of it in each step
// (Baumgarte 1972), and at most an eighth of the larger edge: the velocity that stays is a fifth of the overlap per step, and
// bodies that are deep in each other, because contacts were switched on there, do not fly apart.
double sp__constraints_allowed_overlap(sp_stabilisation stabilisation, double distance, double edge) {
    const double overlap = fmin(distance, 0);
    if (stabilisation == SP_STABILISATION_POSITION) return 0;
    return stabilisation == SP_STABILISATION_AUTO ? fmin(0.8 * overlap, overlap + edge / 8) : overlap;
}

static void contact_patch(const sp_constraint_collider *k, const sp_contact_side *side, sp_constraint_contact *out, int s) {
    sp_constraint_side *p = &out->patch[s];
    out->feature[s] = side->feature, out->x[s] = k->x0;
    *p = (sp_constraint_side){.surface = k->surface, .body = k->body, .count = k->surface ? side->count : 0};
    for (int j = 0; j < p->count; j++) p->vertex[j] = side->vertex[j], p->weight[j] = side->weight[j];
}

static void contact_fill(sp_constraints *c, const sp_contact_def *def, const sp_contact_rule *rule, const sp_contact_found *found,
                         sp_constraint_contact *out) {
    const sp_contact_side *side[2] = {&found->a, &found->b};
    *out = (sp_constraint_contact){.key = {found->key[0], found->key[1]}, .distance = found->distance0 - rule->gap};
    out->friction = rule->friction, out->gap = rule->gap;
    out->resolution = pair_alarm(c, found->a.collider, found->b.collider);
    out->alarm = c->automatic ? out->resolution : c->base.alarm;
    // where the normal is of a later state, the distance along it at the committed state is no overlap
    out->between = found->time > 0;
    if (out->between) out->distance = fmax(out->distance, 0);
    out->spring = rule->formulation == SP_CONTACT_PENALTY, out->damping = def->damping;
    out->stiffness = rule->formulation == def->formulation ? def->stiffness : 0;
    out->fresh = out->born = true, out->end = found->distance1 - rule->gap;
    sp__constraints_frame(found->normal, out->frame);
    double edge = 0;
    for (int s = 0; s < 2; s++) {
        const sp_constraint_collider *k = collider_of(c, side[s]->collider);
        if (isfinite(k->size)) edge = fmax(edge, k->size);
        out->body[s] = k->body;
        side_anchors(k, side[s], out->anchor[s], out->weight[s], &out->anchor_count[s]);
        memcpy(out->point[s], side[s]->point, sizeof out->point[s]);
        contact_patch(k, side[s], out, s);
    }
    if (!out->spring) out->allowed = sp__constraints_allowed_overlap(def->stabilisation, out->distance, edge);
    sp__constraints_warm_start(c, def, out);
}

// Violations at the trial state, for which the colliders have been moved. Of a new contact the distance is the one that was
// found.
static void contact_evaluate(const sp_constraints *c, double h, sp_constraint_contact *out) {
    double motion[2][3], moved[3];
    for (int s = 0; s < 2; s++) side_motion(c, out, s, h, motion[s]);
    sp__sub3(motion[0], motion[1], moved);
    const double along = sp__dot3(out->frame, moved);
    if (out->born) out->base = out->end - out->allowed - along;
    out->delta[0] = out->born ? out->end - out->allowed : out->base + along;
    for (int d = 1; d < 3; d++) out->delta[d] = sp__dot3(out->frame + 3 * d, moved);
    out->born = false;
}

void sp__constraints_evaluate(sp_constraints *c, double h) {
    for (int i = 0; i < c->count; i++)
        if (!sp__constraints_is_volume(&c->contacts[i]) &&
            (c->contacts[i].body[0]->centreline || c->contacts[i].body[1]->centreline)) {
            contact_evaluate(c, h, &c->contacts[i]);
            c->contacts[i].fresh = true;
        }
}

// ---------------------------------------------------------------------------------------------------- search

// Memory for `reserve` contacts from the first step on. W counts as if all were coupled, up to 64 MB.
static sp_status constraints_reserve(sp_constraints *c, const sp_contact_def *def) {
    const int n = def->reserve, most = 1 << 23;
    if (n <= 0 || n <= c->capacity) return SP_OK;
    double numbers = 9.0 * n * n;
    SP_TRY(sp__constraints_reserve(c, n));
    SP_TRY(ROOM(c, c->last, c->last_capacity, n));
    return sp__cone_reserve(c->problem, n, 3 * n, 2 * n, numbers < most ? (size_t)numbers : (size_t)most);
}

// contacts of a rigid body with one face
enum { MANIFOLD = 8 };

// Colliders are made for the formulations that exist: a pair that brings another one has them made again.
static void follow_formulations(sp_constraints *c, const sp_contact_def *def) {
    const bool volumes = sp__pair_rules_has(c->rules, def->formulation, true);
    const bool distances = sp__pair_rules_has(c->rules, def->formulation, false);
    if (volumes != c->has_volumes || distances != c->has_distances) {
        for (int i = 0; i < c->collider_count; i++) sp__constraints_free_collider(c, &c->colliders[i]);
        c->collider_count = c->last_count = 0;
    }
    c->has_volumes = volumes, c->has_distances = distances;
}

static sp_status search_volumes(sp_constraints *c, const sp_contact_def *def) {
    if (!c->volume) SP_TRY(sp__volume_create(c->ctx, &c->volume));
    sp__volume_reserve_layers(c->volume, def->layers);
    SP_TRY(sp__volumes_search(c, def));
    c->info.layers_reserved = def->layers > 0 ? def->layers : SP_VOLUME_LAYERS_AUTO;
    if (c->overlaps.layers_most > c->info.layers) c->info.layers = c->overlaps.layers_most;
    return SP_OK;
}

// Surfaces from the committed to the trial state.
sp_status sp__constraints_search(sp_constraints *c, sp_body *const *bodies, int count, const sp_contact_def *def,
                                 sp_found *found) {
    *found = (sp_found){0};
    if (!c->searches) return SP_OK;
    c->self = def->self;
    follow_formulations(c, def);
    c->pixel = sp__pair_rules_pixel(c->rules, def->pixel);
    SP_TRY(follow_bodies(c, bodies, count, def->formulation == SP_CONTACT_PENALTY));
    c->again = true;
    SP_TRY(constraints_reserve(c, def));
    SP_TRY(find_alarms(c));
    c->automatic = !(def->alarm > 0);
    c->base = (sp_contact_rule){.enabled = true,
                                .friction = def->friction,
                                .alarm = c->automatic ? c->alarm[1] : def->alarm,
                                .gap = def->gap,
                                .continuous = def->continuous,
                                .formulation = def->formulation,
                                .pixel = def->pixel};
    if (c->has_volumes) SP_TRY(search_volumes(c, def));
    if (!c->has_distances) return SP_OK;
    const double reach = sp__pair_rules_distance(c->rules, &c->base);
    sp_collide_options options = {.broad = broad_of(def->broad),
                                  .rule = {.alarm = reach,
                                           .depth = 8 * reach,
                                           .continuous = def->continuous,
                                           .flat = def->formulation != SP_CONTACT_PENALTY,  // springs overlap by what they carry
                                           .manifold = MANIFOLD},
                                  .pressed = was_pressed,
                                  .user = c,
                                  .reserve = def->reserve};
    const bool varies = c->automatic && c->alarm[0] != c->alarm[1];
    if (varies || sp__pair_rules_count(c->rules) > 0) options.pair = search_pair;
    SP_TRY(sp__collide_find(c->set, &options, found));
    c->info.grown = c->info.grown || found->grown;
    return SP_OK;
}

// A link holds the two bodies together there.
static bool is_held(const sp_constraints *c, const sp_contact_found *found) {
    const sp_contact_side *side[2] = {&found->a, &found->b};
    sp_link_touch touch[2];
    for (int s = 0; s < 2 && c->links && c->links->count; s++) {
        const sp_constraint_collider *k = collider_of(c, side[s]->collider);
        touch[s] = (sp_link_touch){k->body, k->surface, side[s]->vertex, side[s]->count};
    }
    for (int i = 0; c->links && i < c->links->count; i++)
        if (sp__link_holds(&c->links->list[i], touch)) return true;
    return false;
}

// The rule of what the search has found; false: the two bodies ignore each other there.
static bool found_rule(const sp_constraints *c, const sp_contact_found *found, sp_contact_rule *rule) {
    if (is_held(c, found)) return false;
    *rule = pair_rule_of(c, found);
    return !c->rules || !is_ignored(rule, found);
}

static bool is_of_rod(const sp_constraint_contact *k) {
    return k->body[0]->centreline || k->body[1]->centreline;
}

// A known contact as the search has found it now: normal and place of the last one, its impulse in the new frame.
static void contact_renew(sp_constraints *c, const sp_contact_def *def, const sp_contact_found *found, sp_constraint_contact *k) {
    sp_contact_rule rule;
    double impulse[3];
    if (!found_rule(c, found, &rule)) return;
    sp__mul3t(k->frame, k->lambda, impulse);
    contact_fill(c, def, &rule, found, k);
    for (int d = 0; d < 3; d++) k->lambda[d] = sp__dot3(k->frame + 3 * d, impulse);
}

// Contacts of rods that the search has not found again. They came from a trial state that was far from this one: the plane of a
// wall there would hold the rod where nothing is.
static void contacts_forsake(sp_constraints *c) {
    int kept = 0;
    for (int i = 0; i < c->count; i++)
        if (!is_of_rod(&c->contacts[i]) || c->contacts[i].between || isfinite(c->contacts[i].end))
            c->contacts[kept++] = c->contacts[i];
    c->count = kept;
}

// Adds the contacts of a search whose keys are new, in the order of keys; the distances of the others are updated. renew: those
// of rods are what this search has found.
sp_status sp__constraints_join(sp_constraints *c, const sp_contact_def *def, double h, const sp_found *found, bool renew,
                               int *added) {
    sp_contact_rule rule;
    int fresh = 0, i = 0;
    for (int k = 0; k < c->count; k++)
        if (!sp__constraints_is_volume(&c->contacts[k])) c->contacts[k].end = INFINITY;
    for (int f = 0; f < found->count; f++) {
        const sp_contact_found *now = &found->contacts[f];
        while (i < c->count && sp__constraints_compare(c->contacts[i].key, now->key) < 0) i++;
        if (i == c->count || sp__constraints_compare(c->contacts[i].key, now->key) != 0) {
            fresh += found_rule(c, now, &rule);
            continue;
        }
        if (renew && is_of_rod(&c->contacts[i])) contact_renew(c, def, now, &c->contacts[i]);
        c->contacts[i].end = now->distance1 - c->contacts[i].gap;
    }
    if (renew) contacts_forsake(c);
    *added = fresh;
    SP_TRY(sp__constraints_reserve(c, c->count + fresh));
    // both lists are sorted: merged from the end
    int to = c->count + fresh;
    i = c->count, c->count = to;
    for (int f = found->count - 1; f >= 0 && fresh > 0; f--) {
        const sp_contact_found *now = &found->contacts[f];
        while (i > 0 && sp__constraints_compare(c->contacts[i - 1].key, now->key) > 0) c->contacts[--to] = c->contacts[--i];
        if ((i > 0 && sp__constraints_compare(c->contacts[i - 1].key, now->key) == 0) || !found_rule(c, now, &rule)) continue;
        contact_fill(c, def, &rule, now, &c->contacts[--to]);
        fresh--;
    }
    for (int k = 0; k < c->count; k++)
        if (c->contacts[k].born) contact_evaluate(c, h, &c->contacts[k]);
    return SP_OK;
}

// Contacts that have just joined leave again: they are not violated, and were not solved.
void sp__constraints_leave(sp_constraints *c) {
    int kept = 0;
    for (int i = 0; i < c->count; i++)
        if (!c->contacts[i].fresh) c->contacts[kept++] = c->contacts[i];
    c->count = kept;
}

static bool row_moves(const sp_constraint_body *t, int contact) {
    for (int e = t->J.start[3 * contact]; e < t->J.start[3 * contact + 3]; e++)
        if (t->J.val[e] != 0 && !t->body->fixed[t->J.col[e]]) return true;
    return false;
}

// The deepest overlaps. What is held on both sides overlaps as the scene wants it, such as the part of a catheter that has not
// entered its vessel.
static void measure_overlap(sp_constraints *c) {
    for (int i = 0; i < c->touched_count; i++) {
        const sp_constraint_body *t = &c->touched[i];
        for (int k = 0; t->free && k < t->count; k++) {
            const sp_constraint_contact *found = &c->contacts[t->list[k]];
            if (!row_moves(t, k)) continue;
            c->info.overlap = fmax(c->info.overlap, -found->distance);
            for (int s = 0; s < 2; s++) found->body[s]->overlap = fmax(found->body[s]->overlap, -(found->distance + found->gap));
        }
    }
}

sp_status sp__constraints_find(sp_constraints *c, sp_body *const *bodies, int count, const sp_contact_def *def,
                               const sp_step *step) {
    sp_found found;
    int added;
    c->info = (sp_constraints_info){0};
    c->again = false;
    c->count = c->pass = 0, c->start_count = -1, c->part_h = step->h, c->divisible = step->divisible;
    if (c->done_count == 0) c->part_count = 0;  // overlaps of earlier parts of the step need theirs
    SP_TRY(sp__constraints_free_motion(c, bodies, count, step));
    SP_TRY(sp__constraints_search(c, bodies, count, def, &found));
    SP_TRY(sp__constraints_join(c, def, step->h, &found, false, &added));
    SP_TRY(sp__volumes_take(c, def, step->h, &added));
    if (def->reserve > 0 && c->count > def->reserve && c->info.grown)
        sp_context_log(c->ctx, SP_LOG_INFO, "%d contacts, memory is reserved for %d: it grows", c->count, def->reserve);
    SP_TRY(sp__links_begin(c, step, def->solver.warm_start));
    SP_TRY(sp__constraints_rows(c, step));
    measure_overlap(c);
    return sp__constraints_leave_untouched(c, bodies, count, step);
}
