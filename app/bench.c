// `souple bench`: starts the program souple-bench, which measures with what is inside the engine, with the same arguments.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/command.h"
#include "common/files.h"
#include "util/json_read.h"

static bool bench_missing(void) {
    fprintf(stderr, "souple bench: the program souple-bench was not found, neither next to souple nor in ../libexec/souple\n");
    return false;
}

// path of souple-bench; it receives the path of this command in SOUPLE_PROGRAM
static bool bench_find(char *path) {
    char own[PATH_MAX], folder[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    if (n <= 0) return bench_missing();
    own[n] = 0;
    setenv("SOUPLE_PROGRAM", own, 1);
    if (!sp__folder_of(own, folder)) return bench_missing();
    if (snprintf(path, PATH_MAX, "%s/souple-bench", folder) < PATH_MAX && access(path, X_OK) == 0) return true;
    if (snprintf(path, PATH_MAX, "%s/../libexec/souple/souple-bench", folder) < PATH_MAX && access(path, X_OK) == 0) return true;
    return bench_missing();
}

static int bench_main(const sp_command *command, int argc, char **argv) {
    char path[PATH_MAX];
    if (sp__has_option(argc, argv, "--help") || sp__has_option(argc, argv, "-h")) {
        sp__print_help(command, stdout);
        return SP_EXIT_DONE;
    }
    if (!bench_find(path)) return SP_EXIT_FAILED;
    fflush(stdout);
    execv(path, argv);
    fprintf(stderr, "souple bench: cannot start %s: %s\n", path, strerror(errno));
    return SP_EXIT_FAILED;
}

// all that the program prints about itself; NULL: none. Free it
static char *bench_read_list(const char *path) {
    char line[PATH_MAX + 16], *text = NULL;
    size_t size = 0, n = 0;
    if (strchr(path, '\'') || snprintf(line, sizeof line, "'%s' --json", path) >= (int)sizeof line) return NULL;
    FILE *in = popen(line, "r");
    if (!in) return NULL;
    do {
        char *more = realloc(text, size + n + 4096);
        if (!more) break;
        text = more, size += n;
    } while ((n = fread(text + size, 1, 4095, in)) > 0);
    if (text) text[size] = 0;
    if (pclose(in) == 0) return text;
    free(text);
    return NULL;
}

bool sp__bench_list(void (*add)(void *user, const char *name, const char *what), void *user) {
    char path[PATH_MAX], *text = bench_find(path) ? bench_read_list(path) : NULL;
    sp_json_tree tree = {0};
    bool good = text && sp__json_parse(&tree, text, strlen(text));
    const sp_json_value *list = good ? sp__json_get(tree.root, "benches") : NULL;
    for (const sp_json_value *b = list ? list->first : NULL; b; b = b->next)
        add(user, sp__json_get_text(b, "name"), sp__json_get_text(b, "what"));
    sp__json_free(&tree);
    free(text);
    return good;
}

static const sp_option bench_options[] = {
    {"--json", NULL, "one JSON object on stdout"},
    {"--quick", NULL, "fewer and smaller cases"},
    {"--threads", "N", "threads of the columns for all threads, 1..64"},
    {"--dump", "DIR", "write the meshes and the report there"},
    {"--problem", "FILE...", "friction: solve these FCLIB files instead of generated problems"},
    {"--out", "DIR", "friction: write each problem there with its solution"},
};

const sp_command sp__command_bench = {
    .name = "bench",
    .arguments = "[NAME]",
    .summary = "Measure speed, each bench with its references in the same run; without a name: list the benches",
    .options = bench_options,
    .option_count = sizeof bench_options / sizeof bench_options[0],
    .examples = "  souple bench step\n"
                "  souple bench beam --quick --json\n"
                "  souple bench friction --problem stack.hdf5 --out solved\n",
    .main = bench_main,
};
