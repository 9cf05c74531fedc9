// The HDF5 file of an .xdmf record. A frame writes its fields first, its time last, then commits. The number of times is
// therefore always the number of complete frames.
#ifdef SP_HAVE_HDF5
#include "io/record/record.h"

#include <stdio.h>

#include "io/record/hdf5_bodies.h"

typedef struct probe_lists {
    sp_h5_list time, value, interpolated;
} probe_lists;

struct sp_heavy {
    sp_h5 h;
    sp_store *store;
    sp_sink *sink;
    const sp_layout *layout;  // of the last frame
    sp_h5_bodies bodies;
    hid_t event_type;
    sp_h5_list time, step, hash, interpolated, revision, edits, events, complete;
    probe_lists *probes;
    bool has_contacts;
    sp_h5_list contact_count, contacts[SP_CONTACT_ARRAY_COUNT];  // per frame; per contact
    sp_buffer contact_first;  // of each frame: its first row (uint64_t), then that of the next frame
};

// commits, unless a call failed: then the file keeps its last commit
static sp_status h5_result(sp_heavy *w) {
    if (!w->h.failed) return sp__store_commit(w->store);
    SP_TRY(sp__store_state(w->store));
    if (w->h.no_memory) return SP_FAIL(w->h.ctx, SP_NO_MEMORY, "%s: %s", w->h.path, w->h.what);
    return SP_FAIL(w->h.ctx, SP_IO, "%s: HDF5 refuses: %s", w->h.path, w->h.what);
}

// ---------------------------------------------------------------------------------------------------- groups of the file

static void write_provenance(sp_heavy *w) {
    const sp_provenance *o = w->sink->origin;
    sp_h5 *h = &w->h;
    int format = 1, yes = w->sink->visual;
    sp__h5_text_attr(h, h->file, "format", "souple recording");
    sp__h5_number_attr(h, h->file, "format_version", H5T_STD_I32LE, H5T_NATIVE_INT, &format);
    sp__h5_number_attr(h, h->file, "visual", H5T_STD_I32LE, H5T_NATIVE_INT, &yes);
    hid_t g = sp__h5_group(h, h->file, "provenance");
    sp__h5_text(h, g, "scene", o->scene, o->scene_size);
    sp__h5_texts(h, g, "sets", o->sets, o->set_count);
    sp__h5_text_attr(h, g, "scene_path", o->scene_path);
    sp__h5_text_attr(h, g, "version", SP_VERSION_TEXT);
    sp__h5_text_attr(h, g, "backend", o->backend);
    sp__h5_number_attr(h, g, "dt", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &o->dt);
    sp__h5_number_attr(h, g, "seed", H5T_STD_U64LE, H5T_NATIVE_UINT64, &o->seed);
    if (g >= 0) H5Gclose(g);
}

#define COLUMN(name, type, memory, out) sp__h5_list_create(&w->h, g, name, type, memory, 1, NULL, true, false, out)

static void create_columns(sp_heavy *w) {
    hid_t g = sp__h5_group(&w->h, w->h.file, "frames");
    COLUMN("time", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &w->time);
    COLUMN("step", H5T_STD_U64LE, H5T_NATIVE_UINT64, &w->step);
    COLUMN("hash", H5T_STD_U64LE, H5T_NATIVE_UINT64, &w->hash);
    COLUMN("interpolated", H5T_STD_U8LE, H5T_NATIVE_UCHAR, &w->interpolated);
    COLUMN("revision", H5T_STD_I32LE, H5T_NATIVE_INT, &w->revision);
    if (g >= 0) H5Gclose(g);
    g = w->h.file;
    COLUMN("edits", H5T_STD_U8LE, H5T_NATIVE_UCHAR, &w->edits);
    COLUMN("events", w->event_type, w->event_type, &w->events);
    COLUMN("complete", H5T_STD_U8LE, H5T_NATIVE_UCHAR, &w->complete);
}

