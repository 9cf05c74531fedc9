// See hdf5_bodies.h.
#ifdef SP_HAVE_HDF5
#include "io/record/hdf5_bodies.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const where[] = {"nodes", "cells", "body"};  // by sp_field_on

int sp__h5_bodies_count(const sp_h5_bodies *b) {
    return (int)(b->groups.size / sizeof(sp_h5_body));
}

sp_h5_body *sp__h5_bodies_at(const sp_h5_bodies *b, int index) {
    return (sp_h5_body *)(void *)b->groups.data + index;
}

static void bodies_no_memory(sp_h5 *h) {
    h->no_memory = true;
    sp__h5_failed(h, "no memory for its bodies");
}

// a group with closed lists; NULL: no memory
static sp_h5_body *bodies_append(sp_h5 *h, sp_h5_bodies *b, const sp_layout_body *body, int revision, long first) {
    sp_h5_body group = {.body = *body, .revision = revision, .first = first, .end = SP_H5_OPEN};
    group.fields = sp__keep_alloc(&b->keep, (size_t)body->array_count + 1, sizeof *group.fields);
    for (int i = 0; group.fields && i < body->array_count; i++) group.fields[i].id = -1;
    if (!group.fields || !sp__buffer_add(h->ctx, &b->groups, &group, sizeof group)) {
        bodies_no_memory(h);
        return NULL;
    }
    return sp__h5_bodies_at(b, sp__h5_bodies_count(b) - 1);
}

void sp__h5_bodies_close(sp_h5_bodies *b) {
    for (int i = 0; i < sp__h5_bodies_count(b); i++) {
        sp_h5_body *g = sp__h5_bodies_at(b, i);
        for (int k = 0; k < g->body.array_count; k++) sp__h5_list_close(&g->fields[k]);
        g->open = false;
    }
}

void sp__h5_bodies_free(sp_h5 *h, sp_h5_bodies *b) {
    sp__h5_bodies_close(b);
    sp__buffer_free(h->ctx, &b->groups), sp__buffer_free(h->ctx, &b->current);
    sp__keep_free(&b->keep);
}

// ---------------------------------------------------------------------------------------------------- groups of the file

static hid_t open_group(sp_h5 *h, const sp_h5_body *g) {
    char name[16];
    snprintf(name, sizeof name, "%d", g->revision);
    hid_t all = H5Gopen2(h->file, "bodies", H5P_DEFAULT), body = all < 0 ? -1 : H5Gopen2(all, g->body.name, H5P_DEFAULT);
    hid_t group = body < 0 ? -1 : H5Gopen2(body, name, H5P_DEFAULT);
    if (body >= 0) H5Gclose(body);
    if (all >= 0) H5Gclose(all);
    return group;
}

static void bodies_open(sp_h5 *h, sp_h5_body *g) {
    if (g->open || h->failed) return;
    hid_t at = open_group(h, g);
    g->open = at >= 0;
    for (int i = 0; i < g->body.array_count && g->open; i++)
        g->open = sp__h5_list_open(h, at, g->body.arrays[i].name, H5T_NATIVE_DOUBLE, &g->fields[i]);
    if (at >= 0) H5Gclose(at);
    if (!g->open) sp__h5_failed(h, "opening a body again");
}

static void create_field(sp_h5 *h, hid_t at, const sp_layout_array *a, bool in_double, bool compress, sp_h5_list *out) {
    hsize_t row[2] = {(hsize_t)a->count, (hsize_t)a->components};
    int rank = a->components > 1 ? 3 : 2;
    if (a->on == SP_ON_BODY) row[0] = (hsize_t)a->components, rank = 2;
    sp__h5_list_create(h, at, a->name, in_double ? H5T_IEEE_F64LE : H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, rank, row,
                       a->on == SP_ON_BODY, compress, out);
    if (out->id < 0) return;
    sp__h5_text_attr(h, out->id, "on", where[a->on]);
    sp__h5_text_attr(h, out->id, "unit", a->unit);
}

