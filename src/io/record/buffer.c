// Growing byte buffers, and file names derived from a path.
#include <stdarg.h>
#include <stdio.h>

#include "io/record/record.h"

static bool reserve(sp_context *ctx, sp_buffer *b, size_t size) {
    if (size <= b->capacity - b->size) return true;
    if (size > SIZE_MAX / 4 - b->size) return false;
    size_t capacity = 2 * (b->size + size) < 256 ? 256 : 2 * (b->size + size);
    char *room = sp__alloc(ctx, capacity, 1);
    if (!room) return false;
    if (b->size) memcpy(room, b->data, b->size);
    sp__free(ctx, b->data);
    b->data = room;
    b->capacity = capacity;
    return true;
}

bool sp__buffer_add(sp_context *ctx, sp_buffer *b, const void *data, size_t size) {
    if (!reserve(ctx, b, size)) return false;
    if (size) memcpy(b->data + b->size, data, size);
    b->size += size;
    return true;
}

bool sp__buffer_print(sp_context *ctx, sp_buffer *b, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    bool good = n >= 0 && reserve(ctx, b, (size_t)n + 1);
    if (good) vsnprintf(b->data + b->size, (size_t)n + 1, format, again), b->size += (size_t)n;
    va_end(again);
    return good;
}

void sp__buffer_free(sp_context *ctx, sp_buffer *b) {
    sp__free(ctx, b->data);
    *b = (sp_buffer){0};
}

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
