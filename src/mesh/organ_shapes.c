// The shapes of organs and animals as lists of primitive parts.
#include "mesh/organ.h"

// Macros for the part lists: position, size or end point, width of the blend.
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))
#define BALL(x, y, z, rx, ry, rz, seam)                                             \
    {                                                                               \
        .kind = SP_PART_BALL, .blend = seam, .a = {x, y, z}, .size = { rx, ry, rz } \
    }
#define TURNED(x, y, z, rx, ry, rz, tx, ty, tz, seam)                                                     \
    {                                                                                                     \
        .kind = SP_PART_BALL, .blend = seam, .a = {x, y, z}, .size = {rx, ry, rz}, .turn = { tx, ty, tz } \
    }
#define CONE(x, y, z, u, v, w, r, s, seam)                                                    \
    {                                                                                         \
        .kind = SP_PART_CONE, .blend = seam, .a = {x, y, z}, .b = {u, v, w}, .size = { r, s } \
    }
#define CUT_BALL(x, y, z, rx, ry, rz, seam)                                                      \
    {                                                                                            \
        .kind = SP_PART_BALL, .cut = true, .blend = seam, .a = {x, y, z}, .size = { rx, ry, rz } \
    }
#define CUT_TURNED(x, y, z, rx, ry, rz, tx, ty, tz, seam)                                                              \
    {                                                                                                                  \
        .kind = SP_PART_BALL, .cut = true, .blend = seam, .a = {x, y, z}, .size = {rx, ry, rz}, .turn = { tx, ty, tz } \
    }
#define CUT_CONE(x, y, z, u, v, w, r, s, seam)                                                             \
    {                                                                                                      \
        .kind = SP_PART_CONE, .cut = true, .blend = seam, .a = {x, y, z}, .b = {u, v, w}, .size = { r, s } \
    }
#define CUT_HALF(x, y, z, nx, ny, nz, seam)                                                   \
    {                                                                                         \
        .kind = SP_PART_HALF, .cut = true, .blend = seam, .a = {x, y, z}, .b = { nx, ny, nz } \
    }
#define ZONES(list) list, COUNT(list)

// ======================================================================================================== organs

// Liver, lens, eye, stomach, vessels. Front is +z, up is +y, seen by someone who faces the patient.

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
    CUT_TURNED(0, 0.29, 0.40, 0.22, 0.048, 0.16, -38, 0, 0, 0.03),
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

// ------------------------------------------------------------------------------------------------ gall bladder

// a pear with a bent neck
static const sp_part gall_bladder[] = {
    BALL(0, -0.18, 0, 0.22, 0.28, 0.22, 0),
    CONE(0, -0.05, 0, 0.02, 0.20, 0.02, 0.17, 0.09, 0.10),
    CONE(0.02, 0.20, 0.02, 0.12, 0.38, 0.03, 0.085, 0.05, 0.04),
};
static const sp_part gall_bladder_neck[] = {BALL(0.15, 0.43, 0.03, 0.14, 0.14, 0.14, 0)};
static const sp_organ_zone gall_bladder_patches[] = {{"neck", gall_bladder_neck, COUNT(gall_bladder_neck)}};

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
    {.name = "skin"},
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
    {"gall-bladder",
     {-0.3, -0.55, -0.3},
     {0.3, 0.55, 0.3},
     ZONES(gall_bladder),
     0,
     NULL,
     0,
     NULL,
     NULL,
     0,
     ZONES(gall_bladder_patches),
     1},
    {0},
};

// ======================================================================================================= animals

// Bodies with limbs and bumps of several thicknesses. The rabbit sits and faces +x, the armadillo stands and the octopus lies and
// face +z, the snake lies along x; up is +y.

// ------------------------------------------------------------------------------------------------ rabbit

