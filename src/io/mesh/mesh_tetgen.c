// TetGen files: points, tetrahedra and faces in three text files with a common stem. Numbers begin at 0 or 1, as the first point
// has it.
//
// Regions (the first attribute of tetrahedra, if all values are integers) become groups named by their number; markers of faces
// and points become groups "face:N" and "point:N". Other data are stored in comments, which TetGen skips:
//   # group 3 "liver"         name of region or marker 3
//   # attribute 2 "E"         name of an attribute
// Format: TetGen manual, "File formats".
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include "io/mesh/mesh_tokens.h"

enum { SP_TETGEN_ATTRIBUTES_MAX = 64 };

// Position of the k-th node of TetGen's quadratic tetrahedron (edges 23 03 01 12 13 02) in ours (01 12 02 03 13 23).
static const int sp__tetgen_place[10] = {0, 1, 2, 3, 9, 7, 4, 5, 8, 6};

// ======================================================================================================== reader

// Reader of TetGen files. Any of the three file names may be given; the other two are read if they exist.

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

// The path with another suffix, one of ".node", ".ele", ".face", kept; NULL: no memory.
static char *tetgen_beside(sp_keep *keep, const char *path, const char *suffix) {
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
    if (!found.name || !SP_KEEP_MORE(r->keep, r->comments, r->comment_count, &r->comment_capacity))
        return sp__cells_no_memory(r->cells);
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
    if (!name || !SP_KEEP_MORE(r->keep, c->groups, c->group_count, &r->group_capacity)) return sp__cells_no_memory(r->cells);
    int *list;
    if (!SP_KEEP(r->keep, list, count)) return sp__cells_no_memory(r->cells);
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
    if (!SP_KEEP(r->keep, pairs, 2 * (size_t)count)) return sp__cells_no_memory(r->cells);
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
            return sp__cells_no_memory(r->cells);
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
    if (!SP_KEEP(r->keep, c->node_ids, c->node_count)) return sp__cells_no_memory(r->cells);
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
    if (!sp__cells_reserve_nodes(c, count) || !SP_KEEP(r->keep, r->marks, count)) return sp__cells_no_memory(r->cells);
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
    if (!type || !start || !nodes || !SP_KEEP(r->keep, r->marks, count)) return sp__cells_no_memory(r->cells);
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
    if (!SP_KEEP(r->keep, first, count)) return sp__cells_no_memory(r->cells);
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
        if (!more) return sp__cells_no_memory(r->cells);
        for (int i = tets; i < c->cell_count; i++) more[i] = NAN;
        c->arrays[a].values = more;
    }
    return SP_OK;
}

// tetrahedra and faces are numbered separately, as in the files
static sp_status number_cells(tetgen *r, int tets) {
    sp_cells *c = r->cells;
    if (!r->base) return SP_OK;
    if (!SP_KEEP(r->keep, c->cell_ids, c->cell_count)) return sp__cells_no_memory(r->cells);
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
    char *text = NULL, *path = tetgen_beside(r->keep, r->given, suffix);
    size_t size;
    sp_status status;
    if (!path) return sp__cells_no_memory(r->cells);
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
    return cells->start || sp__cells_reserve(cells, 0, 0) ? SP_OK : sp__cells_no_memory(r.cells);
}

// ======================================================================================================== writer

// Writer of TetGen files. It writes all three, so that no file of an older mesh remains. A cell has one region, a face or point
// one marker: of several groups the first one counts.

typedef struct mark_list {
    int *marks;         // per cell or node, 0: none
    const char **name;  // of mark m: name[m - 1]; NULL: other dimension
    int64_t *number;
    bool *used;
    int count;
} mark_list;

typedef struct column {  // an attribute: one component of an array
    const double *values;
    int stride;
    const char *name;
} column;

typedef struct columns {
    column at[SP_TETGEN_ATTRIBUTES_MAX];
    int count;
} columns;

