// NIfTI-1 in one file (.nii, .nii.gz): a header of 348 bytes in either byte order, then the voxels, first index fastest.
// Positions come from the sform, else the qform, else the voxel sizes (nifti1.h, "method 3, 2, 1"), in the unit of the header.
#include "io/mesh/volume.h"

enum { HEADER = 348, DATA_FIRST = 352 };

typedef struct header {
    const unsigned char *data;
    bool swapped;
} header;

static int short_at(const header *h, int offset) {
    unsigned a = h->data[offset + (h->swapped ? 1 : 0)], b = h->data[offset + (h->swapped ? 0 : 1)];
    return (int16_t)(uint16_t)(a | b << 8);
}

static int32_t int_at(const header *h, int offset) {
    uint32_t bits = 0;
    for (int i = 0; i < 4; i++) bits |= (uint32_t)h->data[offset + (h->swapped ? 3 - i : i)] << (8 * i);
    return (int32_t)bits;
}

static double float_at(const header *h, int offset) {
    int32_t bits = int_at(h, offset);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

// ------------------------------------------------------------------------------------------------ sizes and types

static sp_status take_type(sp_volume *v, const header *h) {
    static const struct {
        int code;
        sp_voxel_type type;
    } types[] = {{2, SP_VOXEL_UINT8},   {4, SP_VOXEL_INT16},  {8, SP_VOXEL_INT32},    {16, SP_VOXEL_FLOAT},
                 {64, SP_VOXEL_DOUBLE}, {256, SP_VOXEL_INT8}, {512, SP_VOXEL_UINT16}, {768, SP_VOXEL_UINT32}};
    int code = short_at(h, 70), bits = short_at(h, 72);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].code != code) continue;
        v->type = types[i].type;
        if (bits == 8 * (int)sp__voxel_bytes(v->type)) return SP_OK;
        return SP_VOLUME_FAIL(v, 0, 72, "%d bits a voxel do not fit datatype %d", bits, code);
    }
    return SP_VOLUME_FAIL(v, 0, 70, "datatype %d, must be 2, 4, 8, 16, 64, 256, 512 or 768 (whole or real numbers)", code);
}

static sp_status take_dims(sp_volume *v, const header *h, size_t *voxels) {
    int count = short_at(h, 40);
    if (count < 3 || count > 7) return SP_VOLUME_FAIL(v, 0, 40, "%d dimensions, must be 3 (or more of one voxel each)", count);
    for (int i = 4; i <= count; i++)
        if (short_at(h, 40 + 2 * i) != 1)
            return SP_VOLUME_FAIL(v, 0, 40 + 2 * i, "%d volumes along dimension %d, must be 1", short_at(h, 40 + 2 * i), i);
    const double dims[3] = {short_at(h, 42), short_at(h, 44), short_at(h, 46)};
    return sp__volume_size(v, dims, 0, 42, voxels);
}

// ------------------------------------------------------------------------------------------------ positions

static double unit_of(sp_volume *v, const header *h) {
    int unit = h->data[123] & 7;
    if (unit == 1) return 1;
    if (unit == 3) return 1e-6;
    if (unit != 2)
        sp__log(v->ctx, SP_LOG_WARNING, "%s: no unit of length (xyzt_units = %d); millimetres are taken", v->file, h->data[123]);
    return 1e-3;
}

static void rows_of_quaternion(const header *h, double rows[12]) {
    double b = float_at(h, 256), c = float_at(h, 260), d = float_at(h, 264), rest = 1 - (b * b + c * c + d * d);
    double a = rest > 0 ? sqrt(rest) : 0, flip = float_at(h, 76) < 0 ? -1 : 1;
    const double R[9] = {a * a + b * b - c * c - d * d, 2 * (b * c - a * d),           2 * (b * d + a * c),
                         2 * (b * c + a * d),           a * a + c * c - b * b - d * d, 2 * (c * d - a * b),
                         2 * (b * d - a * c),           2 * (c * d + a * b),           a * a + d * d - c * c - b * b};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) rows[4 * i + j] = R[3 * i + j] * float_at(h, 80 + 4 * j) * (j == 2 ? flip : 1);
        rows[4 * i + 3] = float_at(h, 268 + 4 * i);
    }
}

static sp_status take_place(sp_volume *v, const header *h) {
    double unit = unit_of(v, h), *rows = v->labels.affine;
    if (short_at(h, 254) > 0) {
        for (int i = 0; i < 12; i++) rows[i] = float_at(h, 280 + 4 * i);
    } else if (short_at(h, 252) > 0) {
        rows_of_quaternion(h, rows);
    } else {
        for (int i = 0; i < 3; i++) rows[5 * i] = float_at(h, 80 + 4 * i);
    }
    for (int i = 0; i < 12; i++) {
        rows[i] *= unit;
        if (!isfinite(rows[i]))
            return SP_VOLUME_FAIL(v, 0, short_at(h, 254) > 0 ? 280 : 76, "positions of voxels are not finite");
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ reader

static sp_status check_magic(sp_volume *v, header *h) {
    if (int_at(h, 0) != HEADER) {
        h->swapped = !h->swapped;
        if (int_at(h, 0) != HEADER)
            return SP_VOLUME_FAIL(v, 0, 0, "not NIfTI-1: the header's size is not %d in either endian", HEADER);
    }
    if (memcmp(h->data + 344, "ni1", 4) == 0)
        return SP_VOLUME_FAIL(v, 0, 344, "the header of a pair of files (.hdr, .img); one file (.nii) is read");
    if (memcmp(h->data + 344, "n+1", 4) != 0) return SP_VOLUME_FAIL(v, 0, 344, "not NIfTI-1: \"n+1\" is missing");
    return SP_OK;
}

static bool host_is_big(void) {
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

static void warn_scaling(sp_volume *v, const header *h) {
    double slope = float_at(h, 112), shift = float_at(h, 116);
    if ((slope != 0 && slope != 1) || (slope != 0 && shift != 0))
        sp__log(v->ctx, SP_LOG_WARNING, "%s: scl_slope = %g and scl_inter = %g are left out: labels are taken as stored", v->file,
                slope, shift);
}

sp_status sp__volume_nifti(sp_volume *v, const unsigned char *data, size_t size) {
    bool packed = data[0] == 0x1f && data[1] == 0x8b;
    unsigned char *plain;
    if (packed) SP_TRY(sp__volume_inflate(v, data, size, HEADER, &plain));
    header h = {.data = packed ? plain : data};
    SP_TRY(check_magic(v, &h));
    size_t voxels;
    SP_TRY(take_dims(v, &h, &voxels));
    SP_TRY(take_type(v, &h));
    SP_TRY(take_place(v, &h));
    warn_scaling(v, &h);
    double offset = float_at(&h, 108), bytes = (double)voxels * (double)sp__voxel_bytes(v->type);
    if (!(offset >= DATA_FIRST && offset <= 1e9) || offset != floor(offset))
        return SP_VOLUME_FAIL(v, 0, 108, "voxels from byte %g on, must be in [%d, 1e9]", offset, DATA_FIRST);
    if (packed) {
        SP_TRY(sp__volume_inflate(v, data, size, (size_t)(offset + bytes), &plain));
        data = plain;
    } else if (offset + bytes > (double)size) {
        return SP_VOLUME_FAIL(v, 0, (int64_t)size, "%.0f bytes of voxels are announced from byte %.0f on, the file ends at %zu",
                              bytes, offset, size);
    }
    v->swapped = h.swapped != host_is_big();
    return sp__volume_take(v, data + (size_t)offset, voxels, (int64_t)offset);
}
