// Gmsh .msh 2.2 and 4.1, text and binary, in one pass over the file in memory. No count is accepted that the remaining bytes
// could not hold.
#include "io/mesh/mesh_msh.h"

#include <limits.h>
#include <stdio.h>

static sp_status read_order(sp_msh *r) {
    SP_TRY(sp__msh_bytes_begin(r));
    SP_TRY(sp__msh_need(r, "order of the bytes", 1, 4));
    uint32_t one = (uint32_t)sp__msh_get_int(r);
    r->swap = one == UINT32_C(0x01000000);
    if (one == 1 || r->swap) return SP_OK;
    r->at -= 4;
    return SP_MSH_FAIL(r, "order of the bytes: 1 is needed in either order, seen 0x%08x", (unsigned)one);
}

static sp_status read_format(sp_msh *r) {
    double version;
    int64_t binary, size;
    if (r->has_format) return SP_MSH_FAIL(r, "$MeshFormat appears twice");
    SP_TRY(sp__msh_number(r, "version of the format", &version));
    if (!(version >= 2 && version < 3) && !(version >= 4.1 && version < 5))
        return SP_MSH_FAIL(r, "format version %g, 2.2 and 4.1 can be read: save it with `gmsh -save -format msh41`", version);
    SP_TRY(sp__msh_integer(r, "type of the file", 0, 1, &binary));
    SP_TRY(sp__msh_integer(r, "bytes of a number", 4, 8, &size));
    if (size != 8 && size != 4) return SP_MSH_FAIL(r, "bytes of a number = %d, must be 4 or 8", (int)size);
    r->version = version < 3 ? 2 : 4;
    r->cells->format = r->version == 2 ? "Gmsh 2.2" : "Gmsh 4.1";
    r->word = (int)size;
    r->has_format = true;
    r->binary = binary;
    if (binary) SP_TRY(read_order(r));
    return sp__msh_end(r, "$EndMeshFormat");
}

static sp_status read_name(sp_msh *r) {
    int64_t dimension, number;
    char text[256];
    SP_TRY(sp__msh_integer(r, "dimension of a physical name", 0, 3, &dimension));
    SP_TRY(sp__msh_integer(r, "number of a physical name", INT32_MIN, INT32_MAX, &number));
    SP_TRY(sp__msh_text(r, text, sizeof text));
    char *name = sp__keep_text(r->keep, text);
    if (!name) return sp__cells_no_memory(r->cells);
    r->names[r->name_count++] = (sp_msh_name){sp__msh_key((int)dimension, number), name};
    return SP_OK;
}

// this section is text in binary files too
static sp_status read_names(sp_msh *r) {
    int64_t count, most = (r->end - r->at) / 7 + 1;
    if (r->names) return SP_MSH_FAIL(r, "$PhysicalNames appears twice");
    SP_TRY(sp__msh_integer(r, "count of physical names", 0, most < INT_MAX ? most : INT_MAX, &count));
    if (!SP_KEEP(r->keep, r->names, count)) return sp__cells_no_memory(r->cells);
    for (int64_t i = 0; i < count; i++) SP_TRY(read_name(r));
    return sp__msh_end(r, "$EndPhysicalNames");
}

static sp_status read_nodes(sp_msh *r) {
    if (r->has_nodes) return SP_MSH_FAIL(r, "$Nodes appears twice");
    r->has_nodes = true;
    SP_TRY(r->version == 2 ? sp__msh_nodes2(r) : sp__msh_nodes4(r));
    SP_TRY(sp__msh_end(r, "$EndNodes"));
    return sp__msh_ids_index(r, r->cells->node_ids, r->cells->node_count, "node", &r->node_places);
}

static sp_status read_elements(sp_msh *r) {
    if (!r->has_nodes) return SP_MSH_FAIL(r, "$Elements before $Nodes");
    if (r->has_elements) return SP_MSH_FAIL(r, "$Elements appears twice");
    r->has_elements = true;
    SP_TRY(r->version == 2 ? sp__msh_elements2(r) : sp__msh_elements4(r));
    return sp__msh_end(r, "$EndElements");
}

// skips an unused section up to its closing word at the beginning of a line
static sp_status skip_section(sp_msh *r) {
    char name[64], closing[80];
    int n = 0, opened = r->line;
    const char *start = r->at;
    for (r->at++; r->at < r->end && (unsigned char)*r->at > ' ' && n < 60; r->at++) name[n++] = *r->at;
    name[n] = 0;
    snprintf(closing, sizeof closing, "$End%s", name);
    while (sp__msh_space(r), r->at < r->end) {
        if (*r->at == '$' && sp__msh_take(r, closing)) return SP_OK;
        sp__msh_skip_line(r);
    }
    r->line = opened;
    r->at = start;
    return SP_MSH_FAIL(r, "section $%s is never closed", name);
}

static sp_status read_section(sp_msh *r) {
    char seen[32];
    if (*r->at != '$') return SP_MSH_FAIL(r, "a section ($Nodes, ...) is needed here, seen %s", sp__msh_shown(r, seen));
    if (sp__msh_take(r, "$MeshFormat")) return read_format(r);
    if (!r->has_format) return SP_MSH_FAIL(r, "not a Gmsh file: it must begin with $MeshFormat, seen %s", sp__msh_shown(r, seen));
    if (sp__msh_take(r, "$PhysicalNames")) return read_names(r);
    if (r->version == 4 && sp__msh_take(r, "$Entities")) return sp__msh_entities(r, false);
    if (r->version == 4 && sp__msh_take(r, "$PartitionedEntities")) return sp__msh_entities(r, true);
    if (sp__msh_take(r, "$Nodes")) return read_nodes(r);
    if (sp__msh_take(r, "$Elements")) return read_elements(r);
    if (sp__msh_take(r, "$NodeData")) return sp__msh_data(r, false);
    if (sp__msh_take(r, "$ElementData")) return sp__msh_data(r, true);
    return skip_section(r);
}

static sp_status read_msh(sp_cells *cells, const char *text, size_t size, const char *path) {
    (void)path;
    sp_msh r = {.cells = cells, .keep = &cells->keep, .begin = text, .at = text, .end = text + size, .line = 1, .word = 8};
    for (sp__msh_space(&r); r.at < r.end; sp__msh_space(&r)) SP_TRY(read_section(&r));
    if (!r.has_format) return SP_MSH_FAIL(&r, "not a Gmsh file: it is empty");
    if (!r.has_nodes) return SP_MSH_FAIL(&r, "no $Nodes");
    if (!r.has_elements) return SP_MSH_FAIL(&r, "no $Elements");
    return sp__msh_groups(&r);
}

static bool knows_msh(const char *head, size_t size) {
    size_t at = strspn(head, " \t\r\n");
    return at < size && strncmp(head + at, "$MeshFormat", 11) == 0;
}

const sp_mesh_format sp__format_msh = {"msh", ".msh .msh4", "Gmsh 4.1", knows_msh, read_msh, sp__msh_write4};
const sp_mesh_format sp__format_msh2 = {"msh2", ".msh2", "Gmsh 2.2", NULL, read_msh, sp__msh_write2};
