// Rods in pictures. Their surfaces consist of cross sections along a centreline, which give smooth normals even with few sides,
// values between two nodes, and the width on the canvas. A rod thinner than a pixel would fall between the samples and look
// dotted: it is drawn LEAST pixels wide, by stretching its cross sections across the view.
//
// One side, or a line along it, has another colour to show twist. The stripe fades if it is only a few pixels wide.
#include "io/picture/picture.h"
#include "math/vec3.h"

static const double LEAST = 1.5;                        // minimum width [pixels]
static const double STRIPE_FROM = 4, STRIPE_FULL = 10;  // width at which stripes begin to show and are fully visible [pixels]

// ---------------------------------------------------------------------------------------------------- circle

typedef struct ring_shape {
    double middle[3], along[3];  // along: area vector of the polygon
} ring_shape;

static void shape_of(const double *x, int count, ring_shape *out) {
    double a[3], b[3], n[3];
    *out = (ring_shape){0};
    for (int k = 0; k < count; k++)
        for (int i = 0; i < 3; i++) out->middle[i] += x[3 * k + i] / count;
    for (int k = 0; k < count; k++) {
        sp__sub3(x + 3 * k, out->middle, a), sp__sub3(x + 3 * ((k + 1) % count), out->middle, b);
        sp__cross3(a, b, n);
        for (int i = 0; i < 3; i++) out->along[i] += 0.5 * n[i];
    }
}

// Tangent of the cross section at a corner: the chord between its neighbours for an ellipse. A ribbon has four sharp corners: the
// longer of the two sides is its surface.
static void side_at(const double *x, int count, int k, double out[3]) {
    const double *next = x + 3 * ((k + 1) % count), *before = x + 3 * ((k + count - 1) % count);
    double other[3];
    sp__sub3(next, before, out);
    if (count != 4) return;
    sp__sub3(next, x + 3 * k, out), sp__sub3(x + 3 * k, before, other);
    if (sp__dot3(other, other) > sp__dot3(out, out)) memcpy(out, other, sizeof other);
}

// before and behind: the same corners of the neighbouring cross sections, or of this one at an end
static void ring_normals(const double *x, const double *before, const double *behind, int count, float *out) {
    ring_shape s;
    double side[3], along[3], n[3];
    shape_of(x, count, &s);
    for (int k = 0; k < count; k++) {
        side_at(x, count, k, side);
        sp__sub3(behind + 3 * k, before + 3 * k, along);
        sp__cross3(side, sp__dot3(along, s.along) > 0 ? along : s.along, n);
        double size = sp__norm3(n);
        for (int i = 0; i < 3 && size > 0; i++) out[3 * k + i] = (float)(n[i] / size);
    }
}

// ---------------------------------------------------------------------------------------------------- collecting

static int ring_end(const sp_snapshot_surface *b, int i) {
    return i + 1 < b->ring_count ? b->rings[i + 1].vertex : b->vertex_count;
}

// normals of the cross sections from `first` on; starts: 1 at the beginning of a strand
static void make_normals(sp_soup *s, int first, const unsigned char *starts) {
    for (int i = first; i < s->ring_count && s->smooth; i++) {
        const sp_soup_vertex_faces *r = &s->rings[i];
        bool begins = i == first || starts[i - first] || r[-1].count != r->count;
        bool ends = i + 1 == s->ring_count || starts[i + 1 - first] || r[1].count != r->count;
        const double *x = s->x + 3 * (size_t)r->first;
        ring_normals(x, begins ? x : s->x + 3 * (size_t)r[-1].first, ends ? x : s->x + 3 * (size_t)r[1].first, r->count,
                     s->smooth + 3 * (size_t)r->first);
    }
}

sp_status sp__rings_add(sp_context *ctx, const sp_snapshot_surface *b, int first, sp_soup *s) {
    unsigned char *starts;
    int had = s->ring_count;
    sp_status status = SP_OK;
    if (!SP_NEW(ctx, starts, b->ring_count)) return SP_NO_MEMORY;
    for (int i = 0; i < b->ring_count && status >= 0; i++) {
        starts[i] = b->rings[i].at == 0;
        status = sp__soup_vertex_faces(ctx, s, first + b->rings[i].vertex, ring_end(b, i) - b->rings[i].vertex);
    }
    if (status >= 0) make_normals(s, had, starts);
    sp__free(ctx, starts);
    return status;
}

static bool same_place(const sp_anchor *a, const sp_anchor *b) {
    return a->elem == b->elem && a->at[0] == b->at[0];
}

