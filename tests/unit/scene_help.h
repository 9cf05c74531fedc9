// Scenes from texts, and queries of the result.
#ifndef SP_TEST_SCENE_HELP_H
#define SP_TEST_SCENE_HELP_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "at.h"
#include "io/scene/scene_read.h"
#include "test.h"

typedef struct loaded {
    sp_context *context;
    sp_scene *scene;
    sp_status status;
} loaded;

static inline loaded load_text(const char *text, const char *name, int set_count, const char *const *sets) {
    loaded l = {0};
    sp_context_def def = sp_context_def_default();
    sp_scene_options options = sp_scene_options_default();
    def.workers = 1;
    options.sets = sets;
    options.set_count = set_count;
    if (sp_context_create(&def, &l.context) < 0) exit(1);
    if (text)
        l.status = sp_scene_parse(l.context, text, strlen(text), name, &options, &l.scene);
    else
        l.status = sp_scene_load(l.context, name, &options, &l.scene);
    return l;
}

static inline loaded load(const char *text) {
    return load_text(text, "scene.xml", 0, NULL);
}

static inline void unload(loaded *l) {
    size_t bytes, before;
    uint64_t count;
    sp_scene_destroy(&l->scene);
    sp_context_memory(l->context, &bytes, &count);
    // only the memory of the context itself
    sp_context *fresh;
    sp_context_def def = sp_context_def_default();
    def.workers = 1;
    if (sp_context_create(&def, &fresh) < 0) exit(1);
    sp_context_memory(fresh, &before, &count);
    CHECK(bytes == before);
    sp_context_destroy(&fresh);
    sp_context_destroy(&l->context);
}

static inline void print_messages(const sp_scene *scene) {
    for (int i = 0; i < sp_scene_message_count(scene); i++) {
        sp_scene_message m = message_at(scene, i);
        printf("    %s:%d: %s\n", m.file, m.line, m.text);
    }
}

// one of the messages is at that line and contains those words; line -1: any
static inline bool says(const loaded *l, sp_severity severity, int line, const char *words) {
    for (int i = 0; i < sp_scene_message_count(l->scene); i++) {
        sp_scene_message m = message_at(l->scene, i);
        if (m.severity == severity && (line < 0 || m.line == line) && strstr(m.text, words)) return true;
    }
    printf("  no message \"%s\" at line %d among\n", words, line);
    print_messages(l->scene);
    return false;
}

static inline bool refused_with(const char *text, int sets, const char *const *set, int line, const char *words) {
    loaded l = load_text(text, "scene.xml", sets, set);
    bool good = l.status == SP_BAD_INPUT && says(&l, SP_SEVERITY_ERROR, line, words);
    if (l.status != SP_BAD_INPUT) printf("  status %d for \"%s\"\n", l.status, words);
    unload(&l);
    return good;
}

static inline bool accepted(const char *text) {
    loaded l = load(text);
    bool good = l.status == SP_OK;
    if (!good) print_messages(l.scene);
    unload(&l);
    return good;
}

static inline sp_scene_node *at(const loaded *l, const char *path) {
    return l->status == SP_OK ? sp__scene_find(sp__scene_root(l->scene), path) : NULL;
}

static inline double number_at(const loaded *l, const char *path, const char *attr) {
    const sp_scene_node *node = at(l, path);
    return node ? sp__attr_number(node, attr) : NAN;
}

// ---- folders for tests that need files

static inline void temporary(char out[200]) {
    snprintf(out, 200, "%s/scene-test-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(out)) exit(1);
}

static inline void write_file(const char *folder, const char *name, const char *text) {
    char path[700];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    if (!f) exit(1);
    fputs(text, f);
    fclose(f);
}

static inline void remove_files(const char *folder, const char *const *names, int n) {
    char path[700];
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    rmdir(folder);
}

static inline loaded load_file(const char *folder, const char *name, int sets, const char *const *set) {
    char path[700];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return load_text(NULL, path, sets, set);
}

#define SOLID(inside) "<scene>\n<solid name='b' young='1e5'>\n<box size='1 1 1'/>\n" inside "\n</solid>\n</scene>"

#endif
