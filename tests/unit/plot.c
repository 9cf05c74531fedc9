// Plots and pages: SVG is well-formed XML with the data at the positions of the axes, text is escaped, PNG has ink on the line,
// and every failed allocation is reported without a leak.
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>
#include <unistd.h>

#include "io/report/plot.h"
#include "meter.h"
#include "test.h"

static sp_context *make_context(void) {
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    def.workers = 1;
    if (sp_context_create(&def, &ctx) < 0) abort();
    return ctx;
}

// ---------------------------------------------------------------------------------------------------- axes

TEST(ticks_are_round_numbers) {
    sp_axis a = sp__axis_empty(false, 0, 1);
    sp__axis_widen(&a, 3), sp__axis_widen(&a, 47);
    sp__axis_finish(&a);
    CHECK_INT(a.ticks, 6);
    CHECK_NEAR(a.tick[0], 0, 0);
    CHECK_NEAR(a.tick[5], 50, 1e-12);  // rounding of five steps of ten
    a = sp__axis_empty(true, 0, 1);
    sp__axis_widen(&a, 1), sp__axis_widen(&a, 10);
    sp__axis_finish(&a);
    REQUIRE(a.ticks == 4);
    CHECK_NEAR(a.tick[1], 2, 1e-12);  // of a power of ten
}

TEST(any_range_has_ticks_and_labels_that_differ) {
    static const double ranges[][2] = {{0, 0},     {5, 5},         {-3, -3},         {0.4, 0.4 + 1e-7}, {-1e299, 1e299},
                                       {0, 1e-40}, {1e-300, 2e-7}, {1e9, 1e9 + 0.1}, {-2, 1e-9},        {1e-250, 1e250}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        for (int log = 0; log < 2; log++) {
            sp_axis a = sp__axis_empty(log, 0, 100);
            if (log && ranges[i][0] <= 0) continue;
            sp__axis_widen(&a, ranges[i][0]), sp__axis_widen(&a, ranges[i][1]);
            sp__axis_finish(&a);
            if (a.ticks < 2 || a.ticks > SP_TICKS) SP_TEST_FAILED("range %zu, log %d: %d ticks", i, log, a.ticks);
            char before[40] = "", label[40];
            for (int k = 0; k < a.ticks; k++, strcpy(before, label)) {
                double at = sp__axis_place(&a, a.tick[k]);
                sp__axis_label(&a, a.tick[k], label, sizeof label);
                CHECK(at > -1 && at < 101);
                if (strcmp(before, label) == 0) SP_TEST_FAILED("range %zu: \"%s\" twice", i, label);
            }
        }
    sp_axis a = sp__axis_empty(true, 0, 1);
    CHECK(!sp__axis_takes(&a, 0) && !sp__axis_takes(&a, -1) && !sp__axis_takes(&a, NAN) && !sp__axis_takes(&a, INFINITY));
}

// ---------------------------------------------------------------------------------------------------- SVG

static int count_of(xmlDocPtr doc, const char *path, xmlXPathObjectPtr *out) {
    xmlXPathContextPtr x = xmlXPathNewContext(doc);
    xmlXPathRegisterNs(x, BAD_CAST "s", BAD_CAST "http://www.w3.org/2000/svg");
    xmlXPathObjectPtr found = xmlXPathEvalExpression(BAD_CAST path, x);
    int n = found && found->nodesetval ? found->nodesetval->nodeNr : 0;
    if (out)
        *out = found;
    else
        xmlXPathFreeObject(found);
    xmlXPathFreeContext(x);
    return n;
}

static xmlDocPtr parse(const sp_page *page) {
    return xmlReadMemory(page->text.data, (int)page->text.size, "plot.svg", NULL, XML_PARSE_NONET | XML_PARSE_NOERROR);
}

static double attribute(xmlXPathObjectPtr found, int i, const char *name) {
    xmlChar *text = xmlGetProp(found->nodesetval->nodeTab[i], BAD_CAST name);
    double v = text ? atof((const char *)text) : NAN;
    xmlFree(text);
    return v;
}

// y = 10 x on axes from 0 to 2 and 0 to 20: the plot area is x in [90, 602], y in [372, 46]
TEST(points_are_at_the_positions_of_the_axes) {
    sp_context *ctx = make_context();
    sp_page page = {.ctx = ctx};
    const double x[] = {0, 0.5, 2}, y[] = {0, 5, 20};
    sp_plot_series s = {.name = "line", .x = x, .y = y, .count = 3, .marks = true};
    sp_plot plot = {.title = "t", .x_label = "x [m]", .y_label = "y [N]", .series = &s, .series_count = 1};
    REQUIRE(sp__plots_svg(&plot, 1, false, &page) == SP_OK);
    xmlDocPtr doc = parse(&page);
    REQUIRE(doc);
    xmlXPathObjectPtr dots;
    REQUIRE(count_of(doc, "//s:circle", &dots) == 3);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(attribute(dots, i, "cx"), 90 + (602 - 90) * x[i] / 2, 0.051);  // one decimal is written
        CHECK_NEAR(attribute(dots, i, "cy"), 372 - (372 - 46) * y[i] / 20, 0.051);
    }
    xmlXPathFreeObject(dots);
    CHECK_INT(count_of(doc, "//s:text[text()='x [m]']", NULL), 1);
    CHECK_INT(count_of(doc, "//s:text[text()='y [N]']", NULL), 1);
    CHECK_INT(count_of(doc, "//s:text[text()='0.25']", NULL), 0);
    CHECK_INT(count_of(doc, "//s:text[text()='1.5']", NULL), 1);
    xmlFreeDoc(doc);
    sp__page_free(&page);
    sp_context_destroy(&ctx);
}

