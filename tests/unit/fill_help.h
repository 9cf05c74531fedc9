// Measurements on a mesh for the tests of filling: angles, edges of the boundary, volumes of groups.
#ifndef SP_FILL_HELP_H
#define SP_FILL_HELP_H

#include "failing.h"
#include "math/vec3.h"
#include "meter.h"
#include "souple/mesh.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

static inline sp_context *context(void) {
    sp_context *c = NULL;
    if (sp_context_create(NULL, &c) < 0) abort();
    return c;
}

static inline double det_of(const double *x, const int *t) {
    double m[9];
    for (int k = 0; k < 3; k++) sp__sub3(x + 3 * t[k + 1], x + 3 * t[0], m + 3 * k);
    return sp__det3(m);
}

// the angle at edge a b of a tetrahedron between the faces towards c and d, from the components of both normal to the edge
static inline double dihedral(const double *a, const double *b, const double *c, const double *d) {
    double e[3], u[3], v[3], w[3];
    sp__sub3(b, a, e);
    sp__sub3(c, a, u);
    sp__sub3(d, a, v);
    sp__axpy3(u, -sp__dot3(u, e) / sp__dot3(e, e), e, u);
    sp__axpy3(v, -sp__dot3(v, e) / sp__dot3(e, e), e, v);
    sp__cross3(u, v, w);
    return atan2(sp__norm3(w), sp__dot3(u, v)) * 180 / PI;
}

static inline void angles_of(const sp_mesh *mesh, double *least, double *largest) {
    static const int edges[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
    const double *x = sp_mesh_positions(mesh);
    *least = 180, *largest = 0;
    for (int i = 0; i < sp_mesh_element_count(mesh); i++) {
        const int *t = sp_mesh_tets(mesh) + 4 * i;
        for (int e = 0; e < 6; e++) {
            double angle =
                dihedral(x + 3 * t[edges[e][0]], x + 3 * t[edges[e][1]], x + 3 * t[edges[e][2]], x + 3 * t[edges[e][3]]);
            *least = fmin(*least, angle), *largest = fmax(*largest, angle);
        }
    }
}

typedef struct edge_use {
    int a, b, way;  // way: +1 in this direction, -1 reversed
} edge_use;

static inline int compare_edges(const void *p, const void *q) {
    const edge_use *u = p, *v = q;
    return u->a != v->a ? (u->a > v->a) - (u->a < v->a) : (u->b > v->b) - (u->b < v->b);
}

// edges that do not have exactly two faces, once in each direction
static inline int bad_edges_of(const int *faces, int count) {
    edge_use *use = malloc(3 * (size_t)count * sizeof *use);
    int n = 3 * count, bad = 0;
    if (!use) return -1;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            int a = faces[3 * i + k], b = faces[3 * i + (k + 1) % 3];
            use[3 * i + k] = a < b ? (edge_use){a, b, 1} : (edge_use){b, a, -1};
        }
    qsort(use, (size_t)n, sizeof *use, compare_edges);
    for (int i = 0, j; i < n; i = j) {
        int ways = 0;
        for (j = i; j < n && compare_edges(&use[i], &use[j]) == 0; j++) ways += use[j].way;
        bad += j - i != 2 || ways != 0;
    }
    free(use);
    return bad;
}

static inline int bad_edges(const sp_mesh *mesh) {
    return bad_edges_of(sp_mesh_faces(mesh), sp_mesh_face_count(mesh));
}

static inline double boundary_volume(const sp_mesh *mesh) {
    const double *x = sp_mesh_positions(mesh);
    double sum = 0;
    for (int i = 0; i < sp_mesh_face_count(mesh); i++) {
        const int *f = sp_mesh_faces(mesh) + 3 * i;
        double m[9];
        for (int k = 0; k < 3; k++) memcpy(m + 3 * k, x + 3 * f[k], 3 * sizeof(double));
        sum += sp__det3(m) / 6;
    }
    return sum;
}

