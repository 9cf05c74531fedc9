// See hdf5_items.h.
#ifdef SP_HAVE_HDF5
#include "io/record/hdf5_items.h"

#include <stddef.h>
#include <stdio.h>

void sp__h5_failed(sp_h5 *h, const char *what) {
    if (!h->failed) snprintf(h->what, sizeof h->what, "%s", what);
    h->failed = true;
}

hid_t sp__h5_group(sp_h5 *h, hid_t at, const char *name) {
    hid_t g = H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (g < 0) sp__h5_failed(h, name);
    return g;
}

// ---------------------------------------------------------------------------------------------------- strings

static hid_t text_type(size_t size) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size ? size : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static void write_attr(sp_h5 *h, hid_t at, const char *name, hid_t type, hid_t memory, hid_t space, const void *value) {
    hid_t attr = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attr < 0 || H5Awrite(attr, memory, value) < 0) sp__h5_failed(h, name);
    if (attr >= 0) H5Aclose(attr);
}

static void write_data(sp_h5 *h, hid_t at, const char *name, hid_t type, hid_t memory, hid_t space, const void *value) {
    hid_t data = H5Dcreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (data < 0 || H5Dwrite(data, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) < 0) sp__h5_failed(h, name);
    if (data >= 0) H5Dclose(data);
}

void sp__h5_text_attr(sp_h5 *h, hid_t at, const char *name, const char *text) {
    hid_t type = text_type(strlen(text)), space = H5Screate(H5S_SCALAR);
    write_attr(h, at, name, type, type, space, text);
    H5Tclose(type), H5Sclose(space);
}

void sp__h5_number_attr(sp_h5 *h, hid_t at, const char *name, hid_t type, hid_t memory, const void *value) {
    hid_t space = H5Screate(H5S_SCALAR);
    write_attr(h, at, name, type, memory, space, value);
    H5Sclose(space);
}

void sp__h5_text(sp_h5 *h, hid_t at, const char *name, const char *text, size_t size) {
    hid_t type = text_type(size), space = H5Screate(H5S_SCALAR);
    write_data(h, at, name, type, type, space, text);
    H5Tclose(type), H5Sclose(space);
}

// strings of equal width, padded to the longest
static char *laid_out(sp_h5 *h, const char *const *texts, int count, size_t *width) {
    *width = 1;
    for (int i = 0; i < count; i++)
        if (strlen(texts[i]) > *width) *width = strlen(texts[i]);
    char *all = sp__alloc(h->ctx, (size_t)count + 1, *width);
    if (!all) h->no_memory = true, sp__h5_failed(h, "no memory for a list of texts");
    for (int i = 0; all && i < count; i++) memcpy(all + (size_t)i * *width, texts[i], strlen(texts[i]));
    return all;
}

void sp__h5_texts(sp_h5 *h, hid_t at, const char *name, const char *const *texts, int count) {
    size_t width;
    hsize_t n = (hsize_t)count;
    char *all = laid_out(h, texts, count, &width);
    if (!all) return;
    hid_t type = text_type(width), space = H5Screate_simple(1, &n, NULL);
    write_data(h, at, name, type, type, space, all);
    H5Tclose(type), H5Sclose(space);
    sp__free(h->ctx, all);
}

void sp__h5_numbers(sp_h5 *h, hid_t at, const char *name, hid_t type, hid_t memory, const void *values, size_t count) {
    hsize_t n = count;
    hid_t space = H5Screate_simple(1, &n, NULL);
    write_data(h, at, name, type, memory, space, values);
    H5Sclose(space);
}

void sp__h5_ints(sp_h5 *h, hid_t at, const char *name, const int *values, int rows, int columns) {
    hsize_t size[2] = {(hsize_t)rows, (hsize_t)columns};
    hid_t space = H5Screate_simple(2, size, NULL);
    write_data(h, at, name, H5T_STD_I32LE, H5T_NATIVE_INT, space, values);
    H5Sclose(space);
}

// ---------------------------------------------------------------------------------------------------- lists

