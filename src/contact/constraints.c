// See constraints.h.
#include <float.h>

#include "contact/constraints_internal.h"
#include "core/share.h"

// ---------------------------------------------------------------------------------------------------- memory

// Memory for at least `need` items; keeps the old content. New items are zero.
sp_status sp__constraints_room(sp_constraints *c, void **memory, int *capacity, int need, size_t size) {
    if (*capacity >= need) return SP_OK;
    int more = need + need / 2 + 8;
    void *fresh = sp__alloc(c->ctx, (size_t)more, size);
    if (!fresh) return SP_FAIL(c->ctx, SP_NO_MEMORY, "no memory for %d contacts", need);
    if (*capacity) memcpy(fresh, *memory, (size_t)*capacity * size);
    sp__free(c->ctx, *memory);
    *memory = fresh, *capacity = more;
    c->info.grown = true;
    return SP_OK;
}

sp_status sp__constraints_reserve(sp_constraints *c, int count) {
    SP_TRY(ROOM(c, c->contacts, c->capacity, count));
    return sp__constraints_reserve_multipliers(c, count < MULTIPLIERS ? count : MULTIPLIERS);
}

sp_status sp__constraints_reserve_multipliers(sp_constraints *c, int count) {
    return ROOM(c, c->multipliers, c->multiplier_capacity, count);
}

