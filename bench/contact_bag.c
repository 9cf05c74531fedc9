// Section `continuous` of bench contact, second part: detection in a pile of 200 rigid and soft bodies, scenes/contact/bag.xml
// after some steps. The last search of its last step is repeated, with discrete and with continuous detection.
#include "contact.h"
#include "contact/constraints_internal.h"
#include "souple/io.h"
#include "world/world_internal.h"

#ifndef SP_SOURCE_DIR
#define SP_SOURCE_DIR "."
#endif

enum { STEPS = 80, QUICK_STEPS = 40, ROUNDS = 20, QUICK_ROUNDS = 3 };

static sp_status bag_query(sp_constraints *c, bool continuous, int rounds, double *ms, sp_found *found) {
    double each[ROUNDS];
    const double alarm = c->base.alarm;
    const sp_collide_options o = {.rule = {.alarm = alarm, .depth = 8 * alarm, .continuous = continuous}};
    for (int i = 0; i < rounds; i++) {
        SP_TRY(sp__collide_find(c->set, &o, found));
        each[i] = found->broad_ms + found->narrow_ms;
    }
    *ms = sp__times_of(each, rounds).least;
    return SP_OK;
}

static sp_status bag_report(const sp_bench_options *o, sp_report *r, sp_constraints *c) {
    const int rounds = o->quick ? QUICK_ROUNDS : ROUNDS;
    double discrete, ms, triangles = 0;
    sp_found found;
    SP_TRY(bag_query(c, false, rounds, &discrete, &found));
    SP_TRY(bag_query(c, true, rounds, &ms, &found));
    // of all bodies together
    for (int i = 0; i < c->collider_count; i++)
        if (c->colliders[i].surface) triangles += c->colliders[i].surface->face_count;
    sp_row *row = sp__report_case(r);
    sp__row_text(row, "surfaces", "surfaces", "bag");
    sp__row_number(row, "triangles", "triangles each", "%.0f", triangles);
    sp__row_number(row, "threads", "threads", "%.0f", o->threads);
    sp__row_number(row, "contacts_max", "contacts", "%.0f", found.count);
    sp__row_number(row, "ms", "query ms", "%.2f", ms);
    sp__row_number(row, "over_discrete", "over the discrete query", "%.2f", ms / discrete);
    sp__report_case_done(r);
    return SP_OK;
}

static sp_status bag_run(const sp_bench_options *o, sp_report *r, sp_scene *scene) {
    sp_run *run = NULL;
    sp_status status = sp_run_create(scene, NULL, &run);
    for (int i = 0; status >= 0 && i < (o->quick ? QUICK_STEPS : STEPS); i++) status = sp_run_step(run);
    if (status >= 0) status = bag_report(o, r, sp_run_world(run)->constraints);
    sp_run_destroy(&run);
    return status;
}

sp_status sp__contact_bag(const sp_bench_options *o, sp_report *r) {
    static const char *const few = "copies=4";
    sp_scene_options options = sp_scene_options_default();
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    sp_scene *scene = NULL;
    def.workers = o->threads;
    if (o->quick) options.sets = &few, options.set_count = 1;
    SP_TRY(sp_context_create(&def, &ctx));
    sp_status status = sp_scene_load(ctx, SP_SOURCE_DIR "/scenes/contact/bag.xml", &options, &scene);
    if (status >= 0)
        status = bag_run(o, r, scene);
    else
        sp__report_note(r, "the bag is omitted: no scene %s", SP_SOURCE_DIR "/scenes/contact/bag.xml");
    if (!scene) status = SP_OK;
    sp_scene_destroy(&scene);
    sp_context_destroy(&ctx);
    return status;
}