static void bodies_create(sp_h5 *h, hid_t at, sp_h5_body *g, bool in_double, bool compress) {
    char name[16];
    const sp_layout_body *b = &g->body;
    const int first = (int)g->first;
    bool new_body = H5Lexists(at, b->name, H5P_DEFAULT) <= 0;
    hid_t body = new_body ? sp__h5_group(h, at, b->name) : H5Gopen2(at, b->name, H5P_DEFAULT);
    if (new_body) sp__h5_text_attr(h, body, "kind", b->kind);
    if (new_body) sp__h5_number_attr(h, body, "index", H5T_STD_I32LE, H5T_NATIVE_INT, &b->index);
    snprintf(name, sizeof name, "%d", g->revision);
    hid_t own = sp__h5_group(h, body, name);
    sp__h5_number_attr(h, own, "first", H5T_STD_I32LE, H5T_NATIVE_INT, &first);
    sp__h5_ints(h, own, "cells", b->cells, b->cell_count, b->corners);
    for (int i = 0; i < b->array_count; i++) create_field(h, own, &b->arrays[i], in_double, compress, &g->fields[i]);
    g->open = true;
    if (own >= 0) H5Gclose(own);
    if (body >= 0) H5Gclose(body);
}

// ---------------------------------------------------------------------------------------------------- layouts

static bool same_arrays(const sp_layout_body *a, const sp_layout_body *b) {
    bool same = a->array_count == b->array_count;
    for (int i = 0; i < a->array_count && same; i++) {
        int k = 0;  // a file lists its fields in another order
        while (k < b->array_count && strcmp(a->arrays[i].name, b->arrays[k].name) != 0) k++;
        same =
            k < b->array_count && a->arrays[i].count == b->arrays[k].count && a->arrays[i].components == b->arrays[k].components;
    }
    return same;
}

// cells that were read from the file are not compared one by one
static bool same_layout(const sp_layout_body *a, const sp_layout_body *b) {
    return strcmp(a->name, b->name) == 0 && (!a->cells || a->cells == b->cells) && a->node_count == b->node_count &&
           a->cell_count == b->cell_count && a->corners == b->corners && same_arrays(a, b);
}

static bool goes_on(const sp_h5_body *g, const sp_layout_body *b) {
    return g->end == SP_H5_OPEN && same_layout(&g->body, b);
}

static int find_group(const sp_h5_bodies *b, const sp_layout_body *body) {
    int i = sp__h5_bodies_count(b) - 1;
    while (i >= 0 && !goes_on(sp__h5_bodies_at(b, i), body)) i--;
    return i;
}

// ends the groups that the layout does not have; true: something changes
static bool end_groups(sp_h5_bodies *b, const sp_layout *layout, long first) {
    bool changes = false;
    for (int i = 0; i < sp__h5_bodies_count(b); i++) {
        sp_h5_body *g = sp__h5_bodies_at(b, i);
        bool stays = g->end != SP_H5_OPEN;
        for (int k = 0; k < layout->body_count && !stays; k++) stays = goes_on(g, &layout->bodies[k]);
        if (!stays) g->end = first, changes = true;
    }
    for (int k = 0; k < layout->body_count; k++) changes = changes || find_group(b, &layout->bodies[k]) < 0;
    return changes;
}

void sp__h5_bodies_layout(sp_h5 *h, sp_h5_bodies *b, const sp_layout *layout, long first, bool in_double, bool compress) {
    hid_t at = H5Lexists(h->file, "bodies", H5P_DEFAULT) > 0 ? H5Gopen2(h->file, "bodies", H5P_DEFAULT)
                                                             : sp__h5_group(h, h->file, "bodies");
    b->revision += end_groups(b, layout, first);
    b->current.size = 0;
    for (int i = 0; i < layout->body_count && !h->failed; i++) {
        int k = find_group(b, &layout->bodies[i]);
        sp_h5_body *g = k >= 0 ? sp__h5_bodies_at(b, k) : bodies_append(h, b, &layout->bodies[i], b->revision, first);
        if (!g) break;
        g->body = layout->bodies[i];
        if (k < 0)
            bodies_create(h, at, g, in_double, compress), k = sp__h5_bodies_count(b) - 1;
        else
            bodies_open(h, g);
        if (!sp__buffer_add(h->ctx, &b->current, &k, sizeof k)) bodies_no_memory(h);
    }
    if (at >= 0) H5Gclose(at);
}