static void create_probe(sp_heavy *w, hid_t at, const sp_origin_probe *p, probe_lists *out) {
    hid_t g = sp__h5_group(&w->h, at, p->name);
    hsize_t width = (hsize_t)p->width;
    sp__h5_text_attr(&w->h, g, "body", p->body ? p->body : "");
    sp__h5_texts(&w->h, g, "columns", p->columns, p->width);
    COLUMN("time", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &out->time);
    COLUMN("interpolated", H5T_STD_U8LE, H5T_NATIVE_UCHAR, &out->interpolated);
    sp__h5_list_create(&w->h, g, "value", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, &width, true, false, &out->value);
    if (g >= 0) H5Gclose(g);
}

static void create_probes(sp_heavy *w) {
    hid_t g = sp__h5_group(&w->h, w->h.file, "probes");
    for (int i = 0; i < w->sink->origin->probe_count; i++) create_probe(w, g, &w->sink->origin->probes[i], &w->probes[i]);
    if (g >= 0) H5Gclose(g);
}

// ---------------------------------------------------------------------------------------------------- contacts

static const struct {
    const char *name, *unit;
    int components;
    bool integer;
} contact_arrays[] = {
#define SP_X(id, name, unit, components, integer) {name, unit, components, integer},
    SP_CONTACT_ARRAYS(SP_X)
#undef SP_X
};

static void create_contacts(sp_heavy *w) {
    if (!w->has_contacts) return;
    hid_t g = sp__h5_group(&w->h, w->h.file, "contacts");
    COLUMN("count", H5T_STD_I32LE, H5T_NATIVE_INT, &w->contact_count);
    for (int i = 0; i < SP_CONTACT_ARRAY_COUNT; i++) {
        hsize_t row = (hsize_t)contact_arrays[i].components;
        hid_t type = contact_arrays[i].integer ? H5T_STD_I32LE : w->sink->in_double ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
        sp__h5_list_create(&w->h, g, contact_arrays[i].name, type, contact_arrays[i].integer ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE,
                           row > 1 ? 2 : 1, &row, true, w->sink->compress, &w->contacts[i]);
        if (w->contacts[i].id >= 0) sp__h5_text_attr(&w->h, w->contacts[i].id, "unit", contact_arrays[i].unit);
    }
    if (g >= 0) H5Gclose(g);
}

static bool open_contacts(sp_heavy *w) {
    if (!w->has_contacts) return true;
    hid_t g = H5Gopen2(w->h.file, "contacts", H5P_DEFAULT);
    bool good = g >= 0 && sp__h5_list_open(&w->h, g, "count", H5T_NATIVE_INT, &w->contact_count);
    for (int i = 0; i < SP_CONTACT_ARRAY_COUNT && good; i++)
        good = sp__h5_list_open(&w->h, g, contact_arrays[i].name, contact_arrays[i].integer ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE,
                                &w->contacts[i]);
    if (g >= 0) H5Gclose(g);
    return good;
}

// rows of the frames of a file that is continued, for the text that refers to them
static bool read_contact_counts(sp_heavy *w) {
    uint64_t row = 0;
    const size_t frames = (size_t)w->sink->resumed;
    if (!w->has_contacts) return true;
    if (w->contact_count.count < frames) return false;
    int *counts = sp__alloc(w->h.ctx, (size_t)w->contact_count.count + 1, sizeof *counts);
    bool good = counts && H5Dread(w->contact_count.id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts) >= 0;
    if (!counts) w->h.no_memory = true;
    w->contact_first.size = 0;
    for (size_t i = 0; i <= frames && good; i++) {
        good = sp__buffer_add(w->h.ctx, &w->contact_first, &row, sizeof row);
        if (i < frames) row += counts[i] > 0 ? (uint64_t)counts[i] : 0;
    }
    for (int i = 0; i < SP_CONTACT_ARRAY_COUNT && good; i++) good = w->contacts[i].count >= row;
    sp__free(w->h.ctx, counts);
    return good;
}

static void add_contacts(sp_heavy *w, const sp_frame *f) {
    const uint64_t next = w->contacts[0].count + (uint64_t)f->contact_count;
    if (!w->has_contacts) return;
    for (int i = 0; i < SP_CONTACT_ARRAY_COUNT; i++)
        sp__h5_list_add(&w->h, &w->contacts[i], (hsize_t)f->contact_count, f->contacts[i].data);
    sp__h5_list_add(&w->h, &w->contact_count, 1, &f->contact_count);
    if (!sp__buffer_add(w->h.ctx, &w->contact_first, &next, sizeof next))
        w->h.no_memory = true, sp__h5_failed(&w->h, "no memory for contacts");
}

