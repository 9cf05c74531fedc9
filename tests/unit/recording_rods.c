// Records of rods: the centreline with its fields, the state that can be shown again, the visible tube, in every format.
#include "record_help.h"

#define RODS(more)                                                                                                   \
    "<scene dt='0.01' gravity='0 -9.81 0'>"                                                                          \
    "<rod name='curl' length='0.3' elements='3' radius='0.01' young='1e6' curvature='2 3 8'/>"                       \
    "<rod name='chain' model='der' length='0.3' elements='5' section='0.02 0.002' young='1e6' translate='0 0 0.2'/>" \
    "<rod name='beam' model='beam' length='0.3' elements='4' radius='0.01' young='1e7' translate='0 0 0.4'/>" more   \
    "<stop steps='40'/></scene>"

enum { RODS_COUNT = 3 };
static const char *const names[RODS_COUNT] = {"curl", "chain", "beam"};
static const int elements[RODS_COUNT] = {3, 5, 4};

static bool with_hdf5(void) {
    sp_context *ctx = NULL;
    sp_recording *r;
    sp_context_create(NULL, &ctx);
    bool with = sp_recording_open(ctx, "none.h5", &r) != SP_UNAVAILABLE;
    sp_context_destroy(&ctx);
    return with;
}

static sp_run_options into_folder(void) {
    sp_run_options o = sp_run_options_default();
    record_path("");
    o.out = record_folder;
    return o;
}

static sp_body_id body_of(const staged *s, int i) {
    return sp_world_body_named(sp_run_world(s->run), names[i]);
}

// ---------------------------------------------------------------------------------------------------- state

TEST(a_run_of_rods_is_recorded_and_shown) {
    if (!with_hdf5()) return;
    sp_run_options o = into_folder();
    staged s = stage_run(
        RODS("<record file='a.xdmf' every='4' precision='double' quantity='von-mises strain-energy region stress'/>"), &o, false);
    REQUIRE(s.status == SP_OK);
    double seen[4][RODS_COUNT][18];
    uint64_t hash[4];
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < RODS_COUNT; i++)
            REQUIRE(sp_world_field(sp_run_world(s.run), body_of(&s, i), "position", seen[k][i]) == SP_OK);
        hash[k] = sp_world_hash(sp_run_world(s.run));
        stage_steps(&s, 4);
    }
    CHECK(sp_run_finish(s.run) == SP_OK);
    sp_recording *r;
    REQUIRE(sp_recording_open(s.ctx, record_path("a.xdmf"), &r) == SP_OK);
    for (int i = 0; i < RODS_COUNT; i++) {
        sp_recording_body b;
        sp_recording_topology t;
        double frame[54], *x = seen[2][i], energy[5];
        REQUIRE(sp_recording_body_at(r, i, &b) == SP_OK && sp_recording_topology_at(r, 2, i, &t) == SP_OK);
        CHECK(strcmp(b.name, names[i]) == 0 && strcmp(b.kind, "rod") == 0);
        CHECK(t.corners == 2 && t.cell_count == elements[i] && t.node_count == elements[i] + 1);
        for (int e = 0; e < t.cell_count; e++) CHECK(t.cells[2 * e] == e && t.cells[2 * e + 1] == e + 1);
        for (int k = 0; k < b.field_count; k++) CHECK(strcmp(b.fields[k], "stress") != 0);
        // the first column of a frame is the tangent; the chord to the next node is close to it
        REQUIRE(sp_recording_field(r, 2, i, "frame", frame) == SP_OK);
        double dot = 0, norm = 0;
        for (int k = 0; k < 3; k++) dot += frame[3 * k] * (x[3 + k] - x[k]), norm += (x[3 + k] - x[k]) * (x[3 + k] - x[k]);
        CHECK(dot > 0.8 * sqrt(norm));
        REQUIRE(sp_recording_field(r, 2, i, "strain-energy", energy) == SP_OK);
        CHECK(energy[0] > 0);
    }
    // restores every frame into a world: the same state, bit for bit
    for (int k = 3; k >= 0; k--) {
        sp_recording_frame f;
        REQUIRE(sp_recording_show(r, k, s.run) == SP_OK);
        REQUIRE(sp_recording_frame_at(r, k, &f) == SP_OK);
        CHECK(f.hash == hash[k]);
        for (int i = 0; i < RODS_COUNT; i++) {
            double x[18];
            REQUIRE(sp_world_field(sp_run_world(s.run), body_of(&s, i), "position", x) == SP_OK);
            CHECK(memcmp(x, seen[k][i], 3 * ((size_t)elements[i] + 1) * sizeof *x) == 0);
        }
    }
    sp_recording_close(&r);
    stage_close(&s);
    record_clean();
}

