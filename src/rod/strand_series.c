// One segment of a strand: series of the frame and of its derivatives, and their integrals. Only the frame and the integrands are
// stored, in rows of the pool; the recurrence needs the two previous terms. Equation numbers are those of Casati 2015.
#include "math/vec3.h"
#include "rod/strand_internal.h"

enum { LANES = SP_STRAND_LANES, PLACE = SP_STRAND_PLACE, ACCELERATION = SP_STRAND_ACCELERATION, SLOPE = SP_STRAND_SLOPE };

typedef double lanes_of[LANES];  // lanes of one entry of the frame

// ------------------------------------------------------------------------------------------------ recurrences

// Contribution of terms n - 1 and n - 2 to term n through the two coefficients of the curvature: (4.2.19) in every lane. Constant
// curvature has one coefficient.
static inline void rotate_lanes(int lanes, bool twice, lanes_of *A, const double a[3], lanes_of *B, const double b[3],
                                lanes_of *out) {
    sp_pair ax = sp__pair(a[0]), ay = sp__pair(a[1]), az = sp__pair(a[2]);
    sp_pair bx = sp__pair(b[0]), by = sp__pair(b[1]), bz = sp__pair(b[2]);
    for (int i = 0; i < 9; i += 3)
        for (int l = 0; l < lanes; l += 2) {
            sp_pair x = *(sp_pair *)(A[i] + l), y = *(sp_pair *)(A[i + 1] + l), z = *(sp_pair *)(A[i + 2] + l);
            sp_pair t = y * az - z * ay, n1 = z * ax - x * az, n2 = x * ay - y * ax;
            if (twice) {
                x = *(sp_pair *)(B[i] + l), y = *(sp_pair *)(B[i + 1] + l), z = *(sp_pair *)(B[i + 2] + l);
                t += y * bz - z * by, n1 += z * bx - x * bz, n2 += x * by - y * bx;
            }
            *(sp_pair *)(out[i] + l) = t, *(sp_pair *)(out[i + 1] + l) = n1, *(sp_pair *)(out[i + 2] + l) = n2;
        }
}

// compile-time lane counts, so that the loops are unrolled
static void series_rotate(int lanes, lanes_of *A, const double a[3], lanes_of *B, const double b[3], lanes_of *out) {
    switch (lanes) {
    case 4: rotate_lanes(4, false, A, a, B, b, out); break;
    case 6: rotate_lanes(6, false, A, a, B, b, out); break;
    case 8: rotate_lanes(8, true, A, a, B, b, out); break;
    default: rotate_lanes(10, true, A, a, B, b, out); break;
    }
}

// derivatives with respect to controls (4.3.26): S [e_k]x in the lane of axis k; S combines the frames of both terms with the
// weights of the control
static void add_axes(const double S[9], int first, lanes_of *out) {
    for (int i = 0; i < 9; i += 3) {
        out[i + 1][first] += S[i + 2], out[i + 2][first] -= S[i + 1];
        out[i + 2][first + 1] += S[i], out[i][first + 1] -= S[i + 2];
        out[i][first + 2] += S[i + 1], out[i + 1][first + 2] -= S[i];
    }
}

// lanes of the time derivatives: (4.3.26) and (4.3.27) contracted with the rates of the controls; the second derivative uses
// twice the first one
static void series_add_motion(lanes_of *A, const double rate[3], double s, int V, lanes_of *out) {
    sp_pair x = sp__pair(s * rate[0]), y = sp__pair(s * rate[1]), z = sp__pair(s * rate[2]);
    for (int i = 0; i < 9; i += 3) {
        sp_pair t = {A[i][0], 2 * A[i][V]}, n1 = {A[i + 1][0], 2 * A[i + 1][V]}, n2 = {A[i + 2][0], 2 * A[i + 2][V]};
        *(sp_pair *)(out[i] + V) += n1 * z - n2 * y;
        *(sp_pair *)(out[i + 1] + V) += n2 * x - t * z;
        *(sp_pair *)(out[i + 2] + V) += t * y - n1 * x;
    }
}

