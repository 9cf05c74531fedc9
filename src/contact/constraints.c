// See constraints.h.
#include "contact/constraints.h"

#include "body/drive.h"
#include "collide/collide.h"
#include "linear/compliance.h"
#include "math/vec3.h"

enum {
    ANCHORS = 3,         // material points of one side of a contact
    MULTIPLIERS = 8192,  // contacts whose multipliers are kept for the next step
};

// A collision surface of a body, or one analytic shape of it.
typedef struct collider {
    sp_body *body;
    const sp_surface *surface;  // NULL: a shape
    uint32_t revision;
    int shape;        // number of the shape
    double size;      // mean edge of its faces at rest, or radius; INFINITY: none [m]
    int index;        // in the set
    double *x0, *x1;  // positions at the committed and at the free state
    bool seen;        // in this step
} collider;

typedef struct contact {
    uint64_t key[2];
    sp_body *body[2];
    double frame[9];  // normal from the second to the first, two tangents
    double distance;  // at the committed state [m]
    double delta[3];
    double friction;
    double lambda[3];
    double point[2][3];  // material points at the committed state
    int anchor_count[2];
    sp_anchor anchor[2][ANCHORS];
    double weight[2][ANCHORS];
} contact;

// The rows of one body, and what they give.
typedef struct touched {
    sp_body *body;
    bool free;  // it has a system: its rows add to W
    int count;  // contacts
    int *list;  // contacts, ascending; 2 c + side
    int list_capacity, sub_capacity, entry_capacity;
    size_t product_capacity;
    sp_anchor *anchor;  // of each part of a row
    double *direction;
    sp_rows J;
    double *G;        // J A^-1 J^T
    double *impulse;  // J^T lambda, then A^-1 of it
    int impulse_capacity;
} touched;

typedef struct multiplier {  // state: impulse of a contact of the last step, in world axes
    uint64_t key[2];
    double impulse[3];
} multiplier;

struct sp_constraints {
    sp_context *ctx;
    sp_collide *set;
    collider *colliders;
    int collider_count, collider_capacity;
    contact *contacts, *last;  // of this step; of the last committed one
    int count, capacity, last_count, last_capacity;
    touched *touched;
    int touched_count, touched_capacity;
    sp_cone_problem *problem;
    sp_cone_solver *solver;
    multiplier *multipliers;  // sorted by key
    int multiplier_count;
    double last_h;
    sp_constraints_info info;
    uint64_t allocations;
};

// ---------------------------------------------------------------------------------------------------- memory

#define ROOM(c, array, capacity, need) constraints_room((c), (void **)&(array), &(capacity), (need), sizeof *(array))

// Memory for at least `need` items; keeps the old content. New items are zero.
static sp_status constraints_room(sp_constraints *c, void **memory, int *capacity, int need, size_t size) {
    if (*capacity >= need) return SP_OK;
    int more = need + need / 2 + 8;
    void *fresh = sp__alloc(c->ctx, (size_t)more, size);
    if (!fresh) return SP_FAIL(c->ctx, SP_NO_MEMORY, "no memory for %d contacts", need);
    if (*capacity) memcpy(fresh, *memory, (size_t)*capacity * size);
    sp__free(c->ctx, *memory);
    *memory = fresh, *capacity = more;
    c->info.grown = true;
    return SP_OK;
}

