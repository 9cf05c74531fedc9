// bench batch: many small worlds of a batch beside one of them alone, in the same run. Claim: with 5 steps in a call the worlds
// of a batch make about 0.9 times as many steps per second and core as one world alone, whose data stay in the cache, and a
// further world needs a fraction of the memory of the first.
//
// Every world makes the same steps, from rest. `alone` is the world in a context with one thread. `core` is the batch on one
// thread with one step in a call, `threads` the batch on all; then the same with more steps in a call (sp_batch_run). Times on
// one thread are processor times, of whole runs: the least of the rounds, and of ALONE_RUNS runs in each round of the world
// alone, which are much shorter.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "core/core.h"

enum { WARM = 20, STEPS = 20, ROUNDS = 2, ALONE_RUNS = 50 };

typedef struct batch_case {
    const char *name;
    int cells[3];  // of the solid; strands: elements, strands
    sp_status (*build)(void *user, int index, sp_world *world);
} batch_case;

typedef struct batch_scene {
    const batch_case *c;
    sp_mesh *mesh;
    int elements;
} batch_scene;

// ---------------------------------------------------------------------------------------------------- worlds

static sp_status build_beam(void *user, int index, sp_world *w) {
    const batch_scene *s = user;
    int held[256], count = 0;
    (void)index;
    sp_selection wall = sp_selection_default();
    wall.has_box = true;
    const double box[6] = {-1, -1, -1, 1e-9, 1, 1};
    memcpy(wall.box, box, sizeof box);
    SP_TRY(sp_mesh_select(s->mesh, &wall, SP_SELECT_NODES, held, 256, &count));
    sp_fix fix = {held, count, SP_AXES_ALL, 0};
    sp_solid_def def = sp_solid_def_default();
    def.name = "beam", def.mesh = s->mesh, def.fixes = &fix, def.fix_count = 1;
    def.material.young = 3e5, def.material.poisson = 0.4;
    return sp_world_add_solid(w, &def, NULL);
}

static sp_status build_block(void *user, int index, sp_world *w) {
    const batch_scene *s = user;
    sp_contact_def contact = sp_contact_def_default();
    sp_rigid_shape plane = {.type = SP_PLANE, .size = {0, 1, 0}, .pose = sp_pose_identity()};
    sp_rigid_def floor = sp_rigid_def_default();
    sp_solid_def def = sp_solid_def_default();
    (void)index;
    plane.pose.translate[1] = -1e-3;
    contact.formulation = SP_CONTACT_PROXIMITY, contact.friction = 0.5;
    def.name = "block", def.mesh = s->mesh, def.material.young = 3e4;
    floor.shapes = &plane, floor.shape_count = 1;
    SP_TRY(sp_world_set_contact(w, &contact));
    SP_TRY(sp_world_add_rigid(w, &floor, NULL));
    return sp_world_add_solid(w, &def, NULL);
}

static sp_status build_strands(void *user, int index, sp_world *w) {
    const batch_scene *s = user;
    enum { MOST = 16 };
    sp_rod_section section = sp_rod_section_default();
    sp_rod_strand strands[MOST];
    sp_rod_def def = sp_rod_def_default();
    (void)index;
    section.axes[0] = section.axes[1] = 1e-3;
    for (int i = 0; i < s->c->cells[1] && i < MOST; i++) {
        strands[i] = (sp_rod_strand){.length = 0.2, .elements = s->c->cells[0], .root = sp_pose_identity()};
        strands[i].root.translate[2] = 0.01 * i;
        def.strand_count = i + 1;
    }
    def.model = SP_ROD_DER, def.strands = strands, def.sections = &section, def.section_count = 1;
    return sp_world_add_rod(w, &def, NULL);
}

static const batch_case cases[] = {
    {"beam", {8, 2, 2}, build_beam},
    {"beam", {12, 3, 3}, build_beam},
    {"block on a floor", {3, 3, 3}, build_block},
    {"strands", {20, 8, 0}, build_strands},
};
enum { CASES = sizeof cases / sizeof *cases };

