// The command: selects the subcommand, and prints help about all of them.
#include <stdlib.h>
#include <string.h>

#include "built_with.h"
#include "common/command.h"
#include "help/manual.h"
#include "util/nearest.h"

static int version_main(const sp_command *command, int argc, char **argv) {
    if (sp__has_option(argc, argv, "--help")) {
        sp__print_help(command, stdout);
        return SP_EXIT_DONE;
    }
    printf("souple %s\n", SP_VERSION_TEXT);
    for (int i = 0; sp_backend_name(i); i++) {
        const char *detail = sp_backend_detail(sp_backend_name(i));
        printf("  backend %s%s%s\n", sp_backend_name(i), detail ? ": " : "", detail ? detail : "");
    }
    if (*SP_BUILT_WITH) printf("  built with %s\n", SP_BUILT_WITH);
    if (*SP_BUILT_WITHOUT) printf("  built without %s\n", SP_BUILT_WITHOUT);
    return SP_EXIT_DONE;
}

static const sp_command version = {
    .name = "version", .arguments = "", .summary = "Print the version and what it was built with", .main = version_main};

static int help_main(const sp_command *command, int argc, char **argv);
static const sp_command help = {.name = "help",
                                .arguments = "[COMMAND]",
                                .summary = "Explain a command",
                                .examples = "  souple help run\n",
                                .main = help_main};

static const sp_command *const commands[] = {&sp__command_run,
                                             &sp__command_check,
                                             &sp__command_list,
                                             &sp__command_render,
                                             &sp__command_mesh,
                                             &sp__command_import,
                                             &sp__command_export,
                                             &sp__command_report,
                                             &sp__command_sweep,
                                             &sp__command_view,
                                             &sp__command_bench,
                                             &version,
                                             &help};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void overview(FILE *file) {
    fprintf(file, "souple %s: soft bodies that are touched and squeezed\n\nusage: souple COMMAND ...\n\n", SP_VERSION_TEXT);
    for (int i = 0; i < COMMANDS; i++) fprintf(file, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(file, "\n`souple COMMAND --help` says more. Start with:\n\n"
                  "  souple list scenes\n"
                  "  souple run scenes/peers/beam-4.xml --png beam.png\n"
                  "  souple view scenes/dance.xml\n");
}

static const sp_command *find(const char *name) {
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

static int unknown(const char *name) {
    const char *names[COMMANDS];
    for (int i = 0; i < COMMANDS; i++) names[i] = commands[i]->name;
    const char *near = sp__nearest(name, names, COMMANDS);
    fprintf(stderr, "souple: unknown command \"%s\"", name);
    if (near)
        fprintf(stderr, "; did you mean \"%s\"?\n", near);
    else
        fprintf(stderr, "; `souple help` lists them\n");
    return SP_EXIT_USAGE;
}

// used by the build: `--man-names`, `--man NAME`, `--completion SHELL`
static int print_manual(int argc, char **argv) {
    const sp_commands all = {commands, COMMANDS};
    if (strcmp(argv[1], "--man-names") == 0) return sp__print_man_names(&all, stdout), SP_EXIT_DONE;
    if (argc > 2 && strcmp(argv[1], "--man") == 0 && sp__print_man(&all, argv[2], stdout)) return SP_EXIT_DONE;
    if (argc > 2 && strcmp(argv[1], "--completion") == 0 && sp__print_completion(&all, argv[2], stdout)) return SP_EXIT_DONE;
    fprintf(stderr, "souple help: --man-names, --man NAME or --completion bash|zsh|fish\n");
    return SP_EXIT_USAGE;
}

static int help_main(const sp_command *command, int argc, char **argv) {
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        sp__print_help(command, stdout);
        return SP_EXIT_DONE;
    }
    if (argc > 1 && argv[1][0] == '-') return print_manual(argc, argv);
    const sp_command *about = argc > 1 ? find(argv[1]) : NULL;
    if (argc > 1 && !about) return unknown(argv[1]);
    // `souple help mesh info`
    for (int i = 0; argc > 2 && i < about->part_count; i++)
        if (strcmp(strchr(about->parts[i]->name, ' ') + 1, argv[2]) == 0) {
            sp__print_help(about->parts[i], stdout);
            return SP_EXIT_DONE;
        }
    if (about)
        sp__print_help(about, stdout);
    else
        overview(stdout);
    return SP_EXIT_DONE;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        overview(stderr);
        return SP_EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
    if (strcmp(name, "--version") == 0) name = "version";
    const sp_command *command = find(name);
    if (!command) return unknown(name);
    int code = command->main(command, argc - 1, argv + 1);
    if (fflush(stdout) != 0 && code == SP_EXIT_DONE) code = SP_EXIT_FAILED;
    return code;
}
