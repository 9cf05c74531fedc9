// A strand as a whole (strand.h): along it from the root with series, then back from the tip with what lies ahead.
#include "rod/strand.h"

#include "math/vec3.h"
#include "rod/strand_internal.h"

sp_status sp__strand_init(sp_context *ctx, const sp_strand_def *def, sp_strand *s) {
    *s = (sp_strand){.ctx = ctx, .def = *def};
    s->controls = def->elements + def->affine;
    s->unknowns = 6 + 3 * s->controls;
    size_t n = (size_t)s->unknowns, e = (size_t)def->elements;
    if (!SP_NEW(ctx, s->length, e) || !SP_NEW(ctx, s->M, n * n) || !SP_NEW(ctx, s->G, n) || !SP_NEW(ctx, s->A, n) ||
        !SP_NEW(ctx, s->rigid, 6 * n) || !SP_NEW(ctx, s->frame, e + 1) || !SP_NEW(ctx, s->ahead, e + 1) ||
        !SP_NEW(ctx, s->momentum, 12 * n) || !SP_NEW(ctx, s->series, 1))
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a strand of %d elements", def->elements);
    memcpy(s->length, def->length, e * sizeof *s->length);
    s->def.length = s->length;
    return SP_OK;
}

void sp__strand_free(sp_strand *s) {
    void *all[] = {s->length, s->M, s->G, s->A, s->rigid, s->frame, s->ahead, s->momentum, s->series, s->segment, s->pool};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) sp__free(s->ctx, all[i]);
    *s = (sp_strand){0};
}

// ------------------------------------------------------------------------------------------------ segments

static bool grow(sp_context *ctx, void **items, size_t used, size_t wanted, size_t *room, size_t size) {
    if (wanted <= *room) return true;
    size_t more = 2 * wanted;
    void *bigger = sp__alloc(ctx, more, size);
    if (!bigger) return false;
    if (used) memcpy(bigger, *items, used * size);
    sp__free(ctx, *items);
    *items = bigger, *room = more;
    return true;
}

// kept for places asked for later
static sp_status keep_segment(const sp_strand_walk *w, double h, int rows) {
    sp_strand *s = w->s;
    size_t numbers = 21 * (size_t)rows, room = (size_t)s->segment_room;
    void *segments = s->segment, *pool = s->pool;
    bool fits = grow(s->ctx, &segments, (size_t)s->segment_count, (size_t)s->segment_count + 1, &room, sizeof *s->segment);
    s->segment = segments, s->segment_room = (int)room;
    fits = fits && grow(s->ctx, &pool, s->pool_used, s->pool_used + numbers, &s->pool_room, sizeof *s->pool);
    s->pool = pool;
    if (!fits) return SP_FAIL(s->ctx, SP_NO_MEMORY, "no memory for %d segments of a strand", s->segment_count + 1);
    sp_strand_segment *g = &s->segment[s->segment_count++];
    *g = (sp_strand_segment){.element = w->element, .terms = rows, .from = w->at, .length = h, .at = s->pool_used};
    memcpy(g->begin, w->r, sizeof w->r);
    for (int n = 0; n < rows; n++) memcpy(s->pool + s->pool_used + 21 * (size_t)n, s->series->X[n], 21 * sizeof *s->pool);
    s->pool_used += numbers;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ from the root to the tip

static void hat(const double u[3], double out[9]) {
    double m[9] = {0, -u[2], u[1], u[2], 0, -u[0], -u[1], u[0], 0};
    memcpy(out, m, sizeof m);
}

// columns of the root: a velocity, and a turn about its place
static void begin_walk(sp_strand *s, const sp_strand_state *state, sp_strand_walk *w) {
    double spin[9], turn[9], twice[9];
    memcpy(w->R, state->root.R, sizeof w->R), memcpy(w->r, state->root.r, sizeof w->r);
    hat(state->root_velocity + 3, spin);
    hat(state->root_acceleration + 3, turn);
    sp__mul33(spin, w->R, w->V);
    sp__mul33(spin, w->V, twice);
    sp__mul33(turn, w->R, w->W);
    for (int i = 0; i < 9; i++) w->W[i] += twice[i];
    memcpy(w->acceleration, state->root_acceleration, sizeof w->acceleration);
    for (int k = 0; k < 3; k++) {
        double axis[3] = {k == 0, k == 1, k == 2};
        s->rigid[6 * k + k] = 1;
        s->rigid[6 * (k + 3) + 3 + k] = 1;
        sp__cross3(w->r, axis, s->rigid + 6 * (k + 3));
    }
}

// curvature and weights of the controls about the start of an element
static void begin_element(const sp_strand_state *state, sp_strand_walk *w) {
    double l = w->s->length[w->element];
    const double *q = state->q + 3 * w->element, *v = state->v + 3 * w->element;
    bool affine = w->controls == 2;
    for (int i = 0; i < 3; i++) {
        w->lambda[i] = q[i], w->lambda[3 + i] = affine ? (q[3 + i] - q[i]) / l : 0;
        w->rate[i] = v[i], w->rate[3 + i] = affine ? (v[3 + i] - v[i]) / l : 0;
    }
    w->weight[0][0] = 1, w->weight[0][1] = affine ? -1 / l : 0;
    w->weight[1][0] = 0, w->weight[1][1] = affine ? 1 / l : 0;
    w->at = 0;
    memcpy(w->s->frame[w->element].R, w->R, sizeof w->R), memcpy(w->s->frame[w->element].r, w->r, sizeof w->r);
}

static void move_on(sp_strand_walk *w, double h) {
    for (int i = 0; i < 3; i++) w->lambda[i] += h * w->lambda[3 + i], w->rate[i] += h * w->rate[3 + i];
    for (int j = 0; j < 2; j++) w->weight[j][0] += h * w->weight[j][1];
}

static sp_status cross_element(sp_strand_walk *w) {
    double l = w->s->length[w->element];
    while (w->at < l) {
        double next = w->at + sp__curve_step(1, w->lambda, SP_CURVE_REACH_PRODUCT, l - w->at), h;
        if (!(next < l)) next = l;
        h = next - w->at;
        int rows = sp__strand_expand(w, h, w->s->series);
        if (!rows)
            return SP_FAIL(w->s->ctx, SP_NOT_FINITE, "element %d of a strand: curvature (%g, %g, %g) 1/m", w->element,
                           w->lambda[0], w->lambda[1], w->lambda[2]);
        sp__strand_integrate(w, h, rows, w->s->series);
        SP_TRY(keep_segment(w, h, rows));
        sp__strand_advance(w, rows, w->s->series);
        move_on(w, h);
        w->at = next;
    }
    return SP_OK;
}

// From here on the first control moves what lies ahead as a rigid body, dR = [w]x R; the second becomes the first.
static void end_element(sp_strand_walk *w) {
    sp_strand *s = w->s;
    for (int k = 0; k < 3; k++) {
        double T[9], D[9], turn[3], back[3], *U = s->rigid + 6 * (6 + 3 * (size_t)w->element + (size_t)k);
        for (int i = 0; i < 9; i++) D[i] = w->D[i][k];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) T[3 * i + j] = sp__dot3(D + 3 * i, w->R + 3 * j);
        turn[0] = 0.5 * (T[7] - T[5]), turn[1] = 0.5 * (T[2] - T[6]), turn[2] = 0.5 * (T[3] - T[1]);
        sp__cross3(turn, w->r, back);
        for (int i = 0; i < 3; i++) U[i] = w->Dr[i][k] - back[i], U[3 + i] = turn[i];
    }
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 3; k++) w->D[i][k] = w->controls == 2 ? w->D[i][k + 3] : 0, w->D[i][k + 3] = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) w->Dr[i][k] = w->controls == 2 ? w->Dr[i][k + 3] : 0, w->Dr[i][k + 3] = 0;
}