TEST(a_frame_between_two_steps_can_be_shown) {
    if (!with_hdf5()) return;
    sp_run_options o = into_folder();
    staged s = stage_run(RODS("<record file='b.xdmf' period='0.004' precision='double'/>"), &o, false);
    REQUIRE(s.status == SP_OK);
    stage_steps(&s, 6);
    CHECK(sp_run_finish(s.run) == SP_OK);
    sp_recording *r;
    sp_recording_info info;
    REQUIRE(sp_recording_open(s.ctx, record_path("b.h5"), &r) == SP_OK);
    sp_recording_get(r, &info);
    CHECK_INT(info.frame_count, 16);
    for (int i = 0; i < info.frame_count; i++) {
        double kept[18], x[18];
        REQUIRE(sp_recording_show(r, i, s.run) == SP_OK);
        for (int b = 0; b < RODS_COUNT; b++) {
            REQUIRE(sp_recording_field(r, i, b, "position", kept) == SP_OK);
            REQUIRE(sp_world_field(sp_run_world(s.run), body_of(&s, b), "position", x) == SP_OK);
            // half a step at the speed of a fall from rest, 0.6 m/s
            for (int k = 0; k < 3 * (elements[b] + 1); k++) CHECK_NEAR(x[k], kept[k], 0.005);
        }
    }
    sp_recording_close(&r);
    stage_close(&s);
    record_clean();
}

TEST(a_growing_rod_is_shown_with_its_recorded_length) {
    if (!with_hdf5()) return;
    sp_run_options o = into_folder();
    staged s = stage_run("<scene dt='0.02'><rod name='stem' length='0.1' elements='2' radius='0.004' drag='0.5'>"
                         "<grow rate='0.2' until='0.4' curvature='6 0 14'/></rod><record file='g.xdmf' every='10' "
                         "precision='double'/><stop steps='60'/></scene>",
                         &o, false);
    REQUIRE(s.status == SP_OK);
    sp_body_id stem = sp_world_body_named(sp_run_world(s.run), "stem");
    stage_steps(&s, 60);
    CHECK(sp_run_finish(s.run) == SP_OK);
    sp_recording *r;
    sp_recording_info info;
    REQUIRE(sp_recording_open(s.ctx, record_path("g.xdmf"), &r) == SP_OK);
    sp_recording_get(r, &info);
    CHECK_INT(info.frame_count, 7);
    for (int i = info.frame_count - 1; i >= 0; i--) {
        sp_field_info field;
        double kept[300], x[300];
        REQUIRE(sp_recording_field_info(r, i, 0, "position", &field) == SP_OK && field.count <= 100);
        REQUIRE(sp_recording_field(r, i, 0, "position", kept) == SP_OK);
        REQUIRE(sp_recording_show(r, i, s.run) == SP_OK);
        REQUIRE(sp_world_field(sp_run_world(s.run), stem, "position", x) == SP_OK);
        CHECK(memcmp(x, kept, 3 * (size_t)field.count * sizeof *x) == 0);
    }
    sp_recording_close(&r);
    stage_close(&s);
    record_clean();
}

// ---------------------------------------------------------------------------------------------------- visible surfaces

