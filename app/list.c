// `souple list`: lists scenes, materials, solvers and other choices.
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/command.h"
#include "common/files.h"
#include "serve/gallery.h"

enum { ALL, JSON };

static const sp_option options[] = {
    [ALL] = {"--all", NULL, "also what the scene language knows and this build lacks"},
    [JSON] = {"--json", NULL, "as one JSON object"},
};

typedef struct sp_listing {
    sp_table table;
    sp_json json;
    bool as_json, all;
} sp_listing;

static void list_add(sp_listing *l, const char *name, const char *what_key, const char *what) {
    if (l->as_json) {
        sp__json_open(&l->json, NULL, '{');
        sp__json_text(&l->json, "name", name);
        sp__json_text(&l->json, what_key, what);
        sp__json_close(&l->json, '}');
        return;
    }
    sp__table_row(&l->table);
    sp__table_cell(&l->table, "%s", name), sp__table_cell(&l->table, "%s", what ? what : "");
}

// ---- scenes

static void add_scene(sp_listing *l, sp_context *ctx, const char *path) {
    sp_scene *scene = NULL;
    if (!sp__holds_scene(path)) return;
    bool good = sp_scene_load(ctx, path, NULL, &scene) >= 0;
    list_add(l, path, "title", good ? sp_scene_name(scene) : "(wrong: `souple check` says why)");
    sp_scene_destroy(&scene);
}

static void list_folder(sp_listing *l, sp_context *ctx, const char *folder, int depth) {
    struct dirent **entries;
    int n = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char path[PATH_MAX];
        const char *name = entries[i]->d_name, *suffix = strrchr(name, '.');
        int length = snprintf(path, sizeof path, "%s/%s", folder, name);
        struct stat st;
        if (name[0] != '.' && length < (int)sizeof path && stat(path, &st) == 0) {
            if (S_ISDIR(st.st_mode) && depth < 8)
                list_folder(l, ctx, path, depth + 1);
            else if (S_ISREG(st.st_mode) && suffix && strcmp(suffix, ".xml") == 0)
                add_scene(l, ctx, path);
        }
        free(entries[i]);
    }
    if (n >= 0) free(entries);
}

static void list_scenes(sp_listing *l) {
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    def.workers = 1;
    if (sp_context_create(&def, &ctx) < 0) return;
    char folder[PATH_MAX];
    sp__scenes_folder(folder);
    list_folder(l, ctx, folder, 0);
    sp_context_destroy(&ctx);
}

// ---- built-in choices

static void add_bench(void *list, const char *name, const char *what) {
    list_add(list, name, "what", what);
}

static void list_benches(sp_listing *l) {
    sp__bench_list(add_bench, l);
}

// the choices of an attribute of the scene language that this build lacks
static void list_missing(sp_listing *l, const char *element, const char *attribute, const char *what_key) {
    sp_scene_choice choice;
    for (int i = 0; l->all && sp_scene_choice_at(element, attribute, i, &choice) >= 0; i++)
        if (!choice.built) list_add(l, choice.name, what_key, "known, not in this build");
}

static void list_backends(sp_listing *l) {
    for (int i = 0; sp_backend_name(i); i++) list_add(l, sp_backend_name(i), "detail", sp_backend_detail(sp_backend_name(i)));
    list_missing(l, "scene", "backend", "detail");
}

static void list_choices(sp_listing *l, const char *element, const char *attribute) {
    sp_scene_choice choice;
    for (int i = 0; sp_scene_choice_at(element, attribute, i, &choice) >= 0; i++)
        if (choice.built) list_add(l, choice.name, "state", "built in");
    list_missing(l, element, attribute, "state");
}

static void list_materials(sp_listing *l) {
    list_choices(l, "material", "model");
}

static void list_solvers(sp_listing *l) {
    list_choices(l, "solver", "type");
}

static void list_fields(sp_listing *l) {
    sp_field_info f;
    for (int i = 0; sp_field_at(i, &f) >= 0; i++) {
        char text[240];
        const char *on[] = {"node", "element", "body"};
        snprintf(text, sizeof text, "[%s] per %s%s: %s", f.unit, on[f.on], f.color ? ", colour" : "", f.meaning);
        list_add(l, f.name, "what", text);
    }
}

static const struct {
    const char *name;
    void (*list)(sp_listing *l);
} kinds[] = {{"scenes", list_scenes},       {"benches", list_benches}, {"backends", list_backends},
             {"materials", list_materials}, {"solvers", list_solvers}, {"fields", list_fields}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static bool list_take(sp_arguments *a, int option, char **values) {
    sp_listing *l = a->user;
    (void)values;
    return *(option == ALL ? &l->all : &l->as_json) = true;
}

static void print_list(int kind, sp_listing l) {
    if (l.as_json) {
        sp__json_open(&l.json, NULL, '{');
        sp__json_open(&l.json, kinds[kind].name, '[');
    }
    kinds[kind].list(&l);
    if (l.as_json) {
        sp__json_close(&l.json, ']');
        sp__json_close(&l.json, '}');
    }
    sp__table_print(&l.table, stdout, 0);
    sp__table_free(&l.table);
}

static int list_main(const sp_command *command, int argc, char **argv) {
    sp_listing l = {.table.left = 3, .json.file = stdout};
    const char *names[KINDS];
    sp_arguments a = {.command = command, .take = list_take, .user = &l, .word_limit = 1};
    int code = sp__read_arguments(&a, argc, argv);
    if (code >= 0) return code;
    for (int i = 0; i < KINDS; i++) names[i] = kinds[i].name;
    if (a.word_count < 1) return sp__complain(&a, "which list? scenes, benches, backends, materials, solvers or fields");
    if (!sp__check_word(&a, "list", a.words[0], names, KINDS)) return SP_EXIT_USAGE;
    for (int i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].name, a.words[0]) == 0) print_list(i, l);
    return SP_EXIT_DONE;
}

const sp_command sp__command_list = {
    .name = "list",
    .arguments = "scenes|benches|backends|materials|solvers|fields",
    .summary = "List the scenes, benches, backends, materials, solvers or fields",
    .text = "Scenes are looked for in $SOUPLE_SCENES, in ./scenes, where the program was installed, and where it was built.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = "  souple list scenes\n"
                "  souple list backends --all\n"
                "  souple list materials --json\n",
    .main = list_main,
};
