// The numbers of the laws for host code: all laws agree with Hooke's at small strains when they are described by Young's modulus
// and Poisson's ratio alone, coefficients go where the kernels read them, and a wrong value is named with its range.
#include "law_help.h"
#include "solid/law.h"

static const char *params(int law, int volumetric, const sp_law_numbers *n, double *p) {
    static char text[200];
    return sp__law_params(law, volumetric, n, p, text, sizeof text);
}

// stress of the kernels at the strain 1e-7 against 2 mu e + lambda tr e
TEST(young_and_poisson_mean_the_same_for_every_law) {
    unsigned long long seed = 1;
    for (int law = 0; law < SP_LAWS; law++)
        for (int volumetric = 0; volumetric < SP_LAW_VOLUMES; volumetric++) {
            law_case c = {.law = (sp_law)law};
            sp_law_numbers n = {.young = 3000, .poisson = 0.4, .bulk = NAN};
            double mu = 3000 / 2.8, lambda = 3000 * 0.4 / (1.4 * 0.2), H[9], P[9];
            CHECK(params(law, volumetric, &n, c.p) == NULL);
            CHECK_NEAR(sp__law_shear(law, c.p), mu, 1e-12 * mu);
            CHECK_NEAR(sp__law_bulk(law, c.p), lambda + 2 * mu / 3, 1e-12 * lambda);
            for (int k = 0; k < 9; k++) H[k] = 1e-7 * sp_test_random(&seed);
            law_stress(&c, H, P);
            for (int k = 0; k < 9; k++) {
                double expected = mu * (H[k] + H[k % 3 * 3 + k / 3]) + (k % 4 ? 0 : lambda * (H[0] + H[4] + H[8]));
                CHECK_NEAR(P[k], expected, 1e-5 * 1e-7 * lambda);  // the next term: 1e-7 times a constant of the law
            }
        }
}

