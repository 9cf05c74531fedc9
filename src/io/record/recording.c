// Recordings opened for reading: checks and queries. A frame counts if its time is written, see write_hdf5.c.
#ifdef SP_HAVE_HDF5
#include "io/record/recording.h"

#include <stddef.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

// ---------------------------------------------------------------------------------------------------- groups of the file

static sp_status read_head(sp_recording *r) {
    const char *format = NULL;
    int version = 0, visual = 0;
    if (H5Aexists(r->file, "format") <= 0) return SP_RECORDING_FAIL(r, "an HDF5 file, but not a recording of souple");
    SP_TRY(sp__recording_text(r, r->file, "format", true, &format, NULL));
    if (strcmp(format, "souple recording") != 0)
        return SP_RECORDING_FAIL(r, "format \"%.40s\", must be \"souple recording\"", format);
    SP_TRY(sp__recording_number(r, r->file, "format_version", H5T_NATIVE_INT, &version));
    // 2: not every body is in every frame
    if (version != 1 && version != 2) return SP_RECORDING_FAIL(r, "a recording of version %d, this build reads 1 and 2", version);
    SP_TRY(sp__recording_number(r, r->file, "visual", H5T_NATIVE_INT, &visual));
    r->info.visual = visual != 0;
    return SP_OK;
}

static sp_status read_origin(sp_recording *r, hid_t g) {
    sp_recording_info *o = &r->info;
    SP_TRY(sp__recording_text(r, g, "scene", false, &o->scene, &o->scene_size));
    SP_TRY(sp__recording_texts(r, g, "sets", &o->set_count, &o->sets));
    SP_TRY(sp__recording_text(r, g, "scene_path", true, &o->scene_path, NULL));
    SP_TRY(sp__recording_text(r, g, "version", true, &o->version, NULL));
    SP_TRY(sp__recording_text(r, g, "backend", true, &o->backend, NULL));
    SP_TRY(sp__recording_number(r, g, "dt", H5T_NATIVE_DOUBLE, &o->dt));
    return sp__recording_number(r, g, "seed", H5T_NATIVE_UINT64, &o->seed);
}

static sp_status read_frames(sp_recording *r, hid_t g) {
    void *time, *step, *hash, *between;
    int n = -1;
    SP_TRY(sp__recording_column(r, g, "time", H5T_NATIVE_DOUBLE, sizeof(double), &n, &time));
    SP_TRY(sp__recording_column(r, g, "step", H5T_NATIVE_UINT64, sizeof(uint64_t), &n, &step));
    SP_TRY(sp__recording_column(r, g, "hash", H5T_NATIVE_UINT64, sizeof(uint64_t), &n, &hash));
    SP_TRY(sp__recording_column(r, g, "interpolated", H5T_NATIVE_UCHAR, 1, &n, &between));
    if (!SP_KEEP(&r->keep, r->frames, n + 1)) return SP_FAIL(r->ctx, SP_NO_MEMORY, "%s: no memory to read it", r->path);
    for (int i = 0; i < n; i++)
        r->frames[i] = (sp_recording_frame){((double *)time)[i], ((uint64_t *)step)[i], ((uint64_t *)hash)[i],
                                            ((unsigned char *)between)[i] != 0};
    r->info.frame_count = n;
    return SP_OK;
}