typedef struct tetgen_out {
    const sp_cells *cells;
    sp_keep keep;
    int tets, faces, corners, overlaps, left_out;
    int64_t base;
    mark_list regions, markers, points;
    columns on_tets, on_nodes;
} tetgen_out;

// ------------------------------------------------------------------------------------------------ plan

// the number in "face:7" after its prefix, or in a plain "7"; 0: none
static int64_t said_number(const char *name, const char *prefix) {
    size_t n = strlen(prefix);
    int64_t number;
    if (strncmp(name, prefix, n) != 0) return 0;
    const char *end = sp__scan_int64(name + n, &number);
    return end && !*end && number != 0 && number >= INT_MIN && number <= INT_MAX ? number : 0;
}

static bool number_used(const mark_list *list, int but, int64_t number) {
    for (int i = 0; i < list->count; i++)
        if (i != but && list->number[i] == number) return true;
    return false;
}

// mark g + 1 for group g, and the number that is written for it
static sp_status list_groups(tetgen_out *p, int low, int high, const char *prefix, mark_list *list) {
    const sp_cells *c = p->cells;
    if (!SP_KEEP(&p->keep, list->name, c->group_count) || !SP_KEEP(&p->keep, list->number, c->group_count) ||
        !SP_KEEP(&p->keep, list->used, c->group_count))
        return sp__cells_no_memory(p->cells);
    list->count = c->group_count;
    for (int g = 0; g < c->group_count; g++) {
        const sp_cells_group *group = &c->groups[g];
        if (group->dimension < low || group->dimension > high) continue;
        int64_t number = group->number ? group->number : said_number(group->name, prefix);
        list->name[g] = group->name;
        if (number >= INT_MIN && number <= INT_MAX && !number_used(list, g, number)) list->number[g] = number;
    }
    for (int g = 0, next = 1; g < c->group_count; g++) {
        if (!list->name[g] || list->number[g]) continue;
        while (number_used(list, g, next)) next++;
        list->number[g] = next;
    }
    return SP_OK;
}

static sp_status count_cells(tetgen_out *p) {
    const sp_cells *c = p->cells;
    int straight = 0, bent = 0, points = 0;
    for (int i = 0; i < c->cell_count; i++) {
        int type = c->type[i];
        straight += type == SP_CELL_TET || type == SP_CELL_TRIANGLE;
        bent += type == SP_CELL_TET10 || type == SP_CELL_TRIANGLE6;
        p->tets += type == SP_CELL_TET || type == SP_CELL_TET10;
        p->faces += type == SP_CELL_TRIANGLE || type == SP_CELL_TRIANGLE6;
        points += type == SP_CELL_POINT;
        p->left_out += sp__cell_dimension(type) == 1;
        int other = i + 1 - straight - bent - points - p->left_out;
        if (other) return SP_FAIL(c->ctx, SP_BAD_INPUT, "cell %d: %s cannot be written to TetGen files", i, sp__cell_name(type));
    }
    if (straight && bent)
        return SP_FAIL(c->ctx, SP_BAD_INPUT, "straight and quadratic cells cannot be written to one set of TetGen files");
    p->corners = bent ? 10 : 4;
    return SP_OK;
}

static void mark(tetgen_out *p, mark_list *list, int at, int g) {
    if (list->marks[at])
        p->overlaps++;
    else
        list->marks[at] = g + 1, list->used[g] = true;
}

// a point cell of a group becomes a marked node
static sp_status mark_all(tetgen_out *p) {
    const sp_cells *c = p->cells;
    if (!SP_KEEP(&p->keep, p->regions.marks, c->cell_count) || !SP_KEEP(&p->keep, p->markers.marks, c->cell_count) ||
        !SP_KEEP(&p->keep, p->points.marks, c->node_count))
        return sp__cells_no_memory(p->cells);
    for (int g = 0; g < c->group_count; g++) {
        const sp_cells_group *group = &c->groups[g];
        for (int i = 0; i < group->cell_count; i++) {
            int cell = group->cells[i], d = sp__cell_dimension(c->type[cell]);
            if (d == 3) mark(p, &p->regions, cell, g);
            if (d == 2) mark(p, &p->markers, cell, g);
            if (d == 0) mark(p, &p->points, c->nodes[c->start[cell]], g);
        }
        for (int i = 0; i < group->node_count; i++) mark(p, &p->points, group->nodes[i], g);
    }
    return SP_OK;
}

