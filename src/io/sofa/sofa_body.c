// Bodies: each state of SOFA that follows no other becomes a solid, a rod or a rigid body, with everything that acts on it.
#include <stdio.h>
#include <stdlib.h>

#include "io/sofa/sofa.h"

typedef struct body {
    sofa_node *node;
    sofa_element *e;
    sofa_mesh *mesh;       // of a solid
    sofa_placing placing;  // own coordinates to the world
    int point_count;       // of a rod
    bool drawn, touched;   // it has surfaces in these roles
} body;

static bool has_role(const sofa_object *o, sofa_role role) {
    return o->component && o->component->role == role;
}

static void note_became(sp_import *im, sofa_object *o) {
    sp__sofa_note(im, o, SP_IMPORT_BECAME, "%s", o->component->becomes);
}

sofa_node *sp__sofa_body_of(sofa_node *node) {
    while (node && !node->body) node = node->parent;
    return node;
}

// the nodes of a body in document order: below it, but not below another body
static sofa_node *next_of_body(const sofa_node *n, const sofa_node *top) {
    sofa_node *next = sp__sofa_next_node(n, top);
    while (next && next->state && !next->mapped) {  // another body: its subtree is skipped
        const sofa_node *last = next;
        while (last != top && !last->next) last = last->parent;
        next = last == top ? NULL : last->next;
    }
    return next;
}

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

static bool select_indices(sp_import *im, sofa_node *n, sofa_object *o, const double *numbers, int count, sofa_element *e) {
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

static bool inside(const double *x, const double *box, bool ball) {
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
        for (int s = 0; s < count; s++) hit = hit || inside(x + 3 * (size_t)i, shapes + width * s, ball);
        if (hit) hits[found++] = i;
    }
    if (!found) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "no node of %s is inside", n->body);
        return false;
    }
    if (count > 1 || n->rod) return select_indices(im, n, o, hits, found, e);
    sp__sofa_set_vector(im, e, ball ? "sphere" : "box", shapes, width);
    sp__sofa_set(im, e, "frame", "world");
    return true;
}

static bool select_roi(sp_import *im, sofa_node *n, sofa_object *roi, sofa_element *e) {
    const double *numbers, *radii;
    int width = roi->component->role == SOFA_ROI_BOX ? 6 : 3, count = 0, r = 0;
    if (has_role(roi, SOFA_ROI_BOX) || has_role(roi, SOFA_FIX_BOX)) {
        width = 6, count = sp__sofa_numbers(im, roi, "box", &numbers) / width;
    } else if (has_role(roi, SOFA_ROI_SPHERE)) {
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
    if (!roi->noted) note_became(im, roi);
    return true;
}

bool sp__sofa_select(sp_import *im, sofa_node *n, sofa_object *o, const char *names, bool all, sofa_element *e) {
    const char *text = sp__sofa_attr(o, names), *data;
    const double *numbers;
    if (text && *text == '@') {
        sofa_node *node;
        sofa_object *roi = sp__sofa_link(im, o, text, &node, &data);
        bool good = roi && (has_role(roi, SOFA_ROI_BOX) || has_role(roi, SOFA_ROI_SPHERE)) && strncmp(data, "indices", 7) == 0;
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
        return select_indices(im, n, o, &first, 1, e);
    }
    int count = sp__sofa_numbers(im, o, names, &numbers);
    if (count) return select_indices(im, n, o, numbers, count, e);
    sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "it selects nothing");
    return false;
}

// ---------------------------------------------------------------------------------------------- conditions

// An element that is kept only where its selection is not empty.
static sofa_element *selected(sp_import *im, body *b, sofa_object *o, const char *name, const char *names, bool all) {
    sofa_element *e = sp__sofa_add(im, NULL, name, o);
    if (!sp__sofa_select(im, b->node, o, names, all, e)) return NULL;
    *b->e->end = e;
    b->e->end = &e->next;
    note_became(im, o);
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

static void fix(sp_import *im, body *b, sofa_object *o) {
    bool all = sp__sofa_yes(o, "fixAll", false);
    if (b->node->rod) return;  // the root was looked at
    selected(im, b, o, "fix", all ? "" : "indices", all);
}

static void fix_box(sp_import *im, body *b, sofa_object *o) {
    sofa_element *e = sp__sofa_add(im, NULL, "fix", o);
    if (!select_roi(im, b->node, o, e)) return;
    *b->e->end = e;
    b->e->end = &e->next;
}

static void fix_axes(sp_import *im, body *b, sofa_object *o) {
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

static void fix_plane(sp_import *im, body *b, sofa_object *o) {
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
        note_became(im, o);
    } else {
        e = selected(im, b, o, "fix", "indices", false);
    }
    if (e) sp__sofa_set(im, e, "axes", axes_word(held));
}

static void project(sp_import *im, body *b, sofa_object *o) {
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

static void rest_springs(sp_import *im, body *b, sofa_object *o) {
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

static void move(sp_import *im, body *b, sofa_object *o) {
    const double *times, *steps;
    bool rigid = strcmp(b->e->name, "rigid") == 0;
    int width = rigid || b->node->rod ? 6 : 3, n = sp__sofa_numbers(im, o, "keyTimes", &times);
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
    if (rigid) note_became(im, o);
    if (!ordered) sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "keys from the first time that does not rise");
    sp__sofa_note(im, o, SP_IMPORT_CHANGED, "after the last key the motion stays; SOFA lets go%s",
                  turned ? "; rotations are about the fixed axes of the world" : "");
}

// ---------------------------------------------------------------------------------------------- loads

static bool all_equal(const double *f, int count, int width) {
    for (int i = 1; i < count; i++)
        for (int k = 0; k < width; k++)
            if (f[width * i + k] != f[k]) return false;
    return true;
}

// a force of six numbers has a torque, which is a load of its own with the same selection
static void add_force(sp_import *im, body *b, sofa_element *e, const char *name, const double *f, int width) {
    if (width == 6 && (f[3] != 0 || f[4] != 0 || f[5] != 0)) {
        sofa_element *turn = sp__sofa_add(im, b->e, "load", NULL);
        for (const sofa_attr *a = e->attrs; a; a = a->next) sp__sofa_set(im, turn, a->name, a->value);
        sp__sofa_set_vector(im, turn, "torque", f + 3, 3);
    }
    sp__sofa_set_vector(im, e, name, f, 3);
}

static void force(sp_import *im, body *b, sofa_object *o) {
    enum { MOST = 1000 };
    const double *each, *one, *total, *list;
    bool rigid = strcmp(b->e->name, "rigid") == 0;
    int width = rigid || b->node->rod ? 6 : 3;
    int n = sp__sofa_numbers(im, o, "forces", &each) / width, single = sp__sofa_numbers(im, o, "force", &one) / width,
        whole = sp__sofa_numbers(im, o, "totalForce", &total) / width, chosen = sp__sofa_numbers(im, o, "indices", &list);
    if (!n && !single && !whole) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "it has no force of %d numbers", width);
        return;
    }
    if (rigid) {
        sofa_element *e = sp__sofa_add(im, b->e, "load", o);
        add_force(im, b, e, "force", n ? each : single ? one : total, width);
        note_became(im, o);
        return;
    }
    if (n <= 1 || all_equal(each, n, width)) {
        sofa_element *e = selected(im, b, o, "load", "indices", true);
        if (e) add_force(im, b, e, n || single ? "each" : "force", n ? each : single ? one : total, width);
        return;
    }
    if (n > MOST || n != chosen) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "%d forces for %d indices; %d at most", n, chosen, MOST);
        return;
    }
    for (int i = 0; i < n; i++) {
        sofa_element *e = sp__sofa_add(im, NULL, "load", i ? NULL : o);
        if (!select_indices(im, b->node, o, &list[i], 1, e)) return;
        *b->e->end = e;
        b->e->end = &e->next;
        add_force(im, b, e, "force", each + width * i, width);
    }
    note_became(im, o);
}

