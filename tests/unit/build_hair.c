// Hair: copies of a rod as strands of one body, distributed over a rigid body and carried by it.
#include "meter.h"
#include "rod_scene.h"

#define HAIR(head, scatter, rod, inside)                                                                           \
    "<scene gravity='0 0 0' dt='0.01' seed='5'>" head "<template name='t'><param name='c' value='1'/>"             \
    "<rod name='r' length='{0.1+0.01*i}' elements='{2+i%2}' radius='0.001' curvature='0 0 {c}' " rod ">" inside    \
    "</rod></template><instance name='hair' of='t' count='40' merge='yes' " scatter "><set name='c' value='{i}'/>" \
    "</instance><probe name='all' of='hair' quantity='kinetic'/><stop steps='5'/></scene>"

#define BALL "<rigid name='head' translate='1 2 3'><sphere radius='0.5'/></rigid>"

TEST(copies_become_strands_of_one_body) {
    static const char *const sets[] = {"hair.young=3e6", "hair.solver.tolerance=1e-3", "hair[2].r.length=7"};
    stage s = build_set(HAIR("", "translate='0 {i} 0'", "", "<probe name='tip' end='tip'/>"), NULL, 3, sets);
    sp_param_info p;
    int n;
    REQUIRE(s.status >= 0);
    CHECK_INT(sp_world_body_count(s.world), 1);
    sp_body_info info = info_of(&s, "hair");
    CHECK_INT(info.elements, 20 * 2 + 20 * 3);
    CHECK_INT(info.nodes, 100 + 40);
    CHECK(sp_world_param(s.world, "hair.young", &p) >= 0 && p.value == 3e6);
    CHECK(info.solver.tolerance == 1e-3);
    double *k = field_of(&s, "hair", "curvature", &n), *x = field_of(&s, "hair", "position", &n);
    // the roots: every second strand has three nodes, the others four
    for (int i = 0, node = 0; i < 40; i++, node += 3 + (i - 1) % 2) {
        CHECK_NEAR(k[3 * node + 2], i, ROUNDING);
        CHECK_NEAR(x[3 * node + 1], i, ROUNDING);
    }
    // a probe of a copy measures its strand; the third is seven metres long and turns by two radians per metre
    CHECK_NEAR(last_of(&s, "hair[2].r.tip")[0], sin(14.0) / 2, 1e-12);
    CHECK_NEAR(last_of(&s, "hair[0].r.tip")[0], 0.1, ROUNDING);
    free(k), free(x);
    end(&s);
}

// strands are not coupled: together or alone they move the same way
TEST(a_strand_moves_as_the_same_rod_alone) {
    stage a =
        build("<scene dt='0.01'><template name='t'><rod name='r' length='0.2' radius='0.001' young='1e7' curvature='0 0 {i}'>"
              "<load end='tip' force='0 0 {0.001*i}'/><probe name='tip' end='tip'/></rod></template>"
              "<instance name='h' of='t' count='3' merge='yes' translate='0 0 {i}'/><stop steps='10'/></scene>");
    stage b =
        build("<scene dt='0.01'><template name='t'><rod name='r' length='0.2' radius='0.001' young='1e7' curvature='0 0 {i}'>"
              "<load end='tip' force='0 0 {0.001*i}'/><probe name='tip' end='tip'/></rod></template>"
              "<instance name='h' of='t' count='3' translate='0 0 {i}'/><stop steps='10'/></scene>");
    REQUIRE(a.status >= 0 && b.status >= 0);
    CHECK_INT(sp_world_body_count(a.world), 1);
    CHECK_INT(sp_world_body_count(b.world), 3);
    for (int i = 0; i < 10; i++) CHECK(sp_run_step(a.run) >= 0 && sp_run_step(b.run) >= 0);
    for (int i = 0; i < 3; i++) {
        char probe[20];
        snprintf(probe, sizeof probe, "h[%d].r.tip", i);
        CHECK_NEAR(apart(last_of(&a, probe), last_of(&b, probe)), 0, 1e-12);
    }
    end(&a), end(&b);
}

