// Plots, reports and sweeps from the user's side: the files of a folder, pages that any XML reader accepts and that need no other
// files, rows for runs that fail, tables that are continued.
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COMMAND_FOLDER "souple-report"
#include "command_folder.h"
#include "json_check.h"

// names and sources that would break the page if they were not escaped
static const char *const beam_scene =
    "<scene version='1' name='&lt;script>alert(1)&lt;/script> &amp; \"more\"' dt='0.01' gravity='0 -9.81 0'>\n"
    "  <param name='k' value='1'/>\n"
    "  <solid name='beam' young='1e5' poisson='0.4'>\n"
    "    <box size='0.4 0.1 0.1' cells='{4*k} {k} {k}'/>\n"
    "    <fix box='-0.001 -1 -1 0.001 1 1'/>\n"
    "    <probe name='tip' near='0.4 0.05 0.05' quantity='position' every='1'/>\n"
    "  </solid>\n"
    "  <probe name='bulk' of='beam' quantity='volume' every='1'/>\n"
    "  <expect probe='bulk' component='volume' over='end' value='0.004' tolerance='0.05' relative='yes'\n"
    "          source='https://example.org/&lt;img src=x onerror=alert(1)>'/>\n"
    "  <camera size='160 90'/>\n"
    "  <stop time='0.1'/>\n"
    "</scene>\n";

static size_t get(const char *name) {
    return get_some(name, out, sizeof out);
}

static int count_of(const char *text, const char *what) {
    int n = 0;
    for (const char *at = text; (at = strstr(at, what)); at++) n++;
    return n;
}

// ---------------------------------------------------------------------------------------------------- pages

static int find_all(xmlDocPtr doc, const char *path) {
    xmlXPathContextPtr x = xmlXPathNewContext(doc);
    xmlXPathObjectPtr found = xmlXPathEvalExpression(BAD_CAST path, x);
    int n = found && found->nodesetval ? found->nodesetval->nodeNr : 0;
    xmlXPathFreeObject(found);
    xmlXPathFreeContext(x);
    return n;
}

// `out` is a page: well-formed, nothing fetched, nothing run. Returns the document, or NULL after a reported failure
static xmlDocPtr page(void) {
    xmlDocPtr doc = xmlReadMemory(out, (int)strlen(out), "page.html", NULL, XML_PARSE_NONET | XML_PARSE_NOERROR);
    if (!doc) {
        SP_TEST_FAILED("the page is not well-formed");
        return NULL;
    }
    CHECK_INT(find_all(doc, "//script | //link | //iframe | //object | //embed | //*[@onerror] | //*[@onload]"), 0);
    CHECK_INT(find_all(doc, "//@src[not(starts-with(., 'data:image/png;base64,'))] | //@href | //@*[local-name()='href']"), 0);
    CHECK_INT(find_all(doc, "//meta[@http-equiv='Content-Security-Policy']"), 1);
    CHECK(!strstr(out, "url(") && !strstr(out, "@import"));
    return doc;
}

TEST(plot_is_a_file_of_panels) {
    put("beam.xml", beam_scene);
    CHECK_INT(souple("run beam.xml --quiet --plot beam.svg"), 0);
    get("beam.svg");
    xmlDocPtr doc = xmlReadMemory(out, (int)strlen(out), "beam.svg", NULL, XML_PARSE_NONET | XML_PARSE_NOERROR);
    CHECK(doc != NULL);
    xmlFreeDoc(doc);
    static const char *const panels[] = {"Step time by stage", "Iterations of", "Residual",    "Energy",   "Probe tip: position",
                                         "Probe bulk: volume", "position [m]",  "volume [m3]", "time [s]", "free_motion"};
    for (size_t i = 0; i < sizeof panels / sizeof *panels; i++)
        if (!strstr(out, panels[i])) SP_TEST_FAILED("no \"%s\"", panels[i]);
    CHECK_INT(souple("run beam.xml --quiet --steps 1 --plot one.png"), 0);
    get("one.png");
    CHECK(memcmp(out, "\x89PNG\r\n", 6) == 0);
    CHECK_INT(souple("run beam.xml --plot beam.gif"), 2);
    CHECK(strstr(err, ".svg or .png"));
}

