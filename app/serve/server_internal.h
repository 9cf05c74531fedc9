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
    SP_HTTP_TEXT = 32 << 10,   // bytes of an answer that is not a file
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

// A POST request, see server_receive.c.
typedef enum sp_post_type { SP_POST_NONE, SP_POST_SCENE, SP_POST_RECORDING } sp_post_type;

typedef struct sp_post {
    sp_post_type type;
    uint64_t left;      // bytes of the body that have not arrived
    char refused[160];  // why it is refused, with this status; empty: it is not
    unsigned status;
    char name[64];
    FILE *file;        // of a recording
    uint32_t sender;   // of a scene: number for the simulation
    sp_buffer text;    // of a scene, as far as it has arrived
    sp_buffer answer;  // empty: the simulation has not answered yet
} sp_post;

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
    char key[33];         // that only this client receives; requests over HTTP with it are those of this client
    uint32_t generation;  // of the last hello
    uint64_t stats, marks;
    uint64_t samples;  // place in the samples of the probes of this generation
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
    sp_post post;  // over HTTP
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
    char received_name[64];  // the last complete one, removed with the next one; empty: none
    int received_number;
};

void sp__server_close(sp_client *c, int code, const char *why);  // at the next writable event, with a reason

// ---- requests over HTTP (server_http.c): 0, or the return value for a libwebsockets callback
int sp__server_http(sp_server *s, struct lws *wsi, sp_client *c, const char *uri);
int sp__server_may_connect(sp_server *s, struct lws *wsi);  // 0: yes; otherwise a response was sent

// ---- answers (server_http.c)
// Whether the sender may use the simulation; otherwise the status and the reason of the refusal.
bool sp__server_admits(const sp_server *s, struct lws *wsi, unsigned *status, const char **why);
bool sp__server_send_text(struct lws *wsi, unsigned status, const char *type, const char *allow, const char *text, size_t size);
// The same, and closes the connection: a request body may follow that is not read.
int sp__server_send_last(struct lws *wsi, unsigned status, const char *allow, const char *text);

// ---- scenes and recordings sent by POST (server_receive.c): return values as above
int sp__server_receive(sp_server *s, struct lws *wsi, sp_client *c, sp_post_type type);  // the request, without its body
int sp__server_receive_part(sp_server *s, sp_client *c, const void *data, size_t size);
int sp__server_receive_end(sp_server *s, struct lws *wsi, sp_client *c);
int sp__server_receive_write(sp_server *s, struct lws *wsi, sp_client *c);
void sp__server_receive_answer(sp_server *s, uint32_t sender, const sp_buffer *answer);  // of the simulation; others are ignored
void sp__server_receive_stop(sp_server *s, sp_client *c);                                // the connection was closed
void sp__server_receive_remove(sp_server *s);                                            // the last complete recording

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
void sp__server_answer(sp_client *c, const sp_message *m, const char *why);  // why NULL: ok
void sp__server_send_control(sp_server *s);
void sp__server_deliver(sp_server *s);             // sends notes of the simulation to their clients
int sp__server_write(sp_server *s, sp_client *c);  // writes one message; -1: close

#endif
