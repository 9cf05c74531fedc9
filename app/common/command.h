// The command `souple`: a table of subcommands, each with its options. Parsing, help and suggestions come from this table.
//
//   0  done      1  the simulation failed or was stopped      2  wrong usage or input      3  an `expect` of the scene failed
#ifndef SP_COMMAND_H
#define SP_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "souple/io.h"
#include "util/clock.h"
#include "util/json.h"

enum { SP_EXIT_DONE, SP_EXIT_FAILED, SP_EXIT_USAGE, SP_EXIT_MISSED };

typedef struct sp_option {
    const char *name;    // "--steps"
    const char *values;  // placeholders of the values, one word each: "W H"; NULL: none
    const char *meaning;
} sp_option;

typedef struct sp_command sp_command;
struct sp_command {
    const char *name;
    const char *arguments;  // "SCENE"
    const char *summary;
    const char *text;  // help below the summary; nullable
    const sp_option *options;
    int option_count;
    const char *examples;  // one per line
    int (*main)(const sp_command *command, int argc, char **argv);
    const sp_command *const *parts;  // subcommands with their full names: "mesh info"; nullable
    int part_count;
};

extern const sp_command sp__command_run, sp__command_check, sp__command_list, sp__command_render, sp__command_mesh,
    sp__command_import, sp__command_export, sp__command_report, sp__command_sweep, sp__command_view, sp__command_bench;

// Names and meanings of the benches (bench.c). False: souple-bench could not be run; the error is already printed.
bool sp__bench_list(void (*add)(void *user, const char *name, const char *what), void *user);

// ---- arguments (options.c)

typedef struct sp_arguments {
    const sp_command *command;
    bool json;  // --json is present: errors are also written as an object
    // called for each option in order with its values; false: an error was already printed
    bool (*take)(struct sp_arguments *a, int option, char **values);
    void *user;
    const char *words[4];  // positional arguments
    int word_count, word_limit;
} sp_arguments;

// -1: continue; otherwise the exit code (help or an error was printed)
int sp__read_arguments(sp_arguments *a, int argc, char **argv);
void sp__print_help(const sp_command *command, FILE *file);
// Prints an error to stderr, and with --json also as an object to stdout. The functions return SP_EXIT_USAGE and false.
int sp__complain(const sp_arguments *a, const char *format, ...) SP_PRINTF(2, 3);
// `text` must be one of `known`; otherwise prints an error that suggests the nearest one.
bool sp__check_word(const sp_arguments *a, const char *what, const char *text, const char *const *known, int count);
bool sp__read_number(const sp_arguments *a, const char *option, const char *text, double low, double high, double *out);
bool sp__read_integer(const sp_arguments *a, const char *option, const char *text, long low, long high, long *out);
bool sp__has_option(int argc, char **argv, const char *name);

// ---- an open scene (session.c)

enum { SP_LIST_MAX = 256 };

typedef struct sp_scene_args {
    const char *path;
    const char *sets[SP_LIST_MAX], *allow[SP_LIST_MAX];
    int set_count, allow_count;
    int threads;  // 0: one per core
    const char *backend;
    bool overwrite;  // the folder for records may contain a run, whose files are removed
} sp_scene_args;

typedef struct sp_session {
    sp_context *context;
    sp_scene *scene;
    sp_run *run;
    sp_world *world;
    sp_error error;  // the reason if it could not be opened
} sp_session;

// Options shared by run, check and render; false: not one of them, or an error was printed (*bad).
bool sp__take_scene_option(sp_scene_args *scene, const sp_arguments *a, const char *name, char **values, bool *bad);
// Loads the scene, creates the folder for records, builds the world. Messages go to stderr. Returns the exit code; SP_EXIT_DONE:
// continue.
int sp__session_open(sp_session *s, const sp_scene_args *args, sp_run_options *options);
void sp__session_close(sp_session *s);
void sp__session_messages(const sp_session *s, sp_json *j);  // "messages": [...]
void sp__json_error(sp_json *j, const sp_error *error);      // "error": {...}
// The object that --json prints if nothing was simulated.
void sp__json_refused(const sp_session *s, const char *scene, int code);
const char *sp__session_backend(const sp_session *s);  // the actual name, never "auto"
void sp__print_to(void *file, const char *text);       // callback for sp_scene_describe and similar functions

// ---- tables of text (table.c)

enum { SP_TABLE_COLUMNS = 12, SP_TABLE_CELL = 96 };

typedef struct sp_table {
    char (*cells)[SP_TABLE_COLUMNS][SP_TABLE_CELL];
    int rows, capacity, columns, column;
    bool broken;    // no memory: prints nothing
    unsigned left;  // bit mask of left-aligned columns
} sp_table;

void sp__table_row(sp_table *t);
void sp__table_cell(sp_table *t, const char *format, ...) SP_PRINTF(2, 3);
void sp__table_print(const sp_table *t, FILE *file, int indent);
void sp__table_free(sp_table *t);

// ---- progress and interruption (progress.c)

typedef struct sp_progress {
    bool terminal, quiet, shown;
    bool fine;  // the terminal supports UTF-8
    double started_ms, last_ms, next_ms;
    long planned;
    const char *each;  // unit of the count if it is not steps ("picture")
} sp_progress;

void sp__progress_start(sp_progress *p, bool quiet, long planned);
void sp__progress_step(sp_progress *p, long steps, double time, double dt);
void sp__progress_clear(sp_progress *p);  // call before any other output to the terminal

// Calls `stop` on SIGINT and SIGTERM. `once`: only the first time; the second signal ends the program.
void sp__watch_signals(void (*stop)(int signal), bool once);

#endif
