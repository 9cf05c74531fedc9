// Contacts measured by the volume of the overlap (Allard et al. 2010; Courtecuisse 2011, section 4.4). An overlap of two bodies,
// or a cell of it, is one contact, however fine the surfaces are. With the volume V, its gradients G at the vertices of both
// surfaces (collide/volume.h) and the area A of the patch, its violation is a length and its rows are those of a weighted mean of
// vertices:
//
//     depth    V / A - slack,  at the free state
//     normal   -G_k / A                     the rate of the depth
//     tangent  -(n . G_k) / A  t            weights with the sum 1 on the first body and -1 on the second
//
// so that multipliers are impulses [N s], as those of contacts at a distance, and share their problem. The pressure is uniform on
// the patch, force over A. The slack, half a pixel, stays as an overlap at rest: without any overlap there would be no contact
// in the next step. The volume is not linear in the motion: the end of the step is searched again, and what is left is solved
// with the rows of that state (Newton's method on the volume, algorithm 6 there).
//
// What overlaps at the start of the step is searched there: the motion times the gradients is far from the change of a volume of
// which the free motion leaves the most.
//
// Viscous friction: the force -nu A^2 v against the mean relative velocity v of the patch (eq. 4.16) is an impulse -nu A^2 u over
// the displacement u of the step: two equations with the compliance 1 / (nu A^2).
//
// volume-penalty: the energy k V^2 / 2 gives the pressure k V: a spring of the stiffness k A^2 along the normal.
#include "contact/constraints_internal.h"

// ---------------------------------------------------------------------------------------------------- triangles of shapes

// Around a sphere or a capsule: the arc is at most an eighth of a pixel from its chord.
static int shape_around(double radius, double pixel) {
    const int quarter = (int)ceil(0.5 * SP_PI * sqrt(radius / pixel));
    return 4 * (quarter < 4 ? 4 : quarter > 64 ? 64 : quarter);
}

// Factor of the radius with which the triangles of a sphere have its volume: the rings are regular polygons.
static double round_factor(int around) {
    const int rings = around / 4;
    double volume = 0;
    for (int j = 0; j < rings; j++) {
        const double a = 0.5 * SP_PI * j / rings, b = 0.5 * SP_PI * (j + 1) / rings;
        const double r = cos(a), q = cos(b);
        volume += (sin(b) - sin(a)) / 3 * (r * r + q * q + r * q);
    }
    return cbrt(2 * SP_PI / 3 / (volume * 0.5 * around * sin(2 * SP_PI / around)));
}

// Vertices of a sphere or a capsule: for each end the rings from the equator on, then its pole.
static void round_vertices(const sp_body_shape *s, int around, double *x) {
    const int rings = around / 4;
    const double *end[2] = {s->a, s->type == SP_CAPSULE ? s->b : s->a}, factor = s->radius * round_factor(around);
    double axis[3] = {0, 0, 1}, frame[9];
    sp__sub3(end[0], end[1], axis);
    const double length = sp__norm3(axis);
    for (int a = 0; a < 3; a++) axis[a] = length > 0 ? axis[a] / length : a == 2;
    sp__constraints_frame(axis, frame);
    for (int e = 0; e < 2; e++) {
        for (int j = 0; j < rings; j++)
            for (int i = 0; i < around; i++, x += 3) {
                const double up = 0.5 * SP_PI * j / rings, turn = 2 * SP_PI * i / around;
                for (int a = 0; a < 3; a++)
                    x[a] = end[e][a] + factor * (cos(up) * (cos(turn) * frame[3 + a] + sin(turn) * frame[6 + a]) +
                                                 (e ? -1 : 1) * sin(up) * axis[a]);
            }
        sp__axpy3(end[e], e ? -factor : factor, axis, x);
        x += 3;
    }
}

static uint32_t *add_triangle(uint32_t *t, int a, int b, int c, bool flip) {
    t[0] = (uint32_t)a, t[1] = (uint32_t)(flip ? c : b), t[2] = (uint32_t)(flip ? b : c);
    return t + 3;
}

