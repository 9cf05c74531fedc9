// A stepped body with times and solver statistics of each step.
#ifndef SP_BENCH_RUN_H
#define SP_BENCH_RUN_H

#include "bench.h"

enum { SP_RUN_STEPS = 400 };

typedef struct sp_beam_steps {
    int steps;
    double number[SP_RUN_STEPS];  // 1, 2, ... for plots
    double iterations[SP_RUN_STEPS], ms[SP_RUN_STEPS];
    double iterations_mean, iterations_max;
    double residual;  // maximum over all steps
    int refreshes;    // preconditioners or factors computed or swapped in
    double age;       // mean age in steps of the preconditioner in use
    double columns;   // mean share of block columns refactored per step, as if once per step
    double elements;  // mean number of elements refreshed per step
    double waiting;   // mean number of elements postponed per step
    double first_ms;  // the first step includes analysis and allocation: it is not among the times
    sp_times times;
    char solver[64];
} sp_beam_steps;

// steps: 2..SP_RUN_STEPS. after (nullable) is called after each step with its number, from 1.
sp_status sp__beam_run(sp_beam *beam, int steps, sp_status (*after)(void *user, sp_beam *beam, int step), void *user,
                       sp_beam_steps *out);

#endif
