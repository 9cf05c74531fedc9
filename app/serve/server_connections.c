// HTTP connections that are not clients: their request is incomplete, or they were answered and stay open. At most SP_HTTP_MAX
// are kept, and a new one is always accepted: the oldest without a complete request is closed, or else the one with the oldest
// request. So silent and slow peers block no other peer. Clients have separate slots.
#include <string.h>

#include "serve/server_internal.h"

static int connection_find(const sp_server *s, const struct lws *wsi) {
    int at = 0;
    while (at < s->connection_count && s->connections[at].wsi != wsi) at++;
    return at;
}

static void connection_remove(sp_server *s, int at) {
    s->connection_count--;
    memmove(s->connections + at, s->connections + at + 1, (size_t)(s->connection_count - at) * sizeof *s->connections);
}

static void connection_close(sp_connection *c) {
    c->closing = true;
    lws_set_timeout(c->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
}

static void connection_reserve(sp_server *s) {
    sp_connection *oldest = NULL;
    int open = 0;
    for (int i = 0; i < s->connection_count; i++) {
        sp_connection *c = &s->connections[i];
        if (c->closing) continue;
        open++;
        if (!oldest || (oldest->asked && !c->asked)) oldest = c;
    }
    if (open >= SP_HTTP_MAX) connection_close(oldest);
}

void sp__server_connection_opened(sp_server *s, struct lws *wsi) {
    connection_reserve(s);
    if (s->connection_count < SP_CONNECTIONS_MAX)
        s->connections[s->connection_count++] = (sp_connection){.wsi = wsi, .since_ms = sp__now_ms()};
}

void sp__server_connection_asked(sp_server *s, struct lws *wsi) {
    int at = connection_find(s, wsi);
    if (at == s->connection_count) return;
    sp_connection c = s->connections[at];
    c.asked = true, c.since_ms = sp__now_ms();
    connection_remove(s, at);
    s->connections[s->connection_count++] = c;
}

void sp__server_connection_left(sp_server *s, struct lws *wsi) {
    int at = connection_find(s, wsi);
    if (at < s->connection_count) connection_remove(s, at);
}

void sp__server_connection_tick(sp_server *s) {
    double now = sp__now_ms();
    for (int i = 0; i < s->connection_count; i++) {
        sp_connection *c = &s->connections[i];
        // data in between may have set another timeout: repeat it
        if (c->closing || (!c->asked && now - c->since_ms > SP_REQUEST_MS)) connection_close(c);
    }
}
