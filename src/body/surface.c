#include "body/surface.h"

#include <stdio.h>
#include <string.h>

#include "body/body.h"

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

void sp__surface_positions(sp_body *b, const sp_surface *surface, sp_which which, double *x, float *x_float, double *v) {
    positions_job j = {b, surface, which, x, v, x_float};
    if (b->ops->update_kinematics) b->ops->update_kinematics(b, NULL, which);
    sp__parallel(b->ctx, surface->vertex_count / CHUNK + (surface->vertex_count % CHUNK != 0), positions_chunk, &j);
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
