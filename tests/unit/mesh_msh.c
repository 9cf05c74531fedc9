// Gmsh files of both versions, text and binary, of either byte order: written files are read back bit for bit.
#include "meter.h"
#include "unit/mesh_help.h"

#include <sys/stat.h>
#include <unistd.h>

#define PATH SP_BINARY_DIR "/test_mesh_msh.msh"

typedef struct way {
    const char *format;
    sp_encoding encoding;
} way;

static const way ways[] = {{"msh", SP_ENCODING_ASCII},
                           {"msh", SP_ENCODING_BINARY},
                           {"msh2", SP_ENCODING_ASCII},
                           {"msh2", SP_ENCODING_BINARY},
                           {NULL, SP_ENCODING_AUTO}};
enum { WAYS = sizeof ways / sizeof *ways };

static sp_mesh_write_options options_of(way w) {
    sp_mesh_write_options o = sp_mesh_write_options_default();
    o.format = w.format;
    o.encoding = w.encoding;
    return o;
}

// ------------------------------------------------------------------------------------------------ round trips

static void round_trip(sp_context *ctx, const sp_mesh *mesh, way w) {
    sp_mesh *back = NULL;
    sp_mesh_write_options o = options_of(w);
    if (sp_mesh_write(mesh, PATH, &o) < 0 || sp_mesh_read(ctx, PATH, &back) < 0) {
        SP_TEST_FAILED("%s: %s", w.format ? w.format : "by name", sp_context_error(ctx)->message);
        return;
    }
    check_same_shape(mesh, back, true);
    check_same_groups(mesh, back);
    check_same_arrays(mesh, back);
    sp_mesh_destroy(&back);
}

TEST(round_trips_keep_every_bit) {
    sp_context *ctx = mesh_context();
    sp_mesh *mesh = rich_box(ctx, (const int[]){3, 4, 2}, false);
    REQUIRE(mesh);
    for (int i = 0; i < WAYS; i++) round_trip(ctx, mesh, ways[i]);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
    remove(PATH);
}

TEST(numbers_above_32_bits) {
    sp_context *ctx = mesh_context();
    sp_mesh *mesh = rich_box(ctx, (const int[]){1, 1, 2}, true);
    REQUIRE(mesh);
    round_trip(ctx, mesh, ways[0]);
    round_trip(ctx, mesh, ways[2]);
    // 2.2 has 32 bits for numbers in its binary files: refused, and the old file stays
    mesh_put_file(PATH, "old", 3);
    sp_mesh_write_options o = options_of(ways[3]);
    CHECK(sp_mesh_write(mesh, PATH, &o) == SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(ctx)->message, "is above 2147483647") != NULL);
    struct stat info;
    CHECK(stat(PATH, &info) == 0 && info.st_size == 3);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
    remove(PATH);
}

TEST(files_written_twice_are_identical) {
    sp_context *ctx = mesh_context();
    sp_mesh *mesh = rich_box(ctx, (const int[]){2, 1, 2}, false), *back = NULL;
    REQUIRE(mesh);
    for (int i = 0; i < 4; i++) {
        sp_mesh_write_options o = options_of(ways[i]);
        char *one, *two;
        size_t n, m;
        REQUIRE(sp_mesh_write(mesh, PATH, &o) == SP_OK && sp_mesh_read(ctx, PATH, &back) == SP_OK);
        REQUIRE(sp_mesh_write(back, PATH, &o) == SP_OK && sp__text_read(ctx, PATH, 0, &one, &n) == SP_OK);
        sp_mesh_destroy(&back);
        REQUIRE(sp_mesh_read(ctx, PATH, &back) == SP_OK && sp_mesh_write(back, PATH, &o) == SP_OK);
        REQUIRE(sp__text_read(ctx, PATH, 0, &two, &m) == SP_OK);
        CHECK(n == m && same_bits(one, two, n));
        sp__free(ctx, one), sp__free(ctx, two);
        sp_mesh_destroy(&back);
    }
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
    remove(PATH);
}

