// TetGen files: any of the three names reads all files, numbers start at 0 or 1, regions, markers and attributes are read;
// written files are read back unchanged.
#include "meter.h"
#include "unit/mesh_help.h"

#include <unistd.h>

#define STEM SP_BINARY_DIR "/test_mesh_tetgen"

static void put_text(const char *suffix, const char *text) {
    char path[400];
    snprintf(path, sizeof path, STEM "%s", suffix);
    mesh_put_file(path, text, strlen(text));
}

static void forget(void) {
    unlink(STEM ".node"), unlink(STEM ".ele"), unlink(STEM ".face");
}

static void put_example(int base) {
    char text[600];
    int n[6];
    for (int i = 0; i < 6; i++) n[i] = base + i;
    snprintf(text, sizeof text,
             "# five points\n\n5 3 2 1  # attributes and a marker\r\n%d 0 0 0  0.5 -1  3\n%d 1 0 0  1.5 -2  0\n"
             "  %d 0 1 0 2.5 -3 3\n%d 0 0 1 3.5 -4 4\n# between\n%d 1 1 1 4.5 -5 0\n# the end\n",
             n[0], n[1], n[2], n[3], n[4]);
    put_text(".node", text);
    snprintf(text, sizeof text, "2 4 2\n%d %d %d %d %d 7 0.25\n%d %d %d %d %d 8 0.75", n[0], n[0], n[1], n[2], n[3], n[1], n[1],
             n[2], n[3], n[4]);
    put_text(".ele", text);
    snprintf(text, sizeof text, "3 1\n%d %d %d %d 2\n%d %d %d %d -5 %d 0\n%d %d %d %d\n", n[0], n[0], n[1], n[2], n[1], n[1],
             n[2], n[4], n[3], n[2], n[0], n[1], n[3]);
    put_text(".face", text);
}

static void check_example(sp_context *ctx, const char *path, int base) {
    sp_cells cells;
    sp_mesh *mesh = NULL;
    sp_trimesh *surface = NULL;
    if (sp__cells_read(ctx, path, &cells) < 0 || sp__cells_to_mesh(&cells, false, &mesh) < 0) {
        SP_TEST_FAILED("%s", sp_context_error(ctx)->message);
        sp__cells_free(&cells);
        return;
    }
    CHECK(cells.node_count == 5 && cells.cell_count == 5 && cells.group_count == 6);
    const sp_mesh_group *seven = sp_mesh_group_named(mesh, "7"), *five = sp_mesh_group_named(mesh, "face:-5");
    const sp_mesh_group *three = sp_mesh_group_named(mesh, "point:3");
    CHECK(seven && seven->element_count == 1 && seven->elements[0] == 0 && seven->node_count == 4);
    CHECK(five && five->element_count == 0 && five->node_count == 3 && five->nodes[2] == 4);
    CHECK(three && three->node_count == 2 && three->nodes[1] == 2);
    const sp_mesh_array *first = sp_mesh_array_named(mesh, "attribute1");
    sp_mesh_array second = {0}, each;
    CHECK(first && !first->on_elements && first->values[4] == 4.5);
    for (int i = 0; sp_mesh_array_at(mesh, i, &each) >= 0; i++)
        if (each.on_elements) second = each;
    CHECK(second.name && strcmp(second.name, "attribute2") == 0 && second.values[1] == 0.75);
    CHECK(sp_mesh_node_ids(mesh)[4] == base + 4 && sp_mesh_element_ids(mesh)[1] == base + 1);
    CHECK(sp__cells_to_trimesh(&cells, &surface) == SP_OK);
    sp_trimesh_def def = sp_trimesh_def_default();
    if (surface) sp_trimesh_get(surface, &def);
    CHECK_INT(def.face_count, 3);
    sp_trimesh_destroy(&surface);
    sp_mesh_destroy(&mesh);
    sp__cells_free(&cells);
}

TEST(any_of_the_three_names) {
    static const char *const names[] = {STEM ".node", STEM ".ele", STEM ".face"};
    sp_context *ctx = mesh_context();
    for (int base = 0; base < 2; base++) {
        put_example(base);
        for (int i = 0; i < 3; i++) check_example(ctx, names[i], base);
        // read back from our own file
        sp_cells cells;
        REQUIRE(sp__cells_read(ctx, names[0], &cells) == SP_OK);
        CHECK(sp__cells_write(&cells, names[1], NULL) == SP_OK);
        sp__cells_free(&cells);
        for (int i = 0; i < 3; i++) check_example(ctx, names[i], base);
    }
    sp_context_destroy(&ctx);
    forget();
}