// term n from the two previous ones
static void next_term(const sp_strand_pass *w, double h, int n, lanes_of *A, lanes_of *B, lanes_of *out) {
    double s = h / n, ss = n > 1 ? h * s : 0, a[3], b[3], S[9];
    for (int i = 0; i < 3; i++) a[i] = s * w->lambda[i], b[i] = ss * w->lambda[3 + i];
    series_rotate(w->lanes, A, a, B, b, out);
    for (int j = 0; 3 * j < w->s->own; j++) {
        double u = s * w->weight[j][0], v = ss * w->weight[j][1];
        for (int i = 0; i < 9; i++) S[i] = u * A[i][0] + v * B[i][0];
        add_axes(S, 1 + 3 * j, out);
    }
    if (!w->s->motion) return;
    series_add_motion(A, w->rate, s, sp__strand_lane_of_motion(w->s), out);
    if (w->s->affine) series_add_motion(B, w->rate + 3, ss, sp__strand_lane_of_motion(w->s), out);
}

// ------------------------------------------------------------------------------------------------ truncation

// squared sizes by kind: frame, control derivatives, first and second time derivative
static void series_sizes(const sp_strand_pass *w, lanes_of *T, double out[4]) {
    double lane[LANES];
    for (int l = 0; l < LANES; l += 2) {
        sp_pair all = {0, 0};
        for (int i = 0; i < 9; i++) {
            sp_pair x = *(sp_pair *)(T[i] + l);
            all += x * x;
        }
        *(sp_pair *)(lane + l) = all;
    }
    int V = sp__strand_lane_of_motion(w->s);
    out[0] = lane[0], out[1] = 0, out[2] = lane[V], out[3] = lane[V + 1];
    for (int l = 1; l < V; l++) out[1] += lane[l];
}

// squared size of a term relative to the largest of its kind so far
static double series_share_of(const sp_strand_pass *w, lanes_of *T, double most[4]) {
    double now[4], share = 0;
    series_sizes(w, T, now);
    for (int k = 0; k < 4; k++) {
        most[k] = now[k] > most[k] ? now[k] : most[k];
        if (now[k] > share * most[k]) share = now[k] / most[k];
    }
    return share;
}

// sums the lanes of the time derivatives at the end of the segment
static void add_sum(const sp_strand_pass *w, lanes_of *T, sp_pair sum[9]) {
    int V = sp__strand_lane_of_motion(w->s);
    for (int i = 0; i < 9; i++) sum[i] += *(sp_pair *)(T[i] + V);
}

// ------------------------------------------------------------------------------------------------ rows

static bool series_reserve(sp_strand *s, size_t wanted) {
    if (wanted <= s->pool_capacity) return true;
    double *bigger;
    if (!SP_NEW(s->ctx, bigger, 2 * wanted)) return false;
    memcpy(bigger, s->pool, s->pool_used * sizeof *bigger);
    sp__free(s->ctx, s->pool);
    s->pool = bigger, s->pool_capacity = 2 * wanted;
    return true;
}

// row 0: values at the start of the segment
static void first_row(const sp_strand_pass *w, double *row) {
    double *X = row + SP_STRAND_X;
    int wide = sp__strand_wide(w->s);
    for (int i = 0; i < 3; i++) {
        X[PLACE + i] = 0, X[ACCELERATION + i] = w->acceleration[i];
        for (int c = 0; c < wide; c++) X[SLOPE + wide * i + c] = w->Dr[i][c];
    }
    X[SLOPE + 3 * wide] = 1;
}

// integrates the first columns of a term (4.2.4b) into the next row
static void series_fill_row(const sp_strand_pass *w, lanes_of *T, double s, double share, double *row) {
    double *X = row + SP_STRAND_X;
    int wide = sp__strand_wide(w->s), W = sp__strand_lane_of_motion(w->s) + 1;
    for (int i = 0; i < 3; i++) {
        const double *t = T[3 * i];
        X[PLACE + i] = s * t[0], X[ACCELERATION + i] = s * t[W];
        for (int c = 0; c < wide; c += 2) *(sp_pair *)(X + SLOPE + wide * i + c) = sp__pair(s) * *(sp_pair *)(t + 1 + c);
    }
    X[SLOPE + 3 * wide] = share;
}

