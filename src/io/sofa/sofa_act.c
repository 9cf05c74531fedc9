// What acts on a body: the nodes that SOFA's indices and boxes select, boundary conditions and loads.
#include <stdio.h>
#include <stdlib.h>

#include "io/sofa/sofa.h"

// ---------------------------------------------------------------------------------------------- selections

static const char *indices_text(sp_import *im, const int64_t *ids, int count) {
    size_t room = (size_t)count * 22 + 1, used = 0;
    char *text = sp__scene_alloc(im->scene, room, 1);
    for (int i = 0; text && i < count;) {
        int last = i;
        while (last + 1 < count && ids[last + 1] == ids[last] + 1) last++;
        int n = last > i
                    ? snprintf(text + used, room - used, "%s%lld-%lld", i ? " " : "", (long long)ids[i], (long long)ids[last])
                    : snprintf(text + used, room - used, "%s%lld", i ? " " : "", (long long)ids[i]);
        if (n < 0 || (size_t)n >= room - used) break;
        used += (size_t)n;
        i = last + 1;
    }
    return text ? text : "";
}

static int by_id(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// the number that the new scene has for a node of SOFA
static int64_t node_id(const sofa_node *n, int64_t index) {
    return n->mesh && n->mesh->ids ? n->mesh->ids[index] : index;
}

static int node_count(const sofa_node *n) {
    return n->mesh ? n->mesh->node_count : n->points;
}

bool sp__sofa_select_nodes(sp_import *im, sofa_node *n, sofa_object *o, const double *numbers, int count, sofa_element *e) {
    int64_t *ids = sp__scene_alloc(im->scene, (size_t)count, sizeof *ids);
    if (!ids) return false;
    for (int i = 0; i < count; i++) {
        if (!(numbers[i] >= 0 && numbers[i] < node_count(n))) {
            sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "index %g: %s has %d nodes", numbers[i], n->body, node_count(n));
            return false;
        }
        ids[i] = node_id(n, (int64_t)numbers[i]);
    }
    qsort(ids, (size_t)count, sizeof *ids, by_id);
    int used = 0;
    for (int i = 0; i < count; i++)
        if (!used || ids[i] != ids[used - 1]) ids[used++] = ids[i];
    sp__sofa_set(im, e, "nodes", indices_text(im, ids, used));
    return true;
}

bool sp__sofa_inside(const double *x, const double *box, bool ball) {
    if (ball) {
        double d = 0;
        for (int k = 0; k < 3; k++) d += (x[k] - box[k]) * (x[k] - box[k]);
        return d <= box[3] * box[3];
    }
    return x[0] >= box[0] && x[1] >= box[1] && x[2] >= box[2] && x[0] <= box[3] && x[1] <= box[4] && x[2] <= box[5];
}

// Several boxes or balls, or one of a rod, become the list of their nodes; one stays what it is, in world coordinates.
static bool select_shapes(sp_import *im, sofa_node *n, sofa_object *o, double *shapes, int count, bool ball, sofa_element *e) {
    int width = ball ? 4 : 6, found = 0;
    const double *x = n->mesh ? n->mesh->at_rest : n->point_list;
    double *hits = sp__scene_alloc(im->scene, (size_t)node_count(n), sizeof *hits);
    for (int i = 0; !ball && i < count; i++)
        for (int k = 0; k < 3; k++) {
            double *low = &shapes[6 * i + k], *high = low + 3, t = *low;
            if (*low > *high) *low = *high, *high = t;
        }
    for (int i = 0; hits && x && i < node_count(n); i++) {
        bool hit = false;
        for (int s = 0; s < count; s++) hit = hit || sp__sofa_inside(x + 3 * (size_t)i, shapes + width * s, ball);
        if (hit) hits[found++] = i;
    }
    if (!found) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "no node of %s is inside", n->body);
        return false;
    }
    if (count > 1 || n->rod) return sp__sofa_select_nodes(im, n, o, hits, found, e);
    sp__sofa_set_vector(im, e, ball ? "sphere" : "box", shapes, width);
    sp__sofa_set(im, e, "frame", "world");
    return true;
}

