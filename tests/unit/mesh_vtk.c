// VTK's files, legacy and XML: every encoding keeps every bit; files of other programs; groups; refusals.
#include <limits.h>

#include "cells_help.h"
#include "io/mesh/mesh_vtk.h"
#include "meter.h"
#include "util/base64.h"

static sp_context *context(void) {
    sp_context *ctx = NULL;
    sp_context_create(NULL, &ctx);
    return ctx;
}

// ------------------------------------------------------------------------------------------------ round trips

static void check_round(const char *name, sp_encoding encoding, bool compress) {
    sp_context *ctx = context();
    sp_cells a, b;
    sample_volume(ctx, &a);
    CHECK(through_file(&a, name, encoding, compress, &b));
    CHECK(same_mesh(&a, &b));
    CHECK(same_arrays(&a, &b));
    CHECK(same_groups(&a, &b));
    CHECK(same_ids(a.node_ids, b.node_ids, a.node_count));
    CHECK(same_ids(a.cell_ids, b.cell_ids, a.cell_count));
    sp__cells_free(&a);
    sp__cells_free(&b);
    sample_surface(ctx, &a);
    CHECK(through_file(&a, name, encoding, compress, &b));
    CHECK(same_mesh(&a, &b) && same_arrays(&a, &b) && same_groups(&a, &b) && same_looks(&a, &b));
    sp__cells_free(&a);
    sp__cells_free(&b);
    sp_context_destroy(&ctx);
}

TEST(legacy_text_keeps_every_bit) {
    check_round("a.vtk", SP_ENCODING_ASCII, false);
}
TEST(legacy_binary_keeps_every_bit) {
    check_round("b.vtk", SP_ENCODING_BINARY, false);
}
TEST(xml_text_keeps_every_bit) {
    check_round("a.vtu", SP_ENCODING_ASCII, false);
}
TEST(xml_base64_keeps_every_bit) {
    check_round("b.vtu", SP_ENCODING_BASE64, false);
}
TEST(xml_appended_keeps_every_bit) {
    check_round("c.vtu", SP_ENCODING_APPENDED, false);
}

// without zlib: reported, and nothing written
TEST(xml_compressed_keeps_every_bit) {
    if (sp__vtu_has_zlib()) {
        check_round("d.vtu", SP_ENCODING_APPENDED, true);
        check_round("e.vtu", SP_ENCODING_BASE64, true);
        return;
    }
    sp_context *ctx = context();
    sp_cells a;
    sp_mesh_write_options options = sp_mesh_write_options_default();
    options.compress = true;
    sample_volume(ctx, &a);
    CHECK(sp__cells_write(&a, "never.vtu", &options) == SP_UNAVAILABLE);
    CHECK(access("never.vtu", F_OK) != 0);
    sp__cells_free(&a);
    sp_context_destroy(&ctx);
}

// more numbers than one block of the writer, of every length modulo 3
TEST(long_arrays_of_every_length) {
    sp_context *ctx = context();
    for (int n = 12287; n < 12291; n++)
        for (int mode = 0; mode < 2 + sp__vtu_has_zlib(); mode++) {
            sp_cells a, b;
            unsigned long long seed = 3;
            sp__cells_init(ctx, "long", &a);
            CHECK(sp__cells_reserve_nodes(&a, n) && sp__cells_reserve(&a, 0, 0));
            for (int i = 0; i < 3 * n; i++) a.x[i] = sp_test_random(&seed);
            a.arrays = sp__keep_alloc(&a.keep, 1, sizeof *a.arrays);
            add_array(&a, "bytes", 1, false, true, random_values(&a, &seed, (size_t)n));
            for (int i = 0; i < n; i++) a.arrays[0].values[i] = i % 251;
            CHECK(through_file(&a, "long.vtu", mode == 0 ? SP_ENCODING_APPENDED : SP_ENCODING_BASE64, mode == 2, &b));
            CHECK(same_mesh(&a, &b) && same_arrays(&a, &b));
            sp__cells_free(&a);
            sp__cells_free(&b);
        }
    sp_context_destroy(&ctx);
}