TEST(out_contains_the_files_of_a_report) {
    put("beam.xml", beam_scene);
    CHECK_INT(souple("run beam.xml --quiet --set k=2 --out results"), 0);
    static const char *const files[] = {"results/summary.json", "results/steps.csv", "results/scene.txt", "results/source.xml",
                                        "results/picture.png"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!is_there(files[i])) SP_TEST_FAILED("no %s", files[i]);
    get("results/steps.csv");
    CHECK(strncmp(out, "step,time [s],step [ms],stage take_edits [ms],", 46) == 0);
    CHECK_INT(count_of(out, "\n"), 11);  // the header and ten steps
    get("results/source.xml");
    CHECK(strcmp(out, beam_scene) == 0);
    get("results/summary.json");
    CHECK(json_is(out, "provenance.sets.0", "k=2") && json_at(out, "provenance.started"));
    CHECK(json_is(out, "probes.0.columns.1", "position.y [m]") && json_is(out, "probes.1.columns.0", "volume [m3]"));
    // the scene may be in the output folder
    CHECK_INT(souple("run results/source.xml --quiet --out results --overwrite"), 0);
    get("results/source.xml");
    CHECK(strcmp(out, beam_scene) == 0);
}

TEST(records_may_not_have_the_name_of_a_file_of_the_run) {
    char scene[2048];
    snprintf(scene, sizeof scene, "%.*s<record file='steps.csv'/></scene>", (int)strlen(beam_scene) - 9, beam_scene);
    put("taken.xml", scene);
    CHECK_INT(souple("run taken.xml --out taken"), 2);
    CHECK(strstr(err, "steps.csv") && strstr(err, "choose another"));
    CHECK(!is_there("taken"));
}

TEST(report_is_one_self_contained_page) {
    put("beam.xml", beam_scene);
    CHECK_INT(souple("run beam.xml --quiet --out page"), 0);
    CHECK_INT(souple("report page"), 0);
    CHECK(strcmp(out, "page/report.html\n") == 0);
    get("page/report.html");
    xmlDocPtr doc = page();
    REQUIRE(doc);
    CHECK_INT(find_all(doc, "//img"), 1);
    CHECK_INT(find_all(doc, "//svg"), 6);  // stages, iterations, residual, energy, position, volume
    static const char *const heads[] = {"Claims", "Bodies", "Solver", "Time", "Plots", "Scene", "Every value in use", "Files"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        char path[80];
        snprintf(path, sizeof path, "//h2[text()='%s']", heads[i]);
        if (find_all(doc, path) != 1) SP_TEST_FAILED("no section \"%s\"", heads[i]);
    }
    CHECK_INT(find_all(doc, "//pre[contains(., \"<solid name='beam'\")]"), 1);  // the complete text of the scene
    CHECK_INT(find_all(doc, "//h1[contains(., '<script>alert(1)</script> & \"more\"')]"), 1);
    CHECK_INT(find_all(doc, "//td[contains(., '<img src=x onerror=alert(1)>')]"), 1);
    xmlFreeDoc(doc);
    CHECK_INT(souple("report page --html elsewhere.html --quiet"), 0);
    CHECK(!out[0] && is_there("elsewhere.html"));
}

