// See control.h.
#include "serve/control.h"

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
    *why = c->holder != client ? "the controls are not yours" : !c->wants ? "nobody asks for the controls" : 0;
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
