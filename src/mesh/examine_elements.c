// Checks of single nodes and elements: positions, node numbers, orientation, flatness, duplicates, unreferenced nodes, coincident
// nodes, connected components.
#include "math/vec3.h"
#include "mesh/examine.h"
#include "mesh/rows.h"
#include "mesh/weld.h"

static bool finite(const double *x) {
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

static bool repeats(const int *c, int corners) {
    for (int i = 1; i < corners; i++)
        for (int j = 0; j < i; j++)
            if (c[i] == c[j]) return true;
    return false;
}

// twice the area of a triangle, and the value below which it is rounding error (as for tetrahedra in mesh_create.c)
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

static unsigned char judge(const double *x, int nodes, const int *c, int corners) {
    double flat, size;
    for (int i = 0; i < corners; i++)
        if (c[i] < 0 || c[i] >= nodes || !finite(x + 3 * (size_t)c[i])) return SP_ELEMENT_BROKEN;
    if (repeats(c, corners)) return SP_ELEMENT_LOOSE | SP_ELEMENT_FLAT;
    if (corners == 3) {
        size = triangle_size(x, c, &flat);
    } else {
        size = sp__tet_det(x, c);
        flat = sp__tet_flat_below(x, c);
    }
    if (!(fabs(size) > flat)) return SP_ELEMENT_FLAT;
    return size < 0 ? SP_ELEMENT_INVERTED : 0;
}

void sp__elements_judge(const double *x, int nodes, const int *elements, int count, int corners, unsigned char *state) {
    for (size_t i = 0; i < (size_t)count; i++) state[i] = judge(x, nodes, elements + i * (size_t)corners, corners);
}

sp_status sp__elements_twins(sp_context *ctx, const int *elements, int count, int corners, int nodes, unsigned char *state,
                             void (*twin)(void *user, int element, int earlier), void *user) {
    int *rows, n = 0, stride = corners + 1;
    if (!SP_NEW(ctx, rows, (size_t)count * (size_t)stride))
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory to compare %d elements", count);
    for (int i = 0; i < count; i++) {
        if (state[i] & (SP_ELEMENT_BROKEN | SP_ELEMENT_LOOSE)) continue;
        int *row = rows + (size_t)n++ * (size_t)stride;
        memcpy(row, elements + (size_t)i * (size_t)corners, (size_t)corners * sizeof *row);
        sp__row_rise(row, corners);
        row[corners] = i;
    }
    sp_status status = sp__rows_sort(ctx, rows, n, corners, nodes);
    for (int i = 0, end; status == SP_OK && i < n; i = end) {
        const int *first = rows + (size_t)i * (size_t)stride;
        for (end = i + 1; end < n && sp__rows_equal(first, rows + (size_t)end * (size_t)stride, corners); end++) {
            int element = rows[(size_t)end * (size_t)stride + (size_t)corners];
            state[element] |= SP_ELEMENT_LOOSE;
            twin(user, element, first[corners]);
        }
    }
    sp__free(ctx, rows);
    return status;
}

// ------------------------------------------------------------------------------------------------ elements

static double size_of(const sp_examination *e, const int *c) {
    double flat;
    return e->corners == 4 ? sp__tet_det(e->x, c) / 6 : triangle_size(e->x, c, &flat) / 2;
}

// whether a node number is out of range; a node that is not finite is reported once, as a node
static bool names_missing(const sp_examination *e, const int *c) {
    for (int i = 0; i < e->corners; i++)
        if (c[i] < 0 || c[i] >= e->node_count) return true;
    return false;
}

static void report_elements(sp_examination *e) {
    for (int i = 0; i < e->element_count; i++) {
        const int *c = e->elements + (size_t)i * (size_t)e->corners;
        unsigned char s = e->state[i];
        if (s & SP_ELEMENT_BROKEN && names_missing(e, c)) sp__examine_add(e, SP_DEFECT_INDEX, i, -1, -1, -1, 0);
        if (s & SP_ELEMENT_FLAT) sp__examine_add(e, SP_DEFECT_FLAT, i, -1, -1, -1, size_of(e, c));
        if (s & SP_ELEMENT_INVERTED) sp__examine_add(e, SP_DEFECT_INVERTED, i, -1, -1, -1, size_of(e, c));
    }
}

// earlier[element] = 1 + the earlier element with the same nodes; 0: none
static void keep_twin(void *user, int element, int earlier) {
    ((int *)user)[element] = earlier + 1;
}

sp_status sp__examine_elements(sp_examination *e) {
    for (int i = 0; i < e->node_count; i++)
        if (!finite(e->x + 3 * (size_t)i)) sp__examine_add(e, SP_DEFECT_NOT_FINITE, -1, -1, i, -1, 0);
    sp__elements_judge(e->x, e->node_count, e->elements, e->element_count, e->corners, e->state);
    report_elements(e);
    // reports in order of element numbers, which the sort does not keep
    int *earlier;
    if (!SP_NEW(e->ctx, earlier, e->element_count)) return SP_FAIL(e->ctx, SP_NO_MEMORY, "no memory to compare elements");
    sp_status status =
        sp__elements_twins(e->ctx, e->elements, e->element_count, e->corners, e->node_count, e->state, keep_twin, earlier);
    for (int i = 0; i < e->element_count && status == SP_OK; i++)
        if (earlier[i]) sp__examine_add(e, SP_DEFECT_DUPLICATE, earlier[i] - 1, i, -1, -1, 0);
    sp__free(e->ctx, earlier);
    return status;
}

// ------------------------------------------------------------------------------------------------ nodes

static void mark_used(sp_examination *e) {
    for (size_t i = 0; i < (size_t)e->element_count * (size_t)e->corners; i++)
        if (e->elements[i] >= 0 && e->elements[i] < e->node_count) e->used[e->elements[i]] = 1;
}

// counts parts that share no node
static sp_status count_components(sp_examination *e) {
    int *parent;
    if (!SP_NEW(e->ctx, parent, e->node_count)) return SP_FAIL(e->ctx, SP_NO_MEMORY, "no memory for the parts of a mesh");
    for (int i = 0; i < e->node_count; i++) parent[i] = i;
    for (int i = 0; i < e->element_count; i++) {
        const int *c = e->elements + (size_t)i * (size_t)e->corners;
        if (e->state[i] & SP_ELEMENT_BROKEN) continue;
        for (int k = 1; k < e->corners; k++) sp__set_join(parent, c[0], c[k]);
    }
    // a part is counted at its root, the lowest node of its set; a root is used if any node of the set is used
    for (int i = 0; i < e->element_count; i++) {
        const int *c = e->elements + (size_t)i * (size_t)e->corners;
        if (e->state[i] & SP_ELEMENT_BROKEN) continue;
        int root = sp__set_root(parent, c[0]);
        if (e->used[root] == 2) continue;
        e->used[root] = 2;
        e->report->stats.component_count++;
    }
    sp__free(e->ctx, parent);
    return SP_OK;
}

sp_status sp__examine_nodes(sp_examination *e) {
    mark_used(e);
    for (int i = 0; i < e->node_count; i++)
        if (!e->used[i]) sp__examine_add(e, SP_DEFECT_UNREFERENCED, -1, -1, i, -1, 0);
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
        sp__examine_add(e, SP_DEFECT_COINCIDENT, -1, -1, e->same[i], i, sp__norm3(d));
    }
    return count_components(e);
}
