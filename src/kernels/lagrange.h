// Laws in the Green-Lagrange strain at one point, on lanes: no isotropy, so that there are no axes in which the tangent is
// sparse.
//
// In material axes with the columns A, F = (I + H) A and E = (A^T F^T F A - I) / 2, a law has the stress S = dW/dE and the moduli
// D = dS/dE; the first Piola-Kirchhoff stress F S and its tangent are
//     P_iJ = F_iM S_MJ,   T_iJkL = delta_ik S_JL + F_iM D_MJNL F_kN.
// Rest gradients are turned into the material axes, g' = A^T g, and T is stored as a dense symmetric 9x9 matrix.
//
// T has no negative eigenvalues where S and D have none, because d : T : d = tr(d S d^T) + e : D : e with e = sym(F^T d). The
// definite tangent sets the negative eigenvalues of S and of D (in Mandel's components, so that axes do not matter) to zero.
#ifndef SP_LAGRANGE_H
#define SP_LAGRANGE_H

#include "kernels/iso.h"

enum { LAGRANGE_MODULI = 45 };  // the upper triangle of T, row by row

// place of the components of a symmetric 3x3 matrix in xx yy zz xy yz zx
SP_TABLE int sp__pair_of[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};

// H' = H A and F' = A + H A in material axes; axes: the columns of A one after the other
SP_POINTWISE void lagrange_gradient(const sp_lane *axes, const sp_lane *H, sp_lane *turned, sp_lane *F) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            turned[3 * i + j] = lane_dot(H + 3 * i, axes + 3 * j);
            F[3 * i + j] = axes[3 * j + i] + turned[3 * i + j];
        }
}

// E in material axes, xx yy zz xy yz zx, without a difference of large numbers
SP_POINTWISE void lagrange_strain(const sp_lane *axes, const sp_lane *turned, sp_lane *E) {
    for (int k = 0; k < 6; k++) {
        int a = k < 3 ? k : sp__axis_a[k - 3], b = k < 3 ? k : sp__axis_b[k - 3];
        sp_lane sum = lane_all(0);
        for (int i = 0; i < 3; i++) {
            sp_lane x = turned[3 * i + a], y = turned[3 * i + b];
            sum += axes[3 * a + i] * y + axes[3 * b + i] * x + x * y;
        }
        E[k] = SP_REAL(0.5) * sum;
    }
}

// J - 1
SP_POINTWISE sp_lane lagrange_dilatation(const sp_lane *H) {
    sp_lane cof[9], e3 = lane_cofactor(H, cof);
    return H[0] + H[4] + H[8] + (cof[0] + cof[4] + cof[8]) + e3;
}

// ------------------------------------------------------------------------------------------------ eigenvalues

// Cyclic Jacobi sweeps on a symmetric 6x6 matrix: eigenvalues on the diagonal of M, eigenvectors in the columns of V. Six to
// eight sweeps are usual. A lane that has converged is left as it is, so that no lane depends on others.
SP_POINTWISE void jacobi_eigen6(sp_lane *M, sp_lane *V) {
    for (int i = 0; i < 36; i++) V[i] = lane_all(i % 7 ? 0 : 1);
    for (int sweep = 0; sweep < 12; sweep++) {
        sp_lane size = lane_all(0), off = lane_all(0), zero = lane_all(0);
        for (int i = 0; i < 36; i++) *(i % 7 ? &off : &size) += lane_abs(M[i]);
        sp_mask open = off > SP_PRECISION(1e-16, 1e-7) * size;
        if (!lane_any(open)) return;
        for (int p = 0; p < 5; p++)
            for (int q = p + 1; q < 6; q++) {
                // tangent of the angle that eliminates M_pq, the smaller root
                sp_lane o = SP_SELECT(open, 2 * M[6 * p + q], zero), d = M[7 * q] - M[7 * p];
                sp_lane root = lane_abs(d) + lane_sqrt(d * d + o * o) + SP_PRECISION(1e-290, 1e-30);
                sp_lane t = SP_SELECT(d < 0, -o, o) / root, c = 1 / lane_sqrt(t * t + 1), s = t * c;
                for (int i = 0; i < 6; i++) {
                    sp_lane x = M[6 * i + p], y = M[6 * i + q], v = V[6 * i + p], w = V[6 * i + q];
                    M[6 * i + p] = c * x - s * y, M[6 * i + q] = s * x + c * y;
                    V[6 * i + p] = c * v - s * w, V[6 * i + q] = s * v + c * w;
                }
                for (int i = 0; i < 6; i++) {
                    sp_lane x = M[6 * p + i], y = M[6 * q + i];
                    M[6 * p + i] = c * x - s * y, M[6 * q + i] = s * x + c * y;
                }
                M[6 * p + q] = M[6 * q + p] = SP_SELECT(open, zero, M[6 * p + q]);
            }
    }
}

