// Discrete elastic rods (der.h) as a rod model. Each edge has the rotational inertia about its tangent.
//
// A clamped root fixes only its position as an unknown. The clamp's frame, which is part of the coordinates, and half a cell fix
// the direction. This frame follows its target while the root is clamped, and the first edge otherwise, so that it is correct
// when the root is clamped again. With `edge_clamp`, a root is clamped like other nodes, by fixing an edge.
#include "linear/banded.h"
#include "math/rotation_vector.h"
#include "math/vec3.h"
#include "rod/der.h"
#include "rod/model_chain.h"

typedef struct strand {
    sp_chain chain;
    sp_der d;
    sp_der_edge *edge;
    double *spin;  // edges: rotational inertia about the tangent [kg m2]
} strand;

static strand *der_strand_of(const sp_body *b, int part) {
    return sp__rod(b)->part[part].model;
}

// The root is clamped with its frame, by half a cell. A fed rod is clamped at its entry point, where the edge before is held.
static bool der_clamped(const sp_body *b, int part) {
    const unsigned char *fixed = b->fixed + sp__rod(b)->part[part].v;
    return !sp__rod(b)->edge_clamp && sp__rod(b)->part[part].entry == 0 && fixed[0] && fixed[1] && fixed[2];
}

// ------------------------------------------------------------------------------------------------ creation

static void der_changed(sp_body *b, int part) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    strand *s = p->model;
    sp__chain_lump_masses(b, part);
    for (int e = 0; e < p->elements; e++) {
        const sp_rod_stiffness *k = sp__rod_stiffness(r, p->element + e);
        double length = r->length[p->element + e];
        s->edge[e] = (sp_der_edge){.length = length, .stretch = k->stretch, .bend = {k->bend[0], k->bend[1]}, .twist = k->twist};
        s->spin[e] = k->spin * length;
    }
    sp_rod_mass m;
    for (int at = 0; sp__rod_mass_next(b, part, &at, &m);) s->spin[m.element] += m.inertia;
    s->d.clamp = p->entry;
    sp__der_rest(&s->d, s->edge, r->natural + 3 * (size_t)p->node);
}

static sp_status der_create(sp_body *b, int part) {
    const sp_rod_part *p = &sp__rod(b)->part[part];
    strand *s = p->model;
    SP_TRY(sp__chain_create(b, part, sp__der_place(1), sp__der_place(1), false, "discrete rod"));
    SP_TRY(sp__der_init(b->ctx, p->elements, &s->d));
    if (!SP_NEW(b->ctx, s->edge, p->elements) || !SP_NEW(b->ctx, s->spin, p->elements)) return SP_NO_MEMORY;
    der_changed(b, part);
    return SP_OK;
}

static void der_destroy(sp_body *b, int part) {
    strand *s = der_strand_of(b, part);
    if (s->d.ctx) sp__der_free(&s->d);
    sp__free(b->ctx, s->edge);
    sp__free(b->ctx, s->spin);
    sp__chain_destroy(b, part);
}

static void der_bend(sp_body *b, int part, const sp_curve_frame *root, const double *curvature, double *q) {
    const strand *s = der_strand_of(b, part);
    sp__der_bend(&s->d, s->edge, root, curvature, q);
}

// ------------------------------------------------------------------------------------------------ mechanics

static sp_status der_update_kinematics(sp_body *b, int part, const double *q, const double *v, bool motion) {
    (void)v, (void)motion;
    return sp__der_update_kinematics(&der_strand_of(b, part)->d, q) ? SP_OK : SP_NOT_FINITE;
}

static double der_force(sp_body *b, int part, double *f) {
    int nv = sp__rod(b)->part[part].nv;
    for (int i = 0; i < nv; i++) f[i] = -f[i];
    double potential = sp__der_energy(&der_strand_of(b, part)->d, der_clamped(b, part), true, f, NULL);
    for (int i = 0; i < nv; i++) f[i] = -f[i];
    return sp__chain_add_weight(b, part, potential, f);
}

// Unless `exact`, K is positive semi-definite. A single linearisation with the full K diverges as soon as edges are compressed
// beyond buckling (a strand of 0.1 mm at steps of 10 ms), and is not more accurate otherwise.
static void der_matrices(sp_body *b, int part, bool exact, double *M, double *K) {
    const strand *s = der_strand_of(b, part);
    sp__chain_add_masses(b, part, M);
    for (int e = 0; e < s->d.edges; e++) *sp__banded_at(M, SP_DER_BAND, sp__der_angle(e), sp__der_angle(e)) += s->spin[e];
    sp__der_energy(&s->d, der_clamped(b, part), exact, NULL, K);
}

