// The mesh of a body of SOFA: a grid, a file, lists of positions and elements, or the cells of a grid that a surface touches.
// Grids of tetrahedra become a file with SOFA's own division and numbers, so that the motion is the same and indices stay.
#define _XOPEN_SOURCE 700  // realpath
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/sofa/sofa.h"

enum { POINTS_MOST = 1 << 20 };  // of a grid: about 1 GB as tetrahedra

// ---------------------------------------------------------------------------------------------- placings

static void quat_times(const double a[4], const double b[4], double out[4]) {
    double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    double z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
    out[0] = w, out[1] = x, out[2] = y, out[3] = z;
}

static void quat_turn(const double q[4], const double v[3], double out[3]) {
    double t[3] = {2 * (q[2] * v[2] - q[3] * v[1]), 2 * (q[3] * v[0] - q[1] * v[2]), 2 * (q[1] * v[1] - q[2] * v[0])};
    double x = v[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1];
    double y = v[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2];
    double z = v[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0];
    out[0] = x, out[1] = y, out[2] = z;
}

// SOFA turns about the fixed axes x, y, z in this order, as `rotate` does
static void quat_of_angles(const double degrees[3], double out[4]) {
    double q[4] = {1, 0, 0, 0};
    for (int i = 0; i < 3; i++) {
        double half = degrees[i] * acos(-1) / 360, turn[4] = {cos(half), 0, 0, 0};
        turn[i + 1] = sin(half);
        quat_times(turn, q, q);
    }
    memcpy(out, q, sizeof q);
}

static bool is_turned(const double q[4]) {
    return fabs(q[1]) + fabs(q[2]) + fabs(q[3]) > 1e-12;
}

static bool is_uniform(const double s[3]) {
    return s[0] == s[1] && s[1] == s[2];
}

double sp__sofa_distance(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static void read_axes(sp_import *im, sofa_object *o, const char *all, const char *const each[3], double out[3]) {
    sp__sofa_vector(im, o, all, 3, out);
    for (int i = 0; i < 3; i++) out[i] = sp__sofa_number(im, o, each[i], out[i]);
}

sofa_placing sp__sofa_placing(sp_import *im, sofa_object *o) {
    static const char *const moves[3] = {"dx", "dy", "dz"}, *const turns[3] = {"rx", "ry", "rz"},
                             *const scales[3] = {"sx", "sy", "sz"};
    sofa_placing p = {.scale = {1, 1, 1}, .quat = {1, 0, 0, 0}};
    double angles[3] = {0, 0, 0};
    if (!o) return p;
    read_axes(im, o, "translation", moves, p.translate);
    read_axes(im, o, "rotation", turns, angles);
    read_axes(im, o, "scale3d", scales, p.scale);
    double scale = sp__sofa_number(im, o, "scale", 1);
    for (int i = 0; i < 3; i++) p.scale[i] *= scale;
    quat_of_angles(angles, p.quat);
    if (p.scale[0] > 0 && p.scale[1] > 0 && p.scale[2] > 0) return p;
    sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "scale %s: must be positive", sp__sofa_join(im, p.scale, 3));
    p.scale[0] = p.scale[1] = p.scale[2] = 1;
    return p;
}

void sp__sofa_place(const sofa_placing *p, const double in[3], double out[3]) {
    double x[3] = {p->scale[0] * in[0], p->scale[1] * in[1], p->scale[2] * in[2]};
    quat_turn(p->quat, x, x);
    for (int i = 0; i < 3; i++) out[i] = x[i] + p->translate[i];
}

bool sp__sofa_placing_none(const sofa_placing *p) {
    bool moved = fabs(p->translate[0]) + fabs(p->translate[1]) + fabs(p->translate[2]) > 0;
    return !moved && !is_turned(p->quat) && p->scale[0] == 1 && is_uniform(p->scale);
}

bool sp__sofa_placing_after(const sofa_placing *first, const sofa_placing *second, sofa_placing *out) {
    sofa_placing p;
    if (is_turned(first->quat) && !is_uniform(second->scale)) return false;
    sp__sofa_place(second, first->translate, p.translate);
    quat_times(second->quat, first->quat, p.quat);
    for (int i = 0; i < 3; i++) p.scale[i] = first->scale[i] * second->scale[i];
    *out = p;
    return true;
}

bool sp__sofa_placing_inverse(const sofa_placing *p, sofa_placing *out) {
    sofa_placing inverse = {.quat = {p->quat[0], -p->quat[1], -p->quat[2], -p->quat[3]}};
    if (is_turned(p->quat) && !is_uniform(p->scale)) return false;
    for (int i = 0; i < 3; i++) inverse.scale[i] = 1 / p->scale[i];
    double back[3] = {-p->translate[0], -p->translate[1], -p->translate[2]};
    sp__sofa_place(&inverse, back, inverse.translate);
    *out = inverse;
    return true;
}

void sp__sofa_set_placing(sp_import *im, sofa_element *e, const sofa_placing *p) {
    if (p->scale[0] != 1 || !is_uniform(p->scale)) sp__sofa_set_vector(im, e, "scale", p->scale, is_uniform(p->scale) ? 1 : 3);
    if (is_turned(p->quat)) sp__sofa_set_vector(im, e, "quat", p->quat, 4);
    if (p->translate[0] != 0 || p->translate[1] != 0 || p->translate[2] != 0)
        sp__sofa_set_vector(im, e, "translate", p->translate, 3);
}

// ---------------------------------------------------------------------------------------------- grids

