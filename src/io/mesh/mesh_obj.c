// Wavefront OBJ: vertices (with colours after the position, as many programs write them), texture coordinates, normals, faces of
// any size, lines and points. Objects, groups and materials become groups; other keywords are skipped.
//
// Two passes: the first one counts, so that memory is allocated once and bounded by the file size; the second one reads.
// Format: "Object files (.obj)", Advanced Visualizer manual, Wavefront Technologies 1993, appendix B1.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/mesh/mesh_tokens.h"

enum { NAMES_PER_LINE = 64, NAME_LENGTH = 256 };

typedef enum keyword { K_OTHER, K_V, K_VT, K_VN, K_F, K_L, K_P, K_G, K_O, K_USEMTL } keyword;

// the cells from `first` to the next span belong to the groups names[begin .. end), the object and the material
typedef struct span {
    int first;
    int begin, end;  // groups of 'g'
    int object, material;
} span;

typedef struct obj {
    sp_words w;
    sp_cells *cells;
    int64_t count[K_USEMTL + 1];                   // lines of each keyword
    int64_t corner_count, cell_count, name_count;  // bounds from the first pass
    int64_t v, vt, vn, cell, corner;               // read so far
    bool has_colors, has_vt, has_vn;
    double brightest;
    char **names;  // in file order
    int names_read;
    span *spans;
    int span_count;
} obj;

// ------------------------------------------------------------------------------------------------ lines

// skips blanks and continued lines; true: more words follow on this line
static bool more(sp_words *w) {
    while (sp__words_blank(w)) {
        if (*w->at == '#') return false;
        if (*w->at != '\\') return true;
        const char *p = w->at + 1;
        while (p < w->end && *p == '\r') p++;
        if (p < w->end && *p != '\n') return true;
        w->line += p < w->end;
        w->at = p < w->end ? p + 1 : p;
    }
    return false;
}

// moves to the next line; continued lines count as one
static void next_line(sp_words *w) {
    for (;;) {
        const char *newline = memchr(w->at, '\n', (size_t)(w->end - w->at));
        const char *stop = newline ? newline : w->end, *last = stop;
        while (last > w->at && last[-1] == '\r') last--;
        bool broken = newline && last > w->at && last[-1] == '\\';
        w->at = newline ? newline + 1 : w->end;
        w->line += newline != NULL;
        if (!broken) return;
    }
}

static bool word_is(const char *at, size_t n, const char *word) {
    return strlen(word) == n && memcmp(at, word, n) == 0;
}

static keyword take_keyword(sp_words *w) {
    static const struct {
        const char *word;
        keyword key;
    } words[] = {{"v", K_V}, {"vt", K_VT}, {"vn", K_VN}, {"f", K_F},  {"l", K_L},
                 {"p", K_P}, {"g", K_G},   {"o", K_O},   {"fo", K_F}, {"usemtl", K_USEMTL}};
    const char *start = w->at;
    while (w->at < w->end && !sp__is_space(*w->at) && *w->at != '\\') w->at++;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (word_is(start, (size_t)(w->at - start), words[i].word)) return words[i].key;
    return K_OTHER;
}

// skips a word found by `more`, up to white space or a backslash
static void skip_word(sp_words *w) {
    if (w->at < w->end) w->at++;
    while (w->at < w->end && !sp__is_space(*w->at) && *w->at != '\\') w->at++;
}

static int64_t count_words(sp_words *w) {
    int64_t n = 0;
    for (; more(w); n++) skip_word(w);
    return n;
}

// The current line as a text of its own, continued lines joined; `rest` points behind it. Both passes split lines with this
// function, so that the second one cannot find more than the first one counted.
static bool take_line(sp_words *rest, sp_words *line) {
    sp__words_space(rest);
    *line = *rest;
    next_line(rest);
    line->end = rest->at;
    return line->at < line->end;
}

