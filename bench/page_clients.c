// Plain clients of `bench page`: one thread receives for all of them. They count frames; the last one holds the controls, follows
// one vertex and measures the latency of a drag.
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "util/json_read.h"

// Layout of frames: docs/protocol.md. Assumes a little-endian machine.
enum { HEAD = 16, KIND_STATE = 1, KIND_TOPOLOGY = 2, TOPOLOGY_FACES = 40, STATE_SURFACES = 64, SURFACE_HEAD = 24 };

static uint32_t word_at(const unsigned char *b, size_t at) {
    uint32_t v;
    memcpy(&v, b + at, sizeof v);
    return v;
}

// ---------------------------------------------------------------------------------------------------- frames of the client with
// the controls

static void keep_faces(sp_page_clients *c, const unsigned char *b, size_t size) {
    if (size < TOPOLOGY_FACES || word_at(b, 20) != 0 || c->faces) return;
    uint32_t m = word_at(b, 32);
    if (m > (size - TOPOLOGY_FACES) / 12) return;
    c->faces = malloc(12 * (size_t)m + 1);
    if (!c->faces) return;
    memcpy(c->faces, b + TOPOLOGY_FACES, 12 * (size_t)m);
    c->body = word_at(b, 16), c->face_count = m;
}

static const float *vertex_of(const unsigned char *b, uint32_t n, uint32_t vertex, float out[3]) {
    if (vertex >= n) return NULL;
    memcpy(out, b + SURFACE_HEAD + 12 * (size_t)vertex, 12);
    return out;
}

// the face farthest along x, away from the clamped side
static void pick_face(sp_page_clients *c, const unsigned char *surface, uint32_t n) {
    double far = -INFINITY;
    for (uint32_t f = 0; f < c->face_count; f++) {
        float at[3];
        double sum = 0;
        for (int k = 0; k < 3; k++)
            if (vertex_of(surface, n, c->faces[3 * f + (uint32_t)k], at)) sum += at[0];
        if (sum > far) far = sum, c->face = f;
    }
}

// `kick`: distance of the vertex from its linear extrapolation. It is small for a smooth motion.
static void follow_vertex(sp_page_clients *c, const unsigned char *b, size_t size) {
    if (size < STATE_SURFACES + SURFACE_HEAD || word_at(b, 40) < 1 || !c->faces) return;
    const unsigned char *surface = b + STATE_SURFACES;
    uint32_t n = word_at(surface, 12);
    bool first = isnan(c->x[0]);
    uint64_t step;
    float at[3];
    memcpy(&step, b + 16, sizeof step);
    if (n > (size - STATE_SURFACES - SURFACE_HEAD) / 12) return;
    if (first) pick_face(c, surface, n);
    if (!vertex_of(surface, n, c->faces[3 * c->face], at)) return;
    double steps = first || step <= c->at_step ? 1 : (double)(step - c->at_step), sum = 0;
    for (int k = 0; k < 3; k++) {
        double x = (double)at[k], went = first ? 0 : (x - c->x[k]) / steps, off = (went - c->v[k]) * steps;
        c->x[k] = x, c->v[k] = went;
        sum += off * off;
    }
    c->kick = sqrt(sum), c->at_step = step;
}

static void read_hello(sp_page_clients *c, const char *text, size_t size) {
    sp_json_tree t;
    if (sp__json_parse(&t, text, size) && strcmp(sp__json_get_text(t.root, "type"), "hello") == 0) {
        const sp_json_value *bodies = sp__json_get(t.root, "bodies");
        c->pull = bodies && bodies->first ? sp__json_get_number(bodies->first, "pull") : NAN;
    }
    sp__json_free(&t);
}

// ---------------------------------------------------------------------------------------------------- frames of all clients

static void take_frame(sp_page_clients *c, sp_page_client *p, const unsigned char *b, size_t size) {
    bool driver = p == &c->clients[c->count - 1];
    if (size < HEAD || memcmp(b, "SPV1", 4) != 0) return;
    int kind = b[4] | b[5] << 8;
    if (kind == KIND_TOPOLOGY && driver) keep_faces(c, b, size);
    if (kind != KIND_STATE || size < STATE_SURFACES) return;
    memcpy(&p->step, b + 16, sizeof p->step);
    p->step_at = sp__page_clock();
    p->frames++;
    if (driver) {
        c->fresh = true;
        follow_vertex(c, b, size);
    }
    char text[64];
    snprintf(text, sizeof text, "{\"type\":\"ack\",\"step\":%llu}", (unsigned long long)p->step);
    if (p->acknowledge) sp__ws_send(&p->ws, text);
}

// a refused message would falsify the results: it ends the measurement
static bool is_refusal(const char *text, size_t size) {
    char head[40] = "";
    memcpy(head, text, size < sizeof head - 1 ? size : sizeof head - 1);
    return strstr(head, "\"refused\"") != NULL;
}

static void take_text(sp_page_clients *c, sp_page_client *p, const char *text, size_t size) {
    p->texts++;
    if (p != &c->clients[c->count - 1]) return;
    if (isnan(c->pull)) read_hello(c, text, size);
    if (is_refusal(text, size)) snprintf(c->why, sizeof c->why, "%.*s", (int)size, text);
}

