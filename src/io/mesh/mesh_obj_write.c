// Writer of OBJ files: vertices with colours, texture coordinates, normals, groups, faces of any size, lines and points.
#include <stdio.h>

#include "io/mesh/mesh_members.h"
#include "io/mesh/mesh_obj.h"
#include "io/mesh/mesh_words.h"

enum { GROUPS_OF_A_CELL = 64 };  // limit of the reader

static void put_numbers(FILE *file, const char *keyword, const double *numbers, int n, const double *color) {
    fputs(keyword, file);
    for (int k = 0; k < n; k++) sp__words_put(file, numbers[k], k < n - 1 || color ? ' ' : '\n');
    for (int k = 0; color && k < 3; k++) sp__words_put(file, color[k], k < 2 ? ' ' : '\n');
}

static void write_points(const sp_cells *c, FILE *file) {
    for (size_t i = 0; i < (size_t)c->node_count; i++)
        put_numbers(file, "v ", c->x + 3 * i, 3, c->colors ? c->colors + 4 * i : NULL);
    for (size_t i = 0; i < (size_t)c->texcoord_count; i++) put_numbers(file, "vt ", c->texcoords + 2 * i, 2, NULL);
    for (size_t i = 0; i < (size_t)c->normal_count; i++) put_numbers(file, "vn ", c->normals + 3 * i, 3, NULL);
}

static void put_name(FILE *file, const char *name) {
    putc(' ', file);
    for (; *name; name++) putc((unsigned char)*name <= ' ' || *name == '\\' || *name == '#' ? '_' : *name, file);
}

static bool same_groups(const sp_members *m, int a, int b) {
    size_t n = m->start[a + 1] - m->start[a];
    if (n != m->start[b + 1] - m->start[b]) return false;
    return n == 0 || memcmp(m->groups + m->start[a], m->groups + m->start[b], n * sizeof *m->groups) == 0;
}

static void put_groups(const sp_cells *c, const sp_members *m, int cell, FILE *file) {
    putc('g', file);
    for (size_t i = m->start[cell]; i < m->start[cell + 1] && i < m->start[cell] + GROUPS_OF_A_CELL; i++)
        put_name(file, c->groups[m->groups[i]].name);
    putc('\n', file);
}

static void put_corner(const sp_cells *c, int64_t at, FILE *file) {
    // without index lists, texture coordinates and normals are per vertex
    int vt = !c->texcoords ? -1 : c->corner_texcoords ? c->corner_texcoords[at] : c->nodes[at];
    int vn = !c->normals ? -1 : c->corner_normals ? c->corner_normals[at] : c->nodes[at];
    putc(' ', file);
    sp__words_put_integer(file, c->nodes[at] + (int64_t)1, vt >= 0 || vn >= 0 ? '/' : 0);
    if (vt >= 0) sp__words_put_integer(file, vt + (int64_t)1, vn >= 0 ? '/' : 0);
    if (vt < 0 && vn >= 0) putc('/', file);
    if (vn >= 0) sp__words_put_integer(file, vn + (int64_t)1, 0);
}

static void put_cell(const sp_cells *c, int i, FILE *file) {
    int corners = sp__cell_corners(c->type[i]);
    int64_t end = corners ? c->start[i] + corners : c->start[i + 1];
    putc("plf"[sp__cell_dimension(c->type[i])], file);
    for (int64_t at = c->start[i]; at < end; at++) put_corner(c, at, file);
    putc('\n', file);
}

static bool writable(const sp_cells *c, int i) {
    int d = sp__cell_dimension(c->type[i]);
    return d >= 0 && d <= 2;
}

static void write_cells(const sp_cells *c, const sp_members *m, FILE *file) {
    int before = -1;
    for (int i = 0; i < c->cell_count; i++) {
        if (!writable(c, i)) continue;
        bool none = m->start[i] == m->start[i + 1];
        if (before < 0 ? !none : !same_groups(m, before, i)) put_groups(c, m, i, file);
        put_cell(c, i, file);
        before = i;
    }
}

static sp_status obj_write_check(const sp_cells *c) {
    int good = 0;
    for (int i = 0; i < c->cell_count; i++) good += writable(c, i);
    if (!good && c->cell_count)
        return SP_FAIL(c->ctx, SP_BAD_INPUT,
                       "%s: an OBJ file holds faces, lines and points, and there are none: write the boundary", c->file);
    if (good < c->cell_count)
        sp__log(c->ctx, SP_LOG_WARNING, "%s: %d volume cells are not written: an OBJ file holds surfaces", c->file,
                c->cell_count - good);
    return SP_OK;
}

sp_status sp__obj_write(const sp_cells *cells, const char *path, const sp_mesh_write_options *options) {
    (void)options;
    sp_keep keep = {cells->ctx, NULL};
    sp_members members;
    sp_new_file file;
    sp_status status = obj_write_check(cells);
    if (status >= 0 && !sp__members(cells, true, &keep, &members)) status = sp__cells_no_memory(cells);
    if (status >= 0) status = sp__new_file_open(cells->ctx, path, &file);
    if (status >= 0) {
        fputs("# written by souple\n", file.stream);
        write_points(cells, file.stream);
        write_cells(cells, &members, file.stream);
        status = sp__new_file_close(&file, true);
    }
    sp__keep_free(&keep);
    return status;
}
