// What a triangle surface is made of: the definition, with every pointer a copy of its own.
#ifndef SP_TRIMESH_H
#define SP_TRIMESH_H

#include "mesh/mesh_internal.h"

struct sp_trimesh {
    sp_context *ctx;
    sp_trimesh_def def;  // groups and arrays are those of `with`
    sp_attributes with;
};

#endif
