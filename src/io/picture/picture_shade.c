// The colour of every sample: find the place and the normal again from the ray, add up the lights, average the samples of a
// pixel. Bands of rows are drawn by tasks of the pool; each band depends on nothing but its number.
#include "io/picture/picture.h"
#include "math/vec3.h"

enum {
    BAND = 32,  // rows of pixels a task draws at once
    SAMPLES_ALL = SP_SAMPLES * SP_SAMPLES
};

typedef struct sp_hit {
    double x[3], n[3], to_eye[3];
    double scalar, edge;  // field; distance to the nearest edge of the face in pixels
    double depth;
    const sp_skin *skin;  // NULL: a marker
    double turn;          // angle of its own, for the blur of shadows
} sp_hit;

double sp__to_linear(double c) {
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

double sp__to_srgb(double c) {
    return c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
}

static double clamp01(double v) {
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

static double smooth(double a, double b, double x) {
    double s = clamp01((x - a) / (b - a));
    return s * s * (3 - 2 * s);
}

static void normalise(double v[3]) {
    double n = sp__norm3(v);
    for (int i = 0; i < 3 && n > 0; i++) v[i] /= n;
}

// weights of the corners where the ray meets the plane of a face (Moeller and Trumbore 1997), kept inside the face
static void ray_weights(const double o[3], const double dir[3], const double *a, const double *b, const double *c, double w[3]) {
    double e1[3], e2[3], t[3], p[3], q[3];
    sp__sub3(b, a, e1), sp__sub3(c, a, e2), sp__sub3(o, a, t);
    sp__cross3(dir, e2, p), sp__cross3(t, e1, q);
    double det = sp__dot3(e1, p), s = fabs(det) > 0 ? 1 / det : 0;
    w[1] = clamp01(sp__dot3(t, p) * s), w[2] = clamp01(sp__dot3(dir, q) * s);
    double sum = w[1] + w[2];
    if (sum > 1) w[1] /= sum, w[2] /= sum, sum = 1;
    w[0] = 1 - sum;
}

// least distance of the hit to an edge: each weight times the height over the opposite edge
static double edge_distance(const double *const x[3], const double w[3]) {
    double e[3][3], area[3], least = INFINITY;
    for (int k = 0; k < 3; k++) sp__sub3(x[(k + 2) % 3], x[(k + 1) % 3], e[k]);
    sp__cross3(e[0], e[1], area);
    for (int k = 0; k < 3; k++) least = fmin(least, w[k] * sp__norm3(area) / fmax(sp__norm3(e[k]), 1e-300));
    return least;
}

static void hit_face(const sp_drawing *d, int f, const double dir[3], sp_hit *h) {
    const sp_soup *s = &d->soup;
    const uint32_t *v = s->faces + 3 * (size_t)f;
    const double *x[3] = {s->x + 3 * (size_t)v[0], s->x + 3 * (size_t)v[1], s->x + 3 * (size_t)v[2]};
    const float *n = s->normals + 9 * (size_t)f;
    double w[3];
    ray_weights(d->camera.at, dir, x[0], x[1], x[2], w);
    for (int i = 0; i < 3; i++) {
        h->x[i] = w[0] * x[0][i] + w[1] * x[1][i] + w[2] * x[2][i];
        h->n[i] = w[0] * n[i] + w[1] * n[3 + i] + w[2] * n[6 + i];
    }
    // both sides of a face can be seen where elements are turned inside out
    double e1[3], e2[3], face[3];
    sp__sub3(x[1], x[0], e1), sp__sub3(x[2], x[0], e2), sp__cross3(e1, e2, face);
    for (int i = 0; i < 3 && sp__dot3(face, dir) > 0; i++) h->n[i] = -h->n[i];
    h->skin = &s->skins[s->skin_of[f]];
    if (s->scalar) {
        const double *value = s->scalar + 3 * (size_t)f;
        h->scalar = w[0] * value[0] + w[1] * value[1] + w[2] * value[2];
    }
    if (h->skin->edges) {
        double depth = sp__dot3(h->x, d->camera.forward) - sp__dot3(d->camera.at, d->camera.forward);
        h->edge = edge_distance(x, w) * d->camera.focal / (depth * SP_SAMPLES);
    }
}

static void hit_marker(const sp_drawing *d, int m, double sx, double sy, double radius, sp_hit *h) {
    const sp_eye *eye = &d->camera;
    double p[3];
    memcpy(h->x, d->soup.markers + 3 * (size_t)m, sizeof h->x);
    sp__eye_project(eye, h->x, p);
    double a = (sx - p[0]) / radius, b = -(sy - p[1]) / radius, c = sqrt(fmax(0, 1 - a * a - b * b));
    for (int i = 0; i < 3; i++) h->n[i] = a * eye->right[i] + b * eye->up[i] - c * eye->forward[i];
    h->skin = NULL;
}

enum { TAPS = 6 };
// sqrt((k + 1/2) / TAPS) at multiples of the golden angle: even over the unit disc
static const double spiral[TAPS][2] = {{0.288675, 0.000000}, {-0.368684, 0.337745},  {0.056433, -0.643026},
                                       {0.464703, 0.606123}, {-0.852787, -0.150846}, {0.807834, -0.513878}};

// share of a light that arrives, from a few places of its map in a spiral turned by the sample's own angle
static double arrives(const sp_light *l, const sp_drawing *d, const sp_hit *h) {
    if (!l->map) return 1;
    double texel = l->eye.parallel ? 1 / l->eye.focal : d->size / SP_SHADOW_SIZE, from[3], p[3];
    double blur = l->softness * d->size, lift = 2.5 * texel + 0.35 * blur;
    sp__axpy3(h->x, lift, h->n, from);
    if (!sp__eye_project(&l->eye, from, p)) return 1;
    // in samples of the map; nearness that one must beat to hide the place
    double radius = blur / texel, bias = l->eye.parallel ? texel : texel * p[2] * p[2];
    if (p[0] < -radius || p[1] < -radius || p[0] > SP_SHADOW_SIZE + radius || p[1] > SP_SHADOW_SIZE + radius) return 1;
    double c = radius * cos(h->turn), s = radius * sin(h->turn);
    int open = 0;
    for (int k = 0; k < TAPS; k++) {
        double x = p[0] + c * spiral[k][0] - s * spiral[k][1], y = p[1] + s * spiral[k][0] + c * spiral[k][1];
        bool off = !(x >= 0 && y >= 0 && x < SP_SHADOW_SIZE && y < SP_SHADOW_SIZE);
        open += off || l->map[(size_t)y * SP_SHADOW_SIZE + (size_t)x] <= p[2] + bias;
    }
    return (double)open / TAPS;
}

// unit direction to the light and what is left of it by distance and cone
static double towards(const sp_light *l, const double x[3], double dir[3]) {
    if (l->type == SP_LIGHT_SUN || l->type == SP_LIGHT_SKY) return memcpy(dir, l->at, 3 * sizeof *dir), 1;
    sp__sub3(l->at, x, dir);
    normalise(dir);
    return l->type == SP_LIGHT_SPOT ? smooth(0.86, 0.94, -sp__dot3(dir, l->aim)) : 1;
}

static void add_light(const sp_light *l, const sp_drawing *d, const sp_hit *h, const double base[3], double roughness,
                      double metallic, double out[3]) {
    double dir[3], half[3], left = towards(l, h->x, dir), facing = sp__dot3(h->n, dir);
    if (l->type == SP_LIGHT_AMBIENT) {
        for (int i = 0; i < 3; i++) out[i] += l->color[i] * base[i];
        return;
    }
    if (l->type == SP_LIGHT_SKY) facing = 0.5 + 0.5 * facing;
    if (facing <= 0 || left <= 0) return;
    left *= arrives(l, d, h);
    for (int i = 0; i < 3; i++) half[i] = dir[i] + h->to_eye[i];
    normalise(half);
    // Blinn-Phong lobe, normalised so that a smoother surface has a smaller and brighter highlight
    double power = 2 / fmax(roughness * roughness * roughness * roughness, 1e-3) - 1, lobe = 0;
    if (l->gloss > 0 && left > 0) lobe = l->gloss * (power + 8) / 25 * pow(fmax(0, sp__dot3(h->n, half)), power) * facing;
    for (int i = 0; i < 3; i++) {
        double mirror = 0.04 * (1 - metallic) + base[i] * metallic;
        out[i] += left * l->color[i] * (facing * base[i] * (1 - 0.7 * metallic) + fmin(lobe * mirror, 1.0));
    }
}

// thin lines on the ground, one in five stronger, lighter with distance
static void ground_color(const sp_drawing *d, const sp_hit *h, double base[3], double *fade) {
    const sp_skin *s = h->skin;
    double from[3], line = 0;
    sp__sub3(h->x, s->origin, from);
    double at[2] = {sp__dot3(from, s->u), sp__dot3(from, s->v)};
    double pixel = h->depth * SP_SAMPLES / d->camera.focal;
    for (int k = 0; k < 2; k++)
        for (int every = 1; every <= 5; every += 4) {
            double step = s->spacing * every, gap = fabs(at[k] / step - floor(at[k] / step + 0.5)) * step;
            double wide = fmax(0.6 * pixel, 0.006 * s->spacing * (every == 1 ? 1 : 2));
            line = fmax(line, (every == 1 ? 0.10 : 0.22) * (1 - smooth(0.6 * wide, 1.4 * wide, gap)));
        }
    for (int i = 0; i < 3; i++) base[i] = s->color[i] * (1 - line);
    *fade = smooth(0.35 * s->reach, s->reach, sp__norm3(from));
}

static void shade(const sp_drawing *d, const sp_hit *h, const double background[3], double out[3]) {
    static const double marker[3] = {0.02, 0.03, 0.05};
    double base[3], fade = 0, roughness = h->skin ? h->skin->roughness : 0.4, metallic = h->skin ? h->skin->metallic : 0;
    memcpy(base, h->skin ? h->skin->color : marker, sizeof base);
    if (h->skin && h->skin->by_field) sp__legend_color(&d->legend, h->scalar, base);
    if (h->skin && h->skin->ground) ground_color(d, h, base, &fade);
    if (fade >= 1) {
        memcpy(out, background, 3 * sizeof *out);
        return;
    }
    if (h->skin && h->skin->edges)
        for (int i = 0; i < 3; i++) base[i] *= 1 - 0.6 * (1 - smooth(0.3, 1.1, h->edge));
    double up = 0.5 + 0.5 * sp__dot3(h->n, d->up);
    for (int i = 0; i < 3; i++) out[i] = base[i] * (up * d->ambient_sky[i] + (1 - up) * d->ambient_ground[i]);
    for (int i = 0; i < d->light_count; i++) add_light(&d->lights[i], d, h, base, roughness, metallic, out);
    for (int i = 0; i < 3; i++) out[i] = fmin(out[i], 1.0) * (1 - fade) + background[i] * fade;
}

static double marker_radius(const sp_drawing *d) {
    return SP_SAMPLES * fmax(2.0, d->height / 260.0);
}

static void sample(const sp_drawing *d, uint32_t id, int sx, int sy, const double background[3], double out[3]) {
    const sp_eye *eye = &d->camera;
    double x = sx + 0.5, y = sy + 0.5, dir[3];
    sp_hit h = {.turn = (double)(sp__mix((uint64_t)sx, (uint64_t)sy) >> 40) * (6.283185307179586 / 16777216.0)};
    for (int i = 0; i < 3; i++)
        dir[i] = eye->forward[i] + (x - eye->cx) / eye->focal * eye->right[i] - (y - eye->cy) / eye->focal * eye->up[i];
    if (id > (uint32_t)d->soup.face_count)
        hit_marker(d, (int)(id - 1) - d->soup.face_count, x, y, marker_radius(d), &h);
    else
        hit_face(d, (int)(id - 1), dir, &h);
    for (int i = 0; i < 3; i++) h.to_eye[i] = -dir[i];
    normalise(h.to_eye), normalise(h.n);
    double to[3];
    sp__sub3(h.x, eye->at, to);
    h.depth = sp__dot3(to, eye->forward);
    shade(d, &h, background, out);
}

typedef struct sp_bands {
    const sp_drawing *d;
    unsigned char *rgb;
    sp_canvas *canvases;  // one per worker
    double background[3];
} sp_bands;

static bool one_face(const uint32_t *id, int stride) {
    for (int k = 1; k < SAMPLES_ALL; k++)
        if (id[(size_t)(k / SP_SAMPLES) * (size_t)stride + (size_t)(k % SP_SAMPLES)] != id[0]) return false;
    return true;
}

static void resolve_row(const sp_bands *b, const sp_canvas *c, int row) {
    const sp_drawing *d = b->d;
    int first = (row * SP_SAMPLES) - c->top;
    for (int px = 0; px < d->width; px++) {
        const uint32_t *id = c->id + (size_t)first * (size_t)c->width + (size_t)px * SP_SAMPLES;
        double sum[3] = {0, 0, 0};
        bool plain = one_face(id, c->width);
        for (int k = 0; k < SAMPLES_ALL; k++) {
            int dx = k % SP_SAMPLES, dy = k / SP_SAMPLES;
            uint32_t seen = id[(size_t)dy * (size_t)c->width + (size_t)dx];
            double color[3];
            // inside a face one sample of each row and column is enough
            if (plain && (dx + dy) % SP_SAMPLES != 1) continue;
            memcpy(color, b->background, sizeof color);
            if (seen) sample(d, seen, px * SP_SAMPLES + dx, c->top + first + dy, b->background, color);
            for (int i = 0; i < 3; i++) sum[i] += color[i] / (plain ? SP_SAMPLES : SAMPLES_ALL);
        }
        unsigned char *out = b->rgb + 3 * ((size_t)row * (size_t)d->width + (size_t)px);
        for (int i = 0; i < 3; i++) out[i] = (unsigned char)(255 * sp__to_srgb(clamp01(sum[i])) + 0.5);
    }
}

static void draw_band(void *arg, int task, int worker) {
    sp_bands *b = arg;
    const sp_drawing *d = b->d;
    sp_canvas *c = &b->canvases[worker];
    int first = task * BAND, last = first + BAND < d->height ? first + BAND : d->height;
    c->top = first * SP_SAMPLES, c->height = (last - first) * SP_SAMPLES;
    sp__canvas_clear(c);
    sp__raster_soup(c, &d->camera, &d->soup, true);
    sp__raster_markers(c, &d->camera, &d->soup, marker_radius(d));
    for (int row = first; row < last; row++) resolve_row(b, c, row);
}

sp_status sp__picture_shade(sp_context *ctx, const sp_drawing *d, unsigned char *rgb) {
    sp_status status = SP_OK;
    sp_bands b = {.d = d, .rgb = rgb};
    int workers = sp__workers(ctx);
    size_t samples = (size_t)d->width * SP_SAMPLES * BAND * SP_SAMPLES;
    for (int i = 0; i < 3; i++) b.background[i] = sp__to_linear(d->background[i]);
    if (!SP_NEW(ctx, b.canvases, workers)) return SP_NO_MEMORY;
    for (int i = 0; i < workers; i++) {
        b.canvases[i].width = d->width * SP_SAMPLES;
        if (!SP_NEW(ctx, b.canvases[i].near, samples) || !SP_NEW(ctx, b.canvases[i].id, samples)) status = SP_NO_MEMORY;
    }
    if (status == SP_OK) sp__parallel(ctx, (d->height + BAND - 1) / BAND, draw_band, &b);
    for (int i = 0; i < workers; i++) {
        sp__free(ctx, b.canvases[i].near);
        sp__free(ctx, b.canvases[i].id);
    }
    sp__free(ctx, b.canvases);
    return status;
}
