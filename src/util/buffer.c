// See buffer.h.
#include "util/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/context.h"

static char *buffer_resize(sp_context *ctx, sp_buffer *b, size_t capacity) {
    if (!ctx) return realloc(b->data, capacity);
    char *data = sp__alloc(ctx, capacity, 1);
    if (!data) return NULL;
    if (b->size) memcpy(data, b->data, b->size);
    sp__free(ctx, b->data);
    return data;
}

// makes space for `size` more bytes and a terminating zero
static bool buffer_reserve(sp_context *ctx, sp_buffer *b, size_t size) {
    if (size < b->capacity - b->size) return true;
    char *data = NULL;
    size_t capacity = 256;
    if (size < SIZE_MAX / 4 - b->size) {
        if (2 * (b->size + size) > capacity) capacity = 2 * (b->size + size);
        data = buffer_resize(ctx, b, capacity);
    }
    if (!data) return b->broken = true, false;
    b->data = data;
    b->capacity = capacity;
    return true;
}

void *sp__buffer_reserve(sp_context *ctx, sp_buffer *b, size_t size) {
    if (!buffer_reserve(ctx, b, size)) return NULL;
    void *memory = b->data + b->size;
    b->size += size;
    return memory;
}

bool sp__buffer_add(sp_context *ctx, sp_buffer *b, const void *data, size_t size) {
    void *memory = sp__buffer_reserve(ctx, b, size);
    if (memory && size) memcpy(memory, data, size);
    return memory;
}

bool sp__buffer_print(sp_context *ctx, sp_buffer *b, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *memory = n >= 0 ? sp__buffer_reserve(ctx, b, (size_t)n) : (b->broken = true, NULL);
    if (memory) vsnprintf(memory, (size_t)n + 1, format, again);
    va_end(again);
    return memory;
}

void sp__buffer_free(sp_context *ctx, sp_buffer *b) {
    if (ctx)
        sp__free(ctx, b->data);
    else
        free(b->data);
    *b = (sp_buffer){0};
}
