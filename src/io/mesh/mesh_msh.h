// What the parts of the Gmsh reader share.
#ifndef SP_MESH_MSH_H
#define SP_MESH_MSH_H

#include "io/file/text_file.h"
#include "souple/mesh.h"

// From a file's sparse numbers to places 0..n-1: a table where the numbers are dense, a sorted list otherwise.
typedef struct sp_msh_ids {
    int64_t low, high;
    int *table;       // place + 1 by number - low
    int64_t *sorted;  // pairs number, place
    int count;
} sp_msh_ids;

// A point, line, triangle, quadrangle or tetrahedron that belongs to a physical group.
typedef struct sp_msh_member {
    uint64_t key;  // dimension and number of the group
    int tet;       // which, or -1
    int nodes[4];  // of the smaller elements; -1: none
} sp_msh_member;

typedef struct sp_msh_name {
    uint64_t key;
    const char *name;
} sp_msh_name;

typedef struct sp_msh {
    sp_context *ctx;
    const char *file;
    const char *at, *end;  // the text not read yet
    int line;
    sp_keep keep;
    int node_count;
    int64_t *node_ids;
    double *positions;
    sp_msh_ids node_places, tet_places;
    int tet_count;
    int64_t *tet_ids;
    int *tets;
    sp_msh_member *members;
    int member_count;
    sp_msh_name *names;
    int name_count;
    sp_mesh_array *arrays;
    int array_count;
    bool has_format, has_nodes, has_elements;
} sp_msh;

#define SP_MSH_FAIL(r, ...) sp__msh_fail((r), __LINE__, __VA_ARGS__)
sp_status sp__msh_fail(sp_msh *r, int source_line, const char *format, ...) SP_PRINTF(3, 4);

static inline uint64_t sp__msh_key(int dimension, int64_t number) {
    return (uint64_t)dimension << 32 | (uint32_t)number;
}

// $ElementData and $NodeData, after the word itself.
sp_status sp__msh_data(sp_msh *r, bool on_elements);
int sp__msh_place(const sp_msh_ids *ids, int64_t id);  // -1: not there

// Tokens of the text. `what` names the thing in messages.
sp_status sp__msh_number(sp_msh *r, const char *what, double *out);
sp_status sp__msh_integer(sp_msh *r, const char *what, int64_t low, int64_t high, int64_t *out);
sp_status sp__msh_text(sp_msh *r, char *out, size_t size);  // "quoted"
void sp__msh_space(sp_msh *r);                              // over white space
sp_status sp__msh_end(sp_msh *r, const char *word);         // the closing word of a section

// Named groups out of members and names, with nodes renumbered by `renumber` (-1: left out).
sp_status sp__msh_groups(sp_msh *r, const int *renumber, sp_mesh_group **out, int *count);

#endif
