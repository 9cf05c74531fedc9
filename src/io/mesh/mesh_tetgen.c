// Reader of TetGen files. Any of the three file names may be given; the other two are read if they exist.
#include "io/mesh/mesh_tetgen.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

typedef struct comment {  // name of a group or attribute from a comment
    bool of_group;
    int64_t number;
    const char *name;
} comment;

typedef struct tetgen {
    sp_cells *cells;
    sp_keep *keep;
    sp_words words;
    const char *given, *given_text;  // the file that was given is already in memory
    size_t given_size;
    int64_t base;  // 0 or 1
    int corners;   // nodes per tetrahedron
    comment *comments;
    size_t comment_count, comment_capacity;
    size_t array_capacity, group_capacity, cell_capacity, corner_capacity;
    int64_t *marks;  // markers of the items of one file
} tetgen;

static sp_status no_memory(tetgen *r) {
    return sp__cells_no_memory(r->cells);
}

char *sp__tetgen_beside(sp_keep *keep, const char *path, const char *suffix) {
    size_t n = strlen(path), stem = n;
    while (stem > 0 && path[stem - 1] != '.' && path[stem - 1] != '/') stem--;
    stem = stem > 0 && path[stem - 1] == '.' ? stem - 1 : n;
    char *out = sp__keep_alloc(keep, stem + strlen(suffix) + 1, 1);
    if (!out) return NULL;
    memcpy(out, path, stem);
    memcpy(out + stem, suffix, strlen(suffix));
    return out;
}

// ------------------------------------------------------------------------------------------------ lines

// `# group 3 "liver"`; other comments are ignored
static sp_status take_comment(tetgen *r) {
    char text[300], name[256];
    long long number;
    sp__words_rest(&r->words, text, sizeof text);
    comment found = {.of_group = strncmp(text, "# group ", 8) == 0};
    if (sscanf(text, found.of_group ? "# group %lld \"%255[^\"]\"" : "# attribute %lld \"%255[^\"]\"", &number, name) != 2)
        return SP_OK;
    found.number = number;
    found.name = sp__keep_text(r->keep, name);
    if (!found.name || !SP_KEEP_MORE(r->keep, r->comments, r->comment_count, &r->comment_capacity)) return no_memory(r);
    r->comments[r->comment_count++] = found;
    return SP_OK;
}

// moves to the next line with data
static sp_status next_line(tetgen *r) {
    for (;;) {
        sp__words_space(&r->words);
        if (r->words.at >= r->words.end || *r->words.at != '#') return SP_OK;
        SP_TRY(take_comment(r));
    }
}

// requires another column on this line
static sp_status tetgen_column(tetgen *r, const char *what) {
    if (sp__words_blank(&r->words) && *r->words.at != '#') return SP_OK;
    return SP_WORDS_FAIL(&r->words, "%s: the line ends before it", what);
}

static sp_status integer(tetgen *r, const char *what, int64_t low, int64_t high, int64_t *out) {
    SP_TRY(tetgen_column(r, what));
    return sp__words_integer(&r->words, what, low, high, out);
}

static sp_status number(tetgen *r, const char *what, double *out) {
    SP_TRY(tetgen_column(r, what));
    return sp__words_number(&r->words, what, out);
}

// a column that old files omit
static sp_status optional(tetgen *r, const char *what, int64_t low, int64_t high, int64_t *out) {
    *out = 0;
    bool there = sp__words_blank(&r->words) && *r->words.at != '#';
    return there ? sp__words_integer(&r->words, what, low, high, out) : SP_OK;
}

// skips unknown columns and the comment at the end of a line
static void line_done(tetgen *r) {
    const char *newline = memchr(r->words.at, '\n', (size_t)(r->words.end - r->words.at));
    r->words.at = newline ? newline : r->words.end;
}

static sp_status read_count(tetgen *r, const char *what, int bytes, int *out) {
    int64_t value, most = (r->words.end - r->words.at) / bytes + 1;
    SP_TRY(next_line(r));
    SP_TRY(integer(r, what, 0, INT64_MAX, &value));
    if (value > most || value > INT_MAX / 12)
        return SP_WORDS_FAIL(&r->words, "%s = %lld, but the rest of the file has room for %lld at most", what, (long long)value,
                             (long long)most);
    *out = (int)value;
    return SP_OK;
}

// reads the number at the beginning of a line
static sp_status read_index(tetgen *r, const char *what, int i) {
    int64_t index;
    SP_TRY(next_line(r));
    SP_TRY(integer(r, what, 0, INT64_MAX, &index));
    if (index != r->base + i)
        return SP_WORDS_FAIL(&r->words, "%s = %lld, must be %lld", what, (long long)index, (long long)(r->base + i));
    return SP_OK;
}

