// Material points of the solid: a cell and the barycentric weights of its nodes. Used by contact, drags, probes and pictures.
// The boundary, its collision points and embedded surfaces consist of them.
#include "map/locate.h"
#include "mesh/mesh_internal.h"
#include "mesh/tree.h"
#include "solid/solid.h"

void sp__solid_weights(const sp_anchor *a, double w[4]) {
    w[1] = a->at[0], w[2] = a->at[1], w[3] = a->at[2];
    w[0] = 1 - w[1] - w[2] - w[3];
}

static void solid_interpolate(const int node[4], const double w[4], const double *field, double out[3]) {
    const double *n0 = field + 3 * (size_t)node[0], *n1 = field + 3 * (size_t)node[1], *n2 = field + 3 * (size_t)node[2],
                 *n3 = field + 3 * (size_t)node[3];
    for (int k = 0; k < 3; k++) out[k] = w[0] * n0[k] + w[1] * n1[k] + w[2] * n2[k] + w[3] * n3[k];
}

void sp__solid_points(sp_body *b, sp_which which, int n, const sp_anchor *a, double *x, double *v) {
    for (int i = 0; i < n; i++) {
        const int *node = sp__solid_cell(sp__solid(b), a[i].elem);
        double w[4];
        sp__solid_weights(&a[i], w);
        solid_interpolate(node, w, b->q[which], x + 3 * (size_t)i);
        if (v) solid_interpolate(node, w, b->v[which], v + 3 * (size_t)i);
    }
}

void sp__solid_rest_point(sp_body *b, const sp_anchor *a, double x[3]) {
    const int *node = sp__solid_cell(sp__solid(b), a->elem);
    double w[4];
    sp__solid_weights(a, w);
    solid_interpolate(node, w, sp__solid(b)->rest, x);
}

sp_status sp__solid_jacobian_rows(sp_body *b, sp_which s, int n, const sp_anchor *a, const double *dir, sp_rows *J) {
    (void)s;  // points are linear in the positions of the nodes
    J->n = n;
    J->start[0] = 0;
    for (int i = 0; i < n; i++) {
        const int *node = sp__solid_cell(sp__solid(b), a[i].elem);
        int at = J->start[i], entries = 0;
        double w[4];
        sp__solid_weights(&a[i], w);
        for (int c = 0; c < 4; c++) entries += w[c] != 0 ? 3 : 0;
        if (at > J->capacity - entries)
            return SP_BODY_FAIL(b, SP_BAD_INPUT, "rows of '%s' need more than the %d entries there is room for", b->name,
                                J->capacity);
        for (int c = 0; c < 4; c++)
            for (int k = 0; k < 3; k++) {
                if (w[c] == 0) continue;
                J->col[at] = 3 * node[c] + k, J->val[at++] = w[c] * dir[3 * i + k];
            }
        J->start[i + 1] = at;
    }
    return SP_OK;
}

void sp__solid_apply_transpose(sp_body *b, sp_which s, int n, const sp_anchor *a, const double *f, double *g) {
    (void)s;
    for (int i = 0; i < n; i++) {
        const int *node = sp__solid_cell(sp__solid(b), a[i].elem);
        double w[4];
        sp__solid_weights(&a[i], w);
        for (int c = 0; c < 4; c++)
            for (int k = 0; k < 3; k++)
                if (w[c] != 0) g[3 * (size_t)node[c] + (size_t)k] += w[c] * f[3 * (size_t)i + (size_t)k];
    }
}

// ------------------------------------------------------------------------------------------------ creation of anchors

sp_status sp__solid_anchor_node(sp_body *b, int node, sp_anchor *out) {
    sp_solid *s = sp__solid(b);
    if (node < 0 || node >= s->nodes)
        return SP_BODY_FAIL(b, SP_BAD_INPUT, "node %d of '%s', must be in [0, %d]", node, b->name, s->nodes - 1);
    uint32_t c = s->corner_of[s->inner_node[node]];
    if (c == UINT32_MAX) return SP_BODY_FAIL(b, SP_BAD_INPUT, "node %d of '%s' belongs to no element", node, b->name);
    *out = (sp_anchor){.body = b->id, .elem = s->cells == s->elements ? (uint32_t)s->user_element[c / 4] : c / 4};
    if (c % 4) out->at[c % 4 - 1] = 1;
    return SP_OK;
}

