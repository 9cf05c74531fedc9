// OBJ, STL and PLY: round trips, variants written by other programs, refusals.
#include "cells_help.h"

static sp_context *context(void) {
    sp_context *ctx = NULL;
    sp_context_create(NULL, &ctx);
    return ctx;
}

// ------------------------------------------------------------------------------------------------ OBJ

TEST(obj_keeps_every_bit) {
    sp_context *ctx = context();
    sp_cells a, b;
    sample_surface(ctx, &a);
    for (int i = 0; i < SAMPLE_NODES; i++) a.colors[4 * i + 3] = 1;  // OBJ has no opacity
    a.array_count = 0;                                               // nor arrays
    REQUIRE(through_file(&a, "a.obj", SP_ENCODING_AUTO, false, &b));
    CHECK(same_mesh(&a, &b) && same_groups(&a, &b) && same_looks(&a, &b));
    // normals and texture coordinates of nodes have become those of corners, with the same values
    for (int64_t i = 0; i < b.start[b.cell_count]; i++)
        CHECK(b.corner_normals[i] == b.nodes[i] && b.corner_texcoords[i] == b.nodes[i]);
    sp__cells_free(&a);
    // again, with separate indices
    REQUIRE(through_file(&b, "b.obj", SP_ENCODING_ASCII, false, &a));
    CHECK(same_mesh(&a, &b) && same_groups(&a, &b) && same_looks(&a, &b));
    sp__cells_free(&a);
    sp__cells_free(&b);
    sp_context_destroy(&ctx);
}

TEST(obj_every_form_of_an_index) {
    sp_context *ctx = context();
    sp_cells c;
    REQUIRE(
        parse(
            ctx, "forms.obj",
            "# a comment \\\n# that goes on\nmtllib no.mtl\nv 0 0 0\nv 1 0 0 1.0\nv 0 1 0\nv 0 0 1e0\nvt 0 0\nvt .5\nvt 1 1 "
            "7\nvn 0 0 1\n"
            "f 1 2 3\nf 1/1 2/2 3/3\nf 1//1 2//1 3//1\nf -4/-3/-1 -3/-2/-1 \\\n  -2/-1/-1 # end\nf 1 2 3 4\nf 4 3 \\\r\n 2 1 1\n"
            "s off\nl 1 2 3\nl 1/1 2/2\np 1 4\ncurv2 1 2 3\nv 5 5 5",
            &c) >= 0);
    static const unsigned char types[] = {SP_CELL_TRIANGLE, SP_CELL_TRIANGLE, SP_CELL_TRIANGLE, SP_CELL_TRIANGLE,
                                          SP_CELL_QUAD,     SP_CELL_POLYGON,  SP_CELL_LINE,     SP_CELL_LINE,
                                          SP_CELL_LINE,     SP_CELL_POINT,    SP_CELL_POINT};
    REQUIRE(c.cell_count == 11 && c.node_count == 5);
    CHECK(memcmp(c.type, types, sizeof types) == 0);
    CHECK(c.texcoord_count == 3 && c.normal_count == 1 && !c.colors && c.texcoords[3] == 0);
    static const int vt[] = {-1, -1, -1, 0, 1, 2, -1, -1, -1, 0, 1, 2}, vn[] = {-1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0};
    CHECK(memcmp(c.corner_texcoords, vt, sizeof vt) == 0);
    CHECK(memcmp(c.corner_normals, vn, sizeof vn) == 0);
    CHECK(c.nodes[9] == 0 && c.nodes[10] == 1 && c.nodes[11] == 2);
    CHECK(c.nodes[c.start[7]] == 1 && c.nodes[c.start[7] + 1] == 2);
    sp__cells_free(&c);
    sp_context_destroy(&ctx);
}

TEST(obj_groups_objects_and_materials) {
    sp_context *ctx = context();
    sp_cells c;
    REQUIRE(parse(ctx, "groups.obj",
                  "v 0 0 0 255 0 0\nv 1 0 0 0 255 0\nv 0 1 0\no the heart\nf 1 2 3\ng left upper\nusemtl red\nf 1 2 3\ng\nf 1 2 "
                  "3\ng left\nusemtl\nf 1 2 3\ng never\n",
                  &c) >= 0);
    CHECK_INT(c.group_count, 4);
    const sp_cells_group *heart = group_named(&c, "the heart", 2), *left = group_named(&c, "left", 2),
                         *red = group_named(&c, "red", 2);
    REQUIRE(heart && left && red && group_named(&c, "upper", 2));
    CHECK(heart->cell_count == 4);
    CHECK(left->cell_count == 2 && left->cells[0] == 1 && left->cells[1] == 3);
    CHECK(red->cell_count == 2 && red->cells[0] == 1 && red->cells[1] == 2);
    // colours of 0..255; the vertex without one is white
    REQUIRE(c.colors);
    CHECK(c.colors[0] == 1 && c.colors[1] == 0 && c.colors[8] == 1 && c.colors[10] == 1);
    sp__cells_free(&c);
    sp_context_destroy(&ctx);
}

