// Element types of the shapes of a scene: hexahedra of a box, quadratic tetrahedra with nodes on the true surface, mesh files cut
// into tetrahedra. Only the mesh is built, not the body.
#include "io/run/build.h"
#include "math/vec3.h"
#include "scene_help.h"

typedef struct built {
    loaded scene;
    sp_run run;
    sp_run_body body;
    sp_status status;
} built;

static built build(const char *shape) {
    char text[600];
    built b = {0};
    snprintf(text, sizeof text, "<scene><solid name='b'>%s</solid><stop steps='1'/></scene>", shape);
    b.scene = load_text(text, SP_SOURCE_DIR "/tests/scene.xml", 0, NULL);
    if (b.scene.status < 0) {
        print_messages(b.scene.scene);
        SP_TEST_FAILED("%s", shape);
        b.status = b.scene.status;
        return b;
    }
    b.run = (sp_run){.ctx = b.scene.context, .scene = b.scene.scene};
    b.run.keep.ctx = b.run.scratch.ctx = b.run.ctx;
    b.body.node = sp__next_child(sp__scene_root(b.run.scene), "solid", NULL);
    b.status = sp__build_mesh(&b.run, &b.body);
    return b;
}

static void tear_down(built *b) {
    if (b->body.placed != b->body.own) sp_mesh_destroy(&b->body.placed);
    sp_mesh_destroy(&b->body.own);
    sp__keep_free(&b->run.scratch);
    sp__keep_free(&b->run.keep);
    unload(&b->scene);
}

// all elements of one type
static bool only(const built *b, sp_element_type type, int count) {
    if (b->status < 0 || !b->body.own) return false;
    bool all = sp_mesh_element_count(b->body.own) == count;
    for (int e = 0; e < sp_mesh_element_count(b->body.own); e++) all = all && sp_mesh_element(b->body.own, e, NULL) == type;
    return all;
}

TEST(patterns_and_orders_of_a_box) {
    static const struct {
        const char *shape;
        sp_element_type type;
        int count;
    } cases[] = {{"<box size='2 1 1' cells='4 2 2'/>", SP_ELEMENT_TET4, 80},
                 {"<box size='2 1 1' cells='4 2 2' pattern='6'/>", SP_ELEMENT_TET4, 96},
                 {"<box size='2 1 1' cells='4 2 2' pattern='hex'/>", SP_ELEMENT_HEX8, 16},
                 {"<box size='2 1 1' pattern='hex'/>", SP_ELEMENT_HEX8, 8 * 4 * 4},
                 {"<box size='2 1 1' cells='4 2 2' order='1'/>", SP_ELEMENT_TET4, 80},
                 {"<box size='2 1 1' cells='4 2 2' order='2'/>", SP_ELEMENT_TET10, 80},
                 {"<box size='2 1 1' cells='4 2 2' order='2' pattern='6'/>", SP_ELEMENT_TET10, 96}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        built b = build(cases[i].shape);
        if (!only(&b, cases[i].type, cases[i].count)) SP_TEST_FAILED("%s", cases[i].shape);
        // sums over up to a thousand integration points
        if (b.body.own) CHECK_NEAR(sp_mesh_volume(b.body.own), 2, 1e-13);
        tear_down(&b);
    }
}

// ------------------------------------------------------------------------------------------------ curved shapes

// the implicit function of each shape below, 0 on its surface
static double of_ellipsoid(const double x[3]) {
    return sqrt(x[0] * x[0] / 0.09 + x[1] * x[1] / 0.04 + x[2] * x[2]) - 1;
}

static double of_cylinder(const double x[3]) {
    // along (1, 2, 2) / 3 from the origin, radius 0.3, length 0.8
    double height = (x[0] + 2 * x[1] + 2 * x[2]) / 3, r2 = sp__dot3(x, x) - height * height;
    return fmax(sqrt(fmax(r2, 0)) - 0.3, fabs(height - 0.4) - 0.4);
}

static double of_torus(const double x[3]) {
    double ring = hypot(x[0], x[1]) - 1;
    return hypot(ring, x[2]) - 0.3;
}

