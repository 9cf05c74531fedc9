// Structure of a VTK XML file: pieces, their counts, and the location of each data array. Nothing is decoded here.
#include <limits.h>

#include "io/mesh/mesh_vtu.h"

#define FAIL(r, tag, ...) sp__cells_fail((r)->x.cells, (tag)->line, -1, __LINE__, __VA_ARGS__)

enum { DATA_MAX = 65536 };

typedef struct scan {
    sp_vtu *r;
    sp_vtu_section section;
    bool in_piece, in_section;
    sp_xml_tag open;  // tag of the section; its attributes name the arrays of normals and so on
} scan;

static const char *vtu_scan_shown(const sp_slice *s, char out[48]) {
    size_t n = s->size < 40 ? s->size : 40;
    for (size_t i = 0; i < n; i++) out[i] = s->at[i] >= 32 && s->at[i] < 127 ? s->at[i] : '?';
    out[n] = 0;
    return out;
}

// ------------------------------------------------------------------------------------------------ header

static sp_status read_head(sp_vtu *r, const sp_xml_tag *tag) {
    char seen[48];
    const sp_slice *type = sp__xml_find(tag, "type"), *order = sp__xml_find(tag, "byte_order");
    const sp_slice *header = sp__xml_find(tag, "header_type"), *packer = sp__xml_find(tag, "compressor");
    if (!type) return FAIL(r, tag, "VTKFile without its type");
    r->polygonal = sp__xml_is(type, "PolyData");
    if (!r->polygonal && !sp__xml_is(type, "UnstructuredGrid"))
        return FAIL(r, tag, "a VTKFile of type '%s', only UnstructuredGrid and PolyData hold meshes", vtu_scan_shown(type, seen));
    bool big = order && sp__xml_is(order, "BigEndian");
    if (order && !big && !sp__xml_is(order, "LittleEndian"))
        return FAIL(r, tag, "byte_order '%s', must be LittleEndian or BigEndian", vtu_scan_shown(order, seen));
    r->swap = big != SP_HOST_BIG;
    r->wide_header = header && sp__xml_is(header, "UInt64");
    if (header && !r->wide_header && !sp__xml_is(header, "UInt32"))
        return FAIL(r, tag, "header_type '%s', must be UInt32 or UInt64", vtu_scan_shown(header, seen));
    r->compressed = packer && packer->size;
    if (r->compressed && !sp__xml_is(packer, "vtkZLibDataCompressor"))
        return FAIL(r, tag, "compressed by %s, only vtkZLibDataCompressor can be read: write the file again with it",
                    vtu_scan_shown(packer, seen));
    return SP_OK;
}

