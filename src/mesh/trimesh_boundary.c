// The boundary of a mesh as a surface: nodes renumbered without gaps in ascending order, with the groups and arrays of the mesh.
#include "mesh/trimesh.h"

typedef struct boundary {
    const sp_mesh *mesh;
    int *vertex_of;  // per node of the mesh: its vertex, or -1
    int vertex_count;
    double *x, *node;  // per vertex: position, node of the mesh
    int *faces;
    sp_attributes with;
    int *items;           // of all groups, concatenated
    double *values;       // of all arrays
    unsigned char *mark;  // elements of a group
} boundary;

static void number_vertices(boundary *b) {
    const sp_mesh *m = b->mesh;
    for (int i = 0; i < m->node_count; i++) b->vertex_of[i] = -1;
    for (size_t i = 0; i < 3 * (size_t)m->face_count; i++) b->vertex_of[m->faces[i]] = 0;
    for (int i = 0; i < m->node_count; i++)
        if (b->vertex_of[i] == 0) b->vertex_of[i] = b->vertex_count++;
}

static void fill_shape(boundary *b) {
    const sp_mesh *m = b->mesh;
    for (int i = 0; i < m->node_count; i++) {
        if (b->vertex_of[i] < 0) continue;
        memcpy(b->x + 3 * (size_t)b->vertex_of[i], m->x + 3 * (size_t)i, 3 * sizeof *b->x);
        b->node[b->vertex_of[i]] = i;
    }
    for (size_t i = 0; i < 3 * (size_t)m->face_count; i++) b->faces[i] = b->vertex_of[m->faces[i]];
}

// the nodes of the group on the boundary and the faces of its elements; returns the number of items
static size_t fill_group(boundary *b, const sp_mesh_group *from, int *items) {
    const sp_mesh *m = b->mesh;
    sp_mesh_group to = {.name = from->name, .nodes = items};
    for (int i = 0; i < from->node_count; i++)
        if (b->vertex_of[from->nodes[i]] >= 0) items[to.node_count++] = b->vertex_of[from->nodes[i]];
    int *elements = items + to.node_count;
    to.elements = elements;
    for (int i = 0; i < from->element_count; i++) b->mark[from->elements[i]] = 1;
    for (int f = 0; f < m->face_count && from->element_count > 0; f++)
        if (b->mark[m->face_tet[f]]) elements[to.element_count++] = f;
    for (int i = 0; i < from->element_count; i++) b->mark[from->elements[i]] = 0;
    if (to.node_count + to.element_count > 0) b->with.groups[b->with.group_count++] = to;
    return (size_t)to.node_count + (size_t)to.element_count;
}

static size_t fill_array(boundary *b, const sp_mesh_array *from, double *values) {
    const sp_mesh *m = b->mesh;
    if (strcmp(from->name, "node") == 0) return 0;
    size_t n = (size_t)(from->on_elements ? m->face_count : b->vertex_count);
    for (size_t i = 0; i < n; i++) values[i] = from->values[from->on_elements ? m->face_tet[i] : (int)b->node[i]];
    b->with.arrays[b->with.array_count++] = (sp_mesh_array){from->name, values, from->on_elements};
    return n;
}

static bool allocate(boundary *b) {
    const sp_mesh *m = b->mesh;
    sp_context *ctx = m->ctx;
    size_t items = 0, values = 0;
    for (int g = 0; g < m->with.group_count; g++)
        items += (size_t)m->with.groups[g].node_count + (m->with.groups[g].element_count ? (size_t)m->face_count : 0);
    for (int a = 0; a < m->with.array_count; a++)
        values += (size_t)(m->with.arrays[a].on_elements ? m->face_count : b->vertex_count);
    return SP_NEW(ctx, b->x, 3 * (size_t)b->vertex_count) && SP_NEW(ctx, b->node, b->vertex_count) &&
           SP_NEW(ctx, b->faces, 3 * (size_t)m->face_count) && SP_NEW(ctx, b->mark, m->tet_count) &&
           SP_NEW(ctx, b->items, items) && SP_NEW(ctx, b->values, values) && SP_NEW(ctx, b->with.groups, m->with.group_count) &&
           SP_NEW(ctx, b->with.arrays, m->with.array_count + 1);
}

static sp_status finish(boundary *b, sp_trimesh **out) {
    const sp_mesh *m = b->mesh;
    fill_shape(b);
    int *items = b->items;
    double *values = b->values;
    for (int g = 0; g < m->with.group_count; g++) items += fill_group(b, &m->with.groups[g], items);
    b->with.arrays[b->with.array_count++] = (sp_mesh_array){"node", b->node, false};
    for (int a = 0; a < m->with.array_count; a++) values += fill_array(b, &m->with.arrays[a], values);
    sp_trimesh_def def = sp_trimesh_def_default();
    def.vertex_count = b->vertex_count, def.positions = b->x;
    def.face_count = m->face_count, def.faces = b->faces;
    def.groups = b->with.groups, def.group_count = b->with.group_count;
    def.arrays = b->with.arrays, def.array_count = b->with.array_count;
    return sp_trimesh_create(m->ctx, &def, out);
}

sp_status sp_mesh_boundary(const sp_mesh *mesh, sp_trimesh **out) {
    sp_context *ctx = mesh->ctx;
    boundary b = {.mesh = mesh};
    sp_status status = SP_NO_MEMORY;
    *out = NULL;
    if (SP_NEW(ctx, b.vertex_of, mesh->node_count)) {
        number_vertices(&b);
        if (allocate(&b)) status = finish(&b, out);
    }
    if (status == SP_NO_MEMORY) SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a boundary of %d triangles", mesh->face_count);
    void *owned[] = {b.vertex_of, b.x, b.node, b.faces, b.mark, b.items, b.values, b.with.groups, b.with.arrays};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sp__free(ctx, owned[i]);
    return status;
}