// two layers of 1 and 3: the outline of the second is between 1 and 4
TEST(layers_of_a_stack_add_up) {
    sp_context *ctx = make_context();
    sp_page page = {.ctx = ctx};
    const double x[] = {0, 1, 2}, one[] = {1, 1, 1}, three[] = {3, NAN, 3};
    sp_plot_series s[] = {{.name = "a", .x = x, .y = one, .count = 3}, {.name = "b", .x = x, .y = three, .count = 3}};
    sp_plot plot = {.title = "t", .x_label = "x", .y_label = "y", .series = s, .series_count = 2, .kind = SP_PLOT_STACKED};
    REQUIRE(sp__plots_svg(&plot, 1, true, &page) == SP_OK);
    // the y axis ends at 4: 81.5 units each
    CHECK(strstr(page.text.data, "M90 290.5L346 290.5L602 290.5L602 372L346 372L90 372Z"));
    CHECK(strstr(page.text.data, "M90 46L346 290.5L602 46L602 290.5L346 290.5L90 290.5Z"));
    CHECK(!strstr(page.text.data, "http"));  // inside a page no namespace is needed
    sp__page_free(&page);
    sp_context_destroy(&ctx);
}

static void bars_and_gaps(sp_page *page, int count) {
    static const double x[] = {1, 2, 3}, y[] = {NAN, -2, 1e-3}, z[] = {INFINITY, NAN, NAN};
    static const char *const labels[] = {"a long label that does not fit", "b & c", "\xff\x01<script>"};
    sp_plot_series s[] = {{.name = "<b>\"'", .x = x, .y = y, .count = count}, {.name = "z", .x = x, .y = z, .count = count}};
    sp_plot plots[5];
    for (int i = 0; i < 5; i++) {
        plots[i] = (sp_plot){.title = "a < b & c", .x_label = "x", .y_label = "y", .series = s, .series_count = 2};
        plots[i].kind = i < 3 ? (sp_plot_kind)i : SP_PLOT_LINES;
        plots[i].labels = labels;
        plots[i].log_x = plots[i].log_y = i == 3;
    }
    plots[4].series_count = 0;
    CHECK_INT(sp__plots_svg(plots, 5, false, page), SP_OK);
}