// faces of the boundary; those of another surface are not the boundary
static void say_surface(sp_import *im, const body *b, sofa_object *o) {
    if (o->node->mapped && !sp__sofa_find(o->node, SOFA_BORDER))
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "it acts on the boundary of %s, not on the surface that follows it",
                      b->node->body);
}

static void pressure(sp_import *im, body *b, sofa_object *o) {
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
    sp__sofa_set_number(im, e, "pressure", -p);  // SOFA's pushes along the normal
    *b->e->end = e;
    b->e->end = &e->next;
    note_became(im, o);
    say_surface(im, b, o);
    if (sp__sofa_yes(o, "pulseMode", false) || sp__sofa_yes(o, "volumeConservationMode", false))
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "the pressure is constant; write pressure=\"{...}\" with a function of t");
}

static void traction(sp_import *im, body *b, sofa_object *o) {
    double f[3] = {0, 0, 0}, n[3] = {0, 0, 0}, low = sp__sofa_number(im, o, "dmin", 0), high = sp__sofa_number(im, o, "dmax", 0);
    bool given = sp__sofa_vector(im, o, "pressure", 3, f) && sp__sofa_vector(im, o, "normal", 3, n);
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!given || !(length > 0) || !(high > low) || sp__sofa_attr(o, "triangleList")) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "it needs pressure, normal, dmin and dmax");
        return;
    }
    double plane[6], half = (high - low) / 2, middle = (high + low) / 2;
    for (int i = 0; i < 3; i++) n[i] /= length, plane[i] = n[i] * middle, plane[i + 3] = n[i];
    sofa_element *e = sp__sofa_add(im, b->e, "load", o);
    sp__sofa_set_vector(im, e, "plane", plane, 6);
    sp__sofa_set_result(im, e, "within", half);
    sp__sofa_set(im, e, "frame", "world");
    sp__sofa_set_vector(im, e, "traction", f, 3);
    note_became(im, o);
    say_surface(im, b, o);
}

static void act(sp_import *im, body *b, sofa_object *o) {
    static const struct {
        sofa_role role;
        bool nodes;  // acts on nodes by their numbers
        void (*write)(sp_import *im, body *b, sofa_object *o);
    } acts[] = {{SOFA_FIX, true, fix},           {SOFA_FIX_BOX, true, fix_box},     {SOFA_FIX_AXES, true, fix_axes},
                {SOFA_PROJECT, true, project},   {SOFA_FIX_PLANE, true, fix_plane}, {SOFA_REST_SPRINGS, true, rest_springs},
                {SOFA_MOVE, true, move},         {SOFA_FORCE, true, force},         {SOFA_PRESSURE, false, pressure},
                {SOFA_TRACTION, false, traction}};
    for (size_t i = 0; i < sizeof acts / sizeof acts[0]; i++) {
        if (!has_role(o, acts[i].role)) continue;
        bool solid = strcmp(b->e->name, "solid") == 0, free = acts[i].role == SOFA_FORCE || acts[i].role == SOFA_MOVE;
        if (acts[i].nodes && o->node->mapped && !sp__sofa_find(o->node, SOFA_BORDER))
            sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "it acts on points that follow %s; let it act on nodes of %s", b->node->body,
                          b->node->body);
        else if (solid || free || (b->node->rod && acts[i].nodes))
            acts[i].write(im, b, o);
        else if (acts[i].role == SOFA_FIX)
            note_became(im, o);  // of a rigid body: its motion
        else
            sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "on a %s", b->e->name);
    }
}

// ---------------------------------------------------------------------------------------------- surfaces

static bool color_of(sp_import *im, sofa_object *o, double out[4]) {
    static const struct {
        const char *name;
        double color[3];
    } names[] = {{"red", {1, 0, 0}},        {"green", {0, 1, 0}},      {"blue", {0, 0, 1}},    {"yellow", {1, 1, 0}},
                 {"cyan", {0, 1, 1}},       {"magenta", {1, 0, 1}},    {"white", {1, 1, 1}},   {"black", {0, 0, 0}},
                 {"gray", {0.5, 0.5, 0.5}}, {"grey", {0.5, 0.5, 0.5}}, {"orange", {1, 0.5, 0}}};
    const char *text = sp__sofa_attr(o, "color");
    const double *numbers;
    out[3] = 1;
    if (!text) return false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].name, text) == 0) return memcpy(out, names[i].color, 3 * sizeof *out), true;
    if (*text == '#' || (*text >= 'a' && *text <= 'z')) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "color %.40s", text);
        return false;
    }
    int n = sp__sofa_numbers(im, o, "color", &numbers);
    for (int i = 0; i < n && i < 4; i++) out[i] = fmax(0, fmin(1, numbers[i]));
    return n >= 3;
}

