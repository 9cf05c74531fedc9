// Corotational beams (beam.h) as a rod model: each node has a position and an orientation (quaternion); the unknowns are velocity
// and angular velocity in world axes.
//
// The rotational inertia of the sections is lumped like their mass, about the tangent and across. Lumped beams often add a share
// of m l2 across. It is left out: it would only slow down high-frequency waves, and explicit steps would not become longer, since
// sections rotate as fast as an element stretches.
//
// Rest state: the natural rotations of an element's ends are those of the natural curve's frames relative to the chord. The rest
// length is the chord.
#include "linear/banded.h"
#include "math/rotation_vector.h"
#include "math/vec3.h"
#include "rod/beam.h"
#include "rod/model_chain.h"

enum { Q = 7, V = 6, BAND = 11, TWELVE = 12 };

typedef struct strand {
    sp_chain chain;
    sp_beam_element *element;
    double (*spin)[3];  // nodes: rotational inertia about t, n1, n2 [kg m2]
    bool motion;        // kinematics include velocities
} strand;

static strand *beam_strand_of(const sp_body *b, int part) {
    return sp__rod(b)->part[part].model;
}

static const sp_beam_node *beam_kinematics(const sp_body *b, int part) {
    return (const sp_beam_node *)sp__rod_kinematics_at(b, part);
}

// ------------------------------------------------------------------------------------------------ creation

static int beam_coordinates(int elements) {
    return Q * (elements + 1);
}

static int beam_unknowns(int elements) {
    return V * (elements + 1);
}

static void node_of_frame(const sp_curve_frame *f, sp_beam_node *n) {
    memcpy(n->x, f->r, sizeof n->x);
    sp__quat_of_matrix(f->R, n->quat);
}

// moves `at` to the end of an element with affine curvature
static void beam_cross(sp_curve_frame *at, const double *curvature, double length) {
    double lambda[6];
    sp__curve_affine(curvature, length, lambda);
    sp__curve_cross(at, 1, lambda, length, SP_CURVE_REACH_FINE, 1e-17);
}

static void beam_changed(sp_body *b, int part) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    strand *s = p->model;
    sp_curve_frame at = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    sp__chain_lump_masses(b, part);
    memset(s->spin, 0, ((size_t)p->elements + 1) * sizeof *s->spin);
    for (int e = 0; e < p->elements; e++) {
        const sp_rod_stiffness *k = sp__rod_stiffness(r, p->element + e);
        double length = r->length[p->element + e], share = k->bend[0] / (k->bend[0] + k->bend[1]);
        sp_beam_node ends[2];
        node_of_frame(&at, &ends[0]);
        beam_cross(&at, r->natural + 3 * (size_t)(p->node + e), length);
        node_of_frame(&at, &ends[1]);
        s->element[e] = (sp_beam_element){.stretch = k->stretch, .twist = k->twist, .bend = {k->bend[0], k->bend[1]}};
        sp__beam_rest(&s->element[e], &ends[0], &ends[1]);
        s->element[e].length = fmax(s->element[e].length, SP_CURVE_CHORD_LEAST * length);
        for (int end = 0; end < 2; end++) {
            double *spin = s->spin[e + end];
            spin[0] += 0.5 * length * k->spin;
            spin[1] += 0.5 * length * k->spin * share, spin[2] += 0.5 * length * k->spin * (1 - share);
        }
    }
    sp_rod_mass m;
    for (int i = 0; sp__rod_mass_next(b, part, &i, &m);)
        for (int end = 0; end < 2; end++)
            for (int k = 0; k < 3; k++) s->spin[m.element + end][k] += (end ? m.u : 1 - m.u) * m.inertia;
}

static sp_status beam_create(sp_body *b, int part) {
    const sp_rod_part *p = &sp__rod(b)->part[part];
    strand *s = p->model;
    SP_TRY(sp__chain_create(b, part, Q, V, true, "beam"));
    if (!SP_NEW(b->ctx, s->element, p->elements) || !SP_NEW(b->ctx, s->spin, (size_t)p->elements + 1)) return SP_NO_MEMORY;
    beam_changed(b, part);
    return SP_OK;
}

static void beam_destroy(sp_body *b, int part) {
    const strand *s = beam_strand_of(b, part);
    sp__free(b->ctx, s->element);
    sp__free(b->ctx, s->spin);
    sp__chain_destroy(b, part);
}

