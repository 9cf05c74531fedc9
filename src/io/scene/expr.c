// Expressions: a recursive descent parser that emits code for a small stack machine. Compilation bounds tokens, nesting and
// stack, so evaluation needs no checks and no memory. Everything is pure: both branches of an if are evaluated and one is
// selected.
#include "io/scene/expr.h"

#include <stdarg.h>
#include <stdio.h>

#include "io/file/text_file.h"
#include "math/vec3.h"

enum { MAX_TOKENS = 1000, MAX_NESTING = 64, MAX_STACK = 128, MAX_NAME = 200, MAX_ARGS = 8 };

typedef enum op {
    OP_PUSH,
    OP_T,
    OP_X,
    OP_Y,
    OP_Z,
    OP_S,
    OP_PROBE,
    OP_CURVE,
    OP_NEG,
    OP_NOT,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_MOD,
    OP_POW,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_EQ,
    OP_NE,
    OP_AND,
    OP_OR,
    OP_SIN,
    OP_COS,
    OP_TAN,
    OP_ATAN2,
    OP_SQRT,
    OP_EXP,
    OP_LOG,
    OP_ABS,
    OP_MIN,
    OP_MAX,
    OP_FLOOR,
    OP_CLAMP,
    OP_IF,
    OP_STEP,
    OP_SMOOTH,
    OP_RAND,
    OP_RANDN
} op;

typedef struct curve_call {
    double (*eval)(const void *data, double x);
    const void *data;
} curve_call;

typedef struct instruction {
    op op;
    union {
        double value;             // OP_PUSH
        int slot;                 // OP_PROBE
        const curve_call *curve;  // OP_CURVE
    } u;
} instruction;

struct sp_expr {
    uint64_t key;  // hash of seed and path, for rand
    int count;
    bool uses_t, uses_x;
    instruction code[];
};

typedef struct function {
    const char *name;
    op op;
    int args;  // number of arguments; -1: two or more, folded in pairs
} function;

static const function functions[] = {
    {"sin", OP_SIN, 1},     {"cos", OP_COS, 1},     {"tan", OP_TAN, 1}, {"atan2", OP_ATAN2, 2}, {"sqrt", OP_SQRT, 1},
    {"exp", OP_EXP, 1},     {"log", OP_LOG, 1},     {"abs", OP_ABS, 1}, {"min", OP_MIN, -1},    {"max", OP_MAX, -1},
    {"floor", OP_FLOOR, 1}, {"clamp", OP_CLAMP, 3}, {"if", OP_IF, 3},   {"step", OP_STEP, 2},   {"smooth", OP_SMOOTH, 3},
    {"rand", OP_RAND, 1},   {"randn", OP_RANDN, 1},
};
enum { FUNCTION_COUNT = sizeof functions / sizeof functions[0] };

typedef struct word_op {
    const char *name;
    op op;
} word_op;

static const word_op comparisons[] = {{"lt", OP_LT}, {"le", OP_LE}, {"gt", OP_GT}, {"ge", OP_GE}, {"eq", OP_EQ}, {"ne", OP_NE}};

// ---------------------------------------------------------------------------------------------- tokens

typedef enum token_kind { TOKEN_END, TOKEN_NUMBER, TOKEN_NAME, TOKEN_SIGN } token_kind;

typedef struct parser {
    const char *text, *at;  // `at` is after the current token
    const char *start;      // of the current token, for messages
    token_kind kind;
    double number;
    char name[MAX_NAME + 1];
    char sign;
    int tokens, nesting, depth;  // depth: stack depth after the code so far
    const sp_expr_scope *scope;
    void *(*alloc)(void *user, size_t n, size_t size);
    void *alloc_user;
    bool no_memory;
    char *message;
    size_t message_size;
    bool failed;
    int count;
    bool uses_t, uses_x;
    instruction code[MAX_TOKENS + 1];
} parser;

