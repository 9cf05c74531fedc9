// bench step: the cost of a step. Clamped corotational (polar) beams of 1k to 1M tetrahedra with exactly 25 conjugate gradient
// iterations per step, with both operators, on one thread (processor time) and on all (wall clock), compared with the reference
// backend.
//
// Comparison with the limits of the machine (roofline). An iteration moves at least
//     matrix-free  88 bytes per tetrahedron: nine gradients and lambda/mu in double, four nodes as 16-bit local numbers
//     assembled    74 bytes per 3x3 block of one triangle (nodes + edges of them): nine doubles, a 16-bit local column
//     both         200 bytes per node: x, r, p and A p read and written once each, the mass
// and the matrix-free one needs at least 130 flops per tetrahedron: 9 for the edges, 45 for H, 13 for T, 45 for the forces, 18
// for the fourth node and the sums; the assembled one 18 per block, twice if it is off the diagonal. `roof_ms` is the larger of
// bytes over the bandwidth of the triad (of the cache that holds them) and flops over the rate of fused multiply-adds, for the 25
// iterations alone; `roof_percent` is its share of the measured step. Nodes shared by chunks are not counted.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "core/core.h"

enum { ITERATIONS = 25, CASES_MOST = 6 };

typedef struct step_case {
    int cells[3];
    int rounds;        // repetitions of each variant
    double budget_ms;  // per round
} step_case;

// 0.4 x 0.1 x 0.1 m, as close as the counts allow
static const step_case full_cases[] = {
    {{11, 4, 4}, 4, 100},   {{23, 6, 6}, 4, 150},    {{34, 7, 7}, 4, 200},
    {{52, 12, 12}, 4, 500}, {{83, 20, 20}, 2, 1500}, {{144, 34, 34}, 1, 5000},
};
static const step_case quick_cases[] = {{{11, 4, 4}, 2, 50}, {{34, 7, 7}, 2, 100}, {{52, 12, 12}, 2, 250}};

enum { REF, FREE_ONE, FREE_ALL, ASSEMBLED_ONE, ASSEMBLED_ALL, VARIANTS };

typedef struct step_result {
    int tets, nodes;
    double blocks;  // of one triangle, including the diagonal
    double free_bytes;
    double least[VARIANTS], median[VARIANTS];
    double longer_ms;  // of the fastest variant with twice the iterations
} step_result;

static sp_beam_def variant_def(const step_case *c, int variant, int threads) {
    bool assembled = variant == ASSEMBLED_ONE || variant == ASSEMBLED_ALL;
    return (sp_beam_def){.cells = {c->cells[0], c->cells[1], c->cells[2]},
                         .model = SP_COROTATIONAL,
                         .rotation = SP_ROTATION_POLAR,
                         .op = assembled ? SP_OPERATOR_ASSEMBLED : SP_OPERATOR_FREE,
                         .tolerance = 0,
                         .iterations = ITERATIONS,
                         .backend = variant == REF ? "ref" : "cpu",
                         .workers = variant == FREE_ALL || variant == ASSEMBLED_ALL ? threads : 1};
}

// number of edges by Euler's formula for a ball of tetrahedra, V - E + F - T = 1 with 2 F = 4 T + boundary
static void count_parts(const sp_beam *beam, step_result *out) {
    out->tets = sp_mesh_element_count(beam->mesh);
    out->nodes = sp_mesh_node_count(beam->mesh);
    double faces = 2.0 * out->tets + 0.5 * sp_mesh_face_count(beam->mesh);
    out->blocks = 2.0 * out->nodes + faces - out->tets - 1;
}

static sp_status check_iterations(sp_beam *beam, int expected) {
    sp_body_info info;
    SP_TRY(sp_world_body_info(beam->world, beam->body, &info));
    if (info.solve.linear_iterations == expected) return SP_OK;
    fprintf(stderr, "bench: %d iterations were made instead of %d\n", info.solve.linear_iterations, expected);
    return SP_DIVERGED;
}

