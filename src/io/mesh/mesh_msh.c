// Gmsh .msh 2.2, ASCII: tetrahedra, physical groups and scalar data, in one pass over the file in memory. Counts are believed
// only as far as the bytes left could hold them. Points, lines and faces feed the nodes of groups; nodes of no tetrahedron are
// left out. Format: Gmsh reference manual, "MSH file format version 2".
#include "io/mesh/mesh_msh.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "souple/io.h"

sp_status sp__msh_fail(sp_msh *r, int source_line, const char *format, ...) {
    char text[320];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return sp__fail(&r->ctx->error, SP_BAD_INPUT, __FILE__, source_line, "%s:%d: %s", r->file, r->line, text);
}

static sp_status no_memory(sp_msh *r) {
    return SP_FAIL(r->ctx, SP_NO_MEMORY, "%s: no memory for the mesh", r->file);
}

// ------------------------------------------------------------------------------------------------ tokens

void sp__msh_space(sp_msh *r) {
    for (; r->at < r->end; r->at++) {
        char c = *r->at;
        if (c == '\n')
            r->line++;
        else if (c != ' ' && c != '\t' && c != '\r')
            return;
    }
}

static void skip_line(sp_msh *r) {
    const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->at = newline ? newline : r->end;
}

// the token at hand, shortened for a message
static const char *shown(const sp_msh *r, char out[32]) {
    int n = 0;
    for (const char *p = r->at; p < r->end && n < 28 && (unsigned char)*p > ' '; p++) out[n++] = (*p < 127) ? *p : '?';
    out[n] = 0;
    return n ? out : "the end of the file";
}

static bool token_ends(const sp_msh *r, const char *p) {
    return p && (p >= r->end || *p == ' ' || *p == '\n' || *p == '\r' || *p == '\t');
}

sp_status sp__msh_number(sp_msh *r, const char *what, double *out) {
    char seen[32];
    sp__msh_space(r);
    const char *p = sp__scan_double(r->at, out);
    if (!token_ends(r, p)) return SP_MSH_FAIL(r, "%s: a finite number is needed, seen %s", what, shown(r, seen));
    r->at = p;
    return SP_OK;
}

sp_status sp__msh_integer(sp_msh *r, const char *what, int64_t low, int64_t high, int64_t *out) {
    char seen[32];
    sp__msh_space(r);
    const char *p = sp__scan_int64(r->at, out);
    if (!token_ends(r, p)) return SP_MSH_FAIL(r, "%s: an integer is needed, seen %s", what, shown(r, seen));
    if (*out < low || *out > high)
        return SP_MSH_FAIL(r, "%s = %lld, must be in [%lld, %lld]", what, (long long)*out, (long long)low, (long long)high);
    r->at = p;
    return SP_OK;
}

sp_status sp__msh_text(sp_msh *r, char *out, size_t size) {
    char seen[32];
    sp__msh_space(r);
    if (r->at >= r->end || *r->at != '"') return SP_MSH_FAIL(r, "a text in quotes is needed, seen %s", shown(r, seen));
    const char *start = ++r->at;
    while (r->at < r->end && *r->at != '"' && *r->at != '\n') r->at++;
    if (r->at >= r->end || *r->at != '"') return SP_MSH_FAIL(r, "a text without its closing quote");
    size_t n = (size_t)(r->at - start);
    if (n == 0 || n >= size) return SP_MSH_FAIL(r, "a name of %zu characters, must have 1 to %zu", n, size - 1);
    memcpy(out, start, n);
    out[n] = 0;
    r->at++;
    return SP_OK;
}

static bool take_word(sp_msh *r, const char *word) {
    size_t n = strlen(word);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0 || !token_ends(r, r->at + n)) return false;
    r->at += n;
    return true;
}

sp_status sp__msh_end(sp_msh *r, const char *word) {
    char seen[32];
    sp__msh_space(r);
    if (take_word(r, word)) return SP_OK;
    return SP_MSH_FAIL(r, "%s is needed here, seen %s", word, shown(r, seen));
}

