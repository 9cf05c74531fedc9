// The boundary of a mesh: the faces of exactly one tetrahedron. All faces are sorted by their three node numbers in three
// counting passes (linear time for any mesh, also for a million tetrahedra at one node); equal faces become neighbours.
#include "mesh/mesh_internal.h"

// The k-th smallest node of face f = 4 tet + local face.
static int sorted_node(const sp_mesh *mesh, int f, int k) {
    const int *tet = mesh->tets + 4 * (size_t)(f / 4), *local = sp__tet_face[f % 4];
    int a = tet[local[0]], b = tet[local[1]], c = tet[local[2]];
    int least = a < b ? (a < c ? a : c) : (b < c ? b : c);
    int most = a > b ? (a > c ? a : c) : (b > c ? b : c);
    return k == 0 ? least : k == 2 ? most : (int)((int64_t)a + b + c - least - most);
}

// One stable pass by the k-th smallest node; from == NULL: starts in the order of face numbers.
static void sort_pass(const sp_mesh *mesh, int k, const int *from, int *to, int *key, int *start) {
    int n = 4 * mesh->tet_count;
    memset(start, 0, ((size_t)mesh->node_count + 1) * sizeof *start);
    for (int i = 0; i < n; i++) {
        key[i] = sorted_node(mesh, from ? from[i] : i, k);
        start[key[i] + 1]++;
    }
    for (int i = 0; i < mesh->node_count; i++) start[i + 1] += start[i];
    for (int i = 0; i < n; i++) to[start[key[i]]++] = from ? from[i] : i;
}

static bool same_face(const sp_mesh *mesh, int f, int g) {
    for (int k = 0; k < 3; k++)
        if (sorted_node(mesh, f, k) != sorted_node(mesh, g, k)) return false;
    return true;
}

// single[f] = 1 if no other face has the same nodes; returns the number of such faces.
static int mark_single(const sp_mesh *mesh, const int *sorted, unsigned char *single) {
    int n = 4 * mesh->tet_count, count = 0;
    for (int i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && same_face(mesh, sorted[i], sorted[end]); end++) {}
        if (end - i > 1) continue;
        single[sorted[i]] = 1;
        count++;
    }
    return count;
}

// In order of elements, so that face numbers do not depend on the search.
static void collect(sp_mesh *mesh, const unsigned char *single) {
    int count = 0;
    for (int f = 0; f < 4 * mesh->tet_count; f++) {
        if (!single[f]) continue;
        for (int k = 0; k < 3; k++) mesh->faces[3 * count + k] = mesh->tets[4 * (size_t)(f / 4) + (size_t)sp__tet_face[f % 4][k]];
        mesh->face_tet[count++] = f / 4;
    }
}

sp_status sp__mesh_surface(sp_mesh *mesh) {
    sp_context *ctx = mesh->ctx;
    size_t n = 4 * (size_t)mesh->tet_count;
    int *a = NULL, *b = NULL, *key = NULL, *start = NULL;
    unsigned char *single = NULL;
    sp_status status = SP_OK;
    if (!SP_NEW(ctx, a, n) || !SP_NEW(ctx, b, n) || !SP_NEW(ctx, key, n) || !SP_NEW(ctx, start, mesh->node_count + 1) ||
        !SP_NEW(ctx, single, n)) {
        status = SP_FAIL(ctx, SP_NO_MEMORY, "no memory for the surface of %d tetrahedra", mesh->tet_count);
        goto done;
    }
    sort_pass(mesh, 2, NULL, a, key, start);
    sort_pass(mesh, 1, a, b, key, start);
    sort_pass(mesh, 0, b, a, key, start);
    mesh->face_count = mark_single(mesh, a, single);
    if (!SP_NEW(ctx, mesh->faces, 3 * (size_t)mesh->face_count) || !SP_NEW(ctx, mesh->face_tet, mesh->face_count)) {
        status = SP_FAIL(ctx, SP_NO_MEMORY, "no memory for %d boundary faces", mesh->face_count);
        goto done;
    }
    collect(mesh, single);

done:
    sp__free(ctx, a);
    sp__free(ctx, b);
    sp__free(ctx, key);
    sp__free(ctx, start);
    sp__free(ctx, single);
    return status;
}
