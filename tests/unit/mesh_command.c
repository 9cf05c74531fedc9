// `souple mesh` from the user's side: shapes are created, inspected, converted, refined and repaired; messages about mistakes.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMMAND_FOLDER "souple-mesh"
#include "command_folder.h"
#include "json_check.h"

// `souple mesh ARGUMENTS`
static int mesh(const char *arguments) {
    char all[512];
    snprintf(all, sizeof all, "mesh %s", arguments);
    return souple(all);
}

// a number of `mesh info --json FILE`
static double info(const char *file, const char *path) {
    char arguments[128];
    snprintf(arguments, sizeof arguments, "info %s --json", file);
    if (mesh(arguments) != 0 || !json_is_one(out)) {
        SP_TEST_FAILED("info %s: %s%s", file, out, err);
        return NAN;
    }
    return json_number_at(out, path);
}

TEST(mistakes_are_2_and_explained) {
    static const struct {
        const char *arguments, *said;
    } cases[] = {{"", "mesh info FILE"},
                 {"inof x", "did you mean \"info\""},
                 {"info", "which file"},
                 {"info not-there.msh", "not-there.msh"},
                 {"info a.msh --limit -1", "[0, 1000000]"},
                 {"convert a.msh", "into which file"},
                 {"generate", "which shape"},
                 {"generate bix --out a.msh", "did you mean \"box\""},
                 {"generate box", "--out"},
                 {"generate box --out a.xyz", ".msh"},
                 {"generate box --radius 1 --out a.msh", "not an option of \"box\""},
                 {"generate box --size 1,2 --out a.msh", "3 numbers"},
                 {"generate box --size 1,2,nan --out a.msh", "3 numbers"},
                 {"generate box --size 1,2,-3 --out a.msh", "must be positive"},
                 {"generate cylinder --cells 2,2,2 --out a.msh", "takes 2 numbers"},
                 {"generate sphere --cells 1.5 --out a.msh", "whole numbers"},
                 {"generate torus --tube 3 --out a.msh", "below the ring radius"},
                 {"generate box --out a.vtk --compress", "only vtu"},
                 {"generate box --out a.vtk --format vku", "did you mean"},
                 {"refine a.msh b.msh --times 2 --max-edge 3", "one of them"},
                 {"refine a.msh b.msh --box 1,2,3", "6 numbers"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int code = mesh(cases[i].arguments);
        if (code != 2 || !strstr(err, cases[i].said) || out[0])
            SP_TEST_FAILED("souple mesh %s: exit %d, said: %s", cases[i].arguments, code, err);
    }
    CHECK(!is_there("a.msh") && !is_there("a.vtk"));
    CHECK_INT(mesh("info not-there.msh --json"), 2);
    CHECK(json_is_one(out) && strstr(json_at(out, "error.message"), "not-there.msh"));
}

TEST(help) {
    static const char *const names[] = {"info", "convert", "generate", "refine"};
    CHECK_INT(mesh("--help"), 0);
    for (int i = 0; i < 4; i++) {
        char text[64];
        CHECK_INT(mesh("--help"), 0);
        CHECK(strstr(out, names[i]));
        snprintf(text, sizeof text, "%s --help", names[i]);
        CHECK_INT(mesh(text), 0);
        CHECK(strstr(out, "examples:") && strstr(out, "options:"));
    }
}

TEST(shapes) {
    CHECK_INT(mesh("generate box --size 0.4,0.1,0.1 --cells 8,2,2 --out box.msh"), 0);
    CHECK(strstr(out, "box.msh: 81 nodes, 160 tetrahedra"));
    CHECK_NEAR(info("box.msh", "volume"), 0.004, 1e-16);
    CHECK(json_number_at(out, "defect_count") == 0 && json_number_at(out, "angles.min") > 44);
    CHECK_INT(mesh("generate box --cells 2 --per-cell 6 --out six.msh --ascii"), 0);
    CHECK(info("six.msh", "elements") == 48);
    CHECK_INT(mesh("generate cylinder --radius 0.1 --length 0.5 --axis 1,0,0 --out cylinder.vtu"), 0);
    CHECK_NEAR(info("cylinder.vtu", "high.0"), 0.5, 1e-15);
    CHECK_INT(mesh("generate sphere --radius 1,2,3 --cells 3 --out ellipsoid.vtk"), 0);
    CHECK_NEAR(info("ellipsoid.vtk", "high.2"), 3, 1e-14);
    CHECK_INT(mesh("generate torus --ring 2 --tube 0.5 --cells 12,2 --out torus.stl"), 0);
    CHECK(info("torus.stl", "surface.closed_parts") == 1 && json_is(out, "kind", "triangles"));
    // a torus has as many edges as vertices and faces together
    CHECK(json_number_at(out, "surface.edges") == json_number_at(out, "surface.vertices") + json_number_at(out, "surface.faces"));
    CHECK(json_number_at(out, "defect_count") == 0);
}

TEST(conversions) {
    static const char *const files[] = {"b.msh", "b.vtu", "b.vtk", "b.node"};
    CHECK_INT(mesh("generate box --size 1,2,3 --out from.msh"), 0);
    for (int i = 0; i < 4; i++) {
        char text[64];
        snprintf(text, sizeof text, "convert from.msh %s --scale 0.5", files[i]);
        if (mesh(text) != 0) SP_TEST_FAILED("%s: %s", text, err);
        CHECK_NEAR(info(files[i], "volume"), 0.75, 1e-14);
    }
    CHECK_INT(mesh("convert from.msh skin.obj"), 0);
    CHECK_INT(mesh("convert skin.obj skin.ply --scale 1,1,2 --translate 10,0,0"), 0);
    CHECK_NEAR(info("skin.ply", "volume"), 12, 1e-5);  // floats
    CHECK_NEAR(json_number_at(out, "low.0"), 10, 1e-6);
    CHECK_INT(mesh("convert from.msh skin.vtu --surface"), 0);
    CHECK(info("skin.vtu", "elements") == 192 && json_is(out, "kind", "triangles"));
}

TEST(hexahedra_and_quadratic_tetrahedra) {
    CHECK_INT(mesh("generate box --size 2,1,1 --cells 4,2,2 --per-cell 1 --out bricks.msh"), 0);
    CHECK(strstr(out, "bricks.msh: 45 nodes, 16 hexahedra, 2 m3"));
    CHECK(info("bricks.msh", "types.hexahedra") == 16 && info("bricks.msh", "types.tetrahedra") == 0);
    CHECK_NEAR(info("bricks.msh", "jacobian_ratio.min"), 1, 1e-14);  // rounding of eight equal determinants
    CHECK_INT(mesh("info bricks.msh"), 0);
    CHECK(strstr(out, "16 hexahedra") && strstr(out, "Jacobian ratio") && !strstr(out, "dihedral"));
    CHECK_INT(mesh("convert bricks.msh cut.vtu --tetrahedra"), 0);
    CHECK(strstr(out, "cut.vtu: 45 nodes, 96 tetrahedra, 2 m3"));
    CHECK_INT(mesh("convert cut.vtu bent.vtk --order 2"), 0);
    // Euler: 45 nodes + 96 * 4 / 2 + 80 / 2 faces - 96 elements - 1 = 180 edges
    CHECK(strstr(out, "bent.vtk: 225 nodes, 96 quadratic tetrahedra, 2 m3"));
    CHECK_INT(mesh("convert bent.vtk again.msh --order 2"), 0);
    CHECK(strstr(out, "again.msh: 225 nodes, 96 quadratic tetrahedra"));
    CHECK_INT(mesh("convert bricks.msh bent.vtk --order 2"), 2);
    CHECK(strstr(err, "element 1 is a hexahedron, must be a linear tetrahedron to become quadratic"));
    CHECK_INT(mesh("convert bricks.msh bent.vtk --order 3"), 2);
    CHECK_INT(mesh("refine bricks.msh fine.msh"), 2);
    CHECK(strstr(err, "must be a linear tetrahedron to be refined"));
    CHECK_INT(mesh("info bricks.msh --repair fine.msh"), 2);
    CHECK(strstr(err, "must be a linear tetrahedron to be repaired") && !is_there("fine.msh"));
    CHECK_INT(mesh("generate box --per-cell 3 --out fine.msh"), 2);
    CHECK(strstr(err, "3 elements a cell, must be 1, 5 or 6"));
}

TEST(refinements) {
    CHECK_INT(mesh("generate box --cells 2 --out coarse.msh"), 0);
    CHECK_INT(mesh("refine coarse.msh fine.msh"), 0);
    CHECK(info("fine.msh", "elements") == 320 && json_number_at(out, "defect_count") == 0);
    CHECK_INT(mesh("refine coarse.msh local.msh --box 0,0,0,0.5,0.5,0.5 --max-edge 0.2"), 0);
    CHECK(info("local.msh", "defect_count") == 0 && json_number_at(out, "elements") > 100);
    CHECK_NEAR(json_number_at(out, "volume"), 1, 1e-13);
    CHECK_INT(mesh("refine coarse.msh no.msh --group nose"), 2);
    CHECK(strstr(err, "nose") && !is_there("no.msh"));
    CHECK_INT(mesh("convert coarse.msh coarse.stl"), 0);
    CHECK_INT(mesh("refine coarse.stl fine.stl --times 2"), 0);
    CHECK(info("fine.stl", "elements") == 48 * 16);
    CHECK_INT(mesh("refine coarse.stl no.stl --max-edge 0.1"), 2);
}

// a tetrahedron of triangles with an unreferenced vertex, a duplicate triangle, a reversed one and one without area
static const char *const sick = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 5 5 5\n"
                                "f 1 3 2\nf 1 2 4\nf 1 3 4\nf 2 3 4\nf 4 2 3\nf 1 2 2\n";

TEST(defects_are_reported_and_repaired) {
    put("sick.obj", sick);
    CHECK_INT(mesh("info sick.obj"), 0);
    const char *first = strstr(out, "defects\n"), *numbers = strstr(out, "components");
    CHECK(first && numbers && first < numbers);  // defects come first
    CHECK(strstr(out, "1 duplicate") && strstr(out, "1 unreferenced") && strstr(out, "1 degenerate"));
    CHECK(strstr(out, "3 orientation"));
    CHECK_INT(mesh("info sick.obj --strict"), 1);
    CHECK(info("sick.obj", "defects.duplicate.count") == 1);
    CHECK_INT(mesh("info sick.obj --repair well.ply --strict"), 0);
    CHECK(strstr(out, "1 node of no element left out") && strstr(out, "1 triangle turned"));
    CHECK(strstr(out, "no defects are left"));
    CHECK(info("well.ply", "defect_count") == 0 && json_number_at(out, "elements") == 4);
    CHECK_NEAR(json_number_at(out, "volume"), 1.0 / 6, 1e-7);
    CHECK_INT(mesh("info sick.obj --repair well.ply --json"), 0);
    CHECK(json_is_one(out) && json_number_at(out, "repair.dropped_duplicates") == 1);
    // defects that cannot be repaired safely stay and are reported
    put("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n");
    CHECK_INT(mesh("info open.obj --repair still.obj --strict"), 1);
    CHECK(strstr(out, "3 defects are left") && strstr(out, "3 open-edge"));
}

// tetrahedra that sp_mesh_read would refuse: one flat, one inverted, an unreferenced node
TEST(bad_tetrahedra_are_inspected) {
    put("bad.node", "6 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 0\n6 9 9 9\n");
    put("bad.ele", "2 4 0\n1 1 3 2 4\n2 1 2 3 5\n");
    CHECK_INT(mesh("convert bad.node bad.msh"), 2);
    CHECK(strstr(err, "flat") && !is_there("bad.msh"));
    CHECK_INT(mesh("info bad.node"), 0);
    CHECK(strstr(out, "1 inverted") && strstr(out, "1 degenerate") && strstr(out, "1 unreferenced") && strstr(out, "node 6"));
    CHECK_INT(mesh("info bad.node --repair good.msh"), 0);
    CHECK(strstr(out, "1 tetrahedron oriented positively"));
    CHECK_NEAR(info("good.msh", "volume"), 1.0 / 6, 1e-15);
}