// ------------------------------------------------------------------------------------------------ distribution over surfaces

// roots of strands of four elements
static double *roots_of(const stage *s, int count) {
    int n;
    double *x = field_of(s, "hair", "position", &n), *roots = calloc(3 * (size_t)count, sizeof *roots);
    CHECK_INT(n, 5 * count);
    for (int i = 0; i < count; i++) memcpy(roots + 3 * i, x + 15 * i, 3 * sizeof *x);
    free(x);
    return roots;
}

static double nearest(const double *x, int count) {
    double least = INFINITY;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++) least = fmin(least, apart(x + 3 * i, x + 3 * k));
    return least;
}

#define SPREAD(seed, head, over)                                                                                              \
    "<scene gravity='0 0 0' dt='0.01' seed='" seed "'>" head "<template name='t'><rod name='r' length='0.1' radius='0.001'/>" \
    "</template><instance name='hair' of='t' count='200' merge='yes' scatter='" over "'/><stop steps='5'/></scene>"

TEST(hair_is_distributed_evenly_on_a_ball) {
    stage s = build(SPREAD("5", BALL, "head"));
    const double centre[3] = {1, 2, 3};
    int n;
    REQUIRE(s.status >= 0);
    double *x = roots_of(&s, 200), *R = field_of(&s, "hair", "frame", &n), mean[3] = {0};
    double off = 0, askew = 0;
    for (int i = 0; i < 200; i++) {
        off = fmax(off, fabs(apart(x + 3 * i, centre) - 0.5));
        for (int k = 0; k < 3; k++) {
            double normal = (x[3 * i + k] - centre[k]) / 0.5;
            askew = fmax(askew, fabs(R[9 * 5 * i + 3 * k] - normal));  // the tangent is the first column
            mean[k] += normal / 200;
        }
    }
    CHECK_NEAR(off, 0, ROUNDING);
    CHECK_NEAR(askew, 0, 1e-12);
    // the densest packing has sqrt(2 A / (sqrt(3) n)); random points would have about a thirtieth of it
    CHECK(nearest(x, 200) > 0.5 * sqrt(2 * 4 * 3.14159 * 0.25 / (sqrt(3) * 200)));
    // 200 random points would be off by 1 / sqrt(200) = 0.07 on average
    CHECK(sqrt(mean[0] * mean[0] + mean[1] * mean[1] + mean[2] * mean[2]) < 0.04);
    free(x), free(R);
    end(&s);
}

TEST(positions_depend_on_seed_and_path_only) {
    stage a = build(SPREAD("5", BALL, "head")), b = build(SPREAD("6", BALL, "head")), c = build(SPREAD("5", BALL, "head"));
    REQUIRE(a.status >= 0 && b.status >= 0 && c.status >= 0);
    CHECK(sp_world_hash(a.world) == sp_world_hash(c.world));
    CHECK(sp_world_hash(a.world) != sp_world_hash(b.world));
    end(&a), end(&b), end(&c);
}

