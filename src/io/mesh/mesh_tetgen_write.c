// Writer of TetGen files. It writes all three, so that no file of an older mesh remains. A cell has one region, a face or point
// one marker: of several groups the first one counts.
#include <limits.h>
#include <stdio.h>

#include "io/mesh/mesh_tetgen.h"

typedef struct mark_list {
    int *marks;         // per cell or node, 0: none
    const char **name;  // of mark m: name[m - 1]; NULL: other dimension
    int64_t *number;
    bool *used;
    int count;
} mark_list;

typedef struct column {  // an attribute: one component of an array
    const double *values;
    int stride;
    const char *name;
} column;

typedef struct columns {
    column at[SP_TETGEN_ATTRIBUTES_MAX];
    int count;
} columns;

typedef struct tetgen_out {
    const sp_cells *cells;
    sp_keep keep;
    int tets, faces, corners, overlaps, left_out;
    int64_t base;
    mark_list regions, markers, points;
    columns on_tets, on_nodes;
} tetgen_out;

static sp_status no_memory(const tetgen_out *p) {
    return sp__cells_no_memory(p->cells);
}

// ------------------------------------------------------------------------------------------------ plan

// the number in "face:7" after its prefix, or in a plain "7"; 0: none
static int64_t said_number(const char *name, const char *prefix) {
    size_t n = strlen(prefix);
    int64_t number;
    if (strncmp(name, prefix, n) != 0) return 0;
    const char *end = sp__scan_int64(name + n, &number);
    return end && !*end && number != 0 && number >= INT_MIN && number <= INT_MAX ? number : 0;
}

static bool number_used(const mark_list *list, int but, int64_t number) {
    for (int i = 0; i < list->count; i++)
        if (i != but && list->number[i] == number) return true;
    return false;
}

// mark g + 1 for group g, and the number that is written for it
static sp_status list_groups(tetgen_out *p, int low, int high, const char *prefix, mark_list *list) {
    const sp_cells *c = p->cells;
    if (!SP_KEEP(&p->keep, list->name, c->group_count) || !SP_KEEP(&p->keep, list->number, c->group_count) ||
        !SP_KEEP(&p->keep, list->used, c->group_count))
        return no_memory(p);
    list->count = c->group_count;
    for (int g = 0; g < c->group_count; g++) {
        const sp_cells_group *group = &c->groups[g];
        if (group->dimension < low || group->dimension > high) continue;
        int64_t number = group->number ? group->number : said_number(group->name, prefix);
        list->name[g] = group->name;
        if (number >= INT_MIN && number <= INT_MAX && !number_used(list, g, number)) list->number[g] = number;
    }
    for (int g = 0, next = 1; g < c->group_count; g++) {
        if (!list->name[g] || list->number[g]) continue;
        while (number_used(list, g, next)) next++;
        list->number[g] = next;
    }
    return SP_OK;
}

static sp_status count_cells(tetgen_out *p) {
    const sp_cells *c = p->cells;
    int straight = 0, bent = 0, points = 0;
    for (int i = 0; i < c->cell_count; i++) {
        int type = c->type[i];
        straight += type == SP_CELL_TET || type == SP_CELL_TRIANGLE;
        bent += type == SP_CELL_TET10 || type == SP_CELL_TRIANGLE6;
        p->tets += type == SP_CELL_TET || type == SP_CELL_TET10;
        p->faces += type == SP_CELL_TRIANGLE || type == SP_CELL_TRIANGLE6;
        points += type == SP_CELL_POINT;
        p->left_out += sp__cell_dimension(type) == 1;
        int other = i + 1 - straight - bent - points - p->left_out;
        if (other) return SP_FAIL(c->ctx, SP_BAD_INPUT, "cell %d: %s cannot be written to TetGen files", i, sp__cell_name(type));
    }
    if (straight && bent)
        return SP_FAIL(c->ctx, SP_BAD_INPUT, "straight and quadratic cells cannot be written to one set of TetGen files");
    p->corners = bent ? 10 : 4;
    return SP_OK;
}

static void mark(tetgen_out *p, mark_list *list, int at, int g) {
    if (list->marks[at])
        p->overlaps++;
    else
        list->marks[at] = g + 1, list->used[g] = true;
}

