// Removal of elements. A removed element keeps its slot, its nodes and its place in the pattern of the matrix, so that no number
// of any other element moves: its volume, its integration weights and its slopes are 0, as in padding, and the kernels get zero
// forces, energy and stiffness from it. The faces that it leaves bare join the boundary. A node that has lost its last element
// has neither mass nor stiffness: it is held where it is, so that the system stays regular.
//
// What is left (sp_remains) is made first and then exchanged without a failure; a rollback and a restore exchange it back.
#include <stdlib.h>

#include "solid/solid.h"

// ------------------------------------------------------------------------------------------------ elements and nodes

// user's nodes of an element; returns their number
static int remove_nodes(const sp_solid *s, int element, int node[SP_ELEMENT_NODES_MAX], sp_element_type *type) {
    const int slot = s->slot_of[element];
    const sp_solid_group *g = sp__solid_group_of(s, slot);
    for (int a = 0; a < g->nodes; a++) node[a] = s->user_node[sp__group_node(g, slot, a)];
    *type = g->type;
    return g->nodes;
}

static void count_bare(const sp_solid *s, sp_remains *r) {
    int node[SP_ELEMENT_NODES_MAX];
    sp_element_type type;
    for (int i = 0; i < s->nodes; i++) r->bare[i] = s->corner_of[i] != UINT32_MAX;
    for (int e = 0; e < s->elements; e++)
        for (int a = r->gone[e] ? 0 : remove_nodes(s, e, node, &type); a > 0; a--) r->bare[s->inner_node[node[a - 1]]] = 0;
    for (int i = 0; i < s->nodes; i++) r->bare_count += r->bare[i];
}

// ------------------------------------------------------------------------------------------------ faces that become bare

// Triangles of the faces of elements that were removed or appended, and of their neighbours. One that belongs to a single element
// that is left is a part of the boundary; a new one, if the boundary of the whole solid does not have it.
typedef struct remove_triangle {
    int corner[3];  // user's nodes, outward
    int element;
    uint64_t key[2];  // corners, ascending
    bool bare;        // a new part of the boundary
    bool covered;     // another element that is left has it too
} remove_triangle;

typedef struct remove_job {
    const sp_solid *s;
    const sp_remains *r;
    const sp_surface *whole;  // boundary of the whole solid
    const int *whole_cells;
    unsigned char *touched;  // per user's node: a node of a removed or appended element
    remove_triangle *list, **sorted;
    int count, faces;
    int *first_cell;     // per element (elements + 1)
    int *corner, *cell;  // faces of the boundary that is left: user's nodes, cells
    int *vertex;         // per user's node
} remove_job;

static void sort_corners(remove_triangle *t) {
    int a = t->corner[0], b = t->corner[1], c = t->corner[2], low = a < b ? a : b, high = a < b ? b : a;
    int least = low < c ? low : c, most = high > c ? high : c;
    t->key[0] = (uint64_t)least, t->key[1] = (uint64_t)(a + b + c - least - most) << 32 | (uint64_t)most;
}

static int compare_triangles(const void *p, const void *q) {
    const remove_triangle *a = *(remove_triangle *const *)p, *b = *(remove_triangle *const *)q;
    for (int k = 0; k < 2; k++)
        if (a->key[k] != b->key[k]) return a->key[k] < b->key[k] ? -1 : 1;
    return a < b ? -1 : a > b;
}

static void mark_touched(const remove_job *j) {
    int node[SP_ELEMENT_NODES_MAX];
    sp_element_type type;
    for (int e = 0; e < j->s->elements; e++)
        for (int a = j->r->gone[e] || e >= j->s->built.elements ? remove_nodes(j->s, e, node, &type) : 0; a > 0; a--)
            j->touched[node[a - 1]] = 1;
}

static bool all_touched(const remove_job *j, const int n[3]) {
    return j->touched[n[0]] && j->touched[n[1]] && j->touched[n[2]];
}

