// Label volumes from files: detection of the format, conversion of any number type to labels.
#include "io/mesh/volume.h"

#include <stdarg.h>
#include <stdio.h>

enum { VOXELS_MAX = 1 << 30, DIMS_MAX = 65535 };

sp_status sp__volume_fail(sp_volume *v, int line, int64_t offset, int source_line, const char *format, ...) {
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (line > 0) return sp__context_fail(v->ctx, SP_BAD_INPUT, __FILE__, source_line, "%s:%d: %s", v->file, line, text);
    if (offset >= 0)
        return sp__context_fail(v->ctx, SP_BAD_INPUT, __FILE__, source_line, "%s: at byte %lld: %s", v->file, (long long)offset,
                                text);
    return sp__context_fail(v->ctx, SP_BAD_INPUT, __FILE__, source_line, "%s: %s", v->file, text);
}

// ------------------------------------------------------------------------------------------------ numbers

size_t sp__voxel_bytes(sp_voxel_type type) {
    static const size_t bytes[] = {1, 1, 2, 2, 4, 4, 4, 8};
    return bytes[type];
}

static double voxel_value(const unsigned char *p, sp_voxel_type type, bool swapped) {
    unsigned char b[8];
    size_t n = sp__voxel_bytes(type);
    for (size_t i = 0; i < n; i++) b[i] = p[swapped ? n - 1 - i : i];
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    float f32;
    double f64;
    switch (type) {
    case SP_VOXEL_INT8: return (signed char)b[0];
    case SP_VOXEL_UINT8: return b[0];
    case SP_VOXEL_INT16: memcpy(&i16, b, 2); return i16;
    case SP_VOXEL_UINT16: memcpy(&u16, b, 2); return u16;
    case SP_VOXEL_INT32: memcpy(&i32, b, 4); return i32;
    case SP_VOXEL_UINT32: memcpy(&u32, b, 4); return u32;
    case SP_VOXEL_FLOAT: memcpy(&f32, b, 4); return (double)f32;
    default: memcpy(&f64, b, 8); return f64;
    }
}

sp_status sp__volume_size(sp_volume *v, const double dims[3], int line, int64_t offset, size_t *voxels) {
    double total = 1;
    for (int k = 0; k < 3; k++) {
        if (!(dims[k] >= 1 && dims[k] <= DIMS_MAX))
            return SP_VOLUME_FAIL(v, line, offset, "%g voxels along axis %d, must be in [1, %d]", dims[k], k + 1, DIMS_MAX);
        v->labels.dims[k] = (int)dims[k];
        total *= dims[k];
    }
    if (total > VOXELS_MAX) return SP_VOLUME_FAIL(v, line, offset, "%.0f voxels, at most %d", total, VOXELS_MAX);
    *voxels = (size_t)total;
    return SP_OK;
}

sp_status sp__volume_take(sp_volume *v, const unsigned char *data, size_t voxels, int64_t offset) {
    int *labels;
    size_t n = sp__voxel_bytes(v->type);
    if (!SP_KEEP(&v->keep, labels, voxels)) return SP_FAIL(v->ctx, SP_NO_MEMORY, "%s: no memory for %zu voxels", v->file, voxels);
    for (size_t i = 0; i < voxels; i++) {
        double value = voxel_value(data + i * n, v->type, v->swapped);
        if (!(fabs(value) <= INT32_MAX) || value != floor(value))
            return SP_VOLUME_FAIL(v, 0, offset + (int64_t)(i * n), "voxel %zu is %g, labels are whole numbers within 2^31", i,
                                  value);
        labels[i] = (int)value;
    }
    v->labels.labels = labels;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ public

static sp_status parse(sp_volume *v, const char *text, size_t size, const char *path) {
    const unsigned char *data = (const unsigned char *)text;
    if (size >= 4 && memcmp(text, "NRRD", 4) == 0) return sp__volume_nrrd(v, text, size, path);
    if ((size >= 2 && data[0] == 0x1f && data[1] == 0x8b) || size >= 348) return sp__volume_nifti(v, data, size);
    return SP_VOLUME_FAIL(v, 0, 0, "neither NRRD (which begins so) nor NIfTI-1 (348 bytes and more, here %zu)", size);
}

sp_status sp_volume_parse(sp_context *context, const char *text, size_t size, const char *path, sp_volume **out) {
    sp_volume *v;
    *out = NULL;
    if (!SP_NEW(context, v, 1)) return SP_FAIL(context, SP_NO_MEMORY, "%s: no memory for a volume", path);
    v->ctx = v->keep.ctx = context;
    sp_status status = SP_NO_MEMORY;
    if (!(v->file = sp__keep_text(&v->keep, path)))
        SP_FAIL(context, SP_NO_MEMORY, "%s: no memory for a volume", path);
    else
        status = parse(v, text, size, path);
    if (status < 0)
        sp_volume_destroy(&v);
    else
        *out = v;
    return status;
}

sp_status sp_volume_read(sp_context *context, const char *path, sp_volume **out) {
    char *text;
    size_t size;
    *out = NULL;
    SP_TRY(sp__text_read(context, path, 0, &text, &size));
    sp_status status = sp_volume_parse(context, text, size, path, out);
    sp__free(context, text);
    return status;
}

void sp_volume_get(const sp_volume *volume, sp_label_volume *out) {
    *out = volume->labels;
}

void sp_volume_destroy(sp_volume **volume) {
    if (!volume || !*volume) return;
    sp_context *ctx = (*volume)->ctx;
    sp__keep_free(&(*volume)->keep);
    sp__free(ctx, *volume);
    *volume = NULL;
}
