// `souple import`: a scene of SOFA as a scene of Souple, with a table of what became of each component.
#include <string.h>

#include "common/command.h"
#include "common/files.h"

enum { OUT, SHARE, TIME, ALL, STRICT, JSON };

static const sp_option options[] = {
    [OUT] = {"-o", "FILE",
             "the new scene; mesh files that it needs go beside it. Without: it is printed, and no file is written"},
    [SHARE] = {"--share", "DIR", "a further folder with SOFA's mesh files; may be repeated"},
    [TIME] = {"--time", "T", "time at which the new scene stops [s]; default 1"},
    [ALL] = {"--all", NULL, "the table lists every component, not only what differs or was left out"},
    [STRICT] = {"--strict", NULL, "exit code 1 if anything was left out; the files are written all the same"},
    [JSON] = {"--json", NULL, "the table as one JSON object"},
};

typedef struct import_args {
    const char *out, *share[SP_LIST_MAX];
    int share_count;
    double time;
    bool all, strict, json;
} import_args;

static bool import_take(sp_arguments *a, int option, char **values) {
    import_args *args = a->user;
    switch (option) {
    case OUT: return args->out = values[0], true;
    case TIME: return sp__read_number(a, "--time", values[0], 1e-9, 1e9, &args->time);
    case ALL: return args->all = true;
    case STRICT: return args->strict = true;
    case JSON: return args->json = true;
    default: break;
    }
    if (args->share_count == SP_LIST_MAX) return sp__complain(a, "--share: more than %d folders", SP_LIST_MAX), false;
    args->share[args->share_count++] = values[0];
    return true;
}

static const char *fate_word(sp_import_fate fate) {
    static const char *const words[] = {"became", "not needed", "differs", "left out"};
    return words[fate];
}

static int count_notes(const sp_import *import, sp_import_fate fate) {
    sp_import_note note;
    int count = 0;
    for (int i = 0; sp_import_note_at(import, i, &note) >= 0; i++) count += note.fate == fate;
    return count;
}

// what a reader of the table must know first: left out, then what differs
static void print_table(const sp_import *import, const import_args *args) {
    static const sp_import_fate order[] = {SP_IMPORT_LEFT_OUT, SP_IMPORT_CHANGED, SP_IMPORT_BECAME, SP_IMPORT_NOT_NEEDED};
    sp_import_note note;
    for (int k = 0; k < (args->all ? 4 : 2); k++)
        for (int i = 0; sp_import_note_at(import, i, &note) >= 0; i++)
            if (note.fate == order[k])
                fprintf(stderr, "%s:%d: %s: %s: %s\n", note.file, note.line, fate_word(note.fate), note.component, note.text);
    fprintf(stderr, "%d became something, %d of SOFA's own are not needed, %d differ, %d left out\n",
            count_notes(import, SP_IMPORT_BECAME), count_notes(import, SP_IMPORT_NOT_NEEDED),
            count_notes(import, SP_IMPORT_CHANGED), count_notes(import, SP_IMPORT_LEFT_OUT));
}

static void print_json(const sp_import *import, const import_args *args, const char *scene, int code) {
    sp_import_note note;
    sp_json j = {.file = stdout};
    sp__json_open(&j, NULL, '{');
    sp__json_text(&j, "scene", scene);
    sp__json_text(&j, "out", args->out);
    sp__json_text(&j, "status", code == SP_EXIT_DONE ? "ok" : "incomplete");
    sp__json_integer(&j, "exit", code);
    sp__json_open(&j, "components", '[');
    for (int i = 0; sp_import_note_at(import, i, &note) >= 0; i++) {
        sp__json_open(&j, NULL, '{');
        sp__json_text(&j, "file", note.file);
        sp__json_integer(&j, "line", note.line);
        sp__json_text(&j, "component", note.component);
        sp__json_text(&j, "fate", fate_word(note.fate));
        sp__json_text(&j, "text", note.text);
        sp__json_close(&j, '}');
    }
    sp__json_close(&j, ']');
    sp__json_close(&j, '}');
}

// The written scene is built once: what `souple check` would say is said now.
static int check_written(const import_args *args) {
    sp_scene_args scene = {.path = args->out, .threads = 1};
    sp_run_options o = sp_run_options_default();
    sp_session s;
    o.endless = true;
    int code = sp__session_open(&s, &scene, &o);
    bool empty = code == SP_EXIT_DONE && sp_world_body_count(s.world) == 0;
    sp__session_close(&s);
    if (code != SP_EXIT_DONE)
        fprintf(stderr, "%s: written, but it does not run yet: change what the lines above name\n", args->out);
    if (empty) fprintf(stderr, "%s: written, but it has no body\n", args->out);
    return code == SP_EXIT_DONE && !empty ? SP_EXIT_DONE : SP_EXIT_FAILED;
}

static int finish(const sp_arguments *a, import_args *args, sp_context *context, sp_import *import) {
    int code = SP_EXIT_DONE;
    if (args->out && sp_import_write(import) < 0) return sp__complain(a, "%s", sp_context_error(context)->message);
    if (!args->json) print_table(import, args);
    if (args->out)
        code = check_written(args);
    else if (!args->json)
        fputs(sp_import_text(import), stdout);
    if (code == SP_EXIT_DONE && args->strict && count_notes(import, SP_IMPORT_LEFT_OUT)) code = SP_EXIT_FAILED;
    if (args->json) print_json(import, args, a->words[0], code);
    return code;
}

static int import_main(const sp_command *command, int argc, char **argv) {
    import_args args = {.time = 1};
    sp_arguments a = {.command = command, .take = import_take, .user = &args, .word_limit = 1};
    char why[300];
    int code = sp__read_arguments(&a, argc, argv);
    if (code >= 0) return code;
    if (a.word_count < 1) return sp__complain(&a, "which scene of SOFA?");
    if (args.out && !sp__output_possible(args.out, NULL, why, sizeof why)) return sp__complain(&a, "-o %s: %s", args.out, why);
    sp_context_def def = sp_context_def_default();
    sp_context *context = NULL;
    sp_import *import = NULL;
    if (sp_context_create(&def, &context) < 0) return sp__complain(&a, "out of memory"), SP_EXIT_FAILED;
    sp_import_options o = sp_import_options_default();
    o.out = args.out, o.folders = args.share, o.folder_count = args.share_count, o.time = args.time;
    sp_status status = sp_import_sofa(context, a.words[0], &o, &import);
    if (status >= 0)
        code = finish(&a, &args, context, import);
    else
        code = sp__complain(&a, "%s", sp_context_error(context)->message);
    sp_import_destroy(&import);
    sp_context_destroy(&context);
    return status == SP_NO_MEMORY ? SP_EXIT_FAILED : code;
}

const sp_command sp__command_import = {
    .name = "import",
    .arguments = "SCENE",
    .summary = "Convert a scene of SOFA (.scn) and say what became of each component",
    .text = "The new scene names in comments the line and component that each element comes from.\n"
            "Exit code 1: the new scene does not run as it is or has no body, or with --strict something was left out.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = "  souple import liver.scn --share sofa/share -o liver.xml && souple view liver.xml\n"
                "  souple import beam.scn --all\n"
                "  souple import beam.scn -o beam.xml --strict --json > beam.json\n",
    .main = import_main,
};
