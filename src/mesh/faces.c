// The boundary of a mesh: the triangles of exactly one element. All triangles of the faces of elements are sorted by their three
// node numbers in three counting passes (linear time for any mesh, also for a million elements at one node); equal ones become
// neighbours.
#include "mesh/mesh_internal.h"
#include "mesh/rows.h"

typedef struct faces {
    sp_mesh *mesh;
    int count;         // triangles of all elements
    int *corners;      // (count x 3), each ascending
    int *a, *b, *key;  // scratch of the sort; a: the sorted triangles
    int *start;
    unsigned char *single;  // per triangle: no other one has the same nodes
} faces;

static int faces_count(const sp_mesh *mesh) {
    int count = 0;
    for (int e = 0; e < mesh->element_count; e++) count += sp__element_triangle_count(sp__mesh_type(mesh, e));
    return count;
}

static void faces_fill(faces *f) {
    int(*to)[3] = (int(*)[3])f->corners;
    for (int e = 0; e < f->mesh->element_count; e++) {
        sp_element_type type = sp__mesh_type(f->mesh, e);
        sp__element_triangles(type, sp__mesh_nodes(f->mesh, e), to);
        for (int t = 0; t < sp__element_triangle_count(type); t++) sp__row_increase(*to++, 3);
    }
}

// One stable pass by corner k; from == NULL: starts in the order of the triangles.
static void faces_sort(const faces *f, int k, const int *from, int *to) {
    memset(f->start, 0, ((size_t)f->mesh->node_count + 1) * sizeof *f->start);
    for (int i = 0; i < f->count; i++) {
        f->key[i] = f->corners[3 * (size_t)(from ? from[i] : i) + (size_t)k];
        f->start[f->key[i] + 1]++;
    }
    for (int i = 0; i < f->mesh->node_count; i++) f->start[i + 1] += f->start[i];
    for (int i = 0; i < f->count; i++) to[f->start[f->key[i]]++] = from ? from[i] : i;
}

static bool same_face(const faces *f, int i, int j) {
    return sp__rows_equal(f->corners + 3 * (size_t)i, f->corners + 3 * (size_t)j, 3);
}

// fills `single`; returns the number of such triangles
static int mark_single(const faces *f) {
    int count = 0;
    for (int i = 0, end; i < f->count; i = end) {
        for (end = i + 1; end < f->count && same_face(f, f->a[i], f->a[end]); end++) {}
        if (end - i > 1) continue;
        f->single[f->a[i]] = 1;
        count++;
    }
    return count;
}

// In order of elements, so that face numbers do not depend on the search.
static void faces_collect(const faces *f) {
    sp_mesh *mesh = f->mesh;
    int count = 0, at = 0, triangles[SP_ELEMENT_TRIANGLES_MAX][3];
    for (int e = 0; e < mesh->element_count; e++) {
        sp_element_type type = sp__mesh_type(mesh, e);
        sp__element_triangles(type, sp__mesh_nodes(mesh, e), triangles);
        for (int t = 0; t < sp__element_triangle_count(type); t++) {
            if (!f->single[at++]) continue;
            memcpy(mesh->faces + 3 * (size_t)count, triangles[t], sizeof triangles[t]);
            mesh->face_element[count++] = e;
        }
    }
}

static sp_status faces_find(faces *f) {
    sp_mesh *mesh = f->mesh;
    sp_context *ctx = mesh->ctx;
    size_t n = (size_t)f->count;
    if (!SP_NEW(ctx, f->corners, 3 * n) || !SP_NEW(ctx, f->a, n) || !SP_NEW(ctx, f->b, n) || !SP_NEW(ctx, f->key, n) ||
        !SP_NEW(ctx, f->start, mesh->node_count + 1) || !SP_NEW(ctx, f->single, n))
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for the surface of %d elements", mesh->element_count);
    faces_fill(f);
    faces_sort(f, 2, NULL, f->a);
    faces_sort(f, 1, f->a, f->b);
    faces_sort(f, 0, f->b, f->a);
    mesh->face_count = mark_single(f);
    if (!SP_NEW(ctx, mesh->faces, 3 * (size_t)mesh->face_count) || !SP_NEW(ctx, mesh->face_element, mesh->face_count))
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for %d boundary faces", mesh->face_count);
    faces_collect(f);
    return SP_OK;
}

sp_status sp__mesh_find_faces(sp_mesh *mesh) {
    faces f = {.mesh = mesh, .count = faces_count(mesh)};
    sp_status status = faces_find(&f);
    void *owned[] = {f.corners, f.a, f.b, f.key, f.start, f.single};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sp__free(mesh->ctx, owned[i]);
    return status;
}
