// Liver, lens, eye, stomach, vessels. Front is +z, up is +y, seen by someone who faces the patient.
#include "mesh/organ_parts.h"

// ------------------------------------------------------------------------------------------------ liver

// the large right lobe (on the left of the picture), the tapering left lobe, the concave lower side, the groove of the vena cava
// at the back, the notches of the round ligament and of the gall bladder at the lower margin
static const sp_part liver[] = {
    TURNED(-0.20, -0.02, -0.02, 0.30, 0.30, 0.23, 0, 0, -8, 0),
    TURNED(0.06, 0.10, 0.01, 0.30, 0.18, 0.19, 0, 0, -6, 0.12),
    TURNED(0.34, 0.13, 0.03, 0.21, 0.085, 0.13, 0, 0, -8, 0.12),
    CUT_TURNED(0.26, -0.46, -0.16, 0.56, 0.48, 0.46, 0, 0, 14, 0.06),
    CUT_TURNED(-0.22, -0.52, -0.30, 0.40, 0.36, 0.36, 0, 0, 0, 0.06),
    CUT_CONE(0.03, -0.3, -0.22, 0.03, 0.4, -0.20, 0.055, 0.055, 0.04),
    CUT_CONE(0.12, -0.10, 0.30, 0.10, 0.02, 0.12, 0.03, 0.01, 0.03),
    CUT_TURNED(-0.12, -0.27, 0.14, 0.05, 0.08, 0.06, 0, 0, 0, 0.03),
};
static const sp_part liver_tumour[] = {TURNED(-0.24, 0.02, 0.05, 0.10, 0.085, 0.08, 0, 0, 20, 0)};
static const sp_part liver_cava[] = {CONE(0.03, -0.3, -0.22, 0.03, 0.4, -0.20, 0.075, 0.075, 0)};
static const sp_part liver_dome[] = {BALL(-0.20, 0.36, -0.02, 0.24, 0.15, 0.22, 0)};
static const sp_organ_zone liver_regions[] = {{"tumour", liver_tumour, COUNT(liver_tumour)}};
static const sp_organ_zone liver_patches[] = {{"vena-cava", liver_cava, COUNT(liver_cava)},
                                              {"dome", liver_dome, COUNT(liver_dome)}};

// ------------------------------------------------------------------------------------------------ lens

// a flattened ball with a rounder back (-z)
static const sp_part lens[] = {BALL(0, 0, 0, 0.5, 0.5, 0.17, 0), BALL(0, 0, -0.06, 0.40, 0.40, 0.18, 0.06)};
static const sp_part lens_core[] = {BALL(0, 0, -0.02, 0.32, 0.32, 0.12, 0)};
static const sp_part lens_equator[] = {
    {.kind = SP_PART_BALL, .a = {0, 0, -0.02}, .size = {2, 2, 0.07}},
    CUT_BALL(0, 0, 0, 0.45, 0.45, 2, 0),
};
static const sp_organ_zone lens_regions[] = {{"core", lens_core, COUNT(lens_core)}};
static const sp_organ_zone lens_patches[] = {{"equator", lens_equator, COUNT(lens_equator)}};

// ------------------------------------------------------------------------------------------------ eye