// nodes along the three axes and corners; a SOFA grid counts nodes, x fastest
static bool read_grid(sp_import *im, sofa_object *o, int n[3], double low[3], double size[3]) {
    static const char *const counts[3] = {"nx", "ny", "nz"}, *const lows[3] = {"xmin", "ymin", "zmin"},
                             *const highs[3] = {"xmax", "ymax", "zmax"};
    double nodes[3] = {2, 2, 2}, high[3] = {1, 1, 1};
    low[0] = low[1] = low[2] = 0;
    read_axes(im, o, "n", counts, nodes);
    read_axes(im, o, "min", lows, low);
    read_axes(im, o, "max", highs, high);
    double scale = sp__sofa_number(im, o, "scale", 1), width = sp__sofa_number(im, o, "cellWidth", 0), total = 1;
    for (int i = 0; i < 3; i++) {
        low[i] *= scale, high[i] *= scale, size[i] = high[i] - low[i];
        if (width > 0) nodes[i] = ceil(size[i] / width) + 1;
        if (!(nodes[i] >= 2 && nodes[i] <= POINTS_MOST && size[i] > 0)) {
            sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "a grid of %g x %g x %g nodes is no volume", nodes[0], nodes[1], nodes[2]);
            return false;
        }
        total *= nodes[i];
        n[i] = (int)nodes[i];
    }
    sp__sofa_vector(im, o, "p0", 3, low);
    if (total <= POINTS_MOST) return true;
    sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "a grid of %g nodes; %d are allowed", total, POINTS_MOST);
    return false;
}

// Points of a cylinder or a sphere: a square or a cube whose points move towards the axis or the centre, so that squares become
// circles.
static double *curved_points(sp_import *im, sofa_object *o, const int n[3]) {
    bool sphere = strcmp(o->component->word, "sphere") == 0;
    double centre[3] = {0, 0, 0}, z[3] = {0, 0, 1}, x[3] = {1, 0, 0}, y[3], r = sp__sofa_number(im, o, "radius", 1),
           length = sp__sofa_number(im, o, "length", 1), norm;
    double *out = sp__scene_alloc(im->scene, (size_t)n[0] * (size_t)n[1] * (size_t)n[2], 3 * sizeof *out), *at = out;
    sp__sofa_vector(im, o, "center", 3, centre);
    sp__sofa_vector(im, o, "axis", 3, z);
    norm = sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
    for (int k = 0; k < 3; k++) z[k] = norm > 0 ? z[k] / norm : k == 2;
    if (fabs(z[1]) + fabs(z[2]) < 1e-6) x[0] = 0, x[1] = 1;
    for (int k = 0; k < 3; k++) y[k] = z[(k + 1) % 3] * x[(k + 2) % 3] - z[(k + 2) % 3] * x[(k + 1) % 3];
    norm = sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
    for (int k = 0; k < 3; k++) y[k] /= norm;
    for (int k = 0; k < 3; k++) x[k] = y[(k + 1) % 3] * z[(k + 2) % 3] - y[(k + 2) % 3] * z[(k + 1) % 3];
    for (int e = 0; out && e < n[0] * n[1] * n[2]; e++, at += 3) {
        const int place[3] = {e % n[0], e / n[0] % n[1], e / (n[0] * n[1])};
        double p[3], most = 0, far = 0;
        for (int k = 0; k < 3; k++) p[k] = !sphere && k == 2 ? 0 : r * (2.0 * place[k] / (n[k] - 1) - 1);
        for (int k = 0; k < 3; k++) most = fmax(most, fabs(p[k])), far += p[k] * p[k];
        for (int k = 0; k < 3 && far > 0; k++) p[k] *= most / sqrt(far);
        if (!sphere) p[2] = length * place[2] / (n[2] - 1);
        for (int k = 0; k < 3; k++) at[k] = centre[k] + x[k] * p[0] + y[k] * p[1] + z[k] * p[2];
    }
    return out;
}

// the corners of a cell in SOFA's order
static void grid_cell(const int n[3], int x, int y, int z, int out[8]) {
    static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    for (int c = 0; c < 8; c++) out[c] = x + corner[c][0] + n[0] * (y + corner[c][1] + n[1] * (z + corner[c][2]));
}

static void swap_pairs(int c[8], const int pairs[8]) {
    for (int i = 0; i < 8; i += 2) {
        int t = c[pairs[i]];
        c[pairs[i]] = c[pairs[i + 1]];
        c[pairs[i + 1]] = t;
    }
}

// the division of a cell by Hexa2TetraTopologicalMapping; `alternate` mirrors every second cell along each axis
static void split_cell(int c[8], int x, int y, int z, bool alternate, int out[24]) {
    static const int six[24] = {0, 5, 1, 6, 0, 1, 3, 6, 1, 3, 6, 2, 6, 3, 0, 7, 6, 7, 0, 5, 7, 5, 4, 0};
    static const int along[3][8] = {{0, 1, 3, 2, 4, 5, 7, 6}, {0, 3, 1, 2, 4, 7, 5, 6}, {0, 4, 1, 5, 2, 6, 3, 7}};
    if (alternate && x % 2 == 0) swap_pairs(c, along[0]);
    if (alternate && y % 2 == 1) swap_pairs(c, along[1]);
    if (alternate && z % 2 == 1) swap_pairs(c, along[2]);
    for (int i = 0; i < 24; i++) out[i] = c[six[i]];
}

static double *grid_points(sp_import *im, const int n[3], const double low[3], const double size[3]) {
    double *x = sp__scene_alloc(im->scene, (size_t)n[0] * (size_t)n[1] * (size_t)n[2], 3 * sizeof *x), *at = x;
    for (int k = 0; x && k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++, at += 3) {
                const int place[3] = {i, j, k};
                for (int a = 0; a < 3; a++) at[a] = low[a] + size[a] * place[a] / (n[a] - 1);
            }
    return x;
}

