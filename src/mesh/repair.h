// State of a repair: remaining nodes and elements, their new numbers, and their attributes.
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
    unsigned char *state;   // SP_ELEMENT_ bits; an element without BROKEN, FLAT and LOOSE is kept
    unsigned char *turned;  // per element: its last two nodes are swapped
    int *same;              // per node: itself, or the node it is welded to
    int *welded;            // nodes of all elements after welding
    int *node_new;          // per node: its new number, -1: removed. Welded nodes share a number
    int *element_new;       // per element: its new number, -1: removed
    int nodes_left, elements_left;
    double *x_left;
    int *elements_left_corners;
    sp_attributes with;
} sp_repair;

// Checks, welds, drops: everything before the orientation of surfaces; fills `turned` of tetrahedra. Release with sp__repair_free
// after success and after failure.
sp_status sp__repair_begin(sp_repair *r);
// For surfaces: fills `turned`.
sp_status sp__repair_orient(sp_repair *r);
// Fills new numbers, positions, element nodes, groups and arrays.
sp_status sp__repair_finish(sp_repair *r, const sp_attributes *given);
void sp__repair_free(sp_repair *r);

bool sp__repair_keeps(const sp_repair *r, int element);

#endif
