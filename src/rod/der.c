// Discrete elastic rods (der.h): energy, gradient and Hessian, node by node. Derivatives along edges and angles follow Bergou et
// al. 2010 (and Panetta et al. 2019 for the second ones), with frames that parallel transport carries in time.
#include "rod/der.h"

#include "math/vec3.h"

sp_status sp__der_init(sp_context *ctx, const sp_der_def *def, sp_der *d) {
    *d = (sp_der){.ctx = ctx, .def = *def, .edges = def->edges, .nodes = def->edges + 1, .unknowns = 4 * def->edges + 3};
    size_t p = (size_t)def->edges;
    if (!SP_NEW(ctx, d->length, p) || !SP_NEW(ctx, d->natural, 3 * (p + 1)) || !SP_NEW(ctx, d->tangent, 3 * p) ||
        !SP_NEW(ctx, d->director, 3 * p) || !SP_NEW(ctx, d->reference_twist, p + 1))
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a discrete rod of %d edges", def->edges);
    memcpy(d->length, def->length, p * sizeof *d->length);
    for (int i = 0; i < def->edges; i++) {
        const double *k = def->curvature + 3 * i;
        double l = i > 0 ? 0.5 * (def->length[i - 1] + def->length[i]) : 0.5 * def->length[0];
        d->natural[3 * i] = l * k[2], d->natural[3 * i + 1] = -l * k[1], d->natural[3 * i + 2] = l * k[0];
    }
    return SP_OK;
}

void sp__der_free(sp_der *d) {
    void *all[] = {d->length, d->natural, d->tangent, d->director, d->reference_twist};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) sp__free(d->ctx, all[i]);
    *d = (sp_der){0};
}

// ------------------------------------------------------------------------------------------------ frames

// u carried from unit a to unit b by the least turn
static void carried(const double u[3], const double a[3], const double b[3], double out[3]) {
    double axis[3], turned[3], c = sp__dot3(a, b);
    sp__cross3(a, b, axis);
    sp__cross3(axis, u, turned);
    double along = sp__dot3(axis, u) / (1 + c);
    for (int i = 0; i < 3; i++) out[i] = c * u[i] + turned[i] + axis[i] * along;
}

// made unit and square to t: carrying loses orthogonality by rounding only
static void squared(double u[3], const double t[3]) {
    sp__axpy3(u, -sp__dot3(u, t), t, u);
    double norm = sp__norm3(u);
    for (int i = 0; i < 3; i++) u[i] /= norm;
}

static double unit_edge(const double *q, int edge, double t[3]) {
    sp__sub3(q + 4 * (size_t)edge + 4, q + 4 * (size_t)edge, t);
    double norm = sp__norm3(t);
    for (int i = 0; i < 3; i++) t[i] /= norm;
    return norm;
}

// the angle from a's frame, carried to b, to b's own, nearest to `near`
static double twist_between(const double ta[3], const double a[3], const double tb[3], const double b[3], double near) {
    double c[3], side[3];
    carried(a, ta, tb, c);
    sp__cross3(c, b, side);
    double angle = atan2(sp__dot3(side, tb), sp__dot3(c, b)), turn = 2 * 3.14159265358979323846;
    return angle + turn * floor((near - angle) / turn + 0.5);
}

// tangent and director of an edge at q
static double edge_frame(const sp_der *d, const double *q, int edge, double t[3], double a[3]) {
    double length = unit_edge(q, edge, t);
    carried(d->director + 3 * (size_t)edge, d->tangent + 3 * (size_t)edge, t, a);
    squared(a, t);
    return length;
}

static void clamp_column(const sp_der *d, int k, double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = d->clamp[3 * i + k];
}

// what stands before node i: the edge before it, or the clamp
static void frame_before(const sp_der *d, const double *tangent, const double *director, int i, double t[3], double a[3]) {
    if (i > 0) {
        memcpy(t, tangent + 3 * (size_t)i - 3, 3 * sizeof *t), memcpy(a, director + 3 * (size_t)i - 3, 3 * sizeof *a);
    } else {
        clamp_column(d, 0, t), clamp_column(d, 1, a);
    }
}

