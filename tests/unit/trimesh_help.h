// Small closed surfaces for tests.
#ifndef SP_TRIMESH_HELP_H
#define SP_TRIMESH_HELP_H

#include "math/vec3.h"
#include "souple/mesh.h"

static const double octa_x[18] = {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1};
static const int octa_faces[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
static const double cube_x[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
static const int cube_faces[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                   2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

static inline sp_trimesh_def octahedron(void) {
    sp_trimesh_def d = sp_trimesh_def_default();
    d.vertex_count = 6, d.positions = octa_x, d.face_count = 8, d.faces = octa_faces;
    return d;
}

static inline sp_trimesh_def cube(void) {
    sp_trimesh_def d = sp_trimesh_def_default();
    d.vertex_count = 8, d.positions = cube_x, d.face_count = 12, d.faces = cube_faces;
    return d;
}

static inline double surface_volume(const sp_trimesh_def *d) {
    double sum = 0, n[3];
    for (int f = 0; f < d->face_count; f++) {
        const int *c = d->faces + 3 * f;
        sp__cross3(d->positions + 3 * c[1], d->positions + 3 * c[2], n);
        sum += sp__dot3(d->positions + 3 * c[0], n) / 6;
    }
    return sum;
}

static inline double surface_area(const sp_trimesh_def *d) {
    double sum = 0, n[3], u[3], v[3];
    for (int f = 0; f < d->face_count; f++) {
        const int *c = d->faces + 3 * f;
        sp__sub3(d->positions + 3 * c[1], d->positions + 3 * c[0], u);
        sp__sub3(d->positions + 3 * c[2], d->positions + 3 * c[0], v);
        sp__cross3(u, v, n);
        sum += 0.5 * sp__norm3(n);
    }
    return sum;
}

// every directed edge has exactly one in the opposite direction
static inline bool surface_closed(const sp_trimesh_def *d) {
    for (int s = 0; s < 3 * d->face_count; s++) {
        int a = d->faces[s], b = d->faces[s % 3 == 2 ? s - 2 : s + 1], back = 0;
        for (int r = 0; r < 3 * d->face_count; r++) back += d->faces[r] == b && d->faces[r % 3 == 2 ? r - 2 : r + 1] == a;
        if (back != 1) return false;
    }
    return true;
}

#endif