// barycentric weights of x in a cell at rest; returns the smallest
static double solid_weights_in(const sp_solid *s, uint32_t cell, const double x[3], double w[4]) {
    const double *p[4];
    for (int a = 0; a < 4; a++) p[a] = s->rest + 3 * (size_t)sp__solid_cell(s, cell)[a];
    double D[9], inv[9], d[3], least = INFINITY;
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 3; a++) D[3 * k + a] = p[a + 1][k] - p[0][k];
    sp__inverse3(D, inv);
    sp__sub3(x, p[0], d);
    sp__mul3(inv, d, w + 1);
    w[0] = 1 - w[1] - w[2] - w[3];
    for (int a = 0; a < 4; a++)
        if (w[a] < least) least = w[a];
    return least;
}

// the nearest point of a membrane at rest
static sp_status membrane_anchor_point(const sp_body *b, const double rest[3], sp_anchor *out) {
    const sp_solid *s = sp__solid(b);
    double best = INFINITY;
    for (uint32_t cell = 0; cell < (uint32_t)s->cells; cell++) {
        const int *node = sp__solid_cell(s, cell);
        double w[3], d2 = sp__nearest_on_triangle(s->rest + 3 * (size_t)node[0], s->rest + 3 * (size_t)node[1],
                                                  s->rest + 3 * (size_t)node[2], rest, w);
        if (!(d2 < best)) continue;
        best = d2;
        *out = (sp_anchor){.body = b->id, .elem = cell, .at = {w[1], w[2], 0}};
    }
    if (best == INFINITY)
        return SP_BODY_FAIL(b, SP_BAD_INPUT, "no point of '%s' at (%g, %g, %g)", b->name, rest[0], rest[1], rest[2]);
    return SP_OK;
}

