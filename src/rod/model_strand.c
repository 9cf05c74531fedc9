// Clothoids and helices as rod models (strand.h has the mechanics).
//
//   coordinates   position of the root (3), its orientation as a unit quaternion w x y z (4), three per control
//   unknowns      velocity of the root, its angular velocity in world axes, rates of the controls
// Every unknown couples with every other: the matrices are dense.
#include "linear/banded.h"
#include "math/rotation_vector.h"
#include "math/vec3.h"
#include "rod/rod.h"
#include "rod/strand.h"
#include "rod/strand_carry.h"

enum { ROOT_Q = 7, ROOT_V = 6 };

// for truncating series; the error is smaller still, since terms decrease factorially
static const double tolerance = 1e-12;

typedef struct model {
    sp_strand strand;
    sp_strand_element *element;  // full capacity
    double *rest, *x;            // 3 x controls: natural curvatures; x: scratch of twice that size
    double *q, *v;               // coordinates and velocities of the current placement
    bool placed;
    sp_strand_carry carry;
    double *before;   // coordinates one step earlier
    double *spin;     // elements: inertia about the tangent [kg m]
    double h, share;  // of the step it was placed for; share of inertia from sp__strand_keep
} model;

static model *strand_model_of(const sp_body *b, int part) {
    return sp__rod(b)->part[part].model;
}

const sp_strand *sp__rod_strand(const sp_body *b, int part) {
    return &strand_model_of(b, part)->strand;
}

static bool is_affine(const sp_body *b) {
    return sp__rod(b)->which == SP_ROD_CLOTHOID;
}

static int clothoid_coordinates(int elements) {
    return ROOT_Q + 3 * (elements + 1);
}

static int helix_coordinates(int elements) {
    return ROOT_Q + 3 * elements;
}

static int clothoid_unknowns(int elements) {
    return ROOT_V + 3 * (elements + 1);
}

static int helix_unknowns(int elements) {
    return ROOT_V + 3 * elements;
}

// ------------------------------------------------------------------------------------------------ creation

// controls from curvatures at nodes: the same values, or the means over elements
static void controls_of(const sp_body *b, int controls, const double *nodes, double *out) {
    for (int i = 0; i < 3 * controls; i++) out[i] = is_affine(b) ? nodes[i] : 0.5 * (nodes[i] + nodes[i + 3]);
}

static void strand_changed(sp_body *b, int part) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    model *m = p->model;
    for (int e = 0; e < p->alive; e++) {
        const sp_rod_stiffness *s = sp__rod_stiffness(r, p->element + e);
        m->element[e] = (sp_strand_element){.length = r->length[p->element + e],
                                            .line_density = s->line_density,
                                            .stiffness = {s->twist, s->bend[0], s->bend[1]}};
        m->spin[e] = s->spin;
    }
    sp_rod_mass mass;
    m->carry.mass_count = 0;
    for (int i = 0; m->carry.mass_count < m->carry.mass_capacity && sp__rod_mass_next(b, part, &i, &mass);) {
        // elements not in use lie at the tip
        if (mass.element >= p->alive) mass.element = p->alive - 1, mass.u = 1;
        m->carry.masses[m->carry.mass_count++] =
            (sp_strand_mass){mass.element, mass.u * r->length[p->element + mass.element], mass.mass, mass.inertia};
    }
    controls_of(b, m->strand.controls, r->natural + 3 * (size_t)p->node, m->rest);
    sp__strand_set(&m->strand, p->alive, m->element);
    m->placed = false;
}

static sp_status strand_create(sp_body *b, int part) {
    const sp_rod_part *p = &sp__rod(b)->part[part];
    model *m = p->model;
    size_t n = 3 * ((size_t)p->elements + 1);
    m->strand.ctx = b->ctx;
    if (!SP_NEW(b->ctx, m->element, p->elements) || !SP_NEW(b->ctx, m->rest, n) || !SP_NEW(b->ctx, m->x, 2 * n) ||
        !SP_NEW(b->ctx, m->q, p->nq) || !SP_NEW(b->ctx, m->v, p->nv) || !SP_NEW(b->ctx, m->before, p->nq) ||
        !SP_NEW(b->ctx, m->spin, p->elements))
        return SP_NO_MEMORY;
    sp_strand_def def = {.elements = p->elements, .affine = is_affine(b), .element = m->element, .tolerance = tolerance};
    SP_TRY(sp__strand_init(b->ctx, &def, &m->strand));
    sp_rod_mass mass;
    int masses = 0;
    for (int i = 0; sp__rod_mass_next(b, part, &i, &mass);) masses++;
    SP_TRY(sp__strand_carry_init(b->ctx, &m->strand, masses, &m->carry));
    strand_changed(b, part);
    return SP_OK;
}