static bool select_roi(sp_import *im, sofa_node *n, sofa_object *roi, sofa_element *e) {
    const double *numbers, *radii;
    int width = roi->component->role == SOFA_ROI_BOX ? 6 : 3, count = 0, r = 0;
    if (sp__sofa_is(roi, SOFA_ROI_BOX) || sp__sofa_is(roi, SOFA_FIX_BOX)) {
        width = 6, count = sp__sofa_numbers(im, roi, "box", &numbers) / width;
    } else if (sp__sofa_is(roi, SOFA_ROI_SPHERE)) {
        count = sp__sofa_numbers(im, roi, "centers/center", &numbers) / 3;
        r = sp__sofa_numbers(im, roi, "radii/radius", &radii);
        if (!r) count = 0;
    }
    double *shapes = sp__scene_alloc(im->scene, (size_t)count, 6 * sizeof *shapes);
    if (!count || !shapes) {
        sp__sofa_note(im, roi, SP_IMPORT_LEFT_OUT, "it has no box or sphere that is a list of numbers");
        return false;
    }
    for (int i = 0; i < count; i++) {
        memcpy(shapes + (width == 6 ? 6 : 4) * i, numbers + width * i, (size_t)width * sizeof *shapes);
        if (width == 3) shapes[4 * i + 3] = radii[i < r ? i : r - 1];
    }
    if (!select_shapes(im, n, roi, shapes, count, width == 3, e)) return false;
    if (!roi->noted) sp__sofa_became(im, roi);
    return true;
}

bool sp__sofa_select(sp_import *im, sofa_node *n, sofa_object *o, const char *names, bool all, sofa_element *e) {
    const char *text = sp__sofa_attr(o, names), *data;
    const double *numbers;
    if (text && *text == '@') {
        sofa_node *node;
        sofa_object *roi = sp__sofa_link(im, o, text, &node, &data);
        bool good =
            roi && (sp__sofa_is(roi, SOFA_ROI_BOX) || sp__sofa_is(roi, SOFA_ROI_SPHERE)) && strncmp(data, "indices", 7) == 0;
        if (!good) sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "%.80s: indices come from a BoxROI, a SphereROI or a list", text);
        if (!good || select_roi(im, n, roi, e)) return good;
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "it selects nothing");
        return false;
    }
    if (!text) {
        if (all) {
            sp__sofa_set(im, e, "on", "all");
            return true;
        }
        const double first = 0;
        return sp__sofa_select_nodes(im, n, o, &first, 1, e);
    }
    int count = sp__sofa_numbers(im, o, names, &numbers);
    if (count) return sp__sofa_select_nodes(im, n, o, numbers, count, e);
    sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "it selects nothing");
    return false;
}

// ---------------------------------------------------------------------------------------------- conditions

// An element that is kept only where its selection is not empty.
static sofa_element *selected(sp_import *im, sofa_body *b, sofa_object *o, const char *name, const char *names, bool all) {
    sofa_element *e = sp__sofa_add(im, NULL, name, o);
    if (!sp__sofa_select(im, b->node, o, names, all, e)) return NULL;
    *b->e->end = e;
    b->e->end = &e->next;
    sp__sofa_became(im, o);
    return e;
}

static const char *axes_word(const double held[3]) {
    static const char *const words[8] = {"", "x", "y", "xy", "z", "xz", "yz", "xyz"};
    return words[(held[0] != 0) + 2 * (held[1] != 0) + 4 * (held[2] != 0)];
}

// index of the axis that a direction is along; -1: none
static int axis_of(const double d[3]) {
    int along = -1;
    for (int i = 0; i < 3; i++) {
        if (d[i] == 0) continue;
        if (along >= 0) return -1;
        along = i;
    }
    return along;
}

static void fix(sp_import *im, sofa_body *b, sofa_object *o) {
    bool all = sp__sofa_yes(o, "fixAll", false);
    if (b->node->rod) return;  // the root was looked at
    selected(im, b, o, "fix", all ? "" : "indices", all);
}

static void fix_box(sp_import *im, sofa_body *b, sofa_object *o) {
    sofa_element *e = sp__sofa_add(im, NULL, "fix", o);
    if (!select_roi(im, b->node, o, e)) return;
    *b->e->end = e;
    b->e->end = &e->next;
}

static void fix_axes(sp_import *im, sofa_body *b, sofa_object *o) {
    double held[3] = {1, 1, 1};
    sp__sofa_vector(im, o, "fixedDirections", 3, held);
    bool all = sp__sofa_yes(o, "fixAll", false);
    if (!*axes_word(held)) {
        sp__sofa_note(im, o, SP_IMPORT_NOT_NEEDED, "it holds no direction");
        return;
    }
    sofa_element *e = selected(im, b, o, "fix", all ? "" : "indices", all);
    if (e) sp__sofa_set(im, e, "axes", axes_word(held));
}

