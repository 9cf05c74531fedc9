// The bench harness: its helpers, and the output of the command. No times are asserted.
#include "../../bench/bench_body.c"
#include "../../bench/bench_peer.c"
#include "../../bench/bench_report.c"
#include "../../bench/plot.c"
#include "../../bench/rods_diagram.c"
#include "json_check.h"
#include "test.h"
#include "util/json.h"

// exit code of `souple ARGS`; output and errors together in `out`
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

TEST(p99_leaves_out_the_worst_of_a_hundred) {
    double ms[200];
    for (int i = 0; i < 200; i++) ms[i] = 200 - i;
    sp_times t = sp__times_of(ms, 200);
    CHECK_NEAR(t.p99, 198, 0);
    CHECK_NEAR(t.most, 200, 0);
    CHECK_NEAR(t.mean, 100.5, 1e-11);  // rounding of 200 sums
    t = sp__times_of(ms, 100);
    CHECK_NEAR(t.p99, 99, 0);
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

static size_t report_text(const sp_report *r, char *text, size_t size) {
    FILE *f = tmpfile();
    if (!f) return 0;
    sp__report_json(r, f);
    rewind(f);
    size_t n = fread(text, 1, size - 1, f);
    text[n] = 0;
    fclose(f);
    return n;
}

TEST(arrays_of_a_report_are_in_sequence) {
    static sp_row cases[SP_REPORT_CASES];
    sp_report r = {.bench = "b", .json = true, .cases = cases};
    char text[1024];
    sp__row_number(sp__report_case(&r), "a", NULL, "%.0f", 1);
    sp__report_array(&r, "partial");
    sp__row_number(sp__report_case(&r), "b", NULL, "%.0f", 2);
    sp__row_number(sp__report_case(&r), "b", NULL, "%.0f", 3);
    sp__report_array(&r, "empty");
    REQUIRE(report_text(&r, text, sizeof text) > 0);
    REQUIRE(json_is_one(text));
    CHECK_INT(json_number_at(text, "cases.0.a"), 1);
    CHECK(json_at(text, "cases.1") == NULL);
    CHECK_INT(json_number_at(text, "partial.0.b"), 2);
    CHECK_INT(json_number_at(text, "partial.1.b"), 3);
    CHECK(json_at(text, "empty") != NULL && json_at(text, "empty.0") == NULL);
}

TEST(objects_and_flags_of_a_report) {
    static sp_row cases[SP_REPORT_CASES];
    static sp_report r;
    char text[1024];
    r = (sp_report){.bench = "b", .json = true, .cases = cases};
    sp_row *row = sp__report_case(&r);
    sp__row_flag(row, "quick", "quick", true);
    sp__row_flag(row, "slow", "slow", false);
    row = sp__report_object(&r, "crossings");
    sp__row_number(row, "a_b", "a before b", "%.1f", 0.5);
    sp__row_number(row, "a_c", NULL, "%.1f", NAN);
    REQUIRE(report_text(&r, text, sizeof text) > 0 && json_is_one(text));
    CHECK_NEAR(json_number_at(text, "crossings.a_b"), 0.5, 0);
    CHECK(json_at(text, "crossings.a_c") != NULL && strncmp(json_at(text, "crossings.a_c"), "null", 4) == 0);
    CHECK(strstr(text, "\"quick\": true") != NULL && strstr(text, "\"slow\": false") != NULL);
    FILE *f = tmpfile();
    REQUIRE(f);
    sp__report_markdown(&r, f);
    rewind(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    CHECK(strstr(text, "| yes | no |") != NULL && strstr(text, "`crossings`") != NULL &&
          strstr(text, "| a before b | 0.5 |") != NULL);
}

TEST(first_array_of_a_report_can_be_named) {
    static sp_row cases[SP_REPORT_CASES];
    sp_report r = {.bench = "b", .json = true, .cases = cases};
    char text[512];
    sp__report_array(&r, "sizes");
    sp__row_number(sp__report_case(&r), "a", NULL, "%.0f", 1);
    REQUIRE(report_text(&r, text, sizeof text) > 0 && json_is_one(text));
    CHECK_INT(json_number_at(text, "sizes.0.a"), 1);
    CHECK(json_at(text, "cases") == NULL);
}

TEST(report_as_markdown) {
    static sp_row cases[SP_REPORT_CASES];
    sp_report r = {.bench = "b", .json = true, .cases = cases};
    double tip[2] = {1, 2};
    char text[512] = "";
    sp_row *row = sp__report_case(&r);
    sp__row_text(row, "name", "name   ", "beam");
    sp__row_number(row, "hidden", NULL, "%.0f", 7);
    sp__row_list(row, "tip", "tip", "%.1f", tip, 2);
    FILE *f = tmpfile();
    REQUIRE(f);
    sp__report_markdown(&r, f);
    rewind(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    CHECK(strcmp(text, "`cases`\n\n| name | tip |\n|---|---|\n| beam | 1.0 2.0 |\n") == 0);
}

TEST(points_of_a_plot_are_picked_by_threads_and_name) {
    static sp_row cases[SP_REPORT_CASES];
    static sp_points p;
    sp_report r = {.bench = "b", .json = true, .cases = cases};
    for (int i = 0; i < 4; i++) {
        sp_row *row = sp__report_case(&r);
        sp__row_text(row, "name", NULL, i % 2 ? "odd" : "even");
        sp__row_number(row, "threads", NULL, "%.0f", 1 + i / 2);
        sp__row_number(row, "x", NULL, "%.0f", i);
    }
    sp__report_points(&r, 0, 2, NULL, "x", "absent", &p);
    CHECK_INT(p.count, 2);
    CHECK(isnan(p.y[0]));
    sp__report_points(&r, 0, 2, "odd", "x", "x", &p);
    REQUIRE(p.count == 1);
    CHECK_NEAR(p.x[0], 3, 0);
}

// ---- diagrams of time over error

TEST(diagram_gives_the_least_time_of_an_error) {
    sp_diagram d = {0};
    sp__diagram_add(&d, 1e-2, 1);
    sp__diagram_add(&d, 1e-4, 4);
    sp__diagram_add(&d, 1e-3, 9);  // slower than another point
    sp__diagram_add(&d, NAN, 1);   // not a point
    CHECK_INT(d.count, 3);
    CHECK_NEAR(sp__diagram_time(&d, 1e-3), 4, 0);
    CHECK_NEAR(sp__diagram_time(&d, 1), 1, 0);
    CHECK(isnan(sp__diagram_time(&d, 1e-5)));
    CHECK_NEAR(sp__diagram_line(&d, 1e-3), 2, 1e-14);  // halfway in logarithms
    CHECK(isnan(sp__diagram_line(&d, 1)));
}

// times error^-1/2 and 0.01/error cross at 1e-4
TEST(diagrams_cross) {
    sp_diagram slow = {0}, quick = {0};
    bool bound;
    for (int i = 1; i <= 7; i++) {
        double error = pow(10, -i);
        sp__diagram_add(&quick, error, 1 / sqrt(error));
        sp__diagram_add(&slow, error, 0.01 / error);
    }
    double error = sp__diagram_crossing(&quick, &slow, &bound);
    CHECK_NEAR(log10(error), -4, 0.01);  // 4000 points over nineteen decades
    CHECK(!bound);
    CHECK(isnan(sp__diagram_crossing(&slow, &quick, &bound)));  // slower at the smallest error
    for (int i = 0; i < slow.count; i++) slow.time[i] *= 1e6;
    error = sp__diagram_crossing(&quick, &slow, &bound);
    CHECK_NEAR(log10(error), -1, 0.01);
    CHECK(bound);
}

// ---- plots

static size_t file_text(const char *path, char *text, size_t size) {
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, size - 1, f) : 0;
    text[n] = 0;
    if (f) fclose(f);
    return n;
}

TEST(plot_is_an_svg_with_its_numbers_in_a_file) {
    char folder[] = "/tmp/souple-plot-XXXXXX", path[64];
    static char text[20000];
    REQUIRE(mkdtemp(folder) != NULL);
    double x[4] = {1, 10, 100, 1000}, y[4] = {1, 0, NAN, 50};  // zero and NaN cannot be drawn on a log axis
    sp_plot_series s = {.name = "a < b", .x = x, .y = y, .count = 4, .marks = true};
    sp_plot plot = {.title = "Title & more", .x_label = "size", .y_label = "ms", .log_x = true, .log_y = true};
    plot.series = &s, plot.series_count = 1;
    REQUIRE(sp__bench_plot(&plot, folder, "p") == SP_OK);
    snprintf(path, sizeof path, "%s/p.svg", folder);
    REQUIRE(file_text(path, text, sizeof text) > 0);
    remove(path);
    CHECK(strncmp(text, "<svg", 4) == 0 && strstr(text, "</svg>") != NULL);
    CHECK(strstr(text, "a &lt; b") != NULL && strstr(text, "Title &amp; more") != NULL);
    CHECK(strstr(text, "nan") == NULL && strstr(text, "inf") == NULL);
    int marks = 0;
    for (const char *at = text; (at = strstr(at, "<circle")) != NULL; at++) marks++;
    CHECK_INT(marks, 2);
    snprintf(path, sizeof path, "%s/p.csv", folder);
    REQUIRE(file_text(path, text, sizeof text) > 0);
    remove(path);
    CHECK(strstr(text, "a < b,1000,50\n") != NULL);
    CHECK_INT(rmdir(folder), 0);
}

// ---- the command

TEST(absent_peer_is_unavailable) {
    char line[64];
    const char *args[] = {NULL};
    CHECK_INT(sp__peer_run("no_such_peer", args, line, sizeof line), SP_UNAVAILABLE);
}

TEST(command_lists_and_refuses) {
    char out[2048];
    CHECK_INT(run_souple("bench", out, sizeof out), 0);
    const char *names[] = {"step",    "rotation", "beam",    "materials", "cholesky", "factor", "preconditioners",
                           "updated", "rods",     "contact", "friction",  "volume",   "batch",  "page"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) CHECK(strstr(out, names[i]) != NULL);
    CHECK_INT(run_souple("bench stpe", out, sizeof out), 2);
    CHECK(strstr(out, "did you mean \"step\"") != NULL);
    CHECK_INT(run_souple("bench step --threads 0", out, sizeof out), 2);
    CHECK_INT(run_souple("bench step --jsn", out, sizeof out), 2);
    CHECK(strstr(out, "--json") != NULL);
    CHECK_INT(run_souple("bench step --dump", out, sizeof out), 2);
    CHECK_INT(run_souple("bench step --problem a.hdf5", out, sizeof out), 2);
    CHECK_INT(run_souple("bench friction --problem no-such-file.hdf5", out, sizeof out), 1);
    CHECK(strstr(out, "no-such-file.hdf5") != NULL);
}

// Every documented field, in the first case of each array; no times are asserted.
static void check_bench(const char *name, const char *const *fields) {
    static char out[200000];
    char args[64];
    snprintf(args, sizeof args, "bench %s --quick --json --threads 2", name);
    CHECK_INT(run_souple(args, out, sizeof out), 0);
    if (!json_is_one(out)) {
        SP_TEST_FAILED("%s: not one JSON object: %.300s", name, out);
        return;
    }
    CHECK(json_is(out, "bench", name));
    CHECK_INT(json_number_at(out, "threads"), 2);
    for (int i = 0; fields[i]; i++)
        if (!json_at(out, fields[i])) SP_TEST_FAILED("%s: no field %s", name, fields[i]);
}

TEST(materials_reports_its_fields) {
    static const char *const fields[] = {"cases.0.element",
                                         "cases.0.law",
                                         "cases.0.path",
                                         "cases.0.elements",
                                         "cases.0.nodes",
                                         "cases.0.cg_iterations",
                                         "cases.0.ms",
                                         "cases.0.ns_per_element_iteration",
                                         "cases.0.vs_corotational",
                                         "cases.0.step_vs_corotational",
                                         "cases.0.flops",
                                         "cases.0.bytes",
                                         "cases.0.limit_share",
                                         "cases.1.pays_after",
                                         "cases.33.law",
                                         "bullet.0.k",
                                         "bullet.0.ms",
                                         "bullet.0.bullet_ms",
                                         "bullet.1.vs_bullet",
                                         "error_against_time.0.element",
                                         "error_against_time.0.integration",
                                         "error_against_time.0.across",
                                         "error_against_time.0.nodes",
                                         "error_against_time.0.elements",
                                         "error_against_time.0.newton_iterations",
                                         "error_against_time.0.ms",
                                         "error_against_time.0.tip",
                                         "error_against_time.7.error",
                                         NULL};
    check_bench("materials", fields);
}

TEST(cholesky_reports_its_fields) {
    static const char *const fields[] = {"cases.0.name",
                                         "cases.0.dofs",
                                         "cases.0.nnz",
                                         "cases.0.ordering",
                                         "cases.0.fill",
                                         "cases.0.analyse_ms",
                                         "cases.0.factor_ms",
                                         "cases.0.solve_ms",
                                         "cases.0.backward_error",
                                         "cases.0.cholmod_factor_ms",
                                         "cases.0.cholmod_solve_ms",
                                         "cases.0.factor_vs_cholmod",
                                         "cases.0.solve_vs_cholmod",
                                         "cases.0.scalar_factor_ms",
                                         "partial.0.elements_percent",
                                         "partial.0.columns_percent",
                                         "partial.0.flop_share",
                                         "partial.0.ms",
                                         "partial.0.ratio_to_full",
                                         "partial.0.cholmod_full_ms",
                                         "partial.0.max_relative_error",
                                         "partial.3.ms",
                                         NULL};
    check_bench("cholesky", fields);
}

TEST(friction_reports_its_fields) {
    static const char *const fields[] = {"problems.0.file", "problems.0.contacts", "problems.0.method", "problems.0.iterations",
                                         "problems.0.ms",   "problems.0.residual", "problems.6.method", NULL};
    check_bench("friction", fields);
}

TEST(factor_reports_its_fields) {
    static const char *const fields[] = {"cases.0.k",
                                         "cases.0.dofs",
                                         "cases.0.analyse_ms",
                                         "cases.0.factor_ms",
                                         "cases.0.solve_ms",
                                         "cases.0.solve64_ms",
                                         "cases.0.remove.2",
                                         "cases.0.restore.2",
                                         "cases.0.remove_how",
                                         "cases.0.cholmod_factor_ms",
                                         "cases.0.cholmod_remove",
                                         "cases.0.remove_vs_cholmod",
                                         NULL};
    check_bench("factor", fields);
}

TEST(preconditioners_report_their_fields) {
    static const char *const fields[] = {"cases.12.strategy",
                                         "cases.0.iterations",
                                         "cases.0.ms",
                                         "sizes.0.tets",
                                         "sizes.0.steps_per_factor",
                                         "sizes.0.factor_ms",
                                         "heterogeneous.0.iterations",
                                         "heterogeneous.0.published_iterations",
                                         "heterogeneous.12.preconditioner",
                                         "loads.0.model",
                                         "loads.64.iterations",
                                         "loads.20.published_iterations",
                                         "loads.0.published_ms",
                                         "inverse.0.apply_ms",
                                         NULL};
    check_bench("preconditioners", fields);
}

TEST(updated_reports_its_fields) {
    static const char *const fields[] = {"cases.0.mean_ms",
                                         "cases.0.p99_ms",
                                         "cases.0.max_ms",
                                         "cases.1.columns_percent",
                                         "cases.1.elements_percent",
                                         "cases.1.distance",
                                         "cases.1.mean_vs_exact",
                                         "cases.3.tolerance",
                                         "thresholds.1.threshold",
                                         "thresholds.1.outcome",
                                         NULL};
    check_bench("updated", fields);
}

TEST(rods_reports_its_fields) {
    static const char *const fields[] = {"geometry.0.method",
                                         "geometry.0.error",
                                         "geometry.0.us",
                                         "geometry.0.vs_series",
                                         "models.0.model",
                                         "models.0.elements",
                                         "models.0.dofs",
                                         "models.0.static_error",
                                         "models.0.ms_per_step",
                                         "models.0.realtime_at_11ms",
                                         "models.9.tip_error",
                                         "crossings.series_rk4",
                                         "crossings.series_adams",
                                         "crossings.clothoid_helix",
                                         "crossings.clothoid_der",
                                         "crossings.helix_der",
                                         "orders.clothoid",
                                         "cost_exponents.der_edge",
                                         "dofs_at_equal_error.der_edge_ratio",
                                         "summary.adams_vs_series",
                                         "summary.clothoid_10_ms",
                                         "rod_n.0.ms_per_step",
                                         "rod_n.0.stable",
                                         "rod_n.0.tip",
                                         "rod_n.0.mujoco_ms",
                                         "rod_n_growth.beam",
                                         "hair.1.steps_per_s",
                                         NULL};
    check_bench("rods", fields);
}

TEST(volume_reports_its_fields) {
    static const char *const fields[] = {"detection.0.scene",
                                         "detection.0.triangles",
                                         "detection.0.pixels",
                                         "detection.0.layers",
                                         "detection.0.pairs",
                                         "detection.0.ms",
                                         "detection.0.stages_ms.boxes",
                                         "detection.0.stages_ms.list",
                                         "detection.0.stages_ms.sort",
                                         "detection.0.stages_ms.raster",
                                         "detection.0.stages_ms.sum",
                                         "detection.0.ns_per_triangle",
                                         "detection.0.threads",
                                         "detection.4.scene",
                                         "growth.fixed_ms",
                                         "growth.ns_per_triangle",
                                         "peeling.layers_ms",
                                         "peeling.peeling_ms",
                                         "peeling.ratio",
                                         NULL};
    check_bench("volume", fields);
}

TEST(batch_reports_its_fields) {
    static const char *const fields[] = {"cases.0.name",
                                         "cases.0.elements",
                                         "cases.0.worlds",
                                         "cases.0.alone_steps_per_s",
                                         "cases.0.core_steps_per_s",
                                         "cases.0.core_share",
                                         "cases.0.threads_steps_per_s",
                                         "cases.0.alone_bytes",
                                         "cases.0.world_bytes",
                                         "cases.1.further_world_bytes",
                                         NULL};
    check_bench("batch", fields);
}

TEST(contact_reports_its_fields) {
    static const char *const fields[] = {"cases.0.name",
                                         "cases.0.tets",
                                         "cases.0.rows_mean",
                                         "cases.0.contacts_mean",
                                         "cases.0.ms",
                                         "cases.0.p99_ms",
                                         "cases.0.stages_ms.solve_contacts",
                                         "cases.0.penetration_max",
                                         "cases.0.residual_max",
                                         "cases.0.bullet_ms",
                                         "cases.0.vs_bullet",
                                         "cases.1.lowest",
                                         "detection.1.triangles",
                                         "detection.1.refit_ms",
                                         "detection.1.query_ms",
                                         "detection.1.ns_per_triangle",
                                         "detection.1.contacts_max",
                                         "detection.1.mapping_ms",
                                         "detection.1.refit_floor_ms",
                                         "baselines.1.method",
                                         "baselines.1.parameter",
                                         "baselines.1.value",
                                         "baselines.1.hit_rate",
                                         "baselines.1.ms",
                                         "baselines.1.over_tree",
                                         "detection_growth.exponent",
                                         "rods.0.elements",
                                         "rods.0.rows",
                                         "rods.0.ms",
                                         "rods.0.contact_ms",
                                         "rods.0.stages_ms.build_delassus",
                                         "rods.2.ok",
                                         "growth.rows",
                                         "growth.elements",
                                         "delassus.0.dofs",
                                         "delassus.0.rows",
                                         "delassus.0.compliance",
                                         "delassus.0.ms",
                                         "delassus.0.us_per_row",
                                         "delassus.0.cholmod_ms",
                                         "delassus.0.vs_cholmod",
                                         "gauss_seidel.0.rows",
                                         "gauss_seidel.0.strategy",
                                         "gauss_seidel.0.threads",
                                         "gauss_seidel.0.ms_100_sweeps",
                                         "gauss_seidel.0.gb_per_s",
                                         "gauss_seidel.0.stream_gb_per_s",
                                         "gauss_seidel.11.rows",
                                         NULL};
    check_bench("contact", fields);
}

// without libwebsockets the fields exist too, as null
TEST(page_reports_its_fields) {
    static const char *const fields[] = {"scene_tets",
                                         "clients",
                                         "cases.0.name",
                                         "frames_per_s",
                                         "least_frames_per_s",
                                         "latency_ms.p50",
                                         "latency_ms.p95",
                                         "steps_per_s_alone",
                                         "steps_per_s",
                                         "sim_slowdown",
                                         NULL};
    check_bench("page", fields);
}
