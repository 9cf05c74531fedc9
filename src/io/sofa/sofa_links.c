// What joins two bodies: springs, and points that are kept together.
#include "io/sofa/sofa.h"

enum { PAIRS_MOST = 1000 };

// the body of a state that an attribute links to, or that of the object's own node
static sofa_node *linked_body(sp_import *im, sofa_object *o, const char *names) {
    const char *link = sp__sofa_attr(o, names), *data;
    sofa_node *node = o->node;
    if (link) sp__sofa_link(im, o, link, &node, &data);
    sofa_node *body = node && node->mapped ? NULL : node;
    return body && body->body ? body : NULL;
}

// one side of a link: the path of a selection of nodes, or a rigid body. NULL: noted
static const char *link_side(sp_import *im, sofa_object *o, sofa_node *n, const double *indices, int count) {
    if (strcmp(n->element->name, "rigid") == 0) return n->body;
    sofa_element *select = sp__sofa_add(im, NULL, "select", NULL);
    const char *name = sp__sofa_print(im, "link-%d", ++im->selects);
    sp__sofa_set(im, select, "name", name);
    if (!sp__sofa_select_nodes(im, n, o, indices, count, select)) return NULL;
    *n->element->end = select;
    n->element->end = &select->next;
    return sp__sofa_print(im, "%s.%s", n->body, name);
}

static const double *points_of(const sofa_node *n) {
    return n->mesh ? n->mesh->at_rest : n->point_list;
}

// A rigid body holds all nodes that are chosen, however far from its surface, which is not known here: ten times their distance
// from its frame.
static double rigid_reach(const sofa_node *rigid, const double *x, const double *nodes, int count) {
    double reach = 0;
    for (int i = 0; x && i < count; i++) reach = fmax(reach, 10 * sp__sofa_distance(x + 3 * (size_t)nodes[i], rigid->origin));
    return reach;
}

// the longest distance of the pairs of points of a link; 0 where both sides are rigid
static double link_reach(const sofa_node *a, const sofa_node *b, const double *ia, const double *ib, int count) {
    const double *xa = points_of(a), *xb = points_of(b);
    double reach = 0;
    if (!xa) return rigid_reach(a, xb, ib, count);
    if (!xb) return rigid_reach(b, xa, ia, count);
    for (int i = 0; i < count; i++) reach = fmax(reach, sp__sofa_distance(xa + 3 * (size_t)ia[i], xb + 3 * (size_t)ib[i]));
    return reach;
}

static sofa_element *attach(sp_import *im, sofa_object *o, bool first, sofa_node *a, sofa_node *b, const double *ia,
                            const double *ib, int count) {
    const char *left = link_side(im, o, a, ia, count), *right = left ? link_side(im, o, b, ib, count) : NULL;
    if (!right) return NULL;
    sofa_element *e = sp__sofa_add(im, im->top, "attach", first ? o : NULL);
    sp__sofa_set(im, e, "a", left);
    sp__sofa_set(im, e, "b", right);
    double reach = link_reach(a, b, ia, ib, count);
    if (reach > 0) sp__sofa_set_result(im, e, "within", reach * 1.001);
    return e;
}

// one value for all, or one for each
static double value_at(const double *values, int count, int i, double fallback) {
    return count ? values[i < count ? i : count - 1] : fallback;
}

// "index index stiffness damping length" of each spring; in newer scenes five lists
static int read_springs(sp_import *im, sofa_object *o, const double **out) {
    const double *first, *second, *stiffness, *damping, *length;
    int count = sp__sofa_numbers(im, o, "spring", out) / 5;
    int n = sp__sofa_numbers(im, o, "indices1", &first), m = sp__sofa_numbers(im, o, "indices2", &second);
    int ks = sp__sofa_numbers(im, o, "stiffness", &stiffness), ds = sp__sofa_numbers(im, o, "damping", &damping),
        ls = sp__sofa_numbers(im, o, "lengths", &length);
    if (count || !n || n != m) return count;
    double *springs = sp__scene_alloc(im->scene, (size_t)n, 5 * sizeof *springs);
    for (int i = 0; springs && i < n; i++) {
        const double one[5] = {first[i], second[i], value_at(stiffness, ks, i, 100), value_at(damping, ds, i, 5),
                               value_at(length, ls, i, 0)};
        memcpy(springs + 5 * (size_t)i, one, sizeof one);
    }
    *out = springs;
    return springs ? n : 0;
}

