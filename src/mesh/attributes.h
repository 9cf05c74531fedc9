// What nodes and elements carry along, of meshes and of surfaces alike: named groups and named arrays, checked and copied.
#ifndef SP_ATTRIBUTES_H
#define SP_ATTRIBUTES_H

#include "core/core.h"
#include "souple/mesh.h"

typedef struct sp_attributes {
    sp_mesh_group *groups;
    sp_mesh_array *arrays;
    int group_count, array_count;
} sp_attributes;

// Copies of everything in `from`. Refuses indices out of range, empty groups, missing names and values; what was taken before a
// refusal is released by sp__attributes_free as well.
sp_status sp__attributes_take(sp_context *ctx, const sp_attributes *from, int nodes, int elements, sp_attributes *out);
void sp__attributes_free(sp_context *ctx, sp_attributes *attributes);

#endif
