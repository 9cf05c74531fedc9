// `souple sweep`: a grid of values (sweep_grid.c), one process per grid point (sweep_run.c), a table of the results
// (sweep_table.c), and a page with plots (sweep_page.c).
#ifndef SP_SWEEP_H
#define SP_SWEEP_H

#include <limits.h>

#include "common/command.h"
#include "util/json_read.h"

enum { SP_SWEEP_AXES = 16, SP_SWEEP_RUNS = 10000 };

// ---- the grid

typedef struct sp_sweep_axis {
    char *path;
    char **values;
    int count;
    bool log;  // a range with equal ratios
} sp_sweep_axis;

typedef struct sp_sweep_grid {
    sp_sweep_axis axes[SP_SWEEP_AXES];
    int axis_count;
    long runs;  // product of the counts
} sp_sweep_grid;

// "path=v1,v2" or "path=a:b:n" or "path=a:b:n:log"; commas inside brackets and quotes do not separate. False: `why`.
bool sp__sweep_grid_add(sp_sweep_grid *g, const char *set, char *why, size_t size);
void sp__sweep_grid_free(sp_sweep_grid *g);
// Index of the value on each axis; the last axis varies fastest.
void sp__sweep_point(const sp_sweep_grid *g, long run, int *index);
// "young=2e4 k=3", for the axes with several values.
void sp__sweep_point_text(const sp_sweep_grid *g, long run, char *out, size_t size);

// ---- the table

typedef struct sp_sweep_row {
    bool done;
    char **cells;  // by column
    int cell_count;
} sp_sweep_row;

typedef struct sp_sweep_table {
    const sp_sweep_grid *grid;
    char **columns;             // results; in the file the sets come before them
    int column_count, written;  // columns in the file
    sp_sweep_row *rows;         // one per run
    sp_sweep_row *others;       // rows of the file that are not in this grid: sets, then results
    long other_count;
    char path[PATH_MAX];
    bool broken;  // no memory
} sp_sweep_table;

bool sp__sweep_table_start(sp_sweep_table *t, const sp_sweep_grid *grid, const char *path);
void sp__sweep_table_free(sp_sweep_table *t);
// Reads the existing rows of the file; returns their number, -1: the file does not match, see `why`.
long sp__sweep_table_resume(sp_sweep_table *t, char *why, size_t size);
void sp__sweep_set(sp_sweep_table *t, long run, const char *column, const char *format, ...) SP_PRINTF(4, 5);
// Fills the columns of a run from its summary.
void sp__sweep_fill(sp_sweep_table *t, long run, const sp_json_value *summary);
// Appends a finished row to the file; or writes the whole file in grid order. False: errno.
bool sp__sweep_table_append(sp_sweep_table *t, long run);
bool sp__sweep_table_write(sp_sweep_table *t);
int sp__sweep_column(const sp_sweep_table *t, const char *name);            // with or without its unit; -1: not found
const char *sp__sweep_cell(const sp_sweep_table *t, long run, int column);  // "" if empty

// ---- the runs

typedef struct sp_sweep_args {
    const char *scene, *out;
    const char *steps, *time, *backend, *columns;
    const char *allow[SP_LIST_MAX];
    int allow_count;
    long jobs, threads;
    bool resume, overwrite, keep, json, quiet;
} sp_sweep_args;

typedef struct sp_sweep {
    sp_sweep_args args;
    sp_sweep_grid grid;
    sp_sweep_table table;
    long skipped;                                // rows that already existed
    long ok, reserved, missed, failed, refused;  // rows, including existing ones
    bool stopped;
} sp_sweep;

// Executes every run that is not done. False: it had to stop; the reason was printed.
bool sp__sweep_run(sp_sweep *s);
void sp__sweep_count(sp_sweep *s, const char *status);
bool sp__sweep_page(const sp_sweep *s, const char *path, char *why, size_t size);

#endif
