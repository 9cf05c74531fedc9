// Section `rods` of bench contact: steps of a catheter in a channel. A wavy wire of beams (radius 0.5 mm, bore 0.3 mm, E = 5e7
// Pa, elements of 3 mm) is pushed by a feed of 20 mm/s into a straight channel with a clearance of 0.1 mm, whose walls press it
// straight, with friction 0.1. The walls are planes, so that the number of contacts is known: every node has one with each wall
// (alarm 0.3 mm) that is near it. A last wall that is inclined is near a part of the wire.
//
// The target is 25 steps a second, 40 ms, of 200 beams with 600 and with 1,500 rows, on two threads.
//
//   ms          mean time of a step, without the first ones
//   contact_ms  of it: finding contacts, W, solving, correction, further passes
//   growth      of contact_ms, as exponents: with the rows at 200 elements; with the elements, where the rows grow alike
#include <math.h>
#include <string.h>

#include "contact.h"
#include "contact/constraints.h"
#include "core/core.h"
#include "world/world_internal.h"

enum { WALLS_MOST = 4, WARM_UP = 10, STEPS = 30, QUICK_STEPS = 2 };
static const double H = 0.01, ELEMENT = 0.003, RADIUS = 0.5e-3, CLEARANCE = 0.1e-3, ALARM = 0.3e-3;

typedef struct rod_case {
    int elements;
    double walls;  // a fraction: the last one is inclined, and near that share of the wire
} rod_case;

static const rod_case full[] = {{200, 1}, {200, 2}, {200, 3}, {200, 3.06}, {200, 3.1}, {200, 4}, {50, 1}, {100, 1}, {400, 1}};
static const rod_case quick[] = {{10, 1}, {10, 2}, {20, 1}};

typedef struct rod_result {
    double ms, contact_ms, rows, worst;
    double stages[SP_STAGE_COUNT];
    bool ok;
} rod_result;