// ------------------------------------------------------------------------------------------------ and back

static double dot6(const double *a, const double *b) {
    return sp__dot3(a, b) + sp__dot3(a + 3, b + 3);
}

// an unknown that moves all of `ahead` rigidly, beside the two momenta of its own elements
static void close_unknown(sp_strand *s, int u, const sp_strand_ahead *ahead) {
    const double *U = s->rigid + 6 * (size_t)u;
    double *own = s->momentum + 12 * (size_t)u, *M = s->M + (size_t)u * (size_t)s->unknowns;
    int first = u < 6 ? 0 : u - u % 3, before = u < 6 ? 0 : first - 3;
    s->G[u] += dot6(U, ahead->load);
    s->A[u] += dot6(U, ahead->inertial);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) own[6 + i] += ahead->inertia[6 * i + j] * U[j];
    // its own control moves only what is ahead; the one before also the element after the node; all others everything
    for (int d = 0; d <= u; d++) {
        const double *V = s->rigid + 6 * (size_t)d;
        if (d >= first && u >= 6)
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < 6; j++) M[d] += V[i] * ahead->inertia[6 * i + j] * U[j];
        else
            M[d] += dot6(V, own + 6) + (d < before || d < 6 ? dot6(V, own) : 0);
    }
}

static void walk_back(sp_strand *s) {
    sp_strand_ahead sum = {{0}, {0}, {0}};
    for (int j = s->controls - 1; j >= 0; j--) {
        for (int k = 0; k < 3; k++) close_unknown(s, 6 + 3 * j + k, &sum);
        if (j >= s->def.elements) continue;
        const sp_strand_ahead *own = &s->ahead[j];
        for (int i = 0; i < 36; i++) sum.inertia[i] += own->inertia[i];
        for (int i = 0; i < 6; i++) sum.inertial[i] += own->inertial[i], sum.load[i] += own->load[i];
    }
    for (int u = 0; u < 6; u++) close_unknown(s, u, &sum);
    for (int u = 0; u < s->unknowns; u++)
        for (int d = 0; d < u; d++)
            s->M[(size_t)d * (size_t)s->unknowns + (size_t)u] = s->M[(size_t)u * (size_t)s->unknowns + (size_t)d];
}

