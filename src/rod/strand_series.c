// One segment of a strand: series of the frame and of its derivatives, and the integrals of their products.
// Equation numbers are those of Casati 2015.
#include "math/vec3.h"
#include "rod/strand_internal.h"

enum { COLUMNS = SP_STRAND_COLUMNS, PRODUCTS = SP_STRAND_PRODUCTS, PLACE = 0, SLOPE = 3, ACCELERATION = 21 };

// ------------------------------------------------------------------------------------------------ recurrences

// out += s A [l]x
static void add_turned(const double A[9], const double l[3], double s, double out[9]) {
    double x = s * l[0], y = s * l[1], z = s * l[2];
    for (int i = 0; i < 9; i += 3) {
        out[i] += A[i + 1] * z - A[i + 2] * y;
        out[i + 1] += A[i + 2] * x - A[i] * z;
        out[i + 2] += A[i] * y - A[i + 1] * x;
    }
}

static void add_turned_columns(double A[9][COLUMNS], const double l[3], double s, double out[9][COLUMNS]) {
    double x = s * l[0], y = s * l[1], z = s * l[2];
    for (int i = 0; i < 9; i += 3)
        for (int c = 0; c < COLUMNS; c++) {
            out[i][c] += A[i + 1][c] * z - A[i + 2][c] * y;
            out[i + 1][c] += A[i + 2][c] * x - A[i][c] * z;
            out[i + 2][c] += A[i][c] * y - A[i + 1][c] * x;
        }
}

// out += s A [e_k]x in column 3 j + k, for the three axes k
static void add_axes(const double A[9], double s, int j, double out[9][COLUMNS]) {
    for (int k = 0; k < 3; k++) {
        int b = (k + 1) % 3, c = (k + 2) % 3;
        for (int i = 0; i < 9; i += 3) {
            out[i + b][3 * j + k] += s * A[i + c];
            out[i + c][3 * j + k] -= s * A[i + b];
        }
    }
}

// What term `from` gives to term `to` through coefficient m of the curvature: (4.2.19) for the frame, differentiated along the
// controls (4.3.26) and, contracted with the rates of the controls, twice along the motion (4.3.27).
static void add_terms(const sp_strand_walk *w, sp_strand_series *z, int from, int to, int m, double s) {
    const double *lambda = w->lambda + 3 * m, *rate = w->rate + 3 * m;
    add_turned(z->R[from], lambda, s, z->R[to]);
    add_turned_columns(z->D[from], lambda, s, z->D[to]);
    for (int j = 0; j < w->controls; j++) add_axes(z->R[from], s * w->weight[j][m], j, z->D[to]);
    add_turned(z->V[from], lambda, s, z->V[to]);
    add_turned(z->R[from], rate, s, z->V[to]);
    add_turned(z->W[from], lambda, s, z->W[to]);
    add_turned(z->V[from], rate, 2 * s, z->W[to]);
}

