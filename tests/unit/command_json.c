// The JSON writer of the command: its output reads back to the same bits, in any locale, with any text.
#include <locale.h>

#include "../../src/util/json.c"
#include "json_check.h"
#include "test.h"

static char text[65536];

static FILE *open_text(void) {
    memset(text, 0, sizeof text);
    return fmemopen(text, sizeof text - 1, "w");
}

TEST(numbers_read_back_to_the_same_bits) {
    unsigned long long state = 7;
    double values[200] = {0, -0.0, 1, 0.1, 1.0 / 3, 1e300, 5e-324, 123456789012345678.0, -2.5e-7};
    for (int i = 9; i < 200; i++) values[i] = sp_test_random(&state) * pow(10, 40 * sp_test_random(&state));
    FILE *f = open_text();
    sp_json j = {.file = f};
    sp__json_open(&j, NULL, '{');
    sp__json_vector(&j, "v", values, 200);
    sp__json_close(&j, '}');
    fclose(f);
    REQUIRE(json_is_one(text));
    for (int i = 0; i < 200; i++) {
        char path[16];
        snprintf(path, sizeof path, "v.%d", i);
        CHECK_NEAR(json_number_at(text, path), values[i], 0);
    }
    CHECK(strncmp(json_at(text, "v.3"), "0.1,", 4) == 0);
}

TEST(non_finite_numbers_are_null) {
    FILE *f = open_text();
    sp_json j = {.file = f};
    double v[3] = {NAN, 1, -INFINITY};
    sp__json_open(&j, NULL, '{');
    sp__json_number(&j, "a", NAN);
    sp__json_number(&j, "b", INFINITY);
    sp__json_vector(&j, "c", v, 3);
    sp__json_text(&j, "d", NULL);
    sp__json_yes(&j, "e", true);
    sp__json_open(&j, "f", '[');
    sp__json_close(&j, ']');
    sp__json_close(&j, '}');
    fclose(f);
    REQUIRE(json_is_one(text));
    static const char *const nulls[] = {"a", "b", "c.0", "c.2", "d"};
    for (int i = 0; i < 5; i++) CHECK(json_at(text, nulls[i]) && strncmp(json_at(text, nulls[i]), "null", 4) == 0);
    CHECK_NEAR(json_number_at(text, "c.1"), 1, 0);
}

TEST(text_is_escaped) {
    FILE *f = open_text();
    sp_json j = {.file = f};
    sp__json_open(&j, NULL, '[');
    sp__json_text(&j, NULL, "a\"b\\c\n\t\x01\x7f/\xc3\xa9");
    sp__json_text(
        &j, NULL,
        "caf\xe9 \xed\xa0\x80 \xf0\x9f\x98\x80 \xe2\x82");  // not UTF-8, a surrogate, a character of four bytes, half a character
    sp__json_close(&j, ']');
    fclose(f);
    REQUIRE(json_is_one(text));
    CHECK(json_is(text, "1", "caf\\ufffd \\ufffd\\ufffd\\ufffd \xf0\x9f\x98\x80 \\ufffd\\ufffd"));
    CHECK(json_is(text, "0", "a\\\"b\\\\c\\n\\t\\u0001\\u007f/\xc3\xa9"));
}

TEST(the_decimal_separator_is_a_point_in_any_locale) {
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"};
    for (int i = 0; i < 3 && !setlocale(LC_NUMERIC, locales[i]); i++) continue;
    char number[32];
    sp__number_text(-1234.5e-20, number);
    CHECK(strcmp(number, "-1.2345e-17") == 0);
    setlocale(LC_NUMERIC, "C");
    // output of other locales, tested whether they are installed or not
    char comma[32] = "-1,5e-7", wide[32] = "0\xd9\xab"
                                           "25";
    plain_point(comma), plain_point(wide);
    CHECK(strcmp(comma, "-1.5e-7") == 0 && strcmp(wide, "0.25") == 0);
}