TEST(a_surface_is_written_and_read_back) {
    sp_context *ctx = mesh_context();
    sp_mesh *mesh = rich_box(ctx, (const int[]){2, 2, 1}, false);
    sp_trimesh *surface = NULL, *back = NULL;
    sp_trimesh_def a, b;
    REQUIRE(mesh && sp_mesh_boundary(mesh, &surface) == SP_OK);
    sp_trimesh_get(surface, &a);
    for (int i = 0; i < WAYS; i++) {
        sp_mesh_write_options o = options_of(ways[i]);
        REQUIRE(sp_trimesh_write(surface, PATH, &o) == SP_OK && sp_trimesh_read(ctx, PATH, &back) == SP_OK);
        sp_trimesh_get(back, &b);
        CHECK(a.vertex_count == b.vertex_count && a.face_count == b.face_count);
        CHECK(same_bits(a.positions, b.positions, 3 * sizeof(double) * (size_t)a.vertex_count));
        CHECK(same_bits(a.faces, b.faces, 3 * sizeof(int) * (size_t)a.face_count));
        sp_trimesh_destroy(&back);
    }
    sp_trimesh_destroy(&surface);
    // from a file that has only tetrahedra, the boundary
    REQUIRE(sp_mesh_write(mesh, PATH, NULL) == SP_OK && sp_trimesh_read(ctx, PATH, &back) == SP_OK);
    sp_trimesh_get(back, &b);
    CHECK_INT(b.face_count, sp_mesh_face_count(mesh));
    sp_trimesh_destroy(&back);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
    remove(PATH);
}

// ------------------------------------------------------------------------------------------------ byte order

typedef struct bytes {
    unsigned char data[4096];
    size_t size;
    bool big;
} bytes;

static void put(bytes *b, uint64_t value, int size) {
    for (int i = 0; i < size; i++) b->data[b->size++] = (unsigned char)(value >> 8 * (b->big ? size - 1 - i : i));
}

static void put_double(bytes *b, double value) {
    uint64_t bits;
    memcpy(&bits, &value, 8);
    put(b, bits, 8);
}

static void put_text(bytes *b, const char *text) {
    memcpy(b->data + b->size, text, strlen(text));
    b->size += strlen(text);
}

static const double corners[4][3] = {{0.1, 0, 0}, {1, 0, 0}, {0, 1e-7, 1.25}, {0, 2, 0}};

static void make_version2(bytes *b) {
    put_text(b, "$MeshFormat\n2.2 1 8\n"), put(b, 1, 4), put_text(b, "\n$EndMeshFormat\n$Nodes\n4\n");
    for (int i = 0; i < 4; i++) {
        put(b, (uint64_t)(10 + i), 4);
        for (int k = 0; k < 3; k++) put_double(b, corners[i][k]);
    }
    // a triangle in group 5, then a tetrahedron in groups 6 and 7: one element twice
    put_text(b, "\n$EndNodes\n$Elements\n3\n");
    const int words[] = {2, 1, 2, 1, 5, 1, 10, 11, 12, 4, 2, 2, 2, 6, 1, 10, 11, 12, 13, 3, 7, 1, 10, 11, 12, 13};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) put(b, (uint64_t)words[i], 4);
    put_text(b, "\n$EndElements\n$ElementData\n1\n\"E\"\n1\n0\n3\n0\n1\n1\n"), put(b, 2, 4), put_double(b, 0.3);
    put_text(b, "\n$EndElementData\n");
}

// `word`: bytes of a size_t
static void make_version4(bytes *b, int word) {
    char head[40];
    snprintf(head, sizeof head, "$MeshFormat\n4.1 1 %d\n", word);
    put_text(b, head), put(b, 1, 4), put_text(b, "\n$EndMeshFormat\n$Entities\n");
    for (int d = 0; d < 4; d++) put(b, d >= 2, word);
    for (int d = 2; d < 4; d++) {
        put(b, 1, 4);
        for (int k = 0; k < 6; k++) put_double(b, k);
        put(b, d == 3 ? 2 : 1, word), put(b, d == 3 ? 6 : 5, 4);
        if (d == 3) put(b, 7, 4);
        put(b, 0, word);
    }
    put_text(b, "\n$EndEntities\n$Nodes\n");
    // two blocks, the second with a parameter per dimension
    put(b, 2, word), put(b, 4, word), put(b, 10, word), put(b, 13, word);
    for (int block = 0; block < 2; block++) {
        put(b, (uint64_t)(2 + block), 4), put(b, 1, 4), put(b, (uint64_t)block, 4), put(b, 2, word);
        for (int i = 2 * block; i < 2 * block + 2; i++) put(b, (uint64_t)(10 + i), word);
        for (int i = 2 * block; i < 2 * block + 2; i++) {
            for (int k = 0; k < 3; k++) put_double(b, corners[i][k]);
            for (int k = 0; block && k < 3; k++) put_double(b, -9);
        }
    }
    put_text(b, "\n$EndNodes\n$Elements\n");
    put(b, 2, word), put(b, 2, word), put(b, 1, word), put(b, 2, word);
    put(b, 2, 4), put(b, 1, 4), put(b, 2, 4), put(b, 1, word);
    for (int i = 0; i < 4; i++) put(b, (uint64_t)(i ? 9 + i : 1), word);
    put(b, 3, 4), put(b, 1, 4), put(b, 4, 4), put(b, 1, word);
    for (int i = 0; i < 5; i++) put(b, (uint64_t)(i ? 9 + i : 2), word);
    put_text(b, "\n$EndElements\n$Periodic\n\1\2\n$\3\n$EndPeriodic\n$ElementData\n1\n\"E\"\n1\n0\n3\n0\n1\n1\n");
    put(b, 2, 4), put_double(b, 0.3), put_text(b, "\n$EndElementData\n");
}