TEST(points_alone_and_faces_alone) {
    sp_context *ctx = mesh_context();
    sp_cells cells;
    sp_mesh *mesh;
    sp_trimesh *surface = NULL;
    put_example(1);
    unlink(STEM ".ele");
    CHECK(sp_trimesh_read(ctx, STEM ".face", &surface) == SP_OK);
    CHECK(sp_mesh_read(ctx, STEM ".face", &mesh) == SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(ctx)->message, "3 triangles") != NULL);
    sp_trimesh_destroy(&surface);
    unlink(STEM ".face");
    CHECK(sp__cells_read(ctx, STEM ".node", &cells) == SP_OK && cells.cell_count == 0);
    CHECK(sp__cells_to_trimesh(&cells, &surface) == SP_BAD_INPUT);
    sp__cells_free(&cells);
    // tetrahedra without points are refused
    put_example(1);
    unlink(STEM ".node");
    CHECK(sp_mesh_read(ctx, STEM ".ele", &mesh) == SP_IO);
    sp_context_destroy(&ctx);
    forget();
}

// a mesh keeps everything except the numbers, which TetGen assigns itself; a cell keeps one of its groups
TEST(round_trip_of_a_mesh) {
    sp_context *ctx = mesh_context();
    sp_mesh *mesh = rich_box(ctx, (const int[]){3, 2, 2}, false), *back = NULL;
    REQUIRE(mesh);
    CHECK(sp_mesh_write(mesh, STEM ".node", NULL) == SP_OK);
    CHECK(sp_mesh_read(ctx, STEM ".ele", &back) == SP_OK);
    if (back) {
        check_same_shape(mesh, back, false);
        const sp_mesh_group *left = sp_mesh_group_named(back, "left side"), *fixed = sp_mesh_group_named(back, "fixed");
        const sp_mesh_group *every = sp_mesh_group_named(back, "every other");
        CHECK(left && fixed && every && fixed->node_count == 3 && fixed->nodes[1] == 2);
        const sp_mesh_array *v = sp_mesh_array_named(back, "v.z"), *w = sp_mesh_array_named(mesh, "v.z");
        CHECK(v && w && same_values(v->values, w->values, (size_t)sp_mesh_node_count(mesh)));
        CHECK(sp_mesh_array_named(back, "E") == NULL);  // contains a NaN
    }
    sp_mesh_write_options o = sp_mesh_write_options_default();
    o.encoding = SP_ENCODING_BINARY;
    CHECK(sp_mesh_write(mesh, STEM ".node", &o) == SP_BAD_INPUT);
    sp_mesh_destroy(&back);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
    forget();
}

TEST(every_truncation_is_refused_or_complete) {
    static const char *const suffixes[] = {".node", ".ele", ".face"};
    sp_context *ctx = mesh_context();
    for (int i = 0; i < 3; i++) {
        char path[400], *text;
        size_t n;
        snprintf(path, sizeof path, STEM "%s", suffixes[i]);
        put_example(1);
        REQUIRE(sp__text_read(ctx, path, 0, &text, &n) == SP_OK);
        for (size_t cut = 0; cut < n; cut++) {
            sp_cells cells;
            mesh_put_file(path, text, cut);
            sp_status status = sp__cells_read(ctx, STEM ".ele", &cells);
            CHECK(status >= 0 || (status == SP_BAD_INPUT && strstr(sp_context_error(ctx)->message, suffixes[i])));
            sp__cells_free(&cells);
        }
        sp__free(ctx, text);
    }
    sp_context_destroy(&ctx);
    forget();
}

TEST(every_allocation_may_fail) {
    meter m = {1000000, 0};
    sp_context_def def = metered_context(&m);
    sp_context *ctx;
    sp_cells cells;
    REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
    long before = m.live;
    for (int writing = 0; writing < 2; writing++) {
        sp_status status = SP_NO_MEMORY;
        int n = 0;
        put_example(1);
        for (; status == SP_NO_MEMORY && n < 1000; n++) {
            m.allowed = writing ? 1000000 : n;
            status = sp__cells_read(ctx, STEM ".node", &cells);
            m.allowed = n;
            if (writing) status = sp__cells_write(&cells, STEM ".node", NULL);
            sp__cells_free(&cells);
            CHECK_INT(m.live, before);
        }
        CHECK(status == SP_OK && n > 10);
    }
    sp_context_destroy(&ctx);
    forget();
}