static const char *look_of(sp_import *im, sofa_object *o, const char *name) {
    double color[4];
    if (!color_of(im, o, color)) return NULL;
    sofa_element *look = sp__sofa_add(im, im->top, "look", o);
    const char *unique = sp__sofa_unique(im, sp__sofa_print(im, "%s-look", name));
    sp__sofa_set(im, look, "name", unique);
    sp__sofa_set_vector(im, look, "color", color, 3);
    if (color[3] != 1) sp__sofa_set_number(im, look, "opacity", color[3]);
    return unique;
}

// how a surface in world coordinates, or in those of a rigid body, becomes one in the body's own
static bool surface_placing(sp_import *im, const body *b, sofa_object *o, sofa_placing *out) {
    sofa_placing own = sp__sofa_placing(im, o), back;
    *out = own;
    if (strcmp(b->e->name, "solid") != 0) return true;
    return sp__sofa_placing_inverse(&b->placing, &back) && sp__sofa_placing_after(&own, &back, out);
}

static void add_surface(sp_import *im, body *b, sofa_object *o, const char *role) {
    sofa_object *source = sp__sofa_surface_source(im, o);
    // the collision model of a mapped surface is placed by its state
    sofa_object *placer = strcmp(role, "visual") == 0 ? o : o->node == b->node ? NULL : o->node->state;
    sofa_placing moved;
    bool own = !source || sp__sofa_find(o->node, SOFA_BORDER) || (o->node == b->node && source->component->role != SOFA_VISUAL);
    const char *file = NULL;
    if (!own) {
        bool good = surface_placing(im, b, placer == source ? NULL : placer, &moved);
        file = good ? sp__sofa_surface(im, source, &moved, b->node->body) : NULL;
        if (!file) {
            if (!o->noted) sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "its surface could not be placed");
            return;
        }
        if (!source->noted) note_became(im, source);
    }
    sofa_element *e = sp__sofa_add(im, b->e, "surface", o);
    sp__sofa_set(im, e, "role", role);
    if (file) sp__sofa_set(im, e, "file", file);
    const char *look = strcmp(role, "visual") == 0 ? look_of(im, o, b->node->body) : NULL;
    if (look) sp__sofa_set(im, e, "look", look);
    if (sp__sofa_yes(o, "selfCollision", false) && strcmp(b->e->name, "solid") == 0) sp__sofa_set(im, e, "self", "yes");
    note_became(im, o);
    for (int i = 0; i < o->node->object_count; i++)
        if (has_role(&o->node->objects[i], SOFA_CONTAINER) && !o->node->objects[i].noted) note_became(im, &o->node->objects[i]);
}

static void note_followers(sp_import *im, sofa_node *n) {
    for (int i = 0; i < n->object_count; i++) {
        sofa_object *o = &n->objects[i];
        bool container = has_role(o, SOFA_CONTAINER) && sp__sofa_find(n, SOFA_BORDER);
        if (has_role(o, SOFA_MAPPING) || has_role(o, SOFA_BORDER) || container || (o == n->state && n->mapped)) {
            sp__sofa_attr(o, "position/rest_position/src");
            sp__sofa_note(im, o, SP_IMPORT_BECAME, "%s", o == n->state ? "the points of a surface" : o->component->becomes);
        }
    }
}

static void collision(sp_import *im, body *b, sofa_object *o) {
    double proximity = sp__sofa_number(im, o, "proximity/contactDistance", 0);
    if (proximity > im->proximity) im->proximity = proximity;
    sp__sofa_attr(o, "moving");
    if (!b->touched && im->touching && strcmp(b->e->name, "rod") != 0) add_surface(im, b, o, "collision");
    b->touched = true;
    if (!o->noted)
        sp__sofa_note(im, o, SP_IMPORT_NOT_NEEDED, im->touching ? "the surface is there already" : "the scene has no contact");
}

static void edges_and_balls(sp_import *im, body *b, sofa_object *o) {
    bool balls = has_role(o, SOFA_COLLISION_BALLS), alone = !sp__sofa_find(o->node, SOFA_COLLISION);
    double proximity = sp__sofa_number(im, o, "proximity/contactDistance", 0);
    sp__sofa_attr(o, "radius/listRadius/moving");
    if (proximity > im->proximity) im->proximity = proximity;
    if (balls && strcmp(b->e->name, "solid") == 0)
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "the boundary of %s is touched instead of spheres", b->node->body);
    if (alone) b->touched = true;
    if (!o->noted) note_became(im, o);
}

static void surfaces(sp_import *im, body *b) {
    for (sofa_node *n = b->node; n; n = next_of_body(n, b->node)) {
        for (int i = 0; i < n->object_count; i++) {
            sofa_object *o = &n->objects[i];
            if (has_role(o, SOFA_VISUAL)) add_surface(im, b, o, "visual"), b->drawn = true;
            if (has_role(o, SOFA_COLLISION)) collision(im, b, o);
            if (has_role(o, SOFA_COLLISION_EDGES) || has_role(o, SOFA_COLLISION_BALLS)) edges_and_balls(im, b, o);
        }
        note_followers(im, n);
    }
    b->node->touched = b->touched;
}

// A body without a surface element is drawn and touched by its boundary; say what differs from that.
static void complete_surfaces(sp_import *im, body *b) {
    if (!im->touching) return;
    bool written = false;
    for (const sofa_element *c = b->e->first; c; c = c->next) written = written || strcmp(c->name, "surface") == 0;
    if (!b->touched && !b->drawn) {
        sofa_element *e = sp__sofa_add(im, b->e, "surface", NULL);
        e->comment = "no collision model: drawn, not touched";
        sp__sofa_set(im, e, "role", "visual");
    } else if (written && !b->drawn) {
        sofa_element *e = sp__sofa_add(im, b->e, "surface", NULL);
        sp__sofa_set(im, e, "role", "visual");
    } else if (written && b->touched) {
        bool touched = false;
        for (const sofa_element *c = b->e->first; c; c = c->next)
            touched = touched || (strcmp(c->name, "surface") == 0 && strcmp(c->attrs->value, "collision") == 0);
        if (touched) return;
        sofa_element *e = sp__sofa_add(im, b->e, "surface", NULL);
        sp__sofa_set(im, e, "role", "collision");
    }
}

// ---------------------------------------------------------------------------------------------- time and systems

static sofa_object *find_solver(sofa_node *node) {
    return sp__sofa_find_up(node, SOFA_SOLVER);
}

