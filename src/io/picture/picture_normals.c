// Normals at the corners of faces: the mean of the faces around a vertex that turn away by less than the crease angle, weighted
// by area. A bent bar keeps sharp edges and smooth sides.
#include "io/picture/picture.h"
#include "math/vec3.h"

static const double crease_cosine = 0.80;  // 37 degrees: finer than the corner of a box, coarser than a facet of a ball

static void face_normal(const sp_soup *s, int f, double out[3]) {
    const uint32_t *v = s->faces + 3 * (size_t)f;
    double a[3], b[3];
    sp__sub3(s->x + 3 * (size_t)v[1], s->x + 3 * (size_t)v[0], a);
    sp__sub3(s->x + 3 * (size_t)v[2], s->x + 3 * (size_t)v[0], b);
    sp__cross3(a, b, out);
}

// faces around each vertex, in compressed rows
static void faces_around(const sp_soup *s, int *start, int *around) {
    for (int i = 0; i < 3 * s->face_count; i++) start[s->faces[i] + 1]++;
    for (int v = 0; v < s->vertex_count; v++) start[v + 1] += start[v];
    // filled from the back so that `start` ends as it should
    for (int i = 3 * s->face_count - 1; i >= 0; i--) around[--start[s->faces[i] + 1]] = i / 3;
    for (int v = 0; v < s->vertex_count; v++) start[v] = start[v + 1];
    start[s->vertex_count] = 3 * s->face_count;
}

static void corner_normal(const double *normals, const int *faces, int count, const double *own, float out[3]) {
    double sum[3] = {own[0], own[1], own[2]}, length = sp__norm3(own);
    for (int k = 0; k < count; k++) {
        const double *n = normals + 3 * (size_t)faces[k];
        if (n == own || sp__dot3(n, own) < crease_cosine * sp__norm3(n) * length) continue;
        for (int i = 0; i < 3; i++) sum[i] += n[i];
    }
    double size = sp__norm3(sum);
    for (int i = 0; i < 3; i++) out[i] = size > 0 ? (float)(sum[i] / size) : 0;
}

sp_status sp__soup_normals(sp_context *ctx, sp_soup *s) {
    sp_status status = SP_NO_MEMORY;
    int *start = NULL, *around = NULL;
    double *normals = NULL;
    if (!SP_NEW(ctx, start, (size_t)s->vertex_count + 1) || !SP_NEW(ctx, around, 3 * (size_t)s->face_count + 1) ||
        !SP_NEW(ctx, normals, 3 * (size_t)s->face_count + 1) || !SP_NEW(ctx, s->normals, 9 * (size_t)s->face_count + 1))
        goto done;
    faces_around(s, start, around);
    for (int f = 0; f < s->face_count; f++) face_normal(s, f, normals + 3 * (size_t)f);
    for (int f = 0; f < s->face_count; f++)
        for (int k = 0; k < 3; k++) {
            uint32_t v = s->faces[3 * (size_t)f + (size_t)k];
            corner_normal(normals, around + start[v], start[v + 1] - start[v], normals + 3 * (size_t)f,
                          s->normals + 9 * (size_t)f + 3 * (size_t)k);
        }
    status = SP_OK;
done:
    sp__free(ctx, start), sp__free(ctx, around), sp__free(ctx, normals);
    return status;
}

void sp__soup_free(sp_context *ctx, sp_soup *s) {
    sp__free(ctx, s->x), sp__free(ctx, s->scalar), sp__free(ctx, s->faces), sp__free(ctx, s->skin_of);
    sp__free(ctx, s->normals), sp__free(ctx, s->skins), sp__free(ctx, s->markers);
    *s = (sp_soup){0};
}