static void check_bytes(sp_context *ctx, const bytes *b) {
    sp_cells cells;
    sp_mesh *mesh = NULL;
    if (sp__cells_parse(ctx, (const char *)b->data, b->size, "made.msh", &cells) < 0 ||
        sp__cells_to_mesh(&cells, false, &mesh) < 0) {
        SP_TEST_FAILED("%s", sp_context_error(ctx)->message);
    } else {
        CHECK(cells.node_count == 4 && cells.cell_count == 2 && cells.group_count == 3);
        CHECK(same_bits(cells.x, corners, sizeof corners));
        CHECK(cells.type[0] == SP_CELL_TRIANGLE && cells.type[1] == SP_CELL_TET);
        const sp_mesh_array *E = sp_mesh_array_named(mesh, "E");
        CHECK(E && E->values[0] == 0.3);
        CHECK(sp_mesh_group_named(mesh, "6") && sp_mesh_group_named(mesh, "7") && sp_mesh_group_named(mesh, "5"));
        CHECK(sp_mesh_node_ids(mesh)[3] == 13 && sp_mesh_element_ids(mesh)[0] == 2);
    }
    sp_mesh_destroy(&mesh);
    sp__cells_free(&cells);
}

TEST(either_byte_order) {
    sp_context *ctx = mesh_context();
    for (int big = 0; big < 2; big++) {
        static bytes b;
        memset(&b, 0, sizeof b), b.big = big;
        make_version2(&b);
        check_bytes(ctx, &b);
        for (int word = 4; word <= 8; word += 4) {
            memset(&b, 0, sizeof b), b.big = big;
            make_version4(&b, word);
            check_bytes(ctx, &b);
        }
    }
    sp_context_destroy(&ctx);
}

