// See link_carrier.h.
#include "contact/link_carrier.h"

#include "map/locate.h"
#include "math/vec3.h"
#include "mesh/tree.h"

struct sp_carrier {
    sp_context *ctx;
    sp_body *body;
    double *x;            // nodes x 3, or vertices of the surface x 3
    sp_anchor *node;      // bodies with nodes
    unsigned char *mark;  // of the nodes
    int *corners;         // elements x nodes of an element, in user numbering
    int *element, count;  // those that carry points, numbers of the body; their corners follow each other in `part`
    int *part;
    sp_locator *locator;  // of these elements
    sp_tree *tree;        // of the surface of a body with a frame
    int *faces;
};

static sp_status carrier_no_memory(sp_context *ctx, const sp_body *b) {
    return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a link of '%s'", b->name);
}

// ---------------------------------------------------------------------------------------------------- nodes and edges

sp_status sp__link_nodes(sp_context *ctx, sp_body *b, double **x, sp_anchor **anchor) {
    const size_t n = (size_t)b->nodes;
    sp_anchor *at = NULL;
    double *place = NULL;
    if (!SP_NEW(ctx, at, n + 1) || !SP_NEW(ctx, place, 3 * n + 3)) {
        sp__free(ctx, at), sp__free(ctx, place);
        return carrier_no_memory(ctx, b);
    }
    const sp_error kept = *b->error;
    for (int i = 0; i < b->nodes; i++) {
        if (b->ops->anchor_node(b, i, &at[i]) >= 0) {
            b->ops->points(b, SP_COMMITTED, 1, &at[i], place + 3 * (size_t)i, NULL);
            continue;
        }
        *b->error = kept;
        for (size_t k = 0; k < 3; k++) place[3 * (size_t)i + k] = NAN;
    }
    *x = place;
    if (anchor)
        *anchor = at;
    else
        sp__free(ctx, at);
    return SP_OK;
}

sp_status sp__link_marks(sp_context *ctx, const sp_link_side *side, unsigned char **mark) {
    const int n = side->body->nodes;
    if (!SP_NEW(ctx, *mark, (size_t)n + 1)) return carrier_no_memory(ctx, side->body);
    for (int i = 0; i < n && !side->nodes; i++) (*mark)[i] = 1;
    for (int i = 0; i < side->node_count; i++) (*mark)[side->nodes[i]] = 1;
    return SP_OK;
}

static double distance3(const double *a, const double *b) {
    double d[3];
    sp__sub3(a, b, d);
    return sp__norm3(d);
}

// Edges of the boundary faces between marked nodes; all: of all of them.
static void face_edges(const sp_body *b, const unsigned char *mark, const double *x, bool all, double *sum, int *count) {
    const sp_surface *s = b->surfaces[0];
    for (int f = 0; s->nodes && f < s->face_count; f++)
        for (int i = 0; i < 3; i++) {
            int from = s->nodes[s->faces[3 * f + i]], to = s->nodes[s->faces[3 * f + (i + 1) % 3]];
            if (!all && !(mark[from] && mark[to])) continue;
            *sum += distance3(x + 3 * (size_t)from, x + 3 * (size_t)to), ++*count;
        }
}

static void line_edges(const double *x, const int *corners, int elements, double *sum, int *count) {
    for (int e = 0; e < elements; e++) {
        double length = distance3(x + 3 * (size_t)corners[2 * e], x + 3 * (size_t)corners[2 * e + 1]);
        if (length > 0) *sum += length, ++*count;
    }
}

sp_status sp__link_edge(sp_context *ctx, const sp_link_side *side, double *edge) {
    sp_body *b = side->body;
    unsigned char *mark = NULL;
    double *x = NULL, sum = 0;
    int *corners = NULL, count = 0;
    *edge = INFINITY;
    if (sp__carries_frame(b) || b->nodes == 0) return SP_OK;
    sp_status status = sp__link_nodes(ctx, b, &x, NULL);
    if (status >= 0) status = sp__link_marks(ctx, side, &mark);
    if (status >= 0 && sp__carries_line(b)) {
        if (SP_NEW(ctx, corners, 2 * (size_t)b->elements + 2)) {
            b->ops->element_nodes(b, corners);
            line_edges(x, corners, b->elements, &sum, &count);
        } else {
            status = carrier_no_memory(ctx, b);
        }
    } else if (status >= 0) {
        face_edges(b, mark, x, false, &sum, &count);
        if (count == 0) face_edges(b, mark, x, true, &sum, &count);
    }
    if (count > 0) *edge = sum / count;
    sp__free(ctx, x), sp__free(ctx, mark), sp__free(ctx, corners);
    return status;
}

