// Gmsh .msh 1.0 (text), 2.2 and 4.1 (text and binary), in one pass over the file in memory. No count is accepted that the
// remaining bytes could not hold.
// Format: Gmsh reference manual, "MSH file format" (4.1) and "MSH file format version 1 (Legacy)", "version 2 (Legacy)".
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/mesh/mesh_tokens.h"

// Map from the sparse numbers of a file to indices 0..n-1: a table if the numbers are dense, a sorted list otherwise.
typedef struct sp_msh_ids {
    int64_t low, high;
    int *table;       // index + 1 by number - low
    int64_t *sorted;  // pairs (number, index)
    int count;
} sp_msh_ids;

// Consecutive cells of one physical group.
typedef struct sp_msh_run {
    uint64_t key;  // dimension and number of the group
    int first, count;
} sp_msh_run;

typedef struct sp_msh_name {
    uint64_t key;
    const char *name;
} sp_msh_name;

// A model entity (4.1). Its physical groups are physicals[first] .. of the reader.
typedef struct sp_msh_entity {
    uint64_t key;  // dimension and tag
    int first, count;
} sp_msh_entity;

enum { SP_MSH_PHYSICALS_MAX = 64 };  // groups of one entity or element; without a limit a small file could need much memory

typedef struct sp_msh {
    sp_cells *cells;
    sp_keep *keep;  // memory of the cells
    sp_words words;
    const char *begin;
    int version;  // 1, 2 or 4
    bool binary, swap;
    int word;  // bytes of size_t in the file
    sp_msh_ids node_places, cell_places;
    bool has_cell_places;
    sp_msh_run *runs;
    size_t run_count, run_capacity;
    sp_msh_name *names;
    int name_count;
    sp_msh_entity *entities;
    size_t entity_count, entity_capacity;
    int *physicals;
    size_t physical_count, physical_capacity;
    size_t corner_count, corner_capacity;
    size_t data_count;  // total number of values of all arrays
    bool has_format, has_nodes, has_elements;
} sp_msh;

#define SP_MSH_FAIL(r, ...) SP_WORDS_FAIL(&(r)->words, __VA_ARGS__)

static inline uint64_t sp__msh_key(int dimension, int64_t number) {
    return (uint64_t)dimension << 32 | (uint32_t)number;
}

// Element types, by Gmsh's number.
typedef struct sp_msh_kind {
    short type, nodes;  // as in the file
    short cell, kept;   // sp_cell_type, and the number of nodes that are kept
} sp_msh_kind;

// ======================================================================================================== tokens

// Tokens of text files and numbers of binary files in either byte order.

static sp_status out_of_range(sp_msh *r, const char *what, int64_t value, int64_t low, int64_t high) {
    return SP_MSH_FAIL(r, "%s = %lld, must be in [%lld, %lld]", what, (long long)value, (long long)low, (long long)high);
}

// "quoted" string
static sp_status msh_text(sp_msh *r, char *out, size_t size) {
    char seen[32];
    sp__words_space(&r->words);
    if (r->words.at >= r->words.end || *r->words.at != '"')
        return SP_MSH_FAIL(r, "a text in quotes is needed, seen %s", sp__words_shown(&r->words, seen));
    const char *start = ++r->words.at;
    while (r->words.at < r->words.end && *r->words.at && *r->words.at != '"' && *r->words.at != '\n') r->words.at++;
    if (r->words.at >= r->words.end || *r->words.at != '"') return SP_MSH_FAIL(r, "a text without its closing quote");
    size_t n = (size_t)(r->words.at - start);
    if (n == 0 || n >= size) return SP_MSH_FAIL(r, "a name of %zu characters, must have 1 to %zu", n, size - 1);
    memcpy(out, start, n);
    out[n] = 0;
    r->words.at++;
    return SP_OK;
}

// the closing word of a section
static sp_status msh_end(sp_msh *r, const char *word) {
    char seen[32];
    if (sp__words_take(&r->words, word)) return SP_OK;
    return SP_MSH_FAIL(r, "%s is needed here, seen %s", word, sp__words_shown(&r->words, seen));
}

