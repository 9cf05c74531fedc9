// Integrator and solver of a body: from the scene to the definitions of the engine.
#include "io/run/build.h"

void sp__build_integrator(const sp_scene_node *body, sp_integrator_def *out) {
    static const char *const types[] = {"implicit-euler", "newton", "explicit", "static"};
    const sp_scene_node *node = sp__next_child(body, "integrator", NULL);
    if (!node) return;
    for (int i = 0; i < 4; i++)
        if (sp__build_is(node, "type", types[i])) out->type = (sp_integrator_type)i;
    out->iterations = (int)sp__build_number(node, "iterations", out->iterations);
    out->tolerance = sp__build_number(node, "tolerance", out->tolerance);
    out->line_search = !sp__build_is(node, "line-search", "no");
    out->load_steps = (int)sp__build_number(node, "load-steps", out->load_steps);
    out->substeps = (int)sp__build_number(node, "substeps", SP_SUBSTEPS_AUTO);
}

static int choice_of(const sp_scene_node *node, const char *attr, const char *const *words, int count) {
    for (int i = 0; i < count; i++)
        if (sp__build_is(node, attr, words[i])) return i;
    return 0;
}

static void build_refresh(const sp_scene_node *node, sp_solver_def *out) {
    static const char *const policies[] = {"auto", "async", "step", "never"};
    double every = sp__build_number(node, "refresh", 0);
    out->pcg.refresh = (sp_refresh_policy)choice_of(node, "refresh", policies, 4);
    if (every >= 1) out->pcg.refresh = SP_REFRESH_EVERY, out->pcg.refresh_every = (int)every;
    out->pcg.warp = !sp__build_is(node, "warp", "no");
    out->pcg.lag = (int)sp__build_number(node, "lag", out->pcg.lag);
}

static void build_factor(const sp_scene_node *node, sp_solver_def *out) {
    static const char *const orderings[] = {"auto", "natural", "amd", "metis", "geometric"};
    static const char *const factors[] = {"llt", "ldlt"};
    out->cholesky.ordering = (sp_ordering)choice_of(node, "ordering", orderings, 5);
    out->cholesky.factor = (sp_factor_kind)choice_of(node, "factor", factors, 2);
    out->updated.threshold = sp__build_number(node, "threshold", out->updated.threshold);
    out->updated.budget_ms = sp__build_number(node, "budget", out->updated.budget_ms);
    out->pcg.drop = sp__build_number(node, "drop", out->pcg.drop);
    out->pcg.omega = sp__build_number(node, "omega", out->pcg.omega);
}

void sp__build_solver(const sp_scene_node *body, sp_solver_def *out) {
    static const char *const types[] = {"auto", "cg", "pcg", "cholesky", "updated-cholesky", "dense", "block-tridiagonal"};
    static const char *const preconditioners[] = {"block-jacobi", "jacobi",         "ssor",     "ic",
                                                  "cholesky",     "inverse-factor", "multigrid"};
    static const char *const operators[] = {"auto", "matrix-free", "assembled"};
    const sp_scene_node *root = body, *node = sp__next_child(body, "solver", NULL);
    while (root->parent) root = root->parent;
    if (sp__build_is(root, "precision", "mixed")) out->cholesky.precision = SP_FACTOR_FLOAT;
    out->automatic.step = sp__build_number(root, "dt", out->automatic.step);
    out->automatic.aim_ms = sp__build_number(root, "budget", out->automatic.aim_ms);
    if (!node) return;
    out->type = (sp_solver_type)choice_of(node, "type", types, 7);
    out->pcg.preconditioner = (sp_preconditioner)choice_of(node, "preconditioner", preconditioners, 7);
    out->cg.op = (sp_operator_type)choice_of(node, "operator", operators, 3);
    out->tolerance = sp__build_number(node, "tolerance", out->tolerance);
    out->iterations = (int)sp__build_number(node, "iterations", out->iterations);
    build_refresh(node, out);
    build_factor(node, out);
}

// reports the value of substeps="auto" for a body that subdivides its steps
static void say_substeps(sp_run *run, const sp_run_body *body) {
    const sp_scene_node *node = sp__next_child(body->node, "integrator", NULL);
    bool implicit = !node || sp__build_is(node, "type", "implicit-euler");
    if (strcmp(body->node->spec->name, "rod") != 0 || !implicit) return;
    if (node && (sp__build_number(node, "substeps", 0) > 0 || sp__build_number(node, "iterations", 2) < 2)) return;
    sp__scene_note_auto(run->scene, node ? node : body->node, node ? "substeps" : "integrator",
                        "1, and up to 64 of a strand whose step does not converge, gains energy or bends an element by more "
                        "than 0.5 rad");
}

// reports the choice of type="auto" and the reason
sp_status sp__build_say_solver(sp_run *run, const sp_run_body *body) {
    const sp_scene_node *node = sp__next_child(body->node, "solver", NULL);
    sp_body_info info;
    SP_TRY(sp_world_body_info(run->world, body->id, &info));
    say_substeps(run, body);
    if (info.solver_why[0])
        sp__scene_note_auto(run->scene, node ? node : body->node, node ? "type" : "solver", "%s", info.solver_why);
    return SP_OK;
}
