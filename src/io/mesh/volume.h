// Files of labelled voxels: NRRD (one file or detached header, raw or gzip) and NIfTI-1 (.nii, .nii.gz). As for meshes, every
// size is checked against the available bytes before it is used.
#ifndef SP_VOLUME_H
#define SP_VOLUME_H

#include "io/file/text_file.h"
#include "souple/io.h"

typedef enum sp_voxel_type {
    SP_VOXEL_INT8,
    SP_VOXEL_UINT8,
    SP_VOXEL_INT16,
    SP_VOXEL_UINT16,
    SP_VOXEL_INT32,
    SP_VOXEL_UINT32,
    SP_VOXEL_FLOAT,
    SP_VOXEL_DOUBLE
} sp_voxel_type;

struct sp_volume {
    sp_context *ctx;
    const char *file;  // for messages
    sp_keep keep;
    sp_label_volume labels;
    sp_voxel_type type;
    bool swapped;  // byte order differs from the host
};

// "scan.nii: at byte 40: ..." (offset >= 0), "scan.nhdr:3: ..." (line > 0)
#define SP_VOLUME_FAIL(volume, line, offset, ...) sp__volume_fail((volume), (line), (offset), __LINE__, __VA_ARGS__)
sp_status sp__volume_fail(sp_volume *v, int line, int64_t offset, int source_line, const char *format, ...) SP_PRINTF(5, 6);

sp_status sp__volume_nrrd(sp_volume *v, const char *text, size_t size, const char *path);
sp_status sp__volume_nifti(sp_volume *v, const unsigned char *data, size_t size);

size_t sp__voxel_bytes(sp_voxel_type type);
// Checks the dimensions against the limits; returns the number of voxels.
sp_status sp__volume_size(sp_volume *v, const double dims[3], int line, int64_t offset, size_t *voxels);
// Converts bytes to labels. `data` has at least `voxels` values; the first one is at byte `offset` of the file.
sp_status sp__volume_take(sp_volume *v, const unsigned char *data, size_t voxels, int64_t offset);

// Decompresses the first `wanted` bytes of a gzip stream; the volume owns them. Fewer bytes are an error.
sp_status sp__volume_inflate(sp_volume *v, const unsigned char *data, size_t size, size_t wanted, unsigned char **out);
// Whether a stream of this size could decompress to so many bytes.
bool sp__volume_may_inflate(size_t size, double wanted);

#endif