// Orientations are those of the curve. Chords have the directions of the curve and their rest lengths, so nothing is stretched.
// If the curvature is the natural one, all nodes lie on the curve.
static void beam_bend(sp_body *b, int part, const sp_curve_frame *root, const double *curvature, double *q) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    sp_beam_node *node = (sp_beam_node *)q;
    sp_curve_frame at = *root;
    node_of_frame(&at, &node[0]);
    for (int e = 0; e < p->elements; e++) {
        double from[3], chord[3], length = r->length[p->element + e], rest = beam_strand_of(b, part)->element[e].length;
        memcpy(from, at.r, sizeof from);
        beam_cross(&at, curvature + 3 * (size_t)e, length);
        sp__sub3(at.r, from, chord);
        double norm = sp__norm3(chord);
        node_of_frame(&at, &node[e + 1]);
        sp__axpy3(node[e].x, norm > SP_CURVE_CHORD_LEAST * length ? rest / norm : 1, chord, node[e + 1].x);
    }
}

// ------------------------------------------------------------------------------------------------ mechanics

static sp_status beam_update_kinematics(sp_body *b, int part, const double *q, const double *v, bool motion) {
    const sp_rod_part *p = &sp__rod(b)->part[part];
    double sum = 0;
    for (int i = 0; i < p->nq; i++) sum += q[i];
    for (int i = 0; motion && i < p->nv; i++) sum += v[i];
    beam_strand_of(b, part)->motion = motion;
    return isfinite(sum) ? SP_OK : SP_NOT_FINITE;
}

// out = R diag(spin) R^T w, or with the inverse of the diagonal matrix
static void rotate_inertia(const sp_beam_node *at, const double spin[3], const double *w, bool inverse, double out[3]) {
    double R[9], own[3];
    sp__quat_matrix(at->quat, R);
    sp__mul3t(R, w, own);
    for (int i = 0; i < 3; i++) own[i] = inverse ? own[i] / spin[i] : own[i] * spin[i];
    sp__mul3(R, own, out);
}

static double beam_force(sp_body *b, int part, double *f) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    const strand *s = p->model;
    const sp_beam_node *node = beam_kinematics(b, part);
    const double *v = r->kinematics_v + p->v;
    double potential = 0;
    for (int e = 0; e < p->elements; e++) potential += sp__beam_energy(&s->element[e], &node[e], &node[e + 1], f + V * e, NULL);
    for (int i = 0; s->motion && i <= p->elements; i++) {
        const double *w = v + V * i + 3;
        double momentum[3], gyration[3];
        rotate_inertia(&node[i], s->spin[i], w, false, momentum);
        sp__cross3(w, momentum, gyration);
        sp__axpy3(f + V * i + 3, -1, gyration, f + V * i + 3);
    }
    return sp__chain_add_weight(b, part, potential, f);
}

// adds the rotational inertia of a node, whose first rotational unknown is `first`
static void add_spin(const sp_beam_node *at, const double spin[3], int first, double *M) {
    double R[9];
    sp__quat_matrix(at->quat, R);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++)
            for (int k = 0; k < 3; k++) *sp__banded_at(M, BAND, first + i, first + j) += R[3 * i + k] * spin[k] * R[3 * j + k];
}

// adds the lower triangle of an element's matrix to the band of the strand
static void add_element_matrix(const double *own, int element, double *K) {
    for (int i = 0; i < TWELVE; i++)
        for (int j = 0; j <= i; j++) *sp__banded_at(K, BAND, V * element + i, V * element + j) += own[TWELVE * i + j];
}

static void beam_matrices(sp_body *b, int part, bool exact, double *M, double *K) {
    const sp_rod_part *p = &sp__rod(b)->part[part];
    const strand *s = p->model;
    const sp_beam_node *node = beam_kinematics(b, part);
    sp__chain_add_masses(b, part, M);
    for (int i = 0; i <= p->elements; i++) add_spin(&node[i], s->spin[i], V * i + 3, M);
    for (int e = 0; e < p->elements; e++) {
        double own[TWELVE * TWELVE] = {0};
        sp__beam_energy(&s->element[e], &node[e], &node[e + 1], NULL, own);
        sp__beam_stress(&s->element[e], &node[e], &node[e + 1], exact, own);
        add_element_matrix(own, e, K);
    }
}

static void beam_damping(sp_body *b, int part, double *K) {
    const sp_rod_part *p = &sp__rod(b)->part[part];
    const strand *s = p->model;
    const sp_beam_node *node = beam_kinematics(b, part);
    for (int e = 0; e < p->elements; e++) {
        sp_beam_element loose = s->element[e];
        double own[TWELVE * TWELVE] = {0};
        loose.stretch = 0;
        sp__beam_energy(&loose, &node[e], &node[e + 1], NULL, own);
        add_element_matrix(own, e, K);
    }
}

