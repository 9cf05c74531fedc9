// Renumbering for locality, groups of elements, and the element structures of the kernels.
//
// Nodes are split by recursive coordinate bisection into leaves of at most SP_CHUNK_NODES. Leaves form the chunks of matrix rows,
// and an element belongs to the leaf of its lowest node. Unlike in a bandwidth ordering, the fraction of nodes of other chunks
// that a chunk uses does not grow with the mesh.
#define SP_LANES 1
#include "kernels/rotation.h"
#include "kernels/tet_rotation.h"
#include "solid/solid.h"

// ------------------------------------------------------------------------------------------------ bisection

typedef struct bisection {
    const double *x;
    int *order;  // permuted in place
    int *leaf_start;
    int leaf_count;
} bisection;

static bool layout_before(const bisection *b, int axis, int i, int j) {
    double a = b->x[3 * (size_t)i + (size_t)axis], c = b->x[3 * (size_t)j + (size_t)axis];
    return a < c || (a == c && i < j);
}

// moves the first k of order[low..high] along the axis to the front (quickselect with median of three: deterministic)
static void select_first(const bisection *b, int axis, int low, int high, int k) {
    int *o = b->order;
    while (low < high) {
        int middle = low + (high - low) / 2, p = o[middle];
        int lo = o[low], hi = o[high];
        // the pivot is the median
        if (layout_before(b, axis, p, lo) == layout_before(b, axis, lo, hi))
            p = lo;
        else if (layout_before(b, axis, p, hi) != layout_before(b, axis, lo, hi))
            p = hi;
        int i = low, j = high;
        while (i <= j) {
            while (layout_before(b, axis, o[i], p)) i++;
            while (layout_before(b, axis, p, o[j])) j--;
            if (i > j) break;
            int swap = o[i];
            o[i++] = o[j], o[j--] = swap;
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            return;
    }
}

static int longest_axis(const bisection *b, int low, int high) {
    double least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = low; i < high; i++)
        for (int k = 0; k < 3; k++) {
            double c = b->x[3 * (size_t)b->order[i] + (size_t)k];
            if (c < least[k]) least[k] = c;
            if (c > most[k]) most[k] = c;
        }
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (most[k] - least[k] > (most[axis] - least[axis]) * (1 + 1e-9)) axis = k;
    return axis;
}

static void layout_bisect(bisection *b, int low, int high, int leaves) {
    if (leaves <= 1) {
        b->leaf_start[b->leaf_count++] = low;
        return;
    }
    int left = leaves / 2, cut = low + (int)((int64_t)(high - low) * left / leaves);
    select_first(b, longest_axis(b, low, high), low, high - 1, cut);
    layout_bisect(b, low, cut, left);
    layout_bisect(b, cut, high, leaves - left);
}