TEST(obj_refusals) {
    sp_context *ctx = context();
    REFUSED(ctx, "a.obj", "v 0 0\n", ":1: a vertex of 2 numbers");
    REFUSED(ctx, "a.obj", "v 0 0 0\nv 0 nan 0\n", ":2: a vertex: a finite number is needed, seen nan");
    REFUSED(ctx, "a.obj", "v 0 0 0\nf 1 1\n", ":2: a face of 2 corners");
    REFUSED(ctx, "a.obj", "v 0 0 0\nf 1 1 2\n", ":2: vertex 2 of a corner, must be in [1, 1] or [-1, -1]");
    REFUSED(ctx, "a.obj", "v 0 0 0\nf 1 1 0\n", "vertex 0 of a corner");
    REFUSED(ctx, "a.obj", "v 0 0 0\nf 1 -2 1\n", "vertex -2 of a corner");
    REFUSED(ctx, "a.obj", "v 0 0 0\nf 1/1 1 1\n", "texture coordinate 1 of a corner");
    REFUSED(ctx, "a.obj", "v 0 0 0\nf 1//1 1 1\n", "normal 1 of a corner");
    REFUSED(ctx, "a.obj", "v 0 0 0\nvt 0 0\nf 1/1/1/1 1 1\n", "normal 1 of a corner");
    REFUSED(ctx, "a.obj", "v 0 0 0\nf 1 \\ 1 1\n", "an integer is needed, seen \\");
    REFUSED(ctx, "a.obj", "v 0 0 0\nf 1 99999999999999999999 1\n", "an integer is needed");
    REFUSED(ctx, "a.obj", "v 0 0 0 -1 0 0\n", "a colour of -1");
    sp_context_destroy(&ctx);
}

// a backslash at the end of a name must not make two passes see different lines
TEST(obj_names_with_a_line_continuation) {
    sp_context *ctx = context();
    sp_cells c;
    REQUIRE(parse(ctx, "b.obj", "v 0 0 0\ng a\\\nf 1 1 1\no b\\\nf 1 1 1\nf 1 1 1", &c) >= 0);
    CHECK_INT(c.cell_count, 1);
    sp__cells_free(&c);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ STL

static void put_float(unsigned char *to, float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    for (int k = 0; k < 4; k++) to[k] = (unsigned char)(bits >> (8 * k));
}

// two triangles of a square, header as some programs write it
static size_t square(unsigned char *out, const char *header) {
    static const float corners[18] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, -0.0f, 0, 1, 1, 0, 0, 1, 0};
    memset(out, 0, 184);
    memcpy(out, header, strlen(header));
    out[80] = 2;
    for (int t = 0; t < 2; t++)
        for (int k = 0; k < 9; k++) put_float(out + 84 + 50 * t + 12 + 4 * k, corners[9 * t + k]);
    return 184;
}

TEST(stl_binary_that_begins_with_solid) {
    sp_context *ctx = context();
    sp_cells c;
    unsigned char bytes[185];
    size_t size = square(bytes, "solid of a binary file");
    bytes[84 + 48] = 0x34, bytes[84 + 49] = 0x12;
    bytes[size] = 0;
    REQUIRE(sp__cells_parse(ctx, (char *)bytes, size, "s.stl", &c) >= 0);
    CHECK(c.node_count == 4 && c.cell_count == 2);  // welded, -0 with 0
    CHECK(c.nodes[0] == c.nodes[3] && c.nodes[2] == c.nodes[4]);
    REQUIRE(c.array_count == 1);
    CHECK(c.arrays[0].values[0] == 0x1234 && c.arrays[0].values[1] == 0 && c.arrays[0].on_cells);
    sp_cells back;
    REQUIRE(through_file(&c, "b.stl", SP_ENCODING_BINARY, false, &back));
    CHECK(same_mesh(&c, &back) && same_arrays(&c, &back));
    sp__cells_free(&back);
    sp__cells_free(&c);
    sp_context_destroy(&ctx);
}

