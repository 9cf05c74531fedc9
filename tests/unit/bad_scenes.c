// Malformed and contradictory scenes, one mistake each, given to the built command: each must end with exit code 2 and a message
// with file and line, quickly, in bounded memory. tests/data/bad/expected.txt lists the expected messages.
#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#include "limited.h"
#include "test.h"

#define FOLDER SP_SOURCE_DIR "/tests/data/bad"

enum { ROWS_MAX = 400 };

typedef struct row {
    char folder[200], scene[80], line[16], words[160], part[200];
} row;

static row rows[ROWS_MAX];
static int row_count;

static char *trimmed(char *s) {
    while (isspace((unsigned char)*s)) s++;
    for (size_t n = strlen(s); n > 0 && isspace((unsigned char)s[n - 1]); n--) s[n - 1] = 0;
    return s;
}

static bool read_row(char *text, row *out) {
    char *field[4], *next = text;
    for (int i = 0; i < 4; i++) {
        if (!next) return false;
        field[i] = next;
        next = strchr(next, '|');
        if (next) *next++ = 0;
    }
    snprintf(out->folder, sizeof out->folder, "%s", FOLDER);
    snprintf(out->scene, sizeof out->scene, "%s", trimmed(field[0]));
    snprintf(out->line, sizeof out->line, "%s", trimmed(field[1]));
    snprintf(out->words, sizeof out->words, "%s", trimmed(field[2]));
    snprintf(out->part, sizeof out->part, "%s", trimmed(field[3]));
    return true;
}

static void read_table(void) {
    char line[600];
    FILE *f = fopen(FOLDER "/expected.txt", "r");
    if (!f || row_count) {
        if (f) fclose(f);
        return;
    }
    while (row_count < ROWS_MAX && fgets(line, sizeof line, f))
        if (line[0] != '#' && read_row(line, &rows[row_count])) row_count++;
    fclose(f);
}

// `souple VERB SCENE OPTION...`; returns the wait status
static int run_souple(const row *r, char *output) {
    char words[160], path[400], *argv[16] = {"souple"};
    int n = 1;
    snprintf(words, sizeof words, "%s", r->words);
    snprintf(path, sizeof path, "%s/%s", r->folder, r->scene);
    for (char *w = strtok(words, " "); w && n < 14; w = strtok(NULL, " ")) {
        argv[n++] = w;
        if (n == 2) argv[n++] = path;
    }
    return run_limited(argv, output);
}

// "NAME:LINE:" anywhere in the output; any number where `line` is "*", which may then be in an included file
static bool names_place(const char *output, const char *scene, const char *line) {
    char place[120];
    snprintf(place, sizeof place, "%s:%s:", scene, line);
    if (strcmp(line, "*")) return strstr(output, place) != NULL;
    for (const char *s = strstr(output, ".xml:"); s; s = strstr(s + 1, ".xml:")) {
        size_t digits = strspn(s + 5, "0123456789");
        if (digits > 0 && s[5] != '0' && s[5 + digits] == ':') return true;
    }
    return false;
}

static void check_row(const row *r) {
    static char output[LIMITED_OUTPUT];
    int status = run_souple(r, output), before = sp_test_failures;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 2)
        SP_TEST_FAILED("%s: %s %d, expected exit code 2", r->scene, WIFEXITED(status) ? "exit code" : "signal",
                       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    if (strcmp(r->line, "-") && !names_place(output, r->scene, r->line))
        SP_TEST_FAILED("%s: no message at line %s", r->scene, r->line);
    if (!strstr(output, r->part)) SP_TEST_FAILED("%s: no message contains '%s'", r->scene, r->part);
    if (strlen(output) > 20000) SP_TEST_FAILED("%s: %zu bytes of messages", r->scene, strlen(output));
    if (sp_test_failures > before) printf("  it said: %.600s\n", output);
}

TEST(every_bad_scene_is_refused_with_file_and_line) {
    read_table();
    REQUIRE(row_count >= 25);
    for (int i = 0; i < row_count; i++) check_row(&rows[i]);
}

TEST(every_bad_scene_of_the_folder_is_in_the_table) {
    read_table();
    DIR *folder = opendir(FOLDER);
    REQUIRE(folder);
    for (struct dirent *e = readdir(folder); e; e = readdir(folder)) {
        size_t length = strlen(e->d_name);
        if (length < 4 || strcmp(e->d_name + length - 4, ".xml")) continue;
        int found = 0;
        for (int i = 0; i < row_count; i++) found += !strcmp(rows[i].scene, e->d_name);
        if (!found) SP_TEST_FAILED("%s is not in expected.txt", e->d_name);
    }
    closedir(folder);
}

// a scene of nested brackets only: deeper than a reader should follow, large enough to exhaust the stack of a careless one
TEST(a_deep_file_ends_quickly) {
    char path[400];
    snprintf(path, sizeof path, "%s/deep.xml", SP_BINARY_DIR);
    FILE *f = fopen(path, "w");
    REQUIRE(f);
    for (int i = 0; i < 200000; i++) fputs("<scene>", f);
    fclose(f);
    row r = {.scene = "deep.xml", .line = "1", .words = "check", .part = ""};
    snprintf(r.folder, sizeof r.folder, "%s", SP_BINARY_DIR);
    check_row(&r);
}
