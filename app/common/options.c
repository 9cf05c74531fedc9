// Command line arguments: options with values, positional arguments, help. An unknown word gets a suggestion of the nearest known
// one.
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/command.h"
#include "util/nearest.h"

bool sp__has_option(int argc, char **argv, const char *name) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0) return true;
    return false;
}

int sp__complain(const sp_arguments *a, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "souple %s: %s\n", a->command->name, text);
    if (!a->json) {
        fprintf(stderr, "`souple %s --help` says more\n", a->command->name);
        return SP_EXIT_USAGE;
    }
    sp_json j = {.file = stdout};
    sp__json_open(&j, NULL, '{');
    sp__json_text(&j, "status", "refused");
    sp__json_integer(&j, "exit", SP_EXIT_USAGE);
    sp__json_open(&j, "error", '{');
    sp__json_text(&j, "message", text);
    sp__json_close(&j, '}');
    sp__json_close(&j, '}');
    return SP_EXIT_USAGE;
}

bool sp__check_word(const sp_arguments *a, const char *what, const char *text, const char *const *known, int count) {
    char list[256] = "";
    for (int i = 0; i < count; i++) {
        if (strcmp(known[i], text) == 0) return true;
        size_t n = strlen(list);
        snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "", known[i]);
    }
    const char *near = sp__nearest(text, known, count);
    if (near)
        sp__complain(a, "unknown %s \"%s\"; did you mean \"%s\"?", what, text, near);
    else
        sp__complain(a, "unknown %s \"%s\"; known: %s", what, text, list);
    return false;
}

bool sp__read_number(const sp_arguments *a, const char *option, const char *text, double low, double high, double *out) {
    char *end;
    *out = strtod(text, &end);
    if (end != text && *end == 0 && isfinite(*out) && *out >= low && *out <= high) return true;
    sp__complain(a, "%s \"%s\": must be a number in [%g, %g]", option, text, low, high);
    return false;
}

bool sp__read_integer(const sp_arguments *a, const char *option, const char *text, long low, long high, long *out) {
    char *end;
    errno = 0;
    *out = strtol(text, &end, 10);
    if (end != text && *end == 0 && errno == 0 && *out >= low && *out <= high) return true;
    if (high == LONG_MAX)
        sp__complain(a, "%s \"%s\": must be a whole number of at least %ld", option, text, low);
    else
        sp__complain(a, "%s \"%s\": must be a whole number in [%ld, %ld]", option, text, low, high);
    return false;
}

// ---- help

static void print_option(const sp_option *o, FILE *file) {
    char head[64];
    snprintf(head, sizeof head, "%s %s", o->name, o->values ? o->values : "");
    fprintf(file, "  %-24s %s\n", head, o->meaning);
}

void sp__print_help(const sp_command *c, FILE *file) {
    fprintf(file, "souple %s %s%s\n\n%s.\n", c->name, c->arguments, c->option_count ? " [options]" : "", c->summary);
    if (c->text) fprintf(file, "%s\n", c->text);
    if (c->option_count) fprintf(file, "\noptions:\n");
    for (int i = 0; i < c->option_count; i++) print_option(&c->options[i], file);
    if (c->examples) fprintf(file, "\nexamples:\n%s", c->examples);
}

// ---- reading

static int count_values(const sp_option *o) {
    int n = 0;
    for (const char *c = o->values; c && *c; n++) {
        c += strcspn(c, " ");
        c += strspn(c, " ");
    }
    return n;
}

static const sp_option *find_option(const sp_arguments *a, const char *text, size_t length) {
    for (int i = 0; i < a->command->option_count; i++) {
        const sp_option *o = &a->command->options[i];
        if (strlen(o->name) == length && memcmp(o->name, text, length) == 0) return o;
    }
    return NULL;
}

static int unknown_option(const sp_arguments *a, const char *text) {
    const char *known[40];
    char word[64];
    int n = 0;
    for (int i = 0; i < a->command->option_count && n < 39; i++) known[n++] = a->command->options[i].name;
    known[n++] = "--help";
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text, "="), text);
    const char *near = sp__nearest(word, known, n);
    if (near) return sp__complain(a, "unknown option \"%s\"; did you mean \"%s\"?", word, near);
    return sp__complain(a, "unknown option \"%s\"", word);
}

// reads one option at argv[*i]; moves *i to its last value
static int read_option(sp_arguments *a, int argc, char **argv, int *i) {
    char *text = argv[*i], *equals = strchr(text, '=');
    const sp_option *o = find_option(a, text, equals ? (size_t)(equals - text) : strlen(text));
    if (!o) return unknown_option(a, text);
    int wanted = count_values(o), option = (int)(o - a->command->options);
    char *values[4] = {0};
    if (equals && wanted != 1) return sp__complain(a, "%s takes %s", o->name, wanted ? o->values : "no value");
    if (equals)
        values[0] = equals + 1;
    else
        for (int k = 0; k < wanted; k++) {
            if (*i + 1 >= argc) return sp__complain(a, "%s needs %s after it", o->name, o->values);
            values[k] = argv[++*i];
        }
    return a->take(a, option, values) ? -1 : SP_EXIT_USAGE;
}

int sp__read_arguments(sp_arguments *a, int argc, char **argv) {
    a->json = sp__has_option(argc, argv, "--json") && find_option(a, "--json", 6);
    bool options = true;
    for (int i = 1; i < argc; i++) {
        if (options && (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)) {
            sp__print_help(a->command, stdout);
            return SP_EXIT_DONE;
        }
        if (options && strcmp(argv[i], "--") == 0) {
            options = false;
        } else if (options && argv[i][0] == '-' && argv[i][1]) {
            int code = read_option(a, argc, argv, &i);
            if (code >= 0) return code;
        } else if (a->word_count < a->word_limit) {
            a->words[a->word_count++] = argv[i];
        } else {
            return sp__complain(a, "\"%s\" is one word too many", argv[i]);
        }
    }
    return -1;
}
