// Boxes of one type of element, distorted.
#ifndef SP_VERIFY_ELEMENT_BOXES_H
#define SP_VERIFY_ELEMENT_BOXES_H

#include "verify.h"

static const sp_element_type solid_types[3] = {SP_ELEMENT_TET4, SP_ELEMENT_TET10, SP_ELEMENT_HEX8};
static const char *const solid_type_names[] = {
    [SP_ELEMENT_TET4] = "tet4", [SP_ELEMENT_TET10] = "tet10", [SP_ELEMENT_HEX8] = "hex8"};

// a copy with other positions
static inline sp_status mesh_moved(const sp_mesh *from, const double *x, sp_mesh **out) {
    int n = sp_mesh_element_count(from), at = 0;
    sp_element_type *types = calloc((size_t)n, sizeof *types);
    int *nodes = calloc(10 * (size_t)n, sizeof *nodes);
    for (int e = 0; e < n; e++) {
        const int *own;
        types[e] = sp_mesh_element(from, e, &own);
        for (int a = 0; a < sp_element_nodes(types[e]); a++) nodes[at++] = own[a];
    }
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = sp_mesh_node_count(from), def.positions = x;
    def.element_count = n, def.element_types = types, def.element_nodes = nodes;
    def.fix_orientation = false;
    sp_status status = sp_mesh_create(sp_mesh_context(from), &def, out);
    free(types), free(nodes);
    return status;
}

// The nodes of a grid, i(ny+1)(nz+1) + j(nz+1) + l, in hexahedra
static inline sp_status hex_grid(sp_context *ctx, const double size[3], const int n[3], sp_mesh **out) {
    static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    int count = n[0] * n[1] * n[2], points = (n[0] + 1) * (n[1] + 1) * (n[2] + 1), at = 0;
    sp_element_type *types = calloc((size_t)count, sizeof *types);
    int *nodes = calloc(8 * (size_t)count, sizeof *nodes);
    double *x = calloc(3 * (size_t)points, sizeof *x);
    for (int p = 0; p < points; p++) {
        const int c[3] = {p / (n[2] + 1) / (n[1] + 1), p / (n[2] + 1) % (n[1] + 1), p % (n[2] + 1)};
        for (int k = 0; k < 3; k++) x[3 * p + k] = size[k] * c[k] / n[k];
    }
    for (int e = 0; e < count; e++) {
        const int i = e / n[2] / n[1], j = e / n[2] % n[1], l = e % n[2];
        types[e] = SP_ELEMENT_HEX8;
        for (int a = 0; a < 8; a++)
            nodes[at++] = ((i + corner[a][0]) * (n[1] + 1) + j + corner[a][1]) * (n[2] + 1) + l + corner[a][2];
    }
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = points, def.positions = x;
    def.element_count = count, def.element_types = types, def.element_nodes = nodes;
    sp_status status = sp_mesh_create(ctx, &def, out);
    free(types), free(nodes), free(x);
    return status;
}

// moves the nodes from `first` on that are inside the box at random by up to `amount` of a cell
static inline sp_status mesh_shaken(sp_mesh *from, const double size[3], const int cells[3], double amount, int first,
                                    sp_mesh **out) {
    int n = sp_mesh_node_count(from);
    double *x = malloc(3 * (size_t)n * sizeof *x);
    memcpy(x, sp_mesh_positions(from), 3 * (size_t)n * sizeof *x);
    unsigned long long seed = 7;
    for (int i = 3 * first; i < 3 * n; i++) {
        double r = sp_test_random(&seed), length = size[i % 3];
        if (x[i] > 1e-9 * length && x[i] < (1 - 1e-9) * length) x[i] += amount * r * length / cells[i % 3];
    }
    sp_status status = mesh_moved(from, x, out);
    free(x);
    sp_mesh_destroy(&from);
    return status;
}

// A box of one type of element. Nodes inside are moved at random by up to `amount` of a cell; then those on the edges of
// quadratic tetrahedra by a quarter of that, so that edges are curved. amount = 0: regular.
static inline sp_status element_box(sp_context *ctx, sp_element_type type, const double size[3], const int cells[3],
                                    double amount, sp_mesh **out) {
    sp_mesh *regular = NULL, *linear = NULL, *straight = NULL;
    sp_status s = type == SP_ELEMENT_HEX8 ? hex_grid(ctx, size, cells, &regular) : sp_mesh_box(ctx, size, cells, 5, &regular);
    if (s < 0) return s;
    if (type != SP_ELEMENT_TET10) return mesh_shaken(regular, size, cells, amount, 0, out);
    s = mesh_shaken(regular, size, cells, amount, 0, &linear);
    if (s < 0) return s;
    s = sp_mesh_order2(linear, NULL, NULL, &straight);
    int corners = sp_mesh_node_count(linear);
    sp_mesh_destroy(&linear);
    return s < 0 ? s : mesh_shaken(straight, size, cells, amount / 4, corners, out);
}

#endif
