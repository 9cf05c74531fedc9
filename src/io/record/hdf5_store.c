// The file driver of sp_store, see hdf5_store.h.
#ifdef SP_HAVE_HDF5
#define _XOPEN_SOURCE 700  // pread, pwrite
#include "io/record/hdf5_store.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

static pthread_mutex_t hdf5_lock = PTHREAD_MUTEX_INITIALIZER;

static H5E_auto2_t host_print;  // error handler of the host, saved while HDF5 is used
static void *host_data;

void sp__hdf5_enter(void) {
    pthread_mutex_lock(&hdf5_lock);
    H5Eget_auto2(H5E_DEFAULT, &host_print, &host_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);  // no error messages on stderr
}

void sp__hdf5_leave(void) {
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, host_print, host_data);
    pthread_mutex_unlock(&hdf5_lock);
}

typedef struct piece {  // a held write; its bytes follow
    uint64_t at, size;
} piece;

struct sp_store {
    sp_context *ctx;
    char *path, *draft;  // draft: temporary name until the first commit; NULL: the file is at `path`
    int fd;
    hid_t driver, access;
    uint64_t committed;  // size at the last commit; 0: no commit yet
    uint64_t end;        // end of the data that the library has written
    uint64_t allocated;  // end of allocation of the library
    sp_buffer held;
    int error;  // errno of the first failed write; 0: none
    bool no_memory;
};

typedef struct handle {  // file handle of the library
    H5FD_t head;
    sp_store *store;
} handle;

static sp_store *store_of(const H5FD_t *file) {
    return ((const handle *)file)->store;
}

static bool write_at(sp_store *s, const char *data, size_t size, uint64_t at) {
    while (size) {
        ssize_t n = pwrite(s->fd, data, size, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            s->error = n < 0 ? errno : ENOSPC;
            return false;
        }
        data += n, size -= (size_t)n, at += (uint64_t)n;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------- superblock

enum { SUPERBLOCK = 48, FLAGS_AT = 11, SUM_AT = 44 };  // version 3 with addresses of 8 bytes

static uint32_t turned(uint32_t x, int by) {
    return x << by | x >> (32 - by);
}

// checksum of HDF5 metadata: Jenkins' lookup3, little endian, initial value 0
static uint32_t hdf5_store_checksum(const unsigned char *p, size_t n) {
    static const int mix[6] = {4, 6, 8, 16, 19, 4}, last[7] = {14, 11, 25, 16, 4, 14, 24};
    uint32_t s[3];
    s[0] = s[1] = s[2] = 0xdeadbeefu + (uint32_t)n;
    for (; n > 12; p += 12, n -= 12) {
        for (int i = 0; i < 12; i++) s[i / 4] += (uint32_t)p[i] << (8 * (i % 4));
        for (int i = 0; i < 6; i++) {
            uint32_t *a = &s[i % 3], *b = &s[(i + 1) % 3], *c = &s[(i + 2) % 3];
            *a = (*a - *c) ^ turned(*c, mix[i]);
            *c += *b;
        }
    }
    for (size_t i = 0; i < n; i++) s[i / 4] += (uint32_t)p[i] << (8 * (i % 4));
    for (int i = 0; i < 7 && n; i++) s[(2 + i) % 3] = (s[(2 + i) % 3] ^ s[(1 + i) % 3]) - turned(s[(1 + i) % 3], last[i]);
    return s[2];
}

static void unmark(unsigned char *block, uint64_t size) {
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    if (size < SUPERBLOCK || memcmp(block, signature, sizeof signature) != 0 || block[8] != 3 || block[9] != 8) return;
    block[FLAGS_AT] = 0;
    uint32_t sum = hdf5_store_checksum(block, SUM_AT);
    for (int i = 0; i < 4; i++) block[SUM_AT + i] = (unsigned char)(sum >> (8 * i));
}

// ---------------------------------------------------------------------------------------------------- driver callbacks

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t most) {
    (void)name, (void)flags, (void)most;
    sp_store *const *store = H5Pget_driver_info(access);
    handle *h = store ? sp__alloc((*store)->ctx, 1, sizeof *h) : NULL;
    if (!h) {
        if (store) (*store)->no_memory = true;
        return NULL;
    }
    h->store = *store;
    return &h->head;
}

static herr_t driver_close(H5FD_t *file) {
    sp__free(store_of(file)->ctx, file);
    return 0;
}

static herr_t driver_query(const H5FD_t *file, unsigned long *flags) {
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_SUPPORTS_SWMR_IO |
             H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *file, H5FD_mem_t type) {
    (void)type;
    return store_of(file)->allocated;
}

static herr_t driver_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t at) {
    (void)type;
    store_of(file)->allocated = at;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *file, H5FD_mem_t type) {
    (void)type;
    return store_of(file)->end;
}