// counts the triangles with three touched nodes, or lists them
static int list_triangles(remove_job *j) {
    int node[SP_ELEMENT_NODES_MAX], triangle[SP_ELEMENT_TRIANGLES_MAX][3], count = 0;
    sp_element_type type;
    for (int e = 0; e < j->s->elements; e++) {
        remove_nodes(j->s, e, node, &type);
        sp__element_triangles(type, node, triangle);
        for (int t = 0; t < sp__element_triangle_count(type); t++) {
            const int *n = triangle[t];
            if (!all_touched(j, n)) continue;
            if (j->list) {
                j->list[count] = (remove_triangle){.corner = {n[0], n[1], n[2]}, .element = e};
                sort_corners(&j->list[count]);
                j->sorted[count] = &j->list[count];
            }
            count++;
        }
    }
    return count;
}

static bool same_triangle(const remove_triangle *a, const remove_triangle *b) {
    return a->key[0] == b->key[0] && a->key[1] == b->key[1];
}

// the corners ascend up to a rotation
static bool ascends(const remove_triangle *t) {
    const int *c = t->corner;
    return (c[0] < c[1]) + (c[1] < c[2]) + (c[2] < c[0]) == 2;
}

// Triangles that are one, [begin, end) of the sorted list. Of those of the elements that the solid was created with, one alone is
// in the boundary of the whole.
static sp_status mark_bare(sp_body *b, const remove_job *j, int begin, int end) {
    remove_triangle *last = NULL;
    int left = 0, built = 0;
    for (int i = begin; i < end; i++) {
        remove_triangle *t = j->sorted[i];
        built += t->element < j->s->built.elements;
        if (j->r->gone[t->element]) continue;
        if (last && (left > 1 || ascends(last) == ascends(t)))
            return SP_BODY_FAIL(b, SP_BAD_INPUT,
                                "elements %d and %d of '%s' overlap: both are at the same side of nodes %d, %d, %d",
                                last->element, t->element, b->name, t->corner[0], t->corner[1], t->corner[2]);
        last = t, left++;
    }
    for (int i = begin; i < end; i++) j->sorted[i]->covered = left > 1;
    if (left == 1) last->bare = built != 1 || last->element >= j->s->built.elements;
    return SP_OK;
}

static sp_status find_bare(sp_body *b, const remove_job *j) {
    qsort(j->sorted, (size_t)j->count, sizeof *j->sorted, compare_triangles);
    for (int begin = 0, end; begin < j->count; begin = end) {
        for (end = begin + 1; end < j->count && same_triangle(j->sorted[begin], j->sorted[end]); end++) continue;
        SP_TRY(mark_bare(b, j, begin, end));
    }
    return SP_OK;
}

static int compare_keys(const void *p, const void *q) {
    const remove_triangle *a = *(remove_triangle *const *)p, *b = *(remove_triangle *const *)q;
    for (int k = 0; k < 2; k++)
        if (a->key[k] != b->key[k]) return a->key[k] < b->key[k] ? -1 : 1;
    return 0;
}

// an appended element lies on a face of the boundary of the whole
static bool is_covered(const remove_job *j, const int corner[3]) {
    remove_triangle face = {.corner = {corner[0], corner[1], corner[2]}}, *key = &face;
    if (!all_touched(j, corner)) return false;
    sort_corners(&face);
    remove_triangle **found = bsearch(&key, j->sorted, (size_t)j->count, sizeof *j->sorted, compare_keys);
    return found && (*found)->covered;
}

// the cell of an element behind a triangle
static int cell_behind(const remove_job *j, const remove_triangle *t) {
    const sp_solid *s = j->s;
    for (int c = j->first_cell[t->element]; c < j->first_cell[t->element + 1]; c++) {
        int found = 0;
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < 3; i++) found += sp__solid_cell(s, (uint32_t)c)[k] == s->inner_node[t->corner[i]];
        if (found == 3) return c;
    }
    return j->first_cell[t->element];
}

static void add_face(remove_job *j, const int corner[3], int cell) {
    memcpy(j->corner + 3 * (size_t)j->faces, corner, 3 * sizeof *corner);
    j->cell[j->faces++] = cell;
}

