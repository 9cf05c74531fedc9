// Calls every public function of libsouple-io as the command does. api_every.c verifies that none is missing.
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "souple/io.h"
#include "test.h"

static const char beam[] = "<scene version='1' name='small beam' dt='0.01'>\n"
                           "  <solid name='beam' young='3e5'>\n"
                           "    <box size='0.4 0.1 0.1' cells='4 1 1'/>\n"
                           "    <fix box='-0.01 0 0 0.01 0.1 0.1'/>\n"
                           "    <probe name='tip' near='0.4 0 0' quantity='position' every='1'/>\n"
                           "  </solid>\n"
                           "  <expect probe='tip' component='x' over='max' value='0.4' tolerance='0.1'/>\n"
                           "  <stop steps='3'/>\n"
                           "</scene>\n";

static void count_text(void *user, const char *text) {
    *(size_t *)user += strlen(text);
}

typedef struct fixture {
    sp_context *context;
    sp_scene *scene;
    sp_run *run;
} fixture;

static bool set_up(fixture *f) {
    *f = (fixture){0};
    sp_context_def def = sp_context_def_default();
    def.workers = 1;
    sp_scene_options scene_options = sp_scene_options_default();
    sp_run_options run_options = sp_run_options_default();
    return sp_context_create(&def, &f->context) == SP_OK &&
           sp_scene_parse(f->context, beam, sizeof beam - 1, "beam.xml", &scene_options, &f->scene) >= 0 &&
           sp_run_create(f->scene, &run_options, &f->run) >= 0;
}

static void tear_down(fixture *f) {
    sp_run_destroy(&f->run);
    sp_scene_destroy(&f->scene);
    sp_context_destroy(&f->context);
}

TEST(scene) {
    fixture f;
    REQUIRE(set_up(&f));
    CHECK(!strcmp(sp_scene_name(f.scene), "small beam"));
    CHECK_INT(sp_scene_message_count(f.scene), 0);
    size_t said = 0;
    sp_scene_describe(f.scene, count_text, &said);
    CHECK(said > 100);
    said = 0, sp_scene_schema(count_text, &said);
    CHECK(said > 1000);
    said = 0, sp_scene_reference(false, count_text, &said);
    CHECK(said > 1000);
    sp_world_def def = sp_world_def_default();
    def.deterministic = false, def.gravity[1].constant = 5, def.snapshot_slots = 3;
    sp_scene_world_def(f.scene, &def);
    CHECK(def.deterministic && def.gravity[1].constant == -9.81 && def.snapshot_slots == 3);
    tear_down(&f);
}

TEST(a_wrong_scene_file_is_refused) {
    sp_context *context = NULL;
    REQUIRE(sp_context_create(NULL, &context) == SP_OK);
    sp_scene *scene = NULL;
    CHECK_INT(sp_scene_load(context, SP_SOURCE_DIR "/tests/data/bad/unknown-attribute.xml", NULL, &scene), SP_BAD_INPUT);
    REQUIRE(scene && sp_scene_message_count(scene) == 1);
    sp_scene_message message;
    REQUIRE(sp_scene_message_at(scene, 0, &message) == SP_OK && sp_scene_message_at(scene, 1, &message) == SP_BAD_INPUT);
    CHECK(message.severity == SP_SEVERITY_ERROR && message.line == 2);
    CHECK(strstr(message.file, "unknown-attribute.xml") && strstr(message.text, "\"poisson\""));
    sp_scene_destroy(&scene);
    CHECK(!scene);
    sp_context_destroy(&context);
}

