// The parts of a run around its world: probes and their times, events, claims, records, stop.
#include "at.h"
#include "meter.h"
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "core/background.h"
#include "io/run/build.h"
#include "souple/io.h"

#define OUT SP_BINARY_DIR "/test_run_out"

typedef struct stage {
    sp_context *ctx;
    sp_scene *scene;
    sp_run *run;
    sp_status status;
    size_t bytes;  // of the context only
} stage;

static stage build_with(const char *text, const sp_run_options *options) {
    stage s = {0};
    sp_context_create(NULL, &s.ctx);
    sp__background_hold(s.ctx, false);  // its thread exists from here on and is counted
    sp_context_memory(s.ctx, &s.bytes, NULL);
    s.status = sp_scene_parse(s.ctx, text, strlen(text), SP_SOURCE_DIR "/tests/data/test.xml", NULL, &s.scene);
    if (s.status >= 0) s.status = sp_run_create(s.scene, options, &s.run);
    for (int i = 0; s.scene && i < sp_scene_message_count(s.scene); i++) {
        sp_scene_message m = message_at(s.scene, i);
        if (m.severity == SP_SEVERITY_ERROR) printf("    %s:%d: %s\n", m.file, m.line, m.text);
    }
    return s;
}

static stage build(const char *text) {
    return build_with(text, NULL);
}

static void run_through(stage *s) {
    while (s->run && !sp_run_done(s->run)) {
        if (sp_run_step(s->run) >= 0) continue;
        SP_TEST_FAILED("step: %s", sp_context_error(s->ctx)->message);
        break;
    }
    if (s->run) CHECK(sp_run_finish(s->run) == SP_OK);
}

static void close_stage(stage *s) {
    size_t bytes = 0;
    sp_run_destroy(&s->run);
    sp_scene_destroy(&s->scene);
    sp_context_memory(s->ctx, &bytes, NULL);
    CHECK_INT(bytes, s->bytes);
    sp_context_destroy(&s->ctx);
}

static sp_run_probe probe_named(stage *s, const char *name) {
    sp_run_probe p = {0};
    for (int i = 0; i < sp_run_probe_count(s->run); i++) {
        sp_run_probe_at(s->run, i, &p);
        if (strcmp(p.name, name) == 0) return p;
    }
    SP_TEST_FAILED("no probe \"%s\"", name);
    return (sp_run_probe){0};
}

// one cell that flies at 2 m/s along x: positions are linear in time, so that interpolation is exact
#define FLIGHT(attrs, more)                                                                                                    \
    "<scene gravity='0 0 0' dt='0.1'><solid name='b'><box size='1 1 1' cells='1 1 1' pattern='6'/><initial velocity='2 0 0'/>" \
    "<probe name='p' near='0 0 0' quantity='position velocity' " attrs "/></solid><stop time='1'/>" more "</scene>"

// ------------------------------------------------------------------------------------------------ probes

TEST(a_probe_between_steps_is_interpolated_and_marked) {
    stage s = build(FLIGHT("times='0.05 0.3 0.37 2'", ""));
    REQUIRE(s.status == SP_OK);
    run_through(&s);
    sp_run_probe p = probe_named(&s, "p");
    REQUIRE(p.sample_count == 3);
    const double times[] = {0.05, 0.3, 0.37};
    const int marked[] = {1, 0, 1};
    for (int i = 0; i < 3; i++) {
        CHECK(p.times[i] == times[i]);
        CHECK_INT(p.interpolated[i], marked[i]);
        // rounding of ten steps, and elastic forces of a body that is at rest up to rounding
        CHECK_NEAR(p.values[6 * i], 2 * times[i], 1e-10);
        CHECK_NEAR(p.values[6 * i + 3], 2, 1e-10);
    }
    CHECK_INT(p.quantity_count, 2);
    CHECK_INT(p.components[0], 3);
    CHECK_INT(p.width, 6);
    CHECK(strcmp(p.quantities[1], "velocity") == 0 && strcmp(p.body, "b") == 0);
    close_stage(&s);
}

