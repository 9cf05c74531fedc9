// Banded L D L^T factorisation (banded.h).
#include "linear/banded.h"

#include <math.h>
#include <string.h>

int sp__banded_factor(double *A, int n, int band, double least) {
    size_t width = (size_t)band + 1;
    for (int i = 0; i < n; i++) {
        double *row = A + width * (size_t)i + (size_t)band - (size_t)i;  // row[j] is entry (i, j)
        int first = i > band ? i - band : 0;
        // row[j] holds L_ij D_j first, then L_ij
        for (int j = first; j < i; j++) {
            const double *other = A + width * (size_t)j + (size_t)band - (size_t)j;
            int from = j > band ? j - band : 0;
            double sum = row[j];
            for (int k = from > first ? from : first; k < j; k++) sum -= row[k] * other[k];
            row[j] = sum;
        }
        double pivot = row[i];
        for (int j = first; j < i; j++) {
            double l = row[j] / A[width * (size_t)j + (size_t)band];
            pivot -= l * row[j];
            row[j] = l;
        }
        row[i] = pivot;
        if (!(pivot > least) || !isfinite(pivot)) return i;
    }
    return -1;
}

void sp__banded_solve_four(const double *A, int n, int band, int first, double (*x)[SP_BANDED_LANES]) {
    enum { LANES = SP_BANDED_LANES };
    size_t width = (size_t)band + 1;
    for (int i = first; i < n; i++) {
        const double *row = A + width * (size_t)i + (size_t)band - (size_t)i;
        for (int j = i - first > band ? i - band : first; j < i; j++)
            for (int l = 0; l < LANES; l++) x[i][l] -= row[j] * x[j][l];
    }
    for (int i = first; i < n; i++)
        for (int l = 0; l < LANES; l++) x[i][l] /= A[width * (size_t)i + (size_t)band];
    for (int i = n - 1; i >= first; i--) {
        const double *row = A + width * (size_t)i + (size_t)band - (size_t)i;
        for (int j = i - first > band ? i - band : first; j < i; j++)
            for (int l = 0; l < LANES; l++) x[j][l] -= row[j] * x[i][l];
    }
}

void sp__banded_solve(const double *A, int n, int band, const double *b, double *x) {
    size_t width = (size_t)band + 1;
    if (x != b) memcpy(x, b, (size_t)n * sizeof *x);
    for (int i = 0; i < n; i++) {
        const double *row = A + width * (size_t)i + (size_t)band - (size_t)i;
        for (int j = i > band ? i - band : 0; j < i; j++) x[i] -= row[j] * x[j];
    }
    for (int i = 0; i < n; i++) x[i] /= A[width * (size_t)i + (size_t)band];
    for (int i = n - 1; i >= 0; i--) {
        const double *row = A + width * (size_t)i + (size_t)band - (size_t)i;
        for (int j = i > band ? i - band : 0; j < i; j++) x[j] -= row[j] * x[i];
    }
}

void sp__banded_mul(const double *A, int n, int band, const double *x, double *y) {
    size_t width = (size_t)band + 1;
    memset(y, 0, (size_t)n * sizeof *y);
    for (int i = 0; i < n; i++) {
        const double *row = A + width * (size_t)i + (size_t)band - (size_t)i;
        for (int j = i > band ? i - band : 0; j < i; j++) y[i] += row[j] * x[j], y[j] += row[j] * x[i];
        y[i] += row[i] * x[i];
    }
}
