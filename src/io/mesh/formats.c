// The table of mesh formats, format detection by the first bytes and then by the suffix, and the public readers and writers.
#include <stdio.h>

#include "io/mesh/cells.h"

enum { HEAD = 4096 };

// formats and the encodings that they can be written in; the first encoding is the default
static const struct {
    const sp_mesh_format *format;
    sp_encoding encodings[3];
} known[] = {
    {&sp__format_msh, {SP_ENCODING_BINARY, SP_ENCODING_ASCII}},
    {&sp__format_msh2, {SP_ENCODING_BINARY, SP_ENCODING_ASCII}},
    {&sp__format_vtu, {SP_ENCODING_APPENDED, SP_ENCODING_BASE64, SP_ENCODING_ASCII}},
    {&sp__format_vtk, {SP_ENCODING_BINARY, SP_ENCODING_ASCII}},
    {&sp__format_ply, {SP_ENCODING_BINARY, SP_ENCODING_ASCII}},
    {&sp__format_stl, {SP_ENCODING_BINARY, SP_ENCODING_ASCII}},
    {&sp__format_obj, {SP_ENCODING_ASCII}},
    {&sp__format_tetgen, {SP_ENCODING_ASCII}},
};
enum { KNOWN = sizeof known / sizeof *known };

// ------------------------------------------------------------------------------------------------ format detection

static bool same_letters(const char *a, const char *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        char x = a[i], y = b[i];
        if (x >= 'A' && x <= 'Z') x = (char)(x - 'A' + 'a');
        if (x != y) return false;
    }
    return true;
}

static bool has_suffix(const char *path, const char *suffixes) {
    size_t length = strlen(path);
    for (const char *s = suffixes; *s;) {
        size_t n = strcspn(s, " ");
        if (length > n && same_letters(path + length - n, s, n)) return true;
        s += n;
        s += strspn(s, " ");
    }
    return false;
}

static int by_suffix(const char *path) {
    for (int i = 0; i < KNOWN; i++)
        if (has_suffix(path, known[i].format->suffixes)) return i;
    return -1;
}

static bool formats_knows(int i, const char *head, size_t size) {
    return known[i].format->knows && known[i].format->knows(head, size);
}

// the suffix breaks a tie: its format is chosen if it recognises the content or has no way to recognise it
static int choose(const char *text, size_t size, const char *path) {
    char head[HEAD + 1];
    size_t n = size < HEAD ? size : HEAD;
    memcpy(head, text, n);
    head[n] = 0;
    int named = by_suffix(path);
    if (named >= 0 && (!known[named].format->knows || formats_knows(named, head, n))) return named;
    for (int i = 0; i < KNOWN; i++)
        if (formats_knows(i, head, n)) return i;
    return named;
}

static void list_names(char *out, size_t size, bool suffixes) {
    size_t at = 0;
    for (int i = 0; i < KNOWN; i++) {
        int n = snprintf(out + at, size - at, "%s%s", i ? " " : "", suffixes ? known[i].format->suffixes : known[i].format->name);
        if (n < 0 || (size_t)n >= size - at) return;
        at += (size_t)n;
    }
}

static sp_status unknown_format(sp_context *ctx, const char *path) {
    char names[160];
    list_names(names, sizeof names, true);
    return SP_FAIL(ctx, SP_BAD_INPUT, "%s: of no mesh format that is known, neither by its content nor by its name (%s)", path,
                   names);
}

// ------------------------------------------------------------------------------------------------ reading

