// A repair in the making: which nodes and elements remain and how they are numbered, and what they carry.
#ifndef SP_REPAIR_H
#define SP_REPAIR_H

#include "mesh/trimesh.h"

typedef struct sp_repair {
    sp_context *ctx;
    const double *x;
    const int *elements;
    int node_count, element_count, corners;
    double tolerance;
    sp_mesh_repairs done;
    unsigned char *state;   // SP_ELEMENT_ bits; kept are those that are neither BROKEN, FLAT nor LOOSE
    unsigned char *turned;  // per element: its last two corners change places
    int *same;              // per node: itself, or the one it is welded to
    int *welded;            // corners of all elements after welding
    int *node_new;          // per node: its number afterwards, -1: none. Welded nodes have that of the one they are welded to
    int *element_new;       // per element likewise
    int nodes_left, elements_left;
    double *x_left;
    int *elements_left_corners;
    sp_attributes with;
} sp_repair;

// Judge, weld, leave out: everything up to `turned` of tetrahedra. On any outcome sp__repair_free releases it.
sp_status sp__repair_begin(sp_repair *r);
// Of surfaces: fills turned.
sp_status sp__repair_orient(sp_repair *r);
// New numbers, positions, corners, groups and arrays.
sp_status sp__repair_finish(sp_repair *r, const sp_attributes *given);
void sp__repair_free(sp_repair *r);

bool sp__repair_keeps(const sp_repair *r, int element);

#endif
