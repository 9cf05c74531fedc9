// The protocol (docs/protocol.md) without sockets: client messages are read into a checked struct, geometry frames are written to
// growing buffers. Pure functions, so that a fuzzer reaches all of them.
#ifndef SP_SERVE_WIRE_H
#define SP_SERVE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "souple/world.h"
#include "util/buffer.h"

enum { SP_MESSAGE_MAX = 4096, SP_TEXT_MAX = 128, SP_DRAG_SLOTS = 16, SP_PROTOCOL = 1 };

// ---- messages of clients (wire_read.c)

#define SP_MESSAGE_LIST(X) \
    X(CONTROL, "control")  \
    X(SHOW, "show")        \
    X(ACK, "ack")          \
    X(PING, "ping")        \
    X(PLAY, "play")        \
    X(PAUSE, "pause")      \
    X(STEP, "step")        \
    X(RESET, "reset")      \
    X(SPEED, "speed")      \
    X(DT, "dt")            \
    X(GRAVITY, "gravity")  \
    X(PARAM, "param")      \
    X(SOLVER, "solver")    \
    X(THREADS, "threads")  \
    X(SCENE, "scene")      \
    X(SET, "set")          \
    X(DRAG, "drag")        \
    X(DROP, "drop")        \
    X(PIN, "pin")          \
    X(UNPIN, "unpin")      \
    X(THROW, "throw")      \
    X(PROBE, "probe")      \
    X(UNPROBE, "unprobe")  \
    X(REMOVE, "remove")    \
    X(ATTACH, "attach")    \
    X(DETACH, "detach")    \
    X(RECORD, "record")    \
    X(OPEN, "open")        \
    X(SEEK, "seek")        \
    X(CLOSE, "close")      \
    X(LOG, "log")          \
    X(DOWNLOAD, "download")

typedef enum sp_message_type {
#define SP_X(id, word) SP_MESSAGE_##id,
    SP_MESSAGE_LIST(SP_X)
#undef SP_X
        SP_MESSAGE_TYPES
} sp_message_type;

enum { SP_ACTION_REQUEST, SP_ACTION_RELEASE, SP_ACTION_GRANT, SP_ACTION_DENY };
enum { SP_ACTION_START, SP_ACTION_STOP };

// Optional fields: bits of `given`.
enum {
    SP_GIVEN_ID = 1,
    SP_GIVEN_SLOT = 2,
    SP_GIVEN_POINT = 4,  // body, surface, face and weights, all of them
    SP_GIVEN_REVISION = 8,
    SP_GIVEN_COLOUR = 16,
    SP_GIVEN_SURFACES = 32,
    SP_GIVEN_MARKS = 64,
    SP_GIVEN_CLIP = 128,
    SP_GIVEN_CONTACTS = 256,
    SP_GIVEN_A = 512,
    SP_GIVEN_B = 1024,
    SP_GIVEN_TO = 2048,
    SP_GIVEN_NAME = 4096
};

// A point of a face, as a client saw it.
typedef struct sp_face_point {
    int64_t body, surface, face;
    double weights[3];
} sp_face_point;

// A clipping plane: what the normal points to is not shown.
typedef struct sp_clip_plane {
    double point[3], normal[3];  // [m]; unit, 0 0 0: no plane
} sp_clip_plane;

// A message with every field in its range.
typedef struct sp_message {
    sp_message_type type;
    unsigned given;
    int64_t id, step, count, number, body, revision, slot, node, threads;
    sp_face_point point, other;  // of `drag`, and the first of `attach`; the second
    int action;
    bool keep, marks, contacts;
    int colour;         // code of a field, 0: none
    unsigned surfaces;  // SP_ROLE_ bits
    sp_clip_plane clip;
    double value, stiffness, radius, density;
    double vector[3];                           // gravity, target, place of a ball, a probe or an end of a link
    double from[3], velocity[3];                // the eye behind a probe; of a ball
    char path[SP_TEXT_MAX], text[SP_TEXT_MAX];  // of `param`, `set`, `open`, `attach`, `detach`; of `set`, `solver` and `open`
} sp_message;

// Malformed: not a client of this protocol. Refused: a client with an invalid request.
typedef enum sp_wire_verdict { SP_WIRE_GOOD, SP_WIRE_REFUSED, SP_WIRE_MALFORMED } sp_wire_verdict;

enum { SP_WHY_MAX = 120 };  // fits in a close frame, which holds 123 bytes
// `why` describes the error. A refused message has its type and id.
sp_wire_verdict sp__message_read(const char *text, size_t size, sp_message *out, char why[SP_WHY_MAX]);

// ---- fields (wire_read.c)

// The code of a field is its number among the fields that can colour surfaces, from 1 and below SP_FIELD_CODES; 0: none.
#define SP_X(id, name, where, components, unit, values, color, ...) +((color) > 0)
enum { SP_FIELD_NONE, SP_FIELD_CODES = 1 SP_FIELD_LIST(SP_X) };
#undef SP_X
bool sp__wire_field(int code, sp_field_info *out);  // false: not found
int sp__wire_field_code(const char *name);          // -1: unknown

// ---- frames (wire_write.c)

enum { SP_FRAME_STATE = 1, SP_FRAME_TOPOLOGY = 2, SP_FRAME_VERSION = 1, SP_FRAME_HEAD = 16 };
enum { SP_TOPOLOGY_NODES = 1, SP_TOPOLOGY_COLOURS = 2, SP_TOPOLOGY_STRIPES = 4 };
enum { SP_STATE_ALL = 1, SP_STATE_SECTIONS = 2, SP_STATE_CONTACTS = 4, SP_STATE_FIELD = 1 };

typedef struct sp_frame_topology {
    uint32_t generation, body, surface, revision;
    uint32_t vertex_count, face_count;
    const uint32_t *faces;
    const int *nodes;              // nullable
    const float *colours;          // nullable
    const unsigned char *stripes;  // nullable
} sp_frame_topology;

typedef struct sp_frame_state {
    uint32_t generation;
    uint64_t step, hash;
    double time;
    uint32_t surface_count, flags, field;
    float least, greatest;
    uint32_t dropped;
} sp_frame_state;

typedef struct sp_frame_surface {
    uint32_t body, surface, revision, vertex_count;
    const float *positions;
    const float *values;  // nullable
} sp_frame_surface;

// The cross section of a body with the clipping plane of a client.
typedef struct sp_frame_section {
    uint32_t body, vertex_count, face_count;
    float *positions;   // vertex_count x 3
    float *values;      // vertex_count, of the field; NaN: none
    uint32_t *regions;  // vertex_count
    uint32_t *faces;    // face_count x 3
} sp_frame_section;

void sp__frame_topology(sp_buffer *out, const sp_frame_topology *t);
// A state frame: header, surfaces, sections with their plane, contacts, end. The end writes the fields that are known only then.
size_t sp__frame_begin(sp_buffer *out, const sp_frame_state *s);  // returns the start of the frame
void sp__frame_surface(sp_buffer *out, const sp_frame_surface *s);
// coloured: with the values of the field
void sp__frame_sections(sp_buffer *out, const sp_clip_plane *plane, const sp_frame_section *list, int count, bool coloured);
void sp__frame_contacts(sp_buffer *out, const sp_contact_point *contacts, int count);
void sp__frame_end(sp_buffer *out, size_t at, const sp_frame_state *s);

#endif