// the faces of the whole boundary in their order, then those that are new, in the order of elements
static void collect_faces(remove_job *j) {
    const sp_surface *whole = j->whole;
    for (int f = 0; f < whole->face_count; f++) {
        int corner[3], cell = j->whole_cells[f];
        for (int k = 0; k < 3; k++) corner[k] = whole->nodes[whole->faces[3 * f + k]];
        if (!j->r->gone[j->s->cell_element[cell]] && !is_covered(j, corner)) add_face(j, corner, cell);
    }
    for (int i = 0; i < j->count; i++)
        if (j->list[i].bare) add_face(j, j->list[i].corner, cell_behind(j, &j->list[i]));
}

static void number_cells(const remove_job *j) {
    for (int c = 0; c < j->s->cells; c++) j->first_cell[j->s->cell_element[c] + 1]++;
    for (int e = 0; e < j->s->elements; e++) j->first_cell[e + 1] += j->first_cell[e];
}

// ------------------------------------------------------------------------------------------------ boundary

// the node of a corner as an anchor in the cell behind the face
static sp_anchor corner_anchor(const sp_body *b, int cell, int node) {
    const sp_solid *s = sp__solid(b);
    sp_anchor a = {.body = b->id, .elem = (uint32_t)cell};
    for (int k = 1; k < 4; k++)
        if (sp__solid_cell(s, a.elem)[k] == s->inner_node[node]) a.at[k - 1] = 1;
    return a;
}

static sp_status fill_boundary(sp_body *b, remove_job *j, sp_surface *out) {
    int n = 0;
    for (int i = 0; i < 3 * j->faces; i++) j->vertex[j->corner[i]] = 1;
    for (int i = 0; i < j->s->nodes; i++) j->vertex[i] = j->vertex[i] ? n++ : -1;
    out->vertex_count = n, out->face_count = j->faces;
    if (!SP_NEW(b->ctx, out->anchors, n + 1) || !SP_NEW(b->ctx, out->nodes, n + 1) ||
        !SP_NEW(b->ctx, out->faces, 3 * (size_t)j->faces + 1))
        return SP_NO_MEMORY;
    for (int i = 0; i < 3 * j->faces; i++) {
        const int node = j->corner[i], v = j->vertex[node];
        out->faces[i] = (uint32_t)v, out->nodes[v] = node;
        out->anchors[v] = corner_anchor(b, j->cell[i / 3], node);
    }
    return SP_OK;
}

static sp_status new_boundary(sp_body *b, remove_job *j, sp_remains *r) {
    sp_solid *s = sp__solid(b);
    const sp_surface *now = b->surfaces[0];
    if (!(r->boundary = sp__surface_create(b->ctx, now->name, now->roles))) return SP_NO_MEMORY;
    // numbers are not used twice, so that a reader that has seen one of them has seen these faces
    if (s->boundary_changes < now->revision) s->boundary_changes = now->revision;
    r->boundary->revision = ++s->boundary_changes;
    SP_TRY(fill_boundary(b, j, r->boundary));
    if (!SP_NEW(b->ctx, r->face_cells, j->faces + 1)) return SP_NO_MEMORY;
    memcpy(r->face_cells, j->cell, (size_t)j->faces * sizeof *j->cell);
    return SP_OK;
}

