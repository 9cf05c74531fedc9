// Time series with fixed memory, for plots: at most SP_TRACE_ROWS rows are kept. A kept row covers several added rows and stores
// minimum, maximum and mean of every column.
#ifndef SP_TRACE_H
#define SP_TRACE_H

#include <stdbool.h>
#include <stddef.h>

enum { SP_TRACE_ROWS = 1024, SP_TRACE_NAME = 160 };

typedef struct sp_trace_cell {
    double sum, low, high;
    long count;  // finite numbers
} sp_trace_cell;

typedef struct sp_trace {
    int columns;
    char (*names)[SP_TRACE_NAME];
    sp_trace_cell *cells;  // SP_TRACE_ROWS x columns
    int rows;              // in use
    long share;            // added rows per kept row: 1, 2, 4, ...
    long added;
} sp_trace;

// False: no memory.
bool sp__trace_start(sp_trace *t, int columns);
void sp__trace_free(sp_trace *t);
void sp__trace_add(sp_trace *t, const double *values);
int sp__trace_column(const sp_trace *t, const char *name);  // -1: not found
// Means of a column, t->rows of them. NaN for a row without finite numbers.
void sp__trace_means(const sp_trace *t, int column, double *out);
// A line over column `x` that keeps peaks: one point per kept row while it covers a single row, otherwise minimum and maximum.
// The arrays have room for 2 x SP_TRACE_ROWS. Returns the number of points.
int sp__trace_line(const sp_trace *t, int x, int column, double *points_x, double *points_y);

// ---- tables of numbers in files (RFC 4180)

// Reads a header of names and rows of numbers; an empty field is NaN. An incomplete row (of a killed run) is dropped. False:
// `why` describes the error in the file.
bool sp__trace_read_csv(sp_trace *t, const char *path, char *why, size_t size);

#endif
