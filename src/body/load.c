// Springs and penalty contact as point terms: a force, its derivatives and its potential at a material point.
//
// Contact acts on the collision nodes of a soft body against the rigid bodies, at their pose at the end of the step. Let d be the
// signed distance of a node, n the normal, v the node's velocity, g gravity. The step with one linearisation looks ahead: the
// node is active if d + h n.v < 0 or d + h n.(v + h g) < 0 (without g, a node that rests is let go every other step), and its
// force -k d n then becomes -k (d + h n.v_new) n through the matrix. All other drivers evaluate at the state itself: active if d
// < 0. Coulomb friction is viscous below the speed `slip`:
//   f_t = -mu f_n v_t / max(|v_t|, slip),   of which only the symmetric part mu f_n / max(|v_t|, slip) (1 - n n^T) enters b.
#include "body/load.h"

#include "body/body.h"
#include "math/vec3.h"

enum { CHUNK = 256, BATCH = 32 };  // collision nodes of one task; asked for at once

void sp__loads_prescribe(sp_body *b, double t) {
    for (int i = 0; i < b->loads.spring_count; i++) {
        sp_spring *s = &b->loads.springs[i];
        if (s->slot >= 0) continue;  // a drag's target comes by edits
        for (int a = 0; a < 3; a++) s->target[a] = sp_signal_at(&s->to[a], t);
    }
}

static void spring_term(sp_body *b, const sp_spring *s, sp_point_term *out) {
    double x[3], v[3];
    *out = (sp_point_term){.at = s->at};
    b->ops->points(b, SP_TRIAL, 1, &s->at, x, v);
    for (int a = 0; a < 3; a++) {
        if (!(s->axes & (1u << a))) continue;
        double u = x[a] - s->target[a];
        out->f[a] = -s->stiffness * u - s->damping * v[a];
        out->k[a] = s->stiffness;
        out->b[a] = s->damping;
        out->energy += 0.5 * s->stiffness * u * u;
    }
}

// ---------------------------------------------------------------------------------------------------- contact

// s n n^T into xx yy zz xy yz zx
static void add_outer(double *k, double s, const double *n) {
    k[0] += s * n[0] * n[0], k[1] += s * n[1] * n[1], k[2] += s * n[2] * n[2];
    k[3] += s * n[0] * n[1], k[4] += s * n[1] * n[2], k[5] += s * n[2] * n[0];
}

// 10 m/h2 holds a node within a tenth of what it would move in a step; explicit steps bear no more than about m/h2.
static double stiffness_of(const sp_body *b, const sp_contact_node *node) {
    if (b->loads.contact->stiffness > 0) return node->share * b->loads.contact->stiffness;
    if (b->h == 0) return node->share * b->loads.static_stiffness;
    return (b->integrator.type == SP_EXPLICIT ? 1 : 10) * node->mass / (b->h * b->h);
}

static void add_friction(const sp_body *b, double normal_force, const double *n, const double *relative, sp_point_term *out) {
    double slip = b->loads.contact->slip > 0 ? b->loads.contact->slip : 1e-3 * b->loads.size;
    double vt[3], vn = sp__dot3(n, relative);
    sp__axpy3(relative, -vn, n, vt);
    double speed = fmax(sp__norm3(vt), slip);
    double c = speed > 0 ? b->loads.contact->friction * normal_force / speed : 0;
    for (int a = 0; a < 3; a++) {
        out->f[a] -= c * vt[a];
        out->b[a] += c;
    }
    add_outer(out->b, -c, n);
}

// the term of one node against one rigid body; false: apart
static bool add_contact(sp_body *b, sp_body *obstacle, const sp_contact_node *node, const double *x, const double *v,
                        sp_point_term *out) {
    const sp_contact_def *c = b->loads.contact;
    double n[3], surface[3], relative[3];
    double d = obstacle->ops->distance(obstacle, SP_TRIAL, x, n, surface) - node->radius;
    // where it will be, as it moves and as it falls
    double ahead = b->integrator.type == SP_IMPLICIT_EULER ? b->h : 0, gap = d + ahead * sp__dot3(n, v);
    if (!(gap < 0) && !(gap + ahead * ahead * sp__dot3(n, b->gravity) < 0)) return false;
    double k = stiffness_of(b, node), damping = node->share * c->damping;
    sp__sub3(v, surface, relative);
    double vn = sp__dot3(n, relative);
    for (int a = 0; a < 3; a++) out->f[a] -= (k * d + damping * vn) * n[a];
    add_outer(out->k, k, n);
    add_outer(out->b, damping, n);
    if (d < 0) out->energy += 0.5 * k * d * d;
    if (b->h > 0 && c->friction > 0) add_friction(b, fmax(-k * gap, 0), n, relative, out);
    return true;
}

