// Cells of all kinds converted to tetrahedra and triangles, and back: volumes and faces are conforming, groups and arrays are
// kept, formats are recognised by content and name, files are written completely or not at all.
#include "meter.h"
#include "unit/mesh_help.h"

#include <sys/stat.h>
#include <unistd.h>

#define PATH SP_BINARY_DIR "/test_mesh_cells"

// ------------------------------------------------------------------------------------------------ volume cells

static void shuffle(int *a, int n, unsigned long long *state) {
    for (int i = n - 1; i > 0; i--) {
        int j = (int)((sp_test_random(state) + 1) / 2 * (i + 1)), swap = a[i];
        a[i] = a[j], a[j] = swap;
    }
}

// a row of `n` cells of one kind along x, its nodes numbered by `number`
static void row_of(sp_cells *c, int kind, const int *number) {
    static const double unit[][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    static const int hex[1][8] = {{0, 1, 2, 3, 4, 5, 6, 7}};
    static const int wedges[2][6] = {{0, 1, 2, 4, 5, 6}, {0, 2, 3, 4, 6, 7}};
    static const int pyramids[6][5] = {{0, 1, 2, 3, 8}, {4, 5, 6, 7, 8}, {0, 1, 5, 4, 8},
                                       {1, 2, 6, 5, 8}, {2, 3, 7, 6, 8}, {3, 0, 4, 7, 8}};
    int per = kind == SP_CELL_HEX ? 1 : kind == SP_CELL_WEDGE ? 2 : 6, corners = sp__cell_corners(kind);
    const int *cells = kind == SP_CELL_HEX ? hex[0] : kind == SP_CELL_WEDGE ? wedges[0] : pyramids[0];
    sp__cells_reserve_nodes(c, 2 * 9);
    sp__cells_reserve(c, 2 * per, 2 * per * corners);
    for (int block = 0; block < 2; block++) {
        for (int i = 0; i < 9; i++)
            for (int k = 0; k < 3; k++) c->x[3 * number[9 * block + i] + k] = (i < 8 ? unit[i][k] : 0.5) + (k == 0 ? block : 0);
        for (int j = 0; j < per * corners; j++) {
            int local = cells[j], at = 9 * block + local;
            // the second block is on the face x = 1 of the first
            if (block && (local == 0 || local == 3 || local == 4 || local == 7))
                at = local == 0 ? 1 : local == 3 ? 2 : local == 4 ? 5 : 6;
            c->nodes[block * per * corners + j] = number[at];
        }
    }
    for (int i = 0; i < 2 * per; i++) c->type[i] = (unsigned char)kind, c->start[i + 1] = (i + 1) * corners;
}

// for any numbering: the volume is that of the cells, and faces between cells are cut the same way (none of them is boundary)
TEST(volume_cells_are_cut_conformingly) {
    static const int kinds[] = {SP_CELL_HEX, SP_CELL_WEDGE, SP_CELL_PYRAMID};
    static const int tets[] = {12, 12, 24};
    sp_context *ctx = mesh_context();
    unsigned long long state = 3;
    for (int trial = 0; trial < 300; trial++) {
        sp_cells c;
        sp_mesh *mesh = NULL;
        int number[18], kind = trial % 3;
        for (int i = 0; i < 18; i++) number[i] = i;
        shuffle(number, 18, &state);
        sp__cells_init(ctx, "made", &c);
        row_of(&c, kinds[kind], number);
        for (int cut = 0; cut < 2; cut++) {
            if (sp__cells_to_mesh(&c, cut, &mesh) < 0) {
                SP_TEST_FAILED("%s", sp_context_error(ctx)->message);
            } else {
                // hexahedra alone stay whole
                bool whole = kinds[kind] == SP_CELL_HEX && !cut;
                CHECK_INT(sp_mesh_element_count(mesh), whole ? 2 : tets[kind]);
                CHECK((sp_mesh_tets(mesh) == NULL) == whole);
                CHECK_NEAR(sp_mesh_volume(mesh), 2, 1e-14);  // sums of two dozen exact sixths
                CHECK_INT(sp_mesh_face_count(mesh), 20);     // ten squares
            }
            sp_mesh_destroy(&mesh);
        }
        sp__cells_free(&c);
    }
    sp_context_destroy(&ctx);
}

TEST(a_hexahedron_with_a_collapsed_edge) {
    sp_context *ctx = mesh_context();
    sp_cells c;
    sp_mesh *mesh = NULL;
    static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1};
    static const int nodes[] = {0, 1, 2, 2, 3, 4, 5, 5};
    sp__cells_init(ctx, "made", &c);
    REQUIRE(sp__cells_reserve_nodes(&c, 6) && sp__cells_reserve(&c, 1, 8));
    memcpy(c.x, x, sizeof x), memcpy(c.nodes, nodes, sizeof nodes);
    c.type[0] = SP_CELL_HEX, c.start[1] = 8;
    CHECK(sp__cells_to_mesh(&c, false, &mesh) == SP_OK);
    CHECK(mesh && sp_mesh_element_count(mesh) == 3);
    CHECK_NEAR(mesh ? sp_mesh_volume(mesh) : 0, 0.5, 1e-15);  // three exact sixths
    sp_mesh_destroy(&mesh);
    sp__cells_free(&c);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ faces

static double cut_area(const double *x, const int *corners, int n, double *signed_area) {
    int out[3 * 200], capacity[200];
    double sum = 0;
    *signed_area = 0;
    sp__polygon_split(x, corners, n, out, capacity);
    for (int t = 0; t < n - 2; t++) {
        const double *a = x + 3 * corners[out[3 * t]], *b = x + 3 * corners[out[3 * t + 1]], *c = x + 3 * corners[out[3 * t + 2]];
        double area = ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
        sum += fabs(area);
        *signed_area += area;
    }
    return sum;
}

// in a star with deep notches every triangle is inside: areas sum up without a negative one
TEST(concave_polygons) {
    for (int n = 4; n <= 120; n += 4) {
        double x[3 * 120], area = 0, seen;
        int corners[120];
        for (int i = 0; i < n; i++) {
            double r = i % 2 ? 0.2 : 1, phi = 2 * 3.14159265358979 * i / n;
            x[3 * i] = r * cos(phi), x[3 * i + 1] = r * sin(phi), x[3 * i + 2] = 0.3;
            corners[i] = i;
        }
        for (int i = 0; i < n; i++) {
            int j = (i + 1) % n;
            area += (x[3 * i] * x[3 * j + 1] - x[3 * j] * x[3 * i + 1]) / 2;
        }
        double sum = cut_area(x, corners, n, &seen);
        CHECK_NEAR(sum, area, 1e-13);  // sums of a hundred areas below 1
        CHECK_NEAR(seen, area, 1e-13);
    }
}

// a quadrangle, a concave pentagon, a triangle: with texture coordinates of corners, colours, a group, an array on cells
static void make_faces(sp_context *ctx, sp_cells *c, bool with_tet) {
    static const double x[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 2, 0, 0, 1.2, 0.5, 0, 2, 1, 0, 5, 5, 5, 3, 0, 1};
    static const int nodes[] = {0, 1, 2, 3, 1, 4, 5, 6, 2, 4, 8, 6, 0, 1, 3, 8};
    sp__cells_init(ctx, "faces", c);
    sp__cells_reserve_nodes(c, 9);
    sp__cells_reserve(c, with_tet ? 4 : 3, 16);
    memcpy(c->x, x, sizeof x), memcpy(c->nodes, nodes, sizeof nodes);
    c->type[0] = SP_CELL_QUAD, c->type[1] = SP_CELL_POLYGON, c->type[2] = SP_CELL_TRIANGLE;
    c->start[1] = 4, c->start[2] = 9, c->start[3] = 12;
    if (with_tet) c->type[3] = SP_CELL_TET, c->start[4] = 16;
    c->texcoord_count = 9, c->texcoords = sp__keep_alloc(&c->keep, 18, sizeof(double));
    c->normal_count = 12, c->normals = sp__keep_alloc(&c->keep, 36, sizeof(double));
    c->corner_normals = sp__keep_alloc(&c->keep, 16, sizeof(int));
    c->colors = sp__keep_alloc(&c->keep, 36, sizeof(double));
    for (int i = 0; i < 12; i++) c->corner_normals[i] = i;
    for (int i = 0; i < 9; i++) c->texcoords[2 * i] = i / 16.0, c->colors[4 * i] = i / 16.0;
    for (int i = 0; i < 36; i++) c->normals[i] = i % 3 == 2;
    static int two[] = {1, 2}, node[] = {7, 8};
    static double values[] = {10, 20, 30, 40};
    static sp_cells_group group = {"pair", 2, 0, two, 2, node, 2};
    static sp_cells_array array = {"a", 1, true, false, values};
    c->groups = &group, c->group_count = 1;
    c->arrays = &array, c->array_count = 1;
}

TEST(faces_become_triangles) {
    sp_context *ctx = mesh_context();
    for (int with_tet = 0; with_tet < 2; with_tet++) {
        sp_cells c;
        sp_trimesh *surface = NULL;
        sp_trimesh_def def;
        make_faces(ctx, &c, with_tet);
        REQUIRE(sp__cells_to_trimesh(&c, &surface) == SP_OK);
        sp_trimesh_get(surface, &def);
        CHECK_INT(def.face_count, 6);
        CHECK_INT(def.vertex_count, with_tet ? 8 : 9);  // the unreferenced node is kept where there are only faces
        CHECK(def.group_count == 1 && def.groups[0].element_count == 4);
        CHECK_INT(def.groups[0].node_count, with_tet ? 6 : 7);
        CHECK(def.array_count == 1 && def.arrays[0].values[1] == 10 && def.arrays[0].values[2] == 20 &&
              def.arrays[0].values[5] == 30);
        for (int i = 0; i < 3 * def.face_count; i++) {
            // texture coordinates and colours identify their original node
            int tex = def.face_texcoords ? def.face_texcoords[i] : def.faces[i];
            CHECK(def.texcoords[2 * tex] == def.colors[4 * def.faces[i]]);
            CHECK(def.face_normals && c.nodes[def.face_normals[i]] == (int)(16 * def.colors[4 * def.faces[i]]));
        }
        sp_trimesh_destroy(&surface);
        sp__cells_free(&c);
    }
    sp_context_destroy(&ctx);
}

TEST(a_surface_becomes_cells_and_back) {
    sp_context *ctx = mesh_context();
    sp_cells c, d;
    sp_trimesh *surface = NULL, *back = NULL;
    sp_trimesh_def a, b;
    make_faces(ctx, &c, false);
    REQUIRE(sp__cells_to_trimesh(&c, &surface) == SP_OK);
    REQUIRE(sp__cells_from_trimesh(surface, &d) == SP_OK && sp__cells_to_trimesh(&d, &back) == SP_OK);
    sp_trimesh_get(surface, &a), sp_trimesh_get(back, &b);
    CHECK(a.face_count == b.face_count && a.vertex_count == b.vertex_count && a.normal_count == b.normal_count);
    CHECK(same_bits(a.faces, b.faces, 3 * sizeof(int) * (size_t)a.face_count));
    CHECK(same_bits(a.face_normals, b.face_normals, 3 * sizeof(int) * (size_t)a.face_count));
    CHECK(same_bits(a.colors, b.colors, 4 * sizeof(double) * (size_t)a.vertex_count));
    CHECK(same_bits(a.texcoords, b.texcoords, 2 * sizeof(double) * (size_t)a.texcoord_count));
    CHECK(b.group_count == 1 && b.groups[0].node_count == a.groups[0].node_count && strcmp(b.groups[0].name, "pair") == 0);
    sp_trimesh_destroy(&surface), sp_trimesh_destroy(&back);
    sp__cells_free(&c), sp__cells_free(&d);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ groups and arrays

TEST(components_are_split_and_joined) {
    sp_context *ctx = mesh_context();
    static const char *const names[] = {"u.x", "u.y", "s.xx", "s.yy", "s.zz", "s.xy",    "s.yz", "s.xz",
                                        "q.0", "q.1", "q.2",  "q.3",  "q.4",  "alone.x", "w.x",  "w.z"};
    static const int components[] = {2, 6, 5, 1, 1, 1};
    sp_mesh *box = rich_box(ctx, (const int[]){1, 1, 1}, false), *mesh = NULL, *back = NULL;
    sp_mesh_array arrays[16];
    double values[16][8];
    REQUIRE(box);
    for (int a = 0; a < 16; a++) {
        for (int i = 0; i < 8; i++) values[a][i] = 100 * a + i;
        arrays[a] = (sp_mesh_array){names[a], values[a], false};
    }
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = 8, def.positions = sp_mesh_positions(box), def.element_count = 6, def.element_nodes = sp_mesh_tets(box);
    def.arrays = arrays, def.array_count = 16;
    REQUIRE(sp_mesh_create(ctx, &def, &mesh) == SP_OK);
    CHECK(sp_mesh_context(mesh) == ctx);
    sp_cells c;
    REQUIRE(sp__cells_from_mesh(mesh, &c) == SP_OK);
    CHECK_INT(c.array_count, 6);
    for (int a = 0; a < 6 && a < c.array_count; a++) CHECK_INT(c.arrays[a].components, components[a]);
    CHECK(strcmp(c.arrays[1].name, "s") == 0 && c.arrays[1].values[6 * 3 + 4] == 603);
    CHECK(sp__cells_to_mesh(&c, false, &back) == SP_OK);
    check_same_arrays(mesh, back);
    sp__cells_free(&c);
    sp_mesh_destroy(&box), sp_mesh_destroy(&mesh), sp_mesh_destroy(&back);
    sp_context_destroy(&ctx);
}

// "left side" and "12" have the same content: in a file they are one group with a name and a number
TEST(a_group_has_a_name_and_a_number) {
    sp_context *ctx = mesh_context();
    sp_mesh *mesh = rich_box(ctx, (const int[]){1, 1, 1}, false), *back = NULL;
    sp_cells c;
    REQUIRE(mesh && sp__cells_from_mesh(mesh, &c) == SP_OK);
    CHECK_INT(c.group_count, 3);
    for (int g = 0; g < c.group_count; g++) CHECK((strcmp(c.groups[g].name, "left side") == 0) == (c.groups[g].number == 12));
    CHECK(sp__cells_to_mesh(&c, false, &back) == SP_OK);
    check_same_groups(mesh, back);
    CHECK_INT(sp_mesh_group_count(back), sp_mesh_group_count(mesh));
    sp__cells_free(&c);
    sp_mesh_destroy(&mesh), sp_mesh_destroy(&back);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ files

TEST(formats_by_content_and_name) {
    static const char text[] =
        "\xef\xbb\xbf$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n0\n$EndNodes\n$Elements\n0\n$EndElements\n";
    sp_context *ctx = mesh_context();
    sp_cells c;
    CHECK(sp__cells_parse(ctx, text, sizeof text - 1, "whatever.stl", &c) == SP_OK && c.node_count == 0);
    sp__cells_free(&c);
    CHECK(sp__cells_parse(ctx, "hello", 5, "whatever", &c) == SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(ctx)->message, "of no mesh format that is known") != NULL);
    sp__cells_free(&c);
    CHECK(sp__cells_parse(ctx, "", 0, "x.MSH", &c) == SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(ctx)->message, "not a Gmsh file") != NULL);
    sp__cells_free(&c);
    CHECK(sp__cells_read(ctx, PATH ".absent.msh", &c) == SP_IO);
    sp__cells_free(&c);
    sp_context_destroy(&ctx);
}

static void refuse(const sp_mesh *mesh, const char *path, const char *format, sp_encoding encoding, sp_status want,
                   const char *says) {
    sp_mesh_write_options o = sp_mesh_write_options_default();
    o.format = format, o.encoding = encoding;
    sp_status status = sp_mesh_write(mesh, path, &o);
    const char *message = sp_context_error(sp_mesh_context(mesh))->message;
    if (status != want || !strstr(message, says)) SP_TEST_FAILED("%s: %d, '%s'", path, (int)status, message);
}

TEST(unsupported_data_is_refused_by_writers) {
    sp_context *ctx = mesh_context();
    sp_mesh *mesh = rich_box(ctx, (const int[]){1, 1, 1}, false);
    REQUIRE(mesh);
    refuse(mesh, PATH ".xyz", NULL, SP_ENCODING_AUTO, SP_BAD_INPUT, "the name must end in one of .msh");
    refuse(mesh, PATH ".msh", "gltf", SP_ENCODING_AUTO, SP_BAD_INPUT, "format 'gltf', must be one of msh");
    refuse(mesh, PATH ".msh", NULL, SP_ENCODING_BASE64, SP_BAD_INPUT, "cannot be written with encoding base64");
    refuse(mesh, PATH ".no/such/folder.msh", NULL, SP_ENCODING_AUTO, SP_IO, "folder.msh: No such file or directory");
    refuse(mesh, "/dev/null", "msh", SP_ENCODING_AUTO, SP_IO, "not a regular file");
    refuse(mesh, SP_BINARY_DIR, "msh", SP_ENCODING_AUTO, SP_IO, "not a regular file");
    sp_mesh_write_options o = {0};
    CHECK(sp_mesh_write(mesh, PATH ".msh", &o) == SP_BAD_INPUT);
    CHECK(access(PATH ".msh", F_OK) != 0);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

// a full disk: the old file stays, and no temporary file is left
TEST(a_new_file_is_complete_or_absent) {
    sp_context *ctx = mesh_context();
    sp_new_file f, g;
    struct stat info;
    mesh_put_file(PATH, "old", 3);
    REQUIRE(sp__new_file_open(ctx, PATH, &f) == SP_OK);
    REQUIRE(sp__new_file_open(ctx, PATH, &g) == SP_OK);  // two temporary files do not collide
    CHECK(strcmp(f.draft, g.draft) != 0);
    char draft[500];
    snprintf(draft, sizeof draft, "%s", f.draft);
    fputs("half of it", f.stream);
    CHECK(sp__new_file_close(&f, false) == SP_OK);
    CHECK(stat(PATH, &info) == 0 && info.st_size == 3 && access(draft, F_OK) != 0);
    fputs("all of it", g.stream);
    CHECK(sp__new_file_close(&g, true) == SP_OK);
    CHECK(stat(PATH, &info) == 0 && info.st_size == 9);
    CHECK(sp__new_file_close(&g, true) == SP_OK);  // already closed
    // a full disk, simulated by /dev/full
    REQUIRE(sp__new_file_open(ctx, PATH, &f) == SP_OK);
    snprintf(draft, sizeof draft, "%s", f.draft);
    if (freopen("/dev/full", "wb", f.stream)) {
        fputs("no room for it", f.stream);
        CHECK(sp__new_file_close(&f, true) == SP_IO);
        CHECK(stat(PATH, &info) == 0 && info.st_size == 9 && access(draft, F_OK) != 0);
    }
    sp_context_destroy(&ctx);
    remove(PATH);
}

TEST(every_allocation_may_fail) {
    meter m = {1000000, 0};
    sp_context_def def = metered_context(&m);
    sp_context *ctx;
    REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
    sp_cells c, d;
    sp_trimesh *surface = NULL;
    sp_mesh *mesh = NULL;
    make_faces(ctx, &c, true);
    long before = m.live;
    sp_status status = SP_NO_MEMORY;
    int n = 0;
    for (; status == SP_NO_MEMORY && n < 1000; n++) {
        m.allowed = n;
        status = sp__cells_to_trimesh(&c, &surface);
        if (status == SP_OK) status = sp__cells_to_mesh(&c, false, &mesh);
        if (status == SP_OK) status = sp__cells_from_trimesh(surface, &d), sp__cells_free(&d);
        sp_trimesh_destroy(&surface), sp_mesh_destroy(&mesh);
        CHECK_INT(m.live, before);
    }
    CHECK(status == SP_OK && n > 30);
    m.allowed = 1000;
    sp__cells_free(&c);
    sp_context_destroy(&ctx);
}
