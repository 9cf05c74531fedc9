// Shared by the parts of the Gmsh reader and writer. Format: Gmsh reference manual, "MSH file format" (4.1) and "MSH file format
// version 2 (Legacy)".
#ifndef SP_MESH_MSH_H
#define SP_MESH_MSH_H

#include "io/mesh/cells.h"

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
    const char *begin, *at, *end;
    int line;
    int version;  // 2 or 4
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

// "file:line: ..." in texts, "file: at byte N: ..." in binaries.
#define SP_MSH_FAIL(r, ...) \
    sp__cells_fail((r)->cells, (r)->binary ? 0 : (r)->line, (r)->binary ? (r)->at - (r)->begin : -1, __LINE__, __VA_ARGS__)

static inline uint64_t sp__msh_key(int dimension, int64_t number) {
    return (uint64_t)dimension << 32 | (uint32_t)number;
}

// ------------------------------------------------------------------------------------------------ tokens (mesh_msh_tokens.c)

// Text. `what` names the value in messages.
sp_status sp__msh_number(sp_msh *r, const char *what, double *out);
sp_status sp__msh_integer(sp_msh *r, const char *what, int64_t low, int64_t high, int64_t *out);
sp_status sp__msh_text(sp_msh *r, char *out, size_t size);  // "quoted" string
void sp__msh_space(sp_msh *r);                              // skips white space
void sp__msh_skip_line(sp_msh *r);                          // skips to the end of the line
bool sp__msh_take(sp_msh *r, const char *word);             // consumes the word if it is next
sp_status sp__msh_end(sp_msh *r, const char *word);         // the closing word of a section
const char *sp__msh_shown(const sp_msh *r, char out[32]);   // the next token, shortened for a message
// Moves to the first byte after the end of this line, where the binary data begin.
sp_status sp__msh_bytes_begin(sp_msh *r);

// Binary: checks that n x size bytes are left; the getters below it read one number each, unchecked.
sp_status sp__msh_need(sp_msh *r, const char *what, uint64_t n, uint64_t size);
int32_t sp__msh_get_int(sp_msh *r);
uint64_t sp__msh_get_size(sp_msh *r);
double sp__msh_get_double(sp_msh *r);

// Text or binary: an int or a size of the file, within limits; a finite number.
sp_status sp__msh_any_int(sp_msh *r, const char *what, int64_t low, int64_t high, int64_t *out);
sp_status sp__msh_any_size(sp_msh *r, const char *what, int64_t low, int64_t high, int64_t *out);
sp_status sp__msh_any_number(sp_msh *r, const char *what, double *out);
// A count of items of at least so many bytes each (text, binary). It is limited to what the rest of the file could hold.
sp_status sp__msh_count(sp_msh *r, const char *what, int text_bytes, int binary_bytes, int *out);

// ------------------------------------------------------------------------------------------------ sections, cells, groups

sp_status sp__msh_ids_index(sp_msh *r, const int64_t *ids, int count, const char *unique, sp_msh_ids *out);
int sp__msh_place(const sp_msh_ids *ids, int64_t id);  // -1: not found

// Element types, by Gmsh's number.
typedef struct sp_msh_kind {
    short type, nodes;  // as in the file
    short cell, kept;   // sp_cell_type, and the number of nodes that are kept
} sp_msh_kind;
const sp_msh_kind *sp__msh_kind(int64_t type);  // NULL: unknown
int sp__msh_type_of(int cell);                  // Gmsh's number of a cell type; 0: none
// Converts between Gmsh's node order and ours (its own inverse).
void sp__msh_reorder(int cell, int *nodes);

// Sections, read after their opening word.
sp_status sp__msh_entities(sp_msh *r, bool partitioned);
void sp__msh_entities_sort(sp_msh *r);                               // call after the last entity, before the first lookup
const sp_msh_entity *sp__msh_entity(const sp_msh *r, uint64_t key);  // NULL: no physical groups
sp_status sp__msh_nodes2(sp_msh *r);
sp_status sp__msh_nodes4(sp_msh *r);
sp_status sp__msh_elements2(sp_msh *r);
sp_status sp__msh_elements4(sp_msh *r);
sp_status sp__msh_data(sp_msh *r, bool on_cells);

// Adds a cell of that type (NULL: unknown). Its nodes are looked up by the numbers of the file.
sp_status sp__msh_add_cell(sp_msh *r, int64_t id, const sp_msh_kind *kind, const int64_t *nodes);
sp_status sp__msh_add_run(sp_msh *r, uint64_t key, int first, int count);
// Builds the groups from runs and names, after all sections.
sp_status sp__msh_groups(sp_msh *r);

sp_status sp__msh_write2(const sp_cells *cells, const char *path, const sp_mesh_write_options *options);
sp_status sp__msh_write4(const sp_cells *cells, const char *path, const sp_mesh_write_options *options);

#endif