TEST(report_of_a_failed_run_and_of_an_incomplete_folder) {
    put("burst.xml", "<scene dt='0.05' gravity='0 -9.81 0'><solid name='jelly' young='1e7'><box size='1 1 1' cells='1 1 1'/>\n"
                     "<fix box='-0.01 -1 -1 0.01 2 2'/><integrator type='explicit'/></solid><stop steps='100000'/></scene>\n");
    CHECK_INT(souple("run burst.xml --quiet --out burst"), 1);
    CHECK_INT(souple("report burst --quiet"), 0);
    get("burst/report.html");
    xmlDocPtr doc = page();
    REQUIRE(doc);
    CHECK_INT(find_all(doc, "//span[@class='badge failed']"), 1);
    CHECK_INT(find_all(doc, "//p[starts-with(., 'Failed: ')]"), 1);
    xmlFreeDoc(doc);
    // only a summary, with few values
    CHECK_INT(souple("report nowhere"), 2);
    CHECK(strstr(err, "nowhere/summary.json"));
    char path[100];
    snprintf(path, sizeof path, "%s/bare", folder);
    CHECK_INT(mkdir(path, 0777), 0);
    put("bare/summary.json",
        "{\"status\": \"<b>\", \"bodies\": [1, {}], \"probes\": [{\"name\": 3, \"columns\": [1, \"x\"], \"time\": [0, null], "
        "\"q\": [[1]]}], \"claims\": {\"a\": 1}, \"stages\": [2], \"events\": 7}");
    put("bare/steps.csv", "time [s],stage \xff<x> [ms]\n0,1\n");
    CHECK_INT(souple("report bare"), 0);
    get("bare/report.html");
    doc = page();
    CHECK(doc != NULL);
    xmlFreeDoc(doc);
    put("bare/summary.json", "{\"status\": ");
    CHECK_INT(souple("report bare"), 2);
    CHECK(strstr(err, "line 1"));
    put("bare/summary.json", "[1]");
    CHECK_INT(souple("report bare"), 2);
}

// killed by a signal that cannot be handled: the page shows the steps and the recording, and that the run did not end
TEST(report_of_a_run_that_was_killed) {
    char scene[2048];
    snprintf(scene, sizeof scene, "%.*s<record file='frames.obj'/><stop time='10000'/></scene>",
             (int)(strstr(beam_scene, "<stop") - beam_scene), beam_scene);
    put("endless.xml", scene);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        if (chdir(folder) == 0) execl(SOUPLE, "souple", "run", "endless.xml", "--quiet", "--out", "killed", (char *)NULL);
        _exit(99);
    }
    // steps.csv is flushed every second
    char text[4096] = "";
    for (int i = 0; i < 6000 && get_some("killed/steps.csv", text, sizeof text) < 2000; i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status) && !is_there("killed/summary.json"));
    CHECK_INT(souple("report killed"), 0);
    CHECK(strcmp(out, "killed/report.html\n") == 0 && strstr(err, "did not end"));
    get("killed/report.html");
    xmlDocPtr doc = page();
    REQUIRE(doc);
    CHECK_INT(find_all(doc, "//span[text()='did not end']"), 1);
    CHECK_INT(find_all(doc, "//div[span='simulated']"), 1);
    CHECK(find_all(doc, "//svg") >= 4);  // stages, iterations, residual, energy
    CHECK_INT(find_all(doc, "//td[text()='frames-000000.obj']"), 1);
    CHECK_INT(find_all(doc, "//h2[text()='Scene']"), 1);
    xmlFreeDoc(doc);
}

// ---------------------------------------------------------------------------------------------------- folders with a run

