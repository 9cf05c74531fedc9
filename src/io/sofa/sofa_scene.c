// The scene itself: step, gravity, contact, obstacles without a state, springs and welds between bodies, and the end.
#include <stdio.h>

#include "io/sofa/sofa.h"

enum { PAIRS_MOST = 1000 };

static sofa_object *find_any(const sp_import *im, sofa_role role) {
    for (sofa_node *n = im->root; n; n = sp__sofa_next_node(n, im->root)) {
        sofa_object *o = sp__sofa_find(n, role);
        if (o) return o;
    }
    return NULL;
}

static void became(sp_import *im, sofa_object *o) {
    sp__sofa_note(im, o, SP_IMPORT_BECAME, "%s", o->component->becomes);
}

// ---------------------------------------------------------------------------------------------- the root

static bool read_vector(const char *text, int count, double *out) {
    for (int i = 0; text && i < count; i++) {
        text += strspn(text, " \t\r\n,");
        text = sp__scan_double(text, &out[i]);
    }
    return text != NULL;
}

static void write_root(sp_import *im) {
    double dt = 0.01, gravity[3] = {0, -9.81, 0}, other[3];
    const char *name = sp__sofa_node_attr(im->root, "name");
    if (!read_vector(sp__sofa_node_attr(im->root, "dt"), 1, &dt) || !(dt > 0)) dt = 0.01;
    read_vector(sp__sofa_node_attr(im->root, "gravity"), 3, gravity);
    im->top = sp__sofa_add(im, NULL, "scene", NULL);
    im->top->comment =
        sp__sofa_print(im,
                       "From %.200s, a scene of SOFA. A comment names the line and the component that the\n"
                       "     element below it comes from. SOFA has no units: here lengths are m, masses kg, forces N.",
                       sp__sofa_after_slash(im->file));
    sp__sofa_set(im, im->top, "version", "1");
    sp__sofa_set(im, im->top, "name", name && *name ? name : im->stem);
    sp__sofa_set_number(im, im->top, "dt", dt);
    sp__sofa_set_vector(im, im->top, "gravity", gravity, 3);
    for (sofa_node *n = im->root; n; n = sp__sofa_next_node(n, im->root)) {
        if (n == im->root || !n->object_count || !read_vector(sp__sofa_node_attr(n, "gravity"), 3, other)) continue;
        if (memcmp(other, gravity, sizeof other) != 0)
            sp__sofa_note(im, &n->objects[0], SP_IMPORT_LEFT_OUT, "gravity %s of node \"%.60s\": there is one gravity",
                          sp__sofa_join(im, other, 3), n->name);
    }
}

// ---------------------------------------------------------------------------------------------- contact

// "mu=0.5" in "mu=0.5&tol=1"
static double param_mu(const char *text) {
    const char *at = text ? strstr(text, "mu=") : NULL;
    double mu = 0;
    return at && sp__scan_double(at + 3, &mu) && mu >= 0 ? mu : -1;
}

static void write_distances(sp_import *im, sofa_element *contact, bool proximity) {
    sofa_object *o = find_any(im, SOFA_INTERSECTION);
    if (!o || o->component->word) {
        if (o) became(im, o);
        return;
    }
    double alarm = sp__sofa_number(im, o, "alarmDistance", 1), gap = sp__sofa_number(im, o, "contactDistance", 0.5);
    gap += 2 * im->proximity;
    if (!proximity) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "distances: penalty contact acts where bodies overlap");
        return;
    }
    if (alarm > 0) sp__sofa_set_number(im, contact, "alarm", fmax(alarm, gap * 1.0001));
    if (gap >= 0) sp__sofa_set_number(im, contact, "gap", gap);
    became(im, o);
    if (im->proximity > 0)
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "gap is contactDistance and twice the largest proximity, %g, for all pairs",
                      im->proximity);
}

static void write_contact_solver(sp_import *im, sofa_element *contact, sofa_object *o) {
    if (!o) return;
    double sweeps = sp__sofa_number(im, o, "maxIterations/maxIt", 1000);
    sofa_element *e = sp__sofa_add(im, contact, "contact-solver", o);
    sp__sofa_set_number(im, e, "sweeps", fmax(1, fmin(1e6, floor(sweeps))));
    sp__sofa_attr(o, "mu/initial_guess/build_lcp/unbuilt/resolutionMethod/multi_grid");
    became(im, o);
    if (sp__sofa_attr(o, "tolerance"))
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "tolerance 1e-6 relative to the largest violation; SOFA's is absolute");
}

