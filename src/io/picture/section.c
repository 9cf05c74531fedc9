// Cross sections of solids with planes. The plane cuts a tetrahedron in a triangle or in a quadrilateral, whose corners lie on
// the edges between its two sides. Elements and regions are read once, positions and values with each update, and memory is kept,
// so that a viewer can cut every frame.
#include "io/base.h"
#include "math/vec3.h"
#include "souple/io.h"

// An edge that the plane cuts, and its vertex: shared by the elements of a region around it.
typedef struct cut_edge {
    int a, b, owner;  // nodes; region, or element for values that must not be averaged
    int vertex;       // + 1; 0: an unused entry
} cut_edge;

struct sp_section {
    sp_context *ctx;
    sp_world *world;
    sp_body_id body;
    int node_count, element_count;
    int *element;  // elements x 4: their nodes
    int *region;   // elements
    bool has_removed;
    double *removed;  // elements, at the last update: 1 removed
    // of the last update
    double *x;       // nodes x 3
    double *values;  // nodes, or elements
    bool has_values, per_element;
    double *raw;  // numbers of a field
    size_t raw_capacity;
    int *around;  // per node: elements that are averaged there
    // of the last cut
    double *distance;  // nodes
    int capacity;      // elements
    double *at, *value;
    int *region_of;
    uint32_t *faces;
    cut_edge *edges;  // hash table of the cut edges
    size_t edge_count;
    sp_section_faces out;
};

static sp_status section_no_memory(sp_section *s) {
    return SP_FAIL(s->ctx, SP_NO_MEMORY, "no memory for the cross section of %d elements", s->element_count);
}

static sp_status section_reserve_raw(sp_section *s, size_t count) {
    if (count <= s->raw_capacity) return SP_OK;
    sp__free(s->ctx, s->raw);
    s->raw_capacity = SP_NEW(s->ctx, s->raw, count) ? count : 0;
    return s->raw_capacity ? SP_OK : section_no_memory(s);
}

// ---------------------------------------------------------------------------------------------------- creation

static sp_status section_read(sp_section *s) {
    sp_element_view e;
    size_t n = (size_t)s->element_count + 1, nodes = (size_t)s->node_count + 1, most = n > nodes ? n : nodes;
    if (!SP_NEW(s->ctx, s->element, 4 * n) || !SP_NEW(s->ctx, s->region, n) || !SP_NEW(s->ctx, s->x, 3 * nodes) ||
        !SP_NEW(s->ctx, s->values, most) || !SP_NEW(s->ctx, s->around, nodes) || !SP_NEW(s->ctx, s->distance, nodes) ||
        !SP_NEW(s->ctx, s->removed, n))
        return section_no_memory(s);
    SP_TRY(sp_world_elements(s->world, s->body, s->element, &e));
    SP_TRY(section_reserve_raw(s, n));
    SP_TRY(sp_world_field(s->world, s->body, "region", s->raw));
    for (int i = 0; i < s->element_count; i++) s->region[i] = (int)s->raw[i];
    return SP_OK;
}

sp_status sp_section_create(sp_world *world, sp_body_id body, sp_section **out) {
    sp_context *ctx = sp_world_context(world);
    sp_element_view e;
    sp_field_info nodes;
    *out = NULL;
    SP_TRY(sp_world_elements(world, body, NULL, &e));
    if (e.type != SP_ELEMENT_TET4) return SP_FAIL(ctx, SP_BAD_INPUT, "a cross section of a body without tetrahedra");
    SP_TRY(sp_world_field_info(world, body, "position", &nodes));
    sp_section *s = sp__alloc(ctx, 1, sizeof *s);
    if (!s) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a cross section");
    *s = (sp_section){.ctx = ctx, .world = world, .body = body, .node_count = nodes.count, .element_count = e.count};
    sp_status status = section_read(s);
    if (status < 0)
        sp_section_destroy(&s);
    else
        *out = s;
    return status;
}

void sp_section_destroy(sp_section **section) {
    sp_section *s = *section;
    *section = NULL;
    if (!s) return;
    sp__free(s->ctx, s->element), sp__free(s->ctx, s->region), sp__free(s->ctx, s->x), sp__free(s->ctx, s->values);
    sp__free(s->ctx, s->raw), sp__free(s->ctx, s->around), sp__free(s->ctx, s->distance);
    sp__free(s->ctx, s->at), sp__free(s->ctx, s->value), sp__free(s->ctx, s->region_of), sp__free(s->ctx, s->faces);
    sp__free(s->ctx, s->edges), sp__free(s->ctx, s->removed);
    sp__free(s->ctx, s);
}

