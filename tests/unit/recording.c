// Recordings: a recorded run is read back, shown, and used as a start; damaged files are refused with a reason.
#include "record_help.h"

static sp_context *ctx;

static void setup(void) {
    if (!ctx) sp_context_create(NULL, &ctx);
}

// false: a build without HDF5, where the stubs report how to get it
static bool with_hdf5(void) {
    sp_recording *r;
    setup();
    sp_status status = sp_recording_open(ctx, "none.h5", &r);
    if (status != SP_UNAVAILABLE) return true;
    CHECK(strstr(sp_context_error(ctx)->message, "libhdf5-dev") != NULL);
    return false;
}

static long write_two_revisions(const char *path, bool in_double, bool close) {
    static help_layout l0, l1;
    help_frame f;
    help_layout_make(&l0, 0), help_layout_make(&l1, 2);
    sp_sink s = help_sink(ctx, path, &l0.layout);
    s.in_double = in_double, s.compress = in_double;
    sp_status status = s.writer->open(&s);
    for (long i = 0; i < 5 && status >= 0; i++) {
        sp_frame *frame = help_frame_make(&f, i < 3 ? &l0.layout : &l1.layout, i);
        double t = 0.1 * (double)i, v[2] = {(double)i, -(double)i};
        unsigned char no = 0;
        char edit[] = "3 0 1 param beam.young 5\n";
        sp_event event = {.step = (uint64_t)i, .time = t, .status = SP_NOT_CONVERGED, .text = "something"};
        sp__buffer_add(ctx, &frame->rows[0].times, &t, sizeof t), sp__buffer_add(ctx, &frame->rows[0].values, v, sizeof v);
        sp__buffer_add(ctx, &frame->rows[0].interpolated, &no, 1), sp__buffer_add(ctx, &frame->edits, edit, strlen(edit));
        sp__buffer_add(ctx, &frame->events, &event, sizeof event);
        status = s.writer->frame(&s, frame);
        sp__buffer_free(ctx, &frame->rows[0].times), sp__buffer_free(ctx, &frame->rows[0].values);
        sp__buffer_free(ctx, &frame->rows[0].interpolated), sp__buffer_free(ctx, &frame->edits);
        sp__buffer_free(ctx, &frame->events);
    }
    if (close && status >= 0) status = s.writer->close(&s);
    CHECK_INT(status, SP_OK);
    return s.frames;
}

static void check_fields(sp_recording *r, bool in_double) {
    for (int frame = 0; frame < 5; frame++) {
        help_layout l;
        double out[64];
        sp_recording_topology t;
        sp_field_info info;
        help_layout_make(&l, frame < 3 ? 0 : 2);
        REQUIRE(sp_recording_topology_at(r, frame, 0, &t) == SP_OK);
        CHECK(t.revision == (frame >= 3) && t.node_count == (frame < 3 ? 5 : 7) && t.cell_count == 2 && t.corners == 4);
        CHECK(memcmp(t.cells, help_tets, sizeof help_tets) == 0);
        for (int k = 0; k < 4; k++) {
            const sp_layout_array *a = &l.a[k];
            REQUIRE(sp_recording_field_info(r, frame, 0, a->name, &info) == SP_OK);
            CHECK(info.count == (int)a->count && info.components == a->components && info.on == a->on);
            REQUIRE(sp_recording_field(r, frame, 0, a->name, out) == SP_OK);
            for (size_t i = 0; i < a->count * (size_t)a->components; i++) {
                double wanted = help_value(frame, a->offset + i);
                CHECK(out[i] == (in_double ? wanted : (double)(float)wanted));
            }
        }
        REQUIRE(sp_recording_field_info(r, frame, 1, "pose", &info) == SP_OK);
        CHECK(info.count == 1 && info.components == 7 && info.on == SP_ON_BODY);
    }
}

TEST(two_revisions_are_read_back_exactly) {
    if (!with_hdf5()) return;
    for (int in_double = 0; in_double < 2; in_double++) {
        sp_recording *r;
        sp_recording_info info;
        sp_recording_frame f;
        sp_recording_body b;
        CHECK_INT(write_two_revisions(record_path("two.xdmf"), in_double, true), 5);
        REQUIRE(sp_recording_open(ctx, record_path("two.xdmf"), &r) == SP_OK);
        sp_recording_get(r, &info);
        CHECK(info.frame_count == 5 && info.body_count == 2 && info.complete && info.in_double == (in_double == 1) &&
              !info.visual);
        CHECK(strcmp(info.scene, "<scene/>\n") == 0 && info.scene_size == 9 && strcmp(info.scene_path, "some/scene.xml") == 0);
        CHECK(info.set_count == 2 && strcmp(info.sets[1], "k=3") == 0 && info.seed == 7 && info.dt == 0.01);
        CHECK(strcmp(info.version, SP_VERSION_TEXT) == 0 && strcmp(info.backend, "ref") == 0);
        CHECK(strncmp(info.edits, "souple-edits 1\n3 0 1 param beam.young 5\n3 0 1", 44) == 0);
        REQUIRE(sp_recording_frame_at(r, 1, &f) == SP_OK);
        CHECK(f.time == 0.1 && f.step == 10 && f.hash == 0x1235 && f.interpolated);
        REQUIRE(sp_recording_body_at(r, 0, &b) == SP_OK);
        CHECK(strcmp(b.name, "block") == 0 && strcmp(b.kind, "solid") == 0 && b.field_count == 4);
        CHECK(sp_recording_nearest(r, 0.26) == 3 && sp_recording_nearest(r, -1) == 0 && sp_recording_nearest(r, 9) == 4);
        check_fields(r, in_double);
        sp_field_info none;
        double out[1];
        CHECK(sp_recording_frame_at(r, 5, &f) == SP_BAD_INPUT && sp_recording_body_at(r, 2, &b) == SP_BAD_INPUT);
        CHECK(sp_recording_field(r, 0, 0, "no-such", out) == SP_BAD_INPUT);
        CHECK(strstr(sp_context_error(ctx)->message, "has no field \"no-such\"") != NULL);
        CHECK(sp_recording_field_info(r, -1, 0, "position", &none) == SP_BAD_INPUT);
        sp_recording_close(&r);
        CHECK(r == NULL);
    }
    record_clean();
}

