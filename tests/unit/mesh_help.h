// Shared by the tests of mesh files: a box with groups and arrays, and a comparison of two meshes bit by bit.
#ifndef SP_MESH_HELP_H
#define SP_MESH_HELP_H

#include "at.h"
#include "test.h"

#include "io/mesh/cells.h"

static inline sp_context *mesh_context(void) {
    sp_context *ctx = NULL;
    sp_context_create(NULL, &ctx);
    return ctx;
}

static inline bool same_bits(const void *a, const void *b, size_t n) {
    return n == 0 || memcmp(a, b, n) == 0;
}

// positions with all digits, ids with gaps, groups that overlap or list nodes only, arrays of one and three components
static inline sp_mesh *rich_box(sp_context *ctx, const int cells[3], bool wide_ids) {
    const double size[3] = {1, 1.1, 0.9};
    sp_mesh *box = NULL, *mesh = NULL;
    if (sp_mesh_box(ctx, size, cells, 6, &box) < 0) return NULL;
    int nn = sp_mesh_node_count(box), nt = sp_mesh_element_count(box);
    double *x = malloc(3 * sizeof(double) * (size_t)nn), *v = malloc(3 * sizeof(double) * (size_t)nn);
    double *e = malloc(sizeof(double) * (size_t)nt);
    int64_t *node_ids = malloc(sizeof(int64_t) * (size_t)nn), *tet_ids = malloc(sizeof(int64_t) * (size_t)nt);
    int *left = malloc(sizeof(int) * (size_t)nt), *nodes = malloc(sizeof(int) * (size_t)nn), lefts = 0;
    int few[] = {0, 2, 5};
    for (int i = 0; i < nn; i++) {
        for (int k = 0; k < 3; k++) x[3 * i + k] = sp_mesh_positions(box)[3 * i + k] + 1e-3 * sin(7.0 * i + k);
        for (int k = 0; k < 3; k++) v[k * nn + i] = cos(0.1 * i + k) * (k == 2 ? 1e-300 : 1);
        node_ids[i] = wide_ids ? 3000000000LL + 5LL * i : 4 + 3LL * (i ^ 1);
        nodes[i] = i;
    }
    for (int i = 0; i < nt; i++) {
        e[i] = i == 3 ? NAN : 1e4 / (i + 1);
        tet_ids[i] = 100 + 2LL * i;
        if (i % 3) left[lefts++] = i;
    }
    sp_mesh_group groups[] = {
        {.name = "12", .elements = left, .element_count = lefts, .nodes = nodes, .node_count = nn},
        {.name = "every other", .elements = left, .element_count = lefts / 2, .nodes = nodes, .node_count = nn},
        {.name = "fixed", .nodes = few, .node_count = 3},
        {.name = "left side", .elements = left, .element_count = lefts, .nodes = nodes, .node_count = nn}};
    sp_mesh_array arrays[] = {{"E", e, true}, {"v.x", v, false}, {"v.y", v + nn, false}, {"v.z", v + 2 * nn, false}};
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = nn, def.positions = x, def.element_count = nt, def.element_nodes = sp_mesh_tets(box);
    def.node_ids = node_ids, def.element_ids = tet_ids;
    def.groups = groups, def.group_count = 4, def.arrays = arrays, def.array_count = 4;
    sp_mesh_create(ctx, &def, &mesh);
    sp_mesh_destroy(&box);
    free(x), free(v), free(e), free(node_ids), free(tet_ids), free(left), free(nodes);
    return mesh;
}

static inline double group_volume(const sp_mesh *mesh, const char *name) {
    const sp_mesh_group *group = sp_mesh_group_named(mesh, name);
    double sum = 0, parts[SP_ELEMENT_NODES_MAX];
    for (int i = 0; group && i < group->element_count; i++) {
        sp_mesh_element_integrals(mesh, group->elements[i], parts);
        for (int k = sp_element_nodes(sp_mesh_element(mesh, group->elements[i], NULL)) - 1; k >= 0; k--) sum += parts[k];
    }
    return sum;
}

// bit for bit; a NaN is a NaN
static inline bool same_values(const double *a, const double *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (memcmp(a + i, b + i, sizeof *a) != 0 && !(isnan(a[i]) && isnan(b[i]))) return false;
    return true;
}

static inline void check_same_shape(const sp_mesh *a, const sp_mesh *b, bool ids) {
    CHECK_INT(sp_mesh_node_count(a), sp_mesh_node_count(b));
    CHECK_INT(sp_mesh_element_count(a), sp_mesh_element_count(b));
    if (sp_mesh_node_count(a) != sp_mesh_node_count(b) || sp_mesh_element_count(a) != sp_mesh_element_count(b)) return;
    size_t nn = (size_t)sp_mesh_node_count(a), nt = (size_t)sp_mesh_element_count(a);
    CHECK(same_bits(sp_mesh_positions(a), sp_mesh_positions(b), 3 * nn * sizeof(double)));
    for (size_t e = 0; e < nt; e++) {
        const int *of_a, *of_b;
        sp_element_type type = sp_mesh_element(a, (int)e, &of_a);
        bool same =
            type == sp_mesh_element(b, (int)e, &of_b) && same_bits(of_a, of_b, (size_t)sp_element_nodes(type) * sizeof(int));
        CHECK(same);
        if (!same) break;
    }
    if (!ids) return;
    CHECK(same_bits(sp_mesh_node_ids(a), sp_mesh_node_ids(b), nn * sizeof(int64_t)));
    CHECK(same_bits(sp_mesh_element_ids(a), sp_mesh_element_ids(b), nt * sizeof(int64_t)));
}

// every group of a is in b with the same elements and nodes
static inline void check_same_groups(const sp_mesh *a, const sp_mesh *b) {
    for (int g = 0; g < sp_mesh_group_count(a); g++) {
        sp_mesh_group p = group_at(a, g);
        const sp_mesh_group *q = sp_mesh_group_named(b, p.name);
        if (!q || p.element_count != q->element_count || p.node_count != q->node_count ||
            !same_bits(p.elements, q->elements, (size_t)p.element_count * sizeof(int)) ||
            !same_bits(p.nodes, q->nodes, (size_t)p.node_count * sizeof(int)))
            SP_TEST_FAILED("group '%s' did not come back", p.name);
    }
}

static inline void check_same_arrays(const sp_mesh *a, const sp_mesh *b) {
    CHECK_INT(sp_mesh_array_count(a), sp_mesh_array_count(b));
    for (int i = 0; i < sp_mesh_array_count(a); i++) {
        sp_mesh_array p = array_at(a, i);
        const sp_mesh_array *q = sp_mesh_array_named(b, p.name);
        size_t n = (size_t)(p.on_elements ? sp_mesh_element_count(a) : sp_mesh_node_count(a));
        if (!q || q->on_elements != p.on_elements || !same_values(p.values, q->values, n))
            SP_TEST_FAILED("array '%s' did not come back", p.name);
    }
}

static inline void mesh_put_file(const char *path, const void *bytes, size_t size) {
    FILE *f = fopen(path, "wb");
    if (!f) return;
    fwrite(bytes, 1, size, f);
    fclose(f);
}

#endif