typedef struct touch_job {
    sp_body *b;
    const sp_bound *bounds;  // of elements; NULL: unknown
} touch_job;

// can what is within `radius` of x touch in the step, if it is no faster than `speed`?
static bool is_near(sp_body *b, const double *x, double radius, double speed) {
    double n[3], surface[3], h = b->integrator.type == SP_IMPLICIT_EULER ? b->h : 0;
    double reach = radius + h * speed + h * h * sp__norm3(b->gravity);
    for (int o = 0; o < b->loads.obstacle_count; o++)
        if (b->loads.obstacles[o]->ops->distance(b->loads.obstacles[o], SP_TRIAL, x, n, surface) <= reach) return true;
    return false;
}

static void touch_node(sp_body *b, int i, const double *x, const double *v) {
    sp_loads *l = &b->loads;
    sp_point_term *term = &l->terms[l->term_count + i];
    *term = (sp_point_term){.at = l->nodes[i].at};
    for (int o = 0; o < l->obstacle_count; o++) l->touching[i] |= add_contact(b, l->obstacles[o], &l->nodes[i], x, v, term);
}

// those of nodes [begin, begin + n) whose elements are near something; nodes of one element stand together
static int choose_near(const touch_job *t, int begin, int n, int *which) {
    sp_loads *l = &t->b->loads;
    int near = 0;
    bool last = false;
    for (int i = begin; i < begin + n; i++) {
        const sp_contact_node *node = &l->nodes[i];
        const sp_bound *e = t->bounds ? &t->bounds[node->at.elem] : NULL;
        if (!e || i == begin || node->at.elem != l->nodes[i - 1].at.elem || node->radius != l->nodes[i - 1].radius)
            last = !e || is_near(t->b, e->middle, e->radius + node->radius, e->speed);
        l->touching[i] = 0;
        if (last) which[near++] = i;
    }
    return near;
}

// of these the ones that are near themselves
static int choose_nearer(const touch_job *t, const int *which, int n, int *out) {
    sp_anchor at[BATCH];
    double x[3 * BATCH];
    int near = 0;
    for (int i = 0; i < n; i++) at[i] = t->b->loads.nodes[which[i]].at;
    t->b->ops->points(t->b, SP_TRIAL, n, at, x, NULL);
    for (int i = 0; i < n; i++)
        if (is_near(t->b, x + 3 * i, t->b->loads.nodes[which[i]].radius, t->bounds[at[i].elem].speed)) out[near++] = which[i];
    return near;
}

static void touch_some(const touch_job *t, int begin, int n) {
    sp_anchor at[BATCH];
    int which[BATCH], near = choose_near(t, begin, n, which);
    double x[3 * BATCH], v[3 * BATCH];
    if (t->bounds && near) near = choose_nearer(t, which, near, which);
    for (int i = 0; i < near; i++) at[i] = t->b->loads.nodes[which[i]].at;
    if (near) t->b->ops->points(t->b, SP_TRIAL, near, at, x, v);
    for (int i = 0; i < near; i++) touch_node(t->b, which[i], x + 3 * i, v + 3 * i);
}

static void touch_chunk(void *arg, int task, int worker) {
    (void)worker;
    const touch_job *t = arg;
    int count = t->b->loads.node_count, end = task * CHUNK + CHUNK < count ? task * CHUNK + CHUNK : count;
    for (int i = task * CHUNK; i < end; i += BATCH) touch_some(t, i, end - i < BATCH ? end - i : BATCH);
}

// every node writes its own place; the active ones then close ranks in order
static void contact_terms(sp_body *b) {
    sp_loads *l = &b->loads;
    touch_job t = {b, b->ops->bounds ? b->ops->bounds(b) : NULL};
    sp__parallel(b->ctx, (l->node_count + CHUNK - 1) / CHUNK, touch_chunk, &t);
    int first = l->term_count;
    for (int i = 0; i < l->node_count; i++) {
        if (!l->touching[i]) continue;
        l->energy += l->terms[first + i].energy;
        l->terms[l->term_count++] = l->terms[first + i];
    }
    bool any = l->term_count > first;
    if (any && b->h > 0 && (l->contact->friction > 0 || l->contact->damping > 0)) l->dissipates = true;
}