void sp__heavy_contacts(const sp_heavy *w, long frame, uint64_t *first, int *count) {
    const uint64_t *rows = (const uint64_t *)(const void *)w->contact_first.data;
    *first = 0, *count = 0;
    if (!w->has_contacts || ((size_t)frame + 2) * sizeof *rows > w->contact_first.size) return;
    *first = rows[frame], *count = (int)(rows[frame + 1] - rows[frame]);
}

// ---------------------------------------------------------------------------------------------------- layouts

static void write_layout(sp_heavy *w, const sp_layout *layout) {
    w->layout = layout;
    sp__h5_bodies_layout(&w->h, &w->bodies, layout, (long)w->time.count, w->sink->in_double, w->sink->compress);
}

// Readers before version 2 expect every body in every frame.
static void write_version(sp_heavy *w) {
    const int version = 2;
    hid_t item = H5Aopen(w->h.file, "format_version", H5P_DEFAULT);
    if (item < 0 || H5Awrite(item, H5T_NATIVE_INT, &version) < 0) sp__h5_failed(&w->h, "format_version");
    if (item >= 0) H5Aclose(item);
}

// From here on data is only appended. The library reads back what it has written, so all of it must be in the file.
static sp_status write_hdf5_start(sp_heavy *w) {
    if (!w->h.failed && H5Fflush(w->h.file, H5F_SCOPE_GLOBAL) < 0) sp__h5_failed(&w->h, "flushing");
    SP_TRY(sp__store_state(w->store));
    if (!w->h.failed && H5Fstart_swmr_write(w->h.file) < 0) sp__h5_failed(&w->h, "one writer and many readers");
    return h5_result(w);
}

// ---------------------------------------------------------------------------------------------------- continuing a file

static bool open_columns(sp_heavy *w) {
    hid_t f = w->h.file;
    sp_h5 *h = &w->h;
    return sp__h5_list_open(h, f, "frames/time", H5T_NATIVE_DOUBLE, &w->time) &&
           sp__h5_list_open(h, f, "frames/step", H5T_NATIVE_UINT64, &w->step) &&
           sp__h5_list_open(h, f, "frames/hash", H5T_NATIVE_UINT64, &w->hash) &&
           sp__h5_list_open(h, f, "frames/interpolated", H5T_NATIVE_UCHAR, &w->interpolated) &&
           sp__h5_list_open(h, f, "frames/revision", H5T_NATIVE_INT, &w->revision) &&
           sp__h5_list_open(h, f, "edits", H5T_NATIVE_UCHAR, &w->edits) &&
           sp__h5_list_open(h, f, "events", w->event_type, &w->events) &&
           sp__h5_list_open(h, f, "complete", H5T_NATIVE_UCHAR, &w->complete);
}

static bool open_probes(sp_heavy *w) {
    for (int i = 0; i < w->sink->origin->probe_count; i++) {
        const sp_origin_probe *p = &w->sink->origin->probes[i];
        hid_t all = H5Gopen2(w->h.file, "probes", H5P_DEFAULT), g = all < 0 ? -1 : H5Gopen2(all, p->name, H5P_DEFAULT);
        bool good = g >= 0 && sp__h5_list_open(&w->h, g, "time", H5T_NATIVE_DOUBLE, &w->probes[i].time) &&
                    sp__h5_list_open(&w->h, g, "interpolated", H5T_NATIVE_UCHAR, &w->probes[i].interpolated) &&
                    sp__h5_list_open(&w->h, g, "value", H5T_NATIVE_DOUBLE, &w->probes[i].value) &&
                    w->probes[i].value.row[0] == (hsize_t)p->width;
        if (g >= 0) H5Gclose(g);
        if (all >= 0) H5Gclose(all);
        if (!good) return false;
    }
    return true;
}

