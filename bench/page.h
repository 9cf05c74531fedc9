// Shared code of `bench page`: a server in a child process, and its clients.
#ifndef SP_BENCH_PAGE_H
#define SP_BENCH_PAGE_H

#include <sys/types.h>

#include "bench.h"
#include "ws_client.h"

// ---------------------------------------------------------------------------------------------------- processes (page_server.c)

typedef struct sp_page_server {
    pid_t pid;  // 0: none
    int out;    // its standard output
    int port;
    char folder[64], scene[96];
} sp_page_server;

// Starts this program as `souple view` on a block of cells[0] x cells[1] x cells[2] cells of six tetrahedra. SP_UNAVAILABLE: this
// build has no server. Prints other errors to stderr.
sp_status sp__page_server_start(sp_page_server *s, const int cells[3], int threads);
void sp__page_server_stop(sp_page_server *s);

// Runs a scripted browser on the page of this server and returns the line of JSON that it prints. SP_UNAVAILABLE: `line` says
// what is missing.
sp_status sp__page_browser(const sp_page_server *s, int samples, char *line, size_t size);

// ---------------------------------------------------------------------------------------------------- clients (page_clients.c)

enum { SP_PAGE_CLIENTS = 10, SP_PAGE_SAMPLES = 400 };

typedef struct sp_page_client {
    sp_ws ws;
    uint64_t frames, texts;
    uint64_t step;     // of the newest frame
    double step_at;    // its arrival time [ms]
    bool acknowledge;  // like the page does
} sp_page_client;

typedef struct sp_page_clients {
    sp_page_client clients[SP_PAGE_CLIENTS];
    int count;
    char why[200];  // reason of a closed connection
    // data of the last client, which holds the controls
    uint32_t body, *faces, face_count, face;
    double pull;
    double x[3], v[3], kick;  // picked vertex: position, displacement per step, deviation from its extrapolation [m]
    uint64_t at_step;
    bool fresh;  // a frame that was not processed yet
} sp_page_clients;

double sp__page_clock(void);  // [ms]

// Connects `count` clients; with `drive` the last one receives the surface and gets the controls.
bool sp__page_join(sp_page_clients *c, int port, int count, bool drive);
void sp__page_leave(sp_page_clients *c);
// Receives messages for this time; false: a client was disconnected.
bool sp__page_listen(sp_page_clients *c, double ms);
bool sp__page_say(sp_page_clients *c, const char *text);  // sent by the last client

// Measures the time from sending a drag to the first frame that shows it at the picked vertex, repeatedly, up and down. Returns
// the number of drags seen within two seconds.
int sp__page_latency(sp_page_clients *c, int samples, double *ms);

#endif