static void fix_plane(sp_import *im, sofa_body *b, sofa_object *o) {
    double d[3] = {0, 0, 0}, low = sp__sofa_number(im, o, "dmin", 0), high = sp__sofa_number(im, o, "dmax", 0),
           held[3] = {0, 0, 0};
    sp__sofa_vector(im, o, "direction", 3, d);
    int along = axis_of(d);
    if (along < 0) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "direction %s: only the axes x, y, z", sp__sofa_join(im, d, 3));
        return;
    }
    held[along] = 1;
    sofa_element *e = NULL;
    if (high > low) {
        double box[6] = {-1e9, -1e9, -1e9, 1e9, 1e9, 1e9};
        box[along] = low, box[along + 3] = high;
        e = sp__sofa_add(im, NULL, "fix", o);
        if (!select_shapes(im, b->node, o, box, 1, false, e)) return;
        *b->e->end = e;
        b->e->end = &e->next;
        sp__sofa_became(im, o);
    } else {
        e = selected(im, b, o, "fix", "indices", false);
    }
    if (e) sp__sofa_set(im, e, "axes", axes_word(held));
}

static void project(sp_import *im, sofa_body *b, sofa_object *o) {
    bool line = strcmp(o->component->word, "line") == 0, plane = strcmp(o->component->word, "plane") == 0;
    double d[3] = {line ? 1 : 0, line ? 0 : 1, 0}, held[3] = {1, 1, 1};
    if (line || plane) {
        sp__sofa_vector(im, o, line ? "direction" : "normal", 3, d);
        int along = axis_of(d);
        if (along < 0) {
            sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "direction %s: only the axes x, y, z", sp__sofa_join(im, d, 3));
            return;
        }
        for (int i = 0; i < 3; i++) held[i] = (i == along) == plane;
    }
    sp__sofa_attr(o, "point/origin");
    sofa_element *e = selected(im, b, o, "fix", "indices", false);
    if (!e) return;
    sp__sofa_set(im, e, "axes", axes_word(held));
    sp__sofa_note(im, o, SP_IMPORT_CHANGED, "nodes are held where they start; SOFA moves them onto the %s", o->component->word);
}

static void rest_springs(sp_import *im, sofa_body *b, sofa_object *o) {
    const double *k;
    int count = sp__sofa_numbers(im, o, "stiffness", &k);
    if (sp__sofa_attr(o, "external_rest_shape")) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "springs to another body; write <attach type=\"spring\">");
        return;
    }
    sofa_element *e = selected(im, b, o, "fix", "points/indices", true);
    if (!e) return;
    sp__sofa_set_number(im, e, "stiffness", count ? k[0] : 100);
    for (int i = 1; i < count; i++) {
        if (k[i] == k[0]) continue;
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "all springs have the first stiffness, %g", k[0]);
        return;
    }
}

static void move(sp_import *im, sofa_body *b, sofa_object *o) {
    const double *times, *steps;
    bool rigid = strcmp(b->e->name, "rigid") == 0;
    int width = b->frame || b->node->rod ? 6 : 3, n = sp__sofa_numbers(im, o, "keyTimes", &times);
    int m = sp__sofa_numbers(im, o, "movements", &steps) / width;
    if (m < n) n = m;
    if (!n || !sp__sofa_yes(o, "relativeMovements", true)) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, n ? "movements to an absolute place" : "it has no keys");
        return;
    }
    sofa_element *e = rigid ? sp__sofa_add(im, b->e, "move", o) : selected(im, b, o, "move", "indices", false);
    if (!e) return;
    bool turned = false, ordered = times[0] >= 0;
    for (int i = 0; i < n; i++) {
        ordered = ordered && (!i || times[i] > times[i - 1]);
        if (!ordered) continue;
        sofa_element *key = sp__sofa_add(im, e, "key", NULL);
        const double *step = steps + width * i;
        sp__sofa_set_number(im, key, "t", times[i]);
        sp__sofa_set_vector(im, key, "translate", step, 3);
        if (width < 6 || (step[3] == 0 && step[4] == 0 && step[5] == 0)) continue;
        turned = true;
        double degrees[3];
        for (int k = 0; k < 3; k++) degrees[k] = step[3 + k] * 180 / acos(-1);
        sp__sofa_set_vector(im, key, "rotate", degrees, 3);
    }
    if (turned) sp__sofa_set_vector(im, e, "about", b->placing.translate, 3);
    if (rigid) sp__sofa_became(im, o);
    if (!ordered) sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "keys from the first time that does not rise");
    sp__sofa_note(im, o, SP_IMPORT_CHANGED, "after the last key the motion stays; SOFA lets go%s",
                  turned ? "; rotations are about the fixed axes of the world" : "");
}

