// Geometric stiffness of a strand under constant forces: the second derivative of their work with respect to the unknowns.
//
// Control c rotates the part beyond v by a_c(v) = R(v) weight_c(v) e_k per length, so it rotates the frame at v by
// theta_c(v) = int_0^v a_c. Let P(v) be the force ahead of v and B(v) = int_v^L (r(s) - r(v)) p(s)^T ds, so that B' = -t P^T.
// With D_d a_c = theta_d x a_c and D_c r' = theta_c x t, the second derivative of int p . r is
//     int (theta_d x a_c) . N + P . (theta_c x (theta_d x t)) dv,   N = the torque ahead: [N]x = B^T - B.
// The second product is -theta_d^T W'^T theta_c with W = B - tr(B) I; by parts, with W(L) = 0 and theta(0) = 0,
//     H = T + T^T,   T_cd = int (W a_c) . theta_d dv.
// Rotations of the root have theta = e_i everywhere and a = 0; the boundary term is their own block, sym(B(0)) - tr(B(0)) I. A
// single force, or the weight, gives B = b f^T: W a = b (f . a) - (b . f) a.
#include "math/vec3.h"
#include "rod/strand_internal.h"

// Gauss-Legendre with 16 points: exact to rounding for three factors that rotate by less than 1.8 turns per segment
enum { POINTS = 16 };
static const double gauss_x[8] = {0.0950125098376374402, 0.281603550779258913, 0.458016777657227386, 0.617876244402643748,
                                  0.755404408355003034,  0.865631202387831744, 0.944575023073232576, 0.989400934991649933};
static const double gauss_w[8] = {0.189450610455068496, 0.182603415044923589,  0.169156519395002538,  0.149595988816576732,
                                  0.124628971255533872, 0.0951585116824927848, 0.0622535239386478929, 0.0271524594117540949};

// Accumulated load during the pass from the tip to the root: the part beyond the current segment.
typedef struct load {
    const sp_strand *s;
    double f[3];    // force, or acceleration if `heavy`
    bool heavy;     // the load is the weight of the strand
    double mass;    // mass beyond the segment; 1 for a force
    double arm[3];  // integral of position times mass beyond, about the end of the segment
    double tip[3];  // the end of the segment
    double end;     // relative position up to which the segment is loaded
    double all[3];  // integral of positions in the segment, relative to its start
} load;

static void integral_of_place(const sp_strand *s, const sp_strand_segment *g, double u, double out[3]) {
    double sum[3] = {0, 0, 0};
    for (int n = g->rows - 1; n >= 0; n--) {
        const double *X = s->pool + g->at + sp__strand_row(s) * (size_t)n + SP_STRAND_X + SP_STRAND_PLACE;
        for (int i = 0; i < 3; i++) sum[i] = sum[i] * u + X[i] / (n + 1);
    }
    for (int i = 0; i < 3; i++) out[i] = u * sum[i];
}

// b at a relative position in the segment
static void arm_at(const load *l, const sp_strand_segment *g, double u, const double r[3], double b[3]) {
    for (int i = 0; i < 3; i++) b[i] = l->arm[i] + l->mass * (l->tip[i] - r[i]);
    if (!l->heavy) return;
    double part[3], mass = l->s->element[g->element].line_density * g->length;
    integral_of_place(l->s, g, u, part);
    for (int i = 0; i < 3; i++) b[i] += mass * (l->all[i] - part[i] - (l->end - u) * (r[i] - g->begin[i]));
}

typedef struct sums {
    double Z[SP_STRAND_COLUMNS][3];                  // W a_c
    double T[SP_STRAND_COLUMNS][SP_STRAND_COLUMNS];  // (W a_c) . theta_d
} sums;

static void strand_add_point(const load *l, const sp_strand_segment *g, double u, double w, sums *z) {
    const sp_strand *s = l->s;
    double R[9], r[3], turn[2][9], b[3];
    sp__strand_frame_at(s, g, u, R, r);
    sp__strand_rotation_derivatives(s, g, u, turn);
    arm_at(l, g, u, r, b);
    double bf = sp__dot3(b, l->f);
    for (int c = 0; c < s->own; c++) {
        int j = c / 3, k = c % 3;
        double weight = w * (g->weight[j][0] + g->weight[j][1] * u), a[3] = {R[k], R[3 + k], R[6 + k]}, Wa[3];
        double fa = sp__dot3(l->f, a);
        for (int i = 0; i < 3; i++) Wa[i] = weight * (b[i] * fa - bf * a[i]), z->Z[c][i] += Wa[i];
        for (int d = 0; d < s->own; d++) {
            const double *t = turn[d / 3] + d % 3;
            z->T[c][d] += Wa[0] * t[0] + Wa[1] * t[3] + Wa[2] * t[6];
        }
    }
}

