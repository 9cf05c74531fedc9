// Selections S. Attributes intersect; children and references are combined as masks over nodes or element centres. A face is
// selected if all its nodes are. Coordinates are the body's own before placement, unless frame="world".
#include "io/run/build.h"
#include "math/vec3.h"

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
    return kind == SP_SELECT_NODES ? sp_mesh_node_count(mesh) : sp_mesh_tet_count(mesh);
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
    const int *tets = sp_mesh_tets(mesh);
    for (size_t i = 0; i < (size_t)sp_mesh_tet_count(mesh); i++)
        mask[i] = mask[i] && nodes[tets[4 * i]] && nodes[tets[4 * i + 1]] && nodes[tets[4 * i + 2]] && nodes[tets[4 * i + 3]];
    return SP_OK;
}

static sp_status fill_mask(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_select_kind kind, int depth,
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
    SP_TRY(fill_mask(run, body, other, kind, depth + 1, also));
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
        SP_TRY(fill_mask(run, body, child, kind, depth + 1, one));
        for (int i = 0; i < n; i++) any[i] |= one[i];
    }
    for (int i = 0; i < n; i++) mask[i] = mask[i] && any[i];
    return SP_OK;
}

static sp_status fill_mask(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_select_kind kind, int depth,
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
    SP_TRY(fill_mask(run, body, node, base, 0, mask));
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
    int element;
    double x[3], natural[3];
    const double *point = sp__attr(node, "point")->numbers;
    for (size_t i = 0; i < sizeof by_attrs / sizeof *by_attrs; i++)
        if (strcmp(by_attrs[i], "point") != 0 && sp__build_given(node, by_attrs[i]))
            return SP_BUILD_FAIL(run, node, by_attrs[i], "point is one material point: %s cannot be combined with it",
                                 by_attrs[i]);
    memcpy(x, point, sizeof x);
    if (!sp__build_is(node, "frame", "world")) sp__places_point(&body->places, point, x);
    double least = sp_mesh_locate(body->placed, x, &element, natural);
    *out = (sp_anchor){.body = body->id, .elem = (uint32_t)element, .at = {natural[0], natural[1], natural[2]}};
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
    ids[0] = sp_mesh_tet_ids(t->body->own)[elements[0]];
    t->anchors = anchor;
    t->node_count = t->element_count = 1;
    t->elements = elements;
    t->element_ids = ids;
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
