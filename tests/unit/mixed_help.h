// A mesh of hexahedra, quadratic and linear tetrahedra, whose positions, volumes and faces are known.
#ifndef SP_MIXED_HELP_H
#define SP_MIXED_HELP_H

#include "mesh_help.h"

enum { HEXES = 2, QUADRATIC = 5, LINEAR = 1, ELEMENTS = HEXES + QUADRATIC + LINEAR, MIXED_NODES_MAX = 64 };

// Two hexahedra on [0, 2] x [0, 1]^2, the cube [3, 4] x [0, 1]^2 of five quadratic tetrahedra, and a linear one at x = 5.
typedef struct mixed {
    double x[3 * MIXED_NODES_MAX];
    int nodes[8 * HEXES + 10 * QUADRATIC + 4 * LINEAR], node_count;
    sp_element_type types[ELEMENTS];
    int64_t ids[ELEMENTS];
    sp_mesh_def def;
} mixed;

static inline int mixed_node(mixed *m, double x, double y, double z) {
    const double p[3] = {x, y, z};
    for (int i = 0; i < m->node_count; i++)
        if (memcmp(m->x + 3 * i, p, sizeof p) == 0) return i;
    memcpy(m->x + 3 * m->node_count, p, sizeof p);
    return m->node_count++;
}

static inline int *add_hexahedra(mixed *m, int *to) {
    static const double corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    for (int i = 0; i < 8 * HEXES; i++) *to++ = mixed_node(m, corner[i % 8][0] + i / 8, corner[i % 8][1], corner[i % 8][2]);
    return to;
}

static inline int *add_quadratic(mixed *m, int *to) {
    static const int tets[QUADRATIC][4] = {{0, 5, 3, 6}, {1, 0, 5, 3}, {2, 0, 3, 6}, {4, 0, 6, 5}, {7, 3, 5, 6}};
    static const int edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    for (int t = 0; t < QUADRATIC; t++) {
        double c[4][3];
        for (int a = 0; a < 4; a++)
            for (int k = 0; k < 3; k++) c[a][k] = (tets[t][a] >> k & 1) + (k == 0 ? 3 : 0);
        for (int a = 0; a < 4; a++) *to++ = mixed_node(m, c[a][0], c[a][1], c[a][2]);
        for (int e = 0; e < 6; e++) {
            const double *a = c[edges[e][0]], *b = c[edges[e][1]];
            *to++ = mixed_node(m, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2);
        }
    }
    return to;
}

static inline void make_mixed(mixed *m) {
    *m = (mixed){0};
    int *to = add_quadratic(m, add_hexahedra(m, m->nodes));
    *to++ = mixed_node(m, 5, 0, 0), *to++ = mixed_node(m, 6, 0, 0), *to++ = mixed_node(m, 5, 1, 0),
    *to++ = mixed_node(m, 5, 0, 1);
    for (int e = 0; e < ELEMENTS; e++) {
        m->types[e] = e < HEXES ? SP_ELEMENT_HEX8 : e < HEXES + QUADRATIC ? SP_ELEMENT_TET10 : SP_ELEMENT_TET4;
        m->ids[e] = 100 + 3 * e;
    }
    m->def = sp_mesh_def_default();
    m->def.node_count = m->node_count, m->def.positions = m->x;
    m->def.element_count = ELEMENTS, m->def.element_types = m->types, m->def.element_nodes = m->nodes;
    m->def.element_ids = m->ids;
}

static inline sp_mesh *create_mixed(sp_context *ctx, mixed *m) {
    sp_mesh *mesh = NULL;
    make_mixed(m);
    if (sp_mesh_create(ctx, &m->def, &mesh) < 0) SP_TEST_FAILED("%s", sp_context_error(ctx)->message);
    return mesh;
}

// moves every coordinate by up to `by`
static inline void bend(mixed *m, double by) {
    unsigned long long state = 17;
    for (int i = 0; i < 3 * m->node_count; i++) m->x[i] += by * sp_test_random(&state);
}

#endif
