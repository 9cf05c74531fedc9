// A run that was interrupted continues from its checkpoint file with the same bits: hashes, probes, events and records, with
// every kind of solver and integrator. A checkpoint that does not fit is refused with a reason and leaves nothing behind.
#include "../meter.h"
#include "../unit/record_help.h"

#define SHAPED(shape, solver, more)                                                                                         \
    "<scene dt='0.01' gravity='0 -9.81 0'>"                                                                                 \
    "<solid name='beam' young='1e5' poisson='0.3'><box size='0.6 0.2 0.2' cells='4 2 2'" shape "/>"                         \
    "<fix plane='0 0 0 1 0 0' within='1e-6'/>" solver "<probe name='tip' near='0.6 0.2 0.2' quantity='position velocity'/>" \
    "<probe name='half' near='0.6 0 0' quantity='position' period='0.007'/></solid>"                                        \
    "<event t='0.05' do='set' set='beam.young' value='5e4' ramp='0.08'/>" more "<stop steps='24'/></scene>"
#define CONSISTENT(shape, integrator)                                                                                        \
    "<scene dt='0.01' gravity='0 -9.81 0'>"                                                                                  \
    "<solid name='beam' young='1e5' mass-matrix='consistent' rayleigh='1 0.001'><box size='0.6 0.2 0.2' cells='4 2 2'" shape \
    "/>"                                                                                                                     \
    "<fix plane='0 0 0 1 0 0' within='1e-6'/><mass name='w' near='0.6 0 0' value='{1+t}'/>" integrator                       \
    "<probe name='tip' near='0.6 0.2 0.2' quantity='position velocity'/></solid>"                                            \
    "<event t='0.05' do='set' set='beam.density' value='1500' ramp='0.08'/><stop steps='24'/></scene>"
#define SCENE(solver, more) SHAPED("", solver, more)
// elements are removed before the checkpoint, and again after it
#define REMOVED                                                       \
    "<event t='0.06' do='remove' of='beam' box='0.3 0 0 0.6 1 0.1'/>" \
    "<event t='0.16' do='remove' of='beam' box='0 0 0.1 0.15 1 0.2'/>"

enum { STEPS = 24, BREAK = 11 };

typedef struct outcome {
    uint64_t hash[STEPS];
    double samples[4096];
    int sample_count;
} outcome;

static void keep_samples(sp_run *run, outcome *out) {
    out->sample_count = 0;
    for (int i = 0; i < sp_run_probe_count(run); i++) {
        sp_run_probe p;
        sp_run_probe_at(run, i, &p);
        for (int k = 0; k < p.sample_count * p.width && out->sample_count < 4000; k++)
            out->samples[out->sample_count++] = p.values[k] + p.times[k / p.width];
    }
}

static bool with_bodies;  // edits add and remove bodies

static void advance(staged *s, int steps) {
    for (int i = 0; s->run && i < steps; i++) {
        if (with_bodies) queue_bodies(sp_run_world(s->run));
        stage_steps(s, 1);
    }
}

static void go_to_the_end(staged *s, outcome *out) {
    while (s->run && !sp_run_done(s->run)) {
        advance(s, 1);
        out->hash[sp_world_steps(sp_run_world(s->run)) - 1] = sp_world_hash(sp_run_world(s->run));
    }
    if (s->run) keep_samples(s->run, out);
}

static void compare(const char *what, const char *text, const sp_run_options *whole, const sp_run_options *broken) {
    static outcome a, b;
    a = b = (outcome){0};
    staged s = stage_run(text, whole, false);
    REQUIRE(s.status == SP_OK);
    go_to_the_end(&s, &a);
    CHECK(sp_run_finish(s.run) == SP_OK);
    stage_close(&s);
    s = stage_run(text, broken, false);
    REQUIRE(s.status == SP_OK);
    advance(&s, BREAK);
    REQUIRE(sp_run_save(s.run, record_path("run.spc")) == SP_OK);
    advance(&s, 3);  // these steps are repeated
    stage_close(&s);
    sp_run_options o = broken ? *broken : sp_run_options_default();
    o.resume = record_path("run.spc");
    s = stage_run(text, &o, false);
    REQUIRE(s.status == SP_OK);
    CHECK_INT(sp_world_steps(sp_run_world(s.run)), BREAK);
    go_to_the_end(&s, &b);
    CHECK(sp_run_finish(s.run) == SP_OK);
    stage_close(&s);
    for (int i = BREAK; i < STEPS; i++)
        if (a.hash[i] != b.hash[i]) {
            SP_TEST_FAILED("%s: step %d differs", what, i + 1);
            break;
        }
    CHECK_INT(a.sample_count, b.sample_count);
    CHECK(memcmp(a.samples, b.samples, sizeof a.samples) == 0);
}

