// bench beam: the peers' beam, BEAM-k, to convergence (1e-6 of the residual), 100 steps from rest, beside Bullet's deformable
// corotational beam in the same run: 24 k^3 tetrahedra, the face x = 0 clamped, steps of 0.01 s.
//
// Bullet is measured on one thread, which is all it uses, at its own default stop (3.5e-4 of the residual, single precision), and
// once more at our 1e-6. Times on one thread are the processor's, ours on several the wall clock's. Where 100 of its steps take
// minutes it makes fewer; `vs_bullet` compares the same steps of both.
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "core/core.h"

enum { STEPS = 100, TIPS = 4 };
#define TOLERANCE 1e-6

typedef struct beam_case {
    int k, repeats;
    int bullet_steps, bullet_tight_steps, bullet_repeats;
} beam_case;

static const beam_case full_cases[] = {{4, 3, 100, 100, 3}, {8, 6, 100, 25, 1}, {12, 2, 15, 5, 1}, {16, 1, 5, 3, 1}};
static const beam_case quick_cases[] = {{4, 1, 100, 100, 1}, {8, 1, 10, 5, 1}};

typedef struct bullet_result {
    bool present;
    double ms, tight_ms, iterations, tip[TIPS];
    char version[16];
} bullet_result;

typedef struct beam_result {
    double ms, iterations, tip[TIPS];
    double same_ms;  // over the steps that Bullet made
    double residual;
    char solver[48];
} beam_result;

// ---- Bullet

static sp_status bullet_once(const beam_case *c, int steps, int repeats, const char *tolerance, char *line, size_t size) {
    char k[16], n[16], r[16];
    snprintf(k, sizeof k, "%d", c->k);
    snprintf(n, sizeof n, "%d", steps);
    snprintf(r, sizeof r, "%d", repeats);
    const char *args[] = {k, "--steps", n, "--repeats", r, tolerance ? "--tolerance" : NULL, tolerance, NULL};
    return sp__peer_run("bullet_beam", args, line, size);
}

// without it the bench goes on and says null
static sp_status run_bullet(const beam_case *c, bullet_result *out) {
    char line[1024];
    *out = (bullet_result){.ms = NAN, .tight_ms = NAN, .iterations = NAN, .tip = {NAN, NAN, NAN, NAN}};
    sp_status status = bullet_once(c, c->bullet_steps, c->bullet_repeats, NULL, line, sizeof line);
    if (status == SP_UNAVAILABLE) return SP_OK;
    SP_TRY(status);
    out->present = sp__peer_numbers(line, "cpu_ms_per_step", &out->ms, 1) == 1;
    sp__peer_numbers(line, "iterations", &out->iterations, 1);
    sp__peer_numbers(line, "tip", out->tip, TIPS);
    SP_TRY(bullet_once(c, c->bullet_tight_steps, 1, "1e-6", line, sizeof line));
    sp__peer_numbers(line, "cpu_ms_per_step", &out->tight_ms, 1);
    return SP_OK;
}

// ---- ours

static sp_status run_steps(sp_beam *beam, int same_steps, beam_result *out) {
    double total = 0, same = 0, iterations = 0, ms;
    for (int s = 1; s <= STEPS; s++) {
        sp_body_info info;
        SP_TRY(sp__beam_step(beam, &ms));
        SP_TRY(sp_world_body_info(beam->world, beam->body, &info));
        total += ms;
        if (s <= same_steps) same += ms;
        iterations += info.solve.linear_iterations;
        out->residual = fmax(out->residual, info.solve.residual);
        if (s % (STEPS / TIPS) == 0) SP_TRY(sp__beam_tip(beam, &out->tip[s / (STEPS / TIPS) - 1]));
        snprintf(out->solver, sizeof out->solver, "%s", info.solve.solver);
    }
    out->ms = fmin(out->ms, total / STEPS);
    out->same_ms = fmin(out->same_ms, same / same_steps);
    out->iterations = iterations / STEPS;
    return SP_OK;
}

