// Tables of text in files (RFC 4180): quotes where a field needs them, a line may end in LF or CRLF.
#ifndef SP_CSV_H
#define SP_CSV_H

#include <stdbool.h>
#include <stdio.h>

// One row at a time out of a file.
typedef struct sp_csv {
    FILE *file;
    char *text;     // the row's fields, each ended by a zero byte
    char **fields;  // into text
    int count;
    size_t size, capacity;
    int room;
    const char *why;  // what was wrong; NULL: nothing
} sp_csv;

enum { SP_CSV_FIELDS = 4096, SP_CSV_ROW = 1 << 22 };  // what a row may have: fields and bytes

bool sp__csv_open(sp_csv *c, const char *path);  // false: errno says why
// The next row that ends in a line end. False: no more, or `why` is set.
bool sp__csv_row(sp_csv *c);
void sp__csv_close(sp_csv *c);

void sp__csv_field(FILE *file, const char *text, bool first);

#endif
