// Compressed volumes, if zlib is available.
#include "io/mesh/volume.h"

// the best compression ratio of deflate is 1032
bool sp__volume_may_inflate(size_t size, double wanted) {
    return wanted <= 1032.0 * (double)size;
}

#ifdef SP_HAVE_ZLIB
#include <zlib.h>

static sp_status inflate_to(sp_volume *v, const unsigned char *data, size_t size, unsigned char *out, size_t wanted) {
    z_stream z = {0};
    size_t taken = 0, made = 0;
    int code = inflateInit2(&z, 15 + 16);  // + 16: gzip header
    if (code != Z_OK) return SP_FAIL(v->ctx, SP_NO_MEMORY, "%s: zlib: no memory", v->file);
    while (code == Z_OK && made < wanted) {
        uInt in = (uInt)(size - taken < 1u << 30 ? size - taken : 1u << 30);
        uInt capacity = (uInt)(wanted - made < 1u << 30 ? wanted - made : 1u << 30);
        z.next_in = (Bytef *)(uintptr_t)(data + taken), z.avail_in = in;
        z.next_out = out + made, z.avail_out = capacity;
        code = inflate(&z, Z_NO_FLUSH);
        taken += in - z.avail_in, made += capacity - z.avail_out;
    }
    inflateEnd(&z);
    if (made == wanted) return SP_OK;
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
        return SP_VOLUME_FAIL(v, 0, (int64_t)taken, "the compressed data are damaged (zlib error %d)", code);
    return SP_VOLUME_FAIL(v, 0, (int64_t)taken, "the compressed data end after %zu bytes, %zu are announced", made, wanted);
}

sp_status sp__volume_inflate(sp_volume *v, const unsigned char *data, size_t size, size_t wanted, unsigned char **out) {
    if (!sp__volume_may_inflate(size, (double)wanted))
        return SP_VOLUME_FAIL(v, 0, 0, "%zu bytes are announced, %zu compressed ones cannot hold them", wanted, size);
    if (!SP_KEEP(&v->keep, *out, wanted + 1))
        return SP_FAIL(v->ctx, SP_NO_MEMORY, "%s: no memory for %zu bytes", v->file, wanted);
    return inflate_to(v, data, size, *out, wanted);
}

#else

sp_status sp__volume_inflate(sp_volume *v, const unsigned char *data, size_t size, size_t wanted, unsigned char **out) {
    (void)data, (void)size, (void)wanted, (void)out;
    return SP_FAIL(
        v->ctx, SP_UNAVAILABLE,
        "%s: compressed, and this build has no zlib: install zlib1g-dev and build again with -DSP_ZLIB=ON, or gunzip it",
        v->file);
}

#endif