static void strand_destroy(sp_body *b, int part) {
    model *m = strand_model_of(b, part);
    sp__strand_free(&m->strand);
    sp__strand_carry_free(b->ctx, &m->carry);
    sp__free(b->ctx, m->before), sp__free(b->ctx, m->spin);
    sp__free(b->ctx, m->element), sp__free(b->ctx, m->rest), sp__free(b->ctx, m->x);
    sp__free(b->ctx, m->q), sp__free(b->ctx, m->v);
}

// a quaternion that is normalised to rounding keeps its bits: a held root must not move
static void strand_make_unit(double q[4]) {
    double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], s = 1 / sqrt(n);
    for (int i = 0; i < 4 && fabs(n - 1) > 1e-15; i++) q[i] *= s;
}

static void strand_bend(sp_body *b, int part, const sp_curve_frame *root, const double *curvature, double *q) {
    memcpy(q, root->r, sizeof root->r);
    sp__quat_of_matrix(root->R, q + 3);
    strand_make_unit(q + 3);
    controls_of(b, strand_model_of(b, part)->strand.controls, curvature, q + ROOT_Q);
}

// ------------------------------------------------------------------------------------------------ forces

static void strand_move(sp_body *b, int part, double load_factor, const double *from, double s, const double *v, double *to);

static sp_strand_state strand_state_of(const double *q, const double *v) {
    sp_strand_state state = {.q = q + ROOT_Q, .v = v + ROOT_V};
    memcpy(state.root.r, q, sizeof state.root.r);
    sp__quat_matrix(q + 3, state.root.R);
    memcpy(state.root_velocity, v, sizeof state.root_velocity);
    return state;
}

// bound of the bending rate of an element
static double bend_rate(const sp_strand *s, int e, const double *v) {
    const double *rate = v + ROOT_V + 3 * (size_t)e;
    return s->element[e].length * (s->affine ? 0.5 * (sp__norm3(rate) + sp__norm3(rate + 3)) : sp__norm3(rate));
}

// bound of the rotation of its tip in a step
static double turn_of(const sp_strand *s, const double *v, double h) {
    double sum = sp__norm3(v + 3);
    for (int e = 0; e < s->alive; e++) sum += bend_rate(s, e, v);
    return h * sum;
}

static double strand_bent(const sp_body *b, int part, double h, const double *v) {
    const sp_strand *s = &strand_model_of(b, part)->strand;
    double most = 0;
    for (int e = 0; e < s->alive; e++) most = fmax(most, bend_rate(s, e, v));
    return h * most;
}

// Share of inertia of material points (strand_carry.h): none up to `low` [rad], where the quadratic velocity terms are as
// published, all from `high` on, linear between. The published simulations stay below 0.35 at 11 ms.
static double strand_share_of(double turn) {
    static const double low = 0.4, high = 0.8;
    return fmin(1, fmax(0, (turn - low) / (high - low)));
}

// stores the velocities of material points at the configuration one step earlier
static sp_status store_last_velocities(sp_body *b, int part, const double *q, const double *v) {
    model *m = strand_model_of(b, part);
    double h = m->h = sp__rod(b)->h;
    m->share = h > 0 && !sp__rod_corrects(b) ? strand_share_of(turn_of(&m->strand, v, h)) : 0;
    if (m->share == 0) return SP_OK;
    strand_move(b, part, 1, q, -h, v, m->before);
    sp_strand_state before = strand_state_of(m->before, v);
    SP_TRY(sp__strand_place(&m->strand, &before, false));
    sp__strand_keep(&m->strand, q + ROOT_Q, v, &m->carry);
    return SP_OK;
}

