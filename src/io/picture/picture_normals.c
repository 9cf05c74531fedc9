// Corner normals: the area-weighted mean of the faces around a vertex within the crease angle. A bent bar keeps sharp edges and
// smooth sides. A given vertex normal is used if it fits the face; at the edges of a box it does not.
#include "io/picture/picture.h"
#include "math/vec3.h"

static const double crease_cosine = 0.80;  // 37 degrees: below the corner of a box, above the facets of a sphere
static const double fits_cosine = 0.75;    // 41 degrees: below the deviation of a normal averaged between two sides of a box
static const double round_cosine = 0.3;    // tubes: accepts all faces except the end caps

enum { CHUNK = 4096 };  // faces per task

typedef struct sp_normal_work {
    sp_soup *soup;
    int *start, *around;  // faces around each vertex, in compressed rows (CSR)
    double *normals;      // face normals with a length of twice the area
} sp_normal_work;

static int chunk_end(const sp_soup *s, int chunk) {
    return (chunk + 1) * CHUNK < s->face_count ? (chunk + 1) * CHUNK : s->face_count;
}

static void face_chunk(void *arg, int chunk, int worker) {
    sp_normal_work *w = arg;
    const sp_soup *s = w->soup;
    (void)worker;
    for (int f = chunk * CHUNK; f < chunk_end(s, chunk); f++) {
        const uint32_t *v = s->faces + 3 * (size_t)f;
        double a[3], b[3];
        sp__sub3(s->x + 3 * (size_t)v[1], s->x + 3 * (size_t)v[0], a);
        sp__sub3(s->x + 3 * (size_t)v[2], s->x + 3 * (size_t)v[0], b);
        sp__cross3(a, b, w->normals + 3 * (size_t)f);
    }
}

static void faces_around(const sp_soup *s, int *start, int *around) {
    for (size_t i = 0; i < 3 * (size_t)s->face_count; i++) start[s->faces[i] + 1]++;
    for (int v = 0; v < s->vertex_count; v++) start[v + 1] += start[v];
    // filled backwards, so that `start` ends with its final values
    for (int f = s->face_count - 1; f >= 0; f--)
        for (int k = 2; k >= 0; k--) around[--start[s->faces[3 * (size_t)f + (size_t)k] + 1]] = f;
    for (int v = 0; v < s->vertex_count; v++) start[v] = start[v + 1];
    start[s->vertex_count] = 3 * s->face_count;
}

static void corner_normal(const double *normals, const int *faces, int count, const double *own, float out[3]) {
    double sum[3] = {own[0], own[1], own[2]}, limit = crease_cosine * crease_cosine * sp__dot3(own, own);
    for (int k = 0; k < count; k++) {
        const double *n = normals + 3 * (size_t)faces[k];
        double d = sp__dot3(n, own);
        if (n == own || d < 0 || d * d < limit * sp__dot3(n, n)) continue;
        for (int i = 0; i < 3; i++) sum[i] += n[i];
    }
    double size = sp__norm3(sum);
    for (int i = 0; i < 3; i++) out[i] = size > 0 ? (float)(sum[i] / size) : 0;
}

static bool takes_given(const sp_soup *s, const sp_drawable *drawable, uint32_t vertex, const double *own, float out[3]) {
    if (!s->smooth) return false;
    double fits = drawable->round ? round_cosine : fits_cosine;
    const float *g = s->smooth + 3 * (size_t)vertex;
    double n[3] = {g[0], g[1], g[2]}, d = sp__dot3(n, own);
    if (!(d > 0) || d * d < fits * fits * sp__dot3(own, own) * sp__dot3(n, n)) return false;
    memcpy(out, g, 3 * sizeof *out);
    return true;
}

static void corner_chunk(void *arg, int chunk, int worker) {
    sp_normal_work *w = arg;
    sp_soup *s = w->soup;
    (void)worker;
    for (int f = chunk * CHUNK; f < chunk_end(s, chunk); f++)
        for (int k = 0; k < 3; k++) {
            uint32_t v = s->faces[3 * (size_t)f + (size_t)k];
            float *out = s->normals + 9 * (size_t)f + 3 * (size_t)k;
            if (takes_given(s, &s->drawables[s->drawable_of[f]], v, w->normals + 3 * (size_t)f, out)) continue;
            corner_normal(w->normals, w->around + w->start[v], w->start[v + 1] - w->start[v], w->normals + 3 * (size_t)f, out);
        }
}

sp_status sp__soup_normals(sp_context *ctx, sp_soup *s) {
    sp_normal_work w = {.soup = s};
    sp_status status = SP_NO_MEMORY;
    int chunks = (s->face_count + CHUNK - 1) / CHUNK;
    if (SP_NEW(ctx, w.start, (size_t)s->vertex_count + 2) && SP_NEW(ctx, w.around, 3 * (size_t)s->face_count + 1) &&
        SP_NEW(ctx, w.normals, 3 * (size_t)s->face_count + 1)) {
        faces_around(s, w.start, w.around);
        sp__parallel(ctx, chunks, face_chunk, &w);
        sp__parallel(ctx, chunks, corner_chunk, &w);
        status = SP_OK;
    }
    sp__free(ctx, w.start), sp__free(ctx, w.around), sp__free(ctx, w.normals);
    return status;
}
