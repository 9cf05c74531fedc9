// `souple check`: prints every resolved value of a scene, or its errors; also prints the scene reference.
#include <string.h>

#include "common/command.h"

enum { SET, ALLOW_PATH, SCHEMA, REFERENCE, ALL, JSON };

static const sp_option options[] = {
    [SET] = {"--set", "PATH=VALUE", "write an attribute or a parameter; may be repeated"},
    [ALLOW_PATH] = {"--allow-path", "DIR", "a further folder that files may come from; may be repeated"},
    [SCHEMA] = {"--schema", NULL, "print the RelaxNG schema of scene files"},
    [REFERENCE] = {"--reference", NULL, "print the reference page of the scene language"},
    [ALL] = {"--all", NULL, "with --reference: also what this build lacks"},
    [JSON] = {"--json", NULL, "status and messages as one JSON object"},
};

typedef struct sp_check_args {
    sp_scene_args scene;
    bool schema, reference, all, json;
} sp_check_args;

static bool check_take(sp_arguments *a, int option, char **values) {
    sp_check_args *c = a->user;
    bool bad;
    switch (option) {
    case SCHEMA: return c->schema = true;
    case REFERENCE: return c->reference = true;
    case ALL: return c->all = true;
    case JSON: return c->json = true;
    default: return sp__take_scene_option(&c->scene, a, options[option].name, values, &bad) && !bad;
    }
}

static void print_good(const sp_session *s, const sp_check_args *c) {
    if (!c->json) {
        sp_scene_describe(s->scene, sp__print_to, stdout);
        return;
    }
    sp_json j = {.file = stdout};
    sp__json_open(&j, NULL, '{');
    sp__json_text(&j, "scene", c->scene.path);
    sp__json_text(&j, "name", sp_scene_name(s->scene));
    sp__json_text(&j, "status", "ok");
    sp__json_integer(&j, "exit", SP_EXIT_DONE);
    sp__session_messages(s, &j);
    sp__json_close(&j, '}');
}

static int check_main(const sp_command *command, int argc, char **argv) {
    sp_check_args args = {.schema = false};
    sp_arguments a = {.command = command, .take = check_take, .user = &args, .word_limit = 1};
    int code = sp__read_arguments(&a, argc, argv);
    if (code >= 0) return code;
    if (args.schema) sp_scene_schema(sp__print_to, stdout);
    if (args.reference) sp_scene_reference(args.all, sp__print_to, stdout);
    if (a.word_count < 1) return args.schema || args.reference ? SP_EXIT_DONE : sp__complain(&a, "which scene?");
    args.scene.path = a.words[0];
    args.scene.threads = 1;
    sp_session s;
    sp_run_options o = sp_run_options_default();
    o.endless = true;
    code = sp__session_open(&s, &args.scene, &o);
    if (code == SP_EXIT_DONE)
        print_good(&s, &args);
    else if (args.json)
        sp__json_refused(&s, args.scene.path, code);
    sp__session_close(&s);
    return code;
}

const sp_command sp__command_check = {
    .name = "check",
    .arguments = "SCENE",
    .summary = "Print every resolved value of a scene with its unit and origin, or all that is wrong with it",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = "  souple check scenes/peers/beam-4.xml\n"
                "  souple check scenes/peers/beam-4.xml --set beam.young=1e5\n"
                "  souple check --schema > souple.rng\n",
    .main = check_main,
};
