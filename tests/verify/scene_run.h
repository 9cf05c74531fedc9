// A scene of the project run through libsouple-io, in the same way as `souple run`.
#ifndef SP_VERIFY_SCENE_RUN_H
#define SP_VERIFY_SCENE_RUN_H

#include "at.h"
#include "souple/io.h"
#include "test.h"

typedef struct scene_run {
    sp_context *ctx;
    sp_scene *scene;
    sp_run *run;
} scene_run;

static inline void scene_close(scene_run *s) {
    sp_run_destroy(&s->run);
    sp_scene_destroy(&s->scene);
    sp_context_destroy(&s->ctx);
}

// `path` below scenes/; workers 0: as many as are useful; up to two settings "name=value", nullable. Prints the messages of the
// reader.
static inline bool scene_open_on(scene_run *s, int workers, const char *path, const char *set, const char *set_too) {
    char full[1000];
    *s = (scene_run){0};
    snprintf(full, sizeof full, "%s/scenes/%s", SP_SOURCE_DIR, path);
    sp_scene_options options = sp_scene_options_default();
    const char *const sets[2] = {set, set_too};
    options.sets = sets, options.set_count = set ? set_too ? 2 : 1 : 0;
    sp_context_def def = sp_context_def_default();
    if (workers > 0) def.workers = workers;
    sp_status status = sp_context_create(&def, &s->ctx);
    if (status >= 0) status = sp_scene_load(s->ctx, full, &options, &s->scene);
    if (status >= 0) status = sp_run_create(s->scene, NULL, &s->run);
    for (int i = 0; s->scene && i < sp_scene_message_count(s->scene); i++) {
        sp_scene_message m = message_at(s->scene, i);
        printf("  %s:%d: %s\n", m.file, m.line, m.text);
    }
    if (status >= 0) return true;
    scene_close(s);
    return false;
}

static inline bool scene_open(scene_run *s, const char *path, const char *set, const char *set_too) {
    return scene_open_on(s, 0, path, set, set_too);
}

// Runs to the end, or until `time` where that is above 0.
static inline bool scene_go(scene_run *s, double time) {
    sp_world *world = sp_run_world(s->run);
    while (!sp_run_done(s->run) && !(time > 0 && sp_world_time(world) > time - 0.5 * sp_run_dt(s->run))) {
        sp_status status = sp_run_step(s->run);
        if (status < 0) {
            printf("  %s: %s\n", sp_status_name(status), sp_world_error(world)->message);
            return false;
        }
    }
    return true;
}

static inline bool scene_probe(scene_run *s, const char *name, sp_run_probe *out) {
    for (int i = 0; i < sp_run_probe_count(s->run); i++) {
        sp_run_probe_at(s->run, i, out);
        if (!strcmp(out->name, name)) return true;
    }
    printf("  no probe %s\n", name);
    return false;
}

// Prints every claim of the scene with its numbers; returns how many failed.
static inline int scene_claims_missed(scene_run *s) {
    int missed = 0;
    for (int i = 0; i < sp_run_claim_count(s->run); i++) {
        sp_run_claim c;
        sp_run_claim_at(s->run, i, &c);
        if (c.held) continue;
        missed++;
        printf("  %s.%s: seen %.9g, claimed %.9g +- %g%s\n", c.probe, c.component ? c.component : "", c.seen, c.value,
               c.tolerance, c.relative ? " (relative)" : "");
    }
    return missed;
}

#endif