// a count of things that take at least `bytes` each: no more than the rest of the file could hold
static sp_status read_count(sp_msh *r, const char *what, int bytes, int *out) {
    int64_t value;
    SP_TRY(sp__msh_integer(r, what, 0, INT_MAX, &value));
    int64_t most = (r->end - r->at) / bytes + 1;
    if (value > most)
        return SP_MSH_FAIL(r, "%s = %lld, but the rest of the file has room for %lld at most", what, (long long)value,
                           (long long)most);
    *out = (int)value;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ numbers of the file

static int by_number(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static sp_status ids_sorted(sp_msh *r, const int64_t *ids, int count, const char *what, sp_msh_ids *out) {
    if (!SP_KEEP(&r->keep, out->sorted, 2 * (size_t)count)) return no_memory(r);
    for (int i = 0; i < count; i++) out->sorted[2 * i] = ids[i], out->sorted[2 * i + 1] = i;
    qsort(out->sorted, (size_t)count, 2 * sizeof *out->sorted, by_number);
    for (int i = 1; i < count; i++)
        if (out->sorted[2 * i] == out->sorted[2 * i - 2])
            return SP_MSH_FAIL(r, "%s %lld appears twice", what, (long long)out->sorted[2 * i]);
    return SP_OK;
}

static sp_status ids_index(sp_msh *r, const int64_t *ids, int count, const char *what, sp_msh_ids *out) {
    out->count = count;
    out->low = INT64_MAX, out->high = INT64_MIN;
    for (int i = 0; i < count; i++) {
        if (ids[i] < out->low) out->low = ids[i];
        if (ids[i] > out->high) out->high = ids[i];
    }
    if (count == 0) return SP_OK;
    uint64_t span = (uint64_t)out->high - (uint64_t)out->low;
    if (span > 8 * (uint64_t)count + 1024) return ids_sorted(r, ids, count, what, out);
    if (!SP_KEEP(&r->keep, out->table, span + 1)) return no_memory(r);
    for (int i = 0; i < count; i++) {
        int *place = &out->table[ids[i] - out->low];
        if (*place) return SP_MSH_FAIL(r, "%s %lld appears twice", what, (long long)ids[i]);
        *place = i + 1;
    }
    return SP_OK;
}

int sp__msh_place(const sp_msh_ids *ids, int64_t id) {
    if (!ids->count || id < ids->low || id > ids->high) return -1;
    if (ids->table) return ids->table[id - ids->low] - 1;
    const int64_t *hit = bsearch(&id, ids->sorted, (size_t)ids->count, 2 * sizeof *ids->sorted, by_number);
    return hit ? (int)hit[1] : -1;
}

// ------------------------------------------------------------------------------------------------ sections

static sp_status read_format(sp_msh *r) {
    double version;
    int64_t binary, size;
    SP_TRY(sp__msh_number(r, "version of the format", &version));
    if (!(version >= 2 && version < 3))
        return SP_MSH_FAIL(r, "format version %g, only 2.2 can be read: save it with `gmsh -save -format msh22`", version);
    SP_TRY(sp__msh_integer(r, "type of the file", 0, 1, &binary));
    if (binary) return SP_MSH_FAIL(r, "a binary file, only text can be read: save it again without `-bin`");
    SP_TRY(sp__msh_integer(r, "bytes of a number", 1, 16, &size));
    r->has_format = true;
    return sp__msh_end(r, "$EndMeshFormat");
}

static sp_status read_names(sp_msh *r) {
    int count;
    if (r->names) return SP_MSH_FAIL(r, "$PhysicalNames appears twice");
    SP_TRY(read_count(r, "count of physical names", 7, &count));
    if (!SP_KEEP(&r->keep, r->names, count)) return no_memory(r);
    for (int i = 0; i < count; i++) {
        int64_t dimension, number;
        char text[256];
        SP_TRY(sp__msh_integer(r, "dimension of a physical name", 0, 3, &dimension));
        SP_TRY(sp__msh_integer(r, "number of a physical name", INT32_MIN, INT32_MAX, &number));
        SP_TRY(sp__msh_text(r, text, sizeof text));
        char *name = sp__keep_text(&r->keep, text);
        if (!name) return no_memory(r);
        r->names[r->name_count++] = (sp_msh_name){sp__msh_key((int)dimension, number), name};
    }
    return sp__msh_end(r, "$EndPhysicalNames");
}

static sp_status read_nodes(sp_msh *r) {
    int count;
    if (r->has_nodes) return SP_MSH_FAIL(r, "$Nodes appears twice");
    SP_TRY(read_count(r, "count of nodes", 8, &count));
    if (!SP_KEEP(&r->keep, r->node_ids, count) || !SP_KEEP(&r->keep, r->positions, 3 * (size_t)count)) return no_memory(r);
    for (int i = 0; i < count; i++) {
        SP_TRY(sp__msh_integer(r, "number of a node", 0, INT64_MAX / 4, &r->node_ids[i]));
        for (int k = 0; k < 3; k++) SP_TRY(sp__msh_number(r, "coordinate", &r->positions[3 * (size_t)i + k]));
    }
    r->node_count = count;
    r->has_nodes = true;
    SP_TRY(sp__msh_end(r, "$EndNodes"));
    return ids_index(r, r->node_ids, count, "node", &r->node_places);
}

static const struct { int type, nodes, dimension; } known_types[] = {{15, 1, 0}, {1, 2, 1}, {2, 3, 2}, {3, 4, 2}, {4, 4, 3}};

static int type_index(int64_t type) {
    for (int i = 0; i < 5; i++)
        if (known_types[i].type == type) return i;
    return -1;
}

static sp_status read_element(sp_msh *r, int *ignored) {
    int64_t id, type, tags, tag, number = 0;
    int nodes[4] = {-1, -1, -1, -1};
    SP_TRY(sp__msh_integer(r, "number of an element", 0, INT64_MAX / 4, &id));
    SP_TRY(sp__msh_integer(r, "type of an element", 1, 255, &type));
    int known = type_index(type);
    if (known < 0) {
        ignored[type]++;
        skip_line(r);
        return SP_OK;
    }
    SP_TRY(sp__msh_integer(r, "count of tags", 0, 64, &tags));
    for (int64_t i = 0; i < tags; i++) {
        SP_TRY(sp__msh_integer(r, "tag", INT32_MIN, INT32_MAX, &tag));
        if (i == 0) number = tag;
    }
    for (int i = 0; i < known_types[known].nodes; i++) {
        int64_t node;
        SP_TRY(sp__msh_integer(r, "node of an element", 0, INT64_MAX / 4, &node));
        nodes[i] = sp__msh_place(&r->node_places, node);
        if (nodes[i] < 0)
            return SP_MSH_FAIL(r, "element %lld has node %lld, which $Nodes does not have", (long long)id, (long long)node);
    }
    bool tet = known_types[known].dimension == 3;
    if (number) {
        sp_msh_member *member = &r->members[r->member_count++];
        *member = (sp_msh_member){sp__msh_key(known_types[known].dimension, number), tet ? r->tet_count : -1, {-1, -1, -1, -1}};
        memcpy(member->nodes, nodes, sizeof nodes);
    }
    if (tet) {
        memcpy(r->tets + 4 * (size_t)r->tet_count, nodes, sizeof nodes);
        r->tet_ids[r->tet_count++] = id;
    }
    return SP_OK;
}

static sp_status read_elements(sp_msh *r) {
    int count, ignored[256] = {0};
    if (!r->has_nodes) return SP_MSH_FAIL(r, "$Elements before $Nodes");
    if (r->has_elements) return SP_MSH_FAIL(r, "$Elements appears twice");
    SP_TRY(read_count(r, "count of elements", 6, &count));
    if (!SP_KEEP(&r->keep, r->tets, 4 * (size_t)count) || !SP_KEEP(&r->keep, r->tet_ids, count) ||
        !SP_KEEP(&r->keep, r->members, count))
        return no_memory(r);
    for (int i = 0; i < count; i++) SP_TRY(read_element(r, ignored));
    r->has_elements = true;
    for (int type = 0; type < 256; type++)
        if (ignored[type])
            sp__log(r->ctx, SP_LOG_WARNING, "%s: %d elements of type %d left out: only linear tetrahedra make a body", r->file,
                    ignored[type], type);
    SP_TRY(sp__msh_end(r, "$EndElements"));
    return ids_index(r, r->tet_ids, r->tet_count, "element", &r->tet_places);
}

// a section that nothing here needs
static sp_status skip_section(sp_msh *r) {
    char name[64], closing[80];
    int n = 0;
    for (r->at++; r->at < r->end && (unsigned char)*r->at > ' ' && n < 60; r->at++) name[n++] = *r->at;
    name[n] = 0;
    snprintf(closing, sizeof closing, "$End%s", name);
    int opened = r->line;
    while (sp__msh_space(r), r->at < r->end) {
        if (*r->at == '$' && take_word(r, closing)) return SP_OK;
        skip_line(r);
    }
    r->line = opened;
    return SP_MSH_FAIL(r, "section $%s is never closed", name);
}

static sp_status read_section(sp_msh *r) {
    char seen[32];
    if (*r->at != '$') return SP_MSH_FAIL(r, "a section ($Nodes, ...) is needed here, seen %s", shown(r, seen));
    if (take_word(r, "$MeshFormat")) return read_format(r);
    if (!r->has_format) return SP_MSH_FAIL(r, "not a Gmsh file: it must begin with $MeshFormat, seen %s", shown(r, seen));
    if (take_word(r, "$PhysicalNames")) return read_names(r);
    if (take_word(r, "$Nodes")) return read_nodes(r);
    if (take_word(r, "$Elements")) return read_elements(r);
    if (take_word(r, "$NodeData")) return sp__msh_data(r, false);
    if (take_word(r, "$ElementData")) return sp__msh_data(r, true);
    return skip_section(r);
}

// ------------------------------------------------------------------------------------------------ the mesh

// new numbers for the nodes that tetrahedra use; returns how many, or -1: no memory
static int renumber_nodes(sp_msh *r, int **out) {
    int *renumber, used = 0;
    if (!SP_KEEP(&r->keep, renumber, r->node_count)) return -1;
    for (size_t i = 0; i < 4 * (size_t)r->tet_count; i++) renumber[r->tets[i]] = 1;
    for (int i = 0; i < r->node_count; i++) {
        if (!renumber[i]) {
            renumber[i] = -1;
            continue;
        }
        r->node_ids[used] = r->node_ids[i];
        memmove(r->positions + 3 * (size_t)used, r->positions + 3 * (size_t)i, 3 * sizeof(double));
        renumber[i] = used++;
    }
    for (size_t i = 0; i < 4 * (size_t)r->tet_count; i++) r->tets[i] = renumber[r->tets[i]];
    for (int a = 0; a < r->array_count; a++) {
        double *values = (double *)r->arrays[a].values;
        for (int i = 0; !r->arrays[a].on_elements && i < r->node_count; i++)
            if (renumber[i] >= 0) values[renumber[i]] = values[i];
    }
    *out = renumber;
    return used;
}

static sp_status make_mesh(sp_msh *r, sp_mesh **out) {
    int *renumber, node_count, group_count;
    sp_mesh_group *groups;
    if (!r->has_format) return SP_MSH_FAIL(r, "not a Gmsh file: it is empty");
    if (!r->has_nodes) return SP_MSH_FAIL(r, "no $Nodes");
    if (!r->has_elements) return SP_MSH_FAIL(r, "no $Elements");
    if (!r->tet_count) return SP_MSH_FAIL(r, "no linear tetrahedra (type 4) among its elements");
    if ((node_count = renumber_nodes(r, &renumber)) < 0) return no_memory(r);
    if (node_count < r->node_count)
        sp__log(r->ctx, SP_LOG_INFO, "%s: %d nodes of no tetrahedron left out", r->file, r->node_count - node_count);
    SP_TRY(sp__msh_groups(r, renumber, &groups, &group_count));
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = node_count;
    def.positions = r->positions;
    def.node_ids = r->node_ids;
    def.tet_count = r->tet_count;
    def.tets = r->tets;
    def.tet_ids = r->tet_ids;
    def.groups = groups;
    def.group_count = group_count;
    def.arrays = r->arrays;
    def.array_count = r->array_count;
    sp_status status = sp_mesh_create(r->ctx, &def, out);
    if (status >= 0) return status;
    char reason[320];
    snprintf(reason, sizeof reason, "%.300s", r->ctx->error.message);
    return SP_FAIL(r->ctx, status, "%s: %s", r->file, reason);
}

sp_status sp_mesh_read(sp_context *context, const char *path, sp_mesh **out) {
    char *text;
    size_t size;
    *out = NULL;
    SP_TRY(sp__text_read(context, path, 0, &text, &size));
    sp_msh r = {.ctx = context, .file = path, .at = text, .end = text + size, .line = 1, .keep = {context, NULL}};
    sp_status status = SP_OK;
    for (sp__msh_space(&r); status >= 0 && r.at < r.end; sp__msh_space(&r)) status = read_section(&r);
    if (status >= 0) status = make_mesh(&r, out);
    sp__keep_free(&r.keep);
    sp__free(context, text);
    return status;
}