sp_status sp__strand_evaluate(sp_strand *s, const sp_strand_state *state, const double p[3]) {
    size_t n = (size_t)s->unknowns;
    sp_strand_walk w = {.s = s, .p = p, .controls = s->def.affine ? 2 : 1};
    memset(s->M, 0, n * n * sizeof *s->M), memset(s->G, 0, n * sizeof *s->G), memset(s->A, 0, n * sizeof *s->A);
    memset(s->rigid, 0, 6 * n * sizeof *s->rigid), memset(s->momentum, 0, 12 * n * sizeof *s->momentum);
    memset(s->ahead, 0, ((size_t)s->def.elements + 1) * sizeof *s->ahead);
    s->load_energy = 0, s->segment_count = 0, s->pool_used = 0;
    begin_walk(s, state, &w);
    for (w.element = 0; w.element < s->def.elements; w.element++) {
        begin_element(state, &w);
        SP_TRY(cross_element(&w));
        end_element(&w);
    }
    memcpy(s->frame[s->def.elements].R, w.R, sizeof w.R), memcpy(s->frame[s->def.elements].r, w.r, sizeof w.r);
    walk_back(s);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ places

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

void sp__strand_point(const sp_strand *s, int element, double at, double x[3], double *J) {
    const sp_strand_segment *g = find_segment(s, element, at);
    double X[21] = {0}, u = (at - g->from) / g->length;
    for (int n = g->terms - 1; n >= 0; n--)
        for (int k = 0; k < 21; k++) X[k] = X[k] * u + s->pool[g->at + 21 * (size_t)n + (size_t)k];
    for (int i = 0; i < 3; i++) x[i] = g->begin[i] + X[i];
    if (!J) return;
    size_t n = (size_t)s->unknowns, behind = 6 + 3 * (size_t)element;
    for (size_t d = 0; d < n; d++) {
        const double *U = s->rigid + 6 * d;
        double turned[3];
        sp__cross3(U + 3, x, turned);
        for (size_t i = 0; i < 3; i++) J[n * i + d] = d < behind ? U[i] + turned[i] : 0;
    }
    for (size_t c = 0; c < (s->def.affine ? 6u : 3u); c++)
        for (size_t i = 0; i < 3; i++) J[n * i + behind + c] = X[3 + 6 * i + c];
}

// ------------------------------------------------------------------------------------------------ elasticity

// (4.3.19): hats and their products, l/3 and l/6; constant pieces: l
static double diagonal(const sp_strand *s, int j) {
    if (!s->def.affine) return s->length[j];
    return ((j > 0 ? s->length[j - 1] : 0) + (j < s->def.elements ? s->length[j] : 0)) / 3;
}

static double beside(const sp_strand *s, int j) {
    return s->def.affine && j < s->def.elements ? s->length[j] / 6 : 0;
}

void sp__strand_stiffness(const sp_strand *s, const double *x, double *out) {
    for (int j = 0; j < s->controls; j++)
        for (int k = 0; k < 3; k++) {
            double sum = diagonal(s, j) * x[3 * j + k];
            if (j > 0) sum += beside(s, j - 1) * x[3 * (j - 1) + k];
            if (j + 1 < s->controls) sum += beside(s, j) * x[3 * (j + 1) + k];
            out[3 * j + k] = s->def.stiffness[k] * sum;
        }
}

void sp__strand_add_stiffness(const sp_strand *s, double c, double *A, int stride) {
    for (int j = 0; j < s->controls; j++)
        for (int k = 0; k < 3; k++) {
            size_t row = (size_t)(3 * j + k), next = row + 3, width = (size_t)stride;
            double stiff = c * s->def.stiffness[k];
            A[row * width + row] += stiff * diagonal(s, j);
            if (j + 1 == s->controls) continue;
            A[row * width + next] += stiff * beside(s, j);
            A[next * width + row] += stiff * beside(s, j);
        }
}

// the matrix is the same for all three components but for a factor, and diagonally dominant: no pivots
sp_status sp__strand_stiffness_solve(const sp_strand *s, const double *b, double *x) {
    int n = s->controls;
    double *pivot;
    if (!SP_NEW(s->ctx, pivot, n)) return SP_FAIL(s->ctx, SP_NO_MEMORY, "no memory to solve for %d controls", n);
    if (x != b) memcpy(x, b, 3 * (size_t)n * sizeof *x);
    for (int j = 0; j < n; j++) {
        double factor = j > 0 ? beside(s, j - 1) / pivot[j - 1] : 0;
        pivot[j] = diagonal(s, j) - (j > 0 ? factor * beside(s, j - 1) : 0);
        for (int k = 0; k < 3 && j > 0; k++) x[3 * j + k] -= factor * x[3 * (j - 1) + k];
    }
    for (int j = n - 1; j >= 0; j--)
        for (int k = 0; k < 3; k++) {
            if (j + 1 < n) x[3 * j + k] -= beside(s, j) * x[3 * (j + 1) + k];
            x[3 * j + k] /= pivot[j];
        }
    for (int j = 0; j < n; j++)
        for (int k = 0; k < 3; k++) x[3 * j + k] /= s->def.stiffness[k];
    sp__free(s->ctx, pivot);
    return SP_OK;
}
