// Steps a body and records times and solver statistics.
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "run.h"

static void add_step(sp_beam_steps *run, const sp_solve_info *s, int nodes, int step, double ms) {
    run->number[step] = step + 1;
    run->iterations[step] = s->linear_iterations;
    run->ms[step] = ms;
    run->iterations_mean += s->linear_iterations;
    run->iterations_max = fmax(run->iterations_max, s->linear_iterations);
    run->residual = fmax(run->residual, s->residual);
    run->refreshes += s->refreshes;
    run->age += s->factor_age;
    run->columns += (double)s->columns / nodes;
    run->elements += s->elements_refreshed;
    run->waiting += s->elements_waiting;
    snprintf(run->solver, sizeof run->solver, "%s", s->solver);
}

sp_status sp__beam_run(sp_beam *beam, int steps, sp_status (*after)(void *user, sp_beam *beam, int step), void *user,
                       sp_beam_steps *out) {
    double sorted[SP_RUN_STEPS];
    steps = steps < 2 ? 2 : steps > SP_RUN_STEPS ? SP_RUN_STEPS : steps;
    *out = (sp_beam_steps){.steps = steps};
    for (int i = 0; i < steps; i++) {
        sp_body_info info;
        double ms;
        SP_TRY(sp__beam_step(beam, &ms));
        SP_TRY(sp_world_body_info(beam->world, beam->body, &info));
        add_step(out, &info.solve, info.nodes, i, ms);
        if (after) SP_TRY(after(user, beam, i + 1));
    }
    out->iterations_mean /= steps;
    out->age /= steps;
    out->columns /= steps;
    out->elements /= steps;
    out->waiting /= steps;
    out->first_ms = out->ms[0];
    memcpy(sorted, out->ms + 1, sizeof *sorted * (size_t)(steps - 1));
    out->times = sp__times_of(sorted, steps - 1);
    return SP_OK;
}