static sp_status read_edits(sp_recording *r) {
    static const char head[] = "souple-edits 1\n";
    void *bytes, *flag;
    int n = -1, flags = -1;
    SP_TRY(sp__recording_column(r, r->file, "complete", H5T_NATIVE_UCHAR, 1, &flags, &flag));
    r->info.complete = flags > 0 && ((unsigned char *)flag)[0];
    SP_TRY(sp__recording_column(r, r->file, "edits", H5T_NATIVE_UCHAR, 1, &n, &bytes));
    char *text = sp__keep_alloc(&r->keep, (size_t)n + sizeof head, 1);
    if (!text) return SP_FAIL(r->ctx, SP_NO_MEMORY, "%s: no memory to read it", r->path);
    if (n) memcpy(text, head, sizeof head - 1), memcpy(text + sizeof head - 1, bytes, (size_t)n);
    r->info.edits = text;
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- bodies

// the group that has a frame of a body; NULL: the body is not in that frame
static const sp_recorded_span *span_at(const sp_recorded_body *b, int frame) {
    for (int i = 0; i < b->span_count; i++)
        if (frame >= b->spans[i].first && frame - b->spans[i].first < b->spans[i].rows) return &b->spans[i];
    return NULL;
}

// group of a body at a frame, and the row of the frame in its lists
static sp_status open_span(sp_recording *r, int frame, int body, hid_t *out, int *row) {
    const sp_recorded_span *span = span_at(&r->bodies[body], frame);
    *out = -1;
    if (!span) return SP_RECORDING_FAIL(r, "body \"%s\" is not in frame %d", r->bodies[body].about.name, frame);
    hid_t bodies = sp__recording_group(r, r->file, "bodies");
    if (bodies < 0) return SP_BAD_INPUT;
    hid_t own = sp__recording_group(r, bodies, r->bodies[body].about.name);
    if (own >= 0) *out = sp__recording_group(r, own, span->name);
    if (own >= 0) H5Gclose(own);
    H5Gclose(bodies);
    *row = frame - span->first;
    return *out < 0 ? SP_BAD_INPUT : SP_OK;
}

static sp_status read_cells(sp_recording *r, int body, hid_t data, const sp_extent *e) {
    sp_recorded_body *b = &r->bodies[body];
    uint64_t n = e->size[0] * e->size[1];
    SP_TRY(sp__recording_fits(r, "cells", n, sizeof(int)));
    int *cells = sp__alloc(r->ctx, (size_t)n + 1, sizeof *cells);
    if (!cells) return SP_FAIL(r->ctx, SP_NO_MEMORY, "%s: no memory for %llu cells", r->path, (unsigned long long)e->size[0]);
    sp__free(r->ctx, b->cells);
    b->cells = cells;
    b->revision = -1;
    if (n && H5Dread(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells) < 0)
        return SP_RECORDING_FAIL(r, "cells of \"%s\" cannot be read: damaged or cut off", b->about.name);
    for (uint64_t i = 0; i < n; i++)
        if (cells[i] < 0 || cells[i] >= b->topology.node_count)
            return SP_RECORDING_FAIL(r, "cells of \"%s\": node %d, must be below %d", b->about.name, cells[i],
                                     b->topology.node_count);
    b->topology.cell_count = (int)e->size[0], b->topology.corners = (int)e->size[1], b->topology.cells = cells;
    return SP_OK;
}

static sp_status load_topology(sp_recording *r, int frame, int body, hid_t g) {
    sp_recorded_body *b = &r->bodies[body];
    sp_extent x, c;
    hid_t data;
    SP_TRY(sp__recording_extent(r, g, "position", &data, &x));
    H5Dclose(data);
    if (x.rank != 3 || x.size[2] != 3 || x.size[1] > INT_MAX / 4)
        return SP_RECORDING_FAIL(r, "positions of \"%s\" have no extent of frames x nodes x 3", b->about.name);
    b->topology.node_count = (int)x.size[1];
    SP_TRY(sp__recording_extent(r, g, "cells", &data, &c));
    sp_status status = c.rank == 2 && c.size[1] >= 2 && c.size[1] <= 4 && c.type == H5T_INTEGER && c.size[0] < INT_MAX / 4
                           ? read_cells(r, body, data, &c)
                           : SP_RECORDING_FAIL(r, "cells of \"%s\" have no extent of count x 2, 3 or 4", b->about.name);
    H5Dclose(data);
    SP_TRY(status);
    b->revision = b->topology.revision = span_at(b, frame)->revision;
    return SP_OK;
}

static sp_status name_fields(sp_recording *r, hid_t g, sp_recorded_body *b) {
    const char **names;
    int count = 0, kept = 0;
    SP_TRY(sp__recording_names(r, g, b->about.name, &count, &names));
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], "cells") != 0) names[kept++] = names[i];
    b->about.fields = names;
    b->about.field_count = kept;
    return SP_OK;
}

