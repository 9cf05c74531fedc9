// `souple bench`: named measurements, each beside its references and peers in the same run. A bench fills a report; the report is
// a table that grows while it runs, or one JSON object at the end. Speeds are least times of repeats after a warm-up.
#ifndef SP_BENCH_H
#define SP_BENCH_H

#include <stdio.h>

#include "souple/souple.h"

typedef struct sp_bench_options {
    bool json, quick;
    int threads;       // of the "all threads" columns; at least 1
    const char *dump;  // folder for the meshes and the report; NULL: none
} sp_bench_options;

typedef struct sp_report sp_report;

typedef struct sp_bench {
    const char *name, *what;
    sp_status (*run)(const sp_bench_options *o, sp_report *r);
} sp_bench;

// `souple bench [NAME] ...` with argv[0] = "bench". Returns the exit code: 0, 1 a bench failed, 2 wrong usage.
int sp_bench_main(int argc, char **argv);
int sp_bench_count(void);
const sp_bench *sp_bench_at(int index);

sp_status sp__bench_step(const sp_bench_options *o, sp_report *r);
sp_status sp__bench_rotation(const sp_bench_options *o, sp_report *r);
sp_status sp__bench_beam(const sp_bench_options *o, sp_report *r);
sp_status sp__bench_cholesky(const sp_bench_options *o, sp_report *r);
sp_status sp__bench_factor(const sp_bench_options *o, sp_report *r);
sp_status sp__bench_preconditioners(const sp_bench_options *o, sp_report *r);
sp_status sp__bench_updated(const sp_bench_options *o, sp_report *r);
sp_status sp__bench_rods(const sp_bench_options *o, sp_report *r);
sp_status sp__bench_page(const sp_bench_options *o, sp_report *r);

// ---------------------------------------------------------------------------------------------------- reports

enum { SP_ROW_CELLS = 40, SP_REPORT_CASES = 160, SP_REPORT_ARRAYS = 8, SP_REPORT_OBJECTS = 6, SP_CELL_NUMBERS = 4 };

// A named value: text, or up to four numbers (NaN: null). `list`: an array even if it holds one number.
typedef struct sp_cell {
    const char *key;     // of the JSON field
    const char *title;   // of the table's column; NULL: only in JSON
    const char *format;  // of a number in the table
    char text[160];
    double number[SP_CELL_NUMBERS];
    int count;  // of numbers; 0: text
    bool list;
    bool flag;  // true or false: number[0] is 1 or 0
} sp_cell;

typedef struct sp_row {
    sp_cell cells[SP_ROW_CELLS];
    int count;
} sp_row;

// Cases stand in arrays of the JSON object, one after the other: "cases" first, then those that sp__report_array begins.
struct sp_report {
    const char *bench;
    bool json;
    sp_row head, tail;  // fields before and after the cases
    sp_row *cases;
    int case_count;
    const char *array_name[SP_REPORT_ARRAYS];    // [0] NULL: "cases"
    int array_first[SP_REPORT_ARRAYS];           // its first case
    int more_arrays;                             // beside the first
    const char *object_name[SP_REPORT_OBJECTS];  // objects of named values, after the arrays
    sp_row object[SP_REPORT_OBJECTS];
    int objects;
};

void sp__row_number(sp_row *row, const char *key, const char *title, const char *format, double value);
void sp__row_list(sp_row *row, const char *key, const char *title, const char *format, const double *values, int count);
void sp__row_text(sp_row *row, const char *key, const char *title, const char *text);
void sp__row_flag(sp_row *row, const char *key, const char *title, bool value);
// The next empty case; valid until the report ends. sp__report_case_done shows it in the table.
sp_row *sp__report_case(sp_report *r);
void sp__report_case_done(const sp_report *r);
// The cases that follow stand in an array of this name; before any case it is the name of the first array.
void sp__report_array(sp_report *r, const char *name);
// The next empty object of this name, behind the arrays; sp__report_object_done shows it below the table.
sp_row *sp__report_object(sp_report *r, const char *name);
void sp__report_object_done(const sp_report *r);
// A sentence of the table's text, not part of the JSON.
void sp__report_note(const sp_report *r, const char *format, ...) SP_PRINTF(2, 3);
void sp__report_json(const sp_report *r, FILE *file);
void sp__report_markdown(const sp_report *r, FILE *file);  // the table's columns, an array each
// Two numbers of those cases of an array whose "threads" is this, and whose "name" is this where it is not NULL: points of a
// plot.
typedef struct sp_points {
    double x[SP_REPORT_CASES], y[SP_REPORT_CASES];
    int count;
} sp_points;
void sp__report_points(const sp_report *r, int array, double threads, const char *name, const char *x, const char *y,
                       sp_points *out);

