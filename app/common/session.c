// An open scene: context, scene, run. Errors are printed once to stderr.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/command.h"
#include "common/files.h"
#include "common/run_folder.h"

static void log_line(void *user, sp_log_level level, const char *text) {
    (void)user;
    if (level >= SP_LOG_WARNING) fprintf(stderr, "%s: %s\n", level == SP_LOG_ERROR ? "error" : "warning", text);
}

void sp__print_to(void *file, const char *text) {
    fputs(text, file);
}

// ---- options

static bool add_to(const char **list, int *count, const sp_arguments *a, const char *name, const char *value, bool *bad) {
    if (*count < SP_LIST_MAX)
        list[(*count)++] = value;
    else
        sp__complain(a, "%s is given more than %d times", name, SP_LIST_MAX), *bad = true;
    return true;
}

static bool known_backend(const sp_arguments *a, const char *name) {
    const char *known[16] = {"auto"};
    int n = 1;
    for (; n < 16 && sp_backend_name(n - 1); n++) known[n] = sp_backend_name(n - 1);
    if (strncmp(name, "opencl", 6) == 0) return sp__complain(a, "backend \"%s\": known, not in this build", name), false;
    return sp__check_word(a, "backend", name, known, n);
}

bool sp__take_scene_option(sp_scene_args *scene, const sp_arguments *a, const char *name, char **values, bool *bad) {
    long threads;
    *bad = false;
    if (strcmp(name, "--set") == 0) {
        if (strchr(values[0], '=')) return add_to(scene->sets, &scene->set_count, a, name, values[0], bad);
        sp__complain(a, "--set \"%s\": must be PATH=VALUE", values[0]);
        return *bad = true;
    }
    if (strcmp(name, "--allow-path") == 0) return add_to(scene->allow, &scene->allow_count, a, name, values[0], bad);
    if (strcmp(name, "--threads") == 0) {
        *bad = !sp__read_integer(a, name, values[0], 1, 64, &threads);
        scene->threads = *bad ? 0 : (int)threads;
        return true;
    }
    if (strcmp(name, "--backend") == 0) {
        *bad = !known_backend(a, values[0]);
        scene->backend = values[0];
        return true;
    }
    return false;
}

// ---- messages

static void print_message(const sp_scene_message *m) {
    const char *kind = m->severity == SP_SEVERITY_WARNING ? "warning: " : "";
    if (m->file && m->file[0] && m->line > 0)
        fprintf(stderr, "%s:%d: %s%s\n", m->file, m->line, kind, m->text);
    else
        fprintf(stderr, "%s%s%s%s\n", m->file ? m->file : "", m->file && m->file[0] ? ": " : "", kind, m->text);
}

void sp__session_messages(const sp_session *s, sp_json *j) {
    sp__json_open(j, "messages", '[');
    for (int i = 0; s->scene && i < sp_scene_message_count(s->scene); i++) {
        sp_scene_message m;
        if (sp_scene_message_at(s->scene, i, &m) < 0) continue;
        sp__json_open(j, NULL, '{');
        sp__json_text(j, "severity", m.severity == SP_SEVERITY_WARNING ? "warning" : "error");
        sp__json_text(j, "file", m.file);
        sp__json_integer(j, "line", m.line);
        sp__json_text(j, "text", m.text);
        sp__json_close(j, '}');
    }
    sp__json_close(j, ']');
}

void sp__json_error(sp_json *j, const sp_error *e) {
    sp__json_open(j, "error", '{');
    sp__json_text(j, "code", sp_status_name(e->status));
    sp__json_text(j, "message", e->message[0] ? e->message : sp_status_text(e->status));
    sp__json_text(j, "body", e->body[0] ? e->body : NULL);
    if (e->index >= 0)
        sp__json_integer(j, "index", (long long)e->index);
    else
        sp__json_text(j, "index", NULL);
    sp__json_close(j, '}');
}

void sp__json_refused(const sp_session *s, const char *scene, int code) {
    sp_json j = {.file = stdout};
    sp__json_open(&j, NULL, '{');
    sp__json_text(&j, "scene", scene);
    sp__json_text(&j, "status", code == SP_EXIT_USAGE ? "refused" : "failed");
    sp__json_integer(&j, "exit", code);
    sp__json_error(&j, &s->error);
    sp__session_messages(s, &j);
    sp__json_close(&j, '}');
}

// ---- opening