sp_status sp__rings_add_embedded(sp_context *ctx, const sp_snapshot_surface *r, int first, sp_soup *s) {
    unsigned char *starts;
    int had = s->ring_count;
    sp_status status = SP_OK;
    if (!SP_NEW(ctx, starts, r->vertex_count)) return SP_NO_MEMORY;
    for (int i = 0, end; i < r->vertex_count && status >= 0; i = end) {
        for (end = i + 1; end < r->vertex_count && same_place(&r->anchors[i], &r->anchors[end]);) end++;
        if (end - i < 3) continue;
        starts[s->ring_count - had] = r->anchors[i].at[0] == 0;
        status = sp__soup_vertex_faces(ctx, s, first + i, end - i);
    }
    if (status >= 0) make_normals(s, had, starts);
    sp__free(ctx, starts);
    return status;
}

// ---------------------------------------------------------------------------------------------------- markers

// markers at four corners of the cross section of a node: visible on a thick tube, merged on a thin one
sp_status sp__rings_held(sp_context *ctx, const sp_snapshot_surface *b, const double *force, sp_soup *s) {
    for (int i = 0; i < b->ring_count; i++) {
        const sp_rod_cross_section *r = &b->rings[i];
        int corners = ring_end(b, i) - r->vertex, step = corners / 4 > 0 ? corners / 4 : 1;
        if ((r->at != 0 && r->at != 1) || !(sp__norm3(force + 3 * (size_t)b->nodes[r->vertex]) > 0)) continue;
        for (int k = 0; k < 4 && k * step < corners; k++) {
            const float *p = b->positions + 3 * (size_t)(r->vertex + k * step);
            SP_TRY(sp__soup_marker(ctx, s, (double[3]){p[0], p[1], p[2]}));
        }
    }
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- drawing

// direction across the centreline and perpendicular to the view; false: the view is along the centreline
static bool across_view(const sp_eye *eye, const ring_shape *s, double out[3]) {
    double to[3];
    sp__sub3(s->middle, eye->at, to);
    sp__cross3(s->along, eye->parallel ? eye->forward : to, out);
    double size = sp__norm3(out);
    for (int i = 0; i < 3 && size > 0; i++) out[i] /= size;
    return size > 0;
}

// widens a cross section to the minimum; returns its width in pixels before
static double fit_ring(const sp_drawing *d, double *x, int count) {
    double across[3], offset[3], p[3], low = 0, high = 0;
    ring_shape s;
    shape_of(x, count, &s);
    if (!sp__eye_project(&d->camera, s.middle, p) || !across_view(&d->camera, &s, across)) return INFINITY;
    double pixel = (d->camera.parallel ? 1 : p[2]) * SP_SAMPLES / d->camera.focal;
    for (int k = 0; k < count; k++) {
        sp__sub3(x + 3 * k, s.middle, offset);
        double a = sp__dot3(offset, across);
        low = fmin(low, a), high = fmax(high, a);
    }
    double wide = (high - low) / pixel;
    if (!(wide > 0) || wide >= LEAST) return wide;
    for (int k = 0; k < count; k++) {
        sp__sub3(x + 3 * k, s.middle, offset);
        sp__axpy3(x + 3 * k, (LEAST / wide - 1) * sp__dot3(offset, across), across, x + 3 * k);
    }
    return wide;
}

static void fade_stripes(sp_soup *s, const unsigned char *strength) {
    for (size_t f = 0; f < (size_t)s->face_count && s->stripes; f++)
        if (s->stripes[f]) s->stripes[f] = strength[s->faces[3 * f]];
}

sp_status sp__rings_fit(sp_context *ctx, sp_drawing *d) {
    sp_soup *s = &d->soup;
    unsigned char *strength;
    if (!s->ring_count) return SP_OK;
    if (!SP_NEW(ctx, strength, s->vertex_count)) return SP_NO_MEMORY;
    for (int i = 0; i < s->ring_count; i++) {
        const sp_soup_vertex_faces *r = &s->rings[i];
        double wide = fit_ring(d, s->x + 3 * (size_t)r->first, r->count);
        double share = fmax(0, fmin(1, (wide - STRIPE_FROM) / (STRIPE_FULL - STRIPE_FROM)));
        memset(strength + r->first, (int)(255 * share + 0.5), (size_t)r->count);
    }
    fade_stripes(s, strength);
    sp__free(ctx, strength);
    return SP_OK;
}

// darker; for nearly black colours lighter
void sp__stripe_color(double strength, double color[3]) {
    bool dark = 0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2] < 0.02;
    for (int i = 0; i < 3; i++) color[i] += strength * ((dark ? 0.2 + 0.8 * color[i] : 0.25 * color[i]) - color[i]);
}