TEST(hair_grows_on_the_selected_part_and_not_inside) {
    // a box on a cylinder: nothing on the cap hidden by the box, nothing below
    stage s = build(SPREAD(
        "1",
        "<rigid name='head'><cylinder radius='0.3' length='1' axis='0 1 0'/><box size='0.2 0.2 0.2' translate='-0.1 0.9 -0.1'/>"
        "<select name='top' where='{y gt 0.5}'/></rigid>",
        "head.top"));
    REQUIRE(s.status >= 0);
    double *x = roots_of(&s, 200);
    int side = 0, cap = 0, box = 0, wrong = 0;
    for (int i = 0; i < 200; i++) {
        const double *p = x + 3 * i;
        bool hidden = fabs(p[0]) < 0.1 - 1e-9 && fabs(p[2]) < 0.1 - 1e-9 && p[1] < 1.1 - 1e-9;
        wrong += !(p[1] > 0.5) || hidden;
        side += fabs(hypot(p[0], p[2]) - 0.3) < 1e-9;
        cap += fabs(p[1] - 1) < 1e-9;
        box += p[1] > 1 + 1e-9;
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(side + cap + box, 200);
    // areas 0.942, 0.243 and 0.12 of 1.305 m2; three standard deviations of random points would be 20, evenly distributed points
    // have less
    CHECK_NEAR(side, 200 * 0.942 / 1.305, 20);
    CHECK_NEAR(cap, 200 * 0.243 / 1.305, 20);
    free(x);
    end(&s);
}

TEST(a_moving_head_carries_its_hair) {
    stage s = build(SPREAD("5",
                           "<rigid name='head' motion='kinematic' translate='1 2 3'><sphere radius='0.5'/>"
                           "<move translate='{t} 0 0' rotate='0 {100*t} 0'/></rigid>",
                           "head"));
    REQUIRE(s.status >= 0);
    double *x = roots_of(&s, 200);
    for (int i = 0; i < 5; i++) CHECK(sp_run_step(s.run) >= 0);
    double *y = roots_of(&s, 200), angle = 5 * 3.14159265358979323846 / 180, c = cos(angle), sn = sin(angle);
    double worst = 0;
    for (int i = 0; i < 200; i++) {
        // about the head's own origin, at its placement
        double dx = x[3 * i] - 1, dz = x[3 * i + 2] - 3;
        double want[3] = {1.05 + c * dx + sn * dz, x[3 * i + 1], 3 - sn * dx + c * dz};
        worst = fmax(worst, apart(y + 3 * i, want));
    }
    CHECK_NEAR(worst, 0, 1e-12);
    free(x), free(y);
    end(&s);
}

TEST(hair_is_distributed_over_a_surface_from_a_file) {
    stage s = build(SPREAD(
        "5", "<rigid name='head'><sphere radius='0.1'/><surface name='skin' role='visual' file='surface/octa.obj'/></rigid>",
        "head.skin"));
    REQUIRE(s.status >= 0);
    double *x = roots_of(&s, 200), low = INFINITY, high = 0;
    // the faces of an octahedron about (500, 500, 500)
    for (int i = 0; i < 200; i++) {
        const double *p = x + 3 * i;
        double sum = fabs(p[0] - 500) + fabs(p[1] - 500) + fabs(p[2] - 500);
        low = fmin(low, sum), high = fmax(high, sum);
    }
    CHECK_NEAR(high, 300, 1e-9);
    CHECK_NEAR(low, 300, 1e-9);
    free(x);
    end(&s);
}

// ------------------------------------------------------------------------------------------------ memory

// every allocation may fail: a message, no leak
TEST(failed_allocations_are_reported_without_leaks) {
    static const char text[] =
        "<scene><rigid name='head'><sphere radius='0.5'/></rigid><template name='t'><rod name='r' elements='2' radius='0.001'>"
        "<path points='0 0 0 0.1 0 0 0.2 0.01 0' fit='0.01'/><region s='0.1 0.2' young='1e5'/><fix near='0.2 0.01 0' "
        "stiffness='1'/>"
        "<load end='tip' force='0 0 {t}'/></rod></template><instance name='hair' of='t' count='2' merge='yes' scatter='head'/>"
        "<inverse unknown='hair.curvature'/><stop steps='1'/></scene>";
    bool through = false;
    for (long n = 0; n < 5000 && !through; n += n < 40 ? 1 : 7) {
        meter m = {n, 0};
        sp_context_def def = metered_context(&m);
        sp_context *ctx;
        sp_scene *scene = NULL;
        sp_run *run = NULL;
        if (sp_context_create(&def, &ctx) < 0) {
            CHECK_INT(m.live, 0);
            continue;
        }
        sp_status status = sp_scene_parse(ctx, text, sizeof text - 1, "scene.xml", NULL, &scene);
        if (status >= 0) status = sp_run_create(scene, NULL, &run);
        through = status >= 0;
        CHECK(status >= 0 || status == SP_NO_MEMORY);
        sp_run_destroy(&run);
        sp_scene_destroy(&scene);
        sp_context_destroy(&ctx);
        CHECK_INT(m.live, 0);
    }
    CHECK(through);
}