TEST(run) {
    fixture f;
    REQUIRE(set_up(&f));
    CHECK_NEAR(sp_run_dt(f.run), 0.01, 0);
    CHECK_INT(sp_run_steps_planned(f.run), 3);
    while (!sp_run_done(f.run)) REQUIRE(sp_run_step(f.run) >= 0);
    CHECK_INT(sp_world_steps(sp_run_world(f.run)), 3);
    CHECK(sp_run_finish(f.run) >= 0);
    sp_run_inverse inverse = {0};
    CHECK_INT(sp_run_inverse_count(f.run), 0);
    CHECK_INT(sp_run_inverse_at(f.run, 0, &inverse), SP_BAD_INPUT);
    REQUIRE(sp_run_probe_count(f.run) == 1);
    sp_run_probe probe;
    sp_run_probe_at(f.run, 0, &probe);
    CHECK(!strcmp(probe.name, "tip") && probe.width == 3 && probe.sample_count >= 3);
    CHECK(probe.values[3 * (probe.sample_count - 1) + 1] < 0);  // it fell
    REQUIRE(sp_run_claim_count(f.run) == 1);
    sp_run_claim claim;
    sp_run_claim_at(f.run, 0, &claim);
    CHECK(claim.held);
    tear_down(&f);
}

// what the command asks of a scene and of a run
TEST(scene_and_run_tell_about_themselves) {
    static const char text[] = "<scene dt='0.01' seed='7'><look name='red' color='1 0 0'/>"
                               "<solid name='b' look='red'><box size='1 1 1' cells='1 1 1'/>"
                               "<probe name='p' near='0 0 0' quantity='position'/></solid>"
                               "<record file='api-record.csv'/><stop steps='3'/></scene>";
    const char *sets[] = {"b.young=2e5"};
    sp_context *context = NULL;
    sp_scene *scene = NULL;
    sp_run *run = NULL, *next = NULL;
    sp_scene_options options = sp_scene_options_default();
    options.sets = sets, options.set_count = 1;
    REQUIRE(sp_context_create(NULL, &context) == SP_OK);
    REQUIRE(sp_scene_parse(context, text, strlen(text), "seen.xml", &options, &scene) == SP_OK);
    sp_scene_info info;
    sp_scene_get(scene, &info);
    CHECK(!strcmp(info.file, "seen.xml") && info.size == strlen(text) && !memcmp(info.text, text, info.size));
    CHECK(info.seed == 7 && info.set_count == 1 && strstr(sp_scene_set_text(scene, 0), sets[0]));
    sp_scene_output output;
    CHECK_INT(sp_scene_output_count(scene), 1);
    CHECK(sp_scene_output_at(scene, 0, &output) == SP_OK && !strcmp(output.element, "record") &&
          !strcmp(output.file, "api-record.csv"));
    CHECK(sp_scene_output_at(scene, 1, &output) < 0 && sp_scene_output_at(scene, -1, &output) < 0);
    sp_scene_choice choice;
    bool cg = false;
    for (int i = 0; sp_scene_choice_at("solver", "type", i, &choice) >= 0; i++) cg |= choice.built && !strcmp(choice.name, "cg");
    CHECK(cg && sp_scene_choice_at("solver", "none", 0, &choice) < 0 && sp_scene_choice_at("none", "type", 0, &choice) < 0);

    REQUIRE(sp_run_create(scene, NULL, &run) == SP_OK && sp_run_create(scene, NULL, &next) == SP_OK);
    sp_run_look look;
    sp_body_id b = sp_world_body_named(sp_run_world(run), "b");
    CHECK(sp_run_look_of(run, b, 0, &look) && look.color[0] == 1 && look.color[1] == 0);
    CHECK(strcmp(sp_run_region_name(run, b, 0), "") == 0 && sp_run_region_name(run, b, 1) == NULL);
    sp_run_column column;
    sp_run_column_at(run, 0, 1, &column);
    CHECK(!strcmp(column.name, "position.y") && !strcmp(column.unit, "m"));
    REQUIRE(sp_run_step(run) >= 0);
    CHECK_INT(sp_run_adopt(next, run), SP_OK);
    CHECK(sp_run_additions(next)[0] == 0);
    CHECK(sp_world_hash(sp_run_world(next)) == sp_world_hash(sp_run_world(run)));
    sp_run_destroy(&next), sp_run_destroy(&run), sp_scene_destroy(&scene), sp_context_destroy(&context);
}

