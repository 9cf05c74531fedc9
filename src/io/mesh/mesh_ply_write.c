// Writer of PLY files: text or little-endian binary. A number is written as float if that is lossless, as double otherwise;
// colours are bytes if they came from bytes. An array of several components is written as a list of that length.
#include <stdio.h>

#include "io/mesh/mesh_corners.h"
#include "io/mesh/mesh_members.h"
#include "io/mesh/mesh_numbers.h"
#include "io/mesh/mesh_ply.h"
#include "io/mesh/mesh_words.h"

typedef struct sink {
    FILE *file;
    bool ascii, fresh;  // fresh: the line is still empty
} sink;

typedef struct column {  // an array as it is written
    const sp_cells_array *array;
    sp_number type;
} column;

typedef struct writer {
    const sp_cells *cells;
    sp_keep keep;
    sink to;
    const double *normals, *texcoords;
    sp_number x_type, normal_type, texcoord_type, color_type, count_type;
    column *columns;
    sp_members of_cells, of_nodes;
    sp_labels labels;
} writer;

static const char *const type_names[] = {"char", "uchar", "short", "ushort", "int", "uint", "int64", "uint64", "float", "double"};

// ------------------------------------------------------------------------------------------------ numbers

static void ply_write_put(sink *s, sp_number type, double value) {
    if (s->ascii) {
        if (!s->fresh) putc(' ', s->file);
        s->fresh = false;
        sp__words_put(s->file, value, 0);
        return;
    }
    unsigned char bytes[8];
    sp__numbers_put(&value, 1, type, SP_HOST_BIG, bytes);
    fwrite(bytes, 1, sp__number_size(type), s->file);
}

static void end_row(sink *s) {
    if (s->ascii) putc('\n', s->file);
    s->fresh = true;
}

// ------------------------------------------------------------------------------------------------ columns

static void put_name(FILE *file, const char *name) {
    for (; *name; name++) putc((unsigned char)*name <= ' ' ? '_' : *name, file);
}

static void declare(const writer *w, bool on_cells) {
    for (int i = 0; i < w->cells->array_count; i++) {
        const sp_cells_array *a = w->columns[i].array;
        if (a->on_cells != on_cells) continue;
        fprintf(w->to.file, "property %s%s ", a->components > 1 ? "list uchar " : "", type_names[w->columns[i].type]);
        put_name(w->to.file, a->name);
        putc('\n', w->to.file);
    }
    for (int l = 0; l < w->labels.count; l++) {
        if (!(on_cells ? w->labels.on_cells : w->labels.on_nodes)[l]) continue;
        fputs("property int " SP_GROUP_PREFIX, w->to.file);
        put_name(w->to.file, w->labels.names[l]);
        putc('\n', w->to.file);
    }
}

static void put_columns(writer *w, bool on_cells, size_t place) {
    const sp_members *m = on_cells ? &w->of_cells : &w->of_nodes;
    for (int i = 0; i < w->cells->array_count; i++) {
        const sp_cells_array *a = w->columns[i].array;
        if (a->on_cells != on_cells) continue;
        if (a->components > 1) ply_write_put(&w->to, SP_UINT8, a->components);
        for (int k = 0; k < a->components; k++)
            ply_write_put(&w->to, w->columns[i].type, a->values[place * (size_t)a->components + (size_t)k]);
    }
    for (int l = 0; l < w->labels.count; l++) {
        if (!(on_cells ? w->labels.on_cells : w->labels.on_nodes)[l]) continue;
        double mark = sp__label_mark(w->cells, &w->labels, m, l, place);
        ply_write_put(&w->to, SP_INT32, mark <= INT32_MAX ? mark : -1);
    }
}

static sp_number fit(const double *values, size_t n, bool integral) {
    sp_number type = sp__numbers_fit(values, n, integral, false);
    return type == SP_INT64 ? SP_FLOAT64 : type;  // PLY has no 64-bit integers; the values are doubles here as well
}

