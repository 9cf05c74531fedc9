// The kernels in double, one lane: what the files kernels_float*.c compare with. Their own tests are laws.c, rotation.c and the
// tests of the backends; here only that the values handed over are theirs.
#include "law_help.h"

#define KERNEL_SCOPE
#define KERNEL_LAW kernel_law_double
#define KERNEL_BAR kernel_bar_double
#define KERNEL_ROTATION kernel_rotation_double
#define KERNEL_TET kernel_tet_double
#define KERNEL_TENSOR kernel_tensor_double
#define KERNEL_WARP kernel_warp_double
#include "kernel_point.h"

int kernel_cases(void) {
    return LAW_CASES;
}

sp_law kernel_case(int n, const char **name, const double **p) {
    *name = law_cases[n].name, *p = law_cases[n].p;
    return law_cases[n].law;
}

TEST(the_values_compared_are_those_of_the_law_tests) {
    static double H[1][9] = {{0.2, -0.1, 0.3, 0.05, -0.15, 0.1, 0.2, 0, 0.1}}, D[9] = {1, 2, -1, 0.5, 1, 0, 3, -2, 1};
    for (int n = 0; n < LAW_CASES; n++) {
        kernel_law at;
        double P[9], dP[9];
        kernel_law_double(law_cases[n].law, law_cases[n].p, 1, H, D, &at);
        law_stress(&law_cases[n], H[0], P);
        law_change(&law_cases[n], 0, H[0], D, dP);
        CHECK_NEAR(at.energy, law_energy(&law_cases[n], H[0]), 0);
        // the same sums in another order
        for (int k = 0; k < 9; k++) CHECK_NEAR(at.stress[k], P[k], 1e-10), CHECK_NEAR(at.change[k], dP[k], 1e-10);
    }
}
