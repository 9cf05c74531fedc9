// A run: builds the world of a scene, then steps: events, world, probes, records, end conditions.
#include "io/run/build.h"

sp_run_options sp_run_options_default(void) {
    return (sp_run_options){.cookie = SP_COOKIE_RUN_OPTIONS};
}

// ------------------------------------------------------------------------------------------------ end of the run

static long planned(double steps) {
    return steps < 1 ? 1 : steps > 1e15 ? 1000000000000000 : (long)floor(steps + 0.5);
}

// the first condition that holds ends the run; time or steps of the caller replace all conditions of the scene
static sp_status build_stop(sp_run *run) {
    const sp_scene_node *root = sp__scene_root(run->scene), *stop = sp__next_child(root, "stop", NULL);
    double steps = INFINITY;
    if (run->options.steps > 0) steps = (double)run->options.steps;
    if (run->options.time > 0) steps = fmin(steps, (double)planned(run->options.time / run->dt));
    if (!isinf(steps)) {
        run->steps_planned = planned(steps);
        return SP_OK;
    }
    if (!stop && !run->options.endless && !sp__inverse_only(run))
        return SP_BUILD_FAIL(run, root, NULL, "there is no stop condition: give <stop time=\"...\"/>, --time or --steps");
    if (!stop) return SP_OK;
    if (sp__build_given(stop, "time")) steps = (double)planned(sp__build_number(stop, "time", 0) / run->dt);
    if (sp__build_given(stop, "steps")) steps = fmin(steps, sp__build_number(stop, "steps", 0));
    if (sp__build_given(stop, "wall")) run->wall_ms = 1000 * sp__build_number(stop, "wall", 0);
    if (sp__build_given(stop, "when")) run->stop_when = sp__attr(stop, "when");
    if (!isinf(steps)) run->steps_planned = planned(steps);
    return SP_OK;
}

static bool must_stop(sp_run *run) {
    if (sp__inverse_only(run)) return true;
    if (run->steps_planned && sp_world_steps(run->world) >= (uint64_t)run->steps_planned) return true;
    if (run->wall_ms > 0 && sp__now_ms() - run->started_ms >= run->wall_ms) return true;
    return run->stop_when && sp__run_condition(run, run->stop_when, sp_world_time(run->world));
}

// ------------------------------------------------------------------------------------------------ creation and destruction

static void free_meshes(sp_run *run) {
    for (int i = 0; i < run->body_count; i++) {
        sp_run_body *b = &run->bodies[i];
        sp__build_forget_rod(b);
        if (b->rod) b->rod->rest = NULL;  // freed with the scratch memory
        if (b->placed != b->own) sp_mesh_destroy(&b->placed);
        sp_mesh_destroy(&b->own);
        b->placed = NULL;
    }
}

static sp_status sample_all(sp_run *run) {
    for (int i = 0; i < run->series_count; i++) SP_TRY(sp__series_sample(run, run->series[i]));
    return sp__records_write(run);
}

static sp_status build_all(sp_run *run) {
    SP_TRY(sp__build_world(run));
    SP_BUILD(build_stop(run));
    SP_BUILD(sp__build_probes(run));
    SP_BUILD(sp__build_records(run));
    SP_BUILD(sp__build_events(run));
    SP_BUILD(sp__build_claims(run));
    SP_BUILD(sp__build_inverses(run));
    if (run->failed) return SP_BAD_INPUT;
    if (run->options.resume) SP_TRY(sp__run_restore(run));
    SP_TRY(sp__records_open(run));
    run->started_ms = sp__now_ms();
    if (run->options.resume) {
        // the checkpoint has the samples of this step
        run->done = must_stop(run);
        return SP_OK;
    }
    run->done = sp__inverse_only(run);
    return sample_all(run);
}

// copies the first error of the scene to the context, for callers that read only the context
static sp_status report_context(sp_run *run) {
    for (int i = 0; i < sp_scene_message_count(run->scene); i++) {
        sp_scene_message m;
        if (sp_scene_message_at(run->scene, i, &m) >= 0 && m.severity == SP_SEVERITY_ERROR)
            return SP_FAIL(run->ctx, SP_BAD_INPUT, "%s:%d: %s", m.file, m.line, m.text);
    }
    return SP_FAIL(run->ctx, SP_BAD_INPUT, "the scene cannot be built");
}

