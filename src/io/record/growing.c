// XML files that grow frame by frame and are well-formed at any time, also if the run is killed inside a write: a system stops a
// write between two memory pages at most. The closing lines end with a processing instruction, which readers skip:
//     text  </Grid></Domain></Xdmf><?end?>
// 1. spaces are appended, and a second <?end?> in them;            2. the first one loses its ?> and so spans the new space;
// 3. new text and closing lines are written into the instruction;  4. spaces replace the old closing lines: the text counts.
// Steps 2 and 4 and the second <?end?> each write into one page. If the disk is full, the old closing lines are restored.
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

static const char instruction[] = "<?end?>\n";
enum { MARK = sizeof instruction - 1, OPENING = 5 /* "<?end" */, PAGE = 4096 /* the smallest page of any system */ };

static size_t closing_size(const sp_growing *g) {
    return strlen(g->tail) + MARK;
}

uint64_t sp__growing_bytes(const sp_growing *g) {
    return g->end + closing_size(g);
}

// spaces before closing lines at `at`, so that they stay within one page
static size_t padding(const sp_growing *g, uint64_t at) {
    size_t rest = (size_t)(PAGE - at % PAGE);
    return rest < closing_size(g) ? rest : 0;
}

// text: what replaces `blank`, spaces of the same size
static bool add_in_steps(sp_growing *g, const char *text, const char *blank, size_t size, uint64_t end) {
    size_t tail = strlen(g->tail), closing = closing_size(g);
    return write_at(g->fd, blank, size, g->end + closing) &&        // 1
           write_at(g->fd, instruction, MARK, end + tail) &&        //
           write_at(g->fd, "  ", 2, g->end + tail + OPENING) &&     // 2
           write_at(g->fd, text, size - MARK, g->end + closing) &&  // 3
           write_at(g->fd, blank, closing - 1, g->end);             // 4; the line break stays
}

sp_status sp__growing_add(sp_growing *g, const char *text, size_t size) {
    size_t tail = strlen(g->tail), closing = closing_size(g);
    uint64_t end = g->end + closing + size;
    size_t pad = padding(g, end), added = size + pad + closing;
    char *whole = sp__alloc(g->ctx, added, 2);
    if (!whole) return SP_FAIL(g->ctx, SP_NO_MEMORY, "%s: no memory for %zu bytes", g->path, added);
    memset(whole, ' ', 2 * added);
    if (size) memcpy(whole, text, size);
    memcpy(whole + size + pad, g->tail, tail);
    bool good = add_in_steps(g, whole, whole + added, added, end + pad);
    sp__free(g->ctx, whole);
    if (good) {
        g->end = end + pad;
        return SP_OK;
    }
    sp_status status = growing_failed(g);
    if (ftruncate(g->fd, (off_t)(g->end + closing)) == 0) write_at(g->fd, instruction, MARK, g->end + tail);
    return status;
}

sp_status sp__growing_open(sp_context *ctx, const char *path, const char *head, const char *tail, sp_growing *g) {
    size_t n = strlen(path) + 1;
    *g = (sp_growing){.ctx = ctx, .tail = tail, .fd = -1};
    if (!(g->path = sp__alloc(ctx, n, 1))) return SP_FAIL(ctx, SP_NO_MEMORY, "%s: no memory", path);
    memcpy(g->path, path, n);
    g->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (g->fd < 0) return growing_failed(g);
    char text[PAGE];
    int size = snprintf(text, sizeof text, "%s%s%s", head, tail, instruction);
    if (size < 0 || size >= PAGE) return SP_FAIL(ctx, SP_BAD_INPUT, "%s: its first lines are too long", path);
    g->end = strlen(head);
    return write_at(g->fd, text, (size_t)size, 0) ? SP_OK : growing_failed(g);
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
