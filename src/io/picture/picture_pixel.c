// From layers to pixels: blends the layers of every sample from front to back and averages the samples of a pixel.
//
//   C += Tr a c;  Tr *= 1 - a         until almost opaque, then the background
//
// Lighting is the expensive part. Samples of a pixel share one evaluation if they hit the same face or faces that continue
// smoothly. Ground grids and drawn edges are finer than that and get one evaluation per row of samples.
#include "io/picture/picture.h"
#include "math/vec3.h"

enum {
    SAMPLES_ALL = SP_SAMPLES * SP_SAMPLES,
    SHARED = 40,      // cached evaluations per pixel
    LEVELS = 1 << 16  // entries of the table from linear to sRGB: 1/20 of an output step where the curve is steepest
};

// the centre first, then samples in other rows
static const unsigned char sample_order[SAMPLES_ALL] = {4, 2, 6, 0, 1, 3, 5, 7, 8};

typedef struct sp_lit {
    uint32_t face;
    int row;  // row of samples; -1: valid for all
    sp_hit hit;
    double color[3];
} sp_lit;

typedef struct sp_pixel_work {
    const sp_drawing *d;
    unsigned char *rgb, *srgb;  // image; table
    double background[3];
    unsigned char empty[3];  // a pixel that no ray hits
} sp_pixel_work;

typedef struct sp_pixel {
    const sp_pixel_work *work;
    sp_lit lit[SHARED];
    int count;
    sp_lit spare;  // used when the cache is full
} sp_pixel;

// ---------------------------------------------------------------------------------------------------- shared evaluations

static bool is_fine(const sp_drawable *drawable) {
    return drawable->ground || drawable->edges;
}

static bool same_value(const sp_legend *l, double a, double b) {
    if (l->regions) return (long)(a + 0.5) == (long)(b + 0.5);
    return fabs(a - b) <= 0.004 * (l->high - l->low);
}

// the surface at `a` continues at `b`: same appearance, nearly the same normal, colour and plane
static bool goes_on(const sp_drawing *d, const sp_hit *a, const sp_hit *b) {
    double to[3];
    if (a->drawable != b->drawable || sp__dot3(a->n, b->n) < 0.97) return false;
    if (a->drawable->by_field && !same_value(&d->legend, a->scalar, b->scalar)) return false;
    for (int i = 0; i < 3 && !a->drawable->by_field; i++)
        if (fabs(a->color[i] - b->color[i]) > 0.01) return false;
    if (fabs(a->opacity - b->opacity) > 0.02) return false;
    sp__sub3(b->x, a->x, to);
    return fabs(sp__dot3(to, a->n)) <= 3 * a->depth * SP_SAMPLES / d->camera.focal;
}

static const sp_lit *light_face(sp_pixel *p, uint32_t face, int sx, int sy) {
    const sp_drawing *d = p->work->d;
    const sp_drawable *drawable = &d->soup.drawables[d->soup.drawable_of[face]];
    int row = is_fine(drawable) ? sy % SP_SAMPLES : -1;
    for (int i = 0; i < p->count; i++)
        if (p->lit[i].face == face && p->lit[i].row == row) return &p->lit[i];
    sp_lit *l = p->count < SHARED ? &p->lit[p->count] : &p->spare;
    l->face = face, l->row = row;
    sp__hit_face(d, face, sx, sy, &l->hit);
    bool shared = false;
    for (int i = 0; i < p->count && row < 0 && !shared; i++) {
        shared = goes_on(d, &p->lit[i].hit, &l->hit);
        if (shared) memcpy(l->color, p->lit[i].color, sizeof l->color);
    }
    if (!shared) sp__hit_shade(d, &l->hit, p->work->background, l->color);
    p->count += l != &p->spare;
    return l;
}

// ---------------------------------------------------------------------------------------------------- blending

// faces where a ray leaves a body that it has entered do not count, unless all faces do. Open sheets are never entered
static bool pixel_counts(const sp_drawing *d, const sp_layer *l, uint64_t *entered) {
    const sp_drawable *drawable = &d->soup.drawables[d->soup.drawable_of[l->face]];
    uint64_t bit = 1ull << (drawable - d->soup.drawables) % 64;
    if (d->walls || drawable->opacity >= 1) return true;
    bool leaves = l->back && *entered & bit;
    if (!l->back) *entered |= bit;
    return !leaves;
}

static bool is_clipped(const sp_drawing *d, const sp_layer *l, int sx, int sy) {
    const sp_eye *eye = &d->camera;
    if (!d->soup.drawables[d->soup.drawable_of[l->face]].clipped) return false;
    double x[3], a = (sx + 0.5 - eye->cx) / eye->focal, b = (sy + 0.5 - eye->cy) / eye->focal;
    for (int i = 0; i < 3; i++) x[i] = eye->at[i] + l->depth * (eye->forward[i] + a * eye->right[i] - b * eye->up[i]);
    return sp__clip_distance(d, x) > 1e-5 * d->size;  // a face that lies in the plane is drawn, whatever the rounding of the hit
}