// The HDF5 file while it is open for writing: any reader sees the frames so far.
TEST(a_growing_recording_can_be_read) {
    if (!with_hdf5()) return;
    static help_layout l;
    help_frame f;
    help_layout_make(&l, 0);
    sp_sink s = help_sink(ctx, record_path("grow.xdmf"), &l.layout);
    REQUIRE(s.writer->open(&s) == SP_OK);
    for (int i = 0; i < 70; i++) {
        sp_recording *r;
        sp_recording_info info;
        double out[15];
        CHECK(s.writer->frame(&s, help_frame_make(&f, &l.layout, i)) == SP_OK);
        if (i % 23) continue;
        REQUIRE(sp_recording_open(ctx, record_path("grow.h5"), &r) == SP_OK);
        sp_recording_get(r, &info);
        CHECK_INT(info.frame_count, i + 1);
        CHECK(!info.complete);
        CHECK(sp_recording_field(r, i, 0, "position", out) == SP_OK && out[0] == (double)(float)help_value(i, 0));
        CHECK(sp_recording_field(r, 0, 0, "position", out) == SP_OK && out[0] == (double)(float)help_value(0, 0));
        sp_recording_close(&r);
    }
    CHECK(s.writer->close(&s) == SP_OK);
    record_clean();
}

// ---------------------------------------------------------------------------------------------------- runs

static sp_run_options into_folder(void) {
    sp_run_options o = sp_run_options_default();
    record_path("");
    o.out = record_folder;
    return o;
}

// The states of the bodies at each step, to compare with what is shown.
typedef struct moment {
    double bodies;
    double ball[7], plate[7];  // 0: not there
} moment;

static moment moment_of(sp_world *w) {
    moment m = {.bodies = sp_world_body_count(w)};
    sp_body_id ball = sp_world_body_named(w, "ball"), plate = sp_world_body_named(w, "plate");
    if (ball.slot) sp_world_field(w, ball, "pose", m.ball);
    if (plate.slot) sp_world_field(w, plate, "pose", m.plate);
    return m;
}

static int recorded_body(sp_recording *r, const char *name) {
    sp_recording_body b;
    for (int i = 0; sp_recording_body_at(r, i, &b) >= 0; i++)
        if (strcmp(b.name, name) == 0) return i;
    return -1;
}

static void check_moments(const char *file, const moment at[21], int every) {
    sp_recording *r;
    sp_recording_info info;
    sp_recording_topology t;
    sp_scene *scene = NULL;
    sp_run *run = NULL;
    REQUIRE(sp_recording_open(ctx, record_path(file), &r) == SP_OK);
    sp_recording_get(r, &info);
    int ball = recorded_body(r, "ball"), plate = recorded_body(r, "plate"), beam = recorded_body(r, "beam");
    CHECK(info.frame_count == 20 / every + 1 && info.body_count == 4 && beam == 0 && ball == 2 && plate == 3);
    REQUIRE(sp_recording_scene(r, NULL, &scene) == SP_OK && sp_run_create(scene, NULL, &run) == SP_OK);
    // forwards, backwards, and jumps over an addition and a removal
    static const int steps[] = {0, 2, 4, 8, 6, 14, 4, 20, 16, 0, 10, 12, 18};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const moment *wanted = &at[steps[i]];
        int f = steps[i] / every;
        CHECK(sp_recording_has_body(r, f, beam) && sp_recording_has_body(r, f, ball) == (wanted->ball[3] != 0) &&
              sp_recording_has_body(r, f, plate) == (wanted->plate[3] != 0));
        CHECK((sp_recording_topology_at(r, f, ball, &t) == SP_OK) == (wanted->ball[3] != 0));
        CHECK(sp_recording_topology_at(r, f, beam, &t) == SP_OK && t.revision == 0);
        REQUIRE(sp_recording_show(r, f, run) == SP_OK);
        moment shown = moment_of(sp_run_world(run));
        CHECK(memcmp(&shown, wanted, sizeof shown) == 0);
    }
    CHECK(!sp_recording_has_body(r, -1, 0) && !sp_recording_has_body(r, 0, 4) && !sp_recording_has_body(r, 99, 0));
    sp_run_destroy(&run), sp_scene_destroy(&scene), sp_recording_close(&r);
}