TEST(two_runs_are_not_mixed) {
    char scene[2048];
    snprintf(scene, sizeof scene, "%.*s<record file='frames.obj'/><record file='tip.csv'/></scene>", (int)strlen(beam_scene) - 9,
             beam_scene);
    put("recorded.xml", scene);
    put("beam.xml", beam_scene);
    CHECK_INT(souple("run recorded.xml --quiet --out mixed"), 0);
    CHECK(is_there("mixed/frames-000010.obj") && is_there("mixed/tip.csv"));
    put("mixed/frames-mine.obj", "not a number"), put("mixed/notes.txt", "mine"), put("mixed/frames-000000.txt", "mine");
    CHECK_INT(souple("run beam.xml --quiet --steps 2 --out mixed"), 2);
    CHECK(strstr(err, "already holds a run") && strstr(err, "--overwrite"));
    CHECK_INT(souple("run beam.xml --json --steps 2 --out mixed"), 2);
    CHECK(json_is_one(out) && json_is(out, "status", "refused"));
    CHECK(is_there("mixed/frames-000010.obj"));
    // files of the old run are removed, others stay
    CHECK_INT(souple("run beam.xml --quiet --steps 2 --out mixed --overwrite"), 0);
    CHECK(!is_there("mixed/frames-000010.obj") && !is_there("mixed/frames-000000.obj") && !is_there("mixed/tip.csv"));
    CHECK(is_there("mixed/frames-mine.obj") && is_there("mixed/notes.txt") && is_there("mixed/frames-000000.txt"));
    CHECK(is_there("mixed/summary.json") && is_there("mixed/steps.csv"));
    // a folder with other files may be used
    char path[100];
    snprintf(path, sizeof path, "%s/other", folder);
    CHECK_INT(mkdir(path, 0777), 0);
    put("other/notes.txt", "mine");
    CHECK_INT(souple("run beam.xml --quiet --steps 2 --out other"), 0);
    // nothing outside the folder is removed, whatever the list contains
    put("outside.txt", "mine"), put("mixed/files.txt", "../outside.txt\n");
    CHECK_INT(souple("run beam.xml --quiet --steps 2 --out mixed --overwrite"), 0);
    CHECK(is_there("outside.txt"));
    CHECK_INT(souple("sweep beam.xml --set k=1 --steps 1 --quiet --out mixed"), 2);
    CHECK(strstr(err, "holds a run"));
}

// a path that cannot be written is detected before the simulation, and no files are left
TEST(outputs_are_checked_before_the_run) {
    static const char *const options[] = {"--png no/such/a.png", "--plot no/such/a.svg", "--save-edits no/such/a.log",
                                          "--save-checkpoint no/such/a.spc", "--png ."};
    put("beam.xml", beam_scene);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        char arguments[200];
        snprintf(arguments, sizeof arguments, "run beam.xml --out unmade %s", options[i]);
        int code = souple(arguments);
        if (code != 2 || out[0] || is_there("unmade")) SP_TEST_FAILED("souple %s: exit %d: %s", arguments, code, err);
        CHECK(strstr(err, "no/such") || strstr(err, "is a folder"));
    }
    CHECK_INT(souple("run beam.xml --json --png no/such/a.png"), 2);
    CHECK(json_is_one(out) && json_is(out, "status", "refused") && strstr(out, "there is no folder no/such"));
    CHECK_INT(souple("render beam.xml --png no/such/a.png"), 2);
    // the folder of --out is created first
    CHECK_INT(souple("run beam.xml --quiet --steps 2 --out made --png made/a.png --save-checkpoint made/a.spc"), 0);
    CHECK(is_there("made/a.png") && is_there("made/a.spc"));
}

// contact problems of a run, solved again by the bench
TEST(contact_problems_are_written_and_solved) {
    put("drop.xml",
        "<scene><rigid name='floor'><plane/></rigid><rigid name='box' motion='free' translate='0 0.002 0'>"
        "<box size='0.1 0.1 0.1'/></rigid><contact formulation='proximity' friction='0.3'/><stop steps='6'/></scene>");
    int status = souple("run drop.xml --dump problems");
    if (strstr(err, "this build has no HDF5")) {
        CHECK_INT(status, 1);
        return;
    }
    CHECK_INT(status, 0);
    CHECK(strstr(out, "contact problems: 6 in problems"));
    CHECK(is_there("problems/contact-000001.hdf5") && is_there("problems/contact-000006.hdf5"));
    CHECK_INT(souple("bench friction --problem problems/contact-000006.hdf5 --json"), 0);
    CHECK(json_is_one(out) && strstr(out, "contact-000006.hdf5") && strstr(out, "\"contacts\": 4"));
    CHECK_INT(souple("run drop.xml --dump no/such/folder"), 2);
    CHECK(strstr(err, "--dump: cannot make no/such/folder"));
    put("air.xml", "<scene><rigid name='box' motion='free'><box size='0.1 0.1 0.1'/></rigid><stop steps='2'/></scene>");
    CHECK_INT(souple("run air.xml --dump nothing"), 0);
    CHECK(strstr(out, "no contacts by constraints"));
}

// ---------------------------------------------------------------------------------------------------- sweeps

