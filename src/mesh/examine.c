// Mesh examination: elements, quality, surface topology, shells, self-intersections, and the report. The stages run in this order
// and never change the definition. A later stage avoids reporting a defect of an earlier stage again under another name.
#include "mesh/examine.h"

#include "math/vec3.h"
#include "mesh/intersect.h"
#include "mesh/rows.h"
#include "mesh/tree.h"
#include "mesh/weld.h"

// ============================================================================================ nodes and elements

// Checks of single nodes and elements: positions, node numbers, orientation, flatness, duplicates, unreferenced nodes, coincident
// nodes, connected components.

static bool elements_finite(const double *x) {
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

static bool elements_repeats(const int *c, int corners) {
    for (int i = 1; i < corners; i++)
        for (int j = 0; j < i; j++)
            if (c[i] == c[j]) return true;
    return false;
}

// twice the area of a triangle, and the value below which it is rounding error (as for tetrahedra in mesh.c)
static double triangle_size(const double *x, const int *c, double *flat_below) {
    double u[3], v[3], w[3], n[3], far = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) far = fmax(far, fabs(x[3 * (size_t)c[i] + (size_t)k]));
    sp__sub3(x + 3 * (size_t)c[1], x + 3 * (size_t)c[0], u);
    sp__sub3(x + 3 * (size_t)c[2], x + 3 * (size_t)c[0], v);
    sp__sub3(v, u, w);
    sp__cross3(u, v, n);
    double edge = sqrt(fmax(fmax(sp__dot3(u, u), sp__dot3(v, v)), sp__dot3(w, w)));
    *flat_below = edge * (1e-12 * edge + 1e-15 * far);
    return sp__norm3(n);
}

// nodes of an element, and their number
static const int *examine_nodes_of(const sp_examination *e, int element, int *count) {
    *count = e->types ? sp_element_nodes(e->types[element]) : e->corners;
    return e->elements + (e->types ? (size_t)e->start[element] : (size_t)element * (size_t)e->corners);
}

static void examine_gather(const sp_examination *e, const int *c, int n, double *x) {
    for (int a = 0; a < n; a++) memcpy(x + 3 * a, e->x + 3 * (size_t)c[a], 3 * sizeof *x);
}

// smallest and largest determinant at corners and integration points
static void jacobian_range(sp_element_type type, const double *x, double *least, double *most) {
    double natural[3], weight;
    *least = INFINITY, *most = -INFINITY;
    for (int i = 0, corners = sp__element_corners(type); i < corners + sp__element_points(type); i++) {
        if (i < corners)
            sp_element_natural(type, i, natural);
        else
            sp__element_point(type, i - corners, natural, &weight);
        double det = sp__element_det(type, x, natural);
        *least = fmin(*least, det), *most = fmax(*most, det);
    }
}

static unsigned char classify_curved(sp_element_type type, const double *x) {
    double least, most, centre[3], flat = sp__element_flat_below(type, x);
    jacobian_range(type, x, &least, &most);
    if (!(fmax(fabs(least), fabs(most)) > flat)) return SP_ELEMENT_FLAT;
    if (least > flat) return 0;
    sp__element_centre(type, centre);
    if (!(sp__element_det(type, x, centre) < 0)) return SP_ELEMENT_DISTORTED;
    return SP_ELEMENT_INVERTED | (most < -flat ? 0 : SP_ELEMENT_DISTORTED);
}

static unsigned char classify(const double *x, int nodes, const int *c, int corners) {
    double flat, size;
    for (int i = 0; i < corners; i++)
        if (c[i] < 0 || c[i] >= nodes || !elements_finite(x + 3 * (size_t)c[i])) return SP_ELEMENT_BROKEN;
    if (elements_repeats(c, corners)) return SP_ELEMENT_LOOSE | SP_ELEMENT_FLAT;
    if (corners == 3) {
        size = triangle_size(x, c, &flat);
    } else {
        size = sp__tet_det(x, c);
        flat = sp__tet_flat_below(x, c);
    }
    if (!(fabs(size) > flat)) return SP_ELEMENT_FLAT;
    return size < 0 ? SP_ELEMENT_INVERTED : 0;
}

void sp__elements_classify(const double *x, int nodes, const int *elements, int count, int corners, unsigned char *state) {
    for (size_t i = 0; i < (size_t)count; i++) state[i] = classify(x, nodes, elements + i * (size_t)corners, corners);
}

static void classify_all(sp_examination *e) {
    if (!e->types) sp__elements_classify(e->x, e->node_count, e->elements, e->element_count, e->corners, e->state);
    for (int i = 0; i < e->element_count && e->types; i++) {
        double x[3 * SP_ELEMENT_NODES_MAX];
        int n;
        const int *c = examine_nodes_of(e, i, &n);
        e->state[i] = classify(e->x, e->node_count, c, n);
        if (e->types[i] == SP_ELEMENT_TET4 || e->state[i] & (SP_ELEMENT_BROKEN | SP_ELEMENT_LOOSE)) continue;
        examine_gather(e, c, n, x);
        e->state[i] = classify_curved(e->types[i], x);
    }
}

// one row of the sorted corners of an element, and its number
static void fill_row(const int *nodes, int corners, int element, int *row) {
    memcpy(row, nodes, (size_t)corners * sizeof *row);
    sp__row_increase(row, corners);
    row[corners] = element;
}

// marks the later ones of n equal rows
static sp_status find_duplicates(sp_context *ctx, int *rows, int n, int corners, int nodes, unsigned char *state,
                                 void (*duplicate)(void *user, int element, int earlier), void *user) {
    int stride = corners + 1;
    sp_status status = sp__rows_sort(ctx, rows, n, corners, nodes);
    for (int i = 0, end; status == SP_OK && i < n; i = end) {
        const int *first = rows + (size_t)i * (size_t)stride;
        for (end = i + 1; end < n && sp__rows_equal(first, rows + (size_t)end * (size_t)stride, corners); end++) {
            int element = rows[(size_t)end * (size_t)stride + (size_t)corners];
            state[element] |= SP_ELEMENT_LOOSE;
            duplicate(user, element, first[corners]);
        }
    }
    return status;
}