SP_PRINTF(2, 3) static void fail(parser *p, const char *format, ...) {
    if (p->failed) return;
    p->failed = true;
    p->kind = TOKEN_END;
    if (p->message_size == 0) return;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(p->message, p->message_size, format, args);
    va_end(args);
    if (n >= 0 && (size_t)n < p->message_size) {
        int place = (int)(p->start - p->text) + 1;
        snprintf(p->message + n, p->message_size - (size_t)n, " at character %d", place);
    }
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void read_number(parser *p) {
    const char *end = sp__scan_double(p->start, &p->number);
    p->kind = TOKEN_NUMBER;
    if (end)
        p->at = end;
    else
        fail(p, "malformed or too large number");
}

// a dotted or indexed name, "pile[3].tip.y", is the value of a probe
static void read_name(parser *p) {
    const char *s = p->start;
    for (;;) {
        while (is_letter(*s) || is_digit(*s)) s++;
        if (*s == '[' && is_digit(s[1])) {
            s++;
            while (is_digit(*s)) s++;
            if (*s != ']') break;
            s++;
        }
        if (*s != '.' || !is_letter(s[1])) break;
        s++;
    }
    size_t n = (size_t)(s - p->start);
    p->kind = TOKEN_NAME;
    p->at = s;
    if (n > MAX_NAME) {
        fail(p, "name longer than %d characters", MAX_NAME);
        return;
    }
    memcpy(p->name, p->start, n);
    p->name[n] = 0;
}

static void next(parser *p) {
    if (p->failed) return;
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r') p->at++;
    p->start = p->at;
    char c = *p->at;
    if (c == 0) {
        p->kind = TOKEN_END;
        return;
    }
    if (++p->tokens > MAX_TOKENS) {
        fail(p, "expression of more than %d tokens", MAX_TOKENS);
    } else if (is_digit(c) || (c == '.' && is_digit(p->at[1]))) {
        read_number(p);
    } else if (is_letter(c)) {
        read_name(p);
    } else if (strchr("+-*/%^(),", c)) {
        p->kind = TOKEN_SIGN;
        p->sign = c;
        p->at++;
    } else {
        fail(p, "unexpected \"%c\"", c >= 32 && c < 127 ? c : '?');
    }
}

static bool take_sign(parser *p, char sign) {
    if (p->kind != TOKEN_SIGN || p->sign != sign) return false;
    next(p);
    return true;
}

static bool take_word(parser *p, const char *word) {
    if (p->kind != TOKEN_NAME || strcmp(p->name, word) != 0) return false;
    next(p);
    return true;
}

static void expect_sign(parser *p, char sign) {
    if (!take_sign(p, sign)) fail(p, "expected \"%c\"", sign);
}

// ---------------------------------------------------------------------------------------------- code

// `net` is the change of the stack depth. Every instruction comes from a token of its own, so the code cannot overflow
static instruction *emit(parser *p, op o, int net) {
    static instruction nowhere;
    if (p->failed) return &nowhere;
    p->depth += net;
    if (p->depth > MAX_STACK || p->count > MAX_TOKENS) {
        fail(p, "expression too deep");
        return &nowhere;
    }
    instruction *i = &p->code[p->count++];
    *i = (instruction){.op = o};
    return i;
}

static void expr_push(parser *p, double value) {
    emit(p, OP_PUSH, 1)->u.value = value;
}

static void expression(parser *p);

static void function_call(parser *p, const function *f, const char *name) {
    int args = 0;
    do {
        expression(p);
        args++;
        if (f->args < 0 && args >= 2) emit(p, f->op, -1);
    } while (!p->failed && take_sign(p, ',') && args < MAX_ARGS);
    expect_sign(p, ')');
    if (f->args < 0) {
        if (args < 2) fail(p, "%s needs two values or more", name);
    } else if (args != f->args) {
        fail(p, "%s needs %d value%s, got %d", name, f->args, f->args == 1 ? "" : "s", args);
    } else {
        emit(p, f->op, 1 - args);
    }
}

static void unknown_name(parser *p, const char *name, bool call) {
    const char *near = NULL;
    for (int i = 0; call && i < FUNCTION_COUNT && !near; i++)
        if (strncmp(functions[i].name, name, 3) == 0) near = functions[i].name;
    if (!near && p->scope->nearest) near = p->scope->nearest(p->scope->user, name);
    if (near)
        fail(p, "unknown %s \"%s\" (did you mean \"%s\"?)", call ? "function" : "name", name, near);
    else
        fail(p, "unknown %s \"%s\"", call ? "function" : "name", name);
}

static void call(parser *p, const char *name) {
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        if (strcmp(functions[i].name, name) == 0) {
            function_call(p, &functions[i], name);
            return;
        }
    }
    double (*eval)(const void *, double);
    const void *data;
    if (!p->scope->curve || !p->scope->curve(p->scope->user, name, &eval, &data)) {
        unknown_name(p, name, true);
        return;
    }
    expression(p);
    expect_sign(p, ')');
    curve_call *c = p->failed ? NULL : p->alloc(p->alloc_user, 1, sizeof *c);
    if (!c) {
        p->no_memory = !p->failed;
        fail(p, "no memory");
        return;
    }
    *c = (curve_call){eval, data};
    emit(p, OP_CURVE, 0)->u.curve = c;
}

