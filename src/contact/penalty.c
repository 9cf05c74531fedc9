// Penalty contact: detection of the planes that a point touches, forces and their derivatives, friction, work. The method is
// described in penalty.h.
#include "contact/penalty.h"

#include "body/tolerances.h"
#include "math/vec3.h"

// points per task, points per call of `points`, rigid bodies near an element or a point, contacts of one point
enum { CHUNK = 256, BATCH = 32, NEAR = 16, PLANES = 4 };

typedef struct contact_plane {  // tangent plane of a rigid body near a point
    sp_body *with;
    double distance;  // at the position of the measurement [m]
    double d, n[3], surface[3];
} contact_plane;

typedef struct contact_place {  // a point at the state at which its contacts are linearised
    double x[3], v[3];
    double moved[3];  // displacement within the step
} contact_place;

typedef struct penalty_job {
    sp_body *b;
    const sp_step *step;
    sp_contact_at at;
    const sp_bound *bounds;  // bounding spheres of elements; NULL: unknown
    bool compare;            // with the existing touches
} penalty_job;

static sp_which poses_of(sp_contact_at at) {
    return at == SP_CONTACT_COMMITTED ? SP_COMMITTED : SP_TRIAL;
}

static const sp_contact_memory *memory_of(const penalty_job *job, int node) {
    return job->b->loads.memory[poses_of(job->at)] + (size_t)SP_MEMORY_SLOTS * (size_t)node;
}

// ---------------------------------------------------------------------------------------------------- contact planes

static double distance_to(const penalty_job *job, sp_body *obstacle, const double *x, double radius, contact_plane *out) {
    out->with = obstacle;
    out->d = obstacle->ops->distance(obstacle, poses_of(job->at), x, out->n, out->surface) - radius;
    return out->distance = out->d;
}

// Distance above a surface up to which a point is in contact. Prediction: the free fall within the step; without it, the contact
// of a resting point is found too late. Statics: a body that is placed on a floor is in contact, and nothing else supports it.
static double penalty_margin(const penalty_job *job, const double *n) {
    double h = job->step->h;
    if (h == 0) return SP_CONTACT_STATIC_MARGIN * job->b->loads.size;
    return job->at == SP_CONTACT_AHEAD ? h * h * fmax(-sp__dot3(n, job->step->gravity), 0) : 0;
}

// Direction out of the obstacle: from the stored normals, or the normal at the start of the step. False: unknown.
static bool direction_out(const penalty_job *job, const sp_obstacles *o, int node, const contact_place *p, double *out) {
    const sp_contact_memory *m = memory_of(job, node);
    double from[3], length;
    contact_plane nearest = {.distance = INFINITY}, plane;
    memset(out, 0, 3 * sizeof *out);
    for (int s = 0; s < SP_MEMORY_SLOTS; s++)
        if (m[s].with) sp__axpy3(out, 1, m[s].normal, out);
    if ((length = sp__norm3(out)) > 0.1) {
        for (int a = 0; a < 3; a++) out[a] /= length;
        return true;
    }
    sp__sub3(p->x, p->moved, from);
    for (int i = 0; i < o->count; i++)
        if (distance_to(job, o->list[i], from, job->b->loads.nodes[node].radius, &plane) < nearest.distance) nearest = plane;
    memcpy(out, nearest.n, 3 * sizeof *out);
    return nearest.distance > 0 && nearest.distance < INFINITY;
}

// A plane whose normal does not point outwards belongs to an inner face or to an edge. At the height `lift` above the point the
// outer plane is the nearest.
static contact_plane outer_plane(const penalty_job *job, const contact_plane *plain, const contact_place *p, double radius,
                                 const double *out, double lift) {
    contact_plane plane;
    double place[3];
    if (lift == 0 || sp__dot3(plain->n, out) > SP_CONTACT_OUTWARD_COSINE) return *plain;
    sp__axpy3(p->x, lift, out, place);
    if (distance_to(job, plain->with, place, radius, &plane) <= 0) return *plain;
    plane.d = plane.distance - lift * sp__dot3(plane.n, out);
    return plane;
}

