// Internals shared by the files of the server. All of it belongs to the network thread.
#ifndef SP_SERVE_SERVER_INTERNAL_H
#define SP_SERVE_SERVER_INTERNAL_H

#include <libwebsockets.h>
#include <stdatomic.h>

#include "serve/client_view.h"
#include "serve/server.h"
#include "serve/websocket.h"
#include "util/clock.h"

enum {
    SP_CLIENTS_MAX = 64,
    SP_HTTP_MAX = 128,         // connections that are not clients; above this the oldest is closed
    SP_CONNECTIONS_MAX = 512,  // of all kinds; the rest are closing
    SP_REQUEST_MS = 4000,      // time limit for a complete request
    SP_RATE = 200,             // frames per second from a client
    SP_BURST = 400,            // frames at once
    SP_QUEUE_MAX = 512,        // queued texts per client
    SP_IN_FLIGHT = 2,          // frames without acknowledgement, for clients that acknowledge
    SP_STUCK_MS = 30000,       // a client that accepts no data for this time is closed
    SP_CLOSE_MS = 2000,        // time for a client to close its end
    SP_ACK_TIMEOUT_MS = 1000   // unacknowledged frames are no longer counted after this time
};

// The controls: at most one client holds them, and at most one client requests them.
enum { SP_CONTROL_WAIT_MS = 10000 };  // a holder that does not answer for this time loses the controls

typedef struct sp_control {
    uint32_t holder, wants;  // client numbers; 0: none
    double asked_ms;         // time of the request
} sp_control;

typedef struct sp_queued {
    struct sp_queued *next;
    size_t size;
    unsigned char data[];  // room for the frame header, then the text
} sp_queued;

// libwebsockets zeroes it for every connection, also for HTTP.
typedef struct sp_client {
    struct lws *wsi;
    uint32_t number;  // from 1; 0: not a WebSocket
    // input
    struct lws *input;  // a duplicate of the same socket, see server_client.c; NULL: none
    sp_ws_reader reader;
    double tokens, tokens_ms;
    unsigned char pong[LWS_PRE + SP_WS_CONTROL_MAX];
    size_t pong_size;
    bool pong_due;
    // output
    sp_queued *queue, **queue_end;
    int queue_count;
    bool hello_sent;
    uint32_t generation;  // of the last hello
    uint64_t stats, marks;
    sp_client_view view;
    bool want_marks, repaint, acking;
    int in_flight;
    double sent_ms;    // time of the last frame
    double moving_ms;  // when the socket last accepted data
    uint64_t sent;
    // closing
    int close_code;
    bool close_said;
    double close_ms;
    char close_why[SP_WHY_MAX];
} sp_client;

// An HTTP connection, before or without an upgrade to a client.
typedef struct sp_connection {
    struct lws *wsi;
    double since_ms;
    bool asked;    // a complete request has arrived
    bool closing;  // the close is pending
} sp_connection;

struct sp_server {
    sp_server_def def;
    struct lws_context *context;
    struct lws_vhost *vhost;
    lws_sorted_usec_list_t timer;
    sp_sim *sim;
    atomic_bool stopping;
    sp_connection connections[SP_CONNECTIONS_MAX];  // sorted by the time of the last activity, oldest first
    int connection_count;
    sp_client *clients[SP_CLIENTS_MAX];
    int client_count;
    uint32_t last_number;
    sp_control control;
    sp_buffer out, note;
    bool has_page;
};

void sp__server_close(sp_client *c, int code, const char *why);  // at the next writable event, with a reason

// ---- requests over HTTP (server_http.c): 0, or the return value for a libwebsockets callback
int sp__server_http(sp_server *s, struct lws *wsi, const char *uri);
int sp__server_may_connect(sp_server *s, struct lws *wsi);  // 0: yes; otherwise a response was sent

// ---- connections that are not clients (server_http.c)
void sp__server_connection_opened(sp_server *s, struct lws *wsi);
void sp__server_connection_asked(sp_server *s, struct lws *wsi);  // a complete request
void sp__server_connection_left(sp_server *s, struct lws *wsi);   // closed, or upgraded to a client
void sp__server_connection_tick(sp_server *s);

// ---- the controls (server_client.c)
// True: something changed, and all clients must be informed. *lost: the client that lost the controls (0: none).
bool sp__control_request(sp_control *c, uint32_t client, double now_ms);
bool sp__control_release(sp_control *c, uint32_t client, uint32_t *lost);
// The answer of the holder to a request; *why is set if the client is not the holder.
bool sp__control_answer(sp_control *c, uint32_t client, bool grant, uint32_t *lost, const char **why);
bool sp__control_leave(sp_control *c, uint32_t client, uint32_t *lost);
bool sp__control_tick(sp_control *c, double now_ms, uint32_t *lost);

// ---- input messages (server_client.c)
void sp__server_joined(sp_server *s, sp_client *c, struct lws *wsi);
void sp__server_left(sp_server *s, sp_client *c);
void sp__server_input_open(sp_server *s, sp_client *c);
int sp__server_input(sp_server *s, struct lws *input);  // data can be read; -1: close it
void sp__server_input_closed(struct lws *input);
void sp__server_tick(sp_server *s);  // twice a second

// ---- output messages (server_send.c)
void sp__server_queue(sp_client *c, const char *text, size_t size);
void sp__server_answer(sp_client *c, const sp_message *m, const char *why);  // why NULL: ok
void sp__server_send_control(sp_server *s);
void sp__server_deliver(sp_server *s);             // sends notes of the simulation to their clients
int sp__server_write(sp_server *s, sp_client *c);  // writes one message; -1: close

#endif
