// Life cycle of a client: join, messages, leave; which client holds the controls. An error of a client closes its own connection
// and nothing else.
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/server_internal.h"

// ---------------------------------------------------------------------------------------------- the controls

static void pass_control(sp_control *c, uint32_t *lost) {
    *lost = c->holder;
    c->holder = c->wants;
    c->wants = 0;
}

bool sp__control_request(sp_control *c, uint32_t client, double now_ms) {
    // the first pending request stays: two clients that replace each other would never get the controls
    if (c->holder == client || (c->holder && c->wants)) return false;
    if (!c->holder)
        c->holder = client;
    else
        c->wants = client, c->asked_ms = now_ms;
    return true;
}

bool sp__control_release(sp_control *c, uint32_t client, uint32_t *lost) {
    *lost = 0;
    if (c->wants == client) return c->wants = 0, true;
    if (c->holder != client) return false;
    pass_control(c, lost);
    return true;
}

bool sp__control_answer(sp_control *c, uint32_t client, bool grant, uint32_t *lost, const char **why) {
    *lost = 0;
    *why = c->holder != client ? "you do not have the controls" : !c->wants ? "no client has requested the controls" : 0;
    if (*why) return false;
    if (grant)
        pass_control(c, lost);
    else
        c->wants = 0;
    return true;
}

bool sp__control_leave(sp_control *c, uint32_t client, uint32_t *lost) {
    return sp__control_release(c, client, lost);
}

bool sp__control_tick(sp_control *c, double now_ms, uint32_t *lost) {
    *lost = 0;
    if (!c->wants || now_ms - c->asked_ms < SP_CONTROL_WAIT_MS) return false;
    pass_control(c, lost);
    return true;
}

// ---------------------------------------------------------------------------------------------- fields and marks

static bool is_plane(const sp_clip_plane *p) {
    return p->normal[0] != 0 || p->normal[1] != 0 || p->normal[2] != 0;
}

// only the fields and cross sections that a client displays are computed
static void send_wanted(sp_server *s) {
    sp_sim_want want = {0};
    for (int i = 0; i < s->client_count; i++) {
        const sp_client_view *v = &s->clients[i]->view;
        want.fields |= v->colour ? 1u << v->colour : 0;
        want.marks = want.marks || s->clients[i]->want_marks;
        if (is_plane(&v->clip) && want.cut_count < SP_CUTS_MAX)
            want.cuts[want.cut_count++] = (sp_sim_cut){.client = v->client, .colour = v->colour, .plane = v->clip};
    }
    if (s->sim) sp__sim_want(s->sim, &want);
}

// the different planes and fields of the other clients
static bool may_clip(const sp_server *s, const sp_client *c, const sp_message *m) {
    sp_sim_cut others[SP_SECTIONS_MAX],
        own = {.colour = m->given & SP_GIVEN_COLOUR ? m->colour : c->view.colour, .plane = m->clip};
    int n = 0;
    for (int i = 0; i < s->client_count; i++) {
        const sp_client_view *v = &s->clients[i]->view;
        sp_sim_cut cut = {.colour = v->colour, .plane = v->clip};
        int k = 0;
        if (s->clients[i] == c || !is_plane(&v->clip)) continue;
        if (sp__cuts_equal(&cut, &own)) return true;
        while (k < n && !sp__cuts_equal(&others[k], &cut)) k++;
        if (k == n && n < SP_SECTIONS_MAX) others[n++] = cut;
    }
    return n < SP_SECTIONS_MAX;
}

// ---------------------------------------------------------------------------------------------------- input

// libwebsockets 4.1 accepts frames without a mask, closes some other invalid frames of RFC 6455 without a code, and does not
// expose frame headers. So the library reads nothing from a client: its reads are suspended, and a duplicate of the descriptor
// delivers the data to websocket.c. Requests, the handshake and all writes stay with the library. This starts at the first
// writable event and not earlier: before it the library delivers the data that arrived with the handshake.
void sp__server_input_open(sp_server *s, sp_client *c) {
    lws_sock_file_fd_type fd = {.filefd = dup(lws_get_socket_fd(c->wsi))};
    if (fd.filefd >= 0) c->input = lws_adopt_descriptor_vhost(s->vhost, LWS_ADOPT_RAW_FILE_DESC, fd, "souple", NULL);
    if (!c->input) {
        sp__server_close(c, SP_CLOSE_FULL, "no descriptors are left, try again later");
        return;
    }
    sp__server_connection_left(s, c->input);
    lws_set_opaque_user_data(c->input, c);
    lws_rx_flow_control(c->wsi, 0);
}

