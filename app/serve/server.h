// The viewer's server: HTTP for the page, WebSocket for clients, one simulation behind them. One thread serves all sockets; see
// docs/protocol.md for what goes over them.
#ifndef SP_SERVE_SERVER_H
#define SP_SERVE_SERVER_H

#include "serve/sim.h"

typedef struct sp_server sp_server;

typedef struct sp_server_def {
    sp_sim_def sim;       // its wake and user are the server's own
    const char *address;  // to bind to: "127.0.0.1"
    int port;             // 0: any free one
    const char *token;    // nullable: none is asked for
    const char *page;     // folder of the page; nullable: a built-in page that tells how to make one
    const char *origin;   // a further origin that may connect; nullable
} sp_server_def;

// Listens and starts the simulation. What is wrong is told in `why` (room for SP_SIM_WHY).
sp_server *sp__server_start(const sp_server_def *def, char *why);
int sp__server_port(const sp_server *server);
sp_sim *sp__server_sim(sp_server *server);
// Serves until it is told to stop.
void sp__server_run(sp_server *server);
// From any thread or a signal handler.
void sp__server_stop(sp_server *server);
void sp__server_free(sp_server **server);

#endif