// ---------------------------------------------------------------------------------------------- making meshes

static int by_pair(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// SOFA's springs join all nodes of an element; a pair of two elements has one
static double edge_sum(sp_import *im, const sp_mesh *mesh) {
    size_t room = 0, count = 0;
    for (int e = 0; e < sp_mesh_element_count(mesh); e++) {
        size_t n = (size_t)sp_element_nodes(sp_mesh_element(mesh, e, NULL));
        room += n * (n - 1) / 2;
    }
    uint64_t *pairs = sp__scene_alloc(im->scene, room, sizeof *pairs);
    double sum = 0;
    for (int e = 0; pairs && e < sp_mesh_element_count(mesh); e++) {
        const int *nodes;
        int n = sp_element_nodes(sp_mesh_element(mesh, e, &nodes));
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++) {
                uint64_t a = (uint64_t)nodes[i], b = (uint64_t)nodes[j];
                pairs[count++] = a < b ? a << 32 | b : b << 32 | a;
            }
    }
    if (count) qsort(pairs, count, sizeof *pairs, by_pair);
    for (size_t i = 0; i < count; i++) {
        const double *a = sp_mesh_positions(mesh) + 3 * (pairs[i] >> 32),
                     *b = sp_mesh_positions(mesh) + 3 * (pairs[i] & 0xFFFFFFFF);
        if (i && pairs[i] == pairs[i - 1]) continue;
        for (int k = 0; k < 3; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    }
    return sum;
}

static bool make_mesh(sp_import *im, sofa_object *o, sofa_mesh *m, const double *positions, int node_count, sp_element_type type,
                      const int *elements, int element_count) {
    sp_mesh_def def = sp_mesh_def_default();
    sp_element_type *types = sp__scene_alloc(im->scene, (size_t)element_count, sizeof *types);
    if (!types) return false;
    for (int i = 0; i < element_count; i++) types[i] = type;
    def.node_count = node_count, def.positions = positions;
    def.element_count = element_count, def.element_nodes = elements, def.element_types = types;
    sofa_file *file = sp__sofa_file(im, m->path, ".vtk");
    sp_status status = file ? sp_mesh_create(im->ctx, &def, &file->mesh) : SP_NO_MEMORY;
    if (status < 0) {
        if (status == SP_NO_MEMORY) im->scene->no_memory = true;
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "%s", sp_context_error(im->ctx)->message);
        if (file && im->files == file) im->files = file->next;
        return false;
    }
    m->made = file->mesh;
    m->path = file->name;
    m->node_count = node_count;
    m->at_rest = positions;
    m->volume = sp_mesh_volume(file->mesh);
    if (m->springs) m->edge_sum = edge_sum(im, file->mesh);
    return true;
}

static void box_springs(sp_import *im, sofa_mesh *m) {
    sp_mesh *mesh;
    if (sp_mesh_box(im->ctx, m->size, m->cells, 1, &mesh) < 0) {
        im->scene->no_memory = true;
        return;
    }
    m->edge_sum = edge_sum(im, mesh);
    sp_mesh_destroy(&mesh);
}

static bool make_cells(sp_import *im, sofa_object *o, sofa_mesh *m, const int n[3], const double *x, bool alternate) {
    int cells = m->cells[0] * m->cells[1] * m->cells[2], corners = m->hexahedra ? 8 : 24;
    int *nodes = sp__scene_alloc(im->scene, (size_t)cells, (size_t)corners * sizeof *nodes);
    for (int e = 0; nodes && e < cells; e++) {
        const int at[3] = {e % m->cells[0], e / m->cells[0] % m->cells[1], e / (m->cells[0] * m->cells[1])};
        int cell[8], *out = nodes + (size_t)corners * (size_t)e;
        grid_cell(n, at[0], at[1], at[2], cell);
        if (m->hexahedra)
            memcpy(out, cell, sizeof cell);
        else
            split_cell(cell, at[0], at[1], at[2], alternate, out);
    }
    if (!nodes) return false;
    if (m->hexahedra) return make_mesh(im, o, m, x, m->node_count, SP_ELEMENT_HEX8, nodes, cells);
    return make_mesh(im, o, m, x, m->node_count, SP_ELEMENT_TET4, nodes, 6 * cells);
}

static bool make_grid(sp_import *im, sofa_object *o, sofa_mesh *m, bool alternate) {
    int n[3];
    bool curved = o->component->word != NULL;
    if (!read_grid(im, o, n, m->low, m->size)) return false;
    const double *x = curved ? curved_points(im, o, n) : grid_points(im, n, m->low, m->size);
    if (!x) return false;
    for (int i = 0; i < 3; i++) m->cells[i] = n[i] - 1;
    m->node_count = n[0] * n[1] * n[2];
    if (curved || !m->hexahedra) return make_cells(im, o, m, n, x, alternate);
    m->at_rest = x;
    m->volume = m->size[0] * m->size[1] * m->size[2];
    int64_t *ids = sp__scene_alloc(im->scene, (size_t)m->node_count, sizeof *ids);
    for (int i = 0; ids && i < m->node_count; i++)  // <box> has other numbers: z fastest
        ids[i] = ((int64_t)(i % n[0]) * n[1] + i / n[0] % n[1]) * n[2] + i / (n[0] * n[1]);
    m->ids = ids;
    if (m->springs) box_springs(im, m);
    return ids != NULL;
}

