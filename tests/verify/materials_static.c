// Claim: statics with its defaults finds the equilibrium of soft, nearly incompressible bars (nu = 0.499) that bend by a third of
// their length and more under their weight, with every law on hexahedra and both kinds of tetrahedra, in one step from rest. The
// forces balance to the tolerance of 1e-8, the volume stays within 1 % for laws of the volume, and the tips of hexahedra and
// quadratic tetrahedra agree within 8 %, the error of meshes with two cells across.
// And a bar that is pulled slowly by 3 kN with all other defaults comes to rest at the stretch of the closed form of each
// neo-Hookean law, to six digits where its cross section is free; where its end is clamped and the load is on nodes, a little
// shorter, by up to 3 % of its length.
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

// ------------------------------------------------------------------------------------------------ a stretched bar

typedef enum form { STABLE, LOG, ISOCHORIC } form;
static const char *const forms[] = {"stable", "log", "isochoric"};
enum { FORMS = 3 };

// nominal stress along direction i of stretches (a, b, b), for E = 1 MPa and nu = 0.45 (docs/materials.md, "Laws")
static double nominal(form f, double a, double b, int i) {
    const double young = 1e6, nu = 0.45, mu = young / (2 * (1 + nu)), lambda = 2 * mu * nu / (1 - 2 * nu),
                 k = lambda + 2 * mu / 3;
    const double s = i ? b : a, J = a * b * b, I1 = a * a + 2 * b * b, m = 4 * mu / 3, l = lambda + 5 * mu / 6;
    if (f == STABLE) return m * s * (1 - 1 / (I1 + 1)) + (l * (J - 1) - 0.75 * m) * J / s;
    if (f == LOG) return mu * (s - 1 / s) + lambda * log(J) / s;
    return mu * pow(J, -2. / 3) * (s - I1 / (3 * s)) + k * log(J) / s;
}

// the stretch across for which the sides are free
static double across(form f, double a) {
    double low = 0.5, high = 1;
    for (int i = 0; i < 100; i++) {
        const double b = 0.5 * (low + high);
        *(nominal(f, a, b, 1) < 0 ? &low : &high) = b;
    }
    return low;
}

static double along(form f, double stress) {
    double low = 1, high = 2;
    for (int i = 0; i < 100; i++) {
        const double a = 0.5 * (low + high);
        *(nominal(f, a, across(f, a), 0) < stress ? &low : &high) = a;
    }
    return low;
}

static void pull(form f, bool clamped, double *end, double *volume) {
    char text[1500];
    sp_context *ctx;
    sp_scene *scene = NULL;
    sp_run *run = NULL;
    snprintf(text, sizeof text,
             "<scene dt='0.01' gravity='0 0 0'><solid name='b' material='neo-hookean' form='%s' young='1e6' poisson='0.45'>"
             "<box size='0.3 0.1 0.1' cells='9 3 3'/><fix box='-0.01 -1 -1 0.01 1 1' axes='%s'/>%s"
             "<load box='0.29 -1 -1 0.31 1 1' %s='{%s*smooth(0,1,t)} 0 0'/></solid><stop time='3'/></scene>",
             forms[f], clamped ? "xyz" : "x",
             clamped ? "" : "<fix box='-1 -0.01 -1 1 0.01 1' axes='y'/><fix box='-1 -1 -0.01 1 1 0.01' axes='z'/>",
             clamped ? "force" : "traction", clamped ? "3e3" : "3e5");
    CHECK(sp_context_create(NULL, &ctx) == SP_OK);
    sp_status status = sp_scene_parse(ctx, text, strlen(text), "test.xml", NULL, &scene);
    if (status >= 0) status = sp_run_create(scene, NULL, &run);
    while (status >= 0 && !sp_run_done(run)) status = sp_run_step(run);
    CHECK_INT(status, SP_OK);
    if (status >= 0) {
        sp_world *w = sp_run_world(run);
        const sp_body_id body = sp_world_body_named(w, "b");
        sp_body_measures m = {0};
        double x[3 * 160], u[3 * 160];
        CHECK(sp_world_body_measure(w, body, &m) == SP_OK && sp_world_field(w, body, "position", x) == SP_OK);
        CHECK(sp_world_field(w, body, "displacement", u) == SP_OK);
        for (int i = 0; i < 160; i++)
            if (x[3 * i] - u[3 * i] > 0.299) *end += x[3 * i] / 16;
        *volume = m.volume / m.rest_volume;
    }
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    sp_context_destroy(&ctx);
}

TEST(a_stretched_bar) {
    for (int f = 0; f < FORMS; f++) {
        const double a = along((form)f, 3e5), b = across((form)f, a);
        double end[2] = {0}, volume[2] = {0};
        for (int c = 0; c < 2; c++) pull((form)f, c, &end[c], &volume[c]);
        printf("  %-10s closed form %.5f m, volume %.5f; free %.5f, %.5f; clamped %.4f, %.4f\n", forms[f], 0.3 * a, a * b * b,
               end[0], volume[0], end[1], volume[1]);
        CHECK_NEAR(end[0], 0.3 * a, 3e-7);
        CHECK_NEAR(volume[0], a * b * b, 1e-6);
        CHECK(end[1] < end[0] && end[1] > 0.97 * end[0]);
        CHECK_NEAR(volume[1], a * b * b, 0.01);
    }
}