TEST(non_finite_numbers_are_kept_in_arrays) {
    sp_context *ctx = context();
    static const sp_encoding encodings[] = {SP_ENCODING_ASCII, SP_ENCODING_AUTO};
    for (int e = 0; e < 2; e++)
        for (int f = 0; f < 2; f++) {
            sp_cells a, b;
            sample_volume(ctx, &a);
            a.arrays[0].values[0] = (double)NAN, a.arrays[0].values[1] = HUGE_VAL, a.arrays[0].values[2] = -HUGE_VAL,
            a.arrays[0].values[3] = -0.0;
            REQUIRE(through_file(&a, f ? "nan.vtu" : "nan.vtk", encodings[e], false, &b));
            const sp_cells_array *t = array_named(&b, "temperature");
            CHECK(t && isnan(t->values[0]) && t->values[1] == HUGE_VAL && t->values[2] == -HUGE_VAL && signbit(t->values[3]));
            sp__cells_free(&a);
            sp__cells_free(&b);
        }
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ files of other programs

static const char head42[] = "# vtk DataFile Version 2.0\nby hand\nASCII\n";

TEST(legacy_polygons_strips_and_lines) {
    sp_context *ctx = context();
    sp_cells c;
    char text[2000];
    snprintf(text, sizeof text,
             "%sDATASET POLYDATA\nPOINTS 5 float\n0 0 0 1 0 0 0 1 0\n1 1 0 0 2 0\nTRIANGLE_STRIPS 1 6\n5 0 1 2 3 4\nLINES 1 4\n3 "
             "0 1 2\n"
             "POLYGONS 1 4\n3 0 1 2\nVERTICES 1 3\n2 3 4\nCELL_DATA 4\nSCALARS where int 1\nLOOKUP_TABLE default\n10 20 30 40\n"
             "POINT_DATA 5\nTEXTURE_COORDINATES uv 2 float\n0 0 1 0 0 1 1 1 0 .5\nNORMALS n%%20n float\n0 0 1 0 0 1 0 0 1 0 0 1 "
             "0 0 1\n"
             "LOOKUP_TABLE mine 2\n0 0 0 1 1 1 1 1\nCOLOR_SCALARS c 3\n0 0 0 1 1 1 0 0 0 1 1 1 .5 .5 .5\n",
             head42);
    REQUIRE(parse(ctx, "poly.vtk", text, &c) >= 0);
    // two points, two lines, a triangle, a strip of three; values of a cell go to all its parts, in VTK's order of kinds
    static const unsigned char types[] = {SP_CELL_POINT,    SP_CELL_POINT,    SP_CELL_LINE,     SP_CELL_LINE,
                                          SP_CELL_TRIANGLE, SP_CELL_TRIANGLE, SP_CELL_TRIANGLE, SP_CELL_TRIANGLE};
    static const double where[] = {10, 10, 20, 20, 30, 40, 40, 40};
    REQUIRE(c.cell_count == 8);
    CHECK(memcmp(c.type, types, 8) == 0);
    REQUIRE(c.array_count == 1 && c.arrays[0].integral);
    CHECK(same_bits(c.arrays[0].values, where, 8));
    static const int second[] = {2, 1, 3};  // of the strip: reversed, so that all have the same orientation
    CHECK(memcmp(c.nodes + c.start[6], second, sizeof second) == 0);
    CHECK_INT(c.texcoord_count, 5);
    CHECK_NEAR(c.texcoords[9], 0.5, 0);
    CHECK_INT(c.normal_count, 5);
    CHECK(c.colors && c.colors[16] == 0.5 && c.colors[19] == 1);
    sp__cells_free(&c);
    sp_context_destroy(&ctx);
}

TEST(legacy_offsets_fields_metadata_and_windows_lines) {
    sp_context *ctx = context();
    sp_cells c;
    static const char unix_text[] =
        "# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nFIELD FieldData 2\nTIME 1 1 double\n0.5\nname 1 1 "
        "string\nany%20text\n"
        "POINTS 5 double\n0 0 0 1 0 0 0 1 0 0 0 1 1 1 1\nMETADATA\nINFORMATION 1\nNAME x LOCATION y\nDATA 2 0 1\n\n"
        "CELLS 3 8\nOFFSETS vtktypeint64\n0 4 8\nCONNECTIVITY vtktypeint64\n0 1 2 3 1 2 3 4\nCELL_TYPES 2\n10\n10\n\n"
        "CELL_DATA 2\nFIELD FieldData 2\nmedit:ref 1 2 int\n3 4\nMETADATA\nCOMPONENT_NAMES\nx\n\nflag 1 2 bit\n0 1\nPOINT_DATA "
        "5\nVECTORS v double\n"
        "1 2 3 4 5 6 7 8 9 10 11 12 13 14 nan\n";
    char text[2 * sizeof unix_text];
    for (int windows = 0; windows < 2; windows++) {
        char *to = text;
        for (const char *p = unix_text; *p; p++) {
            if (*p == '\n' && windows) *to++ = '\r';
            *to++ = *p;
        }
        *to = 0;
        REQUIRE(parse(ctx, "new.vtk", text, &c) >= 0);
        CHECK(c.node_count == 5 && c.cell_count == 2 && c.type[1] == SP_CELL_TET && c.nodes[7] == 4);
        CHECK(group_named(&c, "3", 3) && group_named(&c, "4", 3) && group_named(&c, "4", 3)->cells[0] == 1);
        CHECK(c.array_count == 2 && array_named(&c, "flag")->values[1] == 1 && array_named(&c, "v")->values[13] == 14);
        sp__cells_free(&c);
    }
    sp_context_destroy(&ctx);
}

TEST(pixels_and_voxels_are_put_in_order) {
    sp_context *ctx = context();
    sp_cells c;
    char text[600];
    snprintf(text, sizeof text,
             "%sDATASET UNSTRUCTURED_GRID\nPOINTS 8 int\n0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1\nCELLS 2 14\n4 0 1 2 "
             "3\n8 0 1 2 3 4 5 6 7\nCELL_TYPES 2 8 11",
             head42);
    REQUIRE(parse(ctx, "voxel.vtk", text, &c) >= 0);
    static const int nodes[] = {0, 1, 3, 2, 0, 1, 3, 2, 4, 5, 7, 6};
    CHECK(c.type[0] == SP_CELL_QUAD && c.type[1] == SP_CELL_HEX && memcmp(c.nodes, nodes, sizeof nodes) == 0);
    sp__cells_free(&c);
    sp_context_destroy(&ctx);
}

#define VTU(head, body)                                                                                \
    "<?xml version=\"1.0\"?>\n<!-- a -- comment > -->\n<VTKFile type=\"UnstructuredGrid\" " head ">\n" \
    "<UnstructuredGrid>\n" body
#define ARRAY(type, name, attributes, data) \
    "<DataArray type=\"" type "\" Name=\"" name "\" " attributes ">\n" data "\n</DataArray>\n"
// clang-format off
#define PIECE(x)                                                                                                \
    "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">\n"                                                        \
    "<PointData>" ARRAY("Float32", "a &amp; b", "", "1 2 3 " x) "</PointData>"                                  \
    "<CellData>" ARRAY("Int32", "gmsh:physical", "format=\"ascii\"", x) "</CellData>\n"                         \
    "<Points>" ARRAY("Float64", "P", "NumberOfComponents=\"3\"", "0 0 0 1 0 0 0 1 0 0 0 " x) "</Points>\n"      \
    "<Cells>" ARRAY("Int64", "connectivity", "format=\"ascii\"", "0 1 2 3")                                     \
    ARRAY("Int16", "offsets", "format=\"ascii\"", "4") ARRAY("UInt8", "types", "format='ascii'", "10") "</Cells></Piece>\n"
