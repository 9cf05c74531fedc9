// The data of plots and tables: rows in bounded memory, CSV and JSON read from files, the grid of a sweep.
#include <unistd.h>

#include "../../app/common/csv.c"
#include "../../app/common/trace.c"
#include "../../app/sweep/sweep_grid.c"
#include "test.h"

static char path[] = "/tmp/souple-trace-XXXXXX";

static const char *file_of(const char *text, size_t size) {
    static bool made;
    int file = made ? -1 : mkstemp(path);
    if (file >= 0) close(file), made = true;
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(text, 1, size, f) != size) abort();
    fclose(f);
    return path;
}

// ---------------------------------------------------------------------------------------------------- traces

TEST(few_rows_are_unchanged) {
    sp_trace t;
    double x[2 * SP_TRACE_ROWS] = {0}, y[2 * SP_TRACE_ROWS] = {0};
    REQUIRE(sp__trace_start(&t, 2));
    for (int i = 0; i < 5; i++) sp__trace_add(&t, (double[]){i, i == 3 ? NAN : i * i});
    CHECK_INT(t.rows, 5);
    CHECK_INT(sp__trace_line(&t, 0, 1, x, y), 5);
    CHECK(x[4] == 4 && y[4] == 16 && isnan(y[3]));
    sp__trace_free(&t);
}

TEST(many_rows_keep_peaks_and_means_in_fixed_memory) {
    sp_trace t;
    static double x[2 * SP_TRACE_ROWS], y[2 * SP_TRACE_ROWS], mean[SP_TRACE_ROWS];
    const int n = 100001, peak = 77777;
    REQUIRE(sp__trace_start(&t, 2));
    for (int i = 0; i < n; i++) sp__trace_add(&t, (double[]){i, i == peak ? 1e6 : i % 2});
    CHECK_INT(t.added, n);
    CHECK(t.rows > SP_TRACE_ROWS / 2 && t.rows <= SP_TRACE_ROWS);
    CHECK_INT(t.share, 128);  // the smallest power of two with n / share <= SP_TRACE_ROWS
    int points = sp__trace_line(&t, 0, 1, x, y), at = -1;
    for (int i = 0; i < points; i++)
        if (y[i] == 1e6) at = i;
    REQUIRE(at >= 0);
    CHECK_NEAR(x[at], peak, 128);  // within its row
    sp__trace_means(&t, 1, mean);
    CHECK_NEAR(mean[0], 0.5, 0);  // 64 zeros and 64 ones
    CHECK_NEAR(x[0], 63.5, 0);    // mean of 0..127
    sp__trace_free(&t);
}

TEST(tables_are_read_up_to_their_last_complete_row) {
    static const char text[] = "step,\"a, \"\"b\"\"\",c\r\n1,2.5,\r\n2,x,-1e3\r\nshort,1\r\n3,4,5";
    sp_trace t;
    char why[200];
    double out[SP_TRACE_ROWS] = {0};
    REQUIRE(sp__trace_read_csv(&t, file_of(text, sizeof text - 1), why, sizeof why));
    CHECK_INT(t.columns, 3);
    CHECK_INT(t.rows, 2);  // neither the short one nor the one without a line end
    CHECK(strcmp(t.names[1], "a, \"b\"") == 0);
    sp__trace_means(&t, 1, out);
    CHECK(out[0] == 2.5 && isnan(out[1]));
    sp__trace_means(&t, 2, out);
    CHECK(isnan(out[0]) && out[1] == -1000);
    CHECK_INT(sp__trace_column(&t, "c"), 2);
    CHECK_INT(sp__trace_column(&t, "d"), -1);
    sp__trace_free(&t);
    CHECK(!sp__trace_read_csv(&t, "/not/there.csv", why, sizeof why) && strstr(why, "/not/there.csv"));
    CHECK(!sp__trace_read_csv(&t, file_of("", 0), why, sizeof why) && strstr(why, "no table"));
    CHECK(!sp__trace_read_csv(&t, file_of("\"never ends", 11), why, sizeof why));
}

TEST(endless_rows_and_fields_are_refused) {
    enum { SIZE = 5 << 20 };
    char *text = malloc(SIZE), why[200];
    sp_trace t;
    REQUIRE(text);
    memset(text, ',', SIZE);
    CHECK(!sp__trace_read_csv(&t, file_of(text, SIZE), why, sizeof why) && strstr(why, "4096 fields"));
    memset(text, 'x', SIZE);
    CHECK(!sp__trace_read_csv(&t, file_of(text, SIZE), why, sizeof why) && strstr(why, "4 MiB"));
    free(text);
}

TEST(fields_are_quoted_where_necessary) {
    char text[64] = "";
    FILE *f = fopen(path, "w");
    REQUIRE(f);
    sp__csv_field(f, "plain", true), sp__csv_field(f, "a,b", false), sp__csv_field(f, "say \"x\"\n", false);
    fclose(f);
    f = fopen(path, "r");
    REQUIRE(f);
    CHECK(fread(text, 1, sizeof text - 1, f) > 0);
    fclose(f);
    CHECK(strcmp(text, "plain,\"a,b\",\"say \"\"x\"\"\n\"") == 0);
}

// ---------------------------------------------------------------------------------------------------- JSON