sp_status sp__constraints_create(sp_context *ctx, sp_constraints **out) {
    sp_constraints *c = NULL;
    *out = NULL;
    if (!SP_NEW(ctx, c, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for contact by constraints");
    c->ctx = ctx, c->numbers_most = SP_DELASSUS_NUMBERS;
    sp_status status = sp__collide_create(ctx, &c->set);
    if (status >= 0) status = sp__cone_create(ctx, &c->problem);
    if (status >= 0) status = sp__cone_solver_create(ctx, &c->solver);
    if (status < 0)
        sp__constraints_destroy(&c);
    else
        *out = c;
    return status;
}

void sp__constraints_use(sp_constraints *c, const sp_pair_rules *rules, sp_cone_clock *clock) {
    c->rules = rules, c->clock = clock;
}

void sp__constraints_use_links(sp_constraints *c, sp_link_list *links, bool contacts) {
    c->links = links, c->searches = contacts;
}

void sp__constraints_forget(sp_constraints *c) {
    for (int i = 0; i < c->collider_count; i++) sp__constraints_free_collider(c, &c->colliders[i]);
    c->collider_count = c->count = c->last_count = c->tie_count = 0;
    c->multiplier_count = c->done_count = 0;
}

void sp__constraints_forget_body(sp_constraints *c, const sp_body *b) {
    int kept = 0;
    for (int i = 0; i < c->collider_count; i++) {
        if (c->colliders[i].body == b)
            sp__constraints_free_collider(c, &c->colliders[i]);
        else
            c->colliders[kept++] = c->colliders[i];
    }
    c->collider_count = kept;
    c->count = c->last_count = c->tie_count = c->done_count = 0;
}

void sp__constraints_destroy(sp_constraints **constraints) {
    sp_constraints *c = *constraints;
    if (!c) return;
    sp_context *ctx = c->ctx;
    if (c->set) sp__constraints_forget(c);
    for (int i = 0; i < c->touched_capacity; i++) sp__constraints_free_touched(c, &c->touched[i]);
    sp__free(ctx, c->touched), sp__free(ctx, c->colliders), sp__free(ctx, c->contacts), sp__free(ctx, c->last);
    sp__free(ctx, c->sizes), sp__free(ctx, c->done), sp__free(ctx, c->tie_done);
    sp__free(ctx, c->multipliers), sp__free(ctx, c->diagonal), sp__free(ctx, c->ties), sp__free(ctx, c->link_rows);
    sp__free(ctx, c->surfaces), sp__free(ctx, c->surface_collider), sp__free(ctx, c->parts), sp__free(ctx, c->mark);
    sp__free(ctx, c->starts);
    sp__free(ctx, c->group_of), sp__free(ctx, c->member);
    sp__volume_destroy(&c->volume);
    sp__collide_destroy(&c->set);
    sp__cone_destroy(&c->problem);
    sp__cone_solver_destroy(&c->solver);
    sp__free(ctx, c);
    *constraints = NULL;
}

// ---------------------------------------------------------------------------------------------------- solve and correct

// Flops of the factorisations of one solve, about half a second: beyond it the best impulses are used, and the step says so.
static const double most_work = 2e9;
// Factorisations of all rows that a solve may need in a step that can be divided: two halves are solved sooner.
static const double most_factorisations = 30;

static sp_cone_options cone_options(sp_constraints *c, const sp_contact_solver_def *def) {
    static const sp_cone_method methods[] = {[SP_CONTACT_METHOD_AUTO] = SP_CONE_AUTO,
                                             [SP_CONTACT_GAUSS_SEIDEL] = SP_CONE_GAUSS_SEIDEL,
                                             [SP_CONTACT_INTERIOR_POINT] = SP_CONE_INTERIOR_POINT,
                                             [SP_CONTACT_DIRECT] = SP_CONE_DIRECT};
    static const sp_cone_strategy strategies[] = {[SP_CONTACT_STRATEGY_AUTO] = SP_CONE_STRATEGY_AUTO,
                                                  [SP_CONTACT_SEQUENTIAL] = SP_CONE_SEQUENTIAL,
                                                  [SP_CONTACT_BLOCK] = SP_CONE_BLOCK,
                                                  [SP_CONTACT_GRAPH] = SP_CONE_GRAPH,
                                                  [SP_CONTACT_ROW] = SP_CONE_ROW,
                                                  [SP_CONTACT_COL] = SP_CONE_COL};
    sp_cone_options o = sp__cone_options_default();
    o.norm = SP_CONE_NORM_SCALED, o.tolerance = def->tolerance, o.sweeps = def->sweeps, o.work = most_work;
    if (c->divisible && c->pass > 0) o.work = fmin(most_work, most_factorisations / 3 * pow(c->problem->row_count, 3));
    o.method = methods[def->method], o.strategy = strategies[def->strategy];
    o.local = def->local == SP_CONTACT_NEWTON ? SP_CONE_LOCAL_NEWTON : SP_CONE_LOCAL_PROJECTION;
    if (def->cone == SP_CONTACT_FACETS) o.method = SP_CONE_DIRECT, o.facets = def->facets;
    if (def->budget_ms > 0 && c->clock) {
        if (c->clock->end_ms == 0) c->clock->end_ms = sp__now_ms() + def->budget_ms;
        o.clock = c->clock;
    }
    return o;
}

static sp_status solve_to(sp_constraints *c, const sp_contact_def *def, double tolerance) {
    enum { BOUNDS = 30 };  // of the friction of slides
    if (c->count == 0 && c->link_row_count == 0) return SP_OK;
    sp_cone_options options = cone_options(c, &def->solver);
    options.tolerance = tolerance;
    SP_TRY(sp__constraints_solve_problem(c, &options));
    for (int i = 0; sp__links_bound(c, options.tolerance); i++) {
        if (i == BOUNDS) c->info.solve.status = SP_NOT_CONVERGED;
        if (i == BOUNDS || c->info.solve.status != SP_OK) break;
        SP_TRY(sp__constraints_solve_problem(c, &options));
    }
    c->coarse = tolerance > def->solver.tolerance && c->info.solve.largest > def->solver.tolerance;
    sp__links_from_problem(c);
    for (int i = 0; i < c->count; i++) memcpy(c->contacts[i].lambda, c->problem->lambda + 3 * i, sizeof c->contacts[i].lambda);
    for (int i = 0; i < c->count; i++) memcpy(c->contacts[i].u, c->problem->u + 3 * i, sizeof c->contacts[i].u);
    return c->info.solve.status;
}

// Residual of a contact solve, relative to the largest violation, with which the next part of the step can go on: a refinement of
// the motion, a contact that joins.
static const double usable_residual = 1e-3;

static bool is_usable(const sp_constraints *c) {
    return c->info.solve.status == SP_OK || c->info.solve.largest <= usable_residual;
}

static bool is_refined(const sp_constraint_body *t) {
    const sp_body *b = t->body;
    return t->free && b->compliance && b->compliance_type == SP_COMPLIANCE_AUTO && !sp__drive_has_passes(b) &&
           sp__compliance_age(b->compliance) != 0;
}

// Before a refinement of the motion, impulses of a low accuracy are enough: the contacts are solved again after it. Below
// COARSE_ROWS rows a solve costs less than the correction of the motion that it would repeat.
enum { COARSE_ROWS = 128 };

sp_status sp__constraints_solve(sp_constraints *c, const sp_contact_def *def) {
    double tolerance = def->solver.tolerance;
    for (int i = 0; i < c->touched_count && tolerance > 0 && c->problem->row_count >= COARSE_ROWS; i++)
        if (is_refined(&c->touched[i])) tolerance = fmax(def->solver.tolerance, usable_residual);
    return solve_to(c, def, tolerance);
}

static void rows_transposed(const sp_constraints *c, const sp_constraint_body *t, double *g) {
    memset(g, 0, (size_t)t->body->nv * sizeof *g);
    for (int r = 0; r < 3 * t->count; r++) {
        double lambda = c->contacts[t->list[r / 3]].lambda[r % 3];
        for (int k = t->J.start[r]; k < t->J.start[r + 1]; k++) g[t->J.col[k]] += lambda * t->J.val[k];
    }
    sp__links_transposed(c, t, g);
}

// Contacts change the reactions at fixed unknowns that move: by the impulse A dv - g. y is scratch. Where the driver makes
// passes, its own reactions include this.
static double reaction_work(const sp_body *b, const double *g, const double *dv, double *y) {
    const double *v = b->v[SP_TRIAL];
    double work = 0;
    bool moves = false;
    for (int i = 0; i < b->nv && !moves; i++) moves = b->fixed[i] && v[i] != 0;
    if (!moves) return 0;
    b->system.mul_raw(b->system.o, b->coef, dv, y);
    for (int i = 0; i < b->nv; i++)
        if (b->fixed[i]) work += (y[i] - g[i]) * v[i];
    return work;
}

// dv = A^-1 J^T lambda of one body; g = J^T lambda
static sp_status touched_response(sp_constraints *c, sp_constraint_body *t, double **g, double **dv) {
    SP_TRY(ROOM(c, t->impulse, t->impulse_capacity, 3 * t->body->nv + 6));
    SP_LEND(c->ctx, t->impulse);
    *g = t->impulse, *dv = t->impulse + t->body->nv + 2;
    rows_transposed(c, t, *g);
    sp__compliance_apply(t->body->compliance, *g, *dv);
    return SP_OK;
}

// The next Newton pass needs the impulses of this one.
static sp_status keep_impulse(sp_body *b, const double *g) {
    if (!b->contact_impulse && !SP_NEW(b->ctx, b->contact_impulse, (size_t)b->nv + 1))
        return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for the impulses on '%s'", b->name);
    memcpy(b->contact_impulse, g, (size_t)b->nv * sizeof *g);
    b->has_contact_impulse = true;
    return SP_OK;
}

static sp_status correct_body(sp_constraints *c, sp_constraint_body *t, const sp_step *step) {
    sp_body *b = t->body;
    double *g, *dv, *v = b->v[SP_TRIAL];
    SP_TRY(sp__drive_keep_free_velocity(b));
    SP_TRY(touched_response(c, t, &g, &dv));
    b->contact_scale = fabs(sp__drive_dot(g, b->free_velocity, b->nv));
    for (int k = 0; k < b->nv; k++) v[k] = b->free_velocity[k] + dv[k];
    b->ops->retract(b, step, SP_COMMITTED, step->h, v);
    sp__drive_place_fixed(b);
    b->contact_work = sp__drive_dot(g, v, b->nv);
    if (sp__drive_has_passes(b)) return keep_impulse(b, g);
    for (int k = 0; k < b->nv; k++) dv[k] = v[k] - b->solved_velocity[k];
    b->contact_pin_work = reaction_work(b, g, dv, dv + b->nv + 2);
    return SP_OK;
}

static sp_status correct_all(sp_constraints *c, const sp_step *step) {
    for (int i = 0; i < c->touched_count; i++) {
        sp_body *b = c->touched[i].body;
        b->contact_work = b->contact_pin_work = b->contact_scale = 0;
        if (c->touched[i].free) SP_TRY(correct_body(c, &c->touched[i], step));
    }
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- refine

// The inverse of an older factor is not that of A: the corrected motion satisfies A (v - v free) = J^T lambda + r, where r is a
// force that nobody exerts. It changes the energy of a body that is squeezed and moved. Iterative refinement: A e = -r is solved,
// e moves the free velocity, and the contacts are solved again from their impulses. An approximate inverse then changes the way
// and not the result.
static const double refine_tolerance = 1e-3;  // of r, relative to the impulses
static const double refine_near = 0.05;       // below it the inverse itself solves for e: r decreases by about this factor
enum { REFINE_PASSES = 3 };

// A e = r, to a fifth of the tolerance of the refinement.
static sp_status refine_solve(sp_body *b, double share, const double *r, double *e) {
    const double size = sp__drive_free_norm(b, r), tolerance = fmax(b->solver->def.tolerance, DBL_MIN);
    sp_linear_info info;
    return sp__drive_solve_relative(b, &b->system, b->coef, r, size * fmax(1, 0.2 * refine_tolerance / (share * tolerance)), e,
                                    &info);
}

// *moved: the free velocity of the body has changed, and the violations of its contacts with it. *again: r may still be too
// large.
static sp_status refine_body(sp_constraints *c, sp_constraint_body *t, double h, bool *moved, bool *again) {
    sp_body *b = t->body;
    const sp_system *A = &b->system;
    const double *v = b->v[SP_TRIAL];
    double *g = t->impulse, *dv = g + b->nv + 2, *r = dv + b->nv + 2, *e = b->work[0];
    rows_transposed(c, t, g);
    for (int k = 0; k < b->nv; k++) dv[k] = v[k] - b->solved_velocity[k];
    A->mul_raw(A->o, b->coef, dv, r);
    const double before = b->is_predicted ? sp__drive_norm(b->predicted, b->nv) : 0;
    for (int k = 0; k < b->nv; k++) r[k] = b->fixed[k] ? 0 : g[k] - (b->is_predicted ? b->predicted[k] : 0) - r[k];
    const double share = sp__drive_norm(r, b->nv) / fmax(fmax(sp__drive_norm(g, b->nv), before), DBL_MIN);
    if (!(share > refine_tolerance)) return SP_OK;
    *moved = true;
    if (share < refine_near) {
        sp__compliance_apply(b->compliance, r, e);
        // the share is that of the inverse itself: what remains of r is about as much of r
        *again = *again || share * share > refine_tolerance;
    } else {
        sp__compliance_report_stale(b->compliance);
        SP_TRY(refine_solve(b, share, r, e));
        *again = true;
    }
    for (int k = 0; k < b->nv; k++) b->free_velocity[k] += e[k];
    for (int row = 0; row < t->J.n; row++) {
        double sum = 0;
        for (int k = t->J.start[row]; k < t->J.start[row + 1]; k++) sum += t->J.val[k] * e[t->J.col[k]];
        if (row >= 3 * t->count) {
            c->problem->q[3 * c->count + t->link_row[row - 3 * t->count]] += h * sum;
            continue;
        }
        const int at = t->list[row / 3];
        c->contacts[at].delta[row % 3] += h * sum;
        c->problem->q[3 * at + row % 3] += h * sum;
    }
    return SP_OK;
}

// The rows of links are linear in the step, but bodies turn: points of rigid bodies and rods then miss each other by the square
// of the angle. The violations at the corrected state are evaluated again and solved with the same W, until they are within the
// tolerance of the solver (as SHAKE, Ryckaert, Ciccotti and Berendsen 1977). Points of solids meet after the first solve.
static const double link_slack = 10;        // in tolerances of the solver, relative to the violations of the free motion
static const double link_rounding = 1e-13;  // relative to the largest coordinate
enum { LINK_PASSES = 20 };

static sp_status links_iterate(sp_constraints *c, const sp_contact_def *def, const sp_step *step, sp_status worst) {
    double before = INFINITY;
    for (int pass = 0; c->tie_count && pass < LINK_PASSES && c->info.solve.status == SP_OK; pass++) {
        const double most = sp__links_evaluate(c);
        if (most <= fmax(link_slack * def->solver.tolerance * c->links_scale, link_rounding * c->links_reach)) break;
        if (most > 0.5 * before) break;
        before = most;
        for (int i = 0; i < c->touched_count; i++) sp__links_to_free_state(c, &c->touched[i], step->h);
        sp__links_to_problem(c);
        worst = solve_to(c, def, def->solver.tolerance);
        SP_TRY(worst);
        SP_TRY(correct_all(c, step));
    }
    return worst;
}

// ---------------------------------------------------------------------------------------------------- prediction

// Where the motion is refined, the impulses of this step are part of the free motion of the next one (implicit_predict,
// body/drive.c); also those of rods with passes. Without the forces that hold it a bent rod moves by many radii in a step, and
// the contacts found on that way are not those of the motion. Volumes are searched at the free motion: at a predicted state they
// would be those that stay at rest, of which slivers come and go.
static bool is_predictable(const sp_constraints *c, const sp_constraint_body *t) {
    return is_refined(t) || (t->free && t->body->passes && t->body->compliance && !c->has_volumes);
}

static void keep_impulses(sp_constraints *c, sp_body *const *bodies, int count, double h) {
    for (int i = 0; i < count; i++) {
        double *impulse = bodies[i]->compliance ? sp__compliance_impulse(bodies[i]->compliance) : NULL;
        if (impulse) impulse[bodies[i]->nv] = 0;
    }
    for (int i = 0; i < c->touched_count; i++) {
        const sp_constraint_body *t = &c->touched[i];
        double *impulse = is_predictable(c, t) ? sp__compliance_impulse(t->body->compliance) : NULL;
        if (!impulse) continue;
        rows_transposed(c, t, impulse);
        impulse[t->body->nv] = h;
    }
}

// The trial state becomes that of the free motion: v = v solved - x, where A x = p.
static void leave_predicted(sp_body *b, const sp_step *step, const double *x) {
    for (int k = 0; k < b->nv; k++) b->v[SP_TRIAL][k] = b->free_velocity[k] = b->solved_velocity[k] - x[k];
    b->ops->retract(b, step, SP_COMMITTED, step->h, b->v[SP_TRIAL]);
    sp__drive_place_fixed(b);
}

// Takes the predicted impulses out of the free motion, with the inverse that the contacts use.
sp_status sp__constraints_free_motion(sp_constraints *c, sp_body *const *bodies, int count, const sp_step *step) {
    for (int i = 0; i < count; i++) {
        sp_body *b = bodies[i];
        if (!b->is_predicted) continue;
        SP_TRY(sp__drive_keep_free_velocity(b));
        SP_TRY(sp__constraints_compliance(c, b));
        sp__compliance_apply(b->compliance, b->predicted, b->work[0]);
        if (b->passes)  // contacts are searched at the predicted state
            for (int k = 0; k < b->nv; k++) b->free_velocity[k] = b->solved_velocity[k] - b->work[0][k];
        else
            leave_predicted(b, step, b->work[0]);
    }
    return SP_OK;
}

// Bodies that have lost all their contacts: nothing refines their motion, so that the impulses are taken out exactly.
sp_status sp__constraints_leave_untouched(sp_constraints *c, sp_body *const *bodies, int count, const sp_step *step) {
    for (int i = 0; i < count; i++) {
        sp_body *b = bodies[i];
        sp_linear_info info;
        if (!b->is_predicted || sp__constraints_touched(c, b)) continue;
        SP_TRY(sp__drive_solve(b, &b->system, b->coef, b->predicted, b->work[0], &info));
        leave_predicted(b, step, b->work[0]);
        memcpy(b->solved_velocity, b->free_velocity, (size_t)b->nv * sizeof *b->free_velocity);
        b->is_predicted = false;
    }
    return SP_OK;
}

sp_status sp__constraints_correct(sp_constraints *c, const sp_contact_def *def, const sp_step *step) {
    sp_status worst = SP_OK;
    SP_TRY(correct_all(c, step));
    // not after a solve that is far from converged: its impulses are wrong by more, and another one would take as long
    bool again = true;
    for (int pass = 0; pass < REFINE_PASSES && again && is_usable(c); pass++) {
        bool moved = again = false;
        for (int i = 0; i < c->touched_count; i++)
            if (is_refined(&c->touched[i])) SP_TRY(refine_body(c, &c->touched[i], step->h, &moved, &again));
        if (!moved && !c->coarse) break;
        worst = solve_to(c, def, def->solver.tolerance);
        SP_TRY(worst);
        SP_TRY(correct_all(c, step));
    }
    return links_iterate(c, def, step, worst);
}

// ---------------------------------------------------------------------------------------------------- stabilise

// Overlap that a step may leave, relative to an eighth of an edge.
static const double overlap_share = 0.125;
static const double separate_tolerance = 1e-3;  // relative to the overlap that is removed

// Deepest overlap at the trial state of the last search.
static double deepest_end(const sp_constraints *c) {
    double deepest = 0;
    for (int i = 0; i < c->count; i++) {
        const sp_constraint_contact *k = &c->contacts[i];
        if (sp__constraints_is_volume(k)) continue;  // their overlap is `excess`
        // springs overlap by what they carry: only a new one is a surprise
        if (!k->spring || k->fresh) deepest = fmax(deepest, -k->end);
    }
    return deepest;
}

// Some overlap is larger than the surfaces of the two resolve.
static bool is_deep(const sp_constraints *c, bool allowed) {
    for (int i = 0; i < c->count; i++) {
        const sp_constraint_contact *k = &c->contacts[i];
        if (!sp__constraints_is_volume(k) && (!k->spring || k->fresh) &&
            (allowed ? k->allowed : 0) - k->end > overlap_share * k->resolution)
            return true;
    }
    return false;
}

// One Newton pass of a body, without the impulses g of the pass before: v free -= A^-1 g, with the inverse of the contacts, so
// that an approximate inverse changes the way and not the result.
static sp_status newton_pass(sp_constraints *c, sp_body *b, const sp_step *step, int pass, double accuracy, bool *converged) {
    sp_status status = sp__drive_pass(b, step, pass, accuracy, converged);
    SP_TRY(status);
    if (*converged || status == SP_NOT_CONVERGED || !b->has_contact_impulse) return status;
    SP_TRY(sp__constraints_compliance(c, b));
    double *y = b->work[2];
    sp__compliance_apply(b->compliance, b->contact_impulse, y);
    for (int i = 0; i < b->nv; i++) b->free_velocity[i] -= y[i];
    return status;
}

// Violations of the contacts at the trial state, as the solve predicts them: exact for solids.
static void contacts_predicted(sp_constraints *c) {
    for (int i = 0; i < c->count; i++) {
        sp_constraint_contact *k = &c->contacts[i];
        memcpy(k->delta, c->problem->u + 3 * i, sizeof k->delta);
        k->delta[0] -= k->soft * k->lambda[0] - k->damping * k->soft * fmin(k->distance, 0);
        k->fresh = true;
    }
}

// Bodies without contacts move as their own pass says.
static void follow_free(sp_constraints *c, sp_body *const *bodies, int count, const sp_step *step) {
    for (int i = 0; i < count; i++) {
        sp_body *b = bodies[i];
        if (!sp__drive_has_passes(b) || !b->has_free_velocity || sp__constraints_touched(c, b)) continue;
        memcpy(b->v[SP_TRIAL], b->free_velocity, (size_t)b->nv * sizeof(double));
        b->ops->retract(b, step, SP_COMMITTED, step->h, b->v[SP_TRIAL]);
        sp__drive_place_fixed(b);
    }
}

static bool touches_volume(const sp_constraints *c, const sp_constraint_body *t) {
    for (int i = 0; i < t->count; i++)
        if (sp__constraints_is_volume(&c->contacts[t->list[i]])) return true;
    return false;
}

// Implicit Euler describes a soft body that an impact turns or crushes by one linearisation, which may create energy. Such a body
// has Newton passes in this step, from the impulses of its contacts, until its energy does not rise.
static sp_status repeat_where_energy_rises(sp_constraints *c, const sp_step *step) {
    for (int i = 0; i < c->touched_count; i++) {
        sp_constraint_body *t = &c->touched[i];
        sp_body *b = t->body;
        const bool linear = b->integrator.type == SP_IMPLICIT_EULER && !b->centreline && !b->ops->correct && b->ops->energies;
        if (!t->free || b->frozen || !linear || sp__drive_has_passes(b) || !touches_volume(c, t)) continue;
        if (!sp__body_gains(b, step)) continue;
        rows_transposed(c, t, t->impulse);
        SP_TRY(keep_impulse(b, t->impulse));
        b->repeats = true, b->contact_pin_work = 0;
    }
    return SP_OK;
}

// A pair with one volume answers no torque: a static body that only such pairs hold tilts until it falls.
static sp_status explain_static(const sp_constraints *c, const sp_contact_def *def, sp_body *b, sp_status status) {
    if (status != SP_SINGULAR || !c->has_volumes || def->cell > 0) return status;
    return SP_BODY_FAIL(
        b, status,
        "static solve of '%s': no equilibrium after %d passes; neither fixed nodes nor springs hold it, and contact "
        "by one volume of each pair answers no torque: set `cell` of the contact, 5 to 10 pixels are usual",
        b->name, sp__drive_pass_limit(b));
}

// Linearises bodies again at the trial state. *moved: one of them has not converged yet.
static sp_status newton_passes(sp_constraints *c, sp_body *const *bodies, int count, const sp_contact_def *def,
                               const sp_step *step, int pass, bool *moved) {
    sp_status worst = SP_OK;
    *moved = false;
    for (int i = 0; i < count; i++) {
        bool converged = true;
        if (!sp__drive_has_passes(bodies[i])) continue;
        sp_status status = newton_pass(c, bodies[i], step, pass, def->solver.tolerance, &converged);
        SP_TRY(explain_static(c, def, bodies[i], status));
        bodies[i]->solve.status = sp__worst(bodies[i]->solve.status, status);
        worst = sp__worst(worst, status);
        *moved = *moved || (!converged && status != SP_NOT_CONVERGED);
    }
    return worst;
}

// The contacts of a pass have no usable solution, and the world divides the step.
static void passes_fail(sp_body *const *bodies, int count) {
    for (int i = 0; i < count; i++)
        if (bodies[i]->passes && bodies[i]->has_contact_impulse) bodies[i]->solve.status = SP_NOT_CONVERGED;
}

// Tolerance of the contacts in Newton's method: relative to that of the user, and the least.
static const double pass_share = 0.01, pass_least = 1e-12;
// Passes in which contacts of rods are only those of the last search. Later the list grows only: a contact that is found when the
// rod has passed it, and lost when it has not, would keep the passes apart.
enum { RENEW_PASSES = 2 };

sp_status sp__constraints_again(sp_constraints *c, sp_body *const *bodies, int count, const sp_contact_def *def,
                                const sp_step *step, int pass, bool *changed) {
    sp_found found;
    int added;
    bool moved;
    *changed = false;
    SP_TRY(repeat_where_energy_rises(c, step));
    sp_status worst = newton_passes(c, bodies, count, def, step, pass, &moved);
    SP_TRY(worst);
    c->pass = pass;
    if (moved) sp__links_evaluate(c);
    if (!moved && (c->count == 0 || pass > def->passes)) return worst;
    // what overlaps after a solve that is far from converged overlaps because of it: more contacts would not help
    if (!moved && !is_usable(c)) return sp__worst(worst, SP_NOT_CONVERGED);
    SP_TRY(sp__constraints_search(c, bodies, count, def, &found));
    if (moved && c->count) contacts_predicted(c);
    SP_TRY(sp__constraints_join(c, def, step->h, &found, moved && pass <= RENEW_PASSES, &added));
    *changed = moved || (added > 0 && is_deep(c, true)) || c->excess > 0;
    if (!*changed) {
        sp__constraints_leave(c);
        return worst;
    }
    SP_TRY(sp__volumes_take(c, def, step->h, &added));
    sp__constraints_evaluate(c, step->h);
    SP_TRY(sp__constraints_rows(c, step));
    SP_TRY(sp__constraints_delassus(c, step));
    // the passes end when the forces balance to the tolerance: impulses that change by as much would keep them apart
    sp_contact_def finer = *def;
    if (moved) finer.solver.tolerance = fmin(def->solver.tolerance, fmax(pass_share * def->solver.tolerance, pass_least));
    sp_status status = sp__constraints_solve(c, &finer);
    SP_TRY(status);
    if (moved && step->divisible && !is_usable(c)) {
        *changed = false;
        passes_fail(bodies, count);
        return SP_NOT_CONVERGED;
    }
    SP_TRY(sp__constraints_correct(c, &finer, step));
    if (moved) follow_free(c, bodies, count, step);
    return sp__worst(worst, status);
}

void sp__constraints_release(sp_constraints *c, const sp_body *b) {
    for (int i = 0; i < c->count; i++)
        if (c->contacts[i].body[0] == b || c->contacts[i].body[1] == b)
            memset(c->contacts[i].lambda, 0, sizeof c->contacts[i].lambda);
    for (int i = 0; i < c->done_count; i++)
        if (c->done[i].body[0] == b || c->done[i].body[1] == b) memset(c->done[i].impulse, 0, sizeof c->done[i].impulse);
}

// largest displacement of a contact along its normal due to dv of one body
static double touched_reach(const sp_constraint_body *t, double h, const double *dv) {
    double reach = 0;
    for (int r = 0; r < t->J.n; r += 3) {
        double u = 0;
        for (int k = t->J.start[r]; k < t->J.start[r + 1]; k++) u += t->J.val[k] * dv[t->J.col[k]];
        reach = fmax(reach, h * fabs(u));
    }
    return reach;
}

// Positions alone: frictionless impulses that remove the overlap at the trial state, whose velocity is not kept.
sp_status sp__constraints_separate(sp_constraints *c, sp_body *const *bodies, int count, const sp_contact_def *def,
                                   const sp_step *step, bool *changed) {
    sp_found found;
    int added;
    *changed = false;
    SP_TRY(sp__constraints_search(c, bodies, count, def, &found));
    SP_TRY(sp__constraints_join(c, def, step->h, &found, false, &added));
    const double deepest = fmax(deepest_end(c), c->overlap_left);
    if (!is_deep(c, false) && !(c->overlap_left > 0)) {
        sp__constraints_leave(c);
        return SP_OK;
    }
    *changed = true;
    for (int i = 0; i < c->count; i++)
        if (c->contacts[i].fresh) memset(c->contacts[i].lambda, 0, sizeof c->contacts[i].lambda);
    int volumes = 0;
    SP_TRY(sp__volumes_take(c, def, step->h, &volumes));
    if (added + volumes > 0) {
        SP_TRY(sp__constraints_rows(c, step));
        SP_TRY(sp__constraints_delassus(c, step));
    }
    sp__links_separate(c);
    sp_cone_problem *p = c->problem;
    for (int i = 0; i < c->count; i++) {
        p->group[c->group_of[i]].mu = 0;
        p->q[3 * i] = fmin(c->contacts[i].end, c->contacts[i].alarm), p->q[3 * i + 1] = p->q[3 * i + 2] = 0;
        for (int d = 0; d < 3; d++) p->lambda[3 * i + d] = 0;
    }
    sp_cone_options options = cone_options(c, &def->solver);
    // without friction the cone has no facets
    options.method = SP_CONE_AUTO, options.facets = 0, options.tolerance = fmax(options.tolerance, separate_tolerance);
    const sp_cone_info velocity = c->info.solve;
    SP_TRY(sp__constraints_solve_problem(c, &options));
    sp__links_from_problem(c);
    c->info.solve = velocity;
    for (int i = 0; i < c->count; i++) {
        sp_constraint_contact *k = &c->contacts[i];
        p->group[c->group_of[i]].mu = k->friction;
        for (int d = 0; d < 3; d++) {
            double lambda = k->lambda[d];
            k->lambda[d] = p->lambda[3 * i + d], p->lambda[3 * i + d] = lambda;
        }
    }
    // a body between two others that leave it no room has impulses without bound: nothing moves farther than twice the overlap
    double share = 1;
    for (int i = 0; i < c->touched_count; i++) {
        sp_constraint_body *t = &c->touched[i];
        double *g, *dv;
        if (!t->free) continue;
        SP_TRY(touched_response(c, t, &g, &dv));
        share = fmin(share, 2 * deepest / fmax(touched_reach(t, step->h, dv), 2 * deepest));
    }
    for (int i = 0; i < c->touched_count; i++) {
        sp_constraint_body *t = &c->touched[i];
        double *g = t->impulse, *dv = t->impulse ? t->impulse + t->body->nv + 2 : NULL;
        if (!t->free) continue;
        for (int k = 0; k < t->body->nv && share < 1; k++) dv[k] *= share;
        t->body->ops->retract(t->body, step, SP_TRIAL, step->h, dv);
        sp__drive_place_fixed(t->body);
        t->body->contact_work += sp__drive_dot(g, dv, t->body->nv);
    }
    for (int i = 0; i < c->count; i++)
        for (int d = 0; d < 3; d++) {
            c->contacts[i].lambda[d] = p->lambda[3 * i + d];
            p->q[3 * i + d] = c->contacts[i].delta[d];
        }
    sp__links_separated(c);
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- state

// A list of contacts becomes that of the last step, and has its memory.
static void commit_list(sp_constraints *c, sp_constraint_contact **list, int *count, int *capacity) {
    sp_constraint_contact *last = c->last;
    const int last_capacity = c->last_capacity;
    c->last = *list, c->last_count = *count, c->last_capacity = *capacity;
    *list = last, *count = 0, *capacity = last_capacity;
}

void sp__constraints_commit(sp_constraints *c, sp_body *const *bodies, int count) {
    int kept = c->count < MULTIPLIERS ? c->count : MULTIPLIERS;
    for (int i = 0; i < kept; i++) {
        sp_constraint_multiplier *m = &c->multipliers[i];
        const sp_constraint_contact *k = &c->contacts[i];
        memcpy(m->key, k->key, sizeof m->key);
        sp__mul3t(k->frame, k->lambda, m->impulse);
    }
    c->multiplier_count = kept, c->last_divided = c->parts_done > 0;
    c->last_h = c->last_divided ? c->parts_h : c->part_h;
    keep_impulses(c, bodies, count, c->part_h);
    if (c->last_divided)
        commit_list(c, &c->done, &c->done_count, &c->done_capacity);
    else
        commit_list(c, &c->contacts, &c->count, &c->capacity);
    c->count = 0;
    sp__links_commit(c);
}

const sp_constraints_info *sp__constraints_info(const sp_constraints *c) {
    return &c->info;
}

const sp_cone_problem *sp__constraints_problem(const sp_constraints *c) {
    return c->problem->laid_out && c->problem->group_count > 0 ? c->problem : NULL;
}

// The contacts of the current step, or of the parts of it that are done.
static const sp_constraint_contact *contacts_found(const sp_constraints *c, int *count) {
    *count = c->parts_done > 0 ? c->done_count : c->count;
    return c->parts_done > 0 ? c->done : c->contacts;
}

int sp__constraints_found(const sp_constraints *c) {
    int count;
    contacts_found(c, &count);
    return count;
}

int sp__constraints_count(const sp_constraints *c) {
    return c->last_count;
}

int sp__constraints_found_vertices(const sp_constraints *c) {
    int count, vertices = 0;
    const sp_constraint_contact *list = contacts_found(c, &count);
    for (int i = 0; i < count; i++)
        for (int s = 0; s < 2; s++)
            vertices += sp__constraints_is_volume(&list[i]) ? list[i].anchor_count[s] : list[i].patch[s].count;
    return vertices;
}

// One material point of a side: the mean of its anchors if they are in one element, else the anchor with the largest weight.
static sp_anchor contact_anchor(const sp_constraints *c, const sp_constraint_contact *k, int s) {
    if (sp__constraints_is_volume(k)) return sp__volumes_anchor(c, k, s);
    const sp_anchor *a = k->anchor[s];
    sp_anchor corner[3] = {a[0], a[0], a[0]};
    double w[3] = {0};
    bool together = true;
    for (int j = 0; j < k->anchor_count[s]; j++) {
        corner[j] = a[j], w[j] = k->weight[s][j];
        together = together && a[j].elem == a[0].elem;
    }
    sp_anchor out = together ? sp__anchor_mean(corner, w) : corner[sp__heaviest_corner(w)];
    out.body = k->body[s]->id;
    return out;
}

// Vertices that a contact at a distance touches, and their areas.
static void record_side(const sp_constraint_contact *k, int s, sp_contacts *list, sp_contact_patch *out) {
    // the outward normal of the first body points against that of the contact
    const double sign = s == 0 ? -1 : 1, away[3] = {sign * k->frame[0], sign * k->frame[1], sign * k->frame[2]};
    sp__contacts_patch(list, k->patch[s].count, out);
    for (int i = 0; i < out->count; i++) out->vertex[i] = k->patch[s].vertex[i], out->weight[i] = k->patch[s].weight[i];
    sp__contacts_areas(k->x[s], away, out);
}

void sp__constraints_at(const sp_constraints *c, int index, sp_contacts *list) {
    static const sp_contact_feature features[] = {[SP_FEATURE_SHAPE] = SP_CONTACT_SHAPE,
                                                  [SP_FEATURE_VERTEX] = SP_CONTACT_VERTEX,
                                                  [SP_FEATURE_EDGE] = SP_CONTACT_EDGE,
                                                  [SP_FEATURE_FACE] = SP_CONTACT_FACE};
    const sp_constraint_contact *k = &c->last[index];
    sp_contact_record *out = &list->list[list->count++];
    sp_contact_point *p = &out->point;
    double impulse[3];
    *out = (sp_contact_record){.area = k->area};
    p->gap = k->distance;
    sp__constraints_sums(c, k, impulse, p->slip);
    out->normal_force = c->last_divided ? sp__dot3(k->frame, impulse) / c->last_h : k->lambda[0] / c->last_h;
    for (int a = 0; a < 3; a++) {
        p->force[a] = impulse[a] / c->last_h, p->normal[a] = k->frame[a];
        p->point[a] = 0.5 * (k->point[0][a] + k->point[1][a]);
    }
    for (int s = 0; s < 2; s++) {
        const sp_surface *surface = k->patch[s].surface;
        out->side[s] = (sp_contact_patch){.surface = surface, .body = k->patch[s].body};
        p->bodies[s] = k->body[s]->id, p->anchors[s] = contact_anchor(c, k, s);
        p->features[s] = !surface ? SP_CONTACT_SHAPE : k->area > 0 ? SP_CONTACT_PATCH : features[k->feature[s]];
        if (!surface) continue;
        if (sp__constraints_is_volume(k))
            sp__volumes_record(c, k, s, list, &out->side[s]);
        else
            record_side(k, s, list, &out->side[s]);
    }
}

int sp__constraints_kept(const sp_constraints *c) {
    return c->multiplier_count;
}

int sp__constraints_most(void) {
    return MULTIPLIERS;
}

void sp__constraints_keep(sp_constraints *c, int count) {
    c->count = c->last_count = 0;
    c->multiplier_count = count;
}

// c may be NULL where the array is only compared in size
void sp__constraints_visit(sp_constraints *c, int count, sp_visitor *v) {
    v->array(v, "multipliers", c ? c->multipliers : NULL, sizeof(sp_constraint_multiplier), (size_t)count);
}

uint64_t sp__constraints_hash(const sp_constraints *c) {
    uint64_t sum = 0, word[sizeof(sp_constraint_multiplier) / sizeof(uint64_t)];
    enum { WORDS = sizeof word / sizeof *word };
    for (int i = 0; i < c->multiplier_count; i++) {
        memcpy(word, &c->multipliers[i], sizeof word);
        for (size_t k = 0; k < WORDS; k++) sum += sp__mix(word[k], (uint64_t)i * WORDS + k);
    }
    return sum;
}
