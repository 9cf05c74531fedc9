// Data of a rod during building, shared by build_rod*.c.
#ifndef SP_BUILD_ROD_H
#define SP_BUILD_ROD_H

#include "io/run/build.h"

// Rest shape of every strand before its placement. The engine computes the node positions: a separate world holds the strands
// without loads.
typedef struct sp_rod_rest {
    sp_rod_def def;   // model, strands with roots before the placement, sections
    sp_place *place;  // per strand: uniform scale, then a pose
    sp_world *world;  // NULL: not computed yet
    sp_body_id id;
    double *at[2];  // nodes x 3, elements x 3 (centres); NULL: not computed yet
} sp_rod_rest;

typedef struct sp_rod_sections {
    sp_rod_section *list;
    int count;
    size_t capacity;
} sp_rod_sections;

// build_rod_shape.c: builds the strands of the body after placement, and those before placement in body->rod->rest
sp_status sp__build_strands(sp_run *run, sp_run_body *body, sp_rod_model model, sp_rod_sections *sections, sp_rod_strand *out);
// build_rod_path.c: the points of a path
sp_status sp__build_path_points(sp_run *run, const sp_scene_node *path, double **points, int *count);
// build_rod_load.c
sp_status sp__build_rod_loads(sp_run *run, const sp_run_body *body, sp_rod_def *def);

#endif