static void count_lines(obj *o) {
    for (sp_words rest = o->w, line; take_line(&rest, &line);) {
        keyword key = take_keyword(&line);
        o->count[key]++;
        if (key < K_F) continue;
        int64_t n = count_words(&line);
        if (key == K_G) o->name_count += n;
        if (key == K_O || key == K_USEMTL) o->name_count++;
        if (key > K_P) continue;
        o->cell_count += key == K_F ? 1 : n;
        o->corner_count += key == K_L ? 2 * n : n;
    }
}

// ------------------------------------------------------------------------------------------------ numbers

// reads up to `most` numbers of this line
static sp_status read_numbers(obj *o, const char *what, int least, int most, double *out, int *count) {
    sp_words *w = &o->w;
    char seen[32];
    for (*count = 0; *count < most && more(w); ++*count) {
        const char *p = sp__scan_double(w->at, &out[*count]);
        if (!p || (p < w->end && !sp__is_space(*p) && *p != '\\'))
            return SP_WORDS_FAIL(w, "%s: a finite number is needed, seen %s", what, sp__words_shown(w, seen));
        w->at = p;
    }
    if (*count < least) return SP_WORDS_FAIL(w, "%s of %d numbers, must have %d at least", what, *count, least);
    return SP_OK;
}

// x y z [w] [r g b]
static sp_status read_vertex(obj *o) {
    double numbers[7];
    int n;
    SP_TRY(read_numbers(o, "a vertex", 3, 7, numbers, &n));
    memcpy(o->cells->x + 3 * o->v, numbers, 3 * sizeof *numbers);
    double *color = o->cells->colors + 4 * o->v++;
    color[0] = color[1] = color[2] = -1;  // no colour; replaced when all vertices are read
    color[3] = 1;
    if (n < 6) return SP_OK;
    memcpy(color, numbers + n - 3, 3 * sizeof *numbers);
    for (int k = 0; k < 3; k++) {
        if (color[k] < 0 || color[k] > 255) return SP_WORDS_FAIL(&o->w, "a colour of %g, must be in [0, 1]", color[k]);
        if (color[k] > o->brightest) o->brightest = color[k];
    }
    o->has_colors = true;
    return SP_OK;
}

static sp_status read_texcoord(obj *o) {
    int n;
    double *uv = o->cells->texcoords + 2 * o->vt++;
    double numbers[3] = {0, 0, 0};
    SP_TRY(read_numbers(o, "a texture coordinate", 1, 3, numbers, &n));
    memcpy(uv, numbers, 2 * sizeof *uv);
    return SP_OK;
}

static sp_status read_normal(obj *o) {
    int n;
    return read_numbers(o, "a normal", 3, 3, o->cells->normals + 3 * o->vn++, &n);
}

// ------------------------------------------------------------------------------------------------ faces, lines, points

// reads an index of a corner, from 1 or, if negative, from the end, as 0..; forward references are allowed within the counted
// total
static sp_status read_place(obj *o, const char *what, int64_t so_far, int64_t in_all, int *out) {
    sp_words *w = &o->w;
    char seen[32];
    int64_t place;
    const char *p = sp__scan_int64(w->at, &place);
    if (!p || (p < w->end && !sp__is_space(*p) && *p != '/' && *p != '\\'))
        return SP_WORDS_FAIL(w, "%s of a corner: an integer is needed, seen %s", what, sp__words_shown(w, seen));
    int64_t zero_based = place < 0 ? so_far + place : place - 1;
    if (place == 0 || zero_based < 0 || zero_based >= in_all)
        return SP_WORDS_FAIL(w, "%s %lld of a corner, must be in [1, %lld] or [-%lld, -1]", what, (long long)place,
                             (long long)in_all, (long long)so_far);
    w->at = p;
    *out = (int)zero_based;
    return SP_OK;
}