static void write_integrator(sp_import *im, body *b, sofa_object *o) {
    if (!o) return;
    char word[32];
    snprintf(word, sizeof word, "%s", o->component->word);
    bool differs = strchr(word, '!') != NULL;
    word[strcspn(word, "!")] = 0;
    double damping[2] = {sp__sofa_number(im, o, "rayleighMass", 0), sp__sofa_number(im, o, "rayleighStiffness", 0)};
    if (damping[0] > 0 || damping[1] > 0) {
        if (strcmp(b->e->name, "rigid") == 0)
            sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "Rayleigh damping of a rigid body");
        else
            sp__sofa_set_vector(im, b->e, "rayleigh", damping, 2);
    }
    sofa_element *e = sp__sofa_add(im, b->e, "integrator", o);
    sp__sofa_set(im, e, "type", sp__sofa_print(im, "%s", word));
    sp__sofa_attr(o, "symplectic");
    if (!sp__sofa_yes(o, "firstOrder", false)) sp__sofa_yes(o, "trapezoidalScheme", false);
    if (sp__sofa_yes(o, "firstOrder", false) || sp__sofa_yes(o, "trapezoidalScheme", false))
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "firstOrder and trapezoidalScheme: plain implicit Euler");
    if (sp__sofa_number(im, o, "vdamping", 0) != 0) sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "vdamping");
    if (differs)
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "%s", o->component->becomes);
    else
        note_became(im, o);
}

static void precondition(sp_import *im, sofa_node *node, sofa_element *e, sofa_object *solver) {
    const char *link = sp__sofa_attr(solver, "preconditioner/preconditioners"), *data, *word = "block-jacobi", *refresh = NULL;
    sofa_node *where;
    char text[200];
    snprintf(text, sizeof text, "%s%s", link && *link != '@' ? "@" : "", link ? link : "");
    sofa_object *p = link ? sp__sofa_link(im, solver, text, &where, &data) : sp__sofa_find_up(node, SOFA_PRECONDITIONER);
    const char *kind = p && p->component && p->component->word ? p->component->word : "";
    if (has_role(p ? p : solver, SOFA_SOLVER) && p) {
        word = "cholesky";
        refresh = strcmp(p->type, "AsyncSparseLDLSolver") == 0 ? "async" : "step";
    } else if (strcmp(kind, "warp") == 0 || strcmp(kind, "never") == 0) {
        word = "cholesky";
        refresh = *kind == 'w' ? "async" : "never";
        const char *inner = sp__sofa_attr(p, "linearSolver");
        sofa_object *factor = inner ? sp__sofa_link(im, p, inner, &where, &data) : NULL;
        if (factor && factor->component) note_became(im, factor);
    } else if (*kind) {
        word = kind;
    }
    sp__sofa_set(im, e, "preconditioner", word);
    if (refresh) sp__sofa_set(im, e, "refresh", refresh);
    if (p && p->component) note_became(im, p);
}

static void write_solver(sp_import *im, body *b, sofa_object *o) {
    if (!o || strcmp(b->e->name, "rigid") == 0) {
        if (o && !o->noted) sp__sofa_note(im, o, SP_IMPORT_NOT_NEEDED, "a rigid body has six unknowns");
        return;
    }
    // a preconditioner stands beside its iterative solver: that one is meant
    for (int i = 0; i < o->node->object_count; i++) {
        sofa_object *other = &o->node->objects[i];
        if (has_role(other, SOFA_SOLVER) && strcmp(other->component->word, "pcg") == 0) o = other;
    }
    const char *word = o->component->word;
    if (b->node->rod) word = strcmp(word, "cg") == 0 || strcmp(word, "pcg") == 0 ? "auto" : "block-tridiagonal";
    if (!b->node->rod && strcmp(word, "block-tridiagonal") == 0) word = "cholesky";
    sofa_element *e = sp__sofa_add(im, b->e, "solver", o);
    sp__sofa_set(im, e, "type", word);
    if (strcmp(word, "pcg") == 0) precondition(im, o->node, e, o);
    double iterations = sp__sofa_number(im, o, "iterations", 25), tolerance = sp__sofa_number(im, o, "tolerance", 1e-5);
    if (strcmp(word, "cg") == 0 || strcmp(word, "pcg") == 0) {
        sp__sofa_set_number(im, e, "iterations", fmax(1, fmin(1e9, floor(iterations))));
        sp__sofa_set_number(im, e, "tolerance", tolerance >= 0 && tolerance < 1 ? tolerance : 1e-5);
    }
    note_became(im, o);
}

static void note_correction(sp_import *im, sofa_node *node) {
    sofa_object *o = sp__sofa_find_part(node, SOFA_CORRECTION);
    if (!o) return;
    sp__sofa_attr(o, "compliance/useOdeSolverIntegrationFactors/defaultCompliance/fileCompliance/recompute/solverName/ODESolver");
    note_became(im, o);
}

// ---------------------------------------------------------------------------------------------- mass

static void write_mass(sp_import *im, body *b, double volume, int nodes) {
    sofa_object *o = sp__sofa_find_part(b->node, SOFA_MASS);
    if (!o) {
        sp__sofa_note(im, b->node->state, SP_IMPORT_CHANGED, "no mass: density 1000");
        sp__sofa_set_number(im, b->e, "density", 1000);
        return;
    }
    const double *values;
    double total = 1, density = 0;
    int n = sp__sofa_numbers(im, o, "vertexMass/mass", &values), m = sp__sofa_numbers(im, o, "massDensity", &values);
    if (m) density = values[0];
    if (sp__sofa_attr(o, "totalMass/totalmass")) {
        total = sp__sofa_number(im, o, "totalMass/totalmass", 1), density = 0;
    } else if (n && !m) {
        sp__sofa_numbers(im, o, "vertexMass/mass", &values);
        total = n == nodes ? 0 : values[0] * nodes;
        for (int i = 0; n == nodes && i < n; i++) total += values[i];
    }
    if (!(density > 0)) density = volume > 0 ? total / volume : 0;
    if (!(density > 0)) {
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "a mass that is not positive: density 1000");
        density = 1000;
    }
    sp__sofa_set_result(im, b->e, "density", density);
    bool consistent = strcmp(o->type, "MeshMatrixMass") == 0 && !sp__sofa_yes(o, "lumping", false);
    if (consistent && !b->node->rod) sp__sofa_set(im, b->e, "mass-matrix", "consistent");
    if (m > 1) sp__sofa_note(im, o, SP_IMPORT_CHANGED, "all elements have the first density");
    sp__sofa_note(im, o, strcmp(o->type, "UniformMass") == 0 ? SP_IMPORT_CHANGED : SP_IMPORT_BECAME, "%s", o->component->becomes);
}

