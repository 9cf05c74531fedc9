// Files of Gmsh itself (4.8 or later, where its program `gmsh` is installed; skipped otherwise). Its .msh 2.2 and 4.1 files, text
// and binary, straight, quadratic, of hexahedra and in partitions, are read with the same volume and groups. Gmsh reads our files
// without a complaint, and they come back bit for bit.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "math/vec3.h"
#include "unit/mesh_help.h"

#define FOLDER SP_BINARY_DIR "/verify_mesh_gmsh"

static bool run(const char *command) {
    char line[1200];
    snprintf(line, sizeof line, "cd " FOLDER " && %s >log.txt 2>&1", command);
    int status = system(line);
    return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool have_gmsh(void) {
    mkdir(FOLDER, 0777);
    if (run("gmsh -version")) return true;
    printf("  gmsh is not installed, nothing was compared\n");
    return false;
}

static bool log_says(const char *word) {
    char line[400];
    bool found = false;
    FILE *f = fopen(FOLDER "/log.txt", "r");
    while (f && !found && fgets(line, sizeof line, f)) found = strstr(line, word) != NULL;
    if (f) fclose(f);
    return found;
}

// two bricks in one: volumes in overlapping groups, a face, an edge, a point
static void write_model(void) {
    FILE *f = fopen(FOLDER "/model.geo", "w");
    if (!f) return;
    fputs("SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 1, 1};\nBox(2) = {1, 0, 0, 0.5, 1, 1};\nCoherence;\n"
          "Mesh.MeshSizeMax = 0.5;\nPhysical Volume(\"left\", 1) = {1};\nPhysical Volume(\"right\", 2) = {2};\n"
          "Physical Volume(\"all of it\", 7) = {1, 2};\nPhysical Surface(\"skin\", 1) = {1, 2};\n"
          "Physical Surface(5) = {2};\nPhysical Curve(\"edge\", 3) = {1};\nPhysical Point(\"corner\", 9) = {1};\n",
          f);
    fclose(f);
    f = fopen(FOLDER "/ball.geo", "w");
    if (!f) return;
    fputs(
        "SetFactory(\"OpenCASCADE\");\nSphere(1) = {0, 0, 0, 1};\nMesh.MeshSizeMax = 0.4;\nPhysical Volume(\"ball\", 1) = {1};\n",
        f);
    fclose(f);
    f = fopen(FOLDER "/bricks.geo", "w");
    if (!f) return;
    fputs("Point(1) = {0, 0, 0};\nl[] = Extrude {1, 0, 0} { Point{1}; Layers{3}; Recombine; };\n"
          "s[] = Extrude {0, 2, 0} { Line{l[1]}; Layers{2}; Recombine; };\n"
          "v[] = Extrude {0, 0, 3} { Surface{s[1]}; Layers{4}; Recombine; };\nPhysical Volume(\"bricks\", 4) = {v[1]};\n",
          f);
    fclose(f);
}

static sp_mesh *read_mesh(sp_context *ctx, const char *name) {
    char path[400];
    sp_mesh *mesh = NULL;
    snprintf(path, sizeof path, FOLDER "/%s", name);
    if (sp_mesh_read(ctx, path, &mesh) < 0) SP_TEST_FAILED("%s", sp_context_error(ctx)->message);
    return mesh;
}

// sums of some hundred volumes of a mesh of size 1, positions with 16 digits in text files
static const double rounding = 1e-13;

static void check_model(const sp_mesh *mesh) {
    CHECK_NEAR(sp_mesh_volume(mesh), 1.5, rounding);
    CHECK_NEAR(group_volume(mesh, "left"), 1, rounding);
    CHECK_NEAR(group_volume(mesh, "right"), 0.5, rounding);
    CHECK_NEAR(group_volume(mesh, "all of it"), 1.5, rounding);
    CHECK_NEAR(group_volume(mesh, "2"), 0.5, rounding);
    const sp_mesh_group *corner = sp_mesh_group_named(mesh, "corner"), *skin = sp_mesh_group_named(mesh, "skin");
    const sp_mesh_group *five = sp_mesh_group_named(mesh, "5"), *edge = sp_mesh_group_named(mesh, "edge");
    CHECK(corner && corner->node_count == 1 && edge && edge->node_count >= 2);
    CHECK(skin && skin->element_count == 0 && five && five->node_count > 3 && skin->node_count > five->node_count);
}

static const struct {
    const char *name, *options;
} kinds[] = {{"text2.msh", "-format msh22"},
             {"binary2.msh", "-format msh22 -bin"},
             {"text4.msh", "-format msh41"},
             {"binary4.msh", "-format msh41 -bin"},
             {"parameters.msh", "-format msh41 -bin -parametric -save_all"},
             {"parts.msh", "-format msh41 -part 3"},
             {"parts_binary.msh", "-format msh41 -bin -part 3"},
             {"quadratic.msh", "-format msh41 -order 2"},
             {"quadratic2.msh", "-format msh22 -bin -order 2"}};

TEST(gmsh_files_are_read) {
    sp_context *ctx = mesh_context();
    if (have_gmsh()) {
        write_model();
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            char command[300];
            snprintf(command, sizeof command, "gmsh -3 model.geo %s -o %s", kinds[i].options, kinds[i].name);
            if (!run(command)) {
                SP_TEST_FAILED("gmsh could not write %s", kinds[i].name);
                continue;
            }
            sp_mesh *mesh = read_mesh(ctx, kinds[i].name);
            if (mesh) check_model(mesh);
            sp_mesh_destroy(&mesh);
        }
    }
    sp_context_destroy(&ctx);
}