// ---- cells of a grid that a surface touches or encloses

// separating axis test of a triangle and a box with centre and half edges (Akenine-Moeller 2001)
static bool touches(const double t[3][3], const double centre[3], const double half[3]) {
    double v[3][3], axes[13][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 9; i++) v[i / 3][i % 3] = t[i / 3][i % 3] - centre[i % 3];
    double e[3][3];
    for (int i = 0; i < 3; i++)
        for (int a = 0; a < 3; a++) e[i][a] = v[(i + 1) % 3][a] - v[i][a];
    for (int a = 0; a < 3; a++) axes[3][a] = e[0][(a + 1) % 3] * e[1][(a + 2) % 3] - e[0][(a + 2) % 3] * e[1][(a + 1) % 3];
    for (int i = 0; i < 9; i++) {
        const double *edge = e[i / 3];
        int a = i % 3;
        axes[4 + i][(a + 1) % 3] = -edge[(a + 2) % 3], axes[4 + i][(a + 2) % 3] = edge[(a + 1) % 3];
    }
    for (int k = 0; k < 13; k++) {
        const double *n = axes[k];
        double reach = half[0] * fabs(n[0]) + half[1] * fabs(n[1]) + half[2] * fabs(n[2]), low = INFINITY, high = -INFINITY;
        for (int i = 0; i < 3; i++) {
            double d = n[0] * v[i][0] + n[1] * v[i][1] + n[2] * v[i][2];
            low = fmin(low, d), high = fmax(high, d);
        }
        if (low > reach || high < -reach) return false;
    }
    return true;
}

// where a line along x through (y, z) crosses the surface; -1: out of memory
static int crossings(sp_import *im, const sp_trimesh_def *s, double y, double z, double **x, int *room) {
    int count = 0;
    for (int f = 0; f < s->face_count; f++) {
        const double *a = s->positions + 3 * s->faces[3 * f], *b = s->positions + 3 * s->faces[3 * f + 1],
                     *c = s->positions + 3 * s->faces[3 * f + 2];
        double ab = (b[1] - a[1]) * (z - a[2]) - (b[2] - a[2]) * (y - a[1]);
        double bc = (c[1] - b[1]) * (z - b[2]) - (c[2] - b[2]) * (y - b[1]);
        double ca = (a[1] - c[1]) * (z - c[2]) - (a[2] - c[2]) * (y - c[1]), sum = ab + bc + ca;
        if (!((ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0)) || sum == 0) continue;
        if (!sp__scene_grow(im->scene, x, count, room, sizeof **x)) return -1;
        (*x)[count++] = (bc * a[0] + ca * b[0] + ab * c[0]) / sum;
    }
    return count;
}

// cells whose middle is inside: an odd number of crossings lies beyond it
static void mark_enclosed(sp_import *im, const sp_trimesh_def *s, const int cells[3], const double low[3], const double h[3],
                          unsigned char *kept) {
    double *x = NULL;
    int room = 0;
    for (int row = 0; row < cells[1] * cells[2]; row++, kept += cells[0]) {
        // a little off the centre, where no edge of a symmetric surface is
        double y = low[1] + h[1] * (row % cells[1] + 0.50123), z = low[2] + h[2] * (row / cells[1] + 0.50321);
        int count = crossings(im, s, y, z, &x, &room);
        for (int i = 0; i < cells[0]; i++)
            for (int k = 0; k < count; k++) kept[i] ^= x[k] > low[0] + h[0] * (i + 0.5);
    }
}

static void mark_touched(const sp_trimesh_def *s, const int cells[3], const double low[3], const double h[3],
                         unsigned char *kept) {
    const double half[3] = {h[0] / 2, h[1] / 2, h[2] / 2};
    for (int f = 0; f < s->face_count; f++) {
        double t[3][3];
        int from[3], to[3];
        for (int i = 0; i < 3; i++) memcpy(t[i], s->positions + 3 * s->faces[3 * f + i], sizeof t[i]);
        for (int a = 0; a < 3; a++) {
            double least = fmin(t[0][a], fmin(t[1][a], t[2][a])), most = fmax(t[0][a], fmax(t[1][a], t[2][a]));
            from[a] = (int)fmax(0, fmin(cells[a] - 1, floor((least - low[a]) / h[a])));
            to[a] = (int)fmax(0, fmin(cells[a] - 1, floor((most - low[a]) / h[a])));
        }
        for (int z = from[2]; z <= to[2]; z++)
            for (int y = from[1]; y <= to[1]; y++)
                for (int x = from[0]; x <= to[0]; x++) {
                    const double centre[3] = {low[0] + h[0] * (x + 0.5), low[1] + h[1] * (y + 0.5), low[2] + h[2] * (z + 0.5)};
                    unsigned char *k = &kept[x + cells[0] * (y + cells[1] * z)];
                    if (!*k) *k = touches((const double(*)[3])t, centre, half);
                }
    }
}