TEST(stl_text_of_several_solids) {
    sp_context *ctx = context();
    sp_cells c, back;
#define FACET(a, b, d) "facet normal 0 0 nan\n outer loop\n  vertex " a "\n  vertex " b "\n  vertex " d "\n endloop\nendfacet\n"
    REQUIRE(parse(ctx, "t.stl",
                  "solid the lid\n" FACET("0 0 0", "1 0 0", "0 1 0") "endsolid the lid\n\nSOLID\n" FACET(
                      "1 0 0", "0.1 1 0", "0 1 0") "endsolid\nsolid box\r\n" FACET("0 0 0", "0 1 0", "0 0 1")
                      FACET("0 0 0", "0 0 1", "1 0 0") "endsolid",
                  &c) >= 0);
    CHECK(c.cell_count == 4 && c.node_count == 5 && c.group_count == 2);
    const sp_cells_group *box = group_named(&c, "box", 2);
    REQUIRE(box && box->cell_count == 2);
    CHECK(box->cells[0] == 2);
    CHECK(group_named(&c, "the lid", 2));
    // doubles are preserved as text; facets without a group come first
    REQUIRE(through_file(&c, "t2.stl", SP_ENCODING_ASCII, false, &back));
    CHECK(back.cell_count == 4 && back.group_count == 2 && group_named(&back, "box", 2)->cell_count == 2 && back.x[3] == 0.1);
    sp__cells_free(&back);
    sp__cells_free(&c);
    sp_context_destroy(&ctx);
}

TEST(stl_polygons_are_cut_and_volumes_refused) {
    sp_context *ctx = context();
    sp_cells a, b;
    sp_mesh_write_options options = sp_mesh_write_options_default();
    sample_surface(ctx, &a);
    a.x[5] = 0;  // not representable as a float
    REQUIRE(through_file(&a, "c.stl", SP_ENCODING_ASCII, false, &b));
    CHECK_INT(b.cell_count, 2 + 2 + 3);
    sp__cells_free(&b);
    a.cell_count = 1;
    a.type[0] = SP_CELL_TET;
    CHECK(sp__cells_write(&a, "never.stl", &options) == SP_BAD_INPUT);
    CHECK(sp__cells_write(&a, "never.obj", &options) == SP_BAD_INPUT);
    CHECK(access("never.stl", F_OK) != 0 && access("never.obj", F_OK) != 0);
    sp__cells_free(&a);
    sp_context_destroy(&ctx);
}