// v, v/vt, v//vn, v/vt/vn
static sp_status read_corner(obj *o) {
    sp_words *w = &o->w;
    sp_cells *c = o->cells;
    int64_t at = o->corner;
    SP_TRY(read_place(o, "vertex", o->v, o->count[K_V], &c->nodes[at]));
    c->corner_texcoords[at] = c->corner_normals[at] = -1;
    if (w->at < w->end && *w->at == '/') {
        w->at++;
        bool given = w->at < w->end && *w->at != '/' && !sp__is_space(*w->at);
        if (given) SP_TRY(read_place(o, "texture coordinate", o->vt, o->count[K_VT], &c->corner_texcoords[at]));
        o->has_vt = o->has_vt || given;
    }
    if (w->at < w->end && *w->at == '/') {
        w->at++;
        bool given = w->at < w->end && !sp__is_space(*w->at);
        if (given) SP_TRY(read_place(o, "normal", o->vn, o->count[K_VN], &c->corner_normals[at]));
        o->has_vn = o->has_vn || given;
    }
    if (w->at < w->end && !sp__is_space(*w->at) && *w->at != '\\') return SP_WORDS_FAIL(w, "a corner has at most two '/'");
    o->corner++;
    return SP_OK;
}

static void close_cell(obj *o, sp_cell_type type) {
    o->cells->type[o->cell++] = (unsigned char)type;
    o->cells->start[o->cell] = o->corner;
}

static sp_status read_face(obj *o) {
    int64_t first = o->corner;
    while (more(&o->w)) SP_TRY(read_corner(o));
    int64_t n = o->corner - first;
    if (n < 3) return SP_WORDS_FAIL(&o->w, "a face of %lld corners, must have 3 at least", (long long)n);
    close_cell(o, n == 3 ? SP_CELL_TRIANGLE : n == 4 ? SP_CELL_QUAD : SP_CELL_POLYGON);
    return SP_OK;
}

// n corners make n - 1 line cells
static sp_status read_line(obj *o) {
    int64_t n = 0;
    for (; more(&o->w); n++) {
        if (n >= 2) {
            sp_cells *c = o->cells;
            c->nodes[o->corner] = c->nodes[o->corner - 1];
            c->corner_texcoords[o->corner] = c->corner_texcoords[o->corner - 1];
            c->corner_normals[o->corner] = -1;
            o->corner++;
        }
        SP_TRY(read_corner(o));
        if (n >= 1) close_cell(o, SP_CELL_LINE);
    }
    if (n < 2) return SP_WORDS_FAIL(&o->w, "a line of %lld corners, must have 2 at least", (long long)n);
    return SP_OK;
}