// Moves to the first byte after the end of this line, where the binary data begin.
static sp_status msh_bytes_begin(sp_msh *r) {
    if (sp__words_blank(&r->words) || r->words.at >= r->words.end)
        return SP_MSH_FAIL(r, "the line must end here, binary numbers follow");
    r->words.at++;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ binary

// Checks that n x size bytes are left; the getters below read one number each, unchecked.
static sp_status msh_need(sp_msh *r, const char *what, uint64_t n, uint64_t size) {
    uint64_t left = (uint64_t)(r->words.end - r->words.at);
    if (size && n > left / size)
        return SP_MSH_FAIL(r, "%s: %llu of %llu bytes each announced, but %llu bytes are left", what, (unsigned long long)n,
                           (unsigned long long)size, (unsigned long long)left);
    return SP_OK;
}

static inline uint64_t get(sp_msh *r, int bytes) {
    if (bytes == 8) {
        uint64_t value;
        memcpy(&value, r->words.at, 8);
        r->words.at += 8;
        return r->swap ? __builtin_bswap64(value) : value;
    }
    uint32_t value;
    memcpy(&value, r->words.at, 4);
    r->words.at += 4;
    return r->swap ? __builtin_bswap32(value) : value;
}

static int32_t msh_get_int(sp_msh *r) {
    return (int32_t)(uint32_t)get(r, 4);
}

static uint64_t msh_get_size(sp_msh *r) {
    return get(r, r->word);
}

static double msh_get_double(sp_msh *r) {
    uint64_t bits = get(r, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// ------------------------------------------------------------------------------------------------ text or binary

static sp_status within(sp_msh *r, const char *what, int bytes, int64_t low, int64_t high, int64_t value, int64_t *out) {
    if (value < low || value > high) {
        r->words.at -= bytes;
        return out_of_range(r, what, value, low, high);
    }
    *out = value;
    return SP_OK;
}

// Text or binary: an int or a size of the file, within limits; a finite number.
static sp_status msh_any_int(sp_msh *r, const char *what, int64_t low, int64_t high, int64_t *out) {
    if (!r->binary) return sp__words_integer(&r->words, what, low, high, out);
    SP_TRY(msh_need(r, what, 1, 4));
    return within(r, what, 4, low, high, msh_get_int(r), out);
}

static sp_status msh_any_size(sp_msh *r, const char *what, int64_t low, int64_t high, int64_t *out) {
    if (!r->binary) return sp__words_integer(&r->words, what, low, high, out);
    SP_TRY(msh_need(r, what, 1, (uint64_t)r->word));
    uint64_t value = msh_get_size(r);
    return within(r, what, r->word, low, high, value > INT64_MAX ? INT64_MAX : (int64_t)value, out);
}

static sp_status msh_any_number(sp_msh *r, const char *what, double *out) {
    if (!r->binary) return sp__words_number(&r->words, what, out);
    SP_TRY(msh_need(r, what, 1, 8));
    *out = msh_get_double(r);
    if (isfinite(*out)) return SP_OK;
    r->words.at -= 8;
    return SP_MSH_FAIL(r, "%s: a finite number is needed, seen %g", what, *out);
}

// A count of items of at least so many bytes each (text, binary). It is limited to what the rest of the file could hold.
static sp_status msh_count(sp_msh *r, const char *what, int text_bytes, int binary_bytes, int *out) {
    int64_t value, most;
    if (r->binary && r->version == 4) {
        SP_TRY(msh_any_size(r, what, 0, INT64_MAX, &value));
    } else {
        SP_TRY(sp__words_integer(&r->words, what, 0, INT64_MAX, &value));
    }
    most = r->binary ? (r->words.end - r->words.at) / binary_bytes : (r->words.end - r->words.at) / text_bytes + 1;
    if (value > most || value > INT_MAX / 4)
        return SP_MSH_FAIL(r, "%s = %lld, but the rest of the file has room for %lld at most", what, (long long)value,
                           (long long)(most < INT_MAX / 4 ? most : INT_MAX / 4));
    *out = (int)value;
    return SP_OK;
}

// ===================================================================================== numbers and element types

// Numbers of a Gmsh file: map from node and element numbers to indices, and from Gmsh's element types to ours.

static int by_number(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static sp_status msh_ids_twice(sp_msh *r, const char *what, int64_t id) {
    return SP_MSH_FAIL(r, "%s %lld appears twice", what, (long long)id);
}

static sp_status ids_sorted(sp_msh *r, const int64_t *ids, int count, const char *unique, sp_msh_ids *out) {
    if (!SP_KEEP(r->keep, out->sorted, 2 * (size_t)count)) return sp__cells_no_memory(r->cells);
    for (int i = 0; i < count; i++) out->sorted[2 * (size_t)i] = ids[i], out->sorted[2 * (size_t)i + 1] = i;
    qsort(out->sorted, (size_t)count, 2 * sizeof *out->sorted, by_number);
    for (size_t i = 1; unique && i < (size_t)count; i++)
        if (out->sorted[2 * i] == out->sorted[2 * i - 2]) return msh_ids_twice(r, unique, out->sorted[2 * i]);
    return SP_OK;
}

static sp_status msh_ids_index(sp_msh *r, const int64_t *ids, int count, const char *unique, sp_msh_ids *out) {
    out->count = count;
    out->low = INT64_MAX, out->high = INT64_MIN;
    for (int i = 0; i < count; i++) {
        if (ids[i] < out->low) out->low = ids[i];
        if (ids[i] > out->high) out->high = ids[i];
    }
    if (count == 0) return SP_OK;
    uint64_t span = (uint64_t)out->high - (uint64_t)out->low;
    if (span > 8 * (uint64_t)count + 1024) return ids_sorted(r, ids, count, unique, out);
    if (!SP_KEEP(r->keep, out->table, span + 1)) return sp__cells_no_memory(r->cells);
    for (int i = 0; i < count; i++) {
        int *place = &out->table[ids[i] - out->low];
        if (*place && unique) return msh_ids_twice(r, unique, ids[i]);
        *place = i + 1;
    }
    return SP_OK;
}

// -1: not found
static int msh_place(const sp_msh_ids *ids, int64_t id) {
    if (!ids->count || id < ids->low || id > ids->high) return -1;
    if (ids->table) return ids->table[id - ids->low] - 1;
    const int64_t *hit = bsearch(&id, ids->sorted, (size_t)ids->count, 2 * sizeof *ids->sorted, by_number);
    return hit ? (int)hit[1] : -1;
}

// ------------------------------------------------------------------------------------------------ element types

// of unsupported higher-order types only the corner nodes are kept, which Gmsh lists first
static const sp_msh_kind kinds[] = {
    {1, 2, SP_CELL_LINE, 2},       {2, 3, SP_CELL_TRIANGLE, 3},   {3, 4, SP_CELL_QUAD, 4},       {4, 4, SP_CELL_TET, 4},
    {5, 8, SP_CELL_HEX, 8},        {6, 6, SP_CELL_WEDGE, 6},      {7, 5, SP_CELL_PYRAMID, 5},    {8, 3, SP_CELL_LINE3, 3},
    {9, 6, SP_CELL_TRIANGLE6, 6},  {10, 9, SP_CELL_QUAD, 4},      {11, 10, SP_CELL_TET10, 10},   {12, 27, SP_CELL_HEX, 8},
    {13, 18, SP_CELL_WEDGE, 6},    {14, 14, SP_CELL_PYRAMID, 5},  {15, 1, SP_CELL_POINT, 1},     {16, 8, SP_CELL_QUAD, 4},
    {17, 20, SP_CELL_HEX, 8},      {18, 15, SP_CELL_WEDGE, 6},    {19, 13, SP_CELL_PYRAMID, 5},  {20, 9, SP_CELL_TRIANGLE, 3},
    {21, 10, SP_CELL_TRIANGLE, 3}, {22, 12, SP_CELL_TRIANGLE, 3}, {23, 15, SP_CELL_TRIANGLE, 3}, {24, 15, SP_CELL_TRIANGLE, 3},
    {25, 21, SP_CELL_TRIANGLE, 3}, {26, 4, SP_CELL_LINE, 2},      {27, 5, SP_CELL_LINE, 2},      {28, 6, SP_CELL_LINE, 2},
    {29, 20, SP_CELL_TET, 4},      {30, 35, SP_CELL_TET, 4},      {31, 56, SP_CELL_TET, 4},      {92, 64, SP_CELL_HEX, 8},
    {93, 125, SP_CELL_HEX, 8},
};

// NULL: unknown
static const sp_msh_kind *msh_kind(int64_t type) {
    if (type >= 1 && type <= 31) return &kinds[type - 1];
    return type == 92 || type == 93 ? &kinds[type - 92 + 31] : NULL;
}

int sp__msh_type_of(int cell) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].cell == cell && kinds[i].kept == kinds[i].nodes) return kinds[i].type;
    return 0;
}

void sp__msh_reorder(int cell, int *nodes) {
    if (cell != SP_CELL_TET10) return;
    int swap = nodes[8];
    nodes[8] = nodes[9], nodes[9] = swap;
}

// =============================================================================================== physical groups

// Physical groups of a Gmsh file: a group is a pair (dimension, number) with an optional name. Version 2 stores the number with
// each element, version 4 with the model entity of the element.

// ------------------------------------------------------------------------------------------------ entities

static sp_status skip_ints(sp_msh *r, const char *what) {
    int64_t count, value;
    SP_TRY(msh_any_size(r, what, 0, INT_MAX, &count));
    for (int64_t i = 0; i < count; i++) SP_TRY(msh_any_int(r, what, INT_MIN, INT_MAX, &value));
    return SP_OK;
}

// coordinate of a point or a bounding box; a box may be empty, so infinite bounds are accepted
static sp_status skip_number(sp_msh *r) {
    if (r->binary) {
        SP_TRY(msh_need(r, "bounds of an entity", 1, 8));
        r->words.at += 8;
        return SP_OK;
    }
    sp__words_space(&r->words);
    const char *start = r->words.at;
    while (r->words.at < r->words.end && (unsigned char)*r->words.at > ' ') r->words.at++;
    return r->words.at > start && *start != '$' ? SP_OK : SP_MSH_FAIL(r, "bounds of an entity: a number is needed");
}

static sp_status read_physicals(sp_msh *r, sp_msh_entity *entity) {
    int64_t count, number;
    SP_TRY(msh_any_size(r, "count of physical tags", 0, SP_MSH_PHYSICALS_MAX, &count));
    entity->first = (int)r->physical_count;
    for (int64_t i = 0; i < count; i++) {
        SP_TRY(msh_any_int(r, "physical tag", -INT_MAX, INT_MAX, &number));
        if (!number) continue;
        if (!SP_KEEP_MORE(r->keep, r->physicals, r->physical_count, &r->physical_capacity)) return sp__cells_no_memory(r->cells);
        r->physicals[r->physical_count++] = number < 0 ? (int)-number : (int)number;
        entity->count++;
    }
    return SP_OK;
}

static sp_status read_entity(sp_msh *r, int dimension, bool partitioned) {
    int64_t tag, value;
    SP_TRY(msh_any_int(r, "tag of an entity", INT_MIN, INT_MAX, &tag));
    if (partitioned) {
        SP_TRY(msh_any_int(r, "dimension of the parent", -1, 3, &value));
        SP_TRY(msh_any_int(r, "tag of the parent", INT_MIN, INT_MAX, &value));
        SP_TRY(skip_ints(r, "partitions of an entity"));
    }
    for (int k = 0; k < (dimension ? 6 : 3); k++) SP_TRY(skip_number(r));
    sp_msh_entity entity = {.key = sp__msh_key(dimension, tag)};
    SP_TRY(read_physicals(r, &entity));
    if (dimension) SP_TRY(skip_ints(r, "boundary of an entity"));
    if (!entity.count) return SP_OK;
    if (!SP_KEEP_MORE(r->keep, r->entities, r->entity_count, &r->entity_capacity)) return sp__cells_no_memory(r->cells);
    r->entities[r->entity_count++] = entity;
    return SP_OK;
}

static sp_status read_ghosts(sp_msh *r) {
    int64_t partitions, ghosts, value;
    SP_TRY(msh_any_size(r, "count of partitions", 0, INT_MAX, &partitions));
    SP_TRY(msh_any_size(r, "count of ghost entities", 0, INT_MAX, &ghosts));
    for (int64_t i = 0; i < 2 * ghosts; i++) SP_TRY(msh_any_int(r, "ghost entity", INT_MIN, INT_MAX, &value));
    return SP_OK;
}

// Sections, read after their opening word.
static sp_status msh_entities(sp_msh *r, bool partitioned) {
    int count[4];
    if (r->binary) SP_TRY(msh_bytes_begin(r));
    if (partitioned) SP_TRY(read_ghosts(r));
    for (int d = 0; d < 4; d++) SP_TRY(msh_count(r, "count of entities", 8, 28, &count[d]));
    for (int d = 0; d < 4; d++)
        for (int i = 0; i < count[d]; i++) SP_TRY(read_entity(r, d, partitioned));
    return msh_end(r, partitioned ? "$EndPartitionedEntities" : "$EndEntities");
}

static int by_entity_key(const void *a, const void *b) {
    const sp_msh_entity *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

// call after the last entity, before the first lookup
static void msh_entities_sort(sp_msh *r) {
    if (r->entity_count) qsort(r->entities, r->entity_count, sizeof *r->entities, by_entity_key);
}

// NULL: no physical groups
static const sp_msh_entity *msh_entity(const sp_msh *r, uint64_t key) {
    size_t low = 0, high = r->entity_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->entities[middle].key <= key)
            low = middle + 1;
        else
            high = middle;
    }
    // partitions of an entity follow the entity itself: the last entry of a key counts
    return low && r->entities[low - 1].key == key ? &r->entities[low - 1] : NULL;
}

