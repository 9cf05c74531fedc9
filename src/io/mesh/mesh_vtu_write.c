// Writer of VTK XML files of unstructured grids, its data arrays in every encoding, and compression with zlib.
#include "io/mesh/mesh_vtk.h"

#include <stdio.h>

#include "io/mesh/cells.h"
#include "util/base64.h"

// Writer of the data arrays of VTK's XML files: text, base64 or appended bytes, compressed or not. A recording converts each
// frame to an sp_cells (positions as x, fields as arrays) and calls sp__cells_write, which uses these functions.
//
// In appended mode the tags come first and the bytes last: vtu_array writes the tag and stores the array, vtu_end
// writes the bytes of all arrays and then the offsets into the space reserved in the tags.

// n values of an array, starting at `first`.
typedef void sp_vtu_get(const void *user, int index, int64_t first, int64_t n, double *out);

typedef struct sp_vtu_array {
    const char *name;
    sp_number type;
    int components;
    int64_t tuples;
    int index;  // argument of `get`
} sp_vtu_array;

typedef struct sp_vtu_file {
    sp_context *ctx;
    const char *path;
    FILE *file;
    sp_encoding encoding;  // ascii, base64 or appended
    bool compress;
    sp_vtu_get *get;
    const void *user;
    sp_keep keep;
    struct sp_vtu_later *later;  // arrays whose bytes are not written yet
    int later_count, later_capacity;
} sp_vtu_file;

// =================================================================================================== compression

#ifdef SP_HAVE_ZLIB
#include <zlib.h>

bool sp__vtu_has_zlib(void) {
    return true;
}

bool sp__vtu_inflate(const unsigned char *from, size_t size, unsigned char *out, size_t bytes) {
    uLongf made = (uLongf)bytes;
    return uncompress(out, &made, from, (uLong)size) == Z_OK && made == bytes;
}

static size_t vtu_deflate_bound(size_t bytes) {
    return compressBound((uLong)bytes);
}

// zlib compression; 0: failed, or not available in this build.
static size_t vtu_deflate(const void *from, size_t size, void *out, size_t capacity) {
    uLongf made = (uLongf)capacity;
    return compress2(out, &made, from, (uLong)size, 5) == Z_OK ? made : 0;  // VTK's default level
}

#else

bool sp__vtu_has_zlib(void) {
    return false;
}

bool sp__vtu_inflate(const unsigned char *from, size_t size, unsigned char *out, size_t bytes) {
    (void)from, (void)size, (void)out, (void)bytes;
    return false;
}

static size_t vtu_deflate_bound(size_t bytes) {
    return bytes;
}

static size_t vtu_deflate(const void *from, size_t size, void *out, size_t capacity) {
    (void)from, (void)size, (void)out, (void)capacity;
    return 0;
}

#endif

// ======================================================================================================== writer

enum {
    BLOCK = 3 * 4096,  // values per block: a multiple of 3, so that the bytes of any type are whole base64 groups
    OFFSET_ROOM = 32   // characters reserved for offset="..."
};

struct sp_vtu_later {
    sp_vtu_array array;
    long place;  // file position of its offset attribute
};

// ------------------------------------------------------------------------------------------------ bytes

typedef struct block {
    double values[BLOCK];
    unsigned char bytes[8 * BLOCK];
    char text[(8 * BLOCK + 2) / 3 * 4 + 4];
} block;

static void get_bytes(const sp_vtu_file *w, const sp_vtu_array *a, int64_t first, int64_t n, double *values, void *out) {
    w->get(w->user, a->index, first, n, values);
    sp__numbers_put(values, (size_t)n, a->type, SP_HOST_BIG, out);  // the files are little-endian
}

static void put_bytes(const sp_vtu_file *w, const void *bytes, size_t n, block *b) {
    if (w->encoding == SP_ENCODING_APPENDED) {
        fwrite(bytes, 1, n, w->file);
        return;
    }
    const unsigned char *at = bytes;
    for (size_t step; n > 0; n -= step, at += step) {
        step = n < sizeof b->bytes ? n : sizeof b->bytes;
        sp__base64_encode(at, step, b->text);
        fwrite(b->text, 1, sp__base64_length(step), w->file);
    }
}

static void put_word(unsigned char out[8], uint64_t value) {
    for (int k = 0; k < 8; k++) out[k] = (unsigned char)(value >> (8 * k));
}

// [size] [data]. In base64 the eight bytes of the size share a group with the first data bytes: only whole groups are written
static void put_plain(const sp_vtu_file *w, const sp_vtu_array *a, block *b) {
    int64_t total = a->tuples * a->components;
    size_t size = sp__number_size(a->type), filled = 8;
    put_word(b->bytes, (uint64_t)total * size);
    for (int64_t first = 0; first < total;) {
        int64_t capacity = (int64_t)((sizeof b->bytes - filled) / size), n = total - first;
        if (n > capacity) n = capacity;
        if (n > BLOCK) n = BLOCK;
        get_bytes(w, a, first, n, b->values, b->bytes + filled);
        filled += (size_t)n * size;
        first += n;
        size_t whole = first < total ? filled / 3 * 3 : filled;
        put_bytes(w, b->bytes, whole, b);
        memmove(b->bytes, b->bytes + whole, filled - whole);
        filled -= whole;
    }
    if (filled) put_bytes(w, b->bytes, filled, b);
}

