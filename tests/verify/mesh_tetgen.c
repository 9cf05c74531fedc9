// Files of TetGen itself (where its program `tetgen` is installed; skipped otherwise): a brick of two regions that TetGen meshes
// is read with volumes, regions, markers and attributes, straight and quadratic, numbered from 1 and from 0. TetGen reads and
// refines our files.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/mesh_help.h"

#define FOLDER SP_BINARY_DIR "/verify_mesh_tetgen"

static bool run(const char *command) {
    char line[1200];
    snprintf(line, sizeof line, "cd " FOLDER " && %s >log.txt 2>&1", command);
    int status = system(line);
    return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool have_tetgen(void) {
    mkdir(FOLDER, 0777);
    if (run("command -v tetgen")) return true;
    printf("  tetgen is not installed, nothing was compared\n");
    return false;
}

// a brick 2 x 1 x 1 with a wall at x = 1; regions 3 and 4, markers 5 on the ends and 6 elsewhere, an attribute per point
static void write_model(int base) {
    static const int facets[11][5] = {{0, 3, 7, 4, 5},   {2, 1, 5, 6, 0},  {8, 9, 10, 11, 5}, {0, 1, 2, 3, 6},
                                      {4, 5, 6, 7, 6},   {0, 1, 5, 4, 6},  {3, 2, 6, 7, 6},   {1, 8, 9, 2, 6},
                                      {5, 11, 10, 6, 6}, {1, 8, 11, 5, 6}, {2, 9, 10, 6, 6}};
    FILE *f = fopen(FOLDER "/brick.poly", "w");
    if (!f) return;
    fprintf(f, "12 3 1 0\n");
    for (int i = 0; i < 12; i++) {
        static const int at[12][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1},
                                      {1, 1, 1}, {0, 1, 1}, {2, 0, 0}, {2, 1, 0}, {2, 1, 1}, {2, 0, 1}};
        fprintf(f, "%d %d %d %d %g\n", base + i, at[i][0], at[i][1], at[i][2], at[i][0] + 10.0 * at[i][1] + 100.0 * at[i][2]);
    }
    fprintf(f, "11 1\n");
    for (int i = 0; i < 11; i++)
        fprintf(f, "1 0 %d\n4 %d %d %d %d\n", facets[i][4], base + facets[i][0], base + facets[i][1], base + facets[i][2],
                base + facets[i][3]);
    fprintf(f, "0\n2\n%d 0.5 0.5 0.5 3 -1\n%d 1.5 0.5 0.5 4 -1\n", base, base + 1);
    fclose(f);
}

static const double rounding = 1e-13;  // sums of some hundred volumes of size 1, positions with 16 digits

static void check_brick(const sp_mesh *mesh, int base) {
    CHECK_NEAR(sp_mesh_volume(mesh), 2, rounding);
    CHECK_NEAR(group_volume(mesh, "3"), 1, rounding);
    CHECK_NEAR(group_volume(mesh, "4"), 1, rounding);
    CHECK_INT(sp_mesh_node_ids(mesh)[0], base);
    const sp_mesh_group *ends = sp_mesh_group_named(mesh, "face:5");
    CHECK(ends && ends->node_count >= 8);
    for (int i = 0; ends && i < ends->node_count; i++) {
        double x = sp_mesh_positions(mesh)[3 * ends->nodes[i]];
        CHECK(x == 0 || x == 2);
    }
}

// TetGen interpolates the attribute linearly at its own points: it equals the function given at the corners
static void check_attribute(const sp_mesh *mesh) {
    const sp_mesh_array *a = sp_mesh_array_named(mesh, "attribute1");
    CHECK(a && !a->on_elements);
    for (int i = 0; a && i < 12; i++) {
        const double *x = sp_mesh_positions(mesh) + 3 * i;
        CHECK_NEAR(a->values[i], x[0] + 10 * x[1] + 100 * x[2], 1e-12);
    }
}

static void check_middles(sp_context *ctx, const char *path) {
    static const int edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
    sp_cells c;
    CHECK(sp__cells_read(ctx, path, &c) == SP_OK);
    for (int i = 0; i < c.cell_count; i++) {
        const int *n = c.nodes + c.start[i];
        int count = c.type[i] == SP_CELL_TET10 ? 6 : 3, corners = c.type[i] == SP_CELL_TET10 ? 4 : 3;
        CHECK(c.type[i] == SP_CELL_TET10 || c.type[i] == SP_CELL_TRIANGLE6);
        for (int e = 0; e < count; e++)
            for (int k = 0; k < 3; k++)
                CHECK_NEAR(c.x[3 * n[corners + e] + k], (c.x[3 * n[edges[e][0]] + k] + c.x[3 * n[edges[e][1]] + k]) / 2,
                           rounding);
    }
    sp__cells_free(&c);
}

TEST(tetgen_files_are_read) {
    static const char *const names[] = {FOLDER "/brick.1.node", FOLDER "/brick.1.ele", FOLDER "/brick.1.face"};
    sp_context *ctx = mesh_context();
    for (int trial = 0; trial < 4 && have_tetgen(); trial++) {
        int base = trial % 2;
        sp_mesh *mesh = NULL;
        write_model(base);
        CHECK(run(trial < 2 ? "tetgen -pqAa0.1 brick.poly" : "tetgen -pqAa0.1o2 brick.poly"));
        for (int i = 0; i < 3; i++) {
            if (sp_mesh_read(ctx, names[i], &mesh) < 0) SP_TEST_FAILED("%s", sp_context_error(ctx)->message);
            if (mesh) check_brick(mesh, base), check_attribute(mesh);
            sp_mesh_destroy(&mesh);
        }
        if (trial >= 2) check_middles(ctx, names[0]);
    }
    sp_context_destroy(&ctx);
}

TEST(tetgen_reads_written_files) {
    sp_context *ctx = mesh_context();
    if (have_tetgen()) {
        sp_mesh *mesh = NULL, *back = NULL;
        REQUIRE(sp_mesh_box(ctx, (const double[]){1, 1.1, 0.9}, (const int[]){3, 4, 2}, 6, &mesh) == SP_OK);
        CHECK(sp_mesh_write(mesh, FOLDER "/ours.node", NULL) == SP_OK);
        // unchanged, then refined
        CHECK(run("rm -f ours.1.*; tetgen -rBQ ours.ele"));
        CHECK(sp_mesh_read(ctx, FOLDER "/ours.1.ele", &back) == SP_OK);
        CHECK_INT(back ? sp_mesh_element_count(back) : 0, sp_mesh_element_count(mesh));
        CHECK_NEAR(back ? sp_mesh_volume(back) : 0, sp_mesh_volume(mesh), rounding);
        sp_mesh_destroy(&back);
        CHECK(run("rm -f ours.1.*; tetgen -rqa0.002Q ours.ele"));
        CHECK(sp_mesh_read(ctx, FOLDER "/ours.1.ele", &back) == SP_OK);
        CHECK((back ? sp_mesh_element_count(back) : 0) > sp_mesh_element_count(mesh));
        CHECK_NEAR(back ? sp_mesh_volume(back) : 0, sp_mesh_volume(mesh), rounding);
        sp_mesh_destroy(&back), sp_mesh_destroy(&mesh);
    }
    sp_context_destroy(&ctx);
}