// ---------------------------------------------------------------------------------------------- materials

static double moduli(sp_import *im, sofa_object *o, body *b, double young, double poisson) {
    const double *values;
    int n = sp__sofa_numbers(im, o, "youngModulus/young", &values);
    if (n) young = values[0];
    poisson = sp__sofa_number(im, o, "poissonRatio/poisson", poisson);
    if (!(young >= 0 && young < 1e15)) {
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "youngModulus %g: 5000", young);
        young = 5000;
    }
    if (!(poisson > -1 && poisson < 0.4999)) {
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "poissonRatio %g: 0.4999", poisson);
        poisson = 0.4999;
    }
    bool varies = n > 1 && !all_equal(values, n, 1);
    int elements = b->mesh->made ? sp_mesh_element_count(b->mesh->made) : b->mesh->kind == SOFA_MESH_FILE ? n : 0;
    sofa_file *file = varies && n == elements ? sp__sofa_file(im, sp__sofa_print(im, "%s-young", b->node->body), ".csv") : NULL;
    if (file) {
        char *text = sp__scene_copy(im->scene, sp__sofa_join(im, values, n), strlen(sp__sofa_join(im, values, n)));
        for (char *c = text; c && *c; c++)
            if (*c == ' ') *c = '\n';
        file->text = text ? text : "";
        sofa_element *data = sp__sofa_add(im, b->e, "data", o);
        sp__sofa_set(im, data, "name", "young");
        sp__sofa_set(im, data, "file", file->name);
        sp__sofa_set(im, b->e, "young", "@young");
    } else {
        sp__sofa_set_number(im, b->e, "young", young);
        if (varies)
            sp__sofa_note(im, o, SP_IMPORT_CHANGED, "%d values of youngModulus: all elements have the first, %g", n, young);
    }
    sp__sofa_set_number(im, b->e, "poisson", poisson);
    return young;
}

static void elastic(sp_import *im, body *b, sofa_object *o) {
    const char *method = sp__sofa_attr(o, "method"), *rotation = "qr";
    bool hexahedra = b->mesh->hexahedra;
    if (!method) method = "large";
    if (sp__list_has("small/linear/none/None", '/', method)) {
        sp__sofa_set(im, b->e, "material", "linear");
        rotation = NULL;
    } else {
        sp__sofa_set(im, b->e, "material", "corotational");
        if (strncmp(method, "polar", 5) == 0) rotation = "polar";
        if (strcmp(method, "svd") == 0) rotation = "svd";
        if (!hexahedra) sp__sofa_set(im, b->e, "rotation", rotation);
    }
    moduli(im, o, b, 5000, 0.45);
    note_became(im, o);
    if (hexahedra && rotation)
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "a rotation at each integration point, not one for each hexahedron");
    if (sp__sofa_number(im, o, "plasticMaxThreshold", 0) > 0) sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "plasticity");
}

// Young's modulus and Poisson's ratio of Lame's constants
static void write_lame(sp_import *im, body *b, sofa_object *o, double mu, double lambda) {
    double sum = lambda + mu;
    if (!(mu > 0 && lambda >= 0)) {
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "mu %g and lambda %g must be positive: young 5000, poisson 0.45", mu, lambda);
        sp__sofa_set_number(im, b->e, "young", 5000);
        sp__sofa_set_number(im, b->e, "poisson", 0.45);
        return;
    }
    sp__sofa_set_result(im, b->e, "young", mu * (3 * lambda + 2 * mu) / sum);
    sp__sofa_set_result(im, b->e, "poisson", fmin(lambda / (2 * sum), 0.4999));
}

static void hyperelastic(sp_import *im, body *b, sofa_object *o) {
    static const struct {
        const char *names, *law;
        int numbers;
    } laws[] = {{"StVenantKirchhoff/STVenantKirchhoff", "stvk", 2},
                {"NeoHookean", "neo-hookean", 2},
                {"StableNeoHookean", "neo-hookean", 2},
                {"ArrudaBoyce/BoyceAndArruda", "arruda-boyce", 2},
                {"MooneyRivlin", "mooney-rivlin", 3},
                {"VerondaWestman/VerondaWestmann", "veronda-westmann", 3},
                {"Ogden", "ogden", 3}};
    const char *name = sp__sofa_attr(o, "materialName");
    const double *p;
    int n = sp__sofa_numbers(im, o, "ParameterSet", &p), law = -1;
    if (!name) name = "ArrudaBoyce";
    for (int i = 0; i < (int)(sizeof laws / sizeof laws[0]); i++)
        if (sp__list_has(laws[i].names, '/', name)) law = i;
    if (law < 0 || n < laws[law].numbers) {
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "material %.40s with %d numbers: neo-hookean with young 5000, poisson 0.45", name,
                      n);
        sp__sofa_set(im, b->e, "material", "neo-hookean");
        write_lame(im, b, o, 5000 / 2.9, 5000 * 0.45 / (1.45 * 0.1));
        return;
    }
    sp__sofa_set(im, b->e, "material", laws[law].law);
    note_became(im, o);
    if (law <= 2) {
        write_lame(im, b, o, p[0], p[1]);
        if (law == 1) sp__sofa_set(im, b->e, "form", "log");
        if (law == 2) sp__sofa_note(im, o, SP_IMPORT_CHANGED, "with the barrier term of its publication, which SOFA leaves out");
        return;
    }
    double numbers[2] = {p[0], p[1]}, bulk = p[n >= 3 && law != 3 ? 2 : 1];
    if (law == 3) numbers[1] = 8;
    if (law == 6) numbers[0] = p[0] / 2;  // our sum has a factor 2
    sp__sofa_set_vector(im, b->e, "coefficients", numbers, 2);
    sp__sofa_set_number(im, b->e, "bulk", bulk);
    sp__sofa_set(im, b->e, "volumetric", "log");
}