// the same from the second derivatives of the kernels at rest, for coefficients of all kinds
TEST(small_strain_moduli_are_those_of_the_kernels) {
    for (int n = 0; n < LAW_CASES; n++) {
        const law_case *c = &law_cases[n];
        double H[9] = {0}, shear[9] = {0, 1, 0, 1}, swell[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, dP[9];
        law_change(c, 0, H, shear, dP);
        CHECK_NEAR(sp__law_shear(c->law, c->p), dP[1] / 2, 1e-12 * dP[1]);
        law_change(c, 0, H, swell, dP);
        CHECK_NEAR(sp__law_bulk(c->law, c->p), dP[0] / 3, 1e-12 * dP[0]);
    }
}

TEST(coefficients_reach_the_kernels) {
    double p[SP_LAW_PARAMS];
    sp_law_numbers n = {.bulk = 5000, .coefficient_count = 2, .coefficients = {400, 100}};
    CHECK(params(SP_LAW_MOONEY_RIVLIN, SP_LAW_VOLUME_QUADRATIC, &n, p) == NULL);
    CHECK(p[0] == 400 && p[1] == 100 && p[SP_LAW_BULK] == 5000 && p[SP_LAW_VOLUME] == SP_LAW_VOLUME_QUADRATIC);
    n.bulk = NAN, n.poisson = 0.25;  // bulk modulus 2 mu (1 + nu) / (3 (1 - 2 nu)) with mu = 1000
    CHECK(params(SP_LAW_MOONEY_RIVLIN, SP_LAW_VOLUME_LOG, &n, p) == NULL);
    CHECK_NEAR(p[SP_LAW_BULK], 1000 * 2.5 / 1.5, 1e-9);
    n = (sp_law_numbers){.bulk = 1, .coefficient_count = 2, .coefficients = {900, 8}};
    CHECK(params(SP_LAW_ARRUDA_BOYCE, 0, &n, p) == NULL);
    CHECK(p[0] == 900 && p[1] == 0.125);
    n = (sp_law_numbers){.bulk = 1, .coefficient_count = 4, .coefficients = {600, 1.3, 40, -2}};
    CHECK(params(SP_LAW_OGDEN, 0, &n, p) == NULL);
    CHECK(p[0] == 600 && p[1] == 1.3 && p[2] == 40 && p[3] == -2 && p[4] == 0 && p[5] == 0);
    CHECK_NEAR(sp__law_shear(SP_LAW_OGDEN, p), 640, 0);
}

// holzapfel: c is the shear modulus; costa: the shear modulus is the mean of three, the bulk modulus has a part of the
// exponential
TEST(laws_with_directions) {
    double p[SP_LAW_PARAMS];
    sp_law_numbers n = {.young = 3000, .poisson = 0.4, .bulk = NAN};
    const double mu = 3000 / 2.8, lambda = 3000 * 0.4 / (1.4 * 0.2);
    for (int law = SP_LAWS; law < SP_LAWS_ALL; law++) {
        CHECK(params(law, 0, &n, p) == NULL);
        CHECK_NEAR(sp__law_shear(law, p), mu, 1e-12 * mu);
        CHECK_NEAR(sp__law_bulk(law, p), lambda + 2 * mu / 3, 1e-12 * lambda);
        CHECK(sp__law_name(law) && !sp__law_inverts(law) && sp__law_coefficient(law, sp__law_coefficients(law) - 1));
    }
    CHECK(params(SP_LAW_HOLZAPFEL, 0, &n, p) == NULL && p[1] == p[0] && p[2] == 1);
    n = (sp_law_numbers){.bulk = 5000, .coefficient_count = 3, .coefficients = {400, 100, 2}};
    CHECK(params(SP_LAW_HOLZAPFEL, SP_LAW_VOLUME_MIXED, &n, p) == NULL);
    CHECK(p[0] == 400 && p[1] == 100 && p[2] == 2 && p[SP_LAW_BULK] == 5000 && p[SP_LAW_VOLUME] == SP_LAW_VOLUME_MIXED);
    n = (sp_law_numbers){.bulk = 5000, .coefficient_count = 7, .coefficients = {900, 8, 6, 4, 5, 4, 3}};
    CHECK(params(SP_LAW_COSTA, 0, &n, p) == NULL && p[6] == 3 && p[SP_LAW_BULK] == 5000);
    CHECK_NEAR(sp__law_shear(SP_LAW_COSTA, p), 1800, 1e-9);
    CHECK_NEAR(sp__law_bulk(SP_LAW_COSTA, p), 6800, 1e-9);
}

static void refused(int law, int volumetric, sp_law_numbers n, const char *expected) {
    double p[SP_LAW_PARAMS];
    const char *text = params(law, volumetric, &n, p);
    if (!text || strcmp(text, expected)) printf("  said: %s\n", text ? text : "nothing");
    CHECK(text && !strcmp(text, expected));
}

TEST(wrong_values_are_named_with_their_range) {
    refused(SP_LAW_STVK, 0, (sp_law_numbers){.young = -1, .poisson = 0.3}, "young = -1, must be >= 0");
    refused(SP_LAW_STVK, 0, (sp_law_numbers){.young = 1, .poisson = 0.5}, "poisson = 0.5, must be in (-1, 0.5)");
    refused(SP_LAW_STVK, 0, (sp_law_numbers){.young = NAN, .poisson = 0.3}, "young = nan, must be >= 0");
    refused(SP_LAW_STVK, 0, (sp_law_numbers){.coefficient_count = 1, .poisson = 0.3},
            "stvk has no coefficients: young and poisson describe it");
    refused(SP_LAW_MOONEY_RIVLIN, 0, (sp_law_numbers){.coefficient_count = 1, .poisson = 0.3},
            "1 coefficients, mooney-rivlin has 2");
    refused(SP_LAW_MOONEY_RIVLIN, 0, (sp_law_numbers){.coefficient_count = 2, .coefficients = {1, -2}, .poisson = 0.3},
            "shear modulus of the coefficients at small strains = -2, must be >= 0");
    refused(SP_LAW_MOONEY_RIVLIN, 0, (sp_law_numbers){.coefficient_count = 2, .coefficients = {1, 0}, .bulk = -3},
            "bulk = -3, must be >= 0");
    refused(SP_LAW_ARRUDA_BOYCE, 0, (sp_law_numbers){.coefficient_count = 2, .coefficients = {1, 0}, .bulk = 3},
            "n = 0, must be > 0");
    refused(SP_LAW_VERONDA_WESTMANN, 0, (sp_law_numbers){.coefficient_count = 2, .coefficients = {1, -1}, .bulk = 3},
            "c2 = -1, must be > 0");
    refused(SP_LAW_OGDEN, 0, (sp_law_numbers){.coefficient_count = 3, .bulk = 3},
            "3 coefficients, ogden has 2, 4, 6 or 8: a modulus and an exponent for each term");
    refused(SP_LAW_OGDEN, 0, (sp_law_numbers){.coefficient_count = 2, .bulk = 3}, "a1 = 0, must be different from 0");
    refused(SP_LAW_OGDEN, 0, (sp_law_numbers){.coefficient_count = 2, .coefficients = {INFINITY, 1}, .bulk = 3},
            "mu1 = inf, must be finite");
    refused(SP_LAW_HOLZAPFEL, 0, (sp_law_numbers){.coefficient_count = 3, .coefficients = {1, -1, 1}, .bulk = 3},
            "k1 = -1, must be >= 0");
    refused(SP_LAW_COSTA, 0, (sp_law_numbers){.coefficient_count = 7, .coefficients = {1, 1, 1, 1, 1, 1, -2}, .bulk = 3},
            "bsn = -2, must be >= 0");
    refused(SP_LAW_COSTA, 0, (sp_law_numbers){.young = 1, .poisson = -0.2, .bulk = NAN},
            "poisson = -0.2, must be >= 0 for costa without bulk");
    refused(SP_LAW_COSTA, 0, (sp_law_numbers){.young = 1, .poisson = 0.2, .bulk = -1}, "bulk = -1, must be >= 0");
    refused(SP_LAW_STVK, 7, (sp_law_numbers){.young = 1, .poisson = 0.3}, "volumetric = 7, must be one of SP_LAW_VOLUME_");
    refused(SP_LAWS_ALL, 0, (sp_law_numbers){.young = 1, .poisson = 0.3}, "law = 12, must be one of sp_law");
}

TEST(names_and_properties) {
    for (int law = 0; law < SP_LAWS; law++) {
        CHECK(sp__law_name(law) != NULL);
        CHECK(sp__law_inverts(law) == law_everywhere((sp_law)law));
        CHECK(sp__law_isochoric(law) == (law >= SP_LAW_NEO_HOOKEAN_ISOCHORIC));
        for (int k = 0; k < sp__law_coefficients(law); k++) CHECK(sp__law_coefficient(law, k) != NULL);
        CHECK(sp__law_coefficient(law, sp__law_coefficients(law)) == NULL && sp__law_coefficient(law, -1) == NULL);
    }
    CHECK(sp__law_name(SP_LAWS_ALL) == NULL && sp__law_name(-1) == NULL && sp__law_coefficients(-1) == 0);
    CHECK(!strcmp(sp__law_coefficient(SP_LAW_MOONEY_RIVLIN, 1), "c01"));
}