// of planes with similar normals only the nearest is kept
static int add_plane(contact_plane *planes, int n, const contact_plane *p) {
    for (int i = 0; i < n; i++) {
        if (sp__dot3(planes[i].n, p->n) < SP_CONTACT_SAME_DIRECTION) continue;
        if (p->distance < planes[i].distance) planes[i] = *p;
        return n;
    }
    if (n < PLANES) planes[n++] = *p;
    return n;
}

// keeps the nearest of all planes, in the order of their bodies
static void keep_near(contact_plane *list, int *count, const contact_plane *plane) {
    int farthest = 0;
    if (*count < NEAR) {
        list[(*count)++] = *plane;
        return;
    }
    for (int i = 1; i < NEAR; i++)
        if (list[i].d > list[farthest].d) farthest = i;
    if (plane->d < list[farthest].d) list[farthest] = *plane;
}

// The planes of the rigid bodies that a point touches. Bodies farther away than twice the lift are not in contact.
static int find_planes(const penalty_job *job, const sp_obstacles *o, int node, const contact_place *p, contact_plane *planes) {
    const sp_loads *l = &job->b->loads;
    double radius = l->nodes[node].radius, depth = 0, out[3];
    contact_plane plain[NEAR], plane;
    bool any = false;
    int kept = 0, n = 0;
    for (int i = 0; i < o->count; i++) {
        double d = distance_to(job, o->list[i], p->x, radius, &plane);
        any = any || d < penalty_margin(job, plane.n);
        depth = fmax(depth, -d);
        keep_near(plain, &kept, &plane);
    }
    if (!any) return 0;
    double lift = direction_out(job, o, node, p, out) ? SP_CONTACT_LIFT_DEPTHS * depth + SP_CONTACT_LIFT_LEAST * l->size : 0;
    for (int i = 0; i < kept; i++) {
        if (plain[i].d > 2 * lift + penalty_margin(job, plain[i].n)) continue;
        plane = outer_plane(job, &plain[i], p, radius, out, lift);
        if (plane.d < penalty_margin(job, plane.n)) n = add_plane(planes, n, &plane);
    }
    return n;
}

// ---------------------------------------------------------------------------------------------------- forces

// s n n^T into xx yy zz xy yz zx
static void penalty_add_outer(double *k, double s, const double *n) {
    k[0] += s * n[0] * n[0], k[1] += s * n[1] * n[1], k[2] += s * n[2] * n[2];
    k[3] += s * n[0] * n[1], k[4] += s * n[1] * n[2], k[5] += s * n[2] * n[0];
}

static void add_identity(double *k, double s) {
    for (int a = 0; a < 3; a++) k[a] += s;
}

// explicit integration is stable up to about m/h2; otherwise a contact is at least as stiff as an element
static double contact_stiffness(const sp_body *b, const sp_step *step, const sp_contact_node *node) {
    const sp_loads *l = &b->loads;
    double h = step->h;
    if (l->contact->stiffness > 0) return node->share * l->contact->stiffness;
    if (h == 0) return node->share * l->static_stiffness;
    if (b->integrator.type == SP_EXPLICIT) return node->mass / (h * h);
    double mass = fmax(node->mass, node->share * l->mean_mass);
    return fmax(l->inertia_stiffness * mass / (h * h), node->share * l->element_stiffness);
}

// Origin of the tangential spring: the stored stick point, or the point where a new contact crossed the surface.
static void stick_point(const penalty_job *job, const contact_plane *plane, const contact_place *p, const sp_contact_memory *m,
                        double *s) {
    if (m) {
        sp_anchor at = {0};
        memcpy(at.offset, m->stick, sizeof at.offset);
        plane->with->ops->points(plane->with, poses_of(job->at), 1, &at, s, NULL);
        return;
    }
    double offset[3];
    sp__axpy3(p->moved, -job->step->h, plane->surface, offset);
    // fraction of the displacement that is inside the surface
    double along = sp__dot3(plane->n, offset), inside = along < plane->d ? fmax(plane->d / along, 0) : 1;
    sp__axpy3(p->x, -inside, offset, s);
}

