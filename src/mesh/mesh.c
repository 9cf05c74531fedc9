// A volume mesh: creation, map from user ids to indices, read access.
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
    int least = def->element_types && def->element_count > 0 && def->element_types[0] == SP_ELEMENT_TRI3 ? 3 : 4;
    if (def->node_count < least || def->node_count > SP_NODES_MAX)
        return SP_FAIL(ctx, SP_BAD_INPUT, "node_count = %d, must be in [%d, %d]", def->node_count, least, SP_NODES_MAX);
    if (def->element_count < 1 || def->element_count > SP_TETS_MAX)
        return SP_FAIL(ctx, SP_BAD_INPUT, "element_count = %d, must be in [1, %d]", def->element_count, SP_TETS_MAX);
    if (!def->positions || !def->element_nodes) return SP_FAIL(ctx, SP_BAD_INPUT, "positions and element_nodes must be given");
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

// ------------------------------------------------------------------------------------------------ nodes

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

// ------------------------------------------------------------------------------------------------ elements

double sp__tet_det(const double *x, const int tet[4]) {
    const double *x0 = x + 3 * (size_t)tet[0];
    double m[9];
    for (int k = 0; k < 3; k++) sp__sub3(x + 3 * (size_t)tet[k + 1], x0, m + 3 * k);
    return sp__det3(m);
}

double sp__mesh_det(const sp_mesh *mesh, int t) {
    return sp__tet_det(mesh->x, mesh->nodes + 4 * (size_t)t);
}

double sp__tet_flat_below(const double *x, const int tet[4]) {
    double own[12];
    for (int a = 0; a < 4; a++) memcpy(own + 3 * a, x + 3 * (size_t)tet[a], 3 * sizeof *own);
    return sp__element_flat_below(SP_ELEMENT_TET4, own);
}

static sp_status tet_orient(sp_mesh *mesh, int t, bool fix) {
    sp_context *ctx = mesh->ctx;
    int *tet = mesh->nodes + (sp__mesh_nodes(mesh, t) - mesh->nodes);
    double det = sp__tet_det(mesh->x, tet), flat = sp__tet_flat_below(mesh->x, tet);
    int64_t id = mesh->element_ids[t];
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
    if (det < 0) sp__element_turn(SP_ELEMENT_TET4, tet);
    mesh->volume += fabs(det) / 6;
    return SP_OK;
}

static sp_status jacobian_fails(const sp_mesh *mesh, int e, double det, double limit, const char *where, int64_t number) {
    int64_t id = mesh->element_ids[e];
    return at_index(mesh->ctx,
                    SP_FAIL(mesh->ctx, SP_BAD_INPUT,
                            "%s %lld is inverted or too distorted: Jacobian determinant %g m3 at %s %lld, must be above %g m3",
                            sp_element_name(sp__mesh_type(mesh, e)), (long long)id, det, where, (long long)number, limit),
                    id);
}

static sp_status triangle_check(sp_mesh *mesh, int e, const double *x) {
    double natural[3] = {0}, det = sp__element_det(SP_ELEMENT_TRI3, x, natural),
           limit = sp__element_flat_below(SP_ELEMENT_TRI3, x);
    int64_t id = mesh->element_ids[e];
    // without an area there is no normal, and the determinant is not a number
    if (!(det > limit))
        return at_index(mesh->ctx,
                        SP_FAIL(mesh->ctx, SP_BAD_INPUT, "triangle %lld has no area: %g m2, must be above %g m2", (long long)id,
                                isfinite(det) ? det / 2 : 0, limit / 2),
                        id);
    mesh->volume += det / 2;
    return SP_OK;
}

// The determinant at corners and integration points; x: positions of the nodes.
static sp_status jacobian_check(sp_mesh *mesh, int e, const double *x) {
    sp_element_type type = sp__mesh_type(mesh, e);
    double natural[3], weight, limit = sp__element_flat_below(type, x);
    for (int a = 0; a < sp__element_corners(type); a++) {
        sp_element_natural(type, a, natural);
        double det = sp__element_det(type, x, natural);
        if (!(det > limit)) return jacobian_fails(mesh, e, det, limit, "node", mesh->node_ids[sp__mesh_nodes(mesh, e)[a]]);
    }
    for (int p = 0; p < sp__element_points(type); p++) {
        sp__element_point(type, p, natural, &weight);
        double det = sp__element_det(type, x, natural);
        if (!(det > limit)) return jacobian_fails(mesh, e, det, limit, "integration point", p);
        mesh->volume += weight * det;
    }
    return SP_OK;
}

// the first node that the element names twice; -1: none
static int repeated_node(const int *nodes, int n) {
    for (int a = 1; a < n; a++)
        for (int b = 0; b < a; b++)
            if (nodes[a] == nodes[b]) return nodes[a];
    return -1;
}

