// Gmsh 2.2 text files: written files are read back to the same bits, and broken ones are refused with file and line.
#include "meter.h"
#include "test.h"

#include <math.h>
#include <unistd.h>

#include "io/file/text_file.h"
#include "souple/io.h"

#define PATH SP_BINARY_DIR "/test_msh.msh"

static sp_context *context(void) {
    sp_context *ctx = NULL;
    sp_context_create(NULL, &ctx);
    return ctx;
}

static void write_file(const char *text, size_t size) {
    FILE *file = fopen(PATH, "wb");
    if (!file) return;
    fwrite(text, 1, size, file);
    fclose(file);
}

// ------------------------------------------------------------------------------------------------ round trip

// the file's numbers: sparse, out of order, far apart where `wide`
static long long node_id(int i, bool wide) {
    return wide ? 1000000000000LL - 37LL * i * i : 5 + 3LL * (i ^ 1);
}

static long long tet_id(int i) {
    return 100000 + 2LL * i;
}

// a box with an orphan node, faces, lines, a point and an element of an unknown kind, and three arrays
static void write_box(const sp_mesh *mesh, bool wide) {
    FILE *f = fopen(PATH, "wb");
    const double *x = sp_mesh_positions(mesh);
    const int *tets = sp_mesh_tets(mesh), *faces = sp_mesh_faces(mesh);
    int nodes = sp_mesh_node_count(mesh), count = sp_mesh_element_count(mesh), nfaces = sp_mesh_face_count(mesh);
    fprintf(f, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Comments\nanything $Nodes at all\n$EndComments\n");
    fprintf(f, "$PhysicalNames\n3\n2 7 \"skin of it\"\n3 1 \"left\"\n2 1 \"left\"\n$EndPhysicalNames\n$Nodes\n%d\n", nodes + 1);
    fprintf(f, "3 9.5 9.5 9.5\n");
    for (int i = 0; i < nodes; i++)
        fprintf(f, "%lld %.17g %.17g %.17g\n", node_id(i, wide), x[3 * i], x[3 * i + 1], x[3 * i + 2]);
    fprintf(f, "$EndNodes\n$Elements\n%d\n", count + nfaces + 3);
    fprintf(f, "1 15 2 20 1 %lld\n2 1 2 21 1 %lld %lld\n", node_id(0, wide), node_id(1, wide), node_id(2, wide));
    fprintf(f, "3 140 2 1 1 1 2 3 4 5 6 7 8\n");
    for (int i = 0; i < nfaces; i++)
        fprintf(f, "%d 2 2 7 1 %lld %lld %lld\n", 10 + i, node_id(faces[3 * i], wide), node_id(faces[3 * i + 1], wide),
                node_id(faces[3 * i + 2], wide));
    for (int i = 0; i < count; i++)
        fprintf(f, "%lld 4 3 %d 1 5 %lld %lld %lld %lld\n", tet_id(i), i % 3 == 0 ? 1 : 2, node_id(tets[4 * i], wide),
                node_id(tets[4 * i + 1], wide), node_id(tets[4 * i + 2], wide), node_id(tets[4 * i + 3], wide));
    fprintf(f, "$EndElements\n$ElementData\n1\n\"E\"\n1\n0.0\n3\n0\n1\n%d\n", count - 1);
    for (int i = 1; i < count; i++) fprintf(f, "%lld %.17g\n", tet_id(i), 1.0 / (i + 1));
    fprintf(f, "$EndElementData\n$NodeData\n1\n\"heat\"\n1\n0.0\n3\n0\n1\n%d\n3 77\n", nodes + 1);
    for (int i = 0; i < nodes; i++) fprintf(f, "%lld %.17g\n", node_id(i, wide), -0.1 * i);
    fprintf(f, "$EndNodeData\n$NodeData\n1\n\"flow\"\n0\n3\n0\n3\n1\n%lld 1 2 3\n$EndNodeData\n", node_id(0, wide));
    fclose(f);
}

static void check_groups(const sp_mesh *mesh, const sp_mesh *back) {
    const sp_mesh_group *left = sp_mesh_group_named(back, "left"), *skin = sp_mesh_group_named(back, "skin of it");
    const sp_mesh_group *two = sp_mesh_group_named(back, "2"), *point = sp_mesh_group_named(back, "20");
    const sp_mesh_group *seven = sp_mesh_group_named(back, "7");
    int count = sp_mesh_element_count(mesh);
    REQUIRE(left && skin && two && point && seven);
    CHECK_INT(left->element_count, (count + 2) / 3);
    CHECK_INT(two->element_count, count - (count + 2) / 3);
    CHECK_INT(left->elements[1], 3);
    CHECK_INT(skin->element_count, 0);
    CHECK_INT(skin->node_count, seven->node_count);
    CHECK_INT(point->node_count, 1);
    CHECK_INT(point->nodes[0], 0);
    CHECK(sp_mesh_group_named(back, "nothing") == NULL);
    // the group "skin" is every boundary node, once, in ascending order
    int boundary = 0;
    sp_selection s = sp_selection_default();
    s.on_surface = true;
    CHECK(sp_mesh_select(mesh, &s, SP_SELECT_NODES, NULL, 0, &boundary) >= 0);
    CHECK_INT(skin->node_count, boundary);
    for (int i = 1; i < skin->node_count; i++) CHECK(skin->nodes[i] > skin->nodes[i - 1]);
}

static void round_trip(bool wide) {
    sp_context *ctx = context();
    sp_mesh *mesh = NULL, *back = NULL;
    const double size[3] = {0.3, 0.7, 1.1};
    const int cells[3] = {3, 4, 2};
    REQUIRE(sp_mesh_box(ctx, size, cells, 6, &mesh) == SP_OK);
    write_box(mesh, wide);
    CHECK(sp_mesh_read(ctx, PATH, &back) == SP_OK);
    if (back) {
        CHECK_INT(sp_mesh_node_count(back), sp_mesh_node_count(mesh));
        CHECK_INT(sp_mesh_element_count(back), sp_mesh_element_count(mesh));
        CHECK(memcmp(sp_mesh_positions(back), sp_mesh_positions(mesh), 3 * sizeof(double) * (size_t)sp_mesh_node_count(mesh)) ==
              0);
        CHECK(memcmp(sp_mesh_tets(back), sp_mesh_tets(mesh), 4 * sizeof(int) * (size_t)sp_mesh_element_count(mesh)) == 0);
        for (int i = 0; i < sp_mesh_node_count(back); i++) CHECK_INT(sp_mesh_node_ids(back)[i], node_id(i, wide));
        for (int i = 0; i < sp_mesh_element_count(back); i++) CHECK_INT(sp_mesh_element_ids(back)[i], tet_id(i));
        const sp_mesh_array *E = sp_mesh_array_named(back, "E"), *heat = sp_mesh_array_named(back, "heat");
        CHECK(E && E->on_elements && isnan(E->values[0]) && E->values[2] == 1.0 / 3);
        CHECK(heat && !heat->on_elements && heat->values[7] == -0.1 * 7);
        // three components are three arrays
        const sp_mesh_array *flow = sp_mesh_array_named(back, "flow.y");
        CHECK(sp_mesh_array_named(back, "flow") == NULL && sp_mesh_array_named(back, "flow.x") != NULL);
        CHECK(flow && flow->values[0] == 2 && isnan(flow->values[1]));
        check_groups(mesh, back);
    } else {
        printf("  %s\n", sp_context_error(ctx)->message);
    }
    sp_mesh_destroy(&mesh);
    sp_mesh_destroy(&back);
    sp_context_destroy(&ctx);
    remove(PATH);
}

TEST(round_trip_keeps_bits_numbers_groups_and_data) {
    round_trip(false);
}

TEST(round_trip_with_numbers_far_apart) {
    round_trip(true);
}

// ------------------------------------------------------------------------------------------------ refusals

#define HEAD "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NODES "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define NODES1 "$NOD\n4\n10 0 0 0\n20 1 0 0\n30 0 1 0\n40 0 0 1\n$ENDNOD\n"
#define TET "$Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n"

static const struct {
    const char *text, *says;
    int line;  // 0: without a line
} bad[] = {
    {"", "empty", 1},
    {"hello", "a section", 1},
    {"$Nodes\n", "begin with $MeshFormat", 1},
    {"$MeshFormat\n4.0 0 8\n$EndMeshFormat\n", "version 4", 2},
    {"$MeshFormat\n2.2 2 8\n", "type of the file", 2},
    {"$MeshFormat\nnan 0 8\n", "finite number", 2},
    {HEAD, "no $Nodes", 4},
    {HEAD NODES, "no $Elements", 11},
    {HEAD NODES "$Elements\n0\n$EndElements\n", "no tetrahedra", 0},
    {HEAD "$Nodes\n2000000000\n1 0 0 0\n", "room for", 5},
    {HEAD "$Nodes\n99999999999999999999\n", "integer", 5},
    {HEAD "$Nodes\n-1\n", "must be in", 5},
    {HEAD "$Nodes\n1\n1 0 nan 0\n$EndNodes\n", "finite number", 6},
    {HEAD "$Nodes\n1\n1 0 1e999 0\n$EndNodes\n", "finite number", 6},
    {HEAD "$Nodes\n1\n1 0 0x1p3 0\n$EndNodes\n", "finite number", 6},
    {HEAD "$Nodes\n2\n1 0 0 0\n$EndNodes\n", "integer", 7},
    {HEAD "$Nodes\n2\n1 0 0 0\n1 0 0 1\n$EndNodes\n", "node 1 appears twice", 8},
    {HEAD "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n", "$EndNodes is needed", 7},
    {HEAD "$Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n", "before $Nodes", 4},
    {HEAD NODES "$Elements\n1\n1 4 2 0 1 1 2 3 9\n$EndElements\n", "node 9", 13},
    {HEAD NODES "$Elements\n1\n1 4 200000 0 1 1 2 3 4\n$EndElements\n", "count of tags", 13},
    {HEAD NODES "$Elements\n2\n1 4 0 1 2 3 4\n1 4 0 1 2 3 4\n$EndElements\n", "have the number 1", 0},
    {HEAD NODES "$Elements\n1\n1 4 2 0 1 1 2 3", "the end of the file", 13},
    {HEAD NODES "$Elements\n1\n1 4 0 1 2 3 3\n$EndElements\n", "", 0},
    {HEAD NODES NODES, "appears twice", 11},
    {HEAD "$Junk\nabc\n", "never closed", 4},
    {HEAD "$PhysicalNames\n1\n3 1 \"half\n$EndPhysicalNames\n", "closing quote", 6},
    {HEAD "$PhysicalNames\n1\n3 1 half\n$EndPhysicalNames\n", "in quotes", 6},
    {HEAD NODES TET "$ElementData\n1\n\"E\"\n0\n3\n0\n1\n1000000000\n", "must be in", 22},
    {HEAD NODES TET "$ElementData\n1\n\"E\"\n0\n3\n0\n1\n1\n1 inf\n$EndElementData\n", "finite number", 23},
    {HEAD NODES "$NodeData\n1\n\"E\"\n", "before $Elements", 11},
    {NODES1, "no $Elements", 8},
    {NODES1 "$ELM\n1\n1 4 7 1 3 1 2 3\n$ENDELM\n", "3 nodes of an element of type 4, which has 4", 10},
    {NODES1 "$ELM\n1\n1 4 7 1 4 10 20 30 9\n$ENDELM\n", "node 9", 10},
    {NODES1 "$ELM\n1000000000\n", "room for", 9},
    {NODES1 NODES1, "$NOD appears twice", 8},
};

// version 1, of the meshes that come with SOFA: a group by its number, the rest as in version 2
TEST(version_1) {
    sp_context *ctx = context();
    sp_mesh *mesh = NULL;
    const char *text = NODES1 "$ELM\n3\n5 15 3 1 1 10\n8 4 7 1 4 10 20 30 40\n9 99 7 1 2 1 1\n$ENDELM\n";
    write_file(text, strlen(text));
    CHECK(sp_mesh_read(ctx, PATH, &mesh) >= 0);
    REQUIRE(mesh);
    CHECK_INT(sp_mesh_node_count(mesh), 4);
    CHECK_INT(sp_mesh_element_count(mesh), 1);
    CHECK_INT(sp_mesh_node_ids(mesh)[1], 20);
    CHECK_INT(sp_mesh_element_ids(mesh)[0], 8);
    CHECK(sp_mesh_group_named(mesh, "7") && sp_mesh_group_named(mesh, "7")->element_count == 1);
    CHECK(sp_mesh_group_named(mesh, "3") && sp_mesh_group_named(mesh, "3")->node_count == 1);
    CHECK_NEAR(sp_mesh_volume(mesh), 1.0 / 6, 1e-15);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
    remove(PATH);
}

TEST(bad_files_are_refused_with_their_line) {
    sp_context *ctx = context();
    size_t before, after;
    sp_context_memory(ctx, &before, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sp_mesh *mesh = NULL;
        char place[600];
        write_file(bad[i].text, strlen(bad[i].text));
        CHECK(sp_mesh_read(ctx, PATH, &mesh) == SP_BAD_INPUT);
        CHECK(mesh == NULL);
        const char *message = sp_context_error(ctx)->message;
        snprintf(place, sizeof place, bad[i].line ? "%s:%d: " : "%s: ", PATH, bad[i].line);
        if (strncmp(message, place, strlen(place)) != 0 || !strstr(message, bad[i].says))
            SP_TEST_FAILED("case %zu: wanted line %d and \"%s\", seen \"%s\"", i, bad[i].line, bad[i].says, message);
    }
    sp_context_memory(ctx, &after, NULL);
    CHECK_INT(after, before);
    sp_context_destroy(&ctx);
    remove(PATH);
}

// every truncation of a valid file is a valid mesh or a refusal, never a crash or a leak
TEST(truncated_files) {
    sp_context *ctx = context();
    sp_mesh *mesh = NULL;
    const double size[3] = {1, 1, 1};
    const int cells[3] = {1, 1, 1};
    char *text;
    size_t n, before, after;
    REQUIRE(sp_mesh_box(ctx, size, cells, 5, &mesh) == SP_OK);
    write_box(mesh, false);
    REQUIRE(sp__text_read(ctx, PATH, 0, &text, &n) == SP_OK);
    sp_context_memory(ctx, &before, NULL);
    int whole = 0;
    for (size_t cut = 0; cut < n; cut++) {
        sp_mesh *back = NULL;
        write_file(text, cut);
        sp_status status = sp_mesh_read(ctx, PATH, &back);
        CHECK(status == SP_OK || (status == SP_BAD_INPUT && !back));
        whole += status == SP_OK;
        sp_mesh_destroy(&back);
    }
    // complete up to the end of $Elements and between the blocks of data
    CHECK(whole > 0 && whole < 20);
    sp_context_memory(ctx, &after, NULL);
    CHECK_INT(after, before);
    sp__free(ctx, text);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
    remove(PATH);
}

TEST(a_missing_file) {
    sp_context *ctx = context();
    sp_mesh *mesh = NULL;
    CHECK(sp_mesh_read(ctx, PATH ".absent", &mesh) == SP_IO);
    CHECK(strstr(sp_context_error(ctx)->message, "absent") != NULL);
    CHECK(sp_mesh_read(ctx, "/", &mesh) == SP_IO);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ numbers

TEST(scanned_numbers_agree_with_strtod) {
    static const char *const texts[] = {"0",
                                        "-0",
                                        "1",
                                        "-1.5",
                                        "+.5",
                                        "5.",
                                        "1e22",
                                        "1e23",
                                        "123456789012345678",
                                        "0.1",
                                        "1e-22",
                                        "1e-23",
                                        "9007199254740993",
                                        "9007199254740992",
                                        "1e308",
                                        "4.9e-324",
                                        "2.2250738585072014e-308",
                                        "1.7976931348623157e308",
                                        "0.000000000000000000000001",
                                        "12345678901234567890123456789",
                                        "1000000000000000000000",
                                        "100000000000000000000000e-5"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double seen = NAN, want = strtod(texts[i], NULL);
        const char *end = sp__scan_double(texts[i], &seen);
        CHECK(end && *end == 0);
        CHECK(memcmp(&seen, &want, sizeof seen) == 0);
    }
    static const char *const wrong[] = {"", "-", ".", "e5", "1e", "1e+", "nan", "inf", "1e999", "-1e400", "abc"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        double seen;
        CHECK(sp__scan_double(wrong[i], &seen) == NULL);
    }
    unsigned long long state = 7;
    for (int i = 0; i < 100000; i++) {
        double value = ldexp(sp_test_random(&state), (int)(600 * sp_test_random(&state))), seen;
        char text[32];
        sp__print_double(text, value);
        CHECK(sp__scan_double(text, &seen) && seen == value);
        snprintf(text, sizeof text, "%.*g", 1 + i % 16, value);
        CHECK(sp__scan_double(text, &seen) && seen == strtod(text, NULL));
    }
}

// ------------------------------------------------------------------------------------------------ memory

TEST(every_allocation_may_fail) {
    meter m = {1000000, 0};
    sp_context_def def = metered_context(&m);
    sp_context *ctx;
    sp_mesh *mesh;
    const double size[3] = {1, 1, 1};
    const int cells[3] = {2, 1, 1};
    REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
    REQUIRE(sp_mesh_box(ctx, size, cells, 6, &mesh) == SP_OK);
    write_box(mesh, false);
    sp_mesh_destroy(&mesh);
    long before = m.live;
    sp_status status = SP_NO_MEMORY;
    int n = 0;
    for (; status == SP_NO_MEMORY && n < 1000; n++) {
        m.allowed = n;
        status = sp_mesh_read(ctx, PATH, &mesh);
        CHECK(status == SP_OK || mesh == NULL);
        if (status == SP_OK) sp_mesh_destroy(&mesh);
        CHECK_INT(m.live, before);
    }
    CHECK(status == SP_OK && n > 10);
    sp_context_destroy(&ctx);
    remove(PATH);
}