// every truncation of a binary file is refused or (after the elements) accepted, and no byte changed to 0xff causes a crash
TEST(truncated_and_damaged_binaries) {
    sp_context *ctx = mesh_context();
    for (int kind = 0; kind < 3; kind++) {
        static bytes b, damaged;
        int accepted = 0;
        memset(&b, 0, sizeof b), b.big = kind == 1;
        kind == 0 ? make_version2(&b) : make_version4(&b, 8);
        for (size_t i = 0; i < b.size; i++) {
            sp_cells cells;
            damaged = b;
            if (kind == 2)
                damaged.data[i] = 0xff;
            else
                damaged.data[damaged.size = i] = 0;
            sp_status status = sp__cells_parse(ctx, (const char *)damaged.data, damaged.size, "made.msh", &cells);
            CHECK(status >= 0 || (status == SP_BAD_INPUT && strstr(sp_context_error(ctx)->message, "made.msh")));
            accepted += status >= 0;
            sp__cells_free(&cells);
        }
        CHECK(kind == 2 || (accepted > 0 && accepted < 12));
    }
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ other features of Gmsh

static const char partitioned[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 4 \"both halves\"\n$EndPhysicalNames\n"
    "$Entities\n1 0 0 1\n5 0 0 inf 0\n1 0 0 0 1 1 1 1 -4 0\n$EndEntities\n"
    "$PartitionedEntities\n2\n0\n0 0 0 2\n1 3 1 1 1 0 0 0 1 1 1 1 4 0\n2 3 1 2 1 2 0 0 0 1 1 1 1 4 1 7\n$EndPartitionedEntities\n"
    "$Nodes\n2 5 1 9\n3 1 1 2\n7\n9\n0 0 0 0.5 0.5 0.5\n1 0 0 0.5 0.5 0.5\n3 2 0 3\n1\n2\n3\n0 1 0\n0 0 1\n1 1 1\n$EndNodes\n"
    "$Elements\n2 2 1 2\n3 1 4 1\n1 7 9 1 2\n3 2 4 1\n2 9 1 2 3\n$EndElements\n"
    "$GhostElements\n0\n$EndGhostElements\n$ElementNodeData\n1\n\"x\"\n$EndElementNodeData\n";

TEST(partitions_and_parameters) {
    sp_context *ctx = mesh_context();
    sp_cells cells;
    sp_mesh *mesh = NULL;
    sp_status status = sp__cells_parse(ctx, partitioned, sizeof partitioned - 1, "parts.msh", &cells);
    if (status < 0) SP_TEST_FAILED("%s", sp_context_error(ctx)->message);
    CHECK(sp__cells_to_mesh(&cells, false, &mesh) == SP_OK);
    const sp_mesh_group *both = mesh ? sp_mesh_group_named(mesh, "both halves") : NULL;
    CHECK(both && both->element_count == 2 && both->node_count == 5);
    CHECK(mesh && sp_mesh_node_ids(mesh)[1] == 9);
    sp_mesh_destroy(&mesh);
    sp__cells_free(&cells);
    sp_context_destroy(&ctx);
}

// ten nodes: Gmsh and we number the midpoints of the last two edges in different order; written files are read back unchanged
TEST(quadratic_tetrahedra) {
    static const char text[] =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n0 0 0 0\n1 2 0 0\n2 0 2 0\n3 0 0 2\n4 1 0 0\n5 1 1 0\n6 0 1 0\n"
        "7 0 0 1\n8 0 1 1\n9 1 0 1\n$EndNodes\n$Elements\n1\n1 11 0 0 1 2 3 4 5 6 7 8 9\n$EndElements\n";
    static const int edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
    sp_context *ctx = mesh_context();
    sp_cells cells;
    sp_mesh *mesh = NULL;
    REQUIRE(sp__cells_parse(ctx, text, sizeof text - 1, "ten.msh", &cells) == SP_OK);
    for (int round = 0; round < 5; round++) {
        CHECK_INT(cells.type[0], SP_CELL_TET10);
        for (int e = 0; e < 6; e++)
            for (int k = 0; k < 3; k++) {
                const double *a = cells.x + 3 * cells.nodes[edges[e][0]], *b = cells.x + 3 * cells.nodes[edges[e][1]];
                CHECK(cells.x[3 * cells.nodes[4 + e] + k] == (a[k] + b[k]) / 2);
            }
        sp_mesh_write_options o = options_of(ways[round % 4]);
        CHECK(sp__cells_write(&cells, PATH, &o) == SP_OK);
        sp__cells_free(&cells);
        REQUIRE(sp__cells_read(ctx, PATH, &cells) == SP_OK);
    }
    for (int cut = 0; cut < 2; cut++) {
        CHECK(sp__cells_to_mesh(&cells, cut, &mesh) == SP_OK && sp_mesh_node_count(mesh) == (cut ? 4 : 10));
        // one rounding of the determinant, or one at each of four points
        CHECK_NEAR(mesh ? sp_mesh_volume(mesh) : 0, 8.0 / 6, cut ? 1e-15 : 4e-15);
        sp_mesh_destroy(&mesh);
    }
    sp__cells_free(&cells);
    sp_context_destroy(&ctx);
    remove(PATH);
}

// ------------------------------------------------------------------------------------------------ memory

TEST(every_allocation_may_fail) {
    for (int i = 0; i < 4; i++) {
        meter m = {1000000, 0};
        sp_context_def def = metered_context(&m);
        sp_context *ctx;
        REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
        sp_mesh *mesh = rich_box(ctx, (const int[]){1, 1, 1}, false), *back = NULL;
        sp_mesh_write_options o = options_of(ways[i]);
        REQUIRE(mesh && sp_mesh_write(mesh, PATH, &o) == SP_OK);
        long before = m.live;
        sp_status status = SP_NO_MEMORY;
        int n = 0;
        for (; status == SP_NO_MEMORY && n < 1000; n++) {
            m.allowed = n;
            status = sp_mesh_read(ctx, PATH, &back);
            CHECK(status == SP_OK || back == NULL);
            sp_mesh_destroy(&back);
            CHECK_INT(m.live, before);
        }
        CHECK(status == SP_OK && n > 20);
        for (status = SP_NO_MEMORY, n = 0; status == SP_NO_MEMORY && n < 1000; n++) {
            m.allowed = n;
            status = sp_mesh_write(mesh, PATH, &o);
            CHECK_INT(m.live, before);
        }
        CHECK(status == SP_OK && n > 20);
        m.allowed = 1000000;
        sp_mesh_destroy(&mesh);
        sp_context_destroy(&ctx);
    }
    remove(PATH);
}
