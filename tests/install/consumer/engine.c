// The engine alone: a falling box. Prints its height after ten steps of implicit Euler, g h^2 (1 + 2 + ... + 10) lower.
#include <souple/souple.h>
#include <stdio.h>

int main(void) {
    sp_context *context = NULL;
    sp_mesh *mesh = NULL;
    sp_world *world = NULL;
    sp_body_id box;
    sp_anchor corner;
    const double size[3] = {1, 1, 1};
    const int cells[3] = {1, 1, 1};
    double x[3] = {0};
    sp_world_def wd = sp_world_def_default();
    sp_solid_def sd = sp_solid_def_default();
    wd.gravity[1] = sp_signal_constant(-10);
    if (sp_context_create(NULL, &context) < 0 || sp_mesh_box(context, size, cells, 6, &mesh) < 0) return 1;
    sd.name = "box", sd.mesh = mesh;
    if (sp_world_create(context, &wd, &world) < 0 || sp_world_add_solid(world, &sd, &box) < 0) return 1;
    for (int i = 0; i < 10; i++)
        if (sp_world_step(world, 0.01) < 0) return 1;
    if (sp_world_anchor_node(world, box, 0, &corner) < 0 || sp_world_anchor_get(world, &corner, x, NULL) < 0) return 1;
    printf("%.3f\n", x[1]);
    sp_world_destroy(&world);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&context);
    return 0;
}