// A body that an edit adds is in the frames from then on to its removal, with the states that it had; one that comes later under
// the same name may have another shape.
TEST(bodies_that_edits_add_are_in_their_frames) {
    if (!with_hdf5()) return;
    moment at[21];
    sp_run_options o = into_folder();
    staged s = stage_run(HELP_SCENE("<record file='b.xdmf' every='2' precision='double'/><record file='b.obj' every='1'/>"
                                    "<record file='of.xdmf' of='beam' every='2'/>"
                                    "<record file='between.xdmf' precision='double' period='0.015'/>"),
                         &o, false);
    REQUIRE(s.status == SP_OK);
    for (int i = 0; i <= 20; i++) {
        at[i] = moment_of(sp_run_world(s.run));
        queue_bodies(sp_run_world(s.run));
        stage_steps(&s, 1);
    }
    CHECK(at[2].bodies == 2 && at[3].bodies == 3 && at[8].bodies == 3 && at[13].bodies == 4 && at[20].bodies == 3);
    CHECK(sp_run_finish(s.run) == SP_OK);
    stage_close(&s);
    check_moments("b.xdmf", at, 2);
    sp_recording *r;
    sp_recording_info info;
    double pose[7];
    REQUIRE(sp_recording_open(ctx, record_path("of.xdmf"), &r) == SP_OK);
    sp_recording_get(r, &info);
    CHECK_INT(info.body_count, 1);  // a record that chooses its bodies has only those
    sp_recording_close(&r);
    // between two steps: frame 3 is at 0.045 s, in the middle; frame 5 at 0.075 s is in the step that removes the ball
    REQUIRE(sp_recording_open(ctx, record_path("between.xdmf"), &r) == SP_OK);
    int ball = recorded_body(r, "ball");
    CHECK(!sp_recording_has_body(r, 1, ball) && sp_recording_has_body(r, 2, ball) && !sp_recording_has_body(r, 5, ball));
    REQUIRE(sp_recording_field(r, 3, ball, "pose", pose) == SP_OK);
    for (int k = 0; k < 3; k++) CHECK_NEAR(pose[k], 0.5 * (at[4].ball[k] + at[5].ball[k]), 1e-14);  // rounding of one sum
    sp_recording_close(&r);
    record_clean();
}

// A ball that comes while the scene runs rests on the floor: its contact carries its weight, in the frame and where it is shown.
TEST(contacts_of_added_bodies_are_recorded) {
    if (!with_hdf5()) return;
    sp_run_options o = into_folder();
    staged s = stage_run("<scene dt='0.01' gravity='0 -9.81 0'><contact formulation='proximity'/><rigid name='floor'><box "
                         "size='4 1 4'/></rigid><record file='c.xdmf' every='10' precision='double'/><stop steps='40'/></scene>",
                         &o, false);
    REQUIRE(s.status == SP_OK);
    sp_edit add = sp_edit_default(SP_EDIT_ADD), first = add;
    snprintf(first.path, sizeof first.path, "short"), snprintf(add.path, sizeof add.path, "ball");
    first.shape = add.shape = SP_SPHERE, first.size[0] = add.size[0] = 0.1;
    add.pose.translate[0] = add.pose.translate[2] = 2, add.pose.translate[1] = 1.1;
    first.pose.translate[1] = 3;
    add.free = true, add.density = 1000;
    // the first body comes and goes between two frames: no frame has it, and the ball has the next number
    CHECK(sp_world_queue(sp_run_world(s.run), &first) == SP_OK);
    stage_steps(&s, 1);
    sp_edit leave = sp_edit_default(SP_EDIT_REMOVE);
    leave.body = sp_world_body_named(sp_run_world(s.run), "short");
    CHECK(sp_world_queue(sp_run_world(s.run), &leave) == SP_OK && sp_world_queue(sp_run_world(s.run), &add) == SP_OK);
    stage_steps(&s, 39);
    CHECK(sp_run_finish(s.run) == SP_OK);
    stage_close(&s);
    sp_recording *r;
    sp_recording_contact c[8];
    sp_scene *scene = NULL;
    sp_run *run = NULL;
    REQUIRE(sp_recording_open(ctx, record_path("c.xdmf"), &r) == SP_OK);
    int ball = recorded_body(r, "ball"), n = sp_recording_contact_count(r, 4);
    double force = 0;
    CHECK(ball == 1 && recorded_body(r, "short") < 0 && sp_recording_contact_count(r, 0) == 0);
    REQUIRE(n > 0 && n < 8 && sp_recording_contacts(r, 4, c) == SP_OK);
    for (int i = 0; i < n; i++) {
        CHECK((c[i].bodies[0] == ball && c[i].bodies[1] == 0) || (c[i].bodies[0] == 0 && c[i].bodies[1] == ball));
        force += c[i].bodies[0] == ball ? c[i].force[1] : -c[i].force[1];
    }
    // the volume of a sphere; the solver stops at 1e-6
    CHECK_NEAR(force, 1000 * 9.81 * 4.0 / 3 * 3.14159265358979 * 1e-3, 1e-3);
    REQUIRE(sp_recording_scene(r, NULL, &scene) == SP_OK && sp_run_create(scene, NULL, &run) == SP_OK);
    CHECK(sp_recording_show(r, 4, run) == SP_OK && sp_world_contact_count(sp_run_world(run)) == n);
    sp_run_destroy(&run), sp_scene_destroy(&scene), sp_recording_close(&r);
    record_clean();
}

