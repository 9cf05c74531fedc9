// Fields on surfaces: values of nodes, or of elements averaged at their nodes, interpolated to the vertices or to the corners of
// the faces. Vectors give their length. Values that must not be averaged (regions, ages) come from one element.
//
// A vertex has one value. Without averaging it is the largest of the elements around it, and on the boundary of a rod that of the
// node or element of the cross section. Corners of different faces may differ at one vertex: a face has the value of the element
// behind it, and values vary linearly from node to node along a rod.
#include "world/world_internal.h"

// A field of a body, prepared for interpolation to its surfaces.
typedef struct surface_values {
    const sp_body *b;
    int nodes, elements;
    int *element;        // elements x 4: their nodes; a rod repeats its two nodes
    double *of_node;     // NULL: only values of elements
    double *of_element;  // NULL: a field of nodes
    double *removed;     // elements: 1 removed; NULL: none is
    bool mixed;          // values may be averaged and interpolated
    bool corners;        // values at corners, not at vertices
} surface_values;

static double length_of(const double *v, int components) {
    double sum = 0;
    for (int i = 0; i < components; i++) sum += v[i] * v[i];
    return components == 1 ? v[0] : sqrt(sum);
}

static void values_free(surface_values *f) {
    sp__free(f->b->ctx, f->element), sp__free(f->b->ctx, f->of_node), sp__free(f->b->ctx, f->of_element);
    sp__free(f->b->ctx, f->removed);
}

// ---------------------------------------------------------------------------------------------------- values of the body

// lists the nodes of elements if the field needs them; values at vertices of rods do not. The two nodes of a line are repeated,
// so that the fraction of its length is the weight of the second
static sp_status list_elements(sp_body *b, surface_values *f) {
    if (!(b->caps & SP_CAP_NODAL) && !f->corners) return SP_OK;
    if (!SP_NEW(b->ctx, f->element, 4 * (size_t)f->elements + 1)) return SP_NO_MEMORY;
    if (b->ops->element_nodes) b->ops->element_nodes(b, f->element);
    for (int e = f->elements - 1; e >= 0 && b->ops->element_type == SP_ELEMENT_LINE2; e--) {
        int first = f->element[2 * (size_t)e], second = f->element[2 * (size_t)e + 1];
        for (size_t k = 0; k < 4; k++) f->element[4 * (size_t)e + k] = k % 2 ? second : first;
    }
    return SP_OK;
}

static sp_status list_removed(sp_body *b, surface_values *f) {
    sp_field_info info;
    int count;
    if (!sp__world_removed(b, &count)) return SP_OK;
    if (!SP_NEW(b->ctx, f->removed, (size_t)f->elements + 1)) return SP_NO_MEMORY;
    return sp__body_field_get(b, NULL, "removed", &info, f->removed);
}

// mean or maximum of the elements around each node
static sp_status spread_to_nodes(surface_values *f) {
    int *count;
    if (!SP_NEW(f->b->ctx, f->of_node, (size_t)f->nodes + 1) || !SP_NEW(f->b->ctx, count, (size_t)f->nodes + 1))
        return SP_NO_MEMORY;
    for (int i = 0; i < 4 * f->elements; i++) {
        int node = f->element[i];
        if (f->removed && f->removed[i / 4] != 0) continue;
        double value = f->of_element[i / 4], *to = &f->of_node[node];
        *to = f->mixed ? *to + value : count[node] == 0 ? value : fmax(*to, value);
        count[node]++;
    }
    for (int n = 0; n < f->nodes && f->mixed; n++) f->of_node[n] /= count[n] ? count[n] : 1;
    sp__free(f->b->ctx, count);
    return SP_OK;
}

static sp_status take_numbers(sp_body *b, const sp_step *step, const sp_field *field, const sp_field_info *info,
                              surface_values *f) {
    double *raw, *one;
    size_t n = (size_t)info->count, components = (size_t)info->components;
    if (!SP_NEW(b->ctx, raw, n * components + 1)) return SP_NO_MEMORY;
    one = sp__alloc(b->ctx, n + 1, sizeof *one);
    *(info->on == SP_ON_ELEMENTS ? &f->of_element : &f->of_node) = one;
    sp_status status = one ? field->fill(b, step, field->id, raw) : SP_NO_MEMORY;
    for (size_t i = 0; i < n && status >= 0; i++) one[i] = length_of(raw + i * components, info->components);
    sp__free(b->ctx, raw);
    return status;
}

