// The public headers from C++: they compile and link, and a body can be created and stepped.
#include <cstdio>
#include <souple/io.h>
#include <souple/souple.h>

static int failures = 0;

static void check(bool held, const char *what) {
    if (held) return;
    failures++;
    std::printf("failed: %s\n", what);
}

int main() {
    sp_context_def context_def = sp_context_def_default();
    context_def.workers = 1;
    sp_context *context = nullptr;
    check(sp_context_create(&context_def, &context) == SP_OK, "context");
    const double size[3] = {1, 1, 1};
    const int cells[3] = {2, 2, 2};
    sp_mesh *mesh = nullptr;
    check(sp_mesh_box(context, size, cells, 6, &mesh) == SP_OK, "mesh");
    sp_world_def world_def = sp_world_def_default();
    sp_world *world = nullptr;
    check(sp_world_create(context, &world_def, &world) == SP_OK, "world");
    sp_solid_def solid = sp_solid_def_default();
    solid.mesh = mesh;
    sp_body_id id = {0, 0};
    check(sp_world_add_solid(world, &solid, &id) == SP_OK, "solid");
    check(sp_world_step(world, 0.01) == SP_OK, "step");
    check(sp_world_steps(world) == 1, "one step done");
    sp_world_destroy(&world);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&context);
    check(!world && !mesh && !context, "handles are null after destruction");
    std::printf("%d passed, %d failed\n", failures == 0, failures);
    return failures != 0;
}
