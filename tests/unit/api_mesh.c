// Calls every public function about surfaces, checking, repairing and refining meshes, as a host would.
#include "souple/io.h"
#include "test.h"

typedef struct fixture {
    sp_context *context;
    sp_mesh *box;
    sp_trimesh *skin;
} fixture;

static bool set_up(fixture *f) {
    *f = (fixture){0};
    return sp_context_create(NULL, &f->context) == SP_OK &&
           sp_mesh_box(f->context, (double[]){2, 1, 1}, (int[]){4, 2, 2}, 6, &f->box) == SP_OK &&
           sp_mesh_boundary(f->box, &f->skin) == SP_OK;
}

static void tear_down(fixture *f) {
    sp_trimesh_destroy(&f->skin);
    sp_mesh_destroy(&f->box);
    sp_context_destroy(&f->context);
}

TEST(elements) {
    fixture f;
    REQUIRE(set_up(&f));
    const int *nodes;
    double natural[3], x[3], volumes[SP_ELEMENT_NODES_MAX];
    CHECK_INT(sp_element_nodes(SP_ELEMENT_HEX8), 8);
    CHECK(!strcmp(sp_element_name(SP_ELEMENT_TET10), "quadratic tetrahedron"));
    CHECK(sp_mesh_element(f.box, 3, &nodes) == SP_ELEMENT_TET4 && nodes == sp_mesh_tets(f.box) + 12);
    sp_element_natural(SP_ELEMENT_TET4, 2, natural);
    sp_mesh_element_point(f.box, 3, natural, x);
    for (int k = 0; k < 3; k++) CHECK(x[k] == sp_mesh_positions(f.box)[3 * nodes[2] + k]);
    sp_mesh_element_integrals(f.box, 3, volumes);
    // the box of 2 m3 has 96 tetrahedra of equal volume
    for (int k = 0; k < 4; k++) CHECK_NEAR(volumes[k], 2.0 / 96 / 4, 1e-17);
    int face = sp_mesh_face_count(f.box) - 1, element = sp_mesh_face_element(f.box, face), shared = 0;
    for (int k = 0; k < 12; k++) shared += sp_mesh_tets(f.box)[4 * element + k / 3] == sp_mesh_faces(f.box)[3 * face + k % 3];
    CHECK_INT(shared, 3);
    // tetrahedra are their own cells
    double at[3];
    int cell;
    CHECK(sp_mesh_cell_count(f.box) == 96 && sp_mesh_cells(f.box) == sp_mesh_tets(f.box));
    CHECK(sp_mesh_cell_element(f.box, 7) == 7 && sp_mesh_element_cell(f.box, 7) == 7);
    CHECK(sp_mesh_locate_cell(f.box, sp_mesh_positions(f.box), &cell, at) >= -1e-12);  // a corner, up to rounding
    tear_down(&f);
}

TEST(surfaces) {
    fixture f;
    REQUIRE(set_up(&f));
    CHECK(sp_mesh_context(f.box) == f.context && sp_trimesh_context(f.skin) == f.context);
    sp_trimesh_def def = sp_trimesh_def_default(), got;
    sp_trimesh_get(f.skin, &def);
    CHECK(def.face_count == 80 && def.vertex_count == 42);
    sp_trimesh *copy, *fine, *moved;
    REQUIRE(sp_trimesh_create(f.context, &def, &copy) == SP_OK);
    REQUIRE(sp_trimesh_subdivided(copy, 1, true, 30, &fine) == SP_OK);
    REQUIRE(sp_trimesh_transformed(copy, (double[]){2, 2, 2}, NULL, &moved) == SP_OK);
    sp_trimesh_get(fine, &got);
    CHECK(got.face_count == 320);
    sp_trimesh_get(moved, &got);
    CHECK(got.positions[3 * got.vertex_count - 3] == 4);
    sp_trimesh_destroy(&moved), sp_trimesh_destroy(&fine), sp_trimesh_destroy(&copy);
    tear_down(&f);
}

TEST(checking_and_repairing) {
    fixture f;
    REQUIRE(set_up(&f));
    sp_mesh_def mesh = sp_mesh_def_default();
    sp_trimesh_def skin;
    mesh.node_count = sp_mesh_node_count(f.box), mesh.positions = sp_mesh_positions(f.box);
    mesh.element_count = sp_mesh_element_count(f.box) - 1, mesh.element_nodes = sp_mesh_tets(f.box);
    sp_trimesh_get(f.skin, &skin);
    skin.face_count--;
    sp_examine_options o = sp_examine_options_default();
    sp_mesh_report *report;
    bool whole;
    REQUIRE(sp_mesh_examine(f.context, &mesh, &o, &report) == SP_OK);
    CHECK_NEAR(sp_mesh_report_stats(report)->volume, 2 - 2.0 / 96, 1e-14);
    CHECK(sp_mesh_report_count(report, SP_DEFECT_INVERTED, &whole) == 0 && whole);
    sp_mesh_report_destroy(&report);
    REQUIRE(sp_trimesh_examine(f.context, &skin, &o, &report) == SP_OK);
    CHECK(sp_mesh_report_count(report, SP_DEFECT_OPEN_EDGE, &whole) == 3);
    sp_defect defect;
    CHECK(sp_mesh_report_at(report, 0, &defect) == SP_OK && defect.kind == SP_DEFECT_OPEN_EDGE);
    CHECK(!strcmp(sp_defect_name(SP_DEFECT_OPEN_EDGE), "open-edge") &&
          strstr(sp_defect_text(SP_DEFECT_OPEN_EDGE), "one triangle"));
    sp_mesh_report_destroy(&report);
    sp_mesh *mended;
    sp_trimesh *closed;
    sp_mesh_repairs done;
    REQUIRE(sp_mesh_repaired(f.context, &mesh, &o, &mended, &done) == SP_OK);
    CHECK(done.turned == 0 && sp_mesh_element_count(mended) == mesh.element_count);
    REQUIRE(sp_trimesh_repaired(f.context, &skin, NULL, &closed, &done) == SP_OK);
    sp_mesh_destroy(&mended), sp_trimesh_destroy(&closed);
    tear_down(&f);
}

