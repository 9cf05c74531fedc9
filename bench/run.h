// A body stepped and watched: what each step took and what its solver did.
#ifndef SP_BENCH_RUN_H
#define SP_BENCH_RUN_H

#include "bench.h"

enum { SP_RUN_STEPS = 400 };

typedef struct sp_run {
    int steps;
    double number[SP_RUN_STEPS];  // 1, 2, ... for plots
    double iterations[SP_RUN_STEPS], ms[SP_RUN_STEPS];
    double iterations_mean, iterations_max;
    double residual;  // worst of all steps
    int refreshes;    // preconditioners or factors made or taken over
    double age;       // mean age in steps of the one in use
    double columns;   // mean share of block columns made anew in a step, as if a step made them once
    double elements;  // mean number of elements refreshed in a step
    double waiting;   // and put off
    double first_ms;  // the first step also analyses and takes memory: it is not among the times
    sp_times times;
    char solver[64];
} sp_run;

// steps: 2..SP_RUN_STEPS. after (nullable) is called with the number of each step done, from 1.
sp_status sp__beam_run(sp_beam *beam, int steps, sp_status (*after)(void *user, sp_beam *beam, int step), void *user,
                       sp_run *out);

#endif
