// Shading at the intersection of a ray and a face. Position and normal are computed from the ray, then the lights are summed.
// Hidden triangles cost no shading.
#include "io/picture/picture.h"
#include "math/vec3.h"

double sp__to_linear(double c) {
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

double sp__to_srgb(double c) {
    return c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
}

static double clamp01(double v) {
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

static double shade_smooth(double a, double b, double x) {
    double s = clamp01((x - a) / (b - a));
    return s * s * (3 - 2 * s);
}

static void shade_normalise(double v[3]) {
    double n = sp__norm3(v);
    for (int i = 0; i < 3 && n > 0; i++) v[i] /= n;
}

// barycentric weights of the intersection with the plane of a face (Moeller and Trumbore 1997), clamped to the face
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

// smallest distance to an edge: each weight times the height over the opposite edge
static double edge_distance(const double *const x[3], const double w[3]) {
    double e[3][3], area[3], least = INFINITY;
    for (int k = 0; k < 3; k++) sp__sub3(x[(k + 2) % 3], x[(k + 1) % 3], e[k]);
    sp__cross3(e[0], e[1], area);
    for (int k = 0; k < 3; k++) least = fmin(least, w[k] * sp__norm3(area) / fmax(sp__norm3(e[k]), 1e-300));
    return least;
}

static void mix_vertex_colors(const sp_soup *s, const uint32_t *v, const double w[3], sp_hit *h) {
    double sum[4] = {0, 0, 0, 0};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 4; i++) sum[i] += w[k] * s->colors[4 * (size_t)v[k] + (size_t)i];
    memcpy(h->color, sum, sizeof h->color);
    h->opacity *= sum[3];
}

// a ray at a grazing angle has a longer path through a thin sheet: Beer-Lambert law with a bounded length
static double slanted(double opacity, const sp_hit *h) {
    double facing = fabs(sp__dot3(h->n, h->to_eye));
    return opacity <= 0 || opacity >= 1 ? opacity : 1 - pow(1 - opacity, 1 / fmax(facing, 0.15));
}

static void hit_drawable(const sp_drawing *d, uint32_t f, const double w[3], sp_hit *h) {
    const sp_soup *s = &d->soup;
    h->drawable = &s->drawables[s->drawable_of[f]];
    h->opacity = h->drawable->opacity;
    memcpy(h->color, h->drawable->color, sizeof h->color);
    if (h->drawable->by_vertex) mix_vertex_colors(s, s->faces + 3 * (size_t)f, w, h);
    if (s->stripes && s->stripes[f]) sp__stripe_color(s->stripes[f] / 255.0, h->color);
    h->opacity = slanted(h->opacity, h);
    if (!h->drawable->by_field) return;
    const double *value = s->scalar + 3 * (size_t)f;
    h->scalar = w[0] * value[0] + w[1] * value[1] + w[2] * value[2];
}

void sp__hit_face(const sp_drawing *d, uint32_t f, int sx, int sy, sp_hit *h) {
    const sp_soup *s = &d->soup;
    const sp_eye *eye = &d->camera;
    const uint32_t *v = s->faces + 3 * (size_t)f;
    const double *x[3] = {s->x + 3 * (size_t)v[0], s->x + 3 * (size_t)v[1], s->x + 3 * (size_t)v[2]};
    const float *n = s->normals + 9 * (size_t)f;
    double w[3], dir[3], e1[3], e2[3], face[3], to[3], a = (sx + 0.5 - eye->cx) / eye->focal,
                                                       b = (sy + 0.5 - eye->cy) / eye->focal;
    for (int i = 0; i < 3; i++) dir[i] = eye->forward[i] + a * eye->right[i] - b * eye->up[i];
    ray_weights(eye->at, dir, x[0], x[1], x[2], w);
    for (int i = 0; i < 3; i++) {
        h->x[i] = w[0] * x[0][i] + w[1] * x[1][i] + w[2] * x[2][i];
        h->n[i] = w[0] * n[i] + w[1] * n[3 + i] + w[2] * n[6 + i];
        h->to_eye[i] = -dir[i];
    }
    // inverted elements show the back of a face: flip the normal
    sp__sub3(x[1], x[0], e1), sp__sub3(x[2], x[0], e2), sp__cross3(e1, e2, face);
    if (sp__dot3(face, dir) > 0)
        for (int i = 0; i < 3; i++) h->n[i] = -h->n[i];
    shade_normalise(h->to_eye), shade_normalise(h->n);
    sp__sub3(h->x, eye->at, to);
    h->depth = sp__dot3(to, eye->forward);
    hit_drawable(d, f, w, h);
    if (h->drawable->edges) h->edge = edge_distance(x, w) * eye->focal / (h->depth * SP_SAMPLES);
    double turn = (double)(sp__mix((uint64_t)sx, (uint64_t)sy) >> 40) * (6.283185307179586 / 16777216.0);
    h->turn[0] = cos(turn), h->turn[1] = sin(turn);
}

enum { TAPS = 16 };
// sqrt((k + 1/2) / TAPS) at multiples of the golden angle: uniform over the unit disc
static const double spiral[TAPS][2] = {
    {0.176777, 0.000000},   {-0.225772, 0.206826}, {0.034558, -0.393771}, {0.284571, 0.371173},
    {-0.522223, -0.092374}, {0.494695, -0.314685}, {-0.165466, 0.615525}, {-0.315561, -0.607594},
    {0.684642, 0.250030},   {-0.712256, 0.294009}, {0.343354, -0.733729}, {0.253730, 0.808932},
    {-0.764746, -0.443186}, {0.897134, -0.197232}, {-0.547507, 0.778772}, {-0.126487, -0.976090}};

// visible fraction of a light, from several samples of the shadow map in a spiral, rotated by a random angle per sample
static double arrives(const sp_light *l, const sp_drawing *d, const sp_hit *h) {
    if (!l->map) return 1;
    double texel = l->eye.parallel ? 1 / l->eye.focal : d->size / SP_SHADOW_SIZE, from[3], p[3];
    double blur = l->softness * d->size, lift = 2.5 * texel + 0.35 * blur;
    sp__axpy3(h->x, lift, h->n, from);
    if (!sp__eye_project(&l->eye, from, p)) return 1;
    double radius = blur / texel;  // in texels of the map
    if (p[0] < -radius || p[1] < -radius || p[0] > SP_SHADOW_SIZE + radius || p[1] > SP_SHADOW_SIZE + radius) return 1;
    double c = radius * h->turn[0], s = radius * h->turn[1];
    double open = 0;
    for (int k = 0; k < TAPS; k++) {
        double x = p[0] + c * spiral[k][0] - s * spiral[k][1], y = p[1] + s * spiral[k][0] + c * spiral[k][1];
        bool off = !(x >= 0 && y >= 0 && x < SP_SHADOW_SIZE && y < SP_SHADOW_SIZE);
        size_t at = off ? 0 : (size_t)y * SP_SHADOW_SIZE + (size_t)x;
        if (!off && l->map[at] < p[2] - texel) continue;
        open += !off && l->transparency && l->transparency[2 * at] < p[2] - texel ? (double)l->transparency[2 * at + 1] : 1;
    }
    return open / TAPS;
}

// unit direction to the light; returns the attenuation by distance and cone
static double towards(const sp_light *l, const double x[3], double dir[3]) {
    if (l->type == SP_LIGHT_SUN || l->type == SP_LIGHT_SKY) return memcpy(dir, l->at, 3 * sizeof *dir), 1;
    sp__sub3(l->at, x, dir);
    shade_normalise(dir);
    return l->type == SP_LIGHT_SPOT ? shade_smooth(0.86, 0.94, -sp__dot3(dir, l->aim)) : 1;
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
    shade_normalise(half);
    // Blinn-Phong lobe, normalised: a smoother surface has a smaller and brighter highlight
    double power = 2 / fmax(roughness * roughness * roughness * roughness, 1e-3) - 1, lobe = 0;
    if (l->gloss > 0 && left > 0) lobe = l->gloss * (power + 8) / 25 * pow(fmax(0, sp__dot3(h->n, half)), power) * facing;
    for (int i = 0; i < 3; i++) {
        double mirror = 0.04 * (1 - metallic) + base[i] * metallic;
        out[i] += left * l->color[i] * (facing * base[i] * (1 - 0.7 * metallic) + fmin(lobe * mirror, 1.0));
    }
}

// grid lines on the ground, every fifth one stronger, fading with distance
static void ground_color(const sp_drawing *d, const sp_hit *h, double base[3], double *fade) {
    const sp_drawable *s = h->drawable;
    double from[3], line = 0;
    sp__sub3(h->x, s->origin, from);
    double at[2] = {sp__dot3(from, s->u), sp__dot3(from, s->v)};
    double pixel = h->depth * SP_SAMPLES / d->camera.focal;
    for (int k = 0; k < 2; k++)
        for (int every = 1; every <= 5; every += 4) {
            double step = s->spacing * every, gap = fabs(at[k] / step - floor(at[k] / step + 0.5)) * step;
            double wide = fmax(0.6 * pixel, 0.006 * s->spacing * (every == 1 ? 1 : 2));
            line = fmax(line, (every == 1 ? 0.10 : 0.22) * (1 - shade_smooth(0.6 * wide, 1.4 * wide, gap)));
        }
    for (int i = 0; i < 3; i++) base[i] = s->color[i] * (1 - line);
    *fade = shade_smooth(0.35 * s->reach, s->reach, sp__norm3(from));
}

void sp__hit_shade(const sp_drawing *d, const sp_hit *h, const double background[3], double out[3]) {
    double base[3], fade = 0;
    memcpy(base, h->color, sizeof base);
    if (h->drawable->by_field) sp__legend_color(&d->legend, h->scalar, base);
    if (h->drawable->ground) ground_color(d, h, base, &fade);
    if (fade >= 1) {
        memcpy(out, background, 3 * sizeof *out);
        return;
    }
    if (h->drawable->edges)
        for (int i = 0; i < 3; i++) base[i] *= 1 - 0.6 * (1 - shade_smooth(0.3, 1.1, h->edge));
    double up = 0.5 + 0.5 * sp__dot3(h->n, d->up);
    for (int i = 0; i < 3; i++) out[i] = base[i] * (up * d->ambient_sky[i] + (1 - up) * d->ambient_ground[i]);
    for (int i = 0; i < d->light_count; i++)
        add_light(&d->lights[i], d, h, base, h->drawable->roughness, h->drawable->metallic, out);
    for (int i = 0; i < 3; i++) out[i] = fmin(out[i], 1.0) * (1 - fade) + background[i] * fade;
}