static sp_status run_variant(const step_case *c, int variant, const sp_bench_options *o, step_result *out) {
    sp_beam_def def = variant_def(c, variant, o->threads);
    sp_beam beam;
    sp_times times;
    sp_body_measures measures;
    SP_TRY(sp__beam_open(&def, &beam));
    bool slow = variant == REF;
    sp_status status = sp__beam_time(&beam, slow ? 1 : 3, slow ? 2 : 4, 400, slow ? c->budget_ms / 2 : c->budget_ms, &times);
    if (status >= 0) status = check_iterations(&beam, ITERATIONS);
    if (status >= 0) status = sp_world_body_measure(beam.world, beam.body, &measures);
    if (status >= 0) {
        out->least[variant] = fmin(out->least[variant], times.least);
        out->median[variant] = fmin(out->median[variant], times.median);
        if (variant == FREE_ONE) out->free_bytes = (double)measures.bytes;
        count_parts(&beam, out);
    }
    if (status >= 0 && o->dump && out->least[REF] == times.least) status = sp__beam_dump(&beam, o->dump);
    sp__beam_close(&beam);
    return status;
}

// the fastest variant with 50 iterations: gives the cost of an iteration and of the rest of the step
static sp_status run_longer(const step_case *c, int variant, const sp_bench_options *o, step_result *out) {
    sp_beam_def def = variant_def(c, variant, o->threads);
    sp_beam beam;
    sp_times times;
    def.iterations = 2 * ITERATIONS;
    SP_TRY(sp__beam_open(&def, &beam));
    sp_status status = sp__beam_time(&beam, 3, 4, 400, c->budget_ms, &times);
    if (status >= 0) status = check_iterations(&beam, 2 * ITERATIONS);
    if (status >= 0) out->longer_ms = fmin(out->longer_ms, times.least);
    sp__beam_close(&beam);
    return status;
}

static int fastest_of(const step_result *s) {
    return s->least[FREE_ALL] <= s->least[ASSEMBLED_ALL] ? FREE_ALL : ASSEMBLED_ALL;
}

static sp_status run_case(const step_case *c, const sp_bench_options *o, step_result *out) {
    *out = (step_result){.longer_ms = INFINITY};
    for (int v = 0; v < VARIANTS; v++) out->least[v] = out->median[v] = INFINITY;
    // rounds alternate between variants, so that other load on the machine does not affect one of them alone
    for (int round = 0; round < c->rounds; round++) {
        for (int v = round ? FREE_ONE : REF; v < VARIANTS; v++) SP_TRY(run_variant(c, v, o, out));
        SP_TRY(run_longer(c, fastest_of(out), o, out));
    }
    return SP_OK;
}

// ---- limits

typedef struct roofline {
    double bytes;  // minimum traffic of an iteration
    double ms;     // of 25 iterations
    const char *what;
} roofline;

static roofline roofline_of(const step_result *s, const sp_machine *m, int fastest) {
    bool assembled = fastest == ASSEMBLED_ALL;
    roofline r = {.bytes = (assembled ? 74 * s->blocks : 88.0 * s->tets) + 200.0 * s->nodes};
    double flops = assembled ? 18 * (2 * s->blocks - s->nodes) : 130.0 * s->tets;
    double gb = m->stream_gb[1];
    r.what = "memory";
    if (r.bytes < m->l3_bytes) gb = m->l3_gb[1], r.what = "L3 cache";
    if (r.bytes < m->l2_bytes * m->threads) gb = m->l2_gb[1], r.what = "L2 cache";
    double move_ms = ITERATIONS * r.bytes / gb * 1e-6, flop_ms = ITERATIONS * flops / m->gflops[1] * 1e-6;
    r.ms = move_ms;
    if (flop_ms > move_ms) r.ms = flop_ms, r.what = "flops";  // false if the rate is unknown
    return r;
}

// ---- report