static void springs(sp_import *im, body *b, sofa_object *o) {
    bool hexahedra = b->mesh->hexahedra;
    double all = sp__sofa_number(im, o, "stiffness", 0),
           k = sp__sofa_number(im, o, hexahedra ? "cubesStiffness" : "tetrasStiffness", all);
    double s = cbrt(b->mesh->placing.scale[0] * b->mesh->placing.scale[1] * b->mesh->placing.scale[2]);
    sp__sofa_attr(o, "linesStiffness/trianglesStiffness/quadsStiffness");
    double young = b->mesh->volume > 0 ? k * b->mesh->edge_sum * s * s / (6 * b->mesh->volume) : 0;
    if (!(young > 0)) {
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "no springs in the elements: young 5000");
        young = 5000;
    }
    sp__sofa_set(im, b->e, "material", "mass-spring");
    sp__sofa_set_result(im, b->e, "young", young);
    sp__sofa_note(im, o, SP_IMPORT_CHANGED, "springs of the same mean stiffness; each element has its own, not %g N/m each", k);
    if (sp__sofa_number(im, o, "damping/tetrasDamping/cubesDamping", 0) > 0)
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "damping of springs; use rayleigh");
}

// ---------------------------------------------------------------------------------------------- the kinds of bodies

static void start_body(sp_import *im, body *b, const char *kind, const char *name) {
    b->e = sp__sofa_add(im, im->top, kind, b->node->state);
    b->node->body = name, b->node->element = b->e;
    sp__sofa_set(im, b->e, "name", name);
    sp__sofa_attr(b->node->state, "position/src/rest_position/size");
    note_became(im, b->node->state);
}

static void finish_body(sp_import *im, body *b) {
    for (sofa_node *n = b->node; n; n = next_of_body(n, b->node))
        for (int i = 0; i < n->object_count; i++) act(im, b, &n->objects[i]);
    surfaces(im, b);
    if (strcmp(b->e->name, "rigid") != 0) complete_surfaces(im, b);
    note_correction(im, b->node);
    write_integrator(im, b, sp__sofa_find_up(b->node, SOFA_INTEGRATOR));
    write_solver(im, b, find_solver(b->node));
}

static sofa_object *find_law(const sofa_node *node) {
    static const sofa_role roles[] = {SOFA_ELASTIC, SOFA_HYPERELASTIC, SOFA_TENSOR_MASS, SOFA_SPRINGS};
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        sofa_object *o = sp__sofa_find_part(node, roles[i]);
        if (o) return o;
    }
    return NULL;
}

static void write_solid(sp_import *im, body *b, sofa_object *law, const char *name) {
    sofa_role role = law->component->role;
    bool hexahedra = role == SOFA_SPRINGS ? !sp__sofa_find(law->node, SOFA_SPLIT)
                                          : law->component->word && strcmp(law->component->word, "hexahedra") == 0;
    b->node->body = name;
    b->mesh = sp__sofa_mesh(im, b->node, law, hexahedra);
    if (!b->mesh || b->mesh->kind == SOFA_MESH_NONE) {
        b->node->body = NULL;
        if (!law->noted) sp__sofa_note(im, law, SP_IMPORT_LEFT_OUT, "without its mesh there is no body");
        sp__sofa_note(im, b->node->state, SP_IMPORT_LEFT_OUT, "without its mesh there is no body");
        return;
    }
    start_body(im, b, "solid", name);
    b->node->mesh = b->mesh;
    if (role == SOFA_ELASTIC) elastic(im, b, law);
    if (role == SOFA_HYPERELASTIC) hyperelastic(im, b, law);
    if (role == SOFA_SPRINGS) springs(im, b, law);
    if (role == SOFA_TENSOR_MASS) {
        sp__sofa_set(im, b->e, "material", "linear");
        moduli(im, law, b, 1000, 0.3);
        note_became(im, law);
    }
    write_mass(im, b, b->mesh->volume, b->mesh->node_count);
    sp__sofa_write_mesh(im, b->mesh, b->e, name);
    b->placing = b->mesh->placing;
    finish_body(im, b);
}

// ---- rods

// the frames of the nodes: seven numbers each; or a grid of one line. Points in the world
static int rod_points(sp_import *im, body *b, const double **out) {
    const double *frames;
    sofa_node *n = b->node;
    int count = sp__sofa_numbers(im, n->state, "position", &frames) / 7;
    sofa_object *grid = count ? NULL : sp__sofa_find_up(n, SOFA_GRID);
    double low[3] = {0, 0, 0}, high[3] = {1, 0, 0}, counts[3] = {0, 0, 0};
    if (grid) {
        sp__sofa_vector(im, grid, "n", 3, counts);
        counts[0] = sp__sofa_number(im, grid, "nx", counts[0]);
        sp__sofa_vector(im, grid, "min", 3, low);
        sp__sofa_vector(im, grid, "max", 3, high);
        low[0] = sp__sofa_number(im, grid, "xmin", low[0]), high[0] = sp__sofa_number(im, grid, "xmax", high[0]);
        sp__sofa_attr(grid, "ny/nz/ymin/ymax/zmin/zmax");
        count = counts[0] >= 2 && counts[0] <= 100000 ? (int)counts[0] : 0;
        if (count) note_became(im, grid);
    }
    double *x = sp__scene_alloc(im->scene, (size_t)count, 3 * sizeof *x);
    sofa_placing p = sp__sofa_placing(im, n->state);
    for (int i = 0; x && i < count; i++) {
        double at[3];
        for (int k = 0; k < 3; k++) at[k] = grid ? low[k] + (k ? 0 : (high[0] - low[0]) * i / (count - 1)) : frames[7 * i + k];
        sp__sofa_place(&p, at, x + 3 * i);
    }
    *out = x;
    return x ? count : 0;
}

static double distance(const double *a, const double *b) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static bool is_straight(const double *x, int count, double length) {
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            double even = x[k] + (x[3 * (count - 1) + k] - x[k]) * i / (count - 1);
            if (fabs(x[3 * i + k] - even) > 1e-6 * length) return false;
        }
    return true;
}