TEST(sampling_by_steps_and_by_period) {
    static const struct {
        const char *attrs;
        int count;
        double first, last;
    } cases[] = {{"", 11, 0, 1},
                 {"every='3'", 4, 0, 0.9},
                 {"every='1' from='0.25' until='0.55'", 3, 0.3, 0.5},
                 {"period='0.25'", 5, 0, 1},
                 {"period='0.3' from='0.1'", 4, 0.1, 1},
                 {"period='0.25' until='0.6'", 3, 0, 0.5},
                 {"times='0.1 0.5 0.9' from='0.2'", 2, 0.5, 0.9}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "<scene gravity='0 0 0' dt='0.1'><solid name='b'><box size='1 1 1' cells='1 1 1'/>"
                 "<probe name='p' near='0 0 0' %s/></solid><stop time='1'/></scene>",
                 cases[i].attrs);
        stage s = build(text);
        REQUIRE(s.status == SP_OK);
        run_through(&s);
        sp_run_probe p = probe_named(&s, "p");
        CHECK_INT(p.sample_count, cases[i].count);
        // times are sums of dt
        if (p.sample_count) CHECK_NEAR(p.times[0], cases[i].first, 1e-12);
        if (p.sample_count) CHECK_NEAR(p.times[p.sample_count - 1], cases[i].last, 1e-12);
        close_stage(&s);
    }
}

TEST(combined_quantities_agree_with_the_fields) {
    stage s = build("<scene gravity='0 -10 0' dt='0.05'><solid name='b' young='1e5'><box size='1 1 1' cells='3 2 2'/><fix "
                    "name='f' box='0 0 0 0 1 1'/>"
                    "<probe name='wall' select='f' quantity='force' combine='sum'/>"
                    "<probe name='peak' on='all' quantity='von-mises stress' combine='max'/>"
                    "<probe name='mean' where='{x gt 0.5}' quantity='position' combine='mean'/>"
                    "<probe name='each' nodes='0 5-6' quantity='position'/>"
                    "<probe name='inside' point='0.5 0.5 0.5' quantity='position'/></solid>"
                    "<probe name='whole' of='b' quantity='volume kinetic elastic momentum iterations residual'/>"
                    "<probe name='clock' of='b' quantity='step-ms'/><stop steps='5'/></scene>");
    REQUIRE(s.status == SP_OK);
    run_through(&s);
    sp_world *w = sp_run_world(s.run);
    sp_body_id id = sp_world_body_named(w, "b");
    static double x[36 * 3], f[36 * 3], vm[72];
    CHECK(sp_world_field(w, id, "position", x) == SP_OK && sp_world_field(w, id, "force", f) == SP_OK);
    CHECK(sp_world_field(w, id, "von-mises", vm) == SP_OK);
    double sum[3] = {0}, mean[3] = {0}, peak = 0;
    int n = 0;
    for (int i = 0; i < 36; i++) {
        for (int k = 0; i < 9 && k < 3; k++) sum[k] += f[3 * i + k];  // the first nine are at x = 0
        for (int k = 0; i >= 18 && k < 3; k++) mean[k] += x[3 * i + k];
        n += i >= 18;
    }
    for (int i = 0; i < 72; i++) peak = fmax(peak, vm[i]);
    sp_run_probe p = probe_named(&s, "wall");
    REQUIRE(p.sample_count == 6);
    for (int k = 0; k < 3; k++) CHECK(p.values[15 + k] == sum[k]);
    CHECK(fabs(sum[1]) > 1);
    p = probe_named(&s, "peak");
    CHECK(p.width == 7 && p.values[35] == peak);
    p = probe_named(&s, "mean");
    for (int k = 0; k < 3; k++) CHECK_NEAR(p.values[15 + k], mean[k] / n, 1e-15);
    p = probe_named(&s, "each");
    CHECK_INT(p.width, 9);
    for (int k = 0; k < 3; k++) CHECK(p.values[45 + 6 + k] == x[18 + k]);
    p = probe_named(&s, "whole");
    sp_body_info info;
    sp_body_measures now;
    CHECK(sp_world_body_info(w, id, &info) == SP_OK && sp_world_body_measure(w, id, &now) == SP_OK);
    CHECK_INT(p.width, 8);
    CHECK(p.values[40] == now.volume && p.values[41] == now.kinetic && p.values[42] == now.elastic);
    CHECK(p.values[44] == now.momentum[1] && p.values[46] == info.solve.linear_iterations);
    CHECK(p.values[46] > 0);
    close_stage(&s);
}

