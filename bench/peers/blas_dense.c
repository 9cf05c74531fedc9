// Our dense kernels of fronts compared with OpenBLAS, one thread, same sizes: the evidence that the library needs no BLAS.
//
// Prints one line of JSON: for a front with k own columns and m rows below them, GFlop/s of the factor of the diagonal block
// (dpotrf), of the rows below (dtrsm) and of the Schur complement (dsyrk; dgemm of the same shape is counted in full), each from
// the minimum processor time of many repeats.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sparse/dense.h"

extern void openblas_set_num_threads(int n);
extern void dpotrf_(const char *uplo, const int *n, double *A, const int *lda, int *info);
extern void dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n,
                   const double *alpha, const double *A, const int *lda, double *B, const int *ldb);
extern void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha, const double *A,
                   const int *lda, const double *beta, double *C, const int *ldc);
extern void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
                   const double *A, const int *lda, const double *B, const int *ldb, const double *beta, double *C,
                   const int *ldc);

typedef struct front {
    int m, k, ld;
    double *given, *panel;     // k + m rows, k columns
    double *C;                 // m x m
    double *rows, *cols;       // packs
    const sp_dense_d *kernel;  // ours
} front;

static const double one = 1, minus = -1;

static void our_diagonal(const front *f) {
    f->kernel->diagonal(f->k, f->panel, f->ld, NULL);
}
static void our_below(const front *f) {
    f->kernel->below(f->m, f->k, f->panel, f->ld, NULL, f->panel + f->k, f->ld);
}
// as in a front: packs the operands where that is faster
static void our_update(const front *f) {
    if (f->m <= 150) {
        f->kernel->update_whole(f->m, f->k, f->panel + f->k, f->ld, NULL, f->C, f->m);
        return;
    }
    f->kernel->pack(f->m, f->k, f->panel + f->k, f->ld, NULL, f->rows, f->cols);
    f->kernel->update(0, f->m, 0, f->m, f->k, f->rows, f->cols, f->C, f->m);
}
static void blas_diagonal(const front *f) {
    int info;
    dpotrf_("L", &f->k, f->panel, &f->ld, &info);
}
static void blas_below(const front *f) {
    dtrsm_("R", "L", "T", "N", &f->m, &f->k, &one, f->panel, &f->ld, f->panel + f->k, &f->ld);
}
static void blas_update(const front *f) {
    dsyrk_("L", "N", &f->m, &f->k, &minus, f->panel + f->k, &f->ld, &one, f->C, &f->m);
}
static void blas_product(const front *f) {
    dgemm_("N", "T", &f->m, &f->m, &f->k, &minus, f->panel + f->k, &f->ld, f->panel + f->k, &f->ld, &one, f->C, &f->m);
}

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Restores the input before each run, because a factor cannot be factored again; C may drift.
static double rate(const front *f, void (*run)(const front *), double flops) {
    size_t size = (size_t)f->ld * (size_t)f->k * sizeof *f->panel;
    double least = INFINITY, spent = 0;
    for (int i = 0; i < 20 || (spent < 0.1 && i < 20000); i++) {
        memcpy(f->panel, f->given, size);
        double start = cpu_seconds();
        run(f);
        double took = cpu_seconds() - start;
        spent += took;
        least = fmin(least, took);
    }
    return 1e-9 * flops / least;
}

static void blas_dense_fill(front *f) {
    unsigned state = 1;
    for (int j = 0; j < f->k; j++)
        for (int i = 0; i < f->ld; i++) {
            state = state * 1664525u + 1013904223u;
            f->given[i + j * f->ld] = i == j ? f->k : (double)(state >> 8) / (1 << 24) - 0.5;
        }
}

static int blas_dense_measure(int m, int k, int first) {
    front f = {.m = m, .k = k, .ld = m + k, .kernel = sp__dense_d(false)};
    size_t panel = (size_t)f.ld * (size_t)k, pack = sp__dense_pack_size(m, k);
    f.given = calloc(panel, sizeof *f.given), f.panel = calloc(panel, sizeof *f.panel);
    f.C = calloc((size_t)m * (size_t)m, sizeof *f.C);
    f.rows = calloc(pack, sizeof *f.rows), f.cols = calloc(pack, sizeof *f.cols);
    int good = f.given && f.panel && f.C && f.rows && f.cols;
    if (good) {
        double whole = 2.0 * m * m * k, half = (double)m * (m + 1) * k, rows = (double)m * k * k, top = (double)k * k * k / 3;
        blas_dense_fill(&f);
        printf("%s{\"rows\":%d,\"columns\":%d,", first ? "" : ",", m, k);
        printf("\"souple\":{\"diagonal\":%.1f,\"below\":%.1f,\"update\":%.1f},", rate(&f, our_diagonal, top),
               rate(&f, our_below, rows), rate(&f, our_update, half));
        printf("\"openblas\":{\"dpotrf\":%.1f,\"dtrsm\":%.1f,\"dsyrk\":%.1f,\"dgemm\":%.1f}}", rate(&f, blas_diagonal, top),
               rate(&f, blas_below, rows), rate(&f, blas_update, half), rate(&f, blas_product, whole));
    }
    free(f.given), free(f.panel), free(f.C), free(f.rows), free(f.cols);
    return good;
}

int main(void) {
    static const int sizes[][2] = {{60, 24}, {150, 48}, {300, 96}, {600, 96}, {1200, 96}};
    int good = 1;
    openblas_set_num_threads(1);
    printf("{\"peer\":\"blas_dense\",\"unit\":\"GFlop/s\",\"isa\":\"%s\",\"cases\":[", sp__dense_d(false)->isa);
    for (int i = 0; i < 5 && good; i++) good = blas_dense_measure(sizes[i][0], sizes[i][1], i == 0);
    printf("]}\n");
    if (!good) fprintf(stderr, "blas_dense: out of memory\n");
    return !good;
}