static void overlay(const sp_store *s, uint64_t at, size_t size, char *out) {
    for (size_t i = 0; i < s->held.size;) {
        piece p;
        memcpy(&p, s->held.data + i, sizeof p);
        const char *bytes = s->held.data + i + sizeof p;
        uint64_t from = p.at > at ? p.at : at, to = p.at + p.size < at + size ? p.at + p.size : at + size;
        if (from < to) memcpy(out + (from - at), bytes + (from - p.at), (size_t)(to - from));
        i += sizeof p + (size_t)p.size;
    }
}

static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size, void *out) {
    sp_store *s = store_of(file);
    (void)type, (void)transfer;
    memset(out, 0, size);
    for (size_t done = 0; done < size;) {
        ssize_t n = pread(s->fd, (char *)out + done, size - done, (off_t)(at + done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        if (n == 0) break;
        done += (size_t)n;
    }
    overlay(s, at, size, out);
    return 0;
}

static void hold(sp_store *s, uint64_t at, size_t size, const void *data) {
    piece p = {at, size};
    size_t before = s->held.size;
    if (sp__buffer_add(s->ctx, &s->held, &p, sizeof p) && sp__buffer_add(s->ctx, &s->held, data, size)) {
        if (at == 0) unmark((unsigned char *)s->held.data + before + sizeof p, size);
        return;
    }
    s->held.size = before;
    s->no_memory = true;
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size, const void *data) {
    sp_store *s = store_of(file);
    (void)type, (void)transfer;
    if (at + size > s->end) s->end = at + size;
    if (s->error || s->no_memory) return 0;
    if (s->committed && at >= s->committed)
        write_at(s, data, size, at);
    else
        hold(s, at, size, data);
    return 0;
}

static herr_t driver_truncate(H5FD_t *file, hid_t transfer, hbool_t closing) {
    (void)transfer, (void)closing;
    store_of(file)->end = store_of(file)->allocated;
    return 0;
}

static const H5FD_class_t driver_class = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600,  // a value from the range for unregistered drivers
#endif
    .name = "souple",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_SEMI,
    .fapl_size = sizeof(sp_store *),
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

// ---------------------------------------------------------------------------------------------------- creation and destruction

static bool name_files(sp_store *s, const char *path, bool create) {
    size_t n = strlen(path) + 1;
    if (!(s->path = sp__alloc(s->ctx, n, 1)) || (create && !(s->draft = sp__alloc(s->ctx, n + 5, 1)))) return false;
    memcpy(s->path, path, n);
    if (create) snprintf(s->draft, n + 5, "%s.part", path);
    return true;
}

static bool make_access(sp_store *s) {
    s->driver = H5FDregister(&driver_class);
    s->access = H5Pcreate(H5P_FILE_ACCESS);
    // the format of 1.10 has chunk indices that one writer can extend while others read
    return s->driver >= 0 && s->access >= 0 && H5Pset_driver(s->access, s->driver, &s) >= 0 &&
           H5Pset_libver_bounds(s->access, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0;
}

sp_status sp__store_open(sp_context *ctx, const char *path, bool create, sp_store **out) {
    sp_store *s = *out = sp__alloc(ctx, 1, sizeof *s);
    sp_status status = SP_OK;
    if (!s) return SP_FAIL(ctx, SP_NO_MEMORY, "%s: no memory for a recording", path);
    *s = (sp_store){.ctx = ctx, .fd = -1, .driver = -1, .access = -1};
    if (!name_files(s, path, create)) {
        status = SP_FAIL(ctx, SP_NO_MEMORY, "%s: no memory for a recording", path);
    } else if ((s->fd = open(create ? s->draft : path, O_RDWR | O_CLOEXEC | (create ? O_CREAT | O_TRUNC : 0), 0666)) < 0) {
        status = SP_FAIL(ctx, SP_IO, "%s: %s", create ? s->draft : path, strerror(errno));
        sp__free(ctx, s->draft);
        s->draft = NULL;
    } else if (!make_access(s)) {
        status = SP_FAIL(ctx, SP_IO, "%s: HDF5 does not accept the file driver", path);
    }
    off_t size = status >= 0 && !create ? lseek(s->fd, 0, SEEK_END) : 0;
    s->end = s->committed = size > 0 ? (uint64_t)size : 0;
    if (status < 0) sp__store_close(out);
    return status;
}

hid_t sp__store_access(sp_store *s) {
    return s->access;
}

uint64_t sp__store_bytes(const sp_store *s) {
    return s->committed;
}

// pieces at offset 0 are superblocks: only the last one counts
static void write_pieces(sp_store *s, bool superblock) {
    piece p, last = {0};
    const char *block = NULL;
    for (size_t i = 0; i < s->held.size && !s->error; i += sizeof p + (size_t)p.size) {
        memcpy(&p, s->held.data + i, sizeof p);
        const char *bytes = s->held.data + i + sizeof p;
        if (p.at == 0)
            last = p, block = bytes;
        else if (!superblock)
            write_at(s, bytes, (size_t)p.size, p.at);
    }
    if (superblock && block) write_at(s, block, (size_t)last.size, 0);
}

// Sets the file size and writes the superblock with the new end of file first, so that tables may point there.
static void write_held(sp_store *s) {
    uint64_t size = s->allocated > s->end ? s->allocated : s->end;
    if (size > s->committed && ftruncate(s->fd, (off_t)size) != 0) s->error = errno;
    write_pieces(s, true);
    write_pieces(s, false);
    if (!s->error && s->draft && rename(s->draft, s->path) != 0) s->error = errno;
    if (s->error) return;
    sp__free(s->ctx, s->draft);
    s->draft = NULL;
    s->held.size = 0;
    s->committed = s->end = size;
}

sp_status sp__store_commit(sp_store *s) {
    if (!s->error && !s->no_memory) write_held(s);
    return sp__store_state(s);
}

sp_status sp__store_state(sp_store *s) {
    if (s->no_memory) return SP_FAIL(s->ctx, SP_NO_MEMORY, "%s: no memory to hold a frame", s->path);
    return s->error ? SP_FAIL(s->ctx, SP_IO, "%s: %s", s->path, strerror(s->error)) : SP_OK;
}

void sp__store_close(sp_store **store) {
    sp_store *s = *store;
    if (!s) return;
    *store = NULL;
    if (s->access >= 0) H5Pclose(s->access);
    if (s->driver >= 0) H5FDunregister(s->driver);
    // remove uncommitted data at the end
    bool longer = s->fd >= 0 && s->committed && lseek(s->fd, 0, SEEK_END) > (off_t)s->committed;
    if (longer && ftruncate(s->fd, (off_t)s->committed) != 0) s->error = errno;
    if (s->fd >= 0) close(s->fd);
    if (s->draft) unlink(s->draft);
    sp__buffer_free(s->ctx, &s->held);
    sp__free(s->ctx, s->draft);
    sp__free(s->ctx, s->path);
    sp__free(s->ctx, s);
}
#else
typedef int sp_hdf5_store_absent;
#endif