static void beam_bend_of_force(sp_body *b, int part, int element, double u, const double f[3], double *K) {
    const sp_beam_node *node = beam_kinematics(b, part) + element;
    double own[TWELVE * TWELVE] = {0};
    sp__beam_point_stress(&beam_strand_of(b, part)->element[element], node, node + 1, u, f, own);
    add_element_matrix(own, element, K);
}

static void beam_mass(sp_body *b, int part, const double *x, double *y, bool inverse) {
    const strand *s = beam_strand_of(b, part);
    const sp_beam_node *node = beam_kinematics(b, part);
    for (int i = 0; i <= sp__rod(b)->part[part].elements; i++) {
        double m = inverse ? 1 / s->chain.mass[i] : s->chain.mass[i];
        for (int k = 0; k < 3; k++) y[V * i + k] = m * x[V * i + k];
        rotate_inertia(&node[i], s->spin[i], x + V * i + 3, inverse, y + V * i + 3);
    }
}

static void beam_move(sp_body *b, int part, double load_factor, const double *from, double s, const double *v, double *to) {
    const sp_rod_part *p = &sp__rod(b)->part[part];
    (void)load_factor;
    if (s == 0) {
        memmove(to, from, (size_t)p->nq * sizeof *to);
        return;
    }
    for (int i = 0; i <= p->elements; i++) sp__beam_move((const sp_beam_node *)from + i, s, v + V * i, (sp_beam_node *)to + i);
}

static void beam_difference(sp_body *b, int part, const double *from, const double *to, double *d) {
    for (int i = 0; i <= sp__rod(b)->part[part].elements; i++) {
        const sp_beam_node *p = (const sp_beam_node *)from + i, *q = (const sp_beam_node *)to + i;
        sp__sub3(q->x, p->x, d + V * i);
        sp__rotvec_between(p->quat, q->quat, d + V * i + 3);
    }
}

// Composition of rotations: s x, then s a d, since rotation vectors do not add. Of the two vectors of this rotation, the one
// nearer to the sum.
static void beam_compose_step(sp_body *b, int part, double s, const double *x, double a, const double *d, double *out) {
    for (int i = 0; i <= sp__rod(b)->part[part].elements; i++) {
        const sp_beam_node none = {.quat = {1, 0, 0, 0}};
        double v[V], sum[V];
        sp_beam_node n;
        for (int k = 0; k < V; k++) sum[k] = x[V * i + k] + a * d[V * i + k];
        sp__beam_move(&none, s, x + V * i, &n);
        sp__beam_move(&n, s * a, d + V * i, &n);
        sp__rotvec_of_quat(n.quat, v + 3);
        double size = sp__norm3(v + 3), along = sp__dot3(v + 3, sum + 3) * s;
        double other = size > 0 && along < size * (size - SP_PI) ? 1 - 2 * SP_PI / size : 1;
        for (int k = 0; k < 3; k++) out[V * i + k] = sum[k], out[V * i + 3 + k] = other * v[3 + k] / s;
    }
}

// ------------------------------------------------------------------------------------------------ points

static void beam_place(sp_body *b, int part, int element, double u, sp_curve_frame *out) {
    const sp_beam_node *node = beam_kinematics(b, part) + element;
    sp__beam_point(&beam_strand_of(b, part)->element[element], node, node + 1, u, out->r, NULL);
    sp__beam_frame(node, node + 1, u, out->R, NULL);
}

static int beam_slopes(sp_body *b, int part, int element, double u, int *unknown, double *columns) {
    const sp_beam_node *node = beam_kinematics(b, part) + element;
    double x[3], R[9], J[3 * TWELVE], W[3 * TWELVE];
    sp__beam_point(&beam_strand_of(b, part)->element[element], node, node + 1, u, x, J);
    sp__beam_frame(node, node + 1, u, R, W);
    for (int k = 0; k < TWELVE; k++) {
        unknown[k] = V * element + k;
        for (int i = 0; i < 3; i++) columns[6 * k + i] = J[TWELVE * i + k], columns[6 * k + 3 + i] = W[TWELVE * i + k];
    }
    return TWELVE;
}

static void beam_speed(sp_body *b, int part, int element, double u, const double *v, double out[6]) {
    int unknown[TWELVE];
    double columns[6 * TWELVE];
    int n = beam_slopes(b, part, element, u, unknown, columns);
    for (int i = 0; i < 6; i++) {
        out[i] = 0;
        for (int k = 0; k < n; k++) out[i] += columns[6 * k + i] * v[unknown[k]];
    }
}