static void input_close(sp_client *c) {
    if (!c->input) return;
    lws_set_opaque_user_data(c->input, NULL);
    lws_set_timeout(c->input, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
    c->input = NULL;
}

void sp__server_input_closed(struct lws *input) {
    sp_client *c = lws_get_opaque_user_data(input);
    if (c) c->input = NULL;
}

// ---------------------------------------------------------------------------------------------------- join and leave

void sp__server_joined(sp_server *s, sp_client *c, struct lws *wsi) {
    // data buffered in the kernel for a slow client is outdated when it arrives: keep the buffer small
    int capacity = 256 << 10;
    setsockopt(lws_get_socket_fd(wsi), SOL_SOCKET, SO_SNDBUF, &capacity, sizeof capacity);
    c->wsi = wsi;
    c->queue_end = &c->queue;
    c->view.roles = SP_ROLE_VISUAL;
    c->tokens = SP_BURST, c->tokens_ms = c->moving_ms = sp__now_ms();
    if (s->client_count == SP_CLIENTS_MAX) {
        sp__server_close(c, SP_CLOSE_FULL, "64 clients are connected, try again later");
        return;
    }
    sp__server_connection_left(s, wsi);
    c->number = c->view.client = ++s->last_number;
    lws_hex_random(s->context, c->key, sizeof c->key);
    s->clients[s->client_count++] = c;
    lws_callback_on_writable(wsi);
}

// a client that lost the controls releases its drags
static void lost_control(sp_server *s, uint32_t client) {
    if (client && s->sim) sp__sim_leave(s->sim, client);
    sp__server_send_control(s);
}

void sp__server_left(sp_server *s, sp_client *c) {
    uint32_t lost;
    input_close(c);
    int at = 0;
    while (at < s->client_count && s->clients[at] != c) at++;
    if (at < s->client_count) s->clients[at] = s->clients[--s->client_count];
    if (c->number && sp__control_leave(&s->control, c->number, &lost)) lost_control(s, lost);
    while (c->queue) {
        sp_queued *next = c->queue->next;
        free(c->queue);
        c->queue = next;
    }
    sp__client_view_free(&c->view);
    send_wanted(s);
}

// ---------------------------------------------------------------------------------------------------- messages

static void do_control(sp_server *s, sp_client *c, const sp_message *m) {
    uint32_t lost = 0;
    const char *why = NULL;
    bool changed = false;
    switch (m->action) {
    case SP_ACTION_REQUEST:
        changed = sp__control_request(&s->control, c->number, sp__now_ms());
        if (s->control.holder != c->number && s->control.wants != c->number) why = "another client has already requested them";
        break;
    case SP_ACTION_RELEASE: changed = sp__control_release(&s->control, c->number, &lost); break;
    default: changed = sp__control_answer(&s->control, c->number, m->action == SP_ACTION_GRANT, &lost, &why);
    }
    if (changed) lost_control(s, lost);
    sp__server_answer(c, m, why);
}

static void do_show(sp_server *s, sp_client *c, const sp_message *m) {
    if (m->given & SP_GIVEN_CLIP && is_plane(&m->clip) && !may_clip(s, c, m)) {
        sp__server_answer(c, m, "other clients use 8 clipping planes already");
        return;
    }
    if (m->given & SP_GIVEN_CLIP) c->view.clip = m->clip;
    if (m->given & SP_GIVEN_COLOUR) c->view.colour = m->colour;
    if (m->given & SP_GIVEN_SURFACES) c->view.roles = m->surfaces;
    if (m->given & SP_GIVEN_MARKS) c->want_marks = m->marks, c->marks = 0;
    if (m->given & SP_GIVEN_CONTACTS)
        c->repaint = c->repaint || (m->contacts && !c->view.contacts), c->view.contacts = m->contacts;
    // surfaces that were hidden may have moved: send them again. A plane alone comes with the next frame
    bool others = (m->given & (SP_GIVEN_COLOUR | SP_GIVEN_SURFACES)) != 0;
    for (int i = 0; i < c->view.count && others; i++) c->view.seen[i].moved = 0;
    c->repaint = c->repaint || others;
    send_wanted(s);
    sp__server_answer(c, m, NULL);
    lws_callback_on_writable(c->wsi);
}

static void do_ack(sp_client *c) {
    c->acking = true;
    if (c->in_flight > 0) c->in_flight--;
    lws_callback_on_writable(c->wsi);
}

static void do_message(sp_server *s, sp_client *c, const sp_message *m) {
    switch (m->type) {
    case SP_MESSAGE_CONTROL: do_control(s, c, m); return;
    case SP_MESSAGE_SHOW: do_show(s, c, m); return;
    case SP_MESSAGE_ACK: do_ack(c); return;
    case SP_MESSAGE_PING: sp__server_answer(c, m, NULL); return;
    default: break;
    }
    if (s->control.holder != c->number)
        sp__server_answer(c, m, s->control.holder ? "another client has the controls" : "request the controls first");
    else if (!sp__sim_post(s->sim, c->number, m))
        sp__server_answer(c, m, "too many commands wait, try again");
}

// token bucket with SP_RATE tokens per second; false: it is empty
static bool may_speak(sp_client *c) {
    double now = sp__now_ms();
    c->tokens += (now - c->tokens_ms) * SP_RATE / 1000;
    if (c->tokens > SP_BURST) c->tokens = SP_BURST;
    c->tokens_ms = now;
    return (c->tokens -= 1) >= 0;
}

static void read_text(sp_server *s, sp_client *c) {
    sp_message m;
    char why[SP_WHY_MAX];
    switch (sp__message_read(c->reader.text, c->reader.text_size, &m, why)) {
    case SP_WIRE_GOOD: do_message(s, c, &m); break;
    case SP_WIRE_REFUSED: sp__server_answer(c, &m, why); break;
    case SP_WIRE_MALFORMED: sp__server_close(c, SP_CLOSE_MALFORMED, why); break;
    }
}

// only the latest ping is answered, as the RFC allows
static void take_ping(sp_client *c) {
    c->pong_size = c->reader.control_size, c->pong_due = true;
    memcpy(c->pong + LWS_PRE, c->reader.control, c->pong_size);
    lws_callback_on_writable(c->wsi);
}

static void take_bytes(sp_server *s, sp_client *c, const unsigned char *data, size_t size) {
    for (;;) {
        uint64_t frames = c->reader.frames;
        sp_ws_event event = sp__ws_read(&c->reader, &data, &size);
        for (; frames < c->reader.frames && !c->close_code; frames++)
            if (!may_speak(c)) sp__server_close(c, SP_CLOSE_RATE, "more than 200 frames a second");
        if (c->close_code) return;
        switch (event) {
        case SP_WS_TEXT: read_text(s, c); break;
        case SP_WS_PING: take_ping(c); break;
        case SP_WS_PONG: break;
        case SP_WS_CLOSE: sp__server_close(c, c->reader.code, ""); return;
        case SP_WS_FAILED: sp__server_close(c, c->reader.code, c->reader.why); return;
        case SP_WS_MORE: return;
        }
    }
}

// Data after the close frame is read and dropped: with unread bytes the system would reset the connection, and the reason would
// not arrive.
int sp__server_input(sp_server *s, struct lws *input) {
    unsigned char data[4096];
    sp_client *c = lws_get_opaque_user_data(input);
    if (!c) return -1;
    ssize_t n = recv((int)lws_get_socket_fd(input), data, sizeof data, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    if (n <= 0) {
        lws_set_timeout(c->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
        return -1;
    }
    if (c->close_code) return 0;
    lws_validity_confirmed(c->wsi);  // a client that sends is alive
    take_bytes(s, c, data, (size_t)n);
    return 0;
}

// ---------------------------------------------------------------------------------------------------- timeouts

void sp__server_tick(sp_server *s) {
    uint32_t lost;
    double now = sp__now_ms();
    if (sp__control_tick(&s->control, now, &lost)) lost_control(s, lost);
    sp__server_connection_tick(s);
    for (int i = 0; i < s->client_count; i++) {
        sp_client *c = s->clients[i];
        // no close frame: earlier data still blocks the connection
        if (lws_partial_buffered(c->wsi) && now - c->moving_ms > SP_STUCK_MS)
            lws_set_timeout(c->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
        if (c->close_said && now - c->close_ms > SP_CLOSE_MS) lws_set_timeout(c->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
        if (c->in_flight >= SP_IN_FLIGHT && now - c->sent_ms > SP_ACK_TIMEOUT_MS)
            c->in_flight = 0, lws_callback_on_writable(c->wsi);
    }
}
