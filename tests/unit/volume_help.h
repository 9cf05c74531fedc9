// Surfaces and a slow oracle for the tests of overlap volumes.
#ifndef SP_VOLUME_HELP_H
#define SP_VOLUME_HELP_H

#include "collide/volume.h"
#include "collide_help.h"

enum { HELP_EDGES = 8192, HELP_LAYERS = 64, HELP_SURFACES = 8 };

// ---------------------------------------------------------------------------------------------------- surfaces

static inline int help_middle(help_mesh *m, int a, int b, int (*edges)[3], int *count) {
    const int low = a < b ? a : b, high = a < b ? b : a;
    for (int i = 0; i < *count; i++)
        if (edges[i][0] == low && edges[i][1] == high) return edges[i][2];
    double *p = m->x0 + 3 * m->nv;
    for (int k = 0; k < 3; k++) p[k] = m->x0[3 * a + k] + m->x0[3 * b + k];
    const double length = sp__norm3(p);
    for (int k = 0; k < 3; k++) p[k] /= length;
    edges[*count][0] = low, edges[*count][1] = high, edges[(*count)++][2] = m->nv;
    return m->nv++;
}

// The unit icosahedron, each triangle divided into four, `levels` times: 20 x 4^levels triangles.
static inline void help_icosphere(help_mesh *m, int levels) {
    static int edges[HELP_EDGES][3];
    static uint32_t faces[3 * HELP_FACES];
    static const int start[20][3] = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                                     {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                                     {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
    const double g = (1 + sqrt(5)) / 2, length = sqrt(1 + g * g);
    m->nv = m->nf = 0;
    for (int i = 0; i < 12; i++) {
        double *p = m->x0 + 3 * m->nv++;
        const double one = i % 2 ? 1 : -1, golden = i % 4 < 2 ? g : -g;
        p[i / 4] = (i / 4 == 0 ? one : i / 4 == 1 ? (i % 2 ? 1 : -1) : golden) / length;
        p[(i / 4 + 1) % 3] = p[(i / 4 + 2) % 3] = 0;
        if (i / 4 == 0) p[0] = one / length, p[1] = golden / length;
        if (i / 4 == 1) p[1] = one / length, p[2] = golden / length;
        if (i / 4 == 2) p[2] = one / length, p[0] = golden / length;
    }
    for (int i = 0; i < 20; i++) help_face(m, start[i][0], start[i][1], start[i][2]);
    for (int level = 0; level < levels; level++) {
        int count = 0, old = m->nf;
        memcpy(faces, m->faces, sizeof faces);
        m->nf = 0;
        for (int i = 0; i < old; i++) {
            const int a = (int)faces[3 * i], b = (int)faces[3 * i + 1], c = (int)faces[3 * i + 2];
            const int x = help_middle(m, a, b, edges, &count), y = help_middle(m, b, c, edges, &count),
                      z = help_middle(m, c, a, edges, &count);
            help_face(m, a, x, z), help_face(m, b, y, x), help_face(m, c, z, y), help_face(m, x, y, z);
        }
    }
}

static inline sp_volume_surface help_surface(const help_mesh *m, int group) {
    return (sp_volume_surface){.x = m->x0, .vertex_count = m->nv, .triangles = m->faces, .triangle_count = m->nf, .group = group};
}

// ---------------------------------------------------------------------------------------------------- peeling

// One crossing of a ray and a triangle.
typedef struct help_crossing {
    double z, weight[3];
    int surface, triangle;
    bool leaves;
} help_crossing;

// What depth peeling finds: volumes of pairs and gradients, and how many crossings there are.
typedef struct help_peeled {
    double volume[HELP_SURFACES][HELP_SURFACES];  // [a][b], a < b; the mean of the axes
    double *gradient[HELP_SURFACES][HELP_SURFACES][2];
    int64_t crossings;
} help_peeled;

static inline int64_t help_round(double x, double origin, double pixel) {
    return (int64_t)nearbyint((x - origin) * (65536 / pixel));
}

// the triangle is farther from the ray than rounding moves it
static inline bool help_misses(const double *const p[3], int axis, double at, double pixel) {
    const double a = p[0][axis] - at, b = p[1][axis] - at, c = p[2][axis] - at, far = pixel / 1000;
    return (a > far && b > far && c > far) || (a < -far && b < -far && c < -far);
}

// The next crossing behind `after` (in depth, then number): all triangles are tested, in integers.
static inline bool help_peel(const sp_volume_surface *s, int count, int axis, double pixel, const double origin[3], int64_t px,
                             int64_t py, const help_crossing *after, help_crossing *out) {
    const int X = (axis + 1) % 3, Y = (axis + 2) % 3;
    const double at[2] = {origin[X] + pixel * (double)px / 65536, origin[Y] + pixel * (double)py / 65536};
    bool found = false;
    for (int i = 0; i < count; i++)
        for (int t = 0; t < s[i].triangle_count; t++) {
            const double *p[3];
            int64_t x[3], y[3], e[3];
            bool in = true, out_side = true;
            for (int k = 0; k < 3; k++) p[k] = s[i].x + 3 * (size_t)s[i].triangles[3 * t + k];
            if (help_misses(p, X, at[0], pixel) || help_misses(p, Y, at[1], pixel)) continue;
            for (int k = 0; k < 3; k++) {
                x[k] = help_round(p[k][X], origin[X], pixel) - px, y[k] = help_round(p[k][Y], origin[Y], pixel) - py;
            }
            for (int k = 0; k < 3; k++) {  // weights of the opposite edges; a zero counts as after a small shift of the sample
                const int a = (k + 1) % 3, b = (k + 2) % 3;
                e[k] = x[a] * y[b] - x[b] * y[a];
                const int64_t dx = x[b] - x[a], dy = y[b] - y[a], sign = e[k] ? e[k] : dy ? -dy : dx;
                in = in && sign > 0, out_side = out_side && sign < 0;
            }
            const int64_t area = e[0] + e[1] + e[2];
            if ((!in && !out_side) || area == 0) continue;
            help_crossing c = {.surface = i, .triangle = t, .leaves = area > 0};
            for (int k = 0; k < 3; k++) c.weight[k] = (double)e[k] / (double)area, c.z += c.weight[k] * p[k][axis];
            if (after &&
                (c.z < after->z || (c.z == after->z && (i < after->surface || (i == after->surface && t <= after->triangle)))))
                continue;
            if (found && c.z >= out->z) continue;
            *out = c, found = true;
        }
    return found;
}

static inline void help_gradient(help_peeled *p, const sp_volume_surface *s, int a, int b, int axis, const help_crossing *c,
                                 double area) {
    double *g = p->gradient[a][b][c->surface == b];
    for (int k = 0; k < 3; k++) g[3 * s[c->surface].triangles[3 * c->triangle + k] + (uint32_t)axis] += area * c->weight[k];
}

// The overlap of two surfaces on a ray, from the intervals where it is inside each of them: the crossings of a surface that does
// not intersect itself alternate.
static inline void help_intersect(help_peeled *p, const sp_volume_surface *s, int a, int b, int axis, double area,
                                  const help_crossing *c, int count) {
    const help_crossing *in[2] = {NULL, NULL};
    for (int i = 0; i < count; i++) {
        if (c[i].surface != a && c[i].surface != b) continue;
        const int side = c[i].surface == b;
        if (c[i].leaves && in[0] && in[1]) {
            const help_crossing *lower = in[0] > in[1] ? in[0] : in[1];
            p->volume[a][b] += area * (c[i].z - lower->z) / 3;
            help_gradient(p, s, a, b, axis, lower, -area), help_gradient(p, s, a, b, axis, &c[i], area);
        }
        in[side] = c[i].leaves ? NULL : &c[i];
    }
}

// Everything by depth peeling, with as many passes as layers (Everitt 2001), over samples low..high of each axis.
static inline void help_peel_all(const sp_volume_surface *s, int count, double pixel, const double origin[3], int low, int high,
                                 help_peeled *p) {
    memset(p, 0, sizeof *p);
    for (int a = 0; a < count; a++)
        for (int b = a + 1; b < count; b++) {
            p->gradient[a][b][0] = calloc((size_t)s[a].vertex_count, 3 * sizeof(double));
            p->gradient[a][b][1] = calloc((size_t)s[b].vertex_count, 3 * sizeof(double));
        }
    for (int axis = 0; axis < 3; axis++)
        for (int i = low; i <= high; i++)
            for (int j = low; j <= high; j++) {
                help_crossing c[HELP_LAYERS];
                int n = 0;
                while (n < HELP_LAYERS && help_peel(s, count, axis, pixel, origin, (int64_t)i * 65536 + 32768,
                                                    (int64_t)j * 65536 + 32768, n ? &c[n - 1] : NULL, &c[n]))
                    n++;
                p->crossings += n;
                for (int a = 0; a < count; a++)
                    for (int b = a + 1; b < count; b++) help_intersect(p, s, a, b, axis, pixel * pixel, c, n);
            }
}

static inline void help_peeled_free(help_peeled *p) {
    for (int a = 0; a < HELP_SURFACES; a++)
        for (int b = 0; b < HELP_SURFACES; b++) free(p->gradient[a][b][0]), free(p->gradient[a][b][1]);
}

#endif
