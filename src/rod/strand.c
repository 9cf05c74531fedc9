// Mechanics of a strand (strand.h): series from the root to the tip, then accumulation of inertia from the tip to the root.
#include "rod/strand.h"

#include "math/vec3.h"
#include "rod/strand_internal.h"

// initial number of rows per segment; most need fewer than 24
enum { ROWS = 32 };

sp_status sp__strand_init(sp_context *ctx, const sp_strand_def *def, sp_strand *s) {
    *s = (sp_strand){.ctx = ctx, .affine = def->affine, .tolerance = def->tolerance, .capacity = def->elements};
    s->controls = def->elements + def->affine;
    s->unknowns = 6 + 3 * s->controls;
    s->own = def->affine ? 6 : 3;
    s->segment_capacity = def->elements;
    size_t n = (size_t)s->unknowns, e = (size_t)def->elements;
    s->pool_capacity = ROWS * e * sp__strand_row(s);
    if (!SP_NEW(ctx, s->element, e) || !SP_NEW(ctx, s->M, n * n) || !SP_NEW(ctx, s->G, n) || !SP_NEW(ctx, s->A, n) ||
        !SP_NEW(ctx, s->rigid, 6 * n) || !SP_NEW(ctx, s->frame, e + 1) || !SP_NEW(ctx, s->ahead, e) ||
        !SP_NEW(ctx, s->momentum, 12 * n) || !SP_NEW(ctx, s->segment, e) || !SP_NEW(ctx, s->pool, s->pool_capacity))
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a strand of %d elements", def->elements);
    sp__strand_set(s, def->elements, def->element);
    return SP_OK;
}

void sp__strand_free(sp_strand *s) {
    void *all[] = {s->element, s->M, s->G, s->A, s->rigid, s->frame, s->ahead, s->momentum, s->segment, s->pool};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) sp__free(s->ctx, all[i]);
    *s = (sp_strand){0};
}

void sp__strand_set(sp_strand *s, int alive, const sp_strand_element *element) {
    size_t n = (size_t)s->unknowns;
    SP_ASSERT(alive >= 1 && alive <= s->capacity);
    // clears entries of elements that are not in use any more
    memset(s->M, 0, n * n * sizeof *s->M), memset(s->G, 0, n * sizeof *s->G), memset(s->A, 0, n * sizeof *s->A);
    memset(s->rigid, 0, 6 * n * sizeof *s->rigid), memset(s->momentum, 0, 12 * n * sizeof *s->momentum);
    s->alive = alive;
    s->segment_count = 0, s->gathered = false;
    memcpy(s->element, element, (size_t)alive * sizeof *element);
}

// ------------------------------------------------------------------------------------------------ from the root to the tip

static void strand_hat(const double u[3], double out[9]) {
    double m[9] = {0, -u[2], u[1], u[2], 0, -u[0], -u[1], u[0], 0};
    memcpy(out, m, sizeof m);
}

// unknowns of the root: a velocity, and a rotation about its position
static void begin_motion(const sp_strand_state *state, sp_strand_pass *w) {
    double spin[9], turn[9], once[9], twice[9], turned[9];
    int V = sp__strand_lane_of_motion(w->s), W = V + 1;
    strand_hat(state->root_velocity + 3, spin);
    strand_hat(state->root_acceleration + 3, turn);
    sp__mul33(spin, state->root.R, once);
    sp__mul33(spin, once, twice);
    sp__mul33(turn, state->root.R, turned);
    for (int i = 0; i < 9; i++) w->now[i][V] = once[i], w->now[i][W] = turned[i] + twice[i];
    memcpy(w->acceleration, state->root_acceleration, sizeof w->acceleration);
}

static void begin_pass(const sp_strand_state *state, sp_strand_pass *w) {
    sp_strand *s = w->s;
    for (int i = 0; i < 9; i++) w->now[i][0] = state->root.R[i];
    memcpy(w->r, state->root.r, sizeof w->r);
    if (s->motion) begin_motion(state, w);
    memset(s->rigid, 0, 36 * sizeof *s->rigid);
    for (int k = 0; k < 3; k++) {
        double axis[3] = {k == 0, k == 1, k == 2};
        s->rigid[6 * k + k] = 1;
        s->rigid[6 * (k + 3) + 3 + k] = 1;
        sp__cross3(w->r, axis, s->rigid + 6 * (k + 3));
    }
}

