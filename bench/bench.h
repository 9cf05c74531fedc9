// `souple bench`: named measurements, each with its references and peers in the same run. A bench fills a report: a table printed
// row by row during the run, or one JSON object at the end. Speeds are minimum times of repeats after a warm-up.
#ifndef SP_BENCH_H
#define SP_BENCH_H

#include <stdio.h>

#include "souple/souple.h"

enum { SP_BENCH_PROBLEMS = 64 };

typedef struct sp_bench_options {
    bool json, quick;
    int threads;                             // of the "all threads" columns, at least 1
    const char *dump;                        // folder for the meshes and the report; NULL: none
    const char *problem[SP_BENCH_PROBLEMS];  // files of --problem
    int problems;
    const char *out;  // folder for solved problems; NULL: none
} sp_bench_options;

typedef struct sp_report sp_report;

typedef struct sp_bench {
    const char *name, *what;
    sp_status (*run)(const sp_bench_options *o, sp_report *r);
} sp_bench;

sp_status sp__bench_step(const sp_bench_options *o, sp_report *r);
sp_status sp__bench_rotation(const sp_bench_options *o, sp_report *r);
sp_status sp__bench_beam(const sp_bench_options *o, sp_report *r);
sp_status sp__bench_cholesky(const sp_bench_options *o, sp_report *r);
sp_status sp__bench_factor(const sp_bench_options *o, sp_report *r);
sp_status sp__bench_preconditioners(const sp_bench_options *o, sp_report *r);
sp_status sp__bench_updated(const sp_bench_options *o, sp_report *r);
sp_status sp__bench_rods(const sp_bench_options *o, sp_report *r);
sp_status sp__bench_contact(const sp_bench_options *o, sp_report *r);
sp_status sp__bench_friction(const sp_bench_options *o, sp_report *r);
sp_status sp__bench_volume(const sp_bench_options *o, sp_report *r);
sp_status sp__bench_materials(const sp_bench_options *o, sp_report *r);
sp_status sp__bench_batch(const sp_bench_options *o, sp_report *r);
sp_status sp__bench_page(const sp_bench_options *o, sp_report *r);

// ---------------------------------------------------------------------------------------------------- reports

enum { SP_ROW_CELLS = 40, SP_REPORT_CASES = 320, SP_REPORT_ARRAYS = 8, SP_REPORT_OBJECTS = 6, SP_CELL_NUMBERS = 12 };

// A named value: text, or up to twelve numbers (NaN: null). `list`: written as an array even with one number; `names`: as an
// object.
typedef struct sp_cell {
    const char *key;     // name of the JSON field
    const char *title;   // column title in the table; NULL: only in JSON
    const char *format;  // number format in the table
    char text[160];
    double number[SP_CELL_NUMBERS];
    int count;  // number of numbers; 0: text
    bool list;
    const char *const *names;  // of the numbers; borrowed until the report is written
    bool flag;                 // boolean: number[0] is 1 or 0
} sp_cell;

typedef struct sp_row {
    sp_cell cells[SP_ROW_CELLS];
    int count;
} sp_row;

// Cases are stored in arrays of the JSON object, in sequence: "cases" first, then those started by sp__report_array.
struct sp_report {
    const char *bench;
    bool json;
    sp_row head, tail;  // fields before and after the cases
    sp_row *cases;
    int case_count;
    const char *array_name[SP_REPORT_ARRAYS];    // [0] NULL: "cases"
    int array_first[SP_REPORT_ARRAYS];           // its first case
    int more_arrays;                             // besides the first
    const char *object_name[SP_REPORT_OBJECTS];  // objects of named values, after the arrays
    sp_row object[SP_REPORT_OBJECTS];
    int objects;
};

void sp__row_number(sp_row *row, const char *key, const char *title, const char *format, double value);
void sp__row_list(sp_row *row, const char *key, const char *title, const char *format, const double *values, int count);
// An object of named numbers; only in JSON. The names must live until the report is written.
void sp__row_map(sp_row *row, const char *key, const char *const *names, const double *values, int count);
void sp__row_text(sp_row *row, const char *key, const char *title, const char *text);
void sp__row_flag(sp_row *row, const char *key, const char *title, bool value);
// The next empty case; valid until the report ends. sp__report_case_done prints it in the table.
sp_row *sp__report_case(sp_report *r);
void sp__report_case_done(const sp_report *r);
// Later cases go to an array of this name; before the first case it names the first array.
void sp__report_array(sp_report *r, const char *name);
// The next empty object of this name, after the arrays; sp__report_object_done prints it below the table.
sp_row *sp__report_object(sp_report *r, const char *name);
void sp__report_object_done(const sp_report *r);
// A sentence in the printed text, not part of the JSON.
void sp__report_note(const sp_report *r, const char *format, ...) SP_PRINTF(2, 3);
void sp__report_json(const sp_report *r, FILE *file);
void sp__report_markdown(const sp_report *r, FILE *file);  // the columns of the table, one table per array
// Points of a plot: two values of the cases of an array with this "threads", and with this "name" if it is not NULL.
typedef struct sp_points {
    double x[SP_REPORT_CASES], y[SP_REPORT_CASES];
    int count;
} sp_points;
void sp__report_points(const sp_report *r, int array, double threads, const char *name, const char *x, const char *y,
                       sp_points *out);

