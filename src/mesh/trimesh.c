// Creation and read access of triangle surfaces. Numbers are checked (range, finiteness), shapes are not: the examination reports
// defects of a surface, and a user must be able to inspect a bad one.
#include "mesh/trimesh.h"
#include "math/vec3.h"

sp_trimesh_def sp_trimesh_def_default(void) {
    return (sp_trimesh_def){.cookie = SP_COOKIE_TRIMESH};
}

static sp_status no_memory(sp_context *ctx) {
    return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a surface");
}

static sp_status check_counts(sp_context *ctx, const sp_trimesh_def *def) {
    if (def->cookie != SP_COOKIE_TRIMESH)
        return SP_FAIL(ctx, SP_BAD_INPUT, "the surface definition did not start from sp_trimesh_def_default()");
    if (def->vertex_count < 1 || def->vertex_count > SP_NODES_MAX)
        return SP_FAIL(ctx, SP_BAD_INPUT, "vertex_count = %d, must be in [1, %d]", def->vertex_count, SP_NODES_MAX);
    if (def->face_count < 1 || def->face_count > SP_TETS_MAX)
        return SP_FAIL(ctx, SP_BAD_INPUT, "face_count = %d, must be in [1, %d]", def->face_count, SP_TETS_MAX);
    if (!def->positions || !def->faces) return SP_FAIL(ctx, SP_BAD_INPUT, "positions and faces must be given");
    return SP_OK;
}

// copies n rows of `width` finite numbers in [low, high]; NULL stays NULL
static sp_status take_numbers(sp_context *ctx, const char *what, const double *from, int n, int width, double low, double high,
                              const double **out) {
    double *copy;
    if (!from) return SP_OK;
    for (size_t i = 0; i < (size_t)n * (size_t)width; i++) {
        if (isfinite(from[i]) && from[i] >= low && from[i] <= high) continue;
        sp_status bad = isfinite(from[i]) ? SP_BAD_INPUT : SP_NOT_FINITE;
        if (low > -INFINITY)
            return SP_FAIL(ctx, bad, "%s %zu has a value of %g, must be in [%g, %g]", what, i / (size_t)width, from[i], low,
                           high);
        return SP_FAIL(ctx, bad, "%s %zu has a value of %g, must be finite", what, i / (size_t)width, from[i]);
    }
    if (!SP_NEW(ctx, copy, (size_t)n * (size_t)width)) return no_memory(ctx);
    memcpy(copy, from, (size_t)n * (size_t)width * sizeof *copy);
    *out = copy;
    return SP_OK;
}

// copies three indices per face, from `least` to below `limit`; NULL stays NULL
static sp_status take_corners(sp_trimesh *s, const char *what, const int *from, int least, int limit, const int **out) {
    sp_context *ctx = s->ctx;
    size_t n = 3 * (size_t)s->def.face_count;
    int *copy;
    if (!from) return SP_OK;
    for (size_t i = 0; i < n; i++)
        if (from[i] < least || from[i] >= limit)
            return SP_FAIL(ctx, SP_BAD_INPUT, "triangle %zu names %s index %d, must be in [%d, %d]", i / 3, what, from[i], least,
                           limit - 1);
    if (!SP_NEW(ctx, copy, n)) return no_memory(ctx);
    memcpy(copy, from, n * sizeof *copy);
    *out = copy;
    return SP_OK;
}

// texture coordinates or normals: a list of their own, and an index into it at each corner
static sp_status take_channel(sp_trimesh *s, const char *what, int count, int width, const double *values, const int *corners,
                              const double **out_values, const int **out_corners) {
    if (!values && (count != 0 || corners)) return SP_FAIL(s->ctx, SP_BAD_INPUT, "%d %ss, but none given", count, what);
    if (count < 0 || count > 3 * SP_TETS_MAX)
        return SP_FAIL(s->ctx, SP_BAD_INPUT, "%d %ss, must be in [0, %d]", count, what, 3 * SP_TETS_MAX);
    if (values && !corners && count < s->def.vertex_count)
        return SP_FAIL(s->ctx, SP_BAD_INPUT, "%d %ss without numbers at the corners, must be one per vertex: %d", count, what,
                       s->def.vertex_count);
    SP_TRY(take_numbers(s->ctx, what, values, count, width, -INFINITY, INFINITY, out_values));
    return take_corners(s, what, corners, -1, count, out_corners);
}

static sp_status fill(sp_trimesh *s, const sp_trimesh_def *from) {
    sp_trimesh_def *to = &s->def;
    to->vertex_count = from->vertex_count, to->face_count = from->face_count;
    to->texcoord_count = from->texcoord_count, to->normal_count = from->normal_count;
    SP_TRY(take_numbers(s->ctx, "vertex", from->positions, from->vertex_count, 3, -INFINITY, INFINITY, &to->positions));
    SP_TRY(take_corners(s, "vertex", from->faces, 0, from->vertex_count, &to->faces));
    SP_TRY(take_channel(s, "texture coordinate", from->texcoord_count, 2, from->texcoords, from->face_texcoords, &to->texcoords,
                        &to->face_texcoords));
    SP_TRY(take_channel(s, "normal", from->normal_count, 3, from->normals, from->face_normals, &to->normals, &to->face_normals));
    SP_TRY(take_numbers(s->ctx, "colour of vertex", from->colors, from->vertex_count, 4, 0, 1, &to->colors));
    const sp_attributes given = {(sp_mesh_group *)from->groups, (sp_mesh_array *)from->arrays, from->group_count,
                                 from->array_count};
    SP_TRY(sp__attributes_take(s->ctx, &given, from->vertex_count, from->face_count, &s->with));
    to->groups = s->with.groups, to->group_count = s->with.group_count;
    to->arrays = s->with.arrays, to->array_count = s->with.array_count;
    return SP_OK;
}

sp_status sp_trimesh_create(sp_context *context, const sp_trimesh_def *def, sp_trimesh **out) {
    *out = NULL;
    SP_TRY(check_counts(context, def));
    sp_trimesh *s;
    if (!SP_NEW(context, s, 1)) return no_memory(context);
    s->ctx = context;
    s->def = sp_trimesh_def_default();
    sp_status status = fill(s, def);
    if (status < 0)
        sp_trimesh_destroy(&s);
    else
        *out = s;
    return status;
}

void sp_trimesh_destroy(sp_trimesh **handle) {
    if (!handle || !*handle) return;
    sp_trimesh *s = *handle;
    sp_context *ctx = s->ctx;
    const sp_trimesh_def *d = &s->def;
    *handle = NULL;
    sp__attributes_free(ctx, &s->with);
    const void *owned[] = {d->positions, d->faces, d->texcoords, d->face_texcoords, d->normals, d->face_normals, d->colors, s};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sp__free(ctx, (void *)owned[i]);
}

void sp_trimesh_get(const sp_trimesh *surface, sp_trimesh_def *out) {
    *out = surface->def;
}

sp_context *sp_trimesh_context(const sp_trimesh *surface) {
    return surface->ctx;
}
