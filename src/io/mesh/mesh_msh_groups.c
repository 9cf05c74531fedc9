// Physical groups of a Gmsh file: a group is a pair (dimension, number) with an optional name. Version 2 stores the number with
// each element, version 4 with the model entity of the element.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/mesh/mesh_msh.h"

// ------------------------------------------------------------------------------------------------ entities

static sp_status skip_ints(sp_msh *r, const char *what) {
    int64_t count, value;
    SP_TRY(sp__msh_any_size(r, what, 0, INT_MAX, &count));
    for (int64_t i = 0; i < count; i++) SP_TRY(sp__msh_any_int(r, what, INT_MIN, INT_MAX, &value));
    return SP_OK;
}

// coordinate of a point or a bounding box; a box may be empty, so infinite bounds are accepted
static sp_status skip_number(sp_msh *r) {
    if (r->binary) {
        SP_TRY(sp__msh_need(r, "bounds of an entity", 1, 8));
        r->at += 8;
        return SP_OK;
    }
    sp__msh_space(r);
    const char *start = r->at;
    while (r->at < r->end && (unsigned char)*r->at > ' ') r->at++;
    return r->at > start && *start != '$' ? SP_OK : SP_MSH_FAIL(r, "bounds of an entity: a number is needed");
}

static sp_status read_physicals(sp_msh *r, sp_msh_entity *entity) {
    int64_t count, number;
    SP_TRY(sp__msh_any_size(r, "count of physical tags", 0, SP_MSH_PHYSICALS_MAX, &count));
    entity->first = (int)r->physical_count;
    for (int64_t i = 0; i < count; i++) {
        SP_TRY(sp__msh_any_int(r, "physical tag", -INT_MAX, INT_MAX, &number));
        if (!number) continue;
        if (!SP_KEEP_MORE(r->keep, r->physicals, r->physical_count, &r->physical_capacity)) return sp__cells_no_memory(r->cells);
        r->physicals[r->physical_count++] = number < 0 ? (int)-number : (int)number;
        entity->count++;
    }
    return SP_OK;
}

static sp_status read_entity(sp_msh *r, int dimension, bool partitioned) {
    int64_t tag, value;
    SP_TRY(sp__msh_any_int(r, "tag of an entity", INT_MIN, INT_MAX, &tag));
    if (partitioned) {
        SP_TRY(sp__msh_any_int(r, "dimension of the parent", -1, 3, &value));
        SP_TRY(sp__msh_any_int(r, "tag of the parent", INT_MIN, INT_MAX, &value));
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
    SP_TRY(sp__msh_any_size(r, "count of partitions", 0, INT_MAX, &partitions));
    SP_TRY(sp__msh_any_size(r, "count of ghost entities", 0, INT_MAX, &ghosts));
    for (int64_t i = 0; i < 2 * ghosts; i++) SP_TRY(sp__msh_any_int(r, "ghost entity", INT_MIN, INT_MAX, &value));
    return SP_OK;
}

sp_status sp__msh_entities(sp_msh *r, bool partitioned) {
    int count[4];
    if (r->binary) SP_TRY(sp__msh_bytes_begin(r));
    if (partitioned) SP_TRY(read_ghosts(r));
    for (int d = 0; d < 4; d++) SP_TRY(sp__msh_count(r, "count of entities", 8, 28, &count[d]));
    for (int d = 0; d < 4; d++)
        for (int i = 0; i < count[d]; i++) SP_TRY(read_entity(r, d, partitioned));
    return sp__msh_end(r, partitioned ? "$EndPartitionedEntities" : "$EndEntities");
}

static int by_entity_key(const void *a, const void *b) {
    const sp_msh_entity *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

void sp__msh_entities_sort(sp_msh *r) {
    if (r->entity_count) qsort(r->entities, r->entity_count, sizeof *r->entities, by_entity_key);
}

const sp_msh_entity *sp__msh_entity(const sp_msh *r, uint64_t key) {
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

sp_status sp__msh_groups(sp_msh *r) {
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
