// A client of `souple view` without any library: prints the speed of the simulation, and drags a point of the first soft body
// back and forth. docs/protocol.md describes the protocol.
//
// build:  cc -D_POSIX_C_SOURCE=200809L examples/view_client.c -lm -o view_client
// run:    souple view scenes/beam.xml --port 8765, and in another terminal ./view_client 8765 5
// It prints one line per second, and without arguments:
//   usage: view_client PORT [SECONDS [TOKEN]]
#include <arpa/inet.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef struct client {
    int fd;
    unsigned char *data;  // received bytes
    size_t size, capacity;
    unsigned body, surface;  // the dragged body
    int has_body;            // the topology of a body was received
    double start[3];         // initial position of the dragged vertex
    int has_start, frames;
    unsigned long long step, first_step;
    double force;
} client;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- WebSocket: the required part of RFC 6455

static int write_all(client *c, const void *data, size_t size) {
    const char *at = data;
    while (size > 0) {
        ssize_t n = send(c->fd, at, size, MSG_NOSIGNAL);
        if (n <= 0) return 0;
        at += n, size -= (size_t)n;
    }
    return 1;
}

// client frames must be masked; a mask of zeros is valid
static int send_frame(client *c, int opcode, const char *text, size_t size) {
    unsigned char head[8] = {(unsigned char)(0x80 | opcode), (unsigned char)(0x80 | (size < 126 ? size : 126))};
    size_t n = 2;
    if (size >= 126) head[n++] = (unsigned char)(size >> 8), head[n++] = (unsigned char)size;
    memset(head + n, 0, 4);
    return write_all(c, head, n + 4) && write_all(c, text, size);
}

static int say(client *c, const char *text) {
    return send_frame(c, 1, text, strlen(text));
}

static int read_more(client *c, double seconds) {
    struct pollfd f = {.fd = c->fd, .events = POLLIN};
    if (poll(&f, 1, (int)(1e3 * seconds) + 1) <= 0) return 0;
    if (c->capacity - c->size < 65536) {
        unsigned char *data = realloc(c->data, c->capacity = 2 * c->capacity + 65536);
        if (!data) return -1;
        c->data = data;
    }
    ssize_t n = recv(c->fd, c->data + c->size, 65536, 0);
    if (n <= 0) return -1;
    c->size += (size_t)n;
    return 1;
}

static int connect_to(client *c, int port, const char *token) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    char ask[512];
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&to, sizeof to) != 0) return 0;
    int n = snprintf(ask, sizeof ask,
                     "GET /ws%s%.200s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
                     token ? "?token=" : "", token ? token : "", port);
    if (!write_all(c, ask, (size_t)n)) return 0;
    // the response ends with an empty line; frames follow
    for (;;) {
        if (read_more(c, 5) <= 0) return 0;
        for (size_t i = 0; i + 4 <= c->size; i++)
            if (memcmp(c->data + i, "\r\n\r\n", 4) == 0) {
                int good = c->size > 12 && memcmp(c->data + 9, "101", 3) == 0;
                memmove(c->data, c->data + i + 4, c->size -= i + 4);
                return good;
            }
    }
}

// ---- messages: docs/protocol.md

static unsigned u32(const unsigned char *p) {
    return p[0] | (unsigned)p[1] << 8 | (unsigned)p[2] << 16 | (unsigned)p[3] << 24;
}

static void take_state(client *c, const unsigned char *p, size_t size) {
    char ack[64];
    c->step = u32(p + 16) | (unsigned long long)u32(p + 20) << 32;
    if (!c->frames++) c->first_step = c->step;
    unsigned surfaces = u32(p + 40);
    for (size_t at = 64; surfaces-- > 0 && at + 24 <= size;) {
        const unsigned char *s = p + at;
        unsigned n = u32(s + 12);
        float x[3];
        if (!c->has_start && n > 0 && c->has_body && u32(s) == c->body && u32(s + 4) == c->surface) {
            memcpy(x, s + 24 + 12 * (size_t)(n - 1), sizeof x);  // its last vertex; assumes a little-endian machine
            for (int k = 0; k < 3; k++) c->start[k] = x[k];
            c->has_start = 1;
        }
        at += 24 + 12 * (size_t)n + (u32(s + 16) & 1 ? 4 * (size_t)n : 0);
    }
    snprintf(ack, sizeof ack, "{\"type\":\"ack\",\"step\":%llu}", c->step);
    say(c, ack);
}