// adds the block of the element's controls, and the block with all unknowns before them, which rotate the element rigidly
static void add_sums(const sp_strand *s, const sp_strand_segment *g, const sums *z, double c, double *H, size_t stride) {
    size_t behind = 6 + 3 * (size_t)g->element;
    for (int i = 0; i < s->own; i++) {
        double *row = H + (behind + (size_t)i) * stride;
        for (size_t d = 3; d < behind; d++) row[d] += c * sp__dot3(z->Z[i], s->rigid + 6 * d + 3);
        for (int d = 0; d <= i; d++) row[behind + (size_t)d] += c * (z->T[i][d] + z->T[d][i]);
    }
}

static void add_segment(const load *l, const sp_strand_segment *g, double c, double *H, size_t stride) {
    const sp_strand *s = l->s;
    sums z = {{{0}}, {{0}}};
    for (int k = 0; k < POINTS; k++) {
        double x = k < 8 ? -gauss_x[7 - k] : gauss_x[k - 8], w = gauss_w[k < 8 ? 7 - k : k - 8];
        strand_add_point(l, g, 0.5 * l->end * (1 + x), 0.5 * l->end * g->length * w, &z);
    }
    add_sums(s, g, &z, c, H, stride);
}

// over the segments between the root and the load, which is at `end` of the last one
static void bend_backward_pass(load *l, int last, double end, double c, double *H, size_t stride) {
    const sp_strand *s = l->s;
    for (int k = last; k >= 0; k--) {
        const sp_strand_segment *g = &s->segment[k];
        double R[9], b[3];
        l->end = k == last ? end : 1;
        sp__strand_frame_at(s, g, l->end, R, l->tip);
        integral_of_place(s, g, l->end, l->all);
        add_segment(l, g, c, H, stride);
        arm_at(l, g, 0, g->begin, b);
        memcpy(l->arm, b, sizeof b);
        if (l->heavy) l->mass += s->element[g->element].line_density * g->length;
    }
    double bf = sp__dot3(l->arm, l->f);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j <= i; j++)
            H[(3 + i) * stride + 3 + j] += c * (0.5 * (l->arm[i] * l->f[j] + l->arm[j] * l->f[i]) - (i == j ? bf : 0));
}

void sp__strand_bend_of_weight(const sp_strand *s, const double g[3], double c, double *H, int stride) {
    load l = {.s = s, .f = {g[0], g[1], g[2]}, .heavy = true};
    bend_backward_pass(&l, s->segment_count - 1, 1, c, H, (size_t)stride);
}

void sp__strand_bend_of_force(const sp_strand *s, int element, double at, const double f[3], double c, double *H, int stride) {
    load l = {.s = s, .f = {f[0], f[1], f[2]}, .mass = 1};
    double end;
    const sp_strand_segment *g = sp__strand_open(s, element, at, &end);
    bend_backward_pass(&l, (int)(g - s->segment), end, c, H, (size_t)stride);
}

// ------------------------------------------------------------------------------------------------ forces at all nodes

// The same pass for forces of different directions at the nodes: between two nodes P is constant and B(v) = B(end) + (r(end) -
// r(v)) P^T is a full matrix.
typedef struct node_load {
    const sp_strand *s;
    double P[3], B[9];  // beyond the end of the current segment, B about that end
    double tip[3];      // the end of the segment
} node_load;

static void node_load_at(const node_load *l, const double r[3], double W[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) W[3 * i + j] = l->B[3 * i + j] + (l->tip[i] - r[i]) * l->P[j];
}

static void add_node_point(const node_load *l, const sp_strand_segment *g, double u, double w, sums *z) {
    const sp_strand *s = l->s;
    double R[9], r[3], turn[2][9], W[9], axis[3][3];
    sp__strand_frame_at(s, g, u, R, r);
    sp__strand_rotation_derivatives(s, g, u, turn);
    node_load_at(l, r, W);
    double trace = W[0] + W[4] + W[8];
    W[0] -= trace, W[4] -= trace, W[8] -= trace;
    for (int k = 0; k < 3; k++) {
        double a[3] = {R[k], R[3 + k], R[6 + k]};
        sp__mul3(W, a, axis[k]);
    }
    for (int c = 0; c < s->own; c++) {
        double weight = w * (g->weight[c / 3][0] + g->weight[c / 3][1] * u), *Wa = axis[c % 3];
        for (int i = 0; i < 3; i++) z->Z[c][i] += weight * Wa[i];
        for (int d = 0; d < s->own; d++) {
            const double *t = turn[d / 3] + d % 3;
            z->T[c][d] += weight * (Wa[0] * t[0] + Wa[1] * t[3] + Wa[2] * t[6]);
        }
    }
}

// Four Gauss points suffice for a few radians; these matrices need not be exact.
typedef struct points_of {
    int count;
    double at[POINTS], weight[POINTS];  // on [0, 1]
} points_of;

static points_of points_for(const sp_strand_segment *g) {
    static const double few_x[2] = {0.33998104358485626, 0.86113631159405258},
                        few_w[2] = {0.65214515486254614, 0.34785484513745386};
    bool few = g->rows <= 24;
    int half = few ? 2 : POINTS / 2;
    points_of p = {.count = 2 * half};
    for (int k = 0; k < 2 * half; k++) {
        int i = k < half ? half - 1 - k : k - half;
        double x = few ? few_x[i] : gauss_x[i];
        p.at[k] = 0.5 * (1 + (k < half ? -x : x)), p.weight[k] = 0.5 * (few ? few_w[i] : gauss_w[i]);
    }
    return p;
}

