// Items of a recording: strings, numbers and lists. Each one is checked for its type and against the file size before memory is
// allocated.
#ifdef SP_HAVE_HDF5
#include "io/record/recording.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

sp_status sp__recording_fail(sp_recording *r, int line, const char *format, ...) {
    char text[360];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return sp_context_fail(r->ctx, SP_BAD_INPUT, __FILE__, line, "%s: %s", r->path, text);
}

static sp_status no_memory(sp_recording *r) {
    return SP_FAIL(r->ctx, SP_NO_MEMORY, "%s: no memory to read it", r->path);
}

hid_t sp__recording_group(sp_recording *r, hid_t at, const char *name) {
    hid_t g = H5Gopen2(at, name, H5P_DEFAULT);
    if (g < 0) SP_RECORDING_FAIL(r, "group \"%s\" is missing or damaged", name);
    return g;
}

// the best compression ratio of deflate is 1032
sp_status sp__recording_fits(sp_recording *r, const char *name, uint64_t count, size_t size) {
    uint64_t most = (r->bytes < UINT64_MAX / 2048 ? 1100 * r->bytes : UINT64_MAX) + 4096;
    if (count <= most / size) return SP_OK;
    return SP_RECORDING_FAIL(r, "\"%s\" announces %llu numbers, which a file of %llu bytes cannot hold", name,
                             (unsigned long long)count, (unsigned long long)r->bytes);
}

static bool get_extent(hid_t space, hid_t type, sp_extent *out) {
    out->rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    out->type = H5Tget_class(type);
    return out->rank >= 0 && out->rank <= 3 && (out->rank == 0 || H5Sget_simple_extent_dims(space, out->size, NULL) == out->rank);
}

sp_status sp__recording_extent(sp_recording *r, hid_t at, const char *name, hid_t *data, sp_extent *out) {
    *out = (sp_extent){.size = {1, 1, 1}};
    *data = H5Dopen2(at, name, H5P_DEFAULT);
    if (*data < 0) return SP_RECORDING_FAIL(r, "\"%s\" is missing or damaged", name);
    hid_t space = H5Dget_space(*data), type = H5Dget_type(*data);
    bool good = get_extent(space, type, out);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    if (good) return SP_OK;
    H5Dclose(*data);
    *data = -1;
    return SP_RECORDING_FAIL(r, "\"%s\" is damaged: it has no plain extent", name);
}

// a list of numbers; a given count is an upper limit
sp_status sp__recording_column(sp_recording *r, hid_t at, const char *name, hid_t memory, size_t size, int *count, void **out) {
    sp_extent e;
    hid_t data;
    SP_TRY(sp__recording_extent(r, at, name, &data, &e));
    sp_status status = SP_OK;
    if (e.rank != 1 || (e.type != H5T_INTEGER && e.type != H5T_FLOAT) || e.size[0] > INT_MAX - 1)
        status = SP_RECORDING_FAIL(r, "\"%s\" is not a list of numbers", name);
    if (status >= 0) status = sp__recording_fits(r, name, e.size[0], size);
    *out = status >= 0 ? sp__keep_alloc(&r->keep, (size_t)e.size[0] + 1, size) : NULL;
    if (status >= 0 && !*out) status = no_memory(r);
    if (status >= 0 && e.size[0] && H5Dread(data, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, *out) < 0)
        status = SP_RECORDING_FAIL(r, "\"%s\" cannot be read: damaged or cut off", name);
    H5Dclose(data);
    if (*count < 0 || (int)e.size[0] < *count) *count = (int)e.size[0];
    return status;
}

// ---------------------------------------------------------------------------------------------------- texts

static sp_status read_text(sp_recording *r, hid_t item, const char *name, bool attribute, hid_t type, const char **out,
                           size_t *size) {
    size_t n = H5Tget_size(type);
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0)
        return SP_RECORDING_FAIL(r, "\"%s\" is not a text", name);
    SP_TRY(sp__recording_fits(r, name, n, 1));
    char *text = sp__keep_alloc(&r->keep, n + 1, 1);
    if (!text) return no_memory(r);
    herr_t read = attribute ? H5Aread(item, type, text) : H5Dread(item, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text);
    if (read < 0) return SP_RECORDING_FAIL(r, "\"%s\" cannot be read: damaged or cut off", name);
    *out = text;
    if (size) *size = strlen(text);
    return SP_OK;
}