// the shortest rotation of the x axis to the direction of the rod
static void place_rod(sp_import *im, body *b, const double *x, int count, double length) {
    const double *end = x + 3 * (count - 1);
    double d[3], q[4];
    for (int k = 0; k < 3; k++) d[k] = (end[k] - x[k]) / length;
    q[0] = 1 + d[0], q[1] = 0, q[2] = -d[2], q[3] = d[1];
    double norm = sqrt(q[0] * q[0] + q[2] * q[2] + q[3] * q[3]);
    if (norm < 1e-9) q[0] = 0, q[2] = 0, q[3] = 1, norm = 1;
    for (int k = 0; k < 4; k++) q[k] /= norm;
    sp__sofa_set_result(im, b->e, "length", length);
    sp__sofa_set_number(im, b->e, "elements", count - 1);
    sofa_placing p = {.scale = {1, 1, 1}};
    memcpy(p.quat, q, sizeof q);
    memcpy(p.translate, x, sizeof p.translate);
    sp__sofa_set_placing(im, b->e, &p);
}

// the first node makes the root clamped; further ones are held in place
static void clamp_root(sp_import *im, body *b) {
    bool clamped = false;
    for (sofa_node *n = b->node; n; n = next_of_body(n, b->node))
        for (int i = 0; i < n->object_count; i++) {
            sofa_object *o = &n->objects[i];
            const double *list;
            if (!has_role(o, SOFA_FIX) || n->mapped) continue;
            int count = sp__sofa_numbers(im, o, "indices", &list);
            bool linked = sp__sofa_attr(o, "indices") && !count, first = !sp__sofa_attr(o, "indices") || linked;
            for (int k = 0; k < count; k++) first = first || list[k] == 0;
            clamped = clamped || first;
            note_became(im, o);
            if (!first || count > 1)
                sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT,
                              "only the root of a rod is held with its frame: write <fix> for other nodes");
        }
    sp__sofa_set(im, b->e, "root", clamped ? "clamped" : "free");
}

static void write_rod(sp_import *im, body *b, sofa_object *beam, const char *name) {
    sofa_object *shape = sp__sofa_find_part(b->node, SOFA_BEAM_SHAPE), *from = shape ? shape : beam;
    const double *x;
    int count = rod_points(im, b, &x);
    double length = 0, radius = sp__sofa_number(im, from, "radius", shape ? 1 : 0.1),
           bore = sp__sofa_number(im, from, "radiusInner/innerRadius", 0);
    for (int i = 1; i < count; i++) length += distance(x + 3 * i, x + 3 * (i - 1));
    if (count < 2 || !(length > 0) || !(radius > 0) || !(bore >= 0 && bore < radius)) {
        sp__sofa_note(im, beam, SP_IMPORT_LEFT_OUT, "a beam needs two frames of seven numbers and a radius above the inner one");
        return;
    }
    start_body(im, b, "rod", name);
    b->node->rod = true, b->node->points = count, b->node->point_list = x;
    sp__sofa_set(im, b->e, "model", "beam");
    if (is_straight(x, count, length)) {
        place_rod(im, b, x, count, length);
    } else {
        sofa_element *path = sp__sofa_add(im, b->e, "path", b->node->state);
        sp__sofa_set_vector(im, path, "points", x, 3 * count);
        sp__sofa_set_number(im, b->e, "elements", count - 1);
    }
    sp__sofa_set_number(im, b->e, "radius", radius);
    if (bore > 0) sp__sofa_set_number(im, b->e, "bore", bore);
    sp__sofa_set_number(im, b->e, "young", fmax(1e-300, sp__sofa_number(im, from, "youngModulus/defaultYoungModulus", 5000)));
    double poisson = sp__sofa_number(im, from, "poissonRatio/defaultPoissonRatio", 0.49);
    sp__sofa_set_number(im, b->e, "poisson", poisson > -1 && poisson < 0.5 ? poisson : 0.49);
    double area = acos(-1) * (radius * radius - bore * bore), density = sp__sofa_number(im, beam, "massDensity", 0);
    if (density > 0)
        sp__sofa_set_number(im, b->e, "density", density);
    else
        write_mass(im, b, area * length, 1);
    sofa_object *mass = sp__sofa_find_part(b->node, SOFA_MASS);
    const double *numbers;
    if (mass && !(density > 0) && !sp__sofa_attr(mass, "totalMass/totalmass") &&
        sp__sofa_numbers(im, mass, "vertexMass/mass", &numbers))
        sp__sofa_set_result(im, b->e, "density", fmax(1e-300, numbers[0] * count / (area * length)));
    clamp_root(im, b);
    note_became(im, beam);
    if (shape) note_became(im, shape);
    for (int i = 0; i < b->node->object_count; i++)
        if (has_role(&b->node->objects[i], SOFA_CONTAINER)) {
            sp__sofa_attr(&b->node->objects[i], "lines/edges/position");
            note_became(im, &b->node->objects[i]);
        }
    finish_body(im, b);
}

// ---- rigid bodies

static void rigid_shapes(sp_import *im, body *b) {
    const sofa_placing here = {.scale = {1, 1, 1}, .quat = {1, 0, 0, 0}};
    bool shaped = false;
    for (int pass = 0; pass < 2 && !shaped; pass++)  // what is touched, else what is drawn
        for (sofa_node *n = b->node; n && !shaped; n = next_of_body(n, b->node))
            for (int i = 0; i < n->object_count && !shaped; i++) {
                sofa_object *o = &n->objects[i];
                if (!has_role(o, pass ? SOFA_VISUAL : SOFA_COLLISION)) continue;
                sofa_object *source = sp__sofa_surface_source(im, o);
                sofa_placing moved = n == b->node && !pass ? here : sp__sofa_placing(im, pass ? o : n->state);
                const char *file = source ? sp__sofa_surface(im, source, &moved, b->node->body) : NULL;
                if (!file) continue;
                sp__sofa_set(im, sp__sofa_add(im, b->e, "mesh", o), "file", file);
                if (!source->noted) note_became(im, source);
                note_became(im, o);
                shaped = true;
            }
    sofa_object *ball = shaped ? NULL : sp__sofa_find_part(b->node, SOFA_COLLISION_BALLS);
    const double *radii;
    if (shaped) return;
    bool sized = ball && sp__sofa_numbers(im, ball, "listRadius/radius", &radii) > 0 && radii[0] > 0;
    sofa_element *e = sp__sofa_add(im, b->e, "sphere", ball);
    sp__sofa_set_number(im, e, "radius", sized ? radii[0] : 1);
    if (ball) note_became(im, ball);
    if (!sized) sp__sofa_note(im, b->node->state, SP_IMPORT_CHANGED, "it has no surface: a sphere of radius 1 stands for it");
}

