// A plain client of the viewer's protocol over a blocking socket, without library and thread. Frames of RFC 6455; those of a
// server are unfragmented, as ours are.
#ifndef SP_TEST_PEER_H
#define SP_TEST_PEER_H

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "serve/wire.h"

typedef struct peer {
    int fd;          // -1: not connected
    int status;      // of the answer to the upgrade: 101, 403, ...
    int close_code;  // once closed; 0: without a code
    char close_why[128];
    int pongs;  // number received
    char pong[128];
    sp_buffer in;  // read, not yet consumed
    size_t taken;
} peer;

enum { PEER_PATIENCE_MS = 30000 };  // until an answer counts as missing: long, for a machine that is busy with other work
enum { PEER_CLOSED = -1, PEER_LATE = 0, PEER_TEXT = 1, PEER_BINARY = 2 };

static inline void peer_close(peer *p);

static inline double peer_now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static inline bool peer_send_raw(peer *p, const void *data, size_t size) {
    const char *at = data;
    while (size > 0 && p->fd >= 0) {
        ssize_t n = send(p->fd, at, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n, size -= (size_t)n;
    }
    return size == 0;
}

// appends bytes to `in`; false: timeout, or the connection is closed
static inline bool peer_read_more(peer *p, double until_ms, bool *closed) {
    *closed = p->fd < 0;
    if (*closed) return false;
    // consumed bytes make room
    if (p->taken) {
        memmove(p->in.data, p->in.data + p->taken, p->in.size - p->taken);
        p->in.size -= p->taken, p->taken = 0;
    }
    double left = until_ms - peer_now_ms();
    struct pollfd f = {.fd = p->fd, .events = POLLIN};
    if (poll(&f, 1, left > 0 ? (int)left + 1 : 0) <= 0) return false;
    size_t before = p->in.size;
    void *memory = sp__buffer_reserve(NULL, &p->in, 65536);
    ssize_t n = memory ? recv(p->fd, memory, 65536, 0) : -1;
    p->in.size = before + (n > 0 ? (size_t)n : 0);
    *closed = n <= 0;
    return n > 0;
}

static inline bool peer_open_socket(peer *p, int port, int memory) {
    struct sockaddr_in there = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int on = 1;
    *p = (peer){.fd = socket(AF_INET, SOCK_STREAM, 0)};
    if (p->fd >= 0 && memory > 0) setsockopt(p->fd, SOL_SOCKET, SO_RCVBUF, &memory, sizeof memory);
    if (p->fd < 0 || connect(p->fd, (struct sockaddr *)&there, sizeof there) != 0) return peer_close(p), false;
    setsockopt(p->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return true;
}

// A plain request over HTTP: the status, 0 where there was no answer; the whole answer is in `to`, which is overwritten.
// `more`: what follows the first header lines, with the empty line.
static inline int peer_request_with(int port, const char *method, const char *path, const char *host, const char *more,
                                    sp_buffer *to) {
    char ask[1024];
    bool closed = false;
    peer p;
    double until = peer_now_ms() + PEER_PATIENCE_MS;
    to->size = 0;
    if (!peer_open_socket(&p, port, 0)) return 0;
    int n = snprintf(ask, sizeof ask, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n", method, path, host);
    peer_send_raw(&p, ask, (size_t)n);
    peer_send_raw(&p, more, strlen(more));
    while (peer_read_more(&p, until, &closed)) continue;
    sp__buffer_add(NULL, to, p.in.data, p.in.size);
    sp__buffer_add(NULL, to, "", 1);
    int status = p.in.size > 12 ? atoi((const char *)p.in.data + 9) : 0;
    peer_close(&p);
    return status;
}

static inline int peer_request(int port, const char *method, const char *path, const char *host, sp_buffer *to) {
    return peer_request_with(port, method, path, host, "\r\n", to);
}

static inline int peer_get(int port, const char *path, const char *host, sp_buffer *to) {
    return peer_request(port, "GET", path, host, to);
}

// Requests `path` ("/ws") from 127.0.0.1:port; `headers`: further lines, each with its line end, nullable. `room`: size of the
// socket's receive buffer, 0: the system's. True: the connection is a WebSocket now.
static inline bool peer_connect(peer *p, int port, const char *path, const char *headers, int memory) {
    char ask[1024];
    bool closed;
    if (!peer_open_socket(p, port, memory)) return false;
    int n = snprintf(ask, sizeof ask,
                     "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n%s\r\n",
                     path, port, headers ? headers : "");
    if (!peer_send_raw(p, ask, (size_t)n)) return peer_close(p), false;
    double until = peer_now_ms() + PEER_PATIENCE_MS;
    for (;;) {
        const char *end = NULL;
        for (size_t i = 0; i + 4 <= p->in.size && !end; i++)
            if (memcmp(p->in.data + i, "\r\n\r\n", 4) == 0) end = (const char *)p->in.data + i + 4;
        if (end) {
            p->taken = (size_t)(end - (const char *)p->in.data);
            break;
        }
        if (!peer_read_more(p, until, &closed)) return peer_close(p), false;
    }
    if (p->in.size > 12) p->status = atoi((const char *)p->in.data + 9);
    if (p->status == 101) return true;
    int status = p->status;
    peer_close(p);
    p->status = status;
    return false;
}

// the mask is constant: it protects proxies, and there are none here
static inline bool peer_send(peer *p, int opcode, const void *data, size_t size) {
    static const unsigned char mask[4] = {0x12, 0x34, 0x56, 0x78};
    unsigned char *frame = malloc(size + 14), *at = frame;
    if (!frame) return false;
    *at++ = (unsigned char)(0x80 | opcode);
    if (size < 126) {
        *at++ = (unsigned char)(0x80 | size);
    } else if (size < 65536) {
        *at++ = 0x80 | 126;
        *at++ = (unsigned char)(size >> 8), *at++ = (unsigned char)size;
    } else {
        *at++ = 0x80 | 127;
        for (int i = 7; i >= 0; i--) *at++ = (unsigned char)((uint64_t)size >> 8 * i);
    }
    memcpy(at, mask, 4), at += 4;
    for (size_t i = 0; i < size; i++) at[i] = ((const unsigned char *)data)[i] ^ mask[i % 4];
    bool good = peer_send_raw(p, frame, (size_t)(at - frame) + size);
    free(frame);
    return good;
}

static inline bool peer_say(peer *p, const char *text) {
    return peer_send(p, PEER_TEXT, text, strlen(text));
}

// a complete frame at the front of the read bytes: its opcode, 0: there is none
static inline int peer_take_frame(peer *p, const unsigned char **data, size_t *size) {
    const unsigned char *at = (const unsigned char *)p->in.data + p->taken;
    size_t left = p->in.size - p->taken, head = 2;
    if (left < 2) return 0;
    uint64_t n = at[1] & 127;
    if (n >= 126) {
        int bytes = n == 126 ? 2 : 8;
        head += (size_t)bytes;
        if (left < head) return 0;
        n = 0;
        for (int i = 0; i < bytes; i++) n = n << 8 | at[2 + i];
    }
    if (n > left - head) return 0;
    *data = at + head, *size = (size_t)n;
    p->taken += head + (size_t)n;
    return at[0] & 15;
}

static inline void peer_note_close(peer *p, const unsigned char *data, size_t size) {
    if (size >= 2) p->close_code = data[0] << 8 | data[1];
    if (size > 2) snprintf(p->close_why, sizeof p->close_why, "%.*s", (int)(size - 2), (const char *)data + 2);
}

// The next message, PEER_; answers pings meanwhile. `to` is overwritten; text ends with a zero that is not counted.
static inline int peer_read(peer *p, sp_buffer *to, double timeout_ms) {
    double until = peer_now_ms() + timeout_ms;
    const unsigned char *data;
    size_t size;
    for (;;) {
        int code = peer_take_frame(p, &data, &size);
        if (code == PEER_TEXT || code == PEER_BINARY) {
            to->size = 0;
            sp__buffer_add(NULL, to, data, size);
            sp__buffer_add(NULL, to, "", 1);
            to->size = size;
            return code;
        }
        if (code == 9) peer_send(p, 10, data, size);
        if (code == 10) p->pongs++, snprintf(p->pong, sizeof p->pong, "%.*s", (int)size, (const char *)data);
        if (code == 8) {
            peer_note_close(p, data, size);
            return PEER_CLOSED;
        }
        bool closed = false;
        if (code == 0 && !peer_read_more(p, until, &closed)) return closed ? PEER_CLOSED : PEER_LATE;
    }
}

static inline void peer_close(peer *p) {
    if (p->fd >= 0) close(p->fd);
    sp__buffer_free(NULL, &p->in);
    p->fd = -1, p->taken = 0;
}

#endif