// Elements that are removed while the scene runs: frames have the cells that are left, with their numbers; a frame that is shown
// has the same elements, also going back.
TEST(removed_elements_are_recorded) {
    static const char *const shapes[] = {"", " pattern='hex'", " order='2'"};
    for (int t = 0; with_hdf5() && t < 3; t++) {
        char text[1200];
        snprintf(
            text, sizeof text,
            "<scene dt='0.01' gravity='0 -9.81 0'><solid name='beam' young='1e5'><box size='0.4 0.1 0.1' cells='4 1 1'%s/><fix "
            "plane='0 0 0 1 0 0' within='1e-6'/></solid><event t='0.05' do='remove' of='beam' box='0.2 -1 -1 0.3 1 1'/>"
            "<record file='r.xdmf' every='2' precision='double' quantity='von-mises removed'/><record file='r.vtu' every='8'/>"
            "<record file='r.ply' every='8'/><stop steps='10'/></scene>",
            shapes[t]);
        sp_run_options o = into_folder();
        staged s = stage_run(text, &o, false);
        REQUIRE(s.status == SP_OK);
        sp_body_info info;
        double stress[2][200] = {{0}}, removed[200], seen[200];
        const sp_body_id beam = sp_world_body_named(sp_run_world(s.run), "beam");
        stage_steps(&s, 4);
        CHECK(sp_world_field(sp_run_world(s.run), beam, "von-mises", stress[0]) == SP_OK);
        stage_steps(&s, 6);
        CHECK(sp_world_field(sp_run_world(s.run), beam, "von-mises", stress[1]) == SP_OK);
        CHECK(sp_world_field(sp_run_world(s.run), beam, "removed", removed) == SP_OK);
        CHECK(sp_world_body_info(sp_run_world(s.run), beam, &info) == SP_OK && info.removed > 0);
        CHECK(sp_run_finish(s.run) == SP_OK);
        int gone = 0, count = info.removed, left = 0;
        for (int c = 0; c < info.cells; c++) gone += removed[c] != 0;
        stage_close(&s);
        sp_recording *r;
        sp_recording_topology whole, part;
        REQUIRE(sp_recording_open(ctx, record_path("r.xdmf"), &r) == SP_OK);
        CHECK(sp_recording_topology_at(r, 2, 0, &whole) == SP_OK && whole.cell_count == info.cells);
        CHECK(sp_recording_field(r, 2, 0, "von-mises", seen) == SP_OK &&
              memcmp(seen, stress[0], sizeof(double) * (size_t)info.cells) == 0);
        CHECK(sp_recording_topology_at(r, 5, 0, &part) == SP_OK && part.cell_count == info.cells - gone);
        CHECK(sp_recording_field(r, 5, 0, "von-mises", seen) == SP_OK);
        for (int c = 0; c < info.cells; c++)
            if (removed[c] == 0) CHECK(seen[left++] == stress[1][c]);
        sp_scene *scene = NULL;
        sp_run *run = NULL;
        REQUIRE(sp_recording_scene(r, NULL, &scene) == SP_OK && sp_run_create(scene, NULL, &run) == SP_OK);
        static const int frames[] = {5, 0, 5, 2, 3};
        for (int i = 0; i < 5; i++) {
            const sp_body_id id = sp_world_body_named(sp_run_world(run), "beam");
            CHECK(sp_recording_show(r, frames[i], run) == SP_OK);
            CHECK(sp_world_body_info(sp_run_world(run), id, &info) == SP_OK);
            CHECK_INT(info.removed, frames[i] > 2 ? count : 0);
            CHECK(sp_world_field(sp_run_world(run), id, "von-mises", seen) == SP_OK);
            // written in double: the same state has the same stress
            if (frames[i] == 5) CHECK(memcmp(seen, stress[1], sizeof(double) * (size_t)info.cells) == 0);
        }
        sp_run_destroy(&run), sp_scene_destroy(&scene), sp_recording_close(&r);
        record_clean();
    }
}

// divides an element in four around a new node in its middle
static void divide_element(sp_world *w, sp_body_id body, int element) {
    sp_body_info info;
    sp_element_view view;
    int cells[4 * 64], nodes[16], like[4];
    REQUIRE(sp_world_body_info(w, body, &info) == SP_OK && info.cells <= 64);
    REQUIRE(sp_world_elements(w, body, cells, &view) == SP_OK);
    for (int i = 0; i < 16; i++) nodes[i] = i / 4 == i % 4 ? info.nodes : cells[4 * element + i % 4], like[i / 4] = element;
    const sp_anchor middle = {.body = body, .elem = (uint32_t)element, .at = {0.25, 0.25, 0.25}};
    sp_addition add = sp_addition_default();
    add.node_count = 1, add.at = &middle, add.element_count = 4, add.like = like, add.nodes = nodes, add.node_entries = 16;
    add.removed_count = 1, add.removed = &element;
    CHECK_INT(sp_world_append(w, body, &add), SP_OK);
}

