// Claim: preconditioners work on elements of every type as on 4-node tetrahedra. A bar of 0.4 m that falls and turns by its
// weight, 20 steps of 0.01 s: multigrid needs less than an eighth of the iterations of conjugate gradients, and a Cholesky factor
// of the rest shape that turns with the nodes (warp) less than half of those of one that does not.
#include "souple/io.h"
#include "test.h"

enum { STEPS = 20 };

// iterations per step; NAN: it was refused, failed or had a reservation
static double iterations(const char *law, const char *box, const char *solver) {
    char text[1000];
    sp_context *ctx;
    sp_scene *scene = NULL;
    sp_run *run = NULL;
    double sum = 0;
    snprintf(text, sizeof text,
             "<scene dt='0.01'><solid name='b' %s young='2e5' poisson='0.3'><box size='0.4 0.1 0.1' %s/>"
             "<fix box='-1 -1 -1 1e-3 1 1'/><solver type=%s/></solid><stop steps='%d'/></scene>",
             law, box, solver, STEPS);
    CHECK(sp_context_create(NULL, &ctx) == SP_OK);
    sp_status status = sp_scene_parse(ctx, text, strlen(text), "test.xml", NULL, &scene);
    if (status >= 0) status = sp_run_create(scene, NULL, &run);
    for (int i = 0; i < STEPS && status == SP_OK; i++) {
        sp_body_info info;
        status = sp_run_step(run);
        sp_world *w = sp_run_world(run);
        CHECK(sp_world_body_info(w, sp_world_body_named(w, "b"), &info) == SP_OK);
        sum += (double)info.solve.linear_iterations / STEPS;
    }
    if (status != SP_OK) SP_TEST_FAILED("%s, %s, %s: %s", law, box, solver, sp_context_error(ctx)->message);
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    sp_context_destroy(&ctx);
    return status == SP_OK ? sum : NAN;
}

TEST(multigrid_and_warped_factors_on_every_element) {
    static const char *const bodies[][2] = {
        {"material='corotational'", "cells='16 4 4'"},
        {"material='neo-hookean'", "cells='16 4 4'"},
        {"material='neo-hookean' integration='b-bar'", "cells='16 4 4'"},
        {"material='corotational'", "cells='16 4 4' pattern='hex'"},
        {"material='ogden'", "cells='16 4 4' pattern='hex'"},
        {"material='corotational'", "cells='8 2 2' order='2'"},
        {"material='stvk'", "cells='8 2 2' order='2'"},
        {"material='costa'", "cells='8 2 2' order='2'"},
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        const char *law = bodies[i][0], *box = bodies[i][1];
        const double cg = iterations(law, box, "'cg'"), grid = iterations(law, box, "'pcg' preconditioner='multigrid'"),
                     warped = iterations(law, box, "'pcg' preconditioner='cholesky' refresh='never'"),
                     fixed = iterations(law, box, "'pcg' preconditioner='cholesky' refresh='never' warp='no'");
        printf("  %-45s %-28s cg %5.1f, multigrid %4.1f; factor of rest %4.1f, warped %4.1f\n", law, box, cg, grid, fixed,
               warped);
        CHECK(grid < cg / 8);
        CHECK(warped < fixed / 2);
    }
}