static sp_status read_points(obj *o) {
    while (more(&o->w)) {
        SP_TRY(read_corner(o));
        close_cell(o, SP_CELL_POINT);
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ groups

static span *new_span(obj *o) {
    span *last = &o->spans[o->span_count - 1];
    if (last->first == (int)o->cell) return last;
    o->spans[o->span_count] = *last;
    o->spans[o->span_count].first = (int)o->cell;
    return &o->spans[o->span_count++];
}

static sp_status add_name(obj *o, const char *text) {
    if (!(o->names[o->names_read] = sp__keep_text(&o->cells->keep, text))) return sp__cells_no_memory(o->cells);
    o->names_read++;
    return SP_OK;
}

static sp_status read_groups(obj *o) {
    char name[NAME_LENGTH];
    span *s = new_span(o);
    s->begin = o->names_read;
    while (more(&o->w)) {
        const char *start = o->w.at;
        skip_word(&o->w);
        size_t n = (size_t)(o->w.at - start) < sizeof name ? (size_t)(o->w.at - start) : sizeof name - 1;
        memcpy(name, start, n);
        name[n] = 0;
        if (o->names_read - s->begin >= NAMES_PER_LINE)
            return SP_WORDS_FAIL(&o->w, "more than %d groups at once", NAMES_PER_LINE);
        SP_TRY(add_name(o, name));
    }
    s->end = o->names_read;
    return SP_OK;
}

static sp_status read_name(obj *o, bool object) {
    char name[NAME_LENGTH];
    span *s = new_span(o);
    sp__words_rest(&o->w, name, sizeof name);
    *(object ? &s->object : &s->material) = name[0] ? o->names_read : -1;
    return name[0] ? add_name(o, name) : SP_OK;
}

static int by_text(const void *a, const void *b) {
    return strcmp(**(char **const *)a, **(char **const *)b);
}

// assigns equal names to one group: group_of[name], numbered in the order of their first appearance
static sp_status number_names(obj *o, int *group_of, int *capacity) {
    sp_cells *c = o->cells;
    char ***sorted;
    if (!SP_KEEP(&c->keep, sorted, o->names_read)) return sp__cells_no_memory(c);
    for (int i = 0; i < o->names_read; i++) sorted[i] = &o->names[i];
    qsort(sorted, (size_t)o->names_read, sizeof *sorted, by_text);
    // the lowest index stands for all equal names
    for (int begin = 0, end; begin < o->names_read; begin = end) {
        char **least = sorted[begin];
        for (end = begin; end < o->names_read && strcmp(*sorted[end], *sorted[begin]) == 0; end++)
            if (sorted[end] < least) least = sorted[end];
        for (int i = begin; i < end; i++) group_of[sorted[i] - o->names] = -1 - (int)(least - o->names);
    }
    for (int i = 0; i < o->names_read; i++) {
        int first = -1 - group_of[i];
        if (first == i) {
            if (!sp__members_add(c, capacity, o->names[i], 2, 0)) return sp__cells_no_memory(c);
            group_of[i] = c->group_count - 1;
        } else {
            group_of[i] = group_of[first];
        }
    }
    return SP_OK;
}

// the groups of a span without duplicates
static int groups_of(const span *s, const int *group_of, int out[NAMES_PER_LINE + 2]) {
    int n = 0;
    for (int i = s->begin; i < s->end; i++) out[n++] = group_of[i];
    if (s->object >= 0) out[n++] = group_of[s->object];
    if (s->material >= 0) out[n++] = group_of[s->material];
    sp__sort_ints(out, n);
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (i == 0 || out[i] != out[i - 1]) out[kept++] = out[i];
    return kept;
}

static void fill_groups(obj *o, const int *group_of, bool counting) {
    sp_cells *c = o->cells;
    int list[NAMES_PER_LINE + 2];
    for (int s = 0; s < o->span_count; s++) {
        int end = s + 1 < o->span_count ? o->spans[s + 1].first : (int)o->cell;
        for (int n = groups_of(&o->spans[s], group_of, list), k = 0; k < n; k++) {
            sp_cells_group *g = &c->groups[list[k]];
            for (int i = o->spans[s].first; i < end && !counting; i++) g->cells[g->cell_count + i - o->spans[s].first] = i;
            g->cell_count += end - o->spans[s].first;
        }
    }
}

static sp_status make_groups(obj *o) {
    sp_cells *c = o->cells;
    int *group_of, capacity = 0, kept = 0;
    if (!SP_KEEP(&c->keep, group_of, o->names_read)) return sp__cells_no_memory(c);
    SP_TRY(number_names(o, group_of, &capacity));
    fill_groups(o, group_of, true);
    for (int g = 0; g < c->group_count; g++) {
        if (!SP_KEEP(&c->keep, c->groups[g].cells, c->groups[g].cell_count)) return sp__cells_no_memory(c);
        c->groups[g].cell_count = 0;
    }
    fill_groups(o, group_of, false);
    for (int g = 0; g < c->group_count; g++) {
        if (!c->groups[g].cell_count) continue;
        c->groups[kept] = c->groups[g];
        c->groups[kept].dimension = sp__cell_dimension(c->type[c->groups[kept].cells[0]]);
        kept++;
    }
    c->group_count = kept;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ reader

static sp_status obj_reserve(obj *o) {
    sp_cells *c = o->cells;
    int64_t spans = o->count[K_G] + o->count[K_O] + o->count[K_USEMTL] + 1;
    for (int k = 0; k <= K_USEMTL; k++)
        if (o->count[k] > INT_MAX / 4) return SP_CELLS_FAIL(c, 0, -1, "more than %d lines of a kind", INT_MAX / 4);
    if (o->cell_count > INT_MAX / 4 || o->name_count > INT_MAX / 4) return SP_CELLS_FAIL(c, 0, -1, "too many cells or groups");
    bool good = sp__cells_reserve_nodes(c, (int)o->count[K_V]) && sp__cells_reserve(c, (int)o->cell_count, o->corner_count) &&
                SP_KEEP(&c->keep, c->colors, 4 * o->count[K_V]) && SP_KEEP(&c->keep, c->texcoords, 2 * o->count[K_VT]) &&
                SP_KEEP(&c->keep, c->normals, 3 * o->count[K_VN]) && SP_KEEP(&c->keep, c->corner_texcoords, o->corner_count) &&
                SP_KEEP(&c->keep, c->corner_normals, o->corner_count) && SP_KEEP(&c->keep, o->names, o->name_count) &&
                SP_KEEP(&c->keep, o->spans, spans);
    if (!good) return sp__cells_no_memory(c);
    o->spans[0] = (span){0, 0, 0, -1, -1};
    o->span_count = 1;
    return SP_OK;
}

static sp_status read_statement(obj *o) {
    switch (take_keyword(&o->w)) {
    case K_V: return read_vertex(o);
    case K_VT: return read_texcoord(o);
    case K_VN: return read_normal(o);
    case K_F: return read_face(o);
    case K_L: return read_line(o);
    case K_P: return read_points(o);
    case K_G: return read_groups(o);
    case K_O: return read_name(o, true);
    case K_USEMTL: return read_name(o, false);
    case K_OTHER: break;
    }
    return SP_OK;
}

// some files have colours in 0..255; vertices without a colour are white if others have one
static void settle_colors(obj *o) {
    sp_cells *c = o->cells;
    double scale = o->brightest > 1 ? 255 : 1;
    for (int64_t i = 0; o->has_colors && i < 4 * o->v; i++)
        if (i % 4 < 3) c->colors[i] = c->colors[i] < 0 ? 1 : c->colors[i] / scale;
    if (!o->has_colors) c->colors = NULL;
}

static void obj_settle(obj *o) {
    sp_cells *c = o->cells;
    settle_colors(o);
    c->cell_count = (int)o->cell;
    c->texcoord_count = o->has_vt ? (int)o->vt : 0;
    c->normal_count = o->has_vn ? (int)o->vn : 0;
    if (!o->has_vt) c->texcoords = NULL, c->corner_texcoords = NULL;
    if (!o->has_vn) c->normals = NULL, c->corner_normals = NULL;
}

static sp_status obj_read(sp_cells *cells, const char *text, size_t size, const char *path) {
    (void)path;
    obj o = {.w = sp__words(cells, text, size), .cells = cells};
    count_lines(&o);
    SP_TRY(obj_reserve(&o));
    for (sp_words rest = o.w; take_line(&rest, &o.w);) SP_TRY(read_statement(&o));
    obj_settle(&o);
    return make_groups(&o);
}

// ======================================================================================================== writer

// Vertices with colours, texture coordinates, normals, groups, faces of any size, lines and points.

enum { GROUPS_OF_A_CELL = 64 };  // limit of the reader

static void put_numbers(FILE *file, const char *word, const double *numbers, int n, const double *color) {
    fputs(word, file);
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

static sp_status obj_write(const sp_cells *cells, const char *path, const sp_mesh_write_options *options) {
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

// ======================================================================================================== format

static bool obj_knows(const char *head, size_t size) {
    const char *p = sp__words_first_line(head, size);
    sp_words w = sp__words(NULL, p, (size_t)(head + size - p)), again = w;
    return take_keyword(&w) != K_OTHER || sp__words_peek(&again, "mtllib");
}

const sp_mesh_format sp__format_obj = {"obj", ".obj", "Wavefront OBJ", obj_knows, obj_read, obj_write};
