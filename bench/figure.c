// See figure.h. A figure is a sphere of radius 1 m with six limbs, bumps and a flat front, where the other one presses: the
// relief of the two fronts does not match, so that they touch in many patches. A displacement that is continuous in space moves
// the tetrahedra of both, so that they stay in contact while they deform, and one slides along the other.
#include "figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/vec3.h"
#include "solid/solid.h"
#include "world/world_internal.h"

static const double FRONT = 0.965;      // distance of the front from the centre [m]
static const double RELIEF = 0.002;     // of the front [m]
static const double STEP = 1.0 / 60.0;  // [s]
enum { ELEMENTS = 4000 };

// ---------------------------------------------------------------------------------------------------- the shape

static double figure_limbs(const double d[3]) {
    static const double axis[6][3] = {{-0.2, 0.9, 0.4},    {-0.2, -0.9, 0.4}, {-0.1, 0.5, -0.85},
                                      {-0.1, -0.5, -0.85}, {-0.3, 0.0, 0.95}, {-1, 0, -0.2}};
    double sum = 0;
    for (int i = 0; i < 6; i++) {
        double away = 1 - sp__dot3(axis[i], d) / sp__norm3(axis[i]);
        sum += exp(-away / 0.05);
    }
    return 0.7 * sum;
}

// radius in a direction
static double figure_radius(const double d[3]) {
    double bumps = sin(6 * d[0]) * sin(7 * d[1] + 0.3) * sin(5 * d[2] + 0.4) + 0.3 * sin(19 * d[0] * d[1] + 23 * d[2]);
    double round = 1 + figure_limbs(d) + 0.05 * bumps;
    if (d[0] <= 0) return round;
    double y = FRONT * d[1] / d[0], z = FRONT * d[2] / d[0];
    double front = FRONT + RELIEF * sin(40 * y + 3 * z) * sin(37 * z - 5 * y);
    return fmin(round, front / d[0]);
}

// Vertex of a point (i, j, k) of the grid on the surface of the cube: layers of k, inside layers only their outline.
static int cube_vertex(int n, int i, int j, int k) {
    int layer = (n + 1) * (n + 1), ring = 4 * n;
    if (k == 0) return j * (n + 1) + i;
    if (k == n) return layer + (n - 1) * ring + j * (n + 1) + i;
    int at = j == 0 ? i : i == n ? n + j : j == n ? 3 * n - i : 4 * n - j;
    return layer + (k - 1) * ring + at;
}

static void figure_vertex(const int p[3], int n, double x[3]) {
    static const double quarter = 0.78539816339744830962;
    for (int k = 0; k < 3; k++) x[k] = tan(quarter * (2.0 * p[k] / n - 1));  // cells of nearly equal size
    double length = sp__norm3(x);
    for (int k = 0; k < 3; k++) x[k] /= length;
    double radius = figure_radius(x);
    for (int k = 0; k < 3; k++) x[k] *= radius;
}

static void figure_faces(sp_figure *f, int n) {
    uint32_t *face = f->faces;
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++)
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++, face += 6) {
                    uint32_t c[4];
                    for (int q = 0; q < 4; q++) {
                        int p[3];
                        p[axis] = end ? n : 0, p[(axis + 1) % 3] = i + (q == 1 || q == 2), p[(axis + 2) % 3] = j + (q >= 2);
                        c[q] = (uint32_t)cube_vertex(n, p[0], p[1], p[2]);
                        figure_vertex(p, n, f->rest + 3 * (size_t)c[q]);
                    }
                    uint32_t corners[6] = {c[0], c[end ? 1 : 2], c[end ? 2 : 1], c[0], c[end ? 2 : 3], c[end ? 3 : 2]};
                    memcpy(face, corners, sizeof corners);
                }
}

// the second figure looks at the first
static void figure_turn(sp_figure *f) {
    for (size_t i = 0; i < (size_t)f->vertex_count; i++) {
        double *x = f->rest + 3 * i;
        x[0] = 2 * FRONT - x[0], x[1] = -x[1];
    }
}

