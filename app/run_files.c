// See run_files.h.
#include "run_files.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/run/run.h"
#include "io/scene/scene.h"

const char *sp__run_file_at(int index) {
    static const char *const names[] = {"summary.json", "steps.csv", "scene.txt", "source.xml", "picture.png", "report.html"};
    return index < (int)(sizeof names / sizeof *names) ? names[index] : NULL;
}

static bool run_file_taken(const char *name) {
    for (int i = 0; sp__run_file_at(i); i++)
        if (strcmp(sp__run_file_at(i), name) == 0) return true;
    return strcmp(name, "files.txt") == 0;
}

const char *sp__run_record_taken(const sp_scene *scene) {
    const sp_scene_node *root = sp__scene_root(scene);
    for (const sp_scene_node *c = NULL; (c = sp__next_child(root, "record", c));) {
        const char *name = sp__attr(c, "file") ? sp__attr_word(c, "file") : NULL;
        while (name && name[0] == '.' && name[1] == '/') name += 2;
        if (name && run_file_taken(name)) return name;
    }
    return NULL;
}

// ---- the scene's text

static bool copy(FILE *in, FILE *out) {
    char buffer[1 << 14];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, in)) > 0;)
        if (fwrite(buffer, 1, n, out) != n) return false;
    return !ferror(in) && fflush(out) == 0;
}

bool sp__run_keep_source(const char *scene_path, const char *folder, char *why, size_t size) {
    char path[PATH_MAX];
    struct stat a, b;
    snprintf(path, sizeof path, "%s/source.xml", folder);
    // the folder may be the scene's own, and the scene the file that would be written
    if (stat(scene_path, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino) return true;
    FILE *in = fopen(scene_path, "rb"), *out = in ? fopen(path, "wb") : NULL;
    bool good = in && out && copy(in, out);
    if (!good) snprintf(why, size, "cannot write %.200s: %s", path, strerror(errno));
    if (in) fclose(in);
    if (out && fclose(out) != 0 && good) good = false, snprintf(why, size, "cannot write %.200s: %s", path, strerror(errno));
    return good;
}

// ---- plots

enum { PROBE_COLUMNS = 64 };  // more than any panel shows

bool sp__run_probe_trace(const sp_run *run, int probe, sp_trace *out) {
    sp_run_probe p;
    double row[PROBE_COLUMNS + 1];
    sp_run_probe_at(run, probe, &p);
    int width = p.width < PROBE_COLUMNS ? p.width : PROBE_COLUMNS;
    if (!sp__trace_start(out, width + 1)) return false;
    snprintf(out->names[0], SP_TRACE_NAME, "time [s]");
    for (int i = 0; i < width; i++) {
        char name[120];
        const char *unit = "";
        sp__run_probe_column(run, probe, i, name, sizeof name, &unit);
        snprintf(out->names[i + 1], SP_TRACE_NAME, "%s [%s]", name, unit);
    }
    for (int s = 0; s < p.sample_count; s++) {
        row[0] = p.times[s];
        memcpy(row + 1, p.values + (size_t)s * (size_t)p.width, (size_t)width * sizeof *row);
        sp__trace_add(out, row);
    }
    return true;
}

static void add_probes(sp_plot_set *set, const sp_run *run) {
    for (int i = 0; i < sp_run_probe_count(run); i++) {
        sp_run_probe p;
        sp_trace trace = {0};
        sp_run_probe_at(run, i, &p);
        if (sp__run_probe_trace(run, i, &trace))
            sp__plots_of_probe(set, p.name, &trace);
        else
            set->broken = true;
        sp__trace_free(&trace);
    }
}

bool sp__run_plot(const sp_steps *steps, const sp_session *session, const char *path, char *why, size_t size) {
    sp_plot_set set = {.count = 0};
    sp__plots_of_steps(&set, &steps->trace);
    add_probes(&set, session->run);
    sp_status status = set.broken ? SP_NO_MEMORY : SP_OK;
    if (status >= 0) status = sp__plots_write(session->context, set.plots, set.count, path);
    if (status < 0)
        snprintf(why, size, "%s", set.broken ? "no memory for the plots" : sp_context_error(session->context)->message);
    if (set.left_out) fprintf(stderr, "warning: %s holds %d panels; %d of probes found no room\n", path, set.count, set.left_out);
    sp__plots_free(&set);
    return status >= 0;
}