void sp__loads_evaluate(sp_body *b) {
    sp_loads *l = &b->loads;
    l->term_count = 0;
    l->energy = 0;
    l->dissipates = false;
    // what cannot be settled has no points; evaluating it will say why
    if (b->ops->settle && b->ops->settle(b, SP_TRIAL) < 0) return;
    for (int i = 0; i < l->spring_count; i++) {
        if (!l->springs[i].active) continue;
        sp_point_term *term = &l->terms[l->term_count++];
        spring_term(b, &l->springs[i], term);
        l->energy += term->energy;
        if (b->h > 0 && l->springs[i].damping > 0) l->dissipates = true;
    }
    if (l->contact && l->obstacle_count > 0 && l->node_count > 0) contact_terms(b);
}

// ---------------------------------------------------------------------------------------------------- room

static sp_status no_room(sp_body *b) {
    return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for the springs and contacts of body '%s'", b->name);
}

static sp_status reserve_springs(sp_body *b, int capacity) {
    sp_loads *l = &b->loads;
    if (capacity <= l->spring_capacity) return SP_OK;
    sp_spring *springs = sp__alloc(b->ctx, (size_t)capacity, sizeof *springs);
    if (!springs) return no_room(b);
    if (l->spring_count) memcpy(springs, l->springs, (size_t)l->spring_count * sizeof *springs);
    sp__free(b->ctx, l->springs);
    l->springs = springs;
    l->spring_capacity = capacity;
    return SP_OK;
}

sp_status sp__loads_reserve(sp_body *b, int extra_springs) {
    sp_loads *l = &b->loads;
    if (extra_springs < 0 || l->spring_count > INT32_MAX - extra_springs ||
        l->spring_count + extra_springs > INT32_MAX - l->node_count)
        return no_room(b);
    SP_TRY(reserve_springs(b, l->spring_count + extra_springs));
    int capacity = l->spring_capacity + l->node_count;
    if (capacity > l->term_capacity) {
        sp_point_term *terms = sp__alloc(b->ctx, (size_t)capacity, sizeof *terms);
        if (!terms) return no_room(b);
        if (l->term_count) memcpy(terms, l->terms, (size_t)l->term_count * sizeof *terms);
        sp__free(b->ctx, l->terms);
        l->terms = terms;
        l->term_capacity = capacity;
    }
    if (!l->touching && l->node_count > 0 && !(l->touching = sp__alloc(b->ctx, (size_t)l->node_count, 1))) return no_room(b);
    return SP_OK;
}

static uint64_t key_of(int n, const sp_contact_node *nodes) {
    uint64_t key = (uint64_t)n;
    for (int i = 0; i < n; i++) {
        uint64_t at[3];
        memcpy(at, nodes[i].at.at, sizeof at);
        key = sp__mix(key ^ at[0], at[1]) + sp__mix(at[2], nodes[i].at.elem);
    }
    return key;
}

sp_status sp__loads_take_points(sp_body *b, int n, sp_contact_node *nodes) {
    sp_loads *l = &b->loads;
    if (l->spring_capacity > INT32_MAX - n) return no_room(b);
    int capacity = l->spring_capacity + n;
    sp_point_term *terms = sp__alloc(b->ctx, (size_t)capacity, sizeof *terms);
    unsigned char *touching = sp__alloc(b->ctx, (size_t)n, 1);
    if (!terms || !touching) {
        sp__free(b->ctx, terms), sp__free(b->ctx, touching);
        return no_room(b);
    }
    sp__free(b->ctx, l->nodes), sp__free(b->ctx, l->terms), sp__free(b->ctx, l->touching);
    l->nodes = nodes, l->terms = terms, l->touching = touching;
    l->node_count = n, l->term_capacity = capacity, l->term_count = 0;
    l->by_surface = true;
    l->surface_key = key_of(n, nodes);
    return SP_OK;
}

void sp__loads_free(sp_body *b) {
    sp_loads *l = &b->loads;
    sp__free(b->ctx, l->springs), sp__free(b->ctx, l->nodes);
    sp__free(b->ctx, l->terms), sp__free(b->ctx, l->touching);
    *l = (sp_loads){0};
}
