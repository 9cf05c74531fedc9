// Nodes and elements of a Gmsh file. Version 2 lists them one by one with their tags. Version 4 has one block per model entity,
// whose physical groups are listed in $Entities.
#include <limits.h>

#include "io/mesh/mesh_msh.h"

enum { NODES_MAX = 128 };  // nodes of one element

static const int64_t ID_MAX = INT64_MAX / 4;

static sp_status no_memory(sp_msh *r) {
    return sp__cells_no_memory(r->cells);
}

// ------------------------------------------------------------------------------------------------ nodes

static sp_status node_capacity(sp_msh *r, int count) {
    if (!SP_KEEP(r->keep, r->cells->node_ids, count) || !sp__cells_reserve_nodes(r->cells, count)) return no_memory(r);
    return SP_OK;
}

static sp_status read_position(sp_msh *r, double *x) {
    for (int k = 0; k < 3; k++) SP_TRY(sp__msh_any_number(r, "coordinate", &x[k]));
    return SP_OK;
}

sp_status sp__msh_nodes2(sp_msh *r) {
    int count;
    SP_TRY(sp__msh_count(r, "count of nodes", 8, 28, &count));
    SP_TRY(node_capacity(r, count));
    if (r->binary) SP_TRY(sp__msh_bytes_begin(r));
    for (int i = 0; i < count; i++) {
        SP_TRY(sp__msh_any_int(r, "number of a node", 0, ID_MAX, &r->cells->node_ids[i]));
        SP_TRY(read_position(r, r->cells->x + 3 * (size_t)i));
    }
    return SP_OK;
}

static sp_status read_node_block(sp_msh *r, int total, int *done) {
    int64_t dimension, tag, parametric, n;
    double u;
    SP_TRY(sp__msh_any_int(r, "dimension of an entity", 0, 3, &dimension));
    SP_TRY(sp__msh_any_int(r, "tag of an entity", INT_MIN, INT_MAX, &tag));
    SP_TRY(sp__msh_any_int(r, "parametric", 0, 1, &parametric));
    SP_TRY(sp__msh_any_size(r, "nodes of a block", 0, total - *done, &n));
    for (int64_t i = 0; i < n; i++) SP_TRY(sp__msh_any_size(r, "number of a node", 0, ID_MAX, &r->cells->node_ids[*done + i]));
    for (int64_t i = 0; i < n; i++) {
        SP_TRY(read_position(r, r->cells->x + 3 * (size_t)(*done + i)));
        for (int64_t k = 0; parametric && k < dimension; k++) SP_TRY(sp__msh_any_number(r, "parameter of a node", &u));
    }
    *done += (int)n;
    return SP_OK;
}

// head of $Nodes and $Elements: number of blocks, number of items, lowest and highest tag
static sp_status read_blocks_head(sp_msh *r, const char *what, int text_bytes, int binary_bytes, int *blocks, int *count) {
    int64_t low, high;
    if (r->binary) SP_TRY(sp__msh_bytes_begin(r));
    SP_TRY(sp__msh_count(r, "count of blocks", 8, 12 + r->word, blocks));
    SP_TRY(sp__msh_count(r, what, text_bytes, binary_bytes, count));
    SP_TRY(sp__msh_any_size(r, "least number", 0, INT64_MAX, &low));
    return sp__msh_any_size(r, "greatest number", 0, INT64_MAX, &high);
}

static sp_status all_there(sp_msh *r, const char *what, int announced, int seen) {
    if (seen == announced) return SP_OK;
    return SP_MSH_FAIL(r, "%d %s announced, %d in its blocks", announced, what, seen);
}

sp_status sp__msh_nodes4(sp_msh *r) {
    int blocks, count, done = 0;
    SP_TRY(read_blocks_head(r, "count of nodes", 8, r->word + 24, &blocks, &count));
    SP_TRY(node_capacity(r, count));
    for (int i = 0; i < blocks; i++) SP_TRY(read_node_block(r, count, &done));
    return all_there(r, "nodes", count, done);
}

