// Messages to clients, one at a time and only when the socket is writable: first reliable messages (hello, answers, events), then
// the latest state (statistics, marks, geometry).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "serve/server_internal.h"
#include "util/json.h"

// ---------------------------------------------------------------------------------------------------- queues

static void server_queue(sp_client *c, const char *text, size_t size) {
    sp_queued *q = c->close_code ? NULL : malloc(sizeof *q + LWS_PRE + size);
    if (!q) return;
    q->next = NULL, q->size = size;
    memcpy(q->data + LWS_PRE, text, size);
    *c->queue_end = q;
    c->queue_end = &q->next;
    if (++c->queue_count > SP_QUEUE_MAX) sp__server_close(c, SP_CLOSE_SLOW, "too slow: messages were not read");
    lws_callback_on_writable(c->wsi);
}

void sp__server_answer(sp_client *c, const sp_message *m, const char *why) {
    char *text = NULL;
    size_t size = 0;
    bool numbered = (m->given & SP_GIVEN_ID) != 0;
    sp_json j = {.file = why || numbered ? open_memstream(&text, &size) : NULL};
    if (!j.file) return;
    sp__json_open(&j, NULL, '{');
    sp__json_text(&j, "type", why ? "refused" : "ok");
    if (numbered)
        sp__json_integer(&j, "id", (long long)m->id);
    else
        sp__json_text(&j, "id", NULL);
    if (why) sp__json_text(&j, "why", why);
    sp__json_close(&j, '}');
    if (fclose(j.file) == 0) server_queue(c, text, size);
    free(text);
}

void sp__server_send_control(sp_server *s) {
    for (int i = 0; i < s->client_count; i++) {
        char text[128];
        sp_client *c = s->clients[i];
        int n = snprintf(text, sizeof text, "{\"type\":\"control\",\"holder\":%u,\"you\":%u,\"wants\":%u}", s->control.holder,
                         c->number, s->control.wants);
        // clients without a hello get this state with their hello
        if (c->hello_sent) server_queue(c, text, (size_t)n);
    }
}

void sp__server_deliver(sp_server *s) {
    uint32_t client;
    while (s->sim && sp__sim_next_message(s->sim, &client, &s->note)) {
        for (int i = 0; i < s->client_count; i++)
            if ((client == 0 && s->clients[i]->hello_sent) || s->clients[i]->number == client)
                server_queue(s->clients[i], (const char *)s->note.data, s->note.size);
        if (client) sp__server_receive_answer(s, client, &s->note);
    }
}

// ---------------------------------------------------------------------------------------------------- writing

// room for the frame header, then the payload
static void send_begin(sp_server *s) {
    s->out.size = 0;
    s->out.broken = false;
    sp__buffer_reserve(NULL, &s->out, LWS_PRE);
}

static int send_out(sp_server *s, sp_client *c, enum lws_write_protocol kind) {
    if (s->out.broken) return -1;
    c->moving_ms = sp__now_ms();
    lws_callback_on_writable(c->wsi);
    return lws_write(c->wsi, (unsigned char *)s->out.data + LWS_PRE, s->out.size - LWS_PRE, kind) < 0 ? -1 : 0;
}

static int send_hello(sp_server *s, sp_client *c) {
    send_begin(s);
    sp__buffer_print(
        NULL, &s->out,
        "{\"type\":\"hello\",\"protocol\":%d,\"you\":%u,\"key\":\"%s\",\"control\":{\"holder\":%u,\"you\":%u,\"wants\":%u},",
        SP_PROTOCOL, c->number, c->key, s->control.holder, c->number, s->control.wants);
    c->generation = sp__sim_hello(s->sim, &s->out);
    c->samples = 0;
    c->hello_sent = true;
    c->in_flight = 0;
    return send_out(s, c, LWS_WRITE_TEXT);
}

static int send_queued(sp_client *c) {
    sp_queued *q = c->queue;
    c->queue = q->next;
    if (!c->queue) c->queue_end = &c->queue;
    c->queue_count--;
    c->moving_ms = sp__now_ms();
    lws_callback_on_writable(c->wsi);
    int n = lws_write(c->wsi, q->data + LWS_PRE, q->size, LWS_WRITE_TEXT);
    free(q);
    return n < 0 ? -1 : 0;
}