static sp_status figure_create(sp_figure *f, int n, bool second) {
    *f = (sp_figure){.vertex_count = 6 * n * n + 2, .face_count = 12 * n * n};
    f->rest = malloc(3 * (size_t)f->vertex_count * sizeof *f->rest);
    f->faces = malloc(3 * (size_t)f->face_count * sizeof *f->faces);
    if (!f->rest || !f->faces) return SP_NO_MEMORY;
    figure_faces(f, n);
    if (second) figure_turn(f);
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- bodies

static double figure_field(const void *user, const double x[3]) {
    double d[3] = {x[0], x[1], x[2]};
    if (*(const bool *)user) d[0] = 2 * FRONT - x[0], d[1] = -x[1];
    double length = sp__norm3(d);
    if (!(length > 0)) return -FRONT;
    for (int k = 0; k < 3; k++) d[k] /= length;
    return length - figure_radius(d);
}

static sp_status figure_solid(sp_figures *f, int i, sp_body_id *id) {
    static const char *const names[2] = {"first", "second"};
    const bool second = i > 0;
    double low[3] = {-2, -2, -2}, high[3] = {2, 2, 2};
    if (second) low[0] += 2 * FRONT, high[0] += 2 * FRONT;
    sp_fill_def fill = sp_fill_def_default();
    sp_mesh *mesh = NULL;
    fill.elements = ELEMENTS;
    SP_TRY(sp_mesh_fill(f->context, figure_field, &second, low, high, 0, &fill, NULL, &mesh));
    sp_solid_def def = sp_solid_def_default();
    def.name = names[i], def.mesh = mesh;
    sp_status status = sp_world_add_solid(f->world, &def, id);
    sp_mesh_destroy(&mesh);
    return status;
}

static sp_status figure_surface(sp_figures *f, int i, sp_body_id id) {
    const sp_figure *figure = &f->figure[i];
    sp_trimesh_def mesh_def = sp_trimesh_def_default();
    sp_trimesh *mesh = NULL;
    int index;
    mesh_def.positions = figure->rest, mesh_def.vertex_count = figure->vertex_count;
    mesh_def.faces = (const int *)figure->faces, mesh_def.face_count = figure->face_count;
    SP_TRY(sp_trimesh_create(f->context, &mesh_def, &mesh));
    sp_surface_def def = sp_surface_def_default();
    def.name = "fine", def.mesh = mesh;
    sp_status status = sp_world_add_surface(f->world, id, &def, &index);
    sp_trimesh_destroy(&mesh);
    if (status < 0) return status;
    f->body[i] = sp__world_body(f->world, id);
    f->surface[i] = f->body[i]->surfaces[index];
    for (int s = 0; s < 2; s++)
        if (!(f->x[i][s] = malloc(3 * (size_t)figure->vertex_count * sizeof(double)))) return SP_NO_MEMORY;
    return SP_OK;
}

sp_status sp__figures_create(int n, int threads, sp_figures *f) {
    sp_context_def def = sp_context_def_default();
    sp_world_def world = sp_world_def_default();
    def.workers = threads;
    *f = (sp_figures){0};
    SP_TRY(sp_context_create(&def, &f->context));
    sp_status status = sp_world_create(f->context, &world, &f->world);
    for (int i = 0; i < 2 && status >= 0; i++) {
        sp_body_id id;
        status = figure_create(&f->figure[i], n, i > 0);
        if (status >= 0) status = figure_solid(f, i, &id);
        if (status >= 0) status = figure_surface(f, i, id);
    }
    if (status >= 0) return SP_OK;
    fprintf(stderr, "bench: figures of %d triangles: %s\n", 12 * n * n, sp_status_text(status));
    sp__figures_destroy(f);
    return status;
}

void sp__figures_destroy(sp_figures *f) {
    for (int i = 0; i < 2; i++) {
        free(f->figure[i].rest), free(f->figure[i].faces);
        for (int s = 0; s < 2; s++) free(f->x[i][s]);
    }
    sp_world_destroy(&f->world);
    sp_context_destroy(&f->context);
}

// ---------------------------------------------------------------------------------------------------- motion

static void nodes_move(const sp_body *b, double t, bool second, double *q) {
    const sp_solid *s = sp__solid(b);
    double apart = second ? 0.001 + 0.001 * cos(2 * t) : 0, along = second ? 0.1 * sin(0.5 * t) : 0;
    for (size_t i = 0; i < (size_t)s->nodes; i++) {
        const double *x = s->rest + 3 * i;
        q[3 * i] = x[0] + apart + 0.03 * sin(2 * x[1] + t);
        q[3 * i + 1] = x[1] + along + 0.03 * sin(2 * x[2] + 1.3 * t);
        q[3 * i + 2] = x[2] + 0.03 * sin(2 * x[0] + 0.7 * t);
    }
}

double sp__figures_move(sp_figures *f, int step) {
    for (int i = 0; i < 2; i++)
        for (int s = 0; s < 2; s++) nodes_move(f->body[i], (step + s) * STEP, i > 0, f->body[i]->q[s]);
    double start = sp__now_ms();
    for (int i = 0; i < 2; i++)
        for (int s = 0; s < 2; s++)
            sp__surface_positions(f->body[i], f->surface[i], s ? SP_TRIAL : SP_COMMITTED, f->x[i][s], NULL, NULL);
    return sp__now_ms() - start;
}

sp_collider_def sp__figure_collider(const sp_figure *f, uint32_t id) {
    return (sp_collider_def){
        .id = id, .group = id, .vertex_count = f->vertex_count, .items = f->faces, .item_count = f->face_count};
}