void sp__der_frame(sp_der *d, const double clamp[9], const double *q) {
    double t[3], a[3];
    memcpy(d->clamp, clamp, sizeof d->clamp);
    for (int e = 0; e < d->edges; e++) {
        double *own = d->director + 3 * (size_t)e;
        unit_edge(q, e, d->tangent + 3 * (size_t)e);
        frame_before(d, d->tangent, d->director, e, t, a);
        carried(a, t, d->tangent + 3 * (size_t)e, own);
        squared(own, d->tangent + 3 * (size_t)e);
        d->reference_twist[e] = 0;
    }
}

void sp__der_carry(sp_der *d, const double *q) {
    for (int e = 0; e < d->edges; e++) {
        double t[3], a[3], tb[3], b[3];
        edge_frame(d, q, e, t, a);
        memcpy(d->tangent + 3 * (size_t)e, t, sizeof t), memcpy(d->director + 3 * (size_t)e, a, sizeof a);
        frame_before(d, d->tangent, d->director, e, tb, b);
        d->reference_twist[e] = twist_between(tb, b, t, a, d->reference_twist[e]);
    }
}

static void material(const double t[3], const double a[3], double angle, double m1[3], double m2[3]) {
    double b[3], c = cos(angle), s = sin(angle);
    sp__cross3(t, a, b);
    for (int i = 0; i < 3; i++) m1[i] = c * a[i] + s * b[i], m2[i] = c * b[i] - s * a[i];
}

void sp__der_material(const sp_der *d, const double *q, int edge, double R[9]) {
    double m1[3], m2[3], t[3], a[3];
    edge_frame(d, q, edge, t, a);
    material(t, a, q[sp__der_angle(edge)], m1, m2);
    for (int i = 0; i < 3; i++) R[3 * i] = t[i], R[3 * i + 1] = m1[i], R[3 * i + 2] = m2[i];
}

// ------------------------------------------------------------------------------------------------ one node

// Two edges, e before and f after, and the strains between them. Derivatives are along e (3), f (3), their angles (2).
enum { E = 0, F = 3, ANGLE_E = 6, ANGLE_F = 7, LOCAL = 8 };

typedef struct node {
    double te[3], tf[3], m1e[3], m2e[3], m1f[3], m2f[3];
    double e, f;  // lengths
    double chi, kb[3], tt[3], d1[3], d2[3];
    double strain[3];  // K1, K2, twist
} node;

static void add_outer(double H[LOCAL * LOCAL], int row, int column, double s, const double *a, const double *b) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) H[LOCAL * (row + i) + column + j] += s * a[i] * b[j];
}

static void add_both(double H[LOCAL * LOCAL], int at, double s, const double *a, const double *b) {
    add_outer(H, at, at, s, a, b);
    add_outer(H, at, at, s, b, a);
}

static void add_one(double H[LOCAL * LOCAL], int row, int column, double s) {
    for (int i = 0; i < 3; i++) H[LOCAL * (row + i) + column + i] += s;
}

// H += s [u]x
static void add_hat(double H[LOCAL * LOCAL], int row, int column, double s, const double *u) {
    double m[9] = {0, -u[2], u[1], u[2], 0, -u[0], -u[1], u[0], 0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) H[LOCAL * (row + i) + column + j] += s * m[3 * i + j];
}

static void mirror(double H[LOCAL * LOCAL]) {
    for (int i = 0; i < LOCAL; i++)
        for (int j = 0; j < i; j++) H[LOCAL * i + j] = H[LOCAL * j + i];
}

static void strains(node *n, double twist) {
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
    const double *d, *me, *mf;  // director sum; material axes in the second derivatives along edges
    const double *ae, *af;      // those in the derivatives along angles
} bending;

static bending bending_of(const node *n, int k) {
    return k == 0 ? (bending){n->strain[0], 1, n->d2, n->m2e, n->m2f, n->m1e, n->m1f}
                  : (bending){n->strain[1], -1, n->d1, n->m1e, n->m1f, n->m2e, n->m2f};
}

