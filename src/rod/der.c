// Discrete elastic rods (der.h): transported frames, the polyline at rest, and the sums over edges and nodes.
#include "rod/der.h"

#include "math/rotation_vector.h"
#include "math/vec3.h"

// ------------------------------------------------------------------------------------------------ a node

enum { E = SP_DER_E, F = SP_DER_F, ANGLE_E = SP_DER_ANGLE_E, ANGLE_F = SP_DER_ANGLE_F, LOCAL = SP_DER_LOCAL };

static void der_add_outer(double H[LOCAL * LOCAL], int row, int column, double s, const double *a, const double *b) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) H[LOCAL * (row + i) + column + j] += s * a[i] * b[j];
}

static void add_both(double H[LOCAL * LOCAL], int at, double s, const double *a, const double *b) {
    der_add_outer(H, at, at, s, a, b);
    der_add_outer(H, at, at, s, b, a);
}

static void add_one(double H[LOCAL * LOCAL], int row, int column, double s) {
    for (int i = 0; i < 3; i++) H[LOCAL * (row + i) + column + i] += s;
}

// H += s [u]x
static void add_hat(double H[LOCAL * LOCAL], int row, int column, double s, const double *u) {
    double m[9];
    sp__hat3(u, m);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) H[LOCAL * (row + i) + column + j] += s * m[3 * i + j];
}

// copies the upper triangle to the lower one. The rows are indexed as arrays: with H[LOCAL * i + j], gcc 12 at -O1 makes an
// address of the loop that its alias analysis loses, and drops the stores
static void der_mirror(double H[LOCAL * LOCAL]) {
    double(*rows)[LOCAL] = (double(*)[LOCAL])H;
    for (int i = 0; i < LOCAL; i++)
        for (int j = 0; j < i; j++) rows[i][j] = rows[j][i];
}

// computes the strains from tangents and axes, and from the twist that was followed continuously
static void der_node_strains(sp_der_node *n, double twist) {
    double sum1[3], sum2[3];
    n->chi = 1 + sp__dot3(n->te, n->tf);
    sp__cross3(n->te, n->tf, n->kb);
    for (int i = 0; i < 3; i++) {
        n->kb[i] *= 2 / n->chi;
        n->tt[i] = (n->te[i] + n->tf[i]) / n->chi;
        sum1[i] = n->m1e[i] + n->m1f[i], sum2[i] = n->m2e[i] + n->m2f[i];
        n->d1[i] = sum1[i] / n->chi, n->d2[i] = sum2[i] / n->chi;
    }
    n->strain[0] = 0.5 * sp__dot3(n->kb, sum2);
    n->strain[1] = -0.5 * sp__dot3(n->kb, sum1);
    n->strain[2] = twist;
}

// K1 (sign +1, directors d2, second material axis) and K2 (sign -1, d1, first) have the same form
typedef struct bending {
    double K, sign;
    const double *d, *me, *mf;  // sum of directors; material axes in the second derivatives with respect to edges
    const double *ae, *af;      // material axes in the derivatives with respect to angles
} bending;

static bending bending_of(const sp_der_node *n, int k) {
    return k == 0 ? (bending){n->strain[0], 1, n->d2, n->m2e, n->m2f, n->m1e, n->m1f}
                  : (bending){n->strain[1], -1, n->d1, n->m1e, n->m1f, n->m2e, n->m2f};
}

static void bend_gradient(const sp_der_node *n, const bending *b, double g[LOCAL]) {
    double fd[3], ed[3];
    sp__cross3(n->tf, b->d, fd);
    sp__cross3(n->te, b->d, ed);
    for (int i = 0; i < 3; i++) {
        g[E + i] = (-b->K * n->tt[i] + b->sign * fd[i]) / n->e;
        g[F + i] = (-b->K * n->tt[i] - b->sign * ed[i]) / n->f;
    }
    g[ANGLE_E] = -0.5 * sp__dot3(n->kb, b->ae);
    g[ANGLE_F] = -0.5 * sp__dot3(n->kb, b->af);
}

