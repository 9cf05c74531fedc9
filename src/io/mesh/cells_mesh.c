// Conversion of cells to tetrahedra and triangles, and back.
#include <limits.h>
#include <stdio.h>

#include "io/mesh/cells_simplices.h"

void sp__cells_count_text(const sp_cells *c, char *out, size_t size) {
    int count[SP_CELL_OTHER + 1] = {0};
    size_t at = 0;
    for (int i = 0; i < c->cell_count; i++) count[c->type[i]]++;
    snprintf(out, size, "no cells");
    for (int type = 0; type <= SP_CELL_OTHER; type++) {
        if (!count[type] || at + 1 >= size) continue;
        int n = snprintf(out + at, size - at, "%s%d %s", at ? ", " : "", count[type], sp__cell_name(type));
        at += n > 0 ? (size_t)n : 0;
    }
}

// adds the file name to an error of sp_mesh_create
static sp_status of_file(const sp_cells *c, sp_status status) {
    if (status >= 0) return status;
    const sp_error *reason = sp_context_error(c->ctx);
    status = SP_FAIL(c->ctx, status, "%s: %.300s", c->file, reason->message);
    sp__context_error_index(c->ctx, reason->index);
    return status;
}

static sp_simplices shape(const sp_cells *c, int per) {
    return (sp_simplices){.cells = c, .keep = {c->ctx, NULL}, .per = per};
}

