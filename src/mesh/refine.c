// Refinement of tetrahedral meshes: regular (each tetrahedron into eight), local (bisection of longest edges), and nodes on edges
// (quadratic tetrahedra). Positions and values of new nodes are means of the two ends of their edge.
#include "math/vec3.h"
#include "mesh/mesh_internal.h"
#include "mesh/rows.h"

// ==================================================================================== common to both refinements

// The edges of tetrahedra, and the construction of a mesh of child elements with the attributes of the parents.

// Edge k of a tetrahedron joins these two nodes.
static const int tet_edge[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

typedef struct sp_tet_edges {
    int count;
    int *ends;    // (count x 2), smaller end first, ascending
    int *of;      // (tets x 6): edge k of tetrahedron t is of[6 t + k]
    int *first;   // (count + 1): start of the entries of an edge in `places`
    int *places;  // 6 t + k, grouped by edge
} sp_tet_edges;

// Old nodes stay; new node i has the number node_count + i and is the midpoint of ends[i].
typedef struct sp_refinement {
    const sp_mesh *mesh;
    int new_count;
    const int *ends;                  // (new_count x 2)
    const unsigned char *on_surface;  // per new node: its edge lies on the boundary
    int tet_count;
    const int *tets, *parent;  // child elements and the parent of each
    const double *x_new;       // with it the children are quadratic: positions of the new nodes; otherwise NULL
} sp_refinement;

static size_t refinement_per(const sp_refinement *r) {
    return r->x_new ? 10 : 4;
}

static sp_status refine_no_memory(const sp_mesh *mesh) {
    return SP_FAIL(mesh->ctx, SP_NO_MEMORY, "no memory to refine %d tetrahedra", mesh->element_count);
}

// ------------------------------------------------------------------------------------------------ edges

static void fill_rows(const sp_mesh *mesh, int *rows) {
    for (int i = 0; i < 6 * mesh->element_count; i++) {
        const int *tet = mesh->nodes + 4 * (size_t)(i / 6);
        int a = tet[tet_edge[i % 6][0]], b = tet[tet_edge[i % 6][1]], *row = rows + 3 * (size_t)i;
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

// always release with tet_edges_free
static sp_status tet_edges_find(const sp_mesh *mesh, sp_tet_edges *out) {
    sp_context *ctx = mesh->ctx;
    *out = (sp_tet_edges){0};
    size_t n = 6 * (size_t)mesh->element_count;
    int *rows;
    if (!SP_NEW(ctx, rows, 3 * n)) return refine_no_memory(mesh);
    fill_rows(mesh, rows);
    sp_status status = sp__rows_sort(ctx, rows, (int)n, 2, mesh->node_count);
    if (status == SP_OK && SP_NEW(ctx, out->ends, 2 * n) && SP_NEW(ctx, out->of, n) && SP_NEW(ctx, out->first, n + 1) &&
        SP_NEW(ctx, out->places, n))
        name_edges(rows, (int)n, out);
    else if (status == SP_OK)
        status = refine_no_memory(mesh);
    sp__free(ctx, rows);
    return status;
}

static void tet_edges_free(sp_context *ctx, sp_tet_edges *e) {
    void *owned[] = {e->ends, e->of, e->first, e->places};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sp__free(ctx, owned[i]);
    *e = (sp_tet_edges){0};
}

// the edge between two nodes; it must exist
static int tet_edges_at(const sp_tet_edges *e, int a, int b) {
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

typedef struct transfer {
    const sp_refinement *r;
    sp_attributes with;       // names are borrowed
    unsigned char *node;      // mark: in the current group
    unsigned char *in_group;  // per new node: already in the group
    int *first, *children;    // per parent
} transfer;

static void list_children(transfer *c) {
    const sp_refinement *r = c->r;
    for (int i = 0; i < r->tet_count; i++) c->first[r->parent[i] + 1]++;
    for (int i = 0; i < r->mesh->element_count; i++) c->first[i + 1] += c->first[i];
    for (int i = 0; i < r->tet_count; i++) c->children[c->first[r->parent[i]]++] = i;
    for (int i = r->mesh->element_count; i > 0; i--) c->first[i] = c->first[i - 1];
    c->first[0] = 0;
}

static bool all_on_surface(const sp_mesh_group *g, const unsigned char *surface) {
    for (int i = 0; i < g->node_count; i++)
        if (!surface[g->nodes[i]]) return false;
    return true;
}

enum { NOT_IN_GROUP, IN_GROUP, MAYBE_IN_GROUP };

static void refine_confirm(transfer *c, int child) {
    for (size_t j = 0, per = refinement_per(c->r); j < per; j++) {
        int node = c->r->tets[per * (size_t)child + j] - c->r->mesh->node_count;
        if (node >= 0 && c->in_group[node] == MAYBE_IN_GROUP) c->in_group[node] = IN_GROUP;
    }
}

// A new node belongs to a group if both ends of its edge do and it lies on an element of the group. For a group of nodes alone,
// it must lie on the boundary if all nodes of the group do: across a thin body both ends may be in the group but not the middle.
static void find_in_group(transfer *c, const sp_mesh_group *g, const unsigned char *surface) {
    const sp_refinement *r = c->r;
    bool outside = g->element_count == 0 && all_on_surface(g, surface);
    for (int i = 0; i < g->node_count; i++) c->node[g->nodes[i]] = 1;
    for (int i = 0; i < r->new_count; i++) {
        c->in_group[i] = NOT_IN_GROUP;
        if (!c->node[r->ends[2 * i]] || !c->node[r->ends[2 * i + 1]]) continue;
        if (g->element_count > 0)
            c->in_group[i] = MAYBE_IN_GROUP;
        else if (!outside || r->on_surface[i])
            c->in_group[i] = IN_GROUP;
    }
    for (int i = 0; i < g->element_count; i++)
        for (int k = c->first[g->elements[i]]; k < c->first[g->elements[i] + 1]; k++) refine_confirm(c, c->children[k]);
    for (int i = 0; i < g->node_count; i++) c->node[g->nodes[i]] = 0;
}

static sp_status take_group(transfer *c, const sp_mesh_group *g, const unsigned char *surface) {
    const sp_refinement *r = c->r;
    sp_mesh_group *to = &c->with.groups[c->with.group_count++];
    int elements = 0, nodes = g->node_count, *e, *n;
    to->name = g->name;
    for (int i = 0; i < g->element_count; i++) elements += c->first[g->elements[i] + 1] - c->first[g->elements[i]];
    find_in_group(c, g, surface);
    for (int i = 0; i < r->new_count; i++) nodes += c->in_group[i] == IN_GROUP;
    if (!SP_NEW(r->mesh->ctx, e, elements)) return refine_no_memory(r->mesh);
    to->elements = e;
    if (!SP_NEW(r->mesh->ctx, n, nodes)) return refine_no_memory(r->mesh);
    to->nodes = n;
    for (int i = 0; i < g->element_count; i++)
        for (int k = c->first[g->elements[i]]; k < c->first[g->elements[i] + 1]; k++) e[to->element_count++] = c->children[k];
    for (; to->node_count < g->node_count; to->node_count++) n[to->node_count] = g->nodes[to->node_count];
    for (int i = 0; i < r->new_count; i++)
        if (c->in_group[i] == IN_GROUP) n[to->node_count++] = r->mesh->node_count + i;
    return SP_OK;
}

static void refine_interpolate(const sp_refinement *r, const double *from, size_t width, double *to) {
    size_t old = (size_t)r->mesh->node_count;
    memcpy(to, from, old * width * sizeof *to);
    for (size_t i = 0; i < (size_t)r->new_count; i++) {
        const double *a = from + (size_t)r->ends[2 * i] * width, *b = from + (size_t)r->ends[2 * i + 1] * width;
        for (size_t k = 0; k < width; k++) to[(old + i) * width + k] = 0.5 * a[k] + 0.5 * b[k];
    }
}

static sp_status take_array(transfer *c, const sp_mesh_array *from) {
    const sp_refinement *r = c->r;
    double *values;
    size_t n = from->on_elements ? (size_t)r->tet_count : (size_t)r->mesh->node_count + (size_t)r->new_count;
    if (!SP_NEW(r->mesh->ctx, values, n)) return refine_no_memory(r->mesh);
    if (from->on_elements)
        for (size_t i = 0; i < n; i++) values[i] = from->values[r->parent[i]];
    else
        refine_interpolate(r, from->values, 1, values);
    c->with.arrays[c->with.array_count++] = (sp_mesh_array){from->name, values, from->on_elements};
    return SP_OK;
}

static sp_status transfer_attributes(transfer *c) {
    const sp_mesh *mesh = c->r->mesh;
    sp_context *ctx = mesh->ctx;
    unsigned char *surface = NULL;
    sp_status status = SP_OK;
    if (!SP_NEW(ctx, c->with.groups, mesh->with.group_count) || !SP_NEW(ctx, c->with.arrays, mesh->with.array_count) ||
        !SP_NEW(ctx, c->node, mesh->node_count) || !SP_NEW(ctx, c->in_group, c->r->new_count) ||
        !SP_NEW(ctx, c->first, mesh->element_count + 1) || !SP_NEW(ctx, c->children, c->r->tet_count) ||
        !SP_NEW(ctx, surface, mesh->node_count))
        status = refine_no_memory(mesh);
    else
        list_children(c);
    for (size_t i = 0; i < 3 * (size_t)mesh->face_count && status == SP_OK; i++) surface[mesh->faces[i]] = 1;
    for (int g = 0; g < mesh->with.group_count && status == SP_OK; g++) status = take_group(c, &mesh->with.groups[g], surface);
    for (int a = 0; a < mesh->with.array_count && status == SP_OK; a++) status = take_array(c, &mesh->with.arrays[a]);
    sp__free(ctx, surface);
    return status;
}

static void free_transfer(transfer *c) {
    sp_context *ctx = c->r->mesh->ctx;
    for (int i = 0; i < c->with.group_count; i++) c->with.groups[i].name = NULL;
    for (int i = 0; i < c->with.array_count; i++) c->with.arrays[i].name = NULL;
    sp__attributes_free(ctx, &c->with);
    void *owned[] = {c->node, c->in_group, c->first, c->children};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sp__free(ctx, owned[i]);
}

// ============================================================================================== the refined mesh

// old ids stay, new nodes get the numbers above them
static void number_nodes(const sp_refinement *r, int64_t *ids) {
    int64_t most = -1;
    for (int i = 0; i < r->mesh->node_count; i++) {
        ids[i] = r->mesh->node_ids[i];
        most = ids[i] > most ? ids[i] : most;
    }
    if (most > INT64_MAX - r->new_count - 1)  // no ids left above: all nodes get new ids
        for (int i = 0; i < r->mesh->node_count; i++) ids[i] = i, most = i;
    for (int i = 0; i < r->new_count; i++) ids[r->mesh->node_count + i] = most + 1 + i;
}

static sp_status refinement_mesh(const sp_refinement *r, sp_mesh **out) {
    const sp_mesh *mesh = r->mesh;
    sp_context *ctx = mesh->ctx;
    transfer c = {.r = r};
    double *x = NULL;
    int64_t *ids = NULL;
    sp_element_type *types = NULL;
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = mesh->node_count + r->new_count;
    *out = NULL;
    sp_status status = transfer_attributes(&c);
    if (status == SP_OK && (!SP_NEW(ctx, x, 3 * (size_t)def.node_count) || !SP_NEW(ctx, ids, def.node_count) ||
                            (r->x_new && !SP_NEW(ctx, types, r->tet_count))))
        status = refine_no_memory(mesh);
    if (status == SP_OK) {
        refine_interpolate(r, mesh->x, 3, x);
        number_nodes(r, ids);
        for (int i = 0; i < r->tet_count && types; i++) types[i] = SP_ELEMENT_TET10;
        if (types) {
            memcpy(x + 3 * (size_t)mesh->node_count, r->x_new, 3 * (size_t)r->new_count * sizeof *x);
            def.element_types = types, def.element_ids = mesh->element_ids;
        }
        def.positions = x, def.node_ids = ids, def.element_count = r->tet_count, def.element_nodes = r->tets;
        def.groups = c.with.groups, def.group_count = c.with.group_count;
        def.arrays = c.with.arrays, def.array_count = c.with.array_count;
        status = sp_mesh_create(ctx, &def, out);
    }
    sp__free(ctx, x);
    sp__free(ctx, ids);
    sp__free(ctx, types);
    free_transfer(&c);
    return status;
}

// ============================================================================================ regular refinement

// Regular refinement of each tetrahedron into eight (Bey 1995, "Tetrahedral grid refinement"): four similar children at the
// corners, and the octahedron in the middle split into four around its shortest diagonal. The mesh is conforming for any choice
// of the diagonal, since it lies inside the element.

// Child nodes: 0..3 the nodes of the parent, 4 + k the midpoint of edge k (01 02 03 12 13 23). Children have the orientation of
// the parent.
static const int corner_children[4][4] = {{0, 4, 5, 6}, {4, 1, 7, 8}, {5, 7, 2, 9}, {6, 8, 9, 3}};
static const int diagonals[3][2] = {{5, 8}, {4, 9}, {6, 7}};
static const int inner_children[3][4][4] = {
    {{5, 8, 4, 7}, {5, 8, 7, 9}, {5, 8, 9, 6}, {5, 8, 6, 4}},
    {{4, 9, 5, 6}, {4, 9, 6, 8}, {4, 9, 8, 7}, {4, 9, 7, 5}},
    {{6, 7, 4, 5}, {6, 7, 5, 9}, {6, 7, 9, 8}, {6, 7, 8, 4}},
};

static double regular_length2(double x[10][3], int a, int b) {
    double e[3];
    sp__sub3(x[a], x[b], e);
    return sp__dot3(e, e);
}

// the largest sum of squared edges among the four children around a diagonal: all have the same volume, so a smaller sum is a
// better shape
static double regular_bulk(double x[10][3], int d) {
    double most = 0;
    for (int c = 0; c < 4; c++) {
        double sum = 0;
        for (int k = 0; k < 6; k++)
            sum += regular_length2(x, inner_children[d][c][tet_edge[k][0]], inner_children[d][c][tet_edge[k][1]]);
        most = fmax(most, sum);
    }
    return most;
}

// Of equally short diagonals the one with better-shaped children: the path tetrahedra of grids have two, and only one gives path
// tetrahedra again. The tolerances keep rounding from deciding.
static int regular_shortest(double x[10][3]) {
    int best = 0;
    for (int d = 1; d < 3; d++) {
        double now = regular_length2(x, diagonals[d][0], diagonals[d][1]),
               least = regular_length2(x, diagonals[best][0], diagonals[best][1]);
        if (now < least * (1 - 1e-9) || (now < least * (1 + 1e-9) && regular_bulk(x, d) < regular_bulk(x, best) * (1 - 1e-9)))
            best = d;
    }
    return best;
}

static void regular_split(const sp_mesh *mesh, const sp_tet_edges *e, int t, int *tets) {
    const int *tet = mesh->nodes + 4 * (size_t)t;
    int place[10];
    double x[10][3];
    for (int k = 0; k < 4; k++) {
        place[k] = tet[k];
        memcpy(x[k], mesh->x + 3 * (size_t)tet[k], sizeof x[k]);
    }
    for (int k = 0; k < 6; k++) {
        place[4 + k] = mesh->node_count + e->of[6 * (size_t)t + (size_t)k];
        for (int i = 0; i < 3; i++) x[4 + k][i] = 0.5 * (x[tet_edge[k][0]][i] + x[tet_edge[k][1]][i]);
    }
    int diagonal = regular_shortest(x);
    for (int c = 0; c < 8; c++)
        for (int k = 0; k < 4; k++) tets[4 * c + k] = place[c < 4 ? corner_children[c][k] : inner_children[diagonal][c - 4][k]];
}

static void mark_surface(const sp_mesh *mesh, const sp_tet_edges *e, unsigned char *on_surface) {
    for (int f = 0; f < mesh->face_count; f++) {
        const int *c = mesh->faces + 3 * (size_t)f;
        for (int k = 0; k < 3; k++) on_surface[tet_edges_at(e, c[k], c[(k + 1) % 3])] = 1;
    }
}

static sp_status refine_once(const sp_mesh *mesh, sp_mesh **out) {
    sp_context *ctx = mesh->ctx;
    sp_tet_edges e;
    int *tets = NULL, *parent = NULL;
    unsigned char *on_surface = NULL;
    sp_status status = tet_edges_find(mesh, &e);
    int count = 8 * mesh->element_count;
    if (status == SP_OK &&
        (!SP_NEW(ctx, tets, 4 * (size_t)count) || !SP_NEW(ctx, parent, count) || !SP_NEW(ctx, on_surface, e.count)))
        status = SP_FAIL(ctx, SP_NO_MEMORY, "no memory to refine %d tetrahedra", mesh->element_count);
    if (status == SP_OK) {
        for (int t = 0; t < mesh->element_count; t++) regular_split(mesh, &e, t, tets + 32 * (size_t)t);
        for (int i = 0; i < count; i++) parent[i] = i / 8;
        mark_surface(mesh, &e, on_surface);
        sp_refinement r = {mesh, e.count, e.ends, on_surface, count, tets, parent, NULL};
        status = refinement_mesh(&r, out);
    }
    tet_edges_free(ctx, &e);
    sp__free(ctx, tets);
    sp__free(ctx, parent);
    sp__free(ctx, on_surface);
    return status;
}

static sp_status regular_copy(const sp_mesh *mesh, sp_mesh **out) {
    return sp_mesh_transformed(mesh, NULL, NULL, out);
}

sp_status sp_mesh_refined(const sp_mesh *mesh, int times, sp_mesh **out) {
    sp_context *ctx = mesh->ctx;
    *out = NULL;
    if (times < 0 || times > 8) return SP_FAIL(ctx, SP_BAD_INPUT, "refined %d times, must be in [0, 8]", times);
    SP_TRY(sp__mesh_only_tets(mesh, "be refined"));
    double tets = ldexp(mesh->element_count, 3 * times);
    if (tets > SP_TETS_MAX)
        return SP_FAIL(ctx, SP_BAD_INPUT, "refining makes %g tetrahedra, must be at most %d", tets, SP_TETS_MAX);
    if (times == 0) return regular_copy(mesh, out);
    sp_mesh *now = NULL;
    sp_status status = SP_OK;
    for (int i = 0; i < times && status == SP_OK; i++) {
        sp_mesh *next = NULL;
        status = refine_once(now ? now : mesh, &next);
        sp_mesh_destroy(&now);
        now = next;
    }
    *out = now;
    return status;
}

// ============================================================================================== local refinement

// Local refinement by longest edges (Rivara 1984; Rivara and Levin 1992). Selected elements mark their longest edge. An element
// with any marked edge also marks its longest one, until nothing changes. Then every element is bisected at its marked edges,
// longest first. All edges have one global order (length, then number), so two neighbours split their common face in the same way
// and there are no hanging nodes. Bisecting the longest edge first keeps the angles bounded.

typedef struct local_pass {
    const sp_mesh *mesh;
    const unsigned char *selected;
    double edge;  // elements with a longer edge are refined; <= 0: all selected elements
    sp_tet_edges edges;
    double *length2;
    int *middle;  // per edge: 1 + the number of its new node, 0: not marked; while marking: 1
    int *queue;
    int marked;
    int *ends;
    unsigned char *on_surface;
    int *tets, *parent, tet_count;
} local_pass;

static sp_status local_no_memory(const local_pass *p) {
    return SP_FAIL(p->mesh->ctx, SP_NO_MEMORY, "no memory to refine %d tetrahedra", p->mesh->element_count);
}

static void local_measure(local_pass *p) {
    for (size_t i = 0; i < (size_t)p->edges.count; i++) {
        double e[3];
        sp__sub3(p->mesh->x + 3 * (size_t)p->edges.ends[2 * i], p->mesh->x + 3 * (size_t)p->edges.ends[2 * i + 1], e);
        p->length2[i] = sp__dot3(e, e);
    }
}

static bool local_longer(const local_pass *p, int a, int b) {
    return p->length2[a] > p->length2[b] || (p->length2[a] == p->length2[b] && a > b);
}

static int local_longest(const local_pass *p, int tet) {
    const int *of = p->edges.of + 6 * (size_t)tet;
    int best = of[0];
    for (int k = 1; k < 6; k++)
        if (local_longer(p, of[k], best)) best = of[k];
    return best;
}

static void local_mark(local_pass *p, int edge) {
    if (p->middle[edge]) return;
    p->middle[edge] = 1;
    p->queue[p->marked++] = edge;
}

static void mark_all(local_pass *p) {
    for (int t = 0; t < p->mesh->element_count; t++) {
        if (!p->selected[t]) continue;
        int edge = local_longest(p, t);
        if (!(p->edge > 0) || p->length2[edge] > p->edge * p->edge) local_mark(p, edge);
    }
    for (int i = 0; i < p->marked; i++)
        for (int k = p->edges.first[p->queue[i]]; k < p->edges.first[p->queue[i] + 1]; k++)
            local_mark(p, local_longest(p, p->edges.places[k] / 6));
}

// numbers new nodes in the order of edges, independent of the order of marking
static void number_middles(local_pass *p) {
    int n = 0;
    for (int e = 0; e < p->edges.count; e++) {
        if (!p->middle[e]) continue;
        p->ends[2 * n] = p->edges.ends[2 * (size_t)e], p->ends[2 * n + 1] = p->edges.ends[2 * (size_t)e + 1];
        p->middle[e] = ++n;
    }
    for (int f = 0; f < p->mesh->face_count; f++) {
        const int *c = p->mesh->faces + 3 * (size_t)f;
        for (int k = 0; k < 3; k++) {
            int m = p->middle[tet_edges_at(&p->edges, c[k], c[(k + 1) % 3])];
            if (m) p->on_surface[m - 1] = 1;
        }
    }
}

// ------------------------------------------------------------------------------------------------ bisection

// nodes 0..3 are those of the parent; other entries hold their node number
typedef struct part {
    int corner[4];
    int node[4];
} part;

// the longest marked edge between two nodes of the parent, or -1
static int next_cut(const local_pass *p, int tet, const part *now, int *i, int *j) {
    int best = -1;
    for (int k = 0; k < 6; k++) {
        int a = tet_edge[k][0], b = tet_edge[k][1];
        if (now->corner[a] > 3 || now->corner[b] > 3) continue;
        int least = now->corner[a] < now->corner[b] ? now->corner[a] : now->corner[b],
            most = now->corner[a] + now->corner[b] - least;
        int local = least == 0 ? most - 1 : least + most;  // 01 02 03 12 13 23
        int edge = p->edges.of[6 * (size_t)tet + (size_t)local];
        if (p->middle[edge] && (best < 0 || local_longer(p, edge, best))) best = edge, *i = a, *j = b;
    }
    return best;
}

// splits a parent into at most 8 children; returns their number. tets == NULL: only counts
static int local_cut(const local_pass *p, int tet, int *tets) {
    part stack[8] = {0};
    int top = 0, count = 0, i = 0, j = 0;
    for (int k = 0; k < 4; k++) stack[0].corner[k] = k, stack[0].node[k] = p->mesh->nodes[4 * (size_t)tet + (size_t)k];
    top = 1;
    while (top > 0) {
        part now = stack[--top], other = now;
        int edge = next_cut(p, tet, &now, &i, &j);
        if (edge < 0) {
            if (tets) memcpy(tets + 4 * (size_t)count, now.node, sizeof now.node);
            count++;
            continue;
        }
        now.corner[i] = other.corner[j] = 4;
        now.node[i] = other.node[j] = p->mesh->node_count + p->middle[edge] - 1;
        stack[top++] = now;
        stack[top++] = other;
    }
    return count;
}

static sp_status cut_all(local_pass *p) {
    sp_context *ctx = p->mesh->ctx;
    double total = 0;
    for (int t = 0; t < p->mesh->element_count; t++) total += local_cut(p, t, NULL);
    if (total > SP_TETS_MAX)
        return SP_FAIL(ctx, SP_BAD_INPUT, "refining makes %g tetrahedra, must be at most %d", total, SP_TETS_MAX);
    if (!SP_NEW(ctx, p->tets, 4 * (size_t)total) || !SP_NEW(ctx, p->parent, (size_t)total)) return local_no_memory(p);
    for (int t = 0; t < p->mesh->element_count; t++) {
        int n = local_cut(p, t, p->tets + 4 * (size_t)p->tet_count);
        for (int i = 0; i < n; i++) p->parent[p->tet_count++] = t;
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ passes

static sp_status run_pass(local_pass *p, sp_mesh **out) {
    sp_context *ctx = p->mesh->ctx;
    SP_TRY(tet_edges_find(p->mesh, &p->edges));
    size_t n = (size_t)p->edges.count;
    if (!SP_NEW(ctx, p->length2, n) || !SP_NEW(ctx, p->middle, n) || !SP_NEW(ctx, p->queue, n)) return local_no_memory(p);
    local_measure(p);
    mark_all(p);
    if (p->marked == 0) return SP_OK;
    if (!SP_NEW(ctx, p->ends, 2 * (size_t)p->marked) || !SP_NEW(ctx, p->on_surface, p->marked)) return local_no_memory(p);
    number_middles(p);
    SP_TRY(cut_all(p));
    sp_refinement r = {p->mesh, p->marked, p->ends, p->on_surface, p->tet_count, p->tets, p->parent, NULL};
    return refinement_mesh(&r, out);
}

static void free_pass(local_pass *p) {
    sp_context *ctx = p->mesh->ctx;
    tet_edges_free(ctx, &p->edges);
    void *owned[] = {p->length2, p->middle, p->queue, p->ends, p->on_surface, p->tets, p->parent};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sp__free(ctx, owned[i]);
}

// One pass from *now to the refined mesh. Children of selected elements are selected. *done: nothing was left to refine.
static sp_status local_advance(sp_mesh **now, unsigned char **selected, double edge, bool *done) {
    sp_context *ctx = (*now)->ctx;
    local_pass p = {.mesh = *now, .selected = *selected, .edge = edge};
    sp_mesh *next = NULL;
    unsigned char *children = NULL;
    sp_status status = run_pass(&p, &next);
    *done = p.marked == 0;
    if (next && !SP_NEW(ctx, children, p.tet_count)) status = local_no_memory(&p);
    if (status == SP_OK && next) {
        for (int i = 0; i < p.tet_count; i++) children[i] = (*selected)[p.parent[i]];
        unsigned char *swap = *selected;
        *selected = children, children = swap;
    }
    free_pass(&p);
    sp__free(ctx, children);
    if (status < 0) {
        sp_mesh_destroy(&next);
    } else if (next) {
        sp_mesh_destroy(now);
        *now = next;
    }
    return status;
}

static sp_status select_elements(const sp_mesh *mesh, const sp_selection *selection, unsigned char **selected) {
    sp_context *ctx = mesh->ctx;
    int count = 0, *items = NULL;
    if (!SP_NEW(ctx, items, mesh->element_count) || !SP_NEW(ctx, *selected, mesh->element_count)) {
        sp__free(ctx, items);
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a selection among %d elements", mesh->element_count);
    }
    sp_status status = sp_mesh_select(mesh, selection, SP_SELECT_ELEMENTS, items, mesh->element_count, &count);
    for (int i = 0; i < count && status == SP_OK; i++) (*selected)[items[i]] = 1;
    sp__free(ctx, items);
    return status;
}

sp_status sp_mesh_refined_where(const sp_mesh *mesh, const sp_selection *selection, double edge, int times, sp_mesh **out) {
    enum { PASSES = 400 };  // three passes halve all edges: more passes than doubles can resolve
    sp_context *ctx = mesh->ctx;
    unsigned char *selected = NULL;
    sp_mesh *now = NULL;
    bool done = false;
    *out = NULL;
    if (isnan(edge) || edge == INFINITY) return SP_FAIL(ctx, SP_BAD_INPUT, "edge = %g m, must be finite", edge);
    SP_TRY(sp__mesh_only_tets(mesh, "be refined"));
    if (!(edge > 0) && (times < 0 || times > 100))
        return SP_FAIL(ctx, SP_BAD_INPUT, "halved %d times, must be in [0, 100]", times);
    sp_status status = select_elements(mesh, selection, &selected);
    if (status == SP_OK) status = sp_mesh_transformed(mesh, NULL, NULL, &now);
    for (int i = 0; status == SP_OK && !done && i < (edge > 0 ? PASSES : times); i++)
        status = local_advance(&now, &selected, edge, &done);
    sp__free(ctx, selected);
    if (status < 0) sp_mesh_destroy(&now);
    *out = now;
    return status;
}

// ============================================================================================== quadratic tetrahedra

// A node in the middle of each edge; on the boundary moved onto a curved surface, where the elements allow it.

typedef struct order2 {
    const sp_mesh *mesh;
    sp_tet_edges edges;
    int *nodes, *parent;        // of the quadratic tetrahedra, ten each; the element itself
    double *x;                  // per edge: position of its node
    unsigned char *on_surface;  // per edge
    unsigned char *moved;       // per edge: its node is not in the middle
} order2;

static bool order2_allocate(order2 *o) {
    sp_context *ctx = o->mesh->ctx;
    size_t elements = (size_t)o->mesh->element_count, edges = (size_t)o->edges.count;
    return SP_NEW(ctx, o->nodes, 10 * elements) && SP_NEW(ctx, o->parent, elements) && SP_NEW(ctx, o->x, 3 * edges) &&
           SP_NEW(ctx, o->on_surface, edges) && SP_NEW(ctx, o->moved, edges);
}

static void order2_middle(order2 *o, int edge) {
    const int *ends = o->edges.ends + 2 * (size_t)edge;
    const double *a = o->mesh->x + 3 * (size_t)ends[0], *b = o->mesh->x + 3 * (size_t)ends[1];
    for (size_t k = 0; k < 3; k++) o->x[3 * (size_t)edge + k] = 0.5 * a[k] + 0.5 * b[k];
    o->moved[edge] = 0;
}

static void order2_curve(order2 *o, sp_curve_fn *curve, const void *user, int edge) {
    const int *ends = o->edges.ends + 2 * (size_t)edge;
    double before[3], *x = o->x + 3 * (size_t)edge;
    memcpy(before, x, sizeof before);
    curve(user, o->mesh->x + 3 * (size_t)ends[0], o->mesh->x + 3 * (size_t)ends[1], x);
    o->moved[edge] = memcmp(before, x, sizeof before) != 0;
}

static void order2_number(order2 *o) {
    static const int edge_of[6] = {0, 3, 1, 2, 4, 5};  // 01 12 20 03 13 23 among 01 02 03 12 13 23
    for (int t = 0; t < o->mesh->element_count; t++) {
        int *to = o->nodes + 10 * (size_t)t;
        memcpy(to, o->mesh->nodes + 4 * (size_t)t, 4 * sizeof *to);
        for (int k = 0; k < 6; k++) to[4 + k] = o->mesh->node_count + o->edges.of[6 * (size_t)t + (size_t)edge_of[k]];
        o->parent[t] = t;
    }
}

// whether the determinant is positive at all corners and integration points
static bool order2_valid(const order2 *o, int t) {
    double x[30], natural[3], weight, limit;
    const int *nodes = o->nodes + 10 * (size_t)t;
    for (int a = 0; a < 10; a++)
        memcpy(x + 3 * a, a < 4 ? o->mesh->x + 3 * (size_t)nodes[a] : o->x + 3 * (size_t)(nodes[a] - o->mesh->node_count),
               3 * sizeof *x);
    limit = sp__element_flat_below(SP_ELEMENT_TET10, x);
    for (int i = 0; i < 8; i++) {
        if (i < 4)
            sp_element_natural(SP_ELEMENT_TET10, i, natural);
        else
            sp__element_point(SP_ELEMENT_TET10, i - 4, natural, &weight);
        if (!(sp__element_det(SP_ELEMENT_TET10, x, natural) > limit)) return false;
    }
    return true;
}

// Straightens the edges of elements that their nodes distort too much. Returns whether there was any: neighbours share the edges.
static bool order2_straighten(order2 *o) {
    bool any = false;
    for (int t = 0; t < o->mesh->element_count; t++) {
        const int *of = o->edges.of + 6 * (size_t)t;
        bool moved = false;
        for (int k = 0; k < 6; k++) moved = moved || o->moved[of[k]];
        if (!moved || order2_valid(o, t)) continue;
        for (int k = 0; k < 6; k++) order2_middle(o, of[k]);
        any = true;
    }
    return any;
}

static sp_status order2_make(order2 *o, sp_curve_fn *curve, const void *user, sp_mesh **out) {
    SP_TRY(tet_edges_find(o->mesh, &o->edges));
    if (!order2_allocate(o)) return refine_no_memory(o->mesh);
    order2_number(o);
    mark_surface(o->mesh, &o->edges, o->on_surface);
    for (int e = 0; e < o->edges.count; e++) {
        order2_middle(o, e);
        if (curve && o->on_surface[e]) order2_curve(o, curve, user, e);
    }
    while (order2_straighten(o)) {}
    sp_refinement r = {o->mesh, o->edges.count, o->edges.ends, o->on_surface, o->mesh->element_count, o->nodes, o->parent, o->x};
    return refinement_mesh(&r, out);
}

sp_status sp_mesh_order2(const sp_mesh *mesh, sp_curve_fn *curve, const void *user, sp_mesh **out) {
    order2 o = {.mesh = mesh};
    *out = NULL;
    SP_TRY(sp__mesh_only_tets(mesh, "become quadratic"));
    if (mesh->element_count > SP_TRIANGLES_MAX / 16)
        return SP_FAIL(mesh->ctx, SP_BAD_INPUT, "%d quadratic tetrahedra, must be at most %d", mesh->element_count,
                       SP_TRIANGLES_MAX / 16);
    sp_status status = order2_make(&o, curve, user, out);
    tet_edges_free(mesh->ctx, &o.edges);
    void *owned[] = {o.nodes, o.parent, o.x, o.on_surface, o.moved};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sp__free(mesh->ctx, owned[i]);
    return status;
}