// Friction of one contact, at most `limit`; the stick point s follows a sliding point. The derivative of a sliding force along
// the sliding direction is 0. Solves with it may alternate between sliding and sticking, or diverge. With the secant limit / |u|
// each pass reduces the error (the force has a concave potential in |u|^2, which the secant majorises). The true derivative
// predicts the end of the step better if a point slides far in each step.
static void add_friction(double k, double limit, bool ahead, const contact_plane *plane, const contact_place *p, double *s,
                         sp_contact_state *t) {
    double u[3], unit[3];
    sp__sub3(p->x, s, u);
    sp__axpy3(u, -sp__dot3(plane->n, u), plane->n, u);
    double length = sp__norm3(u), stiffness = k;
    if (k * length > limit) {
        stiffness = limit / length;
        for (int a = 0; a < 3; a++) unit[a] = u[a] / length;
        if (ahead && k * length > SP_CONTACT_FAR_SLIDE * limit) penalty_add_outer(t->k, -stiffness, unit);
        sp__axpy3(p->x, -stiffness / k, u, s);
    }
    add_identity(t->k, stiffness), penalty_add_outer(t->k, -stiffness, plane->n);
    sp__axpy3(t->f, -stiffness, u, t->f);
    t->friction_work -= stiffness * sp__dot3(u, p->moved);
}

static void keep_memory(const penalty_job *job, const contact_plane *plane, const double *s, double force,
                        sp_contact_memory *out) {
    sp_anchor at;
    plane->with->ops->locate(plane->with, poses_of(job->at), s, &at);
    out->with = plane->with->id.slot;
    memcpy(out->stick, at.offset, sizeof out->stick);
    memcpy(out->normal, plane->n, sizeof out->normal);
    out->force = force;
}

static const sp_contact_memory *find_memory(const penalty_job *job, int node, const sp_body *with) {
    const sp_contact_memory *m = memory_of(job, node);
    for (int s = 0; s < SP_MEMORY_SLOTS; s++)
        if (m[s].with == with->id.slot) return &m[s];
    return NULL;
}

// In the prediction the point is far too deep, because no contact force has stopped it yet: the normal force of the last step is
// the better friction limit.
static void add_contact(const penalty_job *job, int node, const contact_plane *plane, const contact_place *p, int *kept,
                        sp_contact_state *t) {
    const sp_body *b = job->b;
    const sp_contact_def *c = b->loads.contact;
    const sp_contact_memory *m = find_memory(job, node, plane->with);
    double h = job->step->h, k = contact_stiffness(b, job->step, &b->loads.nodes[node]),
           damping = b->loads.nodes[node].share * c->damping, relative[3], s[3];
    sp__sub3(p->v, plane->surface, relative);
    double speed = sp__dot3(plane->n, relative), force = -k * plane->d - damping * speed;
    if (!(force > 0) && job->at != SP_CONTACT_AHEAD && h > 0) return;
    t->active = true;
    sp__axpy3(t->f, force, plane->n, t->f);
    penalty_add_outer(t->k, k, plane->n);
    penalty_add_outer(t->b, damping, plane->n);
    t->potential += 0.5 * k * plane->d * plane->d;
    t->depth = fmax(t->depth, -plane->d);
    // the spring is conservative, except for the work of the moving surface
    t->work -= k * plane->d * h * sp__dot3(plane->n, plane->surface) + damping * speed * sp__dot3(plane->n, p->moved);
    if (*kept == SP_MEMORY_SLOTS) return;
    stick_point(job, plane, p, m, s);
    bool ahead = m && job->at == SP_CONTACT_AHEAD;
    double limit = c->friction * (ahead ? m->force : fmax(force, 0));
    if (limit > 0) add_friction(k, limit, ahead, plane, p, s, t);
    keep_memory(job, plane, s, fmax(force, 0), &t->next[(*kept)++]);
}