static sp_status find_boundary(sp_body *b, sp_remains *r) {
    const sp_solid *s = sp__solid(b);
    remove_job j = {.s = s,
                    .r = r,
                    .whole = s->left ? s->whole_boundary : b->surfaces[0],
                    .whole_cells = s->left ? s->whole_cells : s->surface_cells};
    sp_status status = SP_NO_MEMORY;
    if (!SP_NEW(b->ctx, j.touched, s->nodes) || !SP_NEW(b->ctx, j.vertex, s->nodes) ||
        !SP_NEW(b->ctx, j.first_cell, s->elements + 1))
        goto done;
    mark_touched(&j), number_cells(&j);
    j.count = list_triangles(&j);
    const size_t most = (size_t)j.count + (size_t)j.whole->face_count;
    if (!SP_NEW(b->ctx, j.list, j.count + 1) || !SP_NEW(b->ctx, j.sorted, j.count + 1) || !SP_NEW(b->ctx, j.corner, 3 * most) ||
        !SP_NEW(b->ctx, j.cell, most))
        goto done;
    list_triangles(&j);
    status = find_bare(b, &j);
    if (status < 0) goto done;
    collect_faces(&j);
    status = new_boundary(b, &j, r);
done:
    sp__free(b->ctx, j.touched), sp__free(b->ctx, j.vertex), sp__free(b->ctx, j.first_cell);
    sp__free(b->ctx, j.list), sp__free(b->ctx, j.sorted), sp__free(b->ctx, j.corner), sp__free(b->ctx, j.cell);
    return status;
}

// ------------------------------------------------------------------------------------------------ what is left

void sp__solid_drop_remains(sp_body *b, sp_remains **remains) {
    sp_remains *r = *remains;
    *remains = NULL;
    if (!r) return;
    sp__surface_release(b->ctx, &r->boundary);
    sp__free(b->ctx, r->gone), sp__free(b->ctx, r->bare), sp__free(b->ctx, r->held), sp__free(b->ctx, r->face_cells);
    sp__free(b->ctx, r);
}

// the volumes of the whole solid, for elements that return
static sp_status keep_volumes(sp_body *b) {
    sp_solid *s = sp__solid(b);
    if (s->whole_volume) return SP_OK;
    if (!SP_NEW(b->ctx, s->whole_volume, s->slots + 1)) return SP_NO_MEMORY;
    memcpy(s->whole_volume, s->volume, (size_t)s->slots * sizeof *s->volume);
    return SP_OK;
}

static sp_status remains_fill(sp_body *b, const unsigned char *removed, sp_remains *r) {
    const sp_solid *s = sp__solid(b);
    if (!SP_NEW(b->ctx, r->gone, s->elements) || !SP_NEW(b->ctx, r->bare, s->nodes) || !SP_NEW(b->ctx, r->held, b->nv))
        return SP_NO_MEMORY;
    for (int e = 0; removed && e < s->elements; e++) r->gone[e] = removed[e] != 0, r->gone_count += r->gone[e];
    if (r->gone_count == s->elements)
        return SP_BODY_FAIL(b, SP_BAD_INPUT, "all %d elements of '%s' are removed, one must be left", s->elements, b->name);
    count_bare(s, r);
    SP_TRY(keep_volumes(b));
    return find_boundary(b, r);
}

sp_status sp__solid_make_remains(sp_body *b, const unsigned char *removed, sp_remains **out) {
    const sp_solid *s = sp__solid(b);
    sp_remains *r;
    int first = 0;
    *out = NULL;
    while (removed && first < s->elements && !removed[first]) first++;
    if ((!removed || first == s->elements) && !s->added.elements) return SP_OK;
    sp_status status = SP_NEW(b->ctx, r, 1) ? remains_fill(b, removed, r) : SP_NO_MEMORY;
    if (status == SP_NO_MEMORY) SP_BODY_FAIL(b, status, "no memory to remove elements of '%s'", b->name);
    if (status < 0)
        sp__solid_drop_remains(b, &r);
    else
        *out = r;
    return status;
}

// zero weights and slopes at the integration points of an element: its strain is 0 wherever its nodes go
static void clear_points(sp_solid_group *g, int slot) {
    sp_iso *iso = &g->iso;
    const size_t w = (size_t)g->lanes, at = (size_t)(slot - g->first), slopes = 3 * ((size_t)g->nodes - 1);
    for (size_t p = 0; p < (size_t)iso->points; p++) {
        const size_t point = at / w * (size_t)iso->points + p;
        iso->weight[point * w + at % w] = 0;
        for (size_t k = 0; k < slopes; k++) iso->slope[(point * slopes + k) * w + at % w] = 0;
    }
}

