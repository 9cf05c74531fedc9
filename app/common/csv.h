// CSV files (RFC 4180): quotes where a field needs them, lines end in LF or CRLF.
#ifndef SP_CSV_H
#define SP_CSV_H

#include <stdbool.h>
#include <stdio.h>

// Reads one row at a time from a file.
typedef struct sp_csv {
    FILE *file;
    char *text;     // fields of the row, each zero-terminated
    char **fields;  // into text
    int count;
    size_t size, capacity;
    int field_capacity;
    const char *why;  // the error; NULL: none
} sp_csv;

enum { SP_CSV_FIELDS = 4096, SP_CSV_ROW = 1 << 22 };  // limits of a row: fields and bytes

bool sp__csv_open(sp_csv *c, const char *path);  // false: see errno
// The next complete row. False: end of file, or `why` is set.
bool sp__csv_row(sp_csv *c);
void sp__csv_close(sp_csv *c);

void sp__csv_field(FILE *file, const char *text, bool first);

#endif