// ---------------------------------------------------------------------------------------------------- the machine

// Measured capability of this machine: bytes and flops per second on one thread and on `threads`.
typedef struct sp_machine {
    char cpu[96], compiler[64];
    int threads;
    double l2_bytes, l3_bytes;  // L2 of one core; L3 shared
    // STREAM triad a = b + s c counted as 24 bytes per element, [0] one thread, [1] all threads: arrays far larger than L3, in
    // half of L3, in half of the L2 of each core
    double stream_gb[2], l3_gb[2], l2_gb[2];
    double gflops[2];  // fused multiply-adds on vectors of four, counted as two flops
} sp_machine;

void sp__machine_describe(sp_machine *m);
// Writes machine and build into the head of a report; creates the folder of --dump.
sp_status sp__bench_open(const sp_bench_options *o, sp_report *r);
sp_status sp__machine_measure(sp_machine *m, int threads, bool quick);
// Bandwidth of the triad over three arrays of `bytes` in total on each thread; each pass is long enough for the clock. NaN: no
// memory or no threads.
double sp__stream_gb(int threads, double bytes, int repeats);

// ---------------------------------------------------------------------------------------------------- bodies and time

// A clamped beam under gravity with its own context, like BEAM-k: 0.1 m wide and high, E = 3e5 Pa, nu = 0.4, 1000 kg/m3.
typedef struct sp_beam_def {
    int cells[3];
    sp_material_model model;
    sp_rotation rotation;
    sp_operator_type op;
    double tolerance;  // 0: exactly `iterations`
    int iterations;
    const char *backend;
    int workers;
    // optional
    const sp_solver_def *solver;  // instead of conjugate gradients with op, tolerance and iterations
    const sp_solid_law *law;      // instead of model and rotation
    sp_element_type element;      // default four-node tetrahedra
    const sp_material *material;
    const double *element_young;
    double edge;               // edge of a cell [m]; 0: 0.1 m divided by the cells across
    double gravity;            // [m/s2] downward; 0: 9.81, NaN: none
    double h;                  // step [s]; 0: 0.01
    int torus[2];              // cells around and across: a torus of radius 0.3 m, tube 0.1 m instead of the beam
    double clamp;              // nodes with x up to this value are fixed [m]; NaN: none
    bool deterministic, wall;  // of the world; wall: wall-clock times even on one thread
    // last change before the solid is created: loads, motions, springs. Its data must live until the world is open; data of
    // signals must live as long as the world
    void (*set_conditions)(void *user, const sp_mesh *mesh, sp_solid_def *solid);
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

sp_status sp__beam_open(const sp_beam_def *def, sp_beam *beam);  // prints errors to stderr
void sp__beam_close(sp_beam *beam);
// One step and its time: processor time if one thread does all the work, which other load on the machine disturbs least;
// wall-clock time otherwise.
sp_status sp__beam_step(sp_beam *beam, double *ms);
sp_status sp__beam_tip(sp_beam *beam, double *y);                  // displacement of node (nx, ny/2, nz/2)
sp_status sp__beam_dump(const sp_beam *beam, const char *folder);  // writes the mesh as Gmsh 2.2 text

// Statistics of repeated times [ms].
typedef struct sp_times {
    double least, median, mean, p99, most;  // p99: 99th percentile
    int count;
} sp_times;

sp_times sp__times_of(double *ms, int count);  // sorts
// Steps until `budget_ms` is used, from `at_least` to `at_most` steps, after `warm_up` steps.
sp_status sp__beam_time(sp_beam *beam, int warm_up, int at_least, int at_most, double budget_ms, sp_times *out);

double sp__bench_clock(bool wall);  // wall clock, or processor time of all threads of this process

double sp__slope(const double *x, const double *y, int n);  // of the least-squares line

// ---------------------------------------------------------------------------------------------------- peers

// Path of the command `souple`: the one that started this program, or the one in the same folder. False: none.
bool sp__bench_command(char *path, size_t size);
// Runs peers/NAME with these arguments (NULL ends them) and stores the first line of its output. SP_UNAVAILABLE: not built.
sp_status sp__peer_run(const char *name, const char *const *args, char *line, size_t size);
// Reads the numbers of field `key` from a line of JSON; returns their count (a single number counts as one).
int sp__peer_numbers(const char *line, const char *key, double *out, int capacity);

#endif