sp_status sp__recording_text(sp_recording *r, hid_t at, const char *name, bool attribute, const char **out, size_t *size) {
    hid_t item = attribute ? H5Aopen(at, name, H5P_DEFAULT) : H5Dopen2(at, name, H5P_DEFAULT);
    if (item < 0) return SP_RECORDING_FAIL(r, "\"%s\" is missing", name);
    hid_t type = attribute ? H5Aget_type(item) : H5Dget_type(item), space = attribute ? H5Aget_space(item) : H5Dget_space(item);
    sp_status status = H5Sget_simple_extent_npoints(space) == 1 ? read_text(r, item, name, attribute, type, out, size)
                                                                : SP_RECORDING_FAIL(r, "\"%s\" is not one text", name);
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    if (attribute)
        H5Aclose(item);
    else
        H5Dclose(item);
    return status;
}

// all strings in one block, each with a terminating zero
static sp_status spread_texts(sp_recording *r, hid_t data, const char *name, hid_t type, int n, const char ***out) {
    size_t width = H5Tget_size(type);
    SP_TRY(sp__recording_fits(r, name, (uint64_t)n * width, 1));
    char *all = sp__keep_alloc(&r->keep, (size_t)n + 1, width), *each = sp__keep_alloc(&r->keep, (size_t)n + 1, width + 1);
    const char **list = sp__keep_alloc(&r->keep, (size_t)n + 1, sizeof *list);
    if (!all || !each || !list) return no_memory(r);
    if (n && H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) < 0)
        return SP_RECORDING_FAIL(r, "\"%s\" cannot be read: damaged or cut off", name);
    for (int i = 0; i < n; i++) {
        memcpy(each + (size_t)i * (width + 1), all + (size_t)i * width, width);
        list[i] = each + (size_t)i * (width + 1);
    }
    *out = list;
    return SP_OK;
}

sp_status sp__recording_texts(sp_recording *r, hid_t at, const char *name, int *count, const char *const **out) {
    sp_extent e;
    hid_t data;
    const char **list = NULL;
    SP_TRY(sp__recording_extent(r, at, name, &data, &e));
    hid_t type = H5Dget_type(data);
    bool good = e.rank == 1 && e.type == H5T_STRING && H5Tis_variable_str(type) <= 0 && e.size[0] < (1 << 20);
    sp_status status = good ? spread_texts(r, data, name, type, (int)e.size[0], &list)
                            : SP_RECORDING_FAIL(r, "\"%s\" is not a list of texts", name);
    if (type >= 0) H5Tclose(type);
    H5Dclose(data);
    *count = (int)e.size[0];
    *out = list;
    return status;
}

sp_status sp__recording_number(sp_recording *r, hid_t at, const char *name, hid_t memory, void *out) {
    hid_t item = H5Aopen(at, name, H5P_DEFAULT);
    if (item < 0) return SP_RECORDING_FAIL(r, "\"%s\" is missing", name);
    hid_t space = H5Aget_space(item), type = H5Aget_type(item);
    H5T_class_t kind = H5Tget_class(type);
    bool good =
        H5Sget_simple_extent_npoints(space) == 1 && (kind == H5T_INTEGER || kind == H5T_FLOAT) && H5Aread(item, memory, out) >= 0;
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    H5Aclose(item);
    return good ? SP_OK : SP_RECORDING_FAIL(r, "\"%s\" is not a number", name);
}

// names of the members of a group, sorted
sp_status sp__recording_names(sp_recording *r, hid_t at, const char *what, int *count, const char ***out) {
    H5G_info_t info;
    if (H5Gget_info(at, &info) < 0 || info.nlinks > (1 << 20)) return SP_RECORDING_FAIL(r, "\"%s\" is damaged", what);
    const char **list = sp__keep_alloc(&r->keep, (size_t)info.nlinks + 1, sizeof *list);
    if (!list) return no_memory(r);
    for (hsize_t i = 0; i < info.nlinks; i++) {
        ssize_t n = H5Lget_name_by_idx(at, ".", H5_INDEX_NAME, H5_ITER_INC, i, NULL, 0, H5P_DEFAULT);
        if (n < 0 || n > 4096) return SP_RECORDING_FAIL(r, "\"%s\" is damaged", what);
        char *name = sp__keep_alloc(&r->keep, (size_t)n + 1, 1);
        if (!name) return no_memory(r);
        H5Lget_name_by_idx(at, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, (size_t)n + 1, H5P_DEFAULT);
        list[i] = name;
    }
    *count = (int)info.nlinks;
    *out = list;
    return SP_OK;
}
#else
typedef int sp_recording_read_absent;
#endif