// nodes of the kept cells get numbers in the order of the grid; cells are divided as the force field of SOFA does
static bool make_kept(sp_import *im, sofa_object *o, sofa_mesh *m, const int n[3], const unsigned char *kept, bool alternate) {
    const double *x = grid_points(im, n, m->low, m->size);
    int cells = (n[0] - 1) * (n[1] - 1) * (n[2] - 1), nodes = n[0] * n[1] * n[2], used = 0, count = 0;
    int *hexes = sp__scene_alloc(im->scene, (size_t)cells, 8 * sizeof *hexes);
    int *number = sp__scene_alloc(im->scene, (size_t)nodes, sizeof *number);
    double *points = sp__scene_alloc(im->scene, (size_t)nodes, 3 * sizeof *points);
    if (!x || !hexes || !number || !points) return false;
    for (int e = 0; e < cells; e++) {
        if (!kept[e]) continue;
        int *h = hexes + 8 * (size_t)count++;
        grid_cell(n, e % (n[0] - 1), e / (n[0] - 1) % (n[1] - 1), e / ((n[0] - 1) * (n[1] - 1)), h);
        for (int c = 0; c < 8; c++) number[h[c]] = 1;
    }
    for (int i = 0; i < nodes; i++) {
        if (!number[i]) continue;
        memcpy(points + 3 * (size_t)used, x + 3 * (size_t)i, 3 * sizeof *points);
        number[i] = used++;
    }
    for (size_t i = 0; i < 8 * (size_t)count; i++) hexes[i] = number[hexes[i]];
    if (m->hexahedra) return make_mesh(im, o, m, points, used, SP_ELEMENT_HEX8, hexes, count);
    int *tets = sp__scene_alloc(im->scene, (size_t)count, 24 * sizeof *tets);
    // SOFA counts the cells of what is no regular grid as one of 2 x 1 cells
    for (int e = 0; tets && e < count; e++) split_cell(hexes + 8 * (size_t)e, e % 2, 0, e / 2, alternate, tets + 24 * (size_t)e);
    return tets && make_mesh(im, o, m, points, used, SP_ELEMENT_TET4, tets, 6 * count);
}

// its surface: a file of its own, or the loader that it links to
static sp_trimesh *sparse_surface(sp_import *im, sofa_object *o) {
    const char *path, *link = sp__sofa_attr(o, "fileTopology/filename") ? NULL : sp__sofa_attr(o, "position/src"), *data;
    sofa_node *node;
    sofa_object *loader = link ? sp__sofa_link(im, o, link, &node, &data) : NULL;
    sp_trimesh *surface, *moved = NULL;
    if (!sp__sofa_is(loader, SOFA_LOADER)) return sp__sofa_read_surface(im, o, "fileTopology/filename", &path);
    sofa_placing placing = sp__sofa_placing(im, loader);
    surface = sp__sofa_read_surface(im, loader, "filename", &path);
    if (!surface) return NULL;
    sp__sofa_became(im, loader);
    moved = sp__sofa_moved(im, surface, &placing);
    sp_trimesh_destroy(&surface);
    return moved;
}

static bool make_sparse(sp_import *im, sofa_object *o, sofa_mesh *m, bool alternate) {
    static const char *const counts[3] = {"nx", "ny", "nz"};
    double nodes[3] = {2, 2, 2}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, h[3], total = 1;
    int n[3], cells[3];
    read_axes(im, o, "n", counts, nodes);
    for (int i = 0; i < 3; i++) total *= nodes[i] >= 2 ? nodes[i] : INFINITY;
    if (!(total <= POINTS_MOST)) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "n %s: 2 or more nodes along each axis, %d in all", sp__sofa_join(im, nodes, 3),
                      POINTS_MOST);
        return false;
    }
    sp_trimesh *surface = sparse_surface(im, o);
    sp_trimesh_def s;
    if (!surface) return false;
    sp_trimesh_get(surface, &s);
    m->low[0] = m->low[1] = m->low[2] = INFINITY;
    for (int i = 0; i < 3 * s.vertex_count; i++) {
        m->low[i % 3] = fmin(m->low[i % 3], s.positions[i]);
        high[i % 3] = fmax(high[i % 3], s.positions[i]);
    }
    sp__sofa_vector(im, o, "min", 3, m->low);
    sp__sofa_vector(im, o, "max", 3, high);
    bool good = true;
    for (int i = 0; i < 3; i++) {
        n[i] = (int)nodes[i], cells[i] = n[i] - 1;
        m->size[i] = high[i] - m->low[i], h[i] = m->size[i] / cells[i];
        good = good && h[i] > 0;
    }
    unsigned char *kept = good ? sp__scene_alloc(im->scene, (size_t)(cells[0] * cells[1] * cells[2]), 1) : NULL;
    if (kept) {
        mark_enclosed(im, &s, cells, m->low, h, kept);
        mark_touched(&s, cells, m->low, h, kept);
        good = make_kept(im, o, m, n, kept, alternate);
    } else if (!im->scene->no_memory) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "the surface is flat");
        good = false;
    }
    sp_trimesh_destroy(&surface);
    return good && kept;
}

// ---------------------------------------------------------------------------------------------- files

// NULL: reported, as an error of the scene: without its mesh a body is not itself
const char *sp__sofa_file_path(sp_import *im, sofa_object *o, const char *names) {
    const char *name = sp__sofa_attr(o, names);
    char why[200];
    const char *path = name ? sp__sofa_path(im, o->raw->file, name, why, sizeof why) : NULL;
    if (!name)
        sp__scene_error_at(im->scene, o->raw->file, o->raw->line, "%s: names no file", o->type);
    else if (!path)
        sp__scene_error_at(im->scene, o->raw->file, o->raw->line, "%s: \"%.200s\" %s; --share adds a folder to look in", o->type,
                           name, why);
    return path;
}

static void file_failed(sp_import *im, sofa_object *o, sp_status status) {
    if (status == SP_NO_MEMORY) im->scene->no_memory = true;
    sp__scene_error_at(im->scene, o->raw->file, o->raw->line, "%s: %s", o->type, sp_context_error(im->ctx)->message);
}