static double largest(const double *x, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

// a term is small beside the largest of its kind so far
static bool is_small(const sp_strand_series *z, int n, double tolerance, double most[4]) {
    double now[4] = {largest(z->R[n], 9), largest(z->D[n][0], 9 * COLUMNS), largest(z->V[n], 9), largest(z->W[n], 9)};
    bool small = true;
    for (int k = 0; k < 4; k++) {
        most[k] = fmax(most[k], now[k]);
        small = small && now[k] <= tolerance * most[k];
    }
    return small;
}

// place, derivatives of it and acceleration as polynomials: each is the integral of a first column (4.2.4b)
static void fill_products(const sp_strand_walk *w, int terms, double h, sp_strand_series *z) {
    for (int i = 0; i < 3; i++) {
        z->X[0][PLACE + i] = 0, z->X[0][ACCELERATION + i] = w->acceleration[i];
        for (int c = 0; c < COLUMNS; c++) z->X[0][SLOPE + COLUMNS * i + c] = w->Dr[i][c];
    }
    for (int n = 0; n < terms; n++) {
        double s = h / (n + 1);
        for (int i = 0; i < 3; i++) {
            z->X[n + 1][PLACE + i] = s * z->R[n][3 * i], z->X[n + 1][ACCELERATION + i] = s * z->W[n][3 * i];
            for (int c = 0; c < COLUMNS; c++) z->X[n + 1][SLOPE + COLUMNS * i + c] = s * z->D[n][3 * i][c];
        }
    }
}

int sp__strand_expand(const sp_strand_walk *w, double h, sp_strand_series *z) {
    double most[4] = {0, 0, 0, 0}, sum = fabs(h);
    int small = 0, n = 0;
    for (int i = 0; i < 6; i++) sum += fabs(w->lambda[i]) + fabs(w->rate[i]);
    if (!isfinite(sum)) return 0;
    memcpy(z->R[0], w->R, sizeof w->R), memcpy(z->D[0], w->D, sizeof w->D);
    memcpy(z->V[0], w->V, sizeof w->V), memcpy(z->W[0], w->W, sizeof w->W);
    is_small(z, 0, 0, most);
    while (small < 2) {
        if (++n == SP_STRAND_TERMS) return 0;
        memset(z->R[n], 0, sizeof z->R[n]), memset(z->D[n], 0, sizeof z->D[n]);
        memset(z->V[n], 0, sizeof z->V[n]), memset(z->W[n], 0, sizeof z->W[n]);
        add_terms(w, z, n - 1, n, 0, h / n);
        if (n > 1) add_terms(w, z, n - 2, n, 1, h * h / n);
        small = is_small(z, n, w->s->def.tolerance, most) ? small + 1 : 0;
    }
    fill_products(w, n + 1, h, z);
    return n + 2;
}

void sp__strand_advance(sp_strand_walk *w, int rows, const sp_strand_series *z) {
    memset(w->R, 0, sizeof w->R), memset(w->V, 0, sizeof w->V), memset(w->W, 0, sizeof w->W), memset(w->D, 0, sizeof w->D);
    memset(w->Dr, 0, sizeof w->Dr), memset(w->acceleration, 0, sizeof w->acceleration);
    double ahead[3] = {0, 0, 0};
    // the small terms first
    for (int n = rows - 2; n >= 0; n--)
        for (int i = 0; i < 9; i++) {
            w->R[i] += z->R[n][i], w->V[i] += z->V[n][i], w->W[i] += z->W[n][i];
            for (int c = 0; c < COLUMNS; c++) w->D[i][c] += z->D[n][i][c];
        }
    for (int n = rows - 1; n >= 0; n--)
        for (int i = 0; i < 3; i++) {
            ahead[i] += z->X[n][PLACE + i], w->acceleration[i] += z->X[n][ACCELERATION + i];
            for (int c = 0; c < COLUMNS; c++) w->Dr[i][c] += z->X[n][SLOPE + COLUMNS * i + c];
        }
    for (int i = 0; i < 3; i++) w->r[i] += ahead[i];
}

// ------------------------------------------------------------------------------------------------ integrals

// Y_m = sum over n of X_n / (m + n + 1). The integral of the product of two polynomials is then the sum over m of x_m y_m: all
// Cauchy products of the segment (4.3.28), integrated, for little more than the price of one.
static void weigh(int rows, sp_strand_series *z) {
    for (int m = 0; m < rows; m++) {
        double sum[PRODUCTS] = {0};
        for (int n = rows - 1; n >= 0; n--) {
            double s = 1.0 / (m + n + 1);
            for (int k = 0; k < PRODUCTS; k++) sum[k] += s * z->X[n][k];
        }
        memcpy(z->Y[m], sum, sizeof sum);
    }
}

static double product(const sp_strand_series *z, int rows, int a, int b) {
    double sum = 0;
    for (int m = rows - 1; m >= 0; m--) sum += z->X[m][a] * z->Y[m][b];
    return sum;
}

// integrals of a vector whose components stand `stride` columns apart, and of place times it
static void moments_of(const sp_strand_series *z, int rows, double h, int at, int stride, double total[3], double moments[9]) {
    for (int i = 0; i < 3; i++) {
        total[i] = h * z->Y[0][at + stride * i];
        for (int j = 0; j < 3; j++) moments[3 * i + j] = h * product(z, rows, PLACE + i, at + stride * j);
    }
}

// linear and angular momentum about the world's origin, from those integrals
static void add_momentum(const double begin[3], double density, const double total[3], const double moments[9], double out[6]) {
    double spin[3];
    sp__cross3(begin, total, spin);
    spin[0] += moments[5] - moments[7], spin[1] += moments[6] - moments[2], spin[2] += moments[1] - moments[3];
    for (int i = 0; i < 3; i++) out[i] += density * total[i], out[3 + i] += density * spin[i];
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
static void add_body(const sp_strand_walk *w, double h, int rows, sp_strand_series *z) {
    sp_strand_ahead *out = &w->s->ahead[w->element];
    double density = w->s->def.line_density, total[3], moments[9], first[3], second[9], torque[3];
    moments_of(z, rows, h, PLACE, 1, total, moments);
    for (int i = 0; i < 3; i++) {
        first[i] = h * w->r[i] + total[i];
        for (int j = 0; j < 3; j++)
            second[3 * i + j] = density * (h * w->r[i] * w->r[j] + w->r[i] * total[j] + total[i] * w->r[j] + moments[3 * i + j]);
    }
    w->s->load_energy -= sp__dot3(first, w->p);
    sp__cross3(first, w->p, torque);
    for (int i = 0; i < 3; i++) out->load[i] += h * w->p[i], out->load[3 + i] += torque[i], first[i] *= density;
    add_inertia(density * h, first, second, out->inertia);
    moments_of(z, rows, h, ACCELERATION, 1, total, moments);
    add_momentum(w->r, density, total, moments, out->inertial);
}

// the controls of the element, among themselves
static void add_control(const sp_strand_walk *w, double h, int rows, int c, sp_strand_series *z) {
    sp_strand *s = w->s;
    int u = 6 + 3 * w->element + c, before = c >= 3;
    double density = s->def.line_density, total[3], moments[9], sum = 0;
    moments_of(z, rows, h, SLOPE + c, COLUMNS, total, moments);
    add_momentum(w->r, density, total, moments, s->momentum + 12 * (size_t)u + (before ? 0 : 6));
    s->G[u] += sp__dot3(total, w->p);
    for (int i = 0; i < 3; i++) sum += product(z, rows, SLOPE + COLUMNS * i + c, ACCELERATION + i);
    s->A[u] += density * h * sum;
    for (int d = 0; d <= c; d++) {
        double both = 0;
        for (int i = 0; i < 3; i++) both += product(z, rows, SLOPE + COLUMNS * i + c, SLOPE + COLUMNS * i + d);
        s->M[(size_t)u * (size_t)s->unknowns + (size_t)(u - c + d)] += density * h * both;
    }
}

void sp__strand_integrate(const sp_strand_walk *w, double h, int rows, sp_strand_series *z) {
    weigh(rows, z);
    add_body(w, h, rows, z);
    for (int c = 0; c < 3 * w->controls; c++) add_control(w, h, rows, c, z);
}