static void der_damping(sp_body *b, int part, double *K) {
    sp__der_bending(&der_strand_of(b, part)->d, der_clamped(b, part), K);
}

static void der_mass(sp_body *b, int part, const double *x, double *y, bool inverse) {
    const strand *s = der_strand_of(b, part);
    for (int i = 0; i < sp__rod(b)->part[part].nv; i++) {
        double m = i % 4 < 3 ? s->chain.mass[i / 4] : s->spin[i / 4];
        y[i] = inverse ? x[i] / m : x[i] * m;
    }
}

// ------------------------------------------------------------------------------------------------ motion

// a share of the rotation from one orientation to another
static void rotated_part(const double from[9], const double to[9], double share, double out[9]) {
    double back[9], difference[9], t[3], turn[9];
    for (int i = 0; i < 9; i++) back[i] = from[3 * (i % 3) + i / 3];
    sp__mul33(to, back, difference);
    sp__rotvec_of_matrix(difference, t);
    for (int i = 0; i < 3; i++) t[i] *= share;
    sp__rotvec_matrix(t, turn);
    sp__mul33(turn, from, out);
}

// Moves the clamp's frame to its target, in statics by load steps. If the root is not clamped, the frame follows the first edge
// without strain.
static void move_clamp(sp_body *b, int part, double load_factor, const double *from, double *to) {
    const sp_rod_part *p = &sp__rod(b)->part[part];
    const strand *s = p->model;
    double clamp[9], edge[9];
    const double *target = b->target + p->q + sp__der_clamp(p->elements);
    if (der_clamped(b, part) && load_factor < 1) {
        rotated_part(from, target, load_factor, clamp);
        sp__der_rotate_clamp(p->elements, clamp, to);
    } else if (der_clamped(b, part)) {
        sp__der_rotate_clamp(p->elements, target, to);
    } else {
        sp__der_edge_frame(p->elements, to, 0, edge);
        sp__mul33(edge, s->d.root, to + sp__der_clamp(p->elements));
        to[sp__der_reference_twist(p->elements, 0)] = s->d.natural[2] - to[sp__der_angle(0)];
    }
}

static void der_move(sp_body *b, int part, double load_factor, const double *from, double s, const double *v, double *to) {
    const sp_rod_part *p = &sp__rod(b)->part[part];
    double clamp[9];
    memcpy(clamp, from + sp__der_clamp(p->elements), sizeof clamp);
    sp__der_move(p->elements, from, s, v, to);
    if (s != 0) move_clamp(b, part, load_factor, clamp, to);
}

static void der_difference(sp_body *b, int part, const double *from, const double *to, double *d) {
    for (int i = 0; i < sp__rod(b)->part[part].nv; i++) d[i] = to[i] - from[i];
}

// interpolates the rotation of the clamp too
static void der_interpolate(sp_body *b, int part, const double *from, const double *to, double share, double *out) {
    const sp_rod_part *p = &sp__rod(b)->part[part];
    int clamp = sp__der_clamp(p->elements);
    memcpy(out, to, (size_t)p->nq * sizeof *out);
    for (int i = 0; i < p->nv; i++) out[i] = from[i] + share * (to[i] - from[i]);
    rotated_part(from + clamp, to + clamp, share, out + clamp);
}

static void tangent_at(const double *q, double s, const double *x, double a, const double *d, int edge, double t[3]) {
    int i = sp__der_place(edge), j = sp__der_place(edge + 1);
    for (int k = 0; k < 3; k++) {
        double apart = x[j + k] - x[i + k] + a * (d[j + k] - d[i + k]);
        t[k] = q[j + k] - q[i + k] + s * apart;
    }
    double norm = sp__norm3(t);
    for (int k = 0; k < 3; k++) t[k] /= norm;
}

// Frames transported via x arrive rotated relative to frames transported directly, by the area enclosed by the tangent
// (holonomy). The angles compensate for this, so that the step ends where the forces at x predict.
static void der_compose_step(sp_body *b, int part, double s, const double *x, double a, const double *d, double *out) {
    const sp_rod_part *p = &sp__rod(b)->part[part];
    const double *q = b->q[SP_COMMITTED] + p->q;
    for (int e = 0; e < p->elements; e++) {
        const double *director = q + sp__der_director(p->elements, e);
        double was[3], t[3], next[3], once[3], by[3], side[3];
        int i = sp__der_angle(e);
        tangent_at(q, 0, x, 0, d, e, was), tangent_at(q, s, x, 0, d, e, t), tangent_at(q, s, x, a, d, e, next);
        sp__transport3(director, was, next, once);
        sp__transport3(director, was, t, by);
        sp__transport3(by, t, next, by);
        sp__cross3(once, by, side);
        out[i] = x[i] + a * d[i] + atan2(sp__dot3(side, next), sp__dot3(once, by)) / s;
    }
    for (int i = 0; i < p->nv; i++)
        if (i % 4 < 3) out[i] = x[i] + a * d[i];  // positions: last, since the tangents above need the old ones
}

