// bench materials: the cost of laws and elements. The same clamped beam with every law and element type, on one thread, with
// exactly 25 conjugate gradient iterations per step, matrix-free and assembled; and, beside Bullet, one linearisation per step of
// the neo-Hookean beam with the solver of `auto`; error against time of the elements (materials_error.c).
//
// ns_per_element_iteration is the slope between steps of 25 and of 50 iterations; vs_corotational divides it by that of the
// corotational four-node tetrahedra of the same nodes and operator (per element there: per node for other elements). Least work
// of an iteration, per element:
//     corotational tetrahedron   88 bytes, 130 flops (bench/step.c)
//     general, matrix-free       8 (21 + 3 (n - 1)) p + 2 n bytes for n nodes and p points: tangent, turned gradients, local
//     numbers;
//                                p (36 (n - 1) + 123) + 12 n flops: gradient and forces, two rotations, moduli; sums of the nodes
//     tensor-mass stvk           192 bytes and 252 flops: F, S, two moduli, six gradients; hooke as the corotational tetrahedron
//     hexahedra (b-bar)          176 bytes and 84 flops more
//     viscous, swelling, with fibres, costa, springs: not counted
//     assembled                  74 bytes and 36 flops per 3x3 block of one triangle
// and 200 bytes per node. pays_after is the number of iterations per linearisation from which on assembling the matrix is faster.
// limit_share is the time that the larger of bytes over bandwidth and flops over rate needs, over the
// measured time.
#include <stdio.h>
#include <stdlib.h>

#include "core/core.h"
#include "materials.h"
#include "solid/solid.h"

enum { ITERATIONS = 25, ROUNDS = 5 };

typedef struct material_case {
    const char *law;
    sp_solid_law model;
    sp_element_type element;
    sp_operator_type op;
    void (*set)(void *user, const sp_mesh *mesh, sp_solid_def *solid);  // what is not in the law; NULL: nothing
} material_case;

static void make_viscous(void *user, const sp_mesh *mesh, sp_solid_def *solid) {
    (void)user, (void)mesh;
    solid->material.relaxation_count = 1, solid->material.relaxation[0] = 0.4, solid->material.relaxation[1] = 0.1;
}

static void add_fibres(void *user, const sp_mesh *mesh, sp_solid_def *solid) {
    (void)user, (void)mesh;
    solid->material.fibre[0] = 1;
    if (solid->model != SP_HOLZAPFEL) solid->material.fibre_young = 1e6;
}

static double swelling(const void *user, double t) {
    (void)user;
    return 0.1 * t;
}

static void make_swell(void *user, const sp_mesh *mesh, sp_solid_def *solid) {
    (void)user, (void)mesh;
    solid->eigenstrains.body.swell = (sp_signal){.eval = swelling};
}

#define OF(name, ...)                              \
    name, {                                        \
        .rotation = SP_ROTATION_POLAR, __VA_ARGS__ \
    }
#define BOTH_SET(name, type, set, ...)                          \
    {OF(name, __VA_ARGS__), type, SP_OPERATOR_FREE, set}, {     \
        OF(name, __VA_ARGS__), type, SP_OPERATOR_ASSEMBLED, set \
    }
