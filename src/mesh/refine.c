// Edges of tetrahedra, and the mesh of the child elements. Positions and values of new nodes are means of the two ends of their
// edge.
#include "mesh/refine.h"

#include "mesh/rows.h"

static sp_status no_memory(const sp_mesh *mesh) {
    return SP_FAIL(mesh->ctx, SP_NO_MEMORY, "no memory to refine %d tetrahedra", mesh->tet_count);
}

// ------------------------------------------------------------------------------------------------ edges

static void fill_rows(const sp_mesh *mesh, int *rows) {
    for (int i = 0; i < 6 * mesh->tet_count; i++) {
        const int *tet = mesh->tets + 4 * (size_t)(i / 6);
        int a = tet[sp__tet_edge[i % 6][0]], b = tet[sp__tet_edge[i % 6][1]], *row = rows + 3 * (size_t)i;
        row[0] = a < b ? a : b, row[1] = a < b ? b : a, row[2] = i;
    }
}

static void name_edges(const int *rows, int n, sp_tet_edges *e) {
    for (int i = 0; i < n; i++) {
        const int *row = rows + 3 * (size_t)i;
        if (i == 0 || !sp__rows_equal(row, row - 3, 2)) {
            e->first[e->count] = i;
            e->ends[2 * (size_t)e->count] = row[0], e->ends[2 * (size_t)e->count + 1] = row[1];
            e->count++;
        }
        e->of[row[2]] = e->count - 1;
        e->places[i] = row[2];
    }
    e->first[e->count] = n;
}

sp_status sp__tet_edges_find(const sp_mesh *mesh, sp_tet_edges *out) {
    sp_context *ctx = mesh->ctx;
    *out = (sp_tet_edges){0};
    size_t n = 6 * (size_t)mesh->tet_count;
    int *rows;
    if (!SP_NEW(ctx, rows, 3 * n)) return no_memory(mesh);
    fill_rows(mesh, rows);
    sp_status status = sp__rows_sort(ctx, rows, (int)n, 2, mesh->node_count);
    if (status == SP_OK && SP_NEW(ctx, out->ends, 2 * n) && SP_NEW(ctx, out->of, n) && SP_NEW(ctx, out->first, n + 1) &&
        SP_NEW(ctx, out->places, n))
        name_edges(rows, (int)n, out);
    else if (status == SP_OK)
        status = no_memory(mesh);
    sp__free(ctx, rows);
    return status;
}

void sp__tet_edges_free(sp_context *ctx, sp_tet_edges *e) {
    void *owned[] = {e->ends, e->of, e->first, e->places};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sp__free(ctx, owned[i]);
    *e = (sp_tet_edges){0};
}