// ------------------------------------------------------------------------------------------------ points

static void der_place(sp_body *b, int part, int element, double u, sp_curve_frame *out) {
    const double *x = sp__rod_kinematics_at(b, part) + sp__der_place(element), *y = x + 4;
    for (int i = 0; i < 3; i++) out->r[i] = (1 - u) * x[i] + u * y[i];
    sp__der_material(&der_strand_of(b, part)->d, element, out->R);
}

// frames are transported without spin about the tangent: w = t x t' + theta' t
static void der_speed(sp_body *b, int part, int element, double u, const double *v, double out[6]) {
    const sp_der_node *n = &der_strand_of(b, part)->d.node[element];
    const double *x = v + sp__der_place(element), *y = x + 4;
    double apart[3], turn[3];
    sp__sub3(y, x, apart);
    sp__cross3(n->tf, apart, turn);
    for (int i = 0; i < 3; i++) {
        out[i] = (1 - u) * x[i] + u * y[i];
        out[3 + i] = turn[i] / n->f + v[sp__der_angle(element)] * n->tf[i];
    }
}

static int der_slopes(sp_body *b, int part, int element, double u, int *unknown, double *columns) {
    const sp_der_node *n = &der_strand_of(b, part)->d.node[element];
    memset(columns, 0, 42 * sizeof *columns);
    for (int k = 0; k < 7; k++) {
        double *c = columns + 6 * (size_t)k, axis[3] = {k % 4 == 0, k % 4 == 1, k % 4 == 2}, turn[3];
        unknown[k] = sp__der_place(element) + k;
        if (k == 3) {
            memcpy(c + 3, n->tf, sizeof n->tf);
            continue;
        }
        c[k % 4] = k < 3 ? 1 - u : u;
        sp__cross3(n->tf, axis, turn);
        for (int i = 0; i < 3; i++) c[3 + i] = (k < 3 ? -1 : 1) * turn[i] / n->f;
    }
    return 7;
}

// ------------------------------------------------------------------------------------------------ held nodes

static int held_edge(int edges, int node) {
    return node < edges ? node : edges - 1;
}

static int der_held(sp_body *b, int part, int node, unsigned axes, int *unknown) {
    const sp_rod *r = sp__rod(b);
    int edge = held_edge(r->part[part].elements, node);
    if ((axes & SP_AXES_ALL) != SP_AXES_ALL || (node == 0 && !r->edge_clamp))
        return sp__rod_held(sp__der_place(node), axes, false, unknown);
    for (int k = 0; k < 7; k++) unknown[k] = sp__der_place(edge) + k;
    return 7;
}

static void set_edge_target(sp_body *b, int part, int node, const double *hold, const double R[9], double *target) {
    const sp_rod_part *p = &sp__rod(b)->part[part];
    int edge = held_edge(p->elements, node), other = node < p->elements ? node + 1 : node - 1;
    double arm[3], turned[3], frame[9], now[9];
    sp__sub3(hold + sp__der_place(other), hold + sp__der_place(node), arm);
    sp__mul3(R, arm, turned);
    sp__axpy3(target + sp__der_place(node), 1, turned, target + sp__der_place(other));
    sp__der_edge_frame(p->elements, hold, edge, frame);
    sp__mul33(R, frame, now);
    // the angle is relative to the committed reference frame, transported to the target
    const double *q = b->q[SP_COMMITTED] + p->q, *director = q + sp__der_director(p->elements, edge);
    double was[3], t[3] = {now[0], now[3], now[6]}, axis[3] = {now[1], now[4], now[7]};
    sp__der_tangent(q + sp__der_place(edge), q + sp__der_place(edge + 1), was);
    target[sp__der_angle(edge)] = sp__der_twist(was, director, t, axis, q[sp__der_angle(edge)]);
}

static void der_set_target(sp_body *b, int part, int node, const double *hold, const double where[3], const double R[9],
                           double *target) {
    const sp_rod_part *p = &sp__rod(b)->part[part];
    int clamp = sp__der_clamp(p->elements);
    memcpy(target + sp__der_place(node), where, 3 * sizeof *target);
    if (node == 0) sp__mul33(R, hold + clamp, target + clamp);
    // a node that is held without its frame does not prescribe the next node
    if (b->fixed[p->v + sp__der_angle(held_edge(p->elements, node))]) set_edge_target(b, part, node, hold, R, target);
}

