// Writer of STL files: binary, or text with one solid per group. Quadrilaterals and polygons are triangulated.
#include <limits.h>
#include <stdio.h>

#include "io/mesh/mesh_members.h"
#include "io/mesh/mesh_numbers.h"
#include "io/mesh/mesh_stl.h"
#include "io/mesh/mesh_words.h"

typedef struct facets {
    const sp_cells *cells;
    sp_keep keep;
    int count;
    int *nodes;  // count x 3
    int *cell;   // source cell
} facets;

static int corners_of(const sp_cells *cells, int i) {
    int n = sp__cell_corners(cells->type[i]);
    return n ? n : (int)(cells->start[i + 1] - cells->start[i]);
}

static bool is_face(const sp_cells *cells, int i) {
    return sp__cell_dimension(cells->type[i]) == 2 && corners_of(cells, i) >= 3;
}

static void cut_face(facets *f, int i, int *places, int *memory) {
    const int *nodes = f->cells->nodes + f->cells->start[i];
    int n = corners_of(f->cells, i);
    sp__polygon_split(f->cells->x, nodes, n, places, memory);
    for (int t = 0; t < n - 2; t++, f->count++) {
        for (int k = 0; k < 3; k++) f->nodes[3 * (size_t)f->count + (size_t)k] = nodes[places[3 * t + k]];
        f->cell[f->count] = i;
    }
}

static sp_status stl_write_collect(facets *f) {
    const sp_cells *cells = f->cells;
    int64_t count = 0, left_out = 0;
    int widest = 3, *places, *memory;
    for (int i = 0; i < cells->cell_count; i++) {
        if (!is_face(cells, i)) {
            left_out++;
            continue;
        }
        count += corners_of(cells, i) - 2;
        if (corners_of(cells, i) > widest) widest = corners_of(cells, i);
    }
    if (!count && left_out)
        return SP_FAIL(cells->ctx, SP_BAD_INPUT, "%s: an STL file holds triangles only, and there are none: write the boundary",
                       cells->file);
    if (count > INT_MAX / 3) return SP_FAIL(cells->ctx, SP_BAD_INPUT, "%s: too many triangles for an STL file", cells->file);
    if (left_out)
        sp__log(cells->ctx, SP_LOG_WARNING, "%s: %lld cells that are no faces are not written", cells->file, (long long)left_out);
    if (!SP_KEEP(&f->keep, f->nodes, 3 * count) || !SP_KEEP(&f->keep, f->cell, count) ||
        !SP_KEEP(&f->keep, places, 3 * (size_t)widest) || !SP_KEEP(&f->keep, memory, widest))
        return sp__cells_no_memory(cells);
    for (int i = 0; i < cells->cell_count; i++)
        if (is_face(cells, i)) cut_face(f, i, places, memory);
    return SP_OK;
}

