// Meshes of several element types through every format: all bits, numbers, groups and arrays; what files hold; files with wedges
// and pyramids; cutting on purpose; formats that have no such elements.
#include "mixed_help.h"

#define FOLDER SP_BINARY_DIR "/"

static const struct {
    const char *name, *format;
    sp_encoding encoding;
} ways[] = {{"mixed.msh", "msh", SP_ENCODING_ASCII},   {"mixed.msh", "msh", SP_ENCODING_BINARY},
            {"mixed.msh", "msh2", SP_ENCODING_ASCII},  {"mixed.msh", "msh2", SP_ENCODING_BINARY},
            {"mixed.vtk", "vtk", SP_ENCODING_ASCII},   {"mixed.vtk", "vtk", SP_ENCODING_BINARY},
            {"mixed.vtu", "vtu", SP_ENCODING_ASCII},   {"mixed.vtu", "vtu", SP_ENCODING_BASE64},
            {"mixed.vtu", "vtu", SP_ENCODING_APPENDED}};
enum { WAYS = sizeof ways / sizeof *ways };

// bent elements with groups and arrays
static sp_mesh *rich_mixed(sp_context *ctx) {
    mixed m;
    make_mixed(&m);
    bend(&m, 0.03);
    double stiffness[ELEMENTS], heat[MIXED_NODES_MAX];
    int bricks[8 * HEXES], all[MIXED_NODES_MAX], elements[ELEMENTS];
    int64_t ids[MIXED_NODES_MAX];
    for (int e = 0; e < ELEMENTS; e++) stiffness[e] = 1e4 / (e + 1), elements[e] = e;
    for (int i = 0; i < m.node_count; i++) heat[i] = cos(i), all[i] = i, ids[i] = 7 + 2 * i;
    for (int i = 0; i < 12; i++) bricks[i] = i;
    sp_mesh_group groups[] = {
        {.name = "bricks", .elements = elements, .element_count = HEXES, .nodes = bricks, .node_count = 12},
        {.name = "whole", .elements = elements, .element_count = ELEMENTS, .nodes = all, .node_count = m.node_count},
        {.name = "points", .nodes = all + 20, .node_count = 3}};
    sp_mesh_array arrays[] = {{"E", stiffness, true}, {"heat", heat, false}};
    sp_mesh *mesh = NULL;
    m.def.groups = groups, m.def.group_count = 3, m.def.arrays = arrays, m.def.array_count = 2, m.def.node_ids = ids;
    if (sp_mesh_create(ctx, &m.def, &mesh) < 0) SP_TEST_FAILED("%s", sp_context_error(ctx)->message);
    return mesh;
}

static const char *path_of(const char *name, char path[400]) {
    snprintf(path, 400, FOLDER "%s", name);
    return path;
}

static sp_mesh *read_back(sp_context *ctx, const char *path, bool tetrahedra) {
    sp_mesh *mesh = NULL;
    if ((tetrahedra ? sp_mesh_read_tets : sp_mesh_read)(ctx, path, &mesh) < 0)
        SP_TEST_FAILED("%s", sp_context_error(ctx)->message);
    return mesh;
}