sp_status sp__constraints_create(sp_context *ctx, sp_constraints **out) {
    sp_constraints *c = NULL;
    *out = NULL;
    if (!SP_NEW(ctx, c, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for contact by constraints");
    c->ctx = ctx;
    sp_status status = sp__collide_create(ctx, &c->set);
    if (status >= 0) status = sp__cone_create(ctx, &c->problem);
    if (status >= 0) status = sp__cone_solver_create(ctx, &c->solver);
    if (status >= 0 && !SP_NEW(ctx, c->multipliers, MULTIPLIERS))
        status = SP_FAIL(ctx, SP_NO_MEMORY, "no memory for multipliers");
    if (status < 0)
        sp__constraints_destroy(&c);
    else
        *out = c;
    return status;
}

static void touched_free(sp_constraints *c, touched *t) {
    void *all[] = {t->list, t->anchor, t->direction, t->J.start, t->J.col, t->J.val, t->G, t->impulse};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(c->ctx, all[i]);
    *t = (touched){0};
}

static void collider_free(sp_constraints *c, collider *k) {
    sp__collider_remove(c->set, k->index);
    sp__free(c->ctx, k->x0), sp__free(c->ctx, k->x1);
}

void sp__constraints_forget(sp_constraints *c) {
    for (int i = 0; i < c->collider_count; i++) collider_free(c, &c->colliders[i]);
    c->collider_count = c->count = c->last_count = 0;
    c->multiplier_count = 0;
}

void sp__constraints_destroy(sp_constraints **constraints) {
    sp_constraints *c = *constraints;
    if (!c) return;
    sp_context *ctx = c->ctx;
    if (c->set) sp__constraints_forget(c);
    for (int i = 0; i < c->touched_capacity; i++) touched_free(c, &c->touched[i]);
    sp__free(ctx, c->touched), sp__free(ctx, c->colliders), sp__free(ctx, c->contacts), sp__free(ctx, c->last);
    sp__free(ctx, c->multipliers);
    sp__collide_destroy(&c->set);
    sp__cone_destroy(&c->problem);
    sp__cone_solver_destroy(&c->solver);
    sp__free(ctx, c);
    *constraints = NULL;
}

// ---------------------------------------------------------------------------------------------------- colliders

static uint32_t collider_id(const sp_body *b, int part) {
    return b->id.slot << 8 | (uint32_t)part;
}

static collider *collider_find(sp_constraints *c, const sp_body *b, int shape, const sp_surface *surface) {
    for (int i = 0; i < c->collider_count; i++) {
        collider *k = &c->colliders[i];
        if (k->body == b && k->surface == surface && k->shape == shape && (!surface || k->revision == surface->revision))
            return k;
    }
    return NULL;
}

static bool is_static(const sp_body *b) {
    return (b->caps & SP_CAP_KINEMATIC) != 0;
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

// An eighth of the smallest edge of a body that can move: finer than what its surface resolves.
static double auto_alarm(const sp_constraints *c) {
    double least = INFINITY;
    for (int i = 0; i < c->collider_count; i++)
        if (!is_static(c->colliders[i].body)) least = fmin(least, c->colliders[i].size);
    return isfinite(least) ? 0.125 * least : 0;
}

static sp_status collider_add(sp_constraints *c, sp_body *b, int part, const sp_surface *surface, int shape,
                              sp_collider_def def) {
    SP_TRY(ROOM(c, c->colliders, c->collider_capacity, c->collider_count + 1));
    collider k = {.body = b, .surface = surface, .revision = surface ? surface->revision : 0, .shape = shape, .seen = true};
    size_t n = 3 * (size_t)def.vertex_count;
    def.id = collider_id(b, part), def.group = b->id.slot, def.flags = is_static(b) ? SP_COLLIDER_STATIC : 0;
    if (n && (!SP_NEW(c->ctx, k.x0, n) || !SP_NEW(c->ctx, k.x1, n))) {
        sp__free(c->ctx, k.x0);
        return SP_FAIL(c->ctx, SP_NO_MEMORY, "no memory for the collision surface of '%s'", b->name);
    }
    sp_status status = sp__collider_add(c->set, &def, &k.index);
    if (status < 0) {
        sp__free(c->ctx, k.x0), sp__free(c->ctx, k.x1);
        return status;
    }
    c->info.grown = true;
    c->colliders[c->collider_count++] = k;
    return SP_OK;
}

static sp_status follow_shapes(sp_constraints *c, sp_body *b) {
    sp_body_shape at[2];
    for (int i = 0; b->ops->shape(b, SP_COMMITTED, i, &at[0]); i++) {
        collider *k = collider_find(c, b, i, NULL);
        if (!k) {
            static const sp_collider_type types[] = {
                [SP_PLANE] = SP_COLLIDER_PLANE, [SP_SPHERE] = SP_COLLIDER_SPHERE, [SP_CAPSULE] = SP_COLLIDER_CAPSULE};
            SP_TRY(collider_add(c, b, i, NULL, i, (sp_collider_def){.type = types[at[0].type], .radius = at[0].radius}));
            k = &c->colliders[c->collider_count - 1];
            k->size = at[0].radius > 0 ? at[0].radius : INFINITY;
        }
        b->ops->shape(b, SP_TRIAL, i, &at[1]);
        sp_shape_place place[2];
        for (int s = 0; s < 2; s++)
            memcpy(place[s].a, at[s].a, sizeof place[s].a), memcpy(place[s].b, at[s].b, sizeof place[s].b);
        sp__collider_move_shape(c->set, k->index, &place[0], &place[1]);
        k->seen = true;
    }
    return SP_OK;
}

// Positions at rest, so that the mean edge does not depend on the state in which the surface was first seen. Kinds without a rest
// shape: the committed positions.
static const double *rest_positions(const collider *k) {
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

static sp_status follow_surface(sp_constraints *c, sp_body *b, int index) {
    sp_surface *s = b->surfaces[index];
    collider *k = collider_find(c, b, -1, s);
    if (!k) {
        SP_TRY(sp__surface_prepare(c->ctx, s));  // the faces around a vertex
        sp_collider_def def = {
            .type = SP_COLLIDER_TRIANGLES, .vertex_count = s->vertex_count, .items = s->faces, .item_count = s->face_count};
        SP_TRY(collider_add(c, b, index, s, -1, def));
        k = &c->colliders[c->collider_count - 1];
    }
    sp__surface_positions(b, s, SP_COMMITTED, k->x0, NULL, NULL);
    if (k->size == 0) k->size = surface_edge(s, rest_positions(k));
    sp__surface_positions(b, s, SP_TRIAL, k->x1, NULL, NULL);
    sp__collider_move(c->set, k->index, k->x0, k->x1);
    k->seen = true;
    return SP_OK;
}

static sp_status follow_body(sp_constraints *c, sp_body *b) {
    sp_body_shape shape;
    if (b->ops->shape && b->ops->shape(b, SP_COMMITTED, 0, &shape)) return follow_shapes(c, b);
    for (int i = 0; i < b->surface_count; i++) {
        unsigned roles = i == 0 ? sp__boundary_roles(b) : b->surfaces[i]->roles;
        if ((roles & SP_ROLE_COLLISION) && b->surfaces[i]->face_count > 0) SP_TRY(follow_surface(c, b, i));
    }
    return SP_OK;
}

static sp_status follow_bodies(sp_constraints *c, sp_body *const *bodies, int count) {
    for (int i = 0; i < c->collider_count; i++) c->colliders[i].seen = false;
    for (int i = 0; i < count; i++) SP_TRY(follow_body(c, bodies[i]));
    int kept = 0;
    for (int i = 0; i < c->collider_count; i++) {
        if (c->colliders[i].seen)
            c->colliders[kept++] = c->colliders[i];
        else
            collider_free(c, &c->colliders[i]);
    }
    c->collider_count = kept;
    return SP_OK;
}

static const collider *collider_of(const sp_constraints *c, uint32_t id) {
    for (int i = 0; i < c->collider_count; i++) {
        const collider *k = &c->colliders[i];
        int part = k->shape;
        for (int s = 0; part < 0; s++)
            if (k->body->surfaces[s] == k->surface) part = s;
        if (collider_id(k->body, part) == id) return k;
    }
    return NULL;
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

// One material point where the vertices of a feature are in one element: a vertex, or a point of a boundary face. Otherwise the
// weighted mean of the vertices.
static void side_anchors(const collider *k, const sp_contact_side *side, sp_anchor *anchor, double *weight, int *count) {
    sp_body *b = k->body;
    if (side->count == 0) {
        b->ops->locate(b, SP_COMMITTED, side->point, &anchor[0]);
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

// Two tangents of a unit vector, continuous but where the smallest component changes.
static void contact_frame(const double n[3], double frame[9]) {
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

// Displacement of one side in the step. A contact moves over the surface of a rolling shape: there it is h times the velocity of
// the point of contact, not the chord of the material point.
static void side_motion(const collider *k, const sp_contact_side *side, const contact *c, int s, double h, double out[3]) {
    sp_body *b = k->body;
    if (side->count == 0 && !is_static(b)) {
        sp_body_shape at[2];
        sp_anchor free;
        double x[3];
        for (int i = 0; i < 2; i++) b->ops->shape(b, i == 0 ? SP_COMMITTED : SP_TRIAL, k->shape, &at[i]);
        sp__sub3(at[1].a, at[0].a, x);
        sp__axpy3(side->point, 1, x, x);
        b->ops->locate(b, SP_TRIAL, x, &free);
        b->ops->points(b, SP_TRIAL, 1, &free, x, out);
        for (int a = 0; a < 3; a++) out[a] *= h;
        return;
    }
    double x0[3], x1[3];
    side_point(b, SP_COMMITTED, c->anchor_count[s], c->anchor[s], c->weight[s], x0);
    side_point(b, SP_TRIAL, c->anchor_count[s], c->anchor[s], c->weight[s], x1);
    sp__sub3(x1, x0, out);
}

static int compare_keys(const uint64_t a[2], const uint64_t b[2]) {
    if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
    return (a[1] > b[1]) - (a[1] < b[1]);
}

// The multiplier of the same contact in the last step. A contact that slid to another feature starts from the multiplier that the
// first of the two features had.
static const multiplier *multiplier_of(const sp_constraints *c, const uint64_t key[2]) {
    const int count = c->multiplier_count;
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (compare_keys(c->multipliers[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < count && c->multipliers[low].key[0] == key[0]) return &c->multipliers[low];
    if (low > 0 && c->multipliers[low - 1].key[0] == key[0]) return &c->multipliers[low - 1];
    return NULL;
}

static void contact_fill(sp_constraints *c, const sp_contact_def *def, double h, const sp_contact_found *found, contact *out) {
    const sp_contact_side *side[2] = {&found->a, &found->b};
    double motion[2][3], moved[3];
    *out = (contact){.key = {found->key[0], found->key[1]}, .distance = found->distance0 - def->gap, .friction = def->friction};
    contact_frame(found->normal, out->frame);
    for (int s = 0; s < 2; s++) {
        const collider *k = collider_of(c, side[s]->collider);
        out->body[s] = k->body;
        side_anchors(k, side[s], out->anchor[s], out->weight[s], &out->anchor_count[s]);
        side_motion(k, side[s], out, s, h, motion[s]);
        memcpy(out->point[s], side[s]->point, sizeof out->point[s]);
    }
    sp__sub3(motion[0], motion[1], moved);
    out->delta[0] = found->distance1 - def->gap;
    for (int d = 1; d < 3; d++) out->delta[d] = sp__dot3(out->frame + 3 * d, moved);
    const multiplier *m = multiplier_of(c, out->key);
    for (int d = 0; d < 3; d++) out->lambda[d] = m ? sp__dot3(out->frame + 3 * d, m->impulse) : 0;
    if (out->lambda[0] < 0) memset(out->lambda, 0, sizeof out->lambda);
}

// ---------------------------------------------------------------------------------------------------- rows

static touched *touch(sp_constraints *c, sp_body *b) {
    for (int i = 0; i < c->touched_count; i++)
        if (c->touched[i].body == b) return &c->touched[i];
    return NULL;
}

static sp_status touch_add(sp_constraints *c, sp_body *b, int entry) {
    touched *t = touch(c, b);
    if (!t) {
        SP_TRY(ROOM(c, c->touched, c->touched_capacity, c->touched_count + 1));
        t = &c->touched[c->touched_count++];
        t->body = b, t->count = 0;
        t->free = !is_static(b) && !b->frozen && b->has_system;
    }
    SP_TRY(ROOM(c, t->list, t->list_capacity, t->count + 1));
    t->list[t->count++] = entry;
    return SP_OK;
}

static sp_status touched_room(sp_constraints *c, touched *t, int subs) {
    int start = t->sub_capacity ? t->sub_capacity + 1 : 0, anchors = t->sub_capacity, directions = 3 * t->sub_capacity;
    if (subs <= t->sub_capacity) return SP_OK;
    SP_TRY(ROOM(c, t->anchor, anchors, subs));
    SP_TRY(ROOM(c, t->direction, directions, 3 * subs));
    SP_TRY(ROOM(c, t->J.start, start, subs + 1));
    t->sub_capacity = anchors < start - 1 ? anchors : start - 1;
    if (directions / 3 < t->sub_capacity) t->sub_capacity = directions / 3;
    return SP_OK;
}

// A kind may need any number of entries in a row (a curved rod: all unknowns before the point): the capacity is doubled until the
// rows fit.
static sp_status touched_jacobian(sp_constraints *c, touched *t, int subs) {
    int wanted = 12 * subs;
    for (;;) {
        int columns = t->entry_capacity, values = t->entry_capacity;
        SP_TRY(ROOM(c, t->J.col, columns, wanted));
        SP_TRY(ROOM(c, t->J.val, values, wanted));
        t->J.capacity = t->entry_capacity = columns < values ? columns : values;
        // at the committed state: an impulse then changes the angular momentum by its moment, without error
        sp_status status = t->body->ops->jacobian_rows(t->body, SP_COMMITTED, subs, t->anchor, t->direction, &t->J);
        if (status != SP_BAD_INPUT || wanted > INT32_MAX / 4) return status;
        wanted = 2 * t->entry_capacity;
    }
}

// Rows of one body: for each of its contacts and each direction, the sum over the material points.
static sp_status touched_rows(sp_constraints *c, touched *t) {
    int subs = 0;
    for (int i = 0; i < t->count; i++) subs += 3 * c->contacts[t->list[i] / 2].anchor_count[t->list[i] % 2];
    SP_TRY(touched_room(c, t, subs));
    subs = 0;
    for (int i = 0; i < t->count; i++) {
        const contact *k = &c->contacts[t->list[i] / 2];
        int side = t->list[i] % 2;
        for (int d = 0; d < 3; d++)
            for (int j = 0; j < k->anchor_count[side]; j++, subs++) {
                double sign = side == 0 ? k->weight[side][j] : -k->weight[side][j];
                t->anchor[subs] = k->anchor[side][j];
                for (int a = 0; a < 3; a++) t->direction[3 * subs + a] = sign * k->frame[3 * d + a];
            }
    }
    SP_TRY(touched_jacobian(c, t, subs));
    // the parts of a row follow each other
    int part = 0, row = 0;
    for (int i = 0; i < t->count; i++)
        for (int d = 0; d < 3; d++) {
            t->J.start[row++] = t->J.start[part];
            part += c->contacts[t->list[i] / 2].anchor_count[t->list[i] % 2];
        }
    t->J.start[row] = t->J.start[part];
    t->J.n = row;
    return SP_OK;
}

static sp_status problem_groups(sp_constraints *c) {
    sp__cone_clear(c->problem);
    for (int i = 0; i < c->count; i++) SP_TRY(sp__cone_add_group(c->problem, SP_CONE_COULOMB, 3, c->contacts[i].friction, NULL));
    for (int i = 0; i < c->touched_count; i++) {
        touched *t = &c->touched[i];
        if (!t->free) continue;
        for (int k = 0; k < t->count; k++) t->list[k] /= 2;
        SP_TRY(sp__cone_add_clique(c->problem, t->count, t->list));
    }
    SP_TRY(sp__cone_layout(c->problem));
    for (int i = 0; i < c->count; i++)
        for (int d = 0; d < 3; d++)
            c->problem->q[3 * i + d] = c->contacts[i].delta[d], c->problem->lambda[3 * i + d] = c->contacts[i].lambda[d];
    return SP_OK;
}

sp_status sp__constraints_find(sp_constraints *c, sp_body *const *bodies, int count, const sp_contact_def *def,
                               const sp_step *step) {
    sp_found found;
    c->info = (sp_constraints_info){0};
    c->count = c->touched_count = 0;
    SP_TRY(follow_bodies(c, bodies, count));
    double alarm = (def->alarm > 0 ? def->alarm : auto_alarm(c)) + def->gap;
    sp_collide_options options = {.broad = SP_BROAD_TREE, .rule = {.alarm = alarm, .depth = 8 * alarm}};
    SP_TRY(sp__collide_find(c->set, &options, &found));
    SP_TRY(ROOM(c, c->contacts, c->capacity, found.count));
    for (int i = 0; i < found.count; i++) {
        contact *k = &c->contacts[c->count];
        contact_fill(c, def, step->h, &found.contacts[i], k);
        c->info.overlap = fmax(c->info.overlap, -k->distance);
        for (int s = 0; s < 2; s++) {
            k->body[s]->overlap = fmax(k->body[s]->overlap, -found.contacts[i].distance0);
            SP_TRY(touch_add(c, k->body[s], 2 * c->count + s));
        }
        c->count++;
    }
    for (int i = 0; i < c->touched_count; i++) SP_TRY(touched_rows(c, &c->touched[i]));
    c->info.contacts = c->count, c->info.rows = 3 * c->count, c->info.grown = c->info.grown || found.grown;
    return problem_groups(c);
}

// ---------------------------------------------------------------------------------------------------- Delassus operator

static sp_status touched_product(sp_constraints *c, touched *t) {
    sp_body *b = t->body;
    size_t need = (size_t)t->J.n * (size_t)t->J.n;
    if (!b->compliance) SP_TRY(sp__compliance_create(c->ctx, b->solver->be, b->compliance_type, &b->solver_def, &b->compliance));
    if (need > t->product_capacity) {
        sp__free(c->ctx, t->G);
        t->product_capacity = 0;
        if (!SP_NEW(c->ctx, t->G, need + need / 2)) return SP_FAIL(c->ctx, SP_NO_MEMORY, "no memory for %d contact rows", t->J.n);
        t->product_capacity = need + need / 2, c->info.grown = true;
    }
    SP_TRY(sp__compliance_prepare(b->compliance, b->solver, &b->system, b->coef));
    return sp__compliance_product(b->compliance, &t->J, t->G, t->J.n);
}

static void add_product(sp_constraints *c, const touched *t, double h) {
    for (int i = 0; i < t->count; i++)
        for (int j = 0; j < t->count; j++) {
            ptrdiff_t stride;
            double *block = sp__cone_block(c->problem, t->list[i], t->list[j], &stride);
            for (int p = 0; p < 3; p++)
                for (int q = 0; q < 3; q++)
                    block[p * stride + q] += h * t->G[(size_t)(3 * i + p) * (size_t)t->J.n + (size_t)(3 * j + q)];
        }
}

sp_status sp__constraints_delassus(sp_constraints *c, const sp_step *step) {
    for (int i = 0; i < c->touched_count; i++) {
        touched *t = &c->touched[i];
        if (!t->free) continue;
        SP_TRY(touched_product(c, t));
        add_product(c, t, step->h);
    }
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- solve and correct

sp_status sp__constraints_solve(sp_constraints *c, const sp_contact_def *def) {
    sp_cone_options options = sp__cone_options_default();
    if (c->count == 0) return SP_OK;
    options.norm = SP_CONE_NORM_SCALED, options.tolerance = def->tolerance, options.sweeps = def->sweeps;
    SP_TRY(sp__cone_solve(c->solver, c->problem, &options, &c->info.solve));
    for (int i = 0; i < c->count; i++) memcpy(c->contacts[i].lambda, c->problem->lambda + 3 * i, sizeof c->contacts[i].lambda);
    return c->info.solve.status;
}

static void rows_transposed(const sp_constraints *c, const touched *t, double *g) {
    memset(g, 0, (size_t)t->body->nv * sizeof *g);
    for (int r = 0; r < t->J.n; r++) {
        double lambda = c->contacts[t->list[r / 3]].lambda[r % 3];
        for (int k = t->J.start[r]; k < t->J.start[r + 1]; k++) g[t->J.col[k]] += lambda * t->J.val[k];
    }
}

sp_status sp__constraints_correct(sp_constraints *c, const sp_step *step) {
    for (int i = 0; i < c->touched_count; i++) {
        touched *t = &c->touched[i];
        sp_body *b = t->body;
        b->contact_work = b->contact_scale = 0;
        if (!t->free) continue;
        SP_TRY(ROOM(c, t->impulse, t->impulse_capacity, 2 * b->nv + 4));
        double *g = t->impulse, *dv = g + b->nv + 2, *v = b->v[SP_TRIAL];
        rows_transposed(c, t, g);
        sp__compliance_apply(b->compliance, g, dv);
        b->contact_scale = fabs(sp__drive_dot(g, v, b->nv));
        for (int k = 0; k < b->nv; k++) v[k] += dv[k];
        b->ops->retract(b, step, SP_COMMITTED, step->h, v);
        sp__drive_place_fixed(b);
        b->contact_work = sp__drive_dot(g, v, b->nv);
    }
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- state

void sp__constraints_commit(sp_constraints *c, const sp_step *step) {
    contact *last = c->last;
    int capacity = c->last_capacity, kept = c->count < MULTIPLIERS ? c->count : MULTIPLIERS;
    for (int i = 0; i < kept; i++) {
        multiplier *m = &c->multipliers[i];
        const contact *k = &c->contacts[i];
        memcpy(m->key, k->key, sizeof m->key);
        sp__mul3t(k->frame, k->lambda, m->impulse);
    }
    c->multiplier_count = kept, c->last_h = step->h;
    c->last = c->contacts, c->last_count = c->count, c->last_capacity = c->capacity;
    c->contacts = last, c->capacity = capacity, c->count = 0;
}

const sp_constraints_info *sp__constraints_info(const sp_constraints *c) {
    return &c->info;
}

int sp__constraints_count(const sp_constraints *c) {
    return c->last_count;
}

void sp__constraints_at(const sp_constraints *c, int index, sp_contact_point *out) {
    const contact *k = &c->last[index];
    *out = (sp_contact_point){.bodies = {k->body[0]->id, k->body[1]->id}, .gap = k->distance};
    sp__mul3t(k->frame, k->lambda, out->force);
    for (int a = 0; a < 3; a++) {
        out->force[a] /= c->last_h, out->normal[a] = k->frame[a];
        out->point[a] = 0.5 * (k->point[0][a] + k->point[1][a]);
    }
}

int sp__constraints_kept(const sp_constraints *c) {
    return c->multiplier_count;
}

int sp__constraints_most(void) {
    return MULTIPLIERS;
}

void sp__constraints_keep(sp_constraints *c, int count) {
    c->count = c->last_count = 0;
    c->multiplier_count = count;
}

// c may be NULL where the array is only compared in size
void sp__constraints_visit(sp_constraints *c, int count, sp_visitor *v) {
    v->array(v, "multipliers", c ? c->multipliers : NULL, sizeof(multiplier), (size_t)count);
}

uint64_t sp__constraints_hash(const sp_constraints *c) {
    uint64_t sum = 0, word[sizeof(multiplier) / sizeof(uint64_t)];
    enum { WORDS = sizeof word / sizeof *word };
    for (int i = 0; i < c->multiplier_count; i++) {
        memcpy(word, &c->multipliers[i], sizeof word);
        for (size_t k = 0; k < WORDS; k++) sum += sp__mix(word[k], (uint64_t)i * WORDS + k);
    }
    return sum;
}