// ---------------------------------------------------------------------------------------------------- update

static bool is_removed(const sp_section *s, int element) {
    return s->has_removed && s->removed[element] != 0;
}

// Magnitudes of vectors; continuous fields of elements are averaged at the nodes, as on surfaces.
static sp_status section_values(sp_section *s, const char *field) {
    sp_field_info f;
    SP_TRY(sp_world_field_info(s->world, s->body, field, &f));
    size_t components = (size_t)f.components;
    if (f.count != (f.on == SP_ON_ELEMENTS ? s->element_count : s->node_count))
        return SP_FAIL(s->ctx, SP_BAD_INPUT, "field '%s' has %d values, which belong to neither nodes nor elements", field,
                       f.count);
    SP_TRY(section_reserve_raw(s, components * (size_t)f.count + 1));
    SP_TRY(sp_world_field(s->world, s->body, field, s->raw));
    s->per_element = f.on == SP_ON_ELEMENTS && f.values != SP_VALUES_CONTINUOUS;
    bool averaged = f.on == SP_ON_ELEMENTS && !s->per_element;
    for (int i = 0; i < s->node_count && averaged; i++) s->values[i] = s->around[i] = 0;
    for (int i = 0; i < f.count; i++) {
        double v = components == 3 ? sp__norm3(s->raw + 3 * (size_t)i) : s->raw[components * (size_t)i];
        if (!averaged) s->values[i] = v;
        for (int k = 0; k < 4 && averaged && !is_removed(s, i); k++)
            s->values[s->element[4 * (size_t)i + (size_t)k]] += v, s->around[s->element[4 * (size_t)i + (size_t)k]]++;
    }
    for (int i = 0; i < s->node_count && averaged; i++) s->values[i] /= s->around[i] > 0 ? s->around[i] : 1;
    s->has_values = true;
    return SP_OK;
}

sp_status sp_section_update(sp_section *s, const char *field) {
    sp_body_info info;
    s->has_values = false;
    SP_TRY(sp_world_body_info(s->world, s->body, &info));
    SP_TRY(sp_world_field(s->world, s->body, "position", s->x));
    s->has_removed = info.removed > 0;
    if (s->has_removed) SP_TRY(sp_world_field(s->world, s->body, "removed", s->removed));
    return field ? section_values(s, field) : SP_OK;
}

// ---------------------------------------------------------------------------------------------------- cut

static int nodes_in_front(const sp_section *s, int element) {
    int n = 0;
    if (is_removed(s, element)) return 0;
    for (size_t k = 0; k < 4; k++) n += s->distance[s->element[4 * (size_t)element + k]] > 0;
    return n;
}

static sp_status section_reserve(sp_section *s, int cut) {
    if (cut <= s->capacity) return SP_OK;
    // room to grow: a plane that moves cuts more elements from frame to frame
    size_t n = (size_t)cut + (size_t)cut / 2 + 16;
    n = n < (size_t)s->element_count ? n : (size_t)s->element_count;
    sp__free(s->ctx, s->at), sp__free(s->ctx, s->value), sp__free(s->ctx, s->region_of), sp__free(s->ctx, s->faces);
    sp__free(s->ctx, s->edges);
    s->at = s->value = NULL, s->region_of = NULL, s->faces = NULL, s->edges = NULL, s->capacity = 0;
    for (s->edge_count = 64; s->edge_count < 6 * n;) s->edge_count *= 2;  // four edges per element at most: a third is unused
    if (!SP_NEW(s->ctx, s->edges, s->edge_count) || !SP_NEW(s->ctx, s->at, 12 * n) || !SP_NEW(s->ctx, s->value, 4 * n) ||
        !SP_NEW(s->ctx, s->region_of, 4 * n) || !SP_NEW(s->ctx, s->faces, 6 * n))
        return section_no_memory(s);
    s->capacity = (int)n;
    return SP_OK;
}

