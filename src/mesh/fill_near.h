// Finds the octree cells that may be near a border.
#ifndef SP_FILL_NEAR_H
#define SP_FILL_NEAR_H

#include "mesh/fill.h"

typedef struct sp_fill_near {
    const sp_fill_source *source;
    sp_fill_sizes sizes;
    // used if no distance is known: one material per cell of boundary size, and whether a border is near it
    int n[3];
    uint16_t *material;
    unsigned char *mask;
} sp_fill_near;

sp_status sp__near_begin(sp_context *ctx, const sp_fill_source *source, const sp_fill_sizes *sizes, const sp_octree *o,
                         sp_fill_near *near);
void sp__near_end(sp_context *ctx, sp_fill_near *near);
// Whether a cell must be split. Thread-safe.
bool sp__near_split(const sp_fill_near *near, const sp_octree *o, const int centre[3], int level);

#endif
