// Read access to a mesh, and search for the element that contains a point.
#include "math/vec3.h"
#include "mesh/mesh_internal.h"

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

const sp_mesh_group *sp_mesh_group_at(const sp_mesh *mesh, int index) {
    return index >= 0 && index < mesh->with.group_count ? &mesh->with.groups[index] : NULL;
}

const sp_mesh_group *sp_mesh_group_named(const sp_mesh *mesh, const char *name) {
    for (int i = 0; i < mesh->with.group_count; i++)
        if (strcmp(mesh->with.groups[i].name, name) == 0) return &mesh->with.groups[i];
    return NULL;
}

int sp_mesh_array_count(const sp_mesh *mesh) {
    return mesh->with.array_count;
}

const sp_mesh_array *sp_mesh_array_at(const sp_mesh *mesh, int index) {
    return index >= 0 && index < mesh->with.array_count ? &mesh->with.arrays[index] : NULL;
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
    const double *x0 = mesh->x + 3 * (size_t)tet[0];
    double e[9], d[3], c[3];
    for (int k = 0; k < 3; k++) sp__sub3(mesh->x + 3 * (size_t)tet[k + 1], x0, e + 3 * k);
    sp__sub3(p, x0, d);
    double det = sp__det3(e);
    // Cramer's rule: d = w1 e1 + w2 e2 + w3 e3
    for (int k = 0; k < 3; k++) {
        sp__cross3(e + 3 * ((k + 1) % 3), e + 3 * ((k + 2) % 3), c);
        w[k + 1] = sp__dot3(d, c) / det;
    }
    w[0] = 1 - w[1] - w[2] - w[3];
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