// positions of the corners and the unit normal; a degenerate facet gets a zero normal, as is usual
static void facet_at(const facets *f, int t, double normal[3], const double *corner[3]) {
    double a[3], b[3];
    for (int k = 0; k < 3; k++) corner[k] = f->cells->x + 3 * (size_t)f->nodes[3 * (size_t)t + (size_t)k];
    for (int k = 0; k < 3; k++) a[k] = corner[1][k] - corner[0][k], b[k] = corner[2][k] - corner[0][k];
    for (int k = 0; k < 3; k++) normal[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    for (int k = 0; k < 3; k++) normal[k] = length > 0 && isfinite(length) ? normal[k] / length : 0;
}

// ------------------------------------------------------------------------------------------------ binary

static const sp_cells_array *attribute_of(const sp_cells *cells) {
    for (int i = 0; i < cells->array_count; i++) {
        const sp_cells_array *a = &cells->arrays[i];
        if (a->on_cells && a->components == 1 && strcmp(a->name, SP_STL_ATTRIBUTE) == 0) return a;
    }
    return NULL;
}

static void write_binary(const facets *f, FILE *file) {
    char header[SP_STL_HEADER] = "binary STL, written by souple";  // must not begin with "solid"
    unsigned char bytes[SP_STL_FACET];
    double numbers[12], word = f->count;
    const double *corner[3];
    const sp_cells_array *attribute = attribute_of(f->cells);
    fwrite(header, 1, sizeof header, file);
    sp__numbers_put(&word, 1, SP_UINT32, SP_HOST_BIG, bytes);
    fwrite(bytes, 1, 4, file);
    for (int t = 0; t < f->count; t++) {
        facet_at(f, t, numbers, corner);
        for (int k = 0; k < 9; k++) numbers[3 + k] = corner[k / 3][k % 3];
        sp__numbers_put(numbers, 12, SP_FLOAT32, SP_HOST_BIG, bytes);
        word = attribute ? attribute->values[f->cell[t]] : 0;
        if (!(word >= 0 && word <= UINT16_MAX)) word = 0;
        sp__numbers_put(&word, 1, SP_UINT16, SP_HOST_BIG, bytes + 48);
        fwrite(bytes, 1, sizeof bytes, file);
    }
}

// the file stores floats: larger values cannot be written
static sp_status check_range(const facets *f) {
    for (size_t i = 0; i < 3 * (size_t)f->cells->node_count; i++)
        if (!(fabs(f->cells->x[i]) <= 3.4028234663852886e38))
            return SP_FAIL(f->cells->ctx, SP_BAD_INPUT, "%s: a coordinate of %g, must be within the range of a float",
                           f->cells->file, f->cells->x[i]);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ text

static void write_facet(const facets *f, int t, FILE *file) {
    double normal[3];
    const double *corner[3];
    facet_at(f, t, normal, corner);
    fputs("facet normal ", file);
    for (int k = 0; k < 3; k++) sp__words_put(file, normal[k], k < 2 ? ' ' : '\n');
    fputs(" outer loop\n", file);
    for (int i = 0; i < 3; i++) {
        fputs("  vertex ", file);
        for (int k = 0; k < 3; k++) sp__words_put(file, corner[i][k], k < 2 ? ' ' : '\n');
    }
    fputs(" endloop\nendfacet\n", file);
}

static int first_group(const sp_members *members, int cell) {
    return members->start[cell] < members->start[cell + 1] ? members->groups[members->start[cell]] : -1;
}

// sorts the facets by their first group, those without a group first: begin[g + 1] .. begin[g + 2] - 1 belong to group g
static bool by_group(facets *f, int **order, int **begin) {
    sp_members members;
    int groups = f->cells->group_count;
    if (!sp__members(f->cells, true, &f->keep, &members) || !SP_KEEP(&f->keep, *order, f->count) ||
        !SP_KEEP(&f->keep, *begin, groups + 3))
        return false;
    for (int t = 0; t < f->count; t++) (*begin)[first_group(&members, f->cell[t]) + 3]++;
    for (int g = 0; g <= groups; g++) (*begin)[g + 2] += (*begin)[g + 1];
    for (int t = 0; t < f->count; t++) (*order)[(*begin)[first_group(&members, f->cell[t]) + 2]++] = t;
    return true;
}

static sp_status write_text(facets *f, FILE *file) {
    int *order, *begin;
    if (!f->cells->group_count || !f->count) {
        fputs("solid souple\n", file);
        for (int t = 0; t < f->count; t++) write_facet(f, t, file);
        fputs("endsolid souple\n", file);
        return SP_OK;
    }
    if (!by_group(f, &order, &begin)) return sp__cells_no_memory(f->cells);
    for (int g = -1; g < f->cells->group_count; g++) {
        const char *name = g < 0 ? "" : f->cells->groups[g].name;
        if (begin[g + 1] == begin[g + 2]) continue;
        fprintf(file, "solid %s\n", name);
        for (int i = begin[g + 1]; i < begin[g + 2]; i++) write_facet(f, order[i], file);
        fprintf(file, "endsolid %s\n", name);
    }
    return SP_OK;
}

sp_status sp__stl_write(const sp_cells *cells, const char *path, const sp_mesh_write_options *options) {
    facets f = {.cells = cells, .keep = {cells->ctx, NULL}};
    bool text = options->encoding == SP_ENCODING_ASCII;
    sp_new_file file;
    sp_status status = stl_write_collect(&f);
    if (status >= 0 && !text) status = check_range(&f);
    if (status >= 0) status = sp__new_file_open(cells->ctx, path, &file);
    if (status >= 0) {
        if (text)
            status = write_text(&f, file.stream);
        else
            write_binary(&f, file.stream);
        status = sp__worst(status, sp__new_file_close(&file, status >= 0));
    }
    sp__keep_free(&f.keep);
    return status;
}