static sp_status run_ours(const beam_case *c, int threads, const sp_bench_options *o, beam_result *out) {
    *out = (beam_result){.ms = INFINITY, .same_ms = INFINITY};
    sp_beam_def def = {.cells = {4 * c->k, c->k, c->k},
                       .model = SP_COROTATIONAL,
                       .rotation = SP_ROTATION_POLAR,
                       .op = SP_OPERATOR_AUTO,
                       .tolerance = TOLERANCE,
                       .iterations = 10000,
                       .backend = "cpu",
                       .workers = threads};
    for (int r = 0; r < c->repeats; r++) {
        sp_beam beam;
        SP_TRY(sp__beam_open(&def, &beam));
        sp_status status = run_steps(&beam, c->bullet_steps, out);
        if (status >= 0 && r == 0 && o->dump) status = sp__beam_dump(&beam, o->dump);
        sp__beam_close(&beam);
        SP_TRY(status);
    }
    return SP_OK;
}

// ---- report

static void report_case(sp_report *report, const beam_case *c, int threads, const beam_result *s, const bullet_result *b) {
    sp_row *row = sp__report_case(report);
    sp__row_number(row, "k", "k", "%.0f", c->k);
    sp__row_number(row, "tets", "tets", "%.0f", 24.0 * c->k * c->k * c->k);
    sp__row_text(row, "solver", "solver        ", s->solver);
    sp__row_number(row, "threads", "threads", "%.0f", threads);
    sp__row_number(row, "tolerance", NULL, "%.0e", TOLERANCE);
    sp__row_number(row, "residual_max", NULL, "%.2e", s->residual);
    sp__row_number(row, "ms", "ms/step", "%.3f", s->ms);
    sp__row_number(row, "iterations", "CG its", "%.1f", s->iterations);
    sp__row_number(row, "bullet_ms", "bullet", "%.2f", b->ms);
    sp__row_number(row, "vs_bullet", "times", "%.2f", b->ms / s->same_ms);
    sp__row_number(row, "bullet_steps", NULL, "%.0f", b->present ? c->bullet_steps : NAN);
    sp__row_number(row, "bullet_iterations", "its", "%.1f", b->iterations);
    sp__row_number(row, "bullet_tight_ms", "at 1e-6", "%.2f", b->tight_ms);
    sp__row_number(row, "ms_same_steps", NULL, "%.3f", s->same_ms);
    sp__row_list(row, "tip", "tip y at 0.25 0.50 0.75 1.00 s", "%.6f", s->tip, TIPS);
    sp__row_list(row, "bullet_tip", NULL, "%.6f", b->tip, TIPS);
    sp__report_case_done(report);
}

sp_status sp__bench_beam(const sp_bench_options *o, sp_report *r) {
    const beam_case *cases = o->quick ? quick_cases : full_cases;
    int count = (int)(o->quick ? sizeof quick_cases : sizeof full_cases) / (int)sizeof *cases;
    sp_machine machine = {0};
    sp__machine_describe(&machine);
    sp__row_text(&r->head, "cpu", NULL, machine.cpu);
    sp__row_text(&r->head, "compiler", NULL, machine.compiler);
    sp__row_text(&r->head, "backend", NULL, sp_backend_detail("cpu"));
    sp__report_note(r, "%s, %s, cpu backend: %s", machine.cpu, machine.compiler, sp_backend_detail("cpu"));
    for (int i = 0; i < count; i++) {
        bullet_result bullet;
        SP_TRY(run_bullet(&cases[i], &bullet));
        if (i == 0 && !bullet.present) sp__report_note(r, "Bullet was not found when this was built: its columns are empty");
        for (int threads = 1;; threads = o->threads) {
            beam_result result;
            SP_TRY(run_ours(&cases[i], threads, o, &result));
            report_case(r, &cases[i], threads, &result, &bullet);
            if (threads == o->threads) break;
        }
    }
    return SP_OK;
}