// the cornea bulges to the front; the incision is a slit through it at the upper limbus, inclined inwards
static const sp_part eye[] = {
    BALL(0, 0, 0, 0.48, 0.48, 0.47, 0),
    BALL(0, 0, 0.20, 0.31, 0.31, 0.33, 0.06),
    CONE(0.06, 0, -0.42, 0.10, 0, -0.60, 0.09, 0.075, 0.06),
    CUT_TURNED(0, 0.29, 0.40, 0.22, 0.048, 0.16, -38, 0, 0, 0.005),
};
static const sp_part eye_cornea[] = {BALL(0, 0, 0.30, 0.33, 0.33, 0.30, 0)};
static const sp_part eye_vitreous[] = {BALL(0, 0, 0, 0.41, 0.41, 0.40, 0), BALL(0, 0, 0.20, 0.245, 0.245, 0.265, 0.06)};
static const sp_part eye_lens[] = {BALL(0, 0, 0.24, 0.21, 0.21, 0.10, 0)};
static const sp_part eye_incision[] = {TURNED(0, 0.29, 0.40, 0.24, 0.064, 0.18, -38, 0, 0, 0)};
static const sp_part eye_nerve[] = {BALL(0.11, 0, -0.66, 0.14, 0.14, 0.12, 0)};
static const sp_organ_zone eye_regions[] = {{"cornea", eye_cornea, COUNT(eye_cornea)},
                                            {"vitreous", eye_vitreous, COUNT(eye_vitreous)},
                                            {"lens", eye_lens, COUNT(eye_lens)}};
static const sp_organ_zone eye_patches[] = {{"incision", eye_incision, COUNT(eye_incision)},
                                            {"nerve", eye_nerve, COUNT(eye_nerve)}};

// ------------------------------------------------------------------------------------------------ stomach

// gullet, fundus (the dome at the upper right of the picture), body, antrum, pylorus
static const sp_part stomach[] = {
    BALL(0.18, 0.26, 0, 0.21, 0.20, 0.18, 0),
    CONE(0.17, 0.18, 0, 0.11, -0.06, 0.03, 0.19, 0.175, 0.2),
    CONE(0.11, -0.06, 0.03, 0.02, -0.22, 0.05, 0.175, 0.15, 0.1),
    CONE(0.02, -0.22, 0.05, -0.12, -0.30, 0.05, 0.15, 0.125, 0.1),
    CONE(-0.12, -0.30, 0.05, -0.26, -0.26, 0.03, 0.125, 0.095, 0.1),
    CONE(-0.26, -0.26, 0.03, -0.38, -0.08, 0, 0.105, 0.105, 0.06),
    CONE(0.04, 0.30, 0, -0.08, 0.60, 0, 0.105, 0.105, 0.08),
};
static const sp_part stomach_ends[] = {
    CONE(0.05, 0.28, 0, -0.12, 0.70, 0, 0.04, 0.04, 0),
    CONE(-0.28, -0.23, 0.03, -0.46, 0.04, -0.02, 0.04, 0.04, 0),
    BALL(-0.095, 0.69, 0, 0.19, 0.19, 0.19, 0),
    BALL(-0.453, 0.03, 0, 0.16, 0.16, 0.16, 0),
};
static const sp_part stomach_cardia[] = {BALL(-0.095, 0.69, 0, 0.205, 0.205, 0.205, 0)};
static const sp_part stomach_pylorus[] = {BALL(-0.453, 0.03, 0, 0.175, 0.175, 0.175, 0)};
static const sp_organ_zone stomach_patches[] = {{"cardia", stomach_cardia, COUNT(stomach_cardia)},
                                                {"pylorus", stomach_pylorus, COUNT(stomach_pylorus)}};

// ------------------------------------------------------------------------------------------------ vessels