static void round_triangles(int around, uint32_t *t) {
    const int rings = around / 4, half = rings * around + 1;
    for (int i = 0; i < around; i++) {
        const int next = (i + 1) % around;
        for (int e = 0; e < 2; e++) {
            const int at = e * half;
            for (int j = 0; j + 1 < rings; j++) {
                const int low = at + j * around, high = low + around;
                t = add_triangle(t, low + i, low + next, high + next, e == 1);
                t = add_triangle(t, low + i, high + next, high + i, e == 1);
            }
            t = add_triangle(t, at + (rings - 1) * around + i, at + (rings - 1) * around + next, at + half - 1, e == 1);
        }
        // between the two equators; without a length these triangles have no area
        t = add_triangle(t, half + i, half + next, next, false);
        t = add_triangle(t, half + i, next, i, false);
    }
}

static const uint32_t box_triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

sp_status sp__volumes_follow_shape(sp_constraints *c, sp_constraint_collider *k, double pixel) {
    if (k->triangles) return SP_OK;
    const int around = k->place[0].type == SP_PLANE ? 0 : shape_around(k->place[0].radius, pixel), rings = around / 4;
    const int vertices = around ? 2 * (rings * around + 1) : 8, triangles = around ? 4 * rings * around : 12;
    if (!SP_NEW(c->ctx, k->triangles, 3 * (size_t)triangles) || !SP_NEW(c->ctx, k->x0, 3 * (size_t)vertices) ||
        !SP_NEW(c->ctx, k->x1, 3 * (size_t)vertices)) {
        sp__free(c->ctx, k->triangles), sp__free(c->ctx, k->x0), sp__free(c->ctx, k->x1);
        k->triangles = NULL, k->x0 = k->x1 = NULL;
        return SP_FAIL(c->ctx, SP_NO_MEMORY, "no memory for the collision surface of '%s'", k->body->name);
    }
    k->around = around, k->vertex_count = vertices, k->triangle_count = triangles, k->volume = true;
    if (around)
        round_triangles(around, k->triangles);
    else
        memcpy(k->triangles, box_triangles, sizeof box_triangles);
    c->info.grown = true;
    return SP_OK;
}

// Middle and radius of a ball that contains all surfaces but planes.
static void bound_surfaces(const sp_constraints *c, double middle[3], double *radius) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, d[3];
    for (int i = 0; i < c->collider_count; i++) {
        const sp_constraint_collider *k = &c->colliders[i];
        const int n = k->surface ? k->surface->vertex_count : k->vertex_count;
        for (int v = 0; v < 3 * n && k->volume && (k->surface || k->around); v++) {
            low[v % 3] = fmin(low[v % 3], fmin(k->x0[v], k->x1[v]));
            high[v % 3] = fmax(high[v % 3], fmax(k->x0[v], k->x1[v]));
        }
    }
    for (int a = 0; a < 3; a++) middle[a] = 0.5 * (low[a] + high[a]);
    sp__sub3(high, low, d);
    *radius = 0.5 * sp__norm3(d);
}

// The half-space below a plane, as far as the ball reaches. Corners: bits 0 and 1 along the plane, bit 2 above.
static void plane_vertices(const sp_body_shape *s, const double middle[3], double radius, double pixel, double *x) {
    double frame[9], d[3], top[3];
    sp__constraints_frame(s->b, frame);
    sp__sub3(middle, s->a, d);
    const double height = sp__dot3(d, s->b), wide = radius + 2 * pixel, deep = fmax(radius - height, 0) + 4 * pixel;
    sp__axpy3(middle, -height, s->b, top);
    for (int i = 0; i < 8; i++, x += 3)
        for (int a = 0; a < 3; a++)
            x[a] = top[a] + (i & 1 ? wide : -wide) * frame[3 + a] + (i & 2 ? wide : -wide) * frame[6 + a] -
                   (i & 4 ? 0 : deep) * s->b[a];
}