// ------------------------------------------------------------------------------------------------ claims

TEST(claims_hold_or_fail) {
    stage s = build(FLIGHT(
        "every='1'",
        "<expect probe='p' component='x' at='0.55' value='1.1' tolerance='1e-9'/>"
        "<expect probe='p' component='velocity.x' over='mean' value='2.1' tolerance='0.01'/>"
        "<expect probe='p' component='velocity.x' over='mean' value='2.1' tolerance='0.06' relative='yes' source='by hand'/>"
        "<expect probe='p' component='position.x' over='max' value='2' tolerance='1e-9'/>"
        "<expect probe='p' component='position.x' over='min' value='0' tolerance='1e-9'/>"
        "<expect probe='p' component='position.x' over='end' value='2' tolerance='1e-9'/>"
        "<expect probe='p' component='position.x' at='5' value='10' tolerance='100'/>"));
    REQUIRE(s.status == SP_OK);
    const bool held[] = {true, false, true, true, true, true, false};
    REQUIRE(sp_run_claim_count(s.run) == 7);
    run_through(&s);
    for (int i = 0; i < 7; i++) {
        sp_run_claim c;
        sp_run_claim_at(s.run, i, &c);
        if (c.held != held[i]) SP_TEST_FAILED("claim %d: seen %g, value %g", i, c.seen, c.value);
    }
    sp_run_claim c;
    sp_run_claim_at(s.run, 2, &c);
    CHECK(strcmp(c.probe, "p") == 0 && strcmp(c.component, "velocity.x") == 0 && strcmp(c.source, "by hand") == 0 && c.relative);
    sp_run_claim_at(s.run, 6, &c);
    CHECK(isnan(c.seen));
    close_stage(&s);
}

// ------------------------------------------------------------------------------------------------ events

static double young(stage *s) {
    sp_param_info info = {.value = NAN};
    CHECK(sp_world_param(sp_run_world(s->run), "b.young", &info) == SP_OK);
    return info.value;
}

TEST(an_event_ramps_the_modulus) {
    stage s = build(
        "<scene gravity='0 0 0' dt='0.1'><solid name='b' young='1000'><box size='1 1 1' cells='1 1 1'/></solid>"
        "<event t='0.2' set='b.young' value='3000' ramp='0.4'/><event t='0.8' set='b.young' value='0'/><stop time='1'/></scene>");
    REQUIRE(s.status == SP_OK);
    // edits are applied at the start of a step: after step k they are those of time 0.1 (k - 1)
    const double want[] = {1000, 1000, 1000, 1500, 2000, 2500, 3000, 3000, 0, 0};
    for (int k = 0; k < 10; k++) {
        CHECK(sp_run_step(s.run) >= 0);
        // the progress of the ramp is a quotient of sums of dt
        CHECK_NEAR(young(&s), want[k], 1e-9);
    }
    CHECK(sp_run_done(s.run));
    close_stage(&s);
}

// A region with its own modulus is addressed by its name; one without is not counted.
TEST(an_event_addresses_a_region_by_its_name) {
    stage s = build("<scene gravity='0 0 0' dt='0.1'><solid name='b' young='1000'><box size='2 1 1' cells='2 1 1'/>"
                    "<region box='0 0 0 1 1 1' poisson='0.2'/><region name='end' box='1 0 0 2 1 1' young='500'/></solid>"
                    "<event t='0.1' set='b.end.young' value='700'/><stop time='0.3'/></scene>");
    REQUIRE(s.status == SP_OK);
    sp_param_info info = {.value = NAN};
    CHECK(sp_world_param(sp_run_world(s.run), "b.region[0].young", &info) == SP_OK);
    CHECK_NEAR(info.value, 500, 0);
    while (!sp_run_done(s.run)) CHECK(sp_run_step(s.run) >= 0);
    CHECK(sp_world_param(sp_run_world(s.run), "b.region[0].young", &info) == SP_OK);
    CHECK_NEAR(info.value, 700, 0);
    CHECK_NEAR(young(&s), 1000, 0);
    close_stage(&s);
}