#define BOTH(name, type, ...) BOTH_SET(name, type, NULL, __VA_ARGS__)
// the first two are the reference of the others; assembled cases follow matrix-free ones
static const material_case cases[] = {
    BOTH("corotational", SP_ELEMENT_TET4, .model = SP_COROTATIONAL),
    BOTH("stvk", SP_ELEMENT_TET4, .model = SP_STVK),
    BOTH("tensor-mass stvk", SP_ELEMENT_TET4, .model = SP_TENSOR_MASS),
    BOTH("tensor-mass hooke", SP_ELEMENT_TET4, .model = SP_TENSOR_MASS, .tensor_law = SP_TENSOR_HOOKE),
    BOTH("neo-hookean", SP_ELEMENT_TET4, .model = SP_NEO_HOOKEAN),
    BOTH("mooney-rivlin", SP_ELEMENT_TET4, .model = SP_MOONEY_RIVLIN),
    BOTH("ogden", SP_ELEMENT_TET4, .model = SP_OGDEN),
    BOTH_SET("corotational viscous", SP_ELEMENT_TET4, make_viscous, .model = SP_COROTATIONAL),
    BOTH_SET("corotational swelling", SP_ELEMENT_TET4, make_swell, .model = SP_COROTATIONAL),
    BOTH_SET("corotational fibres", SP_ELEMENT_TET4, add_fibres, .model = SP_COROTATIONAL),
    BOTH_SET("holzapfel", SP_ELEMENT_TET4, add_fibres, .model = SP_HOLZAPFEL),
    BOTH("costa", SP_ELEMENT_TET4, .model = SP_COSTA),
    BOTH("mass-spring", SP_ELEMENT_TET4, .model = SP_MASS_SPRING),
    BOTH("corotational", SP_ELEMENT_HEX8, .model = SP_COROTATIONAL),
    BOTH("neo-hookean", SP_ELEMENT_HEX8, .model = SP_NEO_HOOKEAN),
    BOTH("corotational", SP_ELEMENT_TET10, .model = SP_COROTATIONAL),
    BOTH("neo-hookean", SP_ELEMENT_TET10, .model = SP_NEO_HOOKEAN),
};
enum { CASES = sizeof cases / sizeof *cases };

typedef struct material_result {
    int elements, nodes;
    double blocks;                      // of one triangle
    double ms, longer_ms, evaluate_ms;  // least of the rounds: 25 and 50 iterations
} material_result;

static const char *element_name(sp_element_type type) {
    return type == SP_ELEMENT_TET4 ? "tet4" : type == SP_ELEMENT_TET10 ? "tet10" : "hex8";
}

// ---------------------------------------------------------------------------------------------------- measurement

// blocks of one triangle of the matrix: pairs of nodes of a box of n cells that share an element
static double count_blocks(sp_element_type type, const int n[3]) {
    double nodes[3], pairs = 0;
    for (int k = 0; k < 3; k++) nodes[k] = n[k] + 1;
    // offsets between neighbouring nodes: all of a cube for hexahedra, the seven directions of path tetrahedra else
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++)
            for (int k = -1; k <= 1; k++) {
                bool path = (i >= 0 && j >= 0 && k >= 0) || (i <= 0 && j <= 0 && k <= 0);
                if (type == SP_ELEMENT_HEX8 || path) pairs += (nodes[0] - abs(i)) * (nodes[1] - abs(j)) * (nodes[2] - abs(k));
            }
    return 0.5 * (pairs + nodes[0] * nodes[1] * nodes[2]);
}

static sp_beam_def case_def(const material_case *c, const int cells[3], int iterations) {
    return (sp_beam_def){.cells = {cells[0], cells[1], cells[2]},
                         .law = &c->model,
                         .element = c->element,
                         .op = c->op,
                         .set_conditions = c->set,
                         .iterations = iterations,
                         .backend = "cpu",
                         .workers = 1};
}

static sp_status time_case(const material_case *c, const int cells[3], int iterations, double budget_ms, double *ms,
                           material_result *out) {
    sp_beam_def def = case_def(c, cells, iterations);
    sp_beam beam;
    sp_times times;
    SP_TRY(sp__beam_open(&def, &beam));
    sp_status status = sp__beam_time(&beam, 3, 4, 400, budget_ms, &times);
    if (status >= 0) *ms = fmin(*ms, times.least);
    out->elements = sp_mesh_element_count(beam.mesh), out->nodes = sp_mesh_node_count(beam.mesh);
    sp__beam_close(&beam);
    return status;
}

