// Organ-like shapes: lists of rounded parts joined by smooth blending, in units of about the length of the shape. They are test
// bodies of a realistic kind (a tapering lobe, a thin wall, a branching tube), not anatomy.
#ifndef SP_ORGAN_H
#define SP_ORGAN_H

#include "mesh/mesh_internal.h"

typedef enum sp_part_kind {
    SP_PART_BALL,  // ellipsoid about a, semi-axes size, rotated by `turn` degrees about x, then y, then z
    SP_PART_CONE,  // from a to b with round ends, radii size[0] and size[1]
    SP_PART_HALF   // half space below the plane through a with normal b
} sp_part_kind;

typedef struct sp_part {
    sp_part_kind kind;
    bool cut;      // subtracted from the parts before it
    double blend;  // width of the smooth blend
    double a[3], b[3], size[3], turn[3];
} sp_part;

typedef struct sp_organ_zone {
    const char *name;
    const sp_part *parts;
    int part_count;
} sp_organ_zone;

typedef struct sp_organ {
    const char *name;
    double low[3], high[3];
    const sp_part *parts;  // NULL: not an implicit function, but the grid of organ_skin.c
    int part_count;
    double wall;              // hollow with a wall of this thickness; 0: solid
    const sp_part *openings;  // subtracted after the wall is formed, their rims rounded by half of the wall
    int opening_count;
    const char *body;              // group of the elements outside all regions; NULL: no regions
    const sp_organ_zone *regions;  // groups of tetrahedra
    int region_count;
    const sp_organ_zone *patches;  // groups of boundary nodes
    int patch_count;
    double detail;  // of the filling
} sp_organ;

// The shapes; the last entry has no name (organ_shapes.c).
extern const sp_organ sp__organs_body[], sp__organs_animal[];

// A block of skin, fat and muscle with an incision (organ_skin.c).
sp_status sp__organ_skin(sp_context *ctx, double length, int elements, sp_mesh **out);

#endif