// ---------------------------------------------------------------------------------------------------- one point

static void penalty_predict(const sp_contact_state *t, const double *x, const double *v, double *f) {
    double dx[3], dv[3];
    sp__sub3(x, t->x, dx), sp__sub3(v, t->v, dv);
    const double *k = t->k, *b = t->b;
    f[0] = t->f[0] - k[0] * dx[0] - k[3] * dx[1] - k[5] * dx[2] - b[0] * dv[0] - b[3] * dv[1] - b[5] * dv[2];
    f[1] = t->f[1] - k[3] * dx[0] - k[1] * dx[1] - k[4] * dx[2] - b[3] * dv[0] - b[1] * dv[1] - b[4] * dv[2];
    f[2] = t->f[2] - k[5] * dx[0] - k[4] * dx[1] - k[2] * dx[2] - b[5] * dv[0] - b[4] * dv[1] - b[2] * dv[2];
}

static void contact_term(const sp_contact_state *t, const sp_anchor *at, const double *x, const double *v, sp_point_term *out) {
    *out = (sp_point_term){.at = *at, .energy = t->potential};
    penalty_predict(t, x, v, out->f);
    memcpy(out->k, t->k, sizeof out->k);
    memcpy(out->b, t->b, sizeof out->b);
}

static void penalty_place_of(const penalty_job *job, int node, const double *x, const double *v, contact_place *p) {
    const sp_body *b = job->b;
    double h = job->step->h;
    memcpy(p->x, x, sizeof p->x), memcpy(p->v, v, sizeof p->v);
    for (int a = 0; a < 3; a++) p->moved[a] = h > 0 ? h * v[a] : x[a] - b->loads.from[3 * (size_t)node + (size_t)a];
    if (job->at == SP_CONTACT_AHEAD) sp__axpy3(x, 1, p->moved, p->x);
}

static void evaluate_point(const penalty_job *job, const sp_obstacles *o, int node, const double *x, const double *v) {
    sp_contact_state *t = &job->b->loads.contact_state[node], old = *t;
    contact_place p;
    contact_plane planes[PLANES];
    int kept = 0;
    *t = (sp_contact_state){0};
    penalty_place_of(job, node, x, v, &p);
    memcpy(t->x, p.x, sizeof t->x), memcpy(t->v, p.v, sizeof t->v);
    int n = find_planes(job, o, node, &p, planes);
    for (int i = 0; i < n; i++) add_contact(job, node, &planes[i], &p, &kept, t);
    if (!job->compare || !(t->active || old.active)) return;
    double f[3] = {0}, off[3];
    if (old.active) penalty_predict(&old, x, v, f);
    sp__sub3(t->f, f, off);
    t->error = sp__norm3(off), t->largest = fmax(sp__norm3(f), sp__norm3(t->f));
}

// ---------------------------------------------------------------------------------------------------- candidate points

// The rigid bodies near a point or an element.
typedef struct near_list {
    sp_obstacles near;
    sp_body *list[NEAR];
} near_list;

// lists the rigid bodies that points within `radius` of x can touch at speeds up to `speed`; all of them if the list is too short
static void list_near(const penalty_job *job, const sp_obstacles *of, const double *x, double radius, double speed,
                      near_list *out) {
    double n[3], surface[3], h = job->at == SP_CONTACT_AHEAD ? job->step->h : 0;
    double reach = radius + h * speed + h * h * sp__norm3(job->step->gravity);
    out->near = (sp_obstacles){out->list, 0};
    for (int o = 0; o < of->count; o++) {
        sp_body *with = of->list[o];
        if (!(with->ops->distance(with, poses_of(job->at), x, n, surface) <= reach)) continue;
        if (out->near.count == NEAR) {
            out->near = *of;
            return;
        }
        out->list[out->near.count++] = with;
    }
}