// number of items of element fields
static int element_count(const sp_body *b) {
    sp_field_info info;
    for (int i = 0; i < b->ops->field_count; i++) {
        sp__body_field_info(b, &b->ops->fields[i], &info);
        if (info.on == SP_ON_ELEMENTS) return info.count;
    }
    return 0;
}

// the caller calls values_free, also on failure
static sp_status take_values(sp_body *b, const sp_step *step, const char *name, bool corners, surface_values *f) {
    sp_field_info info, position;
    *f = (surface_values){.b = b, .corners = corners};
    SP_TRY(sp__body_field_get(b, step, name, &info, NULL));
    SP_TRY(sp__body_field_get(b, step, "position", &position, NULL));
    if (info.on == SP_ON_BODY)
        return SP_BODY_FAIL(b, SP_BAD_INPUT, "field '%s' of '%s' belongs to the whole body: it has no place on a surface", name,
                            b->name);
    f->nodes = position.count, f->mixed = info.values == SP_VALUES_CONTINUOUS;
    f->elements = element_count(b);
    SP_TRY(take_numbers(b, step, sp__body_field(b, name), &info, f));
    SP_TRY(list_elements(b, f));
    if (f->of_element) SP_TRY(list_removed(b, f));
    return f->of_element && f->element && (f->mixed || !corners) ? spread_to_nodes(f) : SP_OK;
}

// ---------------------------------------------------------------------------------------------------- at vertices

static int ring_end(const sp_surface *s, int ring) {
    return ring + 1 < s->ring_count ? s->rings[ring + 1].vertex : s->vertex_count;
}

static double at_anchor(const surface_values *f, const sp_anchor *a, double nowhere) {
    if (!f->element || a->elem >= (uint32_t)f->elements) return nowhere;
    if (!f->mixed && f->of_element) return f->of_element[a->elem];
    const int *n = f->element + 4 * (size_t)a->elem;
    double sum = (1 - a->at[0] - a->at[1] - a->at[2]) * f->of_node[n[0]];
    for (int k = 0; k < 3; k++) sum += a->at[k] * f->of_node[n[k + 1]];
    return sum;
}

static void boundary_vertices(const surface_values *f, const sp_surface *s, double *out) {
    for (int v = 0; v < s->vertex_count; v++) out[v] = NAN;
    if (f->of_node && s->nodes) {
        for (int v = 0; v < s->vertex_count; v++)
            if (s->nodes[v] < f->nodes) out[v] = f->of_node[s->nodes[v]];
        return;
    }
    for (int r = 0; r < s->ring_count; r++)
        for (int v = s->rings[r].vertex; v < ring_end(s, r); v++)
            if (s->rings[r].element < f->elements) out[v] = f->of_element[s->rings[r].element];
}

static void embedded_vertices(const surface_values *f, const sp_surface *s, double *out) {
    for (int v = 0; v < s->vertex_count; v++) out[v] = at_anchor(f, &s->anchors[v], NAN);
}

// ---------------------------------------------------------------------------------------------------- at corners

static double ring_value(const surface_values *f, const sp_rod_cross_section *r) {
    if (r->element >= f->elements) return 0;
    if (!f->mixed && f->of_element) return f->of_element[r->element];
    const int *n = f->element + 4 * (size_t)r->element;
    return (1 - r->at) * f->of_node[n[0]] + r->at * f->of_node[n[1]];
}

