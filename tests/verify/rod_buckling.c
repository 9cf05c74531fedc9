// Claim: a column clamped at its foot stays straight under a load on its head below pi^2 E I / (4 L^2) and bends above it, as far
// as the elastica does; under its own weight it buckles at 7.8373 E I / L^2, for every model.
//
// Published: Euler (1744); Timoshenko and Gere, "Theory of Elastic Stability" (1961), 2.7 for post-buckling; Greenhill
// (1881), "Determination of the greatest height consistent with stability": (p L^3 / E I)_c = 9/4 j^2 with j the first zero of
// the Bessel function of order -1/3, 1.86635.
//
// The computed shape does not change suddenly at the critical load: a small natural curvature makes the column bow visibly below
// it. The linear theory of such a column is known, and its bow grows without bound at the critical load; a bow of a millionth of
// the length makes the theory exact here. So the critical load of a model is computed from one equilibrium below it.
#include "rod_lab.h"
#include "rod_shoot.h"

static const double euler = 2.4674011002723397;  // (pi / 2)^2
static const double greenhill = 7.8373474;

typedef struct column {
    sp_rod_model model;
    int elements;
    double load;       // on its head, downwards [N]; E I = L = 1
    double weight;     // in total [N]
    double imperfect;  // natural curvature, uniform
    double start;      // initial curvature
    int stages;
    bool guided;  // the head moves along x only and rotates freely
    double at;    // share of the length of the measured point; 0: the head
} column;

// Position of the head, or of the measured point: height and sideways. NaN: no equilibrium found.
static void stand(const column *c, double out[2]) {
    rod_lab b;
    rod_begin(&b, c->model, c->elements);
    rod_fill(b.natural, c->elements, 0, 0, c->imperfect);
    rod_fill(b.start, c->elements, 0, 0, c->start);
    b.strand.start = b.start;
    b.gravity[0] = -c->weight;
    sp_load load = rod_load(&b, SP_LOAD_FORCE, 1, -c->load, 0, 0);
    b.def.loads = &load, b.def.load_count = c->load != 0;
    sp_fix guide = {.nodes = &c->elements, .count = 1, .axes = SP_AXIS_Y | SP_AXIS_Z};
    b.def.fixes = &guide, b.def.fix_count = c->guided;
    rod_static(&b, c->stages);
    double x[3] = {NAN, NAN, NAN};
    if (rod_open(&b) && rod_step(&b, 1)) rod_at(&b, c->at > 0 ? c->at : 1, x, NULL);
    rod_close(&b);
    out[0] = x[0], out[1] = x[1];
}

// number of elements for which the critical load is correct to a tenth of a percent, per model: see the tolerances
static const int enough[ROD_MODELS] = {4, 16, 32, 32};

// ------------------------------------------------------------------------------------------------ a load on the head

// Sideways position of the head of a column with natural curvature c: c (1 - cos x) / (k^2 cos x), x = k L, k^2 = P / E I.
static double bow(double load, double critical, double c) {
    double x = rod_pi / 2 * sqrt(load / critical);
    return c * (1 - cos(x)) / (x * x * cos(x));
}

// The critical load that gives this bow; x^2 is P L^2 / E I for the true column, so only the ratio is needed.
static double critical_of(double load, double measured, double c) {
    double low = load * (1 + 1e-9), high = 2 * load;
    for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (low + high);
        *(bow(load, middle, c) > measured ? &low : &high) = middle;
    }
    return low;
}

// Tolerance 0.1%: a discrete rod of cells l buckles at its own (2 / l)^2 tan^2 (...), l^2 pi^2 / 48 of the load or 2e-4 for 32
// cells; beams and helices likewise with other constants below 5e-4 here; clothoids are of fourth order.
TEST(euler_load) {
    for (int m = 0; m < ROD_MODELS; m++) {
        double head[2];
        column c = {.model = (sp_rod_model)m, .elements = enough[m], .load = 0.97 * euler, .imperfect = 1e-6, .stages = 1};
        stand(&c, head);
        double found = critical_of(c.load, head[1], c.imperfect);
        printf("  %s: %.6f, off by %.2g\n", rod_names[m], found, found / euler - 1);
        CHECK_NEAR(found / euler, 1, 1e-3);
    }
}

// ------------------------------------------------------------------------------------------------ a guided head