// ------------------------------------------------------------------------------------------------ compressed bytes

// all blocks are compressed before the first byte is written, because the header holds their sizes
static sp_status put_packed(const sp_vtu_file *w, const sp_vtu_array *a, block *b) {
    int64_t total = a->tuples * a->components, blocks = (total + BLOCK - 1) / BLOCK;
    size_t size = sp__number_size(a->type), bound = vtu_deflate_bound(BLOCK * size),
           header = (size_t)(blocks ? 8 * (3 + blocks) : 8);
    sp_keep keep = {w->ctx, NULL};
    sp_status status = SP_OK;
    unsigned char *head = sp__keep_alloc(&keep, header, 1), *packed = sp__keep_alloc(&keep, (size_t)blocks * bound, 1);
    if (!head || !packed) {
        status = SP_FAIL(w->ctx, SP_NO_MEMORY, "%s: no memory to compress array '%s'", w->path, a->name);
        goto done;
    }
    put_word(head, (uint64_t)blocks);
    size_t made = 0;
    for (int64_t i = 0; i < blocks; i++) {
        int64_t n = total - i * BLOCK < BLOCK ? total - i * BLOCK : BLOCK;
        get_bytes(w, a, i * BLOCK, n, b->values, b->bytes);
        size_t got = vtu_deflate(b->bytes, (size_t)n * size, packed + made, bound);
        if (!got) {
            status = SP_FAIL(w->ctx, SP_NO_MEMORY, "%s: array '%s' could not be compressed", w->path, a->name);
            goto done;
        }
        put_word(head + 8 * (3 + i), got);
        made += got;
    }
    if (blocks) {
        put_word(head + 8, BLOCK * size);
        put_word(head + 16, (uint64_t)(total % BLOCK) * size);
    }
    put_bytes(w, head, header, b);
    put_bytes(w, packed, made, b);
done:
    sp__keep_free(&keep);
    return status;
}

static sp_status put_data(sp_vtu_file *w, const sp_vtu_array *a) {
    block *b = sp__alloc(w->ctx, 1, sizeof *b);
    if (!b) return SP_FAIL(w->ctx, SP_NO_MEMORY, "%s: no memory to write array '%s'", w->path, a->name);
    sp_status status = SP_OK;
    if (w->compress)
        status = put_packed(w, a, b);
    else
        put_plain(w, a, b);
    sp__free(w->ctx, b);
    return status;
}

static void put_text(const sp_vtu_file *w, const sp_vtu_array *a) {
    double values[512];
    int64_t total = a->tuples * a->components, step = 512 / a->components * a->components;
    for (int64_t first = 0; first < total; first += step) {
        int64_t n = total - first < step ? total - first : step;
        w->get(w->user, a->index, first, n, values);
        for (int64_t i = 0; i < n; i++)
            sp__words_put(w->file, values[i], (first + i + 1) % (a->components > 1 ? a->components : 12) ? ' ' : '\n');
    }
}

// ------------------------------------------------------------------------------------------------ tags

// Writes a text as the value of an attribute.
static void vtu_put_text(FILE *file, const char *text) {
    for (; *text; text++) {
        switch (*text) {
        case '&': fputs("&amp;", file); break;
        case '<': fputs("&lt;", file); break;
        case '>': fputs("&gt;", file); break;
        case '"': fputs("&quot;", file); break;
        default: putc((unsigned char)*text < ' ' ? ' ' : *text, file);
        }
    }
}

// Writes "VTKFile" with its attributes; `type` is UnstructuredGrid or PolyData.
static void vtu_begin(sp_vtu_file *w, const char *type) {
    fprintf(
        w->file,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\"%s>\n",
        type, w->compress ? " compressor=\"vtkZLibDataCompressor\"" : "");
}

static sp_status put_later(sp_vtu_file *w, const sp_vtu_array *a) {
    if (!SP_LIST_ROOM(&w->keep, w->later, w->later_count, &w->later_capacity))
        return SP_FAIL(w->ctx, SP_NO_MEMORY, "%s: no memory to write", w->path);
    w->later[w->later_count++] = (struct sp_vtu_later){*a, ftell(w->file)};
    fprintf(w->file, "%*s/>\n", OFFSET_ROOM, "");
    return SP_OK;
}

