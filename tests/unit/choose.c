// The choice of type="auto": each rule of sp__solver_choose, on both sides of its threshold.
#include <string.h>

#include "linear/solver.h"
#include "test.h"

// a body that needs a preconditioner at steps of 10 ms
static const sp_problem_stats stiff = {.nodes = 1000, .elements = 4000, .contrast = 1, .stiffness_number = 1e6};

static sp_solver_def automatic(void) {
    sp_solver_def def = sp_solver_def_default();
    def.type = SP_SOLVER_AUTO;
    return def;
}

static sp_solver_def chosen(const sp_solver_def *def, const sp_problem_stats *stats, const char *word) {
    char why[240];
    sp_solver_def out = sp__solver_choose(def, stats, why, sizeof why);
    CHECK(word ? strstr(why, word) != NULL : why[0] == 0);
    return out;
}

TEST(an_explicit_choice_is_kept) {
    sp_solver_def def = sp_solver_def_default();
    def.type = SP_SOLVER_CHOLESKY;
    CHECK(chosen(&def, &stiff, NULL).type == SP_SOLVER_CHOLESKY);
}

TEST(size_and_contrast) {
    sp_solver_def def = automatic(), out = chosen(&def, &stiff, "small enough");
    CHECK(out.type == SP_SOLVER_PCG && out.pcg.preconditioner == SP_COMPLETE_CHOLESKY);
    sp_problem_stats stats = stiff;
    stats.elements = 10001;
    out = chosen(&def, &stats, "10001 elements");
    CHECK(out.type == SP_SOLVER_PCG && out.pcg.preconditioner == SP_MULTIGRID);
    stats.contrast = 101;
    CHECK(chosen(&def, &stats, "cholesky").pcg.preconditioner == SP_COMPLETE_CHOLESKY);
}

TEST(membranes_are_factored_in_every_step) {
    sp_solver_def def = automatic();
    sp_problem_stats stats = stiff;
    stats.surface = true, stats.elements = 20000;
    CHECK(chosen(&def, &stats, "cholesky: the factor of 20000 triangles").type == SP_SOLVER_CHOLESKY);
    stats.stiffness_number = 2.9e4;
    CHECK(chosen(&def, &stats, "cg: stress waves").type == SP_SOLVER_CG);
}

TEST(soft_bodies_and_short_steps_need_no_preconditioner) {
    sp_solver_def def = automatic();
    sp_problem_stats stats = stiff;
    stats.stiffness_number = 2.9e4;  // h2 times it = 2.9, the threshold is at 3
    CHECK(chosen(&def, &stats, "cg: stress waves").type == SP_SOLVER_CG);
    stats.stiffness_number = 3.1e4;
    CHECK(chosen(&def, &stats, "pcg").type == SP_SOLVER_PCG);
    stats.stiffness_number = 2.9e4, stats.statics = true;
    CHECK(chosen(&def, &stats, "pcg").type == SP_SOLVER_PCG);
    def.cg.op = SP_OPERATOR_FREE;
    CHECK(chosen(&def, &stiff, "assembled").type == SP_SOLVER_CG);
    def = automatic(), def.tolerance = 0;
    CHECK(chosen(&def, &stiff, "exactly").type == SP_SOLVER_CG);
}

// 4,000 elements take 1.5 ms to factor: in time for steps of 10 ms, long out of date with 0.1 ms each
TEST(a_factor_must_not_arrive_too_late) {
    sp_solver_def def = automatic();
    def.automatic.aim_ms = 0.1;
    CHECK(chosen(&def, &stiff, "steps of 0.1 ms old").pcg.preconditioner == SP_MULTIGRID);
    sp_problem_stats stats = stiff;
    stats.statics = true;  // in statics nothing moves meanwhile, so it does not matter
    CHECK(chosen(&def, &stats, "small enough").pcg.preconditioner == SP_COMPLETE_CHOLESKY);
}

TEST(too_expensive_for_the_available_time) {
    sp_solver_def def = automatic();
    sp_problem_stats stats = stiff;
    stats.elements = 100000;
    chosen(&def, &stats, "more than the 10 ms available");
    char why[240];
    def.automatic.aim_ms = 1000;
    sp__solver_choose(&def, &stats, why, sizeof why);
    CHECK(strstr(why, "expect") == NULL);
    sp_solver_def out = sp__solver_choose(&def, &stats, NULL, 0);  // the reason is not requested
    CHECK(out.pcg.preconditioner == SP_MULTIGRID);
}