static bool finite_on(const sp_cells *c, const sp_cells_array *a, int k) {
    for (int i = 0; i < (a->on_cells ? c->cell_count : c->node_count); i++)
        if (!isfinite(a->values[(size_t)i * (size_t)a->components + (size_t)k]) &&
            (!a->on_cells || sp__cell_dimension(c->type[i]) == 3))
            return false;
    return true;
}

// attributes that are not finite everywhere cannot be written
static sp_status list_columns(tetgen_out *p, bool on_cells, int capacity, columns *out) {
    const sp_cells *c = p->cells;
    for (int a = 0; a < c->array_count; a++)
        for (int k = 0; c->arrays[a].on_cells == on_cells && k < c->arrays[a].components; k++) {
            char name[300];
            if (out->count == capacity || !finite_on(c, &c->arrays[a], k)) {
                sp__log(c->ctx, SP_LOG_WARNING, "array '%.80s' left out: not finite everywhere, or too many", c->arrays[a].name);
                continue;
            }
            sp__cells_component_name(&c->arrays[a], k, name, sizeof name);
            column *to = &out->at[out->count++];
            *to = (column){c->arrays[a].values + k, c->arrays[a].components, sp__keep_text(&p->keep, name)};
            if (!to->name) return sp__cells_no_memory(p->cells);
        }
    return SP_OK;
}

static void find_base(tetgen_out *p) {
    const sp_cells *c = p->cells;
    p->base = c->node_ids && c->node_count && c->node_ids[0] == 1;
}

