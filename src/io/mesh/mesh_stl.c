// STL: unconnected triangles, as text (several solids, one group each) or binary (floats). The format has no topology: corners
// with exactly equal positions are merged into one vertex by hashing. Facet normals are not kept, since the corners define them.
//
// The file size decides between text and binary: a binary file has 84 + 50 n bytes with the n of its header. Many binary files
// begin with "solid" like the text files.
#include "io/mesh/mesh_stl.h"

#include <limits.h>
#include <stdio.h>
#include <strings.h>

#include "io/mesh/mesh_members.h"
#include "io/mesh/mesh_numbers.h"
#include "io/mesh/mesh_words.h"

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

// ------------------------------------------------------------------------------------------------ format detection

static bool starts_solid(const char *text, size_t size) {
    sp_words w = sp__words(NULL, text, size);
    return sp__words_peek(&w, "solid");
}

sp_status sp__stl_read(sp_cells *cells, const char *text, size_t size, const char *path) {
    (void)path;
    size_t head = size < 512 ? size : 512;
    bool fits = size >= SP_STL_START && SP_STL_START + SP_STL_FACET * (uint64_t)facet_count((const unsigned char *)text) == size;
    if (!fits && starts_solid(text, size) && !memchr(text, 0, head)) return read_text(cells, text, size);
    return read_binary(cells, text, size);
}

const sp_mesh_format sp__format_stl = {"stl", ".stl", "STL", starts_solid, sp__stl_read, sp__stl_write};