static sp_status add_piece(sp_vtu *r, const sp_xml_tag *tag) {
    static const char *const kinds[] = {"NumberOfVerts", "NumberOfLines", "NumberOfPolys", "NumberOfStrips"};
    if (!SP_LIST_ROOM(&r->x.cells->keep, r->pieces, r->piece_count, &r->piece_capacity)) return sp__cells_no_memory(r->x.cells);
    sp_vtu_piece *p = &r->pieces[r->piece_count];
    *p = (sp_vtu_piece){.first_data = r->data_count};
    SP_TRY(sp__xml_integer(&r->x, tag, "NumberOfPoints", 0, 0, INT_MAX / 4, &p->points));
    if (r->polygonal)
        for (int k = 0; k < 4; k++) {
            SP_TRY(sp__xml_integer(&r->x, tag, kinds[k], 0, 0, INT_MAX / 16, &p->kinds[k]));
            p->cells += p->kinds[k];
        }
    else
        SP_TRY(sp__xml_integer(&r->x, tag, "NumberOfCells", 0, 0, INT_MAX / 4, &p->cells));
    r->piece_count++;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ arrays

static sp_number type_named(const sp_slice *name) {
    static const char *const names[] = {"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                        "UInt32", "Int64", "UInt64", "Float32", "Float64"};
    for (int i = 0; name && i < SP_NUMBER_TYPES; i++)
        if (sp__xml_is(name, names[i])) return (sp_number)i;
    return SP_NUMBER_TYPES;
}

static sp_status read_format(sp_vtu *r, const sp_xml_tag *tag, sp_vtu_data *d) {
    char seen[48];
    const sp_slice *format = sp__xml_find(tag, "format");
    if (!format || sp__xml_is(format, "ascii"))
        d->format = SP_VTU_ASCII;
    else if (sp__xml_is(format, "binary"))
        d->format = SP_VTU_BASE64;
    else if (sp__xml_is(format, "appended"))
        d->format = SP_VTU_APPENDED;
    else
        return FAIL(r, tag, "format '%s' of a DataArray, must be ascii, binary or appended", vtu_scan_shown(format, seen));
    return sp__xml_integer(&r->x, tag, "offset", d->format == SP_VTU_APPENDED ? -1 : 0, 0, INT64_MAX / 4, &d->offset);
}

static sp_vtk_role role_of(const scan *s, const sp_slice *name) {
    static const struct {
        const char *attribute;
        sp_vtk_role role;
    } roles[] = {{"Normals", SP_VTK_NORMALS}, {"TCoords", SP_VTK_TEXCOORDS}, {"GlobalIds", SP_VTK_IDS}};
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        const sp_slice *value = sp__xml_find(&s->open, roles[i].attribute);
        if (value && value->size == name->size && memcmp(value->at, name->at, name->size) == 0) return roles[i].role;
    }
    return SP_VTK_PLAIN;
}

// the content is the text up to the next tag; nested tags are skipped up to the closing tag
static sp_status take_content(sp_vtu *r, sp_vtu_data *d, const sp_xml_tag *open) {
    sp_xml_tag tag;
    d->begin = d->end = open->end;
    if (open->alone) return SP_OK;
    const char *next = memchr(open->end, '<', (size_t)(r->x.end - open->end));
    d->end = next ? next : r->x.end;
    for (int depth = 1; depth > 0;) {
        SP_TRY(sp__xml_next(&r->x, &tag));
        if (!tag.name.size)
            return FAIL(r, open, "<%.*s> is never closed", (int)(open->name.size < 40 ? open->name.size : 40), open->name.at);
        if (!tag.alone) depth += tag.closing ? -1 : 1;
    }
    return SP_OK;
}

static sp_status add_data(scan *s, const sp_xml_tag *tag) {
    sp_vtu *r = s->r;
    char seen[48];
    const sp_slice *name = sp__xml_find(tag, "Name"), *type = sp__xml_find(tag, "type");
    sp_vtu_data d = {.piece = r->piece_count - 1, .section = s->section, .line = tag->line, .type = type_named(type)};
    if (name) d.name = *name;
    SP_TRY(sp__xml_integer(&r->x, tag, "NumberOfComponents", 1, 0, 65536, &d.components));
    SP_TRY(read_format(r, tag, &d));
    SP_TRY(take_content(r, &d, tag));
    bool wanted = s->in_section && s->section != SP_VTU_OTHER;
    bool data = s->section == SP_VTU_POINT_DATA || s->section == SP_VTU_CELL_DATA;
    if (!wanted || (data && (d.type == SP_NUMBER_TYPES || !name))) return SP_OK;  // strings and bits are not numbers
    if (d.type == SP_NUMBER_TYPES) return FAIL(r, tag, "a DataArray of type '%s'", type ? vtu_scan_shown(type, seen) : "");
    d.role = name ? role_of(s, name) : SP_VTK_PLAIN;
    if (r->data_count == DATA_MAX) return FAIL(r, tag, "more than %d data arrays", DATA_MAX);
    if (!SP_LIST_ROOM(&r->x.cells->keep, r->data, r->data_count, &r->data_capacity)) return sp__cells_no_memory(r->x.cells);
    r->data[r->data_count++] = d;
    r->pieces[r->piece_count - 1].data_count++;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ appended data

// the data begin after the underscore; raw bytes extend to the last closing tag
static sp_status find_appended(sp_vtu *r, const sp_xml_tag *tag) {
    static const char closing[] = "</AppendedData>";
    char seen[48];
    const sp_slice *encoding = sp__xml_find(tag, "encoding");
    r->raw = encoding && sp__xml_is(encoding, "raw");
    if (encoding && !r->raw && !sp__xml_is(encoding, "base64"))
        return FAIL(r, tag, "AppendedData of encoding '%s', must be raw or base64", vtu_scan_shown(encoding, seen));
    const char *p = tag->end, *end = r->x.end;
    while (p < end && sp__is_space(*p)) p++;
    if (tag->alone || p >= end || *p != '_') return FAIL(r, tag, "AppendedData must begin with '_'");
    size_t n = sizeof closing - 1;
    for (const char *q = (size_t)(end - p) > n ? end - n : p; q > p; q--)
        if (*q == '<' && memcmp(q, closing, n) == 0) {
            end = q;
            break;
        }
    if (end == r->x.end) return FAIL(r, tag, "AppendedData is never closed");
    r->appended = p + 1;
    r->appended_end = end;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ document

static sp_vtu_section section_named(const sp_slice *name) {
    static const char *const names[] = {"Verts", "Lines", "Polys", "Strips", "Cells", "Points", "PointData", "CellData"};
    for (int i = 0; i < SP_VTU_OTHER; i++)
        if (sp__xml_is(name, names[i])) return (sp_vtu_section)i;
    return SP_VTU_OTHER;
}

static sp_status take_tag(scan *s, const sp_xml_tag *tag) {
    sp_vtu *r = s->r;
    if (sp__xml_is(&tag->name, "Piece")) {
        s->in_piece = !tag->closing && !tag->alone;
        return tag->closing ? SP_OK : add_piece(r, tag);
    }
    if (!tag->closing && (sp__xml_is(&tag->name, "DataArray") || sp__xml_is(&tag->name, "Array"))) return add_data(s, tag);
    sp_vtu_section section = section_named(&tag->name);
    if (section == SP_VTU_OTHER && !sp__xml_is(&tag->name, "FieldData")) return SP_OK;
    s->in_section = s->in_piece && !tag->closing && !tag->alone;
    s->section = section;
    s->open = *tag;
    return SP_OK;
}

sp_status sp__vtu_scan(sp_vtu *r) {
    scan s = {.r = r, .section = SP_VTU_OTHER};
    sp_xml_tag tag;
    SP_TRY(sp__xml_next(&r->x, &tag));
    if (!sp__xml_is(&tag.name, "VTKFile") || tag.closing)
        return sp__cells_fail(r->x.cells, r->x.line, -1, __LINE__, "not a VTK XML file: it must begin with <VTKFile ...>");
    SP_TRY(read_head(r, &tag));
    for (bool closed = false; !closed;) {
        SP_TRY(sp__xml_next(&r->x, &tag));
        if (!tag.name.size) return sp__cells_fail(r->x.cells, r->x.line, -1, __LINE__, "the file ends before </VTKFile>");
        if (sp__xml_is(&tag.name, "AppendedData") && !tag.closing) return find_appended(r, &tag);
        closed = tag.closing && sp__xml_is(&tag.name, "VTKFile");
        if (!closed) SP_TRY(take_tag(&s, &tag));
    }
    return SP_OK;
}
