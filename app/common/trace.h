// Numbers that come row by row, a column each, kept for plots in fixed memory: neighbouring rows share one of at most
// SP_TRACE_ROWS, of which the least, the greatest and the mean of every column are known.
#ifndef SP_TRACE_H
#define SP_TRACE_H

#include <stdbool.h>
#include <stddef.h>

enum { SP_TRACE_ROWS = 1024, SP_TRACE_NAME = 160 };

typedef struct sp_trace_cell {
    double sum, low, high;
    long count;  // of finite numbers
} sp_trace_cell;

typedef struct sp_trace {
    int columns;
    char (*names)[SP_TRACE_NAME];
    sp_trace_cell *cells;  // SP_TRACE_ROWS x columns
    int rows;              // in use
    long share;            // rows added that share one kept: 1, 2, 4, ...
    long added;
} sp_trace;

// False: no memory.
bool sp__trace_start(sp_trace *t, int columns);
void sp__trace_free(sp_trace *t);
void sp__trace_add(sp_trace *t, const double *values);
int sp__trace_column(const sp_trace *t, const char *name);  // -1: there is none
// Means of a column, t->rows of them. Where there are no finite numbers: NaN.
void sp__trace_means(const sp_trace *t, int column, double *out);
// Lines over the column `x` that keep peaks: one point a row while a row is one, otherwise least and greatest, in `points` arrays
// of 2 x SP_TRACE_ROWS. Returns the number of points.
int sp__trace_line(const sp_trace *t, int x, int column, double *points_x, double *points_y);

// ---- tables of numbers in files (RFC 4180)

// A head of names and rows of numbers; empty: NaN. What is not a whole row (a run that was killed) is left out. False: `why` says
// what is wrong with the file.
bool sp__trace_read_csv(sp_trace *t, const char *path, char *why, size_t size);

#endif
