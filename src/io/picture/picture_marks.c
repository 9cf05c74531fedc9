// Spheres at fixed nodes and arrows for forces, as ordinary triangles: opaque bodies hide them and transparent bodies show them.
// Their size is in pixels, so that they look the same at any distance.
#include "io/picture/picture.h"
#include "math/vec3.h"

enum { MANY = 3000, SIDES = 12 };  // number of markers above which spheres are coarse; sides of an arrow's shaft
static const double marker_color[3] = {0.02, 0.03, 0.05}, arrow_color[3] = {0.72, 0.05, 0.02};  // linear

const double sp__contact_color[3] = {0.33, 0.01, 0.35};
static const double link_color[3] = {0.0, 0.19, 0.12};
static const double contact_nearness = 0.02;  // distance from the camera, relative to the true one

// ---------------------------------------------------------------------------------------------------- sphere

// an octahedron, and one subdivided once
typedef struct sp_ball {
    double x[18][3];
    uint32_t faces[32][3];
    int vertices, count;
} sp_ball;

static int ball_middle(sp_ball *b, uint32_t i, uint32_t k) {
    double m[3];
    for (int a = 0; a < 3; a++) m[a] = b->x[i][a] + b->x[k][a];
    double n = sp__norm3(m);
    for (int a = 0; a < 3; a++) m[a] /= n;
    for (int v = 0; v < b->vertices; v++)
        if (memcmp(b->x[v], m, sizeof m) == 0) return v;
    memcpy(b->x[b->vertices], m, sizeof m);
    return b->vertices++;
}

