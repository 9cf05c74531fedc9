// Expressions of the scene language: values, precedence, names, limits, messages.
#include "io/scene/expr.h"

#include "test.h"

static _Alignas(16) char memory[1 << 20];
static size_t used;
static size_t allowed = sizeof memory;
static char message[300];

static void *take(void *user, size_t n, size_t size) {
    (void)user;
    size_t bytes = (n * size + 15) / 16 * 16;
    if (used + bytes > allowed) return NULL;
    void *p = memory + used;
    used += bytes;
    memset(p, 0, bytes);
    return p;
}

static double twice(const void *data, double x) {
    return 2 * x + *(const double *)data;
}

static bool constant(void *user, const char *name, double *value) {
    (void)user;
    if (strcmp(name, "k") == 0) return *value = 5, true;
    if (strcmp(name, "tip") == 0) return *value = 11, true;
    return false;
}

static bool curve(void *user, const char *name, double (**eval)(const void *, double), const void **data) {
    static const double one = 1;
    (void)user;
    if (strcmp(name, "turn") != 0) return false;
    *eval = twice;
    *data = &one;
    return true;
}

static bool probe(void *user, const char *name, int *slot) {
    (void)user;
    *slot = strcmp(name, "tip.y") == 0 ? 3 : strcmp(name, "pile[2].tip.y") == 0 ? 4 : -1;
    return *slot >= 0;
}

static double slot_value(void *user, int slot) {
    return *(double *)user + slot;
}

static sp_expr *compile(const char *text) {
    sp_expr_scope scope = {constant, curve, probe, NULL, true, true, true, 7, "beam", NULL};
    sp_expr *e;
    used = 0;
    sp__expr_compile(text, &scope, take, NULL, message, sizeof message, &e);
    return e;
}

// at t = 2, x = 3, y = 4, z = 5, s = 6, probes from 100
static double eval(const char *text) {
    double base = 100;
    sp_expr *e = compile(text);
    if (!e) return NAN;
    return sp__expr_eval(e, &(sp_expr_env){2, 3, 4, 5, 6, slot_value, &base});
}

// exact: each of these has at most one rounding
#define SAME(text, value) CHECK_NEAR(eval(text), value, 0)

TEST(numbers_and_operators) {
    SAME("1", 1);
    SAME(" 1.5e3 ", 1500);
    SAME(".5", 0.5);
    SAME("1+2*3", 7);
    SAME("(1+2)*3", 9);
    SAME("8-3-2", 3);
    SAME("8/4/2", 1);
    SAME("7%3", 1);
    SAME("-7%3", 2);  // the sign binds tighter, and the result has the sign of the divisor
    SAME("7%(-3)", -2);
    SAME("-(7%3)", -1);
    SAME("6%3", 0);
    SAME("2+3%2", 3);
}

TEST(powers_bind_tighter_than_signs_and_to_the_right) {
    SAME("2^3", 8);
    SAME("-2^2", -4);
    SAME("(-2)^2", 4);
    SAME("2^3^2", 512);
    SAME("2^-1", 0.5);
    SAME("2*3^2", 18);
    SAME("--3", 3);
    SAME("+-3", -3);
}

TEST(comparisons_and_logic) {
    SAME("1 lt 2", 1);
    SAME("2 lt 1", 0);
    SAME("2 le 2", 1);
    SAME("2 gt 1", 1);
    SAME("2 ge 3", 0);
    SAME("2 eq 2", 1);
    SAME("2 ne 2", 0);
    SAME("1 and 0", 0);
    SAME("1 or 0", 1);
    SAME("not 1", 0);
    SAME("not 0 and 0", 0);
    SAME("1 or 1 and 0", 1);
    SAME("1+1 gt 1 and 3 lt 2+2", 1);
    SAME("not 2 lt 1", 1);
}

TEST(functions) {
    CHECK_NEAR(eval("sin(pi/2)"), 1, 0);
    CHECK_NEAR(eval("cos(180*deg)"), -1, 0);
    CHECK_NEAR(eval("tan(45*deg)"), 1, 1e-15);  // one rounding each of deg, product and tangent
    CHECK_NEAR(eval("atan2(1,1)"), 0.78539816339744831, 1e-16);
    SAME("sqrt(9)", 3);
    CHECK_NEAR(eval("exp(1)"), 2.718281828459045, 1e-15);  // an ulp
    SAME("log(1)", 0);
    SAME("abs(-3)", 3);
    SAME("min(3,1,2)", 1);
    SAME("max(3,1,2,9)", 9);
    SAME("floor(-1.5)", -2);
    SAME("clamp(5,0,3)", 3);
    SAME("clamp(-5,0,3)", 0);
    SAME("clamp(1,0,3)", 1);
    SAME("if(1 gt 2, 10, 20)", 20);
    SAME("if(0 eq 0, 1, 1/0)", 1);
    SAME("step(2,1.9)", 0);
    SAME("step(2,2)", 1);
    SAME("smooth(0,1,0.5)", 0.5);
    SAME("smooth(0,1,-1)", 0);
    SAME("smooth(0,1,2)", 1);
    SAME("smooth(2,2,1)", 0);
    SAME("smooth(2,2,2)", 1);
    SAME("smooth(1,0,0.25)", 0.84375);
}