void sp__h5_bodies_add(sp_h5 *h, sp_h5_bodies *b, const sp_frame *f) {
    const int *current = (const int *)(const void *)b->current.data;
    for (int i = 0; i < f->layout->body_count && !h->failed; i++) {
        sp_h5_body *g = sp__h5_bodies_at(b, current[i]);
        for (int k = 0; k < g->body.array_count; k++)
            sp__h5_list_add(h, &g->fields[k], 1, f->values + f->layout->bodies[i].arrays[k].offset);
    }
}

// ---------------------------------------------------------------------------------------------------- an existing file

static bool read_int(hid_t at, const char *name, int *out) {
    hid_t item = H5Aexists(at, name) > 0 ? H5Aopen(at, name, H5P_DEFAULT) : -1;
    bool good = item >= 0 && H5Aread(item, H5T_NATIVE_INT, out) >= 0;
    if (item >= 0) H5Aclose(item);
    return good;
}

// name of a member of a group, kept; NULL: there is none, or no memory
static const char *read_name(sp_h5 *h, sp_h5_bodies *b, hid_t at, hsize_t i) {
    ssize_t n = H5Lget_name_by_idx(at, ".", H5_INDEX_NAME, H5_ITER_INC, i, NULL, 0, H5P_DEFAULT);
    char *name = n > 0 && n < 4096 ? sp__keep_alloc(&b->keep, (size_t)n + 1, 1) : NULL;
    if (n > 0 && !name) h->no_memory = true;
    if (name && H5Lget_name_by_idx(at, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, (size_t)n + 1, H5P_DEFAULT) < 0) name = NULL;
    return name;
}

static bool read_where(hid_t data, sp_field_on *on) {
    char text[8] = "";
    hid_t item = H5Aexists(data, "on") > 0 ? H5Aopen(data, "on", H5P_DEFAULT) : -1, type = item < 0 ? -1 : H5Aget_type(item);
    bool good = type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) <= 0 &&
                H5Tget_size(type) < sizeof text && H5Aread(item, type, text) >= 0;
    if (type >= 0) H5Tclose(type);
    if (item >= 0) H5Aclose(item);
    int i = 0;
    while (i < 3 && strcmp(where[i], text) != 0) i++;
    *on = (sp_field_on)i;
    return good && i < 3;
}

// the extents of a field, or of the cells
static bool read_array(sp_h5 *h, hid_t at, const char *name, sp_layout_body *body, long *rows) {
    sp_h5_list list;
    sp_layout_array *a = &body->arrays[body->array_count];
    if (!sp__h5_list_open(h, at, name, H5T_NATIVE_DOUBLE, &list)) return false;
    bool good = list.rank >= 2 && list.row[0] < INT_MAX && list.row[1] < INT_MAX && list.count < INT_MAX;
    if (strcmp(name, "cells") == 0) {
        body->cell_count = (int)list.count, body->corners = (int)list.row[0];
    } else {
        good = good && read_where(list.id, &a->on);
        a->name = name, a->unit = "";
        a->count = a->on == SP_ON_BODY ? 1 : (size_t)list.row[0];
        a->components = a->on == SP_ON_BODY ? (int)list.row[0] : list.rank == 3 ? (int)list.row[1] : 1;
        body->array_count++;
        if (strcmp(name, "position") == 0) body->node_count = (int)list.row[0], *rows = (long)list.count;
    }
    sp__h5_list_close(&list);
    return good;
}

// the positions come first, as in a layout
static void order_arrays(sp_layout_body *body) {
    int i = 0;
    while (i < body->array_count && strcmp(body->arrays[i].name, "position") != 0) i++;
    if (i == body->array_count) return;
    sp_layout_array first = body->arrays[0];
    body->arrays[0] = body->arrays[i], body->arrays[i] = first;
}

static bool read_revision(sp_h5 *h, sp_h5_bodies *b, hid_t at, const char *name, sp_layout_body body) {
    H5G_info_t info;
    int first = 0;
    long rows = 0;
    char *end;
    long revision = strtol(name, &end, 10);
    if (*end || revision < 0 || revision >= INT_MAX || H5Gget_info(at, &info) < 0 || info.nlinks > 1024) return false;
    if (!read_int(at, "first", &first) || first < 0) return false;
    if (!(body.arrays = sp__keep_alloc(&b->keep, (size_t)info.nlinks + 1, sizeof *body.arrays)))
        return h->no_memory = true, false;
    for (hsize_t i = 0; i < info.nlinks; i++) {
        const char *array = read_name(h, b, at, i);
        if (!array || !read_array(h, at, array, &body, &rows)) return false;
    }
    order_arrays(&body);
    sp_h5_body *g = bodies_append(h, b, &body, (int)revision, first);
    if (g) g->end = first + rows;
    return g != NULL;
}