TEST(missing_numbers_one_sample_and_none_are_accepted) {
    sp_context *ctx = make_context();
    for (int count = 0; count <= 3; count++) {
        sp_page page = {.ctx = ctx};
        bars_and_gaps(&page, count);
        REQUIRE(page.text.data);
        xmlDocPtr doc = parse(&page);
        CHECK(doc != NULL);
        CHECK(!strstr(page.text.data, "nan") && !strstr(page.text.data, "inf") && !strstr(page.text.data, "<script"));
        CHECK(strstr(page.text.data, "a &lt; b &amp; c"));
        if (doc) CHECK_INT(count_of(doc, "//s:text[text()='no data']", NULL), count < 2 ? 5 : count == 2 ? 2 : 1);
        xmlFreeDoc(doc);
        sp__page_free(&page);
    }
    sp_context_destroy(&ctx);
}

TEST(pages_escape_external_text) {
    sp_context *ctx = make_context();
    sp_page page = {.ctx = ctx};
    sp__page_escape(&page, "<a href='x'>\"&\r\n\x07\xc3\xa9\xc3(\xed\xa0\x80");
    CHECK(strcmp(page.text.data, "&lt;a href=&#39;x&#39;&gt;&quot;&amp;\n\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd("
                                 "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd") == 0);
    sp__page_free(&page);
    // RFC 4648, section 10
    static const char *const in[] = {"", "f", "fo", "foo", "foobar"}, *const out[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYmFy"};
    for (int i = 1; i < 5; i++) {
        sp__page_base64(&page, (const unsigned char *)in[i], strlen(in[i]));
        CHECK(strcmp(page.text.data, out[i]) == 0);
        sp__page_free(&page);
    }
    sp_context_destroy(&ctx);
}

// ---------------------------------------------------------------------------------------------------- pixels

static int grey_at(const sp_draw *d, int x, int y) {
    const unsigned char *c = d->rgb + 3 * ((size_t)y * (size_t)d->width + (size_t)x);
    return c[0] == c[1] && c[1] == c[2] ? c[0] : -1;
}

TEST(pixel_coverage_agrees_with_geometry) {
    sp_context *ctx = make_context();
    sp_draw d;
    REQUIRE(sp__draw_png_begin(&d, ctx, 40, 40, 1) == SP_OK);
    // a rectangle from 10.5 to 20: the first column half covered
    const double area[] = {10.5, 10, 20, 10, 20, 30, 10.5, 30};
    d.fill(&d, area, 4, 0x000000);
    CHECK_INT(grey_at(&d, 9, 20), 255);
    CHECK_NEAR(grey_at(&d, 10, 20), 127.5, 2);  // four quarter rows, each rounded
    CHECK_INT(grey_at(&d, 15, 20), 0);
    CHECK_INT(grey_at(&d, 20, 20), 255);
    CHECK_INT(grey_at(&d, 15, 30), 255);
    // a horizontal line of width 2 about y = 35, with a joint that is no darker than the rest
    const double line[] = {5, 35.5, 20, 35.5, 35, 35.5};
    d.line(&d, line, 3, 0x000000, 2, false);
    for (int x = 6; x < 34; x++) CHECK(grey_at(&d, x, 35) == 0 && grey_at(&d, x, 34) == grey_at(&d, 10, 34));
    CHECK_INT(grey_at(&d, 20, 38), 255);
    // lines that leave the canvas are clipped
    const double far[] = {-1e5, -1e5, 1e5, 1e5};
    d.line(&d, far, 2, 0x000000, 1, true);
    d.fill(&d, far, 2, 0x000000);
    d.dot(&d, 1e6, -1e6, 3, 0x000000);
    const sp_draw_text turned = {.x = 3, .y = 500, .align = SP_DRAW_MIDDLE, .turned = true};
    d.text(&d, &turned, "outside");
    CHECK_INT(sp__draw_png_end(&d, NULL), SP_OK);
    sp_context_destroy(&ctx);
}

// dashes: 6 on, 4 off, continued over the corners of a line
TEST(dashes_continue_over_corners) {
    sp_context *ctx = make_context();
    sp_draw d;
    REQUIRE(sp__draw_png_begin(&d, ctx, 60, 10, 1) == SP_OK);
    const double line[] = {0, 5.5, 3, 5.5, 8, 5.5, 50, 5.5};
    d.line(&d, line, 4, 0x000000, 1, true);
    for (int x = 1; x < 50; x++) {
        bool on = x % 10 >= 1 && x % 10 <= 4, off = x % 10 == 7 || x % 10 == 8;
        if ((on && grey_at(&d, x, 5) != 0) || (off && grey_at(&d, x, 5) != 255))
            SP_TEST_FAILED("at %d: %d", x, grey_at(&d, x, 5));
    }
    sp__draw_png_end(&d, NULL);
    sp_context_destroy(&ctx);
}

// ---------------------------------------------------------------------------------------------------- files

TEST(files_are_complete_or_absent) {
    sp_context *ctx = make_context();
    char folder[] = "/tmp/souple-plot-XXXXXX", path[96];
    REQUIRE(mkdtemp(folder) != NULL);
    const double x[] = {0, 1}, y[] = {1, 2};
    sp_plot_series s = {.name = "line", .x = x, .y = y, .count = 2, .dashed = true};
    sp_plot plot = {.title = "t", .x_label = "x", .y_label = "y", .series = &s, .series_count = 1};
    static const char *const names[] = {"a.svg", "a.png"}, *const heads[] = {"<svg", "\x89PNG"};
    for (int i = 0; i < 2; i++) {
        char head[8] = "";
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        CHECK_INT(sp_plot_write(ctx, &plot, 1, path), SP_OK);
        FILE *f = fopen(path, "rb");
        REQUIRE(f);
        CHECK(fread(head, 1, 4, f) == 4 && memcmp(head, heads[i], 4) == 0);
        fclose(f);
        remove(path);
        snprintf(path, sizeof path, "%s/none/%s", folder, names[i]);
        CHECK_INT(sp_plot_write(ctx, &plot, 1, path), SP_IO);
    }
    // titles and labels are nullable
    const sp_plot bare = {.series = &s, .series_count = 1};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        CHECK_INT(sp_plot_write(ctx, &bare, 1, path), SP_OK);
        CHECK_INT(remove(path), 0);
    }
    CHECK_INT(sp_plot_write(ctx, &plot, 1, "a.jpg"), SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(ctx)->message, ".svg or .png"));
    CHECK_INT(sp_plot_write(ctx, &plot, 0, "a.svg"), SP_BAD_INPUT);
    CHECK_INT(rmdir(folder), 0);  // no partial file is left
    sp_context_destroy(&ctx);
}