static sp_status read_span(sp_recording *r, hid_t own, const char *name, sp_recorded_body *b) {
    sp_recorded_span *span = &b->spans[b->span_count];
    char *end;
    long revision = strtol(name, &end, 10);
    sp_extent e;
    hid_t data;
    if (*end || revision < 0 || revision >= INT_MAX)
        return SP_RECORDING_FAIL(r, "group \"%s\" of \"%s\" is not a revision", name, b->about.name);
    *span = (sp_recorded_span){.name = name, .revision = (int)revision};
    hid_t g = sp__recording_group(r, own, name);
    if (g < 0) return SP_BAD_INPUT;
    sp_status status = sp__recording_number(r, g, "first", H5T_NATIVE_INT, &span->first);
    if (status >= 0 && span->first < 0)
        status = SP_RECORDING_FAIL(r, "\"%s\" begins at frame %d, must be >= 0", b->about.name, span->first);
    if (status >= 0) status = sp__recording_extent(r, g, "position", &data, &e);
    if (status >= 0) {
        span->rows = e.rank > 0 && e.size[0] < INT_MAX ? (int)e.size[0] : 0;
        H5Dclose(data);
    }
    if (status >= 0 && !b->span_count++) status = name_fields(r, g, b);
    H5Gclose(g);
    return status;
}

static int by_first(const void *a, const void *b) {
    int x = ((const sp_recorded_span *)a)->first, y = ((const sp_recorded_span *)b)->first;
    return (x > y) - (x < y);
}

// A run that was killed may leave rows of a frame that is not complete: a group ends where the next one begins.
static sp_status read_spans(sp_recording *r, hid_t own, sp_recorded_body *b) {
    const char **names;
    int count = 0;
    SP_TRY(sp__recording_names(r, own, b->about.name, &count, &names));
    if (!SP_KEEP(&r->keep, b->spans, count + 1)) return SP_FAIL(r->ctx, SP_NO_MEMORY, "%s: no memory to read it", r->path);
    for (int i = 0; i < count; i++) SP_TRY(read_span(r, own, names[i], b));
    if (!count) return SP_RECORDING_FAIL(r, "\"%s\" has no revision", b->about.name);
    qsort(b->spans, (size_t)count, sizeof *b->spans, by_first);
    for (int i = 0; i + 1 < count; i++) {
        int most = b->spans[i + 1].first - b->spans[i].first;
        if (b->spans[i].rows > most) b->spans[i].rows = most;
    }
    return SP_OK;
}

static sp_status read_body(sp_recording *r, hid_t bodies, const char *name, sp_recorded_body *b) {
    b->about.name = name;
    b->revision = -1;
    hid_t own = sp__recording_group(r, bodies, name);
    if (own < 0) return SP_BAD_INPUT;
    sp_status status = sp__recording_text(r, own, "kind", true, &b->about.kind, NULL);
    if (status >= 0) status = sp__recording_number(r, own, "index", H5T_NATIVE_INT, &b->index);
    if (status >= 0) status = read_spans(r, own, b);
    H5Gclose(own);
    return status;
}

static int by_index(const void *a, const void *b) {
    int x = ((const sp_recorded_body *)a)->index, y = ((const sp_recorded_body *)b)->index;
    return (x > y) - (x < y);
}