// a point cell of a group becomes a marked node
static sp_status mark_all(tetgen_out *p) {
    const sp_cells *c = p->cells;
    if (!SP_KEEP(&p->keep, p->regions.marks, c->cell_count) || !SP_KEEP(&p->keep, p->markers.marks, c->cell_count) ||
        !SP_KEEP(&p->keep, p->points.marks, c->node_count))
        return no_memory(p);
    for (int g = 0; g < c->group_count; g++) {
        const sp_cells_group *group = &c->groups[g];
        for (int i = 0; i < group->cell_count; i++) {
            int cell = group->cells[i], d = sp__cell_dimension(c->type[cell]);
            if (d == 3) mark(p, &p->regions, cell, g);
            if (d == 2) mark(p, &p->markers, cell, g);
            if (d == 0) mark(p, &p->points, c->nodes[c->start[cell]], g);
        }
        for (int i = 0; i < group->node_count; i++) mark(p, &p->points, group->nodes[i], g);
    }
    return SP_OK;
}

static bool finite_on(const sp_cells *c, const sp_cells_array *a, int k) {
    for (int i = 0; i < (a->on_cells ? c->cell_count : c->node_count); i++)
        if (!isfinite(a->values[(size_t)i * (size_t)a->components + (size_t)k]) &&
            (!a->on_cells || sp__cell_dimension(c->type[i]) == 3))
            return false;
    return true;
}

// attributes that are not finite everywhere cannot be written
static sp_status list_columns(tetgen_out *p, bool on_cells, int capacity, columns *out) {
    const sp_cells *c = p->cells;
    for (int a = 0; a < c->array_count; a++)
        for (int k = 0; c->arrays[a].on_cells == on_cells && k < c->arrays[a].components; k++) {
            char name[300];
            if (out->count == capacity || !finite_on(c, &c->arrays[a], k)) {
                sp__log(c->ctx, SP_LOG_WARNING, "array '%.80s' left out: not finite everywhere, or too many", c->arrays[a].name);
                continue;
            }
            sp__cells_component_name(&c->arrays[a], k, name, sizeof name);
            column *to = &out->at[out->count++];
            *to = (column){c->arrays[a].values + k, c->arrays[a].components, sp__keep_text(&p->keep, name)};
            if (!to->name) return no_memory(p);
        }
    return SP_OK;
}

static void find_base(tetgen_out *p) {
    const sp_cells *c = p->cells;
    p->base = c->node_ids && c->node_count && c->node_ids[0] == 1;
}