sp_status sp_run_create(sp_scene *scene, const sp_run_options *options, sp_run **out) {
    sp_context *ctx = sp__scene_context(scene);
    *out = NULL;
    if (options && options->cookie != SP_COOKIE_RUN_OPTIONS)
        return SP_FAIL(ctx, SP_BAD_INPUT, "sp_run_options did not start from sp_run_options_default()");
    if (sp__scene_errors(scene)) return SP_FAIL(ctx, SP_BAD_INPUT, "the scene has errors");
    sp_run *run = sp__alloc(ctx, 1, sizeof *run);
    if (!run) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a run");
    *run = (sp_run){.ctx = ctx, .scene = scene, .keep = {ctx, NULL}, .scratch = {ctx, NULL}};
    run->options = options ? *options : sp_run_options_default();
    sp_status status = SP_OK;
    if (run->options.out && !(run->options.out = sp__keep_text(&run->keep, run->options.out))) status = sp__build_no_memory(run);
    if (run->options.resume && !(run->options.resume = sp__keep_text(&run->keep, run->options.resume)))
        status = sp__build_no_memory(run);
    if (status >= 0) status = build_all(run);
    if (status >= 0 && run->failed) status = SP_BAD_INPUT;
    if (run->failed && status == SP_BAD_INPUT) status = report_context(run);
    free_meshes(run);
    sp__keep_free(&run->scratch);
    run->scatters = NULL;
    if (status < 0)
        sp_run_destroy(&run);
    else
        *out = run;
    return status;
}

void sp_run_destroy(sp_run **run) {
    sp_run *r = *run;
    if (!r) return;
    *run = NULL;
    sp_context *ctx = r->ctx;
    sp__records_free(r);
    if (!r->options.world) sp_world_destroy(&r->world);
    free_meshes(r);
    sp_edit_log_close(&r->shown_edits), sp_edit_log_close(&r->shown_added);
    sp__buffer_free(ctx, &r->additions), sp__buffer_free(ctx, &r->added);
    sp__keep_free(&r->scratch);
    sp__keep_free(&r->keep);
    sp__free(ctx, r);
}

// ------------------------------------------------------------------------------------------------ steps

sp_status sp_run_step(sp_run *run) {
    SP_TRY(sp__events_queue(run));
    sp_status status = sp_world_step(run->world, run->dt);
    SP_TRY(status);
    SP_TRY(sp__records_note(run));
    SP_TRY(sp__run_note_additions(run));
    SP_TRY(sample_all(run));
    run->done = must_stop(run);
    return status;
}

sp_status sp_run_finish(sp_run *run) {
    if (run->finished) return SP_OK;
    run->finished = true;
    sp__claims_check(run);
    return sp__records_finish(run);
}

// ------------------------------------------------------------------------------------------------ queries

sp_world *sp_run_world(sp_run *run) {
    return run->world;
}

double sp_run_dt(const sp_run *run) {
    return run->dt;
}

long sp_run_steps_planned(const sp_run *run) {
    return run->steps_planned;
}

bool sp_run_done(const sp_run *run) {
    return run->done;
}

int sp_run_probe_count(const sp_run *run) {
    return run->probe_count;
}

sp_status sp_run_probe_at(const sp_run *run, int index, sp_run_probe *out) {
    if (index < 0 || index >= run->probe_count) return SP_BAD_INPUT;
    const sp_probe *p = &run->probes[index];
    *out = (sp_run_probe){.name = p->name,
                          .body = p->body,
                          .quantity_count = p->quantity_count,
                          .quantities = p->quantity_names,
                          .components = p->widths,
                          .sample_count = p->series.count,
                          .times = p->series.times,
                          .values = p->series.values,
                          .interpolated = p->series.interpolated,
                          .width = p->width};
    return SP_OK;
}

int sp_run_claim_count(const sp_run *run) {
    return run->claim_count;
}

sp_status sp_run_claim_at(const sp_run *run, int index, sp_run_claim *out) {
    if (index < 0 || index >= run->claim_count) return SP_BAD_INPUT;
    *out = run->claims[index].claim;
    return SP_OK;
}

bool sp__run_look(const sp_run *run, uint32_t slot, sp_run_look *out) {
    *out = (sp_run_look){.color = {0.8, 0.8, 0.8}, .opacity = 1, .roughness = 0.6};
    for (int i = 0; i < run->body_count; i++) {
        if (run->bodies[i].id.slot != slot || !run->bodies[i].has_look) continue;
        *out = run->bodies[i].look;
        return true;
    }
    return false;
}