TEST(events_pin_and_release_and_wait_for_conditions) {
    stage s = build("<scene gravity='0 -10 0' dt='0.1'><solid name='b' young='1e6'><box size='1 1 1' cells='1 1 1'/>"
                    "<probe name='p' near='0 0 0'/></solid>"
                    "<event t='0' do='pin' of='b' box='0 0 0 1 0 1'/>"
                    "<event t='0.5' do='release' of='b' on='all'/>"
                    "<event when='{p.y lt -0.15}' set='gravity.y' value='0'/><stop time='1.5' when='{t gt 0.95}'/></scene>");
    REQUIRE(s.status == SP_OK);
    int steps = 0;
    double y_before = 0, y = 0;
    while (!sp_run_done(s.run) && steps < 20) {
        CHECK(sp_run_step(s.run) >= 0);
        sp_run_probe p = probe_named(&s, "p");
        y_before = y;
        y = p.values[3 * (p.sample_count - 1) + 1];
        if (++steps <= 5) CHECK(y == 0);
    }
    CHECK_INT(steps, 10);
    sp_param_info g;
    CHECK(sp_world_param(sp_run_world(s.run), "gravity.y", &g) == SP_OK);
    CHECK(g.value == 0);
    // falls: 0.1 + 0.1 + 0.1 ... the last steps at constant mean speed
    CHECK(y < -0.15 && y < y_before);
    close_stage(&s);
}

// scene and log of external edits: events are repeated by the scene, not by the log
TEST(events_and_edits_replay_to_the_same_hash) {
    static const char text[] =
        "<scene dt='0.02'><solid name='b' young='1e5'><box size='1 0.2 0.2' cells='4 1 1'/><fix box='0 0 0 0 1 1'/></solid>"
        "<event t='0.04' set='b.young' value='5e4' ramp='0.2'/><stop steps='20'/></scene>";
    uint64_t hash[2] = {0, 1};
    sp_edit_log *log = NULL;
    for (int pass = 0; pass < 2; pass++) {
        stage s = build(text);
        REQUIRE(s.status == SP_OK);
        sp_world *w = sp_run_world(s.run);
        CHECK((pass ? sp_edit_log_open : sp_edit_log_create)(s.ctx, SP_BINARY_DIR "/test_run.log", &log) == SP_OK);
        for (int k = 0; k < 20; k++) {
            sp_edit e = sp_edit_default(SP_EDIT_PARAM);
            snprintf(e.path, sizeof e.path, "gravity.z");
            e.value = 0.1 * k;
            if (!pass && k % 3 == 0) CHECK(sp_world_queue(w, &e) >= 0);
            if (pass) CHECK(sp_edit_log_queue(log, w) == SP_OK);
            CHECK(sp_run_step(s.run) >= 0);
            if (!pass) CHECK(sp_edit_log_append(log, w) == SP_OK);
        }
        hash[pass] = sp_world_hash(w);
        CHECK(sp_edit_log_close(&log) == SP_OK);
        close_stage(&s);
    }
    CHECK(hash[0] == hash[1]);
    remove(SP_BINARY_DIR "/test_run.log");
}

// ------------------------------------------------------------------------------------------------ records

static int read_lines(const char *path, char lines[][400], int most) {
    FILE *file = fopen(path, "rb");
    int n = 0;
    while (file && n < most && fgets(lines[n], 400, file)) n++;
    if (file) fclose(file);
    return n;
}