sp_status sp__solid_order(sp_context *ctx, sp_solid *s, const sp_mesh *mesh) {
    int n = s->nodes, leaves = (n + SP_CHUNK_NODES - 1) / SP_CHUNK_NODES;
    if (!SP_NEW(ctx, s->user_node, n) || !SP_NEW(ctx, s->inner_node, n) || !SP_NEW(ctx, s->leaf_start, leaves + 1))
        return SP_NO_MEMORY;
    for (int i = 0; i < n; i++) s->user_node[i] = i;
    bisection b = {sp_mesh_positions(mesh), s->user_node, s->leaf_start, 0};
    layout_bisect(&b, 0, n, leaves);
    s->leaf_count = b.leaf_count;
    s->leaf_start[s->leaf_count] = n;
    for (int i = 0; i < n; i++) s->inner_node[s->user_node[i]] = i;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ groups

// Elements of one type and one law form a group; elements that may have an eigenstrain have groups of their own. Groups are in
// the order of their first elements.

typedef struct layout {
    sp_context *ctx;
    sp_solid *s;
    const sp_solid_def *def;
    const sp_mesh *mesh;
    int *group_of;  // per element
    int *order;     // the elements of a group, sorted by their lowest inner node
    int *start;     // first of them in each chunk
    bool second;    // some element has a second direction of its own
} layout;

sp_solid_law sp__solid_law_of(const sp_solid_def *def, int region) {
    if (region > 0 && def->region_laws) return def->region_laws[region - 1];
    return (sp_solid_law){def->model, def->rotation,   def->shape,       def->tangent,
                          def->form,  def->volumetric, def->integration, def->tensor_law};
}

static bool law_equal(const sp_solid_law *a, const sp_solid_law *b) {
    return a->model == b->model && a->rotation == b->rotation && a->shape == b->shape && a->tangent == b->tangent &&
           a->form == b->form && a->volumetric == b->volumetric && a->integration == b->integration &&
           a->tensor_law == b->tensor_law;
}

// what an integration means for a type of element: equal ones are one group
static sp_integration integration_of(sp_element_type type, const sp_solid_law *law) {
    const sp_integration asked = law->integration;
    if (type == SP_ELEMENT_HEX8) return asked == SP_INTEGRATION_FULL ? asked : SP_INTEGRATION_B_BAR;
    bool patches = type == SP_ELEMENT_TET4 && asked == SP_INTEGRATION_B_BAR && law->model != SP_MASS_SPRING;
    bool vertices = type == SP_ELEMENT_TET10 && asked == SP_INTEGRATION_VERTICES && law->model != SP_MASS_SPRING;
    return patches || vertices ? asked : SP_INTEGRATION_FULL;
}

static bool is_zero(const double *v) {
    return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

bool sp__solid_second_direction(const sp_solid_def *def) {
    for (size_t e = 0; def->element_fibre && e < (size_t)sp_mesh_element_count(def->mesh); e++)
        if (!isnan(def->element_fibre[6 * e]) && !is_zero(def->element_fibre + 6 * e + 3)) return true;
    return false;
}

int sp__solid_directions(const sp_solid_def *def, int region, bool second) {
    const sp_material m = region ? sp__material_over(&def->regions[region - 1], &def->material) : def->material;
    const sp_solid_law law = sp__solid_law_of(def, region);
    if (law.model == SP_COSTA) return 2;
    if (law.model != SP_HOLZAPFEL && !(m.fibre_young > 0) && !sp__solid_is_active(def, region)) return 0;
    return second || !is_zero(m.fibre + 3) ? 2 : 1;
}

// what the elements of a group have in common
typedef struct group_kind {
    sp_element_type type;
    sp_solid_law law;
    int directions;
    bool relaxes, strained, penalty;
} group_kind;

// Saint Venant-Kirchhoff's tensor-mass elements have a term of their own for a penalty on the change of volume; other laws have
// it in their numbers.
static bool has_penalty(const sp_solid_def *def, int region) {
    const sp_solid_law law = sp__solid_law_of(def, region);
    const sp_material *m = region ? &def->regions[region - 1] : &def->material;
    return law.model == SP_TENSOR_MASS && !sp__law_is_linear(&law) && m->incompressibility > 0;
}

static bool group_is(const sp_solid_group *g, const group_kind *k) {
    return g->type == k->type && law_equal(&g->law, &k->law) && g->directions == k->directions && g->relaxes == k->relaxes &&
           g->strained == k->strained && g->penalty == k->penalty;
}

static int group_find(sp_solid *s, const group_kind *k) {
    int g = 0;
    while (g < s->group_count && !group_is(&s->group[g], k)) g++;
    if (g == s->group_count)
        s->group[s->group_count++] = (sp_solid_group){.be = s->be,
                                                      .type = k->type,
                                                      .law = k->law,
                                                      .directions = k->directions,
                                                      .relaxes = k->relaxes,
                                                      .strained = k->strained,
                                                      .penalty = k->penalty};
    return g;
}

// assigns elements to groups; a solid has at most one group for each region and type of element
static sp_status make_groups(layout *o) {
    sp_solid *s = o->s;
    enum { TYPES = 4 };  // of elements of solids
    const int *region = o->def->element_region, most = (o->def->region_count + 1) * TYPES;
    if (!SP_NEW(o->ctx, s->group, most < s->elements ? most : s->elements)) return SP_NO_MEMORY;
    for (int e = 0; e < s->elements; e++) {
        const int *nodes;
        const int r = region ? region[e] : 0;
        group_kind kind = {.law = sp__solid_law_of(o->def, r),
                           .directions = sp__solid_directions(o->def, r, o->second),
                           .relaxes = sp__solid_relaxes(o->def, r),
                           .strained = sp__solid_has_eigenstrain(o->def, r),
                           .penalty = has_penalty(o->def, r)};
        kind.type = sp_mesh_element(o->mesh, e, &nodes);
        kind.law.integration = integration_of(kind.type, &kind.law);
        o->group_of[e] = group_find(s, &kind);
        s->group[o->group_of[e]].elements++;
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ chunks of a group

static int lowest_node(const layout *o, int element) {
    const int *nodes;
    int n = sp_element_nodes(sp_mesh_element(o->mesh, element, &nodes)), low = o->s->inner_node[nodes[0]];
    for (int a = 1; a < n; a++)
        if (o->s->inner_node[nodes[a]] < low) low = o->s->inner_node[nodes[a]];
    return low;
}

// the elements of a group sorted by their lowest inner node
static sp_status layout_sort_elements(layout *o, int group) {
    const sp_solid *s = o->s;
    int *start;
    if (!SP_NEW(o->ctx, start, s->nodes + 1)) return SP_NO_MEMORY;
    for (int e = 0; e < s->elements; e++)
        if (o->group_of[e] == group) start[lowest_node(o, e) + 1]++;
    for (int i = 0; i < s->nodes; i++) start[i + 1] += start[i];
    for (int e = 0; e < s->elements; e++)
        if (o->group_of[e] == group) o->order[start[lowest_node(o, e)]++] = e;
    sp__free(o->ctx, start);
    return SP_OK;
}

// splits the order into chunks: a new one for each leaf and after SP_CHUNK_TETS elements. Returns their number
static int cut_chunks(layout *o, int elements) {
    const sp_solid *s = o->s;
    int count = 0, leaf = -1, size = 0;
    for (int k = 0; k < elements; k++) {
        int node = lowest_node(o, o->order[k]), before_leaf = leaf;
        while (leaf < 0 || node >= s->leaf_start[leaf + 1]) leaf++;
        if (leaf != before_leaf || size == SP_CHUNK_TETS) o->start[count++] = k, size = 0;
        size++;
    }
    o->start[count] = elements;
    return count;
}

static sp_status group_blocks(layout *o, sp_solid_group *g, int chunks) {
    sp_solid *s = o->s;
    g->lanes = g->law.model == SP_MASS_SPRING ? 1 : s->be->lanes;
    if (!SP_NEW(o->ctx, g->block_start, chunks + 1)) return SP_NO_MEMORY;
    for (int c = 0; c < chunks; c++)
        g->block_start[c + 1] = g->block_start[c] + (o->start[c + 1] - o->start[c] + g->lanes - 1) / g->lanes;
    g->blocks = g->block_start[chunks];
    g->first = s->slots, g->slots = g->blocks * g->lanes;
    s->slots += g->slots;
    size_t n = (size_t)g->nodes * (size_t)g->slots + 1;
    return SP_NEW(o->ctx, g->node, n) && SP_NEW(o->ctx, g->local, n) ? SP_OK : SP_NO_MEMORY;
}

typedef struct touched {
    int *mark, *owner;  // 1 + local number of the nodes whose `owner` is this chunk
    int *node;          // nodes of the chunks in the order of their local numbers
} touched;

// fills the structures of one chunk and returns its number of nodes
static int layout_fill_chunk(layout *o, sp_solid_group *g, int chunk, touched *at, int *node, int **slot_element) {
    const sp_solid *s = o->s;
    const int *elements = o->order + o->start[chunk], count = o->start[chunk + 1] - o->start[chunk];
    size_t w = (size_t)g->lanes, slot = (size_t)g->block_start[chunk] * w, end = (size_t)g->block_start[chunk + 1] * w;
    int n = 0;
    for (int k = 0; slot < end; k++, slot++) {
        // padding repeats the last element of the chunk with zero weight
        int e = elements[k < count ? k : count - 1];
        const int *user;
        sp_mesh_element(o->mesh, e, &user);
        (*slot_element)[slot] = k < count ? e : -1 - e;
        for (size_t a = 0; a < (size_t)g->nodes; a++) {
            int i = s->inner_node[user[a]];
            if (at->owner[i] != chunk) at->owner[i] = chunk, at->mark[i] = n, node[n++] = i;
            size_t to = (slot / w * (size_t)g->nodes + a) * w + slot % w;
            g->node[to] = i, g->local[to] = (uint16_t)at->mark[i];
        }
    }
    return n;
}

// structures and chunks of a group. slot_element: element of each slot, or -1 - the one that padding repeats
static sp_status group_chunks(layout *o, sp_solid_group *g, int chunks, int **slot_element) {
    sp_solid *s = o->s;
    touched t = {0};
    int *list = NULL;
    sp_status status = SP_NO_MEMORY;
    *slot_element = NULL;
    if (!SP_NEW(o->ctx, t.mark, s->nodes) || !SP_NEW(o->ctx, t.owner, s->nodes) ||
        !SP_NEW(o->ctx, t.node, (size_t)g->nodes * (size_t)g->elements + 1) || !SP_NEW(o->ctx, list, chunks + 1) ||
        !SP_NEW(o->ctx, *slot_element, g->slots + 1))
        goto done;
    for (int i = 0; i < s->nodes; i++) t.owner[i] = -1;
    for (int c = 0; c < chunks; c++) list[c + 1] = list[c] + layout_fill_chunk(o, g, c, &t, t.node + list[c], slot_element);
    status = sp__chunks_build(o->ctx, &g->chunks, s->nodes, chunks, list, t.node);
done:
    sp__free(o->ctx, t.mark), sp__free(o->ctx, t.owner), sp__free(o->ctx, t.node), sp__free(o->ctx, list);
    return status;
}

// ------------------------------------------------------------------------------------------------ rest shape

// shape function gradients at rest in the element frame (first edge along x, first face in xy); returns the rest volume.
// Nullable: frame (rows: axes in world coordinates)
static double rest_gradients(const double *x0, const double *x1, const double *x2, const double *x3, double g[6],
                             double frame[9]) {
    double b[3], c[3], d[3], e1[3], e2[3], e3[3];
    sp__sub3(x1, x0, b), sp__sub3(x2, x0, c), sp__sub3(x3, x0, d);
    double lb = sp__norm3(b);
    for (int k = 0; k < 3; k++) e1[k] = b[k] / lb;
    sp__cross3(b, c, e3);
    double ln = sp__norm3(e3);
    for (int k = 0; k < 3; k++) e3[k] /= ln;
    sp__cross3(e3, e1, e2);
    double bx = lb, cx = sp__dot3(e1, c), cy = sp__dot3(e2, c), dx = sp__dot3(e1, d), dy = sp__dot3(e2, d), dz = sp__dot3(e3, d);
    // rows of the inverse of [b c d], upper triangular
    g[0] = 1 / bx, g[1] = -cx / (bx * cy), g[2] = (cx * dy - cy * dx) / (bx * cy * dz);
    g[3] = 1 / cy, g[4] = -dy / (cy * dz);
    g[5] = 1 / dz;
    for (int k = 0; k < 3; k++) frame[k] = e1[k], frame[3 + k] = e2[k], frame[6 + k] = e3[k];
    return bx * cy * dz / 6;
}

static void tet_rest(sp_solid *s, sp_solid_group *g, const double *x, const int *node, size_t slot) {
    sp_tets *t = &g->tets;
    size_t w = (size_t)g->lanes, b = slot / w, l = slot % w;
    double r[6], frame[9];
    s->volume[(size_t)g->first + slot] = rest_gradients(x + 3 * (size_t)node[0], x + 3 * (size_t)node[1], x + 3 * (size_t)node[2],
                                                        x + 3 * (size_t)node[3], r, frame);
    for (size_t k = 0; k < 6; k++) t->rest[(b * 6 + k) * w + l] = r[k];
    for (size_t k = 0; t->frame && k < 9; k++) t->frame[(b * 9 + k) * w + l] = frame[k];
}

static int group_points(const sp_solid_group *g) {
    return g->law.integration == SP_INTEGRATION_VERTICES ? SP_ELEMENT_VERTEX_POINTS : sp__element_points(g->type);
}

void sp__group_point(const sp_solid_group *g, int point, double natural[3], double *weight) {
    if (g->law.integration == SP_INTEGRATION_VERTICES)
        sp__element_vertex_point(point, natural, weight);
    else
        sp__element_point(g->type, point, natural, weight);
}

// gradients of the shape functions at the integration points, and the volumes of these
void sp__solid_iso_rest(sp_solid *s, sp_solid_group *g, const double *x, const int *node, size_t slot) {
    sp_iso *iso = &g->iso;
    size_t w = (size_t)g->lanes, b = slot / w, l = slot % w, slopes = 3 * ((size_t)g->nodes - 1);
    double corner[3 * SP_ELEMENT_NODES_MAX], gradient[3 * SP_ELEMENT_NODES_MAX], volume = 0;
    for (int a = 0; a < g->nodes; a++) memcpy(corner + 3 * a, x + 3 * (size_t)node[a], 3 * sizeof *x);
    for (int p = 0; p < iso->points; p++) {
        size_t at = b * (size_t)iso->points + (size_t)p;
        double natural[3], weight;
        sp__group_point(g, p, natural, &weight);
        weight *= sp__element_gradients(g->type, corner, natural, gradient);
        if (g->type == SP_ELEMENT_TRI3) weight *= s->thickness;
        for (size_t k = 0; k < slopes; k++) iso->slope[(at * slopes + k) * w + l] = gradient[3 + k];
        iso->weight[at * w + l] = weight;
        volume += weight;
    }
    s->volume[(size_t)g->first + slot] = volume;
}

// Unit directions of fibres; of costa, two that are orthogonal: x and y without any fibre, and one across it without a sheet.
static void unit_directions(const double *given, bool axes, double *out) {
    double none[3] = {0, 0, 0}, x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, normal[3];
    if (axes) {
        lane_frame(is_zero(given) ? x : given, is_zero(given) ? y : is_zero(given + 3) ? none : given + 3, out, out + 3, normal);
        return;
    }
    for (int k = 0; k < 6; k += 3) {
        double length = sp__norm3(given + k);
        for (int i = 0; i < 3; i++) out[k + i] = length > 0 ? given[k + i] / length : 0;
    }
}

// the rest directions of element e
static void iso_directions(const layout *o, sp_solid_group *g, int e, size_t slot) {
    const sp_solid_def *def = o->def;
    int region = def->element_region ? def->element_region[e] : 0;
    const sp_material m = region ? sp__material_over(&def->regions[region - 1], &def->material) : def->material;
    const double *own = def->element_fibre ? def->element_fibre + 6 * (size_t)e : NULL;
    size_t w = (size_t)g->lanes, per = 3 * (size_t)g->directions;
    double unit[6];
    unit_directions(own && !isnan(own[0]) ? own : m.fibre, g->iso.dense, unit);
    for (size_t k = 0; k < per; k++) g->iso.fibre[(slot / w * per + k) * w + slot % w] = unit[k];
}

void sp__group_padding(sp_solid *s, sp_solid_group *g, size_t slot) {
    s->volume[(size_t)g->first + slot] = 0;
    for (size_t p = 0; p < (size_t)g->iso.points; p++)
        g->iso.weight[(slot / (size_t)g->lanes * (size_t)g->iso.points + p) * (size_t)g->lanes + slot % (size_t)g->lanes] = 0;
}

static sp_status group_make_tets(sp_context *ctx, sp_solid *s, sp_solid_group *g) {
    sp_tets *t = &g->tets;
    size_t n = (size_t)g->slots + 1;
    const bool linear = sp__law_is_linear(&g->law);
    *t = (sp_tets){.lanes = g->lanes,
                   .blocks = g->blocks,
                   .block_start = g->block_start,
                   .node = g->node,
                   .local = g->local,
                   .volume = s->volume + g->first,
                   .rotation = linear ? TET_LINEAR : (tet_rotation)g->law.rotation,
                   .deformed = !linear && g->law.shape == SP_SHAPE_DEFORMED};
    if (!SP_NEW(ctx, t->rest, 6 * n) || !SP_NEW(ctx, t->scale, n) || !SP_NEW(ctx, t->ratio, n) || !SP_NEW(ctx, t->grad, 9 * n))
        return SP_NO_MEMORY;
    if (linear) return SP_NEW(ctx, t->frame, 9 * n) ? SP_OK : SP_NO_MEMORY;
    if (!SP_NEW(ctx, g->other_grad, 9 * n)) return SP_NO_MEMORY;
    if (g->law.tangent == SP_TANGENT_EXACT && (!SP_NEW(ctx, t->spin, 6 * n) || !SP_NEW(ctx, g->other_spin, 6 * n)))
        return SP_NO_MEMORY;
    return SP_OK;
}

static sp_status group_make_directions(sp_context *ctx, sp_solid_group *g, size_t slots, size_t points) {
    sp_iso *iso = &g->iso;
    size_t families = (size_t)iso->families, state = points * families * SP_FIBRE_STATE;
    if (!SP_NEW(ctx, iso->fibre, slots * (size_t)iso->directions * 3)) return SP_NO_MEMORY;
    if (families && (!SP_NEW(ctx, iso->fibre_param, slots * families * SP_FIBRE_PARAMS) ||
                     !SP_NEW(ctx, iso->fibre_state, state) || !SP_NEW(ctx, g->other_fibre_state, state)))
        return SP_NO_MEMORY;
    return SP_OK;
}

static sp_status group_make_iso(sp_context *ctx, sp_solid *s, sp_solid_group *g) {
    sp_iso *iso = &g->iso;
    *iso = (sp_iso){.lanes = g->lanes,
                    .blocks = g->blocks,
                    .nodes = g->nodes,
                    .points = group_points(g),
                    .law = g->law.model == SP_HOLZAPFEL ? SP_LAW_NEO_HOOKEAN_ISOCHORIC : sp__solid_law_number(&g->law),
                    .dense = g->law.model == SP_COSTA,
                    .tensor = sp__group_is_tensor(g),
                    .penalty = g->penalty && sp__group_is_tensor(g),
                    .directions = g->directions,
                    .families = g->law.model == SP_COSTA ? 0 : g->directions,
                    .definite = g->law.tangent == SP_TANGENT_FROZEN,
                    .block_start = g->block_start,
                    .node = g->node,
                    .local = g->local,
                    .volume = s->volume + g->first};
    size_t slots = (size_t)g->slots + 1, points = slots * (size_t)iso->points, slopes = 3 * ((size_t)g->nodes - 1);
    if (g->law.integration == SP_INTEGRATION_B_BAR && g->type == SP_ELEMENT_HEX8 &&
        (!SP_NEW(ctx, iso->bar, slots * (slopes + 1)) || !SP_NEW(ctx, g->other_bar, slots * (slopes + 1))))
        return SP_NO_MEMORY;
    if (g->directions) SP_TRY(group_make_directions(ctx, g, slots, points));
    return SP_NEW(ctx, iso->slope, points * slopes) && SP_NEW(ctx, iso->weight, points) &&
                   SP_NEW(ctx, iso->param, slots * SP_LAW_PARAMS) && SP_NEW(ctx, iso->turned, points * slopes) &&
                   SP_NEW(ctx, iso->tangent, points * sp__iso_tangent(iso)) && SP_NEW(ctx, g->other_turned, points * slopes) &&
                   SP_NEW(ctx, g->other_tangent, points * sp__iso_tangent(iso))
               ? SP_OK
               : SP_NO_MEMORY;
}

// ------------------------------------------------------------------------------------------------ slots of the solid

void sp__group_rest(sp_solid *s, sp_solid_group *g, const double *x, const int *node, size_t slot) {
    (g->springs.pattern ? sp__springs_rest : g->iso.points ? sp__solid_iso_rest : tet_rest)(s, g, x, node, slot);
}

// users' numbers of the slots, and the rest shape of their elements
static void group_slots(layout *o, sp_solid_group *g, const int *slot_element) {
    sp_solid *s = o->s;
    for (int k = 0; k < g->slots; k++) {
        const int *node, e = slot_element[k] >= 0 ? slot_element[k] : -1 - slot_element[k];
        sp_mesh_element(o->mesh, e, &node);
        if (g->directions) iso_directions(o, g, e, (size_t)k);
        sp__group_rest(s, g, sp_mesh_positions(o->mesh), node, (size_t)k);
        s->user_element[g->first + k] = slot_element[k] >= 0 ? e : -1;
        if (slot_element[k] >= 0)
            s->slot_of[e] = g->first + k;
        else
            sp__group_padding(s, g, (size_t)k);
    }
}

static sp_status group_pack(layout *o, int group, int **slot_element) {
    sp_solid_group *g = &o->s->group[group];
    g->nodes = sp_element_nodes(g->type);
    SP_TRY(layout_sort_elements(o, group));
    int chunks = cut_chunks(o, g->elements);
    SP_TRY(group_blocks(o, g, chunks));
    g->built = (sp_group_size){g->elements, chunks};
    return group_chunks(o, g, chunks, slot_element);
}

static bool group_has_patches(const sp_solid_group *g) {
    return g->type == SP_ELEMENT_TET4 && g->law.integration == SP_INTEGRATION_B_BAR;
}

sp_status sp__group_make(sp_context *ctx, sp_solid *s, sp_solid_group *g) {
    const sp_material_model model = g->law.model;
    const bool written_by_hand = g->type == SP_ELEMENT_TET4 && !g->relaxes && !g->directions && !group_has_patches(g) &&
                                 !g->strained && (model == SP_COROTATIONAL || sp__law_is_linear(&g->law));
    SP_TRY((model == SP_MASS_SPRING ? sp__springs_make : written_by_hand ? group_make_tets : group_make_iso)(ctx, s, g));
    return g->strained ? sp__group_make_eigenstrain(ctx, g) : SP_OK;
}

static sp_status pack_groups(layout *o, int **slot_element) {
    sp_solid *s = o->s;
    for (int g = 0; g < s->group_count; g++) SP_TRY(group_pack(o, g, &slot_element[g]));
    if (!SP_NEW(o->ctx, s->user_element, s->slots + 1) || !SP_NEW(o->ctx, s->slot_of, s->elements) ||
        !SP_NEW(o->ctx, s->volume, s->slots + 1))
        return SP_NO_MEMORY;
    for (int g = 0; g < s->group_count; g++) {
        SP_TRY(sp__group_make(o->ctx, s, &s->group[g]));
        group_slots(o, &s->group[g], slot_element[g]);
        if (group_has_patches(&s->group[g])) SP_TRY(sp__solid_make_patches(o->ctx, s, &s->group[g], o->def, slot_element[g]));
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ cells

// corners of one cell after the other; where the cells are the elements, in the order of their slots
static void mark_corners(sp_solid *s) {
    const bool by_slot = s->cells == s->elements;
    for (int i = 0; i < s->nodes; i++) s->corner_of[i] = UINT32_MAX;
    for (int p = 0; p < (by_slot ? s->slots : s->cells); p++) {
        const int cell = by_slot ? s->user_element[p] : p;
        for (int a = 0; a < 4 && cell >= 0; a++) {
            uint32_t *corner = &s->corner_of[s->cell_node[4 * (size_t)cell + (size_t)a]];
            if (*corner == UINT32_MAX) *corner = 4 * (uint32_t)p + (uint32_t)a;
        }
    }
}

static sp_status copy_cells(sp_context *ctx, sp_solid *s, const sp_mesh *mesh) {
    const int *cells = sp_mesh_cells(mesh);
    s->cells = sp_mesh_cell_count(mesh);
    if (!SP_NEW(ctx, s->cell_node, 4 * (size_t)s->cells) || !SP_NEW(ctx, s->cell_element, s->cells) ||
        !SP_NEW(ctx, s->corner_of, s->nodes))
        return SP_NO_MEMORY;
    for (int i = 0; i < 4 * s->cells; i++) s->cell_node[i] = s->inner_node[cells[i]];
    for (int c = 0; c < s->cells; c++) s->cell_element[c] = sp_mesh_cell_element(mesh, c);
    mark_corners(s);
    return SP_OK;
}

sp_status sp__solid_pack(sp_context *ctx, sp_solid *s, const sp_solid_def *def) {
    layout o = {.ctx = ctx, .s = s, .def = def, .mesh = def->mesh, .second = sp__solid_second_direction(def)};
    int **slot_element = NULL;
    sp_status status = SP_NO_MEMORY;
    if (!SP_NEW(ctx, o.group_of, s->elements) || !SP_NEW(ctx, o.order, s->elements) ||
        !SP_NEW(ctx, o.start, s->leaf_count + s->elements / SP_CHUNK_TETS + 2) || (status = make_groups(&o)) < 0)
        goto done;
    status = SP_NO_MEMORY;
    if (!SP_NEW(ctx, slot_element, s->group_count)) goto done;
    status = pack_groups(&o, slot_element);
    if (status >= 0) status = copy_cells(ctx, s, def->mesh);
    s->built = (sp_solid_size){s->nodes, s->elements, s->cells, s->leaf_count};
done:
    for (int g = 0; slot_element && g < s->group_count; g++) sp__free(ctx, slot_element[g]);
    sp__free(ctx, slot_element);
    sp__free(ctx, o.group_of), sp__free(ctx, o.order), sp__free(ctx, o.start);
    return status;
}