sp_trimesh *sp__sofa_read_surface(sp_import *im, sofa_object *o, const char *names, const char **path) {
    sp_trimesh *surface = NULL;
    *path = sp__sofa_file_path(im, o, names);
    sp_status status = *path ? sp_trimesh_read(im->ctx, *path, &surface) : SP_OK;
    if (status < 0) file_failed(im, o, status);
    return surface;
}

// nodes as SOFA counts them: all of the file, in its order
static bool read_file(sp_import *im, sofa_object *o, sofa_mesh *m) {
    sp_mesh_file *file = NULL;
    sp_mesh_file_content content;
    sp_mesh *mesh = NULL;
    m->path = sp__sofa_file_path(im, o, "filename/fileMesh");
    if (!m->path) return false;
    sp_status status = sp_mesh_file_open(im->ctx, m->path, &file);
    if (status >= 0) {
        sp_mesh_file_get(file, &content);
        status = content.tetrahedra ? sp_mesh_file_mesh(file, &mesh) : SP_OK;
    }
    if (status < 0) {
        file_failed(im, o, status);
    } else if (!mesh) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "the file has triangles only");
    } else {
        m->node_count = content.mesh.node_count;
        double *x = sp__scene_alloc(im->scene, (size_t)m->node_count, 3 * sizeof *x);
        int64_t *ids = content.mesh.node_ids ? sp__scene_alloc(im->scene, (size_t)m->node_count, sizeof *ids) : NULL;
        if (x) memcpy(x, content.mesh.positions, (size_t)m->node_count * 3 * sizeof *x);
        if (ids) memcpy(ids, content.mesh.node_ids, (size_t)m->node_count * sizeof *ids);
        m->at_rest = x, m->ids = ids;
        m->volume = sp_mesh_volume(mesh);
        if (m->springs) m->edge_sum = edge_sum(im, mesh);
        bool wanted = m->hexahedra, hexes = false;
        for (int e = 0; e < sp_mesh_element_count(mesh); e++) hexes = hexes || sp_mesh_element(mesh, e, NULL) == SP_ELEMENT_HEX8;
        m->hexahedra = hexes && wanted;
        m->cut = hexes && !wanted;
    }
    sp_mesh_destroy(&mesh);
    sp_mesh_file_close(&file);
    return m->at_rest != NULL;
}

sp_trimesh *sp__sofa_moved(sp_import *im, const sp_trimesh *surface, const sofa_placing *p) {
    sp_trimesh *moved = NULL;
    sp_pose pose = sp_pose_identity();
    memcpy(pose.quat, p->quat, sizeof pose.quat);
    memcpy(pose.translate, p->translate, sizeof pose.translate);
    if (sp_trimesh_transformed(surface, p->scale, &pose, &moved) < 0) im->scene->no_memory = true;
    return moved;
}

// The name of a file in the new scene: a file below its folder stays where it is, another one is copied.
const char *sp__sofa_file_name(sp_import *im, const char *path, const char *name) {
    char real[PATH_MAX];
    const char *slash = strrchr(im->out, '/');
    const char *folder = slash ? sp__sofa_print(im, "%.*s", (int)(slash - im->out) + (slash == im->out), im->out) : ".";
    size_t n = realpath(folder, real) ? strlen(real) : 0;
    if (n && strncmp(path, real, n) == 0 && path[n] == '/') return path + n + 1;
    for (const sofa_file *f = im->files; f; f = f->next)
        if (f->copy_of && strcmp(f->copy_of, path) == 0) return f->name;
    const char *suffix = strrchr(path, '.');
    sofa_file *file = sp__sofa_file(im, name, suffix ? suffix : "");
    if (!file) return "";
    file->copy_of = path;
    return file->name;
}

// ---------------------------------------------------------------------------------------------- lists

// the numbers of an attribute, its own or those of the component that it links to
int sp__sofa_linked_numbers(sp_import *im, sofa_object *o, const char *names, const double **out, sofa_object **of) {
    const char *text = sp__sofa_attr(o, names), *data;
    sofa_node *node;
    *out = NULL;
    for (int hops = 0; text && *text == '@' && hops < 16; hops++) {
        o = sp__sofa_link(im, o, text, &node, &data);
        if (!o) return 0;
        text = sp__sofa_attr(o, names);
    }
    *of = o;
    return text ? sp__sofa_numbers(im, o, names, out) : 0;
}

int *sp__sofa_as_indices(sp_import *im, sofa_object *o, const double *numbers, int count, int limit) {
    int *out = sp__scene_alloc(im->scene, (size_t)count, sizeof *out);
    for (int i = 0; out && i < count; i++) {
        if (!(numbers[i] >= 0 && numbers[i] < limit)) {
            sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "index %g of an element: there are %d positions", numbers[i], limit);
            return NULL;
        }
        out[i] = (int)numbers[i];
    }
    return out;
}

// elements of the wanted type; a topology without tetrahedra is cut by SOFA's force fields
static bool make_inline(sp_import *im, sofa_object *o, sofa_object *state, sofa_mesh *m) {
    const double *x, *numbers;
    sofa_object *of = o;
    int n = sp__sofa_linked_numbers(im, o, "position/points", &x, &of) / 3;
    if (!n && state) n = sp__sofa_linked_numbers(im, state, "position", &x, &of) / 3;
    int corners = m->hexahedra ? 8 : 4, count = 0;
    for (int i = 0; i < 2 && !count; i++, corners = count ? corners : 12 - corners)
        count = sp__sofa_linked_numbers(im, o, corners == 4 ? "tetrahedra/tetras" : "hexahedra/hexas", &numbers, &of);
    if (!n || !count) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "no %s", n ? "tetrahedra or hexahedra" : "positions");
        return false;
    }
    const int *elements = sp__sofa_as_indices(im, o, numbers, count, n);
    if (!elements) return false;
    if (corners == 8 && !m->hexahedra) {
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "hexahedra, each integrated with its own rotation, not cut into tetrahedra");
        m->hexahedra = true;
    }
    return make_mesh(im, o, m, x, n, corners == 4 ? SP_ELEMENT_TET4 : SP_ELEMENT_HEX8, elements, count / corners);
}

