// Tools of clients: balls that are thrown, the probe, kinematic bodies that are moved, and links between two places. Everything
// is an edit: a log of edits has it, and a step that fails takes it back. Bodies and links that clients add have names with
// numbers: ball-1, probe-2, peg-3 (the fixed end of a link) and tie-3 (the link).
#include <math.h>
#include <string.h>

#include "serve/sim_internal.h"

static const double probe_length = 16;  // in radii
static const double most_share = 0.25;  // of the smallest edge of a body that is moved by hand: its largest way in a step

static bool tool_refuse(char *why, const char *text) {
    snprintf(why, SP_SIM_WHY, "%.390s", text);
    return false;
}

static bool tool_queue(sp_sim *s, const sp_edit *e, char *why) {
    return sp_world_queue(s->stage.world, e) >= 0 || tool_refuse(why, sp_world_error(s->stage.world)->message);
}

static double tool_length(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// ---------------------------------------------------------------------------------------------------- new bodies

static bool may_add(const sp_sim *s, char *why) {
    int count = 0;
    for (int i = 0; i < s->stage.body_count; i++) count += s->stage.bodies[i].added;
    if (s->tool_number >= SP_TOOLS_MAX) return tool_refuse(why, "many bodies and links were added: reset");
    if (count < SP_ADDED_MAX) return true;
    snprintf(why, SP_SIM_WHY, "at most %d bodies can be added: remove some, or reset", SP_ADDED_MAX);
    return false;
}

// the same reasons as the page has for a tool that is disabled
static bool may_touch(const sp_sim *s, char *why) {
    sp_contact_def contact;
    if (!sp_world_get_contact(s->stage.world, &contact))
        return tool_refuse(why, "the scene has no contact: a new body would pass through the others");
    if (contact.formulation == SP_CONTACT_PENALTY)
        return tool_refuse(why,
                           "the scene has penalty contact, which does not act on new bodies; formulation=\"proximity\" does");
    return true;
}

static sp_edit tool_body(sp_sim *s, uint32_t client, const char *word, sp_shape_type shape, double radius, const double at[3]) {
    sp_edit e = sp_edit_default(SP_EDIT_ADD);
    snprintf(s->tool_name, sizeof s->tool_name, "%s-%d", word, ++s->tool_number);
    snprintf(e.path, sizeof e.path, "%s", s->tool_name);
    e.source = client, e.shape = shape, e.size[0] = radius;
    memcpy(e.pose.translate, at, sizeof e.pose.translate);
    return e;
}

static void body_name(const sp_sim *s, sp_body_id id, char out[64]) {
    sp_body_info info;
    bool known = sp_world_body_info(s->stage.world, id, &info) >= 0;
    snprintf(out, 64, "%s", known ? info.name : "a body");
}

bool sp__sim_throw(sp_sim *s, uint32_t client, const sp_message *m, char *why) {
    double fraction;
    sp_body_id body;
    if (!may_touch(s, why) || !may_add(s, why)) return false;
    if (sp_world_sweep(s->stage.world, m->vector, m->vector, m->radius, &fraction, &body) < 0)
        return tool_refuse(why, sp_world_error(s->stage.world)->message);
    if (fraction < 1) {
        char name[64];
        body_name(s, body, name);
        snprintf(why, SP_SIM_WHY, "the ball would start inside '%s'", name);
        return false;
    }
    sp_edit e = tool_body(s, client, "ball", SP_SPHERE, m->radius, m->vector);
    e.free = true, e.density = m->density;
    memcpy(e.velocity, m->velocity, sizeof e.velocity);
    return tool_queue(s, &e, why);
}

bool sp__sim_remove(sp_sim *s, uint32_t client, const sp_message *m, char *why) {
    const sp_sim_body *body = sp__sim_body(s, m->body);
    if (!body || !body->added) return tool_refuse(why, "only bodies that were added here can be removed");
    sp_edit e = sp_edit_default(SP_EDIT_REMOVE);
    e.source = client, e.body = body->id;
    return tool_queue(s, &e, why);
}

// ---------------------------------------------------------------------------------------------------- the probe

static bool probe_aim(const sp_message *m, double along[3]) {
    for (int k = 0; k < 3; k++) along[k] = m->vector[k] - m->from[k];
    const double length = tool_length(along);
    for (int k = 0; k < 3; k++) along[k] /= length;
    return length > 1e-9;
}

// The capsule lies along its +z, from the tip backwards.
static sp_pose probe_pose(const sp_sim_probe *p) {
    sp_pose pose = sp_pose_identity();
    const double z[3] = {-p->along[0], -p->along[1], -p->along[2]}, w = 1 + z[2];
    double q[4] = {w, -z[1], z[0], 0};
    if (w < 1e-9) q[0] = 0, q[1] = 1, q[2] = 0;
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    for (int i = 0; i < 4; i++) pose.quat[i] = q[i] / length;
    memcpy(pose.translate, p->tip, sizeof pose.translate);
    return pose;
}

// It begins where the way from the eye is free: outside of all bodies, and before what is under the pointer.
static bool probe_begin(sp_sim *s, uint32_t client, const sp_message *m, char *why) {
    sp_sim_probe p = {.held = true, .client = client, .radius = m->radius, .length = probe_length * m->radius};
    double fraction;
    if (!may_touch(s, why) || !may_add(s, why)) return false;
    if (!probe_aim(m, p.along)) return tool_refuse(why, "probe: from and at are the same point");
    if (sp_world_sweep(s->stage.world, m->from, m->vector, m->radius, &fraction, NULL) < 0)
        return tool_refuse(why, sp_world_error(s->stage.world)->message);
    if (fraction == 0) return tool_refuse(why, "the probe would start inside a body: move the view");
    for (int k = 0; k < 3; k++) p.tip[k] = m->from[k] + fraction * (m->vector[k] - m->from[k]);
    sp_edit e = tool_body(s, client, "probe", SP_CAPSULE, m->radius, p.tip);
    e.kinematic = true, e.size[1] = p.length, e.pose = probe_pose(&p);
    snprintf(p.name, sizeof p.name, "%s", s->tool_name);
    if (!tool_queue(s, &e, why)) return false;
    s->probe = p;
    return true;
}

bool sp__sim_probe(sp_sim *s, uint32_t client, const sp_message *m, char *why) {
    if (s->probe.held && (s->probe.client != client || s->probe.radius != m->radius)) sp__sim_unprobe(s);
    if (!s->probe.held && !probe_begin(s, client, m, why)) return false;
    memcpy(s->probe.target, m->vector, sizeof s->probe.target);
    probe_aim(m, s->probe.aimed);
    return true;
}

// It leaves with the next step, or with the one after that which adds it.
void sp__sim_unprobe(sp_sim *s) {
    s->probe.held = false;
}

// Probes that nobody holds leave, also those whose removal a failed step has dropped.
static void remove_old_probes(sp_sim *s) {
    for (int i = 0; i < s->stage.body_count; i++) {
        const sp_sim_body *body = &s->stage.bodies[i];
        char name[64];
        if (!body->added) continue;
        body_name(s, body->id, name);
        if (strncmp(name, "probe-", 6) != 0 || (s->probe.held && strcmp(name, s->probe.name) == 0)) continue;
        sp_edit e = sp_edit_default(SP_EDIT_REMOVE);
        e.source = s->probe.client, e.body = body->id;
        sp_world_queue(s->stage.world, &e);
    }
}

// Moves a point towards a target, not farther than `most`.
static void move_towards(double x[3], const double target[3], double most) {
    double d[3] = {target[0] - x[0], target[1] - x[1], target[2] - x[2]};
    const double length = tool_length(d), share = length > most ? most / length : 1;
    for (int k = 0; k < 3; k++) x[k] += share * d[k];
}

static void push_probe(sp_sim *s) {
    sp_sim_probe *p = &s->probe;
    sp_edit e = sp_edit_default(SP_EDIT_POSE);
    const double most = p->radius;  // in a step
    e.body = p->held ? sp_world_body_named(s->stage.world, p->name) : (sp_body_id){0, 0};
    if (!e.body.slot) return;
    move_towards(p->tip, p->target, most);
    move_towards(p->along, p->aimed, most / p->length);  // the far end moves no faster than the tip
    const double length = tool_length(p->along);
    if (length < 1e-3) memcpy(p->along, p->aimed, sizeof p->along);  // turned by half a turn
    for (int k = 0; k < 3 && length >= 1e-3; k++) p->along[k] /= length;
    e.source = p->client, e.pose = probe_pose(p);
    sp_world_queue(s->stage.world, &e);
}

// ---------------------------------------------------------------------------------------------------- moved bodies

// A kinematic body follows the target of its drag without turning; it stays where it is let go.
static void push_dragged(sp_sim *s, const sp_sim_drag *h) {
    const sp_sim_body *body = h->held ? sp__sim_body(s, h->body.slot) : NULL;
    double x[3], at[3], pose[7];
    if (!body || !body->kinematic || sp_world_anchor_get(s->stage.world, &h->anchor, at, NULL) < 0) return;
    if (sp_world_field(s->stage.world, body->id, "pose", pose) < 0) return;
    memcpy(x, at, sizeof x);
    move_towards(x, h->target, most_share * body->least);
    sp_edit e = sp_edit_default(SP_EDIT_POSE);
    e.source = h->client, e.body = body->id;
    for (int k = 0; k < 3; k++) e.pose.translate[k] = pose[k] + x[k] - at[k];
    memcpy(e.pose.quat, pose + 3, sizeof e.pose.quat);
    sp_world_queue(s->stage.world, &e);
}

// ---------------------------------------------------------------------------------------------------- links

static double apart(sp_sim *s, const sp_anchor *a, const double b[3]) {
    double x[3];
    if (sp_world_anchor_get(s->stage.world, a, x, NULL) < 0) return 0;
    for (int k = 0; k < 3; k++) x[k] -= b[k];
    return tool_length(x);
}

// Half of the critical damping of the lighter of the bodies that can move.
static double tie_damping(sp_sim *s, const sp_sim_body *const body[2], double stiffness) {
    double mass = INFINITY;
    sp_body_measures now;
    for (int i = 0; i < 2; i++)
        if (body[i] && body[i]->moves && sp_world_body_measure(s->stage.world, body[i]->id, &now) >= 0)
            mass = fmin(mass, now.mass);
    return isfinite(mass) && stiffness > 0 ? sqrt(stiffness * mass) : 0;
}

// A small fixed ball at the place, for the link that begins when it is there.
static bool attach_place(sp_sim *s, uint32_t client, const sp_message *m, sp_edit *link, char *why) {
    const sp_sim_body *body = sp__sim_body(s, m->point.body);
    if (!body) return tool_refuse(why, "the body no longer exists");
    if (s->tie_count == SP_TIES_MAX) return tool_refuse(why, "many links wait for the next step: play the simulation");
    if (!body->moves) return tool_refuse(why, "neither end can move");
    link->damping = tie_damping(s, (const sp_sim_body *const[2]){body, NULL}, link->stiffness);
    sp_edit e = tool_body(s, client, "peg", SP_SPHERE, fmax(1e-9, 0.05 * body->least), m->vector);
    if (!tool_queue(s, &e, why)) return false;
    sp_sim_tie *tie = &s->ties[s->tie_count++];
    snprintf(tie->body, sizeof tie->body, "%s", s->tool_name);
    snprintf(s->tool_name, sizeof s->tool_name, "tie-%d", s->tool_number);
    snprintf(link->path, sizeof link->path, "%s", s->tool_name);
    link->value = 2 * apart(s, &link->anchor, m->vector);
    tie->edit = *link;
    return true;
}

static bool attach_point(sp_sim *s, const sp_message *m, sp_edit *link, char *why) {
    double x[3];
    const sp_sim_body *a = sp__sim_body(s, m->point.body), *b = sp__sim_body(s, m->other.body);
    if (!sp__sim_pick(s, &m->other, &link->other, why)) return false;
    if (!a || !b) return tool_refuse(why, "the body no longer exists");
    if (!a->moves && !b->moves) return tool_refuse(why, "neither of the two bodies can move");
    if (a == b && !(m->stiffness > 0)) return tool_refuse(why, "a weld joins two bodies; a spring also two points of one");
    snprintf(s->tool_name, sizeof s->tool_name, "tie-%d", ++s->tool_number);
    snprintf(link->path, sizeof link->path, "%s", s->tool_name);
    link->damping = tie_damping(s, (const sp_sim_body *const[2]){a, b}, link->stiffness);
    if (sp_world_anchor_get(s->stage.world, &link->other, x, NULL) >= 0) link->value = 2 * apart(s, &link->anchor, x);
    return tool_queue(s, link, why);
}

static bool attach_again(sp_sim *s, uint32_t client, const sp_message *m, bool attached, char *why) {
    sp_edit e = sp_edit_default(attached ? SP_EDIT_ATTACH : SP_EDIT_DETACH);
    snprintf(e.path, sizeof e.path, "%.63s", m->path);
    e.source = client;
    if (!sp_world_link_named(s->stage.world, e.path).slot) return tool_refuse(why, "there is no link of that name");
    return tool_queue(s, &e, why);
}

bool sp__sim_attach(sp_sim *s, uint32_t client, const sp_message *m, char *why) {
    sp_edit link = sp_edit_default(SP_EDIT_LINK);
    if (m->given & SP_GIVEN_NAME) return attach_again(s, client, m, true, why);
    if (!may_add(s, why)) return false;
    link.source = client, link.stiffness = m->stiffness;
    if (!sp__sim_pick(s, &m->point, &link.anchor, why)) return false;
    return m->given & SP_GIVEN_TO ? attach_place(s, client, m, &link, why) : attach_point(s, m, &link, why);
}

// A peg leaves with its link.
bool sp__sim_detach(sp_sim *s, uint32_t client, const sp_message *m, char *why) {
    char peg[64];
    snprintf(peg, sizeof peg, "peg-%.50s", strncmp(m->path, "tie-", 4) == 0 ? m->path + 4 : "");
    sp_edit e = sp_edit_default(SP_EDIT_REMOVE);
    e.source = client, e.body = sp_world_body_named(s->stage.world, peg);
    return e.body.slot ? tool_queue(s, &e, why) : attach_again(s, client, m, false, why);
}

static void queue_ties(sp_sim *s) {
    int kept = 0;
    for (int i = 0; i < s->tie_count; i++) {
        sp_sim_tie *t = &s->ties[i];
        t->edit.other = (sp_anchor){.body = sp_world_body_named(s->stage.world, t->body)};
        if (t->edit.other.body.slot)
            sp_world_queue(s->stage.world, &t->edit);
        else
            s->ties[kept++] = *t;
    }
    s->tie_count = kept;
}

// ---------------------------------------------------------------------------------------------------- steps

void sp__sim_tools_before(sp_sim *s) {
    queue_ties(s);
    remove_old_probes(s);
    push_probe(s);
    for (int i = 0; i < SP_DRAG_SLOTS; i++) push_dragged(s, &s->drags[i]);
}

void sp__sim_tools_after(sp_sim *s) {
    int count;
    const sp_edit *taken = sp_world_edits_taken(s->stage.world, &count);
    bool changed = false;
    for (int i = 0; i < count; i++) changed = changed || taken[i].type == SP_EDIT_ADD || taken[i].type == SP_EDIT_REMOVE;
    if (!changed) return;
    if (sp__sim_fill_bodies(&s->stage)) sp__sim_send_bodies(s);
}

// What was queued is dropped: nothing waits for bodies that do not come.
void sp__sim_tools_failed(sp_sim *s) {
    if (!sp_world_body_named(s->stage.world, s->probe.name).slot) s->probe.held = false;
    s->tie_count = 0;
}

void sp__sim_tools_forget(sp_sim *s) {
    s->probe.held = false;
    s->tie_count = s->tool_number = 0;
}