// Elements that the program appends between two steps: later frames have them and their nodes, probes go on; such a frame is not
// shown, as its scene does not have them.
TEST(appended_elements_are_recorded) {
    if (!with_hdf5()) return;
    sp_run_options o = into_folder();
    staged s = stage_run(
        "<scene dt='0.01' gravity='0 -9.81 0'><solid name='beam' young='1e5'><box size='0.4 0.1 0.1' cells='4 1 1'/><fix "
        "plane='0 0 0 1 0 0' within='1e-6'/><probe name='stress' box='-1 -1 -1 1 1 1' quantity='von-mises' combine='max'/>"
        "</solid><record file='r.xdmf' every='2' precision='double' quantity='von-mises'/><record file='r.csv'/>"
        "<record file='r.vtu' every='2'/><record file='r.ply' every='2'/><stop steps='10'/></scene>",
        &o, false);
    REQUIRE(s.status == SP_OK);
    sp_world *w = sp_run_world(s.run);
    const sp_body_id beam = sp_world_body_named(w, "beam");
    sp_body_info before, after;
    double stress[64], removed[64], seen[64];
    stage_steps(&s, 5);
    REQUIRE(sp_world_body_info(w, beam, &before) == SP_OK);
    for (int e = 3; e < 7; e++) divide_element(w, beam, e);
    stage_steps(&s, 5);
    REQUIRE(sp_world_body_info(w, beam, &after) == SP_OK);
    CHECK_INT(after.nodes, before.nodes + 4);
    CHECK_INT(after.appended, 16);
    CHECK(sp_world_field(w, beam, "von-mises", stress) == SP_OK && sp_world_field(w, beam, "removed", removed) == SP_OK);
    CHECK(sp_run_finish(s.run) == SP_OK);
    stage_close(&s);
    sp_recording *r;
    sp_recording_topology first, last;
    REQUIRE(sp_recording_open(ctx, record_path("r.xdmf"), &r) == SP_OK);
    CHECK(sp_recording_topology_at(r, 2, 0, &first) == SP_OK && first.cell_count == before.cells);
    CHECK(first.node_count == before.nodes);
    CHECK(sp_recording_topology_at(r, 5, 0, &last) == SP_OK && last.cell_count == before.cells + 12);
    CHECK(last.node_count == before.nodes + 4);
    CHECK(sp_recording_field(r, 5, 0, "von-mises", seen) == SP_OK);
    for (int c = 0, left = 0; c < after.cells; c++)
        if (removed[c] == 0) CHECK(seen[left++] == stress[c]);
    sp_scene *scene = NULL;
    sp_run *run = NULL;
    REQUIRE(sp_recording_scene(r, NULL, &scene) == SP_OK && sp_run_create(scene, NULL, &run) == SP_OK);
    CHECK_INT(sp_recording_show(r, 2, run), SP_OK);
    CHECK_INT(sp_recording_show(r, 5, run), SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(ctx)->message, "in the scene") != NULL);
    sp_run_destroy(&run), sp_scene_destroy(&scene), sp_recording_close(&r);
    record_clean();
}

TEST(a_run_is_recorded_and_shown) {
    if (!with_hdf5()) return;
    sp_run_options o = into_folder();
    staged s =
        stage_run(HELP_SCENE("<record file='a.xdmf' every='5' precision='double' quantity='von-mises strain-energy region'/>"
                             "<record file='a.csv'/><record file='a.obj' every='10' part='visual'/>"
                             "<record file='v.xdmf' part='visual' every='20' quantity='velocity'/>"),
                  &o, false);
    REQUIRE(s.status == SP_OK);
    double seen[5][72];
    uint64_t hash[5];
    sp_body_id beam = sp_world_body_named(sp_run_world(s.run), "beam");
    for (int i = 0; i < 5; i++) {
        CHECK(sp_world_field(sp_run_world(s.run), beam, "position", seen[i]) == SP_OK);
        hash[i] = sp_world_hash(sp_run_world(s.run));
        stage_steps(&s, 5);
    }
    sp_body_measures at_end;
    sp_world_body_measure(sp_run_world(s.run), beam, &at_end);
    CHECK(sp_run_finish(s.run) == SP_OK);
    CHECK_INT(sp_run_record_count(s.run), 4);
    static const long frames[] = {5, 21, 3, 2};
    for (int i = 0; i < 4; i++) {
        sp_run_record r;
        sp_run_record_at(s.run, i, &r);
        CHECK_INT(r.frames, frames[i]);
        CHECK(r.path && r.bytes > 0 && r.dropped == 0);
    }
    sp_recording *r;
    sp_recording_info info;
    REQUIRE(sp_recording_open(s.ctx, record_path("a.xdmf"), &r) == SP_OK);
    sp_recording_get(r, &info);
    CHECK(info.frame_count == 5 && info.body_count == 2 && info.complete && info.in_double);
    // the energies of the elements sum up to that of the body; both are sums of doubles in different order
    double energy[18], sum = 0;
    sp_field_info field;
    REQUIRE(sp_recording_field_info(r, 4, 0, "strain-energy", &field) == SP_OK && field.count <= 18);
    REQUIRE(sp_recording_field(r, 4, 0, "strain-energy", energy) == SP_OK);
    for (int i = 0; i < field.count; i++) sum += energy[i];
    CHECK_NEAR(sum, at_end.elastic, 1e-12 * at_end.elastic);
    // restores every frame into a world: the same state, bit for bit
    for (int i = 0; i < 5; i++) {
        double x[72], pose[7];
        sp_recording_frame f;
        REQUIRE(sp_recording_show(r, i, s.run) == SP_OK);
        sp_world_field(sp_run_world(s.run), beam, "position", x);
        CHECK(memcmp(x, seen[i], 48 * sizeof *x) == 0);
        sp_recording_frame_at(r, i, &f);
        CHECK(f.hash == hash[i] && f.step == 5 * (uint64_t)i);
        sp_world_field(sp_run_world(s.run), sp_world_body_named(sp_run_world(s.run), "floor"), "pose", pose);
        // the floor rises by one metre per second
        CHECK_NEAR(pose[1], -1 + 0.05 * i, 1e-12);
    }
    CHECK(sp_recording_show(r, 5, s.run) == SP_BAD_INPUT);
    sp_recording_close(&r);
    REQUIRE(sp_recording_open(s.ctx, record_path("v.h5"), &r) == SP_OK);
    sp_recording_get(r, &info);
    CHECK(info.visual && info.body_count == 2);
    CHECK(sp_recording_show(r, 0, s.run) == SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(s.ctx)->message, "visual") != NULL);
    sp_recording_close(&r);
    stage_close(&s);
    record_clean();
}

