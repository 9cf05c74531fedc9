// See gallery.h. A scene that cannot be read is listed too: opening it shows the error.
#include "serve/gallery.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool sp__holds_scene(const char *path) {
    char head[16384];
    FILE *file = fopen(path, "r");
    if (!file) return false;
    size_t n = fread(head, 1, sizeof head - 1, file);
    fclose(file);
    head[n] = 0;
    return strstr(head, "<scene") != NULL;
}

static bool gallery_reserve(sp_gallery *g) {
    if (g->count < g->capacity) return true;
    int capacity = g->capacity ? 2 * g->capacity : 32;
    sp_gallery_scene *scenes = realloc(g->scenes, (size_t)capacity * sizeof *scenes);
    if (!scenes) return false;
    g->scenes = scenes, g->capacity = capacity;
    return true;
}

static void scene_free(sp_gallery_scene *s) {
    free(s->path), free(s->title), free(s->group), free(s->base);
}

static bool gallery_insert(sp_gallery *g, int at, sp_context *context, const char *path, const char *group) {
    if (!gallery_reserve(g)) return false;
    sp_scene *scene = NULL;
    bool good = sp_scene_load(context, path, NULL, &scene) >= 0;
    const char *slash = strrchr(path, '/'), *name = good ? sp_scene_name(scene) : "";
    sp_gallery_scene s = {strdup(path), strdup(name && name[0] ? name : slash ? slash + 1 : path), strdup(group), NULL};
    sp_scene_destroy(&scene);
    if (!s.path || !s.title || !s.group) return scene_free(&s), false;
    memmove(g->scenes + at + 1, g->scenes + at, (size_t)(g->count - at) * sizeof *g->scenes);
    g->scenes[at] = s;
    g->count++;
    return true;
}

static bool add_below(sp_gallery *g, sp_context *context, const char *folder, const char *group, int depth) {
    struct dirent **entries;
    int n = scandir(folder, &entries, NULL, alphasort);
    bool good = true;
    // files first, then folders
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++) {
            char path[PATH_MAX];
            const char *name = entries[i]->d_name, *suffix = strrchr(name, '.');
            struct stat st;
            bool fits = snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path;
            if (name[0] == '.' || !fits || stat(path, &st) != 0 || g->count >= SP_GALLERY_MAX) continue;
            if (pass == 1 && S_ISDIR(st.st_mode) && depth < 8)
                good = good && add_below(g, context, path, group[0] ? group : name, depth + 1);
            else if (pass == 0 && S_ISREG(st.st_mode) && suffix && strcmp(suffix, ".xml") == 0 && sp__holds_scene(path))
                good = good && gallery_insert(g, g->count, context, path, group);
        }
    for (int i = 0; i < n; i++) free(entries[i]);
    if (n >= 0) free(entries);
    return good;
}

bool sp__gallery_add_folder(sp_gallery *g, sp_context *context, const char *folder) {
    free(g->folder);
    g->folder = strdup(folder);
    return g->folder && add_below(g, context, folder, "", 0);
}

static bool same_file(const char *a, const char *b) {
    struct stat sa, sb;
    if (strcmp(a, b) == 0) return true;
    return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

int sp__gallery_find(sp_gallery *g, sp_context *context, const char *path) {
    for (int i = 0; i < g->count; i++)
        if (same_file(g->scenes[i].path, path)) return i;
    return gallery_insert(g, 0, context, path, "") ? 0 : -1;
}

int sp__gallery_own(sp_gallery *g, const char *path, const char *base) {
    for (int i = 0; i < g->count; i++)
        if (g->scenes[i].base && strcmp(g->scenes[i].path, path) == 0) return i;
    const char *slash = strrchr(path, '/');
    if (g->count >= SP_GALLERY_MAX || !gallery_reserve(g)) return -1;
    sp_gallery_scene s = {strdup(path), strdup(slash ? slash + 1 : path), strdup(SP_GALLERY_OWN), strdup(base)};
    if (!s.path || !s.title || !s.group || !s.base) return scene_free(&s), -1;
    g->scenes[g->count] = s;
    return g->count++;
}

void sp__gallery_title(sp_gallery *g, int index, const char *title) {
    char *copy = title && title[0] ? strdup(title) : NULL;
    if (!copy) return;
    free(g->scenes[index].title);
    g->scenes[index].title = copy;
}

void sp__gallery_remove_last(sp_gallery *g) {
    scene_free(&g->scenes[--g->count]);
}

void sp__gallery_free(sp_gallery *g) {
    for (int i = 0; i < g->count; i++) scene_free(&g->scenes[i]);
    free(g->scenes), free(g->folder);
    *g = (sp_gallery){0};
}