static void report_case(sp_report *report, const step_result *s, const sp_machine *m) {
    sp_row *row = sp__report_case(report);
    int fastest = fastest_of(s);
    roofline limit = roofline_of(s, m, fastest);
    double ms = s->least[fastest], each_us = (s->longer_ms - ms) / ITERATIONS * 1e3;
    sp__row_number(row, "tets", "tets", "%.0f", s->tets);
    sp__row_number(row, "nodes", "nodes", "%.0f", s->nodes);
    sp__row_number(row, "cg_iterations", NULL, "%.0f", ITERATIONS);
    sp__row_number(row, "ref_ms", "ref ms", "%.3f", s->least[REF]);
    sp__row_number(row, "cpu1_ms", "cpu1 ms", "%.3f", fmin(s->least[FREE_ONE], s->least[ASSEMBLED_ONE]));
    sp__row_number(row, "cpu_ms", "cpu ms", "%.3f", ms);
    sp__row_number(row, "cpu_median_ms", "median", "%.3f", s->median[fastest]);
    sp__row_number(row, "steps_per_s", "steps/s", "%.1f", 1000 / ms);
    sp__row_text(row, "operator", "operator", fastest == FREE_ALL ? "free" : "assembled");
    sp__row_number(row, "free1_ms", "free1", "%.3f", s->least[FREE_ONE]);
    sp__row_number(row, "free_ms", "free", "%.3f", s->least[FREE_ALL]);
    sp__row_number(row, "assembled1_ms", "assembl1", "%.3f", s->least[ASSEMBLED_ONE]);
    sp__row_number(row, "assembled_ms", "assembl", "%.3f", s->least[ASSEMBLED_ALL]);
    sp__row_number(row, "ns_per_tet_iteration", "ns/tet/it", "%.2f", ms * 1e6 / ITERATIONS / s->tets);
    sp__row_number(row, "iteration_us", "us/it", "%.1f", each_us);
    sp__row_number(row, "other_ms", "other ms", "%.3f", ms - 1e-3 * ITERATIONS * each_us);
    sp__row_number(row, "gb_per_s", "GB/s", "%.1f", limit.bytes * ITERATIONS / ms * 1e-6);
    sp__row_number(row, "stream_gb_per_s", NULL, "%.1f", m->stream_gb[1]);
    sp__row_number(row, "bytes_per_tet", "bytes/tet", "%.0f", s->free_bytes / s->tets);
    sp__row_number(row, "roof_ms", "roof ms", "%.3f", limit.ms);
    sp__row_number(row, "roof_percent", "roof %", "%.0f", 100 * limit.ms / ms);
    sp__row_text(row, "roof", "limit", limit.what);
    sp__report_case_done(report);
}

static void report_machine(sp_report *r, const sp_machine *m) {
    sp__row_number(&r->head, "threads", NULL, "%.0f", m->threads);
    sp__row_text(&r->head, "cpu", NULL, m->cpu);
    sp__row_text(&r->head, "compiler", NULL, m->compiler);
    sp__row_text(&r->head, "backend", NULL, sp_backend_detail("cpu"));
    sp__row_number(&r->head, "stream1_gb_per_s", NULL, "%.1f", m->stream_gb[0]);
    sp__row_number(&r->head, "stream_gb_per_s", NULL, "%.1f", m->stream_gb[1]);
    sp__row_number(&r->head, "l3_gb_per_s", NULL, "%.1f", m->l3_gb[1]);
    sp__row_number(&r->head, "l2_gb_per_s", NULL, "%.1f", m->l2_gb[1]);
    sp__row_number(&r->head, "fma_gflops", NULL, "%.1f", m->gflops[1]);
    sp__report_note(r, "%s, %s, cpu backend: %s", m->cpu, m->compiler, sp_backend_detail("cpu"));
    sp__report_note(r, "triad GB/s on 1 and %d threads: memory %.1f %.1f, L3 %.1f %.1f, L2 %.1f %.1f; GFlop/s %.1f %.1f",
                    m->threads, m->stream_gb[0], m->stream_gb[1], m->l3_gb[0], m->l3_gb[1], m->l2_gb[0], m->l2_gb[1],
                    m->gflops[0], m->gflops[1]);
}

sp_status sp__bench_step(const sp_bench_options *o, sp_report *r) {
    const step_case *cases = o->quick ? quick_cases : full_cases;
    int count = (int)(o->quick ? sizeof quick_cases : sizeof full_cases) / (int)sizeof *cases;
    double log_tets[CASES_MOST], log_ms[CASES_MOST];
    sp_machine machine = {0};
    SP_TRY(sp__machine_measure(&machine, o->threads, o->quick));
    report_machine(r, &machine);
    for (int i = 0; i < count; i++) {
        step_result result;
        SP_TRY(run_case(&cases[i], o, &result));
        report_case(r, &result, &machine);
        log_tets[i] = log(result.tets);
        log_ms[i] = log(result.least[fastest_of(&result)]);
    }
    double growth = sp__slope(log_tets, log_ms, count);
    sp__row_number(&r->tail, "growth_exponent", NULL, "%.3f", growth);
    sp__report_note(r, "time grows as tets^%.3f", growth);
    return SP_OK;
}