static double volume(const sp_trimesh *mesh) {
    sp_trimesh_def t;
    double sum = 0;
    sp_trimesh_get(mesh, &t);
    for (int f = 0; f < t.face_count; f++) {
        const double *a = t.positions + 3 * t.faces[3 * f], *b = t.positions + 3 * t.faces[3 * f + 1],
                     *c = t.positions + 3 * t.faces[3 * f + 2];
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum / 6;
}

TEST(surfaces_are_tubes_and_ribbons) {
    static const char *const files[] = {"a-000001.obj", "a-000001.ply"};
    const double pi = 3.14159265358979323846;
    sp_run_options o = into_folder();
    staged s = stage_run(RODS("<record file='a.obj' every='3'/><record file='a.ply' every='3' part='visual'/>"), &o, false);
    REQUIRE(s.status == SP_OK);
    stage_steps(&s, 4);
    CHECK(sp_run_finish(s.run) == SP_OK);
    // two tubes of twelve sides and a ribbon; facets of a bent tube lose some tenths of a percent
    double tube = pi * 1e-4 * 0.3 * 12 / (2 * pi) * sin(2 * pi / 12), ribbon = pi * 0.02 * 0.002 * 0.3;
    for (int i = 0; i < 2; i++) {
        sp_trimesh *mesh = NULL;
        REQUIRE(sp_trimesh_read(s.ctx, record_path(files[i]), &mesh) == SP_OK);
        sp_trimesh_def t;
        sp_trimesh_get(mesh, &t);
        CHECK_INT(t.vertex_count, 25 * 12 + 41 * 4 + 33 * 12);
        CHECK_NEAR(volume(mesh), 2 * tube + ribbon, 0.01 * (2 * tube + ribbon));
        sp_trimesh_destroy(&mesh);
    }
    stage_close(&s);
    record_clean();
}

TEST(the_visual_surface_has_a_velocity) {
    if (!with_hdf5()) return;
    sp_run_options o = into_folder();
    staged s = stage_run(RODS("<record file='v.xdmf' part='visual' every='5' quantity='velocity'/>"), &o, false);
    REQUIRE(s.status == SP_OK);
    stage_steps(&s, 5);
    double at_nodes[18];
    REQUIRE(sp_world_field(sp_run_world(s.run), body_of(&s, 1), "velocity", at_nodes) == SP_OK);
    CHECK(sp_run_finish(s.run) == SP_OK);
    sp_recording *r;
    sp_recording_topology t;
    REQUIRE(sp_recording_open(s.ctx, record_path("v.h5"), &r) == SP_OK && sp_recording_topology_at(r, 1, 1, &t) == SP_OK);
    CHECK(t.corners == 3 && t.node_count == 41 * 4);
    double v[3 * 41 * 4];
    REQUIRE(sp_recording_field(r, 1, 1, "velocity", v) == SP_OK);
    // floats; the last cross section is at the tip, the one in the middle of the last element is between two nodes
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(v[3 * 40 * 4 + k], at_nodes[15 + k], 1e-6);
        CHECK_NEAR(v[3 * 36 * 4 + k], 0.5 * (at_nodes[12 + k] + at_nodes[15 + k]), 1e-6);
    }
    CHECK(sp_recording_show(r, 0, s.run) == SP_BAD_INPUT);
    sp_recording_close(&r);
    stage_close(&s);
    record_clean();
}

TEST(vtu_frames_contain_lines) {
    sp_run_options o = into_folder();
    staged s = stage_run(RODS("<record file='a.vtu' every='2' quantity='von-mises'/>"), &o, false);
    REQUIRE(s.status == SP_OK);
    stage_steps(&s, 2);
    CHECK(sp_run_finish(s.run) == SP_OK);
    char *text = NULL;
    size_t size = 0;
    REQUIRE(sp__text_read(s.ctx, record_path("a-000001.vtu"), 0, &text, &size) == SP_OK);
    CHECK(strstr(text, "NumberOfPoints=\"15\" NumberOfCells=\"12\"") != NULL);
    CHECK(strstr(text, "Name=\"curvature\"") != NULL && strstr(text, "Name=\"frame\"") != NULL);
    CHECK(strstr(text, "Name=\"coordinates\"") == NULL);
    sp__free(s.ctx, text);
    stage_close(&s);
    record_clean();
}

TEST(xdmf_contains_polylines) {
    if (!with_hdf5()) return;
    sp_run_options o = into_folder();
    staged s = stage_run(RODS("<record file='x.xdmf'/>"), &o, false);
    REQUIRE(s.status == SP_OK);
    stage_steps(&s, 1);
    CHECK(sp_run_finish(s.run) == SP_OK);
    char *text = NULL;
    size_t size = 0;
    REQUIRE(sp__text_read(s.ctx, record_path("x.xdmf"), 0, &text, &size) == SP_OK);
    CHECK(strstr(text, "TopologyType=\"Polyline\" NodesPerElement=\"2\" NumberOfElements=\"3\"") != NULL);
    sp__free(s.ctx, text);
    stage_close(&s);
    record_clean();
}

TEST(a_different_rod_is_detected) {
    if (!with_hdf5()) return;
    sp_run_options o = into_folder();
    staged s = stage_run(RODS("<record file='a.xdmf'/>"), &o, false);
    REQUIRE(s.status == SP_OK);
    CHECK(sp_run_finish(s.run) == SP_OK);
    stage_close(&s);
    s = stage_run(
        "<scene dt='0.01'><rod name='curl' model='helix' length='0.3' elements='3' radius='0.01'/>"
        "<rod name='chain' length='1' radius='0.1'/><rod name='beam' length='1' radius='0.1'/><stop steps='1'/></scene>",
        NULL, false);
    REQUIRE(s.status == SP_OK);
    sp_recording *r;
    REQUIRE(sp_recording_open(s.ctx, record_path("a.xdmf"), &r) == SP_OK);
    CHECK(sp_recording_show(r, 0, s.run) == SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(s.ctx)->message, "curl") != NULL);
    sp_recording_close(&r);
    stage_close(&s);
    record_clean();
}
