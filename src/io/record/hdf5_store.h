// A file of HDF5 that is good after every commit, whatever kills the run between two of them.
//
// HDF5 changes its own tables in place, and a program that ends in the middle leaves them torn; a disk that is full leaves the
// library unable to close. So a driver of our own stands between the library and the file. What it appends behind the last
// commit goes to the file at once, since nothing refers to it yet. What it changes in place is held back and written by the
// commit, in the order in which the library gave it: in the library's mode for one writer and many readers (SWMR) each prefix of
// that order is a file that can be read. The mark "open for writing" is left out of the superblock, so that any reader opens the
// file. A write that fails is remembered, not told to the library, which can then go on to close: the file stays at its last
// commit.
#ifndef SP_HDF5_STORE_H
#define SP_HDF5_STORE_H

#include <hdf5.h>

#include "io/record/record.h"

// HDF5 keeps tables for the whole process and may be built without locks of its own: every use stands between these two.
void sp__hdf5_enter(void);
void sp__hdf5_leave(void);

typedef struct sp_store sp_store;

// A new file is made under another name and moved to `path` by the first commit. Inside enter and leave, as all that follows.
sp_status sp__store_open(sp_context *ctx, const char *path, bool create, sp_store **out);
hid_t sp__store_access(sp_store *s);  // property list for H5Fcreate and H5Fopen
sp_status sp__store_commit(sp_store *s);
sp_status sp__store_state(sp_store *s);       // what went wrong so far, which the library was not told
uint64_t sp__store_bytes(const sp_store *s);  // of the file at its last commit
void sp__store_close(sp_store **s);           // what is not committed is given up

#endif
