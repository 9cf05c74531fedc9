// A growing byte buffer. Memory comes from a context, or from the C library if the context is NULL. Use the same context from the
// first byte to sp__buffer_free.
#ifndef SP_UTIL_BUFFER_H
#define SP_UTIL_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "souple/base.h"

typedef struct sp_buffer {
    char *data;             // NULL: empty
    size_t size, capacity;  // there is always space for one byte after the last
    bool broken;            // an allocation failed: the contents are incomplete
} sp_buffer;

// Appends `size` uninitialised bytes and returns their address. NULL: out of memory, and the buffer is broken.
void *sp__buffer_reserve(sp_context *ctx, sp_buffer *b, size_t size);
// False: out of memory, nothing was added, and the buffer is broken.
bool sp__buffer_add(sp_context *ctx, sp_buffer *b, const void *data, size_t size);
// Appends formatted text. A zero byte follows the text and is not counted in `size`.
bool sp__buffer_print(sp_context *ctx, sp_buffer *b, const char *format, ...) SP_PRINTF(3, 4);
void sp__buffer_free(sp_context *ctx, sp_buffer *b);

#endif