sp_status sp__solid_anchor_point(sp_body *b, const double rest[3], sp_anchor *out) {
    sp_solid *s = sp__solid(b);
    double best = -INFINITY;
    if (sp__solid_is_membrane(s)) return membrane_anchor_point(b, rest, out);
    // linear search: picks are rare, and the search structure of the mesh is not kept
    for (uint32_t cell = 0; cell < (uint32_t)s->cells; cell++) {
        if (sp__solid_cell_gone(s, cell)) continue;
        double w[4], least = solid_weights_in(s, cell, rest, w);
        if (!(least > best)) continue;
        best = least;
        *out = (sp_anchor){.body = b->id, .elem = cell, .at = {w[1], w[2], w[3]}};
    }
    if (best == -INFINITY)
        return SP_BODY_FAIL(b, SP_BAD_INPUT, "no point of '%s' at (%g, %g, %g)", b->name, rest[0], rest[1], rest[2]);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ boundary

// boundary nodes become vertices, in ascending user number
static int number_vertices(const sp_solid *s, const sp_mesh *mesh, int *vertex) {
    int n = 0;
    for (int i = 0; i < 3 * mesh->face_count; i++) vertex[mesh->faces[i]] = 1;
    for (int i = 0; i < s->nodes; i++) vertex[i] = vertex[i] ? n++ : -1;
    return n;
}

// all nodes are collision points, because a body without stiffness can turn inside out
static void anchor_nodes(sp_body *b, const int *vertex) {
    sp_solid *s = sp__solid(b);
    sp_surface *boundary = b->surfaces[0];
    for (int i = 0; i < s->nodes; i++) {
        if (s->corner_of[s->inner_node[i]] == UINT32_MAX) continue;
        sp_contact_node *node = &b->loads.nodes[b->loads.node_count++];
        sp__solid_anchor_node(b, i, &node->at);
        node->share = 1;
        if (vertex[i] >= 0) boundary->nodes[vertex[i]] = i, boundary->anchors[vertex[i]] = node->at;
    }
}

sp_status sp__solid_make_surface(sp_body *b, const sp_mesh *mesh) {
    sp_solid *s = sp__solid(b);
    sp_surface *boundary = b->surfaces[0];
    int faces = mesh->face_count, *vertex;
    sp_status status = SP_NO_MEMORY;
    if (!SP_NEW(b->ctx, vertex, s->nodes)) return status;
    int n = number_vertices(s, mesh, vertex);
    if (!SP_NEW(b->ctx, boundary->anchors, n + 1) || !SP_NEW(b->ctx, boundary->faces, 3 * (size_t)faces + 1) ||
        !SP_NEW(b->ctx, boundary->nodes, n + 1) || !SP_NEW(b->ctx, s->surface_cells, faces + 1) ||
        !SP_NEW(b->ctx, b->loads.nodes, s->nodes + 1))
        goto done;
    for (int i = 0; i < 3 * faces; i++) boundary->faces[i] = (uint32_t)vertex[mesh->faces[i]];
    for (int f = 0; f < faces; f++) s->surface_cells[f] = sp__mesh_face_cell(mesh, f);
    boundary->vertex_count = n, boundary->face_count = faces;
    // a sheet has no inside
    if (sp__solid_is_membrane(s)) boundary->side = SP_SURFACE_BOTH;
    anchor_nodes(b, vertex);
    status = SP_OK;
done:
    sp__free(b->ctx, vertex);
    return status;
}

// the vertices of a boundary face as anchors in the cell behind it
void sp__solid_face_anchors(sp_body *b, int face, sp_anchor out[3]) {
    const sp_solid *s = sp__solid(b);
    const sp_surface *boundary = b->surfaces[0];
    uint32_t cell = (uint32_t)s->surface_cells[face];
    const int *node = sp__solid_cell(s, cell);
    for (size_t k = 0; k < 3; k++) {
        int inner = s->inner_node[boundary->nodes[boundary->faces[3 * (size_t)face + k]]];
        out[k] = (sp_anchor){.body = b->id, .elem = cell};
        for (int c = 1; c < (sp__solid_is_membrane(s) ? 3 : 4); c++)
            if (node[c] == inner) out[k].at[c - 1] = 1;
    }
}

// ------------------------------------------------------------------------------------------------ material point of a face

// Natural coordinates of x in the deformed element of an anchor. A degenerate element returns false and leaves the anchor.
static bool solid_coordinates(sp_body *b, sp_anchor *a, const double x[3]) {
    const double *q = b->q[SP_COMMITTED];
    double edge[3][3], D[9], inverse[9], d[3];
    const int *node = sp__solid_cell(sp__solid(b), a->elem);
    const double *origin = q + 3 * (size_t)node[0];
    if (sp__solid_is_membrane(sp__solid(b))) {
        double w[4];
        sp__triangle_weights(origin, q + 3 * (size_t)node[1], q + 3 * (size_t)node[2], x, w);
        if (!isfinite(w[1] + w[2])) return false;
        memcpy(a->at, w + 1, sizeof a->at);
        return true;
    }
    for (int k = 0; k < 3; k++) {
        sp__sub3(q + 3 * (size_t)node[k + 1], origin, edge[k]);
        for (int i = 0; i < 3; i++) D[3 * i + k] = edge[k][i];
    }
    // below this volume, rounding would move the point by more than the precision of a float
    double least = 1e-8 * sp__norm3(edge[0]) * sp__norm3(edge[1]) * sp__norm3(edge[2]);
    if (!(fabs(sp__inverse3(D, inverse)) > least)) return false;
    sp__sub3(x, origin, d);
    sp__mul3(inverse, d, a->at);
    return true;
}

// the element that contains a point of the rest shape; false: none does
static bool element_at_rest(sp_body *b, const double rest[3], sp_anchor *out) {
    if (sp__solid_anchor_point(b, rest, out) < 0) return false;
    double least = 1 - out->at[0] - out->at[1] - out->at[2];
    for (int i = 0; i < 3; i++) least = fmin(least, out->at[i]);
    return least > -1e-9;
}

// A face of the boundary lies in one element. The corners of an embedded face may lie in several: then the element is the one
// that contains the point in the rest shape, or else that of the corner with the largest weight. The coordinates are those of the
// point as it is displayed, so that a spring with its target there exerts no force.
sp_status sp__solid_face_point(sp_body *b, int surface, int face, const double weights[3], sp_anchor *out) {
    const sp_surface *s = b->surfaces[surface];
    sp_anchor corner[3], inside;
    double x[3] = {0}, rest[3] = {0}, p[3];
    for (size_t k = 0; k < 3; k++) corner[k] = s->anchors[s->faces[3 * (size_t)face + k]];
    if (surface == 0) sp__solid_face_anchors(b, face, corner);
    if (corner[0].elem == corner[1].elem && corner[0].elem == corner[2].elem) {
        *out = sp__anchor_mean(corner, weights);
        return SP_OK;
    }
    for (int k = 0; k < 3; k++) {
        sp__solid_points(b, SP_COMMITTED, 1, &corner[k], p, NULL);
        sp__axpy3(x, weights[k], p, x);
        sp__solid_rest_point(b, &corner[k], p);
        sp__axpy3(rest, weights[k], p, rest);
    }
    *out = corner[sp__heaviest_corner(weights)];
    if (element_at_rest(b, rest, &inside) && solid_coordinates(b, &inside, x))
        *out = inside;
    else
        solid_coordinates(b, out, x);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ embedding

// the cells that points can be in: all, or those of elements that are left, with their numbers
static sp_status list_cells(sp_body *b, int **node, int **number, int *count) {
    const sp_solid *s = sp__solid(b);
    *count = 0;
    if (!SP_NEW(b->ctx, *node, 4 * (size_t)s->cells) || !SP_NEW(b->ctx, *number, s->cells)) return SP_NO_MEMORY;
    for (int c = 0; c < s->cells; c++) {
        if (sp__solid_cell_gone(s, (uint32_t)c)) continue;
        memcpy(*node + 4 * (size_t)*count, sp__solid_cell(s, (uint32_t)c), 4 * sizeof **node);
        (*number)[(*count)++] = c;
    }
    return SP_OK;
}

static sp_status take_places(sp_body *b, int n, const sp_located *from, const double *places, const int *number, sp_anchor *out,
                             double *outside) {
    for (int i = 0; i < n; i++) {
        const double *x = places + 3 * (size_t)i;
        if (from[i].element < 0)
            return SP_BODY_FAIL(b, SP_BAD_INPUT, "point %d at (%g, %g, %g) cannot be held by '%s'", i, x[0], x[1], x[2], b->name);
        const double *w = from[i].weights;
        out[i] = (sp_anchor){.body = b->id, .elem = (uint32_t)number[from[i].element], .at = {w[1], w[2], w[3]}};
        outside[i] = from[i].outside;
    }
    return SP_OK;
}

sp_status sp__solid_attach(sp_body *b, int n, const double *places, sp_anchor *out, double *outside) {
    sp_solid *s = sp__solid(b);
    sp_locator *locator = NULL;
    sp_located *found = NULL;
    int *node = NULL, *number = NULL, count;
    sp_status status = SP_NO_MEMORY;
    if (!SP_NEW(b->ctx, found, (size_t)n + 1) || list_cells(b, &node, &number, &count) < 0) goto done;
    if (sp__locator_create(b->ctx, s->rest, count, node, &locator) < 0) goto done;
    sp__locate_all(locator, n, places, found);
    status = take_places(b, n, found, places, number, out, outside);
done:
    sp__locator_destroy(&locator);
    sp__free(b->ctx, found), sp__free(b->ctx, node), sp__free(b->ctx, number);
    return status == SP_NO_MEMORY ? SP_BODY_FAIL(b, status, "no memory to hold %d points on '%s'", n, b->name) : status;
}
