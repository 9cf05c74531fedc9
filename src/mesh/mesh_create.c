// Creation of a mesh: all input is checked and copied here, so that later code does not check again.
#include "math/vec3.h"
#include "mesh/mesh_internal.h"

sp_mesh_def sp_mesh_def_default(void) {
    return (sp_mesh_def){.fix_orientation = true, .cookie = SP_COOKIE_MESH};
}

static sp_status no_memory(sp_context *ctx) {
    return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a mesh");
}

// Completes an error record of SP_FAIL with the user's number of the item.
static sp_status at_index(sp_context *ctx, sp_status status, int64_t index) {
    sp__context_error_index(ctx, index);
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

static sp_status orient(sp_mesh *mesh, int t, bool fix) {
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
        SP_TRY(orient(mesh, t, def->fix_orientation));
    }
    if (!isfinite(mesh->volume)) return SP_FAIL(ctx, SP_NOT_FINITE, "the volume of the mesh is %g m3", mesh->volume);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ creation and destruction

static sp_status fill(sp_mesh *mesh, const sp_mesh_def *def) {
    mesh->node_count = def->node_count;
    mesh->tet_count = def->tet_count;
    SP_TRY(take_ids(mesh, def->node_ids, def->node_count, "nodes", &mesh->node_ids, &mesh->node_by_id));
    SP_TRY(take_ids(mesh, def->tet_ids, def->tet_count, "tetrahedra", &mesh->tet_ids, &mesh->tet_by_id));
    SP_TRY(take_nodes(mesh, def));
    SP_TRY(take_tets(mesh, def));
    const sp_attributes given = {(sp_mesh_group *)def->groups, (sp_mesh_array *)def->arrays, def->group_count, def->array_count};
    SP_TRY(sp__attributes_take(mesh->ctx, &given, def->node_count, def->tet_count, &mesh->with));
    return sp__mesh_surface(mesh);
}

sp_status sp_mesh_create(sp_context *context, const sp_mesh_def *def, sp_mesh **out) {
    *out = NULL;
    SP_TRY(check_counts(context, def));
    sp_mesh *mesh;
    if (!SP_NEW(context, mesh, 1)) return no_memory(context);
    mesh->ctx = context;
    sp_status status = fill(mesh, def);
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
