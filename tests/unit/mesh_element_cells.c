// Cells of meshes: linear tetrahedra that divide the elements. They have positive volumes that fill the mesh, neighbours share
// whole faces, and the boundary of the cells is that of the mesh.
#include <stdlib.h>

#include "math/vec3.h"
#include "mesh/mesh_internal.h"
#include "test.h"

// a box of hexahedra (1 per cell), tetrahedra (6), or quadratic tetrahedra (order 2), with nodes moved at random by `bend` of an
// edge
static sp_mesh *cells_box(sp_context *ctx, int per_cell, int order, double bend) {
    const double size[3] = {0.3, 0.2, 0.4};
    const int cells[3] = {3, 2, 4};
    sp_mesh *box = NULL, *out = NULL;
    sp_mesh_def def = sp_mesh_def_default();
    unsigned long long seed = 5;
    if (sp_mesh_box(ctx, size, cells, per_cell, &box) < 0) return NULL;
    if (order == 2 && sp_mesh_order2(box, NULL, NULL, &out) >= 0) {
        sp_mesh_destroy(&box);
        box = out, out = NULL;
    }
    const int n = sp_mesh_node_count(box), elements = sp_mesh_element_count(box);
    double *x = calloc(3 * (size_t)n, sizeof *x);
    int *nodes = calloc(10 * (size_t)elements, sizeof *nodes), count = 0;
    sp_element_type *types = calloc((size_t)elements, sizeof *types);
    for (int i = 0; i < 3 * n; i++) x[i] = sp_mesh_positions(box)[i] + 0.1 * bend * sp_test_random(&seed);
    for (int e = 0; e < elements; e++) {
        const int *of;
        types[e] = sp_mesh_element(box, e, &of);
        for (int a = 0; a < sp_element_nodes(types[e]); a++) nodes[count++] = of[a];
    }
    def.node_count = n, def.positions = x, def.element_count = elements, def.element_types = types, def.element_nodes = nodes;
    if (sp_mesh_create(ctx, &def, &out) < 0) SP_TEST_FAILED("%s", sp_context_error(ctx)->message);
    sp_mesh_destroy(&box);
    free(x), free(nodes), free(types);
    return out;
}

static int compare_faces(const void *a, const void *b) {
    const int *f = a, *g = b;
    for (int k = 0; k < 3; k++)
        if (f[k] != g[k]) return f[k] < g[k] ? -1 : 1;
    return 0;
}

static void face_sort(const int *n, int *out) {
    memcpy(out, n, 3 * sizeof *out);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (out[k] > out[k + 1]) {
                int swap = out[k];
                out[k] = out[k + 1], out[k + 1] = swap;
            }
}

// every face belongs to one cell at the boundary and to two inside; the boundary is that of the mesh
static void check_conforming(const sp_mesh *mesh) {
    const int cells = sp_mesh_cell_count(mesh), outer = sp_mesh_face_count(mesh);
    int(*faces)[3] = calloc(4 * (size_t)cells, sizeof *faces), (*own)[3] = calloc((size_t)outer, sizeof *own), single = 0,
    most = 0;
    for (int c = 0; c < cells; c++)
        for (int f = 0; f < 4; f++) {
            int n[3];
            for (int k = 0; k < 3; k++) n[k] = sp_mesh_cells(mesh)[4 * c + sp__tet_face[f][k]];
            face_sort(n, faces[4 * c + f]);
        }
    for (int f = 0; f < outer; f++) face_sort(sp_mesh_faces(mesh) + 3 * (size_t)f, own[f]);
    qsort(faces, 4 * (size_t)cells, sizeof *faces, compare_faces);
    qsort(own, (size_t)outer, sizeof *own, compare_faces);
    for (int i = 0, end; i < 4 * cells; i = end) {
        for (end = i + 1; end < 4 * cells && compare_faces(faces[i], faces[end]) == 0;) end++;
        if (end - i > most) most = end - i;
        if (end - i > 1) continue;
        CHECK(single < outer && compare_faces(faces[i], own[single]) == 0);
        single++;
    }
    CHECK_INT(single, outer);
    CHECK_INT(most, 2);
    free(faces), free(own);
}

static void check_cells(int per_cell, int order, int each) {
    sp_context *ctx = NULL;
    CHECK(sp_context_create(NULL, &ctx) >= 0);
    sp_mesh *mesh = cells_box(ctx, per_cell, order, order == 2 ? 0 : 0.2);
    if (mesh) {
        double volume = 0;
        CHECK_INT(sp_mesh_cell_count(mesh), each * sp_mesh_element_count(mesh));
        for (int c = 0; c < sp_mesh_cell_count(mesh); c++) {
            double det = sp__tet_det(sp_mesh_positions(mesh), sp_mesh_cells(mesh) + 4 * (size_t)c);
            CHECK(det > 0);
            volume += det / 6;
            CHECK_INT(sp_mesh_cell_element(mesh, c), c / each);
        }
        for (int e = 0; e <= sp_mesh_element_count(mesh); e++) CHECK_INT(sp_mesh_element_cell(mesh, e), each * e);
        // a warped face of a hexahedron is not that of its two triangles, but inside, where two hexahedra share it, nothing is
        // lost
        CHECK_NEAR(volume, sp_mesh_volume(mesh), order == 1 && per_cell == 1 ? 0.02 * volume : 1e-12 * volume);
        check_conforming(mesh);
        for (int f = 0; f < sp_mesh_face_count(mesh); f++) {
            const int *n = sp_mesh_faces(mesh) + 3 * (size_t)f,
                      *cell = sp_mesh_cells(mesh) + 4 * (size_t)sp__mesh_face_cell(mesh, f);
            for (int k = 0; k < 3; k++) CHECK(n[k] == cell[0] || n[k] == cell[1] || n[k] == cell[2] || n[k] == cell[3]);
        }
    }
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

TEST(tetrahedra_are_their_cells) {
    check_cells(6, 1, 1);
}

TEST(hexahedra_have_six_cells) {
    check_cells(1, 1, 6);
}

TEST(quadratic_tetrahedra_have_eight_cells) {
    check_cells(6, 2, 8);
}

// the point of the cell is the point that was searched
TEST(points_are_located_in_cells) {
    sp_context *ctx = NULL;
    CHECK(sp_context_create(NULL, &ctx) >= 0);
    for (int order = 1; order <= 2; order++) {
        sp_mesh *mesh = cells_box(ctx, order == 1 ? 1 : 6, order, 0);
        unsigned long long seed = 3;
        for (int i = 0; mesh && i < 50; i++) {
            const double p[3] = {0.15 + 0.14 * sp_test_random(&seed), 0.1 + 0.09 * sp_test_random(&seed),
                                 0.2 + 0.19 * sp_test_random(&seed)};
            double at[3], x[3] = {0};
            int cell;
            CHECK(sp_mesh_locate_cell(mesh, p, &cell, at) >= -1e-12);  // rounding on a face
            const double w[4] = {1 - at[0] - at[1] - at[2], at[0], at[1], at[2]};
            for (int a = 0; a < 4; a++) {
                CHECK(w[a] > -1e-9);  // rounding on a face of a cell
                sp__axpy3(x, w[a], sp_mesh_positions(mesh) + 3 * (size_t)sp_mesh_cells(mesh)[4 * cell + a], x);
            }
            for (int k = 0; k < 3; k++) CHECK_NEAR(x[k], p[k], 1e-14);  // rounding of four products
        }
        sp_mesh_destroy(&mesh);
    }
    sp_context_destroy(&ctx);
}
