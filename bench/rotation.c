// bench rotation: the cost of element rotations relative to the linear material at the same number of iterations. Published: at
// most 12% for the qr frame, over 100 to 50,000 tetrahedra (Nesme, Faure and Chabanas 2004).
//
// The four materials run in alternation on one thread, so that disturbances of the machine affect all of them.
#include <stdio.h>

#include "bench.h"
#include "core/core.h"

enum { ITERATIONS = 25, MATERIALS = 4 };

typedef struct rotation_case {
    int cells[3];
    int rounds;
} rotation_case;

// about 100, 600, 1,000, 2,250, 5,000, 10,000, 25,000 and 50,000 tetrahedra
static const rotation_case all_cases[] = {
    {{4, 2, 2}, 60},  {{11, 3, 3}, 40}, {{10, 4, 4}, 40},   {{15, 5, 5}, 30},
    {{23, 6, 6}, 30}, {{34, 7, 7}, 20}, {{42, 10, 10}, 15}, {{58, 12, 12}, 12},
};
enum { CASES = sizeof all_cases / sizeof all_cases[0], QUICK_CASES = 4 };

static sp_status open_material(const rotation_case *c, int index, sp_beam *out) {
    static const sp_rotation rotations[MATERIALS] = {SP_ROTATION_POLAR, SP_ROTATION_QR, SP_ROTATION_POLAR, SP_ROTATION_SVD};
    sp_beam_def def = {.cells = {c->cells[0], c->cells[1], c->cells[2]},
                       .model = index == 0 ? SP_LINEAR : SP_COROTATIONAL,
                       .rotation = rotations[index],
                       .op = SP_OPERATOR_FREE,
                       .tolerance = 0,
                       .iterations = ITERATIONS,
                       .backend = "cpu",
                       .workers = 1};
    return sp__beam_open(&def, out);
}

// each material makes a few steps in turn; the first ones bring its data back into the caches
static sp_status time_in_turns(sp_beam *beams, int rounds, double *least) {
    for (int i = 0; i < MATERIALS; i++) least[i] = INFINITY;
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < MATERIALS; i++) {
            sp_times times;
            SP_TRY(sp__beam_time(&beams[i], 1, 3, 3, 0, &times));
            least[i] = fmin(least[i], times.least);
        }
    return SP_OK;
}

static sp_status run_case(const rotation_case *c, const sp_bench_options *o, sp_report *report) {
    sp_beam beams[MATERIALS] = {0};
    double ms[MATERIALS];
    int opened = 0;
    sp_status status = SP_OK;
    for (; opened < MATERIALS && status >= 0; opened++) status = open_material(c, opened, &beams[opened]);
    if (status >= 0) status = time_in_turns(beams, o->quick ? (c->rounds + 3) / 4 : c->rounds, ms);
    if (status >= 0 && o->dump) status = sp__beam_dump(&beams[0], o->dump);
    if (status >= 0) {
        sp_row *row = sp__report_case(report);
        sp__row_number(row, "tets", "tets", "%.0f", sp_mesh_element_count(beams[0].mesh));
        sp__row_number(row, "linear_ms", "linear ms", "%.4f", ms[0]);
        sp__row_number(row, "qr_ms", "qr ms", "%.4f", ms[1]);
        sp__row_number(row, "polar_ms", "polar ms", "%.4f", ms[2]);
        sp__row_number(row, "svd_ms", "svd ms", "%.4f", ms[3]);
        sp__row_number(row, "qr_percent", "qr %", "%.1f", 100 * (ms[1] / ms[0] - 1));
        sp__row_number(row, "polar_percent", "polar %", "%.1f", 100 * (ms[2] / ms[0] - 1));
        sp__row_number(row, "svd_percent", "svd %", "%.1f", 100 * (ms[3] / ms[0] - 1));
        sp__report_case_done(report);
    }
    for (int i = 0; i < opened; i++) sp__beam_close(&beams[i]);
    return status;
}

sp_status sp__bench_rotation(const sp_bench_options *o, sp_report *r) {
    sp_machine machine = {0};
    sp__machine_describe(&machine);
    sp__row_number(&r->head, "iterations", NULL, "%.0f", ITERATIONS);
    sp__row_number(&r->head, "threads", NULL, "%.0f", 1);
    sp__row_text(&r->head, "operator", NULL, "free");
    sp__row_text(&r->head, "cpu", NULL, machine.cpu);
    sp__row_text(&r->head, "compiler", NULL, machine.compiler);
    sp__report_note(r, "%s, %s, one thread, matrix-free, %d iterations; percent over linear", machine.cpu, machine.compiler,
                    ITERATIONS);
    for (int i = 0; i < (o->quick ? QUICK_CASES : CASES); i++) SP_TRY(run_case(&all_cases[i], o, r));
    sp__row_number(&r->tail, "published_percent", NULL, "%.0f", 12);
    sp__report_note(r, "published for qr: at most 12%%");
    return SP_OK;
}
