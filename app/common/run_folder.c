// See run_folder.h.
#include "common/run_folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "common/files.h"

// ---- names

// Names of the files that every run writes, and of the report; NULL after the last.
static const char *run_file_at(int index) {
    static const char *const names[] = {"summary.json", "steps.csv", "scene.txt", "source.xml", "picture.png", "report.html"};
    return index < (int)(sizeof names / sizeof *names) ? names[index] : NULL;
}

static bool run_file_taken(const char *name) {
    for (int i = 0; run_file_at(i); i++)
        if (strcmp(run_file_at(i), name) == 0) return true;
    return strcmp(name, "files.txt") == 0;
}

const char *sp__run_record_taken(const sp_scene *scene) {
    sp_scene_output output;
    for (int i = 0; sp_scene_output_at(scene, i, &output) >= 0; i++) {
        const char *name = output.file;
        while (name[0] == '.' && name[1] == '/') name += 2;
        if (strcmp(output.element, "record") == 0 && run_file_taken(name)) return name;
    }
    return NULL;
}

// ---- the previous run

static const char *const list_name = "files.txt";

static bool path_in(const char *folder, const char *name, char out[PATH_MAX]) {
    return snprintf(out, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

static bool is_file(const char *folder, const char *name, char path[PATH_MAX]) {
    struct stat st;
    return path_in(folder, name, path) && lstat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool sp__run_folder_taken(const char *folder, char *found) {
    char path[PATH_MAX];
    snprintf(found, 64, "%s", list_name);
    if (is_file(folder, list_name, path)) return true;
    for (int i = 0; run_file_at(i); i++) {
        snprintf(found, 64, "%s", run_file_at(i));
        if (is_file(folder, found, path)) return true;
    }
    return false;
}

static void remove_file(const char *folder, const char *name, const char *scene) {
    char path[PATH_MAX];
    struct stat a, b;
    if (!is_file(folder, name, path) || stat(path, &a) != 0) return;
    if (stat(scene, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino) return;
    remove(path);
}

// "frame-*.png": the star matches digits
static bool numbered(const char *pattern, const char *name) {
    const char *star = strchr(pattern, '*');
    size_t before = (size_t)(star - pattern), after = strlen(star + 1), n = strlen(name);
    if (n <= before + after || strncmp(pattern, name, before) != 0 || strcmp(star + 1, name + n - after) != 0) return false;
    for (size_t i = before; i < n - after; i++)
        if (!isdigit((unsigned char)name[i])) return false;
    return true;
}

static void remove_numbered(const char *folder, const char *pattern, const char *scene) {
    char below[PATH_MAX], path[PATH_MAX];
    const char *slash = strrchr(pattern, '/'), *last = slash ? slash + 1 : pattern;
    if (!path_in(folder, pattern, path) || !sp__folder_of(path, below)) return;
    DIR *dir = opendir(below);
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (numbered(last, e->d_name)) remove_file(below, e->d_name, scene);
    if (dir) closedir(dir);
}

void sp__run_folder_clear(const char *folder, const char *scene) {
    char path[PATH_MAX], line[PATH_MAX];
    FILE *list = path_in(folder, list_name, path) ? fopen(path, "r") : NULL;
    while (list && fgets(line, sizeof line, list)) {
        line[strcspn(line, "\n")] = 0;
        // never leave the folder, whatever the list contains
        if (!line[0] || line[0] == '/' || strstr(line, "..")) continue;
        if (strchr(line, '*'))
            remove_numbered(folder, line, scene);
        else
            remove_file(folder, line, scene);
    }
    if (list) fclose(list);
    for (int i = 0; run_file_at(i); i++) remove_file(folder, run_file_at(i), scene);
    remove_file(folder, list_name, scene);
}

// ---- the list

// lists the name with another extension
static void list_with(FILE *file, const char *name, const char *ending) {
    const char *dot = strrchr(name, '.');
    fprintf(file, "%.*s%s\n", dot ? (int)(dot - name) : (int)strlen(name), name, ending);
}

static void list_record(FILE *file, const sp_run_record *r) {
    bool one = strcmp(r->kind, "csv") == 0 || strcmp(r->kind, "xdmf") == 0;
    char frames[24];
    snprintf(frames, sizeof frames, "-*.%s", r->kind);
    list_with(file, r->file, one ? strrchr(r->file, '.') : frames);
    if (strcmp(r->kind, "xdmf") == 0) list_with(file, r->file, ".h5");
    if (strcmp(r->kind, "vtu") == 0) list_with(file, r->file, ".pvd");
}

bool sp__run_folder_list(const char *folder, const sp_session *session) {
    char path[PATH_MAX];
    FILE *file = path_in(folder, list_name, path) ? fopen(path, "w") : NULL;
    if (!file) return false;
    for (int i = 0; run_file_at(i); i++) fprintf(file, "%s\n", run_file_at(i));
    for (int i = 0; i < sp_run_record_count(session->run); i++) {
        sp_run_record r;
        sp_run_record_at(session->run, i, &r);
        list_record(file, &r);
    }
    sp_scene_output output;
    for (int i = 0; sp_scene_output_at(session->scene, i, &output) >= 0; i++)
        if (strcmp(output.element, "inverse") == 0) fprintf(file, "%s\n", output.file);
    bool good = !ferror(file);
    return fclose(file) == 0 && good;
}

// ---- the scene's text

static bool copy_file(FILE *in, FILE *out) {
    char buffer[1 << 14];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, in)) > 0;)
        if (fwrite(buffer, 1, n, out) != n) return false;
    return !ferror(in) && fflush(out) == 0;
}

bool sp__run_keep_source(const char *scene_path, const char *folder, char *why, size_t size) {
    char path[PATH_MAX];
    struct stat a, b;
    snprintf(path, sizeof path, "%s/source.xml", folder);
    // the folder may be that of the scene, and the scene may be the file to be written
    if (stat(scene_path, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino) return true;
    FILE *in = fopen(scene_path, "rb"), *out = in ? fopen(path, "wb") : NULL;
    bool good = in && out && copy_file(in, out);
    if (!good) snprintf(why, size, "cannot write %.200s: %s", path, strerror(errno));
    if (in) fclose(in);
    if (out && fclose(out) != 0 && good) good = false, snprintf(why, size, "cannot write %.200s: %s", path, strerror(errno));
    return good;
}