// always includes the motion: it costs a fifth more, and the next step starts at the state queried after a step
static sp_status strand_update_kinematics(sp_body *b, int part, const double *q, const double *v, bool motion) {
    const sp_rod_part *p = &sp__rod(b)->part[part];
    model *m = p->model;
    size_t nq = (size_t)p->nq * sizeof *q, nv = (size_t)p->nv * sizeof *v;
    if (m->placed && !memcmp(m->q, q, nq) && (!motion || (!memcmp(m->v, v, nv) && m->h == sp__rod(b)->h))) return SP_OK;
    m->placed = false;
    SP_TRY(store_last_velocities(b, part, q, v));
    sp_strand_state state = strand_state_of(q, v);
    sp_status status = sp__strand_place(&m->strand, &state, true);
    memcpy(m->q, q, nq), memcpy(m->v, v, nv);
    m->placed = status >= 0;
    return status;
}

// M and A
static void strand_gather(sp_body *b, int part) {
    model *m = strand_model_of(b, part);
    if (m->strand.gathered) return;
    sp__strand_gather(&m->strand);
    sp__strand_add_masses(&m->strand, m->v, &m->carry);
    if (m->share > 0) sp__strand_take(&m->strand, m->v, m->h, m->share, &m->carry);
    if (sp__rod(b)->free_root) sp__strand_add_spin(&m->strand, m->spin, &m->carry);
}

static double strand_element_energy(sp_body *b, int part, int element) {
    const model *m = strand_model_of(b, part);
    return sp__strand_energy(&m->strand, element, m->q + ROOT_Q, m->rest);
}

static double strand_force(sp_body *b, int part, double *f) {
    model *m = strand_model_of(b, part);
    sp_strand *s = &m->strand;
    double *x = m->x, *back = x + 3 * s->controls;
    strand_gather(b, part);
    sp__strand_weigh(s, sp__rod(b)->acceleration);
    for (int i = 0; i < 3 * s->controls; i++) x[i] = m->q[ROOT_Q + i] - m->rest[i];
    sp__strand_stiffness(s, x, back);
    for (int i = 0; i < s->unknowns; i++) f[i] += s->G[i] - s->A[i] - (i < ROOT_V ? 0 : back[i - ROOT_V]);
    return sp__rod_elastic(b, part, NULL) + s->load_energy;
}

// full bands are lower triangles with rows of `band` numbers, starting at `band`
static void strand_matrices(sp_body *b, int part, bool exact, double *M, double *K) {
    sp_rod *r = sp__rod(b);
    sp_strand *s = &strand_model_of(b, part)->strand;
    int n = s->unknowns, band = r->part[part].band;
    strand_gather(b, part);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) *sp__banded_at(M, band, i, j) += s->M[(size_t)n * (size_t)i + (size_t)j];
    sp__strand_add_lower_stiffness(s, 1, sp__banded_at(K, band, ROOT_V, ROOT_V), band);
    if (!exact) return;
    sp__strand_bend_of_weight(s, r->acceleration, -1, sp__banded_at(K, band, 0, 0), band);
    const sp_strand_carry *c = &strand_model_of(b, part)->carry;
    for (int i = 0; i < c->mass_count; i++) {
        double f[3] = {0, 0, 0};
        sp__axpy3(f, c->masses[i].mass, r->acceleration, f);
        sp__strand_bend_of_force(s, c->masses[i].element, c->masses[i].at, f, -1, sp__banded_at(K, band, 0, 0), band);
    }
}

static void strand_damping(sp_body *b, int part, double *K) {
    int band = sp__rod(b)->part[part].band;
    sp__strand_add_lower_stiffness(&strand_model_of(b, part)->strand, 1, sp__banded_at(K, band, ROOT_V, ROOT_V), band);
}

static double strand_along(const sp_strand *s, int element, double u) {
    return element < s->alive ? u * s->element[element].length : 0;
}

static void strand_bend_of_force(sp_body *b, int part, int element, double u, const double f[3], double *K) {
    const sp_strand *s = &strand_model_of(b, part)->strand;
    int band = sp__rod(b)->part[part].band;
    sp__strand_bend_of_force(s, element, strand_along(s, element, u), f, -1, sp__banded_at(K, band, 0, 0), band);
}