TEST(json_is_read_as_it_was_written) {
    static const char text[] =
        " {\"a\": [1, -2.5e3, null, true, false, \"x\\n\\u00e9\\ud83d\\ude00\\\"\"], \"b\": {\"c\": {\"d\": 7}}, \"e\": {}} ";
    sp_json_tree t;
    REQUIRE(sp__json_parse(&t, text, sizeof text - 1));
    const sp_json_value *a = sp__json_get(t.root, "a");
    REQUIRE(a && a->kind == SP_JSON_LIST);
    CHECK_INT(sp__json_count(a), 6);
    CHECK(a->first->number == 1 && a->first->next->number == -2500);
    CHECK(a->first->next->next->kind == SP_JSON_NULL && a->first->next->next->next->kind == SP_JSON_TRUE);
    const sp_json_value *last = a->first;
    while (last->next) last = last->next;
    CHECK(strcmp(last->text, "x\n\xc3\xa9\xf0\x9f\x98\x80\"") == 0);
    CHECK(sp__json_get_number(t.root, "b.c.d") == 7);
    CHECK(isnan(sp__json_get_number(t.root, "b.c.x")) && isnan(sp__json_get_number(t.root, "a")) &&
          !*sp__json_get_text(t.root, "b"));
    CHECK(sp__json_get(t.root, "e") && sp__json_count(sp__json_get(t.root, "e")) == 0);
    sp__json_free(&t);
}

TEST(broken_json_is_refused_with_its_line) {
    static const char *const bad[] = {"",         "{",       "[1,",     "[1 2]", "{\"a\" 1}", "{\"a\":1,}", "{a:1}",
                                      "\"open",   "\"\\q\"", "\"\\u12", "nul",   "[1]x",      "{\"a\":}",   "-",
                                      "\"a\nb\"", "[,]",     "1e999",   "]",     "{\"a\":1",  "\"\\ud800",  "[\"\\u00zz\"]"};
    sp_json_tree t;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (sp__json_parse(&t, bad[i], strlen(bad[i]))) SP_TEST_FAILED("taken: %s", bad[i]);
        CHECK(strncmp(t.why, "line ", 5) == 0);
        sp__json_free(&t);
    }
    char deep[400];
    memset(deep, '[', sizeof deep);
    CHECK(!sp__json_parse(&t, deep, sizeof deep) && strstr(t.why, "64 brackets"));
    sp__json_free(&t);
    CHECK(!sp__json_parse(&t, "[1,\n2,\n}", 8) && strstr(t.why, "line 3"));
    sp__json_free(&t);
    // every truncation of a valid text is refused, none crashes
    static const char good[] = "{\"a\": [1.5, \"t\\u00e9\", {\"b\": null}], \"c\": true}";
    for (size_t n = 0; n + 1 < sizeof good - 1; n++) {
        CHECK(!sp__json_parse(&t, good, n));
        sp__json_free(&t);
    }
    CHECK(!sp__json_read(&t, "/not/there") && strstr(t.why, "No such"));
    sp__json_free(&t);
    CHECK(!sp__json_read(&t, "/tmp") && t.why[0]);
    sp__json_free(&t);
}

// ---------------------------------------------------------------------------------------------------- grids

static bool add(sp_sweep_grid *g, const char *set, char *why) {
    return sp__sweep_grid_add(g, set, why, 600);
}

TEST(grid_is_the_product_of_lists_and_ranges) {
    sp_sweep_grid g = {.runs = 0};
    char why[600], text[100];
    int index[SP_SWEEP_AXES] = {0};
    REQUIRE(add(&g, "a=1,2 3,{max(4,5)}", why));
    REQUIRE(add(&g, "b=0:1:5", why));
    REQUIRE(add(&g, "c=1e3:1e5:3:log", why));
    CHECK_INT(g.runs, 45);
    CHECK(strcmp(g.axes[0].values[1], "2 3") == 0 && strcmp(g.axes[0].values[2], "{max(4,5)}") == 0);
    CHECK(strcmp(g.axes[1].values[1], "0.25") == 0 && strcmp(g.axes[1].values[4], "1") == 0);
    CHECK(strcmp(g.axes[2].values[1], "10000") == 0 && strcmp(g.axes[2].values[2], "100000") == 0 && g.axes[2].log);
    sp__sweep_point(&g, 0, index);
    CHECK(index[0] == 0 && index[1] == 0 && index[2] == 0);
    sp__sweep_point(&g, 44, index);
    CHECK(index[0] == 2 && index[1] == 4 && index[2] == 2);
    sp__sweep_point_text(&g, 16, text, sizeof text);  // 16 = (1 x 5 + 0) x 3 + 1
    CHECK(strcmp(text, "a=2 3 b=0 c=10000") == 0);
    sp__sweep_grid_free(&g);
    // 0.1 + 0.2 is 0.3 here
    REQUIRE(add(&g, "d=0:0.9:10", why));
    CHECK(strcmp(g.axes[0].values[3], "0.3") == 0);
    sp__sweep_grid_free(&g);
}

TEST(invalid_grids_are_refused) {
    static const struct {
        const char *set, *said;
    } bad[] = {{"a", "PATH=VALUES"},      {"=1", "PATH=VALUES"},  {"a=", "empty"},        {"a=1,,2", "empty"},
               {"a=0:1:1", "[2, 10000]"}, {"a=0:1:2.5", "whole"}, {"a=0:1:1e9", "10000"}, {"a=0:1:3:log", "above 0"}};
    char why[600];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sp_sweep_grid g = {.runs = 0};
        if (add(&g, bad[i].set, why) || !strstr(why, bad[i].said)) SP_TEST_FAILED("%s: %s", bad[i].set, why);
        sp__sweep_grid_free(&g);
    }
    sp_sweep_grid g = {.runs = 0};
    CHECK(add(&g, "a=1:101:101", why) && !add(&g, "b=1:100:100", why) && strstr(why, "10100 runs"));
    sp__sweep_grid_free(&g);
    CHECK(add(&g, "a=1,2", why) && !add(&g, "a=3", why) && strstr(why, "twice"));
    sp__sweep_grid_free(&g);
}

TEST(zz_clean_up) {
    CHECK_INT(remove(path), 0);
}