TEST(csv_records_contain_the_probes) {
    mkdir(OUT, 0755);
    sp_run_options options = sp_run_options_default();
    options.out = OUT;
    stage s = build_with(FLIGHT("times='0.05 0.5'", "<probe name='v' of='b' quantity='volume' times='0.5 0.6'/>"
                                                    "<record file='own.csv'/><record file='timed.csv' every='5'/>"),
                         &options);
    REQUIRE(s.status == SP_OK);
    run_through(&s);
    static char lines[20][400];
    REQUIRE(read_lines(OUT "/own.csv", lines, 20) == 4);
    CHECK(strcmp(lines[0], "time [s],interpolated,p.position.x [m],p.position.y [m],p.position.z [m],p.velocity.x [m/s],"
                           "p.velocity.y [m/s],p.velocity.z [m/s],v.volume [m3]\r\n") == 0);
    CHECK(strncmp(lines[1], "0.050000000000000003,yes,0.1", 28) == 0 && strstr(lines[1], ",\r\n"));
    CHECK(strncmp(lines[2], "0.5,no,", 7) == 0 && !strstr(lines[2], ",\r\n"));
    CHECK(strstr(lines[3], "no,,,,,,,") != NULL);
    // numbers are read back to the same bits
    sp_run_probe p = probe_named(&s, "p");
    CHECK(strtod(lines[2] + 7, NULL) == p.values[6]);
    CHECK_INT(read_lines(OUT "/timed.csv", lines, 20), 4);
    CHECK(strncmp(lines[3], "1,no,", 5) == 0 || strncmp(lines[3], "0.99", 4) == 0);
    close_stage(&s);
    remove(OUT "/own.csv");
    remove(OUT "/timed.csv");
    rmdir(OUT);
}

TEST(a_record_that_cannot_be_opened) {
    sp_run_options options = sp_run_options_default();
    options.out = SP_BINARY_DIR "/no/such/folder";
    const char *text = FLIGHT("", "<record file='own.csv'/>");
    stage s = {0};
    sp_context_create(NULL, &s.ctx);
    sp_context_memory(s.ctx, &s.bytes, NULL);
    CHECK(sp_scene_parse(s.ctx, text, strlen(text), "test.xml", NULL, &s.scene) == SP_OK);
    CHECK(sp_run_create(s.scene, &options, &s.run) == SP_BAD_INPUT);
    CHECK(s.run == NULL && strstr(sp_context_error(s.ctx)->message, "no/such/folder") != NULL);
    close_stage(&s);
}

// ------------------------------------------------------------------------------------------------ stop

TEST(stop_conditions_and_overrides) {
    sp_run_options options = sp_run_options_default();
    options.time = 0.3;
    stage s = build_with(FLIGHT("", ""), &options);
    REQUIRE(s.status == SP_OK);
    CHECK_INT(sp_run_steps_planned(s.run), 3);
    run_through(&s);
    CHECK_INT(sp_world_steps(sp_run_world(s.run)), 3);
    close_stage(&s);
    s = build("<scene gravity='0 0 0' dt='0.1'><solid name='b'><box size='1 1 1' cells='1 1 1'/><initial velocity='2 0 0'/>"
              "<probe name='p' near='0 0 0'/></solid><stop when='{p.x gt 0.55}'/></scene>");
    REQUIRE(s.status == SP_OK);
    CHECK_INT(sp_run_steps_planned(s.run), 0);
    run_through(&s);
    CHECK_INT(sp_world_steps(sp_run_world(s.run)), 3);
    close_stage(&s);
    s = build("<scene dt='0.01'><solid name='b'><box size='1 1 1' cells='1 1 1'/></solid><stop wall='1e-9'/></scene>");
    REQUIRE(s.status == SP_OK);
    run_through(&s);
    CHECK_INT(sp_world_steps(sp_run_world(s.run)), 1);
    close_stage(&s);
    options = sp_run_options_default();
    options.endless = true;
    s = build_with("<scene dt='0.01'><solid name='b'><box size='1 1 1' cells='1 1 1'/></solid></scene>", &options);
    CHECK(s.status == SP_OK);
    CHECK(sp_run_step(s.run) >= 0 && !sp_run_done(s.run));
    close_stage(&s);
}