// clang-format on
#define END "</UnstructuredGrid></VTKFile>\n"

TEST(xml_pieces_are_joined) {
    sp_context *ctx = context();
    sp_cells c;
    REQUIRE(parse(ctx, "p.vtu", VTU("byte_order=\"LittleEndian\"", PIECE("5") PIECE("6") END), &c) >= 0);
    CHECK(c.node_count == 8 && c.cell_count == 2 && c.nodes[4] == 4 && c.nodes[7] == 7 && c.x[11] == 5 && c.x[23] == 6);
    CHECK(array_named(&c, "a & b") && array_named(&c, "a & b")->values[7] == 6);
    CHECK(group_named(&c, "5", 3) && group_named(&c, "6", 3));
    sp__cells_free(&c);
    sp_context_destroy(&ctx);
}

// the numbers 0 0 0 1 0 0 0 1 0 0 0 1 as floats, big-endian, behind a 32-bit length
TEST(xml_big_endian_base64) {
    sp_context *ctx = context();
    sp_cells c;
    unsigned char bytes[52] = {0, 0, 0, 48};
    char text[80], file[2000];
    for (int i = 0; i < 3; i++) bytes[4 + 4 * (3 + 4 * i) + 0] = 0x3f, bytes[4 + 4 * (3 + 4 * i) + 1] = 0x80;
    sp__base64_encode(bytes, sizeof bytes, text);
    text[sp__base64_length(sizeof bytes)] = 0;
    snprintf(file, sizeof file,
             VTU("byte_order=\"BigEndian\"",
                 "<Piece NumberOfPoints=\"4\" NumberOfCells=\"0\"><Points>%s%s</Points><Cells></Cells></Piece>" END),
             "<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"binary\">", text);
    char *closing = strstr(file, "</Points>");
    memmove(closing + 12, closing, strlen(closing) + 1);
    memcpy(closing, "</DataArray>", 12);
    REQUIRE(parse(ctx, "big.vtu", file, &c) >= 0);
    CHECK(c.node_count == 4 && c.x[3] == 1 && c.x[7] == 1 && c.x[11] == 1 && c.x[0] == 0);
    sp__cells_free(&c);
    sp_context_destroy(&ctx);
}