// mixed derivative with respect to an edge and an angle whose material axis is m
static void add_edge_angle(const sp_der_node *n, double H[LOCAL * LOCAL], int angle, const double *m) {
    double fm[3], em[3], along = 0.5 * sp__dot3(n->kb, m);
    sp__cross3(n->tf, m, fm);
    sp__cross3(n->te, m, em);
    for (int i = 0; i < 3; i++) {
        H[LOCAL * (E + i) + angle] += (along * n->tt[i] - fm[i] / n->chi) / n->e;
        H[LOCAL * (F + i) + angle] += (along * n->tt[i] + em[i] / n->chi) / n->f;
    }
}

static void bend_hessian(const sp_der_node *n, const bending *b, double H[LOCAL * LOCAL]) {
    double fd[3], ed[3], K = b->K, s = b->sign, ee = 1 / (n->e * n->e), ff = 1 / (n->f * n->f), ef = 1 / (n->e * n->f);
    sp__cross3(n->tf, b->d, fd);
    sp__cross3(n->te, b->d, ed);
    memset(H, 0, LOCAL * LOCAL * sizeof *H);
    der_add_outer(H, E, E, 2 * K * ee, n->tt, n->tt), add_both(H, E, -s * ee, fd, n->tt);
    add_one(H, E, E, -K * ee / n->chi), der_add_outer(H, E, E, K * ee / n->chi, n->te, n->te);
    add_both(H, E, 0.25 * s * ee, n->kb, b->me);
    der_add_outer(H, F, F, 2 * K * ff, n->tt, n->tt), add_both(H, F, s * ff, ed, n->tt);
    add_one(H, F, F, -K * ff / n->chi), der_add_outer(H, F, F, K * ff / n->chi, n->tf, n->tf);
    add_both(H, F, 0.25 * s * ff, n->kb, b->mf);
    add_one(H, E, F, -K * ef / n->chi), der_add_outer(H, E, F, -K * ef / n->chi, n->te, n->tf);
    der_add_outer(H, E, F, 2 * K * ef, n->tt, n->tt), der_add_outer(H, E, F, -s * ef, fd, n->tt);
    der_add_outer(H, E, F, s * ef, n->tt, ed), add_hat(H, E, F, -s * ef, b->d);
    add_edge_angle(n, H, ANGLE_E, b->ae), add_edge_angle(n, H, ANGLE_F, b->af);
    H[LOCAL * ANGLE_E + ANGLE_E] = -0.5 * s * sp__dot3(n->kb, b->me);
    H[LOCAL * ANGLE_F + ANGLE_F] = -0.5 * s * sp__dot3(n->kb, b->mf);
    der_mirror(H);
}

static void twist_gradient(const sp_der_node *n, double g[LOCAL]) {
    for (int i = 0; i < 3; i++) g[E + i] = n->kb[i] / (2 * n->e), g[F + i] = n->kb[i] / (2 * n->f);
    g[ANGLE_E] = -1, g[ANGLE_F] = 1;
}

static void twist_hessian(const sp_der_node *n, double H[LOCAL * LOCAL]) {
    double e[3], f[3], ef = 1 / (2 * n->e * n->f);
    memset(H, 0, LOCAL * LOCAL * sizeof *H);
    for (int i = 0; i < 3; i++) e[i] = n->te[i] + n->tt[i], f[i] = n->tf[i] + n->tt[i];
    add_both(H, E, -0.25 / (n->e * n->e), n->kb, e);
    add_both(H, F, -0.25 / (n->f * n->f), n->kb, f);
    add_hat(H, E, F, 2 * ef / n->chi, n->te), der_add_outer(H, E, F, -ef, n->kb, n->tt);
    der_mirror(H);
}

// Returns the energy, half the sum of stiffness (strain - natural)^2. g += and H += in the order above, nullable; H needs g.
// whole = false: H without the second derivatives of the strains (Gauss-Newton), which is positive semi-definite.
static double der_node_energy(const sp_der_node *n, const double stiffness[3], const double natural[3], bool whole, double *g,
                              double *H) {
    double energy = 0, slope[LOCAL], second[LOCAL * LOCAL];
    for (int k = 0; k < 3; k++) {
        double c = stiffness[k], apart = n->strain[k] - natural[k];
        energy += 0.5 * c * apart * apart;
        if (!g) continue;
        bending b = bending_of(n, k);
        if (k < 2)
            bend_gradient(n, &b, slope);
        else
            twist_gradient(n, slope);
        for (int i = 0; i < LOCAL; i++) g[i] += c * apart * slope[i];
        if (!H) continue;
        for (int i = 0; i < LOCAL; i++)
            for (int j = 0; j < LOCAL; j++) H[LOCAL * i + j] += c * slope[i] * slope[j];
        if (!whole) continue;
        if (k < 2)
            bend_hessian(n, &b, second);
        else
            twist_hessian(n, second);
        for (int i = 0; i < LOCAL * LOCAL; i++) H[i] += c * apart * second[i];
    }
    return energy;
}

