// The heavy half of an .xdmf record: an HDF5 file as docs/recordings.md lays it out. Write a frame, and it is on the disk.
#ifndef SP_WRITE_HDF5_H
#define SP_WRITE_HDF5_H

#include "io/record/record.h"

typedef struct sp_heavy sp_heavy;

// A file that exists is gone on with where `resumed` of the sink says so and it fits; *kept: frames that stay in it.
sp_status sp__heavy_open(sp_sink *sink, const char *path, sp_heavy **out, long *kept);
sp_status sp__heavy_frame(sp_heavy *h, const sp_frame *frame);
long sp__heavy_first(const sp_heavy *h);  // the frame at which the revision that is being written began
uint64_t sp__heavy_bytes(const sp_heavy *h);
sp_status sp__heavy_close(sp_heavy **h);

#endif
