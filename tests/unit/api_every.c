// Checks statements of the docs and headers about the whole tree. Every function of the public headers is called in api_engine.c,
// api_mesh.c or api_io.c. The program in the README is compiled by the tests, links have targets, and folders include only lower
// layers, in the order of docs/architecture.md.
#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "test.h"

static char *read_all(const char *path) {
    char full[512];
    snprintf(full, sizeof full, "%s/%s", SP_SOURCE_DIR, path);
    FILE *f = fopen(full, "rb");
    char *text = f ? calloc(1 << 20, 1) : NULL;
    if (text && fread(text, 1, (1 << 20) - 1, f) == 0) text[0] = 0;
    if (f) fclose(f);
    return text;
}

// the name before the first bracket after `declaration`, with the bracket: "sp_world_step("
static void function_name(const char *declaration, char *name, size_t size) {
    const char *end = strchr(declaration, '('), *begin = end;
    while (begin > declaration && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_')) begin--;
    snprintf(name, size, "%.*s(", (int)(end - begin), begin);
}

static int check_header(const char *path, const char *callers) {
    char *header = read_all(path), name[100];
    int count = 0;
    if (!header) return 0;
    for (const char *s = strstr(header, "\nSP_API "); s; s = strstr(s + 1, "\nSP_API ")) {
        function_name(s, name, sizeof name);
        count++;
        if (!strstr(callers, name)) SP_TEST_FAILED("%s: nobody calls %s)", path, name);
    }
    free(header);
    return count;
}

TEST(every_public_function_is_called) {
    static const char *const headers[] = {"include/souple/base.h", "include/souple/mesh.h", "include/souple/solve.h",
                                          "include/souple/world.h", "include/souple/io.h"};
    char *engine = read_all("tests/unit/api_engine.c"), *io = read_all("tests/unit/api_io.c");
    char *mesh = read_all("tests/unit/api_mesh.c");
    REQUIRE(engine && io && mesh);
    char *both = calloc(strlen(engine) + strlen(io) + strlen(mesh) + 1, 1);
    REQUIRE(both);
    strcat(strcat(strcpy(both, engine), io), mesh);
    int count = 0;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) count += check_header(headers[i], both);
    CHECK(count > 90);  // the headers were found and read
    free(both), free(mesh), free(io), free(engine);
}

// every line between ```c and ``` in README.md occurs in the example
TEST(readme_shows_the_example) {
    char *readme = read_all("README.md"), *example = read_all("examples/beam.c");
    REQUIRE(readme && example);
    char *block = strstr(readme, "```c\n"), *end = block ? strstr(block + 5, "```") : NULL;
    REQUIRE(end);
    *end = 0;
    for (char *line = strtok(block + 5, "\n"); line; line = strtok(NULL, "\n")) {
        while (*line == ' ') line++;
        if (*line && !strstr(example, line)) SP_TEST_FAILED("README.md: not in examples/beam.c: %s", line);
    }
    free(example), free(readme);
}

// [text](target): relative targets exist, relative to the page's folder
static void check_links(const char *folder, const char *page) {
    char path[700];
    snprintf(path, sizeof path, "%s%s", folder, page);
    char *text = read_all(path);
    if (!text) return;
    for (char *s = strstr(text, "]("); s; s = strstr(s + 1, "](")) {
        char target[256];
        struct stat st;
        snprintf(target, sizeof target, "%.*s", (int)strcspn(s + 2, ")#"), s + 2);
        if (!target[0] || strstr(target, "://")) continue;
        snprintf(path, sizeof path, "%s/%s%s", SP_SOURCE_DIR, folder, target);
        if (stat(path, &st)) SP_TEST_FAILED("%s%s: the link to %s leads nowhere", folder, page, target);
    }
    free(text);
}

TEST(links_of_the_docs_have_targets) {
    check_links("", "README.md");
    DIR *docs = opendir(SP_SOURCE_DIR "/docs");
    REQUIRE(docs);
    for (struct dirent *e = readdir(docs); e; e = readdir(docs)) {
        size_t length = strlen(e->d_name);
        if (length > 3 && !strcmp(e->d_name + length - 3, ".md")) check_links("docs/", e->d_name);
    }
    closedir(docs);
}

// folders of src/ from the bottom up; the kinds of bodies share a layer
static const char *const layers[] = {"util",    "core", "math",    "mesh",  "kernels", "sparse", "backend", "linear", "map",
                                     "collide", "body", "contact", "solid", "rod",     "rigid",  "world",   "io"};
enum { LAYERS = sizeof layers / sizeof *layers };

static int layer_of(const char *path) {
    for (int i = 0; i < LAYERS; i++) {
        size_t n = strlen(layers[i]);
        if (!strncmp(path, layers[i], n) && path[n] == '/') return i;
    }
    return -1;
}

static bool is_kind(int layer) {
    return layer >= 0 && (!strcmp(layers[layer], "solid") || !strcmp(layers[layer], "rod") || !strcmp(layers[layer], "rigid"));
}

static bool may_include(int own, int other) {
    return other <= own && !(other < own && is_kind(own) && is_kind(other));
}

// the includes of one file, or of every file of a folder; returns how many files
static int check_includes(const char *path, int own) {
    char full[600];
    snprintf(full, sizeof full, "%s/%s", SP_SOURCE_DIR, path);
    DIR *folder = opendir(full);
    if (folder) {
        int count = 0;
        for (struct dirent *e = readdir(folder); e; e = readdir(folder)) {
            if (e->d_name[0] == '.') continue;
            snprintf(full, sizeof full, "%s/%s", path, e->d_name);
            count += check_includes(full, own);
        }
        closedir(folder);
        return count;
    }
    char *text = read_all(path);
    if (!text) return 0;
    for (char *s = strstr(text, "#include \""); s; s = strstr(s + 1, "#include \""))
        if (!may_include(own, layer_of(s + 10))) SP_TEST_FAILED("%s includes %.*s", path, (int)strcspn(s + 10, "\""), s + 10);
    free(text);
    return 1;
}

TEST(folders_include_only_lower_layers) {
    for (int i = 0; i < LAYERS; i++) {
        char path[64];
        snprintf(path, sizeof path, "src/%s", layers[i]);
        CHECK(check_includes(path, i) > 0);
    }
}