// ------------------------------------------------------------------------------------------------ a strand

sp_status sp__der_init(sp_context *ctx, int edges, sp_der *d) {
    *d = (sp_der){.ctx = ctx, .edges = edges};
    size_t p = (size_t)edges;
    if (!SP_NEW(ctx, d->chord, p) || !SP_NEW(ctx, d->stretch, p) || !SP_NEW(ctx, d->natural, 3 * p) ||
        !SP_NEW(ctx, d->stiffness, 3 * p) || !SP_NEW(ctx, d->node, p))
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a discrete rod of %d edges", edges);
    return SP_OK;
}

void sp__der_free(sp_der *d) {
    void *all[] = {d->chord, d->stretch, d->natural, d->stiffness, d->node};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) sp__free(d->ctx, all[i]);
    *d = (sp_der){0};
}

// ------------------------------------------------------------------------------------------------ frames

// normalises u and makes it orthogonal to t: transport loses orthogonality only by rounding
static void der_squared(double u[3], const double t[3]) {
    sp__axpy3(u, -sp__dot3(u, t), t, u);
    double norm = sp__norm3(u);
    for (int i = 0; i < 3; i++) u[i] /= norm;
}

double sp__der_tangent(const double from[3], const double to[3], double t[3]) {
    sp__sub3(to, from, t);
    double norm = sp__norm3(t);
    for (int i = 0; i < 3; i++) t[i] /= norm;
    return norm;
}

double sp__der_twist(const double ta[3], const double a[3], const double tb[3], const double b[3], double near) {
    double c[3], side[3];
    sp__transport3(a, ta, tb, c);
    sp__cross3(c, b, side);
    double angle = atan2(sp__dot3(side, tb), sp__dot3(c, b)), turn = 2 * SP_PI;
    return angle + turn * floor((near - angle) / turn + 0.5);
}

static void der_column(const double R[9], int k, double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = R[3 * i + k];
}

static void from_columns(const double t[3], const double m1[3], const double m2[3], double R[9]) {
    for (int i = 0; i < 3; i++) R[3 * i] = t[i], R[3 * i + 1] = m1[i], R[3 * i + 2] = m2[i];
}

static void der_material(const double t[3], const double a[3], double angle, double m1[3], double m2[3]) {
    double b[3], c = cos(angle), s = sin(angle);
    sp__cross3(t, a, b);
    for (int i = 0; i < 3; i++) m1[i] = c * a[i] + s * b[i], m2[i] = c * b[i] - s * a[i];
}

void sp__der_edge_frame(int edges, const double *q, int edge, double R[9]) {
    double t[3], m1[3], m2[3];
    sp__der_tangent(q + sp__der_place(edge), q + sp__der_place(edge + 1), t);
    der_material(t, q + sp__der_director(edges, edge), q[sp__der_angle(edge)], m1, m2);
    from_columns(t, m1, m2, R);
}

// transports the frame of an edge in time; before: frame of the previous edge at the end of the move, replaced by its own
static void carry_edge(int edges, int e, const double was[3], const double *from, double *to, double before[2][3]) {
    double now[3], a[3];
    sp__der_tangent(to + sp__der_place(e), to + sp__der_place(e + 1), now);
    sp__transport3(from + sp__der_director(edges, e), was, now, a);
    der_squared(a, now);
    double near = from[sp__der_reference_twist(edges, e)];
    to[sp__der_reference_twist(edges, e)] = sp__der_twist(before[0], before[1], now, a, near);
    memcpy(to + sp__der_director(edges, e), a, sizeof a);
    memcpy(before[0], now, sizeof now), memcpy(before[1], a, sizeof a);
}