// Sideways position at share s of a column that is clamped at its foot and pinned on the axis at its head: y'' + k^2 y = c + r (1
// - s). It is unbounded where tan k = k, k = 4.4934, 20.19 E I / L^2.
static double guided_bow(double load, double critical, double c, double s) {
    double k = 4.493409457909064 * sqrt(load / critical), r = c * (cos(k) - 1) / (sin(k) / k - cos(k));
    return (-(c + r) * cos(k * s) + r * sin(k * s) / k + c + r * (1 - s)) / (k * k);
}

// Clothoids and helices are guided by springs, 100 times as stiff as an element in its axial direction. Tolerance: the wave
// number is 4.5 per length instead of pi / 2, so with half the element l^2 k^2 / 12 is twice as much as above, 2e-3. The bow is
// larger here, a thousandth: the rounding of the springs is 1e-5 N, and its square is still negligible.
TEST(guided_head) {
    const double critical = 4.493409457909064 * 4.493409457909064;
    for (int m = 0; m < ROD_MODELS; m++) {
        double middle[2];
        column c = {.model = (sp_rod_model)m,
                    .elements = 2 * enough[m],
                    .load = 0.97 * critical,
                    .imperfect = 1e-3,
                    .stages = 1,
                    .guided = true,
                    .at = 0.6};
        stand(&c, middle);
        double low = c.load * (1 + 1e-9), high = 1.5 * c.load;
        for (int i = 0; i < 100; i++) {
            double between = 0.5 * (low + high);
            *(fabs(guided_bow(c.load, between, c.imperfect, c.at)) > fabs(middle[1]) ? &low : &high) = between;
        }
        printf("  %s: %.5f, off by %.2g\n", rod_names[m], low, low / critical - 1);
        CHECK_NEAR(low / critical, 1, 2e-3);
        CHECK(middle[1] * guided_bow(c.load, critical, c.imperfect, c.at) > 0);  // on the expected side
    }
}

// ------------------------------------------------------------------------------------------------ post-buckling

// integral from 0 to pi/2 of (1 - k^2 sin^2)^(power/2) by the trapezoidal rule, which is exact to rounding for periodic functions
static double complete(double k, double power) {
    const int n = 200;
    double sum = 0;
    for (int i = 0; i <= n; i++) {
        double sine = sin(rod_pi / 2 * i / n);
        sum += pow(1 - k * k * sine * sine, 0.5 * power) * (i == 0 || i == n ? 0.5 : 1);
    }
    return sum * rod_pi / 2 / n;
}

// P / Pc = (2 K / pi)^2, height 2 E / K - 1, sideways 2 k / K, k the sine of half the slope at the head.
static void after_buckling(double slope, double *load, double head[2]) {
    double k = sin(slope / 2), K = complete(k, -1), E = complete(k, 1);
    *load = 4 * K * K / (rod_pi * rod_pi);
    head[0] = 2 * E / K - 1, head[1] = 2 * k / K;
}

// Timoshenko and Gere, table 2-4, three digits.
TEST(published_post_buckling) {
    const double published[][4] = {{20, 1.015, 0.970, 0.220}, {60, 1.152, 0.741, 0.593}, {100, 1.518, 0.349, 0.792}};
    for (int i = 0; i < 3; i++) {
        double load, head[2];
        after_buckling(published[i][0] * rod_pi / 180, &load, head);
        CHECK_NEAR(load, published[i][1], 6e-4);
        CHECK_NEAR(head[0], published[i][2], 6e-4);
        CHECK_NEAR(head[1], published[i][3], 6e-4);
    }
}

// Slopes of 40 to 140 degrees at the head, from a bent initial state so that no imperfection is needed.
// Tolerance: 1e-3 of the load as above moves the head by up to dy/dP = 1.2 L / Pc at the smallest slope; curvatures are up to 4
// per length, so second order in cells l adds about (4 l)^2 / 12, 1.3e-3 for 32 and 5e-3 for the 16 helices, less for 16
// clothoids.
TEST(bent_as_the_elastica) {
    for (int m = 0; m < ROD_MODELS; m++)
        for (int degrees = 40; degrees <= 140; degrees += 50) {
            double load, want[2], head[2], tolerance = m == SP_ROD_CLOTHOID ? 1e-4 : 3e-3;
            after_buckling(degrees * rod_pi / 180, &load, want);
            column c = {.model = (sp_rod_model)m,
                        .elements = m == SP_ROD_CLOTHOID ? 12 : 40,
                        .load = load * euler,
                        .start = 1,
                        .stages = 1};
            stand(&c, head);
            printf("  %s, %d degrees: off by %.2g, %.2g\n", rod_names[m], degrees, head[0] - want[0], head[1] - want[1]);
            CHECK_NEAR(head[0], want[0], tolerance);
            CHECK_NEAR(head[1], want[1], tolerance);
        }
}

