// Creation and read access of triangle surfaces. Numbers are checked (range, finiteness), shapes are not: the examination reports
// defects of a surface, and a user must be able to inspect a bad one.
#include "mesh/trimesh.h"

#include "math/vec3.h"

// ====================================================================================================== creation

sp_trimesh_def sp_trimesh_def_default(void) {
    return (sp_trimesh_def){.cookie = SP_COOKIE_TRIMESH};
}

static sp_status no_memory(sp_context *ctx) {
    return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a surface");
}

static sp_status check_counts(sp_context *ctx, const sp_trimesh_def *def) {
    if (def->cookie != SP_COOKIE_TRIMESH)
        return SP_FAIL(ctx, SP_BAD_INPUT, "the surface definition did not start from sp_trimesh_def_default()");
    if (def->vertex_count < 1 || def->vertex_count > SP_NODES_MAX)
        return SP_FAIL(ctx, SP_BAD_INPUT, "vertex_count = %d, must be in [1, %d]", def->vertex_count, SP_NODES_MAX);
    if (def->face_count < 1 || def->face_count > SP_TETS_MAX)
        return SP_FAIL(ctx, SP_BAD_INPUT, "face_count = %d, must be in [1, %d]", def->face_count, SP_TETS_MAX);
    if (!def->positions || !def->faces) return SP_FAIL(ctx, SP_BAD_INPUT, "positions and faces must be given");
    return SP_OK;
}

// copies n rows of `width` finite numbers in [low, high]; NULL stays NULL
static sp_status take_numbers(sp_context *ctx, const char *what, const double *from, int n, int width, double low, double high,
                              const double **out) {
    double *copy;
    if (!from) return SP_OK;
    for (size_t i = 0; i < (size_t)n * (size_t)width; i++) {
        if (isfinite(from[i]) && from[i] >= low && from[i] <= high) continue;
        sp_status bad = isfinite(from[i]) ? SP_BAD_INPUT : SP_NOT_FINITE;
        if (low > -INFINITY)
            return SP_FAIL(ctx, bad, "%s %zu has a value of %g, must be in [%g, %g]", what, i / (size_t)width, from[i], low,
                           high);
        return SP_FAIL(ctx, bad, "%s %zu has a value of %g, must be finite", what, i / (size_t)width, from[i]);
    }
    if (!SP_NEW(ctx, copy, (size_t)n * (size_t)width)) return no_memory(ctx);
    memcpy(copy, from, (size_t)n * (size_t)width * sizeof *copy);
    *out = copy;
    return SP_OK;
}

// copies three indices per face, from `least` to below `limit`; NULL stays NULL
static sp_status take_corners(sp_trimesh *s, const char *what, const int *from, int least, int limit, const int **out) {
    sp_context *ctx = s->ctx;
    size_t n = 3 * (size_t)s->def.face_count;
    int *copy;
    if (!from) return SP_OK;
    for (size_t i = 0; i < n; i++)
        if (from[i] < least || from[i] >= limit)
            return SP_FAIL(ctx, SP_BAD_INPUT, "triangle %zu names %s index %d, must be in [%d, %d]", i / 3, what, from[i], least,
                           limit - 1);
    if (!SP_NEW(ctx, copy, n)) return no_memory(ctx);
    memcpy(copy, from, n * sizeof *copy);
    *out = copy;
    return SP_OK;
}

// texture coordinates or normals: a list of their own, and an index into it at each corner
static sp_status take_channel(sp_trimesh *s, const char *what, int count, int width, const double *values, const int *corners,
                              const double **out_values, const int **out_corners) {
    if (!values && (count != 0 || corners)) return SP_FAIL(s->ctx, SP_BAD_INPUT, "%d %ss, but none given", count, what);
    if (count < 0 || count > 3 * SP_TETS_MAX)
        return SP_FAIL(s->ctx, SP_BAD_INPUT, "%d %ss, must be in [0, %d]", count, what, 3 * SP_TETS_MAX);
    if (values && !corners && count < s->def.vertex_count)
        return SP_FAIL(s->ctx, SP_BAD_INPUT, "%d %ss without numbers at the corners, must be one per vertex: %d", count, what,
                       s->def.vertex_count);
    SP_TRY(take_numbers(s->ctx, what, values, count, width, -INFINITY, INFINITY, out_values));
    return take_corners(s, what, corners, -1, count, out_corners);
}

