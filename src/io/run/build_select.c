// Selections of nodes and elements: solids by their mesh, rods by arc length and coordinates of the rest shape.
#include "io/run/build.h"

#include "math/vec3.h"

// ======================================================================================================== solids

// Selections S. Attributes intersect; children and references are combined as masks over nodes or element centres. A face is
// selected if all its nodes are. Coordinates are the body's own before placement, unless frame="world".

enum { DEPTH_MAX = 32 };  // nesting of references to other selections

static const char *const by_attrs[] = {"box",   "sphere", "plane", "tag", "nodes",  "near",
                                       "point", "where",  "s",     "end", "select", "on"};

bool sp__selects(const sp_scene_node *node) {
    for (size_t i = 0; i < sizeof by_attrs / sizeof *by_attrs; i++)
        if (sp__build_given(node, by_attrs[i])) return true;
    return sp__next_child(node, "select", NULL) != NULL;
}

static bool where_true(const void *user, const double x[3]) {
    const sp_attr *attr = user;
    sp_expr_env env = {.x = x[0], .y = x[1], .z = x[2]};
    if (!attr->programs || !attr->programs[0]) return attr->numbers && attr->numbers[0] != 0;
    return sp__expr_eval(attr->programs[0], &env) != 0;
}

sp_where sp__where_of(const sp_scene_node *node) {
    return (sp_where){sp__build_attr(node, "box"), sp__build_attr(node, "sphere"), sp__build_attr(node, "plane"),
                      sp__build_attr(node, "where"), sp__build_number(node, "within", 0)};
}

bool sp__where_holds(const sp_where *w, const double x[3], double s) {
    double r[3];
    for (int k = 0; w->box && k < 3; k++)
        if (x[k] < w->box->numbers[k] || x[k] > w->box->numbers[k + 3]) return false;
    if (w->sphere) {
        sp__sub3(x, w->sphere->numbers, r);
        if (sp__norm3(r) > w->sphere->numbers[3]) return false;
    }
    if (w->plane) {
        sp__sub3(x, w->plane->numbers, r);
        double height = sp__dot3(r, w->plane->numbers + 3) / sp__norm3(w->plane->numbers + 3);
        if (w->within > 0 ? fabs(height) > w->within : height < 0) return false;
    }
    if (!w->where) return true;
    sp_expr_env env = {.x = x[0], .y = x[1], .z = x[2], .s = s};
    bool formula = w->where->programs && w->where->programs[0];
    return formula ? sp__expr_eval(w->where->programs[0], &env) != 0 : w->where->numbers && w->where->numbers[0] != 0;
}

static void copy_numbers(const sp_scene_node *node, const char *name, double *out, bool *has) {
    const sp_attr *attr = sp__build_attr(node, name);
    if (!attr) return;
    memcpy(out, attr->numbers, (size_t)attr->count * sizeof *out);
    *has = true;
}

// criteria that the mesh library evaluates
static sp_selection geometric(const sp_scene_node *node) {
    sp_selection s = sp_selection_default();
    copy_numbers(node, "box", s.box, &s.has_box);
    copy_numbers(node, "sphere", s.sphere, &s.has_sphere);
    copy_numbers(node, "plane", s.plane, &s.has_plane);
    copy_numbers(node, "near", s.near, &s.has_near);
    s.within = sp__build_number(node, "within", 0);
    if (sp__build_attr(node, "tag")) s.group = sp__attr_word(node, "tag");
    const sp_attr *where = sp__build_attr(node, "where");
    if (where) s.where = where_true, s.where_user = where;
    s.on_surface = sp__build_is(node, "on", "surface");
    return s;
}

static int kind_count(const sp_mesh *mesh, sp_select_kind kind) {
    return kind == SP_SELECT_NODES ? sp_mesh_node_count(mesh) : sp_mesh_element_count(mesh);
}

// mask &= selection of the mesh library
static sp_status mesh_mask(sp_run *run, const sp_scene_node *node, const sp_mesh *mesh, const sp_selection *s,
                           sp_select_kind kind, unsigned char *mask) {
    int n = kind_count(mesh, kind), count, *list;
    if (!SP_KEEP(&run->scratch, list, n)) return sp__build_no_memory(run);
    sp_status status = sp_mesh_select(mesh, s, kind, list, n, &count);
    if (status < 0) return sp__build_refused(run, node, status, sp_context_error(run->ctx));
    for (int i = 0, at = 0; i < n; i++) {
        bool hit = at < count && list[at] == i;
        at += hit;
        mask[i] = mask[i] && hit;
    }
    return SP_OK;
}

