// The scene itself: step, gravity, contact, obstacles without a state, and the end.
#include "io/sofa/sofa.h"

static sofa_object *find_any(const sp_import *im, sofa_role role) {
    for (sofa_node *n = im->root; n; n = sp__sofa_next_node(n, im->root)) {
        sofa_object *o = sp__sofa_find(n, role);
        if (o) return o;
    }
    return NULL;
}

// ---------------------------------------------------------------------------------------------- the root

static void write_root(sp_import *im) {
    double dt = 0.01, gravity[3] = {0, -9.81, 0}, other[3];
    const char *name = sp__sofa_node_attr(im->root, "name");
    if (!sp__sofa_read(sp__sofa_node_attr(im->root, "dt"), 1, &dt) || !(dt > 0)) dt = 0.01;
    sp__sofa_read(sp__sofa_node_attr(im->root, "gravity"), 3, gravity);
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
        if (n == im->root || !n->object_count || !sp__sofa_read(sp__sofa_node_attr(n, "gravity"), 3, other)) continue;
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

// the bodies with collision models, in document order
static const sofa_node *next_touched(const sp_import *im, const sofa_node *n) {
    for (n = n ? sp__sofa_next_node(n, im->root) : im->root; n; n = sp__sofa_next_node(n, im->root))
        if (n->body && n->touched) return n;
    return NULL;
}

// contacts of two bodies: SOFA adds the proximities of their models to both distances
static void set_distances(sp_import *im, sofa_element *e, const double distances[2], double added) {
    double alarm = distances[0] + added, gap = distances[1] + added;
    if (alarm > 0) sp__sofa_set_result(im, e, "alarm", fmax(alarm, gap * 1.0001));
    if (gap >= 0) sp__sofa_set_result(im, e, "gap", gap);
}

static void write_distances(sp_import *im, sofa_element *contact, bool proximity, double distances[2]) {
    sofa_object *o = find_any(im, SOFA_INTERSECTION);
    const sofa_node *first = next_touched(im, NULL);
    if (!o || o->component->word) {
        if (o) sp__sofa_became(im, o);
        return;
    }
    distances[0] = sp__sofa_number(im, o, "alarmDistance", 1), distances[1] = sp__sofa_number(im, o, "contactDistance", 0.5);
    if (!proximity) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "distances: penalty contact acts where bodies overlap");
        return;
    }
    set_distances(im, contact, distances, first ? 2 * first->proximity : 0);
    sp__sofa_became(im, o);
}

static bool in_one_group(const sofa_node *a, const sofa_node *b) {
    for (int i = 0; i < a->group_count; i++)
        for (int k = 0; k < b->group_count; k++)
            if (a->groups[i] == b->groups[k]) return true;
    return false;
}

enum { IGNORED = -1, AS_ALL = -2 };  // instead of a sum of proximities

// One pair element: a body, and the others from `first` on that have the same sum, which are done then.
static void write_pair(sp_import *im, sofa_element *contact, const sofa_node *a, const sofa_node *const *others, double *sums,
                       int first, int count, const double distances[2]) {
    double sum = sums[first];
    size_t room = 1, used = 0;
    for (int i = first; i < count; i++) room += sums[i] == sum ? strlen(others[i]->body) + 1 : 0;
    char *names = sp__scene_alloc(im->scene, room, 1);
    for (int i = first; names && i < count; i++) {
        if (sums[i] != sum) continue;
        size_t length = strlen(others[i]->body);
        if (used) names[used++] = ' ';
        memcpy(names + used, others[i]->body, length);
        used += length;
        sums[i] = AS_ALL;
    }
    sofa_element *pair = sp__sofa_add(im, contact, "pair", NULL);
    pair->comment = sum == IGNORED ? "one group of collision models" : "their proximities";
    sp__sofa_set(im, pair, "a", a->body);
    sp__sofa_set(im, pair, "b", names ? names : "");
    if (sum == IGNORED)
        sp__sofa_set(im, pair, "enabled", "no");
    else
        set_distances(im, pair, distances, sum);
}

