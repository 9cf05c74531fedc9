// Regular refinement of each tetrahedron into eight (Bey 1995, "Tetrahedral grid refinement"): four similar children at the
// corners, and the octahedron in the middle split into four around its shortest diagonal. The mesh is conforming for any choice
// of the diagonal, since it lies inside the element.
#include "math/vec3.h"
#include "mesh/refine.h"

// Child nodes: 0..3 the nodes of the parent, 4 + k the midpoint of edge k (01 02 03 12 13 23). Children have the orientation of
// the parent.
static const int corner_children[4][4] = {{0, 4, 5, 6}, {4, 1, 7, 8}, {5, 7, 2, 9}, {6, 8, 9, 3}};
static const int diagonals[3][2] = {{5, 8}, {4, 9}, {6, 7}};
static const int inner_children[3][4][4] = {
    {{5, 8, 4, 7}, {5, 8, 7, 9}, {5, 8, 9, 6}, {5, 8, 6, 4}},
    {{4, 9, 5, 6}, {4, 9, 6, 8}, {4, 9, 8, 7}, {4, 9, 7, 5}},
    {{6, 7, 4, 5}, {6, 7, 5, 9}, {6, 7, 9, 8}, {6, 7, 8, 4}},
};

static double length2(double x[10][3], int a, int b) {
    double e[3];
    sp__sub3(x[a], x[b], e);
    return sp__dot3(e, e);
}

// the largest sum of squared edges among the four children around a diagonal: all have the same volume, so a smaller sum is a
// better shape
static double bulk(double x[10][3], int d) {
    double most = 0;
    for (int c = 0; c < 4; c++) {
        double sum = 0;
        for (int k = 0; k < 6; k++)
            sum += length2(x, inner_children[d][c][sp__tet_edge[k][0]], inner_children[d][c][sp__tet_edge[k][1]]);
        most = fmax(most, sum);
    }
    return most;
}

// Of equally short diagonals the one with better-shaped children: the path tetrahedra of grids have two, and only one gives path
// tetrahedra again. The tolerances keep rounding from deciding.
static int shortest(double x[10][3]) {
    int best = 0;
    for (int d = 1; d < 3; d++) {
        double now = length2(x, diagonals[d][0], diagonals[d][1]), least = length2(x, diagonals[best][0], diagonals[best][1]);
        if (now < least * (1 - 1e-9) || (now < least * (1 + 1e-9) && bulk(x, d) < bulk(x, best) * (1 - 1e-9))) best = d;
    }
    return best;
}

static void split(const sp_mesh *mesh, const sp_tet_edges *e, int t, int *tets) {
    const int *tet = mesh->tets + 4 * (size_t)t;
    int place[10];
    double x[10][3];
    for (int k = 0; k < 4; k++) {
        place[k] = tet[k];
        memcpy(x[k], mesh->x + 3 * (size_t)tet[k], sizeof x[k]);
    }
    for (int k = 0; k < 6; k++) {
        place[4 + k] = mesh->node_count + e->of[6 * (size_t)t + (size_t)k];
        for (int i = 0; i < 3; i++) x[4 + k][i] = 0.5 * (x[sp__tet_edge[k][0]][i] + x[sp__tet_edge[k][1]][i]);
    }
    int diagonal = shortest(x);
    for (int c = 0; c < 8; c++)
        for (int k = 0; k < 4; k++) tets[4 * c + k] = place[c < 4 ? corner_children[c][k] : inner_children[diagonal][c - 4][k]];
}

static void mark_surface(const sp_mesh *mesh, const sp_tet_edges *e, unsigned char *on_surface) {
    for (int f = 0; f < mesh->face_count; f++) {
        const int *c = mesh->faces + 3 * (size_t)f;
        for (int k = 0; k < 3; k++) on_surface[sp__tet_edges_at(e, c[k], c[(k + 1) % 3])] = 1;
    }
}

static sp_status refine_once(const sp_mesh *mesh, sp_mesh **out) {
    sp_context *ctx = mesh->ctx;
    sp_tet_edges e;
    int *tets = NULL, *parent = NULL;
    unsigned char *on_surface = NULL;
    sp_status status = sp__tet_edges_find(mesh, &e);
    int count = 8 * mesh->tet_count;
    if (status == SP_OK &&
        (!SP_NEW(ctx, tets, 4 * (size_t)count) || !SP_NEW(ctx, parent, count) || !SP_NEW(ctx, on_surface, e.count)))
        status = SP_FAIL(ctx, SP_NO_MEMORY, "no memory to refine %d tetrahedra", mesh->tet_count);
    if (status == SP_OK) {
        for (int t = 0; t < mesh->tet_count; t++) split(mesh, &e, t, tets + 32 * (size_t)t);
        for (int i = 0; i < count; i++) parent[i] = i / 8;
        mark_surface(mesh, &e, on_surface);
        sp_refinement r = {mesh, e.count, e.ends, on_surface, count, tets, parent};
        status = sp__refinement_mesh(&r, out);
    }
    sp__tet_edges_free(ctx, &e);
    sp__free(ctx, tets);
    sp__free(ctx, parent);
    sp__free(ctx, on_surface);
    return status;
}

static sp_status copy(const sp_mesh *mesh, sp_mesh **out) {
    return sp_mesh_transformed(mesh, NULL, NULL, out);
}

sp_status sp_mesh_refined(const sp_mesh *mesh, int times, sp_mesh **out) {
    sp_context *ctx = mesh->ctx;
    *out = NULL;
    if (times < 0 || times > 8) return SP_FAIL(ctx, SP_BAD_INPUT, "refined %d times, must be in [0, 8]", times);
    double tets = ldexp(mesh->tet_count, 3 * times);
    if (tets > SP_TETS_MAX)
        return SP_FAIL(ctx, SP_BAD_INPUT, "refining makes %g tetrahedra, must be at most %d", tets, SP_TETS_MAX);
    if (times == 0) return copy(mesh, out);
    sp_mesh *now = NULL;
    sp_status status = SP_OK;
    for (int i = 0; i < times && status == SP_OK; i++) {
        sp_mesh *next = NULL;
        status = refine_once(now ? now : mesh, &next);
        sp_mesh_destroy(&now);
        now = next;
    }
    *out = now;
    return status;
}