static void write_springs(sp_import *im, sofa_object *o) {
    sofa_node *a = linked_body(im, o, "object1"), *b = linked_body(im, o, "object2");
    const double *s;
    int count = read_springs(im, o, &s);
    bool lengths = false;
    if (!a || !b || !count || count > PAIRS_MOST) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT,
                      a && b ? "it needs spring=\"index index stiffness damping length ...\" or lists, 1 to %d of them"
                             : "a side of it is no body",
                      PAIRS_MOST);
        return;
    }
    for (int i = 0; i < count; i++) {
        const double *p = s + 5 * i;
        sofa_element *e = p[2] > 0 ? attach(im, o, i == 0, a, b, p, p + 1, 1) : NULL;
        if (!e) continue;
        sp__sofa_set(im, e, "type", "spring");
        sp__sofa_set_number(im, e, "stiffness", p[2]);
        if (p[3] > 0) sp__sofa_set_number(im, e, "damping", p[3]);
        lengths = lengths || p[4] != 0;
    }
    sp__sofa_became(im, o);
    if (lengths)
        sp__sofa_note(im, o, SP_IMPORT_CHANGED,
                      "springs pull their points back to the first offset of the two, in all directions; SOFA's act along their "
                      "line, with a length at rest");
}

static void write_weld(sp_import *im, sofa_object *o) {
    sofa_node *a = linked_body(im, o, "object1"), *b = linked_body(im, o, "object2");
    const double *ia, *ib;
    int na = sp__sofa_numbers(im, o, "indices1", &ia), nb = sp__sofa_numbers(im, o, "indices2", &ib);
    if (!a || !b || a == b || !na || na != nb) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "it needs two bodies, and as many indices of both in a list");
        return;
    }
    sp__sofa_attr(o, "twoWay");
    if (attach(im, o, true, a, b, ia, ib, na)) sp__sofa_became(im, o);
}

// ---- points of two states that constraints keep together

typedef struct join_side {
    sofa_node *body;
    double *points;         // in the world
    const double *indices;  // nodes of a body, or frames of a rod; NULL: the nearest ones
} join_side;

// points of a state that follows a body: a list, or those that a box selects of the nodes of another body
static int mapped_points(sp_import *im, sofa_node *node, const double **out) {
    const char *text = sp__sofa_attr(node->state, "position"), *data;
    const double *boxes;
    sofa_node *where;
    sofa_object *roi = text && *text == '@' ? sp__sofa_link(im, node->state, text, &where, &data) : NULL;
    sofa_node *body =
        sp__sofa_is(roi, SOFA_ROI_BOX) && strncmp(data, "pointsInROI", 11) == 0 ? sp__sofa_body_of(roi->node) : NULL;
    if (!body || !body->mesh) return sp__sofa_numbers(im, node->state, "position", out) / 3;
    int count = sp__sofa_numbers(im, roi, "box", &boxes) / 6, found = 0;
    double *points = sp__scene_alloc(im->scene, (size_t)body->mesh->node_count, 3 * sizeof *points);
    for (int i = 0; points && i < body->mesh->node_count; i++)
        for (int k = 0; k < count; k++)
            if (sp__sofa_inside(body->mesh->at_rest + 3 * (size_t)i, boxes + 6 * k, false)) {
                memcpy(points + 3 * (size_t)found++, body->mesh->at_rest + 3 * (size_t)i, 3 * sizeof *points);
                break;
            }
    sp__sofa_became(im, roi);
    *out = points;
    return found;
}