TEST(names) {
    SAME("k", 5);
    SAME("4*k+1", 21);
    SAME("t+x*10+y*100+z*1000+s*10000", 65432);
    SAME("turn(3)", 7);
    SAME("turn(t)*k", 25);
    SAME("tip.y", 103);
    SAME("pile[2].tip.y", 104);
    SAME("tip", 11);
}

TEST(random_numbers_depend_on_seed_path_and_key) {
    sp_expr_scope scope = {.seed = 7, .path = "a"}, other = {.seed = 7, .path = "b"}, seeded = {.seed = 8, .path = "a"};
    sp_expr *a, *b, *c;
    sp_expr_env env = {0};
    used = 0;
    REQUIRE(sp__expr_compile("rand(1)", &scope, take, NULL, message, sizeof message, &a) == SP_OK);
    REQUIRE(sp__expr_compile("rand(1)", &other, take, NULL, message, sizeof message, &b) == SP_OK);
    REQUIRE(sp__expr_compile("rand(1)", &seeded, take, NULL, message, sizeof message, &c) == SP_OK);
    double x = sp__expr_eval(a, &env);
    CHECK(x >= 0 && x < 1);
    CHECK(x == sp__expr_eval(a, &env));
    CHECK(x != sp__expr_eval(b, &env));
    CHECK(x != sp__expr_eval(c, &env));
    CHECK(eval("rand(1)") != eval("rand(2)"));
}

TEST(random_numbers_have_their_moments) {
    sp_expr_scope scope = {.allow_t = true, .seed = 1, .path = ""};
    sp_expr *u, *n;
    used = 0;
    REQUIRE(sp__expr_compile("rand(t)", &scope, take, NULL, message, sizeof message, &u) == SP_OK);
    REQUIRE(sp__expr_compile("randn(t)", &scope, take, NULL, message, sizeof message, &n) == SP_OK);
    enum { COUNT = 20000 };
    double mean = 0, mean_n = 0, square_n = 0;
    for (int i = 0; i < COUNT; i++) {
        sp_expr_env env = {.t = i};
        double x = sp__expr_eval(n, &env);
        mean += sp__expr_eval(u, &env) / COUNT;
        mean_n += x / COUNT;
        square_n += x * x / COUNT;
    }
    // five standard deviations of the mean of this many: 0.289/sqrt(n), 1/sqrt(n), sqrt(2/n)
    CHECK_NEAR(mean, 0.5, 5 * 0.289 / sqrt(COUNT));
    CHECK_NEAR(mean_n, 0, 5 / sqrt(COUNT));
    CHECK_NEAR(square_n, 1, 5 * sqrt(2.0 / COUNT));
}

TEST(variables_of_an_expression) {
    CHECK(!sp__expr_uses_t(compile("1+k")) && !sp__expr_uses_x(compile("1+k")));
    CHECK(sp__expr_uses_t(compile("sin(t)")) && !sp__expr_uses_x(compile("sin(t)")));
    CHECK(sp__expr_uses_x(compile("y")) && sp__expr_uses_x(compile("s")) && !sp__expr_uses_t(compile("z")));
}

static bool refused(const char *text, const char *words) {
    sp_expr *e = compile(text);
    if (e || !strstr(message, words)) printf("  \"%s\": %s\n", text, e ? "accepted" : message);
    return !e && strstr(message, words);
}

