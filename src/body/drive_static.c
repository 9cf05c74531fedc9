// Equilibrium under the loads of the end of the step: f = 0 by Newton's method, the loads and the prescribed displacements
// growing together in `load_steps` stages. The unknown is the displacement from the committed state.
#include "body/drive.h"

// Rigid motions cost nothing where no unknown is held, no spring pulls and nothing can be touched: refused before solving.
static sp_status check_held(sp_body *b) {
    for (int i = 0; i < b->nv; i++)
        if (b->fixed[i]) return SP_OK;
    for (int i = 0; i < b->loads.spring_count; i++)
        if (b->loads.springs[i].active && b->loads.springs[i].stiffness > 0) return SP_OK;
    if (sp__loads_touch(b)) return SP_OK;
    return SP_BODY_FAIL(b, SP_SINGULAR, "static solve of '%s': nothing holds it (no fixed node, no spring)", b->name);
}

sp_status sp__drive_static(sp_body *b, const sp_step *step) {
    sp_step part = *step;
    b->solve.substeps = 1;
    SP_TRY(check_held(b));
    sp__drive_begin(b);
    memset(b->v[SP_TRIAL], 0, (size_t)b->nv * sizeof(double));
    double *u = b->work[0];
    memset(u, 0, (size_t)b->nv * sizeof *u);
    sp_status worst = SP_OK;
    int steps = b->integrator.load_steps;
    for (int k = 1; k <= steps; k++) {
        part.load_factor = (double)k / steps;
        sp_newton n = {.b = b, .step = &part, .s = 1, .m = 0, .x = u};
        sp_status status = sp__newton_solve(&n);
        SP_TRY(status);
        worst = sp__worst(worst, status);
        b->pin_work += n.reaction / k;  // x is the whole way so far, of which this stage went one part in k
    }
    sp__drive_place_fixed(b);
    return worst;
}
