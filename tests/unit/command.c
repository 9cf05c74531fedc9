// The command from the user's side: exit codes, one JSON object and nothing else, suggestions, Ctrl-C, files.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COMMAND_FOLDER "souple-command"
#include "command_folder.h"
#include "json_check.h"
#include "souple/base.h"

static const char *const beam_scene =
    "<scene version='1' name='a \"beam\"' dt='0.01' gravity='0 -9.81 0'>\n"
    "  <param name='k' value='2'/>\n"
    "  <solid name='beam' young='1e5' poisson='0.4'>\n"
    "    <box size='0.4 0.1 0.1' cells='{4*k} {k} {k}'/>\n"
    "    <fix box='-0.001 -1 -1 0.001 1 1'/>\n"
    "    <probe name='tip' near='0.4 0.05 0.05' quantity='position velocity' every='1'/>\n"
    "  </solid>\n"
    "  <probe name='bulk' of='beam' quantity='volume' every='1'/>\n"
    "  <expect probe='bulk' component='volume' over='end' value='0.004' tolerance='0.05' relative='yes'/>\n"
    "  <camera size='160 90'/>\n"
    "  <stop time='0.1'/>\n"
    "</scene>\n";

// ---------------------------------------------------------------------------------------------------- helpers

static void get(const char *name, char *text) {
    get_some(name, text, TEXT_MAX);
}

static bool has_control_characters(const char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 && *text != '\n') return true;
    return false;
}

// ---------------------------------------------------------------------------------------------------- usage

