// Writer of Gmsh files, 4.1 and 2.2, text and binary. Nodes and elements keep their order, so that a reader gets the same mesh.
// Consecutive cells of one type and entity form a block.
#include <limits.h>
#include <stdio.h>

#include "io/mesh/mesh_tokens.h"

// A model entity: cells of one dimension in the same groups.
typedef struct sp_msh_part {
    int dimension;
    const int *groups;
    int group_count;
    int tag;  // 1, 2, ... in its dimension
    double low[3], high[3];
} sp_msh_part;

typedef struct sp_msh_plan {
    const sp_cells *cells;
    void *stream;  // FILE
    int version;
    bool binary;
    sp_keep keep;
    int *physical;               // number of each group in its own dimension
    int *point_physical;         // number in dimension 0, for the separately listed nodes; 0: none are listed
    sp_members members, points;  // groups of each cell, of each separately listed node
    sp_msh_part *parts;
    size_t part_count, part_capacity, last;
    int *table;  // hash table, part + 1
    size_t mask;
    int tags[4];     // number of entities per dimension
    int *cell_part;  // part of each cell
    int *point_node, *point_part;
    int point_count;
    int64_t element_count;                             // entries of $Elements
    int node_shift, cell_shift;                        // added to numbers that begin at 0, since Gmsh has no 0
    int64_t node_low, node_high, cell_low, cell_high;  // as written
} sp_msh_plan;

// ========================================================================================================== plan

// Cells as a Gmsh model. Cells of one dimension and the same groups form one entity, whose physical groups these are. Nodes that
// a group lists separately become points of a group of dimension 0 with the same name.

// ------------------------------------------------------------------------------------------------ numbers

static bool number_taken(const sp_msh_plan *p, int dimension, int64_t number, int but) {
    for (int g = 0; g < p->cells->group_count; g++) {
        const sp_cells_group *group = &p->cells->groups[g];
        int own = group->dimension < 0 ? 0 : group->dimension;
        if (g != but && ((own == dimension && p->physical[g] == number) || (dimension == 0 && p->point_physical[g] == number)))
            return true;
    }
    return false;
}

static int fresh_number(const sp_msh_plan *p, int *last) {
    for (;;) {
        bool taken = false;
        ++*last;
        for (int d = 0; d < 4 && !taken; d++) taken = number_taken(p, d, *last, -1);
        if (!taken) return *last;
    }
}

// a group keeps its number if Gmsh allows it and no other group of its dimension has it
static void number_groups(sp_msh_plan *p) {
    int last = 0, count = p->cells->group_count;
    for (int g = 0; g < count; g++) {
        const sp_cells_group *group = &p->cells->groups[g];
        int own = group->dimension < 0 ? 0 : group->dimension;
        if (group->number > 0 && group->number < INT_MAX && !number_taken(p, own, group->number, g))
            p->physical[g] = (int)group->number;
    }
    for (int g = 0; g < count; g++)
        if (!p->physical[g]) p->physical[g] = fresh_number(p, &last);
    for (int g = 0; g < count; g++) {
        const sp_cells_group *group = &p->cells->groups[g];
        if (!group->node_count) continue;
        bool free = group->dimension <= 0 || !number_taken(p, 0, p->physical[g], g);
        p->point_physical[g] = free ? p->physical[g] : fresh_number(p, &last);
    }
}

// ------------------------------------------------------------------------------------------------ entities

static bool same_set(const sp_msh_part *e, int dimension, const int *groups, int count) {
    return e->dimension == dimension && e->group_count == count &&
           (!count || memcmp(e->groups, groups, (size_t)count * sizeof *groups) == 0);
}

static size_t place_of(int dimension, const int *groups, int count, size_t mask) {
    uint64_t sum = sp__mix((uint64_t)dimension, 0);
    for (int i = 0; i < count; i++) sum += sp__mix((uint64_t)groups[i], (uint64_t)i + 1);
    return (size_t)(sum >> 7) & mask;
}

static void msh_plan_insert(sp_msh_plan *p, int part) {
    const sp_msh_part *e = &p->parts[part];
    size_t at = place_of(e->dimension, e->groups, e->group_count, p->mask);
    while (p->table[at]) at = (at + 1) & p->mask;
    p->table[at] = part + 1;
}