static void bend_of_nodes(sp_body *b, int part, const double *force, bool exact, double *K) {
    const sp_strand *s = &strand_model_of(b, part)->strand;
    int band = sp__rod(b)->part[part].band;
    double *H = sp__banded_at(K, band, 0, 0);
    if (exact)
        sp__strand_bend_of_nodes(s, force, -1, H, band);
    else
        sp__strand_tension_of_nodes(s, force, -1, H, band);
}

static void strand_keep(sp_body *b, int part, const double *v) {
    model *m = strand_model_of(b, part);
    sp__strand_keep(&m->strand, m->q + ROOT_Q, v, &m->carry);
}

static void strand_carry(sp_body *b, int part, double h, const double *x, const double *v0, double *R, double *node) {
    const sp_rod *r = sp__rod(b);
    model *m = strand_model_of(b, part);
    sp_strand *s = &m->strand;
    for (int i = 0; i < s->unknowns; i++) R[i] += h * s->A[i];
    double *inertia = r->kept + r->part[part].v;
    memset(inertia, 0, (size_t)s->unknowns * sizeof *inertia);
    for (int i = 0; i < 3 * (s->capacity + 1); i++) node[i] *= -h;
    sp__strand_impulse(s, x, 1, &m->carry, inertia, node);
    for (int i = 0; i < 3 * (s->capacity + 1); i++) node[i] /= -h;
    for (int e = 0; e < s->alive; e++) {
        double half = 0.5 * s->element[e].length * s->element[e].line_density;
        sp__axpy3(node + 3 * e, half, r->acceleration, node + 3 * e);
        sp__axpy3(node + 3 * e + 3, half, r->acceleration, node + 3 * e + 3);
    }
    sp__rod_lump_masses(b, part, node);
    if (r->free_root) {
        double *u = r->product + r->part[part].v;
        for (int i = 0; i < s->unknowns; i++) u[i] = x[i] - v0[i];
        sp__strand_spin_impulse(s, m->spin, u, &m->carry, inertia);
    }
    for (int i = 0; i < s->unknowns; i++) R[i] -= inertia[i];
}

static void strand_mass(sp_body *b, int part, const double *x, double *y, bool inverse) {
    sp_strand *s = &strand_model_of(b, part)->strand;
    SP_ASSERT(!inverse);
    (void)inverse;
    strand_gather(b, part);
    for (int i = 0; i < s->unknowns; i++) {
        const double *row = s->M + (size_t)s->unknowns * (size_t)i;
        y[i] = 0;
        for (int j = 0; j < s->unknowns; j++) y[i] += row[j] * x[j];
    }
}

// the rows of the root are momenta: linear, and angular about its position
static void strand_measure(sp_body *b, int part, const double *v, sp_measure *out) {
    sp_strand *s = &strand_model_of(b, part)->strand;
    double p[6] = {0}, turned[3], twice = 0;
    strand_gather(b, part);
    for (int i = 0; i < s->unknowns; i++) {
        double sum = 0;
        for (int j = 0; j < s->unknowns; j++) sum += s->M[(size_t)s->unknowns * (size_t)i + (size_t)j] * v[j];
        if (i < 6) p[i] = sum;
        twice += v[i] * sum;
    }
    sp__cross3(s->frame[0].r, p, turned);
    out->mass += s->mass, out->kinetic += 0.5 * twice;
    for (int i = 0; i < 3; i++) out->momentum[i] += p[i], out->angular[i] += p[3 + i] + turned[i], out->moment[i] += s->moment[i];
}

// ------------------------------------------------------------------------------------------------ motion

static void strand_move(sp_body *b, int part, double load_factor, const double *from, double s, const double *v, double *to) {
    (void)load_factor;
    int controls = strand_model_of(b, part)->strand.controls;
    double angle = s * sp__norm3(v + 3), turn[4], quat[4];
    for (int i = 0; i < 3; i++) to[i] = s == 0 ? from[i] : from[i] + s * v[i];
    for (int i = 0; i < 3 * controls; i++) to[ROOT_Q + i] = s == 0 ? from[ROOT_Q + i] : from[ROOT_Q + i] + s * v[ROOT_V + i];
    memcpy(quat, from + 3, sizeof quat);
    if (angle != 0) {
        sp__quat_axis(v + 3, angle, turn);
        sp__quat_mul(turn, from + 3, quat);
        strand_make_unit(quat);
    }
    memcpy(to + 3, quat, sizeof quat);
}

