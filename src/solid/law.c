#include "solid/law.h"

#include <math.h>
#include <stdio.h>

typedef struct law_entry {
    const char *name;
    bool isochoric, inverts;
    int coefficients;
    const char *coefficient[8];
} law_entry;
static const law_entry laws[SP_LAWS_ALL] = {
    [SP_LAW_LINEAR] = {"linear", .inverts = true},
    [SP_LAW_COROTATIONAL] = {"corotational", .inverts = true},
    [SP_LAW_STVK] = {"stvk", .inverts = true},
    [SP_LAW_NEO_HOOKEAN_STABLE] = {"neo-hookean stable", .inverts = true},
    [SP_LAW_NEO_HOOKEAN_LOG] = {"neo-hookean log", .inverts = false},
    [SP_LAW_NEO_HOOKEAN_ISOCHORIC] = {"neo-hookean isochoric", true, .coefficients = 1, .coefficient = {"mu"}},
    [SP_LAW_MOONEY_RIVLIN] = {"mooney-rivlin", true, .coefficients = 2, .coefficient = {"c10", "c01"}},
    [SP_LAW_ARRUDA_BOYCE] = {"arruda-boyce", true, .coefficients = 2, .coefficient = {"mu", "n"}},
    [SP_LAW_VERONDA_WESTMANN] = {"veronda-westmann", true, .coefficients = 2, .coefficient = {"c1", "c2"}},
    [SP_LAW_OGDEN] = {"ogden", true, .coefficients = 8, .coefficient = {"mu1", "a1", "mu2", "a2", "mu3", "a3", "mu4", "a4"}},
    [SP_LAW_HOLZAPFEL] = {"holzapfel", true, .coefficients = 3, .coefficient = {"c", "k1", "k2"}},
    [SP_LAW_COSTA] = {"costa", .coefficients = 7, .coefficient = {"a", "bff", "bss", "bnn", "bfs", "bfn", "bsn"}},
};

static const law_entry *law_find(int law) {
    return law >= 0 && law < SP_LAWS_ALL ? &laws[law] : NULL;
}

const char *sp__law_name(int law) {
    return law_find(law) ? laws[law].name : NULL;
}

bool sp__law_isochoric(int law) {
    return law_find(law) && laws[law].isochoric;
}

bool sp__law_inverts(int law) {
    return law_find(law) && laws[law].inverts;
}

int sp__law_coefficients(int law) {
    return law_find(law) ? laws[law].coefficients : 0;
}

const char *sp__law_coefficient(int law, int index) {
    return index >= 0 && index < sp__law_coefficients(law) ? laws[law].coefficient[index] : NULL;
}

// ------------------------------------------------------------------------------------------------ small strains

// mu = 2 (W1 + W2) of an isochoric law with derivatives W1, W2 by Ibar1, Ibar2 at rest
static double arruda_boyce_shear(double mu, double r) {
    // the derivative at Ibar1 = 3 of the series in tools/laws.py
    static const double factor[5] = {1. / 2, 1. / 20, 11. / 1050, 19. / 7000, 519. / 673750};
    double sum = 0, power = 1;
    for (int i = 0; i < 5; i++, power *= 3 * r) sum += 2 * factor[i] * (i + 1) * power;
    return mu * sum;
}

double sp__law_shear(int law, const double p[SP_LAW_PARAMS]) {
    switch (law) {
    case SP_LAW_MOONEY_RIVLIN: return 2 * (p[0] + p[1]);
    case SP_LAW_ARRUDA_BOYCE: return arruda_boyce_shear(p[0], p[1]);
    case SP_LAW_VERONDA_WESTMANN: return p[0] * p[1];
    case SP_LAW_OGDEN: return p[0] + p[2] + p[4] + p[6];
    case SP_LAW_COSTA: return p[0] * (p[4] + p[5] + p[6]) / 6;  // mean of three
    default: return p[0];
    }
}

double sp__law_bulk(int law, const double p[SP_LAW_PARAMS]) {
    if (law == SP_LAW_COSTA) return p[SP_LAW_BULK] + p[0] * (p[1] + p[2] + p[3]) / 9;
    bool apart = law == SP_LAW_STVK || law == SP_LAW_NEO_HOOKEAN_LOG;  // others have the penalty in lambda
    return sp__law_isochoric(law) ? p[SP_LAW_BULK] : p[1] + 2. / 3 * p[0] + (apart ? p[SP_LAW_BULK] : 0);
}

// ------------------------------------------------------------------------------------------------ numbers

// coefficients with the shear modulus mu at small strains, for those whose material is young and poisson alone
static void usual_coefficients(int law, double mu, double *p) {
    switch (law) {
    case SP_LAW_MOONEY_RIVLIN: p[0] = 0.4 * mu, p[1] = 0.1 * mu; break;
    case SP_LAW_ARRUDA_BOYCE: p[1] = 1. / 8, p[0] = mu / arruda_boyce_shear(1, p[1]); break;
    case SP_LAW_VERONDA_WESTMANN: p[0] = mu, p[1] = 1; break;
    case SP_LAW_OGDEN: p[0] = mu, p[1] = 2; break;
    case SP_LAW_HOLZAPFEL: p[0] = p[1] = mu, p[2] = 1; break;
    case SP_LAW_COSTA:
        p[0] = 2 * mu;
        for (int i = 1; i < 7; i++) p[i] = 1;
        break;
    default: p[0] = mu;
    }
}