TEST(wrong_usage_is_2_with_the_nearest_word) {
    static const struct {
        const char *arguments, *said;
    } cases[] = {{"", "usage"},
                 {"rnu x.xml", "did you mean \"run\""},
                 {"run", "which scene"},
                 {"run x.xml --thread 2", "did you mean \"--threads\""},
                 {"run x.xml --threads", "needs N"},
                 {"run x.xml --threads 0", "[1, 64]"},
                 {"run x.xml --threads 2x", "whole number"},
                 {"run x.xml --steps -3", "at least 1"},
                 {"run x.xml --time inf", "must be a number"},
                 {"run x.xml --time 1 --steps 2", "one of them"},
                 {"run x.xml --backend cpuu", "did you mean \"cpu\""},
                 {"run x.xml --backend opencl:0", "not in this build"},
                 {"run x.xml --set young", "PATH=VALUE"},
                 {"run x.xml --quiet=yes", "no value"},
                 {"run x.xml y.xml", "too many"},
                 {"run not-there.xml", "not-there.xml"},
                 {"check", "which scene"},
                 {"list", "scenes"},
                 {"list senes", "did you mean \"scenes\""},
                 {"render x.xml", "--png"},
                 {"render x.xml --png a.png --color-by von-mise", "did you mean \"von-mises\""},
                 {"render x.xml --png a.png --size 9 9", "[16, 16384]"},
                 {"view x.xml --port 70000", "[0, 65535]"},
                 {"view --listen 0.0.0.0", "needs --token"},
                 {"help runn", "did you mean \"run\""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int code = souple(cases[i].arguments);
        if (code != 2 || !strstr(err, cases[i].said) || out[0])
            SP_TEST_FAILED("souple %s: exit %d, said: %s", cases[i].arguments, code, err);
    }
}

TEST(help_and_version) {
    static const char *const commands[] = {"run", "check", "list", "render", "report", "sweep", "bench", "version", "help"};
    CHECK_INT(souple("--version"), 0);
    CHECK(strstr(out, "souple " SP_VERSION_TEXT "\n") == out);
    CHECK_INT(souple("--help"), 0);
    for (int i = 0; i < 9; i++) CHECK(strstr(out, commands[i]));
    for (int i = 0; i < 7; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s --help", commands[i]);
        CHECK_INT(souple(text), 0);
        CHECK(strstr(out, "examples:"));
        snprintf(text, sizeof text, "help %s", commands[i]);
        CHECK_INT(souple(text), 0);
        CHECK(strstr(out, commands[i]));
    }
}

// ---------------------------------------------------------------------------------------------------- run

TEST(json_is_one_object_with_the_documented_fields) {
    static const char *const fields[] = {"scene",
                                         "status",
                                         "steps",
                                         "time",
                                         "dt",
                                         "threads",
                                         "backend",
                                         "hash",
                                         "wall_ms",
                                         "stages.free_motion",
                                         "step_ms.mean",
                                         "step_ms.p50",
                                         "step_ms.p95",
                                         "step_ms.p99",
                                         "step_ms.max",
                                         "bodies.0.kind",
                                         "bodies.0.nodes",
                                         "bodies.0.elements",
                                         "bodies.0.volume.rest",
                                         "bodies.0.volume.end",
                                         "bodies.0.volume.mean",
                                         "bodies.0.energy.kinetic",
                                         "bodies.0.energy.elastic",
                                         "bodies.0.energy.potential",
                                         "bodies.0.energy.contact",
                                         "bodies.0.energy.work.loads",
                                         "bodies.0.energy.work.pins",
                                         "bodies.0.energy.work.drags",
                                         "bodies.0.energy.work.contact",
                                         "bodies.0.energy.work.edits",
                                         "bodies.0.energy.appeared",
                                         "bodies.0.volume.lost",
                                         "bodies.0.inverted",
                                         "bodies.0.penetration",
                                         "reservations",
                                         "bodies.0.momentum.2",
                                         "bodies.0.displacement_max",
                                         "bodies.0.solver.name",
                                         "bodies.0.solver.iterations_mean",
                                         "bodies.0.solver.iterations_max",
                                         "bodies.0.solver.residual_max",
                                         "probes.0.time.9",
                                         "probes.0.position.9.2",
                                         "probes.0.velocity.9.2",
                                         "claims.0.held",
                                         "events",
                                         "messages"};
    put("beam.xml", beam_scene);
    CHECK_INT(souple("run beam.xml --json --threads 2"), 0);
    REQUIRE(json_is_one(out));
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (!json_at(out, fields[i])) SP_TEST_FAILED("no field %s", fields[i]);
    CHECK(json_is(out, "status", "ok"));
    CHECK(json_is(out, "name", "a \\\"beam\\\""));
    CHECK(json_is(out, "bodies.0.name", "beam"));
    CHECK_INT(json_number_at(out, "steps"), 10);
    CHECK_INT(json_number_at(out, "threads"), 2);
    CHECK_NEAR(json_number_at(out, "time"), 0.1, 1e-12);  // ten additions of 0.01
    CHECK_NEAR(json_number_at(out, "bodies.0.volume.rest"), 0.004, 1e-15);
    CHECK(json_number_at(out, "step_ms.p50") <= json_number_at(out, "step_ms.p99"));
    CHECK(json_number_at(out, "step_ms.p99") <= json_number_at(out, "step_ms.max"));
    CHECK(json_number_at(out, "bodies.0.solver.iterations_mean") > 0);
    const char *hash = json_at(out, "hash");
    REQUIRE(hash);
    CHECK(strspn(hash + 1, "0123456789abcdef") == 16 && hash[17] == '"');
    CHECK(!has_control_characters(err));
}

// A cube inside a floor that is much too soft: the run completes, but not ok; with --strict it fails.
TEST(a_run_with_reservations_reports_them) {
    put("sink.xml", "<scene version='1' dt='0.01'><solid name='cube'><box size='0.2 0.2 0.2' cells='2 2 2'/></solid>"
                    "<rigid name='floor'><plane normal='0 1 0' translate='0 0.1 0'/></rigid>"
                    "<contact formulation='penalty' stiffness='1e-3'/><stop steps='5'/></scene>");
    CHECK_INT(souple("run sink.xml --json"), 0);
    REQUIRE(json_is_one(out));
    CHECK(json_is(out, "status", "reservations"));
    CHECK(json_is(out, "reservation", "SP_PENETRATION"));
    CHECK(json_is(out, "reservations.0.name", "SP_PENETRATION"));
    CHECK_INT(json_number_at(out, "reservations.0.steps"), 5);
    CHECK_NEAR(json_number_at(out, "reservations.0.first_time"), 0.01, 1e-12);
    CHECK(json_number_at(out, "bodies.0.penetration_max") > 0.1);
    CHECK_INT(json_number_at(out, "exit"), 0);
    CHECK_INT(souple("run sink.xml --json --strict"), 1);
    CHECK_INT(json_number_at(out, "exit"), 1);
    CHECK_INT(souple("run sink.xml"), 0);
    CHECK(strstr(out, "done, WITH RESERVATIONS") && strstr(out, "m deep in another body"));
    put("beam.xml", beam_scene);
    CHECK_INT(souple("run beam.xml --json --strict"), 0);
    CHECK(json_is(out, "status", "ok") && !json_at(out, "reservations.0"));
}

TEST(same_hash_for_any_thread_count_and_replay) {
    put("beam.xml", beam_scene);
    char hash[20] = "";
    static const char *const runs[] = {"run beam.xml --json --threads 1", "run beam.xml --json --threads 3",
                                       "run beam.xml --json --save-edits a.log", "run beam.xml --json --edits a.log",
                                       "run beam.xml --json --realtime"};
    for (int i = 0; i < 5; i++) {
        CHECK_INT(souple(runs[i]), 0);
        const char *at = json_at(out, "hash");
        REQUIRE(at);
        if (i == 0) snprintf(hash, sizeof hash, "%.18s", at);
        CHECK(strncmp(at, hash, 18) == 0);
    }
    CHECK(json_number_at(out, "wall_ms") >= 99);  // --realtime: not before 0.1 s of wall time
    CHECK_INT(souple("run beam.xml --json --edits not-there.log"), 2);
    CHECK(json_is_one(out) && json_is(out, "status", "refused"));
}

TEST(summary_in_a_pipe_has_no_control_characters) {
    put("beam.xml", beam_scene);
    CHECK_INT(souple("run beam.xml"), 0);
    CHECK(!has_control_characters(out) && !has_control_characters(err));
    CHECK(strstr(out, "free_motion") && strstr(out, "tip") && strstr(out, "held") && strstr(out, "state "));
    CHECK_INT(souple("run beam.xml --quiet"), 0);
    CHECK(!out[0] && !err[0]);
}

TEST(steps_time_and_set_override_the_scene) {
    put("beam.xml", beam_scene);
    CHECK_INT(souple("run beam.xml --json --steps 3 --set beam.young=2e5 --set k=1"), 0);
    CHECK_INT(json_number_at(out, "steps"), 3);
    CHECK_INT(json_number_at(out, "bodies.0.nodes"), 20);
    CHECK_INT(souple("run beam.xml --json --time=0.05"), 0);
    CHECK_INT(json_number_at(out, "steps"), 5);
    CHECK_INT(souple("run beam.xml --json --set beam.yuong=2e5"), 2);
    CHECK(json_is_one(out) && json_is(out, "status", "refused"));
    CHECK(strstr(err, "young"));
}

TEST(failed_claim_is_3) {
    char scene[2048];
    snprintf(scene, sizeof scene, "%s", beam_scene);
    memcpy(strstr(scene, "0.004"), "0.009", 5);
    put("missed.xml", scene);
    CHECK_INT(souple("run missed.xml --json"), 3);
    CHECK(json_is(out, "status", "missed"));
    CHECK(json_at(out, "claims.0.held") && strncmp(json_at(out, "claims.0.held"), "false", 5) == 0);
    CHECK_INT(souple("run missed.xml"), 3);
    CHECK(strstr(out, "MISSED"));
}

TEST(bad_scene_is_2_with_file_and_line) {
    char scene[2048];
    snprintf(scene, sizeof scene, "%s", beam_scene);
    memcpy(strstr(scene, "poisson"), "poissan", 7);
    put("bad.xml", scene);
    static const char *const commands[] = {"run bad.xml", "check bad.xml", "render bad.xml --png a.png"};
    for (int i = 0; i < 3; i++) {
        CHECK_INT(souple(commands[i]), 2);
        CHECK(strstr(err, "bad.xml:3:") && strstr(err, "did you mean \"poisson\""));
        CHECK(!out[0]);
    }
    CHECK_INT(souple("run bad.xml --json"), 2);
    REQUIRE(json_is_one(out));
    CHECK(json_is(out, "status", "refused") && json_at(out, "error.message"));
    CHECK_INT(json_number_at(out, "messages.0.line"), 3);
    CHECK_INT(souple("run --json --thread 2 bad.xml"), 2);
    CHECK(json_is_one(out) && json_at(out, "error.message"));
}

// an explicit step far above the critical one: the numbers diverge and the step is refused
TEST(failed_simulation_is_1_and_reports_when_and_where) {
    static const char *const scene = "<scene dt='0.05' gravity='0 -9.81 0'>\n"
                                     "  <solid name='jelly' young='1e7'><box size='1 1 1' cells='2 2 2'/>\n"
                                     "    <fix box='-0.01 -1 -1 0.01 2 2'/><integrator type='explicit'/></solid>\n"
                                     "  <stop steps='100000'/>\n"
                                     "</scene>\n";
    put("burst.xml", scene);
    CHECK_INT(souple("run burst.xml --json --out burst"), 1);
    REQUIRE(json_is_one(out));
    CHECK(json_is(out, "status", "failed") && json_is(out, "error.body", "jelly"));
    CHECK(strstr(err, "burst.xml: failed in step") && strstr(err, "jelly") && strstr(err, "is kept"));
    CHECK(json_number_at(out, "steps") > 0 && json_number_at(out, "steps") < 100000);
    get("burst/summary.json", out);
    CHECK(json_is_one(out) && json_is(out, "status", "failed"));
}

TEST(out_contains_scene_and_summary) {
    put("beam.xml", beam_scene);
    CHECK_INT(souple("run beam.xml --quiet --out results/of/today --png beam.png"), 0);
    get("results/of/today/summary.json", out);
    CHECK(json_is_one(out) && json_is(out, "status", "ok"));
    get("results/of/today/scene.txt", out);
    CHECK(strstr(out, "young") && strstr(out, "Pa"));
    get("beam.png", out);
    CHECK(memcmp(out, "\x89PNG\r\n", 6) == 0);
    put("file", "");
    CHECK_INT(souple("run beam.xml --out file/below"), 2);
    CHECK(strstr(err, "file/below"));
    // a refused scene leaves no files
    CHECK_INT(souple("run beam.xml --set k=-1 --out never"), 2);
    CHECK_INT(souple("run beam.xml --set beam.fix.box=\"9 9 9 9 9 9\" --out never"), 2);
    char path[128];
    snprintf(path, sizeof path, "%s/never", folder);
    CHECK(access(path, F_OK) != 0);
}

// ---------------------------------------------------------------------------------------------------- signals

static void nap(long ms) {
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

TEST(interrupt_stops_at_a_step_and_reports) {
    static const int signals[] = {SIGINT, SIGTERM};
    put("beam.xml", beam_scene);
    for (int i = 0; i < 2; i++) {
        char log[128];
        snprintf(log, sizeof log, "%s/live.log", folder);
        unlink(log);
        pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            int file = chdir(folder) == 0 ? open(".out", O_CREAT | O_TRUNC | O_WRONLY, 0666) : -1;
            int quiet = open(".err", O_CREAT | O_TRUNC | O_WRONLY, 0666);
            if (file >= 0 && quiet >= 0 && dup2(file, 1) == 1 && dup2(quiet, 2) == 2)
                execl(SOUPLE, "souple", "run", "beam.xml", "--json", "--steps", "1000000000", "--save-edits", "live.log",
                      (char *)NULL);
            _exit(99);
        }
        // the log appears when all is loaded: from then on a signal requests a stop instead of killing the process
        for (int k = 0; k < 3000 && access(log, F_OK) != 0; k++) nap(10);
        nap(50);
        kill(child, signals[i]);
        int status = 0;
        waitpid(child, &status, 0);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
        get(".out", out);
        CHECK(json_is_one(out) && json_is(out, "status", "stopped"));
        get("live.log", out);
        CHECK(strstr(out, "souple-edits") == out);
    }
}

// ---------------------------------------------------------------------------------------------------- check, list, render

TEST(check_prints_values_units_and_the_language) {
    put("beam.xml", beam_scene);
    CHECK_INT(souple("check beam.xml --set beam.young=5e4"), 0);
    CHECK(strstr(out, "young") && strstr(out, "Pa") && strstr(out, "--set"));
    CHECK_INT(souple("check beam.xml --json"), 0);
    CHECK(json_is_one(out) && json_is(out, "status", "ok"));
    CHECK_INT(souple("check --schema"), 0);
    CHECK(strstr(out, "relaxng") && strstr(out, "young"));
    CHECK_INT(souple("check --reference"), 0);
    CHECK(strstr(out, "young") && strstr(out, "Pa"));
}

TEST(check_tells_what_coefficients_mean) {
    put("rubber.xml", "<scene><solid name='b' material='ogden' coefficients='1e4 2 1e3 -2' bulk='1e5'><box size='1 1 1'/>"
                      "<region where='{x gt 0.5}' material='mooney-rivlin' coefficients='2e3 1e3' poisson='0.25'/></solid>"
                      "<stop steps='1'/></scene>");
    CHECK_INT(souple("check rubber.xml"), 0);
    // mu = 1.1e4; E = 9 k mu / (3 k + mu)
    CHECK(strstr(out, "b.coefficients: at small strains Young's modulus 3.183e+04 Pa, Poisson's ratio 0.44695, shear modulus "
                      "1.1e+04 Pa, bulk modulus 1e+05 Pa"));
    CHECK(strstr(out, "b.region.coefficients: at small strains Young's modulus 1.5e+04 Pa, Poisson's ratio 0.25"));
}

TEST(lists) {
    CHECK_INT(souple("list backends"), 0);
    CHECK(strstr(out, "ref") && strstr(out, "cpu"));
    CHECK_INT(souple("list backends --json"), 0);
    CHECK(json_is_one(out) && json_is(out, "backends.0.name", "ref"));
    CHECK(!strstr(out, "opencl"));
    CHECK_INT(souple("list backends --all"), 0);
    CHECK(strstr(out, "opencl") && strstr(out, "not in this build"));
    CHECK_INT(souple("list materials"), 0);
    CHECK(strstr(out, "corotational") && strstr(out, "tensor-mass") && !strstr(out, "not in this build"));
    CHECK_INT(souple("list fields"), 0);
    CHECK(strstr(out, "von-mises") && strstr(out, "[Pa]") && strstr(out, "quaternion"));
    CHECK_INT(souple("list solvers"), 0);
    CHECK(strstr(out, "cg"));
    CHECK_INT(souple("list benches"), 0);
    CHECK(strstr(out, "step") && strstr(out, "beam"));
    put("beam.xml", beam_scene);
    char command[160];
    snprintf(command, sizeof command, "SOUPLE_SCENES=%s %s list scenes --json", folder, SOUPLE);
    FILE *pipe = popen(command, "r");
    REQUIRE(pipe);
    out[fread(out, 1, TEXT_MAX - 1, pipe)] = 0;
    CHECK_INT(pclose(pipe), 0);
    CHECK(json_is_one(out) && strstr(out, "beam.xml"));
}

TEST(render_writes_a_picture) {
    put("beam.xml", beam_scene);
    CHECK_INT(souple("render beam.xml --png start.png --steps 0 --size 64 48"), 0);
    CHECK_INT(souple("render beam.xml --png end.png --time 0.05 --size 64 48 --color-by von-mises"), 0);
    get("start.png", out), get("end.png", err);
    CHECK(memcmp(out, "\x89PNG\r\n", 6) == 0 && memcmp(err, "\x89PNG\r\n", 6) == 0);
    CHECK(out[19] == 64 && out[23] == 48);  // IHDR: width and height, most significant byte first
    CHECK(memcmp(out, err, 2000) != 0);
    CHECK_INT(souple("render beam.xml --png no/such/folder.png --steps 0"), 2);
    CHECK(strstr(err, "no/such/folder.png"));
}

static size_t render_at(const char *recording, const char *time, char *png) {
    char arguments[160];
    snprintf(arguments, sizeof arguments, "render %s --png at.png --time %s --size 64 48", recording, time);
    CHECK_INT(souple(arguments), 0);
    return get_some("at.png", png, 1 << 16);
}

// The ball of the edit log appears in the step at 0.02 s and leaves in that at 0.06 s; it touches nothing, so that the pictures
// of all other frames are those of a run without it.
TEST(pictures_of_a_recording_have_the_bodies_that_edits_added) {
    static char with[1 << 16], without[1 << 16];
    static const struct {
        const char *time;
        bool ball;
    } frames[] = {{"0.02", false}, {"0.03", true}, {"0.06", true}, {"0.07", false}};
    put("thrown.xml",
        "<scene dt='0.01'><solid name='beam'><box size='0.4 0.1 0.1' cells='4 1 1'/><fix plane='0 0 0 1 0 0' within='1e-6'/>"
        "</solid><record file='r.xdmf' every='1'/><camera at='0.2 0.4 1' to='0.2 0.1 0' size='64 48'/><stop "
        "time='0.1'/></scene>");
    put("thrown.log", "souple-edits 1\n2 0 1 add ball 1 2 0.08 0 0 0.2 0.25 0 1 0 0 0 1000 0.5 0 0\n6 0 2 remove 2 1\n");
    int code = souple("run thrown.xml --quiet --out thrown --edits thrown.log");
    if (strstr(err, "no HDF5")) return;
    CHECK_INT(code, 0);
    CHECK_INT(souple("run thrown.xml --quiet --out plain"), 0);
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        size_t n = render_at("thrown/r.h5", frames[i].time, with), m = render_at("plain/r.h5", frames[i].time, without);
        CHECK(n > 0 && m > 0 && (n != m || memcmp(with, without, n) != 0) == frames[i].ball);
    }
}

TEST(a_recording_with_values_of_set_is_rendered) {
    put("set.xml",
        "<scene dt='0.01'><solid name='beam'><box size='0.4 0.1 0.1' cells='4 1 1'/></solid><record file='r.xdmf' every='1'/>"
        "<stop steps='2'/></scene>");
    int code = souple("run set.xml --quiet --out set --set dt=0.02");
    if (strstr(err, "no HDF5")) return;
    CHECK_INT(code, 0);
    CHECK_INT(souple("render set/r.h5 --png set.png --size 64 48"), 0);
}

TEST(zz_clean_up) {
    char command[128];
    make_folder();
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_INT(system(command), 0);
}
