// What the files of `bench page` share: a server in a process of its own, and clients of it.
#ifndef SP_BENCH_PAGE_H
#define SP_BENCH_PAGE_H

#include <sys/types.h>

#include "bench.h"
#include "ws_client.h"

// ---------------------------------------------------------------------------------------------------- processes (page_server.c)

typedef struct sp_page_server {
    pid_t pid;  // 0: none
    int out;    // what it prints
    int port;
    char folder[64], scene[96];
} sp_page_server;

// This very command as `souple view` on a block of cells[0] x cells[1] x cells[2] cells of six tetrahedra. SP_UNAVAILABLE: this
// build has no server. Says what else went wrong on stderr.
sp_status sp__page_server_start(sp_page_server *s, const int cells[3], int threads);
void sp__page_server_stop(sp_page_server *s);

// A browser on the page of this server, driven by a script: the line of JSON that it prints. SP_UNAVAILABLE with `line` saying
// what is missing.
sp_status sp__page_browser(const sp_page_server *s, int samples, char *line, size_t size);

// ---------------------------------------------------------------------------------------------------- clients (page_clients.c)

enum { SP_PAGE_CLIENTS = 10, SP_PAGE_SAMPLES = 400 };

typedef struct sp_page_client {
    sp_ws ws;
    uint64_t frames, texts;
    uint64_t step;     // of the newest frame
    double step_at;    // when it came [ms]
    bool acknowledge;  // as the page does
} sp_page_client;

typedef struct sp_page_crowd {
    sp_page_client clients[SP_PAGE_CLIENTS];
    int count;
    char why[200];  // somebody was sent away
    // what the last of them, who holds the controls, knows of the body
    uint32_t body, *faces, face_count, face;
    double pull;
    double x[3], v[3], kick;  // of the picked vertex: place, way in a step, how much of the newest frame's was not foreseen [m]
    uint64_t at_step;
    bool fresh;  // a frame came that was not looked at yet
} sp_page_crowd;

double sp__page_clock(void);  // [ms]

// Joins `count` clients; the last one is shown the surface and gets the controls where `drive`.
bool sp__page_join(sp_page_crowd *c, int port, int count, bool drive);
void sp__page_leave(sp_page_crowd *c);
// Takes what comes for this long; false: somebody was sent away.
bool sp__page_listen(sp_page_crowd *c, double ms);
bool sp__page_say(sp_page_crowd *c, const char *text);  // by the last one

// From sending a drag to the first frame that shows it at the picked vertex, again and again, up and down. Returns how many of
// them were seen within two seconds.
int sp__page_latency(sp_page_crowd *c, int samples, double *ms);

#endif
