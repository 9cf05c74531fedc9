// Checks statements of the docs and headers about the whole tree. Every function of the public headers is called in api_engine.c,
// api_mesh.c or api_io.c. The program in the README is compiled by the tests, links have targets, and folders include only what
// src/layers.txt allows.
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

// the convention of souple.h: a function _at takes an index, fills a struct and returns a status
static void check_at(const char *path, const char *declaration, const char *name) {
    const char *end = strstr(declaration, ");");
    size_t length = strlen(name);
    if (length < 4 || strcmp(name + length - 4, "_at(") != 0) return;
    if (strncmp(declaration, "\nSP_API sp_status ", 18) != 0 || !end || strncmp(end - 5, " *out", 5) != 0)
        SP_TEST_FAILED("%s: %s) must return sp_status and fill *out", path, name);
}

static int check_header(const char *path, const char *callers) {
    char *header = read_all(path), name[100];
    int count = 0;
    if (!header) return 0;
    for (const char *s = strstr(header, "\nSP_API "); s; s = strstr(s + 1, "\nSP_API ")) {
        function_name(s, name, sizeof name);
        count++;
        check_at(path, s, name);
        if (!strstr(callers, name)) SP_TEST_FAILED("%s: nobody calls %s)", path, name);
    }
    free(header);
    return count;
}

TEST(every_public_function_is_called_and_follows_the_conventions) {
    static const char *const headers[] = {"include/souple/base.h",  "include/souple/mesh.h",      "include/souple/solve.h",
                                          "include/souple/body.h",  "include/souple/contact.h",   "include/souple/world.h",
                                          "include/souple/batch.h", "include/souple/extension.h", "include/souple/io.h"};
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

static void check_links_of_pages(const char *folder) {
    char path[700];
    int pages = 0;
    snprintf(path, sizeof path, "%s/%s", SP_SOURCE_DIR, folder);
    DIR *docs = opendir(path);
    REQUIRE(docs);
    for (struct dirent *e = readdir(docs); e; e = readdir(docs)) {
        size_t length = strlen(e->d_name);
        if (length > 3 && !strcmp(e->d_name + length - 3, ".md")) check_links(folder, e->d_name), pages++;
    }
    closedir(docs);
    CHECK(pages > 0);
}

TEST(links_of_the_docs_have_targets) {
    check_links("", "README.md");
    check_links("", "CONTRIBUTING.md");
    check_links_of_pages("docs/");
    check_links_of_pages("docs/decisions/");
    check_links_of_pages("docs/tutorials/");
}

// ---- src/layers.txt: who may include whom

enum { LAYERS_MAX = 32 };

typedef struct layer {
    char name[32], folder[64], rule[200];  // "none", "above", "above but rod rigid", "only util math"
} layer;

typedef struct layer_list {
    layer at[LAYERS_MAX];
    int count;
} layer_list;

static bool read_layers(layer_list *list) {
    char *text = read_all("src/layers.txt");
    list->count = 0;
    for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n")) {
        layer *l = &list->at[list->count];
        if (line[0] == '#') continue;
        if (list->count == LAYERS_MAX || sscanf(line, "%31s %63s %199[^\n]", l->name, l->folder, l->rule) != 3) {
            SP_TEST_FAILED("src/layers.txt: %s", line);
            continue;
        }
        list->count++;
    }
    free(text);
    return list->count > 0;
}

static bool rule_names(const char *rule, const char *name) {
    size_t n = strlen(name);
    for (const char *s = strstr(rule, name); s; s = strstr(s + 1, name))
        if (s > rule && s[-1] == ' ' && (s[n] == 0 || s[n] == ' ')) return true;
    return false;
}

static bool may_include(const layer_list *list, int own, int other) {
    const char *rule = list->at[own].rule, *name = list->at[other].name;
    if (other == own) return true;
    if (!strncmp(rule, "only", 4)) return rule_names(rule, name);
    return !strncmp(rule, "above", 5) && other < own && !rule_names(rule, name);
}

static bool exists_in(const char *folder, const char *include, int length) {
    char path[700];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s/%.*s", SP_SOURCE_DIR, folder, length, include);
    return stat(path, &st) == 0;
}

// an include as it is written: of the own folder ("serve/sim.h" of app, "rods.h" of bench), of include/, or of a folder of src/
static bool include_allowed(const layer_list *list, int own, const char *path, const char *include, int length) {
    char below[600];
    snprintf(below, sizeof below, "%.*s", (int)(strrchr(path, '/') - path), path);
    if (exists_in(below, include, length) || exists_in(list->at[own].folder, include, length)) return true;
    if (!strncmp(include, "souple/", 7)) return strncmp(include, "souple/io.h", 11) || own >= list->count - 4;
    if (!strncmp(include, "built_with.h", 12)) return true;  // made by the build
    for (int i = 0; i < list->count; i++) {
        size_t n = strlen(list->at[i].name);
        if (!strncmp(include, list->at[i].name, n) && include[n] == '/') return may_include(list, own, i);
    }
    return false;
}

// the includes of one file, or of every file of a folder; returns how many files
static int check_includes(const layer_list *list, const char *path, int own) {
    char full[700];
    snprintf(full, sizeof full, "%s/%s", SP_SOURCE_DIR, path);
    DIR *folder = opendir(full);
    if (folder) {
        int count = 0;
        for (struct dirent *e = readdir(folder); e; e = readdir(folder)) {
            if (e->d_name[0] == '.' || !strcmp(e->d_name, "peers")) continue;  // peers: programs around other libraries
            snprintf(full, sizeof full, "%s/%s", path, e->d_name);
            count += check_includes(list, full, own);
        }
        closedir(folder);
        return count;
    }
    char *text = read_all(path);
    if (!text) return 0;
    for (char *s = strstr(text, "#include \""); s; s = strstr(s + 1, "#include \"")) {
        int length = (int)strcspn(s + 10, "\"");
        if (!include_allowed(list, own, path, s + 10, length)) SP_TEST_FAILED("%s includes %.*s", path, length, s + 10);
    }
    free(text);
    return 1;
}

TEST(folders_include_only_what_the_layers_allow) {
    static layer_list list;
    REQUIRE(read_layers(&list));
    for (int i = 0; i < list.count; i++) CHECK(check_includes(&list, list.at[i].folder, i) > 0);
}

// every folder of src/ has its line
TEST(every_folder_of_the_sources_is_a_layer) {
    static layer_list list;
    REQUIRE(read_layers(&list));
    DIR *src = opendir(SP_SOURCE_DIR "/src");
    REQUIRE(src);
    for (struct dirent *e = readdir(src); e; e = readdir(src)) {
        bool known = e->d_name[0] == '.' || strchr(e->d_name, '.');
        for (int i = 0; i < list.count && !known; i++) known = !strcmp(list.at[i].name, e->d_name);
        if (!known) SP_TEST_FAILED("src/%s is not in src/layers.txt", e->d_name);
    }
    closedir(src);
}

TEST(the_rules_of_layers_are_read) {
    static layer_list list = {.at = {{"util", "src/util", "none"},
                                     {"rod", "src/rod", "above but solid rigid"},
                                     {"solid", "src/solid", "above but rod"},
                                     {"io", "src/io", "only util"}},
                              .count = 4};
    CHECK(may_include(&list, 1, 0) && may_include(&list, 2, 0) && may_include(&list, 3, 0));
    CHECK(!may_include(&list, 0, 1) && !may_include(&list, 2, 1) && !may_include(&list, 3, 2));
}