// 3 x 2 x 4 hexahedra of Gmsh, as they are, and cut into six tetrahedra each, face to face; of order 2 by their corners
TEST(hexahedra_of_gmsh) {
    sp_context *ctx = mesh_context();
    if (have_gmsh()) {
        write_model();
        static const char *const options[] = {"-format msh41 -bin", "-format msh22", "-format msh41 -order 2", "-format vtk"};
        for (int i = 0; i < 8; i++) {
            char command[200];
            const char *name = strstr(options[i / 2], "vtk") ? "bricks.vtk" : "bricks.msh";
            sp_mesh *mesh = NULL;
            snprintf(command, sizeof command, "gmsh -3 bricks.geo %s -o %s", options[i / 2], name);
            CHECK(run(command));
            snprintf(command, sizeof command, "%s/%s", FOLDER, name);
            if ((i % 2 ? sp_mesh_read_tets : sp_mesh_read)(ctx, command, &mesh) < 0)
                SP_TEST_FAILED("%s", sp_context_error(ctx)->message);
            if (mesh) {
                CHECK_INT(sp_mesh_element_count(mesh), i % 2 ? 24 * 6 : 24);
                CHECK(sp_mesh_element(mesh, 0, NULL) == (i % 2 ? SP_ELEMENT_TET4 : SP_ELEMENT_HEX8));
                CHECK_INT(sp_mesh_node_count(mesh), 4 * 3 * 5);
                CHECK_INT(sp_mesh_face_count(mesh), 2 * 2 * (3 * 2 + 2 * 4 + 3 * 4));
                CHECK_NEAR(sp_mesh_volume(mesh), 6, 6 * rounding);
                if (i < 6) CHECK_NEAR(group_volume(mesh, "bricks"), 6, 6 * rounding);
            }
            sp_mesh_destroy(&mesh);
        }
    }
    sp_context_destroy(&ctx);
}