static void bend_gradient(const node *n, const bending *b, double g[LOCAL]) {
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

// along an edge and an angle whose material axis is m
static void add_edge_angle(const node *n, double H[LOCAL * LOCAL], int angle, const double *m) {
    double fm[3], em[3], along = 0.5 * sp__dot3(n->kb, m);
    sp__cross3(n->tf, m, fm);
    sp__cross3(n->te, m, em);
    for (int i = 0; i < 3; i++) {
        H[LOCAL * (E + i) + angle] += (along * n->tt[i] - fm[i] / n->chi) / n->e;
        H[LOCAL * (F + i) + angle] += (along * n->tt[i] + em[i] / n->chi) / n->f;
    }
}

static void bend_hessian(const node *n, const bending *b, double H[LOCAL * LOCAL]) {
    double fd[3], ed[3], K = b->K, s = b->sign, ee = 1 / (n->e * n->e), ff = 1 / (n->f * n->f), ef = 1 / (n->e * n->f);
    sp__cross3(n->tf, b->d, fd);
    sp__cross3(n->te, b->d, ed);
    memset(H, 0, LOCAL * LOCAL * sizeof *H);
    add_outer(H, E, E, 2 * K * ee, n->tt, n->tt), add_both(H, E, -s * ee, fd, n->tt);
    add_one(H, E, E, -K * ee / n->chi), add_outer(H, E, E, K * ee / n->chi, n->te, n->te);
    add_both(H, E, 0.25 * s * ee, n->kb, b->me);
    add_outer(H, F, F, 2 * K * ff, n->tt, n->tt), add_both(H, F, s * ff, ed, n->tt);
    add_one(H, F, F, -K * ff / n->chi), add_outer(H, F, F, K * ff / n->chi, n->tf, n->tf);
    add_both(H, F, 0.25 * s * ff, n->kb, b->mf);
    add_one(H, E, F, -K * ef / n->chi), add_outer(H, E, F, -K * ef / n->chi, n->te, n->tf);
    add_outer(H, E, F, 2 * K * ef, n->tt, n->tt), add_outer(H, E, F, -s * ef, fd, n->tt);
    add_outer(H, E, F, s * ef, n->tt, ed), add_hat(H, E, F, -s * ef, b->d);
    add_edge_angle(n, H, ANGLE_E, b->ae), add_edge_angle(n, H, ANGLE_F, b->af);
    H[LOCAL * ANGLE_E + ANGLE_E] = -0.5 * s * sp__dot3(n->kb, b->me);
    H[LOCAL * ANGLE_F + ANGLE_F] = -0.5 * s * sp__dot3(n->kb, b->mf);
    mirror(H);
}

static void twist_gradient(const node *n, double g[LOCAL]) {
    for (int i = 0; i < 3; i++) g[E + i] = n->kb[i] / (2 * n->e), g[F + i] = n->kb[i] / (2 * n->f);
    g[ANGLE_E] = -1, g[ANGLE_F] = 1;
}

static void twist_hessian(const node *n, double H[LOCAL * LOCAL]) {
    double e[3], f[3], ef = 1 / (2 * n->e * n->f);
    memset(H, 0, LOCAL * LOCAL * sizeof *H);
    for (int i = 0; i < 3; i++) e[i] = n->te[i] + n->tt[i], f[i] = n->tf[i] + n->tt[i];
    add_both(H, E, -0.25 / (n->e * n->e), n->kb, e);
    add_both(H, F, -0.25 / (n->f * n->f), n->kb, f);
    add_hat(H, E, F, 2 * ef / n->chi, n->te), add_outer(H, E, F, -ef, n->kb, n->tt);
    mirror(H);
}

// energy of the node; g and H in the local order, nullable
static double node_energy(const node *n, const double stiffness[3], const double natural[3], double length, double *g,
                          double *H) {
    double energy = 0, slope[LOCAL], second[LOCAL * LOCAL];
    for (int k = 0; k < 3; k++) {
        double apart = n->strain[k] - natural[k], c = stiffness[k] / length;
        energy += 0.5 * c * apart * apart;
        if (!g && !H) continue;
        bending b = bending_of(n, k);
        if (k < 2)
            bend_gradient(n, &b, slope);
        else
            twist_gradient(n, slope);
        for (int i = 0; g && i < LOCAL; i++) g[i] += c * apart * slope[i];
        if (!H) continue;
        if (k < 2)
            bend_hessian(n, &b, second);
        else
            twist_hessian(n, second);
        for (int i = 0; i < LOCAL; i++)
            for (int j = 0; j < LOCAL; j++) H[LOCAL * i + j] += c * (slope[i] * slope[j] + apart * second[LOCAL * i + j]);
    }
    return energy;
}

// ------------------------------------------------------------------------------------------------ the rod

static void add_band(double *hessian, int i, int j, double value) {
    if (j <= i) hessian[(SP_DER_BAND + 1) * (size_t)i + (size_t)(j - i + SP_DER_BAND)] += value;
}

// from edges and angles to the unknowns around node i: x_{i-1}, theta_{i-1}, x_i, theta_i, x_{i+1}. At the root the edge before
// is the clamp's, which nothing moves.
enum { AROUND = 11 };

static void spread(int i, bool root, const double *g, const double *H, double *gradient, double *hessian) {
    double T[AROUND][LOCAL] = {{0}};
    for (int k = 0; k < 3; k++) {
        if (!root) T[k][E + k] = -1, T[4 + k][E + k] = 1;
        T[4 + k][F + k] = -1, T[8 + k][F + k] = 1;
    }
    if (!root) T[3][ANGLE_E] = 1;
    T[7][ANGLE_F] = 1;
    int first = 4 * i - 4;
    for (int a = root ? 4 : 0; a < AROUND; a++) {
        double row[LOCAL] = {0};
        for (int k = 0; k < LOCAL; k++) {
            if (T[a][k] == 0) continue;
            if (gradient) gradient[first + a] += T[a][k] * g[k];
            for (int l = 0; hessian && l < LOCAL; l++) row[l] += T[a][k] * H[LOCAL * k + l];
        }
        for (int b = root ? 4 : 0; hessian && b <= a; b++) {
            double sum = 0;
            for (int l = 0; l < LOCAL; l++) sum += row[l] * T[b][l];
            add_band(hessian, first + a, first + b, sum);
        }
    }
}

static double stretch_energy(const sp_der *d, const double *q, int edge, double *gradient, double *hessian) {
    double t[3], rest = d->length[edge], length = unit_edge(q, edge, t), strain = length / rest - 1;
    int a = sp__der_place(edge), b = sp__der_place(edge + 1);
    for (int i = 0; gradient && i < 3; i++) {
        gradient[a + i] -= d->def.stretch * strain * t[i];
        gradient[b + i] += d->def.stretch * strain * t[i];
    }
    for (int i = 0; hessian && i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double k = d->def.stretch * (t[i] * t[j] / rest + strain * ((i == j) - t[i] * t[j]) / length);
            add_band(hessian, a + i, a + j, k), add_band(hessian, b + i, b + j, k), add_band(hessian, b + i, a + j, -k);
        }
    return 0.5 * d->def.stretch * strain * strain * rest;
}

// the two edges at node i, at q
static void open_node(const sp_der *d, const double *q, int i, node *n) {
    double ae[3], af[3], angle = q[sp__der_angle(i)], before = 0;
    n->f = edge_frame(d, q, i, n->tf, af);
    material(n->tf, af, angle, n->m1f, n->m2f);
    if (i > 0) {
        n->e = edge_frame(d, q, i - 1, n->te, ae);
        before = q[sp__der_angle(i - 1)];
        material(n->te, ae, before, n->m1e, n->m2e);
    } else {
        n->e = 1;  // never divided by: nothing moves it
        clamp_column(d, 0, n->te), clamp_column(d, 1, ae);
        memcpy(n->m1e, ae, sizeof ae), clamp_column(d, 2, n->m2e);
    }
    strains(n, angle - before + twist_between(n->te, ae, n->tf, af, d->reference_twist[i]));
}

double sp__der_energy(const sp_der *d, const double *q, double *gradient, double *hessian) {
    double energy = 0, stiffness[3] = {d->def.bend[1], d->def.bend[0], d->def.twist};
    for (int e = 0; e < d->edges; e++) energy += stretch_energy(d, q, e, gradient, hessian);
    for (int i = d->def.half_cell ? 0 : 1; i < d->edges; i++) {
        node n;
        double g[LOCAL] = {0}, H[LOCAL * LOCAL] = {0};
        double length = i > 0 ? 0.5 * (d->length[i - 1] + d->length[i]) : 0.5 * d->length[0];
        open_node(d, q, i, &n);
        energy +=
            node_energy(&n, stiffness, d->natural + 3 * (size_t)i, length, gradient || hessian ? g : NULL, hessian ? H : NULL);
        if (gradient || hessian) spread(i, i == 0, g, H, gradient, hessian);
    }
    return energy;
}