static sp_status read_bodies(sp_recording *r, hid_t g) {
    const char **names;
    SP_TRY(sp__recording_names(r, g, "bodies", &r->info.body_count, &names));
    int n = r->info.body_count;
    r->info.body_count = 0;
    if (!SP_KEEP(&r->keep, r->bodies, n + 1)) return SP_FAIL(r->ctx, SP_NO_MEMORY, "%s: no memory to read it", r->path);
    for (int i = 0; i < n; i++) SP_TRY(read_body(r, g, names[i], &r->bodies[i]));
    r->info.body_count = n;
    if (n) qsort(r->bodies, (size_t)n, sizeof *r->bodies, by_index);
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- fields

// checked extent of a field at a frame; data is open on success
static sp_status open_field(sp_recording *r, hid_t g, int row, const char *field, hid_t *data, sp_extent *e,
                            sp_field_info *info) {
    const char *on = "";
    SP_TRY(sp__recording_extent(r, g, field, data, e));
    sp_status status = sp__recording_text(r, *data, "on", true, &on, NULL);
    bool whole = strcmp(on, "body") == 0;
    // label and meaning of fields that this version knows
    if (sp_field_named(field, info) < 0) *info = (sp_field_info){.name = "", .label = "", .unit = "", .meaning = "", .axes = ""};
    info->on = whole ? SP_ON_BODY : strcmp(on, "cells") == 0 ? SP_ON_ELEMENTS : SP_ON_NODES;
    if (status >= 0 &&
        (e->rank < 2 || (e->type != H5T_FLOAT && e->type != H5T_INTEGER) || e->size[1] > INT_MAX / 16 || e->size[2] > 64))
        status = SP_RECORDING_FAIL(r, "field \"%s\" has no extent of frames x items x components", field);
    if (status >= 0 && e->size[0] <= (hsize_t)row)
        status = SP_RECORDING_FAIL(r, "field \"%s\" has %llu frames, row %d was requested", field, (unsigned long long)e->size[0],
                                   row);
    info->count = whole ? 1 : (int)e->size[1];
    info->components = whole ? (int)e->size[1] : e->rank == 3 ? (int)e->size[2] : 1;
    if (status >= 0) status = sp__recording_fits(r, field, e->size[1] * e->size[2], 4);
    if (status < 0) H5Dclose(*data);
    return status;
}

static sp_status read_row(sp_recording *r, hid_t data, const sp_extent *e, int row, const char *field, double *out) {
    hsize_t from[3] = {(hsize_t)row, 0, 0}, many[3] = {1, e->size[1], e->size[2]};
    if (!e->size[1]) return SP_OK;
    hid_t space = H5Dget_space(data), memory = H5Screate_simple(e->rank, many, NULL);
    bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, many, NULL) >= 0 &&
                H5Dread(data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, out) >= 0;
    H5Sclose(space), H5Sclose(memory);
    return good ? SP_OK : SP_RECORDING_FAIL(r, "field \"%s\" cannot be read: damaged or cut off", field);
}

static sp_status ask_field(sp_recording *r, int frame, int body, const char *field, sp_field_info *info, double *out) {
    hid_t g, data;
    sp_extent e;
    int row;
    SP_TRY(open_span(r, frame, body, &g, &row));
    sp_status status = open_field(r, g, row, field, &data, &e, info);
    if (status >= 0) {
        if (out) status = read_row(r, data, &e, row, field, out);
        H5Dclose(data);
    }
    H5Gclose(g);
    return status;
}

static sp_status check_place(const sp_recording *r, int frame, int body) {
    if (frame < 0 || frame >= r->info.frame_count)
        return SP_FAIL(r->ctx, SP_BAD_INPUT, "%s: frame %d, must be in [0, %d)", r->path, frame, r->info.frame_count);
    if (body < 0 || body >= r->info.body_count)
        return SP_FAIL(r->ctx, SP_BAD_INPUT, "%s: body %d, must be in [0, %d)", r->path, body, r->info.body_count);
    return SP_OK;
}

static bool has_field(const sp_recording *r, int body, const char *field) {
    for (int i = 0; i < r->bodies[body].about.field_count; i++)
        if (strcmp(r->bodies[body].about.fields[i], field) == 0) return true;
    return false;
}

static sp_status enter_field(sp_recording *r, int frame, int body, const char *field, sp_field_info *info, double *out) {
    SP_TRY(check_place(r, frame, body));
    if (!has_field(r, body, field))
        return SP_FAIL(r->ctx, SP_BAD_INPUT, "%s: body \"%s\" has no field \"%s\"", r->path, r->bodies[body].about.name, field);
    sp__hdf5_enter();
    sp_status status = ask_field(r, frame, body, field, info, out);
    sp__hdf5_leave();
    return status;
}

sp_status sp_recording_field_info(sp_recording *r, int frame, int body, const char *field, sp_field_info *out) {
    return enter_field(r, frame, body, field, out, NULL);
}

sp_status sp_recording_field(sp_recording *r, int frame, int body, const char *field, double *out) {
    sp_field_info info;
    return enter_field(r, frame, body, field, &info, out);
}

