// What a client sends over WebSocket: frames of RFC 6455, section 5, put together to messages. Whatever the RFC forbids fails the
// connection with the code that it names. It uses no socket, so that a fuzzer can reach all of it.
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
    SP_WS_MORE,   // all bytes were taken, and more are needed
    SP_WS_TEXT,   // `text`, `text_size`: a whole message
    SP_WS_PING,   // `control`, `control_size`
    SP_WS_PONG,   // likewise
    SP_WS_CLOSE,  // `code`: the peer's
    SP_WS_FAILED  // `code` and `why` to close with; there is nothing more to read
} sp_ws_event;

// Zeroed to begin with.
typedef struct sp_ws_reader {
    unsigned char head[14];  // of the frame that is being read
    int head_size;
    uint64_t size, taken;  // bytes of its payload
    bool fragmented;       // a message has begun and goes on in further frames
    uint64_t frames;       // heads read so far
    char text[SP_MESSAGE_MAX];
    size_t text_size;
    unsigned char control[SP_WS_CONTROL_MAX];
    size_t control_size;
    int code;
    const char *why;
} sp_ws_reader;

// Takes bytes up to the next event; *data and *size go on to what is left.
sp_ws_event sp__ws_read(sp_ws_reader *r, const unsigned char **data, size_t *size);

#endif
