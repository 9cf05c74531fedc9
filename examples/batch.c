// A thousand clamped beams of different stiffness fall under their own weight; prints how deep some of their ends are.
//
// build:  make && cc -Iinclude examples/batch.c -Lbuild/release -Wl,-rpath,"$PWD/build/release" -lsouple -lm -lpthread -o batch
// run:    ./batch
//   world   0: end at y = -0.0259 m
//   world 333: end at y = 0.0483 m
//   world 666: end at y = 0.0778 m
//   world 999: end at y = 0.0872 m
#include <souple/souple.h>
#include <stdio.h>

enum { WORLDS = 1000, STEPS = 25 };

// the bodies of one world
static sp_status build(void *user, int index, sp_world *world) {
    const int clamped[] = {0, 1, 2, 3};
    sp_fix fix = {clamped, 4, SP_AXES_ALL, 0};
    sp_solid_def def = sp_solid_def_default();
    def.name = "beam", def.mesh = user, def.fixes = &fix, def.fix_count = 1;
    def.material.young = 2e5 + 400 * index;
    return sp_world_add_solid(world, &def, NULL);
}

int main(void) {
    sp_context *context = NULL;
    sp_batch *batch = NULL;
    sp_mesh *mesh = NULL;
    int result = 1;
    if (sp_context_create(NULL, &context) < 0) return 1;
    if (sp_mesh_box(context, (double[]){0.4, 0.1, 0.1}, (int[]){4, 1, 1}, 5, &mesh) < 0) goto done;

    sp_batch_def def = sp_batch_def_default();
    def.count = WORLDS, def.build = build, def.user = mesh;
    if (sp_batch_create(context, &def, &batch) < 0) goto done;
    for (int step = 0; step < STEPS; step++)
        if (sp_batch_step(batch, 0.01) < 0) goto done;

    sp_batch_view view;  // values: (worlds, nodes, 3)
    if (sp_batch_field(batch, "beam", "position", &view) < 0) goto done;
    for (int world = 0; world < WORLDS; world += 333) {
        const double *x = view.values + ((size_t)world * (size_t)view.items + (size_t)view.items - 1) * 3;
        printf("world %3d: end at y = %.4f m\n", world, x[1]);
    }
    result = 0;

done:
    if (result) fprintf(stderr, "batch: %s\n", sp_context_error(context)->message);
    sp_batch_destroy(&batch);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&context);
    return result;
}