// Selects the points of [begin, begin + n) that can be in contact; near[i]: the bodies that point begin + i can touch. Points of
// one element are consecutive and share a list. If points are expensive, only their positions are computed first.
static int choose_near(const penalty_job *job, int begin, int n, near_list *lists, const sp_obstacles **near, int *which) {
    sp_loads *l = &job->b->loads;
    int count = 0, used = 0;
    for (int i = begin; i < begin + n; i++) {
        const sp_contact_node *node = &l->nodes[i];
        const sp_bound *e = job->bounds ? &job->bounds[node->at.elem] : NULL;
        bool same = i > begin && node->at.elem == l->nodes[i - 1].at.elem && node->radius == l->nodes[i - 1].radius;
        if (e && !same) list_near(job, l->obstacles, e->middle, e->radius + node->radius, e->speed, &lists[used++]);
        near[i - begin] = e ? &lists[used - 1].near : l->obstacles;
        if (node->off) {
            l->contact_state[i].active = false;
            continue;
        }
        bool compare = job->compare && l->contact_state[i].active;
        if (near[i - begin]->count > 0 || compare)
            which[count++] = i;
        else
            l->contact_state[i].active = false;
    }
    return count;
}

// of these, the points that are themselves near a rigid body
static int choose_nearer(const penalty_job *job, const sp_obstacles **near, int begin, const int *which, int n, int *out) {
    sp_loads *l = &job->b->loads;
    sp_anchor at[BATCH];
    double x[3 * BATCH];
    near_list own;
    int count = 0;
    for (int i = 0; i < n; i++) at[i] = l->nodes[which[i]].at;
    job->b->ops->points(job->b, SP_TRIAL, n, at, x, NULL);
    for (int i = 0; i < n; i++) {
        bool compare = job->compare && l->contact_state[which[i]].active;
        list_near(job, near[which[i] - begin], x + 3 * i, l->nodes[which[i]].radius, job->bounds[at[i].elem].speed, &own);
        if (compare || own.near.count > 0)
            out[count++] = which[i];
        else
            l->contact_state[which[i]].active = false;
    }
    return count;
}

static void evaluate_listed(const penalty_job *job, int begin, int n) {
    sp_anchor at[BATCH];
    near_list lists[BATCH];
    const sp_obstacles *near[BATCH];
    int which[BATCH], count = choose_near(job, begin, n, lists, near, which);
    double x[3 * BATCH], v[3 * BATCH];
    if (job->bounds && count) count = choose_nearer(job, near, begin, which, count, which);
    for (int i = 0; i < count; i++) at[i] = job->b->loads.nodes[which[i]].at;
    if (count) job->b->ops->points(job->b, SP_TRIAL, count, at, x, v);
    for (int i = 0; i < count; i++) evaluate_point(job, near[which[i] - begin], which[i], x + 3 * i, v + 3 * i);
}

static void evaluate_chunk(void *arg, int task, int worker) {
    (void)worker;
    const penalty_job *job = arg;
    int count = job->b->loads.node_count, end = task * CHUNK + CHUNK < count ? task * CHUNK + CHUNK : count;
    for (int i = task * CHUNK; i < end; i += BATCH) evaluate_listed(job, i, end - i < BATCH ? end - i : BATCH);
}

static void evaluate_all(sp_body *b, const sp_step *step, sp_contact_at at, bool compare) {
    penalty_job job = {b, step, at, b->ops->bounds ? b->ops->bounds(b) : NULL, compare};
    sp__parallel(b->ctx, (b->loads.node_count + CHUNK - 1) / CHUNK, evaluate_chunk, &job);
}

static void penalty_evaluate(sp_body *b, const sp_step *step, sp_contact_at at) {
    evaluate_all(b, step, at, false);
}