static bool ply_write_plan(writer *w) {
    const sp_cells *c = w->cells;
    size_t nodes = (size_t)c->node_count, widest = 0;
    if (!SP_KEEP(&w->keep, w->columns, c->array_count) || !sp__members(c, true, &w->keep, &w->of_cells) ||
        !sp__members(c, false, &w->keep, &w->of_nodes) || !sp__labels(c, &w->keep, &w->labels) ||
        !sp__corners_per_node(c, c->normals, c->corner_normals, 3, &w->keep, &w->normals) ||
        !sp__corners_per_node(c, c->texcoords, c->corner_texcoords, 2, &w->keep, &w->texcoords))
        return false;
    for (int i = 0; i < c->array_count; i++) {
        const sp_cells_array *a = &c->arrays[i];
        size_t n = (size_t)a->components * (size_t)(a->on_cells ? c->cell_count : c->node_count);
        w->columns[i] = (column){a, fit(a->values, n, a->integral)};
    }
    for (int i = 0; i < c->cell_count; i++) {
        size_t n = (size_t)(c->start[i + 1] - c->start[i]);
        if (n > widest) widest = n;
    }
    w->count_type = widest <= UINT8_MAX / 2 ? SP_UINT8 : SP_INT32;
    w->x_type = fit(c->x, 3 * nodes, false);
    w->normal_type = w->normals ? fit(w->normals, 3 * nodes, false) : SP_FLOAT32;
    w->texcoord_type = c->texcoords ? fit(c->texcoords, 2 * (size_t)c->texcoord_count, false) : SP_FLOAT32;
    if (c->colors) w->color_type = fit(c->colors, 4 * nodes, false);
    bool bytes = c->colors != NULL;
    for (size_t i = 0; bytes && i < 4 * nodes; i++) bytes = round(c->colors[i] * 255) / 255 == c->colors[i];
    if (bytes) w->color_type = SP_UINT8;
    if (c->normals && !w->normals)
        sp__log(c->ctx, SP_LOG_WARNING, "%s: normals that differ between the faces of a vertex are not written", c->file);
    return true;
}

// ------------------------------------------------------------------------------------------------ vertices

static void declare_vertices(writer *w) {
    FILE *f = w->to.file;
    const char *x = type_names[w->x_type], *n = type_names[w->normal_type], *t = type_names[w->texcoord_type];
    const char *c = type_names[w->color_type];
    fprintf(f, "element vertex %d\nproperty %s x\nproperty %s y\nproperty %s z\n", w->cells->node_count, x, x, x);
    if (w->normals) fprintf(f, "property %s nx\nproperty %s ny\nproperty %s nz\n", n, n, n);
    if (w->texcoords) fprintf(f, "property %s texture_u\nproperty %s texture_v\n", t, t);
    if (w->cells->colors) fprintf(f, "property %s red\nproperty %s green\nproperty %s blue\nproperty %s alpha\n", c, c, c, c);
    declare(w, false);
}

static void put_vertices(writer *w) {
    const sp_cells *c = w->cells;
    for (size_t i = 0; i < (size_t)c->node_count; i++) {
        for (size_t k = 0; k < 3; k++) ply_write_put(&w->to, w->x_type, c->x[3 * i + k]);
        for (size_t k = 0; w->normals && k < 3; k++) ply_write_put(&w->to, w->normal_type, w->normals[3 * i + k]);
        for (size_t k = 0; w->texcoords && k < 2; k++) ply_write_put(&w->to, w->texcoord_type, w->texcoords[2 * i + k]);
        for (size_t k = 0; c->colors && k < 4; k++)
            ply_write_put(&w->to, w->color_type,
                          w->color_type == SP_UINT8 ? round(c->colors[4 * i + k] * 255) : c->colors[4 * i + k]);
        put_columns(w, false, i);
        end_row(&w->to);
    }
}

// ------------------------------------------------------------------------------------------------ cells

// the element that a cell is written to; point cells are not written
static sp_ply_kind kind_of(const sp_cells *c, int i) {
    switch (c->type[i]) {
    case SP_CELL_LINE: return SP_PLY_EDGE;
    case SP_CELL_TRIANGLE:
    case SP_CELL_QUAD:
    case SP_CELL_POLYGON:
    case SP_CELL_TRIANGLE6: return SP_PLY_FACE;
    case SP_CELL_TET:
    case SP_CELL_TET10: return SP_PLY_TET;
    default: return SP_PLY_OTHER;
    }
}

