// The laws of kernels/law.h for host code: their numbers from Young's modulus and Poisson's ratio or from coefficients, and what
// they do at small strains. docs/materials.md describes them.
#ifndef SP_SOLID_LAW_H
#define SP_SOLID_LAW_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/law.h"

// What describes a material: young and poisson, or coefficients (coefficient_count > 0) and, for isochoric laws, the bulk
// modulus.
typedef struct sp_law_numbers {
    double young, poisson;  // [Pa], [-] in (-1, 0.5)
    double bulk;            // [Pa], isochoric laws; NaN: from poisson
    double penalty;         // [Pa] >= 0, others: modulus of the penalty on the change of volume
    int coefficient_count;
    double coefficients[9];  // in the order of sp__law_coefficient
} sp_law_numbers;

// Numbers of the kernels. Returns NULL, or a sentence in `text` that names the wrong value and its range. `volumetric`:
// SP_LAW_VOLUME_, isochoric laws only. With young and poisson alone, all laws agree at small strains; what they leave open is
//     mooney-rivlin     c01 = c10 / 4
//     arruda-boyce      N = 8
//     veronda-westmann  c2 = 1
//     ogden             one term, a = 2, which is the isochoric neo-Hookean law
//     holzapfel         k1 = c = mu, k2 = 1
//     costa             a = 2 mu, all b = 1: Hooke's law with the modulus lambda in place of k
// Coefficients: shear and lambda follow young and poisson for the laws of SP_LAW_LINEAR to SP_LAW_NEO_HOOKEAN_LOG, which have no
// coefficients of their own. The bulk modulus of other laws is `bulk`, or that of `poisson` and the shear modulus at small
// strains.
const char *sp__law_params(int law, int volumetric, const sp_law_numbers *numbers, double param[SP_LAW_PARAMS], char *text,
                           size_t size);

const char *sp__law_name(int law);                    // as in scenes; NULL: no such law
bool sp__law_isochoric(int law);                      // has a separate energy of volume: `volumetric` and `bulk` apply
bool sp__law_inverts(int law);                        // defined for inverted elements
int sp__law_coefficients(int law);                    // number of coefficients, at most: ogden may have fewer, in pairs
const char *sp__law_coefficient(int law, int index);  // "c10"; NULL: no such coefficient
double sp__law_shear(int law, const double param[SP_LAW_PARAMS]);  // shear modulus at small strains [Pa]
double sp__law_bulk(int law, const double param[SP_LAW_PARAMS]);   // bulk modulus at small strains [Pa]

#endif