static sp_status scene_open(sp_context *ctx, const batch_case *c, batch_scene *s) {
    *s = (batch_scene){.c = c};
    if (c->build == build_strands) {
        s->elements = c->cells[0] * c->cells[1];
        return SP_OK;
    }
    const double edge = c->build == build_beam ? 0.1 / c->cells[1] : 0.03;
    const double size[3] = {edge * c->cells[0], edge * c->cells[1], edge * c->cells[2]};
    SP_TRY(sp_mesh_box(ctx, size, c->cells, 6, &s->mesh));
    s->elements = sp_mesh_element_count(s->mesh);
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- measurement

typedef struct batch_run {
    double step_ms;    // of one world: the mean over the run
    double create_ms;  // of one world
    sp_batch_memory memory;
    size_t bytes;  // of the context, of worlds only
    int elements;
} batch_run;

// how the worlds are stepped
typedef struct batch_way {
    int count;    // 0: one world that is in no batch
    int at_once;  // steps in a call
    int workers;
    bool wall;  // clock of the wall, else of the processor
} batch_way;

static sp_status run_steps(sp_world *w, sp_batch *b, const batch_way *way, double *step_ms) {
    double start = 0;
    for (int k = 0; k < WARM + STEPS; k += way->at_once) {
        if (k == WARM) start = sp__bench_clock(way->wall);
        SP_TRY(b ? sp_batch_run(b, 0.01, way->at_once, NULL, 0) : sp_world_step(w, 0.01));
    }
    *step_ms = fmin(*step_ms, (sp__bench_clock(way->wall) - start) / STEPS / (b ? way->count : 1));
    return SP_OK;
}

static sp_status run_worlds(sp_context *ctx, const batch_case *c, const batch_way *way, batch_run *out) {
    batch_scene scene;
    sp_world *w = NULL;
    sp_batch *b = NULL;
    size_t before, after;
    sp_batch_def def = sp_batch_def_default();
    sp_world_def one = def.world;
    sp_status status = scene_open(ctx, c, &scene);
    sp_context_memory(ctx, &before, NULL);
    const int count = way->count;
    def.count = count, def.build = c->build, def.user = &scene;
    const double start = sp__bench_clock(way->wall);
    if (status >= 0 && count) status = sp_batch_create(ctx, &def, &b);
    if (status >= 0 && !count) status = sp_world_create(ctx, &one, &w);
    if (status >= 0 && !count) status = c->build(&scene, 0, w);
    out->create_ms = (sp__bench_clock(way->wall) - start) / (count ? count : 1);
    if (status >= 0) status = run_steps(w, b, way, &out->step_ms);
    sp_context_memory(ctx, &after, NULL);
    out->bytes = after - before, out->elements = scene.elements;
    if (b) sp_batch_get_memory(b, &out->memory);
    if (status < 0) fprintf(stderr, "bench: %s\n", sp_context_error(ctx)->message);
    sp_batch_destroy(&b);
    sp_world_destroy(&w);
    sp_mesh_destroy(&scene.mesh);
    return status;
}

static sp_status measure(const batch_case *c, batch_way way, batch_run *out) {
    sp_context_def def = sp_context_def_default();
    sp_context *ctx;
    def.workers = way.workers;
    SP_TRY(sp_context_create(&def, &ctx));
    const sp_status status = run_worlds(ctx, c, &way, out);
    sp_context_destroy(&ctx);
    return status;
}

// steps in a call; on all threads the last one is not measured
static const int at_once[] = {1, 5, 20};
enum { WAYS = sizeof at_once / sizeof *at_once };

static void report_shares(sp_row *row, double alone_ms, const batch_run core[WAYS]) {
    static const char *const names[WAYS][2] = {
        {"core_steps_per_s", "core_share"}, {"core5_steps_per_s", "core5_share"}, {"core20_steps_per_s", "core20_share"}};
    static const char *const titles[WAYS] = {"a core: 1", "5", "20 a call"};
    for (int k = 0; k < WAYS; k++) {
        sp__row_number(row, names[k][0], NULL, "%.0f", 1e3 / core[k].step_ms);
        sp__row_number(row, names[k][1], titles[k], "%.2f", alone_ms / core[k].step_ms);
    }
}

static sp_status batch_case_run(const batch_case *c, const sp_bench_options *o, sp_report *r) {
    const int worlds = o->quick ? 100 : 1000;
    batch_run alone = {.step_ms = INFINITY}, core[WAYS] = {alone, alone, alone}, all[WAYS - 1] = {alone, alone}, half = alone;
    // rounds alternate, so that other load on the machine does not affect one of them alone
    for (int round = 0; round < ROUNDS; round++) {
        for (int run = 0; run < ALONE_RUNS; run++) SP_TRY(measure(c, (batch_way){0, 1, 1, false}, &alone));
        for (int k = 0; k < WAYS; k++) {
            SP_TRY(measure(c, (batch_way){worlds, at_once[k], 1, false}, &core[k]));
            if (k < WAYS - 1) SP_TRY(measure(c, (batch_way){worlds, at_once[k], o->threads, true}, &all[k]));
        }
    }
    SP_TRY(measure(c, (batch_way){worlds / 2, 1, 1, false}, &half));
    sp_row *row = sp__report_case(r);
    sp__row_text(row, "name", "world", c->name);
    sp__row_number(row, "elements", "elements", "%.0f", core->elements);
    sp__row_number(row, "worlds", "worlds", "%.0f", worlds);
    sp__row_number(row, "threads", NULL, "%.0f", o->threads);
    sp__row_number(row, "alone_steps_per_s", "steps/s alone", "%.0f", 1e3 / alone.step_ms);
    report_shares(row, alone.step_ms, core);
    sp__row_number(row, "threads_steps_per_s", "threads: 1", "%.0f", 1e3 / all[0].step_ms);
    sp__row_number(row, "threads5_steps_per_s", "5 a call", "%.0f", 1e3 / all[1].step_ms);
    sp__row_number(row, "create_ms", "create ms", "%.2f", core->create_ms);
    sp__row_number(row, "alone_bytes", "bytes alone", "%.0f", (double)alone.bytes);
    sp__row_number(row, "world_bytes", NULL, "%.0f", (double)core->bytes / worlds);
    sp__row_number(row, "further_world_bytes", "a further one", "%.0f",
                   (double)(core->bytes - half.bytes) / (worlds - worlds / 2));
    sp__row_number(row, "constant_bytes", NULL, "%.0f", (double)core->memory.constant);
    sp__row_number(row, "lent_bytes", NULL, "%.0f", (double)core->memory.lent);
    sp__report_case_done(r);
    return SP_OK;
}

sp_status sp__bench_batch(const sp_bench_options *o, sp_report *r) {
    SP_TRY(sp__bench_open(o, r));
    for (int i = 0; i < (o->quick ? 2 : CASES); i++) SP_TRY(batch_case_run(&cases[i], o, r));
    return SP_OK;
}