TEST(sweep_runs_the_grid_and_a_failing_run_is_a_row) {
    put("beam.xml", beam_scene);
    CHECK_INT(souple("sweep beam.xml --set k=1,-1 --set beam.young=1e4:1e6:3:log --steps 2 --threads 1 --out grid"), 1);
    CHECK(strstr(err, "6/6") && strstr(err, "k=-1 beam.young=10000: refused"));
    CHECK(strstr(err, "k=-1 beam.young=1000000: refused: ") && strstr(err, "of 6 runs 3 were refused and 0 failed"));
    CHECK(strstr(out, "6 runs: 3 ok, 3 refused") && strstr(out, "grid/sweep.csv"));
    get("grid/sweep.csv");
    CHECK_INT(count_of(out, "\n"), 7);
    CHECK(strncmp(out, "k,beam.young,status,exit,error,hash,steps,", 42) == 0);
    CHECK(strstr(out, "\n1,10000,ok,0,,") && strstr(out, "\n1,100000,ok,0,,") && strstr(out, "\n-1,1000000,refused,2,"));
    CHECK(strstr(out, "tip.position.y [m]") && strstr(out, "claim 1: bulk.volume"));
    // in the order of the grid
    CHECK(strstr(out, "\n1,10000,") < strstr(out, "\n1,100000,") && strstr(out, "\n1,1000000,") < strstr(out, "\n-1,10000,"));
    get("grid/sweep.html");
    xmlDocPtr doc = page();
    REQUIRE(doc);
    CHECK_INT(find_all(doc, "//tbody/tr"), 6);
    CHECK_INT(find_all(doc, "//svg"), 6);  // step time, iterations, the claim, three of the tip
    xmlFreeDoc(doc);
}

// the hash of the row is that of the same single run
TEST(sweep_agrees_with_run) {
    char hash[40];
    put("beam.xml", beam_scene);
    CHECK_INT(souple("run beam.xml --json --set beam.young=2e5 --steps 3"), 0);
    const char *at = json_at(out, "hash");
    REQUIRE(at);
    snprintf(hash, sizeof hash, "\n2e5,ok,0,,%.16s,3,", at + 1);
    CHECK_INT(souple("sweep beam.xml --set beam.young=1e5,2e5 --steps 3 --jobs 2 --out two --quiet"), 0);
    CHECK(!out[0] && !err[0]);
    get("two/sweep.csv");
    CHECK(strstr(out, hash) != NULL);
    CHECK_INT(souple("sweep beam.xml --set beam.young=1e5 --steps 2 --out kept --keep --quiet --columns tip.position.y,nothing"),
              0);
    CHECK(strstr(err, "no column \"nothing\""));
    CHECK(is_there("kept/run-0001/summary.json"));
}

TEST(sweep_continues_an_earlier_one) {
    put("beam.xml", beam_scene);
    CHECK_INT(souple("sweep beam.xml --set k=1,2 --steps 2 --out more --json"), 0);
    REQUIRE(json_is_one(out));
    CHECK_INT(json_number_at(out, "ok"), 2);
    CHECK_INT(souple("sweep beam.xml --set k=1,2 --steps 2 --out more"), 2);
    CHECK(strstr(err, "--resume") && strstr(err, "--overwrite"));
    CHECK_INT(souple("sweep beam.xml --set k=2,3 --steps 2 --out more --resume --json"), 0);
    CHECK_INT(json_number_at(out, "skipped"), 1);
    CHECK_INT(json_number_at(out, "ok"), 2);
    get("more/sweep.csv");
    CHECK(strstr(out, "\n1,ok") && strstr(out, "\n2,ok") && strstr(out, "\n3,ok"));  // a row that is no longer in the grid stays
    // a truncated row is run again
    char *last = strstr(out, "\n3,ok");
    if (last) last[20] = 0;
    put("more/sweep.csv", out);
    CHECK_INT(souple("sweep beam.xml --set k=2,3 --steps 2 --out more --resume --json"), 0);
    CHECK_INT(json_number_at(out, "skipped"), 1);
    // another grid, another length, another scene: refused
    CHECK_INT(souple("sweep beam.xml --set beam.young=1e5 --steps 2 --out more --resume"), 2);
    CHECK(strstr(err, "column 1 is \"k\""));
    CHECK_INT(souple("sweep beam.xml --set k=1 --set beam.young=1e5 --steps 2 --out more --resume"), 2);
    CHECK_INT(souple("sweep beam.xml --set k=1,2 --steps 3 --out more --resume"), 2);
    CHECK(strstr(err, "steps 2") && strstr(err, "steps 3"));
    CHECK_INT(souple("sweep beam.xml --set k=1 --steps 3 --out more --overwrite --json"), 0);
    CHECK_INT(json_number_at(out, "runs"), 1);
}