// `nodes` lists numbers of the file: selects those nodes, or the elements with no other nodes
static sp_status list_mask(sp_run *run, const sp_scene_node *node, const sp_mesh *mesh, sp_select_kind kind,
                           unsigned char *mask) {
    const sp_attr *attr = sp__build_attr(node, "nodes");
    sp_selection s = sp_selection_default();
    int64_t *ids;
    unsigned char *nodes = mask;
    if (!attr) return SP_OK;
    if (!SP_KEEP(&run->scratch, ids, attr->count)) return sp__build_no_memory(run);
    for (int i = 0; i < attr->count; i++) ids[i] = (int64_t)attr->numbers[i];
    s.ids = ids;
    s.id_count = attr->count;
    if (kind == SP_SELECT_ELEMENTS) {
        if (!SP_KEEP(&run->scratch, nodes, sp_mesh_node_count(mesh))) return sp__build_no_memory(run);
        memset(nodes, 1, (size_t)sp_mesh_node_count(mesh));
    }
    SP_TRY(mesh_mask(run, node, mesh, &s, SP_SELECT_NODES, nodes));
    if (kind != SP_SELECT_ELEMENTS) return SP_OK;
    for (int i = 0; i < sp_mesh_element_count(mesh); i++) {
        const int *own;
        for (int k = sp_element_nodes(sp_mesh_element(mesh, i, &own)) - 1; k >= 0; k--) mask[i] = mask[i] && nodes[own[k]];
    }
    return SP_OK;
}

static sp_status solid_fill_mask(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_select_kind kind, int depth,
                                 unsigned char *mask);

// mask &= selection of the referenced element
static sp_status reference_mask(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_select_kind kind, int depth,
                                unsigned char *mask) {
    if (!sp__build_given(node, "select")) return SP_OK;
    const char *name = sp__attr_word(node, "select");
    const sp_scene_node *other = sp__scene_find(node, name);
    unsigned char *also;
    int n = kind_count(body->own, kind);
    // an event names its body explicitly
    if (!other || sp__build_owner(other) != body->node)
        return SP_BUILD_FAIL(run, node, "select", "\"%s\" is not of the body \"%s\"", name, body->node->path);
    if (!SP_KEEP(&run->scratch, also, n)) return sp__build_no_memory(run);
    SP_TRY(solid_fill_mask(run, body, other, kind, depth + 1, also));
    for (int i = 0; i < n; i++) mask[i] = mask[i] && also[i];
    return SP_OK;
}

// mask &= union of the `select` children
static sp_status children_mask(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_select_kind kind, int depth,
                               unsigned char *mask) {
    unsigned char *any, *one;
    int n = kind_count(body->own, kind);
    if (!sp__next_child(node, "select", NULL)) return SP_OK;
    if (!SP_KEEP(&run->scratch, any, n) || !SP_KEEP(&run->scratch, one, n)) return sp__build_no_memory(run);
    for (const sp_scene_node *child = NULL; (child = sp__next_child(node, "select", child));) {
        SP_TRY(solid_fill_mask(run, body, child, kind, depth + 1, one));
        for (int i = 0; i < n; i++) any[i] |= one[i];
    }
    for (int i = 0; i < n; i++) mask[i] = mask[i] && any[i];
    return SP_OK;
}

static sp_status solid_fill_mask(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_select_kind kind, int depth,
                                 unsigned char *mask) {
    const sp_mesh *mesh = sp__build_is(node, "frame", "world") ? body->placed : body->own;
    int n = kind_count(mesh, kind);
    sp_selection s = geometric(node);
    if (depth > DEPTH_MAX) return SP_BUILD_FAIL(run, node, "select", "circular reference between selections");
    memset(mask, 1, (size_t)n);
    SP_TRY(mesh_mask(run, node, mesh, &s, kind, mask));
    SP_TRY(list_mask(run, node, mesh, kind, mask));
    SP_TRY(reference_mask(run, body, node, kind, depth, mask));
    SP_TRY(children_mask(run, body, node, kind, depth, mask));
    if (sp__build_is(node, "invert", "yes"))
        for (int i = 0; i < n; i++) mask[i] = !mask[i];
    return SP_OK;
}

static sp_status nothing_selected(sp_run *run, const sp_run_body *body, const sp_scene_node *node, const char *what) {
    double low[3], high[3];
    if (sp__build_is(node, "empty", "yes")) return SP_OK;
    bool world = sp__build_is(node, "frame", "world");
    sp_mesh_bounds(world ? body->placed : body->own, low, high);
    return SP_BUILD_FAIL(run, node, NULL, "selects no %s of \"%s\", which lies in %g %g %g  %g %g %g%s (empty=\"yes\" allows it)",
                         what, body->node->path, low[0], low[1], low[2], high[0], high[1], high[2],
                         world ? "" : " before its placement");
}