static void make_ball(sp_ball *b, bool fine) {
    static const double axes[6][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    static const uint32_t faces[8][3] = {{0, 1, 2}, {1, 3, 2}, {3, 4, 2}, {4, 0, 2}, {1, 0, 5}, {3, 1, 5}, {4, 3, 5}, {0, 4, 5}};
    *b = (sp_ball){.vertices = 6, .count = 8};
    memcpy(b->x, axes, sizeof axes), memcpy(b->faces, faces, sizeof faces);
    if (!fine) return;
    b->count = 0;
    for (int f = 0; f < 8; f++) {
        const uint32_t *v = faces[f];
        uint32_t m[3];
        for (int k = 0; k < 3; k++) m[k] = (uint32_t)ball_middle(b, v[k], v[(k + 1) % 3]);
        uint32_t four[4][3] = {{v[0], m[0], m[2]}, {v[1], m[1], m[0]}, {v[2], m[2], m[1]}, {m[0], m[1], m[2]}};
        memcpy(b->faces[b->count], four, sizeof four);
        b->count += 4;
    }
}

static void add_corner_normal(sp_soup *s, int face, int corner, const double n[3]) {
    for (int i = 0; i < 3; i++) s->normals[9 * (size_t)face + 3 * (size_t)corner + (size_t)i] = (float)n[i];
}

static void add_ball(sp_soup *s, const sp_ball *b, const double at[3], double radius) {
    uint32_t first = (uint32_t)s->vertex_count;
    for (int v = 0; v < b->vertices; v++) sp__axpy3(at, radius, b->x[v], s->x + 3 * (size_t)s->vertex_count++);
    for (int f = 0; f < b->count; f++) {
        for (int k = 0; k < 3; k++) {
            s->faces[3 * (size_t)s->face_count + (size_t)k] = first + b->faces[f][k];
            add_corner_normal(s, s->face_count, k, b->x[b->faces[f][k]]);
        }
        s->drawable_of[s->face_count++] = s->drawable_count - 1;
    }
}

// ---------------------------------------------------------------------------------------------------- arrow

// side of a truncated cone: radius r0 at a, r1 at b; u and v span the cross section
static void add_cone(sp_soup *s, const double a[3], double r0, const double b[3], double r1, const double u[3],
                     const double v[3]) {
    uint32_t first = (uint32_t)s->vertex_count;
    double axis[3], length;
    sp__sub3(b, a, axis);
    length = fmax(sp__norm3(axis), 1e-300);
    double slope = (r0 - r1) / length, norm = sqrt(1 + slope * slope), normal[SIDES][3];
    for (int i = 0; i < SIDES; i++) {
        double c = cos(2 * SP_PI * i / SIDES), d = sin(2 * SP_PI * i / SIDES), out[3];
        for (int k = 0; k < 3; k++) out[k] = c * u[k] + d * v[k], normal[i][k] = (out[k] + slope * axis[k] / length) / norm;
        sp__axpy3(a, r0, out, s->x + 3 * (size_t)s->vertex_count++);
        sp__axpy3(b, r1, out, s->x + 3 * (size_t)s->vertex_count++);
    }
    for (int i = 0; i < 2 * SIDES; i++) {
        int here = i / 2, next = (here + 1) % SIDES, side[2][3] = {{here, next, next}, {here, next, here}};
        int level[2][3] = {{0, 0, 1}, {0, 1, 1}};
        for (int k = 0; k < 3; k++) {
            s->faces[3 * (size_t)s->face_count + (size_t)k] = first + 2 * (uint32_t)side[i % 2][k] + (uint32_t)level[i % 2][k];
            add_corner_normal(s, s->face_count, k, normal[side[i % 2][k]]);
        }
        s->drawable_of[s->face_count++] = s->drawable_count - 1;
    }
}

// The axis of an arrow and what spans its cross section; its length.
static double arrow_axes(const sp_arrow *a, double axis[3], double u[3], double v[3]) {
    double side[3] = {0, 0, 0};
    sp__sub3(a->to, a->from, axis);
    double length = sp__norm3(axis);
    if (!(length > 0)) return 0;
    for (int i = 0; i < 3; i++) axis[i] /= length;
    side[fabs(axis[0]) < 0.6 ? 0 : 1] = 1;
    sp__cross3(axis, side, u);
    double n = sp__norm3(u);
    for (int i = 0; i < 3; i++) u[i] /= n;
    sp__cross3(axis, u, v);
    return length;
}

static void add_line(sp_soup *s, const sp_arrow *a, double thick) {
    double axis[3], u[3], v[3];
    if (arrow_axes(a, axis, u, v) > 0) add_cone(s, a->from, thick, a->to, thick, u, v);
}

static void add_arrow(sp_soup *s, const sp_arrow *a, double thick) {
    double axis[3], u[3], v[3], neck[3], length = arrow_axes(a, axis, u, v);
    if (!(length > 0)) return;
    double head = fmin(8 * thick, 0.6 * length);
    sp__axpy3(a->to, -head, axis, neck);
    add_cone(s, a->from, thick, neck, thick, u, v);
    add_cone(s, neck, 0, neck, 3 * thick, u, v);  // back of the arrowhead
    add_cone(s, neck, 3 * thick, a->to, 0, u, v);
}

// ---------------------------------------------------------------------------------------------------- all marks

// size of a pixel in metres at a position; 0: not visible
static double pixel_at(const sp_drawing *d, const double at[3]) {
    double p[3];
    if (!sp__eye_project(&d->camera, at, p)) return 0;
    return (d->camera.parallel ? 1 : p[2]) * SP_SAMPLES / d->camera.focal;
}

static void add_drawable(sp_soup *s, const double color[3]) {
    sp_drawable *drawable = &s->drawables[s->drawable_count++];
    *drawable = (sp_drawable){.opacity = 1, .roughness = 0.4, .mark = true};
    memcpy(drawable->color, color, sizeof drawable->color);
}

// Moves vertices along their rays towards the camera, where no body is. Their image stays the same.
static void bring_near(const sp_drawing *d, int first) {
    const sp_eye *eye = &d->camera;
    for (int v = first; v < d->soup.vertex_count; v++) {
        double *x = d->soup.x + 3 * (size_t)v, to[3];
        sp__sub3(x, eye->at, to);
        if (eye->parallel)
            sp__axpy3(x, -(1 - contact_nearness) * sp__dot3(to, eye->forward), eye->forward, x);
        else
            sp__axpy3(eye->at, fmax(contact_nearness, 2 * eye->nearest / fmax(sp__dot3(to, eye->forward), 1e-300)), to, x);
    }
}

static void add_contacts(sp_drawing *d, const sp_ball *ball) {
    sp_soup *s = &d->soup;
    const int first = s->vertex_count;
    if (s->contact_count == 0) return;
    add_drawable(s, sp__contact_color);
    for (int i = 0; i < s->contact_count; i++) {
        const sp_arrow *a = &s->contacts[i];
        const double pixel = pixel_at(d, a->from), tip = pixel_at(d, a->to);
        if (!(pixel > 0) || !(tip > 0)) continue;
        add_ball(s, ball, a->from, pixel * fmax(2.0, d->height / 300.0));
        add_arrow(s, a, fmax(pixel, tip) * fmax(0.8, d->height / 720.0));
    }
    bring_near(d, first);
}

static void add_links(sp_drawing *d, const sp_ball *ball) {
    sp_soup *s = &d->soup;
    const int first = s->vertex_count;
    if (s->link_count == 0) return;
    add_drawable(s, link_color);
    for (int i = 0; i < s->link_count; i++) {
        const sp_arrow *a = &s->links[i];
        const double pixel = pixel_at(d, a->from), tip = pixel_at(d, a->to);
        if (!(pixel > 0) || !(tip > 0)) continue;
        add_ball(s, ball, a->from, pixel * fmax(1.5, d->height / 360.0));
        add_line(s, a, fmax(pixel, tip) * fmax(0.6, d->height / 900.0));
    }
    bring_near(d, first);
}

sp_status sp__picture_marks(sp_context *ctx, sp_drawing *d) {
    sp_soup *s = &d->soup;
    sp_ball ball;
    make_ball(&ball, s->marker_count + s->contact_count + s->link_count < MANY);
    const int64_t balls = (int64_t)s->marker_count + s->contact_count + s->link_count;
    const int64_t arrows = (int64_t)s->arrow_count + s->contact_count + s->link_count;
    int64_t vertices = balls * ball.vertices + arrows * 6 * SIDES;
    int64_t faces = balls * ball.count + arrows * 6 * SIDES;
    if (vertices > INT32_MAX || faces > INT32_MAX) return SP_NO_MEMORY;
    SP_TRY(sp__soup_reserve(ctx, s, (int)vertices, (int)faces, 4));
    if (s->marker_count) add_drawable(s, marker_color);
    for (int m = 0; m < s->marker_count; m++)
        add_ball(s, &ball, s->markers + 3 * (size_t)m, pixel_at(d, s->markers + 3 * (size_t)m) * fmax(2.0, d->height / 260.0));
    if (s->arrow_count) add_drawable(s, arrow_color);
    for (int a = 0; a < s->arrow_count; a++) {
        double pixel = fmax(pixel_at(d, s->arrows[a].from), pixel_at(d, s->arrows[a].to));
        add_arrow(s, &s->arrows[a], pixel * fmax(1.0, d->height / 480.0));
    }
    add_contacts(d, &ball);
    add_links(d, &ball);
    return SP_OK;
}
