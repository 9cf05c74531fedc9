// STL: unconnected triangles, as text (several solids, one group each) or binary (floats). The format has no topology: corners
// with exactly equal positions are merged into one vertex by hashing. Facet normals are not kept, since the corners define them.
//
// The file size decides between text and binary: a binary file has 84 + 50 n bytes with the n of its header. Many binary files
// begin with "solid" like the text files.
#include <limits.h>
#include <stdio.h>
#include <strings.h>

#include "io/mesh/cells.h"
#include "io/mesh/mesh_tokens.h"

#define SP_STL_ATTRIBUTE "attribute"                                // name of the array of the two bytes after each binary facet
enum { SP_STL_HEADER = 80, SP_STL_START = 84, SP_STL_FACET = 50 };  // bytes of a binary file

// ======================================================================================================== reader

// ------------------------------------------------------------------------------------------------ vertices

// Hash table with open addressing over the bits of positions; -0 equals 0.
typedef struct weld {
    double *x;  // merged vertices so far
    int count;
    int *slots;  // vertex + 1
    size_t mask;
} weld;

static bool weld_begin(weld *w, sp_context *ctx, sp_keep *keep, size_t corners) {
    size_t size = 64;
    while (size < 2 * corners) size *= 2;
    w->mask = size - 1;
    w->slots = sp__alloc(ctx, size, sizeof *w->slots);
    return w->slots && SP_KEEP(keep, w->x, 3 * corners);
}

static int weld_vertex(weld *w, const double p[3]) {
    uint64_t hash = 0, bits;
    for (int k = 0; k < 3; k++) {
        double value = p[k] + 0.0;  // -0 + 0 is 0
        memcpy(&bits, &value, sizeof bits);
        hash = sp__mix(hash ^ bits, (uint64_t)k);
    }
    for (size_t at = (size_t)hash & w->mask;; at = (at + 1) & w->mask) {
        int v = w->slots[at] - 1;
        if (v < 0) {
            w->slots[at] = w->count + 1;
            memcpy(w->x + 3 * (size_t)w->count, p, 3 * sizeof *p);
            return w->count++;
        }
        const double *q = w->x + 3 * (size_t)v;
        if (q[0] == p[0] && q[1] == p[1] && q[2] == p[2]) return v;
    }
}

// allocates n triangles; the caller frees w->slots
static bool triangles_capacity(sp_cells *cells, weld *w, int n) {
    if (!sp__cells_reserve(cells, n, 3 * (int64_t)n)) return false;
    memset(cells->type, SP_CELL_TRIANGLE, (size_t)n);
    for (int i = 0; i <= n; i++) cells->start[i] = 3 * (int64_t)i;
    return weld_begin(w, cells->ctx, &cells->keep, 3 * (size_t)n);
}

// ------------------------------------------------------------------------------------------------ binary

static sp_status add_attribute(sp_cells *cells, const unsigned char *bytes, bool swap) {
    if (!SP_KEEP(&cells->keep, cells->arrays, 1)) return sp__cells_no_memory(cells);
    sp_cells_array *a = cells->arrays;
    *a = (sp_cells_array){.name = SP_STL_ATTRIBUTE, .components = 1, .on_cells = true, .integral = true};
    if (!SP_KEEP(&cells->keep, a->values, cells->cell_count)) return sp__cells_no_memory(cells);
    sp__numbers_get(bytes + SP_STL_START + 48, SP_UINT16, swap, (size_t)cells->cell_count, SP_STL_FACET, a->values, 1);
    cells->array_count = 1;
    return SP_OK;
}

static uint32_t facet_count(const unsigned char *bytes) {
    return bytes[80] | (uint32_t)bytes[81] << 8 | (uint32_t)bytes[82] << 16 | (uint32_t)bytes[83] << 24;
}