void sp__der_move(int edges, const double *from, double s, const double *v, double *to) {
    if (s == 0) {
        memmove(to, from, (size_t)sp__der_coordinates(edges) * sizeof *to);
        return;
    }
    double before[2][3], last[3], next[3], was[3];
    memmove(to + sp__der_clamp(edges), from + sp__der_clamp(edges), 9 * sizeof *to);
    der_column(to + sp__der_clamp(edges), 0, before[0]), der_column(to + sp__der_clamp(edges), 1, before[1]);
    memcpy(last, from, sizeof last);
    sp__axpy3(from, s, v, to);
    for (int e = 0; e < edges; e++) {
        int x = sp__der_place(e + 1), angle = sp__der_angle(e);
        memcpy(next, from + x, sizeof next);
        sp__der_tangent(last, next, was);
        to[angle] = from[angle] + s * v[angle];
        sp__axpy3(next, s, v + x, to + x);
        carry_edge(edges, e, was, from, to, before);
        memcpy(last, next, sizeof last);
    }
}

void sp__der_rotate_clamp(int edges, const double clamp[9], double *q) {
    double t[3], a[3], edge[3], *twist = q + sp__der_reference_twist(edges, 0);
    memmove(q + sp__der_clamp(edges), clamp, 9 * sizeof *q);
    der_column(clamp, 0, t), der_column(clamp, 1, a);
    sp__der_tangent(q, q + sp__der_place(1), edge);
    *twist = sp__der_twist(t, a, edge, q + sp__der_director(edges, 0), *twist);
}

// ------------------------------------------------------------------------------------------------ rest state

// An element of a curve as an edge: its frame is the frame at the middle, rotated onto the chord.
typedef struct chord {
    double t[3], m1[3], m2[3];
    double length;
    double twist[2];  // integrals of the twist over both halves
} chord;

// moves `at` to the end of the element
static void next_chord(sp_curve_frame *at, const double *curvature, double length, chord *c) {
    double lambda[6], start[3], middle[3];
    sp__curve_affine(curvature, length, lambda);
    c->twist[0] = (3 * curvature[0] + curvature[3]) * length / 8, c->twist[1] = (curvature[0] + 3 * curvature[3]) * length / 8;
    memcpy(start, at->r, sizeof start);
    sp__curve_cross(at, 1, lambda, 0.5 * length, SP_CURVE_REACH_FINE, 1e-17);
    der_column(at->R, 0, middle), der_column(at->R, 1, c->m1);
    sp__curve_shift(1, lambda, 0.5 * length, lambda);
    sp__curve_cross(at, 1, lambda, 0.5 * length, SP_CURVE_REACH_FINE, 1e-17);
    c->length = sp__der_tangent(start, at->r, c->t);
    double least = SP_CURVE_CHORD_LEAST * length;
    if (!(c->length > least)) c->length = least, memcpy(c->t, middle, sizeof middle);
    sp__transport3(c->m1, middle, c->t, c->m1);
    der_squared(c->m1, c->t);
    sp__cross3(c->t, c->m1, c->m2);
}

// the frame of a clamp as the edge before the first one
static chord clamp_chord(const double R[9]) {
    chord c = {.length = 1};
    der_column(R, 0, c.t), der_column(R, 1, c.m1), der_column(R, 2, c.m2);
    return c;
}

static double twist_of(const chord *before, const chord *c) {
    return sp__der_twist(before->t, before->m1, c->t, c->m1, before->twist[1] + c->twist[0]);
}

// strains between two chords, limited where the chords almost fold back
static void chord_strains(const chord *before, const chord *c, double out[3]) {
    enum { MOST = 20 };
    sp_der_node n = {.e = before->length, .f = c->length};
    memcpy(n.te, before->t, sizeof n.te), memcpy(n.m1e, before->m1, sizeof n.te), memcpy(n.m2e, before->m2, sizeof n.te);
    memcpy(n.tf, c->t, sizeof n.tf), memcpy(n.m1f, c->m1, sizeof n.tf), memcpy(n.m2f, c->m2, sizeof n.tf);
    der_node_strains(&n, twist_of(before, c));
    for (int k = 0; k < 3; k++) out[k] = k < 2 ? fmax(-MOST, fmin(MOST, n.strain[k])) : n.strain[k];
}

// stiffness of two half cells in series
static double in_series(double a, double length_a, double b, double length_b) {
    return 2 / (length_a / a + length_b / b);
}

