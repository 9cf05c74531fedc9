// Mesh data as stored in files, for the tests of the formats: samples that use every feature, and comparisons bit by bit.
#ifndef CELLS_HELP_H
#define CELLS_HELP_H

#include <unistd.h>

#include "io/mesh/cells.h"
#include "test.h"

static inline void cells_path(char out[512], const char *name) {
    snprintf(out, 512, "%s/h2-%ld-%s", SP_BINARY_DIR, (long)getpid(), name);
}

static inline double *random_values(sp_cells *c, unsigned long long *seed, size_t n) {
    double *values = sp__keep_alloc(&c->keep, n, sizeof *values);
    for (size_t i = 0; i < n; i++) values[i] = sp_test_random(seed);
    return values;
}

static inline int *copied(sp_cells *c, const int *from, int n) {
    int *to = sp__keep_alloc(&c->keep, (size_t)n, sizeof *to);
    if (n) memcpy(to, from, (size_t)n * sizeof *to);
    return to;
}

static inline void add_cell(sp_cells *c, sp_cell_type type, int n, const int *nodes) {
    int64_t at = c->start[c->cell_count];
    memcpy(c->nodes + at, nodes, (size_t)n * sizeof *nodes);
    c->type[c->cell_count++] = (unsigned char)type;
    c->start[c->cell_count] = at + n;
}

#define CELL(c, type, ...) add_cell((c), (type), (int)(sizeof(int[]){__VA_ARGS__} / sizeof(int)), (int[]){__VA_ARGS__})

static inline void add_group(sp_cells *c, const char *name, int dimension, int64_t number, const int *cells, int count,
                             const int *nodes, int node_count) {
    c->groups[c->group_count++] =
        (sp_cells_group){name, dimension, number, copied(c, cells, count), count, copied(c, nodes, node_count), node_count};
}

static inline sp_cells_array *add_array(sp_cells *c, const char *name, int components, bool on_cells, bool integral,
                                        double *values) {
    c->arrays[c->array_count] = (sp_cells_array){name, components, on_cells, integral, values};
    return &c->arrays[c->array_count++];
}

enum { SAMPLE_NODES = 12 };

static inline void sample_begin(sp_context *ctx, sp_cells *c, unsigned long long *seed) {
    sp__cells_init(ctx, "sample", c);
    sp__cells_reserve_nodes(c, SAMPLE_NODES);
    sp__cells_reserve(c, 16, 128);
    c->cell_count = 0;
    for (int i = 0; i < 3 * SAMPLE_NODES; i++) c->x[i] = sp_test_random(seed);
    c->x[5] = 1e-300, c->x[7] = -12345678.9, c->x[9] = 0.1;
    c->groups = sp__keep_alloc(&c->keep, 8, sizeof *c->groups);
    c->arrays = sp__keep_alloc(&c->keep, 8, sizeof *c->arrays);
}

static inline void sample_arrays(sp_cells *c, unsigned long long *seed) {
    double *whole = random_values(c, seed, (size_t)c->cell_count), *single = random_values(c, seed, SAMPLE_NODES);
    for (int i = 0; i < c->cell_count; i++) whole[i] = (double)(i * 1000000007LL % 2000000000) - 1e9;
    for (int i = 0; i < SAMPLE_NODES; i++) single[i] = (float)single[i];
    add_array(c, "temperature", 1, false, false, random_values(c, seed, SAMPLE_NODES));
    add_array(c, "velocity", 3, false, false, random_values(c, seed, 3 * SAMPLE_NODES));
    add_array(c, "single", 1, false, false, single);
    add_array(c, "stress", 6, true, false, random_values(c, seed, 6 * (size_t)c->cell_count));
    add_array(c, "count", 1, true, true, whole);
}