sp_status sp_recording_topology_at(sp_recording *r, int frame, int body, sp_recording_topology *out) {
    SP_TRY(check_place(r, frame, body));
    sp_recorded_body *b = &r->bodies[body];
    const sp_recorded_span *span = span_at(b, frame);
    if (!span || b->revision != span->revision) {
        hid_t g;
        int row;
        sp__hdf5_enter();
        sp_status status = open_span(r, frame, body, &g, &row);
        if (status >= 0) {
            status = load_topology(r, frame, body, g);
            H5Gclose(g);
        }
        sp__hdf5_leave();
        SP_TRY(status);
    }
    *out = b->topology;
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- contacts

// the first row of each frame; recordings of older versions and of scenes without contact have no contacts
static sp_status read_contact_rows(sp_recording *r) {
    void *counts;
    int n = r->info.frame_count;
    uint64_t row = 0;
    if (H5Lexists(r->file, "contacts", H5P_DEFAULT) <= 0) return SP_OK;
    hid_t g = sp__recording_group(r, r->file, "contacts");
    if (g < 0) return SP_BAD_INPUT;
    sp_status status = sp__recording_column(r, g, "count", H5T_NATIVE_INT, sizeof(int), &n, &counts);
    H5Gclose(g);
    SP_TRY(status);
    if (n < r->info.frame_count) return SP_RECORDING_FAIL(r, "contacts of %d frames, there are %d", n, r->info.frame_count);
    if (!SP_KEEP(&r->keep, r->contact_rows, (size_t)n + 1))
        return SP_FAIL(r->ctx, SP_NO_MEMORY, "%s: no memory to read it", r->path);
    for (int i = 0; i < n; i++) {
        int count = ((int *)counts)[i];
        if (count < 0) return SP_RECORDING_FAIL(r, "%d contacts in frame %d, must be >= 0", count, i);
        r->contact_rows[i] = row, row += (uint64_t)count;
    }
    r->contact_rows[n] = row;
    return sp__recording_fits(r, "contacts", row, sizeof(float));
}

int sp_recording_contact_count(const sp_recording *r, int frame) {
    if (frame < 0 || frame >= r->info.frame_count)
        return SP_FAIL(r->ctx, SP_BAD_INPUT, "%s: frame %d, must be in [0, %d)", r->path, frame, r->info.frame_count);
    return r->contact_rows ? (int)(r->contact_rows[frame + 1] - r->contact_rows[frame]) : 0;
}

// rows of one array of contacts, into every item of `out` at an offset
static sp_status read_contact_array(sp_recording *r, hid_t g, const char *name, int components, hid_t memory, size_t size,
                                    uint64_t first, int count, sp_recording_contact *out, size_t offset) {
    hid_t data;
    sp_extent e;
    SP_TRY(sp__recording_extent(r, g, name, &data, &e));
    sp_status status = SP_OK;
    if (e.rank != (components > 1 ? 2 : 1) || (components > 1 && e.size[1] != (hsize_t)components) ||
        (e.type != H5T_FLOAT && e.type != H5T_INTEGER) || e.size[0] < first + (uint64_t)count)
        status = SP_RECORDING_FAIL(r, "\"%s\" of contacts does not have %llu rows of %d numbers", name,
                                   (unsigned long long)(first + (uint64_t)count), components);
    char *rows = status >= 0 ? sp__alloc(r->ctx, (size_t)count * (size_t)components, size) : NULL;
    if (status >= 0 && !rows) status = SP_FAIL(r->ctx, SP_NO_MEMORY, "%s: no memory for %d contacts", r->path, count);
    if (status >= 0) {
        hsize_t from[2] = {first, 0}, many[2] = {(hsize_t)count, (hsize_t)components};
        hid_t space = H5Dget_space(data), there = H5Screate_simple(e.rank, many, NULL);
        if (H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, many, NULL) < 0 ||
            H5Dread(data, memory, there, space, H5P_DEFAULT, rows) < 0)
            status = SP_RECORDING_FAIL(r, "\"%s\" of contacts cannot be read: damaged or cut off", name);
        H5Sclose(space), H5Sclose(there);
        for (int i = 0; i < count && status >= 0; i++)
            memcpy((char *)&out[i] + offset, rows + (size_t)i * (size_t)components * size, (size_t)components * size);
    }
    sp__free(r->ctx, rows);
    H5Dclose(data);
    return status;
}

// the body with an index of the file; the count of bodies: none
static int find_index(const sp_recording *r, int index) {
    int i = 0;
    while (i < r->info.body_count && r->bodies[i].index != index) i++;
    return i;
}

