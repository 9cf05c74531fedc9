// Cells as a Gmsh model. Cells of one dimension and the same groups form one entity, whose physical groups these are. Nodes that
// a group lists separately become points of a group of dimension 0 with the same name.
#include <limits.h>
#include <stdio.h>

#include "io/mesh/mesh_msh_write.h"

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

sp_status sp__msh_plan_make(sp_msh_plan *p, const char *path) {
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
