// Files of labelled voxels: NRRD (one file or detached header, raw or gzip) and NIfTI-1 (.nii, .nii.gz). Every size is checked
// against the available bytes before it is used.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/file/text_file.h"
#include "souple/io.h"

typedef enum sp_voxel_type {
    SP_VOXEL_INT8,
    SP_VOXEL_UINT8,
    SP_VOXEL_INT16,
    SP_VOXEL_UINT16,
    SP_VOXEL_INT32,
    SP_VOXEL_UINT32,
    SP_VOXEL_FLOAT,
    SP_VOXEL_DOUBLE
} sp_voxel_type;

struct sp_volume {
    sp_context *ctx;
    const char *file;  // for messages
    sp_keep keep;
    sp_label_volume labels;
    sp_voxel_type type;
    bool swapped;  // byte order differs from the host
};

// "scan.nii: at byte 40: ..." (offset >= 0), "scan.nhdr:3: ..." (line > 0)
static sp_status volume_fail(sp_volume *v, int line, int64_t offset, int source_line, const char *format, ...) SP_PRINTF(5, 6);
#define SP_VOLUME_FAIL(volume, line, offset, ...) volume_fail((volume), (line), (offset), __LINE__, __VA_ARGS__)

enum { VOXELS_MAX = 1 << 30, DIMS_MAX = 65535 };