// the revision of the last frame that stays
static bool read_last_revision(sp_heavy *w) {
    hsize_t from = (hsize_t)w->sink->resumed - 1, one = 1;
    if (w->revision.count <= from || w->revision.rank != 1) return false;
    hid_t space = H5Dget_space(w->revision.id), memory = H5Screate_simple(1, &one, NULL);
    bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, &from, NULL, &one, NULL) >= 0 &&
                H5Dread(w->revision.id, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, &w->bodies.revision) >= 0;
    H5Sclose(space), H5Sclose(memory);
    return good;
}

// the file has the frames that the checkpoint expects
static bool same_times(sp_heavy *w) {
    hsize_t n = (hsize_t)w->sink->resumed;
    double *seen;
    if (w->time.count < n || w->time.rank != 1) return false;
    if (!SP_NEW(w->h.ctx, seen, w->time.count + 1)) {
        w->h.no_memory = true;
        return false;
    }
    bool same = H5Dread(w->time.id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, seen) >= 0;
    for (hsize_t i = 0; i < n && same; i++) same = seen[i] == w->sink->resumed_at[i];
    sp__free(w->h.ctx, seen);
    return same;
}

// truncates the lists to the checkpoint; the resumed run writes all probe samples again
static void cut_back(sp_heavy *w) {
    hsize_t n = (hsize_t)w->sink->resumed;
    sp_h5_list *columns[] = {&w->time, &w->step, &w->hash, &w->interpolated, &w->revision};
    for (int i = 0; i < 5; i++) sp__h5_list_cut(&w->h, columns[i], n);
    sp__h5_bodies_cut(&w->h, &w->bodies, w->sink->resumed);
    if (w->has_contacts) {
        const uint64_t *rows = (const uint64_t *)(const void *)w->contact_first.data;
        sp__h5_list_cut(&w->h, &w->contact_count, n);
        for (int i = 0; i < SP_CONTACT_ARRAY_COUNT; i++) sp__h5_list_cut(&w->h, &w->contacts[i], rows[n]);
    }
    sp__h5_list_cut(&w->h, &w->edits, w->sink->resumed_edits);
    sp__h5_list_cut(&w->h, &w->events, w->sink->resumed_events);
    sp__h5_list_cut(&w->h, &w->complete, 0);
    for (int i = 0; i < w->sink->origin->probe_count; i++) {
        sp__h5_list_cut(&w->h, &w->probes[i].time, 0), sp__h5_list_cut(&w->h, &w->probes[i].value, 0);
        sp__h5_list_cut(&w->h, &w->probes[i].interpolated, 0);
    }
}

// ---------------------------------------------------------------------------------------------------- creation and destruction

static void close_lists(sp_heavy *w) {
    sp_h5_list *own[] = {&w->time, &w->step, &w->hash, &w->interpolated, &w->revision, &w->edits, &w->events, &w->complete};
    for (int i = 0; i < 8; i++) sp__h5_list_close(own[i]);
    sp__h5_list_close(&w->contact_count);
    for (int i = 0; i < SP_CONTACT_ARRAY_COUNT; i++) sp__h5_list_close(&w->contacts[i]);
    for (int i = 0; w->probes && i < w->sink->origin->probe_count; i++) {
        sp__h5_list_close(&w->probes[i].time), sp__h5_list_close(&w->probes[i].value);
        sp__h5_list_close(&w->probes[i].interpolated);
    }
    sp__h5_bodies_close(&w->bodies);
}

static void no_lists(sp_heavy *w) {
    sp_h5_list *own[] = {&w->time, &w->step, &w->hash, &w->interpolated, &w->revision, &w->edits, &w->events, &w->complete};
    for (int i = 0; i < 8; i++) own[i]->id = -1;
    w->contact_count.id = -1;
    for (int i = 0; i < SP_CONTACT_ARRAY_COUNT; i++) w->contacts[i].id = -1;
    for (int i = 0; i < w->sink->origin->probe_count; i++)
        w->probes[i].time.id = w->probes[i].value.id = w->probes[i].interpolated.id = -1;
}