TEST(plots) {
    static const double x[] = {0, 1, 2}, y[] = {0, 1, 4};
    const sp_plot_series series = {.name = "square", .x = x, .y = y, .count = 3};
    const sp_plot plot = {.title = "squares", .x_label = "x", .y_label = "y", .series = &series, .series_count = 1};
    sp_context *context = NULL;
    size_t said = 0;
    REQUIRE(sp_context_create(NULL, &context) == SP_OK);
    CHECK(sp_plot_suffix("a.svg") && sp_plot_suffix("a.png") && !sp_plot_suffix("a.pdf"));
    CHECK_INT(sp_plot_svg(context, &plot, 1, count_text, &said), SP_OK);
    CHECK(said > 500);
    CHECK_INT(sp_plot_write(context, &plot, 1, SP_BINARY_DIR "/api-plot.svg"), SP_OK);
    unlink(SP_BINARY_DIR "/api-plot.svg");
    CHECK_INT(sp_plot_write(context, &plot, 0, SP_BINARY_DIR "/api-plot.svg"), SP_BAD_INPUT);
    CHECK_INT(sp_plot_write(context, &plot, 1, "api-plot.pdf"), SP_BAD_INPUT);
    sp_context_destroy(&context);
}

TEST(picture) {
    fixture f;
    REQUIRE(set_up(&f));
    char path[300];
    struct stat st;
    snprintf(path, sizeof path, "%s/api-picture.png", SP_BINARY_DIR);
    sp_picture_def def = sp_run_picture(f.run), plain = sp_picture_def_default();
    CHECK_INT(plain.width, 1280);
    def.width = 160, def.height = 90;
    CHECK_INT(sp_picture_write(sp_run_world(f.run), f.run, &def, path), SP_OK);
    CHECK(stat(path, &st) == 0 && st.st_size > 100);
    unlink(path);
    sp_run_picture_set_time(f.run, 1, &def);
    CHECK(!def.clip);
    sp_picture_extent extent = sp_picture_extent_default();
    CHECK_INT(sp_picture_measure(sp_run_world(f.run), f.run, &def, &extent), SP_OK);
    CHECK(extent.high[0] > extent.low[0]);
    unsigned char *rgb = calloc(160 * 90, 3);
    CHECK_INT(sp_picture_draw(sp_run_world(f.run), f.run, &def, rgb), SP_OK);
    CHECK_INT(sp_picture_save(sp_world_context(sp_run_world(f.run)), rgb, 160, 90, path), SP_OK);
    CHECK(stat(path, &st) == 0 && st.st_size > 100);
    unlink(path);
    sp_mesh *ball = NULL;
    sp_trimesh *skin = NULL;
    const double radius[3] = {1, 1, 1};
    sp_context *context = sp_world_context(sp_run_world(f.run));
    plain.width = 160, plain.height = 90;
    REQUIRE(sp_mesh_sphere(context, radius, 4, &ball) == SP_OK && sp_mesh_boundary(ball, &skin) == SP_OK);
    CHECK_INT(sp_picture_surface(context, skin, "ball", &plain, rgb), SP_OK);
    CHECK(rgb[3 * (45 * 160 + 80)] < 255);
    sp_trimesh_destroy(&skin), sp_mesh_destroy(&ball);
    free(rgb);
    tear_down(&f);
}

TEST(section) {
    fixture f;
    REQUIRE(set_up(&f));
    sp_world *world = sp_run_world(f.run);
    sp_body_id body = sp_world_body_named(world, "beam");
    sp_section *section = NULL;
    sp_section_faces faces;
    bool cap = false;
    CHECK(sp_run_clips(f.run, body, &cap) && cap);
    REQUIRE(sp_section_create(world, body, &section) == SP_OK);
    CHECK_INT(sp_section_update(section, "von-mises"), SP_OK);
    CHECK_INT(sp_section_cut(section, (double[3]){0.15, 0, 0}, (double[3]){1, 0, 0}, &faces), SP_OK);
    CHECK(faces.face_count > 0 && faces.values);
    sp_section_destroy(&section);
    CHECK(!section);
    tear_down(&f);
}

