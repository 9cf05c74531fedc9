// A minimal WebSocket client (RFC 6455) over a loopback socket, without a library.
#ifndef SP_WS_CLIENT_H
#define SP_WS_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum sp_ws_kind { SP_WS_NONE, SP_WS_TEXT, SP_WS_BINARY, SP_WS_CLOSED } sp_ws_kind;

typedef struct sp_ws {
    int fd;  // -1: closed; readable when data may have arrived
    unsigned char *in, *whole;
    size_t at, size, capacity;  // of `in`: bytes read but not processed
    size_t whole_size, whole_capacity;
    int whole_kind;  // of the fragmented message being received; 0: none
    uint32_t mask;   // for the next message
    uint64_t bytes;  // received so far
    char why[160];   // reason of the closing
} sp_ws;

// Waits at most five seconds for the handshake. False with `why`.
bool sp__ws_connect(sp_ws *w, int port, const char *path);
// Reads available data without waiting. A message stays valid at *data until the next call. Answers pings.
sp_ws_kind sp__ws_next(sp_ws *w, const unsigned char **data, size_t *size);
bool sp__ws_send(sp_ws *w, const char *text);  // false: closed
void sp__ws_close(sp_ws *w);                   // accepts a zeroed or closed client

#endif