static sp_status simplex_capacity(sp_simplices *s, int64_t most, bool corners) {
    if (most > INT_MAX / 4)
        return SP_FAIL(s->cells->ctx, SP_BAD_INPUT, "%s: %lld simplices, at most %d", s->cells->file, (long long)most,
                       INT_MAX / 4);
    size_t n = (size_t)most * (size_t)s->per;
    if (!SP_KEEP(&s->keep, s->simplices, n) || !SP_KEEP(&s->keep, s->behind, most) ||
        !SP_KEEP(&s->keep, s->first, (size_t)s->cells->cell_count + 1) || (corners && !SP_KEEP(&s->keep, s->corners, n)))
        return sp__cells_no_memory(s->cells);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ tetrahedra

static sp_status cut_volumes(sp_simplices *s, bool *cut) {
    const sp_cells *c = s->cells;
    int64_t most = 0;
    for (int i = 0; i < c->cell_count; i++) most += sp__cell_split_count(c->type[i]);
    if (!most) {
        char seen[200];
        sp__cells_count_text(c, seen, sizeof seen);
        return SP_FAIL(c->ctx, SP_BAD_INPUT, "%s: no tetrahedra, hexahedra, wedges or pyramids in it, seen %s", c->file, seen);
    }
    SP_TRY(simplex_capacity(s, most, false));
    for (int i = 0; i < c->cell_count; i++) {
        int out[24], n = sp__cell_split_count(c->type[i]) ? sp__cell_split(c->type[i], c->nodes + c->start[i], out) : 0;
        if (n) memcpy(s->simplices + 4 * (size_t)s->count, out, 4 * (size_t)n * sizeof *out);
        for (int k = 0; k < n; k++) s->behind[s->count++] = i;
        s->first[i + 1] = s->count;
        *cut = *cut || (n && c->type[i] != SP_CELL_TET && c->type[i] != SP_CELL_TET10);
    }
    return SP_OK;
}

static void report_left_out(const sp_simplices *s, bool cut) {
    const sp_cells *c = s->cells;
    int other = 0, middle = 0;
    for (int i = 0; i < c->cell_count; i++) other += c->type[i] == SP_CELL_OTHER, middle += c->type[i] == SP_CELL_TET10;
    if (other) sp__log(c->ctx, SP_LOG_WARNING, "%s: %d cells of kinds that are not known left out", c->file, other);
    if (middle) sp__log(c->ctx, SP_LOG_WARNING, "%s: %d quadratic tetrahedra are taken as straight ones", c->file, middle);
    if (cut) sp__log(c->ctx, SP_LOG_INFO, "%s: its other volume cells are cut into tetrahedra", c->file);
    if (s->node_count < c->node_count)
        sp__log(c->ctx, SP_LOG_INFO, "%s: %d nodes of no tetrahedron left out", c->file, c->node_count - s->node_count);
}

sp_status sp__simplices_define_mesh(sp_simplices *s, bool all_nodes, sp_mesh_def *def) {
    const sp_cells *c = s->cells;
    bool cut = false;
    *def = sp_mesh_def_default();
    SP_TRY(cut_volumes(s, &cut));
    SP_TRY(sp__simplices_renumber(s, all_nodes));
    report_left_out(s, cut);
    SP_TRY(sp__simplices_groups(s));
    SP_TRY(sp__simplices_arrays(s));
    // split cells have no unique number
    if (c->cell_ids && !cut) {
        int64_t *ids;
        if (!SP_KEEP(&s->keep, ids, s->count)) return sp__cells_no_memory(c);
        for (int i = 0; i < s->count; i++) ids[i] = c->cell_ids[s->behind[i]];
        def->tet_ids = ids;
    }
    def->node_count = s->node_count;
    def->positions = s->x;
    def->node_ids = s->ids;
    def->tet_count = s->count;
    def->tets = s->simplices;
    def->groups = s->groups;
    def->group_count = s->group_count;
    def->arrays = s->arrays;
    def->array_count = s->array_count;
    return SP_OK;
}

sp_status sp__cells_to_mesh(const sp_cells *cells, sp_mesh **out) {
    sp_simplices s = shape(cells, 4);
    sp_mesh_def def;
    *out = NULL;
    sp_status status = sp__simplices_define_mesh(&s, false, &def);
    if (status >= 0) status = of_file(cells, sp_mesh_create(cells->ctx, &def, out));
    sp__keep_free(&s.keep);
    return status;
}

// ------------------------------------------------------------------------------------------------ triangles

static int face_anchors(const sp_cells *c, int cell) {
    int type = c->type[cell];
    if (sp__cell_dimension(type) != 2) return 0;
    return type == SP_CELL_POLYGON ? (int)(c->start[cell + 1] - c->start[cell]) : sp__cell_corners(type);
}

static sp_status cut_faces(sp_simplices *s, int64_t most, int widest) {
    const sp_cells *c = s->cells;
    int *places, *memory;
    SP_TRY(simplex_capacity(s, most, true));
    if (!SP_KEEP(&s->keep, places, 3 * (size_t)widest) || !SP_KEEP(&s->keep, memory, widest)) return sp__cells_no_memory(c);
    for (int i = 0; i < c->cell_count; i++) {
        int n = face_anchors(c, i);
        if (n >= 3) sp__polygon_split(c->x, c->nodes + c->start[i], n, places, memory);
        for (int t = 0; t < n - 2; t++, s->count++) {
            for (int k = 0; k < 3; k++) {
                int64_t at = c->start[i] + places[3 * t + k];
                s->simplices[3 * (size_t)s->count + (size_t)k] = c->nodes[at];
                s->corners[3 * (size_t)s->count + (size_t)k] = (int)at;
            }
            s->behind[s->count] = i;
        }
        s->first[i + 1] = s->count;
    }
    return SP_OK;
}

// index per triangle corner: the list of the file, else the node (numbered as in the file if nodes are left out)
static sp_status corner_list(sp_simplices *s, const double *values, const int *given, const int **out) {
    const sp_cells *c = s->cells;
    int *list;
    *out = NULL;
    if (!values || (!given && s->node_count == c->node_count)) return SP_OK;
    if (!SP_KEEP(&s->keep, list, 3 * (size_t)s->count)) return sp__cells_no_memory(c);
    for (size_t i = 0; i < 3 * (size_t)s->count; i++) list[i] = given ? given[s->corners[i]] : c->nodes[s->corners[i]];
    *out = list;
    return SP_OK;
}

static sp_status vertex_colors(sp_simplices *s, const double **out) {
    const sp_cells *c = s->cells;
    double *colors;
    if (!c->colors) return SP_OK;
    if (!SP_KEEP(&s->keep, colors, 4 * (size_t)s->node_count)) return sp__cells_no_memory(c);
    for (int i = 0; i < c->node_count; i++)
        if (s->renumber[i] >= 0) memcpy(colors + 4 * (size_t)s->renumber[i], c->colors + 4 * (size_t)i, 4 * sizeof(double));
    *out = colors;
    return SP_OK;
}

static sp_status define_surface(sp_simplices *s, int64_t most, int widest, bool all_nodes, sp_trimesh_def *def) {
    const sp_cells *c = s->cells;
    *def = sp_trimesh_def_default();
    SP_TRY(cut_faces(s, most, widest));
    SP_TRY(sp__simplices_renumber(s, all_nodes));
    SP_TRY(sp__simplices_groups(s));
    SP_TRY(sp__simplices_arrays(s));
    SP_TRY(corner_list(s, c->texcoords, c->corner_texcoords, &def->face_texcoords));
    SP_TRY(corner_list(s, c->normals, c->corner_normals, &def->face_normals));
    SP_TRY(vertex_colors(s, &def->colors));
    def->vertex_count = s->node_count;
    def->positions = s->x;
    def->face_count = s->count;
    def->faces = s->simplices;
    def->texcoord_count = c->texcoord_count;
    def->texcoords = c->texcoords;
    def->normal_count = c->normal_count;
    def->normals = c->normals;
    def->groups = s->groups;
    def->group_count = s->group_count;
    def->arrays = s->arrays;
    def->array_count = s->array_count;
    return SP_OK;
}

static sp_status boundary_of(const sp_cells *cells, sp_trimesh **out) {
    sp_mesh *mesh;
    SP_TRY(sp__cells_to_mesh(cells, &mesh));
    sp_status status = of_file(cells, sp_mesh_boundary(mesh, out));
    sp_mesh_destroy(&mesh);
    return status;
}

// upper bound of the triangles, corners of the largest face, and number of volume cells
static void count_faces(const sp_cells *cells, int64_t *most, int *widest, int64_t *volumes) {
    *most = *volumes = 0, *widest = 4;
    for (int i = 0; i < cells->cell_count; i++) {
        int n = face_anchors(cells, i);
        *most += n > 2 ? n - 2 : 0;
        *widest = n > *widest ? n : *widest;
        *volumes += sp__cell_dimension(cells->type[i]) == 3;
    }
}

sp_status sp__simplices_define_surface(sp_simplices *s, sp_trimesh_def *def) {
    int64_t most, volumes;
    int widest;
    count_faces(s->cells, &most, &widest, &volumes);
    if (most) return define_surface(s, most, widest, !volumes, def);
    char seen[200];
    sp__cells_count_text(s->cells, seen, sizeof seen);
    return SP_FAIL(s->cells->ctx, SP_BAD_INPUT, "%s: no triangles or other faces in it, seen %s", s->cells->file, seen);
}

sp_status sp__cells_to_trimesh(const sp_cells *cells, sp_trimesh **out) {
    int64_t most, volumes;
    int widest;
    *out = NULL;
    count_faces(cells, &most, &widest, &volumes);
    if (!most && volumes) return boundary_of(cells, out);
    sp_simplices s = shape(cells, 3);
    sp_trimesh_def def;
    sp_status status = sp__simplices_define_surface(&s, &def);
    if (status >= 0) status = of_file(cells, sp_trimesh_create(cells->ctx, &def, out));
    sp__keep_free(&s.keep);
    return status;
}

// ------------------------------------------------------------------------------------------------ mesh or surface to cells

static bool take_simplices(sp_cells *c, const int *nodes, int count, int per, int type) {
    if (!sp__cells_reserve(c, count, (int64_t)count * per)) return false;
    memset(c->type, type, (size_t)count);
    for (int i = 0; i <= count; i++) c->start[i] = (int64_t)i * per;
    if (count) memcpy(c->nodes, nodes, (size_t)count * (size_t)per * sizeof *nodes);
    return true;
}

// ids that equal the indices are not stored
static bool take_ids(sp_cells *c, const int64_t *ids, int n, int64_t **out) {
    int i = 0;
    while (i < n && ids[i] == i) i++;
    if (i == n) return true;
    if (!SP_KEEP(&c->keep, *out, n)) return false;
    memcpy(*out, ids, (size_t)n * sizeof *ids);
    return true;
}

static bool take_numbers(sp_cells *c, const double *values, size_t n, double **out) {
    if (!values) return true;
    if (!SP_KEEP(&c->keep, *out, n)) return false;
    if (n) memcpy(*out, values, n * sizeof *values);
    return true;
}

static bool take_places(sp_cells *c, const int *values, size_t n, int **out) {
    if (!values) return true;
    if (!SP_KEEP(&c->keep, *out, n)) return false;
    if (n) memcpy(*out, values, n * sizeof *values);
    return true;
}

static sp_status groups_of(sp_cells *c, const sp_mesh *mesh) {
    int count = sp_mesh_group_count(mesh);
    return count ? sp__cells_take_groups(c, sp_mesh_group_at(mesh, 0), count, 3) : SP_OK;
}

static sp_status arrays_of(sp_cells *c, const sp_mesh *mesh) {
    int count = sp_mesh_array_count(mesh);
    return count ? sp__cells_take_arrays(c, sp_mesh_array_at(mesh, 0), count) : SP_OK;
}

sp_status sp__cells_from_mesh(const sp_mesh *mesh, sp_cells *c) {
    int nodes = sp_mesh_node_count(mesh), tets = sp_mesh_tet_count(mesh);
    sp__cells_init(sp_mesh_context(mesh), "mesh", c);
    c->node_count = nodes;
    if (!take_numbers(c, sp_mesh_positions(mesh), 3 * (size_t)nodes, &c->x) ||
        !take_simplices(c, sp_mesh_tets(mesh), tets, 4, SP_CELL_TET) ||
        !take_ids(c, sp_mesh_node_ids(mesh), nodes, &c->node_ids) || !take_ids(c, sp_mesh_tet_ids(mesh), tets, &c->cell_ids))
        return sp__cells_no_memory(c);
    SP_TRY(groups_of(c, mesh));
    return arrays_of(c, mesh);
}

sp_status sp__cells_from_trimesh(const sp_trimesh *surface, sp_cells *c) {
    sp_trimesh_def def;
    sp_trimesh_get(surface, &def);
    sp__cells_init(sp_trimesh_context(surface), "surface", c);
    c->node_count = def.vertex_count;
    c->texcoord_count = def.texcoord_count;
    c->normal_count = def.normal_count;
    size_t corners = 3 * (size_t)def.face_count;
    if (!take_numbers(c, def.positions, 3 * (size_t)def.vertex_count, &c->x) ||
        !take_simplices(c, def.faces, def.face_count, 3, SP_CELL_TRIANGLE) ||
        !take_numbers(c, def.texcoords, 2 * (size_t)def.texcoord_count, &c->texcoords) ||
        !take_numbers(c, def.normals, 3 * (size_t)def.normal_count, &c->normals) ||
        !take_numbers(c, def.colors, 4 * (size_t)def.vertex_count, &c->colors) ||
        !take_places(c, def.face_texcoords, corners, &c->corner_texcoords) ||
        !take_places(c, def.face_normals, corners, &c->corner_normals))
        return sp__cells_no_memory(c);
    SP_TRY(sp__cells_take_groups(c, def.groups, def.group_count, 2));
    return sp__cells_take_arrays(c, def.arrays, def.array_count);
}
