// Claim: statics with its defaults finds the equilibrium of soft, nearly incompressible bars (nu = 0.499) that bend by a third of
// their length and more under their weight, with every law on hexahedra and both kinds of tetrahedra, in one step from rest. The
// forces balance to the tolerance of 1e-8, the volume stays within 1 % for laws of the volume, and the tips of hexahedra and
// quadratic tetrahedra agree within 8 %, the error of meshes with two cells across.
#include "souple/io.h"
#include "test.h"

typedef struct bent {
    sp_status status;
    sp_solve_info solve;
    sp_body_measures m;
} bent;

static bent bend(const char *law, const char *box, const char *young) {
    char text[1000];
    sp_context *ctx;
    sp_scene *scene = NULL;
    sp_run *run = NULL;
    bent out = {0};
    snprintf(text, sizeof text,
             "<scene><solid name='b' %s young='%s' poisson='0.499'><box size='0.3 0.1 0.1' cells='6 2 2' %s/>"
             "<fix box='-1 -1 -1 1e-3 1 1'/><integrator type='static'/></solid><stop steps='1'/></scene>",
             law, young, box);
    CHECK(sp_context_create(NULL, &ctx) == SP_OK);
    out.status = sp_scene_parse(ctx, text, strlen(text), "test.xml", NULL, &scene);
    if (out.status >= 0) out.status = sp_run_create(scene, NULL, &run);
    if (out.status >= 0) out.status = sp_run_step(run);
    if (out.status < 0) {
        SP_TEST_FAILED("%s, %s: %s", law, box, sp_context_error(ctx)->message);
    } else {
        sp_world *w = sp_run_world(run);
        sp_body_info info;
        CHECK(sp_world_body_info(w, sp_world_body_named(w, "b"), &info) == SP_OK);
        CHECK(sp_world_body_measure(w, sp_world_body_named(w, "b"), &out.m) == SP_OK);
        out.solve = info.solve;
    }
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    sp_context_destroy(&ctx);
    return out;
}

static const char *const boxes[] = {"pattern='hex'", "order='2'", ""};

static void every_box(const char *law, const char *young, bool keeps_volume) {
    bent b[3];
    for (int i = 0; i < 3; i++) {
        b[i] = bend(law, boxes[i], young);
        const double volume = b[i].m.volume / b[i].m.rest_volume;
        printf("  %-46s %-14s %3d iterations, tip moved by %.3f m, volume %.4f\n", law, boxes[i], b[i].solve.newton_iterations,
               b[i].m.displacement_max, volume);
        CHECK_INT(b[i].status, SP_OK);
        CHECK(b[i].solve.force_residual <= 1e-8);
        if (keeps_volume) CHECK_NEAR(volume, 1, 0.01);
    }
    CHECK_NEAR(b[0].m.displacement_max / b[1].m.displacement_max, 1, 0.08);
    CHECK(b[2].m.displacement_max < b[1].m.displacement_max);  // 4-node tetrahedra lock
}

TEST(bars_that_bend_by_a_third) {
    static const char *const laws[] = {"material='corotational'",
                                       "material='stvk'",
                                       "material='neo-hookean'",
                                       "material='neo-hookean' form='log'",
                                       "material='neo-hookean' form='isochoric'",
                                       "material='mooney-rivlin'",
                                       "material='arruda-boyce'",
                                       "material='veronda-westmann'",
                                       "material='ogden'",
                                       "material='costa'",
                                       "material='holzapfel' fibre='0 1 0'",
                                       "material='neo-hookean' tangent='exact'"};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) every_box(laws[i], "1e5", true);
}

TEST(a_bar_that_hangs_down) {
    every_box("material='neo-hookean'", "1e4", true);
}
