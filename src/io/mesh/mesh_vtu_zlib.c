// Compressed blocks of VTK's XML files, if zlib is available.
#include "io/mesh/mesh_vtu.h"
#include "io/mesh/vtu_write.h"

#ifdef SP_HAVE_ZLIB
#include <zlib.h>

bool sp__vtu_has_zlib(void) {
    return true;
}

bool sp__vtu_inflate(const unsigned char *from, size_t size, unsigned char *out, size_t bytes) {
    uLongf made = (uLongf)bytes;
    return uncompress(out, &made, from, (uLong)size) == Z_OK && made == bytes;
}

size_t sp__vtu_deflate_bound(size_t bytes) {
    return compressBound((uLong)bytes);
}

size_t sp__vtu_deflate(const void *from, size_t size, void *out, size_t capacity) {
    uLongf made = (uLongf)capacity;
    return compress2(out, &made, from, (uLong)size, 5) == Z_OK ? made : 0;  // VTK's default level
}

#else

bool sp__vtu_has_zlib(void) {
    return false;
}

bool sp__vtu_inflate(const unsigned char *from, size_t size, unsigned char *out, size_t bytes) {
    (void)from, (void)size, (void)out, (void)bytes;
    return false;
}

size_t sp__vtu_deflate_bound(size_t bytes) {
    return bytes;
}

size_t sp__vtu_deflate(const void *from, size_t size, void *out, size_t capacity) {
    (void)from, (void)size, (void)out, (void)capacity;
    return 0;
}

#endif
