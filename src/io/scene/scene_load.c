// A scene: its memory, the files it names, its options, and the order of the reader's passes.
#define _XOPEN_SOURCE 700  // realpath
#include "io/scene/scene_read.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "io/file/text_file.h"

// ---------------------------------------------------------------------------------------------- memory

enum { BLOCK = 64 << 10, ALIGN = 16 };

struct sp_scene_block {
    sp_scene_block *next;
    size_t size;  // bytes after this header
};

static size_t head_size(void) {
    return (sizeof(sp_scene_block) + ALIGN - 1) / ALIGN * ALIGN;
}

// arena for many small allocations that are freed together; a large one gets a block of its own behind the newest block
void *sp__scene_alloc(sp_scene *scene, size_t n, size_t size) {
    if (size && n > (SIZE_MAX / 2 - ALIGN) / size) {
        scene->no_memory = true;
        return NULL;
    }
    size_t want = (n * size + ALIGN - 1) / ALIGN * ALIGN;
    sp_scene_block *b = scene->blocks;
    if (b && want <= b->size - scene->block_used) {
        void *memory = (char *)b + head_size() + scene->block_used;
        scene->block_used += want;
        return memory;
    }
    size_t capacity = want > BLOCK / 4 ? want : BLOCK;
    sp_scene_block *fresh = sp__alloc(scene->ctx, 1, head_size() + capacity);
    if (!fresh) {
        scene->no_memory = true;
        return NULL;
    }
    fresh->size = capacity;
    if (b && capacity == want) {
        fresh->next = b->next;
        b->next = fresh;
    } else {
        fresh->next = b;
        scene->blocks = fresh;
        scene->block_used = want;
    }
    return (char *)fresh + head_size();
}