static void sum_node_segment(const node_load *l, const sp_strand_segment *g, sums *z) {
    points_of p = points_for(g);
    for (int k = 0; k < p.count; k++) add_node_point(l, g, p.at[k], g->length * p.weight[k], z);
}

// ------------------------------------------------------------------------------------------------ tension only

// At equilibrium, also that of a step, N is the small elastic moment and the tension P . t dominates. Where P . t > 0, H = -int
// (P . t) theta_c^T (I - t t^T) theta_d dv is negative semi-definite in any state.
typedef struct tension {
    double G[9][9];  // of an element: rigid rotations about the three axes, then its own controls
} tension;

static void add_tension_point(const sp_strand *s, const sp_strand_segment *g, const double P[3], double u, double w, tension *z) {
    double R[9], r[3], turn[2][9], theta[9][3], across[9][3];
    sp__strand_frame_at(s, g, u, R, r);
    double t[3] = {R[0], R[3], R[6]}, pull = w * sp__dot3(P, t);
    if (!(pull > 0)) return;
    sp__strand_rotation_derivatives(s, g, u, turn);
    for (int c = 0; c < 3 + s->own; c++) {
        for (int i = 0; i < 3; i++) theta[c][i] = c < 3 ? c == i : turn[(c - 3) / 3][3 * i + (c - 3) % 3];
        sp__axpy3(theta[c], -sp__dot3(theta[c], t), t, across[c]);
        for (int d = 0; d <= c; d++) z->G[c][d] += pull * sp__dot3(across[c], theta[d]);
    }
}

// the block of the element's controls, and the block with all unknowns before them
static void strand_add_tension(const sp_strand *s, int element, const tension *z, double c, double *H, size_t stride) {
    size_t behind = 6 + 3 * (size_t)element;
    for (int i = 0; i < s->own; i++) {
        double *row = H + (behind + (size_t)i) * stride;
        for (size_t d = 3; d < behind; d++) row[d] += c * sp__dot3(z->G[3 + i], s->rigid + 6 * d + 3);
        for (int d = 0; d <= i; d++) row[behind + (size_t)d] += c * z->G[3 + i][3 + d];
    }
}

// adds the part beyond unknowns [first, first + 3), which rotate it rigidly
static void add_tension_ahead(const sp_strand *s, size_t first, const double Q[9], double c, double *H, size_t stride) {
    for (size_t k = first; k < first + 3; k++) {
        double turned[3];
        sp__mul3(Q, s->rigid + 6 * k + 3, turned);
        for (size_t d = 3; d <= k; d++) H[k * stride + d] += c * sp__dot3(turned, s->rigid + 6 * d + 3);
    }
}

static void sum_tension(const sp_strand *s, const sp_strand_segment *g, const double P[3], tension *z) {
    points_of p = points_for(g);
    for (int k = 0; k < p.count; k++) add_tension_point(s, g, P, p.at[k], g->length * p.weight[k], z);
}

void sp__strand_tension_of_nodes(const sp_strand *s, const double *force, double c, double *H, int stride) {
    double P[3] = {0, 0, 0}, Q[9] = {0};
    int k = s->segment_count - 1;
    for (int e = s->alive - 1; e >= 0; e--) {
        tension z = {{{0}}};
        sp__axpy3(P, 1, force + 3 * (size_t)(e + 1), P);
        add_tension_ahead(s, 6 + 3 * (size_t)e, Q, -c, H, (size_t)stride);
        for (; k >= 0 && s->segment[k].element == e; k--) sum_tension(s, &s->segment[k], P, &z);
        strand_add_tension(s, e, &z, -c, H, (size_t)stride);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) Q[3 * i + j] += i >= j ? z.G[i][j] : z.G[j][i];
    }
    add_tension_ahead(s, 3, Q, -c, H, (size_t)stride);
}

// ------------------------------------------------------------------------------------------------

void sp__strand_bend_of_nodes(const sp_strand *s, const double *force, double c, double *H, int stride) {
    node_load l = {.s = s};
    for (int k = s->segment_count - 1; k >= 0; k--) {
        const sp_strand_segment *g = &s->segment[k];
        bool at_node = k == s->segment_count - 1 || s->segment[k + 1].element != g->element;
        sums z = {{{0}}, {{0}}};
        double R[9], B[9];
        sp__strand_frame_at(s, g, 1, R, l.tip);
        for (int i = 0; i < 3 && at_node; i++) l.P[i] += force[3 * (size_t)(g->element + 1) + (size_t)i];
        sum_node_segment(&l, g, &z);
        add_sums(s, g, &z, c, H, (size_t)stride);
        node_load_at(&l, g->begin, B);
        memcpy(l.B, B, sizeof B);
    }
    double trace = l.B[0] + l.B[4] + l.B[8];
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j <= i; j++)
            H[(3 + i) * (size_t)stride + 3 + j] += c * (0.5 * (l.B[3 * i + j] + l.B[3 * j + i]) - (i == j ? trace : 0));
}
