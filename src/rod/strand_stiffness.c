// Elasticity of a strand in curvature coordinates: Kbar, which does not depend on its shape (Casati 2015, 4.3.18 and 4.3.19).
#include "rod/strand.h"

static int live_controls(const sp_strand *s) {
    return s->alive + s->affine;
}

static double element_stiffness(const sp_strand *s, int e, int k) {
    return e >= 0 && e < s->alive ? s->element[e].length * s->element[e].stiffness[k] : 0;
}

// hats and their products, l/3 and l/6 in each element; constant pieces: l
static double diagonal(const sp_strand *s, int j, int k) {
    if (!s->affine) return element_stiffness(s, j, k);
    return (element_stiffness(s, j - 1, k) + element_stiffness(s, j, k)) / 3;
}

static double beside(const sp_strand *s, int j, int k) {
    return s->affine ? element_stiffness(s, j, k) / 6 : 0;
}

void sp__strand_stiffness(const sp_strand *s, const double *x, double *out) {
    int n = live_controls(s);
    for (int j = 0; j < n; j++)
        for (int k = 0; k < 3; k++) {
            double sum = diagonal(s, j, k) * x[3 * j + k];
            if (j > 0) sum += beside(s, j - 1, k) * x[3 * (j - 1) + k];
            if (j + 1 < n) sum += beside(s, j, k) * x[3 * (j + 1) + k];
            out[3 * j + k] = sum;
        }
    memset(out + 3 * n, 0, 3 * (size_t)(s->controls - n) * sizeof *out);
}

static void add(const sp_strand *s, double c, bool upper, double *A, size_t stride) {
    int n = live_controls(s);
    for (int j = 0; j < n; j++)
        for (int k = 0; k < 3; k++) {
            size_t row = (size_t)(3 * j + k), next = row + 3;
            A[row * stride + row] += c * diagonal(s, j, k);
            if (j + 1 == n) continue;
            A[next * stride + row] += c * beside(s, j, k);
            if (upper) A[row * stride + next] += c * beside(s, j, k);
        }
}

void sp__strand_add_stiffness(const sp_strand *s, double c, double *A, int stride) {
    add(s, c, true, A, (size_t)stride);
}

void sp__strand_add_lower_stiffness(const sp_strand *s, double c, double *A, int stride) {
    add(s, c, false, A, (size_t)stride);
}

// diagonally dominant: no pivots
static void solve_axis(const sp_strand *s, int k, double *pivot, double *x) {
    int n = live_controls(s);
    for (int j = 0; j < n; j++) {
        pivot[j] = diagonal(s, j, k);
        if (j == 0) continue;
        double factor = beside(s, j - 1, k) / pivot[j - 1];
        pivot[j] -= factor * beside(s, j - 1, k);
        x[3 * j + k] -= factor * x[3 * (j - 1) + k];
    }
    for (int j = n - 1; j >= 0; j--) {
        if (j + 1 < n) x[3 * j + k] -= beside(s, j, k) * x[3 * (j + 1) + k];
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