static sp_status tetgen_write_plan(tetgen_out *p) {
    const sp_cells *c = p->cells;
    SP_TRY(count_cells(p));
    find_base(p);
    SP_TRY(list_groups(p, 3, 3, "", &p->regions));
    SP_TRY(list_groups(p, 2, 2, "face:", &p->markers));
    SP_TRY(list_groups(p, -1, 3, "point:", &p->points));
    SP_TRY(mark_all(p));
    SP_TRY(list_columns(p, true, SP_TETGEN_ATTRIBUTES_MAX - 1, &p->on_tets));
    SP_TRY(list_columns(p, false, SP_TETGEN_ATTRIBUTES_MAX, &p->on_nodes));
    if (p->overlaps)
        sp__log(c->ctx, SP_LOG_WARNING, "%d cells or nodes are in several groups, of which TetGen files keep one", p->overlaps);
    if (p->left_out) sp__log(c->ctx, SP_LOG_WARNING, "%d lines left out, TetGen files have no place for them", p->left_out);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ text

static bool plain(const char *name) {
    return *name && !strpbrk(name, "\"\n\r") && strlen(name) < 250;
}

// writes the names that differ from their numbers; returns whether any group is in use
static bool put_groups(FILE *f, const mark_list *list, const char *prefix) {
    bool any = false;
    for (int g = 0; g < list->count; g++) {
        char text[48];
        if (!list->used[g]) continue;
        any = true;
        snprintf(text, sizeof text, "%s%lld", prefix, (long long)list->number[g]);
        if (strcmp(text, list->name[g]) != 0 && plain(list->name[g]))
            fprintf(f, "# group %lld \"%s\"\n", (long long)list->number[g], list->name[g]);
    }
    return any;
}

static void put_attributes(FILE *f, const columns *list, int before) {
    for (int k = 0; k < list->count; k++)
        if (plain(list->at[k].name)) fprintf(f, "# attribute %d \"%s\"\n", before + k + 1, list->at[k].name);
}

static void put_values(FILE *f, const columns *list, int i) {
    for (int k = 0; k < list->count; k++) sp__words_put(f, list->at[k].values[(size_t)i * (size_t)list->at[k].stride], ' ');
}

static int64_t number_of(const mark_list *list, int i) {
    return list->marks[i] ? list->number[list->marks[i] - 1] : 0;
}

static void write_points(const tetgen_out *p, FILE *f) {
    const sp_cells *c = p->cells;
    put_attributes(f, &p->on_nodes, 0);
    bool marked = put_groups(f, &p->points, "point:");
    fprintf(f, "%d 3 %d %d\n", c->node_count, p->on_nodes.count, marked);
    for (int i = 0; i < c->node_count; i++) {
        sp__words_put_integer(f, p->base + i, ' ');
        for (size_t k = 0; k < 3; k++) sp__words_put(f, c->x[3 * (size_t)i + k], ' ');
        put_values(f, &p->on_nodes, i);
        if (marked) sp__words_put_integer(f, number_of(&p->points, i), ' ');
        fputc('\n', f);
    }
}

static void write_tets(const tetgen_out *p, FILE *f) {
    const sp_cells *c = p->cells;
    bool regions = put_groups(f, &p->regions, "") || p->on_tets.count;
    put_attributes(f, &p->on_tets, 1);
    fprintf(f, "%d %d %d\n", p->tets, p->corners, (int)regions + p->on_tets.count);
    int64_t number = p->base;
    for (int i = 0; i < c->cell_count; i++) {
        if (sp__cell_dimension(c->type[i]) != 3) continue;
        sp__words_put_integer(f, number++, ' ');
        for (int k = 0; k < p->corners; k++)
            sp__words_put_integer(f, p->base + c->nodes[c->start[i] + (p->corners == 10 ? sp__tetgen_place[k] : k)], ' ');
        if (regions) sp__words_put_integer(f, number_of(&p->regions, i), ' ');
        put_values(f, &p->on_tets, i);
        fputc('\n', f);
    }
}

static void write_faces(const tetgen_out *p, FILE *f) {
    const sp_cells *c = p->cells;
    bool marked = put_groups(f, &p->markers, "face:");
    fprintf(f, "%d %d\n", p->faces, marked);
    int64_t number = p->base;
    for (int i = 0; i < c->cell_count; i++) {
        if (sp__cell_dimension(c->type[i]) != 2) continue;
        sp__words_put_integer(f, number++, ' ');
        for (int64_t k = c->start[i]; k < c->start[i + 1]; k++) sp__words_put_integer(f, p->base + c->nodes[k], ' ');
        if (marked) sp__words_put_integer(f, number_of(&p->markers, i), ' ');
        fputc('\n', f);
    }
}

// ------------------------------------------------------------------------------------------------ files

static sp_status open_all(tetgen_out *p, const char *path, sp_new_file files[3]) {
    static const char *const suffixes[] = {".node", ".ele", ".face"};
    for (int i = 0; i < 3; i++) {
        char *name = sp__tetgen_beside(&p->keep, path, suffixes[i]);
        if (!name) return no_memory(p);
        SP_TRY(sp__new_file_open(p->cells->ctx, name, &files[i]));
    }
    return SP_OK;
}

sp_status sp__tetgen_write(const sp_cells *cells, const char *path, const sp_mesh_write_options *options) {
    (void)options;
    tetgen_out p = {.cells = cells, .keep = {cells->ctx, NULL}};
    sp_new_file files[3] = {{.ctx = cells->ctx}, {.ctx = cells->ctx}, {.ctx = cells->ctx}};
    sp_status status = tetgen_write_plan(&p);
    if (status >= 0) status = open_all(&p, path, files);
    if (status >= 0) {
        write_points(&p, files[0].stream);
        write_tets(&p, files[1].stream);
        write_faces(&p, files[2].stream);
    }
    for (int i = 0; i < 3; i++) status = sp__worst(status, sp__new_file_close(&files[i], status >= 0));
    sp__keep_free(&p.keep);
    return status;
}
