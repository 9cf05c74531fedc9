// Records without a world: a layout of a tetrahedron and a triangle, frames of numbers that identify their origin; and runs that
// write into their own folder.
#ifndef SP_TEST_RECORD_HELP_H
#define SP_TEST_RECORD_HELP_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "at.h"
#include "core/background.h"
#include "io/record/record.h"
#include "souple/io.h"
#include "test.h"

static char record_folder[64];

static inline const char *record_path(const char *name) {
    static char paths[8][192];
    static int turn;
    if (!record_folder[0]) {
        strcpy(record_folder, "/tmp/souple-record-XXXXXX");
        if (!mkdtemp(record_folder)) abort();
    }
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", record_folder, name);
    return path;
}

static inline void record_clean(void) {
    char command[128];
    if (!record_folder[0]) return;
    snprintf(command, sizeof command, "rm -r %s", record_folder);
    if (system(command) != 0) printf("    %s stays\n", record_folder);
    record_folder[0] = 0;
}

// ---- a layout without a world

static const int help_tets[] = {0, 1, 2, 3, 1, 2, 3, 4}, help_tri[] = {0, 1, 2};

typedef struct help_layout {
    sp_layout layout;
    sp_layout_body bodies[2];
    sp_layout_array a[4], b[2];
} help_layout;

// `extra` nodes more than five: another revision
static inline void help_layout_make(help_layout *h, int extra) {
    size_t n = 5 + (size_t)extra, at = 0;
    *h = (help_layout){0};
    h->a[0] = (sp_layout_array){"position", "m", 3, SP_ON_NODES, n, at}, at += 3 * n;
    h->a[1] = (sp_layout_array){"velocity", "m/s", 3, SP_ON_NODES, n, at}, at += 3 * n;
    h->a[2] = (sp_layout_array){"von-mises", "Pa", 1, SP_ON_ELEMENTS, 2, at}, at += 2;
    h->a[3] = (sp_layout_array){"stress", "Pa", 6, SP_ON_ELEMENTS, 2, at}, at += 12;
    h->b[0] = (sp_layout_array){"position", "m", 3, SP_ON_NODES, 3, at}, at += 9;
    h->b[1] = (sp_layout_array){"pose", "m, 1", 7, SP_ON_BODY, 1, at}, at += 7;
    h->bodies[0] = (sp_layout_body){"block", "solid", 0, (int)n, 2, 4, help_tets, h->a, 4};
    h->bodies[1] = (sp_layout_body){"plate", "rigid", 1, 3, 1, 3, help_tri, h->b, 2};
    h->layout = (sp_layout){.bodies = h->bodies, .body_count = 2, .value_count = at};
}

static inline double help_value(long frame, size_t i) {
    return (double)frame + 0.001 * (double)i + 1.0 / 3;
}

static inline void help_fill(sp_frame *f, long frame) {
    f->shown = true;
    f->head = (sp_recording_frame){0.1 * (double)frame, (uint64_t)(10 * frame), 0x1234u + (uint64_t)frame, frame == 1};
    for (size_t i = 0; i < f->layout->value_count; i++) f->values[i] = help_value(frame, i);
}

// a frame outside any recorder
typedef struct help_frame {
    sp_frame frame;
    double values[128];
    sp_frame_rows rows[1];
} help_frame;

static inline sp_frame *help_frame_make(help_frame *h, const sp_layout *layout, long frame) {
    *h = (help_frame){0};
    h->frame.layout = layout, h->frame.values = h->values, h->frame.rows = h->rows;
    help_fill(&h->frame, frame);
    return &h->frame;
}

static const char *const help_columns[] = {"position.x [m]", "position.y [m]"};
static const char *const help_sets[] = {"beam.young=2e5", "k=3"};
static const sp_origin_probe help_probe = {"block.tip", "block", 2, help_columns};
static const sp_provenance help_origin = {.scene = "<scene/>\n",
                                          .scene_path = "some/scene.xml",
                                          .backend = "ref",
                                          .scene_size = 9,
                                          .sets = help_sets,
                                          .set_count = 2,
                                          .dt = 0.01,
                                          .seed = 7,
                                          .probes = &help_probe,
                                          .probe_count = 1};