static bool join_side_of(sp_import *im, sofa_object *o, const char *names, const double *chosen, int count, join_side *side) {
    const char *text = sp__sofa_attr(o, names), *data;
    sofa_node *node = NULL;
    const double *points = NULL;
    if (text) sp__sofa_link(im, o, text, &node, &data);
    side->body = sp__sofa_body_of(node);
    if (!side->body || !node->state) return false;
    side->points = sp__scene_alloc(im->scene, (size_t)count, 3 * sizeof *side->points);
    bool own = node == side->body;
    if (!own) sp__sofa_attr(sp__sofa_find(node, SOFA_MAPPING), "rigidIndexPerPoint/globalToLocalCoords");
    int total = own ? node->mesh ? node->mesh->node_count : node->points : mapped_points(im, node, &points);
    if (own) points = node->mesh ? node->mesh->at_rest : node->point_list, side->indices = chosen;
    for (int i = 0; i < count && side->points; i++) {
        if (!points || !(chosen[i] >= 0 && chosen[i] < total)) return false;
        memcpy(side->points + 3 * (size_t)i, points + 3 * (size_t)chosen[i], 3 * sizeof *points);
    }
    return side->points != NULL;
}

// the node of a body that is nearest to a point, and how far it is
static double nearest_node(const sofa_node *n, const double *p, double *far) {
    const double *x = points_of(n);
    int count = n->mesh ? n->mesh->node_count : n->points, best = 0;
    double least = INFINITY;
    for (int i = 0; i < count; i++) {
        double d = sp__sofa_distance(x + 3 * (size_t)i, p);
        if (d < least) least = d, best = i;
    }
    *far = fmax(*far, least);
    return best;
}

// Nodes of one side, the rod's if there is one, are welded to the other body where they are.
static void write_join(sp_import *im, sofa_object *o) {
    const double *chosen[2];
    join_side sides[2] = {{0}, {0}};
    int n = sp__sofa_numbers(im, o, "first_point", &chosen[0]), m = sp__sofa_numbers(im, o, "second_point", &chosen[1]);
    bool good = n && n == m && n <= PAIRS_MOST && join_side_of(im, o, "object1", chosen[0], n, &sides[0]) &&
                join_side_of(im, o, "object2", chosen[1], n, &sides[1]) && sides[0].body != sides[1].body;
    int a = good && sides[1].body->rod ? 1 : 0;
    if (good && !sides[a].body->rod && !sides[a].body->mesh) a = 1;
    if (!good || (!sides[a].body->rod && !sides[a].body->mesh)) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT,
                      good ? "points of two rigid bodies; write <attach type=\"hinge\"> or weld"
                           : "it needs points of two bodies, in lists");
        return;
    }
    double *nodes = sp__scene_alloc(im->scene, (size_t)n, sizeof *nodes), away = 0, apart = 0;
    if (!nodes) return;
    for (int i = 0; i < n; i++) {
        const double *p = sides[a].points + 3 * (size_t)i;
        nodes[i] = sides[a].indices ? sides[a].indices[i] : nearest_node(sides[a].body, p, &away);
        apart = fmax(apart, sp__sofa_distance(p, sides[1 - a].points + 3 * (size_t)i));
    }
    const char *left = link_side(im, o, sides[a].body, nodes, n);
    if (!left) return;
    sofa_element *e = sp__sofa_add(im, im->top, "attach", o);
    sp__sofa_set(im, e, "a", left);
    sp__sofa_set(im, e, "b", sides[1 - a].body->body);
    bool rigid = !points_of(sides[1 - a].body);
    double reach = rigid ? rigid_reach(sides[1 - a].body, points_of(sides[a].body), nodes, n) : 1.01 * (away + apart);
    if (reach > 0) sp__sofa_set_result(im, e, "within", reach);
    sp__sofa_became(im, o);
    if (away > 0 || apart > 0)
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "nodes of %s, up to %.3g from the points, are held where they start",
                      sides[a].body->body, away + apart);
    if (sides[a].body->rod && strcmp(sides[1 - a].body->element->name, "solid") != 0)
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "the frame of the rod is held too");
}

void sp__sofa_links(sp_import *im) {
    for (sofa_node *n = im->root; n; n = sp__sofa_next_node(n, im->root))
        for (int i = 0; i < n->object_count; i++) {
            sofa_object *o = &n->objects[i];
            sofa_role role = o->component ? o->component->role : SOFA_UNKNOWN;
            if (role == SOFA_PAIR_SPRINGS) write_springs(im, o);
            if (role == SOFA_WELD) write_weld(im, o);
            if (role == SOFA_JOIN) write_join(im, o);
        }
}