// 1: nothing new
static int send_latest(sp_server *s, sp_client *c) {
    send_begin(s);
    size_t empty = s->out.size;
    c->stats = sp__sim_text(s->sim, SP_SIM_STATS, c->stats, &s->out);
    if (s->out.size > empty) {
        sp__buffer_print(NULL, &s->out, ",\"frames\":{\"sent\":%llu,\"dropped\":%u}}", (unsigned long long)c->sent,
                         c->view.dropped);
        return send_out(s, c, LWS_WRITE_TEXT);
    }
    c->samples = sp__sim_samples(s->sim, c->generation, c->samples, &s->out);
    if (s->out.size > empty) return send_out(s, c, LWS_WRITE_TEXT);
    if (c->want_marks) c->marks = sp__sim_text(s->sim, SP_SIM_MARKS, c->marks, &s->out);
    return s->out.size > empty ? send_out(s, c, LWS_WRITE_TEXT) : 1;
}

static int send_frame(sp_server *s, sp_client *c, const sp_sim_frame *frame) {
    send_begin(s);
    if (sp__client_view_topology(&c->view, frame, &s->out)) return send_out(s, c, LWS_WRITE_BINARY);
    if (frame->number == c->view.number && !c->repaint) return 0;
    sp__client_view_state(&c->view, frame, &s->out);
    c->repaint = false;
    c->sent++;
    c->sent_ms = sp__now_ms();
    if (c->acking) c->in_flight++;
    return send_out(s, c, LWS_WRITE_BINARY);
}

static int send_geometry(sp_server *s, sp_client *c) {
    if (!c->view.roles || c->in_flight >= SP_IN_FLIGHT) return 0;
    const sp_sim_frame *frame = sp__sim_acquire(s->sim);
    if (!frame) return 0;
    // a frame of a newer generation waits for its hello
    int code = frame->generation == c->generation ? send_frame(s, c, frame) : 0;
    sp__sim_release(s->sim, frame);
    return code;
}

// The close frame: code and reason. It is written directly to the socket, because the library has no function that sends one and
// leaves reading to us; no earlier frame may be pending in the library. The client has SP_CLOSE_MS to close its end.
static int send_close(sp_client *c) {
    unsigned char frame[4 + SP_WHY_MAX];
    size_t size = strlen(c->close_why);
    int fd = lws_get_socket_fd(c->wsi);
    if (c->close_said) return 0;
    if (lws_partial_buffered(c->wsi)) {
        lws_callback_on_writable(c->wsi);
        return 0;
    }
    frame[0] = 0x88, frame[1] = (unsigned char)(2 + size);
    frame[2] = (unsigned char)(c->close_code >> 8), frame[3] = (unsigned char)c->close_code;
    memcpy(frame + 4, c->close_why, size);
    c->close_said = true, c->close_ms = sp__now_ms();
    if (send(fd, frame, 4 + size, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)(4 + size)) return -1;
    return shutdown(fd, SHUT_WR) < 0 ? -1 : 0;
}

static int send_pong(sp_client *c) {
    c->pong_due = false;
    lws_callback_on_writable(c->wsi);
    return lws_write(c->wsi, c->pong + LWS_PRE, c->pong_size, LWS_WRITE_PONG) < 0 ? -1 : 0;
}

int sp__server_write(sp_server *s, sp_client *c) {
    if (c->number && !c->hello_sent && !c->input && !c->close_code) sp__server_input_open(s, c);
    if (c->close_code && c->input) return send_close(c);
    if (c->close_code) {
        lws_close_reason(c->wsi, (enum lws_close_status)c->close_code, (unsigned char *)c->close_why, strlen(c->close_why));
        return -1;
    }
    if (c->pong_due) return send_pong(c);
    if (!c->number || !s->sim) return 0;
    if (!c->hello_sent || sp__sim_generation(s->sim) != c->generation) return send_hello(s, c);
    if (c->queue) return send_queued(c);
    int code = send_latest(s, c);
    return code == 1 ? send_geometry(s, c) : code;
}
