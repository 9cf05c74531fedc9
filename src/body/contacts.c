// See contacts.h.
#include "body/contacts.h"

#include "body/body.h"
#include "math/vec3.h"

// ---------------------------------------------------------------------------------------------------- memory

static int contacts_table_size(int vertices) {
    int size = 16;
    while (size < 2 * vertices) size *= 2;  // half full
    return size;
}

static sp_status reserve_list(sp_context *ctx, sp_contacts *c, int count) {
    if (count <= c->capacity) return SP_OK;
    if (count > INT32_MAX / 64) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for %d contacts", count);
    const int capacity = count + count / 2 + 8;
    sp_contact_record *list = sp__alloc(ctx, (size_t)capacity, sizeof *list);
    if (!list) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for %d contacts", count);
    if (c->count) memcpy(list, c->list, (size_t)c->count * sizeof *list);
    sp__free(ctx, c->list);
    c->list = list, c->capacity = capacity;
    return SP_OK;
}

static void move_patches(sp_contacts *c, uint32_t *vertex, double *weight, double *area) {
    const size_t n = (size_t)c->vertex_count;
    if (n) memcpy(vertex, c->vertex, n * sizeof *vertex);
    if (n) memcpy(weight, c->weight, n * sizeof *weight), memcpy(area, c->area, n * sizeof *area);
    for (int k = 0; k < c->count; k++)
        for (int s = 0; s < 2; s++) {
            sp_contact_patch *p = &c->list[k].side[s];
            if (p->count == 0) continue;
            const ptrdiff_t at = p->vertex - c->vertex;
            p->vertex = vertex + at, p->weight = weight + at, p->area = area + at;
        }
}

static sp_status reserve_vertices(sp_context *ctx, sp_contacts *c, int vertices) {
    if (vertices <= c->vertex_capacity) return SP_OK;
    if (vertices > INT32_MAX / 64) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for %d vertices of contacts", vertices);
    const int capacity = vertices + vertices / 2 + 48, size = contacts_table_size(capacity);
    uint32_t *vertex = sp__alloc(ctx, (size_t)capacity, sizeof *vertex);
    double *numbers = sp__alloc(ctx, 2 * (size_t)capacity, sizeof *numbers);
    sp_contact_sum_at *sums = sp__alloc(ctx, (size_t)size, sizeof *sums);
    if (!vertex || !numbers || !sums) {
        sp__free(ctx, vertex), sp__free(ctx, numbers), sp__free(ctx, sums);
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for %d vertices of contacts", vertices);
    }
    move_patches(c, vertex, numbers, numbers + capacity);
    sp__free(ctx, c->vertex), sp__free(ctx, c->weight), sp__free(ctx, c->sums);
    c->vertex = vertex, c->weight = numbers, c->area = numbers + capacity, c->vertex_capacity = capacity;
    c->sums = sums, c->sum_count = size;
    return SP_OK;
}

sp_status sp__contacts_reserve(sp_context *ctx, sp_contacts *c, int count, int vertices) {
    SP_TRY(reserve_list(ctx, c, count));
    return reserve_vertices(ctx, c, vertices);
}

void sp__contacts_free(sp_context *ctx, sp_contacts *c) {
    sp__free(ctx, c->list), sp__free(ctx, c->sums), sp__free(ctx, c->vertex), sp__free(ctx, c->weight);
    *c = (sp_contacts){0};
}

void sp__contacts_clear(sp_contacts *c) {
    c->count = c->vertex_count = 0;
}

void sp__contacts_patch(sp_contacts *c, int count, sp_contact_patch *patch) {
    const int at = c->vertex_count;
    patch->count = count;
    patch->vertex = c->vertex + at, patch->weight = c->weight + at, patch->area = c->area + at;
    c->vertex_count += count;
}

// ---------------------------------------------------------------------------------------------------- areas

// The vertices of a strand follow each other, with arc lengths from 0 on.
double sp__contacts_line_area(const sp_surface *s, int v) {
    double length = 0;
    if (v > 0 && s->arc[v - 1] < s->arc[v]) length += s->arc[v] - s->arc[v - 1];
    if (v + 1 < s->vertex_count && s->arc[v + 1] > s->arc[v]) length += s->arc[v + 1] - s->arc[v];
    return 2 * s->radii[v] * 0.5 * length;
}

