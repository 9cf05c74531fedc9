// An HDF5 file that is valid after every commit, even if the run is killed between two commits.
//
// HDF5 modifies its tables in place: a program that ends during a write leaves them damaged, and on a full disk the library
// cannot close the file. This file driver is therefore between the library and the file. Data after the last commit is written at
// once, since nothing refers to it yet. Changes in place are held and written by the commit in the order of the library; in its
// mode for one writer and many readers (SWMR) every prefix of that order is a readable file. The superblock flag "open for
// writing" is cleared, so that any reader opens the file. A failed write is stored and hidden from the library, which can then
// close: the file keeps its last commit.
#ifndef SP_HDF5_STORE_H
#define SP_HDF5_STORE_H

#include <hdf5.h>

#include "io/record/record.h"

// HDF5 has global state and may be built without thread safety: every use must be between these two calls.
void sp__hdf5_enter(void);
void sp__hdf5_leave(void);

typedef struct sp_store sp_store;

// A new file has a temporary name until the first commit renames it to `path`. Call this and the following inside enter and
// leave.
sp_status sp__store_open(sp_context *ctx, const char *path, bool create, sp_store **out);
hid_t sp__store_access(sp_store *s);  // property list for H5Fcreate and H5Fopen
sp_status sp__store_commit(sp_store *s);
sp_status sp__store_state(sp_store *s);       // the first error so far, which the library does not see
uint64_t sp__store_bytes(const sp_store *s);  // size of the file at its last commit
void sp__store_close(sp_store **s);           // discards everything that is not committed

#endif