static const char *wrong(char *text, size_t size, const char *name, double value, const char *range) {
    snprintf(text, size, "%s = %g, must be %s", name, value, range);
    return text;
}

static const char *count_wrong(int law, int count, char *text, size_t size) {
    const law_entry *entry = &laws[law];
    if (!entry->coefficients)
        snprintf(text, size, "%s has no coefficients: young and poisson describe it", entry->name);
    else if (law == SP_LAW_OGDEN && (count < 2 || count > 8 || count % 2))
        snprintf(text, size, "%d coefficients, ogden has 2, 4, 6 or 8: a modulus and an exponent for each term", count);
    else if (law != SP_LAW_OGDEN && count != entry->coefficients)
        snprintf(text, size, "%d coefficients, %s has %d", count, entry->name, entry->coefficients);
    else
        return NULL;
    return text;
}

static const char *own_coefficients(int law, const sp_law_numbers *n, double *p, char *text, size_t size) {
    const char *bad = count_wrong(law, n->coefficient_count, text, size);
    if (bad) return bad;
    for (int i = 0; i < n->coefficient_count; i++) {
        p[i] = n->coefficients[i];
        if (!isfinite(p[i])) return wrong(text, size, laws[law].coefficient[i], p[i], "finite");
        if (law == SP_LAW_OGDEN && i % 2 && p[i] == 0)
            return wrong(text, size, laws[law].coefficient[i], p[i], "different from 0");
    }
    if (law == SP_LAW_ARRUDA_BOYCE) {
        if (!(p[1] > 0)) return wrong(text, size, "n", p[1], "> 0");
        p[1] = 1 / p[1];
    }
    if (law == SP_LAW_VERONDA_WESTMANN && !(p[1] > 0)) return wrong(text, size, "c2", p[1], "> 0");
    for (int i = 1; i < laws[law].coefficients && law >= SP_LAWS; i++)
        if (!(p[i] >= 0)) return wrong(text, size, laws[law].coefficient[i], p[i], ">= 0");
    double shear = sp__law_shear(law, p);
    return shear >= 0 ? NULL : wrong(text, size, "shear modulus of the coefficients at small strains", shear, ">= 0");
}

// k/2 (J - 1)^2 is one of the terms of the stable law; with the volume to first order it is one of Hooke's law
static void add_penalty(int law, double penalty, double *p) {
    if (law == SP_LAW_STVK || law == SP_LAW_NEO_HOOKEAN_LOG)
        p[SP_LAW_BULK] = penalty;
    else
        p[1] += penalty;
    if (law == SP_LAW_STVK) p[SP_LAW_VOLUME] = 1;
}

static const char *penalty_wrong(int law, double penalty, char *text, size_t size) {
    if (!(penalty >= 0 && isfinite(penalty))) return wrong(text, size, "incompressibility", penalty, "finite and >= 0");
    if (!(penalty > 0) || (!laws[law].isochoric && law != SP_LAW_COSTA)) return NULL;
    snprintf(text, size, "incompressibility = %g: %s has a bulk modulus of its own, use bulk", penalty, laws[law].name);
    return text;
}

const char *sp__law_params(int law, int volumetric, const sp_law_numbers *n, double param[SP_LAW_PARAMS], char *text,
                           size_t size) {
    for (int i = 0; i < SP_LAW_PARAMS; i++) param[i] = 0;
    if (!law_find(law)) return wrong(text, size, "law", law, "one of sp_law");
    if (volumetric < 0 || volumetric >= SP_LAW_VOLUMES)
        return wrong(text, size, "volumetric", volumetric, "one of SP_LAW_VOLUME_");
    bool given = n->coefficient_count > 0;
    if (!given && !(n->young >= 0 && isfinite(n->young))) return wrong(text, size, "young", n->young, ">= 0");
    if ((!given || isnan(n->bulk)) && !(n->poisson > -1 && n->poisson < 0.5))
        return wrong(text, size, "poisson", n->poisson, "in (-1, 0.5)");
    const char *bad = given ? own_coefficients(law, n, param, text, size) : NULL;
    if (bad || (bad = penalty_wrong(law, n->penalty, text, size))) return bad;
    if (!given) usual_coefficients(law, n->young / (2 * (1 + n->poisson)), param);
    double mu = sp__law_shear(law, param), lambda = 2 * mu * n->poisson / (1 - 2 * n->poisson);
    if (law == SP_LAW_COSTA) {
        param[SP_LAW_BULK] = isnan(n->bulk) ? lambda : n->bulk;
        if (param[SP_LAW_BULK] >= 0 && isfinite(param[SP_LAW_BULK])) return NULL;
        return isnan(n->bulk) ? wrong(text, size, "poisson", n->poisson, ">= 0 for costa without bulk")
                              : wrong(text, size, "bulk", n->bulk, ">= 0");
    }
    if (!laws[law].isochoric) {
        param[1] = lambda;
        if (n->penalty > 0) add_penalty(law, n->penalty, param);
        return NULL;
    }
    param[SP_LAW_BULK] = isnan(n->bulk) ? lambda + 2. / 3 * mu : n->bulk;
    param[SP_LAW_VOLUME] = volumetric;
    return param[SP_LAW_BULK] >= 0 && isfinite(param[SP_LAW_BULK]) ? NULL : wrong(text, size, "bulk", n->bulk, ">= 0");
}
