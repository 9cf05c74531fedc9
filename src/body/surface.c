#include "body/surface.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "body/body.h"
#include "core/share.h"
#include "util/sort.h"

// vertices per task (less does not repay waking a worker), vertices per call of `points`
enum { CHUNK = 2048, BLOCK = 128 };

// ---------------------------------------------------------------------------------------------------- creation

sp_surface *sp__surface_create(sp_context *ctx, const char *name, unsigned roles) {
    sp_surface *s = sp__alloc(ctx, 1, sizeof *s);
    if (!s) return NULL;
    snprintf(s->name, sizeof s->name, "%s", name);
    s->roles = roles, s->revision = 1, s->refs = 1;
    return s;
}

void sp__surface_release(sp_context *ctx, sp_surface **surface) {
    sp_surface *s = *surface;
    *surface = NULL;
    if (!s || --s->refs > 0) return;
    sp__free(ctx, s->anchors), sp__free(ctx, s->faces);
    sp__free(ctx, s->nodes), sp__free(ctx, s->stripes), sp__free(ctx, s->rings);
    sp__free(ctx, s->segments), sp__free(ctx, s->radii), sp__free(ctx, s->arc);
    sp__free(ctx, s->texcoords), sp__free(ctx, s->colors);
    sp__free(ctx, s->x), sp__free(ctx, s->face_normals);
    sp__vertex_faces_free(ctx, &s->vertex_faces);
    sp__transpose_free(ctx, &s->up);
    sp__distance_field_release(&s->field);
    sp__free(ctx, s);
}

void sp__surface_share(sp_context *ctx, sp_surface *s) {
    SP_SHARE(ctx, s->anchors), SP_SHARE(ctx, s->faces), SP_SHARE(ctx, s->nodes), SP_SHARE(ctx, s->stripes);
    SP_SHARE(ctx, s->rings), SP_SHARE(ctx, s->texcoords), SP_SHARE(ctx, s->colors);
}

sp_status sp__surfaces_reserve(sp_body *b) {
    if (b->surface_count < b->surface_capacity) return SP_OK;
    int capacity = b->surface_capacity ? 2 * b->surface_capacity : 2;
    sp_surface **surfaces = sp__alloc(b->ctx, (size_t)capacity, sizeof *surfaces);
    if (!surfaces) return SP_NO_MEMORY;
    if (b->surface_count) memcpy(surfaces, b->surfaces, (size_t)b->surface_count * sizeof *surfaces);
    sp__free(b->ctx, b->surfaces);
    b->surfaces = surfaces;
    b->surface_capacity = capacity;
    return SP_OK;
}

void sp__surfaces_add(sp_body *b, sp_surface *surface) {
    b->surfaces[b->surface_count++] = surface;
}

void sp__surfaces_free(sp_body *b) {
    for (int i = 0; i < b->surface_count; i++) sp__surface_release(b->ctx, &b->surfaces[i]);
    sp__surface_release(b->ctx, &b->centreline);
    sp__free(b->ctx, b->surfaces);
    b->surfaces = NULL;
    b->surface_count = b->surface_capacity = 0;
}

unsigned sp__boundary_roles(const sp_body *b) {
    unsigned taken = 0;
    for (int i = 1; i < b->surface_count; i++) taken |= b->surfaces[i]->roles;
    return SP_ROLE_MECHANICAL | ((SP_ROLE_VISUAL | SP_ROLE_COLLISION) & ~taken);
}

// ---------------------------------------------------------------------------------------------------- positions, normals

typedef struct positions_job {
    sp_body *b;
    const sp_surface *surface;
    sp_which which;
    double *x, *v;
    float *x_float;
    double *x0;  // at the committed state too; NULL: no
} positions_job;

static void positions_chunk(void *arg, int task, int worker) {
    const positions_job *j = arg;
    int end = j->surface->vertex_count - task * CHUNK < CHUNK ? j->surface->vertex_count : (task + 1) * CHUNK;
    double capacity[3 * BLOCK];
    (void)worker;
    for (int i = task * CHUNK; i < end; i += BLOCK) {
        int n = end - i < BLOCK ? end - i : BLOCK;
        size_t at = 3 * (size_t)i;
        double *x = j->x ? j->x + at : capacity;
        if (j->x0) j->b->ops->points(j->b, SP_COMMITTED, n, j->surface->anchors + i, j->x0 + at, NULL);
        j->b->ops->points(j->b, j->which, n, j->surface->anchors + i, x, j->v ? j->v + at : NULL);
        for (size_t k = 0; k < 3 * (size_t)n && j->x_float; k++) j->x_float[at + k] = (float)x[k];
    }
}

int sp__heaviest_corner(const double weights[3]) {
    int k = weights[1] > weights[0] ? 1 : 0;
    return weights[2] > weights[k] ? 2 : k;
}

sp_anchor sp__anchor_mean(const sp_anchor corner[3], const double weights[3]) {
    sp_anchor out = corner[0];
    for (int i = 0; i < 3; i++) {
        out.at[i] = weights[0] * corner[0].at[i] + weights[1] * corner[1].at[i] + weights[2] * corner[2].at[i];
        out.offset[i] = weights[0] * corner[0].offset[i] + weights[1] * corner[1].offset[i] + weights[2] * corner[2].offset[i];
    }
    return out;
}