// what an element had before it was removed: positions at rest give the same bits again
static void restore_points(sp_solid *s, sp_solid_group *g, int slot) {
    int node[SP_ELEMENT_NODES_MAX];
    for (int a = 0; a < g->nodes; a++) node[a] = sp__group_node(g, slot, a);
    if (g->iso.points) sp__solid_iso_rest(s, g, s->rest, node, (size_t)(slot - g->first));
}

static void exchange_elements(sp_solid *s, const sp_remains *before) {
    for (int slot = 0; slot < s->slots; slot++) {
        const int e = s->user_element[slot];
        const bool gone = e >= 0 && sp__solid_gone(s, e);
        // padding repeats an element, which may be one that is removed and then is stretched to any shape
        if (gone || (e < 0 && s->left))
            clear_points(sp__solid_group_of(s, slot), slot);
        else if (e >= 0 && before && before->gone[e])
            restore_points(s, sp__solid_group_of(s, slot), slot);
        else
            continue;
        sp__group_keep_rest(s, sp__solid_group_of(s, slot), slot);
    }
    for (int slot = 0; slot < s->slots; slot++) {
        const int e = s->user_element[slot];
        const bool gone = e >= 0 && sp__solid_gone(s, e);
        s->volume[slot] = gone ? 0 : s->whole_volume[slot];
    }
    s->rest_volume = 0;
    for (int slot = 0; slot < s->slots; slot++) s->rest_volume += s->volume[slot];
}

// A node without elements does not move. Prescribed nodes go on.
static void exchange_holds(sp_body *b, const sp_remains *before) {
    sp_solid *s = sp__solid(b);
    for (int i = 0; before && i < b->nv; i++)
        if (before->held[i] && b->fixed[i] == SP_HELD) b->fixed[i] = SP_FREE;
    for (int i = 0; s->left && i < b->nv; i++) {
        s->left->held[i] = sp__solid_bare(s, i / 3) && b->fixed[i] == SP_FREE;
        if (!s->left->held[i]) continue;
        b->fixed[i] = SP_HELD;
        s->hold[i] = b->q[SP_COMMITTED][i];
    }
}

static void exchange_boundary(sp_body *b, const sp_remains *before) {
    sp_solid *s = sp__solid(b);
    const sp_surface *shown = b->surfaces[0];
    if (!before) s->whole_boundary = b->surfaces[0], s->whole_cells = s->surface_cells;
    b->surfaces[0] = s->left ? s->left->boundary : s->whole_boundary;
    s->surface_cells = s->left ? s->left->face_cells : s->whole_cells;
    b->surfaces[0]->side = shown->side, b->surfaces[0]->self = shown->self;
}

sp_remains *sp__solid_use_remains(sp_body *b, sp_remains *next) {
    sp_solid *s = sp__solid(b);
    sp_remains *before = s->left;
    s->left = next;
    exchange_boundary(b, before);
    exchange_elements(s, before);
    exchange_holds(b, before);
    b->ops->refresh(b);
    return before;
}

void sp__solid_free_remains(sp_body *b) {
    sp_solid *s = sp__solid(b);
    if (!s->left) return;
    b->surfaces[0] = s->whole_boundary, s->surface_cells = s->whole_cells;
    sp__solid_drop_remains(b, &s->left);
}

// ------------------------------------------------------------------------------------------------ queries

static int remains_element_of(const sp_body *b, int cell) {
    return sp__solid(b)->cell_element[cell];
}

static const unsigned char *remains_removed(const sp_body *b, int *count) {
    *count = sp__solid(b)->left ? sp__solid(b)->left->gone_count : 0;
    return *count > 0 ? sp__solid(b)->left->gone : NULL;
}

static int remains_bare(const sp_body *b) {
    return sp__solid(b)->left ? sp__solid(b)->left->bare_count : 0;
}

const sp_removal_ops sp__solid_removal = {.element_of = remains_element_of,
                                          .removed = remains_removed,
                                          .make = sp__solid_make_remains,
                                          .use = sp__solid_use_remains,
                                          .free = sp__solid_drop_remains,
                                          .bare = remains_bare};