static void place_shapes(sp_constraints *c) {
    double middle[3], radius;
    bool planes = false;
    for (int i = 0; i < c->collider_count; i++)
        planes = planes || (!c->colliders[i].surface && c->colliders[i].volume && c->colliders[i].around == 0);
    for (int plane = 0; plane < 1 + planes; plane++) {
        if (plane) bound_surfaces(c, middle, &radius);
        for (int i = 0; i < c->collider_count; i++) {
            sp_constraint_collider *k = &c->colliders[i];
            if (k->surface || !k->volume || (k->around == 0) != plane) continue;
            for (int s = 0; s < 2; s++) {
                double *x = s == 0 ? k->x0 : k->x1;
                if (plane)
                    plane_vertices(&k->place[s], middle, radius, c->pixel, x);
                else
                    round_vertices(&k->place[s], k->around, x);
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------- search

static bool can_move(const sp_body *b) {
    return !sp__constraints_is_static(b) && !b->frozen;
}

static const sp_constraint_collider *searched_collider(const sp_constraints *c, int surface) {
    return &c->colliders[c->surface_collider[surface]];
}

// 0: the two do not touch by volumes.
static double collider_pixel(const sp_constraints *c, const sp_constraint_collider *a, const sp_constraint_collider *b) {
    if (!can_move(a->body) && !can_move(b->body)) return 0;
    const sp_contact_rule rule = a == b ? c->base : sp__constraints_pair_rule(c, a, b);
    return rule.enabled && sp__contact_is_volume(rule.formulation) ? rule.pixel : 0;
}

static double pair_pixel(void *user, int a, int b) {
    const sp_constraints *c = user;
    return collider_pixel(c, searched_collider(c, a), searched_collider(c, b));
}

// The volume of an overlap is defined for closed surfaces.
static sp_status check_closed(sp_constraints *c) {
    for (int i = 0; i < c->collider_count; i++) {
        const sp_constraint_collider *k = &c->colliders[i];
        for (int j = 0; j < c->collider_count && k->open > 0; j++) {
            const sp_constraint_collider *other = &c->colliders[j];
            if (other->body == k->body || !(other->volume || other->open) || !(collider_pixel(c, k, other) > 0)) continue;
            return SP_FAIL(
                c->ctx, SP_BAD_INPUT,
                "volume contact needs closed surfaces: '%s' of '%s' has %d open edges; `souple mesh info FILE --repair OUT` "
                "closes it, or a pair with formulation=\"proximity\" measures its distance",
                k->surface->name, k->body->name, k->open);
        }
    }
    return SP_OK;
}

static sp_status list_surfaces(sp_constraints *c, sp_which state) {
    SP_TRY(ROOM(c, c->surfaces, c->surface_capacity, c->collider_count));
    SP_TRY(ROOM(c, c->surface_collider, c->surface_collider_capacity, c->collider_count));
    c->surface_count = 0;
    for (int i = 0; i < c->collider_count; i++) {
        const sp_constraint_collider *k = &c->colliders[i];
        const sp_surface *s = k->surface;
        if (!k->volume) continue;
        c->surface_collider[c->surface_count] = i;
        c->surfaces[c->surface_count++] = (sp_volume_surface){.x = state == SP_COMMITTED ? k->x0 : k->x1,
                                                              .vertex_count = s ? s->vertex_count : k->vertex_count,
                                                              .triangles = s ? s->faces : k->triangles,
                                                              .triangle_count = s ? s->face_count : k->triangle_count,
                                                              .group = (int)k->body->id.slot,
                                                              .self = s && (c->self || s->self) && !k->body->ops->shape};
    }
    return SP_OK;
}

// Volumes follow contacts at a distance in the order of keys. A cell is a number modulo 2^16, more than an image has.
static void overlap_key(const sp_constraints *c, const sp_overlap *o, uint64_t key[2]) {
    uint64_t side[2];
    for (int s = 0; s < 2; s++) side[s] = (uint64_t)searched_collider(c, o->surface[s])->id << 32;
    key[0] = (uint64_t)1 << 63 | side[0] | ((uint32_t)o->cell[2] & 0xffff);
    key[1] = side[1] | ((uint32_t)o->cell[1] & 0xffff) << 16 | ((uint32_t)o->cell[0] & 0xffff);
}

// One of the first `count` contacts, which are sorted; NULL: none.
static sp_constraint_contact *contact_of(const sp_constraints *c, int count, const uint64_t key[2]) {
    int low = 0, high = count;
    while (low < high) {
        const int middle = low + (high - low) / 2, order = sp__constraints_compare(c->contacts[middle].key, key);
        if (order == 0) return &c->contacts[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

// Where an overlap is: its surfaces and its cell. Overlaps are sorted by it.
static void overlap_place(const sp_overlap *o, int place[5]) {
    const int all[5] = {o->surface[0], o->surface[1], o->cell[2], o->cell[1], o->cell[0]};
    memcpy(place, all, sizeof all);
}

static int compare_places(const int a[5], const int b[5]) {
    int i = 0;
    while (i < 4 && a[i] == b[i]) i++;
    return (a[i] > b[i]) - (a[i] < b[i]);
}

// What was there at the start of the step; NULL: nothing.
static const sp_constraint_start *start_at(const sp_constraints *c, const int place[5]) {
    int low = 0, high = c->start_count;
    while (low < high) {
        const int middle = low + (high - low) / 2, order = compare_places(c->starts[middle].place, place);
        if (order == 0) return &c->starts[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

// The area of a cell along an axis is a number of rays: the normal of n x n rays is tilted by up to about 1 / n, and a body that
// slides over cells with such normals is held back as by a rough surface. With cells the normal is therefore that of the
// triangles of the patch, if it is within 45 degrees, and the gradients are projected on it: their sum stays zero, so that
// momentum is conserved. Without cells the same holds where one side is flat; elsewhere the normal and the gradients are those of
// the volume.
static double facet_cosine(const sp_overlap *o, double *flat) {
    *flat = sp__norm3(o->facet);
    return *flat > 0 ? sp__dot3(o->facet, o->normal) / *flat : 0;
}

static bool is_projected(const sp_contact_def *def, const sp_overlap *o) {
    double flat, cosine = facet_cosine(o, &flat);
    return (def->cell > 0 || flat > 0.99) && cosine > sqrt(0.5);
}

// The overlaps of one pair of surfaces, and the direction of all of them together; 0 where they have none in common.
typedef struct pair_overlaps {
    int first, end;
    double normal[3];
} pair_overlaps;

static pair_overlaps pair_from(const sp_constraints *c, int first) {
    pair_overlaps p = {.first = first, .end = first};
    const sp_overlap *o = c->overlaps.overlaps;
    double area = 0;
    for (; p.end < c->overlaps.count && memcmp(o[p.end].surface, o[first].surface, sizeof o->surface) == 0; p.end++) {
        sp__axpy3(p.normal, o[p.end].area, o[p.end].normal, p.normal);
        area += o[p.end].area;
    }
    const double length = sp__norm3(p.normal), common = 0.8;
    for (int a = 0; a < 3; a++) p.normal[a] = length > common * area ? p.normal[a] / length : 0;
    return p;
}

// A patch below half a pixel has no direction: a sliver, or a body that is inside another. Nor has a cell of a flat surface that
// so few rays have met that their direction is another one, or that they have met only the wall beside an edge: a body that
// slides would be stopped by its own edge.
static bool has_direction(const sp_contact_def *def, const pair_overlaps *p, const sp_overlap *o) {
    double flat, cosine = facet_cosine(o, &flat), few = 4 * o->pixel * o->pixel;
    if (!(o->area > 0.5 * o->pixel * o->pixel)) return false;
    if (def->cell == 0 || flat < 0.9) return true;
    if (o->area < few && sp__norm3(p->normal) > 0 && sp__dot3(p->normal, o->facet) < sqrt(0.5) * flat) return false;
    return cosine > sqrt(0.5);
}

// Normal, area along it, and mean depth of an overlap. The volume is that of the rays along the normal: others pass a layer that
// is thinner than a pixel, or see a whole pixel of it, and at rest the layer has half a pixel. Each axis has the weight n_k^2.
static double overlap_depth(const sp_contact_def *def, const sp_overlap *o, double normal[3], double *area) {
    double flat, volume = 0;
    facet_cosine(o, &flat);
    const bool projected = is_projected(def, o);
    for (int a = 0; a < 3; a++) {
        normal[a] = projected ? o->facet[a] / flat : o->normal[a];
        volume += normal[a] * normal[a] * o->along[a];
    }
    *area = o->area * sp__dot3(normal, o->normal);
    return volume / *area;
}

static bool is_spring(const sp_constraints *c, const sp_overlap *o) {
    const sp_constraint_collider *k[2] = {searched_collider(c, o->surface[0]), searched_collider(c, o->surface[1])};
    const sp_contact_rule rule = k[0] == k[1] ? c->base : sp__constraints_pair_rule(c, k[0], k[1]);
    return rule.formulation == SP_CONTACT_VOLUME_PENALTY;
}

// Overlap that a step may leave beyond what it is solved for, in pixels: a tenth of the usual slack.
static const double excess_tolerance = 0.05;

static void measure_overlaps(sp_constraints *c, const sp_contact_def *def) {
    c->excess = c->overlap_left = 0;
    for (int i = 0; i < c->count; i++)
        if (sp__constraints_is_volume(&c->contacts[i])) c->contacts[i].end = INFINITY;
    pair_overlaps pair = {0};
    for (int i = 0; i < c->overlaps.count; i++) {
        const sp_overlap *o = &c->overlaps.overlaps[i];
        uint64_t key[2];
        if (i == pair.end) pair = pair_from(c, i);
        // deeper than an edge of a pixel without a direction: not a sliver
        if (o->area == 0 && o->volume > o->pixel * o->pixel * o->pixel) c->info.contained++;
        if (!has_direction(def, &pair, o)) continue;
        overlap_key(c, o, key);
        sp_constraint_contact *k = contact_of(c, c->count, key);
        const bool spring = k ? k->spring : is_spring(c, o);
        double normal[3], area;
        const double depth = overlap_depth(def, o, normal, &area), tolerance = excess_tolerance * o->pixel;
        const double left = depth - (spring ? 0 : def->slack * o->pixel);
        if (k) k->end = -left;
        if (spring && k) continue;
        if (left > tolerance) c->overlap_left = fmax(c->overlap_left, left);
        if (left + (k ? k->allowed : 0) > tolerance) c->excess = fmax(c->excess, left + (k ? k->allowed : 0));
    }
}

static sp_status find_overlaps(sp_constraints *c, const sp_contact_def *def, sp_which state) {
    const sp_volume_options options = {.pixel = c->pixel, .cell = def->cell, .sliver = 2, .pair_pixel = pair_pixel, .user = c};
    SP_TRY(list_surfaces(c, state));
    SP_TRY(sp__volume_find(c->volume, &options, c->surface_count, c->surfaces, &c->overlaps));
    c->info.grown = c->info.grown || c->overlaps.grown;
    return SP_OK;
}

// The depths at the start of the step, in the order of the overlaps.
static sp_status keep_starts(sp_constraints *c, const sp_contact_def *def) {
    SP_TRY(find_overlaps(c, def, SP_COMMITTED));
    SP_TRY(ROOM(c, c->starts, c->start_capacity, c->overlaps.count));
    c->start_count = 0;
    pair_overlaps pair = {0};
    for (int i = 0; i < c->overlaps.count; i++) {
        const sp_overlap *o = &c->overlaps.overlaps[i];
        sp_constraint_start *start = &c->starts[c->start_count];
        double normal[3], area;
        if (i == pair.end) pair = pair_from(c, i);
        if (!has_direction(def, &pair, o)) continue;
        overlap_place(o, start->place);
        start->depth = overlap_depth(def, o, normal, &area), c->start_count++;
    }
    return SP_OK;
}

sp_status sp__volumes_search(sp_constraints *c, const sp_contact_def *def) {
    if (!c->volume) SP_TRY(sp__volume_create(c->ctx, &c->volume));
    const double start = sp__now_ms();
    SP_TRY(check_closed(c));
    place_shapes(c);
    if (c->start_count < 0) SP_TRY(keep_starts(c, def));
    SP_TRY(find_overlaps(c, def, SP_TRIAL));
    c->info.overlaps = c->overlaps.count, c->info.unbalanced = c->overlaps.unbalanced, c->info.contained = 0;
    measure_overlaps(c, def);
    c->info.detection_ms += sp__now_ms() - start;
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- contacts

// The material point of a shape at x0, and its displacement in the step, at the end of which the shape has it at x1. Triangles of
// a shape are not material: their points are those of the body at the same place, and a rolling body has the displacement of the
// point of contact (constraints_find.c).
static void shape_motion(sp_body *b, const double *x0, const double *x1, double h, sp_anchor *anchor, double moved[3]) {
    sp_anchor now;
    double at[3];
    b->ops->locate(b, SP_COMMITTED, x0, anchor);
    b->ops->locate(b, SP_TRIAL, x1, &now);
    if (can_move(b)) {
        b->ops->points(b, SP_TRIAL, 1, &now, at, moved);
        for (int a = 0; a < 3; a++) moved[a] *= h;
    } else {
        b->ops->points(b, SP_COMMITTED, 1, &now, at, NULL);
        sp__sub3(x1, at, moved);
    }
}

// The point of the axis of a sphere or a capsule that is nearest to x.
static void axis_point(const sp_body_shape *s, const double x[3], double out[3]) {
    double axis[3] = {0}, d[3];
    if (s->type == SP_CAPSULE) sp__sub3(s->b, s->a, axis);
    sp__sub3(x, s->a, d);
    const double square = sp__dot3(axis, axis), along = square > 0 ? sp__dot3(d, axis) / square : 0;
    sp__axpy3(s->a, fmin(fmax(along, 0), 1), axis, out);
}

// Material points of a vertex and their displacements along the normal and the tangents. The normals of a sphere or a capsule
// meet its axis: at points of the axis the pressure of few rays has no torque that turns it.
static void part_motion(const sp_constraint_collider *k, int vertex, double h, sp_constraint_part *p, double normal[3],
                        double tangent[3]) {
    const double *x0 = k->x0 + 3 * (size_t)vertex, *x1 = k->x1 + 3 * (size_t)vertex;
    double axis[2][3];
    if (k->surface) {
        p->anchor[0] = p->anchor[1] = k->surface->anchors[vertex];
        sp__sub3(x1, x0, normal);
        memcpy(tangent, normal, 3 * sizeof *tangent);
        return;
    }
    shape_motion(k->body, x0, x1, h, &p->anchor[1], tangent);
    p->anchor[0] = p->anchor[1];
    memcpy(normal, tangent, 3 * sizeof *normal);
    if (!k->around) return;
    for (int s = 0; s < 2; s++) axis_point(&k->place[s], s ? x1 : x0, axis[s]);
    shape_motion(k->body, axis[0], axis[1], h, &p->anchor[0], normal);
}

// Parts of the rows of an overlap, and the displacements of the step along them. The area is that along the normal of the frame.
static sp_status overlap_parts(sp_constraints *c, const sp_overlap *o, bool projected, double h, sp_constraint_contact *out,
                               double moved[3]) {
    const double *n = out->frame;
    SP_TRY(ROOM(c, c->parts, c->part_capacity, c->part_count + o->count));
    out->part = c->part_count;
    memset(moved, 0, 3 * sizeof *moved);
    for (int i = 0; i < o->count; i++) {
        const sp_overlap_entry *e = &c->overlaps.entries[o->first + i];
        sp_constraint_part *p = &c->parts[c->part_count++];
        double normal[3], tangent[3];
        part_motion(searched_collider(c, e->surface), e->vertex, h, p, normal, tangent);
        p->vertex = e->vertex, p->share = -sp__dot3(n, e->gradient) / out->area;
        for (int a = 0; a < 3; a++) p->normal[a] = projected ? p->share * n[a] : -e->gradient[a] / out->area;
        moved[0] += sp__dot3(p->normal, normal);
        for (int t = 1; t < 3; t++) moved[t] += p->share * sp__dot3(out->frame + 3 * t, tangent);
        out->anchor_count[e->side]++;
    }
    return SP_OK;
}

// Depth at the start of the step. Bodies that slide move into new cells, which take the deepest of their neighbours. *known: it
// is that of the cell itself.
static double start_depth(const sp_constraints *c, const sp_contact_def *def, const sp_overlap *o, bool *known) {
    int place[5];
    overlap_place(o, place);
    const sp_constraint_start *start = start_at(c, place);
    double deepest = start ? start->depth : 0;
    *known = start != NULL;
    for (int n = 0; n < 27 && !start && def->cell > 0; n++) {
        const int near[5] = {place[0], place[1], place[2] + n / 9 - 1, place[3] + n / 3 % 3 - 1, place[4] + n % 3 - 1};
        const sp_constraint_start *other = start_at(c, near);
        if (other) deepest = fmax(deepest, other->depth);
    }
    return deepest;
}

// The violation is a length of the motion. What overlaps at the start must not come nearer, or as far as the slack allows: a body
// at rest stays where it is, whatever the rays make of the depth at its free motion. What is deeper at the start than the slack,
// within the tolerance of the passes, stays too. What does not overlap at the start is measured at the free motion. A spring has
// the overlap at the start and the motion of the step in the same way, and is implicit in the latter.
static void set_violation(const sp_constraints *c, const sp_contact_def *def, const sp_overlap *o, double depth, double edge,
                          const double moved[3], sp_constraint_contact *out) {
    const double slack = out->spring ? 0 : def->slack * o->pixel;
    bool known;
    const double start = start_depth(c, def, o, &known);
    out->end = slack - depth, out->distance = slack - start;
    const bool rests = out->distance <= 0 && out->distance >= -excess_tolerance * o->pixel;
    if (!out->spring && !rests) out->allowed = sp__constraints_allowed_overlap(def->stabilisation, out->distance, edge);
    if (!out->spring && rests && known) out->allowed = out->distance;
    out->delta[0] = (known ? moved[0] + out->distance : out->end) - out->allowed;
    out->delta[1] = moved[1], out->delta[2] = moved[2];
}

static sp_status overlap_contact(sp_constraints *c, const sp_contact_def *def, const sp_overlap *o, double h,
                                 sp_constraint_contact *out) {
    const sp_constraint_collider *k[2] = {searched_collider(c, o->surface[0]), searched_collider(c, o->surface[1])};
    const sp_contact_rule rule = k[0] == k[1] ? c->base : sp__constraints_pair_rule(c, k[0], k[1]);
    double moved[3], edge = 0;
    const bool projected = is_projected(def, o);
    *out = (sp_constraint_contact){.friction = rule.friction, .fresh = true};
    overlap_key(c, o, out->key);
    double normal[3];
    const double depth = overlap_depth(def, o, normal, &out->area);
    sp__constraints_frame(normal, out->frame);
    for (int s = 0; s < 2; s++) {
        out->body[s] = k[s]->body, out->x[s] = k[s]->x0;
        out->patch[s] = (sp_constraint_side){.surface = k[s]->surface, .body = k[s]->body};
        memcpy(out->point[s], o->point, sizeof out->point[s]);
        if (isfinite(k[s]->size)) edge = fmax(edge, k[s]->size);
    }
    SP_TRY(overlap_parts(c, o, projected, h, out, moved));
    out->spring = rule.formulation == SP_CONTACT_VOLUME_PENALTY, out->damping = def->damping;
    if (def->law == SP_CONTACT_VISCOUS) {
        out->friction = 0;
        if (def->viscosity > 0) out->viscous = 1 / (def->viscosity * out->area * out->area);
    }
    out->stiffness = rule.formulation == def->formulation ? def->stiffness * out->area * out->area : 0;
    out->alarm = o->pixel;
    set_violation(c, def, o, depth, edge, moved, out);
    sp__constraints_warm_start(c, def, out);
    return SP_OK;
}

// A contact that is linearised again in the same step: what it may leave stays, and its impulse is the start.
static void contact_continue(const sp_constraint_contact *old, sp_constraint_contact *now) {
    double impulse[3];
    sp__mul3t(old->frame, old->lambda, impulse);
    for (int d = 0; d < 3; d++) now->lambda[d] = sp__dot3(now->frame + 3 * d, impulse);
    now->distance = old->distance, now->allowed = old->allowed;
    now->delta[0] = now->end - now->allowed;
}

static void sort_volumes(sp_constraints *c, int first) {
    for (int i = first; i < c->count; i++) {
        const sp_constraint_contact k = c->contacts[i];
        int at = i;
        for (; at > 0 && sp__constraints_compare(c->contacts[at - 1].key, k.key) > 0; at--) c->contacts[at] = c->contacts[at - 1];
        c->contacts[at] = k;
    }
}

sp_status sp__volumes_take(sp_constraints *c, const sp_contact_def *def, double h, int *added) {
    const int before = c->count;
    if (!c->has_volumes) return SP_OK;
    SP_TRY(sp__constraints_reserve(c, before + c->overlaps.count));
    pair_overlaps pair = {0};
    for (int i = 0; i < c->overlaps.count; i++) {
        const sp_overlap *o = &c->overlaps.overlaps[i];
        sp_constraint_contact now;
        if (i == pair.end) pair = pair_from(c, i);
        if (!has_direction(def, &pair, o)) continue;
        SP_TRY(overlap_contact(c, def, o, h, &now));
        sp_constraint_contact *old = contact_of(c, before, now.key);
        if (old) contact_continue(old, &now);
        now.base = now.delta[0];
        *(old ? old : &c->contacts[c->count++]) = now;
        ++*added;
    }
    sort_volumes(c, before);
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- rows

static const sp_constraint_part *side_part(const sp_constraints *c, const sp_constraint_contact *k, int side, int j) {
    return &c->parts[k->part + (side ? k->anchor_count[0] : 0) + j];
}

void sp__volumes_part(const sp_constraints *c, const sp_constraint_contact *k, int side, int j, int d, sp_anchor *anchor,
                      double direction[3]) {
    const sp_constraint_part *p = side_part(c, k, side, j);
    *anchor = p->anchor[d > 0];
    for (int a = 0; a < 3; a++) direction[a] = d == 0 ? p->normal[a] : p->share * k->frame[3 * d + a];
}

// A row of a volume has each node of the patch several times.
sp_status sp__volumes_merge(sp_constraints *c, sp_constraint_body *t) {
    bool any = false;
    for (int i = 0; i < t->count && !any; i++) any = sp__constraints_is_volume(&c->contacts[t->list[i] / 2]);
    if (!any) return SP_OK;
    const int before = c->mark_capacity;
    SP_TRY(ROOM(c, c->mark, c->mark_capacity, t->body->nv));
    if (c->mark_capacity > before)
        for (int i = 0; i < c->mark_capacity; i++) c->mark[i] = -1;
    int to = 0, from = 0;
    for (int r = 0; r < t->J.n; r++) {
        const int first = to, end = t->J.start[r + 1];
        for (; from < end; from++) {
            int *at = &c->mark[t->J.col[from]];
            if (*at < 0) {
                *at = to, t->J.col[to] = t->J.col[from], t->J.val[to++] = t->J.val[from];
            } else {
                t->J.val[*at] += t->J.val[from];
            }
        }
        for (int i = first; i < to; i++) c->mark[t->J.col[i]] = -1;
        t->J.start[r] = first;
    }
    t->J.start[t->J.n] = to;
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- queries

sp_anchor sp__volumes_anchor(const sp_constraints *c, const sp_constraint_contact *k, int side) {
    const sp_constraint_part *best = side_part(c, k, side, 0);
    for (int j = 1; j < k->anchor_count[side]; j++)
        if (fabs(side_part(c, k, side, j)->share) > fabs(best->share)) best = side_part(c, k, side, j);
    sp_anchor out = best->anchor[1];
    out.body = k->body[side]->id;
    return out;
}

// The pressure is the same at all vertices: each has a part of the area that is proportional to its share.
void sp__volumes_record(const sp_constraints *c, const sp_constraint_contact *k, int side, sp_contacts *list,
                        sp_contact_patch *out) {
    sp__contacts_patch(list, k->anchor_count[side], out);
    for (int j = 0; j < out->count; j++) {
        const sp_constraint_part *p = side_part(c, k, side, j);
        out->vertex[j] = (uint32_t)p->vertex, out->weight[j] = side ? -p->share : p->share;
        out->area[j] = out->weight[j] * k->area;
    }
}