// Faces steeper than 60 degrees do not carry: the sides of a block add nothing to the corners of its base, also where they bulge.
// A vertex with steep faces only (the tip of a needle) has what of them looks at the contact, one without any (deep overlap) has
// all of them.
static double vertex_area(const sp_surface *s, const double *x, uint32_t vertex, const double away[3]) {
    double flat = 0, facing = 0, whole = 0, d[2][3], n[3];
    if (s->segments) return sp__contacts_line_area(s, (int)vertex);
    for (int k = s->vertex_faces.start[vertex]; k < s->vertex_faces.start[vertex + 1]; k++) {
        const uint32_t *f = s->faces + 3 * (size_t)s->vertex_faces.face[k];
        for (int i = 0; i < 2; i++) sp__sub3(x + 3 * (size_t)f[i + 1], x + 3 * (size_t)f[0], d[i]);
        sp__cross3(d[0], d[1], n);
        const double size = sp__norm3(n), projected = sp__dot3(n, away);
        if (projected > 0.5 * size) flat += projected;
        facing += fmax(0, projected), whole += size;
    }
    // a third of half the cross product; a threshold against faces that are parallel to the normal but for rounding
    return (flat > 0 ? flat : facing > 1e-6 * whole ? facing : whole) / 6;
}

void sp__contacts_areas(const double *x, const double away[3], sp_contact_patch *patch) {
    for (int i = 0; i < patch->count; i++) patch->area[i] = vertex_area(patch->surface, x, patch->vertex[i], away);
}

// ---------------------------------------------------------------------------------------------------- pressure

double sp__contacts_pressure(const sp_contact_patch *p, int i, double normal_force) {
    return p->area[i] > 0 ? p->weight[i] * normal_force / p->area[i] : 0;
}

static sp_contact_sum_at *sum_of(const sp_contacts *c, const sp_surface *surface, uint32_t vertex) {
    // where an entry is depends on addresses, what it holds does not
    uint64_t at = sp__mix((uint64_t)(uintptr_t)surface, vertex);
    for (;; at++) {
        sp_contact_sum_at *e = &c->sums[at & (uint64_t)(c->sum_count - 1)];
        if (e->surface == surface && e->vertex == vertex) return e;
        if (e->surface) continue;
        e->surface = surface, e->vertex = vertex;
        return e;
    }
}

static void contacts_add_up(sp_contacts *c) {
    memset(c->sums, 0, (size_t)c->sum_count * sizeof *c->sums);
    for (int k = 0; k < c->count; k++)
        for (int s = 0; s < 2; s++) {
            const sp_contact_patch *p = &c->list[k].side[s];
            for (int i = 0; i < p->count; i++)
                sum_of(c, p->surface, p->vertex[i])->pressure += sp__contacts_pressure(p, i, c->list[k].normal_force);
        }
}

// The side whose vertices measure the contact: the one that touches with a vertex, else the first with faces.
static const sp_contact_patch *measured_side(const sp_contact_record *r) {
    const sp_contact_patch *a = &r->side[0], *b = &r->side[1];
    if (a->count == 1) return a;
    if (b->count == 1 || a->count == 0) return b;
    return a;
}

void sp__contacts_finish(sp_contacts *c) {
    if (c->count == 0) return;
    contacts_add_up(c);
    for (int k = 0; k < c->count; k++) {
        sp_contact_record *r = &c->list[k];
        const sp_contact_patch *p = measured_side(r);
        double pressure = 0;
        if (r->area > 0) {
            r->point.pressure = r->normal_force / r->area, r->point.area = r->area;
            continue;
        }
        for (int i = 0; i < p->count; i++) pressure += p->weight[i] * sum_of(c, p->surface, p->vertex[i])->pressure;
        r->point.pressure = pressure;
        r->point.area = pressure > 0 ? r->normal_force / pressure : 0;
    }
}

static bool same_body(sp_body_id a, sp_body_id b) {
    return a.slot == b.slot && a.generation == b.generation;
}

void sp__contacts_sum(const sp_contacts *c, sp_body_id id, sp_contact_sum *out) {
    *out = (sp_contact_sum){.gap = INFINITY};
    for (int k = 0; k < c->count; k++) {
        const sp_contact_point *p = &c->list[k].point;
        const bool first = same_body(p->bodies[0], id), second = same_body(p->bodies[1], id);
        if (id.slot && !first && !second) continue;
        out->count++;
        for (int a = 0; a < 3 && first != second; a++) out->force[a] += first ? p->force[a] : -p->force[a];
        out->normal += sp__dot3(p->force, p->normal);
        out->largest = fmax(out->largest, sp__norm3(p->force));
        out->pressure = fmax(out->pressure, p->pressure);
        out->gap = fmin(out->gap, p->gap);
    }
}
