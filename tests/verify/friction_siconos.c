// Claim: an independent program finds the same motion. Random contact problems with exact Coulomb cones are written as FCLIB
// files and solved by Siconos (Acary, Bremond, Huber, "Advanced Topics in Nonsmooth Dynamics", 2018), whose Gauss-Seidel with an
// exact local solver and whose Newton method share no line with ours. u must agree; multipliers of hyperstatic problems are not
// unique.
//
// Tolerance: 1e-6 of velocities of order one. Both solve to a residual of 1e-10; the condition of the bodies is below 1e3.
#include <sys/stat.h>

#include "../unit/cone_help.h"
#include "souple/io.h"

static const char script[] = "import sys, h5py, numpy as np, siconos.numerics as sn\n"
                             "f = h5py.File(sys.argv[1], 'r'); g = f['fclib_local']; mu = g['vectors/mu'][()]; n = len(mu)\n"
                             "W = np.zeros((3 * n, 3 * n)); p, i, x = (g['W/' + k][()] for k in 'pix')\n"
                             "for r in range(3 * n):\n"
                             "    for k in range(p[r], p[r + 1]): W[r, i[k]] += x[k]\n"
                             "problem = sn.FrictionContactProblem(3, n, W, g['vectors/q'][()], mu)\n"
                             "o = sn.SolverOptions(sn.SICONOS_FRICTION_3D_NSGS); o.dparam[0] = 1e-10; o.iparam[0] = 200000\n"
                             "r = np.zeros(3 * n); u = np.zeros(3 * n)\n"
                             "info = sn.fc3d_nsgs(problem, r, u, o)\n"
                             "assert info == 0, 'Siconos did not converge'\n"
                             "error = abs(u - f['solution/u'][()]).max()\n"
                             "print('    largest difference of u: %.1e' % error)\n"
                             "assert error < 1e-6, error\n";

// CSR of W in the order of the groups, all three rows each
static void write_problem(sp_context *ctx, const sp_cone_problem *p, const char *path) {
    int n = p->row_count, used = 0;
    int *start = calloc((size_t)n + 1, sizeof *start), *column = calloc((size_t)n * (size_t)n, sizeof *column);
    double *value = calloc((size_t)n * (size_t)n, sizeof *value), *mu = calloc((size_t)p->group_count, sizeof *mu);
    for (int r = 0; r < n; r++) {
        for (int j = 0; j < p->group_count; j++) {
            ptrdiff_t stride;
            const double *block = sp__cone_block(p, r / 3, j, &stride);
            for (int c = 0; c < 3 && block; c++) column[used] = 3 * j + c, value[used++] = block[r % 3 * stride + c];
        }
        start[r + 1] = used;
    }
    for (int i = 0; i < p->group_count; i++) mu[i] = p->group[i].mu;
    const sp_fclib_problem f = {
        .dimension = 3, .contacts = p->group_count, .W = {n, n, start, column, value}, .q = p->q, .mu = mu};
    CHECK_INT(sp_fclib_write(ctx, path, &f, &(sp_fclib_solution){.u = p->u, .r = p->lambda}), SP_OK);
    free(start), free(column), free(value), free(mu);
}

TEST(siconos_finds_the_same_motion) {
    NOT_SANITIZED();
    sp_context *ctx = cone_context(1);
    sp_fclib *none;
    REQUIRE(ctx);
    if (sp_fclib_read(ctx, "siconos/none", &none) == SP_UNAVAILABLE ||
        system("/usr/bin/python3 -c 'import h5py, siconos.numerics' 2>/dev/null") != 0) {
        printf("    skipped: needs HDF5 and /usr/bin/python3 with h5py and siconos (Debian: python3-siconos)\n");
        sp_context_destroy(&ctx);
        return;
    }
    mkdir("siconos", 0777);
    FILE *f = fopen("siconos/solve.py", "w");
    REQUIRE(f);
    fputs(script, f);
    fclose(f);
    for (int k = 0; k < 4; k++) {
        cone_recipe recipe = {
            .contacts = 12 + 8 * k, .bodies = 10 + 4 * k, .mu = 0.2 + 0.1 * k, .ratio = 4, .seed = 400 + (unsigned)k};
        sp_cone_solver *solver;
        sp_cone_problem *p;
        sp_cone_info info;
        sp_cone_options o = sp__cone_options_default();
        o.tolerance = 1e-11;
        REQUIRE(cone_random(ctx, &recipe, &p) == SP_OK && sp__cone_solver_create(ctx, &solver) == SP_OK);
        REQUIRE(sp__cone_solve(solver, p, &o, &info) == SP_OK && info.status == SP_OK);
        write_problem(ctx, p, "siconos/a.hdf5");
        fflush(stdout);
        CHECK_INT(system("/usr/bin/python3 siconos/solve.py siconos/a.hdf5"), 0);
        sp__cone_solver_destroy(&solver);
        sp__cone_destroy(&p);
    }
    sp_context_destroy(&ctx);
}