char *sp__scene_copy(sp_scene *scene, const char *text, size_t length) {
    char *copy = sp__scene_alloc(scene, length + 1, 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

bool sp__scene_grow(sp_scene *scene, void *array, int count, int *capacity, size_t size) {
    if (count < *capacity) return true;
    int want = *capacity ? *capacity * 2 : 4;
    void *old, *fresh = sp__scene_alloc(scene, (size_t)want, size);
    if (!fresh) return false;
    memcpy(&old, array, sizeof old);
    if (count) memcpy(fresh, old, (size_t)count * size);
    memcpy(array, &fresh, sizeof fresh);
    *capacity = want;
    return true;
}

void sp_scene_destroy(sp_scene **handle) {
    if (!handle || !*handle) return;
    sp_scene *scene = *handle;
    sp_context *ctx = scene->ctx;
    for (sp_scene_block *b = scene->blocks, *next; b; b = next) {
        next = b->next;
        sp__free(ctx, b);
    }
    sp__free(ctx, scene);
    *handle = NULL;
}

// ========================================================================================================= files

// Files that a scene names: regular files below the folder of the main scene or an allowed folder, never from a network; and
// tables of comma-separated values.

const char *sp__file_relative(sp_scene *scene, const char *from, const char *name) {
    const char *slash = strrchr(from, '/');
    size_t folder = slash && name[0] != '/' ? (size_t)(slash - from) + 1 : 0, n = strlen(name);
    char *path = sp__scene_alloc(scene, folder + n + 1, 1);
    if (!path) return NULL;
    memcpy(path, from, folder);
    memcpy(path + folder, name, n);
    return path;
}

// allows files below the folder; false: it does not exist
static bool file_folder(sp_scene *scene, const char *folder) {
    char real[PATH_MAX];
    if (!realpath(folder, real)) return false;
    const char *copy = sp__scene_copy(scene, real, strlen(real));
    if (copy) scene->folders[scene->folder_count++] = copy;
    return true;
}

static bool is_below(const char *path, const char *folder) {
    size_t n = strlen(folder);
    if (n == 1 && folder[0] == '/') return true;
    return strncmp(path, folder, n) == 0 && path[n] == '/';
}

const char *sp__file_resolve(sp_scene *scene, const char *from, const char *name, char *why, size_t why_size) {
    char real[PATH_MAX];
    struct stat info;
    if (!name[0] || strstr(name, "://")) {
        snprintf(why, why_size, name[0] ? "is a URL; files come from the disk only" : "no file is named");
        return NULL;
    }
    const char *path = sp__file_relative(scene, from, name);
    if (!path) {
        snprintf(why, why_size, "no memory");
        return NULL;
    }
    if (!realpath(path, real) || stat(real, &info) != 0) {
        snprintf(why, why_size, "cannot be read: %s", strerror(errno));
        return NULL;
    }
    bool allowed = false;
    for (int i = 0; i < scene->folder_count; i++) allowed = allowed || is_below(real, scene->folders[i]);
    if (!allowed || !S_ISREG(info.st_mode)) {
        snprintf(why, why_size, allowed ? "is not a regular file" : "lies outside the scene's folder; --allow-path adds another");
        return NULL;
    }
    return sp__scene_copy(scene, real, strlen(real));
}

// ---------------------------------------------------------------------------------------------- comma-separated values

static int count_cells(const char *line) {
    int n = 1;
    for (; *line && *line != '\n'; line++) n += *line == ',';
    return n;
}

static bool is_blank(const char *line) {
    line += strspn(line, " \t\r");
    return *line == 0 || *line == '\n' || *line == '#';
}

static const char *next_line(const char *line) {
    const char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

static const char *file_cell(sp_scene *scene, const char **at) {
    const char *start = *at + strspn(*at, " \t\r"), *end = start + strcspn(start, ",\n");
    *at = *end == ',' ? end + 1 : end;
    while (end > start && strchr(" \t\r\"", end[-1])) end--;
    if (start < end && *start == '"') start++;
    return sp__scene_copy(scene, start, (size_t)(end - start));
}

// a line is a header if it does not consist of numbers
static bool has_heads(const char *line) {
    double ignored;
    line += strspn(line, " \t");
    return !sp__scan_double(line, &ignored);
}

static bool file_fill(sp_scene *scene, sp_csv *csv, const char *text, char *why, size_t why_size) {
    int row = 0, number = 1;
    bool heads = false;
    for (const char *line = text; *line; line = next_line(line), number++) {
        if (is_blank(line)) continue;
        if (count_cells(line) != csv->columns) {
            snprintf(why, why_size, "line %d has %d columns, the first has %d", number, count_cells(line), csv->columns);
            return false;
        }
        bool head = csv->heads && !heads;
        const char **out = head ? csv->heads : csv->cells + (size_t)row * (size_t)csv->columns;
        const char *at = line;
        for (int c = 0; c < csv->columns; c++)
            if (!(out[c] = file_cell(scene, &at))) return false;
        heads = true;
        row += !head;
    }
    return true;
}

static const sp_csv *parse_csv(sp_scene *scene, const char *text, char *why, size_t why_size) {
    sp_csv *csv = sp__scene_alloc(scene, 1, sizeof *csv);
    if (!csv) return NULL;
    int lines = 0;
    const char *first = NULL;
    for (const char *line = text; *line; line = next_line(line)) {
        if (is_blank(line)) continue;
        if (!first) first = line;
        lines++;
    }
    if (!first) {
        snprintf(why, why_size, "holds no rows");
        return NULL;
    }
    bool heads = has_heads(first);
    csv->columns = count_cells(first);
    csv->rows = lines - heads;
    if (csv->columns > 1000 || (size_t)lines * (size_t)csv->columns > scene->memory_limit / 64) {
        snprintf(why, why_size, "holds too many numbers");
        return NULL;
    }
    if (heads && !(csv->heads = sp__scene_alloc(scene, (size_t)csv->columns, sizeof *csv->heads))) return NULL;
    csv->cells = sp__scene_alloc(scene, (size_t)csv->rows * (size_t)csv->columns, sizeof *csv->cells);
    return csv->cells && file_fill(scene, csv, text, why, why_size) ? csv : NULL;
}

const sp_csv *sp__csv_read(sp_scene *scene, const char *path, char *why, size_t why_size) {
    char *text;
    size_t size;
    why[0] = 0;
    sp_status status = sp__text_read(scene->ctx, path, SP_MAX_XML, &text, &size);
    if (status < 0) {
        scene->no_memory = scene->no_memory || status == SP_NO_MEMORY;
        snprintf(why, why_size, "%s", sp_context_error(scene->ctx)->message);
        return NULL;
    }
    const sp_csv *csv = strlen(text) == size ? parse_csv(scene, text, why, why_size) : NULL;
    if (!csv && !why[0]) snprintf(why, why_size, "is not a text file");
    sp__free(scene->ctx, text);
    return csv;
}

// ===================================================================================================== the scene

sp_scene_options sp_scene_options_default(void) {
    return (sp_scene_options){.memory_limit = (size_t)8 << 30, .cookie = SP_COOKIE_SCENE_OPTIONS};
}

static void take_folders(sp_scene *scene, const sp_scene_options *options) {
    scene->folders = sp__scene_alloc(scene, (size_t)options->allow_count + 1, sizeof *scene->folders);
    const char *slash = strrchr(scene->file, '/');
    size_t n = slash ? (size_t)(slash - scene->file) : 0;
    char *own = slash ? sp__scene_copy(scene, n ? scene->file : "/", n ? n : 1) : sp__scene_copy(scene, ".", 1);
    if (!scene->folders || !own) return;
    file_folder(scene, own);
    for (int i = 0; i < options->allow_count; i++)
        if (!file_folder(scene, options->allow_paths[i]))
            sp__scene_error_at(scene, "--allow-path", 0, "%s: %s", options->allow_paths[i], strerror(errno));
}

static void take_sets(sp_scene *scene, const sp_scene_options *options) {
    scene->sets = sp__scene_alloc(scene, (size_t)options->set_count, sizeof *scene->sets);
    if (!scene->sets) return;
    for (int i = 0; i < options->set_count; i++) {
        const char *text = options->sets[i], *equals = strchr(text, '=');
        char *label = sp__scene_alloc(scene, strlen(text) + 8, 1);
        if (!label) return;
        snprintf(label, strlen(text) + 8, "--set %s", text);
        if (!equals || equals == text) {
            sp__scene_error_at(scene, label, 0, "expected path=value");
            continue;
        }
        sp_set_option *s = &scene->sets[scene->set_count++];
        *s = (sp_set_option){.text = label,
                             .path = sp__scene_copy(scene, text, (size_t)(equals - text)),
                             .value = sp__scene_copy(scene, equals + 1, strlen(equals + 1))};
        if (!s->path || !s->value) return;
    }
}

sp_status sp__scene_create(sp_context *ctx, const char *name, const sp_scene_options *options, sp_scene **out) {
    sp_scene *scene = sp__alloc(ctx, 1, sizeof *scene);
    if (!scene) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for the scene %s", name);
    sp_scene_options def = sp_scene_options_default();
    if (!options) options = &def;
    scene->ctx = ctx;
    scene->notes_end = &scene->notes;
    scene->memory_limit = options->memory_limit ? options->memory_limit : def.memory_limit;
    scene->search_left = 100000000;
    scene->scope.base = "";
    scene->name = "";
    scene->seed = 1;
    *out = scene;
    scene->file = sp__scene_copy(scene, name, strlen(name));
    scene->built_in = sp__scene_alloc(scene, (size_t)sp__element_spec_count(), sizeof *scene->built_in);
    if (scene->file) take_folders(scene, options);
    if (scene->file) take_sets(scene, options);
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------- reading

static void read_values(sp_scene *scene) {
    for (int i = 0; i < scene->node_count && !scene->no_memory; i++) {
        sp_scene_node *node = scene->nodes[i];
        if (node->source->inert || !node->spec->built) continue;
        for (int a = 0; a < node->spec->attr_count; a++) sp__attr_read(scene, node, a);
    }
}

static void read_tree(sp_scene *scene, const char *text, size_t size) {
    scene->text = sp__scene_copy(scene, text, size);
    scene->text_size = size;
    sp_raw *raw = sp__xml_parse(scene, text, size, scene->file);
    if (!raw || scene->no_memory) return;
    if (strcmp(raw->element, "scene") != 0) {
        bool fragment = strcmp(raw->element, "fragment") == 0;
        sp__raw_error(scene, raw, raw->line,
                      fragment ? "a fragment is included by a scene, not run by itself" : "the root element must be \"scene\"");
        return;
    }
    sp__check_names(scene, raw);
    sp__scene_expand(scene, raw);
    if (scene->no_memory || !scene->root || scene->incomplete) return;
    sp__check_defaults(scene);
    read_values(scene);
    if (!scene->no_memory) sp__scene_check(scene);
    if (!scene->no_memory && !scene->error_count) sp__check_sets(scene);
    if (!scene->no_memory && !scene->error_count) sp__check_unused(scene);
}

sp_status sp__scene_finish(sp_scene **out) {
    sp_scene *scene = *out;
    sp_context *ctx = scene->ctx;
    if (scene->no_memory) {
        sp_status status = SP_FAIL(ctx, SP_NO_MEMORY, "no memory to read the scene %s", scene->file ? scene->file : "");
        sp_scene_destroy(out);
        return status;
    }
    if (!scene->error_count) return SP_OK;
    sp__scene_say_dropped(scene);
    for (int i = 0; i < scene->entry_count; i++) {
        const sp_scene_message *m = &scene->entries[i].message;
        if (m->severity == SP_SEVERITY_ERROR) return SP_FAIL(ctx, SP_BAD_INPUT, "%s:%d: %s", m->file, m->line, m->text);
    }
    return SP_FAIL(ctx, SP_BAD_INPUT, "%s: %d errors", scene->file, scene->error_count);
}

static sp_status check_arguments(sp_context *ctx, const char *name, const sp_scene_options *options, sp_scene **out) {
    *out = NULL;
    if (!name || !name[0]) return SP_FAIL(ctx, SP_BAD_INPUT, "a scene needs a file name");
    if (options && options->cookie != SP_COOKIE_SCENE_OPTIONS)
        return SP_FAIL(ctx, SP_BAD_INPUT, "sp_scene_options: start from sp_scene_options_default()");
    return SP_OK;
}

sp_status sp_scene_parse(sp_context *ctx, const char *text, size_t size, const char *name, const sp_scene_options *options,
                         sp_scene **out) {
    SP_TRY(check_arguments(ctx, name, options, out));
    SP_TRY(sp__scene_create(ctx, name, options, out));
    if (!(*out)->no_memory) read_tree(*out, text, size);
    return sp__scene_finish(out);
}

sp_status sp_scene_load(sp_context *ctx, const char *path, const sp_scene_options *options, sp_scene **out) {
    SP_TRY(check_arguments(ctx, path, options, out));
    SP_TRY(sp__scene_create(ctx, path, options, out));
    sp_scene *scene = *out;
    struct stat info;
    char *text = NULL;
    size_t size = 0;
    if (scene->no_memory) return sp__scene_finish(out);
    // checked before opening: opening a pipe would block
    if (stat(path, &info) != 0) {
        sp__scene_error_at(scene, path, 0, "cannot be read: %s", strerror(errno));
    } else if (!S_ISREG(info.st_mode)) {
        sp__scene_error_at(scene, path, 0, "not a regular file");
    } else {
        sp_status status = sp__text_read(ctx, path, SP_MAX_XML, &text, &size);
        if (status == SP_NO_MEMORY)
            scene->no_memory = true;
        else if (status < 0)
            sp__scene_error_at(scene, path, 0, "%s", sp_context_error(ctx)->message);
        else
            read_tree(scene, text, size);
        sp__free(ctx, text);
    }
    return sp__scene_finish(out);
}

const char *sp_scene_name(const sp_scene *scene) {
    return scene->name;
}

sp_scene_node *sp__scene_root(const sp_scene *scene) {
    return scene->root;
}

sp_context *sp__scene_context(const sp_scene *scene) {
    return scene->ctx;
}

void sp_scene_get(const sp_scene *scene, sp_scene_info *out) {
    *out = (sp_scene_info){scene->file, scene->text, scene->text_size, scene->set_count, scene->seed};
}

const char *sp_scene_set_text(const sp_scene *scene, int index) {
    return index >= 0 && index < scene->set_count ? scene->sets[index].text : NULL;
}

size_t sp__scene_memory_limit(const sp_scene *scene) {
    return scene->memory_limit;
}
