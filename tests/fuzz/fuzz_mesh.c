// Any bytes as a mesh file of any format: a format recognised by content, or each of those recognised by name. Checked: cells or
// a message; every number of the cells, of the mesh and of the surface is in range; nothing leaks.
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "io/mesh/cells.h"

static char stem[64];

static void forget_points(void) {
    char path[80];
    snprintf(path, sizeof path, "%s.node", stem);
    unlink(path);
}

// TetGen's elements and faces need a file of points next to them: one file per process
static void write_points(void) {
    if (stem[0]) return;
    char path[80];
    snprintf(stem, sizeof stem, "fuzz-%ld", (long)getpid());
    snprintf(path, sizeof path, "%s.node", stem);
    FILE *f = fopen(path, "wb");
    if (!f) return;
    fputs("8 3 0 0\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n", f);
    fclose(f);
    atexit(forget_points);
}

static void check_group(const int *list, int count, int limit) {
    FUZZ_PROMISE(count >= 0 && (count == 0 || list));
    for (int i = 0; i < count; i++) FUZZ_PROMISE(list[i] >= 0 && list[i] < limit);
}

static void check_corners(const int *list, int64_t count, int limit) {
    for (int64_t i = 0; list && i < count; i++) FUZZ_PROMISE(list[i] >= -1 && list[i] < limit);
}

static void check_cells(const sp_cells *c) {
    FUZZ_PROMISE(c->start && c->start[0] == 0);
    for (int i = 0; i < 3 * c->node_count; i++) FUZZ_PROMISE(isfinite(c->x[i]));
    for (int i = 0; i < c->cell_count; i++) {
        FUZZ_PROMISE(c->type[i] <= SP_CELL_OTHER && c->start[i + 1] >= c->start[i]);
        int nodes = sp__cell_nodes(c->type[i]);
        FUZZ_PROMISE(!nodes || c->start[i + 1] - c->start[i] == nodes);
    }
    for (int64_t k = 0; k < c->start[c->cell_count]; k++) FUZZ_PROMISE(c->nodes[k] >= 0 && c->nodes[k] < c->node_count);
    for (int g = 0; g < c->group_count; g++) {
        FUZZ_PROMISE(c->groups[g].name && c->groups[g].dimension >= -1 && c->groups[g].dimension <= 3);
        check_group(c->groups[g].cells, c->groups[g].cell_count, c->cell_count);
        check_group(c->groups[g].nodes, c->groups[g].node_count, c->node_count);
    }
    for (int a = 0; a < c->array_count; a++)
        FUZZ_PROMISE(c->arrays[a].name && c->arrays[a].components >= 1 && c->arrays[a].components <= 9);
    check_corners(c->corner_texcoords, c->start[c->cell_count], c->texcoord_count);
    check_corners(c->corner_normals, c->start[c->cell_count], c->normal_count);
}

static void check_mesh(const sp_mesh *mesh) {
    int nn = sp_mesh_node_count(mesh), nt = sp_mesh_element_count(mesh);
    for (int e = 0; e < nt; e++) {
        const int *nodes;
        double parts[SP_ELEMENT_NODES_MAX], volume = 0;
        sp_element_type type = sp_mesh_element(mesh, e, &nodes);
        sp_mesh_element_integrals(mesh, e, parts);
        FUZZ_PROMISE(sp_element_nodes(type) >= 4 && (type == SP_ELEMENT_TET4 || !sp_mesh_tets(mesh)));
        for (int k = 0; k < sp_element_nodes(type); k++) {
            FUZZ_PROMISE(nodes[k] >= 0 && nodes[k] < nn);
            volume += parts[k];
        }
        FUZZ_PROMISE(volume > 0);
    }
    for (int i = 0; i < 3 * nn; i++) FUZZ_PROMISE(isfinite(sp_mesh_positions(mesh)[i]));
    for (int g = 0; g < sp_mesh_group_count(mesh); g++) {
        sp_mesh_group group;
        FUZZ_PROMISE(sp_mesh_group_at(mesh, g, &group) == SP_OK);
        check_group(group.elements, group.element_count, nt);
        check_group(group.nodes, group.node_count, nn);
    }
}

static void check_surface(const sp_trimesh *surface) {
    sp_trimesh_def def;
    sp_trimesh_get(surface, &def);
    check_group(def.faces, 3 * def.face_count, def.vertex_count);
    for (int i = 0; i < 3 * def.vertex_count; i++) FUZZ_PROMISE(isfinite(def.positions[i]));
}

// returns whether a format accepted it
static bool try_name(const char *text, size_t size, const char *name) {
    sp_context *context = fuzz_context();
    sp_cells cells;
    sp_mesh *mesh = NULL;
    sp_trimesh *surface = NULL;
    sp_status status = sp__cells_parse(context, text, size, name, &cells);
    FUZZ_PROMISE(status >= 0 || sp_context_error(context)->message[0]);
    bool known = status >= 0 || !strstr(sp_context_error(context)->message, "of no mesh format that is known");
    if (status >= 0) {
        check_cells(&cells);
        FUZZ_PROMISE((sp__cells_to_mesh(&cells, true, &mesh) >= 0) == (mesh != NULL));
        FUZZ_PROMISE(!mesh || sp_mesh_tets(mesh));
        sp_mesh_destroy(&mesh);
        FUZZ_PROMISE((sp__cells_to_mesh(&cells, false, &mesh) >= 0) == (mesh != NULL));
        FUZZ_PROMISE((sp__cells_to_trimesh(&cells, &surface) >= 0) == (surface != NULL));
        if (mesh) check_mesh(mesh);
        if (surface) check_surface(surface);
    }
    sp_mesh_destroy(&mesh);
    sp_trimesh_destroy(&surface);
    sp__cells_free(&cells);
    fuzz_context_done(context);
    return known;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const suffixes[] = {".stl", ".obj", ".ele", ".face", "-alone.node"};
    write_points();
    char *text = malloc(size + 1);  // the readers expect a zero byte at the end
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    text[size] = 0;
    bool known = try_name(text, size, "fuzz");
    for (size_t i = 0; !known && i < sizeof suffixes / sizeof *suffixes; i++) {
        char name[100];
        snprintf(name, sizeof name, "%s%s", stem, suffixes[i]);
        try_name(text, size, name);
    }
    free(text);
    return 0;
}