static void write_contact(sp_import *im) {
    sofa_object *pipeline = find_any(im, SOFA_PIPELINE), *response = find_any(im, SOFA_RESPONSE),
                *solver = find_any(im, SOFA_CONTACT_SOLVER);
    if (!im->touching) {
        if (!im->plane) return;
        sofa_element *contact = sp__sofa_add(im, im->top, "contact", im->plane);
        sp__sofa_set(im, contact, "formulation", "penalty");
        sp__sofa_set_number(im, contact, "stiffness", fmax(1e-300, sp__sofa_number(im, im->plane, "stiffness", 500)));
        double damping = sp__sofa_number(im, im->plane, "damping", 5);
        sp__sofa_note(im, im->plane, SP_IMPORT_CHANGED,
                      "its damping, %g times the depth, is left out; every body touches the plane", damping);
        return;
    }
    const char *kind = response ? sp__sofa_attr(response, "response") : NULL,
               *params = response ? sp__sofa_attr(response, "responseParams") : NULL;
    bool penalty = !kind || strncmp(kind, "Penal", 5) == 0 || strncmp(kind, "default", 7) == 0;
    double mu = param_mu(params), of_solver = sp__sofa_number(im, solver, "mu", -1);
    if (mu < 0) mu = of_solver;
    if (mu < 0 && kind && strncmp(kind, "Friction", 8) == 0) mu = 0.8;
    sofa_element *contact = sp__sofa_add(im, im->top, "contact", response ? response : pipeline);
    sp__sofa_set(im, contact, "formulation", penalty ? "penalty" : "proximity");
    if (!penalty && mu > 0) sp__sofa_set_number(im, contact, "friction", mu);
    write_distances(im, contact, !penalty);
    if (pipeline) became(im, pipeline);
    if (response) became(im, response);
    if (penalty && response)
        sp__sofa_note(im, response, SP_IMPORT_CHANGED, "penalty stiffness from mass and step, not from contactStiffness");
    if (kind && strncmp(kind, "Stick", 5) == 0)
        sp__sofa_note(im, response, SP_IMPORT_CHANGED, "contacts that stick: write a large friction or <attach>");
    if (!penalty) write_contact_solver(im, contact, solver);
    if (penalty && solver) sp__sofa_note(im, solver, SP_IMPORT_NOT_NEEDED, "penalty contact has no constraints");
    if (im->plane) sp__sofa_note(im, im->plane, SP_IMPORT_CHANGED, "every body touches the plane, by the contact of the scene");
}

// a plane that a body is pushed out of
static void write_planes(sp_import *im) {
    for (sofa_node *n = im->root; n; n = sp__sofa_next_node(n, im->root))
        for (int i = 0; i < n->object_count; i++) {
            sofa_object *o = &n->objects[i];
            if (!o->component || o->component->role != SOFA_PLANE) continue;
            double normal[3] = {0, 1, 0}, point[3], d = sp__sofa_number(im, o, "d", 0);
            sp__sofa_vector(im, o, "normal", 3, normal);
            double square = normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2];
            if (!(square > 0)) {
                sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "its normal is 0");
                continue;
            }
            for (int k = 0; k < 3; k++) point[k] = normal[k] * d / square;
            sofa_element *rigid = sp__sofa_add(im, im->top, "rigid", o), *plane = sp__sofa_add(im, rigid, "plane", NULL);
            sp__sofa_set(im, rigid, "name", sp__sofa_unique(im, *o->name ? o->name : "plane"));
            sp__sofa_set_vector(im, plane, "point", point, 3);
            sp__sofa_set_vector(im, plane, "normal", normal, 3);
            sp__sofa_attr(o, "stiffness/damping");
            became(im, o);
            if (sp__sofa_yes(o, "bilateral", false)) sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "bilateral");
            if (!im->plane) im->plane = o;
        }
}

// ---------------------------------------------------------------------------------------------- scenery

// what is drawn beside all bodies
static void write_scenery(sp_import *im) {
    const sofa_placing here = {.scale = {1, 1, 1}, .quat = {1, 0, 0, 0}};
    for (sofa_node *n = im->root; n; n = sp__sofa_next_node(n, im->root)) {
        sofa_object *o = sp__sofa_find(n, SOFA_VISUAL);
        if (!o || o->noted || sp__sofa_body_of(n)) continue;
        sofa_object *source = sp__sofa_surface_source(im, o);
        sofa_placing moved = source == o ? here : sp__sofa_placing(im, o);
        const char *name = sp__sofa_unique(im, *n->name ? n->name : "scenery");
        const char *file = source ? sp__sofa_surface(im, source, &moved, name) : NULL;
        if (!file) continue;
        sofa_element *rigid = sp__sofa_add(im, im->top, "rigid", o);
        sp__sofa_set(im, rigid, "name", name);
        sp__sofa_set(im, sp__sofa_add(im, rigid, "mesh", source), "file", file);
        sp__sofa_set(im, sp__sofa_add(im, rigid, "surface", NULL), "role", "visual");
        sp__sofa_attr(o, "color");
        became(im, o);
        if (!source->noted) became(im, source);
    }
}

// ---------------------------------------------------------------------------------------------- links