// From the same bow, 0.45 sideways at the head: two percent below the critical load the column straightens, two percent above it
// stays bent, as far as the theory predicts.
// Tolerance: 1e-3 as above in the load, which dy/dP = 6 / Pc turns into 6e-3 this close to the critical load.
TEST(straight_below_and_bent_above) {
    double want[2], load = 0, slope = 0;
    while (load < 1.02) after_buckling(slope += 1e-4, &load, want);
    for (int m = 0; m < ROD_MODELS; m++) {
        double below[2], above[2];
        column c = {.model = (sp_rod_model)m, .elements = enough[m], .load = 0.98 * euler, .start = 1, .stages = 1};
        stand(&c, below);
        c.load = 1.02 * euler;
        stand(&c, above);
        printf("  %s: %.2g below, %.4f above (theory %.4f)\n", rod_names[m], below[1], above[1], want[1]);
        CHECK_NEAR(below[1], 0, 1e-6);
        CHECK_NEAR(below[0], 1, 1e-5);
        CHECK_NEAR(above[1], want[1], 6e-3);
    }
}

// ------------------------------------------------------------------------------------------------ its own weight

// J_{-1/3}(j) up to a factor: sum of (-1)^n (j/2)^{2n} / (n! (2/3)(5/3)...)
static double bessel(double j) {
    double term = 1, sum = 1;
    for (int n = 1; n < 40; n++) {
        term *= -j * j / 4 / (n * (n - 1.0 / 3));
        sum += term;
    }
    return sum;
}

TEST(greenhill_number) {
    double low = 1.5, high = 2.2;
    for (int i = 0; i < 60; i++) *(bessel(0.5 * (low + high)) > 0 ? &low : &high) = 0.5 * (low + high);
    CHECK_NEAR(2.25 * low * low, greenhill, 1e-6);
}

// The inverse of the bow falls to zero at the critical weight. It is almost linear there: the line through 97% and 99% reaches
// zero within 1e-4. Otherwise as for the Euler load; most bending is near the foot, where a heavy column is loaded most.
TEST(own_weight) {
    for (int m = 0; m < ROD_MODELS; m++) {
        double one[2], two[2];
        column c = {.model = (sp_rod_model)m, .elements = enough[m], .weight = 0.97 * greenhill, .imperfect = 1e-6, .stages = 1};
        stand(&c, one);
        c.weight = 0.99 * greenhill;
        stand(&c, two);
        double found = 0.99 + 0.02 * (1 / two[1]) / (1 / one[1] - 1 / two[1]);
        printf("  %s: %.6f, off by %.2g\n", rod_names[m], found * greenhill, found - 1);
        CHECK_NEAR(found, 1, 1.5e-3);
    }
}

// The shape of a slightly bent column above its critical weight is computed by shooting (rod_shoot.h). Tolerance: 1.5e-3 of the
// weight as above, three percent above the critical one: dy/dp = 5 / pc, and second order in curvatures of 2 per length.
TEST(upright_below_and_fallen_above) {
    shoot heavy = {.stiffness = {2.0 / 3, 1, 1}, .natural = {0, 0, 0.01}, .length = 1};
    heavy.line[0] = -1.03 * greenhill;
    double *path = shoot_solve(&heavy, 200, 1000);
    REQUIRE(path);
    const double *tip = path + 1000 * SHOOT_STATE;
    for (int m = 0; m < ROD_MODELS; m++) {
        double below[2], above[2];
        column c = {.model = (sp_rod_model)m, .elements = enough[m], .weight = 0.98 * greenhill, .start = 1, .stages = 1};
        stand(&c, below);
        c.weight = 1.03 * greenhill, c.imperfect = 0.01;
        stand(&c, above);
        printf("  %s: %.2g below, %.4f above (theory %.4f)\n", rod_names[m], below[1], above[1], tip[1]);
        CHECK_NEAR(below[1], 0, 1e-6);
        CHECK_NEAR(above[1], tip[1], 0.01);
    }
    free(path);
}