// The walls stand around the x axis, the first one below, then one above, left and right.
static sp_status add_walls(sp_world *w, const rod_case *c) {
    static const double normals[WALLS_MOST][3] = {{0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    for (int i = 0; i < (int)ceil(c->walls); i++) {
        sp_rigid_def def = sp_rigid_def_default();
        sp_rigid_shape plane = {.type = SP_PLANE, .pose = sp_pose_identity()};
        double near = c->walls - i, length = ELEMENT * c->elements;
        double slope = near < 1 ? (ALARM - CLEARANCE) / (near * length) : 0;
        memcpy(plane.size, normals[i], sizeof normals[i]);
        plane.size[0] = slope;
        for (int k = 0; k < 3; k++) plane.pose.translate[k] = -(RADIUS + CLEARANCE) * normals[i][k];
        def.shapes = &plane, def.shape_count = 1;
        SP_TRY(sp_world_add_rigid(w, &def, NULL));
    }
    return SP_OK;
}

static sp_status add_wire(sp_world *w, const rod_case *c, double *natural) {
    sp_rod_section section = sp_rod_section_default();
    sp_rod_strand strand = {.length = ELEMENT * c->elements, .elements = c->elements, .root = sp_pose_identity()};
    sp_rod_feed feed = {.direction = {1, 0, 0}, .speed = sp_signal_constant(0.02)};
    sp_rod_def def = sp_rod_def_default();
    for (int i = 0; i <= c->elements; i++) natural[3 * i + 1] = 2 * sin(0.2 * i), natural[3 * i + 2] = cos(0.2 * i);
    section.axes[0] = section.axes[1] = RADIUS, section.bore = 0.3e-3;
    section.density = 1400, section.young = 5e7, section.poisson = 0.4;
    strand.curvature = natural, strand.start = natural + 3 * (c->elements + 1);  // zeros
    strand.root.translate[0] = -3 * ELEMENT;
    def.name = "wire", def.model = SP_ROD_BEAM, def.strands = &strand, def.strand_count = 1, def.rayleigh_mass = 5;
    def.sections = &section, def.section_count = 1, def.feed = &feed;
    return sp_world_add_rod(w, &def, NULL);
}

static sp_status open_case(sp_context *ctx, const rod_case *c, sp_world **out) {
    sp_world_def world = sp_world_def_default();
    sp_contact_def contact = sp_contact_def_default();
    double *natural;
    if (!SP_NEW(ctx, natural, 6 * ((size_t)c->elements + 1))) return SP_NO_MEMORY;
    world.snapshots = false;
    contact.formulation = SP_CONTACT_PROXIMITY, contact.friction = 0.1, contact.alarm = ALARM;
    sp_status status = sp_world_create(ctx, &world, out);
    if (status >= 0) status = add_walls(*out, c);
    if (status >= 0) status = add_wire(*out, c, natural);
    if (status >= 0) status = sp_world_set_contact(*out, &contact);
    sp__free(ctx, natural);
    return status;
}

static sp_status run_case(const sp_bench_options *o, const rod_case *c, rod_result *out) {
    static const sp_stage parts[] = {SP_STAGE_FIND_CONTACTS, SP_STAGE_BUILD_DELASSUS, SP_STAGE_SOLVE_CONTACTS,
                                     SP_STAGE_CORRECT_MOTION, SP_STAGE_STABILISE};
    const int warm = o->quick ? 1 : WARM_UP, steps = o->quick ? QUICK_STEPS : STEPS;
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    sp_world *w = NULL;
    def.workers = o->threads;
    *out = (rod_result){.ok = true};
    SP_TRY(sp_context_create(&def, &ctx));
    sp_status status = open_case(ctx, c, &w);
    for (int i = 0; i < warm + steps && status >= 0; i++) {
        sp_step_info info;
        status = sp_world_step(w, H);
        out->ok = out->ok && status == SP_OK;
        if (status < 0 || i < warm) continue;
        sp_world_step_info(w, &info);
        out->ms += info.step_ms / steps, out->worst = fmax(out->worst, info.step_ms);
        out->rows += (double)sp__constraints_info(w->constraints)->rows / steps;
        for (int k = 0; k < SP_STAGE_COUNT; k++) out->stages[k] += info.stage_ms[k] / steps;
    }
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) out->contact_ms += out->stages[parts[k]];
    sp_world_destroy(&w);
    sp_context_destroy(&ctx);
    return status;
}

static void report_case(const sp_bench_options *o, sp_report *r, const rod_case *c, const rod_result *out) {
    static const char *names[SP_STAGE_COUNT];  // the report keeps it
    sp_row *row = sp__report_case(r);
    for (int k = 0; k < SP_STAGE_COUNT; k++) names[k] = sp_stage_name((sp_stage)k);
    sp__row_number(row, "elements", "elements", "%.0f", c->elements);
    sp__row_number(row, "rows", "rows", "%.0f", out->rows);
    sp__row_number(row, "threads", "threads", "%.0f", o->threads);
    sp__row_flag(row, "ok", "ok", out->ok);
    sp__row_number(row, "ms", "ms", "%.2f", out->ms);
    sp__row_number(row, "ms_max", "longest", "%.2f", out->worst);
    sp__row_number(row, "contact_ms", "contact", "%.2f", out->contact_ms);
    sp__row_map(row, "stages_ms", names, out->stages, SP_STAGE_COUNT);
    sp__report_case_done(r);
}

sp_status sp__contact_rods(const sp_bench_options *o, sp_report *r) {
    enum { MOST = sizeof full / sizeof *full };
    const rod_case *cases = o->quick ? quick : full;
    const int count = o->quick ? (int)(sizeof quick / sizeof *quick) : MOST;
    double x[2][MOST], y[2][MOST];
    int points[2] = {0, 0};
    for (int i = 0; i < count; i++) {
        rod_result out;
        SP_TRY(run_case(o, &cases[i], &out));
        report_case(o, r, &cases[i], &out);
        const bool taken[2] = {cases[i].elements == cases[0].elements, cases[i].walls == 1};
        for (int k = 0; k < 2; k++)
            if (taken[k]) x[k][points[k]] = log(k ? cases[i].elements : out.rows), y[k][points[k]++] = log(out.contact_ms);
    }
    sp_row *row = sp__report_object(r, "growth");
    sp__row_number(row, "rows", "growth of the contacts of a rod with rows", "%.2f", sp__slope(x[0], y[0], points[0]));
    sp__row_number(row, "elements", "with elements", "%.2f", sp__slope(x[1], y[1], points[1]));
    sp__report_object_done(r);
    return SP_OK;
}
