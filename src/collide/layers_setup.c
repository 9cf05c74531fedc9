// Projection of points to the canvas, and clipping of triangles that reach behind the camera or far outside the canvas.
//
// A clipped edge is always traversed in the same direction, so that both of its triangles get the same new vertex.
#include "collide/layers_internal.h"
#include "math/vec3.h"

void sp__eye_place(const sp_eye *eye, const double x[3], double out[3]) {
    double d[3];
    sp__sub3(x, eye->at, d);
    out[0] = sp__dot3(d, eye->right), out[1] = sp__dot3(d, eye->up), out[2] = sp__dot3(d, eye->forward);
}

bool sp__eye_project(const sp_eye *eye, const double x[3], double out[3]) {
    double c[3];
    sp__eye_place(eye, x, c);
    if (!eye->parallel && !(c[2] >= eye->nearest && c[2] > 0)) return false;
    double s = eye->parallel ? eye->focal : eye->focal / c[2];
    out[0] = eye->cx + s * c[0], out[1] = eye->cy - s * c[1], out[2] = c[2];
    return true;
}

void sp__layer_corner(const sp_eye *eye, const double c[3], sp_corner *out) {
    double s = eye->parallel ? eye->focal : eye->focal / c[2];
    out->x = (int32_t)floor((eye->cx + s * c[0]) * SP_LAYER_GRID + 0.5);
    out->y = (int32_t)floor((eye->cy - s * c[1]) * SP_LAYER_GRID + 0.5);
    out->key = eye->parallel ? c[2] : -1 / c[2];
}

// clipping planes: a point is kept if the value is not negative. Affine in the point
static double cut_value(const sp_eye *eye, int cut, const double c[3]) {
    double w = eye->parallel ? 1 : c[2], reach = SP_LAYER_REACH - 1;
    switch (cut) {
    case 0: return eye->parallel ? 1 : c[2] - eye->nearest;
    case 1: return eye->focal * c[0] + (eye->cx + reach) * w;
    case 2: return (reach - eye->cx) * w - eye->focal * c[0];
    case 3: return (eye->cy + reach) * w - eye->focal * c[1];
    default: return eye->focal * c[1] + (reach - eye->cy) * w;
    }
}

// SP_BEYOND_ bits of a point; behind the camera the other bits are not computed
static unsigned char beyond(const sp_eye *eye, const double c[3]) {
    unsigned bits = 0;
    if (!(cut_value(eye, 0, c) >= 0)) return SP_BEYOND_NEAR;
    for (int k = 1; k < 5; k++)
        if (!(cut_value(eye, k, c) >= 0)) bits |= 1u << k;
    return (unsigned char)bits;
}

typedef struct sp_corner_work {
    sp_layer_set *set;
    atomic_int bad;  // 1 + a face with an invalid vertex number
} sp_corner_work;

static int chunk_first(int count, int chunk) {
    return (int)((int64_t)count * chunk / SP_LAYER_CHUNKS);
}

static void place_chunk(void *arg, int chunk, int worker) {
    sp_corner_work *w = arg;
    const sp_layers_def *d = w->set->def;
    (void)worker;
    for (int v = chunk_first(d->vertex_count, chunk); v < chunk_first(d->vertex_count, chunk + 1); v++) {
        double c[3];
        sp__eye_place(d->eye, d->x + 3 * (size_t)v, c);
        // a point that is not a number is invalid: every comparison fails
        w->set->beyond[v] = beyond(d->eye, c);
        if (!w->set->beyond[v]) sp__layer_corner(d->eye, c, &w->set->corners[v]);
    }
    for (int f = chunk_first(d->face_count, chunk); f < chunk_first(d->face_count, chunk + 1); f++)
        for (int k = 0; k < 3; k++)
            if (d->faces[3 * (size_t)f + (size_t)k] >= (uint32_t)d->vertex_count) atomic_store(&w->bad, f + 1);
}

sp_status sp__layer_corners(sp_context *ctx, const sp_layers_def *def, sp_layer_set *out) {
    *out = (sp_layer_set){.def = def};
    if (!SP_NEW(ctx, out->corners, (size_t)def->vertex_count + 1) || !SP_NEW(ctx, out->beyond, (size_t)def->vertex_count + 1))
        return SP_NO_MEMORY;
    sp_corner_work work = {.set = out};
    sp__parallel(ctx, SP_LAYER_CHUNKS, place_chunk, &work);
    if (!atomic_load(&work.bad)) return SP_OK;
    return SP_FAIL(ctx, SP_BAD_INPUT, "a triangle has a corner out of range, must be below %d", def->vertex_count);
}