// A recording that starts after some steps and stops before the run ends: frames in a period, the same hashes when they are
// shown, the parameters of each frame, and a run that does not depend on it.
TEST(a_run_is_recorded_for_a_while) {
    staged s = stage_run(HELP_SCENE(""), NULL, false), again = stage_run(HELP_SCENE(""), NULL, false);
    static const char *const fields[] = {"von-mises"}, *const wrong[] = {"von-miss"};
    sp_run_recorder_def def = sp_run_recorder_def_default();
    sp_run_recorder *rec;
    REQUIRE(s.status == SP_OK && again.status == SP_OK);
    if (!with_hdf5()) {
        def.path = record_path("live.xdmf");
        CHECK(sp_run_recorder_start(s.run, &def, &rec) == SP_UNAVAILABLE && !rec);
        CHECK(strstr(sp_context_error(s.ctx)->message, "libhdf5-dev"));
        stage_close(&s), stage_close(&again);
        return;
    }
    CHECK(sp_run_recorder_start(s.run, &def, &rec) == SP_BAD_INPUT && strstr(sp_context_error(s.ctx)->message, ".xdmf"));
    def.path = record_path("live.vtu");
    CHECK(sp_run_recorder_start(s.run, &def, &rec) == SP_BAD_INPUT);
    def.path = record_path("no/live.xdmf");
    CHECK(sp_run_recorder_start(s.run, &def, &rec) == SP_IO && !rec);
    def.path = record_path("live.xdmf"), def.quantities = wrong, def.quantity_count = 1;
    CHECK(sp_run_recorder_start(s.run, &def, &rec) == SP_BAD_INPUT && strstr(sp_context_error(s.ctx)->message, "von-miss"));
    def.quantities = fields, def.period = -1;
    CHECK(sp_run_recorder_start(s.run, &def, &rec) == SP_BAD_INPUT && strstr(sp_context_error(s.ctx)->message, "period"));
    double dt = sp_run_dt(s.run);
    sp_world *world = sp_run_world(s.run);
    sp_body_id beam = sp_world_body_named(world, "beam");
    uint64_t hash[3];
    static double stress[3][64], place[3][48], seen[64];
    sp_field_info info;
    REQUIRE(sp_world_field_info(world, beam, "position", &info) == SP_OK && info.count == 16);
    REQUIRE(sp_world_field_info(world, beam, "von-mises", &info) == SP_OK && info.count <= 64);
    stage_steps(&s, 3);
    def.period = 2 * dt, def.in_double = true, def.wait = true, def.edits = "1 0 1 param beam.poisson 0.25\n";
    REQUIRE(sp_run_recorder_start(s.run, &def, &rec) == SP_OK);
    for (int i = 0; i < 3; i++) {
        hash[i] = sp_world_hash(world);
        CHECK(sp_world_field(world, beam, "position", place[i]) == SP_OK);
        // the step before the first frame is not recorded, but the value that it set is known
        CHECK(sp_world_set_param(world, "beam.poisson", 0.25) == SP_OK);
        CHECK(sp_world_field(world, beam, "von-mises", stress[i]) == SP_OK);
        sp_edit e = sp_edit_default(SP_EDIT_PARAM);
        snprintf(e.path, sizeof e.path, "beam.young");
        e.value = 1e5 * (i + 2);
        CHECK(sp_world_queue(world, &e) == SP_OK);
        for (int k = 0; k < 2; k++) {
            stage_steps(&s, 1);
            CHECK_INT(sp_run_recorder_step(rec), SP_OK);
        }
    }
    sp_run_record record;
    CHECK_INT(sp_run_recorder_stop(&rec), SP_OK);
    stage_steps(&s, 1);
    sp_recording *r;
    sp_recording_frame frame;
    sp_recording_info about;
    REQUIRE(sp_recording_open(again.ctx, record_path("live.xdmf"), &r) == SP_OK);
    sp_recording_get(r, &about);
    CHECK(about.frame_count == 4 && about.complete && about.in_double);
    for (int k = 0; k < 6; k++) {
        int i = k < 3 ? k : 5 - k;  // forwards and backwards
        CHECK(sp_recording_frame_at(r, i, &frame) == SP_OK && frame.step == 3 + 2 * (uint64_t)i && frame.hash == hash[i]);
        REQUIRE(sp_recording_show(r, i, again.run) == SP_OK);
        CHECK(sp_world_field(sp_run_world(again.run), beam, "position", seen) == SP_OK);
        CHECK(memcmp(seen, place[i], sizeof place[i]) == 0);
        CHECK(sp_world_field(sp_run_world(again.run), beam, "von-mises", seen) == SP_OK);
        // the same function of the same numbers
        CHECK(memcmp(seen, stress[i], (size_t)info.count * sizeof *seen) == 0);
    }
    sp_scene *scene = NULL;
    CHECK(sp_recording_scene(r, NULL, &scene) == SP_OK && sp_scene_message_count(scene) == 0);
    sp_scene_destroy(&scene);
    sp_recording_close(&r);
    // once more, over the same file
    REQUIRE(sp_run_recorder_start(s.run, &def, &rec) == SP_OK);
    sp_run_recorder_get(rec, &record);
    CHECK(strcmp(record.kind, "xdmf") == 0 && record.dropped == 0);
    CHECK_INT(sp_run_recorder_stop(&rec), SP_OK);
    stage_close(&s), stage_close(&again);
    record_clean();
}