sp_status sp__elements_duplicates(sp_context *ctx, const int *elements, int count, int corners, int nodes, unsigned char *state,
                                  void (*duplicate)(void *user, int element, int earlier), void *user) {
    int *rows, n = 0, stride = corners + 1;
    if (!SP_NEW(ctx, rows, (size_t)count * (size_t)stride))
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory to compare %d elements", count);
    for (int i = 0; i < count; i++)
        if (!(state[i] & (SP_ELEMENT_BROKEN | SP_ELEMENT_LOOSE)))
            fill_row(elements + (size_t)i * (size_t)corners, corners, i, rows + (size_t)n++ * (size_t)stride);
    sp_status status = find_duplicates(ctx, rows, n, corners, nodes, state, duplicate, user);
    sp__free(ctx, rows);
    return status;
}

// among the elements of one type, by their corners
static sp_status duplicates_of_type(const sp_examination *e, sp_element_type type,
                                    void (*duplicate)(void *user, int element, int earlier), void *user) {
    int *rows, n = 0, count = 0, corners = sp__element_corners(type), stride = corners + 1;
    for (int i = 0; i < e->element_count; i++) count += e->types[i] == type;
    if (count == 0) return SP_OK;
    if (!SP_NEW(e->ctx, rows, (size_t)count * (size_t)stride))
        return SP_FAIL(e->ctx, SP_NO_MEMORY, "no memory to compare %d elements", count);
    for (int i = 0, nodes; i < e->element_count; i++)
        if (e->types[i] == type && !(e->state[i] & (SP_ELEMENT_BROKEN | SP_ELEMENT_LOOSE)))
            fill_row(examine_nodes_of(e, i, &nodes), corners, i, rows + (size_t)n++ * (size_t)stride);
    sp_status status = find_duplicates(e->ctx, rows, n, corners, e->node_count, e->state, duplicate, user);
    sp__free(e->ctx, rows);
    return status;
}

static sp_status examine_duplicates(const sp_examination *e, void (*duplicate)(void *user, int element, int earlier),
                                    void *user) {
    static const sp_element_type types[] = {SP_ELEMENT_TET4, SP_ELEMENT_TET10, SP_ELEMENT_HEX8};
    if (!e->types)
        return sp__elements_duplicates(e->ctx, e->elements, e->element_count, e->corners, e->node_count, e->state, duplicate,
                                       user);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) SP_TRY(duplicates_of_type(e, types[t], duplicate, user));
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ elements

static bool examine_is_tet(const sp_examination *e, int i) {
    return e->types ? e->types[i] == SP_ELEMENT_TET4 : e->corners == 4;
}

// volume or area; of an element that is not a linear tetrahedron by integration
static double size_of(const sp_examination *e, int i) {
    double flat, x[3 * SP_ELEMENT_NODES_MAX], natural[3], weight, volume = 0;
    int n;
    const int *c = examine_nodes_of(e, i, &n);
    if (examine_is_tet(e, i)) return sp__tet_det(e->x, c) / 6;
    if (!e->types) return triangle_size(e->x, c, &flat) / 2;
    examine_gather(e, c, n, x);
    for (int p = 0; p < sp__element_points(e->types[i]); p++) {
        sp__element_point(e->types[i], p, natural, &weight);
        volume += weight * sp__element_det(e->types[i], x, natural);
    }
    return volume;
}

static double jacobian_least(const sp_examination *e, int i) {
    double x[3 * SP_ELEMENT_NODES_MAX], least, most;
    int n;
    examine_gather(e, examine_nodes_of(e, i, &n), sp_element_nodes(e->types[i]), x);
    jacobian_range(e->types[i], x, &least, &most);
    return least;
}

// whether a node number is out of range; a node that is not finite is reported once, as a node
static bool names_missing(const sp_examination *e, int element) {
    int n;
    const int *c = examine_nodes_of(e, element, &n);
    for (int i = 0; i < n; i++)
        if (c[i] < 0 || c[i] >= e->node_count) return true;
    return false;
}

static void examine_add(sp_examination *e, sp_defect_kind kind, int element_a, int element_b, int node_a, int node_b,
                        double value);

static void report_elements(sp_examination *e) {
    for (int i = 0; i < e->element_count; i++) {
        unsigned char s = e->state[i];
        if (s & SP_ELEMENT_BROKEN && names_missing(e, i)) examine_add(e, SP_DEFECT_INDEX, i, -1, -1, -1, 0);
        if (s & SP_ELEMENT_FLAT) examine_add(e, SP_DEFECT_FLAT, i, -1, -1, -1, size_of(e, i));
        if (s & SP_ELEMENT_INVERTED) examine_add(e, SP_DEFECT_INVERTED, i, -1, -1, -1, size_of(e, i));
        if (s & SP_ELEMENT_DISTORTED) examine_add(e, SP_DEFECT_DISTORTED, i, -1, -1, -1, jacobian_least(e, i));
    }
}

// earlier[element] = 1 + the earlier element with the same nodes; 0: none
static void keep_duplicate(void *user, int element, int earlier) {
    ((int *)user)[element] = earlier + 1;
}

// single nodes and elements; duplicates
static sp_status examine_elements(sp_examination *e) {
    for (int i = 0; i < e->node_count; i++)
        if (!elements_finite(e->x + 3 * (size_t)i)) examine_add(e, SP_DEFECT_NOT_FINITE, -1, -1, i, -1, 0);
    classify_all(e);
    report_elements(e);
    // reports in order of element numbers, which the sort does not keep
    int *earlier;
    if (!SP_NEW(e->ctx, earlier, e->element_count)) return SP_FAIL(e->ctx, SP_NO_MEMORY, "no memory to compare elements");
    sp_status status = examine_duplicates(e, keep_duplicate, earlier);
    for (int i = 0; i < e->element_count && status == SP_OK; i++)
        if (earlier[i]) examine_add(e, SP_DEFECT_DUPLICATE, earlier[i] - 1, i, -1, -1, 0);
    sp__free(e->ctx, earlier);
    return status;
}

// ------------------------------------------------------------------------------------------------ nodes

static void mark_used(sp_examination *e) {
    size_t n = e->types ? (size_t)e->start[e->element_count] : (size_t)e->element_count * (size_t)e->corners;
    for (size_t i = 0; i < n; i++)
        if (e->elements[i] >= 0 && e->elements[i] < e->node_count) e->used[e->elements[i]] = 1;
}