static bool expr_allowed(const sp_expr_scope *scope, const char *name) {
    if (name[1] || !strchr("txyzs", name[0])) return false;
    return name[0] == 't' ? scope->allow_t : name[0] == 's' ? scope->allow_s : scope->allow_x;
}

static bool running_variable(parser *p, const char *name) {
    static const struct {
        char name;
        op op;
    } variables[] = {{'t', OP_T}, {'x', OP_X}, {'y', OP_Y}, {'z', OP_Z}, {'s', OP_S}};
    if (name[1]) return false;
    for (int i = 0; i < 5; i++) {
        if (variables[i].name != name[0]) continue;
        if (!expr_allowed(p->scope, name)) fail(p, "%s cannot be used here", name);
        if (i == 0)
            p->uses_t = true;
        else
            p->uses_x = true;
        emit(p, variables[i].op, 1);
        return true;
    }
    return false;
}

static void name_value(parser *p, const char *name) {
    double value;
    int slot;
    // if x is not a coordinate here, it may be the name of a table column
    bool constant = p->scope->constant && !expr_allowed(p->scope, name) && p->scope->constant(p->scope->user, name, &value);
    if (!constant && running_variable(p, name)) return;
    if (constant) {
        expr_push(p, value);
    } else if (strcmp(name, "pi") == 0) {
        expr_push(p, SP_PI);
    } else if (strcmp(name, "deg") == 0) {
        expr_push(p, SP_PI / 180);
    } else if (p->scope->probe && p->scope->probe(p->scope->user, name, &slot)) {
        emit(p, OP_PROBE, 1)->u.slot = slot;
    } else {
        unknown_name(p, name, false);
    }
}

static bool reserved(const char *name) {
    return sp__expr_reserved(name) && strlen(name) > 1 && strcmp(name, "pi") != 0 && strcmp(name, "deg") != 0;
}

static void primary(parser *p) {
    char name[MAX_NAME + 1];
    if (p->kind == TOKEN_NUMBER) {
        double value = p->number;
        next(p);
        expr_push(p, value);
    } else if (p->kind == TOKEN_NAME) {
        const char *start = p->start;
        memcpy(name, p->name, sizeof name);
        next(p);
        const char *after = p->start;
        bool is_call = p->kind == TOKEN_SIGN && p->sign == '(';
        p->start = start;  // errors refer to the name
        if (is_call) {
            next(p);
            call(p, name);
        } else if (!p->failed) {
            if (reserved(name))
                fail(p, "expected a value, found \"%s\"", name);
            else
                name_value(p, name);
            if (!p->failed) p->start = after;
        }
    } else if (take_sign(p, '(')) {
        expression(p);
        expect_sign(p, ')');
    } else if (p->kind == TOKEN_END) {
        fail(p, "expected a value, found the end");
    } else {
        fail(p, "expected a value, found \"%c\"", p->sign);
    }
}

static void unary(parser *p);

// right associative, and binds tighter than a sign before it: -2^2 = -4, 2^-1 = 0.5
static void power(parser *p) {
    primary(p);
    if (take_sign(p, '^')) {
        unary(p);
        emit(p, OP_POW, -1);
    }
}