// ------------------------------------------------------------------------------------------------ held nodes

static int beam_held(sp_body *b, int part, int node, unsigned axes, int *unknown) {
    (void)b, (void)part;
    return sp__rod_held(V * node, axes, true, unknown);
}

static void beam_set_target(sp_body *b, int part, int node, const double *hold, const double where[3], const double R[9],
                            double *target) {
    (void)b, (void)part;
    double turn[4];
    const sp_beam_node *from = (const sp_beam_node *)hold + node;
    sp_beam_node *to = (sp_beam_node *)target + node;
    sp__quat_of_matrix(R, turn);
    memcpy(to->x, where, sizeof to->x);
    sp__quat_mul(turn, from->quat, to->quat);
}

// a node takes position, orientation and motion of the point at its new arc length
static void beam_slide(sp_body *b, int part, int first, int last, const double *from, const double *to, double *q, double *v) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    for (int i = first; i <= last; i++) {
        sp_curve_frame at;
        double u;
        int e = sp__chain_find(p->elements, from, to[i], i, &u);
        beam_place(b, part, e, u, &at);
        node_of_frame(&at, (sp_beam_node *)q + i);
        beam_speed(b, part, e, u, r->kinematics_v + p->v, v + (size_t)V * (size_t)i);
    }
}

// ------------------------------------------------------------------------------------------------ queries

// Natural curvature plus moments at the nodes over stiffness, the mean of both elements. Twist is constant in each element and is
// extrapolated to the ends from the two nearest elements.
static void beam_curvature(sp_body *b, int part, double *out) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    const strand *s = p->model;
    const sp_beam_node *node = beam_kinematics(b, part);
    int last = p->elements;
    memset(out, 0, 3 * ((size_t)last + 1) * sizeof *out);
    for (int e = 0; e < last; e++) {
        double apart[2][3];
        sp__beam_bend(&s->element[e], &node[e], &node[e + 1], apart);
        for (int end = 0; end < 2; end++) {
            double share = e + end == 0 || e + end == last ? 1 : 0.5;
            for (int k = 0; k < 3; k++) out[3 * (e + end) + k] += share * apart[end][k];
        }
    }
    if (last > 1) out[0] = 2 * out[0] - out[3], out[3 * last] = 2 * out[3 * last] - out[3 * last - 3];
    for (int i = 0; i < 3 * (last + 1); i++) out[i] += r->natural[3 * p->node + i];
}

static double beam_element_energy(sp_body *b, int part, int element) {
    const sp_beam_node *node = beam_kinematics(b, part) + element;
    return sp__beam_energy(&beam_strand_of(b, part)->element[element], node, node + 1, NULL, NULL);
}

static void beam_measure(sp_body *b, int part, const double *v, sp_measure *out) {
    const strand *s = beam_strand_of(b, part);
    const sp_beam_node *node = beam_kinematics(b, part);
    for (int i = 0; i <= sp__rod(b)->part[part].elements; i++) {
        const double *u = v + V * i, *w = u + 3;
        double m = s->chain.mass[i], momentum[3];
        rotate_inertia(&node[i], s->spin[i], w, false, momentum);
        sp__rod_measure_mass(out, m, node[i].x, u);
        out->kinetic += 0.5 * (m * sp__dot3(u, u) + sp__dot3(w, momentum));
        sp__axpy3(out->angular, 1, momentum, out->angular);
    }
}

const sp_rod_model_ops sp__rod_beam = {
    .name = "beam",
    .size = sizeof(strand),
    .coordinates = beam_coordinates,
    .unknowns = beam_unknowns,
    .band = BAND,
    .accepted_gap = 1e-5,  // the error of stiff stretching damps the motion
    .create = beam_create,
    .destroy = beam_destroy,
    .changed = beam_changed,
    .bend = beam_bend,
    .update_kinematics = beam_update_kinematics,
    .force = beam_force,
    .matrices = beam_matrices,
    .damping = beam_damping,
    .bend_of_force = beam_bend_of_force,
    .mass = beam_mass,
    .move = beam_move,
    .difference = beam_difference,
    .compose_step = beam_compose_step,
    .place = beam_place,
    .speed = beam_speed,
    .slopes = beam_slopes,
    .held = beam_held,
    .set_target = beam_set_target,
    .slide = beam_slide,
    .curvature = beam_curvature,
    .element_energy = beam_element_energy,
    .measure = beam_measure,
};