TEST(every_format_keeps_every_bit) {
    sp_context *ctx = mesh_context();
    sp_mesh *mesh = rich_mixed(ctx);
    char path[400];
    REQUIRE(mesh);
    for (int i = 0; i < WAYS; i++) {
        sp_mesh_write_options o = sp_mesh_write_options_default();
        o.format = ways[i].format, o.encoding = ways[i].encoding;
        path_of(ways[i].name, path);
        CHECK(sp_mesh_write(mesh, path, &o) == SP_OK);
        sp_mesh *back = read_back(ctx, path, false);
        if (!back) continue;
        check_same_shape(mesh, back, true);
        check_same_groups(mesh, back);
        check_same_arrays(mesh, back);
        sp_mesh_destroy(&back);
        remove(path);
    }
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

// 12 hexahedron, 24 quadratic tetrahedron, 10 tetrahedron (vtkCellType.h)
TEST(a_vtk_file_has_the_types_of_vtk) {
    sp_context *ctx = mesh_context();
    sp_mesh *mesh = rich_mixed(ctx);
    char path[400], text[20000] = "";
    REQUIRE(mesh);
    sp_mesh_write_options o = sp_mesh_write_options_default();
    o.encoding = SP_ENCODING_ASCII;
    CHECK(sp_mesh_write(mesh, path_of("mixed.vtk", path), &o) == SP_OK);
    FILE *f = fopen(path, "r");
    REQUIRE(f);
    CHECK(fread(text, 1, sizeof text - 1, f) > 0);
    fclose(f);
    const char *types = strstr(text, "CELL_TYPES 8");
    REQUIRE(types);
    static const long expected[] = {12, 12, 24, 24, 24, 24, 24, 10};
    char *at = (char *)types + strlen("CELL_TYPES 8");
    for (int i = 0; i < ELEMENTS; i++) CHECK_INT(strtol(at, &at, 10), expected[i]);
    remove(path);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

TEST(cut_into_tetrahedra_on_purpose) {
    sp_context *ctx = mesh_context();
    mixed m;
    sp_mesh *mesh = create_mixed(ctx, &m), *back, *from_file = NULL;
    sp_mesh_file *file = NULL;
    char path[400];
    REQUIRE(mesh && sp_mesh_write(mesh, path_of("mixed.vtu", path), NULL) == SP_OK);
    REQUIRE((back = read_back(ctx, path, true)));
    // six of each hexahedron; nodes on edges are left out
    CHECK(sp_mesh_tets(back) && sp_mesh_element_count(back) == 6 * HEXES + QUADRATIC + LINEAR);
    CHECK_INT(sp_mesh_node_count(back), 12 + 8 + 4);
    CHECK_NEAR(sp_mesh_volume(back), 3 + 1.0 / 6, 1e-14);
    CHECK_INT(sp_mesh_face_count(back), 20 + 12 + 4);
    REQUIRE(sp_mesh_file_open(ctx, path, &file) == SP_OK);
    sp_mesh_file_content content;
    sp_mesh_file_get(file, &content);
    CHECK(content.tetrahedra && content.mesh.element_count == ELEMENTS && content.mesh.element_types[1] == SP_ELEMENT_HEX8);
    REQUIRE(sp_mesh_file_tets(file, &from_file) == SP_OK);
    check_same_shape(back, from_file, true);
    sp_mesh_file_close(&file);
    sp_mesh_destroy(&mesh), sp_mesh_destroy(&back), sp_mesh_destroy(&from_file);
    remove(path);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ wedges

static int warnings;
static void count_warnings(void *user, sp_log_level level, const char *text) {
    (void)user;
    if (level == SP_LOG_WARNING && strstr(text, "all cells are cut into linear tetrahedra, because of 1 wedges")) warnings++;
}

// a cube and half a cube beside it
static const char with_wedge[] = "# vtk DataFile Version 3.0\nhouse\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 10 double\n"
                                 "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1 2 0 0 2 1 0\n"
                                 "CELLS 2 16\n8 0 1 2 3 4 5 6 7\n6 1 5 8 2 6 9\nCELL_TYPES 2\n12 13\n";

TEST(a_file_with_wedges_is_cut_as_a_whole) {
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    sp_cells cells;
    sp_mesh *mesh = NULL;
    def.log = count_warnings;
    warnings = 0;
    REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
    REQUIRE(sp__cells_parse(ctx, with_wedge, sizeof with_wedge - 1, "house.vtk", &cells) == SP_OK);
    REQUIRE(sp__cells_to_mesh(&cells, false, &mesh) == SP_OK);
    CHECK(sp_mesh_tets(mesh) && sp_mesh_element_count(mesh) == 6 + 3);
    CHECK_NEAR(sp_mesh_volume(mesh), 1.5, 1e-15);
    // 5 squares of the cube, 3 rectangles less the common one and 2 triangles of the wedge: neighbours fit
    CHECK_INT(sp_mesh_face_count(mesh), 2 * 5 + 2 * 2 + 2);
    CHECK_INT(warnings, 1);
    sp_mesh_destroy(&mesh);
    // who asks for tetrahedra is not warned
    REQUIRE(sp__cells_to_mesh(&cells, true, &mesh) == SP_OK);
    CHECK_INT(warnings, 1);
    sp_mesh_destroy(&mesh);
    sp__cells_free(&cells);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ other formats

TEST(formats_without_such_elements_refuse_them) {
    sp_context *ctx = mesh_context();
    mixed m;
    sp_mesh *mesh = create_mixed(ctx, &m), *box = NULL, *quadratic = NULL;
    char path[400];
    REQUIRE(mesh);
    CHECK(sp_mesh_write(mesh, path_of("mixed.ele", path), NULL) == SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(ctx)->message, "cell 0: hexahedra cannot be written to TetGen files"));
    CHECK(sp_mesh_write(mesh, path_of("mixed.ply", path), NULL) == SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(ctx)->message, "element 100 is a hexahedron, must be a linear tetrahedron in a PLY file"));
    FILE *f = fopen(path, "r");
    CHECK(f == NULL);
    if (f) fclose(f);
    sp_mesh_destroy(&mesh);
    // TetGen has quadratic tetrahedra, but not beside linear ones
    REQUIRE(sp_mesh_box(ctx, (const double[]){1, 1, 1}, (const int[]){2, 1, 1}, 5, &box) == SP_OK);
    REQUIRE(sp_mesh_order2(box, NULL, NULL, &quadratic) == SP_OK);
    REQUIRE(sp_mesh_write(quadratic, path_of("mixed.ele", path), NULL) == SP_OK);
    REQUIRE((mesh = read_back(ctx, path, false)));
    check_same_shape(quadratic, mesh, true);
    sp_mesh_destroy(&box), sp_mesh_destroy(&quadratic), sp_mesh_destroy(&mesh);
    remove(path), remove(path_of("mixed.node", path));
    sp_context_destroy(&ctx);
}