static sp_status read_facets(sp_cells *cells, const unsigned char *bytes, weld *w) {
    bool swap = SP_HOST_BIG, marked = false;
    for (int i = 0; i < cells->cell_count; i++) {
        size_t at = SP_STL_START + SP_STL_FACET * (size_t)i;
        double p[9];
        sp__numbers_get(bytes + at + 12, SP_FLOAT32, swap, 9, 4, p, 1);
        for (int k = 0; k < 9; k++)
            if (!isfinite(p[k]))
                return SP_CELLS_FAIL(cells, 0, (int64_t)at + 12 + 4 * k, "a coordinate of facet %d is %g, must be finite", i,
                                     p[k]);
        for (int k = 0; k < 3; k++) cells->nodes[3 * (size_t)i + (size_t)k] = weld_vertex(w, p + 3 * k);
        marked = marked || bytes[at + 48] || bytes[at + 49];
    }
    return marked ? add_attribute(cells, bytes, swap) : SP_OK;
}

static sp_status read_binary(sp_cells *cells, const char *text, size_t size) {
    const unsigned char *bytes = (const unsigned char *)text;
    if (size < SP_STL_START)
        return SP_CELLS_FAIL(cells, 0, (int64_t)size, "the file ends here; a binary STL file has 84 bytes at least");
    uint64_t n = facet_count(bytes), need = SP_STL_START + SP_STL_FACET * n;
    if (need != size || n > INT_MAX / 3)
        return SP_CELLS_FAIL(cells, 0, 80, "%llu facets announced, which are %llu bytes in all, but the file has %zu",
                             (unsigned long long)n, (unsigned long long)need, size);
    weld w = {0};
    sp_status status = triangles_capacity(cells, &w, (int)n) ? read_facets(cells, bytes, &w) : sp__cells_no_memory(cells);
    cells->x = w.x;
    cells->node_count = w.count;
    sp__free(cells->ctx, w.slots);
    return status;
}

// ------------------------------------------------------------------------------------------------ text

static sp_status need_word(sp_words *w, const char *word) {
    char seen[32];
    if (sp__words_take(w, word)) return SP_OK;
    return SP_WORDS_FAIL(w, "'%s' is needed here, seen %s", word, sp__words_shown(w, seen));
}

static sp_status read_facet(sp_words *w, weld *vertices, int nodes[3]) {
    double p[3];
    SP_TRY(need_word(w, "normal"));
    for (int k = 0; k < 3; k++) SP_TRY(sp__words_any_number(w, "normal of a facet", &p[k]));
    SP_TRY(need_word(w, "outer"));
    SP_TRY(need_word(w, "loop"));
    for (int i = 0; i < 3; i++) {
        SP_TRY(need_word(w, "vertex"));
        for (int k = 0; k < 3; k++) SP_TRY(sp__words_number(w, "coordinate", &p[k]));
        nodes[i] = weld_vertex(vertices, p);
    }
    SP_TRY(need_word(w, "endloop"));
    return need_word(w, "endfacet");
}

// upper bound of the facets: each one has the word "vertex" three times, the last one may be truncated; names of solids can only
// increase the count
static int count_facets(const char *text, size_t size) {
    size_t count = 0;
    for (const char *p = text, *end = text + size; end - p >= 6; p++)
        if ((*p | 32) == 'v' && strncasecmp(p, "vertex", 6) == 0) count++, p += 5;
    return count / 3 >= INT_MAX / 3 ? INT_MAX / 3 : (int)(count / 3) + 1;
}

typedef struct solids {
    int count, named, group_capacity;
    char name[256];
    int first;  // first facet of the current solid
} solids;

// makes a group of the facets [first, cell_count)
static sp_status add_solid(sp_cells *cells, solids *s) {
    int n = cells->cell_count - s->first;
    s->count++;
    s->named += s->name[0] != 0;
    if (!n) return SP_OK;
    const char *name = sp__keep_text(&cells->keep, s->name);
    sp_cells_group *group = name ? sp__members_add(cells, &s->group_capacity, name, 2, 0) : NULL;
    if (!group || !SP_KEEP(&cells->keep, group->cells, n)) return sp__cells_no_memory(cells);
    for (int i = 0; i < n; i++) group->cells[i] = s->first + i;
    group->cell_count = n;
    s->first = cells->cell_count;
    return SP_OK;
}

