// The server of the viewer: HTTP for the page, WebSocket for clients, one simulation. One thread serves all sockets;
// docs/protocol.md describes the messages.
#ifndef SP_SERVE_SERVER_H
#define SP_SERVE_SERVER_H

#include "serve/sim.h"

typedef struct sp_server sp_server;

enum { SP_FRAMES_MAX = 512 };

typedef struct sp_server_def {
    sp_sim_def sim;       // wake and user are set by the server
    const char *address;  // to bind to: "127.0.0.1"
    int port;             // 0: any free one
    const char *token;    // nullable: no token is required
    const char *page;     // folder of the page; nullable: a built-in page with instructions
    const char *origin;   // a further allowed origin; nullable
    const char *frames;   // origins of pages that may show the page in a frame, less than SP_FRAMES_MAX letters; nullable: none
} sp_server_def;

// Listens and starts the simulation. On error returns NULL with `why` (room for SP_SIM_WHY).
sp_server *sp__server_start(const sp_server_def *def, char *why);
int sp__server_port(const sp_server *server);
sp_sim *sp__server_sim(sp_server *server);  // for tests
// Serves until sp__server_stop.
void sp__server_run(sp_server *server);
// Thread-safe and safe in a signal handler.
void sp__server_stop(sp_server *server);
void sp__server_free(sp_server **server);

#endif