static void rigid_mass(sp_import *im, body *b) {
    sofa_object *o = sp__sofa_find_part(b->node, SOFA_MASS);
    const double *v;
    double mass = 1, inertia[3] = {1, 1, 1};
    int n = o ? sp__sofa_numbers(im, o, "vertexMass/mass", &v) : 0;
    if (n) mass = v[0];
    if (n >= 11) inertia[0] = v[2], inertia[1] = v[6], inertia[2] = v[10];
    if (o && sp__sofa_attr(o, "totalMass/totalmass")) mass = sp__sofa_number(im, o, "totalMass/totalmass", 1);
    for (int k = 0; k < 3; k++) inertia[k] *= mass;  // SOFA's inertia is that of 1 kg
    bool good = mass > 0 && inertia[0] > 0 && inertia[1] > 0 && inertia[2] > 0;
    if (!good) mass = inertia[0] = inertia[1] = inertia[2] = 1;
    sp__sofa_set_number(im, b->e, "mass", mass);
    sp__sofa_set_vector(im, b->e, "inertia", inertia, 3);
    if (o)
        sp__sofa_note(im, o, SP_IMPORT_CHANGED,
                      "mass and inertia; the centre of mass is that of the shape, in SOFA the origin of the frame");
}

static void write_rigid(sp_import *im, body *b, bool frame, const char *name) {
    const double *x;
    bool held = sp__sofa_find_part(b->node, SOFA_FIX) != NULL, moved = sp__sofa_find_part(b->node, SOFA_MOVE) != NULL;
    bool free = frame && !held && !moved && sp__sofa_find_up(b->node, SOFA_INTEGRATOR) && sp__sofa_find_part(b->node, SOFA_MASS);
    int count = frame ? sp__sofa_numbers(im, b->node->state, "position", &x) / 7 : 0;
    sofa_placing own = sp__sofa_placing(im, b->node->state), at = {.scale = {1, 1, 1}, .quat = {1, 0, 0, 0}};
    if (count > 1) {
        sp__sofa_note(im, b->node->state, SP_IMPORT_LEFT_OUT,
                      "%d frames in one state; one rigid body each is written as its own node", count);
        return;
    }
    if (count == 1) {
        double norm = sqrt(x[3] * x[3] + x[4] * x[4] + x[5] * x[5] + x[6] * x[6]);
        if (norm > 0) at.quat[0] = x[6] / norm, at.quat[1] = x[3] / norm, at.quat[2] = x[4] / norm, at.quat[3] = x[5] / norm;
        memcpy(at.translate, x, sizeof at.translate);
    }
    start_body(im, b, "rigid", name);
    sp__sofa_set(im, b->e, "motion", moved ? "kinematic" : free ? "free" : "fixed");
    if (!sp__sofa_placing_after(&at, &own, &b->placing)) b->placing = at;
    sp__sofa_set_placing(im, b->e, &b->placing);
    if (free) rigid_mass(im, b);
    rigid_shapes(im, b);
    for (sofa_node *n = b->node; n; n = next_of_body(n, b->node)) {
        for (int i = 0; i < n->object_count; i++) {
            sofa_object *o = &n->objects[i];
            act(im, b, o);
            if (has_role(o, SOFA_VISUAL) && !o->noted) add_surface(im, b, o, "visual"), b->drawn = true;
            if (has_role(o, SOFA_COLLISION) || has_role(o, SOFA_COLLISION_EDGES) || has_role(o, SOFA_COLLISION_BALLS)) {
                double proximity = sp__sofa_number(im, o, "proximity/contactDistance", 0);
                if (proximity > im->proximity) im->proximity = proximity;
                sp__sofa_attr(o, "moving/radius/listRadius");
                b->touched = true;
                if (!o->noted) note_became(im, o);
            }
        }
        note_followers(im, n);
    }
    b->node->touched = b->touched;
    if (b->drawn && b->touched) sp__sofa_set(im, sp__sofa_add(im, b->e, "surface", NULL), "role", "collision");
    if (im->touching && !b->touched && !b->drawn) sp__sofa_set(im, sp__sofa_add(im, b->e, "surface", NULL), "role", "visual");
    note_correction(im, b->node);
    sofa_object *integrator = sp__sofa_find_up(b->node, SOFA_INTEGRATOR), *solver = find_solver(b->node);
    if (free)
        write_integrator(im, b, integrator);
    else if (integrator && !integrator->noted)
        sp__sofa_note(im, integrator, SP_IMPORT_NOT_NEEDED, "the body does not move freely");
    write_solver(im, b, solver);
    for (int i = 0; i < b->node->object_count; i++)
        if (has_role(&b->node->objects[i], SOFA_CONTAINER) && !b->node->objects[i].noted) note_became(im, &b->node->objects[i]);
}

// ---------------------------------------------------------------------------------------------- all bodies

static bool of_frames(sofa_object *state) {
    const char *template = sp__sofa_attr(state, "template");
    return template && strncmp(template, "Rigid", 5) == 0;
}

static void write_body(sp_import *im, sofa_node *node) {
    body b = {.node = node, .placing = {.scale = {1, 1, 1}, .quat = {1, 0, 0, 0}}};
    sofa_object *law = find_law(node), *beam = sp__sofa_find_part(node, SOFA_BEAM);
    bool surface = sp__sofa_find_part(node, SOFA_COLLISION) || sp__sofa_find_part(node, SOFA_COLLISION_EDGES);
    const char *name = sp__sofa_unique(im, *node->name && node->parent ? node->name : im->stem);
    if (beam)
        write_rod(im, &b, beam, name);
    else if (of_frames(node->state))
        write_rigid(im, &b, true, name);
    else if (law)
        write_solid(im, &b, law, name);
    else if (surface)
        write_rigid(im, &b, false, name);
    else
        sp__sofa_note(im, node->state, SP_IMPORT_LEFT_OUT, "points without elements, force field of a mesh or collision model");
}

void sp__sofa_bodies(sp_import *im) {
    for (sofa_node *n = im->root; n; n = sp__sofa_next_node(n, im->root)) {
        n->state = sp__sofa_find(n, SOFA_STATE);
        n->mapped = n->state && sp__sofa_find(n, SOFA_MAPPING);
    }
    for (sofa_node *n = im->root; n && !im->scene->no_memory; n = sp__sofa_next_node(n, im->root))
        if (n->state && !n->mapped) write_body(im, n);
}
