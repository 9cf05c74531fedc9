// The bench harness: its helpers, and the command's manners. No times are asserted.
#include "../../app/json.c"
#include "../../bench/bench_body.c"
#include "../../bench/bench_peer.c"
#include "../../bench/bench_report.c"
#include "test.h"

// exit code of `souple ARGS`, its output and errors together in `out`
static int run_souple(const char *args, char *out, size_t size) {
    char command[512];
    snprintf(command, sizeof command, "%s/souple %s 2>&1", SP_BINARY_DIR, args);
    FILE *p = popen(command, "r");
    if (!p) return -1;
    size_t n = fread(out, 1, size - 1, p);
    out[n] = 0;
    int state = pclose(p);
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

TEST(json_scanner_reads_numbers_and_lists) {
    const char *line = "{\"engine\":\"x\",\"ms\": 1.5,\"cpu_ms\":2e3,\"tip\":[-1, 0.25,3],\"none\":[],\"bad\":null}";
    double v[4];
    REQUIRE(sp__peer_numbers(line, "ms", v, 4) == 1);
    CHECK_NEAR(v[0], 1.5, 0);
    REQUIRE(sp__peer_numbers(line, "cpu_ms", v, 4) == 1);
    CHECK_NEAR(v[0], 2000, 0);
    REQUIRE(sp__peer_numbers(line, "tip", v, 4) == 3);
    CHECK_NEAR(v[0] + v[1] + v[2], 2.25, 0);
    CHECK_INT(sp__peer_numbers(line, "tip", v, 2), 2);
    CHECK_INT(sp__peer_numbers(line, "none", v, 4), 0);
    CHECK_INT(sp__peer_numbers(line, "bad", v, 4), 0);
    CHECK_INT(sp__peer_numbers(line, "absent", v, 4), 0);
}

TEST(least_and_median_of_times) {
    double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2};
    sp_times t = sp__times_of(odd, 3);
    CHECK_NEAR(t.least, 1, 0);
    CHECK_NEAR(t.median, 2, 0);
    t = sp__times_of(even, 4);
    CHECK_NEAR(t.median, 2.5, 0);
    CHECK(isnan(sp__times_of(odd, 0).least));
}

TEST(slope_of_a_power_law) {
    double x[5], y[5];
    for (int i = 0; i < 5; i++) x[i] = log(10.0 * (i + 1)), y[i] = log(7 * pow(10.0 * (i + 1), 1.25));
    CHECK_NEAR(sp__slope(x, y, 5), 1.25, 1e-13);  // rounding of five logarithms
    CHECK(isnan(sp__slope(x, y, 1)));
}

TEST(report_is_one_json_object) {
    static sp_row cases[SP_REPORT_CASES];
    sp_report r = {.bench = "b", .json = true, .cases = cases};
    double tip[2] = {-0.5, NAN};
    char text[512];
    sp__row_text(&r.head, "cpu", NULL, "a \"b\" \\ c");
    sp_row *row = sp__report_case(&r);
    sp__row_number(row, "tets", "tets", "%.0f", 12);
    sp__row_list(row, "tip", "tip", "%.1f", tip, 2);
    sp__row_number(&r.tail, "growth", NULL, "%.1f", INFINITY);
    FILE *f = tmpfile();
    REQUIRE(f);
    sp__report_json(&r, f);
    rewind(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    text[n] = 0;
    fclose(f);
    const char *parts[] = {"\"bench\": \"b\"", "\"cpu\": \"a \\\"b\\\" \\\\ c\"", "\"cases\": [", "\"tets\": 12",
                           "\"growth\": null"};
    const char *at = text;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && at; i++) CHECK((at = strstr(at, parts[i])) != NULL);
    double back[2];
    CHECK_INT(sp__peer_numbers(text, "tip", back, 2), 1);  // null ends the list for our scanner
    CHECK_NEAR(back[0], -0.5, 0);
    CHECK_INT(text[0], '{');
    CHECK(strcmp(text + n - 2, "}\n") == 0);
}

TEST(absent_peer_is_unavailable) {
    char line[64];
    const char *args[] = {NULL};
    CHECK_INT(sp__peer_run("no_such_peer", args, line, sizeof line), SP_UNAVAILABLE);
}

TEST(command_lists_and_refuses) {
    char out[2048];
    CHECK_INT(run_souple("bench", out, sizeof out), 0);
    CHECK(strstr(out, "step") && strstr(out, "rotation") && strstr(out, "beam"));
    CHECK_INT(run_souple("bench stpe", out, sizeof out), 2);
    CHECK(strstr(out, "did you mean \"step\"") != NULL);
    CHECK_INT(run_souple("bench step --threads 0", out, sizeof out), 2);
    CHECK_INT(run_souple("bench step --jsn", out, sizeof out), 2);
    CHECK(strstr(out, "--json") != NULL);
    CHECK_INT(run_souple("bench step --dump", out, sizeof out), 2);
}