// counts parts that share no node
static sp_status count_components(sp_examination *e) {
    int *parent;
    if (!SP_NEW(e->ctx, parent, e->node_count)) return SP_FAIL(e->ctx, SP_NO_MEMORY, "no memory for the parts of a mesh");
    for (int i = 0; i < e->node_count; i++) parent[i] = i;
    for (int i = 0, n; i < e->element_count; i++) {
        const int *c = examine_nodes_of(e, i, &n);
        if (e->state[i] & SP_ELEMENT_BROKEN) continue;
        for (int k = 1; k < n; k++) sp__set_join(parent, c[0], c[k]);
    }
    // a part is counted at its root, the lowest node of its set; a root is used if any node of the set is used
    for (int i = 0, n; i < e->element_count; i++) {
        const int *c = examine_nodes_of(e, i, &n);
        if (e->state[i] & SP_ELEMENT_BROKEN) continue;
        int root = sp__set_root(parent, c[0]);
        if (e->used[root] == 2) continue;
        e->used[root] = 2;
        e->report->stats.component_count++;
    }
    sp__free(e->ctx, parent);
    return SP_OK;
}

// unreferenced and coincident nodes, components
static sp_status examine_nodes(sp_examination *e) {
    mark_used(e);
    for (int i = 0; i < e->node_count; i++)
        if (!e->used[i]) examine_add(e, SP_DEFECT_UNREFERENCED, -1, -1, i, -1, 0);
    unsigned char *skip;
    if (!SP_NEW(e->ctx, skip, e->node_count)) return SP_FAIL(e->ctx, SP_NO_MEMORY, "no memory to compare nodes");
    for (int i = 0; i < e->node_count; i++) skip[i] = !e->used[i];
    sp_status status = sp__weld_find(e->ctx, e->x, e->node_count, skip, e->tolerance, e->same);
    sp__free(e->ctx, skip);
    SP_TRY(status);
    for (int i = 0; i < e->node_count; i++) {
        double d[3];
        if (e->same[i] == i) continue;
        sp__sub3(e->x + 3 * (size_t)i, e->x + 3 * (size_t)e->same[i], d);
        examine_add(e, SP_DEFECT_COINCIDENT, -1, -1, e->same[i], i, sp__norm3(d));
    }
    return count_components(e);
}

// ======================================================================================================= quality

// Element size and quality: volumes, dihedral angles, radius ratios, edge lengths.

static const double DEGREES = 57.295779513082320877;

typedef struct shape {
    double ratio, aspect, angle[6];
    int angles;
} shape;

static void keep_edge(sp_mesh_stats *s, double length, int64_t *count) {
    s->edge_min = fmin(s->edge_min, length);
    s->edge_max = fmax(s->edge_max, length);
    s->edge_mean += length;
    ++*count;
}

// edge i joins nodes ends[i][0] and ends[i][1]; across[i] are the other two nodes
static const int ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
static const int across[6][2] = {{2, 3}, {1, 3}, {1, 2}, {0, 3}, {0, 2}, {0, 1}};

// The dihedral angle at edge e between the faces to k and l is atan2(|e| |det|, n1.n2) with n1 = e x k, n2 = e x l, since n1 x n2
// = det e. Inradius r = 3 V / area; circumradius R = | |a|^2 b x c + |b|^2 c x a + |c|^2 a x b | / (2 det) with edges a, b, c
// from one node.
static double measure_tet(const double *const x[4], double length[6], shape *s) {
    double edge[6][3], n[3], to[2][3], normal[2][3], area = 0, radius[3] = {0}, longest = 0;
    for (int i = 0; i < 6; i++) {
        sp__sub3(x[ends[i][1]], x[ends[i][0]], edge[i]);
        length[i] = sp__norm3(edge[i]);
        longest = fmax(longest, length[i]);
    }
    double m[9];
    memcpy(m, edge, sizeof m);  // the first three edges start at node 0
    double det = sp__det3(m), size = fabs(det);
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 2; k++) {
            sp__sub3(x[across[i][k]], x[ends[i][0]], to[k]);
            sp__cross3(edge[i], to[k], normal[k]);
            area += sp__norm3(normal[k]) / 6;  // each face is visited at three edges, and its normal has twice its area
        }
        s->angle[i] = DEGREES * atan2(length[i] * size, sp__dot3(normal[0], normal[1]));
    }
    s->angles = 6;
    for (int k = 0; k < 3; k++) {
        sp__cross3(edge[(k + 1) % 3], edge[(k + 2) % 3], n);
        sp__axpy3(radius, length[k] * length[k], n, radius);
    }
    double r = size / (2 * area), R = sp__norm3(radius) / (2 * size);
    s->ratio = size > 0 ? 3 * r / R : 0;
    s->aspect = size > 0 ? longest / (2 * sqrt(6) * r) : INFINITY;
    return size / 6;
}

// r = 2 area / perimeter, R = abc / (4 area)
static double measure_triangle(const double *const x[3], double length[3], shape *s) {
    double edge[3][3], n[3], longest = 0;
    for (int i = 0; i < 3; i++) {
        sp__sub3(x[(i + 1) % 3], x[i], edge[i]);
        length[i] = sp__norm3(edge[i]);
        longest = fmax(longest, length[i]);
    }
    sp__cross3(edge[0], edge[1], n);
    double area = 0.5 * sp__norm3(n), around = length[0] + length[1] + length[2];
    for (int i = 0; i < 3; i++) s->angle[i] = DEGREES * atan2(2 * area, -sp__dot3(edge[i], edge[(i + 2) % 3]));
    s->angles = 3;
    s->ratio = area > 0 ? 16 * area * area / (around * length[0] * length[1] * length[2]) : 0;
    s->aspect = area > 0 ? longest * around / (4 * sqrt(3) * area) : INFINITY;
    return area;
}