static const sp_part rabbit[] = {
    // rump, back, chest, neck
    BALL(-0.17, -0.13, 0, 0.22, 0.22, 0.19, 0),
    TURNED(0.00, -0.10, 0, 0.24, 0.18, 0.155, 0, 0, 6, 0.08),
    TURNED(0.13, -0.08, 0, 0.14, 0.18, 0.135, 0, 0, 0, 0.08),
    CONE(0.15, 0.02, 0, 0.22, 0.13, 0, 0.11, 0.085, 0.06),
    // head, cheeks, muzzle
    TURNED(0.26, 0.17, 0, 0.135, 0.105, 0.095, 0, 0, -18, 0.05),
    BALL(0.29, 0.135, 0.045, 0.07, 0.065, 0.06, 0.03),
    BALL(0.29, 0.135, -0.045, 0.07, 0.065, 0.06, 0.03),
    BALL(0.375, 0.125, 0, 0.05, 0.045, 0.05, 0.04),
    // ears, tilted back
    TURNED(0.155, 0.35, 0.070, 0.052, 0.175, 0.038, 14, 0, 18, 0.05),
    TURNED(0.155, 0.35, -0.070, 0.052, 0.175, 0.038, -14, 0, 18, 0.05),
    // haunches, hind feet, fore legs, tail
    TURNED(-0.12, -0.19, 0.135, 0.155, 0.145, 0.085, 0, 0, 20, 0.03),
    TURNED(-0.12, -0.19, -0.135, 0.155, 0.145, 0.085, 0, 0, 20, 0.03),
    CONE(-0.15, -0.315, 0.145, 0.09, -0.325, 0.155, 0.046, 0.040, 0.03),
    CONE(-0.15, -0.315, -0.145, 0.09, -0.325, -0.155, 0.046, 0.040, 0.03),
    CONE(0.18, -0.12, 0.075, 0.21, -0.315, 0.08, 0.062, 0.043, 0.03),
    CONE(0.18, -0.12, -0.075, 0.21, -0.315, -0.08, 0.062, 0.043, 0.03),
    CONE(0.21, -0.325, 0.08, 0.265, -0.335, 0.08, 0.042, 0.036, 0.02),
    CONE(0.21, -0.325, -0.08, 0.265, -0.335, -0.08, 0.042, 0.036, 0.02),
    BALL(-0.40, -0.14, 0, 0.065, 0.065, 0.06, 0.03),
    CUT_HALF(0, -0.348, 0, 0, 1, 0, 0.01),
};
static const sp_part rabbit_ears[] = {TURNED(0.14, 0.40, 0.08, 0.08, 0.16, 0.06, 14, 0, 18, 0),
                                      TURNED(0.14, 0.40, -0.08, 0.08, 0.16, 0.06, -14, 0, 18, 0)};
static const sp_part rabbit_feet[] = {{.kind = SP_PART_HALF, .a = {0, -0.335, 0}, .b = {0, 1, 0}}};
static const sp_organ_zone rabbit_patches[] = {{"feet", rabbit_feet, COUNT(rabbit_feet)},
                                               {"ears", rabbit_ears, COUNT(rabbit_ears)}};

// ------------------------------------------------------------------------------------------------ armadillo

