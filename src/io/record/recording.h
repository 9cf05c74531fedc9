// Internals of a recording opened for reading. recording.c opens and answers queries, recording_read.c reads the items of the
// file.
#ifndef SP_RECORDING_H
#define SP_RECORDING_H

#include "io/record/hdf5_store.h"

// A group of a body: its rows are those of the frames from `first` on.
typedef struct sp_recorded_span {
    const char *name;
    int revision, first, rows;
} sp_recorded_span;

typedef struct sp_recorded_body {
    sp_recording_body about;
    int index;  // in the file; contacts refer to it
    sp_recorded_span *spans;
    int span_count;
    int revision;  // revision of `topology`; -1: none
    sp_recording_topology topology;
    int *cells;
} sp_recorded_body;

struct sp_recording {
    sp_context *ctx;
    sp_keep keep;
    const char *path;  // of the HDF5 file
    hid_t file;
    uint64_t bytes;  // size of the file, the bound of all counts
    sp_recording_info info;
    sp_recording_frame *frames;
    sp_recorded_body *bodies;
    uint64_t *contact_rows;  // of each frame: first row of its contacts, then that of the next frame; NULL: no contacts
};

#define SP_RECORDING_FAIL(r, ...) sp__recording_fail((r), __LINE__, __VA_ARGS__)
sp_status sp__recording_fail(sp_recording *r, int line, const char *format, ...) SP_PRINTF(3, 4);

sp_status sp__recording_open_file(sp_recording *r);  // sets file and bytes

// recording_read.c: these use only ctx, keep, path, file and bytes, so that other readers of HDF5 files share them
typedef struct sp_extent {
    int rank;
    hsize_t size[3];
    H5T_class_t type;
} sp_extent;
hid_t sp__recording_group(sp_recording *r, hid_t at, const char *name);  // -1: error reported
sp_status sp__recording_extent(sp_recording *r, hid_t at, const char *name, hid_t *data, sp_extent *out);
// Fails if a file of this size cannot hold `count` items.
sp_status sp__recording_fits(sp_recording *r, const char *name, uint64_t count, size_t size);
sp_status sp__recording_column(sp_recording *r, hid_t at, const char *name, hid_t memory, size_t size, int *count, void **out);
sp_status sp__recording_text(sp_recording *r, hid_t at, const char *name, bool attribute, const char **out, size_t *size);
sp_status sp__recording_texts(sp_recording *r, hid_t at, const char *name, int *count, const char *const **out);
sp_status sp__recording_number(sp_recording *r, hid_t at, const char *name, hid_t memory, void *out);
sp_status sp__recording_names(sp_recording *r, hid_t at, const char *what, int *count, const char ***out);

#endif