static void keep_shape(sp_mesh_stats *s, const shape *now, int64_t number) {
    for (int i = 0; i < now->angles; i++) {
        int bin = (int)((now->angle[i] + 1e-9) / 10);  // 90 degrees go to the bin of 90 despite rounding
        s->angles[bin < 0 ? 0 : bin > 17 ? 17 : bin]++;
        s->angle_min = fmin(s->angle_min, now->angle[i]);
        s->angle_max = fmax(s->angle_max, now->angle[i]);
    }
    int bin = (int)(now->ratio * 10 + 1e-9);
    s->ratios[bin < 0 ? 0 : bin > 9 ? 9 : bin]++;
    s->ratio_mean += now->ratio;
    s->aspect_max = fmax(s->aspect_max, now->aspect);
    if (now->ratio < s->ratio_min) s->ratio_min = now->ratio, s->worst = number;
}

static void keep_bounds(const sp_examination *e, sp_mesh_stats *s) {
    for (int k = 0; k < 3; k++) s->low[k] = INFINITY, s->high[k] = -INFINITY;
    for (size_t i = 0; i < (size_t)e->node_count; i++) {
        const double *x = e->x + 3 * i;
        for (int k = 0; k < 3 && isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]); k++)
            s->low[k] = fmin(s->low[k], x[k]), s->high[k] = fmax(s->high[k], x[k]);
    }
    for (int k = 0; k < 3 && !(s->low[0] <= s->high[0]); k++) s->low[k] = s->high[k] = NAN;
}

typedef struct tally {
    int64_t shapes, jacobians, edges;
} tally;