TEST(frames_between_two_steps_are_interpolated_linearly) {
    if (!with_hdf5()) return;
    sp_run_options o = into_folder();
    staged s = stage_run(HELP_SCENE("<record file='b.xdmf' period='0.005' precision='double'/>"), &o, false);
    REQUIRE(s.status == SP_OK);
    stage_steps(&s, 20);
    CHECK(sp_run_finish(s.run) == SP_OK);
    sp_recording *r;
    sp_recording_info info;
    REQUIRE(sp_recording_open(s.ctx, record_path("b.h5"), &r) == SP_OK);
    sp_recording_get(r, &info);
    CHECK_INT(info.frame_count, 41);
    for (int i = 1; i + 1 < info.frame_count; i += 2) {
        double a[48], b[48], c[48], pose[7];
        sp_recording_frame f;
        sp_recording_frame_at(r, i, &f);
        CHECK(f.interpolated && f.hash == 0);
        sp_recording_field(r, i - 1, 0, "position", a), sp_recording_field(r, i, 0, "position", b);
        sp_recording_field(r, i + 1, 0, "position", c);
        // times are sums of dt: the middle is exact up to their rounding
        for (int k = 0; k < 48; k++) CHECK_NEAR(b[k], 0.5 * (a[k] + c[k]), 1e-12);
        sp_recording_field(r, i, 1, "pose", pose);
        CHECK_NEAR(pose[3] * pose[3] + pose[4] * pose[4] + pose[5] * pose[5] + pose[6] * pose[6], 1, 1e-14);
    }
    sp_recording_close(&r);
    stage_close(&s);
    record_clean();
}

TEST(a_solid_starts_from_a_recording) {
    if (!with_hdf5()) return;
    sp_run_options o = into_folder();
    staged s = stage_run(HELP_SCENE("<record file='c.xdmf' precision='double'/>"), &o, false);
    REQUIRE(s.status == SP_OK);
    stage_steps(&s, 12);
    uint64_t wanted[3];
    double x[48], y[48];
    sp_world_field(sp_run_world(s.run), sp_world_body_named(sp_run_world(s.run), "beam"), "position", x);
    for (int i = 0; i < 3; i++) stage_steps(&s, 1), wanted[i] = sp_world_hash(sp_run_world(s.run));
    CHECK(wanted[0] != wanted[1]);
    CHECK(sp_run_finish(s.run) == SP_OK);
    stage_close(&s);
#define FROM(cells, initial)                                                                                                  \
    "<scene dt='0.01' gravity='0 -9.81 0'><solid name='beam' young='1e5' poisson='0.3'><box size='0.6 0.2 0.2' cells='" cells \
    "'/><fix plane='0 0 0 1 0 0' within='1e-6'/>" initial "</solid><stop steps='5'/></scene>"
    staged t = stage_run(FROM("3 1 1", "<initial file='c.xdmf' time='0.1201'/>"), NULL, false);
    REQUIRE(t.status == SP_OK);
    sp_world_field(sp_run_world(t.run), sp_world_body_named(sp_run_world(t.run), "beam"), "position", y);
    CHECK(memcmp(x, y, sizeof x) == 0);
    stage_close(&t);
    CHECK(stage_refused(FROM("4 1 1", "<initial file='c.xdmf'/>"), NULL, "has other elements in the recording"));
    CHECK(stage_refused(FROM("3 1 1", "<initial file='scene.xml'/>"), NULL, "cannot be read"));
    CHECK(stage_refused(FROM("3 1 1", "<initial file='c.xdmf' velocity='1 0 0'/>"), NULL, "the recording gives all positions"));
    FILE *f = fopen(record_path("text.h5"), "w");
    fputs("no recording\n", f);
    fclose(f);
    CHECK(stage_refused(FROM("3 1 1", "<initial file='text.h5'/>"), NULL, "text.h5: not an HDF5 file"));
    record_clean();
}

TEST(quantities_are_checked) {
    sp_run_options o = into_folder();
    CHECK(stage_refused(HELP_SCENE("<record file='q.xdmf' quantity='kinetic'/>"), &o, "measure it by a probe"));
    CHECK(stage_refused(HELP_SCENE("<record file='q.obj' quantity='position velocity'/>"), &o, "holds positions only"));
    CHECK(stage_refused(HELP_SCENE("<record file='q.vtu' part='visual' quantity='stress'/>"), &o, "part=\"visual\" has none"));
    CHECK(stage_refused(HELP_SCENE("<record file='q.vtu' part='visual' quantity='force'/>"), &o, "holds position and velocity"));
    CHECK(stage_refused(HELP_SCENE("<record file='q.vtu'/><record file='q.vtu'/>"), &o, "by another record too"));
    CHECK(stage_refused("<scene><record file='q.vtu'/><stop steps='1'/></scene>", &o, "shows bodies, and there are none"));
    record_clean();
}

// ---------------------------------------------------------------------------------------------------- damaged files