static sp_status volume_fail(sp_volume *v, int line, int64_t offset, int source_line, const char *format, ...) {
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

static size_t voxel_bytes(sp_voxel_type type) {
    static const size_t bytes[] = {1, 1, 2, 2, 4, 4, 4, 8};
    return bytes[type];
}

static double voxel_value(const unsigned char *p, sp_voxel_type type, bool swapped) {
    unsigned char b[8];
    size_t n = voxel_bytes(type);
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

// Checks the dimensions against the limits; returns the number of voxels.
static sp_status volume_size(sp_volume *v, const double dims[3], int line, int64_t offset, size_t *voxels) {
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

// Converts bytes to labels. `data` has at least `voxels` values; the first one is at byte `offset` of the file.
static sp_status volume_take(sp_volume *v, const unsigned char *data, size_t voxels, int64_t offset) {
    int *labels;
    size_t n = voxel_bytes(v->type);
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

// ============================================================================================== compressed files

#ifdef SP_HAVE_ZLIB
#include <zlib.h>

// Whether a stream of this size could decompress to so many bytes: the best compression ratio of deflate is 1032.
static bool volume_may_inflate(size_t size, double wanted) {
    return wanted <= 1032.0 * (double)size;
}

static sp_status inflate_to(sp_volume *v, const unsigned char *data, size_t size, unsigned char *out, size_t wanted) {
    z_stream z = {0};
    size_t taken = 0, made = 0;
    int code = inflateInit2(&z, 15 + 16);  // + 16: gzip header
    if (code != Z_OK) return SP_FAIL(v->ctx, SP_NO_MEMORY, "%s: zlib: no memory", v->file);
    while (code == Z_OK && made < wanted) {
        uInt in = (uInt)(size - taken < 1u << 30 ? size - taken : 1u << 30);
        uInt capacity = (uInt)(wanted - made < 1u << 30 ? wanted - made : 1u << 30);
        z.next_in = (Bytef *)(uintptr_t)(data + taken), z.avail_in = in;
        z.next_out = out + made, z.avail_out = capacity;
        code = inflate(&z, Z_NO_FLUSH);
        taken += in - z.avail_in, made += capacity - z.avail_out;
    }
    inflateEnd(&z);
    if (made == wanted) return SP_OK;
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
        return SP_VOLUME_FAIL(v, 0, (int64_t)taken, "the compressed data are damaged (zlib error %d)", code);
    return SP_VOLUME_FAIL(v, 0, (int64_t)taken, "the compressed data end after %zu bytes, %zu are announced", made, wanted);
}

// Decompresses the first `wanted` bytes of a gzip stream; the volume owns them. Fewer bytes are an error.
static sp_status volume_inflate(sp_volume *v, const unsigned char *data, size_t size, size_t wanted, unsigned char **out) {
    if (!volume_may_inflate(size, (double)wanted))
        return SP_VOLUME_FAIL(v, 0, 0, "%zu bytes are announced, %zu compressed ones cannot hold them", wanted, size);
    if (!SP_KEEP(&v->keep, *out, wanted + 1))
        return SP_FAIL(v->ctx, SP_NO_MEMORY, "%s: no memory for %zu bytes", v->file, wanted);
    return inflate_to(v, data, size, *out, wanted);
}

#else

static sp_status volume_inflate(sp_volume *v, const unsigned char *data, size_t size, size_t wanted, unsigned char **out) {
    (void)data, (void)size, (void)wanted;
    *out = NULL;
    return SP_FAIL(
        v->ctx, SP_UNAVAILABLE,
        "%s: compressed, and this build has no zlib: install zlib1g-dev and build again with -DSP_ZLIB=ON, or gunzip it",
        v->file);
}

#endif

// ========================================================================================================== NRRD

// NRRD (teem.sourceforge.net/nrrd/format.html), the subset that segmentations use: three dimensions, integers or real numbers,
// raw or gzip, in one file or with a text header that names the data file. Positions come from "space directions" and "space
// origin", or from "spacings". The unit comes from "space units"; the default is millimetres. Label names are read from the pairs
// that 3D Slicer writes (SegmentN_LabelValue, SegmentN_Name) and from "label N:=name".

enum { NAMES_MAX = 4096, LINE_MAX_BYTES = 65536, LINES_MAX = 20000 };

typedef struct segment {
    int number, label;  // number: segment index in the file; -1: the label is given directly
    bool labelled;
    const char *name;
} segment;

typedef struct nrrd {
    sp_volume *v;
    const char *at, *end;  // the text
    int line;
    bool typed, sized, packed, big, has_endian, has_directions;
    int dimension;
    double sizes[3], spacing[3], directions[9], origin[3], unit;
    int size_line, type_line;
    double skip;
    const char *file;
    segment *segments;
    int segment_count;
} nrrd;

// ------------------------------------------------------------------------------------------------ values

static const char *skip_space(const char *p) {
    while (*p == ' ' || *p == '\t') p++;
    return p;
}

static sp_status numbers(nrrd *n, const char *p, int count, double *out) {
    for (int i = 0; i < count; i++) {
        const char *next = sp__scan_double(skip_space(p), &out[i]);
        if (!next)
            return SP_VOLUME_FAIL(n->v, n->line, -1, "%d numbers are needed, number %d is \"%.20s\"", count, i + 1,
                                  skip_space(p));
        p = next;
    }
    if (*skip_space(p))
        return SP_VOLUME_FAIL(n->v, n->line, -1, "%d numbers are needed, then comes \"%.20s\"", count, skip_space(p));
    return SP_OK;
}

// (x,y,z), several separated by spaces
static sp_status volume_nrrd_vectors(nrrd *n, const char *p, int count, double *out) {
    for (int i = 0; i < 3 * count; i++) {
        p = skip_space(p);
        const char *next = *p == (i % 3 ? ',' : '(') ? sp__scan_double(skip_space(p + 1), &out[i]) : NULL;
        if (next) next = skip_space(next);
        if (!next || (i % 3 == 2 && *next != ')'))
            return SP_VOLUME_FAIL(n->v, n->line, -1, "%d vectors like (1,0,0) are needed, here \"%.30s\"", count, p);
        p = i % 3 == 2 ? next + 1 : next;
    }
    if (*skip_space(p))
        return SP_VOLUME_FAIL(n->v, n->line, -1, "%d vectors are needed, then comes \"%.20s\"", count, skip_space(p));
    return SP_OK;
}

static sp_status nrrd_take_type(nrrd *n, const char *p) {
    static const struct {
        const char *name;
        sp_voxel_type type;
    } types[] = {{"signed char", SP_VOXEL_INT8},      {"int8", SP_VOXEL_INT8},
                 {"int8_t", SP_VOXEL_INT8},           {"uchar", SP_VOXEL_UINT8},
                 {"unsigned char", SP_VOXEL_UINT8},   {"uint8", SP_VOXEL_UINT8},
                 {"uint8_t", SP_VOXEL_UINT8},         {"short", SP_VOXEL_INT16},
                 {"short int", SP_VOXEL_INT16},       {"int16", SP_VOXEL_INT16},
                 {"int16_t", SP_VOXEL_INT16},         {"ushort", SP_VOXEL_UINT16},
                 {"unsigned short", SP_VOXEL_UINT16}, {"uint16", SP_VOXEL_UINT16},
                 {"uint16_t", SP_VOXEL_UINT16},       {"int", SP_VOXEL_INT32},
                 {"signed int", SP_VOXEL_INT32},      {"int32", SP_VOXEL_INT32},
                 {"int32_t", SP_VOXEL_INT32},         {"uint", SP_VOXEL_UINT32},
                 {"unsigned int", SP_VOXEL_UINT32},   {"uint32", SP_VOXEL_UINT32},
                 {"uint32_t", SP_VOXEL_UINT32},       {"float", SP_VOXEL_FLOAT},
                 {"double", SP_VOXEL_DOUBLE}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, p) == 0) {
            n->v->type = types[i].type, n->typed = true, n->type_line = n->line;
            return SP_OK;
        }
    return SP_VOLUME_FAIL(n->v, n->line, -1, "type \"%.30s\", must be a whole number of 8, 16 or 32 bits, float or double", p);
}

static sp_status take_encoding(nrrd *n, const char *p) {
    n->packed = strcmp(p, "gzip") == 0 || strcmp(p, "gz") == 0;
    if (n->packed || strcmp(p, "raw") == 0) return SP_OK;
    return SP_VOLUME_FAIL(n->v, n->line, -1, "encoding \"%.30s\", must be raw or gzip", p);
}

static sp_status take_endian(nrrd *n, const char *p) {
    n->has_endian = true;
    n->big = strcmp(p, "big") == 0;
    if (n->big || strcmp(p, "little") == 0) return SP_OK;
    return SP_VOLUME_FAIL(n->v, n->line, -1, "endian \"%.30s\", must be little or big", p);
}

static sp_status take_dimension(nrrd *n, const char *p) {
    double value;
    SP_TRY(numbers(n, p, 1, &value));
    if (value != 3) return SP_VOLUME_FAIL(n->v, n->line, -1, "dimension %g, must be 3", value);
    n->dimension = 3;
    return SP_OK;
}

static sp_status take_units(nrrd *n, const char *p) {
    if (strncmp(p, "\"mm\"", 4) == 0) {
        n->unit = 1e-3;
    } else if (strncmp(p, "\"m\"", 3) == 0) {
        n->unit = 1;
    } else if (strncmp(p, "\"um\"", 4) == 0 || strncmp(p, "\"microns\"", 9) == 0) {
        n->unit = 1e-6;
    } else if (strncmp(p, "\"cm\"", 4) == 0) {
        n->unit = 1e-2;
    } else {
        return SP_VOLUME_FAIL(n->v, n->line, -1, "space units %.30s, must be \"m\", \"cm\", \"mm\" or \"um\"", p);
    }
    return SP_OK;
}

// only files in the folder of the header: a volume must not read any other file
static sp_status take_file(nrrd *n, const char *p) {
    if (!*p || strchr(p, '/') || strcmp(p, "..") == 0 || strncmp(p, "LIST", 4) == 0 || strchr(p, '%'))
        return SP_VOLUME_FAIL(n->v, n->line, -1, "data file \"%.60s\", must be one file next to the header", p);
    n->file = p;
    return SP_OK;
}

static sp_status take_sizes(nrrd *n, const char *p) {
    n->sized = true, n->size_line = n->line;
    return numbers(n, p, 3, n->sizes);
}

static sp_status take_directions(nrrd *n, const char *p) {
    n->has_directions = true;
    return volume_nrrd_vectors(n, p, 3, n->directions);
}

static sp_status take_origin(nrrd *n, const char *p) {
    return volume_nrrd_vectors(n, p, 1, n->origin);
}

static sp_status take_spacings(nrrd *n, const char *p) {
    return numbers(n, p, 3, n->spacing);
}

static sp_status take_skip(nrrd *n, const char *p) {
    SP_TRY(numbers(n, p, 1, &n->skip));
    if (!(n->skip >= 0 && n->skip <= 1e9) || n->skip != floor(n->skip))
        return SP_VOLUME_FAIL(n->v, n->line, -1, "byte skip %g, must be a whole number in [0, 1e9]", n->skip);
    return SP_OK;
}

static sp_status take_line_skip(nrrd *n, const char *p) {
    double lines;
    SP_TRY(numbers(n, p, 1, &lines));
    return lines == 0 ? SP_OK : SP_VOLUME_FAIL(n->v, n->line, -1, "line skip %g, must be 0", lines);
}

static sp_status take_field(nrrd *n, const char *name, const char *value) {
    static const struct {
        const char *name;
        sp_status (*take)(nrrd *n, const char *value);
    } fields[] = {{"type", nrrd_take_type},      {"dimension", take_dimension}, {"sizes", take_sizes},
                  {"encoding", take_encoding},   {"endian", take_endian},       {"space directions", take_directions},
                  {"space origin", take_origin}, {"spacings", take_spacings},   {"space units", take_units},
                  {"units", take_units},         {"data file", take_file},      {"datafile", take_file},
                  {"byte skip", take_skip},      {"byteskip", take_skip},       {"line skip", take_line_skip},
                  {"lineskip", take_line_skip}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(fields[i].name, name) == 0) return fields[i].take(n, value);
    return SP_OK;  // content, kinds, space, ... do not affect the labels
}

// ------------------------------------------------------------------------------------------------ names of labels

static segment *segment_of(nrrd *n, int number, int label) {
    for (int i = 0; i < n->segment_count; i++)
        if (number >= 0 ? n->segments[i].number == number : n->segments[i].number < 0 && n->segments[i].label == label)
            return &n->segments[i];
    if (n->segment_count == NAMES_MAX) return NULL;
    segment *s = &n->segments[n->segment_count++];
    *s = (segment){.number = number, .label = label, .labelled = number < 0};
    return s;
}

// "Segment3_Name:=liver", "Segment3_LabelValue:=4", "label 4:=liver"
static void take_pair(nrrd *n, const char *key, const char *value) {
    int64_t number, label;
    const char *rest;
    if (strncmp(key, "Segment", 7) == 0 && (rest = sp__scan_int64(key + 7, &number)) && number >= 0 && number < INT32_MAX) {
        segment *s = segment_of(n, (int)number, 0);
        if (s && strcmp(rest, "_Name") == 0 && *value) s->name = value;
        if (s && strcmp(rest, "_LabelValue") == 0 && sp__scan_int64(value, &label) && label >= INT32_MIN && label <= INT32_MAX)
            s->label = (int)label, s->labelled = true;
    } else if (strncmp(key, "label ", 6) == 0 && (rest = sp__scan_int64(skip_space(key + 6), &label)) && *rest == 0 &&
               label >= INT32_MIN && label <= INT32_MAX) {
        segment *s = segment_of(n, -1, (int)label);
        if (s && *value) s->name = value;
    }
}

static sp_status take_names(nrrd *n) {
    sp_volume *v = n->v;
    const char **names;
    int *of, count = 0;
    if (!SP_KEEP(&v->keep, names, n->segment_count + 1) || !SP_KEEP(&v->keep, of, n->segment_count + 1))
        return SP_FAIL(v->ctx, SP_NO_MEMORY, "%s: no memory for names", v->file);
    for (int i = 0; i < n->segment_count; i++)
        if (n->segments[i].labelled && n->segments[i].name)
            names[count] = n->segments[i].name, of[count++] = n->segments[i].label;
    v->labels.names = names, v->labels.name_of = of, v->labels.name_count = count;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ lines

// the next line as a string without trailing white space; NULL: no memory
static char *next_line(nrrd *n) {
    const char *stop = memchr(n->at, '\n', (size_t)(n->end - n->at));
    size_t length = (size_t)((stop ? stop : n->end) - n->at), kept = length;
    while (kept > 0 && (n->at[kept - 1] == '\r' || n->at[kept - 1] == ' ' || n->at[kept - 1] == '\t')) kept--;
    char *text = sp__keep_alloc(&n->v->keep, kept + 1, 1);
    if (text) memcpy(text, n->at, kept);
    n->at += length + (stop != NULL);
    n->line++;
    return text;
}

static sp_status take_line(nrrd *n, char *text) {
    char *colon = strchr(text, ':');
    if (*text == '#') return SP_OK;
    if (!colon) return SP_VOLUME_FAIL(n->v, n->line, -1, "\"%.30s\": neither \"field: value\" nor \"key:=value\"", text);
    *colon = 0;
    if (colon[1] == '=') {
        take_pair(n, text, colon + 2);
        return SP_OK;
    }
    return take_field(n, text, skip_space(colon + 1));
}

static sp_status take_header(nrrd *n) {
    for (bool more = true; more && n->at < n->end;) {
        const char *stop = memchr(n->at, '\n', (size_t)(n->end - n->at));
        if ((stop ? stop : n->end) - n->at > LINE_MAX_BYTES)
            return SP_VOLUME_FAIL(n->v, n->line + 1, -1, "a line of more than %d bytes", LINE_MAX_BYTES);
        if (n->line == LINES_MAX) return SP_VOLUME_FAIL(n->v, n->line, -1, "a header of more than %d lines", LINES_MAX);
        char *text = next_line(n);
        if (!text) return SP_FAIL(n->v->ctx, SP_NO_MEMORY, "%s: no memory for the header", n->v->file);
        more = *text != 0;  // the header ends at an empty line
        if (more && n->line > 1) SP_TRY(take_line(n, text));
    }
    if (n->dimension != 3) return SP_VOLUME_FAIL(n->v, n->line, -1, "the header ends without \"dimension: 3\"");
    if (!n->typed) return SP_VOLUME_FAIL(n->v, n->line, -1, "the header ends without a type");
    if (!n->sized) return SP_VOLUME_FAIL(n->v, n->line, -1, "the header ends without sizes");
    if (!n->has_endian && voxel_bytes(n->v->type) > 1)
        return SP_VOLUME_FAIL(n->v, n->type_line, -1, "%zu bytes a voxel and no endian", voxel_bytes(n->v->type));
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ voxels

static bool host_is_big(void) {
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

static void nrrd_take_place(nrrd *n) {
    double *rows = n->v->labels.affine;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            rows[4 * i + j] = n->unit * (n->has_directions ? n->directions[3 * j + i] : i == j ? n->spacing[j] : 0);
        rows[4 * i + 3] = n->unit * n->origin[i];
    }
}

static sp_status take_voxels(nrrd *n, const unsigned char *data, size_t size, int64_t offset) {
    sp_volume *v = n->v;
    size_t voxels = 0;
    SP_TRY(volume_size(v, n->sizes, n->size_line, -1, &voxels));
    size_t bytes = voxels * voxel_bytes(v->type), skip = (size_t)n->skip;
    if (n->packed) {
        unsigned char *plain;
        SP_TRY(volume_inflate(v, data, size, skip + bytes, &plain));
        return volume_take(v, plain + skip, voxels, offset);
    }
    if (skip > size || bytes > size - skip)
        return SP_VOLUME_FAIL(v, n->size_line, -1, "%zu bytes of voxels are announced, %zu are there", bytes,
                              skip > size ? 0 : size - skip);
    return volume_take(v, data + skip, voxels, offset + (int64_t)skip);
}

// the path of a file in the folder of the header
static char *beside(nrrd *n, const char *path) {
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0, length = strlen(n->file);
    char *full = sp__keep_alloc(&n->v->keep, folder + length + 1, 1);
    if (!full) return NULL;
    memcpy(full, path, folder);
    memcpy(full + folder, n->file, length);
    return full;
}

static sp_status take_other_file(nrrd *n, const char *path) {
    char *text, *full = beside(n, path);
    size_t size;
    if (!full) return SP_FAIL(n->v->ctx, SP_NO_MEMORY, "%s: no memory for a path", path);
    SP_TRY(sp__text_read(n->v->ctx, full, 0, &text, &size));
    sp_status status = take_voxels(n, (const unsigned char *)text, size, 0);
    sp__free(n->v->ctx, text);
    return status;
}

static sp_status volume_nrrd(sp_volume *v, const char *text, size_t size, const char *path) {
    nrrd n = {.v = v, .at = text, .end = text + size, .spacing = {1, 1, 1}, .unit = 1e-3};
    if (size < 9 || memcmp(text, "NRRD000", 7) != 0 || text[7] < '1' || text[7] > '5')
        return SP_VOLUME_FAIL(v, 1, -1, "not NRRD0001 to NRRD0005");
    if (!SP_KEEP(&v->keep, n.segments, NAMES_MAX)) return SP_FAIL(v->ctx, SP_NO_MEMORY, "%s: no memory for names", v->file);
    SP_TRY(take_header(&n));
    nrrd_take_place(&n);
    v->swapped = n.has_endian && n.big != host_is_big();
    SP_TRY(take_names(&n));
    if (n.file) return take_other_file(&n, path);
    return take_voxels(&n, (const unsigned char *)n.at, (size_t)(n.end - n.at), n.at - text);
}

// ========================================================================================================= NIfTI

// NIfTI-1 in one file (.nii, .nii.gz): a header of 348 bytes in either byte order, then the voxels, first index fastest.
// Positions come from the sform, else the qform, else the voxel sizes (nifti1.h, "method 3, 2, 1"), in the unit of the header.

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

static sp_status nifti_take_type(sp_volume *v, const header *h) {
    static const struct {
        int code;
        sp_voxel_type type;
    } types[] = {{2, SP_VOXEL_UINT8},   {4, SP_VOXEL_INT16},  {8, SP_VOXEL_INT32},    {16, SP_VOXEL_FLOAT},
                 {64, SP_VOXEL_DOUBLE}, {256, SP_VOXEL_INT8}, {512, SP_VOXEL_UINT16}, {768, SP_VOXEL_UINT32}};
    int code = short_at(h, 70), bits = short_at(h, 72);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].code != code) continue;
        v->type = types[i].type;
        if (bits == 8 * (int)voxel_bytes(v->type)) return SP_OK;
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
    return volume_size(v, dims, 0, 42, voxels);
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

static sp_status nifti_take_place(sp_volume *v, const header *h) {
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

static void warn_scaling(sp_volume *v, const header *h) {
    double slope = float_at(h, 112), shift = float_at(h, 116);
    if ((slope != 0 && slope != 1) || (slope != 0 && shift != 0))
        sp__log(v->ctx, SP_LOG_WARNING, "%s: scl_slope = %g and scl_inter = %g are left out: labels are taken as stored", v->file,
                slope, shift);
}

static sp_status volume_nifti(sp_volume *v, const unsigned char *data, size_t size) {
    bool packed = data[0] == 0x1f && data[1] == 0x8b;
    unsigned char *plain;
    if (packed) SP_TRY(volume_inflate(v, data, size, HEADER, &plain));
    header h = {.data = packed ? plain : data};
    SP_TRY(check_magic(v, &h));
    size_t voxels = 0;
    SP_TRY(take_dims(v, &h, &voxels));
    SP_TRY(nifti_take_type(v, &h));
    SP_TRY(nifti_take_place(v, &h));
    warn_scaling(v, &h);
    double offset = float_at(&h, 108), bytes = (double)voxels * (double)voxel_bytes(v->type);
    if (!(offset >= DATA_FIRST && offset <= 1e9) || offset != floor(offset))
        return SP_VOLUME_FAIL(v, 0, 108, "voxels from byte %g on, must be in [%d, 1e9]", offset, DATA_FIRST);
    if (packed) {
        SP_TRY(volume_inflate(v, data, size, (size_t)(offset + bytes), &plain));
        data = plain;
    } else if (offset + bytes > (double)size) {
        return SP_VOLUME_FAIL(v, 0, (int64_t)size, "%.0f bytes of voxels are announced from byte %.0f on, the file ends at %zu",
                              bytes, offset, size);
    }
    v->swapped = h.swapped != host_is_big();
    return volume_take(v, data + (size_t)offset, voxels, (int64_t)offset);
}

// ======================================================================================================= volumes

static sp_status parse(sp_volume *v, const char *text, size_t size, const char *path) {
    const unsigned char *data = (const unsigned char *)text;
    if (size >= 4 && memcmp(text, "NRRD", 4) == 0) return volume_nrrd(v, text, size, path);
    if ((size >= 2 && data[0] == 0x1f && data[1] == 0x8b) || size >= 348) return volume_nifti(v, data, size);
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