TEST(xml_polygonal_data_are_read) {
    sp_context *ctx = context();
    sp_cells c;
    REQUIRE(parse(ctx, "s.vtp",
                  "<VTKFile type=\"PolyData\"><PolyData><FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" "
                  "NumberOfTuples=\"1\">1</DataArray></FieldData>"
                  "<Piece NumberOfPoints=\"4\" NumberOfLines=\"1\" NumberOfPolys=\"2\" NumberOfVerts=\"0\"><PointData "
                  "Normals=\"N\" TCoords=\"T\">"
                  "<DataArray type=\"Float32\" Name=\"N\" NumberOfComponents=\"3\">0 0 1 0 0 1 0 0 1 0 0 1</DataArray>"
                  "<DataArray type=\"Float32\" Name=\"T\" NumberOfComponents=\"2\">0 0 1 0 1 1 0 1</DataArray>"
                  "<Array type=\"String\" Name=\"who\" format=\"ascii\">65 0</Array></PointData>"
                  "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\">0 0 0 1 0 0 1 1 0 0 1 0</DataArray></Points>"
                  "<Verts></Verts><Lines><DataArray type=\"Int32\" Name=\"connectivity\">0 1</DataArray><DataArray "
                  "type=\"Int32\" Name=\"offsets\">2</DataArray></Lines>"
                  "<Polys><DataArray type=\"Int32\" Name=\"connectivity\">0 1 2 0 1 2 3</DataArray><DataArray type=\"Int32\" "
                  "Name=\"offsets\">3 7</DataArray></Polys>"
                  "</Piece></PolyData></VTKFile>",
                  &c) >= 0);
    CHECK(c.cell_count == 3 && c.type[0] == SP_CELL_LINE && c.type[1] == SP_CELL_TRIANGLE && c.type[2] == SP_CELL_QUAD);
    CHECK(c.normal_count == 4 && c.texcoord_count == 4 && c.array_count == 0);
    sp__cells_free(&c);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ refusals

TEST(legacy_refusals_name_the_line) {
    sp_context *ctx = context();
#define GRID "# vtk DataFile Version 4.2\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
    REFUSED(ctx, "a.vtk", "# vtk DataFile Version 4.2\nt\nASCII\nDATASET STRUCTURED_POINTS\n",
            ":4: DATASET STRUCTURED_POINTS, only");
    REFUSED(ctx, "a.vtk", "# vtk DataFile Version 4.2\nt\nMORSE\n", ":3: ASCII or BINARY");
    REFUSED(ctx, "a.vtk", GRID "POINTS 1099511627776 float\n0 0 0\n", ":5: count of points = 1099511627776");
    REFUSED(ctx, "a.vtk", GRID "POINTS 100000000 float\n0 0 0\n", ":5: points: 300000000 numbers are announced");
    REFUSED(ctx, "a.vtk", GRID "POINTS 2 float\n0 0 0\n0 nan 0\n", ":7: coordinate: a finite number is needed, seen nan");
    REFUSED(ctx, "a.vtk", GRID "POINTS 1 float\n0 0 0\nCELLS 1 2\n1 1\nCELL_TYPES 1\n1\n",
            "point 1 of a cell, must be in [0, 1)");
    REFUSED(ctx, "a.vtk", GRID "POINTS 1 float\n0 0 0\nCELLS 1 3\n1 0\n", "integer is needed, seen the end of the file");
    REFUSED(ctx, "a.vtk", GRID "POINTS 1 float\n0 0 0\nCELLS 1 2\n9 0\nCELL_TYPES 1\n1\n", "announces 9 nodes");
    REFUSED(ctx, "a.vtk", GRID "POINTS 1 float\n0 0 0\nCELLS 1 2\n1 0\nCELL_TYPES 2\n1 1\n", "2 CELL_TYPES for 1 CELLS");
    REFUSED(ctx, "a.vtk", GRID "POINTS 1 float\n0 0 0\nCELLS 1 2\n1 0\nCELL_TYPES 1\n10\n",
            ":7: cell 0 of type 10 has 1 nodes, must have 4");
    REFUSED(ctx, "a.vtk", GRID "POINTS 1 float\n0 0 0\nPOINT_DATA 2\n", "POINT_DATA 2, but there are 1");
    REFUSED(ctx, "a.vtk", GRID "POINTS 1 float\n0 0 0\nPOINT_DATA 1\nSCALARS s quaternion\n",
            "'quaternion', which is none of VTK's");
    REFUSED(ctx, "a.vtk", GRID "POINTS 1 float\n0 0 0\nCELLS 2 1\nOFFSETS vtktypeint64\n0 5\nCONNECTIVITY int\n0\nCELL_TYPES 1 1",
            "offset 1 is 5");
    REFUSED(ctx, "a.vtk", GRID "HELLO\n", ":5: a section (POINTS");
    REFUSED(ctx, "a.vtk", GRID, "no POINTS");
    sp_context_destroy(&ctx);
}

TEST(xml_refusals_name_the_line) {
    sp_context *ctx = context();
#define ONE(points, cells, data) \
    VTU("", "<Piece NumberOfPoints=\"" points "\" NumberOfCells=\"" cells "\">\n" data "</Piece>" END)
#define XYZ(data) "<Points>" ARRAY("Float32", "P", "NumberOfComponents=\"3\"", data) "</Points>\n"
    REFUSED(ctx, "a.vtu", "<VTKFile type=\"ImageData\">", "type 'ImageData', only");
    REFUSED(ctx, "a.vtu", "<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkLZ4DataCompressor\">",
            "compressed by vtkLZ4DataCompressor");
    REFUSED(ctx, "a.vtu", "<VTKFile type=\"UnstructuredGrid\" byte_order=\"Middle\">", "byte_order 'Middle'");
    REFUSED(ctx, "a.vtu", "<!DOCTYPE x [<!ENTITY a \"b\">]><VTKFile type=\"UnstructuredGrid\">", "document type");
    REFUSED(ctx, "a.vtu", "<VTKFile type=\"UnstructuredGrid\"", "ends inside a tag");
    REFUSED(ctx, "a.vtu", "<VTKFile type=\"UnstructuredGrid\">", "ends before </VTKFile>");
    REFUSED(ctx, "a.vtu", ONE("1", "0", ""), "piece 0 has no Points");
    REFUSED(ctx, "a.vtu", ONE("1099511627776", "0", ""), ":5: NumberOfPoints = 1099511627776");
    REFUSED(ctx, "a.vtu", ONE("500000000", "0", XYZ("1 2 3")), "1500000000 numbers are needed");
    REFUSED(ctx, "a.vtu", ONE("1", "0", XYZ("1 2")), "a finite number is needed");
    REFUSED(ctx, "a.vtu", ONE("1", "0", XYZ("1 2 3 4")), "more than the 3 numbers");
    REFUSED(ctx, "a.vtu", ONE("1", "0", XYZ("1 2 inf")), ":7: array 'P': a finite number is needed, seen inf");
    REFUSED(ctx, "a.vtu", ONE("1", "1", XYZ("1 2 3") "<Cells>" ARRAY("Int32", "offsets", "", "1") "</Cells>"), "no connectivity");
    REFUSED(ctx, "a.vtu",
            ONE("1", "1",
                XYZ("1 2 3") "<Cells>" ARRAY("Int32", "connectivity", "", "7") ARRAY("Int32", "offsets", "", "1") "</Cells>"),
            "is point 7, must be in [0, 1)");
    REFUSED(ctx, "a.vtu",
            ONE("1", "1",
                XYZ("1 2 3") "<Cells>" ARRAY("Int32", "connectivity", "", "0") ARRAY("Int32", "offsets", "", "-1") "</Cells>"),
            "offset 0 is -1");
    REFUSED(ctx, "a.vtu",
            ONE("1", "0",
                "<Points>" ARRAY("Float32", "P", "NumberOfComponents=\"3\" format=\"binary\"",
                                 "DAAAAAAA!AAAAAAAAAAAAA==") "</Points>"),
            "character 9 of its base64 text is '!'");
    REFUSED(ctx, "a.vtu",
            ONE("1", "0", "<Points>" ARRAY("Float32", "P", "NumberOfComponents=\"3\" format=\"binary\"", "DAAAAAAA") "</Points>"),
            "12 bytes are needed, but the file ends");
    REFUSED(ctx, "a.vtu",
            ONE("1", "0",
                "<Points>" ARRAY("Float32", "P", "NumberOfComponents=\"3\" format=\"binary\"",
                                 "DQAAAAAAAAAAAAAAAAAAAA==") "</Points>"),
            "13 bytes announced, but its counts need 12");
    REFUSED(
        ctx, "a.vtu",
        ONE("1", "0", "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/></Points>"),
        "appended data, which the file does not have");
    sp_context_destroy(&ctx);
}

// damaged compressed files; a build without zlib reports how to get it
TEST(compressed_files) {
    static const char *const rows[][2] = {
        {"vtu-good-zlib.vtu", NULL},
        {"vtu-bad-zlib.vtu", "compressed block 0 of 1 is damaged"},
        {"vtu-zlib-2-to-the-40-blocks.vtu", "1099511627776 compressed blocks announced"},
        {"vtu-zlib-block-too-long.vtu", "compressed block 0 has 1099511627776 bytes"},
    };
    sp_context *ctx = context();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[512];
        sp_cells c;
        snprintf(path, sizeof path, SP_SOURCE_DIR "/tests/data/mesh/packed/%s", rows[i][0]);
        sp_status status = sp__cells_read(ctx, path, &c);
        const char *message = sp_context_error(ctx)->message;
        if (!sp__vtu_has_zlib())
            CHECK(status == SP_UNAVAILABLE && strstr(message, "-DSP_ZLIB=ON"));
        else if (rows[i][1])
            CHECK(status == SP_BAD_INPUT && strstr(message, rows[i][1]));
        else
            CHECK(status >= 0 && c.cell_count == 2);
        sp__cells_free(&c);
    }
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ hostile files

// every prefix of a valid file is refused or read, without reading past its end; the same with every single byte changed
static void check_cuts(const char *name, sp_encoding encoding, bool compress) {
    sp_context *ctx = context();
    sp_cells a, b;
    char path[512], *text, *copy;
    size_t size;
    sp_mesh_write_options options = sp_mesh_write_options_default();
    options.encoding = encoding, options.compress = compress;
    sample_volume(ctx, &a);
    cells_path(path, name);
    REQUIRE(sp__cells_write(&a, path, &options) >= 0);
    sp__cells_free(&a);
    REQUIRE(sp__text_read(ctx, path, 0, &text, &size) >= 0);
    remove(path);
    for (size_t n = 0; n < size; n += 1 + size / 997) {
        copy = malloc(n + 1);  // the exact length, so that a sanitizer detects a read past the end
        memcpy(copy, text, n);
        copy[n] = 0;
        sp__cells_parse(ctx, copy, n, name, &b);
        sp__cells_free(&b);
        free(copy);
    }
    for (size_t n = 0; n < size; n += 1 + size / 997) {
        char before = text[n];
        text[n] = (char)(before ^ (1 << n % 8));
        sp__cells_parse(ctx, text, size, name, &b);
        sp__cells_free(&b);
        text[n] = before;
    }
    CHECK(sp__cells_parse(ctx, text, size, name, &b) >= 0);
    sp__cells_free(&b);
    sp__free(ctx, text);
    sp_context_destroy(&ctx);
}

TEST(truncated_and_flipped_files) {
    check_cuts("cut.vtk", SP_ENCODING_ASCII, false);
    check_cuts("cut.vtk", SP_ENCODING_BINARY, false);
    check_cuts("cut.vtu", SP_ENCODING_ASCII, false);
    check_cuts("cut.vtu", SP_ENCODING_BASE64, false);
    check_cuts("cut.vtu", SP_ENCODING_APPENDED, false);
    check_cuts("cut.ply", SP_ENCODING_ASCII, false);
    check_cuts("cut.ply", SP_ENCODING_BINARY, false);
    check_cuts("cut.stl", SP_ENCODING_ASCII, false);
    check_cuts("cut.stl", SP_ENCODING_BINARY, false);
    check_cuts("cut.obj", SP_ENCODING_ASCII, false);
    if (!sp__vtu_has_zlib()) return;
    check_cuts("cut.vtu", SP_ENCODING_APPENDED, true);
    check_cuts("cut.vtu", SP_ENCODING_BASE64, true);
}

// the n-th allocation fails, for every n: writing and reading leave neither memory nor a file
static void check_memory(const char *name, sp_encoding encoding, bool compress) {
    bool done = false;
    for (long n = 8; n < 4000 && !done; n++) {
        meter m = {LONG_MAX / 2, 0};
        sp_context_def def = metered_context(&m);
        sp_context *ctx;
        sp_cells a, b;
        char path[512];
        sp_mesh_write_options options = sp_mesh_write_options_default();
        options.encoding = encoding, options.compress = compress;
        REQUIRE(sp_context_create(&def, &ctx) >= 0);
        sample_surface(ctx, &a);
        cells_path(path, name);
        m.allowed = n;
        sp_status status = sp__cells_write(&a, path, &options);
        CHECK(status >= 0 || (status == SP_NO_MEMORY && access(path, F_OK) != 0));
        if (status >= 0) {
            status = sp__cells_read(ctx, path, &b);
            CHECK(status >= 0 || status == SP_NO_MEMORY);
            done = status >= 0;
            sp__cells_free(&b);
        }
        m.allowed = LONG_MAX / 2;
        remove(path);
        sp__cells_free(&a);
        sp_context_destroy(&ctx);
        CHECK_INT(m.live, 0);
    }
    CHECK(done);
}

TEST(every_allocation_may_fail) {
    check_memory("mem.vtk", SP_ENCODING_BINARY, false);
    check_memory("mem.vtu", SP_ENCODING_APPENDED, false);
    check_memory("mem.vtu", SP_ENCODING_BASE64, false);
    check_memory("mem.ply", SP_ENCODING_BINARY, false);
    check_memory("mem.stl", SP_ENCODING_ASCII, false);
    check_memory("mem.obj", SP_ENCODING_ASCII, false);
    if (!sp__vtu_has_zlib()) return;
    check_memory("mem.vtu", SP_ENCODING_APPENDED, true);
    check_memory("mem.vtu", SP_ENCODING_BASE64, true);
}

TEST(base64_of_every_length) {
    unsigned char bytes[64] = {0}, back[64];
    char text[100];
    for (size_t n = 0; n < sizeof bytes; n++) {
        for (size_t i = 0; i < n; i++) bytes[i] = (unsigned char)(i * 37 + n);
        sp__base64_encode(bytes, n, text);
        size_t length = sp__base64_length(n), taken = sp__base64_decode(text, length, back, n, NULL);
        CHECK(taken == length && memcmp(bytes, back, n) == 0);
        CHECK(n == 0 || !sp__base64_decode(text, length - 1, back, n, NULL));
    }
    // two streams, the first padded, with white space between them: one text as VTK writes it
    CHECK(sp__base64_decode("QQ==\n Qk M=", 11, back, 3, NULL) == 11 && memcmp(back, "ABC", 3) == 0);
}