static void keep_frame(const sp_strand_pass *w, sp_curve_frame *out) {
    for (int i = 0; i < 9; i++) out->R[i] = w->now[i][0];
    memcpy(out->r, w->r, sizeof w->r);
}

// curvature and weights of the controls about the start of an element
static void begin_element(const sp_strand_state *state, sp_strand_pass *w) {
    double l = w->s->element[w->element].length;
    const double *q = state->q + 3 * w->element, *v = state->v + 3 * w->element;
    bool affine = w->s->affine, moves = w->s->motion;
    for (int i = 0; i < 3; i++) {
        w->lambda[i] = q[i], w->lambda[3 + i] = affine ? (q[3 + i] - q[i]) / l : 0;
        w->rate[i] = moves ? v[i] : 0, w->rate[3 + i] = affine && moves ? (v[3 + i] - v[i]) / l : 0;
    }
    w->weight[0][0] = 1, w->weight[0][1] = affine ? -1 / l : 0;
    w->weight[1][0] = 0, w->weight[1][1] = affine ? 1 / l : 0;
    w->at = 0;
    keep_frame(w, &w->s->frame[w->element]);
}

static sp_strand_segment *new_segment(sp_strand *s) {
    if (s->segment_count == s->segment_capacity) {
        sp_strand_segment *more;
        if (!SP_NEW(s->ctx, more, 2 * s->segment_capacity)) return NULL;
        memcpy(more, s->segment, (size_t)s->segment_count * sizeof *more);
        sp__free(s->ctx, s->segment);
        s->segment = more, s->segment_capacity *= 2;
    }
    return &s->segment[s->segment_count++];
}

static sp_status strand_cross_segment(sp_strand_pass *w, double h) {
    sp_strand *s = w->s;
    if (s->segment_count == SP_STRAND_SEGMENTS) return SP_NOT_FINITE;
    sp_strand_segment *g = new_segment(s);
    if (!g) return SP_NO_MEMORY;
    *g = (sp_strand_segment){.element = w->element, .from = w->at, .length = h, .at = s->pool_used};
    memcpy(g->begin, w->r, sizeof w->r);
    memcpy(g->turn, w->turn, sizeof w->turn);
    for (int j = 0; j < 2; j++) g->weight[j][0] = w->weight[j][0], g->weight[j][1] = h * w->weight[j][1];
    g->rows = sp__strand_expand(w, h);
    if (g->rows <= 0) return g->rows < 0 ? SP_NO_MEMORY : SP_NOT_FINITE;
    for (int i = 0; i < 3; i++) w->lambda[i] += h * w->lambda[3 + i], w->rate[i] += h * w->rate[3 + i];
    for (int j = 0; j < 2; j++) w->weight[j][0] += h * w->weight[j][1];
    return SP_OK;
}

static sp_status strand_cross_element(sp_strand_pass *w) {
    double l = w->s->element[w->element].length;
    while (w->at < l) {
        double next = w->at + sp__curve_step(1, w->lambda, SP_CURVE_REACH_PRODUCT, l - w->at);
        if (!(next < l)) next = l;
        SP_TRY(strand_cross_segment(w, next - w->at));
        w->at = next;
    }
    return SP_OK;
}

// Beyond this element, the first control moves everything towards the tip as a rigid body; the second control becomes the first.
static void end_element(sp_strand_pass *w) {
    sp_strand *s = w->s;
    for (int k = 0; k < 3; k++) {
        double turn[3] = {w->turn[0][k], w->turn[0][3 + k], w->turn[0][6 + k]}, back[3];
        double *U = s->rigid + 6 * (6 + 3 * (size_t)w->element + (size_t)k);
        sp__cross3(turn, w->r, back);
        for (int i = 0; i < 3; i++) U[i] = w->Dr[i][k] - back[i], U[3 + i] = turn[i];
    }
    memcpy(w->turn[0], w->turn[1], sizeof w->turn[0]), memset(w->turn[1], 0, sizeof w->turn[1]);
    for (int k = 0; k < 3; k++) {
        bool second = s->affine;
        for (int i = 0; i < 9; i++) w->now[i][1 + k] = second ? w->now[i][4 + k] : 0;
        for (int i = 0; i < 3; i++) w->Dr[i][k] = second ? w->Dr[i][3 + k] : 0;
        for (int i = 0; i < 9 && second; i++) w->now[i][4 + k] = 0;
        for (int i = 0; i < 3 && second; i++) w->Dr[i][3 + k] = 0;
    }
}