// ---------------------------------------------------------------------------------------------------- creation

// Elements of the selected part: a tetrahedron with three selected nodes has a selected face; a segment needs both of its nodes.
static sp_status carrier_elements(sp_carrier *c, const sp_link_side *side) {
    sp_body *b = c->body;
    const int each = b->ops->nodes_per_element, wanted = each == 2 ? 2 : 3;
    const size_t n = (size_t)b->elements;
    SP_TRY(sp__link_nodes(c->ctx, b, &c->x, &c->node));
    SP_TRY(sp__link_marks(c->ctx, side, &c->mark));
    if (!SP_NEW(c->ctx, c->corners, n * (size_t)each + 1) || !SP_NEW(c->ctx, c->element, n + 1) ||
        !SP_NEW(c->ctx, c->part, n * (size_t)each + 1))
        return carrier_no_memory(c->ctx, b);
    b->ops->element_nodes(b, c->corners);
    for (int e = 0; e < b->elements; e++) {
        int selected = 0;
        const int *corner = c->corners + e * each, distinct = each == 4 && corner[2] == corner[3] ? 3 : each;
        for (int k = 0; k < distinct; k++) selected += c->mark[corner[k]];
        if (selected < wanted) continue;
        for (int k = 0; k < each; k++) c->part[c->count * each + k] = c->corners[e * each + k];
        c->element[c->count++] = e;
    }
    if (each == 4 && c->count > 0) return sp__locator_create(c->ctx, c->x, c->count, c->part, &c->locator);
    return SP_OK;
}

// The surface of a body with a frame; it may have none.
static sp_status carrier_surface(sp_carrier *c) {
    const sp_surface *s = c->body->surfaces[0];
    if (s->face_count == 0) return SP_OK;
    if (!SP_NEW(c->ctx, c->x, 3 * (size_t)s->vertex_count) || !SP_NEW(c->ctx, c->faces, 3 * (size_t)s->face_count))
        return carrier_no_memory(c->ctx, c->body);
    sp__surface_positions(c->body, s, SP_COMMITTED, c->x, NULL, NULL);
    for (int i = 0; i < 3 * s->face_count; i++) c->faces[i] = (int)s->faces[i];
    return sp__tree_create(c->ctx, c->x, c->faces, s->face_count, 3, &c->tree);
}

sp_status sp__carrier_create(sp_context *ctx, const sp_link_side *side, sp_carrier **out) {
    sp_carrier *c = NULL;
    *out = NULL;
    if (!SP_NEW(ctx, c, 1)) return carrier_no_memory(ctx, side->body);
    c->ctx = ctx, c->body = side->body;
    sp_status status = sp__carries_frame(side->body) ? carrier_surface(c) : carrier_elements(c, side);
    if (status < 0)
        sp__carrier_destroy(&c);
    else
        *out = c;
    return status;
}

void sp__carrier_destroy(sp_carrier **carrier) {
    sp_carrier *c = *carrier;
    if (!c) return;
    sp_context *ctx = c->ctx;
    void *all[] = {c->x, c->node, c->mark, c->corners, c->element, c->part, c->faces};
    sp__locator_destroy(&c->locator);
    sp__tree_destroy(&c->tree);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(ctx, all[i]);
    sp__free(ctx, c);
    *carrier = NULL;
}

// ---------------------------------------------------------------------------------------------------- material points

static int nearest_marked(const sp_carrier *c, const double x[3], double *distance) {
    int best = -1;
    *distance = INFINITY;
    for (int i = 0; i < c->body->nodes; i++) {
        const double d = c->mark[i] ? distance3(c->x + 3 * (size_t)i, x) : INFINITY;
        if (d < *distance) *distance = d, best = i;
    }
    return best;
}