static void strand_difference(sp_body *b, int part, const double *from, const double *to, double *d) {
    int controls = strand_model_of(b, part)->strand.controls;
    sp__sub3(to, from, d);
    sp__rotvec_between(from + 3, to + 3, d + 3);
    for (int i = 0; i < 3 * controls; i++) d[ROOT_V + i] = to[ROOT_Q + i] - from[ROOT_Q + i];
}

static int strand_held(sp_body *b, int part, int node, unsigned axes, int *unknown) {
    (void)b, (void)part;
    return node == 0 ? sp__rod_held(0, axes, true, unknown) : 0;
}

static void strand_set_target(sp_body *b, int part, int node, const double *hold, const double place[3], const double R[9],
                              double *target) {
    double turn[4], quat[4];
    (void)b, (void)part;
    if (node != 0) return;
    sp__quat_of_matrix(R, turn);
    sp__quat_mul(turn, hold + 3, quat);
    strand_make_unit(quat);
    memcpy(target, place, 3 * sizeof *target), memcpy(target + 3, quat, sizeof quat);
}

// ------------------------------------------------------------------------------------------------ points

static void strand_place(sp_body *b, int part, int element, double u, sp_curve_frame *out) {
    const sp_strand *s = &strand_model_of(b, part)->strand;
    sp__strand_frame(s, element, strand_along(s, element, u), out);
}

static void strand_speed(sp_body *b, int part, int element, double u, const double *v, double out[6]) {
    const sp_strand *s = &strand_model_of(b, part)->strand;
    sp__strand_speed(s, element, strand_along(s, element, u), v, out);
}

static int strand_slopes(sp_body *b, int part, int element, double u, int *unknown, double *columns) {
    const sp_strand *s = &strand_model_of(b, part)->strand;
    int n = sp__strand_slopes(s, element, strand_along(s, element, u), columns);
    for (int i = 0; i < n; i++) unknown[i] = i;
    return n;
}

// helices: a node has the mean of its two elements
static void strand_curvature(sp_body *b, int part, double *out) {
    const model *m = strand_model_of(b, part);
    const double *q = m->q + ROOT_Q;
    int affine = m->strand.affine, last = m->strand.alive + affine - 1;
    for (int i = 0; i <= m->strand.capacity; i++) {
        int right = i < last ? i : last, left = i > 0 && !affine ? i - 1 : right;
        if (left > last) left = last;
        for (int k = 0; k < 3; k++) out[3 * i + k] = 0.5 * (q[3 * left + k] + q[3 * right + k]);
    }
}

#define SHARED                                                                                                                   \
    .size = sizeof(model), .curved = true, .massless = true, .accepted_gap = 1e-2, .grows = true, .create = strand_create,       \
    .destroy = strand_destroy, .changed = strand_changed, .bend = strand_bend, .update_kinematics = strand_update_kinematics,    \
    .force = strand_force, .matrices = strand_matrices, .damping = strand_damping, .bend_of_force = strand_bend_of_force,        \
    .bend_of_nodes = bend_of_nodes, .bent = strand_bent, .keep = strand_keep, .carry = strand_carry, .mass = strand_mass,        \
    .move = strand_move, .difference = strand_difference, .place = strand_place, .speed = strand_speed, .slopes = strand_slopes, \
    .held = strand_held, .set_target = strand_set_target, .curvature = strand_curvature,                                         \
    .element_energy = strand_element_energy, .measure = strand_measure

const sp_rod_model_ops sp__rod_clothoid = {
    .name = "clothoid", .coordinates = clothoid_coordinates, .unknowns = clothoid_unknowns, SHARED};

const sp_rod_model_ops sp__rod_helix = {.name = "helix", .coordinates = helix_coordinates, .unknowns = helix_unknowns, SHARED};
