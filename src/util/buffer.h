// Bytes that grow as they are written. Memory comes from a context, or from the C library where the context is NULL: a buffer
// keeps to one of them from its first byte to sp__buffer_free.
#ifndef SP_UTIL_BUFFER_H
#define SP_UTIL_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "souple/base.h"

typedef struct sp_buffer {
    char *data;             // NULL: nothing yet
    size_t size, capacity;  // there is always room for one byte behind the last
    bool broken;            // once there was no memory: what was written is not whole
} sp_buffer;

// Uninitialised room at the end, counted. NULL: no memory, and the buffer is broken.
void *sp__buffer_reserve(sp_context *ctx, sp_buffer *b, size_t size);
// False: no memory, nothing was added, and the buffer is broken.
bool sp__buffer_add(sp_context *ctx, sp_buffer *b, const void *data, size_t size);
// A zero byte follows the text, which is not counted.
bool sp__buffer_print(sp_context *ctx, sp_buffer *b, const char *format, ...) SP_PRINTF(3, 4);
void sp__buffer_free(sp_context *ctx, sp_buffer *b);

#endif