static const sp_part armadillo[] = {
    // belly, chest, the shell on the back, neck
    TURNED(0, -0.06, 0, 0.165, 0.17, 0.145, 0, 0, 0, 0),
    TURNED(0, 0.09, 0, 0.15, 0.13, 0.12, 0, 0, 0, 0.06),
    TURNED(0, 0.03, -0.08, 0.19, 0.23, 0.12, 10, 0, 0, 0.02),
    CONE(0, 0.16, 0.01, 0, 0.27, 0.04, 0.085, 0.075, 0.05),
    // head, snout, brow
    TURNED(0, 0.32, 0.05, 0.095, 0.09, 0.105, 0, 0, 0, 0.03),
    CONE(0, 0.30, 0.12, 0, 0.265, 0.235, 0.062, 0.036, 0.03),
    // ears, cupped
    TURNED(0.125, 0.415, 0.01, 0.058, 0.110, 0.042, 0, 0, -34, 0.02),
    TURNED(-0.125, 0.415, 0.01, 0.058, 0.110, 0.042, 0, 0, 34, 0.02),
    // arms: shoulder to elbow to raised hand, fingers
    CONE(0.12, 0.15, 0, 0.26, 0.08, 0.04, 0.065, 0.052, 0.03),
    CONE(-0.12, 0.15, 0, -0.26, 0.08, 0.04, 0.065, 0.052, 0.03),
    CONE(0.26, 0.08, 0.04, 0.36, 0.20, 0.11, 0.050, 0.042, 0.02),
    CONE(-0.26, 0.08, 0.04, -0.36, 0.20, 0.11, 0.050, 0.042, 0.02),
    TURNED(0.375, 0.225, 0.12, 0.050, 0.055, 0.035, 0, 0, -20, 0.02),
    TURNED(-0.375, 0.225, 0.12, 0.050, 0.055, 0.035, 0, 0, 20, 0.02),
    CONE(0.36, 0.26, 0.13, 0.345, 0.315, 0.15, 0.024, 0.020, 0.01),
    CONE(-0.36, 0.26, 0.13, -0.345, 0.315, 0.15, 0.024, 0.020, 0.01),
    CONE(0.39, 0.26, 0.13, 0.395, 0.325, 0.15, 0.024, 0.020, 0.01),
    CONE(-0.39, 0.26, 0.13, -0.395, 0.325, 0.15, 0.024, 0.020, 0.01),
    CONE(0.415, 0.245, 0.13, 0.445, 0.295, 0.15, 0.024, 0.020, 0.01),
    CONE(-0.415, 0.245, 0.13, -0.445, 0.295, 0.15, 0.024, 0.020, 0.01),
    // legs: thigh, shin, foot
    CONE(0.10, -0.16, 0, 0.17, -0.28, 0.05, 0.10, 0.075, 0.03),
    CONE(-0.10, -0.16, 0, -0.17, -0.28, 0.05, 0.10, 0.075, 0.03),
    CONE(0.17, -0.28, 0.05, 0.165, -0.43, 0.0, 0.068, 0.055, 0.02),
    CONE(-0.17, -0.28, 0.05, -0.165, -0.43, 0.0, 0.068, 0.055, 0.02),
    CONE(0.165, -0.46, 0.0, 0.20, -0.47, 0.125, 0.052, 0.046, 0.02),
    CONE(-0.165, -0.46, 0.0, -0.20, -0.47, 0.125, 0.052, 0.046, 0.02),
    // tail, to the ground and sideways
    CONE(0, -0.17, -0.11, 0.02, -0.36, -0.24, 0.085, 0.055, 0.04),
    CONE(0.02, -0.36, -0.24, 0.10, -0.45, -0.36, 0.052, 0.040, 0.03),
    CONE(0.10, -0.45, -0.36, 0.22, -0.465, -0.40, 0.040, 0.030, 0.02),
    // the hollows of the ears, flat soles
    CUT_TURNED(0.132, 0.425, 0.055, 0.032, 0.075, 0.026, 0, 0, -34, 0.01),
    CUT_TURNED(-0.132, 0.425, 0.055, 0.032, 0.075, 0.026, 0, 0, 34, 0.01),
    CUT_HALF(0, -0.505, 0, 0, 1, 0, 0.01),
};
static const sp_part armadillo_feet[] = {{.kind = SP_PART_HALF, .a = {0, -0.49, 0}, .b = {0, 1, 0}}};
static const sp_part armadillo_hands[] = {BALL(0.39, 0.26, 0.13, 0.09, 0.10, 0.08, 0),
                                          BALL(-0.39, 0.26, 0.13, 0.09, 0.10, 0.08, 0)};
static const sp_organ_zone armadillo_patches[] = {{"feet", armadillo_feet, COUNT(armadillo_feet)},
                                                  {"hands", armadillo_hands, COUNT(armadillo_hands)}};

// ------------------------------------------------------------------------------------------------ octopus

// An arm in the direction (c, 0, s): out and down, along the ground, then sideways and up at its tip.
#define ARM(c, s)                                                                                                           \
    CONE(0.07 * (c), -0.10, 0.07 * (s), 0.20 * (c), -0.21, 0.20 * (s), 0.062, 0.054, 0.05),                                 \
        CONE(0.20 * (c), -0.21, 0.20 * (s), 0.36 * (c)-0.04 * (s), -0.225, 0.36 * (s) + 0.04 * (c), 0.054, 0.046, 0.02),    \
        CONE(0.36 * (c)-0.04 * (s), -0.225, 0.36 * (s) + 0.04 * (c), 0.46 * (c)-0.12 * (s), -0.17, 0.46 * (s) + 0.12 * (c), \
             0.046, 0.038, 0.02)

