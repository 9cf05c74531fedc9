// Closed triangle surfaces of implicit functions for tests: marching tetrahedra on a grid, vertices moved onto the surface. The
// function is negative inside.
#ifndef SP_SKIN_HELP_H
#define SP_SKIN_HELP_H

#include <stdbool.h>
#include <stdint.h>

#include "math/vec3.h"
#include "test.h"

typedef struct skin {
    int nv, nf, capacity;
    double *x;
    uint32_t *faces;
} skin;

typedef double skin_fn(const void *user, const double x[3]);

typedef struct skin_grid {
    skin_fn *f;
    const void *user;
    double origin[3], size;
    int n;
    double *value;  // (n + 1)^3
    int *vertex;    // 7 edges of each node, towards the nodes with larger coordinates; -1: none
    skin *out;
} skin_grid;

static inline int skin_node(const skin_grid *g, int i, int j, int k) {
    return (k * (g->n + 1) + j) * (g->n + 1) + i;
}

static inline void skin_place(const skin_grid *g, int node, double x[3]) {
    const int m = g->n + 1, at[3] = {node % m, node / m % m, node / m / m};
    for (int k = 0; k < 3; k++) x[k] = g->origin[k] + g->size / g->n * at[k];
}

// the vertex between two nodes: by bisection, so that it is on the surface to rounding
static inline uint32_t skin_vertex(skin_grid *g, int a, int b) {
    const int m = g->n + 1, low = a < b ? a : b, high = a < b ? b : a, gap = high - low;
    const int step[3] = {gap % m % 2, gap / m % m % 2, gap / m / m};
    int *at = &g->vertex[7 * (size_t)low + (size_t)(step[0] + 2 * step[1] + 4 * step[2]) - 1];
    if (*at >= 0) return (uint32_t)*at;
    double p[3], q[3], x[3];
    skin_place(g, g->value[low] < 0 ? low : high, p), skin_place(g, g->value[low] < 0 ? high : low, q);
    for (int i = 0; i < 50; i++) {
        for (int k = 0; k < 3; k++) x[k] = 0.5 * (p[k] + q[k]);
        memcpy(g->f(g->user, x) < 0 ? p : q, x, sizeof x);
    }
    skin *s = g->out;
    if (s->nv == s->capacity) {
        s->capacity = 2 * s->capacity + 1024;
        s->x = realloc(s->x, 3 * (size_t)s->capacity * sizeof *s->x);
        s->faces = realloc(s->faces, 9 * (size_t)s->capacity * sizeof *s->faces);
    }
    memcpy(s->x + 3 * (size_t)s->nv, x, sizeof x);
    return (uint32_t)(*at = s->nv++);
}

static inline void skin_face(skin_grid *g, int pair[3][2], const double outwards[3]) {
    skin *s = g->out;
    uint32_t v[3];
    double u[3], w[3], n[3];
    for (int i = 0; i < 3; i++) v[i] = skin_vertex(g, pair[i][0], pair[i][1]);
    sp__sub3(s->x + 3 * (size_t)v[1], s->x + 3 * (size_t)v[0], u), sp__sub3(s->x + 3 * (size_t)v[2], s->x + 3 * (size_t)v[0], w);
    sp__cross3(u, w, n);
    uint32_t *f = s->faces + 3 * (size_t)s->nf++;
    bool turn = sp__dot3(n, outwards) < 0;
    f[0] = v[0], f[1] = v[turn ? 2 : 1], f[2] = v[turn ? 1 : 2];
}

static inline void skin_tet(skin_grid *g, const int node[4]) {
    int in[4], out[4], inside = 0, outside = 0;
    double away[3] = {0}, x[3];
    for (int i = 0; i < 4; i++) {
        bool solid = g->value[node[i]] < 0;
        *(solid ? &in[inside++] : &out[outside++]) = node[i];
    }
    if (inside == 0 || outside == 0) return;
    for (int i = 0; i < inside; i++) skin_place(g, in[i], x), sp__axpy3(away, -1.0 / inside, x, away);
    for (int i = 0; i < outside; i++) skin_place(g, out[i], x), sp__axpy3(away, 1.0 / outside, x, away);
    if (inside == 2) {
        skin_face(g, (int[3][2]){{in[0], out[0]}, {in[0], out[1]}, {in[1], out[0]}}, away);
        skin_face(g, (int[3][2]){{in[1], out[1]}, {in[1], out[0]}, {in[0], out[1]}}, away);
    } else {
        const int apex = inside == 1 ? in[0] : out[0], *base = inside == 1 ? out : in;
        skin_face(g, (int[3][2]){{apex, base[0]}, {apex, base[1]}, {apex, base[2]}}, away);
    }
}

// n^3 cells in a cube
static inline void skin_make(skin *s, skin_fn *f, const void *user, const double origin[3], double size, int n) {
    skin_grid g = {.f = f, .user = user, .size = size, .n = n, .out = s};
    size_t nodes = (size_t)(n + 1) * (size_t)(n + 1) * (size_t)(n + 1);
    *s = (skin){0};
    memcpy(g.origin, origin, sizeof g.origin);
    g.value = malloc(nodes * sizeof *g.value), g.vertex = malloc(7 * nodes * sizeof *g.vertex);
    for (size_t i = 0; i < nodes; i++) {
        double x[3];
        skin_place(&g, (int)i, x);
        g.value[i] = f(user, x);
    }
    for (size_t i = 0; i < 7 * nodes; i++) g.vertex[i] = -1;
    // six tetrahedra along the diagonal of each cell
    static const int path[6][2] = {{1, 3}, {1, 5}, {2, 3}, {2, 6}, {4, 5}, {4, 6}};
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                for (int p = 0; p < 6; p++) {
                    int c[4] = {0, path[p][0], path[p][1], 7}, node[4];
                    for (int q = 0; q < 4; q++) node[q] = skin_node(&g, i + (c[q] & 1), j + (c[q] >> 1 & 1), k + (c[q] >> 2));
                    skin_tet(&g, node);
                }
    free(g.value), free(g.vertex);
}

static inline void skin_free(skin *s) {
    free(s->x), free(s->faces);
}

#endif
