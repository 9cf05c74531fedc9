// Growing byte buffers, and the binary frames of docs/protocol.md. All numbers are little-endian on any machine.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/wire.h"

// ---------------------------------------------------------------------------------------------------- bytes

static bool grow(sp_bytes *b, size_t size) {
    size_t capacity = b->capacity ? b->capacity : 256;
    if (size > SIZE_MAX / 4 - b->size) return false;
    while (capacity < b->size + size) capacity *= 2;
    unsigned char *data = realloc(b->data, capacity);
    if (!data) return false;
    b->data = data;
    b->capacity = capacity;
    return true;
}

void *sp__bytes_room(sp_bytes *b, size_t size) {
    if (b->broken) return NULL;
    if (size > b->capacity - b->size && !grow(b, size)) {
        b->broken = true;
        return NULL;
    }
    void *at = b->data + b->size;
    b->size += size;
    return at;
}

void sp__bytes_add(sp_bytes *b, const void *data, size_t size) {
    void *to = size ? sp__bytes_room(b, size) : NULL;
    if (to) memcpy(to, data, size);
}

void sp__bytes_print(sp_bytes *b, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n < 0 || n >= (int)sizeof text)
        b->broken = true;
    else
        sp__bytes_add(b, text, (size_t)n);
}

void sp__bytes_free(sp_bytes *b) {
    free(b->data);
    *b = (sp_bytes){0};
}

// ---------------------------------------------------------------------------------------------------- numbers

static bool little(void) {
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

static void put16(sp_bytes *b, uint16_t v) {
    const unsigned char c[2] = {(unsigned char)v, (unsigned char)(v >> 8)};
    sp__bytes_add(b, c, sizeof c);
}

static void put32(sp_bytes *b, uint32_t v) {
    const unsigned char c[4] = {(unsigned char)v, (unsigned char)(v >> 8), (unsigned char)(v >> 16), (unsigned char)(v >> 24)};
    sp__bytes_add(b, c, sizeof c);
}

static void put64(sp_bytes *b, uint64_t v) {
    put32(b, (uint32_t)v);
    put32(b, (uint32_t)(v >> 32));
}

static void put_float(sp_bytes *b, float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    put32(b, bits);
}

static void put_double(sp_bytes *b, double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    put64(b, bits);
}

// `count` numbers of four bytes
static void put_array(sp_bytes *b, const void *numbers, size_t count) {
    if (little()) {
        sp__bytes_add(b, numbers, 4 * count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, (const char *)numbers + 4 * i, sizeof bits);
        put32(b, bits);
    }
}

// ---------------------------------------------------------------------------------------------------- frames

static void put_head(sp_bytes *b, unsigned kind, uint32_t generation, uint32_t size) {
    sp__bytes_add(b, "SPV1", 4);
    put16(b, (uint16_t)kind);
    put16(b, SP_FRAME_VERSION);
    put32(b, generation);
    put32(b, size);
}

// writes the total size into the header when the frame is complete
static void close_frame(sp_bytes *b, size_t at) {
    if (b->broken) return;
    sp_bytes size = {.data = b->data + at + 12, .capacity = 4};
    if (b->size - at > UINT32_MAX)
        b->broken = true;
    else
        put32(&size, (uint32_t)(b->size - at));
}

void sp__frame_topology(sp_bytes *b, const sp_frame_topology *t) {
    size_t at = b->size;
    unsigned flags =
        (t->nodes ? SP_TOPOLOGY_NODES : 0) | (t->colours ? SP_TOPOLOGY_COLOURS : 0) | (t->stripes ? SP_TOPOLOGY_STRIPES : 0);
    put_head(b, SP_FRAME_TOPOLOGY, t->generation, 0);
    put32(b, t->body), put32(b, t->surface), put32(b, t->revision);
    put32(b, t->vertex_count), put32(b, t->face_count), put32(b, flags);
    put_array(b, t->faces, 3 * (size_t)t->face_count);
    if (t->nodes) put_array(b, t->nodes, t->vertex_count);
    if (t->colours) put_array(b, t->colours, 4 * (size_t)t->vertex_count);
    if (t->stripes) sp__bytes_add(b, t->stripes, t->face_count);
    if (t->stripes) sp__bytes_add(b, "\0\0\0", (4 - t->face_count % 4) % 4);
    close_frame(b, at);
}

static void put_state(sp_bytes *b, const sp_frame_state *s) {
    put_head(b, SP_FRAME_STATE, s->generation, 0);
    put64(b, s->step), put_double(b, s->time), put64(b, s->hash);
    put32(b, s->surface_count), put32(b, s->flags), put32(b, s->field);
    put_float(b, s->least), put_float(b, s->greatest), put32(b, s->dropped);
}

size_t sp__frame_begin(sp_bytes *b, const sp_frame_state *s) {
    size_t at = b->size;
    put_state(b, s);
    return at;
}

void sp__frame_surface(sp_bytes *b, const sp_frame_surface *s) {
    put32(b, s->body), put32(b, s->surface), put32(b, s->revision), put32(b, s->vertex_count);
    put32(b, s->values ? SP_STATE_FIELD : 0), put32(b, 0);
    put_array(b, s->positions, 3 * (size_t)s->vertex_count);
    if (s->values) put_array(b, s->values, s->vertex_count);
}

void sp__frame_end(sp_bytes *b, size_t at, const sp_frame_state *s) {
    if (b->broken) return;
    size_t size = b->size;
    b->size = at;
    put_state(b, s);
    b->size = size;
    close_frame(b, at);
}
