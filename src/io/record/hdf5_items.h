// What recordings are made of, in a few calls: texts, numbers, lists that grow by rows. Failures are remembered in the file, so
// that a writer may ask once at the end.
#ifndef SP_HDF5_ITEMS_H
#define SP_HDF5_ITEMS_H

#include "io/record/hdf5_store.h"

typedef struct sp_h5 {
    sp_context *ctx;
    const char *path;
    hid_t file;
    bool failed;     // a call of the library was refused
    bool no_memory;  // and why
    char what[160];  // which, for the message
} sp_h5;

// A list of rows, each of up to two dimensions, that grows.
typedef struct sp_h5_list {
    hid_t id, memory;  // dataset; type of the numbers in memory
    int rank;          // with the rows
    hsize_t row[2];
    hsize_t count;
} sp_h5_list;

void sp__h5_failed(sp_h5 *h, const char *what);
hid_t sp__h5_group(sp_h5 *h, hid_t at, const char *name);
void sp__h5_text_attr(sp_h5 *h, hid_t at, const char *name, const char *text);
void sp__h5_number_attr(sp_h5 *h, hid_t at, const char *name, hid_t type, hid_t memory, const void *value);
void sp__h5_text(sp_h5 *h, hid_t at, const char *name, const char *text, size_t size);
void sp__h5_texts(sp_h5 *h, hid_t at, const char *name, const char *const *texts, int count);
void sp__h5_ints(sp_h5 *h, hid_t at, const char *name, const int *values, int rows, int columns);

// compress: shuffled and deflated. A chunk is one row where that is no more than SP_H5_CHUNK bytes, several small rows otherwise
// only where `many`.
enum { SP_H5_CHUNK = 1 << 22 };
void sp__h5_list_create(sp_h5 *h, hid_t at, const char *name, hid_t type, hid_t memory, int rank, const hsize_t *row, bool many,
                        bool compress, sp_h5_list *out);
bool sp__h5_list_open(sp_h5 *h, hid_t at, const char *name, hid_t memory, sp_h5_list *out);  // false: not there, or no list
void sp__h5_list_add(sp_h5 *h, sp_h5_list *list, hsize_t rows, const void *data);
void sp__h5_list_cut(sp_h5 *h, sp_h5_list *list, hsize_t rows);  // keeps that many
void sp__h5_list_close(sp_h5_list *list);
hid_t sp__h5_event_type(void);  // compound of sp_event

#endif
