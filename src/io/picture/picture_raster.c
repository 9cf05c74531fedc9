// Which triangle each sample of a canvas sees. Only nearness and the number of the face are kept; place, normal and colour are
// found again from the ray when the sample is lit, so a million hidden triangles cost no shading.
#include "io/picture/picture.h"
#include "math/vec3.h"

void sp__canvas_clear(sp_canvas *canvas) {
    size_t n = (size_t)canvas->width * (size_t)canvas->height;
    for (size_t i = 0; i < n; i++) canvas->near[i] = -INFINITY;
    if (canvas->id) memset(canvas->id, 0, n * sizeof *canvas->id);
}

// place in the eye's frame: right, up, forward
static void to_eye(const sp_eye *eye, const double x[3], double out[3]) {
    double d[3];
    sp__sub3(x, eye->at, d);
    out[0] = sp__dot3(d, eye->right), out[1] = sp__dot3(d, eye->up), out[2] = sp__dot3(d, eye->forward);
}

static void to_canvas(const sp_eye *eye, const double c[3], double out[3]) {
    double s = eye->parallel ? eye->focal : eye->focal / c[2];
    out[0] = eye->cx + s * c[0], out[1] = eye->cy - s * c[1];
    out[2] = eye->parallel ? -c[2] : 1.0 / c[2];
}

bool sp__eye_project(const sp_eye *eye, const double x[3], double out[3]) {
    double c[3];
    to_eye(eye, x, c);
    if (!eye->parallel && !(c[2] >= eye->nearest)) return false;
    to_canvas(eye, c, out);
    return true;
}

// an order of the samples of a pixel such that any first few are spread out: opacity by coverage needs no sorting of depths
static const unsigned char cover_order[9] = {0, 5, 2, 7, 4, 8, 3, 6, 1};

static bool covered(int x, int y, double opacity) {
    return opacity >= 1 || (cover_order[(x % 3) + 3 * (y % 3)] + 0.5) / 9.0 < opacity;
}

static int clamp_int(double v, int low, int high) {
    return !(v > low) ? low : v >= high ? high : (int)v;
}

// one triangle (sx, sy, w at its corners)
static void fill(sp_canvas *c, const double *a, const double *b, const double *p, uint32_t id, double opacity) {
    double area = (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
    if (!(fabs(area) > 1e-9) || !isfinite(area)) return;
    double top = c->top, s = 1.0 / area;
    double lx = fmin(a[0], fmin(b[0], p[0])), hx = fmax(a[0], fmax(b[0], p[0]));
    double ly = fmin(a[1], fmin(b[1], p[1])) - top, hy = fmax(a[1], fmax(b[1], p[1])) - top;
    int x0 = clamp_int(ceil(lx - 0.5), 0, c->width), x1 = clamp_int(floor(hx - 0.5) + 1, 0, c->width);
    int y0 = clamp_int(ceil(ly - 0.5), 0, c->height), y1 = clamp_int(floor(hy - 0.5) + 1, 0, c->height);
    // weights of b and p are affine on the canvas
    double ub = (p[1] - a[1]) * s, vb = -(p[0] - a[0]) * s, up = -(b[1] - a[1]) * s, vp = (b[0] - a[0]) * s;
    double ab = b[2] - a[2], ap = p[2] - a[2];
    for (int y = y0; y < y1; y++) {
        double dy = top + y + 0.5 - a[1];
        float *near = c->near + (size_t)y * (size_t)c->width;
        for (int x = x0; x < x1; x++) {
            double dx = x + 0.5 - a[0], wb = ub * dx + vb * dy, wp = up * dx + vp * dy;
            if (wb < 0 || wp < 0 || wb + wp > 1) continue;
            float w = (float)(a[2] + wb * ab + wp * ap);
            if (!(w > near[x]) || !covered(x, c->top + y, opacity)) continue;
            near[x] = w;
            if (c->id) c->id[(size_t)y * (size_t)c->width + (size_t)x] = id;
        }
    }
}

// the part of a triangle in front of `nearest`: up to four corners
static int clip(const sp_eye *eye, double in[3][3], double out[4][3]) {
    int n = 0;
    for (int i = 0; i < 3; i++) {
        const double *a = in[i], *b = in[(i + 1) % 3];
        bool front_a = eye->parallel || a[2] >= eye->nearest, front_b = eye->parallel || b[2] >= eye->nearest;
        if (front_a) memcpy(out[n++], a, sizeof out[0]);
        if (front_a != front_b) {
            double s = (eye->nearest - a[2]) / (b[2] - a[2]);
            for (int k = 0; k < 2; k++) out[n][k] = a[k] + s * (b[k] - a[k]);
            out[n++][2] = eye->nearest;
        }
    }
    return n;
}

void sp__raster_soup(sp_canvas *canvas, const sp_eye *eye, const sp_soup *soup, bool ground) {
    for (int f = 0; f < soup->face_count; f++) {
        const sp_skin *skin = &soup->skins[soup->skin_of[f]];
        if (skin->ground && !ground) continue;
        double c[3][3], kept[4][3], p[4][3];
        for (int k = 0; k < 3; k++) to_eye(eye, soup->x + 3 * (size_t)soup->faces[3 * (size_t)f + (size_t)k], c[k]);
        int n = clip(eye, c, kept);
        for (int k = 0; k < n; k++) to_canvas(eye, kept[k], p[k]);
        for (int k = 2; k < n; k++) fill(canvas, p[0], p[k - 1], p[k], (uint32_t)f + 1, skin->opacity);
    }
}

// balls of a fixed size on the canvas, lifted a little towards the eye so that the surface they sit on does not hide them
void sp__raster_markers(sp_canvas *canvas, const sp_eye *eye, const sp_soup *soup, double radius) {
    for (int m = 0; m < soup->marker_count; m++) {
        double p[3];
        if (!sp__eye_project(eye, soup->markers + 3 * (size_t)m, p) || !(fabs(p[0]) < 1e6 && fabs(p[1]) < 1e6)) continue;
        double lift = p[2] * (1 + 2 * radius / eye->focal);
        int x0 = clamp_int(ceil(p[0] - radius - 0.5), 0, canvas->width), x1 = clamp_int(p[0] + radius + 0.5, 0, canvas->width);
        int y0 = clamp_int(ceil(p[1] - canvas->top - radius - 0.5), 0, canvas->height);
        int y1 = clamp_int(p[1] - canvas->top + radius + 0.5, 0, canvas->height);
        for (int y = y0; y < y1; y++)
            for (int x = x0; x < x1; x++) {
                size_t at = (size_t)y * (size_t)canvas->width + (size_t)x;
                double dx = x + 0.5 - p[0], dy = canvas->top + y + 0.5 - p[1];
                if (dx * dx + dy * dy > radius * radius || (float)lift <= canvas->near[at]) continue;
                canvas->near[at] = (float)lift;
                if (canvas->id) canvas->id[at] = (uint32_t)(soup->face_count + m) + 1;
            }
    }
}
