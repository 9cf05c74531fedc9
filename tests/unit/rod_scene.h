// Rods from scene texts, and queries of the result.
#ifndef SP_TEST_ROD_SCENE_H
#define SP_TEST_ROD_SCENE_H

#include <stdlib.h>

#include "at.h"
#include "core/background.h"
#include "souple/io.h"
#include "test.h"

typedef struct stage {
    sp_context *ctx;
    sp_scene *scene;
    sp_run *run;
    sp_world *world;
    sp_status status;
    size_t bytes;  // of the context only
} stage;

static inline stage build_set(const char *text, const char *out, int set_count, const char *const *sets) {
    stage s = {0};
    sp_context_create(NULL, &s.ctx);
    sp__background_hold(s.ctx, false);  // its thread exists from here on and is counted
    sp_context_memory(s.ctx, &s.bytes, NULL);
    sp_scene_options options = sp_scene_options_default();
    sp_run_options run = sp_run_options_default();
    options.sets = sets, options.set_count = set_count;
    run.out = out;
    s.status = sp_scene_parse(s.ctx, text, strlen(text), SP_SOURCE_DIR "/tests/data/test.xml", &options, &s.scene);
    if (s.status >= 0) s.status = sp_run_create(s.scene, &run, &s.run);
    if (s.run) s.world = sp_run_world(s.run);
    for (int i = 0; s.status < 0 && s.scene && i < sp_scene_message_count(s.scene); i++)
        printf("    %s\n", message_at(s.scene, i).text);
    return s;
}

static inline stage build(const char *text) {
    return build_set(text, NULL, 0, NULL);
}

static inline void end(stage *s) {
    size_t bytes = 0;
    sp_run_destroy(&s->run);
    sp_scene_destroy(&s->scene);
    sp_context_memory(s->ctx, &bytes, NULL);
    CHECK_INT(bytes, s->bytes);
    sp_context_destroy(&s->ctx);
}

// a field of a body, freed by the caller
static inline double *field_of(const stage *s, const char *body, const char *field, int *count) {
    sp_field_info info = {0};
    sp_body_id id = sp_world_body_named(s->world, body);
    double *x = NULL;
    CHECK(id.slot && sp_world_field_info(s->world, id, field, &info) >= 0);
    *count = info.count;
    x = calloc((size_t)info.count * (size_t)info.components + 1, sizeof *x);
    CHECK(sp_world_field(s->world, id, field, x) >= 0);
    return x;
}

static inline sp_body_info info_of(const stage *s, const char *body) {
    sp_body_info info = {0};
    CHECK(sp_world_body_info(s->world, sp_world_body_named(s->world, body), &info) >= 0);
    return info;
}

static inline sp_body_measures measures_of(const stage *s, const char *body) {
    sp_body_measures measures = {0};
    CHECK(sp_world_body_measure(s->world, sp_world_body_named(s->world, body), &measures) >= 0);
    return measures;
}

// the last sample of a probe
static inline const double *last_of(const stage *s, const char *probe) {
    for (int i = 0; i < sp_run_probe_count(s->run); i++) {
        sp_run_probe p;
        sp_run_probe_at(s->run, i, &p);
        if (strcmp(p.name, probe) == 0) return p.values + (size_t)(p.sample_count - 1) * (size_t)p.width;
    }
    CHECK(!"the probe is there");
    return NULL;
}

static inline double apart(const double *a, const double *b) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

#define ROUNDING 1e-14

#endif