TEST(sweep_refuses_contradictory_options) {
    static const struct {
        const char *arguments, *said;
    } cases[] = {{"sweep", "which scene"},
                 {"sweep beam.xml", "--set"},
                 {"sweep beam.xml --set k", "PATH=VALUES"},
                 {"sweep beam.xml --set k=1:200:200 --set j=1:51:51", "10200 runs"},
                 {"sweep beam.xml --set k=1 --jobs 0", "[1, 64]"},
                 {"sweep beam.xml --set k=1 --steps 2 --time 1", "one of them"},
                 {"sweep beam.xml --set k=1 --resume --overwrite", "one of them"},
                 {"sweep not-there.xml --set k=1", "not-there.xml"},
                 {"sweep beam.xml --set k=-1,-2 --steps 1 --out none --quiet", ""}};
    put("beam.xml", beam_scene);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (souple(cases[i].arguments) != 2 || !strstr(err, cases[i].said))
            SP_TEST_FAILED("souple %s: %s", cases[i].arguments, err);
}

// results go below out/, which is printed on stderr; refused runs are printed there too, also with --quiet
TEST(sweep_reports_its_folder_and_refused_runs) {
    put("beam.xml", beam_scene);
    CHECK_INT(souple("sweep beam.xml --set k=1,-1 --steps 1"), 1);
    CHECK(strstr(err, "2 runs, into out/beam-sweep\n") && strstr(out, "out/beam-sweep/sweep.csv"));
    CHECK(is_there("out/beam-sweep/sweep.csv") && !is_there("beam-sweep"));
    CHECK_INT(souple("sweep beam.xml --set k=1,-1 --steps 1 --quiet --overwrite --keep"), 1);
    CHECK(!out[0] && strstr(err, "k=-1: refused: ") && strstr(err, "of 2 runs 1 were refused and 0 failed"));
    CHECK(is_there("out/beam-sweep/run-0001/summary.json"));
    put("out/beam-sweep/run-0001/notes.txt", "mine");
    CHECK_INT(souple("sweep beam.xml --set k=1 --steps 1 --quiet --overwrite"), 0);
    CHECK(!is_there("out/beam-sweep/run-0001/summary.json") && is_there("out/beam-sweep/run-0001/notes.txt"));
}

// a stopped sweep leaves complete rows and can be continued
TEST(interrupted_sweep_keeps_its_rows) {
    put("beam.xml", beam_scene);
    make_folder();
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        if (chdir(folder) == 0 && freopen(".out", "w", stdout) && freopen(".err", "w", stderr))
            execl(SOUPLE, "souple", "sweep", "beam.xml", "--set", "beam.young=1e5:2e5:100", "--set", "k=1,2", "--time", "1000",
                  "--threads", "1", "--out", "long", (char *)NULL);
        _exit(99);
    }
    // sweep.txt appears before the first run; the first run then takes far longer than this test waits
    for (int i = 0; i < 3000 && !is_there("long/sweep.txt"); i++) nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    kill(child, SIGINT);
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    get(".out");
    CHECK(strstr(out, "stopped on request") != NULL);
    get("long/sweep.csv");
    CHECK_INT(count_of(out, "stopped"), 0);
}

TEST(zz_clean_up) {
    char command[128];
    make_folder();
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_INT(system(command), 0);
}