TEST(errors_contain_message_and_position) {
    CHECK(refused("", "empty expression"));
    CHECK(refused("   ", "empty expression"));
    CHECK(refused("1+", "found the end"));
    CHECK(refused("*2", "found \"*\""));
    CHECK(refused("(1", "expected \")\""));
    CHECK(refused("1)", "expected an operator or the end at character 2"));
    CHECK(refused("1 2", "expected an operator or the end at character 3"));
    CHECK(refused("4*kk", "unknown name \"kk\" at character 3"));
    CHECK(refused("sine(1)", "did you mean \"sin\""));
    CHECK(refused("foo(1)", "unknown function \"foo\""));
    CHECK(refused("sin(1,2)", "sin needs 1 value, got 2"));
    CHECK(refused("clamp(1,2)", "clamp needs 3 values, got 2"));
    CHECK(refused("min(1)", "min needs two values"));
    CHECK(refused("sin()", "found \")\""));
    CHECK(refused("1 lt 2 lt 3", "expected an operator or the end"));
    CHECK(refused("and 1", "found \"and\""));
    CHECK(refused("x < 1", "unexpected \"<\""));
    CHECK(refused("k = 1", "unexpected \"=\""));
    CHECK(refused("1e", "malformed"));
    CHECK(refused("1e999", "malformed or too large"));
    CHECK(refused("0x10", "expected an operator"));
    CHECK(refused("tip.z", "unknown name \"tip.z\""));
    CHECK(refused("sin", "found \"sin\""));
}

TEST(variables_must_be_allowed) {
    sp_expr_scope scope = {0};
    sp_expr *e;
    CHECK(sp__expr_compile("1+t", &scope, take, NULL, message, sizeof message, &e) == SP_BAD_INPUT);
    CHECK(strstr(message, "t cannot be used here") != NULL);
    CHECK(sp__expr_compile("x", &scope, take, NULL, message, sizeof message, &e) == SP_BAD_INPUT);
    CHECK(sp__expr_compile("s", &scope, take, NULL, message, sizeof message, &e) == SP_BAD_INPUT);
    scope.allow_t = true;
    CHECK(sp__expr_compile("1+t", &scope, take, NULL, message, sizeof message, &e) == SP_OK);
}

static void repeat(char *out, const char *start, const char *piece, int n, const char *end) {
    strcpy(out, start);
    size_t used_up = strlen(start), length = strlen(piece);
    for (int i = 0; i < n; i++, used_up += length) memcpy(out + used_up, piece, length);
    strcpy(out + used_up, end);
}

TEST(limits) {
    static char text[20000];
    repeat(text, "1", "+1", 499, "");  // 999 tokens
    CHECK_NEAR(eval(text), 500, 0);
    repeat(text, "1", "+1", 600, "");
    CHECK(refused(text, "more than 1000 tokens"));
    repeat(text, "", "(", 40, "1");
    strcat(text, "))))))))))))))))))))))))))))))))))))))))");
    CHECK(eval(text) == 1 || strstr(message, "nested deeper"));
    repeat(text, "", "(", 400, "1");
    CHECK(refused(text, "nested deeper than 64"));
    repeat(text, "", "-", 900, "1");
    CHECK(refused(text, "nested deeper than 64"));
    repeat(text, "", "not ", 900, "1");
    CHECK(refused(text, "nested deeper than 64"));
    repeat(text, "1", "^1", 400, "");
    CHECK(refused(text, "nested deeper than 64"));
    repeat(text, "", "n", 5000, "");
    CHECK(refused(text, "name longer than"));
}

TEST(failed_allocations_are_reported) {
    sp_expr_scope scope = {constant, curve, probe, NULL, true, true, true, 7, "beam", NULL};
    sp_expr *e = NULL;
    used = 0;
    for (size_t capacity = 0; capacity < 400; capacity += 16) {
        used = 0;
        allowed = capacity;
        sp_status status = sp__expr_compile("turn(1)+2", &scope, take, NULL, message, sizeof message, &e);
        CHECK(status == SP_NO_MEMORY ? e == NULL : status == SP_OK && e);
        if (capacity == 0) CHECK(status == SP_NO_MEMORY);
    }
    allowed = sizeof memory;
}

// any bytes: a result or a message, never a crash; every expression that compiles also evaluates
TEST(random_texts) {
    static const char *const pieces[] = {"1", "k", "t", "x",    "(",    ")",     "+",     "-",     "*",    "/",
                                         "^", "%", ",", "sin(", "min(", "turn(", " and ", " not ", " lt ", "tip.y",
                                         ".", "[", "]", "e",    "9",    "if(",   "\x80",  "{"};
    unsigned long long state = 3;
    int compiled = 0;
    for (int n = 0; n < 20000; n++) {
        char text[400] = "";
        int length = (int)(6 * (1 + sp_test_random(&state))) + 1;
        for (int i = 0; i < length; i++) strcat(text, pieces[(int)(13.99 * (1 + sp_test_random(&state)))]);
        sp_expr *e = compile(text);
        CHECK(e || message[0]);
        if (!e) continue;
        compiled++;
        double base = 0;
        volatile double x = sp__expr_eval(e, &(sp_expr_env){.probe = slot_value, .user = &base});
        (void)x;
    }
    CHECK(compiled > 100);
}
