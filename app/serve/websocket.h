// WebSocket input: frames of RFC 6455, section 5, assembled to messages. A violation of the RFC fails the connection with the
// specified code. It uses no socket, so that a fuzzer reaches all of it.
#ifndef SP_SERVE_WEBSOCKET_H
#define SP_SERVE_WEBSOCKET_H

#include "serve/wire.h"

enum {
    SP_CLOSE_NORMAL = 1000,
    SP_CLOSE_GOING = 1001,
    SP_CLOSE_PROTOCOL = 1002,
    SP_CLOSE_BINARY = 1003,
    SP_CLOSE_UTF8 = 1007,
    SP_CLOSE_LARGE = 1009,
    SP_CLOSE_FULL = 1013,
    SP_CLOSE_MALFORMED = 4000,
    SP_CLOSE_RATE = 4001,
    SP_CLOSE_SLOW = 4002
};

enum { SP_WS_CONTROL_MAX = 125 };

typedef enum sp_ws_event {
    SP_WS_MORE,   // all bytes were consumed, more are needed
    SP_WS_TEXT,   // `text`, `text_size`: a complete message
    SP_WS_PING,   // `control`, `control_size`
    SP_WS_PONG,   // `control`, `control_size`
    SP_WS_CLOSE,  // `code` of the peer
    SP_WS_FAILED  // `code` and `why` for closing; do not read further
} sp_ws_event;

// Initialise with zeros.
typedef struct sp_ws_reader {
    unsigned char head[14];  // of the current frame
    int head_size;
    uint64_t size, taken;  // payload bytes: total, received
    bool fragmented;       // a fragmented message is incomplete
    uint64_t frames;       // headers read so far
    char text[SP_MESSAGE_MAX];
    size_t text_size;
    unsigned char control[SP_WS_CONTROL_MAX];
    size_t control_size;
    int code;
    const char *why;
} sp_ws_reader;

// Consumes bytes up to the next event; *data and *size advance to the rest.
sp_ws_event sp__ws_read(sp_ws_reader *r, const unsigned char **data, size_t *size);

#endif
