// Attributes of nodes and elements, for meshes and surfaces: named groups and named arrays, checked and copied.
#ifndef SP_ATTRIBUTES_H
#define SP_ATTRIBUTES_H

#include "core/core.h"
#include "souple/mesh.h"

typedef struct sp_attributes {
    sp_mesh_group *groups;
    sp_mesh_array *arrays;
    int group_count, array_count;
} sp_attributes;

// Copies everything in `from`. Rejects indices out of range, empty groups, missing names and missing values. sp__attributes_free
// also releases what was copied before an error.
sp_status sp__attributes_take(sp_context *ctx, const sp_attributes *from, int nodes, int elements, sp_attributes *out);
void sp__attributes_free(sp_context *ctx, sp_attributes *attributes);

#endif
