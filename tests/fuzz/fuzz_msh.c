// Any bytes as a Gmsh file. Promises: a mesh or a message; every number of the mesh in range; nothing leaks.
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "souple/io.h"

static char path[64];

static void forget_file(void) {
    unlink(path);
}

// the reader takes a path: one file per process, made anew for each input
static bool write_input(const uint8_t *data, size_t size) {
    if (!path[0]) {
        snprintf(path, sizeof path, "fuzz-%ld.msh", (long)getpid());
        atexit(forget_file);
    }
    unlink(path);  // a file cut to nothing is flushed to disk by some file systems, a new one is not
    FILE *f = fopen(path, "wb");
    if (!f) return false;
    bool whole = fwrite(data, 1, size, f) == size;
    return fclose(f) == 0 && whole;
}

static void check_mesh(const sp_mesh *mesh) {
    int nn = sp_mesh_node_count(mesh), nt = sp_mesh_tet_count(mesh);
    for (int i = 0; i < 4 * nt; i++) FUZZ_PROMISE(sp_mesh_tets(mesh)[i] >= 0 && sp_mesh_tets(mesh)[i] < nn);
    for (int i = 0; i < 3 * nn; i++) FUZZ_PROMISE(isfinite(sp_mesh_positions(mesh)[i]));
    for (int g = 0; g < sp_mesh_group_count(mesh); g++) {
        const sp_mesh_group *group = sp_mesh_group_at(mesh, g);
        for (int i = 0; i < group->element_count; i++) FUZZ_PROMISE(group->elements[i] >= 0 && group->elements[i] < nt);
        for (int i = 0; i < group->node_count; i++) FUZZ_PROMISE(group->nodes[i] >= 0 && group->nodes[i] < nn);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!write_input(data, size)) return 0;
    sp_context *context = fuzz_context();
    sp_mesh *mesh = NULL;
    sp_status status = sp_mesh_read(context, path, &mesh);
    FUZZ_PROMISE(status >= 0 ? mesh != NULL : !mesh && sp_context_error(context)->message[0]);
    if (mesh) check_mesh(mesh);
    sp_mesh_destroy(&mesh);
    fuzz_context_done(context);
    return 0;
}