static bool penalty_changed(sp_body *b, const sp_step *step) {
    sp_loads *l = &b->loads;
    double error = 0, sum = 0;
    evaluate_all(b, step, SP_CONTACT_TRIAL, true);
    for (int i = 0; i < l->node_count; i++) {
        error += l->contact_state[i].error, sum += l->contact_state[i].largest;
        l->contact_state[i].error = l->contact_state[i].largest = 0;
    }
    return error > l->force_tolerance * sum;
}

// ---------------------------------------------------------------------------------------------------- terms and work

// appends the terms of n > 0 active touches
static void contact_terms(sp_body *b, const int *which, int n) {
    sp_loads *l = &b->loads;
    sp_anchor at[BATCH];
    double x[3 * BATCH], v[3 * BATCH];
    int i = 0;
    do at[i] = l->nodes[which[i]].at;
    while (++i < n);
    b->ops->points(b, SP_TRIAL, n, at, x, v);
    for (i = 0; i < n; i++) {
        contact_term(&l->contact_state[which[i]], &at[i], x + 3 * i, v + 3 * i, &l->terms[l->term_count++]);
        l->energy += l->contact_state[which[i]].potential;
    }
}

static void penalty_terms(sp_body *b, const sp_step *step) {
    sp_loads *l = &b->loads;
    int which[BATCH], n = 0, first = l->term_count;
    for (int i = 0; i < l->node_count; i++) {
        if (l->contact_state[i].active) which[n++] = i;
        if (n < BATCH) continue;
        contact_terms(b, which, n);
        n = 0;
    }
    if (n) contact_terms(b, which, n);
    if (l->term_count > first && (l->contact->friction > 0 || (step->h > 0 && l->contact->damping > 0))) l->dissipates = true;
}

// Potential of contacts at committed positions, with rigid bodies at the end of the step. Needed only after parameters changed.
static void penalty_work_before(sp_body *b, const sp_step *step, sp_loads_work *out) {
    const sp_loads *l = &b->loads;
    double sum = 0;
    if (b->ops->update_kinematics && b->ops->update_kinematics(b, step, SP_COMMITTED) < 0) return;
    for (int i = 0; i < l->node_count; i++) {
        const sp_contact_node *node = &l->nodes[i];
        double x[3], n[3], surface[3], k = contact_stiffness(b, step, node);
        b->ops->points(b, SP_COMMITTED, 1, &node->at, x, NULL);
        for (int o = 0; o < l->obstacles->count; o++) {
            sp_body *with = l->obstacles->list[o];
            double d = fmin(with->ops->distance(with, SP_TRIAL, x, n, surface) - node->radius, 0);
            sum += 0.5 * k * d * d;
        }
    }
    out->contact_before = sum;
}

// After implicit drivers and statics the touches are those of the trial state. An explicit driver evaluates them at the start of
// its last substep. Points of rods do not move along their velocities, so the work of friction on them is uncertain: only
// positive work is counted. The balance then misses the dissipation, and falls.
static void penalty_work(sp_body *b, const sp_step *step, double h, sp_loads_work *out) {
    const sp_loads *l = &b->loads;
    if (b->integrator.type == SP_EXPLICIT) sp__loads_evaluate(b, step, SP_CONTACT_TRIAL);
    double steps = step->h > 0 ? h / step->h : 1;
    for (int i = 0; i < l->node_count; i++) {
        const sp_contact_state *t = &l->contact_state[i];
        if (!t->active) continue;
        out->contact += t->potential;
        out->contact_work += steps * (t->work + (b->ops->difference ? fmax(t->friction_work, 0) : t->friction_work));
        out->penetration = fmax(out->penetration, t->depth);
    }
}

const sp_contact_response sp__penalty_response = {.evaluate = penalty_evaluate,
                                                  .changed = penalty_changed,
                                                  .terms = penalty_terms,
                                                  .work_before = penalty_work_before,
                                                  .work = penalty_work};
