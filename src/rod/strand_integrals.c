// Integrals of one segment of a strand: all products of its polynomials that mass, momenta and quadratic velocity terms need.
// Equation numbers are those of Casati 2015.
#include "math/vec3.h"
#include "rod/strand_internal.h"

enum { PLACE = SP_STRAND_PLACE, ACCELERATION = SP_STRAND_ACCELERATION, SLOPE = SP_STRAND_SLOPE, COLUMNS = SP_STRAND_COLUMNS };
enum { WIDTH = SLOPE + 3 * COLUMNS };

// integrals over u in [0, 1]; those of slopes are summed over the three axes
typedef struct sums {
    double total[WIDTH];
    double moment[3][WIDTH];        // place times everything
    double inertial[COLUMNS];       // slope times acceleration
    double mass[COLUMNS][COLUMNS];  // slope times slope
} sums;

// ------------------------------------------------------------------------------------------------ products

// Y = sum over n of X_n / (m + n + 1). The integral of the product of two polynomials is the sum over m of x_m y_m: all Cauchy
// products of the segment (4.3.28), integrated, for little more than the price of one. Six columns at a time stay in registers.
static void weigh(int width, int rows, const double *X, size_t stride, const double *inverse, double *Y) {
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

// sums over the axes of a_i Y_i, `wide` columns each; a and Y stand `wide` numbers apart
static inline void add_axes(int wide, const double *a, const double *Y, double *out) {
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
    add_axes(wide, acceleration, x + SLOPE, z->inertial);
    for (int c = 0; c < own; c++) add_axes(wide, x + SLOPE + c, Y + SLOPE, z->mass[c]);
}

static inline void integrate(int wide, int own, int rows, const double *X, size_t stride, const double *inverse, double least,
                             sums *z) {
    int width = SLOPE + 3 * wide;
    double Y[WIDTH] = {0};
    for (int m = rows - 1; m >= 0; m--) {
        const double *x = X + stride * (size_t)m;
        int reach = rows;
        while (m > 0 && reach > 1 && X[stride * (size_t)(reach - 1) + (size_t)width] * x[width] < least) reach--;
        weigh(width, reach, X, stride, inverse + m, Y);
        add_products(wide, own, x, Y, z);
    }
    memcpy(z->total, Y, sizeof Y);
}

// ------------------------------------------------------------------------------------------------ where they go

// linear and angular momentum about the world's origin, of the vector in columns at, at + stride, at + 2 stride
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

// the segment as a rigid body
static void add_body(sp_strand *s, const sp_strand_segment *g, double mass, const sums *z) {
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

// the controls of the element, among themselves
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
    // numbers that the compiler knows
    if (s->affine)
        integrate(6, 6, g->rows, X, stride, inverse, least, &z);
    else
        integrate(4, 3, g->rows, X, stride, inverse, least, &z);
    add_body(s, g, mass, &z);
    for (int c = 0; c < s->own; c++) add_control(s, g, mass, c, &z);
}