// ------------------------------------------------------------------------------------------------ groups

static int by_run_key(const void *a, const void *b) {
    const sp_msh_run *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static int by_name_key(const void *a, const void *b) {
    const sp_msh_name *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static const char *name_of(sp_msh *r, uint64_t key) {
    sp_msh_name want = {key, NULL};
    const sp_msh_name *hit = r->name_count ? bsearch(&want, r->names, (size_t)r->name_count, sizeof want, by_name_key) : NULL;
    if (hit) return hit->name;
    char number[16];
    snprintf(number, sizeof number, "%d", (int)(int32_t)(uint32_t)key);
    return sp__keep_text(r->keep, number);
}

// makes a group from the runs with the key of `from`; a cell in several runs counts once
static size_t make_group(sp_msh *r, size_t from, sp_cells_group *group) {
    size_t end = from;
    uint64_t key = r->runs[from].key;
    int64_t total = 0;
    for (; end < r->run_count && r->runs[end].key == key; end++) total += r->runs[end].count;
    *group = (sp_cells_group){.name = name_of(r, key), .dimension = (int)(key >> 32), .number = (int32_t)(uint32_t)key};
    if (!group->name || total > INT_MAX || !SP_KEEP(r->keep, group->cells, total)) return 0;
    int next = 0;
    for (size_t i = from; i < end; i++)
        for (int cell = r->runs[i].first; cell < r->runs[i].first + r->runs[i].count; cell++)
            if (cell >= next) group->cells[group->cell_count++] = cell, next = cell + 1;
    return end;
}

// Builds the groups from runs and names, after all sections.
static sp_status msh_groups(sp_msh *r) {
    size_t keys = 0;
    if (!r->run_count) return SP_OK;
    qsort(r->runs, r->run_count, sizeof *r->runs, by_run_key);
    if (r->name_count) qsort(r->names, (size_t)r->name_count, sizeof *r->names, by_name_key);
    for (size_t i = 0; i < r->run_count; i++) keys += i == 0 || r->runs[i].key != r->runs[i - 1].key;
    if (keys > INT_MAX || !SP_KEEP(r->keep, r->cells->groups, keys)) return sp__cells_no_memory(r->cells);
    for (size_t i = 0; i < r->run_count;) {
        i = make_group(r, i, &r->cells->groups[r->cells->group_count]);
        if (!i) return sp__cells_no_memory(r->cells);
        r->cells->group_count++;
    }
    return SP_OK;
}

// ============================================================================================ nodes and elements

// Nodes and elements of a Gmsh file. Version 2 lists them one by one with their tags. Version 4 has one block per model entity,
// whose physical groups are listed in $Entities.

enum { NODES_MAX = 128 };  // nodes of one element

static const int64_t ID_MAX = INT64_MAX / 4;

// ------------------------------------------------------------------------------------------------ nodes

static sp_status node_capacity(sp_msh *r, int count) {
    if (!SP_KEEP(r->keep, r->cells->node_ids, count) || !sp__cells_reserve_nodes(r->cells, count))
        return sp__cells_no_memory(r->cells);
    return SP_OK;
}

static sp_status read_position(sp_msh *r, double *x) {
    for (int k = 0; k < 3; k++) SP_TRY(msh_any_number(r, "coordinate", &x[k]));
    return SP_OK;
}

static sp_status msh_nodes2(sp_msh *r) {
    int count;
    SP_TRY(msh_count(r, "count of nodes", 8, 28, &count));
    SP_TRY(node_capacity(r, count));
    if (r->binary) SP_TRY(msh_bytes_begin(r));
    for (int i = 0; i < count; i++) {
        SP_TRY(msh_any_int(r, "number of a node", 0, ID_MAX, &r->cells->node_ids[i]));
        SP_TRY(read_position(r, r->cells->x + 3 * (size_t)i));
    }
    return SP_OK;
}

static sp_status read_node_block(sp_msh *r, int total, int *done) {
    int64_t dimension, tag, parametric, n;
    double u;
    SP_TRY(msh_any_int(r, "dimension of an entity", 0, 3, &dimension));
    SP_TRY(msh_any_int(r, "tag of an entity", INT_MIN, INT_MAX, &tag));
    SP_TRY(msh_any_int(r, "parametric", 0, 1, &parametric));
    SP_TRY(msh_any_size(r, "nodes of a block", 0, total - *done, &n));
    for (int64_t i = 0; i < n; i++) SP_TRY(msh_any_size(r, "number of a node", 0, ID_MAX, &r->cells->node_ids[*done + i]));
    for (int64_t i = 0; i < n; i++) {
        SP_TRY(read_position(r, r->cells->x + 3 * (size_t)(*done + i)));
        for (int64_t k = 0; parametric && k < dimension; k++) SP_TRY(msh_any_number(r, "parameter of a node", &u));
    }
    *done += (int)n;
    return SP_OK;
}

// head of $Nodes and $Elements: number of blocks, number of items, lowest and highest tag
static sp_status read_blocks_head(sp_msh *r, const char *what, int text_bytes, int binary_bytes, int *blocks, int *count) {
    int64_t low, high;
    if (r->binary) SP_TRY(msh_bytes_begin(r));
    SP_TRY(msh_count(r, "count of blocks", 8, 12 + r->word, blocks));
    SP_TRY(msh_count(r, what, text_bytes, binary_bytes, count));
    SP_TRY(msh_any_size(r, "least number", 0, INT64_MAX, &low));
    return msh_any_size(r, "greatest number", 0, INT64_MAX, &high);
}

static sp_status all_there(sp_msh *r, const char *what, int announced, int seen) {
    if (seen == announced) return SP_OK;
    return SP_MSH_FAIL(r, "%d %s announced, %d in its blocks", announced, what, seen);
}

static sp_status msh_nodes4(sp_msh *r) {
    int blocks, count, done = 0;
    SP_TRY(read_blocks_head(r, "count of nodes", 8, r->word + 24, &blocks, &count));
    SP_TRY(node_capacity(r, count));
    for (int i = 0; i < blocks; i++) SP_TRY(read_node_block(r, count, &done));
    return all_there(r, "nodes", count, done);
}

// ------------------------------------------------------------------------------------------------ cells

static sp_status cell_capacity(sp_msh *r, int count) {
    if (!SP_KEEP(r->keep, r->cells->cell_ids, count) || !sp__cells_reserve(r->cells, count, 4 * (int64_t)count))
        return sp__cells_no_memory(r->cells);
    r->corner_capacity = 4 * (size_t)count;
    r->cells->cell_count = 0;
    return SP_OK;
}

static sp_status node_missing(sp_msh *r, int64_t id, int64_t node) {
    return SP_MSH_FAIL(r, "element %lld has node %lld, which $Nodes does not have", (long long)id, (long long)node);
}

// Adds a cell of that type (NULL: unknown). Its nodes are looked up by the numbers of the file.
static sp_status msh_add_cell(sp_msh *r, int64_t id, const sp_msh_kind *kind, const int64_t *nodes) {
    sp_cells *c = r->cells;
    size_t kept = kind ? (size_t)kind->kept : 0;
    while (r->corner_count + kept > r->corner_capacity)
        if (!SP_KEEP_MORE(r->keep, c->nodes, r->corner_capacity, &r->corner_capacity)) return sp__cells_no_memory(r->cells);
    int *to = c->nodes + r->corner_count;
    for (size_t i = 0; i < kept; i++) {
        to[i] = msh_place(&r->node_places, nodes[i]);
        if (to[i] < 0) return node_missing(r, id, nodes[i]);
    }
    if (kind) sp__msh_reorder(kind->cell, to);
    r->corner_count += kept;
    c->type[c->cell_count] = (unsigned char)(kind ? kind->cell : SP_CELL_OTHER);
    c->cell_ids[c->cell_count] = id;
    c->start[++c->cell_count] = (int64_t)r->corner_count;
    return SP_OK;
}

static sp_status msh_add_run(sp_msh *r, uint64_t key, int first, int count) {
    sp_msh_run *last = r->run_count ? &r->runs[r->run_count - 1] : NULL;
    if (last && last->key == key && last->first + last->count == first) {
        last->count += count;
        return SP_OK;
    }
    if (!SP_KEEP_MORE(r->keep, r->runs, r->run_count, &r->run_capacity)) return sp__cells_no_memory(r->cells);
    r->runs[r->run_count++] = (sp_msh_run){key, first, count};
    return SP_OK;
}

static int kind_dimension(const sp_msh_kind *kind, int otherwise) {
    return kind ? sp__cell_dimension(kind->cell) : otherwise;
}

// ------------------------------------------------------------------------------------------------ version 2

typedef struct element2 {
    int64_t id, type, tag_count, physical, nodes[NODES_MAX];
    const sp_msh_kind *kind;
} element2;

// Gmsh writes an element of two physical groups twice in sequence, with two numbers: it becomes one cell in two groups
static bool repeats_last(const sp_msh *r, const element2 *e, const element2 *last, uint64_t key) {
    if (!r->cells->cell_count || !e->kind || e->kind != last->kind || !e->physical || e->physical == last->physical) return false;
    for (int i = 0; i < e->kind->nodes; i++)
        if (e->nodes[i] != last->nodes[i]) return false;
    // already in this group: the file lists the element twice
    int groups = 0;
    for (size_t i = r->run_count; i-- > 0 && r->runs[i].first + r->runs[i].count == r->cells->cell_count; groups++)
        if (r->runs[i].key == key || groups == SP_MSH_PHYSICALS_MAX) return false;
    return last->physical != 0;
}

static sp_status add_element2(sp_msh *r, const element2 *e, const element2 *last) {
    uint64_t key = sp__msh_key(kind_dimension(e->kind, 3), e->physical);
    if (repeats_last(r, e, last, key)) return msh_add_run(r, key, r->cells->cell_count - 1, 1);
    SP_TRY(msh_add_cell(r, e->id, e->kind, e->nodes));
    return e->physical ? msh_add_run(r, key, r->cells->cell_count - 1, 1) : SP_OK;
}

static sp_status read_tags_and_nodes(sp_msh *r, element2 *e) {
    int64_t tag;
    e->physical = 0;
    for (int64_t i = 0; i < e->tag_count; i++) {
        SP_TRY(msh_any_int(r, "tag", INT32_MIN, INT32_MAX, &tag));
        if (i == 0) e->physical = tag < 0 ? -tag : tag;  // negative: reversed orientation
    }
    for (int i = 0; e->kind && i < e->kind->nodes; i++) SP_TRY(msh_any_int(r, "node of an element", 0, ID_MAX, &e->nodes[i]));
    return SP_OK;
}

static sp_status read_text_element2(sp_msh *r, element2 *e) {
    SP_TRY(sp__words_integer(&r->words, "number of an element", 0, ID_MAX, &e->id));
    SP_TRY(sp__words_integer(&r->words, "type of an element", 1, 255, &e->type));
    e->kind = msh_kind(e->type);
    e->physical = 0;
    if (!e->kind) {
        sp__words_skip_line(&r->words);
        return SP_OK;
    }
    SP_TRY(sp__words_integer(&r->words, "count of tags", 0, 64, &e->tag_count));
    return read_tags_and_nodes(r, e);
}

static sp_status read_text_elements2(sp_msh *r, int count) {
    element2 two[2] = {{.kind = NULL}, {.kind = NULL}};
    for (int i = 0; i < count; i++) {
        element2 *e = &two[i % 2];
        SP_TRY(read_text_element2(r, e));
        SP_TRY(add_element2(r, e, &two[(i + 1) % 2]));
    }
    return SP_OK;
}

static sp_status unknown_type(sp_msh *r, int64_t type) {
    return SP_MSH_FAIL(r, "elements of type %lld, which is not known: their length is not either", (long long)type);
}

// blocks of elements of one type each
static sp_status read_binary_elements2(sp_msh *r, int count) {
    element2 two[2] = {{.kind = NULL}, {.kind = NULL}};
    SP_TRY(msh_bytes_begin(r));
    for (int done = 0; done < count;) {
        int64_t type, follow, tags;
        SP_TRY(msh_any_int(r, "type of an element", 1, 255, &type));
        const sp_msh_kind *kind = msh_kind(type);
        if (!kind) return unknown_type(r, type);
        SP_TRY(msh_any_int(r, "elements of a block", 1, count - done, &follow));
        SP_TRY(msh_any_int(r, "count of tags", 0, 64, &tags));
        SP_TRY(msh_need(r, "elements of a block", (uint64_t)follow, 4 * (1 + (uint64_t)tags + (uint64_t)kind->nodes)));
        for (int64_t i = 0; i < follow; i++, done++) {
            element2 *e = &two[done % 2];
            e->kind = kind;
            e->tag_count = tags;
            SP_TRY(msh_any_int(r, "number of an element", 0, ID_MAX, &e->id));
            SP_TRY(read_tags_and_nodes(r, e));
            SP_TRY(add_element2(r, e, &two[(done + 1) % 2]));
        }
    }
    return SP_OK;
}

static sp_status msh_elements2(sp_msh *r) {
    int count;
    SP_TRY(msh_count(r, "count of elements", 6, 8, &count));
    SP_TRY(cell_capacity(r, count));
    return r->binary ? read_binary_elements2(r, count) : read_text_elements2(r, count);
}

// ------------------------------------------------------------------------------------------------ version 1

// number, type, physical group, elementary entity, count of nodes, nodes; always text
static sp_status read_element1(sp_msh *r, element2 *e) {
    int64_t entity, count;
    SP_TRY(sp__words_integer(&r->words, "number of an element", 0, ID_MAX, &e->id));
    SP_TRY(sp__words_integer(&r->words, "type of an element", 1, 255, &e->type));
    SP_TRY(sp__words_integer(&r->words, "physical group", INT32_MIN, INT32_MAX, &e->physical));
    SP_TRY(sp__words_integer(&r->words, "elementary entity", INT32_MIN, INT32_MAX, &entity));
    SP_TRY(sp__words_integer(&r->words, "count of nodes", 1, INT32_MAX, &count));
    if (e->physical < 0) e->physical = -e->physical;
    e->kind = msh_kind(e->type);
    if (!e->kind) {
        sp__words_skip_line(&r->words);
        return SP_OK;
    }
    if (count != e->kind->nodes)
        return SP_MSH_FAIL(r, "%d nodes of an element of type %d, which has %d", (int)count, (int)e->type, e->kind->nodes);
    for (int i = 0; i < e->kind->nodes; i++) SP_TRY(sp__words_integer(&r->words, "node of an element", 0, ID_MAX, &e->nodes[i]));
    return SP_OK;
}

static sp_status msh_elements1(sp_msh *r) {
    element2 two[2] = {{.kind = NULL}, {.kind = NULL}};
    int count;
    SP_TRY(msh_count(r, "count of elements", 6, 8, &count));
    SP_TRY(cell_capacity(r, count));
    for (int i = 0; i < count; i++) {
        element2 *e = &two[i % 2];
        SP_TRY(read_element1(r, e));
        SP_TRY(add_element2(r, e, &two[(i + 1) % 2]));
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ version 4

static sp_status add_entity_runs(sp_msh *r, uint64_t key, int dimension, int first) {
    int count = r->cells->cell_count - first;
    const sp_msh_entity *e = count ? msh_entity(r, key) : NULL;
    for (int k = 0; e && k < e->count; k++)
        SP_TRY(msh_add_run(r, sp__msh_key(dimension, r->physicals[e->first + k]), first, count));
    return SP_OK;
}

static sp_status read_cells_of(sp_msh *r, const sp_msh_kind *kind, int64_t n) {
    int64_t id, nodes[NODES_MAX];
    for (int64_t i = 0; i < n; i++) {
        SP_TRY(msh_any_size(r, "number of an element", 0, ID_MAX, &id));
        for (int k = 0; kind && k < kind->nodes; k++) SP_TRY(msh_any_size(r, "node of an element", 0, ID_MAX, &nodes[k]));
        SP_TRY(msh_add_cell(r, id, kind, nodes));
        if (!kind) sp__words_skip_line(&r->words);
    }
    return SP_OK;
}

static sp_status read_element_block(sp_msh *r, int total) {
    int64_t dimension, tag, type, n;
    int first = r->cells->cell_count;
    SP_TRY(msh_any_int(r, "dimension of an entity", 0, 3, &dimension));
    SP_TRY(msh_any_int(r, "tag of an entity", INT_MIN, INT_MAX, &tag));
    SP_TRY(msh_any_int(r, "type of an element", 1, 255, &type));
    const sp_msh_kind *kind = msh_kind(type);
    if (!kind && r->binary) return unknown_type(r, type);
    SP_TRY(msh_any_size(r, "elements of a block", 0, total - first, &n));
    if (r->binary) SP_TRY(msh_need(r, "elements of a block", (uint64_t)n, (uint64_t)(r->word * (1 + kind->nodes))));
    SP_TRY(read_cells_of(r, kind, n));
    return add_entity_runs(r, sp__msh_key((int)dimension, tag), kind_dimension(kind, (int)dimension), first);
}

static sp_status msh_elements4(sp_msh *r) {
    int blocks, count;
    SP_TRY(read_blocks_head(r, "count of elements", 2, 2 * r->word, &blocks, &count));
    SP_TRY(cell_capacity(r, count));
    msh_entities_sort(r);
    for (int i = 0; i < blocks; i++) SP_TRY(read_element_block(r, count));
    return all_there(r, "elements", count, r->cells->cell_count);
}

// ========================================================================================================== data

// $NodeData and $ElementData of a Gmsh file: one array per name. A later block of the same name (the next step of a time series)
// replaces an earlier one. Items that a block does not list are NaN.

enum { ARRAYS_MAX = 256 };

typedef struct data_head {
    char name[128];
    int64_t components, entries;
} data_head;

// the head is text in binary files too
static sp_status read_head(sp_msh *r, data_head *head) {
    int64_t texts, reals, integers, value;
    double time;
    char other[256];
    SP_TRY(sp__words_integer(&r->words, "count of texts", 1, 16, &texts));
    SP_TRY(msh_text(r, head->name, sizeof head->name));
    for (int64_t i = 1; i < texts; i++) SP_TRY(msh_text(r, other, sizeof other));
    SP_TRY(sp__words_integer(&r->words, "count of real numbers", 0, 16, &reals));
    for (int64_t i = 0; i < reals; i++) SP_TRY(sp__words_number(&r->words, "time of the data", &time));
    SP_TRY(sp__words_integer(&r->words, "count of integers", 3, 16, &integers));
    SP_TRY(sp__words_integer(&r->words, "step of the data", INT_MIN, INT_MAX, &value));
    SP_TRY(sp__words_integer(&r->words, "count of components", 1, 9, &head->components));
    SP_TRY(sp__words_integer(&r->words, "count of values", 0, (r->words.end - r->words.at) / 4 + 1, &head->entries));
    for (int64_t i = 3; i < integers; i++) SP_TRY(sp__words_integer(&r->words, "integer of the data", INT_MIN, INT_MAX, &value));
    return r->binary ? msh_bytes_begin(r) : SP_OK;
}

static size_t value_count(const sp_msh *r, const data_head *head, bool on_cells) {
    return (size_t)(on_cells ? r->cells->cell_count : r->cells->node_count) * (size_t)head->components;
}

static double *array_capacity(sp_msh *r, const data_head *head, bool on_cells) {
    sp_cells *c = r->cells;
    double *values;
    for (int i = 0; i < c->array_count; i++)
        if (c->arrays[i].on_cells == on_cells && c->arrays[i].components == head->components &&
            strcmp(c->arrays[i].name, head->name) == 0)
            return c->arrays[i].values;
    char *name = sp__keep_text(r->keep, head->name);
    if (!name || !SP_KEEP(r->keep, values, value_count(r, head, on_cells))) return NULL;
    if (!c->arrays && !SP_KEEP(r->keep, c->arrays, ARRAYS_MAX)) return NULL;
    c->arrays[c->array_count++] = (sp_cells_array){name, (int)head->components, on_cells, false, values};
    return values;
}

static sp_status read_entries(sp_msh *r, const data_head *head, const sp_msh_ids *places, double *values) {
    for (int64_t i = 0; i < head->entries; i++) {
        int64_t id;
        double value;
        SP_TRY(msh_any_int(r, "number of a value", 0, INT64_MAX / 4, &id));
        int place = msh_place(places, id);
        for (int64_t k = 0; k < head->components; k++) {
            SP_TRY(msh_any_number(r, "value", &value));
            if (place >= 0) values[(size_t)place * (size_t)head->components + (size_t)k] = value;
        }
    }
    return SP_OK;
}

static sp_status msh_data(sp_msh *r, bool on_cells) {
    data_head head;
    if (!r->has_elements) return SP_MSH_FAIL(r, "data before $Elements");
    if (r->cells->array_count == ARRAYS_MAX) return SP_MSH_FAIL(r, "more than %d arrays of data", ARRAYS_MAX);
    SP_TRY(read_head(r, &head));
    if (on_cells && !r->has_cell_places) {
        SP_TRY(msh_ids_index(r, r->cells->cell_ids, r->cells->cell_count, NULL, &r->cell_places));
        r->has_cell_places = true;
    }
    // many arrays with few entries each could make a small file need much memory
    r->data_count += value_count(r, &head, on_cells);
    if (r->data_count > 4 * (size_t)(r->words.end - r->begin) + 65536)
        return SP_MSH_FAIL(r, "\"%s\" brings the data to %zu values, too many for a file of %zu bytes", head.name, r->data_count,
                           (size_t)(r->words.end - r->begin));
    double *values = array_capacity(r, &head, on_cells);
    if (!values) return sp__cells_no_memory(r->cells);
    for (size_t i = 0; i < value_count(r, &head, on_cells); i++) values[i] = NAN;
    SP_TRY(read_entries(r, &head, on_cells ? &r->cell_places : &r->node_places, values));
    return msh_end(r, on_cells ? "$EndElementData" : "$EndNodeData");
}

// ====================================================================================================== sections

static sp_status read_order(sp_msh *r) {
    SP_TRY(msh_bytes_begin(r));
    SP_TRY(msh_need(r, "order of the bytes", 1, 4));
    uint32_t one = (uint32_t)msh_get_int(r);
    r->swap = one == UINT32_C(0x01000000);
    if (one == 1 || r->swap) return SP_OK;
    r->words.at -= 4;
    return SP_MSH_FAIL(r, "order of the bytes: 1 is needed in either order, seen 0x%08x", (unsigned)one);
}

static sp_status read_format(sp_msh *r) {
    double version;
    int64_t binary, size;
    if (r->has_format) return SP_MSH_FAIL(r, "$MeshFormat appears twice");
    SP_TRY(sp__words_number(&r->words, "version of the format", &version));
    if (!(version >= 2 && version < 3) && !(version >= 4.1 && version < 5))
        return SP_MSH_FAIL(r, "format version %g, 1.0, 2.2 and 4.1 can be read: save it with `gmsh -save -format msh41`",
                           version);
    SP_TRY(sp__words_integer(&r->words, "type of the file", 0, 1, &binary));
    SP_TRY(sp__words_integer(&r->words, "bytes of a number", 4, 8, &size));
    if (size != 8 && size != 4) return SP_MSH_FAIL(r, "bytes of a number = %d, must be 4 or 8", (int)size);
    r->version = version < 3 ? 2 : 4;
    r->cells->format = r->version == 2 ? "Gmsh 2.2" : "Gmsh 4.1";
    r->word = (int)size;
    r->has_format = true;
    r->binary = binary;
    if (binary) r->words.bytes = r->begin;
    if (binary) SP_TRY(read_order(r));
    return msh_end(r, "$EndMeshFormat");
}

static sp_status read_name(sp_msh *r) {
    int64_t dimension, number;
    char text[256];
    SP_TRY(sp__words_integer(&r->words, "dimension of a physical name", 0, 3, &dimension));
    SP_TRY(sp__words_integer(&r->words, "number of a physical name", INT32_MIN, INT32_MAX, &number));
    SP_TRY(msh_text(r, text, sizeof text));
    char *name = sp__keep_text(r->keep, text);
    if (!name) return sp__cells_no_memory(r->cells);
    r->names[r->name_count++] = (sp_msh_name){sp__msh_key((int)dimension, number), name};
    return SP_OK;
}

// this section is text in binary files too
static sp_status read_names(sp_msh *r) {
    int64_t count, most = (r->words.end - r->words.at) / 7 + 1;
    if (r->names) return SP_MSH_FAIL(r, "$PhysicalNames appears twice");
    SP_TRY(sp__words_integer(&r->words, "count of physical names", 0, most < INT_MAX ? most : INT_MAX, &count));
    if (!SP_KEEP(r->keep, r->names, count)) return sp__cells_no_memory(r->cells);
    for (int64_t i = 0; i < count; i++) SP_TRY(read_name(r));
    return msh_end(r, "$EndPhysicalNames");
}

static sp_status read_nodes(sp_msh *r) {
    if (r->has_nodes) return SP_MSH_FAIL(r, "%s appears twice", r->version == 1 ? "$NOD" : "$Nodes");
    r->has_nodes = true;
    SP_TRY(r->version == 4 ? msh_nodes4(r) : msh_nodes2(r));
    SP_TRY(msh_end(r, r->version == 1 ? "$ENDNOD" : "$EndNodes"));
    return msh_ids_index(r, r->cells->node_ids, r->cells->node_count, "node", &r->node_places);
}

static sp_status read_elements(sp_msh *r) {
    const char *name = r->version == 1 ? "$ELM" : "$Elements";
    if (!r->has_nodes) return SP_MSH_FAIL(r, "%s before %s", name, r->version == 1 ? "$NOD" : "$Nodes");
    if (r->has_elements) return SP_MSH_FAIL(r, "%s appears twice", name);
    r->has_elements = true;
    SP_TRY(r->version == 1 ? msh_elements1(r) : r->version == 2 ? msh_elements2(r) : msh_elements4(r));
    return msh_end(r, r->version == 1 ? "$ENDELM" : "$EndElements");
}

// skips an unused section up to its closing word at the beginning of a line
static sp_status skip_section(sp_msh *r) {
    char name[64], closing[80];
    int n = 0, opened = r->words.line;
    const char *start = r->words.at;
    for (r->words.at++; r->words.at < r->words.end && (unsigned char)*r->words.at > ' ' && n < 60; r->words.at++)
        name[n++] = *r->words.at;
    name[n] = 0;
    snprintf(closing, sizeof closing, "$End%s", name);
    while (sp__words_space(&r->words), r->words.at < r->words.end) {
        if (*r->words.at == '$' && sp__words_take(&r->words, closing)) return SP_OK;
        sp__words_skip_line(&r->words);
    }
    r->words.line = opened;
    r->words.at = start;
    return SP_MSH_FAIL(r, "section $%s is never closed", name);
}

static sp_status read_section(sp_msh *r) {
    char seen[32];
    if (*r->words.at != '$')
        return SP_MSH_FAIL(r, "a section ($Nodes, ...) is needed here, seen %s", sp__words_shown(&r->words, seen));
    if (sp__words_take(&r->words, "$MeshFormat")) return read_format(r);
    if (!r->has_format && sp__words_take(&r->words, "$NOD")) {  // version 1 begins with its nodes
        r->version = 1;
        r->cells->format = "Gmsh 1.0";
        r->has_format = true;
        return read_nodes(r);
    }
    if (r->version == 1 && sp__words_take(&r->words, "$NOD")) return read_nodes(r);
    if (r->version == 1 && sp__words_take(&r->words, "$ELM")) return read_elements(r);
    if (!r->has_format)
        return SP_MSH_FAIL(r, "not a Gmsh file: it must begin with $MeshFormat, seen %s", sp__words_shown(&r->words, seen));
    if (sp__words_take(&r->words, "$PhysicalNames")) return read_names(r);
    if (r->version == 4 && sp__words_take(&r->words, "$Entities")) return msh_entities(r, false);
    if (r->version == 4 && sp__words_take(&r->words, "$PartitionedEntities")) return msh_entities(r, true);
    if (sp__words_take(&r->words, "$Nodes")) return read_nodes(r);
    if (sp__words_take(&r->words, "$Elements")) return read_elements(r);
    if (sp__words_take(&r->words, "$NodeData")) return msh_data(r, false);
    if (sp__words_take(&r->words, "$ElementData")) return msh_data(r, true);
    return skip_section(r);
}

static sp_status read_msh(sp_cells *cells, const char *text, size_t size, const char *path) {
    (void)path;
    sp_msh r = {.cells = cells, .keep = &cells->keep, .words = sp__words(cells, text, size), .begin = text, .word = 8};
    for (sp__words_space(&r.words); r.words.at < r.words.end; sp__words_space(&r.words)) SP_TRY(read_section(&r));
    if (!r.has_format) return SP_MSH_FAIL(&r, "not a Gmsh file: it is empty");
    if (!r.has_nodes) return SP_MSH_FAIL(&r, "no $Nodes");
    if (!r.has_elements) return SP_MSH_FAIL(&r, "no $Elements");
    return msh_groups(&r);
}

static bool knows_msh(const char *head, size_t size) {
    size_t at = strspn(head, " \t\r\n");
    return at < size && (strncmp(head + at, "$MeshFormat", 11) == 0 || strncmp(head + at, "$NOD", 4) == 0);
}

const sp_mesh_format sp__format_msh = {"msh", ".msh .msh4", "Gmsh 4.1", knows_msh, read_msh, sp__msh_write4};
const sp_mesh_format sp__format_msh2 = {"msh2", ".msh2", "Gmsh 2.2", NULL, read_msh, sp__msh_write2};