static bool read_body(sp_h5 *h, sp_h5_bodies *b, hid_t at, const char *name) {
    H5G_info_t info;
    sp_layout_body body = {.name = name, .kind = ""};
    bool good = H5Gget_info(at, &info) >= 0 && read_int(at, "index", &body.index);
    for (hsize_t i = 0; good && i < info.nlinks; i++) {
        const char *revision = read_name(h, b, at, i);
        hid_t own = revision ? H5Gopen2(at, revision, H5P_DEFAULT) : -1;
        good = own >= 0 && read_revision(h, b, own, revision, body);
        if (own >= 0) H5Gclose(own);
    }
    return good;
}

static int by_index(const void *a, const void *b) {
    const sp_h5_body *x = a, *y = b;
    if (x->body.index != y->body.index) return x->body.index < y->body.index ? -1 : 1;
    return (x->revision > y->revision) - (x->revision < y->revision);
}

bool sp__h5_bodies_read(sp_h5 *h, sp_h5_bodies *b) {
    H5G_info_t info;
    hid_t at = H5Gopen2(h->file, "bodies", H5P_DEFAULT);
    bool good = at >= 0 && H5Gget_info(at, &info) >= 0;
    for (hsize_t i = 0; good && i < info.nlinks; i++) {
        const char *name = read_name(h, b, at, i);
        hid_t own = name ? H5Gopen2(at, name, H5P_DEFAULT) : -1;
        good = own >= 0 && read_body(h, b, own, name);
        if (own >= 0) H5Gclose(own);
    }
    if (at >= 0) H5Gclose(at);
    if (good && b->groups.size) qsort(b->groups.data, (size_t)sp__h5_bodies_count(b), sizeof(sp_h5_body), by_index);
    return good;
}

bool sp__h5_bodies_match(const sp_h5_bodies *b, const sp_layout *layout, long frames) {
    for (int i = 0; i < sp__h5_bodies_count(b); i++) {
        const sp_h5_body *g = sp__h5_bodies_at(b, i);
        if (g->first >= frames || g->end < frames) continue;
        for (int k = 0; k < layout->body_count; k++)
            if (strcmp(g->body.name, layout->bodies[k].name) == 0 && !same_layout(&g->body, &layout->bodies[k])) return false;
    }
    return true;
}

static void remove_group(sp_h5 *h, const sp_h5_body *g) {
    char name[16];
    H5G_info_t info = {0};
    snprintf(name, sizeof name, "%d", g->revision);
    hid_t all = H5Gopen2(h->file, "bodies", H5P_DEFAULT), body = all < 0 ? -1 : H5Gopen2(all, g->body.name, H5P_DEFAULT);
    bool good = body >= 0 && H5Ldelete(body, name, H5P_DEFAULT) >= 0 && H5Gget_info(body, &info) >= 0;
    if (body >= 0) H5Gclose(body);
    if (good && !info.nlinks) good = H5Ldelete(all, g->body.name, H5P_DEFAULT) >= 0;
    if (all >= 0) H5Gclose(all);
    if (!good) sp__h5_failed(h, "removing a body");
}

void sp__h5_bodies_cut(sp_h5 *h, sp_h5_bodies *b, long frames) {
    int kept = 0;
    for (int i = 0; i < sp__h5_bodies_count(b) && !h->failed; i++) {
        sp_h5_body g = *sp__h5_bodies_at(b, i);
        if (g.first >= frames) {
            remove_group(h, &g);
            continue;
        }
        bodies_open(h, &g);
        for (int k = 0; k < g.body.array_count; k++) sp__h5_list_cut(h, &g.fields[k], (hsize_t)(frames - g.first));
        for (int k = 0; k < g.body.array_count; k++) sp__h5_list_close(&g.fields[k]);
        g.open = false;
        if (g.end >= frames) g.end = SP_H5_OPEN;  // the last frame has it
        *sp__h5_bodies_at(b, kept++) = g;
    }
    b->groups.size = (size_t)kept * sizeof(sp_h5_body);
}
#else
typedef int sp_hdf5_bodies_absent;
#endif
