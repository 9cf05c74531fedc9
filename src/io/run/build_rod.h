// What a rod is made of while it is built; build_rod*.c share it.
#ifndef SP_BUILD_ROD_H
#define SP_BUILD_ROD_H

#include "io/run/build.h"

// The rest shape of every strand before its placement. Where its nodes are is asked of the engine: a world of its own holds the
// strands with nothing acting on them.
typedef struct sp_rod_rest {
    sp_rod_def def;   // model, strands with roots before the placement, sections
    sp_place *place;  // strands: scale in all directions, then a pose
    sp_world *world;  // NULL: nobody has asked yet
    sp_body_id id;
    double *at[2];  // nodes x 3, elements x 3 (centres); NULL: nobody has asked yet
} sp_rod_rest;

typedef struct sp_rod_sections {
    sp_rod_section *list;
    int count;
    size_t room;
} sp_rod_sections;

// build_rod_shape.c: what the rods of the body become, placed, and the same before their placement in body->rod->rest
sp_status sp__build_strands(sp_run *run, sp_run_body *body, sp_rod_model model, sp_rod_sections *sections, sp_rod_strand *out);
// build_rod_path.c: the points of a path
sp_status sp__build_path_points(sp_run *run, const sp_scene_node *path, double **points, int *count);
// build_rod_select.c
// build_rod_load.c
sp_status sp__build_rod_loads(sp_run *run, const sp_run_body *body, sp_rod_def *def);

#endif
