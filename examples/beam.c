// A beam clamped at one end falls under its own weight; prints the position of the middle of the free end.
//
// build:  make && cc -Iinclude examples/beam.c -Lbuild/release -Wl,-rpath,"$PWD/build/release" -lsouple -lm -lpthread -o beam
// run:    ./beam
//   t = 0.25 s  tip at 0.3481 -0.1371 0.0500 m
//   t = 0.50 s  tip at 0.3986 0.0146 0.0500 m
//   t = 0.75 s  tip at 0.3654 -0.1059 0.0500 m
//   t = 1.00 s  tip at 0.3941 -0.0182 0.0500 m
#include <souple/souple.h>
#include <stdio.h>

int main(void) {
    sp_context *context = NULL;
    sp_world *world = NULL;
    sp_mesh *mesh = NULL;
    int result = 1;
    if (sp_context_create(NULL, &context) < 0) return 1;

    // 0.4 x 0.1 x 0.1 m, divided into 16 x 4 x 4 cells of 5 tetrahedra
    if (sp_mesh_box(context, (double[]){0.4, 0.1, 0.1}, (int[]){16, 4, 4}, 5, &mesh) < 0) goto done;
    sp_world_def world_def = sp_world_def_default();
    if (sp_world_create(context, &world_def, &world) < 0) goto done;

    // boundary condition: fix the nodes of the face x = 0, the first 25
    int clamped[25];
    for (int i = 0; i < 25; i++) clamped[i] = i;
    sp_fix fix = {clamped, 25, SP_AXES_ALL, 0};
    sp_solid_def def = sp_solid_def_default();
    def.name = "beam", def.mesh = mesh;
    def.material = (sp_material){.density = 1000, .young = 3e5, .poisson = 0.4};
    def.fixes = &fix, def.fix_count = 1;
    sp_body_id beam;
    if (sp_world_add_solid(world, &def, &beam) < 0) goto done;

    sp_anchor tip;
    if (sp_world_anchor_point(world, beam, (double[]){0.4, 0.05, 0.05}, &tip) < 0) goto done;
    for (int step = 1; step <= 100; step++) {
        double x[3];
        if (sp_world_step(world, 0.01) < 0 || sp_world_anchor_get(world, &tip, x, NULL) < 0) goto done;
        if (step % 25 == 0) printf("t = %.2f s  tip at %.4f %.4f %.4f m\n", sp_world_time(world), x[0], x[1], x[2]);
    }
    result = 0;

done:
    if (result) fprintf(stderr, "beam: %s\n", sp_context_error(context)->message);
    sp_world_destroy(&world);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&context);
    return result;
}
