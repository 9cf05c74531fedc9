// A tetrahedral mesh: creation, boundary faces, map from user ids to indices, read access.
#include "math/vec3.h"
#include "mesh/mesh_internal.h"

// ====================================================================================================== creation

// Creation of a mesh: all input is checked and copied here, so that later code does not check again.

sp_mesh_def sp_mesh_def_default(void) {
    return (sp_mesh_def){.fix_orientation = true, .cookie = SP_COOKIE_MESH};
}

static sp_status no_memory(sp_context *ctx) {
    return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a mesh");
}

// Completes an error record of SP_FAIL with the user's number of the item.
static sp_status at_index(sp_context *ctx, sp_status status, int64_t index) {
    sp_context_error_index(ctx, index);
    return status;
}

static sp_status check_counts(sp_context *ctx, const sp_mesh_def *def) {
    if (def->cookie != SP_COOKIE_MESH)
        return SP_FAIL(ctx, SP_BAD_INPUT, "the mesh definition did not start from sp_mesh_def_default()");
    if (def->node_count < 4 || def->node_count > SP_NODES_MAX)
        return SP_FAIL(ctx, SP_BAD_INPUT, "node_count = %d, must be in [4, %d]", def->node_count, SP_NODES_MAX);
    if (def->tet_count < 1 || def->tet_count > SP_TETS_MAX)
        return SP_FAIL(ctx, SP_BAD_INPUT, "tet_count = %d, must be in [1, %d]", def->tet_count, SP_TETS_MAX);
    if (!def->positions || !def->tets) return SP_FAIL(ctx, SP_BAD_INPUT, "positions and tets must be given");
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ ids

static sp_status take_ids(sp_mesh *mesh, const int64_t *given, int n, const char *what, int64_t **ids, int **by_id) {
    sp_context *ctx = mesh->ctx;
    if (!SP_NEW(ctx, *ids, n)) return no_memory(ctx);
    for (int i = 0; i < n; i++) (*ids)[i] = given ? given[i] : i;
    int twice;
    SP_TRY(sp__ids_index(ctx, *ids, n, by_id, &twice));
    if (twice < 0) return SP_OK;
    int64_t id = (*ids)[twice];
    return at_index(ctx, SP_FAIL(ctx, SP_BAD_INPUT, "two %s have the number %lld", what, (long long)id), id);
}

// ------------------------------------------------------------------------------------------------ nodes and elements

static sp_status take_nodes(sp_mesh *mesh, const sp_mesh_def *def) {
    sp_context *ctx = mesh->ctx;
    if (!SP_NEW(ctx, mesh->x, 3 * (size_t)def->node_count)) return no_memory(ctx);
    for (int k = 0; k < 3; k++) mesh->low[k] = INFINITY, mesh->high[k] = -INFINITY;
    for (int i = 0; i < def->node_count; i++) {
        const double *x = def->positions + 3 * (size_t)i;
        if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
            return at_index(
                ctx, SP_FAIL(ctx, SP_NOT_FINITE, "node %lld is at (%g, %g, %g)", (long long)mesh->node_ids[i], x[0], x[1], x[2]),
                mesh->node_ids[i]);
        for (int k = 0; k < 3; k++) {
            mesh->x[3 * (size_t)i + (size_t)k] = x[k];
            mesh->low[k] = fmin(mesh->low[k], x[k]);
            mesh->high[k] = fmax(mesh->high[k], x[k]);
        }
    }
    return SP_OK;
}

double sp__tet_det(const double *x, const int tet[4]) {
    const double *x0 = x + 3 * (size_t)tet[0];
    double m[9];
    for (int k = 0; k < 3; k++) sp__sub3(x + 3 * (size_t)tet[k + 1], x0, m + 3 * k);
    return sp__det3(m);
}

double sp__mesh_det(const sp_mesh *mesh, int t) {
    return sp__tet_det(mesh->x, mesh->tets + 4 * (size_t)t);
}

double sp__tet_flat_below(const double *x, const int tet[4]) {
    double edge2 = 0, far = 0;
    for (int a = 0; a < 4; a++) {
        const double *xa = x + 3 * (size_t)tet[a];
        for (int k = 0; k < 3; k++) far = fmax(far, fabs(xa[k]));
        for (int b = 0; b < a; b++) {
            double e[3];
            sp__sub3(xa, x + 3 * (size_t)tet[b], e);
            edge2 = fmax(edge2, sp__dot3(e, e));
        }
    }
    return edge2 * (1e-12 * sqrt(edge2) + 1e-15 * far);
}

static sp_status mesh_orient(sp_mesh *mesh, int t, bool fix) {
    sp_context *ctx = mesh->ctx;
    int *tet = mesh->tets + 4 * (size_t)t;
    double det = sp__mesh_det(mesh, t), flat = sp__tet_flat_below(mesh->x, tet);
    int64_t id = mesh->tet_ids[t];
    if (!(fabs(det) > flat))
        return at_index(ctx,
                        SP_FAIL(ctx, SP_BAD_INPUT, "tetrahedron %lld is flat: volume %g m3, must be above %g m3", (long long)id,
                                det / 6, flat / 6),
                        id);
    if (det < 0 && !fix)
        return at_index(
            ctx,
            SP_FAIL(ctx, SP_BAD_INPUT, "tetrahedron %lld is inverted: volume %g m3, must be positive", (long long)id, det / 6),
            id);
    if (det < 0) {
        int swap = tet[2];
        tet[2] = tet[3], tet[3] = swap;
    }
    mesh->volume += fabs(det) / 6;
    return SP_OK;
}

static sp_status take_tets(sp_mesh *mesh, const sp_mesh_def *def) {
    sp_context *ctx = mesh->ctx;
    if (!SP_NEW(ctx, mesh->tets, 4 * (size_t)def->tet_count)) return no_memory(ctx);
    memcpy(mesh->tets, def->tets, 4 * (size_t)def->tet_count * sizeof *mesh->tets);
    for (int t = 0; t < def->tet_count; t++) {
        for (int k = 0; k < 4; k++) {
            int node = mesh->tets[4 * (size_t)t + (size_t)k];
            if (node >= 0 && node < def->node_count) continue;
            return at_index(ctx,
                            SP_FAIL(ctx, SP_BAD_INPUT, "tetrahedron %lld names node index %d, must be in [0, %d]",
                                    (long long)mesh->tet_ids[t], node, def->node_count - 1),
                            mesh->tet_ids[t]);
        }
        SP_TRY(mesh_orient(mesh, t, def->fix_orientation));
    }
    if (!isfinite(mesh->volume)) return SP_FAIL(ctx, SP_NOT_FINITE, "the volume of the mesh is %g m3", mesh->volume);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ creation and destruction

static sp_status mesh_surface(sp_mesh *mesh);

static sp_status mesh_fill(sp_mesh *mesh, const sp_mesh_def *def) {
    mesh->node_count = def->node_count;
    mesh->tet_count = def->tet_count;
    SP_TRY(take_ids(mesh, def->node_ids, def->node_count, "nodes", &mesh->node_ids, &mesh->node_by_id));
    SP_TRY(take_ids(mesh, def->tet_ids, def->tet_count, "tetrahedra", &mesh->tet_ids, &mesh->tet_by_id));
    SP_TRY(take_nodes(mesh, def));
    SP_TRY(take_tets(mesh, def));
    const sp_attributes given = {(sp_mesh_group *)def->groups, (sp_mesh_array *)def->arrays, def->group_count, def->array_count};
    SP_TRY(sp__attributes_take(mesh->ctx, &given, def->node_count, def->tet_count, &mesh->with));
    return mesh_surface(mesh);
}

sp_status sp_mesh_create(sp_context *context, const sp_mesh_def *def, sp_mesh **out) {
    *out = NULL;
    SP_TRY(check_counts(context, def));
    sp_mesh *mesh;
    if (!SP_NEW(context, mesh, 1)) return no_memory(context);
    mesh->ctx = context;
    sp_status status = mesh_fill(mesh, def);
    if (status < 0)
        sp_mesh_destroy(&mesh);
    else
        *out = mesh;
    return status;
}

void sp_mesh_destroy(sp_mesh **handle) {
    if (!handle || !*handle) return;
    sp_mesh *mesh = *handle;
    sp_context *ctx = mesh->ctx;
    *handle = NULL;
    sp__attributes_free(ctx, &mesh->with);
    void *owned[] = {mesh->x,          mesh->tets,      mesh->faces, mesh->face_tet, mesh->node_ids, mesh->tet_ids,
                     mesh->node_by_id, mesh->tet_by_id, mesh};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sp__free(ctx, owned[i]);
}

// ================================================================================================ boundary faces

// The boundary of a mesh: the faces of exactly one tetrahedron. All faces are sorted by their three node numbers in three
// counting passes (linear time for any mesh, also for a million tetrahedra at one node); equal faces become neighbours.

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
static void surface_collect(sp_mesh *mesh, const unsigned char *single) {
    int count = 0;
    for (int f = 0; f < 4 * mesh->tet_count; f++) {
        if (!single[f]) continue;
        for (int k = 0; k < 3; k++) mesh->faces[3 * count + k] = mesh->tets[4 * (size_t)(f / 4) + (size_t)sp__tet_face[f % 4][k]];
        mesh->face_tet[count++] = f / 4;
    }
}

// Finds the boundary: fills faces, face_tet, face_count.
static sp_status mesh_surface(sp_mesh *mesh) {
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
    surface_collect(mesh, single);

done:
    sp__free(ctx, a);
    sp__free(ctx, b);
    sp__free(ctx, key);
    sp__free(ctx, start);
    sp__free(ctx, single);
    return status;
}

// ====================================================================================================== user ids

// Map from user ids to internal indices. Most files have ascending ids, which are searched directly. Other ids get an index from
// a radix sort: linear time, and no comparison function that would need a global.

static bool ids_increase(const int64_t *ids, int n) {
    for (int i = 1; i < n; i++)
        if (ids[i] <= ids[i - 1]) return false;
    return true;
}

static unsigned byte_of(int64_t id, int byte) {
    // flipping the sign bit sorts negative numbers first
    return (unsigned)((((uint64_t)id ^ (UINT64_C(1) << 63)) >> (8 * byte)) & 255);
}

// One stable pass; false if all ids share that byte and nothing moved.
static bool radix_pass(const int64_t *ids, int n, int byte, const int *from, int *to) {
    size_t start[257] = {0};
    for (int i = 0; i < n; i++) start[byte_of(ids[i], byte) + 1]++;
    for (int b = 0; b < 256; b++) {
        if (start[b + 1] == (size_t)n) return false;
        start[b + 1] += start[b];
    }
    for (int i = 0; i < n; i++) to[start[byte_of(ids[from[i]], byte)]++] = from[i];
    return true;
}

sp_status sp__ids_index(sp_context *ctx, const int64_t *ids, int n, int **by_id, int *twice) {
    *by_id = NULL;
    *twice = -1;
    if (ids_increase(ids, n)) return SP_OK;
    int *a = NULL, *b = NULL;
    if (!SP_NEW(ctx, a, n) || !SP_NEW(ctx, b, n)) {
        sp__free(ctx, a);
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for an index of %d ids", n);
    }
    for (int i = 0; i < n; i++) a[i] = i;
    for (int byte = 0; byte < 8; byte++) {
        if (!radix_pass(ids, n, byte, a, b)) continue;
        int *swap = a;
        a = b, b = swap;
    }
    // the sort is stable: of equal ids the later one comes second
    for (int i = 1; i < n; i++)
        if (ids[a[i]] == ids[a[i - 1]] && (*twice < 0 || a[i] < *twice)) *twice = a[i];
    sp__free(ctx, b);
    *by_id = a;
    return SP_OK;
}

int sp__ids_find(const int64_t *ids, const int *by_id, int n, int64_t id) {
    int low = 0, high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        int at = by_id ? by_id[middle] : middle;
        if (ids[at] == id) return at;
        if (ids[at] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

// =================================================================================================== read access

// Read access to a mesh, and search for the element that contains a point.

sp_context *sp_mesh_context(const sp_mesh *mesh) {
    return mesh->ctx;
}

int sp_mesh_node_count(const sp_mesh *mesh) {
    return mesh->node_count;
}

int sp_mesh_tet_count(const sp_mesh *mesh) {
    return mesh->tet_count;
}

const double *sp_mesh_positions(const sp_mesh *mesh) {
    return mesh->x;
}

const int *sp_mesh_tets(const sp_mesh *mesh) {
    return mesh->tets;
}

const int64_t *sp_mesh_node_ids(const sp_mesh *mesh) {
    return mesh->node_ids;
}

const int64_t *sp_mesh_tet_ids(const sp_mesh *mesh) {
    return mesh->tet_ids;
}

int sp_mesh_group_count(const sp_mesh *mesh) {
    return mesh->with.group_count;
}

sp_status sp_mesh_group_at(const sp_mesh *mesh, int index, sp_mesh_group *out) {
    if (index < 0 || index >= mesh->with.group_count) return SP_BAD_INPUT;
    *out = mesh->with.groups[index];
    return SP_OK;
}

const sp_mesh_group *sp_mesh_group_named(const sp_mesh *mesh, const char *name) {
    for (int i = 0; i < mesh->with.group_count; i++)
        if (strcmp(mesh->with.groups[i].name, name) == 0) return &mesh->with.groups[i];
    return NULL;
}

int sp_mesh_array_count(const sp_mesh *mesh) {
    return mesh->with.array_count;
}

sp_status sp_mesh_array_at(const sp_mesh *mesh, int index, sp_mesh_array *out) {
    if (index < 0 || index >= mesh->with.array_count) return SP_BAD_INPUT;
    *out = mesh->with.arrays[index];
    return SP_OK;
}

const sp_mesh_array *sp_mesh_array_named(const sp_mesh *mesh, const char *name) {
    for (int i = 0; i < mesh->with.array_count; i++)
        if (strcmp(mesh->with.arrays[i].name, name) == 0) return &mesh->with.arrays[i];
    return NULL;
}

double sp_mesh_volume(const sp_mesh *mesh) {
    return mesh->volume;
}

void sp_mesh_bounds(const sp_mesh *mesh, double low[3], double high[3]) {
    memcpy(low, mesh->low, sizeof mesh->low);
    memcpy(high, mesh->high, sizeof mesh->high);
}

int sp_mesh_face_count(const sp_mesh *mesh) {
    return mesh->face_count;
}

const int *sp_mesh_faces(const sp_mesh *mesh) {
    return mesh->faces;
}

// ------------------------------------------------------------------------------------------------ locate
// A linear scan: milliseconds for a hundred thousand elements, called a few times per scene (probes, springs, drags). An index
// would need a lock, because threads share the mesh, and it could not answer for points outside.

// Barycentric coordinates of p; returns the smallest.
static double weights_at(const sp_mesh *mesh, int t, const double *p, double w[4]) {
    const int *tet = mesh->tets + 4 * (size_t)t;
    const double *x[4];
    for (int k = 0; k < 4; k++) x[k] = mesh->x + 3 * (size_t)tet[k];
    sp__tet_weights(x, p, w);
    return fmin(fmin(w[0], w[1]), fmin(w[2], w[3]));
}

static bool in_box(const sp_mesh *mesh, int t, const double *p) {
    const int *tet = mesh->tets + 4 * (size_t)t;
    for (int k = 0; k < 3; k++) {
        bool below = true, above = true;
        for (int a = 0; a < 4; a++) {
            double x = mesh->x[3 * (size_t)tet[a] + (size_t)k];
            below = below && x < p[k];
            above = above && x > p[k];
        }
        if (below || above) return false;
    }
    return true;
}

double sp_mesh_locate(const sp_mesh *mesh, const double point[3], int *element, double natural[3]) {
    double w[4];
    *element = 0;
    for (int t = 0; t < mesh->tet_count; t++) {
        if (!in_box(mesh, t, point)) continue;
        double least = weights_at(mesh, t, point, w);
        if (least < 0) continue;
        *element = t;
        memcpy(natural, w + 1, 3 * sizeof *natural);
        return least;
    }
    // outside, or on a face up to rounding
    double best = -INFINITY;
    for (int t = 0; t < mesh->tet_count; t++) {
        double least = weights_at(mesh, t, point, w);
        if (least > best) best = least, *element = t;
    }
    double least = weights_at(mesh, *element, point, w);
    memcpy(natural, w + 1, 3 * sizeof *natural);
    return least;
}
