// Cells: the linear tetrahedra that divide the elements of a mesh. Geometry (material points, collision, pictures) knows cells
// only, mechanics the elements. Cells have the nodes of their element, and their faces on the boundary are its triangles: faces
// of hexahedra are cut at their lowest node number, so that neighbours agree. The cell of a triangle is flat: it has the last
// node of the triangle twice, and points in it have no weight there the second time.
#include "math/vec3.h"
#include "mesh/mesh_internal.h"

// ten-node tetrahedron: a cell at each corner, and four around the line between the middles of edges 01 and 23
static const int quadratic_cells[8][4] = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3},
                                          {4, 9, 5, 6}, {4, 9, 6, 7}, {4, 9, 7, 8}, {4, 9, 8, 5}};

// The lowest node and each triangle of the faces without it; the other triangles meet in that node.
static int hexahedron_cells(const int *nodes, int out[SP_ELEMENT_CELLS_MAX][4]) {
    int triangles[SP_ELEMENT_TRIANGLES_MAX][3], low = nodes[0], count = 0;
    for (int a = 1; a < 8; a++)
        if (nodes[a] < low) low = nodes[a];
    sp__element_triangles(SP_ELEMENT_HEX8, nodes, triangles);
    for (int t = 0; t < sp__element_triangle_count(SP_ELEMENT_HEX8); t++) {
        const int *n = triangles[t];
        if (n[0] == low || n[1] == low || n[2] == low) continue;
        const int cell[4] = {low, n[0], n[1], n[2]};
        memcpy(out[count++], cell, sizeof cell);
    }
    return count;
}

int sp__element_cells(sp_element_type type, const int *nodes, int out[SP_ELEMENT_CELLS_MAX][4]) {
    if (type == SP_ELEMENT_HEX8) return hexahedron_cells(nodes, out);
    if (type == SP_ELEMENT_TRI3) {
        const int flat[4] = {nodes[0], nodes[1], nodes[2], nodes[2]};
        memcpy(out[0], flat, sizeof flat);
        return 1;
    }
    int count = type == SP_ELEMENT_TET10 ? 8 : 1;
    for (int c = 0; c < count; c++)
        for (int k = 0; k < 4; k++) out[c][k] = nodes[count == 1 ? k : quadratic_cells[c][k]];
    return count;
}

sp_status sp__mesh_make_cells(sp_mesh *mesh) {
    sp_context *ctx = mesh->ctx;
    int cells[SP_ELEMENT_CELLS_MAX][4];
    if (!mesh->types) return SP_OK;
    if (!SP_NEW(ctx, mesh->first_cell, mesh->element_count + 1)) goto no_memory;
    for (int e = 0; e < mesh->element_count; e++)
        mesh->first_cell[e + 1] = mesh->first_cell[e] + sp__element_cells(sp__mesh_type(mesh, e), sp__mesh_nodes(mesh, e), cells);
    const size_t count = (size_t)mesh->first_cell[mesh->element_count];
    if (!SP_NEW(ctx, mesh->cells, 4 * count) || !SP_NEW(ctx, mesh->cell_element, count)) goto no_memory;
    for (int e = 0; e < mesh->element_count; e++) {
        int n = sp__element_cells(sp__mesh_type(mesh, e), sp__mesh_nodes(mesh, e), cells);
        memcpy(mesh->cells + 4 * (size_t)mesh->first_cell[e], cells, (size_t)n * sizeof *cells);
        for (int c = mesh->first_cell[e]; c < mesh->first_cell[e + 1]; c++) mesh->cell_element[c] = e;
    }
    return SP_OK;
no_memory:
    return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for the cells of %d elements", mesh->element_count);
}

int sp__mesh_face_cell(const sp_mesh *mesh, int face) {
    const int *n = mesh->faces + 3 * (size_t)face, element = mesh->face_element[face];
    int cell = sp_mesh_element_cell(mesh, element);
    for (int end = sp_mesh_element_cell(mesh, element + 1); cell < end; cell++) {
        const int *c = sp_mesh_cells(mesh) + 4 * (size_t)cell;
        int found = 0;
        for (int k = 0; k < 4; k++) found += c[k] == n[0] || c[k] == n[1] || c[k] == n[2];
        if (found >= 3) break;  // 4: the flat cell of a triangle
    }
    return cell;
}

// ------------------------------------------------------------------------------------------------ read access

int sp_mesh_cell_count(const sp_mesh *mesh) {
    return sp_mesh_element_cell(mesh, mesh->element_count);
}

const int *sp_mesh_cells(const sp_mesh *mesh) {
    return mesh->cells ? mesh->cells : mesh->nodes;
}

int sp_mesh_cell_element(const sp_mesh *mesh, int cell) {
    return mesh->cell_element ? mesh->cell_element[cell] : cell;
}

int sp_mesh_element_cell(const sp_mesh *mesh, int element) {
    return mesh->first_cell ? mesh->first_cell[element] : element;
}

double sp_mesh_locate_cell(const sp_mesh *mesh, const double point[3], int *cell, double natural[3]) {
    int element;
    double inside = sp_mesh_locate(mesh, point, &element, natural), best = -INFINITY;
    *cell = element;
    if (!mesh->cells || sp__mesh_type(mesh, element) == SP_ELEMENT_TRI3) return inside;
    for (int c = mesh->first_cell[element]; c < mesh->first_cell[element + 1]; c++) {
        const double *x[4];
        double w[4];
        for (int k = 0; k < 4; k++) x[k] = mesh->x + 3 * (size_t)mesh->cells[4 * (size_t)c + (size_t)k];
        sp__tet_weights(x, point, w);
        double least = fmin(fmin(w[0], w[1]), fmin(w[2], w[3]));
        if (!(least > best)) continue;
        best = least, *cell = c;
        memcpy(natural, w + 1, 3 * sizeof *natural);
    }
    return inside;
}