static double area_of(const double *x, const sp_mesh *mesh) {
    double area = 0;
    for (int e = 0; e < sp_mesh_element_count(mesh); e++) {
        const int *n;
        double a[3], b[3], square = 0;
        sp_mesh_element(mesh, e, &n);
        for (int k = 0; k < 3; k++)
            a[k] = x[3 * (size_t)n[1] + k] - x[3 * (size_t)n[0] + k], b[k] = x[3 * (size_t)n[2] + k] - x[3 * (size_t)n[0] + k];
        for (int k = 0; k < 3; k++) {
            double c = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
            square += c * c;
        }
        area += sqrt(square) / 2;
    }
    return area;
}

// the triangles of a loader or of lists as elements
static bool make_triangles(sp_import *im, sofa_object *user, sofa_mesh *m) {
    const char *path;
    sofa_object *source = sp__sofa_surface_source(im, user);
    sp_trimesh_def s;
    if (!source) return false;
    bool file = sp__sofa_is(source, SOFA_LOADER) || sp__sofa_attr(source, "filename/fileMesh");
    sp_trimesh *surface =
        file ? sp__sofa_read_surface(im, source, "filename/fileMesh", &path) : sp__sofa_list_surface(im, source);
    if (!surface) return false;
    sp_trimesh_get(surface, &s);
    double *x = sp__scene_alloc(im->scene, (size_t)s.vertex_count, 3 * sizeof *x);
    if (x) memcpy(x, s.positions, (size_t)s.vertex_count * 3 * sizeof *x);
    bool good = x && make_mesh(im, source, m, x, s.vertex_count, SP_ELEMENT_TRI3, s.faces, s.face_count);
    sp_trimesh_destroy(&surface);
    m->object = source;
    return good;
}

// ---------------------------------------------------------------------------------------------- which mesh

typedef struct mesh_source {
    sofa_object *grid, *sparse, *loader, *lists;
    bool split, alternate;
} mesh_source;

static void node_source(sp_import *im, sofa_node *node, int hops, mesh_source *s);

static bool has_source(const mesh_source *s) {
    return s->grid || s->sparse || s->loader || s->lists;
}

// what a link of a container leads to
static void follow(sp_import *im, sofa_object *from, const char *link, int hops, mesh_source *s) {
    const char *data;
    sofa_node *node;
    sofa_object *o = sp__sofa_link(im, from, link, &node, &data);
    sofa_role role = o && o->component ? o->component->role : SOFA_UNKNOWN;
    if (role == SOFA_GRID) s->grid = o;
    if (role == SOFA_SPARSE_GRID) s->sparse = o;
    if (role == SOFA_LOADER) s->loader = o;
    if (node && node != from->node && (!o || role == SOFA_CONTAINER)) node_source(im, node, hops + 1, s);
}

static void container_source(sp_import *im, sofa_object *o, int hops, mesh_source *s) {
    static const char *const lists[] = {"tetrahedra/tetras", "hexahedra/hexas"};
    const char *src = sp__sofa_attr(o, "src");
    sp__sofa_attr(o, "position/points/nbPoints");
    if (sp__sofa_attr(o, "filename")) s->loader = o;
    for (int i = 0; i < 2 && !has_source(s); i++) {
        const char *text = sp__sofa_attr(o, lists[i]);
        if (text && *text == '@')
            follow(im, o, text, hops, s);
        else if (text)
            s->lists = o;
    }
    if (!has_source(s) && src) follow(im, o, src, hops, s);
}

static void note_containers(sp_import *im, sofa_node *node) {
    for (int i = 0; i < node->object_count; i++) {
        sofa_object *o = &node->objects[i];
        if (o->component && o->component->role == SOFA_CONTAINER)
            sp__sofa_note(im, o, SP_IMPORT_BECAME, "%s", o->component->becomes);
    }
}

static void node_source(sp_import *im, sofa_node *node, int hops, mesh_source *s) {
    if (hops > 16) return;
    sofa_object *split = sp__sofa_find(node, SOFA_SPLIT);
    if (split) {
        const char *input = sp__sofa_attr(split, "input/object1");
        s->split = true;
        s->alternate = sp__sofa_yes(split, "swapping", false);
        sp__sofa_note(im, split, SP_IMPORT_BECAME, "%s", split->component->becomes);
        if (input) follow(im, split, input, hops, s);
    }
    for (int i = 0; i < node->object_count && !has_source(s); i++) {
        sofa_object *o = &node->objects[i];
        if (o->component && o->component->role == SOFA_CONTAINER) container_source(im, o, hops, s);
    }
    if (!has_source(s)) s->grid = sp__sofa_find(node, SOFA_GRID);
    if (!has_source(s)) s->sparse = sp__sofa_find(node, SOFA_SPARSE_GRID);
    if (!has_source(s)) s->loader = sp__sofa_find(node, SOFA_LOADER);
    if (has_source(s)) note_containers(im, node);
}

