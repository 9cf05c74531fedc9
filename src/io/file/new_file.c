// A file that is written under a temporary name in the same folder and renamed when complete. Other programs see the old file or
// the new one, never a part of it.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/mesh/cells.h"

static sp_status io_failed(sp_context *ctx, const char *path, int error) {
    return SP_FAIL(ctx, SP_IO, "%s: %s", path, error ? strerror(error) : "could not be written");
}

static void forget(sp_new_file *f) {
    sp__free(f->ctx, f->path);
    sp__free(f->ctx, f->draft);
    *f = (sp_new_file){.ctx = f->ctx};
}

// unique among all writers: the process id separates processes, the counter separates threads
static int open_draft(sp_new_file *f, size_t capacity) {
    for (int i = 0; i < 1000; i++) {
        snprintf(f->draft, capacity, "%s.%ld-%d.new", f->path, (long)getpid(), i);
        int fd = open(f->draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

sp_status sp__new_file_open(sp_context *ctx, const char *path, sp_new_file *f) {
    struct stat info;
    size_t n = strlen(path), capacity = n + 48;
    *f = (sp_new_file){.ctx = ctx};
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) return SP_FAIL(ctx, SP_IO, "%s: not a regular file", path);
    if (!SP_NEW(ctx, f->path, n + 1) || !SP_NEW(ctx, f->draft, capacity)) {
        forget(f);
        return SP_FAIL(ctx, SP_NO_MEMORY, "%s: no memory to write it", path);
    }
    memcpy(f->path, path, n + 1);
    int fd = open_draft(f, capacity);
    f->stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (f->stream) return SP_OK;
    int error = errno;
    if (fd >= 0) close(fd), unlink(f->draft);
    forget(f);
    return io_failed(ctx, path, error);
}

sp_status sp__new_file_close(sp_new_file *f, bool good) {
    if (!f->stream) return SP_OK;
    sp_status status = SP_OK;
    errno = 0;
    bool wrong = ferror((FILE *)f->stream) != 0;
    if (fclose(f->stream) != 0) wrong = true;
    if (good && wrong) status = io_failed(f->ctx, f->path, errno);
    if (good && !wrong && rename(f->draft, f->path) != 0) status = io_failed(f->ctx, f->path, errno);
    if (!good || status < 0) unlink(f->draft);
    forget(f);
    return status;
}
