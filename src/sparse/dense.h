// Small dense kernels for frontal matrices. Matrices are column-major, and only the lower triangle is meaningful. Every kernel
// exists in double and float, for AVX2 and for any machine. Kernels run on the calling thread and allocate nothing. Tiles are
// independent and every sum has a fixed order, so that a caller may distribute tiles over threads.
#ifndef SP_DENSE_H
#define SP_DENSE_H

#include <stdbool.h>
#include <stddef.h>

enum {
    SP_DENSE_ROWS = 24,   // largest height of a packed strip of rows; pack sizes are rounded up to it
    SP_DENSE_PANEL = 96,  // most columns of one call of diagonal and below
    SP_DENSE_RANK = 48,   // largest rank of one call of rank_update
};

// Size of a pack of m rows and k columns, in numbers.
static inline size_t sp__dense_pack_size(int m, int k) {
    return (size_t)((m + SP_DENSE_ROWS - 1) / SP_DENSE_ROWS) * SP_DENSE_ROWS * (size_t)k;
}

#define SP_DENSE_TABLE(real, name)                                                                                               \
    typedef struct name {                                                                                                        \
        const char *isa;                                                                                                         \
        /* A (k x k) = L L^T in place, or L D L^T with unit L and D into d where d is not NULL. Returns k, or the first */       \
        /* column whose pivot is not positive (LDL^T: zero) or not finite; that pivot is then on the diagonal. */                \
        int (*diagonal)(int k, real *A, ptrdiff_t ld, real *d);                                                                  \
        /* B (m x k) = B L^-T, or B L^-T D^-1 where d is not NULL */                                                             \
        void (*below)(int m, int k, const real *L, ptrdiff_t ldl, const real *d, real *B, ptrdiff_t ldb);                        \
        /* rows: B (m x k) in the order that update reads for its rows; cols: for its columns, times d if d is not NULL */       \
        void (*pack)(int m, int k, const real *B, ptrdiff_t ldb, const real *d, real *rows, real *cols);                         \
        /* C(i, j) -= sum over k of rows(i) cols(j) for j in [j0, j1), i in [max(i0, j), i1); C is entry (0, 0) */               \
        /* of the matrix whose rows and columns were packed. Entries above the diagonal may be overwritten with any */           \
        /* finite value. i0 and j0 must be multiples of SP_DENSE_ROWS. */                                                        \
        void (*update)(int i0, int i1, int j0, int j1, int k, const real *rows, const real *cols, real *C, ptrdiff_t ldc);       \
        /* C (m x m) -= B B^T, or B D B^T where d is not NULL, without packs: for fronts of up to a few hundred rows */          \
        void (*update_whole)(int m, int k, const real *B, ptrdiff_t ldb, const real *d, real *C, ptrdiff_t ldc);                 \
        /* x1 (k) = L11^-1 x1, then x2 (m - k) -= L21 x1; L is m x k. unit: the diagonal is one, not what is stored */           \
        void (*forward)(int m, int k, const real *L, ptrdiff_t ld, bool unit, real *x1, real *x2);                               \
        /* x1 = L11^-T (x1 - L21^T x2) */                                                                                        \
        void (*backward)(int m, int k, const real *L, ptrdiff_t ld, bool unit, real *x1, const real *x2);                        \
        /* the same for r interleaved right-hand sides: number c of row i is X[i * r + c]; r a multiple of 8 */                  \
        void (*forward_many)(int m, int k, const real *L, ptrdiff_t ld, bool unit, int r, real *X1, real *X2);                   \
        void (*backward_many)(int m, int k, const real *L, ptrdiff_t ld, bool unit, int r, real *X1, const real *X2);            \
        /* X^T (r x m) -= A^T L^T: the rectangular part of forward_many, L m x k; also a product of interleaved rows, where */   \
        /* number c of row p of L is L[p * ld + c] */                                                                            \
        void (*product_many)(int r, int m, int k, const real *A, const real *L, ptrdiff_t ld, real *X);                          \
        /* Low-rank update of the panel L (m x k, D in d or d NULL as for diagonal): L D L^T gains sign W W^T, W m x r. The */   \
        /* rows of W below then belong to the parent. alpha (r): 1 at first, passed from panel to panel. Returns k, or the */    \
        /* first column whose pivot fails as in diagonal, with the pivot in d or on the diagonal and all else invalid. */        \
        int (*rank_update)(int m, int k, int r, real sign, real *L, ptrdiff_t ld, real *d, real *W, ptrdiff_t ldw, real *alpha); \
        /* the rectangular parts of forward and backward: x2 (m) -= L x1 and x1 (k) -= L^T x2, L m x k. The rows of the */       \
        /* first and the columns of the second may be split at multiples of SP_DENSE_ROWS without a change of the result */      \
        void (*product)(int m, int k, const real *L, ptrdiff_t ld, const real *x1, real *x2);                                    \
        void (*product_transposed)(int m, int k, const real *L, ptrdiff_t ld, const real *x2, real *x1);                         \
    } name

SP_DENSE_TABLE(double, sp_dense_d);
SP_DENSE_TABLE(float, sp_dense_f);

// The fastest kernels for this machine; `plain`: the kernels for any machine (used by sp__backend ref and cpu-generic).
const sp_dense_d *sp__dense_d(bool plain);
const sp_dense_f *sp__dense_f(bool plain);

// The kernel tables of this build; sp__dense_d and sp__dense_f choose one.
extern const sp_dense_d sp__dense_avx2_d, sp__dense_generic_d;
extern const sp_dense_f sp__dense_avx2_f, sp__dense_generic_f;

#endif