static inline double group_volume(const sp_mesh *mesh, const char *name) {
    const sp_mesh_group *g = sp_mesh_group_named(mesh, name);
    double sum = 0;
    for (int i = 0; g && i < g->element_count; i++)
        sum += det_of(sp_mesh_positions(mesh), sp_mesh_tets(mesh) + 4 * g->elements[i]) / 6;
    return sum;
}

static inline int root_of_node(int *parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

// number of connected components by nodes
static inline int pieces_of(const sp_mesh *mesh) {
    int n = sp_mesh_node_count(mesh), *parent = malloc((size_t)n * sizeof *parent), count = 0;
    if (!parent) return -1;
    for (int i = 0; i < n; i++) parent[i] = i;
    for (int i = 0; i < sp_mesh_element_count(mesh); i++) {
        const int *t = sp_mesh_tets(mesh) + 4 * i;
        for (int k = 1; k < 4; k++) parent[root_of_node(parent, t[k])] = root_of_node(parent, t[0]);
    }
    for (int i = 0; i < n; i++) count += parent[i] == i;
    free(parent);
    return count;
}

// ---------------------------------------------------------------------------------------------------- memory

static failing fill_paths;
static bool fill_notes;

static inline void *noted_alloc(void *user, size_t size, size_t align) {
    if (fill_notes) failing_note(&fill_paths);
    return metered_alloc(user, size, align);
}

// a call that may make so many allocations; nothing leaks
static inline sp_status fill_with(sp_status (*call)(sp_context *c), long allowed, bool notes) {
    meter m = {.allowed = 1000000};
    sp_context_def def = metered_context(&m);
    sp_context *c = NULL;
    def.alloc = noted_alloc;
    if (sp_context_create(&def, &c) < 0) abort();
    long before = m.live;
    m.allowed = allowed, fill_notes = notes;
    sp_status status = call(c);
    m.allowed = 1000000, fill_notes = false;
    CHECK_INT(m.live, before);
    sp_context_destroy(&c);
    return status;
}

// allocations fail, of each kind (failing.h): the call reports it
static inline void check_every_allocation(sp_status (*call)(sp_context *c)) {
    CHECK_INT(fill_with(call, 1000000, true), SP_OK);
    failing_choose(&fill_paths);
    CHECK(fill_paths.count > 20);
    for (long n = 0; n < fill_paths.count; n++)
        if (fill_paths.fails[n]) CHECK_INT(fill_with(call, n, false), SP_NO_MEMORY);
    CHECK_INT(fill_with(call, fill_paths.count, false), SP_OK);
    failing_free(&fill_paths);
}

// The border of a group as a mesh: the number of its nodes that are off a sphere, plus edges that are not closed.
static inline int border_off(const sp_mesh *mesh, const char *name, double radius, double within) {
    const sp_mesh_group *g = sp_mesh_group_named(mesh, name);
    if (!g) return -1;
    sp_context *c = context();
    sp_mesh_def def = sp_mesh_def_default();
    int *tets = malloc(4 * (size_t)g->element_count * sizeof *tets), off = 0;
    for (int i = 0; tets && i < g->element_count; i++)
        memcpy(tets + 4 * i, sp_mesh_tets(mesh) + 4 * g->elements[i], 4 * sizeof *tets);
    def.node_count = sp_mesh_node_count(mesh), def.positions = sp_mesh_positions(mesh);
    def.element_count = g->element_count, def.element_nodes = tets;
    sp_mesh *part = NULL;
    if (tets && sp_mesh_create(c, &def, &part) >= 0) {
        off = bad_edges(part);
        for (int i = 0; i < 3 * sp_mesh_face_count(part); i++)
            off += fabs(sp__norm3(sp_mesh_positions(part) + 3 * sp_mesh_faces(part)[i]) - radius) > within;
    } else {
        off = -1;
    }
    sp_mesh_destroy(&part);
    free(tets);
    sp_context_destroy(&c);
    return off;
}

#endif