static void series_fill_frame(lanes_of *T, double *row) {
    for (int i = 0; i < 9; i++) row[SP_STRAND_FRAME + i] = T[i][0];
}

// the derivative with respect to a control is a rotation of the frame
static void rotate_frame(sp_strand_pass *w, int c) {
    const double *t = w->turn[c / 3] + c % 3;
    for (int j = 0; j < 3; j++) {
        double x = w->now[j][0], y = w->now[3 + j][0], z = w->now[6 + j][0];
        w->now[j][1 + c] = t[3] * z - t[6] * y;
        w->now[3 + j][1 + c] = t[6] * x - t[0] * z;
        w->now[6 + j][1 + c] = t[0] * y - t[3] * x;
    }
}

// values at the end of the segment: sums of rows, small ones first, and of rotations (integrals of frame times weight)
static void series_sum_rows(sp_strand_pass *w, double h, int rows, const double *row) {
    size_t width = sp__strand_row(w->s);
    int own = w->s->own, wide = sp__strand_wide(w->s);
    double sum[SP_STRAND_X + SLOPE + 3 * SP_STRAND_COLUMNS + 1] = {0};
    sp_pair turns[9] = {{0, 0}};
    for (int n = rows - 1; n >= 0; n--) {
        const double *from = row + width * (size_t)n;
        for (size_t k = 0; k < width; k += 2) *(sp_pair *)(sum + k) += *(const sp_pair *)(from + k);
        sp_pair both = {h / (n + 1), h / (n + 2)};
        for (int i = 0; i < 9; i++) turns[i] += both * sp__pair(from[i]);
    }
    for (int j = 0; 3 * j < own; j++)
        for (int i = 0; i < 9; i++) w->turn[j][i] += w->weight[j][0] * turns[i][0] + h * w->weight[j][1] * turns[i][1];
    for (int i = 0; i < 9; i++) w->now[i][0] = sum[i];
    for (int c = 0; c < own; c++) rotate_frame(w, c);
    const double *X = sum + SP_STRAND_X;
    for (int i = 0; i < 3; i++) {
        w->r[i] += X[PLACE + i], w->acceleration[i] = X[ACCELERATION + i];
        for (int c = 0; c < own; c++) w->Dr[i][c] = X[SLOPE + wide * i + c];
    }
}

static bool is_finite(const sp_strand_pass *w, double h) {
    double sum = fabs(h);
    for (int i = 0; i < 6; i++) sum += fabs(w->lambda[i]) + fabs(w->rate[i]);
    return isfinite(sum);
}

int sp__strand_expand(sp_strand_pass *w, double h) {
    sp_strand *s = w->s;
    size_t width = sp__strand_row(s), at = s->pool_used;
    double most[4] = {0, 0, 0, 0}, share, end = s->tolerance * s->tolerance;
    sp_strand_term term[3] = {{{0}}};
    sp_pair sum[9] = {{0, 0}};
    int V = sp__strand_lane_of_motion(s), small = 0, n = 0;
    if (!is_finite(w, h)) return 0;
    if (!series_reserve(s, at + width)) return -1;
    memcpy(term[0], w->now, sizeof w->now);
    share = series_share_of(w, term[0], most);
    add_sum(w, term[0], sum);
    first_row(w, s->pool + at);
    series_fill_frame(term[0], s->pool + at);
    while (small < 2) {
        if (++n == SP_STRAND_TERMS) return 0;
        s->pool_used = at + width * (size_t)n;
        if (!series_reserve(s, s->pool_used + width)) return -1;
        double *row = s->pool + s->pool_used;
        series_fill_row(w, term[(n + 2) % 3], h / n, share, row);
        next_term(w, h, n, term[(n + 2) % 3], term[(n + 1) % 3], term[n % 3]);
        series_fill_frame(term[n % 3], row);
        share = series_share_of(w, term[n % 3], most);
        small = share <= end ? small + 1 : 0;
        if (s->motion) add_sum(w, term[n % 3], sum);
    }
    if (!isfinite(most[0] + most[1] + most[2] + most[3])) return 0;
    s->pool_used = at + width * (size_t)(n + 1);
    for (int i = 0; i < 9; i++) *(sp_pair *)(w->now[i] + V) = sum[i];
    series_sum_rows(w, h, n + 1, s->pool + at);
    return n + 1;
}