// prints the messages of the scene, or the error of the context if there are none; the first error is kept for --json
static int session_refused(sp_session *s, const char *path, sp_status status, int already) {
    int count = s->scene ? sp_scene_message_count(s->scene) : 0;
    const sp_error *said = s->context ? sp_context_error(s->context) : NULL;
    bool error = false;
    s->error = (sp_error){.status = status, .index = -1};
    for (int i = 0; i < count; i++) {
        sp_scene_message m;
        if (sp_scene_message_at(s->scene, i, &m) < 0) continue;
        if (i >= already) print_message(&m);
        if (m.severity != SP_SEVERITY_ERROR || error) continue;
        error = true;
        if (m.line > 0)
            snprintf(s->error.message, sizeof s->error.message, "%s:%d: %s", m.file ? m.file : path, m.line, m.text);
        else
            snprintf(s->error.message, sizeof s->error.message, "%s: %s", m.file && m.file[0] ? m.file : path, m.text);
    }
    if (!error) {
        const char *why = said && said->status == status && said->message[0] ? said->message : sp_status_text(status);
        snprintf(s->error.message, sizeof s->error.message, "%.120s: %.340s", path, why);
        fprintf(stderr, "%s\n", s->error.message);
    }
    return status == SP_NO_MEMORY && !error ? SP_EXIT_FAILED : SP_EXIT_USAGE;
}

static int refused_folder(sp_session *s, const char *folder) {
    s->error = (sp_error){.status = SP_IO, .index = -1};
    snprintf(s->error.message, sizeof s->error.message, "--out %.300s: %s", folder, strerror(errno));
    fprintf(stderr, "souple: %s\n", s->error.message);
    return SP_EXIT_USAGE;
}

static int refused_record(sp_session *s, const char *name) {
    s->error = (sp_error){.status = SP_BAD_INPUT, .index = -1};
    snprintf(s->error.message, sizeof s->error.message,
             "record \"%.200s\": a run writes a file of its own under that name; choose another", name);
    fprintf(stderr, "souple: %s\n", s->error.message);
    return SP_EXIT_USAGE;
}

static int refused_overwrite(sp_session *s, const char *folder, const char *found) {
    s->error = (sp_error){.status = SP_IO, .index = -1};
    snprintf(s->error.message, sizeof s->error.message,
             "--out %.300s: already holds a run (%s); --overwrite removes its files, or choose another folder", folder, found);
    fprintf(stderr, "souple: %s\n", s->error.message);
    return SP_EXIT_USAGE;
}

// The folder for records: created, or existing and free; a resumed run writes to its previous folder. *made: the folder was
// created.
static int open_folder(sp_session *s, const sp_scene_args *args, const sp_run_options *options, bool *made) {
    char found[64];
    *made = false;
    if (!options->out) return SP_EXIT_DONE;
    if (sp__run_record_taken(s->scene)) return refused_record(s, sp__run_record_taken(s->scene));
    bool taken = !options->resume && sp__run_folder_taken(options->out, found);
    if (taken && !args->overwrite) return refused_overwrite(s, options->out, found);
    if (taken) sp__run_folder_clear(options->out, args->path);
    return sp__make_folders(options->out, made) ? SP_EXIT_DONE : refused_folder(s, options->out);
}

int sp__session_open(sp_session *s, const sp_scene_args *args, sp_run_options *options) {
    *s = (sp_session){.error.index = -1};
    sp_context_def def = sp_context_def_default();
    def.log = log_line;
    def.workers = args->threads;
    sp_status status = sp_context_create(&def, &s->context);
    if (status < 0) return session_refused(s, args->path, status, 0);
    sp_scene_options o = sp_scene_options_default();
    o.sets = args->sets, o.set_count = args->set_count;
    o.allow_paths = args->allow, o.allow_count = args->allow_count;
    status = sp_scene_load(s->context, args->path, &o, &s->scene);
    if (status < 0) return session_refused(s, args->path, status, 0);
    int said = sp_scene_message_count(s->scene);
    sp_scene_message m;
    for (int i = 0; sp_scene_message_at(s->scene, i, &m) >= 0; i++) print_message(&m);
    bool made;
    int code = open_folder(s, args, options, &made);
    if (code != SP_EXIT_DONE) return code;
    options->backend = args->backend;
    status = sp_run_create(s->scene, options, &s->run);
    // a scene that cannot be built leaves no folder behind
    if (status < 0 && made) rmdir(options->out);
    if (status < 0) return session_refused(s, args->path, status, said);
    for (int i = said; sp_scene_message_at(s->scene, i, &m) >= 0; i++) print_message(&m);
    s->world = sp_run_world(s->run);
    return SP_EXIT_DONE;
}

void sp__session_close(sp_session *s) {
    sp_run_destroy(&s->run);
    sp_scene_destroy(&s->scene);
    sp_context_destroy(&s->context);
}

const char *sp__session_backend(const sp_session *s) {
    return sp_world_backend(s->world);
}