// ------------------------------------------------------------------------------------------------ cells

static sp_status cell_capacity(sp_msh *r, int count) {
    if (!SP_KEEP(r->keep, r->cells->cell_ids, count) || !sp__cells_reserve(r->cells, count, 4 * (int64_t)count))
        return no_memory(r);
    r->corner_capacity = 4 * (size_t)count;
    r->cells->cell_count = 0;
    return SP_OK;
}

static sp_status node_missing(sp_msh *r, int64_t id, int64_t node) {
    return SP_MSH_FAIL(r, "element %lld has node %lld, which $Nodes does not have", (long long)id, (long long)node);
}

sp_status sp__msh_add_cell(sp_msh *r, int64_t id, const sp_msh_kind *kind, const int64_t *nodes) {
    sp_cells *c = r->cells;
    size_t kept = kind ? (size_t)kind->kept : 0;
    while (r->corner_count + kept > r->corner_capacity)
        if (!SP_KEEP_MORE(r->keep, c->nodes, r->corner_capacity, &r->corner_capacity)) return no_memory(r);
    int *to = c->nodes + r->corner_count;
    for (size_t i = 0; i < kept; i++) {
        to[i] = sp__msh_place(&r->node_places, nodes[i]);
        if (to[i] < 0) return node_missing(r, id, nodes[i]);
    }
    if (kind) sp__msh_reorder(kind->cell, to);
    r->corner_count += kept;
    c->type[c->cell_count] = (unsigned char)(kind ? kind->cell : SP_CELL_OTHER);
    c->cell_ids[c->cell_count] = id;
    c->start[++c->cell_count] = (int64_t)r->corner_count;
    return SP_OK;
}

sp_status sp__msh_add_run(sp_msh *r, uint64_t key, int first, int count) {
    sp_msh_run *last = r->run_count ? &r->runs[r->run_count - 1] : NULL;
    if (last && last->key == key && last->first + last->count == first) {
        last->count += count;
        return SP_OK;
    }
    if (!SP_KEEP_MORE(r->keep, r->runs, r->run_count, &r->run_capacity)) return no_memory(r);
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
    if (repeats_last(r, e, last, key)) return sp__msh_add_run(r, key, r->cells->cell_count - 1, 1);
    SP_TRY(sp__msh_add_cell(r, e->id, e->kind, e->nodes));
    return e->physical ? sp__msh_add_run(r, key, r->cells->cell_count - 1, 1) : SP_OK;
}

static sp_status read_tags_and_nodes(sp_msh *r, element2 *e) {
    int64_t tag;
    e->physical = 0;
    for (int64_t i = 0; i < e->tag_count; i++) {
        SP_TRY(sp__msh_any_int(r, "tag", INT32_MIN, INT32_MAX, &tag));
        if (i == 0) e->physical = tag < 0 ? -tag : tag;  // negative: reversed orientation
    }
    for (int i = 0; e->kind && i < e->kind->nodes; i++) SP_TRY(sp__msh_any_int(r, "node of an element", 0, ID_MAX, &e->nodes[i]));
    return SP_OK;
}