sp_status sp__strand_place(sp_strand *s, const sp_strand_state *state, bool motion) {
    sp_strand_pass w = {.s = s, .lanes = (1 + s->own + (motion ? 2 : 0) + 1) / 2 * 2};
    s->motion = motion, s->gathered = false;
    s->segment_count = 0, s->pool_used = 0;
    begin_pass(state, &w);
    for (w.element = 0; w.element < s->alive; w.element++) {
        begin_element(state, &w);
        SP_TRY(strand_cross_element(&w));
        end_element(&w);
    }
    for (int e = s->alive; e <= s->capacity; e++) keep_frame(&w, &s->frame[e]);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ from the tip to the root

static double strand_dot6(const double *a, const double *b) {
    return sp__dot3(a, b) + sp__dot3(a + 3, b + 3);
}

// adds the inertia of `ahead`, which an unknown moves rigidly, to the momenta of its own two elements
static void close_unknown(sp_strand *s, int u, const sp_strand_ahead *ahead) {
    const double *U = s->rigid + 6 * (size_t)u, *own = s->momentum + 12 * (size_t)u;
    double *M = s->M + (size_t)u * (size_t)s->unknowns, far[6], next[6], all[6];
    int first = u < 6 ? 6 : u - u % 3, before = u < 6 ? 6 : u < 9 ? 6 : first - 3;
    s->A[u] += strand_dot6(U, ahead->inertial);
    for (int i = 0; i < 6; i++) {
        far[i] = strand_dot6(ahead->inertia + 6 * i, U);
        next[i] = far[i] + own[6 + i], all[i] = next[i] + own[i];
    }
    // its own control moves only `ahead`; the previous one also the element after the node; all others everything
    for (int d = 0; d <= u; d++) M[d] += strand_dot6(s->rigid + 6 * (size_t)d, d >= first ? far : d >= before ? next : all);
}

static void strand_backward_pass(sp_strand *s) {
    sp_strand_ahead sum = {{0}, {0}};
    int controls = s->alive + s->affine, n = 6 + 3 * controls;
    for (int j = controls - 1; j >= 0; j--) {
        for (int k = 0; k < 3; k++) close_unknown(s, 6 + 3 * j + k, &sum);
        if (j >= s->alive) continue;
        const sp_strand_ahead *own = &s->ahead[j];
        for (int i = 0; i < 36; i++) sum.inertia[i] += own->inertia[i];
        for (int i = 0; i < 6; i++) sum.inertial[i] += own->inertial[i];
    }
    for (int u = 0; u < 6; u++) close_unknown(s, u, &sum);
    for (int u = 0; u < n; u++)
        for (int d = 0; d < u; d++)
            s->M[(size_t)d * (size_t)s->unknowns + (size_t)u] = s->M[(size_t)u * (size_t)s->unknowns + (size_t)d];
}

void sp__strand_gather(sp_strand *s) {
    size_t n = 6 + 3 * (size_t)(s->alive + s->affine);
    if (s->gathered) return;
    for (size_t u = 0; u < n; u++) memset(s->M + u * (size_t)s->unknowns, 0, n * sizeof *s->M);
    memset(s->A, 0, n * sizeof *s->A), memset(s->momentum, 0, 12 * n * sizeof *s->momentum);
    memset(s->ahead, 0, (size_t)s->alive * sizeof *s->ahead);
    s->mass = 0, memset(s->moment, 0, sizeof s->moment);
    for (int i = 0; i < s->segment_count; i++) sp__strand_integrate(s, &s->segment[i]);
    strand_backward_pass(s);
    s->gathered = true;
}

// the first three columns of M are the mass times velocity that each unknown moves: times g, the generalised force of the weight
void sp__strand_weigh(sp_strand *s, const double g[3]) {
    for (int u = 0; u < s->unknowns; u++) s->G[u] = sp__dot3(s->M + (size_t)u * (size_t)s->unknowns, g);
    s->load_energy = -sp__dot3(s->moment, g);
}

// ------------------------------------------------------------------------------------------------ elasticity

// Elasticity of a strand in curvature coordinates: Kbar, which does not depend on its shape (Casati 2015, 4.3.18 and 4.3.19).

static int live_controls(const sp_strand *s) {
    return s->alive + s->affine;
}

static double element_stiffness(const sp_strand *s, int e, int k) {
    return e >= 0 && e < s->alive ? s->element[e].length * s->element[e].stiffness[k] : 0;
}

// integrals of hat functions and their products, l/3 and l/6 in each element; constant functions: l
static double strand_diagonal(const sp_strand *s, int j, int k) {
    if (!s->affine) return element_stiffness(s, j, k);
    return (element_stiffness(s, j - 1, k) + element_stiffness(s, j, k)) / 3;
}

static double strand_off_diagonal(const sp_strand *s, int j, int k) {
    return s->affine ? element_stiffness(s, j, k) / 6 : 0;
}

void sp__strand_stiffness(const sp_strand *s, const double *x, double *out) {
    int n = live_controls(s);
    for (int j = 0; j < n; j++)
        for (int k = 0; k < 3; k++) {
            double sum = strand_diagonal(s, j, k) * x[3 * j + k];
            if (j > 0) sum += strand_off_diagonal(s, j - 1, k) * x[3 * (j - 1) + k];
            if (j + 1 < n) sum += strand_off_diagonal(s, j, k) * x[3 * (j + 1) + k];
            out[3 * j + k] = sum;
        }
    memset(out + 3 * n, 0, 3 * (size_t)(s->controls - n) * sizeof *out);
}

void sp__strand_add_lower_stiffness(const sp_strand *s, double c, double *A, int stride) {
    int n = live_controls(s);
    for (int j = 0; j < n; j++)
        for (int k = 0; k < 3; k++) {
            size_t row = (size_t)(3 * j + k), next = row + 3;
            A[row * (size_t)stride + row] += c * strand_diagonal(s, j, k);
            if (j + 1 < n) A[next * (size_t)stride + row] += c * strand_off_diagonal(s, j, k);
        }
}

// diagonally dominant: no pivoting
static void solve_axis(const sp_strand *s, int k, double *pivot, double *x) {
    int n = live_controls(s);
    for (int j = 0; j < n; j++) {
        pivot[j] = strand_diagonal(s, j, k);
        if (j == 0) continue;
        double factor = strand_off_diagonal(s, j - 1, k) / pivot[j - 1];
        pivot[j] -= factor * strand_off_diagonal(s, j - 1, k);
        x[3 * j + k] -= factor * x[3 * (j - 1) + k];
    }
    for (int j = n - 1; j >= 0; j--) {
        if (j + 1 < n) x[3 * j + k] -= strand_off_diagonal(s, j, k) * x[3 * (j + 1) + k];
        x[3 * j + k] /= pivot[j];
    }
}

sp_status sp__strand_stiffness_solve(const sp_strand *s, const double *b, double *x) {
    int n = live_controls(s);
    double *pivot;
    if (!SP_NEW(s->ctx, pivot, n)) return SP_FAIL(s->ctx, SP_NO_MEMORY, "no memory to solve for %d controls", n);
    if (x != b) memcpy(x, b, 3 * (size_t)s->controls * sizeof *x);
    memset(x + 3 * n, 0, 3 * (size_t)(s->controls - n) * sizeof *x);
    for (int k = 0; k < 3; k++) solve_axis(s, k, pivot, x);
    sp__free(s->ctx, pivot);
    return SP_OK;
}

double sp__strand_energy(const sp_strand *s, int element, const double *q, const double *rest) {
    size_t i = 3 * (size_t)element, j = s->affine ? i + 3 : i;
    double sum = 0;
    if (element >= s->alive) return 0;
    for (size_t k = 0; k < 3; k++) {
        double a = q[i + k] - rest[i + k], b = q[j + k] - rest[j + k];
        sum += element_stiffness(s, element, (int)k) * (a * a + a * b + b * b) / 6;
    }
    return sum;
}

// ------------------------------------------------------------------------------------------------ places

// Points of a placed strand: frames and Jacobians, from the polynomials of the segments.

// ------------------------------------------------------------------------------------------------ segments

static const sp_strand_segment *find_segment(const sp_strand *s, int element, double at) {
    int low = 0, high = s->segment_count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        const sp_strand_segment *g = &s->segment[middle];
        if (g->element > element || (g->element == element && g->from > at))
            high = middle - 1;
        else
            low = middle;
    }
    return &s->segment[low];
}