// ------------------------------------------------------------------------------------------------ integrals

// Integrals over one segment: all products of its polynomials for mass, momenta and quadratic velocity terms.

enum { COLUMNS = SP_STRAND_COLUMNS };
enum { WIDTH = SLOPE + 3 * COLUMNS };

// integrals over u in [0, 1]; those of the Jacobian are summed over the three axes
typedef struct sums {
    double total[WIDTH];
    double moment[3][WIDTH];        // position times every column
    double inertial[COLUMNS];       // Jacobian times acceleration
    double mass[COLUMNS][COLUMNS];  // Jacobian times Jacobian
} sums;

// ------------------------------------------------------------------------------------------------ products

// Y = sum over n of X_n / (m + n + 1). The integral of a product of two polynomials is the sum over m of x_m y_m. This gives all
// integrated Cauchy products of the segment (4.3.28) for little more than the cost of one. Six columns stay in registers.
static void series_weigh(int width, int rows, const double *X, size_t stride, const double *inverse, double *Y) {
    for (int k = 0; k < width; k += 6) {
        sp_pair a = {0, 0}, b = {0, 0}, c = {0, 0}, *out = (sp_pair *)(Y + k);
        const double *at = X + stride * (size_t)(rows - 1) + k;
        int n = rows - 1;
        for (; n > 0; n -= 2, at -= 2 * stride) {
            const sp_pair *x = (const sp_pair *)at, *y = (const sp_pair *)(at - stride);
            sp_pair v = sp__pair(inverse[n]), w = sp__pair(inverse[n - 1]);
            a += v * x[0] + w * y[0], b += v * x[1] + w * y[1], c += v * x[2] + w * y[2];
        }
        if (n == 0) {
            const sp_pair *x = (const sp_pair *)at, v = sp__pair(inverse[0]);
            a += v * x[0], b += v * x[1], c += v * x[2];
        }
        out[0] = a, out[1] = b, out[2] = c;
    }
}

// out += a Y, six columns
static inline void add_six(sp_pair a, const double *Y, double *out) {
    const sp_pair *y = (const sp_pair *)Y;
    sp_pair *to = (sp_pair *)out;
    to[0] += a * y[0], to[1] += a * y[1], to[2] += a * y[2];
}

// sums over the axes of a_i Y_i, `wide` columns each; the axes of a and Y are `wide` numbers apart
static inline void add_axis_products(int wide, const double *a, const double *Y, double *out) {
    sp_pair *to = (sp_pair *)out, x = to[0], y = to[1], z = wide > 4 ? to[2] : x;
    for (int i = 0; i < 3; i++) {
        const sp_pair *from = (const sp_pair *)(Y + wide * i), s = sp__pair(a[wide * i]);
        x += s * from[0], y += s * from[1];
        if (wide > 4) z += s * from[2];
    }
    to[0] = x, to[1] = y;
    if (wide > 4) to[2] = z;
}

static inline void add_products(int wide, int own, const double *x, const double *Y, sums *z) {
    sp_pair place[3] = {sp__pair(x[PLACE]), sp__pair(x[PLACE + 1]), sp__pair(x[PLACE + 2])};
    for (int k = 0; k < SLOPE + 3 * wide; k += 6) {
        add_six(place[0], Y + k, z->moment[0] + k);
        add_six(place[1], Y + k, z->moment[1] + k);
        add_six(place[2], Y + k, z->moment[2] + k);
    }
    double acceleration[3 * COLUMNS];
    for (int i = 0; i < 3; i++) acceleration[wide * i] = Y[ACCELERATION + i];
    add_axis_products(wide, acceleration, x + SLOPE, z->inertial);
    for (int c = 0; c < own; c++) add_axis_products(wide, x + SLOPE + c, Y + SLOPE, z->mass[c]);
}