// ------------------------------------------------------------------------------------------------ nodes that slide

// A smooth curve through the nodes of a fed rod, of positions or velocities x: cubic in each edge, with the slopes of parabolas
// through three nodes. The slope at the entry is that of the edge before it, which is held straight; at the tip there is no
// bending. Points of the polyline itself would have all of the bending at its nodes.
typedef struct smooth {
    const double *x, *s;  // nodes: x at sp__der_place, arc lengths
    int edges, entry;
} smooth;

static void der_slope(const smooth *c, int edge, double out[3]) {
    sp__sub3(c->x + sp__der_place(edge + 1), c->x + sp__der_place(edge), out);
    for (int k = 0; k < 3; k++) out[k] /= c->s[edge + 1] - c->s[edge];
}

static void der_node_slope(const smooth *c, int node, double out[3]) {
    double before[3], after[3];
    if (node == 0 || node == c->edges) {
        int inner = node == 0 ? 1 : node - 1;
        der_slope(c, node == 0 ? 0 : node - 1, after);
        if (c->edges > 1) der_node_slope(c, inner, before);
        for (int k = 0; k < 3; k++) out[k] = c->edges > 1 ? 1.5 * after[k] - 0.5 * before[k] : after[k];
        return;
    }
    double a = c->s[node] - c->s[node - 1], b = c->s[node + 1] - c->s[node], share = node == c->entry ? 0 : a / (a + b);
    der_slope(c, node - 1, before), der_slope(c, node, after);
    for (int k = 0; k < 3; k++) out[k] = before[k] + share * (after[k] - before[k]);
}

static void der_smooth_at(const smooth *c, int edge, double u, double out[3]) {
    const double *x = c->x + sp__der_place(edge), *y = x + 4, length = c->s[edge + 1] - c->s[edge];
    double p[3], q[3], w = 1 - u;
    der_node_slope(c, edge, p), der_node_slope(c, edge + 1, q);
    for (int k = 0; k < 3; k++)
        out[k] = w * w * (1 + 2 * u) * x[k] + u * u * (3 - 2 * u) * y[k] + length * u * w * (w * p[k] - u * q[k]);
}

// Material frame and rate of the angle at an arc length: those of edges hold at their middles, those of the last held edge up to
// the entry.
static void der_frame_at(sp_body *b, int part, const double *s, double at, int near, double R[9], double *rate) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    const sp_der *d = &der_strand_of(b, part)->d;
    const double *v = r->kinematics_v + p->v;
    double u, from[9], to[9];
    int e = sp__chain_find(p->elements, s, at, near, &u), a = u < 0.5 && e > 0 ? e - 1 : e, c = a + 1 < p->elements ? a + 1 : a;
    if (at <= s[p->entry]) c = a = e < p->entry ? e : p->entry - 1;
    double start = a == p->entry - 1 ? s[p->entry] : 0.5 * (s[a] + s[a + 1]), end = 0.5 * (s[c] + s[c + 1]);
    double share = c > a ? fmin(fmax((at - start) / (end - start), 0), 1) : 0;
    sp__der_material(d, a, from), sp__der_material(d, c, to);
    rotated_part(from, to, share, R);
    *rate = v[sp__der_angle(a)] + share * (v[sp__der_angle(c)] - v[sp__der_angle(a)]);
}

// the director of an edge that gives it the material frame R, transported to its tangent; its angle stays
static void der_turn_edge(int edges, int edge, const double R[9], double *q) {
    double t[3], was[3] = {R[0], R[3], R[6]}, m1[3] = {R[1], R[4], R[7]}, m2[3], angle = q[sp__der_angle(edge)];
    double *director = q + sp__der_director(edges, edge);
    sp__der_tangent(q + sp__der_place(edge), q + sp__der_place(edge + 1), t);
    sp__transport3(m1, was, t, m1);
    sp__cross3(t, m1, m2);
    for (int k = 0; k < 3; k++) director[k] = cos(angle) * m1[k] - sin(angle) * m2[k];
}

// the reference twist between an edge and the one before it, for which their twist is less than half a turn
static void der_reset_twist(int edges, int edge, double *q) {
    double t[2][3], twist = q[sp__der_angle(edge)] - q[sp__der_angle(edge - 1)];
    for (int k = 0; k < 2; k++) sp__der_tangent(q + sp__der_place(edge - 1 + k), q + sp__der_place(edge + k), t[k]);
    q[sp__der_reference_twist(edges, edge)] =
        sp__der_twist(t[0], q + sp__der_director(edges, edge - 1), t[1], q + sp__der_director(edges, edge), -twist);
}