const sp_strand_segment *sp__strand_open(const sp_strand *s, int element, double at, double *u) {
    if (element >= s->alive) element = s->alive - 1, at = s->element[element].length;
    if (!(at > 0)) at = 0;
    const sp_strand_segment *g = find_segment(s, element, at);
    *u = (at - g->from) / g->length;
    if (*u > 1) *u = 1;
    return g;
}

// Evaluation at a point of a segment.
typedef struct strand_point {
    double R[9], r[3];
    double slope[3][SP_STRAND_COLUMNS];  // velocity with respect to its own controls
    double turn[2][9];                   // angular velocity with respect to them
} strand_point;

// Horner scheme for several polynomials, an even number
static inline void strand_horner(int width, const double *row, size_t stride, int rows, double u, double *out) {
    sp_pair sum[3 * SP_STRAND_COLUMNS / 2] = {{0, 0}}, w = sp__pair(u);
    for (int n = rows - 1; n >= 0; n--) {
        const sp_pair *x = (const sp_pair *)(row + stride * (size_t)n);
        for (int k = 0; k < width / 2; k++) sum[k] = sum[k] * w + x[k];
    }
    memcpy(out, sum, (size_t)width * sizeof *out);
}

void sp__strand_frame_at(const sp_strand *s, const sp_strand_segment *g, double u, double R[9], double r[3]) {
    double sum[12];
    strand_horner(12, s->pool + g->at, sp__strand_row(s), g->rows, u, sum);
    memcpy(R, sum, 9 * sizeof *R);
    for (int i = 0; i < 3; i++) r[i] = g->begin[i] + sum[9 + i];
}

