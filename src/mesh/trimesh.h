// Internal structure of a triangle surface: the definition, with a private copy behind every pointer.
#ifndef SP_TRIMESH_H
#define SP_TRIMESH_H

#include "mesh/mesh_internal.h"

struct sp_trimesh {
    sp_context *ctx;
    sp_trimesh_def def;  // groups and arrays point into `with`
    sp_attributes with;
};

#endif