void sp__der_rest(sp_der *d, const sp_der_edge *edge, const double *curvature) {
    sp_curve_frame at = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    chord before = clamp_chord(at.R), c;
    for (int e = 0; e < d->edges; e++) {
        bool clamp = e == 0 || e == d->clamp;
        const sp_der_edge *f = &edge[e], *b = clamp ? f : f - 1;
        double share = clamp ? 0 : b->length, *stiffness = d->stiffness + 3 * (size_t)e;
        if (clamp) before = clamp_chord(at.R);
        next_chord(&at, curvature + 3 * (size_t)e, f->length, &c);
        chord_strains(&before, &c, d->natural + 3 * (size_t)e);
        for (int i = 0; e == 0 && i < 3; i++) d->root[i] = c.t[i], d->root[3 + i] = c.m1[i], d->root[6 + i] = c.m2[i];
        d->chord[e] = c.length, d->stretch[e] = f->stretch;
        stiffness[0] = in_series(b->bend[1], share, f->bend[1], f->length);
        stiffness[1] = in_series(b->bend[0], share, f->bend[0], f->length);
        stiffness[2] = in_series(b->twist, share, f->twist, f->length);
        before = c;
    }
}

void sp__der_bend(const sp_der *d, const sp_der_edge *edge, const sp_curve_frame *root, const double *curvature, double *q) {
    sp_curve_frame at = *root;
    chord before = clamp_chord(at.R), c;
    memcpy(q + sp__der_clamp(d->edges), root->R, sizeof root->R);
    memcpy(q, root->r, sizeof root->r);
    for (int e = 0; e < d->edges; e++) {
        next_chord(&at, curvature + 3 * (size_t)e, edge[e].length, &c);
        sp__axpy3(q + sp__der_place(e), d->chord[e], c.t, q + sp__der_place(e + 1));
        q[sp__der_angle(e)] = 0;
        memcpy(q + sp__der_director(d->edges, e), c.m1, sizeof c.m1);
        q[sp__der_reference_twist(d->edges, e)] = twist_of(&before, &c);
        before = c;
    }
}

// ------------------------------------------------------------------------------------------------ kinematics and energy

bool sp__der_update_kinematics(sp_der *d, const double *q) {
    const double *clamp = q + sp__der_clamp(d->edges);
    double before[3], a[3], angle = 0, sum = 0;
    der_column(clamp, 1, before);
    for (int e = 0; e < d->edges; e++) {
        sp_der_node *n = &d->node[e];
        if (e > 0) {
            n->e = n[-1].f, memcpy(n->te, n[-1].tf, sizeof n->te);
            memcpy(n->m1e, n[-1].m1f, sizeof n->te), memcpy(n->m2e, n[-1].m2f, sizeof n->te);
        } else {
            n->e = 1;  // any positive value: the clamp has no unknowns
            der_column(clamp, 0, n->te), der_column(clamp, 1, n->m1e), der_column(clamp, 2, n->m2e);
        }
        double own = q[sp__der_angle(e)], near = q[sp__der_reference_twist(d->edges, e)];
        n->f = sp__der_tangent(q + sp__der_place(e), q + sp__der_place(e + 1), n->tf);
        memcpy(a, q + sp__der_director(d->edges, e), sizeof a);
        der_squared(a, n->tf);
        der_material(n->tf, a, own, n->m1f, n->m2f);
        der_node_strains(n, own - angle + sp__der_twist(n->te, before, n->tf, a, near));
        angle = own, memcpy(before, a, sizeof a);
        sum += n->f + n->strain[0] + n->strain[1] + n->strain[2];
    }
    return isfinite(sum);
}

void sp__der_material(const sp_der *d, int edge, double R[9]) {
    const sp_der_node *n = &d->node[edge];
    from_columns(n->tf, n->m1f, n->m2f, R);
}

static void add_band(double *hessian, int i, int j, double value) {
    if (j <= i) hessian[(SP_DER_BAND + 1) * (size_t)i + (size_t)(j - i + SP_DER_BAND)] += value;
}

// Chain rule from edges and angles to the unknowns of a node, x_{i-1}, theta_{i-1}, x_i, theta_i, x_{i+1}, with e = x_i - x_{i-1}
// and f = x_{i+1} - x_i: `in`, with a stride, becomes `out`.
enum { AROUND = 11 };