static void pixel_blend(sp_pixel *p, const sp_layer *layers, uint32_t count, int sx, int sy, double sum[3]) {
    const sp_drawing *d = p->work->d;
    double left = 1;
    uint64_t entered = 0;
    for (uint32_t k = 0; k < count && left > 1.0 / 1024; k++) {
        if (d->clip && is_clipped(d, &layers[k], sx, sy)) continue;
        if (!pixel_counts(d, &layers[k], &entered)) continue;
        const sp_lit *l = light_face(p, layers[k].face, sx, sy);
        double a = l->hit.opacity < 1 ? fmax(l->hit.opacity, 0) : 1;
        for (int i = 0; i < 3; i++) sum[i] += left * a * l->color[i];
        left *= 1 - a;
    }
    for (int i = 0; i < 3; i++) sum[i] += left * p->work->background[i];
}

static void average(const sp_pixel_work *w, const double sum[3], unsigned char out[3]) {
    for (int i = 0; i < 3; i++) {
        double c = sum[i] / SAMPLES_ALL;
        out[i] = w->srgb[c <= 0 ? 0 : c >= 1 ? LEVELS - 1 : (int)(c * (LEVELS - 1) + 0.5)];
    }
}

// the samples of a pixel are in SP_SAMPLES rows of the tile
static bool is_empty(const sp_layer_tile *t, int x, int y) {
    for (int k = 0; k < SP_SAMPLES; k++) {
        const uint32_t *start = t->start + (y + k) * t->width + x;
        if (start[SP_SAMPLES] != start[0]) return false;
    }
    return true;
}

static void draw_pixel(sp_pixel *p, const sp_layer_tile *t, int px, int py, unsigned char out[3]) {
    double sum[3] = {0, 0, 0};
    if (is_empty(t, SP_SAMPLES * px - t->x, SP_SAMPLES * py - t->y)) {
        memcpy(out, p->work->empty, 3);
        return;
    }
    p->count = 0;
    for (int k = 0; k < SAMPLES_ALL; k++) {
        int x = SP_SAMPLES * px + sample_order[k] % SP_SAMPLES, y = SP_SAMPLES * py + sample_order[k] / SP_SAMPLES;
        int i = (y - t->y) * t->width + x - t->x;
        pixel_blend(p, t->layers + t->start[i], t->start[i + 1] - t->start[i], x, y, sum);
    }
    average(p->work, sum, out);
}

static void draw_tile(void *user, const sp_layer_tile *t, int worker) {
    const sp_pixel_work *w = user;
    sp_pixel p;
    (void)worker;
    p.work = w;
    for (int py = t->y / SP_SAMPLES; py < (t->y + t->height) / SP_SAMPLES; py++)
        for (int px = t->x / SP_SAMPLES; px < (t->x + t->width) / SP_SAMPLES; px++)
            draw_pixel(&p, t, px, py, w->rgb + 3 * ((size_t)py * (size_t)w->d->width + (size_t)px));
}

// ---------------------------------------------------------------------------------------------------- image

static unsigned char kind_of(const sp_drawing *d, int f) {
    const sp_soup *s = &d->soup;
    const sp_drawable *drawable = &s->drawables[s->drawable_of[f]];
    if (drawable->opacity <= 0 || sp__clips_face(d, f, 3)) return SP_LAYER_ABSENT;
    if (drawable->opacity < 1 || (d->clip && drawable->clipped)) return SP_LAYER_THROUGH;
    for (int k = 0; k < 3 && drawable->by_vertex; k++)
        if (s->colors[4 * (size_t)s->faces[3 * (size_t)f + (size_t)k] + 3] < 1) return SP_LAYER_THROUGH;
    return SP_LAYER_HIDES;
}

sp_status sp__picture_pixels(sp_context *ctx, const sp_drawing *d, unsigned char *rgb) {
    const sp_soup *s = &d->soup;
    sp_pixel_work w = {.d = d, .rgb = rgb};
    unsigned char *kind = NULL;
    sp_status status = SP_NO_MEMORY;
    if (SP_NEW(ctx, w.srgb, LEVELS) && SP_NEW(ctx, kind, (size_t)s->face_count + 1)) {
        for (int i = 0; i < LEVELS; i++) w.srgb[i] = (unsigned char)(255 * sp__to_srgb((double)i / (LEVELS - 1)) + 0.5);
        double sum[3] = {0, 0, 0};
        for (int i = 0; i < 3; i++) w.background[i] = sp__to_linear(d->background[i]);
        for (int k = 0; k < 3 * SAMPLES_ALL; k++) sum[k % 3] += w.background[k % 3];
        average(&w, sum, w.empty);
        for (int f = 0; f < s->face_count; f++) kind[f] = kind_of(d, f);
        sp_layers_def def = {.eye = &d->camera, .width = d->width * SP_SAMPLES, .height = d->height * SP_SAMPLES, .kind = kind};
        def.vertex_count = s->vertex_count, def.x = s->x, def.face_count = s->face_count, def.faces = s->faces;
        def.tile = draw_tile, def.user = &w;
        status = sp__layers(ctx, &def);
    }
    sp__free(ctx, w.srgb), sp__free(ctx, kind);
    return status;
}