static unsigned face_of_last;  // a face with the last vertex, and the corner of that vertex
static int corner_of_last;

static void take_topology(client *c, const unsigned char *p) {
    unsigned n = u32(p + 28), m = u32(p + 32);
    // a body with nodes is soft
    if (c->has_body || !(u32(p + 36) & 1)) return;
    c->body = u32(p + 16), c->surface = u32(p + 20), c->has_body = 1;
    for (unsigned i = 0; i < 3 * m; i++)
        if (u32(p + 40 + 4 * (size_t)i) == n - 1) face_of_last = i / 3, corner_of_last = (int)(i % 3);
}

static void take_text(client *c, const char *text) {
    const char *force = strstr(text, "\"force\": ");
    if (strstr(text, "\"stats\"") && force) c->force = atof(force + 9);
    if (strstr(text, "\"refused\"")) fprintf(stderr, "%s", text);
}

// processes one complete frame at the front; 0: incomplete, -1: closed
static int take_frame(client *c) {
    if (c->size < 2) return 0;
    size_t n = c->data[1] & 127, head = n == 127 ? 10 : n == 126 ? 4 : 2;
    if (c->size < head) return 0;
    if (n >= 126) {
        n = 0;
        for (size_t i = 2; i < head; i++) n = n << 8 | c->data[i];
    }
    if (c->size - head < n) return 0;
    unsigned char *data = c->data + head, kind = c->data[0] & 15;
    if (kind == 8) {
        fprintf(stderr, "closed: %.*s\n", n > 2 ? (int)n - 2 : 0, (const char *)data + (n > 2 ? 2 : 0));
        return -1;
    }
    if (kind == 9) send_frame(c, 10, (const char *)data, n);
    if (kind == 2 && n >= 64 && memcmp(data, "SPV1", 4) == 0 && data[4] == 1) take_state(c, data, n);
    if (kind == 2 && n >= 40 && memcmp(data, "SPV1", 4) == 0 && data[4] == 2) take_topology(c, data);
    if (kind == 1) {
        unsigned char end = c->size > head + n ? data[n] : 0;
        if (c->size < c->capacity) {
            data[n] = 0;
            take_text(c, (const char *)data);
            data[n] = end;
        }
    }
    memmove(c->data, c->data + head + n, c->size -= head + n);
    return 1;
}

// ---- the client

static void drag(client *c, double t) {
    char text[256];
    if (!c->has_start) return;
    snprintf(text, sizeof text,
             "{\"type\":\"drag\",\"body\":%u,\"surface\":%u,\"face\":%u,\"weights\":[%d,%d,%d],\"target\":[%g,%g,%g]}", c->body,
             c->surface, face_of_last, corner_of_last == 0, corner_of_last == 1, corner_of_last == 2, c->start[0],
             c->start[1] + 0.05 * sin(6.28 * t), c->start[2]);
    say(c, text);
}

static int watch(client *c, double seconds) {
    double begin = now(), next = begin, reported = begin;
    unsigned long long reported_step = 0;
    say(c, "{\"type\":\"control\",\"action\":\"request\"}");
    say(c, "{\"type\":\"show\",\"surfaces\":[\"mechanical\"]}");
    say(c, "{\"type\":\"play\",\"id\":1}");
    while (now() - begin < seconds) {
        int got = 1;
        while ((got = take_frame(c)) > 0) continue;
        if (got < 0 || read_more(c, 0.02) < 0) return 1;
        if (now() >= next) drag(c, now() - begin), next += 0.02;
        if (now() - reported < 1) continue;
        printf("step %llu, %.0f steps/s, %.0f frames/s, force %.3g N\n", c->step,
               (double)(c->step - (reported_step ? reported_step : c->first_step)) / (now() - reported),
               c->frames / (now() - begin), c->force);
        fflush(stdout);
        reported = now(), reported_step = c->step;
    }
    return say(c, "{\"type\":\"drop\"}") ? 0 : 1;
}

int main(int argc, char **argv) {
    client c = {.fd = -1};
    if (argc < 2) {
        printf("usage: view_client PORT [SECONDS [TOKEN]]\n");
        return 0;
    }
    int result = 1;
    if (connect_to(&c, atoi(argv[1]), argc > 3 ? argv[3] : NULL))
        result = watch(&c, argc > 2 ? atof(argv[2]) : 5);
    else
        fprintf(stderr, "view_client: no souple view on port %s lets me in\n", argv[1]);
    if (c.fd >= 0) close(c.fd);
    free(c.data);
    return result;
}
