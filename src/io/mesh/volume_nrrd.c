// NRRD (teem.sourceforge.net/nrrd/format.html), the subset that segmentations use: three dimensions, integers or real numbers,
// raw or gzip, in one file or with a text header that names the data file. Positions come from "space directions" and "space
// origin", or from "spacings". The unit comes from "space units"; the default is millimetres. Label names are read from the pairs
// that 3D Slicer writes (SegmentN_LabelValue, SegmentN_Name) and from "label N:=name".
#include "io/mesh/volume.h"

#include <stdio.h>
#include <stdlib.h>

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

static sp_status take_type(nrrd *n, const char *p) {
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
    } fields[] = {{"type", take_type},           {"dimension", take_dimension}, {"sizes", take_sizes},
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
    if (!n->has_endian && sp__voxel_bytes(n->v->type) > 1)
        return SP_VOLUME_FAIL(n->v, n->type_line, -1, "%zu bytes a voxel and no endian", sp__voxel_bytes(n->v->type));
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ voxels

static bool host_is_big(void) {
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

static void take_place(nrrd *n) {
    double *rows = n->v->labels.affine;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            rows[4 * i + j] = n->unit * (n->has_directions ? n->directions[3 * j + i] : i == j ? n->spacing[j] : 0);
        rows[4 * i + 3] = n->unit * n->origin[i];
    }
}

static sp_status take_voxels(nrrd *n, const unsigned char *data, size_t size, int64_t offset) {
    sp_volume *v = n->v;
    size_t voxels;
    SP_TRY(sp__volume_size(v, n->sizes, n->size_line, -1, &voxels));
    size_t bytes = voxels * sp__voxel_bytes(v->type), skip = (size_t)n->skip;
    if (n->packed) {
        unsigned char *plain;
        SP_TRY(sp__volume_inflate(v, data, size, skip + bytes, &plain));
        return sp__volume_take(v, plain + skip, voxels, offset);
    }
    if (skip > size || bytes > size - skip)
        return SP_VOLUME_FAIL(v, n->size_line, -1, "%zu bytes of voxels are announced, %zu are there", bytes,
                              skip > size ? 0 : size - skip);
    return sp__volume_take(v, data + skip, voxels, offset + (int64_t)skip);
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

sp_status sp__volume_nrrd(sp_volume *v, const char *text, size_t size, const char *path) {
    nrrd n = {.v = v, .at = text, .end = text + size, .spacing = {1, 1, 1}, .unit = 1e-3};
    if (size < 9 || memcmp(text, "NRRD000", 7) != 0 || text[7] < '1' || text[7] > '5')
        return SP_VOLUME_FAIL(v, 1, -1, "not NRRD0001 to NRRD0005");
    if (!SP_KEEP(&v->keep, n.segments, NAMES_MAX)) return SP_FAIL(v->ctx, SP_NO_MEMORY, "%s: no memory for names", v->file);
    SP_TRY(take_header(&n));
    take_place(&n);
    v->swapped = n.has_endian && n.big != host_is_big();
    SP_TRY(take_names(&n));
    if (n.file) return take_other_file(&n, path);
    return take_voxels(&n, (const unsigned char *)n.at, (size_t)(n.end - n.at), n.at - text);
}