TEST(mesh_file) {
    sp_context *context = NULL;
    REQUIRE(sp_context_create(NULL, &context) == SP_OK);
    sp_mesh *mesh = NULL;
    REQUIRE(sp_mesh_read(context, SP_SOURCE_DIR "/tests/fuzz/mesh/cube.msh", &mesh) == SP_OK);
    CHECK_INT(sp_mesh_element_count(mesh), 5);
    CHECK_NEAR(sp_mesh_volume(mesh), 1, 1e-15);  // five exact volumes
    CHECK(sp_mesh_group_named(mesh, "core") && sp_mesh_array_named(mesh, "E"));
    // written in one format, read as a surface, written in another
    static const char *const paths[] = {SP_BINARY_DIR "/api_mesh.msh", SP_BINARY_DIR "/api_mesh.stl"};
    sp_mesh_write_options options = sp_mesh_write_options_default();
    options.encoding = SP_ENCODING_ASCII;
    sp_trimesh *surface = NULL;
    CHECK(sp_mesh_write(mesh, paths[0], &options) == SP_OK);
    REQUIRE(sp_trimesh_read(context, paths[0], &surface) == SP_OK);
    sp_trimesh_def skin;
    sp_trimesh_get(surface, &skin);
    CHECK_INT(skin.face_count, sp_mesh_face_count(mesh));
    CHECK(sp_trimesh_write(surface, paths[1], &options) == SP_OK);
    unlink(paths[0]), unlink(paths[1]);
    sp_trimesh_destroy(&surface);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&context);
}

TEST(volume_file) {
    sp_context *context = NULL;
    REQUIRE(sp_context_create(NULL, &context) == SP_OK);
    sp_volume *volume = NULL;
    sp_label_volume labels;
    REQUIRE(sp_volume_read(context, SP_SOURCE_DIR "/tests/data/volume/little-uint8.nii", &volume) == SP_OK);
    sp_volume_get(volume, &labels);
    CHECK_INT(labels.dims[0], 6);
    sp_volume_destroy(&volume);
    CHECK_INT(sp_volume_parse(context, "NRRD", 4, "nothing.nrrd", &volume), SP_BAD_INPUT);
    CHECK(!volume);
    sp_context_destroy(&context);
}

// edits of one run, replayed in another run from its log: the same bits
TEST(edit_log) {
    fixture first, second;
    REQUIRE(set_up(&first));
    REQUIRE(set_up(&second));
    char path[300];
    snprintf(path, sizeof path, "%s/api-edits.log", SP_BINARY_DIR);
    sp_edit_log *log = NULL;
    REQUIRE(sp_edit_log_create(first.context, path, &log) == SP_OK);
    sp_edit edit = sp_edit_default(SP_EDIT_PARAM);
    snprintf(edit.path, sizeof edit.path, "beam.young");
    edit.value = 1e5;
    CHECK_INT(sp_world_queue(sp_run_world(first.run), &edit), SP_OK);
    char line[SP_EDIT_LINE];
    CHECK(sp_edit_log_line(&edit, 12, line, sizeof line) && !strncmp(line, "12 ", 3) && strstr(line, "beam.young"));
    edit.source = 0xFFFF0000u;  // of the scene's own events
    CHECK(!sp_edit_log_line(&edit, 12, line, sizeof line));
    while (!sp_run_done(first.run)) {
        REQUIRE(sp_run_step(first.run) >= 0);
        CHECK_INT(sp_edit_log_append(log, sp_run_world(first.run)), SP_OK);
    }
    CHECK_INT(sp_edit_log_close(&log), SP_OK);
    REQUIRE(sp_edit_log_open(second.context, path, &log) == SP_OK);
    while (!sp_run_done(second.run)) {
        CHECK_INT(sp_edit_log_queue(log, sp_run_world(second.run)), SP_OK);
        REQUIRE(sp_run_step(second.run) >= 0);
    }
    CHECK_INT(sp_edit_log_close(&log), SP_OK);
    CHECK(!log);
    CHECK(sp_world_hash(sp_run_world(first.run)) == sp_world_hash(sp_run_world(second.run)));
    unlink(path);
    tear_down(&second);
    tear_down(&first);
}

