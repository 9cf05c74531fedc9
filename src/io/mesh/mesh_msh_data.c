// $NodeData and $ElementData of a Gmsh file: one array per name. A later block of the same name (the next step of a time series)
// replaces an earlier one. Items that a block does not list are NaN.
#include <limits.h>

#include "io/mesh/mesh_msh.h"

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
    SP_TRY(sp__msh_integer(r, "count of texts", 1, 16, &texts));
    SP_TRY(sp__msh_text(r, head->name, sizeof head->name));
    for (int64_t i = 1; i < texts; i++) SP_TRY(sp__msh_text(r, other, sizeof other));
    SP_TRY(sp__msh_integer(r, "count of real numbers", 0, 16, &reals));
    for (int64_t i = 0; i < reals; i++) SP_TRY(sp__msh_number(r, "time of the data", &time));
    SP_TRY(sp__msh_integer(r, "count of integers", 3, 16, &integers));
    SP_TRY(sp__msh_integer(r, "step of the data", INT_MIN, INT_MAX, &value));
    SP_TRY(sp__msh_integer(r, "count of components", 1, 9, &head->components));
    SP_TRY(sp__msh_integer(r, "count of values", 0, (r->end - r->at) / 4 + 1, &head->entries));
    for (int64_t i = 3; i < integers; i++) SP_TRY(sp__msh_integer(r, "integer of the data", INT_MIN, INT_MAX, &value));
    return r->binary ? sp__msh_bytes_begin(r) : SP_OK;
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
        SP_TRY(sp__msh_any_int(r, "number of a value", 0, INT64_MAX / 4, &id));
        int place = sp__msh_place(places, id);
        for (int64_t k = 0; k < head->components; k++) {
            SP_TRY(sp__msh_any_number(r, "value", &value));
            if (place >= 0) values[(size_t)place * (size_t)head->components + (size_t)k] = value;
        }
    }
    return SP_OK;
}

sp_status sp__msh_data(sp_msh *r, bool on_cells) {
    data_head head;
    if (!r->has_elements) return SP_MSH_FAIL(r, "data before $Elements");
    if (r->cells->array_count == ARRAYS_MAX) return SP_MSH_FAIL(r, "more than %d arrays of data", ARRAYS_MAX);
    SP_TRY(read_head(r, &head));
    if (on_cells && !r->has_cell_places) {
        SP_TRY(sp__msh_ids_index(r, r->cells->cell_ids, r->cells->cell_count, NULL, &r->cell_places));
        r->has_cell_places = true;
    }
    // many arrays with few entries each could make a small file need much memory
    r->data_count += value_count(r, &head, on_cells);
    if (r->data_count > 4 * (size_t)(r->end - r->begin) + 65536)
        return SP_MSH_FAIL(r, "\"%s\" brings the data to %zu values, too many for a file of %zu bytes", head.name, r->data_count,
                           (size_t)(r->end - r->begin));
    double *values = array_capacity(r, &head, on_cells);
    if (!values) return sp__cells_no_memory(r->cells);
    for (size_t i = 0; i < value_count(r, &head, on_cells); i++) values[i] = NAN;
    SP_TRY(read_entries(r, &head, on_cells ? &r->cell_places : &r->node_places, values));
    return sp__msh_end(r, on_cells ? "$EndElementData" : "$EndNodeData");
}