static void release(sp_heavy **heavy) {
    sp_heavy *w = *heavy;
    if (!w) return;
    *heavy = NULL;
    close_lists(w);
    sp__h5_bodies_free(&w->h, &w->bodies);
    if (w->event_type >= 0) H5Tclose(w->event_type);
    if (w->h.file >= 0) H5Fclose(w->h.file);
    sp__store_close(&w->store);
    sp__buffer_free(w->h.ctx, &w->contact_first);
    sp__free(w->h.ctx, w->probes);
    sp__free(w->h.ctx, w);
}

static sp_status new_heavy(sp_sink *sink, const char *path, sp_heavy **out) {
    sp_heavy *w = *out = sp__alloc(sink->ctx, 1, sizeof *w);
    if (w) w->probes = sp__alloc(sink->ctx, (size_t)sink->origin->probe_count + 1, sizeof *w->probes);
    if (!w || !w->probes) {
        sp__free(sink->ctx, w);
        *out = NULL;
        return SP_FAIL(sink->ctx, SP_NO_MEMORY, "%s: no memory for a recording", path);
    }
    w->h = (sp_h5){.ctx = sink->ctx, .path = path, .file = -1};
    w->sink = sink;
    w->bodies = (sp_h5_bodies){.keep = {sink->ctx, NULL}, .revision = -1};
    w->has_contacts = sink->layout && sink->layout->contacts;
    w->event_type = sp__h5_event_type();
    no_lists(w);
    return SP_OK;
}

static sp_status write_hdf5_create(sp_sink *sink, const char *path, sp_heavy **out) {
    SP_TRY(new_heavy(sink, path, out));
    sp_heavy *w = *out;
    SP_TRY(sp__store_open(sink->ctx, path, true, &w->store));
    w->h.file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, sp__store_access(w->store));
    SP_TRY(sp__store_state(w->store));
    if (w->h.file < 0) return SP_FAIL(sink->ctx, SP_IO, "%s: HDF5 cannot create it", path);
    write_provenance(w);
    create_columns(w);
    create_probes(w);
    create_contacts(w);
    const uint64_t zero = 0;
    if (!sp__buffer_add(sink->ctx, &w->contact_first, &zero, sizeof zero))
        w->h.no_memory = true, sp__h5_failed(&w->h, "no memory for contacts");
    write_layout(w, sink->layout);
    return write_hdf5_start(w);
}

// *out NULL: the file is missing or does not match, and a new one is created; an allocation failure is an error
static sp_status go_on(sp_sink *sink, const char *path, sp_heavy **out) {
    SP_TRY(new_heavy(sink, path, out));
    sp_heavy *w = *out;
    sp_status status = sp__store_open(sink->ctx, path, false, &w->store);
    if (status >= 0) {
        w->h.file = H5Fopen(path, H5F_ACC_RDWR, sp__store_access(w->store));
        status = sp__store_state(w->store);
    }
    bool good = status >= 0 && w->h.file >= 0 && open_columns(w) && open_probes(w) && open_contacts(w) &&
                sp__h5_bodies_read(&w->h, &w->bodies) && sp__h5_bodies_match(&w->bodies, sink->layout, sink->resumed) &&
                same_times(w) && read_last_revision(w) && read_contact_counts(w);
    if (good) {
        cut_back(w);
        write_layout(w, sink->layout);
        return write_hdf5_start(w);
    }
    bool no_memory = status == SP_NO_MEMORY || w->h.no_memory;
    release(out);
    return no_memory ? SP_FAIL(sink->ctx, SP_NO_MEMORY, "%s: out of memory while it is reopened", path) : SP_OK;
}

sp_status sp__heavy_open(sp_sink *sink, const char *path, sp_heavy **out, long *kept) {
    sp_status status = SP_OK;
    *kept = 0;
    *out = NULL;
    sp__hdf5_enter();
    if (sink->resumed) status = go_on(sink, path, out);
    if (*out && status >= 0)
        *kept = sink->resumed;
    else if (status >= 0)
        status = write_hdf5_create(sink, path, out);
    if (status < 0) release(out);
    sp__hdf5_leave();
    return status;
}

// ---------------------------------------------------------------------------------------------------- frames