// ---------------------------------------------------------------------------------------------------- the machine

// What this machine can do, measured: bytes and flops per second on one thread and on `threads`.
typedef struct sp_machine {
    char cpu[96], compiler[64];
    int threads;
    double l2_bytes, l3_bytes;  // L2 of one core; L3 shared
    // the triad a = b + s c counted as 24 bytes an element, [0] one thread, [1] all: arrays far beyond L3, in half the L3, in
    // half the L2 of each core
    double stream_gb[2], l3_gb[2], l2_gb[2];
    double gflops[2];  // fused multiply-adds on vectors of four, counted as two
} sp_machine;

void sp__machine_describe(sp_machine *m);
// Who and what is measured, into the head of a report; makes the folder of --dump.
sp_status sp__bench_open(const sp_bench_options *o, sp_report *r);
sp_status sp__machine_measure(sp_machine *m, int threads, bool quick);

// ---------------------------------------------------------------------------------------------------- bodies and time

// A clamped beam under gravity with its own context, as BEAM-k: 0.1 m wide and high, E = 3e5 Pa, nu = 0.4, 1000 kg/m3.
typedef struct sp_beam_def {
    int cells[3];
    sp_material_model model;
    sp_rotation rotation;
    sp_operator_type op;
    double tolerance;  // 0: exactly `iterations`
    int iterations;
    const char *backend;
    int workers;
    // what may be left out
    const sp_solver_def *solver;  // instead of conjugate gradients by op, tolerance and iterations
    const sp_material *material;
    const double *element_young;
    double edge;               // of a cell [m]; 0: 0.1 m over the cells across
    double gravity;            // [m/s2] downwards; 0: 9.81, NaN: none
    double h;                  // step [s]; 0: 0.01
    int torus[2];              // cells around and across: a ring of radius 0.3 m, tube 0.1 m instead of the beam
    double clamp;              // nodes with x up to here are held [m]; NaN: none
    bool deterministic, wall;  // of the world; wall: times by the wall clock even on one thread
    // last touch before the solid is made: loads, moves, pulls. What it points to must last until the opening is done, and what
    // signals point to as long as the world
    void (*dress)(void *user, const sp_mesh *mesh, sp_solid_def *solid);
    void *user;
} sp_beam_def;

typedef struct sp_beam {
    sp_context *context;
    sp_mesh *mesh;
    sp_world *world;
    sp_body_id body;
    sp_anchor tip;
    double tip_start, h;
    int workers;
    bool wall;
} sp_beam;

sp_status sp__beam_open(const sp_beam_def *def, sp_beam *beam);  // says what went wrong on stderr
void sp__beam_close(sp_beam *beam);
// One step and its time: of the processor where one thread does it all, which a busy machine disturbs least; of the
// wall clock otherwise.
sp_status sp__beam_step(sp_beam *beam, double *ms);
sp_status sp__beam_tip(sp_beam *beam, double *y);                  // displacement of node (nx, ny/2, nz/2)
sp_status sp__beam_dump(const sp_beam *beam, const char *folder);  // its mesh as Gmsh 2.2 text

// Times in ms of what was repeated.
typedef struct sp_times {
    double least, median, mean, p99, most;  // p99: the least that 99 of 100 do not pass
    int count;
} sp_times;

sp_times sp__times_of(double *ms, int count);  // sorts
// Steps until `budget_ms` are spent, between `at_least` and `at_most` of them, after `warm_up` steps.
sp_status sp__beam_time(sp_beam *beam, int warm_up, int at_least, int at_most, double budget_ms, sp_times *out);

double sp__bench_clock(bool wall);  // of the wall, or of the processor for all threads of this process

double sp__slope(const double *x, const double *y, int n);  // of the least-squares line

// ---------------------------------------------------------------------------------------------------- peers

// Run peers/NAME beside the command with these arguments (NULL ends them) and keep the first line it prints. SP_UNAVAILABLE: not
// built.
sp_status sp__peer_run(const char *name, const char *const *args, char *line, size_t size);
// The numbers of field `key` of a line of JSON; returns how many were found (a single number counts as one).
int sp__peer_numbers(const char *line, const char *key, double *out, int capacity);

#endif