static sp_status read_contacts(sp_recording *r, uint64_t first, int count, sp_recording_contact *out) {
    hid_t g = sp__recording_group(r, r->file, "contacts");
    sp_status status = g < 0 ? SP_BAD_INPUT : SP_OK;
#define MEMBER(member, components, memory, type)                                                    \
    if (status >= 0)                                                                                \
    status = read_contact_array(r, g, #member, components, memory, sizeof(type), first, count, out, \
                                offsetof(sp_recording_contact, member))
    MEMBER(point, 3, H5T_NATIVE_DOUBLE, double);
    MEMBER(normal, 3, H5T_NATIVE_DOUBLE, double);
    MEMBER(force, 3, H5T_NATIVE_DOUBLE, double);
    MEMBER(gap, 1, H5T_NATIVE_DOUBLE, double);
    MEMBER(pressure, 1, H5T_NATIVE_DOUBLE, double);
    MEMBER(bodies, 2, H5T_NATIVE_INT, int);
#undef MEMBER
    for (int i = 0; i < count && status >= 0; i++)
        for (int s = 0; s < 2 && status >= 0; s++) {
            const int index = out[i].bodies[s];
            if (index >= 0) out[i].bodies[s] = find_index(r, index);
            if (index < -1 || out[i].bodies[s] >= r->info.body_count)
                status = SP_RECORDING_FAIL(r, "body %d of a contact is not in the recording", index);
        }
    if (g >= 0) H5Gclose(g);
    return status;
}

sp_status sp_recording_contacts(sp_recording *r, int frame, sp_recording_contact *out) {
    int count = sp_recording_contact_count(r, frame);
    if (count <= 0) return count < 0 ? (sp_status)count : SP_OK;
    sp__hdf5_enter();
    sp_status status = read_contacts(r, r->contact_rows[frame], count, out);
    sp__hdf5_leave();
    return status;
}

// ---------------------------------------------------------------------------------------------------- creation and destruction

// the HDF5 file: the path itself, or the one next to the .xdmf file
static sp_status find_heavy(sp_context *ctx, const char *path, sp_keep *keep, const char **out) {
    struct stat info;
    char *text;
    size_t size, n = strlen(path);
    *out = sp__keep_text(keep, path);
    if (!*out) return SP_FAIL(ctx, SP_NO_MEMORY, "%s: no memory to read it", path);
    if (n < 5 || strcmp(path + n - 5, ".xdmf") != 0) return SP_OK;
    SP_TRY(sp__text_read(ctx, path, 0, &text, &size));
    bool xdmf = strstr(text, "<Xdmf") != NULL;
    sp__free(ctx, text);
    if (!xdmf) return SP_FAIL(ctx, SP_BAD_INPUT, "%s: not an XDMF file", path);
    char *heavy_path = sp__path_with(ctx, path, ".h5");
    *out = heavy_path ? sp__keep_text(keep, heavy_path) : NULL;
    sp__free(ctx, heavy_path);
    if (!*out) return SP_FAIL(ctx, SP_NO_MEMORY, "%s: no memory to read it", path);
    if (stat(*out, &info) != 0) return SP_FAIL(ctx, SP_BAD_INPUT, "%s: its heavy data %s: %s", path, *out, strerror(errno));
    return SP_OK;
}