static void declare_cells(writer *w, sp_ply_kind kind, int count) {
    FILE *f = w->to.file;
    const char *names[] = {[SP_PLY_FACE] = "face", [SP_PLY_TET] = "tet", [SP_PLY_EDGE] = "edge"};
    if (!count && kind != SP_PLY_FACE) return;
    fprintf(f, "element %s %d\n", names[kind], count);
    if (kind == SP_PLY_EDGE)
        fputs("property int vertex1\nproperty int vertex2\n", f);
    else
        fprintf(f, "property list %s int vertex_indices\n", type_names[w->count_type]);
    if (kind == SP_PLY_FACE && w->cells->texcoords && !w->texcoords)
        fprintf(f, "property list %s %s texcoord\n", type_names[w->count_type], type_names[w->texcoord_type]);
    declare(w, true);
}

static void put_texcoords(writer *w, int i, int corners) {
    const sp_cells *c = w->cells;
    bool all = true;
    for (int k = 0; k < corners; k++) all = all && c->corner_texcoords[c->start[i] + k] >= 0;
    ply_write_put(&w->to, w->count_type, all ? 2 * corners : 0);
    for (int k = 0; all && k < 2 * corners; k++)
        ply_write_put(&w->to, w->texcoord_type,
                      c->texcoords[2 * (size_t)c->corner_texcoords[c->start[i] + k / 2] + (size_t)(k % 2)]);
}

static void put_cells(writer *w, sp_ply_kind kind) {
    const sp_cells *c = w->cells;
    for (int i = 0; i < c->cell_count; i++) {
        if (kind_of(c, i) != kind) continue;
        int corners = sp__cell_corners(c->type[i]);
        if (!corners) corners = (int)(c->start[i + 1] - c->start[i]);
        if (kind != SP_PLY_EDGE) ply_write_put(&w->to, w->count_type, corners);
        for (int k = 0; k < corners; k++) ply_write_put(&w->to, SP_INT32, c->nodes[c->start[i] + k]);
        if (kind == SP_PLY_FACE && c->texcoords && !w->texcoords) put_texcoords(w, i, corners);
        put_columns(w, true, (size_t)i);
        end_row(&w->to);
    }
}

static void write_all(writer *w) {
    static const sp_ply_kind kinds[] = {SP_PLY_FACE, SP_PLY_TET, SP_PLY_EDGE};
    int count[SP_PLY_EDGE + 1] = {0};
    for (int i = 0; i < w->cells->cell_count; i++) count[kind_of(w->cells, i)]++;
    if (count[SP_PLY_OTHER])
        sp__log(w->cells->ctx, SP_LOG_WARNING, "%s: %d cells that a PLY file does not hold are not written", w->cells->file,
                count[SP_PLY_OTHER]);
    fprintf(w->to.file, "ply\nformat %s 1.0\ncomment written by souple\n", w->to.ascii ? "ascii" : "binary_little_endian");
    declare_vertices(w);
    for (int k = 0; k < 3; k++) declare_cells(w, kinds[k], count[kinds[k]]);
    fputs("end_header\n", w->to.file);
    put_vertices(w);
    for (int k = 0; k < 3; k++) put_cells(w, kinds[k]);
}

sp_status sp__ply_write(const sp_cells *cells, const char *path, const sp_mesh_write_options *options) {
    writer w = {.cells = cells, .keep = {cells->ctx, NULL}};
    sp_new_file file;
    sp_status status = ply_write_plan(&w) ? SP_OK : sp__cells_no_memory(cells);
    if (status >= 0) status = sp__new_file_open(cells->ctx, path, &file);
    if (status >= 0) {
        w.to = (sink){file.stream, options->encoding == SP_ENCODING_ASCII, true};
        write_all(&w);
        status = sp__new_file_close(&file, true);
    }
    sp__keep_free(&w.keep);
    return status;
}