static sp_status element_orient(sp_mesh *mesh, int e, bool fix) {
    double x[3 * SP_ELEMENT_NODES_MAX], centre[3];
    sp_element_type type = sp__mesh_type(mesh, e);
    if (type == SP_ELEMENT_TET4) return tet_orient(mesh, e, fix);
    int *nodes = mesh->nodes + mesh->start[e], twice = repeated_node(nodes, sp_element_nodes(type));
    int64_t id = mesh->element_ids[e];
    if (twice >= 0)
        return at_index(mesh->ctx,
                        SP_FAIL(mesh->ctx, SP_BAD_INPUT, "%s %lld names node %lld twice", sp_element_name(type), (long long)id,
                                (long long)mesh->node_ids[twice]),
                        id);
    sp__mesh_gather(mesh, e, x);
    if (type == SP_ELEMENT_TRI3) return triangle_check(mesh, e, x);
    sp__element_centre(type, centre);
    if (fix && sp__element_det(type, x, centre) < 0) {
        sp__element_turn(type, nodes);
        sp__mesh_gather(mesh, e, x);
    }
    return jacobian_check(mesh, e, x);
}

static sp_status check_type(const sp_mesh *mesh, const sp_mesh_def *def, int e) {
    int type = (int)def->element_types[e];
    bool triangle = type == SP_ELEMENT_TRI3,
         volume = type == SP_ELEMENT_TET4 || type == SP_ELEMENT_TET10 || type == SP_ELEMENT_HEX8;
    int64_t id = mesh->element_ids[e];
    if ((volume || triangle) && triangle == (def->element_types[0] == SP_ELEMENT_TRI3)) return SP_OK;
    if (volume || triangle)
        return at_index(mesh->ctx,
                        SP_FAIL(mesh->ctx, SP_BAD_INPUT,
                                "element %lld is a %s, element %lld a %s: triangles and volume elements cannot be in one mesh",
                                (long long)id, sp_element_name(def->element_types[e]), (long long)mesh->element_ids[0],
                                sp_element_name(def->element_types[0])),
                        id);
    return at_index(mesh->ctx,
                    SP_FAIL(mesh->ctx, SP_BAD_INPUT,
                            "element %lld has type %d (%s), must be a tetrahedron, a hexahedron or a triangle", (long long)id,
                            type, sp_element_name(def->element_types[e])),
                    id);
}

// Types and starts; linear tetrahedra alone need neither.
static sp_status take_types(sp_mesh *mesh, const sp_mesh_def *def, size_t *total) {
    sp_context *ctx = mesh->ctx;
    int others = 0;
    int64_t triangles = 0;
    *total = 4 * (size_t)def->element_count;
    for (int e = 0; e < def->element_count && def->element_types; e++) {
        SP_TRY(check_type(mesh, def, e));
        others += def->element_types[e] != SP_ELEMENT_TET4;
        triangles += sp__element_triangle_count(def->element_types[e]);
    }
    if (!others) return SP_OK;
    if (triangles > SP_TRIANGLES_MAX)
        return SP_FAIL(ctx, SP_BAD_INPUT, "the faces of the elements are %lld triangles, must be at most %d",
                       (long long)triangles, SP_TRIANGLES_MAX);
    if (!SP_NEW(ctx, mesh->types, def->element_count) || !SP_NEW(ctx, mesh->start, (size_t)def->element_count + 1))
        return no_memory(ctx);
    memcpy(mesh->types, def->element_types, (size_t)def->element_count * sizeof *mesh->types);
    for (int e = 0; e < def->element_count; e++) mesh->start[e + 1] = mesh->start[e] + sp_element_nodes(mesh->types[e]);
    *total = (size_t)mesh->start[def->element_count];
    return SP_OK;
}