// whether Gaussian elimination meets a pivot that is not positive
SP_POINTWISE sp_mask lagrange_indefinite(const sp_lane *D) {
    sp_lane M[36], one = lane_all(1);
    sp_mask bad = D[0] != D[0];
    for (int i = 0; i < 36; i++) M[i] = D[i];
    for (int p = 0; p < 6; p++) {
        sp_mask wrong = M[7 * p] <= 0;
        bad = bad | wrong;
        sp_lane over = 1 / SP_SELECT(wrong, one, M[7 * p]);
        for (int i = p + 1; i < 6; i++)
            for (int j = i; j < 6; j++) M[6 * i + j] -= M[6 * p + i] * M[6 * p + j] * over;
    }
    return bad;
}

// sets the negative eigenvalues of D (6x6, tensor components) to zero
SP_POINTWISE void lagrange_definite_moduli(sp_lane *D) {
    const sp_real root = SP_REAL(1.4142135623730951);
    sp_lane M[36], V[36], less[6], zero = lane_all(0);
    sp_mask bad = lagrange_indefinite(D);
    if (!lane_any(bad)) return;
    for (int i = 0; i < 36; i++) M[i] = D[i] * ((i / 6 < 3 ? 1 : root) * (i % 6 < 3 ? 1 : root));
    jacobi_eigen6(M, V);
    for (int k = 0; k < 6; k++) less[k] = SP_SELECT(bad & (M[7 * k] < 0), M[7 * k], zero);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            sp_lane sum = zero;
            for (int k = 0; k < 6; k++) sum += less[k] * V[6 * i + k] * V[6 * j + k];
            D[6 * i + j] -= sum / ((i < 3 ? 1 : root) * (j < 3 ? 1 : root));
        }
}

// sets the negative eigenvalues of S to zero
SP_POINTWISE void lagrange_definite_stress(sp_lane *S) {
    sp_lane C[6], V[9], zero = lane_all(0);
    for (int k = 0; k < 6; k++) C[k] = S[k];
    jacobi_eigen(C, V);
    for (int a = 0; a < 3; a++) {
        sp_lane less = SP_SELECT(C[a] < 0, C[a], zero);
        for (int k = 0; k < 6; k++) {
            int i = k < 3 ? k : sp__axis_a[k - 3], j = k < 3 ? k : sp__axis_b[k - 3];
            S[k] -= less * V[3 * i + a] * V[3 * j + a];
        }
    }
}

// ------------------------------------------------------------------------------------------------ tangent

// w T from F, S and D (6x6, tensor components)
SP_POINTWISE void lagrange_tangent(const sp_lane *F, const sp_lane *S, const sp_lane *D, sp_lane w, sp_lane *T) {
    for (int r = 0, at = 0; r < 9; r++) {
        int i = r / 3, j = r % 3;
        sp_lane B[6];
        for (int k = 0; k < 6; k++) {
            B[k] = lane_all(0);
            for (int m = 0; m < 3; m++) B[k] += F[3 * i + m] * D[6 * sp__pair_of[3 * m + j] + k];
        }
        for (int c = r; c < 9; c++, at++) {
            int k = c / 3, l = c % 3;
            sp_lane sum = i == k ? S[sp__pair_of[3 * j + l]] : lane_all(0);
            for (int n = 0; n < 3; n++) sum += B[sp__pair_of[3 * n + l]] * F[3 * k + n];
            T[at] = w * sum;
        }
    }
}

// f += K d at one point with gradients g in material axes, nodes 1..
SP_POINTWISE void lagrange_product(int nodes, const sp_lane *T, const sp_lane *g, const sp_lane *d, sp_lane *f) {
    sp_lane X[9], Q[9];
    iso_gradient(nodes, d, g, X);
    for (int r = 0; r < 9; r++) Q[r] = lane_all(0);
    for (int r = 0, at = 0; r < 9; r++) {
        Q[r] += T[at++] * X[r];
        for (int c = r + 1; c < 9; c++, at++) Q[r] += T[at] * X[c], Q[c] += T[at] * X[r];
    }
    iso_spread(nodes, Q, g, f);
}

// K += the stiffness block of two nodes with gradients y, z in material axes
SP_POINTWISE void lagrange_block(const sp_lane *T, const sp_lane *y, const sp_lane *z, sp_lane *K) {
    for (int i = 0; i < 3; i++) {
        sp_lane row[9];
        for (int c = 0; c < 9; c++) {
            row[c] = lane_all(0);
            for (int j = 0; j < 3; j++) {
                int r = 3 * i + j, low = r < c ? r : c, high = r < c ? c : r;
                row[c] += y[j] * T[9 * low - low * (low - 1) / 2 + high - low];
            }
        }
        for (int k = 0; k < 3; k++) K[3 * i + k] += lane_dot(row + 3 * k, z);
    }
}

#endif