static void add_events(sp_heavy *w, const sp_frame *f) {
    sp__h5_list_add(&w->h, &w->edits, f->edits.size, f->edits.data);
    sp__h5_list_add(&w->h, &w->events, f->events.size / sizeof(sp_event), f->events.data);
    for (int i = 0; i < w->sink->origin->probe_count; i++) {
        hsize_t n = f->rows[i].interpolated.size;
        sp__h5_list_add(&w->h, &w->probes[i].value, n, f->rows[i].values.data);
        sp__h5_list_add(&w->h, &w->probes[i].interpolated, n, f->rows[i].interpolated.data);
        sp__h5_list_add(&w->h, &w->probes[i].time, n, f->rows[i].times.data);
    }
}

static void add_head(sp_heavy *w, const sp_frame *f) {
    unsigned char between = f->head.interpolated;
    sp__h5_list_add(&w->h, &w->step, 1, &f->head.step);
    sp__h5_list_add(&w->h, &w->hash, 1, &f->head.hash);
    sp__h5_list_add(&w->h, &w->interpolated, 1, &between);
    sp__h5_list_add(&w->h, &w->revision, 1, &w->bodies.revision);
    if (H5Fflush(w->h.file, H5F_SCOPE_GLOBAL) < 0) sp__h5_failed(&w->h, "flushing");
    sp__h5_list_add(&w->h, &w->time, 1, &f->head.time);
}

// new datasets need the file in normal (not SWMR) mode
static sp_status change_layout(sp_heavy *w, const sp_layout *layout) {
    close_lists(w);
    herr_t closed = H5Fclose(w->h.file);
    w->h.file = -1;
    if (closed < 0) sp__h5_failed(&w->h, "closing");
    SP_TRY(h5_result(w));
    w->h.file = H5Fopen(w->h.path, H5F_ACC_RDWR, sp__store_access(w->store));
    if (w->h.file < 0 || !open_columns(w) || !open_probes(w) || !open_contacts(w)) sp__h5_failed(&w->h, "opening it again");
    if (!w->h.failed) write_version(w), write_layout(w, layout);
    return write_hdf5_start(w);
}

static sp_status add_frame(sp_heavy *w, const sp_frame *f) {
    if (f->shown && f->layout != w->layout) SP_TRY(change_layout(w, f->layout));
    add_events(w, f);
    if (f->shown) sp__h5_bodies_add(&w->h, &w->bodies, f);
    if (f->shown) add_contacts(w, f);
    if (f->shown) add_head(w, f);
    if (H5Fflush(w->h.file, H5F_SCOPE_GLOBAL) < 0) sp__h5_failed(&w->h, "flushing");
    return h5_result(w);
}

sp_status sp__heavy_frame(sp_heavy *w, const sp_frame *f) {
    sp__hdf5_enter();
    sp_status status = add_frame(w, f);
    sp__hdf5_leave();
    return status;
}

const sp_layout_body *sp__heavy_body(const sp_heavy *w, long frame, int *next, int *revision, long *first) {
    for (; *next < sp__h5_bodies_count(&w->bodies); ++*next) {
        const sp_h5_body *g = sp__h5_bodies_at(&w->bodies, *next);
        if (frame < g->first || frame >= g->end) continue;
        *revision = g->revision, *first = g->first, ++*next;
        return &g->body;
    }
    return NULL;
}

uint64_t sp__heavy_bytes(const sp_heavy *w) {
    return sp__store_bytes(w->store);
}

static sp_status write_hdf5_finish(sp_heavy *w) {
    const unsigned char yes = 1;
    if (w->h.failed || w->h.file < 0) return SP_OK;  // already reported
    sp__h5_list_add(&w->h, &w->complete, 1, &yes);
    close_lists(w);
    herr_t closed = H5Fclose(w->h.file);
    w->h.file = -1;
    if (closed < 0) sp__h5_failed(&w->h, "closing");
    return h5_result(w);
}

sp_status sp__heavy_close(sp_heavy **h) {
    if (!*h) return SP_OK;
    sp__hdf5_enter();
    sp_status status = write_hdf5_finish(*h);
    release(h);
    sp__hdf5_leave();
    return status;
}
#else
typedef int sp_write_hdf5_absent;
#endif