static sp_status all_read(tetgen *r, const char *what, int count) {
    char seen[32];
    SP_TRY(next_line(r));
    if (r->words.at >= r->words.end) return SP_OK;
    return SP_WORDS_FAIL(&r->words, "%d %s announced, but more follows: %s", count, what, sp__words_shown(&r->words, seen));
}

// ------------------------------------------------------------------------------------------------ groups and arrays

static const char *commented(const tetgen *r, bool of_group, int64_t number) {
    for (size_t i = 0; i < r->comment_count; i++)
        if (r->comments[i].of_group == of_group && r->comments[i].number == number) return r->comments[i].name;
    return NULL;
}

static int by_mark(const void *a, const void *b) {
    const int64_t *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

static sp_status add_group(tetgen *r, const int64_t *pairs, int count, int dimension) {
    sp_cells *c = r->cells;
    char text[40];
    const char *kind = dimension == 3 ? "" : dimension == 2 ? "face:" : "point:", *name = commented(r, true, pairs[0]);
    snprintf(text, sizeof text, "%s%lld", kind, (long long)pairs[0]);
    if (!name) name = sp__keep_text(r->keep, text);
    if (!name || !SP_KEEP_MORE(r->keep, c->groups, c->group_count, &r->group_capacity)) return no_memory(r);
    int *list;
    if (!SP_KEEP(r->keep, list, count)) return no_memory(r);
    for (int i = 0; i < count; i++) list[i] = (int)pairs[2 * (size_t)i + 1];
    sp_cells_group *group = &c->groups[c->group_count++];
    // face and point markers have no number here, so that they do not merge with regions of the same number
    *group = (sp_cells_group){.name = name, .dimension = dimension, .number = dimension == 3 ? pairs[0] : 0};
    if (dimension < 0)
        group->nodes = list, group->node_count = count;
    else
        group->cells = list, group->cell_count = count;
    return SP_OK;
}

// makes a group per nonzero marker of the items first .. first + count - 1
static sp_status group_by_marks(tetgen *r, int first, int count, int dimension) {
    int64_t *pairs;
    int n = 0;
    if (!SP_KEEP(r->keep, pairs, 2 * (size_t)count)) return no_memory(r);
    for (int i = 0; i < count; i++)
        if (r->marks[i]) pairs[2 * (size_t)n] = r->marks[i], pairs[2 * (size_t)n++ + 1] = first + i;
    if (n) qsort(pairs, (size_t)n, 2 * sizeof *pairs, by_mark);
    for (int i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && pairs[2 * (size_t)end] == pairs[2 * (size_t)i];) end++;
        SP_TRY(add_group(r, pairs + 2 * (size_t)i, end - i, dimension));
    }
    return SP_OK;
}

