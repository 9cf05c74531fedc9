// Implicit Euler solved to its tolerance: M (v - v0) = h f(q0 (+) h v, v).
#include "body/drive.h"

sp_status sp__drive_newton(sp_body *b, const sp_step *step) {
    sp__drive_begin(b);
    sp_newton n = {.b = b, .step = step, .s = step->h, .m = 1, .x = b->v[SP_TRIAL], .x0 = b->v[SP_COMMITTED]};
    b->solve.substeps++;
    sp_status status = sp__newton_solve(&n);
    b->pin_work = n.reaction;
    if (status >= 0) sp__drive_place_fixed(b);
    return status;
}
