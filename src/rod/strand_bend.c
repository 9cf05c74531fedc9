// What forces that do not change add to the stiffness of a strand: the second derivative of their work along the unknowns.
//
// Control c turns what lies beyond v with a_c(v) = R(v) weight_c(v) e_k per length, so it turns the frame at v by
// theta_c(v) = int_0^v a_c. Let P(v) be the force ahead of v and B(v) = int_v^L (r(s) - r(v)) p(s)^T ds, so that B' = -t P^T.
// With D_d a_c = theta_d x a_c and D_c r' = theta_c x t, the second derivative of int p . r is
//     int (theta_d x a_c) . N + P . (theta_c x (theta_d x t)) dv,   N = the torque ahead: [N]x = B^T - B.
// Its second product is -theta_d^T W'^T theta_c with W = B - tr(B) I; by parts, with W(L) = 0 and theta(0) = 0,
//     H = T + T^T,   T_cd = int (W a_c) . theta_d dv.
// Turns of the root have theta = e_i everywhere and a = 0; the boundary term is their own block, sym(B(0)) - tr(B(0)) I.
// One force, or a weight, makes B = b f^T: W a = b (f . a) - (b . f) a.
#include "math/vec3.h"
#include "rod/strand_internal.h"

// Gauss-Legendre of 16 points: three factors, each of less than 1.8 turns a segment, are integrated to rounding
enum { POINTS = 16 };
static const double gauss_x[8] = {0.0950125098376374402, 0.281603550779258913, 0.458016777657227386, 0.617876244402643748,
                                  0.755404408355003034,  0.865631202387831744, 0.944575023073232576, 0.989400934991649933};
static const double gauss_w[8] = {0.189450610455068496, 0.182603415044923589,  0.169156519395002538,  0.149595988816576732,
                                  0.124628971255533872, 0.0951585116824927848, 0.0622535239386478929, 0.0271524594117540949};

// The force on its way from the tip to the root: what lies beyond the segment at hand.
typedef struct load {
    const sp_strand *s;
    double f[3];    // force, or acceleration of what has mass
    bool heavy;     // the strand itself has
    double mass;    // that it acts on, ahead
    double arm[3];  // integral of place times mass ahead, about the end of the segment
    double tip[3];  // the end of the segment
    double end;     // the share of it that is loaded
    double all[3];  // integral of its place, from its begin
} load;

static void integral_of_place(const sp_strand *s, const sp_strand_segment *g, double u, double out[3]) {
    double sum[3] = {0, 0, 0};
    for (int n = g->rows - 1; n >= 0; n--) {
        const double *X = s->pool + g->at + sp__strand_row(s) * (size_t)n + SP_STRAND_X + SP_STRAND_PLACE;
        for (int i = 0; i < 3; i++) sum[i] = sum[i] * u + X[i] / (n + 1);
    }
    for (int i = 0; i < 3; i++) out[i] = u * sum[i];
}

// b at a share of the segment
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

static void add_point(const load *l, const sp_strand_segment *g, double u, double w, sums *z) {
    const sp_strand *s = l->s;
    double R[9], r[3], turn[2][9], b[3];
    sp__strand_see(s, g, u, R, r);
    sp__strand_see_turns(s, g, u, turn);
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

// controls of the segment's element with each other, and with all behind, whose turns are those of a rigid body
static void add_segment(const load *l, const sp_strand_segment *g, double c, double *H, size_t stride) {
    const sp_strand *s = l->s;
    size_t behind = 6 + 3 * (size_t)g->element;
    sums z = {{{0}}, {{0}}};
    for (int k = 0; k < POINTS; k++) {
        double x = k < 8 ? -gauss_x[7 - k] : gauss_x[k - 8], w = gauss_w[k < 8 ? 7 - k : k - 8];
        add_point(l, g, 0.5 * l->end * (1 + x), 0.5 * l->end * g->length * w, &z);
    }
    for (int i = 0; i < s->own; i++) {
        double *row = H + (behind + (size_t)i) * stride;
        for (size_t d = 3; d < behind; d++) row[d] += c * sp__dot3(z.Z[i], s->rigid + 6 * d + 3);
        for (int d = 0; d <= i; d++) row[behind + (size_t)d] += c * (z.T[i][d] + z.T[d][i]);
    }
}

// over the segments that have the load ahead, up to share `end` of the last of them
static void walk_back(load *l, int last, double end, double c, double *H, size_t stride) {
    const sp_strand *s = l->s;
    for (int k = last; k >= 0; k--) {
        const sp_strand_segment *g = &s->segment[k];
        double R[9], b[3];
        l->end = k == last ? end : 1;
        sp__strand_see(s, g, l->end, R, l->tip);
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
    walk_back(&l, s->segment_count - 1, 1, c, H, (size_t)stride);
}

void sp__strand_bend_of_force(const sp_strand *s, int element, double at, const double f[3], double c, double *H, int stride) {
    load l = {.s = s, .f = {f[0], f[1], f[2]}, .mass = 1};
    double end;
    const sp_strand_segment *g = sp__strand_open(s, element, at, &end);
    walk_back(&l, (int)(g - s->segment), end, c, H, (size_t)stride);
}