sp_status sp__recording_open_file(sp_recording *r) {
    struct stat info;
    if (stat(r->path, &info) != 0) return SP_FAIL(r->ctx, SP_BAD_INPUT, "%s: %s", r->path, strerror(errno));
    if (!S_ISREG(info.st_mode)) return SP_RECORDING_FAIL(r, "not a regular file");
    r->bytes = (uint64_t)info.st_size;
    if (H5Fis_hdf5(r->path) <= 0) return SP_RECORDING_FAIL(r, "not an HDF5 file");
    r->file = H5Fopen(r->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    return r->file < 0 ? SP_RECORDING_FAIL(r, "HDF5 cannot open it: damaged or cut off") : SP_OK;
}

static sp_status read_group(sp_recording *r, const char *name, sp_status (*read)(sp_recording *r, hid_t g)) {
    hid_t g = sp__recording_group(r, r->file, name);
    if (g < 0) return SP_BAD_INPUT;
    sp_status status = read(r, g);
    H5Gclose(g);
    return status;
}

// the position of a body, where a complete frame has it
static sp_status check_bodies(sp_recording *r) {
    for (int i = 0; i < r->info.body_count; i++)
        for (int k = 0; k < r->bodies[i].span_count; k++) {
            const sp_recorded_span *span = &r->bodies[i].spans[k];
            sp_field_info info;
            if (!span->rows || span->first >= r->info.frame_count) continue;
            SP_TRY(ask_field(r, span->first, i, "position", &info, NULL));
            if (info.components != 3)
                return SP_RECORDING_FAIL(r, "positions of \"%s\" have no extent of frames x nodes x 3", r->bodies[i].about.name);
        }
    return SP_OK;
}

// precision of the stored values
static void detect_precision(sp_recording *r) {
    hid_t g, data = -1;
    int row;
    if (!r->info.frame_count || !r->info.body_count || !span_at(&r->bodies[0], 0) || open_span(r, 0, 0, &g, &row) < 0) return;
    data = H5Dopen2(g, "position", H5P_DEFAULT);
    hid_t type = data >= 0 ? H5Dget_type(data) : -1;
    r->info.in_double = type >= 0 && H5Tget_size(type) == sizeof(double);
    if (type >= 0) H5Tclose(type);
    if (data >= 0) H5Dclose(data);
    H5Gclose(g);
}

static sp_status read_all(sp_recording *r) {
    SP_TRY(sp__recording_open_file(r));
    SP_TRY(read_head(r));
    SP_TRY(read_group(r, "provenance", read_origin));
    SP_TRY(read_group(r, "frames", read_frames));
    SP_TRY(read_edits(r));
    SP_TRY(read_group(r, "bodies", read_bodies));
    SP_TRY(check_bodies(r));
    SP_TRY(read_contact_rows(r));
    detect_precision(r);
    return SP_OK;
}

sp_status sp_recording_open(sp_context *ctx, const char *path, sp_recording **out) {
    sp_recording *r = *out = sp__alloc(ctx, 1, sizeof *r);
    if (!r) return SP_FAIL(ctx, SP_NO_MEMORY, "%s: no memory to read it", path);
    *r = (sp_recording){.ctx = ctx, .keep = {ctx, NULL}, .file = -1, .path = path};
    sp_status status = find_heavy(ctx, path, &r->keep, &r->path);
    if (status >= 0) {
        sp__hdf5_enter();
        status = read_all(r);
        sp__hdf5_leave();
    }
    if (status < 0) sp_recording_close(out);
    return status;
}

void sp_recording_close(sp_recording **recording) {
    sp_recording *r = *recording;
    if (!r) return;
    *recording = NULL;
    if (r->file >= 0) {
        sp__hdf5_enter();
        H5Fclose(r->file);
        sp__hdf5_leave();
    }
    for (int i = 0; r->bodies && i < r->info.body_count; i++) sp__free(r->ctx, r->bodies[i].cells);
    sp__keep_free(&r->keep);
    sp__free(r->ctx, r);
}

// ---------------------------------------------------------------------------------------------------- queries

sp_context *sp__recording_context(const sp_recording *r) {
    return r->ctx;
}

void sp_recording_get(const sp_recording *r, sp_recording_info *out) {
    *out = r->info;
}

sp_status sp_recording_frame_at(const sp_recording *r, int frame, sp_recording_frame *out) {
    if (frame < 0 || frame >= r->info.frame_count)
        return SP_FAIL(r->ctx, SP_BAD_INPUT, "%s: frame %d, must be in [0, %d)", r->path, frame, r->info.frame_count);
    *out = r->frames[frame];
    return SP_OK;
}

int sp_recording_nearest(const sp_recording *r, double time) {
    int best = -1;
    for (int i = 0; i < r->info.frame_count; i++)
        if (best < 0 || fabs(r->frames[i].time - time) < fabs(r->frames[best].time - time)) best = i;
    return best;
}

sp_status sp_recording_body_at(const sp_recording *r, int body, sp_recording_body *out) {
    if (body < 0 || body >= r->info.body_count)
        return SP_FAIL(r->ctx, SP_BAD_INPUT, "%s: body %d, must be in [0, %d)", r->path, body, r->info.body_count);
    *out = r->bodies[body].about;
    return SP_OK;
}

bool sp_recording_has_body(const sp_recording *r, int frame, int body) {
    return frame >= 0 && frame < r->info.frame_count && body >= 0 && body < r->info.body_count &&
           span_at(&r->bodies[body], frame) != NULL;
}
#else
typedef int sp_recording_with_hdf5;
#endif