// ------------------------------------------------------------------------------------------------ appearance, instances

TEST(appearance_and_instances) {
    stage s = build("<scene><look name='red' color='1 0 0' opacity='0.5' edges='yes'/>"
                    "<template name='t'><solid name='c' look='red'><box size='1 1 1' cells='1 1 1'/><probe name='q' near='0 0 "
                    "0'/></solid></template>"
                    "<instance name='pile' of='t' count='2' translate='{3*i} 0 0'/>"
                    "<rigid name='floor'><plane/></rigid><probe name='all' of='pile[*].c' quantity='volume' combine='sum'/><stop "
                    "steps='1'/></scene>");
    REQUIRE(s.status == SP_OK);
    sp_world *w = sp_run_world(s.run);
    sp_run_look look;
    sp_body_id second = sp_world_body_named(w, "pile[1].c");
    REQUIRE(second.slot != 0);
    CHECK(sp__run_look(s.run, second.slot, &look));
    CHECK(look.color[0] == 1 && look.color[1] == 0 && look.opacity == 0.5 && look.edges);
    CHECK(!sp__run_look(s.run, sp_world_body_named(w, "floor").slot, &look));
    sp_run_probe p = probe_named(&s, "pile[1].c.q");
    CHECK(p.sample_count == 1 && p.values[0] == 3);
    p = probe_named(&s, "all");
    // two unit cubes: sums of five tetrahedra
    CHECK_NEAR(p.values[0], 2, 1e-14);
    close_stage(&s);
}

// ------------------------------------------------------------------------------------------------ memory

TEST(every_allocation_of_a_run_may_fail) {
    static const char text[] =
        "<scene dt='0.02'><material name='m' young='1e5'/><solid name='b' material='m' translate='1 0 0'><box size='1 0.2 0.2' "
        "cells='2 1 1'/>"
        "<select name='end' box='1 0 0 1 1 1'/><region box='0 0 0 0.5 1 1' young='2e5' density='{900+x}'/>"
        "<fix box='0 0 0 0 1 1'/><move select='end' axes='z'><key t='0'/><key t='1' translate='0 0 1'/></move>"
        "<load select='end' force='0 {t} 0'/><pull point='0.5 0.1 0.1' to='0 {t} 0'/><pull select='end' to='0 {t} 0'/>"
        "<initial velocity='0 0.1 0'/><probe name='tip' select='end' combine='mean' quantity='position velocity force'/></solid>"
        "<rigid name='r' motion='kinematic'><sphere radius='0.1'/><move translate='{t} 0 0'/></rigid><contact "
        "formulation='penalty'/>"
        "<event t='0.02' set='b.young' value='2e5' ramp='0.1'/><event when='{tip.y gt 100}' do='pin' of='b' near='0 0 0'/>"
        "<expect probe='tip' component='y' over='end' value='0' tolerance='1'/><stop steps='3'/></scene>";
    meter m = {1000000, 0};
    sp_context_def def = metered_context(&m);
    sp_context *ctx;
    sp_scene *scene;
    sp_run *run;
    REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
    sp_status status = SP_NO_MEMORY;
    int n = 0;
    long empty = m.live;
    for (; status == SP_NO_MEMORY && n < 5000; n++) {
        m.allowed = 1000000;
        REQUIRE(sp_scene_parse(ctx, text, strlen(text), "test.xml", NULL, &scene) == SP_OK);
        m.allowed = n;
        status = sp_run_create(scene, NULL, &run);
        CHECK(status == SP_OK || (status == SP_NO_MEMORY && !run));
        if (status == SP_OK) CHECK(sp_run_step(run) >= 0 || sp_context_error(ctx)->status == SP_NO_MEMORY);
        sp_run_destroy(&run);
        sp_scene_destroy(&scene);
        CHECK_INT(m.live, empty);
        if (sp_test_failures) break;
    }
    CHECK(status == SP_OK && n > 100);
    sp_context_destroy(&ctx);
}
