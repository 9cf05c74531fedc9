// Ownership of the controls: at most one client holds them, and at most one client requests them.
#ifndef SP_SERVE_CONTROL_H
#define SP_SERVE_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

enum { SP_CONTROL_WAIT_MS = 10000 };  // a holder that does not answer for this time loses the controls

typedef struct sp_control {
    uint32_t holder, wants;  // client numbers; 0: none
    double asked_ms;         // time of the request
} sp_control;

// True: something changed, and all clients must be informed. *lost: the client that lost the controls (0: none).
bool sp__control_request(sp_control *c, uint32_t client, double now_ms);
bool sp__control_release(sp_control *c, uint32_t client, uint32_t *lost);
// The answer of the holder to a request; *why is set if the client is not the holder.
bool sp__control_answer(sp_control *c, uint32_t client, bool grant, uint32_t *lost, const char **why);
bool sp__control_leave(sp_control *c, uint32_t client, uint32_t *lost);
bool sp__control_tick(sp_control *c, double now_ms, uint32_t *lost);

#endif