// calls every function of recordings and checkpoints once; their results are tested in recording.c and resume.c
TEST(recordings) {
    static const char text[] = "<scene dt='0.01'><solid name='b'><box size='1 1 1' cells='1 1 1'/></solid>"
                               "<record file='api-record.xdmf'/><stop steps='3'/></scene>";
    sp_context *context = NULL;
    sp_scene *scene = NULL;
    sp_run *run = NULL;
    sp_recording *r = NULL;
    sp_run_options options = sp_run_options_default();
    options.out = SP_BINARY_DIR;
    REQUIRE(sp_context_create(NULL, &context) == SP_OK);
    bool with_hdf5 = sp_recording_open(context, "none.h5", &r) != SP_UNAVAILABLE;
    REQUIRE(sp_scene_parse(context, text, strlen(text), "api.xml", NULL, &scene) == SP_OK);
    CHECK((sp_run_create(scene, &options, &run) == SP_OK) == with_hdf5);
    if (with_hdf5) {
        sp_run_record record;
        sp_run_recorder *recorder = NULL;
        sp_run_recorder_def live = sp_run_recorder_def_default();
        live.path = SP_BINARY_DIR "/api-record.xdmf";
        CHECK_INT(sp_run_recorder_stop(&recorder), SP_OK);
        CHECK_INT(sp_run_finish(run), SP_OK);
        sp_run_destroy(&run);
        options.out = NULL;
        REQUIRE(sp_run_create(scene, &options, &run) == SP_OK && sp_run_recorder_start(run, &live, &recorder) == SP_OK);
        CHECK(sp_run_step(run) >= 0 && sp_run_recorder_step(recorder) == SP_OK);
        sp_run_recorder_get(recorder, &record);
        CHECK(!strcmp(record.kind, "xdmf") && !strcmp(record.path, live.path));
        CHECK_INT(sp_run_recorder_stop(&recorder), SP_OK);
        sp_run_destroy(&run);
        options.out = SP_BINARY_DIR;
        REQUIRE(sp_run_create(scene, &options, &run) == SP_OK);
        sp_recording_info info;
        sp_recording_frame frame;
        sp_recording_body body;
        sp_recording_topology topology;
        sp_field_info field;
        double x[24];
        while (!sp_run_done(run)) REQUIRE(sp_run_step(run) >= 0);
        CHECK_INT(sp_run_save(run, SP_BINARY_DIR "/api-record.spc"), SP_OK);
        CHECK_INT(sp_run_finish(run), SP_OK);
        CHECK_INT(sp_run_record_count(run), 1);
        sp_run_record_at(run, 0, &record);
        CHECK_INT(record.frames, 4);
        REQUIRE(sp_recording_open(context, record.path, &r) == SP_OK);
        sp_recording_get(r, &info);
        CHECK_INT(info.frame_count, 4);
        CHECK_INT(sp_recording_nearest(r, 0.02), 2);
        CHECK_INT(sp_recording_frame_at(r, 3, &frame), SP_OK);
        CHECK_INT(sp_recording_body_at(r, 0, &body), SP_OK);
        CHECK(sp_recording_has_body(r, 3, 0));
        CHECK_INT(sp_recording_topology_at(r, 3, 0, &topology), SP_OK);
        CHECK_INT(topology.node_count, 8);
        CHECK_INT(sp_recording_field_info(r, 3, 0, "position", &field), SP_OK);
        CHECK_INT(sp_recording_field(r, 3, 0, "position", x), SP_OK);
        CHECK_INT(sp_recording_contact_count(r, 3), 0);  // a scene without contact by constraints
        CHECK_INT(sp_recording_contacts(r, 3, NULL), SP_OK);
        CHECK_INT(sp_recording_show(r, 1, run), SP_OK);
        sp_scene *again = NULL;
        CHECK_INT(sp_recording_scene(r, NULL, &again), SP_OK);
        sp_scene_destroy(&again);
        sp_recording_close(&r);
        unlink(SP_BINARY_DIR "/api-record.spc");
        unlink(SP_BINARY_DIR "/api-record.xdmf");
        unlink(SP_BINARY_DIR "/api-record.h5");
    }
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    sp_context_destroy(&context);
}