static sp_status trimesh_fill(sp_trimesh *s, const sp_trimesh_def *from) {
    sp_trimesh_def *to = &s->def;
    to->vertex_count = from->vertex_count, to->face_count = from->face_count;
    to->texcoord_count = from->texcoord_count, to->normal_count = from->normal_count;
    SP_TRY(take_numbers(s->ctx, "vertex", from->positions, from->vertex_count, 3, -INFINITY, INFINITY, &to->positions));
    SP_TRY(take_corners(s, "vertex", from->faces, 0, from->vertex_count, &to->faces));
    SP_TRY(take_channel(s, "texture coordinate", from->texcoord_count, 2, from->texcoords, from->face_texcoords, &to->texcoords,
                        &to->face_texcoords));
    SP_TRY(take_channel(s, "normal", from->normal_count, 3, from->normals, from->face_normals, &to->normals, &to->face_normals));
    SP_TRY(take_numbers(s->ctx, "colour of vertex", from->colors, from->vertex_count, 4, 0, 1, &to->colors));
    const sp_attributes given = {(sp_mesh_group *)from->groups, (sp_mesh_array *)from->arrays, from->group_count,
                                 from->array_count};
    SP_TRY(sp__attributes_take(s->ctx, &given, from->vertex_count, from->face_count, &s->with));
    to->groups = s->with.groups, to->group_count = s->with.group_count;
    to->arrays = s->with.arrays, to->array_count = s->with.array_count;
    return SP_OK;
}

sp_status sp_trimesh_create(sp_context *context, const sp_trimesh_def *def, sp_trimesh **out) {
    *out = NULL;
    SP_TRY(check_counts(context, def));
    sp_trimesh *s;
    if (!SP_NEW(context, s, 1)) return no_memory(context);
    s->ctx = context;
    s->def = sp_trimesh_def_default();
    sp_status status = trimesh_fill(s, def);
    if (status < 0)
        sp_trimesh_destroy(&s);
    else
        *out = s;
    return status;
}

void sp_trimesh_destroy(sp_trimesh **handle) {
    if (!handle || !*handle) return;
    sp_trimesh *s = *handle;
    sp_context *ctx = s->ctx;
    const sp_trimesh_def *d = &s->def;
    *handle = NULL;
    sp__attributes_free(ctx, &s->with);
    const void *owned[] = {d->positions, d->faces, d->texcoords, d->face_texcoords, d->normals, d->face_normals, d->colors, s};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sp__free(ctx, (void *)owned[i]);
}

void sp_trimesh_get(const sp_trimesh *surface, sp_trimesh_def *out) {
    *out = surface->def;
}

sp_context *sp_trimesh_context(const sp_trimesh *surface) {
    return surface->ctx;
}

// ======================================================================================== the boundary of a mesh

// The boundary of a mesh as a surface: nodes renumbered without gaps in ascending order, with the groups and arrays of the mesh.

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
        if (b->mark[m->face_element[f]]) elements[to.element_count++] = f;
    for (int i = 0; i < from->element_count; i++) b->mark[from->elements[i]] = 0;
    if (to.node_count + to.element_count > 0) b->with.groups[b->with.group_count++] = to;
    return (size_t)to.node_count + (size_t)to.element_count;
}

static size_t fill_array(boundary *b, const sp_mesh_array *from, double *values) {
    const sp_mesh *m = b->mesh;
    if (strcmp(from->name, "node") == 0) return 0;
    size_t n = (size_t)(from->on_elements ? m->face_count : b->vertex_count);
    for (size_t i = 0; i < n; i++) values[i] = from->values[from->on_elements ? m->face_element[i] : (int)b->node[i]];
    b->with.arrays[b->with.array_count++] = (sp_mesh_array){from->name, values, from->on_elements};
    return n;
}

static bool boundary_allocate(boundary *b) {
    const sp_mesh *m = b->mesh;
    sp_context *ctx = m->ctx;
    size_t items = 0, values = 0;
    for (int g = 0; g < m->with.group_count; g++)
        items += (size_t)m->with.groups[g].node_count + (m->with.groups[g].element_count ? (size_t)m->face_count : 0);
    for (int a = 0; a < m->with.array_count; a++)
        values += (size_t)(m->with.arrays[a].on_elements ? m->face_count : b->vertex_count);
    return SP_NEW(ctx, b->x, 3 * (size_t)b->vertex_count) && SP_NEW(ctx, b->node, b->vertex_count) &&
           SP_NEW(ctx, b->faces, 3 * (size_t)m->face_count) && SP_NEW(ctx, b->mark, m->element_count) &&
           SP_NEW(ctx, b->items, items) && SP_NEW(ctx, b->values, values) && SP_NEW(ctx, b->with.groups, m->with.group_count) &&
           SP_NEW(ctx, b->with.arrays, m->with.array_count + 1);
}

static sp_status boundary_finish(boundary *b, sp_trimesh **out) {
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
        if (boundary_allocate(&b)) status = boundary_finish(&b, out);
    }
    if (status == SP_NO_MEMORY) SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a boundary of %d triangles", mesh->face_count);
    void *owned[] = {b.vertex_of, b.x, b.node, b.faces, b.mark, b.items, b.values, b.with.groups, b.with.arrays};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sp__free(ctx, owned[i]);
    return status;
}