static inline void series_integrate(int wide, int own, int rows, const double *X, size_t stride, const double *inverse,
                                    double least, sums *z) {
    int width = SLOPE + 3 * wide;
    double Y[WIDTH] = {0};
    for (int m = rows - 1; m >= 0; m--) {
        const double *x = X + stride * (size_t)m;
        int reach = rows;
        while (m > 0 && reach > 1 && X[stride * (size_t)(reach - 1) + (size_t)width] * x[width] < least) reach--;
        series_weigh(width, reach, X, stride, inverse + m, Y);
        add_products(wide, own, x, Y, z);
    }
    memcpy(z->total, Y, sizeof Y);
}

// ------------------------------------------------------------------------------------------------ assembly

// linear and angular momentum about the world's origin, for the vector in columns at, at + stride, at + 2 stride
static void add_momentum(const sums *z, const double begin[3], double mass, int at, int stride, double out[6]) {
    double total[3], spin[3];
    for (int i = 0; i < 3; i++) total[i] = z->total[at + stride * i];
    sp__cross3(begin, total, spin);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        spin[i] += z->moment[j][at + stride * k] - z->moment[k][at + stride * j];
        out[i] += mass * total[i], out[3 + i] += mass * spin[i];
    }
}

static void add_inertia(double mass, const double first[3], const double second[9], double out[36]) {
    double trace = second[0] + second[4] + second[8];
    double X[9] = {0, -first[2], first[1], first[2], 0, -first[0], -first[1], first[0], 0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            out[6 * i + j] += i == j ? mass : 0;
            out[6 * (i + 3) + j + 3] += (i == j ? trace : 0) - second[3 * i + j];
            out[6 * i + j + 3] -= X[3 * i + j];
            out[6 * (i + 3) + j] += X[3 * i + j];
        }
}

// adds the segment as a rigid body
static void series_add_body(sp_strand *s, const sp_strand_segment *g, double mass, const sums *z) {
    sp_strand_ahead *out = &s->ahead[g->element];
    const double *r = g->begin, *total = z->total + PLACE;
    double first[3], second[9];
    for (int i = 0; i < 3; i++) {
        first[i] = mass * (r[i] + total[i]);
        s->moment[i] += first[i];
        for (int j = 0; j < 3; j++)
            second[3 * i + j] = mass * (r[i] * r[j] + r[i] * total[j] + total[i] * r[j] + z->moment[i][PLACE + j]);
    }
    s->mass += mass;
    add_inertia(mass, first, second, out->inertia);
    add_momentum(z, r, mass, ACCELERATION, 1, out->inertial);
}

// adds the block of the element's own controls
static void add_control(sp_strand *s, const sp_strand_segment *g, double mass, int c, const sums *z) {
    size_t u = 6 + 3 * (size_t)g->element + (size_t)c, n = (size_t)s->unknowns;
    add_momentum(z, g->begin, mass, SLOPE + c, sp__strand_wide(s), s->momentum + 12 * u + (c < 3 ? 6 : 0));
    s->A[u] += mass * z->inertial[c];
    for (int d = 0; d <= c; d++) s->M[u * n + u - (size_t)(c - d)] += mass * z->mass[c][d];
}

void sp__strand_integrate(sp_strand *s, const sp_strand_segment *g) {
    double inverse[2 * SP_STRAND_TERMS + 2], mass = s->element[g->element].line_density * g->length;
    double least = 1e-6 * s->tolerance * s->tolerance;
    const double *X = s->pool + g->at + SP_STRAND_X;
    size_t stride = sp__strand_row(s);
    sums z = {{0}, {{0}}, {0}, {{0}}};
    for (int n = 0; n < 2 * g->rows; n++) inverse[n] = 1.0 / (n + 1);
    // compile-time widths, so that the loops are unrolled
    if (s->affine)
        series_integrate(6, 6, g->rows, X, stride, inverse, least, &z);
    else
        series_integrate(4, 3, g->rows, X, stride, inverse, least, &z);
    series_add_body(s, g, mass, &z);
    for (int c = 0; c < s->own; c++) add_control(s, g, mass, c, &z);
}