static sp_status rod_corners(const surface_values *f, const sp_surface *s, double *out) {
    int *ring_of;
    if (!SP_NEW(f->b->ctx, ring_of, (size_t)s->vertex_count + 1)) return SP_NO_MEMORY;
    for (int i = 0; i < s->ring_count; i++)
        for (int v = s->rings[i].vertex; v < ring_end(s, i); v++) ring_of[v] = i;
    for (size_t i = 0; i < 3 * (size_t)s->face_count; i += 3) {
        int last = 0;  // last cross section of the face: it belongs to the element of the face
        for (size_t k = 0; k < 3; k++) {
            int ring = ring_of[s->faces[i + k]];
            last = ring > last ? ring : last;
            out[i + k] = ring_value(f, &s->rings[ring]);
        }
        for (size_t k = 0; k < 3 && !f->mixed && f->of_element; k++) out[i + k] = ring_value(f, &s->rings[last]);
    }
    sp__free(f->b->ctx, ring_of);
    return SP_OK;
}

static sp_status boundary_corners(sp_body *b, const surface_values *f, double *out) {
    const sp_surface *s = b->surfaces[0];
    if (s->rings) return rod_corners(f, s, out);
    for (int face = 0; face < s->face_count; face++) {
        sp_anchor corner[3];
        bool whole = !f->mixed && f->of_element && b->ops->face_anchors;
        if (whole) b->ops->face_anchors(b, face, corner);
        for (size_t i = 3 * (size_t)face; i < 3 * (size_t)face + 3; i++)
            out[i] = whole ? f->of_element[corner[0].elem] : f->of_node[s->nodes[s->faces[i]]];
    }
    return SP_OK;
}

static void embedded_corners(const surface_values *f, const sp_surface *s, double *out) {
    size_t n = 3 * (size_t)s->face_count;
    for (size_t i = 0; i < n; i++) out[i] = at_anchor(f, &s->anchors[s->faces[i]], 0);
    // without averaging, a face has the value of its first corner
    for (size_t i = 0; i < n && !f->mixed && f->of_element; i++) out[i] = out[i - i % 3];
}

// ---------------------------------------------------------------------------------------------------- queries

static sp_status fill_values(sp_body *b, const surface_values *f, int surface, double *out) {
    const sp_surface *s = b->surfaces[surface];
    if (f->corners && surface == 0) return boundary_corners(b, f, out);
    if (f->corners)
        embedded_corners(f, s, out);
    else if (surface == 0)
        boundary_vertices(f, s, out);
    else
        embedded_vertices(f, s, out);
    return SP_OK;
}

static sp_status fill_surfaces(sp_world *w, sp_body *b, int surface, const char *field, bool corners, double *out) {
    surface_values f;
    int begin = surface < 0 ? 0 : surface, end = surface < 0 ? b->surface_count : surface + 1;
    if (surface >= b->surface_count)
        return WORLD_FAIL(w, SP_BAD_INPUT, "surface %d of '%s', which has %d", surface, b->name, b->surface_count);
    const sp_step step = sp__body_step(b, &w->step);
    sp_status status = take_values(b, &step, field, corners, &f);
    for (int i = begin; i < end && status >= 0; i++) {
        status = fill_values(b, &f, i, out);
        out += corners ? 3 * (size_t)b->surfaces[i]->face_count : (size_t)b->surfaces[i]->vertex_count;
    }
    values_free(&f);
    if (status == SP_NO_MEMORY) return WORLD_FAIL(w, status, "no memory for field '%s' on surfaces of '%s'", field, b->name);
    return status < 0 ? sp__world_body_failed(w, b, status) : SP_OK;
}

static sp_status ask_surfaces(sp_world *w, sp_body_id id, int surface, const char *field, bool corners, double *out) {
    SP_TRY(sp__world_enter(w));
    sp_body *b = sp__world_body(w, id);
    sp_status status = b ? fill_surfaces(w, b, surface, field, corners, out) : sp__world_stale(w, id);
    return sp__world_leave(w, status);
}

sp_status sp_world_surface_field(sp_world *w, sp_body_id id, int surface, const char *field, double *out) {
    return ask_surfaces(w, id, surface, field, false, out);
}

sp_status sp_world_surface_corner_field(sp_world *w, sp_body_id id, int surface, const char *field, double *out) {
    return ask_surfaces(w, id, surface, field, true, out);
}