static sp_status vtu_array(sp_vtu_file *w, const sp_vtu_array *a) {
    static const char *const types[] = {"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                        "UInt32", "Int64", "UInt64", "Float32", "Float64"};
    bool ascii = w->encoding == SP_ENCODING_ASCII, appended = w->encoding == SP_ENCODING_APPENDED;
    fprintf(w->file, "<DataArray type=\"%s\" Name=\"", types[a->type]);
    vtu_put_text(w->file, a->name);
    fprintf(w->file, "\" NumberOfComponents=\"%d\" format=\"%s\"", a->components,
            ascii      ? "ascii"
            : appended ? "appended"
                       : "binary");
    if (appended) return put_later(w, a);
    fputs(">\n", w->file);
    sp_status status = SP_OK;
    if (ascii)
        put_text(w, a);
    else
        status = put_data(w, a);
    fputs("\n</DataArray>\n", w->file);
    return status;
}

// Writes the appended data, if any, and the end of the file.
static sp_status vtu_end(sp_vtu_file *w) {
    if (w->later_count) {
        fputs("<AppendedData encoding=\"raw\">\n_", w->file);
        long begin = ftell(w->file);
        for (int i = 0; i < w->later_count; i++) {
            long at = ftell(w->file);
            if (at < 0 || fseek(w->file, w->later[i].place, SEEK_SET) != 0 ||
                fprintf(w->file, " offset=\"%ld\"", at - begin) < 0 || fseek(w->file, at, SEEK_SET) != 0)
                return SP_FAIL(w->ctx, SP_IO, "%s: the file cannot be written from place to place", w->path);
            SP_TRY(put_data(w, &w->later[i].array));
        }
        fputs("\n</AppendedData>\n", w->file);
    }
    fputs("</VTKFile>\n", w->file);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ grids

static void column_get(const void *user, int index, int64_t first, int64_t n, double *out) {
    const sp_vtk_columns *c = user;
    sp__vtk_column_get(c, &c->list[index], first, n, out);
}

static sp_status put_columns(sp_vtu_file *w, const sp_vtk_columns *c, sp_vtk_place from, sp_vtk_place to) {
    for (int i = 0; i < c->count; i++) {
        const sp_vtk_column *column = &c->list[i];
        if (column->place < from || column->place > to) continue;
        SP_TRY(vtu_array(w, &(sp_vtu_array){column->name, column->type, column->components, column->tuples, i}));
    }
    return SP_OK;
}

// <PointData Normals="normals" ...>: the attributes name the roles of the arrays
static sp_status put_section(sp_vtu_file *w, const sp_vtk_columns *c, const char *tag, sp_vtk_place place) {
    static const char *const roles[] = {NULL, NULL, "Normals", "TCoords", "GlobalIds", NULL};
    fprintf(w->file, "<%s", tag);
    for (int i = 0; i < c->count; i++)
        if (c->list[i].place == place && roles[c->list[i].role])
            fprintf(w->file, " %s=\"%s\"", roles[c->list[i].role], c->list[i].name);
    fputs(">\n", w->file);
    SP_TRY(put_columns(w, c, place, place));
    fprintf(w->file, "</%s>\n", tag);
    return SP_OK;
}

static sp_status write_grid(sp_vtu_file *w, const sp_vtk_columns *c) {
    vtu_begin(w, "UnstructuredGrid");
    fprintf(w->file, "<UnstructuredGrid>\n<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n", c->cells->node_count,
            c->cell_count);
    SP_TRY(put_section(w, c, "PointData", SP_VTK_POINT_DATA));
    SP_TRY(put_section(w, c, "CellData", SP_VTK_CELL_DATA));
    fputs("<Points>\n", w->file);
    SP_TRY(put_columns(w, c, SP_VTK_POINTS, SP_VTK_POINTS));
    fputs("</Points>\n<Cells>\n", w->file);
    SP_TRY(put_columns(w, c, SP_VTK_CONNECTIVITY, SP_VTK_TYPES));
    fputs("</Cells>\n</Piece>\n</UnstructuredGrid>\n", w->file);
    return vtu_end(w);
}

sp_status sp__vtu_write(const sp_cells *cells, const char *path, const sp_mesh_write_options *options) {
    size_t length = strlen(path);
    sp_vtk_columns columns;
    sp_new_file file;
    if (length > 4 && strcmp(path + length - 4, ".vtp") == 0)
        return SP_FAIL(cells->ctx, SP_BAD_INPUT, "%s: polygonal data are read but not written: write .vtu", path);
    if (options->compress && !sp__vtu_has_zlib())
        return SP_FAIL(cells->ctx, SP_UNAVAILABLE,
                       "%s: this build has no zlib to compress with: install zlib and build with -DSP_ZLIB=ON", path);
    sp_vtu_file w = {.ctx = cells->ctx,
                     .path = path,
                     .encoding = options->encoding,
                     .compress = options->compress && options->encoding != SP_ENCODING_ASCII,
                     .get = column_get,
                     .user = &columns,
                     .keep = {cells->ctx, NULL}};
    sp_status status = sp__vtk_columns(cells, &columns);
    if (status >= 0) status = sp__new_file_open(cells->ctx, path, &file);
    if (status >= 0) {
        w.file = file.stream;
        status = write_grid(&w, &columns);
        status = sp__worst(status, sp__new_file_close(&file, status >= 0));
    }
    sp__keep_free(&w.keep);
    sp__keep_free(&columns.keep);
    return status;
}