// Quadratic tetrahedra of Gmsh on a ball: boundary nodes lie on the sphere, and each node on an edge is nearest to its middle.
TEST(quadratic_tetrahedra_of_gmsh) {
    static const int edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    static const char *const files[][2] = {
        {"-format msh41", "ball.msh"}, {"-format msh22 -bin", "ball.msh"}, {"-format vtk", "ball.vtk"}};
    sp_context *ctx = mesh_context();
    for (int i = 0; i < 3 && have_gmsh(); i++) {
        char command[200];
        write_model();
        snprintf(command, sizeof command, "gmsh -3 ball.geo -order 2 %s -o %s", files[i][0], files[i][1]);
        CHECK(run(command));
        sp_mesh *mesh = read_mesh(ctx, files[i][1]);
        if (!mesh) continue;
        const double *x = sp_mesh_positions(mesh);
        for (int e = 0; e < sp_mesh_element_count(mesh); e++) {
            const int *n;
            CHECK(sp_mesh_element(mesh, e, &n) == SP_ELEMENT_TET10);
            for (int k = 0; k < 36; k++) {
                // distance of node 4 + k / 6 from the middle of each edge: the own edge is the nearest, because edges are much
                // longer than the height of an arc
                double own[3], other[3];
                for (int c = 0; c < 3; c++) {
                    double mid = x[3 * n[4 + k / 6] + c];
                    own[c] = mid - 0.5 * (x[3 * n[edges[k / 6][0]] + c] + x[3 * n[edges[k / 6][1]] + c]);
                    other[c] = mid - 0.5 * (x[3 * n[edges[k % 6][0]] + c] + x[3 * n[edges[k % 6][1]] + c]);
                }
                CHECK(k / 6 == k % 6 || sp__norm3(own) < 0.6 * sp__norm3(other));
            }
        }
        for (int f = 0; f < 3 * sp_mesh_face_count(mesh); f++)
            CHECK_NEAR(sp__norm3(x + 3 * sp_mesh_faces(mesh)[f]), 1, 1e-6);  // of Gmsh's parametrisation of the sphere
        // flat faces of this size lose 3 %; quadratic ones, of the fourth order, 0.1 %
        CHECK_NEAR(sp_mesh_volume(mesh) / (4 * SP_PI / 3), 1, 2e-3);
        sp_mesh_destroy(&mesh);
    }
    sp_context_destroy(&ctx);
}

// our file is converted by Gmsh to a binary file and read back: all numbers and groups are kept. Gmsh keeps the node order of a
// model of one volume; it renumbers nodes and elements
static void through_gmsh(sp_context *ctx, const sp_mesh *mesh, bool bricks, const char *format, sp_encoding encoding) {
    sp_mesh_write_options o = sp_mesh_write_options_default();
    sp_mesh *back = NULL;
    o.format = format, o.encoding = encoding;
    if (sp_mesh_write(mesh, FOLDER "/ours.msh", &o) < 0) {
        SP_TEST_FAILED("%s", sp_context_error(ctx)->message);
        return;
    }
    CHECK(run("gmsh -check ours.msh -v 5 -nopopup"));
    CHECK(!log_says("Error") && !log_says("Warning"));
    CHECK(run("gmsh ours.msh -v 5 -0 -bin -format msh41 -o theirs.msh"));
    CHECK(!log_says("Error") && !log_says("Warning"));
    if (!(back = read_mesh(ctx, "theirs.msh"))) return;
    CHECK_INT(sp_mesh_element_count(back), sp_mesh_element_count(mesh));
    CHECK_INT(sp_mesh_node_count(back), sp_mesh_node_count(mesh));
    CHECK_NEAR(sp_mesh_volume(back), sp_mesh_volume(mesh), rounding);
    CHECK(sp_mesh_element(back, 0, NULL) == sp_mesh_element(mesh, 0, NULL));
    static const char *const names[] = {"bricks", "whole", "half", "pinned"};
    for (int i = bricks ? 0 : 1; i < (bricks ? 1 : 4); i++) {
        const sp_mesh_group *a = sp_mesh_group_named(mesh, names[i]), *b = sp_mesh_group_named(back, names[i]);
        CHECK(a && b && a->element_count == b->element_count && a->node_count == b->node_count);
    }
    // the same points, bit for bit, in any order: sums of hashes do not depend on it
    uint64_t sums[2] = {0, 0};
    for (int i = 0; i < sp_mesh_node_count(mesh) && sp_mesh_node_count(back) == sp_mesh_node_count(mesh); i++)
        for (int which = 0; which < 2; which++) {
            uint64_t bits[3];
            memcpy(bits, sp_mesh_positions(which ? back : mesh) + 3 * i, sizeof bits);
            sums[which] += sp__mix(bits[0] ^ sp__mix(bits[1], 1) ^ sp__mix(bits[2], 2), 3);
        }
    CHECK(sums[0] == sums[1]);
    sp_mesh_destroy(&back);
}

