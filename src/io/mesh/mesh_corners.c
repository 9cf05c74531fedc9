// Converts values per corner to values per node where possible.
#include "io/mesh/mesh_corners.h"

bool sp__corners_per_node(const sp_cells *cells, const double *values, const int *corners, int width, sp_keep *keep,
                          const double **out) {
    size_t nodes = (size_t)cells->node_count, size = (size_t)width * sizeof *values;
    int64_t corner_count = cells->start ? cells->start[cells->cell_count] : 0;
    double *per_node;
    int *seen;
    *out = corners ? NULL : values;
    if (!values || !corners) return true;
    if (!SP_KEEP(keep, per_node, nodes * (size_t)width) || !SP_KEEP(keep, seen, nodes)) return false;
    for (int64_t i = 0; i < corner_count; i++) {
        if (corners[i] < 0) continue;
        size_t node = (size_t)cells->nodes[i];
        const double *value = values + (size_t)width * (size_t)corners[i];
        if (!seen[node]++)
            memcpy(per_node + (size_t)width * node, value, size);
        else if (memcmp(per_node + (size_t)width * node, value, size) != 0)
            return true;
    }
    for (size_t i = 0; i < nodes; i++)
        if (!seen[i]) return true;
    *out = per_node;
    return true;
}