TEST(nodes_on_edges_lie_on_the_true_surface) {
    static const struct {
        const char *flat, *curved;
        double (*surface)(const double x[3]);
        double volume;
    } cases[] = {{"<sphere radius='0.3 0.2 1' cells='4'/>", "<sphere radius='0.3 0.2 1' cells='4' order='2'/>", of_ellipsoid,
                  4 * SP_PI / 3 * 0.3 * 0.2},
                 {"<cylinder radius='0.3' length='0.8' axis='1 2 2' cells='4 6'/>",
                  "<cylinder radius='0.3' length='0.8' axis='1 2 2' cells='4 6' order='2'/>", of_cylinder, SP_PI * 0.09 * 0.8},
                 {"<torus radius='1 0.3' axis='0 0 -5' cells='36 3'/>",
                  "<torus radius='1 0.3' axis='0 0 -5' cells='36 3' order='2'/>", of_torus, 2 * SP_PI * SP_PI * 0.09}};
    for (int i = 0; i < 3; i++) {
        built flat = build(cases[i].flat), curved = build(cases[i].curved);
        if (flat.body.own && curved.body.own) {
            const sp_mesh *mesh = curved.body.own;
            CHECK(only(&curved, SP_ELEMENT_TET10, sp_mesh_element_count(flat.body.own)));
            // rounding of positions of about 1
            for (int f = 0; f < 3 * sp_mesh_face_count(mesh); f++)
                CHECK_NEAR(cases[i].surface(sp_mesh_positions(mesh) + 3 * sp_mesh_faces(mesh)[f]), 0, 1e-13);
            double lost = cases[i].volume - sp_mesh_volume(flat.body.own), left = cases[i].volume - sp_mesh_volume(mesh);
            // flat faces lose volume with the second power of the cell size, curved ones with the fourth: here more than 50 times
            // less
            CHECK(lost > 0 && fabs(left) < lost / 50);
        } else {
            SP_TEST_FAILED("%s", cases[i].curved);
        }
        tear_down(&flat), tear_down(&curved);
    }
}

TEST(an_organ_gets_nodes_on_its_edges) {
    built b = build("<organ kind='liver' elements='600' order='2'/>");
    CHECK(b.body.own && only(&b, SP_ELEMENT_TET10, sp_mesh_element_count(b.body.own)));
    tear_down(&b);
}

// ------------------------------------------------------------------------------------------------ files

TEST(files_are_taken_as_they_are_or_cut) {
    built b = build("<mesh file='data/bad/bricks.vtk'/>");
    REQUIRE(b.body.own);
    CHECK(sp_mesh_element(b.body.own, 0, NULL) == SP_ELEMENT_TET4 && sp_mesh_element(b.body.own, 1, NULL) == SP_ELEMENT_HEX8);
    tear_down(&b);
    b = build("<mesh file='data/bad/bricks.vtk' tetrahedra='yes'/>");
    CHECK(only(&b, SP_ELEMENT_TET4, 7));
    tear_down(&b);
    b = build("<mesh file='data/bad/bricks.vtk' tetrahedra='yes' order='2' scale='0.5'/>");
    CHECK(only(&b, SP_ELEMENT_TET10, 7));
    CHECK_NEAR(b.body.own ? sp_mesh_volume(b.body.own) : 0, 7.0 / 6 / 8, 1e-15);
    tear_down(&b);
    // quadratic already
    b = build("<mesh file='fuzz/mesh/tet10.msh' order='2'/>");
    CHECK(only(&b, SP_ELEMENT_TET10, 5));
    CHECK_INT(b.body.own ? sp_mesh_node_count(b.body.own) : 0, 26);
    tear_down(&b);
}

TEST(parts_and_welding_keep_the_types) {
    built b = build("<mesh file='data/bad/bricks.vtk' weld='1e-6'/>");
    REQUIRE(b.body.own);
    CHECK(sp_mesh_element(b.body.own, 1, NULL) == SP_ELEMENT_HEX8 && sp_mesh_node_count(b.body.own) == 9);
    tear_down(&b);
    b = build("<mesh file='data/bad/bricks.vtk' weld='1.1'/>");
    CHECK_INT(b.status, SP_BAD_INPUT);
    tear_down(&b);
}