// a trunk that branches twice, with an aneurysm at the first branch; the ends are cut flat
static const sp_part vessels[] = {
    CONE(0.08, -0.62, 0, 0.05, -0.45, 0.04, 0.064, 0.062, 0),
    CONE(0.05, -0.45, 0.04, -0.03, -0.25, 0.02, 0.062, 0.060, 0.01),
    CONE(-0.03, -0.25, 0.02, 0.01, -0.04, 0, 0.060, 0.058, 0.01),
    CONE(0.01, -0.04, 0, 0.15, 0.06, 0.04, 0.048, 0.045, 0.03),
    CONE(0.15, 0.06, 0.04, 0.23, 0.20, 0.05, 0.045, 0.042, 0.01),
    CONE(0.01, -0.04, 0, -0.13, 0.07, -0.04, 0.048, 0.045, 0.03),
    CONE(-0.13, 0.07, -0.04, -0.19, 0.21, -0.05, 0.045, 0.042, 0.01),
    CONE(0.23, 0.20, 0.05, 0.22, 0.36, 0.10, 0.036, 0.034, 0.03),
    CONE(0.22, 0.36, 0.10, 0.27, 0.54, 0.12, 0.034, 0.032, 0.01),
    CONE(0.23, 0.20, 0.05, 0.37, 0.25, 0.0, 0.035, 0.033, 0.03),
    CONE(0.37, 0.25, 0.0, 0.49, 0.39, -0.04, 0.033, 0.031, 0.01),
    CONE(-0.19, 0.21, -0.05, -0.16, 0.36, 0.0, 0.036, 0.034, 0.03),
    CONE(-0.16, 0.36, 0.0, -0.21, 0.54, 0.03, 0.034, 0.032, 0.01),
    CONE(-0.19, 0.21, -0.05, -0.35, 0.24, -0.09, 0.035, 0.033, 0.03),
    CONE(-0.35, 0.24, -0.09, -0.47, 0.36, -0.10, 0.033, 0.031, 0.01),
    TURNED(0.015, 0.085, 0.03, 0.10, 0.125, 0.10, 0, 0, 10, 0.05),
    CUT_HALF(0, -0.58, 0, 0, 1, 0, 0),
};
static const sp_part vessels_aneurysm[] = {TURNED(0.015, 0.10, 0.03, 0.115, 0.13, 0.115, 0, 0, 10, 0)};
static const sp_part vessels_inlet[] = {BALL(0.08, -0.6, 0, 0.3, 0.035, 0.3, 0)};
static const sp_part vessels_outlets[] = {
    BALL(0.25, 0.55, 0.12, 0.09, 0.07, 0.09, 0), BALL(0.51, 0.38, -0.04, 0.08, 0.08, 0.08, 0),
    BALL(-0.20, 0.55, 0.03, 0.09, 0.07, 0.09, 0), BALL(-0.49, 0.345, -0.11, 0.08, 0.08, 0.08, 0)};
static const sp_organ_zone vessels_regions[] = {{"aneurysm", vessels_aneurysm, COUNT(vessels_aneurysm)}};
static const sp_organ_zone vessels_patches[] = {{"inlet", vessels_inlet, COUNT(vessels_inlet)},
                                                {"outlets", vessels_outlets, COUNT(vessels_outlets)}};

// ------------------------------------------------------------------------------------------------ table

const sp_organ sp__organs_body[] = {
    {"liver",
     {-0.6, -0.5, -0.4},
     {0.65, 0.45, 0.4},
     ZONES(liver),
     0,
     NULL,
     0,
     "parenchyma",
     ZONES(liver_regions),
     ZONES(liver_patches),
     1},
    {"lens",
     {-0.55, -0.55, -0.3},
     {0.55, 0.55, 0.3},
     ZONES(lens),
     0,
     NULL,
     0,
     "cortex",
     ZONES(lens_regions),
     ZONES(lens_patches),
     0.5},
    {"eye",
     {-0.55, -0.55, -0.75},
     {0.55, 0.55, 0.6},
     ZONES(eye),
     0,
     NULL,
     0,
     "sclera",
     ZONES(eye_regions),
     ZONES(eye_patches),
     0.25},
    {"stomach",
     {-0.6, -0.55, -0.3},
     {0.5, 0.7, 0.35},
     ZONES(stomach),
     0.08,
     ZONES(stomach_ends),
     NULL,
     NULL,
     0,
     ZONES(stomach_patches),
     1},
    {"vessels",
     {-0.6, -0.75, -0.25},
     {0.6, 0.65, 0.25},
     ZONES(vessels),
     0,
     NULL,
     0,
     "vessel",
     ZONES(vessels_regions),
     ZONES(vessels_patches),
     1},
    {0},
};