sp_status sp__cells_parse(sp_context *ctx, const char *text, size_t size, const char *path, sp_cells *cells) {
    sp__cells_init(ctx, path, cells);
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3, size -= 3;  // byte order mark of UTF-8, which some editors write
    if (size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return SP_FAIL(ctx, SP_BAD_INPUT, "%s: a text in UTF-16, must be ASCII or UTF-8", path);
    int format = choose(text, size, path);
    if (format < 0) return unknown_format(ctx, path);
    cells->format = known[format].format->what;
    return known[format].format->read(cells, text, size, path);
}

sp_status sp__cells_read(sp_context *ctx, const char *path, sp_cells *cells) {
    char *text;
    size_t size;
    sp__cells_init(ctx, path, cells);
    SP_TRY(sp__text_read(ctx, path, 0, &text, &size));
    sp_status status = sp__cells_parse(ctx, text, size, path, cells);
    sp__free(ctx, text);
    return status;
}

static sp_status formats_read_mesh(sp_context *ctx, const char *path, bool tetrahedra, sp_mesh **out) {
    sp_cells cells;
    *out = NULL;
    sp_status status = sp__cells_read(ctx, path, &cells);
    if (status >= 0) status = sp__cells_to_mesh(&cells, tetrahedra, out);
    sp__cells_free(&cells);
    return status;
}

sp_status sp_mesh_read(sp_context *context, const char *path, sp_mesh **out) {
    return formats_read_mesh(context, path, false, out);
}

sp_status sp_mesh_read_tets(sp_context *context, const char *path, sp_mesh **out) {
    return formats_read_mesh(context, path, true, out);
}

sp_status sp_trimesh_read(sp_context *context, const char *path, sp_trimesh **out) {
    sp_cells cells;
    *out = NULL;
    sp_status status = sp__cells_read(context, path, &cells);
    if (status >= 0) status = sp__cells_to_trimesh(&cells, out);
    sp__cells_free(&cells);
    return status;
}

// ------------------------------------------------------------------------------------------------ writing

sp_mesh_write_options sp_mesh_write_options_default(void) {
    return (sp_mesh_write_options){.cookie = SP_COOKIE_MESH_WRITE};
}

static sp_status choose_writer(sp_context *ctx, const char *path, const char *name, int *out) {
    char names[160];
    *out = -1;
    list_names(names, sizeof names, !name);
    for (int i = 0; name && i < KNOWN; i++)
        if (strcmp(known[i].format->name, name) == 0) *out = i;
    if (!name) *out = by_suffix(path);
    if (*out >= 0 && known[*out].format->write) return SP_OK;
    if (name) return SP_FAIL(ctx, SP_BAD_INPUT, "%s: format '%s', must be one of %s", path, name, names);
    return SP_FAIL(ctx, SP_BAD_INPUT, "%s: the name must end in one of %s, or a format be given", path, names);
}

static sp_status choose_encoding(sp_context *ctx, const char *path, int format, sp_encoding *encoding) {
    const sp_encoding *able = known[format].encodings;
    // formats with binary data inside a text: "binary" means their default encoding
    if (*encoding == SP_ENCODING_AUTO || (*encoding == SP_ENCODING_BINARY && able[0] == SP_ENCODING_APPENDED))
        *encoding = able[0];
    for (int i = 0; i < 3; i++)
        if (able[i] != SP_ENCODING_AUTO && able[i] == *encoding) return SP_OK;
    static const char *const names[] = {"auto", "ASCII", "binary", "base64", "appended"};
    const char *asked = *encoding > 0 && (size_t)*encoding < sizeof names / sizeof *names ? names[*encoding] : "unknown";
    return SP_FAIL(ctx, SP_BAD_INPUT, "%s: %s files cannot be written with encoding %s", path, known[format].format->what, asked);
}

sp_status sp__cells_write(const sp_cells *cells, const char *path, const sp_mesh_write_options *options) {
    sp_mesh_write_options o = options ? *options : sp_mesh_write_options_default();
    int format;
    if (o.cookie != SP_COOKIE_MESH_WRITE)
        return SP_FAIL(cells->ctx, SP_BAD_INPUT, "the options did not start from sp_mesh_write_options_default()");
    SP_TRY(choose_writer(cells->ctx, path, o.format, &format));
    SP_TRY(choose_encoding(cells->ctx, path, format, &o.encoding));
    o.format = known[format].format->name;
    return known[format].format->write(cells, path, &o);
}

// PLY files hold linear tetrahedra only: a mesh must not come back without its elements
static sp_status formats_check_elements(const sp_mesh *mesh, const char *path, const sp_mesh_write_options *options) {
    int format, e = 0;
    sp_context *ctx = sp_mesh_context(mesh);
    if (sp_mesh_tets(mesh)) return SP_OK;
    SP_TRY(choose_writer(ctx, path, options ? options->format : NULL, &format));
    if (known[format].format != &sp__format_ply) return SP_OK;
    while (sp_mesh_element(mesh, e, NULL) == SP_ELEMENT_TET4) e++;
    return SP_FAIL(ctx, SP_BAD_INPUT, "%s: element %lld is a %s, must be a linear tetrahedron in a PLY file", path,
                   (long long)sp_mesh_element_ids(mesh)[e], sp_element_name(sp_mesh_element(mesh, e, NULL)));
}

sp_status sp_mesh_write(const sp_mesh *mesh, const char *path, const sp_mesh_write_options *options) {
    sp_cells cells;
    SP_TRY(formats_check_elements(mesh, path, options));
    sp_status status = sp__cells_from_mesh(mesh, &cells);
    if (status >= 0) status = sp__cells_write(&cells, path, options);
    sp__cells_free(&cells);
    return status;
}

sp_status sp_trimesh_write(const sp_trimesh *surface, const char *path, const sp_mesh_write_options *options) {
    sp_cells cells;
    sp_status status = sp__cells_from_trimesh(surface, &cells);
    if (status >= 0) status = sp__cells_write(&cells, path, options);
    sp__cells_free(&cells);
    return status;
}