static sp_mesh *box_with_groups(sp_context *ctx) {
    sp_mesh *box = NULL, *mesh = NULL;
    if (sp_mesh_box(ctx, (const double[]){1, 1.1, 0.9}, (const int[]){3, 4, 2}, 6, &box) < 0) return NULL;
    int n = sp_mesh_element_count(box), *all = malloc(sizeof(int) * (size_t)n), pinned[] = {0, 1, 5};
    for (int i = 0; i < n; i++) all[i] = i;
    sp_mesh_group groups[] = {{.name = "whole", .elements = all, .element_count = n},
                              {.name = "half", .elements = all, .element_count = n / 2},
                              {.name = "pinned", .nodes = pinned, .node_count = 3}};
    // a group of elements contains their nodes
    int *nodes = malloc(sizeof(int) * (size_t)sp_mesh_node_count(box)), halves = 0;
    for (int i = 0; i < sp_mesh_node_count(box); i++) nodes[i] = i;
    groups[0].nodes = nodes, groups[0].node_count = sp_mesh_node_count(box);
    int *half = calloc((size_t)sp_mesh_node_count(box), sizeof(int));
    for (int i = 0; i < 4 * (n / 2); i++) half[sp_mesh_tets(box)[i]] = 1;
    for (int i = 0; i < sp_mesh_node_count(box); i++)
        if (half[i]) half[halves++] = i;
    groups[1].nodes = half, groups[1].node_count = halves;
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = sp_mesh_node_count(box), def.positions = sp_mesh_positions(box);
    def.element_count = n, def.element_nodes = sp_mesh_tets(box), def.groups = groups, def.group_count = 3;
    sp_mesh_create(ctx, &def, &mesh);
    sp_mesh_destroy(&box);
    free(all), free(nodes), free(half);
    return mesh;
}

// quadratic tetrahedra, or the bricks that Gmsh made
static sp_mesh *other_elements(sp_context *ctx, const sp_mesh *box, bool hexahedra) {
    sp_mesh *out = NULL;
    write_model();
    if (!hexahedra) sp_mesh_order2(box, NULL, NULL, &out);
    if (hexahedra && run("gmsh -3 bricks.geo -format msh41 -bin -o bricks.msh")) out = read_mesh(ctx, "bricks.msh");
    return out;
}

TEST(gmsh_reads_written_files) {
    static const char *const formats[] = {"msh", "msh2"};
    static const sp_encoding encodings[] = {SP_ENCODING_ASCII, SP_ENCODING_BINARY};
    sp_context *ctx = mesh_context();
    sp_mesh *mesh = box_with_groups(ctx);
    REQUIRE(mesh);
    for (int i = 0; i < 3 && have_gmsh(); i++) {
        sp_mesh *other = i ? other_elements(ctx, mesh, i == 2) : NULL;
        CHECK(i == 0 || other);
        for (int way = 0; way < 4 && (i == 0 || other); way += i ? 3 : 1)
            through_gmsh(ctx, other ? other : mesh, i == 2, formats[way / 2], encodings[way % 2]);
        sp_mesh_destroy(&other);
    }
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}