// ---------------------------------------------------------------------------------------------- loads

// a force of six numbers has a torque, which is a load of its own with the same selection
static void add_force(sp_import *im, sofa_body *b, sofa_element *e, const char *name, const double *f, int width) {
    if (width == 6 && (f[3] != 0 || f[4] != 0 || f[5] != 0)) {
        sofa_element *turn = sp__sofa_add(im, b->e, "load", NULL);
        for (const sofa_attr *a = e->attrs; a; a = a->next) sp__sofa_set(im, turn, a->name, a->value);
        sp__sofa_set_vector(im, turn, "torque", f + 3, 3);
    }
    sp__sofa_set_vector(im, e, name, f, 3);
}

static void force(sp_import *im, sofa_body *b, sofa_object *o) {
    enum { MOST = 1000 };
    const double *each, *one, *total, *list;
    bool rigid = strcmp(b->e->name, "rigid") == 0;
    int width = b->frame || b->node->rod ? 6 : 3;
    int n = sp__sofa_numbers(im, o, "forces", &each) / width, single = sp__sofa_numbers(im, o, "force", &one) / width,
        whole = sp__sofa_numbers(im, o, "totalForce", &total) / width;
    if (!n && !single && !whole) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "it has no force of %d numbers", width);
        return;
    }
    if (rigid) {
        sofa_element *e = sp__sofa_add(im, b->e, "load", o);
        sp__sofa_attr(o, "indices");  // it has one frame
        add_force(im, b, e, "force", n ? each : single ? one : total, width);
        sp__sofa_became(im, o);
        return;
    }
    if (n <= 1 || sp__sofa_all_equal(each, n, width)) {
        sofa_element *e = selected(im, b, o, "load", "indices", true);
        if (e) add_force(im, b, e, n || single ? "each" : "force", n ? each : single ? one : total, width);
        return;
    }
    bool listed = sp__sofa_attr(o, "indices") != NULL;
    int chosen = listed ? sp__sofa_numbers(im, o, "indices", &list) : node_count(b->node);
    if (n > MOST || n != chosen) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "%d forces for %d nodes; %d at most", n, chosen, MOST);
        return;
    }
    for (int i = 0; i < n; i++) {
        sofa_element *e = sp__sofa_add(im, NULL, "load", i ? NULL : o);
        const double node = listed ? list[i] : i;
        if (!sp__sofa_select_nodes(im, b->node, o, &node, 1, e)) return;
        *b->e->end = e;
        b->e->end = &e->next;
        add_force(im, b, e, "force", each + width * i, width);
    }
    sp__sofa_became(im, o);
}

// faces of the boundary; those of another surface are not the boundary
static void say_surface(sp_import *im, const sofa_body *b, sofa_object *o) {
    if (o->node->mapped && !sp__sofa_find(o->node, SOFA_BORDER))
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "it acts on the boundary of %s, not on the surface that follows it",
                      b->node->body);
}

// from 0 to the pressure and back, at a speed in Pa/s
static void set_pulse(sp_import *im, sofa_element *e, double p, double speed) {
    double period = 2 * p / speed;
    const char *at = sp__sofa_print(im, "t/%s", sp__sofa_join(im, &period, 1));
    sp__sofa_set(im, e, "pressure", sp__sofa_print(im, "{-%s*(1-abs(2*(%s-floor(%s))-1))}", sp__sofa_join(im, &p, 1), at, at));
}