// allocates one array per attribute; the first `skip` attributes have another meaning
static sp_status attribute_capacity(tetgen *r, int count, int skip, bool on_cells, int items) {
    sp_cells *c = r->cells;
    for (int k = skip; k < count; k++) {
        char text[32];
        double *values;
        const char *name = commented(r, false, k + 1);
        snprintf(text, sizeof text, "attribute%d", k + 1);
        if (!name) name = sp__keep_text(r->keep, text);
        if (!name || !SP_KEEP_MORE(r->keep, c->arrays, c->array_count, &r->array_capacity) || !SP_KEEP(r->keep, values, items))
            return no_memory(r);
        c->arrays[c->array_count++] = (sp_cells_array){name, 1, on_cells, false, values};
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ points

static sp_status read_point(tetgen *r, int i, int attributes, bool marked, sp_cells_array *arrays) {
    if (i == 0) {
        SP_TRY(next_line(r));
        SP_TRY(integer(r, "number of the first point", 0, 1, &r->base));
    } else {
        SP_TRY(read_index(r, "number of a point", i));
    }
    for (size_t k = 0; k < 3; k++) SP_TRY(number(r, "coordinate", &r->cells->x[3 * (size_t)i + k]));
    for (int k = 0; k < attributes; k++) SP_TRY(number(r, "attribute of a point", &arrays[k].values[i]));
    if (marked) SP_TRY(optional(r, "marker of a point", INT_MIN, INT_MAX, &r->marks[i]));
    line_done(r);
    return SP_OK;
}

static sp_status number_nodes(tetgen *r) {
    sp_cells *c = r->cells;
    if (!r->base) return SP_OK;
    if (!SP_KEEP(r->keep, c->node_ids, c->node_count)) return no_memory(r);
    for (int i = 0; i < c->node_count; i++) c->node_ids[i] = r->base + i;
    return SP_OK;
}

static sp_status read_points(tetgen *r) {
    sp_cells *c = r->cells;
    int count;
    int64_t dimension, attributes, marked;
    SP_TRY(read_count(r, "count of points", 7, &count));
    SP_TRY(integer(r, "dimension", 3, 3, &dimension));
    SP_TRY(optional(r, "count of attributes", 0, SP_TETGEN_ATTRIBUTES_MAX, &attributes));
    SP_TRY(optional(r, "count of markers", 0, 1, &marked));
    line_done(r);
    SP_TRY(next_line(r));
    if (!sp__cells_reserve_nodes(c, count) || !SP_KEEP(r->keep, r->marks, count)) return no_memory(r);
    if ((r->words.end - r->words.at) / (2 * attributes + 7) + 1 < count)
        return SP_WORDS_FAIL(&r->words, "%d points with %d attributes announced, the file is too short", count, (int)attributes);
    SP_TRY(attribute_capacity(r, (int)attributes, 0, false, count));
    for (int i = 0; i < count; i++) SP_TRY(read_point(r, i, (int)attributes, marked, c->arrays));
    SP_TRY(all_read(r, "points", count));
    SP_TRY(number_nodes(r));
    return marked ? group_by_marks(r, 0, count, -1) : SP_OK;
}

// ------------------------------------------------------------------------------------------------ cells

static sp_status more_cells(tetgen *r, int count, int corners) {
    sp_cells *c = r->cells;
    size_t cells = (size_t)c->cell_count + (size_t)count, have = c->start ? (size_t)c->start[c->cell_count] : 0;
    void *type = sp__keep_grow(r->keep, c->type, (size_t)c->cell_count, cells, sizeof *c->type);
    if (type) c->type = type;
    void *start = sp__keep_grow(r->keep, c->start, c->start ? (size_t)c->cell_count + 1 : 0, cells + 1, sizeof *c->start);
    if (start) c->start = start;
    void *nodes = sp__keep_grow(r->keep, c->nodes, have, have + (size_t)count * (size_t)corners, sizeof *c->nodes);
    if (nodes) c->nodes = nodes;
    if (!type || !start || !nodes || !SP_KEEP(r->keep, r->marks, count)) return no_memory(r);
    return SP_OK;
}

static sp_status read_corners(tetgen *r, int type, int corners) {
    sp_cells *c = r->cells;
    int64_t node, start = c->start[c->cell_count];
    for (int k = 0; k < corners; k++) {
        SP_TRY(integer(r, "node of an element", INT64_MIN, INT64_MAX, &node));
        if (node < r->base || node - r->base >= c->node_count)
            return SP_WORDS_FAIL(&r->words, "node %lld, must be in [%lld, %lld]", (long long)node, (long long)r->base,
                                 (long long)(r->base + c->node_count - 1));
        c->nodes[start + (type == SP_CELL_TET10 ? sp__tetgen_place[k] : k)] = (int)(node - r->base);
    }
    c->type[c->cell_count] = (unsigned char)type;
    c->start[++c->cell_count] = start + corners;
    return SP_OK;
}

// the first attribute of tetrahedra is their region; if not all values are integers, it becomes an array
static sp_status regions(tetgen *r, const double *first, int count) {
    bool whole = true;
    for (int i = 0; i < count && whole; i++) whole = fabs(first[i]) <= INT_MAX && first[i] == floor(first[i]);
    if (whole) {
        for (int i = 0; i < count; i++) r->marks[i] = (int64_t)first[i];
        return group_by_marks(r, 0, count, 3);
    }
    SP_TRY(attribute_capacity(r, 1, 0, true, count));
    memcpy(r->cells->arrays[r->cells->array_count - 1].values, first, (size_t)count * sizeof *first);
    return SP_OK;
}

static sp_status read_tet(tetgen *r, int i, int attributes, double *first, sp_cells_array *arrays) {
    SP_TRY(read_index(r, "number of a tetrahedron", i));
    SP_TRY(read_corners(r, r->corners == 10 ? SP_CELL_TET10 : SP_CELL_TET, r->corners));
    for (int k = 0; k < attributes; k++)
        SP_TRY(number(r, "attribute of a tetrahedron", k ? &arrays[k - 1].values[i] : &first[i]));
    line_done(r);
    return SP_OK;
}

static sp_status read_tets(tetgen *r) {
    sp_cells *c = r->cells;
    int count;
    int64_t corners, attributes;
    double *first;
    SP_TRY(read_count(r, "count of tetrahedra", 9, &count));
    SP_TRY(integer(r, "nodes of a tetrahedron", 4, 10, &corners));
    if (corners != 4 && corners != 10)
        return SP_WORDS_FAIL(&r->words, "nodes of a tetrahedron = %d, must be 4 or 10", (int)corners);
    SP_TRY(optional(r, "count of attributes", 0, SP_TETGEN_ATTRIBUTES_MAX, &attributes));
    line_done(r);
    SP_TRY(next_line(r));
    r->corners = (int)corners;
    if ((r->words.end - r->words.at) / (2 * (attributes + corners) + 1) + 1 < count)
        return SP_WORDS_FAIL(&r->words, "%d tetrahedra with %d attributes announced, the file is too short", count,
                             (int)attributes);
    SP_TRY(more_cells(r, count, (int)corners));
    if (!SP_KEEP(r->keep, first, count)) return no_memory(r);
    int before = c->array_count;
    SP_TRY(attribute_capacity(r, (int)attributes, 1, true, count));
    sp_cells_array *arrays = c->arrays ? c->arrays + before : NULL;
    for (int i = 0; i < count; i++) SP_TRY(read_tet(r, i, (int)attributes, first, arrays));
    SP_TRY(all_read(r, "tetrahedra", count));
    return attributes ? regions(r, first, count) : SP_OK;
}

static sp_status read_face(tetgen *r, int i, bool marked) {
    bool middle = r->corners == 10;
    SP_TRY(read_index(r, "number of a face", i));
    SP_TRY(read_corners(r, middle ? SP_CELL_TRIANGLE6 : SP_CELL_TRIANGLE, middle ? 6 : 3));
    if (marked) SP_TRY(optional(r, "marker of a face", INT_MIN, INT_MAX, &r->marks[i]));
    line_done(r);
    return SP_OK;
}

static sp_status read_faces(tetgen *r) {
    int count, first = r->cells->cell_count;
    int64_t marked;
    SP_TRY(read_count(r, "count of faces", 7, &count));
    SP_TRY(optional(r, "count of markers", 0, 1, &marked));
    line_done(r);
    SP_TRY(more_cells(r, count, r->corners == 10 ? 6 : 3));
    for (int i = 0; i < count; i++) SP_TRY(read_face(r, i, marked));
    SP_TRY(all_read(r, "faces", count));
    return marked ? group_by_marks(r, first, count, 2) : SP_OK;
}

// extends arrays of tetrahedra over the faces that follow them, with NaN
static sp_status widen_arrays(tetgen *r, int tets) {
    sp_cells *c = r->cells;
    for (int a = 0; a < c->array_count && c->cell_count > tets; a++) {
        if (!c->arrays[a].on_cells) continue;
        double *more = sp__keep_grow(r->keep, c->arrays[a].values, (size_t)tets, (size_t)c->cell_count, sizeof *more);
        if (!more) return no_memory(r);
        for (int i = tets; i < c->cell_count; i++) more[i] = NAN;
        c->arrays[a].values = more;
    }
    return SP_OK;
}

// tetrahedra and faces are numbered separately, as in the files
static sp_status number_cells(tetgen *r, int tets) {
    sp_cells *c = r->cells;
    if (!r->base) return SP_OK;
    if (!SP_KEEP(r->keep, c->cell_ids, c->cell_count)) return no_memory(r);
    for (int i = 0; i < c->cell_count; i++) c->cell_ids[i] = r->base + (i < tets ? i : i - tets);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ files

static bool same_end(const char *path, const char *suffix) {
    size_t n = strlen(path), m = strlen(suffix);
    return n >= m && strcasecmp(path + n - m, suffix) == 0;
}

// reads one of the three files, from memory if it is the given one; an optional file may be missing
static sp_status read_one(tetgen *r, const char *suffix, bool needed, sp_status (*read)(tetgen *r)) {
    char *text = NULL, *path = sp__tetgen_beside(r->keep, r->given, suffix);
    size_t size;
    sp_status status;
    if (!path) return no_memory(r);
    bool here = same_end(r->given, suffix);
    if (!here && !needed && access(path, F_OK) != 0) return SP_OK;
    if (!here) SP_TRY(sp__text_read(r->cells->ctx, path, 0, &text, &size));
    r->cells->file = path;
    r->words = here ? sp__words(r->cells, r->given_text, r->given_size) : sp__words(r->cells, text, size);
    r->comment_count = 0;
    status = read(r);
    sp__free(r->cells->ctx, text);
    if (status >= 0) r->cells->file = r->given;
    return status;
}

static sp_status read_tetgen(sp_cells *cells, const char *text, size_t size, const char *path) {
    tetgen r = {.cells = cells, .keep = &cells->keep, .given = path, .given_text = text, .given_size = size, .corners = 4};
    SP_TRY(read_one(&r, ".node", true, read_points));
    SP_TRY(read_one(&r, ".ele", same_end(path, ".ele"), read_tets));
    int tets = cells->cell_count;
    SP_TRY(read_one(&r, ".face", same_end(path, ".face"), read_faces));
    SP_TRY(widen_arrays(&r, tets));
    SP_TRY(number_cells(&r, tets));
    return cells->start || sp__cells_reserve(cells, 0, 0) ? SP_OK : no_memory(&r);
}

const sp_mesh_format sp__format_tetgen = {"tetgen", ".node .ele .face", "TetGen", NULL, read_tetgen, sp__tetgen_write};