static void der_around(const double *in, int stride, double out[AROUND]) {
    for (int k = 0; k < 3; k++) {
        double e = in[stride * (SP_DER_E + k)], f = in[stride * (SP_DER_F + k)];
        out[k] = -e, out[4 + k] = e - f, out[8 + k] = f;
    }
    out[3] = in[stride * SP_DER_ANGLE_E], out[7] = in[stride * SP_DER_ANGLE_F];
}

// adds the terms of node i; at the root, the edge before is the clamp, which does not depend on unknowns
static void der_spread(int i, double *g, double *H, double *gradient, double *hessian) {
    double all[AROUND], rows[LOCAL][AROUND], columns[AROUND][AROUND];
    int first = i > 0 ? 0 : 4, at = 4 * i - 4;
    for (int k = 0; i == 0 && k < LOCAL; k++) {
        if (k >= SP_DER_F && k != SP_DER_ANGLE_E) continue;
        g[k] = 0;
        for (int l = 0; hessian && l < LOCAL; l++) H[LOCAL * k + l] = H[LOCAL * l + k] = 0;
    }
    der_around(g, 1, all);
    for (int a = first; gradient && a < AROUND; a++) gradient[at + a] += all[a];
    if (!hessian) return;
    for (int k = 0; k < LOCAL; k++) der_around(H + LOCAL * k, 1, rows[k]);
    for (int b = 0; b < AROUND; b++) der_around(&rows[0][b], AROUND, columns[b]);  // columns[b][a]: entry (a, b)
    for (int a = first; a < AROUND; a++)
        for (int b = first; b <= a; b++) add_band(hessian, at + a, at + b, columns[b][a]);
}

static double stretch_energy(const sp_der *d, int edge, bool whole, double *gradient, double *hessian) {
    const double *t = d->node[edge].tf, rest = d->chord[edge], length = d->node[edge].f, EA = d->stretch[edge];
    double strain = length / rest - 1, pull = whole || strain > 0 ? EA * strain / length : 0;
    int a = sp__der_place(edge), b = sp__der_place(edge + 1);
    for (int i = 0; gradient && i < 3; i++) {
        gradient[a + i] -= EA * strain * t[i];
        gradient[b + i] += EA * strain * t[i];
    }
    for (int i = 0; hessian && i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double k = EA * t[i] * t[j] / rest + pull * ((i == j) - t[i] * t[j]);
            add_band(hessian, a + i, a + j, k), add_band(hessian, b + i, b + j, k), add_band(hessian, b + i, a + j, -k);
        }
    return 0.5 * EA * strain * strain * rest;
}

static double bend_energy(const sp_der *d, int i, bool whole, double *g, double *H) {
    return der_node_energy(&d->node[i], d->stiffness + 3 * (size_t)i, d->natural + 3 * (size_t)i, whole, g, H);
}

double sp__der_energy(const sp_der *d, bool clamped, bool whole, double *gradient, double *hessian) {
    double energy = 0;
    for (int e = 0; e < d->edges; e++) energy += stretch_energy(d, e, whole, gradient, hessian);
    for (int i = clamped ? 0 : 1; i < d->edges; i++) {
        double g[LOCAL] = {0}, H[LOCAL * LOCAL] = {0};
        bool slopes = gradient || hessian;
        energy += bend_energy(d, i, whole, slopes ? g : NULL, hessian ? H : NULL);
        if (slopes) der_spread(i, g, H, gradient, hessian);
    }
    return energy;
}

void sp__der_bending(const sp_der *d, bool clamped, double *hessian) {
    for (int i = clamped ? 0 : 1; i < d->edges; i++) {
        double g[LOCAL] = {0}, H[LOCAL * LOCAL] = {0};
        bend_energy(d, i, false, g, H);
        der_spread(i, g, H, NULL, hessian);
    }
}

double sp__der_edge_energy(const sp_der *d, bool clamped, int edge) {
    double energy = stretch_energy(d, edge, true, NULL, NULL);
    if (edge > 0)
        energy += 0.5 * bend_energy(d, edge, true, NULL, NULL);
    else if (clamped)
        energy += bend_energy(d, 0, true, NULL, NULL);
    if (edge + 1 < d->edges) energy += 0.5 * bend_energy(d, edge + 1, true, NULL, NULL);
    return energy;
}
