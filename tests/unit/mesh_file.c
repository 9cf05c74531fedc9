// Mesh files without changes: definitions with all nodes and the file's numbers, including defects; memory.
#include <unistd.h>

#include "at.h"
#include "meter.h"
#include "souple/io.h"
#include "test.h"

#define SEEDS SP_SOURCE_DIR "/tests/fuzz/mesh/"

static const char *put(const char *name, const char *text) {
    static char path[128];
    static char folder[64];
    if (!folder[0] && (strcpy(folder, "/tmp/souple-file-XXXXXX"), !mkdtemp(folder))) abort();
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file) abort();
    fputs(text, file);
    fclose(file);
    return path;
}

TEST(bad_tetrahedra_keep_their_numbers) {
    sp_context *context = NULL;
    sp_mesh_file *file = NULL;
    sp_mesh_file_content c;
    sp_mesh *mesh;
    REQUIRE(sp_context_create(NULL, &context) == SP_OK);
    // numbers that differ from the positions in the file; element 7 is flat, node 50 is unreferenced
    static const char *const text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                                    "$Nodes\n5\n10 0 0 0\n20 1 0 0\n30 0 1 0\n40 0 0 1\n50 9 9 9\n$EndNodes\n"
                                    "$Elements\n2\n6 4 2 0 1 10 20 30 40\n7 4 2 0 1 10 20 30 30\n$EndElements\n";
    REQUIRE(sp_mesh_file_open(context, put("bad.msh", text), &file) == SP_OK);
    sp_mesh_file_get(file, &c);
    REQUIRE(c.tetrahedra && c.mesh.node_count == 5 && c.mesh.element_count == 2 && c.mesh.node_ids && c.mesh.element_ids);
    CHECK(c.mesh.node_ids[4] == 50 && c.mesh.element_ids[1] == 7);
    CHECK(sp_mesh_file_mesh(file, &mesh) < 0 && mesh == NULL);
    sp_mesh_report *report;
    REQUIRE(sp_mesh_examine(context, &c.mesh, NULL, &report) == SP_OK);
    CHECK(sp_mesh_report_count(report, SP_DEFECT_FLAT, NULL) == 1 && defect_at(report, 0).elements[0] == 7);
    CHECK(sp_mesh_report_count(report, SP_DEFECT_UNREFERENCED, NULL) == 1 && defect_at(report, 1).nodes[0] == 50);
    sp_mesh_report_destroy(&report);
    sp_mesh_file_close(&file);
    sp_context_destroy(&context);
}

TEST(surfaces_and_refusals) {
    sp_context *context = NULL;
    sp_mesh_file *file = NULL;
    sp_mesh_file_content c;
    REQUIRE(sp_context_create(NULL, &context) == SP_OK);
    REQUIRE(sp_mesh_file_open(context, SEEDS "skin.obj", &file) == SP_OK);
    sp_mesh_file_get(file, &c);
    CHECK(!c.tetrahedra && c.surface.face_count > 0 && c.mesh.element_count == 0);
    sp_mesh_file_close(&file);
    // messages name the file also when the text of its path is gone
    char path[512];
    snprintf(path, sizeof path, "%s", put("skin.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"));
    REQUIRE(sp_mesh_file_open(context, path, &file) == SP_OK);
    memset(path, 'x', sizeof path - 1);
    sp_mesh *none = NULL;
    CHECK(sp_mesh_file_mesh(file, &none) == SP_BAD_INPUT && strstr(sp_context_error(context)->message, "skin.obj"));
    sp_mesh_file_close(&file);
    CHECK(sp_mesh_file_open(context, put("points.obj", "v 0 0 0\nv 1 0 0\n"), &file) == SP_BAD_INPUT && !file);
    CHECK(strstr(sp_context_error(context)->message, "no triangles"));
    CHECK(sp_mesh_file_open(context, put("cut.ply", "ply\nformat ascii 1.0\nelement vertex 9999999\n"), &file) < 0 && !file);
    sp_context_destroy(&context);
}

TEST(every_allocation_may_fail) {
    static const char *const files[] = {SEEDS "cube.msh", SEEDS "box.node", SEEDS "skin.obj", SEEDS "skin.stl"};
    for (int i = 0; i < 4; i++)
        for (long n = 1;; n++) {
            meter m = {.allowed = n};
            sp_context_def def = metered_context(&m);
            sp_context *ctx = NULL;
            if (sp_context_create(&def, &ctx) < 0) continue;
            sp_mesh_file *file = NULL;
            sp_status status = sp_mesh_file_open(ctx, files[i], &file);
            CHECK((status >= 0) == (file != NULL));
            if (status < 0) CHECK_INT(status, SP_NO_MEMORY);
            sp_mesh_file_close(&file);
            sp_context_destroy(&ctx);
            CHECK_INT(m.live, 0);
            if (status >= 0) break;
            REQUIRE(n < 1000);
        }
}