static size_t read_whole(const char *path, char **out) {
    FILE *f = fopen(path, "rb");
    if (!f) return 0;
    fseek(f, 0, SEEK_END);
    size_t n = (size_t)ftell(f);
    rewind(f);
    *out = malloc(n + 1);
    n = fread(*out, 1, n, f);
    fclose(f);
    return n;
}

static void put_bytes(const char *path, const char *data, size_t size) {
    FILE *f = fopen(path, "wb");
    if (f) fwrite(data, 1, size, f), fclose(f);
}

static bool open_refused(const char *path, const char *words) {
    sp_recording *r;
    sp_status status = sp_recording_open(ctx, path, &r);
    bool good = status == SP_BAD_INPUT || status == SP_IO;
    good = good && r == NULL && strstr(sp_context_error(ctx)->message, words);
    if (!good) printf("    %s: %s %s\n", path, sp_status_name(status), sp_context_error(ctx)->message);
    sp_recording_close(&r);
    return good;
}

// a recording with wrong extents, written by the writer itself
static sp_recording *open_crooked(void (*bend)(help_layout *l)) {
    help_layout l;
    help_frame f;
    sp_recording *r;
    help_layout_make(&l, 0);
    bend(&l);
    sp_sink s = help_sink(ctx, record_path("crooked.xdmf"), &l.layout);
    CHECK(s.writer->open(&s) == SP_OK && s.writer->frame(&s, help_frame_make(&f, &l.layout, 0)) == SP_OK);
    CHECK(s.writer->close(&s) == SP_OK);
    sp_recording_open(ctx, record_path("crooked.h5"), &r);
    return r;
}

static void two_components(help_layout *l) {
    l->a[0].components = 2;
}

static void node_too_far(help_layout *l) {
    static const int far[] = {0, 1, 2, 3, 1, 2, 3, 5};
    l->bodies[0].cells = far;
}

static void one_corner(help_layout *l) {
    l->bodies[0].corners = 1;
}

static void half_a_pose(help_layout *l) {
    l->b[1].components = 3;
}

TEST(extents_that_do_not_fit_are_refused) {
    if (!with_hdf5()) return;
    sp_recording_topology t;
    CHECK(open_crooked(two_components) == NULL);
    CHECK(strstr(sp_context_error(ctx)->message, "no extent of frames x nodes x 3") != NULL);
    sp_recording *r = open_crooked(node_too_far);
    REQUIRE(r != NULL);
    CHECK(sp_recording_topology_at(r, 0, 0, &t) == SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(ctx)->message, "node 5, must be below 5") != NULL);
    sp_recording_close(&r);
    r = open_crooked(one_corner);
    REQUIRE(r != NULL);
    CHECK(sp_recording_topology_at(r, 0, 0, &t) == SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(ctx)->message, "no extent of count x 2, 3 or 4") != NULL);
    sp_recording_close(&r);
    // a scene with bodies of these names, but different counts
    r = open_crooked(half_a_pose);
    REQUIRE(r != NULL);
    staged s =
        stage_run("<scene><rigid name='plate'><box size='1 1 1'/></rigid><solid name='block'><box size='1 1 1' cells='1 1 1'/>"
                  "</solid><stop steps='1'/></scene>",
                  NULL, false);
    CHECK(sp_recording_show(r, 0, s.run) == SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(s.ctx)->message, "5 nodes and 2 elements in the recording, 8 and 5 in the scene") != NULL);
    sp_recording_close(&r);
    stage_close(&s);
    s = stage_run("<scene><rigid name='floor'><box size='1 1 1'/></rigid><stop steps='1'/></scene>", NULL, false);
    r = open_crooked(half_a_pose);
    CHECK(sp_recording_show(r, 0, s.run) == SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(s.ctx)->message, "\"block\" of the recording is not in the scene") != NULL);
    sp_recording_close(&r);
    stage_close(&s);
    record_clean();
}

TEST(damaged_recordings_are_refused) {
    if (!with_hdf5()) return;
    write_two_revisions(record_path("d.xdmf"), true, true);
    char *data = NULL;
    size_t n = read_whole(record_path("d.h5"), &data);
    REQUIRE(n > 4000);
    // truncated at many positions: refused, or (never) complete; no crash
    for (size_t cut = 0; cut < n; cut += n / 97 + 1) {
        sp_recording *r;
        put_bytes(record_path("cut.h5"), data, cut);
        CHECK(sp_recording_open(ctx, record_path("cut.h5"), &r) == SP_BAD_INPUT);
        CHECK(strstr(sp_context_error(ctx)->message, "cut.h5: ") != NULL);
    }
    free(data);
    remove(record_path("d.h5"));
    CHECK(open_refused(record_path("d.xdmf"), "d.h5: No such file"));
    put_bytes(record_path("text.xdmf"), "hello\n", 6);
    CHECK(open_refused(record_path("text.xdmf"), "not an XDMF file"));
    put_bytes(record_path("text.h5"), "hello\n", 6);
    CHECK(open_refused(record_path("text.h5"), "not an HDF5 file"));
    CHECK(open_refused(record_folder, "not a regular file"));
    CHECK(open_refused(record_path("none.h5"), "No such file"));
    record_clean();
}

TEST(the_context_is_empty_at_the_end) {
    size_t bytes, fresh;
    sp_context *other;
    setup();
    sp_context_create(NULL, &other);
    sp_context_memory(ctx, &bytes, NULL), sp_context_memory(other, &fresh, NULL);
    CHECK_INT(bytes, fresh);
    sp_context_destroy(&other);
    sp_context_destroy(&ctx);
}
