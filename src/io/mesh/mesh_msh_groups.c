// Physical groups and data of a Gmsh file. In Gmsh a group is a pair (dimension, number) with or without a name; here it is a
// name, so pairs that share one are united: a volume and its face of the same name, and every group also goes by its number.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/mesh/mesh_msh.h"

typedef struct label {  // one name of one group
    const char *name;
    int key;  // which of the sorted keys
} label;

typedef struct grouping {
    uint64_t *keys;  // sorted, each once
    int key_count;
    int *first;  // members of key k: order[first[k]] .. order[first[k + 1] - 1]
    int *order;  // member numbers by key
    label *labels;
    int label_count;
} grouping;

static sp_status no_memory(sp_msh *r) {
    return SP_FAIL(r->ctx, SP_NO_MEMORY, "%s: no memory for its groups", r->file);
}

static int by_key(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int by_name(const void *a, const void *b) {
    const label *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->key > y->key) - (x->key < y->key);
}

static int by_value(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int by_name_key(const void *a, const void *b) {
    const sp_msh_name *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static int find_key(const grouping *g, uint64_t key) {
    const uint64_t *hit = bsearch(&key, g->keys, (size_t)g->key_count, sizeof key, by_key);
    return (int)(hit - g->keys);
}

// members sorted by their group, keeping their order within it
static sp_status sort_members(sp_msh *r, grouping *g) {
    int n = r->member_count;
    if (!SP_KEEP(&r->keep, g->keys, n) || !SP_KEEP(&r->keep, g->order, n)) return no_memory(r);
    for (int i = 0; i < n; i++)
        if (i == 0 || r->members[i].key != r->members[i - 1].key) g->keys[g->key_count++] = r->members[i].key;
    qsort(g->keys, (size_t)g->key_count, sizeof *g->keys, by_key);
    int once = 0;
    for (int i = 0; i < g->key_count; i++)
        if (i == 0 || g->keys[i] != g->keys[once - 1]) g->keys[once++] = g->keys[i];
    g->key_count = once;
    int *place;
    if (!SP_KEEP(&r->keep, g->first, once + 1) || !SP_KEEP(&r->keep, place, once + 1)) return no_memory(r);
    for (int i = 0, k = -1; i < n; i++) {
        if (i == 0 || r->members[i].key != r->members[i - 1].key) k = find_key(g, r->members[i].key);
        g->first[k + 1]++;
    }
    for (int k = 0; k < once; k++) g->first[k + 1] += g->first[k], place[k] = g->first[k];
    for (int i = 0, k = -1; i < n; i++) {
        if (i == 0 || r->members[i].key != r->members[i - 1].key) k = find_key(g, r->members[i].key);
        g->order[place[k]++] = i;
    }
    return SP_OK;
}

// every group goes by its number, and by its name where it has one
static sp_status make_labels(sp_msh *r, grouping *g) {
    if (!SP_KEEP(&r->keep, g->labels, (size_t)g->key_count + (size_t)r->name_count)) return no_memory(r);
    if (r->name_count) qsort(r->names, (size_t)r->name_count, sizeof *r->names, by_name_key);
    for (int k = 0; k < g->key_count; k++) {
        char number[16];
        snprintf(number, sizeof number, "%d", (int)(int32_t)(uint32_t)g->keys[k]);
        const char *text = sp__keep_text(&r->keep, number);
        if (!text) return no_memory(r);
        g->labels[g->label_count++] = (label){text, k};
    }
    for (int i = 0, k = 0; i < r->name_count; i++) {
        while (k < g->key_count && g->keys[k] < r->names[i].key) k++;
        if (k < g->key_count && g->keys[k] == r->names[i].key) g->labels[g->label_count++] = (label){r->names[i].name, k};
    }
    qsort(g->labels, (size_t)g->label_count, sizeof *g->labels, by_name);
    return SP_OK;
}

typedef struct gather {
    int *node_mark, *tet_mark;  // the group that took it last, counted from 1
    int *nodes, *tets;          // room for one group
    int node_count, tet_count;
} gather;

static void take_node(gather *c, int node, int stamp) {
    if (node < 0 || c->node_mark[node] == stamp) return;
    c->node_mark[node] = stamp;
    c->nodes[c->node_count++] = node;
}

static void take_member(const sp_msh *r, const sp_msh_member *m, const int *renumber, gather *c, int stamp) {
    if (m->tet >= 0 && c->tet_mark[m->tet] != stamp) {
        c->tet_mark[m->tet] = stamp;
        c->tets[c->tet_count++] = m->tet;
    }
    for (int i = 0; i < 4; i++) {
        if (m->tet >= 0)
            take_node(c, r->tets[4 * (size_t)m->tet + (size_t)i], stamp);
        else if (m->nodes[i] >= 0)
            take_node(c, renumber[m->nodes[i]], stamp);
    }
}

static sp_status close_group(sp_msh *r, gather *c, const char *name, sp_mesh_group *out) {
    int *nodes, *tets;
    if (!SP_KEEP(&r->keep, nodes, c->node_count) || !SP_KEEP(&r->keep, tets, c->tet_count)) return no_memory(r);
    memcpy(nodes, c->nodes, (size_t)c->node_count * sizeof *nodes);
    memcpy(tets, c->tets, (size_t)c->tet_count * sizeof *tets);
    qsort(nodes, (size_t)c->node_count, sizeof *nodes, by_value);
    qsort(tets, (size_t)c->tet_count, sizeof *tets, by_value);
    *out = (sp_mesh_group){name, tets, c->tet_count, nodes, c->node_count};
    return SP_OK;
}

sp_status sp__msh_groups(sp_msh *r, const int *renumber, sp_mesh_group **out, int *count) {
    grouping g = {0};
    gather c = {0};
    *out = NULL;
    *count = 0;
    if (!r->member_count) return SP_OK;
    SP_TRY(sort_members(r, &g));
    SP_TRY(make_labels(r, &g));
    if (!SP_KEEP(&r->keep, *out, g.label_count) || !SP_KEEP(&r->keep, c.node_mark, r->node_count) ||
        !SP_KEEP(&r->keep, c.nodes, r->node_count) || !SP_KEEP(&r->keep, c.tet_mark, r->tet_count) ||
        !SP_KEEP(&r->keep, c.tets, r->tet_count))
        return no_memory(r);
    for (int l = 0; l < g.label_count;) {
        const char *name = g.labels[l].name;
        int stamp = l + 1;
        c.node_count = c.tet_count = 0;
        for (; l < g.label_count && strcmp(g.labels[l].name, name) == 0; l++)
            for (int i = g.first[g.labels[l].key]; i < g.first[g.labels[l].key + 1]; i++)
                take_member(r, &r->members[g.order[i]], renumber, &c, stamp);
        if (c.node_count) SP_TRY(close_group(r, &c, name, &(*out)[(*count)++]));
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ data

enum { DATA_ARRAYS_MAX = 256 };

typedef struct data_head {
    char name[128];
    int64_t components, entries;
} data_head;

static sp_status read_data_head(sp_msh *r, data_head *head) {
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
    return SP_OK;
}

// where an array of that name goes: a later one replaces an earlier one (steps of a time series)
static double *array_room(sp_msh *r, const data_head *head, bool on_elements) {
    int count = on_elements ? r->tet_count : r->node_count;
    for (int i = 0; i < r->array_count; i++)
        if (r->arrays[i].on_elements == on_elements && strcmp(r->arrays[i].name, head->name) == 0)
            return (double *)r->arrays[i].values;
    double *values;
    char *name = sp__keep_text(&r->keep, head->name);
    if (!name || !SP_KEEP(&r->keep, values, count)) return NULL;
    if (!r->arrays && !SP_KEEP(&r->keep, r->arrays, DATA_ARRAYS_MAX)) return NULL;
    r->arrays[r->array_count++] = (sp_mesh_array){name, values, on_elements};
    return values;
}

sp_status sp__msh_data(sp_msh *r, bool on_elements) {
    data_head head;
    const char *closing = on_elements ? "$EndElementData" : "$EndNodeData";
    if (!r->has_elements) return SP_MSH_FAIL(r, "data before $Elements");
    if (r->array_count == DATA_ARRAYS_MAX) return SP_MSH_FAIL(r, "more than %d arrays of data", DATA_ARRAYS_MAX);
    SP_TRY(read_data_head(r, &head));
    double *values = NULL;
    if (head.components == 1) {
        values = array_room(r, &head, on_elements);
        if (!values) return no_memory(r);
        int count = on_elements ? r->tet_count : r->node_count;
        for (int i = 0; i < count; i++) values[i] = NAN;
    } else {
        sp__log(r->ctx, SP_LOG_WARNING, "%s: \"%s\" has %d components, left out: only single numbers are read", r->file,
                head.name, (int)head.components);
    }
    for (int64_t i = 0; i < head.entries; i++) {
        int64_t id;
        double value;
        SP_TRY(sp__msh_integer(r, "number of a value", 0, INT64_MAX / 4, &id));
        int place = sp__msh_place(on_elements ? &r->tet_places : &r->node_places, id);
        for (int64_t k = 0; k < head.components; k++) SP_TRY(sp__msh_number(r, "value", &value));
        if (values && place >= 0) values[place] = value;
    }
    return sp__msh_end(r, closing);
}
