// A minimal WebSocket client: handshake, receiving frames, sending masked text.
#include "ws_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { OP_MORE = 0, OP_TEXT = 1, OP_BINARY = 2, OP_CLOSE = 8, OP_PING = 9, OP_PONG = 10 };
enum { READ_BYTES = 1 << 16, CONTROL_BYTES = 125 };
static const uint64_t message_most = 1u << 28;  // larger than any surface: the peer is not our server

static bool give_up(sp_ws *w, const char *why) {
    if (!w->why[0]) snprintf(w->why, sizeof w->why, "%s", why);
    if (w->fd >= 0) close(w->fd);
    w->fd = -1;
    return false;
}

static bool ws_client_reserve(unsigned char **data, size_t *capacity, size_t size) {
    if (size <= *capacity) return true;
    unsigned char *more = realloc(*data, 2 * size);
    if (!more) return false;
    *data = more, *capacity = 2 * size;
    return true;
}

void sp__ws_close(sp_ws *w) {
    if (w->in && w->fd >= 0) close(w->fd);
    free(w->in), free(w->whole);
    *w = (sp_ws){.fd = -1};
}

// ---------------------------------------------------------------------------------------------------- bytes

static bool send_all(sp_ws *w, const unsigned char *data, size_t size) {
    while (size > 0) {
        ssize_t n = send(w->fd, data, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return give_up(w, "nothing more can be sent");
        data += n, size -= (size_t)n;
    }
    return true;
}

// 1: data arrived, 0: nothing at present, -1: closed
static int receive(sp_ws *w, int flags) {
    if (w->at > 0) memmove(w->in, w->in + w->at, w->size - w->at), w->size -= w->at, w->at = 0;
    if (!ws_client_reserve(&w->in, &w->capacity, w->size + READ_BYTES)) return give_up(w, "out of memory"), -1;
    ssize_t n = recv(w->fd, w->in + w->size, w->capacity - w->size, flags);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return 0;
    if (n <= 0) return give_up(w, n == 0 ? "the server closed the connection" : strerror(errno)), -1;
    w->size += (size_t)n, w->bytes += (uint64_t)n;
    return 1;
}

// ---------------------------------------------------------------------------------------------------- handshake

// the key is a nonce of 16 bytes in base 64; a fixed one is enough for a bench
static bool handshake(sp_ws *w, int port, const char *path) {
    char text[512];
    int n = snprintf(text, sizeof text,
                     "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAECAwQFBgcICQoLDA0ODw==\r\n"
                     "Sec-WebSocket-Protocol: souple\r\n\r\n",
                     path, port);
    if (n < 0 || (size_t)n >= sizeof text) return give_up(w, "the path is too long");
    if (!send_all(w, (const unsigned char *)text, (size_t)n)) return false;
    for (;;) {
        int got = receive(w, 0);
        if (got < 0) return false;
        if (got == 0) return give_up(w, "no answer to the handshake");
        for (size_t i = 0; i + 4 <= w->size; i++) {
            if (memcmp(w->in + i, "\r\n\r\n", 4) != 0) continue;
            w->at = i + 4;
            if (w->size > 12 && memcmp(w->in, "HTTP/1.1 101", 12) == 0) return true;
            w->in[w->size < 60 ? w->size : 60] = 0;
            w->in[strcspn((char *)w->in, "\r")] = 0;
            return give_up(w, (char *)w->in);
        }
    }
}

bool sp__ws_connect(sp_ws *w, int port, const char *path) {
    *w = (sp_ws){.fd = socket(AF_INET, SOCK_STREAM, 0), .mask = 0x9e3779b9u};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct timeval timeout = {.tv_sec = 5};
    int yes = 1;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (w->fd < 0) return give_up(w, strerror(errno));
    setsockopt(w->fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    setsockopt(w->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (connect(w->fd, (struct sockaddr *)&to, sizeof to) != 0) return give_up(w, strerror(errno));
    return handshake(w, port, path);
}

// ---------------------------------------------------------------------------------------------------- output

static bool send_frame(sp_ws *w, int kind, const unsigned char *data, size_t size) {
    unsigned char frame[8 + 4096], *mask;
    size_t head = 2;
    if (size > 4096 || w->fd < 0) return false;
    frame[0] = (unsigned char)(0x80 | kind);
    frame[1] = (unsigned char)(0x80 | (size < 126 ? size : 126));
    if (size >= 126) frame[2] = (unsigned char)(size >> 8), frame[3] = (unsigned char)size, head = 4;
    w->mask = w->mask * 1664525u + 1013904223u;
    mask = frame + head;
    memcpy(mask, &w->mask, 4);
    for (size_t i = 0; i < size; i++) mask[4 + i] = data[i] ^ mask[i & 3];
    return send_all(w, frame, head + 4 + size);
}

bool sp__ws_send(sp_ws *w, const char *text) {
    return send_frame(w, OP_TEXT, (const unsigned char *)text, strlen(text));
}

// ---------------------------------------------------------------------------------------------------- input

typedef struct frame {
    bool last;
    int kind;
    const unsigned char *data;
    size_t size;
} frame;

static uint64_t big_endian(const unsigned char *b, int count) {
    uint64_t n = 0;
    for (int i = 0; i < count; i++) n = n << 8 | b[i];
    return n;
}

// false: the frame is incomplete
static bool take_frame(sp_ws *w, frame *out) {
    size_t have = w->size - w->at, head = 2;
    if (have < 2) return false;
    const unsigned char *b = w->in + w->at;
    uint64_t size = b[1] & 127;
    head += size == 126 ? 2 : size == 127 ? 8 : 0;
    if (have < head) return false;
    if (head > 2) size = big_endian(b + 2, (int)head - 2);
    if (size > message_most || (b[1] & 128)) return give_up(w, "a frame that no server sends");
    if (have < head + size) return false;
    *out = (frame){.last = (b[0] & 128) != 0, .kind = b[0] & 15, .data = b + head, .size = (size_t)size};
    w->at += head + (size_t)size;
    return true;
}

static bool gather(sp_ws *w, const frame *f) {
    if (f->kind != OP_MORE) w->whole_kind = f->kind, w->whole_size = 0;
    if (w->whole_size + f->size > message_most) return give_up(w, "a message that no server sends");
    if (!ws_client_reserve(&w->whole, &w->whole_capacity, w->whole_size + f->size)) return give_up(w, "out of memory");
    if (f->size) memcpy(w->whole + w->whole_size, f->data, f->size);
    w->whole_size += f->size;
    return true;
}

static sp_ws_kind kind_of(int op) {
    return op == OP_TEXT ? SP_WS_TEXT : SP_WS_BINARY;
}

static void closed_by_server(sp_ws *w, const frame *f) {
    char why[128];
    int code = f->size >= 2 ? (int)big_endian(f->data, 2) : 1005;
    snprintf(why, sizeof why, "closed by the server: %d %.*s", code, f->size > 2 ? (int)(f->size - 2) & 127 : 0,
             f->size > 2 ? (const char *)f->data + 2 : "");
    give_up(w, why);
}

sp_ws_kind sp__ws_next(sp_ws *w, const unsigned char **data, size_t *size) {
    frame f = {0};
    while (w->fd >= 0) {
        if (!take_frame(w, &f)) {
            if (w->fd < 0 || receive(w, MSG_DONTWAIT) <= 0) break;
            continue;
        }
        if (f.kind == OP_PING && f.size <= CONTROL_BYTES) send_frame(w, OP_PONG, f.data, f.size);
        if (f.kind == OP_CLOSE) closed_by_server(w, &f);
        if (f.kind > OP_BINARY) continue;
        *data = f.data, *size = f.size;
        if (f.last && f.kind != OP_MORE) return kind_of(f.kind);
        if (!gather(w, &f) || !f.last) continue;
        *data = w->whole, *size = w->whole_size;
        return kind_of(w->whole_kind);
    }
    return w->fd < 0 ? SP_WS_CLOSED : SP_WS_NONE;
}