// rounds alternate between cases, so that other load on the machine does not affect one of them alone
static sp_status time_cases(const int cells[3], const sp_bench_options *o, material_result *out) {
    for (int i = 0; i < CASES; i++) out[i] = (material_result){.ms = INFINITY, .longer_ms = INFINITY};
    for (int round = 0; round < (o->quick ? 1 : ROUNDS); round++)
        for (int i = 0; i < CASES; i++) {
            // ten-node tetrahedra on half of the cells have the same nodes
            const bool quadratic = cases[i].element == SP_ELEMENT_TET10;
            const int half[3] = {cells[0] / 2, cells[1] / 2, cells[2] / 2}, *n = quadratic ? half : cells;
            SP_TRY(time_case(&cases[i], n, ITERATIONS, o->quick ? 40 : 120, &out[i].ms, &out[i]));
            SP_TRY(time_case(&cases[i], n, 2 * ITERATIONS, o->quick ? 40 : 120, &out[i].longer_ms, &out[i]));
            out[i].blocks = quadratic ? NAN : count_blocks(cases[i].element, cells);
        }
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- limits

typedef struct material_work {
    double bytes, flops;  // of an iteration over the whole beam
} material_work;

static material_work work_of(const material_case *c, const material_result *r) {
    double n = sp_element_nodes(c->element), p = c->element == SP_ELEMENT_TET4 ? 1 : c->element == SP_ELEMENT_TET10 ? 4 : 8;
    bool tensor = c->model.model == SP_TENSOR_MASS && c->model.tensor_law == SP_TENSOR_STVK;
    bool by_hand = c->element == SP_ELEMENT_TET4 && (c->model.model == SP_COROTATIONAL || sp__law_is_linear(&c->model));
    double bytes = by_hand ? 88 : 8 * (21 + 3 * (n - 1)) * p + 2 * n, flops = by_hand ? 130 : p * (36 * (n - 1) + 123) + 12 * n;
    const bool more = c->set || c->model.model == SP_COSTA || c->model.model == SP_MASS_SPRING;
    if (more && c->op == SP_OPERATOR_FREE) return (material_work){NAN, NAN};
    if (tensor) bytes = 8 * (17 + 6) + 2 * n, flops = 204 + 12 * n;
    if (c->element == SP_ELEMENT_HEX8) bytes += 8 * 22, flops += 4 * 21;  // mean dilatation: a matrix of rank one
    if (c->op == SP_OPERATOR_ASSEMBLED)
        return (material_work){74 * r->blocks + 200.0 * r->nodes, 18 * (2 * r->blocks - r->nodes)};
    return (material_work){bytes * r->elements + 200.0 * r->nodes, flops * r->elements};
}

static double limit_ms(const material_work *w, const sp_machine *m) {
    double gb = w->bytes < m->l2_bytes ? m->l2_gb[0] : w->bytes < m->l3_bytes ? m->l3_gb[0] : m->stream_gb[0];
    double move = w->bytes / gb * 1e-6, count = w->flops / m->gflops[0] * 1e-6;
    return count > move ? count : move;
}

// ---------------------------------------------------------------------------------------------------- report

static double iteration_ms(const material_result *r) {
    return (r->longer_ms - r->ms) / ITERATIONS;
}

// Iterations after a linearisation from which on the assembled matrix is faster: what assembly costs over what an iteration saves
static double pays_after(const material_result *free, const material_result *assembled) {
    double saved = iteration_ms(free) - iteration_ms(assembled);
    double once = (assembled->ms - ITERATIONS * iteration_ms(assembled)) - (free->ms - ITERATIONS * iteration_ms(free));
    return saved > 0 ? once / saved : NAN;
}

static void report_case(sp_report *report, const material_case *c, const material_result *r, const material_result *reference,
                        const sp_machine *m) {
    sp_row *row = sp__report_case(report);
    const material_work work = work_of(c, r);
    double per = iteration_ms(r), of_reference = iteration_ms(reference);
    sp__row_text(row, "element", "element", element_name(c->element));
    sp__row_text(row, "law", "law", c->law);
    sp__row_text(row, "path", "path", c->op == SP_OPERATOR_FREE ? "free" : "assembled");
    sp__row_number(row, "elements", "elements", "%.0f", r->elements);
    sp__row_number(row, "nodes", "nodes", "%.0f", r->nodes);
    sp__row_number(row, "cg_iterations", NULL, "%.0f", ITERATIONS);
    sp__row_number(row, "ms", "step ms", "%.3f", r->ms);
    sp__row_number(row, "ns_per_element_iteration", "ns/el/it", "%.2f", per * 1e6 / r->elements);
    sp__row_number(row, "vs_corotational", "iteration x", "%.2f", per / r->nodes / (of_reference / reference->nodes));
    sp__row_number(row, "step_vs_corotational", "step x", "%.2f", r->ms / r->nodes / (reference->ms / reference->nodes));
    sp__row_number(row, "flops", "flops/el", "%.0f", work.flops / r->elements);
    sp__row_number(row, "bytes", "bytes/el", "%.0f", work.bytes / r->elements);
    sp__row_number(row, "limit_share", "limit", "%.2f", limit_ms(&work, m) / per);
    sp__row_number(row, "pays_after", "pays after", "%.0f", c->op == SP_OPERATOR_ASSEMBLED ? pays_after(r - 1, r) : NAN);
    sp__report_case_done(report);
}

// ---------------------------------------------------------------------------------------------------- beside Bullet

// BEAM-k with the neo-Hookean law (Bullet's form of it differs, so only times are compared), `auto`, one linearisation per step
static sp_status beside_bullet(sp_report *report, int k, const sp_bench_options *o) {
    static const sp_solid_law law = {.model = SP_NEO_HOOKEAN};
    const int steps = o->quick ? 5 : k > 4 ? 20 : 50;
    char line[1024], cells[16], count[16];
    double bullet = NAN, ms = NAN;
    snprintf(cells, sizeof cells, "%d", k), snprintf(count, sizeof count, "%d", steps);
    const char *args[] = {cells, "--steps", count, "--repeats", "2", "--law", "neo-hookean", NULL};
    sp_status status = sp__peer_run("bullet_beam", args, line, sizeof line);
    if (status < 0 && status != SP_UNAVAILABLE) return status;
    if (status >= 0) sp__peer_numbers(line, "cpu_ms_per_step", &bullet, 1);
    for (int repeat = 0; repeat < 2; repeat++) {
        sp_solver_def solver = sp_solver_def_default();
        sp_beam_def def = {.cells = {4 * k, k, k}, .law = &law, .solver = &solver, .backend = "cpu", .workers = 1};
        sp_beam beam;
        sp_times times;
        SP_TRY(sp__beam_open(&def, &beam));
        status = sp__beam_time(&beam, 1, steps - 1, steps - 1, 0, &times);
        sp__beam_close(&beam);
        SP_TRY(status);
        ms = fmin(isnan(ms) ? INFINITY : ms, times.mean);
    }
    sp_row *row = sp__report_case(report);
    sp__row_number(row, "k", "BEAM-", "%.0f", k);
    sp__row_text(row, "law", "law", "neo-hookean");
    sp__row_number(row, "steps", "steps", "%.0f", steps);
    sp__row_number(row, "ms", "ms", "%.3f", ms);
    sp__row_number(row, "bullet_ms", "bullet", "%.3f", bullet);
    sp__row_number(row, "vs_bullet", "times", "%.2f", bullet / ms);
    sp__report_case_done(report);
    return SP_OK;
}

sp_status sp__bench_materials(const sp_bench_options *o, sp_report *r) {
    static const int full[3] = {32, 8, 8}, quick[3] = {16, 4, 4};
    const int *cells = o->quick ? quick : full;
    material_result result[CASES];
    sp_machine machine = {0};
    SP_TRY(sp__machine_measure(&machine, o->threads, o->quick));
    sp__row_number(&r->head, "threads", NULL, "%.0f", machine.threads);
    sp__row_text(&r->head, "cpu", NULL, machine.cpu);
    sp__report_note(r, "%s, %s, cpu backend: %s; one thread", machine.cpu, machine.compiler, sp_backend_detail("cpu"));
    SP_TRY(time_cases(cells, o, result));
    for (int i = 0; i < CASES; i++)
        report_case(r, &cases[i], &result[i], &result[cases[i].op == SP_OPERATOR_FREE ? 0 : 1], &machine);
    sp__report_array(r, "bullet");
    SP_TRY(beside_bullet(r, 4, o));
    SP_TRY(beside_bullet(r, 8, o));
    return sp__bench_materials_error(o, r);
}