// tetrahedra, faces, lines, points, groups of the same name in two dimensions, a group of nodes alone, ids
static inline void sample_volume(sp_context *ctx, sp_cells *c) {
    unsigned long long seed = 7;
    sample_begin(ctx, c, &seed);
    CELL(c, SP_CELL_TET, 0, 1, 2, 3);
    CELL(c, SP_CELL_TET, 1, 2, 3, 4);
    CELL(c, SP_CELL_TRIANGLE, 0, 1, 2);
    CELL(c, SP_CELL_QUAD, 4, 5, 6, 7);
    CELL(c, SP_CELL_POLYGON, 4, 5, 6, 7, 8);
    CELL(c, SP_CELL_LINE, 8, 9);
    CELL(c, SP_CELL_POINT, 11);
    CELL(c, SP_CELL_TET10, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    CELL(c, SP_CELL_HEX, 0, 1, 2, 3, 4, 5, 6, 7);
    CELL(c, SP_CELL_WEDGE, 0, 1, 2, 3, 4, 5);
    CELL(c, SP_CELL_PYRAMID, 0, 1, 2, 3, 4);
    sample_arrays(c, &seed);
    add_group(c, "liver", 3, 7, (int[]){0, 8}, 2, (int[]){11}, 1);
    add_group(c, "liver", 2, 300, (int[]){2}, 1, NULL, 0);
    add_group(c, "wall & <in>", 2, 0, (int[]){2, 3, 4}, 3, NULL, 0);
    add_group(c, "pins", -1, 0, NULL, 0, (int[]){1, 5, 10}, 3);
    c->node_ids = sp__keep_alloc(&c->keep, SAMPLE_NODES, sizeof *c->node_ids);
    for (int i = 0; i < SAMPLE_NODES; i++) c->node_ids[i] = 100 + 3 * i;
    c->cell_ids = sp__keep_alloc(&c->keep, 16, sizeof *c->cell_ids);
    for (int i = 0; i < c->cell_count; i++) c->cell_ids[i] = INT64_C(5000000000) + i;
}

// triangles, a quadrangle and a polygon over all nodes with normals, texture coordinates and colours at the nodes
static inline void sample_surface(sp_context *ctx, sp_cells *c) {
    unsigned long long seed = 11;
    sample_begin(ctx, c, &seed);
    CELL(c, SP_CELL_TRIANGLE, 0, 1, 2);
    CELL(c, SP_CELL_TRIANGLE, 2, 1, 3);
    CELL(c, SP_CELL_QUAD, 4, 5, 6, 7);
    CELL(c, SP_CELL_POLYGON, 7, 8, 9, 10, 11);
    sample_arrays(c, &seed);
    add_group(c, "skin", 2, 0, (int[]){0, 2, 3}, 3, NULL, 0);
    add_group(c, "lid", 2, 0, (int[]){2}, 1, NULL, 0);
    c->normals = random_values(c, &seed, 3 * SAMPLE_NODES);
    c->texcoords = random_values(c, &seed, 2 * SAMPLE_NODES);
    c->colors = random_values(c, &seed, 4 * SAMPLE_NODES);
    c->normal_count = c->texcoord_count = SAMPLE_NODES;
    for (int i = 0; i < 4 * SAMPLE_NODES; i++) c->colors[i] = (i * 37 % 256) / 255.0;
}

// ------------------------------------------------------------------------------------------------ comparing

static inline bool same_bits(const double *a, const double *b, size_t n) {
    if (!a || !b) return !a && !b;
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

static inline bool same_mesh(const sp_cells *a, const sp_cells *b) {
    if (a->node_count != b->node_count || a->cell_count != b->cell_count || !same_bits(a->x, b->x, 3 * (size_t)a->node_count))
        return false;
    for (int i = 0; i < a->cell_count; i++) {
        int64_t n = a->start[i + 1] - a->start[i];
        if (a->type[i] != b->type[i] || n != b->start[i + 1] - b->start[i]) return false;
        if (memcmp(a->nodes + a->start[i], b->nodes + b->start[i], (size_t)n * sizeof *a->nodes) != 0) return false;
    }
    return true;
}

static inline const sp_cells_array *array_named(const sp_cells *c, const char *name) {
    for (int i = 0; i < c->array_count; i++)
        if (strcmp(c->arrays[i].name, name) == 0) return &c->arrays[i];
    return NULL;
}

static inline bool same_arrays(const sp_cells *a, const sp_cells *b) {
    if (a->array_count != b->array_count) return false;
    for (int i = 0; i < a->array_count; i++) {
        const sp_cells_array *x = &a->arrays[i], *y = array_named(b, x->name);
        size_t n = (size_t)x->components * (size_t)(x->on_cells ? a->cell_count : a->node_count);
        if (!y || x->components != y->components || x->on_cells != y->on_cells || x->integral != y->integral) return false;
        if (!same_bits(x->values, y->values, n)) return false;
    }
    return true;
}

static inline const sp_cells_group *group_named(const sp_cells *c, const char *name, int dimension) {
    for (int i = 0; i < c->group_count; i++)
        if (c->groups[i].dimension == dimension && strcmp(c->groups[i].name, name) == 0) return &c->groups[i];
    return NULL;
}

static inline bool same_ints(const int *a, const int *b, int n) {
    return n == 0 || memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

static inline bool same_groups(const sp_cells *a, const sp_cells *b) {
    if (a->group_count != b->group_count) return false;
    for (int i = 0; i < a->group_count; i++) {
        const sp_cells_group *x = &a->groups[i], *y = group_named(b, x->name, x->dimension);
        if (!y || x->number != y->number || x->cell_count != y->cell_count || x->node_count != y->node_count) return false;
        if (!same_ints(x->cells, y->cells, x->cell_count) || !same_ints(x->nodes, y->nodes, x->node_count)) return false;
    }
    return true;
}

static inline bool same_ids(const int64_t *a, const int64_t *b, int n) {
    if (!a || !b) return !a && !b;
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

static inline bool same_looks(const sp_cells *a, const sp_cells *b) {
    return a->normal_count == b->normal_count && a->texcoord_count == b->texcoord_count &&
           same_bits(a->normals, b->normals, 3 * (size_t)a->normal_count) &&
           same_bits(a->texcoords, b->texcoords, 2 * (size_t)a->texcoord_count) &&
           same_bits(a->colors, b->colors, 4 * (size_t)a->node_count);
}

// ------------------------------------------------------------------------------------------------ writing and reading

// write to a file of that name and read it back; false with the message printed
static inline bool through_file(const sp_cells *c, const char *name, sp_encoding encoding, bool compress, sp_cells *out) {
    char path[512];
    sp_mesh_write_options options = sp_mesh_write_options_default();
    options.encoding = encoding;
    options.compress = compress;
    cells_path(path, name);
    sp_status status = sp__cells_write(c, path, &options);
    sp__cells_init(c->ctx, name, out);
    if (status >= 0) status = sp__cells_read(c->ctx, path, out);
    if (status < 0) printf("  %s: %s\n", name, sp_context_error(c->ctx)->message);
    out->file = name;
    remove(path);
    return status >= 0;
}

// a text as a file of that name
static inline sp_status parse(sp_context *ctx, const char *name, const char *text, sp_cells *out) {
    return sp__cells_parse(ctx, text, strlen(text), name, out);
}

// refused, and the message contains this text
static inline bool refused(sp_context *ctx, const char *name, const void *text, size_t size, const char *part) {
    char *copy = malloc(size + 1);
    sp_cells c;
    memcpy(copy, text, size);
    copy[size] = 0;
    sp_status status = sp__cells_parse(ctx, copy, size, name, &c);
    sp__cells_free(&c);
    free(copy);
    if (status == SP_BAD_INPUT && strstr(sp_context_error(ctx)->message, part)) return true;
    printf("  status %d, message: %s\n", (int)status, status < 0 ? sp_context_error(ctx)->message : "none");
    return false;
}

#define REFUSED(ctx, name, text, part) CHECK(refused((ctx), (name), (text), strlen(text), (part)))

#endif