// every allocation fails once, until all succeed
TEST(failed_allocations_are_reported_without_leaks) {
    char folder[] = "/tmp/souple-plot-XXXXXX", path[2][64];
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(path[0], 64, "%s/a.svg", folder), snprintf(path[1], 64, "%s/a.png", folder);
    const double x[] = {0, 1, 2}, y[] = {1, 2, 1};
    sp_plot_series s = {.name = "line", .x = x, .y = y, .count = 3};
    sp_plot plot = {.title = "t", .x_label = "x", .y_label = "y", .series = &s, .series_count = 1, .kind = SP_PLOT_STACKED};
    for (int kind = 0; kind < 2; kind++) {
        sp_status status = SP_NO_MEMORY;
        int refused = 0;
        for (long n = 0; n < 200 && status < 0; n++) {
            meter m = {.allowed = 1000};
            sp_context_def def = metered_context(&m);
            sp_context *ctx = NULL;
            REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
            long held = m.live;
            m.allowed = n;
            status = sp_plot_write(ctx, &plot, 1, path[kind]);
            CHECK_INT(m.live, held);
            bool there = access(path[kind], F_OK) == 0;
            CHECK(there == (status >= 0));
            refused += status < 0;
            sp_context_destroy(&ctx);
        }
        CHECK_INT(status, SP_OK);
        CHECK(refused >= 4);
        remove(path[kind]);
    }
    CHECK_INT(rmdir(folder), 0);
}