// all nesting passes through here: this is where the recursion depth is limited
static void unary(parser *p) {
    if (++p->nesting > MAX_NESTING) {
        fail(p, "expression nested deeper than %d", MAX_NESTING);
    } else if (take_sign(p, '-')) {
        unary(p);
        emit(p, OP_NEG, 0);
    } else if (take_sign(p, '+')) {
        unary(p);
    } else {
        power(p);
    }
    p->nesting--;
}

static void product(parser *p) {
    unary(p);
    while (!p->failed) {
        op o;
        if (take_sign(p, '*'))
            o = OP_MUL;
        else if (take_sign(p, '/'))
            o = OP_DIV;
        else if (take_sign(p, '%'))
            o = OP_MOD;
        else
            return;
        unary(p);
        emit(p, o, -1);
    }
}

static void sum(parser *p) {
    product(p);
    while (!p->failed) {
        op o;
        if (take_sign(p, '+'))
            o = OP_ADD;
        else if (take_sign(p, '-'))
            o = OP_SUB;
        else
            return;
        product(p);
        emit(p, o, -1);
    }
}

// comparisons do not chain: "a lt b lt c" would be misleading
static void comparison(parser *p) {
    sum(p);
    for (int i = 0; i < 6; i++) {
        if (!take_word(p, comparisons[i].name)) continue;
        sum(p);
        emit(p, comparisons[i].op, -1);
        return;
    }
}

static void negation(parser *p) {
    if (++p->nesting > MAX_NESTING) {
        fail(p, "expression nested deeper than %d", MAX_NESTING);
    } else if (take_word(p, "not")) {
        negation(p);
        emit(p, OP_NOT, 0);
    } else {
        comparison(p);
    }
    p->nesting--;
}

static void conjunction(parser *p) {
    negation(p);
    while (!p->failed && take_word(p, "and")) {
        negation(p);
        emit(p, OP_AND, -1);
    }
}

static void expression(parser *p) {
    conjunction(p);
    while (!p->failed && take_word(p, "or")) {
        conjunction(p);
        emit(p, OP_OR, -1);
    }
}

static uint64_t hash_text(const char *text) {
    uint64_t h = 0xCBF29CE484222325ull;
    for (; text && *text; text++) h = (h ^ (unsigned char)*text) * 0x100000001B3ull;
    return h;
}

sp_status sp__expr_compile(const char *text, const sp_expr_scope *scope, void *(*alloc)(void *user, size_t n, size_t size),
                           void *alloc_user, char *message, size_t message_size, sp_expr **out) {
    *out = NULL;
    if (message_size) message[0] = 0;
    // 16 kB on the stack for a short time; memory from the caller's allocator would stay allocated
    parser p = {.text = text, .at = text, .start = text, .scope = scope, .message = message, .message_size = message_size};
    p.alloc = alloc;
    p.alloc_user = alloc_user;
    next(&p);
    if (!p.failed && p.kind == TOKEN_END) fail(&p, "empty expression");
    expression(&p);
    if (!p.failed && p.kind != TOKEN_END) fail(&p, "expected an operator or the end");
    if (p.failed) return p.no_memory ? SP_NO_MEMORY : SP_BAD_INPUT;
    sp_expr *e = alloc(alloc_user, 1, sizeof *e + (size_t)p.count * sizeof p.code[0]);
    if (!e) return SP_NO_MEMORY;
    e->key = sp__mix(hash_text(scope->path), scope->seed);
    e->count = p.count;
    e->uses_t = p.uses_t;
    e->uses_x = p.uses_x;
    memcpy(e->code, p.code, (size_t)p.count * sizeof p.code[0]);
    *out = e;
    return SP_OK;
}

bool sp__expr_reserved(const char *name) {
    static const char *const words[] = {"t",  "x",  "y",  "z",  "s",  "i",  "n",   "pi", "deg",
                                        "lt", "le", "gt", "ge", "eq", "ne", "and", "or", "not"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i], name) == 0) return true;
    for (int i = 0; i < FUNCTION_COUNT; i++)
        if (strcmp(functions[i].name, name) == 0) return true;
    return false;
}

// ---------------------------------------------------------------------------------------------- evaluation

// uniform in [0, 1), from the key and the bits of k
static double expr_uniform(uint64_t key, double k, uint64_t stream) {
    uint64_t bits;
    double plain = k + 0.0;  // -0 and 0 give the same number
    memcpy(&bits, &plain, sizeof bits);
    return (double)(sp__mix(sp__mix(bits, key), stream) >> 11) * (1.0 / 9007199254740992.0);
}

