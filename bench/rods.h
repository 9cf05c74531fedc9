// Shared code of bench rods: diagrams of time over error, and rods created with the public API.
#ifndef SP_BENCH_RODS_H
#define SP_BENCH_RODS_H

#include "bench.h"

enum { SP_DIAGRAM_POINTS = 64, SP_ROD_SAMPLES = 100 };

// ---- time over error

// Time of one method by error; in any order.
typedef struct sp_diagram {
    const char *name;
    double error[SP_DIAGRAM_POINTS], time[SP_DIAGRAM_POINTS];
    int count;
} sp_diagram;

void sp__diagram_add(sp_diagram *d, double error, double time);
// The minimum time of any point with this error or less; NaN: none.
double sp__diagram_time(const sp_diagram *d, double error);
// The same, interpolated (in logarithms) between the points of the Pareto front: for crossings. NaN outside its range.
double sp__diagram_line(const sp_diagram *d, double error);
// The largest error in the range of both below which `a` is faster; NaN: never, or no common range. *bound: `a` is faster at the
// largest common error already, so that the crossing may be higher.
double sp__diagram_crossing(const sp_diagram *a, const sp_diagram *b, bool *bound);

// ---- rods

typedef struct sp_bench_rod_def {
    sp_rod_model model;
    bool edge_clamp;
    int elements, strands, workers;
    double length, radius, density, young, poisson, gravity;
    double damping;  // stiffness-proportional Rayleigh damping [s]
    bool statics;
    bool newton;                             // iterates to a residual of 1e-6; otherwise the default
    const double *curvature;                 // natural curvature of each strand: (elements + 1) x 3; NULL: straight
    void (*root)(int strand, sp_pose *out);  // NULL: identity
} sp_bench_rod_def;

typedef struct sp_bench_rod {
    sp_context *context;
    sp_world *world;
    sp_body_id body;
    int elements;
} sp_bench_rod;

sp_status sp__bench_rod_open(const sp_bench_rod_def *def, sp_bench_rod *rod);  // prints errors to stderr
void sp__bench_rod_close(sp_bench_rod *rod);
sp_status sp__bench_rod_step(sp_bench_rod *rod, double h);
// The position at fraction u of the length of the first strand.
sp_status sp__bench_rod_place(sp_bench_rod *rod, double u, double x[3]);
int sp__bench_rod_dofs(sp_rod_model model, int elements);  // counted as in the publications: including the root

// ---- parts of the bench

typedef struct sp_rods_geometry {
    sp_diagram series, scheme[4], adams, erk;
    double machine_error;                       // smallest error of the series
    double machine_us;                          // minimum time of the series for an error of 2.2e-16
    double adams_error, adams_us, adams_ratio;  // at the smallest error of Adams
    double spiral_us, gsl_us;
} sp_rods_geometry;

sp_status sp__rods_geometry(const sp_bench_options *o, sp_report *r, sp_rods_geometry *out);

enum { SP_ROD_VARIANTS = 5 };  // clothoid, helix, der, der-edge, beam

typedef struct sp_rods_models {
    sp_diagram diagram[SP_ROD_VARIANTS];  // ms per step over static error
    sp_diagram dofs[SP_ROD_VARIANTS];     // degrees of freedom over static error
    double order[SP_ROD_VARIANTS], exponent[SP_ROD_VARIANTS];
    double ten_ms;  // time per step of ten clothoids
} sp_rods_models;

extern const char *const sp__rod_variant[SP_ROD_VARIANTS];
sp_status sp__rods_models(const sp_bench_options *o, sp_report *r, sp_rods_models *out);
sp_status sp__rods_many(const sp_bench_options *o, sp_report *r);  // ROD-N and hair

#endif