static void chunk_of(hid_t type, int rank, const hsize_t *row, bool many, hsize_t chunk[3]) {
    hsize_t bytes = H5Tget_size(type);
    for (int i = 1; i < rank; i++) {
        chunk[i] = row[i - 1] ? row[i - 1] : 1;
        bytes *= chunk[i];
    }
    // short rows share a chunk if they are not read one by one
    chunk[0] = many && bytes < 8192 ? 8192 / bytes : 1;
    if (bytes > SP_H5_CHUNK && rank > 1) {
        hsize_t parts = (bytes + SP_H5_CHUNK - 1) / SP_H5_CHUNK;
        chunk[1] = (chunk[1] + parts - 1) / parts;
    }
}

void sp__h5_list_create(sp_h5 *h, hid_t at, const char *name, hid_t type, hid_t memory, int rank, const hsize_t *row, bool many,
                        bool compress, sp_h5_list *out) {
    hsize_t size[3] = {0}, most[3] = {H5S_UNLIMITED}, chunk[3];
    *out = (sp_h5_list){.id = -1, .memory = memory, .rank = rank};
    for (int i = 1; i < rank; i++) size[i] = most[i] = out->row[i - 1] = row[i - 1];
    chunk_of(type, rank, row, many, chunk);
    hid_t space = H5Screate_simple(rank, size, most), how = H5Pcreate(H5P_DATASET_CREATE);
    bool good = H5Pset_chunk(how, rank, chunk) >= 0;
    if (compress) good = good && H5Pset_shuffle(how) >= 0 && H5Pset_deflate(how, 4) >= 0;
    if (good) out->id = H5Dcreate2(at, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    if (out->id < 0) sp__h5_failed(h, name);
    H5Pclose(how), H5Sclose(space);
}

bool sp__h5_list_open(sp_h5 *h, hid_t at, const char *name, hid_t memory, sp_h5_list *out) {
    hsize_t size[3] = {0};
    (void)h;
    *out = (sp_h5_list){.id = H5Dopen2(at, name, H5P_DEFAULT), .memory = memory};
    if (out->id < 0) return false;
    hid_t space = H5Dget_space(out->id);
    out->rank = H5Sget_simple_extent_ndims(space);
    bool good = out->rank >= 1 && out->rank <= 3 && H5Sget_simple_extent_dims(space, size, NULL) == out->rank;
    H5Sclose(space);
    out->count = size[0], out->row[0] = size[1], out->row[1] = size[2];
    if (!good) sp__h5_list_close(out);
    return good;
}

void sp__h5_list_add(sp_h5 *h, sp_h5_list *l, hsize_t rows, const void *data) {
    hsize_t size[3] = {l->count + rows, l->row[0], l->row[1]}, from[3] = {l->count, 0, 0}, many[3] = {rows, l->row[0], l->row[1]};
    if (h->failed || !rows) return;
    for (int i = 1; i < l->rank; i++)
        if (!many[i]) return;
    bool good = H5Dset_extent(l->id, size) >= 0;
    hid_t space = H5Dget_space(l->id), memory = H5Screate_simple(l->rank, many, NULL);
    good = good && H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, many, NULL) >= 0;
    good = good && H5Dwrite(l->id, l->memory, memory, space, H5P_DEFAULT, data) >= 0;
    H5Sclose(space), H5Sclose(memory);
    if (good)
        l->count += rows;
    else
        sp__h5_failed(h, "adding rows");
}

void sp__h5_list_cut(sp_h5 *h, sp_h5_list *l, hsize_t rows) {
    hsize_t size[3] = {rows, l->row[0], l->row[1]};
    if (h->failed || rows >= l->count) return;
    if (H5Dset_extent(l->id, size) >= 0)
        l->count = rows;
    else
        sp__h5_failed(h, "removing rows");
}

void sp__h5_list_close(sp_h5_list *l) {
    if (l->id >= 0) H5Dclose(l->id);
    l->id = -1;
}

hid_t sp__h5_event_type(void) {
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(sp_event)), text = text_type(sizeof((sp_event *)0)->text);
    H5Tinsert(type, "step", offsetof(sp_event, step), H5T_NATIVE_UINT64);
    H5Tinsert(type, "time", offsetof(sp_event, time), H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "status", offsetof(sp_event, status), H5T_NATIVE_INT);
    H5Tinsert(type, "text", offsetof(sp_event, text), text);
    H5Tclose(text);
    return type;
}
#else
typedef int sp_hdf5_items_absent;
#endif
