// What a checkpoint keeps of a preconditioner: the schedule, the picture behind the one in use and the one being made. Factors
// are made anew from them, to the same bits. The arrays are the same whatever the schedule says: a picture that nobody uses fills
// the place of one that is not there.
#include "core/visitor.h"
#include "linear/refresh_internal.h"

typedef struct record {
    sp_schedule schedule;  // use: 0 or -1, pending: 1 or -1
    uint64_t step[2];
} record;

static bool has_pending(const sp_refresh *r) {
    return r->policy == SP_REFRESH_ASYNC || r->policy == SP_REFRESH_AUTO;
}

static void visit_picture(sp_refresh *r, sp_visitor *v, sp_picture *p) {
    size_t n = (size_t)r->album->nodes;
    v->array(v, "matrix", p->val, sizeof *p->val, r->album->val_count);
    v->array(v, "pins", p->fixed, 1, 3 * n);
    if (p->turn) v->array(v, "turns", p->turn, sizeof *p->turn, 9 * n);
}

void sp__refresh_visit(sp_refresh *r, sp_visitor *v) {
    sp_album *a = r->album;
    if (!a || !r->keeps) return;
    if (v->writes) sp__album_quiet(a);
    int use = (int)r->now.use, pending = (int)r->now.pending;
    if (use < 0) use = pending == 0 ? 1 : 0;
    if (pending < 0) pending = use == 0 ? 1 : 0;
    record now = {r->now, {a->picture[use].step, a->count > 1 ? a->picture[pending].step : 0}};
    if (now.schedule.use >= 0) now.schedule.use = 0;
    if (now.schedule.pending >= 0) now.schedule.pending = 1;
    v->array(v, "schedule", &now, sizeof now, 1);
    if (v->writes) {
        use = 0, pending = 1;
        r->now = now.schedule;
        a->picture[0].step = now.step[0];
        if (a->count > 1) a->picture[1].step = now.step[1];
    }
    if (a->origin) v->array(v, "analysed", a->origin, sizeof *a->origin, a->val_count);
    visit_picture(r, v, &a->picture[use]);
    if (has_pending(r)) visit_picture(r, v, &a->picture[pending]);
}

sp_status sp__refresh_restored(sp_refresh *r) {
    sp_album *a = r->album;
    if (!a || !r->keeps) return SP_OK;
    r->begun = false, r->first = true;
    r->before = r->now;
    if (a->origin) {
        sp_status status = sp__album_analyse(r);
        if (status < 0) {  // as if nothing had been made yet
            r->now = r->before = (sp_schedule){.use = -1, .pending = -1, .best = -1, .last = -1, .now = -1};
            return status;
        }
    }
    for (int i = 0; i < a->count; i++) a->picture[i].values = SP_NO_REVISION;
    if (r->now.use >= 0) {
        atomic_store(&a->picture[0].p->stop, false);
        sp_status status = sp__picture_build(a, 0, NULL, false);
        if (status != SP_OK) r->now.use = r->before.use = -1;
        SP_TRY(status);
    }
    if (r->now.pending >= 0) sp__refresh_submit(r, 1);
    return SP_OK;
}