// the vertex of an edge; *known: it has been made
static int edge_vertex(sp_section *s, int a, int b, int owner, bool *known) {
    int low = a < b ? a : b, high = a < b ? b : a;
    uint64_t key = sp__mix((uint64_t)high, sp__mix((uint64_t)low, (uint64_t)owner));
    size_t at = (size_t)key & (s->edge_count - 1);
    for (cut_edge *e; (e = &s->edges[at])->vertex; at = (at + 1) & (s->edge_count - 1)) {
        *known = e->a == low && e->b == high && e->owner == owner;
        if (*known) return e->vertex - 1;
    }
    s->edges[at] = (cut_edge){low, high, owner, ++s->out.vertex_count};
    return *known = false, s->out.vertex_count - 1;
}

static int cut_corner(sp_section *s, int element, int a, int b) {
    bool known, apart = s->has_values && s->per_element;
    int n = edge_vertex(s, a, b, apart ? element : s->region[element], &known);
    if (known) return n;
    double da = s->distance[a], db = s->distance[b], share = da / (da - db), *to = s->at + 3 * (size_t)n;
    for (size_t i = 0; i < 3; i++) to[i] = (1 - share) * s->x[3 * (size_t)a + i] + share * s->x[3 * (size_t)b + i];
    s->region_of[n] = s->region[element];
    if (s->has_values) s->value[n] = s->per_element ? s->values[element] : (1 - share) * s->values[a] + share * s->values[b];
    return n;
}

static void cut_face(sp_section *s, const double normal[3], int i, int j, int k) {
    uint32_t *to = s->faces + 3 * (size_t)s->out.face_count++;
    const double *x = s->at;
    double e[3], f[3], n[3];
    sp__sub3(x + 3 * (size_t)j, x + 3 * (size_t)i, e), sp__sub3(x + 3 * (size_t)k, x + 3 * (size_t)i, f), sp__cross3(e, f, n);
    bool back = sp__dot3(n, normal) < 0;
    to[0] = (uint32_t)i, to[1] = (uint32_t)(back ? k : j), to[2] = (uint32_t)(back ? j : k);
}

static void cut_element(sp_section *s, const double normal[3], int element) {
    int front[4], back[4], in_front = 0, behind = 0, corner[4] = {0}, n = 0;
    const int *node = s->element + 4 * (size_t)element;
    if (is_removed(s, element)) return;
    for (int k = 0; k < 4; k++) *(s->distance[node[k]] > 0 ? &front[in_front++] : &back[behind++]) = node[k];
    if (in_front == 0 || behind == 0) return;
    // around the quadrilateral: front 0 with both of the back, then front 1 with both in reverse
    for (int i = 0; i < in_front; i++)
        for (int j = 0; j < behind; j++) corner[n++] = cut_corner(s, element, front[i], back[i % 2 ? behind - 1 - j : j]);
    cut_face(s, normal, corner[0], corner[1], corner[2]);
    if (n == 4) cut_face(s, normal, corner[0], corner[2], corner[3]);
}

sp_status sp_section_cut(sp_section *s, const double point[3], const double normal[3], sp_section_faces *out) {
    double length = sp__norm3(normal), to[3];
    int cut = 0;
    *out = (sp_section_faces){0};
    for (int i = 0; i < 3; i++)
        if (!isfinite(point[i]))
            return SP_FAIL(s->ctx, SP_BAD_INPUT, "point[%d] of the plane = %g m, must be finite", i, point[i]);
    if (!(length > 0) || !isfinite(length))
        return SP_FAIL(s->ctx, SP_BAD_INPUT, "normal = %g %g %g of the plane, must be finite and not 0", normal[0], normal[1],
                       normal[2]);
    for (int i = 0; i < s->node_count; i++) {
        sp__sub3(s->x + 3 * (size_t)i, point, to);
        s->distance[i] = sp__dot3(to, normal) / length;
    }
    for (int e = 0; e < s->element_count; e++) {
        int n = nodes_in_front(s, e);
        cut += n > 0 && n < 4;
    }
    SP_TRY(section_reserve(s, cut));
    s->out = (sp_section_faces){0};
    if (s->edges) memset(s->edges, 0, s->edge_count * sizeof *s->edges);
    for (int e = 0; e < s->element_count; e++) cut_element(s, normal, e);
    s->out.positions = s->at, s->out.values = s->has_values ? s->value : NULL;
    s->out.regions = s->region_of, s->out.faces = s->faces;
    *out = s->out;
    return SP_OK;
}