// the body of a state that an attribute links to, or that of the object's own node
static sofa_node *linked_body(sp_import *im, sofa_object *o, const char *names) {
    const char *text = sp__sofa_attr(o, names), *data;
    char link[400];
    sofa_node *node = o->node;
    if (text) {
        snprintf(link, sizeof link, "%s%s", *text == '@' ? "" : "@", text);
        sp__sofa_link(im, o, link, &node, &data);
    }
    sofa_node *body = node && node->mapped ? NULL : node;
    return body && body->body ? body : NULL;
}

// a selection of one body for a link: its path
static const char *link_side(sp_import *im, sofa_node *n, const double *indices, int count) {
    sofa_element *select = sp__sofa_add(im, NULL, "select", NULL);
    const char *name = sp__sofa_print(im, "link-%d", ++im->selects);
    sp__sofa_set(im, select, "name", name);
    if (strcmp(n->element->name, "rigid") == 0) return n->body;
    double *sorted = sp__scene_alloc(im->scene, (size_t)count, sizeof *sorted);
    if (!sorted) return "";
    memcpy(sorted, indices, (size_t)count * sizeof *sorted);
    size_t room = (size_t)count * 24 + 1, used = 0;
    char *text = sp__scene_alloc(im->scene, room, 1);
    for (int i = 0; text && i < count; i++) {
        int total = n->mesh ? n->mesh->node_count : n->points;
        if (!(sorted[i] >= 0 && sorted[i] < total)) return NULL;
        int64_t id = n->mesh && n->mesh->ids ? n->mesh->ids[(int64_t)sorted[i]] : (int64_t)sorted[i];
        int written = snprintf(text + used, room - used, "%s%lld", i ? " " : "", (long long)id);
        used += written > 0 ? (size_t)written : 0;
    }
    sp__sofa_set(im, select, "nodes", text ? text : "");
    *n->element->end = select;
    n->element->end = &select->next;
    return sp__sofa_print(im, "%s.%s", n->body, name);
}

// the longest distance of the pairs of points of a link; 0 where a side is rigid
static double link_reach(const sofa_node *a, const sofa_node *b, const double *ia, const double *ib, int count) {
    const double *xa = a->mesh ? a->mesh->at_rest : a->point_list, *xb = b->mesh ? b->mesh->at_rest : b->point_list;
    double reach = 0;
    for (int i = 0; xa && xb && i < count; i++) {
        const double *p = xa + 3 * (size_t)ia[i], *q = xb + 3 * (size_t)ib[i];
        reach = fmax(reach, sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2])));
    }
    return reach;
}

static sofa_element *attach(sp_import *im, sofa_object *o, bool first, sofa_node *a, sofa_node *b, const double *ia,
                            const double *ib, int count) {
    const char *left = link_side(im, a, ia, count), *right = link_side(im, b, ib, count);
    if (!left || !right) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "an index is no node");
        return NULL;
    }
    sofa_element *e = sp__sofa_add(im, im->top, "attach", first ? o : NULL);
    sp__sofa_set(im, e, "a", left);
    sp__sofa_set(im, e, "b", right);
    double reach = link_reach(a, b, ia, ib, count);
    if (reach > 0) sp__sofa_set_result(im, e, "within", reach * 1.001);
    return e;
}

static void write_springs(sp_import *im, sofa_object *o) {
    sofa_node *a = linked_body(im, o, "object1"), *b = linked_body(im, o, "object2");
    const double *s;
    int count = sp__sofa_numbers(im, o, "spring", &s) / 5;
    bool lengths = false, damped = true;
    if (!a || !b || !count || count > PAIRS_MOST) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT,
                      a && b ? "it needs spring=\"index index stiffness damping length ...\", 1 to %d of them"
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
        damped = damped && p[3] >= 0;
        lengths = lengths || p[4] != 0;
    }
    became(im, o);
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
    if (attach(im, o, true, a, b, ia, ib, na)) became(im, o);
}

static void write_links(sp_import *im) {
    for (sofa_node *n = im->root; n; n = sp__sofa_next_node(n, im->root))
        for (int i = 0; i < n->object_count; i++) {
            sofa_object *o = &n->objects[i];
            sofa_role role = o->component ? o->component->role : SOFA_UNKNOWN;
            if (role == SOFA_PAIR_SPRINGS) write_springs(im, o);
            if (role == SOFA_WELD) write_weld(im, o);
        }
}

// ---------------------------------------------------------------------------------------------- all of it

void sp__sofa_scene(sp_import *im) {
    write_root(im);
    im->touching = find_any(im, SOFA_PIPELINE) || find_any(im, SOFA_RESPONSE);
    sp__sofa_bodies(im);
    write_scenery(im);
    write_planes(im);
    write_contact(im);
    write_links(im);
    sofa_element *stop = sp__sofa_add(im, im->top, "stop", NULL);
    stop->comment = "SOFA runs until it is closed";
    sp__sofa_set_number(im, stop, "time", im->stop);
}
