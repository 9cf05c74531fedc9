// Files that a scene names: regular files below the folder of the main scene or an allowed folder, never from a network; and
// tables of comma-separated values.
#define _XOPEN_SOURCE 700  // realpath
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "io/file/text_file.h"
#include "io/scene/scene_read.h"

const char *sp__file_relative(sp_scene *scene, const char *from, const char *name) {
    const char *slash = strrchr(from, '/');
    size_t folder = slash && name[0] != '/' ? (size_t)(slash - from) + 1 : 0, n = strlen(name);
    char *path = sp__scene_alloc(scene, folder + n + 1, 1);
    if (!path) return NULL;
    memcpy(path, from, folder);
    memcpy(path + folder, name, n);
    return path;
}

bool sp__file_folder(sp_scene *scene, const char *folder) {
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