// rotations are integrals of the frame times the weight of a control, term by term
void sp__strand_rotation_derivatives(const sp_strand *s, const sp_strand_segment *g, double u, double out[2][9]) {
    sp_pair sum[9] = {{0, 0}}, w = sp__pair(u);
    for (int n = g->rows - 1; n >= 0; n--) {
        const double *R = s->pool + g->at + sp__strand_row(s) * (size_t)n;
        sp_pair both = {1.0 / (n + 1), 1.0 / (n + 2)};
        for (int i = 0; i < 9; i++) sum[i] = sum[i] * w + both * sp__pair(R[i]);
    }
    double p = g->length * u, q = p * u;
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 9; i++) out[j][i] = g->turn[j][i] + g->weight[j][0] * p * sum[i][0] + g->weight[j][1] * q * sum[i][1];
}

static void strand_evaluate_at(const sp_strand *s, const sp_strand_segment *g, double u, strand_point *out) {
    double sum[3 * SP_STRAND_COLUMNS];
    const double *slopes = s->pool + g->at + SP_STRAND_X + SP_STRAND_SLOPE;
    sp__strand_frame_at(s, g, u, out->R, out->r);
    if (s->affine)
        strand_horner(18, slopes, sp__strand_row(s), g->rows, u, sum);
    else
        strand_horner(12, slopes, sp__strand_row(s), g->rows, u, sum);
    for (int i = 0; i < 3; i++) memcpy(out->slope[i], sum + sp__strand_wide(s) * i, (size_t)s->own * sizeof *sum);
    sp__strand_rotation_derivatives(s, g, u, out->turn);
}

