// Every symbol of the public headers has a sentence: a `///` comment directly above its declaration, or `///<` behind it.
#include <dirent.h>
#include <stdbool.h>

#include "test.h"

enum { HEADER_MAX = 1 << 20 };

static char header_text[HEADER_MAX];

static bool read_header(const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/include/souple/%s", SP_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(header_text, 1, sizeof header_text - 1, file) : 0;
    header_text[n] = 0;
    if (file) fclose(file);
    return n > 0 && n < sizeof header_text - 1;
}

static bool starts_with(const char *line, const char *word) {
    return strncmp(line, word, strlen(word)) == 0;
}

// The end of a declaration: of a function the line with its semicolon, of a type its first line.
static const char *declaration_end(const char *line) {
    const char *end = starts_with(line, "SP_API ") ? strchr(line, ';') : line;
    return end ? end + strcspn(end, "\n") : line + strlen(line);
}

// Prints the declarations of the header that was read which have no sentence, and counts all.
static int undocumented_symbols(const char *name, int *symbols) {
    int missing = 0, number = 1;
    bool sentence_above = false;
    for (const char *line = header_text; *line; number++) {
        size_t length = strcspn(line, "\n");
        if (starts_with(line, "SP_API ") || starts_with(line, "typedef ")) {
            const char *end = declaration_end(line), *behind = strstr(line, "///<");
            bool sentence = sentence_above || (behind && behind < end);
            if (!sentence) printf("  include/souple/%s:%d: no sentence: %.*s\n", name, number, (int)length, line);
            missing += !sentence;
            ++*symbols;
        }
        // a comment of its own, with words in it
        sentence_above = starts_with(line, "/// ") && length > 8;
        line += length;
        if (*line) line++;
    }
    return missing;
}

TEST(every_public_symbol_has_a_sentence) {
    DIR *folder = opendir(SP_SOURCE_DIR "/include/souple");
    int missing = 0, symbols = 0;
    REQUIRE(folder);
    for (struct dirent *e = readdir(folder); e; e = readdir(folder)) {
        const char *ending = strrchr(e->d_name, '.');
        if (!ending || strcmp(ending, ".h")) continue;
        CHECK(read_header(e->d_name));
        missing += undocumented_symbols(e->d_name, &symbols);
    }
    closedir(folder);
    CHECK_INT(missing, 0);
    CHECK(symbols > 250);
}

// the rule itself
TEST(a_symbol_without_a_sentence_is_found) {
    int symbols = 0;
    strcpy(header_text,
           "/// A sentence.\nSP_API int sp_a(void);\nSP_API int sp_b(void);\nSP_API int sp_c(int x,\n    int y);  ///< behind\n\n"
           "typedef struct sp_d sp_d;\n///\ntypedef int sp_e;\n");
    CHECK_INT(undocumented_symbols("(made up, three are expected)", &symbols), 3);
    CHECK_INT(symbols, 5);
}