// straight edges, and the Jacobian ratio: smallest to largest determinant at corners and integration points
static void keep_curved(sp_examination *e, int i, tally *t) {
    static const int hex_edges[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                         {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    sp_mesh_stats *s = &e->report->stats;
    double x[3 * SP_ELEMENT_NODES_MAX], least, most, d[3];
    int n;
    examine_gather(e, examine_nodes_of(e, i, &n), sp_element_nodes(e->types[i]), x);
    jacobian_range(e->types[i], x, &least, &most);
    double ratio = most > 0 ? least / most : least < 0 ? most / least : 0;  // inverted: that of its mirror image
    s->jacobian_mean += ratio;
    if (ratio < s->jacobian_min) s->jacobian_min = ratio, s->jacobian_worst = e->element_ids ? e->element_ids[i] : i;
    t->jacobians++;
    for (int k = 0; k < 12 && e->types[i] == SP_ELEMENT_HEX8; k++) {
        sp__sub3(x + 3 * hex_edges[k][0], x + 3 * hex_edges[k][1], d);
        keep_edge(s, sp__norm3(d), &t->edges);
    }
}

// angles, ratio and edges of a triangle, or of the tetrahedron of the corners; returns the volume
static double keep_simplex(sp_examination *e, int i, tally *t) {
    const double *x[4] = {NULL};
    double length[6], volume = 0;
    int n;
    shape now = {0};
    const int *c = examine_nodes_of(e, i, &n);
    for (int k = 0; k < 4 && k < n; k++) x[k] = e->x + 3 * (size_t)c[k];
    if (e->corners == 4)
        volume = measure_tet(x, length, &now);
    else
        measure_triangle(x, length, &now);
    for (int k = 0; k < now.angles; k++) keep_edge(&e->report->stats, length[k], &t->edges);
    keep_shape(&e->report->stats, &now, e->element_ids ? e->element_ids[i] : i);
    t->shapes++;
    return volume;
}

// volumes, angles, ratios
static void examine_quality(sp_examination *e) {
    sp_mesh_stats *s = &e->report->stats;
    tally t = {0};
    *s = (sp_mesh_stats){.node_count = e->node_count,
                         .element_count = e->element_count,
                         .tetrahedra = e->corners == 4,
                         .tolerance = e->tolerance,
                         .angle_min = INFINITY,
                         .ratio_min = INFINITY,
                         .jacobian_min = INFINITY,
                         .edge_min = INFINITY,
                         .worst = -1,
                         .jacobian_worst = -1};
    keep_bounds(e, s);
    for (int i = 0; i < e->element_count; i++) {
        sp_element_type type = e->types ? e->types[i] : SP_ELEMENT_TET4;
        if (e->corners == 4) s->type_counts[type]++;
        if (e->state[i] & SP_ELEMENT_BROKEN) continue;
        double volume = type == SP_ELEMENT_HEX8 ? 0 : keep_simplex(e, i, &t);
        if (type != SP_ELEMENT_TET4) volume = fabs(size_of(e, i)), keep_curved(e, i, &t);
        s->volume += volume;
    }
    s->ratio_mean = t.shapes ? s->ratio_mean / (double)t.shapes : NAN;
    s->jacobian_mean = t.jacobians ? s->jacobian_mean / (double)t.jacobians : NAN;
    s->edge_mean = t.edges ? s->edge_mean / (double)t.edges : NAN;
    if (!t.shapes) s->angle_min = s->angle_max = s->ratio_min = s->aspect_max = NAN;
    if (!t.edges) s->edge_min = s->edge_max = NAN;
    if (!t.jacobians) s->jacobian_min = NAN;
}

// ====================================================================================================== surfaces

// Surface topology: faces of exactly one element, or the given triangles; then edges, vertices and shells. The faces of an
// inverted element are flipped, so that it is reported once and not again for every neighbour.

static sp_status no_memory(const sp_examination *e) {
    return SP_FAIL(e->ctx, SP_NO_MEMORY, "no memory for the surface of %d elements", e->element_count);
}

// ------------------------------------------------------------------------------------------------ faces of elements

// The triangles of all elements, in their order.
typedef struct face_list {
    int count;
    int *owner;             // the element of each
    int *rows;              // ascending nodes and the number of a triangle, for the sort
    unsigned char *single;  // no other triangle is equal
    unsigned char *up;      // its nodes, outward, increase in two of three steps
} face_list;

// triangles of an element, oriented outward; returns their number
static int face_triangles(const sp_examination *e, int element, int (*out)[3]) {
    int n;
    sp_element_type type = e->types ? e->types[element] : SP_ELEMENT_TET4;
    const int *c = examine_nodes_of(e, element, &n);
    sp__element_triangles(type, c, out);
    n = sp__element_triangle_count(type);
    for (int t = 0; t < n && e->state[element] & SP_ELEMENT_INVERTED; t++) {
        int swap = out[t][0];
        out[t][0] = out[t][2], out[t][2] = swap;
    }
    return n;
}

static void list_element(const sp_examination *e, int element, face_list *f) {
    int triangles[SP_ELEMENT_TRIANGLES_MAX][3], n = face_triangles(e, element, triangles);
    for (int t = 0; t < n; t++, f->count++) {
        int *row = f->rows + 4 * (size_t)f->count, *c = triangles[t];
        f->up[f->count] = (c[0] < c[1]) + (c[1] < c[2]) + (c[2] < c[0]) == 2;
        f->owner[f->count] = element;
        memcpy(row, c, 3 * sizeof *row);
        sp__row_increase(row, 3);
        row[3] = f->count;
    }
}

// equal rows are the same face; single[f] = 1 if no other face is equal
static void match_faces(sp_examination *e, const face_list *list) {
    const int *rows = list->rows, *owner = list->owner;
    for (int i = 0, end; i < list->count; i = end) {
        const int *row = rows + 4 * (size_t)i;
        for (end = i + 1; end < list->count && sp__rows_equal(row, rows + 4 * (size_t)end, 3); end++) {}
        int f = row[3], g = end - i > 1 ? row[7] : -1;
        if (end - i == 1) {
            list->single[f] = 1;
            e->face_count++;
        } else if (end - i > 2) {
            examine_add(e, SP_DEFECT_SHARED_FACE, owner[f], owner[g], -1, -1, 0);
        } else if (!((e->state[owner[f]] | e->state[owner[g]]) & SP_ELEMENT_FLAT) && list->up[f] == list->up[g]) {
            examine_add(e, SP_DEFECT_FOLDED, owner[f], owner[g], -1, -1, 0);
        }
    }
}

static sp_status keep_single(sp_examination *e, const face_list *f) {
    int count = 0, triangles[SP_ELEMENT_TRIANGLES_MAX][3];
    if (!SP_NEW(e->ctx, e->faces, 3 * (size_t)e->face_count) || !SP_NEW(e->ctx, e->face_element, e->face_count))
        return no_memory(e);
    for (int i = 0; i < f->count;) {
        int element = f->owner[i], n = face_triangles(e, element, triangles);
        for (int t = 0; t < n; t++, i++) {
            if (!f->single[i]) continue;
            memcpy(e->faces + 3 * (size_t)count, triangles[t], sizeof triangles[t]);
            e->face_element[count++] = element;
        }
    }
    return SP_OK;
}

static sp_status collect_elements(sp_examination *e) {
    face_list f = {0};
    int64_t most = 0;
    for (int i = 0; i < e->element_count; i++) most += sp__element_triangle_count(e->types ? e->types[i] : SP_ELEMENT_TET4);
    sp_status status = most > SP_TRIANGLES_MAX ? SP_NO_MEMORY : SP_OK;
    if (status < 0 || !SP_NEW(e->ctx, f.owner, most) || !SP_NEW(e->ctx, f.rows, 4 * (size_t)most) ||
        !SP_NEW(e->ctx, f.single, most) || !SP_NEW(e->ctx, f.up, most))
        status = no_memory(e);
    for (int i = 0; i < e->element_count && status == SP_OK; i++)
        if (!(e->state[i] & (SP_ELEMENT_BROKEN | SP_ELEMENT_LOOSE))) list_element(e, i, &f);
    if (status == SP_OK) status = sp__rows_sort(e->ctx, f.rows, f.count, 3, e->node_count);
    if (status == SP_OK) {
        match_faces(e, &f);
        status = keep_single(e, &f);
    }
    sp__free(e->ctx, f.owner);
    sp__free(e->ctx, f.rows);
    sp__free(e->ctx, f.single);
    sp__free(e->ctx, f.up);
    return status;
}

static sp_status collect_triangles(sp_examination *e) {
    if (!SP_NEW(e->ctx, e->faces, 3 * (size_t)e->element_count) || !SP_NEW(e->ctx, e->face_element, e->element_count))
        return no_memory(e);
    for (int i = 0; i < e->element_count; i++) {
        if (e->state[i] & (SP_ELEMENT_BROKEN | SP_ELEMENT_LOOSE)) continue;
        memcpy(e->faces + 3 * (size_t)e->face_count, e->elements + 3 * (size_t)i, 3 * sizeof *e->faces);
        e->face_element[e->face_count++] = i;
    }
    return SP_OK;
}

// surface faces; faces of elements
static sp_status examine_collect(sp_examination *e) {
    SP_TRY(e->corners == 4 ? collect_elements(e) : collect_triangles(e));
    return sp__edges_find(e->ctx, e->faces, e->face_count, e->node_count, &e->edges);
}

// ------------------------------------------------------------------------------------------------ edges and vertices

static void check_edges(sp_examination *e) {
    const sp_edges *d = &e->edges;
    for (int i = 0; i < d->count; i++) {
        const int *side = d->sides + d->first[i], n = d->first[i + 1] - d->first[i];
        int a = d->ends[2 * i], b = d->ends[2 * i + 1], up = 0;
        int behind = e->face_element[side[0] / 3], other = n > 1 ? e->face_element[side[1] / 3] : -1;
        for (int k = 0; k < n; k++) {
            if (k > 0) sp__set_join(e->shell, side[0] / 3, side[k] / 3);
            up += sp__side_from(e->faces, side[k]) == a ? 1 : -1;
        }
        if (n == 1) examine_add(e, SP_DEFECT_OPEN_EDGE, behind, -1, a, b, 0);
        if (n > 2) examine_add(e, SP_DEFECT_EDGE, behind, other, a, b, 0);
        if (n == 2 && up != 0) examine_add(e, SP_DEFECT_ORIENTATION, behind, other, a, b, 0);
    }
}

// after all joins: finds the shells with unbalanced edges
static void check_shells(sp_examination *e) {
    const sp_edges *d = &e->edges;
    sp_mesh_stats *s = &e->report->stats;
    for (int f = 0; f < e->face_count; f++) e->shell[f] = sp__set_root(e->shell, f);
    for (int i = 0; i < d->count; i++) {
        const int *side = d->sides + d->first[i], n = d->first[i + 1] - d->first[i];
        int up = 0, root = e->shell[side[0] / 3];
        for (int k = 0; k < n; k++) up += sp__side_from(e->faces, side[k]) == d->ends[2 * i] ? 1 : -1;
        if (n % 2 != 0) e->shell_bad[root] |= 1;
        if (up != 0) e->shell_bad[root] |= 2;
    }
    for (int f = 0; f < e->face_count; f++) {
        if (e->shell[f] != f) continue;
        s->shell_count++;
        s->closed_count += !(e->shell_bad[f] & 1);
    }
}

// Triangle corners at a vertex are connected across the edges there; a vertex with more than one connected fan is non-manifold.
static sp_status check_vertices(sp_examination *e) {
    const sp_edges *d = &e->edges;
    int *parent, *fans = NULL;
    if (!SP_NEW(e->ctx, parent, 3 * (size_t)e->face_count) || !SP_NEW(e->ctx, fans, e->node_count)) {
        sp__free(e->ctx, parent);
        return no_memory(e);
    }
    for (int c = 0; c < 3 * e->face_count; c++) parent[c] = c;
    for (int i = 0; i < d->count; i++) {
        const int *side = d->sides + d->first[i], n = d->first[i + 1] - d->first[i];
        for (int k = 1; k < n; k++) {
            // joins the corners of both triangles at each end of the edge
            bool alike = e->faces[side[0]] == e->faces[side[k]];
            int end0 = side[0] % 3 == 2 ? side[0] - 2 : side[0] + 1, endk = side[k] % 3 == 2 ? side[k] - 2 : side[k] + 1;
            sp__set_join(parent, side[0], alike ? side[k] : endk);
            sp__set_join(parent, end0, alike ? endk : side[k]);
        }
    }
    for (int c = 0; c < 3 * e->face_count; c++)
        if (parent[c] == c) fans[e->faces[c]]++;
    for (int i = 0; i < e->node_count; i++) {
        e->report->stats.vertex_count += fans[i] > 0;
        if (fans[i] > 1) examine_add(e, SP_DEFECT_VERTEX, -1, -1, i, -1, 0);
    }
    sp__free(e->ctx, parent);
    sp__free(e->ctx, fans);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ inside and outside

static double area_of(const sp_examination *e) {
    double sum = 0, u[3], v[3], n[3];
    for (int f = 0; f < e->face_count; f++) {
        const int *c = e->faces + 3 * (size_t)f;
        sp__sub3(e->x + 3 * (size_t)c[1], e->x + 3 * (size_t)c[0], u);
        sp__sub3(e->x + 3 * (size_t)c[2], e->x + 3 * (size_t)c[0], v);
        sp__cross3(u, v, n);
        sum += 0.5 * sp__norm3(n);
    }
    return sum;
}

// A closed shell with a negative volume is a cavity if an odd number of other shells contains it; otherwise its orientation is
// wrong.
static sp_status check_insides(sp_examination *e) {
    sp_mesh_stats *s = &e->report->stats;
    double *volumes = NULL;
    unsigned char *ask = NULL;
    int *depth = NULL, asked = 0;
    bool whole = true;
    sp_status status = SP_OK;
    if (!SP_NEW(e->ctx, volumes, e->face_count) || !SP_NEW(e->ctx, ask, e->face_count) || !SP_NEW(e->ctx, depth, e->face_count)) {
        status = no_memory(e);
        goto done;
    }
    sp__shell_volumes(e->x, e->faces, e->face_count, e->shell, volumes);
    for (int f = 0; f < e->face_count; f++)
        if (e->shell[f] == f && !e->shell_bad[f] && volumes[f] < 0) ask[f] = 1, asked++;
    if (asked) status = sp__shell_depths(e->ctx, e->x, e->faces, e->face_count, e->shell, e->shell_bad, ask, depth, &whole);
    if (status < 0) goto done;
    e->report->partial[SP_DEFECT_INSIDE_OUT] = !whole;
    for (int f = 0; f < e->face_count; f++)
        if (ask[f] && depth[f] % 2 == 0) examine_add(e, SP_DEFECT_INSIDE_OUT, e->face_element[f], -1, -1, -1, volumes[f]);
    for (int f = 0; f < e->face_count && e->corners == 3; f++) s->volume += volumes[f];
    if (e->corners == 3 && s->closed_count < s->shell_count) s->volume = NAN;

done:
    sp__free(e->ctx, volumes);
    sp__free(e->ctx, ask);
    sp__free(e->ctx, depth);
    return status;
}

// edges, vertices, shells
static sp_status examine_surface(sp_examination *e) {
    if (!SP_NEW(e->ctx, e->shell, e->face_count) || !SP_NEW(e->ctx, e->shell_bad, e->face_count)) return no_memory(e);
    for (int f = 0; f < e->face_count; f++) e->shell[f] = f;
    e->report->stats.face_count = e->face_count;
    e->report->stats.edge_count = e->edges.count;
    e->report->stats.area = area_of(e);
    check_edges(e);
    check_shells(e);
    SP_TRY(check_vertices(e));
    return check_insides(e);
}

// ======================================================================================================== shells

// Closed parts (shells) of a surface: enclosed volume and nesting.

enum { HITS_MAX = 50000000 };  // one to two seconds; only tens of thousands of nested shells reach this

void sp__shell_volumes(const double *x, const int *faces, int face_count, const int *shell, double *volumes) {
    for (int f = 0; f < face_count; f++) {
        // relative to a point of the surface: a small part far from the origin keeps its precision
        const double *o = x + 3 * (size_t)faces[0];
        double p[3][3], n[3];
        for (int k = 0; k < 3; k++) sp__sub3(x + 3 * (size_t)faces[3 * (size_t)f + (size_t)k], o, p[k]);
        sp__cross3(p[1], p[2], n);
        volumes[shell[f]] += sp__dot3(p[0], n) / 6;
    }
}

typedef struct crossing {
    const int *shell;
    const unsigned char *bad;
    unsigned char *odd;  // per shell: crossed an odd number of times
    int own, depth;
    long hits;
} crossing;

static bool shells_cross(void *user, const sp_tree_hit *hit) {
    crossing *c = user;
    int s = c->shell[hit->item];
    if (s != c->own && !c->bad[s]) {
        c->odd[s] = !c->odd[s];
        c->depth += c->odd[s] ? 1 : -1;
    }
    return ++c->hits < HITS_MAX;
}

static bool shells_forget(void *user, const sp_tree_hit *hit) {
    crossing *c = user;
    c->odd[c->shell[hit->item]] = 0;
    return true;
}

sp_status sp__shell_depths(sp_context *ctx, const double *x, const int *faces, int face_count, const int *shell,
                           const unsigned char *bad, const unsigned char *ask, int *depth, bool *whole) {
    // an arbitrary direction: no edge or vertex of a practical mesh lies exactly along it from another
    static const double direction[3] = {0.5377671395, 0.2986420917, 0.7886751346};
    crossing c = {.shell = shell, .bad = bad};
    sp_tree *tree;
    SP_TRY(sp__tree_create(ctx, x, faces, face_count, 3, &tree));
    if (!SP_NEW(ctx, c.odd, face_count)) {
        sp__tree_destroy(&tree);
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for the parts of a surface");
    }
    for (int f = 0; f < face_count && c.hits < HITS_MAX; f++) {
        if (shell[f] != f || !ask[f]) continue;
        double from[3] = {0};
        for (int k = 0; k < 3; k++) sp__axpy3(from, 1.0 / 3, x + 3 * (size_t)faces[3 * (size_t)f + (size_t)k], from);
        c.own = f, c.depth = 0;
        sp__tree_hits(tree, from, direction, INFINITY, shells_cross, &c);
        sp__tree_hits(tree, from, direction, INFINITY, shells_forget, &c);
        depth[f] = c.depth;
    }
    *whole = c.hits < HITS_MAX;
    sp__free(ctx, c.odd);
    sp__tree_destroy(&tree);
    return SP_OK;
}

// ================================================================================================= intersections

// Self-intersections of the surface: pairs of triangles with overlapping boxes, then the exact test. Coincident nodes count as
// one node, so that a surface of separate triangles does not report every pair of neighbours.

enum { PAIRS_MAX = 60000000 };  // limit of about ten seconds; a good surface has about eight pairs per triangle

typedef struct search {
    sp_examination *e;
    const int *faces;
    int64_t pairs, most;
} search;

static bool try_pair(void *user, int a, int b) {
    search *s = user;
    if (++s->pairs > s->most) return false;
    if (sp__triangles_intersect(s->e->x, s->faces + 3 * (size_t)a, s->faces + 3 * (size_t)b))
        examine_add(s->e, SP_DEFECT_INTERSECTION, s->e->face_element[a], s->e->face_element[b], -1, -1, 0);
    return true;
}

// intersecting triangles
static sp_status examine_intersections(sp_examination *e) {
    int *welded;
    sp_tree *tree = NULL;
    if (e->face_count == 0) return SP_OK;
    if (!SP_NEW(e->ctx, welded, 3 * (size_t)e->face_count))
        return SP_FAIL(e->ctx, SP_NO_MEMORY, "no memory to intersect %d triangles", e->face_count);
    for (size_t i = 0; i < 3 * (size_t)e->face_count; i++) welded[i] = e->same[e->faces[i]];
    sp_status status = sp__tree_create(e->ctx, e->x, welded, e->face_count, 3, &tree);
    if (status == SP_OK) {
        search s = {.e = e, .faces = welded, .most = PAIRS_MAX + 64 * (int64_t)e->face_count};
        sp__tree_pairs(tree, try_pair, &s);
        e->report->partial[SP_DEFECT_INTERSECTION] = s.pairs > s.most;
    }
    sp__tree_destroy(&tree);
    sp__free(e->ctx, welded);
    return status;
}

// ======================================================================================== report and examination

static const char *const names[] = {
#define SP_X(id, name, text) name,
    SP_DEFECT_LIST(SP_X)
#undef SP_X
};

static const char *const texts[] = {
#define SP_X(id, name, text) text,
    SP_DEFECT_LIST(SP_X)
#undef SP_X
};

const char *sp_defect_name(sp_defect_kind kind) {
    return (unsigned)kind < SP_DEFECT_KINDS ? names[kind] : NULL;
}

const char *sp_defect_text(sp_defect_kind kind) {
    return (unsigned)kind < SP_DEFECT_KINDS ? texts[kind] : NULL;
}

sp_examine_options sp_examine_options_default(void) {
    return (sp_examine_options){.tolerance = -1, .limit = 20, .intersections = true, .cookie = SP_COOKIE_EXAMINE};
}

// ------------------------------------------------------------------------------------------------ the report

static sp_defect *new_defect(sp_mesh_report *r, sp_defect_kind kind) {
    if (r->listed[kind] >= r->limit) return NULL;
    if (r->listed[kind] == r->capacity[kind]) {
        int capacity = r->capacity[kind] ? 2 * r->capacity[kind] : 8;
        sp_defect *larger;
        capacity = capacity < r->limit ? capacity : r->limit;
        if (!SP_NEW(r->ctx, larger, capacity)) {
            r->no_memory = true;
            return NULL;
        }
        if (r->listed[kind]) memcpy(larger, r->lists[kind], (size_t)r->listed[kind] * sizeof *larger);
        sp__free(r->ctx, r->lists[kind]);
        r->lists[kind] = larger, r->capacity[kind] = capacity;
    }
    return &r->lists[kind][r->listed[kind]++];
}

static int64_t examine_number(const int64_t *ids, int i) {
    return ids ? ids[i] : i;
}

// Counts a defect and lists it if the list is not full. Numbers are internal indices; -1: none.
static void examine_add(sp_examination *e, sp_defect_kind kind, int element_a, int element_b, int node_a, int node_b,
                        double value) {
    e->report->counts[kind]++;
    sp_defect *d = new_defect(e->report, kind);
    if (!d) return;
    *d = (sp_defect){.kind = kind, .value = value};
    if (element_a >= 0) d->elements[d->element_count++] = examine_number(e->element_ids, element_a);
    if (element_b >= 0) d->elements[d->element_count++] = examine_number(e->element_ids, element_b);
    if (node_a >= 0) d->nodes[d->node_count++] = examine_number(e->node_ids, node_a);
    if (node_b >= 0) d->nodes[d->node_count++] = examine_number(e->node_ids, node_b);
}

void sp_mesh_report_destroy(sp_mesh_report **handle) {
    if (!handle || !*handle) return;
    sp_mesh_report *r = *handle;
    *handle = NULL;
    for (int k = 0; k < SP_DEFECT_KINDS; k++) sp__free(r->ctx, r->lists[k]);
    sp__free(r->ctx, r);
}

const sp_mesh_stats *sp_mesh_report_stats(const sp_mesh_report *report) {
    return &report->stats;
}

int64_t sp_mesh_report_count(const sp_mesh_report *report, sp_defect_kind kind, bool *whole) {
    bool known = (unsigned)kind < SP_DEFECT_KINDS;
    if (whole) *whole = !known || !report->partial[kind];
    return known ? report->counts[kind] : 0;
}

sp_status sp_mesh_report_at(const sp_mesh_report *report, int index, sp_defect *out) {
    if (index < 0) return SP_BAD_INPUT;
    for (int k = 0; k < SP_DEFECT_KINDS; index -= report->listed[k++]) {
        if (index >= report->listed[k]) continue;
        *out = report->lists[k][index];
        return SP_OK;
    }
    return SP_BAD_INPUT;
}

// ------------------------------------------------------------------------------------------------ examination

static sp_status examine_stages(sp_examination *e) {
    sp_context *ctx = e->ctx;
    if (!SP_NEW(ctx, e->state, e->element_count) || !SP_NEW(ctx, e->used, e->node_count) || !SP_NEW(ctx, e->same, e->node_count))
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory to examine %d elements", e->element_count);
    SP_TRY(examine_elements(e));
    examine_quality(e);
    SP_TRY(examine_nodes(e));
    SP_TRY(examine_collect(e));
    SP_TRY(examine_surface(e));
    if (e->intersections) SP_TRY(examine_intersections(e));
    if (e->report->no_memory) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory to list defects");
    return SP_OK;
}

// checks the types of elements and finds where the nodes of each begin
static sp_status examine_types(sp_examination *e) {
    if (!e->types) return SP_OK;
    if (!SP_NEW(e->ctx, e->start, (size_t)e->element_count + 1))
        return SP_FAIL(e->ctx, SP_NO_MEMORY, "no memory to examine %d elements", e->element_count);
    for (int i = 0; i < e->element_count; i++) {
        int type = (int)e->types[i];
        if (type != SP_ELEMENT_TET4 && type != SP_ELEMENT_TET10 && type != SP_ELEMENT_HEX8)
            return SP_FAIL(e->ctx, SP_BAD_INPUT, "element %d has type %d, must be a tetrahedron or a hexahedron", i, type);
        e->start[i + 1] = e->start[i] + sp_element_nodes(e->types[i]);
    }
    return SP_OK;
}

static sp_status examine_examine(sp_examination *e, const sp_examine_options *o, sp_mesh_report **out) {
    sp_context *ctx = e->ctx;
    *out = NULL;
    if (o->cookie != SP_COOKIE_EXAMINE)
        return SP_FAIL(ctx, SP_BAD_INPUT, "the options did not start from sp_examine_options_default()");
    if (isnan(o->tolerance) || o->tolerance == INFINITY) return SP_FAIL(ctx, SP_BAD_INPUT, "tolerance = %g m", o->tolerance);
    if (o->limit < 0) return SP_FAIL(ctx, SP_BAD_INPUT, "limit = %d, must be at least 0", o->limit);
    if (e->node_count < 0 || e->node_count > SP_NODES_MAX)
        return SP_FAIL(ctx, SP_BAD_INPUT, "%d nodes, must be in [0, %d]", e->node_count, SP_NODES_MAX);
    if (e->element_count < 0 || e->element_count > SP_TETS_MAX)
        return SP_FAIL(ctx, SP_BAD_INPUT, "%d elements, must be in [0, %d]", e->element_count, SP_TETS_MAX);
    if ((e->node_count && !e->x) || (e->element_count && !e->elements))
        return SP_FAIL(ctx, SP_BAD_INPUT, "positions and elements must be given");
    if (!SP_NEW(ctx, e->report, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a report");
    e->report->ctx = ctx;
    e->report->limit = o->limit;
    e->tolerance = sp__weld_tolerance(e->x, e->node_count, o->tolerance);
    e->intersections = o->intersections;
    sp_status status = examine_types(e);
    if (status == SP_OK) status = examine_stages(e);
    void *owned[] = {e->start, e->state, e->used, e->same, e->faces, e->face_element, e->shell, e->shell_bad};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sp__free(ctx, owned[i]);
    sp__edges_free(ctx, &e->edges);
    if (status < 0)
        sp_mesh_report_destroy(&e->report);
    else
        *out = e->report;
    return status;
}

sp_status sp_mesh_examine(sp_context *context, const sp_mesh_def *def, const sp_examine_options *options, sp_mesh_report **out) {
    sp_examine_options o = options ? *options : sp_examine_options_default();
    *out = NULL;
    if (def->cookie != SP_COOKIE_MESH)
        return SP_FAIL(context, SP_BAD_INPUT, "the mesh definition did not start from sp_mesh_def_default()");
    sp_examination e = {.ctx = context,
                        .x = def->positions,
                        .elements = def->element_nodes,
                        .types = def->element_types,
                        .node_count = def->node_count,
                        .element_count = def->element_count,
                        .corners = 4,
                        .node_ids = def->node_ids,
                        .element_ids = def->element_ids};
    return examine_examine(&e, &o, out);
}

sp_status sp_trimesh_examine(sp_context *context, const sp_trimesh_def *def, const sp_examine_options *options,
                             sp_mesh_report **out) {
    sp_examine_options o = options ? *options : sp_examine_options_default();
    *out = NULL;
    if (def->cookie != SP_COOKIE_TRIMESH)
        return SP_FAIL(context, SP_BAD_INPUT, "the surface definition did not start from sp_trimesh_def_default()");
    sp_examination e = {.ctx = context,
                        .x = def->positions,
                        .elements = def->faces,
                        .node_count = def->vertex_count,
                        .element_count = def->face_count,
                        .corners = 3,
                        .node_ids = o.node_ids,
                        .element_ids = o.element_ids};
    return examine_examine(&e, &o, out);
}
