// Shared code of `bench preconditioners`: the bar of Courtecuisse 2011, chapter 3, as calibrated here: cells of 1 m, six
// tetrahedra each, 1 kg/m3, nu = 0.3, steps of 0.04 s, tolerance 1e-7; E = 6.5e4 Pa gives about his 300 iterations of plain CG.
#ifndef SP_BENCH_PRECONDITIONERS_H
#define SP_BENCH_PRECONDITIONERS_H

#include "run.h"

extern const sp_material sp__bar_material;

// 3000 tetrahedra for 20 x 5 x 5 cells; on all threads of the bench, wall-clock times.
sp_beam_def sp__bar_def(const int cells[3], const sp_solver_def *solver, int workers);
sp_solver_def sp__bar_solver(sp_solver_type type, sp_preconditioner which, sp_refresh_policy refresh, bool warp);
sp_status sp__bar_run(const sp_beam_def *def, int steps, sp_beam_steps *out);
const char *sp__preconditioner_name(sp_preconditioner which);

sp_status sp__bench_heterogeneous(const sp_bench_options *o, sp_report *r);
sp_status sp__bench_loads(const sp_bench_options *o, sp_report *r);
sp_status sp__bench_inverse(const sp_bench_options *o, sp_report *r);

#endif