TEST(meshes_of_triangles) {
    fixture f;
    REQUIRE(set_up(&f));
    sp_mesh *sheet, *disc, *skin;
    sp_trimesh *boundary;
    REQUIRE(sp_mesh_sheet(f.context, (double[]){1, 2}, (int[]){2, 3}, true, &sheet) == SP_OK);
    REQUIRE(sp_mesh_disc(f.context, 1, 2, &disc) == SP_OK);
    REQUIRE(sp_mesh_boundary(f.box, &boundary) == SP_OK && sp_mesh_of_triangles(boundary, &skin) == SP_OK);
    CHECK(sp_mesh_element(sheet, 0, NULL) == SP_ELEMENT_TRI3 && sp_mesh_element_count(sheet) == 24);
    CHECK(sp_mesh_element_count(disc) == 24 && sp_mesh_element_count(skin) == sp_mesh_face_count(f.box));
    sp_mesh_destroy(&sheet), sp_mesh_destroy(&disc), sp_mesh_destroy(&skin), sp_trimesh_destroy(&boundary);
    tear_down(&f);
}

TEST(refining) {
    fixture f;
    REQUIRE(set_up(&f));
    sp_mesh *quadratic;
    REQUIRE(sp_mesh_order2(f.box, NULL, NULL, &quadratic) == SP_OK);
    CHECK(sp_mesh_element(quadratic, 0, NULL) == SP_ELEMENT_TET10 && !sp_mesh_tets(quadratic));
    sp_mesh_destroy(&quadratic);
    sp_mesh *fine;
    REQUIRE(sp_mesh_refined(f.box, 1, &fine) == SP_OK);
    CHECK_INT(sp_mesh_element_count(fine), 8 * sp_mesh_element_count(f.box));
    sp_mesh_destroy(&fine);
    sp_selection corner = sp_selection_default();
    corner.has_box = true, corner.box[3] = corner.box[4] = corner.box[5] = 0.5;
    REQUIRE(sp_mesh_refined_where(f.box, &corner, 0.3, 0, &fine) == SP_OK);
    CHECK(sp_mesh_element_count(fine) > sp_mesh_element_count(f.box) &&
          sp_mesh_element_count(fine) < 8 * sp_mesh_element_count(f.box));
    CHECK_NEAR(sp_mesh_volume(fine), 2, 1e-13);
    sp_mesh_destroy(&fine);
    tear_down(&f);
}

TEST(mesh_files_without_changes) {
    sp_context *context = NULL;
    sp_mesh_file *file = NULL;
    sp_mesh_file_content content;
    sp_mesh *mesh;
    sp_trimesh *skin;
    REQUIRE(sp_context_create(NULL, &context) == SP_OK);
    REQUIRE(sp_mesh_file_open(context, SP_SOURCE_DIR "/tests/fuzz/mesh/cube.msh", &file) == SP_OK);
    sp_mesh_file_get(file, &content);
    CHECK(content.tetrahedra && content.mesh.element_count == 5 && strstr(content.format, "Gmsh"));
    REQUIRE(sp_mesh_file_mesh(file, &mesh) == SP_OK);
    CHECK_NEAR(sp_mesh_volume(mesh), 1, 1e-15);  // five exact volumes
    REQUIRE(sp_mesh_file_trimesh(file, &skin) == SP_OK);
    sp_trimesh_destroy(&skin), sp_mesh_destroy(&mesh);
    REQUIRE(sp_mesh_file_tets(file, &mesh) == SP_OK);
    CHECK_INT(sp_mesh_element_count(mesh), 5);
    sp_mesh_destroy(&mesh);
    REQUIRE(sp_mesh_read_tets(context, SP_SOURCE_DIR "/tests/fuzz/mesh/cube.msh", &mesh) == SP_OK);
    CHECK_INT(sp_mesh_element_count(mesh), 5);
    sp_mesh_destroy(&mesh);
    sp_mesh_file_close(&file);
    CHECK(file == NULL);
    CHECK(sp_mesh_file_open(context, SP_SOURCE_DIR "/not-there.msh", &file) < 0 && file == NULL);
    sp_mesh_file_close(&file);
    sp_context_destroy(&context);
}