static void der_slide(sp_body *b, int part, int first, int last, const double *from, const double *to, double *q, double *v) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    const smooth places = {sp__rod_kinematics_at(b, part), from, p->elements, p->entry};
    const smooth speeds = {r->kinematics_v + p->v, from, p->elements, p->entry};
    for (int i = first; i <= last; i++) {
        double u;
        int e = sp__chain_find(p->elements, from, to[i], i, &u);
        der_smooth_at(&places, e, u, q + sp__der_place(i));
        der_smooth_at(&speeds, e, u, v + sp__der_place(i));
    }
    int next = last < p->elements ? last : p->elements - 1;
    for (int e = first > 0 ? first - 1 : 0; e <= next; e++) {
        double R[9];
        der_frame_at(b, part, from, 0.5 * (to[e] + to[e + 1]), e, R, &v[sp__der_angle(e)]);
        der_turn_edge(p->elements, e, R, q);
    }
    for (int e = first > 1 ? first - 1 : 1; e <= next + 1 && e < p->elements; e++) der_reset_twist(p->elements, e, q);
}

// ------------------------------------------------------------------------------------------------ queries

// Natural curvature plus moments at the nodes over stiffness: strain over length. At ends without a bending node, extrapolated
// from the two nearest nodes.
static void der_curvature(sp_body *b, int part, double *out) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    const strand *s = p->model;
    int first = der_clamped(b, part) ? 0 : 1, last = p->elements - 1;
    static const int axis[3] = {2, 1, 0};  // K1, K2, m: about n2, against n1, twist
    memset(out, 0, 3 * ((size_t)p->elements + 1) * sizeof *out);
    for (int i = first; i <= last; i++)
        for (int k = 0; k < 3; k++) {
            const sp_der_edge *e = &s->edge[i];
            double length = 0.5 * (e->length + (i > 0 && i != p->entry ? e[-1].length : 0));
            double apart = s->d.node[i].strain[k] - s->d.natural[3 * i + k];
            out[3 * i + axis[k]] = (k == 1 ? -1 : 1) * apart / length;
        }
    for (int k = 0; k < 3; k++) {
        int from = 3 * last + k, next = last - 1 >= first ? from - 3 : from;
        if (last >= first) out[from + 3] = 2 * out[from] - out[next];
        from = 3 * first + k, next = first + 1 <= last ? from + 3 : from;
        if (first == 1 && last >= first) out[k] = 2 * out[from] - out[next];
    }
    for (int i = 0; i < 3 * (p->elements + 1); i++) out[i] += r->natural[3 * p->node + i];
}

static double der_element_energy(sp_body *b, int part, int element) {
    return sp__der_edge_energy(&der_strand_of(b, part)->d, der_clamped(b, part), element);
}

static void der_measure(sp_body *b, int part, const double *v, sp_measure *out) {
    const strand *s = der_strand_of(b, part);
    const double *q = sp__rod_kinematics_at(b, part);
    for (int i = 0; i <= s->d.edges; i++) {
        const double *x = q + sp__der_place(i), *u = v + sp__der_place(i);
        double m = s->chain.mass[i];
        sp__rod_measure_mass(out, m, x, u);
        out->kinetic += 0.5 * m * sp__dot3(u, u);
    }
    for (int e = 0; e < s->d.edges; e++) {
        double J = s->spin[e], w = v[sp__der_angle(e)];
        out->kinetic += 0.5 * J * w * w;
        sp__axpy3(out->angular, J * w, s->d.node[e].tf, out->angular);
    }
}

const sp_rod_model_ops sp__rod_der = {
    .name = "der",
    .size = sizeof(strand),
    .coordinates = sp__der_coordinates,
    .unknowns = sp__der_unknowns,
    .band = SP_DER_BAND,
    .clamp = sp__der_clamp,
    .accepted_gap = 1e-5,  // the error of stiff stretching damps the motion
    .create = der_create,
    .destroy = der_destroy,
    .changed = der_changed,
    .bend = der_bend,
    .update_kinematics = der_update_kinematics,
    .force = der_force,
    .matrices = der_matrices,
    .damping = der_damping,
    .mass = der_mass,
    .move = der_move,
    .difference = der_difference,
    .compose_step = der_compose_step,
    .interpolate = der_interpolate,
    .place = der_place,
    .speed = der_speed,
    .slopes = der_slopes,
    .held = der_held,
    .set_target = der_set_target,
    .slide = der_slide,
    .curvature = der_curvature,
    .element_energy = der_element_energy,
    .measure = der_measure,
};