int sp__tet_edges_at(const sp_tet_edges *e, int a, int b) {
    int low = 0, high = e->count - 1, least = a < b ? a : b, most = a < b ? b : a;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const int *ends = e->ends + 2 * (size_t)middle;
        if (ends[0] < least || (ends[0] == least && ends[1] < most))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// ------------------------------------------------------------------------------------------------ groups and arrays

typedef struct carrying {
    const sp_refinement *r;
    sp_attributes with;     // names are borrowed
    unsigned char *node;    // mark: in the current group
    unsigned char *born;    // per new node: already in the group
    int *first, *children;  // per parent
} carrying;

static void list_children(carrying *c) {
    const sp_refinement *r = c->r;
    for (int i = 0; i < r->tet_count; i++) c->first[r->parent[i] + 1]++;
    for (int i = 0; i < r->mesh->tet_count; i++) c->first[i + 1] += c->first[i];
    for (int i = 0; i < r->tet_count; i++) c->children[c->first[r->parent[i]]++] = i;
    for (int i = r->mesh->tet_count; i > 0; i--) c->first[i] = c->first[i - 1];
    c->first[0] = 0;
}

static bool all_on_surface(const sp_mesh_group *g, const unsigned char *surface) {
    for (int i = 0; i < g->node_count; i++)
        if (!surface[g->nodes[i]]) return false;
    return true;
}

enum { NOT_BORN, BORN, BORN_PERHAPS };

static void confirm(carrying *c, int child) {
    for (size_t j = 0; j < 4; j++) {
        int node = c->r->tets[4 * (size_t)child + j] - c->r->mesh->node_count;
        if (node >= 0 && c->born[node] == BORN_PERHAPS) c->born[node] = BORN;
    }
}

// A new node belongs to a group if both ends of its edge do and it lies on an element of the group. For a group of nodes alone,
// it must lie on the boundary if all nodes of the group do: across a thin body both ends may be in the group but not the middle.
static void find_born(carrying *c, const sp_mesh_group *g, const unsigned char *surface) {
    const sp_refinement *r = c->r;
    bool outside = g->element_count == 0 && all_on_surface(g, surface);
    for (int i = 0; i < g->node_count; i++) c->node[g->nodes[i]] = 1;
    for (int i = 0; i < r->new_count; i++) {
        c->born[i] = NOT_BORN;
        if (!c->node[r->ends[2 * i]] || !c->node[r->ends[2 * i + 1]]) continue;
        if (g->element_count > 0)
            c->born[i] = BORN_PERHAPS;
        else if (!outside || r->on_surface[i])
            c->born[i] = BORN;
    }
    for (int i = 0; i < g->element_count; i++)
        for (int k = c->first[g->elements[i]]; k < c->first[g->elements[i] + 1]; k++) confirm(c, c->children[k]);
    for (int i = 0; i < g->node_count; i++) c->node[g->nodes[i]] = 0;
}

static sp_status take_group(carrying *c, const sp_mesh_group *g, const unsigned char *surface) {
    const sp_refinement *r = c->r;
    sp_mesh_group *to = &c->with.groups[c->with.group_count++];
    int elements = 0, nodes = g->node_count, *e, *n;
    to->name = g->name;
    for (int i = 0; i < g->element_count; i++) elements += c->first[g->elements[i] + 1] - c->first[g->elements[i]];
    find_born(c, g, surface);
    for (int i = 0; i < r->new_count; i++) nodes += c->born[i] == BORN;
    if (!SP_NEW(r->mesh->ctx, e, elements)) return no_memory(r->mesh);
    to->elements = e;
    if (!SP_NEW(r->mesh->ctx, n, nodes)) return no_memory(r->mesh);
    to->nodes = n;
    for (int i = 0; i < g->element_count; i++)
        for (int k = c->first[g->elements[i]]; k < c->first[g->elements[i] + 1]; k++) e[to->element_count++] = c->children[k];
    for (; to->node_count < g->node_count; to->node_count++) n[to->node_count] = g->nodes[to->node_count];
    for (int i = 0; i < r->new_count; i++)
        if (c->born[i] == BORN) n[to->node_count++] = r->mesh->node_count + i;
    return SP_OK;
}

static void interpolate(const sp_refinement *r, const double *from, size_t width, double *to) {
    size_t old = (size_t)r->mesh->node_count;
    memcpy(to, from, old * width * sizeof *to);
    for (size_t i = 0; i < (size_t)r->new_count; i++) {
        const double *a = from + (size_t)r->ends[2 * i] * width, *b = from + (size_t)r->ends[2 * i + 1] * width;
        for (size_t k = 0; k < width; k++) to[(old + i) * width + k] = 0.5 * a[k] + 0.5 * b[k];
    }
}

static sp_status take_array(carrying *c, const sp_mesh_array *from) {
    const sp_refinement *r = c->r;
    double *values;
    size_t n = from->on_elements ? (size_t)r->tet_count : (size_t)r->mesh->node_count + (size_t)r->new_count;
    if (!SP_NEW(r->mesh->ctx, values, n)) return no_memory(r->mesh);
    if (from->on_elements)
        for (size_t i = 0; i < n; i++) values[i] = from->values[r->parent[i]];
    else
        interpolate(r, from->values, 1, values);
    c->with.arrays[c->with.array_count++] = (sp_mesh_array){from->name, values, from->on_elements};
    return SP_OK;
}

static sp_status carry(carrying *c) {
    const sp_mesh *mesh = c->r->mesh;
    sp_context *ctx = mesh->ctx;
    unsigned char *surface = NULL;
    sp_status status = SP_OK;
    if (!SP_NEW(ctx, c->with.groups, mesh->with.group_count) || !SP_NEW(ctx, c->with.arrays, mesh->with.array_count) ||
        !SP_NEW(ctx, c->node, mesh->node_count) || !SP_NEW(ctx, c->born, c->r->new_count) ||
        !SP_NEW(ctx, c->first, mesh->tet_count + 1) || !SP_NEW(ctx, c->children, c->r->tet_count) ||
        !SP_NEW(ctx, surface, mesh->node_count))
        status = no_memory(mesh);
    else
        list_children(c);
    for (size_t i = 0; i < 3 * (size_t)mesh->face_count && status == SP_OK; i++) surface[mesh->faces[i]] = 1;
    for (int g = 0; g < mesh->with.group_count && status == SP_OK; g++) status = take_group(c, &mesh->with.groups[g], surface);
    for (int a = 0; a < mesh->with.array_count && status == SP_OK; a++) status = take_array(c, &mesh->with.arrays[a]);
    sp__free(ctx, surface);
    return status;
}

static void free_carrying(carrying *c) {
    sp_context *ctx = c->r->mesh->ctx;
    for (int i = 0; i < c->with.group_count; i++) c->with.groups[i].name = NULL;
    for (int i = 0; i < c->with.array_count; i++) c->with.arrays[i].name = NULL;
    sp__attributes_free(ctx, &c->with);
    void *owned[] = {c->node, c->born, c->first, c->children};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sp__free(ctx, owned[i]);
}

// ------------------------------------------------------------------------------------------------ the mesh

// old ids stay, new nodes get the numbers above them
static void number_nodes(const sp_refinement *r, int64_t *ids) {
    int64_t most = -1;
    for (int i = 0; i < r->mesh->node_count; i++) {
        ids[i] = r->mesh->node_ids[i];
        most = ids[i] > most ? ids[i] : most;
    }
    if (most > INT64_MAX - r->new_count - 1)  // no room above: all nodes get new ids
        for (int i = 0; i < r->mesh->node_count; i++) ids[i] = i, most = i;
    for (int i = 0; i < r->new_count; i++) ids[r->mesh->node_count + i] = most + 1 + i;
}

sp_status sp__refinement_mesh(const sp_refinement *r, sp_mesh **out) {
    const sp_mesh *mesh = r->mesh;
    sp_context *ctx = mesh->ctx;
    carrying c = {.r = r};
    double *x = NULL;
    int64_t *ids = NULL;
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = mesh->node_count + r->new_count;
    *out = NULL;
    sp_status status = carry(&c);
    if (status == SP_OK && (!SP_NEW(ctx, x, 3 * (size_t)def.node_count) || !SP_NEW(ctx, ids, def.node_count)))
        status = no_memory(mesh);
    if (status == SP_OK) {
        interpolate(r, mesh->x, 3, x);
        number_nodes(r, ids);
        def.positions = x, def.node_ids = ids, def.tet_count = r->tet_count, def.tets = r->tets;
        def.groups = c.with.groups, def.group_count = c.with.group_count;
        def.arrays = c.with.arrays, def.array_count = c.with.array_count;
        status = sp_mesh_create(ctx, &def, out);
    }
    sp__free(ctx, x);
    sp__free(ctx, ids);
    free_carrying(&c);
    return status;
}