static sp_status take_elements(sp_mesh *mesh, const sp_mesh_def *def) {
    sp_context *ctx = mesh->ctx;
    size_t total;
    SP_TRY(take_types(mesh, def, &total));
    if (!SP_NEW(ctx, mesh->nodes, total)) return no_memory(ctx);
    memcpy(mesh->nodes, def->element_nodes, total * sizeof *mesh->nodes);
    for (int e = 0; e < def->element_count; e++) {
        for (int k = 0; k < sp_element_nodes(sp__mesh_type(mesh, e)); k++) {
            int node = sp__mesh_nodes(mesh, e)[k];
            if (node >= 0 && node < def->node_count) continue;
            return at_index(ctx,
                            SP_FAIL(ctx, SP_BAD_INPUT, "%s %lld names node index %d, must be in [0, %d]",
                                    sp_element_name(sp__mesh_type(mesh, e)), (long long)mesh->element_ids[e], node,
                                    def->node_count - 1),
                            mesh->element_ids[e]);
        }
        SP_TRY(element_orient(mesh, e, def->fix_orientation));
    }
    if (!isfinite(mesh->volume)) return SP_FAIL(ctx, SP_NOT_FINITE, "the volume of the mesh is %g m3", mesh->volume);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ creation and destruction

static sp_status mesh_fill(sp_mesh *mesh, const sp_mesh_def *def) {
    mesh->node_count = def->node_count;
    mesh->element_count = def->element_count;
    SP_TRY(take_ids(mesh, def->node_ids, def->node_count, "nodes", &mesh->node_ids, &mesh->node_by_id));
    SP_TRY(take_ids(mesh, def->element_ids, def->element_count, "elements", &mesh->element_ids, &mesh->element_by_id));
    SP_TRY(take_nodes(mesh, def));
    SP_TRY(take_elements(mesh, def));
    const sp_attributes given = {(sp_mesh_group *)def->groups, (sp_mesh_array *)def->arrays, def->group_count, def->array_count};
    SP_TRY(sp__attributes_take(mesh->ctx, &given, def->node_count, def->element_count, &mesh->with));
    SP_TRY(sp__mesh_find_faces(mesh));
    return sp__mesh_make_cells(mesh);
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
    void *owned[] = {mesh->cells,         mesh->cell_element,
                     mesh->first_cell,    mesh->types,
                     mesh->start,         mesh->x,
                     mesh->nodes,         mesh->faces,
                     mesh->face_element,  mesh->node_ids,
                     mesh->element_ids,   mesh->node_by_id,
                     mesh->element_by_id, mesh};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sp__free(ctx, owned[i]);
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

sp_context *sp_mesh_context(const sp_mesh *mesh) {
    return mesh->ctx;
}

int sp_mesh_node_count(const sp_mesh *mesh) {
    return mesh->node_count;
}

int sp_mesh_element_count(const sp_mesh *mesh) {
    return mesh->element_count;
}

const double *sp_mesh_positions(const sp_mesh *mesh) {
    return mesh->x;
}

const int *sp_mesh_tets(const sp_mesh *mesh) {
    return mesh->types ? NULL : mesh->nodes;
}

sp_element_type sp_mesh_element(const sp_mesh *mesh, int element, const int **nodes) {
    if (nodes) *nodes = sp__mesh_nodes(mesh, element);
    return sp__mesh_type(mesh, element);
}

sp_element_type sp__mesh_gather(const sp_mesh *mesh, int element, double *x) {
    sp_element_type type = sp__mesh_type(mesh, element);
    const int *nodes = sp__mesh_nodes(mesh, element);
    for (int a = 0; a < sp_element_nodes(type); a++) memcpy(x + 3 * a, mesh->x + 3 * (size_t)nodes[a], 3 * sizeof *x);
    return type;
}

void sp_mesh_element_point(const sp_mesh *mesh, int element, const double natural[3], double x[3]) {
    double at[3], w[SP_ELEMENT_NODES_MAX];
    sp_element_type type = sp__mesh_type(mesh, element);
    const int *nodes = sp__mesh_nodes(mesh, element);
    sp__element_centre(type, at);
    sp__element_weights(type, natural ? natural : at, w);
    for (int k = 0; k < 3; k++) x[k] = 0;
    for (int a = 0; a < sp_element_nodes(type); a++) sp__axpy3(x, w[a], mesh->x + 3 * (size_t)nodes[a], x);
}

void sp_mesh_element_integrals(const sp_mesh *mesh, int element, double *integrals) {
    double x[3 * SP_ELEMENT_NODES_MAX], w[SP_ELEMENT_NODES_MAX], natural[3], weight;
    sp_element_type type = sp__mesh_gather(mesh, element, x);
    for (int a = 0; a < sp_element_nodes(type); a++) integrals[a] = 0;
    for (int p = 0; p < sp__element_points(type); p++) {
        sp__element_point(type, p, natural, &weight);
        sp__element_weights(type, natural, w);
        double volume = weight * sp__element_det(type, x, natural);
        for (int a = 0; a < sp_element_nodes(type); a++) integrals[a] += volume * w[a];
    }
}

sp_status sp__mesh_only_tets(const sp_mesh *mesh, const char *what) {
    int e = 0;
    if (!mesh->types) return SP_OK;
    while (mesh->types[e] == SP_ELEMENT_TET4) e++;
    int64_t id = mesh->element_ids[e];
    return at_index(mesh->ctx,
                    SP_FAIL(mesh->ctx, SP_BAD_INPUT, "element %lld is a %s, must be a linear tetrahedron to %s", (long long)id,
                            sp_element_name(mesh->types[e]), what),
                    id);
}

const int64_t *sp_mesh_node_ids(const sp_mesh *mesh) {
    return mesh->node_ids;
}

const int64_t *sp_mesh_element_ids(const sp_mesh *mesh) {
    return mesh->element_ids;
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

int sp_mesh_face_element(const sp_mesh *mesh, int face) {
    return mesh->face_element[face];
}