static bool face_inside(const sp_mesh *mesh, int face, const unsigned char *nodes) {
    const int *f = sp_mesh_faces(mesh) + 3 * (size_t)face;
    return nodes[f[0]] && nodes[f[1]] && nodes[f[2]];
}

sp_status sp__solid_select(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_select_kind kind, int **out,
                           int *count) {
    sp_select_kind base = kind == SP_SELECT_FACES ? SP_SELECT_NODES : kind;
    unsigned char *mask;
    *out = NULL;
    *count = 0;
    if (!SP_KEEP(&run->scratch, mask, kind_count(body->own, base))) return sp__build_no_memory(run);
    SP_TRY(solid_fill_mask(run, body, node, base, 0, mask));
    int n = kind == SP_SELECT_FACES ? sp_mesh_face_count(body->placed) : kind_count(body->own, base);
    if (!SP_KEEP(&run->scratch, *out, n)) return sp__build_no_memory(run);
    for (int i = 0; i < n; i++)
        if (kind == SP_SELECT_FACES ? face_inside(body->placed, i, mask) : mask[i]) (*out)[(*count)++] = i;
    if (*count) return SP_OK;
    return nothing_selected(run, body, node,
                            kind == SP_SELECT_NODES      ? "nodes"
                            : kind == SP_SELECT_ELEMENTS ? "elements"
                                                         : "faces");
}

sp_status sp__build_select(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_select_kind kind, int **out,
                           int *count) {
    return body->builder->select(run, body, node, kind, out, count);
}