static bool table_capacity(sp_msh_plan *p) {
    if (p->table && 2 * (p->part_count + 1) <= p->mask) return true;
    p->mask = p->table ? 2 * p->mask + 1 : 63;
    if (!SP_KEEP(&p->keep, p->table, p->mask + 1)) return false;
    for (size_t i = 0; i < p->part_count; i++) msh_plan_insert(p, (int)i);
    return true;
}

// index of the entity, which is created if needed; -1: no memory
static int part_of(sp_msh_plan *p, int dimension, const int *groups, int count) {
    if (p->part_count && same_set(&p->parts[p->last], dimension, groups, count)) return (int)p->last;
    if (!table_capacity(p)) return -1;
    size_t at = place_of(dimension, groups, count, p->mask);
    for (; p->table[at]; at = (at + 1) & p->mask) {
        p->last = (size_t)p->table[at] - 1;
        if (same_set(&p->parts[p->last], dimension, groups, count)) return (int)p->last;
    }
    if (!SP_KEEP_MORE(&p->keep, p->parts, p->part_count, &p->part_capacity)) return -1;
    p->last = p->part_count++;
    p->parts[p->last] = (sp_msh_part){
        dimension, groups, count, ++p->tags[dimension], {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    msh_plan_insert(p, (int)p->last);
    return (int)p->last;
}

static void msh_plan_widen(sp_msh_part *e, const double *x) {
    for (int k = 0; k < 3; k++) e->low[k] = fmin(e->low[k], x[k]), e->high[k] = fmax(e->high[k], x[k]);
}

static bool place_cells(sp_msh_plan *p) {
    const sp_cells *c = p->cells;
    if (!SP_KEEP(&p->keep, p->cell_part, c->cell_count)) return false;
    for (int i = 0; i < c->cell_count; i++) {
        size_t from = p->members.start[i], to = p->members.start[i + 1];
        int part = part_of(p, sp__cell_dimension(c->type[i]), p->members.groups + from, (int)(to - from));
        if (part < 0) return false;
        p->cell_part[i] = part;
        p->element_count += p->version == 2 && to > from ? (int64_t)(to - from) : 1;
        for (int64_t k = c->start[i]; k < c->start[i + 1]; k++) msh_plan_widen(&p->parts[part], c->x + 3 * (size_t)c->nodes[k]);
    }
    return true;
}

static bool place_points(sp_msh_plan *p) {
    const sp_cells *c = p->cells;
    for (int i = 0; i < c->node_count; i++) p->point_count += p->points.start[i + 1] > p->points.start[i];
    if (!SP_KEEP(&p->keep, p->point_node, p->point_count) || !SP_KEEP(&p->keep, p->point_part, p->point_count)) return false;
    for (int i = 0, n = 0; i < c->node_count; i++) {
        size_t from = p->points.start[i], to = p->points.start[i + 1];
        if (from == to) continue;
        int part = part_of(p, 0, p->points.groups + from, (int)(to - from));
        if (part < 0) return false;
        p->point_node[n] = i;
        p->point_part[n++] = part;
        p->element_count += p->version == 2 ? (int64_t)(to - from) : 1;
        msh_plan_widen(&p->parts[part], c->x + 3 * (size_t)i);
    }
    return true;
}

// ------------------------------------------------------------------------------------------------ plan

static sp_status check_kinds(const sp_cells *c) {
    for (int i = 0; i < c->cell_count; i++)
        if (!sp__msh_type_of(c->type[i]))
            return SP_FAIL(c->ctx, SP_BAD_INPUT, "cell %d: %s cannot be written to a .msh file", i, sp__cell_name(c->type[i]));
    return SP_OK;
}

static void find_ids(sp_msh_plan *p) {
    const sp_cells *c = p->cells;
    p->node_high = c->node_count - 1, p->cell_high = c->cell_count - 1;
    p->node_low = p->cell_low = 0;
    for (int i = 0; c->node_ids && i < c->node_count; i++) {
        if (!i || c->node_ids[i] < p->node_low) p->node_low = c->node_ids[i];
        if (!i || c->node_ids[i] > p->node_high) p->node_high = c->node_ids[i];
    }
    for (int i = 0; c->cell_ids && i < c->cell_count; i++) {
        if (!i || c->cell_ids[i] < p->cell_low) p->cell_low = c->cell_ids[i];
        if (!i || c->cell_ids[i] > p->cell_high) p->cell_high = c->cell_ids[i];
    }
    p->node_shift = p->node_low == 0, p->cell_shift = p->cell_low == 0;
    p->node_low += p->node_shift, p->node_high += p->node_shift;
    p->cell_low += p->cell_shift, p->cell_high += p->cell_shift;
}

static sp_status check_ids(const sp_msh_plan *p, const char *path) {
    const sp_cells *c = p->cells;
    int64_t high = p->node_high > p->cell_high + p->point_count ? p->node_high : p->cell_high + p->point_count;
    // numbers are 32 bits wide in all sections of 2.2 and in the data sections of 4.1
    bool narrow = p->binary && (p->version == 2 || c->array_count > 0);
    if (p->node_low < 0 || p->cell_low < 0)
        return SP_FAIL(c->ctx, SP_BAD_INPUT, "%s: number %lld of a node or element, must be at least 0", path,
                       (long long)(p->node_low < p->cell_low ? p->node_low : p->cell_low));
    if (high > (narrow ? INT_MAX : INT64_MAX / 4))
        return SP_FAIL(c->ctx, SP_BAD_INPUT, "%s: number %lld of a node or element is above %lld: write it as ASCII", path,
                       (long long)high, (long long)(narrow ? INT_MAX : INT64_MAX / 4));
    return SP_OK;
}

static sp_status msh_plan_make(sp_msh_plan *p, const char *path) {
    const sp_cells *c = p->cells;
    SP_TRY(check_kinds(c));
    if (!SP_KEEP(&p->keep, p->physical, c->group_count) || !SP_KEEP(&p->keep, p->point_physical, c->group_count))
        return sp__cells_no_memory(c);
    number_groups(p);
    if (!sp__members(c, true, &p->keep, &p->members) || !sp__members(c, false, &p->keep, &p->points) || !place_cells(p) ||
        !place_points(p))
        return sp__cells_no_memory(c);
    find_ids(p);
    return check_ids(p, path);
}

// ======================================================================================================== writer

// ------------------------------------------------------------------------------------------------ numbers

static void put_text(const sp_msh_plan *p, const char *text) {
    fputs(text, p->stream);
}

static void put_int(const sp_msh_plan *p, int64_t value, char after) {
    int32_t narrow = (int32_t)value;
    if (p->binary)
        fwrite(&narrow, sizeof narrow, 1, p->stream);
    else
        sp__words_put_integer(p->stream, value, after);
}

// a size in 4.1, an int in 2.2
static void put_size(const sp_msh_plan *p, int64_t value, char after) {
    uint64_t wide = (uint64_t)value;
    if (p->binary && p->version == 4)
        fwrite(&wide, sizeof wide, 1, p->stream);
    else
        put_int(p, value, after);
}

static void put_number(const sp_msh_plan *p, double value, char after) {
    if (p->binary)
        fwrite(&value, sizeof value, 1, p->stream);
    else
        sp__words_put(p->stream, value, after);
}

static void put_line(const sp_msh_plan *p, int64_t value) {  // text in binary files too
    sp__words_put_integer(p->stream, value, '\n');
}

static int64_t node_id(const sp_msh_plan *p, int node) {
    return (p->cells->node_ids ? p->cells->node_ids[node] : node) + p->node_shift;
}

static int64_t cell_id(const sp_msh_plan *p, int cell) {
    return (p->cells->cell_ids ? p->cells->cell_ids[cell] : cell) + p->cell_shift;
}

// ------------------------------------------------------------------------------------------------ header and names

static void write_head(const sp_msh_plan *p) {
    int32_t one = 1;
    fprintf(p->stream, "$MeshFormat\n%s %d 8\n", p->version == 4 ? "4.1" : "2.2", p->binary ? 1 : 0);
    if (p->binary) {
        fwrite(&one, sizeof one, 1, p->stream);
        put_text(p, "\n");
    }
    put_text(p, "$EndMeshFormat\n");
}

static bool msh_write_named(const char *name, int number) {
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    return strcmp(name, text) != 0;
}

// the format allows no quotes or newlines in strings and limits the length of a line
static void put_quoted(const sp_msh_plan *p, const char *text) {
    char out[256];
    size_t n = 0;
    for (; text[n] && n < 127; n++) out[n] = text[n] == '"' ? '\'' : (unsigned char)text[n] < ' ' ? ' ' : text[n];
    out[n] = 0;
    fprintf(p->stream, "\"%s\"\n", n ? out : " ");
}

// which == 0: the group in its own dimension, 1: its points, if it has a higher dimension
static bool name_needed(const sp_msh_plan *p, int g, int which) {
    const sp_cells_group *group = &p->cells->groups[g];
    if (which == 0) return (group->cell_count || group->dimension <= 0) && msh_write_named(group->name, p->physical[g]);
    return group->dimension > 0 && p->point_physical[g] && msh_write_named(group->name, p->point_physical[g]);
}

static void write_names(const sp_msh_plan *p) {
    int count = 0;
    for (int g = 0; g < p->cells->group_count; g++)
        for (int which = 0; which < 2; which++) count += name_needed(p, g, which);
    if (!count) return;
    fprintf(p->stream, "$PhysicalNames\n%d\n", count);
    for (int g = 0; g < p->cells->group_count; g++)
        for (int which = 0; which < 2; which++) {
            if (!name_needed(p, g, which)) continue;
            const sp_cells_group *group = &p->cells->groups[g];
            fprintf(p->stream, "%d %d ", which || group->dimension < 0 ? 0 : group->dimension,
                    which ? p->point_physical[g] : p->physical[g]);
            put_quoted(p, group->name);
        }
    put_text(p, "$EndPhysicalNames\n");
}

// number of the k-th group of a part; the points of a group of higher dimension have a number of their own
static int physical_of(const sp_msh_plan *p, const sp_msh_part *part, int k) {
    int g = part->groups[k];
    return part->dimension == 0 && p->cells->groups[g].dimension != 0 ? p->point_physical[g] : p->physical[g];
}

// ------------------------------------------------------------------------------------------------ version 4

static void write_entity(const sp_msh_plan *p, const sp_msh_part *e) {
    bool empty = !(e->low[0] <= e->high[0]);
    put_int(p, e->tag, ' ');
    for (int k = 0; k < 3; k++) put_number(p, empty ? 0 : e->low[k], ' ');
    for (int k = 0; e->dimension && k < 3; k++) put_number(p, empty ? 0 : e->high[k], ' ');
    put_size(p, e->group_count, ' ');
    for (int k = 0; k < e->group_count; k++) put_int(p, physical_of(p, e, k), ' ');
    if (e->dimension) put_size(p, 0, ' ');
    if (!p->binary) put_text(p, "\n");
}

static void write_entities(const sp_msh_plan *p) {
    put_text(p, "$Entities\n");
    for (int d = 0; d < 4; d++) put_size(p, p->tags[d], d < 3 ? ' ' : '\n');
    for (int d = 0; d < 4; d++)
        for (size_t i = 0; i < p->part_count; i++)
            if (p->parts[i].dimension == d) write_entity(p, &p->parts[i]);
    put_text(p, p->binary ? "\n$EndEntities\n" : "$EndEntities\n");
}

static void write_nodes4(const sp_msh_plan *p) {
    const sp_cells *c = p->cells;
    int dimension = 3;
    while (dimension > 0 && !p->tags[dimension]) dimension--;
    put_text(p, "$Nodes\n");
    put_size(p, 1, ' '), put_size(p, c->node_count, ' '), put_size(p, p->node_low, ' '), put_size(p, p->node_high, '\n');
    put_int(p, dimension, ' '), put_int(p, p->tags[dimension] ? 1 : 0, ' '), put_int(p, 0, ' '), put_size(p, c->node_count, '\n');
    for (int i = 0; i < c->node_count; i++) put_size(p, node_id(p, i), '\n');
    for (size_t i = 0; i < 3 * (size_t)c->node_count; i++) put_number(p, c->x[i], i % 3 == 2 ? '\n' : ' ');
    put_text(p, p->binary ? "\n$EndNodes\n" : "$EndNodes\n");
}

static int block_end(const sp_msh_plan *p, int from) {
    const sp_cells *c = p->cells;
    int to = from + 1;
    while (to < c->cell_count && c->type[to] == c->type[from] && p->cell_part[to] == p->cell_part[from]) to++;
    return to;
}

static int point_block_end(const sp_msh_plan *p, int from) {
    int to = from + 1;
    while (to < p->point_count && p->point_part[to] == p->point_part[from]) to++;
    return to;
}

static void put_nodes(const sp_msh_plan *p, int cell) {
    const sp_cells *c = p->cells;
    int n = (int)(c->start[cell + 1] - c->start[cell]), nodes[16];
    memcpy(nodes, c->nodes + c->start[cell], (size_t)n * sizeof *nodes);
    sp__msh_reorder(c->type[cell], nodes);
    for (int k = 0; k < n; k++) put_size(p, node_id(p, nodes[k]), k < n - 1 ? ' ' : '\n');
}

static void put_block_head(const sp_msh_plan *p, int part, int type, int count) {
    const sp_msh_part *e = &p->parts[part];
    put_int(p, e->dimension, ' '), put_int(p, e->tag, ' '), put_int(p, type, ' '), put_size(p, count, '\n');
}

static void write_elements4(const sp_msh_plan *p) {
    const sp_cells *c = p->cells;
    int blocks = 0;
    for (int i = 0; i < c->cell_count; i = block_end(p, i)) blocks++;
    for (int i = 0; i < p->point_count; i = point_block_end(p, i)) blocks++;
    put_text(p, "$Elements\n");
    put_size(p, blocks, ' '), put_size(p, p->element_count, ' ');
    put_size(p, p->cell_low, ' '), put_size(p, p->element_count ? p->cell_high + p->point_count : 0, '\n');
    for (int i = 0; i < c->cell_count;) {
        int to = block_end(p, i);
        put_block_head(p, p->cell_part[i], sp__msh_type_of(c->type[i]), to - i);
        for (; i < to; i++) {
            put_size(p, cell_id(p, i), ' ');
            put_nodes(p, i);
        }
    }
    for (int i = 0; i < p->point_count;) {
        int to = point_block_end(p, i);
        put_block_head(p, p->point_part[i], 15, to - i);
        for (; i < to; i++) put_size(p, p->cell_high + 1 + i, ' '), put_size(p, node_id(p, p->point_node[i]), '\n');
    }
    put_text(p, p->binary ? "\n$EndElements\n" : "$EndElements\n");
}

// ------------------------------------------------------------------------------------------------ version 2

static void write_nodes2(const sp_msh_plan *p) {
    const sp_cells *c = p->cells;
    put_text(p, "$Nodes\n");
    put_line(p, c->node_count);
    for (int i = 0; i < c->node_count; i++) {
        put_int(p, node_id(p, i), ' ');
        for (size_t k = 0; k < 3; k++) put_number(p, c->x[3 * (size_t)i + k], k < 2 ? ' ' : '\n');
    }
    put_text(p, p->binary ? "\n$EndNodes\n" : "$EndNodes\n");
}

static int lines_of(const sp_msh_part *e) {
    return e->group_count ? e->group_count : 1;
}

// number, type and tags of one element; in binary files the head of the block has the type and the number of tags
static void put_element2(const sp_msh_plan *p, int64_t id, int type, const sp_msh_part *e, int line) {
    put_int(p, id, ' ');
    if (!p->binary) put_int(p, type, ' '), put_int(p, 2, ' ');
    put_int(p, e->group_count ? physical_of(p, e, line) : 0, ' ');
    put_int(p, e->tag, ' ');
}

static void put_block_head2(const sp_msh_plan *p, int type, int64_t count) {
    if (p->binary) put_int(p, type, ' '), put_int(p, count, ' '), put_int(p, 2, ' ');
}

static void write_cells2(const sp_msh_plan *p) {
    const sp_cells *c = p->cells;
    for (int i = 0; i < c->cell_count;) {
        int64_t lines = 0;
        int to = i, type = sp__msh_type_of(c->type[i]);
        for (; to < c->cell_count && c->type[to] == c->type[i]; to++) lines += lines_of(&p->parts[p->cell_part[to]]);
        put_block_head2(p, type, lines);
        for (; i < to; i++) {
            const sp_msh_part *e = &p->parts[p->cell_part[i]];
            for (int k = 0; k < lines_of(e); k++) {
                put_element2(p, cell_id(p, i), type, e, k);
                put_nodes(p, i);
            }
        }
    }
}

static void write_points2(const sp_msh_plan *p) {
    int64_t lines = 0;
    for (int i = 0; i < p->point_count; i++) lines += lines_of(&p->parts[p->point_part[i]]);
    if (lines) put_block_head2(p, 15, lines);
    for (int i = 0; i < p->point_count; i++) {
        const sp_msh_part *e = &p->parts[p->point_part[i]];
        for (int k = 0; k < lines_of(e); k++) {
            put_element2(p, p->cell_high + 1 + i, 15, e, k);
            put_int(p, node_id(p, p->point_node[i]), '\n');
        }
    }
}

static void write_elements2(const sp_msh_plan *p) {
    put_text(p, "$Elements\n");
    put_line(p, p->element_count);
    write_cells2(p);
    write_points2(p);
    put_text(p, p->binary ? "\n$EndElements\n" : "$EndElements\n");
}

// ------------------------------------------------------------------------------------------------ data

static bool finite_all(const double *values, int n) {
    for (int k = 0; k < n; k++)
        if (!isfinite(values[k])) return false;
    return true;
}

// values that are not finite are left out; the reader returns NaN for them
static void write_data(const sp_msh_plan *p, const sp_cells_array *a) {
    int count = a->on_cells ? p->cells->cell_count : p->cells->node_count, entries = 0;
    const char *word = a->on_cells ? "ElementData" : "NodeData";
    for (int i = 0; i < count; i++) entries += finite_all(a->values + (size_t)i * (size_t)a->components, a->components);
    fprintf(p->stream, "$%s\n1\n", word);
    put_quoted(p, a->name);
    fprintf(p->stream, "1\n0\n3\n0\n%d\n%d\n", a->components, entries);
    for (int i = 0; i < count; i++) {
        const double *values = a->values + (size_t)i * (size_t)a->components;
        if (!finite_all(values, a->components)) continue;
        put_int(p, a->on_cells ? cell_id(p, i) : node_id(p, i), ' ');
        for (int k = 0; k < a->components; k++) put_number(p, values[k], k < a->components - 1 ? ' ' : '\n');
    }
    fprintf(p->stream, "%s$End%s\n", p->binary ? "\n" : "", word);
}

// ------------------------------------------------------------------------------------------------ file

static sp_status write_all(sp_msh_plan *p, const char *path) {
    sp_new_file file;
    SP_TRY(msh_plan_make(p, path));
    SP_TRY(sp__new_file_open(p->cells->ctx, path, &file));
    p->stream = file.stream;
    write_head(p);
    write_names(p);
    if (p->version == 4) {
        write_entities(p);
        write_nodes4(p);
        write_elements4(p);
    } else {
        write_nodes2(p);
        write_elements2(p);
    }
    for (int a = 0; a < p->cells->array_count; a++) write_data(p, &p->cells->arrays[a]);
    return sp__new_file_close(&file, true);
}

static sp_status write_msh(const sp_cells *cells, const char *path, const sp_mesh_write_options *options, int version) {
    sp_msh_plan p = {.cells = cells, .version = version, .keep = {cells->ctx, NULL}};
    p.binary = options->encoding == SP_ENCODING_BINARY;
    sp_status status = write_all(&p, path);
    sp__keep_free(&p.keep);
    return status;
}

sp_status sp__msh_write2(const sp_cells *cells, const char *path, const sp_mesh_write_options *options) {
    return write_msh(cells, path, options, 2);
}

sp_status sp__msh_write4(const sp_cells *cells, const char *path, const sp_mesh_write_options *options) {
    return write_msh(cells, path, options, 4);
}