// normal distribution by Box and Muller 1958
static double normal(uint64_t key, double k) {
    double u = 1 - expr_uniform(key, k, 1), v = expr_uniform(key, k, 2);
    return sqrt(-2 * log(u)) * cos(2 * SP_PI * v);
}

// the result has the sign of the divisor, so that t % T is periodic for negative t too
static double modulo(double a, double b) {
    double r = fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static double clamp(double x, double a, double b) {
    return x < a ? a : x > b ? b : x;
}

static double expr_smooth(double a, double b, double x) {
    if (a == b) return x < a ? 0 : 1;
    double u = clamp((x - a) / (b - a), 0, 1);
    return u * u * (3 - 2 * u);
}

static double binary(op o, double a, double b) {
    switch (o) {
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_MUL: return a * b;
    case OP_DIV: return a / b;
    case OP_MOD: return modulo(a, b);
    case OP_POW: return pow(a, b);
    case OP_LT: return a < b;
    case OP_LE: return a <= b;
    case OP_GT: return a > b;
    case OP_GE: return a >= b;
    case OP_EQ: return a == b;
    case OP_NE: return a != b;
    case OP_AND: return a != 0 && b != 0;
    case OP_OR: return a != 0 || b != 0;
    case OP_ATAN2: return atan2(a, b);
    case OP_MIN: return a < b ? a : b;
    case OP_MAX: return a > b ? a : b;
    default: return b < a ? 0 : 1;  // OP_STEP
    }
}

static double single(op o, double a, uint64_t key) {
    switch (o) {
    case OP_NEG: return -a;
    case OP_NOT: return a == 0;
    case OP_SIN: return sin(a);
    case OP_COS: return cos(a);
    case OP_TAN: return tan(a);
    case OP_SQRT: return sqrt(a);
    case OP_EXP: return exp(a);
    case OP_LOG: return log(a);
    case OP_ABS: return fabs(a);
    case OP_FLOOR: return floor(a);
    case OP_RAND: return expr_uniform(key, a, 0);
    default: return normal(key, a);  // OP_RANDN
    }
}

double sp__expr_eval(const sp_expr *e, const sp_expr_env *env) {
    double stack[MAX_STACK + 1];
    int top = -1;
    for (const instruction *i = e->code, *end = i + e->count; i < end; i++) {
        switch (i->op) {
        case OP_PUSH: stack[++top] = i->u.value; break;
        case OP_T: stack[++top] = env->t; break;
        case OP_X: stack[++top] = env->x; break;
        case OP_Y: stack[++top] = env->y; break;
        case OP_Z: stack[++top] = env->z; break;
        case OP_S: stack[++top] = env->s; break;
        case OP_PROBE: stack[++top] = env->probe ? env->probe(env->user, i->u.slot) : 0; break;
        case OP_CURVE: stack[top] = i->u.curve->eval(i->u.curve->data, stack[top]); break;
        case OP_CLAMP:
            top -= 2;
            stack[top] = clamp(stack[top], stack[top + 1], stack[top + 2]);
            break;
        case OP_IF:
            top -= 2;
            stack[top] = stack[top] != 0 ? stack[top + 1] : stack[top + 2];
            break;
        case OP_SMOOTH:
            top -= 2;
            stack[top] = expr_smooth(stack[top], stack[top + 1], stack[top + 2]);
            break;
        case OP_NEG:
        case OP_NOT:
        case OP_SIN:
        case OP_COS:
        case OP_TAN:
        case OP_SQRT:
        case OP_EXP:
        case OP_LOG:
        case OP_ABS:
        case OP_FLOOR:
        case OP_RAND:
        case OP_RANDN: stack[top] = single(i->op, stack[top], e->key); break;
        default: top--; stack[top] = binary(i->op, stack[top], stack[top + 1]);
        }
    }
    return stack[0];
}

bool sp__expr_uses_t(const sp_expr *e) {
    return e->uses_t;
}

bool sp__expr_uses_x(const sp_expr *e) {
    return e->uses_x;
}
