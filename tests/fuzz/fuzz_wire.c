// Any bytes as a message of a viewer's client. Checked: the result has a reason; accepted values are within their limits, in any
// notation; the same result twice.
#include <math.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "serve/wire.h"

static bool within(const double *v, double limit) {
    for (int i = 0; i < 3; i++)
        if (!(fabs(v[i]) <= limit)) return false;
    return true;
}

static void check_point(const sp_face_point *p) {
    FUZZ_PROMISE(p->body > 0 && p->body <= UINT32_MAX && p->face >= 0 && p->face <= UINT32_MAX && p->surface >= 0);
    FUZZ_PROMISE(within(p->weights, 2) && fabs(p->weights[0] + p->weights[1] + p->weights[2] - 1) < 1e-9);
}

static void check_message(const sp_message *m) {
    const unsigned roles = SP_ROLE_VISUAL | SP_ROLE_COLLISION | SP_ROLE_MECHANICAL | SP_ROLE_INTERFACES;
    FUZZ_PROMISE((unsigned)m->type < SP_MESSAGE_TYPES);
    FUZZ_PROMISE(m->id >= 0 && m->count >= 1 && m->count <= 1000 && m->slot >= 0 && m->slot < SP_DRAG_SLOTS);
    FUZZ_PROMISE(m->body >= 0 && m->node >= 0 && m->number >= 0 && m->threads >= 0);
    FUZZ_PROMISE(m->body <= UINT32_MAX && m->node <= INT32_MAX && m->threads <= 64);
    FUZZ_PROMISE(within(m->from, 1e9) && within(m->velocity, 1e6) && m->radius >= 0 && m->radius <= 1e6);
    FUZZ_PROMISE(m->density >= 1e-6 && m->density <= 1e6);
    FUZZ_PROMISE(m->colour >= 0 && m->colour < SP_FIELD_CODES && !(m->surfaces & ~roles));
    FUZZ_PROMISE(isfinite(m->value) && m->stiffness >= 0 && m->stiffness <= 1e12 && within(m->vector, 1e9));
    FUZZ_PROMISE(memchr(m->path, 0, sizeof m->path) && memchr(m->text, 0, sizeof m->text));
    if (m->given & (SP_GIVEN_POINT | SP_GIVEN_A)) check_point(&m->point);
    if (m->given & SP_GIVEN_B) check_point(&m->other);
    if (m->type == SP_MESSAGE_THROW || m->type == SP_MESSAGE_PROBE) FUZZ_PROMISE(m->radius >= 1e-9);
    if (m->type == SP_MESSAGE_SPEED) FUZZ_PROMISE(m->value == 0 || (m->value >= 0.1 && m->value <= 10));
    if (m->type == SP_MESSAGE_DT) FUZZ_PROMISE(m->value >= 1e-6 && m->value <= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sp_message m, again;
    char why[SP_WHY_MAX], why_again[SP_WHY_MAX];
    memset(&m, 0, sizeof m), memset(&again, 0, sizeof again);
    // an exact copy, so that the sanitizer detects a read past its end
    char *text = malloc(size ? size : 1);
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    sp_wire_verdict verdict = sp__message_read(text, size, &m, why);
    FUZZ_PROMISE(memchr(why, 0, sizeof why));
    FUZZ_PROMISE(verdict == SP_WIRE_GOOD ? why[0] == 0 : why[0] != 0);
    if (size > SP_MESSAGE_MAX) FUZZ_PROMISE(verdict == SP_WIRE_MALFORMED);
    if (verdict == SP_WIRE_GOOD) check_message(&m);
    FUZZ_PROMISE(sp__message_read(text, size, &again, why_again) == verdict && strcmp(why, why_again) == 0);
    free(text);
    return 0;
}