sp_status sp__build_point(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_anchor *out) {
    int cell;
    double x[3], natural[3];
    const double *point = sp__attr(node, "point")->numbers;
    for (size_t i = 0; i < sizeof by_attrs / sizeof *by_attrs; i++)
        if (strcmp(by_attrs[i], "point") != 0 && sp__build_given(node, by_attrs[i]))
            return SP_BUILD_FAIL(run, node, by_attrs[i], "point is one material point: %s cannot be combined with it",
                                 by_attrs[i]);
    memcpy(x, point, sizeof x);
    if (!sp__build_is(node, "frame", "world")) sp__places_point(&body->places, point, x);
    double least = sp_mesh_locate_cell(body->placed, x, &cell, natural);
    *out = (sp_anchor){.body = body->id, .elem = (uint32_t)cell, .at = {natural[0], natural[1], natural[2]}};
    // a point on the surface may be outside by rounding
    if (least < -1e-6)
        return SP_BUILD_FAIL(run, node, "point", "the point %g %g %g lies outside of \"%s\"", point[0], point[1], point[2],
                             body->node->path);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ probes of solids

static sp_status point_target(sp_run *run, const sp_probe *p, sp_probe_target *t) {
    int *elements;
    int64_t *ids;
    sp_anchor *anchor;
    for (int i = 0; i < p->quantity_count; i++)
        if (p->quantities[i]->of == SP_OF_NODES && p->quantities[i]->field)
            return SP_BUILD_FAIL(run, p->node, "quantity", "%s belongs to nodes: a point has none", p->quantities[i]->name);
    if (!SP_KEEP(&run->keep, anchor, 1) || !SP_KEEP(&run->keep, elements, 1) || !SP_KEEP(&run->keep, ids, 1))
        return sp__build_no_memory(run);
    SP_TRY(sp__build_point(run, t->body, p->node, anchor));
    elements[0] = (int)anchor->elem;
    ids[0] = sp_mesh_element_ids(t->body->own)[sp_mesh_cell_element(t->body->own, elements[0])];
    t->anchors = anchor;
    t->node_count = t->element_count = 1;
    t->elements = elements;
    t->element_ids = ids;
    return SP_OK;
}

// Fields have values for cells; all cells of an element have its values.
static sp_status probe_cells(sp_run *run, sp_probe_target *t) {
    int *cells;
    if (!SP_KEEP(&run->keep, cells, t->element_count)) return sp__build_no_memory(run);
    for (int i = 0; i < t->element_count; i++) cells[i] = sp_mesh_element_cell(t->body->own, t->elements[i]);
    t->elements = cells;
    return SP_OK;
}

sp_status sp__solid_probe(sp_run *run, const sp_probe *p, sp_probe_target *t) {
    bool nodes = sp__probe_has_quantity_of(p, SP_OF_NODES), elements = sp__probe_has_quantity_of(p, SP_OF_ELEMENTS);
    sp_anchor *anchors;
    // a body that failed to build is already reported
    if (!t->body->own) return SP_BAD_INPUT;
    if (sp__build_given(p->node, "point")) return point_target(run, p, t);
    if (!sp__selects(p->node) && p->combine == SP_COMBINE_NONE && (nodes || elements))
        return SP_BUILD_FAIL(run, p->node, NULL,
                             "nodes or elements of a whole body: select some, or combine them (sum, mean, max)");
    if (sp__selects(p->node) && !nodes && !elements)
        return SP_BUILD_FAIL(run, p->node, NULL, "a selection has no effect: all of its quantities are of the whole body");
    if (elements) SP_TRY(sp__probe_items(run, p, t->body, SP_SELECT_ELEMENTS, &t->elements, &t->element_ids, &t->element_count));
    if (elements) SP_TRY(probe_cells(run, t));
    if (!nodes) return SP_OK;
    SP_TRY(sp__probe_items(run, p, t->body, SP_SELECT_NODES, &t->nodes, &t->node_ids, &t->node_count));
    if (!SP_KEEP(&run->keep, anchors, t->node_count)) return sp__build_no_memory(run);
    t->anchors = anchors;
    for (int i = 0; i < t->node_count && !run->failed; i++) {
        sp_status status = sp_world_anchor_node(run->world, t->body->id, t->nodes[i], &anchors[i]);
        if (status < 0) return sp__build_refused(run, p->node, status, sp_world_error(run->world));
    }
    return SP_OK;
}

// ========================================================================================================== rods

// Selections in a rod: nodes, elements by their midpoints, and single material points. A selection inside a strand refers to that
// strand, one from outside (an event) to all strands. Arc lengths and coordinates are those of the rest shape before placement,
// which the engine computes on first use.

// arc lengths of nodes are multiples of the element length: a tolerance for rounding
static const double SLACK = 1e-9;  // relative to the length

typedef struct range {  // nodes or elements of one strand, or of all
    sp_run *run;
    const sp_run_body *body;
    bool elements;
    int strand;  // -1: all
    int from, to;
} range;

// strands are in the order of their copies
static int rod_strand_of(const sp_run_rod *rod, const sp_scene_node *node) {
    const sp_scene_node *owner = sp__build_owner(node);
    int low = 0, high = rod->strands - 1;
    if (!owner) return -1;
    while (low < high && owner->instance) {
        int middle = low + (high - low) / 2;
        if (rod->node[middle]->instance->copy < owner->instance->copy)
            low = middle + 1;
        else
            high = middle;
    }
    return rod->node[low] == owner ? low : -1;
}

static int strand_at(const sp_run_rod *rod, bool elements, int item) {
    const int *first = elements ? rod->first_element : rod->first_node;
    int low = 0, high = rod->strands - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (first[middle] <= item)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static int elements_of(const sp_run_rod *rod, int strand) {
    return rod->first_element[strand + 1] - rod->first_element[strand];
}

// arc length of a node, or of the midpoint of an element
static double rod_select_along(const sp_run_rod *rod, bool elements, int item) {
    int strand = strand_at(rod, elements, item), k = item - (elements ? rod->first_element : rod->first_node)[strand];
    return rod->length[strand] * (k + (elements ? 0.5 : 0)) / elements_of(rod, strand);
}

// ------------------------------------------------------------------------------------------------ rest shape

void sp__build_forget_rod(sp_run_body *body) {
    sp_rod_rest *rest = body->rod ? body->rod->rest : NULL;
    if (!rest) return;
    sp_world_destroy(&rest->world);
    rest->at[0] = rest->at[1] = NULL;
}

static sp_status make_rest(sp_run *run, const sp_run_body *body, const sp_scene_node *node) {
    sp_rod_rest *rest = body->rod->rest;
    sp_world_def def = sp_world_def_default();
    def.snapshots = false;
    if (rest->world) return SP_OK;
    sp_status status = sp_world_create(run->ctx, &def, &rest->world);
    if (status < 0) return sp__build_refused(run, node, status, sp_context_error(run->ctx));
    status = sp_world_add_rod(rest->world, &rest->def, &rest->id);
    return status < 0 ? sp__build_refused(run, body->node, status, sp_world_error(rest->world)) : SP_OK;
}

static void node_anchor(const sp_run_rod *rod, int item, int *element, double *at) {
    int strand = strand_at(rod, false, item), k = item - rod->first_node[strand], last = elements_of(rod, strand);
    *element = rod->first_element[strand] + (k < last ? k : last - 1);
    *at = k == last;
}

// positions of nodes or element midpoints (x 3) before placement
static sp_status rest_places(sp_run *run, const sp_run_body *body, const sp_scene_node *node, bool elements, const double **out) {
    sp_run_rod *rod = body->rod;
    double *x = rod->rest->at[elements];
    int n = elements ? rod->elements : rod->nodes;
    *out = x;
    if (x) return SP_OK;
    SP_TRY(make_rest(run, body, node));
    if (!SP_KEEP(&run->scratch, x, 3 * (size_t)n)) return sp__build_no_memory(run);
    for (int i = 0; i < n; i++) {
        sp_anchor a = {.body = rod->rest->id, .elem = (uint32_t)i, .at = {0.5}};
        int element = i;
        if (!elements) node_anchor(rod, i, &element, &a.at[0]);
        a.elem = (uint32_t)element;
        sp_status status = sp_world_anchor_get(rod->rest->world, &a, x + 3 * (size_t)i, NULL);
        if (status < 0) return sp__build_refused(run, node, status, sp_world_error(rod->rest->world));
    }
    *out = rod->rest->at[elements] = x;
    return SP_OK;
}

static bool in_world(const sp_scene_node *node) {
    return sp__build_is(node, "frame", "world");
}

static void place_of(const range *r, const sp_scene_node *node, const double *rest, int item, double x[3]) {
    memcpy(x, rest + 3 * (size_t)item, 3 * sizeof *x);
    if (in_world(node)) sp__place_point(&r->body->rod->rest->place[strand_at(r->body->rod, r->elements, item)], x, x);
}

// ------------------------------------------------------------------------------------------------ masks

static sp_status by_place(const range *r, const sp_scene_node *node, unsigned char *mask) {
    const double *rest, *near = sp__build_attr(node, "near") ? sp__attr(node, "near")->numbers : NULL;
    double x[3], d[3], least = INFINITY;
    sp_where where = sp__where_of(node);
    int best = r->from;
    if (!near && !where.box && !where.sphere && !where.plane && !where.where) return SP_OK;
    SP_TRY(rest_places(r->run, r->body, node, r->elements, &rest));
    for (int i = r->from; i < r->to; i++) {
        place_of(r, node, rest, i, x);
        mask[i] = mask[i] && sp__where_holds(&where, x, rod_select_along(r->body->rod, r->elements, i));
        if (!near) continue;
        sp__sub3(x, near, d);
        if (sp__dot3(d, d) < least) least = sp__dot3(d, d), best = i;
    }
    for (int i = r->from; near && i < r->to; i++) mask[i] = mask[i] && i == best;
    return SP_OK;
}

static sp_status check_s(const range *r, const sp_scene_node *node, int strand) {
    const sp_attr *s = sp__build_attr(node, "s");
    double length = r->body->rod->length[strand];
    for (int i = 0; i < s->count; i++)
        if (s->numbers[i] > length * (1 + SLACK))
            return SP_BUILD_FAIL(r->run, node, "s", "s = %g, must be in [0, %g], the length of \"%s\"", s->numbers[i], length,
                                 r->body->rod->node[strand]->path);
    return SP_OK;
}

// one arc length: the nearest node, or the element that contains it; two: everything between them
static void s_of_strand(const range *r, const sp_attr *s, int strand, unsigned char *mask) {
    const sp_run_rod *rod = r->body->rod;
    const int *first = r->elements ? rod->first_element : rod->first_node;
    double length = rod->length[strand], low = s->numbers[0], high = s->numbers[s->count - 1];
    int last = elements_of(rod, strand), one = (int)floor(low / length * last + (r->elements ? 0 : 0.5 - SLACK));
    if (r->elements && one > last - 1) one = last - 1;
    for (int i = first[strand]; i < first[strand + 1]; i++) {
        double at = rod_select_along(rod, r->elements, i);
        bool between = at >= low - SLACK * length && at <= high + SLACK * length;
        mask[i] = mask[i] && (s->count == 1 ? i - first[strand] == one : between);
    }
}

static sp_status by_length(const range *r, const sp_scene_node *node, unsigned char *mask) {
    const sp_run_rod *rod = r->body->rod;
    const sp_attr *s = sp__build_attr(node, "s");
    for (int strand = r->strand < 0 ? 0 : r->strand; strand < (r->strand < 0 ? rod->strands : r->strand + 1); strand++) {
        const int *first = r->elements ? rod->first_element : rod->first_node;
        if (s) {
            SP_TRY(check_s(r, node, strand));
            s_of_strand(r, s, strand, mask);
        }
        if (!sp__build_given(node, "end")) continue;
        int end = sp__build_is(node, "end", "root") ? first[strand] : first[strand + 1] - 1;
        for (int i = first[strand]; i < first[strand + 1]; i++) mask[i] = mask[i] && i == end;
    }
    return SP_OK;
}

// node numbers, counted from the root of a strand; an element is selected if both of its nodes are
static sp_status by_number(const range *r, const sp_scene_node *node, unsigned char *mask) {
    const sp_attr *list = sp__build_attr(node, "nodes");
    const sp_run_rod *rod = r->body->rod;
    unsigned char *listed;
    int from = r->strand < 0 ? 0 : rod->first_node[r->strand],
        count = (r->strand < 0 ? rod->nodes : rod->first_node[r->strand + 1]) - from;
    if (!list) return SP_OK;
    if (!SP_KEEP(&r->run->scratch, listed, count)) return sp__build_no_memory(r->run);
    for (int i = 0; i < list->count; i++) {
        if (!(list->numbers[i] < count))
            return SP_BUILD_FAIL(r->run, node, "nodes", "there is no node %.0f: the %s has %d, counted from 0", list->numbers[i],
                                 r->strand < 0 ? "body" : "rod", count);
        listed[(int)list->numbers[i]] = 1;
    }
    for (int i = r->from; i < r->to; i++) {
        int k = (r->elements ? i + strand_at(rod, true, i) : i) - from;
        mask[i] = mask[i] && listed[k] && (!r->elements || listed[k + 1]);
    }
    return SP_OK;
}

static sp_status rod_fill_mask(const range *r, const sp_scene_node *node, int depth, unsigned char *mask);

// mask &= selection of the referenced element, and the union of the `select` children
static sp_status by_others(const range *r, const sp_scene_node *node, int depth, unsigned char *mask) {
    unsigned char *any, *one;
    bool children = sp__next_child(node, "select", NULL) != NULL, named = sp__build_given(node, "select");
    int n = r->elements ? r->body->rod->elements : r->body->rod->nodes;
    if (!children && !named) return SP_OK;
    if (!SP_KEEP(&r->run->scratch, any, n) || !SP_KEEP(&r->run->scratch, one, n)) return sp__build_no_memory(r->run);
    if (named) {
        const sp_scene_node *other = sp__scene_find(node, sp__attr_word(node, "select"));
        if (!other || sp__build_body_of(r->run, other) != r->body)
            return SP_BUILD_FAIL(r->run, node, "select", "\"%s\" is not of the body \"%s\"", sp__attr_word(node, "select"),
                                 r->body->node->path);
        SP_TRY(rod_fill_mask(r, other, depth + 1, one));
        for (int i = r->from; i < r->to; i++) mask[i] = mask[i] && one[i];
    }
    for (const sp_scene_node *child = NULL; (child = sp__next_child(node, "select", child));) {
        SP_TRY(rod_fill_mask(r, child, depth + 1, one));
        for (int i = r->from; i < r->to; i++) any[i] |= one[i];
    }
    for (int i = r->from; children && i < r->to; i++) mask[i] = mask[i] && any[i];
    return SP_OK;
}

static sp_status rod_fill_mask(const range *r, const sp_scene_node *node, int depth, unsigned char *mask) {
    if (depth > DEPTH_MAX) return SP_BUILD_FAIL(r->run, node, "select", "circular reference between selections");
    if (sp__build_given(node, "tag")) return SP_BUILD_FAIL(r->run, node, "tag", "a rod has no groups");
    memset(mask + r->from, 1, (size_t)(r->to - r->from));
    SP_TRY(by_place(r, node, mask));
    SP_TRY(by_length(r, node, mask));
    SP_TRY(by_number(r, node, mask));
    SP_TRY(by_others(r, node, depth, mask));
    if (sp__build_is(node, "invert", "yes"))
        for (int i = r->from; i < r->to; i++) mask[i] = !mask[i];
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ nodes and elements

static range range_of(sp_run *run, const sp_run_body *body, const sp_scene_node *node, bool elements) {
    const sp_run_rod *rod = body->rod;
    const int *first = elements ? rod->first_element : rod->first_node;
    int strand = rod_strand_of(rod, node);
    range r = {run, body, elements, strand, 0, elements ? rod->elements : rod->nodes};
    if (strand >= 0) r.from = first[strand], r.to = first[strand + 1];
    return r;
}

// new nodes shift the indices of all nodes after them, and the tip moves on
static sp_status check_growing(sp_run *run, const sp_run_body *body, const sp_scene_node *node) {
    if (!body->rod->grows) return SP_OK;
    if (body->rod->strands > 1)
        return SP_BUILD_FAIL(run, node, NULL,
                             "nothing can be selected in strands that grow at their tips; mode=\"scale\" keeps nodes");
    if (sp__build_is(node, "end", "tip") && strcmp(node->spec->name, "probe") != 0)
        return SP_BUILD_FAIL(run, node, "end", "the tip of \"%s\" grows away; only a probe can follow it", body->node->path);
    return SP_OK;
}

sp_status sp__rod_select(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_select_kind kind, int **out,
                         int *count) {
    range r = range_of(run, body, node, kind == SP_SELECT_ELEMENTS);
    unsigned char *mask;
    *out = NULL;
    *count = 0;
    if (kind == SP_SELECT_FACES) return SP_BUILD_FAIL(run, node, NULL, "a rod has no faces to select");
    if (kind == SP_SELECT_NODES) SP_TRY(check_growing(run, body, node));
    if (!SP_KEEP(&run->scratch, mask, r.elements ? body->rod->elements : body->rod->nodes) ||
        !SP_KEEP(&run->scratch, *out, r.to - r.from))
        return sp__build_no_memory(run);
    SP_TRY(rod_fill_mask(&r, node, 0, mask));
    for (int i = r.from; i < r.to; i++)
        if (mask[i]) (*out)[(*count)++] = i;
    if (*count || sp__build_is(node, "empty", "yes")) return SP_OK;
    return SP_BUILD_FAIL(run, node, NULL, "selects no %s of \"%s\", %g m long in %d elements (empty=\"yes\" allows it)",
                         r.elements ? "elements" : "nodes", body->node->path, body->rod->length[r.strand < 0 ? 0 : r.strand],
                         r.strand < 0 ? body->rod->elements : elements_of(body->rod, r.strand));
}

sp_status sp__rod_region_number(sp_run *run, const sp_run_body *body, const sp_scene_node *region, int *out) {
    const sp_run_rod *rod = body->rod;
    int *elements, count, same = 0;
    *out = -1;
    SP_TRY(sp__rod_select(run, body, region, SP_SELECT_ELEMENTS, &elements, &count));
    if (!count) return SP_OK;
    int section = rod->section[elements[0]];
    for (int e = 0; e < rod->elements; e++) same += rod->section[e] == section;
    for (int i = 0; i < count; i++) same -= rod->section[elements[i]] == section;
    for (int i = 1; i < count; i++)
        if (rod->section[elements[i]] != section) return SP_OK;
    if (same == 0) *out = section - 1;  // section 0 belongs to the rod itself
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ material points

static bool alone(const sp_scene_node *node, const char *attr) {
    static const char *const others[] = {"box",   "sphere", "plane", "nodes",  "near",  "point",
                                         "where", "s",      "end",   "select", "invert"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i], attr) != 0 && sp__build_given(node, others[i])) return false;
    return true;
}

// the closest position to a point, which must be inside the rod
static sp_status spot_at_point(sp_run *run, const sp_run_body *body, const sp_scene_node *node, int strand, sp_rod_spot *out) {
    sp_run_rod *rod = body->rod;
    const double *point = sp__attr(node, "point")->numbers;
    double own[3], x[3], d[3], s = strand < 0 ? 1 : rod->rest->place[strand].scale[0];
    sp_anchor a;
    if (!alone(node, "point"))
        return SP_BUILD_FAIL(run, node, "point", "point is one material point: no other selection can be combined with it");
    if (in_world(node) || rod->strands > 1)
        return SP_BUILD_FAIL(run, node, "point",
                             "the point is in the own coordinates of the rod, and of one strand: give s instead");
    memcpy(own, point, sizeof own);
    SP_TRY(make_rest(run, body, node));
    sp_status status = sp_world_anchor_point(rod->rest->world, rod->rest->id, own, &a);
    if (status >= 0) {
        memset(a.offset, 0, sizeof a.offset);
        status = sp_world_anchor_get(rod->rest->world, &a, x, NULL);
    }
    if (status < 0) return sp__build_refused(run, node, status, sp_world_error(rod->rest->world));
    sp__sub3(own, x, d);
    if (sp__norm3(d) > rod->reach / s * (1 + 1e-6))
        return SP_BUILD_FAIL(run, node, "point", "the point %g %g %g lies %.3g m from the centreline of \"%s\", outside of it",
                             point[0], point[1], point[2], sp__norm3(d), body->node->path);
    *out = (sp_rod_spot){(int)a.elem, a.at[0], -1};
    return SP_OK;
}

static sp_status spot_at_length(const range *r, const sp_scene_node *node, int strand, sp_rod_spot *out) {
    const sp_run_rod *rod = r->body->rod;
    int n = elements_of(rod, strand);
    SP_TRY(check_s(r, node, strand));
    double u = fmin(sp__attr(node, "s")->numbers[0] / rod->length[strand], 1) * n;
    int k = (int)fmin(floor(u), n - 1), near = (int)floor(u + 0.5);
    *out = (sp_rod_spot){rod->first_element[strand] + k, u - k, -1};
    if (fabs(u - near) <= SLACK * n) out->node = rod->first_node[strand] + near, out->at = near > k;
    return SP_OK;
}

sp_status sp__rod_spots(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_rod_spot **out, int *count) {
    range r = range_of(run, body, node, false);
    const sp_attr *s = sp__build_attr(node, "s");
    bool point = sp__build_given(node, "point"), one = s && s->count == 1 && alone(node, "s") && r.strand >= 0;
    int *nodes, n = 1;
    *count = 0;
    SP_TRY(check_growing(run, body, node));
    if (!point && !one) SP_TRY(sp__rod_select(run, body, node, SP_SELECT_NODES, &nodes, &n));
    if (!SP_KEEP(&run->scratch, *out, n)) return sp__build_no_memory(run);
    if (point) SP_TRY(spot_at_point(run, body, node, r.strand, *out));
    if (one) SP_TRY(spot_at_length(&r, node, r.strand, *out));
    for (int i = 0; !point && !one && i < n; i++) {
        sp_rod_spot *spot = &(*out)[i];
        node_anchor(body->rod, nodes[i], &spot->element, &spot->at);
        spot->node = nodes[i];
    }
    *count = n;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ probes

int sp__rod_item_count(const sp_run_body *body, sp_select_kind kind) {
    return kind == SP_SELECT_NODES ? body->rod->nodes : body->rod->elements;
}

// numbers of a strand start at its root
int64_t sp__rod_item_number(const sp_run_body *body, const sp_scene_node *node, sp_select_kind kind, int item) {
    const int *first = kind == SP_SELECT_NODES ? body->rod->first_node : body->rod->first_element;
    int strand = rod_strand_of(body->rod, node);
    return item - (strand < 0 ? 0 : first[strand]);
}

// nodes that have not grown yet lie at the tip of the rod
static sp_status follow_tip(sp_run *run, const sp_probe *p, const sp_run_body *body, sp_rod_spot *spots, int count) {
    sp_field_info info;
    if (!body->rod->grows || count != 1 || !sp__build_is(p->node, "end", "tip")) return SP_OK;
    sp_status status = sp_world_field_info(run->world, body->id, "position", &info);
    if (status < 0) return sp__build_refused(run, p->node, status, sp_world_error(run->world));
    *spots = (sp_rod_spot){info.count - 2, 1, info.count - 1};
    return SP_OK;
}

// nodes or one position between them; elements
sp_status sp__rod_probe(sp_run *run, const sp_probe *p, sp_probe_target *t) {
    bool nodes = sp__probe_has_quantity_of(p, SP_OF_NODES), elements = sp__probe_has_quantity_of(p, SP_OF_ELEMENTS);
    sp_rod_spot *spots;
    sp_anchor *anchors;
    int *numbers;
    int64_t *ids;
    // a body that failed to build is already reported
    if (!t->body->id.slot) return SP_BAD_INPUT;
    if (sp__selects(p->node) && !nodes && !elements)
        return SP_BUILD_FAIL(run, p->node, NULL, "a selection has no effect: all of its quantities are of the whole body");
    if (!sp__selects(p->node) && p->combine == SP_COMBINE_NONE && (nodes || elements))
        return SP_BUILD_FAIL(run, p->node, NULL,
                             "nodes or elements of a whole body: select some, or combine them (sum, mean, max)");
    if (elements && sp__build_given(p->node, "point"))
        return SP_BUILD_FAIL(run, p->node, "quantity", "von-mises belongs to elements: select them by s");
    if (elements) SP_TRY(sp__probe_items(run, p, t->body, SP_SELECT_ELEMENTS, &t->elements, &t->element_ids, &t->element_count));
    if (!nodes) return SP_OK;
    SP_TRY(sp__rod_spots(run, t->body, p->node, &spots, &t->node_count));
    if (!SP_KEEP(&run->keep, anchors, t->node_count) || !SP_KEEP(&run->keep, numbers, t->node_count) ||
        !SP_KEEP(&run->keep, ids, t->node_count))
        return sp__build_no_memory(run);
    SP_TRY(follow_tip(run, p, t->body, spots, t->node_count));
    for (int i = 0; i < t->node_count; i++) {
        anchors[i] = (sp_anchor){.body = t->body->id, .elem = (uint32_t)spots[i].element, .at = {spots[i].at}};
        numbers[i] = spots[i].node;
        ids[i] = sp__rod_item_number(t->body, p->node, SP_SELECT_NODES, spots[i].node);
        for (int k = 0; spots[i].node < 0 && k < p->quantity_count; k++)
            if (p->quantities[k]->of == SP_OF_NODES && p->quantities[k]->field)
                return SP_BUILD_FAIL(run, p->node, "quantity", "%s belongs to nodes, and there is none at this place",
                                     p->quantities[k]->name);
    }
    t->anchors = anchors, t->nodes = numbers, t->node_ids = ids;
    return SP_OK;
}
