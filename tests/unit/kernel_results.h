// What the kernels give, in double: see kernel_point.h.
#ifndef KERNEL_RESULTS_H
#define KERNEL_RESULTS_H

#include "kernels/law.h"

typedef struct kernel_law {
    double energy, jacobian, stress[9], change[9], definite[9];
} kernel_law;
typedef struct kernel_bar {
    double measure, bulk[3], stress[9], gradient[9];
} kernel_bar;
typedef struct kernel_rotation {
    double R[5][9];  // qr, svd, polar, jacobi, nearest
} kernel_rotation;
typedef struct kernel_tet {
    double energy, stretch_energy, force[9], product[9], spin[9];
} kernel_tet;
typedef struct kernel_tensor {
    double energy, force[9], product[9];
} kernel_tensor;

// the laws of law_help.h
int kernel_cases(void);
sp_law kernel_case(int n, const char **name, const double **p);

// in double, one lane
void kernel_law_double(sp_law law, const double *p, int n, double (*H)[9], const double *D, kernel_law *out);
void kernel_bar_double(sp_law law, const double *p, double pressure, int n, double (*H)[9], kernel_bar *out);
void kernel_rotation_double(int n, double (*F)[9], kernel_rotation *out);
void kernel_tet_double(int n, double (*d)[9], const double *x, double ratio, int deformed, kernel_tet *out);
void kernel_tensor_double(int nodes, int hooke, int penalty, const double *p, const double *slope, int n, double (*d)[9],
                          const double *x, kernel_tensor *out);
void kernel_warp_double(const double *G, double ratio, double (*Q)[9], const double *R, const double *node, double *error);

#endif
