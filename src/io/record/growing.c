// Text files that grow frame by frame and are well-formed at any time. The closing lines are rewritten after each piece of text
// in one call, so that a run may be killed between any two calls. If the disk is full, the old closing lines are restored.
#define _XOPEN_SOURCE 700  // pwrite
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "io/record/record.h"

static bool write_at(int fd, const char *data, size_t size, uint64_t at) {
    while (size) {
        ssize_t n = pwrite(fd, data, size, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = ENOSPC;
        if (n <= 0) return false;
        data += n, size -= (size_t)n, at += (uint64_t)n;
    }
    return true;
}

static sp_status growing_failed(sp_growing *g) {
    return SP_FAIL(g->ctx, SP_IO, "%s: %s", g->path, strerror(errno));
}

sp_status sp__growing_add(sp_growing *g, const char *text, size_t size) {
    size_t tail = strlen(g->tail);
    char *whole = sp__alloc(g->ctx, size + tail + 1, 1);
    if (!whole) return SP_FAIL(g->ctx, SP_NO_MEMORY, "%s: no memory for %zu bytes", g->path, size + tail);
    if (size) memcpy(whole, text, size);
    memcpy(whole + size, g->tail, tail);
    bool good = write_at(g->fd, whole, size + tail, g->end);
    sp__free(g->ctx, whole);
    if (good) {
        g->end += size;
        return SP_OK;
    }
    sp_status status = growing_failed(g);
    if (ftruncate(g->fd, (off_t)(g->end + tail)) == 0) write_at(g->fd, g->tail, tail, g->end);
    return status;
}

sp_status sp__growing_open(sp_context *ctx, const char *path, const char *head, const char *tail, sp_growing *g) {
    size_t n = strlen(path) + 1;
    *g = (sp_growing){.ctx = ctx, .tail = tail, .fd = -1};
    if (!(g->path = sp__alloc(ctx, n, 1))) return SP_FAIL(ctx, SP_NO_MEMORY, "%s: no memory", path);
    memcpy(g->path, path, n);
    g->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (g->fd < 0) return growing_failed(g);
    return sp__growing_add(g, head, strlen(head));
}

sp_status sp__growing_close(sp_growing *g) {
    sp_status status = SP_OK;
    if (g->fd >= 0 && close(g->fd) != 0) status = growing_failed(g);
    sp__free(g->ctx, g->path);
    g->fd = -1;
    g->path = NULL;
    return status;
}

// ---- file names

const char *sp__path_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *sp__path_with(sp_context *ctx, const char *path, const char *ending) {
    const char *dot = strrchr(sp__path_name(path), '.');
    size_t n = dot ? (size_t)(dot - path) : strlen(path);
    char *out = sp__alloc(ctx, n + strlen(ending) + 1, 1);
    if (!out) return NULL;
    memcpy(out, path, n);
    memcpy(out + n, ending, strlen(ending));
    return out;
}