// ------------------------------------------------------------------------------------------------ places

void sp__strand_frame(const sp_strand *s, int element, double at, sp_curve_frame *out) {
    double u;
    const sp_strand_segment *g = sp__strand_open(s, element, at, &u);
    sp__strand_frame_at(s, g, u, out->R, out->r);
}

int sp__strand_slopes(const sp_strand *s, int element, double at, double *columns) {
    double u, turned[3];
    strand_point here;
    const sp_strand_segment *g = sp__strand_open(s, element, at, &u);
    int behind = 6 + 3 * g->element;
    strand_evaluate_at(s, g, u, &here);
    for (int d = 0; d < behind; d++) {
        const double *U = s->rigid + 6 * (size_t)d;
        sp__cross3(U + 3, here.r, turned);
        for (int i = 0; i < 3; i++) columns[6 * d + i] = U[i] + turned[i], columns[6 * d + 3 + i] = U[3 + i];
    }
    for (int c = 0; c < s->own; c++)
        for (int i = 0; i < 3; i++) {
            columns[6 * (behind + c) + i] = here.slope[i][c];
            columns[6 * (behind + c) + 3 + i] = here.turn[c / 3][3 * i + c % 3];
        }
    return behind + s->own;
}

void sp__strand_speed(const sp_strand *s, int element, double at, const double *v, double out[6]) {
    double u, U[6] = {0}, turned[3];
    strand_point here;
    const sp_strand_segment *g = sp__strand_open(s, element, at, &u);
    int behind = 6 + 3 * g->element;
    strand_evaluate_at(s, g, u, &here);
    for (int d = 0; d < behind; d++)
        for (int i = 0; i < 6; i++) U[i] += s->rigid[6 * (size_t)d + (size_t)i] * v[d];
    sp__cross3(U + 3, here.r, turned);
    for (int i = 0; i < 3; i++) {
        out[i] = U[i] + turned[i], out[3 + i] = U[3 + i];
        for (int c = 0; c < s->own; c++) {
            out[i] += here.slope[i][c] * v[behind + c];
            out[3 + i] += here.turn[c / 3][3 * i + c % 3] * v[behind + c];
        }
    }
}

// The position's acceleration is a series. The frame's angular acceleration is the integral of w x (R rate) from the root, where
// rate is that of the curvature: R rate is the derivative of w along the strand, and rotates with w.
static void turn_element(const sp_strand *s, int e, double to, const double *v, double out[3]) {
    enum { POINTS = 3, PANELS = 8 };
    static const double at[POINTS] = {0.11270166537925831, 0.5, 0.88729833462074169},
                        weight[POINTS] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    const double *rate = v + 6 + 3 * (size_t)e;
    for (int i = 0; i < PANELS * POINTS; i++) {
        double place = to * (i / POINTS + at[i % POINTS]) / PANELS, share = place / s->element[e].length;
        double six[6], own[3], along[3], turned[3];
        sp_curve_frame f;
        sp__strand_speed(s, e, place, v, six);
        sp__strand_frame(s, e, place, &f);
        for (int k = 0; k < 3; k++) own[k] = s->affine ? (1 - share) * rate[k] + share * rate[3 + k] : rate[k];
        sp__mul3(f.R, own, along);
        sp__cross3(six + 3, along, turned);
        sp__axpy3(out, to * weight[i % POINTS] / PANELS, turned, out);
    }
}

void sp__strand_acceleration(const sp_strand *s, int element, double at, const double *v, bool turns, double out[6]) {
    double u, sum[12];
    const sp_strand_segment *g = sp__strand_open(s, element, at, &u);
    const double *row = s->pool + g->at + SP_STRAND_X + SP_STRAND_PLACE;  // position, then acceleration
    strand_horner(6, row, sp__strand_row(s), g->rows, u, sum);
    memset(out, 0, 6 * sizeof *out);
    memcpy(out, sum + SP_STRAND_ACCELERATION, 3 * sizeof *out);
    for (int e = 0; e <= g->element && turns; e++)
        turn_element(s, e, e < g->element ? s->element[e].length : g->from + u * g->length, v, out + 3);
}
