// `souple report`: writes the folder of `souple run --out` as one HTML page.
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/run_folder.h"
#include "report/report.h"

enum { HTML, QUIET };

static const sp_option options[] = {
    [HTML] = {"--html", "FILE", "where to write the page; default: report.html in the folder"},
    [QUIET] = {"--quiet", NULL, "do not print where it was written"},
};

typedef struct sp_report_args {
    const char *folder, *html;
    bool quiet;
} sp_report_args;

static bool report_take(sp_arguments *a, int option, char **values) {
    sp_report_args *r = a->user;
    if (option == HTML) r->html = values[0];
    if (option == QUIET) r->quiet = true;
    return true;
}

// ---- files of the folder

// false: too long
static bool report_path(const char *folder, const char *name, char out[PATH_MAX]) {
    return snprintf(out, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

// The contents of a file of at most `limit` bytes, zero-terminated; NULL: none. Free it.
static char *report_file(const char *folder, const char *name, size_t limit, size_t *size) {
    char path[PATH_MAX];
    struct stat st;
    FILE *file = report_path(folder, name, path) ? fopen(path, "rb") : NULL;
    char *text = NULL;
    *size = 0;
    if (file && fstat(fileno(file), &st) == 0 && S_ISREG(st.st_mode) && (size_t)st.st_size <= limit)
        text = malloc((size_t)st.st_size + 1);
    if (text) text[ *size = fread(text, 1, (size_t)st.st_size, file)] = 0;
    if (file) fclose(file);
    return text;
}

static void show_picture(sp_page *p, const char *folder) {
    size_t size;
    char *bytes = report_file(folder, "picture.png", 64u << 20, &size);
    if (bytes && size > 8 && memcmp(bytes, "\x89PNG\r\n", 6) == 0)
        sp__html_png(p, (const unsigned char *)bytes, size, "the last state of the run");
    free(bytes);
}

static void show_listing(sp_page *p, const char *folder, const char *name, const char *head) {
    size_t size;
    char *text = report_file(folder, name, 4u << 20, &size);
    if (text) {
        sp__html_head(p, head);
        sp__html_listing(p, text, size);
    }
    free(text);
}

static void show_files(sp_page *p, const char *folder) {
    static const char *const heads[] = {"file", "bytes"};
    struct dirent **entries;
    int n = scandir(folder, &entries, NULL, alphasort);
    if (n < 0) return;
    sp__html_head(p, "Files");
    sp__html_table_begin(p, heads, 2);
    for (int i = 0; i < n; i++) {
        char path[PATH_MAX];
        struct stat st;
        const char *name = entries[i]->d_name;
        bool own = name[0] == '.' || strcmp(name, "report.html") == 0;
        if (!own && report_path(folder, name, path) && stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
            sp__html_row(p);
            sp__html_cell(p, NULL, "%s", name), sp__html_cell(p, "n", "%lld", (long long)st.st_size);
        }
        free(entries[i]);
    }
    free(entries);
    sp__html_table_end(p);
}

// ---- plots

static bool show_plots(sp_page *p, const sp_plot_set *set) {
    if (set->count == 0) return true;
    sp__html_head(p, "Plots");
    sp__page_add(p, "<div class=\"plots\">\n");
    for (int i = 0; i < set->count; i++)
        if (sp__html_plot(p, &set->plots[i]) < 0) return false;
    sp__page_add(p, "</div>\n");
    if (set->left_out) sp__html_text(p, "p", NULL, "%d panels of probes did not fit.", set->left_out);
    return true;
}

static bool add_plots(sp_page *p, const char *folder, const sp_json_value *run) {
    sp_plot_set set = {.count = 0};
    sp_trace steps;
    char path[PATH_MAX], why[PATH_MAX + 100];
    if (report_path(folder, "steps.csv", path) && sp__trace_read_csv(&steps, path, why, sizeof why)) {
        sp__plots_of_steps(&set, &steps);
        sp__trace_free(&steps);
    }
    if (run) sp__report_probes(&set, run);
    bool good = !set.broken && show_plots(p, &set);
    sp__plots_free(&set);
    return good;
}

// ---- an incomplete run

// its progress, from the table of steps
static void show_progress(sp_page *p, const char *folder) {
    char path[PATH_MAX], why[PATH_MAX + 100];
    sp_trace t;
    if (!report_path(folder, "steps.csv", path) || !sp__trace_read_csv(&t, path, why, sizeof why)) return;
    int step = sp__trace_column(&t, "step"), time = sp__trace_column(&t, "time [s]");
    const sp_trace_cell *last = t.rows ? t.cells + (size_t)(t.rows - 1) * (size_t)t.columns : NULL;
    sp__page_add(p, "<div class=\"facts\">\n");
    sp__report_fact(p, "steps in steps.csv", "%ld", t.added);
    if (last && step >= 0) sp__report_fact(p, "last step", "%.0f", last[step].high);
    if (last && time >= 0) sp__report_fact(p, "simulated", "%.6g s", last[time].high);
    sp__page_add(p, "</div>\n");
    sp__trace_free(&t);
}

static void show_recording(sp_page *p, const char *folder, const char *name) {
    char path[PATH_MAX];
    sp_recording *recording = NULL;
    sp_recording_info info;
    sp_recording_frame last;
    sp__html_row(p);
    sp__html_cell(p, NULL, "%s", name);
    if (!report_path(folder, name, path) || sp_recording_open(p->ctx, path, &recording) < 0) {
        sp__html_cell(p, "n", "-"), sp__html_cell(p, "say", "%s", sp_context_error(p->ctx)->message);
        return;
    }
    sp_recording_get(recording, &info);
    sp__html_cell(p, "n", "%d", info.frame_count);
    if (info.frame_count && sp_recording_frame_at(recording, info.frame_count - 1, &last) >= 0)
        sp__html_cell(p, "n", "%.6g", last.time);
    else
        sp__html_cell(p, "n", "-");
    sp_recording_close(&recording);
}

static int is_recording(const struct dirent *e) {
    size_t n = strlen(e->d_name);
    return n > 5 && strcmp(e->d_name + n - 5, ".xdmf") == 0;
}

static void show_recordings(sp_page *p, const char *folder) {
    static const char *const heads[] = {"recording", "frames", "last at [s]"};
    struct dirent **entries;
    int n = scandir(folder, &entries, is_recording, alphasort);
    if (n > 0) {
        sp__html_head(p, "Recordings");
        sp__html_table_begin(p, heads, 3);
    }
    for (int i = 0; i < n; i++) {
        show_recording(p, folder, entries[i]->d_name);
        free(entries[i]);
    }
    if (n >= 0) free(entries);
    if (n > 0) sp__html_table_end(p);
}

static void show_unfinished(sp_page *p, const char *folder) {
    sp__html_begin(p, folder);
    sp__page_add(p, "<h1>");
    sp__page_escape(p, folder);
    sp__page_add(p, "<span class=\"badge failed\">did not end</span></h1>\n");
    sp__html_text(
        p, "p", "lead",
        "This run did not end: it was killed, or it is still under way. There is no summary.json, so claims, bodies and "
        "probes are missing; what it has written so far is below.");
    show_progress(p, folder);
    show_recordings(p, folder);
}

// ---- the page

// run: NULL if the run is incomplete
static bool write_page(sp_page *p, const char *folder, const sp_json_value *run) {
    if (run) {
        const char *name = sp__json_get_text(run, "name");
        sp__html_begin(p, *name ? name : sp__json_get_text(run, "scene"));
        sp__report_head(p, run);
        show_picture(p, folder);
        sp__report_tables(p, run);
    } else {
        show_unfinished(p, folder);
    }
    if (!add_plots(p, folder, run)) return false;
    show_listing(p, folder, "source.xml", "Scene");
    show_listing(p, folder, "scene.txt", "Every value in use");
    show_files(p, folder);
    if (run) sp__report_provenance(p, run);
    sp__html_end(p);
    return !p->text.broken;
}

static int report_fail(const char *what) {
    fprintf(stderr, "souple report: %s\n", what);
    return SP_EXIT_FAILED;
}

static int save(sp_context *ctx, const sp_report_args *args, const sp_json_value *run) {
    char path[PATH_MAX];
    sp_page page = {.ctx = ctx};
    snprintf(path, sizeof path, "%s/report.html", args->folder);
    const char *to = args->html ? args->html : path;
    bool whole = write_page(&page, args->folder, run);
    sp_status status = whole ? sp__page_save(&page, to) : SP_NO_MEMORY;
    sp__page_free(&page);
    if (status < 0) return report_fail(whole ? sp_context_error(ctx)->message : "out of memory");
    if (!run)
        fprintf(stderr, "warning: %s has no summary.json: the run did not end; the page shows what is there\n", args->folder);
    if (!args->quiet) printf("%s\n", to);
    return SP_EXIT_DONE;
}

static int report_write(const sp_report_args *args, const sp_json_value *run) {
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    def.workers = 1;
    if (sp_context_create(&def, &ctx) < 0) return report_fail("out of memory");
    int code = save(ctx, args, run);
    sp_context_destroy(&ctx);
    return code;
}

static int report_main(const sp_command *command, int argc, char **argv) {
    sp_report_args args = {0};
    sp_arguments a = {.command = command, .take = report_take, .user = &args, .word_limit = 1};
    char path[PATH_MAX];
    sp_json_tree tree;
    int code = sp__read_arguments(&a, argc, argv);
    if (code >= 0) return code;
    if (a.word_count < 1) return sp__complain(&a, "which folder? (what `souple run --out` was given)");
    args.folder = a.words[0];
    if (!report_path(args.folder, "summary.json", path)) return sp__complain(&a, "%.100s...: too long", args.folder);
    char found[64];
    if (access(path, F_OK) != 0 && sp__run_folder_taken(args.folder, found)) return report_write(&args, NULL);
    if (!sp__json_read(&tree, path) || tree.root->kind != SP_JSON_OBJECT)
        code = sp__complain(&a, "%s: %s", path, tree.why[0] ? tree.why : "not the summary of a run");
    else
        code = report_write(&args, tree.root);
    sp__json_free(&tree);
    return code;
}

const sp_command sp__command_report = {
    .name = "report",
    .arguments = "DIR",
    .summary = "Make one HTML page of a run that was written to a folder",
    .text =
        "The page stands alone: picture, tables, plots, the scene's text and where it came from, without scripts or network.\n"
        "It is made from what `souple run --out DIR` leaves: summary.json, steps.csv, picture.png, source.xml, scene.txt.\n"
        "Of a run that was killed it shows what is there, and says so.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = "  souple run scenes/beam.xml --out results\n"
                "  souple report results\n",
    .main = report_main,
};