TEST(every_solver_continues_with_the_same_bits) {
    static const char *const texts[] = {
        SCENE("", ""),
        SCENE("<solver type='cg'/>", ""),
        SCENE("<solver type='pcg' preconditioner='block-jacobi'/>", ""),
        SCENE("<solver type='pcg' preconditioner='ssor'/>", ""),
        SCENE("<solver type='pcg' preconditioner='ic'/>", ""),
        SCENE("<solver type='pcg' preconditioner='multigrid'/>", ""),
        SCENE("<solver type='pcg' preconditioner='cholesky' refresh='async' lag='3'/>", ""),
        SCENE("<solver type='pcg' preconditioner='inverse-factor' refresh='4'/>", ""),
        SCENE("<solver type='cholesky'/>", ""),
        SCENE("<solver type='updated-cholesky'/>", ""),
        SCENE("<solver type='dense'/>", ""),
        SCENE("<integrator type='newton'/>", ""),
        SCENE("<region box='0 0 0 0.3 0.2 0.2' material='ogden' coefficients='40000 2'/>", ""),
        SCENE("<region box='0 0 0 0.3 0.2 0.2' material='neo-hookean'/><integrator type='newton'/>", ""),
        SHAPED(" pattern='hex'", "<region box='0 0 0 0.3 0.2 0.2' material='ogden'/>", ""),
        SHAPED(" order='2'", "<region box='0 0 0 0.3 0.2 0.2' material='stvk'/>", ""),
        SCENE("<integrator type='explicit' substeps='20'/>", ""),
        SCENE("<solver type='updated-cholesky'/>", REMOVED),
        SCENE("<solver type='pcg' preconditioner='multigrid'/>", REMOVED),
        SCENE("<solver type='pcg' preconditioner='cholesky' refresh='async' lag='3'/>", REMOVED),
        SHAPED(" pattern='hex'", "<region box='0 0 0 0.3 0.2 0.2' material='ogden'/>", REMOVED),
        SHAPED(" order='2'", "<region box='0 0 0 0.3 0.2 0.2' material='stvk'/>", REMOVED),
        SCENE("", "<rigid name='floor'><plane point='0 -0.03 0'/></rigid><contact formulation='proximity'/>" REMOVED),
        SCENE("", "<rigid name='floor'><plane point='0 -0.03 0'/></rigid><contact formulation='penalty'/>" REMOVED),
        SCENE("<region box='0 0 0 0.6 0.1 0.2' swell='{0.1*sin(20*t)}'/>", ""),
        SHAPED(" order='2'", "<region box='0 0 0 0.6 0.1 0.2' material='stvk' swell='{0.1*t}'/><integrator type='newton'/>", ""),
        SHAPED(" pattern='hex'", "<region box='0 0 0 0.6 0.1 0.2' swell='{0.1*t}'/><solver type='cg'/>", ""),
        SCENE("<region box='0 0 0 0.6 0.1 0.2' fibre='1 0.2 0' active='{0.2*sin(20*t)^2}'/>", ""),
        SHAPED(" pattern='hex'", "<region box='0 0 0 0.6 0.1 0.2' fibre='1 0.2 0' fibre-young='1e4' active='{t}'/>", ""),
        SCENE("<region box='0 0 0 0.6 0.1 0.2' prony='0.3 0.05' fibre='1 0 0' active='{t}'/><integrator type='newton'/>", ""),
        CONSISTENT("", ""),
        CONSISTENT(" order='2'", "<integrator type='newton'/>"),
        CONSISTENT(" pattern='hex'", "<solver type='cg'/>"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) compare(strstr(texts[i], "cells="), texts[i], NULL, NULL);
    record_clean();
}

static bool same_file(const char *a, const char *b) {
    FILE *f = fopen(a, "rb"), *g = fopen(b, "rb");
    bool same = f && g;
    for (int x = 0, y = 0; same && x != EOF;) x = fgetc(f), y = fgetc(g), same = x == y;
    if (f) fclose(f);
    if (g) fclose(g);
    if (!same) printf("    %s differs\n", a);
    return same;
}

TEST(records_continue) {
    char whole[128], broken[128];
    snprintf(whole, sizeof whole, "%s", record_path("whole")), snprintf(broken, sizeof broken, "%s", record_path("broken"));
    mkdir(whole, 0755), mkdir(broken, 0755);
    sp_run_options a = sp_run_options_default(), b = sp_run_options_default();
    a.out = whole, b.out = broken;
    compare("records",
            SCENE("", "<record file='own.csv'/><record file='timed.csv' period='0.013'/><record file='s.ply' every='4'/>"
                      "<record file='s.obj' period='0.025'/><record file='v.vtu' every='5' quantity='velocity'/>"),
            &a, &b);
    static const char *const names[] = {"own.csv", "timed.csv", "s-000006.ply", "s-000009.obj", "v.pvd", "v-000004.vtu"};
    for (int i = 0; i < 6; i++) {
        char x[192], y[192];
        snprintf(x, sizeof x, "%s/%s", whole, names[i]), snprintf(y, sizeof y, "%s/%s", broken, names[i]);
        CHECK(same_file(x, y));
    }
    record_clean();
}

static void check_recordings(void) {
    char whole[128], broken[128];
    sp_context *ctx;
    sp_recording *x, *y;
    sp_context_create(NULL, &ctx);
    if (sp_recording_open(ctx, "none.h5", &x) == SP_UNAVAILABLE) {  // a build without HDF5
        sp_context_destroy(&ctx);
        return;
    }
    snprintf(whole, sizeof whole, "%s", record_path("whole")), snprintf(broken, sizeof broken, "%s", record_path("broken"));
    mkdir(whole, 0755), mkdir(broken, 0755);
    sp_run_options a = sp_run_options_default(), b = sp_run_options_default();
    a.out = whole, b.out = broken;
    compare("recordings", SCENE("", "<record file='r.xdmf' every='2' precision='double'/><record file='t.xdmf' period='0.015'/>"),
            &a, &b);
    CHECK(same_file(record_path("whole/r.xdmf"), record_path("broken/r.xdmf")));
    CHECK(same_file(record_path("whole/t.xdmf"), record_path("broken/t.xdmf")));
    REQUIRE(sp_recording_open(ctx, record_path("whole/r.h5"), &x) == SP_OK);
    REQUIRE(sp_recording_open(ctx, record_path("broken/r.h5"), &y) == SP_OK);
    sp_recording_info info, other;
    sp_recording_get(x, &info), sp_recording_get(y, &other);
    CHECK(info.frame_count == 13 && other.frame_count == 13 && other.complete);
    for (int i = 0; i < 13; i++) {
        sp_recording_frame f, g;
        double p[135], q[135];
        sp_recording_frame_at(x, i, &f), sp_recording_frame_at(y, i, &g);
        CHECK(f.time == g.time && f.step == g.step && f.hash == g.hash);
        CHECK(sp_recording_field(x, i, 0, "position", p) == SP_OK && sp_recording_field(y, i, 0, "position", q) == SP_OK);
        CHECK(memcmp(p, q, sizeof p) == 0);
        for (int body = 1; body < info.body_count; body++) {
            CHECK(sp_recording_has_body(x, i, body) == sp_recording_has_body(y, i, body));
            if (!sp_recording_has_body(x, i, body)) continue;
            CHECK(sp_recording_field(x, i, body, "pose", p) == SP_OK && sp_recording_field(y, i, body, "pose", q) == SP_OK);
            CHECK(memcmp(p, q, 7 * sizeof *p) == 0);
        }
    }
    CHECK(info.body_count == (with_bodies ? 3 : 1) && other.body_count == info.body_count);
    sp_recording_close(&x), sp_recording_close(&y);
    sp_context_destroy(&ctx);
    record_clean();
}

TEST(recordings_continue) {
    check_recordings();
}

// the interrupted run has removed a body before the checkpoint, and has added another one of that name in the repeated steps
TEST(recordings_with_added_bodies_continue) {
    with_bodies = true;
    check_recordings();
    with_bodies = false;
}

TEST(checkpoints_that_do_not_fit_are_refused) {
    sp_run_options o = sp_run_options_default();
    const char *text = SCENE("", "");
    char path[128];
    snprintf(path, sizeof path, "%s", record_path("run.spc"));
    staged s = stage_run(text, NULL, false);
    REQUIRE(s.status == SP_OK);
    stage_steps(&s, 5);
    REQUIRE(sp_run_save(s.run, path) == SP_OK);
    CHECK(sp_run_save(s.run, record_path("no/such/run.spc")) == SP_IO);
    CHECK(strstr(sp_context_error(s.ctx)->message, "no/such/run.spc") != NULL);
    stage_close(&s);
    o.resume = path;
    CHECK(stage_refused(SCENE("<load near='0.6 0 0' force='1 0 0'/>", ""), &o, "saved from another scene"));
    CHECK(stage_refused("<scene dt='0.02'><solid name='beam'><box size='1 1 1' cells='1 1 1'/></solid><stop steps='3'/></scene>",
                        &o, "saved with dt = 0.01 s, the scene has 0.02 s"));
    // probes and records may change: they are no part of the state
    s = stage_run(SCENE("", "<probe name='more' of='beam' quantity='volume'/>"), &o, false);
    CHECK_INT(s.status, SP_OK);
    stage_steps(&s, 2);
    stage_close(&s);
    FILE *f = fopen(path, "rb");
    static char data[1 << 20];
    size_t n = f ? fread(data, 1, sizeof data, f) : 0;
    if (f) fclose(f);
    REQUIRE(n > 1000 && n < sizeof data);
    for (size_t cut = 0; cut < n; cut += n / 23 + 1) {
        f = fopen(path, "wb");
        fwrite(data, 1, cut, f);
        fclose(f);
        CHECK(stage_refused(text, &o, cut < 80 ? "not a checkpoint of a run" : "damaged"));
    }
    for (size_t at = 90; at < n; at += n / 11) {
        f = fopen(path, "wb");
        data[at] ^= 0x10;
        fwrite(data, 1, n, f);
        data[at] ^= 0x10;
        fclose(f);
        CHECK(stage_refused(text, &o, "checksum does not fit"));
    }
    o.resume = record_path("none.spc");
    CHECK(stage_refused(text, &o, "none.spc"));
    record_clean();
}

// ---------------------------------------------------------------------------------------------------- memory

static sp_status metered_story(meter *m, const char *text, const char *path) {
    sp_context *ctx;
    sp_context_def def = metered_context(m);
    sp_scene *scene = NULL;
    sp_run *run = NULL;
    sp_run_options o = sp_run_options_default();
    // the records get another layout in both rounds
    sp_edit add = sp_edit_default(SP_EDIT_ADD), leave = sp_edit_default(SP_EDIT_REMOVE);
    snprintf(add.path, sizeof add.path, "ball"), add.shape = SP_SPHERE, add.size[0] = 0.1, add.kinematic = true;
    leave.body = (sp_body_id){2, 1};
    o.out = record_folder;
    sp_status status = sp_context_create(&def, &ctx);
    if (status < 0) return status;
    for (int round = 0; round < 2 && status >= 0; round++) {
        o.resume = round ? path : NULL;
        status = sp_scene_parse(ctx, text, strlen(text), "scene.xml", NULL, &scene);
        if (status >= 0) status = sp_run_create(scene, &o, &run);
        for (int i = 0; i < 3 && status >= 0; i++) {
            if (i == 1) status = sp_world_queue(sp_run_world(run), round ? &leave : &add);
            if (status >= 0) status = sp_run_step(run);
        }
        if (status >= 0 && !round) status = sp_run_save(run, path);
        if (status >= 0) status = sp_run_finish(run);
        sp_run_destroy(&run);
        sp_scene_destroy(&scene);
    }
    sp_context_destroy(&ctx);
    return status;
}

TEST(every_allocation_may_fail) {
    NOT_SANITIZED();  // on one thread
    const char *text = "<scene dt='0.01'><solid name='b'><box size='1 1 1' cells='1 1 1'/><solver type='cg'/><probe name='p' "
                       "near='1 1 1'/></solid><record file='m.csv'/><record file='m.ply' period='0.015'/>"
                       "<record file='m.xdmf'/><stop steps='9'/></scene>";
    meter m = {.allowed = 1 << 20};
    char path[128];
    snprintf(path, sizeof path, "%s", record_path("m.spc"));
    sp_status status = metered_story(&m, text, path);
    if (status == SP_BAD_INPUT || status == SP_UNAVAILABLE) return;  // a build without HDF5
    REQUIRE(status == SP_OK);
    long needed = (1 << 20) - m.allowed;
    // every allocation at the end, where the run is built, saved and resumed; some of those made while the scene is read
    for (long n = 0; n < needed; n += 1 + (needed - n) / 100) {
        m = (meter){.allowed = n};
        status = metered_story(&m, text, path);
        // the number of queued frames, and so the last allocations, depends on the speed of the recorder
        bool enough = status == SP_OK && n > needed / 2;
        if ((status != SP_NO_MEMORY && !enough) || m.live != 0) {
            SP_TEST_FAILED("%ld of %ld allocations: %s, %ld held", n, needed, sp_status_name(status), m.live);
            break;
        }
    }
    record_clean();
}