// Bodies with a group in common ignore each other; those with other proximities than the first have other distances.
static void write_pairs(sp_import *im, sofa_element *contact, sofa_object *response, const double distances[2]) {
    int count = 0;
    for (const sofa_node *n = next_touched(im, NULL); n; n = next_touched(im, n)) count++;
    const sofa_node **bodies = sp__scene_alloc(im->scene, (size_t)count + 1, sizeof *bodies), **last = bodies;
    double *sums = sp__scene_alloc(im->scene, (size_t)count + 1, sizeof *sums);
    if (!bodies || !sums) return;
    for (const sofa_node *n = next_touched(im, NULL); n; n = next_touched(im, n)) *last++ = n;
    bool penalty = strcmp(contact->attrs->value, "penalty") == 0;
    for (int a = 0; a < count; a++) {
        for (int b = a + 1; b < count; b++) {
            sums[b] = in_one_group(bodies[a], bodies[b]) ? IGNORED : bodies[a]->proximity + bodies[b]->proximity;
            if (penalty && sums[b] == IGNORED && response)
                sp__sofa_note(im, response, SP_IMPORT_LEFT_OUT, "groups of collision models: penalty contact has no pairs");
            bool same = sums[b] == 2 * bodies[0]->proximity || distances[1] < 0;
            if (penalty || (sums[b] != IGNORED && same)) sums[b] = AS_ALL;
        }
        for (int b = a + 1; b < count; b++)
            if (sums[b] != AS_ALL) write_pair(im, contact, bodies[a], bodies, sums, b, count, distances);
    }
}

static void write_contact_solver(sp_import *im, sofa_element *contact, sofa_object *o) {
    if (!o) return;
    double sweeps = sp__sofa_number(im, o, "maxIterations/maxIt", 1000);
    sofa_element *e = sp__sofa_add(im, contact, "contact-solver", o);
    sp__sofa_set_number(im, e, "sweeps", fmax(1, fmin(1e6, floor(sweeps))));
    sp__sofa_attr(o, "mu/initial_guess/build_lcp/unbuilt/resolutionMethod/multi_grid");
    sp__sofa_became(im, o);
    if (sp__sofa_attr(o, "tolerance"))
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "tolerance 1e-6 relative to the largest violation; SOFA's is absolute");
}

// Penalty contact has no part for what these bodies touch.
static bool is_beyond(const sp_import *im) {
    for (const sofa_node *n = im->root; n; n = sp__sofa_next_node(n, im->root)) {
        if (!n->body || !n->touched) continue;
        if (n->rod) return true;
        for (const sofa_element *c = n->element->first; c; c = c->next)
            if (strcmp(c->name, "integrator") == 0 && strcmp(c->attrs->value, "explicit") == 0) return true;
    }
    return false;
}

static void write_contact(sp_import *im) {
    sofa_object *pipeline = find_any(im, SOFA_PIPELINE), *response = find_any(im, SOFA_RESPONSE),
                *solver = find_any(im, SOFA_CONTACT_SOLVER);
    if (!im->touching) {
        sofa_object *idle[] = {solver, find_any(im, SOFA_INTERSECTION)};
        for (int i = 0; i < 2; i++)
            if (idle[i]) sp__sofa_note(im, idle[i], SP_IMPORT_NOT_NEEDED, "the scene has no contact");
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
    bool soft = !kind || strncmp(kind, "Penal", 5) == 0 || strncmp(kind, "default", 7) == 0, penalty = soft && !is_beyond(im);
    double distances[2] = {-1, -1}, mu = param_mu(params), of_solver = sp__sofa_number(im, solver, "mu", -1);
    if (mu < 0) mu = of_solver;
    if (mu < 0 && kind && strncmp(kind, "Friction", 8) == 0) mu = 0.8;
    sofa_element *contact = sp__sofa_add(im, im->top, "contact", response ? response : pipeline);
    sp__sofa_set(im, contact, "formulation", penalty ? "penalty" : "proximity");
    if (!soft && mu > 0) sp__sofa_set_number(im, contact, "friction", mu);
    write_distances(im, contact, !penalty, distances);
    if (pipeline) sp__sofa_became(im, pipeline);
    if (response) sp__sofa_became(im, response);
    if (soft && response)
        sp__sofa_note(im, response, SP_IMPORT_CHANGED, "%s",
                      penalty
                          ? "penalty stiffness from mass and step, not from contactStiffness"
                          : "constraints instead of penalty: it does not act between rods, or bodies with explicit steps, and "
                            "meshes");
    if (kind && strncmp(kind, "Stick", 5) == 0)
        sp__sofa_note(im, response, SP_IMPORT_CHANGED, "contacts that stick: write a large friction or <attach>");
    write_pairs(im, contact, response, distances);
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
            sp__sofa_attr(o, "stiffness/damping/color");
            sp__sofa_became(im, o);
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
        sp__sofa_became(im, o);
        if (!source->noted) sp__sofa_became(im, source);
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
    sp__sofa_links(im);
    sofa_element *stop = sp__sofa_add(im, im->top, "stop", NULL);
    stop->comment = "SOFA runs until it is closed";
    sp__sofa_set_number(im, stop, "time", im->stop);
}