TEST(stl_refusals) {
    sp_context *ctx = context();
    unsigned char bytes[185];
    size_t size = square(bytes, "binary");
    CHECK(refused(ctx, "a.stl", bytes, size - 1,
                  "at byte 80: 2 facets announced, which are 184 bytes in all, but the file has 183"));
    CHECK(refused(ctx, "a.stl", bytes, 50, "at byte 50: the file ends here"));
    bytes[83] = 0x7f;
    CHECK(refused(ctx, "a.stl", bytes, size, "facets announced"));
    square(bytes, "binary");
    put_float(bytes + 84 + 50 + 16, INFINITY);
    CHECK(refused(ctx, "a.stl", bytes, size, "at byte 150: a coordinate of facet 1 is inf"));
    REFUSED(ctx, "a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 x\n",
            ":5: coordinate: a finite number is needed, seen x");
    REFUSED(ctx, "a.stl", "solid a\n" FACET("0 0 0", "1 0 0", "0 1 0"), "the solid that begins in line 1 is never closed");
    REFUSED(ctx, "a.stl", "solid a\nfacet\n", "'normal' is needed here");
    REFUSED(ctx, "a.stl", "solid a\nendsolid\nrubbish", ":3: 'solid' is needed here, seen rubbish");
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ PLY

static void check_ply(sp_encoding encoding) {
    sp_context *ctx = context();
    sp_cells a, b;
    sample_surface(ctx, &a);
    REQUIRE(through_file(&a, "a.ply", encoding, false, &b));
    CHECK(same_mesh(&a, &b) && same_arrays(&a, &b) && same_groups(&a, &b) && same_looks(&a, &b));
    sp__cells_free(&b);
    // colours that are not bytes, texture coordinates of corners
    a.colors[1] = 0.1;
    a.corner_texcoords = sp__keep_alloc(&a.keep, 64, sizeof(int));
    for (int64_t i = 0; i < a.start[a.cell_count]; i++) a.corner_texcoords[i] = i < 3 ? -1 : (int)(i * 5 % SAMPLE_NODES);
    REQUIRE(through_file(&a, "b.ply", encoding, false, &b));
    CHECK(same_mesh(&a, &b) && same_bits(a.colors, b.colors, 4 * SAMPLE_NODES) && b.corner_texcoords);
    for (int64_t i = 0; i < a.start[a.cell_count] && b.corner_texcoords; i++) {
        int from = a.corner_texcoords[i], to = b.corner_texcoords[i];
        CHECK((from < 0) == (to < 0));
        CHECK(from < 0 || to < 0 || same_bits(a.texcoords + 2 * from, b.texcoords + 2 * to, 2));
    }
    sp__cells_free(&a);
    sp__cells_free(&b);
    sp_context_destroy(&ctx);
}

TEST(ply_text_keeps_every_bit) {
    check_ply(SP_ENCODING_ASCII);
}
TEST(ply_binary_keeps_every_bit) {
    check_ply(SP_ENCODING_BINARY);
}

TEST(ply_tetrahedra_and_lines) {
    sp_context *ctx = context();
    sp_cells a, b;
    for (int text = 0; text < 2; text++) {
        unsigned long long seed = 5;
        sample_begin(ctx, &a, &seed);
        CELL(&a, SP_CELL_TRIANGLE, 0, 1, 2);
        CELL(&a, SP_CELL_TET, 0, 1, 2, 3);
        CELL(&a, SP_CELL_TET, 3, 4, 5, 6);
        CELL(&a, SP_CELL_LINE, 7, 8);
        sample_arrays(&a, &seed);
        a.arrays[3].components = 1;  // lists of two elements would be two arrays
        add_group(&a, "x", 2, 0, (int[]){0}, 1, NULL, 0);
        add_group(&a, "x", 3, 12, (int[]){2}, 1, (int[]){9}, 1);
        REQUIRE(through_file(&a, "t.ply", text ? SP_ENCODING_ASCII : SP_ENCODING_BINARY, false, &b));
        CHECK(same_mesh(&a, &b) && same_arrays(&a, &b));
        CHECK(group_named(&b, "x", 2) && group_named(&b, "x", 3) && group_named(&b, "x", 3)->number == 12 &&
              group_named(&b, "x", 3)->cells[0] == 2);
        sp__cells_free(&a);
        sp__cells_free(&b);
    }
    sp_context_destroy(&ctx);
}

TEST(ply_big_endian_with_unknown_properties) {
    sp_context *ctx = context();
    sp_cells c;
    static const char head[] = "ply\r\nformat binary_big_endian 1.0\r\ncomment any\r\nelement camera 1\r\nproperty list uchar "
                               "short view\r\nproperty int id\r\n"
                               "element vertex 3\r\nproperty float x\r\nproperty float y\r\nproperty float z\r\nproperty uchar "
                               "red\r\nproperty uchar green\r\nproperty uchar blue\r\n"
                               "property short quality\r\nelement face 1\r\nproperty uchar flag\r\nproperty list uint8 uint "
                               "vertex_index\r\nend_header\r\n";
    unsigned char bytes[1000];
    size_t n = strlen(head);
    memcpy(bytes, head, n);
    static const unsigned char body[] = {
        2,    0,    1, 0, 2,    0, 0, 0, 9,                                         // camera
        0x3f, 0x80, 0, 0, 0,    0, 0, 0, 0,    0,    0, 0, 255, 0, 51, 0xff, 0xfe,  // 1 0 0, red and blue, -2
        0,    0,    0, 0, 0xc0, 0, 0, 0, 0,    0,    0, 0, 0,   0, 0,  0,    1,     // 0 -2 0
        0,    0,    0, 0, 0,    0, 0, 0, 0x40, 0x40, 0, 0, 0,   0, 0,  1,    0,     // 0 0 3
        7,    3,    0, 0, 0,    0, 0, 0, 0,    1,    0, 0, 0,   2};
    memcpy(bytes + n, body, sizeof body);
    n += sizeof body;
    bytes[n] = 0;
    REQUIRE(sp__cells_parse(ctx, (char *)bytes, n, "big.ply", &c) >= 0);
    CHECK(c.node_count == 3 && c.cell_count == 1 && c.x[0] == 1 && c.x[4] == -2 && c.x[8] == 3);
    CHECK(c.colors && c.colors[0] == 1 && c.colors[2] == 51 / 255.0 && c.colors[3] == 1);
    REQUIRE(array_named(&c, "quality") && array_named(&c, "flag"));
    CHECK(array_named(&c, "quality")->values[0] == -2 && array_named(&c, "quality")->values[2] == 256 &&
          array_named(&c, "flag")->values[0] == 7);
    CHECK(c.nodes[0] == 0 && c.nodes[1] == 1 && c.nodes[2] == 2);
    sp__cells_free(&c);
    // the same bytes declared in the other byte order: coordinates far out of range, and lists longer than the file
    char *little = strstr((char *)bytes, "big_endian");
    memmove(little + 3, little, n - (size_t)((unsigned char *)little - bytes));
    memcpy(little, "little_endian", 13);
    CHECK(refused(ctx, "wrong.ply", bytes, n + 3, "must be in [0, 3)"));
    sp_context_destroy(&ctx);
}

TEST(ply_refusals) {
    sp_context *ctx = context();
#define PLY "ply\nformat ascii 1.0\n"
#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define FACES(n) "element face " n "\nproperty list uchar int vertex_indices\n"
    REFUSED(ctx, "a.ply", "ply\nformat morse 1.0\n", ":2: format 'morse'");
    REFUSED(ctx, "a.ply", PLY "property float x\n", ":3: a property before any element");
    REFUSED(ctx, "a.ply", PLY "element vertex 3\nproperty quark x\n", "type 'quark'");
    REFUSED(ctx, "a.ply", PLY "element vertex 1\n" XYZ,
            "'element', 'property' or 'end_header' is needed here, seen the end of the file");
    REFUSED(ctx, "a.ply", PLY "element vertex 1\nproperty float x\nend_header\n0\n", "needs the properties x, y and z");
    REFUSED(ctx, "a.ply", PLY FACES("0") "end_header\n", "0 elements 'vertex'");
    REFUSED(ctx, "a.ply", PLY "element vertex 1099511627776\n" XYZ "end_header\n0 0 0\n",
            "1099511627776 of element 'vertex' are announced");
    REFUSED(ctx, "a.ply", PLY "element vertex 5\n" XYZ "end_header\n0 0 0\n1 1 1\n",
            "5 of element 'vertex' are announced, but the rest of the file has");
    REFUSED(ctx, "a.ply", PLY "element vertex 2\n" XYZ "end_header\n0 0 0.5\n1 1.25\n",
            "z: a finite number is needed, seen the end of the file");
    REFUSED(ctx, "a.ply", PLY "element vertex 1\n" XYZ "end_header\n0 inf 0\n", ":8: y: a finite number is needed, seen inf");
    REFUSED(ctx, "a.ply", PLY "element vertex 1\n" XYZ "end_header\n0 0 0\n1 1 1\n", "are left after the last element");
    REFUSED(ctx, "a.ply", PLY "element vertex 1\n" XYZ FACES("1") "end_header\n0 0 0\n3 0 0 1\n",
            ":11: vertex 1 of a cell, must be in [0, 1)");
    REFUSED(ctx, "a.ply", PLY "element vertex 1\n" XYZ FACES("1") "end_header\n0 0 0\n3 0 0 -1\n", "vertex -1 of a cell");
    REFUSED(ctx, "a.ply", PLY "element vertex 1\n" XYZ FACES("1") "end_header\n0 0 0\n200 0 0\n", "200 numbers are announced");
    REFUSED(ctx, "a.ply", PLY "element vertex 1\n" XYZ FACES("1") "end_header\n0 0 0\n-3 0 0\n", "-3 numbers are announced");
    REFUSED(ctx, "a.ply", PLY "element vertex 1\n" XYZ "element face 1\nproperty int a\nend_header\n0 0 0\n1\n",
            "needs a list of integers vertex_indices");
    sp_context_destroy(&ctx);
}

// few faces with thousands of properties must not allocate thousands of arrays over many lines
TEST(ply_properties_are_bounded_by_the_file) {
    sp_context *ctx = context();
    size_t n = 0, capacity = 4 << 20;
    char *text = malloc(capacity);
    n += (size_t)snprintf(text + n, capacity - n,
                          "ply\nformat ascii 1.0\nelement vertex 1\n" XYZ
                          "element edge 100000\nproperty int vertex1\nproperty int vertex2\nelement face 0\nproperty list uchar "
                          "int vertex_indices\n");
    for (int i = 0; i < 4000; i++) n += (size_t)snprintf(text + n, capacity - n, "property char p%d\n", i);
    n += (size_t)snprintf(text + n, capacity - n, "end_header\n0 0 0\n");
    for (int i = 0; i < 100000; i++) n += (size_t)snprintf(text + n, capacity - n, "0 0\n");
    CHECK(refused(ctx, "many.ply", text, n, "more properties of few cells than the file has room for"));
    free(text);
    sp_context_destroy(&ctx);
}