static sp_status read_solid(sp_words *w, weld *vertices, int facet_capacity, solids *s) {
    sp_cells *cells = w->cells;
    int line = w->line;
    char seen[32];
    sp__words_rest(w, s->name, sizeof s->name);
    while (sp__words_take(w, "facet")) {
        if (cells->cell_count >= facet_capacity) return SP_WORDS_FAIL(w, "more than %d facets", facet_capacity);
        SP_TRY(read_facet(w, vertices, cells->nodes + 3 * (size_t)cells->cell_count));
        cells->cell_count++;
    }
    if (!sp__words_take(w, "endsolid")) {
        sp__words_space(w);
        if (w->at < w->end) return SP_WORDS_FAIL(w, "'facet' or 'endsolid' is needed here, seen %s", sp__words_shown(w, seen));
        return SP_WORDS_FAIL(w, "the solid that begins in line %d is never closed", line);
    }
    sp__words_skip_line(w);
    return add_solid(cells, s);
}

// a single solid makes no group; unnamed solids are named by their numbers if no solid has a name
static sp_status judge_groups(sp_cells *cells, const solids *s) {
    int kept = 0;
    for (int g = 0; s->count > 1 && g < cells->group_count; g++) {
        sp_cells_group *group = &cells->groups[g];
        char number[16];
        if (!group->name[0]) {
            if (s->named) continue;
            snprintf(number, sizeof number, "%d", g + 1);
            if (!(group->name = sp__keep_text(&cells->keep, number))) return sp__cells_no_memory(cells);
        }
        cells->groups[kept++] = *group;
    }
    cells->group_count = kept;
    return SP_OK;
}

static sp_status read_solids(sp_words *w, weld *vertices, int facet_capacity) {
    solids s = {0};
    char seen[32];
    while (sp__words_take(w, "solid")) SP_TRY(read_solid(w, vertices, facet_capacity, &s));
    sp__words_space(w);
    if (w->at < w->end) return SP_WORDS_FAIL(w, "'solid' is needed here, seen %s", sp__words_shown(w, seen));
    return judge_groups(w->cells, &s);
}

static sp_status read_text(sp_cells *cells, const char *text, size_t size) {
    sp_words words = sp__words(cells, text, size);
    weld w = {0};
    int facets = count_facets(text, size);
    sp_status status = sp__cells_no_memory(cells);
    if (triangles_capacity(cells, &w, facets)) {
        cells->cell_count = 0;
        status = read_solids(&words, &w, facets);
    }
    cells->x = w.x;
    cells->node_count = w.count;
    sp__free(cells->ctx, w.slots);
    return status;
}

// ======================================================================================================== writer

// Writer of STL files: binary, or text with one solid per group. Quadrilaterals and polygons are triangulated.

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

static sp_status stl_write(const sp_cells *cells, const char *path, const sp_mesh_write_options *options) {
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

// ======================================================================================================== format

static bool starts_solid(const char *text, size_t size) {
    sp_words w = sp__words(NULL, text, size);
    return sp__words_peek(&w, "solid");
}

static sp_status stl_read(sp_cells *cells, const char *text, size_t size, const char *path) {
    (void)path;
    size_t head = size < 512 ? size : 512;
    bool fits = size >= SP_STL_START && SP_STL_START + SP_STL_FACET * (uint64_t)facet_count((const unsigned char *)text) == size;
    if (!fits && starts_solid(text, size) && !memchr(text, 0, head)) return read_text(cells, text, size);
    return read_binary(cells, text, size);
}

const sp_mesh_format sp__format_stl = {"stl", ".stl", "STL", starts_solid, stl_read, stl_write};