// positions of the nodes in the world, and the volume there
static bool place_nodes(sp_import *im, sofa_mesh *m) {
    double *x = sp__scene_alloc(im->scene, (size_t)m->node_count, 3 * sizeof *x);
    for (int i = 0; x && i < m->node_count; i++) sp__sofa_place(&m->placing, m->at_rest + 3 * (size_t)i, x + 3 * (size_t)i);
    m->at_rest = x;
    m->volume *= m->placing.scale[0] * m->placing.scale[1] * m->placing.scale[2];
    if (x && m->triangles) m->volume = area_of(x, m->made);
    return x != NULL;
}

// translation, rotation and scale of a state, after those of the engine that gives its positions
static sofa_placing state_placing(sp_import *im, sofa_object *state) {
    const char *link = sp__sofa_attr(state, "position"), *data;
    sofa_node *node;
    sofa_object *engine = link && *link == '@' ? sp__sofa_link(im, state, link, &node, &data) : NULL;
    sofa_placing own = sp__sofa_placing(im, state), all;
    if (!sp__sofa_is(engine, SOFA_TRANSFORM)) return own;
    sofa_placing first = sp__sofa_placing(im, engine);
    sp__sofa_attr(engine, "input_position");
    if (!sp__sofa_placing_after(&first, &own, &all)) {
        sp__sofa_note(im, engine, SP_IMPORT_LEFT_OUT, "it turns what its state then stretches");
        return own;
    }
    sp__sofa_became(im, engine);
    return all;
}

// the nodes move from their file or lists into the world
static sofa_mesh *finish_mesh(sp_import *im, sofa_node *node, sofa_object *user, sofa_mesh *m, bool good, sofa_placing of_file,
                              sofa_placing own) {
    m->rest = of_file;
    if (good && !sp__sofa_placing_after(&of_file, &own, &m->placing)) {
        sp__sofa_note(im, node->state, SP_IMPORT_LEFT_OUT, "its scale stretches a mesh that its loader has turned");
        m->placing = of_file;
    }
    if (!good || !place_nodes(im, m)) {
        m->kind = SOFA_MESH_NONE;
        return m;
    }
    note_containers(im, user->node);
    if (!m->object->noted) sp__sofa_note(im, m->object, SP_IMPORT_BECAME, "%s", m->object->component->becomes);
    return m;
}

static sofa_mesh *membrane_mesh(sp_import *im, sofa_node *node, sofa_object *user, sofa_mesh *m) {
    bool good = make_triangles(im, user, m);
    m->kind = SOFA_MESH_INLINE;
    if (!good && !user->noted) sp__sofa_note(im, user, SP_IMPORT_LEFT_OUT, "there are no triangles for it");
    return finish_mesh(im, node, user, m, good, sp__sofa_placing(im, m->object), state_placing(im, node->state));
}

sofa_mesh *sp__sofa_mesh(sp_import *im, sofa_node *node, sofa_object *user, bool hexahedra) {
    sofa_mesh *m = sp__scene_alloc(im->scene, 1, sizeof *m);
    mesh_source s = {0};
    if (!m) return NULL;
    m->hexahedra = hexahedra;
    m->springs = user->component->role == SOFA_SPRINGS;
    m->path = node->body;  // the stem of a file that is made
    m->triangles = user->component->role == SOFA_MEMBRANE;
    if (m->triangles) return membrane_mesh(im, node, user, m);
    for (sofa_node *n = user->node; n && !has_source(&s); n = n == node ? NULL : n->parent) node_source(im, n, 0, &s);
    for (sofa_node *n = node->parent; n && !has_source(&s); n = n->parent) node_source(im, n, 0, &s);
    // force fields of tetrahedra divide the cells of a grid themselves, and alternate
    bool good = false, alternate = s.split ? s.alternate : true;
    sofa_placing own = state_placing(im, node->state), of_file = sp__sofa_placing(im, s.loader);
    m->object = s.grid ? s.grid : s.sparse ? s.sparse : s.loader ? s.loader : s.lists;
    if (s.grid) {
        m->kind = SOFA_MESH_GRID;
        good = make_grid(im, s.grid, m, alternate);
    } else if (s.sparse) {
        m->kind = SOFA_MESH_SPARSE;
        good = make_sparse(im, s.sparse, m, alternate);
    } else if (s.loader) {
        m->kind = SOFA_MESH_FILE;
        good = read_file(im, s.loader, m);
    } else if (s.lists) {
        m->kind = SOFA_MESH_INLINE;
        good = make_inline(im, s.lists, node->state, m);
    }
    if (!has_source(&s)) sp__sofa_note(im, user, SP_IMPORT_LEFT_OUT, "there is no mesh for it");
    return finish_mesh(im, node, user, m, good, of_file, own);
}

void sp__sofa_write_mesh(sp_import *im, sofa_mesh *mesh, sofa_element *body, const char *name) {
    bool box = mesh->kind == SOFA_MESH_GRID && !mesh->made;
    sofa_placing p = mesh->placing;
    sofa_element *shape = sp__sofa_add(im, body, box ? "box" : "mesh", mesh->object);
    if (box) {  // its corner is the own origin
        const double cells[3] = {mesh->cells[0], mesh->cells[1], mesh->cells[2]};
        sp__sofa_place(&mesh->placing, mesh->low, p.translate);
        sp__sofa_set_vector(im, shape, "size", mesh->size, 3);
        sp__sofa_set_vector(im, shape, "cells", cells, 3);
        sp__sofa_set(im, shape, "pattern", "hex");
        mesh->placing = p;
    } else {
        sp__sofa_set(im, shape, "file", mesh->made ? mesh->path : sp__sofa_file_name(im, mesh->path, name));
        if (mesh->cut) sp__sofa_set(im, shape, "tetrahedra", "yes");
    }
    sp__sofa_set_placing(im, body, &p);
}