// Natural coordinates of x in an element, whose map is extrapolated. False: the element has no volume.
static bool natural_in(const sp_carrier *c, int element, const double x[3], double at[3]) {
    const int *n = c->corners + 4 * (size_t)element;
    double D[9], inverse[9], d[3], w[4];
    if (n[2] == n[3]) {
        double square = sp__triangle_weights(c->x + 3 * (size_t)n[0], c->x + 3 * (size_t)n[1], c->x + 3 * (size_t)n[2], x, w);
        if (square > 0) memcpy(at, w + 1, 3 * sizeof *at);
        return square > 0;
    }
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 3; a++) D[3 * k + a] = c->x[3 * (size_t)n[a + 1] + (size_t)k] - c->x[3 * (size_t)n[0] + (size_t)k];
    if (sp__inverse3(D, inverse) == 0) return false;
    sp__sub3(x, c->x + 3 * (size_t)n[0], d);
    sp__mul3(inverse, d, at);
    return true;
}

static void find_in_tets(const sp_carrier *c, const double x[3], sp_anchor *out, double *distance) {
    if (c->locator) {
        sp_located l;
        sp__locate_all(c->locator, 1, x, &l);
        *out = (sp_anchor){.body = c->body->id, .elem = (uint32_t)c->element[l.element]};
        memcpy(out->at, l.weights + 1, sizeof out->at);
        *distance = l.outside;
        return;
    }
    const int node = nearest_marked(c, x, distance);
    if (node < 0) return;
    *out = c->node[node];
    natural_in(c, (int)out->elem, x, out->at);
}

static void find_on_surface(const sp_carrier *c, const double x[3], sp_anchor *out, double *distance) {
    sp_body *b = c->body;
    double normal[3], velocity[3], u[3], v[3], d[3];
    sp_tree_near near;
    b->ops->locate(b, SP_COMMITTED, x, out);
    *distance = 0;
    if (b->ops->distance) {
        *distance = fmax(0, b->ops->distance(b, SP_COMMITTED, x, normal, velocity));
    } else if (c->tree && sp__tree_nearest(c->tree, x, INFINITY, &near)) {
        const int *f = c->faces + 3 * (size_t)near.item;
        sp__sub3(c->x + 3 * (size_t)f[1], c->x + 3 * (size_t)f[0], u),
            sp__sub3(c->x + 3 * (size_t)f[2], c->x + 3 * (size_t)f[0], v);
        sp__cross3(u, v, normal);
        sp__sub3(x, near.point, d);
        if (sp__dot3(d, normal) > 0) *distance = sqrt(near.distance2);
    }
}

// Samples of every element, then from the best one.
static void find_on_line(const sp_carrier *c, const double x[3], sp_anchor *out, double *distance) {
    enum { SAMPLES = 8 };
    sp_body *b = c->body;
    double p[3], d[3], frame[9];
    int strand[2];
    *distance = INFINITY;
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k <= SAMPLES; k++) {
            sp_anchor a = {.body = b->id, .elem = (uint32_t)c->element[i], .at = {(double)k / SAMPLES}};
            b->ops->points(b, SP_COMMITTED, 1, &a, p, NULL);
            if (distance3(p, x) < *distance) *distance = distance3(p, x), *out = a;
        }
    if (c->count == 0) {
        const int node = nearest_marked(c, x, distance);
        if (node >= 0) *out = c->node[node];
    } else {
        sp__carrier_strand(c, (int)out->elem, strand);
        sp__centreline_nearest(b, SP_COMMITTED, strand, x, out);
    }
    b->ops->points(b, SP_COMMITTED, 1, out, p, NULL);
    sp__anchor_frame(b, out, SP_COMMITTED, frame);
    sp__sub3(x, p, d);
    *distance = sp__norm3(d);
    for (int k = 1; k < 3; k++) out->offset[k] = sp__dot3(d, frame + 3 * k);
}

void sp__carrier_find(const sp_carrier *c, const double x[3], sp_anchor *out, double *distance) {
    *out = (sp_anchor){.body = c->body->id};
    *distance = INFINITY;
    if (sp__carries_frame(c->body))
        find_on_surface(c, x, out, distance);
    else if (sp__carries_line(c->body))
        find_on_line(c, x, out, distance);
    else
        find_in_tets(c, x, out, distance);
}

// elements of a strand follow each other, and share nodes
void sp__carrier_strand(const sp_carrier *c, int element, int strand[2]) {
    int first = element, last = element;
    while (first > 0 && c->corners[2 * first] == c->corners[2 * (first - 1) + 1]) first--;
    while (last + 1 < c->body->elements && c->corners[2 * (last + 1)] == c->corners[2 * last + 1]) last++;
    strand[0] = first, strand[1] = last;
}