static bool take_all(sp_page_clients *c, sp_page_client *p) {
    const unsigned char *data;
    size_t size;
    for (;;) {
        switch (sp__ws_next(&p->ws, &data, &size)) {
        case SP_WS_NONE: return true;
        case SP_WS_TEXT: take_text(c, p, (const char *)data, size); break;
        case SP_WS_BINARY: take_frame(c, p, data, size); break;
        case SP_WS_CLOSED: snprintf(c->why, sizeof c->why, "%s", p->ws.why); return false;
        }
    }
}

// returns when data arrives, or after this time
static bool listen_once(sp_page_clients *c, double ms) {
    struct pollfd p[SP_PAGE_CLIENTS];
    for (int i = 0; i < c->count; i++) p[i] = (struct pollfd){.fd = c->clients[i].ws.fd, .events = POLLIN};
    if (poll(p, (nfds_t)c->count, (int)ceil(ms)) < 0 && errno != EINTR) return false;
    for (int i = 0; i < c->count; i++)
        if (p[i].revents && !take_all(c, &c->clients[i])) return false;
    return c->why[0] == 0;
}

bool sp__page_listen(sp_page_clients *c, double ms) {
    double end = sp__page_clock() + ms;
    for (double left = ms; left > 0; left = end - sp__page_clock())
        if (!listen_once(c, left)) return false;
    return true;
}

bool sp__page_say(sp_page_clients *c, const char *text) {
    return sp__ws_send(&c->clients[c->count - 1].ws, text);
}

bool sp__page_join(sp_page_clients *c, int port, int count, bool drive) {
    *c = (sp_page_clients){.pull = NAN, .x = {NAN}};
    for (int i = 0; i < count; i++) {
        sp_page_client *p = &c->clients[c->count++];
        p->acknowledge = true;
        if (sp__ws_connect(&p->ws, port, "/ws")) continue;
        snprintf(c->why, sizeof c->why, "client %d: %.150s", i + 1, p->ws.why);
        return false;
    }
    if (drive && !sp__page_say(c, "{\"type\":\"control\",\"id\":1,\"action\":\"request\"}")) return false;
    for (int tries = 0; tries < 100; tries++) {
        if (!sp__page_listen(c, 50)) return false;
        if (c->faces && !isnan(c->x[0]) && !isnan(c->pull)) return true;
    }
    snprintf(c->why, sizeof c->why, "no surface came within five seconds");
    return false;
}

void sp__page_leave(sp_page_clients *c) {
    for (int i = 0; i < c->count; i++) sp__ws_close(&c->clients[i].ws);
    free(c->faces);
    *c = (sp_page_clients){0};
}

// ---------------------------------------------------------------------------------------------------- drags

static bool page_clients_drag(sp_page_clients *c, const double start[3], double away, bool grab) {
    char text[400], point[160] = "";
    if (grab)
        snprintf(point, sizeof point, "\"body\":%u,\"surface\":0,\"face\":%u,\"weights\":[1,0,0],\"stiffness\":%.9g,", c->body,
                 c->face, c->pull);
    snprintf(text, sizeof text, "{\"type\":\"drag\",\"slot\":0,%s\"target\":[%.9g,%.9g,%.9g]}", point, start[0], start[1] + away,
             start[2]);
    return sp__page_say(c, text);
}

// Waits for a frame with a kick above (or below) this limit; returns the time, NaN after two seconds.
static double wait_for_kick(sp_page_clients *c, double limit, bool more) {
    double begin = sp__page_clock(), now = begin;
    c->fresh = false;
    while (now - begin < 2000) {
        if (!listen_once(c, 2000 - (now - begin))) return NAN;
        now = sp__page_clock();
        if (c->fresh && (more ? c->kick > limit : c->kick < limit)) return now - begin;
        c->fresh = false;
    }
    return NAN;
}

// the largest kick without a drag
static double kick_of_swinging(sp_page_clients *c) {
    double end = sp__page_clock() + 500, most = 0;
    while (sp__page_clock() < end && listen_once(c, 50)) most = fmax(most, c->kick);
    return most;
}

// The first drag gives the size of the kick and is not counted. Reversing a pull doubles the kick; half of a kick is far above
// the residual motion when the next drag is sent.
int sp__page_latency(sp_page_clients *c, int samples, double *ms) {
    double away = 0.03;
    double rest = kick_of_swinging(c), start[3] = {c->x[0], c->x[1], c->x[2]};
    unsigned random = 1;
    int count = 0;
    // the faster the simulation, the more the block swings from frame to frame: the drag must be seen beside that
    for (bool first = true;; first = false, away *= 2) {
        if (!page_clients_drag(c, start, away, first)) return 0;
        if (!isnan(wait_for_kick(c, 4 * rest + 1e-6, true))) break;
        if (away > 0.3) return 0;
    }
    double kick = c->kick;
    for (int i = 1; i <= samples && c->why[0] == 0; i++) {
        if (isnan(wait_for_kick(c, 0.2 * kick, false))) continue;
        random = random * 1103515245u + 12345u;
        if (!sp__page_listen(c, 100 + (random >> 16) % 50)) break;  // random delay: not synchronised with the frames
        if (!page_clients_drag(c, start, i % 2 ? -away : away, false)) break;
        double t = wait_for_kick(c, 0.5 * kick, true);
        if (!isnan(t)) ms[count++] = t;
    }
    sp__page_say(c, "{\"type\":\"drop\",\"slot\":0}");
    return count;
}