static sp_status tetgen_write_plan(tetgen_out *p) {
    const sp_cells *c = p->cells;
    SP_TRY(count_cells(p));
    find_base(p);
    SP_TRY(list_groups(p, 3, 3, "", &p->regions));
    SP_TRY(list_groups(p, 2, 2, "face:", &p->markers));
    SP_TRY(list_groups(p, -1, 3, "point:", &p->points));
    SP_TRY(mark_all(p));
    SP_TRY(list_columns(p, true, SP_TETGEN_ATTRIBUTES_MAX - 1, &p->on_tets));
    SP_TRY(list_columns(p, false, SP_TETGEN_ATTRIBUTES_MAX, &p->on_nodes));
    if (p->overlaps)
        sp__log(c->ctx, SP_LOG_WARNING, "%d cells or nodes are in several groups, of which TetGen files keep one", p->overlaps);
    if (p->left_out) sp__log(c->ctx, SP_LOG_WARNING, "%d lines left out, TetGen files have no place for them", p->left_out);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ text

static bool plain(const char *name) {
    return *name && !strpbrk(name, "\"\n\r") && strlen(name) < 250;
}

// writes the names that differ from their numbers; returns whether any group is in use
static bool put_groups(FILE *f, const mark_list *list, const char *prefix) {
    bool any = false;
    for (int g = 0; g < list->count; g++) {
        char text[48];
        if (!list->used[g]) continue;
        any = true;
        snprintf(text, sizeof text, "%s%lld", prefix, (long long)list->number[g]);
        if (strcmp(text, list->name[g]) != 0 && plain(list->name[g]))
            fprintf(f, "# group %lld \"%s\"\n", (long long)list->number[g], list->name[g]);
    }
    return any;
}

static void put_attributes(FILE *f, const columns *list, int before) {
    for (int k = 0; k < list->count; k++)
        if (plain(list->at[k].name)) fprintf(f, "# attribute %d \"%s\"\n", before + k + 1, list->at[k].name);
}

static void put_values(FILE *f, const columns *list, int i) {
    for (int k = 0; k < list->count; k++) sp__words_put(f, list->at[k].values[(size_t)i * (size_t)list->at[k].stride], ' ');
}

static int64_t number_of(const mark_list *list, int i) {
    return list->marks[i] ? list->number[list->marks[i] - 1] : 0;
}

static void write_points(const tetgen_out *p, FILE *f) {
    const sp_cells *c = p->cells;
    put_attributes(f, &p->on_nodes, 0);
    bool marked = put_groups(f, &p->points, "point:");
    fprintf(f, "%d 3 %d %d\n", c->node_count, p->on_nodes.count, marked);
    for (int i = 0; i < c->node_count; i++) {
        sp__words_put_integer(f, p->base + i, ' ');
        for (size_t k = 0; k < 3; k++) sp__words_put(f, c->x[3 * (size_t)i + k], ' ');
        put_values(f, &p->on_nodes, i);
        if (marked) sp__words_put_integer(f, number_of(&p->points, i), ' ');
        fputc('\n', f);
    }
}

static void write_tets(const tetgen_out *p, FILE *f) {
    const sp_cells *c = p->cells;
    bool regions = put_groups(f, &p->regions, "") || p->on_tets.count;
    put_attributes(f, &p->on_tets, 1);
    fprintf(f, "%d %d %d\n", p->tets, p->corners, (int)regions + p->on_tets.count);
    int64_t number = p->base;
    for (int i = 0; i < c->cell_count; i++) {
        if (sp__cell_dimension(c->type[i]) != 3) continue;
        sp__words_put_integer(f, number++, ' ');
        for (int k = 0; k < p->corners; k++)
            sp__words_put_integer(f, p->base + c->nodes[c->start[i] + (p->corners == 10 ? sp__tetgen_place[k] : k)], ' ');
        if (regions) sp__words_put_integer(f, number_of(&p->regions, i), ' ');
        put_values(f, &p->on_tets, i);
        fputc('\n', f);
    }
}

static void write_faces(const tetgen_out *p, FILE *f) {
    const sp_cells *c = p->cells;
    bool marked = put_groups(f, &p->markers, "face:");
    fprintf(f, "%d %d\n", p->faces, marked);
    int64_t number = p->base;
    for (int i = 0; i < c->cell_count; i++) {
        if (sp__cell_dimension(c->type[i]) != 2) continue;
        sp__words_put_integer(f, number++, ' ');
        for (int64_t k = c->start[i]; k < c->start[i + 1]; k++) sp__words_put_integer(f, p->base + c->nodes[k], ' ');
        if (marked) sp__words_put_integer(f, number_of(&p->markers, i), ' ');
        fputc('\n', f);
    }
}

// ------------------------------------------------------------------------------------------------ files

static sp_status open_all(tetgen_out *p, const char *path, sp_new_file files[3]) {
    static const char *const suffixes[] = {".node", ".ele", ".face"};
    for (int i = 0; i < 3; i++) {
        char *name = tetgen_beside(&p->keep, path, suffixes[i]);
        if (!name) return sp__cells_no_memory(p->cells);
        SP_TRY(sp__new_file_open(p->cells->ctx, name, &files[i]));
    }
    return SP_OK;
}

static sp_status tetgen_write(const sp_cells *cells, const char *path, const sp_mesh_write_options *options) {
    (void)options;
    tetgen_out p = {.cells = cells, .keep = {cells->ctx, NULL}};
    sp_new_file files[3] = {{.ctx = cells->ctx}, {.ctx = cells->ctx}, {.ctx = cells->ctx}};
    sp_status status = tetgen_write_plan(&p);
    if (status >= 0) status = open_all(&p, path, files);
    if (status >= 0) {
        write_points(&p, files[0].stream);
        write_tets(&p, files[1].stream);
        write_faces(&p, files[2].stream);
    }
    for (int i = 0; i < 3; i++) status = sp__worst(status, sp__new_file_close(&files[i], status >= 0));
    sp__keep_free(&p.keep);
    return status;
}

// ======================================================================================================== format

const sp_mesh_format sp__format_tetgen = {"tetgen", ".node .ele .face", "TetGen", NULL, read_tetgen, tetgen_write};