// calls every function of contact problems once; their results are tested in fclib.c
TEST(contact_problems) {
    static const int start[] = {0, 1, 2, 3}, column[] = {0, 1, 2};
    static const double value[] = {1, 1, 1}, q[] = {-1, 0, 0}, mu[] = {0.5};
    const sp_fclib_problem p = {.dimension = 3, .contacts = 1, .W = {3, 3, start, column, value}, .q = q, .mu = mu};
    sp_context *context = NULL;
    sp_fclib *file = NULL;
    REQUIRE(sp_context_create(NULL, &context) == SP_OK);
    sp_status status = sp_fclib_write(context, SP_BINARY_DIR "/api-problem.hdf5", &p, NULL);
    CHECK(status == SP_OK || status == SP_UNAVAILABLE);
    CHECK_INT(sp_fclib_read(context, SP_BINARY_DIR "/api-problem.hdf5", &file), status);
    if (file) CHECK_INT(sp_fclib_get(file)->contacts, 1);
    sp_fclib_close(&file);
    CHECK(!file);
    unlink(SP_BINARY_DIR "/api-problem.hdf5");
    sp_context_destroy(&context);
}

// calls every function of imports once; what they make of scenes is tested in scene_sofa.c
TEST(imports) {
    static const char text[] =
        "<Node><EulerImplicit/><RegularGrid n='2 2 2'/><MechanicalObject/><UniformMass/><TetrahedronFEMForceField/></Node>";
    sp_context *context = NULL;
    sp_import *import = NULL;
    sp_import_note note;
    sp_import_options options = sp_import_options_default();
    options.out = SP_BINARY_DIR "/api-import.xml";
    REQUIRE(sp_context_create(NULL, &context) == SP_OK);
    CHECK_INT(sp_import_sofa(context, SP_BINARY_DIR "/no-such.scn", &options, &import), SP_IO);
    CHECK(!import);
    REQUIRE(sp_import_sofa_parse(context, text, sizeof text - 1, "api.scn", &options, &import) == SP_OK);
    CHECK(strstr(sp_import_text(import), "<solid"));
    CHECK(sp_import_note_count(import) >= 5);
    CHECK_INT(sp_import_note_at(import, 0, &note), SP_OK);
    CHECK_INT(sp_import_note_at(import, -1, &note), SP_BAD_ID);
    CHECK_INT(sp_import_write(import), SP_OK);
    sp_import_destroy(&import);
    CHECK(!import);
    unlink(SP_BINARY_DIR "/api-import.xml");
    unlink(SP_BINARY_DIR "/api-import-api-import.vtk");
    sp_context_destroy(&context);
}

// calls every function of glTF files once; the files are tested in record_gltf.c
TEST(gltf) {
    fixture f;
    struct stat st;
    sp_gltf *gltf = NULL;
    sp_gltf_options options = sp_gltf_options_default();
    REQUIRE(set_up(&f));
    CHECK_INT(sp_gltf_create(f.run, SP_BINARY_DIR "/api.glb", &options, &gltf), SP_OK);
    CHECK_INT(sp_gltf_frame(gltf, 0), SP_OK);
    CHECK_INT(sp_gltf_write(gltf), SP_OK);
    sp_gltf_destroy(&gltf);
    CHECK(!gltf && stat(SP_BINARY_DIR "/api.glb", &st) == 0 && st.st_size > 1000);
    unlink(SP_BINARY_DIR "/api.glb");
    tear_down(&f);
}