static void pressure(sp_import *im, sofa_body *b, sofa_object *o) {
    double low[3] = {0, 0, 0}, high[3] = {0, 0, 0}, p = sp__sofa_number(im, o, "pressure", 0);
    if (sp__sofa_attr(o, "triangleIndices") || sp__sofa_attr(o, "quadIndices")) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "triangles by index; use min and max");
        return;
    }
    sofa_element *e = sp__sofa_add(im, NULL, "load", o);
    if (sp__sofa_vector(im, o, "min", 3, low) && sp__sofa_vector(im, o, "max", 3, high)) {
        double box[6] = {low[0], low[1], low[2], high[0], high[1], high[2]};
        if (!select_shapes(im, b->node, o, box, 1, false, e)) return;
    } else {
        sp__sofa_set(im, e, "on", "surface");
    }
    double speed = sp__sofa_number(im, o, "pressureSpeed", fabs(p));  // SOFA's default
    bool pulse = sp__sofa_yes(o, "pulseMode", false) && speed > 0 && p > 0;
    if (pulse)
        set_pulse(im, e, p, speed);
    else
        sp__sofa_set_number(im, e, "pressure", -p);  // SOFA's pushes along the normal
    *b->e->end = e;
    b->e->end = &e->next;
    sp__sofa_became(im, o);
    say_surface(im, b, o);
    if ((sp__sofa_yes(o, "pulseMode", false) && !pulse) || sp__sofa_yes(o, "volumeConservationMode", false))
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "the pressure is constant; write pressure=\"{...}\" with a function of t");
}

// triangles that a box selects, or those between two planes
static bool traction_selects(sp_import *im, sofa_body *b, sofa_object *o, sofa_element *e) {
    const char *list = sp__sofa_attr(o, "triangleList"), *data;
    sofa_node *node;
    sofa_object *roi = list && *list == '@' ? sp__sofa_link(im, o, list, &node, &data) : NULL;
    if (sp__sofa_is(roi, SOFA_ROI_BOX)) return select_roi(im, b->node, roi, e);
    double n[3] = {0, 0, 0}, low = sp__sofa_number(im, o, "dmin", 0), high = sp__sofa_number(im, o, "dmax", 0), plane[6];
    bool given = sp__sofa_vector(im, o, "normal", 3, n) && !list;
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!given || !(length > 0) || !(high > low)) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "it needs normal, dmin and dmax, or the triangles of a BoxROI");
        return false;
    }
    for (int i = 0; i < 3; i++) n[i] /= length, plane[i] = n[i] * (high + low) / 2, plane[i + 3] = n[i];
    sp__sofa_set_vector(im, e, "plane", plane, 6);
    sp__sofa_set_result(im, e, "within", (high - low) / 2);
    sp__sofa_set(im, e, "frame", "world");
    return true;
}

static void traction(sp_import *im, sofa_body *b, sofa_object *o) {
    double f[3] = {0, 0, 0};
    sofa_element *e = sp__sofa_add(im, NULL, "load", o);
    sp__sofa_vector(im, o, "pressure", 3, f);
    if (!traction_selects(im, b, o, e)) return;
    sp__sofa_set_vector(im, e, "traction", f, 3);
    *b->e->end = e;
    b->e->end = &e->next;
    sp__sofa_became(im, o);
    say_surface(im, b, o);
}

void sp__sofa_act(sp_import *im, sofa_body *b, sofa_object *o) {
    static const struct {
        sofa_role role;
        bool nodes;  // acts on nodes by their numbers
        void (*write)(sp_import *im, sofa_body *b, sofa_object *o);
    } acts[] = {{SOFA_FIX, true, fix},           {SOFA_FIX_BOX, true, fix_box},     {SOFA_FIX_AXES, true, fix_axes},
                {SOFA_PROJECT, true, project},   {SOFA_FIX_PLANE, true, fix_plane}, {SOFA_REST_SPRINGS, true, rest_springs},
                {SOFA_MOVE, true, move},         {SOFA_FORCE, true, force},         {SOFA_PRESSURE, false, pressure},
                {SOFA_TRACTION, false, traction}};
    for (size_t i = 0; i < sizeof acts / sizeof acts[0]; i++) {
        if (!sp__sofa_is(o, acts[i].role)) continue;
        bool solid = strcmp(b->e->name, "solid") == 0, free = acts[i].role == SOFA_FORCE || acts[i].role == SOFA_MOVE;
        if (acts[i].nodes && o->node->mapped && !sp__sofa_find(o->node, SOFA_BORDER))
            sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "it acts on points that follow %s; let it act on nodes of %s", b->node->body,
                          b->node->body);
        else if (solid || free || (b->node->rod && acts[i].nodes))
            acts[i].write(im, b, o);
        else if (acts[i].role == SOFA_FIX)
            sp__sofa_became(im, o);  // of a rigid body: its motion
        else
            sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "on a %s", b->e->name);
    }
}