static void positions_run(positions_job *j) {
    const int n = j->surface->vertex_count;
    sp__parallel(j->b->ctx, n / CHUNK + (n % CHUNK != 0), positions_chunk, j);
}

void sp__surface_positions(sp_body *b, const sp_surface *surface, sp_which which, double *x, float *x_float, double *v) {
    positions_job j = {b, surface, which, x, v, x_float, NULL};
    if (b->ops->update_kinematics) b->ops->update_kinematics(b, NULL, which);
    positions_run(&j);
}

void sp__surface_motion(sp_body *b, const sp_surface *surface, double *x0, double *x1) {
    positions_job j = {b, surface, SP_TRIAL, x1, NULL, NULL, x0};
    if (b->ops->update_kinematics) {  // of one state at a time
        sp__surface_positions(b, surface, SP_COMMITTED, x0, NULL, NULL);
        sp__surface_positions(b, surface, SP_TRIAL, x1, NULL, NULL);
        return;
    }
    positions_run(&j);
}

sp_status sp__surface_prepare(sp_context *ctx, sp_surface *s) {
    double *x = NULL, *normals = NULL;
    if (s->x) return SP_OK;
    if (!SP_NEW(ctx, x, 3 * (size_t)s->vertex_count + 1) || !SP_NEW(ctx, normals, 3 * (size_t)s->face_count + 1) ||
        sp__vertex_faces_create(ctx, s->vertex_count, s->face_count, 3, s->faces, &s->vertex_faces) < 0) {
        sp__free(ctx, x), sp__free(ctx, normals);
        return SP_NO_MEMORY;
    }
    s->x = x, s->face_normals = normals;
    return SP_OK;
}

void sp__surface_normals(sp_context *ctx, sp_surface *s, double *normals, float *normals_float) {
    sp__normals(ctx, s->vertex_count, s->face_count, s->faces, &s->vertex_faces, s->x, s->face_normals, normals, normals_float);
}

// ---------------------------------------------------------------------------------------------------- closed surfaces

typedef struct placed_vertex {
    double x[3];
    int vertex;
} placed_vertex;

static int compare_places(const void *a, const void *b) {
    const placed_vertex *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p->x[k] != q->x[k]) return p->x[k] < q->x[k] ? -1 : 1;
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

// the first vertex at the place of each vertex
static void weld_vertices(placed_vertex *sorted, int count, int *weld) {
    qsort(sorted, (size_t)count, sizeof *sorted, compare_places);
    for (int i = 0; i < count; i++) {
        const bool same = i > 0 && memcmp(sorted[i].x, sorted[i - 1].x, sizeof sorted[i].x) == 0;
        weld[sorted[i].vertex] = same ? weld[sorted[i - 1].vertex] : sorted[i].vertex;
    }
}

// Edges as keys of their ends, the smaller first; the lowest bit is the direction. A closed surface passes each edge as often in
// one direction as in the other.
static int count_open(uint64_t *key, int count) {
    int open = 0;
    sp__sort_keys(key, count);
    for (int i = 0, end; i < count; i = end) {
        int balance = 0;
        for (end = i; end < count && key[end] >> 1 == key[i] >> 1; end++) balance += key[end] & 1 ? 1 : -1;
        open += abs(balance);
    }
    return open;
}

static sp_status count_surface(sp_context *ctx, sp_body *b, const sp_surface *s, int *count) {
    const size_t n = (size_t)s->vertex_count;
    placed_vertex *sorted = sp__alloc(ctx, n + 1, sizeof *sorted);
    double *x = sp__alloc(ctx, 3 * n + 1, sizeof *x);
    int *weld = sp__alloc(ctx, n + 1, sizeof *weld), keys = 0;
    uint64_t *key = sp__alloc(ctx, 3 * (size_t)s->face_count + 1, sizeof *key);
    sp_status status =
        sorted && x && weld && key ? SP_OK : SP_FAIL(ctx, SP_NO_MEMORY, "no memory for the edges of '%s'", b->name);
    if (status >= 0) {
        sp__surface_positions(b, s, SP_COMMITTED, x, NULL, NULL);
        for (size_t i = 0; i < n; i++) {
            sorted[i].vertex = (int)i;
            for (size_t k = 0; k < 3; k++) sorted[i].x[k] = x[3 * i + k] + 0.0;  // -0 is 0
        }
        weld_vertices(sorted, s->vertex_count, weld);
        for (int f = 0; f < s->face_count; f++)
            for (int k = 0; k < 3; k++) {
                const uint64_t p = (uint64_t)weld[s->faces[3 * f + k]], q = (uint64_t)weld[s->faces[3 * f + (k + 1) % 3]];
                if (p != q) key[keys++] = p < q ? p << 32 | q << 1 | 1 : q << 32 | p << 1;
            }
        *count = count_open(key, keys);
    }
    sp__free(ctx, sorted), sp__free(ctx, x), sp__free(ctx, weld), sp__free(ctx, key);
    return status;
}

sp_status sp__surface_open_edges(sp_context *ctx, sp_body *b, sp_surface *s, int *count) {
    if (s->counted != s->revision) {
        SP_TRY(count_surface(ctx, b, s, &s->open_edges));
        s->counted = s->revision;
    }
    *count = s->open_edges;
    return SP_OK;
}
