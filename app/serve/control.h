// Who holds the controls: at most one client, and at most one that asks for them.
#ifndef SP_SERVE_CONTROL_H
#define SP_SERVE_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

enum { SP_CONTROL_WAIT_MS = 10000 };  // a holder who does not answer for so long loses them

typedef struct sp_control {
    uint32_t holder, wants;  // clients; 0: nobody
    double asked_ms;         // when
} sp_control;

// True: something changed, and all are to be told. A holder that lost the controls is in *lost (0: none).
bool sp__control_request(sp_control *c, uint32_t client, double now_ms);
bool sp__control_release(sp_control *c, uint32_t client, uint32_t *lost);
// The holder's answer to who asks; *why is set where it is not his to give.
bool sp__control_answer(sp_control *c, uint32_t client, bool grant, uint32_t *lost, const char **why);
bool sp__control_leave(sp_control *c, uint32_t client, uint32_t *lost);
bool sp__control_tick(sp_control *c, double now_ms, uint32_t *lost);

#endif
