// A rabbit-like and an armadillo-like body: ears, limbs and tails of several thicknesses. The rabbit sits and looks along +x, the
// armadillo stands and looks along +z; up is +y.
#include "mesh/organ.h"

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
#define CUT_TURNED(x, y, z, rx, ry, rz, tx, ty, tz, seam)                                                              \
    {                                                                                                                  \
        .kind = SP_PART_BALL, .cut = true, .blend = seam, .a = {x, y, z}, .size = {rx, ry, rz}, .turn = { tx, ty, tz } \
    }
#define CUT_HALF(x, y, z, nx, ny, nz, seam)                                                   \
    {                                                                                         \
        .kind = SP_PART_HALF, .cut = true, .blend = seam, .a = {x, y, z}, .b = { nx, ny, nz } \
    }

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
    // ears, laid back a little
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
    // tail, to the ground and aside
    CONE(0, -0.17, -0.11, 0.02, -0.36, -0.24, 0.085, 0.055, 0.04),
    CONE(0.02, -0.36, -0.24, 0.10, -0.45, -0.36, 0.052, 0.034, 0.03),
    CONE(0.10, -0.45, -0.36, 0.22, -0.47, -0.40, 0.033, 0.018, 0.02),
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

#define ZONES(list) list, COUNT(list)

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
    {0},
};
