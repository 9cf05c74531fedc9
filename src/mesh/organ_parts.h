// Macros for the part lists in organ_body.c and organ_animal.c: position, size or end point, width of the blend.
#ifndef SP_ORGAN_PARTS_H
#define SP_ORGAN_PARTS_H

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

#endif
