// Surface topology: faces of exactly one tetrahedron, or the given triangles; then edges, vertices and shells. The faces of an
// inverted tetrahedron are flipped, so that it is reported once and not again for every neighbour.
#include "math/vec3.h"
#include "mesh/examine.h"
#include "mesh/rows.h"

static sp_status no_memory(const sp_examination *e) {
    return SP_FAIL(e->ctx, SP_NO_MEMORY, "no memory for the surface of %d elements", e->element_count);
}

// ------------------------------------------------------------------------------------------------ faces of tetrahedra

// face f = 4 tet + local face, oriented outward
static void face_nodes(const sp_examination *e, int f, int out[3]) {
    const int *tet = e->elements + 4 * (size_t)(f / 4), *local = sp__tet_face[f % 4];
    bool turn = e->state[f / 4] & SP_ELEMENT_INVERTED;
    for (int k = 0; k < 3; k++) out[k] = tet[local[turn ? 2 - k : k]];
}

static bool runs_upwards(const sp_examination *e, int f) {
    int n[3];
    face_nodes(e, f, n);
    return (n[0] < n[1]) + (n[1] < n[2]) + (n[2] < n[0]) == 2;
}

static int fill_rows(const sp_examination *e, int *rows) {
    int n = 0;
    for (int t = 0; t < e->element_count; t++) {
        if (e->state[t] & (SP_ELEMENT_BROKEN | SP_ELEMENT_LOOSE)) continue;
        for (int k = 0; k < 4; k++, n++) {
            face_nodes(e, 4 * t + k, rows + 4 * (size_t)n);
            sp__row_rise(rows + 4 * (size_t)n, 3);
            rows[4 * (size_t)n + 3] = 4 * t + k;
        }
    }
    return n;
}

// equal rows are the same face; single[f] = 1 if no other face is equal
static void match_faces(sp_examination *e, const int *rows, int n, unsigned char *single) {
    for (int i = 0, end; i < n; i = end) {
        const int *row = rows + 4 * (size_t)i;
        for (end = i + 1; end < n && sp__rows_equal(row, rows + 4 * (size_t)end, 3); end++) {}
        int f = row[3], g = end - i > 1 ? row[7] : -1;
        if (end - i == 1) {
            single[f] = 1;
            e->face_count++;
        } else if (end - i > 2) {
            sp__examine_add(e, SP_DEFECT_SHARED_FACE, f / 4, g / 4, -1, -1, 0);
        } else if (!((e->state[f / 4] | e->state[g / 4]) & SP_ELEMENT_FLAT) && runs_upwards(e, f) == runs_upwards(e, g)) {
            sp__examine_add(e, SP_DEFECT_FOLDED, f / 4, g / 4, -1, -1, 0);
        }
    }
}

static sp_status collect_tets(sp_examination *e) {
    int *rows = NULL;
    unsigned char *single = NULL;
    sp_status status = SP_OK;
    if (!SP_NEW(e->ctx, rows, 16 * (size_t)e->element_count) || !SP_NEW(e->ctx, single, 4 * (size_t)e->element_count)) {
        status = no_memory(e);
        goto done;
    }
    int n = fill_rows(e, rows), count = 0;
    status = sp__rows_sort(e->ctx, rows, n, 3, e->node_count);
    if (status < 0) goto done;
    match_faces(e, rows, n, single);
    if (!SP_NEW(e->ctx, e->faces, 3 * (size_t)e->face_count) || !SP_NEW(e->ctx, e->face_element, e->face_count)) {
        status = no_memory(e);
        goto done;
    }
    for (int f = 0; f < 4 * e->element_count; f++) {
        if (!single[f]) continue;
        face_nodes(e, f, e->faces + 3 * (size_t)count);
        e->face_element[count++] = f / 4;
    }

done:
    sp__free(e->ctx, rows);
    sp__free(e->ctx, single);
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

sp_status sp__examine_collect(sp_examination *e) {
    SP_TRY(e->corners == 4 ? collect_tets(e) : collect_triangles(e));
    return sp__edges_find(e->ctx, e->faces, e->face_count, e->node_count, &e->edges);
}

// ------------------------------------------------------------------------------------------------ edges and vertices

static void judge_edges(sp_examination *e) {
    const sp_edges *d = &e->edges;
    for (int i = 0; i < d->count; i++) {
        const int *side = d->sides + d->first[i], n = d->first[i + 1] - d->first[i];
        int a = d->ends[2 * i], b = d->ends[2 * i + 1], up = 0;
        int behind = e->face_element[side[0] / 3], other = n > 1 ? e->face_element[side[1] / 3] : -1;
        for (int k = 0; k < n; k++) {
            if (k > 0) sp__set_join(e->shell, side[0] / 3, side[k] / 3);
            up += sp__side_from(e->faces, side[k]) == a ? 1 : -1;
        }
        if (n == 1) sp__examine_add(e, SP_DEFECT_OPEN_EDGE, behind, -1, a, b, 0);
        if (n > 2) sp__examine_add(e, SP_DEFECT_EDGE, behind, other, a, b, 0);
        if (n == 2 && up != 0) sp__examine_add(e, SP_DEFECT_ORIENTATION, behind, other, a, b, 0);
    }
}

// after all joins: finds the shells with unbalanced edges
static void judge_shells(sp_examination *e) {
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
static sp_status judge_vertices(sp_examination *e) {
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
        if (fans[i] > 1) sp__examine_add(e, SP_DEFECT_VERTEX, -1, -1, i, -1, 0);
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
static sp_status judge_insides(sp_examination *e) {
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
        if (ask[f] && depth[f] % 2 == 0) sp__examine_add(e, SP_DEFECT_INSIDE_OUT, e->face_element[f], -1, -1, -1, volumes[f]);
    for (int f = 0; f < e->face_count && e->corners == 3; f++) s->volume += volumes[f];
    if (e->corners == 3 && s->closed_count < s->shell_count) s->volume = NAN;

done:
    sp__free(e->ctx, volumes);
    sp__free(e->ctx, ask);
    sp__free(e->ctx, depth);
    return status;
}

sp_status sp__examine_surface(sp_examination *e) {
    if (!SP_NEW(e->ctx, e->shell, e->face_count) || !SP_NEW(e->ctx, e->shell_bad, e->face_count)) return no_memory(e);
    for (int f = 0; f < e->face_count; f++) e->shell[f] = f;
    e->report->stats.face_count = e->face_count;
    e->report->stats.edge_count = e->edges.count;
    e->report->stats.area = area_of(e);
    judge_edges(e);
    judge_shells(e);
    SP_TRY(judge_vertices(e));
    return judge_insides(e);
}