static const sp_part octopus[] = {
    // mantle, head, eyes
    TURNED(0, 0.14, -0.03, 0.15, 0.19, 0.15, 12, 0, 0, 0),
    BALL(0, -0.05, 0, 0.12, 0.10, 0.12, 0.06),
    BALL(0.075, 0.0, 0.085, 0.045, 0.045, 0.045, 0.02),
    BALL(-0.075, 0.0, 0.085, 0.045, 0.045, 0.045, 0.02),
    // arms
    ARM(1, 0),
    ARM(0.7071, 0.7071),
    ARM(0, 1),
    ARM(-0.7071, 0.7071),
    ARM(-1, 0),
    ARM(-0.7071, -0.7071),
    ARM(0, -1),
    ARM(0.7071, -0.7071),
};
static const sp_part octopus_mantle[] = {BALL(0, 0.30, -0.06, 0.14, 0.14, 0.14, 0)};
static const sp_organ_zone octopus_patches[] = {{"mantle", octopus_mantle, COUNT(octopus_mantle)}};

// ------------------------------------------------------------------------------------------------ snake

// a wave along x with a flat belly; the head is at +x
static const sp_part snake[] = {
    CONE(-0.48, 0, 0.110, -0.40, 0, 0.078, 0.012, 0.020, 0),      CONE(-0.40, 0, 0.078, -0.32, 0, 0, 0.020, 0.026, 0.01),
    CONE(-0.32, 0, 0, -0.24, 0, -0.078, 0.026, 0.030, 0.01),      CONE(-0.24, 0, -0.078, -0.16, 0, -0.110, 0.030, 0.032, 0.01),
    CONE(-0.16, 0, -0.110, -0.08, 0, -0.078, 0.032, 0.032, 0.01), CONE(-0.08, 0, -0.078, 0.00, 0, 0.000, 0.032, 0.032, 0.01),
    CONE(0.00, 0, 0.000, 0.08, 0, 0.078, 0.032, 0.032, 0.01),     CONE(0.08, 0, 0.078, 0.16, 0, 0.110, 0.032, 0.032, 0.01),
    CONE(0.16, 0, 0.110, 0.24, 0, 0.078, 0.032, 0.032, 0.01),     CONE(0.24, 0, 0.078, 0.32, 0, 0.000, 0.032, 0.031, 0.01),
    CONE(0.32, 0, 0.000, 0.40, 0, -0.078, 0.031, 0.029, 0.01),    CONE(0.40, 0, -0.078, 0.48, 0, -0.110, 0.029, 0.028, 0.01),
    TURNED(0.50, 0, -0.120, 0.045, 0.030, 0.036, 0, 24, 0, 0.02), CUT_HALF(0, -0.022, 0, 0, 1, 0, 0.005),
};
static const sp_part snake_head[] = {BALL(0.50, 0, -0.120, 0.06, 0.06, 0.06, 0)};
static const sp_organ_zone snake_patches[] = {{"head", snake_head, COUNT(snake_head)}};

const sp_organ sp__organs_animal[] = {
    {"rabbit", {-0.5, -0.45, -0.3}, {0.5, 0.6, 0.3}, ZONES(rabbit), 0, NULL, 0, NULL, NULL, 0, ZONES(rabbit_patches), 0.5},
    {"armadillo",
     {-0.55, -0.6, -0.5},
     {0.55, 0.6, 0.35},
     ZONES(armadillo),
     0,
     NULL,
     0,
     NULL,
     NULL,
     0,
     ZONES(armadillo_patches),
     0.5},
    {"octopus", {-0.6, -0.35, -0.6}, {0.6, 0.4, 0.6}, ZONES(octopus), 0, NULL, 0, NULL, NULL, 0, ZONES(octopus_patches), 0.5},
    {"snake", {-0.55, -0.1, -0.2}, {0.6, 0.1, 0.2}, ZONES(snake), 0, NULL, 0, NULL, NULL, 0, ZONES(snake_patches), 1},
    {0},
};