static sp_status read_text_element2(sp_msh *r, element2 *e) {
    SP_TRY(sp__msh_integer(r, "number of an element", 0, ID_MAX, &e->id));
    SP_TRY(sp__msh_integer(r, "type of an element", 1, 255, &e->type));
    e->kind = sp__msh_kind(e->type);
    e->physical = 0;
    if (!e->kind) {
        sp__msh_skip_line(r);
        return SP_OK;
    }
    SP_TRY(sp__msh_integer(r, "count of tags", 0, 64, &e->tag_count));
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
    SP_TRY(sp__msh_bytes_begin(r));
    for (int done = 0; done < count;) {
        int64_t type, follow, tags;
        SP_TRY(sp__msh_any_int(r, "type of an element", 1, 255, &type));
        const sp_msh_kind *kind = sp__msh_kind(type);
        if (!kind) return unknown_type(r, type);
        SP_TRY(sp__msh_any_int(r, "elements of a block", 1, count - done, &follow));
        SP_TRY(sp__msh_any_int(r, "count of tags", 0, 64, &tags));
        SP_TRY(sp__msh_need(r, "elements of a block", (uint64_t)follow, 4 * (1 + (uint64_t)tags + (uint64_t)kind->nodes)));
        for (int64_t i = 0; i < follow; i++, done++) {
            element2 *e = &two[done % 2];
            e->kind = kind;
            e->tag_count = tags;
            SP_TRY(sp__msh_any_int(r, "number of an element", 0, ID_MAX, &e->id));
            SP_TRY(read_tags_and_nodes(r, e));
            SP_TRY(add_element2(r, e, &two[(done + 1) % 2]));
        }
    }
    return SP_OK;
}

sp_status sp__msh_elements2(sp_msh *r) {
    int count;
    SP_TRY(sp__msh_count(r, "count of elements", 6, 8, &count));
    SP_TRY(cell_capacity(r, count));
    return r->binary ? read_binary_elements2(r, count) : read_text_elements2(r, count);
}

// ------------------------------------------------------------------------------------------------ version 4

static sp_status add_entity_runs(sp_msh *r, uint64_t key, int dimension, int first) {
    int count = r->cells->cell_count - first;
    const sp_msh_entity *e = count ? sp__msh_entity(r, key) : NULL;
    for (int k = 0; e && k < e->count; k++)
        SP_TRY(sp__msh_add_run(r, sp__msh_key(dimension, r->physicals[e->first + k]), first, count));
    return SP_OK;
}

static sp_status read_cells_of(sp_msh *r, const sp_msh_kind *kind, int64_t n) {
    int64_t id, nodes[NODES_MAX];
    for (int64_t i = 0; i < n; i++) {
        SP_TRY(sp__msh_any_size(r, "number of an element", 0, ID_MAX, &id));
        for (int k = 0; kind && k < kind->nodes; k++) SP_TRY(sp__msh_any_size(r, "node of an element", 0, ID_MAX, &nodes[k]));
        SP_TRY(sp__msh_add_cell(r, id, kind, nodes));
        if (!kind) sp__msh_skip_line(r);
    }
    return SP_OK;
}

static sp_status read_element_block(sp_msh *r, int total) {
    int64_t dimension, tag, type, n;
    int first = r->cells->cell_count;
    SP_TRY(sp__msh_any_int(r, "dimension of an entity", 0, 3, &dimension));
    SP_TRY(sp__msh_any_int(r, "tag of an entity", INT_MIN, INT_MAX, &tag));
    SP_TRY(sp__msh_any_int(r, "type of an element", 1, 255, &type));
    const sp_msh_kind *kind = sp__msh_kind(type);
    if (!kind && r->binary) return unknown_type(r, type);
    SP_TRY(sp__msh_any_size(r, "elements of a block", 0, total - first, &n));
    if (r->binary) SP_TRY(sp__msh_need(r, "elements of a block", (uint64_t)n, (uint64_t)(r->word * (1 + kind->nodes))));
    SP_TRY(read_cells_of(r, kind, n));
    return add_entity_runs(r, sp__msh_key((int)dimension, tag), kind_dimension(kind, (int)dimension), first);
}

sp_status sp__msh_elements4(sp_msh *r) {
    int blocks, count;
    SP_TRY(read_blocks_head(r, "count of elements", 2, 2 * r->word, &blocks, &count));
    SP_TRY(cell_capacity(r, count));
    sp__msh_entities_sort(r);
    for (int i = 0; i < blocks; i++) SP_TRY(read_element_block(r, count));
    return all_there(r, "elements", count, r->cells->cell_count);
}
