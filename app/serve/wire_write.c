// The binary frames of docs/protocol.md. All numbers are little-endian on any machine.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/wire.h"

// ---------------------------------------------------------------------------------------------------- numbers

static bool little(void) {
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

static void put16(sp_buffer *b, uint16_t v) {
    const unsigned char c[2] = {(unsigned char)v, (unsigned char)(v >> 8)};
    sp__buffer_add(NULL, b, c, sizeof c);
}

static void put32(sp_buffer *b, uint32_t v) {
    const unsigned char c[4] = {(unsigned char)v, (unsigned char)(v >> 8), (unsigned char)(v >> 16), (unsigned char)(v >> 24)};
    sp__buffer_add(NULL, b, c, sizeof c);
}

static void put64(sp_buffer *b, uint64_t v) {
    put32(b, (uint32_t)v);
    put32(b, (uint32_t)(v >> 32));
}

static void put_float(sp_buffer *b, float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    put32(b, bits);
}

static void put_double(sp_buffer *b, double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    put64(b, bits);
}

// `count` numbers of four bytes
static void put_array(sp_buffer *b, const void *numbers, size_t count) {
    if (little()) {
        sp__buffer_add(NULL, b, numbers, 4 * count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, (const char *)numbers + 4 * i, sizeof bits);
        put32(b, bits);
    }
}

// ---------------------------------------------------------------------------------------------------- frames

static void put_head(sp_buffer *b, unsigned kind, uint32_t generation, uint32_t size) {
    sp__buffer_add(NULL, b, "SPV1", 4);
    put16(b, (uint16_t)kind);
    put16(b, SP_FRAME_VERSION);
    put32(b, generation);
    put32(b, size);
}

// writes the total size into the header when the frame is complete
static void close_frame(sp_buffer *b, size_t at) {
    if (b->broken) return;
    size_t size = b->size - at;
    if (size > UINT32_MAX)
        b->broken = true;
    else
        for (int i = 0; i < 4; i++) b->data[at + 12 + (size_t)i] = (char)(unsigned char)(size >> 8 * i);
}

void sp__frame_topology(sp_buffer *b, const sp_frame_topology *t) {
    size_t at = b->size;
    unsigned flags =
        (t->nodes ? SP_TOPOLOGY_NODES : 0) | (t->colours ? SP_TOPOLOGY_COLOURS : 0) | (t->stripes ? SP_TOPOLOGY_STRIPES : 0);
    put_head(b, SP_FRAME_TOPOLOGY, t->generation, 0);
    put32(b, t->body), put32(b, t->surface), put32(b, t->revision);
    put32(b, t->vertex_count), put32(b, t->face_count), put32(b, flags);
    put_array(b, t->faces, 3 * (size_t)t->face_count);
    if (t->nodes) put_array(b, t->nodes, t->vertex_count);
    if (t->colours) put_array(b, t->colours, 4 * (size_t)t->vertex_count);
    if (t->stripes) sp__buffer_add(NULL, b, t->stripes, t->face_count);
    if (t->stripes) sp__buffer_add(NULL, b, "\0\0\0", (4 - t->face_count % 4) % 4);
    close_frame(b, at);
}

static void put_state(sp_buffer *b, const sp_frame_state *s) {
    put_head(b, SP_FRAME_STATE, s->generation, 0);
    put64(b, s->step), put_double(b, s->time), put64(b, s->hash);
    put32(b, s->surface_count), put32(b, s->flags), put32(b, s->field);
    put_float(b, s->least), put_float(b, s->greatest), put32(b, s->dropped);
}

size_t sp__frame_begin(sp_buffer *b, const sp_frame_state *s) {
    size_t at = b->size;
    put_state(b, s);
    return at;
}

void sp__frame_surface(sp_buffer *b, const sp_frame_surface *s) {
    put32(b, s->body), put32(b, s->surface), put32(b, s->revision), put32(b, s->vertex_count);
    put32(b, s->values ? SP_STATE_FIELD : 0), put32(b, 0);
    put_array(b, s->positions, 3 * (size_t)s->vertex_count);
    if (s->values) put_array(b, s->values, s->vertex_count);
}

void sp__frame_sections(sp_buffer *b, const sp_clip_plane *plane, const sp_frame_section *list, int count, bool coloured) {
    for (int i = 0; i < 3; i++) put_float(b, (float)plane->point[i]);
    for (int i = 0; i < 3; i++) put_float(b, (float)plane->normal[i]);
    put32(b, (uint32_t)count), put32(b, 0);
    for (int i = 0; i < count; i++) {
        const sp_frame_section *s = &list[i];
        bool values = coloured && s->values;
        put32(b, s->body), put32(b, s->vertex_count), put32(b, s->face_count), put32(b, values ? SP_STATE_FIELD : 0);
        put_array(b, s->positions, 3 * (size_t)s->vertex_count);
        put_array(b, s->regions, s->vertex_count);
        put_array(b, s->faces, 3 * (size_t)s->face_count);
        if (values) put_array(b, s->values, s->vertex_count);
    }
}

static void put_vectors(sp_buffer *b, const sp_contact_point *contacts, int count, size_t offset) {
    for (int i = 0; i < count; i++) {
        double v[3];
        memcpy(v, (const char *)&contacts[i] + offset, sizeof v);
        for (int a = 0; a < 3; a++) put_float(b, (float)v[a]);
    }
}

void sp__frame_contacts(sp_buffer *b, const sp_contact_point *contacts, int count) {
    put32(b, (uint32_t)count), put32(b, 0);
    for (int i = 0; i < count; i++) put32(b, contacts[i].bodies[0].slot), put32(b, contacts[i].bodies[1].slot);
    put_vectors(b, contacts, count, offsetof(sp_contact_point, point));
    put_vectors(b, contacts, count, offsetof(sp_contact_point, normal));
    put_vectors(b, contacts, count, offsetof(sp_contact_point, force));
    for (int i = 0; i < count; i++) put_float(b, (float)contacts[i].gap);
    for (int i = 0; i < count; i++) put_float(b, (float)contacts[i].pressure);
}

void sp__frame_end(sp_buffer *b, size_t at, const sp_frame_state *s) {
    if (b->broken) return;
    size_t size = b->size;
    b->size = at;
    put_state(b, s);
    b->size = size;
    close_frame(b, at);
}
