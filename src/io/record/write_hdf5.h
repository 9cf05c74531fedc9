// The HDF5 file of an .xdmf record, in the format of docs/recordings.md. A frame is on disk after its write.
#ifndef SP_WRITE_HDF5_H
#define SP_WRITE_HDF5_H

#include "io/record/record.h"

typedef struct sp_heavy sp_heavy;

// An existing file is continued if the sink has `resumed` frames and the file matches; *kept: frames that stay in it.
sp_status sp__heavy_open(sp_sink *sink, const char *path, sp_heavy **out, long *kept);
sp_status sp__heavy_frame(sp_heavy *h, const sp_frame *frame);
long sp__heavy_first(const sp_heavy *h);  // first frame of the current revision
uint64_t sp__heavy_bytes(const sp_heavy *h);
sp_status sp__heavy_close(sp_heavy **h);

#endif