void sp__layer_set_free(sp_context *ctx, sp_layer_set *s) {
    sp__free(ctx, s->corners), sp__free(ctx, s->beyond), sp__free(ctx, s->pieces), sp__free(ctx, s->piece_of);
}

// ---------------------------------------------------------------------------------------------------- clipping

enum { POLYGON_MOST = 3 + 5 };  // each plane adds at most one vertex

static int compare_places(const double *a, const double *b) {
    for (int k = 0; k < 3; k++)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

// intersection of the edge with the plane, computed from its smaller end
static void cut_edge(const sp_eye *eye, int cut, const double *a, const double *b, double out[3]) {
    if (compare_places(a, b) > 0) {
        const double *t = a;
        a = b, b = t;
    }
    double va = cut_value(eye, cut, a), vb = cut_value(eye, cut, b), s = va / (va - vb);
    for (int k = 0; k < 3; k++) out[k] = a[k] + s * (b[k] - a[k]);
    if (cut == 0) out[2] = eye->nearest;
}

// polygon clipping of Sutherland and Hodgman 1974
static int cut_polygon(const sp_eye *eye, int cut, double p[POLYGON_MOST][3], int count) {
    double out[POLYGON_MOST][3];
    int n = 0;
    for (int i = 0; i < count; i++) {
        const double *a = p[i], *b = p[(i + 1) % count];
        bool in_a = cut_value(eye, cut, a) >= 0, in_b = cut_value(eye, cut, b) >= 0;
        if (in_a && n < POLYGON_MOST) memcpy(out[n++], a, sizeof out[0]);
        if (in_a != in_b && n < POLYGON_MOST) cut_edge(eye, cut, a, b, out[n++]);
    }
    memcpy(p, out, sizeof out[0] * (size_t)n);
    return n;
}

static unsigned face_beyond(const sp_layer_set *s, int f, unsigned *all) {
    const uint32_t *v = s->def->faces + 3 * (size_t)f;
    *all = (unsigned)(s->beyond[v[0]] & s->beyond[v[1]] & s->beyond[v[2]]);
    return (unsigned)(s->beyond[v[0]] | s->beyond[v[1]] | s->beyond[v[2]]);
}

static void cut_face(sp_layer_set *s, int f) {
    const sp_eye *eye = s->def->eye;
    double p[POLYGON_MOST][3];
    int n = 3;
    for (int k = 0; k < 3; k++) {
        sp__eye_place(eye, s->def->x + 3 * (size_t)s->def->faces[3 * (size_t)f + (size_t)k], p[k]);
        if (!isfinite(p[k][0] + p[k][1] + p[k][2])) return;
    }
    for (int cut = eye->parallel; cut < 5 && n > 0; cut++) n = cut_polygon(eye, cut, p, n);
    for (int k = 2; k < n; k++) {
        sp_corner *out = s->pieces + 3 * (size_t)s->piece_count;
        sp__layer_corner(eye, p[0], &out[0]), sp__layer_corner(eye, p[k - 1], &out[1]), sp__layer_corner(eye, p[k], &out[2]);
        s->piece_of[s->piece_count++] = (uint32_t)f;
    }
}

// few triangles need clipping: they are processed serially
sp_status sp__layer_pieces(sp_context *ctx, sp_layer_set *s) {
    size_t cut = 0;
    unsigned all;
    for (int f = 0; f < s->def->face_count; f++) cut += face_beyond(s, f, &all) && !all;
    if (cut == 0) return SP_OK;
    size_t room = cut * (POLYGON_MOST - 2);
    if (room > (size_t)(INT32_MAX - s->def->face_count) || !SP_NEW(ctx, s->pieces, 3 * room) || !SP_NEW(ctx, s->piece_of, room))
        return SP_NO_MEMORY;
    for (int f = 0; f < s->def->face_count; f++)
        if (face_beyond(s, f, &all) && !all) cut_face(s, f);
    return SP_OK;
}