static inline sp_sink help_sink(sp_context *ctx, const char *path, const sp_layout *layout) {
    return (sp_sink){.writer = sp__writer_of(path),
                     .ctx = ctx,
                     .path = path,
                     .wait = true,
                     .layout = layout,
                     .origin = &help_origin,
                     .head = "time\r\n"};
}

// ---- scenes

typedef struct staged {
    sp_context *ctx;
    sp_scene *scene;
    sp_run *run;
    sp_status status;
    size_t bytes;  // of the context only
} staged;

static inline staged stage_run(const char *text, const sp_run_options *options, bool quiet) {
    staged s = {0};
    sp_context_create(NULL, &s.ctx);
    sp__background_hold(s.ctx, false);  // its thread exists from here on and is counted
    sp_context_memory(s.ctx, &s.bytes, NULL);
    s.status = sp_scene_parse(s.ctx, text, strlen(text), record_path("scene.xml"), NULL, &s.scene);
    if (s.status >= 0) s.status = sp_run_create(s.scene, options, &s.run);
    for (int i = 0; !quiet && s.scene && i < sp_scene_message_count(s.scene); i++)
        printf("    line %d: %s\n", message_at(s.scene, i).line, message_at(s.scene, i).text);
    return s;
}

static inline void stage_steps(staged *s, int steps) {
    for (int i = 0; s->run && i < steps && !sp_run_done(s->run); i++) {
        if (sp_run_step(s->run) >= 0) continue;
        SP_TEST_FAILED("step: %s", sp_context_error(s->ctx)->message);
        return;
    }
}

static inline void stage_close(staged *s) {
    size_t bytes = 0;
    sp_run_destroy(&s->run);
    sp_scene_destroy(&s->scene);
    sp_context_memory(s->ctx, &bytes, NULL);
    CHECK_INT(bytes, s->bytes);
    sp_context_destroy(&s->ctx);
}

// false: no message contains all of `words`
static inline bool stage_refused(const char *text, const sp_run_options *options, const char *words) {
    staged s = stage_run(text, options, true);
    bool said = false;
    for (int i = 0; s.scene && i < sp_scene_message_count(s.scene); i++)
        said = said || strstr(message_at(s.scene, i).text, words);
    said = said || strstr(sp_context_error(s.ctx)->message, words);
    if (!said) printf("    said: %s\n", sp_context_error(s.ctx)->message);
    bool refused = s.status < 0 && s.status != SP_NO_MEMORY && s.run == NULL;
    stage_close(&s);
    return said && refused;
}

// Edits of the next step that add and remove bodies: a ball comes at step 2 and leaves at 8, a plate is there from step 7 to 19,
// and another body with the name of the ball comes at step 12.
static inline void queue_bodies(sp_world *w) {
    const uint64_t step = sp_world_steps(w);
    sp_edit add = sp_edit_default(SP_EDIT_ADD), leave = sp_edit_default(SP_EDIT_REMOVE);
    const bool ball = step == 2 || step == 12;
    snprintf(add.path, sizeof add.path, ball ? "ball" : "plate");
    add.shape = step == 2 ? SP_SPHERE : step == 12 ? SP_CAPSULE : SP_BOX;
    add.size[0] = 0.1, add.size[1] = 0.2, add.size[2] = 0.3, add.pose.translate[1] = 0.5 + 0.1 * (double)step;
    add.free = ball, add.kinematic = !ball;
    if (ball) add.density = 1000, add.velocity[0] = 1;
    if (step == 2 || step == 7 || step == 12) CHECK(sp_world_queue(w, &add) == SP_OK);
    leave.body = sp_world_body_named(w, step == 7 ? "ball" : "plate");
    if (step == 7 || step == 18) CHECK(sp_world_queue(w, &leave) == SP_OK);
}

#define HELP_SCENE(more)                                                                                               \
    "<scene dt='0.01' gravity='0 -9.81 0'>"                                                                            \
    "<solid name='beam' young='1e5' poisson='0.3'><box size='0.6 0.2 0.2' cells='3 1 1'/><fix plane='0 0 0 1 0 0' "    \
    "within='1e-6'/><probe name='tip' near='0.6 0.2 0.2' quantity='position velocity'/></solid>"                       \
    "<rigid name='floor' motion='kinematic'><box size='1 0.1 1'/><move translate='0 {-1 + t} 0' rotate='0 {90*t} 0'/>" \
    "</rigid>" more "<stop steps='20'/></scene>"

#endif
