// Building blocks of recordings: strings, numbers, lists that grow by rows. Failures are stored in the file object, so that a
// writer can check once at the end.
#ifndef SP_HDF5_ITEMS_H
#define SP_HDF5_ITEMS_H

#include "io/record/hdf5_store.h"

typedef struct sp_h5 {
    sp_context *ctx;
    const char *path;
    hid_t file;
    bool failed;     // an HDF5 call failed
    bool no_memory;  // the reason was memory
    char what[160];  // the failed item, for the message
} sp_h5;

// A growing list of rows; each row has up to two dimensions.
typedef struct sp_h5_list {
    hid_t id, memory;  // dataset; type of the values in memory
    int rank;          // including the dimension of the rows
    hsize_t row[2];
    hsize_t count;
} sp_h5_list;

void sp__h5_failed(sp_h5 *h, const char *what);
hid_t sp__h5_group(sp_h5 *h, hid_t at, const char *name);
void sp__h5_text_attr(sp_h5 *h, hid_t at, const char *name, const char *text);
void sp__h5_number_attr(sp_h5 *h, hid_t at, const char *name, hid_t type, hid_t memory, const void *value);
void sp__h5_text(sp_h5 *h, hid_t at, const char *name, const char *text, size_t size);
void sp__h5_texts(sp_h5 *h, hid_t at, const char *name, const char *const *texts, int count);
void sp__h5_numbers(sp_h5 *h, hid_t at, const char *name, hid_t type, hid_t memory, const void *values, size_t count);
void sp__h5_ints(sp_h5 *h, hid_t at, const char *name, const int *values, int rows, int columns);

// compress: shuffle and deflate. A chunk is one row of at most SP_H5_CHUNK bytes; with `many`, a chunk holds several short rows.
enum { SP_H5_CHUNK = 1 << 22 };
void sp__h5_list_create(sp_h5 *h, hid_t at, const char *name, hid_t type, hid_t memory, int rank, const hsize_t *row, bool many,
                        bool compress, sp_h5_list *out);
bool sp__h5_list_open(sp_h5 *h, hid_t at, const char *name, hid_t memory, sp_h5_list *out);  // false: missing, or not a list
void sp__h5_list_add(sp_h5 *h, sp_h5_list *list, hsize_t rows, const void *data);
void sp__h5_list_cut(sp_h5 *h, sp_h5_list *list, hsize_t rows);  // truncates to `rows` rows
void sp__h5_list_close(sp_h5_list *list);
hid_t sp__h5_event_type(void);  // compound of sp_event

#endif
